/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/protocol_levels.h"
#include "harness/wire/words.h"

#include "tests/testing.h"

#include <string.h>

static json_t *json_of(const char *text)
{
    json_t *object = json_loads(text, 0, NULL);

    ck_assert_msg(object != NULL, "%s", text);
    return object;
}

/* Reads a command as the built-in SUT does. 0, or the error's code with its sentence. */
static int read_command(const char *text, struct tl_protocol_command *out,
                        struct fal_error *err)
{
    json_t *object = json_of(text);
    int rc = tl_protocol_command_head(object, out, err);

    if (rc == 0)
        rc = tl_protocol_command_read(object, out, err);
    json_decref(object);
    return rc;
}

START_TEST(each_word_is_a_command_by_its_name)
{
    for (int i = 0; i < FAL_VERBS_COMMANDS; i++) {
        enum tl_do verb = (enum tl_do)(TL_DO_PD_CREATE + i), found;

        ck_assert_str_eq(tl_protocol_verb(verb), fal_verbs_names[i]);
        ck_assert(tl_protocol_verb_find(fal_verbs_names[i], &found));
        ck_assert_int_eq(found, verb);
        ck_assert(tl_protocol_is_word(verb));
        ck_assert_ptr_eq(tl_words_with(verb), tl_words_of(TL_UPPER_VERBS));
    }
    for (int i = 0; i < FAL_NVME_COMMANDS; i++) {
        enum tl_do verb = (enum tl_do)(TL_DO_NVME_NS + i), found;

        ck_assert_str_eq(tl_protocol_verb(verb), fal_nvme_word_names[i]);
        ck_assert(tl_protocol_verb_find(fal_nvme_word_names[i], &found));
        ck_assert_int_eq(found, verb);
        ck_assert_ptr_eq(tl_words_with(verb), tl_words_of(TL_UPPER_NVME));
    }
    ck_assert_int_eq(TL_DO_COUNT - TL_DO_PD_CREATE, FAL_VERBS_COMMANDS + FAL_NVME_COMMANDS);
    ck_assert(!tl_protocol_is_word(TL_DO_RX_LEVELS));
    ck_assert_ptr_null(tl_words_with(TL_DO_POST));
}
END_TEST

START_TEST(a_word_is_read_with_its_members)
{
    struct tl_protocol_command command;
    struct fal_error err = {""};
    int rc = read_command("{\"id\": 7, \"epoch\": 2, \"do\": \"post_send\", \"qp\": \"q1\", "
                          "\"wr_id\": 18446744073709, \"op\": \"write\", \"remote\": {\"va\": "
                          "\"0xfffffffffffffff0\", \"rkey\": 9}, \"sgl\": [{\"mr\": \"m1\", "
                          "\"offset\": null, \"length\": 64}], \"imm\": null, \"later\": 1}",
                          &command, &err);

    ck_assert_msg(rc == 0, "%s", err.text);
    ck_assert_int_eq(command.verb, TL_DO_POST_SEND);
    ck_assert_uint_eq(command.id, 7);
    ck_assert_uint_eq(command.epoch, 2);
    ck_assert_ptr_nonnull(command.word);
    ck_assert_int_eq(command.word->verbs.kind, FAL_VERBS_POST_SEND);
    ck_assert_str_eq(command.word->verbs.qp, "q1");
    ck_assert_uint_eq(command.word->verbs.remote.va, UINT64_C(0xfffffffffffffff0));
    ck_assert_uint_eq(command.word->verbs.sgl[0].length, 64);
    ck_assert(!command.word->verbs.has_imm);
    tl_protocol_command_free(&command);
    ck_assert_ptr_null(command.word);
}
END_TEST

START_TEST(a_word_that_is_wrong_names_its_member)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"'do': 'post_send', 'wr_id': 1, 'op': 'send'", "post_send: qp: missing"},
        {"'do': 'post_send', 'qp': 'q', 'wr_id': 1, 'op': 'sent'", "post_send: op: "},
        {"'do': 'mr_reg', 'pd': 'p', 'length': 'x'", "mr_reg: length: "},
        {"'do': 'qp_create', 'pd': 'p', 'send_cq': 'c', 'recv_cq': 'c', 'type': 'tcp'",
         "qp_create: type: "},
        {"'do': 'mr_reg', 'pd': 'p', 'length': 1, 'access': ['w']}", "mr_reg: access: "},
        {"'do': 'ah_create', 'pd': 'p'", "ah_create: conn: missing"},
        {"'do': 'open', 'upper': 7", "upper: expected a text"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_protocol_command command;
        struct fal_error err = {""};
        char line[300];

        (void)snprintf(line, sizeof line, "{\"id\": 1, \"epoch\": 1, %s}", rows[i].line);
        line[strcspn(line, "}") + 1] = 0;
        for (char *at = line; *at != 0; at++)
            *at = *at == '\'' ? '"' : *at;
        ck_assert_int_eq(read_command(line, &command, &err), FAL_ERR_FORM);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "%s: %s", line, err.text);
    }
}
END_TEST

START_TEST(open_names_the_upper_layer)
{
    static const struct {
        const char *word;
        enum tl_upper_layer upper;
    } rows[] = {{"", TL_UPPER_RAW},
                {", \"upper\": \"raw\"", TL_UPPER_RAW},
                {", \"upper\": \"verbs\"", TL_UPPER_VERBS},
                {", \"upper\": \"nvme\"", TL_UPPER_NVME},
                {", \"upper\": \"other\"", TL_UPPERS}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_protocol_command command;
        struct fal_error err = {""};
        char line[300];

        (void)snprintf(line, sizeof line,
                       "{\"id\": 1, \"epoch\": 1, \"do\": \"open\", \"peer\": {\"cid\": 1, "
                       "\"function\": 0, \"req_psn\": 0, \"data_psn\": 0, \"rsn\": 0}%s}",
                       rows[i].word);
        ck_assert_msg(read_command(line, &command, &err) == 0, "%s", err.text);
        ck_assert_int_eq(command.upper, rows[i].upper);
        tl_protocol_command_free(&command);
    }
    ck_assert_str_eq(tl_protocol_upper(TL_UPPER_VERBS), "verbs");
}
END_TEST

START_TEST(events_are_read_as_they_were_written)
{
    const struct fal_verbs wc = {.kind = FAL_VERBS_WC,
                                 .cq = "cq1",
                                 .qp = "qp1",
                                 .wr_id = UINT64_MAX,
                                 .status = FAL_VERBS_REM_ACCESS,
                                 .opcode = FAL_VERBS_DONE_RECV,
                                 .byte_len = 64,
                                 .imm = 0,
                                 .has_imm = true};
    const union tl_word word = {.verbs = wc};
    const struct tl_protocol_event event = {
        .seq = 5, .epoch = 3, .kind = FAL_EV_VERBS, .word = FAL_VERBS_WC, .members = &word};
    json_t *line = tl_protocol_event_write(&event), *again, *told;
    struct tl_protocol_event head, read;
    struct fal_verbs members;
    struct fal_error err = {""};

    ck_assert_ptr_nonnull(line);
    ck_assert_str_eq(json_string_value(json_object_get(line, "event")), "wc");
    ck_assert_int_eq(tl_protocol_event_head(line, &head, &err), 0);
    ck_assert_uint_eq(head.seq, 5);
    ck_assert_int_eq(tl_protocol_event_read(line, &read, &err), 0);
    ck_assert_int_eq(read.kind, FAL_EV_VERBS);
    ck_assert_int_eq(read.word, FAL_VERBS_WC);
    ck_assert_uint_eq(read.epoch, 3);
    ck_assert_int_eq(fal_verbs_read(read.word, false, line, &members, &err), 0);
    again = fal_verbs_write(&members, false);
    told = fal_verbs_write(&wc, false);
    ck_assert(json_equal(again, told));
    json_decref(again);
    json_decref(told);
    read.members = &word;
    ck_assert(!tl_protocol_event_settle(&read));
    json_decref(line);
}
END_TEST

START_TEST(a_command_is_no_event)
{
    json_t *line = json_of("{\"seq\": 1, \"epoch\": 1, \"event\": \"post_send\"}");
    struct tl_protocol_event event;
    struct fal_error err = {""};

    ck_assert_int_eq(tl_protocol_event_read(line, &event, &err), FAL_ERR_FORM);
    json_decref(line);
}
END_TEST

START_TEST(words_have_levels_of_their_own)
{
    static const struct {
        const char *list;
        unsigned verbs, plain;
    } rows[] = {{"[\"L0\", \"L1\"]", 0, 1},
                {"[\"L0\", \"L1\", \"L2v\"]", 2, 1},
                {"[\"L3v\", \"L1\", \"L2v\"]", 3, 1},
                {"[\"L3\", \"Lc\", \"L2n\"]", 0, 3},
                {"[7, \"L2v\"]", 2, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *list = json_of(rows[i].list);

        ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_VERBS, list), rows[i].verbs);
        ck_assert_uint_eq(tl_protocol_levels(list), rows[i].plain);
        json_decref(list);
    }
    ck_assert_uint_eq(tl_protocol_word_levels(TL_UPPER_VERBS, NULL), 0);
    ck_assert_uint_eq(tl_protocol_word_level(TL_DO_POST_SEND), 2);
    ck_assert_uint_eq(tl_protocol_word_level(TL_DO_MR_REG), 2);
    ck_assert_uint_eq(tl_protocol_word_level(TL_DO_MR_HASH), 3);
    ck_assert_uint_eq(tl_protocol_word_level(TL_DO_POST), 0);
    ck_assert(tl_protocol_optional(TL_DO_CQ_ARM));
    ck_assert_uint_eq(tl_protocol_level(TL_DO_CQ_ARM), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("protocol_verbs");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, each_word_is_a_command_by_its_name);
    tcase_add_test(tc, a_word_is_read_with_its_members);
    tcase_add_test(tc, a_word_that_is_wrong_names_its_member);
    tcase_add_test(tc, open_names_the_upper_layer);
    tcase_add_test(tc, events_are_read_as_they_were_written);
    tcase_add_test(tc, a_command_is_no_event);
    tcase_add_test(tc, words_have_levels_of_their_own);
    suite_add_tcase(suite, tc);
    return suite;
}
