"""The best split of a node (Wilton et al., 2022, Algorithms 2 and 5)."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t

from pubench_extratrees._columns cimport Columns
from pubench_extratrees._group cimport LANES, Group, count, draw, gather, take_back
from pubench_extratrees._random cimport next_share
from pubench_extratrees._risk cimport Measure, least_risk
from pubench_extratrees._scan cimport halfway

cdef extern from "_sort.h" namespace "pubench":
    void sorted_keys(
        const float* values, long long step, long long n, uint32_t* keys, uint32_t* spare
    ) noexcept nogil
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
    int lane  # where the values of the feature still are, or -1


cdef struct Search:
    Columns columns
    Measure measure
    Rules rules
    uint64_t random
    int* p_rows
    int* u_rows
    int* features  # in the order of the draws, those that are constant in front
    long long n_features
    float* values  # room for a group of features of all rows, P before U
    int together  # features to draw at once: fewer where some were constant
    int most_together
    Group group
    uint32_t* keys  # room to sort them: two for each, and two more; unused if thresholds are drawn


cdef inline Split find(Search* search, Node* node) noexcept nogil:
    """Search the best split over features drawn at random, constant ones not counted.

    Features are drawn and read in groups, as if none of them were constant; where one is, the draws after it are taken
    back, so that the outcome does not depend on groups.
    """
    cdef Split best
    cdef Group* group = &search.group
    cdef long long d = search.n_features, drawn = node.constant, tried = 0
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start
    cdef int f, varied
    best.feature, best.threshold, best.decrease, best.n_p, best.n_u, best.lane = -1, 0.0, -INFINITY, 0, 0, -1
    while drawn < d and tried < search.rules.features:
        group.size = <int> min(search.together, search.rules.features - tried, d - drawn)
        draw(group, search.features, drawn, d, search.rules.thresholds, search.random)
        varied = gather(
            group, &search.columns, search.features + drawn, search.p_rows + node.p_start, n_p,
            search.u_rows + node.u_start, n_u, search.values,
        )
        best.lane = -1
        if search.rules.thresholds == 0:
            for f in range(varied):
                try_all(search, node, search.features[drawn + f], f, &best)
        elif varied:
            try_random(search, node, search.features + drawn, varied, &best)
        drawn += varied
        tried += varied
        if varied == group.size:
            search.random = group.after
            search.together = min(2 * search.together, search.most_together)
            continue
        take_back(group, search.features, drawn - varied, varied)
        search.random = group.drawn[varied]
        search.together = max(1, varied)
        # Keep it in front: children need not look at it again.
        f = search.features[drawn]
        search.features[drawn] = search.features[node.constant]
        search.features[node.constant] = f
        node.constant += 1
        drawn += 1
    return best


cdef inline void try_random(
    Search* search, const Node* node, const int* features, int varied, Split* best
) noexcept nogil:
    """Try random thresholds of the first features of a group; of equal splits the first is kept."""
    cdef Group* group = &search.group
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start, t
    cdef const float* u_values = search.values + n_p * group.width
    cdef float thresholds[LANES]
    cdef int p_left[LANES]
    cdef int u_left[LANES]
    cdef Split found[LANES]
    cdef float low, high
    cdef int k
    for k in range(LANES):
        thresholds[k] = 0.0
        found[k].feature = -1
    for t in range(search.rules.thresholds):
        for k in range(varied):
            low, high = group.ranges.low[k], group.ranges.high[k]
            # In double, so that the difference cannot overflow.
            thresholds[k] = <float> (low + next_share(&group.drawn[k]) * (<double> high - low))
            if thresholds[k] >= high:
                thresholds[k] = low
        count(group, search.values, n_p, thresholds, p_left)
        count(group, u_values, n_u, thresholds, u_left)
        for k in range(varied):
            if is_better(search, node, features[k], p_left[k], u_left[k], &found[k]):
                found[k].threshold, found[k].lane = thresholds[k], k
    for k in range(varied):
        if found[k].feature >= 0 and (best.feature < 0 or found[k].decrease > best.decrease):
            best[0] = found[k]


cdef inline void try_all(Search* search, const Node* node, int f, int lane, Split* best) noexcept nogil:
    """Search every threshold between two values that differ: a merge of two sorted lists."""
    cdef long long n_p = node.p_end - node.p_start, n_u = node.u_end - node.u_start, i = 0, j = 0
    cdef int width = search.group.width
    cdef uint32_t* p_keys = search.keys
    cdef uint32_t* u_keys = p_keys + n_p + 1
    cdef uint32_t here, following
    sorted_keys(search.values + lane, width, n_p, p_keys, u_keys)
    sorted_keys(search.values + n_p * width + lane, width, n_u, u_keys, u_keys + n_u + 1)
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
            best.threshold, best.lane = halfway(as_value(here), as_value(following)), lane


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
