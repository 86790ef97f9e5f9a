/* SPDX-License-Identifier: Apache-2.0
 * messages.h - which packets of RDMA carry one message: the segments of a SEND or WRITE
 * (RDMA 6.7), and the request and the response of a READ or an atomic operation. For output
 * that people read. Nothing is judged here. */
#ifndef TL_HARNESS_CAPTURE_MESSAGES_H
#define TL_HARNESS_CAPTURE_MESSAGES_H

#include "codecs/header/ulp.h"

/* Messages that were seen, the newest ones. */
struct tl_messages;

/* A packet whose headers of RDMA were read. */
struct tl_message_packet {
    uint64_t flow;     /* one direction of one connection */
    uint64_t to, back; /* the same number for both: from this end to the other, and back */
    const struct fal_falcon *falcon;
    const struct fal_ulp *ulp;
    size_t payload_len; /* ULP headers and padding included */
    uint64_t at;        /* the packet's number, for people */
};

enum tl_message_kind { TL_MESSAGE_SEND, TL_MESSAGE_WRITE, TL_MESSAGE_READ, TL_MESSAGE_ATOMIC };

/* What a packet is in its message. */
struct tl_message_part {
    uint64_t message;  /* from 1, in the order in which they were seen first */
    uint64_t first_at; /* the packet of it that was seen first */
    enum tl_message_kind kind;
    uint64_t offset;  /* of the packet's data in the message, where its beginning was seen */
    uint64_t bytes;   /* of data in the packets seen so far; of a READ that it asks for */
    uint32_t len;     /* of the packet's data */
    unsigned packets; /* seen so far, this one included, copies not */
    bool has_offset;
    bool whole;    /* every packet of it was seen by now */
    bool copy;     /* a retransmission */
    bool response; /* of a READ or an atomic operation */
};

/* Keeps the newest `kept` messages, at least 1. The caller frees it. NULL: out of memory. */
struct tl_messages *tl_messages_new(size_t kept);
void tl_messages_free(struct tl_messages *messages); /* NULL is fine */

/* Takes a packet in the order in which packets were seen. False: it is the whole message by
 * itself (an Only, a datagram), or carries no headers of RDMA that could be read. */
bool tl_messages_take(struct tl_messages *messages, const struct tl_message_packet *packet,
                      struct tl_message_part *part);

/* The part in words: "message 3: write, bytes 256 to 511", and with the packet that makes it
 * whole "message 3: write, bytes 512 to 599, whole: 3 packets, 600 bytes". Where part->message
 * is 0, the message has the number of its first packet: "message of frame 7: ..."; `word` is
 * "frame". As snprintf. */
enum { TL_MESSAGE_TEXT = 160 };
int tl_message_text(const struct tl_message_part *part, const char *word, char *out,
                    size_t cap);

#endif
