/* SPDX-License-Identifier: Apache-2.0
 * logic_json.h - the lines of JSON between Talon and a program that is a transport logic, and
 * the lines of events (docs/transport-logic.md). */
#ifndef TL_HARNESS_LOGIC_LOGIC_JSON_H
#define TL_HARNESS_LOGIC_LOGIC_JSON_H

#include "harness/logic/logic_child.h"
#include "oracles/beyond/transport.h"

#include <jansson.h>

/* The question as an object; NULL when memory is out. The caller owns it. */
json_t *tl_logic_message(const struct tl_logic_record *record);
/* Puts the answer into the record: members that it lacks stay. Returns 0, or FAL_ERR_FORM with
 * `err`: the member that is wrong. */
MUST_USE int tl_logic_answer(const json_t *answer, struct tl_logic_record *record,
                             struct fal_error *err);

/* One event, and what is declared of a transport; NULL when memory is out. Members that are 0
 * or false are left out. The caller owns them. */
json_t *tl_logic_event_json(const struct fal_tp_event *event);
json_t *tl_logic_row_json(const struct fal_tp_row *row);

#endif
