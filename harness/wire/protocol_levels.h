/* SPDX-License-Identifier: Apache-2.0
 * protocol_levels.h - which commands and events of the SUT control protocol each level has
 * (docs/sut-protocol.md, Levels). */
#ifndef TL_HARNESS_WIRE_PROTOCOL_LEVELS_H
#define TL_HARNESS_WIRE_PROTOCOL_LEVELS_H

#include "harness/wire/protocol.h"

/* L0 to L3. */
enum { TL_LEVEL_MAX = 3 };

/* Returns the lowest level that has the command. */
unsigned tl_protocol_level(enum tl_do verb);
/* Whether an adapter of that level need not have it: its level says nothing about it. */
bool tl_protocol_optional(enum tl_do verb);

/* Returns the lowest level whose adapter reports events of the kind; `ulp` counts where `kind`
 * is FAL_EV_ULP. */
unsigned tl_protocol_event_level(enum fal_event_kind kind, enum fal_ulp_kind ulp);

/* Reads "L2". False: not a level. */
bool tl_protocol_level_read(const char *text, unsigned *level);
/* Returns the highest level of the list of a `hello`: TL_LEVEL_MAX where there is no list,
 * because then only the replies tell. */
unsigned tl_protocol_levels(const json_t *list);

/* Of a word of an upper layer: 2 (`L2v`) or, for memory, 3 (`L3v`); 0: it is none. */
unsigned tl_protocol_word_level(enum tl_do verb);
/* Returns the highest level of an upper layer in the list of a `hello`: 2, 3, or 0 for none. */
unsigned tl_protocol_word_levels(enum tl_upper_layer upper, const json_t *list);

/* Finds the command of that name. False: there is none. */
bool tl_protocol_verb_find(const char *name, enum tl_do *verb);

#endif
