/* SPDX-License-Identifier: Apache-2.0
 * faults_security_test.c - faults and twins of the acceptance checks and of key rotation, each
 * seen to act. */
#include "oracles/endpoint/rig/bench_probe.h"
#include "tests/testing.h"

#define MARGIN ((int64_t)SEALED_MARGIN)
#define TOP    UINT32_C(0x80000000)

static bool arrives(struct solo *s, uint32_t n, struct fal_seal seal,
                    enum fal_integrity integrity)
{
    struct fal_falcon p = sealed_push(n);
    size_t before = solo_count(s, FAL_OUT_REQUEST);

    sealed_feed_as(s, &p, (struct sealed_arrival){.seal = seal, .integrity = integrity});
    return solo_count(s, FAL_OUT_REQUEST) > before;
}

static struct fal_seal with_spi(uint32_t spi)
{
    struct fal_seal seal = sealed_by_peer(1);

    seal.spi = spi;
    return seal;
}

static bool acknowledges(struct solo *s)
{
    solo_wait(s, 10000);
    return solo_count(s, FAL_OUT_PACKET) > 0;
}

/* ---- integrity ---- */

static bool takes_what_is_not_intact(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, sealed_by_peer(1), FAL_NOT_OPENED) &&
           arrives(s, 1, sealed_by_peer(2), FAL_DAMAGED);
}

static bool piggyback_of_the_damaged(struct solo *s)
{
    struct fal_falcon p = sealed_push(0);

    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    p.recv_data_base_psn++;
    sealed_feed_as(
        s, &p, (struct sealed_arrival){.seal = sealed_by_peer(1), .integrity = FAL_DAMAGED});
    return solo_count(s, FAL_OUT_COMPLETE) == 1 && solo_count(s, FAL_OUT_REQUEST) == 0;
}

static bool takes_plaintext(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, (struct fal_seal){0}, FAL_INTACT);
}

/* ---- SPI ---- */

static bool takes_spi_0(struct solo *s)
{
    s->open.security.spi = 0;
    solo_open(s);
    return arrives(s, 0, with_spi(0), FAL_INTACT) && !arrives(s, 1, with_spi(1), FAL_INTACT);
}

static bool takes_any_spi(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, with_spi(0x999), FAL_INTACT);
}

static bool takes_any_spi_in_acks(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    ack.recv_data_base_psn++;
    sealed_feed(s, &ack, with_spi(0x999));
    return solo_count(s, FAL_OUT_COMPLETE) == 1 && !arrives(s, 0, with_spi(0x999), FAL_INTACT);
}

static bool says_nothing_of_spis(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, with_spi(0x999), FAL_INTACT) && solo_count(s, FAL_OUT_CM) == 0;
}

static bool answers_wrong_spis(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, with_spi(0x999), FAL_INTACT) && acknowledges(s);
}

static bool takes_the_old_generation(struct solo *s)
{
    solo_open(s);
    sealed_rotate(s, TOP | 1, SEALED_TIME);
    sealed_order(s, FAL_CM_END_GENERATION, 0, 0);
    return arrives(s, 0, with_spi(SEALED_SPI), FAL_INTACT);
}

static bool loses_its_generation(struct solo *s)
{
    solo_open(s);
    sealed_order(s, FAL_CM_NEW_GENERATION, 0, 0);
    return !arrives(s, 0, with_spi(SEALED_SPI), FAL_INTACT);
}

static bool stays_in_the_old_generation(struct solo *s)
{
    solo_open(s);
    sealed_rotate(s, TOP | 1, SEALED_TIME);
    sealed_order(s, FAL_CM_END_GENERATION, 0, 0);
    return !arrives(s, 0, with_spi(TOP | 1), FAL_INTACT);
}

static bool refuses_the_new_spi(struct solo *s)
{
    solo_open(s);
    sealed_rotate(s, TOP | 1, SEALED_TIME);
    return !arrives(s, 0, with_spi(TOP | 1), FAL_INTACT);
}

static bool refuses_the_previous_spi(struct solo *s)
{
    solo_open(s);
    sealed_rotate(s, TOP | 1, SEALED_TIME);
    return !arrives(s, 0, with_spi(SEALED_SPI), FAL_INTACT) &&
           arrives(s, 0, with_spi(TOP | 1), FAL_INTACT);
}

static bool sends_the_old_spi(struct solo *s)
{
    solo_open(s);
    sealed_order(s, FAL_CM_PEER_SPI, 77, 0);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    return solo_sent(s, FAL_PUSH_DATA, 0)->out.seal.spi == SEALED_PEER_SPI;
}

static bool takes_any_pcid(struct solo *s)
{
    struct fal_seal seal = sealed_by_peer(1);

    solo_open(s);
    sealed_order(s, FAL_CM_MATCH_PCID, 0, 0);
    seal.vc++;
    return arrives(s, 0, seal, FAL_INTACT);
}

static bool refuses_its_pcid(struct solo *s)
{
    solo_open(s);
    sealed_order(s, FAL_CM_MATCH_PCID, 0, 0);
    return !arrives(s, 0, sealed_by_peer(1), FAL_INTACT);
}

static bool matches_pcids_unasked(struct solo *s)
{
    struct fal_seal seal = sealed_by_peer(1);

    solo_open(s);
    seal.vc++;
    return !arrives(s, 0, seal, FAL_INTACT);
}

/* ---- replay ---- */

static bool takes_any_age(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, sealed_by_peer(-100 * MARGIN), FAL_INTACT);
}

static bool adds_the_margin(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, sealed_by_peer(MARGIN), FAL_INTACT) &&
           arrives(s, 0, sealed_by_peer(MARGIN + 1), FAL_INTACT);
}

static bool has_no_margin(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, sealed_by_peer(0), FAL_INTACT) &&
           arrives(s, 0, sealed_by_peer(1), FAL_INTACT);
}

static bool takes_the_edge(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, sealed_by_peer(-MARGIN), FAL_INTACT) &&
           !arrives(s, 1, sealed_by_peer(-MARGIN - 1), FAL_INTACT);
}

static bool shuts_at_the_wrap(struct solo *s)
{
    struct fal_seal seal = sealed_by_peer(0);

    s->open.security.remote_time = UINT64_MAX - 5;
    solo_open(s);
    seal.iv = 10;
    return !arrives(s, 0, seal, FAL_INTACT);
}

static bool has_a_margin_of_its_own(struct solo *s)
{
    s->open.params.replay_margin_ns = FAL_MS;
    solo_open(s);
    return !arrives(s, 0, sealed_by_peer(-5 * MARGIN), FAL_INTACT);
}

static bool answers_replays(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, sealed_by_peer(-MARGIN), FAL_INTACT) && acknowledges(s);
}

static bool time_stands(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, sealed_by_peer(9 * MARGIN), FAL_INTACT) &&
           arrives(s, 1, sealed_by_peer(0), FAL_INTACT);
}

static bool time_goes_back(struct solo *s)
{
    solo_open(s);
    return arrives(s, 0, sealed_by_peer(9 * MARGIN), FAL_INTACT) &&
           arrives(s, 1, sealed_by_peer(9 * MARGIN - MARGIN / 2), FAL_INTACT) &&
           arrives(s, 2, sealed_by_peer(9 * MARGIN - MARGIN), FAL_INTACT);
}

static bool time_moved_by_anybody(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, sealed_by_peer(9 * MARGIN), FAL_NOT_OPENED) &&
           !arrives(s, 0, sealed_by_peer(0), FAL_INTACT);
}

static bool keeps_time_when_keys_rotate(struct solo *s)
{
    struct fal_seal seal = sealed_by_peer(0);

    solo_open(s);
    if (!arrives(s, 0, sealed_by_peer(9 * MARGIN), FAL_INTACT))
        return false;
    sealed_order(s, FAL_CM_NEW_SPI, seal.spi + 1, seal.iv);
    seal.spi++;
    return !arrives(s, 1, seal, FAL_INTACT);
}

static bool does_not_tell_of_forgeries(struct solo *s)
{
    solo_open(s);
    return !arrives(s, 0, sealed_by_peer(1), FAL_NOT_OPENED) && solo_count(s, FAL_OUT_CM) == 0;
}

static bool tells_of_all_drops(struct solo *s)
{
    solo_open(s);
    (void)arrives(s, 0, sealed_by_peer(1), FAL_DAMAGED);
    (void)arrives(s, 0, sealed_by_peer(-MARGIN), FAL_INTACT);
    return sealed_told(s, "integrity") == 1 && sealed_told(s, "replay") == 1;
}

static bool tells_of_replays_before_spis(struct solo *s)
{
    struct fal_seal seal = sealed_by_peer(-MARGIN);

    solo_open(s);
    seal.spi++;
    return !arrives(s, 0, seal, FAL_INTACT) && sealed_told(s, "spi") == 0;
}

static bool acks_do_not_move_time(struct solo *s)
{
    struct fal_falcon ack = solo_packet(FAL_BACK, 0, 0);

    solo_open(s);
    sealed_feed(s, &ack, sealed_by_peer(9 * MARGIN));
    return arrives(s, 0, sealed_by_peer(0), FAL_INTACT);
}

static bool sends_a_cookie_unasked(struct solo *s)
{
    const struct fal_seal *seal;

    s->open.security.has_vc = false;
    solo_open(s);
    solo_post(s, FAL_OP_PUSH, 4, 1);
    seal = &solo_sent(s, FAL_PUSH_DATA, 0)->out.seal;
    return seal->has_vc && seal->vc == SEALED_SPI;
}

/* ---- the tables ---- */

static const struct fault_probe faults[] = {
    {FAL_FAULT_INTEGRITY_UNCHECKED, takes_what_is_not_intact},
    {FAL_FAULT_DAMAGED_PIGGYBACK_TAKEN, piggyback_of_the_damaged},
    {FAL_FAULT_PLAINTEXT_ACCEPTED, takes_plaintext},
    {FAL_FAULT_SPI_ZERO_ACCEPTED, takes_spi_0},
    {FAL_FAULT_SPI_UNCHECKED, takes_any_spi},
    {FAL_FAULT_SPI_UNCHECKED_ON_ACKS, takes_any_spi_in_acks},
    {FAL_FAULT_SPI_FAILURE_SILENT, says_nothing_of_spis},
    {FAL_FAULT_SPI_FAILURE_ACKNOWLEDGED, answers_wrong_spis},
    {FAL_FAULT_OLD_GENERATION_ACCEPTED, takes_the_old_generation},
    {FAL_FAULT_GENERATION_BY_TWO, loses_its_generation},
    {FAL_FAULT_GENERATION_BEFORE_UNKNOWN, loses_its_generation},
    {FAL_FAULT_GENERATION_OF_SPI_KEPT, stays_in_the_old_generation},
    {FAL_FAULT_NEW_SPI_UNKNOWN, refuses_the_new_spi},
    {FAL_FAULT_PREVIOUS_SPI_REFUSED, refuses_the_previous_spi},
    {FAL_FAULT_PREVIOUS_SPI_FORGOTTEN, refuses_the_previous_spi},
    {FAL_FAULT_OLD_SPI_SENT, sends_the_old_spi},
    {FAL_FAULT_PCID_UNCHECKED, takes_any_pcid},
    {FAL_FAULT_PCID_OF_PEER, refuses_its_pcid},
    {FAL_FAULT_PCID_ALWAYS_MATCHED, matches_pcids_unasked},
    {FAL_FAULT_REPLAY_UNCHECKED, takes_any_age},
    {FAL_FAULT_REPLAY_MARGIN_INVERTED, adds_the_margin},
    {FAL_FAULT_REPLAY_WITHOUT_MARGIN, has_no_margin},
    {FAL_FAULT_REPLAY_AT_EQUALITY, takes_the_edge},
    {FAL_FAULT_REPLAY_COMPARE_UNSIGNED, shuts_at_the_wrap},
    {FAL_FAULT_REPLAY_MARGIN_FIXED, has_a_margin_of_its_own},
    {FAL_FAULT_REPLAY_ACKNOWLEDGED, answers_replays},
    {FAL_FAULT_REMOTE_TIME_FROZEN, time_stands},
    {FAL_FAULT_REMOTE_TIME_GOES_BACK, time_goes_back},
    {FAL_FAULT_REMOTE_TIME_UNPROVEN, time_moved_by_anybody},
    {FAL_FAULT_REMOTE_TIME_KEPT, keeps_time_when_keys_rotate},
};

static const struct twin_probe twins[] = {
    {FAL_TWIN_INTEGRITY_SILENT, does_not_tell_of_forgeries},
    {FAL_TWIN_EVERY_DROP_TOLD, tells_of_all_drops},
    {FAL_TWIN_REPLAY_BEFORE_SPI, tells_of_replays_before_spis},
    {FAL_TWIN_COOKIE_UNASKED, sends_a_cookie_unasked},
    {FAL_TWIN_REMOTE_TIME_NOT_OF_ACKS, acks_do_not_move_time},
};

enum { FAULTS = sizeof faults / sizeof *faults, TWINS = sizeof twins / sizeof *twins };

START_TEST(each_fault_is_seen_and_only_where_it_is_on)
{
    probe_fault(&faults[_i]);
}
END_TEST

START_TEST(each_twin_is_seen_and_only_where_it_is_taken)
{
    probe_twin(&twins[_i]);
}
END_TEST

START_TEST(no_fault_of_the_list_is_left_out)
{
    probe_all(faults, FAULTS, FAL_FAULT_INTEGRITY_UNCHECKED, FAL_FAULT_REMOTE_TIME_KEPT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of security");
    TCase *tc = tcase_create("faults");

    tcase_add_loop_test(tc, each_fault_is_seen_and_only_where_it_is_on, 0, FAULTS);
    tcase_add_loop_test(tc, each_twin_is_seen_and_only_where_it_is_taken, 0, TWINS);
    tcase_add_test(tc, no_fault_of_the_list_is_left_out);
    suite_add_tcase(suite, tc);
    return suite;
}
