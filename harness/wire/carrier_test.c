/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/carrier.h"

#include "tests/testing.h"

#include <string.h>

enum { CAP = 512, ETHERNET = 14 };

static uint8_t bytes[200], out[CAP], plain[CAP];

static int encode(enum tl_flaw flaw, int version, size_t len, uint8_t *to)
{
    struct fal_frame frame = {0};

    frame.falcon.packet_type = FAL_PUSH_DATA;
    fal_frame_encapsulate(&frame, FAL_ENCAP_UDP, version);
    frame.ipv4.dont_fragment = 1;
    return tl_carrier_encode(&frame, flaw, bytes, len, to, CAP);
}

static void decode(const uint8_t *at, int len, struct fal_frame *frame)
{
    frame->number = 0;
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){at, (size_t)len, (size_t)len,
                                                             FAL_LINKTYPE_ETHERNET},
                                      NULL, NULL, frame),
                     0);
}

static bool found(const struct fal_frame *frame, const char *field)
{
    for (size_t i = 0; i < frame->issues.count; i++)
        if (frame->issues.list[i].field != NULL &&
            strcmp(frame->issues.list[i].field, field) == 0)
            return true;
    return false;
}

/* A push of that length; a payload in which no byte is 0. */
static void fill(size_t len)
{
    struct fal_falcon packet = {.version = 1,
                                .packet_type = FAL_PUSH_DATA,
                                .protocol_type = 2, /* RDMA */
                                .request_length = (uint16_t)len};
    const struct fal_field *bad;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + 1);
    ck_assert_int_gt(fal_falcon_encode(&packet, NULL, 0, bytes, sizeof bytes, &bad), 0);
}

/* Each is wrong in the one way that it says, by a decoder that knows nothing of it. */
START_TEST(FTP_9_2_2_1_03_04_each_flaw_is_seen_and_no_other)
{
    static const struct {
        const char *field[2]; /* over IPv4, IPv6; NULL: nothing is wrong */
        int longer[2];        /* than a plain frame */
        bool fragment;
    } rows[TL_FLAW_COUNT] = {
        [TL_FLAW_IP_CHECKSUM] = {{"header_checksum", NULL}, {0}, false},
        [TL_FLAW_IP_LONG] = {{"total_length", "payload_length"}, {0}, false},
        [TL_FLAW_IP_SHORT] = {{"length", "length"}, {0}, false},
        [TL_FLAW_IP_OPTIONS] = {{NULL, NULL}, {8, 8}, false},
        [TL_FLAW_FRAGMENT] = {{NULL, NULL}, {-4, 4}, true},
        [TL_FLAW_UDP_CHECKSUM] = {{"checksum", "checksum"}, {0}, false},
        [TL_FLAW_UDP_LONG] = {{"length", "length"}, {0}, false},
        [TL_FLAW_UDP_SHORT] = {{"length", "length"}, {0}, false},
    };
    static struct fal_frame frame;
    const size_t len = 92;

    fill(len - 28);
    for (int v = 0; v < 2; v++) {
        int n0 = encode(TL_FLAW_NONE, v == 0 ? 4 : 6, len, plain);

        ck_assert_int_gt(n0, 0);
        for (enum tl_flaw flaw = TL_FLAW_NONE; flaw < TL_FLAW_COUNT; flaw++) {
            const char *field = rows[flaw].field[v];
            int n;

            if (tl_flaw_cannot(flaw, v == 0 ? 4 : 6) != NULL)
                continue;
            n = encode(flaw, v == 0 ? 4 : 6, len, out);
            ck_assert_msg(n == n0 + rows[flaw].longer[v], "%s over IPv%d: %d bytes, plain %d",
                          tl_flaw_names[flaw], v == 0 ? 4 : 6, n, n0);
            decode(out, n, &frame);
            ck_assert_msg(field == NULL || found(&frame, field),
                          "%s over IPv%d: no issue of %s", tl_flaw_names[flaw], v == 0 ? 4 : 6,
                          field);
            ck_assert_msg(frame.damaged == (field != NULL), "%s over IPv%d: damaged %d",
                          tl_flaw_names[flaw], v == 0 ? 4 : 6, frame.damaged);
            ck_assert(frame.fragment == rows[flaw].fragment);
            ck_assert_msg((field != NULL || rows[flaw].fragment) ==
                              (tl_flaw_bad(flaw) != FAL_BAD_NOT),
                          "%s", tl_flaw_names[flaw]);
            if (v == 0 && flaw != TL_FLAW_IP_CHECKSUM)
                ck_assert(!found(&frame, "header_checksum"));
            ck_assert(memcmp(out, plain, ETHERNET) == 0);
        }
    }
}
END_TEST

static unsigned hops(int v)
{
    return v == 4 ? out[ETHERNET + 8] : out[ETHERNET + 7];
}

START_TEST(what_is_lawful_is_as_it_says)
{
    static struct fal_frame frame;

    fill(20);
    for (int v = 4; v <= 6; v += 2) {
        decode(out, encode(TL_FLAW_UDP_NO_CHECKSUM, v, 48, out), &frame);
        ck_assert_uint_eq(frame.udp.checksum, 0);
        (void)encode(TL_FLAW_TTL_0, v, 48, out);
        ck_assert_uint_eq(hops(v), 0);
        decode(out, encode(TL_FLAW_IP_OPTIONS, v, 48, out), &frame);
        ck_assert(v == 4 ? frame.ipv4_options.len == 8
                         : fal_frame_has(&frame, FAL_LAYER_IPV6_EXT));
        ck_assert(fal_frame_has(&frame, FAL_LAYER_FALCON));
    }
}
END_TEST

/* Wrong whatever the bytes are: where a bit makes 0, which is no checksum, too; and a fragment
 * is a whole number of units and less than the datagram. */
START_TEST(wrong_for_all_bytes)
{
    static struct fal_frame frame;

    for (unsigned i = 0; i < 70000; i++) {
        size_t len = 28 + i % 9;
        int n;

        fill(len - 28);
        bytes[8] = (uint8_t)(i >> 8);
        bytes[9] = (uint8_t)i;
        n = encode(TL_FLAW_UDP_CHECKSUM, 4, len, out);
        ck_assert(out[40] != 0 || out[41] != 0);
        if (i < 2000) {
            decode(out, n, &frame);
            ck_assert(frame.damaged);
        }
        n = encode(TL_FLAW_FRAGMENT, 4, len, out);
        ck_assert((n - 34) % 8 == 0 && n < 42 + (int)len && n >= 42 + (int)len - 8);
    }
    ck_assert_int_gt(encode(TL_FLAW_FRAGMENT, 4, 0, out), 0); /* nothing to cut */
    ck_assert_int_lt(encode(TL_FLAW_NONE, 4, CAP, out), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("carrier");
    TCase *tc = tcase_create("flaws");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, FTP_9_2_2_1_03_04_each_flaw_is_seen_and_no_other);
    tcase_add_test(tc, what_is_lawful_is_as_it_says);
    tcase_add_test(tc, wrong_for_all_bytes);
    suite_add_tcase(suite, tc);
    return suite;
}
