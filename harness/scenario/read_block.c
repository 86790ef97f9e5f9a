/* SPDX-License-Identifier: Apache-2.0
 * read_block.c - steps made of steps: any_order, alt, repeat, if, use, on. They are laid
 * flat: a header, then what is inside, with the places to jump to. */
#include "harness/scenario/reader.h"

#include "codecs/base/nearest.h"

#include <stdio.h>
#include <string.h>

static bool is_head(const struct tl_step *step, bool may_wait)
{
    return step->verb == TL_EXPECT || step->verb == TL_EXPECT_ULP ||
           (may_wait && step->verb == TL_WAIT);
}

/* Room for the first steps of n parts; NULL after an error. */
static size_t *make_heads(struct tl_reader *r, const struct tl_path *at, size_t n)
{
    size_t *heads;

    if (n > TL_BRANCHES_MAX) {
        tl_reader_error(r, at, "%zu of them; at most %d", n, TL_BRANCHES_MAX);
        return NULL;
    }
    heads = fal_arena_alloc(&r->scenario->arena, n, sizeof *heads);
    r->no_memory |= heads == NULL;
    return heads;
}

/* Adds a step that begins a block. `keyword` is its text and its code; NULL: they are in `d`.
 */
static size_t add_header(struct tl_reader *r, struct tl_step_draft *d, enum tl_verb verb,
                         const char *keyword)
{
    if (keyword != NULL) {
        d->text[0] = d->code[0] = 0;
        d->text_len = d->code_len = 0;
        tl_step_say_words(d, keyword, keyword);
    }
    d->step.verb = verb;
    tl_step_keep_words(r, d);
    return tl_add_step(r, &d->step);
}

/* Nothing has been wrong since. */
static bool is_sound(const struct tl_reader *r, size_t before)
{
    return r->num_errors == before && r->num_errors < TL_ERRORS_MAX && !r->no_memory;
}

static void read_any_order(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_step_draft *d)
{
    const size_t before = r->num_errors;
    size_t n = json_array_size(value), header, first;
    size_t *heads = make_heads(r, at, n);

    if (heads == NULL)
        return;
    header = add_header(r, d, TL_ANY_ORDER, "any_order");
    first = r->num_steps;
    tl_read_steps(r, at, value, true);
    if (!is_sound(r, before))
        return;
    for (size_t i = 0; i < n; i++) {
        struct tl_path here = {.up = at, .index = i};

        heads[i] = first + i;
        if (first + i >= r->num_steps || !is_head(&r->steps[first + i], false)) {
            tl_reader_error(r, &here, "expected expect, expect_ulp or expect_cm");
            return;
        }
    }
    r->steps[header].u.block.heads = heads;
    r->steps[header].u.block.count = n;
    r->steps[header].u.block.end = r->num_steps;
}

static void read_alt(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     struct tl_step_draft *d)
{
    const size_t before = r->num_errors;
    size_t n = json_array_size(value), header, waits = 0;
    size_t *heads = make_heads(r, at, n), jumps[TL_BRANCHES_MAX];
    const struct tl_step jump = {.verb = TL_JUMP,
                                 .text = "",
                                 .code = "",
                                 .anchor = -1,
                                 .at = d->step.at,
                                 .where = d->step.where};

    if (heads == NULL)
        return;
    header = add_header(r, d, TL_ALT, "alt");
    for (size_t i = 0; i < n; i++) {
        struct tl_path here = {.up = at, .index = i};

        heads[i] = r->num_steps;
        tl_read_steps(r, &here, json_array_get(value, i), true);
        if (is_sound(r, before) &&
            (heads[i] >= r->num_steps || !is_head(&r->steps[heads[i]], true)))
            tl_reader_error(
                r, &here,
                "begins with no expect, expect_ulp, expect_cm or wait: nothing says when it is the one");
        if (is_sound(r, before))
            waits += r->steps[heads[i]].verb == TL_WAIT;
        jumps[i] = tl_add_step(r, &jump);
    }
    if (waits > 1)
        tl_reader_error(r, at, "only one alternative can be that nothing came");
    if (!is_sound(r, before))
        return;
    for (size_t i = 0; i < n; i++)
        r->steps[jumps[i]].u.jump = r->num_steps;
    r->steps[header].u.block.heads = heads;
    r->steps[header].u.block.count = n;
    r->steps[header].u.block.end = r->num_steps;
}

static void read_repeat(struct tl_reader *r, const struct tl_path *at, json_t *step,
                        struct tl_step_draft *d)
{
    struct tl_path count_at = {.up = at, .key = "repeat"}, as_at = {.up = at, .key = "as"};
    struct tl_path steps = {.up = at, .key = "steps"};
    const char *as = json_string_value(json_object_get(step, "as"));
    struct tl_step end = {.verb = TL_REPEAT_END,
                          .text = "",
                          .code = "",
                          .anchor = -1,
                          .at = d->step.at,
                          .where = d->step.where};
    char text[60];
    const size_t before = r->num_errors;
    size_t header;

    if (!tl_read_value(r, &count_at, json_object_get(step, "repeat"), NULL,
                       &d->step.u.repeat.count))
        return;
    if (d->step.u.repeat.count.negated || (d->step.u.repeat.count.kind != TL_VALUE_NUMBER &&
                                           d->step.u.repeat.count.kind != TL_VALUE_EXPR))
        tl_reader_error(r, &count_at, "expected one number");
    if (d->step.u.repeat.count.kind == TL_VALUE_NUMBER &&
        d->step.u.repeat.count.number > 100000)
        tl_reader_error(r, &count_at, "at most 100000 times");
    if (as != NULL &&
        (strlen(as) >= FAL_VAR_MAX || as[0] == '_' ||
         strspn(as, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") !=
             strlen(as)))
        tl_reader_error(r, &as_at, "no name for a variable");
    else if (as != NULL)
        memcpy(d->step.u.repeat.as, as, strlen(as) + 1);
    if (r->loops == TL_LOOPS_MAX) {
        tl_reader_error(r, at, "repeats more than %d deep", TL_LOOPS_MAX);
        return;
    }
    d->step.u.repeat.depth = r->loops++;
    (void)snprintf(text, sizeof text, "repeat%s%.32s", as != NULL ? " as " : "",
                   as != NULL ? as : "");
    end.u.repeat.depth = d->step.u.repeat.depth;
    header = add_header(r, d, TL_REPEAT, text);
    tl_read_steps(r, &steps, json_object_get(step, "steps"), true);
    end.u.repeat.end = header;
    (void)tl_add_step(r, &end);
    r->loops--;
    if (is_sound(r, before))
        r->steps[header].u.repeat.end = r->num_steps;
}

static void read_if(struct tl_reader *r, const struct tl_path *at, json_t *step,
                    struct tl_step_draft *d)
{
    struct tl_path cond = {.up = at, .key = "if"}, then = {.up = at, .key = "then"};
    struct tl_path other = {.up = at, .key = "else"};
    const struct tl_step jump = {.verb = TL_JUMP,
                                 .text = "",
                                 .code = "",
                                 .anchor = -1,
                                 .at = d->step.at,
                                 .where = d->step.where};
    json_t *otherwise = json_object_get(step, "else");
    const size_t before = r->num_errors;
    size_t header, over = 0;

    tl_read_conditions(r, &cond, json_object_get(step, "if"), &d->step.u.cond.list,
                       &d->step.u.cond.count);
    header = add_header(r, d, TL_IF, "if");
    tl_read_steps(r, &then, json_object_get(step, "then"), true);
    if (otherwise != NULL)
        over = tl_add_step(r, &jump);
    if (is_sound(r, before))
        r->steps[header].u.cond.otherwise = r->num_steps;
    if (otherwise != NULL)
        tl_read_steps(r, &other, otherwise, true);
    if (otherwise != NULL && is_sound(r, before))
        r->steps[over].u.jump = r->num_steps;
}

/* ---- fragments ---- */

static void unknown_fragment(struct tl_reader *r, const struct tl_path *at, json_t *fragments,
                             const char *name)
{
    const char *names[64], *key, *near;
    json_t *value;
    size_t n = 0;

    json_object_foreach(fragments, key, value) if (n < 64) names[n++] = key;
    near = fal_nearest(name, names, n);
    if (near != NULL)
        tl_reader_error(r, at, "no fragment '%s'; did you mean '%s'?", name, near);
    else
        tl_reader_error(r, at, "no fragment '%s' in this file", name);
}

static bool uses_itself(struct tl_reader *r, const struct tl_path *at, const char *name)
{
    char chain[300] = "";
    size_t len = 0;

    for (size_t i = 0; i < r->num_using; i++) {
        if (len == 0 && strcmp(r->using[i], name) != 0)
            continue;
        len += (size_t)snprintf(chain + len, len < sizeof chain ? sizeof chain - len : 0,
                                "%s uses ", r->using[i]);
        if (len >= sizeof chain)
            len = sizeof chain - 1;
    }
    if (len > 0)
        tl_reader_error(r, at, "a fragment inside itself: %s%s", chain, name);
    else if (r->num_using == TL_NESTED_MAX)
        tl_reader_error(r, at, "fragments more than %d deep", TL_NESTED_MAX);
    return len > 0 || r->num_using == TL_NESTED_MAX;
}

/* Checks that `with` gives the parameters that the fragment needs, and returns the texts that
 * replace "${name}". NULL after an error. */
static json_t *arguments(struct tl_reader *r, const struct tl_path *at, json_t *fragment,
                         json_t *with)
{
    struct tl_path with_at = {.up = at, .key = "with"};
    json_t *params = json_object_get(fragment, "params"), *out = json_object(), *item;
    const char *key;
    size_t i;
    bool ok = out != NULL;

    r->no_memory |= out == NULL;
    json_array_foreach(params, i,
                       item) if (json_object_get(with, json_string_value(item)) == NULL)
    {
        tl_reader_error(r, at, "the fragment needs \"%s\" in \"with\"",
                        json_string_value(item));
        ok = false;
    }
    json_object_foreach(with, key, item)
    {
        bool asked = false;
        struct tl_path here = {.up = &with_at, .key = key};
        size_t k;
        json_t *param;

        json_array_foreach(params, k, param) asked |=
            strcmp(json_string_value(param), key) == 0;
        if (!asked) {
            tl_reader_error(r, &here, "the fragment has no such parameter");
            ok = false;
        }
        if (json_object_set_new(out, key, tl_expansion(item)) != 0)
            r->no_memory = true;
    }
    if (ok)
        return out;
    json_decref(out);
    return NULL;
}

/* Those of `with` that are numbers or times are variables, too: a `let` in front. */
static void bind_arguments(struct tl_reader *r, const struct tl_path *at, json_t *with,
                           struct tl_step_draft *d)
{
    struct tl_path here = {.up = at, .key = "with"};
    json_t *values = json_object(), *item;
    const char *key;

    json_object_foreach(with, key, item)
    {
        struct tl_value probe;

        if (json_is_string(item) &&
            (tl_value_parse(json_string_value(item), NULL, &r->scenario->arena,
                            &r->scenario->exprs, &probe, NULL) != 0 ||
             probe.negated || (probe.kind != TL_VALUE_NUMBER && probe.kind != TL_VALUE_EXPR)))
            continue;
        if (json_object_set(values, key, item) != 0)
            r->no_memory = true;
    }
    tl_read_assignments(r, &here, values, &d->step.u.let.list, &d->step.u.let.count);
    json_decref(values);
    (void)add_header(r, d, TL_LET, "let");
}

static void read_use(struct tl_reader *r, const struct tl_path *at, json_t *step,
                     struct tl_step_draft *d)
{
    const char *name = json_string_value(json_object_get(step, "use"));
    json_t *fragments = json_object_get(r->document, "fragments"), *texts, *steps;
    json_t *fragment = json_object_get(fragments, name), *with = json_object_get(step, "with");
    struct tl_path use = {.up = at, .key = "use"}, root = {0};
    struct tl_path all = {.up = &root, .key = "fragments"}, one = {.up = &all, .key = name};
    struct tl_path steps_at = {.up = &one, .key = "steps"};

    if (fragment == NULL) {
        unknown_fragment(r, &use, fragments, name);
        return;
    }
    if (uses_itself(r, &use, name))
        return;
    texts = arguments(r, at, fragment, with);
    if (texts == NULL)
        return;
    steps = tl_expand_document(json_object_get(fragment, "steps"), texts);
    json_decref(texts);
    if (steps == NULL) {
        r->no_memory = true;
        return;
    }
    if (json_object_size(with) > 0)
        bind_arguments(r, at, with, d);
    r->using[r->num_using++] = name;
    tl_read_steps(r, &steps_at, steps, true);
    r->num_using--;
    json_decref(steps);
}

/* ---- on ---- */

static bool one_number(struct tl_reader *r, const struct tl_path *at, json_t *object,
                       const char *key, uint64_t otherwise, struct tl_value *out)
{
    struct tl_path here = {.up = at, .key = key};
    json_t *value = json_object_get(object, key);

    *out = (struct tl_value){.kind = TL_VALUE_NUMBER, .number = otherwise};
    if (value == NULL)
        return true;
    if (!tl_read_value(r, &here, value, NULL, out))
        return false;
    if (!out->negated && (out->kind == TL_VALUE_NUMBER || out->kind == TL_VALUE_EXPR))
        return true;
    tl_reader_error(r, &here, "expected one number");
    return false;
}

static void read_rewrite(struct tl_reader *r, const struct tl_path *at, json_t *object,
                         struct tl_reaction *rule)
{
    struct tl_path here = {.up = at, .key = "set"};
    json_t *set = json_object_get(object, "set"), *line;
    enum fal_dir dir = FAL_FROM_SUT;

    if (rule->fate != TL_FATE_REWRITE) {
        if (set != NULL)
            tl_reader_error(r, &here, "goes with \"do\": \"rewrite\"");
        return;
    }
    if (set == NULL || rule->is_event || rule->pattern->layout == NULL) {
        tl_reader_error(r, at,
                        "rewrite needs \"set\": {field: value}, and packets of one type");
        return;
    }
    line = json_copy(set);
    if (line == NULL ||
        json_object_set_new(line, "packet_type", json_string(rule->pattern->layout->name)) != 0)
        r->no_memory = true;
    else
        rule->rewrite = tl_read_pattern(r, &here, line, &dir);
    json_decref(line);
}

static bool read_trigger(struct tl_reader *r, const struct tl_path *at, json_t *object,
                         struct tl_reaction *rule)
{
    struct tl_path here = {.up = at, .key = "on"};
    json_t *on = json_object_get(object, "on");
    int dir = -1;
    enum fal_dir read = FAL_FROM_SUT;

    if (json_is_object(on)) {
        rule->is_event = true;
        tl_read_event_pattern(r, &here, on, &rule->event);
        return true;
    }
    for (const char *c = json_string_value(on); *c == ' ' || *c == '<' || *c == '>'; c++)
        dir = *c == '>' ? FAL_TO_SUT : *c == '<' ? FAL_FROM_SUT : dir;
    rule->pattern = tl_read_pattern(r, &here, on, &read);
    if (rule->pattern == NULL)
        return false;
    if (dir < 0 || rule->pattern->hex_len > 0) {
        tl_reader_error(
            r, &here,
            "expected '<' (what the tester's endpoint hears) or '>' (what it sends) before a packet's type");
        return false;
    }
    rule->dir = (enum fal_dir)dir;
    return true;
}

void tl_read_reaction(struct tl_reader *r, const struct tl_path *at, json_t *object,
                      struct tl_step_draft *d)
{
    static const char *const fates[] = {"drop",    "delay",   "duplicate",
                                        "reorder", "rewrite", "withhold",
                                        "corrupt", "mark",    "pass"};
    struct tl_reaction *rule = fal_arena_alloc(&r->scenario->arena, 1, sizeof *rule);
    struct tl_path delay = {.up = at, .key = "delay"}, steps = {.up = at, .key = "steps"};
    const char *fate = json_string_value(json_object_get(object, "do"));
    bool was = r->in_reaction;
    const size_t before = r->num_errors;
    size_t header;

    if (rule == NULL) {
        r->no_memory = true;
        return;
    }
    rule->fate = TL_FATE_PASS;
    for (int i = 0; fate != NULL && i <= TL_FATE_PASS; i++)
        if (strcmp(fates[i], fate) == 0)
            rule->fate = (enum tl_fate)i;
    rule->name = d->step.name;
    rule->side = d->side;
    d->step.name = NULL;
    if (!read_trigger(r, at, object, rule) ||
        !one_number(r, at, object, "nth", 1, &rule->nth) ||
        !one_number(r, at, object, "times", 1, &rule->times) ||
        !one_number(r, at, object, "by", 1, &rule->by))
        return;
    if (json_object_get(object, "delay") != NULL)
        (void)tl_read_duration(r, &delay, json_object_get(object, "delay"), &rule->delay);
    else if (rule->fate == TL_FATE_DELAY)
        tl_reader_error(r, at, "\"delay\" is missing: how long it is held back");
    if (rule->is_event && rule->fate != TL_FATE_PASS)
        tl_reader_error(r, at, "an event cannot be kept from happening; it can have steps");
    if (rule->fate == TL_FATE_PASS && json_object_get(object, "steps") == NULL)
        tl_reader_error(r, at, "nothing happens: expected \"do\" or \"steps\"");
    read_rewrite(r, at, object, rule);
    d->step.u.on.rule = rule;
    tl_step_say(d, "on %s %s",
                json_is_string(json_object_get(object, "on"))
                    ? json_string_value(json_object_get(object, "on"))
                    : "event",
                fates[rule->fate]);
    header = add_header(r, d, TL_ON, NULL);
    rule->first = r->num_steps;
    r->in_reaction = true;
    if (json_object_get(object, "steps") != NULL)
        tl_read_steps(r, &steps, json_object_get(object, "steps"), true);
    r->in_reaction = was;
    rule->end = r->num_steps;
    if (is_sound(r, before))
        r->steps[header].u.on.end = r->num_steps;
}

void tl_read_block(struct tl_reader *r, const struct tl_path *at, json_t *step,
                   const char *verb, struct tl_step_draft *d)
{
    struct tl_path here = {.up = at, .key = verb};

    if (r->in_reaction) {
        tl_reader_error(
            r, at,
            "takes time; what is played at once can send, ulp, cm, let, note, release, off");
        return;
    }
    if (r->depth == TL_NESTED_MAX) {
        tl_reader_error(r, at, "steps more than %d deep in steps", TL_NESTED_MAX);
        return;
    }
    r->depth++;
    if (strcmp(verb, "any_order") == 0)
        read_any_order(r, &here, json_object_get(step, verb), d);
    else if (strcmp(verb, "alt") == 0)
        read_alt(r, &here, json_object_get(step, verb), d);
    else if (strcmp(verb, "repeat") == 0)
        read_repeat(r, at, step, d);
    else if (strcmp(verb, "if") == 0)
        read_if(r, at, step, d);
    else if (strcmp(verb, "use") == 0)
        read_use(r, at, step, d);
    else
        tl_read_reaction(r, at, step, d);
    r->depth--;
}
