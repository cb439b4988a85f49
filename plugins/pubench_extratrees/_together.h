/* Passes over several dense features at once, eight or four side by side: one row's values lie close together. SSE2
   belongs to every x86-64; elsewhere plain C++ does the same. */
#ifndef PUBENCH_TOGETHER_H
#define PUBENCH_TOGETHER_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pubench {

const int LANES = 8, AHEAD = 24;

struct Ranges {
    float low[LANES];
    float high[LANES];
};

/* Copy features[k][rows[i] * step] to out[i * 4 * QUADS + k], and widen the ranges by what is read. */
template <int QUADS>
void take_quads(
    const float *const *features, long long step, const int *rows, long long n, float *out, Ranges *ranges
) {
#if defined(__SSE2__)
    __m128 low[QUADS], high[QUADS];
    /* Of its own, so that the compiler sees that nothing is written to it. */
    const float *of_lane[4 * QUADS];
    for (int k = 0; k < 4 * QUADS; k++) of_lane[k] = features[k];
    for (int q = 0; q < QUADS; q++) {
        low[q] = _mm_loadu_ps(ranges->low + 4 * q);
        high[q] = _mm_loadu_ps(ranges->high + 4 * q);
    }
    for (long long i = 0; i < n; i++) {
        const long long at = rows[i] * step;
        /* Rows of a node are far apart, and the processor does not foresee them. */
        const long long soon = rows[i + AHEAD < n ? i + AHEAD : n - 1] * step;
        for (int k = 0; k < 4 * QUADS; k += 2) _mm_prefetch((const char *)(of_lane[k] + soon), _MM_HINT_T0);
        for (int q = 0; q < QUADS; q++) {
            const float *const *four = of_lane + 4 * q;
            const __m128 values = _mm_setr_ps(four[0][at], four[1][at], four[2][at], four[3][at]);
            _mm_storeu_ps(out + (i * QUADS + q) * 4, values);
            low[q] = _mm_min_ps(values, low[q]);
            high[q] = _mm_max_ps(values, high[q]);
        }
    }
    for (int q = 0; q < QUADS; q++) {
        _mm_storeu_ps(ranges->low + 4 * q, low[q]);
        _mm_storeu_ps(ranges->high + 4 * q, high[q]);
    }
#else
    for (long long i = 0; i < n; i++) {
        const long long at = rows[i] * step;
        for (int k = 0; k < 4 * QUADS; k++) {
            const float value = features[k][at];
            out[i * 4 * QUADS + k] = value;
            ranges->low[k] = value < ranges->low[k] ? value : ranges->low[k];
            ranges->high[k] = value > ranges->high[k] ? value : ranges->high[k];
        }
    }
#endif
}

/* Count the values of each feature that lie at or below its threshold. */
template <int QUADS>
void count_quads(const float *values, long long n, const float *thresholds, int *counts) {
#if defined(__SSE2__)
    __m128 most[QUADS];
    __m128i found[QUADS];
    for (int q = 0; q < QUADS; q++) {
        most[q] = _mm_loadu_ps(thresholds + 4 * q);
        found[q] = _mm_setzero_si128();
    }
    for (long long i = 0; i < n; i++)
        for (int q = 0; q < QUADS; q++) {
            const __m128 four = _mm_loadu_ps(values + (i * QUADS + q) * 4);
            /* True is -1. */
            found[q] = _mm_sub_epi32(found[q], _mm_castps_si128(_mm_cmple_ps(four, most[q])));
        }
    for (int q = 0; q < QUADS; q++) _mm_storeu_si128((__m128i *)(counts + 4 * q), found[q]);
#else
    for (int k = 0; k < 4 * QUADS; k++) counts[k] = 0;
    for (long long i = 0; i < n; i++)
        for (int k = 0; k < 4 * QUADS; k++) counts[k] += values[i * 4 * QUADS + k] <= thresholds[k];
#endif
}

inline void take_together(
    const float *const *features, int width, long long step, const int *rows, long long n, float *out, Ranges *ranges
) {
    if (width == 4)
        take_quads<1>(features, step, rows, n, out, ranges);
    else
        take_quads<2>(features, step, rows, n, out, ranges);
}

inline void count_together(const float *values, int width, long long n, const float *thresholds, int *counts) {
    if (width == 4)
        count_quads<1>(values, n, thresholds, counts);
    else
        count_quads<2>(values, n, thresholds, counts);
}

}  // namespace pubench

#endif
