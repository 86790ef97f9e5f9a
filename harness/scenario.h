/* SPDX-License-Identifier: Apache-2.0
 * scenario.h - a scenario: what one case does, as read from its file (docs/scenarios.md). Data
 * only; the interpreter (interp.h) plays it. Everything lies in the scenario's arena.
 *
 * A step has one verb. To add a verb: an enumerator, a member of the union, a reader in
 * scenario_step.c and a player in interp.c. */
#ifndef TL_HARNESS_SCENARIO_H
#define TL_HARNESS_SCENARIO_H

#include "harness/ics.h"
#include "harness/scenario_source.h"
#include "harness/scenario_value.h"
#include "oracles/catalogue.h"
#include "oracles/rules/judge.h"
#include "oracles/timeline.h"

#define TL_SCENARIO_SCHEMA "talon/scenario/1"

enum tl_class { TL_CLASS_VALID, TL_CLASS_INVALID, TL_CLASS_INOPPORTUNE };

enum tl_verb {
    TL_SEND,
    TL_EXPECT,
    TL_EXPECT_NONE,
    TL_EXPECT_NO_EVENT, /* expect_none with an event */
    TL_ULP,
    TL_EXPECT_ULP,
    TL_WAIT,
    TL_NOTE,
    TL_LET,
};

enum tl_side { TL_SIDE_SUT, TL_SIDE_TESTER };

/* Members of a ULP event that can be asked for, in the order of messages. */
enum tl_event_member {
    TL_EVENT_RSN,
    TL_EVENT_OP,
    TL_EVENT_LENGTH,
    TL_EVENT_TAG,
    TL_EVENT_REDELIVERY,
    TL_EVENT_ANSWER,
    TL_EVENT_CODE,
    TL_EVENT_NACK_CODE,
    TL_EVENT_MEMBERS,
};

struct tl_event_pattern {
    enum fal_ulp_kind kind;
    bool given[TL_EVENT_MEMBERS];
    struct tl_value values[TL_EVENT_MEMBERS];
};

struct tl_assignment {
    char name[FAL_VAR_MAX];
    struct tl_value value;
};

/* What a ULP is told to do, in the words of the control protocol (docs/sut-protocol.md); times
 * by their bare names ("rnr": "10us"). Members of commands and of policy rules. */
enum tl_act_member {
    TL_ACT_REQUEST,
    TL_ACT_EVERY,
    TL_ACT_OP,
    TL_ACT_RSN,
    TL_ACT_ANSWER,
    TL_ACT_AFTER,
    TL_ACT_TIMES,
    TL_ACT_RNR,
    TL_ACT_CODE,
    TL_ACT_LENGTH,
    TL_ACT_TAG,
    TL_ACT_SEED,
    TL_ACT_MEMBERS,
};

struct tl_act_values {
    bool given[TL_ACT_MEMBERS];
    struct tl_value values[TL_ACT_MEMBERS];
};

struct tl_policy {
    struct tl_act_values *rules;
    size_t count;
};

struct tl_param_setup {
    const struct fal_param *param;
    struct tl_value value;
};

enum tl_act_verb { TL_ACT_POST, TL_ACT_RESPOND, TL_ACT_POLICY, TL_ACT_SET, TL_ACT_BARRIER };

struct tl_act {
    enum tl_act_verb verb;
    struct tl_act_values values;   /* POST, RESPOND */
    struct tl_policy policy;       /* POLICY */
    struct tl_param_setup *params; /* SET */
    size_t num_params;
};

struct tl_ids {
    const struct fal_requirement **list;
    size_t count;
};

struct tl_step {
    enum tl_verb verb;
    struct tl_position at; /* in the file */
    const char *text;      /* in one line, for people */
    struct tl_ids covers;  /* what it decides; empty: the scenario's */
    enum fal_time_form time;
    struct fal_duration from, to;
    union {
        struct {
            struct fal_pattern *pattern;
            bool adopt;
        } send;
        struct {
            struct fal_pattern *any_of;
            size_t count;
        } expect; /* EXPECT, EXPECT_NONE */
        struct {
            enum tl_side side;
            struct tl_act act;
        } ulp;
        struct {
            enum tl_side side;
            struct tl_event_pattern pattern;
        } expect_ulp; /* EXPECT_ULP, EXPECT_NO_EVENT */
        struct {
            struct tl_assignment *list;
            size_t count;
        } let;
    } u;
};

/* One end of the connection; what is not given is chosen at run time. */
struct tl_end_setup {
    bool has_cid, has_function, has_req_psn, has_data_psn, has_rsn;
    struct fal_end end;
};

struct tl_scenario {
    struct tl_arena arena;
    const char *path; /* of the file, as it was given */
    const char *id, *title, *purpose;
    enum tl_class kind;
    unsigned version;
    struct tl_ids covers;
    struct tl_ics_condition *needs; /* all of them, or the case is not applicable */
    size_t num_needs;
    const struct fal_rule **exercises;
    size_t num_exercises;
    const char **tags;
    size_t num_tags;

    struct tl_param_setup *params;
    size_t num_params;
    struct tl_end_setup tester, sut;
    struct tl_policy policy; /* of the SUT's ULP, before the steps */
    bool auto_acks, auto_retransmission, auto_ulp;
    struct tl_assignment *vars;
    size_t num_vars;
    struct tl_step *steps;
    size_t num_steps;
};

/* Reads a scenario from the `len` bytes of JSON at `text`. `path` names it in messages. On
 * errors NULL, and *errors holds one line each ("file:line:column: path: what, and what was
 * expected"); the caller frees it with free(). NULL with *errors NULL: out of memory. */
struct tl_scenario *tl_scenario_read(const char *path, const char *text, size_t len,
                                     char **errors);
void tl_scenario_free(struct tl_scenario *scenario);

const char *tl_class_name(enum tl_class kind);
const char *tl_verb_name(enum tl_verb verb);
/* "request", "ulp_ack", "completion"; "rsn", "op", ... */
const char *tl_event_kind_name(enum fal_ulp_kind kind);
const char *tl_event_member_name(enum tl_event_member member);
/* "post", ...; "rnr", ... as scenarios spell it; whether it is a time. */
const char *tl_act_verb_name(enum tl_act_verb verb);
const char *tl_act_member_name(enum tl_act_member member);
bool tl_act_member_is_time(enum tl_act_member member);
/* "push", "pull". */
const char *tl_act_op_name(enum fal_ulp_op op);

#endif
