/* Rank codes, and counts of pairs for Kendall's tau, for which numpy needs a pass over memory at each operation.
 *
 * The results equal those of the numpy code in stats/rank_codes.py; a test checks that.
 */
#include <stdint.h>
#include <string.h>

#define BUCKETS 256
#define LANES 32 /* items at a time; the loops over them become a few vector instructions */

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define EVERY_MACHINE(...) __attribute__((target_clones("default", __VA_ARGS__)))
#else
#define EVERY_MACHINE(...)
#endif

int made_for(void) { return 1; }

/* The rank codes [row, item] of finite scores [row, item]: neighbours in order that differ by no more than tied [row]
 * share one. Scores are put into buckets of equal width, which hold about one each, and sorted from there.
 * `order` has room for `items` numbers, `place` for twice as many. */
EVERY_MACHINE("avx2")
void rank_codes(const double *scores, const double *tied, int64_t rows, int64_t items, double *order, int32_t *place,
                int16_t *codes) {
    int32_t *bucket = place + items, begin[BUCKETS + 1];
    for (int64_t row = 0; row < rows; row++, scores += items, codes += items) {
        double low = scores[0], high = scores[0];
        for (int64_t i = 1; i < items; i++) {
            low = scores[i] < low ? scores[i] : low;
            high = scores[i] > high ? scores[i] : high;
        }
        double wide = high - low, scale = wide > 1e-300 && wide < 1e300 ? (BUCKETS - 1) / wide : 0;
        memset(begin, 0, sizeof begin);
        for (int64_t i = 0; i < items; i++) bucket[i] = scale > 0 ? (int32_t)((scores[i] - low) * scale) : 0;
        for (int64_t i = 0; i < items; i++) begin[bucket[i] + 1]++;
        for (int b = 1; b < BUCKETS; b++) begin[b] += begin[b - 1];
        for (int64_t i = 0; i < items; i++) {
            int32_t at = begin[bucket[i]]++;
            order[at] = scores[i];
            place[at] = (int32_t)i;
        }
        for (int64_t i = 1; i < items; i++) {
            double score = order[i];
            int32_t item = place[i];
            int64_t at = i;
            for (; at > 0 && order[at - 1] > score; at--) {
                order[at] = order[at - 1];
                place[at] = place[at - 1];
            }
            order[at] = score;
            place[at] = item;
        }
        int16_t code = codes[place[0]] = 0;
        for (int64_t i = 1; i < items; i++) {
            code = (int16_t)(code + (order[i] - order[i - 1] > tied[row]));
            codes[place[i]] = code;
        }
    }
}

/* Of codes x and y [row, item], [row, 4]: how many pairs of items are tied by x, tied by y, tied by both, and in
 * opposite order by both. `room` has room for twice as many numbers as items. */
EVERY_MACHINE("avx2", "avx512f")
void pairs_of_rows(const int16_t *x, const int16_t *y, int64_t rows, int64_t items, int16_t *room, int64_t *pairs) {
    int16_t *sorted = room, *first = room + items; /* y by x; [code] where the items of a code begin, then end */
    for (int64_t row = 0; row < rows; row++, x += items, y += items, pairs += 4) {
        int64_t tied_x = 0, tied_y = 0, tied_both = 0, opposite = 0;
        memset(first, 0, sizeof(int16_t) * (size_t)items);
        for (int64_t i = 0; i < items; i++) tied_y += first[y[i]]++;
        memset(first, 0, sizeof(int16_t) * (size_t)items);
        for (int64_t i = 0; i < items; i++) tied_x += first[x[i]]++;
        for (int64_t code = 0, begin = 0; code < items; code++) {
            int16_t size = first[code];
            first[code] = (int16_t)begin;
            begin += size;
        }
        for (int64_t i = 0; i < items; i++) sorted[first[x[i]]++] = y[i];
        for (int64_t start = 0; start < items; start += LANES) {
            int64_t width = items - start < LANES ? items - start : LANES;
            int16_t lanes[LANES], at[LANES], above[LANES] = {0}; /* of at most 32,767 items */
            for (int lane = 0; lane < LANES; lane++) at[lane] = INT16_MAX, lanes[lane] = (int16_t)lane;
            memcpy(at, sorted + start, sizeof(int16_t) * (size_t)width);
            for (int64_t j = 0; j < start; j++)
                for (int lane = 0; lane < LANES; lane++) above[lane] += sorted[j] > at[lane];
            for (int j = 0; j < width; j++)
                for (int lane = 0; lane < LANES; lane++) above[lane] += (int16_t)((at[j] > at[lane]) & (lanes[lane] > (int16_t)j));
            for (int lane = 0; lane < LANES; lane++) opposite += above[lane];
        }
        for (int64_t begin = 0, code = 0; tied_x && code < items; begin = first[code++])
            for (int64_t i = begin; i < first[code]; i++) /* pairs that x ties are in no order */
                for (int64_t j = begin; j < i; j++) {
                    opposite -= sorted[j] > sorted[i];
                    tied_both += sorted[j] == sorted[i];
                }
        memcpy(pairs, (int64_t[]){tied_x, tied_y, tied_both, opposite}, 4 * sizeof(int64_t));
    }
}

/* Of bits [set, ranking, word] that say which pairs of items a ranking puts in one order, and which in the other:
 * [set, ranking, ranking] how many more pairs are in the same than in opposite order. */
EVERY_MACHINE("popcnt")
void pairs_of_bits(const uint64_t *above, const uint64_t *below, int64_t sets, int64_t rankings, int64_t words,
                   double *balance) {
    for (int64_t set = 0; set < sets; set++) {
        for (int64_t one = 0; one < rankings; one++) {
            const uint64_t *up = above + one * words;
            for (int64_t other = one; other < rankings; other++) {
                const uint64_t *same = above + other * words, *opposite = below + other * words;
                int64_t more = 0;
                for (int64_t w = 0; w < words; w++)
                    more += __builtin_popcountll(up[w] & same[w]) - __builtin_popcountll(up[w] & opposite[w]);
                balance[one * rankings + other] = balance[other * rankings + one] = (double)more;
            }
        }
        above += rankings * words;
        below += rankings * words;
        balance += rankings * rankings;
    }
}
