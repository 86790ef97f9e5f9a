/* SPDX-License-Identifier: Apache-2.0
 * cmd_lab.c - `talon lab`: experiments of congestion control on a simulated fabric. */
#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "oracles/lab/experiment.h"
#include "oracles/params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PS_PER_NS = 1000 };

#define TIME_MAX_NS (FAL_S * 10)
#define RATE_LEAST  UINT64_C(1000000)
#define RATE_MOST   UINT64_C(1600000000000)

struct lab_command {
    struct tl_texts words; /* the experiment */
    struct fal_swift_params params;
    bool list, quiet;
    uint64_t flows, seed, time_ns, rate_bps;
};

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
    struct lab_command *c = into;
    const char *sign = strchr(value, '=');
    char name[64], *end;
    const struct fal_swift_param *param;
    double number;

    if (sign == NULL || (size_t)(sign - value) >= sizeof name)
        return fal_fail(err, FAL_ERR_FORM, "expected NAME=VALUE, found '%.60s'", value);
    (void)snprintf(name, sizeof name, "%.*s", (int)(sign - value), value);
    param = fal_swift_param_find(name);
    if (param == NULL)
        return fal_fail(err, FAL_ERR_FORM, "there is no parameter '%s'; see talon help swift",
                        name);
    number = strtod(sign + 1, &end);
    if (end == sign + 1 || *end != 0 || fal_swift_param_set(param, &c->params, number) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%s: expected a %snumber from %.10g to %.10g", name,
                        param->whole ? "whole " : "", param->least, param->most);
    return 0;
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("EXPERIMENT", words, NULL)},
    {TL_FLAG("--list", list), .help = "list the experiments"},
    {TL_NUMBER("--flows", flows, 1, FAL_LAB_FLOWS_MAX),
     .help = "number of flows (default: those of the experiment, one after another)"},
    {TL_NUMBER("--seed", seed, 0, UINT64_MAX), .help = "of all that is drawn (default 1)"},
    {TL_TIME("--time", time_ns),
     .help = "simulated time, at most 10s (default: that of the experiment, 18ms to 25ms)"},
    {TL_OWN("--rate", read_rate, "RATE"),
     .help = "of the bottleneck, as 100Gb/s (default) or 400Mb/s"},
    {TL_OWN("--param", read_param, "NAME=VALUE"),
     .help = "a parameter of Swift or PLB (talon help swift); may be given several times"},
    {TL_FLAG("--quiet", quiet), .help = "print only values outside their band, and a summary"},
};
static const struct tl_options options = {"lab", option_list,
                                          sizeof option_list / sizeof *option_list};

/* ---- printing ---- */

static void number_text(char out[32], int64_t milli, bool whole)
{
    if (whole)
        (void)snprintf(out, 32, "%" PRId64, milli / 1000);
    else
        (void)snprintf(out, 32, "%" PRId64 ".%03" PRId64, milli / 1000, milli % 1000);
}

static void band_text(char out[80], const struct fal_lab_value *value)
{
    char least[32], most[32];

    out[0] = 0;
    if (!value->banded)
        return;
    number_text(least, value->least, value->whole);
    number_text(most, value->most, value->whole);
    if (value->most == INT64_MAX)
        (void)snprintf(out, 80, "at least %s", least);
    else if (value->least == 0 && value->most > 0)
        (void)snprintf(out, 80, "at most %s", most);
    else if (value->least == value->most)
        (void)snprintf(out, 80, "%s", most);
    else
        (void)snprintf(out, 80, "%s to %s", least, most);
}

/* Returns the number of warnings. */
static unsigned print_outcome(const struct lab_command *c, const struct fal_lab_ask *ask,
                              const struct fal_lab_outcome *out)
{
    unsigned warnings = 0;

    if (!c->quiet) {
        bool whole = ask->time_ps % FAL_LAB_MS == 0;

        printf("\n%" PRIu32 " flow%s, %" PRIu64 " %s, seed %" PRIu64 "\n", ask->flows,
               ask->flows == 1 ? "" : "s", ask->time_ps / (whole ? FAL_LAB_MS : FAL_LAB_US),
               whole ? "ms" : "us", ask->seed);
    }
    for (unsigned i = 0; i < out->n_values; i++) {
        const struct fal_lab_value *value = &out->values[i];
        bool outside = fal_lab_outside(value);
        char number[32], band[80];

        warnings += outside;
        if (c->quiet && !outside)
            continue;
        number_text(number, value->milli, value->whole);
        band_text(band, value);
        if (c->quiet)
            printf("%" PRIu32 " flow%s:", ask->flows, ask->flows == 1 ? "" : "s");
        printf("  %-34s %10s%s%s", value->name, number, value->unit[0] != 0 ? " " : "",
               value->unit);
        if (value->banded)
            printf("%*s  band: %s%s", 6 - (int)strlen(value->unit) + (value->unit[0] == 0), "",
                   band, outside ? "  warn" : "");
        putchar('\n');
    }
    return warnings;
}

static int list(void)
{
    size_t n;
    const struct fal_lab_experiment *e = fal_lab_experiments(&n);

    for (size_t i = 0; i < n; i++)
        printf("%-14s %s  %s\n", e[i].name, e[i].number, e[i].about);
    return TL_STATUS_PASS;
}

/* ---- playing ---- */

static int play_case(const struct lab_command *c, const struct fal_lab_experiment *e,
                     const struct fal_swift *swift, uint32_t flows, unsigned *warnings)
{
    struct fal_lab_outcome out;
    const struct fal_lab_ask ask = {.flows = flows,
                                    .seed = c->seed,
                                    .time_ps = c->time_ns > 0 ? c->time_ns * PS_PER_NS
                                                              : e->time_ps(flows),
                                    .rate_bps = c->rate_bps,
                                    .swift = swift};

    if (e->run(&ask, &out) != 0) {
        fprintf(stderr, "talon lab: out of memory\n");
        return TL_STATUS_ERROR;
    }
    *warnings += print_outcome(c, &ask, &out);
    return TL_STATUS_PASS;
}

static int play(const struct lab_command *c, const struct fal_lab_experiment *e)
{
    struct fal_error err = {{0}};
    struct fal_swift swift;
    unsigned warnings = 0;
    int status = TL_STATUS_PASS;

    if (fal_swift_init(&swift, &c->params, true, &err) != 0)
        return tl_verb_wrong(options.verb, "--param: %s", err.text);
    if (!c->quiet)
        printf("%s (%s): %s\n", e->name, e->number, e->about);
    if (c->flows > 0) {
        status = play_case(c, e, &swift, (uint32_t)c->flows, &warnings);
    } else {
        for (unsigned i = 0;
             i < FAL_LAB_CASES_MAX && e->cases[i] > 0 && status == TL_STATUS_PASS; i++)
            status = play_case(c, e, &swift, e->cases[i], &warnings);
    }
    if (status == TL_STATUS_PASS)
        printf("%s%u value%s outside %s band\n", c->quiet ? "" : "\n", warnings,
               warnings == 1 ? "" : "s", warnings == 1 ? "its" : "their");
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

static int run_verb(const struct lab_command *c)
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
    return play(c, e);
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
