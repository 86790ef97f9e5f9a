/* SPDX-License-Identifier: Apache-2.0
 * both_ends_test.c - a judge of both ends comes to what two judges come to, of which each takes
 * one end for the SUT: the same counts, findings, readings and excuses. */
#include "oracles/rules/facts/track.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/judge/model_testing.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>

enum { FOUND_MAX = 65536, ENDS = 2, WORLDS = 12 };

/* The findings of one end, as text. */
struct found {
    unsigned num;
    char *line[FOUND_MAX];
};

/* What a judge calls back with. */
struct listener {
    struct trial *trial;
    bool both;
    unsigned end; /* if not both */
};

struct trial {
    struct fal_judge *two[ENDS], *one;
    struct listener listener[ENDS + 1];
    struct found by_two[ENDS], by_one[ENDS];
    struct fal_rng rng;
    bool lossless, in_order, may_miss; /* of the run, either way */
    unsigned parted;                   /* packets that only one of the ends may drop */
    uint64_t index, last_ns, base_ns;  /* base: when the world at hand began */
    uint32_t conn;                     /* of this world */
};

static void on_finding(void *ctx, const struct fal_finding *f)
{
    struct listener *l = ctx;
    unsigned end = l->both ? f->end : l->end;
    struct found *found = l->both ? &l->trial->by_one[end] : &l->trial->by_two[end];
    char line[1024];

    ck_assert_uint_lt(found->num, FOUND_MAX);
    (void)snprintf(
        line, sizeof line, "%s %s %d %d %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %s | %s",
        f->rule->id, f->requirement != NULL ? f->requirement : "", (int)f->subject, f->asked,
        f->conn, f->t_ns, f->evidence[0],
        f->evidence[f->num_evidence > 0 ? f->num_evidence - 1 : 0], f->expected, f->seen);
    found->line[found->num++] = strdup(line);
}

static struct fal_judge *new_judge(struct trial *t, unsigned which)
{
    struct fal_judge_config config = {.finding = on_finding,
                                      .ctx = &t->listener[which],
                                      .sut_alone = which < ENDS,
                                      .both_ends = which == ENDS,
                                      .at_hand_bytes = 1};

    t->listener[which] = (struct listener){t, which == ENDS, which};
    return fal_judge_new(&config);
}

/* ---- events, and as the second end sees them ---- */

static void turn(struct fal_event *event)
{
    if (event->kind == FAL_EV_PACKET) {
        event->u.packet.dir = fal_dir_other(event->u.packet.dir);
    } else if (event->kind == FAL_EV_CONNECTION) {
        struct fal_end sut = event->u.connection.sut;

        event->u.connection.sut = event->u.connection.tester;
        event->u.connection.tester = sut;
    }
}

static void to_all(struct trial *t, struct fal_event event)
{
    event.index = t->index++;
    event.conn = event.kind == FAL_EV_RUN || event.kind == FAL_EV_MARK ? 0 : t->conn;
    event.t_ns += t->base_ns;
    t->last_ns = event.t_ns > t->last_ns ? event.t_ns : t->last_ns;
    fal_judge_event(t->one, &event);
    fal_judge_event(t->two[0], &event);
    turn(&event);
    fal_judge_event(t->two[1], &event);
}

static void gap(struct trial *t, uint64_t t_ns)
{
    t_ns += t->base_ns;
    for (unsigned end = 0; end < ENDS; end++)
        for (enum fal_mark mark = FAL_MARK_GAP_IN; mark <= FAL_MARK_GAP_OUT; mark++)
            fal_judge_event(t->two[end], &(struct fal_event){.kind = FAL_EV_MARK,
                                                             .index = t->index,
                                                             .t_ns = t_ns,
                                                             .u.mark.mark = mark});
    fal_judge_gap(t->one, t->index, t_ns);
    t->index++;
}

/* The run says the same of the path either way. */
static void take_run(struct trial *t, struct fal_event event)
{
    struct fal_ev_run *run = &event.u.run;

    run->live = false;
    run->vantage = FAL_VANTAGE_MIDDLE;
    run->may_miss = t->may_miss;
    run->in_order_in = run->in_order_out = t->in_order && run->in_order_in && run->in_order_out;
    t->in_order = run->in_order_in;
    run->lossless_in = run->lossless_out = run->lossless_in && run->lossless_out;
    if (t->conn == 1)
        to_all(t, event);
}

static void take_connection(struct trial *t, struct fal_event event)
{
    if (t->in_order)
        event.u.connection.params.pipeline_ns = 0;
    to_all(t, event);
}

/* Now and then a bit of the header is another one, or the packet is not seen. */
static void take_packet(struct trial *t, struct fal_event event)
{
    struct fal_ev_packet *packet = &event.u.packet;
    uint8_t bytes[MODEL_BYTES];
    unsigned dice = (unsigned)fal_rng_below(&t->rng, 200);

    if (dice == 0) {
        gap(t, event.t_ns);
        return;
    }
    if (dice == 1)
        to_all(t, (struct fal_event){.kind = FAL_EV_MARK,
                                     .t_ns = event.t_ns,
                                     .u.mark.mark = FAL_MARK_CLOCK_STEP});
    memcpy(bytes, packet->bytes, packet->len);
    if (dice < 8 && packet->len >= 24)
        bytes[fal_rng_below(&t->rng, 24)] ^= (uint8_t)(1u << fal_rng_below(&t->rng, 8));
    packet->bytes = bytes;
    packet->origin = FAL_ORIGIN_FOREIGN;
    packet->step = -1;
    fal_event_packet(packet);
    t->parted += fal_track_parts(packet);
    to_all(t, event);
}

static void take(void *ctx, const struct fal_event *event)
{
    switch (event->kind) {
    case FAL_EV_RUN: take_run(ctx, *event); break;
    case FAL_EV_CONNECTION: take_connection(ctx, *event); break;
    case FAL_EV_PACKET: take_packet(ctx, *event); break;
    case FAL_EV_COMMAND:
    case FAL_EV_REPLY:
    case FAL_EV_ULP:
    case FAL_EV_CM:
    case FAL_EV_CC:
    case FAL_EV_VERBS:
    case FAL_EV_NVME:
    case FAL_EV_MARK:
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_TIMING:
    case FAL_EV_BENCH:
    case FAL_EV_INTERNAL:
    case FAL_EV_CLOSE:
    case FAL_EV_END: break; /* of the upper layer, or of a tester */
    }
}

/* ---- comparing ---- */

static void same_results(const struct trial *t, unsigned end, uint64_t seed)
{
    const struct fal_rule_result *a, *b;

    for (size_t i = 0;; i++) {
        a = fal_judge_result(t->two[end], i);
        b = fal_judge_result_of(t->one, end, i);
        ck_assert_msg((a == NULL) == (b == NULL), "TALON_SEED=%" PRIu64 ": result %zu", seed,
                      i);
        if (a == NULL || b == NULL)
            break;
        ck_assert_msg(a->rule == b->rule && a->subject == b->subject && a->conn == b->conn &&
                          a->holds == b->holds && a->broken == b->broken &&
                          a->undecided == b->undecided && a->verdict == b->verdict &&
                          memcmp(a->excused, b->excused, sizeof a->excused) == 0,
                      "TALON_SEED=%" PRIu64 ": end %u, %s: held %" PRIu64 " and %" PRIu64
                      ", broken %" PRIu64 " and %" PRIu64 ", undecided %" PRIu64 " and %" PRIu64
                      ", verdict %d and %d",
                      seed, end, a->rule->id, a->holds, b->holds, a->broken, b->broken,
                      a->undecided, b->undecided, (int)a->verdict, (int)b->verdict);
    }
}

static void same_rest(const struct trial *t, unsigned end, uint64_t seed)
{
    struct fal_reading_result r[2];
    struct fal_suspect s[2];
    bool more = true;

    for (size_t i = 0; more; i++) {
        more = fal_judge_reading(t->two[end], FAL_SUBJECT_SUT, i, &r[0]);
        ck_assert(fal_judge_reading_of(t->one, end, i, &r[1]) == more);
        ck_assert_msg(!more || (r[0].id == r[1].id && r[0].text == r[1].text &&
                                r[0].by == r[1].by && r[0].by_ns == r[1].by_ns),
                      "TALON_SEED=%" PRIu64 ": reading %zu of end %u", seed, i, end);
    }
    more = true;
    for (size_t i = 0; more; i++) {
        more = fal_judge_suspect(t->two[end], i, &s[0]);
        ck_assert(fal_judge_suspect_of(t->one, end, i, &s[1]) == more);
        ck_assert_msg(!more || (s[0].excuse == s[1].excuse && s[0].used == s[1].used &&
                                s[0].allowed == s[1].allowed),
                      "TALON_SEED=%" PRIu64 ": suspect %zu of end %u", seed, i, end);
    }
}

static void same_findings(struct trial *t, unsigned end, uint64_t seed)
{
    struct found *a = &t->by_two[end], *b = &t->by_one[end];

    ck_assert_uint_eq(a->num, b->num);
    for (unsigned i = 0; i < a->num; i++) {
        ck_assert_msg(strcmp(a->line[i], b->line[i]) == 0,
                      "TALON_SEED=%" PRIu64 ": finding %u of end %u: %s; %s", seed, i, end,
                      a->line[i], b->line[i]);
        free(a->line[i]);
        free(b->line[i]);
    }
    a->num = b->num = 0;
}

START_TEST(two_judges_and_one_agree)
{
    uint64_t first = test_seed(1);
    unsigned parted = 0;
    struct trial *t = calloc(1, sizeof *t);

    ck_assert_ptr_nonnull(t);
    for (uint64_t seed = first; seed < first + test_rounds(60); seed++) {
        struct model_config c = {.seed = seed};

        *t = (struct trial){.rng = fal_rng_split(seed, 21)};
        c.lossy = fal_rng_below(&t->rng, 2) != 0;
        c.doubles = fal_rng_below(&t->rng, 2) != 0;
        c.iv = fal_rng_below(&t->rng, 2) != 0;
        c.middle = fal_rng_below(&t->rng, 3) != 0;
        c.delay_max_ns = fal_rng_below(&t->rng, 40 * FAL_US);
        c.delay_min_ns = fal_rng_below(&t->rng, 2) != 0 ? c.delay_max_ns : 0;
        c.bounds_declared = fal_rng_below(&t->rng, 2) != 0;
        c.pipeline_ns = fal_rng_below(&t->rng, 2) != 0 ? 10 * FAL_US : 0;
        c.ordered = fal_rng_below(&t->rng, 3) == 0;
        t->in_order = fal_rng_below(&t->rng, 2) != 0;
        t->may_miss = fal_rng_below(&t->rng, 20) == 0;
        for (unsigned i = 0; i <= ENDS; i++)
            *(i < ENDS ? &t->two[i] : &t->one) = new_judge(t, i);
        for (t->conn = 1; t->conn <= WORLDS; t->conn++) {
            model_run(&c, take, t);
            t->base_ns = t->last_ns;
            c.seed += 1000000;
        }
        fal_judge_finish(t->one);
        for (unsigned end = 0; end < ENDS; end++) {
            fal_judge_finish(t->two[end]);
            same_results(t, end, seed);
            same_rest(t, end, seed);
            same_findings(t, end, seed);
            fal_judge_free(t->two[end]);
        }
        fal_judge_free(t->one);
        parted += t->parted;
    }
    ck_assert_uint_gt(parted, 0);
    free(t);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("a judge of both ends");
    TCase *tc = tcase_create("both ends");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, two_judges_and_one_agree);
    suite_add_tcase(suite, tc);
    return suite;
}
