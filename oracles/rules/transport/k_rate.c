/* SPDX-License-Identifier: Apache-2.0
 * k_rate.c - K13: one address in each cycle while a flow is ready, and the time through the
 * engine. K14: the rate of a flow. */
#include "oracles/rules/transport/k_engine.h"

#include <inttypes.h>

enum {
    SHORT_BYTES = 128, /* a segment that the link carries in one cycle of 10 ns at 100 Gb/s */
    BUSY_LEAST = 64,   /* cycles of a stretch that decide */
    PIPELINE = 10,     /* cycles until the first address leaves, if nothing is declared */
};

/* ---- K13 ---- */

static void stretch_ends(struct fal_en_judge *k, uint64_t end)
{
    const uint64_t slack =
        k->setup.latency_cycles > 0 ? k->setup.latency_cycles : (uint64_t)PIPELINE;
    const uint64_t cycles = end - k->busy_since;

    if (k->busy_since == 0 || end < k->busy_since || cycles < BUSY_LEAST)
        return;
    if (k->busy_large)
        fal_tally_excused(k->tally, FAL_K13, "segment-size");
    else if (k->busy_transmits + slack >= cycles)
        fal_tally_held(k->tally, FAL_K13);
    else
        fal_en_broken(k, FAL_K13,
                      "flows were ready in each of %" PRIu64 " cycles, but only %" PRIu64
                      " addresses were transmitted",
                      cycles, k->busy_transmits);
}

void fal_en_busy_end(struct fal_en_judge *k)
{
    stretch_ends(k, k->num_ready > 0 ? k->cycle : k->empty_since);
}

/* A flow that is taken from the set, transmits and enters again in the same cycle does not end
 * the stretch: it ends when a cycle begins with an empty set. */
void fal_en_ready_changed(struct fal_en_judge *k)
{
    if (k->num_ready == 0) {
        k->empty_since = k->cycle;
        return;
    }
    if (k->num_ready == 1 && k->cycle > k->empty_since) {
        stretch_ends(k, k->empty_since);
        k->busy_since = k->cycle;
        k->busy_transmits = 0;
        k->busy_large = false;
    }
}

static void one_a_cycle(struct fal_en_judge *k, const struct fal_en_event *e)
{
    if (k->transmitted && k->last_transmit == e->cycle)
        fal_en_broken(k, FAL_K13, "two addresses were transmitted in cycle %" PRIu64, e->cycle);
    k->transmitted = true;
    k->transmits++;
    k->last_transmit = e->cycle;
    k->busy_transmits++;
    k->busy_large = k->busy_large || e->bytes > SHORT_BYTES;
}

static void through(struct fal_en_judge *k, const struct fal_en_flow *f,
                    const struct fal_en_event *e)
{
    const struct fal_en_address *a = &f->kept[f->first & (FAL_EN_KEPT - 1)];
    const uint64_t took = e->cycle > a->cycle ? e->cycle - a->cycle : 0;

    if (f->first == f->end)
        return;
    if (k->setup.latency_cycles == 0)
        fal_tally_excused(k->tally, FAL_K13, "row:latency_cycles");
    else if (took <= k->setup.latency_cycles)
        fal_tally_held(k->tally, FAL_K13);
    else if (!a->alone || k->num_flows != 1)
        fal_tally_excused(k->tally, FAL_K13, "not-alone");
    else if (f->waited || f->rate_bps != 0)
        fal_tally_excused(k->tally, FAL_K13, "no-credit");
    else
        fal_en_broken(k, FAL_K13,
                      "segment %" PRIu64 " was transmitted %" PRIu64
                      " cycles after its address was generated, expected at most %" PRIu32,
                      e->seg, took, k->setup.latency_cycles);
}

/* ---- K14 ---- */

/* What `cycles` carry at the rate, in bytes. */
static double at_rate(const struct fal_en_judge *k, const struct fal_en_flow *f,
                      uint64_t cycles)
{
    return (double)f->rate_bps / 8e9 * (double)cycles * (double)k->setup.cycle_ns;
}

void fal_en_rate_end(struct fal_en_judge *k, struct fal_en_flow *f)
{
    const uint64_t cycles = f->last_cycle - f->since_cycle;
    const double due = at_rate(k, f, cycles), sent = (double)f->bytes;
    const double grain = 2.0 * (double)f->last_bytes + (double)k->setup.burst_bytes;
    const double error = due * (double)k->setup.rate_error_ppm / 1e6;
    /* A cycle of 128 bytes bounds the link, and others may take it all; with short segments
     * one address a cycle bounds it. */
    const double link =
        8e9 * SHORT_BYTES / (double)(k->setup.cycle_ns > 0 ? k->setup.cycle_ns : 1);
    const bool fair = k->unlimited == 0 && (double)k->total_bps < 0.9 * link &&
                      (double)(f->last_transmits - f->since_transmits) < 0.9 * (double)cycles;

    if (!f->measuring)
        return;
    f->measuring = false;
    if (k->setup.rate_error_ppm == 0 || k->setup.cycle_ns == 0)
        fal_tally_excused(k->tally, FAL_K14, "row:rate_error_ppm");
    else if (sent > due + error + grain)
        fal_en_broken(k, FAL_K14,
                      "%" PRIu64 " bytes were transmitted in %" PRIu64
                      " cycles, expected at most %.0f at %" PRIu64 " bit/s",
                      f->bytes, cycles, due + error + grain, f->rate_bps);
    else if (grain > due / 20)
        fal_tally_excused(k->tally, FAL_K14, "short");
    else if (sent >= due - error - grain)
        fal_tally_held(k->tally, FAL_K14);
    else if (!fair || f->window_bound)
        fal_tally_excused(k->tally, FAL_K14, f->window_bound ? "no-credit" : "shared-link");
    else
        fal_en_broken(k, FAL_K14,
                      "%" PRIu64 " bytes were transmitted in %" PRIu64
                      " cycles, expected at least %.0f at %" PRIu64 " bit/s",
                      f->bytes, cycles, due - error - grain, f->rate_bps);
}

/* The first transmission begins a stretch and does not count. */
static void measure(struct fal_en_judge *k, struct fal_en_flow *f, const struct fal_en_event *e)
{
    if (f->rate_bps == 0)
        return;
    if (!f->measuring) {
        f->measuring = true;
        f->since_cycle = k->cycle;
        f->since_transmits = k->transmits;
        f->bytes = 0;
        f->last_bytes = 0;
        f->window_bound = false;
    } else {
        f->bytes += e->bytes;
    }
    f->last_bytes = e->bytes > f->last_bytes ? e->bytes : f->last_bytes;
    f->last_cycle = k->cycle;
    f->last_transmits = k->transmits;
}

void fal_en_transmit_pace(struct fal_en_judge *k, struct fal_en_flow *f,
                          const struct fal_en_event *e)
{
    one_a_cycle(k, e);
    through(k, f, e);
    measure(k, f, e);
}
