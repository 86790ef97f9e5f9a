/* SPDX-License-Identifier: Apache-2.0
 * judge_test.c - what the judge does around its rules: connections, strays, results, verdicts.
 */
#include "oracles/rules/judge/conns.h"
#include "oracles/rules/judge/report.h"
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* A judge under test, fed by hand. */
struct feed {
    struct fal_judge *judge;
    uint64_t index, now_ns;
    unsigned findings;
    struct fal_finding first;
};

static void count_finding(void *ctx, const struct fal_finding *finding)
{
    struct feed *f = ctx;

    if (f->findings++ == 0)
        f->first = *finding;
}

static void feed_start(struct feed *f, const char *const *only, const char *const *skip,
                       bool live)
{
    struct fal_judge_config config = {
        .finding = count_finding, .ctx = f, .only = only, .skip = skip};
    struct fal_event run = {.kind = FAL_EV_RUN};

    *f = (struct feed){.judge = fal_judge_new(&config)};
    ck_assert_ptr_nonnull(f->judge);
    run.u.run.live = live;
    run.u.run.delay_max_ns = FAL_NEVER;
    run.index = f->index++;
    fal_judge_event(f->judge, &run);
}

static void give(struct feed *f, struct fal_event event)
{
    event.index = f->index++;
    event.t_ns = f->now_ns;
    fal_judge_event(f->judge, &event);
}

static void give_connection(struct feed *f, uint32_t number, uint32_t tester_cid,
                            uint32_t sut_cid)
{
    struct fal_event event = {.kind = FAL_EV_CONNECTION, .conn = number};

    fal_params_default(&event.u.connection.params, false);
    event.u.connection.initial_known = true;
    event.u.connection.tester.cid = tester_cid;
    event.u.connection.sut.cid = sut_cid;
    give(f, event);
}

static void give_packet(struct feed *f, uint32_t conn, enum fal_dir dir,
                        const struct fal_falcon *falcon)
{
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = conn};
    uint8_t bytes[FAL_HEADER_MAX];
    int len = fal_falcon_encode(falcon, NULL, 0, bytes, sizeof bytes, NULL);

    ck_assert_int_gt(len, 0);
    event.u.packet =
        (struct fal_ev_packet){.dir = dir, .step = -1, .bytes = bytes, .len = (uint32_t)len};
    fal_event_packet(&event.u.packet);
    give(f, event);
}

static void give_back(struct feed *f, uint32_t conn, uint32_t cid, uint32_t data_base)
{
    struct fal_falcon back;

    fal_falcon_init(&back, FAL_BACK);
    back.dest_cid = cid;
    back.recv_data_base_psn = data_base;
    give_packet(f, conn, FAL_FROM_SUT, &back);
}

static void give_push(struct feed *f, uint32_t conn, uint32_t cid, uint32_t psn)
{
    struct fal_falcon push;

    fal_falcon_init(&push, FAL_PUSH_DATA);
    push.dest_cid = cid;
    push.psn = push.rsn = psn;
    give_packet(f, conn, FAL_TO_SUT, &push);
}

static const struct fal_rule_result *result(const struct feed *f, uint32_t conn,
                                            const char *rule, enum fal_subject subject)
{
    const struct fal_rule_result *r;

    for (size_t i = 0; (r = fal_judge_result(f->judge, i)) != NULL; i++)
        if (r->conn == conn && r->subject == subject && strcmp(r->rule->id, rule) == 0)
            return r;
    return NULL;
}

/* One connection's break harms no other. */
START_TEST(connections_are_judged_apart)
{
    struct feed f;

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 1, 11, 21);
    give_connection(&f, 70000, 12, 22);
    give_push(&f, 1, 21, 0);
    give_push(&f, 70000, 22, 0);
    give_back(&f, 1, 11, 1);
    give_back(&f, 70000, 12, 2);
    fal_judge_finish(f.judge);
    ck_assert_int_eq(result(&f, 1, "R1", FAL_SUBJECT_SUT)->verdict, FAL_VERDICT_PASS);
    ck_assert_int_eq(result(&f, 70000, "R1", FAL_SUBJECT_SUT)->verdict, FAL_VERDICT_FAIL);
    ck_assert_uint_eq(f.first.conn, 70000);
    ck_assert_int_eq(fal_judge_verdict(f.judge), FAL_VERDICT_FAIL);
    fal_judge_free(f.judge);
}
END_TEST

START_TEST(results_come_by_connection_rule_subject)
{
    struct feed f;
    size_t n, i = 0;
    const struct fal_rule *const *rules = fal_rules(&n);
    const struct fal_rule_impl *const *impls = fal_rule_table(&n);
    const struct fal_rule_result *r;

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 5, 11, 21);
    give_connection(&f, 2, 12, 22);
    fal_judge_finish(f.judge);
    for (unsigned c = 0; c < 2; c++) {
        for (size_t k = 0; k < n; k++) {
            for (enum fal_subject s = FAL_SUBJECT_SUT; s <= FAL_SUBJECT_TESTER; s++) {
                if (impls[k]->sut_only && s == FAL_SUBJECT_TESTER)
                    continue;
                r = fal_judge_result(f.judge, i++);
                ck_assert_ptr_nonnull(r);
                ck_assert_uint_eq(r->conn, c == 0 ? 5 : 2);
                ck_assert_ptr_eq(r->rule, rules[k]);
                ck_assert_int_eq(r->subject, s);
                ck_assert_int_eq(r->verdict, FAL_VERDICT_NONE); /* not exercised */
            }
        }
    }
    ck_assert_ptr_null(fal_judge_result(f.judge, i));
    ck_assert_ptr_null(fal_judge_result(f.judge, SIZE_MAX / 2));
    ck_assert_int_eq(fal_judge_verdict(f.judge), FAL_VERDICT_NONE);
    fal_judge_free(f.judge);
}
END_TEST

START_TEST(only_and_skip_choose_rules)
{
    const char *only[] = {"R1", "L1", NULL}, *skip[] = {"R1", NULL};
    struct feed f;

    feed_start(&f, only, skip, false);
    give_connection(&f, 1, 11, 21);
    give_back(&f, 1, 11, 9);
    fal_judge_finish(f.judge);
    ck_assert_ptr_null(result(&f, 1, "R1", FAL_SUBJECT_SUT));
    ck_assert_ptr_null(result(&f, 1, "R3", FAL_SUBJECT_SUT));
    ck_assert_uint_eq(result(&f, 1, "L1", FAL_SUBJECT_SUT)->holds, 1);
    ck_assert_uint_eq(f.findings, 0);
    fal_judge_free(f.judge);
}
END_TEST

/* Where the harness did not say which connection: the CID does. */
START_TEST(packets_find_their_connection_by_cid)
{
    struct feed f;

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 1, 11, 21);
    give_connection(&f, 2, 12, 22);
    give_push(&f, 0, 22, 0);
    give_back(&f, 0, 12, 1);
    give_back(&f, 1, 12, 1); /* it says, and is wrong */
    fal_judge_finish(f.judge);
    ck_assert_uint_eq(result(&f, 2, "R1", FAL_SUBJECT_SUT)->holds, 1);
    ck_assert_uint_eq(result(&f, 2, "L1", FAL_SUBJECT_SUT)->holds, 2);
    ck_assert_uint_eq(result(&f, 1, "L1", FAL_SUBJECT_SUT)->holds, 0);
    ck_assert_uint_eq(f.findings, 0);
    fal_judge_free(f.judge);
}
END_TEST

START_TEST(strays_have_results_of_their_own)
{
    struct feed f;
    const struct fal_rule_result *r;

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 1, 11, 21);
    give_connection(&f, 2, 12, 22);
    give_back(&f, 0, 77, 1);
    give_back(&f, 9, 78, 1);
    fal_judge_finish(f.judge);
    r = result(&f, 0, "L1", FAL_SUBJECT_SUT);
    ck_assert_ptr_nonnull(r);
    ck_assert_uint_eq(r->broken, 2);
    ck_assert_ptr_null(result(&f, 0, "R1", FAL_SUBJECT_SUT));
    ck_assert_int_eq(fal_judge_verdict(f.judge), FAL_VERDICT_FAIL);
    fal_judge_free(f.judge);
}
END_TEST

/* Another reading of one rule (AMB-13, S2), while nobody knows whether a NACK came (S5). */
START_TEST(an_inconclusive_rule_hides_no_warning)
{
    const char *only[] = {"S2", "S5", NULL};
    struct fal_falcon pull, nack, resync;
    struct feed f;

    feed_start(&f, only, NULL, false);
    give_connection(&f, 1, 11, 21);
    fal_falcon_init(&pull, FAL_PULL_REQUEST);
    pull.dest_cid = 11;
    give_packet(&f, 1, FAL_FROM_SUT, &pull);
    fal_falcon_init(&nack, FAL_NACK);
    nack.dest_cid = 21;
    nack.nack_code = FAL_NACK_XLR;
    nack.window = FAL_WINDOW_REQ;
    give_packet(&f, 1, FAL_TO_SUT, &nack);
    fal_falcon_init(&resync, FAL_RESYNC);
    resync.dest_cid = 11;
    resync.psn = 3;
    resync.resync_code = FAL_RESYNC_REMOTE_XLR;
    resync.resync_packet_type = FAL_PULL_REQUEST;
    give_packet(&f, 1, FAL_FROM_SUT, &resync);
    fal_judge_finish(f.judge);
    ck_assert_int_eq(result(&f, 1, "S2", FAL_SUBJECT_SUT)->verdict, FAL_VERDICT_WARN);
    ck_assert_int_eq(result(&f, 1, "S5", FAL_SUBJECT_SUT)->verdict, FAL_VERDICT_INCONC);
    ck_assert_int_eq(fal_judge_verdict(f.judge), FAL_VERDICT_INCONC);
    ck_assert_int_eq(fal_judge_decided(f.judge), FAL_VERDICT_WARN);
    fal_judge_free(f.judge);
}
END_TEST

START_TEST(a_number_may_be_used_again_after_its_end)
{
    struct feed f;
    struct fal_event close = {.kind = FAL_EV_CLOSE, .conn = 1};

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 1, 11, 21);
    give_push(&f, 1, 21, 0);
    give_back(&f, 1, 11, 1);
    give(&f, close);
    give_connection(&f, 1, 11, 21);
    give_back(&f, 1, 11, 0); /* the new one starts anew */
    fal_judge_finish(f.judge);
    ck_assert_uint_eq(f.findings, 0);
    ck_assert_int_eq(fal_judge_verdict(f.judge), FAL_VERDICT_PASS);
    fal_judge_free(f.judge);
}
END_TEST

START_TEST(after_the_end_nothing_is_taken)
{
    struct feed f;
    struct fal_event end = {.kind = FAL_EV_END};

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 1, 11, 21);
    give(&f, end);
    give_back(&f, 1, 11, 9);
    fal_judge_finish(f.judge);
    fal_judge_finish(f.judge);
    ck_assert_uint_eq(f.findings, 0);
    fal_judge_free(f.judge);
}
END_TEST

/* A flood of breaks is counted whole and told in part. */
START_TEST(findings_are_capped)
{
    struct feed f;

    feed_start(&f, NULL, NULL, false);
    give_connection(&f, 1, 11, 21);
    for (int i = 0; i < 1000; i++)
        give_back(&f, 0, 77, 1);
    fal_judge_finish(f.judge);
    ck_assert_uint_eq(result(&f, 1, "L1", FAL_SUBJECT_SUT)->broken, 1000);
    ck_assert_uint_ge(f.findings, 16);
    ck_assert_uint_le(f.findings, 100);
    fal_judge_free(f.judge);
}
END_TEST

START_TEST(events_that_make_no_sense_do_no_harm)
{
    struct feed f;
    struct fal_event event = {.kind = FAL_EV_CLOSE, .conn = 4};

    feed_start(&f, NULL, NULL, false);
    give(&f, event);
    for (int kind = FAL_EV_RUN; kind < FAL_EV_END; kind++) {
        event = (struct fal_event){.kind = (enum fal_event_kind)kind, .conn = UINT32_MAX};
        give(&f, event);
    }
    give_connection(&f, 0, 1, 2);
    event = (struct fal_event){.kind = FAL_EV_ULP, .conn = 0};
    give(&f, event);
    fal_judge_finish(f.judge);
    fal_judge_free(f.judge);
    fal_judge_free(NULL);
}
END_TEST

/* judging.md, section 3: excuses never add up to a pass. */
START_TEST(verdict_of_a_tally)
{
    const struct fal_rule_impl impl = {.power = 2};
    struct fal_tally t = {0};
    enum fal_subject sut = FAL_SUBJECT_SUT, tester = FAL_SUBJECT_TESTER;

#define VERDICT(due) ck_assert_int_eq(fal_count_verdict(&impl, sut, &t), due)
    VERDICT(FAL_VERDICT_NONE);
    t.excused[FAL_EXCUSE_OUT_LOSS] = 1000;
    t.undecided = 1000;
    VERDICT(FAL_VERDICT_INCONC);
    t.holds = 1;
    VERDICT(FAL_VERDICT_INCONC);
    t.holds = 1999;
    VERDICT(FAL_VERDICT_INCONC); /* most are open: 1999 of 3999 decided */
    t.holds = 2000;
    VERDICT(FAL_VERDICT_PASS);
    t.broken_warn = 1;
    VERDICT(FAL_VERDICT_WARN);
    t.broken_warn = 0;
    t.holds = 1;
    t.excused[FAL_EXCUSE_READING] = 1;
    VERDICT(FAL_VERDICT_WARN); /* a reading counts as held, and warns */
    t.broken_fail = 1;
    VERDICT(FAL_VERDICT_FAIL);
    ck_assert_int_eq(fal_count_verdict(&impl, tester, &t), FAL_VERDICT_ERROR);
    t = (struct fal_tally){.broken_asked = 1};
    ck_assert_int_eq(fal_count_verdict(&impl, tester, &t), FAL_VERDICT_NONE);
#undef VERDICT
}
END_TEST

START_TEST(every_rule_is_whole)
{
    size_t n, m;
    const struct fal_rule *const *rules = fal_rules(&n);
    const struct fal_rule_impl *const *impls = fal_rule_table(&m);

    ck_assert_uint_eq(n, m);
    ck_assert_uint_le(n, FAL_RULES_MAX);
    for (size_t i = 0; i < n; i++) {
        ck_assert_ptr_eq(rules[i], impls[i]->about);
        ck_assert_ptr_eq(fal_rule_find(rules[i]->id), rules[i]); /* no other rule has its id */
        ck_assert_uint_eq(fal_rule_number(rules[i]), i);
        ck_assert_ptr_nonnull(rules[i]->requirements[0]);
        for (const char *const *id = rules[i]->requirements; *id != NULL; id++) {
            const struct fal_requirement *r = fal_requirement_find(*id);

            ck_assert_msg(r != NULL, "%s: no requirement %s", rules[i]->id, *id);
            ck_assert_str_ne(r->on_breach, "never");
        }
        ck_assert_int_ne(rules[i]->title[0], 0);
        ck_assert_int_ne(rules[i]->doc[0], 0);
        ck_assert(strcmp(rules[i]->role, "receiver") == 0 ||
                  strcmp(rules[i]->role, "transmitter") == 0 ||
                  strcmp(rules[i]->role, "initiator") == 0 ||
                  strcmp(rules[i]->role, "target") == 0 || strcmp(rules[i]->role, "any") == 0);
        ck_assert_int_ne(rules[i]->needs[0], 0);
        ck_assert_uint_ge(impls[i]->power, 1);
        ck_assert((impls[i]->assumes == 0) == (rules[i]->assumes[0] == 0) ||
                  strcmp(rules[i]->id, "X1") == 0); /* for one of its parts only */
    }
}
END_TEST

START_TEST(every_excuse_has_a_name)
{
    for (unsigned e = 0; e < FAL_EXCUSE_COUNT; e++)
        ck_assert_ptr_nonnull(fal_excuse_name((enum fal_excuse)e));
    ck_assert_str_eq(fal_excuse_name(FAL_EXCUSE_OUT_REORDER), "out-reorder");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("judge");
    TCase *tc = tcase_create("judge");

    tcase_add_test(tc, connections_are_judged_apart);
    tcase_add_test(tc, results_come_by_connection_rule_subject);
    tcase_add_test(tc, only_and_skip_choose_rules);
    tcase_add_test(tc, packets_find_their_connection_by_cid);
    tcase_add_test(tc, strays_have_results_of_their_own);
    tcase_add_test(tc, an_inconclusive_rule_hides_no_warning);
    tcase_add_test(tc, a_number_may_be_used_again_after_its_end);
    tcase_add_test(tc, after_the_end_nothing_is_taken);
    tcase_add_test(tc, findings_are_capped);
    tcase_add_test(tc, events_that_make_no_sense_do_no_harm);
    tcase_add_test(tc, verdict_of_a_tally);
    tcase_add_test(tc, every_rule_is_whole);
    tcase_add_test(tc, every_excuse_has_a_name);
    suite_add_tcase(suite, tc);
    return suite;
}
