/* SPDX-License-Identifier: Apache-2.0
 * tp_capture.h - a capture of TCP (pcap, pcapng) as events of a transport. */
#ifndef TL_HARNESS_TRANSPORT_TP_CAPTURE_H
#define TL_HARNESS_TRANSPORT_TP_CAPTURE_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "oracles/beyond/transport.h"

/* Who looks on, and who gets the events. */
struct tl_tp_capture {
    enum fal_tp_vantage vantage; /* not BOTH */
    const char *sut;             /* the address of SENDER or RECEIVER; NULL with MIDDLE */
    int (*event)(void *ctx, const struct fal_tp_event *event);
    void *ctx;
};

/* Reads the whole capture, then hands over its events. Times begin with that of the first frame
 * of TCP. Returns 0, an error of `event`, or FAL_ERR_FORM, FAL_ERR_RANGE, FAL_ERR_MEM with
 * `err`. */
MUST_USE int tl_tp_capture_read(const char *path, const struct tl_tp_capture *how,
                                struct fal_error *err);

#endif
