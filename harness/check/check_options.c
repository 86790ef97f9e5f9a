/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/check_options.h"

#include "harness/check/check_team.h"

#include "codecs/base/nearest.h"
#include "codecs/text/text.h"
#include "harness/capture/capture.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- rules ---- */

static int no_such_rule(const char *id, struct fal_error *err)
{
    struct fal_nearest_list nearest = {.word = id};
    char names[100];
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        fal_nearest_add(&nearest, rules[i]->id);
    fal_nearest_print(&nearest, names, sizeof names);
    return fal_fail(err, FAL_ERR_FORM, "no rule '%.60s'%s%s%s", id,
                    nearest.num > 0 ? "; did you mean " : "", names,
                    nearest.num > 0 ? "?" : " (talon list rules)");
}

/* Adds the rules that an id, or a pattern, names. */
static int add_rules(struct tl_rule_list *list, const char *pattern, struct fal_error *err)
{
    size_t n, before = list->num;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (fnmatch(pattern, rules[i]->id, 0) == 0 && list->num < FAL_RULES_MAX)
            list->ids[list->num++] = rules[i]->id;
    list->ids[list->num] = NULL;
    return list->num > before ? 0 : no_such_rule(pattern, err);
}

static int read_rules(struct tl_rule_list *list, const char *text, struct fal_error *err)
{
    char *save = NULL, *copy = strdup(text);
    int rc = 0;
    bool any = false;

    if (copy == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (char *id = strtok_r(copy, ",", &save); rc == 0 && id != NULL;
         id = strtok_r(NULL, ",", &save)) {
        any = true;
        rc = add_rules(list, id, err);
    }
    free(copy);
    return any || rc != 0 ? rc : fal_fail(err, FAL_ERR_FORM, "no rules named");
}

static int set_only(void *into, const char *value, struct fal_error *err)
{
    return read_rules(&((struct tl_check_command *)into)->only, value, err);
}

static int set_skip(void *into, const char *value, struct fal_error *err)
{
    return read_rules(&((struct tl_check_command *)into)->skip, value, err);
}

/* ---- times and parameters ---- */

static bool to_duration(const char *text, uint64_t *ns)
{
    struct fal_duration d;

    return fal_text_parse_duration(text, &d, NULL) == 0 && d.var[0] == 0 &&
           fal_duration_ns(&d, NULL, ns, NULL) == 0 && *ns <= INT64_MAX;
}

static int not_a_time(const char *value, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_FORM, "'%.100s'; expected a time such as 250us", value);
}

static int set_offset(void *into, const char *value, struct fal_error *err)
{
    struct tl_check_options *options = &((struct tl_check_command *)into)->options;
    uint64_t ns = 0;

    if (!to_duration(value + (value[0] == '-'), &ns))
        return not_a_time(value, err);
    options->have_ulp_offset = true;
    options->ulp_offset_ns = value[0] == '-' ? -(int64_t)ns : (int64_t)ns;
    return 0;
}

static void give(struct tl_check_options *options, const struct fal_param *param)
{
    size_t n;

    options->given_params |= FAL_PARAM_BIT(param - fal_param_table(&n));
}

static bool to_value(const struct fal_param *param, const char *text, uint64_t *out)
{
    char *end;

    switch (param->kind) {
    case FAL_PARAM_SWITCH:
        *out = strcmp(text, "true") == 0;
        return *out == 1 || strcmp(text, "false") == 0;
    case FAL_PARAM_NUMBER:
        *out = strtoull(text, &end, 10);
        return text[0] >= '0' && text[0] <= '9' && *end == 0;
    case FAL_PARAM_DURATION: return to_duration(text, out);
    }
    return false;
}

static int no_such_param(const char *name, struct fal_error *err)
{
    struct fal_nearest_list nearest = {.word = name};
    char names[100];
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        fal_nearest_add(&nearest, table[i].name);
    fal_nearest_print(&nearest, names, sizeof names);
    return fal_fail(err, FAL_ERR_FORM, "no parameter '%.40s'%s%s%s", name,
                    nearest.num > 0 ? "; did you mean " : "", names,
                    nearest.num > 0 ? "?" : " (talon help defaults)");
}

static int set_param(void *into, const char *text, struct fal_error *err)
{
    struct tl_check_options *options = &((struct tl_check_command *)into)->options;
    const char *equals = strchr(text, '=');
    char name[40];
    const struct fal_param *param;
    uint64_t value = 0;

    if (equals == NULL || (size_t)(equals - text) >= sizeof name)
        return fal_fail(err, FAL_ERR_FORM, "'%.100s'; expected NAME=VALUE", text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    param = fal_param_find(name);
    if (param == NULL)
        return no_such_param(name, err);
    if (!to_value(param, equals + 1, &value) ||
        fal_param_set(param, &options->params, value) != 0)
        return fal_fail(err, FAL_ERR_FORM, "'%.100s' is not a value of its kind", text);
    give(options, param);
    return 0;
}

static int set_param_time(void *into, const char *param_name, const char *value,
                          struct fal_error *err)
{
    struct tl_check_options *options = &((struct tl_check_command *)into)->options;
    const struct fal_param *param = fal_param_find(param_name);
    uint64_t ns = 0;

    if (!to_duration(value, &ns))
        return not_a_time(value, err);
    if (fal_param_set(param, &options->params, ns) != 0)
        return fal_fail(err, FAL_ERR_FORM, "'%.100s' is too long a time", value);
    give(options, param);
    return 0;
}

static int set_turnaround(void *into, const char *value, struct fal_error *err)
{
    return set_param_time(into, "turnaround", value, err);
}

static int set_pipeline(void *into, const char *value, struct fal_error *err)
{
    return set_param_time(into, "pipeline", value, err);
}

/* ---- the path ---- */

static int set_vantage(void *into, const char *value, struct fal_error *err)
{
    return tl_check_vantage(value, &((struct tl_check_command *)into)->options.run.vantage)
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected tester, middle or sut", value);
}

/* Neither direction can take longer than both. */
static int set_round_trip(void *into, const char *value, struct fal_error *err)
{
    struct fal_ev_run *run = &((struct tl_check_command *)into)->options.run;
    uint64_t ns = 0;

    if (!to_duration(value, &ns))
        return not_a_time(value, err);
    if (ns < run->delay_max_ns)
        run->delay_max_ns = ns;
    return 0;
}

static int set_sut(void *into, const char *value, struct fal_error *err)
{
    struct tl_check_options *options = &((struct tl_check_command *)into)->options;

    options->have_sut = true;
    return tl_host_read(value, &options->sut)
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'%.100s'; expected an IP address", value);
}

/* ---- files ---- */

static int set_connections(void *into, const char *path, struct fal_error *err)
{
    struct tl_check_command *c = into;
    struct fal_error why = {{0}};
    json_error_t where;

    json_decref(c->connections);
    c->connections_path = path;
    c->connections = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (c->connections == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.150s:%d:%d: %.150s", path, where.line,
                        where.column, where.text);
    if (tl_check_setup(c->connections, &c->options, &c->connections_list, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.150s: %.200s", path, why.text);
    return 0;
}

static int set_path_check(void *into, const char *path, struct fal_error *err)
{
    return tl_check_path(path, &((struct tl_check_command *)into)->options, err);
}

static int set_psp_keys(void *into, const char *path, struct fal_error *err)
{
    struct tl_check_command *c = into;

    fal_psp_keys_free(c->options.frame.psp_keys);
    c->options.frame.psp_keys = tl_psp_keys_open(path, err);
    return c->options.frame.psp_keys != NULL ? 0 : FAL_ERR_FORM;
}

static int set_esp_keys(void *into, const char *path, struct fal_error *err)
{
    struct tl_check_command *c = into;

    fal_esp_keys_free(c->options.frame.esp_keys);
    c->options.frame.esp_keys = tl_esp_keys_open(path, err);
    return c->options.frame.esp_keys != NULL ? 0 : FAL_ERR_FORM;
}

static int add_report(void *into, const char *value, struct fal_error *err)
{
    struct tl_check_command *c = into;
    struct tl_report_spec spec;
    int rc;

    if (c->num_reports == TL_CHECK_REPORTS_MAX)
        return fal_fail(err, FAL_ERR_FORM, "more than %d reports", TL_CHECK_REPORTS_MAX);
    rc = tl_report_spec_read(value, &spec, err);
    if (rc == 0)
        c->reports[c->num_reports++] = value;
    return rc;
}

/* ---- shards ---- */

static int set_shard(void *into, const char *value, struct fal_error *err)
{
    return tl_shard_read(value, TL_CHECK_SHARDS, tl_shard_environment,
                         &((struct tl_check_command *)into)->options.shard, err);
}

/* Whether options of shards are complete, and fit the others. */
static int shards_ready(const struct tl_check_command *c, struct fal_error *err)
{
    bool sharded = c->options.shard.total > 0, reports = c->num_reports > 0 || c->format != 0;

    if (sharded && c->merge)
        return fal_fail(err, FAL_ERR_FORM, "--shard and --merge exclude each other");
    if (sharded != (c->part != NULL))
        return fal_fail(err, FAL_ERR_FORM, "--shard and --part need each other");
    if (sharded && reports)
        return fal_fail(err, FAL_ERR_FORM,
                        "--report and --format are for --merge: a shard alone has no report");
    if (sharded && c->options.ulp != NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--shard: events of an upper layer (--ulp) cannot be shared out");
    if (c->readings != NULL && !sharded && !c->merge)
        return fal_fail(err, FAL_ERR_FORM, "--readings is for --shard and --merge");
    return 0;
}

/* ---- the table ---- */

#define TL_OPTIONS_OF struct tl_check_command

static const struct tl_option option_list[] = {
    {TL_TEXTS("FILE", files, NULL)},
    {TL_OWN("--connections", set_connections, "FILE"), .group = "The connections",
     .help = "CIDs, addresses, initial numbers, parameters, path (docs/formats.md); what it "
             "leaves out is inferred from the capture where possible"},
    {TL_OWN("--sut", set_sut, "ADDRESS"), .help = "judge this host only"},
    {TL_OWN("--param", set_param, "NAME=VALUE"),
     .help = "a parameter of every connection (talon help defaults): rto=1ms, ordered=true; a "
             "parameter that is not given is never used to fail the SUT; may be repeated"},
    {TL_OWN("--turnaround", set_turnaround, "TIME"),
     .help = "the time the SUT may take to answer"},
    {TL_OWN("--pipeline", set_pipeline, "TIME"),
     .help = "how old the state may be that a packet of the SUT shows"},
    {TL_TEXT("--ulp", options.ulp, "FILE"),
     .help =
         "events and commands of the SUT's upper layer: talon/ulp/1, or the timeline of the "
         "same run; needs --sut or --connections, or a timeline"},
    {TL_OWN("--ulp-offset", set_offset, "TIME"),
     .help = "added to its times to convert them to the clock of the capture; may be negative"},
    {TL_TIME("--ulp-error", options.ulp_error_ns),
     .given_at = offsetof(struct tl_check_command, options.have_ulp_error),
     .help = "the error that they may then still have (default 0)"},
    {TL_OWN("--psp-keys", set_psp_keys, "FILE"), .help = "keys to open PSP packets"},
    {TL_OWN("--esp-keys", set_esp_keys, "FILE"), .help = "keys to open ESP packets"},
    {TL_COUNT("--falcon-port", falcon_port, 1, UINT16_MAX),
     .help = "UDP port of plain Falcon (default 7777)"},
    {TL_OWN("--vantage", set_vantage, "tester|middle|sut"),
     .group = "The path (\"in\" is towards the SUT)",
     .help = "where the capture was taken (default tester)"},
    {TL_FLAG("--lossless-in", options.run.lossless_in),
     .help = "no packet is lost between this point and the SUT"},
    {TL_FLAG("--lossless-out", options.run.lossless_out), .help = "likewise, from the SUT"},
    {TL_FLAG("--in-order-in", options.run.in_order_in), .help = "packets keep their order"},
    {TL_FLAG("--in-order-out", options.run.in_order_out), .help = "likewise, from the SUT"},
    {TL_FLAG("--no-duplicates-in", options.run.no_duplicates_in),
     .help = "no packet is duplicated"},
    {TL_FLAG("--no-duplicates-out", options.run.no_duplicates_out),
     .help = "likewise, from the SUT"},
    {TL_FLAG("--in-order", in_order), .help = "the last four together"},
    {TL_TIME("--delay-min", options.run.delay_min_ns),
     .help = "least delay one way between this point and the SUT"},
    {TL_TIME("--delay-max", options.run.delay_max_ns), .help = "greatest delay one way"},
    {TL_OWN("--round-trip-max", set_round_trip, "TIME"),
     .help = "greatest delay of both ways together"},
    {TL_OWN("--path-check", set_path_check, "FILE"),
     .help = "the path as talon path-check --json FILE measured it: the longest delay, and how "
             "many losses are believed of it"},
    {TL_TIME("--clock-error", options.run.clock_error_ns),
     .help = "the error that a time stamp of the capture may have"},
    {TL_FLAG("--lossy-capture", options.lossy_capture), .group = "The capture",
     .help = "frames may be missing anywhere in it (pcapng records that itself)"},
    {TL_FLAG("--complete-capture", options.run.complete),
     .help =
         "you declare that it holds every packet that passed its place, but for frames that "
         "it counts as dropped; rules use that to fail the SUT"},
    {TL_TIME("--doubles", options.doubles_ns),
     .help = "the same frame again within TIME is a copy made by a mirror port; from two "
             "interfaces it always is within 1ms"},
    {TL_COUNT("--jobs", options.jobs, 1, TL_CHECK_JOBS_MAX),
     .help = "threads that judge connections (default: one a processor); results do not depend "
             "on it"},
    {TL_FLAG("--join", join), .help = "the files are parts of one capture, in this order"},
    {TL_OWN("--shard", set_shard, "I/N|auto"), .group = "Many processes (docs/scale-out.md)",
     .help =
         "judge only the I-th of N shares of the pairs of addresses, in files that are parts "
         "of one capture; auto: by the task of a Slurm array or the index of a Kubernetes "
         "job"},
    {TL_TEXT("--part", part, "FILE"),
     .help = "write what the shard found to this file, for --merge"},
    {TL_FLAG("--merge", merge),
     .help = "the files are the parts of all shards: report what one process would have"},
    {TL_TEXT("--readings", readings, "FILE"),
     .help = "what shards showed of ambiguous sentences: written by --merge if shards must be "
             "judged again, and read by these"},
    {TL_OWN("--only", set_only, "RULES"), .group = "Judging and reports",
     .help = "only these rules: ids with commas, or patterns: 'R*' (talon list rules)"},
    {TL_OWN("--skip", set_skip, "RULES"), .help = "all but these rules"},
    {TL_OWN("--report", add_report, "FORMAT:FILE"),
     .help = "also write html, json (talon/results/1), junit, markdown, sarif, tap or text; "
             "FILE may be -; may be repeated"},
    {TL_CHOICE("--junit-flavor", junit, "NAME", TL_JUNIT_FLAVORS),
     .help = "the program that reads the JUnit file: jenkins (default), gitlab, rich"},
    {TL_CHOICE("--format", format, "text|json", "text json"),
     .help = "of standard output (default text; none with --report to -)"},
    {TL_TEXT("--event-trace", event_trace, "FILE"), .group = "Event pipelines",
     .help = "judge the trace of an event pipeline with programmable congestion control by the "
             "rules EP1 to EP13 (docs/event-pipeline-rules.md), in place of captures; - is "
             "standard input"},
    {TL_TEXT("--setup", event_setup, "FILE"),
     .help = "what is declared of that pipeline; a value that is not declared is never used to "
             "fail it"},
};

const struct tl_options tl_check_options_table = {"check", option_list,
                                                  sizeof option_list / sizeof *option_list};

void tl_check_command_init(struct tl_check_command *c)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    *c = (struct tl_check_command){.options.run.delay_max_ns = FAL_NEVER};
    c->options.jobs = processors < 1                   ? 1
                      : processors > TL_CHECK_JOBS_MAX ? TL_CHECK_JOBS_MAX
                                                       : (unsigned)processors;
    fal_params_default(&c->options.params, true);
}

/* Sets what follows from several options about judging. */
static void follow(struct tl_check_command *c)
{
    struct fal_ev_run *run = &c->options.run;

    if (c->in_order)
        run->in_order_in = run->in_order_out = run->no_duplicates_in = run->no_duplicates_out =
            true;
    if (c->falcon_port != 0)
        c->options.frame.falcon_port = (uint16_t)c->falcon_port;
    if (c->options.shard.total > 0) {
        c->options.jobs = 1;
        c->join = true;
    }
    c->options.rules.only = c->only.num > 0 ? c->only.ids : NULL;
    c->options.rules.skip = c->skip.num > 0 ? c->skip.ids : NULL;
}

/* Events of the upper layer say nothing of who the SUT is; a timeline does. */
static int ulp_has_sut(const struct tl_check_command *c, struct fal_error *err)
{
    const char *ulp = c->options.ulp;

    if (ulp != NULL && !c->options.have_sut && c->connections == NULL &&
        !tl_check_is_timeline(ulp))
        return fal_fail(err, FAL_ERR_FORM,
                        "--ulp: state who is the SUT by --sut or --connections");
    return 0;
}

int tl_check_judging_ready(struct tl_check_command *c, struct fal_error *err)
{
    follow(c);
    return tl_check_options_ok(&c->options, err) != 0 ? FAL_ERR_FORM : ulp_has_sut(c, err);
}

int tl_check_command_ready(struct tl_check_command *c, struct fal_error *err)
{
    const char *ulp = c->options.ulp;
    bool several = c->files.count > 1;

    follow(c);
    if (c->event_setup != NULL && c->event_trace == NULL)
        return fal_fail(err, FAL_ERR_FORM, "--setup is for --event-trace");
    if (c->event_trace != NULL)
        return c->files.count == 0 && c->num_reports == 0
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM,
                              "--event-trace judges one trace: give no other file and no "
                              "--report");
    if (c->files.count == 0)
        return fal_fail(err, FAL_ERR_FORM, "no file given");
    if (shards_ready(c, err) != 0)
        return FAL_ERR_FORM;
    if (tl_check_options_ok(&c->options, err) != 0)
        return FAL_ERR_FORM;
    if (ulp != NULL && several && !c->join)
        return fal_fail(err, FAL_ERR_FORM, "--ulp needs exactly one capture");
    if (ulp_has_sut(c, err) != 0)
        return FAL_ERR_FORM;
    if (ulp != NULL && several)
        return fal_fail(err, FAL_ERR_FORM, "--ulp and --join exclude each other");
    return 0;
}

void tl_check_command_free(struct tl_check_command *c)
{
    tl_options_free(&tl_check_options_table, c);
    json_decref(c->connections);
    fal_psp_keys_free(c->options.frame.psp_keys);
    fal_esp_keys_free(c->options.frame.esp_keys);
}
