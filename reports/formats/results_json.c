/* SPDX-License-Identifier: Apache-2.0
 * results_json.c - results as talon/results/1 (docs/formats.md, scenarios/schema/results.json).
 */
#include "reports/formats/report.h"

#include "reports/base/memory_file.h"
#include "reports/results/json_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static json_t *counts(const struct tl_tally *tally)
{
    static const enum fal_verdict verdicts[] = {FAL_VERDICT_PASS, FAL_VERDICT_WARN,
                                                FAL_VERDICT_INCONC, FAL_VERDICT_FAIL,
                                                FAL_VERDICT_ERROR};
    struct tl_object o = tl_object();

    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        tl_set_number(&o, fal_verdict_name(verdicts[i]), tally->ended[verdicts[i]]);
    return tl_object_end(&o);
}

static json_t *dispositions(const struct tl_tally *tally)
{
    struct tl_object o = tl_object();

    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++) {
        size_t n = tally->disposed[d];

        if (n > 0)
            tl_set_number(&o, tl_disposition_name((enum tl_disposition)d), n);
    }
    return tl_object_end(&o);
}

static json_t *waivers(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < results->num_waivers; i++) {
        const struct tl_waiver_use *use = &results->waivers[i];
        struct tl_object o = tl_object();

        tl_set_text(&o, "id", use->id);
        tl_set_text(&o, "kind", use->kind);
        tl_set_text(&o, "state", use->state);
        tl_set_number(&o, "cases", use->cases);
        tl_set_text(&o, "reason", use->reason);
        tl_set_text(&o, "link", use->link);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *probe(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < results->num_probe; i++) {
        const struct tl_probe_use *use = &results->probe[i];
        struct tl_object o;

        if (use->cases == 0)
            continue; /* nothing was tried */
        o = tl_object();
        tl_set_text(&o, "item", use->item);
        tl_set(&o, "claimed", use->claimed < 0 ? json_null() : json_boolean(use->claimed));
        tl_set_text(&o, "seen", tl_probe_seen_name(use->seen));
        tl_set_number(&o, "cases", use->cases);
        tl_set_number(&o, "passed", use->passed);
        tl_set_number(&o, "failed", use->failed);
        tl_set_text(&o, "example", use->example);
        tl_set_text(&o, "finding", use->finding);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *ics(const struct tl_results *results)
{
    struct tl_object o = tl_object();

    for (size_t i = 0; i < results->num_ics; i++)
        tl_set(&o, results->ics[i].item,
               results->ics[i].offered < 0 ? json_null()
                                           : json_boolean(results->ics[i].offered));
    return tl_object_end(&o);
}

static json_t *denied(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < results->num_ics; i++)
        if (results->ics[i].denied)
            tl_list_add(list, &ok, json_string(results->ics[i].item));
    return tl_list_end(list, ok);
}

static json_t *all_readings(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    const struct tl_reading_use *use;

    for (size_t i = 0; ok && (use = tl_results_reading(results, i)) != NULL; i++) {
        struct tl_object o = tl_object();

        tl_set_text(&o, "id", use->id);
        tl_set_text(&o, "text", use->text);
        tl_set(&o, "alternative", json_boolean(use->alternative));
        tl_set_number(&o, "cases", use->cases);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *identity(const struct tl_results *results)
{
    struct tl_object o = tl_object();

    tl_set_text(&o, "vendor", results->vendor);
    tl_set_text(&o, "product", results->product_name);
    tl_set_text(&o, "firmware", results->firmware);
    return tl_object_end(&o);
}

/* The members of a run, except its cases. */
static json_t *head(const struct tl_results *results, const struct tl_tally *tally)
{
    struct tl_object o = tl_object();
    char seed[24];

    (void)snprintf(seed, sizeof seed, "%" PRIu64, results->seed);
    tl_set_text(&o, "schema", TL_RESULTS_SCHEMA);
    tl_set_text(&o, "tool", results->version);
    tl_set_text(&o, "sut", results->sut);
    tl_set_text(&o, "product", results->product);
    tl_set(&o, "identity", identity(results));
    tl_set_text(&o, "profile", results->profile);
    tl_set(&o, "live", json_boolean(results->live));
    if (results->live && results->answer_max_ns != 0) {
        struct tl_object measured = tl_object();

        tl_set_number(&measured, "timer_ns", results->timer_late_ns);
        tl_set_number(&measured, "answer_min_ns", results->answer_min_ns);
        tl_set_number(&measured, "answer_max_ns", results->answer_max_ns);
        tl_set(&o, "measured", tl_object_end(&measured));
    }
    tl_set_text(&o, "seed", seed);
    tl_set_text(&o, "verdict", fal_verdict_name(tally->worst));
    tl_set_number(&o, "status", (uint64_t)results->status);
    tl_set(&o, "counts", counts(tally));
    tl_set(&o, "dispositions", dispositions(tally));
    if (results->deselected > 0)
        tl_set_number(&o, "not_selected", results->deselected);
    if (results->shards > 0) {
        tl_set_number(&o, "shard", results->shard);
        tl_set_number(&o, "shards", results->shards);
        tl_set_number(&o, "of_other_shards", results->other_shards);
    }
    if (results->interrupted)
        tl_set(&o, "interrupted", json_true());
    if (results->bad_files > 0)
        tl_set_number(&o, "files_not_read", results->bad_files);
    if (results->num_ics > 0) {
        tl_set(&o, "ics", ics(results));
        tl_set(&o, "ics_denied_by_sut", denied(results));
        if (results->probe != NULL)
            tl_set(&o, "probe", probe(results));
    }
    if (results->num_waivers > 0)
        tl_set(&o, "waivers", waivers(results));
    if (results->strict)
        tl_set(&o, "strict_waivers", json_true());
    tl_set(&o, "readings", all_readings(results));
    return tl_object_end(&o);
}

/* As a text, NULL when out of memory; takes the reference. jansson itself may lose a key then,
 * without a word. */
static char *dumped(json_t *json)
{
    struct tl_memory_file file;
    bool ok = tl_memory_open(&file) == 0 && json != NULL &&
              json_dumpf(json, file.out, JSON_INDENT(1)) == 0;

    json_decref(json);
    if (tl_memory_close(&file) == 0 && ok)
        return file.text;
    free(file.text);
    return NULL;
}

/* A case among others: two levels down. */
static int put_case(FILE *out, const struct tl_case *c, bool first)
{
    char *text = dumped(tl_json_case(c));

    if (text == NULL)
        return FAL_ERR_MEM;
    fputs(first ? "\n" : ",\n", out);
    for (char *line = text, *end; line != NULL; line = end) {
        end = strchr(line, '\n');
        if (end != NULL)
            *end++ = 0;
        fputs("  ", out);
        fputs(line, out);
        if (end != NULL)
            fputc('\n', out);
    }
    free(text);
    return 0;
}

/* One case after another: there may be very many. */
int tl_report_json(FILE *out, const struct tl_results *results,
                   const struct tl_report_options *options)
{
    struct tl_tally tally;
    struct tl_cases it;
    const struct tl_case *c;
    char *text;
    int rc = tl_results_tally(results, &tally, NULL);

    (void)options;
    if (rc != 0)
        return rc;
    text = dumped(head(results, &tally));
    if (text == NULL)
        return FAL_ERR_MEM;
    text[strlen(text) - 2] = 0; /* the newline and the brace at its end */
    fprintf(out, "%s,\n \"cases\": [", text);
    free(text);
    tl_cases_begin(&it, results);
    while ((c = tl_cases_next(&it)) != NULL && rc == 0)
        rc = put_case(out, c, it.next == 1);
    rc = rc != 0 ? rc : it.rc;
    fputs(it.next > 0 ? "\n ]\n}\n" : "]\n}\n", out);
    tl_cases_end(&it);
    return rc == 0 && ferror(out) ? FAL_ERR_IO : rc;
}
