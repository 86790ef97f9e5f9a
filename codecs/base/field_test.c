/* SPDX-License-Identifier: Apache-2.0
 * The engine over every layout: properties that hold whatever the header is. */
#include "codecs/header/bitloop_test.h"
#include "tests/testing.h"

/* Runs `check` on every field of every layout. */
static void each_field(void (*check)(const struct fal_layout *layout,
                                     const struct fal_field *f))
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < layouts[i]->num_fields; k++)
            check(layouts[i], &layouts[i]->fields[k]);
}

START_TEST(tables_tile_their_headers)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    ck_assert_uint_ge(n, 13);
    for (size_t i = 0; i < n; i++) {
        size_t bit = 0;

        for (size_t k = 0; k < layouts[i]->num_fields; k++) {
            const struct fal_field *f = &layouts[i]->fields[k];

            ck_assert_uint_eq(f->offset_bits, bit);
            ck_assert_uint_ge(f->width_bits, 1);
            ck_assert_uint_le(f->width_bits, 8u * f->member_size);
            ck_assert_uint_le(f->width_bits, 128);
            bit += f->width_bits;
        }
        ck_assert_uint_eq(bit, 8 * layouts[i]->size_bytes);
        ck_assert_uint_le(layouts[i]->size_bytes, TEST_HEADER_MAX);
        ck_assert_uint_le(layouts[i]->num_fields, TEST_FIELDS_MAX);
    }
}
END_TEST

/* Two fields of one header share no name, alias or host member. */
START_TEST(names_and_members_are_their_own)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++) {
        const struct fal_layout *l = layouts[i];

        for (size_t k = 0; k < l->num_fields; k++) {
            const struct fal_field *f = &l->fields[k];

            ck_assert_ptr_eq(fal_layout_find(l, f->name), f);
            if (f->alias != NULL)
                ck_assert_ptr_eq(fal_layout_find(l, f->alias), f);
            for (size_t j = 0; j < k; j++)
                ck_assert_msg(l->fields[j].member_offset != f->member_offset, "%s.%s", l->name,
                              f->name);
        }
        ck_assert_ptr_null(fal_layout_find(l, "no_such_field"));
        ck_assert_ptr_null(fal_layout_find(l, ""));
    }
}
END_TEST

START_TEST(straight_line_decoder_agrees_with_the_bit_loop)
{
    uint64_t seed = test_seed(3), state = seed;
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (unsigned long round = 0; round < test_rounds(2000); round++) {
        const struct fal_layout *l = layouts[round % n];
        uint8_t wire[TEST_HEADER_MAX], back[TEST_HEADER_MAX], loop[TEST_HEADER_MAX];
        union test_host host;

        test_random_bytes(&state, wire, sizeof wire);
        test_random_bytes(
            &state, (uint8_t *)&host,
            sizeof host); /* so that a member that decoding does not write is noticed */
        ck_assert_int_eq(fal_layout_decode(l, wire, sizeof wire, &host), (int)l->size_bytes);
        for (size_t k = 0; k < l->num_fields; k++) {
            const struct fal_field *f = &l->fields[k];

            ck_assert_msg(fal_field_get(f, &host) == bitloop_get_field(wire, f),
                          "%s.%s TALON_SEED=%llu", l->name, f->name, (unsigned long long)seed);
        }

        /* And back: the same bytes, by the encoder and by the loop, and none behind them. */
        test_random_bytes(&state, back, sizeof back);
        memcpy(loop, back, sizeof back);
        ck_assert_int_eq(fal_layout_encode(l, &host, back, sizeof back, NULL),
                         (int)l->size_bytes);
        for (size_t k = 0; k < l->num_fields; k++)
            bitloop_set_field(loop, &l->fields[k], fal_field_get(&l->fields[k], &host));
        ck_assert_msg(memcmp(back, wire, l->size_bytes) == 0, "%s TALON_SEED=%llu", l->name,
                      (unsigned long long)seed);
        ck_assert_mem_eq(back, loop, sizeof back);
    }
}
END_TEST

START_TEST(decode_refuses_every_truncation_and_leaves_the_host)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);
    uint8_t wire[TEST_HEADER_MAX];

    memset(wire, 0x5a, sizeof wire);
    for (size_t i = 0; i < n; i++) {
        for (size_t len = 0; len < layouts[i]->size_bytes; len++) {
            union test_host host, before;

            memset(&host, 0xc3, sizeof host);
            memset(&before, 0xc3, sizeof before);
            ck_assert_int_eq(fal_layout_decode(layouts[i], wire, len, &host), FAL_ERR_SHORT);
            ck_assert_mem_eq(&host, &before, sizeof host);
        }
    }
}
END_TEST

START_TEST(encode_refuses_a_short_buffer_and_leaves_it)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    for (size_t i = 0; i < n; i++) {
        for (size_t cap = 0; cap < layouts[i]->size_bytes; cap++) {
            uint8_t out[TEST_HEADER_MAX], before[TEST_HEADER_MAX];
            union test_host host;

            memset(&host, 0, sizeof host);
            memset(out, 0x77, sizeof out);
            memset(before, 0x77, sizeof before);
            ck_assert_int_eq(fal_layout_encode(layouts[i], &host, out, cap, NULL),
                             FAL_ERR_SHORT);
            ck_assert_mem_eq(out, before, sizeof out);
        }
    }
}
END_TEST

/* Sets the field over a background of zeros and of ones, and looks at every bit of the header.
 */
static void set_and_look(const struct fal_layout *l, const struct fal_field *f, fal_u128 value)
{
    static const uint8_t backgrounds[] = {0x00, 0xff};

    for (size_t b = 0; b < 2; b++) {
        uint8_t wire[TEST_HEADER_MAX], due[TEST_HEADER_MAX];
        union test_host host;

        memset(wire, backgrounds[b], sizeof wire);
        memcpy(due, wire, sizeof due);
        bitloop_set_field(due, f, value);
        memset(&host, 0, sizeof host);
        ck_assert_int_gt(fal_layout_decode(l, wire, sizeof wire, &host), 0);
        ck_assert_int_eq(fal_field_set(f, &host, value), 0);
        ck_assert(fal_field_get(f, &host) == value);
        ck_assert_int_gt(fal_layout_encode(l, &host, wire, sizeof wire, NULL), 0);
        ck_assert_msg(memcmp(wire, due, sizeof due) == 0, "%s.%s", l->name, f->name);
    }
}

static void check_field_bits(const struct fal_layout *l, const struct fal_field *f)
{
    set_and_look(l, f, 0);
    set_and_look(l, f, fal_u128_ones(f->width_bits));
    for (unsigned bit = 0; bit < f->width_bits; bit++)
        set_and_look(l, f, fal_u128_with(0, bit));
}

START_TEST(each_field_changes_just_its_bits_and_reads_back)
{
    each_field(check_field_bits);
}
END_TEST

/* The smallest value that does not fit is refused by set, and by encode when the member could
 * hold it: with the field's name, and with nothing written. */
static void check_field_range(const struct fal_layout *l, const struct fal_field *f)
{
    fal_u128 excess = fal_u128_with(0, f->width_bits);
    uint8_t out[TEST_HEADER_MAX], before[TEST_HEADER_MAX];
    const struct fal_field *bad = NULL;
    struct fal_field wide = *f;
    union test_host host;

    if (f->width_bits == 128)
        return;
    memset(&host, 0, sizeof host);
    ck_assert_int_eq(fal_field_set(f, &host, excess), FAL_ERR_RANGE);
    ck_assert(fal_field_get(f, &host) == 0);
    if (f->width_bits == 8u * f->member_size)
        return;
    wide.width_bits = (uint16_t)(8 * f->member_size);
    ck_assert_int_eq(fal_field_set(&wide, &host, excess), 0);
    memset(out, 0x77, sizeof out);
    memset(before, 0x77, sizeof before);
    ck_assert_int_eq(fal_layout_encode(l, &host, out, sizeof out, &bad), FAL_ERR_RANGE);
    ck_assert_ptr_eq(bad, f);
    ck_assert_mem_eq(out, before, sizeof out);
    ck_assert_int_eq(fal_layout_encode(l, &host, out, sizeof out, NULL), FAL_ERR_RANGE);
}

START_TEST(a_value_too_wide_is_refused_by_name)
{
    each_field(check_field_range);
}
END_TEST

static void check_field_initial(const struct fal_layout *l, const struct fal_field *f)
{
    union test_host host;
    uint8_t wire[TEST_HEADER_MAX];

    memset(&host, 0xee, sizeof host);
    fal_layout_init(l, &host);
    ck_assert(fal_field_get(f, &host) == f->initial);
    ck_assert_msg(fal_field_legal(f, f->initial), "%s.%s", l->name, f->name);
    ck_assert_int_eq(fal_layout_encode(l, &host, wire, sizeof wire, NULL), (int)l->size_bytes);
}

START_TEST(initial_values_are_legal_and_fit)
{
    each_field(check_field_initial);
}
END_TEST

static void check_field_legal(const struct fal_layout *l, const struct fal_field *f)
{
    uint64_t top = f->width_bits < 16 ? UINT64_C(1) << f->width_bits : UINT64_C(1) << 16;

    for (uint64_t v = 0; v < top; v++) {
        bool due = true;

        if (f->kind == FAL_RSVD || f->kind == FAL_CONST)
            due = v == (f->kind == FAL_RSVD ? 0 : f->initial);
        else if (f->kind == FAL_CODE)
            due = fal_name_of(f->names, v) != NULL;
        if (fal_field_legal(f, v) != due)
            ck_abort_msg("%s.%s: %llu", l->name, f->name, (unsigned long long)v);
    }
    if (f->kind == FAL_RSVD || f->kind == FAL_CONST || f->kind == FAL_CODE)
        ck_assert(!fal_field_legal(f, fal_u128_halves(1, f->initial)));
}

START_TEST(legal_is_what_the_table_says)
{
    each_field(check_field_legal);
}
END_TEST

START_TEST(names_go_both_ways)
{
    uint64_t value = 77;

    ck_assert_str_eq(fal_name_of(&fal_names_nack_code, 6), "cie");
    ck_assert_ptr_null(fal_name_of(&fal_names_nack_code, 3));
    ck_assert_ptr_null(fal_name_of(NULL, 3));
    ck_assert(fal_name_find(&fal_names_nack_code, "invalid_cid", &value));
    ck_assert_uint_eq(value, 8);
    ck_assert(!fal_name_find(&fal_names_nack_code, "ci", &value));
    ck_assert(!fal_name_find(NULL, "cie", &value));
    ck_assert_uint_eq(value, 8);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("field");
    TCase *tcase = tcase_create("field");

    tcase_add_test(tcase, tables_tile_their_headers);
    tcase_add_test(tcase, names_and_members_are_their_own);
    tcase_add_test(tcase, straight_line_decoder_agrees_with_the_bit_loop);
    tcase_add_test(tcase, decode_refuses_every_truncation_and_leaves_the_host);
    tcase_add_test(tcase, encode_refuses_a_short_buffer_and_leaves_it);
    tcase_add_test(tcase, each_field_changes_just_its_bits_and_reads_back);
    tcase_add_test(tcase, a_value_too_wide_is_refused_by_name);
    tcase_add_test(tcase, initial_values_are_legal_and_fit);
    tcase_add_test(tcase, legal_is_what_the_table_says);
    tcase_add_test(tcase, names_go_both_ways);
    suite_add_tcase(suite, tcase);
    return suite;
}
