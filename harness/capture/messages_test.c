/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/messages.h"

#include "tests/testing.h"

#include <string.h>

/* A packet of a test: operation, RSN, offset of a SEND or address of a WRITE, RMSN, data. */
struct row {
    const char *name;
    uint32_t rsn;
    uint64_t at;
    uint32_t rmsn, data;
};

static unsigned opcode_of(const char *name)
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_rdma_kind *kind = fal_rdma_kind(opcode);

        if (kind != NULL && strcmp(kind->name, name) == 0)
            return opcode;
    }
    ck_abort_msg("%s", name);
}

/* Both directions of one connection: requests go one way, responses the other. */
static bool take(struct tl_messages *messages, const struct row *row, uint64_t at,
                 struct tl_message_part *part)
{
    struct fal_falcon falcon = {.protocol_type = FAL_PROTOCOL_RDMA, .rsn = row->rsn};
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_RDMA};
    const struct fal_rdma_kind *kind = fal_rdma_kind(opcode_of(row->name));
    bool response;

    falcon.packet_type = (uint8_t)kind->packet;
    response = falcon.packet_type == FAL_PULL_DATA;
    ulp.rdma.rbth.opcode = (uint8_t)opcode_of(row->name);
    ulp.rdma.rbth.sequence_number = row->rsn + 1;
    ulp.rdma.seth.rmsn = row->rmsn;
    ulp.rdma.oeth.message_offset = (uint32_t)row->at;
    ulp.rdma.reth.virtual_address = row->at;
    ulp.rdma.reth.length = row->data;
    ulp.rdma.steth.virtual_address = row->at;
    ulp.size_bytes = fal_rdma_size(kind);
    return tl_messages_take(
        messages,
        &(struct tl_message_packet){.flow = response ? 2 : 1,
                                    .to = response ? 2 : 1,
                                    .back = response ? 1 : 2,
                                    .falcon = &falcon,
                                    .ulp = &ulp,
                                    .payload_len = ulp.size_bytes + row->data,
                                    .at = at},
        part);
}

/* Plays the rows, and compares the texts; "" for a packet that is a message by itself. */
static void says(const struct row *rows, const char *const *texts, size_t n)
{
    struct tl_messages *messages = tl_messages_new(16);

    ck_assert_ptr_nonnull(messages);
    for (size_t i = 0; i < n; i++) {
        struct tl_message_part part;
        char text[TL_MESSAGE_TEXT] = "";

        if (take(messages, &rows[i], i + 1, &part))
            ck_assert_int_lt(tl_message_text(&part, "frame", text, sizeof text),
                             (int)sizeof text);
        ck_assert_str_eq(text, texts[i]);
    }
    tl_messages_free(messages);
}

#define SAYS(rows, ...)                                                                 \
    do {                                                                                \
        const char *const texts[] = {__VA_ARGS__};                                      \
                                                                                        \
        ck_assert_uint_eq(sizeof(rows) / sizeof *(rows), sizeof texts / sizeof *texts); \
        says(rows, texts, sizeof texts / sizeof *texts);                                \
    } while (0)

START_TEST(RDMA_6_7_segments_of_a_send_are_one_message)
{
    const struct row rows[] = {{"send_first", 0, 0, 1, 256},
                               {"send_only", 9, 0, 2, 4},
                               {"send_middle", 1, 256, 1, 256},
                               {"send_last_imm", 2, 512, 1, 88}};

    SAYS(rows, "message 1: send, bytes 0 to 255", "", "message 1: send, bytes 256 to 511",
         "message 1: send, bytes 512 to 599, whole: 3 packets, 600 bytes");
}
END_TEST

START_TEST(RDMA_6_7_segments_of_a_write_are_one_message)
{
    const struct row rows[] = {{"write_first", 0, 0x1000, 0, 256},
                               {"write_middle", 1, 0x1100, 0, 256},
                               {"write_last", 2, 0x1200, 0, 4},
                               {"write_first", 3, 0x1000, 0, 256},
                               {"write_last", 4, 0x1100, 0, 1}};

    SAYS(rows, "message 1: write, bytes 0 to 255", "message 1: write, bytes 256 to 511",
         "message 1: write, bytes 512 to 515, whole: 3 packets, 516 bytes",
         "message 2: write, bytes 0 to 255",
         "message 2: write, bytes 256 to 256, whole: 2 packets, 257 bytes");
}
END_TEST

START_TEST(segments_that_arrive_in_any_order)
{
    const struct row sends[] = {{"send_last", 2, 512, 7, 1},
                                {"send_first", 0, 0, 7, 256},
                                {"send_middle", 1, 256, 7, 256}};
    const struct row writes[] = {{"write_middle", 1, 0x1100, 0, 256},
                                 {"write_last", 3, 0x1300, 0, 16},
                                 {"write_first", 0, 0x1000, 0, 256},
                                 {"write_middle", 2, 0x1200, 0, 256}};

    SAYS(sends, "message 1: send, bytes 512 to 512", "message 1: send, bytes 0 to 255",
         "message 1: send, bytes 256 to 511, whole: 3 packets, 513 bytes");
    SAYS(writes, "message 1: write", "message 1: write", "message 1: write, bytes 0 to 255",
         "message 1: write, bytes 512 to 767, whole: 4 packets, 784 bytes");
}
END_TEST

/* RDMA 6.4: on unordered connections segments of messages interleave. */
START_TEST(segments_that_interleave)
{
    const struct row rows[] = {{"send_first", 0, 0, 1, 256}, {"write_first", 1, 0x9000, 0, 256},
                               {"send_first", 2, 0, 2, 256}, {"write_last", 3, 0x9100, 0, 8},
                               {"send_last", 4, 256, 2, 8},  {"send_last", 5, 256, 1, 8}};

    SAYS(rows, "message 1: send, bytes 0 to 255", "message 2: write, bytes 0 to 255",
         "message 3: send, bytes 0 to 255",
         "message 2: write, bytes 256 to 263, whole: 2 packets, 264 bytes",
         "message 3: send, bytes 256 to 263, whole: 2 packets, 264 bytes",
         "message 1: send, bytes 256 to 263, whole: 2 packets, 264 bytes");
}
END_TEST

START_TEST(a_retransmission_counts_once)
{
    const struct row rows[] = {{"send_first", 0, 0, 1, 256},
                               {"send_first", 0, 0, 1, 256},
                               {"send_last", 1, 256, 1, 8},
                               {"send_last", 1, 256, 1, 8}};

    SAYS(rows, "message 1: send, bytes 0 to 255", "message 1: send, bytes 0 to 255, again",
         "message 1: send, bytes 256 to 263, whole: 2 packets, 264 bytes",
         "message 1: send, bytes 256 to 263, again");
}
END_TEST

START_TEST(RDMA_8_3_4_a_response_belongs_to_its_request)
{
    const struct row rows[] = {
        {"read_request", 4, 0x5000, 0, 300},       {"atomic_fetch_add", 5, 0x6000, 0, 0},
        {"atomic_response", 5, 0x6000, 0, 0},      {"read_response_only", 4, 0x5000, 0, 300},
        {"read_response_only", 4, 0x5000, 0, 300}, {"read_response_only", 8, 0x5000, 0, 300}};

    SAYS(rows, "message 1: read of 300 bytes", "message 2: atomic operation",
         "message 2: atomic operation, response", "message 1: read, response",
         "message 1: read, response, again", "");
}
END_TEST

START_TEST(a_message_can_be_named_by_its_first_packet)
{
    char text[TL_MESSAGE_TEXT];

    ck_assert_int_gt(tl_message_text(&(struct tl_message_part){.first_at = 7,
                                                               .kind = TL_MESSAGE_SEND,
                                                               .has_offset = true,
                                                               .offset = 256,
                                                               .len = 4},
                                     "frame", text, sizeof text),
                     0);
    ck_assert_str_eq(text, "message of frame 7: send, bytes 256 to 259");
}
END_TEST

/* More messages than are kept: the oldest are forgotten, and nothing else happens. */
START_TEST(old_messages_are_forgotten)
{
    struct tl_messages *messages = tl_messages_new(16);
    struct tl_message_part part;

    for (uint32_t i = 0; i < 2000; i++)
        ck_assert(take(messages, &(struct row){"send_first", i, 0, i, 256}, i, &part));
    ck_assert_uint_eq(part.message, 2000);
    ck_assert(take(messages, &(struct row){"send_last", 3000, 256, 1999, 1}, 1, &part));
    ck_assert_uint_eq(part.message, 2000);
    ck_assert(part.whole);
    ck_assert(take(messages, &(struct row){"send_last", 3001, 256, 7, 1}, 1, &part));
    ck_assert_uint_eq(part.message, 2001);
    ck_assert(!part.whole);
    for (uint32_t i = 0; i < 200; i++) /* more segments than RSNs are kept */
        (void)take(messages, &(struct row){"write_middle", 5000 + i, 256 * i, 0, 256}, i,
                   &part);
    ck_assert_uint_eq(part.packets, 200);
    tl_messages_free(messages);
    tl_messages_free(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("messages of RDMA");
    TCase *tc = tcase_create("messages of RDMA");

    tcase_add_test(tc, RDMA_6_7_segments_of_a_send_are_one_message);
    tcase_add_test(tc, RDMA_6_7_segments_of_a_write_are_one_message);
    tcase_add_test(tc, segments_that_arrive_in_any_order);
    tcase_add_test(tc, segments_that_interleave);
    tcase_add_test(tc, a_retransmission_counts_once);
    tcase_add_test(tc, RDMA_8_3_4_a_response_belongs_to_its_request);
    tcase_add_test(tc, a_message_can_be_named_by_its_first_packet);
    tcase_add_test(tc, old_messages_are_forgotten);
    suite_add_tcase(suite, tc);
    return suite;
}
