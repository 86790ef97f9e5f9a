/* SPDX-License-Identifier: Apache-2.0
 * link_bridge.h - a link between two interfaces of this host, by packet sockets: what arrives
 * at one is to leave by the other. Port 0 is the first interface, 1 the second (struct
 * tl_link_got, ops->port). What this host sends itself is not seen, so nothing runs in circles.
 *
 * A frame of this link is a struct virtio_net_hdr, which says what of checksum and segmentation
 * a sender's interface has left undone, and the Ethernet frame with its VLAN tag: sent as it
 * came, it arrives as it would have. */
#ifndef TL_HARNESS_LINK_BRIDGE_H
#define TL_HARNESS_LINK_BRIDGE_H

#include "harness/link/link.h"

#include <net/if.h>

enum { TL_BRIDGE_HEAD = 10 }; /* bytes of a struct virtio_net_hdr */

struct tl_bridge_address {
    char iface[2][IF_NAMESIZE];
};

/* Reads what follows "bridge:": "IFACE,IFACE". 0, or FAL_ERR_FORM with `err`. */
int tl_bridge_address_read(const char *text, struct tl_bridge_address *out,
                           struct fal_error *err);

/* The caller frees it with ops->free; NULL with `err`. */
struct tl_link *tl_link_bridge_open(const char *address, struct fal_error *err);

#endif
