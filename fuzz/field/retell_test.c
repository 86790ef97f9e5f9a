/* SPDX-License-Identifier: Apache-2.0
 * retell_test.c - packets of a connection become steps, cases become smaller and tidy. */
#include "fuzz/field/search.h"
#include "fuzz/field/tidy.h"
#include "harness/run/run_sut.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TESTER_DATA = 100, TESTER_REQ = 200, TESTER_RSN = 10, SUT_DATA = 300, SUT_REQ = 400 };
enum { FRAMES = 8 };

/* A story of few frames, which the caller adds. */
struct stage {
    struct fld_story story;
    struct fld_frame frames[FRAMES];
    struct fld_act acts[FRAMES];
};

static void begin(struct stage *stage)
{
    struct fal_connection *setup = &stage->story.finding.setup;

    *stage = (struct stage){.story.finding = {.rule = "R1", .requirement = "FTP-9.2.1-09"}};
    fal_params_default(&setup->params, false);
    setup->tester = (struct fal_end){.cid = 1,
                                     .function = 11,
                                     .req_psn = TESTER_REQ,
                                     .data_psn = TESTER_DATA,
                                     .rsn = TESTER_RSN};
    setup->sut =
        (struct fal_end){.cid = 2, .function = 22, .req_psn = SUT_REQ, .data_psn = SUT_DATA};
    stage->story.finding.initial_known = true;
    stage->story.frames = stage->frames;
    stage->story.acts = stage->acts;
}

static struct fld_frame *frame(struct stage *stage, uint64_t t_ns, bool to_sut,
                               enum fal_packet_type type)
{
    const struct fal_connection *setup = &stage->story.finding.setup;
    struct fld_frame *f = &stage->frames[stage->story.num_frames++];
    const struct fal_end *to = to_sut ? &setup->sut : &setup->tester;

    *f = (struct fld_frame){.t_ns = t_ns, .to_sut = to_sut};
    fal_falcon_init(&f->falcon, type);
    f->falcon.dest_cid = to->cid;
    f->falcon.dest_function = to->function;
    f->falcon.recv_data_base_psn = to->data_psn;
    f->falcon.recv_req_base_psn = to->req_psn;
    return f;
}

static void push(struct stage *stage, uint64_t t_ns, uint32_t n)
{
    struct fld_frame *f = frame(stage, t_ns, true, FAL_PUSH_DATA);

    f->falcon.psn = TESTER_DATA + n;
    f->falcon.rsn = TESTER_RSN + n;
    f->falcon.request_length = 64;
    f->payload_len = 64;
}

/* Compares the steps with a JSON text. */
static void ck_steps(const json_t *doc, const char *expected)
{
    json_t *steps = json_loads(expected, 0, NULL);
    char *seen = json_dumps(json_object_get(doc, "steps"), JSON_COMPACT);

    ck_assert_ptr_nonnull(steps);
    ck_assert_msg(json_equal(steps, json_object_get(doc, "steps")), "%s", seen);
    free(seen);
    json_decref(steps);
}

START_TEST(each_packet_of_the_peer_is_a_step)
{
    struct stage stage;
    json_t *doc;

    begin(&stage);
    push(&stage, 1000, 1);
    push(&stage, 6000, 1); /* a copy */
    frame(&stage, 7000, true, FAL_BACK);
    doc = fld_retell(&stage.story, FLD_EXACT, true);
    ck_steps(doc,
             "[\"> push_data dbase=0r rbase=0r psn=1r rsn=1r len=64\", {\"wait\": \"5us\"},"
             " \"> push_data dbase=0r rbase=0r psn=1r rsn=1r len=64\", {\"wait\": \"1us\"},"
             " \"> back dbase=0r rbase=0r\"]");
    ck_assert(json_is_false(json_object_get(json_object_get(doc, "auto"), "acks")));
    json_decref(doc);
    doc = fld_retell(&stage.story, FLD_LOOSE, true);
    ck_steps(doc, "[\"> push_data psn=1r rsn=1r len=64\", {\"wait\": \"6us\"}]");
    json_decref(doc);
}
END_TEST

START_TEST(a_request_of_the_SUT_is_a_post)
{
    struct stage stage;
    json_t *doc;

    begin(&stage);
    for (int copy = 0; copy < 2; copy++) {
        struct fld_frame *f = frame(&stage, 0, false, FAL_PULL_REQUEST);

        f->falcon.rsn = 5;
        f->falcon.request_length = 128;
    }
    doc = fld_retell(&stage.story, FLD_EXACT, true);
    ck_steps(doc, "[{\"ulp\": {\"do\": \"post\", \"op\": \"pull\", \"length\": 128}}]");
    json_decref(doc);
    stage.story.has_acts = true; /* then they are known */
    doc = fld_retell(&stage.story, FLD_EXACT, true);
    ck_steps(doc, "[]");
    json_decref(doc);
}
END_TEST

START_TEST(nothing_later_than_the_violation_is_told)
{
    struct stage stage;
    json_t *doc;

    begin(&stage);
    push(&stage, 0, 0);
    push(&stage, 9000, 1);
    stage.story.finding.t_ns = 4000;
    doc = fld_retell(&stage.story, FLD_LOOSE, false);
    ck_steps(doc, "[\"> push_data psn=0r rsn=0r len=64\", {\"wait\": \"4us\"}]");
    json_decref(doc);
}
END_TEST

/* ---- commands ---- */

static const char timeline[] =
    "{\"schema\": \"talon/timeline/1\"}\n"
    "{\"event\": \"connection\", \"t_ns\": 0, \"conn\": 1, \"name\": \"c1\"}\n"
    "{\"event\": \"command\", \"t_ns\": 500, \"conn\": 1, \"text\": \"{\\\"do\\\": \\\"policy\\\","
    " \\\"conn\\\": \\\"c1\\\", \\\"rules\\\": [{\\\"answer\\\": \\\"rnr\\\", \\\"rnr_ns\\\":"
    " 40000}]}\"}\n"
    "{\"event\": \"packet\", \"t_ns\": 500, \"conn\": 1}\n"
    "{\"event\": \"command\", \"t_ns\": 2500, \"conn\": 1, \"text\": \"{\\\"do\\\":"
    " \\\"respond\\\", \\\"conn\\\": \\\"c1\\\", \\\"rsn\\\": 10, \\\"answer\\\": \\\"ack\\\"}\"}\n"
    "{\"event\": \"command\", \"t_ns\": 2500, \"conn\": 2, \"text\": \"{\\\"do\\\": \\\"post\\\","
    " \\\"conn\\\": \\\"c2\\\", \\\"op\\\": \\\"push\\\", \\\"length\\\": 1}\"}\n";

START_TEST(commands_of_the_run_are_steps)
{
    char path[] = "/tmp/talon-acts-XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");
    struct stage stage;
    struct fal_error err;
    json_t *doc, *policy = json_loads("[{\"answer\": \"rnr\", \"rnr\": \"40000ns\"}]", 0, NULL);

    ck_assert(out != NULL && fputs(timeline, out) >= 0 && fclose(out) == 0);
    begin(&stage);
    stage.story.acts = NULL;
    (void)strcpy(stage.story.finding.setup.name, "c1");
    push(&stage, 0, 0);
    ck_assert_int_eq(fld_story_acts(path, &stage.story, 0, &err), 0);
    (void)unlink(path);
    doc = fld_retell(&stage.story, FLD_LOOSE, true);
    ck_assert(json_equal(json_object_get(doc, "policy"), policy));
    ck_steps(doc, "[\"> push_data psn=0r rsn=0r len=64\", {\"wait\": \"2us\"},"
                  " {\"ulp\": {\"do\": \"respond\", \"rsn\": \"0r\", \"answer\": \"ack\"}}]");
    json_decref(policy);
    json_decref(doc);
    stage.story.frames = NULL;
    fld_story_free(&stage.story);
}
END_TEST

/* ---- tidying ---- */

START_TEST(a_wait_stands_in_the_line_behind_it)
{
    json_t *doc = json_loads("{\"steps\": [{\"wait\": \"1.5us\"}, {\"wait\": \"500ns\"},"
                             " \"> push_data\", {\"note\": \"so\"}, {\"wait\": \"1ms\"},"
                             " {\"ulp\": {}}, {\"wait\": \"$rto\"}, \"> back\"]}",
                             0, NULL),
           *tidy = fld_tidy(doc);

    ck_steps(tidy, "[\"+2us > push_data\", {\"wait\": \"1ms\"}, {\"ulp\": {}},"
                   " {\"wait\": \"$rto\"}, \"> back\"]");
    json_decref(tidy);
    json_decref(doc);
}
END_TEST

/* ---- searching ---- */

/* A push leaves a hole; the SUT's EACK shows the wrong bits. The rest of the story is noise. */
START_TEST(the_packets_that_the_violation_needs_are_left)
{
    struct stage stage;
    struct hunt_bench *bench = calloc(2, sizeof *bench);
    struct fal_error err;
    struct fld_search search = {
        .sut = {&bench[0]}, .good = &bench[1], .num_suts = 1, .story = &stage.story};
    json_t *found;

    for (int i = 0; i < 2; i++) {
        bench[i].run = (struct tl_run){.seed = 1, .timeout_ns = FAL_S, .again = ""};
        bench[i].warnings = bench[i].steps = true;
        ck_assert_int_eq(tl_run_sut_read(i == 0 ? "builtin:fault=rx-bitmap-shifted" : "builtin",
                                         &bench[i].run.target, &err),
                         0);
    }
    begin(&stage);
    push(&stage, 0, 0);
    push(&stage, 1000, 1);
    push(&stage, 2000, 3);
    push(&stage, 3000, 5);
    found = fld_search_capture(&search);
    ck_assert_ptr_nonnull(found);
    ck_assert_int_eq(search.source, FLD_FROM_CAPTURE);
    ck_assert_uint_eq(json_array_size(json_object_get(found, "steps")), 1);
    ck_assert_str_eq(hunt_word(found, "id"), "capture-ftp-9.2.1-09");
    ck_assert(fld_shows(&search, found));
    json_decref(found);
    search.same_rule = true; /* and not by any other */
    (void)strcpy(stage.story.finding.rule, "R2");
    ck_assert_ptr_null(fld_search_capture(&search));
    search.sut[0] = &bench[1];
    ck_assert_ptr_null(fld_search_capture(&search));
    for (int i = 0; i < 2; i++)
        hunt_bench_close(&bench[i]);
    free(bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("capture to-scenario");
    TCase *cases = tcase_create("cases");

    tcase_add_test(cases, each_packet_of_the_peer_is_a_step);
    tcase_add_test(cases, a_request_of_the_SUT_is_a_post);
    tcase_add_test(cases, nothing_later_than_the_violation_is_told);
    tcase_add_test(cases, commands_of_the_run_are_steps);
    tcase_add_test(cases, a_wait_stands_in_the_line_behind_it);
    tcase_add_test(cases, the_packets_that_the_violation_needs_are_left);
    suite_add_tcase(suite, cases);
    return suite;
}
