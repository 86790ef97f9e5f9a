/* SPDX-License-Identifier: Apache-2.0
 * scenario_types.c - the one table of what scenario files hold. A new member is a row here and
 * a line in its reader; schema, validator and reference follow. */
#include "harness/scenario_types.h"

#include "harness/scenario.h"

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

/* ---- plain types ---- */

static const struct tl_type text = {.shape = TL_SHAPE_TEXT,
                                    .expected = "a string that is not empty"};
static const struct tl_type flag = {.shape = TL_SHAPE_FLAG, .expected = "true or false"};
static const struct tl_type number = {
    .shape = TL_SHAPE_NUMBER,
    .name = "number",
    .doc = "a number, or an expression in a string: 64, \"0x21\", \"3r\", \"$name + 1\"",
    .expected = "a number that is not negative, or an expression in a string"};
static const struct tl_type value = {
    .shape = TL_SHAPE_VALUE,
    .name = "value",
    .doc = "a value, or a pattern of values in a string: 64, \"0r\", \"$name\", \"@name\", "
           "\"2..4\", \"{1,3}\", \"!0\", \"any\"",
    .expected = "a number, true, false, or a value in a string"};
static const struct tl_type duration = {
    .shape = TL_SHAPE_DURATION,
    .name = "duration",
    .doc = "a time with its unit: \"250us\", \"1.5ms\", \"0\", \"$rto * 2 + 10us\"",
    .expected = "a duration in a string: \"250us\", \"$rto * 2\""};
static const struct tl_type id_of_requirement = {.shape = TL_SHAPE_TEXT,
                                                 .name = "id",
                                                 .doc = "the id of a requirement",
                                                 .expected =
                                                     "a requirement id, \"FTP-9.1.6-03\"",
                                                 .pattern = "^[A-Z]+-[A-Z0-9.-]+$"};
static const struct tl_type some_ids = {.shape = TL_SHAPE_LIST,
                                        .expected = "an array of requirement ids, at least one",
                                        .of = OF(&id_of_requirement),
                                        .min = 1};
static const struct tl_type ids = {.shape = TL_SHAPE_ANY_OF,
                                   .expected = "a requirement id, or an array of them",
                                   .of = OF(&id_of_requirement, &some_ids)};
static const struct tl_type words = {
    .shape = TL_SHAPE_LIST, .expected = "an array of words", .of = OF(&text)};
static const struct tl_type side = {
    .shape = TL_SHAPE_WORD, .words = WORDS("sut", "tester"), .doc = "whose upper layer"};
static const struct tl_type condition = {
    .shape = TL_SHAPE_TEXT,
    .name = "condition",
    .doc = "an item of the ICS (\"rack-tlp\", \"!rack-tlp\"), or a comparison (\"$len > 64\")",
    .expected = "an item of the ICS, \"!item\", or a comparison"};
static const struct tl_type conditions = {
    .shape = TL_SHAPE_LIST, .expected = "an array of conditions", .of = OF(&condition)};
static const struct tl_type one_or_more_conditions = {.shape = TL_SHAPE_ANY_OF,
                                                      .expected =
                                                          "a condition, or an array of them",
                                                      .of = OF(&condition, &conditions)};
static const struct tl_type variables = {.shape = TL_SHAPE_MAP,
                                         .name = "assignments",
                                         .doc = "variables by name: {\"next\": \"$psn + 1\"}",
                                         .expected = "an object: {\"name\": value, ...}",
                                         .of = OF(&value)};
static const struct tl_type params = {.shape = TL_SHAPE_PARAMS,
                                      .name = "params",
                                      .doc =
                                          "parameters of the connection (talon help defaults)",
                                      .expected = "an object: {\"rto\": \"1ms\", ...}"};

/* ---- packets ---- */

static const struct tl_type line = {
    .shape = TL_SHAPE_TEXT,
    .doc = "a packet in one line (talon help notation): \"push_data psn=0r len=64 ar\"",
    .expected = "a packet: a line of the notation, or an object"};
static const struct tl_type fields = {
    .shape = TL_SHAPE_FIELDS,
    .name = "packet_object",
    .doc = "A packet by its fields: {\"packet_type\": \"push_data\", \"psn\": \"0r\"}.",
    .expected = "a packet: a line of the notation, or an object"};
static const struct tl_type packet = {
    .shape = TL_SHAPE_ANY_OF,
    .name = "packet",
    .doc = "A packet: a line of the notation (talon help notation), or the same as an object.",
    .expected = "a packet: a line of the notation, or an object",
    .of = OF(&line, &fields)};
static const struct tl_type some_packets = {.shape = TL_SHAPE_LIST,
                                            .expected = "an array of packets, at least one",
                                            .of = OF(&packet),
                                            .min = 1};
static const struct tl_member any_of_members[] = {
    {"any_of", &some_packets, true, "any of these packets", "[\"back dbase=1r\", \"eack\"]"}};
OBJECT(any_packet, "any_of", "Any of several packets.", any_of_members, .select = "any_of");

/* ---- upper layers ---- */

static const struct tl_type op = {.shape = TL_SHAPE_WORD, .words = WORDS("push", "pull")};
static const struct tl_type op_value = {
    .shape = TL_SHAPE_TEXT, .expected = "push, pull, or a pattern of them in a string"};
static const struct tl_type answer = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("ack", "data", "rnr", "cie", "nre", "cid", "withhold")};

static const struct tl_member rule_members[] = {
    {"request", &number, false, "the n-th request, from 1", "2"},
    {"every", &number, false, "each k-th request", "4"},
    {"op", &op, false, "of this operation only", "\"push\""},
    {"answer", &answer, true, "what the upper layer says", "\"rnr\""},
    {"after", &duration, false, "so long after the request", "\"10us\""},
    {"times", &number, false, "so often, then the default", "2"},
    {"rnr", &duration, false, "timeout of an RNR answer", "\"40us\""},
    {"code", &number, false, "ULP NACK code of cie, nre, cid", "7"},
    {"length", &number, false, "bytes of data", "64"}};
OBJECT(rule, "rule", "A rule of the SUT's upper layer; the first that fits decides.",
       rule_members, .expected = "a rule: {\"answer\": \"withhold\"}");
static const struct tl_type policy = {.shape = TL_SHAPE_LIST,
                                      .expected =
                                          "an array of rules: [{\"answer\": \"withhold\"}]",
                                      .of = OF(&rule)};

#define DO(word) .shape = TL_SHAPE_WORD, .words = WORDS(word)
static const struct tl_type do_post = {DO("post")}, do_respond = {DO("respond")},
                            do_policy = {DO("policy")}, do_set = {DO("set")},
                            do_barrier = {DO("barrier")}, do_close = {DO("close")},
                            do_counters = {DO("counters")}, do_state = {DO("state")},
                            do_clock = {DO("clock")}, do_rotate = {DO("rotate_keys")};

static const struct tl_member post_members[] = {
    {"do", &do_post, true, NULL, NULL},
    {"op", &op, true, "a push or a pull", "\"push\""},
    {"length", &number, true, "bytes of a push; bytes that a pull asks for", "64"},
    {"tag", &number, false, "names the payload; default: the step's number", NULL},
    {"seed", &number, false, "of the payload; default: the case's", NULL}};
OBJECT(post, "post", "The upper layer starts a transaction.", post_members, .select = "do",
       .select_word = "post");
static const struct tl_member respond_members[] = {
    {"do", &do_respond, true, NULL, NULL},
    {"rsn", &number, true, "of the request; 0r is the first of its initiator", "\"0r\""},
    {"answer", &answer, true, "what it says", "\"ack\""},
    {"rnr", &duration, false, "timeout of an RNR answer", NULL},
    {"code", &number, false, "ULP NACK code", NULL},
    {"length", &number, false, "bytes of data", NULL},
    {"tag", &number, false, "of the data", NULL},
    {"seed", &number, false, "of the data", NULL}};
OBJECT(respond, "respond", "It answers a request that was delivered to it and withheld.",
       respond_members, .select = "do", .select_word = "respond");
static const struct tl_member policy_members[] = {
    {"do", &do_policy, true, NULL, NULL},
    {"rules", &policy, true, "as `policy` of the file", NULL}};
OBJECT(new_policy, "new_policy", "Replaces the rules of the SUT's upper layer.", policy_members,
       .select = "do", .select_word = "policy");
static const struct tl_member set_members[] = {
    {"do", &do_set, true, NULL, NULL}, {"params", &params, true, "parameters by name", NULL}};
OBJECT(set_act, "set", "Changes parameters of the SUT's end.", set_members, .select = "do",
       .select_word = "set");
static const struct tl_member barrier_members[] = {{"do", &do_barrier, true, NULL, NULL}};
OBJECT(barrier, "barrier", "Waits until every event caused before has been read.",
       barrier_members, .select = "do", .select_word = "barrier");
static const struct tl_type act = {.shape = TL_SHAPE_ANY_OF,
                                   .expected = "{\"do\": \"post\", ...}",
                                   .of = OF(&post, &respond, &new_policy, &set_act, &barrier)};

static const struct tl_member close_members[] = {{"do", &do_close, true, NULL, NULL}};
OBJECT(close_act, "close", "Closes the connection at that end.", close_members, .select = "do",
       .select_word = "close");
static const struct tl_member counters_members[] = {{"do", &do_counters, true, NULL, NULL}};
OBJECT(counters, "counters", "Asks for the SUT's counters.", counters_members, .select = "do",
       .select_word = "counters");
static const struct tl_member state_members[] = {{"do", &do_state, true, NULL, NULL}};
OBJECT(state_act, "state", "Asks for the SUT's sequence state.", state_members, .select = "do",
       .select_word = "state");
static const struct tl_member clock_members[] = {{"do", &do_clock, true, NULL, NULL}};
OBJECT(clock_act, "clock", "Asks for the SUT's clock.", clock_members, .select = "do",
       .select_word = "clock");
static const struct tl_type rotation = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("all", "generation", "spi", "peer", "drop", "end"),
    .doc =
        "a step of 9.2.2.3 at that end: a new generation, a new SPI (which its peer is told), "
        "sends under the SPI that the other end gave, drops the old SPI, ends the generation; "
        "all: the first two here, `peer` at the other end"};
static const struct tl_member rotate_members[] = {{"do", &do_rotate, true, NULL, NULL},
                                                  {"step", &rotation, false, NULL, "\"spi\""}};
OBJECT(rotate, "rotate_keys", "Rotates the keys of the connection.", rotate_members,
       .select = "do", .select_word = "rotate_keys");
static const struct tl_type cm_act = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "{\"do\": \"set\", ...}",
    .of = OF(&set_act, &close_act, &counters, &state_act, &clock_act, &rotate)};

static const struct tl_type event_kind = {.shape = TL_SHAPE_WORD,
                                          .words = WORDS("request", "ulp_ack", "completion")};
static const struct tl_member event_members[] = {
    {"event", &event_kind, true, "what the upper layer is told", "\"completion\""},
    {"rsn", &value, false, "0r is the first of its initiator", "\"0r\""},
    {"op", &op_value, false, "push or pull", "\"push\""},
    {"length", &value, false, "bytes", "\"1..64\""},
    {"tag", &value, false, "of a completion: that of the post", NULL},
    {"redelivery", &value, false, "delivered before, and answered RNR", "true"},
    {"answer", &value, false, "of a ulp_ack", "\"ack\""},
    {"code", &value, false, "completion code (chapter 11), or ULP code of a ulp_ack", "0"},
    {"ulp_nack_code", &value, false, "of a completion in error", NULL}};
OBJECT(event, "event", "An event of an upper layer; what is not given is not looked at.",
       event_members, .select = "event");
static const struct tl_member cm_event_members[] = {
    {"what", &text, true, "\"fatal\", \"spi\", \"integrity\", \"replay\", \"any\"",
     "\"fatal\""}};
OBJECT(cm_event, "cm_event", "What an end tells its connection manager.", cm_event_members,
       .select = "what");
static const struct tl_type an_event = {
    .shape = TL_SHAPE_ANY_OF, .expected = "{\"event\": \"completion\", ...}", .of = OF(&event)};
static const struct tl_type a_cm_event = {
    .shape = TL_SHAPE_ANY_OF, .expected = "{\"what\": \"fatal\"}", .of = OF(&cm_event)};

/* ---- counts, shares, states ---- */

static const struct tl_type state_name = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("tx_rbpsn", "tx_rnpsn", "tx_dbpsn", "tx_dnpsn", "rx_rbpsn", "rx_dbpsn",
                   "own", "open_initiated", "open_received", "quiet")};
static const struct tl_member count_members[] = {
    {"count", &packet, true, "packets like this; '>' in front: those to the SUT",
     "\"push_data ar\""},
    {"is", &value, true, "how many", "\"3..5\""}};
OBJECT(count, "count", "How many such packets there have been.", count_members,
       .select = "count");
static const struct tl_member share_members[] = {
    {"share", &packet, true, "packets like this", "\"push_data ar\""},
    {"of", &packet, true, "among those", "\"push_data\""},
    {"is", &value, true, "which part of them", "\"5%..20%\""}};
OBJECT(share, "share", "Which part of the packets are such packets.", share_members,
       .select = "share");
static const struct tl_member events_members[] = {
    {"events", &an_event, true, "events like this", "{\"event\": \"completion\"}"},
    {"side", &side, false, "of that upper layer", NULL},
    {"is", &value, true, "how many", "3"}};
OBJECT(events, "events", "How many such events there have been.", events_members,
       .select = "events");
static const struct tl_member states_members[] = {
    {"state", &state_name, true, "of the tester's own endpoint (9.1.1, 9.2.1, 8.4.1)",
     "\"tx_dbpsn\""},
    {"is", &value, true, "what it holds", "\"3r\""}};
OBJECT(states, "state_is", "What the tester's own endpoint holds.", states_members,
       .select = "state");
static const struct tl_type workload_word = {.shape = TL_SHAPE_WORD,
                                             .words = WORDS("workload")};
static const struct tl_type measured = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "{\"count\": packet, \"is\": value}, {\"share\": ...}, {\"events\": ...}, "
                "{\"state\": ...} or \"workload\"",
    .of = OF(&workload_word, &count, &share, &events, &states)};
static const struct tl_type expected = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "a packet: a line of the notation, or an object",
    .of = OF(&line, &any_packet, &count, &share, &events, &states, &fields)};
static const struct tl_type unexpected = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "a packet, or {\"event\": ...}",
    .of = OF(&line, &any_packet, &event, &cm_event, &fields)};

/* ---- what happens to packets ---- */

static const struct tl_type fate = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("drop", "delay", "duplicate", "reorder", "rewrite", "withhold", "pass"),
    .doc = "pass: nothing, but `steps`"};
static const struct tl_type trigger = {.shape = TL_SHAPE_ANY_OF,
                                       .expected = "a packet with its direction, or an event",
                                       .of = OF(&line, &event)};
#define WHEN                                                                                  \
    {"on", &trigger, true,                                                                    \
     "a packet with its direction ('<' before the tester's endpoint hears it, '>' before it " \
     "leaves), or an event",                                                                  \
     "\"< push_data psn=7r\""},                                                               \
        {"nth", &number, false, "from the n-th on, from 1", "3"},                             \
        {"times", &number, false, "so many of them; default 1; 0: all", "2"},                 \
        {"do", &fate, false, "what happens to it; default: pass", "\"drop\""},                \
        {"delay", &duration, false, "of delay, duplicate", "\"100us\""},                      \
        {"by", &number, false, "reorder: so many others overtake it; default 1", "2"},        \
        {"set", &variables, false, "rewrite: fields and their values", "{\"ecn\": 3}"},       \
        {"side", &side, false, "of an event", NULL},                                          \
        {"name", &text, false, "for `release` and `off`", "\"held\""},                        \
    {                                                                                         \
        "steps", &tl_type_steps, false,                                                       \
            "played at once: send, ulp, cm, let, note, release, off", NULL                    \
    }
static const struct tl_member override_members[] = {WHEN};
OBJECT(override, "override", "What happens to packets of the tester's own endpoint.",
       override_members, .expected = "{\"on\": \"< push_data\", \"do\": \"drop\"}");
static const struct tl_type overrides = {
    .shape = TL_SHAPE_LIST,
    .expected = "an array: [{\"on\": \"< push_data\", \"do\": \"drop\"}]",
    .of = OF(&override)};

static const struct tl_member auto_members[] = {
    {"acks", &flag, false, "BACK, EACK and NACK", NULL},
    {"retransmission", &flag, false, "copies and resyncs", NULL},
    {"ulp", &flag, false, "answers of the tester's upper layer", NULL},
    {"override", &overrides, false, "what of it is dropped, delayed, rewritten ... (step `on`)",
     NULL}};
OBJECT(automatic, "auto", "What the tester's endpoint plays by itself: all, by default.",
       auto_members, .expected = "{\"acks\": false}");

static const struct tl_member path_members[] = {
    {"loss", &value, false, "share of frames that are lost", "\"1%\""},
    {"duplicate", &value, false, "share that comes twice", "\"0.5%\""},
    {"reorder", &value, false, "share that others overtake", "\"2%\""},
    {"reorder_by", &duration, false, "by so much; default 20us", "\"50us\""},
    {"latency", &duration, false, "of every frame", "\"5us\""},
    {"jitter", &duration, false, "more, at most, evenly", "\"1us\""}};
OBJECT(path, "path", "What chance does to frames of one direction.", path_members,
       .expected = "{\"loss\": \"1%\"}");
static const struct tl_member impair_members[] = {
    {"to_sut", &path, false, "from the tester's endpoint to the SUT", "{\"loss\": \"1%\"}"},
    {"from_sut", &path, false, "from the SUT to the tester's endpoint", NULL},
    {"frames", &overrides, false, "and to single frames (step `on`)", NULL}};
OBJECT(impair, "impair",
       "Faults of the network, between the tester's endpoint and where packets are judged: "
       "steps that send are not touched, and what the SUT did is always seen.",
       impair_members, .expected = "{\"to_sut\": {\"loss\": \"1%\"}}");

static const struct tl_member stream_members[] = {
    {"side", &side, false, "who initiates; default sut", "\"tester\""},
    {"count", &number, true, "transactions", "100"},
    {"pulls", &value, false, "share of pulls; default 0", "\"50%\""},
    {"length", &value, false, "bytes: a value, a range or a set; default 64", "\"1..4096\""},
    {"think", &text, false, "time between posts, or a range of times; default 0",
     "\"1us..10us\""},
    {"outstanding", &number, false, "at most so many at a time; default 16", "8"},
    {"within", &duration, false, "all must have completed then; default 1s", "\"50ms\""}};
OBJECT(stream, "stream", "Transactions of one side, drawn from the seed.", stream_members,
       .expected = "{\"count\": 100}");
static const struct tl_type workload = {
    .shape = TL_SHAPE_LIST,
    .doc = "Generated traffic; it runs beside the steps, and ends before the case does.",
    .expected = "an array: [{\"side\": \"sut\", \"count\": 100}]",
    .of = OF(&stream),
    .min = 1,
    .max = 8};

/* ---- steps ---- */

#define COMMON                                                                            \
    {"covers", &ids, false, "what it decides; in a line, ids in the comment do the same", \
     "\"FTP-9.1.6-03\""},                                                                 \
        {"name", &text, false, "of the step, for times that count from it", "\"first\""}, \
    {                                                                                     \
        "note", &text, false, "for people", NULL                                          \
    }
#define AFTER                                                                              \
    {                                                                                      \
        "after", &duration, false,                                                         \
            "so long after the step before; with `within`: the lower end of a range", NULL \
    }
#define AT                                                                                 \
    {                                                                                      \
        "at", &duration, false,                                                            \
            "so long after the first step began; \"name + 20us\": after the step of that " \
            "name",                                                                        \
            "\"first + 20us\""                                                             \
    }
#define WITHIN                                                                    \
    {                                                                             \
        "within", &duration, false, "at most so long after the step before", NULL \
    }
#define SIDE                                                         \
    {                                                                \
        "side", &side, false, "whose upper layer; default sut", NULL \
    }
#define SINCE                                                                               \
    {                                                                                       \
        "since", &text, false, "counts from the step of that name; default: the beginning", \
            "\"first\""                                                                     \
    }
#define STEP(variable, verb, about, table)                       \
    OBJECT(variable, "step_" verb, about, table, .select = verb, \
           .expected = "{\"" verb "\": ...}")

static const struct tl_type damage = {.shape = TL_SHAPE_WORD,
                                      .words = WORDS("icv", "sealed", "iv", "cut"),
                                      .doc = "what is wrong with its seal"};
static const struct tl_member flip_members[] = {
    {"truncate", &number, false, "so many bytes are cut off its end", "4"},
    {"pad", &number, false, "so many zero bytes are added", "3"},
    {"flip", &number, false, "this bit of the packet is turned, from 0", "17"},
    {"damage", &damage, false,
     "one bit of the ICV, of what is sealed, of the IV is wrong, or the end is missing; where "
     "nothing is sealed the case is inconclusive",
     "\"icv\""}};
OBJECT(malform, "malform", "What is wrong with a packet.", flip_members,
       .expected = "{\"truncate\": 4}");
static const struct tl_type bad = {.shape = TL_SHAPE_WORD,
                                   .words = WORDS("seal", "spi", "pcid", "replay")};
static const struct tl_member seal_members[] = {
    {"spi", &number, false, "under this SPI; $spi is that which is right", "\"$spi + 1\""},
    {"vc", &number, false, "with this virtualization cookie (PCID)", "7"},
    {"older", &duration, false, "with an IV of so long ago", "\"10ms\""},
    {"bad", &bad, false, "why its receiver must drop it, for the judge", "\"spi\""}};
OBJECT(seal, "seal", "How a packet is sealed, where the connection is.", seal_members,
       .expected = "{\"older\": \"10ms\"}");
static const struct tl_member send_members[] = {
    {"send", &packet, true, "the packet; what is not given our endpoint drafts",
     "\"> push_data psn=0r len=64 ar\""},
    AFTER,
    AT,
    {"adopt", &flag, false, "false: our endpoint does not look after it", "false"},
    {"malform", &malform, false, "breaks it", "{\"truncate\": 4}"},
    {"seal", &seal, false, "seals it otherwise", "{\"older\": \"10ms\", \"bad\": \"replay\"}"},
    COMMON};
STEP(step_send, "send", "Sends a packet.", send_members);
static const struct tl_member expect_members[] = {
    {"expect", &expected, true,
     "takes the first packet from the SUT that fits, after the last one taken; or what has "
     "been counted",
     "\"< back dbase=1r\""},
    AFTER,
    AT,
    WITHIN,
    SINCE,
    COMMON};
STEP(step_expect, "expect", "A packet must come.", expect_members);
static const struct tl_member none_members[] = {
    {"expect_none", &unexpected, true, "no such packet, event or error", "\"packet dbase=1r\""},
    {"for", &duration, true, "for so long", "\"$coalescing * 3\""},
    SIDE,
    COMMON};
STEP(step_none, "expect_none", "Something must not come.", none_members);
static const struct tl_member ulp_members[] = {
    {"ulp", &act, true, "what it does", "{\"do\": \"post\", \"op\": \"push\", \"length\": 64}"},
    SIDE,
    COMMON};
STEP(step_ulp, "ulp", "An upper layer acts; that of the tester can post and respond.",
     ulp_members);
static const struct tl_member cm_members[] = {
    {"cm", &cm_act, true, "what it does", "{\"do\": \"close\"}"}, SIDE, COMMON};
STEP(step_cm, "cm", "A connection manager acts; that of the tester can close.", cm_members);
static const struct tl_member expect_ulp_members[] = {
    {"expect_ulp", &an_event, true, "takes the first that fits, after the last one taken",
     "{\"event\": \"completion\", \"rsn\": \"0r\", \"code\": 0}"},
    SIDE,
    AFTER,
    WITHIN,
    COMMON};
STEP(step_expect_ulp, "expect_ulp", "An upper layer must be told something.",
     expect_ulp_members);
static const struct tl_member expect_cm_members[] = {
    {"expect_cm", &a_cm_event, true, "takes the first that fits, after the last one taken",
     "{\"what\": \"fatal\"}"},
    SIDE,
    AFTER,
    WITHIN,
    COMMON};
STEP(step_expect_cm, "expect_cm", "A connection manager must be told something.",
     expect_cm_members);
static const struct tl_member wait_members[] = {
    {"wait", &duration, true, "lets time pass", "\"$rto * 2\""}, COMMON};
STEP(step_wait, "wait", "Time passes.", wait_members);
static const struct tl_member let_members[] = {
    {"let", &variables, true, "binds variables", "{\"next\": \"$psn + 1\"}"}, COMMON};
STEP(step_let, "let", "Variables.", let_members);
static const struct tl_member quiet_members[] = {
    {"until_quiet", &duration, true,
     "nothing is outstanding at the tester's endpoint, and nothing has come for so long",
     "\"$coalescing * 2\""},
    WITHIN,
    COMMON};
STEP(step_quiet, "until_quiet", "Waits until the connection is quiet.", quiet_members);
static const struct tl_member await_members[] = {
    {"await", &measured, true, "until a count or a state is so",
     "{\"count\": \"push_data\", \"is\": \"8..\"}"},
    SIDE,
    WITHIN,
    SINCE,
    COMMON};
STEP(step_await, "await", "Waits for a count or a state rather than a time.", await_members);
static const struct tl_member any_order_members[] = {
    {"any_order", &tl_type_steps, true, "expect, expect_ulp, expect_cm: all, in any order",
     NULL},
    COMMON};
STEP(step_any_order, "any_order", "All of these must come, in any order.", any_order_members);
static const struct tl_type branches = {.shape = TL_SHAPE_LIST,
                                        .expected =
                                            "an array of alternatives, each an array of steps",
                                        .of = OF(&tl_type_steps),
                                        .min = 1,
                                        .max = 16};
static const struct tl_member alt_members[] = {
    {"alt", &branches, true,
     "each begins with expect, expect_ulp, expect_cm, or a wait (when nothing else came by "
     "then); the first to be met goes on with its other steps",
     NULL},
    COMMON};
STEP(step_alt, "alt", "Alternatives.", alt_members);
static const struct tl_member on_members[] = {
    WHEN, {"covers", &ids, false, NULL, NULL}, {"note", &text, false, NULL, NULL}};
STEP(step_on, "on", "From here on, this happens to such packets.", on_members);
static const struct tl_member off_members[] = {
    {"off", &text, true, "the name of an `on`: it ends", "\"held\""}, COMMON};
STEP(step_off, "off", "Ends an `on`.", off_members);
static const struct tl_member release_members[] = {
    {"release", &text, true, "the name of an `on`: what it withholds goes on its way",
     "\"held\""},
    COMMON};
STEP(step_release, "release", "Lets go what is withheld.", release_members);
static const struct tl_member repeat_members[] = {
    {"repeat", &number, true, "so often", "128"},
    {"as", &text, false, "a variable that counts from 0", "\"i\""},
    {"steps", &tl_type_steps, true, NULL, NULL},
    COMMON};
STEP(step_repeat, "repeat", "Steps again and again.", repeat_members);
static const struct tl_member use_members[] = {
    {"use", &text, true, "a fragment of this file", "\"handshake\""},
    {"with", &variables, false, "its parameters", "{\"len\": 64}"},
    COMMON};
STEP(step_use, "use", "The steps of a fragment.", use_members);
static const struct tl_member if_members[] = {
    {"if", &one_or_more_conditions, true, "of the ICS, or a comparison", "\"rack-tlp\""},
    {"then", &tl_type_steps, true, NULL, NULL},
    {"else", &tl_type_steps, false, NULL, NULL},
    COMMON};
STEP(step_if, "if", "Steps for some implementations only.", if_members);
static const struct tl_member note_members[] = {
    {"note", &text, true, "on the timeline, too", "\"Now the other window.\""}};
STEP(step_note, "note", "A remark.", note_members);

static const struct tl_type step_line = {
    .shape = TL_SHAPE_TEXT,
    .doc = "A line of the notation: '>' is sent, '<' is expected.",
    .expected = "a line, or an object with one verb"};

const struct tl_type tl_type_step = {
    .shape = TL_SHAPE_ANY_OF,
    .name = "step",
    .doc = "A line of the notation, or an object with one verb.",
    .expected = "a line, or an object with one verb",
    .of = OF(&step_line, &step_send, &step_expect, &step_none, &step_ulp, &step_cm,
             &step_expect_ulp, &step_expect_cm, &step_wait, &step_any_order, &step_alt,
             &step_on, &step_off, &step_release, &step_await, &step_repeat, &step_use, &step_if,
             &step_let, &step_quiet, &step_note)};

const struct tl_type tl_type_steps = {.shape = TL_SHAPE_LIST,
                                      .name = "steps",
                                      .doc = "Steps, one after another.",
                                      .expected = "an array of steps, 1 to 100000",
                                      .of = OF(&tl_type_step),
                                      .min = 1,
                                      .max = 100000};

/* ---- the file ---- */

static const struct tl_type end_number = {
    .shape = TL_SHAPE_NUMBER, .expected = "a number, plain or in a string (\"0xfffffffe\")"};
static const struct tl_member end_members[] = {
    {"cid", &end_number, false, "its connection id, 24 bits", NULL},
    {"function", &end_number, false, "its function, 24 bits", NULL},
    {"req_psn", &end_number, false, "first PSN of its request window", "\"0xfffffffe\""},
    {"data_psn", &end_number, false, "first PSN of its data window", NULL},
    {"rsn", &end_number, false, "its first RSN", NULL}};
OBJECT(end, "end", "One end; what is not given is chosen from the seed, or by the SUT.",
       end_members, .expected = "{\"cid\": 17}");
static const struct tl_type encap = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("udp", "psp_transport", "psp_tunnel", "esp_transport", "esp_tunnel")};
static const struct tl_member pcid_members[] = {
    {"tester", &end_number, true, "of packets to the tester", "5"},
    {"sut", &end_number, true, "of packets to the SUT", "6"},
    {"match", &flag, false, "the SUT matches them", "true"}};
OBJECT(pcid, "pcid", "Connection ids of the PSP tunnel.", pcid_members,
       .expected = "{\"tester\": 5, \"sut\": 6}");
static const struct tl_member connection_members[] = {
    {"encap", &encap, false, "what carries its packets; default: as the run says",
     "\"psp_transport\""},
    {"pcid", &pcid, false, NULL, NULL},
    {"params", &params, false, "values may be made of the defaults: \"$rto * 2\"",
     "{\"rto\": \"20ms\"}"},
    {"tester", &end, false, "the tester's end", NULL},
    {"sut", &end, false, "the SUT's end", NULL}};
OBJECT(connection, "connection", "How the connection is set up.", connection_members,
       .expected = "{\"params\": {...}}");

static const struct tl_type param_values = {.shape = TL_SHAPE_LIST,
                                            .expected = "an array of values",
                                            .of = OF(&value),
                                            .min = 1,
                                            .max = 1000};
static const struct tl_type param_sets = {
    .shape = TL_SHAPE_MAP,
    .doc =
        "Each combination of these values is a case of its own: id@len=64,op=push. $len is a "
        "variable, ${len} its text anywhere.",
    .expected = "an object: {\"len\": [1, 64, 4096]}",
    .of = OF(&param_values)};
static const struct tl_member fragment_members[] = {
    {"params", &words, false, "names that `use` must give; $len and ${len}", "[\"len\"]"},
    {"steps", &tl_type_steps, true, NULL, NULL}};
OBJECT(fragment, "fragment", "Steps for `use`.", fragment_members,
       .expected = "{\"steps\": [...]}");
static const struct tl_type fragments = {.shape = TL_SHAPE_MAP,
                                         .doc = "Steps by name, for `use`.",
                                         .expected =
                                             "an object: {\"name\": {\"steps\": [...]}}",
                                         .of = OF(&fragment)};
static const struct tl_type schema_word = {.shape = TL_SHAPE_WORD,
                                           .words = WORDS(TL_SCENARIO_SCHEMA)};
static const struct tl_type class_word = {.shape = TL_SHAPE_WORD,
                                          .words = WORDS("valid", "invalid", "inopportune")};
static const struct tl_type scenario_id = {.shape = TL_SHAPE_TEXT,
                                           .expected = "a string that is not empty",
                                           .pattern = "^[a-z0-9][a-z0-9_.-]{0,79}$"};
static const struct tl_type version = {
    .shape = TL_SHAPE_INTEGER, .expected = "a number, 1 to 1000000", .min = 1, .max = 1000000};

static const struct tl_member file_members[] = {
    {"$schema", &text, false, "for editors", "\"../schema/scenario.json\""},
    {"schema", &schema_word, true, NULL, NULL},
    {"id", &scenario_id, true,
     "a name of its own, which outlives edits and seeds the case: lower-case letters, digits, "
     "`-`, `_`, `.`",
     "\"rnr-target\""},
    {"title", &text, true, "one line", NULL},
    {"purpose", &text, true, "what the SUT must do, in a sentence", NULL},
    {"class", &class_word, true,
     "`valid`; `invalid`: broken packets; `inopportune`: lawful packets at the wrong moment",
     NULL},
    {"covers", &some_ids, true,
     "requirements that it decides (`talon list requirements`); those of its steps must be "
     "among them",
     "[\"FTP-9.1.6-03\"]"},
    {"version", &version, true, "raised whenever the verdict may change", "1"},
    {"needs", &conditions, false, "items of the ICS without which it says nothing",
     "[\"rack-tlp\"]"},
    {"exercises", &words, false, "rules that must have been decided (`talon list rules`)",
     "[\"R7\"]"},
    {"tags", &words, false, "words to pick it by", "[\"rnr\"]"},
    {"params", &param_sets, false, NULL, "{\"len\": [1, 64, 4096]}"},
    {"connection", &connection, false, NULL, NULL},
    {"policy", &policy, false, "rules of the SUT's upper layer from the beginning",
     "[{\"answer\": \"withhold\"}]"},
    {"auto", &automatic, false, NULL, "{\"acks\": false}"},
    {"impair", &impair, false, NULL, "{\"to_sut\": {\"loss\": \"1%\"}}"},
    {"workload", &workload, false, NULL, "[{\"count\": 100, \"length\": \"1..4096\"}]"},
    {"vars", &variables, false, "variables, in any order: they may be made of each other",
     "{\"len\": 64}"},
    {"fragments", &fragments, false, NULL, NULL},
    {"preamble", &tl_type_steps, false,
     "steps that bring it about; when they fail, that is no verdict on the purpose", NULL},
    {"steps", &tl_type_steps, true, "the body: the test itself", NULL},
    {"postamble", &tl_type_steps, false, "steps that are played in any case, at the end",
     NULL}};

const struct tl_type tl_type_file = {
    .shape = TL_SHAPE_OBJECT, .doc = "A scenario.", .expected = "{...}", MEMBERS(file_members)};
