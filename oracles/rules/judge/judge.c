/* SPDX-License-Identifier: Apache-2.0
 * judge.c - passes events to rules: finds the connection, asks each rule for each side, then
 * adds the event to the facts. */
#include "oracles/rules/judge/judge.h"

#include "oracles/rules/facts/moved.h"
#include "oracles/rules/facts/rdma.h"
#include "oracles/rules/judge/ask.h"
#include "oracles/rules/judge/learned.h"
#include "oracles/rules/judge/order.h"
#include "oracles/rules/verbs/atomics.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* For this long a packet of an earlier connection may still be in flight on a live path. */
#define STRAY_NS FAL_S

struct fal_judge *fal_judge_new(const struct fal_judge_config *config)
{
    struct fal_judge *judge = malloc(sizeof *judge);

    if (judge == NULL)
        return NULL;
    memset(judge, 0, offsetof(struct fal_judge, control.list));
    judge->config = *config;
    fal_bench_run(&judge->bench, &(struct fal_ev_run){.delay_max_ns = FAL_NEVER});
    judge->readings = config->common != NULL ? config->common : &judge->own_readings;
    judge->asking = config->asking;
    if (judge->asking == NULL)
        judge->asking = judge->own = fal_asking_new(config);
    if (judge->asking == NULL) {
        free(judge);
        return NULL;
    }
    fal_conns_init(&judge->conns, judge->asking->cells, judge->asking->state_size,
                   config->at_hand_bytes);
    judge->strays = fal_conn_new(&judge->conns, 0);
    judge->shown = malloc(sizeof *judge->shown);
    if (judge->shown != NULL)
        memset(judge->shown, 0, offsetof(struct fal_shown, all));
    if (judge->strays == NULL || judge->shown == NULL ||
        !fal_tallies_init(&judge->shown->tallies, judge->asking->cells)) {
        fal_judge_free(judge);
        return NULL;
    }
    return judge;
}

struct fal_common *fal_common_new(void)
{
    return calloc(1, sizeof(struct fal_common));
}

void fal_common_free(struct fal_common *common)
{
    free(common);
}

/* Frees everything of a connection except its tallies. */
static void let_go(struct fal_judge *judge, struct fal_conn *conn)
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

void fal_judge_free(struct fal_judge *judge)
{
    if (judge == NULL)
        return;
    for (size_t i = 0; i < judge->conns.num; i++)
        let_go(judge, judge->conns.list[i]);
    if (judge->strays != NULL)
        fal_release_states(judge, judge->strays->live);
    fal_conn_free(judge->strays);
    fal_conns_free(&judge->conns);
    free(judge->budget);
    fal_objects_free(judge->bench.objects);
    if (judge->shown != NULL)
        fal_tallies_free(&judge->shown->tallies);
    free(judge->shown);
    fal_asking_free(judge->own);
    free(judge);
}

/* ---- asking the rules ---- */

/* Whether the connection exists and is open; then it is unpacked. */
static bool use(struct fal_judge *judge, struct fal_conn *conn)
{
    if (conn == NULL || !conn->open)
        return false;
    if (conn->live != NULL && conn->live == judge->conns.last)
        return true; /* as of most packets */
    if (!fal_conns_use(&judge->conns, conn))
        judge->oom = true;
    return conn->live != NULL;
}

/* Tells the rules that a time for which one of them waited has passed. */
static void wake_ends(struct fal_judge *judge, struct fal_conn *conn)
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

static inline void wake(struct fal_judge *judge, struct fal_conn *conn)
{
    if (conn->open && (judge->now_ns > conn->live->track.wake_ns[0] ||
                       judge->now_ns > conn->live->track.wake_ns[1]))
        wake_ends(judge, conn);
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

    if (!use(judge, conn))
        return;
    if (mark->mark != FAL_MARK_GAP_IN && mark->mark != FAL_MARK_GAP_OUT) {
        wake(judge, conn);
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
static void may_have_missed(struct fal_judge *judge, struct fal_conn *conn, uint64_t index)
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
    if (!use(judge, conn))
        return;
    judge->oom = !fal_conn_part(conn) || judge->oom;
    gap_of_end(judge, conn, 0, &in);
    gap_of_end(judge, conn, 0, &out);
    gap_of_end(judge, conn, 1, &out);
    gap_of_end(judge, conn, 1, &in);
    if (!apart)
        fal_conn_join(conn);
}

/* Where any packet may go unseen, packets may have gone unseen before that index. */
static inline void doubt(struct fal_judge *judge, struct fal_conn *conn, uint64_t index)
{
    if (judge->bench.run.may_miss)
        may_have_missed(judge, conn, index);
}

/* Decides every instance that waited and forgets the facts; the tallies stay. */
static void finish_conn(struct fal_judge *judge, struct fal_conn *conn)
{
    if (!use(judge, conn))
        return;
    doubt(judge, conn, judge->now_index + 1);
    wake(judge, conn);
    fal_ask(judge, conn, FAL_ASK_FINISH, NULL);
    judge->oom = judge->oom || fal_track_oom(&conn->live->track) || conn->live->tallies.oom ||
                 (conn->apart != NULL && fal_track_oom(conn->apart));
    let_go(judge, conn);
    fal_conns_retire(&judge->conns, conn);
}

/* ---- events ---- */

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

static void open_connection(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);
    const struct fal_ev_run *run = &judge->bench.run;
    struct fal_connection setup = event->u.connection;

    if (event->conn == 0)
        return;
    fal_learned_settle(&setup);
    if (fal_engine_moves(&judge->bench.engine, &setup.rue))
        setup.unknown_params |= FAL_MOVED_PARAMS;
    if (use(judge, conn)) {
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

/* The connection of that number. Most events concern the one that was used last: if it is open,
 * no newer one has its number. */
static struct fal_conn *find(const struct fal_judge *judge, uint32_t number)
{
    const struct fal_live *last = judge->conns.last;

    if (last != NULL && last->of->number == number && last->of->open)
        return last->of;
    return fal_conns_find(&judge->conns, number);
}

/* The connection that a packet belongs to by its CID, or by where it was seen; the strays when
 * neither says so; NULL when the packet comes after the end of its connection. */
static struct fal_conn *connection_of(struct fal_judge *judge, const struct fal_event *event,
                                      enum fal_fit *fit)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    struct fal_conn *conn = find(judge, event->conn), *named;
    bool parsed = packet->header_len > 0 && packet->falcon.version == 1;
    uint32_t cid = packet->falcon.dest_cid;

    *fit = parsed ? FAL_FITS : FAL_MALFORMED;
    if (conn != NULL && !conn->open)
        return NULL;
    if (conn != NULL && (!parsed || fal_conn_cid(conn, packet->dir) == cid ||
                         fal_conn_cid(conn, packet->dir) > 0xffffff))
        return conn; /* A CID above 24 bits stands for an unknown one. */
    named = parsed ? fal_conns_by_cid(&judge->conns, packet->dir, cid) : NULL;
    if (named != NULL)
        return named->open ? named : NULL;
    if (parsed)
        *fit = FAL_STRAY;
    if (conn == NULL && judge->conns.num == 1 && judge->conns.list[0]->open)
        conn = judge->conns.list[0];
    return conn != NULL ? conn : judge->strays;
}

/* Whether a stray from the SUT may have been sent on a connection of an earlier run. */
static bool may_be_old(const struct fal_judge *judge, const struct fal_event *event)
{
    const struct fal_bench *bench = &judge->bench;

    if (!bench->run.live || event->u.packet.dir != FAL_FROM_SUT)
        return false;
    return !(bench->run.in_order_out && judge->good_seen) &&
           event->t_ns - bench->start_ns < STRAY_NS;
}

/* Tells the rules which posts explain the SUT's request packets, as far as they were seen
 * without a hole. */
static void explain(struct fal_judge *judge, struct fal_conn *conn)
{
    struct fal_track *track = &conn->live->track;
    struct fal_rdma_facts *rdma = track->rdma;
    const struct fal_rdma_fact *seen;
    struct fal_explained e;

    if (rdma == NULL)
        return;
    if (!track->setup.initial_known) {
        fal_objects_vague(judge->bench.objects, conn->number);
        return;
    }
    if (!rdma->explaining)
        rdma->explain = track->rsn_first[FAL_FROM_SUT];
    rdma->explaining = true;
    while ((seen = fal_rdma_request(track, FAL_FROM_SUT, rdma->explain)) != NULL) {
        struct fal_rdma_fact fact = *seen;

        rdma->explain++;
        if ((fact.flags & (FAL_RDMA_PARTIAL | FAL_RDMA_OTHER)) != 0) {
            fal_objects_vague(judge->bench.objects, conn->number);
            continue;
        }
        fal_objects_explain(judge->bench.objects, conn->number, &fact, &e);
        fal_ask(judge, conn, FAL_ASK_EXPLAINED, &(struct fal_asked){.explained = &e});
        fal_objects_take(&e);
    }
}

/* What a packet is for the verbs of the SUT. */
static void take_words(struct fal_judge *judge, struct fal_conn *conn,
                       const struct fal_seen *seen, const struct fal_ulp *ulp)
{
    if (judge->bench.objects == NULL)
        return;
    if (conn->live->track.rsn_doubt[FAL_TO_SUT])
        fal_objects_unseen(judge->bench.objects);
    if (seen->dir == FAL_TO_SUT && fal_rdma_has(seen) && seen->prior == NULL)
        fal_objects_sent(judge->bench.objects, conn->number, seen);
    if (seen->dir == FAL_FROM_SUT && seen->reliable && seen->prior == NULL &&
        seen->falcon->packet_type == FAL_PULL_DATA)
        fal_objects_answered(judge->bench.objects, conn->number, seen,
                             ulp != NULL ? ulp->rdma.atomicacketh.original_data : 0);
    explain(judge, conn);
}

/* A packet that becomes a fact. */
static void take_fact(struct fal_judge *judge, struct fal_conn *conn, struct fal_ctx *c,
                      const struct fal_event *event)
{
    struct fal_track *track = &conn->live->track;
    struct fal_seen seen, other;

    if (event->u.packet.issues.count > 0 && judge->asking->both_ends && conn->apart == NULL &&
        fal_track_parts(&event->u.packet))
        judge->oom = !fal_conn_part(conn) || judge->oom;
    fal_track_read(track, event, c->ulp, &seen);
    fal_ask_seen(judge, conn, c, conn->apart != NULL ? 0 : FAL_EVERY_END, &seen);
    fal_measure(judge->measured, track, &seen);
    fal_track_commit(track, &seen);
    if (track->verbs)
        take_words(judge, conn, &seen, c->ulp);
    else if (judge->bench.objects != NULL && seen.dir == FAL_TO_SUT && fal_rdma_has(&seen))
        fal_objects_unseen(judge->bench.objects); /* The verbs may hear of it all the same. */
    judge->oom = judge->oom || track->oom;
    if (track->missed.found && !judge->missed.found) {
        judge->missed = track->missed;
        judge->missed.conn = conn->number;
    }
    if (conn->apart == NULL)
        return;
    fal_track_read(conn->apart, event, c->ulp, &other);
    fal_ask_seen(judge, conn, c, 1, &other);
    fal_track_commit(conn->apart, &other);
}

static void take_packet(struct fal_judge *judge, const struct fal_event *event)
{
    const struct fal_ev_packet *packet = &event->u.packet;
    enum fal_fit fit;
    struct fal_conn *conn = connection_of(judge, event, &fit);
    struct fal_ulp ulp;
    struct fal_ctx c;

    if (conn == NULL || (conn->open && !use(judge, conn)))
        return;
    doubt(judge, conn, judge->now_index);
    wake(judge, conn);
    if (fit == FAL_STRAY && may_be_old(judge, event))
        fit = FAL_STRAY_OLD;
    if (fit == FAL_FITS && event->u.packet.bad != FAL_BAD_NOT)
        fit = FAL_BAD;
    fal_ask_begin(judge, conn, &c);
    if (fit == FAL_FITS && fal_rdma_likely(packet)) {
        fal_ulp_decode(&packet->falcon, packet->payload, packet->payload_len, &ulp);
        c.ulp = &ulp;
    }
    fal_ask_raw(judge, conn, &c, event, fit);
    if (fit != FAL_FITS)
        return;
    judge->good_seen = judge->good_seen || event->u.packet.dir == FAL_FROM_SUT;
    take_fact(judge, conn, &c, event);
}

static void take_reply(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_pending command;
    struct fal_conn *conn;

    if (!fal_control_reply(&judge->control, event, &command) ||
        (!event->u.reply.ok && !command.post))
        return;
    conn = fal_conns_find(&judge->conns, command.conn);
    if (!use(judge, conn))
        return;
    doubt(judge, conn, judge->now_index);
    wake(judge, conn);
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

static void take_cm(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);

    if (strcmp(event->u.cm.what, "dropped") == 0)
        judge->bench.events_lost = true;
    if (use(judge, conn)) {
        doubt(judge, conn, judge->now_index);
        if (strcmp(event->u.cm.what, "fatal") == 0)
            conn->live->track.dead = true;
        fal_ask(judge, conn, FAL_ASK_CM, &(struct fal_asked){.event = event});
        return;
    }
    for (size_t i = 0; event->conn == 0 && i < judge->conns.num; i++)
        if (use(judge, judge->conns.list[i]))
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

        if (!use(judge, conn))
            continue;
        rue = &conn->live->track.setup.rue;
        if (fal_engine_hidden(&was, rue) || fal_engine_hidden(&judge->bench.engine, rue))
            fal_moved_lost(&conn->live->track, event);
    }
}

/* An entry that the SUT showed, or a result that the tester writes. */
static void take_entry(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);
    struct fal_entry entry;
    struct fal_track *track;

    judge->bench.control = true;
    if (!use(judge, conn))
        return;
    track = &conn->live->track;
    if (!fal_entry_read(&track->setup.rue, event, &entry))
        return;
    doubt(judge, conn, judge->now_index);
    wake(judge, conn);
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
            if (use(judge, judge->conns.list[i]))
                fal_limits_answered(&judge->conns.list[i]->live->track.limits,
                                    event->u.reply.id, event->u.reply.ok, event->t_ns);
        return;
    }
    if (strcmp(event->u.command.verb, "cc_result") == 0 && event->u.command.has_entry)
        take_entry(judge, event);
    else if (strcmp(event->u.command.verb, "set") == 0 && use(judge, conn))
        fal_moved_by_set(&conn->live->track, event);
}

static void take_control(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn = fal_conns_find(&judge->conns, event->conn);

    judge->bench.control = true;
    if (event->kind != FAL_EV_ULP)
        limits_by_command(judge, event);
    if (event->kind == FAL_EV_COMMAND && judge->bench.objects != NULL &&
        strcmp(event->u.command.verb, "reset") == 0)
        fal_objects_reset(judge->bench.objects);
    if (event->kind == FAL_EV_REPLY) {
        take_reply(judge, event);
    } else if (use(judge, conn)) {
        doubt(judge, conn, judge->now_index);
        wake(judge, conn);
        if (event->kind == FAL_EV_COMMAND) {
            fal_ask(judge, conn, FAL_ASK_COMMAND, &(struct fal_asked){.event = event});
            fal_control_command(&judge->control, &conn->live->track, event);
        } else {
            take_ulp(judge, conn, event);
        }
        judge->oom = judge->oom || conn->live->track.oom;
    }
}

/* ---- the verbs of RDMA ---- */

/* The connection that a word of the verbs is about; NULL: none. */
static struct fal_conn *conn_of_verbs(const struct fal_judge *judge,
                                      const struct fal_said *said)
{
    uint32_t number = said->event->conn;
    const char *name = said->asked != NULL ? said->asked->conn : "";

    for (size_t i = judge->conns.num; number == 0 && name[0] != 0 && i-- > 0;) {
        struct fal_conn *conn = judge->conns.list[i];

        if (conn->open && conn->live != NULL && strcmp(conn->live->track.setup.name, name) == 0)
            return conn;
    }
    if (number == 0 && said->qp != NULL)
        number = said->qp->conn;
    return number != 0 ? fal_conns_find(&judge->conns, number) : NULL;
}

static void tell_verbs(struct fal_judge *judge, struct fal_conn *conn,
                       const struct fal_said *said)
{
    if (!use(judge, conn))
        return;
    doubt(judge, conn, judge->now_index);
    wake(judge, conn);
    fal_ask(judge, conn, FAL_ASK_VERBS, &(struct fal_asked){.said = said});
}

/* Whether a word is about an object that several connections use, as a UD queue pair is: what
 * rules say of it is the same for each of them, so that one of them hears it. */
static bool of_no_connection(const struct fal_said *said)
{
    enum fal_verbs_kind kind = said->asked != NULL ? said->asked->kind : said->told->kind;

    return (said->qp != NULL && said->qp->type == FAL_VERBS_UD) ||
           kind == FAL_VERBS_POST_SEND || kind == FAL_VERBS_POST_RECV;
}

/* The connection that hears such a word; NULL: none. That of the newest datagram judges what
 * became of it (V12). */
static struct fal_conn *one_of_verbs(struct fal_judge *judge, const struct fal_said *said)
{
    struct fal_conn *newest = said->qp != NULL && said->qp->datagram_conn != 0
                                  ? fal_conns_find(&judge->conns, said->qp->datagram_conn)
                                  : NULL;

    if (use(judge, newest) && newest->live->track.verbs)
        return newest;
    for (size_t i = 0; i < judge->conns.num; i++) {
        struct fal_conn *conn = judge->conns.list[i];

        if (use(judge, conn) && conn->live->track.verbs)
            return conn;
    }
    return NULL;
}

static void take_verbs(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *teller;
    struct fal_objects *objects = judge->bench.objects;
    struct fal_said said;
    struct fal_conn *conn;

    judge->bench.control = true;
    if (event->u.verbs.verbs == NULL)
        return;
    if (objects == NULL)
        objects = judge->bench.objects = fal_objects_new();
    judge->oom = judge->oom || objects == NULL;
    if (objects == NULL || !fal_objects_read(objects, event, &said))
        return;
    conn = conn_of_verbs(judge, &said);
    teller = conn == NULL && of_no_connection(&said) ? one_of_verbs(judge, &said) : conn;
    if (teller != NULL)
        tell_verbs(judge, teller, &said);
    for (size_t i = 0; teller == NULL && i < judge->conns.num; i++)
        tell_verbs(judge, judge->conns.list[i], &said);
    if (event->u.verbs.phase == FAL_VERBS_ANSWERED && said.ok &&
        (said.asked->kind == FAL_VERBS_QP_CONNECT || said.asked->kind == FAL_VERBS_AH_CREATE) &&
        use(judge, conn)) {
        conn->live->track.verbs = true;
        if (conn->apart != NULL)
            conn->apart->verbs = true;
    }
    fal_objects_note(objects, &said, conn != NULL ? conn->number : 0);
    judge->oom = judge->oom || fal_objects_oom(objects);
}

static void mark_one(struct fal_judge *judge, struct fal_conn *conn,
                     const struct fal_event *event)
{
    doubt(judge, conn, judge->now_index);
    mark_conn(judge, conn, event);
}

static void take_mark(struct fal_judge *judge, const struct fal_event *event)
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

void fal_judge_event(struct fal_judge *judge, const struct fal_event *event)
{
    struct fal_conn *conn;

    if (judge->finished)
        return;
    if (!judge->bench.started) {
        judge->bench.started = true;
        judge->bench.start_ns = event->t_ns;
    }
    judge->now_ns = event->t_ns;
    judge->now_index = event->index;
    judge->takes = event->kind != FAL_EV_MARK && event->kind != FAL_EV_CM &&
                   event->kind != FAL_EV_CLOSE && event->kind != FAL_EV_END;
    switch (event->kind) {
    case FAL_EV_RUN: fal_bench_run(&judge->bench, &event->u.run); break;
    case FAL_EV_CONNECTION: open_connection(judge, event); break;
    case FAL_EV_PACKET: take_packet(judge, event); break;
    case FAL_EV_COMMAND:
    case FAL_EV_REPLY:
    case FAL_EV_ULP: take_control(judge, event); break;
    case FAL_EV_CM: take_cm(judge, event); break;
    case FAL_EV_CC: take_entry(judge, event); break;
    case FAL_EV_VERBS: take_verbs(judge, event); break;
    case FAL_EV_MARK: take_mark(judge, event); break;
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_TIMING:
    case FAL_EV_BENCH:
    case FAL_EV_INTERNAL: break;
    case FAL_EV_CLOSE:
        conn = fal_conns_find(&judge->conns, event->conn);
        if (conn != NULL)
            finish_conn(judge, conn);
        break;
    case FAL_EV_END: fal_judge_finish(judge); break;
    }
}

void fal_judge_gap(struct fal_judge *judge, uint64_t index, uint64_t t_ns)
{
    if (judge->finished)
        return;
    judge->now_ns = t_ns;
    judge->now_index = index;
    for (size_t i = 0; i < judge->conns.num; i++) {
        struct fal_conn *conn = judge->conns.list[i];

        if (judge->bench.run.may_miss)
            may_have_missed(judge, conn, index);
        may_have_missed(judge, conn, index);
    }
}

void fal_judge_finish(struct fal_judge *judge)
{
    if (judge->finished)
        return;
    judge->takes = false;
    for (size_t i = 0; i < judge->conns.num; i++)
        finish_conn(judge, judge->conns.list[i]);
    judge->oom = judge->oom || judge->strays->live->tallies.oom;
    judge->finished = true;
    if (judge->config.whole) {
        judge->budget = fal_budget_new(judge);
        judge->oom = judge->oom || judge->budget == NULL;
    }
}
