/* SPDX-License-Identifier: Apache-2.0
 * results_read_case.c - a case of talon/results/1. */
#include "codecs/base/hex.h"
#include "reports/results/results_read_impl.h"

#include "codecs/json/json.h"

#include <stdlib.h>
#include <string.h>

/* The same for each member of a list. */
static struct tl_take within(const struct tl_take *up, const json_t *object)
{
    return (struct tl_take){.object = object, .arena = up->arena, .err = up->err, .rc = up->rc};
}

static const char *kind_name(int i)
{
    return tl_problem_kind_name((enum tl_problem_kind)i);
}

static const char *disposition_name(int i)
{
    return tl_disposition_name((enum tl_disposition)i);
}

static const char *flow_name(int i)
{
    return tl_flow_kind_name((enum tl_flow_kind)i);
}

/* Zeroed room for `n` of them, that tl_case_clear frees. */
static void *room(struct tl_take *take, size_t n, size_t size)
{
    void *list = n > 0 ? calloc(n, size) : NULL;

    if (n > 0 && list == NULL)
        tl_take_fail(take, FAL_ERR_MEM, "case", "out of memory");
    return list;
}

/* Ids of requirements, each once; kept in the arena. */
static const struct fal_requirement *const *requirements(struct tl_take *take, const char *key,
                                                         size_t *n)
{
    const json_t *list = json_object_get(take->object, key);
    size_t size = json_array_size(list);
    const struct fal_requirement **out;

    *n = 0;
    if (size == 0)
        return NULL;
    out = fal_arena_alloc(take->arena, size, sizeof *out);
    if (out == NULL) {
        tl_take_fail(take, FAL_ERR_MEM, key, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < size && take->rc == 0; i++) {
        const json_t *id = json_array_get(list, i);
        const char *text = json_is_string(id) ? tl_take_copy(take, id) : NULL;

        if (text == NULL)
            tl_take_fail(take, FAL_ERR_FORM, key, "expected ids of requirements");
        else
            out[(*n)++] = tl_take_requirement(take, text, NULL);
    }
    return out;
}

static void read_ladder(struct tl_take *take, const char *key, struct tl_ladder_line **lines,
                        size_t *num)
{
    const json_t *list = tl_take_list(take, key);

    for (size_t i = 0; i < json_array_size(list) && take->rc == 0; i++) {
        struct tl_take line = within(take, json_array_get(list, i));
        const char *text = tl_take_text(&line, "packet");

        take->rc = line.rc;
        if (!tl_ladder_add(lines, num, text != NULL ? text : "",
                           tl_take_flag(&line, "evidence")))
            tl_take_fail(take, FAL_ERR_MEM, key, "out of memory");
    }
}

static enum fal_subject subject(struct tl_take *take)
{
    const char *text = tl_take_text(take, "subject");

    return text != NULL && strcmp(text, "tester") == 0 ? FAL_SUBJECT_TESTER : FAL_SUBJECT_SUT;
}

static void read_problem(struct tl_take *take, struct tl_problem *p)
{
    const json_t *events = json_object_get(take->object, "events");
    const char *id, *text, *rule;
    int kind;

    tl_take_must(take, "reason", JSON_STRING);
    kind = tl_take_word(take, "kind", kind_name, TL_PROBLEM_BENCH + 1);
    p->kind = kind < 0 ? TL_PROBLEM_BENCH : (enum tl_problem_kind)kind;
    p->verdict = tl_take_verdict(take, "verdict");
    p->reason = tl_reason_from(tl_take_text(take, "reason"));
    p->step = json_object_get(take->object, "step") != NULL
                  ? (int32_t)(tl_take_number(take, "step") & 0x7fffffff)
                  : -1;
    p->line = (unsigned)tl_take_number(take, "line");
    p->t_ns = tl_take_number(take, "t_ns");
    rule = tl_take_text(take, "rule");
    p->rule = rule != NULL ? tl_take_rule(take, rule) : NULL;
    p->subject = subject(take);
    p->text = tl_take_own(take, "text");
    id = tl_take_text(take, "requirement");
    text = tl_take_text(take, "requirement_text");
    p->requirement = id != NULL ? tl_take_requirement(take, id, text) : NULL;
    p->also = requirements(take, "also", &p->num_also);
    p->expected = tl_take_own(take, "expected");
    p->seen = tl_take_own(take, "seen");
    p->why = tl_take_own(take, "why");
    text = tl_take_text(take, "fingerprint");
    if (text != NULL)
        (void)snprintf(p->fingerprint, sizeof p->fingerprint, "%.*s", TL_FINGERPRINT_LEN, text);
    p->waiver = tl_take_text(take, "waiver");
    for (size_t i = 0; i < json_array_size(events) && i < FAL_EVIDENCE_MAX; i++)
        p->evidence[p->num_evidence++] =
            (uint64_t)json_integer_value(json_array_get(events, i));
    read_ladder(take, "packets", &p->ladder, &p->num_ladder);
}

static void read_problems(struct tl_take *take, struct tl_case *c)
{
    const json_t *list = tl_take_list(take, "problems");

    for (size_t i = 0; i < json_array_size(list) && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));
        struct tl_problem *p = tl_case_problem(c);

        if (p == NULL)
            tl_take_fail(&one, FAL_ERR_MEM, "problems", "out of memory");
        else
            read_problem(&one, p);
        take->rc = one.rc;
    }
}

static void read_rules(struct tl_take *take, struct tl_case *c)
{
    const json_t *list = tl_take_list(take, "rules");
    size_t n = json_array_size(list);

    c->rules = room(take, n, sizeof *c->rules);
    for (size_t i = 0; i < n && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));
        const json_t *excused = json_object_get(one.object, "excused");
        const char *id = tl_take_text(&one, "rule");
        struct fal_rule_result *r = &c->rules[i];

        tl_take_must(&one, "rule", JSON_STRING);
        r->rule = id != NULL ? tl_take_rule(&one, id) : NULL;
        r->subject = subject(&one);
        r->conn = (uint32_t)tl_take_number(&one, "connection");
        r->verdict = tl_take_verdict(&one, "verdict");
        r->holds = tl_take_number(&one, "holds");
        r->broken = tl_take_number(&one, "broken");
        r->undecided = tl_take_number(&one, "undecided");
        for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
            r->excused[e] = (uint64_t)json_integer_value(
                json_object_get(excused, fal_excuse_name((enum fal_excuse)e)));
        take->rc = one.rc;
        c->num_rules += one.rc == 0;
    }
}

static void read_readings(struct tl_take *take, struct tl_case *c)
{
    const json_t *list = tl_take_list(take, "readings");
    size_t n = json_array_size(list);

    c->readings = room(take, n, sizeof *c->readings);
    for (size_t i = 0; i < n && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));
        struct fal_reading_result *r = &c->readings[i];

        tl_take_must(&one, "id", JSON_STRING);
        tl_take_must(&one, "text", JSON_STRING);
        r->id = tl_take_text(&one, "id");
        r->text = tl_take_text(&one, "text");
        r->alternative = tl_take_flag(&one, "alternative");
        r->by = tl_take_number(&one, "event");
        r->by_ns = tl_take_number(&one, "t_ns");
        take->rc = one.rc;
        c->num_readings += one.rc == 0;
    }
}

static void read_repetitions(struct tl_take *take, struct tl_case *c)
{
    const json_t *list = tl_take_list(take, "repetitions");
    size_t n = json_array_size(list);

    c->repetitions = room(take, n, sizeof *c->repetitions);
    for (size_t i = 0; i < n && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));

        c->repetitions[c->num_repetitions++] =
            (struct tl_repetition){.seed = tl_take_seed(&one, "seed"),
                                   .verdict = tl_take_verdict(&one, "verdict"),
                                   .reason = tl_reason_from(tl_take_text(&one, "reason"))};
        take->rc = one.rc;
    }
    list = tl_take_list(take, "attempts");
    for (size_t i = 0; i < json_array_size(list) && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));

        if (c->num_attempts == TL_ATTEMPTS_MAX)
            break;
        c->attempts[c->num_attempts++] =
            (struct tl_attempt){.verdict = tl_take_verdict(&one, "verdict"),
                                .reason = tl_reason_from(tl_take_text(&one, "reason"))};
        take->rc = one.rc;
    }
}

static void read_timing(struct tl_take *take, struct tl_case_timing *timing)
{
    const json_t *object = json_object_get(take->object, "timing"), *list;
    struct tl_take of = within(take, object);
    size_t n;

    if (object == NULL)
        return;
    tl_take_must(take, "timing", JSON_OBJECT);
    timing->known = true;
    timing->timer_ns = tl_take_number(&of, "timer_ns");
    timing->queue_ns = tl_take_number(&of, "queue_ns");
    timing->busy_ns = tl_take_number(&of, "busy_ns");
    timing->throttle_ns = tl_take_number(&of, "throttle_ns");
    timing->sut_ns = tl_take_number(&of, "sut_ns");
    timing->allowance_ns = tl_take_number(&of, "allowance_ns");
    timing->drops = tl_take_number(&of, "drops");
    timing->more_steps = (size_t)tl_take_number(&of, "more_steps");
    list = tl_take_list(&of, "steps");
    n = json_array_size(list);
    timing->steps = room(&of, n, sizeof *timing->steps);
    for (size_t i = 0; i < n && of.rc == 0; i++) {
        struct tl_take one = within(&of, json_array_get(list, i));

        timing->steps[timing->num_steps++] = (struct fal_ev_timing){
            .step = (int32_t)(tl_take_number(&one, "step") & 0x7fffffff),
            .due_ns = tl_take_number(&one, "due_ns"),
            .at_ns = tl_take_number(&one, "at_ns"),
            .late_ns = tl_take_number(&one, "late_ns"),
            .queue_ns = tl_take_number(&one, "queue_ns"),
            .drops = tl_take_number(&one, "drops"),
        };
        of.rc = one.rc;
    }
    take->rc = take->rc != 0 ? take->rc : of.rc;
}

static void read_steps(struct tl_take *take, struct tl_case *c)
{
    const json_t *list = tl_take_list(take, "steps");
    size_t n = json_array_size(list);

    c->steps = room(take, n, sizeof *c->steps);
    for (size_t i = 0; i < n && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));
        const char *text = tl_take_text(&one, "text");

        c->steps[c->num_steps++] = (struct tl_step_line){
            .text = text != NULL ? text : "", .line = (unsigned)tl_take_number(&one, "line")};
        take->rc = one.rc;
    }
}

static void read_flow_item(struct tl_take *take, struct tl_flow_item *item)
{
    const char *dir = tl_take_text(take, "dir"), *hex = tl_take_text(take, "header");
    int kind = tl_take_word(take, "what", flow_name, TL_FLOW_GAP + 1), len;

    item->kind = kind < 0 ? TL_FLOW_NOTE : (enum tl_flow_kind)kind;
    item->t_ns = tl_take_number(take, "t_ns");
    item->event = tl_take_number(take, item->kind == TL_FLOW_GAP ? "left_out" : "event");
    item->to_sut = dir != NULL && dir[0] == '>';
    if (json_object_get(take->object, "step") != NULL)
        item->step = (int32_t)(tl_take_number(take, "step") & 0x7fffffff);
    item->text = tl_take_own(take, "text");
    item->marked = tl_take_flag(take, "evidence");
    item->again = tl_take_flag(take, "again");
    item->dropped = tl_take_flag(take, "dropped");
    len = hex != NULL ? fal_hex_read(hex, item->head, sizeof item->head) : 0;
    if (len < 0)
        tl_take_fail(take, FAL_ERR_FORM, "header", "expected a header in hex");
    else
        item->head_len = (uint8_t)len;
}

static void read_flow(struct tl_take *take, struct tl_case *c)
{
    const json_t *list = tl_take_list(take, "flow");

    for (size_t i = 0; i < json_array_size(list) && take->rc == 0; i++) {
        struct tl_take one = within(take, json_array_get(list, i));
        struct tl_flow_item *item = tl_case_flow(c);

        if (item == NULL)
            tl_take_fail(&one, FAL_ERR_MEM, "flow", "out of memory");
        else
            read_flow_item(&one, item);
        take->rc = one.rc;
    }
}

int tl_case_read(const json_t *json, struct tl_case *c, struct fal_error *err)
{
    struct tl_take take = {.object = json, .err = err};
    int disposition;

    if (!json_is_object(json))
        return fal_fail(err, FAL_ERR_FORM, "expected an object");
    take.arena = &c->arena;
    tl_take_must(&take, "id", JSON_STRING);
    tl_take_must(&take, "title", JSON_STRING);
    tl_take_must(&take, "file", JSON_STRING);
    c->id = tl_take_text(&take, "id");
    c->title = tl_take_text(&take, "title");
    c->file = tl_take_text(&take, "file");
    c->kind = tl_take_text(&take, "class");
    c->version = (unsigned)tl_take_number(&take, "version");
    c->covers = requirements(&take, "covers", &c->num_covers);
    c->seed = tl_take_seed(&take, "seed");
    c->verdict = tl_take_verdict(&take, "verdict");
    c->reason = tl_reason_from(tl_take_text(&take, "reason"));
    disposition = tl_take_word(&take, "disposition", disposition_name, TL_FLAKY + 1);
    c->disposition = disposition < 0 ? TL_RAN : (enum tl_disposition)disposition;
    c->why = tl_take_own(&take, "disposition_why");
    c->copies = (unsigned)tl_take_number(&take, "copies");
    c->copy = (unsigned)tl_take_number(&take, "copy");
    c->mixed = tl_take_flag(&take, "mixed");
    c->duration_ns = tl_take_number(&take, "duration_ns");
    read_timing(&take, &c->timing);
    read_repetitions(&take, c);
    read_problems(&take, c);
    read_rules(&take, c);
    read_readings(&take, c);
    read_ladder(&take, "packets", &c->packets, &c->num_packets);
    read_steps(&take, c);
    read_flow(&take, c);
    c->profile = tl_take_text(&take, "profile");
    c->evidence = tl_take_own(&take, "evidence");
    c->repeat = tl_take_own(&take, "repeat");
    return take.rc;
}
