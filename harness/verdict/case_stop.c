/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/verdict/verdict_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LEN = 2000 };

/* The requirement by which the packet is discarded; NULL: it is a good one. */
static const char *duty(const struct tl_seen_packet *packet)
{
    if (packet->bad != FAL_BAD_NOT)
        return fal_bad_requirement(packet->bad);
    return packet->header_len <= 0 || packet->falcon.version != 1
               ? fal_bad_requirement(FAL_BAD_NOT)
               : NULL;
}

/* Whether it may be the frame that the SUT was given last. A sealed frame has other bytes than
 * the packet in it. */
static bool is_last(const struct tl_session *session, const struct tl_seen_packet *packet,
                    const struct tl_stop *stop)
{
    size_t head = packet->len < TL_FRAME_HEAD ? packet->len : TL_FRAME_HEAD;

    if (packet->dir != FAL_TO_SUT)
        return false;
    if (stop == NULL)
        return true;
    if (packet->t_ns + session->base_ns > stop->frame_at_ns)
        return false;
    if (tl_encap_seals(session->config.encap))
        return packet->len <= stop->frame_len;
    return packet->len == stop->frame_len &&
           memcmp(packet->head, stop->frame_head, head < TL_STOP_HEAD ? head : TL_STOP_HEAD) ==
               0;
}

/* The number of the packet that the SUT was given last; UINT64_MAX: it is not known. */
static uint64_t last_packet(const struct tl_session *session, const struct tl_stop *stop)
{
    uint64_t first = tl_session_first_packet(session);

    for (uint64_t i = session->packets.next; i > first; i--)
        if (is_last(session, tl_session_packet(session, i - 1), stop))
            return i - 1;
    return UINT64_MAX;
}

/* How many packets the tester had sent by then. */
static uint64_t count_to_sut(const struct tl_session *session, uint64_t last)
{
    uint64_t n = 0;

    for (uint64_t i = tl_session_first_packet(session); i <= last; i++)
        n += tl_session_packet(session, i)->dir == FAL_TO_SUT;
    return n;
}

/* "ended by signal 11 (Segmentation fault), after packet 5 of the tester: @8us > push_data ..."
 */
static char *seen_of(const struct tl_session *session, const struct tl_stop *stop,
                     uint64_t last)
{
    const struct tl_seen_packet *packet =
        last != UINT64_MAX ? tl_session_packet(session, last) : NULL;
    char line[LINE_LEN] = "", *text = NULL;
    const char *what = stop != NULL ? stop->what : session->broken.what.text;

    if (packet != NULL)
        tl_session_print(session, packet, line, sizeof line);
    if (asprintf(&text, "%s%s%s after packet %" PRIu64 " of the tester%s%s%s",
                 stop != NULL ? "the SUT " : "control lost: ", what,
                 stop != NULL && stop->at == TL_STOP_AT_TIME ? ", while its timers ran," : "",
                 packet != NULL ? count_to_sut(session, last) : session->frames_sent,
                 line[0] != 0 ? ": " : "", line,
                 stop == NULL ? " (the SUT's process may have ended: look at its log)" : "") <
        0)
        text = NULL;
    return text;
}

static void fill(struct tl_problem *p, const struct tl_session *session,
                 const struct tl_stop *stop)
{
    uint64_t last = last_packet(session, stop);
    const struct tl_seen_packet *packet =
        last != UINT64_MAX ? tl_session_packet(session, last) : NULL;
    const char *id = packet != NULL ? duty(packet) : NULL;

    p->t_ns = tl_session_now(session);
    p->requirement = id != NULL ? fal_requirement_find(id) : NULL;
    p->text = strdup(stop != NULL ? "the SUT stopped" : "the control channel ended");
    p->expected = strdup(id != NULL ? "the SUT discards the packet and goes on"
                                    : "the SUT processes the packet and goes on");
    p->seen = seen_of(session, stop, last);
    if (stop != NULL && stop->said[0] != 0 &&
        asprintf(&p->why, "last lines of its standard error: %s", stop->said) < 0)
        p->why = NULL;
    if (packet != NULL)
        p->evidence[p->num_evidence++] = packet->event;
    tl_case_ladder(p, session, &last, packet != NULL);
}

/* The control channel of a live SUT ended, not in reply to a command. */
static bool is_lost(const struct tl_session *session)
{
    enum tl_reason reason = session->broken.reason;

    return tl_session_live(session) && session->frames_sent > 0 && !session->broken.asked &&
           session->bench->upper != NULL && reason == TL_REASON_CONTROL_CLOSED;
}

bool tl_case_take_stop(struct tl_case *out, const struct tl_session *session)
{
    const struct tl_stop *stop = session->broken.stop;
    enum fal_verdict verdict = FAL_VERDICT_FAIL;
    enum tl_reason reason = TL_REASON_SUT_STOPPED;
    struct tl_problem *p;

    if (!tl_stop_fails(stop)) {
        if (!is_lost(session))
            return false;
        stop = NULL;
        verdict = FAL_VERDICT_INCONC;
        reason = TL_REASON_CONTROL_LOST;
    }
    p = tl_verdict_problem(out, TL_PROBLEM_STOP, verdict, reason);
    if (p != NULL)
        fill(p, session, stop);
    return true;
}

static struct tl_problem *stop_of(const struct tl_case *c)
{
    for (size_t i = 0; i < c->num_problems; i++)
        if (c->problems[i].kind == TL_PROBLEM_STOP)
            return &c->problems[i];
    return NULL;
}

bool tl_case_stopped(const struct tl_case *c)
{
    return stop_of(c) != NULL;
}

static void add_why(struct tl_problem *p, const char *text)
{
    char *whole = NULL;

    if (asprintf(&whole, "%s%s%s", text, p->why != NULL ? "; " : "",
                 p->why != NULL ? p->why : "") < 0)
        return;
    free(p->why);
    p->why = whole;
}

void tl_case_settle_stop(struct tl_case *out, const struct tl_case *first)
{
    struct tl_problem *before = stop_of(first), *now = stop_of(out);
    char text[LINE_LEN];

    if (before != NULL && now != NULL) {
        add_why(now, "a replay of the case alone stopped the SUT again");
        now->verdict = FAL_VERDICT_FAIL;
        tl_case_worsen(out, FAL_VERDICT_FAIL, now->reason.id);
        return;
    }
    now = now != NULL ? now : before;
    if (now == NULL)
        return;
    (void)snprintf(text, sizeof text,
                   "%s, but only in one of two plays of the case with the same seed",
                   now->seen != NULL ? now->seen : "the SUT stopped");
    if (now == before) {
        tl_case_undecided(out, now->reason.id, text);
        return;
    }
    now->verdict = FAL_VERDICT_INCONC;
    add_why(now, "the SUT stopped only in one of two plays of the case with the same seed");
    if (out->verdict == FAL_VERDICT_FAIL && out->reason.id == now->reason.id) {
        out->verdict = FAL_VERDICT_INCONC;
        for (size_t i = 0; i < out->num_problems; i++)
            if (out->problems[i].verdict > out->verdict)
                out->verdict = out->problems[i].verdict;
    }
}
