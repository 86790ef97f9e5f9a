/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_text.h"

#include <inttypes.h>
#include <string.h>

void tl_lab_number_text(char out[32], int64_t milli, bool whole)
{
    if (whole)
        (void)snprintf(out, 32, "%" PRId64, milli / 1000);
    else
        (void)snprintf(out, 32, "%" PRId64 ".%03" PRId64, milli / 1000, milli % 1000);
}

void tl_lab_band_text(char out[80], const struct fal_lab_value *value)
{
    char least[32], most[32];

    out[0] = 0;
    if (!value->banded)
        return;
    tl_lab_number_text(least, value->least, value->whole);
    tl_lab_number_text(most, value->most, value->whole);
    if (value->most == INT64_MAX)
        (void)snprintf(out, 80, "at least %s", least);
    else if (value->least == 0 && value->most > 0)
        (void)snprintf(out, 80, "at most %s", most);
    else if (value->least == value->most)
        (void)snprintf(out, 80, "%s", most);
    else
        (void)snprintf(out, 80, "%s to %s", least, most);
}

void tl_lab_put_case(FILE *out, const struct fal_lab_experiment *e,
                     const struct fal_lab_ask *ask)
{
    bool whole = ask->time_ps % FAL_LAB_MS == 0;

    fprintf(out, "%" PRIu32 " flow%s, %" PRIu64 " %s, seed %" PRIu64, ask->flows,
            ask->flows == 1 ? "" : "s", ask->time_ps / (whole ? FAL_LAB_MS : FAL_LAB_US),
            whole ? "ms" : "us", ask->seed);
    if (ask->pacer != NULL)
        fputs(", own algorithm", out);
    if (ask->foreign != NULL)
        fputs(", foreign senders", out);
    else if (ask->endpoints)
        fputs(", endpoints", out);
    for (unsigned i = 0; i < FAL_LAB_SETTINGS_MAX; i++) {
        const struct fal_lab_setting s = fal_lab_setting_at(e, i);

        if (s.name != NULL)
            fprintf(out, ", %s=%" PRIu32, s.name, ask->settings[i]);
    }
}

unsigned tl_lab_print(const struct fal_lab_experiment *e, const struct fal_lab_ask *ask,
                      const struct fal_lab_outcome *out, bool quiet, bool trace)
{
    unsigned warnings = 0;

    if (!quiet) {
        putchar('\n');
        tl_lab_put_case(stdout, e, ask);
        putchar('\n');
    }
    for (unsigned i = 0; i < out->n_values; i++) {
        const struct fal_lab_value *value = &out->values[i];
        bool outside = fal_lab_outside(value);
        char number[32], band[80];

        warnings += outside;
        if (quiet && !outside)
            continue;
        tl_lab_number_text(number, value->milli, value->whole);
        tl_lab_band_text(band, value);
        if (quiet)
            printf("%" PRIu32 " flow%s:", ask->flows, ask->flows == 1 ? "" : "s");
        printf("  %-34s %10s%s%s", value->name, number, value->unit[0] != 0 ? " " : "",
               value->unit);
        if (value->banded)
            printf("%*s  band: %s%s", 6 - (int)strlen(value->unit) + (value->unit[0] == 0), "",
                   band, outside ? "  warn" : "");
        putchar('\n');
    }
    if (trace)
        printf("  trace %016" PRIx64 "\n  events %" PRIu64 "\n", out->trace, out->events);
    return warnings;
}
