/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/budget.h"

#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

enum { MANY = 1100 };

/* One packet of a long run: number i of its sender, with the base that it claims. */
struct step {
    enum fal_dir dir;
    unsigned i, base;
};

static void take(struct fal_judge *judge, const struct fal_connection *c, struct step step,
                 uint64_t *index)
{
    bool in = step.dir == FAL_TO_SUT;
    const struct fal_end *own = in ? &c->tester : &c->sut, *peer = in ? &c->sut : &c->tester;
    struct fal_event event = {.kind = FAL_EV_PACKET, .conn = 1};
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_falcon f;

    fal_falcon_init(&f, FAL_PUSH_DATA);
    f.dest_cid = peer->cid;
    f.dest_function = peer->function;
    f.recv_data_base_psn = peer->data_psn + step.base;
    f.recv_req_base_psn = peer->req_psn;
    f.psn = own->data_psn + step.i;
    f.rsn = own->rsn + step.i;
    event.index = ++*index;
    event.t_ns = event.index * FAL_US;
    event.u.packet = (struct fal_ev_packet){.dir = step.dir, .step = -1, .bytes = bytes};
    event.u.packet.len = (uint32_t)fal_falcon_encode(&f, NULL, 0, bytes, sizeof bytes, NULL);
    fal_event_packet(&event.u.packet);
    fal_judge_event(judge, &event);
}

/* Both sides push, over plain UDP; the tester acknowledges each push with its next. Every
 * `lose`-th push of the SUT never comes; with `deaf` it repeats each that was acknowledged. A
 * judge of both ends has the ends the other way round. */
static struct fal_judge *judged_run(const struct fal_judge_config *config, unsigned n,
                                    unsigned lose, bool deaf)
{
    struct fal_judge *judge = fal_judge_new(config);
    struct fal_event event = {.kind = FAL_EV_RUN};
    struct fal_connection connection = script_connection(&udp);
    enum fal_dir out =
        config->both_ends ? FAL_TO_SUT : FAL_FROM_SUT; /* of the SUT of interest */
    uint64_t index = 0;

    ck_assert_ptr_nonnull(judge);
    event.u.run = udp.run;
    if (config->both_ends) /* which says the same of the path either way */
        event.u.run.vantage = FAL_VANTAGE_MIDDLE;
    fal_judge_event(judge, &event);
    index++;
    event = (struct fal_event){.kind = FAL_EV_CONNECTION, .index = index, .conn = 1};
    event.u.connection = connection;
    fal_judge_event(judge, &event);
    for (unsigned i = 0; i < n; i++) {
        if (lose == 0 || i % lose != 1)
            take(judge, &connection, (struct step){out, i, 0}, &index);
        take(judge, &connection, (struct step){fal_dir_other(out), i, lose == 0 ? i + 1 : 0},
             &index);
        if (deaf)
            take(judge, &connection, (struct step){out, i, 0}, &index);
    }
    fal_judge_finish(judge);
    return judge;
}

static struct fal_judge *long_run(const char *rule, unsigned n, unsigned lose, bool deaf)
{
    const char *only[] = {rule, NULL};

    return judged_run(&(struct fal_judge_config){.only = only}, n, lose, deaf);
}

/* What was lost is excused. */
START_TEST(a_path_that_loses_excuses)
{
    struct fal_judge *judge = long_run("X2", MANY, 10, false);
    struct fal_suspect suspect;

    ck_assert_uint_eq(fal_judge_result(judge, 0)->excused[FAL_EXCUSE_OUT_LOSS], MANY / 10);
    ck_assert(!fal_judge_suspect(judge, 0, &suspect));
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_PASS);
    fal_judge_free(judge);
}
END_TEST

/* A thousand acknowledgements, all of them lost, on a path that lost nothing else: no break, as
 * each of them may be, but no pass either. */
START_TEST(excuses_beyond_what_the_path_did_are_suspect)
{
    struct fal_judge *judge = long_run("X6", MANY, 0, true);
    struct fal_suspect suspect;

    ck_assert_uint_eq(fal_judge_result(judge, 0)->excused[FAL_EXCUSE_IN_LOSS], MANY);
    ck_assert_uint_eq(fal_judge_result(judge, 0)->broken, 0);
    ck_assert(fal_judge_suspect(judge, 0, &suspect));
    ck_assert_int_eq(suspect.excuse, FAL_EXCUSE_IN_LOSS);
    ck_assert_uint_eq(suspect.used, MANY);
    ck_assert_uint_lt(suspect.allowed, 100);
    ck_assert(!fal_judge_suspect(judge, 1, &suspect));
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_INCONC);
    fal_judge_free(judge);
    judge = long_run("X6", 900, 0, true); /* too short to know the path */
    ck_assert(!fal_judge_suspect(judge, 0, &suspect));
    fal_judge_free(judge);
}
END_TEST

/* Each end of a judge of both has excuses and paths of its own. */
START_TEST(the_other_end_is_suspect_alone)
{
    const char *only[] = {"X6", NULL};
    struct fal_judge *judge =
        judged_run(&(struct fal_judge_config){.only = only, .both_ends = true}, MANY, 0, true);
    struct fal_suspect suspect;

    ck_assert_uint_eq(fal_judge_result_of(judge, 1, 0)->excused[FAL_EXCUSE_IN_LOSS], MANY);
    ck_assert_int_eq(fal_judge_result_of(judge, 1, 0)->subject, FAL_SUBJECT_SUT);
    ck_assert_uint_eq(fal_judge_result_of(judge, 0, 0)->excused[FAL_EXCUSE_IN_LOSS], 0);
    ck_assert(fal_judge_suspect_of(judge, 1, 0, &suspect));
    ck_assert_int_eq(suspect.excuse, FAL_EXCUSE_IN_LOSS);
    ck_assert_uint_eq(suspect.used, MANY);
    ck_assert(!fal_judge_suspect_of(judge, 0, 0, &suspect));
    ck_assert_int_eq(fal_judge_verdict(judge), FAL_VERDICT_INCONC);
    fal_judge_free(judge);
}
END_TEST

START_TEST(what_each_kind_goes_by)
{
    struct fal_measured measured[FAL_DIRS] = {{.packets = 5000, .reliable = 2500},
                                              {.packets = 5000, .reliable = 2500}};
    uint64_t free = fal_allowed(measured, FAL_EXCUSE_OUT_LOSS);

    ck_assert_uint_lt(free, 100);
    ck_assert_uint_gt(free, 16);
    measured[FAL_FROM_SUT].holes = 50;
    ck_assert_uint_gt(fal_allowed(measured, FAL_EXCUSE_OUT_LOSS), free + 300);
    ck_assert_uint_eq(fal_allowed(measured, FAL_EXCUSE_IN_LOSS), free);
    measured[FAL_FROM_SUT].repeats = 50; /* its own copies excuse only duplicates */
    ck_assert_uint_eq(fal_allowed(measured, FAL_EXCUSE_IN_LOSS), free);
    ck_assert_uint_gt(fal_allowed(measured, FAL_EXCUSE_OUT_DUP), free + 300);
    measured[FAL_TO_SUT].shown = 50;
    ck_assert_uint_gt(fal_allowed(measured, FAL_EXCUSE_IN_LOSS), free + 300);
}
END_TEST

/* Too few packets give no measurement; an effect that the path does not cause is not measured.
 */
START_TEST(where_nothing_is_measured_all_is_allowed)
{
    struct fal_measured few[FAL_DIRS] = {{.packets = 900, .reliable = 900}};
    struct fal_measured many[FAL_DIRS] = {{.packets = 9000, .reliable = 9000},
                                          {.packets = 9000, .reliable = 9000}};

    ck_assert_uint_eq(fal_allowed(few, FAL_EXCUSE_IN_LOSS), UINT64_MAX);
    for (enum fal_excuse e = 0; e < FAL_EXCUSE_COUNT; e++)
        ck_assert_int_eq(fal_allowed(many, e) == UINT64_MAX,
                         e > FAL_EXCUSE_OUT_REORDER || e == FAL_EXCUSE_IN_DUP);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("excuse budget");
    TCase *tc = tcase_create("budget");

    tcase_add_test(tc, a_path_that_loses_excuses);
    tcase_add_test(tc, excuses_beyond_what_the_path_did_are_suspect);
    tcase_add_test(tc, the_other_end_is_suspect_alone);
    tcase_add_test(tc, what_each_kind_goes_by);
    tcase_add_test(tc, where_nothing_is_measured_all_is_allowed);
    suite_add_tcase(suite, tc);
    return suite;
}
