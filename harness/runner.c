/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/runner.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What the threads share. */
struct crew {
    const struct tl_run *run;
    struct tl_results *results;
    pthread_mutex_t lock;
    size_t next;  /* case to be taken */
    size_t ended; /* cases of which has been told: all below this */
    bool *done;
    char product[160];
};

static void case_done(struct crew *crew, size_t index)
{
    const struct tl_run *run = crew->run;

    pthread_mutex_lock(&crew->lock);
    crew->done[index] = true;
    while (crew->ended < run->num_scenarios && crew->done[crew->ended]) {
        if (run->ended != NULL)
            run->ended(run->ctx, crew->results, &crew->results->cases[crew->ended]);
        crew->ended++;
    }
    pthread_mutex_unlock(&crew->lock);
}

static bool take_case(struct crew *crew, size_t *index)
{
    bool taken;

    pthread_mutex_lock(&crew->lock);
    taken = crew->next < crew->run->num_scenarios;
    *index = crew->next;
    crew->next += taken;
    pthread_mutex_unlock(&crew->lock);
    return taken;
}

/* A bench that cannot be opened leaves each case in error, and at once. */
static void open_bench(struct crew *crew, struct tl_bench *bench, uint64_t seed)
{
    struct fal_error err = {{0}};

    if (tl_bench_open(bench, &crew->run->target, seed, &err) == 0)
        return;
    bench->dead = true;
    bench->why = err;
}

static void run_one(struct crew *crew, struct tl_bench *bench, size_t index)
{
    const struct tl_scenario *scenario = crew->run->scenarios[index];
    struct tl_case *c = &crew->results->cases[index];

    tl_run_case(crew->run, bench, scenario, c);
    if (index == 0)
        memcpy(crew->product, bench->product, sizeof crew->product);
    case_done(crew, index);
}

static void *work(void *arg)
{
    struct crew *crew = arg;
    size_t index;

    while (take_case(crew, &index)) {
        struct tl_bench bench;
        const char *id = crew->run->scenarios[index]->id;

        open_bench(crew, &bench, tl_run_seed(crew->run->seed, id));
        run_one(crew, &bench, index);
        tl_bench_close(&bench);
    }
    return NULL;
}

static void run_in_turn(struct crew *crew)
{
    struct tl_bench bench;
    size_t index;

    open_bench(crew, &bench, crew->run->seed);
    while (take_case(crew, &index))
        run_one(crew, &bench, index);
    tl_bench_close(&bench);
}

static int run_side_by_side(struct crew *crew, struct fal_error *err)
{
    size_t jobs =
        crew->run->jobs < crew->run->num_scenarios ? crew->run->jobs : crew->run->num_scenarios;
    pthread_t *threads = calloc(jobs > 0 ? jobs : 1, sizeof *threads);
    size_t started = 0;

    if (threads == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, work, crew) == 0)
        started++;
    (void)work(crew); /* this thread works, too: if no other can be had, alone */
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    free(threads);
    return 0;
}

int tl_run_all(const struct tl_run *run, struct tl_results *results, struct fal_error *err)
{
    struct crew crew = {.run = run, .results = results};
    int rc = 0;

    results->seed = run->seed;
    results->live = run->target.kind != TL_TARGET_BUILTIN;
    results->cases =
        calloc(run->num_scenarios > 0 ? run->num_scenarios : 1, sizeof *results->cases);
    crew.done = calloc(run->num_scenarios > 0 ? run->num_scenarios : 1, sizeof *crew.done);
    if (results->cases == NULL || crew.done == NULL) {
        free(crew.done);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    results->num_cases = run->num_scenarios;
    if (pthread_mutex_init(&crew.lock, NULL) != 0) {
        free(crew.done);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    switch (run->target.kind) {
    case TL_TARGET_BUILTIN: rc = run_side_by_side(&crew, err); break;
    case TL_TARGET_UDP: run_in_turn(&crew); break;
    }
    results->product = crew.product[0] != 0 ? strdup(crew.product) : NULL;
    (void)pthread_mutex_destroy(&crew.lock);
    free(crew.done);
    return rc;
}

void tl_run_clear(struct tl_results *results)
{
    for (size_t i = 0; i < results->num_cases; i++)
        tl_case_clear(&results->cases[i]);
    free(results->cases);
    free(results->product);
    results->cases = NULL;
    results->product = NULL;
    results->num_cases = 0;
}
