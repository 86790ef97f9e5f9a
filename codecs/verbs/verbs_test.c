/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/verbs/verbs.h"
#include "tests/testing.h"

#include <string.h>

static int read_text(enum fal_verbs_kind kind, bool reply, const char *text,
                     struct fal_verbs *out, struct fal_error *err)
{
    json_t *object = json_loads(text, 0, NULL);
    int rc;

    ck_assert_ptr_nonnull(object);
    rc = fal_verbs_read(kind, reply, object, out, err);
    json_decref(object);
    return rc;
}

/* A word that is written as it was read. */
static void same(enum fal_verbs_kind kind, bool reply, const char *text)
{
    json_t *object = json_loads(text, 0, NULL), *written;
    struct fal_verbs verbs;
    struct fal_error err = {""};
    char *dump;

    ck_assert_ptr_nonnull(object);
    ck_assert_msg(fal_verbs_read(kind, reply, object, &verbs, &err) == 0, "%s", err.text);
    ck_assert_int_eq(verbs.kind, kind);
    written = fal_verbs_write(&verbs, reply);
    dump = json_dumps(written, JSON_COMPACT);
    ck_assert_msg(json_equal(object, written), "%s became %s", text, dump);
    free(dump);
    json_decref(written);
    json_decref(object);
}

START_TEST(words_are_written_as_they_were_read)
{
    same(FAL_VERBS_PD_CREATE, false, "{}");
    same(FAL_VERBS_PD_CREATE, true, "{\"pd\":\"p1\"}");
    same(FAL_VERBS_MR_REG, false,
         "{\"pd\":\"p1\",\"length\":65536,\"access\":[\"lw\",\"rw\",\"inv\"],"
         "\"within\":\"m0\",\"offset\":64,\"va\":4294967296}");
    same(FAL_VERBS_MR_HASH, true, "{\"hash\":\"0x00000000000000ff\"}");
    same(FAL_VERBS_QP_CREATE, false,
         "{\"type\":\"ud\",\"pd\":\"p\",\"send_cq\":\"a\",\"recv_cq\":\"b\",\"qkey\":0,"
         "\"ordering\":\"weak\",\"errors\":\"cie\",\"path_mtu\":1024}");
    same(FAL_VERBS_POST_SEND, false,
         "{\"qp\":\"q\",\"wr_id\":1,\"op\":\"write_imm\",\"sgl\":[{\"mr\":\"m\",\"offset\":4,"
         "\"length\":60},{\"mr\":\"n\",\"length\":1}],\"remote\":{\"va\":4096,\"rkey\":7},"
         "\"imm\":0,\"flags\":[\"signaled\",\"fence\"]}");
    same(FAL_VERBS_POST_SEND, true, "{\"rsn_first\":0,\"rsn_count\":3}");
    same(FAL_VERBS_WC, false,
         "{\"cq\":\"c\",\"qp\":\"q\",\"wr_id\":9,\"status\":10,\"opcode\":\"recv_imm\","
         "\"byte_len\":64,\"imm\":5}");
    same(FAL_VERBS_ASYNC, false, "{\"qp\":\"q\",\"what\":\"qp_fatal\"}");
}
END_TEST

START_TEST(each_member_has_a_name_of_its_own_and_an_explanation)
{
    for (int kind = 0; kind < FAL_VERBS_KINDS; kind++) {
        for (int reply = 0; reply < (kind < FAL_VERBS_COMMANDS ? 2 : 1); reply++) {
            const struct fal_shape *shape =
                reply ? &fal_verbs_replies[kind] : &fal_verbs_shapes[kind];

            ck_assert_ptr_nonnull(shape->doc);
            for (size_t i = 0; i < shape->num_members; i++) {
                const struct fal_member *m = &shape->members[i];

                ck_assert_msg(m->doc != NULL || m->shape->doc != NULL, "%s: %s",
                              fal_verbs_names[kind], m->key);
                for (size_t k = 0; k < i; k++)
                    ck_assert_str_ne(m->key, shape->members[k].key);
            }
        }
        ck_assert_int_eq(fal_verbs_kind_of(fal_verbs_names[kind]), kind);
    }
    ck_assert_int_eq(fal_verbs_kind_of("post"), FAL_VERBS_KINDS);
}
END_TEST

START_TEST(an_error_names_the_member)
{
    static const struct {
        enum fal_verbs_kind kind;
        const char *text, *err;
    } bad[] = {
        {FAL_VERBS_MR_REG, "{\"length\":1}", "mr_reg: pd: missing"},
        {FAL_VERBS_MR_REG, "{\"pd\":\"p\",\"length\":-1}", "mr_reg: length: "},
        {FAL_VERBS_MR_REG, "{\"pd\":\"p\",\"length\":1,\"access\":[\"xx\"]}",
         "mr_reg: access: element 0: expected one of lw"},
        {FAL_VERBS_POST_SEND, "{\"qp\":\"q\",\"wr_id\":1,\"op\":\"sent\"}", "post_send: op: "},
        {FAL_VERBS_POST_SEND,
         "{\"qp\":\"q\",\"wr_id\":1,\"op\":\"send\",\"sgl\":[{\"mr\":\"m\"}]}",
         "post_send: sgl[0].length: missing"},
        {FAL_VERBS_PD_CREATE, "[]", "pd_create: expected "},
    };
    struct fal_verbs verbs;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fal_error err = {""};

        ck_assert_int_eq(read_text(bad[i].kind, false, bad[i].text, &verbs, &err),
                         FAL_ERR_FORM);
        ck_assert_msg(strncmp(err.text, bad[i].err, strlen(bad[i].err)) == 0, "%s: %s",
                      bad[i].text, err.text);
    }
}
END_TEST

START_TEST(a_list_has_so_many_bytes)
{
    struct fal_verbs post = {.num_sge = 2, .sgl = {{.length = UINT32_MAX}, {.length = 2}}};

    ck_assert_uint_eq(fal_verbs_length(&post), (uint64_t)UINT32_MAX + 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verbs");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, words_are_written_as_they_were_read);
    tcase_add_test(tc, each_member_has_a_name_of_its_own_and_an_explanation);
    tcase_add_test(tc, an_error_names_the_member);
    tcase_add_test(tc, a_list_has_so_many_bytes);
    suite_add_tcase(suite, tc);
    return suite;
}
