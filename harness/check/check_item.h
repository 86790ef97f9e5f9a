/* SPDX-License-Identifier: Apache-2.0
 * check_item.h - a frame of a capture on its way to the judges: check_input.c reads it, and the
 * thread that judges its connection takes it. */
#ifndef TL_HARNESS_CHECK_CHECK_ITEM_H
#define TL_HARNESS_CHECK_CHECK_ITEM_H

#include "harness/capture/capture.h"
#include "harness/check/check_packet.h"

struct tl_ulp;

/* What the capture says of the time before a frame; it concerns all connections. */
enum {
    TL_CHECK_MISSED_EARLIER = 1, /* statistics: frames went missing at an unknown place */
    TL_CHECK_MISSED = 2,         /* frames went missing here */
    TL_CHECK_STEPPED = 4,        /* the capture's clock was set back */
};

struct tl_check_item {
    struct tl_captured got;          /* its bytes are the reader's */
    uint64_t number;                 /* over all files */
    uint64_t index, before_ns, t_ns; /* of its first event; the judges' clock before, and now */
    unsigned marks;                  /* TL_CHECK_MISSED... */
    unsigned shard;
    uint32_t interface;
    bool hash;   /* doubles are looked for */
    bool opened; /* `packet` is filled in, and `got` has no bytes */
    size_t at;   /* where its bytes begin among those that were kept for a thread */
    struct tl_check_packet packet; /* last: an item that is not open is copied without it */
};
void tl_check_item_copy(struct tl_check_item *to, const struct tl_check_item *from);

/* Room to decode a frame in. */
struct tl_check_desk {
    struct fal_frame *frame;
    uint8_t *scratch;
};
MUST_USE int tl_check_desk_init(struct tl_check_desk *desk); /* 0, or FAL_ERR_MEM */
void tl_check_desk_free(struct tl_check_desk *desk);

/* Decodes the frame of an item, which then has a packet, and a shard if `hash` is set. The
 * packet's bytes are those of the item or of the desk. */
void tl_check_open(const struct tl_check_options *options, const struct tl_check_desk *desk,
                   struct tl_check_item *item);

/* Tells the judges what the capture says of the time before an item. */
void tl_check_marks(struct tl_check *check, const struct tl_check_item *item, unsigned marks);
/* Judges the packet of an item that is open. `ulp`: events of the upper layer, or NULL. */
void tl_check_packet(struct tl_check *check, const struct tl_ulp *ulp,
                     const struct tl_check_item *item);

/* Packets may have gone unseen before this, on all connections. */
void tl_check_gap(struct tl_check *check);

#endif
