/* The inner loop of the step-down max-T test, for which numpy needs a pass over memory at each operation.
 *
 * Operations and their order are those of the numpy code in stats/tests/max_t.py, so that the numbers are the same to
 * the last bit; a test holds that.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 16 /* resamples at a time, in two vectors */
typedef double Half __attribute__((vector_size(64), aligned(8)));
typedef int64_t Mask __attribute__((vector_size(64), aligned(8)));

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define EVERY_MACHINE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define EVERY_MACHINE
#endif

#define ABSOLUTE(x) ((Half)((Mask)(x) & INT64_MAX))
#define LARGER(x, y) ((Half)(((Mask)(x) & ((x) > (y))) | ((Mask)(y) & ~((x) > (y)))))

int made_for(void) { return 1; }

/* Of sums [system, trial] and pairs (i, j) in the order of their bars [pair], the smallest first: adds to count [pair]
 * in how many trials the largest |sums_i - sums_j| * scale so far is at least the bar, and sets largest [trial] to the
 * largest of all. `strip` has room for LANES * systems numbers. */
EVERY_MACHINE
void step_down(const double *sums, int64_t systems, int64_t trials, const int32_t *i, const int32_t *j,
               const double *scale, const double *bar, int64_t pairs, double *strip, int64_t *count,
               double *largest) {
    const Half *row = (const Half *)strip;
    for (int64_t start = 0; start < trials; start += LANES) {
        int64_t width = trials - start < LANES ? trials - start : LANES;
        Half top0 = {0}, top1 = {0};
        double low = -1, tops[LANES];
        if (width < LANES) memset(strip, 0, sizeof(double) * LANES * (size_t)systems);
        for (int64_t s = 0; s < systems; s++)
            memcpy(strip + s * LANES, sums + s * trials + start, sizeof(double) * (size_t)width);
        for (int64_t p = 0; p < pairs; p++) {
            const Half *a = row + 2 * (int64_t)i[p], *b = row + 2 * (int64_t)j[p];
            double unit = scale[p], at = bar[p];
            Half gap0 = (a[0] - b[0]) * unit, gap1 = (a[1] - b[1]) * unit;
            gap0 = ABSOLUTE(gap0), gap1 = ABSOLUTE(gap1);
            top0 = LARGER(gap0, top0), top1 = LARGER(gap1, top1);
            if (at <= low) { /* no trial is below any more */
                count[p] += width;
                continue;
            }
            Mask above = (top0 >= at) + (top1 >= at);
            for (int lane = 0; lane < 8; lane++) count[p] -= above[lane];
            if (at <= 0) count[p] -= LANES - width; /* lanes without a trial stay at 0 */
            if (p % 64 == 0) {
                memcpy(tops, &top0, sizeof top0), memcpy(tops + 8, &top1, sizeof top1);
                low = tops[0];
                for (int64_t lane = 1; lane < width; lane++) low = tops[lane] < low ? tops[lane] : low;
            }
        }
        memcpy(tops, &top0, sizeof top0), memcpy(tops + 8, &top1, sizeof top1);
        memcpy(largest + start, tops, sizeof(double) * (size_t)width);
    }
}
