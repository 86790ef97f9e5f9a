/* SPDX-License-Identifier: Apache-2.0
 * names.c - every $name of a scenario must be bound before the step that uses it: by
 * vars, params, let, a capture, or as a parameter of the connection; and be of a type that has
 * a meaning there. Found here, not half-way through a run. */
#include "harness/scenario/reader.h"
#include "harness/scenario/word_step.h"

#include "codecs/base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 256 };

struct names {
    struct tl_reader *reader;
    struct {
        const char *name;
        enum tl_expr_type type;
    } bound[NAMES_MAX];
    size_t count;
    struct tl_position at; /* of the step that is being looked at */
    const char *where;
    bool is_member;            /* not a step, but the member `where` of the file */
    char unknown[FAL_VAR_MAX]; /* the name that a lookup did not find */
};

/* Members are looked up in the text only for an error. */
static struct tl_position place_of(const struct names *n)
{
    const struct tl_reader *r = n->reader;
    struct tl_path root = {0}, here = {.up = &root, .key = n->where};

    if (!n->is_member)
        return n->at;
    return json_object_get(r->document, n->where) != NULL
               ? tl_source_find(r->text, r->len, &here)
               : (struct tl_position){1, 1};
}

#define complain(n, ...) tl_reader_error_at((n)->reader, place_of(n), (n)->where, __VA_ARGS__)

static void bind(struct names *n, const char *name, enum tl_expr_type type)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->bound[i].name, name) == 0) {
            n->bound[i].type = type;
            return;
        }
    if (n->count == NAMES_MAX) {
        complain(n, "more than %d variables", NAMES_MAX);
        return;
    }
    n->bound[n->count].name = name;
    n->bound[n->count++].type = type;
}

/* The type of a name; of a hidden one, which has been looked at, a number will do. */
static bool type_of(const void *ctx, const char *name, struct tl_expr_value *out)
{
    struct names *n = (struct names *)ctx; /* it notes what it did not find */
    const struct fal_param *param = fal_param_find(name);

    *out = (struct tl_expr_value){TL_INTEGER, 0};
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->bound[i].name, name) == 0) {
            out->type = n->bound[i].type;
            return true;
        }
    if (param != NULL && strcmp(param->name, name) == 0) {
        out->type = param->kind == FAL_PARAM_DURATION ? TL_TIME : TL_INTEGER;
        return true;
    }
    if (param == NULL && tl_path_variable(&(struct tl_path_known){0}, name, out))
        return true;
    if (n->unknown[0] == 0)
        (void)snprintf(n->unknown, sizeof n->unknown, "%s", name);
    return false;
}

static void say_unknown(struct names *n)
{
    const char *words[NAMES_MAX + 64], *near, *name = n->unknown;
    size_t num_params, count = 0;
    const struct fal_param *params = fal_param_table(&num_params);

    for (; count < n->count; count++)
        words[count] = n->bound[count].name;
    for (size_t i = 0; i < num_params && count < sizeof words / sizeof *words; i++)
        words[count++] = params[i].name;
    near = fal_nearest(name, words, count);
    if (near != NULL)
        complain(n, "$%s is not bound here; did you mean $%s?", name, near);
    else
        complain(
            n,
            "$%s is not bound here; bind it with vars, let or @%s before, or use a parameter",
            name, name);
}

/* The type of a variable or of the expression behind a hidden one; false after an error. */
static bool use(struct names *n, const char *name, enum tl_expr_type *type)
{
    const struct tl_expr *expr = tl_exprs_find(&n->reader->scenario->exprs, name);
    struct tl_expr_value value;
    struct fal_error err = {{0}};
    bool ok;

    n->unknown[0] = 0;
    if (expr == NULL) {
        ok = type_of(n, name, &value);
        *type = value.type;
    } else {
        ok = tl_expr_type(expr, type_of, n, type, &err) == 0;
    }
    if (!ok && n->unknown[0] != 0)
        say_unknown(n);
    else if (!ok)
        complain(n, "%s: %s", expr != NULL ? expr->text : name, err.text);
    return ok;
}

static void check_duration(struct names *n, const struct fal_duration *duration)
{
    enum tl_expr_type type;

    if (duration->var[0] != 0 && use(n, duration->var, &type) && type != TL_TIME)
        complain(n, "%s where a time is due; expected a unit: ns, us, ms or s",
                 tl_expr_type_name(type));
}

/* The type of a computed value. */
static enum tl_expr_type type_of_expr(struct names *n, const struct fal_duration *expr)
{
    enum tl_expr_type type = TL_TIME;

    if (expr->var[0] == 0 || !use(n, expr->var, &type))
        return TL_TIME;
    if (expr->op == '/' && !expr->percent && type == TL_TIME)
        return TL_TIME;
    return type;
}

static enum tl_expr_type check_value(struct names *n, const struct tl_value *value,
                                     enum tl_expr_type captured)
{
    enum tl_expr_type type;

    switch (value->kind) {
    case TL_VALUE_EXPR: return type_of_expr(n, &value->expr);
    case TL_VALUE_RELATIVE:
        if (value->expr.var[0] != 0 && use(n, value->expr.var, &type) && type != TL_INTEGER)
            complain(n, "%s where a number is due, before the r", tl_expr_type_name(type));
        return TL_SEQUENCE;
    case TL_VALUE_CAPTURE: bind(n, value->name, captured); break;
    case TL_VALUE_RANGE:
    case TL_VALUE_SET:
        for (size_t i = 0; i < value->num_items; i++)
            (void)check_value(n, &value->items[i], captured);
        break;
    case TL_VALUE_NUMBER:
    case TL_VALUE_ANY: break;
    }
    return TL_INTEGER;
}

static void check_assignments(struct names *n, const struct tl_assignment *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bind(n, list[i].name, check_value(n, &list[i].value, TL_INTEGER));
}

static bool is_sequence(const struct fal_field *field)
{
    return field->kind == FAL_PSN || field->kind == FAL_RSN;
}

static void check_term(struct names *n, const struct fal_pattern *pattern,
                       const struct fal_field *field, const struct fal_term *term)
{
    bool is_time = strcmp(field->name, "rnr_timeout") == 0;
    enum tl_expr_type type;

    switch (term->kind) {
    case FAL_TERM_RANGE:
    case FAL_TERM_SET:
        for (uint16_t i = 0; i < term->count; i++)
            check_term(n, pattern, field, &pattern->terms[term->first + i]);
        return;
    case FAL_TERM_CAPTURE:
        bind(n, term->var, is_sequence(field) ? TL_SEQUENCE : is_time ? TL_TIME : TL_INTEGER);
        return;
    case FAL_TERM_VAR: break;
    case FAL_TERM_NUMBER:
    case FAL_TERM_RELATIVE:
    case FAL_TERM_ANY:
    case FAL_TERM_DURATION: return;
    }
    if (!use(n, term->var, &type))
        return;
    if (type == TL_FRACTION || (type == TL_TIME && !is_time) ||
        (type == TL_SEQUENCE && term->relative))
        complain(n, "%s: %s where a number is due", field->name, tl_expr_type_name(type));
}

static void check_steer(struct names *n, const struct tl_steer *steer)
{
    const struct {
        bool has;
        const struct tl_value *value;
    } numbers[] = {{steer->has_hops, &steer->hops},
                   {steer->has_level, &steer->level},
                   {steer->has_marks, &steer->marks}};

    if (steer->has_hold)
        check_duration(n, &steer->hold);
    if (steer->has_delay)
        check_duration(n, &steer->delay);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].has)
            (void)check_value(n, numbers[i].value, TL_INTEGER);
}

static void check_entry(struct names *n, const struct tl_cc_fields *fields)
{
    for (size_t i = 0; i < fields->n; i++)
        (void)check_value(n, &fields->list[i].value, TL_INTEGER);
}

static void check_cc(struct names *n, const struct tl_cc_step *cc)
{
    check_entry(n, &cc->entry);
    check_entry(n, &cc->result.fields);
    (void)check_value(n, &cc->now_ticks, TL_INTEGER);
    (void)check_value(n, &cc->every, TL_INTEGER);
    (void)check_value(n, &cc->alpha, TL_INTEGER);
}

static void check_slots(struct names *n, const struct tl_word_slots *slots)
{
    for (size_t i = 0; i < slots->n; i++)
        (void)check_value(n, &slots->list[i].value, TL_INTEGER);
}

static void check_data(struct names *n, const struct tl_word_data *data)
{
    (void)check_value(n, &data->tag, TL_INTEGER);
    (void)check_value(n, &data->from, TL_INTEGER);
    (void)check_value(n, &data->length, TL_INTEGER);
}

static void check_word(struct names *n, const struct tl_word_step *step)
{
    check_slots(n, &step->slots);
    check_slots(n, &step->reply);
    check_data(n, &step->data);
    for (size_t i = 0; i < step->num_binds; i++)
        bind(n, step->binds[i].name, TL_INTEGER);
}

enum { DATA_TERMS = 3 }; /* of data=LEN@TAG+OFFSET */

static void check_pattern(struct names *n, const struct fal_pattern *pattern)
{
    static const struct fal_field data = {.name = "data", .kind = FAL_UINT};
    const struct fal_ulp_part *upper = &pattern->ulp;
    enum tl_expr_type type;

    for (size_t i = 0; i < pattern->num_items + upper->num_items; i++)
        check_term(n, pattern, pattern->items[i].field,
                   &pattern->terms[pattern->items[i].term]);
    for (uint16_t i = 0; upper->data && i < DATA_TERMS; i++)
        check_term(n, pattern, &data, &pattern->terms[upper->term + i]);
    if (pattern->payload_var[0] != 0 && use(n, pattern->payload_var, &type) &&
        type != TL_INTEGER)
        complain(n, "payload_len: %s where a number is due", tl_expr_type_name(type));
}

static void check_act_values(struct names *n, const struct tl_act_values *values)
{
    for (size_t i = 0; i < TL_ACT_MEMBERS; i++)
        if (values->given[i])
            (void)check_value(n, &values->values[i], TL_INTEGER);
}

static void check_policy(struct names *n, const struct tl_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        check_act_values(n, &policy->rules[i]);
}

static void check_params(struct names *n, const struct tl_param_setup *params, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)check_value(n, &params[i].value, TL_INTEGER);
}

static void check_event(struct names *n, const struct tl_event_pattern *pattern)
{
    for (size_t i = 0; i < TL_EVENT_MEMBERS; i++)
        if (pattern->given[i])
            (void)check_value(n, &pattern->values[i],
                              i == TL_EVENT_RSN ? TL_SEQUENCE : TL_INTEGER);
    if (pattern->entry != NULL)
        check_entry(n, &pattern->entry->fields);
    if (pattern->word != NULL) {
        check_slots(n, &pattern->word->slots);
        check_data(n, &pattern->word->data);
    }
}

static void check_conditions(struct names *n, const struct tl_condition *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum tl_expr_type a, b;
        struct fal_error err = {{0}};

        if (!list[i].compares)
            continue;
        n->unknown[0] = 0;
        if (tl_expr_type(&list[i].a, type_of, n, &a, &err) != 0 ||
            tl_expr_type(&list[i].b, type_of, n, &b, &err) != 0) {
            if (n->unknown[0] != 0)
                say_unknown(n);
            else
                complain(n, "%s", err.text);
        } else if (a != b && (a == TL_TIME || b == TL_TIME)) {
            complain(n, "%s cannot be compared with %s", tl_expr_type_name(a),
                     tl_expr_type_name(b));
        }
    }
}

static void check_measure(struct names *n, const struct tl_measure *m)
{
    if (m->what != NULL)
        check_pattern(n, m->what);
    if (m->of != NULL)
        check_pattern(n, m->of);
    check_event(n, &m->event);
    if (m->kind != TL_WORKLOAD)
        (void)check_value(n, &m->is, m->kind == TL_STATE ? TL_SEQUENCE : TL_INTEGER);
}

static void check_malform(struct names *n, const struct tl_malform *m)
{
    if (m == NULL)
        return;
    (void)check_value(n, &m->truncate, TL_INTEGER);
    (void)check_value(n, &m->pad, TL_INTEGER);
    (void)check_value(n, &m->flip, TL_INTEGER);
}

/* $spi is known where a packet is sealed. */
static void check_seal(struct names *n, const struct tl_seal_setup *seal)
{
    size_t before = n->count;

    if (seal == NULL)
        return;
    bind(n, "spi", TL_INTEGER);
    (void)check_value(n, &seal->spi, TL_INTEGER);
    (void)check_value(n, &seal->vc, TL_INTEGER);
    if (seal->has_older)
        check_duration(n, &seal->older);
    if (seal->has_behind)
        check_duration(n, &seal->behind);
    if (seal->has_ahead)
        check_duration(n, &seal->ahead);
    n->count = before;
}

static void check_reaction(struct names *n, const struct tl_reaction *rule)
{
    if (rule->pattern != NULL)
        check_pattern(n, rule->pattern);
    if (rule->rewrite != NULL)
        check_pattern(n, rule->rewrite);
    check_event(n, &rule->event);
    (void)check_value(n, &rule->nth, TL_INTEGER);
    (void)check_value(n, &rule->times, TL_INTEGER);
    (void)check_value(n, &rule->by, TL_INTEGER);
    check_duration(n, &rule->delay);
}

static void check_range(struct names *n, size_t first, size_t end);

/* A name is bound after the alternatives only if each of them binds it. */
static void check_alt(struct names *n, const struct tl_step *step)
{
    struct names first_bound = {0};
    size_t before = n->count;

    for (size_t i = 0; i < step->u.block.count; i++) {
        size_t end =
            i + 1 < step->u.block.count ? step->u.block.heads[i + 1] : step->u.block.end;

        n->count = before;
        check_range(n, step->u.block.heads[i], end);
        if (i == 0) {
            memcpy(first_bound.bound, n->bound, sizeof n->bound);
            first_bound.count = n->count;
            continue;
        }
        for (size_t k = before; k < first_bound.count;) {
            size_t m = before;

            while (m < n->count && strcmp(n->bound[m].name, first_bound.bound[k].name) != 0)
                m++;
            if (m < n->count)
                k++;
            else
                first_bound.bound[k] = first_bound.bound[--first_bound.count];
        }
    }
    memcpy(n->bound, first_bound.bound, sizeof n->bound);
    n->count = first_bound.count;
}

static void check_step(struct names *n, const struct tl_step *step)
{
    if (step->time != FAL_TIME_NONE)
        check_duration(n, &step->from);
    if (step->time == FAL_TIME_RANGE)
        check_duration(n, &step->to);
    switch (step->verb) {
    case TL_SEND:
        check_pattern(n, step->u.send.pattern);
        check_malform(n, step->u.send.malform);
        check_seal(n, step->u.send.seal);
        if (step->u.send.ip != NULL) {
            (void)check_value(n, &step->u.send.ip->ttl, TL_INTEGER);
            (void)check_value(n, &step->u.send.ip->ecn, TL_INTEGER);
        }
        break;
    case TL_EXPECT:
    case TL_EXPECT_NONE:
        for (size_t i = 0; i < step->u.expect.count; i++)
            check_pattern(n, step->u.expect.any_of[i]);
        break;
    case TL_ULP:
        check_act_values(n, &step->u.ulp.act->values);
        check_policy(n, &step->u.ulp.act->policy);
        check_params(n, step->u.ulp.act->params, step->u.ulp.act->num_params);
        break;
    case TL_EXPECT_ULP:
    case TL_EXPECT_NO_EVENT: check_event(n, step->u.expect_ulp.pattern); break;
    case TL_LET: check_assignments(n, step->u.let.list, step->u.let.count); break;
    case TL_MEASURE:
    case TL_AWAIT: check_measure(n, step->u.measure); break;
    case TL_UNTIL_QUIET: check_duration(n, &step->to); break;
    case TL_ACKS: check_steer(n, step->u.steer); break;
    case TL_CC: check_cc(n, step->u.cc); break;
    case TL_WORD: check_word(n, step->u.word); break;
    case TL_ON: check_reaction(n, step->u.on.rule); break;
    case TL_IF: check_conditions(n, step->u.cond.list, step->u.cond.count); break;
    case TL_REPEAT:
        (void)check_value(n, &step->u.repeat.count, TL_INTEGER);
        if (step->u.repeat.as[0] != 0)
            bind(n, step->u.repeat.as, TL_INTEGER);
        break;
    case TL_WAIT:
    case TL_NOTE:
    case TL_ANY_ORDER:
    case TL_ALT:
    case TL_OFF:
    case TL_RELEASE:
    case TL_JUMP:
    case TL_REPEAT_END: break;
    }
}

static void check_range(struct names *n, size_t first, size_t end)
{
    const struct tl_scenario *s = n->reader->scenario;
    size_t i = first;

    while (i < end) {
        const struct tl_step *step = &s->steps[i];
        size_t before = n->count;

        n->at = step->at;
        n->where = step->where;
        n->is_member = false;
        check_step(n, step);
        i++;
        if (step->verb == TL_ALT) {
            check_alt(n, step);
            i = step->u.block.end;
        } else if (step->verb == TL_IF) {
            size_t then_end = step->u.cond.otherwise;

            check_range(n, i, then_end);
            n->count = before; /* it may not have been played */
            i = then_end;
        } else if (step->verb == TL_ON) {
            check_range(n, i, step->u.on.end);
            n->count = before;
            i = step->u.on.end;
        }
    }
}

static void check_streams(struct names *n, const struct tl_scenario *s)
{
    for (size_t i = 0; i < s->num_streams; i++) {
        const struct tl_stream *stream = &s->streams[i];

        (void)check_value(n, &stream->count, TL_INTEGER);
        (void)check_value(n, &stream->length, TL_INTEGER);
        (void)check_value(n, &stream->outstanding, TL_INTEGER);
        (void)check_value(n, &stream->pulls, TL_INTEGER);
        check_duration(n, &stream->think_from);
        check_duration(n, &stream->think_to);
        check_duration(n, &stream->within);
    }
}

static void check_paths(struct names *n, const struct tl_scenario *s)
{
    for (int dir = 0; dir < 2; dir++) {
        const struct tl_path_faults *path = &s->ways[dir];

        for (int c = 0; c < TL_CHANCES; c++)
            if (path->given[c] && type_of_expr(n, &path->chance[c].expr) != TL_FRACTION)
                complain(n, "expected a share: \"1%%\", \"0.01\"");
        check_duration(n, &path->latency);
        check_duration(n, &path->jitter);
        check_duration(n, &path->reorder_by);
    }
}

static void look_at(struct names *n, const char *key)
{
    n->where = key;
    n->is_member = true;
}

/* How a connection is set up, and its traffic. */
static void check_setup(struct names *n, const struct tl_scenario *s)
{
    look_at(n, "connection");
    check_params(n, s->params, s->num_params);
    look_at(n, "policy");
    check_policy(n, &s->policy);
    look_at(n, "workload");
    check_streams(n, s);
    look_at(n, "impair");
    check_paths(n, s);
}

void tl_names_check(struct tl_reader *r)
{
    const struct tl_scenario *s = r->scenario;
    struct names names = {.reader = r};

    if (s->copies > 0 || s->num_conns > 0) {
        bind(&names, "copy", TL_INTEGER);
        bind(&names, "copies", TL_INTEGER);
        bind(&names, "other_cid", TL_INTEGER);
    }
    look_at(&names, "vars");
    check_assignments(&names, s->vars, s->num_vars);
    check_setup(&names, s);
    for (unsigned i = 0; i < s->num_conns; i++)
        check_setup(&names, s->conns[i]);
    check_range(&names, 0, s->num_steps);
}
