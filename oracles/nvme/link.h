/* SPDX-License-Identifier: Apache-2.0
 * link.h - a connection of the endpoint under an NVMe engine: packets wait here until there are
 * credits and room for them. */
#ifndef FAL_ORACLES_NVME_LINK_H
#define FAL_ORACLES_NVME_LINK_H

#include "oracles/nvme/state.h"

/* The connection with the endpoint's number, or NULL if it is not attached. */
struct fal_nv_link *fal_nv_link(const struct fal_nvme_engine *engine, uint32_t conn);

/* Writes the headers of a packet; returns their bytes. */
uint32_t fal_nv_headers(const struct fal_nvme *header, uint8_t *out, size_t cap);

/* Sends a packet, now or when the connection can take it. `packet` is copied, with `len` bytes
 * from `bytes`. Nothing happens on a dead connection. */
void fal_nv_send(struct fal_nvme_engine *engine, struct fal_nv_link *link,
                 const struct fal_nv_packet *packet, const uint8_t *bytes, uint32_t len);
/* Sends what waits, as far as the connection can take it. */
void fal_nv_pump(struct fal_nvme_engine *engine, struct fal_nv_link *link);
/* Does so for each connection: connections may share credits (Falcon 8.2.3), so one that waits
 * can have room when another gives some back. */
void fal_nv_pump_all(struct fal_nvme_engine *engine);

/* Answers a request without data. */
void fal_nv_respond(struct fal_nvme_engine *engine, const struct fal_nv_link *link,
                    uint32_t rsn, enum fal_answer answer);

/* Tag of a transaction at the endpoint, and back. */
uint64_t fal_nv_tag(const struct fal_nv_packet *packet);
enum fal_nv_post fal_nv_tag_what(uint64_t tag);
uint64_t fal_nv_tag_number(uint64_t tag);
uint32_t fal_nv_tag_index(uint64_t tag);

/* Frees what waits. */
void fal_nv_link_clear(struct fal_nv_link *link);

#endif
