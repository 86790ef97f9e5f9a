/* SPDX-License-Identifier: Apache-2.0
 * replay.h - repeats the verdict of a kept case from its directory of evidence alone: judges
 * its timeline again and, in virtual time, plays it again. */
#ifndef TL_HARNESS_RUN_REPLAY_H
#define TL_HARNESS_RUN_REPLAY_H

#include "codecs/base/error.h"
#include "harness/claims/ixit.h"
#include "harness/run/run_setup.h"

struct tl_replay {
    struct tl_request request; /* as recorded in run.json */
    struct tl_run_setup setup;
    struct tl_profile profile;
    struct tl_ixit ixit;
    struct tl_given_params params;
    struct tl_learned learned; /* as recorded */
    struct tl_ics
        ics; /* the ICS of the run: the statement, completed by the SUT's answer to hello */
    struct tl_waivers waivers;
    bool has_waivers, live;
    struct tl_identity identity;
    uint32_t today;
};

/* What was repeated of a case. */
struct tl_replayed {
    const char *how; /* static text */
    bool played;
};

/* Opens a replay. `results` and `run` (results.json, run.json) must outlive it. Returns 0, or
 * FAL_ERR_FORM, FAL_ERR_IO, FAL_ERR_MEM with `err`. The caller calls tl_replay_close in any
 * case. */
MUST_USE int tl_replay_open(struct tl_replay *replay, const char *dir, const json_t *results,
                            const json_t *run, struct fal_error *err);
void tl_replay_close(struct tl_replay *replay);

/* Reads a case as it is recorded: id, covers, verdict, disposition, repetitions. Returns false
 * if it is not a case. */
bool tl_replay_recorded(const json_t *recorded, struct tl_case *out);

/* Repeats verdict and disposition, in *out. Returns FAL_ERR_FORM with `err` if something
 * differs from what is recorded. */
MUST_USE int tl_replay_case(struct tl_replay *replay, const char *dir, const json_t *recorded,
                            struct tl_case *out, struct tl_replayed *got,
                            struct fal_error *err);

/* Sets the uses of the waivers, on which the status depends. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_replay_waivers(const struct tl_replay *replay, struct tl_results *results);
void tl_replay_clear(struct tl_results *results);

/* Whether two timelines (JSON Lines) have the same events. Texts for people are not compared;
 * of the tester's own events (note, internal, bench) only the time is. */
bool tl_replay_same_timeline(const char *was, size_t was_len, const char *now, size_t now_len);

#endif
