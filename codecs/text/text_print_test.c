/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/random_packet_test.h"
#include "codecs/text/text.h"
#include "tests/testing.h"

#include <stdlib.h>

#define GIVEN(type_, ...)                                 \
    {                                                     \
        .version = 1, .packet_type = (type_), __VA_ARGS__ \
    }

static const struct {
    struct fal_falcon packet;
    const char *line;
} rows[] = {
    {GIVEN(FAL_PUSH_DATA, .dest_cid = 5, .protocol_type = 2, .psn = 7, .rsn = 9,
           .request_length = 64, .ack_req = 1),
     "push_data cid=5 dbase=0 rbase=0 psn=7 rsn=9 len=64 ar"},
    {GIVEN(FAL_PULL_DATA, .protocol_type = 3, .dest_function = 11,
           .recv_req_base_psn = 4294967295),
     "pull_data cid=0 fn=11 proto=nvme dbase=0 rbase=4294967295 psn=0 rsn=0"},
    {{.version = 3, .packet_type = FAL_PULL_REQUEST, .protocol_type = 7, .reserved_1 = 65535},
     "pull_request version=3 cid=0 proto=7 dbase=0 rbase=0 psn=0 rsn=0 reserved_1=0xffff len=0"},
    {GIVEN(FAL_RESYNC, .protocol_type = 2, .resync_code = 3, .resync_packet_type = 0,
           .vendor_defined = 1),
     "resync cid=0 dbase=0 rbase=0 psn=0 rsn=0 code=exhausted of=pull_request vendor_defined=1"},
    {GIVEN(FAL_RESYNC, .protocol_type = 2, .resync_code = 200, .resync_packet_type = 15),
     "resync cid=0 dbase=0 rbase=0 psn=0 rsn=0 code=200 of=15"},
    {GIVEN(FAL_BACK, .recv_data_base_psn = 7, .own = 3),
     "back cid=0 dbase=7 rbase=0 r-own d-own"},
    {GIVEN(FAL_EACK, .own = 2, .data_rx_bitmap = 14),
     "eack cid=0 dbase=0 rbase=0 drx=0b1110 d-own"},
    {GIVEN(FAL_EACK, .data_ack_bitmap = (fal_u128)1 << 64, .req_bitmap = 0xffff),
     "eack cid=0 dbase=0 rbase=0 dack=0x10000000000000000 req=0b1111111111111111"},
    {GIVEN(FAL_EACK, .req_bitmap = 0x10000), "eack cid=0 dbase=0 rbase=0 req=0x10000"},
    {GIVEN(FAL_NACK, .nack_code = 2, .rnr_timeout = 1, .window = 1, .nack_psn = 8),
     "nack cid=0 dbase=0 rbase=0 nack_psn=8 code=rnr rnr=10us w=req"},
    {GIVEN(FAL_NACK, .nack_code = 2),
     "nack cid=0 dbase=0 rbase=0 nack_psn=0 code=rnr rnr=655.36ms w=data"},
    {GIVEN(FAL_NACK, .nack_code = 6, .rnr_timeout = 31, .ulp_nack_code = 4),
     "nack cid=0 dbase=0 rbase=0 nack_psn=0 code=cie rnr=491.52ms w=data ulp_nack_code=4"},
    {GIVEN(15, .dest_cid = 0xabcdef), "hex:10abcdef0000001e"},
};

START_TEST(packet_prints_as_the_notation_has_it)
{
    char line[FAL_TEXT_MAX];
    int len = fal_text_packet(&rows[_i].packet, NULL, line, sizeof line);

    ck_assert_str_eq(line, rows[_i].line);
    ck_assert_int_eq(len, (int)strlen(line));
}
END_TEST

START_TEST(relative_numbers_count_from_the_right_side)
{
    const struct fal_text_style style = {.relative = true,
                                         .req_psn = 100,
                                         .data_psn = 200,
                                         .rsn = 300,
                                         .peer_req_psn = 1000,
                                         .peer_data_psn = 0xffffffff,
                                         .peer_rsn = 3000};
    static const struct {
        struct fal_falcon packet;
        const char *line;
    } cases[] = {
        {GIVEN(FAL_PUSH_DATA, .protocol_type = 2, .psn = 203, .rsn = 301,
               .recv_data_base_psn = 1, .recv_req_base_psn = 999),
         "push_data cid=0 dbase=2r rbase=-1r psn=3r rsn=1r len=0"},
        {GIVEN(FAL_PULL_REQUEST, .protocol_type = 2, .psn = 100, .rsn = 300,
               .recv_data_base_psn = 0, .recv_req_base_psn = 1000),
         "pull_request cid=0 dbase=1r rbase=0r psn=0r rsn=0r len=0"},
        {GIVEN(FAL_PULL_DATA, .protocol_type = 2, .psn = 200, .rsn = 3001,
               .recv_req_base_psn = 1000),
         "pull_data cid=0 dbase=1r rbase=0r psn=0r rsn=1r"},
        {GIVEN(FAL_RESYNC, .protocol_type = 2, .resync_code = 1, .psn = 101, .rsn = 302,
               .recv_req_base_psn = 1000, .resync_packet_type = FAL_PULL_REQUEST),
         "resync cid=0 dbase=1r rbase=0r psn=1r rsn=2r code=cie of=pull_request"},
        {GIVEN(FAL_RESYNC, .protocol_type = 2, .resync_code = 1, .psn = 201, .rsn = 3002,
               .recv_req_base_psn = 1000, .resync_packet_type = FAL_PULL_DATA),
         "resync cid=0 dbase=1r rbase=0r psn=1r rsn=2r code=cie of=pull_data"},
        {GIVEN(FAL_NACK, .nack_code = 1, .nack_psn = 1005, .window = 1,
               .recv_req_base_psn = 1000),
         "nack cid=0 dbase=1r rbase=0r nack_psn=5r code=resource w=req"},
        {GIVEN(FAL_NACK, .nack_code = 1, .nack_psn = 4, .window = 0, .recv_req_base_psn = 1000),
         "nack cid=0 dbase=1r rbase=0r nack_psn=5r code=resource w=data"},
    };
    char line[FAL_TEXT_MAX];

    ck_assert_int_eq(_i < (int)(sizeof cases / sizeof *cases), 1);
    (void)fal_text_packet(&cases[_i].packet, &style, line, sizeof line);
    ck_assert_str_eq(line, cases[_i].line);
}
END_TEST

START_TEST(short_buffers_cut_and_never_overrun)
{
    struct fal_falcon packet = rows[_i].packet;
    char whole[FAL_TEXT_MAX], line[FAL_TEXT_MAX];
    int len = fal_text_packet(&packet, NULL, whole, sizeof whole);

    ck_assert_int_eq(fal_text_packet(&packet, NULL, NULL, 0), len);
    for (size_t cap = 1; cap <= (size_t)len + 1; cap++) {
        memset(line, '#', sizeof line);
        ck_assert_int_eq(fal_text_packet(&packet, NULL, line, cap), len);
        ck_assert_uint_eq(strlen(line), cap - 1);
        ck_assert_int_eq(strncmp(line, whole, cap - 1), 0);
        ck_assert_int_eq(line[cap], '#');
    }
}
END_TEST

/* The longest line of any type fits FAL_TEXT_MAX. */
START_TEST(longest_packet_fits)
{
    for (unsigned type = 0; type < 16; type++) {
        struct fal_falcon packet;
        const struct fal_layout *layout = fal_falcon_layout(type);

        if (layout == NULL)
            continue;
        memset(&packet, 0xff, sizeof packet);
        packet.packet_type = (uint8_t)type;
        ck_assert_int_lt(fal_text_packet(&packet, NULL, NULL, 0), FAL_TEXT_MAX);
    }
}
END_TEST

static struct fal_text_style random_style(uint64_t *state)
{
    return (struct fal_text_style){.relative = random_next(state) % 2 == 0,
                                   .req_psn = (uint32_t)random_next(state),
                                   .data_psn = (uint32_t)random_next(state),
                                   .rsn = (uint32_t)random_next(state),
                                   .peer_req_psn = (uint32_t)random_next(state),
                                   .peer_data_psn = (uint32_t)random_next(state),
                                   .peer_rsn = (uint32_t)random_next(state)};
}

START_TEST(printed_packet_parses_back)
{
    uint64_t state = test_seed(UINT64_C(0x7e47)) + (uint64_t)_i;
    unsigned long rounds = test_rounds(20000);

    for (unsigned long n = 0; n < rounds; n++) {
        uint64_t seed = state;
        struct fal_falcon packet = random_packet(&state, _i == 0), back;
        struct fal_text_style style = random_style(&state);
        struct fal_relative rel = {style.req_psn,      style.data_psn,      style.rsn,
                                   style.peer_req_psn, style.peer_data_psn, style.peer_rsn};
        struct fal_pattern pattern;
        struct fal_error err = {{0}};
        char line[FAL_TEXT_MAX], again[FAL_TEXT_MAX];

        ck_assert_int_lt(fal_text_packet(&packet, &style, line, sizeof line), FAL_TEXT_MAX);
        ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s (TALON_SEED=%#llx)",
                      line, err.text, (unsigned long long)seed);
        fal_falcon_init(&back, packet.packet_type);
        ck_assert_msg(fal_pattern_apply(&pattern, &rel, NULL, &back, &err) == 0,
                      "%s: %s (TALON_SEED=%#llx)", line, err.text, (unsigned long long)seed);
        ck_assert_msg(same_packet(&packet, &back), "%s: another packet (TALON_SEED=%#llx)",
                      line, (unsigned long long)seed);
        ck_assert_msg(fal_pattern_match(&pattern, &rel, NULL,
                                        &(struct fal_seen_packet){&packet, 0, NULL}, NULL,
                                        &err) == 1,
                      "%s: %s (TALON_SEED=%#llx)", line, err.text, (unsigned long long)seed);
        /* What the pattern prints is what the packet printed: one way to say a thing. */
        (void)fal_text_pattern(&pattern, again, sizeof again);
        ck_assert_str_eq(again, line);
    }
}
END_TEST

START_TEST(hex_prints_and_parses_back)
{
    uint8_t bytes[512];
    char line[4 + 2 * sizeof bytes + 1];
    struct fal_pattern pattern;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t len = 1; len <= sizeof bytes; len++) {
        ck_assert_int_eq(fal_text_hex(bytes, len, line, sizeof line), (int)(4 + 2 * len));
        ck_assert_int_eq(fal_text_parse(line, &pattern, NULL), 0);
        ck_assert_uint_eq(pattern.hex_len, len);
        ck_assert_mem_eq(pattern.hex, bytes, len);
        ck_assert(pattern.layout == NULL && !pattern.any_type);
    }
}
END_TEST

START_TEST(duration_is_exact_and_reads_well)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1ns"},
                 {1000, "1us"},
                 {1001, "1.001us"},
                 {999, "999ns"},
                 {1250000, "1.25ms"},
                 {1000000001, "1.000000001s"},
                 {10000, "10us"},
                 {2000000, "2ms"},
                 {60000000000, "60s"},
                 {UINT64_MAX, "18446744073.709551615s"}};
    struct fal_duration back;
    char text[40];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(fal_text_duration(cases[i].ns, text, sizeof text),
                         (int)strlen(cases[i].text));
        ck_assert_str_eq(text, cases[i].text);
        ck_assert_int_eq(fal_text_parse_duration(text, &back, NULL), 0);
        ck_assert_uint_eq(back.ns, cases[i].ns);
    }
}
END_TEST

/* Every packet type, field, alias and name of a code is in it. */
START_TEST(grammar_names_everything)
{
    char *grammar = fal_text_grammar();

    ck_assert_ptr_nonnull(grammar);
    for (unsigned type = 0; type < 16; type++) {
        const struct fal_layout *layout = fal_falcon_layout(type);

        for (size_t i = 0; layout != NULL && i < layout->num_fields; i++) {
            const struct fal_field *f = &layout->fields[i];

            if (strcmp(f->name, "packet_type") == 0)
                continue;
            ck_assert_ptr_nonnull(strstr(grammar, f->name));
            if (f->alias != NULL)
                ck_assert_ptr_nonnull(strstr(grammar, f->alias));
            for (size_t k = 0; f->names != NULL && k < f->names->count; k++)
                ck_assert_ptr_nonnull(strstr(grammar, f->names->entries[k].name));
        }
        if (layout != NULL)
            ck_assert_ptr_nonnull(strstr(grammar, layout->name));
    }
    free(grammar);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text_print");
    TCase *tc = tcase_create("text_print");
    int n = (int)(sizeof rows / sizeof *rows);

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, packet_prints_as_the_notation_has_it, 0, n);
    tcase_add_loop_test(tc, relative_numbers_count_from_the_right_side, 0, 7);
    tcase_add_loop_test(tc, short_buffers_cut_and_never_overrun, 0, n);
    tcase_add_test(tc, longest_packet_fits);
    tcase_add_loop_test(tc, printed_packet_parses_back, 0, 2); /* legal, any */
    tcase_add_test(tc, hex_prints_and_parses_back);
    tcase_add_test(tc, duration_is_exact_and_reads_well);
    tcase_add_test(tc, grammar_names_everything);
    suite_add_tcase(suite, tc);
    return suite;
}
