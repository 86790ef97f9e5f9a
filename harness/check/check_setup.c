/* SPDX-License-Identifier: Apache-2.0
 * check_setup.c - what is known of connections and path before a capture is read: the file of
 * --connections. What it leaves out is learned, or stays unknown and convicts nobody. */
#include "harness/check/check.h"

#include "harness/doc/json_member.h"

#include <stdio.h>
#include <string.h>

static int unknown_member(const json_t *object, const char *const *known, const char *where,
                          struct fal_error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        bool found = false;

        for (size_t i = 0; known[i] != NULL; i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found)
            return fal_fail(err, FAL_ERR_FORM, "%s: there is no member '%.40s'", where, key);
    }
    return 0;
}

/* ---- one connection ---- */

static int in_end(struct fal_error *err, const char *name)
{
    struct fal_error why = *err;

    return fal_fail(err, FAL_ERR_FORM, "%s: %.280s", name, why.text);
}

static bool has(const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL;
}

/* The CID and the initial numbers are known when they are given. */
static int read_end(const json_t *entry, const char *name, struct tl_check_conn *conn, int side,
                    struct fal_error *err)
{
    static const char *const members[] = {"cid",      "address", "function", "req_psn",
                                          "data_psn", "rsn",     NULL};
    const json_t *object = json_object_get(entry, name);
    struct fal_end *end = side == 0 ? &conn->setup.sut : &conn->setup.tester;
    const char *address = NULL;

    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "%s: an object is expected", name);
    if (unknown_member(object, members, name, err) != 0)
        return FAL_ERR_FORM;
    if (tl_json_end(object, TL_MAY_HAVE, end, err) != 0 ||
        tl_json_string(object, "address", TL_MAY_HAVE, &address, err) < 0)
        return in_end(err, name);
    if (address != NULL && !tl_host_read(address, &conn->host[side]))
        return fal_fail(err, FAL_ERR_FORM, "%s.address: '%.60s' is no IP address", name,
                        address);
    conn->known[side] = has(object, "cid");
    conn->setup.initial_known = conn->setup.initial_known && has(object, "req_psn") &&
                                has(object, "data_psn") && has(object, "rsn");
    return 0;
}

/* Parameters by name or key; *given gets their bits. */
static int read_params(const json_t *object, struct fal_params *params, uint32_t *given,
                       struct fal_error *err)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    const char *key;
    json_t *value;

    if (object != NULL && !json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "params: an object is expected");
    json_object_foreach((json_t *)object, key, value)
    {
        const struct fal_param *param = fal_param_find(key);

        if (param == NULL)
            return fal_fail(err, FAL_ERR_FORM,
                            "params.%.40s: no such parameter (talon help defaults)", key);
        if (tl_json_param(value, param, params, err) != 0)
            return in_end(err, "params");
        *given |= UINT32_C(1) << (param - table);
    }
    return 0;
}

static int read_name(const json_t *entry, struct tl_check_conn *conn, struct fal_error *err)
{
    const char *name = NULL;

    if (tl_json_string(entry, "name", TL_MAY_HAVE, &name, err) < 0)
        return FAL_ERR_FORM;
    if (name != NULL && (name[0] == 0 || strlen(name) >= FAL_NAME_MAX))
        return fal_fail(err, FAL_ERR_FORM, "name: 1 to %d bytes are expected",
                        FAL_NAME_MAX - 1);
    if (name != NULL)
        (void)snprintf(conn->setup.name, sizeof conn->setup.name, "%s", name);
    return 0;
}

int tl_check_add(struct tl_check *check, const json_t *entry, struct fal_error *err)
{
    static const char *const members[] = {"name", "sut", "tester", "params", NULL};
    struct tl_check_conn *conn = tl_check_conn_new(check);
    uint32_t given = 0;

    if (conn == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (!json_is_object(entry))
        return fal_fail(err, FAL_ERR_FORM, "an object is expected");
    conn->setup.initial_known = true;
    if (unknown_member(entry, members, "connection", err) != 0 ||
        read_name(entry, conn, err) != 0 || read_end(entry, "sut", conn, 0, err) != 0 ||
        read_end(entry, "tester", conn, 1, err) != 0 ||
        read_params(json_object_get(entry, "params"), &conn->setup.params, &given, err) != 0)
        return FAL_ERR_FORM;
    conn->setup.unknown_params &= ~given;
    return tl_check_conn_given(check, conn, err);
}

/* ---- for all of them ---- */

static int read_path(const json_t *object, struct fal_ev_run *run, struct fal_error *err)
{
    static const char *const members[] = {"lossless_in",      "lossless_out",
                                          "in_order_in",      "in_order_out",
                                          "no_duplicates_in", "no_duplicates_out",
                                          "delay_min_ns",     "delay_max_ns",
                                          "clock_error_ns",   NULL};
    bool *const flags[] = {&run->lossless_in,  &run->lossless_out,     &run->in_order_in,
                           &run->in_order_out, &run->no_duplicates_in, &run->no_duplicates_out};
    uint64_t *const times[] = {&run->delay_min_ns, &run->delay_max_ns, &run->clock_error_ns};

    if (object == NULL)
        return 0;
    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "path: an object is expected");
    if (unknown_member(object, members, "path", err) != 0)
        return FAL_ERR_FORM;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (tl_json_bool(object, members[i], TL_MAY_HAVE, flags[i], err) < 0)
            return in_end(err, "path");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (tl_json_u64(object, members[6 + i], TL_MAY_HAVE, INT64_MAX, times[i], err) < 0)
            return in_end(err, "path");
    return 0;
}

bool tl_check_vantage(const char *name, enum fal_vantage *out)
{
    static const char *const names[] = {"tester", "middle", "sut"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum fal_vantage)i;
            return true;
        }
    }
    return false;
}

int tl_check_setup(const json_t *root, struct tl_check_options *options, const json_t **list,
                   struct fal_error *err)
{
    static const char *const members[] = {"schema", "vantage",     "path",
                                          "params", "connections", NULL};
    const char *schema = NULL, *vantage = NULL;

    *list = root;
    if (json_is_array(root))
        return 0;
    if (!json_is_object(root))
        return fal_fail(err, FAL_ERR_FORM, "a list of connections, or an object, is expected");
    if (tl_json_string(root, "schema", TL_MUST_HAVE, &schema, err) < 0)
        return FAL_ERR_FORM;
    if (strcmp(schema, TL_CONNECTIONS_SCHEMA) != 0)
        return fal_fail(err, FAL_ERR_FORM, "schema: '%.60s' is not " TL_CONNECTIONS_SCHEMA,
                        schema);
    if (unknown_member(root, members, "file", err) != 0 ||
        tl_json_string(root, "vantage", TL_MAY_HAVE, &vantage, err) < 0 ||
        read_path(json_object_get(root, "path"), &options->run, err) != 0 ||
        read_params(json_object_get(root, "params"), &options->params, &options->given_params,
                    err) != 0)
        return FAL_ERR_FORM;
    if (vantage != NULL && !tl_check_vantage(vantage, &options->run.vantage))
        return fal_fail(err, FAL_ERR_FORM, "vantage: '%.20s' is not tester, middle or sut",
                        vantage);
    *list = json_object_get(root, "connections");
    if (*list != NULL && !json_is_array(*list))
        return fal_fail(err, FAL_ERR_FORM, "connections: a list is expected");
    return 0;
}

/* Delays that contradict each other convict anybody. */
int tl_check_options_ok(const struct tl_check_options *options, struct fal_error *err)
{
    const struct fal_ev_run *run = &options->run;

    if (run->delay_min_ns > run->delay_max_ns)
        return fal_fail(
            err, FAL_ERR_RANGE, "the shortest delay (%llu ns) is above the longest (%llu ns)",
            (unsigned long long)run->delay_min_ns, (unsigned long long)run->delay_max_ns);
    return 0;
}
