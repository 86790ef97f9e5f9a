/* SPDX-License-Identifier: Apache-2.0
 * types_cc.c - the step `cc`, and the entries of congestion control that an end shows. The
 * fields of entries and the parameters of Swift come from their own tables. */
#include "harness/scenario/types_impl.h"

#include "codecs/header/ccqueue.h"
#include "oracles/cc/params.h"

/* ---- the fields of entries ---- */

#define FCWND                                                                                 \
    {                                                                                         \
        "fcwnd", &tl_type_value, false, "fcwnd_integer and fcwnd_fraction, in 1/1024 packet", \
            "\"22479..22487\""                                                                \
    }
#define FIELD(H, type, name, bits, kind, initial, names, alias, requirement, about) \
    {#name, &tl_type_value, false, about, NULL},
#define WIDE(...)
static const struct tl_member event_fields[] = {FAL_CC_EVENT_FIELDS(FIELD, WIDE, WIDE, x)
                                                    FCWND};
static const struct tl_member result_fields[] = {FAL_CC_RESULT_GEN1_FIELDS(FIELD, WIDE, WIDE, x)
                                                     FCWND};
OBJECT(event_entry, "event_entry", "Fields of an event for the RUE (10.6.2.1), by their names.",
       event_fields, .expected = "an object: {\"t1\": 0, \"t4\": 400, ...}");
OBJECT(result_entry, "result_entry",
       "Fields of a result of the RUE (10.6.2.2), by their names.", result_fields,
       .expected = "an object: {\"fcwnd\": 32768, ...}");

/* ---- commands ---- */

static const struct tl_type decimal = {.shape = TL_SHAPE_DECIMAL,
                                       .name = "decimal",
                                       .doc = "a number, with a point if need be: 64, 0.8",
                                       .expected = "a number"};
#define PARAM(name, initial, least, most, unit, section, about) \
    {#name, &decimal, false, about, NULL},
static const struct tl_member swift_members[] = {FAL_SWIFT_PARAMS(PARAM, PARAM)};
OBJECT(swift, "swift", "Parameters of Swift (talon help swift).", swift_members,
       .expected = "an object: {\"max_fcwnd\": 64, ...}");

#define DO(word) .shape = TL_SHAPE_WORD, .words = WORDS(word)
static const struct tl_type do_config = {DO("cc_config")}, do_feed = {DO("cc_feed")},
                            do_trace = {DO("cc_trace")}, do_engine = {DO("cc_engine")},
                            do_result = {DO("cc_result")}, do_levels = {DO("rx_levels")};
static const struct tl_type who = {.shape = TL_SHAPE_WORD, .words = WORDS("self", "tester")};
static const struct tl_type state = {.shape = TL_SHAPE_WORD, .words = WORDS("reset", "keep")};
static const struct tl_type pool = {.shape = TL_SHAPE_WORD,
                                    .words = WORDS("packets", "buffers")};

#define COMMAND(variable, word, about, table) \
    OBJECT(variable, word, about, table, .select = "do", .select_word = word)

static const struct tl_member config_members[] = {
    {"do", &do_config, true, NULL, NULL},
    {"params", &swift, true, "parameters by the names of 10.5", "{\"max_fcwnd\": 64}"}};
COMMAND(config, "cc_config", "Runs Swift with these parameters on the connection.",
        config_members);
static const struct tl_member feed_members[] = {
    {"do", &do_feed, true, NULL, NULL},
    {"entry", &event_entry, true,
     "the event; a field that is not given is that of a new connection, or 0",
     "{\"t4\": 100, \"fcwnd\": 32768}"},
    {"now_ticks", &tl_type_number, false, "when the RUE processes it; default: its t4", "100"},
    {"state", &state, false, "reset: the connection is new to the RUE; default", "\"keep\""}};
COMMAND(feed, "cc_feed", "Has the SUT's RUE process an event.", feed_members);
static const struct tl_member trace_members[] = {
    {"do", &do_trace, true, NULL, NULL},
    {"on", &tl_type_flag, true, "from here on, or no longer", "true"}};
COMMAND(trace, "cc_trace", "Has the SUT show each event and each result.", trace_members);
static const struct tl_member engine_members[] = {
    {"do", &do_engine, true, NULL, NULL},
    {"who", &who, true, "who gives results of events", "\"tester\""}};
COMMAND(engine, "cc_engine", "Makes the scenario the RUE of the SUT.", engine_members);
static const struct tl_member give_members[] = {
    {"do", &do_result, true, NULL, NULL},
    {"entry", &result_entry, true,
     "the result; a field that is not given is that of the newest event of the connection",
     "{\"fcwnd\": 1024}"}};
COMMAND(give, "cc_result", "Gives the SUT a result.", give_members);
static const struct tl_member levels_members[] = {
    {"do", &do_levels, true, NULL, NULL},
    {"pool", &pool, true, "whose occupancy ACKs report", "\"packets\""},
    {"every", &tl_type_number, true, "the n-th threshold is n times this, in packets or cells",
     "2"},
    {"alpha", &tl_type_number, false,
     "weight of the present occupancy in the average, in 1/1024; default: 1024, no average",
     NULL}};
COMMAND(levels, "rx_levels", "Sets the levels of the occupancy that ACKs report (10.2).",
        levels_members);
static const struct tl_type command = {.shape = TL_SHAPE_ANY_OF,
                                       .expected = "{\"do\": \"cc_feed\", ...}",
                                       .of =
                                           OF(&config, &feed, &trace, &engine, &give, &levels)};

static const struct tl_member cc_members[] = {
    {"cc", &command, true, "a command about congestion control (talon help sut-protocol)",
     "{\"do\": \"cc_trace\", \"on\": true}"},
    {"result", &result_entry, false, "of cc_feed: what the result must be",
     "{\"fcwnd\": \"22479..22487\"}"},
    COMMON};
const struct tl_type tl_type_step_cc = {.shape = TL_SHAPE_OBJECT,
                                        .name = "step_cc",
                                        .doc = "Commands the congestion control of the SUT.",
                                        MEMBERS(cc_members),
                                        .select = "cc",
                                        .expected = "{\"cc\": ...}"};

/* ---- what an end shows ---- */

static const struct tl_member seen_event_members[] = {{"event", &event_entry, true,
                                                       "an event for the RUE with these fields",
                                                       "{\"event_type\": \"ack\"}"}};
OBJECT(seen_event, "seen_cc_event", "An event that the SUT shows.", seen_event_members,
       .select = "event");
static const struct tl_member seen_result_members[] = {{"result", &result_entry, true,
                                                        "a result of the RUE with these fields",
                                                        "{\"randomize_path\": 1}"}};
OBJECT(seen_result, "seen_cc_result", "A result that the SUT shows.", seen_result_members,
       .select = "result");
static const struct tl_type seen = {.shape = TL_SHAPE_ANY_OF,
                                    .expected = "{\"event\": {...}} or {\"result\": {...}}",
                                    .of = OF(&seen_event, &seen_result)};
static const struct tl_member expect_cc_members[] = {
    {"expect_cc", &seen, true,
     "the first matching entry after the one that met the last expectation",
     "{\"event\": {\"event_type\": \"ack\"}}"},
    AFTER,
    WITHIN,
    COMMON};
const struct tl_type tl_type_step_expect_cc = {
    .shape = TL_SHAPE_OBJECT,
    .name = "step_expect_cc",
    .doc = "The SUT must show an event for its RUE, or a result (after `cc_trace` or "
           "`cc_engine`).",
    MEMBERS(expect_cc_members),
    .select = "expect_cc",
    .expected = "{\"expect_cc\": ...}"};
