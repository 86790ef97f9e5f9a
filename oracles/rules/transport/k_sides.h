/* SPDX-License-Identifier: Apache-2.0
 * k_sides.h - the parts of the judge of K rules, one for each subject. Each takes the present
 * event of a flow: k->now_ns, k->number and k->order are set. */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_SIDES_H
#define FAL_ORACLES_RULES_TRANSPORT_K_SIDES_H

#include "oracles/rules/transport/k_flow.h"

/* k_causes.c: why a sender may retransmit (K5), and when its timer may expire (K10). */

/* Whether a retransmission timer may have expired by now: that of segment `s` (NULL: none), or
 * one of the flow. Without a declared timeout: true. */
bool fal_k_may_time_out(const struct fal_tp_judge *k, const struct fal_k_flow *f,
                        const struct fal_k_seg *s);
/* A timer has expired: all that was sent before may be sent again. */
void fal_k_timed_out(struct fal_tp_judge *k, struct fal_k_flow *f);
/* TIMEOUT: the sender says so itself. */
void fal_k_timeout(struct fal_tp_judge *k, struct fal_k_flow *f);
/* K5 and K10: a copy of a segment that is not acknowledged. */
void fal_k_cause(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                 struct fal_k_seg *s);

/* k_feedback.c: what feedback shows the sender, for all rules. */
void fal_k_feedback(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e);

/* k_order.c: K6 (lost before new) and K9 (back exactly to what is named), before the state is
 * changed by the segment. s: NULL if the segment is no longer kept. */
void fal_k_new_in_order(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg);
void fal_k_copy_in_order(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg,
                         const struct fal_k_seg *s);
void fal_k_goes_on(struct fal_tp_judge *k, struct fal_k_flow *f, uint64_t seg);

/* k_credit.c: K4. */
void fal_k_credit(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e,
                  const struct fal_k_seg *s);
/* Feedback that the sender may have: edge of the window and tokens. */
void fal_k_grant(struct fal_k_flow *f, const struct fal_tp_reply *reply);

/* k_send.c: a segment that the sender sends, or that passes; K7. */
MUST_USE int fal_k_send(struct fal_tp_judge *k, struct fal_k_flow *f,
                        const struct fal_tp_event *e);
/* K7: compares with earlier copies, and keeps length and digest. */
void fal_k_identity(struct fal_tp_judge *k, const struct fal_k_flow *f, struct fal_k_seg *s,
                    const struct fal_tp_event *e);

/* k_receive.c: K3 by what the receiver sends, K2, K1. */
MUST_USE int fal_k_arrive(struct fal_tp_judge *k, struct fal_k_flow *f,
                          const struct fal_tp_event *e);
void fal_k_reply(struct fal_tp_judge *k, struct fal_k_flow *f, const struct fal_tp_event *e);
MUST_USE int fal_k_deliver(struct fal_tp_judge *k, struct fal_k_flow *f,
                           const struct fal_tp_event *e);
void fal_k_done(struct fal_tp_judge *k, struct fal_k_flow *f);
void fal_k_delivered_at_end(struct fal_tp_judge *k, struct fal_k_flow *f);

/* k_live.c: K8. Called before each event of the flow, and at the end. */
void fal_k_alive(struct fal_tp_judge *k, struct fal_k_flow *f);

#endif
