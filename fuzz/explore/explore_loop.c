/* SPDX-License-Identifier: Apache-2.0
 * explore_loop.c - one theme: depth by depth, all actions behind each sequence that was kept at
 * the depth before. Parts of a depth are played side by side; their ends are looked at in the
 * order of the sequences, so --jobs does not change the results. */
#include "fuzz/explore/explore.h"

#include "fuzz/hunt/hunt_watch.h"
#include "harness/cli/cmd.h"
#include "oracles/payload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 2048 };

/* How many sequences of 1 to `depth` actions there are. */
static uint64_t space(uint64_t actions, unsigned depth)
{
    uint64_t sum = 0, power = 1;

    for (unsigned i = 0; i < depth; i++) {
        power *= actions;
        sum += power;
    }
    return sum;
}

static int fail_memory(struct explore *e)
{
    e->hunt.oom = true;
    e->hunt.stop = true;
    return FAL_ERR_MEM;
}

/* The sequence becomes one of those that are extended at the next depth. */
static int keep(struct explore *e, const explore_act *sequence)
{
    size_t bytes = e->depth * sizeof *sequence;

    if (e->num_next == e->cap_next) {
        size_t cap = e->cap_next == 0 ? 256 : e->cap_next * 2;
        explore_act *grown = realloc(e->next, cap * bytes);

        if (grown == NULL)
            return fail_memory(e);
        e->next = grown;
        e->cap_next = cap;
    }
    memcpy(e->next + e->num_next++ * e->depth, sequence, bytes);
    return 0;
}

/* Counts the end of a sequence, and whether it is extended. */
static int look(struct explore *e, uint64_t number, const struct explore_record *record)
{
    explore_act sequence[EXPLORE_DEPTH_MAX];
    bool last = e->depth == e->o->depth;
    int fresh = record->end == 'r' ? explore_set_add(&e->seen, record->state) : 0;

    e->counts.played++;
    e->counts.stopped += record->end == 's';
    e->counts.rejected += record->end == 'x';
    e->counts.ours += record->end == 'o';
    if (fresh < 0)
        return fail_memory(e);
    if (last)
        return 0;
    if (fresh == 0 && !e->o->no_prune) {
        e->counts.pruned += space(explore_world(e)->num_actions, e->o->depth - e->depth);
        return 0;
    }
    explore_sequence(e, number, sequence);
    return keep(e, sequence);
}

/* ---- findings ---- */

/* The same sequence under a name of its own, which decides its seed, if it shows the problem
 * then, too. Else it keeps the name. New reference. */
static json_t *rename_case(struct explore *e, json_t *doc, const struct hunt_problem *problem,
                           const char *how)
{
    struct hunt_bench *bench = &e->workers[0].bench;
    json_t *named = json_deep_copy(doc), *whole;
    struct hunt_outcome again;
    char id[EXPLORE_NAME_MAX + 20];
    uint64_t hash = fal_payload_hash((const uint8_t *)how, strlen(how)) * 31 +
                    fal_payload_hash((const uint8_t *)problem->key, strlen(problem->key));
    bool same = false;

    (void)snprintf(id, sizeof id, "explore-%s-%08x", e->theme, (unsigned)(hash >> 32));
    if (named == NULL || json_object_set_new(named, "id", json_string(id)) != 0)
        return named;
    whole = hunt_complete_by(bench->book, named);
    if (whole == NULL)
        return named;
    hunt_play(bench, whole, &again);
    json_decref(whole);
    for (size_t i = 0; i < again.num_problems; i++)
        same |= strcmp(again.problems[i].key, problem->key) == 0;
    if (!same)
        (void)json_object_set(named, "id", json_object_get(doc, "id"));
    return named;
}

/* A problem that was seen before in the same state needs no more than a count. */
static bool is_known(const struct hunt *h, const struct hunt_problem *p)
{
    for (size_t i = 0; i < h->num_findings; i++)
        if (strcmp(h->findings[i].key, p->key) == 0 &&
            strcmp(h->findings[i].state, p->state) == 0)
            return true;
    return false;
}

/* Minimises and keeps one problem of a sequence. */
static void keep_problem(struct explore *e, uint64_t number, const struct hunt_problem *problem)
{
    struct hunt_outcome one = {.end = HUNT_RAN, .problems = {*problem}, .num_problems = 1};
    explore_act sequence[EXPLORE_DEPTH_MAX];
    char how[EXPLORE_HOW_MAX];
    json_t *doc, *named;

    explore_sequence(e, number, sequence);
    explore_say(explore_world(e), sequence, e->depth, how, sizeof how);
    doc = explore_doc(explore_world(e), sequence, e->depth);
    named = doc != NULL ? rename_case(e, doc, problem, how) : NULL;
    e->hunt.depth = e->depth;
    e->hunt.how = how;
    if (named != NULL)
        hunt_found(&e->hunt, &e->workers[0].bench, named, &one);
    e->hunt.how = NULL;
    json_decref(named);
    json_decref(doc);
}

static void found(struct explore *e, uint64_t number, const struct hunt_outcome *out)
{
    if (out->end == HUNT_OURS && e->hunt.ours++ == 0) {
        explore_act sequence[EXPLORE_DEPTH_MAX];
        char how[EXPLORE_HOW_MAX];

        explore_sequence(e, number, sequence);
        explore_say(explore_world(e), sequence, e->depth, how, sizeof how);
        (void)snprintf(e->hunt.first_ours, sizeof e->hunt.first_ours, "%.90s: %.100s", how,
                       out->why);
    }
    if (out->end == HUNT_DEAD && !e->hunt.stop) {
        e->hunt.stop = true;
        (void)snprintf(e->hunt.stop_why, sizeof e->hunt.stop_why, "%s", out->why);
    }
    for (size_t i = 0; i < out->num_problems; i++)
        if (!is_known(&e->hunt, &out->problems[i]))
            keep_problem(e, number, &out->problems[i]);
}

/* ---- a depth ---- */

/* Reads the ends of the sequences of this depth that an earlier exploration has played. */
static int catch_up(struct explore *e, uint64_t all, uint64_t *at)
{
    struct explore_record record;
    int rc = 0;

    while (rc == 0 && *at < all && explore_journal_next(e, &record))
        rc = look(e, (*at)++, &record);
    return rc;
}

static int play_part(struct explore *e, uint64_t at, uint64_t count)
{
    uint64_t played;
    int rc = 0;

    e->first = at;
    e->count = count;
    played = explore_play_part(e);
    e->taken = 0;
    for (uint64_t i = 0; i < played; i++) {
        e->hunt.execs++;
        if (rc == 0)
            rc = look(e, at + i, &e->records[i]);
        if (rc == 0 && e->records[i].outcome != NULL)
            found(e, at + i, e->records[i].outcome);
        free(e->records[i].outcome);
    }
    if (rc == 0 && explore_journal_add(e, e->records, played) != 0) {
        e->hunt.stop = true;
        (void)snprintf(e->hunt.stop_why, sizeof e->hunt.stop_why,
                       "the states cannot be written");
    }
    return rc;
}

/* All sequences of e->depth actions. */
static int play_depth(struct explore *e)
{
    uint64_t all = e->num_front * explore_world(e)->num_actions, at = 0;
    int rc = catch_up(e, all, &at);

    if (rc == 0 && at < all && e->journal != NULL)
        (void)fseek(e->journal, 0, SEEK_CUR); /* between reading and writing */
    while (rc == 0 && at < all && !e->hunt.stop) {
        uint64_t count = all - at < PART ? all - at : PART;

        rc = play_part(e, at, count);
        at += count;
    }
    free(e->front);
    e->front = e->next;
    e->num_front = e->num_next;
    e->next = NULL;
    e->num_next = e->cap_next = 0;
    return rc;
}

/* ---- beginning and end ---- */

/* `asking`: what the judges share. */
static int begin_worker(struct explore *e, struct explore_worker *w,
                        const struct fal_asking *asking)
{
    struct fal_error err = {{0}};

    w->explore = e;
    if (tl_alphabet_read(e->o->alphabet, e->o->text, e->o->text_len, &w->alphabet, &err) != 0 ||
        explore_world_of(&w->alphabet, e->theme, &w->world, &err) != 0) {
        fprintf(stderr, "talon explore: %s\n", err.text);
        return FAL_ERR_FORM;
    }
    w->bench.run = e->o->run;
    w->bench.run.asking = asking;
    w->bench.book = hunt_book_new(false);
    w->bench.warnings = e->o->warnings;
    if (w->bench.book == NULL)
        return FAL_ERR_MEM;
    hunt_book_given(w->bench.book, w->bench.run.params);
    hunt_book_no_promises(w->bench.book);
    if (w != e->workers) {
        w->bench.ics = e->workers[0].bench.ics;
        return 0;
    }
    if (hunt_bench_greet(&w->bench, &err) == 0)
        return 0;
    fprintf(stderr, "talon explore: %s\n", err.text);
    e->unreached = true;
    return FAL_ERR_IO;
}

static int begin(struct explore *e, const struct fal_asking *asking)
{
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i < e->jobs; i++)
        rc = begin_worker(e, &e->workers[i], asking);
    if (rc == 0)
        rc = hunt_keep_open(&e->hunt);
    if (rc == 0)
        rc = explore_journal_open(e);
    for (size_t i = 0; i < e->hunt.num_findings; i++)
        e->hunt.failed |= e->hunt.findings[i].verdict >= FAL_VERDICT_FAIL;
    e->counts.total = space(explore_world(e)->num_actions, e->o->depth);
    e->num_front = 1; /* the empty sequence */
    return rc;
}

static void end(struct explore *e)
{
    for (unsigned i = 0; i < e->jobs; i++) {
        hunt_bench_close(&e->workers[i].bench);
        hunt_book_free(e->workers[i].bench.book);
        tl_alphabet_free(&e->workers[i].alphabet);
    }
    for (size_t i = 0; i < e->hunt.num_findings; i++)
        free(e->hunt.findings[i].sequence);
    free(e->hunt.findings);
    if (e->journal != NULL)
        (void)fclose(e->journal);
    explore_set_free(&e->seen);
    (void)pthread_mutex_destroy(&e->hunt.lock);
    free(e->front);
    free(e->next);
    free(e->records);
    free(e->workers);
}

static int explore_all(struct explore *e)
{
    int rc = 0, status;

    for (e->depth = 1; rc == 0 && e->depth <= e->o->depth && !e->hunt.stop; e->depth++)
        rc = play_depth(e);
    e->depth = e->o->depth;
    explore_progress(e, true);
    explore_summary(e);
    status = e->hunt.failed ? TL_STATUS_FAIL : TL_STATUS_PASS;
    if (rc != 0 || e->hunt.oom)
        status = TL_STATUS_ERROR;
    if (e->hunt.stop_why[0] != 0 && strcmp(e->hunt.stop_why, "interrupted") != 0 &&
        strcmp(e->hunt.stop_why, "the time is over") != 0)
        status = TL_STATUS_ERROR;
    return status;
}

/* Of the part at hand nothing is written: the next run plays it again. */
static void print_last(void *ctx)
{
    struct explore *e = ctx;

    if (e->journal != NULL)
        (void)fflush(e->journal);
    explore_summary(e);
}

int explore_run(const struct explore_options *o, const char *theme)
{
    unsigned jobs = tl_target_live(o->run.target.kind) ? 1 : o->jobs;
    struct explore e = {.o = o, .theme = theme, .jobs = jobs};
    struct hunt_watch watch = {
        .hunt = &e.hunt, .verb = "talon explore", .last = print_last, .ctx = &e, .signals = -1};
    struct fal_asking *asking = fal_asking_new(&(struct fal_judge_config){.only = NULL});
    int status = TL_STATUS_ERROR, rc;

    e.hunt_options = (struct hunt_options){.run = o->run,
                                           .sut = o->sut,
                                           .dir = o->dir,
                                           .findings = o->findings,
                                           .warnings = o->warnings,
                                           .findings_only = true};
    e.hunt.o = &e.hunt_options;
    e.begun = e.hunt.begun = hunt_clock();
    e.workers = calloc(jobs, sizeof *e.workers);
    e.records = calloc(PART, sizeof *e.records);
    if (e.workers == NULL || e.records == NULL || pthread_mutex_init(&e.hunt.lock, NULL) != 0) {
        fprintf(stderr, "talon explore: out of memory\n");
        free(e.workers);
        free(e.records);
        fal_asking_free(asking);
        return status;
    }
    hunt_watch_begin(&watch);
    rc = begin(&e, asking);
    if (rc == 0)
        status = explore_all(&e);
    else if (rc != FAL_ERR_MEM && !e.unreached)
        status = TL_STATUS_USAGE;
    hunt_watch_end(&watch);
    end(&e);
    fal_asking_free(asking);
    return status;
}
