/* SPDX-License-Identifier: Apache-2.0
 * words.h - the words that a failure or a report can show, and what they mean. */
#ifndef TL_HARNESS_CLI_WORDS_H
#define TL_HARNESS_CLI_WORDS_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdio.h>

/* All words, in the order of the glossary: an array of objects with `kind`, `word`, `text`, and
 * where they apply `aliases`, `headers`, `bits`, `section`, `needs`. Rules, requirements,
 * scenarios, faults and twins have lists of their own. The caller owns it; NULL when out of
 * memory. The profiles are missing if there is no suite beside the program. */
json_t *tl_list_words(void);

/* Writes docs/glossary.md. 0, or FAL_ERR_MEM, FAL_ERR_IO. */
MUST_USE int tl_print_glossary(FILE *out);

#endif
