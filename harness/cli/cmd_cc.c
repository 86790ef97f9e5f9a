/* SPDX-License-Identifier: Apache-2.0
 * cmd_cc.c - `talon cc`: vectors for a Rate Update Engine, printed and compared; an engine, or
 * the results of one, judged; parameters of a SUT, measured. */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/cc/cc_ask.h"
#include "harness/cc/cc_check.h"
#include "harness/cc/cc_run.h"
#include "harness/doc/line_file.h"
#include "oracles/cc/golden.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_S = 30 };

struct cc_command {
    struct tl_texts words; /* what to do, and with what */
    const char *check, *out;
    int format; /* enum fal_cc_format */
    uint64_t seed, events, rounds, latency, timeout;
    struct tl_cc_ask ask; /* of measure */
};

#define TL_OPTIONS_OF struct cc_command

/* "html:FILE" */
static int read_report(void *into, const char *value, struct fal_error *err)
{
    struct cc_command *c = into;

    if (strncmp(value, "html:", 5) != 0 || value[5] == 0)
        return fal_fail(err, FAL_ERR_FORM, "expected html:FILE, found '%.60s'", value);
    c->ask.page = value + 5;
    return 0;
}

static const struct tl_option option_list[] = {
    {TL_TEXTS("ACTION", words, NULL)},
    {TL_CHOICE("--format", format, "NAME", "table-msb gen1-lsb"),
     .help =
         "bits of an entry: table-msb, the first field of the tables of 10.6.2 has the most "
         "significant bits (default), or gen1-lsb, it has the least significant bits, and a "
         "result has event_queue_select and delay_select"},
    {TL_TEXT("--check", check, "FILE"),
     .help = "golden: compare the results in FILE with the reference model; - is standard "
             "input"},
    {TL_NUMBER("--events", events, 1, 1000000000),
     .help = "judge: events of each round (default 5000)"},
    {TL_NUMBER("--rounds", rounds, 1, 1000000),
     .help = "judge: rounds (default 4); the first has default parameters, each other one has "
             "parameters that are drawn"},
    {TL_NUMBER("--seed", seed, 0, UINT64_MAX),
     .help = "judge, measure: of all that is drawn (default 1)"},
    {TL_NUMBER("--latency", latency, 0, 1000000),
     .help = "judge: the engine handles an event at most N ticks of 131.072 ns after its time "
             "(default 0)"},
    {TL_NUMBER("--timeout", timeout, 1, 3600),
     .help = "judge: seconds in which the engine must answer an event (default 30); measure: "
             "seconds for all of a live SUT (default 120), or for an answer of exec: and lib:"},
    {TL_TEXT("--out", out, "FILE"),
     .help =
         "judge: write each event with its result to FILE, as a line that `talon cc judge "
         "FILE` reads; measure: write each round trip to FILE: number, delay in ticks, hops, "
         "level, packets"},
    {TL_TEXT("--sut", ask.sut.sut, "SUT"), .group = "Of measure",
     .help =
         "builtin:cc=swift, lib:FILE.so, exec:COMMAND, udp:HOST:PORT or raw:IFACE,HOST:PORT "
         "(docs/formats.md)"},
    {TL_TEXT("--control", ask.sut.control, "ADDR"),
     .help = "control channel of a live SUT: tcp:HOST:PORT or unix:PATH"},
    {TL_CHOICE("--encap", ask.sut.encap, "NAME", FAL_CONNECTION_ENCAPS),
     .help = "how packets are sealed: psp_transport (default), psp_tunnel, esp_transport, "
             "esp_tunnel"},
    {TL_TEXT("--psp-keys", ask.sut.psp_keys, "FILE"),
     .help = "PSP keys of the SUT, when it reports only SPIs"},
    {TL_TEXT("--esp-keys", ask.sut.esp_keys, "FILE"), .help = "ESP keys, likewise"},
    {TL_TEXTS("--allow", ask.sut.allow, "ADDRESS"),
     .help = "packets may be sent to it although it is not loopback, private or link-local"},
    {TL_TEXT("--ics", ask.sut.ics, "FILE"),
     .help = "what the device offers; it must not deny swift"},
    {TL_TEXT("--ixit", ask.sut.ixit, "FILE"),
     .help = "values of the device; its member swift declares parameters"},
    {TL_TEXT("--profile", ask.sut.profile, "NAME"),
     .help = "ICS and parameters of the connection from a profile (talon list profiles)"},
    {TL_TEXTS("--param", ask.sut.params, "NAME=VALUE"),
     .help = "a parameter of the connection instead of its default (talon help defaults)"},
    {TL_TEXTS("--declared", ask.declared, "NAME=VALUE"),
     .help = "a declared parameter (talon help swift), instead of that of the IXIT; default of "
             "builtin: that of the model; may be given several times"},
    {TL_TEXTS("--set", ask.set, "NAME=VALUE"),
     .help = "a parameter that the SUT is given first, by the command cc_config; it is then "
             "declared, too"},
    {TL_OWN("--report", read_report, "html:FILE"),
     .help = "write one page with the estimates and a picture of each response"},
    {TL_TEXT("--plots", ask.plots, "DIR"),
     .help = "write each picture as an SVG file into a directory"},
    {TL_FLAG("--json", ask.json), .help = "print the estimates and what was seen as JSON"},
};
static const struct tl_options options = {"cc", option_list,
                                          sizeof option_list / sizeof *option_list};

static struct tl_cc_line blank(const struct cc_command *c)
{
    struct tl_cc_line line = {.format = (enum fal_cc_format)c->format};

    fal_swift_params_default(&line.params);
    return line;
}

/* ---- printing ---- */

static int print_golden(const struct cc_command *c)
{
    struct fal_cc_state state = {0};
    struct fal_cc_vector vector;

    for (size_t n = 0; fal_cc_vector(n, &vector); n++) {
        struct tl_cc_line line = blank(c);
        char *text;

        (void)snprintf(line.id, sizeof line.id, "%s", vector.id);
        line.keep = vector.keep;
        line.now = vector.now;
        line.event = vector.event;
        tl_cc_expect(&line, &state, &line.result);
        text = tl_cc_line_print(&line, vector.what);
        if (text == NULL) {
            fprintf(stderr, "talon cc: out of memory\n");
            return TL_STATUS_ERROR;
        }
        puts(text);
        free(text);
    }
    return TL_STATUS_PASS;
}

/* ---- comparing ---- */

struct comparison {
    const char *path;
    struct tl_file_lines lines;
    struct fal_cc_state state;
    struct tl_cc_verdict *verdict; /* judged, not compared with the model */
    uint64_t vectors, differ;
};

/* The line is judged by the judge's own reading. */
static int judge_line(struct comparison *cmp, const struct tl_cc_line *line)
{
    struct fal_error err = {{0}};
    char where[400];
    int rc;

    (void)snprintf(where, sizeof where, "%.300s:%" PRIu64 "%s%s", cmp->path, cmp->lines.number,
                   line->id[0] != 0 ? ": " : "", line->id);
    rc = tl_cc_verdict_line(cmp->verdict, line, where, &err);
    if (rc == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon cc: %s: %s\n", where, err.text);
    return rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
}

/* Compares a line; an empty one is skipped. */
static int compare_line(const struct cc_command *c, struct comparison *cmp)
{
    struct tl_cc_line line = blank(c);
    struct fal_cc_result expected;
    struct fal_error err = {{0}};
    unsigned column;
    char what[160];

    if (cmp->lines.len == 0)
        return TL_STATUS_PASS;
    if (tl_cc_line_read(cmp->lines.line, cmp->lines.len, &line, &column, &err) != 0) {
        fprintf(stderr, "talon cc: %s:%" PRIu64 ":%u: %s\n", cmp->path, cmp->lines.number,
                column, err.text);
        return TL_STATUS_USAGE;
    }
    cmp->vectors++;
    if (cmp->verdict != NULL)
        return judge_line(cmp, &line);
    tl_cc_expect(&line, &cmp->state, &expected);
    if (tl_cc_same(&line, &expected, what, sizeof what))
        return TL_STATUS_PASS;
    cmp->differ++;
    printf("%s:%" PRIu64 ": %s%s%s\n", cmp->path, cmp->lines.number, line.id,
           line.id[0] != 0 ? ": " : "", what);
    return TL_STATUS_PASS;
}

static int compare_all(const struct cc_command *c, struct comparison *cmp)
{
    struct fal_error err = {{0}};
    int more, status = TL_STATUS_PASS;

    while (status == TL_STATUS_PASS && (more = tl_file_line(&cmp->lines, &err)) != 0) {
        if (more < 0) {
            fprintf(stderr, "talon cc: %s:%" PRIu64 ": %s\n", cmp->path, cmp->lines.number,
                    err.text);
            return more == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE;
        }
        status = compare_line(c, cmp);
    }
    if (status != TL_STATUS_PASS)
        return status;
    if (cmp->vectors == 0) {
        fprintf(stderr, "talon cc: %s: there is no vector in it\n", cmp->path);
        return TL_STATUS_USAGE;
    }
    if (cmp->verdict != NULL)
        return TL_STATUS_PASS; /* so far */
    if (cmp->differ == 0) {
        printf("%" PRIu64 " vectors agree with the reference model\n", cmp->vectors);
        return TL_STATUS_PASS;
    }
    printf("%" PRIu64 " of %" PRIu64 " vectors differ from the reference model\n", cmp->differ,
           cmp->vectors);
    return TL_STATUS_FAIL;
}

/* With `verdict` the lines are judged; else they are compared with the model. */
static int read_file(const struct cc_command *c, const char *path,
                     struct tl_cc_verdict *verdict)
{
    bool standard = strcmp(path, "-") == 0;
    struct comparison cmp = {.path = standard ? "standard input" : path, .verdict = verdict};
    int status;

    cmp.lines.file = standard ? stdin : fopen(path, "re");
    if (cmp.lines.file == NULL) {
        fprintf(stderr, "talon cc: %s: %s%s\n", path, strerror(errno),
                verdict != NULL ? "; expected a FILE of results, or an engine: model, "
                                  "lib:FILE.so, exec:COMMAND"
                                : "");
        return TL_STATUS_USAGE;
    }
    status = compare_all(c, &cmp);
    free(cmp.lines.line);
    if (!standard)
        (void)fclose(cmp.lines.file);
    return status;
}

/* ---- judging ---- */

static bool is_engine(const char *subject)
{
    return strncmp(subject, "lib:", 4) == 0 || strncmp(subject, "exec:", 5) == 0 ||
           (strncmp(subject, "model", 5) == 0 && (subject[5] == 0 || subject[5] == ':'));
}

static int judge_engine(const struct cc_command *c, const char *engine,
                        struct tl_cc_verdict *verdict)
{
    struct tl_cc_run run = {.format = (enum fal_cc_format)c->format,
                            .seed = c->seed,
                            .events = c->events,
                            .rounds = (unsigned)c->rounds,
                            .answer_s = c->timeout > 0 ? (unsigned)c->timeout : ANSWER_S,
                            .latency = (uint32_t)c->latency,
                            .trace = c->out != NULL ? fopen(c->out, "we") : NULL};
    struct fal_error err = {{0}};
    int rc;

    if (c->out != NULL && run.trace == NULL) {
        fprintf(stderr, "talon cc: --out %s: %s\n", c->out, strerror(errno));
        return TL_STATUS_USAGE;
    }
    rc = tl_cc_run(&run, engine, verdict, &err);
    if (run.trace != NULL && fclose(run.trace) != 0 && rc == 0)
        rc = fal_fail(&err, FAL_ERR_IO, "--out %s: %s", c->out, strerror(errno));
    if (rc == 0)
        return TL_STATUS_PASS;
    fprintf(stderr, "talon cc: %s: %s\n", engine, err.text);
    return rc == FAL_ERR_FORM ? TL_STATUS_USAGE : TL_STATUS_ERROR;
}

static int judge(const struct cc_command *c, const char *subject)
{
    struct tl_cc_verdict verdict;
    int status;

    if (tl_cc_verdict_begin(&verdict, (uint32_t)c->latency) != 0) {
        fprintf(stderr, "talon cc: out of memory\n");
        return TL_STATUS_ERROR;
    }
    status = is_engine(subject) ? judge_engine(c, subject, &verdict)
                                : read_file(c, subject, &verdict);
    if (verdict.judged > 0)
        tl_cc_verdict_print(&verdict);
    if (status == TL_STATUS_PASS && verdict.outside > 0)
        status = TL_STATUS_FAIL;
    tl_cc_verdict_end(&verdict);
    return status;
}

/* ---- measuring ---- */

static int measure(struct cc_command *c)
{
    struct fal_error err = {{0}};

    if (c->ask.sut.sut == NULL)
        return tl_verb_wrong(options.verb,
                             "measure: no SUT given; expected --sut builtin:cc=swift, "
                             "lib:FILE.so, exec:COMMAND or udp:HOST:PORT");
    c->ask.sut.seed = c->seed;
    c->ask.sut.timeout = (unsigned)c->timeout;
    c->ask.rounds = c->out;
    switch (tl_cc_ask(&c->ask, &err)) {
    case TL_CC_INSIDE: return TL_STATUS_PASS;
    case TL_CC_OUTSIDE: return TL_STATUS_FAIL;
    case TL_CC_WRONG_ASK: return tl_verb_wrong(options.verb, "measure: %s", err.text);
    case TL_CC_NOT_MEASURED: break;
    }
    fprintf(stderr, "talon cc: measure: %s\n", err.text);
    return TL_STATUS_ERROR;
}

static int act(struct cc_command *c)
{
    const char *action = c->words.count > 0 ? c->words.list[0] : NULL;
    const char *subject = c->words.count > 1 ? c->words.list[1] : NULL;

    if (action == NULL)
        return tl_verb_wrong(options.verb,
                             "no action given; expected 'golden', 'judge' or 'measure'");
    if (strcmp(action, "golden") == 0 && c->words.count == 1)
        return c->check != NULL ? read_file(c, c->check, NULL) : print_golden(c);
    if (strcmp(action, "measure") == 0 && c->words.count == 1)
        return measure(c);
    if (strcmp(action, "judge") == 0 && c->words.count == 2)
        return judge(c, subject);
    if (strcmp(action, "judge") == 0)
        return tl_verb_wrong(options.verb,
                             "judge: expected one engine (model, lib:FILE.so, exec:COMMAND) or "
                             "one FILE of results");
    return tl_verb_wrong(options.verb,
                         "no action '%.40s'; expected 'golden', 'judge' or 'measure'",
                         subject != NULL && strcmp(action, "golden") == 0 ? subject : action);
}

int tl_cmd_cc(int argc, char **argv)
{
    struct cc_command c = {.format = FAL_CC_TABLE_MSB, .seed = 1, .events = 5000, .rounds = 4};
    int status;

    tl_request_init(&c.ask.sut);
    c.ask.sut.sut = NULL;
    c.ask.sut.encap = FAL_ENCAP_PSP_TRANSPORT;
    status = tl_verb_read(&options, tl_usage_cc, argc, argv, &c);
    if (status == TL_VERB_GO)
        status = act(&c);
    tl_options_free(&options, &c);
    return status;
}
