/* SPDX-License-Identifier: Apache-2.0
 * ep_wire.c - EP9, the rate on the wire [0086-0087], and EP10, the segments of a round trip
 * [0058, 0096-0103].
 *
 * A flow may always be slower than its rate (it may have nothing to send), so only bursts that
 * are too fast are found. A rate may take effect one burst late; then the bursts from one to
 * the next need the highest rate that may be in force. A burst may be one burst early (the one
 * before was late), and the rate may be wrong by the declared error, or 1 %. */
#include "oracles/rules/eventpipe/ep_state.h"

static const double default_error = 0.01, ns_per_second = 1e9, rounding_ns = 2;

static uint64_t higher(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void fal_ep_told(struct fal_ep_flow *flow, uint64_t rate_bps)
{
    struct fal_ep_pace *pace = &flow->pace;

    if (rate_bps == 0) /* an RTT request alone */
        return;
    pace->last = rate_bps;
    pace->since = higher(pace->since, rate_bps);
}

/* The shortest time of the burst that began last. */
static double shortest(const struct fal_ep_judge *j, const struct fal_ep_pace *pace)
{
    uint64_t rate = higher(pace->before, higher(pace->since_before, pace->since));
    double error = j->setup.rate_error_ppm > 0 ? j->setup.rate_error_ppm * 1e-6 : default_error;

    return (double)pace->burst_bytes * 8 * ns_per_second / ((double)rate * (1 + error));
}

static void judge_gap(struct fal_ep_judge *j, const struct fal_ep_flow *flow,
                      const struct fal_ep_event *event)
{
    struct fal_ep_pace *pace = (struct fal_ep_pace *)&flow->pace;
    double need = shortest(j, pace), at = (double)event->at_ns,
           begun =
               pace->due_ns > (double)pace->burst_ns ? pace->due_ns : (double)pace->burst_ns;

    pace->due_ns = begun + need;
    if (at + need + rounding_ns >= pace->due_ns) {
        fal_ep_held(j, EP9);
        return;
    }
    fal_ep_broken(j, EP9, event,
                  "a burst more than one burst early: the rate allows it at %.0f ns, "
                  "found it at %llu ns",
                  pace->due_ns, (unsigned long long)event->at_ns);
    pace->due_ns = at;
}

void fal_ep_wire(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    struct fal_ep_flow *flow;
    struct fal_ep_pace *pace;

    if (event->kind != FAL_EP_TX)
        return;
    flow = fal_ep_flow_of(j, event->flow);
    if (flow == NULL)
        return;
    pace = &flow->pace;
    if (pace->begun && pace->before != 0)
        judge_gap(j, flow, event);
    pace->begun = true;
    pace->before = pace->now;
    pace->now = pace->last;
    pace->since_before = pace->since;
    pace->since = 0;
    pace->burst_ns = event->at_ns;
    pace->burst_bytes = event->bytes;
}

/* ---- the round trip ---- */

static void stamps_broken(struct fal_ep_judge *j, const struct fal_ep_event *e,
                          const char *what, uint64_t found)
{
    fal_ep_broken(j, EP10, e, "T1 %llu, T2 %llu, T3 %llu, T4 %llu ns: %s (%llu ns)",
                  (unsigned long long)e->t1_ns, (unsigned long long)e->t2_ns,
                  (unsigned long long)e->t3_ns, (unsigned long long)e->t4_ns, what,
                  (unsigned long long)found);
}

/* The clock of the responder may run faster by 200 ppm. */
static uint64_t with_drift(uint64_t ns)
{
    return ns + ns / 5000 + 1;
}

static void judge_stamps(struct fal_ep_judge *j, const struct fal_ep_event *e)
{
    bool difference = j->setup.rtt_by_difference && e->t2_ns == 0;
    uint64_t whole = e->t4_ns - e->t1_ns, inside = e->t3_ns - e->t2_ns;

    if (e->t4_ns < e->t1_ns)
        stamps_broken(j, e, "expected T4 not before T1", e->t1_ns - e->t4_ns);
    else if (e->t3_ns < e->t2_ns)
        stamps_broken(j, e, "expected T3 not before T2", e->t2_ns - e->t3_ns);
    else if (inside > with_drift(whole))
        stamps_broken(j, e, "expected T3 - T2 not longer than T4 - T1", inside);
    else if (j->setup.responder_ns > 0 && inside > j->setup.responder_ns)
        stamps_broken(j, e, "expected T3 - T2 not longer than responder_ns",
                      j->setup.responder_ns);
    else if (j->setup.clocks_synchronised && !difference && e->t2_ns < e->t1_ns)
        stamps_broken(j, e, "expected T2 not before T1 by synchronised clocks",
                      e->t1_ns - e->t2_ns);
    else if (j->setup.clocks_synchronised && !difference && e->t4_ns < e->t3_ns)
        stamps_broken(j, e, "expected T4 not before T3 by synchronised clocks",
                      e->t3_ns - e->t4_ns);
    else
        fal_ep_held(j, EP10);
}

void fal_ep_stamps(struct fal_ep_judge *j, const struct fal_ep_event *event)
{
    if (event->t1_ns == 0 || event->t4_ns == 0) /* RTT_SENT has T1 alone */
        return;
    j->seen |= FAL_EP_SAW_STAMPS;
    if (event->t3_ns == 0 || (event->t2_ns == 0 && !j->setup.rtt_by_difference))
        fal_ep_excused(j, EP10, "no-responder-stamps");
    else
        judge_stamps(j, event);
}
