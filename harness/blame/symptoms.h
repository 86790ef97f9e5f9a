/* SPDX-License-Identifier: Apache-2.0
 * symptoms.h - what the packets of a case show of a violation. Functions of the trace alone:
 * they decide nothing about verdicts. A violation may have several symptoms when the packets do
 * not tell which of them it is; the most probable comes first. */
#ifndef TL_HARNESS_BLAME_SYMPTOMS_H
#define TL_HARNESS_BLAME_SYMPTOMS_H

#include "harness/blame/trace.h"
#include "reports/results/results.h"

struct tl_symptoms {
    enum tl_symptom list[TL_SYMPTOMS_MAX];
    unsigned count;
};

/* Adds one, if there is room and it is not NONE. */
void tl_symptoms_add(struct tl_symptoms *symptoms, enum tl_symptom symptom);

/* ---- acknowledgements that the SUT owes (owed.c) ---- */

/* The tester sent the packet `number`, and the SUT owes its acknowledgement by until_ns. The
 * symptoms say what the SUT sent instead; none if it sent nothing, or the acknowledgement. */
struct tl_symptoms tl_owed_ack(const struct tl_trace *trace, uint64_t number,
                               uint64_t until_ns);
/* The packet `number` of the SUT does not acknowledge the tester's packet `of`: the symptoms
 * name the base or the bit that it lacks. */
struct tl_symptoms tl_ack_lacks(const struct tl_trace *trace, uint64_t number, uint64_t of);
/* The SUT did not accept the tester's packet of that number. The symptom names the property
 * that it shares with other packets that the SUT refused; NONE: they share none. */
enum tl_symptom tl_why_refused(const struct tl_trace *trace, uint64_t number);
/* No ACK came at all for the packet of that number. */
struct tl_symptoms tl_no_ack(const struct tl_trace *trace, uint64_t number);
/* The ACK has an OWN bit that it must not have. */
enum tl_symptom tl_own_kept(const struct fal_falcon *ack);
/* The EACK `number` of the SUT has an OWN bit though the newest packet of that window was not
 * beyond it: whether the SUT dropped that packet. */
enum tl_symptom tl_own_inside(const struct tl_trace *trace, uint64_t number);
/* No NACK of that code came. */
enum tl_symptom tl_no_nack(unsigned code);
/* Whether the SUT had refused the tester's packet `of` before, by t_ns. */
bool tl_was_refused(const struct tl_trace *trace, uint64_t of, uint64_t t_ns);

/* The EACK `number` of the SUT shows packets that were never sent: the right ones in a wrong
 * layout (layout.c). */
enum tl_symptom tl_bitmap_layout(const struct tl_trace *trace, uint64_t number);

/* Its bases are those of the other window. */
enum tl_symptom tl_bases_exchanged(const struct tl_trace *trace, uint64_t number);

/* ---- acknowledgements that the SUT got (got.c) ---- */

/* The tester acknowledged the packet `number` of the SUT, which acts as if it had not: by which
 * part of which packet it was acknowledged, before `before`. */
struct tl_symptoms tl_ack_ignored(const struct tl_trace *trace, uint64_t number,
                                  uint64_t before);
/* The SUT completed the push of that RSN more than once. */
enum tl_symptom tl_completed_twice(const struct tl_trace *trace, uint32_t rsn);
/* The packet `number` of the SUT is an early copy without a cause. */
enum tl_symptom tl_early_copy(const struct tl_trace *trace, uint64_t number);
/* The SUT completed the push whose packet has that RSN although nobody had acknowledged it. */
enum tl_symptom tl_completed_early(const struct tl_trace *trace, uint32_t rsn, uint64_t t_ns);

/* ---- retransmissions and Resyncs that the SUT owes (again.c) ---- */

/* A packet of the SUT with that number of that window did not come by until_ns, though the SUT
 * had sent it before. */
enum tl_symptom tl_no_repeat(const struct tl_trace *trace, enum fal_window w, uint32_t psn,
                             uint64_t until_ns);
/* The fatal error of the connection did not come by until_ns. */
enum tl_symptom tl_no_fatal(const struct tl_trace *trace, uint64_t until_ns);
/* A Resync of that number did not come by until_ns. */
enum tl_symptom tl_no_resync(const struct tl_trace *trace, enum fal_window w, uint32_t psn,
                             uint64_t until_ns);
/* The Resync `number` of the SUT has a code without a cause. */
enum tl_symptom tl_resync_code(const struct tl_trace *trace, uint64_t number);

/* ---- NACKs of the SUT, and pushes that it must not acknowledge (refused.c) ---- */

/* The NACK `number` of the SUT names a packet that its own base acknowledges. */
enum tl_symptom tl_nack_and_ack(const struct tl_trace *trace, uint64_t number);
/* The SUT acknowledged the push of the tester's packet `of` too early, by t_ns. */
enum tl_symptom tl_push_acked(const struct tl_trace *trace, uint64_t of, uint64_t t_ns);
/* The NACK `number` of the SUT has a code that its upper layer did not answer. */
enum tl_symptom tl_nack_code(const struct tl_trace *trace, uint64_t number);

/* The upper layer of the SUT got the push of the tester's packet `of` twice. */
enum tl_symptom tl_delivered_again(const struct tl_trace *trace, uint64_t of);
/* The SUT echoes the time of none of the packets that it may accept, in `number`. */
enum tl_symptom tl_echo_of_bad(const struct tl_trace *trace, uint64_t number);
/* The packet `number` of the SUT acknowledges one that was never sent: whether one that the SUT
 * must drop has that number. */
enum tl_symptom tl_acks_bad(const struct tl_trace *trace, uint64_t number);
/* The SUT must drop the tester's packet `of`: whether it has acknowledged it. */
enum tl_symptom tl_bad_accepted(const struct tl_trace *trace, uint64_t of);

/* ---- numbers and completions of the SUT (numbers.c) ---- */

/* The packet `number` of the SUT has an RSN beyond the next one. */
enum tl_symptom tl_rsn_gap(const struct tl_trace *trace, uint64_t number);
/* The packet `number` of the SUT has the RSN of another packet. */
enum tl_symptom tl_rsn_twice(const struct tl_trace *trace, uint64_t number);
/* The packet `number` of the SUT has the IV of another one. */
enum tl_symptom tl_iv_twice(const struct tl_trace *trace, uint64_t number);
/* The packet `number` of the SUT was sent before the RNR delay had passed. */
enum tl_symptom tl_rnr_short(const struct tl_trace *trace, uint64_t number);
/* The packet `number` of the SUT has a PSN beyond the next one of its window. */
enum tl_symptom tl_psn_gap(const struct tl_trace *trace, uint64_t number);
/* The transaction that the packet `number` of the SUT began completed with a wrong code by
 * t_ns; with UINT64_MAX: the first one that was no success. */
enum tl_symptom tl_completion_code(const struct tl_trace *trace, uint64_t number,
                                   uint64_t t_ns);
/* The pull whose answer the SUT acknowledged by `number` does not complete. */
enum tl_symptom tl_incomplete_pull(const struct tl_trace *trace, uint64_t number);

/* ---- a step, a rule ---- */

struct tl_interp;

/* Of a step that was missed (interp->miss). *field gets the canonical name of the field that
 * differs, or NULL. */
struct tl_symptoms tl_step_symptoms(const struct tl_trace *trace, struct tl_interp *interp,
                                    const char **field);
/* Of a violation by the SUT that a rule found. */
struct tl_symptoms tl_rule_symptoms(const struct tl_trace *trace,
                                    const struct fal_finding *finding);

#endif
