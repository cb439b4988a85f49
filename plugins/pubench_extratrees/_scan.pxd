"""Passes over the values of one feature: their range, and how many lie at or below a threshold."""

cdef extern from "_scan.h":
    ctypedef struct Range "PubenchRange":
        float low
        float high

    Range take_dense "pubench_take"(
        const float* column, long long step, const int* rows, long long n, float* out, Range known
    ) noexcept nogil


cdef inline Range widened(Range known, const float* values, long long n) noexcept nogil:
    """Return the range with n more values."""
    cdef long long i
    for i in range(n):
        known.low = values[i] if values[i] < known.low else known.low
        known.high = values[i] if values[i] > known.high else known.high
    return known


cdef inline long long count_up_to(const float* values, long long n, float threshold) noexcept nogil:
    cdef long long i
    cdef int count = 0
    for i in range(n):
        count += values[i] <= threshold
    return count


cdef inline float halfway(float low, float high) noexcept nogil:
    # Between neighbouring floats there is no number: low itself parts them.
    cdef float middle = <float> (0.5 * (<double> low + <double> high))
    return middle if middle < high else low
