/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

#define REQUEST(n, tags) "> push_data psn=" #n "r rsn=" #n "r / nvme read_request " tags
#define ANSWER(tags)     "< push_data psn=0r rsn=0r / nvme read_response data=4096 " tags

static const struct kind later = {.run = {RUN_VIRTUAL, .delay_max_ns = 0}, .unknown = true};

static struct outcome nv7(const struct kind *kind, const char *const *lines)
{
    return judged("NV7", kind, lines);
}

START_TEST(NVME_8_2_11_answers_copy_the_tags)
{
    const char *request = REQUEST(0, "ifn=5 itag=1 icmd=3");

    ck_holds(nv7(&clean, LINES(request, ANSWER("ifn=5 itag=1 icmd=3"))), 1);
    ck_breaks(nv7(&clean, LINES(request, ANSWER("ifn=5 itag=2 icmd=3"))), "NVME-8.2-11", 1);
    ck_breaks(nv7(&clean, LINES(request, ANSWER("ifn=5 itag=1 icmd=4"))), "NVME-8.2-13", 1);
    ck_breaks(nv7(&clean, LINES(request, ANSWER("ifn=6 itag=1 icmd=3"))), "NVME-8.2-04", 1);
    /* AMB-N05: nothing else */
    ck_holds(nv7(&clean, LINES(request, ANSWER("ifn=5 itag=1 icmd=3 ncmd=7 ng s ttag=9"))), 1);
    /* a request in between was not seen, whose answer it may be */
    ck_undecided(nv7(&clean, LINES(request, REQUEST(2, "ifn=5 itag=9 icmd=9"),
                                   ANSWER("ifn=5 itag=2 icmd=3"))),
                 1);
}
END_TEST

/* The SUT is the initiator. */
#define OUT(n, tags) "< push_data psn=" #n "r rsn=" #n "r / nvme write_request " tags
#define IN(n, tags)  "> push_data psn=" #n "r rsn=" #n "r / nvme write_completion " tags

START_TEST(NVME_8_2_11_an_open_tag_is_not_used_again)
{
    ck_holds(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3"), OUT(1, "ifn=5 itag=2 icmd=4"))),
             2);
    ck_breaks(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3"), OUT(1, "ifn=5 itag=1 icmd=4"))),
              "NVME-8.2-11", 1);
    ck_holds(
        nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3"), IN(0, "ifn=5 itag=1 icmd=3 status=1"),
                          OUT(1, "ifn=5 itag=1 icmd=4"))),
        2);
    ck_holds(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3"), OUT(1, "ifn=6 itag=1 icmd=3"))),
             2);
}
END_TEST

START_TEST(NVME_8_2_13_open_commands_have_different_identifiers)
{
    ck_holds(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3 total=1"),
                               OUT(1, "ifn=5 itag=2 icmd=3 total=1 ncmd=1"))),
             2);
    /* the two parts of a split command */
    ck_holds(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3 s total=1"),
                               OUT(1, "ifn=5 itag=2 icmd=3 s ng total=1 ncmd=1"))),
             2);
}
END_TEST

/* Commands whose queues are not known. */
START_TEST(reading_amb_n24_an_identifier_of_each_queue)
{
    ck_warns(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3"), OUT(1, "ifn=5 itag=2 icmd=3"))),
             "NVME-8.2-13");
}
END_TEST

#define POST(cmd, queue)                                                                  \
    "nvme nvme_post {\"cmd\":" #cmd ",\"op\":\"write\",\"nsid\":1,\"slba\":" #cmd "} -> " \
    "{\"sq\":" #queue ",\"cid\":4}"
#define SENT(n, tag) OUT(n, "ifn=5 insid=1 itag=" #tag " icmd=3 slba=" #tag " tnsid=9 sqid=3")
#define TABLES                                                                 \
    "nvme nvme_ns {\"nsid\":1,\"C\":0,\"S\":2,\"N\":0,\"block_shift\":12} -> " \
    "{\"function\":5,\"mdts\":1048576}",                                       \
        "nvme nvme_lba {\"index\":0,\"valid\":true,\"sqid\":3,\"target_nsid\":9} -> {}"

START_TEST(NVME_8_2_13_of_one_queue)
{
    ck_breaks(nv7(&clean, LINES(TABLES, POST(1, 1), POST(2, 1), SENT(0, 1), SENT(1, 2))),
              "NVME-8.2-13", 1);
    ck_warns(nv7(&clean, LINES(TABLES, POST(1, 1), POST(2, 2), SENT(0, 1), SENT(1, 2))),
             "NVME-8.2-13");
}
END_TEST

START_TEST(NVME_8_2_09_data_have_the_target_tag)
{
    const char *request = OUT(0, "ifn=5 itag=1 icmd=3"),
               *pull = "> pull_request psn=0r rsn=0r len=4132 / nvme write_data_request ifn=5 "
                       "itag=1 icmd=3 ttag=9";

    ck_holds(nv7(&clean, LINES(request, pull,
                               "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 "
                               "itag=1 icmd=3 ttag=9 data=4096")),
             2);
    ck_breaks(nv7(&clean, LINES(request, pull,
                                "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 "
                                "itag=1 icmd=3 ttag=0 data=4096")),
              "NVME-8.2-09", 1);
    ck_breaks(nv7(&clean, LINES(request, pull,
                                "< pull_data psn=1r rsn=0r / nvme write_data_response ifn=5 "
                                "itag=2 icmd=3 ttag=9 data=4096")),
              "NVME-8.2-11", 1);
}
END_TEST

/* A completion that is read late does not keep the identifier of its command open. */
START_TEST(NVME_8_2_13_an_identifier_is_free_when_all_is_answered)
{
    ck_holds(nv7(&clean, LINES(TABLES, POST(1, 1), POST(2, 1), SENT(0, 1),
                               IN(0, "ifn=5 itag=1 icmd=3 status=0"), SENT(1, 2))),
             2);
    ck_holds(nv7(&clean, LINES(TABLES, POST(1, 1),
                               "nvme nvme_post {\"cmd\":2,\"op\":\"write\",\"nsid\":1,"
                               "\"slba\":2,\"nlb0\":1} -> {\"sq\":1,\"cid\":4}",
                               SENT(0, 1), IN(0, "ifn=5 itag=1 icmd=3 status=0"),
                               OUT(1, "ifn=5 insid=1 itag=2 icmd=3 slba=2 nlb=1 total=1 "
                                      "ncmd=1 tnsid=9 sqid=3"))),
             2);
}
END_TEST

START_TEST(what_is_in_a_gap_may_explain_it)
{
    /* the request that the answer is for; the answer that freed the tag */
    ck_undecided(nv7(&clean, LINES(REQUEST(0, "ifn=5 itag=1 icmd=3"), "mark gap_in 1",
                                   ANSWER("ifn=5 itag=2 icmd=3"))),
                 1);
    ck_undecided(
        nv7(&later, LINES(REQUEST(0, "ifn=5 itag=1 icmd=3"), ANSWER("ifn=5 itag=2 icmd=3"))),
        1);
    ck_undecided(nv7(&clean, LINES(OUT(0, "ifn=5 itag=1 icmd=3"), "mark gap_in 1",
                                   OUT(1, "ifn=5 itag=1 icmd=4"))),
                 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("NV7");
    TCase *tcase = tcase_create("NV7");

    tcase_add_test(tcase, NVME_8_2_11_answers_copy_the_tags);
    tcase_add_test(tcase, NVME_8_2_11_an_open_tag_is_not_used_again);
    tcase_add_test(tcase, NVME_8_2_13_open_commands_have_different_identifiers);
    tcase_add_test(tcase, reading_amb_n24_an_identifier_of_each_queue);
    tcase_add_test(tcase, NVME_8_2_13_of_one_queue);
    tcase_add_test(tcase, NVME_8_2_13_an_identifier_is_free_when_all_is_answered);
    tcase_add_test(tcase, what_is_in_a_gap_may_explain_it);
    tcase_add_test(tcase, NVME_8_2_09_data_have_the_target_tag);
    suite_add_tcase(suite, tcase);
    return suite;
}
