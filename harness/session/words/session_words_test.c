/* SPDX-License-Identifier: Apache-2.0
 * Words of RDMA verbs in a case with the built-in SUT: commands, replies, and events, as
 * structs and as lines. */
#include "harness/session/words/session_words.h"

#include "harness/session/offer.h"
#include "harness/session/words/tester_words.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

struct verbs_case {
    struct tl_bench bench;
    struct tl_session *session;
    FILE *timeline; /* NULL: commands are structs, and nobody records them */
    char *text;
    size_t len;
    char pd[FAL_VERBS_NAME_MAX], cq[FAL_VERBS_NAME_MAX], mr[FAL_VERBS_NAME_MAX],
        qp[FAL_VERBS_NAME_MAX];
};

static void open_case(struct verbs_case *v, bool recorded, enum tl_upper_layer upper)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct fal_connection setup = {.tester = {.cid = 0x111, .function = 7}};
    struct fal_error err;

    *v = (struct verbs_case){.timeline = NULL};
    if (recorded)
        v->timeline = open_memstream(&v->text, &v->len);
    ck_assert_msg(tl_bench_open(&v->bench, &target, 1, &err) == 0, "%s", err.text);
    fal_params_default(&setup.params, false);
    v->session = tl_session_new(&(struct tl_session_config){.bench = &v->bench,
                                                            .title = "verbs",
                                                            .seed = 1,
                                                            .timeout_ns = FAL_S,
                                                            .acks = true,
                                                            .retransmission = true,
                                                            .ulp = true,
                                                            .upper = upper,
                                                            .timeline = v->timeline});
    ck_assert_ptr_nonnull(v->session);
    ck_assert_msg(tl_session_open(v->session, &setup, &(struct tl_end_setup){0}) == 0, "%s",
                  v->session->broken.what.text);
}

static void end_case(struct verbs_case *v)
{
    tl_session_finish(v->session);
    tl_session_free(v->session);
    tl_bench_close(&v->bench);
    if (v->timeline != NULL)
        (void)fclose(v->timeline);
}

/* Whether the SUT carries it out. */
static bool ask_sut(struct verbs_case *v, const struct fal_verbs *ask, struct fal_verbs *answer)
{
    union tl_word word = {.verbs = *ask}, got = {.verbs = {.kind = ask->kind}};
    bool done = tl_session_ask_word(v->session, tl_words_of(TL_UPPER_VERBS), &word, &got);

    *answer = got.verbs;
    return done;
}

static struct fal_verbs good(struct verbs_case *v, const struct fal_verbs *ask)
{
    struct fal_verbs answer = {.kind = ask->kind};

    ck_assert_msg(ask_sut(v, ask, &answer), "%s: %s%s", fal_verbs_names[ask->kind],
                  v->session->answer_why, v->session->broken.what.text);
    ck_assert_int_eq(answer.kind, ask->kind);
    return answer;
}

static void copy(char to[FAL_VERBS_NAME_MAX], const char *from)
{
    memcpy(to, from, FAL_VERBS_NAME_MAX);
}

/* A queue pair on the connection, with memory. */
static void make(struct verbs_case *v)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_PD_CREATE}, answer = good(v, &ask);

    copy(v->pd, answer.pd);
    answer = good(v, &(struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 16});
    copy(v->cq, answer.cq);
    ask = (struct fal_verbs){
        .kind = FAL_VERBS_MR_REG, .length = 4096, .access = FAL_VERBS_LOCAL_WRITE};
    copy(ask.pd, v->pd);
    answer = good(v, &ask);
    copy(v->mr, answer.mr);
    ask = (struct fal_verbs){.kind = FAL_VERBS_QP_CREATE};
    copy(ask.pd, v->pd);
    copy(ask.send_cq, v->cq);
    copy(ask.recv_cq, v->cq);
    answer = good(v, &ask);
    copy(v->qp, answer.qp);
    ask = (struct fal_verbs){.kind = FAL_VERBS_QP_CONNECT, .dest_qpn = 17};
    copy(ask.qp, v->qp);
    (void)snprintf(ask.conn, sizeof ask.conn, "%s", v->session->connection.name);
    (void)good(v, &ask);
}

/* A send of 8 bytes, which the tester's endpoint acknowledges. */
static struct fal_verbs post(struct verbs_case *v)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_POST_SEND,
                            .wr_id = 77,
                            .op = FAL_VERBS_SEND,
                            .num_sge = 1,
                            .sgl[0].length = 8,
                            .flags = FAL_VERBS_SIGNALED};

    copy(ask.qp, v->qp);
    copy(ask.sgl[0].mr, v->mr);
    return good(v, &ask);
}

START_TEST(a_case_posts_and_sees_the_completion)
{
    bool recorded = _i == 1;
    struct verbs_case v;
    const struct tl_seen_word *word;
    uint64_t until_ns;

    open_case(&v, recorded, TL_UPPER_VERBS);
    ck_assert_uint_eq(v.bench.word_levels[TL_UPPER_VERBS], 3);
    ck_assert(!tl_offer_lacks_verb(&v.bench, TL_DO_MR_HASH));
    ck_assert_int_eq(tl_session_takes_orders(v.session), !recorded);
    make(&v);
    ck_assert_uint_eq(post(&v).rsn_count, 1);
    until_ns = tl_session_now(v.session) + 10 * FAL_MS;
    while (!tl_session_pump(v.session, until_ns))
        ;
    ck_assert_int_eq(v.session->broken.reason, TL_REASON_NONE);
    ck_assert_uint_eq(tl_session_words_next(v.session), 1);
    word = tl_session_word(v.session, 0);
    ck_assert_ptr_nonnull(word);
    ck_assert_int_eq(word->side, TL_SIDE_SUT);
    ck_assert_int_eq(word->word.verbs.kind, FAL_VERBS_WC);
    ck_assert_uint_eq(word->word.verbs.wr_id, 77);
    ck_assert_uint_eq(word->word.verbs.status, 0);
    ck_assert_ptr_null(tl_session_word(v.session, 1));
    end_case(&v);
    if (recorded) {
        ck_assert_ptr_nonnull(strstr(v.text, "\"word\":\"post_send\""));
        ck_assert_ptr_nonnull(strstr(v.text, "\"word\":\"wc\""));
        ck_assert_ptr_null(strstr(v.text, "\"verb\":\"post_send\""));
    }
    free(v.text);
}
END_TEST

START_TEST(a_word_that_is_refused_breaks_nothing)
{
    const struct fal_verbs ask = {.kind = FAL_VERBS_QP_QUERY, .qp = "no such"};
    struct fal_verbs answer;
    struct verbs_case v;

    open_case(&v, _i == 1, TL_UPPER_VERBS);
    ck_assert(!ask_sut(&v, &ask, &answer));
    ck_assert_int_eq(v.session->broken.reason, TL_REASON_NONE);
    ck_assert_str_eq(v.session->answer_error, "failed");
    ck_assert_ptr_nonnull(strstr(v.session->answer_why, "qp"));
    make(&v);
    end_case(&v);
    free(v.text);
}
END_TEST

START_TEST(a_raw_connection_has_no_queue_pair)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_AH_CREATE}, answer;
    struct verbs_case v;

    open_case(&v, _i == 1, TL_UPPER_RAW);
    copy(v.pd, good(&v, &(struct fal_verbs){.kind = FAL_VERBS_PD_CREATE}).pd);
    copy(ask.pd, v.pd);
    (void)snprintf(ask.conn, sizeof ask.conn, "%s", v.session->connection.name);
    ck_assert(!ask_sut(&v, &ask, &answer));
    ck_assert_ptr_nonnull(strstr(v.session->answer_why, "raw"));
    end_case(&v);
    free(v.text);
}
END_TEST

static int ask_tester(struct verbs_case *v, const struct fal_verbs *ask,
                      struct fal_verbs *answer, struct fal_error *err)
{
    union tl_word word = {.verbs = *ask}, got = {.verbs = {.kind = ask->kind}};
    int rc = tl_session_tester_word(v->session, tl_words_of(TL_UPPER_VERBS), &word, &got, err);

    *answer = got.verbs;
    return rc;
}

static struct fal_verbs tester_good(struct verbs_case *v, struct fal_verbs ask)
{
    struct fal_verbs answer;
    struct fal_error err = {""};

    ck_assert_msg(ask_tester(v, &ask, &answer, &err) == 0, "%s", err.text);
    return answer;
}

/* A queue pair of the tester on the connection, with a receive request. */
static void make_tester(struct verbs_case *v)
{
    struct fal_verbs ask = {.kind = FAL_VERBS_QP_CREATE}, answer;

    answer = tester_good(v, (struct fal_verbs){.kind = FAL_VERBS_PD_CREATE});
    copy(ask.pd, answer.pd);
    answer = tester_good(v, (struct fal_verbs){.kind = FAL_VERBS_CQ_CREATE, .depth = 4});
    copy(ask.send_cq, answer.cq);
    copy(ask.recv_cq, answer.cq);
    answer = tester_good(v, ask);
    copy(ask.qp, answer.qp);
    ask.kind = FAL_VERBS_QP_CONNECT;
    ask.dest_qpn = 1;
    (void)snprintf(ask.conn, sizeof ask.conn, "%s", v->session->connection.name);
    (void)tester_good(v, ask);
    ask.kind = FAL_VERBS_POST_RECV;
    ask.wr_id = 5;
    (void)tester_good(v, ask);
}

/* The queue pair of make() sends to 17: the tester's has another number, and refuses it. */
START_TEST(the_tester_has_verbs_of_its_own)
{
    struct fal_verbs answer = {.kind = FAL_VERBS_QP_QUERY};
    const struct fal_verbs unknown = {.kind = FAL_VERBS_QP_QUERY, .qp = "qp99"};
    struct fal_error err = {""};
    const struct tl_seen_word *word;
    struct verbs_case v;
    uint64_t until_ns;

    open_case(&v, _i == 1, TL_UPPER_VERBS);
    make(&v);
    ck_assert_int_ne(ask_tester(&v, &unknown, &answer, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "qp99"));
    ck_assert_int_eq(v.session->broken.reason, TL_REASON_NONE);
    make_tester(&v);
    (void)post(&v);
    until_ns = tl_session_now(v.session) + 10 * FAL_MS;
    while (!tl_session_pump(v.session, until_ns))
        ;
    word = tl_session_word(v.session, 0);
    ck_assert_ptr_nonnull(word);
    ck_assert_int_eq(word->side, TL_SIDE_SUT);
    ck_assert_uint_ne(word->word.verbs.status,
                      0); /* not what an upper layer that takes all gives */
    end_case(&v);
    ck_assert(!_i || strstr(v.text, "tester's verbs: post_recv qp=") != NULL);
    free(v.text);
}
END_TEST

START_TEST(an_adapter_that_lacks_a_word_is_named)
{
    struct tl_bench bench = {.level = 3};
    struct tl_need need = {.verb = TL_DO_POST_SEND};
    char text[TL_LACK_MAX];

    ck_assert(tl_offer_lacks(&bench, &need, text, sizeof text));
    ck_assert_str_eq(text, "needs `post_send` (level L2v); the adapter offers no RDMA verbs");
    bench.word_levels[TL_UPPER_VERBS] = 2;
    ck_assert(!tl_offer_lacks(&bench, &need, text, sizeof text));
    need.verb = TL_DO_MR_HASH;
    ck_assert(tl_offer_lacks(&bench, &need, text, sizeof text));
    ck_assert_str_eq(text, "needs `mr_hash` (level L3v); the adapter offers L2v");
}
END_TEST

/* On a connection for verbs alone: else rules would miss events that level L1 does not have. */
START_TEST(a_barrier_belongs_to_the_verbs_too)
{
    struct tl_bench bench = {.level = 1};
    struct tl_need need = {.verb = TL_DO_BARRIER, .upper = TL_UPPER_VERBS};
    char text[TL_LACK_MAX];

    ck_assert(tl_offer_lacks(&bench, &need, text, sizeof text));
    ck_assert_str_eq(text, "needs `barrier` (level L3); the adapter offers L1");
    bench.word_levels[TL_UPPER_VERBS] = 2;
    ck_assert(!tl_offer_lacks(&bench, &need, text, sizeof text));
    need.upper = TL_UPPER_RAW;
    ck_assert(tl_offer_lacks(&bench, &need, text, sizeof text));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("session_verbs");
    TCase *tc = tcase_create("all");

    tcase_add_loop_test(tc, a_case_posts_and_sees_the_completion, 0, 2);
    tcase_add_loop_test(tc, a_word_that_is_refused_breaks_nothing, 0, 2);
    tcase_add_loop_test(tc, a_raw_connection_has_no_queue_pair, 0, 2);
    tcase_add_loop_test(tc, the_tester_has_verbs_of_its_own, 0, 2);
    tcase_add_test(tc, an_adapter_that_lacks_a_word_is_named);
    tcase_add_test(tc, a_barrier_belongs_to_the_verbs_too);
    suite_add_tcase(suite, tc);
    return suite;
}
