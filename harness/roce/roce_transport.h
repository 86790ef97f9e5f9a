/* SPDX-License-Identifier: Apache-2.0
 * roce_transport.h - rules K1 to K10 of any reliable transport, on a capture of RoCEv2, for
 * `talon check --protocol roce --transport`. */
#ifndef TL_HARNESS_ROCE_ROCE_TRANSPORT_H
#define TL_HARNESS_ROCE_ROCE_TRANSPORT_H

#include "harness/roce/roce_command.h"
#include "oracles/beyond/tally.h"
#include "oracles/rules/transport/k_rules.h"

struct tl_roce_transport {
    struct fal_tally tally; /* K1 to K10 */
    struct fal_tally_row rows[FAL_K_RULES];
    size_t left_out; /* flows of requests that are not judged */
};

/* Judges the capture as the command declares: at vantage sut, what the SUT sends by the rules
 * of senders, and what it answers by those of receivers. Returns 0; FAL_ERR_FORM, FAL_ERR_RANGE
 * or FAL_ERR_MEM with `err`. */
MUST_USE int tl_roce_transport(const char *path, const struct tl_roce_command *command,
                               struct tl_roce_transport *out, struct fal_error *err);

#endif
