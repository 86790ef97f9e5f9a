/* SPDX-License-Identifier: Apache-2.0
 * catalogue_table.h - between catalogue.c and the generated table. */
#ifndef FAL_ORACLES_CATALOGUE_TABLE_H
#define FAL_ORACLES_CATALOGUE_TABLE_H

#include "oracles/catalogue.h"

extern const struct fal_requirement fal_catalogue_table[];
extern const size_t fal_catalogue_count;
extern const unsigned short fal_catalogue_order[]; /* places in the table, by id */
extern const struct fal_kill fal_kill_table[];
extern const size_t fal_kill_count;
extern const struct fal_suite_kill fal_suite_kill_table[];
extern const size_t fal_suite_kill_count;

struct fal_reason {
    const char *id, *text;
};
extern const struct fal_reason fal_reason_table[];
extern const size_t fal_reason_count;

#endif
