/* SPDX-License-Identifier: Apache-2.0
 * contexts.c - the store of contexts, and the slow memory behind it [0054, 0077-0079]. */
#include "oracles/eventpipe/pipe_impl.h"

#include <stdlib.h>
#include <string.h>

int fal_ep_contexts_begin(struct fal_ep_pipe *pipe)
{
    struct fal_ep_contexts *c = &pipe->contexts;
    uint32_t flows = pipe->config.flows, n = pipe->config.setup.contexts;

    c->num = n > 0 ? n : flows;
    c->memory_cap =
        pipe->config.memory > 0 && pipe->config.memory < flows ? pipe->config.memory : 0;
    c->at = calloc(flows, sizeof *c->at);
    c->flow_of = calloc(c->num, sizeof *c->flow_of);
    c->used = calloc(c->num, sizeof *c->used);
    c->taken = calloc(c->num, sizeof *c->taken);
    c->pinned = calloc(c->num, sizeof *c->pinned);
    c->bytes = calloc(c->num, FAL_EP_CONTEXT_MAX);
    c->memory = calloc(flows, FAL_EP_CONTEXT_MAX);
    c->in_memory = calloc(flows, sizeof *c->in_memory);
    c->stored = calloc((size_t)c->memory_cap + 1, sizeof *c->stored);
    return c->at != NULL && c->flow_of != NULL && c->used != NULL && c->taken != NULL &&
                   c->pinned != NULL && c->bytes != NULL && c->memory != NULL &&
                   c->in_memory != NULL && c->stored != NULL
               ? 0
               : FAL_ERR_MEM;
}

void fal_ep_contexts_free(struct fal_ep_pipe *pipe)
{
    struct fal_ep_contexts *c = &pipe->contexts;

    free(c->at);
    free(c->flow_of);
    free(c->used);
    free(c->taken);
    free(c->pinned);
    free(c->bytes);
    free(c->memory);
    free(c->in_memory);
    free(c->stored);
}

enum fal_ep_place fal_ep_context_where(const struct fal_ep_pipe *pipe, uint32_t flow)
{
    if (pipe->contexts.at[flow] > 0)
        return FAL_EP_IN_STORE;
    return pipe->contexts.in_memory[flow] ? FAL_EP_IN_MEMORY : FAL_EP_NOWHERE;
}

uint8_t *fal_ep_context_bytes(struct fal_ep_pipe *pipe, uint32_t entry)
{
    return pipe->contexts.bytes + (size_t)entry * FAL_EP_CONTEXT_MAX;
}

/* A hash that is not 0, of 8 bytes at a time. */
static uint64_t digest(const uint8_t *bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (unsigned i = 0; i < FAL_EP_CONTEXT_MAX; i += 8) {
        uint64_t word;

        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash | 1;
}

static void line(struct fal_ep_pipe *pipe, enum fal_ep_act act, uint32_t flow,
                 const uint8_t *bytes)
{
    fal_ep_emit(
        pipe, (struct fal_ep_event){
                  .point = FAL_EP_CONTEXT, .act = act, .flow = flow, .digest = digest(bytes)});
}

/* The memory that does not hold all flows forgets the one that came first. */
static void remember(struct fal_ep_contexts *c, uint32_t flow)
{
    if (c->in_memory[flow])
        return;
    c->in_memory[flow] = true;
    if (c->memory_cap == 0)
        return;
    c->in_memory[c->stored[c->memory_at]] = false;
    c->in_memory[flow] = true;
    c->stored[c->memory_at] = flow;
    c->memory_at = (c->memory_at + 1) % c->memory_cap;
}

static void evict(struct fal_ep_pipe *pipe, uint32_t entry)
{
    struct fal_ep_contexts *c = &pipe->contexts;
    uint32_t flow = c->flow_of[entry];
    const uint8_t *bytes = fal_ep_context_bytes(pipe, entry);

    line(pipe, FAL_EP_EVICT, flow, bytes);
    pipe->counts.evictions++;
    if (!fal_ep_strikes(pipe, FAL_EP_EVICTION_LOSES_WRITE, 4))
        memcpy(c->memory + (size_t)flow * FAL_EP_CONTEXT_MAX, bytes, FAL_EP_CONTEXT_MAX);
    remember(c, flow);
    c->at[flow] = 0;
    c->taken[entry] = false;
}

/* An entry for another context: a free one, or the one that was not used for the longest time.
 * There are more entries than processors, so one is not in use. */
static uint32_t room(struct fal_ep_pipe *pipe)
{
    struct fal_ep_contexts *c = &pipe->contexts;
    uint32_t best = 0;
    uint64_t oldest = UINT64_MAX;

    for (uint32_t i = 0; i < c->num; i++) {
        uint64_t age = c->taken[i] ? c->used[i] : 0;

        if (!c->pinned[i] && age < oldest) {
            oldest = age;
            best = i;
        }
        if (!c->taken[i])
            break;
    }
    if (c->taken[best])
        evict(pipe, best);
    return best;
}

uint32_t fal_ep_context_open(struct fal_ep_pipe *pipe, uint32_t flow)
{
    struct fal_ep_contexts *c = &pipe->contexts;
    enum fal_ep_place place = fal_ep_context_where(pipe, flow);
    uint32_t entry;
    uint8_t *bytes;

    if (place == FAL_EP_IN_STORE) {
        entry = c->at[flow] - 1;
        pipe->counts.context_hits++;
    } else {
        entry = room(pipe);
        bytes = fal_ep_context_bytes(pipe, entry);
        if (place == FAL_EP_IN_MEMORY)
            memcpy(bytes, c->memory + (size_t)flow * FAL_EP_CONTEXT_MAX, FAL_EP_CONTEXT_MAX);
        else
            memset(bytes, 0, FAL_EP_CONTEXT_MAX);
        c->taken[entry] = true;
        c->flow_of[entry] = flow;
        c->at[flow] = entry + 1;
        pipe->counts.context_reloads += place == FAL_EP_IN_MEMORY;
        pipe->counts.context_news += place == FAL_EP_NOWHERE;
    }
    c->pinned[entry] = true;
    c->used[entry] = ++c->uses;
    line(pipe, place == FAL_EP_NOWHERE ? FAL_EP_NEW : FAL_EP_READ, flow,
         fal_ep_context_bytes(pipe, entry));
    return entry;
}

void fal_ep_context_write(struct fal_ep_pipe *pipe, uint32_t entry, const uint8_t *bytes)
{
    struct fal_ep_contexts *c = &pipe->contexts;

    line(pipe, FAL_EP_WRITE, c->flow_of[entry], bytes);
    if (!fal_ep_strikes(pipe, FAL_EP_CONTEXT_STALE, 16))
        memcpy(fal_ep_context_bytes(pipe, entry), bytes, FAL_EP_CONTEXT_MAX);
    c->pinned[entry] = false;
}
