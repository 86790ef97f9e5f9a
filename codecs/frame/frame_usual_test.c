/* SPDX-License-Identifier: Apache-2.0
 * The usual frame is decoded in one step. The result must be what decoding by layers gives, to
 * the byte, for every frame: valid, changed, cut, with any options. A failure prints seed,
 * round and bytes. */
#include "codecs/frame/checksum.h"
#include "codecs/frame/frame_check_test.h"
#include "codecs/frame/two_ways_test.h"
#include "tests/testing.h"

#include <inttypes.h>

enum { ROUNDS = 60000, SEEDS = 4 };

/* Both ways, in memory that ends where the frame does. Returns whether the frame is usual. */
static bool both_ways(const uint8_t *bytes, size_t caplen, size_t len, unsigned linktype,
                      const struct fal_frame_options *options, uint64_t seed)
{
    uint8_t *exact = malloc(caplen + (caplen == 0));
    const char *fault;
    bool usual;

    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, caplen);
    fault =
        two_ways_differ(&(struct fal_captured){exact, caplen, len, linktype}, options, &usual);
    if (fault != NULL) {
        fprintf(stderr, "TALON_SEED=0x%" PRIx64 ", link type %u, %zu bytes: ", seed, linktype,
                caplen);
        for (size_t i = 0; i < caplen; i++)
            fprintf(stderr, "%02x", exact[i]);
        fprintf(stderr, "\n");
    }
    ck_assert_msg(fault == NULL, "%s", fault);
    free(exact);
    return usual;
}

/* ---- frames by hand ---- */

/* With a tag after the addresses. */
static size_t tagged(const uint8_t *bytes, size_t len, uint8_t *out)
{
    static const uint8_t tag[4] = {0x81, 0x00, 0x60, 0x05};

    memcpy(out, bytes, 12);
    memcpy(out + 12, tag, sizeof tag);
    memcpy(out + 16, bytes + 12, len - 12);
    return len + 4;
}

static size_t by_hand(int which, uint8_t *out)
{
    const uint8_t *bytes = which % 2 == 0 ? push_ipv4 : back_ipv6;
    size_t len = which % 2 == 0 ? sizeof push_ipv4 : sizeof back_ipv6;

    if (which >= 2)
        return tagged(bytes, len, out);
    memcpy(out, bytes, len);
    return len;
}

START_TEST(usual_frames_are_decoded_in_one_step)
{
    uint8_t bytes[256] = {0};
    size_t len = by_hand(_i, bytes);

    ck_assert(both_ways(bytes, len, len, FAL_LINKTYPE_ETHERNET, NULL, 0));
    ck_assert(both_ways(bytes, len + 5, len + 5, FAL_LINKTYPE_ETHERNET, NULL, 0)); /* padded */
    ck_assert(both_ways(bytes, len, len - 1, FAL_LINKTYPE_ETHERNET, NULL, 0));
    ck_assert(!both_ways(bytes, len, len + 1, FAL_LINKTYPE_ETHERNET, NULL, 0));
    ck_assert(!both_ways(bytes, len, len, FAL_LINKTYPE_RAW, NULL, 0));
    ck_assert(!both_ways(bytes, len, len, FAL_LINKTYPE_ETHERNET,
                         &(struct fal_frame_options){.no_lint = true}, 0));
    ck_assert(!both_ways(bytes, len, len, FAL_LINKTYPE_ETHERNET,
                         &(struct fal_frame_options){.falcon_port = 7778}, 0));
    ck_assert(both_ways(bytes, len, len, FAL_LINKTYPE_ETHERNET,
                        &(struct fal_frame_options){.falcon_port = 49152}, 0));
}
END_TEST

START_TEST(every_bit_and_every_length)
{
    uint8_t bytes[256] = {0};
    size_t len = by_hand(_i, bytes);

    for (size_t bit = 0; bit < len * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        (void)both_ways(bytes, len, len, FAL_LINKTYPE_ETHERNET, NULL, bit);
        bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
    }
    for (size_t caplen = 0; caplen <= len + 8; caplen++) {
        (void)both_ways(bytes, caplen, caplen, FAL_LINKTYPE_ETHERNET, NULL, caplen);
        (void)both_ways(bytes, caplen, len, FAL_LINKTYPE_ETHERNET, NULL, caplen);
    }
}
END_TEST

/* Every length that UDP and IP may state together, without a checksum, which IPv4 allows. */
START_TEST(every_stated_length_without_a_checksum)
{
    uint8_t bytes[256] = {0};
    size_t len = by_hand(_i, bytes), ip = _i < 2 ? ETH : ETH + 4;
    bool v6 = _i % 2 != 0;
    size_t udp = ip + (v6 ? 40 : 20);

    fal_bits_set(bytes + udp, 48, 16, 0);
    for (size_t stated = 0; stated < len; stated++) {
        bool usual;

        fal_bits_set(bytes + udp, 32, 16, stated);
        fal_bits_set(bytes + ip, v6 ? 32 : 16, 16, stated + (v6 ? 0 : 20));
        if (!v6) {
            fal_bits_set(bytes + ip, 80, 16, 0);
            fal_bits_set(bytes + ip, 80, 16, fal_checksum(bytes + ip, 20));
        }
        usual = both_ways(bytes, len, len, FAL_LINKTYPE_ETHERNET, NULL, stated);
        ck_assert_int_eq(usual, !v6 && stated >= 8 && stated <= len - udp);
    }
}
END_TEST

/* ---- random frames ---- */

/* Gives the outer headers right checksums, so that what is wrong elsewhere is reached. */
static void mend(uint8_t *bytes, size_t len, unsigned linktype)
{
    struct fal_frame f = {.number = 0};
    const struct fal_layer *v4, *v6, *udp;
    uint16_t sum;

    if (fal_frame_decode_by_layers(&(struct fal_captured){bytes, len, len, linktype}, NULL,
                                   NULL, &f) != 0)
        return;
    v4 = fal_frame_layer(&f, FAL_LAYER_IPV4);
    v6 = fal_frame_layer(&f, FAL_LAYER_IPV6);
    udp = fal_frame_layer(&f, FAL_LAYER_UDP);
    if (v4 != NULL) {
        fal_bits_set(bytes + v4->offset, 80, 16, 0);
        fal_bits_set(bytes + v4->offset, 80, 16, fal_checksum(bytes + v4->offset, v4->len));
    }
    if (udp == NULL || udp->offset + f.udp.length > len)
        return;
    fal_bits_set(bytes + udp->offset, 48, 16, 0);
    sum = v6 != NULL ? fal_checksum_udp6(&f.ipv6, bytes + udp->offset, f.udp.length)
                     : fal_checksum_udp4(&f.ipv4, bytes + udp->offset, f.udp.length);
    fal_bits_set(bytes + udp->offset, 48, 16, sum);
}

static size_t change(uint64_t *state, uint8_t *bytes, size_t len, unsigned linktype)
{
    static const uint8_t values[] = {0, 1, 4, 6, 17, 0x40, 0x45, 0x81, 0x86, 0xdd, 0xff};
    uint64_t dice = test_random(state);

    for (uint64_t n = dice & 3; n > 0 && len > 0; n--) {
        size_t within = test_random(state) % 2 != 0 && len > 60 ? 60 : len;
        uint8_t *at = &bytes[test_random(state) % within];

        if (test_random(state) % 2 != 0)
            *at = values[test_random(state) % sizeof values];
        else
            *at ^= (uint8_t)(1u << test_random(state) % 8);
    }
    if ((dice >> 2 & 3) == 0)
        len = test_random(state) % (len + 1);
    if ((dice >> 4 & 1) != 0)
        mend(bytes, len, linktype);
    return len;
}

static const struct fal_frame_options *choose(uint64_t *state, const uint8_t *bytes, size_t len,
                                              struct fal_frame_options *out)
{
    static const uint16_t ports[] = {0, 7777, 1000, 4791, 4500};
    uint64_t dice = test_random(state);

    *out = (struct fal_frame_options){.no_lint = (dice & 15) == 0,
                                      .no_content = (dice >> 20 & 7) == 0};
    if ((dice >> 4 & 7) == 0)
        out->falcon_port = ports[(dice >> 8) % (sizeof ports / sizeof *ports)];
    if ((dice >> 4 & 7) == 1 && len > 36)
        out->falcon_port = (uint16_t)fal_bytes_get(bytes + 34, 2);
    return (dice >> 16 & 3) == 0 ? NULL : out;
}

START_TEST(random_frames_are_decoded_alike)
{
    uint64_t seed = test_seed(26) + (uint64_t)_i, state = seed;
    const struct fal_frame_keys sealing = {keys, esp_keys};
    size_t usual = 0, valid = 0;

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = state;
        uint8_t bytes[SAMPLE_MAX];
        struct fal_frame_options options;
        unsigned linktype;
        size_t len = sample_frame(&state, &sealing, &linktype, bytes);

        valid += both_ways(bytes, len, len, linktype, NULL, before);
        len = change(&state, bytes, len, linktype);
        usual += both_ways(bytes, len, len + ((before >> 60) == 0), linktype,
                           choose(&state, bytes, len, &options), before);
    }
    /* One encapsulation of six is UDP; most of these frames have nothing unusual. */
    ck_assert_uint_gt(valid, ROUNDS / 12);
    ck_assert_uint_gt(usual, ROUNDS / 50);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("frame_usual");
    TCase *tc = tcase_create("frame_usual");

    tcase_add_unchecked_fixture(tc, make_keys, free_keys);
    tcase_add_loop_test(tc, usual_frames_are_decoded_in_one_step, 0, 4);
    tcase_add_loop_test(tc, every_bit_and_every_length, 0, 4);
    tcase_add_loop_test(tc, every_stated_length_without_a_checksum, 0, 4);
    tcase_add_loop_test(tc, random_frames_are_decoded_alike, 0, SEEDS);
    suite_add_tcase(suite, tc);
    return suite;
}
