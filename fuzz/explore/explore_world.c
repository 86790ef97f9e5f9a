/* SPDX-License-Identifier: Apache-2.0
 * explore_world.c - themes as worlds, and sequences of actions as scenarios. */
#include "fuzz/explore/explore.h"

#include "oracles/payload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_TAG = 101 };

static const char default_tail[] = "$rto * 3";

static void add_actions(struct explore_world *world, const struct tl_theme *theme, bool product)
{
    for (size_t i = 0; i < theme->num_actions && world->num_actions < EXPLORE_ACTIONS_MAX;
         i++) {
        size_t at = world->num_actions++;

        world->actions[at].action = &theme->actions[i];
        (void)snprintf(world->actions[at].name, sizeof world->actions[at].name, "%s%s%s",
                       product ? theme->name : "", product ? "/" : "", theme->actions[i].name);
    }
}

int explore_world_of(const struct tl_alphabet *alphabet, const char *theme,
                     struct explore_world *out, struct fal_error *err)
{
    bool product = strcmp(theme, EXPLORE_PRODUCT) == 0;
    char known[300] = "";
    size_t len = 0;

    *out = (struct explore_world){.tail = default_tail, .connection = alphabet->connection};
    (void)snprintf(out->name, sizeof out->name, "%s", theme);
    for (size_t i = 0; i < alphabet->num_themes; i++) {
        const struct tl_theme *t = &alphabet->themes[i];

        if (product || strcmp(t->name, theme) == 0)
            add_actions(out, t, product);
        if (!product && strcmp(t->name, theme) == 0) {
            out->tail = t->tail != NULL ? t->tail : default_tail;
            out->connection = t->connection != NULL ? t->connection : alphabet->connection;
            out->policy = t->policy;
            out->automatic = t->automatic;
            out->impair = t->impair;
        }
        if (len < sizeof known - TL_ACTIONS_MAX)
            len += (size_t)snprintf(known + len, sizeof known - len, "%.40s, ", t->name);
    }
    if (out->num_actions > 0)
        return 0;
    return fal_fail(err, FAL_ERR_FORM, "--theme: no theme '%.60s'; there are: %s%s", theme,
                    known, EXPLORE_PRODUCT);
}

/* The step as it is played: a post gets a tag of its own, so that its payload does not depend
 * on how many steps come before it. New reference. */
static json_t *step_of(const json_t *step, unsigned *posts)
{
    const json_t *act = json_object_get(step, "ulp");
    json_t *copy;

    if (strcmp(hunt_word(act, "do"), "post") != 0 || json_object_get(act, "tag") != NULL)
        return json_incref((json_t *)step);
    copy = json_deep_copy(step);
    if (copy != NULL &&
        json_object_set_new(json_object_get(copy, "ulp"), "tag",
                            json_integer(FIRST_TAG + (json_int_t)*posts)) != 0) {
        json_decref(copy);
        return NULL;
    }
    ++*posts;
    return copy;
}

static int add_note(json_t *steps, const char *text)
{
    return json_array_append_new(steps, json_pack("{s:s}", "note", text));
}

static json_t *steps_of(const struct explore_world *world, const explore_act *sequence,
                        unsigned depth)
{
    json_t *steps = json_array();
    unsigned posts = 0;
    int rc = steps == NULL;

    for (unsigned i = 0; rc == 0 && i < depth; i++) {
        const json_t *own = world->actions[sequence[i]].action->steps, *step;
        size_t k;

        rc |= add_note(steps, world->actions[sequence[i]].name);
        json_array_foreach((json_t *)own, k, step)
        {
            rc |= json_array_append_new(steps, step_of(step, &posts));
        }
    }
    rc = rc != 0 || add_note(steps, EXPLORE_END) != 0 ||
         json_array_append_new(steps, json_pack("{s:s}", "wait", world->tail)) != 0;
    if (rc == 0)
        return steps;
    json_decref(steps);
    return NULL;
}

json_t *explore_doc(const struct explore_world *world, const explore_act *sequence,
                    unsigned depth)
{
    char id[EXPLORE_NAME_MAX + 10];
    json_t *doc, *steps = steps_of(world, sequence, depth);
    int rc;

    (void)snprintf(id, sizeof id, "explore-%s", world->name);
    doc =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:[s], s:i, s:[s], s:o}", "schema",
                  TL_SCENARIO_SCHEMA, "id", id, "title", "Found by talon explore", "purpose",
                  "A sequence of actions; the rules say what is wrong.", "class", "inopportune",
                  "covers", "FTP-6.1.1-02", "version", 1, "tags", "explore", "steps", steps);
    if (doc == NULL || steps == NULL)
        return NULL; /* json_pack has released the steps */
    rc = world->connection != NULL
             ? json_object_set(doc, "connection", (json_t *)world->connection)
             : 0;
    if (world->policy != NULL)
        rc |= json_object_set(doc, "policy", (json_t *)world->policy);
    if (world->automatic != NULL)
        rc |= json_object_set(doc, "auto", (json_t *)world->automatic);
    if (world->impair != NULL)
        rc |= json_object_set(doc, "impair", (json_t *)world->impair);
    if (rc == 0)
        return doc;
    json_decref(doc);
    return NULL;
}

int explore_world_check(const struct explore_world *world, const char *path,
                        struct fal_error *err)
{
    for (size_t i = 0; i < world->num_actions; i++) {
        explore_act one = (explore_act)i;
        json_t *doc = explore_doc(world, &one, 1);
        char *text = doc != NULL ? json_dumps(doc, JSON_COMPACT) : NULL, *errors = NULL;
        struct tl_scenario *s =
            text != NULL ? tl_scenario_read("action", text, strlen(text), &errors) : NULL;
        const char *what = errors != NULL ? strstr(errors, ": ") : NULL;
        bool good = s != NULL && s->next == NULL;

        json_decref(doc);
        free(text);
        tl_scenario_free(s);
        if (!good)
            (void)fal_fail(err, FAL_ERR_FORM,
                           "%.100s: theme '%s', action '%s': its steps are no scenario: %.*s",
                           path, world->name, world->actions[i].name,
                           what != NULL ? (int)strcspn(what + 2, "\n") : 13,
                           what != NULL ? what + 2 : "out of memory");
        free(errors);
        if (!good)
            return FAL_ERR_FORM;
    }
    return 0;
}

void explore_say(const struct explore_world *world, const explore_act *sequence, unsigned depth,
                 char *out, size_t cap)
{
    size_t len = 0;

    out[0] = 0;
    for (unsigned i = 0; i < depth && len + 1 < cap; i++) {
        int n = snprintf(out + len, cap - len, "%s%s", i > 0 ? ", " : "",
                         world->actions[sequence[i]].name);

        len += n > 0 ? (size_t)n : 0;
    }
}

uint64_t explore_world_hash(const struct explore_world *world)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < world->num_actions; i++) {
        explore_act one = (explore_act)i;
        json_t *doc = explore_doc(world, &one, 1);
        char *text = doc != NULL ? json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

        if (text != NULL)
            hash = hash * UINT64_C(0x9e3779b97f4a7c15) ^
                   fal_payload_hash((const uint8_t *)text, strlen(text));
        free(text);
        json_decref(doc);
    }
    return hash;
}
