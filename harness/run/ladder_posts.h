/* SPDX-License-Identifier: Apache-2.0
 * ladder_posts.h - ties each work request of RDMA verbs in a ladder to the packets that carry
 * it and to its completion: all of them get the number of the post. For output that people
 * read. Nothing is judged here. */
#ifndef TL_HARNESS_RUN_LADDER_POSTS_H
#define TL_HARNESS_RUN_LADDER_POSTS_H

#include "codecs/header/ulp.h"
#include "oracles/timeline.h"
#include "reports/results/results.h"

struct tl_posts;

/* A packet of RDMA that is an item of the flow. */
struct tl_posts_packet {
    size_t item;
    uint32_t conn;
    bool to_sut;
    const struct fal_falcon *falcon;
    const struct fal_ulp *ulp;
    uint64_t message; /* number of the message of which it is a part, or 0 */
    bool whole;       /* every packet of this message was seen by now */
    uint64_t bytes;   /* of data in those that were seen so far */
};

/* NULL: out of memory. The caller frees it. */
struct tl_posts *tl_posts_new(void);
void tl_posts_free(struct tl_posts *posts); /* NULL is fine */

/* Both take things in the order of the timeline, and set tl_flow_item.post of items of c->flow.
 * The newest 256 posts and packets are kept. */
void tl_posts_take_packet(struct tl_posts *posts, struct tl_case *c,
                          const struct tl_posts_packet *packet);
/* `item`: of this word, or SIZE_MAX if the flow does not show it. */
void tl_posts_take_word(struct tl_posts *posts, struct tl_case *c,
                        const struct fal_event *event, size_t item);

/* Adds the numbers to the texts of the items: " # post 3". False: out of memory. */
bool tl_posts_write(struct tl_case *c);

#endif
