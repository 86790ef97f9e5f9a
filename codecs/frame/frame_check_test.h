/* SPDX-License-Identifier: Apache-2.0
 * frame_check_test.h - for tests of decoding: two golden frames by hand, a decoder that sees
 * what reads too far, and what a frame is held against. */
#ifndef FAL_CODECS_FRAME_FRAME_CHECK_TEST_H
#define FAL_CODECS_FRAME_FRAME_CHECK_TEST_H

#include "codecs/frame/sample_frames_test.h"
#include "tests/testing.h"

#include <stdlib.h>

static struct fal_psp_keys *keys;
static struct fal_esp_keys *esp_keys;

static inline void make_keys(void)
{
    keys = sample_keys();
    ck_assert_ptr_nonnull(keys);
    esp_keys = sample_esp_keys();
    ck_assert_ptr_nonnull(esp_keys);
}

static inline void free_keys(void)
{
    fal_psp_keys_free(keys);
    fal_esp_keys_free(esp_keys);
}

/* clang-format off */
static const uint8_t push_ipv4[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00,
    0x45, 0xb9, 0x00, 0x3c, /* dscp 46, ecn 1; 60 bytes */
    0x12, 0x34, 0x40, 0x00, /* DF */
    0x40, 0x11, 0x13, 0xc2, /* ttl 64, UDP */
    0x0a, 0x00, 0x00, 0x01,
    0x0a, 0x00, 0x00, 0x02,
    0xc0, 0x00, 0x1e, 0x61, /* 49152 to 7777 */
    0x00, 0x28, 0x5a, 0x54, /* 40 bytes */
    0x10, 0x00, 0x00, 0x11, /* version 1, CID 17 */
    0x00, 0x00, 0x01, 0x4b, /* function 1; protocol 010, type 0101, AR 1 */
    0x00, 0x00, 0x00, 0x64, /* data base 100 */
    0x00, 0x00, 0x00, 0xc8, /* request base 200 */
    0x00, 0x00, 0x01, 0x2c, /* PSN 300 */
    0x00, 0x00, 0x01, 0x90, /* RSN 400 */
    0x00, 0x00, 0x00, 0x04, /* request length 4 */
    0xde, 0xad, 0xbe, 0xef,
};

static const uint8_t back_ipv6[] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x86, 0xdd,
    0x60, 0x21, 0x23, 0x45, /* ecn 2, flow label 12345 */
    0x00, 0x28, 0x11, 0x40, /* 40 bytes, UDP, hop limit 64 */
    0xfd, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01,
    0xfd, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02,
    0x1e, 0x61, 0xc0, 0x00, /* 7777 to 49152: an answer */
    0x00, 0x28, 0xd1, 0x96,
    0x10, 0x00, 0x00, 0x12, /* version 1, CID 18 */
    0x00, 0x00, 0x00, 0x12, /* type 1001 */
    0x00, 0x00, 0x00, 0x64, /* data base 100 */
    0x00, 0x00, 0x00, 0xc8, /* request base 200 */
    0x00, 0x00, 0x00, 0x07, /* t1 */
    0x00, 0x00, 0x08, 0x32, /* t2 */
    0x32, 0x00, 0x0a, 0x00, /* hops 3, buffer 4, ECN 5 */
    0x00, 0x00, 0x00, 0x18, /* RUE 6, OWN 0 */
};
/* clang-format on */

enum { ETH = 14, IP4 = 14 + 20, UDP4 = 14 + 20 + 8, IP6 = 14 + 40, UDP6 = 14 + 40 + 8 };

/* Decodes a copy that ends where the frame does, so that a sanitizer sees what reads beyond. */
static struct fal_frame frame;
static uint8_t *copy, scratch[1024];

static inline void decode_as(const uint8_t *bytes, size_t caplen, size_t len, unsigned linktype,
                             const struct fal_frame_options *options)
{
    const char *fault;

    free(copy);
    copy = malloc(caplen + (caplen == 0));
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, caplen);
    memset(&frame, 0xee, sizeof frame);
    frame.number = 7;
    frame.ts_ns = 8;
    ck_assert_int_eq(fal_frame_decode(&(struct fal_captured){copy, caplen, len, linktype},
                                      options, scratch, &frame),
                     0);
    fault = frame_fault(&frame, copy, caplen, scratch);
    ck_assert_msg(fault == NULL, "%s", fault);
    ck_assert_uint_eq(frame.number, 7);
    ck_assert_uint_eq(frame.ts_ns, 8);
    ck_assert_uint_eq(frame.caplen, caplen);
    ck_assert_uint_eq(frame.len, len);
    ck_assert_uint_eq(frame.linktype, linktype);
}

static inline void decode(const uint8_t *bytes, size_t len, bool with_keys)
{
    const struct fal_frame_options options = {.psp_keys = with_keys ? keys : NULL};

    decode_as(bytes, len, len, FAL_LINKTYPE_ETHERNET, &options);
}

/* The layers, by name and length: "eth 14, ipv4 20". */
static inline void layers_are(const char *due)
{
    char text[200] = "";
    int at = 0;

    for (size_t i = 0; i < frame.num_layers; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s %u", i > 0 ? ", " : "",
                       fal_layer_name(frame.layers[i].id), frame.layers[i].len);
    ck_assert_str_eq(text, due);
}

/* The issues, by severity and code. */
static inline void issues_are(const char *due)
{
    char text[400] = "";
    int at = 0;

    for (size_t i = 0; i < frame.issues.count; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s %s", i > 0 ? ", " : "",
                       fal_severity_name(frame.issues.list[i].severity),
                       frame.issues.list[i].code);
    ck_assert_str_eq(text, due);
}

#endif
