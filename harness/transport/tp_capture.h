/* SPDX-License-Identifier: Apache-2.0
 * tp_capture.h - a capture of TCP or RoCEv2 (pcap, pcapng) as events of a transport. */
#ifndef TL_HARNESS_TRANSPORT_TP_CAPTURE_H
#define TL_HARNESS_TRANSPORT_TP_CAPTURE_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "oracles/beyond/transport.h"
#include "oracles/rules/roce/setup.h"

/* Who looks on, and who gets the events. */
struct tl_tp_capture {
    enum fal_tp_vantage vantage; /* not BOTH */
    const char *sut;             /* the address of SENDER or RECEIVER; NULL with MIDDLE */
    const fal_u128 *sut_host;    /* the same, if it is read already; or NULL */
    int (*event)(void *ctx, const struct fal_tp_event *event);
    void *ctx;
    bool roce; /* the capture is of RoCEv2, and: */
    bool from_start;
    const struct fal_rj_pair *pairs; /* borrowed */
    size_t num_pairs;
};

/* Reads the whole capture, then hands over its events. Times begin with that of the first frame
 * of the transport. *left_out is the number of flows of RoCEv2 that cannot be mapped
 * (tp_roce.h). Returns 0, an error of `event`, or FAL_ERR_FORM, FAL_ERR_RANGE, FAL_ERR_MEM with
 * `err`. */
MUST_USE int tl_tp_capture_read(const char *path, const struct tl_tp_capture *how,
                                size_t *left_out, struct fal_error *err);

#endif
