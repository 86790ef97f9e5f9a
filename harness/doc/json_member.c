/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/doc/json_member.h"

#include "codecs/base/error.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    CID_MAX = 0xffffff,
    WIDE_DIGITS = 16
}; /* CIDs and functions have 24 bits (7.1, 7.7.1) */

/* Returns the member, or NULL; *rc is the result to return when there is none. JSON null counts
 * as absent. */
static const json_t *member(const json_t *object, const char *key, enum tl_member need, int *rc,
                            struct fal_error *err)
{
    const json_t *value = json_object_get(object, key);

    *rc = 0;
    if (value != NULL && !json_is_null(value))
        return value;
    if (need == TL_MUST_HAVE)
        *rc = fal_fail(err, FAL_ERR_FORM, "%s: missing", key);
    return NULL;
}

int tl_json_u64(const json_t *object, const char *key, enum tl_member need, uint64_t max,
                uint64_t *out, struct fal_error *err)
{
    int rc;
    const json_t *value = member(object, key, need, &rc, err);

    if (value == NULL)
        return rc;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return fal_fail(err, FAL_ERR_FORM, "%s: expected a whole number from 0", key);
    if ((uint64_t)json_integer_value(value) > max)
        return fal_fail(err, FAL_ERR_FORM, "%s: %" JSON_INTEGER_FORMAT " is above %" PRIu64,
                        key, json_integer_value(value), max);
    *out = (uint64_t)json_integer_value(value);
    return 1;
}

int tl_json_u32(const json_t *object, const char *key, enum tl_member need, uint32_t max,
                uint32_t *out, struct fal_error *err)
{
    uint64_t value = 0;
    int rc = tl_json_u64(object, key, need, max, &value, err);

    if (rc == 1)
        *out = (uint32_t)value;
    return rc;
}

static bool read_hex(const char *text, uint64_t *out)
{
    size_t digits =
        strspn(text + (strncmp(text, "0x", 2) == 0 ? 2 : 0), "0123456789abcdefABCDEF");
    uint64_t value = 0;

    if (strncmp(text, "0x", 2) != 0 || digits == 0 || digits > WIDE_DIGITS ||
        text[2 + digits] != 0)
        return false;
    for (const char *at = text + 2; *at != 0; at++)
        value = value << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10);
    *out = value;
    return true;
}

int tl_json_wide(const json_t *object, const char *key, enum tl_member need, uint64_t *out,
                 struct fal_error *err)
{
    int rc;
    const json_t *value = member(object, key, need, &rc, err);

    if (value == NULL)
        return rc;
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *out = (uint64_t)json_integer_value(value);
        return 1;
    }
    if (json_is_string(value) && read_hex(json_string_value(value), out))
        return 1;
    return fal_fail(err, FAL_ERR_FORM,
                    "%s: expected a whole number or \"0x\" and up to 16 digits", key);
}

int tl_json_bool(const json_t *object, const char *key, enum tl_member need, bool *out,
                 struct fal_error *err)
{
    int rc;
    const json_t *value = member(object, key, need, &rc, err);

    if (value == NULL)
        return rc;
    if (!json_is_boolean(value))
        return fal_fail(err, FAL_ERR_FORM, "%s: expected true or false", key);
    *out = json_is_true(value);
    return 1;
}

int tl_json_string(const json_t *object, const char *key, enum tl_member need, const char **out,
                   struct fal_error *err)
{
    int rc;
    const json_t *value = member(object, key, need, &rc, err);

    if (value == NULL)
        return rc;
    if (!json_is_string(value))
        return fal_fail(err, FAL_ERR_FORM, "%s: expected a string", key);
    *out = json_string_value(value);
    return 1;
}

int tl_json_op(const json_t *object, const char *key, enum tl_member need, enum fal_ulp_op *out,
               struct fal_error *err)
{
    const char *name = "";
    int rc = tl_json_string(object, key, need, &name, err);

    if (rc != 1)
        return rc;
    if (strcmp(name, "push") == 0)
        *out = FAL_OP_PUSH;
    else if (strcmp(name, "pull") == 0)
        *out = FAL_OP_PULL;
    else
        return fal_fail(err, FAL_ERR_FORM, "%s: expected push or pull", key);
    return 1;
}

int tl_json_answer(const json_t *object, const char *key, enum tl_member need,
                   enum fal_answer *out, struct fal_error *err)
{
    const char *name = "";
    int answer, rc = tl_json_string(object, key, need, &name, err);

    if (rc != 1)
        return rc;
    answer = fal_answer_from(name);
    if (answer < 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: expected ack, data, rnr, cie, nre, cid or withhold", key);
    *out = (enum fal_answer)answer;
    return 1;
}

int tl_json_param(const json_t *value, const struct fal_param *param, struct fal_params *params,
                  struct fal_error *err)
{
    bool is_switch = param->kind == FAL_PARAM_SWITCH;
    uint64_t number;

    if (is_switch && json_is_boolean(value))
        number = json_is_true(value) ? 1 : 0;
    else if (!is_switch && json_is_integer(value) && json_integer_value(value) >= 0)
        number = (uint64_t)json_integer_value(value);
    else
        return fal_fail(err, FAL_ERR_FORM, "params.%s: expected %s", param->key,
                        is_switch ? "true or false" : "a whole number from 0");
    if (fal_param_set(param, params, number) != 0)
        return fal_fail(err, FAL_ERR_FORM, "params.%s: %" PRIu64 " does not fit", param->key,
                        number);
    return 0;
}

json_t *tl_json_from_param(const struct fal_param *param, const struct fal_params *params)
{
    uint64_t value = fal_param_get(param, params);

    if (param->kind == FAL_PARAM_SWITCH)
        return json_boolean(value != 0);
    /* FAL_NEVER is larger than JSON integers can be here; 292 years serve as well. */
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* The members of an end of a connection, and the largest value of each. */
static const struct {
    const char *key;
    size_t at;
    uint32_t max;
} end_members[] = {
    {"cid", offsetof(struct fal_end, cid), CID_MAX},
    {"function", offsetof(struct fal_end, function), CID_MAX},
    {"req_psn", offsetof(struct fal_end, req_psn), UINT32_MAX},
    {"data_psn", offsetof(struct fal_end, data_psn), UINT32_MAX},
    {"rsn", offsetof(struct fal_end, rsn), UINT32_MAX},
};

int tl_json_end(const json_t *object, enum tl_member need, struct fal_end *end,
                struct fal_error *err)
{
    struct fal_end read = *end;

    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM,
                        "expected an object with cid, function, req_psn, data_psn and rsn");
    for (size_t i = 0; i < sizeof end_members / sizeof *end_members; i++) {
        int rc = tl_json_u32(object, end_members[i].key, need, end_members[i].max,
                             (uint32_t *)(void *)((char *)&read + end_members[i].at), err);

        if (rc < 0)
            return rc;
    }
    *end = read;
    return 0;
}

json_t *tl_json_from_end(const struct fal_end *end)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "cid", (json_int_t)end->cid, "function",
                     (json_int_t)end->function, "req_psn", (json_int_t)end->req_psn, "data_psn",
                     (json_int_t)end->data_psn, "rsn", (json_int_t)end->rsn);
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

const char *tl_op_name(enum fal_ulp_op op)
{
    switch (op) {
    case FAL_OP_PUSH: return "push";
    case FAL_OP_PULL: return "pull";
    }
    return "";
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
