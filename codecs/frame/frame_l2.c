/* SPDX-License-Identifier: Apache-2.0
 * frame_l2.c - link layers: Ethernet with up to two VLAN tags, Linux cooked v1 and v2. */
#include "codecs/frame/frame_walk.h"

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_QINQ = 0x88a8,    /* 802.1ad */
    ETHERTYPE_QINQ_OLD = 0x9100 /* before it */
};

static void walk_ethertype(struct fal_walk *walk, unsigned type)
{
    if (type == ETHERTYPE_IPV4)
        fal_walk_ipv4(walk, FAL_LAYER_IPV4);
    else if (type == ETHERTYPE_IPV6)
        fal_walk_ipv6(walk, FAL_LAYER_IPV6);
    else
        fal_walk_raw(walk);
}

static bool is_tag(unsigned type)
{
    return type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ || type == ETHERTYPE_QINQ_OLD;
}

/* Networks use at most two tags. A third one ends the decoding. */
static void walk_tags(struct fal_walk *walk, unsigned type)
{
    struct fal_frame *frame = walk->frame;

    if (is_tag(type)) {
        if (!fal_walk_header(walk, FAL_LAYER_VLAN, &frame->vlan))
            return;
        type = frame->vlan.ethertype;
        if (is_tag(type)) {
            if (!fal_walk_header(walk, FAL_LAYER_INNER_VLAN, &frame->inner_vlan))
                return;
            type = frame->inner_vlan.ethertype;
        }
    }
    walk_ethertype(walk, type);
}

void fal_walk_eth(struct fal_walk *walk)
{
    if (fal_walk_header(walk, FAL_LAYER_ETH, &walk->frame->eth))
        walk_tags(walk, walk->frame->eth.ethertype);
}

void fal_walk_sll(struct fal_walk *walk)
{
    if (fal_walk_header(walk, FAL_LAYER_SLL, &walk->frame->sll))
        walk_tags(walk, walk->frame->sll.protocol);
}

void fal_walk_sll2(struct fal_walk *walk)
{
    if (fal_walk_header(walk, FAL_LAYER_SLL2, &walk->frame->sll2))
        walk_tags(walk, walk->frame->sll2.protocol);
}
