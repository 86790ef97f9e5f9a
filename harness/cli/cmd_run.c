/* SPDX-License-Identifier: Apache-2.0
 * cmd_run.c - `talon run`: scenarios against an implementation. */
#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"

#include "harness/claims/ixit.h"
#include "harness/cli/author/run_watch.h"
#include "harness/cli/cmd_run.h"
#include "harness/cli/cmd_run_output.h"
#include "harness/cli/roce/run_roce.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/debug/stepper.h"
#include "harness/doc/version.h"
#include "harness/play/playback.h"
#include "harness/run/failed_from.h"
#include "harness/run/probe.h"
#include "harness/run/run_setup.h"
#include "harness/run/saved_results.h"
#include "harness/session/sut_process.h"
#include "harness/site/site_facts.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH_LEN = 4096 };

/* The documents that options name. */
struct documents {
    struct tl_profile profile;
    struct tl_ics stated, ics; /* of --ics; and completed by the profile */
    struct tl_waivers waivers;
    struct tl_ixit ixit;
    struct tl_given_params params;
};

static int load_profile(struct tl_run_setup *o, struct documents *d, struct fal_error *err)
{
    char path[PATH_LEN];

    if (o->request->profile == NULL)
        return 0;
    if (!tl_suite_profile(o->request->profile, path, sizeof path))
        return tl_suite_no_profile(o->request->profile, err);
    return tl_profile_load(path, &d->profile, err);
}

/* The day that decides which waivers have expired: the given one, the fixed one of a
 * reproducible build, or today. */
static uint32_t day_of(const struct tl_run_setup *o)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH"); /* NOLINT(concurrency-mt-unsafe) */
    time_t now = epoch != NULL && *epoch != 0 ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm utc;

    if (o->request->date != NULL)
        return tl_date_read(o->request->date);
    if (gmtime_r(&now, &utc) == NULL)
        return 0;
    return (uint32_t)(utc.tm_year + 1900) * 10000 + (uint32_t)(utc.tm_mon + 1) * 100 +
           (uint32_t)utc.tm_mday;
}

/* Whether the results of --against can be read: found out before a run of hours, and not after
 * it. */
static int check_against(const struct tl_run_setup *o, struct fal_error *err)
{
    struct tl_saved old;
    int rc;

    if (o->request->against == NULL || strcmp(o->request->against, "-") == 0)
        return 0;
    rc = tl_saved_open(&old, o->request->against, err);
    tl_saved_close(&old);
    return rc;
}

static int load(struct tl_run_setup *o, struct documents *d)
{
    struct fal_error err = {{0}};
    int rc = load_profile(o, d, &err);

    if (rc == 0 && o->request->ics != NULL)
        rc = tl_ics_load(o->request->ics, &d->stated, &err);
    if (rc == 0 && o->request->ixit != NULL)
        rc = tl_ixit_load(o->request->ixit, &d->ixit, &err);
    if (rc == 0 && o->request->waivers != NULL)
        rc = tl_waivers_load(o->request->waivers, &d->waivers, &err);
    if (rc == 0)
        rc = check_against(o, &err);
    if (rc != 0) {
        fprintf(stderr, "talon run: %s\n", err.text);
        return rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
    }
    d->ics = d->stated;
    tl_ics_complete(&d->ics, &d->profile.ics);
    tl_given_params_join(&d->params, &d->profile.params, &d->ixit.params);
    tl_given_params_join(&d->params, &d->params, &o->params);
    o->run.ics = o->request->ics != NULL || o->request->profile != NULL ? &d->ics : NULL;
    o->run.stated = o->request->ics != NULL ? &d->stated : NULL;
    o->run.params = &d->params;
    o->run.waivers = o->request->waivers != NULL ? &d->waivers : NULL;
    o->run.today = day_of(o);
    return 0;
}

static void unload(struct tl_run_setup *o, struct documents *d)
{
    o->run.ics = NULL;
    o->run.stated = NULL;
    o->run.params = NULL;
    o->run.waivers = NULL;
    tl_waivers_free(&d->waivers);
    tl_profile_free(&d->profile);
    tl_ixit_free(&d->ixit);
}

/* The facts about host and path; the host of a raw link is examined now, unless a file is
 * given. */
static int find_facts(struct tl_run_setup *o)
{
    const struct tl_target *target = &o->run.target;
    bool look = target->kind == TL_TARGET_RAW && o->request->host_check == NULL;
    struct fal_error err = {{0}};
    char iface[IF_NAMESIZE] = "", wrong[TL_FACT_TEXT];
    size_t len = look ? strcspn(target->address, ",") : 0;
    int rc;

    if (look && len < sizeof iface)
        memcpy(iface, target->address, len);
    rc = tl_site_facts_load(&o->facts, o->request->host_check, o->request->path_check,
                            look ? iface : NULL, &err);
    if (rc != 0 && (o->request->host_check != NULL || o->request->path_check != NULL)) {
        fprintf(stderr, "talon run: %s\n", err.text);
        return rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
    }
    o->run.target.facts = &o->facts; /* an interface that is not there the link will name */
    tl_site_facts_wrong(&o->facts, wrong);
    if (wrong[0] != 0)
        fprintf(
            stderr,
            "talon run: this host may falsify tests at %s: %s (talon host-check says how to mend that)\n",
            look ? iface : "the interface", wrong);
    return 0;
}

/* The journal beside the evidence: what `--resume` needs. */
static int open_journal(struct tl_run_setup *o, const json_t *command)
{
    struct tl_request saved = *o->request;
    struct fal_error err = {{0}};
    json_t *request;
    int rc;

    saved.resume = NULL;
    request = tl_request_json(&saved);
    o->run.resumes = o->request->resume != NULL;
    rc = request != NULL ? tl_journal_open(o->request->out, o->run.resumes, request, command,
                                           &o->run.journal, &err)
                         : fal_fail(&err, FAL_ERR_MEM, "out of memory");
    json_decref(request);
    if (rc != 0)
        fprintf(stderr, "talon run: %s\n", err.text);
    return rc;
}

/* Opens what is written to --out while the run lasts. */
static int open_evidence(struct tl_run_setup *o, const json_t *command)
{
    struct fal_error err = {{0}};
    int rc =
        tl_evidence_open(o->request->out, o->request->resume != NULL, &o->run.evidence, &err);

    if (rc != 0)
        fprintf(stderr, "talon run: --out %s\n", err.text);
    else if ((rc = open_journal(o, command)) != 0)
        tl_evidence_free(o->run.evidence);
    return rc;
}

/* No case was played: there is no evidence, and what was in the directory stays. */
static void give_up(struct tl_run_setup *o, const struct tl_results *results)
{
    fprintf(stderr, "talon run: %s\n", results->bench_broken);
    tl_evidence_free(o->run.evidence);
    o->run.evidence = NULL;
}

static int begin_output(const struct tl_run_setup *o, struct tl_run_output *output)
{
    int rc = tl_run_output_begin(output);

    if (o->stepper != NULL)
        tl_stepper_watch(o->stepper, output->signals);
    return rc;
}

/* Notes in the results which part of the selected cases they are. */
static void tell_shard(const struct tl_run_setup *o, const struct tl_plan *plan,
                       struct tl_results *results)
{
    if (o->shard.total == 0)
        return;
    results->shard = o->shard.number;
    results->shards = o->shard.total;
    results->other_shards = plan->other_shards;
    results->selection = plan->selection;
    results->places = plan->places;
    results->num_places = plan->num_cases;
}

static int run_plan(struct tl_run_setup *o, const struct documents *d,
                    const struct tl_plan *plan, size_t bad_files, const json_t *command)
{
    const struct fal_params declared = tl_given_params_declared(
        &d->params, o->run.target.kind == TL_TARGET_UDP || o->run.target.kind == TL_TARGET_RAW);
    struct tl_results results = {
        .version = TL_VERSION,
        .sut = o->sut,
        .profile = d->profile.name,
        .bad_files = bad_files,
        .deselected = plan->deselected,
        .strict = o->request->strict_waivers,
    };
    struct tl_run_output output = {.setup = o};
    const struct tl_run_documents documents = {
        .waivers = &d->waivers.doc, .profile = &d->profile.doc, .ixit = &d->ixit.doc};
    struct tl_sut_process process;
    struct fal_error err = {{0}};
    int status = TL_STATUS_ERROR;
    bool ended = false;

    tell_shard(o, plan, &results);
    tl_results_ratios(&results, &declared);
    status = find_facts(o);
    if (status != 0)
        return status;
    status = TL_STATUS_ERROR;
    o->run.cases = plan->cases;
    o->run.num_cases = plan->num_cases;
    o->run.stories |= o->request->out != NULL;
    o->run.stopped = tl_run_output_stopped;
    o->run.ended = tl_run_output_case;
    o->run.moved = tl_run_output_moved;
    if (o->request->out != NULL && open_evidence(o, command) != 0)
        return TL_STATUS_ERROR;
    if (tl_sut_process_start(&process, &o->run.target, &err) != 0) {
        fprintf(stderr, "talon run: %s\n", err.text);
        tl_journal_close(o->run.journal, false);
        tl_evidence_free(o->run.evidence);
        return TL_STATUS_ERROR;
    }
    o->run.ctx = &output;
    if (begin_output(o, &output) != 0)
        status = TL_STATUS_ERROR;
    else if (tl_run_all(&o->run, &results, &err) != 0)
        fprintf(stderr, "talon run: %s\n", err.text);
    else {
        if (results.bench_broken[0] != 0)
            give_up(o, &results);
        status = tl_run_output_end(&output, &documents, &results, command);
        ended = !results.interrupted && results.bench_broken[0] == 0;
    }
    o->run.ctx = NULL;
    tl_journal_close(o->run.journal, ended);
    tl_sut_process_end(&process);
    tl_evidence_free(o->run.evidence);
    tl_run_clear(&results);
    return status;
}

/* --step and --break-at: a person stops the steps of the one case. */
static int run_stepwise(struct tl_run_setup *o, const struct documents *d,
                        const struct tl_plan *plan, size_t bad_files, const json_t *command)
{
    const struct tl_stepper_config config = {
        .scenario = plan->num_cases > 0 ? plan->cases[0].scenario : NULL,
        .every = o->request->step,
        .break_at = o->request->break_at.list,
        .num_break_at = o->request->break_at.count,
        .in = STDIN_FILENO,
        .out = stderr};
    struct fal_error err = {{0}};
    int rc, status;

    if (plan->num_cases != 1) {
        fprintf(stderr,
                "talon run: --step and --break-at play one case, and %zu are selected; name "
                "one with --id CASE (--list shows them)\n",
                plan->num_cases);
        return TL_STATUS_USAGE;
    }
    rc = tl_stepper_new(&config, &o->stepper, &err);
    if (rc != 0) {
        fprintf(stderr, "talon run: --break-at: %s\n", err.text);
        return rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
    }
    o->run.stops = tl_stepper_stops(o->stepper);
    o->run.looked = tl_stepper_ended;
    o->run.looked_ctx = o->stepper;
    status = run_plan(o, d, plan, bad_files, command);
    tl_stepper_report(o->stepper);
    tl_stepper_free(o->stepper);
    o->stepper = NULL;
    return status;
}

static void print_checked(const struct tl_suite *suite)
{
    printf("%zu scenario%s OK, %zu file%s with errors\n", suite->checked,
           suite->checked == 1 ? "" : "s", suite->bad_files, suite->bad_files == 1 ? "" : "s");
}

/* --failed-from: only cases that did not pass then. */
static int keep_failed(const struct tl_run_setup *o, struct tl_plan *plan)
{
    struct fal_error err = {{0}};
    size_t gone = 0;
    int rc = tl_plan_failed(plan, o->request->failed_from, &gone, &err);

    if (rc != 0)
        fprintf(stderr, "talon run: --failed-from %s\n", err.text);
    else if (gone > 0)
        fprintf(stderr,
                "talon run: --failed-from %s: %zu of its cases are not among the selected "
                "ones\n",
                o->request->failed_from, gone);
    return rc;
}

/* --first and --last. */
static int keep_between(const struct tl_run_setup *o, struct tl_plan *plan)
{
    struct fal_error err = {{0}};
    int rc = tl_plan_between(plan, o->request->first, o->request->last, &err);

    if (rc != 0)
        fprintf(stderr, "talon run: %s\n", err.text);
    return rc;
}

/* Names a pattern of --id that no case has. False: each has some. */
static bool tell_misspelt(const struct tl_request *request, const struct tl_suite *suite)
{
    for (size_t i = 0; i < request->ids.count; i++) {
        const char *pattern = request->ids.list[i];
        struct fal_nearest_list nearest = {.word = pattern};
        char near[300];
        size_t k = 0;

        for (; k < suite->count; k++) {
            if (*pattern == '!' ||
                tl_select_id_fits(pattern, suite->list[k], suite->list[k]->id))
                break;
            fal_nearest_add(&nearest, suite->list[k]->file_id);
        }
        if (k < suite->count)
            continue;
        fal_nearest_print(&nearest, near, sizeof near);
        fprintf(stderr, "talon run: no case matches --id '%.100s'", pattern);
        if (*near != 0)
            fprintf(stderr, "; did you mean '%s'?", near);
        fprintf(stderr, " (talon list cases)\n");
        return true;
    }
    return false;
}

static void tell_nothing(const struct tl_request *request, const struct tl_suite *suite,
                         const struct tl_plan *plan)
{
    if (tell_misspelt(request, suite))
        return;
    fprintf(stderr, "talon run: nothing to run%s\n",
            plan->deselected + plan->other_shards > 0
                ? ": no case is selected (long ones by --profile soak or --tag soak)"
                : "");
}

/* A shard that no case fell to has results, too: else a shard would be missing. */
static bool is_empty_shard(const struct tl_run_setup *o, const struct tl_plan *plan)
{
    return plan->num_cases == 0 && plan->other_shards > 0 && o->shard.total > 0 &&
           !tl_request_stops(o->request);
}

static int run_suite(struct tl_run_setup *o, const struct documents *d,
                     const struct tl_plan_by *by, const struct tl_suite *suite,
                     const json_t *command)
{
    int bad = suite->bad_files > 0 ? TL_STATUS_USAGE : TL_STATUS_PASS;
    struct tl_plan plan;
    int status;

    o->run.recording = o->recording;
    if (tl_plan_make(&plan, suite, by, o->shard) != 0 ||
        (o->run.target.kind == TL_TARGET_BRIDGE && tl_run_both_ends(&o->run, &plan) != 0)) {
        fprintf(stderr, "talon run: out of memory\n");
        return TL_STATUS_ERROR;
    }
    if (o->run.probe)
        tl_probe_plan(&plan);
    if ((o->request->failed_from != NULL && keep_failed(o, &plan) != 0) ||
        keep_between(o, &plan) != 0 || tl_plan_note_places(&plan) != 0) {
        tl_plan_free(&plan);
        return TL_STATUS_USAGE;
    }
    if (o->request->check_only) {
        print_checked(suite);
        status = bad;
    } else if (o->request->list) {
        for (size_t i = 0; i < plan.num_cases; i++)
            printf("%-26s %s\n", plan.cases[i].id, plan.cases[i].scenario->title);
        status = bad;
    } else if (o->request->dry_run) {
        o->run.cases = plan.cases;
        o->run.num_cases = plan.num_cases;
        tl_run_output_dry(&o->run, &plan);
        status = bad;
    } else if (plan.num_cases > 0 || is_empty_shard(o, &plan)) {
        status = (tl_request_stops(o->request) ? run_stepwise : run_plan)(
            o, d, &plan, suite->bad_files, command);
    } else if (o->request->failed_from != NULL) {
        printf("every selected case of %s passed: nothing to run\n", o->request->failed_from);
        status = bad;
    } else {
        tell_nothing(o->request, suite, &plan);
        status = TL_STATUS_USAGE;
    }
    tl_plan_free(&plan);
    return status;
}

/* Without a scenario a bridge carries and looks on, almost as long as a case may take. */
static int read_watching(const struct tl_run_setup *o, struct tl_suite *suite)
{
    unsigned long long ms = (unsigned long long)(o->run.timeout_ns / FAL_MS);
    char *errors = NULL, text[500];

    (void)snprintf(
        text, sizeof text,
        "{\"schema\": \"talon/scenario/1\", \"id\": \"bridge\", \"title\": \"What "
        "two ends do\", \"purpose\": \"What two ends say to each other is lawful.\", "
        "\"class\": \"valid\", \"version\": 1, \"covers\": [\"FTP-7.1-01\"], \"steps\": [{\"wait\": \"%llums\"}]}",
        ms > 500 ? ms - 500 : ms);
    *suite = (struct tl_suite){.list = calloc(1, sizeof(void *)), .cap = 1, .files = 1};
    if (suite->list != NULL)
        suite->list[0] = tl_scenario_read(TL_BRIDGE_WATCHES, text, strlen(text), &errors);
    if (suite->list == NULL || suite->list[0] == NULL) {
        fprintf(stderr, "talon run: %s\n", errors != NULL ? errors : "out of memory");
        free(errors);
        return TL_STATUS_ERROR;
    }
    suite->list[0]->covers.count = 0; /* a bridge decides nothing in particular */
    suite->count = 1;
    return 0;
}

/* The cases: of the capture that is to be played, or of scenario files. */
static int read_suite(struct tl_run_setup *o, const struct tl_plan_by *by,
                      struct tl_recording *recording, struct tl_suite *suite)
{
    const struct tl_wanted wanted = {tl_plan_wants, by};
    const struct tl_reading_how how = {.jobs = o->run.jobs,
                                       .only_check = o->request->check_only,
                                       .wanted = o->request->check_only ? NULL : &wanted};
    char place[PATH_LEN];
    const char *suite_path = place;
    struct fal_error err = {{0}};
    int rc;

    if (o->recording.path != NULL) {
        rc = tl_recording_read(recording, &o->recording, &err);
        if (rc == 0 && tl_playback_suite(
                           recording, o->request->capture_speed == TL_CAPTURE_FAST, suite) != 0)
            rc = fal_fail(&err, FAL_ERR_MEM, "out of memory");
        if (rc != 0)
            fprintf(stderr, "talon run: %s\n", err.text);
        return rc == FAL_ERR_MEM ? TL_STATUS_ERROR : rc != 0 ? TL_STATUS_USAGE : 0;
    }
    if (o->request->paths.count == 0 && o->run.target.kind == TL_TARGET_BRIDGE)
        return read_watching(o, suite);
    if (o->request->paths.count == 0 && !tl_suite_default(place, sizeof place))
        return tl_verb_wrong("run", "no suite beside the program; name the scenarios");
    if (tl_suite_read(suite, o->request->paths.count > 0 ? o->request->paths.list : &suite_path,
                      o->request->paths.count > 0 ? o->request->paths.count : 1, &how,
                      stderr) == 0)
        return 0;
    fprintf(stderr, "talon run: out of memory\n");
    return TL_STATUS_ERROR;
}

static int go(struct tl_run_setup *o, const json_t *command)
{
    struct documents d = {.profile = {.name = NULL}};
    struct tl_recording recording = {.num_conns = 0};
    struct tl_suite suite = {.count = 0};
    const struct tl_select *selects[] = {&o->select, &d.profile.select};
    const struct tl_plan_by by = {selects, 2};
    int status = load(o, &d);

    if (status == 0)
        status = read_suite(o, &by, &recording, &suite);
    if (status == 0)
        status = run_suite(o, &d, &by, &suite, command);
    tl_suite_free(&suite);
    tl_recording_free(&recording);
    unload(o, &d);
    return status;
}

int tl_run_request(const struct tl_request *request, const json_t *command)
{
    struct tl_run_setup setup;
    struct fal_error err = {{0}};
    int rc, status;

    tl_verb_keep_heap();
    if (tl_run_is_roce(request))
        return tl_run_roce(request, command);
    rc = tl_run_setup(&setup, request, &err);
    if (rc == FAL_ERR_MEM)
        status = tl_verb_failed("run", rc, &err);
    else
        status = rc != 0 ? tl_verb_wrong("run", "%s", err.text) : go(&setup, command);
    tl_run_setup_free(&setup);
    tl_site_facts_free(&setup.facts);
    return status;
}

int tl_run_reach(const struct tl_request *request, struct fal_error *err)
{
    struct tl_run_setup setup;
    struct tl_bench bench = {.link = NULL};
    int rc = tl_run_setup(&setup, request, err);

    if (rc == 0) {
        rc = tl_bench_open(&bench, &setup.run.target, request->seed, err);
        if (rc == 0)
            tl_bench_close(&bench);
        else
            tl_bench_explain(&bench, &setup.run.target, err);
    }
    tl_run_setup_free(&setup);
    tl_site_facts_free(&setup.facts);
    return rc;
}

/* The words as they were given: NULL when out of memory. */
static json_t *command_of(int argc, char *const *argv)
{
    json_t *command = json_array();

    for (int i = 0; command != NULL && i < argc; i++) {
        json_t *word = json_string(argv[i]);

        (void)json_array_append_new(command, word != NULL ? word : json_string("?"));
    }
    return command;
}

/* Goes on with an interrupted run, by its own request. */
static int resume(const struct tl_request *given)
{
    struct tl_journal_content saved;
    struct tl_request request;
    struct fal_error err = {{0}};
    int rc = tl_journal_head(given->resume, &saved, &err), status;

    if (rc != 0)
        return tl_verb_wrong("run", "--resume: %s", err.text);
    rc = tl_request_resume(given, saved.request, &request, &err);
    status = rc == 0 ? tl_run_request(&request, saved.command)
                     : tl_verb_wrong("run", "%s", err.text);
    if (rc == 0)
        tl_request_free(&request);
    json_decref(saved.request);
    json_decref(saved.command);
    return status;
}

int tl_cmd_run(int argc, char **argv)
{
    struct tl_request request;
    json_t *command = command_of(argc, argv);
    int status;

    tl_request_init(&request);
    status = tl_verb_read(&tl_request_options, tl_usage_run, argc, argv, &request);
    if (status == TL_VERB_GO)
        status = request.watch            ? tl_run_watch(&request, command, tl_run_request)
                 : request.resume != NULL ? resume(&request)
                                          : tl_run_request(&request, command);
    tl_request_free(&request);
    json_decref(command);
    return status;
}
