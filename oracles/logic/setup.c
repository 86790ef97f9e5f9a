/* SPDX-License-Identifier: Apache-2.0
 * setup.c - see setup.h. */
#include "oracles/logic/setup.h"

#include "oracles/logic/logics.h"

#include <string.h>

static const struct fal_logic_type types[] = {
    {&fal_logic_tcp_reno, "cumulative; 3 duplicates or a timeout; window", "RFC 5681"},
    {&fal_logic_tcp_newreno,
     "cumulative; 3 duplicates, partial acknowledgements or a timeout; "
     "window",
     "RFC 6582"},
    {&fal_logic_tcp_sack, "cumulative and selective; 3 segments above or a timeout; window",
     "RFC 6675"},
    {&fal_logic_ndp, "each segment; NACK of a trimmed segment or a timeout; tokens",
     "Handley et al., SIGCOMM 2017"},
    {&fal_logic_roce_gbn_dcqcn, "cumulative; go-back-N from a NAK or a timeout; rate by DCQCN",
     "InfiniBand annex 17, Zhu et al., SIGCOMM 2015"},
    {&fal_logic_irn, "cumulative, selective on NACK; holes or a timeout; rate and window",
     "Mittal et al., SIGCOMM 2018"},
};

const struct fal_logic_type *fal_logic_types(size_t *n)
{
    *n = sizeof types / sizeof *types;
    return types;
}

const struct fal_logic *fal_logic_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].logic->name, name) == 0)
            return types[i].logic;
    return NULL;
}

/* ---- usual values ---- */

static const uint64_t us = 1000, ms = 1000000;

/* A path of 40 Gb/s with a round trip of 4 us [S1 6.2]; the timeouts are those of a data
 * centre, not of RFC 6298. */
static const struct fal_logic_config usual = {
    .segment_bytes = 1000,
    .max_window = 128,
    .initial_window = 4,
    .dup_threshold = 3,
    .rto_min_ns = 1000000,
    .rto_max_ns = 64000000,
    .line_rate_bps = UINT64_C(40000000000),
    .burst_bytes = 4000,
    .initial_tokens = 30,
    .retries = 16,
};

static void of_tcp(struct fal_logic_setup *setup)
{
    setup->receiver = (struct fal_logic_receiver_config){
        .buffers = true, .ack_every = 1, .window = setup->flow.max_window};
}

static void of_sack(struct fal_logic_setup *setup)
{
    of_tcp(setup);
    setup->receiver.ranges = 3;
}

static void of_ndp(struct fal_logic_setup *setup)
{
    setup->receiver = (struct fal_logic_receiver_config){.buffers = true,
                                                         .ranges = FAL_TP_RANGES,
                                                         .nacks = FAL_LOGIC_NACK_TRIMS,
                                                         .ack_every = 1,
                                                         .pulls = true,
                                                         .repeat_ns = 200 * us};
    setup->trims = true;
}

static void of_roce(struct fal_logic_setup *setup)
{
    setup->flow.dcqcn = *fal_dcqcn_preset("paper");
    setup->receiver = (struct fal_logic_receiver_config){
        .nacks = FAL_LOGIC_NACK_ONCE, .ack_every = 1, .cnp_interval_ns = 50 * us};
}

static void of_irn(struct fal_logic_setup *setup)
{
    setup->flow.rto_low_ns = 100 * us;
    setup->flow.low_segments = 3;
    setup->receiver = (struct fal_logic_receiver_config){
        .buffers = true, .ranges = FAL_TP_RANGES, .nacks = FAL_LOGIC_NACK_EACH, .ack_every = 1};
}

static const struct {
    const struct fal_logic *logic;
    void (*values)(struct fal_logic_setup *setup);
} values[] = {
    {&fal_logic_tcp_reno, of_tcp},        {&fal_logic_tcp_newreno, of_tcp},
    {&fal_logic_tcp_sack, of_sack},       {&fal_logic_ndp, of_ndp},
    {&fal_logic_roce_gbn_dcqcn, of_roce}, {&fal_logic_irn, of_irn},
};

void fal_logic_setup_init(struct fal_logic_setup *setup, const struct fal_logic *logic)
{
    *setup = (struct fal_logic_setup){.logic = logic, .flow = usual};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].logic->name, logic->name) == 0) {
            values[i].values(setup);
            return;
        }
    if (logic->credit == FAL_LOGIC_BY_TOKENS)
        of_ndp(setup);
    else if (logic->credit == FAL_LOGIC_BY_RATE)
        of_irn(setup);
    else if (logic->selective)
        of_sack(setup);
    else
        of_tcp(setup);
}

void fal_logic_setup_row(const struct fal_logic_setup *setup, struct fal_tp_row *row)
{
    const struct fal_logic_config *flow = &setup->flow;
    const struct fal_logic_receiver_config *receiver = &setup->receiver;
    bool window = setup->logic->credit == FAL_LOGIC_BY_WINDOW;
    bool rate = setup->logic->credit == FAL_LOGIC_BY_RATE;

    *row = (struct fal_tp_row){
        .name = setup->logic->name,
        .credit = window ? FAL_TP_WINDOW
                  : rate ? FAL_TP_RATE
                         : FAL_TP_TOKENS,
        .repair = receiver->buffers ? FAL_TP_SELECTIVE : FAL_TP_GO_BACK_N,
        .in_order = true,
        .cumulative = true,
        .selective = receiver->ranges > 0,
        .nacks = receiver->nacks != FAL_LOGIC_NO_NACKS,
        .dup_threshold = window ? flow->dup_threshold : 0,
        .partial_acks = window && strcmp(setup->logic->name, "tcp-reno") != 0,
        .rto_min_ns = flow->rto_min_ns,
        .rto_max_ns = flow->rto_max_ns,
        .rto_low_ns = flow->rto_low_ns,
        .max_window = flow->max_window,
        .rate_bps = rate ? flow->line_rate_bps : 0,
        .burst_bytes = rate ? flow->burst_bytes : 0,
        .initial_tokens = window || rate ? 0 : flow->initial_tokens,
        .timeout_tokens = !window && !rate,
        .liveness_ns = 2 * flow->rto_max_ns,
    };
    if (row->selective && receiver->nacks != FAL_LOGIC_NACK_TRIMS)
        row->reorder_segments = window ? flow->dup_threshold : 1;
    if (receiver->buffers) /* go-back-N answers nothing between a NAK and the segment */
        row->answer_ns = receiver->ack_delay_ns + 1;
}

/* ---- variants ---- */

#define TCP "tcp-reno tcp-newreno tcp-sack"

static void delayed_acks(struct fal_logic_setup *setup)
{
    setup->receiver.ack_every = 2;
    setup->receiver.ack_delay_ns = 100 * us;
}

static void coalesced_acks(struct fal_logic_setup *setup)
{
    setup->receiver.ack_every = 8;
    setup->receiver.ack_delay_ns = 20 * us;
}

static void initial_window_10(struct fal_logic_setup *setup)
{
    setup->flow.initial_window = 10;
}

static void initial_window_1(struct fal_logic_setup *setup)
{
    setup->flow.initial_window = 1;
}

static void rto_min_10ms(struct fal_logic_setup *setup)
{
    setup->flow.rto_min_ns = 10 * ms;
}

static void limited_transmit(struct fal_logic_setup *setup)
{
    setup->flow.limited_transmit = true;
}

static void dup_threshold_5(struct fal_logic_setup *setup)
{
    setup->flow.dup_threshold = 5;
}

static void one_range(struct fal_logic_setup *setup)
{
    setup->receiver.ranges = 1;
}

static void rto_low_off(struct fal_logic_setup *setup)
{
    setup->flow.rto_low_ns = 0;
}

static void window_256(struct fal_logic_setup *setup)
{
    setup->flow.max_window = FAL_LOGIC_WINDOW;
    if (setup->receiver.window != 0)
        setup->receiver.window = FAL_LOGIC_WINDOW;
}

static void dcqcn_nic(struct fal_logic_setup *setup)
{
    setup->flow.dcqcn = *fal_dcqcn_preset("nic");
    setup->receiver.cnp_interval_ns = 4 * us;
}

static void small_first_window(struct fal_logic_setup *setup)
{
    setup->flow.initial_tokens = 8;
}

static void small_segments(struct fal_logic_setup *setup)
{
    setup->flow.segment_bytes = 128;
}

static void no_burst(struct fal_logic_setup *setup)
{
    setup->flow.burst_bytes = setup->flow.segment_bytes;
}

static const struct fal_logic_variant variants[] = {
    {"delayed-acks", TCP, "one acknowledgement for two segments, after 100 us at the latest",
     delayed_acks},
    {"coalesced-acks", "roce-gbn-dcqcn irn",
     "one acknowledgement for eight segments, after 20 us at the latest", coalesced_acks},
    {"initial-window-10", TCP, "an initial window of 10 segments (RFC 6928)",
     initial_window_10},
    {"initial-window-1", TCP, "an initial window of one segment", initial_window_1},
    {"rto-min-10ms", NULL, "timeouts of at least 10 ms", rto_min_10ms},
    {"limited-transmit", TCP, "new segments on the first two duplicates (RFC 3042)",
     limited_transmit},
    {"dup-threshold-5", TCP, "five duplicates show a loss", dup_threshold_5},
    {"one-range", "tcp-sack irn", "one selective range in each acknowledgement", one_range},
    {"rto-low-off", "irn", "no shorter timeout with few segments in flight", rto_low_off},
    {"window-256", NULL, "a window of 256 segments", window_256},
    {"dcqcn-nic", "roce-gbn-dcqcn", "the parameters of a NIC; CNPs at least 4 us apart",
     dcqcn_nic},
    {"small-first-window", "ndp", "eight segments before the first pull", small_first_window},
    {"small-segments", NULL, "segments of 128 bytes", small_segments},
    {"no-burst", "roce-gbn-dcqcn", "credit for one segment at most", no_burst},
};

const struct fal_logic_variant *fal_logic_variants(size_t *n)
{
    *n = sizeof variants / sizeof *variants;
    return variants;
}

const struct fal_logic_variant *fal_logic_variant_of(const char *id)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (strcmp(variants[i].id, id) == 0)
            return &variants[i];
    return NULL;
}

bool fal_logic_variant_fits(const struct fal_logic_variant *variant, const char *logic)
{
    const struct fal_logic_fault like = {.logics = variant->logics};

    return fal_logic_fault_fits(&like, logic);
}
