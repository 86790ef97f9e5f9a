/* SPDX-License-Identifier: Apache-2.0
 * results_json.c - results as talon/results/1 (docs/formats.md, scenarios/schema/results.json).
 */
#include "reports/report.h"

#include <inttypes.h>
#include <jansson.h>

/* Members are set only when the value could be made; a missing one shows in `ok`. */
struct object {
    json_t *json;
    bool ok;
};

static struct object object(void)
{
    struct object o = {.json = json_object()};

    o.ok = o.json != NULL;
    return o;
}

static void set(struct object *o, const char *key, json_t *value)
{
    o->ok &= json_object_set_new(o->json, key, value) == 0;
}

static void set_text(struct object *o, const char *key, const char *text)
{
    /* What a SUT says of itself may be no UTF-8. */
    json_t *value = text != NULL ? json_string(text) : NULL;

    if (text != NULL)
        set(o, key, value != NULL ? value : json_string("?"));
}

static void set_number(struct object *o, const char *key, uint64_t number)
{
    set(o, key, json_integer((json_int_t)number));
}

static json_t *finish(struct object *o)
{
    if (o->ok)
        return o->json;
    json_decref(o->json);
    return NULL;
}

static void add(json_t *list, bool *ok, json_t *value)
{
    *ok &= json_array_append_new(list, value) == 0;
}

static json_t *whole_or_nothing(json_t *list, bool ok)
{
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *ladder(const struct tl_ladder_line *lines, size_t n)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < n; i++) {
        struct object o = object();

        set_text(&o, "packet", lines[i].text);
        if (lines[i].marked)
            set(&o, "evidence", json_true());
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *events(const struct tl_problem *p)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < p->num_evidence; i++)
        add(list, &ok, json_integer((json_int_t)p->evidence[i]));
    return whole_or_nothing(list, ok);
}

static json_t *also(const struct tl_problem *p)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < p->num_also; i++)
        add(list, &ok, json_string(p->also[i]->id));
    return whole_or_nothing(list, ok);
}

static json_t *problem(const struct tl_problem *p)
{
    struct object o = object();

    set_text(&o, "kind", tl_problem_kind_name(p->kind));
    set_text(&o, "verdict", fal_verdict_name(p->verdict));
    set_text(&o, "reason", p->reason);
    if (p->step >= 0)
        set_number(&o, "step", (uint64_t)p->step);
    if (p->line > 0)
        set_number(&o, "line", p->line);
    if (p->rule != NULL) {
        set_text(&o, "rule", p->rule->id);
        set_text(&o, "subject", p->subject == FAL_SUBJECT_SUT ? "sut" : "tester");
    }
    set_text(&o, "text", p->text);
    if (p->requirement != NULL) {
        set_text(&o, "requirement", p->requirement->id);
        set_text(&o, "requirement_text", p->requirement->text);
    }
    if (p->num_also > 0)
        set(&o, "also", also(p));
    set_number(&o, "t_ns", p->t_ns);
    set_text(&o, "expected", p->expected);
    set_text(&o, "seen", p->seen);
    set_text(&o, "why", p->why);
    if (p->fingerprint[0] != 0)
        set_text(&o, "fingerprint", p->fingerprint);
    set_text(&o, "waiver", p->waiver);
    if (p->num_evidence > 0)
        set(&o, "events", events(p));
    if (p->num_ladder > 0)
        set(&o, "packets", ladder(p->ladder, p->num_ladder));
    return finish(&o);
}

static json_t *rule(const struct fal_rule_result *r)
{
    struct object o = object(), excused = object();

    set_text(&o, "rule", r->rule->id);
    set_text(&o, "subject", r->subject == FAL_SUBJECT_SUT ? "sut" : "tester");
    set_number(&o, "connection", r->conn);
    set_text(&o, "verdict", fal_verdict_name(r->verdict));
    set_number(&o, "holds", r->holds);
    set_number(&o, "broken", r->broken);
    set_number(&o, "undecided", r->undecided);
    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (r->excused[e] > 0)
            set_number(&excused, fal_excuse_name((enum fal_excuse)e), r->excused[e]);
    set(&o, "excused", finish(&excused));
    return finish(&o);
}

static json_t *attempts(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_attempts; i++) {
        struct object o = object();

        set_text(&o, "verdict", fal_verdict_name(c->attempts[i].verdict));
        set_text(&o, "reason", c->attempts[i].reason);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *repetitions(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_repetitions; i++) {
        struct object o = object();
        char seed[24];

        (void)snprintf(seed, sizeof seed, "0x%016" PRIx64, c->repetitions[i].seed);
        set_text(&o, "seed", seed);
        set_text(&o, "verdict", fal_verdict_name(c->repetitions[i].verdict));
        set_text(&o, "reason", c->repetitions[i].reason);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *readings(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_readings; i++) {
        const struct fal_reading_result *r = &c->readings[i];
        struct object o = object();

        set_text(&o, "id", r->id);
        set_text(&o, "text", r->text);
        set(&o, "alternative", json_boolean(r->alternative));
        set_number(&o, "event", r->by);
        set_number(&o, "t_ns", r->by_ns);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *steps_timing(const struct tl_case_timing *timing)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < timing->num_steps; i++) {
        const struct fal_ev_timing *step = &timing->steps[i];
        struct object o = object();

        set_number(&o, "step", (uint64_t)step->step);
        set_number(&o, "due_ns", step->due_ns);
        set_number(&o, "at_ns", step->at_ns);
        set_number(&o, "late_ns", step->late_ns);
        set_number(&o, "queue_ns", step->queue_ns);
        set_number(&o, "drops", step->drops);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *timing(const struct tl_case_timing *timing)
{
    struct object o = object();

    set_number(&o, "timer_ns", timing->timer_ns);
    set_number(&o, "queue_ns", timing->queue_ns);
    set_number(&o, "busy_ns", timing->busy_ns);
    set_number(&o, "throttle_ns", timing->throttle_ns);
    set_number(&o, "sut_ns", timing->sut_ns);
    set_number(&o, "allowance_ns", timing->allowance_ns);
    set_number(&o, "drops", timing->drops);
    set(&o, "steps", steps_timing(timing));
    if (timing->more_steps > 0)
        set_number(&o, "more_steps", timing->more_steps);
    return finish(&o);
}

static json_t *one_case(const struct tl_case *c)
{
    struct object o = object();
    json_t *covers = json_array(), *problems = json_array(), *rules = json_array();
    char seed[24];

    o.ok &= covers != NULL && problems != NULL && rules != NULL;
    for (size_t i = 0; o.ok && i < c->num_covers; i++)
        add(covers, &o.ok, json_string(c->covers[i]->id));
    for (size_t i = 0; o.ok && i < c->num_problems; i++)
        add(problems, &o.ok, problem(&c->problems[i]));
    for (size_t i = 0; o.ok && i < c->num_rules; i++)
        add(rules, &o.ok, rule(&c->rules[i]));
    (void)snprintf(seed, sizeof seed, "0x%016" PRIx64, c->seed);

    set_text(&o, "id", c->id);
    set_text(&o, "title", c->title);
    set_text(&o, "file", c->file);
    set_text(&o, "class", c->kind);
    set_number(&o, "version", c->version);
    set(&o, "covers", covers);
    set_text(&o, "seed", seed);
    set_text(&o, "verdict", fal_verdict_name(c->verdict));
    set_text(&o, "reason", c->reason);
    if (c->disposition != TL_RAN)
        set_text(&o, "disposition", tl_disposition_name(c->disposition));
    set_text(&o, "disposition_why", c->why);
    if (c->num_repetitions > 0)
        set(&o, "repetitions", repetitions(c));
    if (c->copies > 0)
        set_number(&o, "copies", c->copies);
    if (c->copy > 0)
        set_number(&o, "copy", c->copy);
    if (c->mixed)
        set(&o, "mixed", json_true());
    set_number(&o, "duration_ns", c->duration_ns);
    if (c->timing.known)
        set(&o, "timing", timing(&c->timing));
    set(&o, "attempts", attempts(c));
    set(&o, "problems", problems);
    set(&o, "rules", rules);
    if (c->num_readings > 0)
        set(&o, "readings", readings(c));
    if (c->num_packets > 0)
        set(&o, "packets", ladder(c->packets, c->num_packets));
    set_text(&o, "evidence", c->evidence);
    set_text(&o, "repeat", c->repeat);
    return finish(&o);
}

static json_t *counts(const struct tl_results *results)
{
    static const enum fal_verdict verdicts[] = {FAL_VERDICT_PASS, FAL_VERDICT_WARN,
                                                FAL_VERDICT_INCONC, FAL_VERDICT_FAIL,
                                                FAL_VERDICT_ERROR};
    struct object o = object();

    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        set_number(&o, fal_verdict_name(verdicts[i]), tl_results_count(results, verdicts[i]));
    return finish(&o);
}

static json_t *dispositions(const struct tl_results *results)
{
    struct object o = object();

    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++) {
        size_t n = tl_results_disposed(results, (enum tl_disposition)d);

        if (n > 0)
            set_number(&o, tl_disposition_name((enum tl_disposition)d), n);
    }
    return finish(&o);
}

static json_t *waivers(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < results->num_waivers; i++) {
        const struct tl_waiver_use *use = &results->waivers[i];
        struct object o = object();

        set_text(&o, "id", use->id);
        set_text(&o, "kind", use->kind);
        set_text(&o, "state", use->state);
        set_number(&o, "cases", use->cases);
        set_text(&o, "reason", use->reason);
        set_text(&o, "link", use->link);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *probe(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < results->num_probe; i++) {
        const struct tl_probe_use *use = &results->probe[i];
        struct object o;

        if (use->cases == 0)
            continue; /* nothing was tried */
        o = object();
        set_text(&o, "item", use->item);
        set(&o, "claimed", use->claimed < 0 ? json_null() : json_boolean(use->claimed));
        set_text(&o, "seen", tl_probe_seen_name(use->seen));
        set_number(&o, "cases", use->cases);
        set_number(&o, "passed", use->passed);
        set_number(&o, "failed", use->failed);
        set_text(&o, "example", use->example);
        set_text(&o, "finding", use->finding);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *ics(const struct tl_results *results)
{
    struct object o = object();

    for (size_t i = 0; i < results->num_ics; i++)
        set(&o, results->ics[i].item,
            results->ics[i].offered < 0 ? json_null() : json_boolean(results->ics[i].offered));
    return finish(&o);
}

static json_t *denied(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < results->num_ics; i++)
        if (results->ics[i].denied)
            add(list, &ok, json_string(results->ics[i].item));
    return whole_or_nothing(list, ok);
}

static json_t *all_readings(const struct tl_results *results)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    const struct tl_reading_use *use;

    for (size_t i = 0; ok && (use = tl_results_reading(results, i)) != NULL; i++) {
        struct object o = object();

        set_text(&o, "id", use->id);
        set_text(&o, "text", use->text);
        set(&o, "alternative", json_boolean(use->alternative));
        set_number(&o, "cases", use->cases);
        add(list, &ok, finish(&o));
    }
    return whole_or_nothing(list, ok);
}

static json_t *identity(const struct tl_results *results)
{
    struct object o = object();

    set_text(&o, "vendor", results->vendor);
    set_text(&o, "product", results->product_name);
    set_text(&o, "firmware", results->firmware);
    return finish(&o);
}

/* What a run is, but for its cases. */
static json_t *head(const struct tl_results *results)
{
    struct object o = object();
    char seed[24];

    (void)snprintf(seed, sizeof seed, "%" PRIu64, results->seed);
    set_text(&o, "schema", TL_RESULTS_SCHEMA);
    set_text(&o, "tool", results->version);
    set_text(&o, "sut", results->sut);
    set_text(&o, "product", results->product);
    set(&o, "identity", identity(results));
    set_text(&o, "profile", results->profile);
    set(&o, "live", json_boolean(results->live));
    if (results->live && results->answer_max_ns != 0) {
        struct object measured = object();

        set_number(&measured, "timer_ns", results->timer_late_ns);
        set_number(&measured, "answer_min_ns", results->answer_min_ns);
        set_number(&measured, "answer_max_ns", results->answer_max_ns);
        set(&o, "measured", finish(&measured));
    }
    set_text(&o, "seed", seed);
    set_text(&o, "verdict", fal_verdict_name(tl_results_verdict(results)));
    set_number(&o, "status", (uint64_t)results->status);
    set(&o, "counts", counts(results));
    set(&o, "dispositions", dispositions(results));
    if (results->deselected > 0)
        set_number(&o, "not_selected", results->deselected);
    if (results->shards > 0) {
        set_number(&o, "shard", results->shard);
        set_number(&o, "shards", results->shards);
        set_number(&o, "of_other_shards", results->other_shards);
    }
    if (results->interrupted)
        set(&o, "interrupted", json_true());
    if (results->bad_files > 0)
        set_number(&o, "files_not_read", results->bad_files);
    if (results->num_ics > 0) {
        set(&o, "ics", ics(results));
        set(&o, "ics_denied_by_sut", denied(results));
        if (results->probe != NULL)
            set(&o, "probe", probe(results));
    }
    if (results->num_waivers > 0)
        set(&o, "waivers", waivers(results));
    if (results->strict)
        set(&o, "strict_waivers", json_true());
    set(&o, "readings", all_readings(results));
    return finish(&o);
}

int tl_report_json(FILE *out, const struct tl_results *results)
{
    struct object o = {.json = head(results), .ok = true};
    json_t *cases = json_array();
    json_t *whole;
    int rc;

    o.ok &= o.json != NULL && cases != NULL;
    for (size_t i = 0; o.ok && i < results->num_cases; i++)
        add(cases, &o.ok, one_case(&results->cases[i]));
    set(&o, "cases", cases);
    whole = finish(&o);
    if (whole == NULL)
        return FAL_ERR_MEM;
    rc =
        json_dumpf(whole, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF ? 0 : FAL_ERR_IO;
    json_decref(whole);
    return rc;
}
