/* SPDX-License-Identifier: Apache-2.0
 * interp_params.c - whether the case can be played with the parameters that the SUT reports.
 *
 * A parameter of `connection.params` is a wish, or the case needs it. It needs the value if it
 * varies it, lists it in `connection.needs`, changes it in a step, or sets a resource, a window
 * or a switch with it: then the case is about that value. All others (an RTO that is to be out
 * of the way, a window that is to be large enough) are wishes: the steps follow the SUT's value
 * by its variable, and a step that is not met does not fail the SUT. */
#include "harness/play/players.h"

#include "codecs/text/text.h"
#include "harness/play/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* How the connection of the case sets the parameter; NULL: it does not. */
static const struct tl_param_setup *setup_of(const struct tl_scenario *s, size_t at)
{
    size_t n;
    const struct fal_param *param = &fal_param_table(&n)[at];

    for (size_t i = 0; i < s->num_params; i++)
        if (s->params[i].param == param)
            return &s->params[i];
    return NULL;
}

/* Whether a step of the case changes the parameter. */
static bool is_changed(const struct tl_scenario *s, size_t at)
{
    size_t n;
    const struct fal_param *param = &fal_param_table(&n)[at];

    for (size_t i = 0; i < s->num_steps; i++) {
        const struct tl_step *step = &s->steps[i];
        const struct tl_act *act = step->u.ulp.act;

        for (size_t k = 0;
             step->verb == TL_ULP && act->verb == TL_ACT_SET && k < act->num_params; k++)
            if (act->params[k].param == param)
                return true;
    }
    return false;
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
        tl_interp_list(wish_text, table[i].name, value);
        print_param(&table[i], is, value, sizeof value);
        tl_interp_list(is_text, table[i].name, value);
    }
    return is_text[0] != 0;
}

/* ---- values that the case can be played with ---- */

/* Steps follow such a value by its variable, or do not depend on it, unless the case sets it.
 */
static bool is_free(enum fal_param_at at)
{
    static const enum fal_param_at free[] = {
        FAL_PARAM_AT_rack_tlp,      FAL_PARAM_AT_protocol_type, FAL_PARAM_AT_coalescing,
        FAL_PARAM_AT_packet_gap,    FAL_PARAM_AT_ooo_threshold, FAL_PARAM_AT_ar_threshold,
        FAL_PARAM_AT_ar_percent,    FAL_PARAM_AT_flow_control,  FAL_PARAM_AT_initial_rtt,
        FAL_PARAM_AT_turnaround,    FAL_PARAM_AT_pipeline,      FAL_PARAM_AT_initial_ttl,
        FAL_PARAM_AT_replay_margin, FAL_PARAM_AT_tick,          FAL_PARAM_AT_resync_vendor,
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

/* 0 stands for "no limit" (params.h). */
static bool zero_is_none(enum fal_param_at at)
{
    return at >= FAL_PARAM_AT_credit_req_pkt_tx && at <= FAL_PARAM_AT_net_buf_rx;
}

/* Limits: how much of it the case uses at most. Returns false for a parameter that is none. The
 * tester's end has the same windows as the SUT's. */
static bool usage_of(const struct tl_interp *interp, enum fal_param_at at, uint64_t *out)
{
    enum { KEPT = 4 };
    const struct tl_usage u =
        zero_is_none(at) ? tl_usage_of_device(interp) : tl_usage_of(interp);
    const uint64_t *pushes = u.pushes, *pulls = u.pulls;
    uint64_t data = most(pushes[TL_SIDE_SUT] + pulls[TL_SIDE_TESTER],
                         pushes[TL_SIDE_TESTER] + pulls[TL_SIDE_SUT]);
    uint64_t requests = most(pulls[TL_SIDE_SUT], pulls[TL_SIDE_TESTER]);
    uint64_t by_sut = pushes[TL_SIDE_SUT] + pulls[TL_SIDE_SUT];
    uint64_t by_tester = pushes[TL_SIDE_TESTER] + pulls[TL_SIDE_TESTER];
    /* The SUT chooses the size of its cells; none is smaller than a byte. */
    uint64_t cells = (by_sut + by_tester) * most(u.longest, 1);

    if (cells > TL_USAGE_UNKNOWN)
        cells = TL_USAGE_UNKNOWN;
    *out = TL_USAGE_UNKNOWN;
    switch ((int)at) {
    case FAL_PARAM_AT_tx_window_req: *out = requests; return true;
    case FAL_PARAM_AT_tx_window_data: *out = data; return true;
    /* A variant counts the packets of both windows together (AMB-11). */
    case FAL_PARAM_AT_fcwnd: *out = data + requests; return true;
    case FAL_PARAM_AT_ncwnd: *out = most(by_sut, by_tester); return true;
    case FAL_PARAM_AT_credit_req_pkt_tx:
    case FAL_PARAM_AT_credit_data_pkt_tx: *out = by_sut + by_tester; return true;
    case FAL_PARAM_AT_credit_req_buf_tx:
    case FAL_PARAM_AT_credit_data_buf_tx: *out = cells; return true;
    case FAL_PARAM_AT_mtu: *out = u.longest; return true;
    /* A part is kept for requests that are still to come. */
    case FAL_PARAM_AT_credit_req_pkt_rx:
    case FAL_PARAM_AT_net_pkt_rx: *out = KEPT * (by_sut + by_tester); return true;
    case FAL_PARAM_AT_credit_req_buf_rx:
    case FAL_PARAM_AT_net_buf_rx: *out = KEPT * cells; return true;
    case FAL_PARAM_AT_max_attempts: return true;
    case FAL_PARAM_AT_transaction_timeout: *out = UINT64_MAX; return true; /* a time */
    default: return false;
    }
}

/* A packet asks for an ACK by another rule at the other side of the threshold (9.1.3.1). */
static bool asks_otherwise(const struct fal_params *a, const struct fal_params *b)
{
    return (a->fcwnd <= a->ar_threshold) != (b->fcwnd <= b->ar_threshold);
}

/* A value that a case sets only so that it is out of the way, or has a known size. */
static bool may_be_wish(const struct tl_interp *interp, enum fal_param_at at)
{
    static const enum fal_param_at wishes[] = {
        FAL_PARAM_AT_rto,          FAL_PARAM_AT_coalescing,
        FAL_PARAM_AT_initial_rtt,  FAL_PARAM_AT_transaction_timeout,
        FAL_PARAM_AT_max_attempts, FAL_PARAM_AT_ooo_threshold,
        FAL_PARAM_AT_ar_threshold, FAL_PARAM_AT_ar_percent,
    };
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    uint64_t used;

    for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
        if (wishes[i] == at)
            return true;
    /* A limit that the case cannot reach is to be large enough. */
    return !zero_is_none(at) && usage_of(interp, at, &used) &&
           fal_param_get(&table[at], &interp->session->wished) >= used;
}

/* Whether the case needs the value that was wished: it is about this value, or the user gave
 * it. */
static bool is_needed(struct tl_interp *interp, size_t at)
{
    const struct tl_given_params *given = interp->session->config.given;
    const struct tl_param_setup *setup = setup_of(interp->scenario, at);

    return (given != NULL && given->given[at]) || is_changed(interp->scenario, at) ||
           (setup != NULL && (setup->needed || !may_be_wish(interp, (enum fal_param_at)at)));
}

/* Whether steps of a case that sets a value may see that the SUT has another one: an ACK that
 * comes sooner is never wrong. */
static bool set_may_bind(const struct tl_interp *interp, enum fal_param_at at)
{
    const struct tl_session *session = interp->session;

    return at != FAL_PARAM_AT_coalescing ||
           session->connection.params.coalescing_ns > session->wished.coalescing_ns;
}

/* Whether the drop filter matches a transaction of the case: one whose RSN `every` divides. The
 * steps may also name RSNs a few further on. */
static bool filter_matches(const struct tl_interp *interp, enum fal_param_at at, uint64_t every)
{
    enum { FURTHER = 64 };
    bool as_target = at == FAL_PARAM_AT_xlr_target;
    const struct tl_usage u = tl_usage_of(interp);
    enum tl_side by = as_target ? TL_SIDE_TESTER : TL_SIDE_SUT;
    uint64_t num = u.pushes[by] + u.pulls[by] + FURTHER;
    uint64_t first = tl_interp_rsn_base(interp, TL_SIDE_SUT, as_target);

    /* the RSN after 2^32 - 1 is 0, which everything divides */
    return every != 0 && (first == 0 || first + num > (uint64_t)UINT32_MAX + 1 ||
                          (first + num - 1) / every > (first - 1) / every);
}

bool tl_interp_may_bind(struct tl_interp *interp, size_t i)
{
    const struct fal_params *wish = &interp->session->wished;
    const struct fal_params *is = &interp->session->connection.params;
    enum fal_param_at at = (enum fal_param_at)i;
    uint64_t wished, has, used;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    if (at == FAL_PARAM_AT_max_attempts && setup_of(interp->scenario, i) == NULL)
        return is->max_attempts < wish->max_attempts;
    /* It is a part of a packet, which counts only where the window binds. */
    if (at == FAL_PARAM_AT_fcwnd_fraction && setup_of(interp->scenario, i) == NULL &&
        setup_of(interp->scenario, FAL_PARAM_AT_fcwnd) == NULL &&
        !is_changed(interp->scenario, FAL_PARAM_AT_fcwnd))
        return usage_of(interp, FAL_PARAM_AT_fcwnd, &used) && used >= is->fcwnd;
    /* The ACK comes after the peer's RTO, so that copies are sent, and attempts may run out. */
    if (at == FAL_PARAM_AT_coalescing && is->coalescing_ns > wish->coalescing_ns &&
        is->coalescing_ns >= is->rto_ns)
        return true;
    if (is_free(at) || at == FAL_PARAM_AT_max_attempts)
        return setup_of(interp->scenario, i) != NULL && set_may_bind(interp, at);
    if (at == FAL_PARAM_AT_xlr_initiator || at == FAL_PARAM_AT_xlr_target)
        return filter_matches(interp, at, fal_param_get(&table[i], is)) ||
               filter_matches(interp, at, fal_param_get(&table[i], wish));
    if (!usage_of(interp, at, &used) || (at == FAL_PARAM_AT_mtu && has_buffers(is)) ||
        (at == FAL_PARAM_AT_fcwnd && asks_otherwise(wish, is)))
        return true;
    wished = fal_param_get(&table[i], wish);
    has = fal_param_get(&table[i], is);
    /* Within a longer timeout, the attempts may run out first. */
    if (at == FAL_PARAM_AT_transaction_timeout && has > wished)
        return setup_of(interp->scenario, i) != NULL;
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
    char lo[32], hi[32], wish[32], has[TL_LIST_LEN], needed[TL_LIST_LEN];
    size_t n;
    const struct fal_param *rto = &fal_param_table(&n)[FAL_PARAM_AT_rto];

    if (!is->rto_varies || is->rto_hi_ns == 0)
        return true;
    (void)fal_text_duration(is->rto_lo_ns, lo, sizeof lo);
    (void)fal_text_duration(is->rto_hi_ns, hi, sizeof hi);
    print_param(rto, &interp->session->wished, wish, sizeof wish);
    (void)snprintf(has, sizeof has, "an rto between %s and %s", lo, hi);
    (void)snprintf(needed, sizeof needed, "rto %s", wish);
    if (setup_of(interp->scenario, FAL_PARAM_AT_rto) != NULL &&
        (rto_ns < is->rto_lo_ns || rto_ns > is->rto_hi_ns)) {
        tl_interp_end_without(interp, has, "", needed);
        return false;
    }
    (void)snprintf(interp->session->unlike, sizeof interp->session->unlike,
                   "the SUT has %s; this case needs %s", has, needed);
    return true;
}

bool tl_interp_is_tight(const struct tl_interp *interp, size_t i)
{
    const struct tl_session *session = interp->session;
    const struct tl_given_params *given = session->config.given;
    enum fal_param_at at = (enum fal_param_at)i;
    struct fal_params usual;
    uint64_t used = TL_USAGE_UNKNOWN, has;
    size_t n;
    const struct fal_param *param = &fal_param_table(&n)[i];

    if (given == NULL || !given->given[i] || setup_of(interp->scenario, i) != NULL)
        return false;
    has = fal_param_get(param, &session->connection.params);
    if (at == FAL_PARAM_AT_xlr_initiator || at == FAL_PARAM_AT_xlr_target)
        /* The tester's endpoint has the user's filter, too. */
        return filter_matches(interp, FAL_PARAM_AT_xlr_initiator, has) ||
               filter_matches(interp, FAL_PARAM_AT_xlr_target, has);
    if (zero_is_none(at)) {
        (void)usage_of(interp, at, &used);
        return has != 0 && has < used;
    }
    if (at != FAL_PARAM_AT_rto && !usage_of(interp, at, &used))
        return false;
    fal_params_default(&usual, tl_session_live(session));
    /* A long path stretches the times of the connection, not the one that was given. */
    return given->values[i] < fal_param_get(param, &usual) &&
           (used == TL_USAGE_UNKNOWN || has < used);
}

/* Names such limits as values that the case needs otherwise. */
static void note_tight(struct tl_interp *interp)
{
    struct tl_session *session = interp->session;
    struct fal_params usual;
    char is[TL_LIST_LEN] = "", needed[TL_LIST_LEN] = "", value[32];
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    fal_params_default(&usual, tl_session_live(session));
    for (size_t i = 0; i < n; i++) {
        if (!tl_interp_is_tight(interp, i))
            continue;
        print_param(&table[i], &session->connection.params, value, sizeof value);
        tl_interp_list(is, table[i].name, value);
        print_param(&table[i], &usual, value, sizeof value);
        tl_interp_list(needed, table[i].name, value);
    }
    if (is[0] != 0)
        (void)snprintf(session->unlike, sizeof session->unlike,
                       "the SUT has %s; this case needs %s", is, needed);
}

/* A SUT that has a shorter RTO than the case wished, and not a longer one than a round trip
 * takes, retransmits each packet before its ACK can arrive, whatever the case is about: of all
 * that it has otherwise, this is named. */
static void note_short_rto(struct tl_interp *interp)
{
    struct tl_session *session = interp->session;
    uint64_t rto_ns = session->connection.params.rto_ns, path_ns = session->bench->path_ns;
    char has[32], trip[32], wish[32];

    if (tl_session_live(session) || rto_ns > path_ns || rto_ns >= session->wished.rto_ns)
        return;
    (void)fal_text_duration(rto_ns, has, sizeof has);
    (void)fal_text_duration(path_ns, trip, sizeof trip);
    (void)fal_text_duration(session->wished.rto_ns, wish, sizeof wish);
    (void)snprintf(session->unlike, sizeof session->unlike,
                   "the SUT has rto %s, and a round trip takes %s; this case needs rto %s", has,
                   trip, wish);
}

/* Queue pairs have packets of their path MTU, whatever the path carries. */
static bool path_carries(struct tl_interp *interp)
{
    const struct tl_session *session = interp->session;
    uint32_t most = session->bench->caps.mtu;
    struct tl_miss *miss;
    uint64_t longest;

    if (interp->scenario->upper == TL_UPPER_RAW || most == 0)
        return true;
    longest = tl_frame_room(session->config.encap) + tl_usage_of(interp).longest;
    if (longest <= most)
        return true;
    miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_SETUP, 0);
    (void)snprintf(miss->seen, sizeof miss->seen,
                   "the path carries frames of %" PRIu32 " bytes; this case needs %" PRIu64,
                   most, longest);
    return false;
}

bool tl_interp_params_as_wished(struct tl_interp *interp)
{
    struct tl_session *session = interp->session;
    char is[TL_LIST_LEN], wished[TL_LIST_LEN];

    if (!path_carries(interp))
        return false;
    if (differ(interp, is_needed, is, wished)) {
        tl_interp_end_without(interp, is, "", wished);
        return false;
    }
    if (!rto_as_wished(interp))
        return false;
    if (differ(interp, tl_interp_may_bind, is, wished))
        (void)snprintf(session->unlike, sizeof session->unlike,
                       "the SUT has %s; this case needs %s", is, wished);
    if (session->unlike[0] == 0)
        note_tight(interp);
    note_short_rto(interp);
    return true;
}
