/* SPDX-License-Identifier: Apache-2.0
 * roce_files.c - the JSON files of `talon check --protocol roce`: parameters of DCQCN, and
 * queue pairs that are connected. */
#include "harness/roce/roce_command.h"

#include "codecs/json/shape.h"
#include "harness/check/check.h"
#include "oracles/beyond/dcqcn.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

#define ROW(member, text)                                                                \
    {                                                                                    \
        .key = #member, &fal_shape_uint, FAL_AT(struct fal_dcqcn, member), .doc = (text) \
    }
#define FLAG(member, text)                                                               \
    {                                                                                    \
        .key = #member, &fal_shape_flag, FAL_AT(struct fal_dcqcn, member), .doc = (text) \
    }

static const struct fal_shape preset = {.kind = FAL_SHAPE_TEXT};
static const struct fal_shape part_1024 = {.kind = FAL_SHAPE_UINT, .max = 1024};
static const struct fal_shape exponent = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 40};
static const struct fal_shape percent = {.kind = FAL_SHAPE_UINT, .max = 100};
static const struct fal_shape ppm = {.kind = FAL_SHAPE_UINT, .max = 1000000};

static const struct fal_member parameter_members[] = {
    {.key = "preset", &preset, .doc = "the values to begin with: paper or nic"},
    {.key = "g_1024",
     &part_1024,
     FAL_AT(struct fal_dcqcn, g_1024),
     .doc = "weight of the old alpha, in 1/1024"},
    ROW(alpha_period_ns, "K: alpha changes once in it"),
    {.key = "alpha_start_1024",
     &part_1024,
     FAL_AT(struct fal_dcqcn, alpha_start_1024),
     .doc = "alpha at the start, in 1/1024"},
    FLAG(alpha_at_cnp, "a CNP raises alpha at once, and begins K anew"),
    ROW(decrease_period_ns, "M: at most one cut in it; 0: one for each CNP"),
    FLAG(clamp_target, "each cut sets the target to the rate"),
    {.key = "gd",
     &exponent,
     FAL_AT(struct fal_dcqcn, gd),
     .doc = "a cut is alpha / 2^(gd - 10)"},
    {.key = "max_cut_percent",
     &percent,
     FAL_AT(struct fal_dcqcn, max_cut_percent),
     .doc = "the largest cut"},
    ROW(min_rate_bps, "the least rate"),
    ROW(line_rate_bps, "the rate of the port"),
    ROW(timer_ns, "T: time of an increase"),
    ROW(byte_counter, "B: bytes of an increase"),
    ROW(stages, "F: events before additive increase"),
    ROW(rai_bps, "additive increase"),
    ROW(rhai_bps, "hyper increase"),
    ROW(cnp_interval_ns, "N: least time between CNPs of a flow"),
    ROW(kmin_bytes, "below it nothing is marked"),
    ROW(kmax_bytes, "above it all is marked"),
    {.key = "pmax_ppm",
     &ppm,
     FAL_AT(struct fal_dcqcn, pmax_ppm),
     .doc = "probability of a mark at kmax"},
    {.key = "burst_bytes",
     &fal_shape_uint,
     .doc = "bytes that the rate limiter lets pass at once"},
};
static const struct fal_shape parameters = {
    .kind = FAL_SHAPE_OBJECT, .doc = "Parameters of DCQCN", FAL_MEMBERS(parameter_members)};

static int no_such_preset(const char *name, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "'%.60s': no such set; there are paper and nic", name);
}

static json_t *load(const char *path, struct fal_error *err)
{
    json_error_t where;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);

    if (root == NULL && where.line < 0)
        FAL_IGNORE(fal_fail(err, FAL_ERR_FORM, "%.150s: %.150s", path, where.text));
    else if (root == NULL)
        FAL_IGNORE(fal_fail(err, FAL_ERR_FORM, "%.150s:%d:%d: %.150s", path, where.line,
                            where.column, where.text));
    return root;
}

static int read_parameters(const char *path, const json_t *root, struct fal_rj_setup *setup,
                           struct fal_error *err)
{
    const char *name = json_string_value(json_object_get(root, "preset"));
    const json_t *burst = json_object_get(root, "burst_bytes");
    struct fal_misfit wrong = {.depth = 0};
    int rc = fal_shape_read(&parameters, root, NULL, false, &wrong);

    if (rc != 0)
        return fal_misfit_error(&wrong, rc, path, err);
    if (name != NULL && fal_dcqcn_preset(name) == NULL)
        return no_such_preset(name, err);
    if (name != NULL)
        setup->dcqcn = *fal_dcqcn_preset(name);
    rc = fal_shape_read(&parameters, root, &setup->dcqcn, true, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, path, err);
    setup->have_dcqcn = true;
    if (burst != NULL) {
        setup->have_burst = true;
        setup->burst_bytes = (uint64_t)json_integer_value(burst);
    }
    return 0;
}

int tl_roce_read_parameters(const char *name, struct fal_rj_setup *setup, struct fal_error *err)
{
    const struct fal_dcqcn *known = fal_dcqcn_preset(name);
    json_t *root;
    int rc;

    if (known != NULL) {
        setup->dcqcn = *known;
        setup->have_dcqcn = true;
        return 0;
    }
    root = load(name, err);
    if (root == NULL)
        return FAL_ERR_FORM;
    rc = read_parameters(name, root, setup, err);
    json_decref(root);
    return rc;
}

/* ---- queue pairs ---- */

static int read_address(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    struct tl_host host;

    if (text == NULL || !tl_host_read(text, &host))
        return fal_misfit_say(wrong, "expected an IP address, found '%.60s'",
                              text != NULL ? text : "");
    if (out != NULL)
        *(struct fal_rj_host *)out = (struct fal_rj_host){host.ip, host.v6};
    return 0;
}

struct end {
    struct fal_rj_host host;
    uint32_t qp;
};
struct connection {
    struct end sut, peer;
};
struct connections {
    struct connection *list;
    size_t count;
};

static const struct fal_shape address = {.kind = FAL_SHAPE_TEXT, .read = read_address};
static const struct fal_shape queue_pair = {.kind = FAL_SHAPE_UINT, .max = 0xffffff};
static const struct fal_member end_members[] = {
    {.key = "ip", &address, FAL_MUST, FAL_AT(struct end, host)},
    {.key = "qp", &queue_pair, FAL_MUST, FAL_AT(struct end, qp)},
};
static const struct fal_shape end = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(end_members)};
static const struct fal_member connection_members[] = {
    {.key = "sut", &end, FAL_MUST, FAL_AT(struct connection, sut)},
    {.key = "peer", &end, FAL_MUST, FAL_AT(struct connection, peer)},
};
static const struct fal_shape connection = {.kind = FAL_SHAPE_OBJECT,
                                            FAL_MEMBERS(connection_members)};
static const struct fal_shape connection_list = {.kind = FAL_SHAPE_LIST,
                                                 FAL_OF(&connection),
                                                 .max = 65536,
                                                 .item_size = sizeof(struct connection)};
static const struct fal_member top_members[] = {
    {.key = "connections",
     &connection_list,
     FAL_MUST,
     FAL_AT(struct connections, list),
     FAL_COUNT(struct connections, count)},
};
static const struct fal_shape top = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(top_members)};

int tl_roce_read_pairs(const char *path, struct fal_rj_pair **pairs, size_t *count,
                       struct fal_error *err)
{
    struct fal_misfit wrong = {.depth = 0};
    struct connections all = {.count = 0};
    json_t *root = load(path, err);
    int rc;

    if (root == NULL)
        return FAL_ERR_FORM;
    rc = fal_shape_read(&top, root, &all, false, &wrong);
    if (rc != 0) {
        rc = fal_misfit_error(&wrong, rc, path, err);
        goto done;
    }
    free(*pairs);
    *pairs = calloc(all.count > 0 ? all.count : 1, sizeof **pairs);
    if (*pairs == NULL) {
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        goto done;
    }
    for (size_t i = 0; i < all.count; i++)
        (*pairs)[i] = (struct fal_rj_pair){{all.list[i].sut.host, all.list[i].peer.host},
                                           {all.list[i].sut.qp, all.list[i].peer.qp}};
    *count = all.count;
done:
    fal_shape_free(&top, &all);
    json_decref(root);
    return rc;
}
