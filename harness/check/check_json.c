/* SPDX-License-Identifier: Apache-2.0
 * check_json.c - writes the report of `talon check --format json`: talon/check/1
 * (docs/formats.md). */
#include "harness/check/check_print.h"

#include "harness/doc/json_member.h"
#include "oracles/catalogue.h"

#include <jansson.h>
#include <stdio.h>

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

    tl_check_party(check, side, r->subject, r->conn, party);
    return json_pack("{s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:o}", "rule", r->rule->id, "party",
                     party, "connection", (json_int_t)r->conn, "verdict",
                     fal_verdict_name(tl_check_result(check, side, r)), "holds",
                     (json_int_t)r->holds, "broken", (json_int_t)r->broken, "undecided",
                     (json_int_t)r->undecided, "excused", json_excuses(r));
}

/* The conversation around it. */
static json_t *json_snippet(const struct tl_check_finding *found)
{
    json_t *list = json_array();
    char line[TL_SCENE_LINE];

    for (unsigned i = 0; i < found->snippet.num; i++) {
        const struct tl_scene *scene = &found->snippet.scenes[i];
        json_t *object;

        tl_scene_print(scene, found->side == 0, line);
        object = json_pack("{s:s}", "packet", line);
        if (scene->evidence)
            (void)json_object_set_new(object, "evidence", json_true());
        if (!scene->continues && i > 0)
            (void)json_object_set_new(object, "gap", json_true());
        (void)json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_finding(const struct tl_check *check, const struct tl_check_finding *found)
{
    const struct fal_finding *f = &found->finding;
    const struct fal_requirement *requirement =
        f->requirement != NULL ? fal_requirement_find(f->requirement) : NULL;
    json_t *frames = json_array();
    char party[TL_CHECK_ADDRESS_MAX];

    for (size_t i = 0; i < f->num_evidence; i++)
        if (check->timeline || f->evidence_frames[i] > 0)
            (void)json_array_append_new(
                frames, json_integer((json_int_t)(check->timeline ? f->evidence[i]
                                                                  : f->evidence_frames[i])));
    tl_check_party(check, found->side, f->subject, f->conn, party);
    return json_pack(
        "{s:s, s:s?, s:s?, s:s, s:I, s:I, s:b, s:b, s:s, s:s, s:o, s:o}", "rule", f->rule->id,
        "requirement", f->requirement, "requirement_text",
        requirement != NULL ? requirement->text : NULL, "party", party, "connection",
        (json_int_t)f->conn, "t_ns", (json_int_t)f->t_ns, "asked", (int)f->asked, "unsure",
        (int)tl_check_unsure(check, f->conn, f->rule), "expected", f->expected, "seen", f->seen,
        check->timeline ? "events" : "frames", frames, "packets", json_snippet(found));
}

/* The parameters that were given. */
static json_t *json_params(const struct tl_check_conn *conn)
{
    json_t *object = json_object();
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        if ((conn->setup.unknown_params >> i & 1) == 0)
            (void)json_object_set_new(object, table[i].key,
                                      tl_json_from_param(&table[i], &conn->setup.params));
    return object;
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
    return json_pack("{s:s, s:o, s:b, s:b, s:s, s:b, s:o}", "name", conn->setup.name, "ends",
                     ends, "given", (int)conn->given, "uncertain", (int)conn->uncertain,
                     "known", tl_check_how_known(conn), "initial_known",
                     (int)conn->setup.initial_known, "params", json_params(conn));
}

static json_t *json_readings(const struct tl_check *check)
{
    json_t *list = json_array();
    struct fal_reading_result r;
    char party[TL_CHECK_ADDRESS_MAX];

    for (int side = 0; side < 2; side++) {
        tl_check_party(check, side, FAL_SUBJECT_SUT, check->num_conns == 1 ? 1 : 0, party);
        for (size_t i = 0; tl_check_reading(check, side, i, &r); i++)
            (void)json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:b, s:I, s:I}", "id", r.id, "party", party,
                                "text", r.text, "alternative", (int)r.alternative, "event",
                                (json_int_t)r.by, "t_ns", (json_int_t)r.by_ns));
    }
    return list;
}

/* Excuses that were used more often than the path gave reason to. */
static json_t *json_suspects(const struct tl_check *check)
{
    json_t *list = json_array();
    struct fal_suspect s;
    char party[TL_CHECK_ADDRESS_MAX];

    for (int side = 0; side < 2; side++) {
        tl_check_party(check, side, FAL_SUBJECT_SUT, check->num_conns == 1 ? 1 : 0, party);
        for (size_t i = 0; tl_check_suspect(check, side, i, &s); i++)
            (void)json_array_append_new(
                list, json_pack("{s:s?, s:s, s:s, s:I, s:I, s:I, s:b}", "rule",
                                s.rule != NULL ? s.rule->id : NULL, "excuse",
                                fal_excuse_name(s.excuse), "party", party, "used",
                                (json_int_t)s.used, "of", (json_int_t)s.of, "allowed",
                                (json_int_t)s.allowed, "unmeasured", (int)s.unmeasured));
    }
    return list;
}

/* The proof that a capture is not complete which was declared to be; NULL: there is none. */
static json_t *json_missed(const struct tl_check *check)
{
    const struct fal_missed *m = &check->missed;

    return m->found ? json_pack("{s:I, s:I, s:s, s:I}", "frame", (json_int_t)m->frame,
                                "connection", (json_int_t)m->conn, "window",
                                m->window == FAL_WINDOW_REQ ? "request" : "data", "psn",
                                (json_int_t)m->psn)
                    : NULL;
}

json_t *tl_check_json(const struct tl_check *check)
{
    json_t *conns = json_array(), *rules = json_array(), *findings = json_array(), *capture;
    const struct fal_rule_result *r;

    for (size_t i = 0; i < check->num_conns; i++)
        (void)json_array_append_new(conns, json_connection(&check->conns[i]));
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; (r = tl_check_rule(check, side, i)) != NULL; i++)
            if (tl_check_speaks_of(check, r) && tl_check_judged(check, side, r->conn))
                (void)json_array_append_new(rules, json_result(check, side, r));
    for (size_t i = 0; i < check->num_findings; i++)
        (void)json_array_append_new(findings, json_finding(check, &check->findings[i]));
    capture = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o*}", "no_falcon",
                        (json_int_t)check->strangers, "damaged", (json_int_t)check->damaged,
                        "doubles", (json_int_t)check->doubles, "dropped",
                        (json_int_t)check->dropped, "out_of_order", (json_int_t)check->disorder,
                        "ulp_events", (json_int_t)check->ulp_events, "ulp_unplaced",
                        (json_int_t)check->ulp_unplaced, "missed", json_missed(check));
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
                     TL_CHECK_SCHEMA, "verdict", fal_verdict_name(tl_check_verdict(check)),
                     "packets", (json_int_t)check->packets, "no_falcon",
                     (json_int_t)check->strangers, "damaged", (json_int_t)check->damaged,
                     "findings_not_listed", (json_int_t)check->lost_findings, "capture",
                     capture, "connections", conns, "rules", rules, "findings", findings,
                     "readings", json_readings(check), "suspect_excuses", json_suspects(check));
}
