/* SPDX-License-Identifier: Apache-2.0
 * scenario_reader.h - between the files that read scenarios: where an error goes, and how an
 * object is read by a table of its members. */
#ifndef TL_HARNESS_SCENARIO_READER_H
#define TL_HARNESS_SCENARIO_READER_H

#include "harness/scenario.h"

struct tl_reader {
    struct tl_scenario *scenario;
    const char *path, *text;
    size_t len;
    char *errors; /* grows */
    size_t errors_len, num_errors;
    bool no_memory;
};

/* One more error about the value at `at`. */
void tl_reader_error(struct tl_reader *r, const struct tl_path *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What Jansson says about a text that is no JSON. */
void tl_reader_syntax(struct tl_reader *r, const json_error_t *error);

typedef void tl_key_fn(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);

/* A member that an object may have; `read` may be NULL when somebody else reads it. */
struct tl_key {
    const char *key;
    tl_key_fn *read;
    bool required;
};

/* Reads an object by its table: no other members, none required missing. */
void tl_read_object(struct tl_reader *r, const struct tl_path *at, json_t *object,
                    const struct tl_key *members, size_t n, void *ctx);

/* A non-empty string: in the arena; NULL after an error. */
const char *tl_read_string(struct tl_reader *r, const struct tl_path *at, json_t *value);
/* One of `n` words: its index, or -1 after an error. */
int tl_read_word(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 const char *const *words, size_t n);
bool tl_read_bool(struct tl_reader *r, const struct tl_path *at, json_t *value, bool *out);
/* "250us", "$rto * 2". */
bool tl_read_duration(struct tl_reader *r, const struct tl_path *at, json_t *value,
                      struct fal_duration *out);
/* A number, or a string in the forms of scenario_value.h. */
bool tl_read_value(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   tl_word_fn *words, struct tl_value *out);
/* The requirement of that id, or NULL after an error. */
const struct fal_requirement *tl_read_id(struct tl_reader *r, const struct tl_path *at,
                                         const char *id);
/* A requirement id, or an array of them. */
void tl_read_ids(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 struct tl_ids *out);
/* {"name": value, ...}: `vars` and `let`. */
void tl_read_assignments(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         struct tl_assignment **list, size_t *count);

/* The parts, each in its file. */
void tl_read_connection(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        void *ctx);
void tl_read_steps(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);
/* A command of a `ulp` step: {"do": ...}. */
void tl_read_act(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 enum tl_side side, struct tl_act *out);
/* Rules of the SUT's ULP: [{"op": "push", "answer": "withhold"}, ...]. */
void tl_read_policy(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    struct tl_policy *out);
/* {"rto": "1ms", ...} */
void tl_read_params(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    struct tl_param_setup **list, size_t *count);
/* What an event must show: {"event": "completion", "rsn": "0r", "code": 0}. */
void tl_read_event_pattern(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_event_pattern *out);
/* A step while it is read: what the members beside the verb have said. */
struct tl_step_draft {
    struct tl_step *step;
    enum tl_side side;
    bool adopt;
    const char *after, *at, *within, *during; /* times as they were written, or NULL */
    struct fal_duration after_d, at_d, within_d, during_d;
    char before[100]; /* of them, as the notation writes times: "<=5ms " */
    char text[600];   /* the step in one line */
};

/* Adds to the step's text. */
void tl_step_say(struct tl_step_draft *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Parses a packet, a line or an object of its fields, into `pattern`; `dir` is what the verb
 * asks for. A time in the line and ids in its comment go to the step. */
bool tl_read_packet(struct tl_reader *r, const struct tl_path *at, json_t *value, char dir,
                    struct tl_step_draft *d, struct fal_pattern *pattern);

/* Holds every $name against what is bound before it. */
void tl_check_names(struct tl_reader *r);

#endif
