/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/facts/bag.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 4 };

void *fal_bag_add(struct fal_bag *bag, size_t item, unsigned max)
{
    if (bag->num >= max)
        return NULL;
    if (bag->num == bag->cap) {
        unsigned cap = bag->cap == 0 ? FIRST_CAP : 2 * bag->cap;
        void *items = realloc(bag->items, cap * item);

        if (items == NULL)
            return NULL;
        bag->items = items;
        bag->cap = cap;
    }
    return memset((char *)bag->items + bag->num++ * item, 0, item);
}

void fal_bag_remove(struct fal_bag *bag, size_t item, unsigned i)
{
    char *at = (char *)bag->items + i * item;

    bag->num--;
    memmove(at, at + item, (bag->num - i) * item);
    if (bag->num == 0)
        fal_bag_free(bag);
}

void fal_bag_free(struct fal_bag *bag)
{
    free(bag->items);
    *bag = (struct fal_bag){0};
}

bool fal_bag_copy(struct fal_bag *to, const struct fal_bag *from, size_t item)
{
    *to = (struct fal_bag){0};
    if (from->num == 0)
        return true;
    to->items = malloc(from->num * item);
    if (to->items == NULL)
        return false;
    memcpy(to->items, from->items, from->num * item);
    to->num = to->cap = from->num;
    return true;
}

void fal_bag_release(void *state)
{
    fal_bag_free(state);
}
