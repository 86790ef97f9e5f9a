/* SPDX-License-Identifier: Apache-2.0
 * trace.c - libtalon: traces of event pipelines. */
#include "harness/eventtrace/event_check.h"
#include "harness/lib/setup.h"

#include <stdlib.h>

struct talon_trace {
    struct tl_event_check *check;
    struct talon_finding finding; /* the last one that was handed out */
    uint64_t line;                /* that shows it */
};

struct talon_trace *talon_trace_new(const char *setup, struct talon_error *err)
{
    struct talon_trace *trace = calloc(1, sizeof *trace);
    struct fal_error why = {{0}};

    if (trace != NULL)
        trace->check = tl_event_check_new(setup, &why);
    if (trace != NULL && trace->check != NULL)
        return trace;
    (void)tl_lib_fail_text(err, TALON_ERR_MEM, "out of memory");
    free(trace);
    return NULL;
}

void talon_trace_free(struct talon_trace *trace)
{
    if (trace != NULL)
        tl_event_check_free(trace->check);
    free(trace);
}

int talon_trace_line(struct talon_trace *trace, const char *line, size_t length,
                     struct talon_error *err)
{
    struct fal_error why = {{0}};
    size_t len = length > 0 && line[length - 1] == '\n' ? length - 1 : length;
    int rc = tl_event_check_line(trace->check, line, len, &why);

    return rc == 0 ? 0 : tl_lib_fail(err, rc, &why);
}

int talon_trace_file(struct talon_trace *trace, const char *path, struct talon_error *err)
{
    struct fal_error why = {{0}};
    int rc = tl_event_check_file(trace->check, path, &why);

    return rc == 0 ? 0 : tl_lib_fail(err, rc, &why);
}

void talon_trace_end(struct talon_trace *trace)
{
    tl_event_check_end(trace->check);
}

enum talon_verdict talon_trace_verdict(const struct talon_trace *trace)
{
    const struct fal_tally *tally = tl_event_check_tally(trace->check);

    return tally != NULL ? (enum talon_verdict)fal_tally_verdict(tally) : TALON_VERDICT_NONE;
}

const struct talon_finding *talon_trace_finding(struct talon_trace *trace, size_t i)
{
    const struct fal_tally *tally = tl_event_check_tally(trace->check);

    for (size_t r = 0; tally != NULL && r < tally->num_rules; r++) {
        const struct fal_tally_finding *f;

        if (i >= tally->rows[r].num_findings) {
            i -= tally->rows[r].num_findings;
            continue;
        }
        f = &tally->rows[r].findings[i];
        trace->line = f->number;
        trace->finding = (struct talon_finding){
            .verdict = (enum talon_verdict)f->verdict,
            .rule = tally->rules[r].id,
            .title = tally->rules[r].text,
            .party = tally->rules[r].actor,
            .connection = (uint32_t)f->flow,
            .time_ns = f->at_ns,
            .expected = "",
            .seen = f->what,
            .frames = &trace->line,
            .num_frames = f->number > 0,
        };
        return &trace->finding;
    }
    return NULL;
}

int talon_trace_report(const struct talon_trace *trace, enum talon_report report,
                       talon_write_fn *write, void *ctx)
{
    struct tl_lib_writer writer = {write, ctx};
    FILE *out = tl_lib_stream(&writer);

    return out != NULL ? tl_lib_close(out, tl_event_check_print(
                                               trace->check, report == TALON_REPORT_JSON, out))
                       : TALON_ERR_MEM;
}
