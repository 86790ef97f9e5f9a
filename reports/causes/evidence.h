/* SPDX-License-Identifier: Apache-2.0
 * evidence.h - what the problems of all cases say against which requirement: the input of the
 * ranking. */
#ifndef TL_REPORTS_CAUSES_EVIDENCE_H
#define TL_REPORTS_CAUSES_EVIDENCE_H

#include "reports/results/results.h"

#include <stdint.h>

/* How a problem shows a violation. */
enum tl_showing {
    TL_BY_DEED,     /* a rule saw a packet or event that must not be */
    TL_BY_ABSENCE,  /* a rule saw that something did not come */
    TL_BY_STEP,     /* a step saw a packet or event that differs, or must not be */
    TL_BY_NOTHING,  /* a step saw nothing of what it expects */
    TL_BY_PROBLEMS, /* how many there are */
};

/* A suspect is a requirement of the catalogue, by its place. A problem without a requirement
 * suspects its rule or its reason: their numbers follow those of the requirements. */
typedef uint32_t tl_suspect;

struct tl_item {
    uint32_t failed; /* index of the case among those that did not pass */
    tl_suspect suspect;
    double weight;
    enum tl_showing by;
    uint16_t rule; /* its number, or UINT16_MAX */
    enum tl_symptom symptom;
};

/* A case that did not pass. */
struct tl_failed {
    size_t number; /* of the case in the results */
    uint64_t frames;
    enum fal_verdict verdict;
};

struct tl_evidence {
    struct tl_item *items;
    size_t num_items, cap_items;
    struct tl_failed *failed;
    size_t num_failed, cap_failed;
    size_t *passed; /* by suspect: cases that passed and cover it */
    size_t num_suspects;
    size_t mute, heard; /* cases in which packets were sent to the SUT, without and with a
                           packet from it */
};

/* 0, FAL_ERR_MEM, or why the cases could not be had, with `err` (may be NULL). */
MUST_USE int tl_evidence_gather(const struct tl_results *results, struct tl_evidence *out,
                                struct fal_error *err);
/* Whether the SUT sent no packet in the whole run: then no requirement explains the failures.
 */
bool tl_evidence_silent(const struct tl_evidence *evidence);
void tl_evidence_drop(struct tl_evidence *evidence);

/* The requirement of a more basic chapter that says the same, or that says it of all kinds of
 * packets or codes: the one to name when several are violated. NULL: there is none. */
const struct fal_requirement *tl_general_of(const struct fal_requirement *requirement);

/* The requirement, or NULL; the rule, or NULL; the reason, or NONE. */
const struct fal_requirement *tl_suspect_requirement(tl_suspect suspect);
const struct fal_rule *tl_suspect_rule(tl_suspect suspect);
enum tl_reason tl_suspect_reason(tl_suspect suspect);

#endif
