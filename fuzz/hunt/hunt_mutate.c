/* SPDX-License-Identifier: Apache-2.0
 * hunt_mutate.c - chooses a mutation, and mutates existing steps. */
#include "fuzz/hunt/hunt.h"

#include <stdlib.h>
#include <string.h>

static bool drop_steps(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *steps = hunt_list(doc, "steps");
    size_t n = json_array_size(steps), at, count;

    (void)other;
    if (n == 0)
        return true;
    at = hunt_below(rng, n);
    count = 1 + (hunt_one_in(rng, 3) ? hunt_below(rng, n - at) : 0);
    while (count-- > 0)
        (void)json_array_remove(steps, at);
    return true;
}

static bool copy_step(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *steps = hunt_list(doc, "steps");
    size_t n = json_array_size(steps);

    (void)other;
    if (n == 0 || n >= HUNT_STEPS_MAX)
        return true;
    return json_array_insert_new(steps, hunt_below(rng, n + 1),
                                 hunt_copy(json_array_get(steps, hunt_below(rng, n)))) == 0;
}

static bool move_step(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *steps = hunt_list(doc, "steps"), *step;
    size_t n = json_array_size(steps), from;

    (void)other;
    if (n < 2)
        return true;
    from = hunt_below(rng, n);
    step = json_incref(json_array_get(steps, from));
    (void)json_array_remove(steps, from);
    return json_array_insert_new(steps, hunt_below(rng, n), step) == 0;
}

static bool repeat_step(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const int counts[] = {2, 3, 3, 8, 8, 20};
    json_t *steps = hunt_list(doc, "steps"), *step;
    size_t n = json_array_size(steps), at;

    (void)other;
    if (n == 0)
        return true;
    at = hunt_below(rng, n);
    step = json_array_get(steps, at);
    if (json_object_get(step, "repeat") != NULL)
        return json_object_set_new(step, "repeat", json_integer(HUNT_PICK(rng, counts))) == 0;
    if (json_object_get(step, "on") != NULL || json_object_get(step, "name") != NULL)
        return true;
    return json_array_set_new(
               steps, at,
               json_pack("{s:i, s:[O]}", "repeat", HUNT_PICK(rng, counts), "steps", step)) == 0;
}

static bool set_time(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *steps = hunt_list(doc, "steps"), *step;
    size_t n = json_array_size(steps);

    (void)other;
    if (n == 0)
        return true;
    step = json_array_get(steps, hunt_below(rng, n));
    if (json_object_get(step, "wait") != NULL)
        return json_object_set_new(step, "wait", json_string(hunt_time(rng))) == 0;
    if (json_object_get(step, "send") != NULL)
        return json_object_set_new(step, "after", json_string(hunt_time(rng))) == 0;
    return true;
}

/* Steps of another case behind ours, or between them. */
static bool splice(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    json_t *steps = hunt_list(doc, "steps"), *theirs = json_object_get(other, "steps");
    size_t n = json_array_size(theirs), from, count, at;

    if (n == 0)
        return true;
    from = hunt_below(rng, n);
    count = 1 + hunt_below(rng, n - from);
    at = hunt_below(rng, json_array_size(steps) + 1);
    for (size_t i = 0; i < count && json_array_size(steps) < HUNT_STEPS_MAX; i++)
        if (json_array_insert_new(steps, at + i, hunt_copy(json_array_get(theirs, from + i))) !=
            0)
            return false;
    return true;
}

/* Its connection, workload, network or policy. */
static bool transplant(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    static const char *const members[] = {"connection", "workload", "impair", "policy", "auto"};
    const char *key = HUNT_PICK(rng, members);
    json_t *theirs = json_object_get(other, key);

    if (theirs == NULL)
        return json_object_get(doc, key) == NULL || json_object_del(doc, key) == 0;
    return json_object_set_new(doc, key, hunt_copy(theirs)) == 0;
}

struct weighted {
    hunt_mutator *change;
    unsigned weight;
};

static const struct weighted mutators[] = {
    {hunt_change_param, 10},
    {hunt_change_numbers, 5},
    {hunt_change_encap, 3},
    {hunt_change_network, 5},
    {hunt_change_workload, 8},
    {hunt_change_policy, 8},
    {hunt_change_auto, 2},
    {hunt_add_post, 6},
    {hunt_add_send, 6},
    {hunt_add_burst, 8},
    {hunt_add_ack, 5},
    {hunt_add_reaction, 8},
    {hunt_add_wait, 3},
    {hunt_add_keys, 3},
    {hunt_add_set, 3},
    {hunt_add_respond, 3},
    {hunt_add_broken, 3},
    {hunt_add_sealed, 4},
    {hunt_add_flow, 5},
    {drop_steps, 6},
    {copy_step, 3},
    {move_step, 3},
    {repeat_step, 2},
    {set_time, 3},
    {splice, 6},
    {transplant, 4},
    {hunt_add_refusals, 6},
};
enum { MUTATORS = sizeof mutators / sizeof *mutators, TRIES = 4 };

/* Mutations that usually leave a case valid. */
static const struct weighted gentle[] = {
    {hunt_change_param, 8},
    {hunt_change_numbers, 4},
    {hunt_change_encap, 2},
    {hunt_change_network, 4},
    {hunt_change_workload, 8},
    {hunt_change_policy, 8},
    {hunt_add_post, 8},
    {hunt_add_reaction, 8},
    {hunt_add_wait, 2},
    {hunt_add_keys, 2},
    {hunt_add_set, 2},
    {drop_steps, 4},
    {move_step, 2},
    {set_time, 2},
};

/* Of cases whose connections carry RDMA verbs (hunt_verbs.c). */
static const struct weighted of_verbs[] = {
    {hunt_add_word, 24},      {hunt_add_rdma, 10},      {hunt_change_mode, 4},
    {hunt_change_network, 3}, {hunt_change_numbers, 2}, {hunt_add_wait, 3},
    {hunt_add_reaction, 6},   {hunt_add_ack, 3},        {hunt_add_broken, 1},
    {drop_steps, 8},          {move_step, 3},           {splice, 6},
};

/* Of cases whose connections carry NVMe (hunt_nvme.c). */
static const struct weighted of_nvme[] = {
    {hunt_add_command, 24},   {hunt_add_nvme, 10},  {hunt_change_network, 3},
    {hunt_change_numbers, 2}, {hunt_add_wait, 3},   {hunt_add_reaction, 6},
    {hunt_add_ack, 3},        {hunt_add_broken, 1}, {drop_steps, 8},
    {move_step, 3},           {splice, 6},
};

static hunt_mutator *choose(const struct weighted *list, size_t n, struct fal_rng *rng)
{
    unsigned all = 0;
    uint64_t at;

    for (size_t i = 0; i < n; i++)
        all += list[i].weight;
    if (all == 0)
        return hunt_change_param;
    at = hunt_below(rng, all);
    for (size_t i = 0; i < n; i++) {
        if (at < list[i].weight)
            return list[i].change;
        at -= list[i].weight;
    }
    return hunt_change_param;
}

/* Tries some mutations and applies one that leaves the case valid. */
static bool change_gently(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    bool done = false, good = true;

    for (unsigned i = 0; good && !done && i < TRIES; i++) {
        json_t *copy = hunt_branch(doc);

        good = copy != NULL &&
               choose(gentle, sizeof gentle / sizeof *gentle, rng)(copy, other, rng);
        if (good)
            hunt_prune(copy);
        done = good && hunt_lawful(copy);
        if (done)
            good = json_object_clear(doc) == 0 && json_object_update(doc, copy) == 0;
        json_decref(copy);
    }
    return good;
}

json_t *hunt_plain(struct fal_rng *rng)
{
    static hunt_mutator *const changes[] = {hunt_change_numbers, hunt_change_encap,
                                            hunt_add_post, hunt_add_wait};
    json_t *doc = hunt_seed(hunt_below(rng, HUNT_PLAIN_SEEDS));
    bool good = doc != NULL;

    if (good && hunt_one_in(rng, 2))
        (void)json_object_del(doc, "workload");
    for (unsigned i = 0; good && hunt_one_in(rng, 3) && i < 3; i++)
        good = HUNT_PICK(rng, changes)(doc, NULL, rng);
    if (good)
        return doc;
    json_decref(doc);
    return NULL;
}

bool hunt_mutate(json_t *doc, const json_t *other, struct fal_rng *rng)
{
    bool verbs = hunt_is_verbs(doc), nvme = hunt_is_nvme(doc);
    bool gently = hunt_lawful(doc) && !hunt_one_in(rng, 4);
    unsigned n = 1;

    while (n < 8 && !hunt_one_in(rng, 3))
        n++;
    for (unsigned i = 0; i < n; i++)
        if (!(verbs    ? choose(of_verbs, sizeof of_verbs / sizeof *of_verbs, rng)
              : nvme   ? choose(of_nvme, sizeof of_nvme / sizeof *of_nvme, rng)
              : gently ? change_gently
                       : choose(mutators, MUTATORS, rng))(doc, other, rng))
            return false;
    if (verbs || nvme)
        hunt_words_number(doc);
    hunt_prune(doc);
    return true;
}
