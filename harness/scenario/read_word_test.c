/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/scenario/scenario_testing.h"

#define CONNECTION "'connection': {'upper': 'verbs', 'params': {'protocol_type': 2}}, "
#define STEPS(...) CONNECTION "'steps': [" __VA_ARGS__ "]"
#define PD         "{'verbs': {'do': 'pd_create'}, 'as': 'p'}, "
#define MR                                                                                \
    "{'verbs': {'do': 'mr_reg', 'pd': 'p', 'length': 64, 'access': ['lw', 'rr']}, 'as': " \
    "'m'}, "

START_TEST(a_command_is_read_by_its_table)
{
    struct tl_scenario *s = scenario_of(STEPS(
        PD MR "{'verbs': {'do': 'post_send', 'qp': 'q', 'wr_id': '$m_va + 1', 'op': "
              "'write_imm', 'sgl': [{'mr': 'm', 'offset': 4, 'length': 60}], 'remote': {'va': "
              "'$m_va', 'rkey': '$m_rkey'}, 'imm': 0, 'flags': ['fence']}, 'refused': true}"));
    const struct tl_word_step *reg = s->steps[1].u.word, *post = s->steps[2].u.word;
    struct fal_verbs verbs = {.qp = ""};

    ck_assert_int_eq(s->upper, TL_UPPER_VERBS);
    ck_assert_int_eq(s->steps[0].verb, TL_WORD);
    ck_assert_str_eq(s->steps[0].u.word->as, "p");
    ck_assert_uint_eq(s->steps[0].u.word->num_binds, 0);
    ck_assert_uint_eq(reg->ask.verbs.access, FAL_VERBS_LOCAL_WRITE | FAL_VERBS_REMOTE_READ);
    ck_assert_uint_eq(reg->num_binds, 3);
    ck_assert_str_eq(reg->binds[2].name, "m_rkey");
    ck_assert_int_eq(post->ask.verbs.op, FAL_VERBS_WRITE_IMM);
    ck_assert_uint_eq(post->ask.verbs.num_sge, 1);
    ck_assert_str_eq(post->ask.verbs.sgl[0].mr, "m");
    ck_assert(post->ask.verbs.has_remote && post->ask.verbs.has_imm && post->refused);
    ck_assert_uint_eq(post->ask.verbs.flags, FAL_VERBS_FENCE);
    ck_assert_uint_eq(post->slots.n, 6);
    ck_assert_int_eq(tl_word_set(&verbs, reg->binds[2].at, reg->binds[2].size, UINT32_MAX), 0);
    ck_assert_uint_eq(verbs.rkey, UINT32_MAX);
    ck_assert_int_eq(
        tl_word_set(&verbs, reg->binds[2].at, reg->binds[2].size, UINT64_C(1) << 32),
        FAL_ERR_RANGE);
    ck_assert_uint_eq(tl_word_number(&verbs, reg->binds[2].at, reg->binds[2].size), UINT32_MAX);
    tl_scenario_free(s);
}
END_TEST

START_TEST(an_event_and_a_reply_are_patterns)
{
    struct tl_scenario *s = scenario_of(
        STEPS("{'verbs': {'do': 'qp_query', 'qp': 'q'}, 'reply': {'state': '{rts,sqe}'}}, "
              "{'verbs': {'do': 'mr_hash', 'mr': 'm', 'length': 8}, 'reply': {'data': 7, "
              "'from': 64}}, {'expect_verbs': {'event': 'wc', 'qp': 'q', 'status': '!0', "
              "'opcode': 'recv'}, 'within': '1ms'}, {'expect_no_verbs': {'event': 'async'}, "
              "'for': '1ms'}"));
    const struct tl_word_step *query = s->steps[0].u.word, *hash = s->steps[1].u.word;
    const struct tl_word_pattern *wc = s->steps[2].u.expect_ulp.pattern->word;

    ck_assert_uint_eq(query->reply.n, 1);
    ck_assert_int_eq(query->reply.list[0].value.kind, TL_VALUE_SET);
    ck_assert(hash->data.given);
    ck_assert_uint_eq(hash->data.tag.number, 7);
    ck_assert_uint_eq(hash->data.from.number, 64);
    ck_assert_int_eq(wc->kind, FAL_VERBS_WC);
    ck_assert_str_eq(wc->due.verbs.qp, "q");
    ck_assert_uint_eq(wc->slots.n, 2);
    ck_assert_uint_eq(wc->slots.list[1].value.number, FAL_VERBS_DONE_RECV);
    ck_assert_int_eq(s->steps[3].verb, TL_EXPECT_NO_EVENT);
    tl_scenario_free(s);
}
END_TEST

START_TEST(either_side_has_verbs)
{
    struct tl_scenario *s = scenario_of(
        STEPS("{'verbs': {'do': 'pd_create'}, 'as': 'p', 'side': 'tester'}, {'verbs': {'do': "
              "'pd_create'}, 'as': 'q'}, {'expect_verbs': {'event': 'wc'}, 'side': 'tester', "
              "'within': '1ms'}"));

    ck_assert(s->steps[0].u.word->tester);
    ck_assert(!s->steps[1].u.word->tester);
    ck_assert_int_eq(s->steps[2].u.expect_ulp.side, TL_SIDE_TESTER);
    tl_scenario_free(s);
}
END_TEST

static const struct {
    const char *step, *due;
} wrong[] = {
    {"{'verbs': {'do': 'pd_create', 'mr': 'm'}}", "steps[0].verbs.mr: no such member"},
    {"{'verbs': {'do': 'mr_dereg', 'mt': 'm'}}",
     "steps[0].verbs.mt: no such member; there are do, pd"},
    {"{'verbs': {'do': 'mr_dereg', 'mr': 'm'}, 'side': 'tester', 'refused': true}",
     "steps[0].refused: goes with the SUT"},
    {"{'verbs': {'do': 'mr_dereg'}}", "steps[0].verbs: mr: missing; expected handle of a"},
    {"{'verbs': {'do': 'mr_derg', 'mr': 'm'}}", "'mr_derg' is none of pd_create"},
    {"{'verbs': {'do': 'mr_dereg', 'mr': 'm'}, 'as': 'x'}",
     "steps[0].as: mr_dereg makes nothing that could have a name"},
    {"{'verbs': {'do': 'mr_reg', 'pd': 'p', 'length': '1..2'}, 'as': 'x'}",
     "steps[0].verbs.length: expected one value"},
    {"{'verbs': {'do': 'mr_reg', 'pd': 'p', 'length': '$x_va'}, 'as': 'x'}",
     "$x_va is not bound here"},
    {"{'verbs': {'do': 'mr_reg', 'pd': 'p', 'length': 1, 'access': ['zz']}}",
     "steps[0].verbs.access: element 0: expected one of lw"},
    {"{'verbs': {'do': 'qp_query', 'qp': 'q'}, 'reply': {'data': 1}}",
     "steps[0].reply.data: \"data\" goes with a word that has a hash"},
    {"{'verbs': {'do': 'qp_query', 'qp': 'q'}, 'reply': {'hash': 1}}",
     "steps[0].reply.hash: no such member"},
    {"{'verbs': {'do': 'pd_create'}, 'as': 'averyverylongname'}",
     "steps[0].as: expected a name of at most 12 characters"},
    {"{'expect_verbs': {'event': 'cq_event', 'status': 0}, 'within': '1ms'}",
     "steps[0].expect_verbs.status: no such member"},
    {"{'expect_no_verbs': {'event': 'wc'}}", "\"for\" is missing"},
    {"{'nvme': {'do': 'nvme_post', 'cmd': 1, 'op': 'read', 'nsid': 1}}",
     "steps[0].nvme: slba: missing; expected first block"},
    {"{'nvme': {'do': 'nvme_lba', 'index': 0, 'nlb0': 1}}",
     "steps[0].nvme.nlb0: no such member; there are"},
    {"{'nvme': {'do': 'pd_create'}}", "steps[0].nvme.do: 'pd_create' is none of nvme_ns"},
    {"{'nvme': {'do': 'nvme_post', 'cmd': 1, 'op': 'erase', 'nsid': 1, 'slba': 0}}",
     "steps[0].nvme.op: 'erase' is none of read, write"},
    {"{'nvme': {'do': 'dev_identify', 'nsid': 1}, 'reply': {'data': 1}}",
     "steps[0].reply.data: \"data\" goes with a word that has a hash"},
    {"{'expect_nvme': {'event': 'nvme_cqe', 'dcmd': 0}, 'within': '1ms'}",
     "steps[0].expect_nvme.dcmd: no such member"},
};

START_TEST(words_of_nvme_are_read_by_their_table)
{
    struct tl_scenario *s = scenario_of(
        STEPS("{'nvme': {'do': 'nvme_ns', 'nsid': 7, 'S': 2, 'pi': 'insert', 'exclusive': "
              "true}, 'as': 'n'}, {'nvme': {'do': 'dev_hash', 'nsid': 9, 'slba': '$n_mdts', "
              "'nlb0': 1}, 'reply': {'data': 3, 'from': 512, 'bytes': 8192}, 'side': "
              "'tester'}, {'expect_nvme': {'event': 'dev_cmd', 'op': 'write', 'slba': '1..2', "
              "'data': 3, 'bytes': 64}, 'within': '1ms'}"));
    const struct tl_word_step *ns = s->steps[0].u.word, *hash = s->steps[1].u.word;
    const struct tl_word_pattern *told = s->steps[2].u.expect_ulp.pattern->word;
    struct fal_nvme_word word = {.nlb0 = 0};

    ck_assert_ptr_eq(ns->words, tl_words_of(TL_UPPER_NVME));
    ck_assert_uint_eq(ns->kind, FAL_NVME_NS);
    ck_assert_uint_eq(ns->ask.nvme.block_shift, 12); /* not given: the table's */
    ck_assert_int_eq(ns->ask.nvme.pi, FAL_NVME_PI_INSERT);
    ck_assert(ns->ask.nvme.exclusive && !ns->ask.nvme.encrypt);
    ck_assert_uint_eq(ns->num_binds, 2);
    ck_assert_str_eq(ns->binds[0].name, "n_function");
    ck_assert_str_eq(ns->binds[1].name, "n_mdts");
    ck_assert(hash->tester && hash->data.given);
    ck_assert_uint_eq(hash->data.tag.number, 3);
    ck_assert_uint_eq(hash->data.from.number, 512);
    ck_assert_uint_eq(hash->data.length.number, 8192);
    ck_assert_uint_eq(told->kind, FAL_NVME_DEV_CMD);
    ck_assert_uint_eq(told->slots.n, 2);
    ck_assert_uint_eq(told->slots.list[0].value.number, FAL_NVME_WRITE);
    ck_assert_int_eq(told->slots.list[1].value.kind, TL_VALUE_RANGE);
    ck_assert(told->data.given);
    ck_assert_int_eq(tl_word_set(&word, offsetof(struct fal_nvme_word, nlb0), 4, 9), 0);
    ck_assert_uint_eq(word.nlb0, 9);
    ck_assert_int_eq(tl_word_set(&word, 0, 2, 65536), FAL_ERR_RANGE);
    ck_assert_int_eq(tl_word_set(&word, 0, 1, 256), FAL_ERR_RANGE);
    tl_scenario_free(s);
}
END_TEST

START_TEST(an_error_names_its_place)
{
    char document[4096], *errors = NULL;

    (void)snprintf(document, sizeof document,
                   "{'schema': 'talon/scenario/1', 'id': 'one', 'title': 'T', 'purpose': 'P', "
                   "'class': 'valid', 'covers': ['FTP-9.1.6-03'], 'version': 1, 'steps': [%s]}",
                   wrong[_i].step);
    for (char *at = document; *at != 0; at++)
        if (*at == '\'')
            *at = '"';
    ck_assert_ptr_null(tl_scenario_read("one.json", document, strlen(document), &errors));
    ck_assert_ptr_nonnull(errors);
    ck_assert_msg(strstr(errors, wrong[_i].due) != NULL, "due %s, seen %s", wrong[_i].due,
                  errors);
    free(errors);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("read_verbs");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_command_is_read_by_its_table);
    tcase_add_test(tc, an_event_and_a_reply_are_patterns);
    tcase_add_test(tc, either_side_has_verbs);
    tcase_add_test(tc, words_of_nvme_are_read_by_their_table);
    tcase_add_loop_test(tc, an_error_names_its_place, 0, sizeof wrong / sizeof *wrong);
    suite_add_tcase(suite, tc);
    return suite;
}
