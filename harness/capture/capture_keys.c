/* SPDX-License-Identifier: Apache-2.0
 * capture_keys.c - opens the key files that captures are decoded with. */
#include "harness/capture/capture.h"

#include <errno.h>
#include <string.h>

/* Returns NULL with `err`, which names the file. */
static json_t *load(const char *path, struct fal_error *err)
{
    json_error_t at;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &at);

    if (json == NULL && at.line > 0)
        (void)fal_fail(err, FAL_ERR_FORM, "%s:%d:%d: %s", path, at.line, at.column, at.text);
    else if (json == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "%s: %s", path, strerror(errno));
    return json;
}

struct fal_psp_keys *tl_psp_keys_open(const char *path, struct fal_error *err)
{
    struct fal_psp_keys *keys;
    struct fal_error why = {{0}};
    json_t *json = load(path, err);

    if (json == NULL)
        return NULL;
    keys = fal_psp_keys_new(json, &why);
    json_decref(json);
    if (keys == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "%s: %.300s", path, why.text);
    return keys;
}

struct fal_esp_keys *tl_esp_keys_open(const char *path, struct fal_error *err)
{
    struct fal_esp_keys *keys;
    struct fal_error why = {{0}};
    json_t *json = load(path, err);

    if (json == NULL)
        return NULL;
    keys = fal_esp_keys_new(json, &why);
    json_decref(json);
    if (keys == NULL)
        (void)fal_fail(err, FAL_ERR_FORM, "%s: %.300s", path, why.text);
    return keys;
}
