/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/roce/run_roce.h"

#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/cli/cmd_run_output.h"
#include "harness/cli/verb.h"
#include "harness/doc/version.h"
#include "harness/roce/roce_run.h"
#include "harness/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_LEN = 4096, SETTLE_TIMEOUTS = 3, SETTLE_NS = 50000000 };

bool tl_run_is_roce(const struct tl_request *request)
{
    const char *first = request->paths.count > 0 ? request->paths.list[0] : NULL;
    struct tl_profile profile;
    struct fal_error err = {{0}};
    char path[PATH_LEN];
    bool is = false;
    json_t *file;

    if (request->profile != NULL && tl_suite_profile(request->profile, path, sizeof path) &&
        tl_profile_load(path, &profile, &err) == 0) {
        is = profile.protocol == TL_PROFILE_ROCE;
        tl_profile_free(&profile);
    }
    if (is || first == NULL)
        return is;
    if (strstr(first, "roce-") != NULL)
        return true;
    file = json_load_file(first, 0, NULL);
    is = json_is_string(json_object_get(file, "schema")) &&
         strcmp(json_string_value(json_object_get(file, "schema")), TL_ROCE_SCHEMA) == 0;
    json_decref(file);
    return is;
}

/* An option that has no meaning for RoCE, or NULL. */
static const char *foreign(const struct tl_request *r)
{
    const struct {
        const char *option;
        bool given;
    } rows[] = {
        {"--connections", r->connections != NULL},
        {"--sut-map", r->sut_map != NULL},
        {"--sut-exec", r->sut_exec != NULL},
        {"--twins", r->twins != NULL},
        {"--network", r->network != NULL},
        {"--ics", r->ics != NULL},
        {"--ixit", r->ixit != NULL},
        {"--waivers", r->waivers != NULL},
        {"--resume", r->resume != NULL},
        {"--failed-from", r->failed_from != NULL},
        {"--repeat", r->repeat > 1},
        {"--copies", r->copies > 1},
        {"--probe", r->probe},
        {"--chapter", r->chapters.count > 0},
        {"--step", r->step},
        {"--break-at", r->break_at.count > 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return rows[i].option;
    return NULL;
}

/* What a run has. */
struct roce {
    const struct tl_request *request;
    struct tl_run_setup setup; /* of the options that say nothing about Falcon */
    struct tl_roce_sut sut;
    struct tl_roce_suite suite;
    struct tl_results results;
    char *again;
};

static char *text_of(const char *a, const char *b, const char *c)
{
    char *text;

    return asprintf(&text, "%s%s%s", a, b, c) >= 0 ? text : NULL;
}

/* True if this run plays the scenario: it is selected, and of this run's shard. */
static bool plays(const struct roce *r, const struct tl_roce_scenario *s)
{
    return tl_roce_selected(&r->setup.select, s) && tl_shard_takes(r->setup.shard, s->id);
}

/* Notes which of the selected cases this run plays. Returns their number. */
static size_t share_out(const struct roce *r, struct tl_results *results)
{
    size_t selected = 0, mine = 0;
    uint64_t selection = TL_SHARD_HASH;

    for (size_t i = 0; i < r->suite.count; i++) {
        const struct tl_roce_scenario *s = &r->suite.list[i];

        if (!tl_roce_selected(&r->setup.select, s))
            continue;
        selection = tl_shard_hash(selection, s->id);
        if (plays(r, s))
            results->places[mine++] = selected;
        selected++;
    }
    if (r->setup.shard.total > 0) {
        results->selection = selection;
        results->num_places = mine;
    }
    results->deselected = r->suite.count - selected;
    results->other_shards = selected - mine;
    return mine;
}

/* Plays the cases of this run. Returns 0, or FAL_ERR_MEM. */
static int play(struct roce *r, struct tl_run_output *output)
{
    struct tl_results *results = &r->results;
    size_t mine;

    results->cases = calloc(r->suite.count + 1, sizeof *results->cases);
    results->places = calloc(r->suite.count + 1, sizeof *results->places);
    if (results->cases == NULL || results->places == NULL)
        return FAL_ERR_MEM;
    mine = share_out(r, results);
    tl_run_output_moved(output, 0, mine, 1);
    for (size_t i = 0; i < r->suite.count; i++) {
        const struct tl_roce_scenario *s = &r->suite.list[i];
        struct tl_case *c = &results->cases[results->num_cases];

        if (!plays(r, s))
            continue;
        tl_roce_case(s, &r->sut, tl_run_seed(r->request->seed, s->id), r->request->out, c);
        c->repeat = text_of("talon run ", s->path, r->again != NULL ? r->again : "");
        results->num_cases++;
        tl_run_output_case(output, results, c);
        tl_run_output_moved(output, results->num_cases, mine, 1);
        if (tl_run_output_stopped(output)) {
            results->interrupted = true;
            break;
        }
    }
    return 0;
}

static int run(struct roce *r, const json_t *command)
{
    struct tl_run_output output = {.setup = &r->setup};
    const struct tl_doc none = {.text = NULL};
    const struct tl_run_documents documents = {&none, &none, &none};
    int status = TL_STATUS_ERROR;

    r->results = (struct tl_results){.version = TL_VERSION,
                                     .sut = r->request->sut,
                                     .profile = r->request->profile,
                                     .seed = r->request->seed,
                                     .live = r->sut.bridge != NULL,
                                     .shard = r->setup.shard.number,
                                     .shards = r->setup.shard.total,
                                     .bad_files = r->suite.bad_files};
    if (r->request->out != NULL && mkdir(r->request->out, 0777) != 0 && errno != EEXIST)
        return tl_verb_wrong("run", "--out %s: %s", r->request->out, strerror(errno));
    if (tl_run_output_begin(&output) == 0 && play(r, &output) == 0) {
        r->results.status = tl_results_status(&r->results);
        status = tl_run_output_end(&output, &documents, &r->results, command);
    }
    for (size_t i = 0; i < r->results.num_cases; i++)
        tl_case_clear(&r->results.cases[i]);
    free(r->results.cases);
    free(r->results.places);
    return status;
}

static int list(const struct roce *r)
{
    for (size_t i = 0; i < r->suite.count; i++)
        if (plays(r, &r->suite.list[i]))
            printf("%-26s %s\n", r->suite.list[i].id, r->suite.list[i].title);
    return r->suite.bad_files > 0 ? TL_STATUS_USAGE : TL_STATUS_PASS;
}

static bool any_selected(const struct roce *r)
{
    for (size_t i = 0; i < r->suite.count; i++)
        if (tl_roce_selected(&r->setup.select, &r->suite.list[i]))
            return true;
    return false;
}

/* Reads --param and gives the scenarios the times of the ends. */
static int adapt(struct roce *r)
{
    struct tl_roce_declared declared = {0};
    struct fal_error err = {{0}};

    for (size_t i = 0; i < r->request->params.count; i++)
        if (tl_roce_declare(&declared, r->request->params.list[i], &err) != 0)
            return tl_verb_wrong("run", "--param: %s", err.text);
    if (r->request->params.count > 0 && r->sut.bridge == NULL)
        return tl_verb_wrong("run", "--param is for two real ends (--sut bridge:IFACE,IFACE)");
    r->sut.declared = declared;
    r->sut.settle_ns = SETTLE_TIMEOUTS * declared.timeout_ns + SETTLE_NS;
    for (size_t i = 0; i < r->suite.count; i++)
        tl_roce_adapt(&r->suite.list[i], &declared);
    return 0;
}

/* Starts the program of --control, which posts on two real ends. */
static int start_traffic(struct roce *r)
{
    const char *control = r->request->control;
    struct fal_error err = {{0}};

    if (control == NULL)
        return 0;
    if (r->sut.bridge == NULL)
        return tl_verb_wrong("run",
                             "--control is for two real ends (--sut bridge:IFACE,IFACE)");
    if (strncmp(control, "exec:", 5) != 0 || control[5] == 0)
        return tl_verb_wrong("run",
                             "--control '%.60s': expected exec:COMMAND, a program that posts "
                             "(docs/roce-real-ends.md)",
                             control);
    r->sut.traffic = tl_roce_traffic_start(control + 5, &err);
    return r->sut.traffic != NULL ? 0 : tl_verb_wrong("run", "--control: %s", err.text);
}

static int go(struct roce *r, const json_t *command)
{
    const struct tl_request *request = r->request;
    char place[PATH_LEN];
    const char *suite = place;
    bool named = request->paths.count > 0;

    if (!named && !tl_suite_default(place, sizeof place))
        return tl_verb_wrong("run", "no suite beside the program; name the scenarios");
    if (tl_roce_suite_read(&r->suite, named ? request->paths.list : &suite,
                           named ? request->paths.count : 1, stderr) != 0) {
        fprintf(stderr, "talon run: out of memory\n");
        return TL_STATUS_ERROR;
    }
    if (request->check_only) {
        printf("%zu scenario%s OK, %zu file%s with errors\n", r->suite.count,
               r->suite.count == 1 ? "" : "s", r->suite.bad_files,
               r->suite.bad_files == 1 ? "" : "s");
        return r->suite.bad_files > 0 ? TL_STATUS_USAGE : TL_STATUS_PASS;
    }
    if (adapt(r) != 0)
        return TL_STATUS_USAGE;
    if (!any_selected(r))
        return tl_verb_wrong("run", "no RoCE scenario is selected "
                                    "(talon run --profile roce --list)");
    if (request->list || request->dry_run)
        return list(r);
    return start_traffic(r) == 0 ? run(r, command) : TL_STATUS_USAGE;
}

int tl_run_roce(const struct tl_request *request, const json_t *command)
{
    struct tl_request plain = *request;
    struct roce r = {.request = request};
    const char *wrong = foreign(request);
    struct fal_error err = {{0}};
    int status;

    if (wrong != NULL)
        return tl_verb_wrong("run", "%s has no meaning for scenarios of RoCEv2", wrong);
    if (tl_roce_sut_read(request->sut, &r.sut, &err) != 0)
        return tl_verb_wrong("run", "--sut: %s", err.text);
    r.sut.timeout_ns = request->timeout * FAL_S;
    plain.params.count = 0;
    plain.control = NULL;
    plain.sut = r.sut.bridge != NULL ? request->sut : "builtin";
    if (tl_run_setup(&r.setup, &plain, &err) != 0) {
        status = tl_verb_wrong("run", "%s", err.text);
    } else {
        r.again = tl_request_again(request);
        status = go(&r, command);
    }
    tl_roce_traffic_free(r.sut.traffic);
    tl_roce_suite_free(&r.suite);
    tl_run_setup_free(&r.setup);
    free(r.again);
    return status;
}
