/* SPDX-License-Identifier: Apache-2.0
 * reason.h - why a verdict is not a pass. Decisions use the enum; files and reports hold its
 * word, which is a stable code: it never changes. */
#ifndef TL_REPORTS_RESULTS_REASON_H
#define TL_REPORTS_RESULTS_REASON_H

#include <stdbool.h>

enum tl_reason {
    TL_REASON_NONE,  /* no reason: a pass, or a session that is not over */
    TL_REASON_OTHER, /* read from results of another version, which has more reasons */
    /* Steps: the SUT did not do what a step expects. */
    TL_REASON_UNMET,
    TL_REASON_LATE,
    TL_REASON_TOO_EARLY,
    TL_REASON_UNEXPECTED,
    /* Steps that could not be played, or whose failure says nothing about the purpose. */
    TL_REASON_UNSUPPORTED,
    TL_REASON_UNOFFERED, /* "unsupported": the SUT's adapter or the link does not offer it */
    TL_REASON_REFUSED,
    TL_REASON_SETUP,
    TL_REASON_PREAMBLE,
    TL_REASON_POSTAMBLE,
    TL_REASON_RESOURCES,
    /* Faults of the path or lost time that make a step or a rule undecided. */
    TL_REASON_IN_LOSS,
    TL_REASON_OUT_LOSS,
    TL_REASON_IN_DUP,
    TL_REASON_OUT_DUP,
    TL_REASON_OUT_REORDER,
    TL_REASON_PATH_DELAY,
    TL_REASON_TESTER_LATE,
    TL_REASON_SUT_LATE,
    TL_REASON_TURNAROUND,
    TL_REASON_PAUSED,  /* the steps were stopped on a live link, by a person */
    TL_REASON_QUIT,    /* a person ended the case */
    TL_REASON_ENDLESS, /* the two ends answer each other for ever in virtual time */
    /* Rules, and cases as a whole. */
    TL_REASON_RULE,
    TL_REASON_TESTER_BROKE_RULE,
    TL_REASON_STEP_BROKE_RULE,
    TL_REASON_NOT_EXERCISED,
    TL_REASON_SILENT,
    TL_REASON_CLAIM,
    TL_REASON_UNDECIDED,
    TL_REASON_FILE,
    TL_REASON_RECORDED,
    TL_REASON_NOT_REPEATABLE,
    TL_REASON_SUT_STOPPED,  /* after it was given a packet */
    TL_REASON_CONTROL_LOST, /* on a live link, likewise */
    /* The bench failed: the control channel, the link, or Talon itself. */
    TL_REASON_BENCH, /* before the first case */
    TL_REASON_CONTROL,
    TL_REASON_CONTROL_CLOSED,
    TL_REASON_CONTROL_FLOOD,
    TL_REASON_CONTROL_GARBAGE,
    TL_REASON_CONTROL_SILENT,
    TL_REASON_EVENTS_LOST,
    TL_REASON_NO_PROGRESS,
    TL_REASON_TIMEOUT,
    TL_REASON_LINK,
    TL_REASON_OPEN,
    TL_REASON_ROTATE,
    TL_REASON_SEAL,
    TL_REASON_SEND,
    TL_REASON_MTU,
    TL_REASON_ENDPOINT,
    TL_REASON_SCENARIO,
    TL_REASON_CAPTURE,
    TL_REASON_CONNECTION,
    TL_REASON_BRIDGE,
    TL_REASON_EVIDENCE,
    TL_REASON_MEMORY,
    TL_REASON_COUNT,
};

/* A reason of results. `word` is NULL for NONE; for OTHER it is borrowed from whatever was
 * read, else it is static. */
struct tl_reason_code {
    enum tl_reason id;
    const char *word;
};

/* The word of a reason of this version: static text; NULL for NONE and OTHER. */
const char *tl_reason_word(enum tl_reason reason);
/* A whole sentence about it, for reports: static text; NULL for NONE, OTHER, and the reasons
 * that a requirement or another sentence always explains. */
const char *tl_reason_sentence(enum tl_reason reason);
struct tl_reason_code tl_reason(enum tl_reason reason);
/* Whether another attempt on the same bench ends in the same way: the reason lies in what the
 * link carries and what the two ends offer, not in what happened to packets or to time. */
bool tl_reason_recurs(enum tl_reason reason);
/* The reason that a word stands for; borrows `word` when this version does not know it. NULL:
 * NONE. */
struct tl_reason_code tl_reason_from(const char *word);

#endif
