/* SPDX-License-Identifier: Apache-2.0
 * session_time.c - whose time was lost: the tester's, by its own account (struct
 * tl_link_timing), and that of the SUT's process, by how long it takes to answer on its control
 * channel while a case is played. A verdict that hangs on time is none when either of them did
 * not run. */
#include "harness/session/session_impl.h"

#include "codecs/base/time_text.h"

#include "oracles/endpoint/hold.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
