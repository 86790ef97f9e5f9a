/* SPDX-License-Identifier: Apache-2.0
 * frames.h - the bytes of packets of endpoints that are on their way through the lab, by
 * number.
 */
#ifndef FAL_ORACLES_LAB_FRAMES_H
#define FAL_ORACLES_LAB_FRAMES_H

#include "oracles/endpoint/endpoint.h"

enum { FAL_LAB_FRAME = 4200 }; /* bytes of the longest packet */

struct fal_lab_frame {
    uint8_t bytes[FAL_LAB_FRAME];
    uint32_t len, flow;
    uint32_t next; /* while it is free */
    struct fal_seal seal;
};

/* All 0 at first; the caller frees `list`. */
struct fal_lab_frames {
    struct fal_lab_frame *list;
    uint32_t cap, free;
};

/* Keeps a packet of a flow. Returns its number, or FAL_LAB_NONE: out of memory, or too long. */
uint32_t fal_lab_frame_keep(struct fal_lab_frames *frames, uint32_t flow,
                            const struct fal_endpoint_out *out);
void fal_lab_frame_free(struct fal_lab_frames *frames, uint32_t number);

#endif
