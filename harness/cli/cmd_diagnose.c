/* SPDX-License-Identifier: Apache-2.0
 * cmd_diagnose.c - `talon diagnose`: which known faults behave like the SUT of saved results.
 */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/run/saved_results.h"
#include "reports/causes/causes.h"
#include "reports/diagnosis/diagnosis.h"

#include <stdio.h>
#include <stdlib.h>

struct options {
    struct tl_texts paths;
    bool brief;
};

#define TL_OPTIONS_OF struct options
static const struct tl_option diagnose_list[] = {
    {TL_TEXTS("RESULTS", paths, NULL)},
    {TL_FLAG("--brief", brief), .help = "only the best fault, and those that fit as well"},
};
static const struct tl_options diagnose_options = {
    "diagnose", diagnose_list, sizeof diagnose_list / sizeof *diagnose_list};

static void put_fit(const struct tl_diagnosis *d, const struct tl_fit *fit)
{
    printf("`%s`%s: explains %zu of %zu failed scenarios; %zu that it fails passed", fit->fault,
           fit->seldom ? " (acting only sometimes)" : "", fit->explained, d->failed,
           fit->due - fit->explained);
}

/* The faults that fit as well as the best: the run cannot tell them apart. */
static size_t equal_to_best(const struct tl_diagnosis *d)
{
    size_t n = 1;

    while (n < d->count && d->fits[n].score > d->fits[0].score - 1e-9)
        n++;
    return n;
}

static void put_nearest_section(const struct tl_causes *causes)
{
    if (causes->count > 0 && causes->list[0].requirement != NULL)
        printf("The first cause is about section %s (%s).\n",
               causes->list[0].requirement->section, causes->list[0].requirement->id);
}

static void put(const struct tl_diagnosis *d, const struct tl_causes *causes, bool brief)
{
    bool good = d->count > 0 && tl_fit_good(d, &d->fits[0]);
    size_t equal = d->count > 0 ? equal_to_best(d) : 0;

    if (d->failed == 0) {
        printf("No scenario failed (%zu played): there is nothing to diagnose.\n", d->played);
        return;
    }
    if (!good) {
        printf("No known fault fits the %zu scenarios that failed.\n", d->failed);
        put_nearest_section(causes);
    }
    for (size_t i = 0; i < (brief ? equal : d->count); i++) {
        printf("%s ", i == 0      ? (good ? "behaves like" : "nearest     ")
                      : i < equal ? "or like     "
                                  : "less likely ");
        put_fit(d, &d->fits[i]);
        putchar('\n');
    }
}

static int diagnose(const char *path, bool brief)
{
    struct tl_causes *causes = calloc(1, sizeof *causes);
    struct tl_saved saved = {.file = NULL};
    struct tl_diagnosis diagnosis;
    struct fal_error err = {{0}};
    int rc = causes != NULL ? tl_saved_open(&saved, path, &err)
                            : fal_fail(&err, FAL_ERR_MEM, "out of memory");

    if (rc == 0)
        rc = tl_diagnose(saved.results, &diagnosis, &err);
    if (rc == 0)
        rc = tl_causes_make(saved.results, causes, &err);
    if (rc == 0)
        put(&diagnosis, causes, brief);
    if (causes != NULL)
        tl_causes_free(causes);
    free(causes);
    tl_saved_close(&saved);
    if (rc != 0)
        return tl_verb_failed("diagnose", rc, &err);
    return fflush(stdout) == 0 ? TL_STATUS_PASS : TL_STATUS_ERROR;
}

int tl_cmd_diagnose(int argc, char **argv)
{
    struct options o = {.paths = {.count = 0}};
    int status = tl_verb_read(&diagnose_options, tl_usage_diagnose, argc, argv, &o);

    if (status == TL_VERB_GO && o.paths.count != 1)
        status = tl_verb_wrong("diagnose", "expected one RESULTS");
    else if (status == TL_VERB_GO)
        status = diagnose(o.paths.list[0], o.brief);
    tl_options_free(&diagnose_options, &o);
    return status;
}
