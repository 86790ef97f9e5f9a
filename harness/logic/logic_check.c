/* SPDX-License-Identifier: Apache-2.0
 * logic_check.c - see logic_check.h. */
#include "harness/logic/logic_check.h"

#include "codecs/base/nearest.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/roce/roce_command.h"
#include "harness/tally/tally_print.h"
#include "harness/transport/tp_capture.h"
#include "harness/transport/tp_judges.h"
#include "harness/transport/tp_line.h"
#include "harness/transport/tp_row.h"
#include "oracles/rules/transport/k_rows.h"
#include "reports/base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum check_format { TEXT, JSON };

struct check_command {
    const char *file, *logic, *sut, *connections;
    struct tl_texts rows;
    enum fal_tp_vantage vantage;
    uint64_t pipeline_ns;
    enum check_format format;
    bool may_miss, complete_capture, vantage_given, from_start;
};

#define TL_OPTIONS_OF struct check_command

static const struct tl_option option_list[] = {
    {TL_TEXT("FILE", file, NULL)},
    {TL_TEXT("--logic", logic, "ROW"),
     .help =
         "the transport of flows that the file does not declare: reno, newreno, sack, rack, "
         "ndp, roce, irn (default: none)"},
    {TL_TEXTS("--row", rows, "KEY=VALUE"),
     .help = "declare a value of the transport, as max_window=64 or rto_min_ns=200ms; it also "
             "replaces what the file declares. May be repeated"},
    {TL_CHOICE("--vantage", vantage, "both|sender|receiver|middle",
               "both sender receiver middle"),
     .given_at = offsetof(struct check_command, vantage_given),
     .help = "judge only by what is seen there (default both; of a capture: middle)"},
    {TL_TEXT("--sut", sut, "IP"),
     .help =
         "of a capture: the address of the end at which it was made, for --vantage sender or "
         "receiver"},
    {TL_TIME("--pipeline", pipeline_ns),
     .help = "a segment may leave that long after the sender decided to send it (default 0)"},
    {TL_FLAG("--complete-capture", complete_capture),
     .help =
         "of a capture: it has each frame that passed. Without it nothing is judged by what is "
         "absent"},
    {TL_FLAG("--from-start", from_start),
     .help = "of a capture of RoCEv2: it holds each connection from its first packet on"},
    {TL_TEXT("--connections", connections, "FILE"),
     .help = "of a capture of RoCEv2: which queue pairs are connected (default: learned)"},
    {TL_FLAG("--may-miss", may_miss),
     .help = "events may be missing without a sign: then nothing is judged by what is absent"},
    {TL_CHOICE("--format", format, "text|json", "text json"), .help = "default text"},
};
static const struct tl_options options = {"logic check", option_list,
                                          sizeof option_list / sizeof *option_list};

/* ---- what is declared ---- */

static int replace(const struct check_command *c, struct fal_tp_row *row, struct fal_error *err)
{
    for (size_t i = 0; i < c->rows.count; i++) {
        struct fal_error why;

        if (tl_tp_row_set(row, c->rows.list[i], &why) != 0)
            return fal_fail(err, FAL_ERR_FORM, "--row: %s", why.text);
    }
    return 0;
}

static int no_such_logic(const char *name, struct fal_error *err)
{
    const char *names[16];
    char list[120] = "";
    size_t n, len = 0;
    const struct fal_k_row *rows = fal_k_rows(&n);

    for (size_t i = 0; i < n && i < 16 && len < sizeof list; i++) {
        names[i] = rows[i].row.name;
        len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i > 0 ? ", " : "",
                                names[i]);
    }
    return fal_fail(err, FAL_ERR_FORM, "--logic: no transport '%.40s'%s; there are %s", name,
                    fal_hint(fal_nearest(name, names, n < 16 ? n : 16), "").text, list);
}

/* The row of flows that declare none. Sets *given. */
static int common_row(const struct check_command *c, struct fal_tp_row *row, bool *given,
                      struct fal_error *err)
{
    const struct fal_tp_row *named = c->logic != NULL ? fal_k_row_of(c->logic) : NULL;

    *row = (struct fal_tp_row){.name = "declared"};
    *given = c->logic != NULL || c->rows.count > 0;
    if (c->logic != NULL && named == NULL)
        return no_such_logic(c->logic, err);
    if (named != NULL)
        *row = *named;
    return replace(c, row, err);
}

/* ---- reading ---- */

struct reading {
    const struct check_command *c;
    struct tl_tp_judges *judges;
    uint64_t line, events;
    size_t left_out; /* flows of RoCEv2 */
};

static int take(struct reading *r, const char *line, size_t len, struct fal_error *err)
{
    struct fal_tp_event event;
    struct fal_tp_row row = {.name = "declared"};
    struct fal_error why;
    int rc = tl_tp_line_read(line, len, &event, &row, &why), kind = rc;

    if (kind == TL_TP_ROW) {
        rc = replace(r->c, &row, &why);
        if (rc == 0 && tl_tp_judges_row(r->judges, event.flow, &row) != 0)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
    } else if (kind == TL_TP_EVENT || kind == TL_TP_END) {
        r->events += kind == TL_TP_EVENT;
        rc = kind == TL_TP_EVENT ? tl_tp_judges_event(r->judges, &event)
                                 : tl_tp_judges_over(r->judges, event.flow, event.at_ns);
        if (rc == FAL_ERR_MEM)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        if (rc != 0)
            (void)fal_fail(&why, rc,
                           "nothing is declared of the transport of flow %" PRIu32
                           "; give --logic or --row",
                           event.flow);
    }
    if (rc != 0)
        return fal_fail(err, rc, "%s: line %" PRIu64 ": %s", r->c->file, r->line, why.text);
    return 0;
}

static int read_lines(struct reading *r, FILE *in, struct fal_error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    int rc = 0;

    while (rc == 0 && (len = getline(&line, &room, in)) >= 0) {
        r->line++;
        rc = take(r, line, (size_t)len, err);
    }
    free(line);
    if (rc == 0 && ferror(in))
        rc = fal_fail(err, FAL_ERR_IO, "%s: cannot read", r->c->file);
    if (rc == 0 && r->events == 0)
        rc =
            fal_fail(err, FAL_ERR_FORM,
                     "%s: no events; expected lines of JSON as talon logic run --events writes",
                     r->c->file);
    return rc;
}

/* ---- captures ---- */

static int take_event(void *ctx, const struct fal_tp_event *event)
{
    struct reading *r = ctx;

    r->events++;
    return tl_tp_judges_event(r->judges, event);
}

static int read_capture(struct reading *r, struct fal_error *err)
{
    const struct check_command *c = r->c;
    bool roce = c->logic != NULL && strcmp(c->logic, "roce") == 0;
    struct tl_tp_capture how = {.vantage = c->vantage,
                                .sut = c->sut,
                                .event = take_event,
                                .ctx = r,
                                .roce = roce,
                                .from_start = c->from_start};
    struct fal_rj_pair *pairs = NULL;
    int rc = 0;

    if (c->logic == NULL && c->rows.count == 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: a capture does not declare its transport; give --logic or --row",
                        c->file);
    if (c->vantage == FAL_TP_BOTH)
        return fal_fail(err, FAL_ERR_FORM, "--vantage both: a capture is made at one place");
    if (c->vantage != FAL_TP_MIDDLE && c->sut == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--vantage: give the address of that end by --sut IP");
    if ((c->from_start || c->connections != NULL) && !roce)
        return fal_fail(err, FAL_ERR_FORM, "%s is for a capture of RoCEv2: give --logic roce",
                        c->from_start ? "--from-start" : "--connections");
    if (c->connections != NULL)
        rc = tl_roce_read_pairs(c->connections, &pairs, &how.num_pairs, err);
    how.pairs = pairs;
    if (rc == 0)
        rc = tl_tp_capture_read(c->file, &how, &r->left_out, err);
    if (rc == 0 && r->events == 0)
        rc = fal_fail(err, FAL_ERR_FORM, "%s: no data of %s%s%s", c->file,
                      roce ? "RoCEv2" : "TCP",
                      c->sut != NULL ? " of the end that --sut names" : "",
                      r->left_out > 0 ? " that can be judged: RDMA READs, or queue pairs "
                                        "that --connections has to join"
                                      : "");
    free(pairs);
    return rc;
}

/* Lines of JSON begin with "{" or are blank; a capture begins with another byte, or, pcapng,
 * with the line feed and the carriage return of its first block. A blank line that is read for
 * that is counted. */
static bool is_capture(FILE *in, uint64_t *line)
{
    int first = getc(in);

    if (first == '\n') {
        first = getc(in);
        if (first == '\r' && in != stdin)
            return true;
        ++*line;
    }
    if (first == EOF)
        return false;
    (void)ungetc(first, in); /* one byte can always be put back */
    return strchr("{[ \t\r\n", first) == NULL && in != stdin;
}

/* ---- results ---- */

static int print(const struct check_command *c, const struct reading *r,
                 const struct fal_tally *tally)
{
    json_t *o;
    bool wrong;

    if (c->format == TEXT) {
        tl_tally_print(stdout, tally);
        printf("%" PRIu64 " events, vantage %s: %s\n", r->events,
               (const char *const[]){"both", "sender", "receiver", "middle"}[c->vantage],
               fal_verdict_name(fal_tally_verdict(tally)));
        if (r->left_out > 0)
            printf("%zu flow%s left out: with RDMA READs, or of queue pairs that are not "
                   "known to be connected (--connections)\n",
                   r->left_out, r->left_out == 1 ? "" : "s");
        return tl_tally_exit_status(tally);
    }
    o = tl_tally_json(tally);
    wrong = o == NULL || json_dumpf(o, stdout, JSON_INDENT(1)) != 0 || putchar('\n') == EOF;
    json_decref(o);
    if (wrong) {
        fprintf(stderr, "talon logic check: cannot write the verdicts as JSON\n");
        return TL_STATUS_ERROR;
    }
    return tl_tally_exit_status(tally);
}

static int check(struct check_command *c)
{
    struct fal_tp_view view = {.pipeline_ns = c->pipeline_ns};
    struct reading r = {.c = c};
    struct fal_error err;
    struct fal_tp_row row;
    bool given, capture;
    FILE *in = NULL;
    int rc = common_row(c, &row, &given, &err), status;

    if (rc != 0)
        goto fail;
    in = strcmp(c->file, "-") == 0 ? stdin : fopen(c->file, "re");
    if (in == NULL) {
        rc = fal_fail(&err, FAL_ERR_IO, "%s: %s", c->file,
                      strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        goto fail;
    }
    capture = is_capture(in, &r.line);
    if (capture && !c->vantage_given)
        c->vantage = FAL_TP_MIDDLE;
    view.vantage = c->vantage;
    view.complete = !c->may_miss && (!capture || c->complete_capture);
    r.judges = tl_tp_judges_new(given ? &row : NULL, &view);
    if (r.judges == NULL)
        rc = fal_fail(&err, FAL_ERR_MEM, "out of memory");
    else
        rc = capture ? read_capture(&r, &err) : read_lines(&r, in, &err);
    if (rc != 0)
        goto fail;
    status = print(c, &r, tl_tp_judges_end(r.judges));
    goto out;
fail:
    status = tl_verb_failed(options.verb, rc, &err);
out:
    tl_tp_judges_free(r.judges);
    if (in != NULL && in != stdin)
        (void)fclose(in); /* it was only read */
    return status;
}

int tl_logic_check(int argc, char **argv)
{
    struct check_command c = {.vantage = FAL_TP_BOTH};
    int status = tl_verb_read(&options, tl_usage_logic_check, argc, argv, &c);

    if (status == TL_VERB_GO)
        status = c.file != NULL ? check(&c) : tl_verb_wrong(options.verb, "no FILE given");
    tl_options_free(&options, &c);
    return status;
}
