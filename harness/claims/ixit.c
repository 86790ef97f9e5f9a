/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/ixit.h"

#include <string.h>

int tl_ixit_load(const char *path, struct tl_ixit *out, struct fal_error *err)
{
    static const char *const known[] = {"$schema", "schema",   "vendor",
                                        "product", "firmware", "params"};
    struct tl_path root = {0}, at = {.up = &root, .key = "params"};
    const struct {
        const char *key, **to;
    } names[] = {
        {"vendor", &out->vendor}, {"product", &out->product}, {"firmware", &out->firmware}};
    json_t *params;
    int rc;

    *out = (struct tl_ixit){.vendor = NULL};
    rc = tl_doc_open(&out->doc, path, TL_IXIT_SCHEMA, err);
    if (rc != 0)
        return rc;
    rc = tl_doc_members(&out->doc, &root, out->doc.root, known, sizeof known / sizeof *known);
    for (size_t i = 0; rc == 0 && i < sizeof names / sizeof *names; i++) {
        rc = tl_doc_text_or_none(&out->doc, &root, out->doc.root, names[i].key,
                                 TL_IDENTITY_MAX - 1, names[i].to);
        if (*names[i].to != NULL && strcmp(*names[i].to, "?") == 0) /* the proforma's own */
            *names[i].to = NULL;
    }
    params = json_object_get(out->doc.root, "params");
    if (rc == 0 && params == NULL)
        rc = tl_doc_fail(&out->doc, &root, "params: missing");
    if (rc == 0)
        rc = tl_given_params_read(&out->doc, &at, params, &out->params);
    if (rc != 0)
        tl_ixit_free(out);
    return rc;
}

void tl_ixit_free(struct tl_ixit *ixit)
{
    tl_doc_close(&ixit->doc);
    *ixit = (struct tl_ixit){.vendor = NULL};
}

json_t *tl_ixit_proforma(void)
{
    json_t *params = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        (void)json_object_set_new(params, table[i].name, json_null());
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "schema", TL_IXIT_SCHEMA, "vendor", "?",
                     "product", "?", "firmware", "?", "params", params);
}

/* Times with their unit, the rest as numbers. */
static json_t *value_of(const struct fal_param *param, uint64_t value)
{
    char text[32];

    if (strcmp(param->name, param->key) == 0)
        return json_integer((json_int_t)value);
    (void)snprintf(text, sizeof text, "%lluns", (unsigned long long)value);
    return json_string(text);
}

json_t *tl_ixit_list(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; list != NULL && i < n; i++) {
        if (json_array_append_new(
                list, json_pack("{s:s, s:o, s:o, s:s}", "name", table[i].name, "virtual",
                                value_of(&table[i], table[i].virtual_default), "live",
                                value_of(&table[i], table[i].live_default), "doc",
                                table[i].doc)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}
