/* SPDX-License-Identifier: Apache-2.0
 * network.c - the transmit pipeline with its flows, and what comes back from their peers. Each
 * flow sends bursts at its rate. A burst is an event when its last byte has left. Peers return
 * ACKs, NACKs and CNPs in calm and busy times by turns, and the responses of RTT packets. */
#include "bench.h"
#include "trace.h"

#include <stdlib.h>

enum {
    LINE_GBPS = 100,
    PACKET_BYTES = 1024,
    RTT_BYTES = 64,
    CLOCK_OFFSET_NS = 123456, /* of the peers: clocks are not synchronised */
    PATH_NS = 400,            /* one way, at least */
};

struct flow {
    uint64_t rate_bps, next_burst_ns;
    uint32_t seq;    /* of the last packet that was sent */
    uint32_t rx_seq; /* of the last packet that came back: each has a number of its own */
    bool rtt_wanted, rtt_out;
    uint64_t t1_ns, t2_ns, t3_ns, rtt_due_ns;
};

struct sent { /* an event that becomes due */
    uint64_t due_ns;
    struct fal_ep_event event;
};

struct ep_network {
    const struct fal_ep_setup *setup;
    uint64_t random;
    struct flow *flows;
    uint32_t n_flows, last_flow;
    uint64_t next_burst_ns, next_rtt_ns; /* of any flow, at the earliest */
    struct sent *pending;                /* a ring */
    uint32_t size, head, count;
    bool rx_waits; /* the event of the RX port was not taken yet */
    struct fal_ep_event rx;
    uint64_t phase_end_ns;
    uint32_t rx_percent; /* of cycles in which an event arrives, in this phase */
};

struct ep_network *ep_network_new(const struct fal_ep_setup *setup, uint32_t flows,
                                  uint64_t seed)
{
    struct ep_network *n = calloc(1, sizeof *n);

    if (n == NULL)
        return NULL;
    n->setup = setup;
    n->random = seed | 1;
    n->n_flows = flows;
    n->size = 2 * flows + 2;
    n->flows = calloc(flows, sizeof *n->flows);
    n->pending = calloc(n->size, sizeof *n->pending);
    if (n->flows == NULL || n->pending == NULL) {
        ep_network_free(n);
        return NULL;
    }
    for (uint32_t f = 0; f < flows; f++) {
        n->flows[f].rate_bps = setup->default_rate_bps;
        n->flows[f].next_burst_ns = 100 + ep_below(&n->random, 2000);
    }
    n->next_rtt_ns = UINT64_MAX;
    return n;
}

void ep_network_free(struct ep_network *n)
{
    if (n == NULL)
        return;
    free(n->flows);
    free(n->pending);
    free(n);
}

static void push(struct ep_network *n, uint64_t due_ns, struct fal_ep_event event)
{
    n->pending[(n->head + n->count) % n->size] =
        (struct sent){.due_ns = due_ns, .event = event};
    n->count++;
}

static void wire(uint64_t now_ns, const char *kind, uint32_t flow, uint32_t bytes)
{
    ep_line("wire", "", (long long)now_ns);
    ep_word("kind", kind);
    ep_number("flow", flow);
    ep_number("bytes", bytes);
    ep_end();
}

/* A burst, and an RTT packet after it if a processor has asked for one. */
static void burst(struct ep_network *n, uint32_t f, uint64_t now_ns)
{
    struct flow *flow = &n->flows[f];
    uint32_t bytes = (uint32_t)n->setup->burst_bytes;
    uint64_t end_ns = now_ns + bytes * 8U / LINE_GBPS;

    /* Rounded up: the wire is never faster than the rate. */
    flow->next_burst_ns = now_ns + (bytes * 8000000000U + flow->rate_bps - 1) / flow->rate_bps;
    flow->seq += bytes / PACKET_BYTES;
    wire(now_ns, "TX", f, bytes);
    push(n, end_ns,
         (struct fal_ep_event){.kind = FAL_EP_TX, .flow = f, .seq = flow->seq, .bytes = bytes});
    if (!flow->rtt_wanted || flow->rtt_out)
        return;
    flow->rtt_wanted = false;
    flow->rtt_out = true;
    flow->t1_ns = now_ns;
    flow->t2_ns = flow->t1_ns + CLOCK_OFFSET_NS + PATH_NS + ep_below(&n->random, 800);
    flow->t3_ns = flow->t2_ns + 1 + ep_below(&n->random, (uint32_t)n->setup->responder_ns);
    flow->rtt_due_ns = flow->t3_ns - CLOCK_OFFSET_NS + PATH_NS + ep_below(&n->random, 800);
    if (flow->rtt_due_ns < n->next_rtt_ns)
        n->next_rtt_ns = flow->rtt_due_ns;
    wire(now_ns, "RTT_SENT", f, RTT_BYTES);
    push(n, end_ns,
         (struct fal_ep_event){
             .kind = FAL_EP_RTT_SENT, .flow = f, .seq = flow->seq, .bytes = RTT_BYTES});
}

static void send_bursts(struct ep_network *n, uint64_t now_ns)
{
    uint64_t next = UINT64_MAX;

    if (now_ns < n->next_burst_ns)
        return;
    for (uint32_t f = 0; f < n->n_flows; f++) {
        if (n->flows[f].next_burst_ns <= now_ns && n->count + 2 <= n->size)
            burst(n, f, now_ns);
        if (n->flows[f].next_burst_ns < next)
            next = n->flows[f].next_burst_ns;
    }
    n->next_burst_ns = next;
}

/* The response of an RTT packet that is due now. */
static bool response(struct ep_network *n, uint64_t now_ns)
{
    uint64_t next = UINT64_MAX;
    bool found = false;

    if (now_ns < n->next_rtt_ns)
        return false;
    for (uint32_t f = 0; f < n->n_flows; f++) {
        struct flow *flow = &n->flows[f];

        if (flow->rtt_out && flow->rtt_due_ns <= now_ns && !found) {
            found = true;
            flow->rtt_out = false;
            n->rx = (struct fal_ep_event){.kind = FAL_EP_RTT,
                                          .flow = f,
                                          .seq = ++flow->rx_seq,
                                          .t1_ns = flow->t1_ns,
                                          .t2_ns = flow->t2_ns,
                                          .t3_ns = flow->t3_ns};
        }
        if (flow->rtt_out && flow->rtt_due_ns < next)
            next = flow->rtt_due_ns;
    }
    n->next_rtt_ns = next;
    return found;
}

/* A packet of congestion control that arrives in this cycle. A third of them is of the same
 * flow as the one before, so that events of a flow come back to back. */
static bool packet(struct ep_network *n, uint64_t now_ns)
{
    static const uint32_t percents[] = {2, 5, 10, 20, 60};
    uint32_t draw, flow;

    if (now_ns >= n->phase_end_ns) {
        n->phase_end_ns = now_ns + 200 + ep_below(&n->random, 1000);
        n->rx_percent = percents[ep_below(&n->random, 5)];
    }
    if (ep_below(&n->random, 100) >= n->rx_percent)
        return false;
    flow = ep_below(&n->random, 3) == 0 ? n->last_flow : ep_below(&n->random, n->n_flows);
    if (n->flows[flow].seq == 0)
        return false; /* nothing was sent that could be answered */
    draw = ep_below(&n->random, 10);
    n->last_flow = flow;
    n->rx = (struct fal_ep_event){.kind = draw < 7   ? FAL_EP_ACK
                                          : draw < 9 ? FAL_EP_CNP
                                                     : FAL_EP_NACK,
                                  .flow = flow,
                                  .seq = ++n->flows[flow].rx_seq};
    return true;
}

void ep_network_inputs(struct ep_network *n, uint64_t now_ns, bool quiet, struct ep_in *in)
{
    const struct sent *head = &n->pending[n->head];

    if (!quiet)
        send_bursts(n, now_ns);
    in->tx_valid = n->count > 0 && head->due_ns <= now_ns;
    in->tx = head->event;
    if (!n->rx_waits && !quiet)
        n->rx_waits = response(n, now_ns) || packet(n, now_ns);
    in->rx_valid = n->rx_waits;
    in->rx = n->rx;
    if (in->rx.kind == FAL_EP_RTT)
        in->rx.t4_ns = now_ns;
    in->rate_take = ep_below(&n->random, 4) != 0;
}

bool ep_network_waits(const struct ep_network *n)
{
    return n->count > 0 || n->rx_waits;
}

void ep_network_outputs(struct ep_network *n, const struct ep_in *in, const struct ep_out *out)
{
    if (in->tx_valid && out->tx_ready) {
        n->head = (n->head + 1) % n->size;
        n->count--;
    }
    if (in->rx_valid && out->rx_ready)
        n->rx_waits = false;
    if (in->rate_take && out->rate_valid && out->rate_flow < n->n_flows) {
        struct flow *flow = &n->flows[out->rate_flow];

        if (out->rate_bps != 0)
            flow->rate_bps = out->rate_bps;
        flow->rtt_wanted |= out->rate_rtt_request;
    }
}
