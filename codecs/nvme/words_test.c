/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/nvme/words.h"
#include "tests/testing.h"

#include <string.h>

/* A word that is written as it was read. */
static void same(enum fal_nvme_word_kind kind, bool reply, const char *text)
{
    json_t *object = json_loads(text, 0, NULL), *written;
    struct fal_nvme_word word;
    struct fal_error err = {""};
    char *dump;

    ck_assert_ptr_nonnull(object);
    ck_assert_msg(fal_nvme_word_read(kind, reply, object, &word, &err) == 0, "%s", err.text);
    ck_assert_int_eq(word.kind, kind);
    written = fal_nvme_word_write(&word, reply);
    dump = json_dumps(written, JSON_COMPACT);
    ck_assert_msg(json_equal(object, written), "%s became %s", text, dump);
    free(dump);
    json_decref(written);
    json_decref(object);
}

START_TEST(words_are_written_as_they_were_read)
{
    same(FAL_NVME_NS, false,
         "{\"nsid\":1,\"start\":4,\"S\":2,\"N\":1,\"block_shift\":9,\"pi\":\"insert\","
         "\"encrypt\":true,\"exclusive\":true}");
    same(FAL_NVME_NS, true, "{\"function\":70000,\"mdts\":1048576}");
    same(
        FAL_NVME_LBA, false,
        "{\"index\":5,\"valid\":true,\"sqid\":3,\"conn\":\"c1\",\"target_nsid\":9,\"chunk\":5}");
    same(FAL_NVME_LBA, false, "{\"index\":0,\"valid\":false}");
    same(FAL_NVME_POST, false,
         "{\"cmd\":7,\"sq\":0,\"op\":\"write\",\"nsid\":65537,\"slba\":\"0x0123456789abcdef\","
         "\"nlb0\":65535,\"fua\":1,\"dtype\":2,\"dspec\":258,\"prinfo\":7,\"tag\":1,"
         "\"app\":65535,\"bad_pi\":true}");
    same(FAL_NVME_POST, true, "{\"sq\":0,\"cid\":0}");
    same(FAL_NVME_DEV_FORMAT, false,
         "{\"dev\":1,\"nsid\":9,\"block_shift\":12,\"metadata\":16,\"sqid\":0}");
    same(FAL_NVME_DEV_FILL, false, "{\"nsid\":9,\"slba\":0,\"nlb0\":7,\"tag\":1,\"seed\":5}");
    same(FAL_NVME_DEV_HASH, false, "{\"nsid\":9,\"slba\":0,\"meta\":true}");
    same(FAL_NVME_DEV_HASH, true, "{\"hash\":\"0x00000000000000ff\"}");
    same(FAL_NVME_DEV_POLICY, false, "{\"after_ns\":5000,\"status\":641,\"hold\":true}");
    same(FAL_NVME_DEV_COMPLETE, false, "{\"dcmd\":3}");
    same(FAL_NVME_DEV_IDENTIFY, true, "{\"metadata\":16,\"pil\":0,\"pi_type\":1,\"mset\":0}");
    same(FAL_NVME_CQE, false, "{\"cmd\":7,\"status\":0,\"hash\":\"0x0000000000000000\"}");
    same(FAL_NVME_DEV_CMD, false,
         "{\"dcmd\":1,\"dev\":2,\"op\":\"read\",\"nsid\":9,\"slba\":8,\"nlb0\":1,\"sqid\":0}");
}
END_TEST

START_TEST(each_member_has_a_name_of_its_own_and_an_explanation)
{
    for (int kind = 0; kind < FAL_NVME_KINDS; kind++) {
        for (int reply = 0; reply < (kind < FAL_NVME_COMMANDS ? 2 : 1); reply++) {
            const struct fal_shape *shape =
                reply ? &fal_nvme_word_replies[kind] : &fal_nvme_word_shapes[kind];

            ck_assert_ptr_nonnull(shape->doc);
            for (size_t i = 0; i < shape->num_members; i++) {
                ck_assert_msg(shape->members[i].doc != NULL, "%s: %s",
                              fal_nvme_word_names[kind], shape->members[i].key);
                for (size_t k = 0; k < i; k++)
                    ck_assert_str_ne(shape->members[i].key, shape->members[k].key);
            }
        }
        ck_assert_int_eq(fal_nvme_word_of(fal_nvme_word_names[kind]), kind);
    }
    ck_assert_int_eq(fal_nvme_word_of("post_send"), FAL_NVME_KINDS);
}
END_TEST

START_TEST(an_error_names_the_member)
{
    static const struct {
        enum fal_nvme_word_kind kind;
        const char *text, *err;
    } bad[] = {
        {FAL_NVME_NS, "{}", "nvme_ns: nsid: missing"},
        {FAL_NVME_NS, "{\"nsid\":1,\"block_shift\":13}",
         "nvme_ns: block_shift: expected a whole number from 9 to 12"},
        {FAL_NVME_NS, "{\"nsid\":1,\"pi\":\"on\"}", "nvme_ns: pi: "},
        {FAL_NVME_POST, "{\"cmd\":1,\"op\":\"read\",\"nsid\":1,\"slba\":0,\"nlb0\":65536}",
         "nvme_post: nlb0: "},
        {FAL_NVME_DEV_POLICY, "{\"status\":32768}", "dev_policy: status: "},
        {FAL_NVME_CQE, "[]", "nvme_cqe: expected "},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json_t *object = json_loads(bad[i].text, 0, NULL);
        struct fal_nvme_word word;
        struct fal_error err = {""};

        ck_assert_int_eq(fal_nvme_word_read(bad[i].kind, false, object, &word, &err),
                         FAL_ERR_FORM);
        ck_assert_msg(strncmp(err.text, bad[i].err, strlen(bad[i].err)) == 0, "%s: %s",
                      bad[i].text, err.text);
        json_decref(object);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("words of NVMe");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, words_are_written_as_they_were_read);
    tcase_add_test(tc, each_member_has_a_name_of_its_own_and_an_explanation);
    tcase_add_test(tc, an_error_names_the_member);
    suite_add_tcase(suite, tc);
    return suite;
}
