/* SPDX-License-Identifier: Apache-2.0
 * shard_list.h - numbers of shards as people write them. */
#ifndef TL_REPORTS_BASE_SHARD_LIST_H
#define TL_REPORTS_BASE_SHARD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Adds a shard number to a list as people write them: "2, 5-7". It begins with zeros; numbers
 * come in order. A list that has no room ends in "...". */
struct tl_shard_list {
    unsigned first, last; /* the range at the end of the text; 0: none */
    size_t at;            /* where it stands in the text */
    bool full;
    char text[120];
};
void tl_shard_list_add(struct tl_shard_list *list, unsigned number);

#endif
