/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/report.h"

#include <string.h>

tl_report_fn *tl_report_find(const char *format)
{
    static const struct {
        const char *name;
        tl_report_fn *write;
    } formats[] = {{"json", tl_report_json}, {"junit", tl_report_junit}};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].write;
    return NULL;
}
