/* SPDX-License-Identifier: Apache-2.0
 * replay.h - a case that was kept comes to its verdict again: its timeline is judged, and
 * in virtual time it is played, from nothing but the directory of evidence. */
#ifndef TL_HARNESS_RUN_REPLAY_H
#define TL_HARNESS_RUN_REPLAY_H

#include "codecs/base/error.h"
#include "harness/claims/ixit.h"
#include "harness/run/run_setup.h"

struct tl_replay {
    struct tl_request request; /* as run.json records it */
    struct tl_run_setup setup;
    struct tl_profile profile;
    struct tl_ixit ixit;
    struct tl_given_params params;
    struct tl_ics ics; /* of the run: the statement and what the SUT said */
    struct tl_waivers waivers;
    bool has_waivers, live;
    struct tl_identity identity;
    uint32_t today;
};

/* What was done to a case. */
struct tl_replayed {
    const char *how; /* static text */
    bool played;
};

/* `results` and `run` (results.json, run.json) must outlive it. 0, or FAL_ERR_FORM,
 * FAL_ERR_IO, FAL_ERR_MEM with `err`; tl_replay_close is due in any case. */
MUST_USE int tl_replay_open(struct tl_replay *replay, const char *dir, const json_t *results,
                            const json_t *run, struct fal_error *err);
void tl_replay_close(struct tl_replay *replay);

/* A case as it is recorded: id, covers, verdict, disposition, repetitions. False when it is no
 * case. */
bool tl_replay_recorded(const json_t *recorded, struct tl_case *out);

/* Comes to verdict and disposition again, in *out. FAL_ERR_FORM with `err` when something is
 * not as it is recorded. */
MUST_USE int tl_replay_case(struct tl_replay *replay, const char *dir, const json_t *recorded,
                            struct tl_case *out, struct tl_replayed *got,
                            struct fal_error *err);

/* What became of the waivers, for the status. 0, or FAL_ERR_MEM. */
MUST_USE int tl_replay_waivers(const struct tl_replay *replay, struct tl_results *results);
void tl_replay_clear(struct tl_results *results);

/* Returns whether two timelines (JSON Lines) tell the same: every event but for its words; of
 * the tester's own events (note, internal, bench) the time alone. */
bool tl_replay_same_timeline(const char *was, size_t was_len, const char *now, size_t now_len);

#endif
