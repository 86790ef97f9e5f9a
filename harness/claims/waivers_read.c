/* SPDX-License-Identifier: Apache-2.0
 * waivers_read.c - the waiver file. */
#include "harness/claims/waivers.h"

#include "harness/claims/firmware.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2000 };

static const char *const kinds[] = {"waiver", "expected-failure", "flaky"};

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

static int read_kind(const struct tl_doc *doc, const struct tl_path *at, const json_t *entry,
                     struct tl_waiver *out)
{
    struct tl_path here = {.up = at, .key = "kind"};
    const char *text;
    int rc = tl_doc_text(doc, at, entry, "kind", TEXT_MAX, &text);

    for (size_t k = 0; rc == 0 && k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k], text) == 0) {
            out->kind = (enum tl_waiver_kind)k;
            return 0;
        }
    }
    return rc != 0 ? rc : tl_doc_fail(doc, &here, "expected waiver, expected-failure or flaky");
}

static bool is_print(const char *text)
{
    return text != NULL && strlen(text) == TL_FINGERPRINT_LEN &&
           strspn(text, "0123456789abcdef") == TL_FINGERPRINT_LEN;
}

/* One text, or an array of them. A failure is waived by what it is, so none is no choice. */
static int read_prints(const struct tl_doc *doc, const struct tl_path *at, const json_t *entry,
                       struct tl_waiver *out)
{
    struct tl_path here = {.up = at, .key = "fingerprint"};
    const json_t *value = json_object_get(entry, "fingerprint");
    bool one = !json_is_array(value);
    size_t n = one ? 1 : json_array_size(value);

    if (out->kind == TL_WAIVER_FLAKY)
        return value == NULL ? 0 : tl_doc_fail(doc, &here, "a flaky case has none");
    if (value == NULL || n == 0)
        return tl_doc_fail(doc, &here,
                           "missing; expected that of the failure, as talon run prints it");
    if (n > TL_WAIVER_PRINTS_MAX)
        return tl_doc_fail(doc, &here, "more than %d", TL_WAIVER_PRINTS_MAX);
    for (size_t i = 0; i < n; i++) {
        struct tl_path element = {.up = &here, .index = i};
        const char *text = json_string_value(one ? value : json_array_get(value, i));

        if (!is_print(text))
            return tl_doc_fail(doc, one ? &here : &element, "expected %d hex digits",
                               TL_FINGERPRINT_LEN);
        out->prints[out->num_prints++] = text;
    }
    return 0;
}

/* "passes": "7 of 10" */
static int read_passes(const struct tl_doc *doc, const struct tl_path *at, const json_t *entry,
                       struct tl_waiver *out)
{
    struct tl_path here = {.up = at, .key = "passes"};
    const json_t *value = json_object_get(entry, "passes");
    const char *text = json_string_value(value);
    char *end;

    if (out->kind != TL_WAIVER_FLAKY)
        return value == NULL ? 0 : tl_doc_fail(doc, &here, "is of flaky cases alone");
    if (text != NULL && isdigit((unsigned char)*text)) {
        unsigned long k = strtoul(text, &end, 10), n;

        if (strncmp(end, " of ", 4) == 0 && isdigit((unsigned char)end[4])) {
            n = strtoul(end + 4, &end, 10);
            if (*end == 0 && k >= 1 && k < n && n <= TL_REPEATS_MAX) {
                out->passes = (unsigned)k;
                out->of = (unsigned)n;
                return 0;
            }
        }
    }
    return tl_doc_fail(doc, &here, "expected such as \"7 of 10\", at least 1 and not all");
}

static int read_requirement(const struct tl_doc *doc, const struct tl_path *at,
                            const struct tl_waiver *entry)
{
    struct tl_path here = {.up = at, .key = "requirement"};

    if (entry->requirement != NULL && fal_requirement_find(entry->requirement) == NULL)
        return tl_doc_fail(doc, &here, "no requirement '%.40s'", entry->requirement);
    if (entry->requirement == NULL && entry->scenario == NULL)
        return tl_doc_fail(doc, at, "names neither scenario nor requirement");
    return 0;
}

static int read_rest(const struct tl_doc *doc, const struct tl_path *at, const json_t *object,
                     struct tl_waiver *out)
{
    struct tl_path firmware = {.up = at, .key = "firmware"},
                   expires = {.up = at, .key = "expires"};
    struct fal_error why = {{0}};
    const char *text;
    int rc;

    if (out->firmware != NULL && tl_firmware_range_check(out->firmware, &why) != 0)
        return tl_doc_fail(doc, &firmware, "%s", why.text);
    rc = tl_doc_text(doc, at, object, "expires", TEXT_MAX, &text);
    if (rc != 0)
        return rc;
    out->expires = tl_date_read(text);
    return out->expires != 0 ? 0
                             : tl_doc_fail(doc, &expires, "expected the last day, YYYY-MM-DD");
}

static int read_entry(const struct tl_doc *doc, const struct tl_path *at, json_t *object,
                      struct tl_waiver *out)
{
    static const char *const known[] = {
        "id",          "kind",   "scenario", "requirement", "vendor",   "product", "firmware",
        "fingerprint", "passes", "reason",   "link",        "approver", "expires"};
    const struct {
        const char *key;
        const char **to;
        bool must;
    } texts[] = {{"id", &out->id, true},
                 {"scenario", &out->scenario, false},
                 {"requirement", &out->requirement, false},
                 {"vendor", &out->vendor, false},
                 {"product", &out->product, false},
                 {"firmware", &out->firmware, false},
                 {"reason", &out->reason, true},
                 {"link", &out->link, false},
                 {"approver", &out->approver, true}};
    int rc = tl_doc_members(doc, at, object, known, sizeof known / sizeof *known);

    for (size_t i = 0; rc == 0 && i < sizeof texts / sizeof *texts; i++)
        rc = (texts[i].must ? tl_doc_text : tl_doc_text_or_none)(doc, at, object, texts[i].key,
                                                                 TEXT_MAX, texts[i].to);
    if (rc == 0)
        rc = read_kind(doc, at, object, out);
    if (rc == 0)
        rc = read_requirement(doc, at, out);
    if (rc == 0)
        rc = read_prints(doc, at, object, out);
    if (rc == 0)
        rc = read_passes(doc, at, object, out);
    return rc == 0 ? read_rest(doc, at, object, out) : rc;
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
    static const char *const known[] = {"$schema", "schema", "entries"};
    struct tl_path root = {0}, at = {.up = &root, .key = "entries"};
    json_t *entries = json_object_get(out->doc.root, "entries"), *entry;
    size_t i;
    int rc = tl_doc_members(&out->doc, &root, out->doc.root, known, 3);

    if (rc != 0)
        return rc;
    if (!json_is_array(entries) || json_array_size(entries) > TL_WAIVERS_MAX)
        return tl_doc_fail(&out->doc, &at, "expected an array of entries, at most %d",
                           TL_WAIVERS_MAX);
    out->list = calloc(json_array_size(entries) + 1, sizeof *out->list);
    if (out->list == NULL)
        return fal_fail(out->doc.err, FAL_ERR_MEM, "out of memory");
    json_array_foreach(entries, i, entry)
    {
        struct tl_path here = {.up = &at, .index = i};

        rc = read_entry(&out->doc, &here, entry, &out->list[i]);
        if (rc != 0)
            return rc;
        out->count++;
    }
    return check_ids(out, &at);
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
