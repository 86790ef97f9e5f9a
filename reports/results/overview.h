/* SPDX-License-Identifier: Apache-2.0
 * overview.h - a run from above: by chapter, by profile, by requirement. One pass over the
 * cases; memory grows with chapters and requirements, not with cases. */
#ifndef TL_REPORTS_RESULTS_OVERVIEW_H
#define TL_REPORTS_RESULTS_OVERVIEW_H

#include "codecs/base/error.h"
#include "reports/results/results.h"
#include "reports/results/spent.h"

/* Cases by what they count for: none are those that did not run, or were waived, expected or
 * listed as flaky. */
struct tl_group {
    char *name;
    size_t cases;
    size_t counted[TL_VERDICTS];
};

struct tl_groups {
    struct tl_group *list;
    size_t count, cap;
};

/* The result of a requirement after the run. */
enum tl_proof {
    TL_PROOF_NOT_EXERCISED, /* no case that ran covers it, no rule that lists it held */
    TL_PROOF_WATCHED,   /* a rule that lists it reads pass over the run, no case is about it */
    TL_PROOF_PASS,      /* a case that covers it passed, and nothing violated it */
    TL_PROOF_UNDECIDED, /* cases cover it, and none of them completed; or rules that list it
                           decided some of their instances, and too few to read pass */
    TL_PROOF_FOLLOWS,   /* violated only where another violation explains it (tl_causes_book) */
    TL_PROOF_WAIVED,    /* violated, but accepted or announced by a waiver */
    TL_PROOF_WARN,
    TL_PROOF_FAIL,
    TL_PROOF_KINDS,
};

enum { TL_PROOF_CASES = 6, TL_FAILING_SHOWN = 40, TL_SUSPECTS_MAX = 8 };

struct tl_proven {
    const struct fal_requirement *requirement;
    enum tl_proof proof;
    size_t passed, undecided; /* cases that cover it */
    size_t broken, waived;    /* cases in which it was violated; of these, waived ones */
    enum fal_verdict worst;   /* of the violations that count */
    uint64_t held;            /* instances of rules that list it, of the SUT */
    bool enough; /* one of these rules decided enough of its instances to read pass */
    char *broke[TL_PROOF_CASES], *pass[TL_PROOF_CASES]; /* ids of the first such cases */
};

struct tl_overview {
    struct tl_tally tally;
    struct tl_groups chapters, profiles;
    struct tl_proven *requirements; /* of the catalogue, in its order */
    size_t num_requirements;
    size_t proofs[TL_PROOF_KINDS]; /* how many have which */
    size_t unknown; /* violations of requirements that the catalogue does not contain */
    size_t flows;   /* cases that have one */
    /* Rules that excused more by losses than is believed of the path. */
    struct fal_suspect suspects[TL_SUSPECTS_MAX];
    size_t num_suspects;
    /* The path, by enum fal_dir: of so many independent trials before and during the cases, so
     * many were lost. */
    struct fal_trials path[2];
    size_t num_failing;              /* cases that count as inconclusive, fail or error; */
    char *failing[TL_FAILING_SHOWN]; /* the ids of the first of them */
};

/* 0, or FAL_ERR_MEM, or why the cases could not be had, with `err`; free it all the same. */
MUST_USE int tl_overview_make(const struct tl_results *results, struct tl_overview *out,
                              struct fal_error *err);
void tl_overview_free(struct tl_overview *overview);

/* "not exercised", "watched", "pass", "undecided", "waived", "warn", "fail". */
const char *tl_proof_name(enum tl_proof proof);

/* Rules that list the requirement: their ids, up to `cap`; returns how many. */
size_t tl_rules_of(const struct fal_requirement *requirement, const char **out, size_t cap);

/* The chapter that a scenario's file lies in: the last directory of its path, without a slash;
 * *len is its length, 0 where there is none. */
const char *tl_overview_chapter(const char *file, size_t *len);

#endif
