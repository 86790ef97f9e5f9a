/* SPDX-License-Identifier: Apache-2.0
 * receive.h - what arrives from the wire. */
#ifndef FAL_ORACLES_ENDPOINT_RECEIVE_H
#define FAL_ORACLES_ENDPOINT_RECEIVE_H

#include "oracles/endpoint/connection.h"

/* Takes the packet in `in` (FAL_IN_PACKET). Returns the connection it belongs to, or NULL when
 * it was dropped before that was known or allowed to matter (9.2.2.1, AMB-30). */
struct fal_ep_conn *fal_receive_packet(struct fal_endpoint *ep,
                                       const struct fal_endpoint_in *in);

#endif
