/* SPDX-License-Identifier: Apache-2.0
 * accept_test.c - the acceptance checks before the window's, and key rotation: 9.2.2.1 to
 * 9.2.2.3, 6.5, 9.2.1, 11. */
#include "oracles/endpoint/delivery/accept.h"
#include "oracles/endpoint/rig/bench_sealed.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#define TOP UINT32_C(0x80000000)

/* A packet dropped by a check leaves no trace: no window, no timer, no ACK, no delivery. */
static void untouched(struct solo *s)
{
    struct fal_endpoint_state state = solo_state(s);

    ck_assert_uint_eq(state.rx_dbpsn, PEER_DATA);
    ck_assert_uint_eq(state.rx_rbpsn, PEER_REQ);
    ck_assert(state.data_rx_bitmap == 0 && state.data_ack_bitmap == 0);
    ck_assert_uint_eq(state.own, 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 0);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_PACKET), 0);
    ck_assert_uint_eq(fal_endpoint_deadline(s->ep), FAL_NEVER);
}

/* ---- integrity ---- */

START_TEST(FTP_9_2_2_1_01_a_packet_that_does_not_parse_is_discarded)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0);

    p.version = 2;
    sealed_feed(s, &p, sealed_by_peer(1));
    p = sealed_push(0);
    p.protocol_type = 5;
    sealed_feed(s, &p, sealed_by_peer(2));
    p = sealed_push(0);
    p.request_length = 5;
    sealed_feed(s, &p, sealed_by_peer(3));
    untouched(s);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 0); /* AMB-64: no indication named */
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_1_02_03_04_a_damaged_packet_is_discarded)
{
    struct solo *plain = solo(), *s = sealed();
    struct fal_falcon p = sealed_push(0);

    sealed_feed_as(plain, &p, (struct sealed_arrival){.integrity = FAL_DAMAGED});
    untouched(plain);
    sealed_feed_as(
        s, &p, (struct sealed_arrival){.seal = sealed_by_peer(1), .integrity = FAL_DAMAGED});
    untouched(s);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 0);
    solo_free(plain);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_1_05_06_what_cannot_be_opened_is_discarded_and_the_CM_told)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0);
    struct sealed_arrival forged = {.seal = sealed_by_peer(1), .integrity = FAL_NOT_OPENED};

    for (unsigned i = 0; i < 1000; i++) {
        sealed_feed_as(s, &p, forged);
        s->now_ns += 1000;
    }
    untouched(s);
    ck_assert_uint_eq(sealed_told(s, "integrity"), 1); /* a flood of them is told once a ms */
    sealed_feed_as(s, &p, forged);
    ck_assert_uint_eq(sealed_told(s, "integrity"), 2);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1)));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_1_05_what_is_in_the_clear_of_a_sealed_packet_is_enough)
{
    struct solo *s = sealed();
    static const uint8_t clear[4] = {0x10, 0, 0, SOLO_CID};

    for (size_t len = 0; len <= sizeof clear; len++) {
        struct fal_endpoint_in in = {.kind = FAL_IN_PACKET,
                                     .bytes = clear,
                                     .len = len,
                                     .integrity = FAL_NOT_OPENED,
                                     .seal = sealed_by_peer(1)};

        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
        solo_drain(s);
        ck_assert_uint_eq(sealed_told(s, "integrity"), len == sizeof clear);
    }
    untouched(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_5_01_an_unsealed_packet_is_none_of_a_sealed_connection)
{
    struct solo *s = sealed();

    ck_assert(!sealed_takes(s, 0, (struct fal_seal){0}));
    untouched(s);
    ck_assert_uint_eq(sealed_told(s, "integrity"), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_11_15_a_dropped_packet_has_no_piggyback)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0);

    solo_post_many(s, FAL_OP_PUSH, 3);
    p.recv_data_base_psn += 2;
    sealed_feed_as(
        s, &p, (struct sealed_arrival){.seal = sealed_by_peer(1), .integrity = FAL_NOT_OPENED});
    sealed_feed_as(
        s, &p, (struct sealed_arrival){.seal = sealed_by_peer(1), .integrity = FAL_DAMAGED});
    sealed_feed(s, &p, (struct fal_seal){.present = true, .spi = 99, .iv = SEALED_TIME + 1});
    sealed_feed(s, &p, sealed_by_peer(-2 * (int64_t)SEALED_MARGIN));
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 0);
    ck_assert_uint_eq(solo_state(s).tx_dbpsn, SOLO_DATA);
    sealed_feed(s, &p, sealed_by_peer(1));
    ck_assert_uint_eq(solo_count(s, FAL_OUT_COMPLETE), 2);
    solo_free(s);
}
END_TEST

/* ---- replay ---- */

START_TEST(FTP_9_2_2_2_01_02_and_9_2_1_18_the_edge_is_exclusive)
{
    static const struct {
        int64_t from_edge;
        bool passes;
    } rows[] = {{-1000000, false}, {-1, false}, {0, false}, {1, true}, {1000000, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct solo *s = sealed();

        ck_assert_int_eq(
            sealed_takes(s, 0, sealed_by_peer(rows[i].from_edge - (int64_t)SEALED_MARGIN)),
            rows[i].passes);
        if (!rows[i].passes)
            untouched(s); /* FTP-9.2.2.2-03 */
        ck_assert_uint_eq(solo_count(s, FAL_OUT_CM), 0);
        solo_free(s);
    }
}
END_TEST

START_TEST(FTP_9_2_2_2_03_FTP_6_5_07_a_replay_raises_no_ACK_even_when_asked_for)
{
    struct solo *s = sealed();
    struct fal_falcon p = sealed_push(0),
                      pull = solo_packet(FAL_PULL_REQUEST, PEER_REQ, PEER_RSN);

    p.ack_req = pull.ack_req = 1;
    sealed_feed(s, &p, sealed_by_peer(-(int64_t)SEALED_MARGIN));
    sealed_feed(s, &pull, sealed_by_peer(-(int64_t)SEALED_MARGIN));
    untouched(s);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_2_04_FTP_6_5_08_reordered_packets_pass_within_the_margin)
{
    struct solo *s = sealed_new();
    int64_t newest = 500 * (int64_t)SEALED_MARGIN;

    s->open.params.ordered = false;
    solo_open(s);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(newest)));
    ck_assert(sealed_takes(s, 1, sealed_by_peer(newest - (int64_t)SEALED_MARGIN + 1)));
    ck_assert(!sealed_takes(s, 2, sealed_by_peer(newest - (int64_t)SEALED_MARGIN)));
    ck_assert(sealed_takes(s, 2, sealed_by_peer(newest)));
    ck_assert(sealed_takes(s, 3, sealed_by_peer(newest + 1)));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_1_15_FTP_9_2_1_16_remote_time_is_the_largest_IV_of_an_accepted_packet)
{
    struct solo *s = sealed_new();
    int64_t step = 10 * (int64_t)SEALED_MARGIN;
    struct fal_falcon p = sealed_push(0);
    struct fal_seal far = sealed_by_peer(step);

    s->open.params.ordered = false;
    solo_open(s);
    /* One that fails a check does not move it (AMB-33). */
    sealed_feed_as(s, &p, (struct sealed_arrival){.seal = far, .integrity = FAL_NOT_OPENED});
    sealed_feed_as(s, &p, (struct sealed_arrival){.seal = far, .integrity = FAL_DAMAGED});
    far.spi++;
    sealed_feed(s, &p, far);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(0)));
    /* A duplicate does, an ACK does, and an older one does not move it back. */
    p.psn = PEER_DATA;
    sealed_feed(s, &p, sealed_by_peer(step));
    ck_assert(!sealed_takes(s, 1, sealed_by_peer(0)));
    ck_assert(sealed_takes(s, 1, sealed_by_peer(step - 1)));
    p = solo_packet(FAL_BACK, 0, 0);
    sealed_feed(s, &p, sealed_by_peer(3 * step));
    ck_assert(!sealed_takes(s, 2, sealed_by_peer(2 * step)));
    ck_assert(sealed_takes(s, 2, sealed_by_peer(3 * step - 5)));
    ck_assert(!sealed_takes(s, 3, sealed_by_peer(3 * step - (int64_t)SEALED_MARGIN)));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_2_05_the_comparison_is_modulo)
{
    struct fal_rng rng = fal_rng_split(test_seed(1), 1);
    struct solo *s = sealed_new();
    struct fal_seal seal = sealed_by_peer(0);

    s->open.params.ordered = false;
    s->open.security.remote_time = UINT64_MAX - 10; /* the next step wraps it */
    solo_open(s);
    seal.iv = 5;
    ck_assert(sealed_takes(s, 0, seal));
    seal.iv = UINT64_MAX - 20;
    ck_assert(sealed_takes(s, 1, seal));
    seal.iv = 5 - SEALED_MARGIN;
    ck_assert(!sealed_takes(s, 2, seal));
    seal.iv++;
    ck_assert(sealed_takes(s, 2, seal));
    solo_free(s);
    for (unsigned long i = 0; i < test_rounds(10000); i++) {
        uint64_t remote = fal_rng_next(&rng), margin = fal_rng_below(&rng, 1u << 30);
        uint64_t off = fal_rng_below(&rng, UINT64_C(1) << 62);

        ck_assert(fal_replay_passes(remote, margin, remote - margin + 1 + off));
        ck_assert(!fal_replay_passes(remote, margin, remote - margin - off));
    }
}
END_TEST

START_TEST(FTP_9_2_2_2_06_a_rotation_sets_remote_time_anew)
{
    struct solo *s = sealed();
    struct fal_seal seal = sealed_by_peer(1);

    ck_assert(sealed_takes(s, 0, seal));
    sealed_rotate(s, TOP | 1, SEALED_TIME / 2);
    seal.iv = SEALED_TIME / 2 + 1; /* old by the measure of before */
    seal.spi = TOP | 1;
    ck_assert(sealed_takes(s, 1, seal));
    solo_free(s);
}
END_TEST

/* ---- SPI ---- */

/* Every row of a truth table, against conditions spelled out one by one. */
static bool by_the_table(const struct fal_security *c, const struct fal_security_global *g,
                         const struct fal_seal *p)
{
    bool current_generation = c->generation == g->generation;
    bool one_before = c->generation + 1 == g->generation;
    bool same_top = (c->spi & TOP) == (c->prev_spi & TOP);

    if (c->spi == 0)
        return false; /* FTP-9.2.2.3-09 */
    if (g->pcid_match && !(p->has_vc && p->vc == c->pcid))
        return false;     /* FTP-9.2.2.3-15 */
    if (p->spi == c->spi) /* FTP-9.2.2.3-10, -11, -12 */
        if (current_generation || (one_before && g->allow_previous))
            return true;
    if (p->spi != c->prev_spi || c->prev_spi == 0)
        return false;
    if (same_top) /* FTP-9.2.2.3-13 */
        return current_generation || (one_before && g->allow_previous);
    return current_generation && g->allow_previous; /* FTP-9.2.2.3-14: both less one */
}

START_TEST(FTP_9_2_2_3_09_to_16_the_check_is_that_of_the_pseudo_code)
{
    static const uint32_t spis[] = {0, 1, 2, TOP, TOP | 1};
    static const uint32_t generations[] = {0, 1, 2, 3, UINT32_MAX};
    enum { SPIS = 5, GENERATIONS = 5 };
    unsigned passed = 0;

    for (unsigned i = 0; i < SPIS * SPIS * SPIS * GENERATIONS * GENERATIONS * 16; i++) {
        unsigned n = i / 16;
        struct fal_security c = {.on = true, .pcid = 7};
        struct fal_security_global g = {.allow_previous = i & 1, .pcid_match = i >> 1 & 1};
        struct fal_seal p = {.present = true, .has_vc = i >> 2 & 1, .vc = i >> 3 & 1 ? 7 : 0};

        c.spi = spis[n % SPIS];
        c.prev_spi = spis[n / SPIS % SPIS];
        p.spi = spis[n / SPIS / SPIS % SPIS];
        c.generation = generations[n / SPIS / SPIS / SPIS % GENERATIONS];
        g.generation = generations[n / SPIS / SPIS / SPIS / GENERATIONS];
        ck_assert_int_eq(fal_spi_passes(&c, &g, &p), by_the_table(&c, &g, &p));
        passed += fal_spi_passes(&c, &g, &p);
    }
    ck_assert_uint_gt(passed, 1000);
}
END_TEST

START_TEST(FTP_9_2_2_3_01_02_03_a_wrong_SPI_is_told_dropped_and_not_answered)
{
    static const enum fal_packet_type types[] = {FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA,
                                                 FAL_RESYNC,       FAL_BACK,      FAL_EACK,
                                                 FAL_NACK};
    struct solo *s = sealed();
    struct fal_seal seal = sealed_by_peer(1);

    seal.spi = SEALED_PEER_SPI; /* that of the other direction */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct fal_falcon p = solo_packet(types[i], PEER_DATA, PEER_RSN);

        if (types[i] == FAL_PULL_REQUEST)
            p.psn = PEER_REQ;
        if (types[i] == FAL_PUSH_DATA)
            p.request_length = 4;
        if (types[i] == FAL_RESYNC)
            p.resync_packet_type = FAL_PUSH_DATA;
        if (types[i] == FAL_NACK)
            p.nack_code = FAL_NACK_RESOURCE;
        if (!fal_falcon_is_ack(types[i]))
            p.ack_req = 1;
        sealed_feed(s, &p, seal);
        untouched(s);
        ck_assert_uint_eq(sealed_told(s, "spi"), i + 1);
    }
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_3_09_a_connection_without_SPI_takes_nothing)
{
    struct solo *s = sealed_new();
    struct fal_seal seal = sealed_by_peer(1);

    s->open.security.spi = 0;
    solo_open(s);
    ck_assert(!sealed_takes(s, 0, seal));
    seal.spi = 0;
    ck_assert(!sealed_takes(s, 0, seal));
    ck_assert_uint_eq(sealed_told(s, "spi"), 2);
    sealed_order(s, FAL_CM_NEW_SPI, SEALED_SPI, SEALED_TIME); /* FTP-9.2.1-12 */
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1)));
    solo_free(s);
}
END_TEST

START_TEST(FTP_6_5_06_a_sealed_packet_on_a_plain_connection_has_no_association)
{
    struct solo *s = solo();

    ck_assert(!sealed_takes(s, 0, sealed_by_peer(1)));
    untouched(s);
    ck_assert_uint_eq(sealed_told(s, "spi"), 1);
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_3_15_and_9_2_1_17_21_PCIDs_are_matched_when_that_is_enabled)
{
    struct solo *s = sealed();
    struct fal_seal wrong = sealed_by_peer(1), none = sealed_by_peer(1);

    wrong.vc++;
    none.has_vc = false;
    ck_assert(sealed_takes(s, 0, wrong));
    sealed_order(s, FAL_CM_MATCH_PCID, 0, 0);
    ck_assert(!sealed_takes(s, 1, wrong));
    ck_assert(!sealed_takes(s, 1, none));
    ck_assert(sealed_takes(s, 1, sealed_by_peer(1)));
    sealed_order(s, FAL_CM_IGNORE_PCID, 0, 0);
    ck_assert(sealed_takes(s, 2, none));
    ck_assert_uint_eq(sealed_told(s, "spi"), 2);
    solo_free(s);
}
END_TEST

/* ---- key rotation ---- */

/* Packets under the old key and under the new one get through when they should. */
START_TEST(FTP_9_2_2_3_04_05_07_08_and_9_2_1_14_a_rotation_step_by_step)
{
    struct solo *s = sealed();
    struct fal_seal old = sealed_by_peer(1), fresh = old;
    uint32_t n = 0;

    fresh.spi = TOP | 1; /* a new master key: the top bit turns */
    ck_assert(sealed_takes(s, n++, old));
    ck_assert(!sealed_takes(s, n, fresh));
    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);          /* step 1 */
    ck_assert(sealed_takes(s, n++, old));                  /* still: FTP-9.2.1-20 */
    sealed_order(s, FAL_CM_NEW_SPI, TOP | 1, SEALED_TIME); /* step 2 */
    ck_assert(sealed_takes(s, n++, old));                  /* FTP-9.2.2.3-14 */
    ck_assert(sealed_takes(s, n++, fresh));
    sealed_order(s, FAL_CM_END_GENERATION, 0, 0); /* step 5 without step 4 */
    ck_assert(!sealed_takes(s, n, old));
    ck_assert(sealed_takes(s, n++, fresh));
    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0); /* the next one */
    sealed_order(s, FAL_CM_NEW_SPI, 2, SEALED_TIME);
    ck_assert(!sealed_takes(s, n, old)); /* two keys ago */
    ck_assert(sealed_takes(s, n++, fresh));
    sealed_order(s, FAL_CM_DROP_PREVIOUS, 0, 0); /* step 4 */
    ck_assert(!sealed_takes(s, n, fresh));
    fresh.spi = 2;
    ck_assert(sealed_takes(s, n++, fresh));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_3_13_two_SPIs_of_one_master_key)
{
    struct solo *s = sealed();
    struct fal_seal old = sealed_by_peer(1);

    sealed_order(s, FAL_CM_NEW_SPI, SEALED_SPI + 1, SEALED_TIME); /* no new generation */
    ck_assert(sealed_takes(s, 0, old));
    sealed_order(s, FAL_CM_END_GENERATION, 0, 0);
    ck_assert(sealed_takes(s, 1, old));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_1_19_a_connection_that_missed_rotations_is_shut_until_it_has_a_key)
{
    struct solo *s = sealed();

    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);
    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);
    ck_assert(!sealed_takes(s, 0, sealed_by_peer(1)));        /* two behind */
    sealed_order(s, FAL_CM_NEW_SPI, SEALED_SPI, SEALED_TIME); /* AMB-34: the global one */
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1)));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_1_13_a_new_connection_is_of_the_current_generation)
{
    struct solo *s = sealed();
    struct fal_endpoint_conn second = s->open;
    uint32_t first = s->conn;

    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);
    sealed_order(s, FAL_CM_END_GENERATION, 0, 0);
    second.local.cid = SOLO_CID + 1;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &second, s->now_ns, &s->conn), 0);
    ck_assert(!sealed_takes(s, 0, sealed_by_peer(1))); /* the first is one behind */
    fal_endpoint_close(s->ep, first);
    fal_endpoint_close(s->ep, s->conn);
    second.local.cid = SOLO_CID;
    ck_assert_int_eq(fal_endpoint_open(s->ep, &second, s->now_ns, &s->conn), 0);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1)));
    solo_free(s);
}
END_TEST

START_TEST(FTP_9_2_2_3_06_FTP_6_5_03_the_transmitter_seals_as_its_peer_has_announced)
{
    struct solo *s = sealed();

    solo_post(s, FAL_OP_PUSH, 4, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.spi, SEALED_PEER_SPI);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.vc, SEALED_PEER_PCID);
    sealed_order(s, FAL_CM_PEER_SPI, TOP | 9, 0);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    ck_assert_uint_eq(solo_nth(s, FAL_OUT_PACKET, 1)->out.seal.spi, TOP | 9);
    ck_assert(sealed_takes(s, 0, sealed_by_peer(1))); /* what it receives is another matter */
    solo_free(s);
}
END_TEST

START_TEST(orders_that_cannot_be_are_refused)
{
    static const enum fal_cm_order of_conns[] = {FAL_CM_NEW_SPI, FAL_CM_PEER_SPI,
                                                 FAL_CM_DROP_PREVIOUS};
    struct solo *s = solo();

    for (size_t i = 0; i < 3; i++) {
        struct fal_endpoint_in in = {.kind = FAL_IN_CM, .conn = s->conn, .order = of_conns[i]};

        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, 0, NULL), FAL_ERR_RANGE); /* plain */
        in.conn = 77;
        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, 0, NULL), FAL_ERR_RANGE);
    }
    solo_free(s);
}
END_TEST

START_TEST(plain_links_know_no_replay_and_no_SPI)
{
    struct solo *s = solo();

    solo_feed_push(s, 0, false);
    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);
    sealed_order(s, FAL_CM_MATCH_PCID, 0, 0);
    solo_feed_push(s, 1, false);
    ck_assert_uint_eq(solo_count(s, FAL_OUT_REQUEST), 2);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    ck_assert(!solo_nth(s, FAL_OUT_PACKET, 0)->out.seal.present);
    solo_free(s);
}
END_TEST

START_TEST(drops_are_noted)
{
    struct solo *s = sealed_new();
    struct fal_falcon p = sealed_push(0);
    struct fal_seal wrong = sealed_by_peer(1);

    s->config.internal_notes = true;
    solo_open(s);
    wrong.spi = 0xabc;
    sealed_feed(s, &p, wrong);
    sealed_feed(s, &p, sealed_by_peer(-(int64_t)SEALED_MARGIN));
    sealed_feed_as(s, &p, (struct sealed_arrival){.integrity = FAL_NOT_OPENED});
    sealed_feed_as(s, &p, (struct sealed_arrival){.integrity = FAL_DAMAGED});
    ck_assert_str_eq(solo_nth(s, FAL_OUT_NOTE, 0)->what, "dropped: spi 0x00000abc");
    ck_assert_str_eq(solo_nth(s, FAL_OUT_NOTE, 1)->what, "dropped: replay");
    ck_assert_str_eq(solo_nth(s, FAL_OUT_NOTE, 2)->what, "dropped: not authentic");
    ck_assert_str_eq(solo_nth(s, FAL_OUT_NOTE, 3)->what, "dropped: damaged");
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("acceptance");
    TCase *tc = tcase_create("accept");

    tcase_add_test(tc, FTP_9_2_2_1_01_a_packet_that_does_not_parse_is_discarded);
    tcase_add_test(tc, FTP_9_2_2_1_02_03_04_a_damaged_packet_is_discarded);
    tcase_add_test(tc, FTP_9_2_2_1_05_06_what_cannot_be_opened_is_discarded_and_the_CM_told);
    tcase_add_test(tc, FTP_9_2_2_1_05_what_is_in_the_clear_of_a_sealed_packet_is_enough);
    tcase_add_test(tc, FTP_6_5_01_an_unsealed_packet_is_none_of_a_sealed_connection);
    tcase_add_test(tc, FTP_11_15_a_dropped_packet_has_no_piggyback);
    tcase_add_test(tc, FTP_9_2_2_2_01_02_and_9_2_1_18_the_edge_is_exclusive);
    tcase_add_test(tc, FTP_9_2_2_2_03_FTP_6_5_07_a_replay_raises_no_ACK_even_when_asked_for);
    tcase_add_test(tc, FTP_9_2_2_2_04_FTP_6_5_08_reordered_packets_pass_within_the_margin);
    tcase_add_test(
        tc, FTP_9_2_1_15_FTP_9_2_1_16_remote_time_is_the_largest_IV_of_an_accepted_packet);
    tcase_add_test(tc, FTP_9_2_2_2_05_the_comparison_is_modulo);
    tcase_add_test(tc, FTP_9_2_2_2_06_a_rotation_sets_remote_time_anew);
    tcase_add_test(tc, FTP_9_2_2_3_09_to_16_the_check_is_that_of_the_pseudo_code);
    tcase_add_test(tc, FTP_9_2_2_3_01_02_03_a_wrong_SPI_is_told_dropped_and_not_answered);
    tcase_add_test(tc, FTP_9_2_2_3_09_a_connection_without_SPI_takes_nothing);
    tcase_add_test(tc, FTP_6_5_06_a_sealed_packet_on_a_plain_connection_has_no_association);
    tcase_add_test(tc, FTP_9_2_2_3_15_and_9_2_1_17_21_PCIDs_are_matched_when_that_is_enabled);
    tcase_add_test(tc, FTP_9_2_2_3_04_05_07_08_and_9_2_1_14_a_rotation_step_by_step);
    tcase_add_test(tc, FTP_9_2_2_3_13_two_SPIs_of_one_master_key);
    tcase_add_test(tc,
                   FTP_9_2_1_19_a_connection_that_missed_rotations_is_shut_until_it_has_a_key);
    tcase_add_test(tc, FTP_9_2_1_13_a_new_connection_is_of_the_current_generation);
    tcase_add_test(tc,
                   FTP_9_2_2_3_06_FTP_6_5_03_the_transmitter_seals_as_its_peer_has_announced);
    tcase_add_test(tc, orders_that_cannot_be_are_refused);
    tcase_add_test(tc, plain_links_know_no_replay_and_no_SPI);
    tcase_add_test(tc, drops_are_noted);
    suite_add_tcase(suite, tc);
    return suite;
}
