/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/merge.h"

#include "reports/base/shard_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* ---- may they be merged ---- */

static bool same_ics(const struct tl_results *a, const struct tl_results *b)
{
    if (a->num_ics != b->num_ics)
        return false;
    for (size_t i = 0; i < a->num_ics; i++)
        if (!same_text(a->ics[i].item, b->ics[i].item) ||
            a->ics[i].offered != b->ics[i].offered)
            return false;
    return true;
}

static int check_pair(const struct tl_results *a, const struct tl_results *b, const char *first,
                      const char *name, struct fal_error *err)
{
    const struct {
        const char *what, *a, *b;
    } texts[] = {
        {"version of talon", a->version, b->version},
        {"--sut", a->sut, b->sut},
        {"product", a->product, b->product},
        {"vendor", a->vendor, b->vendor},
        {"product of the ICS", a->product_name, b->product_name},
        {"firmware", a->firmware, b->firmware},
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!same_text(texts[i].a, texts[i].b))
            return fal_fail(err, FAL_ERR_FORM,
                            "%.100s and %.100s are not of one %s: '%.40s' and '%.40s'", first,
                            name, texts[i].what, texts[i].a != NULL ? texts[i].a : "",
                            texts[i].b != NULL ? texts[i].b : "");
    if (a->live != b->live)
        return fal_fail(err, FAL_ERR_FORM, "%.100s and %.100s: only one is of a live run",
                        first, name);
    if (!same_ics(a, b))
        return fal_fail(err, FAL_ERR_FORM, "%.100s and %.100s are not of one ICS", first, name);
    if (a->probe != NULL || b->probe != NULL) /* whose a failure is hangs on all cases */
        return fal_fail(err, FAL_ERR_FORM,
                        "%.100s and %.100s: what a probe found cannot be merged", first, name);
    if (a->shards != b->shards)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.100s and %.100s: parts of %u shards, and of %u (0: the whole)",
                        first, name, a->shards, b->shards);
    if (a->selection != b->selection)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.100s and %.100s are shards of different cases: the suite or its "
                        "selection was another",
                        first, name);
    if (a->shards > 0 && a->seed != b->seed)
        return fal_fail(err, FAL_ERR_FORM,
                        "%.100s and %.100s: shards with seeds %" PRIu64 " and %" PRIu64, first,
                        name, a->seed, b->seed);
    return 0;
}

/* The first two results of a shard, if it is there more than once. */
static int check_twice(struct tl_results *const *all, const char *const *names, size_t n,
                       struct fal_error *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && all[i]->shard > 0; k++)
            if (all[k]->shard == all[i]->shard)
                return fal_fail(err, FAL_ERR_FORM,
                                "%.100s and %.100s are both shard %u of %u (--repeated merges "
                                "a shard that was run again)",
                                names[i], names[k], all[i]->shard, all[i]->shards);
    return 0;
}

static int check_holes(struct tl_results *const *all, size_t n, struct fal_error *err)
{
    struct tl_shard_list missing = {.first = 0};
    unsigned holes = 0;

    for (unsigned shard = 1; shard <= all[0]->shards; shard++) {
        bool there = false;

        for (size_t i = 0; i < n; i++)
            there |= all[i]->shard == shard;
        if (!there)
            tl_shard_list_add(&missing, shard);
        holes += !there;
    }
    return holes == 0 ? 0
                      : fal_fail(err, FAL_ERR_FORM,
                                 "shard%s %s of %u %s missing (--partial merges all the same)",
                                 holes > 1 ? "s" : "", missing.text, all[0]->shards,
                                 holes > 1 ? "are" : "is");
}

/* ---- cases ---- */

/* A case of one of the results, and where it stands in the whole. */
struct entry {
    const struct tl_case *c;
    uint64_t place; /* in the run without shards */
    size_t source;
};

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = strcmp(x->c->id, y->c->id);

    if (order != 0)
        return order;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_place(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return 0;
}

/* How much a verdict says about the SUT. */
static int weight(const struct tl_case *c)
{
    if (!tl_case_ran(c))
        return 0;
    switch (c->verdict) {
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_ERROR: return 1;
    case FAL_VERDICT_INCONC: return 2;
    case FAL_VERDICT_PASS: return 3;
    case FAL_VERDICT_WARN: return 4;
    case FAL_VERDICT_FAIL: break;
    }
    return 5;
}

/* Of several results of one case: the one that counts, with the others as attempts. */
static void settle(const struct entry *same, size_t n, struct tl_case *out)
{
    size_t best = 0, at = 0;

    for (size_t i = 1; i < n; i++)
        if (weight(same[i].c) >= weight(same[best].c))
            best = i;
    *out = *same[best].c;
    if (n == 1)
        return;
    out->num_attempts = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tl_case *c = same[i].c;

        if (i == best || !tl_case_ran(c) || at + 1 >= TL_ATTEMPTS_MAX)
            continue;
        out->attempts[at++] = (struct tl_attempt){c->verdict, c->reason};
    }
    if (tl_case_ran(out))
        out->attempts[at++] = (struct tl_attempt){out->verdict, out->reason};
    out->num_attempts = at;
}

static int merge_cases(struct tl_results *const *all, size_t n, struct tl_results *out,
                       struct fal_error *err)
{
    size_t total = 0, at = 0, kept = 0;
    struct entry *entries;
    struct tl_case *cases;

    for (size_t i = 0; i < n; i++)
        total += all[i]->num_cases;
    entries = calloc(total + 1, sizeof *entries);
    cases = calloc(total + 1, sizeof *cases);
    if (entries == NULL || cases == NULL) {
        free(entries);
        free(cases);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        unsigned step = all[i]->shards > 0 ? all[i]->shards : 1;
        unsigned first = all[i]->shard > 0 ? all[i]->shard - 1 : 0;

        for (size_t k = 0; k < all[i]->num_cases; k++)
            entries[at++] = (struct entry){
                &all[i]->cases[k],
                k < all[i]->num_places ? all[i]->places[k] : (uint64_t)k * step + first, i};
    }
    qsort(entries, total, sizeof *entries, by_id);
    for (size_t i = 0, end; i < total; i = end) {
        for (end = i + 1; end < total && strcmp(entries[i].c->id, entries[end].c->id) == 0;)
            end++;
        settle(&entries[i], end - i, &cases[kept]);
        /* The case's own place is that in the first that has it. */
        entries[kept] = (struct entry){&cases[kept], entries[i].place, entries[i].source};
        kept++;
    }
    qsort(entries, kept, sizeof *entries, by_place);
    out->cases = calloc(kept + 1, sizeof *out->cases);
    for (size_t i = 0; out->cases != NULL && i < kept; i++)
        out->cases[i] = *entries[i].c;
    out->num_cases = kept;
    free(entries);
    free(cases);
    return out->cases != NULL ? 0 : fal_fail(err, FAL_ERR_MEM, "out of memory");
}

/* If the profiles differ, each case names its own. */
static void merge_profiles(struct tl_results *const *all, size_t n, struct tl_results *out)
{
    bool differ = false;

    for (size_t i = 1; i < n; i++)
        differ |= !same_text(all[0]->profile, all[i]->profile);
    if (!differ)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < all[i]->num_cases; k++)
            if (all[i]->cases[k].profile == NULL)
                all[i]->cases[k].profile = all[i]->profile;
    out->profile = NULL;
}

/* ---- waivers ---- */

/* The state of a waiver entry over several runs: the one that says the most. */
static int rank(const char *state)
{
    static const char *const states[] = {"other-sut", "not-tried",       "unused",
                                         "expired",   "unexpected-pass", "used"};

    for (int i = 0; i < 6; i++)
        if (strcmp(states[i], state) == 0)
            return i;
    return -1;
}

static int merge_waivers(struct tl_results *const *all, size_t n, struct tl_results *out,
                         struct fal_error *err)
{
    size_t most = 0;

    for (size_t i = 0; i < n; i++)
        most += all[i]->num_waivers;
    out->num_waivers = 0;
    out->waivers = calloc(most + 1, sizeof *out->waivers);
    if (out->waivers == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < all[i]->num_waivers; k++) {
            const struct tl_waiver_use *use = &all[i]->waivers[k];
            size_t w = 0;

            while (w < out->num_waivers && strcmp(out->waivers[w].id, use->id) != 0)
                w++;
            if (w == out->num_waivers) {
                out->waivers[out->num_waivers++] = *use;
                continue;
            }
            out->waivers[w].cases += use->cases;
            if (rank(use->state) > rank(out->waivers[w].state))
                out->waivers[w].state = use->state;
        }
    }
    return 0;
}

/* ---- the whole ---- */

/* The extremes of all results with a measurement. */
static void merge_measured(const struct tl_results *one, struct tl_results *out)
{
    if (one->answer_max_ns == 0)
        return;
    if (out->answer_max_ns == 0 || one->answer_min_ns < out->answer_min_ns)
        out->answer_min_ns = one->answer_min_ns;
    if (one->answer_max_ns > out->answer_max_ns)
        out->answer_max_ns = one->answer_max_ns;
    if (one->timer_late_ns > out->timer_late_ns)
        out->timer_late_ns = one->timer_late_ns;
}

/* The slowest of them, as a whole: its numbers belong together. */
static void merge_learned(const struct tl_results *one, struct tl_results *out)
{
    bool any = out->learned.turnaround || out->learned.pipeline;

    if ((one->learned.turnaround || one->learned.pipeline) &&
        (!any || one->learned.value_ns > out->learned.value_ns))
        out->learned = one->learned;
}

/* The probes of all of them. */
static void merge_path(const struct tl_results *one, struct tl_results *out)
{
    out->has_path = out->has_path || one->has_path;
    out->path.trials += one->path.trials;
    out->path.losses += one->path.losses;
}

/* Each rule that is below its ratio in one of them, once. */
static void merge_low(const struct tl_results *one, struct tl_results *out)
{
    for (size_t i = 0; i < one->num_low; i++) {
        size_t k = 0;

        while (k < out->num_low && out->low[k].rule != one->low[i].rule)
            k++;
        if (k == out->num_low && k < FAL_RATIO_COUNT)
            out->low[out->num_low++] = one->low[i];
    }
}

/* The same of the values that take rules their power. */
static void merge_costly(const struct tl_results *one, struct tl_results *out)
{
    for (size_t i = 0; i < one->num_costly; i++) {
        size_t k = 0;

        while (k < out->num_costly && strcmp(out->costly[k].why, one->costly[i].why) != 0)
            k++;
        if (k == out->num_costly && k < TL_COSTLY_MAX)
            out->costly[out->num_costly++] = one->costly[i];
    }
}

static void merge_heads(struct tl_results *const *all, size_t n, struct tl_results *out)
{
    size_t seen = 0;
    unsigned there = 0;

    for (unsigned shard = 1; shard <= out->shards; shard++)
        for (size_t i = 0; i < n; i++)
            if (all[i]->shard == shard) {
                there++;
                break;
            }
    for (size_t i = 0; i < n; i++) {
        out->interrupted |= all[i]->interrupted;
        out->strict |= all[i]->strict;
        merge_measured(all[i], out);
        merge_learned(all[i], out);
        merge_path(all[i], out);
        merge_low(all[i], out);
        merge_costly(all[i], out);
        if (all[i]->bad_files > out->bad_files)
            out->bad_files = all[i]->bad_files;
        if (all[i]->num_cases + all[i]->other_shards > seen)
            seen = all[i]->num_cases + all[i]->other_shards;
        for (size_t k = 0; k < all[i]->num_ics; k++)
            out->ics[k].denied |= all[i]->ics[k].denied;
    }
    out->shard = 0;
    out->selection = 0;
    out->places = NULL;
    out->num_places = 0;
    out->other_shards =
        there < out->shards && seen > out->num_cases ? seen - out->num_cases : 0;
    if (there == out->shards)
        out->shards = 0;
}

int tl_merge(struct tl_results *const *all, const char *const *names, size_t n, unsigned allow,
             struct tl_results *out, struct fal_error *err)
{
    int rc = 0;

    *out = *all[0];
    out->cases = NULL;
    out->waivers = NULL;
    out->num_cases = out->num_waivers = 0;
    for (size_t i = 1; i < n && rc == 0; i++)
        rc = check_pair(all[0], all[i], names[0], names[i], err);
    if (rc == 0 && (allow & TL_MERGE_REPEATED) == 0)
        rc = check_twice(all, names, n, err);
    if (rc == 0 && (allow & TL_MERGE_PARTIAL) == 0)
        rc = check_holes(all, n, err);
    if (rc == 0) {
        merge_profiles(all, n, out);
        rc = merge_cases(all, n, out, err);
    }
    if (rc == 0)
        rc = merge_waivers(all, n, out, err);
    if (rc != 0) {
        tl_merge_free(out);
        return rc;
    }
    merge_heads(all, n, out);
    tl_results_gather(out);
    out->status = tl_results_status(out);
    return 0;
}

void tl_merge_free(struct tl_results *out)
{
    free(out->cases); /* what they hold is the sources' */
    free(out->waivers);
    *out = (struct tl_results){.version = NULL};
}
