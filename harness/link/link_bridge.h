/* SPDX-License-Identifier: Apache-2.0
 * link_bridge.h - a link between two interfaces of this host, by packet sockets: frames that
 * arrive at one are to leave by the other. Port 0 is the first interface, 1 the second (struct
 * tl_link_got, ops->port). Frames that this host sends itself are not received, so that nothing
 * circulates.
 * A frame of this link is a struct virtio_net_hdr, which tells what checksum and segmentation
 * work the sender left to its interface, followed by the Ethernet frame with its VLAN tag. Sent
 * unchanged, it arrives as the original would have. */
#ifndef TL_HARNESS_LINK_LINK_BRIDGE_H
#define TL_HARNESS_LINK_LINK_BRIDGE_H

#include "codecs/base/error.h"
#include "harness/link/link.h"

#include <net/if.h>

enum { TL_BRIDGE_HEAD = 10 }; /* size of a struct virtio_net_hdr */

struct tl_bridge_address {
    char iface[2][IF_NAMESIZE];
};

/* Parses the text after "bridge:": "IFACE,IFACE". Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_bridge_address_read(const char *text, struct tl_bridge_address *out,
                                    struct fal_error *err);

/* Returns a link that the caller frees with ops->free, or NULL with `err`. */
struct tl_link *tl_link_bridge_open(const char *address, struct fal_error *err);

#endif
