/* SPDX-License-Identifier: Apache-2.0
 * path_check.c - measures the paths to the SUT one after the other, and writes the document
 * about them. */
#include "harness/site/path_check.h"

#include "harness/link/sockets.h"
#include "harness/session/echo_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_LABEL = 0x1a001,
    ROOM = 4, /* factor on the longest delay that was measured */
};

#define ROOM_NS (50 * FAL_MS) /* plus this much: for rare events */

static const struct tl_path_one unknown = {
    .rtt_min_ns = FAL_NEVER,
    .rtt_median_ns = FAL_NEVER,
    .rtt_p99_ns = FAL_NEVER,
    .rtt_max_ns = FAL_NEVER,
    .hops_to = -1,
    .hops_back = -1,
    .ecn_to = {-1, -1, -1, -1},
    .ecn_back = {-1, -1, -1, -1},
    .dscp_to = {-1, -1, -1, -1, -1, -1, -1, -1},
    .dscp_back = {-1, -1, -1, -1, -1, -1, -1, -1},
    .mtu = -1,
};

/* ---- measuring ---- */

/* Measures one source port: with the default flow label, and with others. */
static int by_port(const struct tl_target *target, const struct tl_address *echo, unsigned n,
                   const struct tl_path_options *options, struct tl_path_report *report,
                   struct fal_error *err)
{
    unsigned labels = report->ipv6 ? options->labels : 0;
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i <= labels && report->num_paths < TL_PATHS_MAX; i++) {
        struct tl_path_one *one = &report->paths[report->num_paths];
        struct tl_link *link = tl_echo_link_open(target, echo, n, err);
        struct tl_address local;

        if (link == NULL)
            return FAL_ERR_IO;
        *one = unknown;
        if (report->num_paths > 0)
            one->mtu = report->paths[report->num_paths - 1].mtu;
        one->flow_label = i > 0 ? FIRST_LABEL + (report->num_paths & 0xfff) : 0;
        if (tl_address_parse(link->ops->caps(link).local_address, &local, NULL) == 0)
            one->port = tl_address_port(&local);
        rc = tl_path_probe(link, report->ipv6, options, one, err);
        report->capture_drops += link->ops->drops(link);
        link->ops->free(link);
        report->num_paths += rc == 0;
    }
    return rc;
}

static int by_echo(const struct tl_target *target, const struct tl_address *echo,
                   const struct tl_path_options *options, struct tl_path_report *out,
                   struct fal_error *err)
{
    int rc = 0;

    for (unsigned n = 0; rc == 0 && n < options->ports; n++)
        rc = by_port(target, echo, n, options, out, err);
    for (size_t i = 0; rc == 0 && i < out->num_paths; i++)
        if (out->paths[i].received > 0)
            return 0;
    return rc != 0
               ? rc
               : fal_fail(
                     err, FAL_ERR_IO,
                     "no probe came back: is the echo running, and does the network let it answer?");
}

int tl_path_check(const struct tl_target *target, const char *echo,
                  const struct tl_path_options *options, struct tl_path_report *out,
                  struct fal_error *err)
{
    struct tl_bench bench = {.link = NULL};
    struct tl_address to;
    int rc;

    *out = (struct tl_path_report){.num_paths = 0};
    rc = tl_echo_address(target, 0, &to, err);
    if (rc == 0)
        out->ipv6 = tl_address_family(&to) == AF_INET6;
    if (rc == 0 && echo != NULL) {
        rc = tl_resolve_among(echo, &target->live.allowed, &to, err);
        return rc == 0 ? by_echo(target, &to, options, out, err) : rc;
    }
    if (rc != 0)
        return rc;
    rc = tl_bench_open(&bench, target, options->seed, err);
    if (rc != 0) {
        tl_bench_explain(&bench, target, err);
        return rc;
    }
    if (bench.echo_port != 0) {
        rc = tl_echo_address(target, bench.echo_port, &to, err);
        if (rc == 0)
            rc = by_echo(target, &to, options, out, err);
    } else {
        out->method = TL_PATH_BY_FALCON;
        out->paths[0] = unknown;
        rc = tl_path_falcon(&bench, options, &out->paths[0], err);
        out->num_paths = rc == 0;
    }
    tl_bench_close(&bench);
    return rc;
}

/* ---- what it means ---- */

struct tl_path_limits tl_path_limits(const struct tl_path_report *report)
{
    struct tl_path_limits limits = {.in_order = report->method == TL_PATH_BY_ECHO,
                                    .no_duplicates = true,
                                    .delay_max_ns = FAL_NEVER};

    for (size_t i = 0; i < report->num_paths; i++) {
        const struct tl_path_one *one = &report->paths[i];

        if (one->rtt_max_ns != FAL_NEVER && one->rtt_max_ns > limits.round_trip_ns)
            limits.round_trip_ns = one->rtt_max_ns;
        limits.in_order = limits.in_order && one->reordered_to + one->reordered_back == 0 &&
                          one->received > 1;
        limits.no_duplicates = limits.no_duplicates && one->duplicates == 0;
    }
    if (limits.round_trip_ns > 0)
        limits.delay_max_ns = ROOM * limits.round_trip_ns + ROOM_NS;
    return limits;
}

/* ---- JSON ---- */

static void put(json_t *object, const char *key, int64_t value)
{
    if (value >= 0)
        (void)json_object_set_new(object, key, json_integer(value));
}

static void put_time(json_t *object, const char *key, uint64_t ns)
{
    if (ns != FAL_NEVER)
        (void)json_object_set_new(object, key, json_integer((json_int_t)ns));
}

/* [{"sent": 1, "to": 1, "back": 0}, ...]; unknown values are left out. */
static json_t *treatment(const uint8_t *sent, const int *to, const int *back, unsigned n)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < n; i++) {
        json_t *one = json_object();

        put(one, "sent", sent[i]);
        put(one, "to", to[i]);
        put(one, "back", back[i]);
        (void)json_array_append_new(list, one);
    }
    return list;
}

static json_t *one_json(const struct tl_path_report *report, const struct tl_path_one *one)
{
    static const uint8_t ecns[] = {0, 1, 2, 3};
    json_t *object = json_object();

    if (report->method == TL_PATH_BY_ECHO)
        put(object, "source_port", one->port);
    if (one->flow_label != 0)
        put(object, "flow_label", one->flow_label);
    if (report->ipv6 && report->method == TL_PATH_BY_ECHO)
        put(object, "flow_label_seen", one->label_seen);
    put(object, "sent", one->sent);
    put(object, "received", one->received);
    put(object, "duplicates", one->duplicates);
    if (report->method == TL_PATH_BY_ECHO) {
        put(object, "reordered_to", one->reordered_to);
        put(object, "reordered_back", one->reordered_back);
    }
    put_time(object, "rtt_min_ns", one->rtt_min_ns);
    put_time(object, "rtt_median_ns", one->rtt_median_ns);
    put_time(object, "rtt_p99_ns", one->rtt_p99_ns);
    put_time(object, "rtt_max_ns", one->rtt_max_ns);
    put(object, "hops_to", one->hops_to);
    put(object, "hops_back", one->hops_back);
    put(object, "mtu", one->mtu);
    (void)json_object_set_new(object, "ecn", treatment(ecns, one->ecn_to, one->ecn_back, 4));
    (void)json_object_set_new(
        object, "dscp", treatment(tl_path_dscps, one->dscp_to, one->dscp_back, TL_PATH_DSCPS));
    return object;
}

json_t *tl_path_report_json(const struct tl_path_report *report, const char *sut)
{
    struct tl_path_limits limits = tl_path_limits(report);
    json_t *paths = json_array(), *stated = json_object(), *object;

    for (size_t i = 0; i < report->num_paths; i++)
        (void)json_array_append_new(paths, one_json(report, &report->paths[i]));
    put_time(stated, "round_trip_ns", limits.round_trip_ns);
    put_time(stated, "delay_max_ns", limits.delay_max_ns);
    (void)json_object_set_new(stated, "in_order", json_boolean(limits.in_order));
    (void)json_object_set_new(stated, "no_duplicates", json_boolean(limits.no_duplicates));
    object =
        json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "schema", TL_PATH_CHECK_SCHEMA, "sut",
                  sut, "method", report->method == TL_PATH_BY_ECHO ? "echo" : "falcon", "ip",
                  report->ipv6 ? 6 : 4, "capture_drops", (json_int_t)report->capture_drops,
                  "paths", paths, "limits", stated);
    return object;
}

int tl_path_limits_load(const char *file, struct tl_path_limits *out, json_t **document,
                        struct fal_error *err)
{
    json_error_t where;
    json_t *all = json_load_file(file, JSON_REJECT_DUPLICATES, &where), *limits, *delay;
    const char *schema;
    int rc = 0;

    if (all == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %.120s", file, where.line, where.text);
    schema = json_string_value(json_object_get(all, "schema"));
    limits = json_object_get(all, "limits");
    delay = json_object_get(limits, "delay_max_ns");
    if (schema == NULL || strcmp(schema, TL_PATH_CHECK_SCHEMA) != 0 ||
        !json_is_object(limits) ||
        json_integer_value(json_object_get(limits, "round_trip_ns")) < 0 ||
        json_integer_value(delay) < 0)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%.200s: not a file that talon path-check --json wrote", file);
    *out = (struct tl_path_limits){
        .round_trip_ns = (uint64_t)json_integer_value(json_object_get(limits, "round_trip_ns")),
        .delay_max_ns = delay != NULL ? (uint64_t)json_integer_value(delay) : FAL_NEVER,
        .in_order = json_is_true(json_object_get(limits, "in_order")),
        .no_duplicates = json_is_true(json_object_get(limits, "no_duplicates"))};
    if (rc == 0 && document != NULL)
        *document = json_incref(all);
    json_decref(all);
    return rc;
}
