/* SPDX-License-Identifier: Apache-2.0
 * The interpreter, played against the built-in SUT over the simulated link: what each verb
 * does, and for each a scenario that must fail, must be inconclusive, must be an error. */
#include "harness/run/run.h"
#include "harness/session/session.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACK "packet packet_type={back,eack} "

struct setting {
    const char
        *more; /* members of the scenario beside the steps, each with a comma behind it */
    const char *fault;
    uint32_t loss_in, loss_out; /* parts per million */
};

/* Runs steps (a JSON list without its brackets) as one case. */
static struct tl_scenario *scenario;
static struct tl_case result;

static void run_with(const struct setting *setting, const char *steps)
{
    size_t room = strlen(steps) + 1024;
    char *text = malloc(room), *errors;
    struct tl_run run = {
        .seed = 3, .again = " --sut x", .timeout_ns = 10 * FAL_S, .whole_packets = true};
    struct tl_bench bench;
    struct fal_error err = {{0}};

    ck_assert_ptr_nonnull(text);
    (void)snprintf(text, room,
                   "{\"schema\": \"talon/scenario/1\", \"id\": \"t\", \"title\": \"t\",\n"
                   "\"purpose\": \"p\", \"class\": \"valid\", \"version\": 1,\n"
                   "\"covers\": [\"FTP-9.1.6-03\", \"FTP-9.1.4-01\", \"FTP-9-08\"],\n%s\n"
                   "\"steps\": [\n%s\n]}",
                   setting->more != NULL ? setting->more : "", steps);
    scenario = tl_scenario_read("t.json", text, strlen(text), &errors);
    ck_assert_msg(scenario != NULL, "%s", errors);
    free(text);
    if (setting->fault != NULL)
        fal_fault_add(&run.target.faults, (enum fal_fault_id)fal_fault_find(setting->fault));
    run.target.impair[FAL_TO_SUT].loss_ppm = setting->loss_in;
    run.target.impair[FAL_FROM_SUT].loss_ppm = setting->loss_out;
    ck_assert_msg(tl_bench_open(&bench, &run.target, 3, &err) == 0, "%s", err.text);
    tl_run_case(&run, &bench, scenario, &result);
    tl_bench_close(&bench);
}

static void run_steps(const char *steps)
{
    run_with(&(struct setting){0}, steps);
}

static void clear(void)
{
    tl_case_clear(&result);
    tl_scenario_free(scenario);
    scenario = NULL;
}

static void check(enum fal_verdict verdict, const char *reason, int step)
{
    const struct tl_problem *p = result.num_problems > 0 ? &result.problems[0] : NULL;

    ck_assert_msg(result.verdict == verdict, "due %s, got %s (%s): %s; seen %s; %s",
                  fal_verdict_name(verdict), fal_verdict_name(result.verdict),
                  result.reason.word != NULL ? result.reason.word : "",
                  p != NULL ? p->expected : "", p != NULL && p->seen != NULL ? p->seen : "",
                  p != NULL && p->why != NULL ? p->why : "");
    if (reason == NULL)
        ck_assert_ptr_null(result.reason.word);
    else
        ck_assert_str_eq(result.reason.word, reason);
    if (step >= 0) {
        ck_assert_ptr_nonnull(p);
        ck_assert_int_eq(p->step, step);
    }
    clear();
}

static void passes(const char *steps)
{
    run_steps(steps);
    check(FAL_VERDICT_PASS, NULL, -1);
}

static void fails(const char *steps, const char *reason, int step)
{
    run_steps(steps);
    check(FAL_VERDICT_FAIL, reason, step);
}

START_TEST(send_fills_in_what_is_not_given_and_is_adopted)
{
    passes(
        "\"> push_data len=64 ar\", \"< " ACK "dbase=1r\",\n"
        "\"> push_data len=64 ar\", \"< " ACK "dbase=2r\",\n"
        "\"> pull_request len=32 ar\", \"< pull_data rsn=2r payload_len=32\",\n"
        "{\"expect_ulp\": {\"event\": \"completion\", \"rsn\": \"2r\", \"length\": 32}, \"side\": \"tester\"}");
}
END_TEST

/* How many packets of the case went to the SUT. */
static size_t sent(void)
{
    size_t n = 0;

    for (size_t i = 0; i < result.num_packets; i++)
        n += strstr(result.packets[i].text, " > ") != NULL;
    return n;
}

/* Our endpoint retransmits an adopted packet that is not acknowledged, and never one that it
 * did not adopt. */
START_TEST(adopt_decides_who_looks_after_a_packet)
{
    static const struct setting deaf = {.loss_in = 1000000};

    run_with(&deaf, "\"> push_data len=64\", {\"wait\": \"$rto * 3.5\"}");
    ck_assert_uint_ge(sent(), 4);
    clear();
    run_with(&deaf,
             "{\"send\": \"push_data len=64\", \"adopt\": false}, {\"wait\": \"$rto * 3.5\"}");
    ck_assert_uint_eq(sent(), 1);
    clear();
    /* Packets of an unknown connection, an unknown version or a wrong length: our endpoint
     * ignores them. */
    run_with(&deaf, "\"> push_data len=64 cid=5\", \"> push_data version=2\",\n"
                    "\"> push_data len=64 payload_len=60\", {\"wait\": \"$rto * 3.5\"}");
    ck_assert_uint_eq(sent(), 3);
    clear();
}
END_TEST

START_TEST(sends_at_its_time_to_the_nanosecond)
{
    passes("\"@5ms > push_data len=64 ar\", \"@5ms < " ACK "dbase=1r\",\n"
           "\"+250us > push_data len=64 ar\", \"@5.25ms < " ACK "dbase=2r\",\n"
           "{\"send\": \"push_data len=64 ar\", \"after\": \"1us\"}, \"@5.251ms < " ACK
           "dbase=3r\",\n"
           "{\"send\": \"push_data len=64 ar\", \"at\": \"6ms\"}, \"@6ms < " ACK "dbase=4r\",\n"
           "{\"wait\": \"1ms\"}, \"> push_data len=64 ar\", \"@7ms < " ACK "dbase=5r\"");
}
END_TEST

START_TEST(expect_takes_the_first_that_fits_after_the_last_taken)
{
    /* Three ACKs come at one moment: they are queued, and each is taken once. */
    passes("\"> push_data len=64 ar\", \"> push_data len=64 ar\", \"> push_data len=64 ar\",\n"
           "\"< " ACK "dbase=1r\", \"< " ACK "dbase=2r\", \"< " ACK "dbase=3r\"");
    passes("\"> push_data len=64 ar\", \"> push_data len=64 ar\", \"< " ACK "dbase=2r\"");
    fails("\"> push_data len=64 ar\", \"> push_data len=64 ar\",\n"
          "\"< " ACK "dbase=2r\", \"< " ACK "dbase=1r\"",
          "unmet", 3);
}
END_TEST

START_TEST(an_expectation_not_met_shows_the_nearest_and_why)
{
    run_steps("\"> push_data len=64 ar\", \"< back dbase=7r    # FTP-9.1.6-03\"");
    ck_assert_uint_eq(result.num_problems, 1);
    ck_assert_str_eq(result.problems[0].expected, "< back dbase=7r");
    ck_assert_str_eq(result.problems[0].seen, "@0 < back dbase=1r rbase=0r");
    ck_assert_str_eq(result.problems[0].why, "recv_data_base_psn: due 7r, seen 1r");
    ck_assert_str_eq(result.problems[0].requirement->id, "FTP-9.1.6-03");
    ck_assert_uint_eq(result.problems[0].line, 6);
    ck_assert_uint_eq(result.problems[0].num_ladder, 2);
    ck_assert(!result.problems[0].ladder[0].marked);
    ck_assert(result.problems[0].ladder[1].marked);
    check(FAL_VERDICT_FAIL, "unmet", 1);
    run_steps("\"> push_data len=64 ar\", \"< resync\"");
    ck_assert_str_eq(result.problems[0].why, "it is of another type");
    check(FAL_VERDICT_FAIL, "unmet", 1);
    run_steps("\"< resync\"");
    ck_assert_str_eq(result.problems[0].seen, "nothing from the SUT");
    check(FAL_VERDICT_FAIL, "unmet", 0);
}
END_TEST

START_TEST(times_of_expectations)
{
    passes("\"> push_data len=64\", \"<=$coalescing < " ACK "dbase=1r\"");
    passes("\"> push_data len=64\", \"8us..9us < " ACK "dbase=1r\"");
    passes("\"> push_data len=64\", \"+$coalescing < " ACK "dbase=1r\"");
    passes("\"> push_data len=64\", {\"expect\": \"" ACK
           "dbase=1r\", \"after\": \"7us\", \"within\": \"8us\"}");
    fails("\"> push_data len=64\", \"<=7.999us < " ACK "dbase=1r\"", "unmet", 1);
    fails("\"> push_data len=64\", \"9us..10us < " ACK "dbase=1r\"", "too-early", 1);
    fails("\"> push_data len=64\", \"< " ACK "dbase=1r\"", "unmet", 1);
}
END_TEST

START_TEST(any_of_takes_either)
{
    passes("\"> push_data len=64 ar\",\n"
           "{\"expect\": {\"any_of\": [\"eack dbase=1r\", \"back dbase=1r\"]}}");
    fails("\"> push_data len=64 ar\",\n"
          "{\"expect\": {\"any_of\": [\"eack dbase=1r\", \"back dbase=2r\", \"hex:00\"]}}",
          "unmet", 1);
}
END_TEST

START_TEST(expect_none_ends_at_its_time_and_not_before)
{
    passes("\"> push_data len=64\", {\"expect_none\": \"back\", \"for\": \"7.999us\"},\n"
           "\"@8us < back\"");
    fails("\"> push_data len=64\", {\"expect_none\": \"back\", \"for\": \"8us\"}", "unexpected",
          1);
    passes("\"> push_data len=64\", {\"expect_none\": \"nack\", \"for\": \"1ms\"}");
    passes(
        "\"> push_data len=64 ar\", \"< back\", {\"expect_none\": \"back\", \"for\": \"1ms\"}");
    fails(
        "\"> push_data len=64\", {\"expect_none\": {\"any_of\": [\"nack\", \"back\"]}, \"for\": \"1ms\"}",
        "unexpected", 1);
}
END_TEST

START_TEST(captures_and_let_carry_values_on)
{
    passes(
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
        "\"< push_data psn=@p rsn=@r dbase=@b\", {\"let\": {\"next\": \"$p + 1\", \"n\": 5}},\n"
        "\"< push_data psn=$next rsn=$r+1\",\n"
        "{\"expect_ulp\": {\"event\": \"completion\", \"rsn\": \"$r\"}, \"within\": \"$coalescing\"}");
    fails(
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
        "\"< push_data psn=@p\", {\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
        "\"< push_data psn=$p\"",
        "unmet", 3);
}
END_TEST

START_TEST(a_captured_psn_wraps)
{
    static const struct setting high = {
        .more = "\"connection\": {\"sut\": {\"data_psn\": \"0xffffffff\"}},"};

    run_with(&high, "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
                    "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
                    "\"< push_data psn=@p\", {\"let\": {\"next\": \"$p + 1\"}},\n"
                    "\"< push_data psn=$next\", \"> back dbase=$next\"");
    check(FAL_VERDICT_PASS, NULL, -1);
}
END_TEST

START_TEST(ulp_events_are_matched_by_side_member_and_order)
{
    passes(
        "\"> push_data len=64 ar\",\n"
        "{\"expect_ulp\": {\"event\": \"request\", \"op\": \"push\", \"rsn\": \"0r\", \"length\": \"1..64\",\n"
        "  \"redelivery\": false}},\n"
        "{\"expect_ulp\": {\"event\": \"ulp_ack\", \"rsn\": \"0r\", \"answer\": \"ack\"}},\n"
        "{\"expect_ulp\": {\"event\": \"completion\", \"rsn\": \"0r\", \"code\": 0}, \"side\": \"tester\"}");
    fails(
        "\"> push_data len=64 ar\", {\"expect_ulp\": {\"event\": \"request\", \"length\": 63}}",
        "unmet", 1);
    fails("\"> push_data len=64 ar\", \"> push_data len=64 ar\",\n"
          "{\"expect_ulp\": {\"event\": \"request\", \"rsn\": \"1r\"}},\n"
          "{\"expect_ulp\": {\"event\": \"request\", \"rsn\": \"0r\"}}",
          "unmet", 3);
    fails(
        "\"> push_data len=64 ar\", {\"expect_none\": {\"event\": \"request\"}, \"for\": \"1us\"}",
        "unexpected", 1);
    passes("\"> push_data len=64 ar\", {\"expect_ulp\": {\"event\": \"request\"}},\n"
           "{\"expect_none\": {\"event\": \"request\"}, \"for\": \"10ms\"}");
}
END_TEST

START_TEST(auto_says_what_our_endpoint_does)
{
    static const struct setting no_acks = {.more = "\"auto\": {\"acks\": false},"};
    static const struct setting no_copies = {.more = "\"auto\": {\"retransmission\": false},",
                                             .loss_in = 1000000};
    static const struct setting no_ulp = {.more = "\"auto\": {\"ulp\": false},"};
    static const char push[] =
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n";
    char steps[600];

    (void)snprintf(steps, sizeof steps,
                   "%s\"< push_data psn=0r\", \"<=$rto < push_data psn=0r\"", push);
    run_with(&no_acks, steps);
    check(FAL_VERDICT_PASS, NULL, -1);
    run_with(&(struct setting){0}, steps);
    check(FAL_VERDICT_FAIL, "unmet", 2);

    (void)snprintf(
        steps, sizeof steps,
        "%s{\"expect_ulp\": {\"event\": \"request\"}, \"side\": \"tester\"},\n"
        "{\"expect_none\": {\"event\": \"completion\"}, \"for\": \"$coalescing * 4\"},\n"
        "{\"ulp\": {\"do\": \"respond\", \"rsn\": \"0r\", \"answer\": \"ack\"}, \"side\": \"tester\"},\n"
        "{\"expect_ulp\": {\"event\": \"completion\"}, \"within\": \"$coalescing\"}",
        push);
    run_with(&no_ulp, steps);
    check(FAL_VERDICT_PASS, NULL, -1);

    run_with(&no_copies, "\"> push_data len=64\", {\"wait\": \"$rto * 4\"}");
    ck_assert_uint_eq(sent(), 1);
    clear();
}
END_TEST

START_TEST(policy_and_set_reach_the_sut)
{
    static const struct setting withhold = {
        .more = "\"policy\": [{\"op\": \"push\", \"answer\": \"withhold\"}],"};

    run_with(
        &withhold,
        "\"> push_data len=64 ar\", {\"expect_none\": \"packet dbase=1r\", \"for\": \"1ms\"},\n"
        "{\"ulp\": {\"do\": \"policy\", \"rules\": []}},\n"
        "\"> push_data len=64 ar\", {\"ulp\": {\"do\": \"barrier\"}},\n"
        "{\"ulp\": {\"do\": \"respond\", \"rsn\": \"0r\", \"answer\": \"ack\"}},\n"
        "\"< " ACK "dbase=2r\"");
    check(FAL_VERDICT_PASS, NULL, -1);
    passes("{\"ulp\": {\"do\": \"set\", \"params\": {\"coalescing\": \"3us\"}}},\n"
           "\"> push_data len=64\", \"+3us < " ACK "dbase=1r\"");
}
END_TEST

START_TEST(params_of_the_connection_hold_on_both_sides)
{
    static const struct setting slow = {
        .more = "\"connection\": {\"params\": {\"coalescing\": \"$coalescing * 2\"}},"};

    run_with(&slow,
             "\"> push_data len=64\", \"+16us < " ACK "dbase=1r\", \"> push_data len=64\",\n"
             "\"+$coalescing < " ACK "dbase=2r\"");
    check(FAL_VERDICT_PASS, NULL, -1);
}
END_TEST

START_TEST(what_loss_could_explain_is_inconclusive)
{
    static const struct setting lossy_out = {.loss_out = 1000000},
                                lossy_in = {.loss_in = 1000000};

    run_with(&lossy_out, "\"> push_data len=64 ar\", \"< " ACK "dbase=1r\"");
    check(FAL_VERDICT_INCONC, "out-loss", 1);
    run_with(&lossy_in,
             "\"> push_data len=64 ar\", {\"expect_ulp\": {\"event\": \"request\"}}");
    check(FAL_VERDICT_INCONC, "in-loss", 1);
    /* Our ACK is lost, so that the copy is allowed. */
    run_with(&lossy_in,
             "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
             "\"< push_data\", {\"expect_none\": \"push_data\", \"for\": \"$rto * 2\"}");
    check(FAL_VERDICT_INCONC, "in-loss", 2);
}
END_TEST

START_TEST(a_step_that_decides_no_must_does_not_fail)
{
    run_steps("\"> push_data len=64 ar\", \"< resync   # FTP-9.1.4-01\"");
    check(FAL_VERDICT_WARN, "unmet", 1);
    run_steps("\"> push_data len=64 ar\", \"< resync   # FTP-9-08\"");
    check(FAL_VERDICT_INCONC, "unmet", 1);
}
END_TEST

START_TEST(a_rule_that_was_to_be_decided_and_was_not_is_inconclusive)
{
    static const struct setting wants = {.more = "\"exercises\": [\"O1\"],"};
    static const struct setting has = {.more = "\"exercises\": [\"R1\"],"};

    run_with(&wants, "\"> push_data len=64 ar\", \"< " ACK "dbase=1r\"");
    ck_assert_int_eq(result.problems[0].kind, TL_PROBLEM_EXERCISE);
    check(FAL_VERDICT_INCONC, "not-exercised", -1);
    run_with(&has, "\"> push_data len=64 ar\", \"< " ACK "dbase=1r\"");
    check(FAL_VERDICT_PASS, NULL, -1);
}
END_TEST

START_TEST(a_rule_that_breaks_fails_a_case_whose_steps_are_met)
{
    static const struct setting fault = {.fault = "payload-corrupted"};

    run_with(&fault, "\"> push_data len=64 ar\", \"< " ACK "dbase=1r\"");
    ck_assert_int_eq(result.problems[0].kind, TL_PROBLEM_RULE);
    ck_assert_str_eq(result.problems[0].rule->id, "U1");
    ck_assert_ptr_nonnull(result.problems[0].requirement);
    ck_assert_uint_gt(result.problems[0].num_ladder, 0);
    check(FAL_VERDICT_FAIL, "rule", -1);
}
END_TEST

START_TEST(a_command_that_is_refused_is_inconclusive)
{
    run_steps("{\"ulp\": {\"do\": \"respond\", \"rsn\": \"5r\", \"answer\": \"ack\"}}");
    check(FAL_VERDICT_INCONC, "refused", 0);
}
END_TEST

START_TEST(what_cannot_be_played_is_an_error)
{
    static const struct setting bad = {
        .more = "\"connection\": {\"params\": {\"rto\": \"$rto - 5s\"}},"};

    run_steps(
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 65536}, \"side\": \"tester\"}");
    check(FAL_VERDICT_ERROR, "scenario", 0);
    run_steps("\"> push_data len=64\", \"<=$coalescing - 1s < back\"");
    check(FAL_VERDICT_ERROR, "scenario", 1);
    run_steps(
        "{\"ulp\": {\"do\": \"respond\", \"rsn\": \"0r\", \"answer\": \"ack\"}, \"side\": \"tester\"}");
    check(FAL_VERDICT_ERROR, "scenario", 0);
    run_with(&bad, "{\"wait\": \"1us\"}");
    check(FAL_VERDICT_ERROR, "scenario", -1);
}
END_TEST

/* A packet that no frame can hold cannot be sent, with a seal or without; no byte is written
 * beyond the room for it. */
START_TEST(a_packet_that_is_too_long_is_not_sent)
{
    static const struct setting sealed = {
        .more = "\"connection\": {\"encap\": \"psp_transport\"},"};

    run_steps("{\"send\": \"> push_data len=65535\"}");
    check(FAL_VERDICT_ERROR, "send", -1);
    run_with(&sealed, "{\"send\": \"> push_data len=65535\"}");
    check(FAL_VERDICT_ERROR, "send", -1);
    run_steps("{\"send\": \"> push_data len=65535\", \"malform\": {\"pad\": 87}}");
    check(FAL_VERDICT_ERROR, "scenario", 0);
}
END_TEST

/* Frames that are no Falcon packets are judged or ignored. They never stop the case. */
START_TEST(hex_goes_out_as_it_is)
{
    passes(
        "\"> hex:00\", \"> hex:1000000000000012ffffffff\", \"> push_data len=64 ar\", \"< " ACK
        "dbase=1r\"");
}
END_TEST

/* What the postamble does not bring about does not hide what the body did not. */
START_TEST(the_first_miss_is_the_one_that_is_told)
{
    static const struct setting both = {
        .more = "\"postamble\": [{\"note\": \"n\"}, {\"expect\": \"resync\"}],"};
    static const struct setting after = {
        .more = "\"postamble\": [{\"expect\": \"resync\"}, {\"note\": \"n\"}],"};
    static const struct setting before = {.more = "\"preamble\": [{\"expect\": \"resync\"}],"};

    run_with(&both, "\"> push_data len=64\", \"< nack\"");
    check(FAL_VERDICT_FAIL, "unmet", 1);
    run_with(&after, "\"> push_data len=64\"");
    check(FAL_VERDICT_INCONC, "postamble", 1);
    run_with(&before, "\"> push_data len=64\", \"< nack\"");
    check(FAL_VERDICT_INCONC, "preamble", 0);
}
END_TEST

/* The step that is told is the one inside the block. */
START_TEST(a_miss_inside_a_block_names_its_own_step)
{
    fails("\"> push_data len=64 ar\", {\"any_order\": [\"< " ACK "\", \"<=1us < nack\"]}",
          "unmet", 3);
    fails("{\"repeat\": 3, \"as\": \"i\", \"steps\": [\"> push_data len=1 ar\",\n"
          "{\"if\": \"$i == 1\", \"then\": [{\"expect\": \"nack\"}]}]}",
          "unmet", 3);
    fails("\"> push_data len=64 ar\", {\"alt\": [[\"< " ACK "\", \"< nack\"], [\"< resync\"]]}",
          "unmet", 3);
}
END_TEST

/* More packets than are kept: the log turns over, and expectations find what they look for. */
START_TEST(a_long_case_forgets_its_beginning_and_goes_on)
{
    enum { PUSHES = TL_PACKETS_KEPT / 2 + 100, LINE = 160 };
    char last[40];
    char *steps = malloc((size_t)PUSHES * LINE), *at = steps;

    ck_assert_ptr_nonnull(steps);
    for (int i = 1; i <= PUSHES; i++)
        at += snprintf(at, LINE, "%s\"> push_data len=1 ar\",\n\"< " ACK "dbase=%dr\"",
                       i > 1 ? ",\n" : "", i);
    run_steps(steps);
    free(steps);
    ck_assert_uint_eq(result.num_packets, TL_PACKETS_KEPT);
    (void)snprintf(last, sizeof last, "dbase=%dr", PUSHES);
    ck_assert_ptr_nonnull(strstr(result.packets[TL_PACKETS_KEPT - 1].text, last));
    check(FAL_VERDICT_PASS, NULL, -1);
}
END_TEST

/* A count that needs packets which are no longer kept is no error of the scenario, and it
 * convicts nobody; one that begins later counts. */
START_TEST(a_count_of_more_packets_than_are_kept_is_inconclusive)
{
    static const char many[] = "{\"expect\": {\"count\": \"push_data\", \"is\": \"1..\"}}";
    static const char since[] =
        "{\"wait\": \"1us\", \"name\": \"end\"}, \"> push_data len=1 ar\", "
        "{\"await\": {\"count\": \"" ACK
        "\", \"is\": \"1..\"}, \"since\": \"end\", \"within\": \"1ms\"}";
    char steps[400];

    for (int i = 0; i < 2; i++) {
        (void)snprintf(steps, sizeof steps,
                       "{\"repeat\": %d, \"steps\": [\"> push_data len=1 ar\", \"< " ACK
                       "\"]}, %s",
                       TL_PACKETS_KEPT / 2 + 100, i == 0 ? many : since);
        run_steps(steps);
        if (i == 0)
            check(FAL_VERDICT_INCONC, "unsupported", -1);
        else
            check(FAL_VERDICT_PASS, NULL, -1);
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_case)
{
    uint64_t duration, holds;

    run_steps("\"> push_data len=64\", \"<=$coalescing < " ACK "dbase=1r\"");
    duration = result.duration_ns;
    holds = result.rules[0].holds;
    clear();
    run_steps("\"> push_data len=64\", \"<=$coalescing < " ACK "dbase=1r\"");
    ck_assert_uint_eq(result.duration_ns, duration);
    ck_assert_uint_eq(result.rules[0].holds, holds);
    clear();
    ck_assert_uint_ne(tl_run_seed(1, "a"), tl_run_seed(1, "b"));
    ck_assert_uint_ne(tl_run_seed(1, "a"), tl_run_seed(2, "a"));
    ck_assert_uint_eq(tl_run_seed(1, "a"), tl_run_seed(1, "a"));
}
END_TEST

/* The fingerprint is that of the program of commit e30394d. */
START_TEST(comments_and_notes_leave_the_fingerprint)
{
    static const char *const steps[] = {
        "\"> push_data psn=0r rsn=0r len=64 ar\",\n"
        "{\"expect_none\": \"back\", \"for\": \"1ms\", \"covers\": \"FTP-9.1.6-03\"}",
        "\"> push_data psn=0r rsn=0r len=64 ar # a comment\",\n"
        "{\"expect_none\": \"back # another\", \"for\": \"1ms\",\n"
        " \"covers\": \"FTP-9.1.6-03\", \"note\": \"and a note\"}",
    };

    for (size_t i = 0; i < 2; i++) {
        run_steps(steps[i]);
        ck_assert_uint_eq(result.num_problems, 1);
        tl_case_fingerprint(&result, "t");
        ck_assert_str_eq(result.problems[0].fingerprint, "24a80042cac6a160");
        clear();
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("interp");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, send_fills_in_what_is_not_given_and_is_adopted);
    tcase_add_test(tc, adopt_decides_who_looks_after_a_packet);
    tcase_add_test(tc, sends_at_its_time_to_the_nanosecond);
    tcase_add_test(tc, expect_takes_the_first_that_fits_after_the_last_taken);
    tcase_add_test(tc, an_expectation_not_met_shows_the_nearest_and_why);
    tcase_add_test(tc, times_of_expectations);
    tcase_add_test(tc, any_of_takes_either);
    tcase_add_test(tc, expect_none_ends_at_its_time_and_not_before);
    tcase_add_test(tc, captures_and_let_carry_values_on);
    tcase_add_test(tc, a_captured_psn_wraps);
    tcase_add_test(tc, ulp_events_are_matched_by_side_member_and_order);
    tcase_add_test(tc, auto_says_what_our_endpoint_does);
    tcase_add_test(tc, policy_and_set_reach_the_sut);
    tcase_add_test(tc, params_of_the_connection_hold_on_both_sides);
    tcase_add_test(tc, what_loss_could_explain_is_inconclusive);
    tcase_add_test(tc, a_step_that_decides_no_must_does_not_fail);
    tcase_add_test(tc, a_rule_that_was_to_be_decided_and_was_not_is_inconclusive);
    tcase_add_test(tc, a_rule_that_breaks_fails_a_case_whose_steps_are_met);
    tcase_add_test(tc, a_command_that_is_refused_is_inconclusive);
    tcase_add_test(tc, what_cannot_be_played_is_an_error);
    tcase_add_test(tc, a_packet_that_is_too_long_is_not_sent);
    tcase_add_test(tc, hex_goes_out_as_it_is);
    tcase_add_test(tc, the_first_miss_is_the_one_that_is_told);
    tcase_add_test(tc, a_miss_inside_a_block_names_its_own_step);
    tcase_add_test(tc, a_long_case_forgets_its_beginning_and_goes_on);
    tcase_add_test(tc, a_count_of_more_packets_than_are_kept_is_inconclusive);
    tcase_add_test(tc, the_same_seed_gives_the_same_case);
    tcase_add_test(tc, comments_and_notes_leave_the_fingerprint);
    suite_add_tcase(suite, tc);
    return suite;
}
