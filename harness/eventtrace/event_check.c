/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/eventtrace/event_check.h"

#include "harness/eventtrace/timeline_trace.h"
#include "harness/eventtrace/trace_read.h"
#include "harness/tally/tally_print.h"
#include "oracles/rules/eventpipe/ep_judge.h"
#include "oracles/rules/eventpipe/falcon_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of the report ---- */

static const struct fal_shape verdict = {
    .kind = FAL_SHAPE_WORD, .words = fal_verdict_names, .num_words = FAL_VERDICTS};
static const struct fal_member finding_members[] = {
    {"verdict", &verdict, .flags = FAL_MUST},
    {"at_ns", &fal_shape_uint, .flags = FAL_MUST, .doc = "time of the line that shows it"},
    {"number", &fal_shape_uint, .doc = "number of the line"},
    {"flow", &fal_shape_uint, .flags = FAL_MUST},
    {"what", &fal_shape_text, .flags = FAL_MUST, .doc = "what was expected and what was found"},
};
static const struct fal_shape finding = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(finding_members)};
static const struct fal_shape findings = {.kind = FAL_SHAPE_LIST, FAL_OF(&finding)};
static const struct fal_member rule_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"actor", &fal_shape_text, .flags = FAL_MUST, .doc = "who may violate it"},
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"source", &fal_shape_text, .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"held", &fal_shape_uint, .flags = FAL_MUST, .doc = "times that it held"},
    {"broken", &fal_shape_uint, .flags = FAL_MUST, .doc = "times that it was violated"},
    {"excused", &fal_shape_uint, .flags = FAL_MUST, .doc = "times that nothing was decided"},
    {"excuse", &fal_shape_text, .doc = "the first reason for that"},
    {"findings", &findings, .flags = FAL_MUST, .doc = "the first ones"},
};
static const struct fal_shape rule = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(rule_members)};
static const struct fal_shape rules = {.kind = FAL_SHAPE_LIST, FAL_OF(&rule)};
static const struct fal_member report_members[] = {
    {"schema", FAL_ONE_WORD(TL_EVENT_CHECK_SCHEMA), .flags = FAL_MUST},
    {"events", &fal_shape_uint, .flags = FAL_MUST, .doc = "lines of the trace"},
    {"verdict", &verdict, .flags = FAL_MUST, .doc = "the worst of all rules"},
    {"rules", &rules, .flags = FAL_MUST},
};
const struct fal_shape tl_event_check_shape = {
    .kind = FAL_SHAPE_OBJECT,
    .doc = "What the rules of event pipelines found in a trace",
    FAL_MEMBERS(report_members)};

/* ---- judging ---- */

struct tl_event_check {
    char *file; /* that declares the pipeline, or NULL */
    bool ended;
    struct fal_ep_judge *judge; /* NULL: no event was judged */
    uint64_t events, lines, last_ns;
};

struct tl_event_check *tl_event_check_new(const char *setup, struct fal_error *err)
{
    struct tl_event_check *check = calloc(1, sizeof *check);

    if (check != NULL && setup != NULL)
        check->file = strdup(setup);
    if (check != NULL && (setup == NULL || check->file != NULL))
        return check;
    (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    free(check);
    return NULL;
}

void tl_event_check_free(struct tl_event_check *check)
{
    if (check == NULL)
        return;
    fal_ep_judge_free(check->judge);
    free(check->file);
    free(check);
}

/* The first event comes. */
static int begin(struct tl_event_check *check, bool timeline, struct fal_error *err)
{
    struct fal_ep_setup setup = {0};
    int rc = 0;

    if (timeline)
        setup = fal_falcon_trace_setup();
    else if (check->file != NULL)
        rc = tl_event_setup_read(check->file, &setup, err);
    if (rc != 0)
        return rc;
    check->judge = fal_ep_judge_new(&setup);
    return check->judge != NULL ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static void take(void *ctx, const struct fal_ep_event *event)
{
    fal_ep_judge_event(ctx, event);
}

int tl_event_check_file(struct tl_event_check *check, const char *path, struct fal_error *err)
{
    const bool timeline = tl_event_is_timeline(path);
    int rc;

    if (check->judge != NULL || check->ended)
        return fal_fail(err, FAL_ERR_FORM, "%s: one trace is judged, and it has begun", path);
    if (check->file != NULL && timeline)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s is a timeline of Falcon, whose pipeline is known: give no --setup",
                        path);
    rc = begin(check, timeline, err);
    if (rc != 0)
        return rc;
    return timeline ? tl_event_timeline_read(path, take, check->judge, &check->events, err)
                    : tl_event_trace_read(path, take, check->judge, &check->events, err);
}

int tl_event_check_line(struct tl_event_check *check, const char *line, size_t len,
                        struct fal_error *err)
{
    struct fal_ep_event event;
    int rc = 0;

    if (check->ended)
        return fal_fail(err, FAL_ERR_FORM, "the trace has ended");
    if (check->judge == NULL)
        rc = begin(check, false, err);
    check->lines++;
    if (rc == 0 && len > 0)
        rc = tl_event_line_read(line, len, &event, err);
    if (rc != 0 || len == 0)
        return rc;
    if (event.at_ns < check->last_ns)
        return fal_fail(err, FAL_ERR_FORM,
                        "at_ns: %" PRIu64 " is before the %" PRIu64 " of an earlier line",
                        event.at_ns, check->last_ns);
    check->last_ns = event.at_ns;
    check->events++;
    event.number = check->lines;
    fal_ep_judge_event(check->judge, &event);
    return 0;
}

void tl_event_check_end(struct tl_event_check *check)
{
    if (check->judge != NULL && !check->ended)
        fal_ep_judge_end(check->judge);
    check->ended = true;
}

const struct fal_tally *tl_event_check_tally(const struct tl_event_check *check)
{
    return check->judge != NULL ? fal_ep_judge_tally(check->judge) : NULL;
}

/* ---- the report ---- */

static int print_json(const struct fal_tally *tally, uint64_t events, FILE *out)
{
    json_t *report = tl_tally_json(tally);
    int rc = FAL_ERR_MEM;

    if (report != NULL &&
        json_object_set_new(report, "schema", json_string(TL_EVENT_CHECK_SCHEMA)) == 0 &&
        json_object_set_new(report, "events", json_integer((json_int_t)events)) == 0 &&
        json_dumpf(report, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF)
        rc = 0;
    json_decref(report);
    return rc;
}

static void print_text(const struct fal_tally *tally, uint64_t events, FILE *out)
{
    tl_tally_print(out, tally);
    fprintf(out, "%" PRIu64 " events: %s\n", events,
            fal_verdict_name(fal_tally_verdict(tally)));
}

int tl_event_check_print(const struct tl_event_check *check, bool json, FILE *out)
{
    const struct fal_tally *tally = tl_event_check_tally(check);

    if (tally == NULL)
        return 0;
    if (json)
        return print_json(tally, check->events, out);
    print_text(tally, check->events, out);
    return 0;
}
