/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/profile/profile.h"

#include "codecs/base/nearest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- profiles ---- */

static int read_patterns(const struct tl_doc *doc, const struct tl_path *at, const json_t *list,
                         enum tl_select_kind kind, struct tl_select *out)
{
    size_t i;
    json_t *item;

    if (!json_is_array(list))
        return tl_doc_fail(doc, at, "expected an array of patterns");
    json_array_foreach(list, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        struct fal_error why = {{0}};

        if (!json_is_string(item))
            return tl_doc_fail(doc, &here, "expected a text");
        if (tl_select_add(out, kind, json_string_value(item), &why) != 0)
            return tl_doc_fail(doc, &here, "%s", why.text);
    }
    return 0;
}

static int read_select(const struct tl_doc *doc, struct tl_path *root, struct tl_profile *out)
{
    struct tl_path at = {.up = root, .key = "select"};
    json_t *select = json_object_get(doc->root, "select");
    const char *known[TL_SELECT_KINDS];
    int rc;

    if (select == NULL)
        return 0;
    for (int k = 0; k < TL_SELECT_KINDS; k++)
        known[k] = tl_select_kind_name((enum tl_select_kind)k);
    rc = tl_doc_members(doc, &at, select, known, TL_SELECT_KINDS);
    for (int k = 0; rc == 0 && k < TL_SELECT_KINDS; k++) {
        struct tl_path here = {.up = &at, .key = known[k]};
        const json_t *list = json_object_get(select, known[k]);

        if (list != NULL)
            rc = read_patterns(doc, &here, list, (enum tl_select_kind)k, &out->select);
    }
    return rc;
}

int tl_profile_load(const char *path, struct tl_profile *out, struct fal_error *err)
{
    static const char *const known[] = {"$schema", "schema", "name",   "title",
                                        "select",  "ics",    "params", "certify"};
    struct tl_path root = {0}, ics = {.up = &root, .key = "ics"};
    struct tl_path certify = {.up = &root, .key = "certify"};
    struct tl_path params_at = {.up = &root, .key = "params"};
    json_t *items, *demands, *params;
    int rc;

    *out = (struct tl_profile){.name = NULL};
    rc = tl_doc_open(&out->doc, path, TL_PROFILE_SCHEMA, err);
    if (rc != 0)
        return rc;
    rc = tl_doc_members(&out->doc, &root, out->doc.root, known, sizeof known / sizeof *known);
    if (rc == 0)
        rc = tl_doc_text(&out->doc, &root, out->doc.root, "name", 80, &out->name);
    if (rc == 0)
        rc = tl_doc_text(&out->doc, &root, out->doc.root, "title", 200, &out->title);
    if (rc == 0)
        rc = read_select(&out->doc, &root, out);
    params = json_object_get(out->doc.root, "params");
    if (rc == 0 && params != NULL)
        rc = tl_given_params_read(&out->doc, &params_at, params, &out->params);
    items = json_object_get(out->doc.root, "ics");
    if (rc == 0 && items != NULL)
        rc = tl_ics_read_items(&out->doc, &ics, items, &out->ics);
    demands = json_object_get(out->doc.root, "certify");
    if (rc == 0 && demands != NULL)
        rc = tl_certify_rules_read(&out->doc, &certify, demands, &out->certify);
    if (rc != 0)
        tl_profile_free(out);
    return rc;
}

void tl_profile_free(struct tl_profile *profile)
{
    tl_doc_close(&profile->doc);
    *profile = (struct tl_profile){.name = NULL};
}
