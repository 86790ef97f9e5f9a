/* SPDX-License-Identifier: Apache-2.0
 * explore_report.c - what an exploration prints: progress on a terminal, then the findings and
 * the share of the sequences that is covered. */
#include "fuzz/explore/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void explore_progress(struct explore *e, bool last)
{
    double now = hunt_clock(), spent = now - e->begun, rate;
    uint64_t played = e->hunt.execs + e->taken, done = e->counts.played + e->counts.pruned;
    uint64_t left = e->counts.total > done + e->taken ? e->counts.total - done - e->taken : 0;

    if (e->o->quiet || (!last && now - e->shown < 0.2) || spent < 1 ||
        isatty(STDERR_FILENO) != 1)
        return;
    e->shown = now;
    rate = (double)played / spent;
    fprintf(stderr,
            "\r\033[K%s, depth %u: %" PRIu64 " of %" PRIu64 " sequences (%.0f/s), %" PRIu64
            " pruned, %zu states, findings %zu, at most %.0f s left%s",
            e->theme, e->depth, e->counts.played + e->taken, e->counts.total, rate,
            e->counts.pruned, e->seen.count, e->hunt.written,
            rate > 0 ? (double)left / rate : 0.0, last ? "\n" : "");
    (void)fflush(stderr);
}

static void print_findings(const struct hunt *h)
{
    for (size_t i = 0; i < h->num_findings; i++) {
        const struct hunt_finding *f = &h->findings[i];

        if (f->counted_only || f->times == 0)
            continue;
        printf("%-5s %-28s at '%s', depth %u: %s; size %zu, %s\n",
               f->verdict >= FAL_VERDICT_FAIL ? "FAIL" : "warn", f->key, f->state, f->depth,
               f->how, f->size, f->name);
    }
}

void explore_summary(struct explore *e)
{
    const struct explore_counts *c = &e->counts;
    const struct hunt *h = &e->hunt;
    uint64_t left = c->total - c->played - c->pruned;

    print_findings(h);
    printf("%s: %zu actions, depth %u, %" PRIu64 " sequences: %" PRIu64 " played, %" PRIu64
           " pruned, %" PRIu64 " left (%.1f %% covered); %zu states; %zu finding%s; %.1f s\n",
           e->theme, explore_world(e)->num_actions, e->o->depth, c->total, c->played, c->pruned,
           left, 100.0 * (double)(c->total - left) / (double)c->total, e->seen.count,
           h->written, h->written == 1 ? "" : "s", hunt_clock() - e->begun);
    if (c->rejected > 0)
        printf(
            "%" PRIu64
            " of them were not played: no scenario, or nothing that the SUT can be asked for\n",
            c->rejected);
    if (c->ours > 0)
        printf("%" PRIu64
               " of them were stopped by the test bench (a Talon problem); the first: %s\n",
               c->ours, h->first_ours);
    if (h->stop_why[0] != 0)
        printf("stopped: %s%s\n", h->stop_why,
               e->o->dir != NULL ? "; continue with --resume" : "");
}
