/* Runs and judgements, from bytes to places in the pool: the fast path for clean files.
 *
 * No Python in here: plain C11, loaded with ctypes, which lets go of the GIL. Every function either does the whole
 * job or answers with a negative code; the caller then rewinds the file for the general reader, which has the
 * same answers and the error messages. Nothing here writes outside of the buffers that it allocates or is given.
 * Words are read little-endian and products have 128 bits: elsewhere this does not compile, and is not used.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !defined(__SIZEOF_INT128__)
#error "this machine has the general reader only"
#endif

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum { NO_MEMORY = -1, FAULTY = -2, NUMBER = -3, REPEATED = -4, SCATTERED = -5, TOO_BIG = -6, EMPTY = -7, TAGS = -8 };
#define MADE_FOR 7 /* the binding that this goes with */
enum { TIED = 1, UNSETTLED = 2, SORTED = 4, ALL_TIED = 8 };

#define WINDOW 32768
#define AHEAD 8

/* ---- bytes to fields ------------------------------------------------------------------------------------------ */

typedef struct {
    const u8 *text;
    size_t size;             /* the last byte is a newline */
    size_t seen;             /* bytes whose separators are listed */
    size_t line;             /* where the next line begins */
    u64 high;                /* all bytes or-ed together */
    u32 given;               /* a line was found */
    u32 head, tail;
    u32 at[WINDOW + 64 + AHEAD]; /* where bytes <= ' ' are */
} Cursor;

typedef struct { u32 from, to; } Field;

static const u8 BLANK[256] = {['\t'] = 1, [' '] = 1};

static inline u64 word(const u8 *p) { u64 w; memcpy(&w, p, 8); return w; }

static inline u64 gaps64(const u8 *p, u64 *high) {  /* bit i: p[i] <= ' ' */
#ifdef __SSE2__
    u64 mask = 0;
    const __m128i space = _mm_set1_epi8(' ');
    __m128i all = _mm_setzero_si128();
    for (int i = 0; i < 4; i++) {
        __m128i x = _mm_loadu_si128((const __m128i *)(p + 16 * i));
        mask |= (u64)(u32)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(x, space), x)) << (16 * i);
        all = _mm_or_si128(all, x);
    }
    *high |= (u64)_mm_movemask_epi8(all);
    return mask;
#else
    u64 mask = 0;
    for (int i = 0; i < 8; i++) {
        u64 w = word(p + 8 * i);
        u64 m = ~(((w & 0x7f7f7f7f7f7f7f7fULL) + 0x5f5f5f5f5f5f5f5fULL) | w) & 0x8080808080808080ULL;
        mask |= ((m >> 7) * 0x0102040810204080ULL >> 56) << (8 * i);
        *high |= (w & 0x8080808080808080ULL) != 0;
    }
    return mask;
#endif
}

static void refill(Cursor *c) {
    u32 n = c->tail - c->head;
    memmove(c->at, c->at + c->head, n * sizeof(u32));
    c->head = 0;
    size_t i = c->seen, end = i + WINDOW - n < c->size ? i + WINDOW - n : c->size;
    for (; i + 64 <= end; i += 64) {
        u64 m = gaps64(c->text + i, &c->high);
        for (; m; m &= m - 1) c->at[n++] = (u32)(i + (size_t)__builtin_ctzll(m));
    }
    if (end == c->size)
        for (; i < end; i++) {
            if (c->text[i] <= ' ') c->at[n++] = (u32)i;
            c->high |= c->text[i] & 0x80;
        }
    c->seen = i;
    c->tail = n;
}

static int is_white(u8 b) { return b == ' ' || (b >= 9 && b <= 13); }

/* The fields of the next line that is neither blank nor a comment: 1; 0 at the end; a code where it is short. */
static inline int next_line(Cursor *c, Field *f, int wanted) {
    for (;;) {
        if (c->tail - c->head < AHEAD && c->seen < c->size) refill(c);
        const u8 *t = c->text;
        const u32 *p = c->at + c->head;
        if (c->tail - c->head >= (u32)wanted) {
            u32 s = (u32)c->line, ok = t[s] != '#';
            for (int i = 0; i < wanted; i++) {
                u32 e = p[i];
                f[i].from = s, f[i].to = e;
                ok &= e > s;
                ok &= i < wanted - 1 ? BLANK[t[e]] : t[e] == '\n';
                s = e + 1;
            }
            if (ok) {
                c->line = s;
                c->head += (u32)wanted;
                c->given = 1;
                return 1;
            }
        }
        if (c->line >= c->size) return 0;
        /* an unusual line, piece by piece */
        size_t i = c->line;
        const u8 *stop = memchr(t + i, '\n', c->size - i);
        size_t end = (size_t)(stop - t);
        c->line = end + 1;
        for (;;) {
            while (c->head < c->tail && c->at[c->head] <= end) c->head++;
            if (c->head < c->tail || c->seen > end) break;
            refill(c);
        }
        int found = 0, comment = 0;
        if (memchr(t + i, 0, end - i)) return FAULTY;
        for (const u8 *r = t + i; (r = memchr(r, '\r', (size_t)(stop - r))); r++)
            if (r[1] != '\r' && r[1] != '\n') return FAULTY; /* it would make two lines one */
        while (found < wanted) {
            while (i < end && is_white(t[i])) i++;
            if (i == end) break;
            comment |= !found && t[i] == '#';
            f[found].from = (u32)i;
            while (i < end && !is_white(t[i])) i++;
            f[found++].to = (u32)i;
        }
        if (comment) {
            if (c->given || found == wanted) return FAULTY; /* past the start, or like a row, it takes a note */
            continue;
        }
        if (found == wanted) {
            for (; i < end && found < 2 * wanted - 1; found++) { /* what more there is */
                while (i < end && is_white(t[i])) i++;
                if (i == end) break;
                while (i < end && !is_white(t[i])) i++;
            }
            if (found >= 2 * wanted - 1) return FAULTY; /* two lines may have been joined */
            c->given = 1;
            return 1;
        }
        if (found) return FAULTY;
    }
}

/* ---- fields to numbers and keys ------------------------------------------------------------------------------- */

static const u64 FIVES[28] = {
    1ULL, 5ULL, 25ULL, 125ULL, 625ULL, 3125ULL, 15625ULL, 78125ULL, 390625ULL, 1953125ULL, 9765625ULL, 48828125ULL,
    244140625ULL, 1220703125ULL, 6103515625ULL, 30517578125ULL, 152587890625ULL, 762939453125ULL, 3814697265625ULL,
    19073486328125ULL, 95367431640625ULL, 476837158203125ULL, 2384185791015625ULL, 11920928955078125ULL,
    59604644775390625ULL, 298023223876953125ULL, 1490116119384765625ULL, 7450580596923828125ULL};
static const double TENS[23] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double rounded(unsigned __int128 q, int sticky, int exponent) {  /* q 2^exponent, to the nearest even */
    u64 hi = (u64)(q >> 64);
    int length = hi ? 128 - __builtin_clzll(hi) : 64 - __builtin_clzll((u64)q);
    int drop = length - 53;
    if (drop > 0) {
        unsigned __int128 rest = q & (((unsigned __int128)1 << drop) - 1), half = (unsigned __int128)1 << (drop - 1);
        q >>= drop;
        if (rest > half || (rest == half && (sticky || (q & 1)))) q++;
        exponent += drop;
    }
    return ldexp((double)(u64)q, exponent);
}

static const u64 POWERS[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* The usual kind of score, -?\d{1,7}\.\d{1,8}: 1 and its value; else 0. 8 bytes after the point can be read. */
static inline int short_number(const u8 *p, const u8 *end, double *value) {
    int minus = *p == '-';
    const u8 *start = p += minus;
    u64 w = 0;
    for (unsigned d; (d = (unsigned)*p - '0') < 10; p++) w = w * 10 + d;
    int whole = (int)(p - start), rest = (int)(end - p) - 1;
    if (*p != '.' || whole < 1 || whole > 7 || rest < 1 || rest > 8) return 0;
    u64 x = word(p + 1) << (64 - 8 * rest) | (0x3030303030303030ULL & ((1ULL << (63 - 8 * rest + 1)) - 1));
    if (rest == 8) x = word(p + 1);
    if (((x & 0xf0f0f0f0f0f0f0f0ULL) | (((x + 0x0606060606060606ULL) & 0xf0f0f0f0f0f0f0f0ULL) >> 4)) !=
        0x3333333333333333ULL) return 0;
    x -= 0x3030303030303030ULL; /* eight digits, the first in the lowest byte: pairs, fours, eight */
    x = (x * 10) + (x >> 8);
    x = (((x & 0x000000ff000000ffULL) * 0x000f424000000064ULL) +
         (((x >> 16) & 0x000000ff000000ffULL) * 0x0000271000000001ULL)) >> 32;
    double v = (double)(w * POWERS[rest] + (u32)x) / TENS[rest];
    *value = minus ? -v : v;
    return 1;
}

static locale_t point; /* in which a number has one, whatever the user's language */
__attribute__((constructor)) static void loaded(void) { point = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* [+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? and finite: 1 and its value, as Python's float() has it; else 0. */
static int number(const u8 *p, const u8 *end, double *value) {
    const u8 *start = p;
    int minus = 0, dot = 0, any = 0, digits = 0, ten = 0;
    u64 w = 0;
    if (p < end && (*p == '-' || *p == '+')) minus = *p++ == '-';
    for (; p < end; p++) {
        unsigned d = (unsigned)*p - '0';
        if (d < 10) {
            any = 1;
            w = w * 10 + d;
            digits += (digits | (int)d) != 0;
            ten -= dot;
        } else if (*p == '.' && !dot) {
            dot = 1;
        } else
            break;
    }
    if (!any) return 0;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int e = 0, sign = 1;
        if (++p < end && (*p == '-' || *p == '+')) sign = *p++ == '-' ? -1 : 1;
        if (p == end) return 0;
        for (; p < end && (unsigned)*p - '0' < 10; p++) e = e < 100000 ? e * 10 + (*p - '0') : e;
        ten += sign * e;
    }
    if (p != end) return 0;
    double x;
    if (digits <= 19 && (w >> 53) == 0 && ten >= -22 && ten <= 22) {
        x = ten < 0 ? (double)w / TENS[-ten] : (double)w * TENS[ten];
    } else if (digits <= 19 && w && ten >= -27 && ten <= 27) {
        if (ten >= 0) {
            x = rounded((unsigned __int128)w * FIVES[ten], 0, ten);
        } else {
            int shift = 64 + __builtin_clzll(w); /* as far as it goes: the quotient has 64 bits or more */
            unsigned __int128 up = (unsigned __int128)w << shift, q = up / FIVES[-ten];
            x = rounded(q, up != q * FIVES[-ten], ten - shift);
        }
    } else {
        char copy[512];
        size_t length = (size_t)(end - start);
        if (length >= sizeof copy || !point) return 0;
        memcpy(copy, start, length);
        copy[length] = 0;
        x = strtod_l(copy, NULL, point);
        if (!isfinite(x)) return 0;
        *value = x;
        return 1;
    }
    *value = minus ? -x : x;
    return 1;
}

/* Keys that leave here are the same in every process. Those of tables are seeded anew in each, so that nobody can
 * choose ids that fall into the same slot, and make every search as long as the list. */
static const u64 FIXED[2] = {0xa0761d6478bd642fULL, 0xe7037ed1a0b428dbULL};
static u64 seeds[2] = {0xa0761d6478bd642fULL, 0xe7037ed1a0b428dbULL};

static inline u64 mix(u64 a, u64 b) {
    unsigned __int128 m = (unsigned __int128)a * b;
    return (u64)m ^ (u64)(m >> 64);
}

/* A 64-bit key; `p` may be read up to 8 bytes before `end`, or from the start for at least 8 bytes (see PAD). */
static inline u64 key_from(const u8 *p, size_t n, const u64 *from) {
    const u64 s0 = from[0], s1 = from[1];
    u64 a, b;
    if (n >= 8) {
        u64 h = s0;
        size_t i = 0;
        for (; n - i > 16; i += 16) h = mix(word(p + i) ^ s1, word(p + i + 8) ^ h);
        a = n - i >= 8 ? word(p + i) : word(p + n - 8);
        b = word(p + n - 8);
        return mix(a ^ h, b ^ s1 ^ n);
    }
    a = word(p) & ((1ULL << (8 * n)) - 1);
    return mix(a ^ s0, s1 ^ n);
}

static inline u64 hashed(const u8 *p, size_t n) { return key_from(p, n, seeds); }

/* ---- judgements ------------------------------------------------------------------------------------------------ */

typedef u64 Slot; /* 0: free; else 32 bits of the hash, and 1 + the document's place among its topic's */
typedef struct { u32 from, length; } Span;
typedef struct { u64 head, tail; u32 from, length; } Id; /* its first and last 8 bytes: up to 16, all there is */

#define TAG(hash) ((hash) >> 32 << 32)
#define MOST 0x7ffffffeu /* documents of a topic */

typedef struct {
    u8 *text; /* the ids of all documents and topics, with padding */
    u32 topics, judged, varied, high;
    Span *name;   /* [topic] */
    u32 *first;   /* [topic + 1] of its documents */
    Id *doc;      /* [judged] by topic, ids falling */
    double *grade;
    Slot *slot;
    u64 *base;    /* [topic] its first slot */
    u32 *mask;
    u64 rows;        /* judgements by subtopic, by topic and document: */
    u32 *row_first;  /* [topic + 1] */
    int32_t *place;  /* [row] of the document among its topic's */
    u32 *subtopic;   /* [row] */
    double *each;    /* [row] its grade */
    u32 *named;   /* slots of the names of topics: 0 free, else 1 + topic */
    u32 name_mask;
} Pool;

static inline Id id_of(const u8 *text, u32 from, u32 n) {
    const u8 *p = text + from;
    if (n >= 8) return (Id){word(p), word(p + n - 8), from, n};
    return (Id){word(p) & ((1ULL << (8 * n)) - 1), 0, from, n};
}

static inline int same_id(Id a, const u8 *a_text, Id b, const u8 *b_text) {
    return a.head == b.head && a.tail == b.tail && a.length == b.length &&
           (a.length <= 16 || !memcmp(a_text + a.from, b_text + b.from, a.length));
}

static int compare(const u8 *a, size_t n, const u8 *b, size_t m) {
    int c = memcmp(a, b, n < m ? n : m);
    return c ? c : (n > m) - (n < m);
}

static int64_t topic_of(const Pool *o, const u8 *p, size_t n) {
    for (u32 i = (u32)hashed(p, n) & o->name_mask; o->named[i]; i = (i + 1) & o->name_mask) {
        Span s = o->name[o->named[i] - 1];
        if (s.length == n && !memcmp(o->text + s.from, p, n)) return o->named[i] - 1;
    }
    return -1;
}

void pool_free(Pool *o) {
    if (!o) return;
    free(o->text), free(o->name), free(o->first), free(o->doc), free(o->grade), free(o->slot), free(o->base);
    free(o->mask), free(o->named), free(o->row_first), free(o->place), free(o->subtopic), free(o->each), free(o);
}

typedef struct { u64 prefix; u32 row; } Sortable;
typedef struct { u32 topic, subtopic; Span doc; double grade; } Judgement;

static u64 big_endian(const u8 *p, size_t n) {
    u64 w = 0;
    for (size_t i = 0; i < 8; i++) w = w << 8 | (i < n ? p[i] : 0);
    return w;
}

static _Thread_local const u8 *base_text;
static _Thread_local const Judgement *base_rows;

static int falling_ids(const void *x, const void *y) {
    const Sortable *a = x, *b = y;
    if (a->prefix != b->prefix) return a->prefix < b->prefix ? 1 : -1;
    Span s = base_rows[a->row].doc, t = base_rows[b->row].doc;
    return -compare(base_text + s.from, s.length, base_text + t.from, t.length);
}

static u32 power_above(u32 n) { u32 p = 2; while (p < n) p *= 2; return p; }

static int whole_number(const u8 *p, size_t n, u32 *value) { /* up to nine digits, in the one way to write them */
    u32 w = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned d = (unsigned)p[i] - '0';
        if (d > 9 || n > 9) return 0;
        w = w * 10 + d;
    }
    *value = w;
    return n == 1 || (n && p[0] != '0');
}

/* The pool of some judgements, whose topics are named already: their documents by topic, ids falling. 0, or a code. */
static int build_pool(Pool *o, const Judgement *row, u32 rows, int by_subtopic) {
    int code = NO_MEMORY;
    Sortable *order = NULL;
    o->first = calloc(o->topics + 1, sizeof(u32));
    o->doc = malloc(rows * sizeof(Id));
    o->grade = malloc(rows * sizeof(double));
    order = malloc(rows * sizeof *order);
    o->base = malloc(o->topics * sizeof(u64));
    o->mask = malloc(o->topics * sizeof(u32));
    if (!o->first || !o->doc || !o->grade || !order || !o->base || !o->mask) goto done;
    if (by_subtopic) {
        o->rows = rows;
        o->row_first = malloc((o->topics + 1) * sizeof(u32));
        o->place = malloc(rows * sizeof(int32_t));
        o->subtopic = malloc(rows * sizeof(u32));
        o->each = malloc(rows * sizeof(double));
        if (!o->row_first || !o->place || !o->subtopic || !o->each) goto done;
    }
    for (u32 i = 0; i < rows; i++) o->first[row[i].topic + 1]++;
    u64 slots = 0;
    for (u32 k = 0; k < o->topics; k++) {
        o->base[k] = slots;
        o->mask[k] = power_above(2 * o->first[k + 1]) - 1;
        slots += (u64)o->mask[k] + 1;
        o->first[k + 1] += o->first[k];
    }
    o->slot = calloc(slots, sizeof(Slot));
    if (!o->slot) goto done;
    for (u32 i = 0; i < rows; i++) { /* first[] serves as the place to fill, and is set back below */
        Span s = row[i].doc;
        order[o->first[row[i].topic]++] = (Sortable){big_endian(o->text + s.from, s.length), i};
    }
    for (u32 k = o->topics; k > 0; k--) o->first[k] = o->first[k - 1];
    o->first[0] = 0;
    base_text = o->text, base_rows = row;
    if (by_subtopic) memcpy(o->row_first, o->first, (o->topics + 1) * sizeof(u32));
    u32 from = 0, until = 0, next = 0; /* of the topic's judgements, and of its documents */
    for (u32 k = 0; k < o->topics; k++, from = until) {
        until = o->first[k + 1];
        qsort(order + from, until - from, sizeof *order, falling_ids);
        Slot *slot = o->slot + o->base[k];
        u32 first = o->first[k] = next;
        for (u32 j = from; j < until; j++) {
            const Judgement *r = &row[order[j].row];
            const Id *last = next > first ? &o->doc[next - 1] : NULL;
            if (!last || compare(o->text + r->doc.from, r->doc.length, o->text + last->from, last->length)) {
                if (next - first == MOST) { code = TOO_BIG; goto done; }
                o->doc[next] = id_of(o->text, r->doc.from, r->doc.length);
                o->grade[next++] = r->grade;
                u64 h = hashed(o->text + r->doc.from, r->doc.length);
                u32 i = (u32)h & o->mask[k];
                while (slot[i]) i = (i + 1) & o->mask[k];
                slot[i] = TAG(h) | (next - first);
            } else if (!by_subtopic) {
                code = REPEATED;
                goto done;
            } else if (r->grade > o->grade[next - 1]) {
                o->grade[next - 1] = r->grade; /* the largest counts */
            }
            if (by_subtopic) {
                o->place[j] = (int32_t)(next - first - 1);
                o->subtopic[j] = r->subtopic;
                o->each[j] = r->grade;
            }
        }
    }
    o->judged = o->first[o->topics] = next;
    code = 0;
done:
    free(order);
    return code;
}

/* Enters a topic under its name, for which there must be room. */
static void name_topic(Pool *o, Span name) {
    u32 i = (u32)hashed(o->text + name.from, name.length) & o->name_mask;
    while (o->named[i]) i = (i + 1) & o->name_mask;
    o->name[o->topics] = name;
    o->named[i] = ++o->topics;
}

/* Judgements (topic, subtopic, document, grade); text ends in a newline. NULL and a code where they are not clean.
 * By subtopic, a document may come more than once for a topic, and subtopics are numbers; else it may not. */
Pool *pool_read(const u8 *given, size_t size, int by_subtopic, int *code) {
    Cursor *c = calloc(1, sizeof *c);
    Pool *o = calloc(1, sizeof *o);
    Judgement *row = NULL;
    Span *subtopic = NULL;
    u8 *differs = NULL;
    u32 cap = 1024, rows = 0, names = 64;
    *code = NO_MEMORY;
    if (size > 0xfffffff0u) { *code = TOO_BIG; goto fail; }
    if (!c || !o) goto fail;
    o->text = malloc(size + 64);
    row = malloc(cap * sizeof *row);
    o->name = malloc(names * sizeof(Span));
    subtopic = malloc(names * sizeof(Span));
    differs = calloc(names, 1);
    o->name_mask = 2 * names - 1;
    o->named = calloc(2 * names, sizeof(u32));
    if (!o->text || !row || !o->name || !subtopic || !differs || !o->named) goto fail;
    memcpy(o->text, given, size);
    memset(o->text + size, 0, 64);
    c->text = o->text, c->size = size;
    Field f[4];
    int got;
    int64_t topic = -1;
    while ((got = next_line(c, f, 4)) == 1) {
        const u8 *t = o->text;
        size_t n = f[0].to - f[0].from;
        if (topic < 0 || o->name[topic].length != n || memcmp(t + o->name[topic].from, t + f[0].from, n)) {
            topic = topic_of(o, t + f[0].from, n);
            if (topic < 0) {
                if (o->topics == names) {
                    names *= 2;
                    Span *a = realloc(o->name, names * sizeof(Span)); if (!a) goto fail; o->name = a;
                    Span *b = realloc(subtopic, names * sizeof(Span)); if (!b) goto fail; subtopic = b;
                    u8 *d = realloc(differs, names); if (!d) goto fail; differs = d;
                    memset(differs + names / 2, 0, names / 2);
                    u32 *e = calloc(2 * names, sizeof(u32)); if (!e) goto fail;
                    free(o->named); o->named = e; o->name_mask = 2 * names - 1;
                    for (u32 k = 0; k < o->topics; k++) {
                        u32 i = (u32)hashed(t + o->name[k].from, o->name[k].length) & o->name_mask;
                        while (o->named[i]) i = (i + 1) & o->name_mask;
                        o->named[i] = k + 1;
                    }
                }
                topic = o->topics;
                subtopic[topic] = (Span){f[1].from, f[1].to - f[1].from};
                name_topic(o, (Span){f[0].from, (u32)n});
            }
        }
        Span s = subtopic[topic];
        differs[topic] |= s.length != f[1].to - f[1].from || memcmp(t + s.from, t + f[1].from, s.length);
        if (rows == cap) {
            cap *= 2;
            Judgement *a = realloc(row, cap * sizeof *row); if (!a) goto fail; row = a;
        }
        row[rows] = (Judgement){(u32)topic, 0, {f[2].from, f[2].to - f[2].from}, 0};
        if (by_subtopic && !whole_number(t + f[1].from, f[1].to - f[1].from, &row[rows].subtopic)) {
            *code = NUMBER;
            goto fail;
        }
        if (!number(t + f[3].from, t + f[3].to, &row[rows].grade)) { *code = NUMBER; goto fail; }
        rows++;
    }
    if (got < 0) { *code = FAULTY; goto fail; }
    if (!rows) { *code = EMPTY; goto fail; }
    for (u32 k = 0; k < o->topics; k++) o->varied += differs[k];
    o->high = c->high != 0;
    *code = build_pool(o, row, rows, by_subtopic);
    if (*code) goto fail;
    free(c), free(row), free(subtopic), free(differs);
    return o;
fail:
    free(c), free(row), free(subtopic), free(differs);
    pool_free(o);
    return NULL;
}

/* The same from arrays: the names of topics and then the documents, one after another in a text, given where each ends
 * in it, and of each document its topic and grade. No document comes twice for a topic. */
Pool *pool_made(const u8 *given, size_t size, int64_t topics, const int64_t *name_end, int64_t rows,
                const int64_t *doc_end, const int64_t *topic, const double *grade, int *code) {
    Pool *o = calloc(1, sizeof *o);
    Judgement *row = malloc(((size_t)rows + 1) * sizeof *row);
    *code = NO_MEMORY;
    if (!o || !row) goto fail;
    if (size > 0xfffffff0u || topics > 0x3fffffff || rows > 0x7ffffffe) { *code = TOO_BIG; goto fail; }
    if (!rows) { *code = EMPTY; goto fail; }
    o->text = malloc(size + 64);
    o->name = malloc((size_t)topics * sizeof(Span));
    o->name_mask = power_above(2 * (u32)topics) - 1;
    o->named = calloc((size_t)o->name_mask + 1, sizeof(u32));
    if (!o->text || !o->name || !o->named) goto fail;
    memcpy(o->text, given, size);
    memset(o->text + size, 0, 64);
    u32 from = 0;
    for (int64_t k = 0; k < topics; from = (u32)name_end[k++]) name_topic(o, (Span){from, (u32)name_end[k] - from});
    for (int64_t i = 0; i < rows; from = (u32)doc_end[i++])
        row[i] = (Judgement){(u32)topic[i], 0, {from, (u32)doc_end[i] - from}, grade[i]};
    *code = build_pool(o, row, (u32)rows, 0);
    if (*code) goto fail;
    free(row);
    return o;
fail:
    free(row);
    pool_free(o);
    return NULL;
}

void pool_counts(const Pool *o, int64_t *out) { /* topics, judged, varied, not ASCII, bytes of names, rows */
    out[5] = (int64_t)o->rows;
    out[0] = o->topics, out[1] = o->judged, out[2] = o->varied, out[3] = o->high, out[4] = 0;
    for (u32 k = 0; k < o->topics; k++) out[4] += o->name[k].length + 1;
}

void pool_names(const Pool *o, u8 *out) { /* one a line */
    for (u32 k = 0; k < o->topics; k++) {
        memcpy(out, o->text + o->name[k].from, o->name[k].length);
        out += o->name[k].length;
        *out++ = '\n';
    }
}

void pool_copy(const Pool *o, int64_t *size, double *grade) {
    for (u32 k = 0; k < o->topics; k++) size[k] = o->first[k + 1] - o->first[k];
    memcpy(grade, o->grade, o->judged * sizeof(double));
}

/* Judgements by subtopic, by topic and document: how many a topic has; the document's place, subtopic and grade. */
void pool_rows(const Pool *o, int64_t *size, int32_t *place, uint32_t *subtopic, double *grade) {
    for (u32 k = 0; k < o->topics; k++) size[k] = o->row_first[k + 1] - o->row_first[k];
    memcpy(place, o->place, o->rows * sizeof *place);
    memcpy(subtopic, o->subtopic, o->rows * sizeof *subtopic);
    memcpy(grade, o->each, o->rows * sizeof *grade);
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

typedef struct { double score; u64 hash; u32 from, length; } Result;

typedef struct {
    Cursor c;
    Result *list;
    u32 cap;
    u64 *seen;
    u32 seen_size;
    int rising; /* equal scores are ordered by rising ids */
} Worker;

Worker *worker_new(void) { return calloc(1, sizeof(Worker)); }
void worker_free(Worker *w) { if (w) free(w->list), free(w->seen), free(w); }

static _Thread_local const u8 *run_text;
static _Thread_local int run_sign;

static int better(const void *x, const void *y) {
    const Result *a = x, *b = y;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    return run_sign * compare(run_text + a->from, a->length, run_text + b->from, b->length);
}

/* The place of a document whose tag another one has, or -1. */
static int32_t searched(const Pool *o, u32 topic, u64 h, Id id, const u8 *text) {
    const Slot *slot = o->slot + o->base[topic];
    u32 mask = o->mask[topic];
    for (u32 j = (u32)h & mask; slot[j]; j = (j + 1) & mask) {
        u32 e = (u32)slot[j] - 1;
        if (same_id(o->doc[o->first[topic] + e], o->text, id, text)) return (int32_t)e;
    }
    return -1;
}

/* Puts a list in order (score falling, then id falling) and finds its results among the judged ones. This repeats
 * irassay/io/tie_order.py, and the search for duplicates of judging/lookup.py, for speed; tests/io/scanner/test_scan.py
 * keeps them equal. */
static int finish(Worker *w, const Pool *o, u32 topic, u32 n, int falls, int equal, int32_t *entry,
                  u64 *key) {
    const u8 *t = w->c.text;
    Result *list = w->list;
    int flags = 0;
    run_text = t;
    run_sign = w->rising ? 1 : -1;
    if (falls) {
        qsort(list, n, sizeof *list, better);
        flags |= SORTED;
        equal = 0;
        for (u32 i = 1; i < n; i++) equal |= (float)list[i].score == (float)list[i - 1].score;
    }
    if (equal) /* in single precision at least */
        for (u32 i = 1; i < n; i++) {
            if (list[i].score == list[i - 1].score) {
                u32 from = i - 1;
                while (i + 1 < n && list[i + 1].score == list[from].score) i++;
                if (!falls) qsort(list + from, i + 1 - from, sizeof *list, better);
                flags |= from == 0 && i + 1 == n ? TIED | ALL_TIED : TIED;
            }
        }
    if (equal)
        for (u32 i = 1; i < n && !(flags & UNSETTLED); i++)
            if ((float)list[i].score == (float)list[i - 1].score && list[i].score != list[i - 1].score &&
                run_sign * compare(t + list[i - 1].from, list[i - 1].length, t + list[i].from, list[i].length) > 0)
                flags |= UNSETTLED;
    u32 size = power_above(2 * n);
    if (size > w->seen_size) {
        free(w->seen);
        w->seen = malloc(size * sizeof(u64));
        w->seen_size = w->seen ? size : 0;
        if (!w->seen) return NO_MEMORY;
    }
    memset(w->seen, 0, size * sizeof(u64));
    const Slot *slot = o->slot + o->base[topic];
    const Id *doc = o->doc + o->first[topic];
    u32 mask = o->mask[topic];
    for (u32 i = 0; i < n; i++) { /* the first pass fetches ahead what the second one reads */
        u64 h = list[i].hash;
        u64 tag = TAG(h);
        u32 j = (u32)h & mask;
        while (slot[j] && TAG(slot[j]) != tag) j = (j + 1) & mask;
        entry[i] = (int32_t)(u32)slot[j] - 1;
        if (key) key[i] = key_from(t + list[i].from, list[i].length, FIXED);
        if (entry[i] >= 0) __builtin_prefetch(&doc[entry[i]]);
        u32 k = (u32)h & (size - 1);
        for (; w->seen[k]; k = (k + 1) & (size - 1))
            if ((u32)(w->seen[k] >> 32) == (u32)(h >> 32)) {
                const Result *a = &list[(u32)w->seen[k] - 1];
                if (a->length == list[i].length && !memcmp(t + a->from, t + list[i].from, a->length)) return REPEATED;
            }
        w->seen[k] = (h >> 32) << 32 | (i + 1);
    }
    for (u32 i = 0; i < n; i++)
        if (entry[i] >= 0) {
            Id id = id_of(t, list[i].from, list[i].length);
            if (!same_id(doc[entry[i]], o->text, id, t)) entry[i] = searched(o, topic, list[i].hash, id, t);
        }
    return flags;
}

/* Lists of a text of whole lists. text[size - 1] is a newline, and 64 bytes after it can be read.
 * entry[result], best first: the place among its topic's judged documents, or -1; key[result] of the document, unless
 * it is NULL; topic[list] (or -1), size[list], flags[list], where[list] of its first line; more: not ASCII, where the
 * tag that all lines have is, its length. Answers with the number of lists, or a code. */
int64_t run_read(Worker *w, const Pool *o, const u8 *text, size_t size, int rising, int64_t room, int32_t *entry,
                 u64 *key, int64_t lists_room, int32_t *topics, int32_t *sizes, u8 *flags, int64_t *where, int64_t *more) {
    if (size > 0xfffffff0u) return TOO_BIG;
    w->rising = rising;
    Cursor *c = &w->c;
    c->text = text, c->size = size, c->seen = c->line = 0, c->head = c->tail = 0, c->high = c->given = 0;
    Field f[6];
    int64_t lists = 0, done = 0, topic = -1;
    u32 n = 0, name = 0, length = 0, tag = 0, tag_length = 0;
    int falls = 0, equal = 0, got;
    const Slot *slot = NULL;
    u32 mask = 0;
    for (;;) {
        got = next_line(c, f, 6);
        if (got < 0) return got;
        if (!got || !n || f[0].to - f[0].from != length || memcmp(text + f[0].from, text + name, length)) {
            if (n) { /* the end of a list */
                if (lists == lists_room) return TOO_BIG;
                topics[lists] = (int32_t)topic, sizes[lists] = (int32_t)n, flags[lists] = 0;
                where[lists] = name;
                if (topic >= 0) {
                    if (done + n > room) return TOO_BIG;
                    int found = finish(w, o, (u32)topic, n, falls, equal, entry + done, key ? key + done : NULL);
                    if (found < 0) return found;
                    flags[lists] = (u8)found;
                    done += n;
                }
                lists++;
            }
            if (!got) break;
            name = f[0].from, length = f[0].to - f[0].from;
            topic = topic_of(o, text + name, length);
            slot = topic < 0 ? NULL : o->slot + o->base[topic];
            mask = topic < 0 ? 0 : o->mask[topic];
            n = 0, falls = equal = 0;
        }
        if (n == w->cap) {
            u32 cap = w->cap ? 2 * w->cap : 2048;
            Result *more = realloc(w->list, cap * sizeof(Result));
            if (!more) return NO_MEMORY;
            w->list = more, w->cap = cap;
        }
        if (f[5].to - f[5].from != tag_length || memcmp(text + tag, text + f[5].from, tag_length)) {
            if (tag_length) return TAGS;
            tag = f[5].from, tag_length = f[5].to - f[5].from;
        }
        Result *r = &w->list[n];
        if (!short_number(text + f[4].from, text + f[4].to, &r->score) &&
            !number(text + f[4].from, text + f[4].to, &r->score)) return NUMBER;
        r->from = f[2].from, r->length = f[2].to - f[2].from;
        r->hash = hashed(text + r->from, r->length);
        if (slot) __builtin_prefetch(&slot[r->hash & mask]);
        if (n) {
            falls |= r->score > r[-1].score;
            equal |= (float)r->score == (float)r[-1].score;
        }
        n++;
    }
    more[0] = c->high != 0, more[1] = tag, more[2] = tag_length;
    return lists;
}

/* The grades of results, one list after another, laid out in rows of `depth`; row[list] says where, or -1. `place`
 * has where judged documents stand among those of their topic, unless it is NULL, and `keys` the keys of all results,
 * unless `key` is NULL. Rows not named stay as they are. */
void layout(const Pool *o, int64_t lists, const int32_t *topics, const int32_t *sizes, const int32_t *entry,
              const u64 *key, const int64_t *rows, int64_t depth, double *grade, u8 *judged, int32_t *place, u64 *keys) {
    for (int64_t k = 0; k < lists; k++) {
        if (topics[k] < 0) continue;
        const double *known = o->grade + o->first[topics[k]];
        int64_t at = rows[k] * depth, n = sizes[k] < depth ? sizes[k] : depth;
        for (int64_t i = 0; rows[k] >= 0 && i < n; i++) {
            int32_t e = entry[i];
            grade[at + i] = e < 0 ? 0.0 : known[e];
            judged[at + i] = e >= 0;
            if (place) place[at + i] = e;
            if (key) keys[at + i] = key[i];
        }
        entry += sizes[k];
        if (key) key += sizes[k];
    }
}

/* Where the last list of a text begins: its lines, and those only, have the topic of the last line. */
int64_t last_list(const u8 *text, size_t size) {
    size_t end = size, start = 0;
    const u8 *name = NULL;
    size_t length = 0;
    int64_t found;
    while (end > 0 && text[end - 1] != '\n') end--; /* an unfinished line */
    found = (int64_t)end;
    while (end > 0) {
        start = end - 1;
        while (start > 0 && text[start - 1] != '\n') start--;
        size_t i = start;
        while (i < end && is_white(text[i])) i++;
        size_t j = i;
        while (j < end && !is_white(text[j])) j++;
        if (j > i && text[i] != '#') {
            if (name && (j - i != length || memcmp(name, text + i, length))) return found;
            name = text + i, length = j - i;
            found = (int64_t)start;
        }
        end = start;
    }
    return 0;
}

/* The keys of n documents, one after another in a text with padding, given where each ends. */
void keys_of(const u8 *text, const int64_t *end, int64_t n, u64 *key) {
    for (int64_t i = 0, from = 0; i < n; from = end[i++]) key[i] = key_from(text + from, (size_t)(end[i] - from), FIXED);
}

/* Seeds the keys, once: those of earlier pools stay valid. */
void seed(uint64_t first, uint64_t second) {
    static int done;
    if (!done) seeds[0] = first | 1, seeds[1] = second | 1;
    done = 1;
}

int made_for(void) { return MADE_FOR; }

/* For tests: the seeded key of an id of at least 8 bytes. */
size_t seeded_key(const u8 *p, size_t n) { return (size_t)hashed(p, n); }

/* For tests: 1 and the value of a number followed by white space and 64 more bytes, else 0. */
int number_at(const u8 *p, size_t n, double *value) {
    return short_number(p, p + n, value) || number(p, p + n, value);
}
