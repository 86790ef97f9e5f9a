/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/replay.h"
#include "tests/testing.h"

#include <string.h>

#define HEAD "{\"schema\":\"talon/timeline/1\"}\n"

static bool same(const char *a, const char *b)
{
    return tl_replay_same_timeline(a, strlen(a), b, strlen(b));
}

START_TEST(words_and_kinds_of_own_events_may_differ)
{
    ck_assert(same(HEAD, HEAD));
    ck_assert(same(HEAD "{\"event\":\"step\",\"t_ns\":5,\"step\":1,\"text\":\"old\"}\n",
                   HEAD "{\"event\":\"step\",\"t_ns\":5,\"step\":1,\"text\":\"new\"}\n"));
    ck_assert(same(HEAD
                   "{\"event\":\"internal\",\"index\":4,\"t_ns\":5,\"text\":\"a timer\"}\n",
                   HEAD "{\"event\":\"bench\",\"index\":4,\"t_ns\":5,\"what\":\"timer\"}\n"));
}
END_TEST

START_TEST(everything_else_must_be_equal)
{
    static const char packet[] = HEAD "{\"event\":\"packet\",\"t_ns\":5,\"bytes\":\"00\"}\n";

    ck_assert(!same(packet, HEAD "{\"event\":\"packet\",\"t_ns\":6,\"bytes\":\"00\"}\n"));
    ck_assert(!same(packet, HEAD "{\"event\":\"packet\",\"t_ns\":5,\"bytes\":\"01\"}\n"));
    ck_assert(!same(packet, HEAD));
    ck_assert(!same(HEAD, packet));
    ck_assert(!same(HEAD "{\"event\":\"note\",\"t_ns\":5}\n",
                    HEAD "{\"event\":\"bench\",\"t_ns\":6}\n"));
    ck_assert(!same(HEAD "{\"event\":\"note\",\"t_ns\":5}\n",
                    HEAD "{\"event\":\"mark\",\"t_ns\":5}\n"));
    ck_assert(!same(HEAD "garbage", HEAD "garbagE"));
    ck_assert(same(HEAD "garbage", HEAD "garbage"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("replay_timeline");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, words_and_kinds_of_own_events_may_differ);
    tcase_add_test(tc, everything_else_must_be_equal);
    suite_add_tcase(suite, tc);
    return suite;
}
