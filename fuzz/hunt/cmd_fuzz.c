/* SPDX-License-Identifier: Apache-2.0
 * cmd_fuzz.c - `talon fuzz`: the options of a hunt. */
#include "fuzz/hunt/hunt_loop.h"
#include "fuzz/hunt/hunt_report.h"
#include "fuzz/hunt/hunt_target.h"

#include "codecs/base/nearest.h"
#include "harness/cli/cmd.h"
#include "harness/link/keeper.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOBS_MAX = 256 };

static const char usage[] =
    "usage: talon fuzz [PATH...] --sut SUT [OPTION...]\n"
    "\n"
    "Mutates scenarios, plays them against an implementation, and judges all it does. PATH: scenarios,\n"
    "folders of them, or folders of earlier hunts to begin with; none: plain workloads.\n"
    "\n"
    "  --sut SUT         builtin, builtin:fault=NAME, builtin:twin=NAME, lib:FILE.so, exec:COMMAND,\n"
    "                    udp:HOST:PORT, raw:IFACE,HOST:PORT; as of talon run\n"
    "  --control A       of udp: and raw: tcp:HOST:PORT or unix:PATH\n"
    "  --corpus DIR      keeps cases and findings there, and goes on with what it has\n"
    "  --merge           only takes from PATHs what is new to the corpus, and plays no more\n"
    "  --time SECONDS    ends then; --cpu SECONDS: after so much processor time\n"
    "  --execs N         ends after so many executions\n"
    "  --findings N      ends after so many findings\n"
    "  --jobs N          so many at a time, in virtual time\n"
    "  --seed N          with --jobs 1 and --execs the same seed does the same again\n"
    "  --report FORMAT:FILE\n"
    "                    all findings of the corpus, new and old: html, json, junit, markdown, sarif, tap,\n"
    "                    text; repeatable\n"
    "  --must            breaks of a SHOULD are no findings\n"
    "  --encap E         of connections that ask for none of their own\n"
    "  --param NAME=V    as of talon run\n"
    "  --afl-map N|new[:BYTES]\n"
    "                    reads the coverage of a SUT that was built with AFL++: its shared memory's\n"
    "                    number, or new, which says what to start the SUT with and waits for it\n"
    "\n"
    "Findings are scenarios: talon run DIR/findings/NAME/scenario.json shows one again.\n"
    "Exit status: 0 nothing but broken SHOULDs was found, 1 something was, 2 the command is wrong, 4 it\n"
    "could not go on.\n";

struct options {
    struct hunt_options hunt;
    struct hunt_target target;
    struct hunt_reports reports;
    bool help;
};

static int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int wrong(const char *format, ...)
{
    va_list args;

    fputs("talon fuzz: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    fputs("; see talon fuzz --help\n", stderr);
    return TL_STATUS_USAGE;
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

static int read_corpus(const char *text, struct options *o)
{
    o->hunt.dir = text;
    return *text != 0 ? 0 : wrong("--corpus: expected a folder");
}

static int read_seconds(const char *option, const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    if (end > text && strcmp(end, "s") == 0)
        end++;
    return end > text && *end == 0 && *out > 0 && *out < 1e9
               ? 0
               : wrong("%s '%s'; expected seconds", option, text);
}

static int read_time(const char *text, struct options *o)
{
    return read_seconds("--time", text, &o->hunt.seconds);
}

static int read_cpu(const char *text, struct options *o)
{
    return read_seconds("--cpu", text, &o->hunt.cpu_seconds);
}

static int read_execs(const char *text, struct options *o)
{
    return number(text, 1, UINT64_MAX, &o->hunt.execs)
               ? 0
               : wrong("--execs '%s'; expected a number from 1 on", text);
}

static int read_findings(const char *text, struct options *o)
{
    uint64_t n;

    if (!number(text, 1, 1000000, &n))
        return wrong("--findings '%s'; expected 1 to 1000000", text);
    o->hunt.findings = (unsigned)n;
    return 0;
}

static int read_jobs(const char *text, struct options *o)
{
    uint64_t n;

    if (!number(text, 1, JOBS_MAX, &n))
        return wrong("--jobs '%s'; expected 1 to %d", text, JOBS_MAX);
    o->hunt.jobs = (unsigned)n;
    return 0;
}

static int read_seed(const char *text, struct options *o)
{
    return number(text, 0, UINT64_MAX, &o->hunt.seed)
               ? 0
               : wrong("--seed '%s'; expected a number", text);
}

/* "17", "new", "new:1000000" */
static int read_map(const char *text, struct options *o)
{
    uint64_t n = HUNT_MAP_LEN;

    o->hunt.has_map = true;
    o->hunt.map_number = -1;
    o->hunt.map_len = HUNT_MAP_LEN;
    if (strcmp(text, "new") == 0)
        return 0;
    if (strncmp(text, "new:", 4) == 0 && number(text + 4, 8, HUNT_MAP_MOST, &n)) {
        o->hunt.map_len = (n + 7) & ~(uint64_t)7;
        return 0;
    }
    if (!number(text, 0, INT32_MAX, &n))
        return wrong("--afl-map '%s'; expected a number, new or new:BYTES (8 to %d)", text,
                     HUNT_MAP_MOST);
    o->hunt.map_number = (int)n;
    return 0;
}

static int read_report(const char *text, struct options *o)
{
    struct fal_error err;

    return hunt_reports_add(&o->reports, text, &err) == 0 ? 0 : wrong("%s", err.text);
}

/* An option without `read` is a switch, or of the target. */
static const struct row {
    const char *name;
    int (*read)(const char *text, struct options *o);
    bool target;
} rows[] = {
    {"--corpus", read_corpus, false},
    {"--time", read_time, false},
    {"--cpu", read_cpu, false},
    {"--execs", read_execs, false},
    {"--findings", read_findings, false},
    {"--jobs", read_jobs, false},
    {"--seed", read_seed, false},
    {"--afl-map", read_map, false},
    {"--report", read_report, false},
    {"--merge", NULL, false},
    {"--must", NULL, false},
    {"--quiet", NULL, false},
    {"--help", NULL, false},
    {"--sut", NULL, true},
    {"--control", NULL, true},
    {"--encap", NULL, true},
    {"--param", NULL, true},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int unknown(const char *option)
{
    const char *names[ROWS], *near;

    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    near = fal_nearest(option, names, ROWS);
    return near != NULL ? wrong("no option '%s'; did you mean '%s'?", option, near)
                        : wrong("no option '%s'", option);
}

static void set_switch(const char *name, struct options *o)
{
    o->hunt.merge |= strcmp(name, "--merge") == 0;
    o->hunt.quiet |= strcmp(name, "--quiet") == 0;
    o->help |= strcmp(name, "--help") == 0;
    if (strcmp(name, "--must") == 0)
        o->hunt.warnings = false;
}

/* What options do not go with each other. */
static int check(const struct options *o)
{
    const struct tl_target *target = &o->target.run.target;
    struct fal_error err = {{0}};

    if (o->help)
        return 0;
    if (hunt_target_check(&o->target, &err) != 0)
        return wrong("%s", err.text);
    if ((target->kind == TL_TARGET_BUILTIN || target->kind == TL_TARGET_LIB) && o->hunt.has_map)
        return wrong("--afl-map is for a SUT that is a process of its own");
    if (o->reports.count > 0 && o->hunt.dir == NULL)
        return wrong("--report tells what --corpus DIR keeps of findings: it is needed");
    if (o->hunt.merge && (o->hunt.dir == NULL || o->hunt.num_from == 0))
        return wrong("--merge takes from PATHs to --corpus DIR; both are needed");
    return 0;
}

static int read_options(int argc, char **argv, const char **paths, struct options *o)
{
    struct fal_error err = {{0}};
    int rc = 0;

    for (int i = 1; rc == 0 && i < argc; i++) {
        size_t k = 0;

        if (argv[i][0] != '-') {
            paths[o->hunt.num_from++] = argv[i];
            continue;
        }
        while (k < ROWS && strcmp(rows[k].name, argv[i]) != 0)
            k++;
        if (k == ROWS)
            return unknown(argv[i]);
        if (rows[k].read == NULL && !rows[k].target) {
            set_switch(rows[k].name, o);
            continue;
        }
        if (i + 1 == argc)
            return wrong("%s lacks its value", argv[i]);
        i++;
        if (rows[k].read != NULL)
            rc = rows[k].read(argv[i], o);
        else if (hunt_target_option(&o->target, rows[k].name, argv[i], &err) != 0)
            rc = wrong("%s", err.text);
    }
    return rc == 0 ? check(o) : rc;
}

/* The hunt between what must be there before it and what is written after it. */
static int run(struct options *o)
{
    struct tl_warden warden = {.fd = 0};
    struct fal_error err;
    int status;

    if (hunt_reports_open(&o->reports, &err) != 0 ||
        (o->hunt.run.target.kind == TL_TARGET_EXEC && tl_warden_start(&warden, &err) != 0)) {
        fprintf(stderr, "talon fuzz: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    o->hunt.run.target.warden = warden.fd;
    status = hunt_run(&o->hunt);
    tl_warden_end(&warden);
    if (status == TL_STATUS_USAGE)
        return status;
    if (hunt_reports_write(&o->reports, o->hunt.dir, o->hunt.sut, &err) != 0) {
        fprintf(stderr, "talon fuzz: --report: %s\n", err.text);
        return TL_STATUS_ERROR;
    }
    return status;
}

int tl_cmd_fuzz(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char **paths = calloc((size_t)argc, sizeof *paths);
    struct options o = {.hunt = {.seed = 1, .warnings = true}};
    int status;

    if (paths == NULL) {
        fprintf(stderr, "talon fuzz: out of memory\n");
        return TL_STATUS_ERROR;
    }
    /* Cases come and go by the thousand, as in talon run. */
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 28);
    (void)mallopt(M_TOP_PAD, 1 << 21);
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 24);
    o.hunt.jobs = processors > 0 && processors < JOBS_MAX ? (unsigned)processors : 1;
    hunt_target_init(&o.target);
    status = read_options(argc, argv, paths, &o);
    hunt_target_ready(&o.target);
    o.hunt.run = o.target.run;
    o.hunt.sut = o.target.sut;
    o.hunt.from = paths;
    if (status == 0 && o.help)
        fputs(usage, stdout);
    else if (status == 0)
        status = run(&o);
    free(paths);
    return status;
}
