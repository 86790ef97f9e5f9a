/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/eventtrace/event_check.h"

#include "harness/eventtrace/timeline_trace.h"
#include "harness/eventtrace/trace_read.h"
#include "harness/tally/tally_print.h"
#include "oracles/rules/eventpipe/ep_judge.h"
#include "oracles/rules/eventpipe/falcon_trace.h"

#include <inttypes.h>

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

/* ---- */

static void take(void *ctx, const struct fal_ep_event *event)
{
    fal_ep_judge_event(ctx, event);
}

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

int tl_event_check(const struct tl_event_check *check, FILE *out, struct fal_error *err)
{
    struct fal_ep_setup setup = {0};
    struct fal_ep_judge *judge = NULL;
    const bool timeline = tl_event_is_timeline(check->trace);
    uint64_t events;
    int rc = 0;

    if (timeline)
        setup = fal_falcon_trace_setup();
    if (check->setup != NULL && timeline)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%s is a timeline of Falcon, whose pipeline is known: give no --setup",
                      check->trace);
    else if (check->setup != NULL)
        rc = tl_event_setup_read(check->setup, &setup, err);
    if (rc != 0)
        return rc;
    judge = fal_ep_judge_new(&setup);
    if (judge == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    rc = timeline ? tl_event_timeline_read(check->trace, take, judge, &events, err)
                  : tl_event_trace_read(check->trace, take, judge, &events, err);
    if (rc == 0) {
        const struct fal_tally *tally = fal_ep_judge_tally(judge);

        fal_ep_judge_end(judge);
        if (!check->json)
            print_text(tally, events, out);
        else if (print_json(tally, events, out) != 0)
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        rc = rc != 0 ? rc : tl_tally_exit_status(tally);
    }
    fal_ep_judge_free(judge);
    return rc;
}
