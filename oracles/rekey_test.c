/* SPDX-License-Identifier: Apache-2.0
 * rekey_test.c - a key rotation, step by step: 9.2.2.3. */
#include "oracles/rekey.h"
#include "tests/testing.h"

enum { CONNS = 3, SPI = 0x100, PEER_SPI = 0x200, CID = 10 };

struct bench {
    struct fal_endpoint *ep, *peer;
    struct fal_rekey_conn conns[CONNS];
    struct fal_rekey rekey;
};

static struct fal_endpoint *open_all(struct fal_rekey_conn *conns, bool peer)
{
    static const struct fal_endpoint_config config = {.seed = 1};
    struct fal_endpoint *ep = fal_endpoint_new(&config);

    ck_assert_ptr_nonnull(ep);
    for (uint32_t i = 0; i < CONNS; i++) {
        struct fal_endpoint_conn open = {.local = {.cid = CID + i},
                                         .peer = {.cid = CID + i},
                                         .auto_ack = true,
                                         .security = {.on = true,
                                                      .spi = (peer ? PEER_SPI : SPI) + i,
                                                      .peer_spi = (peer ? SPI : PEER_SPI) + i}};

        fal_params_default(&open.params, false);
        ck_assert_int_eq(
            fal_endpoint_open(ep, &open, 0, peer ? &conns[i].peer_conn : &conns[i].conn), 0);
    }
    return ep;
}

static void set_up(struct bench *b)
{
    *b = (struct bench){0};
    b->ep = open_all(b->conns, false);
    b->peer = open_all(b->conns, true);
    fal_rekey_init(&b->rekey, b->ep, b->peer, SPI + CONNS);
    b->rekey.conns = b->conns;
    b->rekey.num_conns = CONNS;
}

static void tear_down(struct bench *b)
{
    fal_endpoint_free(b->ep);
    fal_endpoint_free(b->peer);
}

/* Whether connection i takes a BACK under that SPI; a wrong one is told to the CM. */
static bool takes(struct bench *b, uint32_t i, uint32_t spi, uint64_t now_ns)
{
    struct fal_falcon back;
    uint8_t bytes[FAL_HEADER_MAX];
    struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                 .bytes = bytes,
                                 .seal = {.present = true, .spi = spi, .iv = now_ns + 1}};
    struct fal_endpoint_out out;
    bool told = false;

    fal_falcon_init(&back, FAL_BACK);
    back.dest_cid = CID + i;
    in.len = (size_t)fal_falcon_encode(&back, NULL, 0, bytes, sizeof bytes, NULL);
    ck_assert_int_eq(fal_endpoint_input(b->ep, &in, now_ns, NULL), 0);
    while (fal_endpoint_next(b->ep, &out))
        told |= out.kind == FAL_OUT_CM;
    return !told;
}

/* The SPI under which the peer sends. */
static uint32_t peer_sends(struct bench *b, uint32_t i, uint64_t now_ns)
{
    struct fal_endpoint_in in = {
        .kind = FAL_IN_POST, .conn = b->conns[i].peer_conn, .op = FAL_OP_PULL, .length = 4};
    struct fal_endpoint_out out = {0};

    ck_assert_int_eq(fal_endpoint_input(b->peer, &in, now_ns, NULL), 0);
    while (fal_endpoint_next(b->peer, &out) && out.kind != FAL_OUT_PACKET)
        ;
    ck_assert_int_eq(out.kind, FAL_OUT_PACKET);
    return out.seal.spi;
}

START_TEST(FTP_9_2_2_3_04_to_08_the_five_steps_in_their_order)
{
    struct bench b;

    set_up(&b);
    ck_assert_int_eq(fal_rekey_tick(&b.rekey, 5), 0);
    ck_assert_int_eq(fal_rekey_start(&b.rekey, 1000, 0), 0); /* 1 and 2 */
    for (uint32_t i = 0; i < CONNS; i++) {
        ck_assert(b.conns[i].spi >> 31 != 0);
        ck_assert(takes(&b, i, SPI + i, 1000));
        ck_assert(takes(&b, i, b.conns[i].spi, 1000));
        ck_assert_uint_eq(peer_sends(&b, i, 1000), SPI + i);
    }
    ck_assert_int_eq(fal_rekey_start(&b.rekey, 1001, 0), FAL_ERR_RANGE);
    ck_assert_uint_eq(b.rekey.deadline_ns, 1000 + b.rekey.announce_ns);
    ck_assert_int_eq(fal_rekey_tick(&b.rekey, b.rekey.deadline_ns - 1), 0);
    ck_assert_uint_eq(peer_sends(&b, 0, 1000), SPI);
    ck_assert_int_eq(fal_rekey_tick(&b.rekey, b.rekey.deadline_ns), 0); /* 3 */
    for (uint32_t i = 0; i < CONNS; i++)
        ck_assert_uint_eq(peer_sends(&b, i, 60000), b.conns[i].spi);
    ck_assert(takes(&b, 0, SPI, 60000));
    ck_assert_int_eq(fal_rekey_tick(&b.rekey, b.rekey.deadline_ns), 0); /* 4 */
    ck_assert(!takes(&b, 0, SPI, 160000));
    ck_assert(takes(&b, 0, b.conns[0].spi, 160000));
    ck_assert_uint_eq(b.rekey.deadline_ns, FAL_NEVER);
    tear_down(&b);
}
END_TEST

START_TEST(FTP_9_2_2_3_07_08_without_step_4_the_end_of_the_generation_ends_the_old_key)
{
    struct bench b;

    set_up(&b);
    b.rekey.linger_ns = FAL_NEVER;
    ck_assert_int_eq(fal_rekey_start(&b.rekey, 0, 0), 0);
    ck_assert_int_eq(fal_rekey_tick(&b.rekey, FAL_S), 0);
    ck_assert(takes(&b, 1, SPI + 1, FAL_S));
    ck_assert_int_eq(fal_rekey_prepare(&b.rekey, FAL_S), 0); /* 5 */
    ck_assert(!takes(&b, 1, SPI + 1, FAL_S));
    ck_assert(takes(&b, 1, b.conns[1].spi, FAL_S));
    tear_down(&b);
}
END_TEST

START_TEST(rotations_follow_each_other)
{
    struct bench b;
    uint64_t now = 0;

    set_up(&b);
    for (unsigned round = 0; round < 10; round++) {
        uint32_t before = b.conns[2].spi;

        ck_assert_int_eq(fal_rekey_start(&b.rekey, now, 0), 0);
        ck_assert_uint_eq(b.conns[2].spi >> 31, round % 2 == 0);
        ck_assert_uint_ne(b.conns[2].spi, before);
        ck_assert(takes(&b, 2, b.conns[2].spi, now));
        ck_assert(round == 0 || takes(&b, 2, before, now));
        while (b.rekey.deadline_ns != FAL_NEVER) {
            now = b.rekey.deadline_ns;
            ck_assert_int_eq(fal_rekey_tick(&b.rekey, now), 0);
        }
        ck_assert_uint_eq(peer_sends(&b, 2, now), b.conns[2].spi);
    }
    tear_down(&b);
}
END_TEST

START_TEST(a_connection_that_is_gone_is_an_error)
{
    struct bench b;

    set_up(&b);
    fal_endpoint_close(b.ep, b.conns[1].conn);
    ck_assert_int_eq(fal_rekey_start(&b.rekey, 0, 0), FAL_ERR_RANGE);
    tear_down(&b);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("key rotation");
    TCase *tc = tcase_create("rekey");

    tcase_add_test(tc, FTP_9_2_2_3_04_to_08_the_five_steps_in_their_order);
    tcase_add_test(tc,
                   FTP_9_2_2_3_07_08_without_step_4_the_end_of_the_generation_ends_the_old_key);
    tcase_add_test(tc, rotations_follow_each_other);
    tcase_add_test(tc, a_connection_that_is_gone_is_an_error);
    suite_add_tcase(suite, tc);
    return suite;
}
