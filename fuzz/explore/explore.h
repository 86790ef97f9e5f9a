/* SPDX-License-Identifier: Apache-2.0
 * explore.h - `talon explore`: plays every sequence of the actions of a theme up to a depth,
 * shortest first, and judges each as `talon run` does. A sequence is a scenario in memory, so
 * every finding is a scenario; what is found is minimised and kept as `talon fuzz` does it.
 *
 * A sequence whose end state was seen before is not extended: whatever follows was or will be
 * played behind the sequence that was there first (explore_digest.c). A sequence that cannot be
 * played to its end (an answer to a request that does not wait) is not extended either: each
 * extension ends at the same step. */
#ifndef FAL_FUZZ_EXPLORE_EXPLORE_H
#define FAL_FUZZ_EXPLORE_EXPLORE_H

#include "fuzz/hunt/hunt_loop.h"
#include "harness/scenario/alphabet.h"

enum {
    EXPLORE_DEPTH_MAX = 8,
    EXPLORE_ACTIONS_MAX = TL_THEMES_MAX * TL_ACTIONS_MAX, /* of the product */
    EXPLORE_NAME_MAX = 48,
    EXPLORE_HOW_MAX = 300, /* the names of the actions of a sequence */
};

#define EXPLORE_PRODUCT "product" /* the theme of all actions of all themes */

/* ---- worlds (explore_world.c) ---- */

/* A theme, or the product of all of them. Borrows from the alphabet. */
struct explore_world {
    char name[EXPLORE_NAME_MAX];
    const char *tail;
    const json_t *connection, *policy, *automatic, *impair; /* NULL: none */
    struct {
        const struct tl_action *action;
        char name[2 * EXPLORE_NAME_MAX]; /* in the product: with the name of its theme */
    } actions[EXPLORE_ACTIONS_MAX];
    size_t num_actions;
};

/* A sequence: indices of actions. */
typedef uint16_t explore_act;

/* The world of a theme. 0, or FAL_ERR_FORM with `err`: there is no such theme. */
MUST_USE int explore_world_of(const struct tl_alphabet *alphabet, const char *theme,
                              struct explore_world *out, struct fal_error *err);
/* Checks that each action is a scenario when it is played alone. Returns 0, FAL_ERR_FORM or
 * FAL_ERR_MEM with `err`, which names the theme, the action and the step. */
MUST_USE int explore_world_check(const struct explore_world *world, const char *path,
                                 struct fal_error *err);
/* The scenario of a sequence. It shares the steps of the alphabet, so the caller must not
 * change it, nor use it in another thread. New reference, or NULL when out of memory. */
json_t *explore_doc(const struct explore_world *world, const explore_act *sequence,
                    unsigned depth);
/* The names of the actions, "push, loss, wait-rto". */
void explore_say(const struct explore_world *world, const explore_act *sequence, unsigned depth,
                 char *out, size_t cap);
/* A number that differs between worlds with different actions or set-ups. */
uint64_t explore_world_hash(const struct explore_world *world);

/* ---- states (explore_digest.c) ---- */

struct explore_digest {
    uint64_t hash, waiting; /* waiting: rules of `on` since the last event, in any order */
    uint64_t action, ordinal;
    bool ended;     /* the sequence was played to its end; */
    uint64_t state; /* its end state */
};

/* The note that ends the actions of a sequence. */
#define EXPLORE_END "end of the actions"

/* Takes an event of the case; `ctx` is a struct explore_digest, all 0 at first. */
void explore_digest_event(void *ctx, const struct fal_event *event);

/* A set of states. All zero: empty. */
struct explore_set {
    uint64_t *slots; /* 0: empty */
    size_t cap, count;
};
/* Adds it. 1: it is new; 0: it was there; FAL_ERR_MEM. */
MUST_USE int explore_set_add(struct explore_set *set, uint64_t state);
void explore_set_free(struct explore_set *set);

/* ---- the exploration of one theme ---- */

struct explore_options {
    struct tl_run run;
    const char *sut; /* as it was given */
    const char *dir; /* or NULL: nothing is kept */
    const char *again;
    unsigned depth, jobs, findings; /* findings 0: no limit */
    double seconds;                 /* 0: no limit */
    bool no_prune, quiet, warnings, resume;
    const char *alphabet; /* name of the file, for messages */
    const char *text;     /* the alphabet */
    size_t text_len;
};

/* How a sequence ended. */
struct explore_record {
    uint64_t state;
    char end; /* 'r': played to its end, 's': stopped at a step, 'x': no scenario or not for
                 this SUT, 'o': stopped by the bench, 'd': the bench is gone */
    struct hunt_outcome *outcome; /* if it has problems; the caller frees it */
};

struct explore_counts {
    uint64_t total, played, pruned, stopped, rejected, ours;
};

struct explore_worker {
    struct explore *explore;
    struct tl_alphabet alphabet;
    struct explore_world world;
    struct hunt_bench bench;
    pthread_t thread;
};

struct explore {
    const struct explore_options *o;
    struct hunt_options hunt_options;
    struct hunt hunt;
    struct explore_worker *workers;
    bool unreached; /* the SUT cannot be reached, or refuses the encapsulation */
    unsigned jobs;
    const char *theme;
    struct explore_set seen;
    struct explore_counts counts;
    unsigned depth;     /* of the sequences that are played now */
    explore_act *front; /* sequences to extend, depth - 1 actions each */
    size_t num_front;
    explore_act *next; /* those of the next depth */
    size_t num_next, cap_next;
    struct explore_record *records; /* of the part that is played now */
    uint64_t first, count;          /* the part, as numbers of sequences of this depth */
    uint64_t taken;                 /* by workers, of the part; with the lock */
    double begun, shown;
    FILE *journal;
};

/* The world of this theme: the workers have equal ones. */
static inline const struct explore_world *explore_world(const struct explore *e)
{
    return &e->workers[0].world;
}

/* The sequence with that number among those of the present depth. */
void explore_sequence(const struct explore *e, uint64_t number, explore_act *out);

/* Explores a theme and prints what was found. Returns an exit status. */
int explore_run(const struct explore_options *o, const char *theme);

/* explore_play.c: plays the part [first, first + count) by all workers. Fills in the records of
 * those that were played, which are the first ones, and returns how many. */
uint64_t explore_play_part(struct explore *e);

/* explore_journal.c: DIR/THEME.states, the ends of all sequences that were played, in order. */
/* Opens it. 0, or an error that was printed. With `resume` reading begins at its start. */
MUST_USE int explore_journal_open(struct explore *e);
/* The next record of an earlier exploration; false: there is none. */
bool explore_journal_next(struct explore *e, struct explore_record *out);
/* Appends records. 0, or FAL_ERR_IO. */
MUST_USE int explore_journal_add(struct explore *e, const struct explore_record *records,
                                 uint64_t count);

/* explore_report.c */
void explore_progress(struct explore *e, bool last);
void explore_summary(struct explore *e);

#endif
