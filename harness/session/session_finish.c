/* SPDX-License-Identifier: Apache-2.0
 * session_finish.c - the end of a case: quiet, a barrier, and the counters of both ends, which
 * prove that the path lost nothing, or prove nothing. */
#include "harness/session/session_impl.h"

#include "harness/session/offer.h"
#include "harness/session/turned.h"
#include "harness/wire/protocol.h"

#include <string.h>

enum { COUNTER_ROUNDS = 6 };
#define SETTLE_MAX_NS       FAL_S         /* on a live link */
#define SILENCE_MAX_NS      (60 * FAL_MS) /* likewise */
#define BETWEEN_COUNTERS_NS (20 * FAL_MS)
#define MEET_NS             FAL_MS

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* In virtual time, after a silence in which the tester still waited for something: lets time
 * pass until something happens. What follows is as if each silence had been waited for: the
 * next one ends at the first of their ends at which that has happened. */
static void leap(struct tl_session *session, uint64_t silence, uint64_t bound)
{
    uint64_t from = session->heard_ns, now;

    if (tl_session_pump(session, bound)) {
        session->heard_ns = bound; /* nothing will happen any more */
        return;
    }
    if (session->heard_ns != from)
        return;
    now = tl_session_now(session);
    if (now > from)
        session->heard_ns = from + (now - from - 1) / silence * silence;
}

/* Waits, within a limit, until packets in flight have arrived and acknowledgements and
 * retransmissions have ended: a scenario may have left something that never ends. */
static void settle(struct tl_session *session)
{
    const struct fal_params *params = &session->connection.params;
    const struct tl_link_caps *caps = &session->bench->caps;
    bool live = caps->live;
    uint64_t turnaround = tl_session_answer_ns(session);
    uint64_t silence = params->coalescing_ns + 2 * turnaround + FAL_US;
    uint64_t begin = tl_session_now(session), bound, most;

    if (live)
        silence = least(silence, SILENCE_MAX_NS + 2 * turnaround);
    most = 4 * silence + 2 * params->rto_ns;
    bound = begin + (live ? least(most, SETTLE_MAX_NS) : most);
    if (session->heard_ns < begin)
        session->heard_ns = begin;
    while (session->broken.reason == TL_REASON_NONE) {
        uint64_t until = least(session->heard_ns + silence, bound);
        bool idle = tl_session_pump(session, until);

        if (idle && (until == bound || fal_endpoint_quiet(session->endpoint, session->conn)))
            return;
        if (idle) /* silent, but the tester still waits for something */
            session->heard_ns = until;
        /* The timeline notes when a wait ended after which frames were found lost. */
        if (idle && !live && caps->lossless_in && caps->lossless_out)
            leap(session, silence, bound);
    }
}

/* These commands only serve rules: without them the case is judged by what is left. */
static void note_refusal(struct tl_session *session, enum tl_do verb)
{
    if (session->broken.reason == TL_REASON_NONE && !session->answer_ok &&
        strcmp(session->answer_error, "unsupported") == 0)
        tl_offer_refused(session->bench, &(struct tl_need){.verb = verb}, session->answer_why);
}

static void barrier(struct tl_session *session)
{
    struct tl_protocol_command command = {.verb = TL_DO_BARRIER,
                                          .conn = session->connection.name};

    if (tl_session_takes_orders(session))
        tl_session_order(session, &command);
    else
        tl_session_command(session, json_pack("{s:s, s:s}", "do", "barrier", "conn",
                                              session->connection.name));
    if (tl_session_await_answer(session) && session->answer_ok)
        tl_session_mark(session, FAL_MARK_BARRIER, 0);
    note_refusal(session, TL_DO_BARRIER);
}

/* Whether a virtual path may have duplicated frames or changed their order. A simulated network
 * says what it has done in this case. */
static void learn_disturbances(struct tl_session *session)
{
    const struct tl_link_caps *caps = &session->bench->caps;
    struct tl_link *link = session->bench->link;
    uint64_t duplicated[2], overtaken[2];

    session->doubled_in = session->doubled_out = !caps->live && !caps->no_duplicates;
    session->disordered = !caps->live && !caps->in_order;
    if (link->ops->disturbed == NULL)
        return;
    link->ops->disturbed(link, duplicated, overtaken);
    session->doubled_in = duplicated[FAL_TO_SUT] != session->duplicated[FAL_TO_SUT];
    session->doubled_out = duplicated[FAL_FROM_SUT] != session->duplicated[FAL_FROM_SUT];
    session->disordered = overtaken[FAL_TO_SUT] != session->overtaken[FAL_TO_SUT] ||
                          overtaken[FAL_FROM_SUT] != session->overtaken[FAL_FROM_SUT];
}

/* If the network duplicates packets, a duplicate may make up for a lost one in the counters. */
static bool counters_can_tell(const struct tl_session *session)
{
    return session->bench->caps.live || (!session->doubled_in && !session->doubled_out);
}

/* Each end counts; where both agree, nothing was lost. A frame may just be on its way, so ask a
 * few times. */
static void compare_counters(struct tl_session *session)
{
    for (int i = 0; i < COUNTER_ROUNDS; i++) {
        struct tl_protocol_command command = {.verb = TL_DO_COUNTERS};
        uint64_t until;

        if (tl_session_takes_orders(session))
            tl_session_order(session, &command);
        else
            tl_session_command(session, json_pack("{s:s}", "do", "counters"));
        if (!tl_session_await_answer(session) || !session->answer_ok) {
            note_refusal(session, TL_DO_COUNTERS);
            return;
        }
        learn_disturbances(session);
        if (!counters_can_tell(session))
            return;
        if (session->sut_received == session->frames_sent &&
            session->sut_sent == session->frames_received) {
            session->lossless = true;
            session->doubled_in = session->doubled_out = false;
            tl_session_mark(session, FAL_MARK_LOSSLESS_IN, session->frames_sent);
            tl_session_mark(session, FAL_MARK_LOSSLESS_OUT, session->frames_received);
            return;
        }
        /* Copies of a case share the SUT's counters. */
        if (session->bench->caps.live && session->config.together == NULL) {
            session->doubled_in = session->sut_received > session->frames_sent;
            session->doubled_out = session->frames_received > session->sut_sent;
        }
        until = tl_session_now(session) + BETWEEN_COUNTERS_NS;
        while (session->broken.reason == TL_REASON_NONE && !tl_session_pump(session, until))
            ;
    }
}

/* Copies of one case begin together when all are open, and end together: while one of them
 * plays, the SUT's counters match no copy's. */
void tl_session_meet(struct tl_session *session, unsigned stage)
{
    const struct tl_session_config *config = &session->config;
    bool live = session->bench->caps.live;
    uint64_t step = live || stage > 1 ? MEET_NS : FAL_US;

    while (config->together != NULL && session->broken.reason == TL_REASON_NONE &&
           !config->together(config->together_ctx, stage) &&
           (!live || tl_session_now(session) < session->end_ns / 4 * 3))
        (void)tl_session_pump(session, tl_session_now(session) + step);
}

/* Whether the adapter may have the command. */
static bool asks(const struct tl_session *session, enum tl_do verb)
{
    const struct tl_need need = {.verb = verb, .upper = session->config.upper};

    return session->bench->wire == NULL && !tl_offer_lacks(session->bench, &need, NULL, 0);
}

void tl_session_finish(struct tl_session *session)
{
    const struct tl_link_caps *caps = &session->bench->caps;
    struct fal_event end = {.kind = FAL_EV_END};

    session->lossless = caps->lossless_in && caps->lossless_out;
    learn_disturbances(session);
    if (session->broken.reason == TL_REASON_NONE && session->conn != 0) {
        tl_session_meet(session, 3);
        settle(session);
        tl_session_meet(session, 4);
        if (session->broken.reason == TL_REASON_NONE && asks(session, TL_DO_BARRIER))
            barrier(session);
        learn_disturbances(session);
        if (session->broken.reason == TL_REASON_NONE && !session->lossless &&
            asks(session, TL_DO_COUNTERS) && counters_can_tell(session))
            compare_counters(session);
    }
    tl_session_emit(session, &end, tl_session_now(session));
    fal_judge_finish(session->judge);
    if (session->turned != NULL)
        tl_turned_finish(session->turned);
}
