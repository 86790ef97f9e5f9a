/* SPDX-License-Identifier: Apache-2.0
 * explore_play.c - plays sequences, by several workers side by side. */
#include "fuzz/explore/explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void explore_sequence(const struct explore *e, uint64_t number, explore_act *out)
{
    uint64_t before = number / explore_world(e)->num_actions;

    for (unsigned i = 0; i + 1 < e->depth; i++)
        out[i] = e->front[before * (e->depth - 1) + i];
    out[e->depth - 1] = (explore_act)(number % explore_world(e)->num_actions);
}

static char end_of(const struct hunt_outcome *out, const struct explore_digest *digest)
{
    switch (out->end) {
    case HUNT_RAN: return digest->ended ? 'r' : 's';
    case HUNT_REJECTED:
    case HUNT_UNSUITED: return 'x';
    case HUNT_OURS: return 'o';
    case HUNT_DEAD: return 'd';
    }
    return 'd';
}

static void play_one(struct explore_worker *w, uint64_t number, struct explore_record *record)
{
    explore_act sequence[EXPLORE_DEPTH_MAX];
    struct explore_digest digest = {.hash = 0};
    struct hunt_outcome out = {.end = HUNT_REJECTED};
    json_t *doc, *whole;

    explore_sequence(w->explore, number, sequence);
    doc = explore_doc(&w->world, sequence, w->explore->depth);
    whole = doc != NULL && hunt_true(doc) ? hunt_complete_by(w->bench.book, doc) : NULL;
    w->bench.run.event = explore_digest_event;
    w->bench.run.event_ctx = &digest;
    if (whole != NULL)
        hunt_play(&w->bench, whole, &out);
    w->bench.run.event = NULL;
    *record = (struct explore_record){.state = digest.state, .end = end_of(&out, &digest)};
    if (out.num_problems > 0 || out.end == HUNT_OURS || out.end == HUNT_DEAD)
        record->outcome = malloc(sizeof out);
    if (record->outcome != NULL)
        *record->outcome = out;
    json_decref(whole);
    json_decref(doc);
}

/* With the lock. */
static bool at_an_end(struct explore *e)
{
    struct hunt *h = &e->hunt;

    if (e->o->seconds > 0 && hunt_clock() - e->begun >= e->o->seconds && !h->stop) {
        h->stop = true;
        (void)snprintf(h->stop_why, sizeof h->stop_why, "the time is over");
    }
    return h->stop;
}

static void *work(void *arg)
{
    struct explore_worker *w = arg;
    struct explore *e = w->explore;

    for (;;) {
        uint64_t number;
        bool over;

        pthread_mutex_lock(&e->hunt.lock);
        over = e->taken == e->count || at_an_end(e);
        number = over ? 0 : e->taken++;
        if (!over)
            explore_progress(e, false);
        pthread_mutex_unlock(&e->hunt.lock);
        if (over)
            return NULL;
        play_one(w, e->first + number, &e->records[number]);
    }
}

uint64_t explore_play_part(struct explore *e)
{
    unsigned started = 0;

    e->taken = 0;
    while (started + 1 < e->jobs && pthread_create(&e->workers[started + 1].thread, NULL, work,
                                                   &e->workers[started + 1]) == 0)
        started++;
    (void)work(&e->workers[0]);
    for (unsigned i = 1; i <= started; i++)
        (void)pthread_join(e->workers[i].thread, NULL);
    return e->taken;
}
