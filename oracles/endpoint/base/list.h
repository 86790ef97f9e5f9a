/* SPDX-License-Identifier: Apache-2.0
 * list.h - doubly linked lists whose links lie inside their items: an item leaves in O(1),
 * wherever it stands, and nothing is allocated. A head is a link whose neighbours are first and
 * last. */
#ifndef FAL_ORACLES_ENDPOINT_BASE_LIST_H
#define FAL_ORACLES_ENDPOINT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct fal_link {
    struct fal_link *prev, *next; /* itself when it is in no list, or an empty head */
};

/* The item that `link` is the member `member` of. */
#define FAL_ITEM(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

static inline void fal_link_init(struct fal_link *link)
{
    link->prev = link->next = link;
}

/* Of a head: no items. Of an item: in no list. */
static inline bool fal_link_alone(const struct fal_link *link)
{
    return link->next == link;
}

static inline void fal_link_remove(struct fal_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    fal_link_init(link);
}

/* Puts a link that is in no list behind `at`; behind the head is first, behind head->prev last.
 */
static inline void fal_link_insert(struct fal_link *at, struct fal_link *link)
{
    link->prev = at;
    link->next = at->next;
    at->next->prev = link;
    at->next = link;
}

static inline void fal_link_append(struct fal_link *head, struct fal_link *link)
{
    fal_link_insert(head->prev, link);
}

#endif
