/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/delivery/outqueue.h"
#include "tests/testing.h"

static void add(struct fal_outqueue *queue, enum fal_out_kind kind, const char *text)
{
    const struct fal_endpoint_out out = {.kind = kind, .conn = 7};
    size_t len = strlen(text) + 1;
    uint8_t *room;

    ck_assert_ptr_nonnull(fal_outqueue_add(queue, &out, len, &room));
    memcpy(room, text, len);
}

static bool take(struct fal_outqueue *queue, struct fal_endpoint_out *out)
{
    const struct fal_endpoint_out *first = fal_outqueue_take(queue);

    if (first != NULL)
        *out = *first;
    return first != NULL;
}

START_TEST(outputs_come_out_in_order_with_their_bytes)
{
    struct fal_outqueue queue = {0};
    struct fal_endpoint_out out;

    add(&queue, FAL_OUT_PACKET, "packet");
    add(&queue, FAL_OUT_REQUEST, "request");
    add(&queue, FAL_OUT_COMPLETE, "complete");
    add(&queue, FAL_OUT_CM, "fatal");
    add(&queue, FAL_OUT_NOTE, "note");
    ck_assert(take(&queue, &out));
    ck_assert_uint_eq(out.len, 7);
    ck_assert_str_eq((const char *)out.bytes, "packet");
    ck_assert_uint_eq(out.conn, 7);
    ck_assert(take(&queue, &out));
    ck_assert_uint_eq(out.payload_len, 8);
    ck_assert_str_eq((const char *)out.payload, "request");
    ck_assert(take(&queue, &out));
    ck_assert_str_eq((const char *)out.payload, "complete");
    ck_assert(take(&queue, &out));
    ck_assert_str_eq(out.what, "fatal");
    ck_assert(take(&queue, &out));
    ck_assert_str_eq(out.what, "note");
    ck_assert(!take(&queue, &out));
    fal_outqueue_free(&queue);
}
END_TEST

START_TEST(its_storage_is_used_again_once_all_is_taken)
{
    struct fal_outqueue queue = {0};
    struct fal_endpoint_out out;
    char text[1000];
    size_t cap = 0;

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < 20; i++)
            add(&queue, FAL_OUT_NOTE, text + round);
        for (unsigned i = 0; i < 20; i++) {
            ck_assert(take(&queue, &out));
            ck_assert_str_eq(out.what, text + round);
        }
        if (round == 0)
            cap = queue.bytes_cap;
    }
    ck_assert_uint_eq(queue.bytes_cap, cap);
    ck_assert_uint_le(queue.items_cap, 32);
    fal_outqueue_free(&queue);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("outqueue");
    TCase *tc = tcase_create("outqueue");

    tcase_add_test(tc, outputs_come_out_in_order_with_their_bytes);
    tcase_add_test(tc, its_storage_is_used_again_once_all_is_taken);
    suite_add_tcase(suite, tc);
    return suite;
}
