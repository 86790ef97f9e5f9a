/* SPDX-License-Identifier: Apache-2.0
 * history_json.c - the history as talon/history/1. */
#include "harness/history/history_out.h"

#include <jansson.h>
#include <stdlib.h>

/* ---- the table ---- */

static const struct fal_shape verdict = {.kind = FAL_SHAPE_WORD, FAL_WORDS(fal_verdict_names)};
static const struct fal_shape counts = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_uint)};
static const struct fal_member run_members[] = {
    {"run", &fal_shape_uint, .flags = FAL_MUST, .doc = "its number in the history"},
    {"time", &fal_shape_text, .flags = FAL_MUST, .doc = "UTC"},
    {"device", &fal_shape_text, .flags = FAL_MUST},
    {"firmware", &fal_shape_text, .flags = FAL_MUST, .doc = "empty: not stated"},
    {"profile", &fal_shape_text, .flags = FAL_MUST, .doc = "empty: the run had none"},
    {"tool", &fal_shape_text, .flags = FAL_MUST, .doc = "the version of Talon"},
    {"sut", &fal_shape_text, .flags = FAL_MUST, .doc = "its address"},
    {"hash", &fal_shape_text, .flags = FAL_MUST,
     .doc = "identifies the results and their labels"},
    {"certificate", &fal_shape_text, .flags = 0,
     .doc = "who signed the certificate of this run"},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"cases", &fal_shape_uint, .flags = FAL_MUST},
    {"counts", &counts, .flags = FAL_MUST, .doc = "cases by what they count for"},
    {"live", &fal_shape_flag, .flags = FAL_MUST},
    {"interrupted", &fal_shape_yes, .flags = 0},
};
static const struct fal_shape run_shape = {
    .kind = FAL_SHAPE_OBJECT, .name = "run", FAL_MEMBERS(run_members)};
static const struct fal_shape run_list = {.kind = FAL_SHAPE_LIST, FAL_OF(&run_shape)};
static const struct fal_shape numbers = {.kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_uint)};
static const struct fal_member row_members[] = {
    {"name", &fal_shape_text, .flags = FAL_MUST,
     .doc = "of the requirement, the cause or the case"},
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"marks", &fal_shape_text, .flags = FAL_MUST,
     .doc = "a letter for each run of the series: . pass, W warn, I inconclusive, F fail, "
            "E error, w excused, - not run"},
    {"cases", &numbers, .flags = 0, .doc = "of a cause: its cases in each run"},
    {"bad", &fal_shape_uint, .flags = FAL_MUST, .doc = "runs with W, I, F or E"},
    {"last_bad", &fal_shape_uint, .flags = 0,
     .doc = "the newest of them: the number of the run"},
    {"observed", &fal_shape_uint, .flags = 0,
     .doc = "of a case: runs that can show that it is flaky"},
    {"flaky", &fal_shape_uint, .flags = 0, .doc = "of a case: runs that do"},
};
static const struct fal_shape row_shape = {
    .kind = FAL_SHAPE_OBJECT, .name = "row", FAL_MEMBERS(row_members)};
static const struct fal_shape row_list = {.kind = FAL_SHAPE_LIST, FAL_OF(&row_shape)};
static const struct fal_member series_members[] = {
    {"device", &fal_shape_text, .flags = FAL_MUST},
    {"profile", &fal_shape_text, .flags = FAL_MUST},
    {"runs", &numbers, .flags = FAL_MUST, .doc = "their numbers, the newest last"},
    {"requirements", &row_list, .flags = 0},
    {"causes", &row_list, .flags = 0},
    {"cases", &row_list, .flags = 0},
};
static const struct fal_shape series_shape = {.kind = FAL_SHAPE_OBJECT,
                                              FAL_MEMBERS(series_members)};
static const struct fal_shape series_list = {.kind = FAL_SHAPE_LIST, FAL_OF(&series_shape)};
static const struct fal_member history_members[] = {
    {"schema", FAL_ONE_WORD(TL_HISTORY_SCHEMA), .flags = FAL_MUST},
    {"runs", &run_list, .flags = 0, .doc = "by device, profile and time"},
    {"series", &series_list, .flags = 0, .doc = "trends: the runs of a device with a profile"},
    {"matrix", &run_list, .flags = 0,
     .doc = "of each device, firmware and profile the newest run; the newest firmware first"},
};
const struct fal_shape tl_history_shape = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(history_members),
                                           .doc = "What talon history prints as JSON."};

/* ---- writing ---- */

static json_t *run_json(const struct tl_history_run *r)
{
    char time[TL_HISTORY_TIME];
    json_t *counted = json_object();

    for (int v = 0; v < TL_VERDICTS && counted != NULL; v++)
        (void)json_object_set_new(counted, fal_verdict_name((enum fal_verdict)v),
                                  json_integer((json_int_t)r->counted[v]));
    tl_history_time_text(r->time, false, time);
    return json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s*, s:s, s:I, s:o, s:b, s:o*}",
                     "run", (json_int_t)r->id, "time", time, "device", r->device, "firmware",
                     r->firmware, "profile", r->profile, "tool", r->tool, "sut", r->sut, "hash",
                     r->hash, "certificate", r->certificate[0] != 0 ? r->certificate : NULL,
                     "verdict", fal_verdict_name(r->verdict), "cases", (json_int_t)r->cases,
                     "counts", counted, "live", r->live, "interrupted",
                     r->partial ? json_true() : NULL);
}

/* The first error of many calls: NULL for an object or an array whose element is missing. */
static json_t *with(json_t *list, json_t *element)
{
    if (list != NULL && json_array_append_new(list, element) == 0)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *runs_json(const struct tl_history_runs *runs)
{
    json_t *list = json_array();

    for (size_t i = 0; i < runs->count && list != NULL; i++)
        list = with(list, run_json(&runs->list[i]));
    return list;
}

static json_t *matrix_json(const struct tl_history_matrix *matrix)
{
    json_t *list = json_array();

    for (size_t i = 0; i < matrix->num_cells && list != NULL; i++)
        list = with(list, run_json(matrix->cells[i].run));
    return list;
}

/* A letter for each run. */
static json_t *marks_json(const struct tl_history_row *row, size_t n)
{
    char *letters = malloc(n + 1);
    json_t *text;

    for (size_t i = 0; i < n && letters != NULL; i++)
        letters[i] = tl_history_letters[row->marks[i]];
    text = letters != NULL ? json_stringn(letters, n) : NULL;
    free(letters);
    return text;
}

static json_t *cases_json(const struct tl_history_row *row, size_t n)
{
    json_t *list = row->counts != NULL ? json_array() : NULL;

    for (size_t i = 0; i < n && list != NULL; i++)
        list = with(list, json_integer(row->counts[i]));
    return list;
}

static json_t *row_json(const struct tl_history_runs *runs, const struct tl_history_row *row)
{
    const struct tl_history_series *s = &runs->series[row->series];
    json_t *out = json_pack("{s:s, s:s, s:o, s:o*, s:I}", "name", row->name, "text", row->text,
                            "marks", marks_json(row, s->count), "cases",
                            cases_json(row, s->count), "bad", (json_int_t)row->bad);

    if (out != NULL && row->bad > 0)
        (void)json_object_set_new(
            out, "last_bad", json_integer((json_int_t)runs->list[s->first + row->last_bad].id));
    if (out != NULL && row->observed > 0) {
        (void)json_object_set_new(out, "observed", json_integer((json_int_t)row->observed));
        (void)json_object_set_new(out, "flaky", json_integer((json_int_t)row->flaky));
    }
    return out;
}

static json_t *trend_json(const struct tl_history_view *v, enum tl_history_of of, size_t series)
{
    json_t *list = json_array();
    size_t first, count;

    tl_history_rows_of(v->trends[of], series, &first, &count);
    if (v->rows > 0 && count > v->rows)
        count = (size_t)v->rows;
    for (size_t i = first; i < first + count && list != NULL; i++)
        list = with(list, row_json(v->runs, &v->trends[of]->rows[i]));
    return list;
}

static json_t *series_json(const struct tl_history_view *v, size_t series)
{
    const struct tl_history_series *s = &v->runs->series[series];
    const struct tl_history_run *run = &v->runs->list[s->first];
    json_t *ids = json_array(), *out;

    for (size_t i = 0; i < s->count && ids != NULL; i++)
        ids = with(ids, json_integer((json_int_t)run[i].id));
    out = json_pack("{s:s, s:s, s:o}", "device", run->device, "profile", run->profile, "runs",
                    ids);
    for (int of = 0; of < TL_HISTORY_KINDS && out != NULL; of++) {
        if (v->trends[of] == NULL ||
            json_object_set_new(out, tl_history_of_names[of],
                                trend_json(v, (enum tl_history_of)of, series)) == 0)
            continue;
        json_decref(out);
        out = NULL;
    }
    return out;
}

static json_t *document(const struct tl_history_view *v)
{
    json_t *series = NULL;
    bool trends = false;

    for (int of = 0; of < TL_HISTORY_KINDS; of++)
        trends = trends || v->trends[of] != NULL;
    if (trends)
        series = json_array();
    for (size_t s = 0; s < v->runs->num_series && series != NULL; s++)
        series = with(series, series_json(v, s));
    if (trends && series == NULL)
        return NULL;
    return json_pack("{s:s, s:o*, s:o*, s:o*}", "schema", TL_HISTORY_SCHEMA, "runs",
                     v->lists ? runs_json(v->runs) : NULL, "series", series, "matrix",
                     v->matrix != NULL ? matrix_json(v->matrix) : NULL);
}

int tl_history_json_write(FILE *out, const struct tl_history_view *view, struct fal_error *err)
{
    json_t *all = document(view);

    if (all == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    (void)json_dumpf(all, out, JSON_INDENT(1)); /* the stream keeps the error */
    fputc('\n', out);
    json_decref(all);
    return 0;
}
