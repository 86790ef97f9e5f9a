/* SPDX-License-Identifier: Apache-2.0
 * bag.h - a short list of things that a rule waits for. It takes memory only while it has
 * items, and its length is bounded. */
#ifndef FAL_ORACLES_RULES_FACTS_BAG_H
#define FAL_ORACLES_RULES_FACTS_BAG_H

#include <stdbool.h>
#include <stddef.h>

/* Empty when zeroed. A bag holds items of one size. */
struct fal_bag {
    void *items;
    unsigned num, cap;
};

/* Adds a zeroed item at the end. NULL when the bag has `max` items already, or memory ran out.
 */
void *fal_bag_add(struct fal_bag *bag, size_t item, unsigned max);
/* Removes item i; the others keep their order. The memory is freed with the last item. */
void fal_bag_remove(struct fal_bag *bag, size_t item, unsigned i);
void fal_bag_free(struct fal_bag *bag);
/* Makes `to` a bag with copies of the items. False: out of memory, it is empty. */
bool fal_bag_copy(struct fal_bag *to, const struct fal_bag *from, size_t item);
/* `release` of a rule whose state begins with its one bag. */
void fal_bag_release(void *state);

/* Item i of a bag of `type`. */
#define FAL_BAG(bag, type, i) (&((type *)(bag)->items)[i])

#endif
