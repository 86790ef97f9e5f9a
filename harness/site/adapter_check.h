/* SPDX-License-Identifier: Apache-2.0
 * adapter_check.h - tests an adapter of the SUT control protocol alone, without a wire: each
 * command, invalid input, lines in pieces, floods, and a tester that disconnects. */
#ifndef TL_HARNESS_SITE_ADAPTER_CHECK_H
#define TL_HARNESS_SITE_ADAPTER_CHECK_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The channel to the adapter. Lines are passed without their newline. */
struct tl_adapter;
struct tl_adapter_ops {
    /* Sends bytes unchanged; false when the channel accepts none. */
    bool (*send)(struct tl_adapter *adapter, const char *bytes, size_t len);
    /* Returns the next line, borrowed until the next call; NULL when none came in two seconds,
     * or the channel has ended. */
    const char *(*read)(struct tl_adapter *adapter, size_t *len);
    /* Disconnects and connects again; NULL: this kind of channel cannot. */
    bool (*again)(struct tl_adapter *adapter);
    void (*free)(struct tl_adapter *adapter);
};
struct tl_adapter {
    const struct tl_adapter_ops *ops;
};

/* Opens the channel at tcp:HOST:PORT, unix:PATH, exec:COMMAND or lib:FILE.so. Returns NULL with
 * `err`. */
struct tl_adapter *tl_adapter_open(const char *where, struct fal_error *err);

/* Says hello. Returns the reply, a new reference, whose vendor, product, firmware and levels
 * have the right form; NULL with `err`. */
json_t *tl_adapter_hello(struct tl_adapter *adapter, struct fal_error *err);

enum tl_check_verdict { TL_CHECK_PASS, TL_CHECK_FAIL, TL_CHECK_SKIPPED };
enum { TL_CHECK_WHY = 200 };

struct tl_check_result {
    const char *name, *title;
    enum tl_check_verdict verdict;
    char why[TL_CHECK_WHY];
};

/* Runs all checks and calls `told` for each. Returns the number that failed. `flood`: number of
 * commands in the check that writes without reading; `events`: number of posts in the check
 * that waits for their ends. */
unsigned tl_adapter_check(struct tl_adapter *adapter, uint64_t flood, uint64_t events,
                          void (*told)(void *ctx, const struct tl_check_result *result),
                          void *ctx);

/* Returns the name of the n-th check; NULL beyond the last. */
const char *tl_adapter_check_name(size_t n);

#endif
