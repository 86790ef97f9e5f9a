/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/formats/report.h"

#include <string.h>

const char tl_report_formats[] = "html, json, junit, markdown, sarif, tap or text";

tl_report_fn *tl_report_find(const char *format)
{
    static const struct {
        const char *name;
        tl_report_fn *write;
    } formats[] = {{"html", tl_report_html},   {"json", tl_report_json},
                   {"junit", tl_report_junit}, {"markdown", tl_report_markdown},
                   {"sarif", tl_report_sarif}, {"tap", tl_report_tap},
                   {"text", tl_report_text}};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].write;
    return NULL;
}

bool tl_report_shows_stamp(tl_report_fn *write)
{
    return tl_report_shows_changes(write) || write == tl_report_junit;
}

bool tl_report_shows_changes(tl_report_fn *write)
{
    return write == tl_report_html || write == tl_report_markdown;
}

int tl_junit_flavor_from(const char *name)
{
    static const char *const names[] = {"jenkins", "gitlab", "rich"};

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
