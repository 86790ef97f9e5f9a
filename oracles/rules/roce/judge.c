/* SPDX-License-Identifier: Apache-2.0
 * judge.c - see judge.h. */
#include "oracles/rules/roce/state.h"

#include <stdlib.h>

static const struct fal_tally_rule rules[FAL_ROCE_RULES] = {
    [FAL_ROCE_NP1] =
        {"NP1", "receiver",
         "a CNP follows a marked (CE) packet of its flow, and there are no more CNPs "
         "than marked packets",
         "RoCEv2 congestion management"},
    [FAL_ROCE_NP2] = {"NP2", "receiver",
                      "two CNPs of a flow are at least the declared interval N apart",
                      "DCQCN, notification point"},
    [FAL_ROCE_NP3] = {"NP3", "receiver",
                      "a marked packet of a flow that had no CNP for N is answered by a CNP "
                      "within N and the turnaround",
                      "RoCEv2 congestion management; DCQCN, notification point"},
    [FAL_ROCE_NP4] = {"NP4", "receiver",
                      "a CNP names the queue pair of the sender and has the declared form: 16 "
                      "zero bytes, a right ICRC, addresses swapped",
                      "InfiniBand annex 17"},
    [FAL_ROCE_RP1] = {"RP1", "sender",
                      "after a CNP the rate stays below the upper edge of the reaction point",
                      "DCQCN, reaction point"},
    [FAL_ROCE_RP2] = {"RP2", "sender",
                      "the rate falls neither below the least rate nor by more than alpha "
                      "allows, once in each M",
                      "DCQCN, reaction point"},
    [FAL_ROCE_RP3] = {"RP3", "sender",
                      "without CNPs the rate of a backlogged queue pair recovers",
                      "DCQCN, reaction point"},
    [FAL_ROCE_RP4] = {"RP4", "sender", "a CNP changes the rate of its queue pair only",
                      "RoCEv2 congestion management"},
    [FAL_ROCE_CP1] = {"CP1", "switch",
                      "only ECN-capable packets are marked, no mark is cleared, and the share "
                      "of marked packets fits the queue",
                      "RFC 3168; DCQCN, congestion point"},
    [FAL_ROCE_GB1] = {"GB1", "sender", "new packets have consecutive numbers",
                      "InfiniBand volume 1, 9.7"},
    [FAL_ROCE_GB2] = {"GB2", "sender",
                      "after a NAK for a sequence error the sender sends again from the number "
                      "that the NAK names",
                      "InfiniBand volume 1, 9.7"},
    [FAL_ROCE_GB3] = {"GB3", "receiver",
                      "an acknowledgement covers no number that was not sent, and a NAK covers "
                      "none below it",
                      "InfiniBand volume 1, 9.7"},
    [FAL_ROCE_GB4] = {"GB4", "receiver",
                      "a gap is reported by one NAK until the missing packet comes",
                      "InfiniBand volume 1, 9.7"},
    [FAL_ROCE_GB5] = {"GB5", "sender",
                      "the sender goes back to no packet that was acknowledged",
                      "InfiniBand volume 1, 9.7"},
    [FAL_ROCE_GB6] = {"GB6", "sender",
                      "without a NAK the sender goes back no earlier than the declared timeout",
                      "InfiniBand volume 1, 9.7"},
    [FAL_ROCE_WF1] = {"WF1", "any", "the base transport header is well-formed",
                      "InfiniBand volume 1, 9.2"},
    [FAL_ROCE_WF2] = {"WF2", "receiver",
                      "an acknowledgement has a defined syndrome, and message numbers never go "
                      "back",
                      "InfiniBand volume 1, 9.5, 9.7"},
    [FAL_ROCE_WF3] = {"WF3", "any", "the ICRC is right", "InfiniBand annex 17"},
};

const struct fal_tally_rule *fal_roce_rules(size_t *n)
{
    *n = FAL_ROCE_RULES;
    return rules;
}

/* ---- results ---- */

void fal_rj_found(struct fal_roce_judge *j, enum fal_roce_rule rule, enum fal_verdict verdict,
                  const struct fal_roce_place *place, uint32_t qp, const char *text)
{
    const struct fal_tally_finding at = {
        .verdict = verdict, .at_ns = place->at_ns, .number = place->number, .flow = qp};

    fal_tally_found(&j->tally, rule, &at, "%s", text);
}

void fal_rj_held(struct fal_roce_judge *j, enum fal_roce_rule rule)
{
    fal_tally_held(&j->tally, rule);
}

void fal_rj_excused(struct fal_roce_judge *j, enum fal_roce_rule rule, const char *reason)
{
    fal_tally_excused(&j->tally, rule, reason);
}

enum fal_verdict fal_rj_unseen(const struct fal_roce_judge *j)
{
    return j->setup.complete ? FAL_VERDICT_FAIL : FAL_VERDICT_INCONC;
}

const struct fal_tally *fal_roce_judge_tally(const struct fal_roce_judge *j)
{
    return &j->tally;
}

struct fal_roce_counts fal_roce_judge_counts(const struct fal_roce_judge *j)
{
    struct fal_roce_counts counts = j->counts;

    counts.flows = j->num_flows;
    return counts;
}

/* ---- the judge ---- */

/* Declared times beyond this are as good as unlimited, and sums of them do not overflow. */
static uint64_t capped(uint64_t ns)
{
    const uint64_t cap = UINT64_C(1) << 42;

    return ns < cap ? ns : cap;
}

struct fal_roce_judge *fal_roce_judge_new(const struct fal_rj_setup *setup)
{
    struct fal_roce_judge *j = calloc(1, sizeof *j);

    if (j == NULL)
        return NULL;
    j->setup = *setup;
    j->setup.clock_error_ns = capped(setup->clock_error_ns);
    j->setup.delay_ns = capped(setup->delay_ns);
    j->setup.pipeline_ns = capped(setup->pipeline_ns);
    j->setup.turnaround_ns = capped(setup->turnaround_ns);
    j->setup.timeout_ns = capped(setup->timeout_ns);
    j->due = FAL_ROCE_NO_FLOW;
    j->tally = (struct fal_tally){rules, j->rows, FAL_ROCE_RULES};
    fal_tally_clear(&j->tally);
    return j;
}

void fal_roce_judge_free(struct fal_roce_judge *j)
{
    if (j == NULL)
        return;
    for (size_t i = 0; i < j->num_flows; i++) {
        free(j->flows[i].sends);
        free(j->flows[i].rate);
    }
    free(j->marking);
    free(j->flows);
    free(j->paths);
    free(j->flow_slots);
    free(j->path_slots);
    free(j);
}

/* ---- packets ---- */

enum { FRAMING = 24 }; /* bytes of a frame on the wire that are not in a capture */

static void take_gap(struct fal_roce_judge *j, uint64_t at_ns)
{
    j->gap = false;
    j->was_gap = true;
    j->start_ns = at_ns;
    fal_rj_np_gap(j);
    fal_rj_rp_gap(j);
}

static void take(struct fal_roce_judge *j, const struct fal_roce_seen *seen)
{
    uint32_t flow = fal_rj_flow_of(j, seen);
    enum fal_rj_role kind = fal_rj_role(seen->opcode);

    if (flow == FAL_ROCE_NO_FLOW)
        return;
    j->flows[flow].packets++;
    if (j->paths[j->flows[flow].path].src_judged)
        j->port_bytes += seen->wire + FRAMING;
    fal_rj_form(j, flow, seen);
    if (seen->opcode == FAL_ROCE_OPCODE_CNP) {
        j->counts.cnps++;
        fal_rj_np_cnp(j, flow, seen);
        fal_rj_rp_cnp(j, flow, seen);
        return;
    }
    if (kind == FAL_ROLE_RESPONSE || kind == FAL_ROLE_ACK) {
        fal_rj_learn(j, flow, seen);
        fal_rj_gb_answer(j, flow, seen);
    }
    fal_rj_np_data(j, flow, seen);
    if (kind == FAL_ROLE_REQUEST || kind == FAL_ROLE_ASKING)
        fal_rj_gb_request(j, flow, seen);
    if (kind != FAL_ROLE_ACK)
        fal_rj_rp_sent(j, flow, seen);
}

void fal_roce_judge_seen(struct fal_roce_judge *j, const struct fal_roce_seen *seen)
{
    if (!j->started) {
        j->started = true;
        j->start_ns = seen->at_ns;
        j->was_gap = !j->setup.from_start;
    }
    if (j->gap)
        take_gap(j, seen->at_ns);
    j->now_ns = seen->at_ns > j->now_ns ? seen->at_ns : j->now_ns;
    j->counts.packets++;
    j->counts.marked += seen->ecn == 3;
    fal_rj_np_time(j);
    if (!seen->damaged)
        fal_rj_cp_packet(j, seen);
    /* Each packet counts once: where both sides of a switch were captured, behind it. */
    if (!seen->damaged && seen->point != FAL_ROCE_BEFORE)
        take(j, seen);
}

bool fal_roce_judge_frame(struct fal_roce_judge *j, const struct fal_frame *frame)
{
    struct fal_roce_seen seen;

    if (!fal_roce_seen_of(frame, &seen))
        return false;
    fal_roce_judge_seen(j, &seen);
    return true;
}

void fal_roce_judge_gap(struct fal_roce_judge *j)
{
    j->gap = true;
}

void fal_roce_judge_end(struct fal_roce_judge *j)
{
    fal_rj_np_end(j);
    fal_rj_cp_end(j);
}
