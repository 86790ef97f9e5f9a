/* SPDX-License-Identifier: Apache-2.0
 * dcqcn_net.h - the other two points of DCQCN: the congestion point (a switch) that marks by
 * the length of its queue, and the notification point (the receiver) that paces its CNPs. */
#ifndef FAL_ORACLES_CC_DCQCN_NET_H
#define FAL_ORACLES_CC_DCQCN_NET_H

#include "oracles/beyond/dcqcn.h"
#include "oracles/simnet.h"

enum { FAL_DCQCN_PPM = 1000000 };

/* The probability of a mark, in parts per million, for a packet that met `queue_bytes` in its
 * queue: 0 below Kmin, linear up to Pmax at Kmax, 1 from there on. Kmax 0: nothing is marked.
 */
uint32_t fal_dcqcn_mark_ppm(const struct fal_dcqcn *params, uint64_t queue_bytes);
/* The ECN bits (enum fal_ecn) as the packet leaves. `draw` is uniform in [0, FAL_DCQCN_PPM).
 * Only ECT is marked, and CE is never cleared. */
unsigned fal_dcqcn_mark(const struct fal_dcqcn *params, uint64_t queue_bytes, unsigned ecn,
                        uint32_t draw);

/* Of one flow, or of one address or port where the device paces its CNPs by these. All zero: no
 * CE packet came yet. */
struct fal_dcqcn_np {
    uint64_t free_ns; /* no CNP before it */
    bool remembered;  /* a CE packet came since the last CNP */
};

/* A CE packet came. Returns true if its CNP leaves now; otherwise it is remembered. Call
 * fal_dcqcn_np_due first. */
bool fal_dcqcn_np_marked(struct fal_dcqcn_np *np, const struct fal_dcqcn *params,
                         uint64_t now_ns);
/* Returns true if a remembered CNP is due at `now_ns`, which then has left. */
bool fal_dcqcn_np_due(struct fal_dcqcn_np *np, const struct fal_dcqcn *params, uint64_t now_ns);
/* When a CNP becomes due; UINT64_MAX: none waits. */
uint64_t fal_dcqcn_np_next_ns(const struct fal_dcqcn_np *np);

#endif
