/* SPDX-License-Identifier: Apache-2.0
 * offer.h - what a case needs of the SUT's adapter, and what the adapter offers: the levels of
 * its `hello`, and the commands that it has answered with "unsupported". What a case needs
 * follows from its steps, never from the words of a reply. */
#ifndef TL_HARNESS_SESSION_OFFER_H
#define TL_HARNESS_SESSION_OFFER_H

#include "harness/scenario/scenario.h"
#include "harness/wire/protocol_levels.h"

struct tl_bench;

/* A command, and the part of its members that an adapter may support or not: the answers of
 * `respond` and `policy`, the parameters of `set` and `open`, the step of `rotate_keys`; as
 * bits. */
struct tl_need {
    enum tl_do verb;
    uint64_t detail;
    enum tl_upper_layer upper; /* of the connection: levels L2v and L2n have `barrier` */
};

enum { TL_REFUSALS_MAX = 64, TL_REFUSAL_WHY = 120, TL_LACK_MAX = 300 };

/* The commands that were answered with "unsupported". Kept for a live run, in which each case
 * costs real time; in virtual time every case asks for itself, so that the order of the cases
 * does not matter. */
struct tl_refusals {
    struct {
        struct tl_need need;
        char why[TL_REFUSAL_WHY];
    } list[TL_REFUSALS_MAX];
    size_t count;
};

struct tl_need tl_need_of(const struct tl_act *act);
struct tl_need tl_need_of_rotation(const char *step);

/* Whether the adapter lacks the command; then `text` (may be NULL) says so in one line. */
bool tl_offer_lacks(const struct tl_bench *bench, const struct tl_need *need, char *text,
                    size_t cap);
/* Whether it lacks the command whatever its members. */
bool tl_offer_lacks_verb(const struct tl_bench *bench, enum tl_do verb);
/* Remembers that it was answered with "unsupported". */
void tl_offer_refused(const struct tl_bench *bench, const struct tl_need *need,
                      const char *why);
/* Prints "needs `set` (fcwnd), which the adapter answered with "unsupported: why"". */
void tl_offer_print(const struct tl_need *need, const char *error, const char *why, char *text,
                    size_t cap);

/* Whether the adapter reports such events of the SUT. */
bool tl_offer_reports(const struct tl_bench *bench, const struct tl_event_pattern *pattern);

/* Prints "needs the event `request` (level L3); the adapter offers L1". */
void tl_offer_print_event(const struct tl_bench *bench, const struct tl_event_pattern *pattern,
                          char *text, size_t cap);

/* Whether a policy is what the SUT does without one (docs/sut-protocol.md): then it need not be
 * told. */
bool tl_policy_is_default(const struct tl_policy *policy);

/* Why the case cannot be played with this adapter, in `text`; false: nothing that is known
 * speaks against it. Steps that are played on a condition are not looked at. */
bool tl_offer_unplayable(const struct tl_bench *bench, const struct tl_scenario *scenario,
                         char *text, size_t cap);

#endif
