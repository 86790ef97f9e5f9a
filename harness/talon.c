/* SPDX-License-Identifier: Apache-2.0
 * talon.c - the program: finds the verb. The verbs of fuzz/ are in a library that the linker
 * reads before libharness.a, so that their table has its place here. */
#include "codecs/base/nearest.h"
#include "harness/cli/bench_words.h"
#include "harness/cli/shell/pages.h"
#include "harness/sut/lib_host.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct tl_cmd verbs[] = {
    {"capture", tl_cmd_capture, TL_BENCH_NONE},
    {"cc", tl_cmd_cc, TL_BENCH_NONE},
    {"certify", tl_cmd_certify, TL_BENCH_ALL},
    {"check", tl_cmd_check, TL_BENCH_NONE},
    {"decode", tl_cmd_decode, TL_BENCH_NONE},
    {"diagnose", tl_cmd_diagnose, TL_BENCH_NONE},
    {"diff", tl_cmd_diff, TL_BENCH_NONE},
    {"encode", tl_cmd_encode, TL_BENCH_NONE},
    {"eventpipe", tl_cmd_eventpipe, TL_BENCH_NONE},
    {"explain", tl_cmd_explain, TL_BENCH_NONE},
    {"explore", tl_cmd_explore, TL_BENCH_SUT},
    {"fmt", tl_cmd_fmt, TL_BENCH_NONE},
    {"fuzz", tl_cmd_fuzz, TL_BENCH_SUT},
    {"help", tl_cmd_help, TL_BENCH_NONE},
    {"history", tl_cmd_history, TL_BENCH_NONE},
    {"host-check", tl_cmd_host_check, TL_BENCH_NONE},
    {"init", tl_cmd_init, TL_BENCH_NONE},
    {"lab", tl_cmd_lab, TL_BENCH_NONE},
    {"list", tl_cmd_list, TL_BENCH_NONE},
    {"logic", tl_cmd_logic, TL_BENCH_NONE},
    {"new", tl_cmd_new, TL_BENCH_NONE},
    {"path-check", tl_cmd_path_check, TL_BENCH_SUT},
    {"report", tl_cmd_report, TL_BENCH_NONE},
    {"run", tl_cmd_run, TL_BENCH_ALL},
    {"shrink", tl_cmd_shrink, TL_BENCH_SUT},
    {"sut", tl_cmd_sut, TL_BENCH_NONE},
    {"sut-check", tl_cmd_sut_check, TL_BENCH_ADAPTER},
};

const struct tl_cmd *tl_cmd_find(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return &verbs[i];
    return NULL;
}

const struct tl_cmd *tl_cmd_at(size_t i)
{
    return i < sizeof verbs / sizeof *verbs ? &verbs[i] : NULL;
}

const char *tl_cmd_nearest(const char *name)
{
    const char *names[sizeof verbs / sizeof *verbs];
    size_t n = sizeof verbs / sizeof *verbs;

    for (size_t i = 0; i < n; i++)
        names[i] = verbs[i].name;
    return fal_nearest(name, names, n);
}

static int no_such_verb(const char *name)
{
    fprintf(stderr, "talon: no verb '%s'%s; see talon help\n", name,
            fal_hint(tl_cmd_nearest(name), "").text);
    return TL_STATUS_USAGE;
}

/* Options that stand for the verb `help`. */
static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
           strcmp(word, "--version") == 0;
}

/* Whether standard output is a pipe whose reader has read what it wanted. */
static bool reader_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

/* The status of a verb, once all of its output is written. Verbs that look at their output say
 * themselves what is wrong with it. A reader that is gone is no error of the verb's own. */
static int finish_output(const char *verb, int status)
{
    const bool lost = fflush(stdout) != 0;

    if ((!lost && ferror(stdout) == 0) || status == TL_STATUS_ERROR ||
        status == TL_STATUS_USAGE)
        return status;
    if (reader_is_gone())
        return lost && status == TL_STATUS_PASS ? TL_STATUS_ERROR : status;
    fprintf(stderr, "talon %s: standard output cannot be written; is the disk full?\n", verb);
    return TL_STATUS_ERROR;
}

int main(int argc, char **argv)
{
    const struct tl_cmd *verb;
    int status;

    if (argc < 2) {
        fprintf(stderr, "talon: no verb given; try 'talon help'\n");
        return TL_STATUS_USAGE;
    }
    if (strcmp(argv[1], TL_LIB_HOST_VERB) == 0 && argc == 2) { /* Talon itself starts it */
        tl_lib_host_run();
        return TL_STATUS_PASS;
    }
    /* A reader that goes away (a pipe to head) is no signal to die of; writes say so. */
    (void)signal(SIGPIPE, SIG_IGN);
    if (strcmp(argv[1], TL_COMPLETE_VERB) == 0) /* the shells ask so */
        return tl_complete_line(argc - 1, argv + 1);
    verb = tl_cmd_find(asks_for_help(argv[1]) ? "help" : argv[1]);
    if (verb == NULL)
        return no_such_verb(argv[1]);
    status = verb->bench != TL_BENCH_NONE ? tl_bench_run(verb, argc - 1, argv + 1)
                                          : verb->run(argc - 1, argv + 1);
    return finish_output(verb->name, status);
}
