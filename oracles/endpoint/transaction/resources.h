/* SPDX-License-Identifier: Apache-2.0
 * resources.h - accounts of resources, and their limits, at the levels of a connection, its
 * function and the host (8.2.3). A transaction is admitted when every level has room; the
 * limits below may in sum exceed those above (oversubscription), which then prevent the
 * overrun.
 *
 * The region of the network has two zones (8.2.4): up to `green` every request is admitted,
 * beyond it, up to the limit, only the head of the line of an ordered connection. So a head of
 * line is refused only where others have been admitted (CR rule 3). */
#ifndef FAL_ORACLES_ENDPOINT_TRANSACTION_RESOURCES_H
#define FAL_ORACLES_ENDPOINT_TRANSACTION_RESOURCES_H

#include "oracles/endpoint/transaction/credits.h"

/* What may be held at a level; 0: as much as is asked for. */
struct fal_limits {
    uint32_t units[FAL_RES_COUNT];
    uint32_t red_pkt, red_buf; /* of net_pkt_rx and net_buf_rx: kept for heads of line */
};

struct fal_account {
    struct fal_limits limits;
    uint32_t used[FAL_RES_COUNT];
};

/* Whether a level limits anything. */
bool fal_limits_any(const struct fal_limits *limits);

/* Whether the zones are valid for requests of up to max_length bytes: the longest request fits
 * into the red zone, or there is no red zone. */
bool fal_limits_sound(const struct fal_limits *limits, uint32_t max_length, uint32_t cell);

/* Whether there is room; `head`: the request is the head of its line. */
bool fal_account_room(const struct fal_account *account, const struct fal_units *units,
                      bool head);

void fal_account_take(struct fal_account *account, const struct fal_units *units);

/* Gives back what was taken before. */
void fal_account_give(struct fal_account *account, const struct fal_units *units);

/* What is left of a limit; UINT32_MAX without a limit. */
uint32_t fal_account_left(const struct fal_account *account, enum fal_resource which);

#endif
