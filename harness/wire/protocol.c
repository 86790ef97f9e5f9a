/* SPDX-License-Identifier: Apache-2.0
 * protocol.c - shapes that several lines of the control protocol have in common. */
#include "harness/wire/protocol_impl.h"

#include "codecs/json/json.h"

#include <string.h>

enum { ID_MAX = 0xffffff }; /* CIDs and functions have 24 bits (7.1, 7.7.1) */

const struct fal_shape tl_proto_epoch = {.kind = FAL_SHAPE_UINT, .name = "epoch", .min = 1};
const struct fal_shape tl_proto_conn = {.kind = FAL_SHAPE_TEXT,
                                        .name = "conn",
                                        .doc = "handle of a connection, chosen by the SUT",
                                        .min = 1,
                                        .max = FAL_NAME_MAX - 1};
const struct fal_shape tl_proto_ns = {.kind = FAL_SHAPE_UINT, .name = "ns"};
const struct fal_shape tl_proto_u24 = {.kind = FAL_SHAPE_UINT, .name = "u24", .max = ID_MAX};
const struct fal_shape tl_proto_code = {
    .kind = FAL_SHAPE_UINT, .name = "code", .doc = "ULP NACK code", .max = UINT8_MAX};
static const char *const op_words[] = {"push", "pull"};
const struct fal_shape tl_proto_op = {
    .kind = FAL_SHAPE_WORD, .name = "op", FAL_WORDS(op_words)};
static const char *const answer_words[] = {"ack", "data", "rnr", "cie", "nre", "cid"};
const struct fal_shape tl_proto_answer = {
    .kind = FAL_SHAPE_WORD, .name = "answer", FAL_WORDS(answer_words)};
const struct fal_shape tl_proto_bytes = {
    .kind = FAL_SHAPE_TEXT, .pattern = "^([0-9a-fA-F]{2})*$", .doc = "bytes in hex digits"};

/* A number where every JSON reader can hold it (below 2^53), else "0x...". */
static int write_wide(const void *in, json_t **out)
{
    uint64_t number;

    memcpy(&number, in, sizeof number);
    *out = number < UINT64_C(1) << 53 ? json_integer((json_int_t)number)
                                      : fal_shape_write(&fal_shape_hex, &number);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

json_t *tl_protocol_wide(uint64_t value)
{
    json_t *out = NULL;

    return write_wide(&value, &out) == 0 ? out : NULL;
}

static json_t *wide_schema(void)
{
    return json_pack("{s:[{s:s, s:i}, {s:s, s:s}]}", "anyOf", "type", "integer", "minimum", 0,
                     "type", "string", "pattern", "^0x[0-9a-fA-F]{1,16}$");
}

const struct fal_shape tl_proto_wide = {
    .kind = FAL_SHAPE_HEX,
    .name = "wide",
    .doc = "64 bits: an integer, or \"0x\" and up to 16 digits",
    .write = write_wide,
    .schema = wide_schema};

/* ---- ends of a connection ---- */

#define END(need, name, shape)                                           \
    {                                                                    \
#name, &shape, (need) | FAL_ALWAYS, FAL_AT(struct fal_end, name) \
    }
#define ENDS(need)                                                               \
    END(need, cid, tl_proto_u24), END(need, function, tl_proto_u24),             \
        END(need, req_psn, fal_shape_uint), END(need, data_psn, fal_shape_uint), \
        END(need, rsn, fal_shape_uint)
static const struct fal_member end_members[] = {ENDS(FAL_MUST)};
const struct fal_shape tl_protocol_end_shape = {
    LINE, .name = "end",
    .doc = "One end of a connection: what it allocated and what it starts with.",
    .expected = "an object with cid, function, req_psn, data_psn and rsn",
    FAL_MEMBERS(end_members)};
static const struct fal_member local_members[] = {ENDS(0)};
const struct fal_shape tl_protocol_local_shape = {
    LINE, .expected = "an object with cid, function, req_psn, data_psn and rsn",
    .keeps_json = true, FAL_MEMBERS(local_members)};

int tl_protocol_end(const json_t *object, const char *what, struct fal_end *end,
                    struct fal_error *err)
{
    struct fal_end read = *end;
    struct fal_misfit wrong;
    int rc = 0;

    if (object != NULL && !json_is_null(object))
        rc = fal_shape_read(&tl_protocol_local_shape, object, &read, true, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, what, err);
    *end = read;
    return 0;
}

/* ---- parameters, by their keys ---- */

static int read_param(const json_t *value, const struct fal_param *param,
                      struct fal_params *params, struct fal_misfit *wrong)
{
    bool is_switch = param->kind == FAL_PARAM_SWITCH;
    bool good = is_switch ? json_is_boolean(value)
                          : json_is_integer(value) && json_integer_value(value) >= 0;
    uint64_t number = is_switch ? json_is_true(value) : (uint64_t)json_integer_value(value);

    if (!good)
        return fal_misfit_say_of(wrong, param->key, "expected %s",
                                 is_switch ? "true or false" : "a whole number from 0");
    if (fal_param_set(param, params, number) != 0)
        return fal_misfit_say_of(wrong, param->key, "%llu does not fit",
                                 (unsigned long long)number);
    return 0;
}

static int read_params(const json_t *value, void *out, struct fal_misfit *wrong)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    struct fal_params probe = {0}, *params = out != NULL ? out : &probe;
    int rc = 0;

    if (out == NULL)
        fal_params_default(&probe, false);
    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object");
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const json_t *given = json_object_get(value, table[i].key);

        if (given != NULL)
            rc = read_param(given, &table[i], params, wrong);
    }
    return rc;
}

static json_t *params_schema(void)
{
    json_t *properties = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++) {
        json_t *param = table[i].kind == FAL_PARAM_SWITCH
                            ? json_pack("{s:s}", "type", "boolean")
                            : json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);

        if (table[i].kind == FAL_PARAM_NUMBER)
            (void)json_object_set_new(param, "maximum", json_integer(UINT32_MAX));
        (void)json_object_set_new(param, "description", json_string(table[i].doc));
        (void)json_object_set_new(properties, table[i].key, param);
    }
    return json_pack("{s:s, s:o}", "type", "object", "properties", properties);
}

const struct fal_shape tl_proto_params = {.kind = FAL_SHAPE_MAP,
                                          .name = "params",
                                          .doc =
                                              "parameters by the keys of talon help defaults",
                                          .read = read_params,
                                          .schema = params_schema,
                                          .keeps_json = true};

int tl_protocol_params(const json_t *object, struct fal_params *params, struct fal_error *err)
{
    struct fal_misfit wrong = {.depth = 0};
    int rc;

    if (object == NULL || json_is_null(object))
        return 0;
    rc = read_params(object, params, &wrong);
    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "params", err);
}

/* ---- security associations: codecs/seal reads them ---- */

static const struct fal_shape spi = {.kind = FAL_SHAPE_TEXT, .pattern = "^0x[0-9a-fA-F]{1,8}$"};
static const struct fal_shape version = {.kind = FAL_SHAPE_UINT, .max = 3};
static const struct fal_shape key = {.kind = FAL_SHAPE_TEXT, .pattern = "^([0-9a-fA-F]{2})+$"};
static const char *const algorithm_words[] = {"aes-gcm-128", "aes-gcm-256", "null"};
static const struct fal_shape algorithm = {.kind = FAL_SHAPE_WORD, FAL_WORDS(algorithm_words)};
static const struct fal_shape salt = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9a-fA-F]{8}$"};
static const struct fal_shape icv_len = {.kind = FAL_SHAPE_UINT, .max = 16};
static const struct fal_member sa_members[] = {
    {"spi", &spi, .flags = FAL_MUST},
    {"version", &version, .flags = 0},
    {"key", &key, .flags = 0},
    {"algorithm", &algorithm, .flags = 0},
    {"salt", &salt, .flags = 0},
    {"icv_len", &icv_len, .flags = 0},
    {"esn", &fal_shape_flag, .flags = 0},
};
const struct fal_shape tl_proto_sa = {
    LINE,
    .name = "sa",
    .doc = "A security association: an entry of `sas` in a key file. Its receiver made it.",
    .expected = "an object, as in the `sas` of a key file",
    .keeps_json = true,
    FAL_MEMBERS(sa_members)};

/* ---- any line ---- */

const struct fal_shape tl_protocol_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    .doc = "One line of the control channel. docs/sut-protocol.md describes the protocol.",
    FAL_OF(&tl_proto_commands, &tl_proto_reply, &tl_proto_events, &tl_proto_lockstep,
           &tl_proto_lockstep_answer)};
