/* SPDX-License-Identifier: Apache-2.0
 * check_ulp_conn.c - the connections whose events come beside a capture. */
#include "harness/check/check_ulp_impl.h"

#include <stdlib.h>
#include <string.h>

enum { CONNS_MAX = 1 << 20 };

static int32_t by_name(const struct tl_check *check, const char *name)
{
    for (size_t i = 0; i < check->num_conns; i++)
        if (check->conns[i].given && strcmp(check->conns[i].setup.name, name) == 0)
            return (int32_t)i + 1;
    return 0;
}

uint32_t tl_ulp_by_cid(const struct tl_check *check, uint32_t cid)
{
    for (size_t i = 0; i < check->num_conns; i++) {
        const struct tl_check_conn *conn = &check->conns[i];
        int side = tl_check_sut_side(check, conn);
        uint32_t have = side == 1 ? conn->setup.tester.cid : conn->setup.sut.cid;

        if (side >= 0 && conn->known[side] && have == cid && !conn->over)
            return (uint32_t)i + 1;
    }
    return 0;
}

static const struct fal_shape cid = {.kind = FAL_SHAPE_UINT, .max = 0xffffff};
static const struct fal_member place_members[] = {
    {"cid", &cid, 0, FAL_AT(struct tl_ulp_held, cid), FAL_HAS(struct tl_ulp_held, by_cid)}};
static const struct fal_shape place = {.kind = FAL_SHAPE_OBJECT,
                                       .skips_unknown = true,
                                       .null_is_absent = true,
                                       FAL_MEMBERS(place_members)};

int tl_ulp_find_conn(const struct tl_ulp *ulp, const struct tl_check *check,
                     const json_t *object, struct tl_ulp_held *held, uint32_t *conn,
                     struct fal_error *err)
{
    const json_t *named = json_object_get(object, "conn");
    struct fal_misfit wrong;
    int rc = fal_shape_read(&place, object, held, false, &wrong);

    *conn = 0;
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, "", err);
    if (held->by_cid)
        return 0;
    if (named == NULL)
        return 0;
    if (json_is_string(named)) {
        *conn = (uint32_t)by_name(check, json_string_value(named));
        if (*conn == 0)
            return fal_fail(err, FAL_ERR_FORM,
                            "conn: no connection of --connections is named '%.40s'",
                            json_string_value(named));
        return 0;
    }
    if (!json_is_integer(named) || json_integer_value(named) < 0 ||
        json_integer_value(named) > UINT32_MAX)
        return fal_fail(err, FAL_ERR_FORM, "conn: expected a name or a number");
    *conn = (uint32_t)json_integer_value(named);
    if (ulp->timeline && *conn != 0)
        *conn =
            *conn < ulp->num_conns && ulp->conns[*conn] != 0 ? ulp->conns[*conn] : UINT32_MAX;
    return 0;
}

int tl_ulp_take_connection(struct tl_ulp *ulp, struct tl_check *check,
                           const struct fal_event *event, struct fal_error *err)
{
    const struct fal_connection *setup = &event->u.connection;
    struct tl_check_conn *conn;
    uint32_t number = 0;

    if (event->conn == 0 || event->conn > CONNS_MAX)
        return fal_fail(err, FAL_ERR_FORM, "connection: no number from 1 to %d",
                        (int)CONNS_MAX);
    if (event->conn >= ulp->num_conns) {
        size_t num = event->conn * (size_t)2 + 1;
        uint32_t *conns = realloc(ulp->conns, num * sizeof *conns);

        if (conns == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        memset(conns + ulp->num_conns, 0, (num - ulp->num_conns) * sizeof *conns);
        ulp->conns = conns;
        ulp->num_conns = num;
    }
    for (size_t i = 0; i < check->num_conns && number == 0; i++)
        if (check->conns[i].given && check->conns[i].setup.sut.cid == setup->sut.cid &&
            check->conns[i].setup.tester.cid == setup->tester.cid)
            number = (uint32_t)i + 1;
    if (number == 0) {
        conn = tl_check_conn_new(check);
        if (conn == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        conn->setup = *setup;
        conn->known[0] = conn->known[1] = true;
        number = (uint32_t)(conn - check->conns) + 1;
        if (tl_check_conn_given(check, conn, err) != 0)
            return FAL_ERR_FORM;
    }
    ulp->conns[event->conn] = number;
    return 0;
}
