/* SPDX-License-Identifier: Apache-2.0
 * cmd_diagnose.c - `talon diagnose`: which known faults behave like the SUT of saved results.
 */
#include "harness/cli/cmd.h"
#include "harness/cli/diagnose_verify.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/run/saved_results.h"
#include "oracles/endpoint/faults/faults.h"
#include "reports/causes/causes.h"
#include "reports/diagnosis/diagnosis.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum diagnose_format { DIAGNOSE_TEXT, DIAGNOSE_JSON };

struct options {
    struct tl_texts paths;
    enum diagnose_format format;
    bool no_run;
};

#define TL_OPTIONS_OF struct options
static const struct tl_option diagnose_list[] = {
    {TL_TEXTS("RESULTS", paths, NULL)},
    {TL_CHOICE("--format", format, "text|json", "text json"), .help = "default text"},
    {TL_FLAG("--no-run", no_run),
     .help = "do not verify the best fault by playing the failed cases against the built-in "
             "SUT"},
};
static const struct tl_options diagnose_options = {
    "diagnose", diagnose_list, sizeof diagnose_list / sizeof *diagnose_list};

/* All that is known of a run. */
struct findings {
    struct tl_signatures signatures;
    struct tl_seen seen;
    struct tl_causes causes;
    struct tl_diagnosis diagnosis;
    bool fits, verified;
    struct tl_verified again;
    struct fal_error why_not; /* it was not verified */
};

static const struct fal_fault *about(const struct tl_fit *fit)
{
    size_t n;
    const struct fal_fault *all = fal_faults(&n);
    int at = fal_fault_find(fit->fault->names[0]);

    return at >= 0 ? &all[at] : NULL;
}

static void put_names(const struct tl_fit *fit)
{
    for (size_t i = 0; i < fit->fault->num_names; i++)
        printf("%s`%s`", i > 0 ? " or " : "", fit->fault->names[i]);
}

static void put_numbers(const struct tl_fit *fit)
{
    size_t against = fit->due - fit->explained;

    printf("%zu of %zu %sfailures explained", fit->explained, fit->failed,
           fit->rest ? "other " : "");
    if (against == 0)
        printf(", none contradicted\n");
    else
        printf(", %zu of %zu cases that it fails passed\n", against, fit->due);
}

static void put_best(const struct findings *f)
{
    const struct tl_diagnosis *d = &f->diagnosis;

    for (size_t i = 0; i < d->equal; i++) {
        const struct fal_fault *fault = about(&d->fits[i]);

        printf("%s", i == 0 ? "behaves like " : "or like ");
        put_names(&d->fits[i]);
        printf("%s: ", d->fits[i].seldom ? " (acting only sometimes)" : "");
        put_numbers(&d->fits[i]);
        if (fault != NULL)
            printf("    section %s: %s\n", fault->section, fault->doc);
    }
    if (f->verified)
        printf("    verified: with this fault the built-in SUT fails %zu of the %zu cases, %zu "
               "with the same problems\n",
               f->again.fail, f->again.played, f->again.alike);
    else if (f->why_not.text[0] != 0)
        printf("    not verified: %s\n", f->why_not.text);
}

/* The faults behind those that fit. Of those for the rest, only what fits it: a few failures
 * are left over in most runs. */
static void put_others(const struct findings *f)
{
    const struct tl_diagnosis *d = &f->diagnosis;

    for (size_t i = f->fits ? d->equal : 0; i < d->count; i++) {
        const struct tl_fit *fit = &d->fits[i];

        if (fit->rest && !tl_fit_good(fit))
            continue;
        printf("%s ", fit->rest ? "and behaves like" : f->fits ? "ruled out:" : "nearest:");
        put_names(fit);
        printf(": ");
        put_numbers(fit);
    }
}

static void put_vote(const struct tl_diagnosis *d)
{
    printf("subject: %s; nearest section%s ", d->subject, d->num_sections > 1 ? "s" : "");
    for (size_t i = 0; i < d->num_sections; i++)
        printf("%s%s", i > 0 ? ", " : "", d->sections[i]);
    printf("\n");
}

static void put_text(const struct findings *f)
{
    const struct tl_diagnosis *d = &f->diagnosis;

    if (d->failed + d->foreign == 0) {
        printf("No case failed (%zu played): there is nothing to diagnose.\n", d->played);
        return;
    }
    printf("%zu of %zu cases failed.\n", d->failed, d->played);
    if (d->foreign > 0)
        printf("%zu more failed that are not of the suite: they are not compared.\n",
               d->foreign);
    if (f->fits)
        put_best(f);
    else
        printf("no known fault fits; nearest section %s\n",
               d->num_sections > 0 ? d->sections[0] : "unknown");
    put_others(f);
    if (d->subject != NULL)
        put_vote(d);
}

static json_t *fit_json(const struct tl_fit *fit)
{
    json_t *names = json_array();

    for (size_t i = 0; i < fit->fault->num_names; i++)
        (void)json_array_append_new(names, json_string(fit->fault->names[i]));
    return json_pack("{s:o, s:b, s:b, s:b, s:I, s:I, s:I, s:f}", "faults", names, "fits",
                     (int)tl_fit_good(fit), "seldom", (int)fit->seldom, "rest", (int)fit->rest,
                     "failed", (json_int_t)fit->failed, "explained", (json_int_t)fit->explained,
                     "due", (json_int_t)fit->due, "alike", fit->alike);
}

static json_t *verified_json(const struct findings *f)
{
    if (!f->verified)
        return json_null();
    return json_pack("{s:I, s:I, s:I}", "played", (json_int_t)f->again.played, "fail",
                     (json_int_t)f->again.fail, "alike", (json_int_t)f->again.alike);
}

static void put_json(const struct findings *f)
{
    const struct tl_diagnosis *d = &f->diagnosis;
    json_t *fits = json_array(), *sections = json_array(), *all;

    for (size_t i = 0; i < d->count; i++)
        (void)json_array_append_new(fits, fit_json(&d->fits[i]));
    for (size_t i = 0; i < d->num_sections; i++)
        (void)json_array_append_new(sections, json_string(d->sections[i]));
    all = json_pack("{s:s, s:I, s:I, s:I, s:b, s:I, s:o, s:s?, s:o, s:o}", "schema",
                    "talon/diagnosis/1", "played", (json_int_t)d->played, "failed",
                    (json_int_t)d->failed, "foreign", (json_int_t)d->foreign, "fits",
                    (int)f->fits, "equal", (json_int_t)d->equal, "nearest", fits, "subject",
                    d->subject, "sections", sections, "verified", verified_json(f));
    if (all != NULL) {
        (void)json_dumpf(all, stdout, JSON_INDENT(1));
        printf("\n");
    }
    json_decref(all);
}

static int find(struct findings *f, const struct options *o, struct fal_error *err)
{
    const char *path = o->paths.list[0];
    struct tl_saved saved = {.file = NULL};
    int rc = tl_saved_open(&saved, path, err);

    if (rc == 0)
        rc = tl_signatures_read(tl_diagnosis_signatures, &f->signatures, err);
    if (rc == 0)
        rc = tl_seen_gather(saved.results, &f->signatures, &f->seen, err);
    if (rc == 0)
        rc = tl_diagnosis_score(&f->seen, &f->signatures, &f->diagnosis, err);
    if (rc == 0)
        rc = tl_causes_make(saved.results, &f->causes, err);
    if (rc == 0)
        rc = tl_diagnosis_vote(&f->seen, &f->causes, &f->diagnosis, err);
    f->fits = rc == 0 && tl_diagnosis_fits(&f->diagnosis);
    if (f->fits && !o->no_run && strcmp(path, "-") != 0) {
        struct tl_verify what = {&o->paths, saved.results->seed,
                                 f->diagnosis.fits[0].fault->names[0]};

        f->verified =
            tl_diagnose_verify(&what, &f->seen, &f->signatures, &f->again, &f->why_not) == 0;
    }
    tl_saved_close(&saved);
    return rc;
}

static int diagnose(const struct options *o)
{
    struct findings *f = calloc(1, sizeof *f);
    struct fal_error err = {{0}};
    int rc = f != NULL ? find(f, o, &err) : fal_fail(&err, FAL_ERR_MEM, "out of memory");

    if (f != NULL && rc == 0 && o->format == DIAGNOSE_JSON)
        put_json(f);
    else if (f != NULL && rc == 0)
        put_text(f);
    if (f != NULL) {
        tl_causes_free(&f->causes);
        tl_seen_free(&f->seen);
        tl_signatures_free(&f->signatures);
    }
    free(f);
    if (rc != 0)
        return tl_verb_failed("diagnose", rc, &err);
    return fflush(stdout) == 0 ? TL_STATUS_PASS : TL_STATUS_ERROR;
}

int tl_cmd_diagnose(int argc, char **argv)
{
    struct options o = {.paths = {.count = 0}};
    int status = tl_verb_read(&diagnose_options, tl_usage_diagnose, argc, argv, &o);

    if (status == TL_VERB_GO && o.paths.count == 0)
        status = tl_verb_wrong("diagnose", "expected RESULTS");
    else if (status == TL_VERB_GO)
        status = diagnose(&o);
    tl_options_free(&diagnose_options, &o);
    return status;
}
