/* SPDX-License-Identifier: Apache-2.0
 * reader.h - shared by the files that read scenarios: collecting errors, and reading an object
 * by a table of its members. */
#ifndef TL_HARNESS_SCENARIO_READER_H
#define TL_HARNESS_SCENARIO_READER_H

#include "codecs/base/error.h"
#include "harness/scenario/scenario.h"

#include <string.h>

enum { TL_NESTED_MAX = 16, TL_ERRORS_MAX = 50 };

/* Where the elements of a list of steps begin in the text. */
struct tl_places {
    struct tl_places *next;
    struct tl_position *at;
    size_t count;
    char path[];
};

/* A value whose shape is right. Cases of a file share what no parameter changes. */
struct tl_sound {
    json_t *value; /* a reference */
    const struct tl_type *type;
};

enum { TL_SOUND = 64 }; /* so many are remembered, by their address */

struct tl_reader {
    struct tl_scenario *scenario;
    const json_t *written; /* the document of the file, */
    json_t *cases;         /* and the parameters of this case; borrowed */
    json_t *document;      /* the document of this case, with its parameters inserted */
    struct tl_step *steps; /* grows on the heap until all steps are read */
    size_t num_steps, cap_steps;
    enum tl_part part;
    unsigned depth, loops;            /* of blocks; of repeats */
    unsigned conn;                    /* the connection that plays the steps being read */
    const char *using[TL_NESTED_MAX]; /* fragments that are being inserted */
    size_t num_using;
    bool as_written;  /* "${op}" has not been replaced yet, and stands for a word or a flag */
    bool in_reaction; /* steps that are played at once */
    const char *path, *text;
    size_t len;
    struct tl_sound sound[TL_SOUND];
    struct tl_places *places; /* of lists that were read in another case of the file */
    struct { /* by their place in the file; errors beyond the limit are only counted */
        struct tl_position at;
        char *text;
    } errors[TL_ERRORS_MAX];
    size_t num_errors;
    bool no_memory;
};

/* Adds an error about the value at `at`. */
void tl_reader_error(struct tl_reader *r, const struct tl_path *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All errors, each with its source line and a caret below the place; the reader's own list is
 * freed. NULL: no errors, or out of memory. */
char *tl_reader_errors(struct tl_reader *r);

/* The same at the name of the member, where the name is what is wrong. */
void tl_reader_error_key(struct tl_reader *r, const struct tl_path *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of an error in the line of the notation that the string there holds: at the place
 * `column` (from 1) within the string, as far as `line` stands in the file as it is. */
void tl_reader_error_in(struct tl_reader *r, const struct tl_path *at, const char *line,
                        unsigned column, const char *what);
/* The same where the place is known. */
void tl_reader_error_at(struct tl_reader *r, struct tl_position at, const char *where,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The member `key` is not one of the `n` at `keys`; suggests the nearest. */
void tl_reader_unknown(struct tl_reader *r, const struct tl_path *at, const char *key,
                       const char *const *keys, size_t n);
/* The same of a parameter of the connection, at its own place. */
void tl_unknown_param(struct tl_reader *r, const struct tl_path *at, const char *key);

/* The members of an object with few of them: finding one of many names in it takes less time
 * than asking the object for each. */
enum { TL_FEW = 16 };
struct tl_members {
    json_t *object; /* borrowed */
    size_t count;   /* above TL_FEW: they are not listed */
    const char *keys[TL_FEW];
    json_t *values[TL_FEW];
};

/* Of a value that is no object: none. */
void tl_members_list(json_t *value, struct tl_members *out);
/* Borrowed; NULL: there is none of that name. */
json_t *tl_members_get(const struct tl_members *members, const char *key);

/* strcmp() == 0, mostly decided by the first character. */
static inline bool tl_same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

/* Checks a value against its type (types.h). Returns false after errors. */
struct tl_type;
bool tl_shape_check(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    const struct tl_type *type);

/* The same, once for a value that several cases of the file share. */
bool tl_shape_check_once(struct tl_reader *r, const struct tl_path *at, json_t *value,
                         const struct tl_type *type);
/* Forgets the values that were checked. */
void tl_shape_forget(struct tl_reader *r);

/* Adds Jansson's error for a text that is not JSON. */
void tl_reader_syntax(struct tl_reader *r, const json_error_t *error);

typedef void tl_key_fn(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);

/* How a member is read. */
struct tl_key {
    const char *key;
    tl_key_fn *read;
};

/* Reads the members of an object (whose shape is right) by a table. */
void tl_read_object(struct tl_reader *r, const struct tl_path *at, json_t *object,
                    const struct tl_key *members, size_t n, void *ctx);

/* A non-empty string: in the arena; NULL after an error. */
const char *tl_read_string(struct tl_reader *r, const struct tl_path *at, json_t *value);
/* One of `n` words: its index, or -1 after an error. */
MUST_USE int tl_read_word(struct tl_reader *r, const struct tl_path *at, json_t *value,
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

/* The readers of the parts, each in its file. tl_read_document: r->document of one case with
 * these parameters; tl_read_vars: the variables of the file, and the parameters that are
 * values. */
void tl_read_document(struct tl_reader *r, json_t *params);
void tl_read_vars(struct tl_reader *r, json_t *vars, json_t *params);
void tl_read_connection(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        void *ctx);
/* The rows of the file that set up a connection, read into the scenario `ctx`. */
void tl_read_policy_member(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           void *ctx);
void tl_read_auto(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);
/* Several connections (read_connections.c). Names come first, because steps refer to them; the
 * rest after the steps, which all of them share. */
void tl_read_connection_names(struct tl_reader *r);
void tl_read_connections(struct tl_reader *r);
/* The connection of that name; 0 after an error. */
unsigned tl_find_connection(struct tl_reader *r, const struct tl_path *at, const char *name,
                            size_t len);
/* Blocks whose parts are looked at together stay on one connection. */
void tl_check_connections(struct tl_reader *r);
/* Marks the parameters of `s` that a parameter of the file varies; `written`: their object. */
void tl_mark_varied(struct tl_reader *r, json_t *written, struct tl_scenario *s);
/* Reads a list of steps and adds them to the program. `checked`: its shape has been checked. */
void tl_read_steps(struct tl_reader *r, const struct tl_path *at, json_t *value, bool checked);
/* The places of the `n` elements of the list at that path, which `where` prints ("": too long
 * to be known again); owned by the reader. NULL: out of memory. */
const struct tl_position *tl_places_of(struct tl_reader *r, const struct tl_path *at,
                                       const char *where, size_t n);
void tl_places_free(struct tl_places *places);
/* Adds a step and returns its index. */
size_t tl_add_step(struct tl_reader *r, const struct tl_step *step);
/* A command of a `ulp` step: {"do": ...}. */
void tl_read_act(struct tl_reader *r, const struct tl_path *at, json_t *value,
                 enum tl_side side, struct tl_act *out);
/* Rules of the SUT's ULP: [{"op": "push", "answer": "withhold"}, ...]. */
void tl_read_policy(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    struct tl_policy *out);
/* {"rto": "1ms", ...} */
void tl_read_params(struct tl_reader *r, const struct tl_path *at, json_t *value,
                    struct tl_param_setup **list, size_t *count);
/* Reads hex digits, with blanks anywhere between bytes, into the scenario's arena. */
void tl_read_payload(struct tl_reader *r, const struct tl_path *at, json_t *value,
                     uint8_t **bytes, size_t *len);
/* {"ttl": 60, "ecn": 3} */
void tl_read_ip(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);
/* Reads what an event must show: {"event": "completion", "rsn": "0r", "code": 0}. */
void tl_read_event_pattern(struct tl_reader *r, const struct tl_path *at, json_t *value,
                           struct tl_event_pattern *out);
/* A step while it is read: the members beside the verb. */
struct tl_step_draft {
    struct tl_step step;
    enum tl_side side;
    bool adopt;
    struct tl_malform *malform;
    uint8_t *payload; /* or NULL */
    size_t payload_len;
    struct tl_seal_setup *seal;
    struct tl_ip_setup *ip;
    const char *after, *at, *within, *during; /* times as written in the file, or NULL */
    struct fal_duration after_d, at_d, within_d, during_d;
    const char *since;        /* the name of a step, or NULL */
    json_t *result;           /* of `cc`; borrowed; or NULL */
    const char *as;           /* of `verbs`: the name of what it makes; or NULL */
    json_t *reply;            /* of `verbs`; borrowed; or NULL */
    bool refused, may_refuse; /* of `verbs` */
    char before[100];         /* of the times, as the notation writes them: "<=5ms " */
    char text[600];           /* the step in one line, for people */
    /* `before` and `text` for fingerprints: waiver files hold hashes of `code`, so its words
     * never change. */
    char before_code[100], code[600];
    size_t text_len, code_len;
};

/* The step `acks`; auto.acks of the file as such a step. */
void tl_read_steer(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   struct tl_step_draft *d);
void tl_read_steered(struct tl_reader *r);

/* The step `cc`; what the entry of an `expect_cc` must be. */
void tl_read_cc(struct tl_reader *r, const struct tl_path *at, json_t *value,
                struct tl_step_draft *d);
void tl_read_cc_pattern(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct tl_event_pattern *out);

/* The steps that command an upper layer (`verbs`); what the event of an `expect_verbs` must be.
 */
void tl_read_order(struct tl_reader *r, const struct tl_path *at, json_t *value,
                   struct tl_step_draft *d);
void tl_read_told(struct tl_reader *r, const struct tl_path *at, json_t *value,
                  struct tl_event_pattern *out);

/* Adds a part of the scenario to the step's text and to its code. The format has no English
 * words. */
void tl_step_say(struct tl_step_draft *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of texts: a list that ends with NULL. */
void tl_step_say_parts(struct tl_step_draft *d, const char *const *parts);
/* Adds words for people to the text, and to the code what was there in their place when
 * fingerprints were first used (commit e30394d). `code` never changes. */
void tl_step_say_words(struct tl_step_draft *d, const char *words, const char *code);
/* Adds the times of the step: `before`. */
void tl_step_say_times(struct tl_step_draft *d);
/* Puts text and code into the step; the scenario's arena owns them. */
void tl_step_keep_words(struct tl_reader *r, struct tl_step_draft *d);
/* Adds the members of an object. */
void tl_step_describe(struct tl_step_draft *d, json_t *object);
/* The step of that name that has been read; -1 after an error. */
int32_t tl_find_step(struct tl_reader *r, const struct tl_path *at, const char *name);

/* Readers of verbs that are blocks (read_block.c); they add steps to the program. */
void tl_read_block(struct tl_reader *r, const struct tl_path *at, json_t *step,
                   const char *verb, struct tl_step_draft *d);
/* `on` and its like: {"on": ..., "do": ...}. */
void tl_read_reaction(struct tl_reader *r, const struct tl_path *at, json_t *object,
                      struct tl_step_draft *d);
/* {"count": ..., "is": ...} and its like, or "workload". */
struct tl_measure *tl_read_measure(struct tl_reader *r, const struct tl_path *at, json_t *value,
                                   struct tl_step_draft *d);
/* Reads a condition, or a list of them. */
void tl_read_conditions(struct tl_reader *r, const struct tl_path *at, json_t *value,
                        struct tl_condition **list, size_t *count);
void tl_read_impair(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);
void tl_read_workload(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);

/* Replaces "${name}" in the strings of a JSON value by the text of `values`; unknown names
 * stay. New reference: what mentions no name is shared, so nobody may change it. NULL: out of
 * memory.
 */
json_t *tl_expand_document(json_t *value, json_t *values);
/* The text that "${name}" becomes: that of a plain value. A new reference. */
json_t *tl_expansion(json_t *value);

/* Parses a packet, a line or an object of its fields; `dir` is what the verb asks for. A time
 * in the line and ids in its comment go to the step. NULL after an error. */
const struct fal_pattern *tl_read_packet(struct tl_reader *r, const struct tl_path *at,
                                         json_t *value, char dir, struct tl_step_draft *d);
/* Parses a packet that may state its direction, or has `*dir`, without time and ids. */
const struct fal_pattern *tl_read_pattern(struct tl_reader *r, const struct tl_path *at,
                                          json_t *value, enum fal_dir *dir);
/* Copies a line and replaces expressions that the notation does not know by hidden names;
 * "@name" at the beginning, the name of a step, goes to *anchor (may be NULL). Returns false
 * after an error. */
bool tl_rewrite_line(struct tl_reader *r, const struct tl_path *at, const char *line, char *out,
                     size_t cap, int32_t *anchor);

/* Checks that every $name has been bound before. */
void tl_names_check(struct tl_reader *r);

/* Reads the members of a send into the step's draft `ctx`, and adds the step. */
void tl_read_malform(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);
void tl_read_seal(struct tl_reader *r, const struct tl_path *at, json_t *value, void *ctx);
void tl_read_sent_payload(struct tl_reader *r, const struct tl_path *at, json_t *value,
                          void *ctx);
void tl_read_send(struct tl_reader *r, const struct tl_path *at, json_t *value,
                  struct tl_step_draft *d);

#endif
