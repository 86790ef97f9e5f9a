/* SPDX-License-Identifier: Apache-2.0
 * child_line.h - a child that is asked by a line of JSON and answers with one. */
#ifndef TL_HARNESS_LINK_CHILD_LINE_H
#define TL_HARNESS_LINK_CHILD_LINE_H

#include "harness/link/child.h"

#include <jansson.h>

/* Sends the message, which it takes, as a line, and waits for a line that is a JSON object, no
 * longer than child->in_cap. *answer gets it in the place of the object before, which is freed;
 * the caller frees the last one. Returns 0; FAL_ERR_MEM, also if `message` is NULL; FAL_ERR_IO
 * if the child has stopped, as child->why says. */
MUST_USE int tl_child_ask_line(struct tl_child *child, json_t *message, json_t **answer);

#endif
