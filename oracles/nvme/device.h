/* SPDX-License-Identifier: Apache-2.0
 * device.h - storage devices behind a target: formats, blocks, and commands that take time. */
#ifndef FAL_ORACLES_NVME_DEVICE_H
#define FAL_ORACLES_NVME_DEVICE_H

#include "oracles/nvme/state.h"

/* How a namespace of a device is formatted. */
struct fal_nv_format {
    uint32_t dev, nsid;
    uint32_t block_shift;
    uint32_t metadata; /* bytes per block: 0 or 16 */
};

/* That of a namespace that nobody formatted: 4096 bytes and 16 of metadata (NVME 6.7). */
struct fal_nv_format fal_nv_format(const struct fal_nvme_engine *engine, uint32_t dev,
                                   uint32_t nsid);
/* The device of a submission queue. */
uint32_t fal_nv_dev(const struct fal_nvme_engine *engine, uint8_t sqid);

/* ---- words ---- */

int fal_nv_dev_format(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                      struct fal_error *err);
int fal_nv_dev_fill(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                    struct fal_error *err);
int fal_nv_dev_hash(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                    struct fal_nvme_word *answer, struct fal_error *err);
void fal_nv_dev_policy(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask);
int fal_nv_dev_complete(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                        struct fal_error *err);
void fal_nv_dev_identify(const struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                         struct fal_nvme_word *answer);

/* ---- commands (device_run.c) ---- */

/* Gives a command to its device, which completes it now or later. */
void fal_nv_submit(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd);
/* Completes the command at that place in the list of commands. */
void fal_nv_dev_end(struct fal_nvme_engine *engine, size_t at, uint32_t status);
/* Completes those whose time has come. */
void fal_nv_dev_tick(struct fal_nvme_engine *engine);
uint64_t fal_nv_dev_deadline(const struct fal_nvme_engine *engine);

#endif
