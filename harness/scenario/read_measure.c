/* SPDX-License-Identifier: Apache-2.0
 * read_measure.c - reads what can be counted or compared: counts and shares of packets,
 * states, conditions; and traffic that is generated or impaired, whose figures are shares. */
#include "harness/scenario/reader.h"

#include <stdio.h>
#include <string.h>

static const char *const states[] = {"tx_rbpsn",      "tx_rnpsn", "tx_dbpsn", "tx_dnpsn",
                                     "rx_rbpsn",      "rx_dbpsn", "own",      "open_initiated",
                                     "open_received", "quiet",    "path"};

static const struct fal_pattern *counted(struct tl_reader *r, const struct tl_path *at,
                                         json_t *value, const char *key, struct tl_measure *m)
{
    struct tl_path here = {.up = at, .key = key};
    json_t *packet = json_object_get(value, key);

    if (packet == NULL)
        return NULL;
    return tl_read_pattern(r, &here, packet, &m->dir);
}

struct tl_measure *tl_read_measure(struct tl_reader *r, const struct tl_path *at, json_t *value,
                                   struct tl_step_draft *d)
{
    struct tl_measure *m = fal_arena_alloc(&r->scenario->arena, 1, sizeof *m);
    struct tl_path is = {.up = at, .key = "is"}, events = {.up = at, .key = "events"};
    struct tl_path since = {.up = at, .key = "since"};
    const char *state = json_string_value(json_object_get(value, "state"));
    const char *side = json_string_value(json_object_get(value, "side"));

    if (m == NULL) {
        r->no_memory = true;
        return NULL;
    }
    m->dir = FAL_FROM_SUT;
    m->since = d->since != NULL ? tl_find_step(r, &since, d->since) : -1;
    m->side = side != NULL && strcmp(side, "tester") == 0 ? TL_SIDE_TESTER : d->side;
    tl_step_say_times(d);
    tl_step_say(d, "%s", at->key);
    if (json_is_string(value)) {
        m->kind = TL_WORKLOAD;
        tl_step_say_words(d, " workload", " workload");
        return m;
    }
    tl_step_describe(d, value);
    if (json_object_get(value, "share") != NULL) {
        m->kind = TL_SHARE;
        m->what = counted(r, at, value, "share", m);
        m->of = counted(r, at, value, "of", m);
    } else if (json_object_get(value, "count") != NULL) {
        m->kind = TL_COUNT;
        m->what = counted(r, at, value, "count", m);
    } else if (state != NULL) {
        m->kind = TL_STATE;
        while (strcmp(states[m->state], state) != 0)
            m->state++;
    } else {
        m->kind = TL_EVENTS;
        tl_read_event_pattern(r, &events, json_object_get(value, "events"), &m->event);
    }
    (void)tl_read_value(r, &is, json_object_get(value, "is"), NULL, &m->is);
    return m;
}

/* ---- conditions ---- */

static void read_condition(struct tl_reader *r, const struct tl_path *at, const char *text,
                           struct tl_condition *out)
{
    static const struct {
        const char *text;
        enum tl_comparison op;
    } ops[] = {{"==", TL_EQ}, {"!=", TL_NE}, {"<=", TL_LE},
               {">=", TL_GE}, {"<", TL_LT},  {">", TL_GT}};
    struct fal_error err = {{0}};
    const char *c = text;
    int rc;

    if (strchr(text, '$') == NULL) {
        if (tl_ics_condition_read(text, &out->ics, &err) != 0)
            tl_reader_error(r, at, "%s", err.text);
        return;
    }
    out->compares = true;
    rc = tl_expr_parse(&c, &r->scenario->arena, &out->a, &err);
    c += strspn(c, " ");
    for (size_t i = 0; rc == 0 && i < sizeof ops / sizeof *ops; i++) {
        if (strncmp(c, ops[i].text, strlen(ops[i].text)) != 0)
            continue;
        out->op = ops[i].op;
        rc = tl_expr_parse_all(c + strlen(ops[i].text), &r->scenario->arena, &out->b, &err);
        break;
    }
    r->no_memory |= rc == FAL_ERR_MEM;
    if (rc != 0)
        tl_reader_error(r, at, "%s", err.text);
    else if (out->b.count == 0)
        tl_reader_error(r, at, "expected ==, !=, <, <=, > or >= and a second value");
}

void tl_read_conditions(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct tl_condition **list, size_t *count)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 1;

    *list = fal_arena_alloc(&r->scenario->arena, n + 1, sizeof **list);
    if (*list == NULL) {
        r->no_memory = true;
        return;
    }
    *count = n;
    for (size_t i = 0; i < n; i++) {
        struct tl_path element = {.up = at, .index = i};

        if (json_is_array(value))
            read_condition(r, &element, json_string_value(json_array_get(value, i)),
                           &(*list)[i]);
        else
            read_condition(r, at, json_string_value(value), &(*list)[i]);
    }
}

/* ---- impair ---- */

static void read_chance(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const char *const names[TL_CHANCES] = {"loss", "duplicate", "reorder"};
    struct tl_path_faults *path = ctx;
    int i = 0;

    while (i + 1 < TL_CHANCES && strcmp(names[i], at->key) != 0)
        i++;
    path->given[i] = tl_read_value(r, at, value, NULL, &path->chance[i]);
    if (path->given[i] && (path->chance[i].negated || path->chance[i].kind != TL_VALUE_EXPR))
        tl_reader_error(r, at, "expected a share: \"1%%\", \"0.01\"");
}

static void read_path_time(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           void *ctx)
{
    struct tl_path_faults *path = ctx;

    (void)tl_read_duration(r, at, value,
                           strcmp(at->key, "latency") == 0  ? &path->latency
                           : strcmp(at->key, "jitter") == 0 ? &path->jitter
                                                            : &path->reorder_by);
}

void tl_read_impair(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const struct tl_key members[] = {
        {"loss", read_chance},       {"duplicate", read_chance}, {"reorder", read_chance},
        {"latency", read_path_time}, {"jitter", read_path_time}, {"reorder_by", read_path_time},
    };
    static const char *const ways[] = {"to_sut", "from_sut"};
    struct tl_scenario *s = ctx;

    for (int dir = FAL_TO_SUT; dir <= FAL_FROM_SUT; dir++) {
        struct tl_path here = {.up = at, .key = ways[dir]};
        json_t *path = json_object_get(value, ways[dir]);

        s->ways[dir].reorder_by.ns = 20 * FAL_US;
        if (path == NULL)
            continue;
        s->impaired = true;
        tl_read_object(r, &here, path, members, sizeof members / sizeof *members,
                       &s->ways[dir]);
    }
}

/* ---- workload ---- */

static void read_think(struct tl_reader *r, const struct tl_path *at, json_t *value,
                       struct tl_stream *stream)
{
    const char *text = json_string_value(value), *dots = strstr(text, "..");
    char from[200];
    struct fal_error err = {{0}};
    int rc;

    if (strlen(text) >= sizeof from) {
        tl_reader_error(r, at, "too long for a range of times");
        return;
    }
    memcpy(from, text, strlen(text) + 1);
    if (dots != NULL)
        from[dots - text] = 0;
    rc = tl_duration_parse(from, &r->scenario->arena, &r->scenario->exprs, &stream->think_from,
                           &err);
    stream->think_to = stream->think_from;
    if (rc == 0 && dots != NULL)
        rc = tl_duration_parse(dots + 2, &r->scenario->arena, &r->scenario->exprs,
                               &stream->think_to, &err);
    if (rc != 0)
        tl_reader_error(r, at, "%s", err.text);
}

static void read_stream_value(struct tl_reader *r, const struct tl_path *at, json_t *value,
                              void *ctx)
{
    struct tl_stream *stream = ctx;
    bool is_length = strcmp(at->key, "length") == 0;
    struct tl_value *out = strcmp(at->key, "count") == 0   ? &stream->count
                           : is_length                     ? &stream->length
                           : strcmp(at->key, "pulls") == 0 ? &stream->pulls
                                                           : &stream->outstanding;

    if (!tl_read_value(r, at, value, NULL, out))
        return;
    if (out->negated || out->kind == TL_VALUE_ANY || out->kind == TL_VALUE_CAPTURE ||
        out->kind == TL_VALUE_RELATIVE ||
        (!is_length && out->kind != TL_VALUE_NUMBER && out->kind != TL_VALUE_EXPR))
        tl_reader_error(
            r, at, is_length ? "expected a value, a range or a set" : "expected one value");
}

void tl_read_workload(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx)
{
    static const struct tl_key members[] = {{"count", read_stream_value},
                                            {"length", read_stream_value},
                                            {"pulls", read_stream_value},
                                            {"outstanding", read_stream_value}};
    struct tl_scenario *s = ctx;
    size_t i;
    json_t *item;

    json_array_foreach(value, i, item)
    {
        struct tl_path here = {.up = at, .index = i};
        struct tl_path think = {.up = &here, .key = "think"};
        struct tl_path within = {.up = &here, .key = "within"};
        struct tl_stream *stream = &s->streams[s->num_streams++];
        const char *side = json_string_value(json_object_get(item, "side"));

        stream->side =
            side != NULL && strcmp(side, "tester") == 0 ? TL_SIDE_TESTER : TL_SIDE_SUT;
        stream->length = (struct tl_value){.kind = TL_VALUE_NUMBER, .number = 64};
        stream->outstanding = (struct tl_value){.kind = TL_VALUE_NUMBER, .number = 16};
        stream->within.ns = FAL_S;
        stream->optional = json_is_false(json_object_get(item, "complete"));
        tl_read_object(r, &here, item, members, sizeof members / sizeof *members, stream);
        if (json_object_get(item, "think") != NULL)
            read_think(r, &think, json_object_get(item, "think"), stream);
        if (json_object_get(item, "within") != NULL)
            (void)tl_read_duration(r, &within, json_object_get(item, "within"),
                                   &stream->within);
    }
}
