/* SPDX-License-Identifier: Apache-2.0
 * rules.c - the symptom of a violation that a rule found. A rule says that an acknowledgement
 * is missing; the packets say what came instead. */
#include "harness/blame/symptoms.h"

#include <string.h>

/* The packets among the evidence of a finding: numbers, UINT64_MAX where there is none. */
struct evidence {
    const struct tl_trace *trace;
    uint64_t sent; /* the first packet of the tester: the cause */
    uint64_t came; /* the last packet of the SUT: the effect */
    uint64_t bad;  /* the first packet that the SUT must drop */
    uint64_t t_ns;
    const char *requirement; /* that the rule names, or "" */
};

static struct evidence evidence_of(const struct tl_trace *trace, const struct fal_finding *f)
{
    struct evidence e = {.trace = trace,
                         .sent = UINT64_MAX,
                         .came = UINT64_MAX,
                         .bad = UINT64_MAX,
                         .t_ns = f->t_ns,
                         .requirement = f->requirement != NULL ? f->requirement : ""};

    for (size_t i = 0; i < f->num_evidence; i++) {
        uint64_t n = tl_trace_find(trace, f->evidence[i]);
        const struct tl_seen_packet *p = tl_trace_packet(trace, n);

        if (p == NULL) {
            if (n != UINT64_MAX && e.bad == UINT64_MAX)
                e.bad = n;
            continue;
        }
        if (p->dir == FAL_TO_SUT && e.sent == UINT64_MAX)
            e.sent = n;
        if (p->dir == FAL_FROM_SUT)
            e.came = n;
    }
    return e;
}

static struct tl_symptoms one(enum tl_symptom symptom)
{
    struct tl_symptoms out = {.count = 0};

    tl_symptoms_add(&out, symptom);
    return out;
}

static struct tl_symptoms owed(const struct evidence *e)
{
    return tl_owed_ack(e->trace, e->sent, e->t_ns);
}

/* Of A2: nothing came in time, for a packet or for a push that the upper layer has accepted. */
static struct tl_symptoms coalesced(const struct evidence *e)
{
    struct tl_symptoms out = owed(e);

    if (out.count > 0 || strcmp(e->requirement, "FTP-9.1.6-07") != 0)
        return out;
    if (e->sent != UINT64_MAX)
        return tl_no_ack(e->trace, e->sent);
    tl_symptoms_add(&out, TL_SYMPTOM_ULP_ACK_UNTIMED);
    tl_symptoms_add(&out, TL_SYMPTOM_NO_ACK_IN_TIME);
    return out;
}

static struct tl_symptoms lacks(const struct evidence *e)
{
    return e->came != UINT64_MAX ? tl_ack_lacks(e->trace, e->came, e->sent) : owed(e);
}

static struct tl_symptoms layout(const struct evidence *e)
{
    enum tl_symptom is = tl_bitmap_layout(e->trace, e->came);

    if (is == TL_SYMPTOM_NONE)
        is = tl_bases_exchanged(e->trace, e->came);
    return one(is != TL_SYMPTOM_NONE ? is : tl_acks_bad(e->trace, e->came));
}

static struct tl_symptoms nacked(const struct evidence *e)
{
    return one(tl_nack_and_ack(e->trace, e->came));
}

static struct tl_symptoms nack_code(const struct evidence *e)
{
    return one(tl_nack_code(e->trace, e->came));
}

static struct tl_symptoms push_acked(const struct evidence *e)
{
    return one(tl_push_acked(e->trace, e->sent, e->t_ns));
}

static struct tl_symptoms resync_code(const struct evidence *e)
{
    return one(tl_resync_code(e->trace, e->came));
}

static struct tl_symptoms repeated(const struct evidence *e)
{
    return tl_ack_ignored(e->trace, e->came, e->came);
}

static struct tl_symptoms incomplete(const struct evidence *e)
{
    enum tl_symptom pull = tl_incomplete_pull(e->trace, e->came);

    return pull != TL_SYMPTOM_NONE ? one(pull) : tl_ack_ignored(e->trace, e->came, UINT64_MAX);
}

static struct tl_symptoms early(const struct evidence *e)
{
    return one(tl_early_copy(e->trace, e->came));
}

static struct tl_symptoms completed(const struct evidence *e)
{
    const struct tl_seen_packet *q = tl_trace_packet(e->trace, e->came);

    enum tl_symptom twice =
        q != NULL ? tl_completed_twice(e->trace, q->falcon.rsn) : TL_SYMPTOM_NONE;

    if (q == NULL || twice != TL_SYMPTOM_NONE)
        return one(twice);
    return one(tl_completed_early(e->trace, q->falcon.rsn, e->t_ns));
}

static struct tl_symptoms own_inside(const struct evidence *e)
{
    return one(tl_own_inside(e->trace, e->came));
}

static struct tl_symptoms delivered_again(const struct evidence *e)
{
    return one(tl_delivered_again(e->trace, e->sent));
}

static struct tl_symptoms echo(const struct evidence *e)
{
    return one(tl_echo_of_bad(e->trace, e->came));
}

static struct tl_symptoms bad_accepted(const struct evidence *e)
{
    return e->bad != UINT64_MAX ? one(tl_bad_accepted(e->trace, e->bad)) : one(TL_SYMPTOM_NONE);
}

static struct tl_symptoms rsn_gap(const struct evidence *e)
{
    return one(tl_rsn_gap(e->trace, e->came));
}

static struct tl_symptoms iv_twice(const struct evidence *e)
{
    return one(tl_iv_twice(e->trace, e->came));
}

static struct tl_symptoms rnr_short(const struct evidence *e)
{
    return one(tl_rnr_short(e->trace, e->came));
}

static struct tl_symptoms rsn_twice(const struct evidence *e)
{
    return one(tl_rsn_twice(e->trace, e->came));
}

static struct tl_symptoms psn_gap(const struct evidence *e)
{
    return one(tl_psn_gap(e->trace, e->came));
}

static struct tl_symptoms completion_code(const struct evidence *e)
{
    return one(tl_completion_code(e->trace, e->came, e->t_ns));
}

struct tl_symptoms tl_rule_symptoms(const struct tl_trace *trace,
                                    const struct fal_finding *finding)
{
    static const struct {
        const char *rule;
        struct tl_symptoms (*of)(const struct evidence *e);
    } rules[] = {
        {"R1", layout},    {"A2", coalesced},    {"A3", owed},
        {"A4", owed},      {"S6", owed},         {"U6", owed},
        {"R4", lacks},     {"O2", lacks},        {"N1", nacked},
        {"N2", nack_code}, {"R8", push_acked},   {"S1", resync_code},
        {"X6", repeated},  {"C5", incomplete},   {"E2", early},
        {"C1", completed}, {"O1", own_inside},   {"U2", delivered_again},
        {"T1", echo},      {"D1", bad_accepted}, {"D3", bad_accepted},
        {"T6", iv_twice},  {"RN1", rnr_short},   {"X3", rsn_gap},
        {"X1", rsn_twice}, {"X2", psn_gap},      {"C3", completion_code},
    };
    struct evidence e = evidence_of(trace, finding);

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].rule, finding->rule->id) == 0)
            /* cppcheck-suppress returnDanglingLifetime ; the result has no pointer */
            return rules[i].of(&e);
    return one(TL_SYMPTOM_NONE);
}
