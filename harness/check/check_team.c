/* SPDX-License-Identifier: Apache-2.0
 * check_team.c - the reader fills rounds of items; each thread goes through all rounds in order
 * and takes the items of its shards, and those that concern all. */
#include "harness/check/check_team.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, ROUND_ITEMS = 1024, ROUND_BYTES = 1 << 18 };

/* Items that the threads go through together. */
struct round {
    struct tl_check_item *items;
    size_t num;
    uint8_t *bytes; /* of their frames */
    size_t used, cap;
    uint16_t *list[TL_CHECK_JOBS_MAX]; /* by thread: the items that it takes, in order */
    size_t count[TL_CHECK_JOBS_MAX];
    uint64_t end;  /* index of the first event after them */
    unsigned left; /* threads that have not gone through it yet */
};

struct worker {
    struct tl_check check; /* first: what the judges call back with */
    struct tl_check_team *team;
    struct tl_check_desk desk;
    _Atomic uint64_t at; /* it judges no earlier event any more */
    pthread_t thread;
    bool runs;
    unsigned number;
};

struct tl_check_team {
    struct tl_check *whole;
    unsigned num;
    struct worker *workers;
    struct tl_check_shared shared;
    struct round rounds[ROUNDS];
    pthread_mutex_t lock;
    pthread_cond_t changed;  /* a round was filled or emptied, or the end has come */
    pthread_cond_t advanced; /* a worker's `at`, while others wait for it */
    _Atomic unsigned waiting;
    uint64_t filled, emptied; /* rounds so far; emptied: all before it are */
    bool over, failed;
};

/* ---- order ---- */

static bool is_first(const struct worker *worker)
{
    const struct tl_check_team *team = worker->team;
    uint64_t mine = atomic_load(&worker->at);

    for (unsigned i = 0; i < team->num; i++)
        if (i != worker->number && atomic_load(&team->workers[i].at) < mine)
            return false;
    return true;
}

/* Waits until no other thread judges an earlier frame any more (fal_judge_config.in_turn). The
 * thread with the earliest frame never waits. When something that concerns all connections
 * happens, or at the end, rules take no readings (fal_ctx.takes), but they look at them. */
static void in_turn(void *ctx)
{
    struct worker *worker = ctx;
    struct tl_check_team *team = worker->team;

    if (is_first(worker))
        return;
    (void)pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->waiting, 1);
    while (!is_first(worker))
        (void)pthread_cond_wait(&team->advanced, &team->lock);
    atomic_fetch_sub(&team->waiting, 1);
    (void)pthread_mutex_unlock(&team->lock);
}

static void advance(struct worker *worker, uint64_t index)
{
    struct tl_check_team *team = worker->team;

    atomic_store(&worker->at, index);
    if (atomic_load(&team->waiting) == 0)
        return;
    (void)pthread_mutex_lock(&team->lock);
    (void)pthread_cond_broadcast(&team->advanced);
    (void)pthread_mutex_unlock(&team->lock);
}

/* ---- a thread ---- */

static void take(struct worker *worker, const struct tl_check_item *item)
{
    struct tl_check *check = &worker->check;

    advance(worker, item->index);
    check->index = item->index;
    tl_check_marks(check, item, TL_CHECK_MISSED_EARLIER | TL_CHECK_MISSED | TL_CHECK_STEPPED);
    if (tl_check_part_of(worker->team, item->shard) != worker->number)
        return;
    if (item->opened) {
        tl_check_packet(check, NULL, item);
    } else {
        struct tl_check_item mine;

        tl_check_item_copy(&mine, item);
        tl_check_open(check->options, &worker->desk, &mine);
        mine.shard = item->shard;
        tl_check_packet(check, NULL, &mine);
    }
}

/* The next round that this thread has not gone through, or NULL at the end. */
static struct round *next_round(struct tl_check_team *team, uint64_t gone_through)
{
    bool more;

    (void)pthread_mutex_lock(&team->lock);
    while (gone_through == team->filled && !team->over)
        (void)pthread_cond_wait(&team->changed, &team->lock);
    more = gone_through < team->filled;
    (void)pthread_mutex_unlock(&team->lock);
    return more ? &team->rounds[gone_through % ROUNDS] : NULL;
}

static void end_round(struct worker *worker, struct round *round)
{
    struct tl_check_team *team = worker->team;

    (void)pthread_mutex_lock(&team->lock);
    team->failed = team->failed || worker->check.out_of_memory;
    if (--round->left == 0) {
        team->emptied++;
        (void)pthread_cond_broadcast(&team->changed);
    }
    (void)pthread_mutex_unlock(&team->lock);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct round *round;

    for (uint64_t n = 0; (round = next_round(worker->team, n)) != NULL; n++) {
        for (size_t i = 0; i < round->count[worker->number]; i++)
            if (!worker->check.out_of_memory)
                take(worker, &round->items[round->list[worker->number][i]]);
        advance(worker, round->end);
        end_round(worker, round);
    }
    worker->check.index = worker->team->whole->index;
    worker->check.last_ns = worker->team->whole->last_ns;
    tl_check_finish(&worker->check);
    return NULL;
}

/* ---- the reader ---- */

static void hand_out(struct tl_check_team *team)
{
    struct round *round = &team->rounds[team->filled % ROUNDS];

    if (round->num == 0)
        return;
    for (size_t i = 0; i < round->num; i++) { /* their bytes lie still now */
        struct tl_check_item *item = &round->items[i];

        if (item->opened)
            item->packet.bytes = round->bytes + item->at;
        else
            item->got.bytes = round->bytes + item->at;
    }
    (void)pthread_mutex_lock(&team->lock);
    round->end = team->whole->index;
    round->left = team->num;
    team->filled++;
    (void)pthread_cond_broadcast(&team->changed);
    while (team->filled - team->emptied == ROUNDS)
        (void)pthread_cond_wait(&team->changed, &team->lock);
    team->whole->out_of_memory = team->failed;
    round = &team->rounds[team->filled % ROUNDS];
    round->num = round->used = 0;
    memset(round->count, 0, sizeof round->count);
    (void)pthread_mutex_unlock(&team->lock);
}

/* Copies the item's bytes to the end of the round's, which may still be moved. */
static bool keep_bytes(struct round *round, struct tl_check_item *item)
{
    const uint8_t *bytes = item->opened ? item->packet.bytes : item->got.bytes;
    size_t len = item->opened ? item->packet.len : item->got.caplen;
    size_t cap = round->cap == 0 ? ROUND_BYTES : round->cap;

    while (cap < round->used + len)
        cap *= 2;
    if (cap > round->cap) {
        uint8_t *grown = realloc(round->bytes, cap);

        if (grown == NULL)
            return false;
        round->bytes = grown;
        round->cap = cap;
    }
    if (len > 0)
        memcpy(round->bytes + round->used, bytes, len);
    item->at = round->used;
    round->used += len;
    return true;
}

int tl_check_team_put(struct tl_check_team *team, const struct tl_check_item *item,
                      struct fal_error *err)
{
    struct round *round = &team->rounds[team->filled % ROUNDS];
    struct tl_check_item *copy = &round->items[round->num];
    unsigned owner = (unsigned)tl_check_part_of(team, item->shard);

    tl_check_item_copy(copy, item);
    copy->got.marks = NULL;
    if (!keep_bytes(round, copy)) {
        team->whole->out_of_memory = true;
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    for (unsigned i = 0; i < team->num; i++)
        if (i == owner || item->marks != 0)
            round->list[i][round->count[i]++] = (uint16_t)round->num;
    if (++round->num == ROUND_ITEMS)
        hand_out(team);
    return 0;
}

void tl_check_team_rest(struct tl_check_team *team)
{
    hand_out(team);
    (void)pthread_mutex_lock(&team->lock);
    while (team->emptied < team->filled)
        (void)pthread_cond_wait(&team->changed, &team->lock);
    team->whole->out_of_memory = team->failed;
    (void)pthread_mutex_unlock(&team->lock);
}

/* ---- beginning and end ---- */

size_t tl_check_parts(const struct tl_check_team *team)
{
    return team != NULL ? team->num : 0;
}

struct tl_check *tl_check_part(struct tl_check_team *team, size_t i)
{
    assert(i < team->num);
    return &team->workers[i].check;
}

size_t tl_check_part_of(const struct tl_check_team *team, unsigned shard)
{
    return shard % team->num;
}

bool tl_check_hosts_given(const struct tl_check *check)
{
    const struct tl_host open = {0, false, 0};

    for (size_t i = 0; i < check->num_conns; i++)
        if (tl_host_eq(check->conns[i].host[0], open) ||
            tl_host_eq(check->conns[i].host[1], open))
            return false;
    return true;
}

bool tl_check_team_can(const struct tl_check *check)
{
    return check->options->jobs >= 2 && check->options->shard.total == 0 &&
           check->options->ulp == NULL && tl_check_hosts_given(check);
}

const struct tl_check_shared *tl_check_team_shared(const struct tl_check_team *team)
{
    return &team->shared;
}

static bool make_rounds(struct tl_check_team *team)
{
    for (size_t r = 0; r < ROUNDS; r++) {
        struct round *round = &team->rounds[r];

        round->items = malloc(ROUND_ITEMS * sizeof *round->items);
        if (round->items == NULL)
            return false;
        for (unsigned i = 0; i < team->num; i++) {
            round->list[i] = malloc(ROUND_ITEMS * sizeof *round->list[i]);
            if (round->list[i] == NULL)
                return false;
        }
    }
    return true;
}

static bool make_part(struct tl_check_team *team, struct worker *worker)
{
    worker->team = team;
    return tl_check_desk_init(&worker->desk) == 0 &&
           tl_check_start_part(&worker->check, team->whole, &team->shared) == 0;
}

static bool start_threads(struct tl_check_team *team)
{
    for (unsigned i = 0; i < team->num; i++) {
        struct worker *worker = &team->workers[i];

        worker->runs = pthread_create(&worker->thread, NULL, work, worker) == 0;
        if (!worker->runs)
            return false;
    }
    return true;
}

/* A team of so many workers, with room for rounds if they are to be threads. */
static struct tl_check_team *make_team(struct tl_check *check, unsigned num, bool threads,
                                       struct fal_error *err)
{
    struct tl_check_team *team = calloc(1, sizeof *team);
    bool ok;

    if (team == NULL)
        goto fail;
    team->whole = check;
    (void)pthread_mutex_init(&team->lock, NULL);
    (void)pthread_cond_init(&team->changed, NULL);
    (void)pthread_cond_init(&team->advanced, NULL);
    team->shared.in_turn = threads ? in_turn : NULL;
    team->workers = calloc(num, sizeof *team->workers);
    if (team->workers == NULL)
        goto fail;
    team->num = num;
    for (unsigned i = 0; i < num; i++)
        team->workers[i].number = i;
    ok = tl_check_share(&team->shared, check) == 0 && (!threads || make_rounds(team));
    for (unsigned i = 0; ok && i < num; i++)
        ok = make_part(team, &team->workers[i]);
    if (ok)
        return team;
fail:
    (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    tl_check_team_free(team);
    return NULL;
}

struct tl_check_team *tl_check_team_new(struct tl_check *check, struct fal_error *err)
{
    unsigned jobs = check->options->jobs;
    struct tl_check_team *team =
        make_team(check, jobs < TL_CHECK_JOBS_MAX ? jobs : TL_CHECK_JOBS_MAX, true, err);

    if (team == NULL || start_threads(team))
        return team;
    (void)fal_fail(err, FAL_ERR_MEM, "%u threads cannot be started; try --jobs 1", team->num);
    tl_check_team_free(team);
    return NULL;
}

struct tl_check_team *tl_check_team_of_shards(struct tl_check *check, unsigned num,
                                              struct fal_error *err)
{
    return make_team(check, num, false, err);
}

void tl_check_team_finish(struct tl_check_team *team)
{
    tl_check_team_rest(team);
    (void)pthread_mutex_lock(&team->lock);
    team->over = true;
    (void)pthread_cond_broadcast(&team->changed);
    (void)pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->num; i++) {
        if (team->workers[i].runs)
            (void)pthread_join(team->workers[i].thread, NULL);
        team->workers[i].runs = false;
    }
}

void tl_check_team_free(struct tl_check_team *team)
{
    if (team == NULL)
        return;
    if (team->workers != NULL) {
        tl_check_team_finish(team);
        for (unsigned i = 0; i < team->num; i++) {
            tl_check_free(&team->workers[i].check);
            tl_check_desk_free(&team->workers[i].desk);
        }
    }
    for (size_t r = 0; r < ROUNDS; r++) {
        free(team->rounds[r].items);
        free(team->rounds[r].bytes);
        for (unsigned i = 0; i < team->num; i++)
            free(team->rounds[r].list[i]);
    }
    free(team->workers);
    tl_check_share_free(&team->shared);
    (void)pthread_cond_destroy(&team->advanced);
    (void)pthread_cond_destroy(&team->changed);
    (void)pthread_mutex_destroy(&team->lock);
    free(team);
}
