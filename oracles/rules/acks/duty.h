/* SPDX-License-Identifier: Apache-2.0
 * duty.h - ACKs that are due by a time, in the tester's time (rules A2, A3 and A4): a packet
 * that surely reached the subject must be acknowledged by then. A duty ends with an ACK, or
 * with a piggyback that carries all there is to tell, unless that surely tells nothing of it.
 * If a base of another packet, or of a NACK, acknowledged the number, a missing ACK is a
 * warning (AMB-19). Bits at or above that base, OWN, and the answer to AR are not conveyed by
 * it.
 */
#ifndef FAL_ORACLES_RULES_ACKS_DUTY_H
#define FAL_ORACLES_RULES_ACKS_DUTY_H

#include "oracles/rules/judge/order.h"
#include "oracles/rules/judge/timers.h"

enum { FAL_DUTIES_MAX = 64 };

/* One ACK that is due. */
struct fal_duty {
    const char *requirement, *what; /* what for, in words */
    bool numbered;                  /* it must tell that x is acknowledged */
    bool packet;                    /* an ACK packet, no mere piggyback */
    bool arrives;                   /* since `cause` was sent; else since it was read */
    uint8_t window;
    int64_t x;
    struct fal_at cause;
    /* Its base acknowledged x, in a packet that does not end the duty (AMB-19). */
    bool conveyed;
    struct fal_at by;
    uint64_t until_ns;
    uint64_t slack_ns; /* of it, turnaround and pipeline allowance */
};

/* State of a rule, or the beginning of it; fal_duty_* below take it from there. */
struct fal_duties {
    struct fal_bag bag; /* struct fal_duty, in the order of their causes */
    uint64_t epoch[FAL_WINDOWS];
    bool dead; /* the connection may have ended in the subject */
};

/* A time after which something is surely over: of an in-packet sent at t_ns, if `arrives`, or
 * of something that had happened by t_ns, what is caused within `ns` has been seen. False:
 * that cannot be known. */
bool fal_duty_until(const struct fal_ctx *c, uint64_t t_ns, bool arrives, uint64_t ns,
                    uint64_t *until_ns);
/* The part of that time which is turnaround and pipeline allowance. False: the SUT declared
 * none, and it is too slow to be judged without. */
bool fal_duty_slack(const struct fal_ctx *c, uint64_t *ns);
/* Whether it is sure to come that an in-packet sent now arrives. */
bool fal_duty_arrives(const struct fal_ctx *c, const struct fal_seen *p);
/* Whether a number is claimed acknowledged so far. */
bool fal_duty_claimed(const struct fal_ctx *c, enum fal_window window, int64_t x);

/* More of them than can be kept are not judged. */
void fal_duty_add(struct fal_ctx *c, struct fal_duties *duties, const struct fal_duty *duty);
/* A packet of the subject: how many duties it met, and how many of them only by a learned
 * turnaround. The caller tells the instances. */
struct fal_duties_met {
    unsigned all, excused;
};
struct fal_duties_met fal_duty_met(struct fal_ctx *c, const struct fal_seen *q);
void fal_duty_tell(struct fal_ctx *c, struct fal_duties_met met);

/* The push that its upper layer accepted by that answer, if the subject now owes an ACK for it.
 * NULL: the answer is another one, the push was acknowledged already, its copies differ, or the
 * subject may have given up the transaction. */
const struct fal_request *fal_duty_push_taken(struct fal_ctx *c, const struct fal_told *told);

/* Callbacks of a rule (struct fal_rule_impl). `out` says HOLDS for each duty that is met. */
void fal_duty_out(struct fal_ctx *c, const struct fal_seen *q);
void fal_duty_wake(struct fal_ctx *c);
void fal_duty_mark(struct fal_ctx *c, const struct fal_event *event);
void fal_duty_cm(struct fal_ctx *c, const struct fal_event *event);

#endif
