/* SPDX-License-Identifier: Apache-2.0
 * roce_traffic.h - the program that posts on two real ends (talon run --control exec:COMMAND;
 * docs/roce-real-ends.md). It gets one line for each case, and answers with lines about what
 * happens: its queue pairs, posts that end, messages that are delivered. */
#ifndef TL_HARNESS_ROCE_ROCE_TRAFFIC_H
#define TL_HARNESS_ROCE_ROCE_TRAFFIC_H

#include "harness/roce/roce_log.h"

enum tl_roce_traffic_state {
    TL_ROCE_TRAFFIC_PREPARES, /* it has not named its queue pairs: what passes is no packet of
                                 the case */
    TL_ROCE_TRAFFIC_POSTS,
    TL_ROCE_TRAFFIC_ENDED,
    TL_ROCE_TRAFFIC_CANNOT, /* its ends cannot do what the case needs */
    TL_ROCE_TRAFFIC_BROKEN, /* it failed, or did not keep to its protocol */
};

struct tl_roce_traffic;

/* Starts the command by the shell. NULL with `err`: FAL_ERR_IO or FAL_ERR_MEM. */
struct tl_roce_traffic *tl_roce_traffic_start(const char *command, struct fal_error *err);
void tl_roce_traffic_free(struct tl_roce_traffic *traffic); /* ends it, too */

/* Tells it about a case, which is to end by timeout_ns. Returns 0, or FAL_ERR_IO or FAL_ERR_MEM
 * with `err`. */
MUST_USE int tl_roce_traffic_begin(struct tl_roce_traffic *traffic,
                                   const struct tl_roce_scenario *scenario, uint64_t timeout_ns,
                                   struct fal_error *err);
/* Takes what it has said since; now_ns: since it named its queue pairs. Does not wait. Events
 * of the log borrow texts that are valid until the next case begins. */
enum tl_roce_traffic_state tl_roce_traffic_look(struct tl_roce_traffic *traffic,
                                                uint64_t now_ns, struct tl_roce_log *log);
/* Why it is in the state CANNOT, or BROKEN; NULL in another state. Valid until the next case
 * begins. */
const char *tl_roce_traffic_cannot(const struct tl_roce_traffic *traffic);
const char *tl_roce_traffic_broken(const struct tl_roce_traffic *traffic);

#endif
