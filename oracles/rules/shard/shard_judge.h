/* SPDX-License-Identifier: Apache-2.0
 * shard_judge.h - judges of the shards of one capture, each in a process of its own. What such
 * a judge has counted can be taken out of it and put into another, and then joined
 * (fal_judge_join). What the subjects' readings are depends on all connections: each shard
 * watches how it used them, and afterwards it shows whether one judge of all connections would
 * have done the same. */
#ifndef FAL_ORACLES_RULES_SHARD_SHARD_JUDGE_H
#define FAL_ORACLES_RULES_SHARD_SHARD_JUDGE_H

#include "oracles/rules/judge/budget.h"
#include "oracles/rules/judge/judge.h"
#include "oracles/rules/judge/readings.h"

/* ---- what was counted ---- */

/* One counter of a connection. */
struct fal_shard_count {
    uint64_t what; /* which; the same in each judge with the same fal_shard_form */
    uint64_t n;
};
enum { FAL_SHARD_COUNTS_MAX = FAL_CELLS_MAX * (FAL_ENDINGS + 1) };

/* A number that stands for what a judge counts: its rules, in their order, and its subjects. */
uint64_t fal_shard_form(const struct fal_judge *judge);
/* The counters that are not 0 of the i-th connection of a finished judge, in the order in which
 * it heard of them. Returns their number, or SIZE_MAX at the end. */
size_t fal_shard_counts(const struct fal_judge *judge, size_t i, uint32_t *conn,
                        struct fal_shard_count out[FAL_SHARD_COUNTS_MAX]);
/* What a judge measured of the paths, in both directions. */
void fal_shard_measured(const struct fal_judge *judge, struct fal_measured out[FAL_DIRS]);

/* Adds a connection with its counters to a judge that has judged nothing. Returns 0,
 * FAL_ERR_MEM, or FAL_ERR_FORM: a counter that the judge does not have, or there twice. */
MUST_USE int fal_shard_add(struct fal_judge *judge, uint32_t conn,
                           const struct fal_shard_count *counts, size_t num);
/* Finishes a judge that has all its connections. 0, or FAL_ERR_MEM. */
MUST_USE int fal_shard_finish(struct fal_judge *judge,
                              const struct fal_measured measured[FAL_DIRS]);

/* ---- readings ---- */

/* How one shard used one ambiguity in one window: fal_reading_watch. */
struct fal_shard_reading {
    unsigned end; /* subject, or end, whose reading it is */
    enum fal_amb amb;
    enum fal_window window;
    bool own;   /* its connections showed a reading, */
    bool given; /* or another shard's did, and this one was told */
    unsigned char out;
    uint64_t since;
    struct fal_at by;
    uint64_t left, any, cited;
};
enum { FAL_SHARD_READINGS_MAX = 2 * FAL_AMB_COUNT * FAL_WINDOWS };

/* Makes judges with this `common` watch their readings. Before their first event. */
void fal_shard_watch(struct fal_common *common);
/* Tells the judges what another shard showed. Before their first event. */
void fal_shard_give(struct fal_common *common, const struct fal_shard_reading *reading);
/* How the judges used them: those that were used at all. Returns the number. */
size_t fal_shard_readings(const struct fal_common *common,
                          struct fal_shard_reading out[FAL_SHARD_READINGS_MAX]);

/* The readings of all shards. */
struct fal_shard_agreed {
    struct fal_shard_reading list[FAL_SHARD_READINGS_MAX]; /* what was shown first, of each */
    size_t num;
};
/* Adds those of one shard. They may come in any order. */
void fal_shard_agree(struct fal_shard_agreed *agreed, const struct fal_shard_reading *readings,
                     size_t num);
/* Whether a shard judged as if it had known what all shards showed, once all were added. If
 * not, it must be judged again and be given the agreed readings. Then other shards may show
 * something else; what was shown first is right each time, so that this ends. */
bool fal_shard_knew(const struct fal_shard_agreed *agreed,
                    const struct fal_shard_reading *readings, size_t num);
/* Sets the readings of a `common`, for results. */
void fal_shard_settle(const struct fal_shard_agreed *agreed, struct fal_common *common);

#endif
