/* SPDX-License-Identifier: Apache-2.0
 * read_connections.c - several connections in one file: their names, how each is set up, and
 * which steps they may play together. */
#include "harness/scenario/reader.h"

#include "codecs/base/nearest.h"

#include <stdio.h>
#include <string.h>

static json_t *written_connections(const struct tl_reader *r)
{
    return json_object_get(r->document, "connections");
}

/* Names stand before lines and in variables, so they are words. */
static bool is_name(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z' && strlen(name) < FAL_VAR_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

void tl_read_connection_names(struct tl_reader *r)
{
    struct tl_path root = {0}, at = {.up = &root, .key = "connections"};
    struct tl_scenario *s = r->scenario;
    json_t *list = written_connections(r), *item;
    const char *key;

    r->conn = 0;
    if (!json_is_object(list))
        return;
    if (json_object_size(list) < 2 || json_object_size(list) > TL_CONNECTIONS_MAX)
        tl_reader_error(r, &at, "%zu of them; expected 2 to %d", json_object_size(list),
                        TL_CONNECTIONS_MAX);
    if (s->copies > 0)
        tl_reader_error(r, &at,
                        "\"copies\" plays the same steps on several connections; expected "
                        "only one of the two");
    json_object_foreach(list, key, item)
    {
        struct tl_path here = {.up = &at, .key = key};

        if (!is_name(key))
            tl_reader_error(r, &here, "expected a name of lower-case letters, digits and '_'");
        if (s->num_conns == TL_CONNECTIONS_MAX)
            break;
        s->conn_names[s->num_conns] = fal_arena_strdup(&s->arena, key);
        r->no_memory |= s->conn_names[s->num_conns++] == NULL;
    }
    if (r->no_memory)
        s->num_conns = 0;
}

unsigned tl_find_connection(struct tl_reader *r, const struct tl_path *at, const char *name,
                            size_t len)
{
    const struct tl_scenario *s = r->scenario;
    char text[FAL_VAR_MAX] = "";
    const char *near;

    for (unsigned i = 0; i < s->num_conns; i++)
        if (strlen(s->conn_names[i]) == len && strncmp(s->conn_names[i], name, len) == 0)
            return i;
    if (len < sizeof text)
        memcpy(text, name, len);
    near = fal_nearest(text, s->conn_names, s->num_conns);
    if (near != NULL)
        tl_reader_error(r, at, "no connection '%s'; did you mean '%s'?", text, near);
    else
        tl_reader_error(r, at, "'%s' is no connection; \"connections\" of the file names them",
                        text);
    return 0;
}

/* The parameters of the file hold for each connection that does not set them itself. */
static void add_common_params(struct tl_reader *r, const struct tl_param_setup *common,
                              size_t count, struct tl_scenario *s)
{
    struct tl_param_setup *all =
        fal_arena_alloc(&r->scenario->arena, count + s->num_params, sizeof *all);
    size_t n = 0;

    if (all == NULL) {
        r->no_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        while (k < s->num_params && s->params[k].param != common[i].param)
            k++;
        if (k == s->num_params)
            all[n++] = common[i];
    }
    for (size_t k = 0; k < s->num_params; k++)
        all[n++] = s->params[k];
    s->params = all;
    s->num_params = n;
}

/* An `on` step says of which connection the packets are. */
static void refuse_rules(struct tl_reader *r, const struct tl_path *at, json_t *value)
{
    static const char *const rules[][2] = {{"auto", "override"}, {"impair", "frames"}};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (json_object_get(json_object_get(value, rules[i][0]), rules[i][1]) != NULL)
            tl_reader_error(r, at,
                            "\"%s\" has no place here; write a step \"on\" with \"conn\"",
                            rules[i][1]);
    if (json_is_object(json_object_get(json_object_get(value, "auto"), "acks")))
        tl_reader_error(r, at,
                        "\"acks\" is true or false here; write a step \"acks\" with "
                        "\"conn\"");
}

static void read_one(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     struct tl_scenario *s)
{
    static const struct {
        const char *key;
        tl_key_fn *read;
    } members[] = {{"policy", tl_read_policy_member},
                   {"auto", tl_read_auto},
                   {"impair", tl_read_impair},
                   {"workload", tl_read_workload}};
    const struct tl_param_setup *common = s->params;
    size_t count = s->num_params;
    json_t *written = json_object_get(
        json_object_get(json_object_get(r->written, "connections"), at->key), "params");

    s->params = NULL;
    s->num_params = 0;
    tl_read_connection(r, at, value, s);
    tl_mark_varied(r, written, s);
    add_common_params(r, common, count, s);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct tl_path here = {.up = at, .key = members[i].key};
        json_t *item = json_object_get(value, members[i].key);

        if (item == NULL)
            continue;
        if (strcmp(members[i].key, "workload") == 0)
            s->num_streams = 0;
        if (strcmp(members[i].key, "policy") == 0)
            s->policy = (struct tl_policy){0};
        if (strcmp(members[i].key, "impair") == 0)
            memset(s->ways, 0, sizeof s->ways);
        members[i].read(r, &here, item, s);
    }
    refuse_rules(r, at, value);
}

void tl_read_connections(struct tl_reader *r)
{
    struct tl_path root = {0}, list = {.up = &root, .key = "connections"};
    struct tl_scenario *s = r->scenario, **conns = s->conns;
    unsigned n = 0;
    const char *key;
    json_t *item;

    json_object_foreach(written_connections(r), key, item)
    {
        struct tl_path here = {.up = &list, .key = key};

        conns[n] = fal_arena_alloc(&s->arena, 1, sizeof *conns[n]);
        if (conns[n] == NULL) {
            r->no_memory = true;
            s->num_conns = 0;
            return;
        }
        *conns[n] = *s;
        conns[n]->self = n;
        if (n > 0) /* the rules that the file names are those of its first connection */
            conns[n]->num_exercises = 0;
        read_one(r, &here, item, conns[n++]);
    }
    for (unsigned i = 0; i < n; i++) { /* expressions were added meanwhile */
        conns[i]->exprs = s->exprs;
        memcpy(conns[i]->conns, conns, sizeof s->conns);
        memset(&conns[i]->arena, 0, sizeof conns[i]->arena);
    }
    tl_check_connections(r);
}

/* Reports a step of a block that names another connection than the block. */
static void check_together(struct tl_reader *r, const struct tl_step *step)
{
    const struct tl_scenario *s = r->scenario;
    size_t k = 0;

    while (k < step->u.block.count && s->steps[step->u.block.heads[k]].conn == step->conn)
        k++;
    if (k < step->u.block.count)
        tl_reader_error_at(r, s->steps[step->u.block.heads[k]].at,
                           s->steps[step->u.block.heads[k]].where,
                           "is of another connection than its block; one after another, they "
                           "may come in any order");
}

static void check_reaction(struct tl_reader *r, const struct tl_step *step, size_t i)
{
    const struct tl_scenario *s = r->scenario;

    for (size_t k = i + 1; k < step->u.on.end; k++)
        if (s->steps[k].conn != step->conn)
            tl_reader_error_at(r, s->steps[k].at, s->steps[k].where,
                               "is of another connection than the \"on\" that plays it");
}

void tl_check_connections(struct tl_reader *r)
{
    const struct tl_scenario *s = r->scenario;

    for (size_t i = 0; s->num_conns > 0 && i < s->num_steps; i++) {
        const struct tl_step *step = &s->steps[i];

        if (step->verb == TL_ALT || step->verb == TL_ANY_ORDER)
            check_together(r, step);
        else if (step->verb == TL_ON)
            check_reaction(r, step, i);
        else if (step->verb == TL_ULP && step->u.ulp.act->verb == TL_ACT_OPEN)
            tl_reader_error_at(
                r, step->at, step->where,
                "\"open\" needs a scenario with one connection: frames of the SUT "
                "would not be told apart");
    }
}
