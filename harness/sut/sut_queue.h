/* SPDX-License-Identifier: Apache-2.0
 * sut_queue.h - outputs of the built-in SUT that were not taken yet: frames and control lines,
 * oldest first. Bounded: a slow reader loses events and frames, never replies. */
#ifndef TL_HARNESS_SUT_SUT_QUEUE_H
#define TL_HARNESS_SUT_SUT_QUEUE_H

#include "codecs/base/error.h"
#include "harness/sut/sut.h"

enum {
    TL_SUT_EVENT_BYTES = 1 << 20,
    TL_SUT_FRAME_BYTES = 8 << 20
}; /* limits of waiting outputs */

struct tl_sut_item {
    struct tl_sut_item *next;
    uint64_t order;
    uint32_t conn;
    uint16_t path;
    json_t *object; /* of a line that is kept as one; or NULL */
    bool is_said;   /* the bytes are a struct tl_protocol_said */
    size_t len;
    _Alignas(8) uint8_t bytes[]; /* and a NUL */
};

struct tl_sut_list {
    struct tl_sut_item *head, *tail;
    size_t bytes;
};

struct tl_sut_queue {
    struct tl_sut_list list[2]; /* indexed by enum tl_sut_out_kind */
    struct tl_sut_item *taken;  /* the output that was returned last */
    struct tl_sut_item *spare;  /* short ones, to be used again */
    uint64_t order;
    bool hold_lines;
};

void tl_sut_queue_free(struct tl_sut_queue *queue);

/* Returns 0, or FAL_ERR_MEM. The caller observes the limits with tl_sut_queue_full. */
MUST_USE int tl_sut_queue_add(struct tl_sut_queue *queue, enum tl_sut_out_kind kind,
                              uint32_t conn, const void *bytes, size_t len);
/* Adds a frame with its source port. Same returns. */
MUST_USE int tl_sut_queue_frame(struct tl_sut_queue *queue, uint32_t conn, uint16_t path,
                                const void *bytes, size_t len);
/* Adds a line as an object (taken in any case). Same returns. */
MUST_USE int tl_sut_queue_object(struct tl_sut_queue *queue, json_t *object);
/* Adds a line as a struct. Same returns. */
MUST_USE int tl_sut_queue_said(struct tl_sut_queue *queue, const struct tl_protocol_said *said);
bool tl_sut_queue_full(const struct tl_sut_queue *queue, enum tl_sut_out_kind kind);
/* Gets the oldest output, or returns false. While lines are held, frames only. */
bool tl_sut_queue_take(struct tl_sut_queue *queue, struct tl_sut_out *out);
/* Removes the frames of a connection. */
void tl_sut_queue_drop(struct tl_sut_queue *queue, uint32_t conn);

#endif
