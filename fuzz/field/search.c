/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/field/search.h"

#include "fuzz/field/tidy.h"
#include "harness/suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHRINK_ASKS = 3000,
    COMBINATIONS = 64, /* of the parameters of a scenario of the suite */
    SMALL = 12,        /* a case of so few parts is small enough */
    MUTATIONS = 4,     /* one in so many begins with a plain workload */
};

/* ---- a case ---- */

/* The key of a problem that a rule found begins with the rule. */
static bool is_by(const struct hunt_problem *problem, const char *rule)
{
    size_t len = strlen(rule);

    return strncmp(problem->key, rule, len) == 0 && problem->key[len] == ' ';
}

static bool violates(const struct fld_search *s, struct hunt_bench *sut, const json_t *doc)
{
    const struct fld_finding *finding = &s->story->finding;
    struct hunt_outcome out;

    hunt_play(sut, doc, &out);
    if (out.end != HUNT_RAN || out.verdict >= FAL_VERDICT_ERROR)
        return false;
    for (size_t i = 0; i < out.num_problems; i++)
        if (out.problems[i].requirement != NULL &&
            strcmp(out.problems[i].requirement, finding->requirement) == 0 &&
            (!s->same_rule || is_by(&out.problems[i], finding->rule)))
            return true;
    return false;
}

static bool passes(const struct fld_search *s, const json_t *doc)
{
    struct hunt_outcome out;

    hunt_play(s->good, doc, &out);
    return out.end == HUNT_RAN && out.num_problems == 0 && out.verdict <= FAL_VERDICT_PASS;
}

bool fld_shows(struct fld_search *s, const json_t *doc)
{
    s->tried++;
    for (unsigned i = 0; i < s->num_suts; i++)
        if (!violates(s, s->sut[i], doc))
            return false;
    return passes(s, doc);
}

static bool shows(void *ctx, const json_t *doc)
{
    return fld_shows(ctx, doc);
}

/* The line without the n-th word behind the type of the packet. New reference; NULL: it has
 * fewer words, or memory ran out. */
static json_t *without_word(const char *line, unsigned n)
{
    const char *word = strpbrk(line, "<>"), *end;
    json_t *out;
    char *text;

    for (unsigned i = 0; word != NULL && i <= n + 1; i++)
        word = strchr(word + 1, ' ');
    if (word == NULL || word[1] == '#')
        return NULL;
    end = word + 1 + strcspn(word + 1, " ");
    if (asprintf(&text, "%.*s%s", (int)(word - line), line, end) < 0)
        return NULL;
    out = json_string(text);
    free(text);
    return out;
}

/* Leaves out words of the packets that are sent; the tester's endpoint fills in these fields.
 */
static void shorten(struct fld_search *s, json_t *doc)
{
    json_t *steps = json_object_get(doc, "steps");

    for (size_t i = 0; i < json_array_size(steps); i++)
        for (unsigned n = 0;;) {
            json_t *step = json_incref(json_array_get(steps, i)), *shorter = NULL;
            const char *line = json_string_value(step);

            if (line != NULL && strchr(line, '>') != NULL)
                shorter = without_word(line, n);
            if (shorter == NULL) {
                json_decref(step);
                break;
            }
            if (json_array_set_new(steps, i, shorter) != 0 || !fld_shows(s, doc)) {
                (void)json_array_set(steps, i, step);
                n++;
            }
            json_decref(step);
        }
}

/* Takes `doc`. The smallest case made of it; NULL where it does not show the violation. */
static json_t *reduce(struct fld_search *s, json_t *doc)
{
    json_t *small = NULL, *tidy;

    if (doc != NULL && fld_shows(s, doc)) {
        small = s->num_suts > 0 ? hunt_shrink(doc, shows, s, SHRINK_ASKS) : json_incref(doc);
        if (small != NULL && s->num_suts > 0)
            shorten(s, small);
        tidy = fld_tidy(small);
        if (tidy != NULL && fld_shows(s, tidy)) {
            json_decref(small);
            small = json_incref(tidy);
        }
        json_decref(tidy);
    }
    json_decref(doc);
    return small;
}

/* Takes both, returns the smaller one. */
static json_t *smaller(json_t *a, json_t *b)
{
    bool take_b = a == NULL || (b != NULL && hunt_size(b) < hunt_size(a));

    json_decref(take_b ? a : b);
    return take_b ? b : a;
}

/* ---- the capture ---- */

static json_t *from_capture(struct fld_search *s)
{
    json_t *best = NULL;

    for (int whole = 0; whole < 2 && best == NULL; whole++)
        for (int style = 0; style < FLD_STYLES; style++)
            best = smaller(best, reduce(s, fld_retell(s->story, (enum fld_style)style, whole)));
    if (best != NULL)
        s->source = FLD_FROM_CAPTURE;
    return best;
}

/* ---- the suite ---- */

static bool covers(const json_t *scenario, const char *requirement)
{
    size_t i;
    json_t *id;

    json_array_foreach(json_object_get(scenario, "covers"), i, id)
    {
        if (strcmp(json_string_value(id), requirement) == 0)
            return true;
    }
    return false;
}

/* The n-th combination of the parameters; false: there are fewer. */
static bool combine(json_t *doc, const json_t *file, size_t n)
{
    json_t *params = json_object_get(doc, "params"), *values;
    const char *key;

    json_object_foreach(json_object_get(file, "params"), key, values)
    {
        size_t count = json_array_size(values);

        if (count == 0 ||
            json_object_set_new(params, key,
                                json_pack("[O]", json_array_get(values, n % count))) != 0)
            return false;
        n /= count;
    }
    return n == 0;
}

/* The first case of a file of the suite that shows it. A scenario is one round: repetition
 * makes cases that differ only in their random numbers, and the reduction plays one of them. */
static json_t *from_file(struct fld_search *s, const char *path)
{
    json_t *file = json_load_file(path, 0, NULL), *doc = hunt_copy(file), *found = NULL;

    (void)json_object_del(doc, "rounds");
    for (size_t n = 0; doc != NULL && found == NULL && n < COMBINATIONS && s->tried < s->most &&
                       combine(doc, file, n);
         n++)
        found = reduce(s, hunt_copy(doc));
    if (found != NULL) {
        s->source = FLD_FROM_SUITE;
        (void)snprintf(s->from, sizeof s->from, "%s", path);
        (void)json_object_del(found, "$schema");
    }
    json_decref(doc);
    json_decref(file);
    return found;
}

/* Scenarios that cover the requirement; `all`: the others. */
static json_t *from_suite(struct fld_search *s, const json_t *suite, bool others)
{
    json_t *scenario, *found = NULL;
    size_t i;

    json_array_foreach(suite, i, scenario)
    {
        if (found != NULL || s->tried >= s->most)
            break;
        if (covers(scenario, s->story->finding.requirement) != others)
            found = from_file(s, json_string_value(json_object_get(scenario, "file")));
    }
    return found;
}

/* ---- mutations ---- */

static json_t *from_mutation(struct fld_search *s)
{
    struct fal_rng rng = {1};
    json_t *told = fld_retell(s->story, FLD_LOOSE, true), *other = hunt_seed(0), *found = NULL;

    while (told != NULL && found == NULL && s->tried < s->most) {
        json_t *doc = hunt_one_in(&rng, MUTATIONS) ? hunt_plain(&rng) : hunt_copy(told);

        if (doc == NULL || !hunt_mutate(doc, other, &rng) ||
            json_object_set(doc, "covers", json_object_get(told, "covers")) != 0) {
            json_decref(doc);
            break;
        }
        s->tried++; /* also what is no scenario */
        if (hunt_true(doc))
            found = reduce(s, json_incref(doc));
        json_decref(doc);
    }
    if (found != NULL)
        s->source = FLD_FROM_MUTATION;
    json_decref(other);
    json_decref(told);
    return found;
}

/* Gives the case its name and title; they decide about its seed, so that it is tried again. */
static json_t *entitle(struct fld_search *s, json_t *found)
{
    json_t *named = hunt_copy(found), *only;

    if (named == NULL || !fld_entitle(named, &s->story->finding) || !fld_shows(s, named)) {
        json_decref(named);
        return found;
    }
    json_decref(found);
    only = hunt_copy(named);
    if (only != NULL &&
        json_object_set_new(only, "covers", json_pack("[s]", s->story->finding.requirement)) ==
            0 &&
        fld_shows(s, only)) {
        json_decref(named);
        return only;
    }
    json_decref(only);
    return named;
}

json_t *fld_search_capture(struct fld_search *s)
{
    json_t *found = from_capture(s);

    return found != NULL ? entitle(s, found) : NULL;
}

json_t *fld_search(struct fld_search *s)
{
    json_t *found = from_capture(s), *suite;

    if (found == NULL || hunt_size(found) > SMALL) {
        enum fld_source source = s->source;
        json_t *other;

        suite = tl_suite_list();
        other = from_suite(s, suite, false);
        if (found == NULL && other == NULL)
            other = from_suite(s, suite, true);
        if (found != NULL && other != NULL && hunt_size(found) <= hunt_size(other))
            s->source = source;
        found = smaller(found, other);
        json_decref(suite);
    }
    if (found == NULL)
        found = from_mutation(s);
    return found != NULL ? entitle(s, found) : NULL;
}
