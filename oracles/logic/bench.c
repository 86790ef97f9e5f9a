/* SPDX-License-Identifier: Apache-2.0
 * bench.c - see bench.h: the loop and both ends of a flow. */
#include "oracles/logic/bench.h"

#include "codecs/base/error.h"
#include "oracles/logic/bench_impl.h"

#include <stdlib.h>

enum { CYCLE_NS = 10 };

static const uint64_t endless = UINT64_MAX / 4; /* bytes that no run sends */

void fal_logic_bench_add(struct fal_logic_bench *b, uint64_t at_ns,
                         enum fal_logic_happening kind, uint32_t flow, uint32_t item)
{
    const struct fal_logic_entry entry = {
        .at_ns = at_ns, .kind = kind, .flow = flow, .item = item};

    if (fal_logic_agenda_add(&b->agenda, &entry) != 0)
        b->error = FAL_ERR_MEM;
}

static void begin(struct fal_logic_bench *b, uint32_t number)
{
    struct fal_logic_one *one = &b->flows[number];
    const struct fal_logic_bench_config *config = &b->config;
    uint32_t first;

    one->number = number;
    one->host = number % b->num_ports;
    one->rng = fal_rng_split(config->seed, number + UINT64_C(1));
    first = (uint32_t)fal_rng_next(&one->rng);
    one->count.start_ns = number * config->spacing_ns;
    fal_logic_sender_init(&one->sender, config->logic, &config->flow, first,
                          one->count.start_ns);
    fal_logic_receiver_init(&one->receiver, &config->receiver, first);
    one->sender.key = fal_rng_next(&one->rng);
    if (config->fault != NULL)
        one->sender.seam.kind = one->receiver.seam.kind = config->fault->kind;
    one->source.wait_ns = config->wait_ns;
    one->unwritten = config->bytes;
    one->send_ns = one->receive_ns = UINT64_MAX;
    fal_logic_bench_add(b, one->count.start_ns, FAL_LOGIC_AT_START, number, 0);
}

struct fal_logic_bench *fal_logic_bench_new(const struct fal_logic_bench_config *config)
{
    struct fal_logic_bench *b = calloc(1, sizeof *b);

    if (b == NULL)
        return NULL;
    b->config = *config;
    b->flows = calloc(config->flows, sizeof *b->flows);
    b->num_ports = config->hosts != 0 ? config->hosts : config->flows;
    b->ports = calloc(b->num_ports, sizeof *b->ports);
    if (b->flows == NULL || b->ports == NULL)
        goto fail;
    for (uint32_t i = 0; i < b->num_ports; i++)
        b->ports[i].head = config->flows;
    for (uint32_t i = 0; i < config->flows; i++)
        begin(b, i);
    if (b->error == 0)
        return b;
fail:
    fal_logic_bench_free(b);
    return NULL;
}

void fal_logic_bench_free(struct fal_logic_bench *b)
{
    if (b == NULL)
        return;
    fal_logic_agenda_free(&b->agenda);
    free(b->items);
    free(b->flows);
    free(b->ports);
    free(b);
}

/* ---- the sender ---- */

/* The user gives a burst, or messages, and the next after a pause. */
static void user_gives(struct fal_logic_bench *b, struct fal_logic_one *one)
{
    uint64_t pause_ns = 2 * b->config.net.delay_ns + b->config.wait_ns;
    uint64_t all = one->unwritten, part = all;

    if (all == UINT64_MAX) {
        fal_logic_source_write(&one->source, endless, b->now_ns);
        one->unwritten = 0;
        return;
    }
    if (all > 1 && fal_rng_below(&one->rng, 4) != 0)
        part = 1 + fal_rng_below(&one->rng, all);
    if (b->config.stream)
        fal_logic_source_write(&one->source, part, b->now_ns);
    else if (part > 0 && !fal_logic_source_message(&one->source, part))
        part = 0;
    one->unwritten -= part;
    if (one->unwritten > 0)
        fal_logic_bench_add(b, b->now_ns + fal_rng_below(&one->rng, 2 * pause_ns + 1),
                            FAL_LOGIC_AT_START, one->number, 0);
}

static void timers(struct fal_logic_bench *b, struct fal_logic_one *one)
{
    uint32_t oldest = one->sender.flow.wnd_start;

    if (fal_logic_sender_timers(&one->sender, b->now_ns)) {
        one->count.timeouts++;
        fal_logic_tell(b, one, FAL_TP_TIMEOUT, oldest);
    }
}

static void send(struct fal_logic_bench *b, struct fal_logic_one *one, uint32_t id)
{
    uint64_t line_bps = b->config.flow.line_rate_bps;
    struct fal_logic_packet packet;

    fal_logic_sender_send(&one->sender, id, b->now_ns, &packet);
    one->count.sent++;
    one->count.copies += packet.copy > 0;
    fal_logic_tell_packet(b, one, FAL_TP_SEND, &packet);
    fal_logic_net_segment(b, one, &packet);
    b->ports[one->host].busy_ns =
        b->now_ns +
        fal_logic_wire_ns(packet.bytes, fal_logic_seam_rate(&one->sender, line_bps));
    timers(b, one); /* a byte counter may be full */
}

static void finish(struct fal_logic_bench *b, struct fal_logic_one *one)
{
    if (one->count.done || one->count.given_up)
        return;
    if (one->sender.given_up) {
        one->count.given_up = true;
        b->num_done++;
        fal_logic_tell(b, one, FAL_TP_RESET, one->sender.flow.wnd_start);
        return;
    }
    if (one->unwritten > 0 || !fal_logic_source_empty(&one->source) ||
        !fal_logic_sender_done(&one->sender))
        return;
    one->count.done = true;
    one->count.done_ns = b->now_ns;
    b->num_done++;
    fal_logic_tell(b, one, FAL_TP_DONE, one->sender.posted);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* From a backlog of pause_bytes on no port sends, until half of it is left: ports that were
 * paused together have the link in turn. */
static void heed_pause(struct fal_logic_bench *b, struct fal_logic_port *port)
{
    const struct fal_logic_net *net = &b->config.net;
    uint64_t full_ns;

    if (net->pause_bytes == 0 || net->link_bps == 0)
        return;
    full_ns = fal_logic_wire_ns(net->pause_bytes, net->link_bps);
    if (b->link_ns >= b->now_ns + full_ns && b->paused_ns <= b->now_ns)
        b->paused_ns = b->link_ns - full_ns / 2;
    if (port->busy_ns < b->paused_ns)
        port->busy_ns = b->paused_ns;
}

/* Returns true if the flow, which can send, has the port now. If not, it waits for its turn. */
static bool has_port(struct fal_logic_bench *b, struct fal_logic_one *one)
{
    struct fal_logic_port *port = &b->ports[one->host];
    uint32_t nobody = b->config.flows;

    heed_pause(b, port);
    if (port->busy_ns <= b->now_ns && (port->head == nobody || b->turn == one))
        return true;
    if (!one->waits) {
        one->waits = true;
        one->next = nobody;
        *(port->head == nobody ? &port->head : &b->flows[port->tail].next) = one->number;
        port->tail = one->number;
    }
    if (!port->set) {
        port->set = true;
        fal_logic_bench_add(b, port->busy_ns, FAL_LOGIC_PORT_FREE, one->host, 0);
    }
    return false;
}

/* Everything that the sender can do now; then its next wake-up. */
static void pump(struct fal_logic_bench *b, struct fal_logic_one *one)
{
    uint64_t wake_ns = UINT64_MAX, at_ns;
    enum fal_logic_wait wait = FAL_LOGIC_NO_WORK;
    uint32_t id;

    timers(b, one);
    if (fal_logic_source_fill(&one->source, &one->sender, b->now_ns) > 0)
        fal_logic_tell(b, one, FAL_TP_POST, one->sender.posted);
    finish(b, one);
    while (b->error == 0 &&
           (wait = fal_logic_sender_next(&one->sender, b->now_ns, &id, &at_ns)) ==
               FAL_LOGIC_GO &&
           has_port(b, one))
        send(b, one, id);
    if (wait == FAL_LOGIC_NO_CREDIT)
        wake_ns = at_ns;
    wake_ns = least(wake_ns, fal_logic_sender_deadline(&one->sender));
    wake_ns = least(wake_ns, fal_logic_source_deadline(&one->source, &one->sender));
    if (wake_ns <= b->now_ns) /* a logic asks for a call in the past */
        wake_ns = b->now_ns + CYCLE_NS;
    if (wake_ns < one->send_ns) {
        one->send_ns = wake_ns;
        fal_logic_bench_add(b, wake_ns, FAL_LOGIC_WAKE_SENDER, one->number, 0);
    }
    if (b->config.after != NULL)
        b->config.after(b->config.ctx, one->number, &one->sender, b->now_ns);
}

/* The first of those that wait has its turn. */
static void port_free(struct fal_logic_bench *b, uint32_t number)
{
    struct fal_logic_port *port = &b->ports[number];
    uint32_t nobody = b->config.flows;

    port->set = false;
    heed_pause(b, port);
    if (port->busy_ns <= b->now_ns && port->head != nobody) {
        struct fal_logic_one *one = &b->flows[port->head];

        port->head = one->next;
        one->waits = false;
        b->turn = one;
        pump(b, one);
        b->turn = NULL;
    }
    if (port->head != nobody && !port->set) {
        port->set = true;
        fal_logic_bench_add(b, port->busy_ns > b->now_ns ? port->busy_ns : b->now_ns,
                            FAL_LOGIC_PORT_FREE, number, 0);
    }
}

/* ---- the receiver ---- */

static void deliver(struct fal_logic_bench *b, struct fal_logic_one *one, uint32_t from)
{
    uint32_t ids[2 * FAL_LOGIC_WINDOW + 1];
    size_t n = fal_logic_seam_deliver(&one->receiver, from, one->receiver.delivered_end, ids);

    for (size_t i = 0; i < n; i++) {
        fal_logic_tell(b, one, FAL_TP_DELIVER, ids[i]);
        one->count.delivered++;
        one->count.bytes += one->sizes[ids[i] % FAL_LOGIC_WINDOW];
    }
}

static void set_pull(struct fal_logic_bench *b)
{
    if (b->pull_set)
        return;
    b->pull_set = true;
    fal_logic_bench_add(b, b->pull_ns > b->now_ns ? b->pull_ns : b->now_ns, FAL_LOGIC_PULL, 0,
                        0);
}

/* Replies leave, and the next wake-up is set. */
static void answer(struct fal_logic_bench *b, struct fal_logic_one *one)
{
    uint64_t wake_ns = fal_logic_receiver_deadline(&one->receiver);

    for (unsigned i = 0; i < one->receiver.num_out; i++)
        fal_logic_net_reply(b, one, &one->receiver.out[i]);
    if (wake_ns < one->receive_ns) {
        one->receive_ns = wake_ns;
        fal_logic_bench_add(b, wake_ns, FAL_LOGIC_WAKE_RECEIVER, one->number, 0);
    }
    if (one->receiver.pulls_owed > 0)
        set_pull(b);
}

static void arrive(struct fal_logic_bench *b, struct fal_logic_one *one,
                   const struct fal_logic_packet *packet)
{
    struct fal_logic_receiver *r = &one->receiver;
    uint32_t from = r->delivered_end, at = packet->id % FAL_LOGIC_WINDOW;

    fal_logic_tell_packet(b, one, FAL_TP_ARRIVE, packet);
    if (!packet->trimmed && packet->id - r->cum < FAL_LOGIC_WINDOW &&
        !fal_ring_get(r->got, packet->id)) {
        one->digests[at] = packet->digest;
        one->sizes[at] = packet->bytes;
    }
    fal_logic_receiver_arrive(r, packet, b->now_ns);
    deliver(b, one, from);
    answer(b, one);
}

/* The host of all receivers gives one token, at the rate of its port; each flow in turn. */
static void pull(struct fal_logic_bench *b)
{
    const struct fal_logic_bench_config *config = &b->config;
    uint64_t bps =
        config->net.link_bps != 0 ? config->net.link_bps : config->flow.line_rate_bps;
    struct fal_logic_one *one = NULL;

    b->pull_set = false;
    for (uint32_t i = 0; i < config->flows && one == NULL; i++) {
        uint32_t turn = (b->pull_turn + i) % config->flows;

        if (b->flows[turn].receiver.pulls_owed > 0)
            one = &b->flows[turn];
    }
    if (one == NULL)
        return;
    b->pull_turn = one->number + 1;
    b->pull_ns = b->now_ns + fal_logic_wire_ns(config->flow.segment_bytes, bps);
    fal_logic_receiver_pull(&one->receiver, b->now_ns);
    set_pull(b);
    answer(b, one);
}

/* ---- the loop ---- */

static void take_item(struct fal_logic_bench *b, struct fal_logic_one *one, uint32_t number)
{
    const struct fal_logic_item item = b->items[number];

    b->items[number].next = b->free_item;
    b->free_item = number;
    if (!item.is_reply) {
        arrive(b, one, &item.packet);
        return;
    }
    fal_logic_tell_reply(b, one, FAL_TP_FEEDBACK, &item.reply);
    fal_logic_sender_feedback(&one->sender, &item.reply, b->now_ns);
    pump(b, one);
}

static void happen(struct fal_logic_bench *b, const struct fal_logic_entry *entry)
{
    struct fal_logic_one *one =
        entry->kind == FAL_LOGIC_PORT_FREE ? NULL : &b->flows[entry->flow];

    switch ((enum fal_logic_happening)entry->kind) {
    case FAL_LOGIC_AT_START:
        user_gives(b, one);
        pump(b, one);
        break;
    case FAL_LOGIC_AT_RECEIVER:
    case FAL_LOGIC_AT_SENDER: take_item(b, one, entry->item); break;
    case FAL_LOGIC_WAKE_SENDER:
        if (entry->at_ns != one->send_ns) /* an earlier one took its place */
            break;
        one->send_ns = UINT64_MAX;
        pump(b, one);
        break;
    case FAL_LOGIC_WAKE_RECEIVER:
        if (entry->at_ns != one->receive_ns)
            break;
        one->receive_ns = UINT64_MAX;
        fal_logic_receiver_timers(&one->receiver, b->now_ns);
        answer(b, one);
        break;
    case FAL_LOGIC_PORT_FREE: port_free(b, entry->flow); break;
    case FAL_LOGIC_PULL: pull(b); break;
    }
}

int fal_logic_bench_run(struct fal_logic_bench *b)
{
    struct fal_logic_entry entry;

    while (b->error == 0 && b->num_done < b->config.flows &&
           (b->config.stop == NULL || !*b->config.stop)) {
        if ((b->config.most != 0 && b->steps++ >= b->config.most) ||
            !fal_logic_agenda_take(&b->agenda, &entry) || entry.at_ns > b->config.end_ns) {
            b->now_ns = b->config.end_ns;
            break;
        }
        b->now_ns = entry.at_ns;
        happen(b, &entry);
    }
    return b->error;
}

const struct fal_logic_flow_count *fal_logic_bench_count(const struct fal_logic_bench *b,
                                                         uint32_t flow)
{
    return &b->flows[flow].count;
}

uint64_t fal_logic_bench_now(const struct fal_logic_bench *b)
{
    return b->now_ns;
}
