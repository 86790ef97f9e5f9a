/* SPDX-License-Identifier: Apache-2.0
 * engine_merge.c - several modules wrote one flow in one cycle: their writes become one state
 * [S1 3.4]. Each module started from the state before the cycle. Sums add up, bits change where
 * a module changed them, and of two values incoming's counts, then periodic's: the same as if
 * the modules had written one after another. */
#include "oracles/logic/engine_impl.h"

#include <stddef.h>
#include <string.h>

struct variable {
    const char *name;
    size_t at;
    unsigned size; /* 4 or 8 bytes */
    enum fal_en_join join;
};

#define VALUE(member, size)                                                    \
    {                                                                          \
#member, offsetof(struct fal_logic_flow, member), (size), FAL_EN_VALUE \
    }
#define SUM(member, size)                                                    \
    {                                                                        \
#member, offsetof(struct fal_logic_flow, member), (size), FAL_EN_SUM \
    }
#define WORD(member, n, join)                                                          \
    {                                                                                  \
#member "[" #n "]", offsetof(struct fal_logic_flow, member) + 8 * (n), 8, join \
    }
#define BITS(member)                                                                          \
    WORD(member, 0, FAL_EN_BITS), WORD(member, 1, FAL_EN_BITS), WORD(member, 2, FAL_EN_BITS), \
        WORD(member, 3, FAL_EN_BITS)
#define USER(n)                    WORD(user, n, FAL_EN_VALUE)
#define USER7(a, b, c, d, e, f, g) USER(a), USER(b), USER(c), USER(d), USER(e), USER(f), USER(g)

static const struct variable variables[] = {
    VALUE(wnd_start, 4),
    VALUE(next_new, 4),
    BITS(acked),
    BITS(marked_rtx),
    SUM(outstanding, 4),
    VALUE(wnd, 4),
    SUM(tokens, 4),
    SUM(timeouts, 4),
    VALUE(rate_bps, 8),
    SUM(sent_bytes, 8),
    VALUE(rto_ns, 8),
    VALUE(rtx_timer_ns, 8),
    VALUE(tick_ns, 8),
    VALUE(tick_bytes, 8),
    USER7(0, 1, 2, 3, 4, 5, 6),
    USER7(7, 8, 9, 10, 11, 12, 13),
    USER7(14, 15, 16, 17, 18, 19, 20),
    USER7(21, 22, 23, 24, 25, 26, 27),
    USER7(28, 29, 30, 31, 32, 33, 34),
    USER7(35, 36, 37, 38, 39, 40, 41),
    USER7(42, 43, 44, 45, 46, 47, 48),
    USER7(49, 50, 51, 52, 53, 54, 55),
};

enum { NUM_VARIABLES = sizeof variables / sizeof *variables };
_Static_assert((int)NUM_VARIABLES <= (int)FAL_EN_VARS, "an event has room for all");

static uint64_t get(const struct fal_logic_flow *flow, const struct variable *v)
{
    uint64_t wide = 0;
    uint32_t narrow;

    if (v->size == sizeof wide) {
        memcpy(&wide, (const char *)flow + v->at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)flow + v->at, sizeof narrow);
    return narrow;
}

static void set(struct fal_logic_flow *flow, const struct variable *v, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;

    if (v->size == sizeof value)
        memcpy((char *)flow + v->at, &value, sizeof value);
    else
        memcpy((char *)flow + v->at, &narrow, sizeof narrow);
}

/* A timer that transmit started counts where incoming stopped it: something is in flight. */
static uint64_t one_value(const struct fal_en_var *var, size_t at)
{
    if (at == offsetof(struct fal_logic_flow, rtx_timer_ns) &&
        (var->wrote >> FAL_EN_BY_TRANSMIT & 1) != 0 && var->value[FAL_EN_BY_INCOMING] == 0)
        return var->value[FAL_EN_BY_TRANSMIT];
    for (unsigned w = 0; w < FAL_EN_WRITERS; w++)
        if ((var->wrote >> w & 1) != 0)
            return var->value[w];
    return var->before;
}

static uint64_t joined(const struct fal_en_var *var, const struct variable *v, bool loses)
{
    uint64_t after = var->before;

    if (v->join == FAL_EN_VALUE)
        return one_value(var, v->at);
    for (unsigned w = 0; w < FAL_EN_WRITERS; w++) {
        if ((var->wrote >> w & 1) == 0)
            continue;
        if (v->join == FAL_EN_BITS)
            after ^= var->before ^ var->value[w];
        else if (!loses || w != FAL_EN_BY_TRANSMIT)
            after += var->value[w] - var->before;
    }
    return v->size == sizeof(uint32_t) ? (uint32_t)after : after;
}

/* Bits that two modules changed were changed to the same value, since there are only two. */
static uint64_t joined_bits(const struct fal_en_var *var)
{
    uint64_t changed = 0;

    for (unsigned w = 0; w < FAL_EN_WRITERS; w++)
        if ((var->wrote >> w & 1) != 0)
            changed |= var->before ^ var->value[w];
    return var->before ^ changed;
}

/* The jobs of one flow become its state. */
static void merge_flow(struct fal_logic_engine *e, uint32_t number,
                       const struct fal_logic_job *jobs[], unsigned n)
{
    struct fal_logic_sender *s = &e->flows[number].sender;
    const struct fal_logic_flow before = s->flow;
    bool loses = e->config.fault == FAL_LOGIC_MERGE_LOSES_ONE && n > 1;

    e->merge.num_vars = 0;
    for (size_t i = 0; i < NUM_VARIABLES; i++) {
        const struct variable *v = &variables[i];
        struct fal_en_var *var = &e->merge.vars[e->merge.num_vars];

        *var = (struct fal_en_var){.name = v->name, .join = v->join, .before = get(&before, v)};
        for (unsigned k = 0; k < n; k++) {
            var->value[jobs[k]->writer] = get(&jobs[k]->after.flow, v);
            if (var->value[jobs[k]->writer] != var->before)
                var->wrote |= (uint8_t)(1U << jobs[k]->writer);
        }
        if (var->wrote == 0)
            continue;
        var->after = v->join == FAL_EN_BITS ? joined_bits(var) : joined(var, v, loses);
        set(&s->flow, v, var->after);
        e->merge.num_vars++;
    }
    for (unsigned k = 0; k < n; k++) { /* members that only one module writes */
        if (jobs[k]->writer == FAL_EN_BY_INCOMING) {
            s->window = jobs[k]->after.window;
            s->grant = jobs[k]->after.grant;
        }
        if (jobs[k]->writer == FAL_EN_BY_GENERATE)
            memcpy(s->flow.rtx_cnt, jobs[k]->after.flow.rtx_cnt, sizeof s->flow.rtx_cnt);
    }
}

/* An acknowledgement and a timeout exclude each other: the timeout is dropped. */
static unsigned drop_timeout(struct fal_logic_engine *e, const struct fal_logic_job *jobs[],
                             unsigned n)
{
    bool has_cum = false;
    unsigned kept = 0;

    e->merge.timeout_dropped = false;
    for (unsigned k = 0; k < n; k++)
        has_cum |= jobs[k]->writer == FAL_EN_BY_INCOMING && jobs[k]->has_cum;
    for (unsigned k = 0; k < n; k++) {
        if (has_cum && jobs[k]->timeout)
            e->merge.timeout_dropped = true;
        else
            jobs[kept++] = jobs[k];
    }
    return kept;
}

void fal_logic_engine_merge(struct fal_logic_engine *e)
{
    for (unsigned i = 0; i < e->num_jobs; i++) {
        uint32_t flow = e->jobs[i].flow;
        const struct fal_logic_job *jobs[FAL_LOGIC_JOBS];
        unsigned n = 0;
        bool first = true;

        for (unsigned k = 0; k < e->num_jobs; k++) {
            first &= k >= i || e->jobs[k].flow != flow;
            if (e->jobs[k].flow == flow)
                jobs[n++] = &e->jobs[k];
        }
        if (!first)
            continue;
        e->merge.writers = 0;
        for (unsigned k = 0; k < n; k++)
            e->merge.writers |= (uint8_t)(1U << jobs[k]->writer);
        merge_flow(e, flow, jobs, drop_timeout(e, jobs, n));
        if (n > 1)
            fal_logic_engine_tell(
                e,
                &(struct fal_en_event){.kind = FAL_EN_MERGE, .flow = flow, .merge = &e->merge});
    }
}
