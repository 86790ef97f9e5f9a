/* SPDX-License-Identifier: Apache-2.0
 * connection.c - connections of a judge: opened, told of times and gaps, finished. */
#include "oracles/rules/events/events.h"
#include "oracles/rules/facts/moved.h"
#include "oracles/rules/judge/ask.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/order.h"

void fal_let_go(struct fal_judge *judge, struct fal_conn *conn)
{
    if (!conn->open || !fal_conns_use(&judge->conns, conn))
        return;
    fal_release_states(judge, conn->live);
    fal_track_free(&conn->live->track);
    fal_conn_join(conn);
    if (judge->conns.last == conn->live)
        judge->conns.last = NULL; /* Its bytes are not counted again. */
    conn->open = false;
    judge->bench.open--;
}

void fal_wake_ends(struct fal_judge *judge, struct fal_conn *conn)
{
    for (unsigned end = 0; conn->open && end < FAL_SUBJECTS; end++) {
        uint64_t *wake_ns = &conn->live->track.wake_ns[end];

        if (judge->now_ns <= *wake_ns)
            continue;
        *wake_ns = FAL_NEVER;
        if (judge->asking->both_ends)
            fal_ask_end(judge, conn, end, FAL_ASK_WAKE, NULL);
        else
            fal_ask(judge, conn, FAL_ASK_WAKE, NULL);
    }
}

/* Packets of that direction may have gone unseen, as an end hears of it that has facts of its
 * own. The unseen packets are older than this event. Rules that waited for them must know, and
 * those for the other direction too, whose mark may follow. */
static void gap_of_end(struct fal_judge *judge, struct fal_conn *conn, unsigned end,
                       const struct fal_event *event)
{
    struct fal_track *track = fal_conn_track(conn, end);
    enum fal_dir dir = event->u.mark.mark == FAL_MARK_GAP_IN ? FAL_TO_SUT : FAL_FROM_SUT;

    track->gap_index[dir] = event->index;
    if (dir == FAL_TO_SUT && judge->bench.objects != NULL)
        fal_objects_unseen(judge->bench.objects);
    judge->bench.unseen = true;
    if (end == FAL_EVERY_END)
        fal_ask(judge, conn, FAL_ASK_MARK, &(struct fal_asked){.event = event});
    else
        fal_ask_end(judge, conn, end, FAL_ASK_MARK, &(struct fal_asked){.event = event});
    fal_track_gap(track, dir, event->u.mark.value, event->t_ns, event->index);
}

static void mark_conn(struct fal_judge *judge, struct fal_conn *conn,
                      const struct fal_event *event)
{
    const struct fal_ev_mark *mark = &event->u.mark;

    if (!fal_use(judge, conn))
        return;
    if (mark->mark != FAL_MARK_GAP_IN && mark->mark != FAL_MARK_GAP_OUT) {
        fal_wake_due(judge, conn);
        fal_ask(judge, conn, FAL_ASK_MARK, &(struct fal_asked){.event = event});
    } else if (conn->apart == NULL) {
        gap_of_end(judge, conn, FAL_EVERY_END, event);
    } else {
        gap_of_end(judge, conn, 0, event);
        gap_of_end(judge, conn, 1, event);
    }
}

/* Packets may have gone unseen before that index. Each end hears first of packets towards it,
 * so for so long each has facts of its own. */
void fal_may_have_missed(struct fal_judge *judge, struct fal_conn *conn, uint64_t index)
{
    struct fal_event in = {.kind = FAL_EV_MARK,
                           .index = index,
                           .t_ns = judge->now_ns,
                           .conn = conn->number,
                           .u.mark.mark = FAL_MARK_GAP_IN};
    struct fal_event out = in;
    bool apart = conn->apart != NULL;

    out.u.mark.mark = FAL_MARK_GAP_OUT;
    if (!judge->asking->both_ends) {
        mark_conn(judge, conn, &in);
        mark_conn(judge, conn, &out);
        return;
    }
    if (!fal_use(judge, conn))
        return;
    judge->oom = !fal_conn_part(conn) || judge->oom;
    gap_of_end(judge, conn, 0, &in);
    gap_of_end(judge, conn, 0, &out);
    gap_of_end(judge, conn, 1, &out);
    gap_of_end(judge, conn, 1, &in);
    if (!apart)
        fal_conn_join(conn);
}

void fal_finish_conn(struct fal_judge *judge, struct fal_conn *conn)
{
    if (!fal_use(judge, conn))
        return;
    fal_doubt(judge, conn, judge->now_index + 1);
    fal_wake_due(judge, conn);
    fal_ask(judge, conn, FAL_ASK_FINISH, NULL);
    judge->oom = judge->oom || fal_track_oom(&conn->live->track) || conn->live->tallies.oom ||
                 (conn->apart != NULL && fal_track_oom(conn->apart));
    fal_let_go(judge, conn);
    fal_conns_retire(&judge->conns, conn);
}

/* Engines are those of a subject. */
static void set_lanes(const struct fal_judge *judge, struct fal_track *track,
                      const struct fal_connection *setup)
{
    struct fal_lanes *lanes = track->lanes;

    lanes[FAL_TO_SUT].within_ns = fal_lanes_within_ns(&judge->bench, setup);
    lanes[FAL_TO_SUT].kept = true;
    lanes[FAL_FROM_SUT].within_ns = judge->asking->both_ends ? lanes[FAL_TO_SUT].within_ns : 0;
    lanes[FAL_FROM_SUT].kept = judge->asking->both_ends;
}

void fal_take_connection(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);
    const struct fal_ev_run *run = &judge->bench.run;
    struct fal_connection setup = event->u.connection;

    if (event->conn == 0)
        return;
    fal_learned_settle(&setup);
    if (fal_engine_moves(&judge->bench.engine, &setup.rue))
        setup.unknown_params |= FAL_MOVED_PARAMS;
    if (fal_use(judge, conn)) {
        set_lanes(judge, &conn->live->track, &setup);
        conn->cid[FAL_TO_SUT] = setup.sut.cid;
        conn->cid[FAL_FROM_SUT] = setup.tester.cid;
        fal_track_update(&conn->live->track, &setup);
        if (conn->apart != NULL) {
            set_lanes(judge, conn->apart, &setup);
            fal_track_update(conn->apart, &setup);
        }
        return;
    }
    conn = fal_conns_add(&judge->conns, event->conn);
    if (conn == NULL) {
        judge->oom = true;
        return;
    }
    conn->cid[FAL_TO_SUT] = setup.sut.cid;
    conn->cid[FAL_FROM_SUT] = setup.tester.cid;
    fal_track_init(&conn->live->track, &setup);
    set_lanes(judge, &conn->live->track, &setup);
    conn->live->track.complete = run->complete;
    fal_track_undeclared(&conn->live->track, run->undeclared);
    conn->live->track.in_order[FAL_TO_SUT] =
        run->in_order_in || run->vantage == FAL_VANTAGE_TESTER;
    /* The SUT's own queues may reorder packets within its pipeline allowance. */
    conn->live->track.in_order[FAL_FROM_SUT] =
        (run->in_order_out || run->vantage == FAL_VANTAGE_SUT) && setup.params.pipeline_ns == 0;
    conn->open = true;
    judge->bench.open++;
    judge->bench.opened++;
}

static void mark_one(struct fal_judge *judge, struct fal_conn *conn,
                     const struct fal_event *event)
{
    fal_doubt(judge, conn, judge->now_index);
    mark_conn(judge, conn, event);
}

void fal_take_mark(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);

    if (event->u.mark.mark == FAL_MARK_BARRIER)
        judge->bench.barrier_index = event->index;
    if (event->u.mark.mark == FAL_MARK_CLOCK_STEP) {
        judge->bench.stepped = true;
        judge->bench.step_index = event->index;
    }
    if (conn != NULL)
        mark_one(judge, conn, event);
    else if (event->conn == 0)
        for (size_t i = 0; i < judge->conns.num; i++)
            mark_one(judge, judge->conns.list[i], event);
}
