/* SPDX-License-Identifier: Apache-2.0
 * results_json.c - results as talon/results/1 (docs/formats.md, scenarios/schema/results.json).
 */
#include "reports/formats/report.h"

#include "reports/base/memory_file.h"
#include "reports/causes/causes.h"
#include "reports/results/results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The members of a run, except its cases. */
static json_t *head(const struct tl_results *results, const struct tl_tally *tally,
                    const struct tl_causes *causes)
{
    struct tl_results_head *head = malloc(sizeof *head);
    json_t *json = NULL;

    if (head == NULL)
        return NULL;
    head->results = *results;
    head->tally = *tally;
    head->results.causes = causes->list;
    head->results.num_causes = causes->count;
    if (!results->live || results->answer_max_ns == 0) /* nothing was measured */
        head->results.timer_late_ns = head->results.answer_min_ns =
            head->results.answer_max_ns = 0;
    json = fal_shape_write(&tl_results_head_shape, head);
    free(head);
    return json;
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
    char *text = dumped(fal_shape_write(&tl_case_shape, c));

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
    const struct tl_causes *causes;
    struct tl_causes *own;
    char *text;
    int rc = tl_results_tally(results, &tally, NULL);

    if (rc != 0)
        return rc;
    rc = tl_causes_use(results, options != NULL ? options->causes : NULL, &own, &causes);
    text = rc == 0 ? dumped(head(results, &tally, causes)) : NULL;
    tl_causes_drop(own);
    if (rc != 0)
        return rc;
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
