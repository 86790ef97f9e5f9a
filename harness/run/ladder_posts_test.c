/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/ladder_posts.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { SEND_ONLY = 4, FIRST_RSN = 5 };

struct fixture {
    struct tl_case c;
    struct tl_posts *posts;
    int64_t id;
};

static size_t item(struct fixture *f, enum tl_flow_kind kind, const char *text)
{
    struct tl_flow_item *new = tl_case_flow(&f->c);

    ck_assert_ptr_nonnull(new);
    new->kind = kind;
    new->text = strdup(text);
    return f->c.num_flow - 1;
}

static size_t say(struct fixture *f, enum fal_verbs_phase phase, struct fal_verbs verbs)
{
    struct fal_event event = {.kind = FAL_EV_VERBS, .conn = 1};
    size_t at = phase == FAL_VERBS_ANSWERED ? SIZE_MAX
                                            : item(f, TL_FLOW_ULP, fal_verbs_names[verbs.kind]);

    event.u.verbs = (struct fal_ev_verbs){.phase = phase, .ok = true, .verbs = &verbs};
    event.u.verbs.id = phase == FAL_VERBS_ASKED ? ++f->id : f->id;
    tl_posts_take_word(f->posts, &f->c, &event, at);
    return at;
}

static size_t send_only(struct fixture *f, bool to_sut, uint32_t rsn, uint32_t dest_qp)
{
    struct fal_falcon falcon = {.packet_type = FAL_PUSH_DATA, .rsn = rsn};
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_RDMA};
    size_t at = item(f, TL_FLOW_PACKET, "push_data / rdma send_only");

    ulp.rdma.rbth.opcode = SEND_ONLY;
    ulp.rdma.rbth.dest_qp = dest_qp;
    f->c.flow[at].to_sut = to_sut;
    tl_posts_take_packet(f->posts, &f->c,
                         &(struct tl_posts_packet){.item = at,
                                                   .conn = 1,
                                                   .to_sut = to_sut,
                                                   .falcon = &falcon,
                                                   .ulp = &ulp,
                                                   .bytes = 64});
    return at;
}

static void end(struct fixture *f)
{
    tl_posts_free(f->posts);
    tl_case_clear(&f->c);
}

/* A packet may leave before the reply names its RSN. */
START_TEST(a_post_its_packets_and_its_completion_have_one_number)
{
    struct fixture f = {.posts = tl_posts_new()};
    size_t post, early, late, other, wc;

    ck_assert_ptr_nonnull(f.posts);
    post = say(&f, FAL_VERBS_ASKED,
               (struct fal_verbs){.kind = FAL_VERBS_POST_SEND, .qp = "q", .wr_id = 9});
    early = send_only(&f, false, FIRST_RSN, 17);
    (void)say(&f, FAL_VERBS_ANSWERED,
              (struct fal_verbs){.kind = FAL_VERBS_POST_SEND,
                                 .rsn_first = FIRST_RSN,
                                 .rsn_count = 2,
                                 .has_rsn = true});
    late = send_only(&f, false, FIRST_RSN + 1, 17);
    other = send_only(&f, false, FIRST_RSN + 2, 17);
    wc = say(&f, FAL_VERBS_TOLD,
             (struct fal_verbs){.kind = FAL_VERBS_WC, .qp = "q", .wr_id = 9});
    ck_assert_uint_eq(f.c.flow[post].post, 1);
    ck_assert_uint_eq(f.c.flow[early].post, 1);
    ck_assert_uint_eq(f.c.flow[late].post, 1);
    ck_assert_uint_eq(f.c.flow[other].post, 0);
    ck_assert_uint_eq(f.c.flow[wc].post, 1);
    ck_assert(tl_posts_write(&f.c));
    ck_assert_str_eq(f.c.flow[late].text, "push_data / rdma send_only # post 1");
    ck_assert_str_eq(f.c.flow[other].text, "push_data / rdma send_only");
    end(&f);
}
END_TEST

START_TEST(a_received_message_has_the_number_of_its_receive_request)
{
    struct fixture f = {.posts = tl_posts_new()};
    size_t other, packet, wc;

    ck_assert_ptr_nonnull(f.posts);
    (void)say(&f, FAL_VERBS_ANSWERED,
              (struct fal_verbs){.kind = FAL_VERBS_QP_CREATE, .qp = "q", .qpn = 17});
    (void)say(&f, FAL_VERBS_ASKED,
              (struct fal_verbs){.kind = FAL_VERBS_POST_RECV, .qp = "q", .wr_id = 1});
    other = send_only(&f, true, 0, 18);
    packet = send_only(&f, true, 1, 17);
    wc = say(&f, FAL_VERBS_TOLD,
             (struct fal_verbs){.kind = FAL_VERBS_WC,
                                .qp = "q",
                                .wr_id = 1,
                                .opcode = FAL_VERBS_DONE_RECV,
                                .byte_len = 64});
    ck_assert_uint_eq(f.c.flow[wc].post, 1);
    ck_assert_uint_eq(f.c.flow[packet].post, 1);
    ck_assert_uint_eq(f.c.flow[other].post, 0);
    end(&f);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ladder_posts");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_post_its_packets_and_its_completion_have_one_number);
    tcase_add_test(tc, a_received_message_has_the_number_of_its_receive_request);
    suite_add_tcase(suite, tc);
    return suite;
}
