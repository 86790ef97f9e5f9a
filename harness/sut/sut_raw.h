/* SPDX-License-Identifier: Apache-2.0
 * sut_raw.h - `talon sut --listen raw:...`: frames of many peers at an interface. It learns MAC
 * addresses from all that arrives, ARP and neighbour discovery included, and asks for unknown
 * ones; frames to an unknown peer are lost meanwhile, as on any network. */
#ifndef TL_HARNESS_SUT_SUT_RAW_H
#define TL_HARNESS_SUT_SUT_RAW_H

#include "harness/link/raw_wire.h"
#include "harness/sut/sut.h"

struct tl_sut_raw;

/* Opens at->iface with at->sut as the SUT's own address; `at` is borrowed. Returns NULL with
 * `err` (FAL_ERR_IO, FAL_ERR_MEM). The caller frees it. */
struct tl_sut_raw *tl_sut_raw_open(const struct tl_raw_address *at, struct fal_error *err);
void tl_sut_raw_free(struct tl_sut_raw *raw);

/* The descriptor to watch for frames. */
int tl_sut_raw_fd(const struct tl_sut_raw *raw);

/* Gets the next frame. False when there is none. */
bool tl_sut_raw_look(struct tl_sut_raw *raw, struct tl_raw_got *got);

/* Sends a frame to a peer, from the UDP source port of its path if it has one; with `esp`,
 * sealed packets are ESP. A frame that cannot be sent is lost. */
void tl_sut_raw_send(struct tl_sut_raw *raw, const struct tl_address *peer, bool esp,
                     const struct tl_sut_out *frame);

#endif
