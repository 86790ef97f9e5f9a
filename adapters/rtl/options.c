/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of bug_e (ep_pkg.sv), and the rule of docs/rtl.md that each violates. */
static const struct {
    const char *name, *rule, *what;
} bugs[] = {
    {"none", "-", "no bug"},
    {"lost-wakeup", "EP7", "an event in the cycle of `done` does not wake the slice"},
    {"stale-map", "EP4", "the map does not see what the cycle before has written"},
    {"merge-across-flows", "EP2", "the map compares 4 bits of the flow: flows share a slice"},
    {"last-seq-only", "EP2", "merging also replaces the first sequence number"},
    {"class-shift", "EP8", "NACK events get the class beside their own"},
    {"override-drops-merge", "EP13", "the release clears what was merged meanwhile"},
};
enum { N_BUGS = sizeof bugs / sizeof *bugs };

int ep_bug_number(const char *name)
{
    for (int i = 0; i < N_BUGS; i++)
        if (strcmp(bugs[i].name, name) == 0)
            return i;
    return -1;
}

static void usage(FILE *to)
{
    fprintf(
        to,
        "usage: ep_rtl [OPTIONS]\n"
        "Simulates the event pipeline of adapters/rtl and writes what happens in it as an\n"
        "event trace (docs/rtl.md).\n"
        "  --trace FILE    write the trace there, one JSON object a line; - is the standard\n"
        "                  output (default: no trace)\n"
        "  --setup FILE    write there what is declared of the pipeline, as JSON\n"
        "  --judge         judge the trace by libtalon while it is written, by the setup of\n"
        "                  --setup; stop at the first violation and print the report\n"
        "  --cycles N      clock cycles in which events begin (default 10000)\n"
        "  --seed N        the seed of all random choices (default 1)\n"
        "  --flows N       flows (default 32, at most %d)\n"
        "  --contexts N    entries of the context store, more than processors (default 24);\n"
        "                  0: one for each flow\n"
        "  --bug NAME      plant a bug in the RTL:\n",
        FAL_EP_FLOWS_MAX);
    for (int i = 1; i < N_BUGS; i++)
        fprintf(to, "    %-21s %-5s %s\n", bugs[i].name, bugs[i].rule, bugs[i].what);
}

static bool read_number(const char *option, const char *text, uint64_t most, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0' && text[0] != '-' && *value <= most)
        return true;
    fprintf(stderr, "ep_rtl: --%s %s: expected a number from 0 to %" PRIu64 "\n", option, text,
            most);
    return false;
}

static const struct option names[] = {
    {"seed", required_argument, NULL, 's'},  {"cycles", required_argument, NULL, 'c'},
    {"flows", required_argument, NULL, 'f'}, {"contexts", required_argument, NULL, 'x'},
    {"bug", required_argument, NULL, 'b'},   {"trace", required_argument, NULL, 't'},
    {"setup", required_argument, NULL, 'u'}, {"judge", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};

/* One option. False after a message. */
static bool take(int c, struct ep_options *o)
{
    uint64_t value = 0;

    switch (c) {
    case 's': return read_number("seed", optarg, UINT32_MAX, &o->seed);
    case 'c': return read_number("cycles", optarg, 10000000000U, &o->cycles);
    case 'f':
        if (!read_number("flows", optarg, FAL_EP_FLOWS_MAX, &value))
            return false;
        o->flows = (uint32_t)value;
        if (value == 0)
            fprintf(stderr, "ep_rtl: --flows 0: at least one flow is needed\n");
        return value != 0;
    case 'x':
        if (!read_number("contexts", optarg, FAL_EP_FLOWS_MAX, &value))
            return false;
        o->contexts = (uint32_t)value;
        return true;
    case 'b':
        o->bug = optarg;
        if (ep_bug_number(optarg) < 0)
            fprintf(stderr, "ep_rtl: --bug %s: no such bug. ep_rtl --help lists them\n",
                    optarg);
        return ep_bug_number(optarg) >= 0;
    case 'j': o->judge = true; return true;
    case 't': o->trace = optarg; return true;
    case 'u': o->setup = optarg; return true;
    default: return false;
    }
}

bool ep_options_read(int argc, char **argv, struct ep_options *o, int *status)
{
    int c;

    *o = (struct ep_options){
        .seed = 1, .cycles = 10000, .flows = 32, .contexts = 24, .bug = "none"};
    *status = 2;
    while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (c == 'h') {
            usage(stdout);
            *status = 0;
            return false;
        }
        if (c == '?')
            fprintf(stderr, "ep_rtl --help lists the options\n");
        if (!take(c, o))
            return false;
    }
    if (optind == argc && o->judge && o->setup == NULL) {
        fprintf(stderr, "ep_rtl: --judge: give the setup a file, --setup FILE\n");
        return false;
    }
    if (optind == argc)
        return true;
    fprintf(stderr, "ep_rtl: %s: not an option. ep_rtl --help lists them\n", argv[optind]);
    return false;
}
