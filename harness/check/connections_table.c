/* SPDX-License-Identifier: Apache-2.0
 * connections_table.c - the members of a file of connections. */
#include "harness/check/connections.h"

#include <string.h>

enum { ID_MAX = 0xffffff }; /* CIDs and functions have 24 bits (7.1, 7.7.1) */

/* ---- values ---- */

static int read_address(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    struct tl_host host;

    if (text == NULL || !tl_host_read(text, &host))
        return fal_misfit_say(wrong, "expected an IP address, found '%.60s'",
                              text != NULL ? text : "");
    if (out != NULL)
        memcpy(out, &host, sizeof host);
    return 0;
}

/* By name or key; a value is true, false or a whole number. */
static int read_params(const json_t *value, void *out, struct fal_misfit *wrong)
{
    json_t *object = (json_t *)value, *item; /* the iterator takes no const */
    struct fal_params probe;
    const char *key;

    (void)out;
    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object");
    fal_params_default(&probe, false);
    json_object_foreach(object, key, item)
    {
        const struct fal_param *param = fal_param_find(key);
        bool is_switch = param != NULL && param->kind == FAL_PARAM_SWITCH;

        if (param == NULL)
            return fal_misfit_say_of(wrong, key, "no such parameter (talon help defaults)");
        if (is_switch ? !json_is_boolean(item)
                      : !json_is_integer(item) || json_integer_value(item) < 0)
            return fal_misfit_say_of(wrong, key, "expected %s",
                                     is_switch ? "true or false" : "a whole number from 0");
        if (!is_switch && fal_param_set(param, &probe, (uint64_t)json_integer_value(item)) != 0)
            return fal_misfit_say_of(wrong, key, "%lld does not fit",
                                     (long long)json_integer_value(item));
    }
    return 0;
}

void tl_known_params(const json_t *object, struct fal_params *params, uint64_t *given)
{
    json_t *from = (json_t *)object, *item;
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    const char *key;

    json_object_foreach(from, key, item)
    {
        const struct fal_param *param = fal_param_find(key);

        /* Every value was checked when it was read. */
        FAL_IGNORE(fal_param_set(param, params,
                                 json_is_integer(item) ? (uint64_t)json_integer_value(item)
                                                       : json_is_true(item)));
        *given |= FAL_PARAM_BIT(param - table);
    }
}

static const struct fal_shape name = {.kind = FAL_SHAPE_NAME, .min = 1};
static const struct fal_shape id = {.kind = FAL_SHAPE_UINT, .max = ID_MAX};
static const struct fal_shape address = {.kind = FAL_SHAPE_TEXT, .read = read_address};
static const struct fal_shape flag_or_number = {.kind = FAL_SHAPE_ANY_OF,
                                                FAL_OF(&fal_shape_flag, &fal_shape_uint)};
static const struct fal_shape params = {
    .kind = FAL_SHAPE_MAP,
    FAL_OF(&flag_or_number),
    .name = "params",
    .doc = "by the names of talon help defaults; times with _ns",
    .read = read_params,
    .keeps_json = true};

/* ---- connections ---- */

#define E(field) FAL_AT(struct tl_known_end, field)
#define H(field) FAL_HAS(struct tl_known_end, field)
static const struct fal_member end_members[] = {
    {"cid", &id, 0, E(end.cid), H(has_cid),
     .doc = "the CID that this end allocated: packets to it carry it; absent: inferred, which "
            "needs both addresses"},
    {"address", &address, 0, E(host), H(has_host), .doc = "IPv4 or IPv6; absent: any"},
    {"function", &id, 0, E(end.function), H(has_function)},
    {"req_psn", &fal_shape_uint, 0, E(end.req_psn), H(has_req_psn),
     .doc = "of the first request packet that it sends"},
    {"data_psn", &fal_shape_uint, 0, E(end.data_psn), H(has_data_psn),
     .doc = "of its first data packet"},
    {"rsn", &fal_shape_uint, 0, E(end.rsn), H(has_rsn),
     .doc = "of the first transaction that it initiates"},
};
static const struct fal_shape end = {
    .kind = FAL_SHAPE_OBJECT, .name = "end", .null_is_absent = true, FAL_MEMBERS(end_members)};
#define C(field) FAL_AT(struct tl_known_conn, field)
static const struct fal_member connection_members[] = {
    {"name", &name, 0, C(name), .doc = "for --ulp"},
    {"sut", &end, FAL_MUST, C(sut)},
    {"tester", &end, FAL_MUST, C(tester)},
    {"params", &params, 0, C(params)},
};
static const struct fal_shape connection = {.kind = FAL_SHAPE_OBJECT,
                                            .name = "connection",
                                            .null_is_absent = true,
                                            FAL_MEMBERS(connection_members)};
static const struct fal_shape connections = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&connection), .keeps_json = true};

int tl_known_conn_read(const json_t *entry, struct tl_known_conn *out, struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc = fal_shape_read(&connection, entry, out, false, &wrong);

    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "", err);
}

/* ---- for all of them ---- */

#define P(name)                                                    \
    {                                                              \
#name, &fal_shape_flag, 0, FAL_AT(struct fal_ev_run, name) \
    }
#define NS(name)                                                   \
    {                                                              \
#name, &fal_shape_uint, 0, FAL_AT(struct fal_ev_run, name) \
    }
static const struct fal_member path_members[] = {
    P(lossless_in),   P(lossless_out),     P(in_order_in),
    P(in_order_out),  P(no_duplicates_in), P(no_duplicates_out),
    NS(delay_min_ns), NS(delay_max_ns),    NS(clock_error_ns)};
static const struct fal_shape path = {
    .kind = FAL_SHAPE_OBJECT, .null_is_absent = true, FAL_MEMBERS(path_members)};
static const char *const vantage_words[] = {"tester", "middle", "sut"};
static const struct fal_shape vantage = {.kind = FAL_SHAPE_WORD, FAL_WORDS(vantage_words)};

#define F(field) FAL_AT(struct tl_known, field)
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_CONNECTIONS_SCHEMA), .flags = FAL_MUST},
    {"vantage", &vantage, 0, F(run.vantage)},
    {"complete_capture", &fal_shape_flag, 0, F(run.complete),
     .doc = "you declare that the capture holds every packet that passed its place, but for "
            "frames that it counts as dropped (talon check alone)"},
    {"alone", &fal_shape_flag, 0, F(run.alone),
     .doc = "you declare that the SUT has no connection that is not in the capture (talon "
            "check alone)"},
    {"path", &path, 0, F(run), .doc = "between the capture and the SUT; in is towards it"},
    {"params", &params, 0, F(params)},
    {"connections", &connections, 0, F(connections)},
};
static const struct fal_shape file = {.kind = FAL_SHAPE_OBJECT,
                                      .null_is_absent = true,
                                      .expected = "a list of connections, or an object",
                                      FAL_MEMBERS(file_members)};
const struct fal_shape tl_connections_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    FAL_OF(&connections, &file),
    .expected = "a list of connections, or an object",
    .doc = "What the user knows of the connections and the path: talon check --connections. "
           "Talon infers what is left out from the capture; if it cannot, it never uses it to "
           "fail the SUT."};

int tl_known_read(const json_t *root, struct tl_known *out, struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc =
        fal_shape_read(json_is_array(root) ? &connections : &file, root, out, true, &wrong);

    if (json_is_array(root))
        out->connections = root;
    return rc == 0 ? 0 : fal_misfit_error(&wrong, rc, "", err);
}
