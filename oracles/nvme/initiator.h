/* SPDX-License-Identifier: Apache-2.0
 * initiator.h - the initiator: its tables, commands of the host, and what the target sends. */
#ifndef FAL_ORACLES_NVME_INITIATOR_H
#define FAL_ORACLES_NVME_INITIATOR_H

#include "oracles/nvme/link.h"

/* ---- words (tables.c, post.c) ---- */

int fal_nv_set_ns(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                  struct fal_nvme_word *answer, struct fal_error *err);
int fal_nv_set_row(struct fal_nvme_engine *engine, uint32_t conn,
                   const struct fal_nvme_word *ask, struct fal_error *err);
int fal_nv_post(struct fal_nvme_engine *engine, const struct fal_nvme_word *ask,
                struct fal_nvme_word *answer, struct fal_error *err);

/* The namespace of that number, or NULL. */
struct fal_nv_ns *fal_nv_ns(const struct fal_nvme_engine *engine, uint32_t nsid);
/* The row of the LBA translation table, or NULL if nobody set it. */
const struct fal_nv_row *fal_nv_row(const struct fal_nvme_engine *engine, uint64_t index);

/* ---- cutting (cut.c) ---- */

/* Bytes of a block of the command, and of all its blocks. */
uint32_t fal_nv_block_len(const struct fal_nv_icmd *icmd);
uint64_t fal_nv_bytes(const struct fal_nv_icmd *icmd);
/* Blocks of a whole nCMD. */
uint32_t fal_nv_unit_blocks(uint32_t block_shift);
/* Translates and splits a command, and counts its nCMDs. Returns the status that the command
 * ends with at once, FAL_NVME_OK if it can be sent. */
uint32_t fal_nv_cut(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd);
/* The nCMD of that NCNT Offset. */
struct fal_nv_ncmd fal_nv_ncmd_at(const struct fal_nv_icmd *icmd, uint32_t offset);
/* The headers of a request for an nCMD. */
struct fal_nvme fal_nv_request(const struct fal_nvme_engine *engine,
                               const struct fal_nv_ncmd *ncmd);

/* Sends the request for an nCMD. */
void fal_nv_send_request(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                         struct fal_nv_ncmd *ncmd);

/* ---- data (host.c) ---- */

/* Makes the data and protection information of a write. False when out of memory. */
bool fal_nv_host_gives(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd);
/* Room for the data of a read. False when out of memory. */
bool fal_nv_host_room(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd);
/* The data of an nCMD of a write, as a Write Data Response carries them; returns their bytes.
 */
uint32_t fal_nv_host_slice(struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                           uint8_t *out);
/* Takes the data of an nCMD of a read; returns the status. */
uint32_t fal_nv_host_take(struct fal_nvme_engine *engine, const struct fal_nv_ncmd *ncmd,
                          const uint8_t *data, uint32_t len);

/* ---- packets of the target (initiator.c) ---- */

/* A push or pull whose headers are of a type that the target sends. */
void fal_nv_from_target(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                        const struct fal_endpoint_out *out, const struct fal_nvme *header);
/* An nCMD has this status, and is over. */
void fal_nv_ncmd_done(struct fal_nvme_engine *engine, struct fal_nv_ncmd *ncmd,
                      uint32_t status);
/* The request of an nCMD did not reach the target. */
void fal_nv_request_failed(struct fal_nvme_engine *engine, uint64_t number);
/* The connection is gone: nCMDs on it end with an error of the path. */
void fal_nv_initiator_lost(struct fal_nvme_engine *engine, uint32_t conn);
/* Reports the completion of a command. */
void fal_nv_icmd_done(struct fal_nvme_engine *engine, struct fal_nv_icmd *icmd);
/* Frees it. */
void fal_nv_icmd_free(struct fal_nv_icmd *icmd);

#endif
