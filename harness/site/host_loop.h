/* SPDX-License-Identifier: Apache-2.0
 * host_loop.h - tests two interfaces that are connected to each other: each deliberate
 * malformation leaves by the one and must arrive at the other unchanged. */
#ifndef TL_HARNESS_SITE_HOST_LOOP_H
#define TL_HARNESS_SITE_HOST_LOOP_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_loop_outcome {
    TL_LOOP_AS_SENT,
    TL_LOOP_CHANGED, /* it arrived changed: `at` is the first byte that differs */
    TL_LOOP_MISSING, /* it did not arrive */
    TL_LOOP_REFUSED, /* it could not be sent; see `code` */
};

struct tl_loop_result {
    const char *name; /* name of the frame: "udp-checksum-wrong" */
    int ip_version;   /* 4 or 6 */
    enum tl_loop_outcome outcome;
    size_t len, at;
    int code; /* an errno */
};

/* Sends every frame by `from` and waits for it at `to`. Calls `told` for each. Returns 0, or
 * FAL_ERR_IO with `err` when nothing can be tried. */
typedef void tl_loop_told_fn(void *ctx, const struct tl_loop_result *result);
MUST_USE int tl_host_loop(const char *from, const char *to, tl_loop_told_fn *told, void *ctx,
                          struct fal_error *err);

/* Returns "as sent", "changed", "missing" or "refused". */
const char *tl_loop_outcome_name(enum tl_loop_outcome outcome);

#endif
