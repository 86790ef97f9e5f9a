/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/shard/shard_judge.h"

#include "oracles/rules/judge/ask.h"
#include "oracles/rules/judge/judge_state.h"

#include <string.h>

/* ---- what was counted ---- */

/* A counter of a cell: HOLDS, or 1 + an ending. */
enum { PER_CELL = FAL_ENDINGS + 1 };

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

uint64_t fal_shard_form(const struct fal_judge *judge)
{
    const struct fal_asking *asking = judge->asking;
    const struct fal_ask_list *list = &asking->list[FAL_ASK_RESULT];
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), asking->cells);

    hash = mix(mix(hash, FAL_ENDINGS), asking->both_ends);
    for (size_t i = 0; i < list->num; i++) {
        hash = mix(mix(hash, list->entry[i].cell), list->entry[i].subject);
        for (const char *at = list->entry[i].impl->about->id; *at != 0; at++)
            hash = mix(hash, (unsigned char)*at);
    }
    return hash;
}

size_t fal_shard_counts(const struct fal_judge *judge, size_t i, uint32_t *conn,
                        struct fal_shard_count out[FAL_SHARD_COUNTS_MAX])
{
    const struct fal_tallies *tallies;
    size_t num = 0;

    if (i >= judge->conns.num)
        return SIZE_MAX;
    judge->shown->of = NULL; /* its tallies are unpacked anew */
    *conn = judge->conns.list[i]->number;
    tallies = fal_conn_tallies(judge->conns.list[i], &judge->shown->tallies);
    for (size_t cell = 0; cell < tallies->cells; cell++)
        if (tallies->holds[cell] > 0)
            out[num++] =
                (struct fal_shard_count){.what = cell * PER_CELL, .n = tallies->holds[cell]};
    for (size_t k = 0; k < tallies->num; k++) {
        const struct fal_count *count = &tallies->list[k];

        out[num++] = (struct fal_shard_count){(uint64_t)(count->what / FAL_ENDINGS) * PER_CELL +
                                                  1 + count->what % FAL_ENDINGS,
                                              (uint64_t)count->high << 32 | count->low};
    }
    return num;
}

void fal_shard_measured(const struct fal_judge *judge, struct fal_measured out[FAL_DIRS])
{
    memcpy(out, judge->measured, sizeof judge->measured);
}

static struct fal_count *counter(struct fal_tallies *tallies, unsigned what)
{
    for (size_t i = 0; i < tallies->num; i++)
        if (tallies->list[i].what == what)
            return &tallies->list[i];
    return NULL;
}

static int set_count(struct fal_tallies *tallies, const struct fal_shard_count *count)
{
    uint64_t cell = count->what / PER_CELL;
    unsigned ending = (unsigned)(count->what % PER_CELL), what;
    struct fal_count *at;

    if (cell >= tallies->cells || count->n == 0 || count->n >> 48 != 0)
        return FAL_ERR_FORM;
    if (ending == 0) {
        bool fits = count->n <= UINT32_MAX && tallies->holds[cell] == 0;

        tallies->holds[cell] = (uint32_t)count->n;
        return fits ? 0 : FAL_ERR_FORM;
    }
    what = (unsigned)cell * FAL_ENDINGS + ending - 1;
    if (counter(tallies, what) != NULL)
        return FAL_ERR_FORM;
    (void)fal_tallies_count(tallies, cell, ending - 1);
    at = counter(tallies, what);
    if (at == NULL)
        return FAL_ERR_MEM;
    at->low = (uint32_t)count->n;
    at->high = (uint16_t)(count->n >> 32);
    return 0;
}

int fal_shard_add(struct fal_judge *judge, uint32_t conn, const struct fal_shard_count *counts,
                  size_t num)
{
    struct fal_conn *added;

    if (conn == 0 || fal_conns_find(&judge->conns, conn) != NULL)
        return FAL_ERR_FORM;
    added = fal_conns_add(&judge->conns, conn);
    if (added == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < num; i++) {
        int rc = set_count(&added->live->tallies, &counts[i]);

        if (rc != 0)
            return rc;
    }
    fal_conns_retire(&judge->conns, added);
    return 0;
}

int fal_shard_finish(struct fal_judge *judge, const struct fal_measured measured[FAL_DIRS])
{
    memcpy(judge->measured, measured, sizeof judge->measured);
    judge->finished = true;
    judge->budget = fal_budget_new(judge);
    judge->oom = judge->budget == NULL;
    return judge->oom ? FAL_ERR_MEM : 0;
}

/* ---- readings ---- */

void fal_shard_watch(struct fal_common *common)
{
    common->watched = true;
}

void fal_shard_give(struct fal_common *common, const struct fal_shard_reading *reading)
{
    struct fal_reading_watch *watch =
        &common->watch[reading->end][reading->amb][reading->window];

    watch->given = true;
    watch->given_out = reading->out;
    watch->given_since = reading->since;
    watch->given_by = reading->by;
}

static bool reading_of(const struct fal_common *common, struct fal_shard_reading *r)
{
    const struct fal_readings *readings = &common->of_subject[r->end];
    const struct fal_reading_watch *watch = &common->watch[r->end][r->amb][r->window];

    r->own = readings->of[r->amb][r->window].told && !watch->applied;
    r->given = watch->given && !r->own;
    r->out = r->given ? watch->given_out : readings->of[r->amb][r->window].out;
    r->since = r->given               ? watch->given_since
               : fal_amb_free(r->amb) ? readings->of[r->amb][r->window].by.index
                                      : watch->since;
    r->by = r->given ? watch->given_by : readings->of[r->amb][r->window].by;
    r->left = watch->left;
    r->any = watch->any;
    r->cited = watch->cited;
    return r->own || r->given || r->left > 0 || r->any > 0 || r->cited > 0;
}

size_t fal_shard_readings(const struct fal_common *common,
                          struct fal_shard_reading out[FAL_SHARD_READINGS_MAX])
{
    size_t num = 0;

    for (unsigned end = 0; end < FAL_SUBJECTS; end++)
        for (unsigned amb = 0; amb < FAL_AMB_COUNT; amb++)
            for (unsigned window = 0; window < FAL_WINDOWS; window++) {
                out[num] = (struct fal_shard_reading){
                    .end = end, .amb = (enum fal_amb)amb, .window = (enum fal_window)window};
                num += reading_of(common, &out[num]);
            }
    return num;
}

static struct fal_shard_reading *agreed_of(struct fal_shard_agreed *agreed,
                                           const struct fal_shard_reading *r)
{
    for (size_t i = 0; i < agreed->num; i++) {
        struct fal_shard_reading *a = &agreed->list[i];

        if (a->end == r->end && a->amb == r->amb && a->window == r->window)
            return a;
    }
    return NULL;
}

void fal_shard_agree(struct fal_shard_agreed *agreed, const struct fal_shard_reading *readings,
                     size_t num)
{
    for (size_t i = 0; i < num; i++) {
        const struct fal_shard_reading *r = &readings[i];
        struct fal_shard_reading *first = agreed_of(agreed, r);

        if (!r->own)
            continue;
        if (first == NULL && agreed->num < FAL_SHARD_READINGS_MAX)
            agreed->list[agreed->num++] = *r;
        else if (first != NULL && r->since < first->since)
            *first = *r;
    }
}

static bool same_event(const struct fal_shard_reading *a, const struct fal_shard_reading *b)
{
    return a->since == b->since && a->by.index == b->by.index && a->out == b->out;
}

/* Its places are 1 + an index, so an event after `since` is above since + 1. */
static bool knew(const struct fal_shard_reading *r, const struct fal_shard_reading *first)
{
    uint64_t after;

    if (first == NULL)
        return !r->given; /* nobody showed it */
    after = first->since + 1;
    if (r->given && !same_event(r, first))
        return false;
    if (r->own && r->out != first->out)
        return false;
    if (r->left > after || (first->out == FAL_READ_DEFAULT && r->any > after))
        return false;
    return r->cited <= after || r->given || same_event(r, first);
}

bool fal_shard_knew(const struct fal_shard_agreed *agreed,
                    const struct fal_shard_reading *readings, size_t num)
{
    struct fal_shard_agreed list = *agreed;

    for (size_t i = 0; i < num; i++)
        if (!fal_amb_free(readings[i].amb) &&
            !knew(&readings[i], agreed_of(&list, &readings[i])))
            return false;
    return true;
}

void fal_shard_settle(const struct fal_shard_agreed *agreed, struct fal_common *common)
{
    for (size_t i = 0; i < agreed->num; i++) {
        const struct fal_shard_reading *a = &agreed->list[i];
        struct fal_readings *readings = &common->of_subject[a->end];

        readings->of[a->amb][a->window].told = true;
        readings->of[a->amb][a->window].by = a->by;
        readings->of[a->amb][a->window].out = a->out;
    }
}
