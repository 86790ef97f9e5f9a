/* SPDX-License-Identifier: Apache-2.0
 * session_time.c - how the time of a session passes, and whose time was lost: the tester's, by
 * its own account (struct tl_link_timing), and that of the SUT's process, by how long it takes
 * to answer on its control channel while a case is played. A verdict that hangs on time is none
 * when either of them did not run. */
#include "harness/session/session_impl.h"

#include "codecs/base/time_text.h"
#include "harness/session/bridge.h"
#include "harness/session/words/tester_words.h"
#include "oracles/endpoint/hold.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In virtual time: events in a row at one moment; packets of a case. The suite's longest case
 * has about 10,000. */
enum { SAME_TIME_MAX = 1000000, PACKETS_MAX = 1000000 };

/* Far enough apart to be no load, and less than a scenario's waits. */
#define BEAT_GAP_NS (10 * FAL_MS)

static void worse(uint64_t *worst, uint64_t ns)
{
    if (ns > *worst)
        *worst = ns;
}

void tl_session_take_timing(struct tl_session *session)
{
    struct tl_link *link = session->bench->link;
    struct tl_session_time *time = &session->time;
    struct tl_link_timing lost;
    uint64_t late_ns;

    if (link->ops->timing == NULL)
        return;
    link->ops->timing(link, &lost);
    late_ns = tl_link_late_ns(&lost);
    tl_link_timing_join(&time->worst, &lost);
    worse(&time->late_ns, late_ns);
    worse(&time->queue_ns, lost.queue_ns);
    tl_session_late(session, late_ns);
}

/* ---- the SUT's process ---- */

static bool beats(const struct tl_session *session)
{
    const struct tl_link_caps *caps = &session->bench->caps;

    return caps->live && caps->control && session->conn != 0;
}

uint64_t tl_session_beat_deadline(const struct tl_session *session)
{
    return beats(session) && session->time.beat_id == 0 ? session->time.next_beat_ns
                                                        : FAL_NEVER;
}

void tl_session_beat(struct tl_session *session)
{
    struct tl_bench_command numbered;
    struct fal_error err;
    json_t *command;
    bool ok;

    if (tl_session_beat_deadline(session) > tl_session_now(session) ||
        session->broken.reason != TL_REASON_NONE)
        return;
    command = json_pack("{s:s}", "do", "barrier");
    ok = command != NULL && tl_bench_number(session->bench, command, &numbered, NULL);
    json_decref(command);
    if (!ok) {
        tl_session_break(session, TL_REASON_MEMORY, "out of memory");
        return;
    }
    session->time.beat_id = numbered.id;
    session->time.beat_ns = tl_session_now(session);
    FAL_IGNORE(tl_bench_write(session->bench, &numbered, &err)); /* the next wait says it */
}

bool tl_session_beat_answered(struct tl_session *session, int64_t id, uint64_t at_ns)
{
    struct tl_session_time *time = &session->time;

    if (time->beat_id == 0 || id != time->beat_id)
        return false;
    time->beat_id = 0;
    time->next_beat_ns = tl_session_now(session) + BEAT_GAP_NS;
    tl_session_sut_late(session, at_ns > time->beat_ns ? at_ns - time->beat_ns : 0);
    return true;
}

void tl_session_sut_late(struct tl_session *session, uint64_t by_ns)
{
    worse(&session->time.sut_ns, by_ns);
    if (session->bench->caps.live && by_ns > session->bench->path_ns + session->config.late_ns)
        tl_session_mark(session, FAL_MARK_SUT_LATE, by_ns);
}

/* ---- what it means ---- */

static uint64_t grave_ns(const struct tl_session *session)
{
    return session->grave_ns > session->config.late_ns ? session->grave_ns
                                                       : session->config.late_ns;
}

bool tl_session_tester_was_late(const struct tl_session *session)
{
    return session->bench->caps.live &&
           tl_link_late_ns(&session->time.worst) > grave_ns(session);
}

/* How long the SUT's process did not answer at most, a round trip included. */
static uint64_t sut_lost_ns(const struct tl_session *session)
{
    const struct tl_session_time *time = &session->time;
    uint64_t waited = time->beat_id != 0 ? tl_session_now(session) - time->beat_ns : 0;

    return time->sut_ns > waited ? time->sut_ns : waited;
}

bool tl_session_sut_was_late(const struct tl_session *session)
{
    return session->bench->caps.live &&
           sut_lost_ns(session) > session->bench->path_ns + grave_ns(session);
}

uint64_t tl_session_lost_ns(const struct tl_session *session, bool *sut)
{
    uint64_t tester_ns = tl_link_late_ns(&session->time.worst), sut_ns = sut_lost_ns(session);
    uint64_t most_ns;

    *sut = sut_ns >= tester_ns + session->bench->path_ns;
    most_ns = *sut ? sut_ns - session->bench->path_ns : tester_ns;
    return session->bench->caps.live && most_ns > session->config.late_ns ? most_ns : 0;
}

void tl_session_step_over(struct tl_session *session, int32_t step, uint64_t due_ns,
                          uint64_t at_ns)
{
    struct tl_session_time *time = &session->time;
    struct fal_event event;

    if (!session->bench->caps.live)
        return;
    tl_session_take_timing(session);
    fal_event_begin(&event, FAL_EV_TIMING, 0);
    event.u.timing = (struct fal_ev_timing){.step = step,
                                            .due_ns = due_ns,
                                            .at_ns = at_ns,
                                            .late_ns = time->late_ns,
                                            .queue_ns = time->queue_ns,
                                            .drops = time->drops};
    tl_session_emit(session, &event, tl_session_now(session));
    if (time->num_steps < TL_STEPS_TIMED)
        time->steps[time->num_steps++] = event.u.timing;
    else
        time->more_steps++;
    time->late_ns = time->queue_ns = time->drops = 0;
}

static bool is_learned(const struct tl_session *session, enum fal_param_at param)
{
    return (session->connection.learned_params & FAL_PARAM_BIT(param)) != 0;
}

/* What is measured as an answer has been through the pipeline on the way in and out. */
static uint64_t pipelines_ns(const struct tl_session *session)
{
    bool measured = is_learned(session, FAL_PARAM_AT_turnaround) &&
                    is_learned(session, FAL_PARAM_AT_pipeline);

    return measured ? 0 : 2 * session->connection.params.pipeline_ns;
}

uint64_t tl_session_answer_ns(const struct tl_session *session)
{
    uint64_t turnaround_ns = is_learned(session, FAL_PARAM_AT_turnaround)
                                 ? session->patience_ns
                                 : session->connection.params.turnaround_ns;

    return turnaround_ns + pipelines_ns(session) + session->bench->path_ns;
}

bool tl_session_declared(const struct tl_session *session)
{
    return !is_learned(session, FAL_PARAM_AT_turnaround);
}

uint64_t tl_session_spare_ns(const struct tl_session *session)
{
    return is_learned(session, FAL_PARAM_AT_turnaround)
               ? session->patience_ns - session->connection.params.turnaround_ns
               : 0;
}

/* ---- stops of the steps ---- */

void tl_session_pause(struct tl_session *session, int32_t step)
{
    struct tl_session_pauses *pauses = &session->pauses;
    char text[80];

    if (!session->bench->caps.live || pauses->now)
        return;
    pauses->since_ns = tl_session_now(session);
    if (pauses->count++ == 0) {
        pauses->first_ns = pauses->since_ns;
        pauses->step = step;
    }
    pauses->now = true;
    pauses->end_ns = session->end_ns;
    session->end_ns = FAL_NEVER;
    fal_endpoint_hold(session->endpoint, session->conn);
    (void)snprintf(text, sizeof text, "the steps are stopped before step %" PRId32, step + 1);
    tl_session_text(session, FAL_EV_NOTE, -1, text);
}

uint64_t tl_session_resume(struct tl_session *session)
{
    struct tl_session_pauses *pauses = &session->pauses;
    uint64_t took_ns;
    char text[80];

    if (!pauses->now)
        return 0;
    took_ns = tl_session_now(session) - pauses->since_ns;
    pauses->now = false;
    pauses->total_ns += took_ns;
    fal_endpoint_release(session->endpoint, session->conn, took_ns);
    session->end_ns =
        pauses->end_ns < FAL_NEVER - took_ns ? pauses->end_ns + took_ns : FAL_NEVER;
    (void)snprintf(text, sizeof text, "the steps go on after %s",
                   fal_time_rounded(took_ns).text);
    tl_session_text(session, FAL_EV_NOTE, -1, text);
    return took_ns;
}

/* ---- how time passes ---- */

/* A SUT that does not read must not stop the run: timers also run on real time. */
static bool out_of_time(const struct tl_session *session)
{
    return session->bench->caps.live && tl_session_now(session) >= session->end_ns;
}

/* Frames were dropped on their way into the tester: from here on a missing packet proves
 * nothing. */
static void check_drops(struct tl_session *session)
{
    struct tl_link *link = session->bench->link;
    uint64_t drops = link->ops->drops(link);

    if (drops == 0)
        return;
    session->time.drops += drops;
    session->time.all_drops += drops;
    if (session->config.bridge != NULL)
        tl_bridge_gap(session->config.bridge, drops);
    else
        tl_session_mark(session, FAL_MARK_GAP_OUT, drops);
}

/* The tester's own timers. True when one was due: then something may have happened. */
static bool tick(struct tl_session *session)
{
    const struct fal_endpoint_in in = {.kind = FAL_IN_TICK};
    uint64_t due = fal_endpoint_deadline(session->endpoint), now = tl_session_now(session);
    bool let_go = tl_session_gate_tick(session);

    let_go |= tl_session_tester_words_tick(session);
    if (due > now)
        return let_go;
    tl_session_late(session, now - due);
    /* Without memory the session is broken, with its reason. */
    FAL_IGNORE(tl_session_input(session, &in, NULL));
    return true;
}

/* Returns whether the SUT is a child process and has stopped. */
static bool child_stopped(struct tl_link *link)
{
    return link->ops->stopped != NULL && link->ops->stopped(link) != NULL;
}

/* When something of the tester's is due, until_ns at the latest. */
static uint64_t next_due(const struct tl_session *session, uint64_t until_ns)
{
    uint64_t due = tl_session_least(until_ns, fal_endpoint_deadline(session->endpoint));

    due = tl_session_least(due, tl_session_gate_deadline(session));
    due = tl_session_least(due, tl_session_tester_words_deadline(session));
    if (session->bench->caps.live)
        due = tl_session_least(due, session->end_ns);
    return tl_session_least(due, tl_session_beat_deadline(session));
}

/* Virtual time costs a SUT nothing, so that two ends that answer each other for ever would fill
 * the memory before a step's time is over. A live case has its timeout. */
static void check_progress(struct tl_session *session)
{
    if (session->bench->caps.live)
        return;
    if (session->same_time > SAME_TIME_MAX)
        tl_session_break(session, TL_REASON_NO_PROGRESS,
                         "%d events without progress of virtual time", SAME_TIME_MAX);
    if (session->packets.next > PACKETS_MAX)
        tl_session_break(session, TL_REASON_ENDLESS,
                         "more than %d packets in %s of virtual time", PACKETS_MAX,
                         fal_time_rounded(tl_session_now(session)).text);
}

bool tl_session_pump(struct tl_session *session, uint64_t until_ns)
{
    struct tl_link *link = session->bench->link;
    uint64_t deadline, before = tl_session_now(session);
    struct tl_link_got got;
    enum tl_link_event event;
    bool ticked;

    if (session->broken.reason != TL_REASON_NONE)
        return false;
    if (out_of_time(session)) {
        tl_session_break(session, TL_REASON_TIMEOUT, "the case took more than %s",
                         fal_time_text(session->config.timeout_ns).text);
        return false;
    }
    deadline = next_due(session, until_ns);
    event = link->ops->wait(link, deadline + session->base_ns, &got);
    tl_session_losses(session);
    switch (event) {
    case TL_LINK_FRAME: tl_session_frame(session, &got); break;
    case TL_LINK_LINE: tl_session_line(session, &got); break;
    case TL_LINK_OTHER: tl_session_other(session, &got); break;
    case TL_LINK_TIMEOUT: break;
    case TL_LINK_CLOSED:
        session->bench->dead = true;
        tl_session_break(session, TL_REASON_CONTROL_CLOSED,
                         "the SUT closed its control channel");
        session->bench->why = session->broken.what;
        break;
    case TL_LINK_ERROR:
        session->bench->dead = true;
        tl_session_break(session, child_stopped(link) ? TL_REASON_CONTROL : TL_REASON_LINK,
                         "%s", got.error.text);
        session->bench->why = session->broken.what;
        break;
    }
    if (session->broken.reason != TL_REASON_NONE)
        return false;
    if (session->bench->caps.live) {
        tl_session_take_timing(session);
        check_drops(session);
        tl_session_beat(session);
    }
    ticked = tick(session);
    session->same_time = tl_session_now(session) > before ? 0 : session->same_time + 1;
    check_progress(session);
    return event == TL_LINK_TIMEOUT && !ticked && deadline == until_ns &&
           tl_session_now(session) >= until_ns;
}

bool tl_session_await_answer(struct tl_session *session)
{
    uint64_t until = session->asked_ns + TL_REPLY_TIMEOUT_NS;

    while (!session->answered && session->broken.reason == TL_REASON_NONE)
        if (tl_session_pump(session, until) && !session->answered)
            tl_session_break(session, TL_REASON_CONTROL_SILENT,
                             "the SUT has not answered a command for %s",
                             fal_time_text(TL_REPLY_TIMEOUT_NS).text);
    return session->broken.reason == TL_REASON_NONE;
}
