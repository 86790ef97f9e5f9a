/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/verdict.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {"none", "pass", "warn", "inconclusive", "fail", "error"};

const char *fal_verdict_name(enum fal_verdict verdict)
{
    return names[verdict];
}

int fal_verdict_from(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}
