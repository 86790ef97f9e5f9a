/* SPDX-License-Identifier: Apache-2.0
 * faults.h - planted bugs of the event pipeline, each with the rule that has to find it, and
 * conforming variants: freedoms that the design leaves. */
#ifndef FAL_ORACLES_EVENTPIPE_FAULTS_H
#define FAL_ORACLES_EVENTPIPE_FAULTS_H

#include <stddef.h>
#include <stdint.h>

enum fal_ep_fault {
    FAL_EP_SOUND, /* no fault */
    FAL_EP_RATE_TO_WRONG_FLOW,
    FAL_EP_ANSWER_WITHOUT_EVENT,
    FAL_EP_MERGE_KEEPS_LAST_SN_ONLY,
    FAL_EP_MERGE_LOSES_BYTES,
    FAL_EP_FIFO_LOSES_EVENT,
    FAL_EP_WRED_INVERTED,
    FAL_EP_WRED_EARLY,
    FAL_EP_CAM_STALE,
    FAL_EP_MERGE_ACROSS_FLOWS,
    FAL_EP_GRANT_FROM_IDLE,
    FAL_EP_TX_STARVES_RX,
    FAL_EP_FW_OVERWRITTEN,
    FAL_EP_WAKEUP_LOST,
    FAL_EP_CLASS_SHIFT,
    FAL_EP_CLASS_WRITE_IGNORED,
    FAL_EP_RATE_NOT_APPLIED,
    FAL_EP_T3_BEFORE_T2,
    FAL_EP_RESPONDER_SLOW,
    FAL_EP_NEW_FLOW_WITHOUT_RTT,
    FAL_EP_NEW_FLOW_AT_LINE_RATE,
    FAL_EP_CONTEXT_STALE,
    FAL_EP_EVICTION_LOSES_WRITE,
    FAL_EP_OVERRIDE_DROPS_MERGE,
    FAL_EP_RELEASE_FORGETS_MORE,
    FAL_EP_FAULTS,
};

enum fal_ep_variant {
    FAL_EP_DROP_CURVE,    /* three pieces in place of one */
    FAL_EP_NO_DROP,       /* WRED drops nothing; a full FIFO makes the source wait */
    FAL_EP_RX_FIRST,      /* the RX FIFO before the TX FIFO before firmware: EP6 is off */
    FAL_EP_NO_MAPPER,     /* the class is the kind */
    FAL_EP_HASH,          /* a hash of the flow goes with it to the processor */
    FAL_EP_ARB_WAITS,     /* an event for a slice in arb waits for the grant: no merge there */
    FAL_EP_RATE_IN_STEPS, /* the rate moves at most an eighth at a time */
    FAL_EP_RATE_BY_TIMER, /* without events the rate grows */
    FAL_EP_SOME_PORTS,    /* only even flows give events */
    FAL_EP_DONE_ENDS_OVERRIDE, /* done in override releases the slice */
    FAL_EP_RTT_DIFFERENCE,     /* the responder writes T3 - T2 in place of both */
    FAL_EP_CLOCKS_APART,       /* the clock of the responder is another one */
    FAL_EP_VARIANTS,
};

struct fal_ep_row {
    const char *id, *rule; /* rule: of a fault; "" of a variant */
    const char *text;
};

/* Indexed by enum fal_ep_fault, the first is no fault; by enum fal_ep_variant. */
extern const struct fal_ep_row fal_ep_fault_rows[FAL_EP_FAULTS];
extern const struct fal_ep_row fal_ep_variant_rows[FAL_EP_VARIANTS];

/* The number of a name in the table; `n` if there is none. */
size_t fal_ep_row_find(const struct fal_ep_row *rows, size_t n, const char *id);

#endif
