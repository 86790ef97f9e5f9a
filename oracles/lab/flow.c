/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/flow.h"

#include "codecs/header/falcon.h"
#include "oracles/lab/pacer.h"
#include "oracles/lab/trace.h"
#include "oracles/rng.h"

#include <stdlib.h>

/* A packet is taken for lost when one that was sent so many packets later is acknowledged. */
enum { REORDERING = 3, RING_FIRST = 64 };

static uint32_t ticks(uint64_t ps)
{
    return (uint32_t)(ps >> FAL_LAB_TICK_SHIFT) & FAL_CC_TIME_MAX;
}

/* ---- what is under way ---- */

static struct fal_lab_sent *sent_of(struct fal_lab_flow *flow, uint32_t number)
{
    return &flow->ring[number & (flow->cap - 1)];
}

/* Makes room for one more number. */
static bool ring_room(struct fal_lab_flow *flow)
{
    uint32_t cap = flow->cap > 0 ? flow->cap * 2 : RING_FIRST;
    struct fal_lab_sent *ring;

    if (flow->cap > 0 && flow->next - flow->first < flow->cap)
        return true;
    ring = calloc(cap, sizeof *ring);
    if (ring == NULL)
        return false;
    for (uint32_t i = flow->first; i != flow->next; i++)
        ring[i & (cap - 1)] = *sent_of(flow, i);
    free(flow->ring);
    flow->ring = ring;
    flow->cap = cap;
    return true;
}

static void forget_done(struct fal_lab_flow *flow)
{
    while (flow->first != flow->next && !sent_of(flow, flow->first)->out)
        flow->first++;
}

/* ---- the algorithm ---- */

static void draw_path(struct fal_lab *lab, struct fal_lab_flow *flow, uint32_t number)
{
    struct fal_rng rng = fal_rng_split(lab->seed, UINT64_C(1000000) + lab->draws++);

    flow->entropy = (uint32_t)fal_rng_next(&rng);
    fal_lab_count_draw(lab, number);
    fal_lab_note(lab, FAL_LAB_NOTE_PATH, number,
                 fal_lab_fabric_path(&lab->fabric, flow->config.groups[0], flow->entropy));
}

static void note_answer(const struct fal_lab *lab, uint32_t number, uint32_t fcwnd)
{
    const struct fal_lab_flow *flow = &lab->flows[number];

    if (lab->record == NULL)
        return;
    lab->record(lab->record_ctx, &(struct fal_lab_record){.note = FAL_LAB_NOTE_ACK,
                                                          .index = number,
                                                          .at_ps = lab->fabric.now_ps,
                                                          .fcwnd = fcwnd,
                                                          .ncwnd = flow->cc.ncwnd,
                                                          .delay = flow->cc.delay_state,
                                                          .hops = flow->config.hops,
                                                          .level = flow->cc.rx_buffer_level,
                                                          .rto = flow->cc.retransmit_timeout,
                                                          .lab = lab});
}

/* The pacer knows of the event already. In place of a window, the packets in flight are noted.
 */
static void note_paced(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];
    struct fal_cc_event *e = &flow->cc;

    if (e->event_type != FAL_CC_RETRANSMIT)
        e->delay_state = (e->t4 - e->t1 - (e->t3 - e->t2)) & FAL_CC_TIME_MAX;
    lab->trace = fal_lab_mixed(fal_lab_mixed(lab->trace, lab->fabric.now_ps),
                               (uint64_t)number << 32 | flow->in_flight);
    note_answer(lab, number, flow->in_flight * FAL_CC_FRACTION);
}

/* Lets the algorithm answer the event flow->cc, whose type and times are filled in. */
static void decide(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];
    struct fal_cc_event *e = &flow->cc;
    struct fal_cc_result r = {0};

    fal_lab_count_event(flow, e);
    if (lab->pacer != NULL) {
        note_paced(lab, number);
        return;
    }
    lab->policy.process(lab->policy.ctx, &flow->state, ticks(lab->fabric.now_ps), e, &r);
    e->fcwnd_integer = r.fcwnd_integer;
    e->fcwnd_fraction = r.fcwnd_fraction;
    e->inter_packet_gap = r.inter_packet_gap;
    e->ncwnd = r.ncwnd;
    e->retransmit_timeout = r.retransmit_timeout;
    e->fabric_window_time_marker = r.fabric_window_time_marker;
    e->nic_window_time_marker = r.nic_window_time_marker;
    e->ncwnd_direction = r.ncwnd_direction;
    e->base_delay_target = r.base_delay_target;
    e->delay_state = r.delay_state;
    e->rtt_state = r.rtt_state;
    lab->trace =
        fal_lab_mixed(fal_lab_mixed(lab->trace, lab->fabric.now_ps),
                      (uint64_t)number << 32 |
                          ((uint32_t)r.fcwnd_integer * FAL_CC_FRACTION + r.fcwnd_fraction));
    if (r.randomize_path)
        draw_path(lab, flow, number);
    note_answer(lab, number, (uint32_t)r.fcwnd_integer * FAL_CC_FRACTION + r.fcwnd_fraction);
}

/* ---- the sender ---- */

/* The flow takes a packet for lost: it goes again as soon as the window allows. */
static void lose(struct fal_lab *lab, uint32_t number, struct fal_lab_sent *sent,
                 enum fal_cc_reason reason)
{
    struct fal_lab_flow *flow = &lab->flows[number];

    sent->out = false;
    flow->in_flight--;
    flow->lost++;
    if (flow->lost_attempt < sent->attempt)
        flow->lost_attempt = sent->attempt;
    if (lab->pacer != NULL)
        lab->pacer->lost(lab->pacer->ctx, number, lab->fabric.now_ps);
    flow->cc.event_type = FAL_CC_RETRANSMIT;
    flow->cc.retransmit_reason = (uint8_t)reason;
    flow->cc.retransmit_count =
        sent->attempt < FAL_CC_RETRANSMITS_MAX ? sent->attempt : FAL_CC_RETRANSMITS_MAX;
    decide(lab, number);
}

static void send(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];
    struct fal_lab_packet packet = {.flow = number,
                                    .number = flow->next,
                                    .bytes = flow->config.bytes,
                                    .entropy = flow->entropy,
                                    .stages = flow->config.stages,
                                    .attempt = 1};

    for (unsigned i = 0; i < FAL_LAB_STAGES_MAX; i++)
        packet.groups[i] = flow->config.groups[i];
    flow->last_sent_ps = lab->fabric.now_ps;
    flow->counts.sent++;
    if (!flow->config.unresponsive) {
        if (!ring_room(flow)) {
            lab->fabric.heap.out_of_memory = true;
            return;
        }
        if (flow->lost > 0) {
            packet.attempt = (uint8_t)(flow->lost_attempt + 1);
            flow->counts.retransmitted++;
            if (--flow->lost == 0)
                flow->lost_attempt = 0;
            fal_lab_note(lab, FAL_LAB_NOTE_RETRANSMIT, number, packet.attempt);
        }
        if (flow->in_flight++ == 0)
            flow->progress_ps = lab->fabric.now_ps;
        *sent_of(flow, flow->next) = (struct fal_lab_sent){packet.attempt, true};
    }
    flow->next++;
    if (flow->config.unresponsive)
        flow->first++; /* nobody acknowledges it, so it is not kept */
    fal_lab_fabric_send(&lab->fabric, &packet);
    if (lab->pacer != NULL && !flow->config.unresponsive)
        lab->pacer->sent(lab->pacer->ctx, number, packet.number, packet.bytes,
                         lab->fabric.now_ps);
}

static uint32_t window_of(const struct fal_lab_flow *flow)
{
    uint32_t window = flow->cc.fcwnd_integer;

    if (flow->config.unresponsive)
        return UINT32_MAX;
    if (flow->cc.ncwnd < window)
        window = flow->cc.ncwnd;
    return window > 0 ? window : 1;
}

static uint64_t timeout_at(const struct fal_lab_flow *flow)
{
    return flow->in_flight > 0 && !flow->config.unresponsive
               ? flow->progress_ps +
                     ((uint64_t)flow->cc.retransmit_timeout << FAL_LAB_TICK_SHIFT)
               : FAL_LAB_NEVER;
}

/* When the flow may send its next packet, if the window allows. */
static uint64_t send_at(const struct fal_lab *lab, uint32_t number)
{
    const struct fal_lab_flow *flow = &lab->flows[number];
    uint64_t gap = (uint64_t)flow->cc.inter_packet_gap << FAL_LAB_TICK_SHIFT;

    if (flow->next == 0 || (flow->config.unresponsive && flow->next < flow->config.burst))
        return flow->config.start_ps;
    if (lab->pacer != NULL && !flow->config.unresponsive)
        gap =
            lab->pacer->gap_ps(lab->pacer->ctx, number, flow->config.bytes, lab->fabric.now_ps);
    if (flow->config.unresponsive || gap < flow->config.spacing_ps)
        gap = flow->config.spacing_ps;
    return flow->last_sent_ps + gap;
}

/* Sends what the window and the gap allow, and sets the timer to what is next. */
static void pump(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];
    uint64_t now = lab->fabric.now_ps, wake;
    bool open = false;

    while (now < flow->config.stop_ps && (open = flow->in_flight < window_of(flow)) &&
           send_at(lab, number) <= now && !lab->fabric.heap.out_of_memory)
        send(lab, number);
    wake = timeout_at(flow);
    if (open && now < flow->config.stop_ps && send_at(lab, number) < wake)
        wake = send_at(lab, number);
    /* An earlier timer is kept: it finds nothing to do and sets the next one. */
    if (wake < now)
        wake = now;
    if (wake < flow->wake_ps) {
        flow->wake_ps = wake;
        fal_lab_heap_push(&lab->fabric.heap, wake, FAL_LAB_TIMER, number);
    }
}

void fal_lab_flow_begin(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];

    flow->entropy = flow->config.entropy;
    flow->cc = (struct fal_cc_event){
        .connection_id = number + 1,
        .fcwnd_integer = FAL_CC_START_FCWND,
        .ncwnd = FAL_CC_START_NCWND,
        .retransmit_timeout = FAL_CC_START_RTO,
        .delay_select = FAL_CC_DELAY_FABRIC,
        .base_delay_target = lab->base_delay_target,
        .delay_state = FAL_CC_START_DELAY,
        .rtt_state = FAL_CC_START_DELAY,
    };
    if (lab->pacer != NULL)
        flow->cc.fcwnd_integer = flow->cc.ncwnd = FAL_LAB_PACER_WINDOW;
    flow->wake_ps = flow->config.start_ps;
    fal_lab_heap_push(&lab->fabric.heap, flow->wake_ps, FAL_LAB_TIMER, number);
    fal_lab_note(lab, FAL_LAB_NOTE_PATH, number,
                 fal_lab_fabric_path(&lab->fabric, flow->config.groups[0], flow->entropy));
}

void fal_lab_flow_timer(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];

    if (lab->fabric.now_ps != flow->wake_ps)
        return; /* an earlier one was set since */
    flow->wake_ps = FAL_LAB_NEVER;
    forget_done(flow);
    if (timeout_at(flow) <= lab->fabric.now_ps) {
        flow->counts.timeouts++;
        fal_lab_note(lab, FAL_LAB_NOTE_TIMEOUT, number, 0);
        flow->progress_ps = lab->fabric.now_ps;
        lose(lab, number, sent_of(flow, flow->first), FAL_CC_RTO);
    }
    pump(lab, number);
}

/* Takes for lost what was sent REORDERING packets before one that is acknowledged. */
static void find_lost(struct fal_lab *lab, uint32_t number)
{
    struct fal_lab_flow *flow = &lab->flows[number];

    for (; flow->scanned + REORDERING <= flow->highest; flow->scanned++)
        if (flow->scanned >= flow->first && sent_of(flow, flow->scanned)->out)
            lose(lab, number, sent_of(flow, flow->scanned), FAL_CC_EARLY);
}

void fal_lab_flow_acked(struct fal_lab *lab, uint32_t packet)
{
    const struct fal_lab_packet p = lab->fabric.packets[packet];
    struct fal_lab_flow *flow = &lab->flows[p.flow];
    struct fal_cc_event *e = &flow->cc;
    bool known = p.number >= flow->first && sent_of(flow, p.number)->out;

    e->event_type = p.refused ? FAL_CC_NACK : FAL_CC_ACK;
    e->nack_code = p.refused ? FAL_NACK_RESOURCE : 0;
    e->t1 = ticks(p.sent_ps);
    e->t2 = ticks(p.received_ps);
    e->t3 = ticks(p.taken_ps);
    e->t4 = ticks(lab->fabric.now_ps);
    e->forward_hops = flow->config.hops;
    e->rx_buffer_level = p.level;
    e->num_packets_acked = known && !p.refused;
    e->ecn_accumulated = (e->ecn_accumulated + p.marked) & FAL_LAB_MARKS_MAX;
    if (lab->pacer != NULL)
        lab->pacer->acked(lab->pacer->ctx, p.flow,
                          &(struct fal_lab_paced){p.number, p.sent_ps, p.received_ps,
                                                  p.taken_ps, lab->fabric.now_ps, p.marked,
                                                  p.refused});
    decide(lab, p.flow);
    if (flow->levels != NULL && lab->fabric.now_ps >= lab->from_ps)
        fal_lab_histogram_add(flow->levels, p.level);
    if (known && p.refused) {
        lose(lab, p.flow, sent_of(flow, p.number), FAL_CC_EARLY);
    } else if (known) {
        sent_of(flow, p.number)->out = false;
        flow->in_flight--;
        flow->progress_ps = lab->fabric.now_ps;
        if (p.number > flow->highest)
            flow->highest = p.number;
    }
    find_lost(lab, p.flow);
    forget_done(flow);
    pump(lab, p.flow);
}

/* ---- the receiver ---- */

static uint8_t level_of(const struct fal_lab_flow *flow)
{
    return flow->config.buffer > 0 ? (uint8_t)(31 * flow->buffered / flow->config.buffer) : 0;
}

void fal_lab_flow_received(struct fal_lab *lab, uint32_t packet)
{
    struct fal_lab_packet *p = &lab->fabric.packets[packet];
    struct fal_lab_flow *flow = &lab->flows[p->flow];
    uint64_t now = lab->fabric.now_ps;

    p->taken_ps = now;
    if (flow->config.buffer == 0) {
        fal_lab_fabric_later(&lab->fabric, packet, flow->config.return_ps, FAL_LAB_ACK);
        return;
    }
    if (flow->buffered == flow->config.buffer) {
        p->refused = true;
        p->level = level_of(flow);
        flow->counts.refused++;
        flow->counts.last_refused_ps = now;
        fal_lab_fabric_later(&lab->fabric, packet, flow->config.return_ps, FAL_LAB_ACK);
        return;
    }
    flow->buffered++;
    if (flow->buffer_free_ps < now)
        flow->buffer_free_ps = now;
    flow->buffer_free_ps += flow->config.drain_ps;
    fal_lab_fabric_later(&lab->fabric, packet, flow->buffer_free_ps - now, FAL_LAB_TAKEN);
}

/* The upper layer has accepted the packet, so its ACK may go. */
void fal_lab_flow_taken(struct fal_lab *lab, uint32_t packet)
{
    struct fal_lab_packet *p = &lab->fabric.packets[packet];
    struct fal_lab_flow *flow = &lab->flows[p->flow];

    flow->buffered--;
    flow->counts.measured_taken += lab->fabric.now_ps >= lab->from_ps;
    p->taken_ps = lab->fabric.now_ps;
    p->level = level_of(flow);
    fal_lab_fabric_later(&lab->fabric, packet, flow->config.return_ps, FAL_LAB_ACK);
}
