/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/cc/sut_engine.h"

#include "oracles/cc/aimd.h"
#include "oracles/cc/cc_fault.h"

#include <stdlib.h>
#include <string.h>

enum { TICK_PS = 131072, WHEEL_TICK_PS = 512000, PS_PER_NS = 1000 };

int tl_sut_engine_swift(const struct tl_engine *engine, const struct fal_swift_params *params,
                        struct fal_swift *out, struct fal_error *err)
{
    struct fal_swift_params own = *params;
    int rc;

    if (engine->fault != NULL && engine->fault->params != NULL)
        engine->fault->params(&own);
    rc = fal_swift_init(out, &own, true, err);
    if (rc == 0)
        fal_swift_read(out, engine->readings);
    return rc;
}

void tl_sut_engine_process(const struct tl_engine *engine, struct fal_swift *swift,
                           struct fal_cc_state *state, uint32_t now_ticks,
                           const struct fal_cc_event *event, struct fal_cc_result *result)
{
    if (engine->other)
        fal_aimd_process(NULL, state, now_ticks, event, result);
    else
        fal_cc_fault_process(engine->fault, swift, state, now_ticks, event, result);
}

void tl_sut_engine_spoil(const struct tl_engine *engine, enum fal_cc_format format,
                         uint8_t entry[FAL_CC_ENTRY_LEN])
{
    const struct fal_field *field = engine->event_wrong;
    struct fal_cc_event event;

    if (field == NULL ||
        fal_cc_decode(format, FAL_CC_ENTRY_EVENT, entry, FAL_CC_ENTRY_LEN, &event) < 0)
        return;
    /* The lowest bit is another one, so the value fits. */
    FAL_IGNORE(fal_field_set(field, &event, fal_field_get(field, &event) ^ 1));
    FAL_IGNORE(fal_cc_encode(format, FAL_CC_ENTRY_EVENT, &event, entry, NULL));
}

void tl_sut_engine_ignore(const struct tl_engine *engine, const struct fal_cc_event *now,
                          struct fal_cc_result *result)
{
    const struct fal_field *field = engine->result_ignored, *from;

    if (field == NULL)
        return;
    from = fal_layout_find(fal_cc_layout(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_EVENT), field->name);
    /* The fields of both entries that have one name have one width; others become 0. */
    FAL_IGNORE(fal_field_set(field, result, from != NULL ? fal_field_get(from, now) : 0));
}

uint32_t tl_sut_engine_gap_tick_ps(const struct tl_engine *engine)
{
    return fal_cc_reads(engine->readings, FAL_CC_READING_GAP_WHEEL) ? WHEEL_TICK_PS : TICK_PS;
}

uint32_t tl_sut_engine_gap(const struct tl_engine *engine, uint64_t gap_ns)
{
    uint64_t tick_ps = tl_sut_engine_gap_tick_ps(engine),
             gap = (gap_ns * PS_PER_NS + tick_ps - 1) / tick_ps;

    return gap < FAL_CC_GAP_MAX ? (uint32_t)gap : FAL_CC_GAP_MAX;
}

uint64_t tl_sut_engine_gap_ns(const struct tl_engine *engine, uint32_t gap)
{
    return (uint64_t)gap * tl_sut_engine_gap_tick_ps(engine) / PS_PER_NS;
}

struct fal_rue_config tl_sut_engine_config(const struct tl_engine *engine, bool outside)
{
    struct fal_rue_config config = {.format = engine->format,
                                    .delay = FAL_CC_DELAY_FABRIC,
                                    .outside = outside,
                                    .gap_tick_ps = tl_sut_engine_gap_tick_ps(engine)};

    if (!engine->isekai)
        return config;
    /* Thresholds that equal the size of the queue, so each event is made. */
    for (unsigned i = 0; i < sizeof config.depth / sizeof *config.depth; i++)
        config.depth[i] = 65536;
    config.p1_ns = 134144;
    config.p2_packets = 512;
    return config;
}

/* ---- events that wait ---- */

struct tl_sut_waiting_event {
    uint64_t due_ns;
    uint8_t entry[FAL_CC_ENTRY_LEN];
};

int tl_sut_waiting_add(struct tl_sut_waiting *waiting, const struct tl_engine *engine,
                       const uint8_t entry[FAL_CC_ENTRY_LEN], uint64_t now_ns)
{
    uint64_t latency_ns = engine->latency_ns > 0 ? engine->latency_ns : 1;
    struct tl_sut_waiting_event *at;

    if (waiting->first > 0 && waiting->first == waiting->count)
        waiting->first = waiting->count = 0;
    if (waiting->count == waiting->cap) {
        size_t cap = waiting->cap > 0 ? 2 * waiting->cap : 64;
        struct tl_sut_waiting_event *grown = realloc(waiting->events, cap * sizeof *grown);

        if (grown == NULL)
            return FAL_ERR_MEM;
        waiting->events = grown;
        waiting->cap = cap;
    }
    at = &waiting->events[waiting->count++];
    at->due_ns =
        engine->batch ? (now_ns / latency_ns + 1) * latency_ns : now_ns + engine->latency_ns;
    memcpy(at->entry, entry, sizeof at->entry);
    return 0;
}

uint64_t tl_sut_waiting_due(const struct tl_sut_waiting *waiting)
{
    return waiting->first < waiting->count ? waiting->events[waiting->first].due_ns : FAL_NEVER;
}

void tl_sut_waiting_take(struct tl_sut_waiting *waiting, uint8_t entry[FAL_CC_ENTRY_LEN])
{
    memcpy(entry, waiting->events[waiting->first++].entry, FAL_CC_ENTRY_LEN);
}

void tl_sut_waiting_free(struct tl_sut_waiting *waiting)
{
    free(waiting->events);
    *waiting = (struct tl_sut_waiting){.events = NULL};
}
