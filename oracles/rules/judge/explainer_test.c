/* SPDX-License-Identifier: Apache-2.0
 * explainer_test.c - the fast rules against the slow explainer, on every trace of up to 6
 * events over small alphabets, and on random ones of up to 12. A rule that calls broken what
 * some history explains is wrong. What no history explains and no rule notices is a blind spot:
 * the smallest of them stand in tests/data/blind_spots.txt, and no others may turn up.
 *
 * Compared are the rules that the explainer's sentences decide: not those that go by clocks
 * other than the retransmit timer, nor those that need an upper layer's events. */
#include "codecs/text/text.h"
#include "oracles/rng.h"
#include "oracles/rules/judge/explainer_testing.h"
#include "oracles/rules/judge/judge.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SYMBOLS_MAX = 10,
    DEPTH_SHORT = 4,
    DEPTH = 5,
    DEPTH_LONG = 6,
    LINE_MAX_ = 160,
    SPOTS_MAX = 4096
};

#define SPOTS_FILE "tests/data/blind_spots.txt"

static const char *const compared[] = {"R1", "R2", "R3", "R4", "R6", "R9", "O1",
                                       "O2", "N1", "N2", "S4", "S6", "A5", "X1",
                                       "X2", "X3", "X4", "X5", "X6", "E2", NULL};

/* ---- alphabets ---- */

struct alphabet {
    const char *name;
    bool ordered;
    uint32_t fcwnd, ncwnd;
    struct {
        const char *name, *line; /* line NULL: a wait of one timeout */
    } symbols[SYMBOLS_MAX + 1];
};

static const struct alphabet alphabets[] = {
    {"receiver",
     false,
     64,
     64,
     {{"P0", "> push_data psn=0 rsn=0"},
      {"P1", "> push_data psn=1 rsn=1"},
      {"Q0", "> pull_request psn=0 rsn=5"},
      {"b00", "< back dbase=0 rbase=0"},
      {"b10", "< back dbase=1 rbase=0"},
      {"b01", "< back dbase=0 rbase=1"},
      {"e0", "< eack dbase=0 rbase=0"},
      {"e0r1", "< eack dbase=0 rbase=0 drx=0b10"},
      {"e0a1", "< eack dbase=0 rbase=0 dack=0b10 drx=0b10"}}},
    {"edge",
     false,
     64,
     64,
     {{"P0", "> push_data psn=0 rsn=0"},
      {"F", "> push_data psn=128 rsn=6"},
      {"S0", "> resync psn=0 rsn=0 code=4 of=push_data"},
      {"b0", "< back dbase=0 rbase=0"},
      {"b1", "< back dbase=1 rbase=0"},
      {"e0w", "< eack dbase=0 rbase=0 own=2"},
      {"e1w", "< eack dbase=1 rbase=0 own=2"},
      {"e1f", "< eack dbase=1 rbase=0 drx=0x80000000000000000000000000000000"},
      {"e1", "< eack dbase=1 rbase=0"}}},
    {"refusal",
     false,
     64,
     64,
     {{"P0", "> push_data psn=0 rsn=0"},
      {"P1", "> push_data psn=1 rsn=1"},
      {"S0", "> resync psn=0 rsn=0 code=1 of=push_data"},
      {"n0d", "< nack dbase=0 rbase=0 nack_psn=0 code=resource w=data"},
      {"n0r", "< nack dbase=0 rbase=0 nack_psn=0 code=rnr w=data"},
      {"n0c", "< nack dbase=0 rbase=0 nack_psn=0 code=cie w=data"},
      {"e0r0", "< eack dbase=0 rbase=0 drx=0b1"},
      {"e0", "< eack dbase=0 rbase=0"},
      {"b1", "< back dbase=1 rbase=0"}}},
    {"piggyback",
     true,
     64,
     64,
     {{"P0", "> push_data psn=0 rsn=0"},
      {"P1", "> push_data psn=1 rsn=1"},
      {"p0b0", "< push_data dbase=0 rbase=0 psn=0 rsn=0"},
      {"p0b1", "< push_data dbase=1 rbase=0 psn=0 rsn=0"},
      {"p1b1", "< push_data dbase=1 rbase=0 psn=1 rsn=1"},
      {"p1b2", "< push_data dbase=2 rbase=0 psn=1 rsn=1"},
      {"b1", "< back dbase=1 rbase=0"},
      {"wait", NULL}}},
    {"sender",
     true,
     3,
     2,
     {{"p0", "< push_data dbase=0 rbase=0 psn=0 rsn=0"},
      {"q0", "< pull_request dbase=0 rbase=0 psn=0 rsn=1"},
      {"p1", "< push_data dbase=0 rbase=0 psn=1 rsn=2"},
      {"p2", "< push_data dbase=0 rbase=0 psn=2 rsn=3"},
      {"p3", "< push_data dbase=0 rbase=0 psn=3 rsn=4"},
      {"B1", "> back dbase=1 rbase=0"},
      {"B2", "> back dbase=2 rbase=1"},
      {"E02", "> eack dbase=0 rbase=0 drx=0b100"},
      {"wait", NULL}}},
};
enum { ALPHABETS = sizeof alphabets / sizeof *alphabets };

static const struct {
    const char *name;
    struct x_path path;
    uint64_t delay_max_ns;
} paths[] = {
    {"lossy", {.loses = true, .doubles = true, .reorders = true}, FAL_NEVER},
    {"fifo", {0}, FAL_NEVER},
    {"now", {.immediate = true}, 0},
};
enum { PATHS = sizeof paths / sizeof *paths };

/* A symbol as both sides take it. */
struct symbol {
    const char *name;
    struct x_event event;
    uint8_t bytes[FAL_HEADER_MAX];
    uint32_t len;
};

struct bench {
    const struct alphabet *alphabet;
    struct x_config config;
    struct x_search search;
    struct fal_connection connection;
    struct fal_ev_run run;
    const char *path;
    struct symbol symbols[SYMBOLS_MAX];
    unsigned num;
    unsigned long traces, explained, broken, blind;
    char (*spots)[LINE_MAX_];
    unsigned num_spots;
};

static void make_symbol(struct bench *b, struct symbol *s, const char *line)
{
    const struct fal_connection *c = &b->connection;
    struct fal_pattern pattern;
    struct fal_error err = {""};
    struct fal_relative none = {0};
    struct fal_falcon wire;
    const struct fal_end *own, *peer;
    int len;

    if (line == NULL) {
        s->event.wait = true;
        return;
    }
    ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s", line, err.text);
    s->event.symbol = (uint16_t)b->num;
    s->event.from_sut = pattern.dir == '<';
    own = s->event.from_sut ? &c->sut : &c->tester;
    peer = s->event.from_sut ? &c->tester : &c->sut;
    fal_layout_init(pattern.layout, &s->event.f);
    ck_assert_msg(fal_pattern_apply(&pattern, &none, NULL, &s->event.f, &err) == 0, "%s: %s",
                  line, err.text);
    wire = s->event.f;
    wire.dest_cid = peer->cid;
    wire.recv_data_base_psn += peer->data_psn;
    wire.recv_req_base_psn += peer->req_psn;
    if (fal_falcon_reliable(wire.packet_type)) {
        wire.dest_function = peer->function;
        wire.psn += fal_falcon_window(&wire) == FAL_WINDOW_REQ ? own->req_psn : own->data_psn;
        wire.rsn += own->rsn;
    } else if (wire.packet_type == FAL_NACK) {
        wire.nack_psn += peer->data_psn;
    }
    len = fal_falcon_encode(&wire, NULL, 0, s->bytes, sizeof s->bytes, NULL);
    ck_assert_int_gt(len, 0);
    s->len = (uint32_t)len;
}

static void open_bench(struct bench *b, unsigned alphabet, unsigned path)
{
    const struct alphabet *a = &alphabets[alphabet];

    *b = (struct bench){.alphabet = a, .path = paths[path].name};
    b->config = (struct x_config){.path = paths[path].path,
                                  .fcwnd = a->fcwnd,
                                  .ncwnd = a->ncwnd,
                                  .threshold = 1,
                                  .ordered = a->ordered};
    b->run = (struct fal_ev_run){.vantage = FAL_VANTAGE_TESTER,
                                 .delay_max_ns = paths[path].delay_max_ns};
    b->run.lossless_in = b->run.lossless_out = !paths[path].path.loses;
    b->run.no_duplicates_in = b->run.no_duplicates_out = !paths[path].path.doubles;
    b->run.in_order_in = b->run.in_order_out = !paths[path].path.reorders;
    b->connection =
        (struct fal_connection){.tester = {0x111111, 7, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX},
                                .sut = {0x222222, 9, UINT32_MAX, UINT32_MAX, UINT32_MAX - 2},
                                .initial_known = true};
    fal_params_default(&b->connection.params, false);
    b->connection.params.ordered = a->ordered;
    b->connection.params.fcwnd = a->fcwnd;
    b->connection.params.ncwnd = a->ncwnd;
    b->connection.params.ooo_threshold = b->config.threshold;
    b->spots = calloc(SPOTS_MAX, sizeof *b->spots);
    ck_assert_ptr_nonnull(b->spots);
    for (; a->symbols[b->num].name != NULL; b->num++) {
        b->symbols[b->num].name = a->symbols[b->num].name;
        make_symbol(b, &b->symbols[b->num], a->symbols[b->num].line);
    }
}

static void close_bench(struct bench *b)
{
    x_free(&b->search);
    free(b->spots);
}

/* ---- one trace ---- */

struct verdict {
    bool broken;
    char why[256];
};

static void on_finding(void *ctx, const struct fal_finding *f)
{
    struct verdict *v = ctx;

    if (f->subject != FAL_SUBJECT_SUT || v->broken)
        return;
    v->broken = true;
    (void)snprintf(v->why, sizeof v->why, "%s (%s): due %.80s; seen %.80s", f->rule->id,
                   f->requirement != NULL ? f->requirement : "-", f->expected, f->seen);
}

static void add_event(struct fal_judge *judge, struct fal_event *event, uint64_t *index)
{
    event->index = (*index)++;
    fal_judge_event(judge, event);
}

static struct verdict judge_trace(const struct bench *b, const unsigned char *trace,
                                  unsigned len)
{
    struct verdict v = {0};
    struct fal_judge_config config = {.finding = on_finding, .ctx = &v, .only = compared};
    struct fal_judge *judge = fal_judge_new(&config);
    struct fal_event run = {.kind = FAL_EV_RUN}, open = {.kind = FAL_EV_CONNECTION, .conn = 1};
    uint64_t index = 0, now_ns = 0;

    ck_assert_ptr_nonnull(judge);
    run.u.run = b->run;
    add_event(judge, &run, &index);
    open.u.connection = b->connection;
    add_event(judge, &open, &index);
    for (unsigned i = 0; i < len; i++) {
        const struct symbol *s = &b->symbols[trace[i]];
        struct fal_event event = {.kind = FAL_EV_PACKET, .conn = 1};

        now_ns += s->event.wait ? b->connection.params.rto_ns : FAL_US;
        if (s->event.wait)
            continue;
        event.t_ns = now_ns;
        event.u.packet =
            (struct fal_ev_packet){.dir = s->event.from_sut ? FAL_FROM_SUT : FAL_TO_SUT,
                                   .step = -1,
                                   .bytes = s->bytes,
                                   .len = s->len};
        fal_event_packet(&event.u.packet);
        add_event(judge, &event, &index);
    }
    fal_judge_finish(judge);
    fal_judge_free(judge);
    return v;
}

static bool explain_trace(struct bench *b, const unsigned char *trace, unsigned len)
{
    struct x_event events[TRACE_MAX] = {{0}};
    bool explained;

    for (unsigned i = 0; i < len; i++)
        events[i] = b->symbols[trace[i]].event;
    explained = explain(&b->search, &b->config, events, len);
    b->search.trace = NULL;
    return explained;
}

static const char *text_of(const struct bench *b, const unsigned char *trace, unsigned len,
                           char out[LINE_MAX_])
{
    int used = snprintf(out, LINE_MAX_, "%s %s:", b->alphabet->name, b->path);

    for (unsigned i = 0; i < len; i++)
        used +=
            snprintf(out + used, (size_t)(LINE_MAX_ - used), " %s", b->symbols[trace[i]].name);
    return out;
}

/* What the tester's side claims must be allowed: the SUT's answer to anything else is free. */
static bool lawful(const struct bench *b, const unsigned char *trace, unsigned len)
{
    uint32_t seen[2] = {0}, base[2] = {0};

    for (unsigned i = 0; i < len; i++) {
        const struct x_event *e = &b->symbols[trace[i]].event;
        const struct fal_falcon *f = &e->f;
        uint32_t claimed[2];

        if (e->wait)
            continue;
        if (e->from_sut) {
            if (fal_falcon_reliable(f->packet_type))
                seen[fal_falcon_window(f)] |= 1u << f->psn;
            continue;
        }
        claimed[FAL_WINDOW_DATA] = f->recv_data_base_psn;
        claimed[FAL_WINDOW_REQ] = f->recv_req_base_psn;
        for (int w = 0; w < 2; w++) {
            uint32_t below = (1u << claimed[w]) - 1;

            if ((!fal_falcon_reliable(f->packet_type) && claimed[w] < base[w]) ||
                (seen[w] & below) != below)
                return false;
            base[w] = claimed[w] > base[w] ? claimed[w] : base[w];
        }
        if ((fal_u128_lo(f->data_rx_bitmap) & ~(uint64_t)seen[FAL_WINDOW_DATA]) != 0)
            return false;
    }
    return true;
}

/* A blind spot that holds no smaller one. */
static bool smallest(struct bench *b, const unsigned char *trace, unsigned len)
{
    unsigned char part[TRACE_MAX];

    for (unsigned out = 0; out < len; out++) {
        for (unsigned i = 0, n = 0; i < len; i++)
            if (i != out)
                part[n++] = trace[i];
        if (lawful(b, part, len - 1) && !explain_trace(b, part, len - 1) &&
            !judge_trace(b, part, len - 1).broken)
            return false;
    }
    return true;
}

/* Compares both on a trace; true when it is explained, so that longer ones are worth a look. */
static bool compare(struct bench *b, const unsigned char *trace, unsigned len, bool all)
{
    struct verdict fast = judge_trace(b, trace, len);
    bool explained = explain_trace(b, trace, len);
    char line[LINE_MAX_];

    b->traces++;
    b->explained += explained;
    b->broken += fast.broken;
    ck_assert_msg(!explained || !fast.broken, "%s is explained, but broken: %s",
                  text_of(b, trace, len, line), fast.why);
    if (explained || fast.broken)
        return explained;
    b->blind++;
    if (all && smallest(b, trace, len)) {
        ck_assert_uint_lt(b->num_spots, SPOTS_MAX);
        (void)text_of(b, trace, len, b->spots[b->num_spots++]);
    }
    return false;
}

/* Events of the longest traces tried: the last step takes ten times as long as all before. */
static unsigned depth(void)
{
    if (test_rounds(1) > 1)
        return DEPTH_LONG;
    return test_stride() > 1 ? DEPTH_SHORT : DEPTH;
}

static void extend(struct bench *b, unsigned char *trace, unsigned len)
{
    if (len == depth())
        return;
    for (unsigned i = 0; i < b->num; i++) {
        trace[len] = (unsigned char)i;
        if (lawful(b, trace, len + 1) && compare(b, trace, len + 1, true))
            extend(b, trace, len + 1);
    }
}

/* ---- the list of blind spots ---- */

static bool listed(const char *line)
{
    FILE *f = fopen(SPOTS_FILE, "r");
    char text[LINE_MAX_ + 64];
    bool found = false;

    ck_assert_msg(f != NULL, "%s: run where the sources lie", SPOTS_FILE);
    while (!found && fgets(text, sizeof text, f) != NULL) {
        text[strcspn(text, "\n")] = 0;
        found = strcmp(text, line) == 0;
    }
    (void)fclose(f);
    return found;
}

static unsigned events_in(const char *line)
{
    unsigned n = 0;

    for (line = strchr(line, ':'); *line != 0 && *line != '\n'; line++)
        n += *line == ' ';
    return n;
}

/* Lines of the list for this bench, as far as it looks. */
static unsigned count_listed(const struct bench *b)
{
    FILE *f = fopen(SPOTS_FILE, "r");
    char text[LINE_MAX_ + 64], start[LINE_MAX_];
    unsigned n = 0;

    ck_assert_ptr_nonnull(f);
    (void)snprintf(start, sizeof start, "%s %s:", b->alphabet->name, b->path);
    while (fgets(text, sizeof text, f) != NULL)
        n += strncmp(text, start, strlen(start)) == 0 && events_in(text) <= depth();
    (void)fclose(f);
    return n;
}

START_TEST(every_short_trace)
{
    struct bench b;
    unsigned char trace[TRACE_MAX];

    open_bench(&b, (unsigned)_i / PATHS, (unsigned)_i % PATHS);
    extend(&b, trace, 0);
    if (getenv("TALON_SPOTS") != NULL) { /* to make the list anew */
        fprintf(stderr, "# %s %s: %lu traces, %lu explained, %lu broken, %lu blind\n",
                b.alphabet->name, b.path, b.traces, b.explained, b.broken, b.blind);
        for (unsigned i = 0; i < b.num_spots; i++)
            fprintf(stderr, "%s\n", b.spots[i]);
    } else {
        for (unsigned i = 0; i < b.num_spots; i++)
            ck_assert_msg(listed(b.spots[i]), "a new blind spot: %s", b.spots[i]);
        ck_assert_msg(b.num_spots == count_listed(&b), "%s: %u blind spots, %u in the list",
                      b.path, b.num_spots, count_listed(&b));
    }
    ck_assert_uint_gt(b.explained, 0);
    ck_assert_uint_gt(b.broken, 0);
    close_bench(&b);
}
END_TEST

START_TEST(random_traces)
{
    uint64_t first = test_seed(1);

    for (uint64_t seed = first; seed < first + test_rounds(60); seed++) {
        struct fal_rng rng = fal_rng_split(seed, 12);
        struct bench b;
        unsigned char trace[TRACE_MAX];
        unsigned len = 0, tries = 0;

        open_bench(&b, (unsigned)fal_rng_below(&rng, ALPHABETS), (unsigned)_i);
        while (len < TRACE_MAX && tries++ < 60) {
            trace[len] = (unsigned char)fal_rng_below(&rng, b.num);
            if (lawful(&b, trace, len + 1) && compare(&b, trace, len + 1, false))
                len++;
        }
        close_bench(&b);
    }
}
END_TEST

/* The explainer itself: what the sentences allow it explains, what they forbid it does not. */
static const struct {
    const char *alphabet, *path, *trace;
    bool explained;
} known[] = {
    {"receiver", "lossy", "P0 b10", true},
    {"receiver", "lossy", "b10", false},           /* never sent */
    {"receiver", "lossy", "P1 P0 b10 e0r1", true}, /* the EACK is the older one */
    {"receiver", "fifo", "P0 b10 b00", false},     /* a base goes back */
    {"receiver", "lossy", "P0 b10 b00", true},
    {"receiver", "fifo", "P1 e0r1 e0", false},   /* no NACK took it back */
    {"receiver", "fifo", "P1 e0a1 e0r1", false}, /* an acknowledgement does not */
    {"receiver", "lossy", "Q0 b01", true},
    {"edge", "fifo", "F e0w e0w", false}, /* the first one cleared it */
    {"edge", "lossy", "F e0w e0w", true}, /* doubled */
    {"edge", "fifo", "F F e0w e0w", true},
    {"edge", "now", "F b0", false}, /* an EACK is due */
    {"edge", "fifo", "F b0", true}, /* it has not come yet */
    {"edge", "lossy", "P0 F b1", true},
    {"refusal", "fifo", "n0c", false},
    {"refusal", "fifo", "P0 n0c n0c", false},
    {"refusal", "fifo", "P0 P0 n0c n0c", true}, /* once for each copy */
    {"refusal", "fifo", "P0 n0r e0r0", true},
    {"refusal", "fifo", "P0 e0r0 n0r e0", true},
    {"piggyback", "fifo", "P0 b1 p0b0", false},
    {"piggyback", "fifo", "p0b0 p0b0", false}, /* before its timeout */
    {"piggyback", "fifo", "p0b0 wait p0b0", true},
    {"sender", "fifo", "p0 p1", false}, /* RSN 1 first */
    {"sender", "lossy", "p0 p1", true}, /* it was lost */
    {"sender", "lossy", "p1 q0 p0", true},
    {"sender", "fifo", "p0 q0 p1 p2", false}, /* ncwnd is 2 */
    {"sender", "fifo", "p0 q0 p1 B1 p2", true},
    {"sender", "now", "p0 q0 B1 wait p0", false}, /* it has the ACK */
    {"sender", "fifo", "p0 q0 B1 wait p0", true},
};

START_TEST(the_explainer_knows_the_sentences)
{
    struct bench b;
    unsigned a = 0, p = 0, len = 0;
    unsigned char trace[TRACE_MAX];
    char text[LINE_MAX_], *word, *rest = NULL;

    while (strcmp(alphabets[a].name, known[_i].alphabet) != 0)
        a++;
    while (strcmp(paths[p].name, known[_i].path) != 0)
        p++;
    open_bench(&b, a, p);
    (void)snprintf(text, sizeof text, "%s", known[_i].trace);
    for (word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        unsigned i = 0;

        while (i < b.num && strcmp(b.symbols[i].name, word) != 0)
            i++;
        ck_assert_msg(i < b.num, "no symbol %s", word);
        trace[len++] = (unsigned char)i;
    }
    ck_assert_msg(explain_trace(&b, trace, len) == known[_i].explained, "%s %s: %s is %s",
                  known[_i].alphabet, known[_i].path, known[_i].trace,
                  known[_i].explained ? "not explained" : "explained");
    close_bench(&b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules against the slow explainer");
    TCase *tc = tcase_create("explained");

    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, the_explainer_knows_the_sentences, 0,
                        (int)(sizeof known / sizeof *known));
    tcase_add_loop_test(tc, every_short_trace, 0, ALPHABETS * PATHS);
    tcase_add_loop_test(tc, random_traces, 0, PATHS);
    suite_add_tcase(suite, tc);
    return suite;
}
