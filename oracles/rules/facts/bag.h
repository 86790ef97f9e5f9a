/* SPDX-License-Identifier: Apache-2.0
 * bag.h - a few things that a rule waits for: a list that takes memory only while it holds
 * something, and never more than its maximum. */
#ifndef FAL_ORACLES_RULES_FACTS_BAG_H
#define FAL_ORACLES_RULES_FACTS_BAG_H

#include <stdbool.h>
#include <stddef.h>

/* Empty when zeroed. A bag holds items of one size. */
struct fal_bag {
    void *items;
    unsigned num, cap;
};

/* A new item at the end, zeroed; NULL when `max` are in it, or memory ran out. */
void *fal_bag_add(struct fal_bag *bag, size_t item, unsigned max);
/* Takes item i out; the others keep their order. The last one gone, so is the memory. */
void fal_bag_remove(struct fal_bag *bag, size_t item, unsigned i);
void fal_bag_free(struct fal_bag *bag);
/* `release` of a rule whose state begins with its one bag. */
void fal_bag_release(void *state);

/* Item i of a bag of `type`. */
#define FAL_BAG(bag, type, i) (&((type *)(bag)->items)[i])

#endif
