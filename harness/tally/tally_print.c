/* SPDX-License-Identifier: Apache-2.0
 * tally_print.c - see tally_print.h. */
#include "harness/tally/tally_print.h"

#include "reports/base/status.h"

#include <inttypes.h>
#include <string.h>

/* ---- the table ---- */

static void print_finding(FILE *out, const struct fal_tally_finding *f)
{
    fprintf(out, "        %s at %" PRIu64 ".%03" PRIu64 " us", fal_verdict_name(f->verdict),
            f->at_ns / 1000, f->at_ns % 1000);
    if (f->number != 0)
        fprintf(out, ", number %" PRIu64, f->number);
    fprintf(out, ", flow %" PRIu64 ": %s\n", f->flow, f->what);
}

/* Violations and undecided findings beyond those that the tally keeps. */
static void print_more(FILE *out, const struct fal_tally_row *row)
{
    if (row->broken > row->num_findings)
        fprintf(out, "        and %" PRIu64 " more\n", row->broken - row->num_findings);
}

static int widest_id(const struct fal_tally *tally)
{
    size_t widest = 4;

    for (size_t i = 0; i < tally->num_rules; i++)
        if (strlen(tally->rules[i].id) > widest)
            widest = strlen(tally->rules[i].id);
    return (int)widest;
}

/* "not exercised" is the word of all reports for a rule that decided nothing. */
static const char *word_of(const struct fal_tally_row *row)
{
    return row->verdict == FAL_VERDICT_NONE ? "not exercised" : fal_verdict_name(row->verdict);
}

void tl_tally_print(FILE *out, const struct fal_tally *tally)
{
    const int width = widest_id(tally);

    fprintf(out, "%-*s  %-13s %10s %9s %9s  %s\n", width, "rule", "verdict", "held", "violated",
            "excused", "text");
    for (size_t i = 0; i < tally->num_rules; i++) {
        const struct fal_tally_row *row = &tally->rows[i];

        fprintf(out, "%-*s  %-13s %10" PRIu64 " %9" PRIu64 " %9" PRIu64 "  %s\n", width,
                tally->rules[i].id, word_of(row), row->held, row->broken, row->excused,
                tally->rules[i].text);
        for (unsigned f = 0; f < row->num_findings; f++)
            print_finding(out, &row->findings[f]);
        print_more(out, row);
        if (row->excused > 0)
            fprintf(out, "        excused %" PRIu64 " time%s, first: %s\n", row->excused,
                    row->excused == 1 ? "" : "s", row->excuse);
    }
}

/* ---- JSON ---- */

static json_t *json_finding(const struct fal_tally_finding *f)
{
    json_t *o =
        json_pack("{s:s, s:I, s:I, s:s}", "verdict", fal_verdict_name(f->verdict), "at_ns",
                  (json_int_t)f->at_ns, "flow", (json_int_t)f->flow, "what", f->what);

    if (o != NULL && f->number != 0 &&
        json_object_set_new(o, "number", json_integer((json_int_t)f->number)) != 0) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *json_row(const struct fal_tally_rule *rule, const struct fal_tally_row *row)
{
    json_t *findings = json_array(), *o;

    for (unsigned i = 0; i < row->num_findings; i++)
        if (json_array_append_new(findings, json_finding(&row->findings[i])) != 0)
            goto fail;
    o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s*, s:o}", "id", rule->id,
                  "actor", rule->actor, "text", rule->text, "source", rule->source, "verdict",
                  fal_verdict_name(row->verdict), "held", (json_int_t)row->held, "broken",
                  (json_int_t)row->broken, "excused", (json_int_t)row->excused, "excuse",
                  row->excused > 0 ? row->excuse : NULL, "findings", findings);
    return o; /* findings now belong to it; json_pack has freed them if it failed */
fail:
    json_decref(findings);
    return NULL;
}

json_t *tl_tally_json(const struct fal_tally *tally)
{
    json_t *rules = json_array();

    for (size_t i = 0; i < tally->num_rules; i++)
        if (json_array_append_new(rules, json_row(&tally->rules[i], &tally->rows[i])) != 0)
            goto fail;
    return json_pack("{s:s, s:o}", "verdict", fal_verdict_name(fal_tally_verdict(tally)),
                     "rules", rules);
fail:
    json_decref(rules);
    return NULL;
}

json_t *tl_tally_list(const struct fal_tally_rule *rules, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        if (json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "id", rules[i].id,
                                                  "actor", rules[i].actor, "title",
                                                  rules[i].text, "source", rules[i].source)) !=
            0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* ---- the exit status ---- */

int tl_tally_exit_status(const struct fal_tally *tally)
{
    static const int of[FAL_VERDICTS] = {
        [FAL_VERDICT_NONE] = TL_STATUS_INCONC,   [FAL_VERDICT_PASS] = TL_STATUS_PASS,
        [FAL_VERDICT_WARN] = TL_STATUS_PASS,     [FAL_VERDICT_FAIL] = TL_STATUS_FAIL,
        [FAL_VERDICT_INCONC] = TL_STATUS_INCONC, [FAL_VERDICT_ERROR] = TL_STATUS_ERROR,
    };

    return of[fal_tally_verdict(tally)];
}
