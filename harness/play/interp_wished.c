/* SPDX-License-Identifier: Apache-2.0
 * interp_wished.c - checks that the SUT opened the connection that the scenario needs. */
#include "harness/play/players.h"

#include "codecs/text/text.h"
#include "harness/play/numbers.h"
#include "harness/play/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_LEN = 160 };

/* "a 1, b 2" */
static void append(char *text, const char *name, const char *value)
{
    size_t len = strlen(text);

    (void)snprintf(text + len, LIST_LEN - len, "%s%s %s", len > 0 ? ", " : "", name, value);
}

/* The case needs another connection than the SUT opened. */
static void end_without(struct tl_interp *interp, const char *is, const char *because,
                        const char *wish)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_SETUP, 0);

    (void)snprintf(miss->seen, sizeof miss->seen, "the SUT has %s%s; this case needs %s", is,
                   because, wish);
}

/* One value that the scenario asks for at the SUT's end, and the value the adapter opened. */
struct wished {
    const char *name;
    bool has;
    uint32_t wish, is;
};

/* The numbers of the SUT's end. */
static bool numbers_as_wished(struct tl_interp *interp)
{
    const struct tl_end_setup *wish = &interp->scenario->sut;
    const struct fal_end *is = &interp->session->connection.sut;
    const struct tl_absolute absolute = tl_absolute_of(interp->scenario);
    const struct wished all[] = {
        {"cid", wish->has_cid, wish->end.cid, is->cid},
        {"function", wish->has_function, wish->end.function, is->function},
        {"req_psn", wish->has_req_psn, wish->end.req_psn, is->req_psn},
        {"data_psn", wish->has_data_psn, wish->end.data_psn, is->data_psn},
        {"rsn", wish->has_rsn, wish->end.rsn, is->rsn},
    };
    char wished[LIST_LEN] = "", opened[LIST_LEN] = "", number[16];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool address = i < 2;
        bool needed =
            address ? absolute.address : absolute.sequence || tl_number_is_edge(all[i].wish);

        if (!all[i].has || all[i].wish == all[i].is || !needed)
            continue;
        (void)snprintf(number, sizeof number, "%" PRIu32, all[i].wish);
        append(wished, all[i].name, number);
        (void)snprintf(number, sizeof number, "%" PRIu32, all[i].is);
        append(opened, all[i].name, number);
    }
    if (wished[0] == 0)
        return true;
    end_without(interp, opened, " (its adapter ignores `local`)", wished);
    return false;
}

static void print_param(const struct fal_param *param, const struct fal_params *params,
                        char *out, size_t cap)
{
    uint64_t value = fal_param_get(param, params);

    if (param->kind == FAL_PARAM_DURATION)
        (void)fal_text_duration(value, out, cap);
    else if (param->kind == FAL_PARAM_SWITCH)
        (void)snprintf(out, cap, "%s", value != 0 ? "true" : "false");
    else
        (void)snprintf(out, cap, "%" PRIu64, value);
}

/* Whether the connection of the case, or one of its steps, sets the parameter. */
static bool names(const struct tl_scenario *s, const struct fal_param *param)
{
    for (size_t i = 0; i < s->num_params; i++)
        if (s->params[i].param == param)
            return true;
    for (size_t i = 0; i < s->num_steps; i++) {
        const struct tl_step *step = &s->steps[i];
        const struct tl_act *act = &step->u.ulp.act;

        for (size_t k = 0;
             step->verb == TL_ULP && act->verb == TL_ACT_SET && k < act->num_params; k++)
            if (act->params[k].param == param)
                return true;
    }
    return false;
}

/* Whether the case needs the value that it wished: its connection or a step sets it, or the
 * user does. */
static bool needs(const struct tl_interp *interp, size_t at)
{
    const struct tl_given_params *given = interp->session->config.given;
    size_t n;

    return names(interp->scenario, &fal_param_table(&n)[at]) ||
           (given != NULL && given->given[at]);
}

/* Lists the parameters whose values differ, for which `wanted` holds: as the SUT has them, and
 * as they were wished. */
static bool differ(struct tl_interp *interp,
                   bool (*wanted)(struct tl_interp *interp, size_t at), char *is_text,
                   char *wish_text)
{
    const struct fal_params *wish = &interp->session->wished;
    const struct fal_params *is = &interp->session->connection.params;
    char value[32];
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    is_text[0] = wish_text[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (fal_param_get(&table[i], wish) == fal_param_get(&table[i], is) ||
            !wanted(interp, i))
            continue;
        print_param(&table[i], wish, value, sizeof value);
        append(wish_text, table[i].name, value);
        print_param(&table[i], is, value, sizeof value);
        append(is_text, table[i].name, value);
    }
    return is_text[0] != 0;
}

static bool is_needed(struct tl_interp *interp, size_t at)
{
    return needs(interp, at);
}

/* ---- values that the case can be played with ---- */

/* Steps follow such a value by its variable, or do not depend on it. */
static bool is_free(enum fal_param_at at)
{
    static const enum fal_param_at free[] = {
        FAL_PARAM_AT_rack_tlp,   FAL_PARAM_AT_protocol_type, FAL_PARAM_AT_coalescing,
        FAL_PARAM_AT_packet_gap, FAL_PARAM_AT_ooo_threshold, FAL_PARAM_AT_ar_threshold,
        FAL_PARAM_AT_ar_percent, FAL_PARAM_AT_flow_control,  FAL_PARAM_AT_initial_rtt,
        FAL_PARAM_AT_turnaround, FAL_PARAM_AT_pipeline,
    };

    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        if (free[i] == at)
            return true;
    return false;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Buffers are counted in cells, and a longer packet takes more of them. */
static bool has_buffers(const struct fal_params *params)
{
    return params->credit_req_buf_tx != 0 || params->credit_req_buf_rx != 0 ||
           params->credit_data_buf_tx != 0 || params->net_buf_rx != 0;
}

/* Limits: how much of it the case uses at most. Returns false for a parameter that is none. The
 * tester's end has the same windows as the SUT's. */
static bool usage_of(const struct tl_interp *interp, enum fal_param_at at, uint64_t *out)
{
    const struct tl_usage u = tl_usage_of(interp);
    const uint64_t *pushes = u.pushes, *pulls = u.pulls;
    uint64_t data = most(pushes[TL_SIDE_SUT] + pulls[TL_SIDE_TESTER],
                         pushes[TL_SIDE_TESTER] + pulls[TL_SIDE_SUT]);
    uint64_t requests = most(pulls[TL_SIDE_SUT], pulls[TL_SIDE_TESTER]);
    uint64_t by_sut = pushes[TL_SIDE_SUT] + pulls[TL_SIDE_SUT];
    uint64_t by_tester = pushes[TL_SIDE_TESTER] + pulls[TL_SIDE_TESTER];

    *out = TL_USAGE_UNKNOWN;
    switch ((int)at) {
    case FAL_PARAM_AT_tx_window_req: *out = requests; return true;
    case FAL_PARAM_AT_tx_window_data: *out = data; return true;
    case FAL_PARAM_AT_fcwnd: *out = most(data, requests); return true;
    case FAL_PARAM_AT_ncwnd: *out = most(by_sut, by_tester); return true;
    case FAL_PARAM_AT_credit_req_pkt_tx:
    case FAL_PARAM_AT_credit_data_pkt_tx: *out = by_sut + by_tester; return true;
    case FAL_PARAM_AT_mtu: *out = u.longest; return true;
    case FAL_PARAM_AT_credit_req_pkt_rx: /* kept for requests that are still to come */
    case FAL_PARAM_AT_net_pkt_rx:
    case FAL_PARAM_AT_max_attempts:
    case FAL_PARAM_AT_transaction_timeout: return true;
    default: return false;
    }
}

/* 0 stands for "no limit" (params.h). */
static bool zero_is_none(enum fal_param_at at)
{
    return at >= FAL_PARAM_AT_credit_req_pkt_tx && at <= FAL_PARAM_AT_net_buf_rx;
}

/* A packet asks for an ACK by another rule at the other side of the threshold (9.1.3.1). */
static bool asks_otherwise(const struct fal_params *a, const struct fal_params *b)
{
    return (a->fcwnd <= a->ar_threshold) != (b->fcwnd <= b->ar_threshold);
}

/* Whether the value of the SUT may change what the steps see. */
static bool may_bind(struct tl_interp *interp, size_t i)
{
    const struct fal_params *wish = &interp->session->wished;
    const struct fal_params *is = &interp->session->connection.params;
    enum fal_param_at at = (enum fal_param_at)i;
    uint64_t wished, has, used;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    if (is_free(at))
        return false;
    if (!usage_of(interp, at, &used) || (at == FAL_PARAM_AT_mtu && has_buffers(is)) ||
        (at == FAL_PARAM_AT_fcwnd && asks_otherwise(wish, is)))
        return true;
    wished = fal_param_get(&table[i], wish);
    has = fal_param_get(&table[i], is);
    if (zero_is_none(at) && (has == 0 || wished == 0))
        return has != 0 && has < used;
    return has < wished && has < used;
}

/* The SUT's own congestion control may set the RTO, between declared limits (FTP-9.1.1-17). A
 * case that sets an RTO beyond them cannot be played; a step that another case misses may have
 * been missed because of the RTO. */
static bool rto_as_wished(struct tl_interp *interp)
{
    const struct fal_params *is = &interp->session->connection.params;
    uint64_t rto_ns = interp->session->wished.rto_ns;
    char lo[32], hi[32], wish[32], has[LIST_LEN], needed[LIST_LEN];
    size_t n;
    const struct fal_param *rto = &fal_param_table(&n)[FAL_PARAM_AT_rto];

    if (!is->rto_varies || is->rto_hi_ns == 0)
        return true;
    (void)fal_text_duration(is->rto_lo_ns, lo, sizeof lo);
    (void)fal_text_duration(is->rto_hi_ns, hi, sizeof hi);
    print_param(rto, &interp->session->wished, wish, sizeof wish);
    (void)snprintf(has, sizeof has, "an rto between %s and %s", lo, hi);
    (void)snprintf(needed, sizeof needed, "rto %s", wish);
    if (names(interp->scenario, rto) && (rto_ns < is->rto_lo_ns || rto_ns > is->rto_hi_ns)) {
        end_without(interp, has, "", needed);
        return false;
    }
    (void)snprintf(interp->session->unlike, sizeof interp->session->unlike,
                   "the SUT has %s; this case needs %s", has, needed);
    return true;
}

/* The parameters: the SUT reports those that it has set otherwise (docs/sut-protocol.md). */
static bool params_as_wished(struct tl_interp *interp)
{
    char is[LIST_LEN], wished[LIST_LEN];

    if (differ(interp, is_needed, is, wished)) {
        end_without(interp, is, "", wished);
        return false;
    }
    if (!rto_as_wished(interp))
        return false;
    if (differ(interp, may_bind, is, wished))
        (void)snprintf(interp->session->unlike, sizeof interp->session->unlike,
                       "the SUT has %s; this case needs %s", is, wished);
    return true;
}

bool tl_interp_as_wished(struct tl_interp *interp)
{
    return numbers_as_wished(interp) && params_as_wished(interp);
}
