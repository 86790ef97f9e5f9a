/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/sealer.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { CAP = 4096 };

/* Two ends that have told each other of one SPI each way. */
struct pair {
    struct tl_sealer *a, *b;
    uint32_t to_b; /* SPI of packets from a to b */
    struct fal_error err;
};

static uint32_t tell(struct tl_sealer *receiver, struct tl_sealer *sender)
{
    uint32_t issued, learnt;
    struct fal_error err;
    json_t *sa;

    ck_assert_int_eq(tl_sealer_issue(receiver, &issued, &sa), 0);
    ck_assert_msg(tl_sealer_learn(sender, sa, &learnt, &err) == 0, "%s", err.text);
    json_decref(sa);
    ck_assert_uint_eq(issued, learnt);
    return issued;
}

static struct pair make_pair(enum fal_encap encap)
{
    struct pair p = {.a = tl_sealer_new(encap, 1), .b = tl_sealer_new(encap, 2)};

    ck_assert_ptr_nonnull(p.a);
    ck_assert_ptr_nonnull(p.b);
    p.to_b = tell(p.b, p.a);
    return p;
}

static void free_pair(struct pair *p)
{
    tl_sealer_free(p->a);
    tl_sealer_free(p->b);
}

static const enum fal_encap sealed[] = {FAL_ENCAP_PSP_TRANSPORT, FAL_ENCAP_PSP_TUNNEL,
                                        FAL_ENCAP_ESP_TRANSPORT, FAL_ENCAP_ESP_TUNNEL};

static int seal(struct pair *p, const struct fal_seal *how, enum tl_spoil spoil, size_t len,
                uint8_t *out)
{
    static const uint8_t push[] = {0x10, 0, 1, 0x11, 0, 0, 0, 0x4b}; /* to CID 0x111 */
    uint8_t bytes[CAP];

    memset(bytes, 0x5a, sizeof bytes);
    memcpy(bytes, push, sizeof push);
    return tl_sealer_seal(p->a, how, spoil, (struct fal_span){bytes, len}, out, CAP);
}

START_TEST(what_is_sealed_opens)
{
    for (size_t i = 0; i < sizeof sealed / sizeof *sealed; i++) {
        bool esp = sealed[i] >= FAL_ENCAP_ESP_TRANSPORT;
        struct pair p = make_pair(sealed[i]);

        for (int vc = 0; vc < 2 - esp; vc++) {
            const struct fal_seal how = {.present = true,
                                         .has_vc = vc != 0,
                                         .spi = p.to_b,
                                         .iv = UINT64_C(0x123456789abc),
                                         .vc = vc != 0 ? 77 : 0};

            for (size_t len = 28; len < 2000; len += 151) {
                uint8_t frame[CAP];
                struct tl_opened got;
                int n = seal(&p, &how, TL_SPOIL_NOTHING, len, frame);

                ck_assert_int_gt(n, (int)len);
                ck_assert_int_le(n, (int)len + TL_SEAL_ROOM);
                ck_assert_int_eq(tl_sealer_open(p.b, frame, (size_t)n, &got), 0);
                ck_assert_int_eq(got.integrity, FAL_INTACT);
                ck_assert_uint_eq(got.len, len);
                ck_assert_mem_eq(got.bytes, "\x10\x00\x01\x11\x00\x00\x00\x4b\x5a", 9);
                ck_assert_uint_eq(got.bytes[len - 1], 0x5a);
                ck_assert(got.seal.present);
                ck_assert(got.seal.has_vc == how.has_vc);
                ck_assert_uint_eq(got.seal.spi, how.spi);
                ck_assert_uint_eq(got.seal.iv, how.iv);
                ck_assert_uint_eq(got.seal.vc, how.vc);
                /* no other key can */
                ck_assert_int_eq(tl_sealer_open(p.a, frame, (size_t)n, &got), 0);
                ck_assert_int_eq(got.integrity, FAL_NOT_OPENED);
            }
        }
        free_pair(&p);
    }
}
END_TEST

/* Bytes that are no Falcon packet are carried too: that is what a tester is for. */
START_TEST(any_bytes_are_carried)
{
    static const uint8_t odd[] = {0x10, 0x00, 0xc0, 0xde, 0, 0, 0, 0x5f, 1, 2, 3};

    for (size_t i = 0; i < sizeof sealed / sizeof *sealed; i++) {
        struct pair p = make_pair(sealed[i]);
        const struct fal_seal how = {.present = true, .spi = p.to_b, .iv = 5};

        for (size_t len = 0; len <= sizeof odd; len++) {
            uint8_t frame[CAP];
            struct tl_opened got;
            int n = tl_sealer_seal(p.a, &how, TL_SPOIL_NOTHING, (struct fal_span){odd, len},
                                   frame, sizeof frame);

            ck_assert_int_gt(n, 0);
            ck_assert_int_eq(tl_sealer_open(p.b, frame, (size_t)n, &got), 0);
            if (len < 4)
                continue; /* not even the part in the clear */
            ck_assert_int_eq(got.integrity, FAL_INTACT);
            ck_assert_uint_eq(got.len, len);
            ck_assert_mem_eq(got.bytes, odd, len);
        }
        free_pair(&p);
    }
}
END_TEST

START_TEST(FTP_9_2_2_1_05_what_is_spoilt_does_not_open)
{
    for (size_t i = 0; i < sizeof sealed / sizeof *sealed; i++) {
        struct pair p = make_pair(sealed[i]);
        const struct fal_seal how = {.present = true, .spi = p.to_b, .iv = 99};

        for (enum tl_spoil spoil = TL_SPOIL_ICV; spoil <= TL_SPOIL_CLEAR; spoil++) {
            uint8_t frame[CAP];
            struct tl_opened got;
            int n = seal(&p, &how, spoil, 100, frame);

            ck_assert_int_gt(n, 0);
            ck_assert_int_eq(tl_sealer_open(p.b, frame, (size_t)n, &got), 0);
            ck_assert_msg(got.integrity == FAL_NOT_OPENED, "%s, spoil %d: %d",
                          fal_encap_name(sealed[i]), (int)spoil, (int)got.integrity);
        }
        free_pair(&p);
    }
}
END_TEST

START_TEST(a_key_rotation_changes_the_top_bit_and_forgets_the_one_before)
{
    struct pair p = make_pair(FAL_ENCAP_PSP_TRANSPORT);
    const struct fal_seal first = {.present = true, .spi = p.to_b, .iv = 1};
    struct fal_seal second = first;
    uint8_t frame[CAP];
    struct tl_opened got;
    int n;

    ck_assert_uint_eq(first.spi >> 31, 0);
    ck_assert_int_eq(tl_sealer_turn(p.b), 0);
    second.spi = tell(p.b, p.a);
    ck_assert_uint_eq(second.spi >> 31, 1);
    n = seal(&p, &first, TL_SPOIL_NOTHING, 60, frame);
    ck_assert_int_eq(tl_sealer_open(p.b, frame, (size_t)n, &got), 0);
    ck_assert_int_eq(got.integrity, FAL_INTACT); /* both keys are there */
    ck_assert_int_eq(tl_sealer_turn(p.b), 0);
    ck_assert_int_eq(tl_sealer_open(p.b, frame, (size_t)n, &got), 0);
    ck_assert_int_eq(got.integrity, FAL_NOT_OPENED);
    n = seal(&p, &second, TL_SPOIL_NOTHING, 60, frame);
    ck_assert_int_eq(tl_sealer_open(p.b, frame, (size_t)n, &got), 0);
    ck_assert_int_eq(got.integrity, FAL_INTACT);
    free_pair(&p);
}
END_TEST

START_TEST(what_is_wrong_is_told)
{
    struct pair p = make_pair(FAL_ENCAP_PSP_TRANSPORT);
    struct fal_seal how = {.present = true, .spi = p.to_b + 1, .iv = 1};
    json_t *sa = json_pack("{s:s, s:i, s:s}", "spi", "0x00000005", "version", 0, "key", "zz");
    struct fal_error err = {{0}};
    uint8_t frame[CAP];
    struct tl_opened got;
    uint32_t spi;
    int n;

    ck_assert_int_eq(seal(&p, &how, TL_SPOIL_NOTHING, 60, frame), FAL_ERR_KEY);
    ck_assert_int_eq(tl_sealer_learn(p.a, sa, &spi, &err), FAL_ERR_FORM);
    ck_assert_str_ne(err.text, "");
    ck_assert_int_eq(tl_sealer_learn(p.a, json_null(), &spi, &err), FAL_ERR_FORM);
    json_decref(sa);
    /* what was there before still is */
    how.spi = p.to_b;
    n = seal(&p, &how, TL_SPOIL_NOTHING, 60, frame);
    ck_assert_int_gt(n, 0);
    for (int cut = 0; cut < n; cut++) {
        int rc = tl_sealer_open(p.b, frame, (size_t)cut, &got);

        ck_assert(rc == FAL_ERR_TYPE || got.integrity != FAL_INTACT);
    }
    ck_assert_int_eq(
        tl_sealer_seal(p.a, &how, TL_SPOIL_NOTHING, (struct fal_span){frame, 60}, frame, 10),
        FAL_ERR_SHORT);
    free_pair(&p);
}
END_TEST

Suite *test_suite(void)
{
    Suite *s = suite_create("seal");
    TCase *tc = tcase_create("seal");

    tcase_add_test(tc, what_is_sealed_opens);
    tcase_add_test(tc, any_bytes_are_carried);
    tcase_add_test(tc, FTP_9_2_2_1_05_what_is_spoilt_does_not_open);
    tcase_add_test(tc, a_key_rotation_changes_the_top_bit_and_forgets_the_one_before);
    tcase_add_test(tc, what_is_wrong_is_told);
    suite_add_tcase(s, tc);
    return s;
}
