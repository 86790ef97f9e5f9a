/* SPDX-License-Identifier: Apache-2.0
 * tp_tcp.h - the TCP connections of a capture as events of a transport. Bytes are mapped to
 * segments: each boundary of a TCP segment that carries data is one of the events' segments, so
 * that a retransmission with other boundaries is several or a part. SYN and FIN are no
 * segments. Keep-alives, and probes of a window of zero, are left out. */
#ifndef TL_HARNESS_TRANSPORT_TP_TCP_H
#define TL_HARNESS_TRANSPORT_TP_TCP_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "oracles/beyond/transport.h"

struct tl_tp_tcp;

/* Frames of TCP that one capture may have: all are kept until the end. */
enum { TL_TP_TCP_FRAMES = 8000000 };

/* Events are made as seen at `vantage`: SENDER only of flows that begin at `sut`, RECEIVER only
 * of those that end there (an IPv4 address in the low 32 bits), MIDDLE of all. NULL: out of
 * memory. */
struct tl_tp_tcp *tl_tp_tcp_new(enum fal_tp_vantage vantage, fal_u128 sut);
void tl_tp_tcp_free(struct tl_tp_tcp *tcp); /* NULL is allowed */
/* Takes a decoded frame; frames without TCP, and those whose receiver drops
 * them because a checksum is wrong, are ignored. Returns 0, FAL_ERR_MEM, or
 * FAL_ERR_RANGE: too many frames. */
MUST_USE int tl_tp_tcp_frame(struct tl_tp_tcp *tcp, const struct fal_frame *frame);
/* Nothing follows: hands over all events in their order. Stops at an error of `event` and
 * returns it; 0, or FAL_ERR_MEM. */
MUST_USE int tl_tp_tcp_events(struct tl_tp_tcp *tcp,
                              int (*event)(void *ctx, const struct fal_tp_event *event),
                              void *ctx);

#endif
