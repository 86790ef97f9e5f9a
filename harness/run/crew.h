/* SPDX-License-Identifier: Apache-2.0
 * crew.h - the threads that play the cases of a run, and what they share (run.c, run_lanes.c).
 */
#ifndef TL_HARNESS_RUN_CREW_H
#define TL_HARNESS_RUN_CREW_H

#include "harness/link/keeper.h"
#include "harness/run/run_impl.h"

#include <pthread.h>

/* What is still to be done about a case. */
enum tl_crew_case {
    TL_CREW_OPEN,   /* not taken yet, or being played */
    TL_CREW_UNRUN,  /* the run was interrupted before it began */
    TL_CREW_REPEAT, /* to be played again, alone */
    TL_CREW_DONE,
};

struct tl_crew {
    const struct tl_run *run;
    struct tl_results *results;
    struct tl_ics ics;    /* of the statement and the SUT's own greeting */
    unsigned lost;        /* cases in a row whose SUT in virtual time broke down */
    bool gone;            /* a SUT in virtual time that could not even be greeted; */
    struct fal_error why; /* no case will do better */
    bool unlearned;       /* the SUT broke down while its turnaround was measured; */
    struct fal_error unlearned_why;
    bool told; /* a case reports that: */
    size_t teller;
    struct tl_keeper keeper;     /* processes that --sut-exec started */
    const struct tl_bench *like; /* in virtual time: what the SUT said when it was greeted */
    struct tl_bench *wire;       /* the one bench of a live link; NULL: each case has its own */
    pthread_mutex_t lock;
    size_t *order; /* the cases in the order in which they are taken; NULL: as they are */
    size_t next;   /* position of the next case to be taken */
    size_t until;  /* cases at this position and behind it are not taken for now */
    size_t ended;  /* cases reported so far: all below this number */
    size_t num_done;
    unsigned lanes; /* cases that are played at the same time */
    size_t stop;    /* with --fail-fast: the first that failed; nothing after it counts */
    enum tl_crew_case *state;
    struct tl_kept *kept; /* cases that are done and not yet reported; NULL: not kept */
};

/* Call it when the SUT is known. Begins the journal; if the run goes on, takes the cases that
 * have ended from it. Returns 0, FAL_ERR_FORM (it belongs to other cases or another SUT),
 * FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_crew_begin(struct tl_crew *crew, struct fal_error *err);
/* Takes the next case. False: none is left for now. *play: the case is played, not only
 * reported. */
bool tl_crew_take(struct tl_crew *crew, size_t *index, bool *play);
/* Plays a case on `bench`; NULL: on a bench of its own, in virtual time. */
void tl_crew_play(struct tl_crew *crew, struct tl_bench *bench, size_t index);
/* ---- cases that share a SUT in virtual time (run_lives.c) ---- */

struct tl_lives;

/* Opens the bench of a SUT in virtual time; `fresh`: in a process that no case has run in. It
 * may be dead afterwards. */
void tl_crew_open(struct tl_crew *crew, struct tl_bench *bench, uint64_t seed, bool fresh);
/* Plays a case alone, on a SUT of its own; *out is empty. */
void tl_crew_play_anew(struct tl_crew *crew, const struct tl_planned *planned, uint64_t seed,
                       struct tl_case *out);
/* Takes the next cases, at most so many. False: none is left. */
bool tl_crew_take_block(struct tl_crew *crew, size_t most, size_t *from, size_t *to);
/* Begins a case of a block. False: it has ended already. *play as in tl_crew_take. */
bool tl_crew_begin_case(struct tl_crew *crew, size_t index, bool *play);
/* Plays case number `index` on the SUT that has played the cases before it. */
void tl_crew_play_in(struct tl_crew *crew, struct tl_lives *lives, size_t index);
/* The part of it that plays and judges. */
void tl_lives_play(struct tl_crew *crew, struct tl_lives *lives, struct tl_kept *kept,
                   struct tl_case *out);
/* Takes, plays and reports blocks of cases until none is left. */
void tl_lives_work(struct tl_crew *crew);

/* The case is done: reports it, in the order of the cases, whatever the order in which they
 * end. */
void tl_crew_done(struct tl_crew *crew, size_t index);
/* Reports how many cases have ended. */
void tl_crew_moved(const struct tl_crew *crew);
/* Takes, plays and reports cases until none is left. */
void tl_crew_work(struct tl_crew *crew);

/* Plays the cases on crew->wire with crew->lanes of them at the same time (run_lanes.c).
 * Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_run_in_lanes(struct tl_crew *crew);
/* Why a case cannot share the SUT with other cases (static text); NULL: it can. `ports`: each
 * connection has a port of its own. */
const char *tl_run_alone(const struct tl_run *run, const struct tl_scenario *scenario,
                         bool ports);

#endif
