/* SPDX-License-Identifier: Apache-2.0
 * hunt_find.c - findings: which are new, and the smallest case that shows each. */
#include "fuzz/hunt/hunt_loop.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    struct hunt_bench *bench;
    const char *key;
    bool loose;              /* an end that is no verdict will do */
    const atomic_bool *stop; /* then no case is tried any more; NULL: it is not looked at */
};

/* Whether a case shows this one, and plays to its end. */
static bool shows(void *ctx, const json_t *doc)
{
    const struct wanted *w = ctx;
    bool over = w->stop != NULL && *w->stop; /* the case at hand is small enough */
    json_t *whole = !over && hunt_true(doc) ? hunt_complete_by(w->bench->book, doc) : NULL;
    struct hunt_outcome out;
    bool found = false;

    if (whole == NULL)
        return false;
    hunt_play(w->bench, whole, &out);
    for (size_t i = 0; i < out.num_problems; i++)
        found |= strcmp(out.problems[i].key, w->key) == 0;
    json_decref(whole);
    return found &&
           (w->loose || out.verdict < FAL_VERDICT_ERROR || strncmp(w->key, "crash", 5) == 0);
}

/* With the lock: the finding of that key and state, or NULL; *same counts those of the key. */
static struct hunt_finding *known(struct hunt *h, const struct hunt_problem *p, unsigned *same)
{
    struct hunt_finding *found = NULL;

    *same = 0;
    for (size_t i = 0; i < h->num_findings; i++) {
        struct hunt_finding *f = &h->findings[i];

        if (strcmp(f->key, p->key) != 0)
            continue;
        *same += !f->counted_only;
        if (strcmp(f->state, p->state) == 0)
            found = f;
    }
    return found;
}

/* With the lock. */
static struct hunt_finding *remember(struct hunt *h, const struct hunt_problem *p)
{
    struct hunt_finding *f;

    if (h->num_findings == h->cap_findings) {
        size_t cap = h->cap_findings == 0 ? 64 : h->cap_findings * 2;

        f = realloc(h->findings, cap * sizeof *f);
        if (f == NULL) {
            h->oom = true;
            return NULL;
        }
        h->findings = f;
        h->cap_findings = cap;
    }
    f = &h->findings[h->num_findings++];
    *f = (struct hunt_finding){.verdict = p->verdict, .times = 1, .execs = h->execs};
    (void)snprintf(f->key, sizeof f->key, "%s", p->key);
    (void)snprintf(f->state, sizeof f->state, "%s", p->state);
    f->seconds = hunt_cpu();
    (void)snprintf(f->how, sizeof f->how, "%s", h->how != NULL ? h->how : "");
    f->depth = h->depth;
    return f;
}

static void name_finding(const struct hunt *h, struct hunt_finding *f)
{
    size_t len = 0;

    for (const char *c = f->key; *c != 0 && len + 1 < sizeof f->key; c++)
        f->name[len++] = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : '-');
    (void)snprintf(f->name + len, sizeof f->name - len, "-%zu", h->written + 1);
}

/* The smallest case that shows the finding and reaches a verdict. A case that ends early at
 * some step is first reduced until it no longer does. NULL: there is none. */
static json_t *smallest(const json_t *doc, struct wanted *wanted, const atomic_bool *stop)
{
    json_t *whole, *small;

    if (shows(wanted, doc)) {
        wanted->stop = stop;
        return hunt_shrink(doc, shows, wanted, HUNT_SHRINK_MOST);
    }
    wanted->loose = true;
    whole = hunt_shrink(doc, shows, wanted, HUNT_SHRINK_MOST);
    wanted->loose = false;
    small = whole != NULL && shows(wanted, whole)
                ? hunt_shrink(whole, shows, wanted, HUNT_SHRINK_MOST)
                : NULL;
    json_decref(whole);
    return small;
}

/* Makes it small, and writes it unless it is one that is known in another state. `index` is its
 * place among the findings. */
static void work_out(struct hunt *h, struct hunt_bench *bench, const json_t *doc, size_t index)
{
    struct hunt_finding f;
    struct wanted wanted = {.bench = bench};
    struct hunt_features features = bench->features;
    bool anew = true;
    json_t *small;

    pthread_mutex_lock(&h->lock);
    f = h->findings[index];
    pthread_mutex_unlock(&h->lock);
    wanted.key = f.key;
    small = smallest(doc, &wanted, &h->stop);
    bench->features = features;
    if (small == NULL)
        return; /* it stays counted, and nothing more */
    f.sequence = hunt_sequence(small);
    f.size = hunt_size(small);
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->num_findings; i++)
        if (i != index && h->findings[i].sequence != NULL && f.sequence != NULL &&
            strcmp(h->findings[i].key, f.key) == 0 &&
            strcmp(h->findings[i].sequence, f.sequence) == 0)
            anew = false;
    f.counted_only = !anew;
    if (anew) {
        name_finding(h, &f);
        h->written++;
        h->failed |= f.verdict >= FAL_VERDICT_FAIL;
    }
    h->findings[index] = f;
    if (anew && hunt_keep_finding(h, bench, &f, small) != 0) {
        h->stop = true;
        (void)snprintf(h->stop_why, sizeof h->stop_why, "a finding cannot be written");
    }
    pthread_mutex_unlock(&h->lock);
    json_decref(small);
}

void hunt_found(struct hunt *h, struct hunt_bench *bench, const json_t *doc,
                const struct hunt_outcome *out)
{
    for (size_t i = 0; i < out->num_problems; i++) {
        struct hunt_finding *f;
        unsigned same;
        size_t index = 0;

        pthread_mutex_lock(&h->lock);
        f = known(h, &out->problems[i], &same);
        if (f != NULL) {
            f->times++;
        } else {
            index = h->num_findings;
            f = remember(h, &out->problems[i]);
            if (f != NULL && same >= HUNT_OF_A_KEY_MAX)
                f->counted_only = true;
            if (f != NULL && (f->counted_only || h->stop))
                f = NULL;
            else if (f != NULL)
                f->counted_only = true; /* until it has been worked out */
            if (f != NULL) {
                pthread_mutex_unlock(&h->lock);
                work_out(h, bench, doc, index);
                pthread_mutex_lock(&h->lock);
            }
        }
        if (h->o->findings > 0 && h->written >= h->o->findings)
            h->stop = true;
        pthread_mutex_unlock(&h->lock);
        if (h->stop)
            return;
    }
}
