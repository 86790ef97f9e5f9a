/* SPDX-License-Identifier: Apache-2.0
 * play_measure.c - plays what counts: expect and await of counts, shares and states, and
 * until_quiet. */
#include "harness/play/players.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORKLOAD_NS (10 * FAL_S)
enum { PATIENT_ROUND_TRIPS = 64 }; /* by which a wait without a time grows with the path */

/* The first packets that a count needs are no longer kept. That is a limit of the tester. */
static void too_many(struct tl_interp *interp)
{
    struct tl_miss *miss =
        tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNSUPPORTED, 0);

    (void)snprintf(miss->seen, sizeof miss->seen,
                   "%" PRIu64
                   " packets so far; a case keeps the newest %d, and this step counts "
                   "from an earlier one (\"since\": \"STEP\" counts fewer)",
                   interp->session->packets.next, TL_PACKETS_KEPT);
}

/* Packets that fit `what`, and of which; from the measured step on. False: they cannot be
 * counted, and the step has ended. */
static bool count_packets(struct tl_interp *interp, const struct tl_measure *m,
                          uint64_t *matched, uint64_t *all)
{
    struct tl_session *session = interp->session;
    uint64_t n = m->since >= 0 ? interp->moments[m->since].packet : 0;

    *matched = *all = 0;
    if (n < tl_session_first_packet(session)) {
        too_many(interp);
        return false;
    }
    for (; n < session->packets.next; n++) {
        const struct tl_seen_packet *packet = tl_session_packet(session, n);
        int fits;

        if (packet->dir != m->dir)
            continue;
        if (m->of != NULL) {
            fits = tl_interp_fits(interp, m->of, packet, false, NULL);
            if (fits < 0)
                return false;
            if (fits == 0)
                continue;
            (*all)++;
        }
        fits = tl_interp_fits(interp, m->what, packet, false, NULL);
        if (fits < 0)
            return false;
        *matched += (uint64_t)fits;
    }
    return true;
}

/* Whether an event that has fitted the pattern, or not, does so whenever it is asked again. */
static bool is_fixed(const struct tl_event_pattern *pattern)
{
    for (int m = 0; m < TL_EVENT_MEMBERS; m++)
        if (pattern->given[m] && !tl_value_is_fixed(&pattern->values[m]))
            return false;
    return true;
}

/* An `await` counts at each event: then only the events since the last count are compared. */
static bool count_events(struct tl_interp *interp, const struct tl_measure *m, uint64_t *out)
{
    struct tl_session *session = interp->session;
    struct tl_counted *done = &interp->counted;
    uint64_t since_ns = m->since >= 0 ? interp->moments[m->since].early_ns : 0;
    uint64_t first = tl_session_first_event(session);

    if (done->of != m || done->since_ns != since_ns || done->first != first ||
        !is_fixed(&m->event))
        *done = (struct tl_counted){.since_ns = since_ns, .first = first, .next = first};
    done->of = m;
    for (; done->next < session->events.next; done->next++) {
        const struct tl_seen_event *seen = tl_session_event(session, done->next);
        int fits = seen->side == m->side && seen->t_ns >= since_ns
                       ? tl_interp_event_fits(interp, &m->event, seen, false, NULL, 0)
                       : 0;

        if (fits < 0)
            return false;
        done->fits += (uint64_t)fits;
    }
    *out = done->fits;
    return true;
}

/* The path of the newest packet with a PSN that came from the SUT; 0: unknown. */
static uint32_t newest_path(const struct tl_session *session)
{
    for (uint64_t n = session->packets.next; n-- > tl_session_first_packet(session);) {
        const struct tl_seen_packet *packet = tl_session_packet(session, n);

        if (packet->dir == FAL_FROM_SUT && !fal_falcon_is_ack(packet->falcon.packet_type))
            return packet->path;
    }
    return 0;
}

/* The SUT has sent packets, but their paths are unknown. That is a limit of the link. */
static void shows_no_path(struct tl_interp *interp)
{
    struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_INCONC, TL_REASON_UNOFFERED, 0);

    (void)snprintf(miss->seen, sizeof miss->seen,
                   "this link does not show the paths of packets (raw: links do)");
}

/* What a state of the tester's endpoint holds, and what 0r means for it. */
static uint64_t read_state(const struct tl_interp *interp, enum tl_state state, uint32_t *base)
{
    const struct tl_session *session = interp->session;
    const struct fal_end *us = &session->connection.tester, *they = &session->connection.sut;
    struct fal_endpoint_state s;

    *base = 0;
    memset(&s, 0, sizeof s);
    if (fal_endpoint_state(session->endpoint, session->conn, &s) != 0)
        return 0;
    switch (state) {
    case TL_STATE_TX_RBPSN: *base = us->req_psn; return s.tx_rbpsn;
    case TL_STATE_TX_RNPSN: *base = us->req_psn; return s.tx_rnpsn;
    case TL_STATE_TX_DBPSN: *base = us->data_psn; return s.tx_dbpsn;
    case TL_STATE_TX_DNPSN: *base = us->data_psn; return s.tx_dnpsn;
    case TL_STATE_RX_RBPSN: *base = they->req_psn; return s.rx_rbpsn;
    case TL_STATE_RX_DBPSN: *base = they->data_psn; return s.rx_dbpsn;
    case TL_STATE_OWN: return s.own;
    case TL_STATE_OPEN_INITIATED: return s.open_initiated;
    case TL_STATE_OPEN_RECEIVED: return s.open_received;
    case TL_STATE_PATH: return newest_path(session);
    case TL_STATE_QUIET: break;
    }
    return fal_endpoint_quiet(session->endpoint, session->conn);
}

static void say_share(uint64_t matched, uint64_t all, char *out, size_t cap)
{
    uint64_t percent = all > 0 ? (uint64_t)((double)matched * 1000 / (double)all + 0.5) : 0;

    (void)snprintf(out, cap, "%" PRIu64 " of %" PRIu64 ": %" PRIu64 ".%" PRIu64 "%%", matched,
                   all, percent / 10, percent % 10);
}

/* "is": "@name" */
static void keep(struct tl_interp *interp, const struct tl_measure *m, uint64_t value)
{
    enum tl_expr_type type = TL_INTEGER;

    if (m->kind == TL_SHARE)
        type = TL_FRACTION;
    else if (m->kind == TL_STATE && m->state <= TL_STATE_RX_DBPSN)
        type = TL_SEQUENCE;
    tl_interp_bind(interp, m->is.name, value, type);
}

/* Whether it is as it should be: 1, 0, or -1: the step has ended otherwise (it is missed, or
 * the session is broken). `seen` says what it is. */
static int measure(struct tl_interp *interp, const struct tl_measure *m, char *seen, size_t cap)
{
    uint64_t value = 0, all = 0;
    uint32_t base = 0;
    struct fal_error err = {{0}};
    int rc;

    switch (m->kind) {
    case TL_COUNT:
        if (!count_packets(interp, m, &value, &all))
            return -1;
        (void)snprintf(seen, cap, "%" PRIu64 " such packets", value);
        break;
    case TL_SHARE:
        if (!count_packets(interp, m, &value, &all))
            return -1;
        say_share(value, all, seen, cap);
        if (all == 0)
            return 0; /* no packets: no share */
        value = (uint64_t)((double)value * TL_FRACTION_ONE / (double)all + 0.5);
        break;
    case TL_EVENTS:
        if (!count_events(interp, m, &value))
            return -1;
        (void)snprintf(seen, cap, "%" PRIu64 " such events", value);
        break;
    case TL_STATE:
        value = read_state(interp, m->state, &base);
        if (m->state == TL_STATE_PATH && value == 0 && interp->session->packets.next > 0) {
            shows_no_path(interp);
            return -1;
        }
        if (m->state <= TL_STATE_RX_DBPSN)
            (void)snprintf(seen, cap, "%" PRIu32 "r", (uint32_t)value - base);
        else
            (void)snprintf(seen, cap, "%" PRIu64, value);
        break;
    case TL_WORKLOAD:
        (void)snprintf(seen, cap, "the workload has not ended");
        return tl_streams_done(interp);
    }
    if (m->is.kind == TL_VALUE_CAPTURE)
        keep(interp, m, value);
    rc = tl_value_match(&m->is, base, &interp->scope, value, &err);
    if (rc < 0)
        tl_interp_unplayable(interp, err.text);
    return rc;
}

static void missed(struct tl_interp *interp, const struct tl_measure *m, const char *seen)
{
    struct tl_miss *miss =
        tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, interp->anchor.early_ns);

    miss->needs_lossless = true;
    miss->loss =
        m->kind == TL_EVENTS || m->kind == TL_STATE ? TL_REASON_IN_LOSS : TL_REASON_OUT_LOSS;
    (void)snprintf(miss->seen, sizeof miss->seen, "%s", seen);
}

bool tl_play_measure(struct tl_interp *interp, const struct tl_step *step)
{
    char seen[120] = "";

    if (measure(interp, step->u.measure, seen, sizeof seen) == 0)
        missed(interp, step->u.measure, seen);
    return true;
}

/* A wait without a time of its own: for the workload as long as its streams may take. */
static uint64_t patience(const struct tl_interp *interp, const struct tl_measure *m)
{
    uint64_t until = interp->anchor.late_ns + WORKLOAD_NS +
                     PATIENT_ROUND_TRIPS * tl_interp_turnaround(interp);

    for (size_t i = 0; m->kind == TL_WORKLOAD && i < interp->scenario->num_streams; i++)
        if (until < interp->flows[i].deadline_ns)
            until = interp->flows[i].deadline_ns;
    return until;
}

bool tl_play_await(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle)
{
    struct tl_session *session = interp->session;
    uint64_t now = tl_session_now(session);
    char seen[120] = "";
    int rc;

    if (fresh) {
        if (step->time != FAL_TIME_NONE) {
            if (!tl_interp_window(interp, step))
                return true;
        } else {
            interp->deadline_ns = patience(interp, step->u.measure);
        }
        interp->wake_ns = interp->deadline_ns + (tl_session_live(session) ? TL_GRACE_NS : 0);
    }
    rc = measure(interp, step->u.measure, seen, sizeof seen);
    if (rc != 0) {
        if (rc > 0)
            tl_interp_moment(interp, now, now, session->packets.next);
        return true;
    }
    if (!idle || now < interp->wake_ns)
        return false;
    missed(interp, step->u.measure, seen);
    return true;
}

bool tl_play_until_quiet(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                         bool idle)
{
    struct tl_session *session = interp->session;
    uint64_t now = tl_session_now(session), silence, since;

    if (fresh) {
        interp->deadline_ns =
            interp->anchor.late_ns + FAL_S + PATIENT_ROUND_TRIPS * tl_interp_turnaround(interp);
        if (step->time != FAL_TIME_NONE && !tl_interp_window(interp, step))
            return true;
        interp->scanned = now;
    }
    if (!tl_interp_duration(interp, &step->to, &silence))
        return true;
    /* The path hides for a round trip that the SUT has not heard the last ACK yet: until it
     * arrives, a timer of the SUT may send a copy. */
    silence += tl_session_path(session).rtt_ns;
    since = session->heard_ns > interp->scanned ? session->heard_ns : interp->scanned;
    if (!fal_endpoint_quiet(session->endpoint, session->conn)) {
        interp->scanned = now; /* the silence begins when nothing is outstanding */
        interp->wake_ns = interp->deadline_ns;
    } else {
        interp->wake_ns = since + silence;
        if (idle && now >= interp->wake_ns) {
            tl_interp_moment(interp, now, now, session->packets.next);
            return true;
        }
    }
    if (interp->wake_ns > interp->deadline_ns)
        interp->wake_ns = interp->deadline_ns;
    if (!idle || now < interp->deadline_ns)
        return false;
    {
        struct tl_miss *miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET,
                                                interp->anchor.early_ns);

        miss->needs_lossless = true;
        miss->loss = TL_REASON_OUT_LOSS;
        (void)snprintf(miss->seen, sizeof miss->seen, "the connection is not quiet yet");
    }
    return true;
}
