/* SPDX-License-Identifier: Apache-2.0
 * Which cases a selection takes; what a profile and a parameter say. */
#include "harness/profile/profile.h"
#include "harness/run/run.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static struct tl_scenario scenario;
static const struct fal_requirement *covers[2];
static const char *tags[] = {"push", "initiator"};

static void setup(void)
{
    covers[0] = fal_requirement_find("FTP-9.1.6-03");
    covers[1] = fal_requirement_find("RDMA-6.4-01");
    scenario = (struct tl_scenario){.file_id = "push-target",
                                    .kind = TL_CLASS_INVALID,
                                    .covers = {covers, 2},
                                    .tags = tags,
                                    .num_tags = 2};
}

static bool takes(const char *id, const char *const *words)
{
    struct tl_select select = {.count = 0};
    struct fal_error err;

    for (; *words != NULL; words += 2) {
        int kind = 0;

        while (strcmp(tl_select_kind_name((enum tl_select_kind)kind), words[0]) != 0)
            kind++;
        ck_assert_int_eq(tl_select_add(&select, (enum tl_select_kind)kind, words[1], &err), 0);
    }
    /* Each case that is taken is admitted, too. */
    ck_assert(!tl_select_takes(&select, &scenario, id) ||
              tl_select_admits(&select, scenario.file_id, id));
    return tl_select_takes(&select, &scenario, id);
}
#define TAKES(...) takes("push-target@len=1", (const char *const[]){__VA_ARGS__, NULL})

START_TEST(patterns_of_ids_alone_decide_what_is_admitted)
{
    struct tl_select select = {.count = 0};
    struct fal_error err;

    ck_assert(tl_select_admits(&select, "a", "a@x=1"));
    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_TAG, "none", &err), 0);
    ck_assert(tl_select_admits(&select, "a", "a@x=1"));
    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_ID, "!*x=2", &err), 0);
    ck_assert(tl_select_admits(&select, "a", "a@x=1"));
    ck_assert(!tl_select_admits(&select, "a", "a@x=2"));
    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_ID, "b", &err), 0);
    ck_assert(!tl_select_admits(&select, "a", "a@x=1"));
    ck_assert(tl_select_admits(&select, "b", "b@x=1"));
    ck_assert(!tl_select_admits(&select, "b", "b@x=2"));
}
END_TEST

START_TEST(nothing_asked_takes_all)
{
    ck_assert(takes("x", (const char *const[]){NULL}));
}
END_TEST

START_TEST(each_kind_by_itself)
{
    ck_assert(TAKES("id", "push-target"));
    ck_assert(TAKES("id", "push-*"));
    ck_assert(TAKES("id", "*len=1"));
    ck_assert(TAKES("id", "push-target@len=1"));
    ck_assert(TAKES("id", "push-targe?"));
    ck_assert(TAKES("id", "push-[st]arget"));
    ck_assert(!TAKES("id", "push"));
    ck_assert(TAKES("tag", "push"));
    ck_assert(TAKES("tag", "init*"));
    ck_assert(!TAKES("tag", "target"));
    ck_assert(TAKES("requirement", "FTP-9.1.6-03"));
    ck_assert(TAKES("requirement", "FTP-9.1.*"));
    ck_assert(!TAKES("requirement", "FTP-9.2*"));
    ck_assert(TAKES("class", "invalid"));
    ck_assert(!TAKES("class", "valid"));
}
END_TEST

START_TEST(a_chapter_holds_its_sections_and_no_others)
{
    ck_assert(TAKES("chapter", "9"));
    ck_assert(TAKES("chapter", "9.1"));
    ck_assert(TAKES("chapter", "9.1.6"));
    ck_assert(TAKES("chapter", "FTP-9.1.6"));
    ck_assert(!TAKES("chapter", "9.1.6.1"));
    ck_assert(!TAKES("chapter", "9.1.60"));
    ck_assert(!TAKES("chapter", "9."));
    ck_assert(!TAKES("chapter", "6"));
    ck_assert(TAKES("chapter", "RDMA-6"));
    ck_assert(TAKES("chapter", "RDMA-6.4"));
    ck_assert(!TAKES("chapter", "NVME-6"));
}
END_TEST

START_TEST(of_one_kind_any_will_do_and_kinds_must_agree)
{
    ck_assert(TAKES("tag", "target", "tag", "push"));
    ck_assert(!TAKES("tag", "push", "class", "valid"));
    ck_assert(TAKES("tag", "push", "class", "valid", "class", "invalid"));
    ck_assert(TAKES("id", "push*", "tag", "push", "chapter", "9.1", "requirement", "FTP*"));
}
END_TEST

START_TEST(what_is_taken_out_is_out)
{
    ck_assert(!TAKES("tag", "!push"));
    ck_assert(TAKES("tag", "!pull"));
    ck_assert(!TAKES("id", "push*", "tag", "!initiator"));
    ck_assert(!TAKES("tag", "push", "tag", "!push"));
}
END_TEST

START_TEST(wrong_patterns_are_told)
{
    struct tl_select select = {.count = 0};
    struct fal_error err;

    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_ID, "", &err), FAL_ERR_FORM);
    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_ID, "!", &err), FAL_ERR_FORM);
    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_CLASS, "vlaid", &err), FAL_ERR_FORM);
    for (int i = 0; i < TL_SELECT_MAX; i++)
        ck_assert_int_eq(tl_select_add(&select, TL_SELECT_ID, "x", &err), 0);
    ck_assert_int_eq(tl_select_add(&select, TL_SELECT_ID, "x", &err), FAL_ERR_RANGE);
}
END_TEST

START_TEST(parameters_are_given_in_the_forms_of_scenarios)
{
    static const struct {
        const char *text, *due;
    } wrong[] = {
        {"rto", "expected NAME=VALUE"},  {"=1", "expected NAME=VALUE"},
        {"rto=", "expected NAME=VALUE"}, {"rot=1ms", "did you mean 'rto'?"},
        {"rto=soon", "rto: "},           {"fcwnd=99999999999", "expected 0 to 4294967295"},
        {"rto=$rto", "rto: "},           {"fcwnd=1..3", "fcwnd: "}};
    struct tl_given_params given = {{0}, {false}};
    struct fal_params params;
    struct fal_error err;

    ck_assert_int_eq(tl_given_params_add(&given, "rto=20ms", &err), 0);
    ck_assert_int_eq(tl_given_params_add(&given, "fcwnd=0x10", &err), 0);
    ck_assert_int_eq(tl_given_params_add(&given, "ordered=false", &err), 0);
    fal_params_default(&params, false);
    tl_given_params_apply(&given, &params);
    ck_assert_uint_eq(params.rto_ns, 20 * FAL_MS);
    ck_assert_uint_eq(params.fcwnd, 16);
    ck_assert(!params.ordered);
    ck_assert_uint_eq(params.ncwnd, 64);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(tl_given_params_add(&given, wrong[i].text, &err) != 0, "%s",
                      wrong[i].text);
        ck_assert_msg(strstr(err.text, wrong[i].due) != NULL, "%s: %s", wrong[i].text,
                      err.text);
    }
}
END_TEST

static int load_text(const char *text, struct tl_profile *profile, struct fal_error *err)
{
    char path[] = "/tmp/talon-profile-XXXXXX";
    int fd = mkstemp(path), rc;
    FILE *file = fdopen(fd, "w");

    fputs(text, file);
    (void)fclose(file);
    rc = tl_profile_load(path, profile, err);
    (void)remove(path);
    return rc;
}
#define PROFILE(more) \
    "{\"schema\": \"talon/profile/1\", \"name\": \"n\", \"title\": \"t\"" more "}"

START_TEST(a_profile_selects_states_and_sets)
{
    struct tl_profile profile;
    struct fal_params params;
    struct fal_error err;

    ck_assert_msg(load_text(PROFILE(", \"select\": {\"tag\": [\"push\"], \"class\": "
                                    "[\"!valid\"]}, \"ics\": {\"psp\": false}, \"params\": "
                                    "{\"rto\": \"3ms\", \"fcwnd\": 5, \"ordered\": false}"),
                            &profile, &err) == 0,
                  "%s", err.text);
    ck_assert_str_eq(profile.name, "n");
    ck_assert(tl_select_takes(&profile.select, &scenario, "x"));
    scenario.kind = TL_CLASS_VALID;
    ck_assert(!tl_select_takes(&profile.select, &scenario, "x"));
    ck_assert_int_eq(profile.ics.items[TL_ICS_PSP], TL_ICS_NO);
    fal_params_default(&params, false);
    tl_given_params_apply(&profile.params, &params);
    ck_assert_uint_eq(params.rto_ns, 3 * FAL_MS);
    ck_assert_uint_eq(params.fcwnd, 5);
    ck_assert(!params.ordered);
    tl_profile_free(&profile);
}
END_TEST

START_TEST(wrong_profiles_are_told_with_their_place)
{
    static const struct {
        const char *text, *due;
    } rows[] = {
        {"", ":1:0: "},
        {"{\"schema\": \"talon/profile/1\", \"title\": \"t\"}", "name: missing"},
        {PROFILE(", \"selct\": {}"), "selct: unknown; did you mean 'select'?"},
        {PROFILE(", \"select\": []"), "select: expected an object"},
        {PROFILE(", \"select\": {\"tags\": []}"), "select.tags: unknown; did you mean 'tag'?"},
        {PROFILE(", \"select\": {\"tag\": \"x\"}"), "select.tag: expected an array"},
        {PROFILE(", \"select\": {\"tag\": [3]}"), "select.tag[0]: expected a text"},
        {PROFILE(", \"select\": {\"class\": [\"x\"]}"), "select.class[0]: expected valid"},
        {PROFILE(", \"ics\": {\"pps\": true}"), "ics.pps: unknown"},
        {PROFILE(", \"params\": {\"rot\": 1}"), "params.rot: no parameter 'rot'"},
        {PROFILE(", \"params\": {\"rto\": []}"), "params.rto: expected a number"},
        {PROFILE(", \"params\": {\"fcwnd\": -1}"), "params.fcwnd: "},
    };
    struct tl_profile profile;
    struct fal_error err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(load_text(rows[i].text, &profile, &err) != 0, "%zu", i);
        ck_assert_msg(strstr(err.text, rows[i].due) != NULL, "%zu: %s", i, err.text);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("select");
    TCase *tc = tcase_create("all");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, patterns_of_ids_alone_decide_what_is_admitted);
    tcase_add_test(tc, nothing_asked_takes_all);
    tcase_add_test(tc, each_kind_by_itself);
    tcase_add_test(tc, a_chapter_holds_its_sections_and_no_others);
    tcase_add_test(tc, of_one_kind_any_will_do_and_kinds_must_agree);
    tcase_add_test(tc, what_is_taken_out_is_out);
    tcase_add_test(tc, wrong_patterns_are_told);
    tcase_add_test(tc, parameters_are_given_in_the_forms_of_scenarios);
    tcase_add_test(tc, a_profile_selects_states_and_sets);
    tcase_add_test(tc, wrong_profiles_are_told_with_their_place);
    suite_add_tcase(suite, tc);
    return suite;
}
