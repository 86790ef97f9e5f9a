/* SPDX-License-Identifier: Apache-2.0
 * Captures that are compressed by gzip and zstd: whole, in several parts, cut at each byte,
 * with each byte changed, and data that expand to much more than their size. */
#include "harness/capture/capture.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>
#include <zstd.h>

enum {
    FRAMES = 6,
    FRAME_LEN = 40,
    ROOM = 4096,
    FORMS = 4,
    GZIP = 16,
    BOMB = 1 << 20,
    BLOCKS = 256
};

static char path[] = "/tmp/talon-compressed-XXXXXX";

/* ---- what is written ---- */

static size_t gzip(const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
    z_stream z = {.next_in = in, .avail_in = (uInt)len};

    z.next_out = out;
    z.avail_out = (uInt)room;
    ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    ck_assert_int_eq(deflateEnd(&z), Z_OK);
    return room - z.avail_out;
}

static size_t zstd(const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t n;

    ck_assert_int_eq((int)ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)),
                     0);
    n = ZSTD_compress2(context, out, room, in, len);
    ck_assert_int_eq((int)ZSTD_isError(n), 0);
    (void)ZSTD_freeCCtx(context);
    return n;
}

/* Forms 0 and 1 are gzip, 2 and 3 zstd; the second of each has two parts in a row. */
static size_t compress_as(int form, const uint8_t *in, size_t len, uint8_t *out, size_t room)
{
    size_t (*one)(const uint8_t *, size_t, uint8_t *, size_t) = form < 2 ? gzip : zstd;
    size_t part = form % 2 != 0 ? len / 3 : 0, n = 0;

    if (part > 0)
        n = one(in, part, out, room);
    return n + one(in + part, len - part, out + n, room - n);
}

static const char *word_of(int form)
{
    return form < 2 ? "gzip" : "zstd";
}

static void write_file(const uint8_t *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

/* A capture of FRAMES frames, each filled with its number. */
static size_t plain(uint8_t *out, const char *suffix)
{
    char name[64];
    uint8_t bytes[FRAME_LEN];
    struct fal_error err = {{0}};
    struct tl_capture_writer *writer;
    FILE *file;
    size_t len;

    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    writer = tl_capture_create(name, FAL_LINKTYPE_ETHERNET, &err);
    ck_assert_ptr_nonnull(writer);
    for (int i = 0; i < FRAMES; i++) {
        memset(bytes, i, sizeof bytes);
        for (size_t j = 0; j < sizeof bytes;
             j += 3) /* not all alike: data that do not vanish */
            bytes[j] = (uint8_t)(i * 31 + (int)j * 7);
        ck_assert_int_eq(
            tl_capture_write(writer, (uint64_t)i, bytes, FRAME_LEN, FRAME_LEN, &err), 0);
    }
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);
    file = fopen(name, "rb");
    ck_assert_ptr_nonnull(file);
    len = fread(out, 1, ROOM, file);
    (void)fclose(file);
    (void)unlink(name);
    return len;
}

/* ---- what is read ---- */

/* Reads the file to its end. Returns the last status; the frames before are the right ones. */
static int read_all(int *frames, struct fal_error *err)
{
    struct tl_capture *capture = tl_capture_open(path, err);
    struct tl_captured got;
    int status;

    *frames = 0;
    if (capture == NULL)
        return FAL_ERR_FORM;
    while ((status = tl_capture_next(capture, &got, err)) == 1) {
        ck_assert_uint_eq(got.number, (uint64_t)*frames + 1);
        ++*frames;
    }
    tl_capture_close(capture);
    return status;
}

START_TEST(compressed_captures_are_read_as_plain_ones)
{
    static const char *const suffixes[] = {".pcap", ".pcapng"};

    for (int form = 0; form < FORMS; form++) {
        uint8_t in[ROOM], out[ROOM] = {0};
        struct fal_error err = {{0}};
        struct tl_capture *capture;
        struct tl_captured got;
        size_t len = plain(in, suffixes[_i]);

        write_file(out, compress_as(form, in, len, out, sizeof out));
        capture = tl_capture_open(path, &err);
        ck_assert_msg(capture != NULL, "%s", err.text);
        for (int i = 0; i < FRAMES; i++) {
            ck_assert_int_eq(tl_capture_next(capture, &got, &err), 1);
            ck_assert_uint_eq(got.ts_ns, (uint64_t)i);
            ck_assert_uint_eq(got.caplen, FRAME_LEN);
            ck_assert_int_eq(got.bytes[1], i);
            ck_assert_int_eq(got.marks != NULL, _i == 1);
        }
        ck_assert_int_eq(tl_capture_next(capture, &got, &err), 0);
        tl_capture_close(capture);
    }
}
END_TEST

/* A file that ends where a part of two ends is complete; any other prefix gives the frames that
 * it holds, then the error. */
START_TEST(each_prefix_gives_what_it_holds_and_one_error)
{
    uint8_t in[ROOM], out[ROOM];
    size_t len = plain(in, ".pcap"), n = compress_as(_i, in, len, out, sizeof out);
    size_t first = _i % 2 != 0 ? compress_as(_i - 1, in, len / 3, (uint8_t[ROOM]){0}, ROOM) : n;
    int most = 0;

    for (size_t cut = 0; cut <= n; cut++) {
        struct fal_error err = {{0}};
        int frames, status;

        write_file(out, cut);
        status = read_all(&frames, &err);
        ck_assert_int_ge(frames, most); /* never fewer than a shorter prefix gave */
        most = frames;
        if (cut == n) {
            ck_assert_int_eq(status, 0);
            ck_assert_int_eq(frames, FRAMES);
            continue;
        }
        ck_assert_int_eq(status, FAL_ERR_FORM);
        ck_assert_ptr_nonnull(strstr(err.text, path));
        if (cut < 4 || cut == first)
            continue; /* not known to be compressed; the capture ends, not the compressed data
                       */
        ck_assert_msg(strstr(err.text, "truncated: the file ends at byte ") != NULL, "%zu: %s",
                      cut, err.text);
        ck_assert_ptr_nonnull(strstr(err.text, word_of(_i)));
    }
}
END_TEST

/* The checksum finds what the decompressor does not. Few changes have no effect: they are in
 * parts of a header that no one reads. */
START_TEST(each_changed_byte_is_an_error_or_changes_nothing)
{
    uint8_t in[ROOM], out[ROOM];
    size_t len = plain(in, ".pcapng"), n = compress_as(_i, in, len, out, sizeof out);
    size_t silent = 0;

    for (size_t at = 0; at < n; at++) {
        struct fal_error err = {{0}};
        int frames, status;

        out[at] ^= 0x10;
        write_file(out, n);
        out[at] ^= 0x10;
        status = read_all(&frames, &err);
        if (status == 0) {
            ck_assert_int_eq(frames, FRAMES);
            silent++;
        } else {
            ck_assert_int_eq(status, FAL_ERR_FORM);
            ck_assert_ptr_nonnull(strstr(err.text, path));
        }
    }
    ck_assert_uint_le(silent, 16);
}
END_TEST

START_TEST(what_follows_the_compressed_data_is_named)
{
    static const uint8_t behind[] = {'b', 'e', 'h', 'i', 'n', 'd'};
    uint8_t in[ROOM], out[ROOM];
    size_t len = plain(in, ".pcap"), n = compress_as(_i, in, len, out, sizeof out);
    struct fal_error err = {{0}};
    int frames;

    memcpy(out + n, behind, sizeof behind);
    write_file(out, n + sizeof behind);
    ck_assert_int_eq(read_all(&frames, &err), FAL_ERR_FORM);
    ck_assert_int_eq(frames, FRAMES);
    ck_assert_ptr_nonnull(strstr(err.text, "damaged"));
    ck_assert_ptr_nonnull(strstr(err.text, "copy the file again"));
}
END_TEST

START_TEST(other_compressed_content_is_no_capture)
{
    uint8_t in[ROOM] = "a text, not a capture", out[ROOM] = {0};
    struct fal_error err = {{0}};

    write_file(out, compress_as(_i, in, 21, out, sizeof out));
    ck_assert_ptr_null(tl_capture_open(path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "not a readable capture"));
    write_file(out, compress_as(_i, in, 0, out, sizeof out));
    ck_assert_ptr_null(tl_capture_open(path, &err));
    write_file((const uint8_t *)"(text that begins like zstd", 27);
    ck_assert_ptr_null(tl_capture_open(path, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "not a readable capture"));
    ck_assert_ptr_null(strstr(err.text, "zstd"));
}
END_TEST

/* 256 blocks of 1 MB that are skipped, in some kilobytes: memory stays as it was. */
START_TEST(data_that_expand_take_no_memory)
{
    static const uint32_t head[2] = {0x7777, BOMB}, tail = BOMB;
    uint8_t *in = calloc(1, BOMB), *out = malloc(BOMB), capture[ROOM];
    size_t n = compress_as(_i, capture, plain(capture, ".pcapng"), out, BOMB);
    struct rusage before, after;
    struct fal_error err = {{0}};
    FILE *file = fopen(path, "wb");
    int frames;

    ck_assert_uint_eq(fwrite(out, 1, n, file), n);
    memcpy(in, head, sizeof head); /* type and length, zeros, and the length again */
    memcpy(in + BOMB - sizeof tail, &tail, sizeof tail);
    n = compress_as(_i, in, BOMB, out, BOMB);
    ck_assert_uint_lt(n, 4096);
    for (int i = 0; i < BLOCKS; i++)
        ck_assert_uint_eq(fwrite(out, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
    (void)getrusage(RUSAGE_SELF, &before);
    ck_assert_msg(read_all(&frames, &err) == 0, "%s", err.text);
    (void)getrusage(RUSAGE_SELF, &after);
    ck_assert_int_eq(frames, FRAMES);
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 16 * 1024); /* kilobytes */
    free(in);
    free(out);
}
END_TEST

static void make_path(void)
{
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    (void)close(fd);
}

static void remove_path(void)
{
    (void)unlink(path);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("compressed");
    TCase *tc = tcase_create("compressed");

    tcase_add_unchecked_fixture(tc, make_path, remove_path);
    tcase_add_loop_test(tc, compressed_captures_are_read_as_plain_ones, 0, 2);
    tcase_add_loop_test(tc, each_prefix_gives_what_it_holds_and_one_error, 0, FORMS);
    tcase_add_loop_test(tc, each_changed_byte_is_an_error_or_changes_nothing, 0, FORMS);
    tcase_add_loop_test(tc, what_follows_the_compressed_data_is_named, 0, FORMS);
    tcase_add_loop_test(tc, other_compressed_content_is_no_capture, 0, FORMS);
    tcase_add_loop_test(tc, data_that_expand_take_no_memory, 0, FORMS);
    suite_add_tcase(suite, tc);
    return suite;
}
