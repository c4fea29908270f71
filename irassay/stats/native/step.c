/* The inner loop of the step-down max-T test, for which numpy needs a pass over memory at each operation.
 *
 * Operations and their order are those of the numpy code in stats/tests/max_t.py, so that the results are the same to
 * the last bit; a test checks that.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 32 /* resamples at a time; the loops over them become a few vector instructions */

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define EVERY_MACHINE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define EVERY_MACHINE
#endif

int made_for(void) { return 2; }

/* Of sums [system, trial] and pairs (i, j) in the order of their bars [pair], the smallest first: adds to count [pair]
 * in how many trials the largest |sums_i - sums_j| * scale so far is at least the bar, and sets largest [trial] to the
 * largest of all. `strip` has room for LANES * systems numbers. */
EVERY_MACHINE
void step_down(const double *sums, int64_t systems, int64_t trials, const int32_t *i, const int32_t *j,
               const double *scale, const double *bar, int64_t pairs, double *strip, int64_t *count,
               double *largest) {
    for (int64_t start = 0; start < trials; start += LANES) {
        int64_t width = trials - start < LANES ? trials - start : LANES;
        double low = -1, top[LANES] = {0};
        if (width < LANES) memset(strip, 0, sizeof(double) * LANES * (size_t)systems);
        for (int64_t s = 0; s < systems; s++)
            memcpy(strip + s * LANES, sums + s * trials + start, sizeof(double) * (size_t)width);
        for (int64_t p = 0; p < pairs; p++) {
            const double *a = strip + LANES * (int64_t)i[p], *b = strip + LANES * (int64_t)j[p];
            double unit = scale[p], at = bar[p];
            for (int lane = 0; lane < LANES; lane++) {
                double gap = fabs((a[lane] - b[lane]) * unit);
                top[lane] = gap > top[lane] ? gap : top[lane];
            }
            if (at <= low) { /* no trial is below any more */
                count[p] += width;
                continue;
            }
            int64_t above = 0;
            for (int lane = 0; lane < LANES; lane++) above += top[lane] >= at;
            count[p] += above;
            if (at <= 0) count[p] -= LANES - width; /* lanes without a trial stay at 0 */
            if (p % 64 == 0) {
                low = top[0];
                for (int64_t lane = 1; lane < width; lane++) low = top[lane] < low ? top[lane] : low;
            }
        }
        memcpy(largest + start, top, sizeof(double) * (size_t)width);
    }
}
