# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The passes of Ada-PU over rows: bin a feature, add up weights by bin, choose a stump, reweight, vote.

Codes lie feature by feature, one byte each, with the labelled rows first. Everything runs without the GIL, and adds
in an order that depends on the data alone.
"""

from libc.math cimport INFINITY

ctypedef fused real:
    float
    double

# One byte for a code.
cdef enum:
    MOST_BINS = 256


cdef inline double _between(double low, double high) noexcept nogil:
    # Halved first, as the sum of two large numbers overflows; rounding must not carry the cut out of [low, high).
    cdef double middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


cdef Py_ssize_t _distinct(const double[::1] ordered) noexcept nogil:
    cdef Py_ssize_t i, count = 1
    for i in range(1, ordered.shape[0]):
        count += ordered[i] != ordered[i - 1]
    return count


def place_cuts(const double[::1] ordered, double[::1] uppers, double[::1] cuts):
    """Divide the values of a feature into bins of whole values, and return how many bins there are.

    Each value has a bin of its own if ``len(uppers)`` bins suffice; otherwise a bin closes when it is as near as it
    gets to an even share of the rows not yet placed, so that a frequent value takes no bin from the others.

    Parameters
    ----------
    ordered : array of shape (n,), n >= 1
        The values of all rows, ascending, finite.
    uppers : array of shape (max_bins,)
        Receives the largest value in each bin.
    cuts : array of shape (256,)
        Receives the points between bins; infinity beyond them.
    """
    cdef Py_ssize_t n = ordered.shape[0], most = uppers.shape[0], i = 0, start, end, size, used = 0
    cdef double share
    with nogil:
        cuts[:] = INFINITY
        share = 0.0
        if _distinct(ordered) > most:
            share = <double> n / most
        while i < n:
            start = i
            while i < n:
                end = i + 1
                while end < n and ordered[end] == ordered[i]:
                    end += 1
                size = i - start
                if size > 0 and (end - start) - share > share - size:
                    break
                i = end
                if i - start >= share:
                    break
            uppers[used] = ordered[i - 1]
            if used > 0:
                cuts[used - 1] = _between(uppers[used - 1], ordered[start])
            used += 1
            if share > 0.0 and used < most:
                share = <double> (n - i) / (most - used)
    return used


def encode(const real[:] values, const double[::1] cuts, const Py_ssize_t[::1] places, unsigned char[::1] codes):
    """Write the bin of each value, the number of cuts below it, to its place.

    Parameters
    ----------
    values : float or double array of shape (n,)
    cuts : array of shape (256,)
        Ascending; infinity where there is no cut.
    places : intp array of shape (n,)
    codes : uint8 array of shape (n,)
        ``codes[places[i]]`` receives the bin of ``values[i]``.
    """
    cdef Py_ssize_t i, position, step
    cdef double value
    with nogil:
        for i in range(values.shape[0]):
            value = values[i]
            position = 0
            # A fixed number of steps, without branches: the outcome cannot be predicted.
            step = MOST_BINS // 2
            while step > 0:
                position += step * (cuts[position + step - 1] < value)
                step >>= 1
            codes[places[i]] = <unsigned char> position


def running_sums(const unsigned char[:, ::1] codes, const double[::1] weights, double[:, ::1] sums):
    """Add up the weights of the first rows in bins up to each, for every feature.

    Parameters
    ----------
    codes : uint8 array of shape (d, n)
    weights : array of shape (m,), m <= n
        Of the first m rows.
    sums : array of shape (d, 256)
        ``sums[j, k]`` receives the sum of the weights of rows whose code of feature j is at most k.
    """
    cdef Py_ssize_t d = codes.shape[0], j = 0, k
    with nogil:
        sums[:, :] = 0.0
        # Four features a turn share the loads of the weights, and additions to one bin wait less for each other.
        while j + 4 <= d:
            _add_to_four(&codes[j, 0], codes.shape[1], &weights[0], weights.shape[0], &sums[j, 0])
            j += 4
        while j < d:
            _add_to_one(&codes[j, 0], &weights[0], weights.shape[0], &sums[j, 0])
            j += 1
        for j in range(d):
            for k in range(1, MOST_BINS):
                sums[j, k] += sums[j, k - 1]


cdef void _add_to_four(
    const unsigned char* codes, Py_ssize_t stride, const double* weights, Py_ssize_t m, double* sums
) noexcept nogil:
    cdef const unsigned char* second = codes + stride
    cdef const unsigned char* third = codes + 2 * stride
    cdef const unsigned char* fourth = codes + 3 * stride
    cdef double weight
    cdef Py_ssize_t i
    for i in range(m):
        weight = weights[i]
        sums[codes[i]] += weight
        sums[MOST_BINS + second[i]] += weight
        sums[2 * MOST_BINS + third[i]] += weight
        sums[3 * MOST_BINS + fourth[i]] += weight


cdef void _add_to_one(
    const unsigned char* codes, const double* weights, Py_ssize_t m, double* sums
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(m):
        sums[codes[i]] += weights[i]


def snap(const double[:, ::1] draws, const double[:, ::1] uppers, const double[::1] lowest,
         const int[::1] bins, int[:, ::1] chosen):
    """Turn random numbers into cuts: each stands for a value between a feature's least and largest.

    A bin lies below the cut if none of its values exceeds the drawn one; the first bin always does.

    Parameters
    ----------
    draws : array of shape (d, S)
        Between 0 and 1.
    uppers : array of shape (d, max_bins)
    lowest : array of shape (d,)
    bins : int32 array of shape (d,)
    chosen : int32 array of shape (d, S)
        Receives the numbers of the cuts; -1 for a feature of one bin, which has none.
    """
    cdef Py_ssize_t j, k
    cdef int low, high, middle
    cdef double value
    with nogil:
        for j in range(draws.shape[0]):
            for k in range(draws.shape[1]):
                value = (1.0 - draws[j, k]) * lowest[j] + draws[j, k] * uppers[j, bins[j] - 1]
                low, high = 0, bins[j] - 1
                while low < high:
                    middle = (low + high) // 2
                    if uppers[j, middle] <= value:
                        low = middle + 1
                    else:
                        high = middle
                # low bins lie below; the cut above bin b has the number b.
                chosen[j, k] = min(max(low - 1, 0), bins[j] - 2)


cdef struct Best:
    double risk
    double error
    Py_ssize_t feature
    Py_ssize_t cut
    int polarity


cdef struct Totals:
    double positive
    double labelled
    double negative
    double tolerance
    bint by_sets
    double growth_positive
    double growth_labelled
    double growth_unlabelled


cdef inline void _try_side(
    Best* best, Py_ssize_t feature, Py_ssize_t cut, int polarity, double missed, double labelled, double negative,
    const Totals* totals
) noexcept nogil:
    # missed: the weights as positives of rows called negative; the others: those as negatives of rows called positive.
    cdef double error = missed + negative
    cdef double risk = error
    if totals.by_sets:
        risk = (
            totals.growth_positive * missed + totals.growth_labelled * labelled
            + totals.growth_unlabelled * (negative - labelled)
        )
    if negative >= -totals.tolerance and error < 0.5 - totals.tolerance and risk < best.risk:
        best.risk, best.error, best.feature, best.cut, best.polarity = risk, error, feature, cut, polarity


cdef inline void _try(
    Best* best, Py_ssize_t feature, Py_ssize_t cut, double positive, double labelled, double negative,
    const Totals* totals
) noexcept nogil:
    # The weights below the cut. Positive above it (1), then positive below it (-1).
    _try_side(
        best, feature, cut, 1, positive, totals.labelled - labelled, totals.negative - negative, totals
    )
    _try_side(best, feature, cut, -1, totals.positive - positive, labelled, negative, totals)


def best_stump(const double[:, ::1] positive, const double[:, ::1] labelled, const double[:, ::1] negative,
               const int[::1] bins, const int[:, ::1] chosen, masses, growths, double tolerance):
    """Return the stump of least risk among those with an error below one half that do not look better than perfect.

    The error of a stump is the sum of the weights of rows that it gets wrong. The risk is the same sum, with the
    weights of each set multiplied by its growth.

    Parameters
    ----------
    positive, labelled, negative : arrays of shape (d, 256)
        Running sums of the weights of P as positives, of P as negatives, and of P and U as negatives. If
        ``labelled`` has shape (d, 0), the risk is the error.
    bins : int32 array of shape (d,)
    chosen : int32 array of shape (d, S) or (d, 0)
        The cuts to try, -1 for none; all cuts if S is 0.
    masses : tuple of three floats
        The total weights of P as positives, of P as negatives, and of U.
    growths : tuple of three floats
        Factors of the weights of the same three sets in the risk.
    tolerance : float
        How far below 0 rounding may take the estimated share of false positives.

    Returns
    -------
    feature, cut, polarity : int
        Rows in bins up to ``cut`` are negative if the polarity is 1, positive if it is -1; the feature is -1 if no
        stump qualifies.
    error : float
    """
    cdef Py_ssize_t j, k, cut
    cdef Best best
    cdef Totals totals
    best.risk, best.error, best.feature, best.cut, best.polarity = INFINITY, 0.5, -1, -1, 1
    totals.positive, totals.labelled = masses[0], masses[1]
    totals.negative, totals.tolerance = masses[1] + masses[2], tolerance
    totals.growth_positive, totals.growth_labelled, totals.growth_unlabelled = growths
    totals.by_sets = labelled.shape[1] > 0
    with nogil:
        for j in range(bins.shape[0]):
            if bins[j] < 2:
                continue
            for k in range(chosen.shape[1] if chosen.shape[1] > 0 else bins[j] - 1):
                cut = chosen[j, k] if chosen.shape[1] > 0 else k
                _try(&best, j, cut, positive[j, cut], labelled[j, cut] if totals.by_sets else 0.0,
                     negative[j, cut], &totals)
    return best.feature, best.cut, best.polarity, best.error


def reweight(const unsigned char[::1] codes, Py_ssize_t cut, double up, double down,
             double[::1] positive, double[::1] negative):
    """Multiply weights by where their rows lie, and return the new total weights.

    A row in a bin up to ``cut`` has its weight as a positive multiplied by ``up`` and as a negative by ``down``;
    the others the other way round.

    Parameters
    ----------
    codes : uint8 array of shape (n,)
        Of the stump's feature.
    cut : int
    up, down : float
    positive : array of shape (n_p,)
        Of the labelled rows, which come first.
    negative : array of shape (n,)

    Returns
    -------
    positive_mass, labelled_mass, unlabelled_mass : float
        The last two are those of P and U as negatives.
    """
    cdef Py_ssize_t i, n_p = positive.shape[0]
    cdef double positive_mass = 0.0, labelled_mass = 0.0, unlabelled_mass = 0.0
    with nogil:
        for i in range(n_p):
            positive[i] *= up if codes[i] <= cut else down
            negative[i] *= down if codes[i] <= cut else up
            positive_mass += positive[i]
            labelled_mass += negative[i]
        for i in range(n_p, negative.shape[0]):
            negative[i] *= down if codes[i] <= cut else up
            unlabelled_mass += negative[i]
    return positive_mass, labelled_mass, unlabelled_mass


def add_votes(const real[:, :] X, const Py_ssize_t[::1] features, const double[::1] thresholds,
              const double[::1] votes, double[::1] scores):
    """Add to each row's score the votes of the stumps, in their order.

    Parameters
    ----------
    X : float or double array of shape (n, d)
    features, thresholds, votes : arrays of shape (T,)
        A stump adds its vote to a row above the threshold, and subtracts it from the others.
    scores : array of shape (n,)
    """
    cdef Py_ssize_t i, t, rounds = features.shape[0]
    cdef double score
    with nogil:
        for i in range(X.shape[0]):
            score = scores[i]
            for t in range(rounds):
                score += votes[t] if X[i, features[t]] > thresholds[t] else -votes[t]
            scores[i] = score
