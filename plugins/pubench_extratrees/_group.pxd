"""Groups of features that are drawn, read and counted together."""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

from pubench_extratrees._columns cimport Columns, take
from pubench_extratrees._random cimport next_below, skip
from pubench_extratrees._scan cimport Range, count_up_to

cdef extern from "_together.h" namespace "pubench":
    enum: LANES
    ctypedef struct Ranges:
        float low[8]
        float high[8]

    void take_together(
        const float* const* features, int width, long long step, const int* rows, long long n, float* out,
        Ranges* ranges,
    ) noexcept nogil
    void count_together(
        const float* values, int width, long long n, const float* thresholds, int* counts
    ) noexcept nogil


cdef struct Group:
    int size
    int width  # from a row's values to the next row's: 1, 4 or 8
    long long at[LANES]  # what each feature changed places with
    uint64_t drawn[LANES]  # the state of the generator after each draw
    uint64_t after  # and after all thresholds
    Ranges ranges


cdef inline void draw(
    Group* group, int* features, long long first, long long d, long long thresholds, uint64_t random
) noexcept nogil:
    """Draw features without replacement and put them in front, leaving out the numbers that thresholds take."""
    cdef int k, f
    for k in range(group.size):
        group.at[k] = first + k + next_below(&random, d - first - k)
        f = features[group.at[k]]
        features[group.at[k]] = features[first + k]
        features[first + k] = f
        group.drawn[k] = random
        skip(&random, thresholds)
    group.after = random


cdef inline void take_back(Group* group, int* features, long long first, int kept) noexcept nogil:
    """Undo the draws after the one in place ``kept``."""
    cdef int k = group.size - 1, f
    while k > kept:
        f = features[group.at[k]]
        features[group.at[k]] = features[first + k]
        features[first + k] = f
        k -= 1


cdef inline int gather(
    Group* group, const Columns* columns, const int* features, const int* p_rows, long long n_p, const int* u_rows,
    long long n_u, float* values,
) noexcept nogil:
    """Read the features, row by row, P before U; return how many there are before the first that is constant."""
    cdef const float* of_lane[LANES]
    cdef Range both
    cdef int k
    both.low, both.high = INFINITY, -INFINITY
    if group.size == 1:
        group.width = 1
        both = take(columns, features[0], p_rows, n_p, values, both)
        both = take(columns, features[0], u_rows, n_u, values + n_p, both)
        group.ranges.low[0], group.ranges.high[0] = both.low, both.high
        return both.low != both.high
    group.width = 4 if group.size <= 4 else LANES
    for k in range(group.width):
        of_lane[k] = columns.values + features[min(k, group.size - 1)] * columns.column_step
        group.ranges.low[k], group.ranges.high[k] = both.low, both.high
    take_together(of_lane, group.width, columns.row_step, p_rows, n_p, values, &group.ranges)
    take_together(of_lane, group.width, columns.row_step, u_rows, n_u, values + n_p * group.width, &group.ranges)
    for k in range(group.size):
        if group.ranges.low[k] == group.ranges.high[k]:
            return k
    return group.size


cdef inline void count(
    const Group* group, const float* values, long long n, const float* thresholds, int* counts
) noexcept nogil:
    """Count the values of each feature that lie at or below its threshold."""
    if group.width == 1:
        counts[0] = <int> count_up_to(values, n, thresholds[0])
    else:
        count_together(values, group.width, n, thresholds, counts)
