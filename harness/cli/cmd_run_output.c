/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/cmd_run_output.h"

#include "codecs/base/error.h"
#include "harness/cli/cmd.h"
#include "harness/doc/version.h"
#include "harness/run/saved_results.h"
#include "reports/causes/causes.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    LISTED = 20,      /* cases of a run that lists each */
    FIRST_FAILED = 5, /* failed cases of a longer one that are listed as they end */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * FAL_S + (uint64_t)now.tv_nsec;
}

/* ---- console ---- */

/* 0, or FAL_ERR_IO after a line on standard error. */
static int open_reports(struct tl_run_output *output)
{
    const struct tl_run_setup *o = output->setup;
    struct fal_error err = {{0}};

    for (size_t i = 0; i < o->num_reports; i++) {
        output->reports[i] = tl_report_open(&o->reports[i], &err);
        if (output->reports[i] == NULL) {
            fprintf(stderr, "talon run: %s\n", err.text);
            return FAL_ERR_IO;
        }
    }
    return 0;
}

int tl_run_output_begin(struct tl_run_output *output)
{
    const struct tl_run_setup *o = output->setup;
    const char *no_colour = getenv("NO_COLOR"), /* NOLINT(concurrency-mt-unsafe) */
        *terminal = getenv("TERM");             /* NOLINT(concurrency-mt-unsafe) */
    bool tty = isatty(STDOUT_FILENO) == 1;
    sigset_t asked;

    (void)clock_gettime(CLOCK_REALTIME, &output->begun);
    output->begun_ns = now_ns();
    output->live = tl_target_live(o->run.target.kind);
    if (output->live)
        tl_guard_init(&output->guard, &o->run.target.live);
    (void)sigemptyset(&asked);
    (void)sigaddset(&asked, SIGINT);
    (void)sigaddset(&asked, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &asked, NULL); /* threads that are made later inherit it */
    output->signals = signalfd(-1, &asked, SFD_NONBLOCK | SFD_CLOEXEC);
    output->tty = tty;
    output->verbose = o->request->verbose || o->request->vectors;
    output->progress = isatty(STDERR_FILENO) == 1 && !tl_request_stops(o->request);
    output->colour = o->request->colour == TL_COLOUR_ALWAYS ||
                     (o->request->colour == TL_COLOUR_AUTO && tty &&
                      (no_colour == NULL || *no_colour == 0) && terminal != NULL &&
                      strcmp(terminal, "dumb") != 0);
    return open_reports(output);
}

bool tl_run_output_stopped(void *ctx)
{
    struct tl_run_output *output = ctx;
    struct signalfd_siginfo info;

    if (!tl_guard_watched(&output->guard))
        return true; /* the process that started the run has ended: stop */
    return output->signals >= 0 && read(output->signals, &info, sizeof info) == sizeof info;
}

/* From here on a signal ends the program. */
static void unblock(struct tl_run_output *output)
{
    sigset_t asked;

    (void)sigemptyset(&asked);
    (void)sigaddset(&asked, SIGINT);
    (void)sigaddset(&asked, SIGTERM);
    if (output->signals >= 0)
        (void)close(output->signals);
    output->signals = -1;
    (void)pthread_sigmask(SIG_UNBLOCK, &asked, NULL);
}

static void clear_progress(struct tl_run_output *output)
{
    if (output->shown)
        fputs("\r\033[K", stderr);
    output->shown = false;
}

/* A live case takes about this long, most of it waiting: the mean of the suite with the default
 * parameters, over UDP on one host. It is used until the run has a mean of its own. */
#define TYPICAL_LIVE_NS (400 * FAL_MS)

/* The time until the last case ends. */
static uint64_t left_ns(const struct tl_run_output *output, uint64_t now)
{
    uint64_t spent = now - output->begun_ns, left = output->cases - output->moved;

    if (output->moved * 20 > output->cases || !output->live)
        return output->moved > 0 ? spent / output->moved * left : 0;
    return left * TYPICAL_LIVE_NS / output->lanes;
}

/* Work over a second shows where it is, five times a second. */
static void show_progress(struct tl_run_output *output)
{
    uint64_t now = now_ns(), spent = now - output->begun_ns;

    if (!output->progress || spent < FAL_S || now - output->shown_ns < FAL_S / 5)
        return;
    fprintf(stderr, "\r\033[K%zu of %zu cases, %zu failed, %.0f a second, %.0f s left",
            output->moved, output->cases, output->failed,
            (double)output->moved * 1e9 / (double)spent, (double)left_ns(output, now) / 1e9);
    (void)fflush(stderr);
    output->shown = true;
    output->shown_ns = now;
}

void tl_run_output_moved(void *ctx, size_t ended, size_t cases, unsigned lanes)
{
    struct tl_run_output *output = ctx;

    output->moved = ended;
    output->cases = cases;
    output->lanes = lanes > 0 ? lanes : 1;
    if (ended == 0 && output->live && output->progress)
        fprintf(stderr, "%zu cases, %u at a time: about %.0f s\n", cases, output->lanes,
                (double)left_ns(output, now_ns()) / 1e9);
    show_progress(output);
}

/* Of a run of few cases each is listed. Of a long one in real time the first that fail are, so
 * that one sees how it goes. */
static bool is_listed(struct tl_run_output *output, const struct tl_case *c)
{
    if (output->cases <= LISTED)
        return true;
    if (!output->live || tl_case_counts(c) < FAL_VERDICT_INCONC)
        return false;
    return output->failed <= FIRST_FAILED;
}

void tl_run_output_case(void *ctx, const struct tl_results *results, const struct tl_case *c)
{
    struct tl_run_output *output = ctx;

    output->failed += tl_case_counts(c) >= FAL_VERDICT_INCONC;
    if (c->disposition == TL_NOT_RUN) /* the summary counts them */
        return;
    if (!output->verbose && !is_listed(output, c))
        return;
    clear_progress(output);
    /* tl_run_output_end checks stdout. */
    if (output->verbose)
        FAL_IGNORE(tl_report_case_in(stdout, results, c, output->colour));
    else
        FAL_IGNORE(tl_report_line_in(stdout, c, output->colour));
    if (results->live || output->tty)
        (void)fflush(stdout); /* a live case takes time: flush, so that the user sees it */
}

void tl_run_output_dry(const struct tl_run *run, const struct tl_plan *plan)
{
    struct tl_ics ics = {.identity = {{0}, {0}, {0}}}, builtin;
    size_t would = 0;

    if (run->ics != NULL)
        ics = *run->ics;
    tl_ics_builtin(&builtin);
    if (run->target.kind == TL_TARGET_BUILTIN)
        tl_ics_complete(&ics, &builtin);
    for (size_t i = 0; i < run->num_cases; i++) {
        struct tl_case c;

        tl_run_name(run, &run->cases[i], tl_run_seed_of(run, run->cases[i].id, 0), &c);
        if (tl_run_gate(run, &ics, &run->cases[i], &c)) {
            const char *fresh = tl_run_fresh(run, run->cases[i].scenario);

            printf("%-14s %s%s%s%s\n", "run", c.id, fresh != NULL ? " (with a reset: " : "",
                   fresh != NULL ? fresh : "", fresh != NULL ? ")" : "");
            would++;
        } else {
            printf("%-14s %s (%s)\n", tl_disposition_name(c.disposition), c.id,
                   c.why != NULL ? c.why : "?");
        }
        tl_case_clear(&c);
    }
    printf("%zu of %zu cases would run", would, run->num_cases);
    if (run->repeat > 1)
        printf(", %u times each", run->repeat);
    if (plan->deselected > 0)
        printf("; %zu not selected", plan->deselected);
    if (plan->other_shards > 0)
        printf("; %zu of other shards", plan->other_shards);
    putchar('\n');
}

/* ---- files ---- */

static json_t *wall_clock(const struct timespec *t)
{
    char text[40] = "?";
    struct tm utc;

    if (gmtime_r(&t->tv_sec, &utc) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_string(text);
}

/* Everything that is another one on another day or machine. */
static json_t *run_document(const struct tl_run_output *output,
                            const struct tl_results *results, const json_t *command)
{
    struct tl_request request = *output->setup->request;
    json_t *learned = fal_shape_write(&tl_learned_shape, &results->learned);
    struct timespec ended;
    struct utsname host;

    request.resume = NULL; /* what it did in two parts is one run */

    (void)clock_gettime(CLOCK_REALTIME, &ended);
    if (uname(&host) != 0)
        memset(&host, 0, sizeof host);
    return json_pack(
        "{s:s, s:s, s:O, s:o, s:o*, s:{s:s, s:s, s:s, s:s}, s:o, s:o, s:f, s:i, s:i, s:i}",
        "schema", TL_RUN_SCHEMA, "tool", TL_VERSION, "command", (json_t *)command, "request",
        tl_request_json(&request), "learned", learned, "host", "name", host.nodename, "system",
        host.sysname, "release", host.release, "machine", host.machine, "began",
        wall_clock(&output->begun), "ended", wall_clock(&ended), "seconds",
        (double)(now_ns() - output->begun_ns) / 1e9, "jobs", (int)output->lanes, "day",
        (int)output->setup->run.today, "status", results->status);
}

static int write_evidence(const struct tl_run_output *output,
                          const struct tl_run_documents *documents,
                          const struct tl_results *results, const json_t *command)
{
    const struct tl_run_setup *o = output->setup;
    struct tl_evidence *evidence = o->run.evidence;
    const struct {
        const char *name;
        const struct tl_doc *doc;
    } given[] = {{"waivers.json", documents->waivers},
                 {"profile.json", documents->profile},
                 {"ixit.json", documents->ixit}};
    struct fal_error err = {{0}};
    struct tl_ics ics = {.identity = {{0}, {0}, {0}}};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const struct tl_report_options with = {.causes = output->causes};
    int rc = out != NULL ? tl_report_json(out, results, &with) : FAL_ERR_MEM;

    if (out != NULL && fclose(out) != 0)
        rc = FAL_ERR_MEM;
    if (rc == 0)
        rc = tl_evidence_file(evidence, NULL, "results.json", text, len, &err);
    tl_run_ics_of(results, &ics);
    if (rc == 0)
        rc = tl_evidence_json(evidence, "ics.json", tl_ics_document(&ics), &err);
    for (size_t i = 0; rc == 0 && i < sizeof given / sizeof *given; i++)
        if (given[i].doc->text != NULL)
            rc = tl_evidence_file(evidence, NULL, given[i].name, given[i].doc->text,
                                  given[i].doc->len, &err);
    if (rc == 0 && o->facts.host_document != NULL)
        rc = tl_evidence_json(evidence, "host-check.json", json_incref(o->facts.host_document),
                              &err);
    if (rc == 0 && o->facts.path_document != NULL)
        rc = tl_evidence_json(evidence, "path-check.json", json_incref(o->facts.path_document),
                              &err);
    if (rc == 0)
        rc = tl_evidence_close(evidence, run_document(output, results, command), &err);
    if (rc != 0)
        fprintf(stderr, "talon run: %s\n", err.text[0] != 0 ? err.text : "out of memory");
    free(text);
    return rc;
}

/* Why cases did not pass, and the summary. */
static int put_end(struct tl_run_output *output, const struct tl_results *results)
{
    const struct tl_causes *causes;
    bool failed;
    int rc = tl_causes_use(results, NULL, &output->causes, &causes);

    if (rc == 0 && !output->verbose)
        rc = tl_report_causes(stdout, results, causes, output->setup->request->all);
    failed = rc != 0 || causes->failed > 0;
    return rc != 0 ? rc
                   : tl_report_summary_of(stdout, results, output->colour,
                                          output->verbose || !failed);
}

/* Counts what changed since the results of --against. 0, or an error after a line on standard
 * error. */
static int compare(struct tl_run_output *output, const struct tl_results *now)
{
    const char *against = output->setup->request->against;
    struct fal_error err = {{0}};
    struct tl_saved old;
    int rc;

    if (against == NULL)
        return 0;
    rc = tl_saved_open(&old, against, &err);
    if (rc == 0)
        rc = tl_diff_count(old.results, now, output->changes, &err);
    tl_saved_close(&old);
    if (rc != 0)
        fprintf(stderr, "talon run: --against: %s\n", err.text);
    return rc;
}

static int write_reports(struct tl_run_output *output, const struct tl_results *results)
{
    const struct tl_run_setup *o = output->setup;
    uint64_t wall_ns = now_ns() - output->begun_ns;
    struct fal_error err;
    int rc = 0;

    for (size_t i = 0; i < o->num_reports; i++) {
        struct tl_report_spec spec = o->reports[i];

        spec.brief = o->request->brief;
        spec.stamp = o->request->stamp;
        spec.wall_ns = wall_ns;
        spec.changes = o->request->against != NULL ? output->changes : NULL;
        spec.causes = output->causes;
        if (tl_report_write_to(&spec, output->reports[i], o->request->junit, o->request->out,
                               results, &err) != 0) {
            fprintf(stderr, "talon run: %s\n", err.text);
            rc = FAL_ERR_IO;
        }
    }
    return rc;
}

int tl_run_output_end(struct tl_run_output *output, const struct tl_run_documents *documents,
                      const struct tl_results *results, const json_t *command)
{
    int status = results->status;

    unblock(output);
    clear_progress(output);
    if ((results->bench_broken[0] == 0 && put_end(output, results) != 0) ||
        fflush(stdout) != 0) {
        fprintf(stderr, "talon run: standard output cannot be written\n");
        status = TL_STATUS_ERROR;
    }
    if (compare(output, results) != 0 || write_reports(output, results) != 0)
        status = TL_STATUS_ERROR;
    if (output->setup->run.evidence != NULL &&
        write_evidence(output, documents, results, command) != 0)
        status = TL_STATUS_ERROR;
    tl_causes_drop(output->causes);
    output->causes = NULL;
    return status;
}
