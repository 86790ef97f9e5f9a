/* SPDX-License-Identifier: Apache-2.0
 * interp_acted.c - whether a parameter of the SUT that differs from the wish can have changed
 * what happened until a step was missed. Where it cannot, the SUT fails. */
#include "harness/play/players.h"

#include "harness/play/usage.h"
#include "oracles/seq.h"
#include "oracles/timer_bounds.h"

/* ---- the RTO ---- */

/* Whether the SUT sent the packet `number` as a copy that its RTO explains. */
static bool is_copy_by_rto(const struct tl_session *session, uint64_t number)
{
    const struct tl_seen_packet *packet = tl_session_packet(session, number);
    uint64_t least_ns = fal_rto_bounds(&session->connection.params).least_ns;

    if (packet->dir != FAL_FROM_SUT || packet->header_len <= 0 ||
        !fal_falcon_reliable(packet->falcon.packet_type))
        return false;
    for (uint64_t i = number; i-- > tl_session_first_packet(session);) {
        const struct tl_seen_packet *before = tl_session_packet(session, i);

        if (before->dir == FAL_FROM_SUT && before->header_len > 0 &&
            fal_falcon_reliable(before->falcon.packet_type) &&
            before->falcon.psn == packet->falcon.psn &&
            fal_falcon_window(&before->falcon) == fal_falcon_window(&packet->falcon))
            return packet->t_ns - before->t_ns >= least_ns;
    }
    return false;
}

void tl_interp_note_copy(struct tl_interp *interp, uint64_t number)
{
    const struct tl_session *session = interp->session;

    if (session->unlike[0] != 0 && !interp->took_copy &&
        session->connection.params.rto_ns < session->wished.rto_ns)
        interp->took_copy = is_copy_by_rto(session, number);
}

static bool reads_rto(const struct tl_interp *interp)
{
    return (interp->read_params & FAL_PARAM_BIT(FAL_PARAM_AT_rto)) != 0;
}

bool tl_interp_rto_intervened(const struct tl_interp *interp)
{
    return interp->took_copy && !reads_rto(interp);
}

/* Whether the SUT sent a copy by its RTO until t_ns. */
static bool has_copy_by_rto(const struct tl_session *session, uint64_t t_ns)
{
    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++)
        if (tl_session_packet(session, i)->t_ns <= t_ns && is_copy_by_rto(session, i))
            return true;
    return false;
}

/* Whether the tester acknowledged the SUT's packet by its base, early enough for the answer to
 * reach the SUT before its RTO, which is at least `least_ns`. */
static bool is_acknowledged(const struct tl_session *session, const struct tl_seen_packet *sent,
                            uint64_t least_ns)
{
    bool data = fal_falcon_window(&sent->falcon) == FAL_WINDOW_DATA;

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i);
        uint32_t base =
            data ? packet->falcon.recv_data_base_psn : packet->falcon.recv_req_base_psn;

        if (packet->dir == FAL_TO_SUT && packet->header_len > 0 && packet->bad == FAL_BAD_NOT &&
            packet->t_ns >= sent->t_ns &&
            packet->t_ns + session->bench->path_ns < sent->t_ns + least_ns &&
            fal_seq_lt(sent->falcon.psn, base))
            return true;
    }
    return false;
}

/* Whether until t_ns a packet of the SUT was unacknowledged for as long as the RTO that the
 * case wished: then a copy may have been expected. */
static bool copy_was_due(const struct tl_session *session, uint64_t t_ns)
{
    uint64_t least_ns = fal_rto_bounds_of(&session->wished, false, 0, 0).least_ns;

    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i);

        if (packet->dir == FAL_FROM_SUT && packet->header_len > 0 &&
            fal_falcon_reliable(packet->falcon.packet_type) &&
            packet->t_ns + least_ns <= t_ns + session->bench->path_ns &&
            !is_acknowledged(session, packet, least_ns))
            return true;
    }
    return false;
}

/* Whether an RTO that differs from the wish can have changed what happened until t_ns. A
 * shorter one acts by the copies that the SUT sends, a longer one where a copy would have come,
 * and either one by the times that the steps compute from it. One that varies about the value
 * that was wished (FTP-9.1.1-17) may be shorter and longer; the times of the steps are those of
 * the wish. Copies that the scenario drops are not seen, and those of another connection of the
 * case, which take turns of the same sender, are not in this session. */
static bool rto_acted(const struct tl_interp *interp, uint64_t t_ns)
{
    const struct tl_session *session = interp->session;
    const struct fal_params *is = &session->connection.params;
    uint64_t wish_ns = session->wished.rto_ns;

    if (is->rto_varies)
        return is->rto_ns != wish_ns || session->rto_moved || session->gate.touched ||
               has_copy_by_rto(session, t_ns) || copy_was_due(session, t_ns);
    if (reads_rto(interp))
        return true;
    if (is->rto_ns < wish_ns)
        return session->config.copies > 1 || has_copy_by_rto(session, t_ns);
    return t_ns >=
           fal_rto_bounds_of(&session->wished, false, is->tick_ns, is->pipeline_ns).least_ns;
}

/* ---- the order of transactions ---- */

/* Whether the SUT's packet ends the tester's request for the order: the push is acknowledged,
 * or the pull is answered. */
static bool is_ended_by(const struct tl_seen_packet *request,
                        const struct tl_seen_packet *packet)
{
    if (request->falcon.packet_type == FAL_PULL_REQUEST)
        return packet->falcon.packet_type == FAL_PULL_DATA &&
               packet->falcon.rsn == request->falcon.rsn;
    return fal_seq_lt(request->falcon.psn, packet->falcon.recv_data_base_psn);
}

static bool is_same_request(const struct tl_seen_packet *a, const struct tl_seen_packet *b)
{
    return a->falcon.rsn == b->falcon.rsn && a->falcon.psn == b->falcon.psn &&
           (a->falcon.packet_type == b->falcon.packet_type ||
            b->falcon.packet_type == FAL_RESYNC);
}

/* Whether it may matter to what happened until t_ns that the SUT keeps another order. The order
 * is that of the transactions of one initiator, so it cannot act while each of them ends before
 * the next one begins: the SUT posts one at most, and the tester sends each request after the
 * SUT has ended the one before. */
static bool order_acted(const struct tl_interp *interp, uint64_t t_ns)
{
    const struct tl_session *session = interp->session;
    const struct tl_usage used = tl_usage_of(interp);
    const struct tl_seen_packet *last = NULL;
    uint32_t rsn = tl_interp_rsn_base(interp, TL_SIDE_SUT, true);
    bool ended = true;

    if (used.pushes[TL_SIDE_SUT] + used.pulls[TL_SIDE_SUT] > 1 ||
        tl_session_first_packet(session) > 0)
        return true;
    for (uint64_t i = 0; i < session->packets.next; i++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, i);
        enum fal_packet_type type = packet->falcon.packet_type;

        if (packet->t_ns > t_ns || packet->header_len <= 0)
            continue;
        if (packet->dir == FAL_FROM_SUT) {
            ended = ended || is_ended_by(last, packet);
        } else if (type == FAL_PUSH_DATA || type == FAL_PULL_REQUEST || type == FAL_RESYNC) {
            if (last != NULL && is_same_request(last, packet))
                continue;
            if (!ended || packet->falcon.rsn != rsn)
                return true;
            last = packet;
            rsn++;
            ended = false;
        }
    }
    return false;
}

/* ---- other parameters ---- */

/* Whether either end has sent a packet as often as the SUT's maximum of attempts allows, in the
 * reading that counts the first transmission (AMB-14): it may send no further copy. The
 * tester's own endpoint uses the SUT's maximum, too. */
static bool attempts_acted(const struct tl_session *session)
{
    for (uint64_t i = tl_session_first_packet(session); i < session->packets.next; i++) {
        const struct tl_seen_packet *first = tl_session_packet(session, i);
        uint64_t times = 0;

        if (first->header_len <= 0 || !fal_falcon_reliable(first->falcon.packet_type))
            continue;
        /* Copies that the tester's side dropped are not seen; the end of the attempts is. */
        if (first->falcon.packet_type == FAL_RESYNC &&
            first->falcon.resync_code == FAL_RESYNC_EXHAUSTED)
            return true;
        for (uint64_t k = i; k < session->packets.next; k++) {
            const struct tl_seen_packet *packet = tl_session_packet(session, k);

            times += packet->dir == first->dir && packet->header_len > 0 &&
                     fal_falcon_reliable(packet->falcon.packet_type) &&
                     packet->falcon.psn == first->falcon.psn &&
                     fal_falcon_window(&packet->falcon) == fal_falcon_window(&first->falcon);
        }
        if (times >= session->connection.params.max_attempts)
            return true;
    }
    return false;
}

/* Whether another parameter can have changed it. A timer acts when it expires, at the earliest
 * when the shorter of the two values does. Within a longer transaction timeout the attempts may
 * also run out first. */
static bool value_acted(const struct tl_interp *interp, size_t at, uint64_t t_ns)
{
    const struct tl_session *session = interp->session;
    const struct fal_params *wish = &session->wished, *is = &session->connection.params;
    size_t n;
    const struct fal_param *param = &fal_param_table(&n)[at];
    uint64_t a = fal_param_get(param, wish), b = fal_param_get(param, is);

    if (at == FAL_PARAM_AT_max_attempts)
        return attempts_acted(session);
    if (at == FAL_PARAM_AT_ordered)
        return order_acted(interp, t_ns);
    if (at == FAL_PARAM_AT_transaction_timeout && b > a && attempts_acted(session))
        return true;
    if (at != FAL_PARAM_AT_coalescing && at != FAL_PARAM_AT_transaction_timeout)
        return true;
    a = a < b ? a : b;
    return t_ns >= fal_timer_bounds(FAL_TIMED_RTO, a, a, is->tick_ns, 0).least_ns;
}

/* The same of a value below its default that the user gave. */
static bool tight_acted(const struct tl_session *session, size_t at, uint64_t t_ns)
{
    const struct fal_params *is = &session->connection.params;

    if (at == FAL_PARAM_AT_rto || at == FAL_PARAM_AT_max_attempts)
        return attempts_acted(session);
    return at != FAL_PARAM_AT_transaction_timeout || t_ns >= is->transaction_timeout_ns;
}

/* Whether rto_acted judges the parameter. */
static bool is_of_rto(size_t at)
{
    return at == FAL_PARAM_AT_rto || at == FAL_PARAM_AT_rto_varies ||
           at == FAL_PARAM_AT_rto_lo || at == FAL_PARAM_AT_rto_hi;
}

bool tl_interp_unlike(struct tl_interp *interp, uint64_t t_ns)
{
    const struct fal_params *wish = &interp->session->wished;
    const struct fal_params *is = &interp->session->connection.params;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    if (interp->session->unlike[0] == 0)
        return false;
    if ((is->rto_ns != wish->rto_ns || is->rto_varies) && rto_acted(interp, t_ns))
        return true;
    for (size_t i = 0; i < n; i++)
        if (!is_of_rto(i) && fal_param_get(&table[i], wish) != fal_param_get(&table[i], is) &&
            tl_interp_may_bind(interp, i) && value_acted(interp, i, t_ns))
            return true;
    for (size_t i = 0; i < n; i++)
        if (tl_interp_is_tight(interp, i) && tight_acted(interp->session, i, t_ns))
            return true;
    return false;
}
