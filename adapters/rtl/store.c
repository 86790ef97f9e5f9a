/* SPDX-License-Identifier: Apache-2.0
 * store.c - the context store [0077-0079]: a cache of contexts in front of slower memory. What
 * is in the cache is the least recently used that goes; a context that a processor has stays.
 */
#include "bench.h"
#include "trace.h"

#include <stdlib.h>

struct place {
    bool used;
    uint32_t flow, readers;
    uint64_t touched;
};

struct ep_store {
    struct place *places;
    uint32_t n_places, n_flows;
    uint64_t clock;
    struct ep_context *contexts; /* of each flow, wherever it lies */
};

struct ep_store *ep_store_new(uint32_t entries, uint32_t flows)
{
    struct ep_store *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    s->n_places = entries;
    s->n_flows = flows;
    s->places = calloc(entries, sizeof *s->places);
    s->contexts = calloc(flows, sizeof *s->contexts);
    if (s->places == NULL || s->contexts == NULL) {
        ep_store_free(s);
        return NULL;
    }
    return s;
}

void ep_store_free(struct ep_store *s)
{
    if (s == NULL)
        return;
    free(s->places);
    free(s->contexts);
    free(s);
}

static void line(const char *act, uint64_t now_ns, uint32_t flow, uint32_t processor,
                 uint64_t digest)
{
    ep_line("context", act, (long long)now_ns);
    ep_number("flow", flow);
    ep_number("processor", processor);
    ep_number("digest", (long long)digest);
    ep_end();
}

static struct place *find(const struct ep_store *s, uint32_t flow)
{
    for (uint32_t i = 0; i < s->n_places; i++)
        if (s->places[i].used && s->places[i].flow == flow)
            return &s->places[i];
    return NULL;
}

/* A place for the flow: an empty one, or that of the least recently used context. There are
 * more places than processors (options.c), so one is always free to go. */
static struct place *make_room(struct ep_store *s, uint64_t now_ns)
{
    struct place *oldest = NULL;

    for (uint32_t i = 0; i < s->n_places; i++) {
        struct place *p = &s->places[i];

        if (!p->used)
            return p;
        if (p->readers == 0 && (oldest == NULL || p->touched < oldest->touched))
            oldest = p;
    }
    if (oldest != NULL)
        line("evict", now_ns, oldest->flow, 0, s->contexts[oldest->flow].digest);
    return oldest;
}

const struct ep_context *ep_store_read(struct ep_store *s, uint64_t now_ns, uint32_t flow,
                                       uint32_t processor)
{
    struct place *p = find(s, flow);
    struct ep_context *context = &s->contexts[flow];

    if (p == NULL) {
        p = make_room(s, now_ns);
        if (p != NULL)
            *p = (struct place){.used = true, .flow = flow};
    }
    if (p != NULL) {
        p->readers++;
        p->touched = ++s->clock;
    }
    line(context->known ? "read" : "new", now_ns, flow, processor, context->digest);
    return context;
}

void ep_store_write(struct ep_store *s, uint32_t flow, struct ep_context context)
{
    struct place *p = find(s, flow);

    if (p != NULL && p->readers > 0)
        p->readers--;
    s->contexts[flow] = context;
    s->contexts[flow].known = true;
}
