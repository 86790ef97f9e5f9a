/* SPDX-License-Identifier: Apache-2.0
 * results.c - what became of each rule, and the verdict over all. */
#include "oracles/rules/judge_state.h"
#include "oracles/rules/report.h"

#include <string.h>

static bool touched(const struct fal_tally *tally)
{
    uint64_t any = tally->holds | tally->undecided | tally->broken_fail | tally->broken_warn |
                   tally->broken_asked;

    for (size_t e = 0; e < FAL_EXCUSE_COUNT; e++)
        any |= tally->excused[e];
    return any != 0;
}

static void fill_result(const struct fal_judge *judge, const struct fal_conn *conn, size_t i,
                        enum fal_subject subject)
{
    size_t n;
    const struct fal_rule_impl *impl = fal_rule_table(&n)[i];
    const struct fal_tally *tally = &conn->tally[(size_t)subject * n + i];
    struct fal_rule_result *r = judge->result;

    *r = (struct fal_rule_result){
        .rule = &fal_rules(&n)[i],
        .subject = subject,
        .conn = conn->number,
        .holds = tally->holds,
        .broken = tally->broken_fail + tally->broken_warn + tally->broken_asked,
        .undecided = tally->undecided,
        .verdict = fal_tally_verdict(impl, subject, tally),
    };
    for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
        r->excused[e] = tally->excused[e];
}

/* The k-th of a connection's results, which *k counts down to; the strays have only those that
 * say something. */
static bool pick(const struct fal_judge *judge, const struct fal_conn *conn, size_t *k)
{
    size_t n;
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);

    for (size_t i = 0; i < n; i++) {
        for (enum fal_subject s = FAL_SUBJECT_SUT; s <= FAL_SUBJECT_TESTER; s++) {
            if (!judge->enabled[i] || (rules[i]->sut_only && s != FAL_SUBJECT_SUT) ||
                (conn == judge->strays && !touched(&conn->tally[(size_t)s * n + i])))
                continue;
            if ((*k)-- == 0) {
                fill_result(judge, conn, i, s);
                return true;
            }
        }
    }
    return false;
}

static size_t per_connection(const struct fal_judge *judge)
{
    size_t n, count = 0;
    const struct fal_rule_impl *const *rules = fal_rule_table(&n);

    for (size_t i = 0; i < n; i++)
        if (judge->enabled[i])
            count += rules[i]->sut_only ? 1 : 2;
    return count;
}

const struct fal_rule_result *fal_judge_result(const struct fal_judge *judge, size_t i)
{
    size_t each = per_connection(judge), of_conns = each * judge->conns.num, k;
    const struct fal_conn *conn = judge->strays;

    if (i < of_conns) {
        conn = judge->conns.list[i / each];
        k = i % each;
    } else {
        k = i - of_conns;
    }
    return pick(judge, conn, &k) ? judge->result : NULL;
}

bool fal_judge_reading(const struct fal_judge *judge, enum fal_subject subject, size_t i,
                       struct fal_reading_result *out)
{
    const struct fal_readings *readings = &judge->readings[subject];

    for (enum fal_amb amb = 0; amb < FAL_AMB_COUNT; amb++) {
        enum fal_reading now = fal_reading_now(readings, amb);

        if (!readings->of[amb].told || i-- > 0)
            continue;
        *out = (struct fal_reading_result){.id = fal_amb_name(amb),
                                           .text = fal_amb_text(amb, now),
                                           .alternative = now == FAL_READING_OTHER,
                                           .by = readings->of[amb].by.index,
                                           .by_ns = readings->of[amb].by.t_ns};
        return true;
    }
    return false;
}

bool fal_result_counts(const struct fal_rule_result *r)
{
    if (r->verdict != FAL_VERDICT_INCONC)
        return true;
    for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (r->excused[e] > 0)
            return true;
    return false;
}

static uint64_t used(const struct fal_judge *judge, enum fal_excuse excuse)
{
    size_t n;
    uint64_t sum = 0;

    (void)fal_rule_table(&n);
    for (size_t c = 0; c < judge->conns.num; c++)
        for (size_t i = 0; i < n; i++)
            sum += judge->conns.list[c]->tally[(size_t)FAL_SUBJECT_SUT * n + i].excused[excuse];
    return sum;
}

bool fal_judge_suspect(const struct fal_judge *judge, size_t i, struct fal_suspect *out)
{
    for (enum fal_excuse e = 0; e < FAL_EXCUSE_COUNT; e++) {
        uint64_t allowed = fal_allowed(judge->measured, e), count;

        if (allowed == UINT64_MAX)
            continue;
        count = used(judge, e);
        if (count <= allowed || i-- > 0)
            continue;
        *out = (struct fal_suspect){.excuse = e, .used = count, .allowed = allowed};
        return true;
    }
    return false;
}

enum fal_verdict fal_judge_verdict(const struct fal_judge *judge)
{
    enum fal_verdict worst = judge->oom ? FAL_VERDICT_ERROR : FAL_VERDICT_NONE;
    const struct fal_rule_result *r;
    struct fal_suspect suspect;

    if (fal_judge_suspect(judge, 0, &suspect))
        worst = fal_verdict_worse(worst, FAL_VERDICT_INCONC);

    for (size_t i = 0; (r = fal_judge_result(judge, i)) != NULL; i++)
        if (fal_result_counts(r))
            worst = fal_verdict_worse(worst, r->verdict);
    return worst;
}

const char *fal_excuse_name(enum fal_excuse excuse)
{
    static const char *const names[FAL_EXCUSE_COUNT] = {
        [FAL_EXCUSE_IN_LOSS] = "in-loss",
        [FAL_EXCUSE_OUT_LOSS] = "out-loss",
        [FAL_EXCUSE_IN_DUP] = "in-dup",
        [FAL_EXCUSE_OUT_DUP] = "out-dup",
        [FAL_EXCUSE_IN_REORDER] = "in-reorder",
        [FAL_EXCUSE_OUT_REORDER] = "out-reorder",
        [FAL_EXCUSE_CAPTURE_GAP] = "capture-gap",
        [FAL_EXCUSE_PIPELINE] = "pipeline",
        [FAL_EXCUSE_RESOURCE_DROP] = "resource-drop",
        [FAL_EXCUSE_STALE_NACK] = "stale-nack",
        [FAL_EXCUSE_CC_UNKNOWN] = "cc-unknown",
        [FAL_EXCUSE_CONFIG] = "config",
        [FAL_EXCUSE_CLOCK] = "clock",
        [FAL_EXCUSE_TESTER_LATE] = "tester-late",
        [FAL_EXCUSE_READING] = "reading",
    };

    return names[excuse];
}
