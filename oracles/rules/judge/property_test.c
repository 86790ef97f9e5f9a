/* SPDX-License-Identifier: Apache-2.0
 * property_test.c - no false alarm and no blindness on generated traffic: what two conforming
 * nodes do over any network breaks nothing, from any vantage; one thing changed in it breaks
 * the rule that forbids it. */
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/judge/model_testing.h"
#include "oracles/rules/judge/unexercised_testing.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdio.h>

struct verdict {
    struct fal_judge *judge;
    unsigned findings;
    struct fal_finding first;
    /* exercised: HOLDS of the SUT by rule, over all seeds */
    uint64_t holds[FAL_RULES_MAX];
};

static void on_finding(void *ctx, const struct fal_finding *f)
{
    struct verdict *v = ctx;

    if (!f->asked && v->findings++ == 0)
        v->first = *f;
}

static void to_judge(void *ctx, const struct fal_event *event)
{
    struct verdict *v = ctx;

    fal_judge_event(v->judge, event);
}

static void open_judge(struct verdict *v)
{
    struct fal_judge_config config = {.finding = on_finding, .ctx = v};

    v->findings = 0;
    v->judge = fal_judge_new(&config);
    ck_assert_ptr_nonnull(v->judge);
}

static void close_judge(struct verdict *v)
{
    const struct fal_rule_result *r;

    fal_judge_finish(v->judge);
    for (size_t i = 0; (r = fal_judge_result(v->judge, i)) != NULL; i++)
        if (r->subject == FAL_SUBJECT_SUT)
            v->holds[fal_rule_number(r->rule)] += r->holds;
    fal_judge_free(v->judge);
    v->judge = NULL;
}

static struct model_config random_config(uint64_t seed)
{
    struct fal_rng rng = fal_rng_split(seed, 6);
    struct model_config c = {.seed = seed};
    unsigned shape = (unsigned)fal_rng_below(&rng, 4);

    c.vantage = (enum fal_vantage)fal_rng_below(&rng, 3);
    c.lossy = fal_rng_below(&rng, 2) != 0;
    c.doubles = fal_rng_below(&rng, 2) != 0;
    c.delay_max_ns = shape == 0 ? 0 : FAL_US * (1 + fal_rng_below(&rng, 60));
    c.delay_min_ns = shape <= 1 ? c.delay_max_ns : fal_rng_below(&rng, c.delay_max_ns + 1);
    c.bounds_declared = fal_rng_below(&rng, 2) != 0;
    c.iv = fal_rng_below(&rng, 2) != 0;
    c.middle = fal_rng_below(&rng, 5) == 0;
    c.gaps = fal_rng_below(&rng, 5) == 0;
    c.ordered = fal_rng_below(&rng, 3) == 0;
    c.commanded = fal_rng_below(&rng, 2) != 0;
    c.pipeline_ns = fal_rng_below(&rng, 2) != 0 ? fal_rng_below(&rng, 20 * FAL_US) : 0;
    return c;
}

START_TEST(lawful_traffic_breaks_nothing)
{
    uint64_t first = test_seed(1);
    struct verdict v = {0};
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (uint64_t seed = first; seed < first + test_rounds(2000); seed++) {
        struct model_config c = random_config(seed);

        open_judge(&v);
        model_run(&c, to_judge, &v);
        close_judge(&v);
        ck_assert_msg(v.findings == 0,
                      "TALON_SEED=%" PRIu64 ": %s broken by the %s, event %" PRIu64
                      " at %" PRIu64 " ns: due %s; seen %s",
                      seed, v.first.rule->id,
                      v.first.subject == FAL_SUBJECT_SUT ? "SUT" : "tester",
                      v.first.evidence[v.first.num_evidence - 1], v.first.t_ns,
                      v.first.expected, v.first.seen);
    }
    for (size_t i = 0; i < n && first == 1 && test_rounds(2000) >= 2000;
         i++) /* fewer may not do */
        ck_assert_msg(v.holds[i] > 0 || unexercised(rules[i]->id, IN_MODEL),
                      "%s was never exercised", rules[i]->id);
}
END_TEST

/* ---- one thing changed ---- */

/* A timeline kept whole. */
struct kept {
    struct fal_event *events;
    uint8_t (*bytes)[MODEL_BYTES];
    size_t num, cap;
};

static void keep(void *ctx, const struct fal_event *event)
{
    struct kept *k = ctx;

    if (k->num == k->cap) {
        k->cap = k->cap == 0 ? 1024 : 2 * k->cap;
        k->events = realloc(k->events, k->cap * sizeof *k->events);
        k->bytes = realloc(k->bytes, k->cap * sizeof *k->bytes);
        ck_assert(k->events != NULL && k->bytes != NULL);
    }
    k->events[k->num] = *event;
    if (event->kind == FAL_EV_PACKET)
        memcpy(k->bytes[k->num], event->u.packet.bytes, event->u.packet.len);
    k->num++;
}

static void judge_kept(struct kept *k, struct verdict *v)
{
    open_judge(v);
    for (size_t i = 0; i < k->num; i++) {
        struct fal_event event = k->events[i];

        if (event.kind == FAL_EV_PACKET) {
            event.u.packet.bytes = k->bytes[i];
            fal_event_packet(&event.u.packet);
        }
        fal_judge_event(v->judge, &event);
    }
    close_judge(v);
}

/* Rewrites packet i through `change`; payload stays. */
static void rewrite(struct kept *k, size_t i, void (*change)(struct fal_falcon *f))
{
    struct fal_ev_packet *p = &k->events[i].u.packet;
    struct fal_falcon f;
    int header = fal_falcon_decode(k->bytes[i], p->len, &f);
    uint8_t payload[MODEL_BYTES];
    uint32_t len = p->len - (uint32_t)header;

    memcpy(payload, k->bytes[i] + header, len);
    change(&f);
    ck_assert_int_gt(fal_falcon_encode(&f, payload, len, k->bytes[i], MODEL_BYTES, NULL), 0);
}

static void far_base(struct fal_falcon *f)
{
    f->recv_data_base_psn += 1000;
}

static void low_base(struct fal_falcon *f)
{
    f->recv_data_base_psn -= 1;
}

static void bit_0(struct fal_falcon *f)
{
    f->data_ack_bitmap = fal_u128_with(f->data_ack_bitmap, 0);
}

static void own(struct fal_falcon *f)
{
    f->own |= FAL_OWN_REQ;
}

static void next_psn(struct fal_falcon *f)
{
    f->psn++;
}

static void version(struct fal_falcon *f)
{
    f->version = 3;
}

static bool from_sut(const struct fal_event *e, unsigned type)
{
    return e->kind == FAL_EV_PACKET && e->u.packet.dir == FAL_FROM_SUT &&
           e->u.packet.falcon.packet_type == type;
}

/* Each changes one thing, if it finds something to change; the rule that must notice it. */
static bool change_r1(struct kept *k, size_t i)
{
    if (!from_sut(&k->events[i], FAL_BACK))
        return false;
    rewrite(k, i, far_base);
    return true;
}

static bool change_r2(struct kept *k, size_t i)
{
    if (!from_sut(&k->events[i], FAL_EACK))
        return false;
    rewrite(k, i, bit_0);
    return true;
}

/* Of an ACK whose base an older packet has shown. */
static bool change_r3(struct kept *k, size_t i)
{
    uint32_t base = k->events[i].u.packet.falcon.recv_data_base_psn;

    if (!from_sut(&k->events[i], FAL_EACK) && !from_sut(&k->events[i], FAL_BACK))
        return false;
    for (size_t j = 0; j < i; j++) {
        const struct fal_event *e = &k->events[j];

        if (e->kind != FAL_EV_PACKET || e->u.packet.dir != FAL_FROM_SUT ||
            e->u.packet.falcon.recv_data_base_psn != base)
            continue;
        rewrite(k, i, low_base);
        return true;
    }
    return false;
}

static bool change_o1(struct kept *k, size_t i)
{
    if (!from_sut(&k->events[i], FAL_EACK) || k->events[i].u.packet.falcon.own != 0)
        return false;
    rewrite(k, i, own);
    return true;
}

static bool change_l1(struct kept *k, size_t i)
{
    if (k->events[i].kind != FAL_EV_PACKET || k->events[i].u.packet.dir != FAL_FROM_SUT)
        return false;
    rewrite(k, i, version);
    return true;
}

/* A push once more, with another byte. */
static bool change_x1(struct kept *k, size_t i)
{
    struct fal_event copy = k->events[i];
    uint8_t bytes[MODEL_BYTES];

    if (!from_sut(&copy, FAL_PUSH_DATA) || copy.u.packet.len < 40)
        return false;
    memcpy(bytes, k->bytes[i], MODEL_BYTES);
    bytes[39] ^= 1;
    copy.u.packet.bytes = bytes;
    keep(k, &copy);
    return true;
}

/* All pushes and pull data from here on are numbered one higher. */
static bool change_x2(struct kept *k, size_t i)
{
    uint32_t psn;

    if (!from_sut(&k->events[i], FAL_PUSH_DATA))
        return false;
    psn = k->events[i].u.packet.falcon.psn;
    for (size_t j = 0; j < k->num; j++) {
        const struct fal_event *e = &k->events[j];
        const struct fal_falcon *f = &e->u.packet.falcon;

        if (e->kind == FAL_EV_PACKET && e->u.packet.dir == FAL_FROM_SUT &&
            fal_falcon_reliable(f->packet_type) && fal_falcon_window(f) == FAL_WINDOW_DATA &&
            (int32_t)(f->psn - psn) >= 0)
            rewrite(k, j, next_psn);
    }
    return true;
}

static bool change_u1(struct kept *k, size_t i)
{
    if (k->events[i].kind != FAL_EV_ULP || k->events[i].u.ulp.kind != FAL_ULP_REQUEST)
        return false;
    k->events[i].u.ulp.hash ^= 1;
    return k->events[i].u.ulp.has_hash;
}

/* A request event once more; the barrier comes after it. */
static bool change_u2(struct kept *k, size_t i)
{
    struct fal_event copy = k->events[i], barrier = {.kind = FAL_EV_MARK, .conn = 1};

    if (copy.kind != FAL_EV_ULP || copy.u.ulp.kind != FAL_ULP_REQUEST)
        return false;
    barrier.u.mark.mark = FAL_MARK_BARRIER;
    keep(k, &copy);
    keep(k, &barrier);
    return true;
}

/* The answer to a push is written, and applied, only at the end. */
static bool change_r7(struct kept *k, size_t i)
{
    struct fal_event command = k->events[i];

    if (command.kind != FAL_EV_COMMAND || command.u.command.answer != FAL_ANSWER_ACK)
        return false;
    for (size_t j = i + 1; j < k->num; j++) {
        struct fal_event reply = k->events[j];

        if (reply.kind != FAL_EV_REPLY || reply.u.reply.id != command.u.command.id)
            continue;
        k->events[i].kind = k->events[j].kind = FAL_EV_NOTE;
        k->events[i].u.text = k->events[j].u.text = (struct fal_ev_text){.step = -1};
        command.index = reply.index = k->num;
        keep(k, &command);
        keep(k, &reply);
        return true;
    }
    return false;
}

static void far_nack(struct fal_falcon *f)
{
    f->nack_psn += 1000;
}

static void other_ulp_code(struct fal_falcon *f)
{
    f->ulp_nack_code++;
}

static void next_rsn(struct fal_falcon *f)
{
    f->rsn++;
}

static void resync_nre(struct fal_falcon *f)
{
    f->resync_code = FAL_RESYNC_NRE;
}

static bool change_packet(struct kept *k, size_t i, unsigned type,
                          void (*change)(struct fal_falcon *f))
{
    if (!from_sut(&k->events[i], type))
        return false;
    rewrite(k, i, change);
    return true;
}

static bool change_n1(struct kept *k, size_t i)
{
    return change_packet(k, i, FAL_NACK, far_nack);
}

/* A CIE with another code than the upper layer gave. */
static bool change_n2(struct kept *k, size_t i)
{
    return k->events[i].kind == FAL_EV_PACKET &&
           k->events[i].u.packet.falcon.nack_code == FAL_NACK_CIE &&
           change_packet(k, i, FAL_NACK, other_ulp_code);
}

/* The first Resync of its number. */
static bool change_s1(struct kept *k, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (from_sut(&k->events[i], FAL_RESYNC) && from_sut(&k->events[j], FAL_RESYNC) &&
            k->events[j].u.packet.falcon.psn == k->events[i].u.packet.falcon.psn)
            return false;
    return change_packet(k, i, FAL_RESYNC, resync_nre);
}

static bool change_s2(struct kept *k, size_t i)
{
    return change_packet(k, i, FAL_RESYNC, next_rsn);
}

/* A completion once more. */
static bool change_c1(struct kept *k, size_t i)
{
    struct fal_event copy = k->events[i];

    if (copy.kind != FAL_EV_ULP || copy.u.ulp.kind != FAL_ULP_COMPLETION)
        return false;
    keep(k, &copy);
    return true;
}

static bool change_c3(struct kept *k, size_t i)
{
    struct fal_event *event = &k->events[i];

    if (event->kind != FAL_EV_ULP || event->u.ulp.kind != FAL_ULP_COMPLETION ||
        event->u.ulp.has_hash)
        return false;
    event->u.ulp.code = 3;
    return true;
}

static const struct {
    const char *rule;
    bool (*change)(struct kept *k, size_t i);
} changes[] = {
    {"N1", change_n1}, {"N2", change_n2}, {"S1", change_s1}, {"S2", change_s2},
    {"C1", change_c1}, {"C3", change_c3}, {"R1", change_r1}, {"R2", change_r2},
    {"R3", change_r3}, {"R7", change_r7}, {"O1", change_o1}, {"L1", change_l1},
    {"X1", change_x1}, {"X2", change_x2}, {"U1", change_u1}, {"U2", change_u2},
};

/* A clean path, seen from the tester: there each change must be noticed, whichever it hits. */
START_TEST(one_thing_changed_is_noticed)
{
    uint64_t first = test_seed(1);
    unsigned long tried = 0, noticed = 0;
    size_t n;

    (void)fal_rules(&n);
    for (uint64_t seed = first; seed < first + test_rounds(60); seed++) {
        struct model_config c = {.seed = seed, .commanded = true, .bounds_declared = true};
        struct fal_rng rng = fal_rng_split(seed, 8);
        struct kept k = {0};
        struct verdict v = {0};
        size_t i, tries = 0;

        model_run(&c, keep, &k);
        i = fal_rng_below(&rng, k.num);
        for (; tries < k.num && !changes[_i].change(&k, i); tries++)
            i = (i + 1) % k.num;
        judge_kept(&k, &v);
        tried += tries < k.num;
        noticed += v.findings > 0;
        if (v.findings > 0) {
            ck_assert_uint_lt(fal_rule_number(v.first.rule), n);
            ck_assert_msg(v.first.subject == FAL_SUBJECT_SUT,
                          "TALON_SEED=%" PRIu64 ": the tester's", seed);
        }
        free(k.events);
        free(k.bytes);
    }
    ck_assert_uint_gt(tried, 0);
    /* An OWN set a little early may be the one that is due. */
    ck_assert_msg(noticed + tried / 200 >= tried,
                  "%s: %lu of %lu noticed from TALON_SEED=%" PRIu64, changes[_i].rule, noticed,
                  tried, first);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules on generated traffic");
    TCase *tc = tcase_create("generated");

    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, lawful_traffic_breaks_nothing);
    tcase_add_loop_test(tc, one_thing_changed_is_noticed, 0,
                        (int)(sizeof changes / sizeof *changes));
    suite_add_tcase(suite, tc);
    return suite;
}
