/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/timeline.h"
#include "tests/testing.h"

#include <string.h>

/* The event that the line of `event` gives; its word lies in `storage`. */
static struct fal_event again(const struct fal_event *event, struct fal_event_storage *storage)
{
    json_t *object = fal_event_to_json(event);
    struct fal_event out;
    struct fal_error err = {""};

    ck_assert_ptr_nonnull(object);
    ck_assert_msg(fal_event_from_json(object, &out, storage, &err) == 0, "%s", err.text);
    json_decref(object);
    return out;
}

START_TEST(a_word_of_nvme_comes_back)
{
    const struct fal_nvme_word post = {.kind = FAL_NVME_POST,
                                       .cmd = 7,
                                       .op = FAL_NVME_WRITE,
                                       .nsid = 70000,
                                       .slba = UINT64_MAX - 1,
                                       .nlb0 = 65535,
                                       .prinfo = 7};
    const struct fal_nvme_word cqe = {.kind = FAL_NVME_CQE, .cmd = 7, .status = 0x7fff};
    struct fal_event event = {.kind = FAL_EV_NVME, .t_ns = 3}, out;
    struct fal_event_storage storage = {0};

    event.u.nvme = (struct fal_ev_nvme){.phase = FAL_VERBS_ASKED, .id = 4, .word = &post};
    out = again(&event, &storage);
    ck_assert_int_eq(out.kind, FAL_EV_NVME);
    ck_assert_int_eq(out.u.nvme.phase, FAL_VERBS_ASKED);
    ck_assert_int_eq(out.u.nvme.id, 4);
    ck_assert_mem_eq(out.u.nvme.word, &post, sizeof post);
    event.u.nvme = (struct fal_ev_nvme){.phase = FAL_VERBS_ANSWERED, .id = 4, .word = &post};
    out = again(&event, &storage);
    ck_assert(!out.u.nvme.ok);
    ck_assert_int_eq(out.u.nvme.word->kind, FAL_NVME_POST);
    ck_assert_uint_eq(out.u.nvme.word->nsid, 0); /* refused: nothing but the word */
    event.u.nvme = (struct fal_ev_nvme){.phase = FAL_VERBS_TOLD, .seq = 9, .word = &cqe};
    out = again(&event, &storage);
    ck_assert_uint_eq(out.u.nvme.seq, 9);
    ck_assert_mem_eq(out.u.nvme.word, &cqe, sizeof cqe);
    fal_event_storage_free(&storage);
}
END_TEST

START_TEST(a_bad_word_of_nvme_is_named)
{
    static const struct {
        const char *text, *err;
    } bad[] = {
        {"{\"event\":\"nvme\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"post_send\"}",
         "nvme: word: expected a word of NVMe"},
        {"{\"event\":\"nvme\",\"t_ns\":1,\"phase\":\"told\",\"word\":\"nvme_ns\"}",
         "nvme: word: expected an event, not nvme_ns"},
        {"{\"event\":\"nvme\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"dev_cmd\"}",
         "nvme: word: expected a command, not dev_cmd"},
        {"{\"event\":\"nvme\",\"t_ns\":1,\"phase\":\"asked\",\"word\":\"dev_hash\"}",
         "dev_hash: body: missing"},
        {"{\"event\":\"nvme\",\"t_ns\":1,\"phase\":\"told\",\"word\":\"nvme_cqe\",\"body\":{}}",
         "nvme_cqe: cmd: missing"},
    };
    struct fal_event_storage storage = {0};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *object = json_loads(bad[i].text, 0, NULL);
        struct fal_event out;
        struct fal_error err = {""};

        ck_assert_ptr_nonnull(object);
        ck_assert_int_eq(fal_event_from_json(object, &out, &storage, &err), FAL_ERR_FORM);
        ck_assert_msg(strncmp(err.text, bad[i].err, strlen(bad[i].err)) == 0, "%s: %s",
                      bad[i].text, err.text);
        json_decref(object);
    }
    fal_event_storage_free(&storage);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("words on the timeline");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_word_of_nvme_comes_back);
    tcase_add_test(tc, a_bad_word_of_nvme_is_named);
    suite_add_tcase(suite, tc);
    return suite;
}
