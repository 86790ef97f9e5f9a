/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/scenario/reader.h"

#include "oracles/rng.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scenario in order, with one place each that a test may replace. */
#define HEAD                                                                            \
    "{\"schema\": \"talon/scenario/1\", \"id\": \"a\", \"title\": \"t\", \"purpose\": " \
    "\"p\",\n"                                                                          \
    " \"class\": \"valid\", \"covers\": [\"FTP-9.1.6-03\"], \"version\": 1,\n"

#define STEPS(list) HEAD " \"steps\": [\n" list "]}\n"

static struct tl_scenario *read_text(const char *text, char **errors)
{
    return tl_scenario_read("f.json", text, strlen(text), errors);
}

static struct tl_scenario *good(const char *text)
{
    char *errors;
    struct tl_scenario *s = read_text(text, &errors);

    ck_assert_msg(s != NULL, "%s", errors);
    ck_assert_ptr_null(errors);
    return s;
}

/* A scenario with a part of every kind. */
static const char every_part[] =
    "{\"$schema\": \"x\", \"schema\": \"talon/scenario/1\", \"id\": \"a-b.c_1\",\n"
    "\"title\": \"T\", \"purpose\": \"P\", \"class\": \"inopportune\",\n"
    "\"covers\": [\"FTP-9.1.6-03\", \"FTP-8.1-06\"], \"version\": 3,\n"
    "\"exercises\": [\"R1\"], \"tags\": [\"x\", \"y\"],\n"
    "\"connection\": {\"params\": {\"rto\": \"$rto * 2\", \"fcwnd\": 8, \"ordered\": true},\n"
    "  \"tester\": {\"cid\": 17, \"data_psn\": \"0xfffffffe\"}, \"sut\": {\"rsn\": 5}},\n"
    "\"policy\": [{\"op\": \"push\", \"answer\": \"rnr\", \"rnr\": \"10us\", \"times\": 2}],\n"
    "\"auto\": {\"acks\": false}, \"vars\": {\"n\": 3, \"t\": \"$rto * 3\"},\n"
    "\"steps\": [\n"
    "  \"+20us > push_data psn=$n rsn=0r len=64 ar # FTP-9.1.6-03: at once\",\n"
    "  \"<=$t < eack drx=0b1110 dbase=@b ...\",\n"
    "  {\"expect\": {\"any_of\": [\"back dbase=1r\", {\"packet_type\": \"eack\", \"own\": 2}]},\n"
    "   \"after\": \"1ms\", \"within\": \"2ms\"},\n"
    "  {\"expect_none\": \"nack\", \"for\": \"1ms\"},\n"
    "  {\"expect_none\": {\"event\": \"completion\"}, \"for\": \"$rto\", \"side\": \"tester\"},\n"
    "  {\"ulp\": {\"do\": \"post\", \"op\": \"pull\", \"length\": 8}},\n"
    "  {\"expect_ulp\": {\"event\": \"completion\", \"rsn\": \"0r\", \"code\": \"{0,1}\"},\n"
    "   \"covers\": \"FTP-8.1-06\"},\n"
    "  {\"wait\": \"1ms\"}, {\"note\": \"n\"}, {\"let\": {\"c\": \"$b + 1\"}},\n"
    "  {\"send\": \"hex:00ff\", \"adopt\": false, \"note\": \"broken\"}\n"
    "]}";

START_TEST(reads_every_part_of_a_scenario)
{
    struct tl_scenario *s = good(every_part);

    ck_assert_str_eq(s->id, "a-b.c_1");
    ck_assert_int_eq(s->kind, TL_CLASS_INOPPORTUNE);
    ck_assert_uint_eq(s->version, 3);
    ck_assert_uint_eq(s->covers.count, 2);
    ck_assert_uint_eq(s->num_exercises, 1);
    ck_assert_uint_eq(s->num_tags, 2);
    ck_assert_uint_eq(s->num_params, 3);
    ck_assert(s->tester.has_cid && s->tester.end.cid == 17 && !s->tester.has_rsn);
    ck_assert_uint_eq(s->tester.end.data_psn, 0xfffffffe);
    ck_assert(s->sut.has_rsn && s->sut.end.rsn == 5);
    ck_assert_uint_eq(s->policy.count, 1);
    ck_assert(s->policy.rules[0].given[TL_ACT_RNR]);
    ck_assert(!s->auto_acks && s->auto_retransmission && s->auto_ulp);
    ck_assert_uint_eq(s->num_vars, 2);
    ck_assert_uint_eq(s->num_steps, 11);
    tl_scenario_free(s);
}
END_TEST

START_TEST(reads_every_kind_of_step)
{
    struct tl_scenario *s = good(every_part);
    const struct tl_step *step = s->steps;

    ck_assert_int_eq(step->verb, TL_SEND);
    ck_assert_int_eq(step->time, FAL_TIME_AFTER);
    ck_assert_uint_eq(step->covers.count, 1);
    ck_assert_str_eq(step->covers.list[0]->id, "FTP-9.1.6-03");
    ck_assert_str_eq(step->text, "+20us > push_data psn=$n rsn=0r len=64 ar");
    ck_assert_uint_eq(step->at.line, 10);
    ck_assert_uint_eq(step->at.column, 3);
    step++;
    ck_assert_int_eq(step->verb, TL_EXPECT);
    ck_assert_int_eq(step->time, FAL_TIME_WITHIN);
    step++;
    ck_assert_int_eq(step->verb, TL_EXPECT);
    ck_assert_int_eq(step->time, FAL_TIME_RANGE);
    ck_assert_uint_eq(step->from.ns, 1000000);
    ck_assert_uint_eq(step->to.ns, 2000000);
    ck_assert_uint_eq(step->u.expect.count, 2);
    ck_assert_str_eq(step->text, "1ms..2ms < back dbase=1r | < eack own=2");
    step++;
    ck_assert_int_eq(step->verb, TL_EXPECT_NONE);
    ck_assert_str_eq(step->text, "none for 1ms: < nack");
    step++;
    ck_assert_int_eq(step->verb, TL_EXPECT_NO_EVENT);
    ck_assert_int_eq(step->u.expect_ulp.side, TL_SIDE_TESTER);
    step++;
    ck_assert_int_eq(step->verb, TL_ULP);
    ck_assert_int_eq(step->u.ulp.act->verb, TL_ACT_POST);
    step++;
    ck_assert_int_eq(step->verb, TL_EXPECT_ULP);
    ck_assert_str_eq(step->covers.list[0]->id, "FTP-8.1-06");
    ck_assert(!step->u.expect_ulp.pattern->given[TL_EVENT_LENGTH]);
    step += 4;
    ck_assert_int_eq(step->verb, TL_SEND);
    ck_assert(!step->u.send.adopt);
    ck_assert_uint_eq(step->u.send.pattern->hex_len, 2);
    tl_scenario_free(s);
}
END_TEST

/* The same packet as a line and as an object is the same pattern. */
START_TEST(a_packet_object_is_its_line)
{
    struct tl_scenario *s = good(
        STEPS("\"> push_data psn=3r rsn=3r len=64 ack_req=1\",\n"
              "{\"send\": {\"packet_type\": \"push_data\", \"psn\": \"3r\", \"rsn\": \"3r\",\n"
              "  \"len\": 64, \"ack_req\": true}},\n"
              "\"> push_data psn=4r / rdma send_only dqp=5 data=8@7\",\n"
              "{\"send\": {\"packet_type\": \"push_data\", \"psn\": \"4r\",\n"
              "  \"upper\": \"rdma send_only dqp=5 data=8@7\"}}"));

    for (size_t i = 0; i < 4; i += 2) {
        char line_a[200], line_b[200];

        (void)fal_text_pattern(s->steps[i].u.send.pattern, line_a, sizeof line_a);
        (void)fal_text_pattern(s->steps[i + 1].u.send.pattern, line_b, sizeof line_b);
        ck_assert_str_eq(line_a, line_b);
    }
    tl_scenario_free(s);
}
END_TEST

/* file:line:column: path: what, and what was expected */
static const struct {
    const char *text, *due;
} wrong[] = {
    {"", "f.json:1:1: not JSON: '[' or '{' expected near end of file"},
    {"{\"id\": \"a\",\n  \"id\": \"b\"}",
     "f.json:2:6: not JSON: duplicate object key near '\"id\"'"},
    {"{\n \"a\" 1}", "f.json:2:6: not JSON: ':' expected near '1'"},
    {"[]", "f.json:1:1: not an object; expected {...}"},
    {"{}", "f.json:1:1: \"schema\" is missing"},
    {HEAD " \"stps\": [\"> back\"]}",
     "f.json:3:2: stps: no such member; did you mean \"steps\"?"},
    {HEAD " \"wibble\": 1, \"steps\": [\"> back\"]}",
     "f.json:3:2: wibble: no such member; there are"},
    {HEAD " \"steps\": {}}", "f.json:3:11: steps: expected an array of steps"},
    {HEAD " \"steps\": []}", "f.json:3:11: steps: expected an array of steps"},
    {"{\"schema\": \"talon/scenario/2\"}",
     "f.json:1:12: schema: expected \"talon/scenario/1\""},
    {"{\"id\": \"Upper\"}", "f.json:1:8: id: expected lower-case letters"},
    {"{\"id\": \"../x\"}", "f.json:1:8: id: expected lower-case letters"},
    {"{\"id\": \"\"}", "f.json:1:8: id: expected a string that is not empty"},
    {"{\"class\": \"vaild\"}",
     "f.json:1:11: class: 'vaild' is none of valid, invalid, inopportune; did you mean 'valid'?"},
    {"{\"covers\": []}", "f.json:1:12: covers: expected an array of requirement ids"},
    {"{\"covers\": [\"FTP-9.1.6-03\",\n \"FTP-9.1.6-33\"]}",
     "f.json:2:2: covers[1]: no requirement 'FTP-9.1.6-33'; did you mean 'FTP-9.1.6-"},
    {"{\"version\": 0}", "f.json:1:13: version: expected a number, 1 to 1000000"},
    {"{\"exercises\": [\"R99\"]}", "f.json:1:16: exercises[0]: expected the id of a rule"},
    {"{\"tags\": [1]}", "f.json:1:11: tags[0]: expected a string"},
    {"{\"connection\": {\"params\": {\"rto\": \"1s\"}, \"needs\": [\"fcwnd\"]}}",
     "connection.needs[0]: expected a parameter that \"params\" sets"},
    {STEPS("{\"cc\": {\"do\": \"cc_feed\", \"entry\": {\"t5\": 1}}}"),
     "steps[0].cc.entry.t5: no such member; there are connection_id, event_type, t1"},
    {STEPS("{\"cc\": {\"do\": \"cc_feed\", \"entry\": {\"t1\": \"1..2\"}}}"),
     "steps[0].cc.entry.t1: expected one value"},
    {STEPS("{\"cc\": {\"do\": \"cc_config\", \"params\": {\"min_ncwnd\": 1.5}}}"),
     "steps[0].cc.params.min_ncwnd: expected a whole number from 1 to 2047"},
    {STEPS("{\"cc\": {\"do\": \"cc_config\", \"params\": {\"min_ncwnd\": \"many\"}}}"),
     "steps[0].cc.params.min_ncwnd: expected a whole number from 1 to 2047"},
    {STEPS("{\"cc\": {\"do\": \"cc_trace\", \"on\": true}, \"result\": {\"fcwnd\": 1}}"),
     "steps[0].result: \"result\" goes with \"do\": \"cc_feed\""},
    {STEPS("{\"expect_cc\": {\"event\": {\"fcwnds\": 1}}}"),
     "steps[0].expect_cc.event.fcwnds: no such member; did you mean \"fcwnd\"?"},
    {"{\"auto\": {\"ack\": true}}",
     "f.json:1:11: auto.ack: no such member; did you mean \"acks\"?"},
    {"{\"auto\": {\"acks\": 1}}", "f.json:1:19: auto.acks: expected true, false or {"},
    {HEAD " \"auto\": {\"acks\": {\"holt\": \"1us\"}}, \"steps\": [\"> back\"]}",
     "auto.acks.holt: no such member; did you mean \"hold\"?"},
    {HEAD " \"auto\": {\"acks\": {\"hops\": \"{1,2}\"}}, \"steps\": [\"> back\"]}",
     "auto.acks.hops: expected one value"},
    {STEPS("{\"acks\": {\"delay\": \"$nothing\"}}"), "$nothing"},
    {STEPS("{\"acks\": false}"), "steps[0].acks: expected true or an object"},
    {HEAD " \"connections\": {\"a\": {}, \"b\": {\"auto\": {\"acks\": {\"hops\": 1}}}}, "
          "\"steps\": [\"> back\"]}",
     "connections.b: \"acks\" is true or false here"},
    {"{\"connection\": {\"params\": {\"rtp\": \"1ms\"}}}",
     "f.json:1:28: connection.params.rtp: no such parameter; did you mean \"rto\"?"},
    {"{\"connection\": {\"params\": {\"rto\": 5}}}",
     "f.json:1:35: connection.params.rto: expected a duration in a string"},
    {"{\"connection\": {\"params\": {\"fcwnd\": -1}}}",
     "f.json:1:37: connection.params.fcwnd: expected a number of 32 bits"},
    {"{\"connection\": {\"tester\": {\"cid\": \"0x1000000\"}}}",
     "f.json:1:35: connection.tester.cid: expected a number up to 0xffffff"},
    {"{\"policy\": [{\"answer\": \"rnr\", \"rnr_ns\": 5}]}",
     "f.json:1:31: policy[0].rnr_ns: no such member; did you mean \"rnr\"?"},
    {"{\"policy\": [{\"op\": \"push\"}]}", "f.json:1:13: policy[0]: \"answer\" is missing"},
    {"{\"policy\": [{\"answer\": 1}]}",
     "f.json:1:24: policy[0].answer: expected one of ack, data"},
    {"{\"vars\": {\"rto\": 1}}",
     "f.json:1:18: vars.rto: $rto is a parameter; expected another name"},
    {"{\"vars\": {\"a b\": 1}}", "f.json:1:18: vars.a b: no name for a variable"},
    {"{\"vars\": {\"a\": \"1..2\"}}", "f.json:1:16: vars.a: expected one value"},
    {STEPS("  {\"sned\": \"back\"}"),
     "f.json:4:4: steps[0].sned: no such verb; did you mean \"send\"?"},
    {STEPS("  {\"within\": \"1ms\"}"), "f.json:4:3: steps[0]: a step without a verb"},
    {STEPS("  {\"send\": \"back\", \"wait\": \"1ms\"}"),
     "f.json:4:3: steps[0]: two verbs, send and wait; a step has one"},
    {STEPS("  {\"send\": \"back\", \"wihtin\": \"1ms\"}"),
     "f.json:4:20: steps[0].wihtin: no such member; there are send, after, at, adopt"},
    {STEPS("  {\"send\": \"> push_data\", \"payload\": \"1 02\"}"),
     "f.json:4:38: steps[0].payload: expected bytes in hex: \"10000004 00000011\""},
    {STEPS("  {\"send\": \"> hex:00\", \"payload\": \"01\"}"),
     "f.json:4:12: steps[0].send: hex: says all bytes of the packet, its payload too"},
    {STEPS("  {\"send\": \"> push_data\", \"ip\": {\"ttl\": \"1..2\"}}"),
     "f.json:4:41: steps[0].ip.ttl: expected one value"},
    {STEPS("  5"), "f.json:4:3: steps[0]: expected a line, or an object with one verb"},
    {STEPS("  \"push_data psn=0r\""), "f.json:4:3: steps[0]: no direction; expected '>'"},
    {STEPS("  \"> psuh_data psn=0r\""),
     "f.json:4:6: steps[0]: no packet type 'psuh_data'; did"},
    {STEPS("  \"> push_data pns=0r\""), "f.json:4:16: steps[0]: push_data has no field 'pns'"},
    /* what has been replaced before the error: the place of the line */
    {STEPS("  \"> push_data psn=($psn + 1) pns=0r\""),
     "f.json:4:3: steps[0]: push_data has no field"},
    {STEPS("  \"> push_data \\u0070sn=0r pns=0r\""),
     "f.json:4:3: steps[0]: push_data has no field"},
    {STEPS("  {\"send\": \"< back\"}"), "f.json:4:12: steps[0].send: '<' points the wrong way"},
    {STEPS("  {\"expect\": \"> back\"}"),
     "f.json:4:14: steps[0].expect: '>' points the wrong way"},
    {STEPS("  \"<=1ms > back\""), "f.json:4:3: steps[0]: a packet is sent at one time"},
    {STEPS("  \"> packet psn=1\""),
     "f.json:4:3: steps[0]: 'packet' is any type; what is sent has one"},
    {STEPS("  {\"expect\": \"<=1ms < back\", \"within\": \"2ms\"}"),
     "f.json:4:14: steps[0].expect: a second time"},
    {STEPS("  {\"expect\": \"back\", \"at\": \"1ms\", \"within\": \"2ms\"}"),
     "f.json:4:3: steps[0]: \"at\" stands alone"},
    {STEPS("  {\"expect\": \"back\", \"within\": \"fast\"}"), "f.json:4:32: steps[0].within: "},
    {STEPS("  {\"expect\": {\"any_of\": []}}"),
     "f.json:4:25: steps[0].expect.any_of: expected an array of packets"},
    {STEPS("  {\"expect\": {\"any_of\": [\"back\", \"bcak\"]}}"),
     "f.json:4:35: steps[0].expect.any_of[1]: no packet type 'bcak'"},
    {STEPS("  {\"expect\": {\"psn\": 1}}"),
     "f.json:4:14: steps[0].expect: expected \"packet_type\""},
    {STEPS("  {\"expect\": {\"packet_type\": \"back\", \"own\": []}}"),
     "f.json:4:45: steps[0].expect.own: expected a number, true, false or a value in a string"},
    {STEPS("  {\"expect_none\": \"back\"}"), "f.json:4:3: steps[0]: \"for\" is missing"},
    {STEPS("  {\"ulp\": {\"do\": \"psot\", \"op\": \"push\"}}"),
     "f.json:4:18: steps[0].ulp.do: 'psot' is none of post, respond, policy, set, barrier; did you mean 'post'?"},
    {STEPS("  {\"ulp\": {\"do\": \"post\", \"op\": \"push\"}}"),
     "f.json:4:11: steps[0].ulp: \"length\" is missing"},
    {STEPS("  {\"ulp\": {\"do\": \"policy\", \"rules\": []}, \"side\": \"tester\"}"),
     "f.json:4:18: steps[0].ulp.do: 'policy' is the SUT's; the tester's can post, respond"},
    {STEPS("  {\"cm\": {\"do\": \"open\"}, \"side\": \"tester\"}"),
     "f.json:4:17: steps[0].cm.do: 'open' is the SUT's; the tester's can post, respond"},
    {STEPS("  {\"cm\": {\"do\": \"close\"}, \"refused\": true}"),
     "f.json:4:38: steps[0].refused: goes with \"open\""},
    {STEPS("  {\"cm\": {\"do\": \"open\", \"params\": {\"mut\": 1}}}"),
     "f.json:4:36: steps[0].cm.params.mut: no such parameter; did you mean \"mtu\"?"},
    {STEPS("  {\"ulp\": {\"do\": \"respond\", \"rsn\": \"any\", \"answer\": \"ack\"}}"),
     "f.json:4:36: steps[0].ulp.rsn: expected one value"},
    {STEPS("  {\"expect_ulp\": {\"event\": \"complete\"}}"),
     "f.json:4:28: steps[0].expect_ulp.event: 'complete' is none of request, ulp_ack, completion"},
    {STEPS("  {\"expect_ulp\": {\"event\": \"request\", \"rsns\": 1}}"),
     "f.json:4:39: steps[0].expect_ulp.rsns: no such member; did you mean \"rsn\"?"},
    {STEPS("  \"> back # FTP-9.9.9-99\""),
     "f.json:4:3: steps[0]: no requirement 'FTP-9.9.9-99'"},
    {STEPS("  \"> back # FTP-8.1-06.\""),
     "f.json:4:3: steps[0]: decides FTP-8.1-06, which \"covers\" does not list"},
    {STEPS("  {\"send\": \"back # FTP-9.1.6-03\", \"covers\": \"FTP-9.1.6-03\"}"),
     "f.json:4:12: steps[0].send: names requirements twice"},
    {STEPS("  \"> push_data psn=$x\""), "f.json:4:3: steps[0]: $x is not bound here"},
    {STEPS("  \"<=$rot < back\""),
     "f.json:4:3: steps[0]: $rot is not bound here; did you mean $rto?"},
    {STEPS("  \"> push_data psn=$b\", \"< back dbase=@b\""),
     "f.json:4:3: steps[0]: $b is not bound here"},
};

START_TEST(each_error_names_file_line_column_path_and_what_was_expected)
{
    char *errors;
    struct tl_scenario *s = read_text(wrong[_i].text, &errors);

    ck_assert_msg(s == NULL, "taken: %s", wrong[_i].text);
    ck_assert_ptr_nonnull(errors);
    ck_assert_msg(strncmp(errors, wrong[_i].due, strlen(wrong[_i].due)) == 0 ||
                      strstr(errors, wrong[_i].due) != NULL,
                  "due:\n%s\ngot:\n%s", wrong[_i].due, errors);
    ck_assert_int_eq(errors[strlen(errors) - 1], '\n');
    free(errors);
}
END_TEST

START_TEST(all_errors_of_a_file_are_told_up_to_a_limit)
{
    char text[8192] = HEAD " \"steps\": [";
    char *errors;
    size_t lines = 0;

    for (int i = 0; i < 80; i++)
        strcat(text, i > 0 ? ",\n5" : "5");
    strcat(text, "]}");
    ck_assert_ptr_null(read_text(text, &errors));
    for (const char *c = errors; *c != 0; c++)
        lines += *c == '\n';
    ck_assert_uint_eq(lines, 50 * 3); /* with the source line and the caret */
    free(errors);
}
END_TEST

/* Nothing that stands in a file gets raw to a terminal. */
START_TEST(an_error_is_one_line_of_printable_text)
{
    char *errors;

    ck_assert_ptr_null(read_text("{\"a\\n\\u001b[31m\": 1, \"schema\": \"\\u0007\"}", &errors));
    for (const char *c = errors; *c != 0; c++)
        ck_assert(*c == '\n' || (unsigned char)*c >= ' ');
    free(errors);
}
END_TEST

START_TEST(an_error_shows_its_source_line_and_a_caret)
{
    char *errors;

    ck_assert_ptr_null(
        read_text(HEAD " \"stps\": [\"> back\"], \"steps\": [\"> back\"]}", &errors));
    ck_assert_str_eq(errors, "f.json:3:2: stps: no such member; did you mean \"steps\"?\n"
                             " \"stps\": [\"> back\"], \"steps\": [\"> back\"]}\n"
                             " ^\n");
    free(errors);
}
END_TEST

START_TEST(deep_nesting_is_an_error_and_no_more)
{
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 1), *errors;

    ck_assert_ptr_nonnull(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[2 * DEPTH] = 0;
    ck_assert_ptr_null(read_text(text, &errors));
    ck_assert_ptr_nonnull(strstr(errors, "not JSON: maximum parsing depth"));
    free(errors);
    free(text);
}
END_TEST

/* A scenario with a byte changed, put in or taken out is read or refused, and nothing else. */
START_TEST(survives_any_damage)
{
    static const char text[] = STEPS(
        "\"+20us > push_data psn=0r rsn=0r len=64 ar # FTP-9.1.6-03\",\n"
        "{\"expect\": {\"any_of\": [\"back dbase=1r\", {\"packet_type\": \"eack\"}]},\n"
        " \"within\": \"$coalescing + 20%\"},\n"
        "{\"expect_ulp\": {\"event\": \"request\", \"rsn\": \"{0r,1r}\", \"length\": \"1..9\"}},\n"
        "{\"ulp\": {\"do\": \"respond\", \"rsn\": \"0r\", \"answer\": \"rnr\", \"rnr\": \"10us\"}},\n"
        "{\"expect_none\": \"nack\", \"for\": \"1ms\"}, {\"let\": {\"a\": \"$rto * 2\"}}\n");
    static const char bytes[] = "{}[]\",: \\0r$@#<>=+-*/%\n\x01\xff";
    struct fal_rng rng = {test_seed(5)};
    char copy[sizeof text + 8];

    for (unsigned long i = 0; i < test_rounds(4000); i++) {
        size_t len = sizeof text - 1, edits = 1 + fal_rng_below(&rng, 3);
        struct tl_scenario *s;
        char *errors;

        memcpy(copy, text, sizeof text);
        for (size_t k = 0; k < edits; k++) {
            size_t at = fal_rng_below(&rng, len);
            char byte = bytes[fal_rng_below(&rng, sizeof bytes - 1)];

            switch (fal_rng_below(&rng, 3)) {
            case 0: copy[at] = byte; break;
            case 1:
                memmove(copy + at + 1, copy + at, len - at);
                copy[at] = byte;
                len++;
                break;
            default:
                memmove(copy + at, copy + at + 1, len - at - 1);
                len--;
                break;
            }
        }
        s = tl_scenario_read("f.json", copy, len, &errors);
        ck_assert((s == NULL) == (errors != NULL));
        tl_scenario_free(s);
        free(errors);
    }
}
END_TEST

/* Fingerprints in waiver files hash these codes: they are those of commit e30394d, whose words
 * stay when the text for people is reworded. */
START_TEST(the_codes_of_steps_never_change)
{
    static const struct {
        const char *step, *code;
    } rows[] = {
        {"\"+20us > push_data rsn=0r len=64 # FTP-9.1.6-03: at once\"",
         "+20us > push_data rsn=0r len=64"},
        {"{\"expect\": {\"any_of\": [\"back dbase=1r\", \"eack own=2\"]}, \"after\": \"1ms\", "
         "\"within\": \"2ms\"}",
         "1ms..2ms < back dbase=1r | < eack own=2"},
        {"{\"expect_none\": \"nack\", \"for\": \"1ms\"}", "none for 1ms: < nack"},
        {"{\"expect_none\": {\"event\": \"completion\"}, \"for\": \"$rto\", \"side\": "
         "\"tester\"}",
         "none for $rto: event tester completion"},
        {"{\"ulp\": {\"do\": \"post\", \"op\": \"pull\", \"length\": 8}}",
         "ulp post op=pull length=8"},
        {"{\"expect_ulp\": {\"event\": \"completion\", \"rsn\": \"0r\"}, \"within\": \"1ms\"}",
         "<=1ms expect_ulp completion rsn=0r"},
        {"{\"wait\": \"1ms\"}", "wait 1ms"},
        {"{\"until_quiet\": \"1ms\"}", "until_quiet 1ms"},
        {"{\"acks\": {\"hold\": \"1ms\", \"hops\": 3}}", "acks hold=1ms hops=3"},
        {"{\"acks\": true}", "acks"},
        {"{\"let\": {\"c\": \"1\"}}", "let c=1"},
        {"{\"await\": {\"count\": \"back\", \"is\": \"1..9\"}, \"within\": \"1ms\"}",
         "<=1ms await count=back is=1..9"},
        {"{\"any_order\": [\"<=1ms < back\"]}", "any_order"},
        {"{\"alt\": [[\"<=1ms < back\"], [\"<=1ms < eack\"]]}", "alt"},
        {"{\"repeat\": 2, \"as\": \"i\", \"steps\": [\"> back\"]}", "repeat as i"},
        {"{\"on\": \"< back\", \"do\": \"drop\"}", "on < back drop"},
        {"{\"send\": \"> push_data rsn=1r len=64\", \"malform\": {\"truncate\": 3}, \"adopt\": "
         "false}",
         "> push_data rsn=1r len=64 (malformed)"},
        {"{\"send\": \"> push_data rsn=1r len=64\", \"seal\": {\"ahead\": \"1us\"}}",
         "> push_data rsn=1r len=64 (sealed otherwise)"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        struct tl_scenario *s;

        (void)snprintf(text, sizeof text, STEPS("%s"), rows[i].step);
        s = good(text);
        ck_assert_msg(strcmp(s->steps[0].code, rows[i].code) == 0, "%zu: %s", i,
                      s->steps[0].code);
        tl_scenario_free(s);
    }
}
END_TEST

/* Whether an object has few members, which are listed, or many. */
START_TEST(a_member_is_found_among_few_and_many)
{
    for (size_t n = 0; n < 2 * (size_t)TL_FEW; n++) {
        json_t *object = json_object();
        struct tl_members members;
        char key[16];

        for (size_t i = 0; i < n; i++) {
            (void)snprintf(key, sizeof key, "%zu", i);
            ck_assert_int_eq(json_object_set_new(object, key, json_integer((json_int_t)i)), 0);
        }
        tl_members_list(object, &members);
        for (size_t i = 0; i < n; i++) {
            (void)snprintf(key, sizeof key, "%zu", i);
            ck_assert_ptr_eq(tl_members_get(&members, key), json_object_get(object, key));
        }
        ck_assert_ptr_null(tl_members_get(&members, "none"));
        json_decref(object);
    }
}
END_TEST

START_TEST(a_step_says_the_parameters_that_it_asks_for)
{
    struct tl_scenario *s = good(
        STEPS("  {\"cm\": {\"do\": \"open\", \"params\": {\"mtu\": 1024, \"ordered\": true}},"
              " \"refused\": true}"));

    ck_assert_str_eq(s->steps[0].text, "cm open params mtu=1024 ordered=true => refused");
    tl_scenario_free(s);
}
END_TEST

START_TEST(a_step_may_say_something_else_than_its_code)
{
    static struct tl_step_draft d; /* zeros */
    struct tl_scenario owner = {.id = NULL};
    struct tl_reader reader = {.scenario = &owner};

    memcpy(d.before, "for 1ms, no: ", 14);
    memcpy(d.before_code, "none for 1ms: ", 15);
    tl_step_say_times(&d);
    tl_step_say(&d, "< %s", "nack");
    tl_step_say_words(&d, " (with another seal)", " (sealed otherwise)");
    tl_step_keep_words(&reader, &d);
    ck_assert_str_eq(d.step.text, "for 1ms, no: < nack (with another seal)");
    ck_assert_str_eq(d.step.code, "none for 1ms: < nack (sealed otherwise)");
    fal_arena_free(&owner.arena);
}
END_TEST

/* 8.5.3.4-01 permits an RNR, 8.5.3.4-10 asks for its NACK: without the NACK the step fails. */
START_TEST(FTP_8_5_3_4_10_a_permission_is_the_last_requirement_of_a_step)
{
    struct tl_scenario *s =
        good("{\"schema\": \"talon/scenario/1\", \"id\": \"a\", \"title\": \"T\", "
             "\"purpose\": \"P\", \"class\": \"valid\", \"version\": 1,\n"
             "\"covers\": [\"FTP-8.5.3.4-01\", \"FTP-8.5.3.4-10\", \"FTP-8.5.3.4-09\"],\n"
             "\"steps\": [\"< nack # FTP-8.5.3.4-01, FTP-8.5.3.4-10, FTP-8.5.3.4-09\", "
             "{\"expect\": \"nack\", \"covers\": \"FTP-8.5.3.4-01\"}]}");

    ck_assert_uint_eq(s->steps[0].covers.count, 3);
    ck_assert_str_eq(s->steps[0].covers.list[0]->id, "FTP-8.5.3.4-10");
    ck_assert_str_eq(s->steps[0].covers.list[1]->id, "FTP-8.5.3.4-09");
    ck_assert_str_eq(s->steps[0].covers.list[2]->id, "FTP-8.5.3.4-01");
    ck_assert_str_eq(s->steps[1].covers.list[0]->id, "FTP-8.5.3.4-01");
    tl_scenario_free(s);
}
END_TEST

static bool ends_in_2(const void *ctx, const char *file_id, const char *id)
{
    ck_assert_str_eq(file_id, "a");
    return strcmp(id + strlen(id) - strlen(ctx), ctx) == 0;
}

START_TEST(only_wanted_cases_are_read_beside_the_first)
{
    static const struct tl_wanted wanted = {ends_in_2, "y=2"};
    static const char cases[] =
        HEAD " \"params\": {\"x\": [1, 2], \"y\": [1, 2, \"A b\"]}, \"steps\": [\"< nack\"]}";
    size_t passed_over = 0;
    char *errors;
    struct tl_scenario *s = tl_scenario_read_wanted("f.json", cases, sizeof cases - 1, &wanted,
                                                    &passed_over, &errors);
    static const char *const ids[] = {"a@x=1,y=1", "a@x=1,y=2", "a@x=2,y=2"};

    for (size_t i = 0; i < 3; i++) {
        struct tl_scenario *next = s->next;

        ck_assert_str_eq(s->id, ids[i]);
        tl_scenario_free(s);
        s = next;
    }
    ck_assert_ptr_null(s);
    ck_assert_uint_eq(passed_over, 3);
}
END_TEST

/* A mistake in a file that contains no wanted case does not stay unnoticed. */
START_TEST(a_file_without_wanted_cases_is_checked)
{
    static const struct tl_wanted wanted = {ends_in_2, "no"};
    static const char cases[] = HEAD " \"params\": {\"x\": [1]}, \"steps\": [\"< nak\"]}";
    size_t passed_over = 0;
    char *errors;

    ck_assert_ptr_null(tl_scenario_read_wanted("f.json", cases, sizeof cases - 1, &wanted,
                                               &passed_over, &errors));
    ck_assert_ptr_nonnull(strstr(errors, "nak"));
    free(errors);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenario_read");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, reads_every_part_of_a_scenario);
    tcase_add_test(tc, reads_every_kind_of_step);
    tcase_add_test(tc, a_packet_object_is_its_line);
    tcase_add_loop_test(tc, each_error_names_file_line_column_path_and_what_was_expected, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, all_errors_of_a_file_are_told_up_to_a_limit);
    tcase_add_test(tc, an_error_is_one_line_of_printable_text);
    tcase_add_test(tc, an_error_shows_its_source_line_and_a_caret);
    tcase_add_test(tc, deep_nesting_is_an_error_and_no_more);
    tcase_add_test(tc, survives_any_damage);
    tcase_add_test(tc, the_codes_of_steps_never_change);
    tcase_add_test(tc, a_member_is_found_among_few_and_many);
    tcase_add_test(tc, a_step_says_the_parameters_that_it_asks_for);
    tcase_add_test(tc, a_step_may_say_something_else_than_its_code);
    tcase_add_test(tc, FTP_8_5_3_4_10_a_permission_is_the_last_requirement_of_a_step);
    tcase_add_test(tc, only_wanted_cases_are_read_beside_the_first);
    tcase_add_test(tc, a_file_without_wanted_cases_is_checked);
    suite_add_tcase(suite, tc);
    return suite;
}
