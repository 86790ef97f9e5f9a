/* SPDX-License-Identifier: Apache-2.0
 * q8_rue_follows_swift.c - rule Q8: the SUT's own Rate Update Engine gives the results
 * that 10.3 and 10.4 allow. Each event is judged with its result by the band of
 * oracles/rules/cc, which allows every reading of an unclear sentence, but one reading for the
 * whole connection. */
#include "oracles/rules/cc/cc_band.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/queues/acks.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct fal_rule fal_about_q8 = {
    .id = "Q8",
    .title = "the results of the RUE are those of Swift and PLB",
    .requirements = FAL_IDS(
        "FTP-10.3.1-01", "FTP-10.3.1-02", "FTP-10.3.1-04", "FTP-10.3.1-05", "FTP-10.3.1-06",
        "FTP-10.3.1-07", "FTP-10.3.1-08", "FTP-10.3.1-09", "FTP-10.3.1-10", "FTP-10.3.1-11",
        "FTP-10.3.1-12", "FTP-10.3.1-13", "FTP-10.3.1-14", "FTP-10.3.1-15", "FTP-10.3.1-16",
        "FTP-10.3.2-01", "FTP-10.3.2-02", "FTP-10.3.2-03", "FTP-10.3.2-04", "FTP-10.3.2-05",
        "FTP-10.3.2-06", "FTP-10.3.3-01", "FTP-10.3.3-02", "FTP-10.3.3-03", "FTP-10.3.4-03",
        "FTP-10.3.4-04", "FTP-10.3.4-05", "FTP-10.3.4-06", "FTP-10.3.4-07", "FTP-10.3.4-08",
        "FTP-10.3.4-09", "FTP-10.3.4-10", "FTP-10.3.4-11", "FTP-10.3.6-02", "FTP-10.3.6-03",
        "FTP-10.3.6-05", "FTP-10.3.6-07", "FTP-10.3.6-08", "FTP-10.4-01", "FTP-10.4-05",
        "FTP-10.4-06", "FTP-10.4-08", "FTP-10.4-11"),
    .role = "transmitter",
    .needs = "queues, parameters",
    .assumes = "",
    .doc =
        "Needs entries of the queues (cc_trace), a RUE whose algorithm is swift (cc of hello), "
        "and cc_config with every parameter of 10.5 that Swift uses. Violated by a result that "
        "no reading of 10.3 and 10.4 allows for its event, or only a reading that earlier "
        "results of the connection have ruled out. Not judged where a window of the event is beyond the limits of the "
        "parameters.",
};

#define REAL(name)                                           \
    {                                                        \
#name, offsetof(struct fal_band_params, name), false \
    }
#define WHOLE(name)                                         \
    {                                                       \
#name, offsetof(struct fal_band_params, name), true \
    }
static const struct {
    const char *name;
    size_t at;
    bool whole;
} rows[] = {
    REAL(max_fcwnd),
    REAL(min_fcwnd),
    REAL(fabric_additive_increment),
    REAL(fabric_multiplicative_decrease_factor),
    REAL(max_fabric_multiplicative_decrease_factor),
    REAL(max_ncwnd),
    REAL(min_ncwnd),
    REAL(nic_additive_increment),
    REAL(nic_multiplicative_decrease_factor),
    REAL(max_nic_multiplicative_decrease_factor),
    WHOLE(target_rx_buffer_level),
    REAL(plb_target_delay_multiplier),
    REAL(plb_congestion_threshold),
    WHOLE(plb_attempt_threshold),
    REAL(rtt_smoothing_alpha),
    REAL(delay_smoothing_alpha),
    REAL(topology_scaling_per_hop),
    REAL(retransmit_timeout_scalar),
    REAL(min_retransmission_timeout),
    WHOLE(retransmit_limit),
    REAL(min_flow_scaling_window),
    REAL(max_flow_scaling_window),
    REAL(max_flow_scaling),
};
enum { ROWS = sizeof rows / sizeof *rows, WAITING_MAX = 64 };

struct watch {
    struct fal_band_params params;
    struct fal_band_forks forks;
    struct fal_band_series series;
};

struct waiting {
    struct fal_at at;
    uint32_t now_ticks;
    struct fal_cc_event event;
};

struct state {
    struct fal_bag waiting; /* struct waiting: events without a result */
    struct watch *watch;    /* NULL: no event was judged yet */
    struct fal_band_params params;
    uint32_t given; /* a bit for each row */
    bool heard;     /* an ACK was sent, or a packet repeated, before the first event was seen */
    bool gone;      /* An event went unseen: nothing more is judged. */
};

static bool watches(const struct fal_ctx *c, const struct state *state)
{
    const struct fal_engine *engine = &c->bench->engine;
    const struct fal_rue_facts *rue = &c->track->setup.rue;

    return rue->known && rue->swift && engine->traced && !engine->tester && !engine->unsure &&
           !engine->refused && !c->bench->events_lost && !state->gone &&
           state->given == (UINT32_C(1) << ROWS) - 1;
}

static void forget(struct state *state)
{
    while (state->waiting.num > 0)
        fal_bag_remove(&state->waiting, sizeof(struct waiting), 0);
}

static void configure(struct state *state, const char *line)
{
    json_t *root = line != NULL ? json_loads(line, 0, NULL) : NULL;
    const json_t *params = json_object_get(root, "params");

    if (root == NULL)
        state->given = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        const json_t *value = json_object_get(params, rows[i].name);
        char *at = (char *)&state->params + rows[i].at;
        double number = json_number_value(value);

        if (!json_is_number(value))
            continue;
        state->given |= UINT32_C(1) << i;
        if (rows[i].whole)
            *(unsigned *)(void *)at = (unsigned)number;
        else
            *(double *)(void *)at = number;
    }
    json_decref(root);
}

/* What is under way while the parameters or the engine change is not judged, and neither is
 * what follows a trace that ended. */
static void command(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    const char *verb = event->u.command.verb;

    if (strcmp(verb, "cc_config") == 0)
        configure(state, event->u.command.text);
    else if (strcmp(verb, "cc_trace") == 0 || strcmp(verb, "cc_engine") == 0)
        state->gone |= state->watch != NULL;
    else
        return;
    forget(state);
}

static void heard(struct fal_ctx *c, const struct fal_seen *seen)
{
    struct state *state = c->state;

    if (seen->dir == fal_in(c) || seen->prior != NULL)
        state->heard |= !watches(c, state);
}

/* The counters of a connection whose beginning was not seen may be anything. */
static bool begin(struct state *state)
{
    struct watch *watch = calloc(1, sizeof *watch);

    if (watch == NULL)
        return false;
    fal_band_forks_all(&watch->forks);
    if (state->heard)
        fal_band_series_unknown(&watch->series);
    else
        fal_band_series_init(&watch->series);
    state->watch = watch;
    return true;
}

static void broken(struct fal_ctx *c, const struct waiting *w, const struct fal_entry *result,
                   const struct fal_band_breach *breach)
{
    const char *name =
        breach->field < FAL_BAND_FIELDS ? fal_band_field_name(breach->field) : "all fields";
    char seen[120];

    (void)snprintf(
        seen, sizeof seen, "a result with %s %.0f%s", name, breach->seen,
        breach->mixed ? ", which only a reading allows that earlier results ruled out" : "");
    fal_broken(c,
               &(struct fal_blame){.requirement = breach->requirement != NULL
                                                      ? breach->requirement
                                                      : "FTP-10.3.1-16",
                                   .cause = {&w->at},
                                   .effect = &result->at,
                                   .seen = seen},
               "%s from %.0f to %.0f by a reading of 10.3 and 10.4", name, breach->allowed.lo,
               breach->allowed.hi);
}

/* The RUE handled the event between its arrival and the result (AMB-71). */
static struct fal_arc handled(const struct waiting *w, const struct fal_entry *result)
{
    uint32_t from = w->event.event_type <= FAL_CC_NACK ? w->event.t4 : w->now_ticks;
    uint32_t width = fal_sub24(result->now_ticks, from);

    return (struct fal_arc){from, width <= FAL_CC_TIME_MAX / 2 ? width : 0};
}

static void judge(struct fal_ctx *c, struct state *state, const struct waiting *w,
                  const struct fal_entry *result)
{
    struct fal_band_input input = {
        .params = &state->watch->params, .event = &w->event, .now = handled(w, result)};
    struct fal_band_breach breach;

    state->watch->params = state->params;
    if (fal_band_holds(&state->watch->forks, &state->watch->series, &input, &result->result,
                       &breach))
        fal_holds(c);
    else
        broken(c, w, result, &breach);
}

/* Whether the windows of the event are not those that this RUE can have given: `open` or `set`
 * chose them beyond its parameters. 10.3 does not say what follows. */
static bool is_foreign(const struct state *state, const struct fal_cc_event *event)
{
    const struct fal_band_params *p = &state->params;
    double fcwnd = event->fcwnd_integer + event->fcwnd_fraction / (double)FAL_CC_FRACTION;
    const double unit = 1 / (double)FAL_CC_FRACTION;

    return fcwnd > p->max_fcwnd + unit || fcwnd < p->min_fcwnd - unit ||
           event->ncwnd > p->max_ncwnd || event->ncwnd < p->min_ncwnd - 1;
}

/* The counters are unknown from now on. */
static void begin_anew(struct state *state)
{
    free(state->watch);
    state->watch = NULL;
    state->heard = true;
}

static void entry(struct fal_ctx *c, const struct fal_entry *entry)
{
    struct state *state = c->state;
    struct waiting w, *item;

    if (!watches(c, state) || entry->ours)
        return;
    if (!entry->is_result) {
        item = fal_bag_add(&state->waiting, sizeof *item, WAITING_MAX);
        if (item == NULL)
            state->gone = true;
        else
            *item = (struct waiting){entry->at, entry->now_ticks, entry->event};
        return;
    }
    if (state->waiting.num == 0)
        return; /* That is the matter of Q3. */
    w = *FAL_BAG(&state->waiting, struct waiting, 0);
    fal_bag_remove(&state->waiting, sizeof w, 0);
    if (w.event.connection_id != entry->result.connection_id) {
        state->gone = true;
        return;
    }
    if (is_foreign(state, &w.event)) {
        begin_anew(state);
        fal_undecided(c, FAL_EXCUSE_CONFIG);
        return;
    }
    if (state->watch == NULL && state->heard && w.event.event_type == FAL_CC_RETRANSMIT)
        return; /* How many came before it is not known. */
    if (state->watch != NULL || begin(state))
        judge(c, state, &w, entry);
}

static void release(void *of)
{
    struct state *state = of;

    free(state->watch);
    fal_bag_release(of);
}

const struct fal_rule_impl fal_rule_q8 = {
    .about = &fal_about_q8,
    .power = 1,
    .sut_only = true,
    .state_size = sizeof(struct state),
    .bags = 1,
    .in = heard,
    .out = heard,
    .on_in = FAL_ON_ACK,
    .on_out = FAL_ON_AGAIN,
    .command = command,
    .entry = entry,
    .release = release,
};
