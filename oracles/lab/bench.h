/* SPDX-License-Identifier: Apache-2.0
 * bench.h - what the experiments share: a lab with its queues and flows, and its values. */
#ifndef FAL_ORACLES_LAB_BENCH_H
#define FAL_ORACLES_LAB_BENCH_H

#include "oracles/lab/experiment.h"

enum { FAL_LAB_QUEUES_MAX = 8, FAL_LAB_GROUPS_MAX = 3 };

#define FAL_LAB_BASE_PS (10 * FAL_LAB_US) /* round trip of an empty fabric, without S / C */

struct fal_lab_bench {
    bool endpoints; /* play in place of model flows (ends.h) */
    struct fal_lab_ends *ends;
    const struct fal_lab_foreign *foreign; /* as of the ask */
    struct fal_swift swift;
    struct fal_lab lab;
    struct fal_lab_queue queues[FAL_LAB_QUEUES_MAX];
    struct fal_lab_group groups[FAL_LAB_GROUPS_MAX];
    struct fal_lab_histogram levels; /* of receivers, where a flow points to it */
};

/* A lab with one bottleneck of the asked rate and ask->flows flows over it, which begin
 * together within a microsecond; measured from `from_ps` on. To be changed before
 * fal_lab_begin. Returns NULL when memory ran out. */
struct fal_lab_bench *fal_lab_bench_new(const struct fal_lab_ask *ask, uint64_t from_ps);
void fal_lab_bench_free(struct fal_lab_bench *bench);
/* Begins, with the players that were asked for. Returns 0, FAL_ERR_MEM or FAL_ERR_RANGE. */
MUST_USE int fal_lab_bench_begin(struct fal_lab_bench *bench);
/* All events up to a time. Returns 0 or FAL_ERR_MEM. */
MUST_USE int fal_lab_bench_until(struct fal_lab_bench *bench, uint64_t until_ps);
/* An outcome without values. */
struct fal_lab_outcome fal_lab_bench_outcome(const struct fal_lab_bench *bench);
/* Begins and plays all events. When it does not return 0, there is nothing to be measured. */
MUST_USE int fal_lab_bench_run(struct fal_lab_bench *bench, struct fal_lab_outcome *out);
/* Measuring begins anew. */
void fal_lab_bench_measure(struct fal_lab_bench *bench);

void fal_lab_value_add(struct fal_lab_outcome *out, const char *name, const char *unit,
                       int64_t milli);
void fal_lab_count_add(struct fal_lab_outcome *out, const char *name, uint64_t count);
/* The value that was added last has a band. */
void fal_lab_value_band(struct fal_lab_outcome *out, int64_t least, int64_t most);
/* To the nearest thousandth. */
int64_t fal_lab_milli(double value);
/* Bytes that were delivered while measured, against the rate of queue 0. */
double fal_lab_bench_utilisation(const struct fal_lab_bench *bench);
/* A quantile of the queueing delay, in microseconds. */
double fal_lab_bench_waited_us(const struct fal_lab_bench *bench, unsigned permille);
/* Packets that queues have marked. */
uint64_t fal_lab_bench_marked(const struct fal_lab_bench *bench);
/* Adds how many packets queues have marked, and of how many ACKs have told the senders. */
void fal_lab_marks_add(struct fal_lab_outcome *out, uint64_t marked, uint64_t told);
/* Adds the mean share of the foreign flows to that of all, where both kinds play. */
void fal_lab_bench_foreign(const struct fal_lab_bench *bench, struct fal_lab_outcome *out);
/* Adds the sums of all flows: drops, retransmissions, timeouts, new paths, ECN marks. */
void fal_lab_bench_counts(const struct fal_lab_bench *bench, struct fal_lab_outcome *out);

/* The experiments, one file each. */
int fal_lab_incast(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_incast_loss(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_join_leave(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_plb(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_staircase(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_slow_receiver(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
int fal_lab_mixed_rtt(const struct fal_lab_ask *ask, struct fal_lab_outcome *out);
uint64_t fal_lab_incast_time(const struct fal_lab_ask *ask);
uint64_t fal_lab_incast_loss_time(const struct fal_lab_ask *ask);
uint64_t fal_lab_join_leave_time(const struct fal_lab_ask *ask);
uint64_t fal_lab_plb_time(const struct fal_lab_ask *ask);
uint64_t fal_lab_staircase_time(const struct fal_lab_ask *ask);
uint64_t fal_lab_slow_receiver_time(const struct fal_lab_ask *ask);
uint64_t fal_lab_mixed_rtt_time(const struct fal_lab_ask *ask);

#endif
