/* SPDX-License-Identifier: Apache-2.0
 * Real time without a clock: the simulated link dressed up as a live one, with late frames, a
 * tester that oversleeps, and a SUT whose control channel fails. What is late, lost or broken
 * must never be a fail. */
#include "harness/run/run.h"
#include "harness/sut/link_sim.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACK "packet packet_type={back,eack} "

enum { QUEUE = 256, FRAME = 200 };

enum control { CONTROL_WORKS, CONTROL_CLOSES, CONTROL_SILENT, CONTROL_GARBAGE };

struct late_frame {
    uint64_t due_ns;
    size_t len;
    uint8_t bytes[FRAME];
};

struct fake {
    struct tl_link link; /* first */
    struct tl_link *sim;
    uint64_t delay_ns;              /* of frames from the SUT */
    unsigned delays;                /* at most this many; */
    unsigned lose;                  /* frames from the SUT that never come */
    uint64_t sleep_at_ns, sleep_ns; /* the tester oversleeps once */
    unsigned lines;                 /* control lines until it fails */
    uint64_t lost_ns;               /* time that the tester loses once, */
    uint64_t answer_late_ns;        /* and the SUT's process, */
    uint64_t lost_from_ns;          /* from then on */
    enum control control;
    struct late_frame queue[QUEUE];
    size_t head, tail;
    struct late_frame taken;
};

static struct fake *fake_of(struct tl_link *link)
{
    return (struct fake *)link;
}

static struct tl_link_caps fake_caps(const struct tl_link *link)
{
    const struct fake *f = (const struct fake *)link;
    struct tl_link_caps caps = f->sim->ops->caps(f->sim);

    caps.live = true;
    caps.lossless_in = caps.lossless_out = caps.no_duplicates = caps.in_order = false;
    caps.delay_max_ns = FAL_NEVER;
    return caps;
}

static uint64_t fake_now(struct tl_link *link)
{
    struct fake *f = fake_of(link);

    return f->sim->ops->now_ns(f->sim);
}

static int fake_send(struct tl_link *link, const uint8_t *bytes, size_t len, uint64_t *sent_ns,
                     struct fal_error *err)
{
    struct fake *f = fake_of(link);

    return f->sim->ops->send(f->sim, bytes, len, sent_ns, err);
}

static int fake_send_line(struct tl_link *link, const char *line, size_t len,
                          struct fal_error *err)
{
    struct fake *f = fake_of(link);

    return f->sim->ops->send_line(f->sim, line, len, err);
}

/* Puts a frame aside until it is due. */
static void put_off(struct fake *f, const struct tl_link_got *got)
{
    struct late_frame *late = &f->queue[f->tail++ % QUEUE];

    ck_assert_uint_lt(f->tail - f->head, QUEUE);
    ck_assert_uint_le(got->len, FRAME);
    late->due_ns = got->at_ns;
    if (f->delays > 0) {
        late->due_ns += f->delay_ns;
        f->delays--;
    }
    late->len = got->len;
    memcpy(late->bytes, got->bytes, got->len);
}

static enum tl_link_event control_fails(struct fake *f, struct tl_link_got *got)
{
    static const char garbage[] = "this is no JSON";

    if (f->control == CONTROL_CLOSES)
        return TL_LINK_CLOSED;
    got->bytes = (const uint8_t *)garbage;
    got->len = sizeof garbage - 1;
    return TL_LINK_LINE;
}

static enum tl_link_event fake_wait(struct tl_link *link, uint64_t deadline_ns,
                                    struct tl_link_got *got)
{
    struct fake *f = fake_of(link);

    for (;;) {
        uint64_t now = fake_now(link), until = deadline_ns;
        enum tl_link_event event;

        if (f->head < f->tail && f->queue[f->head % QUEUE].due_ns <= now) {
            f->taken = f->queue[f->head++ % QUEUE];
            *got = (struct tl_link_got){.at_ns = f->taken.due_ns,
                                        .read_ns = now,
                                        .bytes = f->taken.bytes,
                                        .len = f->taken.len};
            return TL_LINK_FRAME;
        }
        if (f->sleep_ns > 0 && deadline_ns >= f->sleep_at_ns) {
            until = f->sleep_at_ns + f->sleep_ns; /* and does not look before */
            if (now >= until)
                f->sleep_ns = 0;
        } else if (f->head < f->tail && f->queue[f->head % QUEUE].due_ns < until) {
            until = f->queue[f->head % QUEUE].due_ns;
        }
        event = f->sim->ops->wait(f->sim, until, got);
        if (event == TL_LINK_FRAME && f->lose > 0) {
            f->lose--;
            continue;
        }
        if (event == TL_LINK_FRAME) {
            put_off(f, got);
            continue;
        }
        if (event == TL_LINK_LINE && f->control != CONTROL_WORKS) {
            if (f->lines == 0 && f->control == CONTROL_SILENT)
                continue;
            if (f->lines == 0)
                return control_fails(f, got);
            f->lines--;
        }
        if (event == TL_LINK_LINE && fake_now(link) >= f->lost_from_ns) {
            got->at_ns += f->answer_late_ns;
            f->answer_late_ns = 0;
        }
        if (event != TL_LINK_TIMEOUT || fake_now(link) >= deadline_ns)
            return event;
    }
}

static void fake_timing(struct tl_link *link, struct tl_link_timing *out)
{
    struct fake *f = fake_of(link);

    *out = (struct tl_link_timing){0};
    if (f->lost_ns == 0 || fake_now(link) < f->lost_from_ns)
        return;
    out->busy_ns = f->lost_ns;
    f->lost_ns = 0;
}

static uint64_t fake_drops(struct tl_link *link)
{
    (void)link;
    return 0;
}

static void fake_free(struct tl_link *link)
{
    struct fake *f = fake_of(link);

    f->sim->ops->free(f->sim);
    free(f);
}

static const struct tl_link_ops fake_ops = {
    .caps = fake_caps,
    .now_ns = fake_now,
    .send = fake_send,
    .send_line = fake_send_line,
    .wait = fake_wait,
    .drops = fake_drops,
    .timing = fake_timing,
    .free = fake_free,
};

/* ---- a bench with such a link ---- */

static struct tl_bench bench;
static struct tl_scenario *scenario;
static struct tl_case result;

static struct fake *open_bench(const char *fault)
{
    struct tl_link_sim_config sim = {.seed = 1};
    struct fake *f = calloc(1, sizeof *f);
    struct fal_error err = {{0}};

    ck_assert_ptr_nonnull(f);
    f->link.ops = &fake_ops;
    if (fault != NULL)
        fal_fault_add(&sim.faults, (enum fal_fault_id)fal_fault_find(fault));
    f->sim = tl_link_sim_open(&sim, &err);
    ck_assert_ptr_nonnull(f->sim);
    bench = (struct tl_bench){.link = &f->link};
    ck_assert_msg(tl_bench_greet(&bench, &err) == 0, "%s", err.text);
    return f;
}

static struct fal_fault_set tester_faults; /* of the tester's own end */

static void run_case(const char *more, const char *steps, unsigned retries)
{
    const struct tl_run run = {.seed = 3,
                               .again = "",
                               .timeout_ns = 10 * FAL_S,
                               .retries = retries,
                               .tester_faults = tester_faults};
    char text[4096], *errors;

    (void)snprintf(text, sizeof text,
                   "{\"schema\": \"talon/scenario/1\", \"id\": \"t\", \"title\": \"t\",\n"
                   "\"purpose\": \"p\", \"class\": \"valid\", \"version\": 1,\n"
                   "\"covers\": [\"FTP-9.1.6-03\"], %s \"steps\": [%s]}",
                   more, steps);
    scenario = tl_scenario_read("t.json", text, strlen(text), &errors);
    ck_assert_msg(scenario != NULL, "%s", errors);
    tl_run_case(&run, &bench, scenario, &result);
}

static void check(enum fal_verdict verdict, const char *reason)
{
    const struct tl_problem *p = result.num_problems > 0 ? &result.problems[0] : NULL;

    ck_assert_msg(
        result.verdict == verdict, "due %s, got %s (%s): %s; %s", fal_verdict_name(verdict),
        fal_verdict_name(result.verdict), result.reason.word != NULL ? result.reason.word : "",
        p != NULL && p->seen != NULL ? p->seen : "", p != NULL && p->why != NULL ? p->why : "");
    if (reason != NULL)
        ck_assert_str_eq(result.reason.word, reason);
    else
        ck_assert_ptr_null(result.reason.word);
    tl_case_clear(&result);
    tl_scenario_free(scenario);
    scenario = NULL;
}

static void close_bench(void)
{
    tl_bench_close(&bench);
}

/* Above the 2 ms of the path. */
#define LATE_NS (4 * FAL_MS)
static const char one_push[] = "\"> push_data len=64 ar\", \"<=$turnaround < " ACK "dbase=1r\"";

START_TEST(what_comes_in_time_passes_and_counters_prove_the_path)
{
    (void)open_bench(NULL);
    ck_assert_uint_eq(bench.path_ns, TL_PATH_FLOOR_NS);
    run_case("", one_push, 0);
    ck_assert_uint_eq(result.num_attempts, 1);
    check(FAL_VERDICT_PASS, NULL);
    close_bench();
}
END_TEST

START_TEST(a_little_late_is_inconclusive_and_is_tried_again)
{
    struct fake *f = open_bench(NULL);

    f->delay_ns = LATE_NS;
    f->delays = 1;
    run_case("", one_push, 0);
    check(FAL_VERDICT_INCONC, "late");
    f->delays = 1;
    run_case("", one_push, 2);
    ck_assert_uint_eq(result.num_attempts, 2);
    ck_assert_int_eq(result.attempts[0].verdict, FAL_VERDICT_INCONC);
    ck_assert_str_eq(result.attempts[0].reason.word, "late");
    ck_assert_int_eq(result.attempts[1].verdict, FAL_VERDICT_PASS);
    ck_assert_uint_eq(result.num_problems, 0);
    check(FAL_VERDICT_PASS, NULL);
    f->delays = 1000;
    run_case("", one_push, 2);
    ck_assert_uint_eq(result.num_attempts, 3);
    check(FAL_VERDICT_INCONC, "late");
    close_bench();
}
END_TEST

START_TEST(what_does_not_come_is_a_fail_when_counters_agree_and_else_is_not)
{
    struct fake *f;

    (void)open_bench("coalescing-never");
    run_case("", "\"> push_data len=64\", \"<=$coalescing < " ACK "dbase=1r\"", 2);
    ck_assert_uint_eq(result.num_attempts, 1);
    check(FAL_VERDICT_FAIL, "unmet");
    close_bench();
    f = open_bench(NULL);
    f->lose = 1;
    run_case("\"auto\": {\"retransmission\": false},", one_push, 0);
    check(FAL_VERDICT_INCONC, "out-loss");
    close_bench();
}
END_TEST

/* The shortest time that matters there is 5 ms: half of it is grave. */
static const char withheld[] =
    "{\"wait\": \"20ms\"}, \"> push_data len=64\",{\"wait\": \"20ms\"}, \"< " ACK "dbase=1r\"";

START_TEST(a_tester_that_did_not_run_fails_nobody)
{
    struct fake *f = open_bench("coalescing-never");

    run_case("", withheld, 0);
    check(FAL_VERDICT_FAIL, "unmet");
    f->lost_from_ns = fake_now(&f->link) + 10 * FAL_MS;
    f->lost_ns = 2 * FAL_MS; /* long before the step, and not grave */
    run_case("", withheld, 0);
    ck_assert_uint_eq(result.timing.busy_ns, 2 * FAL_MS);
    check(FAL_VERDICT_FAIL, "unmet");
    f->lost_from_ns = fake_now(&f->link) + 10 * FAL_MS;
    f->lost_ns = 3 * FAL_MS;
    run_case("", withheld, 0);
    ck_assert(result.timing.known);
    ck_assert_uint_eq(result.timing.busy_ns, 3 * FAL_MS);
    ck_assert_uint_eq(result.timing.num_steps, 4);
    ck_assert_uint_eq(result.timing.steps[0].late_ns, 3 * FAL_MS);
    ck_assert_uint_eq(result.timing.steps[1].late_ns, 0);
    ck_assert_uint_ge(result.timing.steps[0].at_ns, result.timing.steps[0].due_ns);
    check(FAL_VERDICT_INCONC, "tester-late");
    f->lost_from_ns = fake_now(&f->link) + 45 * FAL_MS;
    f->lost_ns = 2 * FAL_MS; /* while it was awaited: a fifth of the time is enough */
    run_case("", withheld, 0);
    check(FAL_VERDICT_INCONC, "tester-late");
    f->lost_from_ns = fake_now(&f->link) + 10 * FAL_MS;
    f->lost_ns = 3 * FAL_MS;
    run_case("", withheld, 2);
    ck_assert_uint_eq(result.num_attempts, 2); /* the second loses nothing */
    check(FAL_VERDICT_FAIL, "unmet");
    close_bench();
}
END_TEST

START_TEST(a_process_that_did_not_run_is_not_failed_for_its_time)
{
    struct fake *f = open_bench("coalescing-never");

    f->lost_from_ns = fake_now(&f->link) + 15 * FAL_MS;
    f->answer_late_ns = 2 * FAL_MS; /* no longer than the path may be */
    run_case("", withheld, 0);
    ck_assert_uint_ge(result.timing.sut_ns, 2 * FAL_MS);
    check(FAL_VERDICT_FAIL, "unmet");
    f->lost_from_ns = fake_now(&f->link) + 15 * FAL_MS;
    f->answer_late_ns = 6 * FAL_MS;
    run_case("", withheld, 0);
    ck_assert_uint_ge(result.timing.sut_ns, 6 * FAL_MS);
    check(FAL_VERDICT_INCONC, "sut-late");
    close_bench();
    /* A finding of a rule does not depend on anyone's speed. */
    f = open_bench("acks-unsent");
    f->lost_from_ns = fake_now(&f->link);
    f->lost_ns = f->answer_late_ns = 9 * FAL_MS;
    run_case("", one_push, 0);
    check(FAL_VERDICT_FAIL, "rule");
    close_bench();
}
END_TEST

/* The tester does not acknowledge: the SUT repeats the push 50 ms after it, which is 5 ms after
 * the period in which the step expects nothing. */
START_TEST(a_packet_after_the_period_is_no_pass_where_somebody_did_not_run)
{
    static const char head[] = "\"auto\": {\"acks\": false},\n",
                      steps[] =
                          "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
                          "\"< push_data\",\n"
                          "{\"expect_none\": \"push_data\", \"for\": \"45ms\"}",
                      answered[] =
                          "{\"expect_none\": \"push_data\", \"for\": \"20ms\"},\n"
                          "{\"wait\": \"1ms\"},\n"
                          "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
                          "\"< push_data\"";
    struct fake *f = open_bench(NULL);

    run_case(head, steps, 0);
    check(FAL_VERDICT_PASS, NULL);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t *lost_ns = i == 0 ? &f->answer_late_ns : &f->lost_ns;

        f->lost_from_ns = fake_now(&f->link) + 15 * FAL_MS;
        *lost_ns = 4 * FAL_MS; /* too short */
        run_case(head, steps, 0);
        check(FAL_VERDICT_PASS, NULL);
        f->lost_from_ns = fake_now(&f->link) + 15 * FAL_MS;
        *lost_ns = 8 * FAL_MS;
        run_case(head, steps, 0);
        ck_assert_uint_eq(result.num_problems, 1);
        ck_assert_int_eq(result.problems[0].step, 2);
        ck_assert_ptr_nonnull(strstr(result.problems[0].why, "after this time"));
        check(FAL_VERDICT_INCONC, i == 0 ? "sut-late" : "tester-late");
        f->lost_from_ns = fake_now(&f->link) + 15 * FAL_MS;
        *lost_ns = 8 * FAL_MS;
        run_case(head, steps, 2);
        ck_assert_uint_eq(result.num_attempts, 2); /* the second loses nothing */
        check(FAL_VERDICT_PASS, NULL);
    }
    /* The post causes the push after it. */
    f->lost_from_ns = fake_now(&f->link) + 15 * FAL_MS;
    f->lost_ns = 8 * FAL_MS;
    run_case(head, answered, 0);
    check(FAL_VERDICT_PASS, NULL);
    close_bench();
}
END_TEST

START_TEST(a_late_copy_of_what_was_lost_is_no_fail_either)
{
    struct fake *f = open_bench(NULL);

    f->lose =
        1; /* our endpoint sends the push again after its RTO of 50 ms: the ACK comes late */
    run_case("", one_push, 0);
    check(FAL_VERDICT_INCONC, "late");
    close_bench();
}
END_TEST

START_TEST(a_tester_that_oversleeps_blames_nobody)
{
    static const char steps[] =
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
        "\"< push_data\",\n"
        "{\"expect_none\": \"push_data\", \"for\": \"$rto * 2\"}";
    struct fake *f = open_bench(NULL);

    run_case("", steps, 0);
    check(FAL_VERDICT_PASS, NULL);
    f->sleep_at_ns = f->sim->ops->now_ns(f->sim) + FAL_MS;
    f->sleep_ns = 80 * FAL_MS; /* the SUT's RTO of 50 ms runs out before our ACK goes */
    run_case("", steps, 0);
    check(FAL_VERDICT_INCONC, "tester-late");
    f->sleep_at_ns = f->sim->ops->now_ns(f->sim) + FAL_MS;
    f->sleep_ns = 80 * FAL_MS;
    run_case("", steps, 1);
    ck_assert_uint_eq(result.num_attempts, 2);
    check(FAL_VERDICT_PASS, NULL);
    close_bench();
}
END_TEST

/* A packet that arrives after the period, but is read together with its end, does not belong to
 * the period. */
START_TEST(a_period_ends_when_it_ends_however_late_it_is_looked_at)
{
    struct fake *f = open_bench(NULL);

    f->sleep_at_ns = f->sim->ops->now_ns(f->sim) + 20 * FAL_MS;
    f->sleep_ns = 45 * FAL_MS; /* over the end at 30 ms, and over the copy at 50 ms */
    run_case("\"auto\": {\"acks\": false},",
             "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}},\n"
             "\"< push_data\", {\"expect_none\": \"push_data\", \"for\": \"30ms\"}",
             0);
    check(FAL_VERDICT_PASS, NULL);
    close_bench();
}
END_TEST

START_TEST(a_packet_that_leaves_after_its_time_is_not_sent)
{
    struct fake *f = open_bench(NULL);

    f->sleep_at_ns = f->sim->ops->now_ns(f->sim) + 2 * FAL_MS;
    f->sleep_ns = 20 * FAL_MS;
    run_case("",
             "\"> push_data len=64\", \"+5ms > push_data len=64\", \"<=$coalescing < " ACK
             "dbase=2r\"",
             0);
    check(FAL_VERDICT_INCONC, "tester-late");
    close_bench();
}
END_TEST

START_TEST(a_case_has_its_time)
{
    (void)open_bench(NULL);
    run_case("", "{\"wait\": \"20s\"}", 0);
    check(FAL_VERDICT_ERROR, "timeout");
    run_case("", one_push, 0);
    check(FAL_VERDICT_PASS, NULL);
    close_bench();
}
END_TEST

static const struct {
    enum control control;
    const char *reason;
    bool dead; /* the next case has no chance */
} failures[] = {
    {CONTROL_CLOSES, "control-closed", true},
    {CONTROL_SILENT, "control-silent", false},
    {CONTROL_GARBAGE, "control-garbage", false},
};

START_TEST(a_control_channel_that_fails_is_an_error_and_the_next_case_comes_at_once)
{
    struct fake *f = open_bench(NULL);
    uint64_t begin;

    f->control = failures[_i].control;
    f->lines = 2; /* reset and open work */
    run_case("", "{\"ulp\": {\"do\": \"barrier\"}}", 0);
    check(FAL_VERDICT_ERROR, failures[_i].reason);
    begin = f->sim->ops->now_ns(f->sim);
    run_case("", one_push, 2);
    ck_assert_uint_eq(result.num_attempts, 1);
    check(FAL_VERDICT_ERROR, failures[_i].dead            ? "control"
                             : NULL != result.reason.word ? result.reason.word
                                                          : "");
    ck_assert_uint_le(f->sim->ops->now_ns(f->sim) - begin, TL_REPLY_TIMEOUT_NS + FAL_MS);
    begin = f->sim->ops->now_ns(f->sim);
    run_case("", one_push, 2);
    check(FAL_VERDICT_ERROR, "control");
    ck_assert_uint_eq(f->sim->ops->now_ns(f->sim), begin);
    close_bench();
}
END_TEST

START_TEST(frames_of_an_earlier_case_are_not_of_this_one)
{
    struct fake *f = open_bench(NULL);

    /* The ACK of the first case comes when the second has begun. */
    f->delay_ns = 2 * FAL_S;
    f->delays = 1;
    run_case("\"auto\": {\"retransmission\": false},",
             "\"> push_data len=64 ar\", {\"wait\": \"1ms\"}", 0);
    check(FAL_VERDICT_PASS, NULL);
    run_case("", "{\"wait\": \"3s\"}, \"> push_data len=64 ar\", \"< " ACK "dbase=1r\"", 0);
    check(FAL_VERDICT_PASS, NULL);
    close_bench();
}
END_TEST

START_TEST(what_has_no_time_comes_soon)
{
    static const char steps[] = "\"> push_data len=64 ar\", \"< " ACK "dbase=1r\"";
    struct fake *f = open_bench(NULL);

    f->delay_ns = 51 * FAL_MS; /* the path's 2 ms and 50 ms */
    f->delays = 1;
    run_case("\"connection\": {\"params\": {\"rto\": \"1s\"}},", steps, 0);
    check(FAL_VERDICT_PASS, NULL);
    f->delay_ns = 53 * FAL_MS;
    f->delays = 1;
    run_case("\"connection\": {\"params\": {\"rto\": \"1s\"}},", steps, 0);
    check(FAL_VERDICT_INCONC, "late");
    close_bench();
}
END_TEST

/* The tester's own end is judged by the same rules: a violation that no step asked for is an
 * error of Talon. */
START_TEST(what_the_tester_breaks_by_itself_is_an_error)
{
    static const char steps[] =
        "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64, \"tag\": 1}}, \"< push_data\", {\"wait\": \"20ms\"}";

    (void)open_bench(NULL);
    run_case("", steps, 0);
    check(FAL_VERDICT_PASS, NULL);
    fal_fault_add(&tester_faults, (enum fal_fault_id)fal_fault_find("acks-unsent"));
    run_case("", steps, 0);
    ck_assert_uint_ge(result.num_problems, 1);
    ck_assert_int_eq(result.problems[0].kind, TL_PROBLEM_RULE);
    ck_assert_int_eq(result.problems[0].subject, FAL_SUBJECT_TESTER);
    ck_assert_str_eq(result.problems[0].rule->id, "R1");
    check(FAL_VERDICT_ERROR, "tester-broke-rule");
    memset(&tester_faults, 0, sizeof tester_faults);
    run_case("\"auto\": {\"acks\": false},",
             "{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64, \"tag\": 1}}, "
             "\"< push_data\", \"> back dbase=9r\", {\"wait\": \"20ms\"}",
             0);
    ck_assert_int_ne(result.verdict, FAL_VERDICT_ERROR);
    tl_case_clear(&result);
    tl_scenario_free(scenario);
    close_bench();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("runner_case");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, what_the_tester_breaks_by_itself_is_an_error);
    tcase_add_test(tc, what_comes_in_time_passes_and_counters_prove_the_path);
    tcase_add_test(tc, a_little_late_is_inconclusive_and_is_tried_again);
    tcase_add_test(tc, a_tester_that_did_not_run_fails_nobody);
    tcase_add_test(tc, a_process_that_did_not_run_is_not_failed_for_its_time);
    tcase_add_test(tc, a_packet_after_the_period_is_no_pass_where_somebody_did_not_run);
    tcase_add_test(tc, what_does_not_come_is_a_fail_when_counters_agree_and_else_is_not);
    tcase_add_test(tc, a_late_copy_of_what_was_lost_is_no_fail_either);
    tcase_add_test(tc, what_has_no_time_comes_soon);
    tcase_add_test(tc, a_tester_that_oversleeps_blames_nobody);
    tcase_add_test(tc, a_period_ends_when_it_ends_however_late_it_is_looked_at);
    tcase_add_test(tc, a_packet_that_leaves_after_its_time_is_not_sent);
    tcase_add_test(tc, a_case_has_its_time);
    tcase_add_loop_test(
        tc, a_control_channel_that_fails_is_an_error_and_the_next_case_comes_at_once, 0,
        (int)(sizeof failures / sizeof *failures));
    tcase_add_test(tc, frames_of_an_earlier_case_are_not_of_this_one);
    suite_add_tcase(suite, tc);
    return suite;
}
