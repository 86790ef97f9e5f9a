/* SPDX-License-Identifier: Apache-2.0
 * play_streams.c - generated traffic of a scenario: transactions of either side beside the
 * steps, drawn from the seed. */
#include "harness/play/players.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    FLOW_PART = 0xf10, /* of the seed */
    TAG_STEP = 10000000,
    COUNT_MAX = 1000000,
    OUTSTANDING_MAX = 4096,
};

static uint64_t number_of(struct tl_interp *interp, const struct tl_value *value, uint64_t most,
                          const char *what)
{
    uint64_t n = 0;
    char text[80];

    if (tl_interp_number(interp, value, &n) && n > most) {
        (void)snprintf(text, sizeof text, "workload: %s above %" PRIu64, what, most);
        tl_interp_unplayable(interp, text);
    }
    return n <= most ? n : most;
}

void tl_streams_begin(struct tl_interp *interp)
{
    uint64_t now = tl_session_now(interp->session);

    for (size_t i = 0; i < interp->scenario->num_streams; i++) {
        const struct tl_stream *stream = &interp->scenario->streams[i];
        struct tl_flow *flow = &interp->flows[i];
        uint64_t within = 0;

        interp->flowing = true;
        flow->rng = fal_rng_split(interp->session->config.seed, FLOW_PART + i);
        flow->count = number_of(interp, &stream->count, COUNT_MAX, "count");
        flow->outstanding_max =
            number_of(interp, &stream->outstanding, OUTSTANDING_MAX, "outstanding");
        flow->pulls_ppb = number_of(interp, &stream->pulls, TL_FRACTION_ONE, "pulls");
        (void)tl_interp_duration(interp, &stream->think_from, &flow->think_from_ns);
        (void)tl_interp_duration(interp, &stream->think_to, &flow->think_to_ns);
        (void)tl_interp_duration(interp, &stream->within, &within);
        within += tl_interp_lateness(interp, &stream->within, within);
        /* Each transaction may take a round trip. */
        if (!stream->optional)
            within += flow->count * tl_interp_turnaround(interp);
        flow->next_ns = now;
        flow->deadline_ns = now + within;
        flow->tag = (uint64_t)TAG_STEP * (i + 1);
        flow->events = interp->session->events.next;
    }
}

static uint64_t draw_between(struct fal_rng *rng, uint64_t from, uint64_t to)
{
    return to > from ? from + fal_rng_below(rng, to - from + 1) : from;
}

static uint64_t draw_length(struct tl_interp *interp, struct tl_flow *flow,
                            const struct tl_value *length)
{
    uint64_t from = 0, to = 0;

    if (length->kind == TL_VALUE_SET)
        return draw_length(interp, flow,
                           &length->items[fal_rng_below(&flow->rng, length->num_items)]);
    if (length->kind != TL_VALUE_RANGE)
        return number_of(interp, length, TL_PAYLOAD_MAX, "length");
    from = number_of(interp, &length->items[0], TL_PAYLOAD_MAX, "length");
    to = number_of(interp, &length->items[1], TL_PAYLOAD_MAX, "length");
    return draw_between(&flow->rng, from, to);
}

/* The workload adapts to the path: what it draws beyond the MTU has the length of the MTU. */
static uint64_t length_on_path(struct tl_interp *interp, struct tl_flow *flow,
                               const struct tl_value *length)
{
    uint64_t drawn = draw_length(interp, flow, length);
    uint64_t mtu = interp->session->connection.params.mtu;

    return drawn < mtu ? drawn : mtu;
}

static struct tl_value plain(uint64_t number)
{
    return (struct tl_value){.kind = TL_VALUE_NUMBER, .number = number};
}

static void post(struct tl_interp *interp, const struct tl_stream *stream, struct tl_flow *flow)
{
    bool pull = fal_rng_below(&flow->rng, TL_FRACTION_ONE) < flow->pulls_ppb;
    struct tl_act act = {.verb = TL_ACT_POST};

    act.values.given[TL_ACT_OP] = act.values.given[TL_ACT_LENGTH] = true;
    act.values.given[TL_ACT_TAG] = true;
    act.values.values[TL_ACT_OP] = plain(pull ? FAL_OP_PULL : FAL_OP_PUSH);
    act.values.values[TL_ACT_LENGTH] = plain(length_on_path(interp, flow, &stream->length));
    act.values.values[TL_ACT_TAG] = plain(flow->tag + flow->posted);
    flow->posted++;
    flow->next_ns = tl_session_now(interp->session) +
                    draw_between(&flow->rng, flow->think_from_ns, flow->think_to_ns);
    tl_interp_act(interp, stream->side, &act);
}

/* Completions are known by their tags. */
static void count_completions(struct tl_interp *interp, enum tl_side side, struct tl_flow *flow)
{
    const struct tl_session *session = interp->session;

    if (flow->events < tl_session_first_event(session))
        tl_interp_unplayable(interp, "workload: too many events at a time");
    for (; flow->events < session->events.next; flow->events++) {
        const struct tl_seen_event *seen = tl_session_event(session, flow->events);

        flow->completed += seen != NULL && !seen->is_cm && seen->side == side &&
                           seen->ulp.kind == FAL_ULP_COMPLETION && seen->ulp.tag >= flow->tag &&
                           seen->ulp.tag < flow->tag + flow->posted;
    }
}

uint64_t tl_streams_run(struct tl_interp *interp)
{
    uint64_t due = FAL_NEVER;

    if (!interp->flowing || interp->failed)
        return due;
    for (size_t i = 0; i < interp->scenario->num_streams; i++) {
        const struct tl_stream *stream = &interp->scenario->streams[i];
        struct tl_flow *flow = &interp->flows[i];

        count_completions(interp, stream->side, flow);
        while (interp->state == TL_INTERP_RUNNING &&
               interp->session->broken.reason == TL_REASON_NONE && flow->posted < flow->count &&
               flow->posted - flow->completed < flow->outstanding_max &&
               flow->next_ns <= tl_session_now(interp->session)) {
            post(interp, stream, flow);
            count_completions(interp, stream->side, flow);
        }
        if (flow->posted < flow->count &&
            flow->posted - flow->completed < flow->outstanding_max && flow->next_ns < due)
            due = flow->next_ns;
    }
    return due;
}

bool tl_streams_done(const struct tl_interp *interp)
{
    for (size_t i = 0; i < interp->scenario->num_streams; i++)
        if (interp->flows[i].completed < interp->flows[i].count)
            return false;
    return true;
}

bool tl_streams_end(struct tl_interp *interp, bool idle, uint64_t *wake_ns)
{
    uint64_t grace = tl_session_live(interp->session) ? TL_GRACE_NS : 0;
    struct tl_miss *miss;
    size_t late = interp->scenario->num_streams;

    *wake_ns = FAL_NEVER;
    for (size_t i = interp->scenario->num_streams; i-- > 0;) {
        const struct tl_flow *flow = &interp->flows[i];

        if (flow->completed >= flow->count || flow->deadline_ns + grace > *wake_ns ||
            (interp->scenario->streams[i].optional &&
             tl_session_now(interp->session) >= flow->deadline_ns))
            continue;
        *wake_ns = flow->deadline_ns + grace;
        late = i;
    }
    if (late == interp->scenario->num_streams)
        return true;
    if (!idle || tl_session_now(interp->session) < *wake_ns)
        return false;
    if (interp->step > 0)
        interp->step--; /* the last step of the body stands for it */
    miss = tl_interp_missed(interp, FAL_VERDICT_FAIL, TL_REASON_UNMET, 0);
    miss->needs_lossless = true;
    miss->loss = TL_REASON_IN_LOSS;
    (void)snprintf(miss->expected, sizeof miss->expected,
                   "workload: all %" PRIu64 " transactions complete",
                   interp->flows[late].count);
    (void)snprintf(miss->seen, sizeof miss->seen,
                   "%" PRIu64 " have been posted, %" PRIu64 " have completed",
                   interp->flows[late].posted, interp->flows[late].completed);
    return true;
}
