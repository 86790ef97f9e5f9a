/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/profile/profile_certify.h"

#include "harness/claims/ics.h"

#include <fnmatch.h>
#include <stddef.h>

bool tl_patterns_take(const json_t *patterns, const char *text)
{
    bool taken = false;
    size_t i;
    json_t *item;

    json_array_foreach(patterns, i, item)
    {
        const char *pattern = json_string_value(item);
        bool out = pattern[0] == '!';

        if (fnmatch(pattern + out, text, 0) != 0)
            continue;
        if (out)
            return false;
        taken = true;
    }
    return taken;
}

static int read_list(const struct tl_doc *doc, const struct tl_path *at, const json_t *object,
                     const char *key, const json_t **out)
{
    const json_t *list = json_object_get(object, key);
    struct tl_path here = {.up = at, .key = key};
    size_t i;
    json_t *item;

    *out = list;
    if (list == NULL)
        return 0;
    if (!json_is_array(list))
        return tl_doc_fail(doc, &here, "expected an array of texts");
    json_array_foreach(list, i, item)
    {
        struct tl_path one = {.up = &here, .index = i};

        if (!json_is_string(item) || json_string_length(item) == 0)
            return tl_doc_fail(doc, &one, "expected a text");
    }
    return 0;
}

struct range {
    unsigned least, most;
};

static int read_number(const struct tl_doc *doc, const struct tl_path *at, const json_t *object,
                       const char *key, struct range range, unsigned *out)
{
    const json_t *value = json_object_get(object, key);
    struct tl_path here = {.up = at, .key = key};

    if (value == NULL)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < range.least ||
        json_integer_value(value) > range.most)
        return tl_doc_fail(doc, &here, "expected a number, %u to %u", range.least, range.most);
    *out = (unsigned)json_integer_value(value);
    return 0;
}

static int check_claims(const struct tl_doc *doc, const struct tl_path *at,
                        const json_t *claims)
{
    struct tl_path here = {.up = at, .key = "claims"};
    size_t i;
    json_t *item;

    json_array_foreach(claims, i, item)
    {
        struct tl_path one = {.up = &here, .index = i};

        if (tl_ics_find(json_string_value(item)) < 0)
            return tl_doc_fail(doc, &one, "no ICS item '%.40s' (talon list ics)",
                               json_string_value(item));
    }
    return 0;
}

static int read_waivers(const struct tl_doc *doc, const struct tl_path *up, json_t *member,
                        struct tl_certify_rules *out)
{
    static const char *const known[] = {"most", "requirements"};
    struct tl_path at = {.up = up, .key = "waivers"};
    json_t *waivers = json_object_get(member, "waivers");
    int rc;

    if (waivers == NULL)
        return 0;
    rc = tl_doc_members(doc, &at, waivers, known, 2);
    if (rc == 0)
        rc =
            read_number(doc, &at, waivers, "most", (struct range){0, 1000}, &out->most_waivers);
    return rc == 0 ? read_list(doc, &at, waivers, "requirements", &out->waivable) : rc;
}

int tl_certify_rules_read(const struct tl_doc *doc, const struct tl_path *at, json_t *member,
                          struct tl_certify_rules *out)
{
    static const char *const known[] = {"requirements", "must_pass", "claims",      "waivers",
                                        "retries",      "repeat",    "qualify_live"};
    int rc;

    *out = (struct tl_certify_rules){.given = true,
                                     .retries = TL_CERTIFY_RETRIES,
                                     .repeat = 1,
                                     .qualify_live = TL_CERTIFY_QUALIFY_LIVE};
    rc = tl_doc_members(doc, at, member, known, sizeof known / sizeof *known);
    if (rc == 0)
        rc = read_list(doc, at, member, "requirements", &out->requirements);
    if (rc == 0 && json_array_size(out->requirements) == 0)
        rc = tl_doc_fail(doc, at, "it demands no requirement");
    if (rc == 0)
        rc = read_list(doc, at, member, "must_pass", &out->must_pass);
    if (rc == 0)
        rc = read_list(doc, at, member, "claims", &out->claims);
    if (rc == 0)
        rc = check_claims(doc, at, out->claims);
    if (rc == 0)
        rc = read_number(doc, at, member, "retries", (struct range){0, 15}, &out->retries);
    if (rc == 0)
        rc = read_number(doc, at, member, "repeat", (struct range){1, 100}, &out->repeat);
    if (rc == 0)
        rc = read_number(doc, at, member, "qualify_live", (struct range){1, 10000},
                         &out->qualify_live);
    return rc == 0 ? read_waivers(doc, at, member, out) : rc;
}
