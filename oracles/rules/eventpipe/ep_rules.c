/* SPDX-License-Identifier: Apache-2.0
 * ep_rules.c - the list of the rules, and the points of a trace that each of them needs. */
#include "oracles/rules/eventpipe/ep_state.h"

static const struct fal_tally_rule rules[FAL_EP_RULES] = {
    [EP1] = {"EP1", "pipeline",
             "each output (class event, rate, RTT request) has an input of its flow before it",
             "[0046-0047, 0157]"},
    [EP2] = {"EP2", "pipeline",
             "of each flow and kind, what came in is delivered, merged or dropped; bytes are "
             "summed, the first and the last sequence number are kept",
             "[0050, 0154-0156]"},
    [EP3] = {"EP3", "queue",
             "no event is dropped below TH1, none passes at TH2 or above, and the share in "
             "between follows the line",
             "[0033, 0134-0140]"},
    [EP4] = {"EP4", "slices",
             "a flow has one slice and runs on one processor at a time; its context is written "
             "before it is read again",
             "[0045, 0055, 0143-0144]"},
    [EP5] = {"EP5", "slices", "each transition of a slice is in the table of its states",
             "[0146-0151]"},
    [EP6] = {"EP6", "arbiter",
             "a source that waits is served within three grants; an event of the firmware is "
             "not overwritten",
             "[0044, 0129-0130]"},
    [EP7] = {"EP7", "slices",
             "after an event came while the processor was busy, the slice arbitrates again",
             "[0051, 0148]"},
    [EP8] = {"EP8", "mapper", "an event gets the class that the table gives its kind",
             "[0130-0132]"},
    [EP9] = {"EP9", "sender",
             "bursts of a flow are no faster than its rate, one burst after "
             "the rate came",
             "[0086-0087, 0133]"},
    [EP10] = {"EP10", "responder",
              "the segments of a round trip are its whole, and none of them is negative",
              "[0058, 0096-0103]"},
    [EP11] = {"EP11", "processor",
              "a new flow gets the default rate and an RTT request, then an update",
              "[0089-0092]"},
    [EP12] = {"EP12", "context store",
              "the context that is read is the one that was written last, after eviction too",
              "[0054-0055, 0077-0079]"},
    [EP13] = {"EP13", "slices", "override by firmware and its release lose no merged event",
              "[0149-0151]"},
};

const struct fal_tally_rule *fal_ep_rules(size_t *n)
{
    *n = FAL_EP_RULES;
    return rules;
}

/* A rule that has decided nothing says why: the first row whose `needs` the trace lacks. */
static const struct {
    enum fal_ep_rule rule;
    unsigned needs; /* enum fal_ep_seen; any one of them is enough */
    const char *reason;
} lacks[] = {
    {EP1, FAL_EP_SAW_SOURCE, "no-source-points"},
    {EP2, FAL_EP_SAW_SOURCE, "no-source-points"},
    {EP8, FAL_EP_SAW_SOURCE, "no-source-points"},
    {EP1, FAL_EP_SAW_START | FAL_EP_SAW_RATE, "no-output-points"},
    {EP9, FAL_EP_SAW_WIRE, "no-wire-points"},
    {EP9, FAL_EP_SAW_RATE, "no-rate-points"},
    {EP2, FAL_EP_SAW_START, "no-class-events"},
    {EP8, FAL_EP_SAW_START | FAL_EP_SAW_MERGE, "no-class-events"},
    {EP6, FAL_EP_SAW_IN, "no-queue-points"},
    {EP6, FAL_EP_SAW_OUT, "no-queue-points"},
    {EP3, FAL_EP_SAW_DROP | FAL_EP_SAW_IN, "no-queue-points"},
    {EP3, FAL_EP_SAW_THRESHOLDS, "thresholds-not-declared"},
    {EP6, FAL_EP_SAW_ROUND_ROBIN, "arbitration-not-declared"},
    {EP5, FAL_EP_SAW_SLICE, "no-slice-points"},
    {EP7, FAL_EP_SAW_SLICE, "no-slice-points"},
    {EP13, FAL_EP_SAW_SLICE, "no-slice-points"},
    {EP4, FAL_EP_SAW_MAP | FAL_EP_SAW_END | FAL_EP_SAW_CONTEXT, "no-map-or-processor-points"},
    {EP10, FAL_EP_SAW_STAMPS, "no-time-stamps"},
    {EP11, FAL_EP_SAW_NEW, "no-new-flow"},
    {EP11, FAL_EP_SAW_DEFAULT, "default-rate-not-declared"},
    {EP12, FAL_EP_SAW_CONTEXT, "no-context-points"},
    {EP13, FAL_EP_SAW_OVERRIDE, "no-override"},
};

void fal_ep_excuse_idle_rules(struct fal_ep_judge *j)
{
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        const struct fal_tally_row *row = &j->rows[lacks[i].rule];

        if (row->held == 0 && row->num_findings == 0 && row->excused == 0 &&
            (j->seen & lacks[i].needs) == 0)
            fal_tally_excused(&j->tally, lacks[i].rule, lacks[i].reason);
    }
}
