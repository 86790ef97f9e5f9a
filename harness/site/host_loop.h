/* SPDX-License-Identifier: Apache-2.0
 * host_loop.h - proof on two interfaces that are joined: each deliberate malformation leaves by
 * the one and arrives at the other, byte for byte. */
#ifndef TL_HARNESS_HOST_LOOP_H
#define TL_HARNESS_HOST_LOOP_H

#include "codecs/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_loop_outcome {
    TL_LOOP_AS_SENT,
    TL_LOOP_CHANGED, /* it arrived, but not as it was sent: `at` is the first byte */
    TL_LOOP_MISSING, /* it did not arrive */
    TL_LOOP_REFUSED, /* it could not be sent; `code` */
};

struct tl_loop_result {
    const char *name; /* of the frame: "udp-checksum-wrong" */
    int ip_version;   /* 4 or 6 */
    enum tl_loop_outcome outcome;
    size_t len, at;
    int code; /* an errno */
};

/* Sends every frame by `from` and looks for it at `to`. `told` hears of each. 0, or FAL_ERR_IO
 * with `err` when it cannot be tried at all. */
typedef void tl_loop_told_fn(void *ctx, const struct tl_loop_result *result);
int tl_host_loop(const char *from, const char *to, tl_loop_told_fn *told, void *ctx,
                 struct fal_error *err);

/* "as sent", "changed", "missing", "refused". */
const char *tl_loop_outcome_name(enum tl_loop_outcome outcome);

#endif
