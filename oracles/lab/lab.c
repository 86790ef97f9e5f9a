/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/lab.h"

#include "codecs/header/falcon.h"
#include "oracles/lab/flow.h"
#include "oracles/lab/pacer.h"
#include "oracles/lab/trace.h"
#include "oracles/rng.h"

#include <stdlib.h>

uint64_t fal_lab_mixed(uint64_t hash, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        hash = (hash ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

void fal_lab_note(const struct fal_lab *lab, enum fal_lab_note what, uint32_t index,
                  uint64_t value)
{
    if (lab->record != NULL)
        lab->record(lab->record_ctx, &(struct fal_lab_record){.note = what,
                                                              .index = index,
                                                              .at_ps = lab->fabric.now_ps,
                                                              .value = value,
                                                              .lab = lab});
}

void fal_lab_count_delivered(struct fal_lab *lab, const struct fal_lab_packet *p)
{
    struct fal_lab_flow *flow = &lab->flows[p->flow];
    uint64_t now = lab->fabric.now_ps;

    flow->counts.delivered_bytes += p->bytes;
    lab->windows[(size_t)p->flow * lab->n_windows + now / FAL_LAB_WINDOW_PS] += p->bytes;
    if (now >= lab->from_ps) {
        flow->counts.measured_bytes += p->bytes;
        if (!flow->config.unresponsive)
            fal_lab_histogram_add(&lab->waited, p->waited_ps);
    }
    fal_lab_note(lab, FAL_LAB_NOTE_DELIVERED, p->flow, p->bytes);
}

void fal_lab_count_dropped(struct fal_lab *lab, const struct fal_lab_packet *p)
{
    struct fal_lab_counts *counts = &lab->flows[p->flow].counts;

    counts->dropped++;
    counts->last_drop_ps = lab->fabric.now_ps;
    fal_lab_note(lab, FAL_LAB_NOTE_DROPPED, p->flow, 0);
}

/* A round is over when as many packets are acknowledged as the window allowed. */
static void count_round(struct fal_lab_flow *flow, const struct fal_cc_event *e)
{
    double window = e->fcwnd_integer + (double)e->fcwnd_fraction / FAL_CC_FRACTION;

    if (e->event_type != FAL_CC_ACK || flow->counts.repaths > 0)
        return;
    if (e->ncwnd < window)
        window = e->ncwnd;
    flow->round_acked += e->num_packets_acked;
    if (flow->round_acked < window)
        return;
    flow->round_acked = 0;
    flow->counts.rounds++;
}

void fal_lab_count_event(struct fal_lab_flow *flow, const struct fal_cc_event *e)
{
    count_round(flow, e);
    if (e->event_type == FAL_CC_RETRANSMIT) /* no ACK has come */
        return;
    flow->counts.marks_told += (e->ecn_accumulated - flow->marks) & FAL_LAB_MARKS_MAX;
    flow->marks = e->ecn_accumulated;
}

void fal_lab_count_draw(struct fal_lab *lab, uint32_t flow)
{
    struct fal_lab_counts *counts = &lab->flows[flow].counts;

    if (counts->repaths++ == 0)
        counts->first_repath_ps = lab->fabric.now_ps;
    counts->last_repath_ps = lab->fabric.now_ps;
}

static void delivered(void *ctx, uint32_t packet)
{
    struct fal_lab *lab = ctx;
    const struct fal_lab_packet *p = &lab->fabric.packets[packet];

    fal_lab_count_delivered(lab, p);
    if (!lab->flows[p->flow].config.unresponsive)
        fal_lab_flow_received(lab, packet);
}

static void dropped(void *ctx, uint32_t packet)
{
    struct fal_lab *lab = ctx;

    fal_lab_count_dropped(lab, &lab->fabric.packets[packet]);
}

static void queued(void *ctx, uint32_t queue)
{
    struct fal_lab *lab = ctx;

    fal_lab_note(lab, FAL_LAB_NOTE_QUEUE, queue, lab->fabric.queues[queue].bytes);
}

static void event(void *ctx, const struct fal_lab_item *item)
{
    struct fal_lab *lab = ctx;

    if (item->kind == FAL_LAB_TIMER)
        fal_lab_flow_timer(lab, item->index);
    else if (item->kind == FAL_LAB_TAKEN)
        fal_lab_flow_taken(lab, item->index);
    else
        fal_lab_flow_acked(lab, item->index);
}

static const struct fal_lab_ops ops = {delivered, dropped, queued, event};

int fal_lab_prepare(struct fal_lab *lab, const struct fal_lab_ops *ends, void *ctx)
{
    lab->n_windows = (uint32_t)(lab->until_ps / FAL_LAB_WINDOW_PS) + 1;
    lab->windows = calloc((size_t)lab->n_flows * lab->n_windows, sizeof *lab->windows);
    lab->trace = UINT64_C(0xcbf29ce484222325);
    lab->fabric.ops = ends;
    lab->fabric.ctx = ctx;
    lab->fabric.seed = lab->seed;
    return lab->windows != NULL ? 0 : FAL_ERR_MEM;
}

int fal_lab_begin(struct fal_lab *lab)
{
    int rc = fal_lab_prepare(lab, &ops, lab);

    if (rc == 0 && lab->pacer != NULL)
        rc = lab->pacer->begin(lab->pacer->ctx, lab->n_flows, lab->seed);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < lab->n_flows; i++)
        fal_lab_flow_begin(lab, i);
    return lab->fabric.heap.out_of_memory ? FAL_ERR_MEM : 0;
}

int fal_lab_step(struct fal_lab *lab)
{
    int rc = lab->pacer != NULL ? lab->pacer->error(lab->pacer->ctx) : 0;

    return rc != 0 ? rc : fal_lab_fabric_step(&lab->fabric, lab->until_ps);
}

int fal_lab_run(struct fal_lab *lab)
{
    int rc;

    do
        rc = fal_lab_step(lab);
    while (rc > 0);
    return rc;
}

void fal_lab_end(struct fal_lab *lab)
{
    for (uint32_t i = 0; i < lab->n_flows; i++)
        free(lab->flows[i].ring);
    free(lab->windows);
    fal_lab_fabric_free(&lab->fabric);
}

double fal_lab_share(const struct fal_lab *lab, uint32_t flow, uint32_t window)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < lab->n_flows; i++)
        all += lab->windows[(size_t)i * lab->n_windows + window];
    return all > 0 ? (double)lab->windows[(size_t)flow * lab->n_windows + window] / (double)all
                   : 0;
}

double fal_lab_jain(const struct fal_lab *lab, uint32_t first, uint32_t end)
{
    double sum = 0, squares = 0;

    for (uint32_t i = first; i < end; i++) {
        double bytes = (double)lab->flows[i].counts.measured_bytes;

        sum += bytes;
        squares += bytes * bytes;
    }
    return squares > 0 ? sum * sum / (squares * (end - first)) : 0;
}
