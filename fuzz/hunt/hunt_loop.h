/* SPDX-License-Identifier: Apache-2.0
 * hunt_loop.h - one hunt: workers that mutate and play, a corpus and findings that they share,
 * and the folder in which both are kept.
 *
 * DIR/corpus/ID.json are cases that showed something new; DIR/findings/NAME/ has what was
 * found: scenario.json (play it with `talon run`), report.txt, report.html, results.json,
 * timeline.jsonl, packets.pcapng, finding.json. */
#ifndef FAL_FUZZ_HUNT_HUNT_LOOP_H
#define FAL_FUZZ_HUNT_HUNT_LOOP_H

#include "fuzz/hunt/hunt.h"
#include "fuzz/hunt/hunt_map.h"

#include <pthread.h>
#include <stdatomic.h>

#define HUNT_FINDING_SCHEMA "talon/finding/1"

enum { HUNT_OF_A_KEY_MAX = 4, HUNT_SHRINK_MOST = 600 };

struct hunt_entry {
    json_t *doc;
    unsigned picked;
    uint64_t cost; /* packets */
    bool lawful;
};

struct hunt_finding {
    char name[HUNT_KEY_MAX + 24];
    char key[HUNT_KEY_MAX], state[HUNT_STATE_MAX];
    char *sequence;
    enum fal_verdict verdict;
    uint64_t times, execs; /* how often; after so many executions */
    double seconds;
    size_t size;
    char how[300]; /* talon explore: the actions that showed it, and how many they are */
    unsigned depth;
    bool counted_only; /* another way to one that was written */
};

struct hunt_options {
    struct tl_run run;
    const char *sut;         /* as it was given */
    const char *dir;         /* or NULL: nothing is kept */
    const char *const *from; /* scenarios, or folders of them; none: the plain workloads */
    size_t num_from;
    uint64_t seed, execs;        /* execs 0: no limit */
    double seconds, cpu_seconds; /* 0: no limit */
    unsigned jobs, findings;     /* findings 0: no limit */
    enum hunt_upper upper;       /* of the connections */
    bool reduced;                /* the reduced oracle: crashes, hangs, lint */
    bool findings_only;          /* the folder has no corpus */
    bool warnings, merge, quiet, has_map;
    int map_number; /* -1: a new one */
    size_t map_len;
};

struct hunt {
    const struct hunt_options *o;
    struct hunt_map *map;
    struct tl_scenario *alive;
    pthread_mutex_t lock;
    struct hunt_entry *corpus;
    size_t num_corpus, cap_corpus;
    struct hunt_seen seen;
    struct hunt_finding *findings;
    size_t num_findings, cap_findings, written;
    uint64_t execs, rejected, ours, next_look;
    char first_ours[200], stop_why[200];
    double begun, shown;
    const char *how; /* of talon explore: the actions of the case at hand; NULL: none */
    unsigned depth;
    unsigned patience; /* with a SUT that is not there */
    atomic_bool stop;  /* another thread may set it at a signal (hunt_watch.h) */
    bool failed, oom;
};

/* Seconds; of the wall, and of all threads' processor time. */
double hunt_clock(void);
double hunt_cpu(void);

/* Reads corpus and seeds, hunts until a limit is reached, and prints the result. Returns an
 * exit status. */
int hunt_run(const struct hunt_options *o);

/* ---- hunt_keep.c ---- */

/* Makes the folders; reads the findings of earlier hunts. 0, or an error that was printed. */
int hunt_keep_open(struct hunt *h);
/* Reads all scenarios of a file or a folder; of the folder of a hunt, those of its corpus, and
 * with `findings` those of its findings, which the corpus may lack. Each is given to `take`,
 * which owns it. */
int hunt_keep_read(const char *path, bool findings, void (*take)(void *ctx, json_t *doc),
                   void *ctx);
void hunt_keep_case(struct hunt *h, const json_t *doc);
/* Writes a finding. The bench plays it once more. */
int hunt_keep_finding(struct hunt *h, struct hunt_bench *bench, struct hunt_finding *f,
                      json_t *doc);

/* ---- hunt_find.c ---- */

/* Looks at what a case has shown: shrinks and keeps what is new. */
void hunt_found(struct hunt *h, struct hunt_bench *bench, const json_t *doc,
                const struct hunt_outcome *out);

#endif
