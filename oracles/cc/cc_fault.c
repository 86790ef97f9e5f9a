/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/cc_fault.h"

#include "codecs/header/falcon.h"

#include <math.h>
#include <string.h>

enum { HALF_CLOCK = (FAL_CC_TIME_MAX + 1) / 2 };

static uint32_t units_of(uint16_t integer, uint16_t fraction)
{
    return (uint32_t)integer * FAL_CC_FRACTION + fraction;
}

static void set_fcwnd(struct fal_cc_result *result, const struct fal_swift_params *params,
                      double units)
{
    double most = params->max_fcwnd * FAL_CC_FRACTION,
           least = ceil(params->min_fcwnd * FAL_CC_FRACTION);
    uint32_t whole = (uint32_t)fmin(fmax(units, least), most);

    result->fcwnd_integer = (uint16_t)(whole / FAL_CC_FRACTION);
    result->fcwnd_fraction = (uint16_t)(whole % FAL_CC_FRACTION);
}

/* ---- rise ---- */

/* By how much fcwnd rose, in 1/1024; 0: it did not. */
static uint32_t rise(const struct fal_cc_event *event, const struct fal_cc_result *result)
{
    uint32_t before = units_of(event->fcwnd_integer, event->fcwnd_fraction),
             after = units_of(result->fcwnd_integer, result->fcwnd_fraction);

    return event->event_type != FAL_CC_RETRANSMIT && after > before ? after - before : 0;
}

static void rises_by_event(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)now;
    if (rise(event, result) > 0)
        set_fcwnd(result, params,
                  units_of(event->fcwnd_integer, event->fcwnd_fraction) +
                      params->fabric_additive_increment * FAL_CC_FRACTION);
}

static void rises_undivided(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)now;
    if (rise(event, result) > 0)
        set_fcwnd(result, params,
                  units_of(event->fcwnd_integer, event->fcwnd_fraction) +
                      params->fabric_additive_increment * FAL_CC_FRACTION *
                          event->num_packets_acked);
}

/* ---- guards ---- */

static void ignore_guard(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    event->fabric_window_time_marker = fal_cc_since(now, HALF_CLOCK);
}

static void ignore_nic_guard(struct fal_cc_event *event, struct fal_cc_state *state,
                             uint32_t now)
{
    (void)state;
    if (event->event_type == FAL_CC_NACK)
        event->nic_window_time_marker = fal_cc_since(now, HALF_CLOCK);
}

/* A marker that is numerically above the time counts as just set. */
static void do_not_wrap(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    if (event->fabric_window_time_marker > now)
        event->fabric_window_time_marker = now;
}

static void keep_marker(const struct fal_cc_event *event, const struct fal_swift_params *params,
                        uint32_t now, struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->fabric_window_time_marker = event->fabric_window_time_marker;
}

static void keep_nic_marker(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->nic_window_time_marker = event->nic_window_time_marker;
}

/* ---- NIC window ---- */

static void keep_direction(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->ncwnd_direction = event->ncwnd_direction;
}

static void nack_ignored(const struct fal_cc_event *event,
                         const struct fal_swift_params *params, uint32_t now,
                         struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->event_type == FAL_CC_NACK && event->nack_code == FAL_NACK_RESOURCE)
        result->ncwnd = event->ncwnd;
}

static void level_of_target(struct fal_cc_event *event, struct fal_cc_state *state,
                            uint32_t now)
{
    (void)state;
    (void)now;
    event->rx_buffer_level = 0;
}

/* ---- delay ---- */

static void no_hops(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->forward_hops = 0;
}

static void full_delay(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->delay_select = FAL_CC_DELAY_FULL;
}

static void reverse_delay(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->delay_select = FAL_CC_DELAY_REVERSE;
}

static void no_delay(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)state;
    (void)now;
    event->base_delay_target = FAL_CC_TIME_MAX;
}

static void target_of_event(const struct fal_cc_event *event,
                            const struct fal_swift_params *params, uint32_t now,
                            struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->base_delay_target = event->base_delay_target;
}

static void unsmoothed_rtt(const struct fal_cc_event *event,
                           const struct fal_swift_params *params, uint32_t now,
                           struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->event_type != FAL_CC_RETRANSMIT)
        result->rtt_state = fal_cc_rtt(event);
}

static void sample_lost(const struct fal_cc_event *event, const struct fal_swift_params *params,
                        uint32_t now, struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->delay_state = event->delay_state;
}

/* ---- pacing, timeout, path ---- */

static void constant_gap(const struct fal_cc_event *event,
                         const struct fal_swift_params *params, uint32_t now,
                         struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    if (result->fcwnd_integer == 0)
        result->inter_packet_gap = 10;
}

static void gap_above_one(const struct fal_cc_event *event,
                          const struct fal_swift_params *params, uint32_t now,
                          struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    if (result->fcwnd_integer > 0)
        result->inter_packet_gap = result->rtt_state / result->fcwnd_integer + 1;
}

static void short_timeout(struct fal_swift_params *params)
{
    params->min_retransmission_timeout = 0;
}

static void no_limit(struct fal_swift_params *params)
{
    params->retransmit_limit = FAL_CC_RETRANSMITS_MAX;
}

static void falls_without_bound(struct fal_swift_params *params)
{
    params->max_fabric_multiplicative_decrease_factor = 1;
}

static void first_round(struct fal_swift_params *params)
{
    params->plb_attempt_threshold = 1;
}

static void never_another_path(const struct fal_cc_event *event,
                               const struct fal_swift_params *params, uint32_t now,
                               struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    result->randomize_path = 0;
}

static void count_on(struct fal_cc_event *event, struct fal_cc_state *state, uint32_t now)
{
    (void)event;
    (void)now;
    if (state->plb_attempts == 0)
        state->plb_attempts = 1;
}

static void other_connection(const struct fal_cc_event *event,
                             const struct fal_swift_params *params, uint32_t now,
                             struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    result->connection_id = event->connection_id ^ 1;
}

static void nobodys(const struct fal_cc_event *event, const struct fal_swift_params *params,
                    uint32_t now, struct fal_cc_result *result)
{
    (void)event;
    (void)params;
    (void)now;
    result->connection_id = 0xffffff;
}

static void retransmission_moves_ncwnd(const struct fal_cc_event *event,
                                       const struct fal_swift_params *params, uint32_t now,
                                       struct fal_cc_result *result)
{
    (void)params;
    (void)now;
    if (event->event_type == FAL_CC_RETRANSMIT && event->ncwnd > params->min_ncwnd)
        result->ncwnd = (uint16_t)(event->ncwnd - 1);
}

/* clang-format off */
static const struct fal_cc_fault table[] = {
    {"rise-by-event", "FTP-10.3.1-02", "fcwnd rises by the additive increment at each event.", NULL, NULL, rises_by_event},
    {"rise-not-divided", "FTP-10.3.1-02", "fcwnd rises by the increment for each packet, not divided by fcwnd.", NULL, NULL, rises_undivided},
    {"guard-ignored", "FTP-10.3.1-05", "fcwnd falls more than once in a round trip.", NULL, ignore_guard, NULL},
    {"guard-not-wrapped", "FTP-10.3.4-08", "The guard of fcwnd compares times without their wrap.", NULL, do_not_wrap, NULL},
    {"marker-kept", "FTP-10.3.1-08", "The marker of fcwnd is never set.", NULL, NULL, keep_marker},
    {"fall-without-bound", "FTP-10.3.1-06", "One fall of fcwnd ignores the largest factor.", falls_without_bound, NULL, NULL},
    {"nic-marker-kept", "FTP-10.3.1-15", "The marker of ncwnd is never set.", NULL, NULL, keep_nic_marker},
    {"nic-guard-ignored", "FTP-10.3.3-03", "ncwnd falls at each resource NACK.", NULL, ignore_nic_guard, NULL},
    {"nack-ignored", "FTP-10.3.3-02", "ncwnd does not fall at a resource NACK.", NULL, NULL, nack_ignored},
    {"direction-kept", "FTP-10.3.1-11", "The direction of ncwnd is that of the event.", NULL, NULL, keep_direction},
    {"level-ignored", "FTP-10.3.1-13", "ncwnd rises whatever the level of the peer's buffer is.", NULL, level_of_target, NULL},
    {"retransmission-moves-ncwnd", "FTP-10.3.2-06", "A retransmission lowers ncwnd.", NULL, NULL, retransmission_moves_ncwnd},
    {"retransmit-limit-ignored", "FTP-10.3.2-03", "fcwnd does not fall to its minimum at the limit of retransmissions.", no_limit, NULL, NULL},
    {"timeout-below-minimum", "FTP-10.3.2-05", "The retransmit timeout may be shorter than the minimum.", short_timeout, NULL, NULL},
    {"hops-not-scaled", "FTP-10.3.4-04", "The target delay does not depend on the hops.", NULL, no_hops, NULL},
    {"delay-full", "FTP-10.1-07", "The delay is always the whole round trip.", NULL, full_delay, NULL},
    {"delay-reverse", "FTP-10.3.4-06", "The delay is that of the way back.", NULL, reverse_delay, NULL},
    {"delay-ignored", "FTP-10.3.1-06", "fcwnd does not fall, however long the delay is.", NULL, no_delay, target_of_event},
    {"rtt-not-smoothed", "FTP-10.3.4-06", "rtt_state is the last sample.", NULL, NULL, unsmoothed_rtt},
    {"delay-state-kept", "FTP-10.3.4-06", "delay_state never changes.", NULL, NULL, sample_lost},
    {"gap-constant", "FTP-10.3.4-10", "The gap does not depend on fcwnd.", NULL, NULL, constant_gap},
    {"gap-above-one", "FTP-10.3.4-09", "There is a gap although fcwnd is above one.", NULL, NULL, gap_above_one},
    {"plb-first-round", "FTP-10.4-11", "A new path is drawn after the first congested round.", first_round, NULL, NULL},
    {"plb-never", "FTP-10.4-08", "A new path is never drawn.", NULL, NULL, never_another_path},
    {"plb-counter-kept", "FTP-10.4-11", "The count of congested rounds is never 0.", NULL, count_on, NULL},
    {"result-for-nobody", "FTP-10.6.2.2-02", "Results name connection 0xffffff, which there is not.", NULL, NULL, nobodys},
    {"result-of-another", "FTP-10.6.2.2-02", "Results name another connection.", NULL, NULL, other_connection},
};
/* clang-format on */

const struct fal_cc_fault *fal_cc_faults(size_t *n)
{
    *n = sizeof table / sizeof *table;
    return table;
}

const struct fal_cc_fault *fal_cc_fault_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

void fal_cc_fault_process(const struct fal_cc_fault *fault, struct fal_swift *swift,
                          struct fal_cc_state *state, uint32_t now,
                          const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct fal_cc_event seen = *event;

    if (fault != NULL && fault->before != NULL)
        fault->before(&seen, state, now);
    fal_cc_unchanged(&seen, result);
    fal_swift_process(swift, state, now, &seen, result);
    if (fault != NULL && fault->after != NULL)
        fault->after(event, &swift->params, now, result);
}
