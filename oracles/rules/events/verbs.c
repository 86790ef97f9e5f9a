/* SPDX-License-Identifier: Apache-2.0
 * verbs.c - words of RDMA verbs: which connections hear of them. */
#include "oracles/rules/events/events.h"
#include "oracles/rules/judge/ask.h"

#include <string.h>

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
    if (!fal_use(judge, conn))
        return;
    fal_doubt(judge, conn, judge->now_index);
    fal_wake_due(judge, conn);
    fal_ask(judge, conn, FAL_ASK_VERBS, &(struct fal_asked){.said = said});
}

/* One connection of the verbs, for a word about an object that belongs to none, as a UD queue
 * pair: what rules say of it is the same for each of them. That of the newest datagram judges
 * what became of it (V12). NULL: there is none. */
static struct fal_conn *one_of_verbs(struct fal_judge *judge, const struct fal_said *said)
{
    struct fal_conn *newest = said->qp != NULL && said->qp->datagram_conn != 0
                                  ? fal_conns_find(&judge->conns, said->qp->datagram_conn)
                                  : NULL;

    if (fal_use(judge, newest) && newest->live->track.verbs)
        return newest;
    if (judge->teller != NULL && judge->teller->open)
        return judge->teller;
    for (size_t i = 0; i < judge->conns.num; i++) {
        struct fal_conn *conn = judge->conns.list[i];

        if (fal_use(judge, conn) && conn->live->track.verbs)
            return judge->teller = conn;
    }
    return NULL;
}

/* The connection of the newest write to the range of a mr_hash judges it (V9, V10). */
static struct fal_conn *conn_of_hash(const struct fal_judge *judge, const struct fal_said *said)
{
    const struct fal_objects *objects = judge->bench.objects;
    const struct fal_vmr *mr = fal_objects_mr(objects, said->asked->mr);
    uint32_t conn = 0;

    if (mr != NULL)
        (void)fal_objects_newest(objects, mr->image, mr->at + said->asked->offset,
                                 said->asked->length, &conn);
    return fal_conns_find(&judge->conns, conn);
}

static void tell_all(struct fal_judge *judge, const struct fal_said *said)
{
    for (size_t i = 0; i < judge->conns.num; i++)
        tell_verbs(judge, judge->conns.list[i], said);
}

/* Those to which messages with SE were sent since the completion queue was armed (V7). */
static void tell_waiting(struct fal_judge *judge, const struct fal_said *said, const char *cq)
{
    uint32_t conn;

    for (size_t i = 0; (conn = fal_objects_waiting(judge->bench.objects, cq, i)) != 0; i++)
        tell_verbs(judge, fal_conns_find(&judge->conns, conn), said);
}

/* Tells a word that names no connection. There may be thousands of them, so that only those
 * hear of it for which it says something. */
static void tell_some(struct fal_judge *judge, const struct fal_said *said)
{
    const struct fal_verbs *word = said->asked != NULL ? said->asked : said->told;

    switch (word->kind) {
    case FAL_VERBS_MR_HASH: tell_verbs(judge, conn_of_hash(judge, said), said); break;
    case FAL_VERBS_MR_WORD: tell_all(judge, said); break;
    case FAL_VERBS_MR_FILL:
        if (fal_objects_any_word(judge->bench.objects)) /* V23 knows their values. */
            tell_all(judge, said);
        break;
    case FAL_VERBS_CQ_ARM:
    case FAL_VERBS_CQ_EVENT: tell_waiting(judge, said, word->cq); break;
    case FAL_VERBS_PD_CREATE:
    case FAL_VERBS_CQ_CREATE:
    case FAL_VERBS_SRQ_CREATE:
    case FAL_VERBS_MR_REG:
    case FAL_VERBS_MR_DEREG:
    case FAL_VERBS_QP_CREATE:
    case FAL_VERBS_AH_CREATE: break;
    case FAL_VERBS_QP_CONNECT:
    case FAL_VERBS_QP_QUERY:
    case FAL_VERBS_POST_SEND:
    case FAL_VERBS_POST_RECV:
    case FAL_VERBS_WC:
    case FAL_VERBS_ASYNC: tell_verbs(judge, one_of_verbs(judge, said), said); break;
    case FAL_VERBS_KINDS: break;
    }
}

/* Which writes the SUT had done before a mr_fill: those that it had acknowledged. Of requests
 * that are forgotten it has. */
static void note_done(struct fal_judge *judge, const struct fal_said *said)
{
    struct fal_objects *objects = judge->bench.objects;
    const struct fal_vmr *mr = fal_objects_mr(objects, said->asked->mr);
    const struct fal_written *w;

    for (size_t i = 0; mr != NULL && (w = fal_objects_written(objects, i)) != NULL; i++) {
        struct fal_conn *conn = fal_conns_find(&judge->conns, w->conn);
        const struct fal_request *r;

        if (w->kind != FAL_WRITTEN_WRITE || w->image != mr->image || !fal_use(judge, conn))
            continue;
        r = fal_track_request(&conn->live->track, FAL_TO_SUT, (uint32_t)w->rsn);
        if (r == NULL || ((r->flags & FAL_REQ_CLAIMED) != 0 &&
                          (r->flags & (FAL_REQ_RESYNC | FAL_REQ_VARIED)) == 0))
            fal_objects_done(objects, i);
    }
}

void fal_take_verbs(struct fal_judge *judge, const struct fal_event *event)
{
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
    if (conn != NULL)
        tell_verbs(judge, conn, &said);
    else
        tell_some(judge, &said);
    if (event->u.verbs.phase == FAL_VERBS_ANSWERED && said.ok &&
        (said.asked->kind == FAL_VERBS_QP_CONNECT || said.asked->kind == FAL_VERBS_AH_CREATE) &&
        fal_use(judge, conn)) {
        conn->live->track.verbs = true;
        if (conn->apart != NULL)
            conn->apart->verbs = true;
    }
    if (event->u.verbs.phase == FAL_VERBS_ASKED && said.asked->kind == FAL_VERBS_MR_FILL)
        note_done(judge, &said);
    fal_objects_note(objects, &said, conn != NULL ? conn->number : 0);
    judge->oom = judge->oom || fal_objects_oom(objects);
}
