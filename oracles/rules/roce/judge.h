/* SPDX-License-Identifier: Apache-2.0
 * judge.h - judges RoCEv2 packets: congestion management of the receiver (NP), of the sender
 * (RP) and of the switch (CP), go-back-N of reliable connections (GB), and the form of packets
 * (WF). The rules are written from design (a) of RoCEv2 and DCQCN and know no player.
 *
 * Findings have the number of the frame that shows them. The flow of a finding is the queue
 * pair at the destination of that frame. */
#ifndef FAL_ORACLES_RULES_ROCE_JUDGE_H
#define FAL_ORACLES_RULES_ROCE_JUDGE_H

#include "oracles/beyond/tally.h"
#include "oracles/rules/roce/seen.h"
#include "oracles/rules/roce/setup.h"

/* The rules, for `talon list rules --protocol roce` and for reports. */
const struct fal_tally_rule *fal_roce_rules(size_t *n);

struct fal_roce_judge;

enum { FAL_ROCE_FLOWS_MAX = 65536 }; /* flows beyond these are not judged */

/* `setup` is copied, its pairs are borrowed. NULL: out of memory. */
struct fal_roce_judge *fal_roce_judge_new(const struct fal_rj_setup *setup);
void fal_roce_judge_free(struct fal_roce_judge *judge); /* NULL is fine */

/* A packet, in the order of the capture. */
void fal_roce_judge_seen(struct fal_roce_judge *judge, const struct fal_roce_seen *seen);
/* The same of a decoded frame; false: it is not RoCEv2 over IP, and nothing was judged. */
bool fal_roce_judge_frame(struct fal_roce_judge *judge, const struct fal_frame *frame);
/* The queue of the switch, in bytes, that the next packet finds as it is put into it. */
void fal_roce_judge_queue(struct fal_roce_judge *judge, uint64_t at_ns, uint64_t bytes);
/* The capture missed packets before the next one. */
void fal_roce_judge_gap(struct fal_roce_judge *judge);
/* The end of the capture: decides what waited for more packets. */
void fal_roce_judge_end(struct fal_roce_judge *judge);

/* What was found so far; all of it after the end. Belongs to the judge. */
const struct fal_tally *fal_roce_judge_tally(const struct fal_roce_judge *judge);
/* How much was there: flows, those of them with a known other direction, and whether memory ran
 * out or there were too many flows. */
struct fal_roce_counts {
    uint64_t packets, cnps, marked;
    size_t flows, paired;
    bool out_of_memory, too_many;
};
struct fal_roce_counts fal_roce_judge_counts(const struct fal_roce_judge *judge);

#endif
