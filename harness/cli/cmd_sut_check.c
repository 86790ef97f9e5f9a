/* SPDX-License-Identifier: Apache-2.0
 * cmd_sut_check.c - `talon sut-check`: an adapter of the control protocol, tested alone. */
#include "harness/claims/bench_file.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/site/adapter_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOOD = 20000, EVENTS = 1000, COUNT_MAX = 10000000 };

struct told {
    unsigned passed, skipped;
};

static void tell(void *ctx, const struct tl_check_result *result)
{
    static const char *const verdicts[] = {"pass", "FAIL", "skipped"};
    struct told *told = ctx;

    told->passed += result->verdict == TL_CHECK_PASS;
    told->skipped += result->verdict == TL_CHECK_SKIPPED;
    printf("%-8s %-16s %s\n", verdicts[result->verdict], result->name, result->title);
    if (result->why[0] != 0)
        printf("         %s\n", result->why);
}

static int check(const char *where, uint64_t flood, uint64_t events)
{
    struct fal_error err = {{0}};
    struct told told = {0, 0};
    struct tl_adapter *adapter = tl_adapter_open(where, &err);
    unsigned failed;

    if (adapter == NULL) {
        fprintf(stderr, "talon sut-check: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    failed = tl_adapter_check(adapter, flood, events, tell, &told);
    adapter->ops->free(adapter);
    printf("%u checks: %u passed, %u failed, %u skipped\n", told.passed + failed + told.skipped,
           told.passed, failed, told.skipped);
    return failed > 0 ? TL_STATUS_FAIL : TL_STATUS_PASS;
}

struct sut_check_options {
    const char *adapter, *control;
    uint64_t flood, events;
    bool list;
};

#define TL_OPTIONS_OF struct sut_check_options

static const struct tl_option option_list[] = {
    {TL_TEXT("ADAPTER", adapter, NULL)},
    {TL_TEXT("--control", control, "ADDR"),
     .help = "the control channel of a running adapter: tcp:HOST:PORT or unix:PATH"},
    TL_BENCH_OPTION,
    {TL_NUMBER("--flood", flood, 0, COUNT_MAX),
     .help = "commands that are written before replies are read (default 20000)"},
    {TL_NUMBER("--events", events, 0, COUNT_MAX),
     .help = "posts whose completions must be reported, one event each (default 1000)"},
    {TL_FLAG("--list", list), .help = "print the names of the checks"},
};
static const struct tl_options options = {"sut-check", option_list,
                                          sizeof option_list / sizeof *option_list};

int tl_cmd_sut_check(int argc, char **argv)
{
    struct sut_check_options o = {.flood = FLOOD, .events = EVENTS};
    int status = tl_verb_read(&options, tl_usage_sut_check, argc, argv, &o);

    if (status != TL_VERB_GO)
        return status;
    for (size_t n = 0; o.list && tl_adapter_check_name(n) != NULL; n++)
        puts(tl_adapter_check_name(n));
    if (o.list)
        return TL_STATUS_PASS;
    if (o.adapter != NULL && strncmp(o.adapter, "exec:", 5) != 0 &&
        strncmp(o.adapter, "lib:", 4) != 0)
        return tl_verb_wrong(options.verb, "'%.100s'; expected exec:COMMAND or lib:FILE.so",
                             o.adapter);
    if ((o.adapter == NULL) == (o.control == NULL))
        return tl_verb_wrong(options.verb, "expected one adapter: --control tcp:HOST:PORT or "
                                           "unix:PATH, exec:COMMAND or lib:FILE.so");
    return check(o.control != NULL ? o.control : o.adapter, o.flood, o.events);
}
