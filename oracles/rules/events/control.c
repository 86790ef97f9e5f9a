/* SPDX-License-Identifier: Apache-2.0
 * control.c - commands, replies, events of upper layers and of congestion control. */
#include "oracles/rules/events/events.h"
#include "oracles/rules/facts/moved.h"
#include "oracles/rules/judge/ask.h"

#include <string.h>

static void take_reply(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_pending command;
    struct fal_conn *conn;

    if (!fal_control_reply(&judge->control, event, &command) ||
        (!event->u.reply.ok && !command.post))
        return;
    conn = fal_conns_find(&judge->conns, command.conn);
    if (!fal_use(judge, conn))
        return;
    fal_doubt(judge, conn, judge->now_index);
    fal_wake_due(judge, conn);
    if (command.post) {
        struct fal_posted posted = {.ok = event->u.reply.ok,
                                    .rsn = event->u.reply.rsn,
                                    .has_rsn = event->u.reply.has_rsn,
                                    .op = command.asked.op,
                                    .length = command.asked.length,
                                    .hash = command.asked.hash,
                                    .has_hash = command.asked.has_hash,
                                    .written = command.at,
                                    .known = fal_at_event(event)};

        fal_ask(judge, conn, FAL_ASK_POSTED, &(struct fal_asked){.posted = &posted});
    } else if (command.policy) {
        conn->live->track.held_ns = command.holds_ns;
        conn->live->track.held_since = event->index;
    } else {
        fal_control_applied(&conn->live->track, &command);
        fal_ask(judge, conn, FAL_ASK_APPLIED, &(struct fal_asked){.command = &command});
        fal_ask(
            judge, conn, FAL_ASK_TOLD,
            &(struct fal_asked){.told = &(struct fal_told){.rsn = command.asked.rsn,
                                                           .answer = command.asked.answer,
                                                           .code = command.asked.code,
                                                           .rnr_ns = command.asked.rnr_ns,
                                                           .length = command.asked.length,
                                                           .hash = command.asked.hash,
                                                           .has_hash = command.asked.has_hash,
                                                           .held = true,
                                                           .written = command.at,
                                                           .known = fal_at_event(event)}});
    }
}

static void take_ulp(struct fal_judge *judge, struct fal_conn *conn,
                     const struct fal_event *event)
{
    const struct fal_ev_ulp *ulp = &event->u.ulp;
    struct fal_at at = fal_at_event(event);

    fal_ask(judge, conn, FAL_ASK_ULP, &(struct fal_asked){.event = event});
    fal_control_ulp(&conn->live->track, event);
    if (ulp->kind == FAL_ULP_ACK)
        fal_ask(judge, conn, FAL_ASK_TOLD,
                &(struct fal_asked){
                    .told = &(struct fal_told){.rsn = ulp->rsn,
                                               .answer = ulp->answer,
                                               .code = ulp->code,
                                               .rnr_ns = ulp->rnr_ns,
                                               .timed = ulp->has_within,
                                               .since_ns = fal_event_since_ns(event),
                                               .written = at,
                                               .known = at}});
}

void fal_take_cm(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);

    if (strcmp(event->u.cm.what, "dropped") == 0)
        judge->bench.events_lost = true;
    if (fal_use(judge, conn)) {
        fal_doubt(judge, conn, judge->now_index);
        if (strcmp(event->u.cm.what, "fatal") == 0)
            conn->live->track.dead = true;
        fal_ask(judge, conn, FAL_ASK_CM, &(struct fal_asked){.event = event});
        return;
    }
    for (size_t i = 0; event->conn == 0 && i < judge->conns.num; i++)
        if (fal_use(judge, judge->conns.list[i]))
            fal_ask(judge, judge->conns.list[i], FAL_ASK_CM,
                    &(struct fal_asked){.event = event});
}

/* ---- congestion control ---- */

/* A command about the Rate Update Engine, or its reply. */
static void take_engine(struct fal_judge *judge, const struct fal_event *event)
{
    const struct fal_engine was = judge->bench.engine;

    if (!fal_engine_event(&judge->bench.engine, event))
        return;
    for (size_t i = 0; i < judge->conns.num; i++) {
        struct fal_conn *conn = judge->conns.list[i];
        const struct fal_rue_facts *rue;

        if (!fal_use(judge, conn))
            continue;
        rue = &conn->live->track.setup.rue;
        if (fal_engine_hidden(&was, rue) || fal_engine_hidden(&judge->bench.engine, rue))
            fal_moved_lost(&conn->live->track, event);
    }
}

/* An entry that the SUT showed, or a result that the tester writes. */
void fal_take_entry(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);
    struct fal_entry entry;
    struct fal_track *track;

    judge->bench.control = true;
    if (!fal_use(judge, conn))
        return;
    track = &conn->live->track;
    if (!fal_entry_read(&track->setup.rue, event, &entry))
        return;
    fal_doubt(judge, conn, judge->now_index);
    fal_wake_due(judge, conn);
    fal_ask(judge, conn, FAL_ASK_ENTRY, &(struct fal_asked){.entry = &entry});
    if (entry.ours && entry.result.connection_id != track->setup.sut.cid)
        return; /* of another connection */
    fal_moved_by_entry(track, &judge->bench.engine, &entry,
                       entry.ours ? event->u.command.id : 0);
}

/* The limits that commands ask for. */
static void limits_by_command(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);

    take_engine(judge, event);
    if (event->kind == FAL_EV_REPLY) {
        for (size_t i = 0; i < judge->conns.num; i++)
            if (fal_use(judge, judge->conns.list[i]))
                fal_limits_answered(&judge->conns.list[i]->live->track.limits,
                                    event->u.reply.id, event->u.reply.ok, event->t_ns);
        return;
    }
    if (strcmp(event->u.command.verb, "cc_result") == 0 && event->u.command.has_entry)
        fal_take_entry(judge, event);
    else if (strcmp(event->u.command.verb, "set") == 0 && fal_use(judge, conn))
        fal_moved_by_set(&conn->live->track, event);
}

void fal_take_control(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);

    judge->bench.control = true;
    if (event->kind != FAL_EV_ULP)
        limits_by_command(judge, event);
    if (event->kind == FAL_EV_COMMAND && judge->bench.objects != NULL &&
        strcmp(event->u.command.verb, "reset") == 0)
        fal_objects_reset(judge->bench.objects);
    if (event->kind == FAL_EV_COMMAND && judge->bench.blocks != NULL &&
        strcmp(event->u.command.verb, "reset") == 0)
        fal_blocks_reset(judge->bench.blocks);
    if (event->kind == FAL_EV_REPLY) {
        take_reply(judge, event);
    } else if (fal_use(judge, conn)) {
        fal_doubt(judge, conn, judge->now_index);
        fal_wake_due(judge, conn);
        if (event->kind == FAL_EV_COMMAND) {
            fal_ask(judge, conn, FAL_ASK_COMMAND, &(struct fal_asked){.event = event});
            fal_control_command(&judge->control, &conn->live->track, event);
        } else {
            take_ulp(judge, conn, event);
        }
        judge->oom = judge->oom || conn->live->track.oom;
    }
}
