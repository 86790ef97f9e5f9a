/* SPDX-License-Identifier: Apache-2.0
 * types.c - the table of the members of scenario files. A new member is a row here and a line
 * in its reader; schema, validator and reference follow. */
#include "harness/scenario/types_impl.h"

#include "harness/scenario/scenario.h"

/* ---- plain types ---- */

const struct tl_type tl_type_text = {.shape = TL_SHAPE_TEXT,
                                     .expected = "a string that is not empty"};
const struct tl_type tl_type_flag = {.shape = TL_SHAPE_FLAG, .expected = "true or false"};
const struct tl_type tl_type_number = {
    .shape = TL_SHAPE_NUMBER,
    .name = "number",
    .doc = "a number, or an expression in a string: 64, \"0x21\", \"3r\", \"$name + 1\"",
    .expected = "a number that is not negative, or an expression in a string"};
const struct tl_type tl_type_value = {
    .shape = TL_SHAPE_VALUE,
    .name = "value",
    .doc = "a value, or a pattern of values in a string: 64, \"0r\", \"$name\", \"@name\", "
           "\"2..4\", \"{1,3}\", \"!0\", \"any\"",
    .expected = "a number, true, false, or a value in a string"};
const struct tl_type tl_type_duration = {
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
const struct tl_type tl_type_ids = {.shape = TL_SHAPE_ANY_OF,
                                    .expected = "a requirement id, or an array of them",
                                    .of = OF(&id_of_requirement, &some_ids)};
static const struct tl_type words = {
    .shape = TL_SHAPE_LIST, .expected = "an array of words", .of = OF(&tl_type_text)};
const struct tl_type tl_type_side = {
    .shape = TL_SHAPE_WORD, .words = WORDS("sut", "tester"), .doc = "whose upper layer"};
static const struct tl_type condition = {
    .shape = TL_SHAPE_TEXT,
    .name = "condition",
    .doc = "an item of the ICS (\"rack-tlp\", \"!rack-tlp\"), or a comparison (\"$len > 64\")",
    .expected = "an item of the ICS, \"!item\", or a comparison"};
static const struct tl_type conditions = {
    .shape = TL_SHAPE_LIST, .expected = "an array of conditions", .of = OF(&condition)};
const struct tl_type tl_type_one_or_more_conditions = {.shape = TL_SHAPE_ANY_OF,
                                                       .expected =
                                                           "a condition, or an array of them",
                                                       .of = OF(&condition, &conditions)};
const struct tl_type tl_type_variables = {.shape = TL_SHAPE_MAP,
                                          .name = "assignments",
                                          .doc = "variables by name: {\"next\": \"$psn + 1\"}",
                                          .expected = "an object: {\"name\": value, ...}",
                                          .of = OF(&tl_type_value)};
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
const struct tl_type tl_type_packet = {
    .shape = TL_SHAPE_ANY_OF,
    .name = "packet",
    .doc = "A packet: a line of the notation (talon help notation), or the same as an object.",
    .expected = "a packet: a line of the notation, or an object",
    .of = OF(&line, &fields)};
static const struct tl_type some_packets = {.shape = TL_SHAPE_LIST,
                                            .expected = "an array of packets, at least one",
                                            .of = OF(&tl_type_packet),
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
    {"request", &tl_type_number, false, "the n-th request, from 1", "2"},
    {"every", &tl_type_number, false, "each k-th request", "4"},
    {"op", &op, false, "of this operation only", "\"push\""},
    {"answer", &answer, true, "the answer of the upper layer", "\"rnr\""},
    {"after", &tl_type_duration, false, "this time after the request", "\"10us\""},
    {"times", &tl_type_number, false, "apply the rule this often, then the default", "2"},
    {"rnr", &tl_type_duration, false, "timeout of an RNR answer", "\"40us\""},
    {"code", &tl_type_number, false, "ULP NACK code of cie, nre, cid", "7"},
    {"length", &tl_type_number, false, "bytes of data", "64"}};
OBJECT(rule, "rule", "A rule of the SUT's upper layer; the first that matches decides.",
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
                            do_clock = {DO("clock")}, do_rotate = {DO("rotate_keys")},
                            do_open = {DO("open")};

static const struct tl_member post_members[] = {
    {"do", &do_post, true, NULL, NULL},
    {"op", &op, true, "a push or a pull", "\"push\""},
    {"length", &tl_type_number, true, "bytes of a push; bytes that a pull asks for", "64"},
    {"tag", &tl_type_number, false, "identifies the payload; default: the step's number", NULL},
    {"seed", &tl_type_number, false, "of the payload; default: the case's", NULL}};
OBJECT(post, "post", "The upper layer starts a transaction.", post_members, .select = "do",
       .select_word = "post");
static const struct tl_member respond_members[] = {
    {"do", &do_respond, true, NULL, NULL},
    {"rsn", &tl_type_number, true, "of the request; 0r is the first of its initiator",
     "\"0r\""},
    {"answer", &answer, true, "the answer", "\"ack\""},
    {"rnr", &tl_type_duration, false, "timeout of an RNR answer", NULL},
    {"code", &tl_type_number, false, "ULP NACK code", NULL},
    {"length", &tl_type_number, false, "bytes of data", NULL},
    {"tag", &tl_type_number, false, "of the data", NULL},
    {"seed", &tl_type_number, false, "of the data", NULL}};
OBJECT(respond, "respond", "The upper layer answers a request that was delivered and withheld.",
       respond_members, .select = "do", .select_word = "respond");
static const struct tl_member policy_members[] = {
    {"do", &do_policy, true, NULL, NULL},
    {"rules", &policy, true, "as `policy` of the file", NULL}};
OBJECT(new_policy, "new_policy", "Replaces the rules of the SUT's upper layer.", policy_members,
       .select = "do", .select_word = "policy");
static const struct tl_member set_members[] = {
    {"do", &do_set, true, NULL, NULL},
    {"params", &params, true, "parameters by name", NULL},
    {"randomize_path", &tl_type_flag, false,
     "true: draw a new path, as for a result with randomize_path (10.6.2.2)", "true"}};
OBJECT(set_act, "set", "Changes parameters of the SUT's end.", set_members, .select = "do",
       .select_word = "set");
static const struct tl_member barrier_members[] = {{"do", &do_barrier, true, NULL, NULL}};
OBJECT(barrier, "barrier", "Waits until every event that was caused before has been read.",
       barrier_members, .select = "do", .select_word = "barrier");
const struct tl_type tl_type_act = {.shape = TL_SHAPE_ANY_OF,
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
    .words = WORDS("all", "generation", "spi", "peer", "drop", "end", "zero"),
    .doc =
        "a step of 9.2.2.3 at this end: starts a new generation; gets a new SPI (and sends it to the peer); sends under the SPI that the other end gave; drops the old SPI; ends the generation; has SPI 0, besides its previous one. all: the first two here, `peer` at the other end"};
static const struct tl_member rotate_members[] = {{"do", &do_rotate, true, NULL, NULL},
                                                  {"step", &rotation, false, NULL, "\"spi\""}};
OBJECT(rotate, "rotate_keys", "Rotates the keys of the connection.", rotate_members,
       .select = "do", .select_word = "rotate_keys");
static const struct tl_member open_members[] = {
    {"do", &do_open, true, NULL, NULL},
    {"params", &params, false, "parameters that differ from those of this connection",
     "{\"mtu\": 1500}"}};
OBJECT(open_act, "open",
       "Asks the SUT for one more connection like this one, and closes it when it is open.",
       open_members, .select = "do", .select_word = "open");
const struct tl_type tl_type_cm_act = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "{\"do\": \"set\", ...}",
    .of = OF(&set_act, &close_act, &counters, &state_act, &clock_act, &rotate, &open_act)};

static const struct tl_type event_kind = {.shape = TL_SHAPE_WORD,
                                          .words = WORDS("request", "ulp_ack", "completion")};
static const struct tl_member event_members[] = {
    {"event", &event_kind, true, "what the upper layer is told", "\"completion\""},
    {"rsn", &tl_type_value, false, "0r is the first of its initiator", "\"0r\""},
    {"op", &op_value, false, "push or pull", "\"push\""},
    {"length", &tl_type_value, false, "bytes", "\"1..64\""},
    {"tag", &tl_type_value, false, "of a completion: that of the post", NULL},
    {"redelivery", &tl_type_value, false, "delivered before, and answered RNR", "true"},
    {"answer", &tl_type_value, false, "of a ulp_ack", "\"ack\""},
    {"code", &tl_type_value, false, "completion code (chapter 11), or ULP code of a ulp_ack",
     "0"},
    {"ulp_nack_code", &tl_type_value, false, "of a completion in error", NULL}};
OBJECT(event, "event", "An event of an upper layer; what is not given is not looked at.",
       event_members, .select = "event");
static const struct tl_member cm_event_members[] = {
    {"what", &tl_type_text, true, "\"fatal\", \"spi\", \"integrity\", \"replay\", \"any\"",
     "\"fatal\""}};
OBJECT(cm_event, "cm_event", "An event that an end sends to its connection manager.",
       cm_event_members, .select = "what");
const struct tl_type tl_type_an_event = {
    .shape = TL_SHAPE_ANY_OF, .expected = "{\"event\": \"completion\", ...}", .of = OF(&event)};
const struct tl_type tl_type_a_cm_event = {
    .shape = TL_SHAPE_ANY_OF, .expected = "{\"what\": \"fatal\"}", .of = OF(&cm_event)};

/* ---- counts, shares, states ---- */

static const struct tl_type state_name = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("tx_rbpsn", "tx_rnpsn", "tx_dbpsn", "tx_dnpsn", "rx_rbpsn", "rx_dbpsn",
                   "own", "open_initiated", "open_received", "quiet", "path")};
static const struct tl_member count_members[] = {
    {"count", &tl_type_packet, true, "packets to count; with '>' in front: those to the SUT",
     "\"push_data ar\""},
    {"is", &tl_type_value, true, "how many", "\"3..5\""}};
OBJECT(count, "count", "The number of matching packets so far.", count_members,
       .select = "count");
static const struct tl_member share_members[] = {
    {"share", &tl_type_packet, true, "packets to count", "\"push_data ar\""},
    {"of", &tl_type_packet, true, "packets of which it is a share", "\"push_data\""},
    {"is", &tl_type_value, true, "the expected share", "\"5%..20%\""}};
OBJECT(share, "share", "The share of matching packets.", share_members, .select = "share");
static const struct tl_member events_members[] = {
    {"events", &tl_type_an_event, true, "events to count", "{\"event\": \"completion\"}"},
    {"side", &tl_type_side, false, "of that upper layer", NULL},
    {"is", &tl_type_value, true, "how many", "3"}};
OBJECT(events, "events", "The number of matching events so far.", events_members,
       .select = "events");
static const struct tl_member states_members[] = {
    {"state", &state_name, true,
     "of the tester's own endpoint (9.1.1, 9.2.1, 8.4.1); path: UDP source port or flow label "
     "of the SUT's newest packet with a PSN; a case that reads it is skipped if the link does not show it",
     "\"tx_dbpsn\""},
    {"is", &tl_type_value, true, "the expected value", "\"3r\""}};
OBJECT(states, "state_is", "The state of the tester's own endpoint.", states_members,
       .select = "state");
static const struct tl_type workload_word = {.shape = TL_SHAPE_WORD,
                                             .words = WORDS("workload")};
const struct tl_type tl_type_measured = {
    .shape = TL_SHAPE_ANY_OF,
    .expected =
        "{\"count\": packet, \"is\": value}, {\"share\": ...}, {\"events\": ...}, {\"state\": ...} or \"workload\"",
    .of = OF(&workload_word, &count, &share, &events, &states)};
const struct tl_type tl_type_expected = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "a packet: a line of the notation, or an object",
    .of = OF(&line, &any_packet, &count, &share, &events, &states, &fields)};
const struct tl_type tl_type_unexpected = {
    .shape = TL_SHAPE_ANY_OF,
    .expected = "a packet, or {\"event\": ...}",
    .of = OF(&line, &any_packet, &event, &cm_event, &fields)};

/* ---- what happens to packets ---- */

const struct tl_type tl_type_fate = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("drop", "delay", "duplicate", "reorder", "rewrite", "withhold", "corrupt",
                   "mark", "pass"),
    .doc =
        "corrupt: its receiver finds it damaged (off a bridge: it is lost); mark: with ECN's CE; pass: nothing, but `steps`"};
const struct tl_type tl_type_trigger = {.shape = TL_SHAPE_ANY_OF,
                                        .expected = "a packet with its direction, or an event",
                                        .of = OF(&line, &event)};
static const struct tl_member override_members[] = {WHEN};
OBJECT(override, "override", "What happens to packets of the tester's own endpoint.",
       override_members, .expected = "{\"on\": \"< push_data\", \"do\": \"drop\"}");
static const struct tl_type overrides = {
    .shape = TL_SHAPE_LIST,
    .expected = "an array: [{\"on\": \"< push_data\", \"do\": \"drop\"}]",
    .of = OF(&override)};

static const struct tl_member steer_members[] = {
    {"hold", &tl_type_duration, false,
     "so long after a packet arrived its ACK leaves; the round trip is this time and that of the path",
     "\"200us\""},
    {"delay", &tl_type_duration, false,
     "the fabric delay that the SUT computes (10.1), at most the round trip",
     "\"$rtt + 40us\""},
    {"hops", &tl_type_number, false, "the hop count, 0 to 15", "3"},
    {"level", &tl_type_number, false, "the occupancy of receive buffers, 0 to 31", "20"},
    {"marks", &tl_type_number, false, "counted CE marks for each packet that arrives", "1"}};
OBJECT(steer, "acks",
       "Values in ACKs and NACKs of the tester's endpoint; each packet has its own ACK.",
       steer_members, .expected = "an object: {\"hold\": \"200us\", \"delay\": \"40us\"}");
const struct tl_type tl_type_acks = {.shape = TL_SHAPE_ANY_OF,
                                     .name = "acks_or_not",
                                     .doc = "Whether there are ACKs, or what they tell.",
                                     .expected = "true, false or {\"hold\": \"200us\"}",
                                     .of = OF(&tl_type_flag, &steer)};
static const struct tl_member auto_members[] = {
    {"acks", &tl_type_acks, false, "BACK, EACK and NACK", NULL},
    {"retransmission", &tl_type_flag, false, "copies and resyncs", NULL},
    {"ulp", &tl_type_flag, false, "answers of the tester's upper layer", NULL},
    {"override", &overrides, false,
     "packets that are dropped, delayed, rewritten ... (step `on`)", NULL}};
OBJECT(automatic, "auto", "Which parts the tester's endpoint plays by itself; default: all.",
       auto_members, .expected = "{\"acks\": false}");

static const struct tl_member path_members[] = {
    {"loss", &tl_type_value, false, "share of frames that are lost", "\"1%\""},
    {"duplicate", &tl_type_value, false, "share of frames that are duplicated", "\"0.5%\""},
    {"reorder", &tl_type_value, false, "share of frames that are overtaken by others",
     "\"2%\""},
    {"reorder_by", &tl_type_duration, false, "delay of a reordered frame; default 20us",
     "\"50us\""},
    {"latency", &tl_type_duration, false, "delay of every frame", "\"5us\""},
    {"jitter", &tl_type_duration, false, "maximum additional delay, uniformly distributed",
     "\"1us\""}};
OBJECT(path, "path", "What chance does to frames of one direction.", path_members,
       .expected = "{\"loss\": \"1%\"}");
static const struct tl_member impair_members[] = {
    {"to_sut", &path, false, "from the tester's endpoint to the SUT", "{\"loss\": \"1%\"}"},
    {"from_sut", &path, false, "from the SUT to the tester's endpoint", NULL},
    {"frames", &overrides, false, "and to single frames (step `on`)", NULL}};
OBJECT(
    impair, "impair",
    "Faults of the network between the tester's endpoint and the point where packets are judged: steps that send are not affected, and the judge sees everything that the SUT did.",
    impair_members, .expected = "{\"to_sut\": {\"loss\": \"1%\"}}");

static const struct tl_member stream_members[] = {
    {"side", &tl_type_side, false, "who initiates; default sut", "\"tester\""},
    {"count", &tl_type_number, true, "number of transactions", "100"},
    {"pulls", &tl_type_value, false, "share of pulls; default 0", "\"50%\""},
    {"length", &tl_type_value, false, "bytes: a value, a range or a set; default 64",
     "\"1..4096\""},
    {"think", &tl_type_text, false, "time between posts, or a range of times; default 0",
     "\"1us..10us\""},
    {"outstanding", &tl_type_number, false, "maximum number at a time; default 16", "8"},
    {"within", &tl_type_duration, false,
     "time within which all must have completed; default 1s", "\"50ms\""},
    {"complete", &tl_type_flag, false,
     "false: they need not complete, and the case waits no longer than `within`", NULL}};
OBJECT(stream, "stream", "Transactions of one side, random from the seed.", stream_members,
       .expected = "{\"count\": 100}");
static const struct tl_type workload = {
    .shape = TL_SHAPE_LIST,
    .doc =
        "Generated traffic; it runs in parallel with the steps, and ends before the case does.",
    .expected = "an array: [{\"side\": \"sut\", \"count\": 100}]",
    .of = OF(&stream),
    .min = 1,
    .max = 8};

/* ---- the file ---- */

static const struct tl_type end_number = {
    .shape = TL_SHAPE_NUMBER, .expected = "a number, plain or in a string (\"0xfffffffe\")"};
static const struct tl_member end_members[] = {
    {"cid", &end_number, false, "its connection id, 24 bits", NULL},
    {"function", &end_number, false, "its function, 24 bits", NULL},
    {"req_psn", &end_number, false, "first PSN of its request window", "\"0xfffffffe\""},
    {"data_psn", &end_number, false, "first PSN of its data window", NULL},
    {"rsn", &end_number, false, "its first RSN", NULL}};
OBJECT(end, "end",
       "One end; members that are not given are chosen from the seed, or by the SUT.",
       end_members, .expected = "{\"cid\": 17}");
static const struct tl_type encap = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("udp", "psp_transport", "psp_tunnel", "esp_transport", "esp_tunnel")};
static const struct tl_type upper = {.shape = TL_SHAPE_WORD,
                                     .words = WORDS("raw", "verbs", "nvme")};
static const struct tl_member pcid_members[] = {
    {"tester", &end_number, true, "of packets to the tester", "5"},
    {"sut", &end_number, true, "of packets to the SUT", "6"},
    {"match", &tl_type_flag, false, "the SUT matches them", "true"}};
OBJECT(pcid, "pcid", "Connection ids of the PSP tunnel.", pcid_members,
       .expected = "{\"tester\": 5, \"sut\": 6}");
static const struct tl_member connection_members[] = {
    {"encap", &encap, false, "encapsulation of its packets; default: that of the run",
     "\"psp_transport\""},
    {"upper", &upper, false,
     "the upper layer of the SUT: verbs is RDMA, which the step `verbs` commands; nvme is "
     "NVMe, which the step `nvme` commands; default raw",
     "\"verbs\""},
    {"pcid", &pcid, false, NULL, NULL},
    {"params", &params, false, "values may refer to the defaults: \"$rto * 2\"",
     "{\"rto\": \"20ms\"}"},
    {"needs", &words, false,
     "which of `params` must have exactly this value (see below: Wishes and needs)",
     "[\"rto\"]"},
    {"tester", &end, false, "the tester's end", NULL},
    {"sut", &end, false, "the SUT's end", NULL}};
OBJECT(connection, "connection", "How the connection is set up.", connection_members,
       .expected = "{\"params\": {...}}");

static const struct tl_type param_values = {.shape = TL_SHAPE_LIST,
                                            .expected = "an array of values",
                                            .of = OF(&tl_type_value),
                                            .min = 1,
                                            .max = 1000};
static const struct tl_type param_sets = {
    .shape = TL_SHAPE_MAP,
    .doc =
        "Each combination of these values is a separate case: id@len=64,op=push. $len is the value, ${len} its text anywhere.",
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

static const struct tl_type copies = {
    .shape = TL_SHAPE_INTEGER, .expected = "a number, 2 to 64", .min = 2, .max = 64};

static const struct tl_member named_members[] = {
    {"encap", &encap, false, "encapsulation of its packets", "\"psp_transport\""},
    {"upper", &upper, false,
     "the upper layer of the SUT: verbs is RDMA, which the step `verbs` commands; nvme is "
     "NVMe, which the step `nvme` commands; default raw",
     "\"verbs\""},
    {"pcid", &pcid, false, NULL, NULL},
    {"params", &params, false, "in addition to those of `connection`, or instead",
     "{\"rto\": \"20ms\"}"},
    {"needs", &words, false, "which of its own `params` must have exactly this value",
     "[\"rto\"]"},
    {"tester", &end, false, "the tester's end", NULL},
    {"sut", &end, false, "the SUT's end", NULL},
    {"policy", &policy, false, "instead of that of the file", "[{\"answer\": \"withhold\"}]"},
    {"auto", &automatic, false, "instead of that of the file", "{\"acks\": false}"},
    {"impair", &impair, false, "instead of that of the file",
     "{\"to_sut\": {\"loss\": \"1%\"}}"},
    {"workload", &workload, false, "instead of that of the file", "[{\"count\": 100}]"}};
OBJECT(named_connection, "named_connection",
       "One of several connections; what it does not say is as the file has it.", named_members,
       .expected = "{\"params\": {...}}");
static const struct tl_type connections = {
    .shape = TL_SHAPE_MAP,
    .doc =
        "Several connections that play the steps together; each step is played by the one that it names (`conn`, or `name:` before a line), by default the first.",
    .expected = "an object: {\"a\": {}, \"b\": {\"params\": {...}}}",
    .of = OF(&named_connection)};
static const struct tl_type rounds = {
    .shape = TL_SHAPE_INTEGER, .expected = "a number, 2 to 1000", .min = 2, .max = 1000};

static const struct tl_member file_members[] = {
    {"$schema", &tl_type_text, false, "for editors", "\"../schema/scenario.json\""},
    {"schema", &schema_word, true, NULL, NULL},
    {"id", &scenario_id, true,
     "a unique name that stays the same when the file is edited; the seed of the case depends on it: lower-case letters, digits, `-`, `_`, `.`",
     "\"rnr-target\""},
    {"title", &tl_type_text, true, "one line", NULL},
    {"purpose", &tl_type_text, true, "what the SUT must do, in a sentence", NULL},
    {"class", &class_word, true,
     "`valid`; `invalid`: malformed packets; `inopportune`: well-formed packets at the wrong time",
     NULL},
    {"covers", &some_ids, true,
     "requirements that the scenario decides (`talon list requirements`), including those of its steps",
     "[\"FTP-9.1.6-03\"]"},
    {"version", &version, true, "increased whenever the verdict may change", "1"},
    {"needs", &conditions, false, "items of the ICS that the scenario needs", "[\"rack-tlp\"]"},
    {"exercises", &words, false, "rules that must have decided something (`talon list rules`)",
     "[\"R7\"]"},
    {"tags", &words, false,
     "words by which to select it; with `resources` it decides about refusals for lack of them",
     "[\"rnr\"]"},
    {"params", &param_sets, false, NULL, "{\"len\": [1, 64, 4096]}"},
    {"connection", &connection, false, NULL, NULL},
    {"connections", &connections, false, NULL, "{\"a\": {}, \"b\": {}}"},
    {"copies", &copies, false,
     "number of connections that play the scenario at once, each judged separately: $copy is the number of the connection, from 0, $copies their number, $other_cid the CID that the SUT gave to the next one",
     "2"},
    {"rounds", &rounds, false,
     "in virtual time each case is played so often, each time with another seed, until it does not pass; for what happens once in a case, so that a bug that shows itself seldom is found",
     "20"},
    {"policy", &policy, false, "rules of the SUT's upper layer from the beginning",
     "[{\"answer\": \"withhold\"}]"},
    {"auto", &automatic, false, NULL, "{\"acks\": false}"},
    {"impair", &impair, false, NULL, "{\"to_sut\": {\"loss\": \"1%\"}}"},
    {"workload", &workload, false, NULL, "[{\"count\": 100, \"length\": \"1..4096\"}]"},
    {"vars", &tl_type_variables, false,
     "variables, in any order; a value may refer to other variables", "{\"len\": 64}"},
    {"fragments", &fragments, false, NULL, NULL},
    {"preamble", &tl_type_steps, false,
     "set-up steps; if they fail, the case is inconclusive, not failed", NULL},
    {"steps", &tl_type_steps, true, "the test itself", NULL},
    {"postamble", &tl_type_steps, false, "clean-up steps, always played at the end", NULL}};

const struct tl_type tl_type_file = {
    .shape = TL_SHAPE_OBJECT, .doc = "A scenario.", .expected = "{...}", MEMBERS(file_members)};
