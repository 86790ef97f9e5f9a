/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/site/site_facts.h"

#include "codecs/base/time_text.h"
#include "harness/site/host_check.h"
#include "harness/site/path_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends to a text of TL_FACT_TEXT bytes, as far as it has room. */
static void say(char *out, const char *format, ...)
{
    size_t len = strlen(out);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(out + len, TL_FACT_TEXT - len, format, args);
    va_end(args);
}

/* Appends the problems of that weight. Returns how many. */
static size_t list_findings(const json_t *document, const char *weight, char *out)
{
    const json_t *findings = json_object_get(document, "findings");
    size_t n = 0;

    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        const char *id = json_string_value(json_object_get(f, "id"));
        const char *is = json_string_value(json_object_get(f, "weight"));

        if (id != NULL && is != NULL && strcmp(is, weight) == 0 &&
            !json_is_true(json_object_get(f, "ok")))
            say(out, "%s%.40s", n++ > 0 ? ", " : "", id);
    }
    return n;
}

void tl_site_facts_wrong(const struct tl_bench_facts *facts, char *out)
{
    out[0] = 0;
    (void)list_findings(facts->host_document, "falsifies", out);
}

static void tell_host(struct tl_bench_facts *facts)
{
    const json_t *document = facts->host_document;
    const char *iface = json_string_value(json_object_get(document, "interface"));
    json_int_t stamp = json_integer_value(json_object_get(document, "stamp_error_ns"));
    char list[TL_FACT_TEXT] = "";

    facts->stamp_error_ns = stamp > 0 ? (uint64_t)stamp : 0;
    say(facts->host, "host-check: %.15s, MTU %" JSON_INTEGER_FORMAT,
        iface != NULL ? iface : "?", json_integer_value(json_object_get(document, "mtu")));
    if (list_findings(document, "falsifies", list) > 0)
        say(facts->host, "; may falsify verdicts: %.250s", list);
    list[0] = 0;
    if (list_findings(document, "limits", list) > 0)
        say(facts->host, "; limits tests: %.250s", list);
}

static void tell_path(struct tl_bench_facts *facts)
{
    const json_t *paths = json_object_get(facts->path_document, "paths");
    json_int_t sent = 0, received = 0;
    const struct tl_path_limits *limits = &facts->limits;

    for (size_t i = 0; i < json_array_size(paths); i++) {
        const json_t *one = json_array_get(paths, i);

        sent += json_integer_value(json_object_get(one, "sent"));
        received += json_integer_value(json_object_get(one, "received"));
    }
    facts->probes = sent > 0 ? (uint64_t)sent : 0;
    facts->probes_lost = received < sent ? (uint64_t)(sent - received) : 0;
    say(facts->path,
        "path-check: round trip at most %s, %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
        " probes came back, %s, %s",
        fal_time_text(limits->round_trip_ns).text, received, sent,
        limits->in_order ? "in order" : "order not kept",
        limits->no_duplicates ? "no duplicates" : "duplicates");
}

static int load_host(struct tl_bench_facts *facts, const char *file, struct fal_error *err)
{
    json_error_t where;
    const char *schema;

    facts->host_document = json_load_file(file, JSON_REJECT_DUPLICATES, &where);
    if (facts->host_document == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %.120s", file, where.line, where.text);
    schema = json_string_value(json_object_get(facts->host_document, "schema"));
    if (schema == NULL || strcmp(schema, TL_HOST_CHECK_SCHEMA) != 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.200s: not a file that talon host-check --json wrote", file);
    return 0;
}

static int look_at_host(struct tl_bench_facts *facts, const char *iface, struct fal_error *err)
{
    struct tl_host_report report;
    int rc = tl_host_check(iface, &report, err);

    if (rc != 0)
        return rc;
    facts->host_document = tl_host_report_json(&report);
    tl_host_report_close(&report);
    return facts->host_document != NULL ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

int tl_site_facts_load(struct tl_bench_facts *facts, const char *host_file,
                       const char *path_file, const char *iface, struct fal_error *err)
{
    int rc = 0;

    *facts = (struct tl_bench_facts){.has_limits = false};
    if (host_file != NULL)
        rc = load_host(facts, host_file, err);
    else if (iface != NULL)
        rc = look_at_host(facts, iface, err);
    if (rc == 0 && facts->host_document != NULL)
        tell_host(facts);
    if (rc == 0 && path_file != NULL)
        rc = tl_path_limits_load(path_file, &facts->limits, &facts->path_document, err);
    if (rc == 0 && path_file != NULL) {
        facts->has_limits = true;
        tell_path(facts);
    }
    return rc;
}

void tl_site_facts_free(struct tl_bench_facts *facts)
{
    json_decref(facts->host_document);
    json_decref(facts->path_document);
    facts->host_document = facts->path_document = NULL;
}
