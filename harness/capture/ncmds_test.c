/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/ncmds.h"

#include "tests/testing.h"

#include <string.h>

enum { FUNCTION = 5, ICMD = 70, TAG = 900 };

struct fixture {
    struct tl_ncmds *ncmds;
    uint32_t rsn;
};

static struct tl_ncmds_place say(struct fixture *f, enum fal_verbs_phase phase,
                                 struct fal_nvme_word word)
{
    struct fal_ev_nvme event = {.phase = phase, .ok = true, .word = &word};

    return tl_ncmds_take_word(f->ncmds, &event);
}

static struct tl_ncmds_place post(struct fixture *f, uint64_t cmd, enum fal_nvme_op op,
                                  uint64_t slba, uint32_t nlb0)
{
    return say(f, FAL_VERBS_ASKED,
               (struct fal_nvme_word){.kind = FAL_NVME_POST,
                                      .cmd = cmd,
                                      .op = op,
                                      .nsid = 1,
                                      .slba = slba,
                                      .nlb0 = nlb0});
}

/* A request for the n-th nCMD of a command whose identifier is `icmd`. */
static struct fal_nvme request(enum fal_nvme_type type, uint32_t icmd, uint8_t n, uint64_t slba,
                               uint16_t nlb0)
{
    return (struct fal_nvme){.packet_type = (uint8_t)type,
                             .initiator_function = FUNCTION,
                             .icmd_identifier = icmd,
                             .initiator_tag = TAG + icmd * 256 + n,
                             .ncnt_offset = n,
                             .ncnt_total = 3,
                             .initiator_nsid = 1,
                             .target_nsid = 9,
                             .target_sqid = 4,
                             .slba = slba,
                             .nlb = nlb0};
}

static struct tl_ncmds_place take(struct fixture *f, bool to_sut, struct fal_nvme header)
{
    struct fal_falcon falcon = {.rsn = f->rsn++};
    struct fal_ulp ulp = {.state = FAL_ULP_READ, .protocol = FAL_PROTOCOL_NVME};

    ulp.nvme = header;
    return tl_ncmds_take_packet(
        f->ncmds,
        &(struct tl_ncmds_packet){.conn = 1, .to_sut = to_sut, .falcon = &falcon, .ulp = &ulp});
}

static void is(struct tl_ncmds_place place, uint64_t command, unsigned part, unsigned ncmd)
{
    ck_assert_uint_eq(place.command, command);
    ck_assert_uint_eq(place.part, part);
    ck_assert_uint_eq(place.ncmd, ncmd);
}

static struct fixture begin(void)
{
    struct fixture f = {.ncmds = tl_ncmds_new()};

    ck_assert_ptr_nonnull(f.ncmds);
    return f;
}

/* Two commands are open at once, and their packets mix. */
START_TEST(packets_and_completion_go_with_the_command_that_was_posted)
{
    struct fixture f = begin();
    struct fal_nvme answer = request(FAL_NVME_READ_RESPONSE, ICMD, 1, 0, 0);

    (void)say(&f, FAL_VERBS_ASKED,
              (struct fal_nvme_word){.kind = FAL_NVME_NS, .nsid = 1, .block_shift = 12});
    is(post(&f, 11, FAL_NVME_READ, 0x1003, 3), 1, 0, 0);
    is(post(&f, 12, FAL_NVME_READ, 0x2005, 3), 2, 0, 0);
    is(take(&f, false, request(FAL_NVME_READ_REQUEST, ICMD + 1, 0, 0x705, 3)), 2, 0, 1);
    is(take(&f, false, request(FAL_NVME_READ_REQUEST, ICMD, 0, 0x803, 3)), 1, 0, 1);
    is(take(&f, false, request(FAL_NVME_READ_REQUEST, ICMD, 1, 0x803, 3)), 1, 0, 2);
    is(take(&f, true, answer), 1, 0, 2);
    is(say(&f, FAL_VERBS_TOLD, (struct fal_nvme_word){.kind = FAL_NVME_CQE, .cmd = 12}), 2, 0,
       0);
    is(say(&f, FAL_VERBS_TOLD, (struct fal_nvme_word){.kind = FAL_NVME_CQE, .cmd = 13}), 0, 0,
       0);
    /* The same tag in the other direction is of another end. */
    is(take(&f, false, answer), 0, 0, 0);
    tl_ncmds_free(f.ncmds);
}
END_TEST

START_TEST(parts_of_a_split_command_are_told_apart)
{
    struct fixture f = begin();
    struct fal_nvme first = request(FAL_NVME_WRITE_REQUEST, ICMD, 0, 0x7f, 0), second, data;

    first.s = 1;
    second = request(FAL_NVME_WRITE_REQUEST, ICMD, 1, 0x140, 0);
    second.s = second.ng = 1;
    data = second;
    data.packet_type = FAL_NVME_WRITE_DATA_REQUEST;
    (void)post(&f, 1, FAL_NVME_READ, 0x3f, 1); /* another operation */
    is(post(&f, 2, FAL_NVME_WRITE, 0x3f, 1), 2, 0, 0);
    is(take(&f, false, second), 2, 2, 2);
    is(take(&f, false, first), 2, 1, 1);
    is(take(&f, true, data), 2, 2, 2);
    data.packet_type = FAL_NVME_WRITE_DATA_RESPONSE;
    is(take(&f, false, data), 2, 2, 2);
    tl_ncmds_free(f.ncmds);
}
END_TEST

/* The SUT is a target: no command was posted, and a device gets it. */
START_TEST(a_command_at_a_device_goes_with_its_requests)
{
    struct fixture f = begin();
    struct fal_nvme_word given = {.kind = FAL_NVME_DEV_CMD,
                                  .dcmd = 6,
                                  .op = FAL_NVME_WRITE,
                                  .nsid = 9,
                                  .sqid = 4,
                                  .slba = 0x40,
                                  .nlb0 = 1};

    is(take(&f, true, request(FAL_NVME_WRITE_REQUEST, ICMD, 0, 0x40, 1)), 1, 0, 1);
    is(say(&f, FAL_VERBS_TOLD, given), 1, 0, 0);
    is(say(&f, FAL_VERBS_ASKED,
           (struct fal_nvme_word){.kind = FAL_NVME_DEV_COMPLETE, .dcmd = 6}),
       1, 0, 0);
    is(say(&f, FAL_VERBS_ASKED,
           (struct fal_nvme_word){.kind = FAL_NVME_DEV_COMPLETE, .dcmd = 7}),
       0, 0, 0);
    given.slba++;
    is(say(&f, FAL_VERBS_TOLD, given), 0, 0, 0);
    tl_ncmds_free(f.ncmds);
}
END_TEST

/* A retransmission is no new command; a request with an identifier that is used again is. */
START_TEST(identifiers_are_used_again)
{
    struct fixture f = begin();
    struct fal_nvme header = request(FAL_NVME_READ_REQUEST, ICMD, 0, 0, 0);

    is(take(&f, false, header), 1, 0, 1);
    f.rsn--;
    is(take(&f, false, header), 1, 0, 1);
    header.initiator_tag += 7;
    is(take(&f, false, header), 2, 0, 1);
    header.packet_type = FAL_NVME_READ_RESPONSE;
    is(take(&f, true, header), 2, 0, 1);
    header.initiator_tag += 7; /* a wrong tag: the place in the command tells */
    is(take(&f, true, header), 2, 0, 1);
    header.icmd_identifier++;
    is(take(&f, true, header), 0, 0, 0);
    tl_ncmds_free(f.ncmds);
}
END_TEST

START_TEST(places_have_words)
{
    char text[TL_NCMDS_TEXT];

    (void)tl_ncmds_text(&(struct tl_ncmds_place){3, 2, 4, 8}, text, sizeof text);
    ck_assert_str_eq(text, "command 3, part 2, nCMD 4 of 8");
    (void)tl_ncmds_text(&(struct tl_ncmds_place){3, 0, 0, 0}, text, sizeof text);
    ck_assert_str_eq(text, "command 3");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ncmds");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, packets_and_completion_go_with_the_command_that_was_posted);
    tcase_add_test(tc, parts_of_a_split_command_are_told_apart);
    tcase_add_test(tc, a_command_at_a_device_goes_with_its_requests);
    tcase_add_test(tc, identifiers_are_used_again);
    tcase_add_test(tc, places_have_words);
    suite_add_tcase(suite, tc);
    return suite;
}
