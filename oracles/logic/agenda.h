/* SPDX-License-Identifier: Apache-2.0
 * agenda.h - what is to happen at which time: a heap; entries of one time leave in the order in
 * which they came. */
#ifndef FAL_ORACLES_LOGIC_AGENDA_H
#define FAL_ORACLES_LOGIC_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_logic_entry {
    uint64_t at_ns, order;
    uint32_t kind, flow, item; /* the caller's */
};

struct fal_logic_agenda {
    struct fal_logic_entry *entries;
    size_t num, room;
    uint64_t order;
};

/* Returns 0 or FAL_ERR_MEM. */
int fal_logic_agenda_add(struct fal_logic_agenda *agenda, const struct fal_logic_entry *entry);
/* The earliest entry leaves; false: there is none. */
bool fal_logic_agenda_take(struct fal_logic_agenda *agenda, struct fal_logic_entry *entry);
void fal_logic_agenda_free(struct fal_logic_agenda *agenda);

#endif
