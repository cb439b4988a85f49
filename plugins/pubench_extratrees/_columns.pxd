"""The training rows, column by column: dense or sparse, read by the same function."""

from libc.string cimport memset

from pubench_extratrees._scan cimport Range, take_dense, widened


cdef struct Columns:
    # Dense: values[row * row_step + f * column_step], and ``starts`` is NULL.
    # Sparse: column f holds values[starts[f]:starts[f + 1]] at the ascending ``rows`` of the same range.
    const float* values
    const int* rows
    const long long* starts
    long long row_step
    long long column_step


cdef inline Range take(
    const Columns* columns, long long f, const int* rows, long long n, float* out, Range known
) noexcept nogil:
    """Copy column f at some rows, which must ascend (equal ones may follow each other); widen a range by them."""
    if columns.starts != NULL:
        take_sparse(columns, f, rows, n, out)
        return widened(known, out, n)
    return take_dense(columns.values + f * columns.column_step, columns.row_step, rows, n, out, known)


cdef inline void take_sparse(
    const Columns* columns, long long f, const int* rows, long long n, float* out
) noexcept nogil:
    # Both lists ascend: walk the shorter one, and gallop through the longer.
    cdef long long i = 0
    cdef long long at = columns.starts[f], end = columns.starts[f + 1]
    memset(out, 0, n * sizeof(float))
    if end - at > n:
        while i < n:
            at = first_not_below(columns.rows, at, end, rows[i])
            if at == end:
                return
            if columns.rows[at] == rows[i]:
                out[i] = columns.values[at]
            i += 1
        return
    while at < end:
        i = first_not_below(rows, i, n, columns.rows[at])
        if i == n:
            return
        while i < n and rows[i] == columns.rows[at]:
            out[i] = columns.values[at]
            i += 1
        at += 1


cdef inline long long first_not_below(
    const int* sorted_rows, long long low, long long end, int wanted
) noexcept nogil:
    """Return the first place in low..end whose row is at least ``wanted``, doubling steps and then halving."""
    cdef long long step = 1, high = low, middle
    while high < end and sorted_rows[high] < wanted:
        low = high + 1
        high += step
        step *= 2
    if high > end:
        high = end
    while low < high:
        middle = (low + high) // 2
        if sorted_rows[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
