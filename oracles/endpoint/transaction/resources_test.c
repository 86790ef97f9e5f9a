/* SPDX-License-Identifier: Apache-2.0
 * resources_test.c - what transactions cost, accounts and zones: 8.2.2 to 8.2.4. */
#include "oracles/endpoint/transaction/resources.h"

#include "oracles/rng.h"
#include "tests/testing.h"

enum { N = 256 };

static void costs(enum fal_spend spend, enum fal_part part, uint32_t length,
                  const uint32_t *due)
{
    struct fal_units units = fal_credit_cost(spend, part, length, N);

    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        ck_assert_msg(units.of[i] == due[i], "%s of %u bytes: %u, not %u",
                      fal_resource_row(i)->name, length, units.of[i], due[i]);
}

#define COSTS(spend, part, length, ...) \
    costs(FAL_SPEND_##spend, FAL_PART_##part, length, (const uint32_t[]){__VA_ARGS__})

START_TEST(FTP_8_2_3_12_a_push_pays_for_its_payload)
{
    COSTS(PUSH, ALL, 1000, 1, 4, 1, 0, 0, 0, 0, 0);
    COSTS(PUSH, TX, 1000, 1, 4, 0, 0, 0, 0, 0, 0);
    COSTS(PUSH, RX, 1000, 0, 0, 1, 0, 0, 0, 0, 0);
}
END_TEST

START_TEST(FTP_8_2_3_13_a_pull_pays_for_its_response_in_advance)
{
    COSTS(PULL, ALL, 1000, 1, 1, 1, 4, 0, 0, 0, 0);
    COSTS(PULL, TX, 1000, 1, 1, 0, 0, 0, 0, 0, 0);
    COSTS(PULL, RX, 1000, 0, 0, 1, 4, 0, 0, 0, 0);
    COSTS(PULL, ALL, 0, 1, 1, 1, 0, 0, 0, 0, 0);
}
END_TEST

START_TEST(FTP_8_2_3_14_a_response_pays_for_its_data)
{
    COSTS(RESPONSE, ALL, 1000, 0, 0, 0, 0, 1, 4, 0, 0);
    COSTS(RESPONSE, RX, 1000, 0, 0, 0, 0, 0, 0, 0, 0);
    COSTS(RESPONSE, TX, 0, 0, 0, 0, 0, 1, 0, 0, 0);
}
END_TEST

START_TEST(FTP_8_2_4_02_03_what_arrives_pays_in_the_region_of_the_network)
{
    COSTS(NET_PUSH, ALL, 1000, 0, 0, 0, 0, 0, 0, 1, 4);
    COSTS(NET_PULL, ALL, 1000, 0, 0, 0, 0, 0, 0, 1, 1);
}
END_TEST

START_TEST(FTP_8_2_2_06_and_8_2_3_08_buffers_go_by_cells_rounded_up)
{
    static const struct {
        uint32_t length, cells;
    } rows[] = {
        {0, 0}, {1, 1}, {255, 1}, {256, 1}, {257, 2}, {4096, 16}, {UINT32_MAX, 1 << 24}};

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        COSTS(PUSH, ALL, rows[i].length, 1, rows[i].cells, 1, 0, 0, 0, 0, 0);
}
END_TEST

START_TEST(FTP_8_2_2_07_08_09_pools_are_carved_into_regions)
{
    static const bool due[4][3] = {
        /* ULP requests, ULP data, network */
        [FAL_POOL_TX_PACKET] = {true, true, false},
        [FAL_POOL_TX_BUFFER] = {true, true, false},
        [FAL_POOL_RX_PACKET] = {true, false, true},
        [FAL_POOL_RX_BUFFER] = {true, false, true},
    };
    bool seen[4][3] = {{false}};

    for (unsigned i = 0; i < FAL_RES_COUNT; i++)
        seen[fal_resource_row(i)->pool][fal_resource_row(i)->region] = true;
    ck_assert_mem_eq(seen, due, sizeof due);
}
END_TEST

static struct fal_account account(uint32_t packets, uint32_t cells, uint32_t red_pkt,
                                  uint32_t red_buf)
{
    struct fal_account account = {.limits = {.red_pkt = red_pkt, .red_buf = red_buf}};

    account.limits.units[FAL_RES_NET_PKT_RX] = packets;
    account.limits.units[FAL_RES_NET_BUF_RX] = cells;
    return account;
}

static bool room(const struct fal_account *account, uint32_t length, bool head)
{
    struct fal_units units = fal_credit_cost(FAL_SPEND_NET_PUSH, FAL_PART_ALL, length, N);

    return fal_account_room(account, &units, head);
}

static void take(struct fal_account *account, uint32_t length)
{
    struct fal_units units = fal_credit_cost(FAL_SPEND_NET_PUSH, FAL_PART_ALL, length, N);

    fal_account_take(account, &units);
}

START_TEST(FTP_8_2_4_04_the_red_zone_is_for_heads_of_line)
{
    struct fal_account a = account(10, 8, 1, 4);

    take(&a, 3 * N);
    ck_assert(room(&a, N, false));
    ck_assert(!room(&a, N + 1, false)); /* would cross into the red zone */
    ck_assert(room(&a, 5 * N, true));
    ck_assert(!room(&a, 5 * N + 1, true));
    take(&a, 5 * N);
    ck_assert(!room(&a, 1, true));
    ck_assert(room(&a, 0, false)); /* no buffer needed */
    ck_assert_uint_eq(fal_account_left(&a, FAL_RES_NET_BUF_RX), 0);
    ck_assert_uint_eq(fal_account_left(&a, FAL_RES_NET_PKT_RX), 8);
    ck_assert_uint_eq(fal_account_left(&a, FAL_RES_REQ_PKT_TX), UINT32_MAX);
}
END_TEST

START_TEST(FTP_8_2_2_10_packets_have_a_part_for_heads_of_line_too)
{
    struct fal_account a = account(3, 0, 1, 0);

    take(&a, N);
    ck_assert(room(&a, N, false));
    take(&a, N);
    ck_assert(!room(&a, N, false));
    ck_assert(room(&a, N, true));
    take(&a, N);
    ck_assert(!room(&a, N, true));
}
END_TEST

START_TEST(zones_that_could_not_hold_the_longest_request_are_unsound)
{
    struct fal_limits ok = account(10, 20, 1, 16).limits, bad;

    ck_assert(fal_limits_sound(&ok, 16 * N, N));
    ck_assert(!fal_limits_sound(&ok, 16 * N + 1, N));
    bad = account(10, 20, 0, 16).limits;
    ck_assert(!fal_limits_sound(&bad, N, N));
    bad = account(10, 15, 1, 16).limits;
    ck_assert(!fal_limits_sound(&bad, N, N));
    bad = account(0, 0, 1, 0).limits;
    ck_assert(!fal_limits_sound(&bad, N, N));
    bad = account(0, 0, 0, 0).limits;
    ck_assert(fal_limits_sound(&bad, UINT32_MAX, N));
    ck_assert(!fal_limits_any(&bad));
    ck_assert(fal_limits_any(&ok));
}
END_TEST

/* Whatever is taken and given back in whatever order, parts by themselves or all at once. */
START_TEST(what_is_given_back_in_parts_is_what_was_taken)
{
    uint64_t seed = test_seed(1);
    struct fal_rng rng = fal_rng_split(seed, 1);
    struct fal_account a = {.limits.units = {0}};
    static const struct fal_account none;

    for (unsigned i = 0; i < 10000; i++) {
        enum fal_spend spend = (enum fal_spend)fal_rng_below(&rng, 5);
        uint32_t length = (uint32_t)fal_rng_below(&rng, 10000);
        struct fal_units all = fal_credit_cost(spend, FAL_PART_ALL, length, N);
        struct fal_units tx = fal_credit_cost(spend, FAL_PART_TX, length, N);
        struct fal_units rx = fal_credit_cost(spend, FAL_PART_RX, length, N);

        fal_account_take(&a, &all);
        fal_account_give(&a, &rx);
        fal_account_give(&a, &tx);
        ck_assert_mem_eq(a.used, none.used, sizeof none.used);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("resources");
    TCase *tc = tcase_create("resources");

    tcase_add_test(tc, FTP_8_2_3_12_a_push_pays_for_its_payload);
    tcase_add_test(tc, FTP_8_2_3_13_a_pull_pays_for_its_response_in_advance);
    tcase_add_test(tc, FTP_8_2_3_14_a_response_pays_for_its_data);
    tcase_add_test(tc, FTP_8_2_4_02_03_what_arrives_pays_in_the_region_of_the_network);
    tcase_add_test(tc, FTP_8_2_2_06_and_8_2_3_08_buffers_go_by_cells_rounded_up);
    tcase_add_test(tc, FTP_8_2_2_07_08_09_pools_are_carved_into_regions);
    tcase_add_test(tc, FTP_8_2_4_04_the_red_zone_is_for_heads_of_line);
    tcase_add_test(tc, FTP_8_2_2_10_packets_have_a_part_for_heads_of_line_too);
    tcase_add_test(tc, zones_that_could_not_hold_the_longest_request_are_unsound);
    tcase_add_test(tc, what_is_given_back_in_parts_is_what_was_taken);
    suite_add_tcase(suite, tc);
    return suite;
}
