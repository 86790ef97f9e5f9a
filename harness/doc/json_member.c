/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/json_member.h"

#include "codecs/base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

json_t *tl_json_from_param(const struct fal_param *param, const struct fal_params *params)
{
    uint64_t value = fal_param_get(param, params);

    if (param->kind == FAL_PARAM_SWITCH)
        return json_boolean(value != 0);
    /* FAL_NEVER is larger than JSON integers can be here; 292 years serve as well. */
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *tl_json_from_wide(uint64_t value)
{
    return value < UINT64_C(1) << 53 ? json_integer((json_int_t)value)
                                     : tl_json_from_hash(value);
}

json_t *tl_json_from_hash(uint64_t value)
{
    return json_sprintf("0x%016" PRIx64, value);
}

void tl_clean_text(char *text)
{
    for (; *text != 0; text++)
        if (*text < 0x20 || *text > 0x7e)
            *text = '?';
}

json_t *tl_json_line(const char *line, size_t len, struct fal_error *err)
{
    json_error_t json_err;
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &json_err);

    if (object == NULL) {
        tl_clean_text(json_err.text);
        (void)fal_fail(err, FAL_ERR_FORM, "not a JSON object: %s at byte %d", json_err.text,
                       json_err.position);
        return NULL;
    }
    if (!json_is_object(object)) {
        (void)fal_fail(err, FAL_ERR_FORM, "not a JSON object");
        json_decref(object);
        return NULL;
    }
    return object;
}
