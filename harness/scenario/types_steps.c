/* SPDX-License-Identifier: Apache-2.0
 * types_steps.c - the steps: each verb with the members that it may have. */
#include "harness/scenario/types_impl.h"
#include "harness/wire/carrier.h"

#define AT                                                                                 \
    {                                                                                      \
        "at", &tl_type_duration, false,                                                    \
            "so long after the first step began; \"name + 20us\": after the step of that " \
            "name",                                                                        \
            "\"first + 20us\""                                                             \
    }
#define SINCE                                                                          \
    {                                                                                  \
        "since", &tl_type_text, false,                                                 \
            "counts from the step with that name; default: the beginning", "\"first\"" \
    }
#define STEP(variable, verb, about, table)                       \
    OBJECT(variable, "step_" verb, about, table, .select = verb, \
           .expected = "{\"" verb "\": ...}")

static const struct tl_type damage = {
    .shape = TL_SHAPE_WORD,
    .words = WORDS("icv", "sealed", "iv", "cut", "header", "clear"),
    .doc = "what is wrong with its seal"};
static const struct tl_type carrier = {.shape = TL_SHAPE_WORD,
                                       .words = tl_flaw_names + 1,
                                       .doc = "what is wrong with its IP or UDP header"};
static const struct tl_member flip_members[] = {
    {"truncate", &tl_type_number, false, "number of bytes cut off its end", "4"},
    {"pad", &tl_type_number, false, "number of zero bytes added", "3"},
    {"flip", &tl_type_number, false, "number of the bit that is flipped, from 0", "17"},
    {"damage", &damage, false,
     "one bit of the ICV, of the sealed part, of the IV, of the header in front of it or of the first byte behind it is wrong, or the end is missing; if the connection is not sealed, the case is inconclusive",
     "\"icv\""},
    {"carrier", &carrier, false,
     "wrong checksums; lengths that are a byte too long or too short; the first fragment only; or valid variants: IPv4 options or an IPv6 extension header, TTL 0, no UDP checksum; if the kernel writes these headers (`udp:`), the case is skipped",
     "\"udp_checksum\""}};
OBJECT(malform, "malform", "What is wrong with a packet.", flip_members,
       .expected = "{\"truncate\": 4}");
static const struct tl_type bad = {.shape = TL_SHAPE_WORD,
                                   .words = WORDS("seal", "spi", "pcid", "replay")};
static const struct tl_member seal_members[] = {
    {"spi", &tl_type_number, false, "under this SPI; $spi is the correct one", "\"$spi + 1\""},
    {"vc", &tl_type_number, false, "with this virtualization cookie (PCID)", "7"},
    {"older", &tl_type_duration, false, "with an IV that is this much older", "\"10ms\""},
    {"behind", &tl_type_duration, false,
     "with an IV that is this much below the newest that was sent", "\"$replay_margin\""},
    {"ahead", &tl_type_duration, false,
     "with an IV that is this much above the newest that was sent", "\"1s\""},
    {"clear", &tl_type_flag, false, "not sealed at all", "true"},
    {"bad", &bad, false, "tells the judge why the receiver must drop it", "\"spi\""}};
static const struct tl_member ip_members[] = {
    {"ttl", &tl_type_number, false, "TTL or hop limit, 1 to 255; usually $initial_ttl", "60"},
    {"ecn", &tl_type_number, false, "ECN bits; 3 is CE, congestion experienced", "3"}};
OBJECT(ip, "ip", "Values in the IP header of a packet.", ip_members,
       .expected = "{\"ttl\": 60}");
OBJECT(seal, "seal", "How a packet is sealed, if the connection is sealed.", seal_members,
       .expected = "{\"older\": \"10ms\"}");
static const struct tl_member send_members[] = {
    {"send", &tl_type_packet, true,
     "the packet; the tester's endpoint fills in fields that are not given",
     "\"> push_data psn=0r len=64 ar\""},
    AFTER,
    AT,
    {"adopt", &tl_type_flag, false,
     "false: the tester's endpoint does not treat the packet as its own", "false"},
    {"payload", &tl_type_text, false,
     "bytes after the header, in hex; they determine the length of a push_data without len=",
     "\"10000004 00000011 00000001\""},
    {"malform", &malform, false, "makes the packet malformed", "{\"truncate\": 4}"},
    {"seal", &seal, false, "seals the packet differently",
     "{\"older\": \"10ms\", \"bad\": \"replay\"}"},
    {"ip", &ip, false, "with another IP header", "{\"ecn\": 3}"},
    COMMON};
STEP(step_send, "send", "Sends a packet.", send_members);
static const struct tl_member expect_members[] = {
    {"expect", &tl_type_expected, true,
     "the first matching packet from the SUT after the one that met the last expectation; or a count",
     "\"< back dbase=1r\""},
    AFTER,
    AT,
    WITHIN,
    SINCE,
    COMMON};
STEP(step_expect, "expect", "A packet must come.", expect_members);
static const struct tl_member none_members[] = {
    {"expect_none", &tl_type_unexpected, true, "no such packet, event or error",
     "\"packet dbase=1r\""},
    {"for", &tl_type_duration, true, "for this time", "\"$coalescing * 3\""},
    SIDE,
    COMMON};
STEP(step_none, "expect_none", "Something must not come.", none_members);
static const struct tl_member ulp_members[] = {
    {"ulp", &tl_type_act, true, "what it does",
     "{\"do\": \"post\", \"op\": \"push\", \"length\": 64}"},
    SIDE,
    COMMON};
STEP(step_ulp, "ulp", "An upper layer acts; that of the tester can post and respond.",
     ulp_members);
static const struct tl_member cm_members[] = {
    {"cm", &tl_type_cm_act, true, "what it does", "{\"do\": \"close\"}"},
    SIDE,
    {"refused", &tl_type_flag, false, "of `open`; true: the SUT must refuse the connection",
     "true"},
    COMMON};
STEP(step_cm, "cm", "A connection manager acts; that of the tester can close.", cm_members);
static const struct tl_member expect_ulp_members[] = {
    {"expect_ulp", &tl_type_an_event, true,
     "the first matching event after the one that met the last expectation",
     "{\"event\": \"completion\", \"rsn\": \"0r\", \"code\": 0}"},
    SIDE,
    AFTER,
    WITHIN,
    COMMON};
STEP(step_expect_ulp, "expect_ulp", "An upper layer must receive an event.",
     expect_ulp_members);
static const struct tl_member expect_cm_members[] = {
    {"expect_cm", &tl_type_a_cm_event, true,
     "the first matching event after the one that met the last expectation",
     "{\"what\": \"fatal\"}"},
    SIDE,
    AFTER,
    WITHIN,
    COMMON};
STEP(step_expect_cm, "expect_cm", "A connection manager must receive an event.",
     expect_cm_members);
static const struct tl_member wait_members[] = {
    {"wait", &tl_type_duration, true, "lets time pass", "\"$rto * 2\""}, COMMON};
STEP(step_wait, "wait", "Time passes.", wait_members);
static const struct tl_member let_members[] = {
    {"let", &tl_type_variables, true, "binds variables", "{\"next\": \"$psn + 1\"}"}, COMMON};
STEP(step_let, "let", "Variables.", let_members);
static const struct tl_member quiet_members[] = {
    {"until_quiet", &tl_type_duration, true,
     "nothing is outstanding at the tester's endpoint, and nothing has arrived for this time and a "
     "round trip of the path",
     "\"$coalescing * 2\""},
    WITHIN,
    COMMON};
STEP(step_quiet, "until_quiet", "Waits until the connection is quiet.", quiet_members);
static const struct tl_member await_members[] = {
    {"await", &tl_type_measured, true, "the count or the state to wait for",
     "{\"count\": \"push_data\", \"is\": \"8..\"}"},
    SIDE,
    WITHIN,
    SINCE,
    COMMON};
STEP(step_await, "await", "Waits for a count or a state rather than a time.", await_members);
static const struct tl_member acks_members[] = {
    {"acks", &tl_type_acks, true, "what they tell from here on; true: what is measured",
     "{\"hold\": \"200us\", \"delay\": \"40us\"}"},
    COMMON};
STEP(step_acks, "acks", "Chooses what the ACKs of the tester's endpoint tell.", acks_members);
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
     "each begins with expect, expect_ulp, expect_cm, or a wait (if nothing else came by then); the first that is met continues with its other steps",
     NULL},
    COMMON};
STEP(step_alt, "alt", "Alternatives.", alt_members);
static const struct tl_member on_members[] = {
    WHEN,
    {"covers", &tl_type_ids, false, NULL, NULL},
    {"conn", &tl_type_text, false, "whose packets, as of other steps", "\"b\""},
    {"note", &tl_type_text, false, NULL, NULL}};
STEP(step_on, "on", "Acts on matching packets from here on.", on_members);
static const struct tl_member off_members[] = {
    {"off", &tl_type_text, true, "the name of the `on` that ends", "\"held\""}, COMMON};
STEP(step_off, "off", "Ends an `on`.", off_members);
static const struct tl_member release_members[] = {
    {"release", &tl_type_text, true, "the name of the `on` whose withheld packets are sent",
     "\"held\""},
    COMMON};
STEP(step_release, "release", "Sends the withheld packets.", release_members);
static const struct tl_member repeat_members[] = {
    {"repeat", &tl_type_number, true, "number of repetitions", "128"},
    {"as", &tl_type_text, false, "a variable that counts from 0", "\"i\""},
    {"steps", &tl_type_steps, true, NULL, NULL},
    COMMON};
STEP(step_repeat, "repeat", "Repeats steps.", repeat_members);
static const struct tl_member use_members[] = {
    {"use", &tl_type_text, true, "a fragment of this file", "\"handshake\""},
    {"with", &tl_type_variables, false, "its parameters", "{\"len\": 64}"},
    COMMON};
STEP(step_use, "use", "The steps of a fragment.", use_members);
static const struct tl_member if_members[] = {{"if", &tl_type_one_or_more_conditions, true,
                                               "an item of the ICS, or a comparison",
                                               "\"rack-tlp\""},
                                              {"then", &tl_type_steps, true, NULL, NULL},
                                              {"else", &tl_type_steps, false, NULL, NULL},
                                              COMMON};
STEP(step_if, "if", "Steps for some implementations only.", if_members);
static const struct tl_member note_members[] = {
    {"note", &tl_type_text, true, "also written to the timeline", "\"Now the other window.\""}};
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
             &step_let, &step_quiet, &step_acks, &tl_type_step_cc, &tl_type_step_expect_cc,
             &tl_type_step_verbs, &tl_type_step_expect_verbs, &tl_type_step_expect_no_verbs,
             &tl_type_step_nvme, &tl_type_step_expect_nvme, &tl_type_step_expect_no_nvme,
             &step_note)};

const struct tl_type tl_type_steps = {.shape = TL_SHAPE_LIST,
                                      .name = "steps",
                                      .doc = "Steps, one after another.",
                                      .expected = "an array of steps, 1 to 100000",
                                      .of = OF(&tl_type_step),
                                      .min = 1,
                                      .max = 100000};
