/* SPDX-License-Identifier: Apache-2.0
 * cmd_sut_raw.h - `talon sut --listen raw:...`: frames of many peers at an interface. Whose MAC
 * is whose it learns from what arrives, questions of neighbours too; whom it does not know it
 * asks for, and what it had to say meanwhile is lost, as on any network. */
#ifndef TL_HARNESS_CMD_SUT_RAW_H
#define TL_HARNESS_CMD_SUT_RAW_H

#include "harness/link/raw_wire.h"

struct tl_sut_raw;

/* Opens at->iface with at->sut as the SUT's own address; `at` is borrowed. NULL with `err`
 * (FAL_ERR_IO, FAL_ERR_MEM). The caller frees. */
struct tl_sut_raw *tl_sut_raw_open(const struct tl_raw_address *at, struct fal_error *err);
void tl_sut_raw_free(struct tl_sut_raw *raw);

/* What to watch for frames. */
int tl_sut_raw_fd(const struct tl_sut_raw *raw);

/* The next frame. False when there is none. */
bool tl_sut_raw_look(struct tl_sut_raw *raw, struct tl_raw_got *got);

/* Sends to a peer; `esp`: what is sealed is ESP. What cannot be sent is lost. */
void tl_sut_raw_send(struct tl_sut_raw *raw, const struct tl_address *peer, bool esp,
                     const uint8_t *bytes, size_t len);

#endif
