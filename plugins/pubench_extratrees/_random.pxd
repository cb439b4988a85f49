"""A small generator of random numbers (SplitMix64), so that trees grow without the interpreter."""

from libc.stdint cimport uint64_t


cdef inline uint64_t next_bits(uint64_t* state) noexcept nogil:
    cdef uint64_t z
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline double next_share(uint64_t* state) noexcept nogil:
    """Return a number in [0, 1)."""
    return <double> (next_bits(state) >> 11) * (1.0 / 9007199254740992.0)


cdef inline long long next_below(uint64_t* state, long long n) noexcept nogil:
    """Return a whole number in 0..n-1, n < 2^32."""
    return <long long> (((next_bits(state) >> 32) * <uint64_t> n) >> 32)


cdef inline void skip(uint64_t* state, long long n) noexcept nogil:
    """Leave out n numbers."""
    state[0] += <uint64_t> n * <uint64_t> 0x9E3779B97F4A7C15
