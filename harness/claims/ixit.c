/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/claims/ixit.h"

#include "harness/wire/protocol.h"

#include <string.h>

#define AT(field) FAL_AT(struct tl_ixit, field)
static const struct fal_member members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_IXIT_SCHEMA), .flags = FAL_MUST},
    {"vendor", &tl_identity_shape, FAL_NULL, AT(identity.vendor)},
    {"product", &tl_identity_shape, FAL_NULL, AT(identity.product)},
    {"firmware", &tl_identity_shape, FAL_NULL, AT(identity.firmware)},
    {"params", &tl_given_params_shape, FAL_MUST, AT(params),
     .doc = "null: not stated, the default is used"},
    {"swift", &tl_proto_swift, FAL_NULL, AT(swift),
     .doc = "parameters of Swift that are stated, for talon cc measure"},
};
const struct fal_shape tl_ixit_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "Values of an implementation that a test needs to know: talon run --ixit FILE. An "
           "empty one: talon list ixit --proforma.",
    FAL_MEMBERS(members)};

int tl_ixit_load(const char *path, struct tl_ixit *out, struct fal_error *err)
{
    struct tl_path root = {0};
    int rc;

    *out = (struct tl_ixit){.identity = {{0}, {0}, {0}}};
    rc = tl_doc_open(&out->doc, path, TL_IXIT_SCHEMA, err);
    if (rc == 0)
        rc = tl_doc_shape(&out->doc, &root, out->doc.root, &tl_ixit_shape, out);
    if (rc != 0)
        tl_ixit_free(out);
    return rc;
}

void tl_ixit_free(struct tl_ixit *ixit)
{
    tl_doc_close(&ixit->doc);
    *ixit = (struct tl_ixit){.identity = {{0}, {0}, {0}}};
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
