/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/text/text.h"
#include "tests/testing.h"

#include <stdio.h>

/* The sender's PSNs start near the wrap, so that every test here also tests the modulo. */
static const struct fal_relative rel = {.req_psn = 0xfffffffe,
                                        .data_psn = 0xffffff00,
                                        .rsn = 0xffffffff,
                                        .peer_req_psn = 50,
                                        .peer_data_psn = 0xfffffff0,
                                        .peer_rsn = 7};

static bool get_var(const void *ctx, const char *name, fal_u128 *value)
{
    (void)ctx;
    if (strcmp(name, "base") == 0)
        *value = 0xffffffff;
    else if (strcmp(name, "map") == 0)
        *value = fal_u128_halves(3, 5);
    else if (strcmp(name, "n") == 0)
        *value = 100;
    else
        return false;
    return true;
}

static const struct fal_vars vars = {get_var, NULL};

static struct fal_pattern parsed(const char *line)
{
    struct fal_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s", line, err.text);
    return pattern;
}

/* ---- sending ---- */

/* A draft whose fields all hold something. */
static struct fal_falcon draft(const struct fal_pattern *pattern)
{
    struct fal_falcon p;

    memset(&p, 0, sizeof p);
    fal_layout_init(pattern->layout, &p);
    p.dest_cid = 0xabc;
    p.psn = 1000;
    p.own = 1;
    return p;
}

static const struct {
    const char *line, *sent;
} sends[] = {
    {"push_data", "push_data cid=2748 dbase=0 rbase=0 psn=1000 rsn=0 len=0"},
    {"push_data psn=3r rsn=1r",
     "push_data cid=2748 dbase=0 rbase=0 psn=4294967043 rsn=0 len=0"},
    {"pull_request psn=3r rsn=1r cid=1",
     "pull_request cid=1 dbase=0 rbase=0 psn=1 rsn=0 len=0"},
    {"pull_data psn=0r rsn=1r", "pull_data cid=2748 dbase=0 rbase=0 psn=4294967040 rsn=8"},
    {"resync psn=3r rsn=0r of=pull_request",
     "resync cid=2748 dbase=0 rbase=0 psn=1 rsn=4294967295 code=cie of=pull_request"},
    {"resync psn=3r rsn=0r of=pull_data",
     "resync cid=2748 dbase=0 rbase=0 psn=4294967043 rsn=7 code=cie of=pull_data"},
    {"push_data dbase=16r rbase=2r",
     "push_data cid=2748 dbase=0 rbase=52 psn=1000 rsn=0 len=0"},
    {"nack nack_psn=1r w=req", "nack cid=2748 dbase=0 rbase=0 nack_psn=51 code=resource w=req"},
    {"nack nack_psn=1r",
     "nack cid=2748 dbase=0 rbase=0 nack_psn=4294967281 code=resource w=data"},
    {"nack code=rnr rnr=160us",
     "nack cid=2748 dbase=0 rbase=0 nack_psn=0 code=rnr rnr=160us w=data"},
    {"back d-own", "back cid=2748 dbase=0 rbase=0 r-own d-own"},
    {"back own=2", "back cid=2748 dbase=0 rbase=0 d-own"},
    {"back own:1=0", "back cid=2748 dbase=0 rbase=0"},
    {"back dbase=$base+2", "back cid=2748 dbase=1 rbase=0 r-own"},
    {"back dbase=$n-101", "back cid=2748 dbase=4294967295 rbase=0 r-own"},
    {"eack dack=$map", "eack cid=2748 dbase=0 rbase=0 dack=0x30000000000000005 r-own"},
    {"eack ecn_rx_count=$n*2 hop_count=$n/33",
     "eack cid=2748 dbase=0 rbase=0 hop_count=3 ecn_rx_count=200 r-own"},
    {"push_data reserved_1=0xff version=2 ar ...",
     "push_data version=2 cid=2748 dbase=0 rbase=0 psn=1000 rsn=0 reserved_1=0xff len=0 ar"},
};

START_TEST(given_fields_are_written_and_no_others)
{
    struct fal_pattern pattern = parsed(sends[_i].line);
    struct fal_falcon packet = draft(&pattern);
    struct fal_error err = {{0}};
    char text[FAL_TEXT_MAX];

    ck_assert_msg(fal_pattern_apply(&pattern, &rel, &vars, &packet, &err) == 0, "%s", err.text);
    (void)fal_text_packet(&packet, NULL, text, sizeof text);
    ck_assert_str_eq(text, sends[_i].sent);
}
END_TEST

static const struct {
    const char *line;
    int code;
    const char *error;
} refused[] = {
    {"push_data cid=1 psn=$x", FAL_ERR_FORM, "psn: there is no variable $x"},
    {"push_data cid=1 psn=1..2", FAL_ERR_FORM,
     "psn: a packet to send needs one value, not a range"},
    {"push_data cid=1 psn={1,2}", FAL_ERR_FORM,
     "psn: a packet to send needs one value, not a set"},
    {"push_data cid=1 psn=any", FAL_ERR_FORM,
     "psn: a packet to send needs one value, not 'any'"},
    {"push_data cid=1 psn=@x", FAL_ERR_FORM,
     "psn: a packet to send needs one value, not a capture"},
    {"push_data cid=1 !psn=1", FAL_ERR_FORM, "psn: '!' has no place in a packet to send"},
    {"push_data cid=1 len=$base", FAL_ERR_RANGE,
     "request_length: the value of $base does not fit in its 16 bits"},
    {"push_data cid=1 len=$n-101", FAL_ERR_RANGE,
     "request_length: $n-101 cannot be computed in 64 bits"},
    {"eack cid=1 dack=$map+1", FAL_ERR_RANGE,
     "data_ack_bitmap: $map+1 cannot be computed in 64 bits"},
};

START_TEST(what_cannot_be_sent_leaves_the_packet_alone)
{
    struct fal_pattern pattern = parsed(refused[_i].line);
    struct fal_falcon packet = draft(&pattern), before = packet;
    struct fal_error err = {{0}};

    ck_assert_int_eq(fal_pattern_apply(&pattern, &rel, &vars, &packet, &err), refused[_i].code);
    ck_assert_str_eq(err.text, refused[_i].error);
    ck_assert_mem_eq(&packet, &before, sizeof packet);
    ck_assert_int_eq(fal_pattern_apply(&pattern, NULL, NULL, &packet, NULL) < 0, 1);
}
END_TEST

START_TEST(hex_packet_and_other_types_cannot_be_applied)
{
    struct fal_pattern pattern = parsed("back");
    struct fal_falcon packet = draft(&pattern);
    struct fal_error err;

    pattern = parsed("hex:00");
    ck_assert_int_eq(fal_pattern_apply(&pattern, &rel, &vars, &packet, &err), FAL_ERR_FORM);
    pattern = parsed("packet cid=1");
    ck_assert_int_eq(fal_pattern_apply(&pattern, &rel, &vars, &packet, &err), FAL_ERR_FORM);
    pattern = parsed("eack cid=1");
    ck_assert_int_eq(fal_pattern_apply(&pattern, &rel, &vars, &packet, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "a eack cannot be made from a packet of type 9");
    ck_assert_uint_eq(packet.dest_cid, 0xabc);
}
END_TEST

START_TEST(payload_length_follows_len_of_a_push_alone)
{
    static const struct {
        const char *line;
        long long len;
    } cases[] = {{"push_data len=64", 64},    {"push_data len=$n", 100},
                 {"push_data", -1},           {"push_data len=64 payload_len=0", 0},
                 {"pull_request len=64", -1}, {"pull_data payload_len=9", 9}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fal_pattern pattern = parsed(cases[i].line);
        struct fal_falcon packet = draft(&pattern);

        ck_assert_int_eq(fal_pattern_apply(&pattern, &rel, &vars, &packet, NULL), 0);
        ck_assert_int_eq(fal_pattern_payload_len(&pattern, &packet), cases[i].len);
    }
}
END_TEST

/* ---- expecting ---- */

static const struct {
    const char *seen; /* a packet, absolute */
    const char *line; /* the expectation */
    const char *why;  /* NULL: it matches */
} expected[] = {
    {"back dbase=0", "back", NULL},
    {"back dbase=0", "back ...", NULL},
    {"back dbase=0", "eack", "packet_type: due eack, seen back"},
    {"back dbase=0", "packet", NULL},
    {"back dbase=4294967280", "back dbase=0r", NULL},
    {"back dbase=4294967280", "back dbase=1r", "recv_data_base_psn: due 1r, seen 0r"},
    {"back dbase=4294967279", "back dbase=1r", "recv_data_base_psn: due 1r, seen -1r"},
    {"back dbase=1 rbase=3", "back dbase=$base+2 rbase=4", "recv_req_base_psn: due 4, seen 3"},
    {"back dbase=2", "back dbase=$base+2", "recv_data_base_psn: due $base+2 (1), seen 2"},
    {"back dbase=2", "back dbase=$n", "recv_data_base_psn: due $n (100), seen 2"},
    {"push_data psn=4294967295", "push_data psn=255r", NULL},
    {"pull_request psn=0", "pull_request psn=2r", NULL},
    {"pull_data rsn=7", "pull_data rsn=0r", NULL},
    {"resync psn=0 rsn=0 of=pull_request", "resync psn=2r rsn=1r", NULL},
    {"resync psn=4294967040 rsn=8 of=pull_data", "resync psn=0r rsn=1r", NULL},
    {"nack nack_psn=50 w=req", "nack nack_psn=0r", NULL},
    {"nack nack_psn=50 w=data", "nack nack_psn=0r", "nack_psn: due 0r, seen 66r"},
    {"eack drx=0b1110", "eack drx=14 dack=0", NULL},
    {"eack drx=0b1110", "eack drx=0b1111", "data_rx_bitmap: due 0b1111, seen 0b1110"},
    {"eack dack=0x30000000000000005", "eack dack=$map", NULL},
    {"eack drx=0b1110", "eack drx:0b110=0b110", NULL},
    {"eack drx=0b1010", "eack drx:0b110=0b110", "data_rx_bitmap:0x6: due 0b110, seen 0b10"},
    {"eack own=3", "eack d-own", NULL},
    {"back dbase=255", "back dbase:0xff=$base", NULL},
    {"back dbase=511", "back dbase:0xff=$base", NULL},
    {"back dbase=254", "back dbase:0xff=$base",
     "recv_data_base_psn:0xff: due $base (4294967295), seen 254"},
    {"back dbase=4294967278", "back dbase=0r", "recv_data_base_psn: due 0r, seen -2r"},
    {"eack own=1", "eack d-own", "own:0x2: due 2, seen 0"},
    {"eack own=3", "eack own=2", "own: due 2, seen 3"},
    {"eack own=2", "packet d-own dbase=any", NULL},
    {"push_data ar", "push_data ar", NULL},
    {"push_data", "push_data ar", "ack_req: due 1, seen 0"},
    {"nack code=cie", "nack code=cie", NULL},
    {"nack code=rnr", "nack code=cie", "nack_code: due cie, seen rnr"},
    {"nack code=99", "nack code={cie,rnr}", "nack_code: due {cie,rnr}, seen 99"},
    {"nack code=rnr", "nack !code=cie", NULL},
    {"nack code=cie", "nack !code=cie", "nack_code: due anything but cie, seen cie"},
    {"nack code=cie", "nack !code={rnr,cie}",
     "nack_code: due anything but {rnr,cie}, seen cie"},
    {"nack code=cie", "nack !code=1..5", NULL},
    {"nack rnr=10us", "nack rnr=10us", NULL},
    {"nack rnr=20us", "nack rnr=10us", "rnr_timeout: due 10us, seen 20us"},
    {"nack rnr=20us", "nack rnr=10us..30us", NULL},
    {"nack rnr=40us", "nack rnr=10us..30us", "rnr_timeout: due 10us..30us, seen 40us"},
    {"nack rnr=655.36ms", "nack rnr=10us..30us", "rnr_timeout: due 10us..30us, seen 655.36ms"},
    {"nack rnr=655.36ms", "nack rnr=10us..655.36ms", NULL}, /* code 0 is the longest delay */
    {"nack rnr=0", "nack rnr=0..3", NULL},
    {"back dbase=0", "back dbase=15r..17r", NULL}, /* 0r is 0xfffffff0 */
    {"back dbase=2", "back dbase=15r..17r", "recv_data_base_psn: due 15r..17r, seen 18r"},
    {"back dbase=4294967295", "back dbase=15r..17r", NULL},
    {"back dbase=4294967294", "back dbase=15r..17r",
     "recv_data_base_psn: due 15r..17r, seen 14r"},
    {"back dbase=2", "back dbase={15r..17r,18r}", NULL},
    {"back dbase=2", "back dbase={$n,15r}", "recv_data_base_psn: due {$n,15r}, seen 2"},
    {"push_data len=64", "push_data len=1..64", NULL},
    {"push_data len=65", "push_data len=1..64", "request_length: due 1..64, seen 65"},
    {"push_data len=0", "push_data len=1..64", "request_length: due 1..64, seen 0"},
    {"push_data len=64 payload_len=64", "push_data payload_len=64", NULL},
    {"push_data len=64 payload_len=63", "push_data payload_len=64",
     "payload_len: due 64, seen 63"},
    {"push_data", "packet packet_type={back,eack}",
     "packet_type: due {back,eack}, seen push_data"},
    {"eack", "packet packet_type={back,eack}", NULL},
    {"back", "packet nack_psn=3", "nack_psn: due, but a back has none"},
    {"back", "packet !nack_psn=3", NULL},
    {"nack rue_info=0xffffff", "packet rue_info=0xffffff", NULL},
    {"back rue_info=0x3fffff", "packet rue_info=0xffffff",
     "rue_info: due 16777215, seen 4194303"},
    {"push_data len=9", "packet len=9", NULL},
};

START_TEST(seen_packet_matches_or_says_why)
{
    struct fal_pattern made = parsed(expected[_i].seen), pattern = parsed(expected[_i].line);
    struct fal_falcon packet;
    struct fal_error why = {"left over"};
    int status;

    memset(&packet, 0, sizeof packet);
    fal_layout_init(made.layout, &packet);
    ck_assert_int_eq(fal_pattern_apply(&made, NULL, NULL, &packet, &why), 0);
    status = fal_pattern_match(
        &pattern, &rel, &vars,
        &(struct fal_seen_packet){&packet, made.payload_len > 0 ? (size_t)made.payload_len : 0,
                                  NULL},
        NULL, &why);
    ck_assert_msg(status == (expected[_i].why == NULL), "%s: %d, %s", expected[_i].line, status,
                  why.text);
    ck_assert_str_eq(why.text, expected[_i].why != NULL ? expected[_i].why : "");
    ck_assert_int_eq(
        fal_pattern_match(
            &pattern, &rel, &vars,
            &(struct fal_seen_packet){
                &packet, made.payload_len > 0 ? (size_t)made.payload_len : 0, NULL},
            NULL, NULL),
        status);
}
END_TEST

struct captured {
    size_t count;
    char names[4][FAL_VAR_MAX];
    fal_u128 values[4];
};

static void take(void *ctx, const char *name, fal_u128 value)
{
    struct captured *c = ctx;

    ck_assert_uint_lt(c->count, 4);
    (void)snprintf(c->names[c->count], FAL_VAR_MAX, "%s", name);
    c->values[c->count++] = value;
}

START_TEST(captures_bind_only_when_all_matched)
{
    struct fal_pattern pattern = parsed("eack dbase=@d drx=@map cid:0xf0=@nibble rbase=1");
    struct fal_falcon packet = {.packet_type = FAL_EACK,
                                .version = 1,
                                .dest_cid = 0xabc,
                                .recv_data_base_psn = 9,
                                .data_rx_bitmap = fal_u128_halves(1, 2),
                                .recv_req_base_psn = 2};
    struct captured got = {0};

    ck_assert_int_eq(fal_pattern_match(&pattern, NULL, NULL,
                                       &(struct fal_seen_packet){&packet, 0, NULL},
                                       &(struct fal_capture){take, &got}, NULL),
                     0);
    ck_assert_uint_eq(got.count, 0);
    packet.recv_req_base_psn = 1;
    ck_assert_int_eq(fal_pattern_match(&pattern, NULL, NULL,
                                       &(struct fal_seen_packet){&packet, 0, NULL},
                                       &(struct fal_capture){take, &got}, NULL),
                     1);
    ck_assert_uint_eq(got.count, 3);
    ck_assert_str_eq(got.names[0], "d");
    ck_assert_uint_eq(fal_u128_lo(got.values[0]), 9);
    ck_assert_str_eq(got.names[1], "map");
    ck_assert_uint_eq(fal_u128_hi(got.values[1]), 1);
    ck_assert_uint_eq(fal_u128_lo(got.values[1]), 2);
    ck_assert_str_eq(got.names[2], "nibble");
    ck_assert_uint_eq(fal_u128_lo(got.values[2]), 0xb0);
    ck_assert_int_eq(fal_pattern_match(&pattern, NULL, NULL,
                                       &(struct fal_seen_packet){&packet, 0, NULL}, NULL, NULL),
                     1);

    pattern = parsed("packet psn=@p cid=@c");
    got.count = 0;
    ck_assert_int_eq(fal_pattern_match(&pattern, NULL, NULL,
                                       &(struct fal_seen_packet){&packet, 0, NULL},
                                       &(struct fal_capture){take, &got}, NULL),
                     0);
    pattern = parsed("packet dbase=@p");
    ck_assert_int_eq(fal_pattern_match(&pattern, NULL, NULL,
                                       &(struct fal_seen_packet){&packet, 0, NULL},
                                       &(struct fal_capture){take, &got}, NULL),
                     1);
    ck_assert_uint_eq(fal_u128_lo(got.values[0]), 9);
}
END_TEST

START_TEST(unknown_variable_and_hex_are_errors_not_mismatches)
{
    static const char *const lines[] = {"back dbase=$x",    "back !dbase=$x",
                                        "back dbase=1..$x", "back dbase={1,$x}",
                                        "back t1=$n-200",   "hex:00"};
    struct fal_falcon packet = {.packet_type = FAL_BACK, .version = 1};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct fal_pattern pattern = parsed(lines[i]);
        struct fal_error why = {{0}};

        ck_assert_msg(fal_pattern_match(&pattern, &rel, &vars,
                                        &(struct fal_seen_packet){&packet, 0, NULL}, NULL,
                                        &why) < 0,
                      "%s", lines[i]);
        ck_assert_str_ne(why.text, "");
    }
}
END_TEST

START_TEST(packet_of_a_reserved_type_matches_what_is_known_of_it)
{
    struct fal_falcon packet = {.packet_type = 12, .version = 1, .dest_cid = 5};
    struct fal_pattern pattern = parsed("packet cid=5 packet_type=12");
    struct fal_error why;

    ck_assert_int_eq(fal_pattern_match(&pattern, &rel, &vars,
                                       &(struct fal_seen_packet){&packet, 0, NULL}, NULL, &why),
                     1);
    pattern = parsed("packet psn=0");
    ck_assert_int_eq(fal_pattern_match(&pattern, &rel, &vars,
                                       &(struct fal_seen_packet){&packet, 0, NULL}, NULL, &why),
                     0);
    ck_assert_str_eq(why.text, "psn: due, but a packet of a reserved type has none");
    pattern = parsed("back");
    ck_assert_int_eq(fal_pattern_match(&pattern, &rel, &vars,
                                       &(struct fal_seen_packet){&packet, 0, NULL}, NULL, &why),
                     0);
    ck_assert_str_eq(why.text, "packet_type: due back, seen 12");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text_match");
    TCase *tc = tcase_create("text_match");

    tcase_add_loop_test(tc, given_fields_are_written_and_no_others, 0,
                        (int)(sizeof sends / sizeof *sends));
    tcase_add_loop_test(tc, what_cannot_be_sent_leaves_the_packet_alone, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tc, hex_packet_and_other_types_cannot_be_applied);
    tcase_add_test(tc, payload_length_follows_len_of_a_push_alone);
    tcase_add_loop_test(tc, seen_packet_matches_or_says_why, 0,
                        (int)(sizeof expected / sizeof *expected));
    tcase_add_test(tc, captures_bind_only_when_all_matched);
    tcase_add_test(tc, unknown_variable_and_hex_are_errors_not_mismatches);
    tcase_add_test(tc, packet_of_a_reserved_type_matches_what_is_known_of_it);
    suite_add_tcase(suite, tc);
    return suite;
}
