/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 4, LINE = 480, HEADERS = 14 + 20 + 8 + 12 + 16 + 4 };

static const char *const places[TL_ROCE_PLACES] = {"end a", "end b", "the switch"};

/* ---- packets as a place sees them ---- */

/* A packet at the place that is judged. */
struct view {
    uint64_t at_ns;
    size_t index; /* of the log's entry */
    unsigned ecn;
    bool sent, spoiled;
};

struct views {
    struct view *list;
    size_t count;
};

static enum fal_roce_icrc icrc_of(const struct tl_roce_seen *seen, bool spoiled)
{
    if (spoiled)
        return FAL_ROCE_ICRC_WRONG;
    switch (seen->icrc) {
    case FAL_ICRC_GOOD: return FAL_ROCE_ICRC_RIGHT;
    case FAL_ICRC_ABSENT: return FAL_ROCE_ICRC_NOT_CHECKED;
    case FAL_ICRC_BAD: break;
    }
    return seen->packet.icrc == 0 ? FAL_ROCE_ICRC_ABSENT : FAL_ROCE_ICRC_WRONG;
}

static void read_headers(const struct fal_roce_packet *p, struct fal_roce_seen *out)
{
    if (p->state != FAL_ROCE_READ)
        return;
    for (size_t i = 0; i < p->kind->num_headers; i++)
        out->has_aeth |= p->kind->headers[i] == FAL_ROCE_AETH;
    out->syndrome = p->aeth.syndrome;
    out->msn = p->aeth.msn;
    out->has_reth = p->bth.opcode == FAL_ROCE_OP_rc_read_request;
    out->dma_length = p->reth.length;
    out->cnp_zeros = p->bth.opcode == FAL_ROCE_OP_cnp && p->cnp.reserved_0 == 0;
}

static struct fal_roce_seen packet_of(const struct tl_roce_log *log, const struct view *v,
                                      bool at_switch)
{
    const struct tl_roce_seen *seen = &log->seen[v->index];
    const struct fal_roce_packet *p = &seen->packet;
    struct fal_roce_seen out = {
        .at_ns = v->at_ns,
        .number = v->index + 1,
        .src = seen->src,
        .dst = seen->dst,
        .v6 = seen->v6,
        .ecn = (uint8_t)v->ecn,
        .dscp = seen->dscp,
        .point = !at_switch ? FAL_ROCE_ANYWHERE
                 : v->sent  ? FAL_ROCE_BEFORE
                            : FAL_ROCE_AFTER,
        .opcode = p->bth.opcode,
        .tver = p->bth.tver,
        .pad = p->bth.pad,
        .reserved = p->bth.reserved_0 != 0 || p->bth.reserved_1 != 0,
        .fecn = p->bth.fecn,
        .becn = p->bth.becn,
        .ack_req = p->bth.ack_req,
        .dest_qp = p->bth.dest_qp,
        .psn = p->bth.psn,
        .payload = (uint32_t)p->data_len,
        .wire = (uint32_t)seen->bytes,
        .icrc = icrc_of(seen, v->spoiled),
    };

    read_headers(p, &out);
    return out;
}

/* In order of time; what arrives at a moment comes before what is sent because of it. */
static int by_time(const void *a, const void *b)
{
    const struct view *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->sent != y->sent)
        return x->sent ? 1 : -1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void add(struct views *views, const struct view *view)
{
    views->list[views->count++] = *view;
}

/* What the switch got, and what left it. */
static void view_switch(const struct tl_roce_log *log, struct views *views)
{
    for (size_t i = 0; i < log->num_passed; i++) {
        const struct tl_roce_passed *p = &log->passed[i];

        add(views, &(struct view){p->at_ns, p->index, p->ecn, true, p->spoiled});
    }
    for (size_t i = 0; i < log->num_seen; i++) {
        const struct tl_roce_seen *s = &log->seen[i];

        if (s->point == TL_ROCE_ARRIVAL)
            add(views, &(struct view){s->at_ns, i, s->ecn, false, false});
    }
}

/* What an end sent and got. Of a built-in player both are known as at its port; of a real end
 * as they pass the bridge. */
static void view_end(const struct tl_roce_log *log, const struct tl_roce_sut *sut, unsigned end,
                     struct views *views)
{
    bool builtin = sut->bridge == NULL;
    uint64_t delay_ns = builtin ? log->scenario->network.delay_ns : 0;

    for (size_t i = 0; i < log->num_seen; i++) {
        const struct tl_roce_seen *s = &log->seen[i];
        bool sent = s->from == end;

        if (s->point == TL_ROCE_BRIDGE && sent && !s->injected)
            add(views, &(struct view){s->at_ns > delay_ns ? s->at_ns - delay_ns : 0, i, s->ecn,
                                      true, false});
        if (s->point == TL_ROCE_ARRIVAL && !sent)
            add(views, &(struct view){s->at_ns, i, s->ecn, false, false});
    }
    for (size_t i = 0; !builtin && i < log->num_passed; i++) {
        const struct tl_roce_passed *p = &log->passed[i];

        if (log->seen[p->index].from != end)
            add(views, &(struct view){p->at_ns, p->index, p->ecn, false, p->spoiled});
    }
}

/* ---- what is declared ---- */

/* The parameters of the scenario, and what the variants of the player declare. */
static void declare_congestion(const struct tl_roce_scenario *s, const struct tl_roce_sut *sut,
                               struct fal_rj_setup *setup)
{
    const struct fal_roce_odd *odd = &sut->odd;
    struct fal_dcqcn *d = &setup->dcqcn;

    if (s->no_rcm || fal_roce_does(odd, FAL_ROCE_VARIANT_NO_RCM)) {
        setup->congestion_management = FAL_ROCE_NOT_CLAIMED;
        return;
    }
    setup->congestion_management = FAL_ROCE_CLAIMED;
    *d = *fal_dcqcn_preset(s->preset);
    d->line_rate_bps = s->rate_bps;
    if (s->min_rate_bps != 0)
        d->min_rate_bps = s->min_rate_bps;
    d->cnp_interval_ns = s->cnp_interval_ns;
    d->alpha_at_cnp = (d->alpha_at_cnp || fal_roce_does(odd, FAL_ROCE_VARIANT_ALPHA_AT_CNP)) &&
                      !fal_roce_does(odd, FAL_ROCE_VARIANT_ALPHA_AT_SLOT);
    d->clamp_target |= fal_roce_does(odd, FAL_ROCE_VARIANT_CLAMP_TARGET);
    setup->have_dcqcn = true;
    setup->alpha_from_cnp = true;
    setup->limiter = fal_roce_does(odd, FAL_ROCE_VARIANT_NP_PER_PORT) ? FAL_ROCE_PER_PORT
                     : fal_roce_does(odd, FAL_ROCE_VARIANT_NP_PER_IP) ? FAL_ROCE_PER_IP
                                                                      : FAL_ROCE_PER_QP;
}

/* Of a built-in player: what the scenario declares of it, and a capture without gaps. */
static void declare_builtin(const struct tl_roce_scenario *s, const struct tl_roce_sut *sut,
                            struct fal_rj_setup *setup)
{
    setup->vantage = FAL_ROCE_AT_SUT;
    setup->turnaround_ns = s->answer_ns;
    setup->have_turnaround = true;
    setup->timeout_ns = s->timeout_ns;
    setup->mtu = (uint32_t)s->mtu & ~3u;
    setup->burst_bytes = setup->mtu + HEADERS;
    setup->have_burst = true;
    setup->from_start = true;
    setup->virtual_link = true;
    setup->cnp_becn = true;
    setup->backlogged = tl_roce_has(s->claims, "backlogged");
    setup->separate_scheduler = tl_roce_has(s->claims, "separate-scheduler");
    declare_congestion(s, sut, setup);
}

/* Of a real end: what the user declares. The bridge is the only way between the ends, so that
 * what it did not see did not arrive. */
static void declare_real(const struct tl_roce_declared *declared, struct fal_rj_setup *setup)
{
    setup->vantage = FAL_ROCE_AT_MIDDLE;
    setup->dcqcn.cnp_interval_ns = declared->cnp_interval_ns;
    setup->timeout_ns = declared->timeout_ns;
    setup->delay_ns = setup->turnaround_ns = declared->answer_ns;
    setup->have_delay = setup->have_turnaround = declared->answer_ns != 0;
    setup->no_duplicates = setup->no_marking_behind = declared->direct;
    setup->lossless_out = setup->lossless_in = declared->direct;
}

/* The first packet's addresses tell which address each end has. */
static void declare_hosts(const struct tl_roce_log *log, enum tl_roce_place place,
                          struct fal_rj_host hosts[2], struct fal_rj_setup *setup)
{
    const struct tl_roce_seen *first = &log->seen[0];

    hosts[first->from] = (struct fal_rj_host){first->src, first->v6};
    hosts[1 - first->from] = (struct fal_rj_host){first->dst, first->v6};
    if (place != TL_ROCE_SWITCH)
        setup->suts[setup->num_suts++] = hosts[place];
}

/* ---- judging ---- */

static void feed(struct fal_roce_judge *judge, const struct tl_roce_log *log,
                 const struct views *views, bool at_switch)
{
    for (size_t i = 0; i < views->count; i++) {
        const struct fal_roce_seen packet = packet_of(log, &views->list[i], at_switch);

        fal_roce_judge_seen(judge, &packet);
    }
    fal_roce_judge_end(judge);
}

/* The connections of built-in players are known. */
static size_t pairs_of(const struct tl_roce_log *log, const struct fal_rj_host hosts[2],
                       struct fal_rj_pair pairs[TL_ROCE_CONNS_MAX])
{
    size_t n = 0;

    for (unsigned i = 0; !log->learns && i < log->num_conns; i++)
        pairs[n++] = (struct fal_rj_pair){{hosts[0], hosts[1]},
                                          {log->conns[i].qpn[0], log->conns[i].qpn[1]}};
    return n;
}

struct fal_roce_judge *tl_roce_rules_judge(const struct tl_roce_log *log,
                                           const struct tl_roce_sut *sut,
                                           enum tl_roce_place place)
{
    struct fal_rj_setup setup = {.complete = true, .icrc_captured = true};
    struct views views = {calloc(log->num_seen + log->num_passed + 1, sizeof *views.list), 0};
    struct fal_rj_pair pairs[TL_ROCE_CONNS_MAX];
    struct fal_roce_judge *judge = NULL;
    struct fal_rj_host hosts[2];

    if (views.list == NULL)
        return NULL;
    if (sut->bridge == NULL)
        declare_builtin(log->scenario, sut, &setup);
    else
        declare_real(&sut->declared, &setup);
    if (log->num_seen > 0)
        declare_hosts(log, place, hosts, &setup);
    if (place == TL_ROCE_SWITCH) {
        setup.vantage = FAL_ROCE_AT_SWITCH;
        view_switch(log, &views);
    } else {
        view_end(log, sut, place, &views);
    }
    qsort(views.list, views.count, sizeof *views.list, by_time);
    setup.num_pairs = log->num_seen > 0 ? pairs_of(log, hosts, pairs) : 0;
    setup.pairs = pairs;
    judge = fal_roce_judge_new(&setup);
    if (judge != NULL)
        feed(judge, log, &views, place == TL_ROCE_SWITCH);
    free(views.list);
    return judge;
}

/* ---- the case ---- */

static char *join(const char *a, const char *between, const char *b, const char *end)
{
    char *text;

    return asprintf(&text, "%s%s%s%s", a, between, b, end) >= 0 ? text : NULL;
}

/* The packets of both ends around that entry, at the bridge. */
static void add_ladder(const struct tl_roce_log *log, struct tl_problem *p, size_t index)
{
    size_t first = index > 2 * AROUND ? index - 2 * AROUND : 0;
    char line[LINE];

    for (size_t i = first; i <= index + AROUND && i < log->num_seen; i++) {
        if (log->seen[i].point != TL_ROCE_BRIDGE && i != index)
            continue;
        tl_roce_log_line(&log->seen[i], line, sizeof line);
        if (!tl_ladder_add(&p->ladder, &p->num_ladder, line, i == index))
            return;
    }
}

static void add_problem(const struct tl_roce_log *log, enum tl_roce_place place,
                        const struct fal_tally_rule *rule,
                        const struct fal_tally_finding *finding, struct tl_case *out)
{
    struct tl_problem *p = tl_case_problem(out);

    if (finding->verdict > out->verdict) {
        out->verdict = finding->verdict;
        out->reason = tl_reason(TL_REASON_RULE);
    }
    if (p == NULL)
        return;
    *p = (struct tl_problem){.kind = TL_PROBLEM_RULE,
                             .verdict = finding->verdict,
                             .reason = tl_reason(TL_REASON_RULE),
                             .step = -1,
                             .t_ns = finding->at_ns,
                             .subject = FAL_SUBJECT_SUT,
                             .text = join(rule->id, ": ", places[place], ""),
                             .step_code = join("rule", "/", rule->id, ""),
                             .expected = join(rule->text, " (rule ", rule->id, ")"),
                             .seen = join(places[place], ": ", finding->what, "")};
    if (finding->number > 0)
        add_ladder(log, p, (size_t)finding->number - 1);
}

/* The first finding of each rule that is violated. */
static void add_findings(const struct tl_roce_log *log, enum tl_roce_place place,
                         const struct fal_tally *tally, struct tl_case *out)
{
    for (size_t i = 0; i < tally->num_rules; i++) {
        const struct fal_tally_row *row = &tally->rows[i];

        /* A switch is judged by its marks alone: the ends have judges of their own. */
        if ((strcmp(tally->rules[i].actor, "switch") == 0) != (place == TL_ROCE_SWITCH))
            continue;
        for (unsigned k = 0; k < row->num_findings; k++) {
            enum fal_verdict verdict = row->findings[k].verdict;

            if (verdict != FAL_VERDICT_FAIL && verdict != FAL_VERDICT_WARN)
                continue;
            add_problem(log, place, &tally->rules[i], &row->findings[k], out);
            break;
        }
    }
}

/* The worst first; steps before rules where they are equal. */
static void sort_problems(struct tl_case *c)
{
    for (size_t i = 1; i < c->num_problems; i++) {
        struct tl_problem p = c->problems[i];
        size_t k = i;

        for (; k > 0 && c->problems[k - 1].verdict < p.verdict; k--)
            c->problems[k] = c->problems[k - 1];
        c->problems[k] = p;
    }
}

int tl_roce_rules(const struct tl_roce_log *log, const struct tl_roce_sut *sut,
                  struct tl_case *out)
{
    enum tl_roce_place end = sut->bridge == NULL && log->scenario->network.switch_bps != 0
                                 ? TL_ROCE_PLACES
                                 : TL_ROCE_SWITCH;
    bool memory = true;

    for (enum tl_roce_place place = TL_ROCE_END_A; memory && place < end; place++) {
        struct fal_roce_judge *judge = tl_roce_rules_judge(log, sut, place);

        memory = judge != NULL && !fal_roce_judge_counts(judge).out_of_memory;
        if (memory)
            add_findings(log, place, fal_roce_judge_tally(judge), out);
        fal_roce_judge_free(judge);
    }
    sort_problems(out);
    return memory ? 0 : FAL_ERR_MEM;
}
