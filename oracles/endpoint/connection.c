/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/connection.h"

#include "oracles/endpoint/delivery/ackgen.h"
#include "oracles/endpoint/delivery/measure.h"
#include "oracles/endpoint/delivery/retransmit.h"
#include "oracles/endpoint/delivery/schedule.h"
#include "oracles/endpoint/delivery/steer.h"
#include "oracles/endpoint/delivery/transmit.h"
#include "oracles/endpoint/faults/rack.h"
#include "oracles/endpoint/transaction/initiator.h"
#include "oracles/endpoint/transaction/pools.h"
#include "oracles/endpoint/transaction/target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOTE_MAX = 160 };

#define STATE_NAME(id, name) [FAL_TXN_##id] = name,

const char *fal_txn_state_name(enum fal_txn_state state)
{
    static const char *const names[] = {FAL_TXN_STATES(STATE_NAME)};

    return names[state];
}

struct fal_ep_conn *fal_ep_conn_new(struct fal_endpoint *ep,
                                    const struct fal_endpoint_conn *config, uint32_t number)
{
    struct fal_ep_conn *conn = fal_slab_take(&ep->connections);
    const struct fal_end *local = &config->local, *peer = &config->peer;

    if (conn == NULL)
        return NULL;
    memset(conn, 0, sizeof *conn);
    conn->ep = ep;
    conn->number = number;
    conn->params = config->params;
    conn->local = *local;
    conn->peer = *peer;
    conn->auto_ack = config->auto_ack;
    conn->auto_retransmit = config->auto_retransmit;
    conn->twins = config->twins;
    if (fal_odd_new(conn) != 0) {
        fal_slab_give(&ep->connections, conn);
        return NULL;
    }
    conn->rtt_ns = config->params.initial_rtt_ns;
    conn->coalesce_ns = conn->held_ns = conn->probe_ns = FAL_NEVER;
    fal_security_init(&conn->security, &config->security, &ep->security);
    fal_cc_init(&conn->cc, &ep->rue.config, (uint32_t)fal_rng_next(&ep->path_rng),
                &conn->params);
    fal_link_init(&conn->link);
    fal_link_init(&conn->stale);
    fal_link_init(&conn->timers);
    fal_link_init(&conn->active);
    for (unsigned i = 0; i < FAL_QUEUE_COUNT; i++)
        fal_link_init(&conn->queue[i]);
    fal_txwin_init(&conn->tx[FAL_WINDOW_REQ], &ep->packets, &ep->slots, local->req_psn,
                   fal_decide(conn, window_size, config->params.tx_window_req));
    fal_txwin_init(&conn->tx[FAL_WINDOW_DATA], &ep->packets, &ep->slots, local->data_psn,
                   fal_decide(conn, window_size, config->params.tx_window_data));
    conn->rx[FAL_WINDOW_REQ] =
        (struct fal_rxwin){.base = peer->req_psn, .size = FAL_RX_WINDOW_REQ};
    conn->rx[FAL_WINDOW_DATA] =
        (struct fal_rxwin){.base = peer->data_psn, .size = FAL_RX_WINDOW_DATA};
    fal_initiator_init(&conn->initiator, ep, local->rsn);
    fal_target_init(&conn->target, ep, peer->rsn, config->params.ordered);
    fal_filter(conn, new_target, &conn->target);
    if (fal_pools_join(conn) == 0)
        return conn;
    fal_ep_conn_free(conn);
    return NULL;
}

/* Frees what would be sent or sent again. */
static void free_packets(struct fal_ep_conn *conn)
{
    for (unsigned i = 0; i < FAL_QUEUE_COUNT; i++) {
        struct fal_link *head = &conn->queue[i], *next;

        for (struct fal_link *link = head->next; link != head; link = next) {
            next = link->next;
            fal_tx_packet_free(&conn->ep->packets, FAL_ITEM(link, struct fal_tx_packet, link));
        }
        fal_link_init(head);
    }
    for (unsigned i = 0; i < 2; i++)
        fal_txwin_free(&conn->tx[i]);
    fal_link_remove(&conn->active);
}

void fal_ep_conn_free(struct fal_ep_conn *conn)
{
    if (!conn->dead)
        fal_remind(conn, ends);
    fal_link_remove(&conn->link);
    fal_link_remove(&conn->stale);
    free_packets(conn);
    fal_initiator_free(&conn->initiator);
    fal_target_free(&conn->target);
    fal_pools_leave(conn);
    fal_odd_free(conn);
    fal_steer_free(conn);
    fal_slab_give(&conn->ep->connections, conn);
}

uint8_t *fal_ep_conn_out(struct fal_ep_conn *conn, const struct fal_endpoint_out *out,
                         size_t len)
{
    uint8_t *room = NULL;
    struct fal_endpoint_out *own = fal_outqueue_add(&conn->ep->out, out, len, &room);

    if (own == NULL)
        conn->ep->out_of_memory = true;
    else
        own->conn = conn->number;
    return room;
}

/* fal_ep_conn_put() where the queue has no room. */
static __attribute__((noinline)) uint8_t *put_more(struct fal_ep_conn *conn,
                                                   enum fal_out_kind kind, size_t len,
                                                   struct fal_endpoint_out **out)
{
    if (fal_outqueue_grow(&conn->ep->out, len) == 0)
        return fal_ep_conn_put(conn, kind, len, out);
    conn->ep->out_of_memory = true;
    *out = NULL;
    return NULL;
}

uint8_t *fal_ep_conn_put(struct fal_ep_conn *conn, enum fal_out_kind kind, size_t len,
                         struct fal_endpoint_out **out)
{
    uint8_t *room;

    if (!fal_outqueue_room(&conn->ep->out, len))
        return put_more(conn, kind, len, out);
    *out = fal_outqueue_put(&conn->ep->out, kind, len, &room);
    (*out)->conn = conn->number;
    return room;
}

/* `out` says the kind; its text is copied. */
static void say(struct fal_ep_conn *conn, struct fal_endpoint_out out, const char *text)
{
    size_t len = strlen(text) + 1;
    uint8_t *room = fal_ep_conn_out(conn, &out, len);

    if (room != NULL)
        memcpy(room, text, len);
}

void fal_ep_conn_tell(struct fal_ep_conn *conn, const char *what)
{
    say(conn, (struct fal_endpoint_out){.kind = FAL_OUT_CM}, what);
}

void fal_ep_conn_say(struct fal_ep_conn *conn, bool timer, const char *format, ...)
{
    char text[NOTE_MAX];
    va_list args;

    text[0] = 0;
    va_start(args, format);
    if (timer || !conn->ep->wordless_notes)
        vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say(conn, (struct fal_endpoint_out){.kind = FAL_OUT_NOTE, .timer = timer}, text);
}

void fal_ep_conn_fatal(struct fal_ep_conn *conn)
{
    uint32_t nrsn = conn->target.nrsn;
    bool ordered = conn->target.ordered;

    conn->dead = true;
    fal_remind(conn, ends);
    if (fal_decide(conn, fatal_told, true))
        fal_ep_conn_tell(conn, "fatal");
    fal_initiator_abort(conn);
    for (unsigned i = 0; i < 2; i++) {
        conn->tx[i].unacked = conn->tx[i].requests = conn->tx[i].repeated = 0;
        fal_link_init(&conn->tx[i].due);
    }
    free_packets(conn);
    fal_link_init(&conn->timers);
    fal_target_free(&conn->target);
    fal_target_init(&conn->target, conn->ep, nrsn, ordered);
    fal_pools_drain(conn);
    conn->coalesce_ns = conn->held_ns = conn->probe_ns = conn->cc.depart_ns = FAL_NEVER;
    fal_steer_free(conn);
}

void fal_ep_conn_tick(struct fal_ep_conn *conn)
{
    fal_remind(conn, tick);
    fal_rue_expire(conn);
    fal_retransmit_expire(conn);
    fal_rack_expire(conn);
    fal_initiator_expire(conn);
    fal_target_expire(conn);
    fal_ackgen_expire(conn);
    fal_steer_expire(conn);
}

static uint64_t earliest(const struct fal_ep_conn *conn)
{
    const uint64_t at_ns[] = {fal_retransmit_deadline(conn),
                              fal_initiator_deadline(&conn->initiator),
                              fal_target_deadline(&conn->target),
                              conn->coalesce_ns,
                              conn->held_ns,
                              conn->probe_ns,
                              conn->cc.depart_ns,
                              fal_steer_deadline(conn),
                              fal_decide(conn, put_off, FAL_NEVER)};
    uint64_t first = FAL_NEVER;

    for (size_t i = 0; i < sizeof at_ns / sizeof *at_ns; i++)
        if (at_ns[i] < first)
            first = at_ns[i];
    return first;
}

void fal_ep_conn_set_deadlines(struct fal_endpoint *ep)
{
    while (!fal_link_alone(&ep->stale)) {
        struct fal_ep_conn *conn = FAL_ITEM(ep->stale.next, struct fal_ep_conn, stale);

        fal_link_remove(&conn->stale);
        fal_timers_set(&ep->timers, conn->number - 1, earliest(conn));
    }
}

void fal_ep_conn_settle(struct fal_ep_conn *conn)
{
    if (!conn->dead) {
        if (conn->ack_now)
            fal_ackgen_flush(conn);
        if (conn->ep->schedule.gap_ns > 0 || !fal_transmit_idle(conn))
            fal_schedule_settle(conn);
        if (conn->held_ns != FAL_NEVER)
            fal_odd_release(conn);
    }
    if (conn->credits_back)
        fal_pools_tell(conn);
    if (fal_target_ready(conn) && fal_link_alone(&conn->link))
        fal_link_append(&conn->ep->ready, &conn->link);
    fal_ep_conn_rearm(conn);
}
