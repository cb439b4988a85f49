"""The best split of a node (Wilton et al., 2022, Algorithms 2 and 5)."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t

from pubench_extratrees._columns cimport Columns, take
from pubench_extratrees._random cimport next_below, next_share
from pubench_extratrees._risk cimport Measure, least_risk
from pubench_extratrees._scan cimport Range, count_up_to, halfway

cdef extern from "_sort.h" namespace "pubench":
    void sorted_keys(const float* values, long long n, uint32_t* keys, uint32_t* spare) noexcept nogil
    float as_value(uint32_t key) noexcept nogil


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
    uint32_t* keys  # room to sort them: two for each, and two more; unused if thresholds are drawn


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
    cdef long long t, p_left, u_left
    cdef float threshold
    for t in range(search.rules.thresholds):
        # In double, so that the difference cannot overflow.
        threshold = <float> (both.low + next_share(&search.random) * (<double> both.high - both.low))
        if threshold >= both.high:
            threshold = both.low
        p_left, u_left = count_up_to(p_values, n_p, threshold), count_up_to(u_values, n_u, threshold)
        if is_better(search, node, f, p_left, u_left, best):
            best.threshold = threshold


cdef inline void try_all(Search* search, const Node* node, int f, Split* best) noexcept nogil:
    """Search every threshold between two values that differ: a merge of two sorted lists."""
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start, i = 0, j = 0
    cdef uint32_t* p_keys = search.keys
    cdef uint32_t* u_keys = p_keys + n_p + 1
    cdef uint32_t here, following
    sorted_keys(search.values, n_p, p_keys, u_keys)
    sorted_keys(search.values + n_p, n_u, u_keys, u_keys + n_u + 1)
    following = min(p_keys[0], u_keys[0])
    while True:
        here = following
        while p_keys[i] == here:
            i += 1
        while u_keys[j] == here:
            j += 1
        if i == n_p and j == n_u:
            return
        following = min(p_keys[i], u_keys[j])
        if is_better(search, node, f, i, j, best):
            best.threshold = halfway(as_value(here), as_value(following))


cdef inline bint is_better(
    const Search* search, const Node* node, int f, long long n_p, long long n_u, Split* best
) noexcept nogil:
    """Keep a split that lowers the risk more than the best so far (Equations 7 and 8); its threshold is the caller's."""
    cdef long long p_right = node.p_end - node.p_start - n_p, u_right = node.u_end - node.u_start - n_u
    cdef double decrease
    if n_p + n_u < search.rules.min_leaf or p_right + u_right < search.rules.min_leaf:
        return False
    decrease = (
        node.risk - least_risk(&search.measure, n_p, n_u) - least_risk(&search.measure, p_right, u_right)
    )
    if best.feature >= 0 and not decrease > best.decrease:
        return False
    best.feature, best.decrease, best.n_p, best.n_u = f, decrease, n_p, n_u
    return True
