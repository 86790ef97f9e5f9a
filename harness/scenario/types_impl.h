/* SPDX-License-Identifier: Apache-2.0
 * types_impl.h - how the two files of the table are written: macros for its rows, and
 * the types that both use. */
#ifndef TL_HARNESS_SCENARIO_TYPES_IMPL_H
#define TL_HARNESS_SCENARIO_TYPES_IMPL_H

#include "harness/scenario/types.h"

#define OF(...)                     \
    (const struct tl_type *const[]) \
    {                               \
        __VA_ARGS__, NULL           \
    }
#define WORDS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define MEMBERS(table) .members = (table), .num_members = sizeof(table) / sizeof *(table)
#define OBJECT(variable, as, about, table, ...) \
    static const struct tl_type variable = {    \
        .shape = TL_SHAPE_OBJECT, .name = (as), .doc = (about), MEMBERS(table), __VA_ARGS__}
/* The same for both files. */
#define SHARED_OBJECT(variable, as, about, table, ...) \
    const struct tl_type variable = {                  \
        .shape = TL_SHAPE_OBJECT, .name = (as), .doc = (about), MEMBERS(table), __VA_ARGS__}

/* Members that many steps have. */
#define COMMON                                                                             \
    {"covers", &tl_type_ids, false,                                                        \
     "what it decides; in a line, ids in the comment do the same", "\"FTP-9.1.6-03\""},    \
        {"conn", &tl_type_text, false,                                                     \
         "which of `connections` plays it; in a line, `name:` in front; default: that of " \
         "the block around it, else the first",                                            \
         "\"b\""},                                                                         \
        {"name", &tl_type_text, false, "of the step, for times that count from it",        \
         "\"first\""},                                                                     \
    {                                                                                      \
        "note", &tl_type_text, false, "for people", NULL                                   \
    }
#define SIDE                                                                 \
    {                                                                        \
        "side", &tl_type_side, false, "whose upper layer; default sut", NULL \
    }
#define AFTER                                                                                \
    {                                                                                        \
        "after", &tl_type_duration, false,                                                   \
            "this time after the step before; with `within`: the lower end of a range", NULL \
    }
#define WITHIN                                                                              \
    {                                                                                       \
        "within", &tl_type_duration, false, "at most this time after the step before", NULL \
    }

/* What rules of `on` and of `override` may say. */
#define WHEN                                                                                   \
    {"on", &tl_type_trigger, true,                                                             \
     "a packet with its direction ('<' before the tester's endpoint hears it, '>' before it "  \
     "leaves), or an event",                                                                   \
     "\"< push_data psn=7r\""},                                                                \
        {"nth", &tl_type_number, false, "from the n-th on, from 1", "3"},                      \
        {"times", &tl_type_number, false, "so many of them; default 1; 0: all", "2"},          \
        {"do", &tl_type_fate, false, "what happens to it; default: pass", "\"drop\""},         \
        {"delay", &tl_type_duration, false, "of delay, duplicate", "\"100us\""},               \
        {"by", &tl_type_number, false, "reorder: so many others overtake it; default 1", "2"}, \
        {"set", &tl_type_variables, false, "rewrite: fields and their values",                 \
         "{\"ecn\": 3}"},                                                                      \
        {"side", &tl_type_side, false, "of an event", NULL},                                   \
        {"name", &tl_type_text, false, "for `release` and `off`", "\"held\""},                 \
    {                                                                                          \
        "steps", &tl_type_steps, false,                                                        \
            "played at once: send, ulp, cm, acks, cc, verbs, nvme, let, note, release, off",   \
            NULL                                                                               \
    }

extern const struct tl_type tl_type_a_cm_event, tl_type_acks, tl_type_act, tl_type_an_event,
    tl_type_cm_act, tl_type_duration, tl_type_expected, tl_type_fate, tl_type_flag, tl_type_ids,
    tl_type_measured, tl_type_number, tl_type_one_or_more_conditions, tl_type_packet,
    tl_type_side, tl_type_step_cc, tl_type_step_expect_cc, tl_type_step_verbs,
    tl_type_step_expect_verbs, tl_type_step_expect_no_verbs, tl_type_step_nvme,
    tl_type_step_expect_nvme, tl_type_step_expect_no_nvme, tl_type_text, tl_type_trigger,
    tl_type_unexpected, tl_type_value, tl_type_variables;

#endif
