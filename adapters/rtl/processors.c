/* SPDX-License-Identifier: Apache-2.0
 * processors.c - the processors: each reads the context of its flow, works for some time, and
 * answers with a rate. The algorithm stands for any: additive increase by bytes that were sent,
 * decrease by CNPs and by round trips above a target. */
#include "bench.h"

#include <stdlib.h>

enum { TARGET_NS = 1800, SERVICE_MIN_NS = 10, SERVICE_SPAN_NS = 80 };
static const uint64_t lowest_bps = 2000000000, highest_bps = 100000000000;

struct processor {
    bool works, has_rate, rtt_request;
    uint64_t done_ns, digest, rate_bps;
};

struct ep_processors {
    const struct fal_ep_setup *setup;
    uint64_t random;
    struct ep_store *store;
    struct processor all[EP_SLICES_MAX];
    uint32_t next;
};

struct ep_processors *ep_processors_new(const struct fal_ep_setup *setup, uint32_t flows,
                                        uint64_t seed)
{
    struct ep_processors *ps = calloc(1, sizeof *ps);

    if (ps == NULL)
        return NULL;
    ps->setup = setup;
    ps->random = seed | 1;
    ps->store = ep_store_new(setup->contexts != 0 ? setup->contexts : flows, flows);
    if (ps->store == NULL) {
        ep_processors_free(ps);
        return NULL;
    }
    return ps;
}

void ep_processors_free(struct ep_processors *ps)
{
    if (ps == NULL)
        return;
    ep_store_free(ps->store);
    free(ps);
}

static bool is_done(const struct processor *p, uint64_t now_ns)
{
    return p->works && p->done_ns <= now_ns;
}

void ep_processors_inputs(struct ep_processors *ps, uint64_t now_ns, struct ep_in *in)
{
    uint32_t n = ps->setup->processors;

    /* The store's port is not always free, so that slices wait in arbitration. */
    in->start_ready = ep_below(&ps->random, 4) != 0;
    if (!is_done(&ps->all[ps->next], now_ns))
        for (uint32_t i = 1; i < n; i++)
            if (is_done(&ps->all[(ps->next + i) % n], now_ns)) {
                ps->next = (ps->next + i) % n;
                break;
            }
    in->done_valid = is_done(&ps->all[ps->next], now_ns);
    in->done_processor = ps->next;
    in->done_has_rate = ps->all[ps->next].has_rate;
    in->done_rtt_request = ps->all[ps->next].rtt_request;
    in->done_rate_bps = ps->all[ps->next].rate_bps;
    in->done_digest = ps->all[ps->next].digest;
}

/* The rate after the merged event of a class. */
static uint64_t algorithm(const struct ep_processors *ps, const struct ep_out *out,
                          uint64_t rate_bps)
{
    if (out->start_class == ps->setup->classes[FAL_EP_CNP])
        rate_bps -= rate_bps / 8;
    if (out->start_class == ps->setup->classes[FAL_EP_TX])
        rate_bps += out->start_bytes * 100000;
    if (out->start_t4_ns > out->start_t1_ns + TARGET_NS)
        rate_bps -= rate_bps / 16;
    return rate_bps < lowest_bps ? lowest_bps : rate_bps > highest_bps ? highest_bps : rate_bps;
}

static void start(struct ep_processors *ps, const struct ep_out *out)
{
    struct processor *p = &ps->all[out->start_processor];
    const struct ep_context *context =
        ep_store_read(ps->store, out->now_ns, out->start_flow, out->start_processor);
    uint64_t mix = context->digest ^ (out->now_ns << 8) ^ out->start_flow;

    p->works = true;
    p->done_ns = out->now_ns + SERVICE_MIN_NS + ep_below(&ps->random, SERVICE_SPAN_NS);
    p->digest = (ep_random(&mix) >> 11) | 1;
    p->has_rate = true;
    /* A new flow gets the default rate, and its round trip is measured [0089]. */
    p->rtt_request = !context->known || ep_below(&ps->random, 16) == 0;
    p->rate_bps = ps->setup->default_rate_bps;
    if (context->known) {
        p->rate_bps = algorithm(ps, out, context->rate_bps);
        p->has_rate = p->rate_bps != context->rate_bps || out->start_t4_ns != 0;
    }
}

void ep_processors_outputs(struct ep_processors *ps, const struct ep_in *in,
                           const struct ep_out *out)
{
    if (in->done_valid && out->done_ready) {
        struct processor *p = &ps->all[in->done_processor];

        ep_store_write(ps->store, out->done_flow,
                       (struct ep_context){.digest = p->digest, .rate_bps = p->rate_bps});
        p->works = false;
        ps->next = (ps->next + 1) % ps->setup->processors;
    }
    if (out->start)
        start(ps, out);
}
