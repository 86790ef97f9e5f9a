/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/capture.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void make_path_ending_in(const char *suffix)
{
    int fd;

    (void)snprintf(path, sizeof path, "/tmp/talon-capture-XXXXXX%s", suffix);
    fd = mkstemps(path, (int)strlen(suffix));
    ck_assert_int_ge(fd, 0);
    (void)close(fd);
}

static void make_path(void)
{
    make_path_ending_in("");
}

static void make_pcapng_path(void)
{
    make_path_ending_in(".pcapng");
}

static void remove_path(void)
{
    (void)unlink(path);
}

static void write_file(const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

/* ---- both ways ---- */

START_TEST(written_frames_are_read_again_to_the_nanosecond)
{
    static const unsigned linktypes[] = {FAL_LINKTYPE_ETHERNET, FAL_LINKTYPE_RAW,
                                         FAL_LINKTYPE_SLL, FAL_LINKTYPE_SLL2,
                                         FAL_LINKTYPE_USER0};
    static const struct {
        uint64_t ts_ns;
        uint32_t caplen, len;
    } frames[] = {
        {0, 1, 1},
        {999999999, 60, 60},
        {1700000000123456789, 60, 1500},
        {UINT64_C(3000000000) * 1000000000 + 1, 0, 60}, /* past 2038 */
        {UINT64_C(4294967295) * 1000000000 + 999999999, TL_FRAME_MAX, TL_FRAME_MAX},
    };
    uint8_t *bytes = calloc(1, TL_FRAME_MAX);
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer = tl_capture_create(path, linktypes[_i], &err);
    struct tl_capture *capture;
    struct tl_captured got;
    size_t n = sizeof frames / sizeof *frames;

    ck_assert_msg(writer != NULL, "%s", err.text);
    for (size_t i = 0; i < n; i++) {
        bytes[0] = (uint8_t)i;
        ck_assert_int_eq(tl_capture_write(writer, frames[i].ts_ns, bytes, frames[i].caplen,
                                          frames[i].len, &err),
                         0);
    }
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);

    capture = tl_capture_open(path, &err);
    ck_assert_msg(capture != NULL, "%s", err.text);
    ck_assert_uint_eq(tl_capture_linktype(capture), linktypes[_i]);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
        ck_assert_uint_eq(got.number, i + 1);
        ck_assert_uint_eq(got.ts_ns, frames[i].ts_ns);
        ck_assert_uint_eq(got.caplen, frames[i].caplen);
        ck_assert_uint_eq(got.len, frames[i].len);
        if (got.caplen > 0)
            ck_assert_uint_eq(got.bytes[0], i);
    }
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    tl_capture_close(capture);
    free(bytes);
}
END_TEST

START_TEST(what_pcap_cannot_hold_is_refused)
{
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer = tl_capture_create(path, FAL_LINKTYPE_USER0, &err);
    uint8_t byte = 0;

    ck_assert_int_eq(
        tl_capture_write(writer, UINT64_C(4294967296) * 1000000000, &byte, 1, 1, &err),
        FAL_ERR_RANGE);
    ck_assert_ptr_nonnull(strstr(err.text, "2106"));
    ck_assert_int_eq(
        tl_capture_write(writer, 0, &byte, TL_FRAME_MAX + 1, TL_FRAME_MAX + 1, &err),
        FAL_ERR_RANGE);
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);
    ck_assert_ptr_null(tl_capture_create(path, 2, &err));
    ck_assert_ptr_null(tl_capture_create("/nonexistent/x.pcap", FAL_LINKTYPE_USER0, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/x.pcap"));
    ck_assert_int_eq(tl_capture_finish(NULL, NULL), 0);
}
END_TEST

START_TEST(full_disk_is_an_error_of_ours)
{
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer = tl_capture_create("/dev/full", FAL_LINKTYPE_USER0, &err);
    static uint8_t bytes[1000];
    int status = 0;

    ck_assert_ptr_nonnull(writer);
    for (int i = 0; i < 20 && status == 0; i++)
        status = tl_capture_write(writer, 0, bytes, sizeof bytes, sizeof bytes, &err);
    ck_assert_int_eq(status, FAL_ERR_IO);
    ck_assert_str_eq(err.text, "/dev/full: No space left on device");
    ck_assert_int_eq(tl_capture_finish(writer, &err), FAL_ERR_IO);
}
END_TEST

/* ---- files by hand ---- */

struct maker {
    uint8_t bytes[4096];
    size_t len;
    bool big_endian;
};

static void put(struct maker *m, uint32_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        m->bytes[m->len++] = (uint8_t)(value >> 8 * (m->big_endian ? n - 1 - i : i));
}

static void file_header(struct maker *m, uint32_t magic, uint32_t snaplen, uint32_t linktype)
{
    put(m, magic, 4);
    put(m, 2, 2);
    put(m, 4, 2);
    put(m, 0, 4);
    put(m, 0, 4);
    put(m, snaplen, 4);
    put(m, linktype, 4);
}

static void record(struct maker *m, uint32_t s, uint32_t fraction, uint32_t caplen,
                   uint32_t len, size_t really)
{
    put(m, s, 4);
    put(m, fraction, 4);
    put(m, caplen, 4);
    put(m, len, 4);
    for (size_t i = 0; i < really; i++)
        m->bytes[m->len++] = (uint8_t)i;
}

enum { MICRO = (int)0xa1b2c3d4, NANO = (int)0xa1b23c4d };

/* Micro- and nanoseconds, either byte order. */
START_TEST(times_of_any_pcap_become_nanoseconds)
{
    struct maker m = {.big_endian = _i / 2 == 1};
    struct fal_error err = {{0}};
    struct tl_capture *capture;
    struct tl_captured got;

    file_header(&m, (uint32_t)(_i % 2 == 0 ? MICRO : NANO), 65535, 147);
    record(&m, 5, 7, 4, 4, 4);
    write_file(m.bytes, m.len);
    capture = tl_capture_open(path, &err);
    ck_assert_msg(capture != NULL, "%s", err.text);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_uint_eq(got.ts_ns, 5000000000 + (_i % 2 == 0 ? 7000 : 7));
    ck_assert_uint_eq(got.bytes[3], 3);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    tl_capture_close(capture);
}
END_TEST

static const struct {
    uint32_t snaplen, s, fraction, caplen, len, really;
    int status;
    uint32_t got_caplen, got_len;
    uint64_t ts_ns;
} hostile[] = {
    {0, 1, 0, 4, 4, 4, 1, 4, 4, 1000000000},          /* no snaplen */
    {0xffffffff, 1, 0, 4, 4, 4, 1, 4, 4, 1000000000}, /* absurd ones */
    {0x7fffffff, 1, 0, 4, 4, 4, 1, 4, 4, 1000000000},
    {2, 1, 0, 4, 4, 4, 1, 2, 4, 1000000000},     /* captured more than was kept */
    {65535, 1, 0, 4, 2, 4, 1, 4, 4, 1000000000}, /* shorter on the wire than captured */
    {65535, 1, 0, 0, 0, 0, 1, 0, 0, 1000000000},
    {65535, 0xffffffff, 999999999, 4, 4, 4, 1, 4, 4, UINT64_C(4294967295999999999)},
    {65535, 1, 0xffffffff, 4, 4, 4, 1, 4, 4, 1999999999}, /* more than a second of fraction */
    {65535, 1, 0, 5, 5, 4, FAL_ERR_FORM, 0, 0, 0},        /* bytes are missing */
    {65535, 1, 0, 0x10000000, 0x10000000, 4, FAL_ERR_FORM, 0, 0, 0},
    {0x7fffffff, 1, 0, 0x7ffffff0, 0x7ffffff0, 4, FAL_ERR_FORM, 0, 0, 0},
    {0xffffffff, 1, 0, 0xffffffff, 0xffffffff, 4, FAL_ERR_FORM, 0, 0, 0},
};

START_TEST(lengths_and_times_of_a_file_are_not_trusted)
{
    struct maker m = {.len = 0};
    struct fal_error err = {{0}};
    struct tl_capture *capture;
    struct tl_captured got;

    file_header(&m, (uint32_t)NANO, hostile[_i].snaplen, 1);
    record(&m, hostile[_i].s, hostile[_i].fraction, hostile[_i].caplen, hostile[_i].len,
           hostile[_i].really);
    write_file(m.bytes, m.len);
    capture = tl_capture_open(path, &err);
    ck_assert_msg(capture != NULL, "%s", err.text);
    ck_assert_msg(tl_capture_next(capture, &got, &err) == hostile[_i].status, "%s", err.text);
    if (hostile[_i].status == 1) {
        ck_assert_uint_eq(got.caplen, hostile[_i].got_caplen);
        ck_assert_uint_eq(got.len, hostile[_i].got_len);
        ck_assert_uint_eq(got.ts_ns, hostile[_i].ts_ns);
        ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    } else {
        ck_assert_ptr_nonnull(strstr(err.text, ": frame 1: "));
        ck_assert_ptr_nonnull(strstr(err.text, path));
    }
    tl_capture_close(capture);
}
END_TEST

/* Cut anywhere: the frames before the cut, then the end or one error. */
START_TEST(every_prefix_of_a_file_ends_well)
{
    struct maker m = {.len = 0};
    size_t starts[4];

    file_header(&m, (uint32_t)NANO, 65535, 1);
    for (int i = 0; i < 3; i++) {
        starts[i] = m.len;
        record(&m, 1, 0, 20, 20, 20);
    }
    starts[3] = m.len;
    for (size_t len = 0; len <= m.len; len++) {
        struct fal_error err = {{0}};
        struct tl_capture *capture;
        struct tl_captured got;
        size_t frames = 0, whole = 0;
        bool clean = false;
        int status;

        write_file(m.bytes, len);
        capture = tl_capture_open(path, &err);
        ck_assert_int_eq(capture != NULL, len >= 24);
        if (capture == NULL) {
            ck_assert_ptr_nonnull(strstr(err.text, path));
            continue;
        }
        while ((status = tl_capture_next(capture, &got, &err)) == 1)
            frames++;
        for (int i = 1; i <= 3; i++)
            whole += len >= starts[i];
        for (int i = 0; i <= 3; i++)
            clean |= len == starts[i];
        ck_assert_uint_eq(frames, whole);
        ck_assert_int_eq(status, clean ? 0 : FAL_ERR_FORM);
        tl_capture_close(capture);
    }
}
END_TEST

START_TEST(what_is_no_capture_of_ours_is_named)
{
    struct maker m = {.len = 0};
    struct fal_error err = {{0}};

    file_header(&m, (uint32_t)MICRO, 65535, 105); /* a wireless network */
    write_file(m.bytes, m.len);
    ck_assert_ptr_null(tl_capture_open(path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "link type 105 (IEEE802_11) is not supported"));
    write_file("not a capture at all, but text", 30);
    ck_assert_ptr_null(tl_capture_open(path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "not a readable capture"));
    ck_assert_ptr_null(tl_capture_open("/nonexistent", &err));
    ck_assert_str_eq(err.text, "/nonexistent: No such file or directory");
    ck_assert_ptr_null(tl_capture_open("/tmp", &err));
    ck_assert_ptr_null(tl_capture_open("/nonexistent", NULL));
    tl_capture_close(NULL);
}
END_TEST

/* ---- pcapng ---- */

START_TEST(pcapng_keeps_comments_ids_and_flags)
{
    static const uint8_t bytes[] = {1, 2, 3};
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer = tl_capture_create(path, FAL_LINKTYPE_USER0, &err);
    struct fal_pcapng_packet packet = {
        .ts_ns = UINT64_C(5000000000) * 1000000000 + 7, /* after 2106 */
        .caplen = 3,
        .len = 9,
        .bytes = bytes,
        .has_id = true,
        .id = UINT64_MAX,
        .num_comments = 2,
        .comments = {{(const uint8_t *)"one", 3}, {(const uint8_t *)"two", 3}},
    };
    struct tl_capture *capture;
    struct tl_captured got;

    ck_assert_msg(writer != NULL, "%s", err.text);
    ck_assert_int_eq(tl_capture_write_marked(writer, &packet, &err), 0);
    ck_assert_int_eq(tl_capture_write(writer, 1, bytes, 1, 1, &err), 0);
    ck_assert_int_eq(tl_capture_write(writer, 1, bytes, TL_FRAME_MAX + 1, 1, &err),
                     FAL_ERR_RANGE);
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);
    capture = tl_capture_open(path, &err);
    ck_assert_msg(capture != NULL, "%s", err.text);
    ck_assert_uint_eq(tl_capture_linktype(capture), FAL_LINKTYPE_USER0);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_uint_eq(got.ts_ns, packet.ts_ns);
    ck_assert_uint_eq(got.len, 9);
    ck_assert_mem_eq(got.bytes, bytes, 3);
    ck_assert_uint_eq(got.marks->num_comments, 2);
    ck_assert_mem_eq(got.marks->comments[1].bytes, "two", 3);
    ck_assert(got.marks->has_id && !got.marks->has_flags);
    ck_assert_uint_eq(got.marks->id, UINT64_MAX);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_uint_eq(got.number, 2);
    ck_assert_uint_eq(got.marks->num_comments, 0);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    tl_capture_close(capture);
}
END_TEST

static void block(struct maker *m, uint32_t type, const uint32_t *words, size_t n)
{
    put(m, type, 4);
    put(m, (uint32_t)(12 + 4 * n), 4);
    for (size_t i = 0; i < n; i++)
        put(m, words[i], 4);
    put(m, (uint32_t)(12 + 4 * n), 4);
}

static void section(struct maker *m)
{
    const uint32_t words[] = {0x1a2b3c4d, 1, 0xffffffff, 0xffffffff};

    m->len = 0;
    block(m, 0x0a0d0d0a, words, 4);
}

static void interface(struct maker *m, uint32_t linktype)
{
    const uint32_t words[] = {linktype, 0};

    block(m, 1, words, 2);
}

static void packet(struct maker *m, uint32_t number, uint32_t us)
{
    const uint32_t words[] = {number, 0, us, 4, 4, 0x01020304};

    block(m, 6, words, 6);
}

/* Frames of two link types in one file, and blocks of no interest between them, one of them
 * longer than any that is held. */
START_TEST(frames_of_several_interfaces)
{
    static uint8_t file[2000000];
    const uint32_t statistics[] = {0, 0, 0};
    struct maker m = {.len = 0};
    struct fal_error err = {{0}};
    struct tl_capture *capture;
    struct tl_captured got;
    size_t len, long_block = 1000000;

    section(&m);
    interface(&m, 1);
    interface(&m, 105); /* the file cannot be read, because it does not exist */
    interface(&m, 147);
    packet(&m, 2, 5);
    block(&m, 5, statistics, 3);
    memcpy(file, m.bytes, m.len);
    len = m.len;
    m.len = 0;
    put(&m, 0xbad, 4);
    put(&m, (uint32_t)long_block, 4);
    memcpy(file + len, m.bytes, m.len);
    len += long_block;
    m.len = 0;
    put(&m, (uint32_t)long_block, 4);
    packet(&m, 0, 6);
    packet(&m, 1, 7);
    packet(&m, 0, 8);
    memcpy(file + len - 4, m.bytes, m.len);
    write_file(file, len - 4 + m.len);
    capture = tl_capture_open(path, &err);
    ck_assert_msg(capture != NULL, "%s", err.text);
    ck_assert_uint_eq(tl_capture_linktype(capture), FAL_LINKTYPE_ETHERNET);
    ck_assert_msg(tl_capture_next(capture, &got, &err) == 1, "%s", err.text);
    ck_assert_uint_eq(got.linktype, FAL_LINKTYPE_USER0);
    ck_assert_uint_eq(got.ts_ns, 5000);
    ck_assert_msg(tl_capture_next(capture, &got, &err) == 1, "%s", err.text);
    ck_assert_uint_eq(got.linktype, FAL_LINKTYPE_ETHERNET);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, ": frame 3: link type 105 is not supported"));
    tl_capture_close(capture);
}
END_TEST

START_TEST(every_prefix_of_a_pcapng_file_ends_well)
{
    struct maker m = {.len = 0};
    size_t starts[4];

    section(&m);
    interface(&m, 147);
    for (uint32_t i = 0; i < 3; i++) {
        starts[i] = m.len;
        packet(&m, 0, i);
    }
    starts[3] = m.len;
    for (size_t len = 0; len <= m.len; len++) {
        struct fal_error err = {{0}};
        struct tl_capture *capture;
        struct tl_captured got;
        size_t frames = 0, whole = 0;
        bool clean = len == 28;
        int status;

        write_file(m.bytes, len);
        capture = tl_capture_open(path, &err);
        ck_assert_int_eq(capture != NULL, len == 28 || len >= starts[0]);
        if (capture == NULL) {
            ck_assert_ptr_nonnull(strstr(err.text, path));
            ck_assert_ptr_nonnull(strstr(err.text, "not a readable capture"));
            continue;
        }
        while ((status = tl_capture_next(capture, &got, &err)) == 1)
            frames++;
        for (int i = 1; i <= 3; i++)
            whole += len >= starts[i];
        for (int i = 0; i <= 3; i++)
            clean |= len == starts[i];
        ck_assert_uint_eq(frames, whole);
        ck_assert_int_eq(status, clean ? 0 : FAL_ERR_FORM);
        if (!clean)
            ck_assert_ptr_nonnull(strstr(err.text, ": truncated: the file ends in the block"));
        tl_capture_close(capture);
    }
}
END_TEST

static const struct {
    uint32_t type, len;
    const char *text;
} wrong_blocks[] = {
    {6, 7, ": frame 1: a block cannot have 7 bytes"},
    {6, 0xfffffff0, ": frame 1: a block of 4294967280 bytes; no packet needs more than 524288"},
    {1, 0x7ffffff0, "no packet needs more"},
    {0x0a0d0d0a, 32, "without the byte-order magic"},
    {0xbad, 0xfffffff0, "truncated: the file ends in the block at byte 48"},
};

START_TEST(wrong_blocks_are_named)
{
    struct maker m = {.len = 0};
    struct fal_error err = {{0}};
    struct tl_capture *capture;
    struct tl_captured got;

    section(&m);
    interface(&m, 147);
    put(&m, wrong_blocks[_i].type, 4);
    put(&m, wrong_blocks[_i].len, 4);
    for (int i = 0; i < 8; i++)
        put(&m, 0, 4);
    write_file(m.bytes, m.len);
    capture = tl_capture_open(path, &err);
    ck_assert_msg(capture != NULL, "%s", err.text);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, wrong_blocks[_i].text) != NULL, "%s", err.text);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    tl_capture_close(capture);
}
END_TEST

/* ---- filters ---- */

/* Numbers stay those of the file. */
START_TEST(filters_choose_frames)
{
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer = tl_capture_create(path, FAL_LINKTYPE_ETHERNET, &err);
    uint8_t bytes[60] = {[12] = 8, [14] = 0x45, [23] = 17}; /* UDP over IPv4 */
    struct tl_capture *capture;
    struct tl_captured got;

    ck_assert_ptr_nonnull(writer);
    for (uint8_t i = 1; i <= 6; i++) {
        bytes[37] = i % 3 == 0 ? 9 : 7; /* destination port */
        ck_assert_int_eq(tl_capture_write(writer, i, bytes, 60, 60, &err), 0);
    }
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);
    capture = tl_capture_open(path, &err);
    ck_assert_int_eq(tl_capture_filter(capture, "udp dst port 9", &err), 0);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_uint_eq(got.number, 3);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_uint_eq(got.number, 6);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    tl_capture_close(capture);
    capture = tl_capture_open(path, &err);
    ck_assert_int_eq(tl_capture_filter(capture, "udp dst prt 9", &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "--filter: 'udp dst prt 9' (link type 1): "));
    ck_assert_ptr_null(strchr(err.text, '\n'));
    tl_capture_close(capture);
}
END_TEST

/* What makes sense for the first interface, and none for the second. */
START_TEST(filters_are_for_every_link_type_of_their_own)
{
    struct maker m = {.len = 0};
    struct fal_error err = {{0}};
    struct tl_capture *capture;
    struct tl_captured got;

    section(&m);
    interface(&m, 1);
    interface(&m, 147);
    packet(&m, 0, 1);
    packet(&m, 1, 2);
    write_file(m.bytes, m.len);
    capture = tl_capture_open(path, &err);
    ck_assert_int_eq(tl_capture_filter(capture, "len = 4", &err), 0);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
    tl_capture_close(capture);
    capture = tl_capture_open(path, &err);
    ck_assert_int_eq(tl_capture_filter(capture, "ether broadcast", &err), 0);
    ck_assert_int_eq(tl_capture_next(capture, &got, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "(link type 147): "));
    tl_capture_close(capture);
}
END_TEST

/* ---- keys ---- */

START_TEST(wrong_key_files_are_named)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", ":1:0: "},
        {"{\"master_keys\": [}", ":1:18: "},
        {"{\"master_keys\": []}", ": master_keys"},
        {"[]", ": "},
    };
    struct fal_error err = {{0}};
    char due[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(cases[i].text, strlen(cases[i].text));
        ck_assert_ptr_null(tl_psp_keys_open(path, &err));
        (void)snprintf(due, sizeof due, "%s%s", path, cases[i].error);
        ck_assert_msg(strncmp(err.text, due, strlen(due)) == 0, "%s; due: %s", err.text, due);
        ck_assert_ptr_null(strchr(err.text, '\n'));
    }
    ck_assert_ptr_null(tl_psp_keys_open("/nonexistent", &err));
    ck_assert_str_eq(err.text, "/nonexistent: No such file or directory");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("capture");
    TCase *tc = tcase_create("capture"), *pcapng = tcase_create("pcapng");

    tcase_add_checked_fixture(tc, make_path, remove_path);
    tcase_add_loop_test(tc, written_frames_are_read_again_to_the_nanosecond, 0, 5);
    tcase_add_test(tc, what_pcap_cannot_hold_is_refused);
    tcase_add_test(tc, full_disk_is_an_error_of_ours);
    tcase_add_loop_test(tc, times_of_any_pcap_become_nanoseconds, 0, 4);
    tcase_add_loop_test(tc, lengths_and_times_of_a_file_are_not_trusted, 0,
                        (int)(sizeof hostile / sizeof *hostile));
    tcase_add_test(tc, every_prefix_of_a_file_ends_well);
    tcase_add_test(tc, what_is_no_capture_of_ours_is_named);
    tcase_add_test(tc, wrong_key_files_are_named);
    tcase_add_test(tc, frames_of_several_interfaces);
    tcase_add_test(tc, every_prefix_of_a_pcapng_file_ends_well);
    tcase_add_loop_test(tc, wrong_blocks_are_named, 0,
                        (int)(sizeof wrong_blocks / sizeof *wrong_blocks));
    tcase_add_test(tc, filters_choose_frames);
    tcase_add_test(tc, filters_are_for_every_link_type_of_their_own);
    suite_add_tcase(suite, tc);
    tcase_add_checked_fixture(pcapng, make_pcapng_path, remove_path);
    tcase_add_loop_test(pcapng, written_frames_are_read_again_to_the_nanosecond, 0, 5);
    tcase_add_test(pcapng, pcapng_keeps_comments_ids_and_flags);
    tcase_add_test(pcapng, filters_choose_frames);
    suite_add_tcase(suite, pcapng);
    return suite;
}
