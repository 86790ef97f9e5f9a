/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/check_merge.h"

#include "harness/check/check_team.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* A connection of a part. */
struct member {
    uint64_t order; /* they are sorted by this, then by part and at */
    uint32_t part, at;
};

/* Where the results of a connection are. */
struct result_at {
    uint32_t part, at; /* the judge's at-th connection */
    uint32_t conn;     /* its number in the whole */
};

struct tl_check_merged {
    struct tl_check_team *team;
    uint32_t **number; /* by part and connection: the number in the whole */
    struct result_at *results[2];
    size_t num_results[2];
    struct fal_rule_result shown;
};

static int by_order(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static size_t count_conns(struct tl_check_team *team)
{
    size_t num = 0;

    for (size_t p = 0; p < tl_check_parts(team); p++)
        num += tl_check_part(team, p)->num_conns;
    return num;
}

/* ---- connections ---- */

/* Given connections stand first, and in each part: the one that judges their hosts has them. */
static size_t owner_of(const struct tl_check *whole, size_t given)
{
    const struct tl_check_conn *conn = &whole->conns[given];

    return tl_check_part_of(whole->team, tl_check_shard(conn->host[0], conn->host[1]));
}

/* Others follow in the order in which they appeared; a frame shows those of one part alone. */
static size_t list_conns(struct tl_check *whole, struct member *list)
{
    size_t num = 0, given = whole->num_conns;

    for (size_t i = 0; i < given; i++)
        list[num++] = (struct member){.part = (uint32_t)owner_of(whole, i), .at = (uint32_t)i};
    for (uint32_t p = 0; p < tl_check_parts(whole->team); p++) {
        const struct tl_check *part = tl_check_part(whole->team, p);

        for (uint32_t i = (uint32_t)given; i < part->num_conns; i++)
            list[num++] = (struct member){.order = part->conns[i].born, .part = p, .at = i};
    }
    qsort(list + given, num - given, sizeof *list, by_order);
    return num;
}

static bool make_numbers(struct tl_check_merged *merged)
{
    size_t parts = tl_check_parts(merged->team);

    merged->number = calloc(parts, sizeof(uint32_t *));
    if (merged->number == NULL)
        return false;
    for (size_t p = 0; p < parts; p++) {
        merged->number[p] =
            calloc(tl_check_part(merged->team, p)->num_conns + 1, sizeof(uint32_t));
        if (merged->number[p] == NULL)
            return false;
    }
    return true;
}

static bool merge_conns(struct tl_check *whole, struct member *list)
{
    struct tl_check_merged *merged = whole->merged;
    size_t given = whole->num_conns, num = list_conns(whole, list);
    struct tl_check_conn *conns = calloc(num + 1, sizeof *conns);

    if (conns == NULL || !make_numbers(merged)) {
        free(conns);
        return false;
    }
    for (size_t i = 0; i < num; i++) {
        const struct tl_check *part = tl_check_part(whole->team, list[i].part);

        conns[i] = part->conns[list[i].at];
        merged->number[list[i].part][list[i].at] = (uint32_t)i + 1;
        if (i >= given)
            (void)snprintf(conns[i].setup.name, sizeof conns[i].setup.name, "%zu", i + 1);
    }
    free(whole->conns);
    whole->conns = conns;
    whole->num_conns = whole->cap_conns = num;
    return true;
}

/* ---- results of rules ---- */

/* The judges list connections in the order in which they heard of them. */
static bool merge_results(struct tl_check *whole, int side, struct member *list, uint32_t *next)
{
    struct tl_check_merged *merged = whole->merged;
    size_t num = 0;

    for (uint32_t p = 0; p < tl_check_parts(whole->team); p++) {
        const struct tl_check *part = tl_check_part(whole->team, p);

        next[p] = 0;
        for (uint32_t i = 0; i < part->num_conns; i++)
            if (part->conns[i].listed[side])
                list[num++] = (struct member){part->conns[i].listed_at[side], p, i};
    }
    qsort(list, num, sizeof *list, by_order);
    merged->results[side] = calloc(num + 1, sizeof *merged->results[side]);
    if (merged->results[side] == NULL)
        return false;
    for (size_t i = 0; i < num; i++)
        merged->results[side][i] =
            (struct result_at){.part = list[i].part,
                               .at = next[list[i].part]++,
                               .conn = merged->number[list[i].part][list[i].at]};
    merged->num_results[side] = num;
    return true;
}

const struct fal_rule_result *tl_check_rule(const struct tl_check *check, int side, size_t i)
{
    struct tl_check_merged *merged = check->merged;
    unsigned end = check->both_ends ? (unsigned)side : 0;
    size_t judge = check->both_ends ? 0 : (size_t)side;
    size_t each = fal_judge_results_each(check->judge[judge]);
    const struct fal_rule_result *result;
    const struct result_at *at;

    if (merged == NULL)
        return fal_judge_result_of(check->judge[judge], end, i);
    if (each == 0 || i / each >= merged->num_results[side])
        return NULL;
    at = &merged->results[side][i / each];
    result = fal_judge_result_of(tl_check_part(merged->team, at->part)->judge[judge], end,
                                 at->at * each + i % each);
    if (result == NULL)
        return NULL;
    merged->shown = *result;
    merged->shown.conn = at->conn;
    return &merged->shown;
}

const struct fal_rule_result *tl_check_next_rule(const struct tl_check *check, int side,
                                                 struct tl_check_walk *walk)
{
    struct tl_check_merged *merged = check->merged;
    unsigned end = check->both_ends ? (unsigned)side : 0;
    size_t judge = check->both_ends ? 0 : (size_t)side;

    walk->walk.end = end;
    if (merged == NULL)
        return fal_judge_next_result(check->judge[judge], &walk->walk);
    for (; walk->at < merged->num_results[side]; walk->at++, walk->walk.entry = 0) {
        const struct result_at *at = &merged->results[side][walk->at];
        const struct fal_rule_result *result;

        walk->walk.conn = at->at;
        result = fal_judge_next_result(tl_check_part(merged->team, at->part)->judge[judge],
                                       &walk->walk);
        if (result == NULL || walk->walk.conn != at->at)
            continue; /* it has gone on to another connection of the part */
        merged->shown = *result;
        merged->shown.conn = at->conn;
        return &merged->shown;
    }
    return NULL;
}

/* ---- findings ---- */

struct found {
    struct tl_check_finding *finding;
    uint32_t part, at;
};

static int by_time(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    const struct tl_check_finding *f = x->finding, *g = y->finding;

    if (f->index != g->index)
        return f->index < g->index ? -1 : 1;
    if (f->call != g->call)
        return f->call < g->call ? -1 : 1;
    if (f->listed_at != g->listed_at)
        return f->listed_at < g->listed_at ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static bool merge_findings(struct tl_check *whole)
{
    size_t num = 0, parts = tl_check_parts(whole->team);
    struct found *all = calloc(parts * TL_CHECK_FINDINGS_MAX, sizeof *all);

    if (all == NULL)
        return false;
    for (uint32_t p = 0; p < parts; p++) {
        struct tl_check *part = tl_check_part(whole->team, p);
        const uint32_t *number = whole->merged->number[p];

        assert(number != NULL);
        for (uint32_t i = 0; i < part->num_findings; i++) {
            uint32_t *conn = &part->findings[i].finding.conn;

            if (*conn > 0)
                *conn = number[*conn - 1];
            all[num++] = (struct found){&part->findings[i], p, i};
        }
        whole->lost_findings += part->lost_findings;
    }
    qsort(all, num, sizeof *all, by_time);
    for (size_t i = 0; i < num; i++) {
        if (i >= TL_CHECK_FINDINGS_MAX) {
            whole->lost_findings++;
            continue;
        }
        whole->findings[whole->num_findings++] = *all[i].finding;
        all[i].finding->snippet = (struct tl_snippet){0}; /* the whole's now */
    }
    free(all);
    return true;
}

/* ---- the rest ---- */

static void add_counts(struct tl_check *whole, const struct tl_check *part)
{
    whole->strangers += part->strangers;
    whole->damaged += part->damaged;
    whole->doubles += part->doubles;
    whole->unnamed += part->unnamed;
    whole->out_of_memory = whole->out_of_memory || part->out_of_memory;
}

/* The first proof that the capture is not complete. */
static void merge_missed(struct tl_check *whole)
{
    for (size_t p = 0; p < tl_check_parts(whole->team); p++) {
        const struct fal_missed *missed = &tl_check_part(whole->team, p)->missed;
        const uint32_t *number = whole->merged->number[p];

        assert(number != NULL);
        if (!missed->found || (whole->missed.found && whole->missed.index <= missed->index))
            continue;
        whole->missed = *missed;
        whole->missed.conn = missed->conn > 0 ? number[missed->conn - 1] : 0;
    }
}

/* What the judges measured and excused goes to the first ones, which are the whole's then. */
static void join_judges(struct tl_check *whole)
{
    for (int side = 0; side < (whole->both_ends ? 1 : 2); side++) {
        struct tl_check *first = tl_check_part(whole->team, 0);

        for (size_t p = 1; p < tl_check_parts(whole->team); p++)
            fal_judge_join(first->judge[side], tl_check_part(whole->team, p)->judge[side]);
        fal_judge_free(whole->judge[side]);
        whole->judge[side] = first->judge[side];
    }
}

int tl_check_merge(struct tl_check *whole)
{
    size_t parts = tl_check_parts(whole->team);
    struct member *list = calloc(count_conns(whole->team) + 1, sizeof *list);
    uint32_t *next = calloc(parts, sizeof *next);
    int rc = FAL_ERR_MEM;

    whole->merged = calloc(1, sizeof *whole->merged);
    if (list == NULL || next == NULL || whole->merged == NULL)
        goto done;
    whole->merged->team = whole->team;
    for (size_t p = 0; p < parts; p++)
        add_counts(whole, tl_check_part(whole->team, p));
    if (!merge_conns(whole, list) || !merge_results(whole, 0, list, next) ||
        !merge_results(whole, 1, list, next) || !merge_findings(whole))
        goto done;
    merge_missed(whole);
    join_judges(whole);
    rc = 0;
done:
    if (rc != 0)
        tl_check_unmerge(whole);
    free(list);
    free(next);
    return rc;
}

void tl_check_unmerge(struct tl_check *whole)
{
    struct tl_check_merged *merged = whole->merged;

    if (merged == NULL)
        return;
    for (int side = 0; side < 2; side++) {
        struct tl_check *first = tl_check_part(merged->team, 0);

        if (whole->judge[side] == first->judge[side])
            whole->judge[side] = NULL; /* the part frees it */
        free(merged->results[side]);
    }
    for (size_t p = 0; merged->number != NULL && p < tl_check_parts(merged->team); p++)
        free(merged->number[p]);
    free(merged->number);
    free(merged);
    whole->merged = NULL;
}
