/* SPDX-License-Identifier: Apache-2.0
 * cmd_eventpipe.c - `talon eventpipe`: a model of the event pipeline of a NIC with programmable
 * congestion control, in a random world. */
#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/eventpipe/algorithm.h"
#include "harness/eventpipe/trace_file.h"
#include "oracles/eventpipe/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct eventpipe_command {
    struct tl_texts words; /* run or list */
    uint64_t seed, events, flows;
    enum fal_ep_fault fault;
    uint32_t variants;
    const char *trace, *setup; /* files */
    const char *algorithm;     /* the file of a library; NULL: built in */
    int points;                /* enum points of the trace */
};

enum points { ALL, OUTSIDE, WIRE };

#define TL_OPTIONS_OF struct eventpipe_command

/* The number of a row of a table by its name. */
static int read_row(const char *value, const struct fal_ep_row *rows, size_t n, size_t *out,
                    struct fal_error *err)
{
    const char *names[FAL_EP_FAULTS];

    *out = fal_ep_row_find(rows, n, value);
    if (*out < n)
        return 0;
    for (size_t i = 0; i < n; i++)
        names[i] = rows[i].id;
    return fal_fail(err, FAL_ERR_FORM,
                    "no such name '%.40s'%s; talon eventpipe list shows them", value,
                    fal_hint(fal_nearest(value, names, n), "").text);
}

static int read_fault(void *into, const char *value, struct fal_error *err)
{
    size_t row;
    int rc = read_row(value, fal_ep_fault_rows, FAL_EP_FAULTS, &row, err);

    if (rc == 0)
        ((struct eventpipe_command *)into)->fault = (enum fal_ep_fault)row;
    return rc;
}

static int read_variant(void *into, const char *value, struct fal_error *err)
{
    size_t row;
    int rc = read_row(value, fal_ep_variant_rows, FAL_EP_VARIANTS, &row, err);

    if (rc == 0)
        ((struct eventpipe_command *)into)->variants |= UINT32_C(1) << row;
    return rc;
}

/* "lib:FILE" */
static int read_algorithm(void *into, const char *value, struct fal_error *err)
{
    struct eventpipe_command *c = into;

    c->algorithm = tl_ep_algorithm_file(value, err);
    return c->algorithm != NULL ? 0 : FAL_ERR_FORM;
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("ACTION", words, NULL)},
    {TL_NUMBER("--seed", seed, 0, UINT64_MAX), .help = "of all that is drawn (default 1)"},
    {TL_NUMBER("--events", events, 1, 1000000000),
     .help = "events at the sources, after which the world comes to rest (default 10000)"},
    {TL_NUMBER("--flows", flows, 1, 65000), .help = "flows that send (default 48)"},
    {TL_OWN("--fault", read_fault, "NAME"), .help = "a planted bug (talon eventpipe list)"},
    {TL_OWN("--variant", read_variant, "NAME"),
     .help = "a conforming variant (talon eventpipe list); may be given several times"},
    {TL_OWN("--algorithm", read_algorithm, "lib:FILE"),
     .help =
         "your congestion control in place of the built-in one: a library with the interface "
         "of talon_event_algorithm.h"},
    {TL_TEXT("--trace", trace, "FILE"), .help = "write each step as a line of JSON"},
    {TL_CHOICE("--points", points, "POINTS", "all outside wire"),
     .help =
         "of the trace: all (default); outside, what goes in and comes out: sources, drops, "
         "classes, runs, answers, the port; or wire, the port alone"},
    {TL_TEXT("--setup", setup, "FILE"),
     .help = "write what is declared of the pipeline: sizes, thresholds, classes"},
};
static const struct tl_options options = {"eventpipe", option_list,
                                          sizeof option_list / sizeof *option_list};

static int list(void)
{
    printf("planted bugs, each with the rule that has to find it:\n");
    for (size_t i = 1; i < FAL_EP_FAULTS; i++)
        printf("  %-26s %-5s %s\n", fal_ep_fault_rows[i].id, fal_ep_fault_rows[i].rule,
               fal_ep_fault_rows[i].text);
    printf("\nconforming variants:\n");
    for (size_t i = 0; i < FAL_EP_VARIANTS; i++)
        printf("  %-26s %s\n", fal_ep_variant_rows[i].id, fal_ep_variant_rows[i].text);
    return TL_STATUS_PASS;
}

static void print_counts(const struct eventpipe_command *c, const struct fal_ep_counts *n)
{
    printf("seed %" PRIu64 ": %" PRIu64 " events, %" PRIu64 " dropped, %" PRIu64
           " selected, %" PRIu64 " merged into another\n",
           c->seed, n->sources, n->dropped, n->selected, n->merged);
    printf("flow map: %" PRIu64 " hits, %" PRIu64 " misses; overrides: %" PRIu64 "\n", n->hits,
           n->misses, n->overrides);
    printf("runs: %" PRIu64 "; contexts: %" PRIu64 " in the store, %" PRIu64
           " reloaded, %" PRIu64 " new, %" PRIu64 " evicted\n",
           n->runs, n->context_hits, n->context_reloads, n->context_news, n->evictions);
    printf("answers: %" PRIu64 "; lines of the trace: %" PRIu64 "\n", n->answers, n->lines);
}

struct sink {
    struct tl_ep_trace_file file;
    enum points points;
};

/* Whether a trace from outside has the point. */
static bool is_outside(enum fal_ep_point point)
{
    return point == FAL_EP_SOURCE || point == FAL_EP_WRED || point == FAL_EP_TABLE ||
           point == FAL_EP_CCP || point == FAL_EP_RATE || point == FAL_EP_WIRE;
}

static void put(void *ctx, const struct fal_ep_event *event)
{
    struct sink *sink = ctx;

    if (sink->points == ALL || (sink->points == OUTSIDE && is_outside(event->point)) ||
        event->point == FAL_EP_WIRE)
        tl_ep_trace_put(&sink->file, event);
}

/* Plays the world. Returns 0, or what went wrong with `err`. */
static int play_world(const struct eventpipe_command *c, struct tl_ep_algorithm *process,
                      struct fal_ep_counts *counts, struct fal_error *err)
{
    struct sink sink = {.points = (enum points)c->points};
    struct fal_ep_algorithm algorithm;
    struct fal_ep_world_config world = {.seed = c->seed,
                                        .events = c->events,
                                        .flows = (uint32_t)c->flows,
                                        .fault = c->fault,
                                        .variants = c->variants,
                                        .trace = c->trace != NULL ? put : NULL,
                                        .ctx = &sink};
    struct fal_ep_setup setup = fal_ep_world_setup(&world);
    int rc = 0, closed;

    setup.all_points = c->points == ALL;
    if (process != NULL) {
        algorithm = tl_ep_algorithm_of(process);
        world.algorithm = &algorithm;
    }
    if (c->setup != NULL)
        rc = tl_ep_setup_write(c->setup, &setup, err);
    if (rc == 0 && c->trace != NULL)
        rc = tl_ep_trace_open(&sink.file, c->trace, err);
    if (rc == 0)
        rc = fal_ep_world_run(&world, counts, err);
    if (rc != 0 && process != NULL && tl_ep_algorithm_error(process)->text[0] != 0)
        (void)fal_fail(err, rc, "--algorithm: %s: %s", c->algorithm,
                       tl_ep_algorithm_error(process)->text);
    closed = tl_ep_trace_close(&sink.file, rc == 0 ? err : NULL);
    return rc != 0 ? rc : closed;
}

static int play(const struct eventpipe_command *c)
{
    struct tl_ep_algorithm *process = NULL;
    struct fal_error err = {{0}};
    struct fal_ep_counts counts;
    int rc = 0;

    if (c->algorithm != NULL)
        rc = tl_ep_algorithm_open(&process, c->algorithm, 0, &err);
    if (rc == 0)
        rc = play_world(c, process, &counts, &err);
    tl_ep_algorithm_close(process);
    if (rc != 0) {
        fprintf(stderr, "talon eventpipe: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    print_counts(c, &counts);
    return TL_STATUS_PASS;
}

static int run_verb(const struct eventpipe_command *c)
{
    const char *action = c->words.count == 1 ? c->words.list[0] : "";

    if (strcmp(action, "list") == 0)
        return list();
    if (strcmp(action, "run") == 0)
        return play(c);
    return tl_verb_wrong(options.verb, "expected run or list");
}

int tl_cmd_eventpipe(int argc, char **argv)
{
    struct eventpipe_command c = {.seed = 1, .events = 10000};
    int status = tl_verb_read(&options, tl_usage_eventpipe, argc, argv, &c);

    if (status != TL_VERB_GO)
        return status;
    status = run_verb(&c);
    tl_options_free(&options, &c);
    return status;
}
