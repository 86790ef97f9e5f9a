/* SPDX-License-Identifier: Apache-2.0
 * check_print.c - the console output of `talon check`: a line for each connection and rule,
 * then each failure with its frames, the expected and the seen behaviour, and the requirement.
 */
#include "harness/check/check_print.h"

#include "codecs/text/text.h"
#include "oracles/catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool tl_check_speaks_of(const struct tl_check *check, const struct fal_rule_result *r)
{
    return check->timeline || r->subject == FAL_SUBJECT_SUT;
}

bool tl_check_judged(const struct tl_check *check, int side, uint32_t conn)
{
    if (check->timeline || conn == 0 || conn > check->num_conns)
        return true;
    return check->conns[conn - 1].told[side] || check->conns[conn - 1].over;
}

static const char *verdict_word(enum fal_verdict verdict)
{
    return verdict == FAL_VERDICT_NONE ? "not exercised" : fal_verdict_name(verdict);
}

void tl_check_party(const struct tl_check *check, int side, enum fal_subject subject,
                    uint32_t conn, char out[TL_CHECK_ADDRESS_MAX])
{
    if (check->timeline || conn == 0 || conn > check->num_conns)
        (void)snprintf(out, TL_CHECK_ADDRESS_MAX, "%s",
                       subject == FAL_SUBJECT_SUT ? "SUT" : "tester");
    else if (check->conns[conn - 1].given &&
             tl_host_eq(check->conns[conn - 1].host[side], (struct tl_host){0}))
        (void)snprintf(out, TL_CHECK_ADDRESS_MAX, "%s", side == 0 ? "SUT" : "tester");
    else
        tl_host_print(check->conns[conn - 1].host[side], out);
}

/* ---- text ---- */

const char *tl_check_how_known(const struct tl_check_conn *conn)
{
    if (conn->given)
        return "as given";
    if (conn->over)
        return "learned, until others were seen between these ends (--connections)";
    if (conn->uncertain)
        return "learned; that its directions belong together is not certain";
    return conn->known[0] && conn->known[1] ? "learned" : "learned; one direction alone";
}

/* The values of the connection that the user gave, and those that are unknown. */
static void text_known(FILE *out, const struct fal_connection *setup)
{
    size_t n, given = 0;
    const struct fal_param *table = fal_param_table(&n);

    fprintf(out, "; initial numbers %s; parameters",
            setup->initial_known ? "known" : "unknown");
    for (size_t i = 0; i < n; i++) {
        uint64_t value = fal_param_get(&table[i], &setup->params);
        char text[40];

        if ((setup->unknown_params >> i & 1) != 0)
            continue;
        (void)snprintf(text, sizeof text, "%" PRIu64, value);
        if (table[i].kind == FAL_PARAM_DURATION)
            (void)fal_text_duration(value, text, sizeof text);
        fprintf(out, "%s %s=%s", given++ > 0 ? "," : " known:", table[i].name, text);
    }
    fprintf(out, "%s\n", given == 0 ? " unknown" : given == n ? "" : ", the others unknown");
}

static void text_connection(FILE *out, const struct tl_check *check, size_t i)
{
    const struct tl_check_conn *conn = &check->conns[i];
    char a[TL_CHECK_ADDRESS_MAX], b[TL_CHECK_ADDRESS_MAX], cid[2][24] = {"unknown", "unknown"};

    tl_host_print(conn->host[0], a);
    tl_host_print(conn->host[1], b);
    if (conn->known[0])
        (void)snprintf(cid[0], sizeof cid[0], "%" PRIu32, conn->setup.sut.cid);
    if (conn->known[1])
        (void)snprintf(cid[1], sizeof cid[1], "%" PRIu32, conn->setup.tester.cid);
    fprintf(out, "connection %zu: %s (CID %s) and %s (CID %s), %s", i + 1, a, cid[0], b, cid[1],
            tl_check_how_known(conn));
    text_known(out, &conn->setup);
}

/* A line for each connection and party: rules that had nothing to decide. One pass: results
 * stand by connection. */
static void text_unexercised(FILE *out, const struct tl_check *check, int side)
{
    const struct fal_rule_result *r;
    char party[TL_CHECK_ADDRESS_MAX];
    uint32_t conn = 0;

    for (size_t i = 0; (r = tl_check_rule(check, side, i)) != NULL; i++) {
        if (r->conn == 0 || r->subject != FAL_SUBJECT_SUT || r->verdict != FAL_VERDICT_NONE ||
            !(check->timeline ? r->conn == 1 : tl_check_judged(check, side, r->conn)))
            continue;
        if (r->conn != conn) {
            tl_check_party(check, side, r->subject, r->conn, party);
            fprintf(out, "%s  not exercised     conn %-3" PRIu32 " %-15s",
                    conn != 0 ? "\n" : "", r->conn, party);
            conn = r->conn;
        }
        fputc(' ', out);
        (void)fputs(r->rule->id, out);
    }
    if (conn != 0)
        fputc('\n', out);
}

static void text_result(FILE *out, const struct tl_check *check, int side,
                        const struct fal_rule_result *r)
{
    char party[TL_CHECK_ADDRESS_MAX];

    if (r->verdict == FAL_VERDICT_NONE)
        return;
    tl_check_party(check, side, r->subject, r->conn, party);
    fprintf(out, "  %-13s %-3s conn %-3" PRIu32 " %-15s held %" PRIu64,
            verdict_word(tl_check_result(check, side, r)), r->rule->id, r->conn, party,
            r->holds);
    if (r->broken > 0)
        fprintf(out, ", broken %" PRIu64, r->broken);
    if (r->undecided > 0)
        fprintf(out, ", undecided %" PRIu64, r->undecided);
    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (r->excused[e] > 0)
            fprintf(out, ", excused %" PRIu64 " (%s)", r->excused[e],
                    fal_excuse_name((enum fal_excuse)e));
    if (fal_result_open(r) > 0)
        fprintf(out, ", %" PRIu64 " of %" PRIu64 " decided", fal_result_decided(r),
                fal_result_decided(r) + fal_result_open(r));
    fprintf(out, "  %s\n", r->rule->title);
}

static const char *unsure(const struct tl_check *check, const struct fal_finding *f)
{
    if (!tl_check_unsure(check, f->conn, f->rule))
        return f->asked ? " (a step asked for it)" : "";
    if (check->missed.found)
        return " (if no packet explains it that the capture misses)";
    if (check->conns[f->conn - 1].uncertain)
        return " (if the two directions belong together)";
    if (check->dropped_late)
        return " (if no dropped frame explains it)";
    return check->options->run.complete
               ? " (if the other end sent nothing: no packet of it was captured)"
               : " (if no frame is missing from the capture: --complete-capture)";
}

/* The conversation around a finding; a star marks the evidence. */
static void text_snippet(FILE *out, const struct tl_check_finding *found)
{
    char line[TL_SCENE_LINE];

    for (unsigned i = 0; i < found->snippet.num; i++) {
        const struct tl_scene *scene = &found->snippet.scenes[i];

        if (!scene->continues && i > 0)
            fprintf(out, "              ...\n");
        tl_scene_print(scene, found->side == 0, line);
        fprintf(out, "  %-10s%c %s\n", i == 0 ? "packets" : "", scene->evidence ? '*' : ' ',
                line);
    }
}

static void text_finding(FILE *out, const struct tl_check *check,
                         const struct tl_check_finding *found)
{
    const struct fal_finding *f = &found->finding;
    const struct fal_requirement *requirement =
        f->requirement != NULL ? fal_requirement_find(f->requirement) : NULL;
    char party[TL_CHECK_ADDRESS_MAX];

    tl_check_party(check, found->side, f->subject, f->conn, party);
    fprintf(out,
            "\n%s violated by %s%s, connection %" PRIu32 ", at %" PRIu64 ".%09" PRIu64
            " s: %s\n",
            f->rule->id, party, unsure(check, f), f->conn, f->t_ns / FAL_S, f->t_ns % FAL_S,
            f->rule->title);
    fprintf(out, "  expected  %s\n  seen      %s\n", f->expected, f->seen);
    if (requirement != NULL)
        fprintf(out, "  %s %s\n", requirement->id, requirement->text);
    fprintf(out, "  %s", check->timeline ? "events   " : "frames   ");
    for (size_t i = 0; i < f->num_evidence; i++)
        if (check->timeline || f->evidence_frames[i] > 0)
            fprintf(out, " %" PRIu64, check->timeline ? f->evidence[i] : f->evidence_frames[i]);
    fputc('\n', out);
    text_snippet(out, found);
}

/* Of each party that is judged; where only one is named, it is the SUT. */
static void text_readings(FILE *out, const struct tl_check *check)
{
    struct fal_reading_result r;
    char party[TL_CHECK_ADDRESS_MAX];

    for (int side = 0; side < 2; side++) {
        tl_check_party(check, side, FAL_SUBJECT_SUT, check->num_conns == 1 ? 1 : 0, party);
        for (size_t i = 0; tl_check_reading(check, side, i, &r); i++)
            fprintf(out, "  reading       %s %s: %s (%s%s %" PRIu64 ")\n", r.id, party, r.text,
                    r.alternative ? "not the default one; shown by " : "shown by ",
                    r.by_frame > 0 ? "frame" : "event", r.by_frame > 0 ? r.by_frame : r.by);
    }
}

static void text_suspects(FILE *out, const struct tl_check *check)
{
    struct fal_suspect s;

    for (int side = 0; side < 2; side++)
        for (size_t i = 0; tl_check_suspect(check, side, i, &s); i++)
            fprintf(out,
                    "  inconclusive      %s needed the excuse %s for %" PRIu64
                    " events among %" PRIu64 "; of a path %s %" PRIu64 " are believed\n",
                    s.rule != NULL ? s.rule->id : "all rules", fal_excuse_name(s.excuse),
                    s.used, s.of,
                    s.unmeasured ? "that was not measured" : "that was measured like this one",
                    s.allowed);
}

bool tl_check_missed_text(const struct tl_check *check, char *out, size_t cap)
{
    const struct fal_missed *m = &check->missed;

    if (m->found)
        (void)snprintf(
            out, cap,
            "the capture was declared to be complete, and is not: frame %" PRIu32
            " shows that %s PSN %" PRIu32 " of connection %" PRIu32
            " was received, and no frame before it carries that PSN; only rules that "
            "judge each packet alone count",
            m->frame, m->window == FAL_WINDOW_REQ ? "request" : "data", m->psn, m->conn);
    return m->found;
}

static void text_missed(FILE *out, const struct tl_check *check)
{
    char text[TL_CHECK_MISSED_TEXT];

    if (tl_check_missed_text(check, text, sizeof text))
        fprintf(out, "  inconclusive      %s\n", text);
}

static void count(FILE *out, uint64_t n, const char *what)
{
    if (n > 0)
        fprintf(out, ", %" PRIu64 " %s", n, what);
}

/* What was read, and how much of it could be judged. */
static void text_summary(FILE *out, const struct tl_check *check)
{
    fprintf(out, "\n%s: %" PRIu64 " packets judged", verdict_word(tl_check_verdict(check)),
            check->packets);
    count(out, check->ulp_events, "events of the upper layer");
    count(out, check->ulp_unplaced, "of them of no connection that was seen");
    count(out, check->unnamed, "packets of ends that were not named as the SUT");
    count(out, check->strangers, "frames are no Falcon packet that could be read");
    count(out, check->damaged, "frames were damaged on their way");
    count(out, check->doubles, "frames were doubles of others");
    count(out, check->dropped, "frames were dropped by the capture");
    count(out, check->disorder, "frames are older than the one before");
    fputc('\n', out);
}

static void text_results(FILE *out, const struct tl_check *check)
{
    const struct fal_rule_result *r;

    for (int side = 0; side < 2; side++) {
        struct tl_check_walk walk = {0};

        while ((r = tl_check_next_rule(check, side, &walk)) != NULL)
            if (tl_check_speaks_of(check, r))
                text_result(out, check, side, r);
    }
    for (int side = 0; side < (check->timeline ? 1 : 2); side++)
        text_unexercised(out, check, side);
}

static void print_text(FILE *out, const struct tl_check *check)
{
    for (size_t i = 0; i < check->num_conns; i++)
        text_connection(out, check, i);
    text_results(out, check);
    text_missed(out, check);
    text_suspects(out, check);
    text_readings(out, check);
    for (size_t i = 0; i < check->num_findings; i++)
        text_finding(out, check, &check->findings[i]);
    if (check->lost_findings > 0)
        fprintf(out, "\n%zu more findings are counted above only\n", check->lost_findings);
    text_summary(out, check);
}

static int print_json(FILE *out, const struct tl_check *check)
{
    json_t *all = tl_check_json(check);
    int status;

    if (all == NULL)
        return FAL_ERR_MEM;
    status = json_dumpf(all, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(all);
    return status == 0 ? 0 : FAL_ERR_MEM;
}

int tl_check_print(const struct tl_check *check, bool json, FILE *out)
{
    if (json)
        return print_json(out, check);
    print_text(out, check);
    return 0;
}
