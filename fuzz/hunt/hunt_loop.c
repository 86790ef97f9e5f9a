/* SPDX-License-Identifier: Apache-2.0
 * hunt_loop.c - the hunt: workers take cases of the corpus, change them, play them, and keep
 * those that show something new. */
#include "fuzz/hunt/hunt_loop.h"

#include "fuzz/hunt/hunt_watch.h"
#include "harness/cli/cmd.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Half a second each: until a SUT is there, and until it is there again. */
enum { FIRST_RETRIES = 240, RETRIES = 10, LOOK_EVERY = 16, PLAIN_ONE_IN = 6 };

struct worker {
    struct hunt *hunt;
    struct fal_rng rng;
    struct hunt_bench bench;
    pthread_t thread;
};

static double read_clock(clockid_t which)
{
    struct timespec now;

    (void)clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double hunt_clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double hunt_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- corpus ---- */

/* With the lock; takes `doc`. */
static void add_case(struct hunt *h, json_t *doc, uint64_t cost)
{
    if (h->num_corpus == h->cap_corpus) {
        size_t cap = h->cap_corpus == 0 ? 256 : h->cap_corpus * 2;
        struct hunt_entry *grown = realloc(h->corpus, cap * sizeof *grown);

        if (grown == NULL) {
            h->oom = true;
            h->stop = true;
            json_decref(doc);
            return;
        }
        h->corpus = grown;
        h->cap_corpus = cap;
    }
    h->corpus[h->num_corpus++] =
        (struct hunt_entry){.doc = doc, .cost = cost, .lawful = hunt_lawful(doc)};
}

static uint64_t price(const struct hunt_entry *e)
{
    return (e->picked + 1) * (e->cost + 32);
}

/* With the lock: of some that are drawn, the one that costs least, for how often it was picked;
 * the youngest half has an edge; one in three is to be allowed. Borrowed. */
static json_t *pick(struct hunt *h, struct fal_rng *rng, bool count)
{
    struct hunt_entry *best = NULL;
    bool lawful = count && hunt_one_in(rng, 3);

    for (unsigned i = 0; i < 3; i++) {
        size_t half = h->num_corpus / 2;
        size_t at = hunt_one_in(rng, 2) ? half + hunt_below(rng, h->num_corpus - half)
                                        : hunt_below(rng, h->num_corpus);

        for (size_t k = 0; lawful && !h->corpus[at].lawful && k < h->num_corpus; k++)
            at = (at + 1) % h->num_corpus;
        if (best == NULL || price(&h->corpus[at]) < price(best))
            best = &h->corpus[at];
    }
    best->picked += count;
    return best->doc;
}

/* ---- progress ---- */

static void show(struct hunt *h, bool last)
{
    double now = hunt_clock();
    bool tty = isatty(STDERR_FILENO) == 1 && !h->o->quiet;

    if (!tty || (!last && now - h->shown < 0.2) || now - h->begun < 1)
        return;
    h->shown = now;
    fprintf(stderr,
            "\r\033[K%.0f s, %" PRIu64
            " executions (%.0f/s), corpus %zu, features %zu, findings %zu%s",
            now - h->begun, h->execs, (double)h->execs / (now - h->begun), h->num_corpus,
            h->seen.features, h->written, last ? "\n" : "");
    (void)fflush(stderr);
}

/* With the lock: whether a limit has been reached. Clocks cost more than a case: on a bench
 * that plays thousands of them they are looked at now and then. */
static bool at_an_end(struct hunt *h)
{
    bool often = !tl_target_live(h->o->run.target.kind);

    if (h->o->execs > 0 && h->execs >= h->o->execs)
        h->stop = true;
    if (often && h->execs < h->next_look)
        return h->stop;
    h->next_look = h->execs + LOOK_EVERY;
    if ((h->o->seconds > 0 && hunt_clock() - h->begun >= h->o->seconds) ||
        (h->o->cpu_seconds > 0 && hunt_cpu() >= h->o->cpu_seconds))
        h->stop = true;
    show(h, false);
    return h->stop;
}

/* ---- playing ---- */

/* How often a SUT that does not answer is asked again: not at all before it answered once. */
static unsigned patience_of(struct hunt *h)
{
    unsigned patience;

    pthread_mutex_lock(&h->lock);
    patience = h->patience;
    pthread_mutex_unlock(&h->lock);
    return patience;
}

/* Plays a document (taken); it becomes part of the corpus where it shows something new. */
static void try_case(struct worker *w, json_t *doc, bool write)
{
    struct hunt *h = w->hunt;
    json_t *whole;
    struct hunt_outcome out;
    size_t fresh = 0, map_len;
    uint64_t cost;
    const uint8_t *map;

    hunt_suit(doc, &w->bench.ics);
    whole = hunt_complete_by(w->bench.book, doc);
    if (whole == NULL) {
        json_decref(doc);
        return;
    }
    hunt_play(&w->bench, whole, &out);
    json_decref(whole);
    for (unsigned i = 0; out.end == HUNT_DEAD && i < patience_of(h); i++) {
        const struct timespec pause = {.tv_nsec = 500 * 1000 * 1000};

        (void)nanosleep(&pause, NULL); /* it may be on its way up again */
        whole = hunt_complete_by(w->bench.book, doc);
        hunt_play(&w->bench, whole, &out);
        json_decref(whole);
    }
    map = hunt_map_bytes(h->map, &map_len);
    cost = w->bench.features.packets;
    pthread_mutex_lock(&h->lock);
    h->patience = RETRIES;
    h->execs++;
    h->rejected += out.end == HUNT_REJECTED;
    if (out.end == HUNT_OURS && h->ours++ == 0)
        (void)snprintf(h->first_ours, sizeof h->first_ours, "%s: %.150s",
                       json_string_value(json_object_get(doc, "id")), out.why);
    if (out.end == HUNT_DEAD && !h->stop) {
        h->stop = true;
        (void)snprintf(h->stop_why, sizeof h->stop_why, "%s", out.why);
    }
    if (out.end == HUNT_RAN || out.end == HUNT_OURS)
        fresh = hunt_seen_add(&h->seen, &w->bench.features, map, map_len);
    pthread_mutex_unlock(&h->lock);
    if (out.num_problems > 0)
        hunt_found(h, &w->bench, doc, &out);
    pthread_mutex_lock(&h->lock);
    if (fresh > 0 && out.end == HUNT_RAN) {
        if (write)
            hunt_keep_case(h, doc);
        add_case(h, doc, cost);
    } else {
        json_decref(doc);
    }
    pthread_mutex_unlock(&h->lock);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct hunt *h = w->hunt;

    for (;;) {
        json_t *doc = NULL, *other = NULL;
        bool end, good, plain = hunt_one_in(&w->rng, PLAIN_ONE_IN);

        pthread_mutex_lock(&h->lock);
        end = at_an_end(h);
        if (!end && !plain) {
            doc = hunt_copy(pick(h, &w->rng, true));
            other = json_incref(pick(h, &w->rng, false)); /* kept documents are never changed */
        }
        pthread_mutex_unlock(&h->lock);
        if (end)
            return NULL;
        if (plain)
            doc = hunt_upper_program(h->o->upper, &w->rng);
        good = doc != NULL && (plain || hunt_mutate(doc, other, &w->rng));
        if (good)
            hunt_suit(doc, &w->bench.ics);
        if (good && hunt_true(doc)) {
            hunt_name(doc, fal_rng_next(&w->rng));
            try_case(w, doc, true);
        } else {
            json_decref(doc);
        }
        pthread_mutex_lock(&h->lock); /* other threads count references to it, too */
        json_decref(other);
        pthread_mutex_unlock(&h->lock);
    }
}

/* ---- beginning and end ---- */

struct reading {
    struct worker *worker;
    bool write;
    size_t count;
};

static void take_doc(void *ctx, json_t *doc)
{
    struct reading *r = ctx;
    json_t *ours = hunt_import(doc);

    json_decref(doc);
    if (ours == NULL || r->worker->hunt->stop) {
        json_decref(ours);
        return;
    }
    hunt_strip(ours);
    if (strncmp(json_string_value(json_object_get(ours, "id")), "fuzz-", 5) != 0)
        hunt_name(ours, fal_rng_next(&r->worker->rng));
    r->count++;
    try_case(r->worker, ours, r->write);
}

/* The first cases: those of the folder, then those that were named, or the plain workloads. */
static int load(struct hunt *h, struct worker *w)
{
    struct reading kept = {.worker = w}, seeds = {.worker = w, .write = true};
    int rc = 0;

    if (h->o->dir != NULL)
        rc = hunt_keep_read(h->o->dir, false, take_doc, &kept);
    for (size_t i = 0; rc == 0 && i < h->o->num_from; i++)
        rc = hunt_keep_read(h->o->from[i], h->o->merge, take_doc, &seeds);
    for (size_t i = 0; rc == 0 && h->o->num_from == 0 && h->num_corpus == 0; i++) {
        json_t *doc = hunt_upper_seed(h->o->upper, i);

        if (doc == NULL)
            break;
        hunt_name(doc, i + 1);
        try_case(w, doc, true);
    }
    if (rc == 0 && h->num_corpus == 0 && !h->stop) {
        fprintf(stderr,
                "talon fuzz: no scenario to begin with: with --encap %s, the ICS of the SUT "
                "denies something that each of them needs (talon list ics)\n",
                fal_encap_name(h->o->run.encap));
        return FAL_ERR_FORM;
    }
    return rc;
}

static int by_age(const void *a, const void *b)
{
    const struct hunt_finding *x = a, *y = b;

    return x->execs < y->execs ? -1 : x->execs > y->execs;
}

static void summary(struct hunt *h)
{
    double seconds = hunt_clock() - h->begun;

    if (h->num_findings > 0)
        qsort(h->findings, h->num_findings, sizeof *h->findings, by_age);
    for (size_t i = 0; i < h->num_findings; i++) {
        const struct hunt_finding *f = &h->findings[i];

        if (f->counted_only || f->times == 0)
            continue;
        printf("%-5s %-28s at '%s', after %" PRIu64
               " executions, %.2f s of CPU time; size %zu, %s\n",
               f->verdict >= FAL_VERDICT_FAIL ? "FAIL" : "warn", f->key, f->state, f->execs,
               f->seconds, f->size, f->name);
    }
    printf("%" PRIu64 " executions in %.1f s, %.1f s of CPU time; %zu cases, %zu features",
           h->execs, seconds, hunt_cpu(), h->num_corpus, h->seen.features);
    if (h->map != NULL)
        printf(", %zu edges", h->seen.edges_seen);
    printf("; %zu finding%s (seed %" PRIu64 ")\n", h->written, h->written == 1 ? "" : "s",
           h->o->seed);
    if (h->rejected > 0)
        printf("%" PRIu64 " mutant%s not a valid scenario\n", h->rejected,
               h->rejected == 1 ? " was" : "s were each");
    if (h->ours > 0)
        printf("%" PRIu64
               " case%s stopped by the test bench (a Talon problem); the first: %s\n",
               h->ours, h->ours == 1 ? " was" : "s were", h->first_ours);
    if (h->stop_why[0] != 0)
        printf("stopped: %s\n", h->stop_why);
}

static int open_map(struct hunt *h)
{
    struct fal_error err = {{0}};
    size_t len;

    if (!h->o->has_map)
        return 0;
    if (hunt_map_open(&h->map, h->o->map_number, h->o->map_len, &err) != 0) {
        fprintf(stderr, "talon fuzz: --afl-map: %s\n", err.text);
        return FAL_ERR_IO;
    }
    (void)hunt_map_bytes(h->map, &len);
    if (h->o->map_number < 0) {
        h->patience = FIRST_RETRIES;
        fprintf(stderr, "talon fuzz: start the SUT with __AFL_SHM_ID=%d AFL_MAP_SIZE=%zu\n",
                hunt_map_number(h->map), len);
    }
    h->seen.edges = calloc(len, 1);
    h->seen.num_edges = len;
    return h->seen.edges != NULL ? 0 : FAL_ERR_MEM;
}

static struct tl_scenario *read_alive(void)
{
    json_t *doc = hunt_seed(0), *whole;
    char *text, *errors = NULL;
    struct tl_scenario *s = NULL;

    if (doc != NULL)
        (void)json_object_del(doc, "workload");
    whole = doc != NULL ? hunt_complete(doc) : NULL;
    text = whole != NULL ? json_dumps(whole, 0) : NULL;
    if (text != NULL)
        s = tl_scenario_read("alive.json", text, strlen(text), &errors);
    free(errors);
    free(text);
    json_decref(whole);
    json_decref(doc);
    return s;
}

static void print_last(void *ctx)
{
    summary(ctx);
}

static void hunt_with(struct hunt *h, struct worker *workers, unsigned jobs)
{
    unsigned started = 0;

    while (started + 1 < jobs &&
           pthread_create(&workers[started + 1].thread, NULL, work, &workers[started + 1]) == 0)
        started++;
    (void)work(&workers[0]);
    for (unsigned i = 1; i <= started; i++)
        (void)pthread_join(workers[i].thread, NULL);
    show(h, true);
}

/* `asking` NULL: each judge makes its own lists. */
static int begin_workers(struct hunt *h, struct worker *workers, unsigned jobs,
                         const struct fal_asking *asking)
{
    struct fal_error err = {{0}};

    for (unsigned i = 0; i < jobs; i++) {
        struct worker *w = &workers[i];

        w->hunt = h;
        w->rng = fal_rng_split(h->o->seed, i + 1);
        w->bench.run = h->o->run;
        w->bench.run.asking = asking;
        w->bench.book = hunt_book_new(h->o->reduced);
        w->bench.warnings = h->o->warnings;
        w->bench.alive = h->alive;
        w->bench.map = h->map;
        if (w->bench.book == NULL)
            return FAL_ERR_MEM;
        hunt_book_suit(w->bench.book, &w->bench.ics);
        hunt_book_given(w->bench.book, w->bench.run.params);
        /* With --afl-map new the SUT is started while Talon waits. */
        if (i == 0 && hunt_bench_greet(&w->bench, &err) != 0 && h->patience != FIRST_RETRIES) {
            fprintf(stderr, "talon fuzz: %s\n", err.text);
            return FAL_ERR_IO;
        }
        if (i > 0)
            w->bench.ics = workers[0].bench.ics;
    }
    return 0;
}

int hunt_run(const struct hunt_options *o)
{
    static const char *const lint[] = {"L1", "L2", NULL}; /* the reduced oracle */
    struct hunt *h = calloc(1, sizeof *h);
    unsigned jobs = tl_target_live(o->run.target.kind) ? 1 : o->jobs;
    struct worker *workers = calloc(jobs, sizeof *workers);
    struct fal_asking *asking =
        fal_asking_new(&(struct fal_judge_config){.only = o->reduced ? lint : NULL});
    struct hunt_watch watch;
    int status = TL_STATUS_ERROR;

    if (h == NULL || workers == NULL || pthread_mutex_init(&h->lock, NULL) != 0) {
        fprintf(stderr, "talon fuzz: out of memory\n");
        fal_asking_free(asking);
        free(h);
        free(workers);
        return status;
    }
    h->o = o;
    h->begun = hunt_clock();
    h->patience = RETRIES;
    h->alive = read_alive();
    watch = (struct hunt_watch){
        .hunt = h, .verb = "talon fuzz", .last = print_last, .ctx = h, .signals = -1};
    hunt_watch_begin(&watch);
    if (open_map(h) != 0 || hunt_keep_open(h) != 0 ||
        begin_workers(h, workers, jobs, asking) != 0)
        goto done;
    if (load(h, &workers[0]) != 0) {
        status = TL_STATUS_USAGE;
        goto done;
    }
    if (!o->merge && !h->stop)
        hunt_with(h, workers, jobs);
    summary(h);
    status = h->failed ? TL_STATUS_FAIL : TL_STATUS_PASS;
    if (h->oom || (h->stop_why[0] != 0 && strcmp(h->stop_why, "interrupted") != 0))
        status = TL_STATUS_ERROR;
done:
    hunt_watch_end(&watch);
    for (unsigned i = 0; i < jobs; i++) {
        hunt_bench_close(&workers[i].bench);
        hunt_book_free(workers[i].bench.book);
    }
    fal_asking_free(asking);
    for (size_t i = 0; i < h->num_corpus; i++)
        json_decref(h->corpus[i].doc);
    for (size_t i = 0; i < h->num_findings; i++)
        free(h->findings[i].sequence);
    tl_scenario_free(h->alive);
    hunt_map_close(h->map);
    (void)pthread_mutex_destroy(&h->lock);
    free(h->seen.edges);
    free(h->findings);
    free(h->corpus);
    free(h);
    free(workers);
    return status;
}
