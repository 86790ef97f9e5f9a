/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/base/shard_list.h"

#include <stdio.h>
#include <string.h>

void tl_shard_list_add(struct tl_shard_list *list, unsigned number)
{
    enum { ROOM_FOR_DOTS = 30 };
    char *at;

    if (list->full)
        return;
    if (list->first == 0 || number != list->last + 1) {
        list->at = strlen(list->text);
        list->full = list->at + ROOM_FOR_DOTS > sizeof list->text;
        list->first = number;
    }
    list->last = number;
    at = list->text + list->at;
    if (list->full)
        (void)snprintf(at, sizeof list->text - list->at, ", ...");
    else if (list->first == number)
        (void)snprintf(at, sizeof list->text - list->at, "%s%u", list->at > 0 ? ", " : "",
                       number);
    else
        (void)snprintf(at, sizeof list->text - list->at, "%s%u-%u", list->at > 0 ? ", " : "",
                       list->first, number);
}
