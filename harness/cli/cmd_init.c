/* SPDX-License-Identifier: Apache-2.0
 * cmd_init.c - `talon init`: asks which SUT is tested and writes the bench file. */
#include "harness/claims/bench_file.h"
#include "harness/claims/ics.h"
#include "harness/claims/ixit.h"
#include "harness/claims/waivers.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/profile/profile.h"
#include "harness/run/run_sut.h"
#include "harness/session/bench_sut.h"
#include "harness/site/adapter_check.h"
#include "harness/suite/suite.h"
#include "harness/wire/protocol_levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 6, PATH_LEN = 4096 };

struct init_options {
    struct tl_bench_file file;
    const char *out;
    bool force, no_probe;
};

#define DEFAULT_OUT   "talon.json"
#define TL_OPTIONS_OF struct init_options

static const struct tl_option option_list[] = {
    {TL_TEXT("--sut", file.sut, "SUT"), .help = "as for talon run"},
    {TL_TEXT("--control", file.control, "ADDR"),
     .help = "with udp: and raw:, the control channel: tcp:HOST:PORT or unix:PATH"},
    {TL_TEXT("--ics", file.ics, "FILE"),
     .help = "what the device offers (talon list ics --proforma)"},
    {TL_TEXT("--ixit", file.ixit, "FILE"),
     .help = "values that tests need to know (talon list ixit --proforma)"},
    {TL_TEXT("--waivers", file.waivers, "FILE"),
     .help = "failures that are waived or expected, and flaky cases"},
    {TL_TEXT("--profile", file.profile, "NAME"),
     .help = "a set of cases, ICS and parameters (talon list profiles), or a file"},
    {TL_TEXT("--out", out, "FILE"), .help = "the file to write (default talon.json)"},
    {TL_FLAG("--force", force), .help = "replace the file if it exists"},
    {TL_FLAG("--no-probe", no_probe), .help = "do not ask the adapter for its identity"},
};
static const struct tl_options options = {"init", option_list,
                                          sizeof option_list / sizeof *option_list};

/* ---- questions ---- */

/* Asks for a value on the terminal: an allocated text, or NULL for an empty answer. */
static char *ask(const char *question)
{
    char *answer = NULL;
    size_t cap = 0;
    ssize_t len;

    fprintf(stderr, "%s: ", question);
    len = getline(&answer, &cap, stdin);
    while (len > 0 && strchr(" \t\r\n", answer[len - 1]) != NULL)
        answer[--len] = 0;
    if (len > 0)
        return answer;
    free(answer);
    return NULL;
}

/* Asks for each value that no option gives. `answers` owns the texts. */
static void ask_all(struct tl_bench_file *file, char *answers[FIELDS])
{
    const struct {
        const char **value, *question;
    } rows[FIELDS] = {
        {&file->sut, "SUT (udp:HOST:PORT, raw:IFACE,HOST, exec:COMMAND, lib:FILE.so, builtin)"},
        {&file->control, "control channel (tcp:HOST:PORT or unix:PATH; empty: none)"},
        {&file->ics, "ICS file (empty: none)"},
        {&file->ixit, "IXIT file (empty: none)"},
        {&file->waivers, "waivers file (empty: none)"},
        {&file->profile, "profile (empty: none; talon list profiles)"},
    };

    for (size_t i = 0; i < FIELDS; i++) {
        bool needless = i == 1 && file->sut != NULL && strncmp(file->sut, "udp:", 4) != 0 &&
                        strncmp(file->sut, "raw:", 4) != 0;

        if (*rows[i].value == NULL && !needless)
            *rows[i].value = answers[i] = ask(rows[i].question);
    }
}

/* ---- checks ---- */

static int check_profile(const char *name, struct fal_error *err)
{
    char path[PATH_LEN];
    struct tl_profile profile;
    int rc;

    if (!tl_suite_profile(name, path, sizeof path))
        return tl_suite_no_profile(name, err);
    rc = tl_profile_load(path, &profile, err);
    if (rc == 0)
        tl_profile_free(&profile);
    return rc;
}

/* Reads each file that is named, so that a mistake shows now and not in the first run. */
static int check_files(const struct tl_bench_file *file, struct fal_error *err)
{
    struct tl_ics ics;
    struct tl_ixit ixit;
    struct tl_waivers waivers;
    int rc = file->ics != NULL ? tl_ics_load(file->ics, &ics, err) : 0;

    if (rc == 0 && file->ixit != NULL) {
        rc = tl_ixit_load(file->ixit, &ixit, err);
        if (rc == 0)
            tl_ixit_free(&ixit);
    }
    if (rc == 0 && file->waivers != NULL) {
        rc = tl_waivers_load(file->waivers, &waivers, err);
        if (rc == 0)
            tl_waivers_free(&waivers);
    }
    return rc == 0 && file->profile != NULL ? check_profile(file->profile, err) : rc;
}

static int check_sut(const struct tl_bench_file *file, struct fal_error *err)
{
    struct tl_target target = {.address = NULL};
    struct fal_error why = {{0}};

    if (tl_run_sut_read(file->sut, &target, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "--sut: %.300s", why.text);
    if (file->control != NULL && !tl_target_live(target.kind))
        return fal_fail(err, FAL_ERR_FORM, "--control: only udp: and raw: have one");
    if (file->control != NULL && tl_run_control_check(file->control, &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "--control: %.300s", why.text);
    return 0;
}

static void print_levels(const json_t *levels)
{
    printf(" It offers levels up to L%u", tl_protocol_levels(levels));
    for (int i = TL_UPPER_RAW + 1; i < TL_UPPERS; i++) {
        const struct tl_words *words = tl_words_of((enum tl_upper_layer)i);
        unsigned most = tl_protocol_word_levels(words->upper, levels);

        if (most > 0)
            printf(", and %s up to L%u%c", words->layer, most, words->letter);
    }
    puts(".");
}

/* Says hello to the adapter and prints who answered. Returns 0, or FAL_ERR_IO with `err`. */
static int probe(const struct tl_bench_file *file, struct fal_error *err)
{
    bool child = strncmp(file->sut, "exec:", 5) == 0 || strncmp(file->sut, "lib:", 4) == 0;
    const char *where = child ? file->sut : file->control;
    struct tl_adapter *adapter;
    json_t *reply;

    if (where == NULL)
        return 0;
    adapter = tl_adapter_open(where, err);
    if (adapter == NULL)
        return FAL_ERR_IO;
    reply = tl_adapter_hello(adapter, err);
    adapter->ops->free(adapter);
    if (reply == NULL)
        return FAL_ERR_IO;
    printf("The adapter is that of %s %s, firmware %s.",
           json_string_value(json_object_get(reply, "vendor")),
           json_string_value(json_object_get(reply, "product")),
           json_string_value(json_object_get(reply, "firmware")));
    print_levels(json_object_get(reply, "levels"));
    json_decref(reply);
    return 0;
}

/* ---- the file ---- */

/* Files are named relative to the folder of the bench file. If that is another folder than this
 * one, they get their absolute names. */
static void make_absolute(struct tl_bench_file *file, const char *out, char *owned[FIELDS])
{
    const char **const files[] = {&file->ics, &file->ixit, &file->waivers, &file->profile};

    if (strchr(out, '/') == NULL)
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool name =
            *files[i] == NULL || (files[i] == &file->profile && access(*files[i], F_OK) != 0);

        owned[i] = name ? NULL : realpath(*files[i], NULL);
        if (owned[i] != NULL)
            *files[i] = owned[i];
    }
}

static int init(struct init_options *o)
{
    struct fal_error err = {{0}};
    char *owned[FIELDS] = {NULL};
    int rc = 0;

    if (!o->force && access(o->out, F_OK) == 0)
        rc = fal_fail(&err, FAL_ERR_FORM, "%.200s exists; --force replaces it", o->out);
    if (rc == 0)
        rc = check_sut(&o->file, &err);
    if (rc == 0)
        rc = check_files(&o->file, &err);
    if (rc == 0 && !o->no_probe && probe(&o->file, &err) != 0) {
        fprintf(stderr, "talon init: %s (--no-probe writes the file without asking)\n",
                err.text);
        return TL_STATUS_ERROR;
    }
    if (rc == 0) {
        make_absolute(&o->file, o->out, owned);
        rc = tl_bench_file_write(&o->file, o->out, o->force, &err);
    }
    for (size_t i = 0; i < FIELDS; i++)
        free(owned[i]);
    if (rc != 0)
        return tl_verb_failed("init", rc, &err);
    if (strcmp(o->out, DEFAULT_OUT) == 0)
        printf(
            "%s is written. In this folder, talon run, fuzz, explore, shrink, certify, path-check\n"
            "and sut-check read it; elsewhere give --bench FILE.\n",
            o->out);
    else
        printf(
            "%s is written. Give it to talon run, fuzz, explore, shrink, certify, path-check\n"
            "and sut-check with --bench %s.\n",
            o->out, o->out);
    return TL_STATUS_PASS;
}

int tl_cmd_init(int argc, char **argv)
{
    struct init_options o = {.out = DEFAULT_OUT};
    char *answers[FIELDS] = {NULL};
    int status = tl_verb_read(&options, tl_usage_init, argc, argv, &o);

    if (status != TL_VERB_GO)
        return status;
    if (isatty(STDIN_FILENO))
        ask_all(&o.file, answers);
    status = o.file.sut != NULL
                 ? init(&o)
                 : tl_verb_wrong("init", "--sut is missing (there is no terminal to ask on)");
    for (size_t i = 0; i < FIELDS; i++)
        free(answers[i]);
    return status;
}
