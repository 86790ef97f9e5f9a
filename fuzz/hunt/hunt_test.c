/* SPDX-License-Identifier: Apache-2.0
 * hunt_test.c - cases of the stateful fuzzer: mutated cases stay valid scenarios, their claims
 * about packets stay true, they are reduced, and new behaviour is noticed. */
#include "fuzz/hunt/hunt.h"

#include "codecs/text/text.h"
#include "fuzz/hunt/hunt_lines.h"
#include "fuzz/hunt/hunt_map.h"
#include "tests/testing.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static json_t *parse(const char *text)
{
    json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    ck_assert_msg(doc != NULL, "%s", text);
    return doc;
}

/* A case with these members. */
static json_t *with(const char *members)
{
    json_t *doc = hunt_seed(0), *more = parse(members);

    ck_assert_ptr_nonnull(doc);
    (void)json_object_del(doc, "workload");
    ck_assert_int_eq(json_object_update(doc, more), 0);
    json_decref(more);
    return doc;
}

static bool is_scenario(const json_t *doc, char **errors)
{
    char *text = json_dumps(doc, 0);
    struct tl_scenario *s;

    ck_assert_ptr_nonnull(text);
    s = tl_scenario_read("t", text, strlen(text), errors);
    free(text);
    tl_scenario_free(s);
    return s != NULL;
}

START_TEST(every_plain_workload_is_lawful_and_a_scenario)
{
    size_t n = 0;

    for (json_t *doc; (doc = hunt_seed(n)) != NULL; n++) {
        json_t *whole = hunt_complete(doc), *back;
        char *errors = NULL;

        ck_assert(hunt_true(doc));
        ck_assert(hunt_lawful(doc));
        ck_assert_msg(is_scenario(whole, &errors), "%s", errors);
        back = json_deep_copy(whole);
        hunt_strip(back);
        ck_assert(json_equal(back, doc));
        json_decref(back);
        json_decref(whole);
        json_decref(doc);
    }
    ck_assert_uint_ge(n, 5);
}
END_TEST

/* Each promise comes and goes again: which one, the name says. */
START_TEST(a_promise_leaves_no_trace)
{
    enum { NAMES = 600 };
    size_t longer = 0;

    for (size_t i = 0; i < NAMES; i++) {
        json_t *doc = hunt_seed(i % 4), *whole, *back;
        char *errors = NULL;

        hunt_name(doc, i);
        if (i % 3 == 0)
            (void)json_object_del(doc, "workload");
        whole = hunt_complete(doc);
        ck_assert_msg(is_scenario(whole, &errors), "%s", errors);
        longer += json_array_size(json_object_get(whole, "steps")) > 30;
        back = json_deep_copy(whole);
        hunt_strip(back);
        ck_assert(json_equal(back, doc));
        json_decref(back);
        json_decref(whole);
        json_decref(doc);
    }
    ck_assert_uint_gt(longer, NAMES / 4);
}
END_TEST

/* Any number of changes on top of each other. */
START_TEST(whatever_is_changed_a_case_stays_a_scenario)
{
    uint64_t seed = test_seed(1);
    struct fal_rng rng = fal_rng_split(seed, 1);
    unsigned rejected = 0, all = 0, lawful = 0;

    for (unsigned chain = 0; chain < 60; chain++) {
        json_t *doc = hunt_seed(chain % 6), *other = hunt_seed((chain + 1) % 6);

        for (unsigned i = 0; i < 12; i++, all++) {
            json_t *whole;
            char *errors = NULL;

            ck_assert(hunt_mutate(doc, other, &rng));
            ck_assert_uint_le(json_array_size(json_object_get(doc, "steps")),
                              HUNT_STEPS_MAX + 8);
            lawful += hunt_lawful(doc);
            whole = hunt_complete(doc);
            rejected += !is_scenario(whole, &errors);
            free(errors);
            json_decref(whole);
        }
        json_decref(doc);
        json_decref(other);
    }
    ck_assert_msg(rejected * 8 < all, "%u of %u are no scenarios (%s)", rejected, all,
                  test_again(seed));
    ck_assert_msg(lawful * 20 > all, "%u of %u are lawful (%s)", lawful, all, test_again(seed));
}
END_TEST

/* A connection whose parameters a step changed, also one of a block, is promised nothing. */
START_TEST(no_promise_of_changed_parameters)
{
    for (size_t i = 0; i < 200; i++) {
        json_t *doc =
            with("{\"steps\": [{\"repeat\": 1, \"steps\": [{\"cm\": {\"do\": \"set\", "
                 "\"params\": {\"fcwnd\": 1}}}]}]}");
        json_t *whole;

        hunt_name(doc, i);
        whole = hunt_complete(doc);
        ck_assert_uint_lt(json_array_size(json_object_get(whole, "steps")), 30);
        json_decref(whole);
        json_decref(doc);
    }
}
END_TEST

#define PSP     "\"connection\": {\"encap\": \"psp_transport\"}, "
#define TURN(s) "{\"cm\": {\"do\": \"rotate_keys\", \"step\": \"" s "\"}}"
#define PEER    "{\"cm\": {\"do\": \"rotate_keys\", \"step\": \"peer\"}, \"side\": \"tester\"}"

/* What a case states about its packets must be true; otherwise a conforming SUT would fail. */
static const struct {
    const char *members;
    bool is_true;
} claims[] = {
    {"{\"steps\": [{\"send\": \"> push_data\"}]}", true},
    {"{" PSP
     "\"steps\": [{\"send\": \"> push_data len=64\"}, {\"send\": \"> push_data\", \"seal\": "
     "{\"behind\": \"$replay_margin\", \"bad\": \"replay\"}}]}",
     true},
    {"{" PSP
     "\"steps\": [{\"send\": \"> back\"}, {\"send\": \"> push_data\", \"seal\": {\"behind\": "
     "\"$replay_margin\", \"bad\": \"replay\"}}]}",
     false}, /* an ACK need not be what counts */
    {"{" PSP
     "\"steps\": [{\"send\": \"> push_data\", \"seal\": {\"behind\": \"$replay_margin\", \"bad\": \"replay\"}}]}",
     false}, /* nothing newer came before it */
    {"{\"steps\": [{\"send\": \"> push_data\", \"seal\": {\"clear\": true, \"bad\": \"seal\"}}]}",
     false}, /* nothing is sealed */
    {"{" PSP "\"steps\": [{\"send\": \"> push_data\", \"seal\": {\"bad\": \"spi\"}}]}", false},
    {"{" PSP "\"steps\": [" TURN("spi") ", " TURN(
         "drop") ", {\"send\": \"> push_data\", \"seal\": {\"bad\": \"spi\"}}, " PEER "]}",
     true},
    {"{" PSP "\"steps\": [" TURN("spi") ", " TURN("drop") "]}",
     false}, /* the peer is cut off */
    {"{" PSP "\"steps\": [" TURN("spi") ", " PEER ", " TURN("drop") "]}", true},
    {"{" PSP "\"impair\": {\"to_sut\": {\"latency\": \"1us\"}}, \"steps\": [" TURN(
         "spi") ", " PEER ", " TURN("drop") "]}",
     false}, /* what is on its way is under the old one */
    {"{\"connection\": {\"encap\": \"psp_tunnel\", \"pcid\": {\"tester\": 5, \"sut\": 6, \"match\": "
     "true}}, \"steps\": [{\"send\": \"> back\", \"seal\": {\"vc\": 7, \"bad\": \"pcid\"}}]}",
     true},
    {"{\"connection\": {\"encap\": \"psp_tunnel\", \"pcid\": {\"tester\": 5, \"sut\": 6, \"match\": "
     "false}}, \"steps\": [{\"send\": \"> back\", \"seal\": {\"vc\": 7, \"bad\": \"pcid\"}}]}",
     false}, /* it is not matched */
    {"{\"connection\": {\"encap\": \"psp_tunnel\", \"pcid\": {\"tester\": 5, \"sut\": 6, \"match\": "
     "\"${match}\"}}, \"steps\": [{\"send\": \"> back\", \"seal\": {\"vc\": 7}}]}",
     false}, /* it may be matched */
    {"{\"connection\": {\"encap\": \"psp_tunnel\", \"pcid\": {\"tester\": 5, \"sut\": 6, \"match\": "
     "true}}, \"steps\": [{\"send\": \"> back version=9\", \"seal\": {\"vc\": 7, \"bad\": \"pcid\"}}]}",
     false}, /* it is dropped for its version */
    {"{" PSP "\"steps\": [{\"send\": \"> push_data len=64\"}, {\"send\": \"> push_data "
     "version=9\", \"seal\": {\"behind\": \"1us\"}}]}",
     false}, /* nor is it taken */
    {"{" PSP
     "\"steps\": [{\"send\": \"> resync\", \"seal\": {\"ahead\": \"10us\"}}, {\"send\": \"> "
     "push_data len=64\"}, {\"send\": \"> push_data\", \"seal\": {\"behind\": "
     "\"$replay_margin\", \"bad\": \"replay\"}}]}",
     false}, /* the SUT need not have taken the one ahead */
    {"{" PSP "\"steps\": [" TURN("peer") "]}", false}, /* the tester has no new keys */
    {"{" PSP "\"steps\": [" TURN("spi") ", " PEER ", " PEER "]}", false},
};

START_TEST(a_case_does_not_lie)
{
    json_t *doc = with(claims[_i].members);

    ck_assert_msg(hunt_true(doc) == claims[_i].is_true, "%s", claims[_i].members);
    json_decref(doc);
}
END_TEST

static const struct {
    const char *members;
    bool lawful;
} laws[] = {
    {"{\"steps\": [{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 64}}]}", true},
    {"{\"steps\": [{\"ulp\": {\"do\": \"post\", \"op\": \"push\", \"length\": 4097}}]}", false},
    {"{\"steps\": [{\"send\": \"> push_data\"}]}", true},
    {"{\"steps\": [{\"send\": \"> push_data psn=3r\"}]}", false},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"drop\", \"times\": 2}]}", true},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"drop\", \"times\": 0}]}", false},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"drop\", \"times\": 9}]}", false},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"reorder\", \"times\": 3}]}", true},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"reorder\", \"times\": 8}]}", false},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"reorder\", \"times\": 1, \"by\": 4}]}",
     false},
    {"{\"steps\": [{\"on\": \"< back\", \"do\": \"rewrite\", \"times\": 1}]}", false},
    {"{\"steps\": [], \"auto\": {\"acks\": false}}", false},
    {"{\"steps\": [], \"connection\": {\"params\": {\"max_attempts\": 1}}}", false},
    {"{\"steps\": [], \"connection\": {\"params\": {\"fcwnd\": 1}}}", true},
    {"{\"steps\": [], \"connection\": {\"params\": {\"fcwnd\": 0}}}", false},
    {"{\"steps\": [], \"impair\": {\"to_sut\": {\"loss\": \"3%\"}}}", true},
    {"{\"steps\": [], \"impair\": {\"to_sut\": {\"loss\": \"20%\"}}}", false},
    {"{\"steps\": [], \"policy\": [{\"answer\": \"rnr\", \"rnr\": \"40us\", \"times\": 1}]}",
     true},
    {"{\"steps\": [], \"policy\": [{\"answer\": \"withhold\"}]}", false},
    {"{\"steps\": [], \"policy\": [{\"answer\": \"ack\"}]}", false}, /* a pull, too */
};

START_TEST(life_is_asked_for_after_lawful_cases_only)
{
    json_t *doc = with(laws[_i].members), *whole = hunt_complete(doc);
    char *text = json_dumps(whole, 0);

    ck_assert_msg(hunt_lawful(doc) == laws[_i].lawful, "%s", laws[_i].members);
    ck_assert_int_eq(strstr(text, "\"" HUNT_ALIVE "\"") != NULL, laws[_i].lawful);
    free(text);
    json_decref(whole);
    json_decref(doc);
}
END_TEST

/* RDMA 8: every packet that is made up can be read, and operations and fields vary. */
START_TEST(packets_of_rdma_are_lines)
{
    struct fal_rng rng = {7};
    unsigned with_field = 0, reserved = 0;

    for (int i = 0; i < 2000; i++) {
        json_t *line = hunt_rdma_packet(&rng);
        struct fal_pattern pattern;
        struct fal_error err = {{0}};
        const char *text = json_string_value(line);

        ck_assert_ptr_nonnull(text);
        ck_assert_msg(fal_text_parse(text + strlen("> "), &pattern, &err) == 0, "%s: %s", text,
                      err.text);
        with_field += strstr(text, "eth.") != NULL;
        reserved += strstr(text, "opcode=") != NULL;
        json_decref(line);
    }
    ck_assert_uint_gt(with_field, 500);
    ck_assert_uint_gt(reserved, 100);
}
END_TEST

START_TEST(connections_of_rdma_are_known)
{
    json_t *doc = with("{\"connection\": {\"params\": {\"protocol_type\": 2}}}");
    json_t *other = with("{\"connection\": {\"params\": {\"protocol_type\": 3}}}");

    ck_assert(hunt_is_rdma(doc));
    ck_assert(!hunt_is_rdma(other));
    json_decref(doc);
    json_decref(other);
}
END_TEST

/* ---- RDMA verbs ---- */

START_TEST(programs_of_verbs_are_scenarios)
{
    struct fal_rng rng = {11};
    unsigned alive = 0;

    for (int i = 0; i < 60; i++) {
        json_t *doc = hunt_verbs_program(&rng), *whole = hunt_complete(doc);
        char *errors = NULL, *text = json_dumps(whole, JSON_COMPACT);

        ck_assert(hunt_is_verbs(doc));
        ck_assert_msg(is_scenario(whole, &errors), "%s", errors);
        alive += strstr(text, "alive-write") != NULL;
        free(errors);
        free(text);
        json_decref(whole);
        json_decref(doc);
    }
    ck_assert_uint_gt(alive, 30);
}
END_TEST

/* Any number of changes on top of each other: packets of RDMA, and requests of both ends. */
START_TEST(cases_of_verbs_stay_scenarios)
{
    struct fal_rng rng = {12};
    unsigned rejected = 0, all = 0, packets = 0;

    for (int chain = 0; chain < 20; chain++) {
        json_t *doc = hunt_verbs_seed(), *other = hunt_verbs_program(&rng);

        for (int i = 0; i < 8; i++, all++) {
            json_t *whole;
            char *errors = NULL, *text;

            ck_assert(hunt_mutate(doc, other, &rng));
            whole = hunt_complete(doc);
            text = json_dumps(whole, JSON_COMPACT);
            rejected += !is_scenario(whole, &errors);
            packets += strstr(text, " / rdma ") != NULL;
            free(errors);
            free(text);
            json_decref(whole);
        }
        json_decref(doc);
        json_decref(other);
    }
    ck_assert_msg(rejected * 8 < all, "%u of %u are no scenarios", rejected, all);
    ck_assert_uint_gt(packets * 4, all);
}
END_TEST

/* ---- NVMe ---- */

START_TEST(programs_of_nvme_are_scenarios)
{
    struct fal_rng rng = {13};

    for (int i = 0; i < 60; i++) {
        json_t *doc = hunt_nvme_program(&rng), *whole = hunt_complete(doc);
        char *errors = NULL, *text = json_dumps(whole, JSON_COMPACT);

        ck_assert(hunt_is_nvme(doc));
        ck_assert_msg(is_scenario(whole, &errors), "%s", errors);
        ck_assert_ptr_nonnull(strstr(text, "nvme_post"));
        ck_assert_ptr_nonnull(strstr(text, "dev_hash"));
        free(errors);
        free(text);
        json_decref(whole);
        json_decref(doc);
    }
}
END_TEST

/* Any number of changes on top of each other: packets of NVMe, and commands of both ends. */
START_TEST(cases_of_nvme_stay_scenarios)
{
    struct fal_rng rng = {14};
    unsigned rejected = 0, all = 0, packets = 0;

    for (int chain = 0; chain < 20; chain++) {
        json_t *doc = hunt_nvme_seed(), *other = hunt_nvme_program(&rng);

        for (int i = 0; i < 8; i++, all++) {
            json_t *whole;
            char *errors = NULL, *text;

            ck_assert(hunt_mutate(doc, other, &rng));
            whole = hunt_complete(doc);
            text = json_dumps(whole, JSON_COMPACT);
            rejected += !is_scenario(whole, &errors);
            packets += strstr(text, " / nvme ") != NULL;
            free(errors);
            free(text);
            json_decref(whole);
        }
        json_decref(doc);
        json_decref(other);
    }
    ck_assert_msg(rejected * 8 < all, "%u of %u are no scenarios", rejected, all);
    ck_assert_uint_gt(packets * 4, all);
}
END_TEST

/* A message that a step makes up leads nowhere; a bad packet of the SUT is bad all the same. */
START_TEST(what_follows_made_up_messages_is_no_finding)
{
    const struct hunt_outcome all = {.problems = {{.key = "V13 RDMA-6.8-03"},
                                                  {.key = "V17 RDMA-8.3.1-03"},
                                                  {.key = "alive"}},
                                     .num_problems = 3};
    struct hunt_outcome out = all;
    json_t *doc = hunt_verbs_seed();

    hunt_words_excuse(doc, &out);
    ck_assert_uint_eq(out.num_problems, 3);
    (void)json_array_append_new(json_object_get(doc, "steps"),
                                json_pack("{s:s}", "send", "> push_data / rdma send_only"));
    hunt_words_excuse(doc, &out);
    ck_assert_uint_eq(out.num_problems, 2);
    ck_assert_str_eq(out.problems[0].key, "V17 RDMA-8.3.1-03");
    json_decref(doc);
}
END_TEST

/* ---- small ---- */

/* A NACK of code 7 is sent while fcwnd is 8. */
static bool shows(void *ctx, const json_t *doc)
{
    const json_t *params = json_object_get(json_object_get(doc, "connection"), "params");
    unsigned *asked = ctx;
    size_t i;
    json_t *step;

    ++*asked;
    if (json_integer_value(json_object_get(params, "fcwnd")) < 8)
        return false;
    json_array_foreach(json_object_get(doc, "steps"), i, step)
    {
        const char *line = hunt_word(step, "send");

        if (strncmp(line, "> nack", 6) == 0 && strstr(line, "code=7") != NULL)
            return true;
    }
    return false;
}

/* Each refusal costs an RTO, which may be long. */
START_TEST(work_that_must_end_has_time_for_refusals)
{
    json_t *doc =
        with("{\"workload\": [{\"count\": 40, \"outstanding\": 1}, {\"count\": 2, "
             "\"within\": \"5ms\"}], \"policy\": [{\"answer\": \"rnr\", \"times\": 4}]}");
    json_t *whole = hunt_complete(doc), *streams = json_object_get(whole, "workload");

    ck_assert_str_eq(hunt_word(json_array_get(streams, 0), "within"), "1s + $rto * 400");
    ck_assert_str_eq(hunt_word(json_array_get(streams, 1), "within"), "5ms");
    ck_assert_str_eq(hunt_word(json_array_get(json_object_get(doc, "workload"), 0), "within"),
                     ""); /* the mutant itself stays as it is */
    json_decref(whole);
    json_decref(doc);
}
END_TEST

/* A transaction that the SUT has forgotten times out later, and the connection is quiet then.
 */
START_TEST(a_brief_case_must_be_quiet_before_a_transaction_times_out)
{
    static const char post[] = "{\"steps\": [{\"ulp\": {\"do\": \"post\", \"op\": \"pull\", "
                               "\"length\": 64}}], \"connection\": {\"params\": {\"rto\": "
                               "\"%s\"}}}";
    static const struct {
        const char *rto, *within;
    } rows[] = {{"1ms", "$transaction_timeout * 0.9"}, {"2ms", "$transaction_timeout * 2"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char members[256];
        json_t *doc, *whole, *quiet;

        (void)snprintf(members, sizeof members, post, rows[i].rto);
        doc = with(members);
        whole = hunt_complete(doc);
        quiet = json_array_get(json_object_get(whole, "steps"), 1);
        ck_assert_str_eq(hunt_word(quiet, "within"), rows[i].within);
        json_decref(whole);
        json_decref(doc);
    }
}
END_TEST

START_TEST(what_is_needed_is_what_is_left)
{
    unsigned asked = 0;
    json_t *doc = with(
        "{\"workload\": [{\"side\": \"sut\", \"count\": 8}], \"impair\": {\"to_sut\": {\"loss\": "
        "\"3%\"}}, \"policy\": [{\"answer\": \"rnr\"}], \"connection\": {\"encap\": \"psp_tunnel\", "
        "\"params\": {\"rto\": \"2ms\", \"fcwnd\": 64}}, \"steps\": [{\"wait\": \"1us\"}, {\"repeat\": 3, "
        "\"steps\": [{\"wait\": \"2us\"}, {\"send\": \"> nack psn=3r code=7 w=1\", \"after\": "
        "\"1us\"}]}, {\"send\": \"> back\"}]}");
    json_t *small,
        *due = with(
            "{\"connection\": {\"params\": {\"fcwnd\": 8}}, \"steps\": [{\"send\": \"> nack code=7\"}]}");

    /* inside of the repeat it is not looked for: it must be unrolled, which is tried as a whole
     * only while it shows */
    (void)json_array_append_new(
        json_object_get(doc, "steps"),
        json_pack("{s:s, s:s}", "send", "> nack psn=3r code=7 w=1", "after", "1us"));
    small = hunt_shrink(doc, shows, &asked, 500);
    for (const char *const *key = (const char *const[]){"title", "purpose", NULL}; *key != NULL;
         key++)
        (void)json_object_del(small, *key), (void)json_object_del(due, *key);
    if (!json_equal(small, due)) {
        char *text = json_dumps(small, 0);

        ck_abort_msg("%s", text);
    }
    ck_assert_uint_eq(hunt_size(small), 2);
    ck_assert_uint_le(asked, 500);
    json_decref(small);
    small = hunt_shrink(doc, shows, &asked, 0); /* the check is not called: nothing changes */
    ck_assert(json_equal(small, doc));
    json_decref(small);
    json_decref(due);
    json_decref(doc);
}
END_TEST

START_TEST(a_sequence_is_what_happens_whatever_the_values)
{
    json_t *a = with(
        "{\"steps\": [{\"send\": \"> nack code=7\"}, {\"ulp\": {\"do\": \"post\", \"op\": "
        "\"push\", \"length\": 3}}, {\"on\": \"< eack\", \"do\": \"drop\", \"times\": 1}]}");
    json_t *b = with(
        "{\"steps\": [{\"send\": \"> nack code=8 w=1\", \"after\": \"1us\"}, {\"ulp\": "
        "{\"do\": \"post\", \"op\": \"push\", \"length\": 99}}, {\"on\": \"< eack dbase=3r\", "
        "\"do\": \"drop\", \"times\": 2}]}");
    char *x = hunt_sequence(a), *y = hunt_sequence(b);

    ck_assert_str_eq(x, " send nack ulp sut post push on <eack");
    ck_assert_str_eq(x, y);
    free(x);
    free(y);
    json_decref(a);
    json_decref(b);
}
END_TEST

/* ---- what is new ---- */

START_TEST(what_was_seen_is_new_once_and_again_in_another_number)
{
    struct hunt_features *f = calloc(1, sizeof *f);
    struct hunt_seen *seen = calloc(1, sizeof *seen);
    uint8_t edges[64] = {0};

    ck_assert(f != NULL && seen != NULL);
    seen->edges = calloc(64, 1);
    seen->num_edges = 64;
    hunt_feature(f, 7);
    for (unsigned i = 0; i < 3; i++)
        hunt_feature(f, HUNT_FEATURES - 1);
    ck_assert_uint_eq(hunt_seen_add(seen, f, NULL, 0), 2);
    ck_assert_uint_eq(hunt_seen_add(seen, f, NULL, 0), 0);
    f->count[7] = 5;
    ck_assert_uint_eq(hunt_seen_add(seen, f, NULL, 0), 1);
    f->count[7] = 15; /* some, as before */
    ck_assert_uint_eq(hunt_seen_add(seen, f, NULL, 0), 0);
    f->count[7] = 200;
    ck_assert_uint_eq(hunt_seen_add(seen, f, NULL, 0), 1);
    ck_assert_uint_eq(seen->features, 2);
    edges[63] = 1;
    ck_assert_uint_eq(hunt_seen_add(seen, f, edges, 64), 1);
    ck_assert_uint_eq(hunt_seen_add(seen, f, edges, 64), 0);
    ck_assert_uint_eq(seen->edges_seen, 1);
    free(seen->edges);
    free(seen);
    free(f);
}
END_TEST

/* As a SUT does that was built with AFL++'s compilers. */
START_TEST(a_process_lends_its_map)
{
    struct hunt_map *map;
    struct fal_error err = {{0}};
    const uint8_t *bytes;
    size_t len;
    int status;
    pid_t pid;

    ck_assert_int_eq(hunt_map_open(&map, -1, 4096, &err), 0);
    pid = fork();
    if (pid == 0) {
        uint8_t *mine = shmat(hunt_map_number(map), NULL, 0);

        if ((intptr_t)mine == -1) /* as shmat says that it cannot */
            _exit(1);
        mine[17]++;
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    bytes = hunt_map_bytes(map, &len);
    ck_assert_uint_eq(len, 4096);
    ck_assert_uint_eq(bytes[17], 1);
    hunt_map_clear(map);
    ck_assert_uint_eq(bytes[17], 0);
    hunt_map_close(map);
    ck_assert_int_ne(hunt_map_open(&map, 0x7ffffffe, 0, &err), 0);
    ck_assert_ptr_null(map);
    hunt_map_clear(NULL);
    hunt_map_close(NULL);
}
END_TEST

/* ---- the suite as a corpus ---- */

START_TEST(expectations_of_a_scenario_are_left_out)
{
    json_t *theirs = with(
        "{\"id\": \"x\", \"steps\": [\"> push_data psn=0r rsn=0r\", \"< back dbase=@base\", {\"send\": \"> "
        "push_data psn=$base\"}, {\"expect_none\": \"packet\", \"for\": \"1us\"}, {\"repeat\": 2, "
        "\"steps\": [{\"expect_ulp\": {\"event\": \"request\"}}]}, {\"wait\": \"1us\"}]}");
    json_t *ours = hunt_import(theirs);
    char *errors = NULL;

    ck_assert_ptr_nonnull(ours);
    ck_assert_msg(is_scenario(ours, &errors), "%s", errors);
    ck_assert_uint_ge(json_array_size(json_object_get(ours, "steps")), 1);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(ours, "steps"), 0)),
                     "> push_data psn=0r rsn=0r");
    json_decref(ours);
    json_decref(theirs);
    theirs = parse("{\"id\": \"y\"}");
    ours = hunt_import(theirs);
    json_decref(ours);
    json_decref(theirs);
}
END_TEST

/* ---- timelines ---- */

START_TEST(what_is_no_timeline_is_told)
{
    static const char *const texts[] = {"", "x", "{}\n",
                                        "{\"schema\": \"talon/timeline/1\"}\nx\n",
                                        "{\"schema\": \"talon/timeline/1\"}\n"};
    struct hunt_lines lines = {.line = NULL};
    struct fal_error err = {{0}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_int_eq(hunt_lines_shrink(texts[i], strlen(texts[i]), 9, &lines, &err),
                         FAL_ERR_FORM);
        ck_assert_int_ne(err.text[0], 0);
        hunt_lines_free(&lines);
    }
}
END_TEST

/* The fuzzer draws the network, so the SUT is not to blame for it: the fuzzer promises nothing
 * if packets overtake each other by more than the replay margin, or if an RTO is shorter than
 * two round trips. */
START_TEST(a_network_that_makes_replays_or_expires_timers_promises_nothing)
{
    static const struct {
        const char *members;
        bool lawful;
    } rows[] = {
        {"{\"impair\": {\"to_sut\": {\"jitter\": \"20us\"}}}", true},
        {"{\"connection\": {\"encap\": \"psp_transport\"},"
         " \"impair\": {\"to_sut\": {\"jitter\": \"20us\"}}}",
         true},
        {"{\"connection\": {\"encap\": \"psp_transport\", \"params\": {\"replay_margin\": "
         "\"1us\"}}, \"impair\": {\"to_sut\": {\"jitter\": \"2us\"}}}",
         false},
        {"{\"connection\": {\"encap\": \"esp_tunnel\", \"params\": {\"replay_margin\": "
         "\"20us\"}}, \"impair\": {\"from_sut\": {\"jitter\": \"5us\", \"reorder_by\": "
         "\"20us\"}}}",
         false},
        {"{\"connection\": {\"encap\": \"psp_transport\", \"params\": {\"replay_margin\": "
         "\"0\"}}}",
         false},
        {"{\"connection\": {\"params\": {\"replay_margin\": \"1us\"}},"
         " \"impair\": {\"to_sut\": {\"jitter\": \"2us\"}}}",
         true},
        {"{\"connection\": {\"params\": {\"rto\": \"300us\"}},"
         " \"impair\": {\"to_sut\": {\"latency\": \"100us\"}}}",
         false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *doc = with(rows[i].members);

        ck_assert_msg(hunt_lawful(doc) == rows[i].lawful, "%s", rows[i].members);
        json_decref(doc);
    }
}
END_TEST

static struct tl_ics denying(const char *const *names, size_t n)
{
    struct tl_ics ics = {.identity = {{0}, {0}, {0}}};

    for (size_t i = 0; i < n; i++)
        ics.items[tl_ics_find(names[i])] = TL_ICS_NO;
    return ics;
}

START_TEST(no_case_asks_for_what_the_ICS_denies)
{
    static const struct {
        const char *item, *members;
    } rows[] = {
        {"xlr-filter", "{\"connection\": {\"params\": {\"xlr_initiator\": 2}}}"},
        {"xlr-filter", "{\"connection\": {\"params\": {\"xlr_target\": 1}}}"},
        {"rack-tlp", "{\"connection\": {\"params\": {\"rack_tlp\": true}}}"},
        {"unordered-connections", "{\"connection\": {\"params\": {\"ordered\": false}}}"},
        {"ordered-connections", "{\"connection\": {\"params\": {\"ordered\": true}}}"},
        {"constrained-resources", "{\"connection\": {\"params\": {\"net_pkt_rx\": 1}}}"},
        {"constrained-resources", "{\"connection\": {\"params\": {\"credit_req_pkt_tx\": 8}}}"},
        {"psp", "{\"connection\": {\"encap\": \"psp_transport\"}}"},
        {"esp", "{\"connection\": {\"encap\": \"esp_transport\"}}"},
        {"tunnel-mode", "{\"connection\": {\"encap\": \"psp_tunnel\"}}"},
        {"xlr-filter", "{\"steps\": [{\"cm\": {\"do\": \"set\", \"params\": "
                       "{\"xlr_target\": 3}}}]}"},
    };
    const struct tl_ics open = {.identity = {{0}, {0}, {0}}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_ics ics = denying(&rows[i].item, 1);
        json_t *doc = with(rows[i].members);

        ck_assert_msg(hunt_suits(doc, &open), "%s", rows[i].members);
        ck_assert_msg(!hunt_suits(doc, &ics), "%s", rows[i].members);
        hunt_suit(doc, &ics);
        ck_assert_msg(hunt_suits(doc, &ics), "%s", rows[i].members);
        json_decref(doc);
    }
}
END_TEST

START_TEST(no_case_asks_for_a_value_with_which_no_connection_exists)
{
    static const char *const rows[] = {
        "{\"connection\": {\"params\": {\"mtu\": 0}}}",
        "{\"connection\": {\"params\": {\"mtu\": \"0\"}}}",
        "{\"connection\": {\"params\": {\"tx_window_req\": 0}}}",
        "{\"connection\": {\"params\": {\"rto\": \"0\"}}}",
        "{\"connection\": {\"params\": {\"ar_percent\": 101}}}",
        "{\"steps\": [{\"cm\": {\"do\": \"set\", \"params\": {\"rto\": \"0\"}}}]}",
    };
    const struct tl_ics open = {.identity = {{0}, {0}, {0}}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *doc = with(rows[i]);

        ck_assert_msg(!hunt_suits(doc, &open), "%s", rows[i]);
        hunt_suit(doc, &open);
        ck_assert_msg(hunt_suits(doc, &open), "%s", rows[i]);
        json_decref(doc);
    }
}
END_TEST

/* A user whose parameters are not the defaults gets no promise, and where transactions may fail
 * because of them, no question at the end either. */
START_TEST(given_parameters_limit_what_is_promised)
{
    static const struct {
        const char *param;
        bool alive;
    } rows[] = {{"xlr_target=0", true},  {"fcwnd=4", true},         {"fcwnd=0", false},
                {"xlr_target=1", false}, {"max_attempts=1", false}, {"pipeline=20us", true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_given_params given = {.given = {false}};
        struct hunt_book *book = hunt_book_new(false);
        struct fal_error err = {{0}};

        ck_assert_int_eq(tl_given_params_add(&given, rows[i].param, &err), 0);
        hunt_book_given(book, &given);
        ck_assert_msg((hunt_book_alive(book) != NULL) == rows[i].alive, "%s", rows[i].param);
        hunt_book_free(book);
    }
}
END_TEST

/* Braces, brackets and quotes within strings are no structure. */
START_TEST(an_element_of_a_list_is_read_alone)
{
    static const char list[] = "[\n {\"a\": \"]}{[\", \"b\": [1, {\"c\": \"\\\"}\\\\\"}]},\n"
                               " {}, {\"d\": []}\n]\n";
    json_t *all = parse(list);

    ck_assert_uint_eq(hunt_element_count(list), json_array_size(all));
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *one = hunt_element(list, i);

        ck_assert(json_equal(one, json_array_get(all, i)));
        json_decref(one);
    }
    ck_assert_ptr_null(hunt_element(list, json_array_size(all)));
    ck_assert_uint_eq(hunt_element_count("[]"), 0);
    json_decref(all);
}
END_TEST

/* Members keep their order, as in the text that is written of it. */
START_TEST(a_copy_is_equal_and_changes_alone)
{
    json_t *doc = parse("{\"b\": [1, {\"x\": true}], \"a\": \"text\", \"c\": {}, \"d\": null}");
    char *before = json_dumps(doc, 0);
    json_t *copies[] = {hunt_copy(doc), hunt_branch(doc)};

    for (size_t i = 0; i < 2; i++) {
        char *text = json_dumps(copies[i], 0);

        ck_assert_str_eq(text, before);
        free(text);
        ck_assert_int_eq(json_array_append_new(json_object_get(copies[i], "b"), json_true()),
                         0);
        ck_assert_int_eq(json_object_set_new(copies[i], "a", json_integer(1)), 0);
        text = json_dumps(doc, 0);
        ck_assert_str_eq(text, before);
        free(text);
        json_decref(copies[i]);
    }
    ck_assert_ptr_null(hunt_copy(NULL));
    free(before);
    json_decref(doc);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("the stateful fuzzer");
    TCase *cases = tcase_create("all");

    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, packets_of_rdma_are_lines);
    tcase_add_test(cases, connections_of_rdma_are_known);
    tcase_add_test(cases, programs_of_verbs_are_scenarios);
    tcase_add_test(cases, cases_of_verbs_stay_scenarios);
    tcase_add_test(cases, programs_of_nvme_are_scenarios);
    tcase_add_test(cases, cases_of_nvme_stay_scenarios);
    tcase_add_test(cases, what_follows_made_up_messages_is_no_finding);
    tcase_add_test(cases, an_element_of_a_list_is_read_alone);
    tcase_add_test(cases, a_copy_is_equal_and_changes_alone);
    tcase_add_test(cases, every_plain_workload_is_lawful_and_a_scenario);
    tcase_add_test(cases, work_that_must_end_has_time_for_refusals);
    tcase_add_test(cases, a_brief_case_must_be_quiet_before_a_transaction_times_out);
    tcase_add_test(cases, a_promise_leaves_no_trace);
    tcase_add_test(cases, no_promise_of_changed_parameters);
    tcase_add_test(cases, whatever_is_changed_a_case_stays_a_scenario);
    tcase_add_loop_test(cases, a_case_does_not_lie, 0, sizeof claims / sizeof *claims);
    tcase_add_loop_test(cases, life_is_asked_for_after_lawful_cases_only, 0,
                        sizeof laws / sizeof *laws);
    tcase_add_test(cases, what_is_needed_is_what_is_left);
    tcase_add_test(cases, a_sequence_is_what_happens_whatever_the_values);
    tcase_add_test(cases, what_was_seen_is_new_once_and_again_in_another_number);
    tcase_add_test(cases, a_process_lends_its_map);
    tcase_add_test(cases, expectations_of_a_scenario_are_left_out);
    tcase_add_test(cases, what_is_no_timeline_is_told);
    tcase_add_test(cases, a_network_that_makes_replays_or_expires_timers_promises_nothing);
    tcase_add_test(cases, no_case_asks_for_what_the_ICS_denies);
    tcase_add_test(cases, no_case_asks_for_a_value_with_which_no_connection_exists);
    tcase_add_test(cases, given_parameters_limit_what_is_promised);
    suite_add_tcase(suite, cases);
    return suite;
}
