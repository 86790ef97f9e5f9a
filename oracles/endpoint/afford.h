/* SPDX-License-Identifier: Apache-2.0
 * afford.h - credits of Falcon, for the upper layers above an endpoint. */
#ifndef FAL_ORACLES_ENDPOINT_AFFORD_H
#define FAL_ORACLES_ENDPOINT_AFFORD_H

#include "oracles/endpoint/endpoint.h"
#include "oracles/endpoint/transaction/credits.h"

/* Whether a transaction of that length has credits now (Falcon 8.2.3). `cell`: bytes of a
 * buffer unit, 0: the default. False for a connection that is not open. */
bool fal_endpoint_affords(const struct fal_endpoint *endpoint, uint32_t conn, uint32_t cell,
                          enum fal_spend spend, uint32_t length);

#endif
