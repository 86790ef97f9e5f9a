/* SPDX-License-Identifier: Apache-2.0
 * cmd_fuzz.c - `talon fuzz`: the options of a hunt. */
#include "fuzz/hunt/hunt_loop.h"
#include "fuzz/hunt/hunt_report.h"
#include "fuzz/hunt/hunt_target.h"

#include "harness/cli/cmd.h"
#include "harness/cli/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const char hunt_usage_fuzz[]; /* usage/fuzz.txt */

struct options {
    struct hunt_target target; /* first: HUNT_TARGET_OPTIONS */
    struct hunt_options hunt;
    struct hunt_reports reports;
    struct tl_texts paths;
    bool must;
};

static int read_seconds(const char *text, double *out, struct fal_error *err)
{
    char *end;

    *out = strtod(text, &end);
    if (end > text && strcmp(end, "s") == 0)
        end++;
    return end > text && *end == 0 && *out > 0 && *out < 1e9
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected seconds", text);
}

static int set_time(void *into, const char *text, struct fal_error *err)
{
    return read_seconds(text, &((struct options *)into)->hunt.seconds, err);
}

static int set_cpu(void *into, const char *text, struct fal_error *err)
{
    return read_seconds(text, &((struct options *)into)->hunt.cpu_seconds, err);
}

static int set_oracle(void *into, const char *text, struct fal_error *err)
{
    bool *reduced = &((struct options *)into)->hunt.reduced;

    *reduced = strcmp(text, "reduced") == 0;
    return *reduced || strcmp(text, "full") == 0
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected full or reduced", text);
}

static int set_upper(void *into, const char *text, struct fal_error *err)
{
    static const char *const names[] = {
        [HUNT_RAW] = "raw", [HUNT_VERBS] = "verbs", [HUNT_NVME] = "nvme"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            ((struct options *)into)->hunt.upper = (enum hunt_upper)i;
            return 0;
        }
    return fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected raw, verbs or nvme", text);
}

static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && *end == 0 && *out >= least && *out <= most;
}

/* "17", "new", "new:1000000" */
static int set_map(void *into, const char *text, struct fal_error *err)
{
    struct hunt_options *hunt = &((struct options *)into)->hunt;
    uint64_t n = HUNT_MAP_LEN;

    hunt->has_map = true;
    hunt->map_number = -1;
    hunt->map_len = HUNT_MAP_LEN;
    if (strcmp(text, "new") == 0)
        return 0;
    if (strncmp(text, "new:", 4) == 0 && number(text + 4, 8, HUNT_MAP_MOST, &n)) {
        hunt->map_len = (n + 7) & ~(uint64_t)7;
        return 0;
    }
    if (!number(text, 0, INT32_MAX, &n))
        return fal_fail(err, FAL_ERR_FORM,
                        "'%.60s'; expected a number, new or new:BYTES (8 to %d)", text,
                        HUNT_MAP_MOST);
    hunt->map_number = (int)n;
    return 0;
}

static int add_report(void *into, const char *text, struct fal_error *err)
{
    return hunt_reports_add(&((struct options *)into)->reports, text, err);
}

#define TL_OPTIONS_OF struct options

static const struct tl_option option_list[] = {
    {TL_TEXTS("PATH", paths, NULL)},
    HUNT_TARGET_OPTIONS,
    {TL_TEXT("--corpus", hunt.dir, "DIR"),
     .help = "keep cases and findings in DIR, and continue with those that are there"},
    {TL_FLAG("--merge", hunt.merge),
     .help = "only add what is new in each PATH, its findings included, then stop"},
    {TL_OWN("--time", set_time, "SECONDS"), .help = "stop after this time"},
    {TL_OWN("--cpu", set_cpu, "SECONDS"), .help = "stop after this much processor time"},
    {TL_NUMBER("--execs", hunt.execs, 1, 0), .help = "stop after N executions"},
    {TL_COUNT("--findings", hunt.findings, 1, 1000000), .help = "stop after N findings"},
    {TL_COUNT("--jobs", hunt.jobs, 1, HUNT_JOBS_MAX),
     .help = "executions side by side, in virtual time (default: one for each processor)"},
    {TL_NUMBER("--seed", hunt.seed, 0, 0),
     .help = "seed of the mutations; with --jobs 1 and --execs the same seed repeats the run"},
    {TL_OWN("--report", add_report, "FORMAT:FILE"),
     .help = "write all findings of the corpus, new and old: html, json, junit, markdown, "
             "sarif, tap, text; may be repeated"},
    {TL_OWN("--upper", set_upper, "raw|verbs|nvme"),
     .help =
         "verbs: without PATH, start from connections that carry RDMA: work requests of both "
         "ends, and packets of RDMA with wrong fields; nvme: likewise commands and packets of "
         "NVMe (default: raw)"},
    {TL_OWN("--oracle", set_oracle, "full|reduced"),
     .help = "reduced: look only for crashes, hangs, malformed packets and errors on the "
             "control channel, which is faster (default: full)"},
    {TL_FLAG("--must", must), .help = "a violated SHOULD is not a finding"},
    {TL_FLAG("--quiet", hunt.quiet), .help = "print no progress"},
    {TL_OWN("--afl-map", set_map, "N|new[:BYTES]"),
     .help = "read the coverage of a SUT that was built with AFL++: the number of its shared "
             "memory; with new, Talon creates one, prints how to start the SUT with it, and "
             "waits for it"},
};
static const struct tl_options options = {"fuzz", option_list,
                                          sizeof option_list / sizeof *option_list};

/* Checks the options against each other. */
static int check(const struct options *o, struct fal_error *err)
{
    const struct tl_target *target = &o->target.run.target;
    int rc = hunt_target_check(&o->target, err);

    if (rc != 0)
        return rc;
    if ((target->kind == TL_TARGET_BUILTIN || target->kind == TL_TARGET_LIB) && o->hunt.has_map)
        return fal_fail(err, FAL_ERR_FORM,
                        "--afl-map is for a SUT that is a process of its own");
    if (o->reports.count > 0 && o->hunt.dir == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--report needs --corpus DIR: it reports the "
                        "findings that are kept there");
    if (o->hunt.merge && (o->hunt.dir == NULL || o->paths.count == 0))
        return fal_fail(err, FAL_ERR_FORM, "--merge needs a PATH and --corpus DIR");
    return 0;
}

static int play(void *ctx)
{
    return hunt_run(ctx);
}

int tl_cmd_fuzz(int argc, char **argv)
{
    struct options o = {.hunt = {.seed = 1}};
    struct fal_error err = {{0}};
    int status;

    tl_verb_keep_heap();
    o.hunt.jobs = hunt_target_jobs();
    hunt_target_init(&o.target);
    status = tl_verb_read(&options, hunt_usage_fuzz, argc, argv, &o);
    if (status == TL_VERB_GO && check(&o, &err) != 0) {
        status = tl_verb_wrong(options.verb, "%s", err.text);
    } else if (status == TL_VERB_GO) {
        hunt_target_ready(&o.target);
        o.hunt.run = o.target.run;
        o.hunt.sut = o.target.sut;
        o.hunt.warnings = !o.must;
        o.hunt.from = o.paths.list;
        o.hunt.num_from = o.paths.count;
        status =
            hunt_reports_search(&o.reports, &(struct hunt_search){.verb = options.verb,
                                                                  .dir = o.hunt.dir,
                                                                  .sut = o.hunt.sut,
                                                                  .target = &o.hunt.run.target,
                                                                  .play = play,
                                                                  .ctx = &o.hunt});
    }
    tl_options_free(&options, &o);
    return status;
}
