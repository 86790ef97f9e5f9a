/* SPDX-License-Identifier: Apache-2.0
 * scenario_testing.h - for tests: scenarios of which only a few members matter. */
#ifndef TL_HARNESS_SCENARIO_SCENARIO_TESTING_H
#define TL_HARNESS_SCENARIO_SCENARIO_TESTING_H

#include "harness/scenario/scenario.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scenario with these members, in which ' stands for ". The caller frees it. */
static inline struct tl_scenario *scenario_of(const char *members)
{
    char document[4096], *errors = NULL;
    struct tl_scenario *s;

    (void)snprintf(document, sizeof document,
                   "{'schema': 'talon/scenario/1', 'id': 'one', 'title': 'T', 'purpose': 'P', "
                   "'class': 'valid', 'covers': ['FTP-9.1.6-03'], 'version': 1, %s}",
                   members);
    for (char *at = document; *at != 0; at++)
        if (*at == '\'')
            *at = '"';
    s = tl_scenario_read("one.json", document, strlen(document), &errors);
    ck_assert_msg(s != NULL, "%s", errors != NULL ? errors : "out of memory");
    free(errors);
    return s;
}

#endif
