/* Sort the values of a feature as whole numbers: by digits where there are many, which takes no comparison. */
#ifndef PUBENCH_SORT_H
#define PUBENCH_SORT_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pubench {

const int DIGITS = 4, BITS = 8, BUCKETS = 1 << BITS;
/* Fewer values are sorted faster by comparisons: four tables of counts have to be summed. */
const long long FEWEST = 64;

/* Unsigned numbers in the order of the floats: negative ones are reversed and come first. */
inline uint32_t as_key(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits ^ ((bits >> 31) ? 0xFFFFFFFFu : 0x80000000u);
}

inline float as_value(uint32_t key) {
    const uint32_t bits = key ^ ((key >> 31) ? 0x80000000u : 0xFFFFFFFFu);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline uint32_t digit(uint32_t key, int place) { return (key >> (place * BITS)) & (BUCKETS - 1); }

/* From the last digit to the first; a digit that all keys share is left out. */
inline void sort_by_digits(uint32_t *keys, long long n, uint32_t *spare) {
    static thread_local uint32_t counts[DIGITS][BUCKETS];
    std::memset(counts, 0, sizeof counts);
    for (long long i = 0; i < n; i++)
        for (int place = 0; place < DIGITS; place++) counts[place][digit(keys[i], place)]++;
    uint32_t *from = keys, *to = spare;
    for (int place = 0; place < DIGITS; place++) {
        uint32_t *ends = counts[place], sum = 0;
        if (ends[digit(keys[0], place)] == n) continue;
        for (int k = 0; k < BUCKETS; k++) {
            const uint32_t count = ends[k];
            ends[k] = sum;
            sum += count;
        }
        for (long long i = 0; i < n; i++) to[ends[digit(from[i], place)]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::memcpy(keys, from, n * sizeof *keys);
}

/* Write the keys of n values, ``step`` apart, sorted, and behind them one that is above all; ``spare`` has room for n. */
inline void sorted_keys(const float *values, long long step, long long n, uint32_t *keys, uint32_t *spare) {
    /* Adding zero makes one of the two zeros. */
    for (long long i = 0; i < n; i++) keys[i] = as_key(values[i * step] + 0.0f);
    if (n < FEWEST)
        std::sort(keys, keys + n);
    else
        sort_by_digits(keys, n, spare);
    keys[n] = 0xFFFFFFFFu;
}

}  // namespace pubench

#endif
