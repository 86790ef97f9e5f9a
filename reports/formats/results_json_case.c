/* SPDX-License-Identifier: Apache-2.0
 * results_json_case.c - a case of talon/results/1. */
#include "codecs/base/hex.h"
#include "reports/results/json_build.h"

#include "codecs/json/json.h"

#include <inttypes.h>
#include <stdio.h>

static json_t *ladder(const struct tl_ladder_line *lines, size_t n)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < n; i++) {
        struct tl_object o = tl_object();

        tl_set_text(&o, "packet", lines[i].text);
        if (lines[i].marked)
            tl_set(&o, "evidence", json_true());
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *events(const struct tl_problem *p)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < p->num_evidence; i++)
        tl_list_add(list, &ok, json_integer((json_int_t)p->evidence[i]));
    return tl_list_end(list, ok);
}

static json_t *also(const struct tl_problem *p)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < p->num_also; i++)
        tl_list_add(list, &ok, json_string(p->also[i]->id));
    return tl_list_end(list, ok);
}

static json_t *problem(const struct tl_problem *p)
{
    struct tl_object o = tl_object();

    tl_set_text(&o, "kind", tl_problem_kind_name(p->kind));
    tl_set_text(&o, "verdict", fal_verdict_name(p->verdict));
    tl_set_text(&o, "reason", p->reason.word);
    if (p->step >= 0)
        tl_set_number(&o, "step", (uint64_t)p->step);
    if (p->line > 0)
        tl_set_number(&o, "line", p->line);
    if (p->rule != NULL) {
        tl_set_text(&o, "rule", p->rule->id);
        tl_set_text(&o, "subject", p->subject == FAL_SUBJECT_SUT ? "sut" : "tester");
    }
    tl_set_text(&o, "text", p->text);
    if (p->requirement != NULL) {
        tl_set_text(&o, "requirement", p->requirement->id);
        tl_set_text(&o, "requirement_text", p->requirement->text);
    }
    if (p->num_also > 0)
        tl_set(&o, "also", also(p));
    tl_set_number(&o, "t_ns", p->t_ns);
    tl_set_text(&o, "expected", p->expected);
    tl_set_text(&o, "seen", p->seen);
    tl_set_text(&o, "why", p->why);
    if (p->fingerprint[0] != 0)
        tl_set_text(&o, "fingerprint", p->fingerprint);
    tl_set_text(&o, "waiver", p->waiver);
    if (p->num_evidence > 0)
        tl_set(&o, "events", events(p));
    if (p->num_ladder > 0)
        tl_set(&o, "packets", ladder(p->ladder, p->num_ladder));
    return tl_object_end(&o);
}

static json_t *rule(const struct fal_rule_result *r)
{
    struct tl_object o = tl_object(), excused = tl_object();

    tl_set_text(&o, "rule", r->rule->id);
    tl_set_text(&o, "subject", r->subject == FAL_SUBJECT_SUT ? "sut" : "tester");
    tl_set_number(&o, "connection", r->conn);
    tl_set_text(&o, "verdict", fal_verdict_name(r->verdict));
    tl_set_number(&o, "holds", r->holds);
    tl_set_number(&o, "broken", r->broken);
    tl_set_number(&o, "undecided", r->undecided);
    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (r->excused[e] > 0)
            tl_set_number(&excused, fal_excuse_name((enum fal_excuse)e), r->excused[e]);
    tl_set(&o, "excused", tl_object_end(&excused));
    return tl_object_end(&o);
}

static json_t *attempts(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_attempts; i++) {
        struct tl_object o = tl_object();

        tl_set_text(&o, "verdict", fal_verdict_name(c->attempts[i].verdict));
        tl_set_text(&o, "reason", c->attempts[i].reason.word);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *repetitions(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_repetitions; i++) {
        struct tl_object o = tl_object();
        char seed[24];

        (void)snprintf(seed, sizeof seed, "0x%016" PRIx64, c->repetitions[i].seed);
        tl_set_text(&o, "seed", seed);
        tl_set_text(&o, "verdict", fal_verdict_name(c->repetitions[i].verdict));
        tl_set_text(&o, "reason", c->repetitions[i].reason.word);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *readings(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_readings; i++) {
        const struct fal_reading_result *r = &c->readings[i];
        struct tl_object o = tl_object();

        tl_set_text(&o, "id", r->id);
        tl_set_text(&o, "text", r->text);
        tl_set(&o, "alternative", json_boolean(r->alternative));
        tl_set_number(&o, "event", r->by);
        tl_set_number(&o, "t_ns", r->by_ns);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *steps(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_steps; i++) {
        struct tl_object o = tl_object();

        if (c->steps[i].line > 0)
            tl_set_number(&o, "line", c->steps[i].line);
        tl_set_text(&o, "text", c->steps[i].text);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *flow_item(const struct tl_flow_item *item)
{
    struct tl_object o = tl_object();
    char hex[2 * TL_FLOW_HEAD + 1];

    tl_set_text(&o, "what", tl_flow_kind_name(item->kind));
    tl_set_number(&o, "t_ns", item->t_ns);
    tl_set_number(&o, item->kind == TL_FLOW_GAP ? "left_out" : "event", item->event);
    if (item->kind <= TL_FLOW_LOST)
        tl_set_text(&o, "dir", item->to_sut ? ">" : "<");
    if (item->step >= 0)
        tl_set_number(&o, "step", (uint64_t)item->step);
    tl_set_text(&o, "text", item->text);
    if (item->marked)
        tl_set(&o, "evidence", json_true());
    if (item->again)
        tl_set(&o, "again", json_true());
    if (item->dropped)
        tl_set(&o, "dropped", json_true());
    if (item->head_len > 0) {
        fal_hex_write(item->head, item->head_len, hex);
        tl_set_text(&o, "header", hex);
    }
    return tl_object_end(&o);
}

static json_t *flow(const struct tl_case *c)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < c->num_flow; i++)
        tl_list_add(list, &ok, flow_item(&c->flow[i]));
    return tl_list_end(list, ok);
}

static json_t *steps_timing(const struct tl_case_timing *timing)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < timing->num_steps; i++) {
        const struct fal_ev_timing *step = &timing->steps[i];
        struct tl_object o = tl_object();

        tl_set_number(&o, "step", (uint64_t)step->step);
        tl_set_number(&o, "due_ns", step->due_ns);
        tl_set_number(&o, "at_ns", step->at_ns);
        tl_set_number(&o, "late_ns", step->late_ns);
        tl_set_number(&o, "queue_ns", step->queue_ns);
        tl_set_number(&o, "drops", step->drops);
        tl_list_add(list, &ok, tl_object_end(&o));
    }
    return tl_list_end(list, ok);
}

static json_t *timing(const struct tl_case_timing *timing)
{
    struct tl_object o = tl_object();

    tl_set_number(&o, "timer_ns", timing->timer_ns);
    tl_set_number(&o, "queue_ns", timing->queue_ns);
    tl_set_number(&o, "busy_ns", timing->busy_ns);
    tl_set_number(&o, "throttle_ns", timing->throttle_ns);
    tl_set_number(&o, "sut_ns", timing->sut_ns);
    tl_set_number(&o, "allowance_ns", timing->allowance_ns);
    tl_set_number(&o, "drops", timing->drops);
    tl_set(&o, "steps", steps_timing(timing));
    if (timing->more_steps > 0)
        tl_set_number(&o, "more_steps", timing->more_steps);
    return tl_object_end(&o);
}

json_t *tl_json_case(const struct tl_case *c)
{
    struct tl_object o = tl_object();
    json_t *covers = json_array(), *problems = json_array(), *rules = json_array();
    char seed[24];

    o.ok &= covers != NULL && problems != NULL && rules != NULL;
    for (size_t i = 0; o.ok && i < c->num_covers; i++)
        tl_list_add(covers, &o.ok, json_string(c->covers[i]->id));
    for (size_t i = 0; o.ok && i < c->num_problems; i++)
        tl_list_add(problems, &o.ok, problem(&c->problems[i]));
    for (size_t i = 0; o.ok && i < c->num_rules; i++)
        tl_list_add(rules, &o.ok, rule(&c->rules[i]));
    (void)snprintf(seed, sizeof seed, "0x%016" PRIx64, c->seed);

    tl_set_text(&o, "id", c->id);
    tl_set_text(&o, "title", c->title);
    tl_set_text(&o, "file", c->file);
    tl_set_text(&o, "class", c->kind);
    tl_set_number(&o, "version", c->version);
    tl_set(&o, "covers", covers);
    tl_set_text(&o, "seed", seed);
    tl_set_text(&o, "verdict", fal_verdict_name(c->verdict));
    tl_set_text(&o, "reason", c->reason.word);
    if (c->disposition != TL_RAN)
        tl_set_text(&o, "disposition", tl_disposition_name(c->disposition));
    tl_set_text(&o, "disposition_why", c->why);
    if (c->num_repetitions > 0)
        tl_set(&o, "repetitions", repetitions(c));
    if (c->copies > 0)
        tl_set_number(&o, "copies", c->copies);
    if (c->copy > 0)
        tl_set_number(&o, "copy", c->copy);
    if (c->mixed)
        tl_set(&o, "mixed", json_true());
    tl_set_number(&o, "duration_ns", c->duration_ns);
    if (c->timing.known)
        tl_set(&o, "timing", timing(&c->timing));
    tl_set(&o, "attempts", attempts(c));
    tl_set(&o, "problems", problems);
    tl_set(&o, "rules", rules);
    if (c->num_readings > 0)
        tl_set(&o, "readings", readings(c));
    if (c->num_packets > 0)
        tl_set(&o, "packets", ladder(c->packets, c->num_packets));
    if (c->num_steps > 0)
        tl_set(&o, "steps", steps(c));
    if (c->num_flow > 0)
        tl_set(&o, "flow", flow(c));
    tl_set_text(&o, "profile", c->profile);
    tl_set_text(&o, "evidence", c->evidence);
    tl_set_text(&o, "repeat", c->repeat);
    return tl_object_end(&o);
}
