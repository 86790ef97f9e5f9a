/* SPDX-License-Identifier: Apache-2.0
 * raw_wire.h - frames at an interface, past this host's IP stack: libnet out, libpcap in. Both
 * ends use it: the tester's link (link_raw.c) and `talon sut` (cmd_sut_raw.c).
 *
 * What goes in and out is what the encapsulation carries: the payload of UDP, or an ESP packet
 * that stands in IP itself (protocol 50, RFC 4303). The wire's own address is answered for by
 * ARP and neighbour discovery. */
#ifndef TL_HARNESS_RAW_WIRE_H
#define TL_HARNESS_RAW_WIRE_H

#include "codecs/frame.h"
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
    /* Sockets that keep the kernel from answering, where the address is this host's own: that
     * the port is closed, and that nobody takes ESP. */
    int port_holder, esp_holder;
    bool strict; /* what is damaged below Falcon is nobody's, as an IP layer has it */
    struct fal_frame frame;
    uint8_t spoilt[65536 + 64]; /* the frame that is sent so */
};

/* Around what is sent. */
struct tl_raw_head {
    const struct tl_address *to;
    const uint8_t *mac; /* of `to`, or of the router to it */
    uint8_t tos, ttl;
    uint32_t flow_label; /* IPv6 */
    bool esp;            /* ESP in IP itself, not in UDP */
    enum tl_flaw flaw;   /* of a frame in UDP */
};

struct tl_raw_got {
    const uint8_t *bytes; /* valid until the next call */
    size_t len;
    struct timespec stamp;
    struct tl_address from; /* port 0: no UDP */
    uint8_t mac[6];         /* of who put it on this wire */
    uint8_t ecn, dscp, ttl;
};

/* Before tl_raw_wire_open, and for a wire that is zeroed. */
void tl_raw_wire_init(struct tl_raw_wire *wire);

/* Opens at->iface. `own` is the address to send from: family 0: the interface's own of the
 * family of `peer`; port 0: any. It hears `peer` alone, NULL: everybody. 0, or FAL_ERR_IO with
 * `err`; tl_raw_wire_close either way. */
int tl_raw_wire_open(struct tl_raw_wire *wire, const struct tl_raw_address *at,
                     const struct tl_address *own, const struct tl_address *peer,
                     struct fal_error *err);
void tl_raw_wire_close(struct tl_raw_wire *wire);

/* Sends one frame. 0, or an errno. */
int tl_raw_wire_send(struct tl_raw_wire *wire, const struct tl_raw_head *head,
                     const uint8_t *bytes, size_t len);

/* The next frame for the wire's own address and port; questions of neighbours are answered on
 * the way. `overheard`, which may be NULL, is shown each message between neighbours. 1, 0:
 * there is none, or a negated errno. */
int tl_raw_wire_look(struct tl_raw_wire *wire, struct tl_raw_got *got,
                     void (*overheard)(void *context, const uint8_t *bytes, size_t len),
                     void *context);

/* Frames dropped since it was opened, mod 2^32. */
uint32_t tl_raw_wire_drops(struct tl_raw_wire *wire);

#endif
