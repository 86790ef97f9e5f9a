/* SPDX-License-Identifier: Apache-2.0
 * target.h - the target: nCMDs become commands of devices, and their results go back. */
#ifndef FAL_ORACLES_NVME_TARGET_H
#define FAL_ORACLES_NVME_TARGET_H

#include "oracles/nvme/link.h"

/* The command of that number, or NULL. */
struct fal_nv_tcmd *fal_nv_tcmd(const struct fal_nvme_engine *engine, uint64_t number);
/* Frees it. */
void fal_nv_tcmd_free(struct fal_nv_tcmd *tcmd);

/* A push whose headers are a Read or Write Request. */
void fal_nv_from_initiator(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                           const struct fal_endpoint_out *out, const struct fal_nvme *header);
/* A Write Data Request has its answer, or has failed. */
void fal_nv_pulled(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                   const struct fal_endpoint_out *out);
/* The command has this status: nCMDs are answered. It may be freed. */
void fal_nv_tcmd_done(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd,
                      uint32_t status);
/* The connection is gone, and its commands with it. */
void fal_nv_target_lost(struct fal_nvme_engine *engine, uint32_t conn);

/* Which nCMD of its command a request is for; `num` if none of them. */
uint32_t fal_nv_index_of(const struct fal_nv_tcmd *tcmd, const struct fal_nvme *header);
/* Blocks of the command before an nCMD, and its own. */
uint32_t fal_nv_first_block(const struct fal_nv_tcmd *tcmd, uint32_t index);
uint32_t fal_nv_num_blocks(const struct fal_nv_tcmd *tcmd, uint32_t index);

/* ---- answers (answer.c) ---- */

/* Answers an nCMD whose command is done, unless it was answered. */
void fal_nv_answer(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index);
/* Sends a Read Response or Write Completion without data, for a request that has no command. */
void fal_nv_refuse(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                   const struct fal_nvme *request, uint32_t status);
/* Asks for the data of an nCMD of a write. */
void fal_nv_pull(struct fal_nvme_engine *engine, struct fal_nv_tcmd *tcmd, uint32_t index);

#endif
