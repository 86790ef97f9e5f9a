/* SPDX-License-Identifier: Apache-2.0
 * lab_sut.h - one SUT in virtual time as the sender of one flow (lab_foreign.h). */
#ifndef TL_HARNESS_LAB_LAB_SUT_H
#define TL_HARNESS_LAB_LAB_SUT_H

#include "codecs/base/error.h"
#include "oracles/lab/foreign.h"

struct tl_lab_sut;

struct tl_lab_sut_config {
    uint32_t flow;                             /* from 1, for messages */
    const char *where;                         /* "lib:FILE" or "exec:COMMAND" */
    unsigned answer_s;                         /* as of tl_child_config */
    const struct fal_lab_foreign_order *order; /* valid during the call */
    struct fal_error *err;                     /* valid until the SUT is closed */
};

/* Starts the SUT and opens its connection. NULL with config->err. */
struct tl_lab_sut *tl_lab_sut_open(const struct tl_lab_sut_config *config,
                                   struct fal_lab_foreign_opened *opened);
void tl_lab_sut_close(struct tl_lab_sut *sut);
/* As the functions of struct fal_lab_foreign; an error is FAL_ERR_IO, with config->err. */
MUST_USE int tl_lab_sut_packet(struct tl_lab_sut *sut, const uint8_t *bytes, size_t len,
                               const struct fal_seal *seal, uint64_t now_ns);
MUST_USE int tl_lab_sut_post(struct tl_lab_sut *sut, uint32_t length, uint64_t now_ns);
MUST_USE int tl_lab_sut_tick(struct tl_lab_sut *sut, uint64_t now_ns);
uint64_t tl_lab_sut_deadline(struct tl_lab_sut *sut);
MUST_USE int tl_lab_sut_next(struct tl_lab_sut *sut, struct fal_lab_foreign_out *out);

#endif
