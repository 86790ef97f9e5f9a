/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/profile/profile.h"

static int take_patterns(const struct tl_doc *doc, const struct tl_path *at, const json_t *list,
                         enum tl_select_kind kind, struct tl_select *out)
{
    size_t i;
    json_t *item;

    json_array_foreach(list, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        struct fal_error why = {{0}};

        if (tl_select_add(out, kind, json_string_value(item), &why) != 0)
            return tl_doc_fail(doc, &here, "%s", why.text);
    }
    return 0;
}

static int take_select(const struct tl_path *root, struct tl_profile *out)
{
    struct tl_path at = {.up = root, .key = "select"};
    int rc = 0;

    for (int k = 0; rc == 0 && k < TL_SELECT_KINDS; k++) {
        const char *key = tl_select_kind_name((enum tl_select_kind)k);
        struct tl_path here = {.up = &at, .key = key};

        rc = take_patterns(&out->doc, &here, json_object_get(out->patterns, key),
                           (enum tl_select_kind)k, &out->select);
    }
    return rc;
}

int tl_profile_load(const char *path, struct tl_profile *out, struct fal_error *err)
{
    struct tl_path root = {0}, ics = {.up = &root, .key = "ics"};
    int rc;

    *out = (struct tl_profile){.name = NULL};
    rc = tl_doc_open(&out->doc, path, TL_PROFILE_SCHEMA, err);
    if (rc != 0)
        return rc;
    rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_profile_shape, out);
    if (rc == 0)
        rc = take_select(&root, out);
    if (rc == 0)
        rc = tl_ics_settle(&out->doc, &ics, &out->ics);
    if (rc != 0)
        tl_profile_free(out);
    return rc;
}

void tl_profile_free(struct tl_profile *profile)
{
    tl_doc_close(&profile->doc);
    *profile = (struct tl_profile){.name = NULL};
}
