/* SPDX-License-Identifier: Apache-2.0
 * sut_queue.h - what the built-in SUT has to say and nobody has taken yet: frames and control
 * lines, each in its order, and oldest first over both. Bounded: who reads too slowly loses
 * events and frames, never replies. */
#ifndef TL_HARNESS_SUT_QUEUE_H
#define TL_HARNESS_SUT_QUEUE_H

#include "harness/sut/sut.h"

enum { TL_SUT_EVENT_BYTES = 1 << 20, TL_SUT_FRAME_BYTES = 8 << 20 }; /* that may wait */

struct tl_sut_item {
    struct tl_sut_item *next;
    uint64_t order;
    uint32_t conn;
    size_t len;
    uint8_t bytes[]; /* and a NUL */
};

struct tl_sut_list {
    struct tl_sut_item *head, *tail;
    size_t bytes;
};

struct tl_sut_queue {
    struct tl_sut_list list[2]; /* by enum tl_sut_out_kind */
    struct tl_sut_item *taken;  /* given out last */
    uint64_t order;
    bool hold_lines;
};

void tl_sut_queue_free(struct tl_sut_queue *queue);

/* 0, or FAL_ERR_MEM. The limits are the caller's to keep, by tl_sut_queue_full. */
int tl_sut_queue_add(struct tl_sut_queue *queue, enum tl_sut_out_kind kind, uint32_t conn,
                     const void *bytes, size_t len);
bool tl_sut_queue_full(const struct tl_sut_queue *queue, enum tl_sut_out_kind kind);
/* The oldest, or false. While lines are held, frames only. */
bool tl_sut_queue_take(struct tl_sut_queue *queue, struct tl_sut_out *out);
/* Forgets the frames of a connection. */
void tl_sut_queue_drop(struct tl_sut_queue *queue, uint32_t conn);

#endif
