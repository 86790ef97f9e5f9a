/* SPDX-License-Identifier: Apache-2.0
 * check_print.c - what `talon check` says: a line a connection and rule, then each failure with
 * its frames, what was due over what was seen, and the requirement. */
#include "harness/check.h"

#include "oracles/catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA "talon/check/1"

/* Rules that were exercised or not, for the parties that this check speaks of. */
static bool speaks_of(const struct tl_check *check, const struct fal_rule_result *r)
{
    return check->timeline || r->subject == FAL_SUBJECT_SUT;
}

static const char *verdict_word(enum fal_verdict verdict)
{
    return verdict == FAL_VERDICT_NONE ? "not exercised" : fal_verdict_name(verdict);
}

/* Who is judged: "SUT", "tester", or in captures the host. */
static void print_party(const struct tl_check *check, int side, enum fal_subject subject,
                        uint32_t conn, char out[TL_CHECK_ADDRESS_MAX])
{
    if (check->timeline || conn == 0 || conn > check->num_conns)
        (void)snprintf(out, TL_CHECK_ADDRESS_MAX, "%s",
                       subject == FAL_SUBJECT_SUT ? "SUT" : "tester");
    else
        tl_host_print(check->conns[conn - 1].host[side], out);
}

/* ---- text ---- */

static void text_connection(const struct tl_check *check, size_t i)
{
    const struct tl_check_conn *conn = &check->conns[i];
    char a[TL_CHECK_ADDRESS_MAX], b[TL_CHECK_ADDRESS_MAX], cid[2][24] = {"unknown", "unknown"};

    tl_host_print(conn->host[0], a);
    tl_host_print(conn->host[1], b);
    if (conn->known[0])
        (void)snprintf(cid[0], sizeof cid[0], "%" PRIu32, conn->setup.sut.cid);
    if (conn->known[1])
        (void)snprintf(cid[1], sizeof cid[1], "%" PRIu32, conn->setup.tester.cid);
    printf("connection %zu: %s (CID %s) and %s (CID %s), %s\n", i + 1, a, cid[0], b, cid[1],
           conn->given  ? "as given"
           : conn->over ? "learned, until others were seen between these ends (--connections)"
           : conn->uncertain ? "learned; that its directions belong together is not certain"
           : !conn->known[0] || !conn->known[1]
               ? "learned; one direction alone"
               : "learned; initial numbers and parameters unknown");
}

static void text_result(const struct tl_check *check, int side, const struct fal_rule_result *r)
{
    char party[TL_CHECK_ADDRESS_MAX];

    if (r->verdict == FAL_VERDICT_NONE)
        return;
    print_party(check, side, r->subject, r->conn, party);
    printf("  %-13s %-3s conn %-3" PRIu32 " %-15s held %" PRIu64,
           verdict_word(tl_check_result(check, r)), r->rule->id, r->conn, party, r->holds);
    if (r->broken > 0)
        printf(", broken %" PRIu64, r->broken);
    if (r->undecided > 0)
        printf(", undecided %" PRIu64, r->undecided);
    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (r->excused[e] > 0)
            printf(", excused %" PRIu64 " (%s)", r->excused[e],
                   fal_excuse_name((enum fal_excuse)e));
    printf("  %s\n", r->rule->title);
}

static void text_finding(const struct tl_check *check, const struct tl_check_finding *found)
{
    const struct fal_finding *f = &found->finding;
    const struct fal_requirement *requirement =
        f->requirement != NULL ? fal_requirement_find(f->requirement) : NULL;
    char party[TL_CHECK_ADDRESS_MAX];

    print_party(check, found->side, f->subject, f->conn, party);
    printf("\n%s broken by %s%s, connection %" PRIu32 ", at %" PRIu64 ".%09" PRIu64 " s: %s\n",
           f->rule->id, party,
           tl_check_unsure(check, f->conn, f->rule) ? " (if the two directions belong together)"
           : f->asked                               ? " (a step asked for it)"
                                                    : "",
           f->conn, f->t_ns / FAL_S, f->t_ns % FAL_S, f->rule->title);
    printf("  expected  %s\n  seen      %s\n", f->expected, f->seen);
    if (requirement != NULL)
        printf("  %s %s\n", requirement->id, requirement->text);
    printf("  %s", check->timeline ? "events   " : "frames   ");
    for (size_t i = 0; i < f->num_evidence; i++)
        printf(" %" PRIu64, check->timeline ? f->evidence[i] : f->evidence_frames[i]);
    putchar('\n');
}

/* Of each party that is judged; where only one is named, it is the SUT. */
static void text_readings(const struct tl_check *check)
{
    struct fal_reading_result r;
    char party[TL_CHECK_ADDRESS_MAX];

    for (int side = 0; side < 2; side++) {
        if (check->judge[side] == NULL)
            continue;
        print_party(check, side, FAL_SUBJECT_SUT, check->num_conns == 1 ? 1 : 0, party);
        for (size_t i = 0; fal_judge_reading(check->judge[side], FAL_SUBJECT_SUT, i, &r); i++)
            printf("  reading       %s %s: %s%s\n", r.id, party, r.text,
                   r.alternative ? " (not the default one)" : "");
    }
}

static void print_text(const struct tl_check *check)
{
    const struct fal_rule_result *r;

    for (size_t i = 0; i < check->num_conns; i++)
        text_connection(check, i);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; (r = fal_judge_result(check->judge[side], i)) != NULL; i++)
            if (speaks_of(check, r))
                text_result(check, side, r);
    text_readings(check);
    for (size_t i = 0; i < check->num_findings; i++)
        text_finding(check, &check->findings[i]);
    if (check->lost_findings > 0)
        printf("\n%zu more findings are counted above only\n", check->lost_findings);
    printf("\n%s: %" PRIu64 " packets judged", verdict_word(tl_check_verdict(check)),
           check->packets);
    if (check->strangers > 0)
        printf(", %" PRIu64 " frames are no Falcon packet that could be read",
               check->strangers);
    if (check->damaged > 0)
        printf(", %" PRIu64 " frames were damaged on their way", check->damaged);
    putchar('\n');
}

/* ---- JSON ---- */

static json_t *json_excuses(const struct fal_rule_result *r)
{
    json_t *object = json_object();

    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (r->excused[e] > 0)
            (void)json_object_set_new(object, fal_excuse_name((enum fal_excuse)e),
                                      json_integer((json_int_t)r->excused[e]));
    return object;
}

static json_t *json_result(const struct tl_check *check, int side,
                           const struct fal_rule_result *r)
{
    char party[TL_CHECK_ADDRESS_MAX];

    print_party(check, side, r->subject, r->conn, party);
    return json_pack("{s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:o}", "rule", r->rule->id, "party",
                     party, "connection", (json_int_t)r->conn, "verdict",
                     fal_verdict_name(tl_check_result(check, r)), "holds", (json_int_t)r->holds,
                     "broken", (json_int_t)r->broken, "undecided", (json_int_t)r->undecided,
                     "excused", json_excuses(r));
}

static json_t *json_finding(const struct tl_check *check, const struct tl_check_finding *found)
{
    const struct fal_finding *f = &found->finding;
    json_t *frames = json_array();
    char party[TL_CHECK_ADDRESS_MAX];

    for (size_t i = 0; i < f->num_evidence; i++)
        (void)json_array_append_new(
            frames, json_integer((json_int_t)(check->timeline ? f->evidence[i]
                                                              : f->evidence_frames[i])));
    print_party(check, found->side, f->subject, f->conn, party);
    return json_pack("{s:s, s:s?, s:s, s:I, s:I, s:b, s:s, s:s, s:o}", "rule", f->rule->id,
                     "requirement", f->requirement, "party", party, "connection",
                     (json_int_t)f->conn, "t_ns", (json_int_t)f->t_ns, "asked", (int)f->asked,
                     "expected", f->expected, "seen", f->seen,
                     check->timeline ? "events" : "frames", frames);
}

static json_t *json_connection(const struct tl_check_conn *conn)
{
    json_t *ends = json_array();

    for (int side = 0; side < 2; side++) {
        char address[TL_CHECK_ADDRESS_MAX];

        tl_host_print(conn->host[side], address);
        (void)json_array_append_new(
            ends, json_pack("{s:s, s:o}", "address", address, "cid",
                            conn->known[side] ? json_integer(side == 0 ? conn->setup.sut.cid
                                                                       : conn->setup.tester.cid)
                                              : json_null()));
    }
    return json_pack("{s:o, s:b, s:b}", "ends", ends, "given", (int)conn->given, "uncertain",
                     (int)conn->uncertain);
}

static json_t *json_readings(const struct tl_check *check)
{
    json_t *list = json_array();
    struct fal_reading_result r;
    char party[TL_CHECK_ADDRESS_MAX];

    for (int side = 0; side < 2; side++) {
        if (check->judge[side] == NULL)
            continue;
        print_party(check, side, FAL_SUBJECT_SUT, check->num_conns == 1 ? 1 : 0, party);
        for (size_t i = 0; fal_judge_reading(check->judge[side], FAL_SUBJECT_SUT, i, &r); i++)
            (void)json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:b, s:I, s:I}", "id", r.id, "party", party,
                                "text", r.text, "alternative", (int)r.alternative, "event",
                                (json_int_t)r.by, "t_ns", (json_int_t)r.by_ns));
    }
    return list;
}

static int print_json(const struct tl_check *check)
{
    json_t *conns = json_array(), *rules = json_array(), *findings = json_array(), *all;
    const struct fal_rule_result *r;
    int status;

    for (size_t i = 0; i < check->num_conns; i++)
        (void)json_array_append_new(conns, json_connection(&check->conns[i]));
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; (r = fal_judge_result(check->judge[side], i)) != NULL; i++)
            if (speaks_of(check, r))
                (void)json_array_append_new(rules, json_result(check, side, r));
    for (size_t i = 0; i < check->num_findings; i++)
        (void)json_array_append_new(findings, json_finding(check, &check->findings[i]));
    all = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "schema", SCHEMA,
                    "verdict", fal_verdict_name(tl_check_verdict(check)), "packets",
                    (json_int_t)check->packets, "no_falcon", (json_int_t)check->strangers,
                    "damaged", (json_int_t)check->damaged, "findings_not_listed",
                    (json_int_t)check->lost_findings, "connections", conns, "rules", rules,
                    "findings", findings, "readings", json_readings(check));
    if (all == NULL)
        return FAL_ERR_MEM;
    status = json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
    return status == 0 ? 0 : FAL_ERR_MEM;
}

int tl_check_print(const struct tl_check *check, bool json)
{
    if (json)
        return print_json(check);
    print_text(check);
    return 0;
}
