/* SPDX-License-Identifier: Apache-2.0
 * hunt.h - the stateful fuzzer (`talon fuzz`): scenarios in memory are mutated, run on a bench
 * as `talon run` does, and judged by the same rules. Every finding is therefore a scenario.
 * A case is a JSON document of the scenario language without expectations: a connection, a
 * workload, an impaired network, and steps that act. The judge itself detects whether the
 * tester behaves correctly: packets that a step sends are marked on the timeline, and a rule
 * that assumes what such a packet violates decides nothing from then on (fal_rule.assumes). If
 * the whole case is valid and bounded, further valid transactions are appended, which must
 * complete (hunt_alive.c). */
#ifndef FAL_FUZZ_HUNT_HUNT_H
#define FAL_FUZZ_HUNT_HUNT_H

#include "harness/run/run.h"
#include "oracles/rng.h"

#include <jansson.h>

enum {
    HUNT_STEPS_MAX = 48, /* of a case, at the top */
    HUNT_KEY_MAX = 96,
    HUNT_STATE_MAX = 64,
    HUNT_ID_MAX = 24,
    HUNT_FEATURES = 1 << 16, /* of the model's state; a power of two */
};

/* ---- documents ---- */

/* The i-th case of the plain workload corpus, or NULL. New reference. The first few have a
 * network without faults, and transactions of one length. */
enum { HUNT_PLAIN_SEEDS = 4 };
json_t *hunt_seed(size_t i);
/* A scenario of the suite, or any other, as a case without its expectations. New reference;
 * NULL when nothing is left of it, or out of memory. */
json_t *hunt_import(const json_t *scenario);

/* A copy that shares nothing with `doc`; the same except values without members, which both
 * then count references to: for copies within one thread. No value is changed in place. New
 * references; NULL when out of memory. */
json_t *hunt_copy(const json_t *doc);
json_t *hunt_branch(const json_t *doc);
/* Of an embedded text, a list of objects: how many there are, and the i-th. New reference; NULL
 * when there is none, or out of memory. */
size_t hunt_element_count(const char *list);
json_t *hunt_element(const char *list, size_t i);

/* The member, made empty where it is not there; borrowed. NULL: out of memory. */
json_t *hunt_list(json_t *object, const char *key);
json_t *hunt_object(json_t *object, const char *key);
/* Removes members that hold nothing. */
void hunt_prune(json_t *doc);

/* Names the case: its seed comes of its name, so that `talon run` plays it as it was played
 * here. */
void hunt_name(json_t *doc, uint64_t number);

/* Whether the case declares facts about its own packets correctly: a packet that is declared a
 * replay comes after a newer one, and so on. */
bool hunt_true(const json_t *doc);
/* Whether a correct SUT must be able to continue after the case: no step violates a
 * requirement, and few enough packets are lost or refused. */
bool hunt_lawful(const json_t *doc);
/* The steps that are added to valid cases: read once, then shared by the cases of one thread.
 */
/* Removes from a case what the SUT cannot be asked for (hunt_suit.c): features that its ICS
 * denies, values with which no connection can exist. Other texts may then be wrong: ask
 * hunt_true. */
void hunt_suit(json_t *doc, const struct tl_ics *ics);
/* Whether there is nothing of that kind in a case. */
bool hunt_suits(const json_t *doc, const struct tl_ics *ics);

/* hunt_times.c: a text such as "20us" in ns; 0 for anything else. */
uint64_t hunt_time_of(const char *text);
/* A parameter of the case that is a time, in ns. */
uint64_t hunt_param_ns(const json_t *doc, const char *key);
/* The shortest RTO that the case sets, in ns; it begins with `given_ns`, if the case does not
 * set one for its connection (0: the default). */
uint64_t hunt_rto_ns(const json_t *doc, uint64_t given_ns);

struct hunt_book;
/* `bare`: nothing is added to valid cases. NULL when out of memory. */
struct hunt_book *hunt_book_new(bool bare);
void hunt_book_free(struct hunt_book *book);
/* The user has given parameters: where transactions may fail because of them, nothing is asked
 * of the connection at the end of a case; where they are not the defaults, no promise.
 * `given` is borrowed. */
void hunt_book_given(struct hunt_book *book, const struct tl_given_params *given);
/* The time that the user has given for a parameter, or its default, in ns. */
uint64_t hunt_book_time(const struct hunt_book *book, enum fal_param_at at);
/* Whether the timers that are given (`book`) and those of the case leave enough attempts for
 * each packet of a valid case: its ACK, which coalescing delays, and the round trip of the
 * network come before the transmitter has given the packet up, even where ACKs are lost
 * (9.1.1, 9.1.6). */
bool hunt_lawful_times(const struct hunt_book *book, const json_t *doc);
/* Whether all transactions complete all the same under that value of a parameter. */
bool hunt_lawful_param(const char *name, uint64_t value);
/* From now on no promise is asked at the end of a case; further transactions still are. */
void hunt_book_no_promises(struct hunt_book *book);
/* From now on no promise needs what this ICS denies; borrowed. */
void hunt_book_suit(struct hunt_book *book, const struct tl_ics *ics);

/* The case as it is played: with further valid transactions at its end if it is valid. It
 * shares what it has in common with `doc` and the book, so the caller must not change it. New
 * reference, or NULL. */
json_t *hunt_complete_by(struct hunt_book *book, const json_t *doc);
/* The same with a book of its own. */
json_t *hunt_complete(const json_t *doc);
/* Steps with further promises of a correct SUT for the end of a valid case; there may be none.
 * The connection is set up as they need; `doc` gets a copy of it first. *alone: no other steps
 * may come before. Borrowed from the book; NULL when out of memory. */
json_t *hunt_promise(struct hunt_book *book, json_t *doc, bool *alone);
/* The steps of valid transactions; borrowed. NULL: the book is bare. */
json_t *hunt_book_alive(struct hunt_book *book);
/* Undoes what that did to the connection. */
void hunt_promise_strip(json_t *doc);
/* And back. */
void hunt_strip(json_t *doc);
/* The first good transaction's step, and whether a step is of that part. */
#define HUNT_ALIVE "alive"

/* ---- mutation ---- */

/* Changes the document once or several times; `other` (may be NULL) is one to take parts from.
 * False when memory ran out. */
bool hunt_mutate(json_t *doc, const json_t *other, struct fal_rng *rng);
/* A plain workload, or nothing at all, on a connection that may begin with other numbers and be
 * sealed: what is promised of a quiet connection (hunt_promises.c) can be asked behind it. New
 * reference, or NULL. */
json_t *hunt_plain(struct fal_rng *rng);

typedef bool hunt_mutator(json_t *doc, const json_t *other, struct fal_rng *rng);
/* hunt_setup.c: the connection, its network, its upper layers */
hunt_mutator hunt_change_param, hunt_change_numbers, hunt_change_encap, hunt_change_network,
    hunt_change_workload, hunt_change_policy, hunt_change_auto;
/* hunt_steps.c: steps */
hunt_mutator hunt_add_post, hunt_add_send, hunt_add_burst, hunt_add_ack, hunt_add_reaction,
    hunt_add_wait, hunt_add_keys, hunt_add_set, hunt_add_respond, hunt_add_broken,
    hunt_add_sealed, hunt_add_flow, hunt_add_refusals;

/* A time as scenarios write it. Static text. */
const char *hunt_time(struct fal_rng *rng);
/* A parameter and a value for it at which behaviour changes; false: there is none. */
void hunt_param(struct fal_rng *rng, const char **name, json_t **value);
/* Puts a step (taken) somewhere among the others. */
bool hunt_insert(json_t *doc, struct fal_rng *rng, json_t *step);

static inline uint64_t hunt_below(struct fal_rng *rng, uint64_t n)
{
    return fal_rng_below(rng, n);
}

static inline bool hunt_one_in(struct fal_rng *rng, uint64_t n)
{
    return fal_rng_below(rng, n) == 0;
}

/* The text of a member; "" when it is absent. */
static inline const char *hunt_word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

#define HUNT_PICK(rng, list) ((list)[fal_rng_below(rng, sizeof(list) / sizeof *(list))])

/* ---- coverage ---- */

/* How often each feature of the conversation was seen: consecutive packet types, contents of
 * ACKs, how full windows are, events of upper layers, results of rules. */
struct hunt_features {
    uint8_t count[HUNT_FEATURES];
    uint16_t found[HUNT_FEATURES]; /* those whose count is not 0 */
    size_t num_found;
    uint64_t packets; /* of the case: what it costs */
};

/* Replaces the features in *f, which is all zero before its first use. */
void hunt_features_of(struct hunt_features *f, const struct tl_session *session);
/* Counts a feature once more. */
void hunt_feature(struct hunt_features *f, uint16_t feature);

/* Features seen in all cases so far, by class of count: once, some times, many. */
struct hunt_seen {
    uint8_t classes[HUNT_FEATURES];
    uint8_t *edges; /* of a SUT that lends its map */
    size_t num_edges;
    size_t features, edges_seen;
};

/* How many are new; they are then old. `map` may be NULL. */
size_t hunt_seen_add(struct hunt_seen *seen, const struct hunt_features *f, const uint8_t *map,
                     size_t map_len);

/* ---- running ---- */

/* What a case shows about the SUT. */
struct hunt_problem {
    char key[HUNT_KEY_MAX];     /* the rule and the requirement, "alive", "crash" ... */
    char state[HUNT_STATE_MAX]; /* what the packets at hand were */
    const char *requirement;    /* its id in the catalogue, or NULL */
    enum fal_verdict verdict;
};

enum hunt_end {
    HUNT_RAN,
    HUNT_REJECTED, /* no scenario */
    HUNT_UNSUITED, /* the SUT cannot be asked for it (hunt_suit.c) */
    HUNT_OURS,     /* the tester broke a rule that no step asked it to, or the bench */
    HUNT_DEAD,     /* the bench is gone */
};

enum { HUNT_PROBLEMS_MAX = 16 };

struct hunt_outcome {
    enum hunt_end end;
    enum fal_verdict verdict;
    char why[200]; /* of REJECTED, OURS, DEAD */
    struct hunt_problem problems[HUNT_PROBLEMS_MAX];
    size_t num_problems;
};

struct hunt_map; /* of a SUT that lends its coverage (hunt_map.h) */

struct hunt_bench {
    struct tl_run run;
    struct tl_bench wire;      /* of a SUT at the end of one */
    struct tl_bench like;      /* of a SUT in virtual time: what it said in its greeting */
    struct tl_ics ics;         /* what the SUT and the user say that it offers */
    struct hunt_book *book;    /* of this thread */
    struct tl_learned learned; /* of a SUT that declares no turnaround */
    bool has_learned;
    struct fal_error broken; /* why the SUT could not be reached, the last time */
    bool open, has_like;
    bool has_ics;  /* `ics` holds for every bench that is like `like` */
    bool warnings; /* violations of a SHOULD are findings, too */
    bool steps;    /* and steps that are not met, by their text */
    struct hunt_features features;
    struct hunt_map *map;      /* borrowed, or NULL */
    struct tl_scenario *alive; /* for SUTs at the end of a wire: played after each case */
};

/* Plays a complete document. */
void hunt_play(struct hunt_bench *bench, const json_t *doc, struct hunt_outcome *out);
/* The same, and what it leaves behind: results for a report, timeline, packets. `results` has
 * one case, to be cleared by tl_run_clear; the scenario (whose texts it borrows) goes to
 * *scenario. 0, or an error. */
int hunt_play_kept(struct hunt_bench *bench, const json_t *doc, const char *path,
                   struct tl_kept *kept, struct tl_results *results,
                   struct tl_scenario **scenario);
/* Asks the SUT what it offers (`ics`). Where it does not answer, nothing is known of it.
 * Returns 0, or FAL_ERR_IO with a sentence that says what to do. */
MUST_USE int hunt_bench_greet(struct hunt_bench *bench, struct fal_error *err);
void hunt_bench_close(struct hunt_bench *bench);

/* ---- minimising (hunt_shrink.c) ---- */

/* Whether a document (not yet complete) still shows it. */
typedef bool hunt_shows(void *ctx, const json_t *doc);

/* The smallest that still shows it: steps, then members, then values. New reference; NULL when
 * out of memory. Asks at most `most` times. */
json_t *hunt_shrink(const json_t *doc, hunt_shows *shows, void *ctx, unsigned most);
/* How many steps, streams, rules and parameters it has. */
size_t hunt_size(const json_t *doc);
/* A line that describes what happens in the case, independent of values: equal for findings
 * that are the same. The caller frees it. */
char *hunt_sequence(const json_t *doc);

/* ---- RDMA verbs (hunt_verbs.c) ---- */

/* Whether the upper layer of a case's connection is RDMA verbs. */
bool hunt_is_verbs(const json_t *doc);
/* The case with which a hunt of verbs begins: queue pairs and memory of both ends, no steps.
 * New reference; NULL when out of memory. */
json_t *hunt_verbs_seed(void);
/* A valid program of work requests of both ends. Likewise. */
json_t *hunt_verbs_program(struct fal_rng *rng);
/* The steps behind those of a case: the memory of the SUT is hashed after a barrier; and if the
 * case is valid, so that all its requests must complete, more requests of both ends must, too.
 * `bare`: not these. New reference; NULL when out of memory. */
json_t *hunt_verbs_end(const json_t *doc, bool bare);
/* Work requests and other words of either end, packets of RDMA, other modes. */
hunt_mutator hunt_add_word, hunt_add_rdma, hunt_change_mode;

/* ---- NVMe (hunt_nvme.c): as with verbs ---- */

bool hunt_is_nvme(const json_t *doc);
json_t *hunt_nvme_seed(void);
json_t *hunt_nvme_program(struct fal_rng *rng);
json_t *hunt_nvme_end(void);
/* Commands and other words of either end, packets of NVMe. */
hunt_mutator hunt_add_command, hunt_add_nvme;

/* ---- either (hunt_words.c) ---- */

enum hunt_upper { HUNT_RAW, HUNT_VERBS, HUNT_NVME };

bool hunt_has_words(const json_t *doc);
/* The i-th case with which a hunt begins, NULL: there are no more; a valid program. */
json_t *hunt_upper_seed(enum hunt_upper upper, size_t i);
json_t *hunt_upper_program(enum hunt_upper upper, struct fal_rng *rng);
/* Gives the work requests or commands of the steps different numbers. */
void hunt_words_number(json_t *doc);
/* The steps behind those of a case, as hunt_verbs_end. */
json_t *hunt_words_end(const json_t *doc, bool bare);
/* Removes the problems that say nothing about the SUT where a step made up a packet: those of
 * rules that follow what the messages or commands of the tester, or its ACKs, should lead to.
 */
void hunt_words_excuse(const json_t *doc, struct hunt_outcome *out);

/* Whether the connection of a case carries RDMA. */
bool hunt_is_rdma(const json_t *doc);
/* A line of the notation: a packet with an operation of RDMA and any fields. NULL: out of
 * memory. */
json_t *hunt_rdma_packet(struct fal_rng *rng);

#endif
