/* SPDX-License-Identifier: Apache-2.0
 * request.c - the options of `talon run`. */
#include "harness/run/request.h"

#include "harness/claims/bench_file.h"
#include "harness/doc/quote.h"
#include "harness/link/live_options.h"
#include "harness/run/run.h"
#include "harness/session/mux.h"

#include <stdlib.h>
#include <string.h>

#define RATE_MAX UINT64_C(1000000000000)

#define TL_OPTIONS_OF struct tl_request

static const struct tl_option option_list[] = {
    {TL_TEXTS("PATH", paths, NULL)},
    {TL_TEXT("--sut", sut, "SUT"), .group = "The implementation",
     .help = "what is tested, see above (default builtin)"},
    {TL_TEXT("--control", control, "ADDR"),
     .help =
         "control channel of the SUT: tcp:HOST:PORT or unix:PATH (udp: needs one); of RoCEv2 "
         "over bridge: exec:COMMAND, which posts on both ends"},
    TL_BENCH_OPTION,
    {TL_TEXT("--connections", connections, "FILE"),
     .help = "without --control: the connections that the operator of the SUT has opened "
             "(talon/connections/1); each serves one case"},
    {TL_TEXT("--sut-exec", sut_exec, "COMMAND"),
     .help = "command that restarts the SUT if it stops responding; its child processes are "
             "killed when talon exits"},
    {TL_CHOICE("--capture-speed", capture_speed, "own|fast", "own fast"),
     .given_at = offsetof(struct tl_request, has_capture_speed),
     .help = "pcap: replay speed: own = recorded timing (default), fast = send each packet as "
             "soon as the SUT's preceding replies have arrived"},
    {TL_TEXT("--capture-connections", capture_connections, "FILE"),
     .help = "pcap: who is the SUT in the capture, and its initial numbers, as for talon check "
             "--connections"},
    {TL_TEXT("--capture-sut", capture_sut, "ADDR"),
     .help = "pcap: the address of the SUT (default: the end that did not send first)"},
    {TL_TEXT("--capture-psp-keys", capture_psp_keys, "FILE"),
     .help = "pcap: keys to open PSP packets"},
    {TL_TEXT("--capture-esp-keys", capture_esp_keys, "FILE"),
     .help = "pcap: keys to open ESP packets"},
    {TL_TEXT("--ics", ics, "FILE"),
     .help = "what the device offers (talon list ics --proforma); cases about an item that it "
             "denies are not applicable"},
    {TL_TEXT("--ixit", ixit, "FILE"),
     .help = "values that tests need to know (talon list ixit --proforma)"},
    {TL_FLAG("--probe", probe),
     .help = "find out what the device does, and compare it with what the ICS claims"},
    {TL_TEXTS("--param", params, "NAME=VALUE"),
     .help = "a parameter instead of its default (talon help defaults), in all cases that do "
             "not set it themselves; may be repeated"},
    {TL_TEXT("--twins", twins, "NAMES"), .may_be_empty = true,
     .help =
         "optional behaviours allowed by the specification that Talon's own endpoint should "
         "use: NAME[,NAME...] (talon list twins); random: drawn for each case, for the "
         "built-in implementation too"},
    {TL_CHOICE("--encap", encap, "NAME", FAL_CONNECTION_ENCAPS),
     .help = "what carries Falcon packets: udp (default), psp_transport, psp_tunnel, "
             "esp_transport, esp_tunnel"},
    {TL_TEXT("--psp-keys", psp_keys, "FILE"),
     .help = "PSP keys of the SUT, when it reports only SPIs"},
    {TL_TEXT("--esp-keys", esp_keys, "FILE"), .help = "ESP keys, likewise"},
    {TL_TEXT("--network", network, "WORDS"), .may_be_empty = true,
     .help = "behaviour of the simulated network, in virtual time: "
             "latency=20us,loss=1%,in:drop-frame:push_data:nth=3 (docs/formats.md lists the "
             "words)"},
    {TL_TEXTS("--id", ids, "PATTERN"),
     .group = "Which cases (patterns are globs; one pattern of each kind must match; !PATTERN "
              "excludes)",
     .help = "by the name of the case or its scenario"},
    {TL_TEXTS("--tag", tags, "PATTERN"), .help = "by tag"},
    {TL_TEXTS("--class", classes, "CLASS"), .help = "valid, invalid or inopportune"},
    {TL_TEXTS("--requirement", requirements, "PATTERN"),
     .help = "by the requirements that they cover: 'FTP-9.1.6-*'"},
    {TL_TEXTS("--chapter", chapters, "N"),
     .help = "by the section of these requirements: 9.1, RDMA-6.4"},
    {TL_TEXT("--profile", profile, "NAME"),
     .help = "a set of cases, ICS and parameters (talon list profiles), or a file"},
    {TL_TEXT("--shard", shard, "I/N|auto"),
     .help =
         "the I-th of N parts of the selected cases, shared out by a hash of the id; auto: by "
         "the task of a Slurm array or the index of a Kubernetes job (docs/scale-out.md)"},
    {TL_TEXT("--sut-map", sut_map, "FILE"),
     .help = "the SUT of each shard on a live link, with its control channel (talon/sut-map/1, "
             "docs/scale-out.md)"},
    {TL_TEXT("--failed-from", failed_from, "RESULTS"),
     .help = "only cases that did not pass in these results (a file or an --out directory): "
             "failed, inconclusive, in error or not run"},
    {TL_TEXT("--first", first, "CASE"),
     .help = "only the selected cases from this one on, in their order"},
    {TL_TEXT("--last", last, "CASE"), .help = "only the selected cases up to this one"},
    {TL_TEXTS("--allow", allow, "may-wedge|ADDRESS"),
     .help = "may-wedge: also run scenarios with this tag: a device may need a reset after "
             "them\nADDRESS: packets may be sent to it although it is not loopback, private or "
             "link-local; may be repeated"},
    {TL_FLAG("--list", list), .help = "only list the cases"},
    {TL_FLAG("--dry-run", dry_run),
     .help = "only print which cases would run, and why others not"},
    {TL_FLAG("--check-only", check_only), .help = "only check the scenario files"},
    {TL_FLAG("--watch", watch),
     .help = "run again whenever a scenario, or the ICS, IXIT, profile or waivers, changes, "
             "until Ctrl-C; the exit status is that of the last run"},
    {TL_FLAG("--judge-steps", judge_steps),
     .help = "for authors of scenarios: also check the tester's packets of valid scenarios "
             "against the rules; a violation is an error of the scenario"},
    {TL_FLAG("--step", step), .group = "Debugging (docs/debugging.md)",
     .help = "stop before each step of the case, show the connection's state on request, and "
             "go on; commands come from standard input. On a live link a stopped case gets no "
             "pass and no fail"},
    {TL_TEXTS("--break-at", break_at, "STEP"),
     .help = "stop before this step: its number, its name, or :LINE of its file; may be "
             "repeated"},
    {TL_NUMBER("--seed", seed, 0, 0), .group = "How",
     .help = "seed of everything that is chosen at random (default 1)"},
    {TL_NUMBER("--case-seed", case_seed, 0, 0),
     .given_at = offsetof(struct tl_request, has_case_seed),
     .help = "the seed of each case itself, as results show it"},
    {TL_COUNT("--jobs", jobs, 1, TL_JOBS_MAX),
     .help = "cases at the same time; default: in virtual time one for each processor, on a "
             "live link as many as the adapter allows, at most 32"},
    {TL_COUNT("--repeat", repeat, 1, TL_REPEATS_MAX),
     .help = "play each case N times with different seeds; the worst verdict counts"},
    {TL_COUNT("--copies", copies, 1, TL_COPIES_MAX),
     .help = "play each case on N connections at once, 1 to 64; each is judged by itself"},
    {TL_COUNT("--life", life, 1, TL_LIFE_MAX),
     .help = "in virtual time: how many cases one SUT plays, one after another, before it is "
             "started anew (default 512 for lib: and exec:, 1 for builtin)"},
    {TL_FLAG("--fresh", fresh), .help = "the same as --life 1: a new SUT for each case"},
    {TL_FLAG("--fail-fast", fail_fast), .help = "stop after the first failure"},
    {TL_FLAG("--keep-going", keep_going),
     .help = "in virtual time, play all cases although the SUT breaks down again and again "
             "(default: after eight breakdowns in a row the rest are errors)"},
    {TL_COUNT("--retries", retries, 0, TL_ATTEMPTS_MAX - 1),
     .help = "how often an inconclusive case is tried again on a live link (default 2)"},
    {TL_COUNT("--timeout", timeout, 1, 86400),
     .help = "seconds for a case on a live link (default 10); for a reply with exec: (default "
             "30)"},
    {TL_FLAG("--busy-poll", busy_poll),
     .help = "on a live link, poll instead of sleeping: more exact times, and one processor is "
             "fully used"},
    {TL_NUMBER("--rate", frame_rate, 0, RATE_MAX),
     .help = "most frames a second on a live link; 0: no limit (default 100000)"},
    {TL_NUMBER("--byte-rate", byte_rate, 0, RATE_MAX),
     .help = "most bytes a second on a live link; 0: no limit (default 125000000)"},
    {TL_TEXT("--path-check", path_check, "FILE"),
     .help =
         "on a live link, what talon path-check --json measured: rules use its delay, order "
         "and duplicates as limits"},
    {TL_TEXT("--host-check", host_check, "FILE"),
     .help =
         "on a live link, what talon host-check --json found (raw: checks by itself without "
         "it)"},
    {TL_FLAG("--outlive-parent", outlive_parent),
     .help = "on a live link, keep running after the parent process exits (default: stop "
             "sending when the parent or the control channel is gone)"},
    {TL_TEXT("--waivers", waivers, "FILE"), .group = "Results",
     .help = "failures that are waived or expected, and flaky cases"},
    {TL_FLAG("--strict-waivers", strict_waivers),
     .help = "an unexpected pass, an expired or an unused entry fails the run"},
    {TL_TEXT("--date", date, "YYYY-MM-DD"),
     .help = "the day on which expiry of waivers is checked (default: SOURCE_DATE_EPOCH, or "
             "today)"},
    {TL_TEXTS("--report", reports, "FORMAT:FILE"),
     .help = "html, json, junit, markdown, sarif, tap or text; FILE - is standard output; may "
             "be repeated (talon report writes them from saved results)"},
    {TL_TEXT("--stamp", stamp, "TEXT"),
     .help =
         "when the run was: HTML, Markdown and JUnit reports show it, JUnit with the time that the run took"},
    {TL_TEXT("--against", against, "RESULTS"),
     .help = "the HTML and Markdown reports say what changed since these results"},
    {TL_FLAG("--brief", brief),
     .help = "the Markdown report has only verdict and causes, as a comment of a pull request"},
    {TL_CHOICE("--junit-flavor", junit, "NAME", TL_JUNIT_FLAVORS),
     .help = "the program that reads the JUnit file: jenkins (default), gitlab, rich"},
    {TL_TEXT("--out", out, "DIR"),
     .help = "save evidence: results, and timeline, packets and scenario of cases that did not "
             "pass"},
    {TL_TEXT("--resume", resume, "DIR"),
     .help = "go on with the run that was interrupted while it wrote to DIR with --out: its "
             "options, without the cases that have ended"},
    {TL_CHOICE("--keep", keep, "all|failed", "failed all"),
     .help = "of which cases --out saves them (default failed)"},
    {TL_FLAG("--vectors", vectors), .help = "print the packets of each case"},
    {TL_FLAG("--verbose", verbose),
     .help = "print each case with all its problems as it ends, instead of the causes at the "
             "end"},
    {TL_FLAG("--all", all), .help = "print every cause of failures (default: at most ten)"},
    {TL_CHOICE("--colour", colour, "auto|always|never", "auto always never"),
     .alias = "--color", .help = "default auto: on a terminal, unless NO_COLOR is set"},
};

const struct tl_options tl_request_options = {"run", option_list,
                                              sizeof option_list / sizeof *option_list};

static const struct tl_request defaults = {.sut = "builtin",
                                           .seed = 1,
                                           .retries = 2,
                                           .frame_rate = TL_FRAMES_PER_S,
                                           .byte_rate = TL_BYTES_PER_S,
                                           .repeat = 1,
                                           .copies = 1};

void tl_request_init(struct tl_request *request)
{
    *request = defaults;
}

void tl_request_free(struct tl_request *request)
{
    tl_options_free(&tl_request_options, request);
}

/* ---- run.json ---- */

int tl_request_from_command(const json_t *command, struct tl_request *request,
                            struct fal_error *err)
{
    size_t n = json_array_size(command);
    char **words = calloc(n + 1, sizeof *words);
    struct fal_error why = {{0}};
    int rc = n > 0 ? 0 : FAL_ERR_FORM;

    if (words == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; rc == 0 && i < n; i++) {
        words[i] = (char *)json_string_value(json_array_get(command, i));
        if (words[i] == NULL)
            rc = FAL_ERR_FORM;
    }
    if (rc != 0) {
        free(words);
        return fal_fail(err, rc, "'command': expected an array of texts");
    }
    rc = tl_options_read(&tl_request_options, (int)n, words, request, &why);
    free(words);
    if (rc == TL_OPTIONS_HELP)
        return fal_fail(err, FAL_ERR_FORM, "'command': contains --help, which runs no cases");
    return rc != 0 ? fal_fail(err, rc, "'command': %.300s", why.text) : 0;
}

int tl_request_from_run(const json_t *run, struct tl_request *request, struct fal_error *err)
{
    const json_t *object = json_object_get(run, "request");
    struct fal_error why = {{0}};
    int rc;

    if (object == NULL)
        return tl_request_from_command(json_object_get(run, "command"), request, err);
    rc = tl_options_from_json(&tl_request_options, object, request, &why);
    return rc != 0 ? fal_fail(err, rc, "'request': %.300s", why.text) : 0;
}

json_t *tl_request_json(const struct tl_request *request)
{
    return tl_options_json(&tl_request_options, request, &defaults);
}

json_t *tl_request_command(const struct tl_request *request, const struct tl_request *unsaid)
{
    json_t *words =
        tl_options_words(&tl_request_options, request, unsaid != NULL ? unsaid : &defaults);

    if (words != NULL && json_array_insert_new(words, 0, json_string("run")) != 0) {
        json_decref(words);
        return NULL;
    }
    return words;
}

/* ---- an interrupted run ---- */

static bool may_be_added(const char *option)
{
    static const char *const names[] = {"--resume", "--jobs", "--verbose", "--all", "--colour"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

int tl_request_resume(const struct tl_request *given, const json_t *saved,
                      struct tl_request *out, struct fal_error *err)
{
    struct fal_error why = {{0}};
    int rc;

    for (size_t i = 0; i < tl_request_options.count; i++) {
        const struct tl_option *row = &tl_request_options.list[i];

        if (!may_be_added(row->name) && !tl_option_same(row, given, &defaults))
            return fal_fail(err, FAL_ERR_FORM,
                            "--resume takes the options of the interrupted run; only --jobs, "
                            "--verbose, --all and --colour may be added, not %s",
                            row->name);
    }
    tl_request_init(out);
    rc = tl_options_from_json(&tl_request_options, saved, out, &why);
    if (rc != 0)
        return fal_fail(err, rc, "--resume %.100s: 'request': %.200s", given->resume, why.text);
    out->out = out->resume = given->resume;
    out->jobs = given->jobs > 0 ? given->jobs : out->jobs;
    out->verbose = given->verbose;
    out->all = given->all;
    out->colour = given->colour;
    return 0;
}

/* ---- the command that reproduces a case ---- */

/* The options that it needs, in this order. `always`: also with the default. */
static const struct {
    const char *name;
    bool always;
} again[] = {
    {"--sut", true},
    {"--control", false},
    {"--connections", false},
    {"--sut-exec", false},
    {"--twins", false},
    {"--network", false},
    {"--encap", false},
    {"--capture-connections", false},
    {"--capture-sut", false},
    {"--capture-psp-keys", false},
    {"--capture-esp-keys", false},
    {"--capture-speed", false},
    {"--psp-keys", false},
    {"--esp-keys", false},
    {"--ics", false},
    {"--ixit", false},
    {"--profile", false},
    {"--host-check", false},
    {"--path-check", false},
    {"--param", false},
    {"--copies", false},
    {"--judge-steps", false},
    {"--busy-poll", false},
    {"--probe", false},
    {"--seed", true},
    {"--allow", false},
};

static bool print_again(FILE *out, const struct tl_option *row,
                        const struct tl_request *request)
{
    size_t n = tl_option_times(row, request);
    char text[TL_OPTION_TEXT_MAX];

    for (size_t i = 0; i < n; i++) {
        const char *value = tl_option_value(row, request, i, text);
        char *word = value != NULL ? tl_quote(value) : NULL;

        if (value != NULL && word == NULL)
            return false;
        fprintf(out, " %s%s%s", row->name, word != NULL ? " " : "", word != NULL ? word : "");
        free(word);
    }
    return true;
}

/* Closes the text; NULL when something went wrong. */
static char *text_of(FILE *out, char **text, bool ok)
{
    if (out != NULL && fclose(out) != 0)
        ok = false;
    if (ok)
        return *text;
    free(*text);
    return NULL;
}

char *tl_request_again(const struct tl_request *request)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    bool ok = out != NULL;

    for (size_t i = 0; ok && i < sizeof again / sizeof *again; i++) {
        const struct tl_option *row = tl_options_find(&tl_request_options, again[i].name);

        if (again[i].always || !tl_option_same(row, request, &defaults))
            ok = print_again(out, row, request);
    }
    return text_of(out, &text, ok);
}

char *tl_request_whole(const struct tl_request *request)
{
    static const char *const left_out[] = {
        "--first",        "--last",    "--failed-from",    "--fail-fast", "--keep-going",
        "--jobs",         "--waivers", "--strict-waivers", "--date",      "--report",
        "--junit-flavor", "--out",     "--resume",         "--keep",      "--vectors",
        "--verbose",      "--all",     "--colour",         "--stamp",     "--against",
        "--brief",        "PATH",      "--step",           "--break-at"};
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    bool ok = out != NULL;

    for (size_t i = 0; ok && i < request->paths.count; i++) {
        char *word = tl_quote(request->paths.list[i]);

        ok = word != NULL && fprintf(out, " %s", word) > 0;
        free(word);
    }
    for (size_t i = 0; ok && i < tl_request_options.count; i++) {
        const struct tl_option *row = &tl_request_options.list[i];
        bool out_of_it = tl_option_same(row, request, &defaults);

        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
            out_of_it |= strcmp(row->name, left_out[k]) == 0;
        if (!out_of_it)
            ok = print_again(out, row, request);
    }
    return text_of(out, &text, ok);
}
