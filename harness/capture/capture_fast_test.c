/* SPDX-License-Identifier: Apache-2.0
 * A regular pcap file is read by capture_fast.c, a pipe by libpcap alone; a regular pcapng file
 * is read ahead, of a pipe only what is needed. Both must return the same frames and end alike,
 * also when the file is damaged. */
#include "harness/capture/capture.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 12, SIZE_MAX_FILE = 8192, RUNS = 1500, PCAPNG = 4, FORMATS };

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

static void put(uint8_t *out, uint32_t value, bool swapped)
{
    value = swapped ? __builtin_bswap32(value) : value;
    memcpy(out, &value, sizeof value);
}

/* Writes a sound file: even formats have microseconds, the last two the other byte order. */
static size_t make_file(uint8_t *out, int format)
{
    bool swapped = format >= 2, nano = format % 2 != 0;
    size_t at = 24;

    put(out, nano ? 0xa1b23c4d : 0xa1b2c3d4, swapped);
    put(out + 4, 0, false);
    out[swapped ? 5 : 4] = 2;
    out[swapped ? 7 : 6] = 4;
    memset(out + 8, 0, 8);
    put(out + 16, 300, swapped);
    put(out + 20, 1, swapped);
    for (int i = 0; i < FRAMES; i++) {
        uint32_t len = draw(200);

        put(out + at, draw(UINT32_C(0x7fffffff)) * 2, swapped);
        put(out + at + 4, draw(nano ? 1000000000 : 1000000), swapped);
        put(out + at + 8, len, swapped);
        put(out + at + 12, len + draw(3), swapped);
        at += 16;
        for (uint32_t j = 0; j < len; j++)
            out[at++] = (uint8_t)draw(256);
    }
    return at;
}

static size_t add(size_t at, int written)
{
    ck_assert_int_gt(written, 0);
    return at + (size_t)written;
}

/* A block that readers skip. */
static size_t other_block(uint8_t *out)
{
    uint32_t len = 12 + 4 * draw(20);

    memset(out, 0x55, len);
    put(out, 0xbad, false);
    put(out + 4, len, false);
    put(out + len - 4, len, false);
    return len;
}

/* Some packets have options, and other blocks stand between them. */
static size_t make_pcapng(uint8_t *out)
{
    const struct fal_pcapng_interface interface = {.linktype = 1, .tsresol = 9};
    uint8_t bytes[200];
    size_t at = add(0, fal_pcapng_write_section("test", out, SIZE_MAX_FILE));

    at = add(at, fal_pcapng_write_interface(&interface, out + at, SIZE_MAX_FILE - at));
    for (int i = 0; i < FRAMES; i++) {
        struct fal_pcapng_packet packet = {.ts_ns = (uint64_t)draw(1u << 30) << draw(20)};

        packet.caplen = draw(sizeof bytes);
        packet.len = packet.caplen + draw(3);
        packet.bytes = bytes;
        packet.has_id = draw(4) == 0;
        packet.id = draw(1000);
        packet.num_comments = draw(4) == 0;
        packet.comments[0] = (struct fal_span){(const uint8_t *)"seen", 4};
        for (size_t j = 0; j < packet.caplen; j++)
            bytes[j] = (uint8_t)draw(256);
        if (draw(5) == 0)
            at += other_block(out + at);
        if (draw(9) == 0)
            at = add(at, fal_pcapng_write_interface(&interface, out + at, SIZE_MAX_FILE - at));
        at = add(at, fal_pcapng_write_packet(&packet, out + at, SIZE_MAX_FILE - at));
    }
    return at;
}

/* Changes some bytes, and sometimes the length; most changes are near the start of a word. */
static size_t damage(uint8_t *bytes, size_t len)
{
    static const uint8_t values[] = {0, 1, 2, 0x0f, 0x7f, 0x80, 0xff};

    for (uint32_t n = draw(4); n > 0; n--)
        bytes[draw(2) != 0 ? draw(40) : draw((uint32_t)len)] = values[draw(sizeof values)];
    return draw(3) == 0 ? draw((uint32_t)len + 1) : len;
}

static void equal_marks(const struct fal_pcapng_packet *a, const struct fal_pcapng_packet *b)
{
    ck_assert_int_eq(a == NULL, b == NULL);
    if (a == NULL)
        return;
    ck_assert_uint_eq(a->interface, b->interface);
    ck_assert_uint_eq(a->has_id, b->has_id);
    ck_assert_uint_eq(a->id, b->id);
    ck_assert_uint_eq(a->has_flags, b->has_flags);
    ck_assert_uint_eq(a->flags, b->flags);
    ck_assert_uint_eq(a->drops, b->drops);
    ck_assert_uint_eq(a->num_comments, b->num_comments);
    for (size_t i = 0; i < a->num_comments; i++) {
        ck_assert_uint_eq(a->comments[i].len, b->comments[i].len);
        ck_assert_mem_eq(a->comments[i].bytes, b->comments[i].bytes, a->comments[i].len);
    }
}

static void equal(struct tl_capture *a, struct tl_capture *b, size_t name_a, size_t name_b)
{
    struct tl_captured x, y;
    struct fal_error err_a = {{0}}, err_b = {{0}};
    int status, other;

    do {
        status = tl_capture_next(a, &x, &err_a);
        other = tl_capture_next(b, &y, &err_b);
        ck_assert_int_eq(status, other);
        if (status < 0)
            ck_assert_str_eq(err_a.text + name_a, err_b.text + name_b);
        if (status != 1)
            continue;
        ck_assert_uint_eq(x.number, y.number);
        ck_assert_uint_eq(x.ts_ns, y.ts_ns);
        ck_assert_uint_eq(x.caplen, y.caplen);
        ck_assert_uint_eq(x.len, y.len);
        ck_assert_uint_eq(x.linktype, y.linktype);
        equal_marks(x.marks, y.marks);
        ck_assert_mem_eq(x.bytes, y.bytes, x.caplen);
    } while (status == 1);
    ck_assert_uint_eq(tl_capture_dropped(a), tl_capture_dropped(b));
    ck_assert_uint_eq(tl_capture_interfaces(a), tl_capture_interfaces(b));
}

/* Reads the bytes from a file and from a pipe, which holds them all. */
static void both_ways(const uint8_t *bytes, size_t len)
{
    char path[] = "/tmp/talon-fast-XXXXXX", pipe_path[32];
    int fd = mkstemp(path), ends[2];
    struct fal_error err_a = {{0}}, err_b = {{0}};
    struct tl_capture *a, *b;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, len), (ssize_t)len);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], bytes, len), (ssize_t)len);
    (void)close(ends[1]);
    (void)snprintf(pipe_path, sizeof pipe_path, "/dev/fd/%d", ends[0]);
    a = tl_capture_open(path, &err_a);
    b = tl_capture_open(pipe_path, &err_b);
    ck_assert_int_eq(a == NULL, b == NULL);
    if (a == NULL)
        ck_assert_str_eq(err_a.text + strlen(path), err_b.text + strlen(pipe_path));
    else
        equal(a, b, strlen(path), strlen(pipe_path));
    tl_capture_close(a);
    tl_capture_close(b);
    (void)close(ends[0]);
    (void)close(fd);
    (void)unlink(path);
}

START_TEST(files_and_pipes_give_the_same)
{
    uint8_t bytes[SIZE_MAX_FILE];
    size_t len;

    state = (uint64_t)_i + 1;
    len = _i == PCAPNG ? make_pcapng(bytes) : make_file(bytes, _i);
    both_ways(bytes, len);
    for (int run = 0; run < RUNS; run++) {
        len = _i == PCAPNG ? make_pcapng(bytes) : make_file(bytes, _i);
        both_ways(bytes, damage(bytes, len));
    }
}
END_TEST

/* Frames that do not fit the buffer of the reader together: it is filled again many times. */
START_TEST(long_files_are_read_to_their_end)
{
    char pcap[] = "/tmp/talon-fast-XXXXXX", pcapng[] = "/tmp/talon-fast-XXXXXX.pcapng";
    char *path = _i == 0 ? pcap : pcapng;
    int fd = mkstemps(path, _i == 0 ? 0 : 7);
    uint8_t *bytes = calloc(1, TL_FRAME_MAX);
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer = tl_capture_create(path, FAL_LINKTYPE_ETHERNET, &err);
    struct tl_capture *capture;
    struct tl_captured got;

    ck_assert_ptr_nonnull(writer);
    for (uint32_t i = 0; i < 30; i++) {
        memset(bytes, (int)i, TL_FRAME_MAX);
        ck_assert_int_eq(
            tl_capture_write(writer, i, bytes, TL_FRAME_MAX - i * 7000, TL_FRAME_MAX, &err), 0);
    }
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);
    capture = tl_capture_open(path, &err);
    ck_assert_ptr_nonnull(capture);
    for (uint32_t i = 0; i < 30; i++) {
        ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
        ck_assert_uint_eq(got.caplen, TL_FRAME_MAX - i * 7000);
        memset(bytes, (int)i, TL_FRAME_MAX);
        ck_assert_mem_eq(got.bytes, bytes, got.caplen);
    }
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    tl_capture_close(capture);
    free(bytes);
    (void)close(fd);
    (void)unlink(path);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("capture_fast");
    TCase *tc = tcase_create("capture_fast");

    tcase_add_loop_test(tc, files_and_pipes_give_the_same, 0, FORMATS);
    tcase_add_loop_test(tc, long_files_are_read_to_their_end, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
