"""The least PU risk of a node: inline, as it is computed for every threshold tried.

Nodes keep whole counts of P and U; weights are applied here and nowhere else. With running sums of weights
"U is empty" could be missed by a rounding error, and -inf with it.
"""

from libc.math cimport INFINITY, log

cdef enum Loss:
    QUADRATIC = 0
    LOGISTIC = 1
    SAVAGE = 2
    SIGMOID = 3


cdef struct Measure:
    # The signed weights w(+1|P), w(-1|P), w(-1|U); the loss; whether the risk is nnPU's.
    double positive_p
    double negative_p
    double negative_u
    int loss
    bint clipped


cdef inline double mass_positive(const Measure* m, long long n_p) noexcept nogil:
    return n_p * m.positive_p


cdef inline double mass_negative(const Measure* m, long long n_p, long long n_u) noexcept nogil:
    # In case-control w(-1|P) is exactly -w(+1|P): without U, both masses add up to exactly 0. Where U and P cancel, or
    # w(-1|P) should be 0, what rounding leaves has either sign: it is 0, lest a pure node be split or be worth -inf.
    cdef double unlabelled = n_u * m.negative_u
    cdef double mass = n_p * m.negative_p + unlabelled
    cdef double rounding = 1e-12 * (n_p * m.positive_p + unlabelled)
    return 0.0 if -rounding <= mass <= rounding else mass


cdef inline double least_risk(const Measure* m, long long n_p, long long n_u) noexcept nogil:
    """Minimise W_p l(v, +1) + W_n l(v, -1) over v, with max(0, .) around the second term for nnPU."""
    cdef double w_p = mass_positive(m, n_p)
    cdef double w_n = mass_negative(m, n_p, n_u)
    if m.clipped and w_n < 0.0:
        w_n = 0.0
    if m.loss == SIGMOID:
        return w_p if w_p < w_n else w_n
    if w_p == 0.0 or w_n == 0.0:
        return 0.0
    if m.loss == LOGISTIC:
        if w_n < 0.0:
            return -INFINITY
        return w_p * log((w_p + w_n) / w_p) + w_n * log((w_p + w_n) / w_n)
    if w_n < 0.0:
        # The savage loss is bounded: at best, P costs nothing and W_n counts four-fold.
        if m.loss == SAVAGE:
            return 4.0 * w_n
        if w_p + w_n <= 0.0:
            return -INFINITY
    return 4.0 * w_p * w_n / (w_p + w_n)


cdef inline double positive_share(const Measure* m, long long n_p, long long n_u) noexcept nogil:
    """Return v* = W_p / (W_p + W_n), 1 where W_n is not above 0."""
    cdef double w_p = mass_positive(m, n_p)
    cdef double w_n = mass_negative(m, n_p, n_u)
    return 1.0 if w_n <= 0.0 else w_p / (w_p + w_n)
