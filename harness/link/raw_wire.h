/* SPDX-License-Identifier: Apache-2.0
 * raw_wire.h - frames at an interface, bypassing this host's IP stack: sent by libnet, received
 * by libpcap. Both ends use it: the tester's link (link_raw.c) and `talon sut` (sut_raw.c).
 * Callers see what the encapsulation carries: the payload of UDP, or an ESP packet carried
 * directly in IP (protocol 50, RFC 4303). The wire answers ARP and neighbour discovery for its
 * own address. */
#ifndef TL_HARNESS_LINK_RAW_WIRE_H
#define TL_HARNESS_LINK_RAW_WIRE_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "harness/link/link_raw.h"
#include "harness/wire/carrier.h"

#include <libnet.h>
#include <pcap/pcap.h>
#include <time.h>

enum { TL_RAW_TTL = 64, TL_RAW_ECN = 2 /* ECT(0) */ };

struct tl_raw_wire {
    libnet_t *net;
    pcap_t *pcap;
    uint8_t mac[6]; /* its own */
    struct tl_address own;
    /* Sockets that keep the kernel from answering (port unreachable, protocol unreachable) when
     * the address is this host's own. */
    int port_holder, esp_holder;
    bool strict; /* frames damaged below Falcon are ignored, as an IP stack does */
    struct fal_frame frame;
    uint8_t built[65536 + 64]; /* the frame that is built for sending */
};

/* Headers of frames that are sent. */
struct tl_raw_head {
    const struct tl_address *to;
    const uint8_t *mac; /* MAC of `to`, or of the router to it */
    uint8_t tos, ttl;
    uint32_t flow_label; /* IPv6 */
    uint16_t port;       /* UDP source port; 0: that of the wire */
    bool esp;            /* ESP directly in IP, without UDP */
    enum tl_flaw flaw;   /* of a frame in UDP */
};

struct tl_raw_got {
    const uint8_t *bytes; /* valid until the next call */
    size_t len;
    struct timespec stamp;
    struct tl_address from; /* port 0: no UDP */
    uint8_t mac[6];         /* MAC of the peer, as seen on this wire */
    uint8_t ecn, dscp, ttl;
};

/* Initialises a wire; call it before tl_raw_wire_open. */
void tl_raw_wire_init(struct tl_raw_wire *wire);

/* Opens at->iface. `own` is the address to send from; family 0: the interface's own, of the IP
 * version of `peer`; port 0: any. Receives from `peer` only; NULL: from any address. Returns 0,
 * or FAL_ERR_IO with `err`. Call tl_raw_wire_close in both cases. */
MUST_USE int tl_raw_wire_open(struct tl_raw_wire *wire, const struct tl_raw_address *at,
                              const struct tl_address *own, const struct tl_address *peer,
                              struct fal_error *err);
void tl_raw_wire_close(struct tl_raw_wire *wire);

/* Sends one frame. Returns 0, or an errno. */
MUST_USE int tl_raw_wire_send(struct tl_raw_wire *wire, const struct tl_raw_head *head,
                              const uint8_t *bytes, size_t len);

/* Returns the next frame for the wire's own address and port, and answers ARP and neighbour
 * discovery on the way. `overheard`, which may be NULL, is called with each such message.
 * Returns 1; 0 when there is no frame; or a negated errno. */
MUST_USE int tl_raw_wire_look(struct tl_raw_wire *wire, struct tl_raw_got *got,
                              void (*overheard)(void *context, const uint8_t *bytes,
                                                size_t len),
                              void *context);

/* The number of frames dropped since the wire was opened, mod 2^32. */
uint32_t tl_raw_wire_drops(struct tl_raw_wire *wire);

#endif
