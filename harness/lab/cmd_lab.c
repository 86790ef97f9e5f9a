/* SPDX-License-Identifier: Apache-2.0
 * cmd_lab.c - `talon lab`: experiments of congestion control on a simulated fabric. */
#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/eventpipe/algorithm.h"
#include "harness/lab/lab_foreign.h"
#include "harness/lab/lab_json.h"
#include "harness/lab/lab_page.h"
#include "harness/lab/lab_text.h"
#include "oracles/eventpipe/paced.h"
#include "oracles/lab/experiment.h"
#include "oracles/params.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PS_PER_NS = 1000,
    DEFAULT_PART = 50 /* a new flow of --algorithm begins at this part of the rate */
};

#define TIME_MAX_NS (FAL_S * 10)
#define RATE_LEAST  UINT64_C(1000000)
#define RATE_MOST   UINT64_C(1600000000000)

struct lab_command {
    struct tl_texts words; /* the experiment */
    struct fal_swift_params params;
    struct tl_texts settings;
    struct tl_lab_foreign foreign;
    const char *algorithm; /* the file of a library; NULL: Swift */
    struct tl_ep_algorithm *process;
    struct fal_ep_paced paced; /* its event pipeline */
    struct fal_lab_pacer pacer;
    bool list, quiet, trace;
    int player;               /* enum player */
    int format;               /* enum format */
    const char *page, *plots; /* files */
    uint64_t flows, seed, time_ns, rate_bps, answer_s;
};

enum player { MODEL, ENDPOINT };
enum format { TEXT, JSON };

#define TL_OPTIONS_OF struct lab_command

/* "100Gb/s" */
static int read_rate(void *into, const char *value, struct fal_error *err)
{
    struct lab_command *c = into;
    char *end;
    unsigned long long number = strtoull(value, &end, 10);
    uint64_t unit = strcmp(end, "Gb/s") == 0   ? UINT64_C(1000000000)
                    : strcmp(end, "Mb/s") == 0 ? UINT64_C(1000000)
                                               : 0;

    if (value[0] < '0' || value[0] > '9' || unit == 0 || number > RATE_MOST / unit ||
        number * unit < RATE_LEAST)
        return fal_fail(err, FAL_ERR_FORM,
                        "expected a rate from 1Mb/s to 1600Gb/s, found '%.40s'", value);
    c->rate_bps = number * unit;
    return 0;
}

/* "NAME=VALUE" */
static int read_param(void *into, const char *value, struct fal_error *err)
{
    return fal_swift_param_read(value, &((struct lab_command *)into)->params, err);
}

/* "lib:FILE", "exec:COMMAND" */
static int read_sut(void *into, const char *value, struct fal_error *err)
{
    return tl_lab_foreign_all(&((struct lab_command *)into)->foreign, value, err);
}

/* "lib:FILE" */
static int read_algorithm(void *into, const char *value, struct fal_error *err)
{
    struct lab_command *c = into;

    c->algorithm = tl_ep_algorithm_file(value, err);
    return c->algorithm != NULL ? 0 : FAL_ERR_FORM;
}

/* "N=lib:FILE" */
static int read_foreign(void *into, const char *value, struct fal_error *err)
{
    return tl_lab_foreign_add(&((struct lab_command *)into)->foreign, value, err);
}

/* "html:FILE" */
static int read_report(void *into, const char *value, struct fal_error *err)
{
    struct lab_command *c = into;

    if (strncmp(value, "html:", 5) != 0 || value[5] == 0)
        return fal_fail(err, FAL_ERR_FORM, "expected html:FILE, found '%.60s'", value);
    c->page = value + 5;
    return 0;
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("EXPERIMENT", words, NULL)},
    {TL_FLAG("--list", list), .help = "list the experiments"},
    {TL_NUMBER("--flows", flows, 1, FAL_LAB_FLOWS_MAX),
     .help = "number of flows (default: those of the experiment, one after another)"},
    {TL_NUMBER("--seed", seed, 0, UINT64_MAX), .help = "of all that is drawn (default 1)"},
    {TL_TIME("--time", time_ns),
     .help = "simulated time, at most 10s (default: that of the experiment, 15ms to 45ms)"},
    {TL_CHOICE("--player", player, "PLAYER", "model endpoint"),
     .help =
         "model (default), or endpoint: the built-in endpoint sends and receives real packets"},
    {TL_OWN("--sut", read_sut, "lib:FILE|exec:COMMAND"),
     .help =
         "your implementation sends in all flows: a library or a process in virtual time, as "
         "for talon run"},
    {TL_OWN("--foreign", read_foreign, "N=lib:FILE|N=exec:COMMAND"),
     .help = "your implementation sends in flow N, the built-in endpoint in the others; may be "
             "given several times"},
    {TL_OWN("--algorithm", read_algorithm, "lib:FILE"),
     .help =
         "your congestion control paces the flows in place of Swift: a library for the event "
         "pipeline of a NIC (docs/event-pipeline.md)"},
    {TL_NUMBER("--timeout", answer_s, 1, 3600),
     .help = "seconds that your implementation or algorithm has for an answer (default 30)"},
    {TL_OWN("--rate", read_rate, "RATE"),
     .help = "of the bottleneck, as 100Gb/s (default) or 400Mb/s"},
    {TL_OWN("--param", read_param, "NAME=VALUE"),
     .help = "a parameter of Swift or PLB (talon help swift); may be given several times"},
    {TL_TEXTS("--set", settings, "NAME=N"),
     .help = "a setting of the experiment (talon lab --list); may be given several times"},
    {TL_OWN("--report", read_report, "html:FILE"),
     .help = "write one page with the values, and plots of windows, delay, queue and shares"},
    {TL_TEXT("--plots", plots, "DIR"),
     .help = "write each plot as an SVG file into a directory"},
    {TL_FLAG("--trace", trace),
     .help =
         "also print a hash of every congestion window with its time and flow, and the number "
         "of events"},
    {TL_CHOICE("--format", format, "text|json", "text json"),
     .help = "of the values on standard output (default text)"},
    {TL_FLAG("--quiet", quiet), .help = "print only values outside their band, and a summary"},
};
static const struct tl_options options = {"lab", option_list,
                                          sizeof option_list / sizeof *option_list};

static int list(void)
{
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    for (size_t i = 0; i < n; i++) {
        printf("%-14s %s  %s\n", e[i].name, e[i].number, e[i].about);
        for (unsigned k = 0; k < FAL_LAB_SETTINGS_MAX; k++) {
            const struct fal_lab_setting s = fal_lab_setting_at(&e[i], k);

            if (s.name != NULL)
                printf("%20s--set %s=%" PRIu32 ": %s (%" PRIu32 " to %" PRIu32 ")\n", "",
                       s.name, s.value, s.about, s.least, s.most);
        }
    }
    return TL_STATUS_PASS;
}

/* ---- the cases of a command ---- */

struct cases {
    struct fal_lab_ask list[FAL_LAB_CASES_MAX];
    unsigned count;
};

/* "NAME=N" of one experiment. */
static int read_setting(const struct fal_lab_experiment *e, const char *text,
                        struct fal_lab_ask *ask)
{
    const char *sign = strchr(text, '=');
    size_t length = sign != NULL ? (size_t)(sign - text) : 0;

    if (sign == NULL)
        return tl_verb_wrong(options.verb, "--set: expected NAME=N, found '%.60s'", text);
    for (unsigned i = 0; i < FAL_LAB_SETTINGS_MAX; i++) {
        const struct fal_lab_setting s = fal_lab_setting_at(e, i);
        char *end;
        unsigned long long number;

        if (s.name == NULL || strlen(s.name) != length || strncmp(s.name, text, length) != 0)
            continue;
        number = strtoull(sign + 1, &end, 10);
        if (sign[1] < '0' || sign[1] > '9' || *end != 0 || number < s.least || number > s.most)
            return tl_verb_wrong(options.verb,
                                 "--set: %s: expected a whole number from %" PRIu32
                                 " to %" PRIu32 ", found '%.40s'",
                                 s.name, s.least, s.most, sign + 1);
        ask->settings[i] = (uint32_t)number;
        return TL_STATUS_PASS;
    }
    return tl_verb_wrong(
        options.verb, "--set: '%s' has no setting '%.*s'; talon lab --list shows its settings",
        e->name, length < 60 ? (int)length : 60, text);
}

/* Without --flows, cases in which the foreign flows do not fit are left out. */
static bool too_few(const struct lab_command *c, uint32_t flows)
{
    return tl_lab_foreign_any(&c->foreign) &&
           (flows < tl_lab_foreign_least(&c->foreign) ||
            tl_lab_foreign_count(&c->foreign, flows) > TL_LAB_FOREIGN_MAX);
}

static int read_cases(struct lab_command *c, const struct fal_lab_experiment *e,
                      const struct fal_swift *swift, struct cases *cases)
{
    const uint32_t given[FAL_LAB_CASES_MAX] = {(uint32_t)c->flows};
    const uint32_t *flows = c->flows > 0 ? given : e->cases;

    for (unsigned i = 0; i < FAL_LAB_CASES_MAX && flows[i] > 0; i++) {
        struct fal_lab_ask *ask = &cases->list[cases->count];

        if (too_few(c, flows[i]))
            continue;
        cases->count++;

        *ask = fal_lab_ask_of(e, flows[i]);
        for (size_t k = 0; k < c->settings.count; k++)
            if (read_setting(e, c->settings.list[k], ask) != TL_STATUS_PASS)
                return TL_STATUS_USAGE;
        ask->seed = c->seed;
        ask->rate_bps = c->rate_bps;
        ask->swift = swift;
        ask->endpoints = c->player == ENDPOINT;
        if (tl_lab_foreign_any(&c->foreign))
            ask->foreign = tl_lab_foreign_ops(&c->foreign);
        if (c->process != NULL)
            ask->pacer = &c->pacer;
        ask->time_ps = c->time_ns > 0 ? c->time_ns * PS_PER_NS : e->time_ps(ask);
    }
    return TL_STATUS_PASS;
}

/* ---- playing ---- */

/* Opens what the command writes to. */
static int open_page(const struct lab_command *c, const struct fal_lab_experiment *e,
                     struct tl_lab_page *page)
{
    *page = (struct tl_lab_page){
        .dir = c->plots, .experiment = e, .foreign = &c->foreign, .algorithm = c->algorithm};
    if (c->plots != NULL && mkdir(c->plots, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "talon lab: --plots: %s: %s\n", c->plots, strerror(errno));
        return TL_STATUS_ERROR;
    }
    if (c->page == NULL)
        return TL_STATUS_PASS;
    page->html = fopen(c->page, "we");
    if (page->html == NULL) {
        fprintf(stderr, "talon lab: --report: %s: %s\n", c->page, strerror(errno));
        return TL_STATUS_ERROR;
    }
    tl_lab_page_begin(page, &c->params);
    return TL_STATUS_PASS;
}

static int close_page(const struct lab_command *c, const struct tl_lab_page *page, int status)
{
    bool wrong;

    if (page->html == NULL)
        return status;
    tl_lab_page_end(page);
    wrong = ferror(page->html) != 0;
    wrong = fclose(page->html) != 0 || wrong;
    if (!wrong)
        return status;
    fprintf(stderr, "talon lab: --report: %s: cannot write\n", c->page);
    return TL_STATUS_ERROR;
}

/* What was found so far. */
struct told {
    unsigned warnings;
    json_t *cases; /* with --format json */
};

static int tell(const struct lab_command *c, const struct fal_lab_experiment *e,
                const struct fal_lab_ask *ask, const struct fal_lab_outcome *out,
                struct told *told, struct fal_error *err)
{
    if (c->format == TEXT) {
        told->warnings += tl_lab_print(e, ask, out, c->quiet, c->trace);
        return 0;
    }
    for (unsigned i = 0; i < out->n_values; i++)
        told->warnings += fal_lab_outside(&out->values[i]);
    if (told->cases == NULL)
        told->cases = json_array();
    return json_array_append_new(told->cases, tl_lab_json_case(e, ask, out)) == 0
               ? 0
               : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

static int conclude(const struct lab_command *c, const struct fal_lab_experiment *e,
                    struct told *told)
{
    json_t *cases = told->cases;

    if (c->format == TEXT) {
        printf("%s%u value%s outside %s band\n", c->quiet ? "" : "\n", told->warnings,
               told->warnings == 1 ? "" : "s", told->warnings == 1 ? "its" : "their");
        return TL_STATUS_PASS;
    }
    told->cases = NULL;
    if (tl_lab_json_put(stdout, e, cases, told->warnings) == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon lab: cannot write the values as JSON\n");
    return TL_STATUS_ERROR;
}

/* Bands are those of Swift. */
static void forget_bands(struct fal_lab_outcome *out)
{
    for (unsigned i = 0; i < out->n_values; i++)
        out->values[i].banded = false;
}

/* Plays one case. Returns 0, FAL_ERR_MEM or FAL_ERR_IO with `err`. */
static int play_case(const struct lab_command *c, const struct fal_lab_ask *asked,
                     struct tl_lab_page *page, struct told *told, struct fal_error *err)
{
    struct fal_lab_series series = {.swift = asked->swift, .until_ps = asked->time_ps};
    struct fal_lab_ask ask = *asked;
    bool plots = page->html != NULL || page->dir != NULL;
    struct fal_lab_outcome out;
    int rc;

    if (plots) {
        ask.record = fal_lab_series_record;
        ask.record_ctx = &series;
    }
    rc = page->experiment->run(&ask, &out);
    if (c->process != NULL)
        forget_bands(&out);
    if (rc == 0 && plots)
        rc = fal_lab_series_end(&series);
    if (rc != 0 && c->foreign.err.text[0] != 0)
        *err = c->foreign.err;
    else if (rc != 0 && c->process != NULL && tl_ep_algorithm_error(c->process)->text[0] != 0)
        (void)fal_fail(err, rc, "--algorithm: %s: %s", c->algorithm,
                       tl_ep_algorithm_error(c->process)->text);
    else if (rc != 0)
        (void)fal_fail(err, rc, "out of memory");
    else
        rc = tell(c, page->experiment, &ask, &out, told, err);
    if (rc == 0 && plots)
        rc = tl_lab_page_case(page, &ask, &out, &series, err);
    fal_lab_series_free(&series);
    return rc;
}

static int play(struct lab_command *c, const struct fal_lab_experiment *e)
{
    struct fal_error err = {{0}};
    struct fal_swift swift;
    struct cases cases = {.count = 0};
    struct tl_lab_page page;
    struct told told = {.warnings = 0};
    int status;

    if (fal_swift_init(&swift, &c->params, true, &err) != 0)
        return tl_verb_wrong(options.verb, "--param: %s", err.text);
    if (read_cases(c, e, &swift, &cases) != TL_STATUS_PASS)
        return TL_STATUS_USAGE;
    if (cases.count == 0)
        return tl_verb_wrong(options.verb,
                             "no case has foreign flow %" PRIu32
                             " and at most %d foreign flows; use --flows",
                             tl_lab_foreign_least(&c->foreign), TL_LAB_FOREIGN_MAX);
    status = open_page(c, e, &page);
    if (status != TL_STATUS_PASS)
        return status;
    if (!c->quiet && c->format == TEXT)
        printf("%s (%s): %s\n", e->name, e->number, e->about);
    for (unsigned i = 0; i < cases.count && status == TL_STATUS_PASS; i++)
        if (play_case(c, &cases.list[i], &page, &told, &err) != 0) {
            fprintf(stderr, "talon lab: %s\n", err.text);
            status = TL_STATUS_ERROR;
        }
    if (status == TL_STATUS_PASS)
        status = conclude(c, e, &told);
    json_decref(told.cases);
    return close_page(c, &page, status);
}

/* With the algorithm in its process. */
static int play_algorithm(struct lab_command *c, const struct fal_lab_experiment *e)
{
    struct fal_error err = {{0}};
    int status;

    if (tl_ep_algorithm_open(&c->process, c->algorithm, (unsigned)c->answer_s, &err) != 0) {
        fprintf(stderr, "talon lab: --algorithm: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    c->paced = (struct fal_ep_paced){.algorithm = tl_ep_algorithm_of(c->process),
                                     .line_bps = c->rate_bps,
                                     .default_rate_bps = c->rate_bps / DEFAULT_PART};
    c->pacer = fal_ep_paced_pacer(&c->paced);
    status = play(c, e);
    fal_ep_paced_free(&c->paced);
    tl_ep_algorithm_close(c->process);
    return status;
}

static int no_experiment(const char *name)
{
    const char *names[16];
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    for (size_t i = 0; i < n && i < 16; i++)
        names[i] = e[i].name;
    return tl_verb_wrong(options.verb, "no experiment '%.40s'%s", name,
                         fal_hint(fal_nearest(name, names, n < 16 ? n : 16), "").text);
}

static int run_verb(struct lab_command *c)
{
    const struct fal_lab_experiment *e;

    if (c->list && c->words.count == 0)
        return list();
    if (c->words.count != 1)
        return tl_verb_wrong(options.verb,
                             "expected one EXPERIMENT; talon lab --list shows them");
    e = fal_lab_experiment_find(c->words.list[0]);
    if (e == NULL)
        return no_experiment(c->words.list[0]);
    if (c->time_ns > TIME_MAX_NS)
        return tl_verb_wrong(options.verb, "--time: expected at most 10s");
    if (c->flows > 0 && !e->flows_given)
        return tl_verb_wrong(options.verb, "--flows: '%s' has flows of its own", e->name);
    if (tl_lab_foreign_any(&c->foreign) && e->own_paths)
        return tl_verb_wrong(options.verb,
                             "'%s' is about paths, and a SUT does not tell the lab its path; "
                             "other experiments play with --sut and --foreign",
                             e->name);
    if ((tl_lab_foreign_any(&c->foreign) || c->player == ENDPOINT || c->algorithm != NULL) &&
        e->own_flows)
        return tl_verb_wrong(options.verb,
                             "'%s' has flows of DCQCN, which no other player takes; --player, "
                             "--sut, --foreign and --algorithm are for other experiments",
                             e->name);
    if ((c->page != NULL || c->plots != NULL) && e->own_flows)
        return tl_verb_wrong(options.verb, "'%s' has no plots; --format json writes its values",
                             e->name);
    if (c->algorithm != NULL && e->own_paths)
        return tl_verb_wrong(
            options.verb,
            "'%s' is about paths, and an algorithm has none; other experiments "
            "play with --algorithm",
            e->name);
    if (c->algorithm != NULL && (tl_lab_foreign_any(&c->foreign) || c->player == ENDPOINT))
        return tl_verb_wrong(options.verb, "--algorithm paces model flows; it does not go with "
                                           "--sut, --foreign and --player endpoint");
    c->foreign.answer_s = (unsigned)c->answer_s;
    return c->algorithm != NULL ? play_algorithm(c, e) : play(c, e);
}

int tl_cmd_lab(int argc, char **argv)
{
    struct lab_command c = {.seed = 1, .rate_bps = UINT64_C(100000000000)};
    int status;

    fal_swift_params_default(&c.params);
    status = tl_verb_read(&options, tl_usage_lab, argc, argv, &c);
    if (status != TL_VERB_GO)
        return status;
    status = run_verb(&c);
    tl_options_free(&options, &c);
    return status;
}
