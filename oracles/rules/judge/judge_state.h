/* SPDX-License-Identifier: Apache-2.0
 * judge_state.h - the inside of a judge, shared by judge.c, which takes events, and results.c.
 */
#ifndef FAL_ORACLES_RULES_JUDGE_JUDGE_STATE_H
#define FAL_ORACLES_RULES_JUDGE_JUDGE_STATE_H

#include "oracles/rules/judge/budget.h"
#include "oracles/rules/judge/conns.h"
#include "oracles/rules/judge/control.h"

/* The callbacks of one kind of event, in the order of the rules. */
struct fal_ask_entry {
    const struct fal_rule_impl *impl;
    void (*hear)(struct fal_ctx *c, const struct fal_seen *seen); /* of a packet */
    void (*raw)(struct fal_ctx *c, const struct fal_event *event, enum fal_fit fit);
    uint32_t state_at; /* where the rule's state lies among those of a connection */
    uint8_t bags;      /* fal_rule_impl.bags, if a callback for packets asks for them; else 0 */
    uint8_t subject;
    uint8_t cell; /* of the connection's states and tallies */
    bool in;      /* the callback for packets towards the subject */
    /* The rule's bit of fal_live.waits, by direction: the word, and the bit in it, or 0. */
    uint8_t waits_word[2];
    uint64_t waits_bit[2];
    uint32_t on; /* fal_on: events for which it is called */
};
_Static_assert(sizeof(struct fal_ask_entry) == 64, "a list is indexed by shifts");

/* Sets of entries: bit n of the words is entry n. */
struct fal_ask_list {
    size_t num, words;                        /* the words of a set that are used */
    uint64_t on[FAL_ON_BITS][FAL_CELL_WORDS]; /* entries with that bit of fal_on */
    /* by subject: entries with that bit of fal_rule_impl.assumes */
    uint64_t assumes[FAL_SUBJECTS][FAL_ASSUME_BITS][FAL_CELL_WORDS];
    uint64_t ends[FAL_SUBJECTS + 1][FAL_CELL_WORDS]; /* entries of that subject, or end; all */
    struct fal_ask_entry entry[FAL_CELLS_MAX];
};

/* What may be asked of the rules, by enum fal_ask_kind, and the cells: those of the SUT in the
 * order of the rules, then those of the tester. */
enum { FAL_ASK_KINDS = 18 };
struct fal_asking {
    struct fal_ask_list list[FAL_ASK_KINDS];
    size_t cells;
    size_t state_size;                /* of all, in bytes */
    uint8_t result_of[FAL_CELLS_MAX]; /* by cell: its entry in the list FAL_ASK_RESULT */
    bool
        both_ends; /* fal_judge_config; `subject` of an entry is then the end that is the SUT */
};

/* What all judges of a run share. */
struct fal_common {
    struct fal_readings of_subject[FAL_SUBJECTS];
    bool watched; /* by a judge of one shard: */
    struct fal_reading_watch watch[FAL_SUBJECTS][FAL_AMB_COUNT][FAL_WINDOWS];
};

/* The entries of a list that a packet matters to, by what it has of fal_on: few kinds of
 * packets are frequent, so their sets are remembered. */
struct fal_ask_memo {
    unsigned there; /* 0: empty */
    uint64_t set[FAL_CELL_WORDS];
};
enum { FAL_MEMO_BITS = 4 };

/* The result that fal_judge_result returns. */
struct fal_shown {
    struct fal_rule_result result;
    const struct fal_conn *of; /* the connection that is read, closed; or NULL */
    /* The connection of the last result that was not one of the strays, and the number of its
     * first result; or NULL. */
    const struct fal_conn *current;
    unsigned end; /* of which the last result was */
    size_t first;
    uint8_t rich[FAL_CELLS_MAX]; /* the cells of `all` that have more than HOLDS */
    size_t num_rich;
    bool is_rich[FAL_CELLS_MAX];
    uint64_t
        told[FAL_CELL_WORDS];   /* the entries of FAL_ASK_RESULT with a counter that is not 0 */
    bool filled;                /* `result` has more than HOLDS */
    struct fal_tallies tallies; /* to unpack in */
    bool decided;               /* `verdict` is that of the finished judge */
    enum fal_verdict verdict;
    /* The last member, not cleared: of a cell that is not rich only HOLDS is there, and nothing
     * of one that was not told. */
    struct fal_tally all[FAL_CELLS_MAX];
};

struct fal_judge {
    struct fal_judge_config config;
    struct fal_bench bench;
    struct fal_conns conns;
    struct fal_conn *strays;     /* number 0: packets that belong to no connection */
    struct fal_common *readings; /* of the config, or: */
    struct fal_common own_readings;
    const struct fal_asking *asking;
    struct fal_asking *own; /* `asking`, if it is not the caller's */
    struct fal_measured measured[FAL_DIRS];
    struct fal_missed missed;
    struct fal_budget *budget; /* of a finished judge of a whole run, else NULL */
    struct fal_ask_memo memo[FAL_DIRS][1 << FAL_MEMO_BITS];
    struct fal_conn *teller; /* hears words of the verbs that name no connection; or NULL */
    bool good_seen;          /* a packet of the SUT fitted a connection */
    bool finished, oom;
    uint64_t now_ns, now_index;
    bool takes; /* fal_ctx.takes */
    struct fal_shown *shown;
    struct fal_audit *audit;    /* audit.h */
    struct fal_control control; /* the last member: its list is not cleared */
};

#endif
