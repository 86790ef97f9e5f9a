/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/eventpipe/faults.h"

#include <string.h>

const struct fal_ep_row fal_ep_fault_rows[FAL_EP_FAULTS] = {
    [FAL_EP_SOUND] = {"none", "", "no fault"},
    [FAL_EP_RATE_TO_WRONG_FLOW] = {"rate-to-wrong-flow", "EP1",
                                   "an answer goes to another flow than the processor's"},
    [FAL_EP_ANSWER_WITHOUT_EVENT] = {"answer-without-event", "EP1",
                                     "a flow that had no event gets a rate"},
    [FAL_EP_MERGE_KEEPS_LAST_SN_ONLY] = {"merge-keeps-last-sn-only", "EP2",
                                         "a merge replaces the first sequence number, too"},
    [FAL_EP_MERGE_LOSES_BYTES] = {"merge-loses-bytes", "EP2",
                                  "a merge keeps the bytes of the last event only"},
    [FAL_EP_FIFO_LOSES_EVENT] = {"fifo-loses-event", "EP2",
                                 "an event that went into a FIFO never comes out"},
    [FAL_EP_WRED_INVERTED] = {"wred-inverted", "EP3",
                              "between the thresholds a fuller FIFO drops less"},
    [FAL_EP_WRED_EARLY] = {"wred-early", "EP3", "WRED drops below its first threshold"},
    [FAL_EP_CAM_STALE] = {"cam-stale", "EP4",
                          "the flow map misses a flow that has a slice: it gets a second one"},
    [FAL_EP_MERGE_ACROSS_FLOWS] = {"merge-across-flows", "EP4",
                                   "an event is merged into the slice of another flow"},
    [FAL_EP_GRANT_FROM_IDLE] = {"grant-from-idle", "EP5",
                                "a slice goes from idle to busy without arbitration"},
    [FAL_EP_TX_STARVES_RX] = {"tx-starves-rx", "EP6",
                              "the RX FIFO is served only while the TX FIFO is empty"},
    [FAL_EP_FW_OVERWRITTEN] = {"fw-overwritten", "EP6",
                               "an event of firmware replaces the one that waits"},
    [FAL_EP_WAKEUP_LOST] =
        {"wakeup-lost", "EP7",
         "an event that comes while the slice is busy starts no further run"},
    [FAL_EP_CLASS_SHIFT] = {"class-shift", "EP8", "an event gets the class after its own"},
    [FAL_EP_CLASS_WRITE_IGNORED] = {"class-write-ignored", "EP8",
                                    "a new class of a kind does not take effect"},
    [FAL_EP_RATE_NOT_APPLIED] = {"rate-not-applied", "EP9",
                                 "the sender keeps its spacing when the rate falls"},
    [FAL_EP_T3_BEFORE_T2] = {"t3-before-t2", "EP10",
                             "the responder's second time stamp is before its first"},
    [FAL_EP_RESPONDER_SLOW] = {"responder-slow", "EP10",
                               "the responder keeps a packet longer than declared"},
    [FAL_EP_NEW_FLOW_WITHOUT_RTT] = {"new-flow-without-rtt", "EP11",
                                     "a new flow causes no RTT request"},
    [FAL_EP_NEW_FLOW_AT_LINE_RATE] = {"new-flow-at-line-rate", "EP11",
                                      "a new flow begins at ten times the default rate"},
    [FAL_EP_CONTEXT_STALE] = {"context-stale", "EP12",
                              "a context is read as it was before the last write"},
    [FAL_EP_EVICTION_LOSES_WRITE] = {"eviction-loses-write", "EP12",
                                     "a context that is evicted loses its last write"},
    [FAL_EP_OVERRIDE_DROPS_MERGE] = {"override-drops-merge", "EP13",
                                     "events that come during override are discarded"},
    [FAL_EP_RELEASE_FORGETS_MORE] = {"release-forgets-more", "EP13",
                                     "release frees a slice that still holds events"},
};

const struct fal_ep_row fal_ep_variant_rows[FAL_EP_VARIANTS] = {
    [FAL_EP_DROP_CURVE] = {"drop-curve", "", "the drop curve has three pieces [0141]"},
    [FAL_EP_NO_DROP] = {"no-drop", "", "no event is dropped [0159]: a full FIFO delays it"},
    [FAL_EP_RX_FIRST] = {"rx-first", "",
                         "fixed order RX, TX, firmware in place of round robin [0159]"},
    [FAL_EP_NO_MAPPER] = {"no-mapper", "", "each kind has an entry of its own [0159]"},
    [FAL_EP_HASH] = {"hash", "", "the processor gets a hash of the flow, too [0142]"},
    [FAL_EP_ARB_WAITS] = {"arb-waits", "",
                          "an event for a slice that arbitrates waits for its grant [0148]"},
    [FAL_EP_RATE_IN_STEPS] = {"rate-in-steps", "",
                              "the rate moves at most an eighth at a time [0093]"},
    [FAL_EP_RATE_BY_TIMER] = {"rate-by-timer", "", "without events the rate grows [0093]"},
    [FAL_EP_SOME_PORTS] = {"some-ports", "",
                           "only some ports give events: flows with even numbers [0073]"},
    [FAL_EP_DONE_ENDS_OVERRIDE] = {"done-ends-override", "",
                                   "a processor that ends during override releases the slice"},
    [FAL_EP_RTT_DIFFERENCE] = {"rtt-difference", "",
                               "the responder writes T3 - T2 in place of both [0103]"},
    [FAL_EP_CLOCKS_APART] = {"clocks-apart", "",
                             "the clock of the responder is not synchronised [0098]"},
};

size_t fal_ep_row_find(const struct fal_ep_row *rows, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].id, id) == 0)
            return i;
    return n;
}
