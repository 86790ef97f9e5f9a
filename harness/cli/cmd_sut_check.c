/* SPDX-License-Identifier: Apache-2.0
 * cmd_sut_check.c - `talon sut-check`: an adapter of the control protocol, tested alone. */
#include "harness/cli/cmd.h"
#include "harness/site/adapter_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOOD = 20000, EVENTS = 1000, COUNT_MAX = 10000000 };

static const char usage[] =
    "usage: talon sut-check --control tcp:HOST:PORT|unix:PATH [options]\n"
    "       talon sut-check exec:COMMAND|lib:FILE.so [options]\n"
    "\n"
    "Tests an adapter of the SUT control protocol (docs/sut-protocol.md) alone: each command, wrong\n"
    "input, lines that are cut, a flood, a tester that goes away. One verdict a check.\n"
    "\n"
    "  --flood N    commands that are written before answers are read (20000)\n"
    "  --events N   posts whose ends must be told, event by event (1000)\n"
    "  --list       the names of the checks\n"
    "  --help       this text\n"
    "\n"
    "Ends with 0 when no check failed, 1 when one did, 2 when the command is wrong, 4 when\n"
    "nobody is there.\n";

static int bad(const char *what, const char *value)
{
    fprintf(stderr, "talon sut-check: %s%s; see talon sut-check --help\n", what, value);
    return TL_STATUS_USAGE;
}

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

int tl_cmd_sut_check(int argc, char **argv)
{
    const char *where = NULL;
    uint64_t flood = FLOOD, events = EVENTS;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return TL_STATUS_PASS;
        }
        if (strcmp(argv[i], "--list") == 0) {
            for (size_t n = 0; tl_adapter_check_name(n) != NULL; n++)
                puts(tl_adapter_check_name(n));
            return TL_STATUS_PASS;
        }
        if (strncmp(argv[i], "exec:", 5) == 0 || strncmp(argv[i], "lib:", 4) == 0) {
            where = argv[i];
        } else if (strcmp(argv[i], "--control") != 0 && strcmp(argv[i], "--flood") != 0 &&
                   strcmp(argv[i], "--events") != 0) {
            return bad("no option ", argv[i]);
        } else if (i + 1 == argc) {
            return bad("a value is missing after ", argv[i]);
        } else if (strcmp(argv[i++], "--control") == 0) {
            where = argv[i];
        } else {
            bool is_flood = strcmp(argv[i - 1], "--flood") == 0;
            char *end;
            uint64_t n = strtoull(argv[i], &end, 10);

            if (argv[i][0] < '0' || argv[i][0] > '9' || *end != 0 || n > COUNT_MAX)
                return bad(is_flood ? "--flood: expected a number up to 10000000, not "
                                    : "--events: expected a number up to 10000000, not ",
                           argv[i]);
            *(is_flood ? &flood : &events) = n;
        }
    }
    if (where == NULL)
        return bad("whom? --control tcp:HOST:PORT or unix:PATH, exec:COMMAND or lib:FILE.so",
                   "");
    return check(where, flood, events);
}
