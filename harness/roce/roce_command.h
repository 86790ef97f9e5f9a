/* SPDX-License-Identifier: Apache-2.0
 * roce_command.h - the command line of `talon check --protocol roce`, and the files that it
 * names. */
#ifndef TL_HARNESS_ROCE_ROCE_COMMAND_H
#define TL_HARNESS_ROCE_ROCE_COMMAND_H

#include "codecs/base/error.h"
#include "harness/doc/options.h"
#include "oracles/rules/roce/setup.h"

enum { TL_ROCE_TEXT, TL_ROCE_JSON };

struct tl_roce_command {
    struct tl_texts files;
    const char *filter;
    struct fal_rj_setup setup;
    struct fal_rj_pair *pairs;
    uint64_t np_ns, burst;
    bool have_np, have_burst, have_vantage, have_before, transport;
    int protocol, vantage, limiter, format;
    unsigned before; /* the interface of a pcapng file on the near side of a switch */
    unsigned ppm, mtu, cnp_ecn, cnp_dscp;
};

extern const struct tl_options tl_roce_options;

/* After all options were read: what follows from several of them. 0, or FAL_ERR_FORM with
 * `err`. */
MUST_USE int tl_roce_command_ready(struct tl_roce_command *command, struct fal_error *err);
void tl_roce_command_free(struct tl_roce_command *command);

/* Reads parameters of DCQCN: "paper", "nic", or a JSON file (docs/roce-rules.md). A value that
 * the file leaves out keeps its value in *setup. 0, FAL_ERR_FORM or FAL_ERR_MEM with `err`. */
MUST_USE int tl_roce_read_parameters(const char *name, struct fal_rj_setup *setup,
                                     struct fal_error *err);
/* Reads a file of queue pairs. The caller frees *pairs, after an error, too. Errors as above.
 */
MUST_USE int tl_roce_read_pairs(const char *path, struct fal_rj_pair **pairs, size_t *count,
                                struct fal_error *err);

#endif
