/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/play/usage.h"

#include "harness/session/session.h"

#include <string.h>

enum {
    NESTED_MAX = 64,
    NVME_BYTES_MAX =
        4260, /* of a Write Data Response: headers, 4096 bytes, metadata (NVME 8.7) */
};

static uint64_t at_most_unknown(uint64_t n)
{
    return n < TL_USAGE_UNKNOWN ? n : TL_USAGE_UNKNOWN;
}

static void add(uint64_t *count, uint64_t n)
{
    *count = at_most_unknown(*count + at_most_unknown(n));
}

static void longer(struct tl_usage *usage, uint64_t length)
{
    if (length > usage->longest)
        usage->longest = at_most_unknown(length);
}

/* The largest number that the value may stand for. */
static uint64_t most_of(const struct tl_interp *interp, const struct tl_value *value)
{
    uint64_t most = 0, n;

    if (value->kind == TL_VALUE_RANGE || value->kind == TL_VALUE_SET) {
        for (size_t i = 0; i < value->num_items; i++) {
            n = most_of(interp, &value->items[i]);
            most = n > most ? n : most;
        }
        return most;
    }
    if (tl_value_get(value, 0, &interp->scope, &n, NULL) != 0)
        return TL_USAGE_UNKNOWN;
    return at_most_unknown(n);
}

/* The number that a term stands for. */
static uint64_t term_of(const struct tl_interp *interp, const struct fal_term *term)
{
    struct tl_expr_value value;

    if (term->kind == FAL_TERM_NUMBER)
        return at_most_unknown(fal_u128_lo(term->value));
    if (term->kind == FAL_TERM_VAR && term->op == 0 &&
        tl_scope_get(&interp->scope, term->var, &value))
        return at_most_unknown(fal_u128_lo(value.value));
    return TL_USAGE_UNKNOWN;
}

/* The number of a field of a packet that a step sends; `otherwise` where it is not given. */
static uint64_t field_of(const struct tl_interp *interp, const struct fal_pattern *pattern,
                         const char *name, uint64_t otherwise)
{
    for (size_t i = 0; i < pattern->num_items; i++) {
        if (pattern->items[i].field != NULL && strcmp(pattern->items[i].field->name, name) == 0)
            return term_of(interp, &pattern->terms[pattern->items[i].term]);
    }
    return otherwise;
}

/* A length that is computed while the case plays; packets of NVMe have a limit. */
static uint64_t at_most_nvme(const struct fal_pattern *pattern, uint64_t length)
{
    return pattern->ulp.protocol == FAL_PROTOCOL_NVME && length >= TL_USAGE_UNKNOWN
               ? NVME_BYTES_MAX
               : length;
}

static void count_sent(const struct tl_interp *interp, const struct tl_step *step,
                       uint64_t times, struct tl_usage *usage)
{
    const struct fal_pattern *pattern = step->u.send.pattern;

    longer(usage, step->u.send.payload_len);
    if (pattern->payload_len > 0)
        longer(usage, (uint64_t)pattern->payload_len);
    if (pattern->ulp.data)
        longer(usage,
               FAL_ULP_BYTES_MAX +
                   at_most_nvme(pattern, term_of(interp, &pattern->terms[pattern->ulp.term])));
    if (pattern->layout == &fal_pull_request_layout)
        add(&usage->pulls[TL_SIDE_TESTER], times);
    else if (pattern->layout == &fal_push_data_layout || pattern->layout == NULL)
        add(&usage->pushes[TL_SIDE_TESTER], times);
    longer(usage, at_most_nvme(pattern, field_of(interp, pattern, "request_length", 0)));
}

static void count_post(const struct tl_interp *interp, const struct tl_step *step,
                       uint64_t times, struct tl_usage *usage)
{
    const struct tl_act *act = step->u.ulp.act;
    const struct tl_act_values *values = &act->values;
    bool pull = most_of(interp, &values->values[TL_ACT_OP]) == FAL_OP_PULL;

    if (values->given[TL_ACT_LENGTH])
        longer(usage, most_of(interp, &values->values[TL_ACT_LENGTH]));
    if (act->verb == TL_ACT_POST)
        add(pull ? &usage->pulls[step->u.ulp.side] : &usage->pushes[step->u.ulp.side], times);
}

/* The steps do not say how many packets a side makes of a message, and an initiator of RDMA
 * may make more than it must; no packet is longer than the path MTU of its queue pair. A target
 * of NVMe pulls the data of a write. */
static void count_word(const struct tl_interp *interp, const struct tl_step *step,
                       struct tl_usage *usage)
{
    const struct tl_word_step *word = step->u.word;
    bool nvme = word->words->upper == TL_UPPER_NVME;
    enum tl_side side = word->tester ? TL_SIDE_TESTER : TL_SIDE_SUT;

    if (nvme && word->kind == FAL_NVME_POST) {
        add(&usage->pulls[!side], TL_USAGE_UNKNOWN);
        longer(usage, NVME_BYTES_MAX);
    }
    if (word->kind == (nvme ? (unsigned)FAL_NVME_POST : (unsigned)FAL_VERBS_POST_SEND)) {
        add(&usage->pushes[side], TL_USAGE_UNKNOWN);
        add(&usage->pulls[side], TL_USAGE_UNKNOWN);
    }
    for (size_t i = 0; !nvme && i < word->slots.n; i++)
        if (word->slots.list[i].at == offsetof(struct fal_verbs, path_mtu))
            longer(usage, FAL_ULP_BYTES_MAX + most_of(interp, &word->slots.list[i].value));
}

static void count_streams(const struct tl_interp *interp, const struct tl_scenario *s,
                          struct tl_usage *usage)
{
    for (size_t i = 0; i < s->num_streams; i++) {
        const struct tl_stream *stream = &s->streams[i];
        uint64_t count = most_of(interp, &stream->count);

        add(&usage->pushes[stream->side], count);
        add(&usage->pulls[stream->side], count);
        longer(usage, most_of(interp, &stream->length));
    }
}

/* Steps of blocks around the one that is looked at, and how often they are played. */
struct nested {
    size_t end;
    uint64_t times;
};

/* Begins a block: a repetition, or the steps of a rule, which act as often as the rule does. */
static void nest(const struct tl_interp *interp, const struct tl_step *step,
                 struct nested *blocks, size_t *depth)
{
    bool repeat = step->verb == TL_REPEAT;
    uint64_t times = repeat ? most_of(interp, &step->u.repeat.count) : TL_USAGE_UNKNOWN;

    if (*depth + 1 == NESTED_MAX) { /* the steps around it are as good as unlimited */
        blocks[*depth].times = TL_USAGE_UNKNOWN;
        return;
    }
    ++*depth;
    blocks[*depth] =
        (struct nested){.end = repeat ? step->u.repeat.end : step->u.on.end,
                        .times = at_most_unknown(blocks[*depth - 1].times * times)};
}

/* Counts what connection `s` of the case demands. */
static void count_conn(const struct tl_interp *interp, const struct tl_scenario *s,
                       struct tl_usage *usage)
{
    struct nested blocks[NESTED_MAX] = {{.end = SIZE_MAX, .times = 1}};
    size_t depth = 0;

    count_streams(interp, s, usage);
    if (s->upper == TL_UPPER_NVME) /* Either end may answer with the longest. */
        longer(usage, NVME_BYTES_MAX);
    for (size_t i = 0; i < s->num_steps; i++) {
        const struct tl_step *step = &s->steps[i];

        while (i >= blocks[depth].end)
            depth--;
        if (s->num_conns > 0 && step->conn != s->self && step->verb != TL_REPEAT)
            continue;
        if (step->verb == TL_REPEAT || step->verb == TL_ON)
            nest(interp, step, blocks, &depth);
        else if (step->verb == TL_SEND)
            count_sent(interp, step, blocks[depth].times, usage);
        else if (step->verb == TL_ULP)
            count_post(interp, step, blocks[depth].times, usage);
        else if (step->verb == TL_WORD)
            count_word(interp, step, usage);
    }
}

struct tl_usage tl_usage_of(const struct tl_interp *interp)
{
    struct tl_usage usage = {.longest = 0};

    count_conn(interp, interp->scenario, &usage);
    return usage;
}

struct tl_usage tl_usage_of_device(const struct tl_interp *interp)
{
    struct tl_usage usage = {.longest = 0};
    const struct tl_scenario *s = interp->scenario;
    uint64_t copies = interp->session->config.copies;

    for (unsigned i = 0; i < s->num_conns; i++)
        count_conn(interp, s->conns[i], &usage);
    if (s->num_conns > 0)
        return usage;
    count_conn(interp, s, &usage);
    for (unsigned side = 0; copies > 1 && side < 2; side++) {
        usage.pushes[side] = at_most_unknown(usage.pushes[side] * copies);
        usage.pulls[side] = at_most_unknown(usage.pulls[side] * copies);
    }
    return usage;
}
