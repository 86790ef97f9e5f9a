/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/issue.h"

#include <string.h>

static const char *const severity_names[] = {
    [FAL_NOTE] = "note",
    [FAL_WARNING] = "warning",
    [FAL_ERROR] = "error",
};

void fal_issue_add(struct fal_issues *issues, struct fal_issue issue)
{
    if (issues->count == FAL_ISSUES_MAX) {
        issues->dropped++;
        return;
    }
    issues->list[issues->count++] = issue;
}

const char *fal_severity_name(enum fal_severity severity)
{
    return severity_names[severity];
}

int fal_severity_from(const char *name)
{
    for (size_t i = 0; i < sizeof severity_names / sizeof *severity_names; i++)
        if (strcmp(severity_names[i], name) == 0)
            return (int)i;
    return -1;
}
