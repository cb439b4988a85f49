/* Passes over one dense feature. SSE2 belongs to every x86-64; elsewhere plain C does the same. */
#ifndef PUBENCH_SCAN_H
#define PUBENCH_SCAN_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__GNUC__)
#define PUBENCH_INLINE static inline __attribute__((always_inline))
#else
#define PUBENCH_INLINE static inline
#endif

typedef struct {
    float low;
    float high;
} PubenchRange;

/* Copy column[rows[i] * step] for i in 0..n-1 and widen the range by what is read. */
PUBENCH_INLINE PubenchRange pubench_take_by(
    const float *column, long long step, const int *rows, long long n, float *out, PubenchRange range
) {
    long long i = 0;
#if defined(__SSE2__)
    if (n >= 4) {
        __m128 low = _mm_set1_ps(range.low), high = _mm_set1_ps(range.high);
        float lows[4], highs[4];
        for (; i + 4 <= n; i += 4) {
            const __m128 four = _mm_setr_ps(
                column[rows[i] * step], column[rows[i + 1] * step], column[rows[i + 2] * step],
                column[rows[i + 3] * step]
            );
            _mm_storeu_ps(out + i, four);
            low = _mm_min_ps(four, low);
            high = _mm_max_ps(four, high);
        }
        _mm_storeu_ps(lows, low);
        _mm_storeu_ps(highs, high);
        for (int k = 0; k < 4; k++) {
            range.low = lows[k] < range.low ? lows[k] : range.low;
            range.high = highs[k] > range.high ? highs[k] : range.high;
        }
    }
#endif
    for (; i < n; i++) {
        const float value = column[rows[i] * step];
        out[i] = value;
        range.low = value < range.low ? value : range.low;
        range.high = value > range.high ? value : range.high;
    }
    return range;
}

/* Neighbours in a column are the usual case: spare it the products. */
static inline PubenchRange pubench_take(
    const float *column, long long step, const int *rows, long long n, float *out, PubenchRange range
) {
    return step == 1 ? pubench_take_by(column, 1, rows, n, out, range)
                     : pubench_take_by(column, step, rows, n, out, range);
}

#endif
