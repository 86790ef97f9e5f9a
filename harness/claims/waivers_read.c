/* SPDX-License-Identifier: Apache-2.0
 * waivers_read.c - the waiver file. */
#include "harness/claims/waivers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

uint32_t tl_date_read(const char *text)
{
    static const uint32_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t year = 0, month = 0, day = 0;

    for (int i = 0; i < 10; i++)
        if ((i == 4 || i == 7) ? text[i] != '-' : !isdigit((unsigned char)text[i]))
            return 0;
    if (text[10] != 0)
        return 0;
    for (int i = 0; i < 4; i++)
        year = year * 10 + (uint32_t)(text[i] - '0');
    month = (uint32_t)(text[5] - '0') * 10 + (uint32_t)(text[6] - '0');
    day = (uint32_t)(text[8] - '0') * 10 + (uint32_t)(text[9] - '0');
    if (year < 1970 || month < 1 || month > 12 || day < 1)
        return 0;
    if (day >
        days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)))
        return 0;
    return year * 10000 + month * 100 + day;
}

/* The fingerprints: one text, or an array of them. A waiver without one would waive whatever
 * goes wrong, so there must be one. */
static int take_prints(const struct tl_doc *doc, const struct tl_path *at, struct tl_waiver *w)
{
    struct tl_path here = {.up = at, .key = "fingerprint"};
    const json_t *value = w->fingerprint;
    bool one = !json_is_array(value);
    size_t n = one ? 1 : json_array_size(value);

    if (w->kind == TL_WAIVER_FLAKY)
        return value == NULL ? 0 : tl_doc_fail(doc, &here, "a flaky case has none");
    if (value == NULL)
        return tl_doc_fail(
            doc, &here,
            "missing; expected the fingerprint of the failure (talon run prints it)");
    for (size_t i = 0; i < n; i++)
        w->prints[w->num_prints++] = json_string_value(one ? value : json_array_get(value, i));
    return 0;
}

/* What one member demands of another. */
static int check_entry(const struct tl_doc *doc, const struct tl_path *at, struct tl_waiver *w)
{
    struct tl_path passes = {.up = at, .key = "passes"};
    bool is_flaky = w->kind == TL_WAIVER_FLAKY;

    if (w->requirement == NULL && w->scenario == NULL)
        return tl_doc_fail(doc, at, "expected a member scenario or requirement");
    if (is_flaky && !w->has_passes)
        return tl_doc_fail(doc, &passes, "missing; a flaky case needs it, such as \"7 of 10\"");
    if (!is_flaky && w->has_passes)
        return tl_doc_fail(doc, &passes, "only a flaky case may have it");
    return take_prints(doc, at, w);
}

static int by_id(const void *a, const void *b)
{
    const struct tl_waiver *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

/* Reports name an entry by its id. */
static int check_ids(const struct tl_waivers *waivers, const struct tl_path *at)
{
    struct tl_waiver **sorted = calloc(waivers->count + 1, sizeof(void *));
    int rc = 0;

    if (sorted == NULL)
        return fal_fail(waivers->doc.err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < waivers->count; i++)
        sorted[i] = &waivers->list[i];
    qsort(sorted, waivers->count, sizeof(void *), by_id);
    for (size_t i = 1; rc == 0 && i < waivers->count; i++)
        if (strcmp(sorted[i - 1]->id, sorted[i]->id) == 0)
            rc = tl_doc_fail(&waivers->doc, at, "two entries have the id '%.60s'",
                             sorted[i]->id);
    free(sorted);
    return rc;
}

static int read_entries(struct tl_waivers *out)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "entries"};
    int rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_waivers_shape, out);

    for (size_t i = 0; rc == 0 && i < out->count; i++) {
        struct tl_path here = {.up = &at, .index = i};

        rc = check_entry(&out->doc, &here, &out->list[i]);
    }
    return rc == 0 ? check_ids(out, &at) : rc;
}

static int finish(struct tl_waivers *out, int rc)
{
    if (rc == 0)
        rc = read_entries(out);
    if (rc != 0)
        tl_waivers_free(out);
    return rc;
}

int tl_waivers_load(const char *path, struct tl_waivers *out, struct fal_error *err)
{
    *out = (struct tl_waivers){.count = 0};
    return finish(out, tl_doc_open(&out->doc, path, TL_WAIVERS_SCHEMA, err));
}

int tl_waivers_read(const char *name, const char *text, size_t len, struct tl_waivers *out,
                    struct fal_error *err)
{
    *out = (struct tl_waivers){.count = 0};
    return finish(out, tl_doc_read(&out->doc, name, text, len, TL_WAIVERS_SCHEMA, err));
}

void tl_waivers_free(struct tl_waivers *waivers)
{
    free(waivers->list);
    tl_doc_close(&waivers->doc);
    *waivers = (struct tl_waivers){.count = 0};
}
