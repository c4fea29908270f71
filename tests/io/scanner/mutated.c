/* Judgements and a run, changed at random again and again, through the scanner: for ASan and UBSan to watch. */
#include "../../../irassay/io/scan/scan.c"
#include <stdio.h>

static u64 state;
static u64 next(u64 n) { state ^= state << 13, state ^= state >> 7, state ^= state << 17; return state % n; }

static u8 *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(3);
    u8 *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static u8 *changed(const u8 *text, size_t size, int times, size_t *after) { /* ends in a newline, PAD bytes follow */
    static const char odd[] = " \t\n\r\v\f#\0\x01.-+eE0123456789\xff\xc3\xa9xQ";
    u8 *copy = malloc(size + 1 + 64);
    memcpy(copy, text, size);
    for (int i = 0; i < times; i++) {
        size_t at = next(size), n = next(40);
        switch (next(7)) {
        case 0: copy[at] = (u8)odd[next(sizeof odd)]; break;
        case 1: if (at + n < size) memmove(copy + at, copy + at + n, size - at - n), size -= n; break;
        case 2: for (size_t j = at; j < size && j < at + n; j++) copy[j] = copy[next(size)]; break;
        case 4: copy[at] = '\r'; break; /* a line end that is none */
        case 5: /* a line widened, by blanks or by a line end taken away */
            for (size_t j = at; j < size && j < at + 200; j++)
                if (copy[j] == (n % 2 ? '\n' : ' ')) { copy[j] = n % 3 ? '\t' : ' '; break; }
            if (n % 5 == 0) memset(copy + at, ' ', at + n < size ? n : size - at);
            break;
        default: if (size > 1) size -= next(size < 20 ? size : 20);
        }
    }
    copy[size] = '\n';
    *after = size + 1;
    u8 *exact = malloc(*after + 64);
    memcpy(exact, copy, *after);
    memset(exact + *after, (int)next(256), 64);
    free(copy);
    return exact;
}

int main(int argc, char **argv) {
    size_t nq, nr, counts[2] = {0};
    if (argc < 5) return 3;
    u8 *qrels = read_all(argv[1], &nq), *run = read_all(argv[2], &nr);
    state = strtoull(argv[3], NULL, 10) * 2 + 1;
    Worker *w = worker_new();
    for (long turn = atol(argv[4]); turn > 0; turn--) {
        size_t q, r;
        int code;
        u8 *a = changed(qrels, nq, (int)next(3), &q), *b = changed(run, nr, (int)next(4), &r);
        Pool *o = pool_read(a, q, (int)next(2), &code);
        int64_t end = last_list(b, r);
        if (end < 0 || (size_t)end > r) abort();
        if (o) {
            int64_t room = (int64_t)r / 12 + 1, n[6], more[3];
            int32_t *entry = malloc(room * 4), *topic = malloc(room * 4), *size = malloc(room * 4);
            int64_t *where = malloc(room * 8);
            u8 *flags = malloc(room);
            pool_counts(o, n);
            if (n[5]) { /* by subtopic */
                int64_t *many = malloc(n[0] * 8);
                int32_t *at = malloc(n[5] * 4);
                u32 *subtopic = malloc(n[5] * 4);
                double *each = malloc(n[5] * 8);
                pool_rows(o, many, at, subtopic, each);
                for (int64_t i = 0; i < n[5]; i++) if (at[i] < 0 || at[i] >= n[1]) abort();
                free(many), free(at), free(subtopic), free(each);
            }
            int64_t k = run_read(w, o, b, r, (int)next(2), room, entry, NULL, room, topic, size, flags, where, more);
            counts[k >= 0]++;
            if (k >= 0) {
                int64_t depth = 1 + (int64_t)next(30), *rows = malloc((k + 1) * 8), used = 0;
                for (int64_t i = 0; i < k; i++) rows[i] = topic[i] < 0 || !next(5) ? -1 : used++;
                double *grade = malloc((used * depth + 1) * 8);
                u8 *judged = malloc(used * depth + 1);
                int32_t *place = malloc((used * depth + 1) * 4);
                layout(o, k, topic, size, entry, NULL, rows, depth, grade, judged, next(2) ? place : NULL, NULL);
                free(rows), free(grade), free(judged), free(place);
            }
            free(entry), free(topic), free(size), free(where), free(flags);
        }
        pool_free(o);
        free(a), free(b);
    }
    worker_free(w);
    free(qrels), free(run);
    printf("%zu read, %zu left to the general reader\n", counts[1], counts[0]);
    return 0;
}
