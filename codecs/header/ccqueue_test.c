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

/* ---- formats ---- */

static const struct fal_cc_event known_event = {.connection_id = 0x123456,
                                                .event_type = FAL_CC_NACK,
                                                .t1 = 0xabcdef,
                                                .delay_select = FAL_CC_DELAY_REVERSE,
                                                .ecn_accumulated = 0x2001,
                                                .gen = 1};

START_TEST(FTP_10_6_2_1_35_a_known_event_in_both_formats)
{
    /* delay_select begins at bit 265, ecn_accumulated at bit 390. */
    static const struct {
        size_t at;
        uint8_t msb, lsb;
    } rows[] = {{0, 0x12, 0x56},  {1, 0x34, 0x34},  {2, 0x56, 0x12},  {3, 0x6a, 0xbd},
                {4, 0xf3, 0x37},  {5, 0x7b, 0xaf},  {6, 0xc0, 0x02},  {7, 0, 0},
                {33, 0x60, 0x06}, {48, 0x02, 0x40}, {49, 0x00, 0x00}, {50, 0x10, 0x08},
                {63, 0x01, 0x80}};
    uint8_t bytes[2][FAL_CC_ENTRY_LEN];
    unsigned others[2] = {0, 0};

    for (enum fal_cc_format f = FAL_CC_TABLE_MSB; f <= FAL_CC_GEN1_LSB; f++)
        ck_assert_int_eq(fal_cc_encode(f, FAL_CC_ENTRY_EVENT, &known_event, bytes[f], NULL),
                         FAL_CC_ENTRY_LEN);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(bytes[0][rows[i].at] == rows[i].msb, "table-msb: byte %zu is %02x",
                      rows[i].at, bytes[0][rows[i].at]);
        ck_assert_msg(bytes[1][rows[i].at] == rows[i].lsb, "gen1-lsb: byte %zu is %02x",
                      rows[i].at, bytes[1][rows[i].at]);
        bytes[0][rows[i].at] = bytes[1][rows[i].at] = 0;
    }
    for (size_t i = 0; i < FAL_CC_ENTRY_LEN; i++) {
        others[0] |= bytes[0][i];
        others[1] |= bytes[1][i];
    }
    ck_assert_uint_eq(others[0] + others[1], 0);
}
END_TEST

START_TEST(FTP_10_6_2_2_17_gen1_has_two_more_fields_in_the_result)
{
    const struct fal_layout *table = fal_cc_layout(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT);
    const struct fal_layout *gen1 = fal_cc_layout(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_RESULT);
    const struct fal_cc_result result = {
        .event_queue_select = 2, .delay_select = 1, .fabric_window_time_marker = 0x800001};
    uint8_t bytes[FAL_CC_ENTRY_LEN];
    struct fal_cc_result back;

    ck_assert_uint_eq(gen1->num_fields, table->num_fields + 2);
    ck_assert_ptr_null(fal_layout_find(table, "delay_select"));
    ck_assert_uint_eq(fal_layout_find(gen1, "event_queue_select")->offset_bits, 125);
    ck_assert_uint_eq(fal_layout_find(gen1, "delay_select")->offset_bits, 127);
    ck_assert_int_eq(fal_cc_encode(FAL_CC_GEN1_LSB, FAL_CC_ENTRY_RESULT, &result, bytes, NULL),
                     FAL_CC_ENTRY_LEN);
    ck_assert_uint_eq(bytes[15], 0xc0);
    ck_assert_uint_eq(bytes[16], 0x02);
    ck_assert_uint_eq(bytes[19], 0x01);
    ck_assert_int_eq(fal_cc_encode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT, &result, bytes, NULL),
                     FAL_CC_ENTRY_LEN);
    ck_assert_uint_eq(bytes[15], 0x04);
    memset(&back, 0xff, sizeof back);
    ck_assert_int_eq(
        fal_cc_decode(FAL_CC_TABLE_MSB, FAL_CC_ENTRY_RESULT, bytes, sizeof bytes, &back),
        FAL_CC_ENTRY_LEN);
    ck_assert_uint_eq(back.fabric_window_time_marker, 0x800001);
    ck_assert_uint_eq(back.event_queue_select + back.delay_select, 0);
}
END_TEST

/* Any 64 bytes are an entry: they come back, and every field holds the same value, whichever
 * format carries it. */
START_TEST(both_formats_carry_arbitrary_entries)
{
    uint64_t seed = test_seed(6), state = seed;

    for (unsigned long round = 0; round < test_rounds(4000); round++) {
        enum fal_cc_format format = round % 2 == 0 ? FAL_CC_TABLE_MSB : FAL_CC_GEN1_LSB;
        enum fal_cc_entry entry = round / 2 % 2 == 0 ? FAL_CC_ENTRY_EVENT : FAL_CC_ENTRY_RESULT;
        const struct fal_layout *layout = fal_cc_layout(format, entry);
        uint8_t wire[FAL_CC_ENTRY_LEN], back[FAL_CC_ENTRY_LEN];
        union {
            struct fal_cc_event event;
            struct fal_cc_result result;
        } host;

        test_random_bytes(&state, wire, sizeof wire);
        test_random_bytes(&state, (uint8_t *)&host, sizeof host);
        ck_assert_int_eq(fal_cc_decode(format, entry, wire, sizeof wire, &host),
                         FAL_CC_ENTRY_LEN);
        for (size_t i = 0; i < layout->num_fields && format == FAL_CC_GEN1_LSB; i++) {
            const struct fal_field *f = &layout->fields[i];
            fal_u128 value = fal_field_get(f, &host);

            for (unsigned bit = 0; bit < f->width_bits; bit++) {
                unsigned at = f->offset_bits + bit;

                ck_assert_msg(fal_u128_test(value, bit) == (wire[at / 8] >> at % 8 & 1),
                              "%s, %s", f->name, test_again(seed));
            }
        }
        ck_assert_int_eq(fal_cc_encode(format, entry, &host, back, NULL), FAL_CC_ENTRY_LEN);
        ck_assert_msg(memcmp(back, wire, sizeof wire) == 0, "%s", test_again(seed));
    }
}
END_TEST

START_TEST(short_entries_and_large_values_are_refused)
{
    for (enum fal_cc_format f = FAL_CC_TABLE_MSB; f <= FAL_CC_GEN1_LSB; f++) {
        uint8_t bytes[FAL_CC_ENTRY_LEN] = {0}, before[FAL_CC_ENTRY_LEN] = {0};
        struct fal_cc_event event = known_event;
        struct fal_cc_result result = {.ncwnd = 7};
        const struct fal_field *bad = NULL;

        for (size_t len = 0; len < FAL_CC_ENTRY_LEN; len++) {
            ck_assert_int_eq(fal_cc_decode(f, FAL_CC_ENTRY_EVENT, bytes, len, &event),
                             FAL_ERR_SHORT);
            ck_assert_int_eq(fal_cc_decode(f, FAL_CC_ENTRY_RESULT, bytes, len, &result),
                             FAL_ERR_SHORT);
        }
        ck_assert_uint_eq(event.connection_id, 0x123456);
        ck_assert_uint_eq(result.ncwnd, 7);
        event.rx_buffer_level = 32;
        ck_assert_int_eq(fal_cc_encode(f, FAL_CC_ENTRY_EVENT, &event, bytes, &bad),
                         FAL_ERR_RANGE);
        ck_assert_str_eq(bad->name, "rx_buffer_level");
        ck_assert_mem_eq(bytes, before, sizeof bytes);
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
    tcase_add_test(tc, FTP_10_6_2_1_35_a_known_event_in_both_formats);
    tcase_add_test(tc, FTP_10_6_2_2_17_gen1_has_two_more_fields_in_the_result);
    tcase_add_test(tc, both_formats_carry_arbitrary_entries);
    tcase_add_test(tc, short_entries_and_large_values_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
