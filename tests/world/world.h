/* SPDX-License-Identifier: Apache-2.0
 * world.h - a small world for soak tests: two endpoints, scripted ULPs, a bad network, and the
 * judge on the tester's side, all in virtual time and from one seed. */
#ifndef TL_TESTS_WORLD_WORLD_H
#define TL_TESTS_WORLD_WORLD_H

#include "oracles/endpoint/faults/faults.h"
#include "oracles/endpoint/faults/twins.h"
#include "oracles/rules/judge/judge.h"

struct world_config {
    uint64_t seed;
    struct fal_fault_set faults; /* of the SUT */
    struct fal_twin_set twins;   /* of the SUT, on every connection */
    struct fal_twin_set tester;  /* twins of the tester */
    unsigned trials;             /* enum world_trial (world_trials.h): what it is put through */
    bool clean;                  /* a network without loss, duplication or reordering */
    unsigned steps_max;          /* it ends after so many steps; 0: after 2 million */
    struct fal_recorder
        recorder; /* gets every event that the judge gets; event NULL: not used */
    /* What the judge observes. It does not change what happens, with two exceptions: the path
     * has two halves when the vantage point is in its middle, and no step repeats packets when
     * the judge could not recognise the step. */
    enum fal_vantage vantage;  /* default: the tester's. Elsewhere all packets are foreign */
    bool undeclared;           /* nothing is promised of the path, clean as it may be */
    bool wire_only;            /* no commands, replies, events of the SUT, or barriers */
    bool unknown_params;       /* parameters are their defaults, and not known to be true */
    uint64_t skip_packets;     /* a capture that begins after so many packets; not even the
                                  initial numbers are known then */
    uint32_t capture_loss_ppm; /* packets that the capture misses; */
    bool loss_is_told;         /* it says so before what follows; else unnoticed: */
    bool loss_is_secret;     /* not even that it may miss packets is said, as of a capture that
                                nobody declared to be complete */
    uint64_t late_events_ns; /* what the SUT tells is read so much later at most, in order */
};

/* Sets what the seed says: allowed variants of both ends; what the judge is shown. */
void world_draw_twins(struct world_config *config);
void world_draw_view(struct world_config *config);
/* What an end (0 the tester, 1 the SUT) declares because of its variants, drawn by the seed: a
 * pipeline allowance for lanes, a tick for timers that run by ticks, limits of an RTO that
 * varies. Set in the parameters of that end. */
void world_draw_ixit(const struct world_config *config, int side, struct fal_params *params);

/* A rule that the SUT broke, and of which requirement. */
struct world_kill {
    const char *rule, *requirement;
};
enum { WORLD_KILLS_MAX = 128 };

struct world_outcome {
    enum fal_verdict verdict, sut;  /* of all; of the SUT alone */
    bool inexact;                   /* the tester's end has a pipeline, a tick or an RTO that
                                       varies, for which its rules do not allow: only findings
                                       about the SUT count */
    bool stuck;                     /* something was still open at the end of time */
    bool suspect;                   /* an excuse was taken more often than the path gave it */
    uint64_t packets[2];            /* seen at the tester, by enum fal_dir */
    uint64_t completed, posted;     /* transactions, both sides */
    uint64_t given_up;              /* of NVMe, after their last attempt: each can leave a
                                       command without the answer that it waits for */
    uint64_t acts[FAL_FAULT_COUNT]; /* of each fault of the SUT */
    char why[1024];                 /* the first finding that is no mere excuse */
    uint64_t
        exercised[FAL_RULES_MAX]; /* instances that HELD or were BROKEN, of the SUT, by rule */
    bool broken[FAL_RULES_MAX];   /* by rule, of the SUT */
    size_t num_kills;
    struct world_kill kills[WORLD_KILLS_MAX]; /* each once */
};

/* Returns whether nothing is open that a conforming end would have ended. */
static inline bool world_all_done(const struct world_outcome *outcome)
{
    return !outcome->stuck && outcome->completed <= outcome->posted &&
           outcome->posted - outcome->completed <= outcome->given_up;
}

/* Whether it is among them. */
bool world_killed(const struct world_kill *kills, size_t n, const struct world_kill *kill);

/* Runs one world to its end. Returns 0, or FAL_ERR_MEM. */
int world_run(const struct world_config *config, struct world_outcome *outcome);

#endif
