/* SPDX-License-Identifier: Apache-2.0
 * ccqueue_test.c - the entries of the CC event and result queues: 10.6.2. */
#include "codecs/header/bitloop_test.h"
#include "codecs/header/ccqueue.h"
#include "tests/testing.h"

#include <string.h>

/* The tables of 10.6.2.1 and 10.6.2.2 once more, as they are printed. */
struct row {
    const char *name;
    unsigned bits;
};

static const struct row event_rows[] = {
    {"connection_id", 24},
    {"event_type", 2},
    {"t1", 24},
    {"t2", 24},
    {"t3", 24},
    {"t4", 24},
    {"retransmit_count", 3},
    {"retransmit_reason", 1},
    {"nack_code", 8},
    {"forward_hops", 4},
    {"rx_buffer_level", 5},
    {"cc_metadata", 24},
    {"fcwnd_fraction", 10},
    {"fcwnd_integer", 11},
    {"inter_packet_gap", 20},
    {"ncwnd", 11},
    {"retransmit_timeout", 24},
    {"num_packets_acked", 10},
    {"eack_drop", 1},
    {"eack", 1},
    {"reserved_0", 8},
    {"event_queue_select", 2},
    {"delay_select", 2},
    {"fabric_window_time_marker", 24},
    {"nic_window_time_marker", 24},
    {"ncwnd_direction", 1},
    {"base_delay_target", 24},
    {"delay_state", 24},
    {"rtt_state", 24},
    {"cc_opaque", 2},
    {"ecn_accumulated", 14},
    {"reserved_1", 107},
    {"gen", 1},
};

static const struct row result_rows[] = {
    {"connection_id", 24},
    {"randomize_path", 1},
    {"cc_metadata", 24},
    {"fcwnd_fraction", 10},
    {"fcwnd_integer", 11},
    {"inter_packet_gap", 20},
    {"ncwnd", 11},
    {"retransmit_timeout", 24},
    {"fabric_window_time_marker", 24},
    {"nic_window_time_marker", 24},
    {"ncwnd_direction", 1},
    {"base_delay_target", 24},
    {"delay_state", 24},
    {"rtt_state", 24},
    {"cc_opaque", 2},
    {"reserved_0", 128},
    {"reserved_1", 128},
    {"reserved_2", 8},
};

static void is_as_printed(const struct fal_layout *layout, const struct row *rows, size_t n)
{
    unsigned at = 0;

    ck_assert_uint_eq(layout->num_fields, n);
    ck_assert_uint_eq(layout->size_bytes, FAL_CC_ENTRY_LEN);
    for (size_t i = 0; i < n; i++) {
        ck_assert_str_eq(layout->fields[i].name, rows[i].name);
        ck_assert_uint_eq(layout->fields[i].width_bits, rows[i].bits);
        ck_assert_uint_eq(layout->fields[i].offset_bits, at);
        at += rows[i].bits;
    }
    ck_assert_uint_eq(at, 512);
}

START_TEST(FTP_10_6_2_1_02_to_35_the_event_is_as_the_table_has_it)
{
    is_as_printed(&fal_cc_event_layout, event_rows, sizeof event_rows / sizeof *event_rows);
}
END_TEST

START_TEST(FTP_10_6_2_2_02_to_17_the_result_is_as_the_table_has_it)
{
    is_as_printed(&fal_cc_result_layout, result_rows, sizeof result_rows / sizeof *result_rows);
}
END_TEST

START_TEST(FTP_10_6_2_1_03_09_24_27_the_code_points)
{
    static const struct {
        const char *field, *name;
        uint64_t value;
    } rows[] = {{"event_type", "ack", 0},          {"event_type", "nack", 1},
                {"event_type", "retransmit", 2},   {"retransmit_reason", "rto", 0},
                {"retransmit_reason", "early", 1}, {"delay_select", "full", 0},
                {"delay_select", "fabric", 1},     {"delay_select", "forward", 2},
                {"delay_select", "reverse", 3},    {"ncwnd_direction", "decrease", 0},
                {"ncwnd_direction", "increase", 1}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct fal_field *f = fal_layout_find(&fal_cc_event_layout, rows[i].field);

        ck_assert_str_eq(fal_name_of(f->names, rows[i].value), rows[i].name);
    }
}
END_TEST

START_TEST(entries_come_back_and_agree_with_the_bit_loop)
{
    const struct fal_layout *layouts[] = {&fal_cc_event_layout, &fal_cc_result_layout};
    uint64_t seed = test_seed(5), state = seed;

    for (unsigned long round = 0; round < test_rounds(2000); round++) {
        const struct fal_layout *l = layouts[round % 2];
        uint8_t wire[FAL_CC_ENTRY_LEN], back[FAL_CC_ENTRY_LEN];
        union {
            struct fal_cc_event event;
            struct fal_cc_result result;
        } host;

        test_random_bytes(&state, wire, sizeof wire);
        test_random_bytes(&state, (uint8_t *)&host, sizeof host);
        ck_assert_int_eq(fal_layout_decode(l, wire, sizeof wire, &host), FAL_CC_ENTRY_LEN);
        for (size_t i = 0; i < l->num_fields; i++)
            ck_assert_msg(
                fal_field_get(&l->fields[i], &host) ==
                    bitloop_get(wire, l->fields[i].offset_bits, l->fields[i].width_bits),
                "%s.%s TALON_SEED=%llu", l->name, l->fields[i].name, (unsigned long long)seed);
        ck_assert_int_eq(fal_layout_encode(l, &host, back, sizeof back, NULL),
                         FAL_CC_ENTRY_LEN);
        ck_assert_mem_eq(back, wire, sizeof wire);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("CC queues");
    TCase *tc = tcase_create("entries");

    tcase_add_test(tc, FTP_10_6_2_1_02_to_35_the_event_is_as_the_table_has_it);
    tcase_add_test(tc, FTP_10_6_2_2_02_to_17_the_result_is_as_the_table_has_it);
    tcase_add_test(tc, FTP_10_6_2_1_03_09_24_27_the_code_points);
    tcase_add_test(tc, entries_come_back_and_agree_with_the_bit_loop);
    suite_add_tcase(suite, tc);
    return suite;
}
