/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/verdict.h"

#include <stddef.h>
#include <string.h>

const char *const fal_verdict_names[FAL_VERDICTS] = {"none",         "pass", "warn",
                                                     "inconclusive", "fail", "error"};

const char *fal_verdict_name(enum fal_verdict verdict)
{
    return fal_verdict_names[verdict];
}

int fal_verdict_from(const char *name)
{
    for (size_t i = 0; i < FAL_VERDICTS; i++)
        if (strcmp(fal_verdict_names[i], name) == 0)
            return (int)i;
    return -1;
}
