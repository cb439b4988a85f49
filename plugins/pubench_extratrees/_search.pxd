"""The best split of a node (Wilton et al., 2022, Algorithms 2 and 5)."""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libcpp.algorithm cimport sort

from pubench_extratrees._columns cimport Columns, take
from pubench_extratrees._random cimport next_below, next_share
from pubench_extratrees._risk cimport Measure, least_risk
from pubench_extratrees._scan cimport Range, count_up_to, halfway, smaller


cdef struct Rules:
    long long features
    long long thresholds  # 0: all
    long long max_depth
    long long max_leaves  # 0: no limit
    long long min_split
    long long min_leaf
    double min_decrease


cdef struct Node:
    # A range of P rows and a range of U rows.
    long long p_start
    long long p_end
    long long u_start
    long long u_end
    long long depth
    long long constant  # how many features are known to be constant here
    double risk
    int id


cdef struct Split:
    int feature
    float threshold
    double decrease
    long long n_p
    long long n_u


cdef struct Search:
    Columns columns
    Measure measure
    Rules rules
    uint64_t random
    int* p_rows
    int* u_rows
    int* features  # in the order of the draws, those that are constant in front
    long long n_features
    float* values  # room for one feature of all rows, P before U


cdef inline Split find(Search* search, Node* node) noexcept nogil:
    """Search the best split over features drawn at random, constant ones not counted."""
    cdef Split best
    cdef long long d = search.n_features, drawn = node.constant, tried = 0, at
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start
    cdef Range both
    cdef int f
    best.feature, best.threshold, best.decrease, best.n_p, best.n_u = -1, 0.0, -INFINITY, 0, 0
    while drawn < d and tried < search.rules.features:
        at = drawn + next_below(&search.random, d - drawn)
        f = search.features[at]
        search.features[at] = search.features[drawn]
        search.features[drawn] = f
        both.low, both.high = INFINITY, -INFINITY
        both = take(&search.columns, f, search.p_rows + node.p_start, n_p, search.values, both)
        both = take(&search.columns, f, search.u_rows + node.u_start, n_u, search.values + n_p, both)
        if both.low == both.high:
            # Keep it in front: children need not look at it again.
            search.features[drawn] = search.features[node.constant]
            search.features[node.constant] = f
            node.constant += 1
        else:
            if search.rules.thresholds == 0:
                try_all(search, node, f, &best)
            else:
                try_random(search, node, f, both, &best)
            tried += 1
        drawn += 1
    return best


cdef inline void try_random(Search* search, const Node* node, int f, Range both, Split* best) noexcept nogil:
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start
    cdef const float* p_values = search.values
    cdef const float* u_values = p_values + n_p
    cdef long long t
    cdef float threshold
    for t in range(search.rules.thresholds):
        # In double, so that the difference cannot overflow.
        threshold = <float> (both.low + next_share(&search.random) * (<double> both.high - both.low))
        if threshold >= both.high:
            threshold = both.low
        judge(
            search, node, f, threshold,
            count_up_to(p_values, n_p, threshold), count_up_to(u_values, n_u, threshold), best,
        )


cdef inline void try_all(Search* search, const Node* node, int f, Split* best) noexcept nogil:
    """Search every threshold between two values that differ: a merge of two sorted lists."""
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start, i = 0, j = 0
    cdef float* p_values = search.values
    cdef float* u_values = p_values + n_p
    cdef float here, next_value
    sort(p_values, p_values + n_p)
    sort(u_values, u_values + n_u)
    while True:
        here = smaller(p_values, i, n_p, u_values, j, n_u)
        while i < n_p and p_values[i] == here:
            i += 1
        while j < n_u and u_values[j] == here:
            j += 1
        if i == n_p and j == n_u:
            return
        next_value = smaller(p_values, i, n_p, u_values, j, n_u)
        judge(search, node, f, halfway(here, next_value), i, j, best)


cdef inline void judge(
    const Search* search, const Node* node, int f, float threshold, long long n_p, long long n_u, Split* best
) noexcept nogil:
    """Keep a split if it lowers the risk more than the best so far (Equations 7 and 8)."""
    cdef long long p_right = node.p_end - node.p_start - n_p, u_right = node.u_end - node.u_start - n_u
    cdef double decrease
    if n_p + n_u < search.rules.min_leaf or p_right + u_right < search.rules.min_leaf:
        return
    decrease = (
        node.risk - least_risk(&search.measure, n_p, n_u) - least_risk(&search.measure, p_right, u_right)
    )
    if best.feature < 0 or decrease > best.decrease:
        best.feature, best.threshold, best.decrease, best.n_p, best.n_u = f, threshold, decrease, n_p, n_u
