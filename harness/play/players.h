/* SPDX-License-Identifier: Apache-2.0
 * players.h - the inside of the interpreter: one player for each verb, the reactions and
 * streams beside the steps, and what the players share. */
#ifndef TL_HARNESS_PLAY_PLAYERS_H
#define TL_HARNESS_PLAY_PLAYERS_H

#include "harness/play/interp.h"

/* The players of the verbs, in play_*.c. True when the step is done or missed, false when it
 * waits until ->wake_ns. `fresh`: it has just begun. */
bool tl_play_send(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);
bool tl_play_expect(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                    bool idle);
bool tl_play_expect_none(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                         bool idle);
bool tl_play_ulp(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_cc(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_word(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_expect_ulp(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                        bool idle);
bool tl_play_expect_no_event(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                             bool idle);
bool tl_play_any_order(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                       bool idle);
bool tl_play_alt(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);
bool tl_play_if(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_repeat(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_measure(struct tl_interp *interp, const struct tl_step *step);
bool tl_play_await(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);
bool tl_play_until_quiet(struct tl_interp *interp, const struct tl_step *step, bool fresh,
                         bool idle);
void tl_play_on(struct tl_interp *interp, const struct tl_step *step);
void tl_play_off(struct tl_interp *interp, const struct tl_step *step);
void tl_play_release(struct tl_interp *interp, const struct tl_step *step);
/* One step of any kind. */
bool tl_play_step(struct tl_interp *interp, const struct tl_step *step, bool fresh, bool idle);

/* ---- beside the steps ---- */

/* Before anything is sent: rules, faults of the network, traffic. */
void tl_reactions_begin(struct tl_interp *interp);
/* Plays the steps of rules that were triggered. */
void tl_reactions_play(struct tl_interp *interp);
void tl_streams_begin(struct tl_interp *interp);
/* Posts what is due. Returns when the next post is due (FAL_NEVER: after another event). */
uint64_t tl_streams_run(struct tl_interp *interp);
bool tl_streams_done(const struct tl_interp *interp);
/* The case cannot end before its traffic: true when it has, or is missed. */
bool tl_streams_end(struct tl_interp *interp, bool idle, uint64_t *wake_ns);
void tl_play_acks(struct tl_interp *interp, const struct tl_step *step);
void tl_interp_act(struct tl_interp *interp, enum tl_side side, const struct tl_act *act);

/* Sends the policy that the scenario begins with. */
void tl_interp_policy(struct tl_interp *interp);

/* Whether nobody stops the steps before the next one; else when to ask again. */
bool tl_interp_may_begin(struct tl_interp *interp, uint64_t *again_ns);

/* ---- between the players ---- */

/* A duration of the scenario; false, and the session broken, when it cannot be computed. */
bool tl_interp_duration(struct tl_interp *interp, const struct fal_duration *duration,
                        uint64_t *ns);
/* earliest_ns and deadline_ns of an expectation. */
bool tl_interp_window(struct tl_interp *interp, const struct tl_step *step);
/* Records that the step was met since nothing came until wake_ns; the next step counts from
 * there. */
void tl_interp_nothing_came(struct tl_interp *interp);
/* Records that the step happened between these times; the next step counts from here. */
void tl_interp_moment(struct tl_interp *interp, uint64_t early_ns, uint64_t late_ns,
                      uint64_t packet);
/* Records that a step was met by an event at t_ns; the numbers of the anchor do not change. */
void tl_interp_matched(struct tl_interp *interp, uint64_t t_ns);
/* What 0r means in RSNs of requests (as_target) or completions at that side: they count from
 * the first transaction of their initiator. */
uint32_t tl_interp_rsn_base(const struct tl_interp *interp, enum tl_side side, bool as_target);
/* Binds a variable. */
void tl_interp_bind(struct tl_interp *interp, const char *name, fal_u128 value,
                    enum tl_expr_type type);
/* Binds it for this connection alone, among several. */
void tl_interp_bind_here(struct tl_interp *interp, const char *name, fal_u128 value,
                         enum tl_expr_type type);
/* The steps are over. */
void tl_interp_end(struct tl_interp *interp);
/* What `let` does. */
void tl_interp_assign(struct tl_interp *interp, const struct tl_assignment *list, size_t count);
/* The one number of a value; false, and the session broken, when it has none. */
bool tl_interp_number(struct tl_interp *interp, const struct tl_value *value, uint64_t *out);
/* Whether a packet fits a pattern: 1, 0, or -1 and the session is broken. `take` binds the
 * captured values; `why` (may be NULL) gets the first difference. */
int tl_interp_fits(struct tl_interp *interp, const struct fal_pattern *pattern,
                   const struct tl_seen_packet *packet, bool take, struct fal_error *why);
int tl_interp_event_fits(struct tl_interp *interp, const struct tl_event_pattern *pattern,
                         const struct tl_seen_event *seen, bool take, char *why, size_t cap);
/* The same of a queue entry (cc_step.h); `take` binds what is captured. */
int tl_interp_entry_fits(struct tl_interp *interp, const struct tl_cc_pattern *pattern,
                         const uint8_t *bytes, bool take, char *why, size_t cap);
struct tl_seen_word; /* harness/session/words/session_words.h */
/* The same of an event of an upper layer (word_step.h). */
int tl_interp_word_fits(struct tl_interp *interp, const struct tl_word_pattern *pattern,
                        const struct tl_seen_word *seen, bool take, char *why, size_t cap);
/* Whether an entry is about the same as the pattern: an event of another type is not. */
bool tl_interp_entry_concerns(struct tl_interp *interp, const struct tl_cc_pattern *pattern,
                              const uint8_t *bytes);
/* Whether the adapter lacks a command of a step, which is then missed. */
bool tl_interp_lacks(struct tl_interp *interp, const struct tl_need *need);
/* The adapter does not support a command, or not with these members: that says nothing about
 * the SUT. `text` says so; need and `why` as tl_session_unsupported. */
void tl_interp_unoffered(struct tl_interp *interp, const struct tl_need *need, const char *why,
                         const char *text);
/* Asks the SUT for one more connection, and closes it when it is open (play_open.c). */
void tl_interp_open(struct tl_interp *interp, const struct tl_act *act);
/* The adapter answered a command of a step with an error: the step is missed. */
void tl_interp_command_refused(struct tl_interp *interp, const struct tl_need *need);
/* The first packet or event from `from` on that an expectation could take, between earliest and
 * deadline (FAL_NEVER: no deadline); UINT64_MAX: none yet. */
uint64_t tl_find_packet(struct tl_interp *interp, const struct tl_step *step, uint64_t from,
                        uint64_t earliest_ns, uint64_t deadline_ns);
uint64_t tl_find_event(struct tl_interp *interp, const struct tl_step *step, uint64_t from,
                       uint64_t earliest_ns, uint64_t deadline_ns);
/* Takes it: binds, complains when it came at the wrong time, moves on. */
void tl_take_packet(struct tl_interp *interp, const struct tl_step *step, uint64_t number);
void tl_take_event(struct tl_interp *interp, const struct tl_step *step, uint64_t number);
/* The packet or event that came nearest, for a step that is missed. */
void tl_nearest_packet(struct tl_interp *interp, const struct tl_step *step,
                       struct tl_miss *miss);
void tl_nearest_event(struct tl_interp *interp, const struct tl_step *step,
                      struct tl_miss *miss);
/* Records that the step is missed; the caller fills in the rest. A fail that the tester's own
 * lateness (since since_ns) may have caused becomes inconclusive, and so does one that an
 * undeclared turnaround may have caused. */
struct tl_miss *tl_interp_missed(struct tl_interp *interp, enum fal_verdict verdict,
                                 enum tl_reason reason, uint64_t since_ns);
/* Whether a time is computed from that variable. */
bool tl_interp_is_made_of(const struct tl_interp *interp, const struct fal_duration *duration,
                          const char *name);
/* By how much a SUT may exceed the time `ns` of a step, as each timer that it is computed from
 * may be late, and by how much it may be early. */
uint64_t tl_interp_lateness(const struct tl_interp *interp, const struct fal_duration *duration,
                            uint64_t ns);
uint64_t tl_interp_earliness(const struct tl_interp *interp,
                             const struct fal_duration *duration, uint64_t ns);
/* Whether the time of a step is computed from a timer of the SUT whose accuracy is not known:
 * its tick is too coarse, or it varies within limits that were not declared. */
bool tl_interp_timer_unjudged(const struct tl_interp *interp, const struct tl_step *step);
/* The SUT applied what the step says that it must refuse. Its reply on the control channel says
 * so, however slow it or the tester is: the step fails. */
void tl_interp_not_refused(struct tl_interp *interp, const char *seen);
/* Whether the SUT has refused a request for lack of resources in a scenario that is not about
 * resources and expects no NACK. */
bool tl_interp_refused(const struct tl_interp *interp);
/* Something came by_ns before its time: if the SUT declares no turnaround, what it counts from
 * may have been late by as much, and the miss is undecided. */
void tl_interp_early(const struct tl_interp *interp, struct tl_miss *miss, uint64_t by_ns);
/* Something came at t_ns, in a period from since_ns to until_ns in which nothing may come. If
 * the SUT declares no turnaround, the period may have begun late by as much, or what came may
 * be a late answer to something before it: near its ends the miss is undecided. */
void tl_interp_unexpected(const struct tl_interp *interp, struct tl_miss *miss,
                          uint64_t since_ns, uint64_t until_ns);
/* The scenario cannot be played so: the session is broken. */
void tl_interp_unplayable(struct tl_interp *interp, const char *why);
enum { TL_LIST_LEN = 160 };
/* Adds "name value" to a list of at most TL_LIST_LEN: "a 1, b 2". */
void tl_interp_list(char *text, const char *name, const char *value);
/* A step takes the packet `number`: notes whether only an RTO that is too short explains it. */
void tl_interp_note_copy(struct tl_interp *interp, uint64_t number);
/* Ends the case, which needs another connection than the SUT opened: "the SUT has rto
 * 1ms<because>; this case needs rto 2s". */
void tl_interp_end_without(struct tl_interp *interp, const char *is, const char *because,
                           const char *wish);
/* Whether the parameters of the SUT are those that the case needs; else the case is
 * inconclusive. Notes in the session which wishes were not met. */
bool tl_interp_params_as_wished(struct tl_interp *interp);
/* Whether the value that the SUT has of the parameter `at` (a row of fal_param_table) may
 * change what the steps see. */
bool tl_interp_may_bind(struct tl_interp *interp, size_t at);
/* Whether the user gave it for all cases as a limit: a value below its default, any count of a
 * resource, which has no limit by default, or a drop filter that matches a transaction.
 * Scenarios that set none are written for the default: this one may not play where it uses
 * more, lasts longer or needs more copies. */
bool tl_interp_is_tight(const struct tl_interp *interp, size_t at);
uint64_t tl_interp_turnaround(const struct tl_interp *interp);

#endif
