/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/field/scrub_frame.h"

#include "codecs/frame/sample_frames_test.h"
#include "oracles/rng.h"
#include "tests/testing.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FRAMES = 1500, TEXT = 300, RUN = 4 };

static const uint8_t key[TL_DISGUISE_KEY] = {7};

/* ---- the map ---- */

static struct tl_disguise *new_disguise(void)
{
    struct tl_disguise *d = tl_disguise_new(key);

    ck_assert_ptr_nonnull(d);
    return d;
}

START_TEST(short_bytes_are_permuted)
{
    struct tl_disguise *d = new_disguise();
    static bool met[1 << 16];
    uint8_t bytes[2];

    for (unsigned len = 1; len <= 2; len++) {
        unsigned n = 1u << (8 * len);

        memset(met, 0, sizeof met);
        for (unsigned i = 0; i < n; i++) {
            fal_bits_set(bytes, 0, 8 * len, i);
            ck_assert_int_eq(tl_disguise_bytes(d, 0, bytes, len), 0);
            ck_assert_msg(!met[fal_bits_get(bytes, 0, 8 * len)], "%u of %u bytes", i, len);
            met[fal_bits_get(bytes, 0, 8 * len)] = true;
        }
        memset(bytes, 0, sizeof bytes);
        ck_assert_int_eq(tl_disguise_bytes(d, 0, bytes, len), 0);
        ck_assert_uint_eq(fal_bits_get(bytes, 0, 8 * len), 0);
    }
    tl_disguise_free(d);
}
END_TEST

START_TEST(equal_bytes_become_equal_and_tweaks_differ)
{
    struct tl_disguise *d = new_disguise();
    uint8_t a[600], b[600], c[600];

    for (size_t i = 0; i < sizeof a; i++)
        a[i] = b[i] = c[i] = (uint8_t)(i * 7);
    ck_assert_int_eq(tl_disguise_bytes(d, 0, a, sizeof a), 0);
    ck_assert_int_eq(tl_disguise_bytes(d, 0, b, sizeof b), 0);
    ck_assert_int_eq(tl_disguise_bytes(d, 1, c, sizeof c), 0);
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert_mem_ne(a, c, sizeof a);
    tl_disguise_free(d);
}
END_TEST

/* Addresses of programs (0x7f...) and of the kernel have high bits, which must change, too. */
START_TEST(virtual_addresses_move_together_and_keep_no_run)
{
    static const uint64_t from[] = {0, 0x1000, 0x55d0c0ffe000, 0x7f12345678a8,
                                    0xffff888012345678};
    struct tl_disguise *d = new_disguise();

    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        uint64_t to = tl_disguise_virtual(d, from[i]);

        for (unsigned shift = 0; shift <= 32; shift += 8)
            ck_assert_msg((uint32_t)(to >> shift) != (uint32_t)(from[i] >> shift),
                          "%#" PRIx64 " became %#" PRIx64, from[i], to);
        ck_assert_uint_eq(to % 4096, from[i] % 4096);
        ck_assert(tl_disguise_virtual(d, from[i] + 4096) == to + 4096);
    }
    tl_disguise_free(d);
}
END_TEST

START_TEST(no_new_ipv4_address_is_an_original_one)
{
    struct tl_disguise *d = new_disguise();
    fal_u128 to[200];

    for (uint32_t i = 0; i < 200; i++)
        ck_assert_int_eq(
            tl_disguise_note(d, (struct tl_address){TL_ADDRESS_IPV4, 0x0a000000 + 2 * i + 1}),
            0);
    for (uint32_t i = 0; i < 200; i++) {
        to[i] = tl_disguise_address(
            d, (struct tl_address){TL_ADDRESS_IPV4, 0x0a000000 + 2 * i + 1});
        ck_assert(to[i] % 2 == 0 || to[i] > 0x0a000000 + 400);
        for (uint32_t k = 0; k < i; k++)
            ck_assert(to[k] != to[i]);
    }
    ck_assert(tl_disguise_address(d, (struct tl_address){TL_ADDRESS_IPV4, 0x0a000001}) ==
              to[0]);
    tl_disguise_free(d);
}
END_TEST

START_TEST(addresses_of_no_host_stay_and_groups_stay_groups)
{
    static const struct tl_address stay[] = {{TL_ADDRESS_MAC, 0xffffffffffff},
                                             {TL_ADDRESS_MAC, 0x0180c2000001},
                                             {TL_ADDRESS_IPV4, 0xffffffff},
                                             {TL_ADDRESS_IPV6, 0}};
    struct tl_disguise *d = new_disguise();

    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        ck_assert_int_eq(tl_disguise_note(d, stay[i]), 0);
        ck_assert(tl_disguise_address(d, stay[i]) == stay[i].value);
    }
    ck_assert(tl_disguise_address(d, (struct tl_address){TL_ADDRESS_IPV4, 0xe0000005}) >> 28 ==
              0xe);
    ck_assert(
        tl_disguise_address(d, (struct tl_address){TL_ADDRESS_MAC, 0x333300000016}) >> 40 == 3);
    tl_disguise_free(d);
}
END_TEST

/* ---- frames ---- */

static void set_up(struct tl_scrubber *s)
{
    *s = (struct tl_scrubber){
        .disguise = new_disguise(),
        .fresh = tl_fresh_keys_new(),
        .given = {.psp_keys = sample_keys(), .esp_keys = sample_esp_keys()},
        .scratch = malloc(TL_FRAME_MAX),
        .plain = malloc(TL_FRAME_MAX),
        .out = malloc(TL_FRAME_MAX),
    };
}

static void tear_down(struct tl_scrubber *s)
{
    tl_disguise_free(s->disguise);
    tl_fresh_keys_free(s->fresh);
    fal_psp_keys_free(s->given.psp_keys);
    fal_esp_keys_free(s->given.esp_keys);
    free(s->scratch);
    free(s->plain);
    free(s->out);
}

static struct fal_frame read_frame(const struct tl_captured *got, const uint8_t *bytes,
                                   struct fal_frame_keys keys, uint8_t *scratch)
{
    const struct fal_frame_options options = {.psp_keys = keys.psp, .esp_keys = keys.esp};
    struct fal_frame frame;

    ck_assert_int_eq(
        fal_frame_decode(&(struct fal_captured){bytes, got->caplen, got->len, got->linktype},
                         &options, scratch, &frame),
        0);
    return frame;
}

/* Whether no run of the payload's data is left at its place. The first bytes may be headers. */
static bool replaced(const struct fal_frame *was, const struct fal_frame *is)
{
    size_t from = was->ulp.state == FAL_ULP_READ ? was->ulp.size_bytes : 0;
    const uint8_t *a = was->payload.bytes, *b = is->payload.bytes;

    if (was->payload.len != is->payload.len)
        return false;
    for (size_t i = from; i + RUN <= was->payload.len; i++)
        if (memcmp(a + i, b + i, RUN) == 0 && memcmp(a + i, "TALN", RUN) != 0 &&
            memcmp(a + i, "\0\0\0", RUN) != 0)
            return false;
    return true;
}

/* Draws a frame that conforms, of any encapsulation and link type. */
static struct tl_captured draw(uint64_t *state, const struct tl_scrubber *s, uint8_t *bytes)
{
    const struct fal_frame_keys keys = {s->given.psp_keys, s->given.esp_keys};
    unsigned linktype = 0;
    size_t len = sample_frame(state, &keys, &linktype, bytes);

    return (struct tl_captured){.number = 1,
                                .caplen = (uint32_t)len,
                                .len = (uint32_t)len,
                                .linktype = linktype,
                                .bytes = bytes};
}

START_TEST(scrubbed_frames_are_read_as_before_without_addresses_and_payload)
{
    uint64_t seed = test_seed(4), state = seed, sealed = 0;
    uint8_t bytes[SAMPLE_MAX], *scratch = malloc(TL_FRAME_MAX), *again = malloc(TL_FRAME_MAX);
    struct tl_scrubber s;

    set_up(&s);
    for (unsigned long i = 0; i < test_rounds(FRAMES); i++) {
        struct tl_captured got = draw(&state, &s, bytes);
        struct fal_frame_keys keys = {s.given.psp_keys, s.given.esp_keys};
        struct fal_error err = {{0}};
        struct fal_frame was, is;

        ck_assert_msg(tl_scrub_note(&s, &got, &err) == 0, "frame %lu: %s; %s", i, err.text,
                      test_again(seed));
        ck_assert_msg(tl_scrub_frame(&s, &got, &err) == 0, "frame %lu: %s; %s", i, err.text,
                      test_again(seed));
        sealed += s.resealed;
        was = read_frame(&got, bytes, keys, scratch);
        is = read_frame(&got, s.out, tl_fresh_in_use(s.fresh), again);
        ck_assert_msg(was.issues.count == is.issues.count && was.damaged == is.damaged,
                      "frame %lu: %zu issues, was %zu; %s", i, is.issues.count,
                      was.issues.count, test_again(seed));
        ck_assert_msg(fal_frame_has(&is, FAL_LAYER_FALCON) ==
                              fal_frame_has(&was, FAL_LAYER_FALCON) &&
                          is.falcon.dest_cid == was.falcon.dest_cid &&
                          is.falcon.packet_type == was.falcon.packet_type &&
                          is.falcon.psn == was.falcon.psn,
                      "frame %lu has another packet; %s", i, test_again(seed));
        ck_assert_msg(replaced(&was, &is), "frame %lu keeps payload; %s", i, test_again(seed));
        if (fal_frame_has(&was, FAL_LAYER_IPV4))
            ck_assert_msg(is.ipv4.src != was.ipv4.src && is.ipv4.dst != was.ipv4.dst,
                          "frame %lu keeps an address; %s", i, test_again(seed));
        if (fal_frame_has(&was, FAL_LAYER_INNER_IPV6))
            ck_assert_msg(is.inner_ipv6.src != was.inner_ipv6.src,
                          "frame %lu keeps an inner "
                          "address; %s",
                          i, test_again(seed));
    }
    ck_assert_uint_gt(sealed, 0);
    tear_down(&s);
    free(scratch);
    free(again);
}
END_TEST

START_TEST(damaged_frames_are_scrubbed_or_refused)
{
    uint64_t seed = test_seed(5), state = seed;
    struct fal_rng rng = {seed};
    uint8_t bytes[SAMPLE_MAX];
    unsigned long done = 0, rounds = test_rounds(FRAMES);
    struct tl_scrubber s;

    set_up(&s);
    s.replace_sealed = true;
    for (unsigned long i = 0; i < rounds; i++) {
        struct tl_captured got = draw(&state, &s, bytes);
        struct fal_error err = {{0}};

        for (uint64_t n = fal_rng_below(&rng, 4); n > 0; n--)
            bytes[fal_rng_below(&rng, got.caplen)] ^= (uint8_t)(1u << fal_rng_below(&rng, 8));
        if (fal_rng_below(&rng, 3) == 0)
            got.caplen = (uint32_t)fal_rng_below(&rng, got.caplen + 1);
        ck_assert_int_eq(tl_scrub_note(&s, &got, &err), 0);
        if (tl_scrub_frame(&s, &got, &err) == 0)
            done++;
        else
            ck_assert_msg(err.text[0] != '\0', "frame %lu: no reason; %s", i, test_again(seed));
    }
    ck_assert_msg(done * 100 >= rounds * 99, "%lu of %lu frames; %s", done, rounds,
                  test_again(seed));
    tear_down(&s);
}
END_TEST

START_TEST(sealed_frames_without_a_key_are_refused)
{
    uint64_t state = 9;
    uint8_t bytes[SAMPLE_MAX];
    unsigned refused = 0;
    struct tl_scrubber s;

    set_up(&s);
    for (unsigned i = 0; i < 200; i++) {
        struct tl_captured got = draw(&state, &s, bytes);
        struct fal_frame_options kept = s.given;
        struct fal_error err = {{0}};

        s.given.psp_keys = NULL;
        s.given.esp_keys = NULL;
        if (tl_scrub_note(&s, &got, &err) == FAL_ERR_KEY) {
            ck_assert_ptr_nonnull(strstr(err.text, "--replace-sealed"));
            refused++;
        }
        s.given = kept;
    }
    ck_assert_uint_gt(refused, 20);
    tear_down(&s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scrub");
    TCase *tc = tcase_create("scrub");

    tcase_add_test(tc, short_bytes_are_permuted);
    tcase_add_test(tc, equal_bytes_become_equal_and_tweaks_differ);
    tcase_add_test(tc, virtual_addresses_move_together_and_keep_no_run);
    tcase_add_test(tc, no_new_ipv4_address_is_an_original_one);
    tcase_add_test(tc, addresses_of_no_host_stay_and_groups_stay_groups);
    tcase_add_test(tc, scrubbed_frames_are_read_as_before_without_addresses_and_payload);
    tcase_add_test(tc, damaged_frames_are_scrubbed_or_refused);
    tcase_add_test(tc, sealed_frames_without_a_key_are_refused);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return suite;
}
