/* SPDX-License-Identifier: Apache-2.0
 * cmd_explore.c - `talon explore`: its options. */
#include "fuzz/explore/explore.h"
#include "fuzz/hunt/hunt_report.h"
#include "fuzz/hunt/hunt_target.h"

#include "harness/cli/cmd.h"
#include "harness/cli/verb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEFAULT_DEPTH = 3 };

extern const char hunt_usage_explore[]; /* usage/explore.txt */
extern const char explore_alphabet[];   /* alphabet.json */

struct options {
    struct hunt_target target; /* first: HUNT_TARGET_OPTIONS */
    struct explore_options explore;
    struct hunt_reports reports;
    struct tl_texts themes;
    const char *out, *resume, *alphabet;
    bool must, list;
};

static int set_time(void *into, const char *text, struct fal_error *err)
{
    double *out = &((struct options *)into)->explore.seconds;
    char *end;

    *out = strtod(text, &end);
    if (end > text && strcmp(end, "s") == 0)
        end++;
    return end > text && *end == 0 && *out > 0 && *out < 1e9
               ? 0
               : fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected seconds", text);
}

static int add_report(void *into, const char *text, struct fal_error *err)
{
    return hunt_reports_add(&((struct options *)into)->reports, text, err);
}

#define TL_OPTIONS_OF struct options

static const struct tl_option option_list[] = {
    HUNT_TARGET_OPTIONS,
    {TL_TEXTS("--theme", themes, "NAME"),
     .help = "a theme of the alphabet, or product: all actions of all themes; may be repeated "
             "(default: every theme)"},
    {TL_COUNT("--depth", explore.depth, 1, EXPLORE_DEPTH_MAX),
     .help = "number of actions of the longest sequences (default: 3)"},
    {TL_TEXT("--alphabet", alphabet, "FILE"),
     .help = "themes and actions of your own (talon help schema alphabet)"},
    {TL_TEXT("--out", out, "DIR"), .help = "keep findings and progress in DIR"},
    {TL_TEXT("--resume", resume, "DIR"),
     .help = "continue the exploration in DIR where it was stopped, or to a greater depth"},
    {TL_OWN("--time", set_time, "SECONDS"), .help = "stop each theme after this time"},
    {TL_COUNT("--findings", explore.findings, 1, 1000000), .help = "stop after N findings"},
    {TL_COUNT("--jobs", explore.jobs, 1, HUNT_JOBS_MAX),
     .help = "sequences side by side, in virtual time (default: one for each processor)"},
    {TL_FLAG("--no-prune", explore.no_prune),
     .help = "also extend sequences whose end state was seen before"},
    {TL_OWN("--report", add_report, "FORMAT:FILE"),
     .help = "write all findings of DIR, new and old: html, json, junit, markdown, sarif, tap, "
             "text; may be repeated"},
    {TL_FLAG("--must", must), .help = "a violated SHOULD is not a finding"},
    {TL_FLAG("--list", list), .help = "print the themes and their actions, and stop"},
    {TL_FLAG("--quiet", explore.quiet), .help = "print no progress"},
};
static const struct tl_options options = {"explore", option_list,
                                          sizeof option_list / sizeof *option_list};

static int check(const struct options *o, struct fal_error *err)
{
    if (o->out != NULL && o->resume != NULL)
        return fal_fail(
            err, FAL_ERR_FORM,
            "--out begins an exploration, --resume continues one; give one of them");
    if (o->reports.count > 0 && o->out == NULL && o->resume == NULL)
        return fal_fail(
            err, FAL_ERR_FORM,
            "--report needs --out DIR or --resume DIR: it reports the findings that "
            "are kept there");
    return hunt_target_check(&o->target, err);
}

static void print_alphabet(const struct tl_alphabet *alphabet)
{
    for (size_t i = 0; i < alphabet->num_themes; i++) {
        const struct tl_theme *t = &alphabet->themes[i];

        printf("%s: %s\n", t->name, t->about);
        for (size_t k = 0; k < t->num_actions; k++)
            printf("  %-20s %s\n", t->actions[k].name, t->actions[k].does);
    }
}

/* Checks all actions of the themes that are asked for. */
static int check_themes(const struct options *o, const struct tl_alphabet *alphabet,
                        struct fal_error *err)
{
    struct explore_world *world = malloc(sizeof *world);
    int rc = world == NULL ? fal_fail(err, FAL_ERR_MEM, "out of memory") : 0;

    for (size_t i = 0; rc == 0 && i < alphabet->num_themes; i++) {
        rc = explore_world_of(alphabet, alphabet->themes[i].name, world, err);
        if (rc == 0)
            rc = explore_world_check(world, o->explore.alphabet, err);
    }
    for (size_t i = 0; rc == 0 && i < o->themes.count; i++)
        rc = explore_world_of(alphabet, o->themes.list[i], world, err);
    free(world);
    return rc;
}

/* The folder; with --resume it must be there. */
static int open_dir(const struct options *o, struct fal_error *err)
{
    struct stat about;

    if (o->resume != NULL && (stat(o->resume, &about) != 0 || !S_ISDIR(about.st_mode)))
        return fal_fail(err, FAL_ERR_FORM,
                        "--resume %.300s: there is no such folder; begin with --out",
                        o->resume);
    if (o->out != NULL && mkdir(o->out, 0777) != 0 && errno != EEXIST)
        return fal_fail(err, FAL_ERR_FORM, "--out %.300s: %s", o->out,
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    return 0;
}

struct play {
    struct options *o;
    const struct tl_alphabet *alphabet;
};

/* One theme after another: the worst status. */
static int play(void *ctx)
{
    struct options *o = ((struct play *)ctx)->o;
    const struct tl_alphabet *alphabet = ((struct play *)ctx)->alphabet;
    size_t n = o->themes.count > 0 ? o->themes.count : alphabet->num_themes;
    int worst = TL_STATUS_PASS;

    for (size_t i = 0; i < n; i++) {
        const char *theme = o->themes.count > 0 ? o->themes.list[i] : alphabet->themes[i].name;
        int status = explore_run(&o->explore, theme);

        (void)fflush(stdout);
        if (status == TL_STATUS_USAGE)
            return status;
        if (status > worst)
            worst = status;
        if (status == TL_STATUS_ERROR)
            break;
    }
    return worst;
}

static int run(struct options *o, const struct tl_alphabet *alphabet)
{
    struct play ctx = {o, alphabet};
    const struct hunt_search search = {.verb = options.verb,
                                       .dir = o->explore.dir,
                                       .sut = o->explore.sut,
                                       .target = &o->explore.run.target,
                                       .play = play,
                                       .ctx = &ctx};

    return hunt_reports_search(&o->reports, &search);
}

/* Reads the alphabet and checks all that was asked for. */
static int explore(struct options *o, struct fal_error *err)
{
    struct tl_alphabet alphabet = {.num_themes = 0};
    char *text = NULL;
    int rc = 0, status = TL_STATUS_PASS;

    o->explore.alphabet = o->alphabet != NULL ? o->alphabet : "alphabet.json";
    o->explore.text = explore_alphabet;
    o->explore.text_len = strlen(explore_alphabet);
    if (o->alphabet != NULL) {
        text = tl_file_read(o->alphabet, &o->explore.text_len, err);
        o->explore.text = text;
        if (text == NULL) {
            struct fal_error why = *err;

            return tl_verb_wrong(options.verb, "--alphabet %s: %s", o->alphabet, why.text);
        }
    }
    rc = tl_alphabet_read(o->explore.alphabet, o->explore.text, o->explore.text_len, &alphabet,
                          err);
    if (rc == 0)
        rc = check_themes(o, &alphabet, err);
    if (rc == 0 && !o->list)
        rc = open_dir(o, err);
    if (rc != 0)
        status = tl_verb_wrong(options.verb, "%s", err->text);
    else if (o->list)
        print_alphabet(&alphabet);
    else
        status = run(o, &alphabet);
    tl_alphabet_free(&alphabet);
    free(text);
    return status;
}

int tl_cmd_explore(int argc, char **argv)
{
    struct options o = {.explore = {.depth = DEFAULT_DEPTH}};
    struct fal_error err = {{0}};
    int status;

    tl_verb_keep_heap();
    o.explore.jobs = hunt_target_jobs();
    hunt_target_init(&o.target);
    status = tl_verb_read(&options, hunt_usage_explore, argc, argv, &o);
    if (status == TL_VERB_GO && check(&o, &err) != 0) {
        status = tl_verb_wrong(options.verb, "%s", err.text);
    } else if (status == TL_VERB_GO) {
        hunt_target_ready(&o.target);
        o.explore.run = o.target.run;
        o.explore.sut = o.target.sut;
        o.explore.again = "";
        o.explore.dir = o.resume != NULL ? o.resume : o.out;
        o.explore.resume = o.resume != NULL;
        o.explore.warnings = !o.must;
        status = explore(&o, &err);
    }
    tl_options_free(&options, &o);
    return status;
}
