/* SPDX-License-Identifier: Apache-2.0
 * results.h - what a run came to: cases, their verdicts, and for each that did not pass what
 * was due, what was seen, and the packets that show it. Filled in by the runner; everything
 * printed is rendered from it (report.h). It holds no wall-clock time and no host name: a run
 * in virtual time gives the same bytes again. */
#ifndef TL_REPORTS_RESULTS_H
#define TL_REPORTS_RESULTS_H

#include "oracles/catalogue.h"
#include "oracles/rules/judge.h"

#define TL_RESULTS_SCHEMA "talon/results/1"

enum tl_problem_kind {
    TL_PROBLEM_STEP,     /* a step was not met */
    TL_PROBLEM_RULE,     /* a rule was broken, by either side */
    TL_PROBLEM_EXERCISE, /* a rule that should have been decided was not */
    TL_PROBLEM_BENCH,    /* tester, link or adapter broke */
};

/* A packet of the case, as a line of the notation: "@8us < back dbase=1r". */
struct tl_ladder_line {
    char *text;
    bool marked; /* the evidence itself, among its neighbours */
};

struct tl_problem {
    enum tl_problem_kind kind;
    enum fal_verdict verdict;
    const char
        *reason;   /* a stable word: "unmet", "late", "unexpected", "rule", ...; static text */
    int32_t step;  /* from 0, or -1 */
    unsigned line; /* of the step in its file, 0: none */
    uint64_t t_ns;
    const struct fal_requirement *requirement; /* that it breaks, or NULL */
    const struct fal_rule *rule;               /* or NULL */
    enum fal_subject subject;                  /* whose break it is */
    char *text;                                /* of the step, or the rule's title */
    char *expected, *seen, *why;               /* lines for people; NULL: none */
    struct tl_ladder_line *ladder;
    size_t num_ladder;
};

struct tl_attempt {
    enum fal_verdict verdict;
    const char *reason; /* static text */
};

enum { TL_ATTEMPTS_MAX = 16 };

struct tl_case {
    /* Of the scenario; borrowed. */
    const char *id, *title, *purpose, *file, *kind;
    unsigned version;
    const struct fal_requirement *const *covers;
    size_t num_covers;

    uint64_t seed;
    enum fal_verdict verdict;
    const char *reason; /* of a verdict that is not pass; static text */
    uint64_t duration_ns;
    struct tl_attempt attempts[TL_ATTEMPTS_MAX];
    size_t num_attempts;
    struct tl_problem *problems; /* the worst first */
    size_t num_problems;
    struct fal_rule_result *rules;
    size_t num_rules;
    struct fal_reading_result *readings; /* that the SUT took, of sentences with several */
    size_t num_readings;
    struct tl_ladder_line *packets; /* the whole conversation, when it was asked for */
    size_t num_packets;
    char *evidence; /* path of its timeline below the output directory, or NULL */
    char *repeat;   /* the command that runs it again */
};

struct tl_results {
    const char *version; /* of the tool */
    const char *sut;     /* as it was named on the command line */
    char *product;       /* what it says of itself, or NULL */
    bool live;
    uint64_t seed;
    struct tl_case *cases; /* in the order of the files */
    size_t num_cases;
    size_t bad_files; /* that could not be read; reported elsewhere */
};

/* Adds a problem and returns it to be filled in; NULL when out of memory. */
struct tl_problem *tl_case_problem(struct tl_case *c);
/* Adds a line; false when out of memory. */
bool tl_ladder_add(struct tl_ladder_line **lines, size_t *count, const char *text, bool marked);
/* Frees what a case holds (not the case). */
void tl_case_clear(struct tl_case *c);

/* The worst verdict of all. */
enum fal_verdict tl_results_verdict(const struct tl_results *results);
/* How many cases ended with it. */
size_t tl_results_count(const struct tl_results *results, enum fal_verdict verdict);

/* "step", "rule", "exercise", "bench". */
const char *tl_problem_kind_name(enum tl_problem_kind kind);

#endif
