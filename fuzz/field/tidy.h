/* SPDX-License-Identifier: Apache-2.0
 * tidy.h - a case as a person would write it. */
#ifndef FAL_FUZZ_FIELD_TIDY_H
#define FAL_FUZZ_FIELD_TIDY_H

#include <jansson.h>

/* A copy in which consecutive waits are one, and a wait before a packet stands in its line
 * ("+5us > push_data"); members that hold nothing and remarks are left out. New reference; NULL
 * when out of memory, or `doc` is NULL. */
json_t *fld_tidy(const json_t *doc);

#endif
