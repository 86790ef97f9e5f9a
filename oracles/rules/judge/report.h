/* SPDX-License-Identifier: Apache-2.0 report.h - how a rule reports the end of an instance. */
#ifndef FAL_ORACLES_RULES_JUDGE_REPORT_H
#define FAL_ORACLES_RULES_JUDGE_REPORT_H

#include "oracles/rules/judge/order.h"

void fal_holds(struct fal_ctx *c);
void fal_excused(struct fal_ctx *c, enum fal_excuse excuse);
void fal_undecided(struct fal_ctx *c, enum fal_excuse what);
/* An instance that conforms by the word of the SUT's own upper layer alone: HOLDS if `trusted`,
 * that is if the connection conformed before when the tester held the answer, else undecided.
 */
void fal_self_held(struct fal_ctx *c, bool trusted);
/* fal_excused of what the path did at about t_ns, where the rule decides later. Each event of
 * the path counts once (budget.h): one lost packet may explain what happened within span_ns. */
void fal_excused_at(struct fal_ctx *c, enum fal_excuse excuse, uint64_t t_ns, uint64_t span_ns);

/* The same for each item of a bag that a rule waited for; the bag is emptied. */
void fal_undecided_all(struct fal_ctx *c, struct fal_bag *waiting, enum fal_excuse what);
/* The same where the packet that ends the wait may be lost on its way to the subject (in), or
 * from it (out): excused on a path that may lose packets, else undecided because no bound is
 * known. */
void fal_in_lost_or_undecided(struct fal_ctx *c, struct fal_bag *waiting);
void fal_out_lost_or_undecided(struct fal_ctx *c, struct fal_bag *waiting);

/* The subject's behaviour at `at` agrees with those readings alone: HOLDS, or excused by the
 * id. False: it took another reading before; the caller reports the violation, with
 * fal_read_by as a cause. */
bool fal_read_as(struct fal_ctx *c, enum fal_amb amb, unsigned set, const struct fal_at *at);
/* The same of an ambiguity that each window may read in its own way. */
bool fal_read_window_as(struct fal_ctx *c, enum fal_amb amb, enum fal_window window,
                        unsigned set, const struct fal_at *at);
/* fal_excused; the reason READING then stands for that free ambiguity, shown at `at`. */
void fal_excused_as(struct fal_ctx *c, enum fal_excuse excuse, enum fal_amb amb,
                    const struct fal_at *at);
/* Takes a reading as fal_read_as does, but the caller reports how the instance ended. */
enum fal_reading fal_read_take(struct fal_ctx *c, enum fal_amb amb, unsigned set,
                               const struct fal_at *at);
/* The event that showed the reading which the subject took. */
const struct fal_at *fal_read_by(const struct fal_ctx *c, enum fal_amb amb);
/* The readings that remain of a fixed ambiguity which belongs to no window, for a rule that
 * compares them. Where c->takes is false, an instance must not take one. */
unsigned fal_read_left(struct fal_ctx *c, enum fal_amb amb);

/* A violation under construction: begin, causes, texts, end with the effect. */
struct fal_break {
    struct fal_finding finding;
    bool scripted; /* a step, or a third party, made a packet of the evidence */
};
struct fal_break fal_break_begin(struct fal_ctx *c, const char *requirement);
void fal_break_cause(struct fal_break *b, const struct fal_at *at);
void fal_break_expected(struct fal_break *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fal_break_seen(struct fal_break *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The parts of a violation, where one call reports it all. */
struct fal_blame {
    const char *requirement;
    const struct fal_at *cause[FAL_EVIDENCE_MAX - 1]; /* NULL: fewer */
    const struct fal_at *effect;
    const struct fal_ev_packet *packet; /* what was seen: a packet, */
    const char *seen;                   /* or these words */
    bool warn;                          /* a warning at most */
};
void fal_broken(struct fal_ctx *c, const struct fal_blame *blame, const char *expected, ...)
    __attribute__((format(printf, 3, 4)));

/* Counts the violation and passes it to the judge's caller. */
void fal_break_end(struct fal_ctx *c, struct fal_break *b, const struct fal_at *effect);

/* A packet in the notation, relative to the initial numbers where they are known. Returns
 * `out`. */
enum { FAL_LINE_MAX = FAL_SAY_MAX };
const char *fal_line(const struct fal_ctx *c, const struct fal_ev_packet *packet,
                     char out[FAL_LINE_MAX]);

/* An extended number as people read it: "3r", or absolute where the initial number is unknown.
 */
enum { FAL_NUMBER_MAX = 24 };
const char *fal_psn_text(const struct fal_stream *stream, int64_t x, char out[FAL_NUMBER_MAX]);
const char *fal_rsn_text(const struct fal_ctx *c, enum fal_dir space, uint32_t rsn,
                         char out[FAL_NUMBER_MAX]);
/* "request", "data" */
const char *fal_window_word(enum fal_window window);

/* Of the verdict of a rule (judging.md, section 3). */
enum fal_verdict fal_count_verdict(const struct fal_rule_impl *impl, enum fal_subject subject,
                                   const struct fal_tally *tally);

#endif
