/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/bitloop_test.h"
#include "codecs/pcapng/pcapng.h"

#include "tests/testing.h"

#include <stdlib.h>

#define SPAN(text)                                \
    {                                             \
        (const uint8_t *)(text), sizeof(text) - 1 \
    }

/* ---- golden bytes ---- */

/* clang-format off */
static const uint8_t golden[] = {
    /* section */
    0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0,     /* type, length */
    0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0,      /* magic, version 1.0 */
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* length not said */
    4, 0, 2, 0, 'h', 'i', 0, 0,              /* application, padded */
    0, 0, 0, 0, 40, 0, 0, 0,                 /* end of options, length */
    /* interface */
    1, 0, 0, 0, 40, 0, 0, 0,
    147, 0, 0, 0, 0, 0, 4, 0,                /* link type, snaplen 262144 */
    2, 0, 3, 0, 's', 'u', 't', 0,            /* name */
    9, 0, 1, 0, 9, 0, 0, 0,                  /* nanoseconds */
    0, 0, 0, 0, 40, 0, 0, 0,
    /* packet */
    6, 0, 0, 0, 68, 0, 0, 0,
    0, 0, 0, 0,                              /* interface */
    0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55, /* time, high word first */
    3, 0, 0, 0, 200, 0, 0, 0,                /* 3 of 200 bytes */
    0xaa, 0xbb, 0xcc, 0,
    1, 0, 4, 0, 'f', 'a', 'i', 'l',          /* comment */
    2, 0, 4, 0, 2, 0, 0, 1,                  /* flags: outbound, CRC error */
    5, 0, 8, 0, 8, 7, 6, 5, 4, 3, 2, 1,      /* packet id */
    0, 0, 0, 0, 68, 0, 0, 0,
};
/* clang-format on */

static const uint8_t frame_bytes[] = {0xaa, 0xbb, 0xcc};

static struct fal_pcapng_packet golden_packet(void)
{
    return (struct fal_pcapng_packet){
        .ts_ns = UINT64_C(0x1122334455667788),
        .caplen = 3,
        .len = 200,
        .bytes = frame_bytes,
        .has_id = true,
        .id = UINT64_C(0x0102030405060708),
        .has_flags = true,
        .flags = FAL_PCAPNG_OUTBOUND | FAL_PCAPNG_CRC_ERROR,
        .num_comments = 1,
        .comments = {SPAN("fail")},
    };
}

static const struct fal_pcapng_interface nano = {
    .linktype = 147, .snaplen = 262144, .tsresol = 9, .name = SPAN("sut")};

/* Writes the golden file: its length. */
static size_t write_golden(uint8_t *out, size_t cap)
{
    struct fal_pcapng_packet packet = golden_packet();
    int a = fal_pcapng_write_section("hi", out, cap), b, c;

    ck_assert_int_gt(a, 0);
    b = fal_pcapng_write_interface(&nano, out + a, cap - (size_t)a);
    ck_assert_int_gt(b, 0);
    c = fal_pcapng_write_packet(&packet, out + a + b, cap - (size_t)a - (size_t)b);
    ck_assert_int_gt(c, 0);
    return (size_t)a + (size_t)b + (size_t)c;
}

START_TEST(blocks_are_written_to_the_byte)
{
    uint8_t out[512];

    memset(out, 0x5a, sizeof out);
    ck_assert_uint_eq(write_golden(out, sizeof out), sizeof golden);
    ck_assert_mem_eq(out, golden, sizeof golden);
}
END_TEST

/* Reads the block at `at` of a file; its length. */
static size_t read_at(struct fal_pcapng_reader *reader, const uint8_t *at, size_t left,
                      struct fal_pcapng_block *block)
{
    struct fal_error err = {{0}};
    enum fal_pcapng_kind kind;
    uint32_t len;

    ck_assert_uint_ge(left, FAL_PCAPNG_HEAD_LEN);
    ck_assert_msg(fal_pcapng_head(reader, at, &kind, &len, &err) == 0, "%s", err.text);
    ck_assert_uint_le(len, left);
    ck_assert_msg(fal_pcapng_read(reader, at, len, block, &err) == 0, "%s", err.text);
    ck_assert_int_eq(block->kind, kind);
    return len;
}

START_TEST(what_was_written_is_read)
{
    struct fal_pcapng_reader reader = {0};
    struct fal_pcapng_block block;
    size_t at = 0;

    at += read_at(&reader, golden + at, sizeof golden - at, &block);
    ck_assert_int_eq(block.kind, FAL_PCAPNG_SECTION);
    at += read_at(&reader, golden + at, sizeof golden - at, &block);
    ck_assert_int_eq(block.kind, FAL_PCAPNG_INTERFACE);
    ck_assert_uint_eq(block.interface.linktype, 147);
    ck_assert_uint_eq(block.interface.snaplen, 262144);
    ck_assert_uint_eq(block.interface.tsresol, 9);
    ck_assert_int_eq(block.interface.tsoffset_s, 0);
    ck_assert_uint_eq(block.interface.name.len, 3);
    ck_assert_mem_eq(block.interface.name.bytes, "sut", 3);
    ck_assert_uint_eq(reader.num_interfaces, 1);
    at += read_at(&reader, golden + at, sizeof golden - at, &block);
    ck_assert_uint_eq(at, sizeof golden);
    ck_assert_int_eq(block.kind, FAL_PCAPNG_PACKET);
    ck_assert_uint_eq(block.packet.ts_ns, UINT64_C(0x1122334455667788));
    ck_assert_uint_eq(block.packet.caplen, 3);
    ck_assert_uint_eq(block.packet.len, 200);
    ck_assert_mem_eq(block.packet.bytes, frame_bytes, 3);
    ck_assert(block.packet.has_id && block.packet.has_flags);
    ck_assert_uint_eq(block.packet.id, UINT64_C(0x0102030405060708));
    ck_assert_uint_eq(block.packet.flags, 0x01000002);
    ck_assert_uint_eq(block.packet.num_comments, 1);
    ck_assert_uint_eq(block.packet.comments[0].len, 4);
    ck_assert_mem_eq(block.packet.comments[0].bytes, "fail", 4);
}
END_TEST

/* Nothing is written beyond the room that there is, and too little of it is said. */
START_TEST(room_is_needed_to_the_byte)
{
    struct fal_pcapng_packet packet = golden_packet();
    int lens[3] = {40, 40, 68};

    for (size_t which = 0; which < 3; which++) {
        for (size_t cap = 0; cap <= (size_t)lens[which]; cap++) {
            uint8_t *out = malloc(cap > 0 ? cap : 1);
            int due = cap == (size_t)lens[which] ? lens[which] : FAL_ERR_SHORT;
            int got = which == 0   ? fal_pcapng_write_section("hi", out, cap)
                      : which == 1 ? fal_pcapng_write_interface(&nano, out, cap)
                                   : fal_pcapng_write_packet(&packet, out, cap);

            ck_assert_int_eq(got, due);
            free(out);
        }
    }
}
END_TEST

START_TEST(what_a_block_cannot_hold_is_refused)
{
    static uint8_t out[FAL_PCAPNG_BLOCK_MAX];
    static char text[65537];
    struct fal_pcapng_packet packet = golden_packet();
    struct fal_pcapng_interface interface = nano;

    memset(text, 'x', sizeof text - 1);
    ck_assert_int_eq(fal_pcapng_write_section(text, out, sizeof out), FAL_ERR_RANGE);
    ck_assert_int_eq(fal_pcapng_write_section(text + 1, out, sizeof out), 65536 + 36);
    interface.linktype = 65536;
    ck_assert_int_eq(fal_pcapng_write_interface(&interface, out, sizeof out), FAL_ERR_RANGE);
    interface = nano;
    interface.name = (struct fal_span){(const uint8_t *)text, 65536};
    ck_assert_int_eq(fal_pcapng_write_interface(&interface, out, sizeof out), FAL_ERR_RANGE);
    packet.comments[0] = (struct fal_span){(const uint8_t *)text, 65536};
    ck_assert_int_eq(fal_pcapng_write_packet(&packet, out, sizeof out), FAL_ERR_RANGE);
    packet.num_comments = FAL_PCAPNG_COMMENTS_MAX + 1;
    ck_assert_int_eq(fal_pcapng_write_packet(&packet, out, sizeof out), FAL_ERR_RANGE);
    packet = golden_packet();
    packet.caplen = FAL_PCAPNG_FRAME_MAX + 1;
    ck_assert_int_eq(fal_pcapng_write_packet(&packet, out, sizeof out), FAL_ERR_RANGE);
}
END_TEST

/* ---- blocks by hand, in either byte order ---- */

struct maker {
    uint8_t bytes[4096];
    size_t len, block;
    bool big_endian;
};

static void put(struct maker *m, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        m->bytes[m->len++] = (uint8_t)(value >> 8 * (m->big_endian ? n - 1 - i : i));
}

static void begin(struct maker *m, uint32_t type)
{
    m->block = m->len;
    put(m, type, 4);
    put(m, 0, 4);
}

static void end(struct maker *m)
{
    size_t len = m->len + 4 - m->block, at = m->len;

    put(m, len, 4);
    m->len = m->block + 4;
    put(m, len, 4);
    m->len = at + 4;
}

static void make_section(struct maker *m)
{
    begin(m, 0x0a0d0d0a);
    put(m, 0x1a2b3c4d, 4);
    put(m, 1, 2);
    put(m, 2, 2);
    put(m, 77, 8);
    end(m);
}

static void make_interface(struct maker *m, unsigned linktype, uint32_t snaplen, int tsresol,
                           int64_t tsoffset)
{
    begin(m, 1);
    put(m, linktype, 2);
    put(m, 0xbeef, 2); /* reserved */
    put(m, snaplen, 4);
    put(m, 11, 2); /* if_filter, of no interest */
    put(m, 5, 2);
    put(m, 0, 8);
    if (tsresol >= 0) {
        put(m, 9, 2);
        put(m, 1, 2);
        put(m, m->big_endian ? (uint64_t)tsresol << 24 : (uint64_t)tsresol, 4);
    }
    if (tsoffset != 0) {
        put(m, 14, 2);
        put(m, 8, 2);
        put(m, (uint64_t)tsoffset, 8);
    }
    end(m); /* no end of options: the block's end is one */
}

static void make_packet(struct maker *m, uint32_t interface, uint64_t ticks, uint32_t caplen,
                        uint32_t len, size_t really)
{
    begin(m, 6);
    put(m, interface, 4);
    put(m, ticks >> 32, 4);
    put(m, ticks & 0xffffffff, 4);
    put(m, caplen, 4);
    put(m, len, 4);
    for (size_t i = 0; i < (really + 3) / 4 * 4; i++)
        put(m, i < really ? i : 0, 1);
    end(m);
}

START_TEST(either_byte_order_and_several_sections)
{
    struct maker m = {.big_endian = _i == 1};
    struct fal_pcapng_reader reader = {0};
    struct fal_pcapng_block block;
    size_t at = 0;

    for (int section = 0; section < 2; section++) {
        make_section(&m);
        make_interface(&m, 1, 0, -1, 0);
        make_interface(&m, 101 + (unsigned)section, 96, 9, 0);
        begin(&m, 5); /* statistics */
        put(&m, 1, 4);
        put(&m, 0, 8);
        put(&m, 4, 2); /* ifrecv, of no interest */
        put(&m, 8, 2);
        put(&m, 99, 8);
        put(&m, 5, 2); /* ifdrop */
        put(&m, 8, 2);
        put(&m, 3, 8);
        put(&m, 7, 2); /* osdrop */
        put(&m, 8, 2);
        put(&m, 4, 8);
        end(&m);
        make_packet(&m, 0, 5000007, 5, 60, 5);
        make_packet(&m, 1, UINT64_C(5000000007), 4, 2, 4);
        m.big_endian = !m.big_endian;
    }
    for (unsigned section = 0; section < 2; section++) {
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
        ck_assert_int_eq(block.kind, FAL_PCAPNG_SECTION);
        ck_assert_uint_eq(reader.num_interfaces, 0);
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
        ck_assert_uint_eq(block.interface.tsresol, 6);
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
        ck_assert_uint_eq(block.interface.linktype, 101 + section);
        ck_assert_uint_eq(block.interface.snaplen, 96);
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
        ck_assert_int_eq(block.kind, FAL_PCAPNG_STATISTICS);
        ck_assert_uint_eq(block.statistics.interface, 1);
        ck_assert_uint_eq(block.statistics.drops, 7);
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
        ck_assert_uint_eq(block.packet.ts_ns, UINT64_C(5000007000));
        ck_assert_uint_eq(block.packet.caplen, 5);
        ck_assert_uint_eq(block.packet.len, 60);
        ck_assert_uint_eq(block.packet.bytes[4], 4);
        ck_assert(!block.packet.has_id && !block.packet.has_flags);
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
        ck_assert_uint_eq(block.packet.interface, 1);
        ck_assert_uint_eq(block.packet.ts_ns, UINT64_C(5000000007));
        ck_assert_uint_eq(block.packet.len, 4); /* not less than was captured */
    }
    ck_assert_uint_eq(at, m.len);
}
END_TEST

/* The two other packet blocks: the simple one, cut by the snaplen, and the one of before 2009.
 */
START_TEST(simple_and_old_packets)
{
    struct maker m = {.big_endian = _i == 1};
    struct fal_pcapng_reader reader = {0};
    struct fal_pcapng_block block;
    size_t at = 0;

    make_section(&m);
    make_interface(&m, 1, 6, -1, 0);
    begin(&m, 3);
    put(&m, 9, 4);
    put(&m, UINT64_C(0x0102030405060000), 8);
    end(&m);
    begin(&m, 2);
    put(&m, 0, 2);
    put(&m, 5, 2); /* drops */
    put(&m, 0, 4);
    put(&m, 3, 4);
    put(&m, 4, 4);
    put(&m, 8, 4);
    put(&m, 0x11223344, 4);
    put(&m, 1, 2);
    put(&m, 0, 2); /* an empty comment */
    end(&m);
    for (int i = 0; i < 3; i++)
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
    ck_assert_uint_eq(block.packet.caplen, 6);
    ck_assert_uint_eq(block.packet.len, 9);
    ck_assert_uint_eq(block.packet.ts_ns, 0);
    at += read_at(&reader, m.bytes + at, m.len - at, &block);
    ck_assert_uint_eq(block.packet.caplen, 4);
    ck_assert_uint_eq(block.packet.len, 8);
    ck_assert_uint_eq(block.packet.ts_ns, 3000);
    ck_assert_uint_eq(block.packet.num_comments, 1);
    ck_assert_uint_eq(block.packet.comments[0].len, 0);
    ck_assert_uint_eq(at, m.len);
}
END_TEST

START_TEST(a_snaplen_of_0_cuts_nothing)
{
    struct maker m = {0};
    struct fal_pcapng_reader reader = {0};
    struct fal_pcapng_block block;
    size_t at = 0;

    make_section(&m);
    make_interface(&m, 1, 0, -1, 0);
    begin(&m, 3);
    put(&m, 4, 4);
    put(&m, 0x11223344, 4);
    end(&m);
    for (int i = 0; i < 3; i++)
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
    ck_assert_uint_eq(block.packet.caplen, 4);
}
END_TEST

static const struct {
    int tsresol;
    int64_t tsoffset;
    uint64_t ticks, ns;
} times[] = {
    {-1, 0, 1, 1000},
    {0, 0, 3, UINT64_C(3000000000)},
    {3, 0, 1234, UINT64_C(1234000000)},
    {9, 0, UINT64_C(1700000000123456789), UINT64_C(1700000000123456789)},
    {12, 0, 1999, 1},
    {18, 0, UINT64_C(1500000000000000000), UINT64_C(1500000000)},
    {19, 0, UINT64_C(10000000000000000000), UINT64_C(1000000000)},
    {20, 0, UINT64_C(10000000000000000000), UINT64_C(100000000)},
    {127, 0, UINT64_MAX, 0},
    {0, 0, UINT64_MAX, INT64_MAX},
    {6, 0, UINT64_MAX, INT64_MAX},
    {9, 5, 7, UINT64_C(5000000007)},
    {9, -5, UINT64_C(6000000007), UINT64_C(1000000007)},
    {9, -7, UINT64_C(6000000007), 0},
    {9, INT64_MAX, UINT64_MAX, INT64_MAX},
    {9, INT64_MIN, UINT64_MAX, 0},
    {0x80, 0, 2, UINT64_C(2000000000)},
    {0x80 + 1, 0, 3, UINT64_C(1500000000)},
    {0x80 + 32, 0, UINT64_C(0x180000000), UINT64_C(1500000000)},
    {0x80 + 32, 0, UINT64_MAX, UINT64_C(4294967295999999999)},
    {0x80 + 34, 0, (UINT64_C(1) << 34) - 1, 999999999},
    {0x80 + 40, 0, (UINT64_C(1) << 40) - 1, 999999999},
    {0x80 + 63, 0, UINT64_C(0xc000000000000000), UINT64_C(1500000000)},
    {0x80 + 64, 0, UINT64_C(0x8000000000000000), 500000000},
    {0x80 + 127, 0, UINT64_MAX, 0},
};

START_TEST(any_unit_of_time_becomes_nanoseconds)
{
    struct maker m = {.big_endian = (_i & 1) != 0};
    struct fal_pcapng_reader reader = {0};
    struct fal_pcapng_block block = {0};
    size_t at = 0;

    make_section(&m);
    make_interface(&m, 1, 0, times[_i].tsresol, times[_i].tsoffset);
    make_packet(&m, 0, times[_i].ticks, 0, 0, 0);
    while (at < m.len)
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
    ck_assert_uint_eq(block.packet.ts_ns, times[_i].ns);
}
END_TEST

/* ---- hostile blocks ---- */

/* Reads blocks until one is refused: its text, or "" when none is. Every block lies in memory
 * of exactly its length. */
static struct fal_error read_all(const uint8_t *bytes, size_t len)
{
    struct fal_pcapng_reader *reader = calloc(1, sizeof *reader);
    struct fal_error err = {{0}};
    size_t at = 0;
    int status = 0;

    ck_assert_ptr_nonnull(reader);
    while (status == 0 && len - at >= FAL_PCAPNG_HEAD_LEN) {
        struct fal_pcapng_block block;
        enum fal_pcapng_kind kind;
        uint32_t block_len;
        uint8_t *copy;

        if (fal_pcapng_head(reader, bytes + at, &kind, &block_len, &err) != 0)
            break;
        if (block_len > len - at)
            block_len = (uint32_t)(len - at);
        copy = malloc(block_len);
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, bytes + at, block_len);
        status = fal_pcapng_read(reader, copy, block_len, &block, &err);
        if (status == 0 && block.kind == FAL_PCAPNG_PACKET) {
            ck_assert_uint_le(block.packet.caplen, block.packet.len);
            ck_assert(block.packet.bytes >= copy);
            ck_assert(block.packet.bytes + block.packet.caplen <= copy + block_len);
            for (size_t i = 0; i < block.packet.num_comments; i++)
                ck_assert(block.packet.comments[i].bytes + block.packet.comments[i].len <=
                          copy + block_len);
        }
        ck_assert_uint_le(reader->num_interfaces, FAL_PCAPNG_INTERFACES_MAX);
        free(copy);
        at += block_len;
    }
    free(reader);
    return err;
}

/* One four-byte word of the golden file replaced, and the expected message. */
static const struct {
    size_t at;
    uint32_t word;
    const char *text;
} spoilt[] = {
    {0, 1, "no pcapng section"},
    {8, 0x1a2b3c4e, "byte-order magic"},
    {4, 41, "cannot have 41 bytes"},
    {4, 8, "cannot have 8 bytes"},
    {4, 0, "cannot have 0 bytes"},
    {4, 0xfffffffc, "of which 148 are there"},
    {4, 36, "two lengths differ"},
    {12, 2, "version 2"},
    {36, 44, "two lengths differ: 40, 44"},
    {40 + 16, 0x00030000 | 2, ""}, /* the name's length is in the upper half */
    {40 + 16, 0xffff0002, "option 2 runs out of its block: it has 65535 bytes"},
    {40 + 24, 0x00020009, "option 9 cannot have 2 bytes"},
    {80 + 8, 1, "interface 1, which no block"},
    {80 + 8, 0xffffffff, "interface 4294967295"},
    {80 + 20, 77, "77 bytes in a block that has 36"},
    {80 + 20, 0xffffffff, "4294967295 bytes in a block"},
    {80 + 20, 0x7fffffff, "2147483647 bytes in a block"},
    {80 + 40, 0x00030002, "option 2 cannot have 3 bytes"},
    {80 + 48, 0x00040005, "option 5 cannot have 4 bytes"},
    {80 + 32, 0xfff00001, "option 1 runs out of its block"},
    {80 + 32, 0x001d0001, "option 1 runs out of its block: it has 29 bytes"},
};

START_TEST(damage_is_named)
{
    uint8_t bytes[sizeof golden];
    struct fal_error err;

    memcpy(bytes, golden, sizeof golden);
    for (size_t i = 0; i < 4; i++)
        bytes[spoilt[_i].at + i] = (uint8_t)(spoilt[_i].word >> 8 * i);
    err = read_all(bytes, sizeof bytes);
    if (*spoilt[_i].text == 0)
        ck_assert_str_eq(err.text, "");
    else
        ck_assert_msg(strstr(err.text, spoilt[_i].text) != NULL, "%s; due: %s", err.text,
                      spoilt[_i].text);
}
END_TEST

START_TEST(frames_have_a_longest)
{
    size_t len = FAL_PCAPNG_FRAME_MAX + 4 + 32;
    uint8_t *block = calloc(1, len);
    struct fal_pcapng_reader reader = {.in_section = true, .num_interfaces = 1};
    struct fal_pcapng_block out;
    struct fal_error err = {{0}};
    struct maker m = {.len = 0};

    put(&m, 6, 4);
    put(&m, len, 4);
    put(&m, 0, 4);
    put(&m, 0, 8);
    put(&m, FAL_PCAPNG_FRAME_MAX + 1, 4);
    memcpy(block, m.bytes, m.len);
    memcpy(block + len - 4, m.bytes + 4, 4);
    ck_assert_int_eq(fal_pcapng_read(&reader, block, len, &out, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "more than any frame"));
    free(block);
}
END_TEST

START_TEST(interfaces_have_an_end)
{
    struct fal_pcapng_reader *reader = calloc(1, sizeof *reader);
    struct fal_pcapng_block block;
    struct fal_error err = {{0}};
    struct maker m = {.len = 0};

    make_section(&m);
    (void)read_at(reader, m.bytes, m.len, &block);
    m.len = 0;
    make_interface(&m, 1, 0, 9, 0);
    for (int i = 0; i < FAL_PCAPNG_INTERFACES_MAX; i++)
        (void)read_at(reader, m.bytes, m.len, &block);
    ck_assert_int_eq(fal_pcapng_read(reader, m.bytes, m.len, &block, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "more than 256 interfaces"));
    free(reader);
}
END_TEST

START_TEST(comments_beyond_the_room_are_counted)
{
    struct maker m = {.len = 0};
    struct fal_pcapng_reader reader = {0};
    struct fal_pcapng_block block;
    size_t at = 0;

    make_section(&m);
    make_interface(&m, 1, 0, 9, 0);
    begin(&m, 6);
    put(&m, 0, 4);
    put(&m, 0, 8);
    put(&m, 0, 8);
    for (int i = 0; i < FAL_PCAPNG_COMMENTS_MAX + 3; i++) {
        put(&m, 1, 2);
        put(&m, 1, 2);
        put(&m, 'a' + (unsigned)i, 4);
    }
    end(&m);
    while (at < m.len)
        at += read_at(&reader, m.bytes + at, m.len - at, &block);
    ck_assert_uint_eq(block.packet.num_comments, FAL_PCAPNG_COMMENTS_MAX);
    ck_assert_uint_eq(block.packet.comments_dropped, 3);
    ck_assert_uint_eq(block.packet.comments[15].bytes[0], 'a' + 15);
}
END_TEST

/* Bytes of a file flipped, blocks cut: nothing is read beyond its block. */
START_TEST(noise_ends_in_a_value_or_an_error)
{
    const uint64_t seed = test_seed(1);
    uint64_t state = seed;
    uint8_t bytes[sizeof golden];

    for (int round = 0; round < 20000; round++) {
        size_t len = sizeof bytes -
                     (test_random(&state) % 4 == 0 ? test_random(&state) % (sizeof bytes) : 0);

        memcpy(bytes, golden, sizeof golden);
        for (uint64_t n = test_random(&state) % 4; n > 0; n--)
            bytes[test_random(&state) % sizeof bytes] = (uint8_t)test_random(&state);
        (void)read_all(bytes, len);
    }
}
END_TEST

/* write, read, write: the same bytes, for random packets. */
START_TEST(random_packets_come_back)
{
    const uint64_t seed = test_seed(1);
    uint64_t state = seed;
    uint8_t data[64], first[1024], second[1024];

    test_random_bytes(&state, data, sizeof data);
    for (int round = 0; round < 20000; round++) {
        struct fal_pcapng_reader reader = {
            .in_section = true, .num_interfaces = 8, .interfaces = {{.tsresol = 9}}};
        struct fal_pcapng_packet packet = {
            .interface = 0,
            .ts_ns = test_random(&state) >> 1,
            .caplen = (uint32_t)(test_random(&state) % sizeof data),
            .bytes = data,
            .has_id = test_random(&state) % 2 == 0,
            .id = test_random(&state),
            .has_flags = test_random(&state) % 2 == 0,
            .flags = (uint32_t)test_random(&state),
            .num_comments = test_random(&state) % 5,
        };
        struct fal_pcapng_block block;
        int n;

        packet.len = packet.caplen + (uint32_t)(test_random(&state) % 3);
        for (size_t i = 0; i < packet.num_comments; i++)
            packet.comments[i] = (struct fal_span){data, test_random(&state) % sizeof data};
        n = fal_pcapng_write_packet(&packet, first, sizeof first);
        ck_assert_msg(n > 0, "TALON_SEED=%llu", (unsigned long long)seed);
        ck_assert_int_eq(fal_pcapng_read(&reader, first, (size_t)n, &block, NULL), 0);
        /* near the end of time the reader stops short of it */
        if (packet.ts_ns / 1000000000 < INT64_MAX / 1000000000)
            ck_assert_uint_eq(block.packet.ts_ns, packet.ts_ns);
        block.packet.ts_ns = packet.ts_ns;
        ck_assert_msg(fal_pcapng_write_packet(&block.packet, second, sizeof second) == n &&
                          memcmp(first, second, (size_t)n) == 0,
                      "TALON_SEED=%llu, round %d", (unsigned long long)seed, round);
    }
}
END_TEST

START_TEST(names_of_addresses_are_written)
{
    static const uint8_t due[] = {
        4, 0, 0,  0, 44,  0, 0, 0,                                     /* the block */
        1, 0, 8,  0, 192, 0, 2, 2, 's', 'u', 't', 0,                   /* fits */
        1, 0, 11, 0, 192, 0, 2, 1, 't', 'e', 's', 't', 'e', 'r', 0, 0, /* padded */
        0, 0, 0,  0, 44,  0, 0, 0,
    };
    const struct fal_pcapng_name names[] = {{0xc0000202, "sut"}, {0xc0000201, "tester"}};
    uint8_t block[64];
    int len = fal_pcapng_write_names(names, 2, block, sizeof block);

    ck_assert_int_eq(len, sizeof due);
    ck_assert_mem_eq(block, due, sizeof due);
    for (int cap = 0; cap < len; cap++)
        ck_assert_int_eq(fal_pcapng_write_names(names, 2, block, (size_t)cap), FAL_ERR_SHORT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pcapng");
    TCase *tc = tcase_create("pcapng");

    tcase_add_test(tc, blocks_are_written_to_the_byte);
    tcase_add_test(tc, what_was_written_is_read);
    tcase_add_test(tc, room_is_needed_to_the_byte);
    tcase_add_test(tc, what_a_block_cannot_hold_is_refused);
    tcase_add_loop_test(tc, either_byte_order_and_several_sections, 0, 2);
    tcase_add_loop_test(tc, simple_and_old_packets, 0, 2);
    tcase_add_test(tc, a_snaplen_of_0_cuts_nothing);
    tcase_add_loop_test(tc, any_unit_of_time_becomes_nanoseconds, 0,
                        (int)(sizeof times / sizeof *times));
    tcase_add_loop_test(tc, damage_is_named, 0, (int)(sizeof spoilt / sizeof *spoilt));
    tcase_add_test(tc, frames_have_a_longest);
    tcase_add_test(tc, interfaces_have_an_end);
    tcase_add_test(tc, comments_beyond_the_room_are_counted);
    tcase_add_test(tc, noise_ends_in_a_value_or_an_error);
    tcase_add_test(tc, random_packets_come_back);
    tcase_add_test(tc, names_of_addresses_are_written);
    suite_add_tcase(suite, tc);
    return suite;
}
