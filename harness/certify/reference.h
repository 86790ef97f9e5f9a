/* SPDX-License-Identifier: Apache-2.0
 * reference.h - the built-in implementation as a process on a real link, to qualify a bench:
 * `talon sut` on this machine, or a command that starts it elsewhere. */
#ifndef TL_HARNESS_CERTIFY_REFERENCE_H
#define TL_HARNESS_CERTIFY_REFERENCE_H

#include "codecs/base/error.h"
#include "harness/certify/certify.h"

struct tl_reference;

/* 0, or FAL_ERR_MEM, FAL_ERR_IO with `err`. */
MUST_USE int tl_reference_open(const struct tl_certify *o, struct tl_reference **out,
                               struct fal_error *err);
void tl_reference_close(struct tl_reference *reference); /* NULL is nothing */

/* Starts it with that fault (NULL: none) and waits until it listens. */
MUST_USE int tl_reference_start(struct tl_reference *reference, const char *fault,
                                struct fal_error *err);
void tl_reference_stop(struct tl_reference *reference);

/* Where it listens: HOST:PORT; and tcp:HOST:PORT. */
const char *tl_reference_frames(const struct tl_reference *reference);
const char *tl_reference_control(const struct tl_reference *reference);
/* For the certificate: "udp over loopback", or its address. */
const char *tl_reference_link(const struct tl_reference *reference);

#endif
