/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/results_testing.h"

static const char golden[] = "tests/data/golden/results.json";

static char *slurp(const char *path, size_t *len)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    FILE *out = open_memstream(&text, len);
    int c;

    ck_assert_ptr_nonnull(in);
    while ((c = fgetc(in)) != EOF)
        fputc(c, out);
    (void)fclose(in);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(what_is_read_is_written_back_to_the_byte)
{
    size_t len;
    char *text = slurp(golden, &len), *again;
    struct fal_error err = {{0}};
    struct tl_results_file *file = read_text(text, &err);

    ck_assert_msg(file != NULL, "%s", err.text);
    again = document(tl_report_json, tl_results_of(file), NULL); /* case by case */
    ck_assert_str_eq(again, text);
    free(again);
    ck_assert_int_eq(tl_results_load(file, &err), 0);
    again = document(tl_report_json, tl_results_of(file), NULL); /* from memory */
    ck_assert_str_eq(again, text);
    free(again);
    close_text(file);
    free(text);
}
END_TEST

/* Every report of results that come from a file is that of the same in memory. */
START_TEST(reports_do_not_tell_a_file_from_memory)
{
    static tl_report_fn *const all[] = {tl_report_html,     tl_report_junit, tl_report_sarif,
                                        tl_report_markdown, tl_report_tap,   tl_report_text};
    size_t len;
    char *text = slurp(golden, &len), *from_file[6], *from_memory;
    struct fal_error err = {{0}};
    struct tl_results_file *file = read_text(text, &err);

    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < 6; i++)
        from_file[i] = document(all[i], tl_results_of(file), NULL);
    ck_assert_int_eq(tl_results_load(file, &err), 0);
    for (size_t i = 0; i < 6; i++) {
        from_memory = document(all[i], tl_results_of(file), NULL);
        ck_assert_str_eq(from_file[i], from_memory);
        free(from_memory);
        free(from_file[i]);
    }
    close_text(file);
    free(text);
}
END_TEST

/* Fills in every member that a case may have: problem, timing, repetitions. */
static void fill_case(struct tl_case *c)
{
    static const struct fal_requirement *also[1];
    struct tl_problem *p = &c->problems[0];

    also[0] = fal_requirement_find("FTP-9.1.6-07");
    p->also = also;
    p->num_also = 1;
    p->why = strdup("because");
    p->waiver = "W-1";
    p->evidence[p->num_evidence++] = 9;
    ck_assert(tl_ladder_add(&p->ladder, &p->num_ladder, "@0 > push_data", true));
    c->disposition = TL_WAIVED;
    c->why = strdup("W-1");
    c->mixed = true;
    c->copies = 8;
    c->copy = 3;
    c->timing = (struct tl_case_timing){.known = true,
                                        .timer_ns = 1,
                                        .queue_ns = 2,
                                        .busy_ns = 3,
                                        .throttle_ns = 4,
                                        .sut_ns = 5,
                                        .allowance_ns = 6,
                                        .drops = 7,
                                        .more_steps = 8};
    c->path = (struct tl_case_path){.known = true, .way = {{9, 8}, {7, 6}}};
    c->timing.steps = calloc(1, sizeof *c->timing.steps);
    c->timing.steps[c->timing.num_steps++] = (struct fal_ev_timing){
        .step = 1, .due_ns = 2, .at_ns = 3, .late_ns = 4, .queue_ns = 5, .drops = 6};
    c->repetitions = calloc(1, sizeof *c->repetitions);
    c->repetitions[c->num_repetitions++] = (struct tl_repetition){
        0xffffffffffffffff, FAL_VERDICT_FAIL, tl_reason(TL_REASON_UNMET)};
}

/* And what was judged and seen: rules, readings, steps, the flow of packets. */
static void fill_judged(struct tl_case *c)
{
    struct tl_step_line steps[] = {{"> push_data", 12}, {"< back", 13}};
    struct tl_flow_item *item;
    const struct fal_rule *const *rules;
    size_t n;

    rules = fal_rules(&n);
    c->rules = calloc(1, sizeof *c->rules);
    c->rules[c->num_rules++] = (struct fal_rule_result){.rule = rules[3],
                                                        .subject = FAL_SUBJECT_SUT,
                                                        .conn = 1,
                                                        .holds = 4,
                                                        .broken = 1,
                                                        .verdict = FAL_VERDICT_FAIL};
    c->rules[0].excused[FAL_EXCUSE_CLOCK] = 2;
    c->readings = calloc(1, sizeof *c->readings);
    c->readings[c->num_readings++] = (struct fal_reading_result){"AMB-13", "so", true, 3, 4, 0};
    c->steps = malloc(sizeof steps);
    memcpy(c->steps, steps, sizeof steps);
    c->num_steps = 2;
    for (int kind = TL_FLOW_PACKET; kind <= TL_FLOW_GAP; kind++) {
        item = tl_case_flow(c);
        item->kind = (enum tl_flow_kind)kind;
        item->t_ns = (uint64_t)kind;
        item->event = 7;
        item->text = strdup("text");
        item->step = kind;
        item->again = item->dropped = item->to_sut = item->marked = kind == TL_FLOW_PACKET;
        item->command = item->part = item->ncmd = kind == TL_FLOW_PACKET ? 2 : 0;
        item->head_len = kind == TL_FLOW_PACKET ? 3 : 0;
        memcpy(item->head, "\x01\x02\xff", 3);
    }
    c->evidence = strdup("full");
    c->repeat = strdup("talon run");
    c->profile = "core";
}

/* Every member that a run may have. */
static void fill_run(struct tl_results *results)
{
    static struct tl_probe_use probe[] = {
        {"psp", 1, TL_PROBE_PARTLY, 3, 2, 1, "full", "claim met in part"},
        {"rdma", -1, TL_PROBE_UNCLEAR, 1, 0, 0, NULL, NULL},
        {"nvme", 0, TL_PROBE_DOES_NOT, 1, 0, 1, "x", NULL},
        {"not-tried-item", 0, TL_PROBE_UNCLEAR, 0, 0, 0, NULL, NULL}};
    static struct tl_waiver_use waiver = {"W-1", "waiver", "why", "https://x", "used", 1};
    static struct tl_ics_use ics = {"psp", -1, true};

    results->strict = true;
    results->interrupted = true;
    results->shard = 2;
    results->shards = 3;
    results->other_shards = 8;
    results->status = 4;
    results->waivers = &waiver;
    results->num_waivers = 1;
    results->ics = &ics;
    results->num_ics = 1;
    results->probe = probe;
    results->num_probe = sizeof probe / sizeof *probe;
    results->live = true;
    results->timer_late_ns = 11;
    results->answer_min_ns = 12;
    results->answer_max_ns = 13;
    results->learned = (struct tl_learned){true, true, 200, 21, 22, 23, 24, true};
    results->weak[0] = (struct tl_weak_rule){fal_rule_find("A2"), 3, 2};
    results->num_weak = 1;
    results->low[0] = (struct tl_low_ratio){fal_rule_find("A3"), "too short: use a longer one"};
    results->num_low = 1;
}

START_TEST(a_case_with_all_there_is_comes_back)
{
    struct tl_case c = a_case("full", FAL_VERDICT_FAIL);
    struct tl_results results;
    struct tl_results_file *file;
    struct fal_error err = {{0}};
    char *text, *again;

    fill_case(&c);
    fill_judged(&c);
    results = some(&c, 1);
    fill_run(&results);
    text = document(tl_report_json, &results, NULL);
    file = read_text(text, &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    again = document(tl_report_json, tl_results_of(file), NULL);
    ck_assert_str_eq(again, text);
    ck_assert_ptr_nonnull(strstr(text, "\"header\": \"0102ff\""));
    ck_assert_ptr_nonnull(strstr(text, "\"left_out\": 7"));
    ck_assert_ptr_nonnull(strstr(text, "\"more_steps\": 8"));
    ck_assert_ptr_nonnull(strstr(text, "\"answer_max_ns\": 13"));
    ck_assert_ptr_nonnull(strstr(text, "\"finding\": \"claim met in part\""));
    ck_assert_ptr_null(strstr(text, "not-tried-item"));
    free(again);
    again = document(tl_report_html, tl_results_of(file), NULL);
    ck_assert_ptr_nonnull(strstr(again, "3 of 8 connections at once"));
    ck_assert_ptr_nonnull(strstr(again, "the SUT's process 5 ns"));
    ck_assert_ptr_nonnull(strstr(again, "claim met in part"));
    ck_assert_ptr_nonnull(strstr(again, "below its ratio<dd>rule A3"));
    ck_assert_ptr_nonnull(strstr(again, "answers in 12 ns to 13 ns"));
    free(again);
    again = document(tl_report_markdown, tl_results_of(file), NULL);
    ck_assert_ptr_nonnull(strstr(again, "claim met in part"));
    free(again);
    again = document(tl_report_text, tl_results_of(file), NULL);
    ck_assert_ptr_nonnull(strstr(again, "(copy 3 of 8)"));
    ck_assert_ptr_nonnull(strstr(again, "claim met in part"));
    free(text);
    free(again);
    /* Cases that pass by do not leave their texts behind. */
    tl_results_gather(tl_results_of(file));
    ck_assert_uint_eq(tl_results_of(file)->num_readings, 1);
    ck_assert_str_eq(tl_results_of(file)->readings[0].text, "so");
    close_text(file);
    tl_case_clear(&c);
}
END_TEST

/* A results file with this head and this list of cases. */
static void refused(const char *head, const char *cases, const char *said)
{
    struct fal_error err = {{0}};
    struct tl_results_file *file;
    char *text;

    ck_assert_int_gt(
        asprintf(&text, "{%s%s%s}", head, cases[0] != 0 ? ", \"cases\": " : "", cases), 0);
    file = read_text(text, &err);
    ck_assert_msg(file == NULL, "taken: %s", text);
    ck_assert_msg(strstr(err.text, said) != NULL, "%s: %s", text, err.text);
    ck_assert_ptr_nonnull(strstr(err.text, "x.json"));
    free(text);
}

#define HEAD                                                                              \
    "\"schema\": \"talon/results/1\", \"tool\": \"1\", \"sut\": \"x\", \"live\": false, " \
    "\"seed\": \"1\", "
#define NONE                                                                             \
    HEAD "\"verdict\": \"none\", \"status\": 2, \"counts\": {\"pass\": 0, \"warn\": 0, " \
         "\"inconclusive\": 0, \"fail\": 0, \"error\": 0}, \"dispositions\": {}"
#define ONE                                                                              \
    HEAD "\"verdict\": \"pass\", \"status\": 0, \"counts\": {\"pass\": 1, \"warn\": 0, " \
         "\"inconclusive\": 0, \"fail\": 0, \"error\": 0}, \"dispositions\": {}"
#define CASE "\"id\": \"a\", \"title\": \"t\", \"file\": \"f\", \"verdict\": \"pass\""

START_TEST(what_is_no_results_is_refused_with_its_place)
{
    struct fal_error err = {{0}};
    struct tl_results_file *file = read_text("{" NONE ", \"cases\": []}", &err);

    ck_assert_msg(file != NULL, "%s", err.text);
    close_text(file);
    file = read_text("{" ONE ", \"cases\": [{" CASE "}]}\n", &err);
    ck_assert_msg(file != NULL, "%s", err.text);
    close_text(file);

    refused("", "", "member");
    refused("\"schema\": \"talon/results/2\"", "[]", "not talon/results/1");
    refused(NONE, "", "\"cases\" is missing");
    refused(NONE, "7", "expected '['");
    refused(NONE, "[7]", "expected an object");
    refused(NONE, "[{}]", "case 1: id: missing");
    refused(NONE, "[{\"id\": 7}]", "case 1: id: expected a text");
    refused(NONE, "[{" CASE "}", "expected ");
    refused(NONE, "[{" CASE "}] \"x\"", "expected '}'");
    refused(NONE, "[], \"cases\": []", "twice");
    refused(NONE ", \"tool\": \"2\"", "[]", "twice");
    refused(NONE, "[{\"a\": \"", "ends within");
    refused(NONE, "[{\"a\": \"\\", "ends within");
    refused(NONE, "[}]", "expected a value");
    refused(NONE, "[{\"a\" 1}]", "x.json:1");
    refused(ONE, "[{\"id\": \"a\", \"title\": \"t\", \"file\": \"f\", \"verdict\": \"good\"}]",
            "expected a verdict");
    refused(ONE, "[{" CASE ", \"duration_ns\": -1}]", "duration_ns: expected a whole number");
    refused(ONE, "[{" CASE ", \"seed\": \"xy\"}]", "seed: expected");
    refused(ONE, "[{" CASE ", \"disposition\": \"lost\"}]", "disposition: expected");
    refused(ONE, "[{" CASE ", \"covers\": [7]}]", "covers: expected");
    refused(ONE, "[{" CASE ", \"problems\": [7]}]", "problems[0]: expected an object");
    refused(ONE, "[{" CASE ", \"problems\": {}}]", "problems: expected an array");
    refused(ONE, "[{" CASE ", \"rules\": [{\"verdict\": \"pass\"}]}]",
            "rules[0].rule: missing");
    refused(ONE,
            "[{" CASE ", \"flow\": [{\"what\": \"packet\", \"t_ns\": 0, \"header\": \"0g\"}]}]",
            "flow[0].header: expected");
    refused(ONE, "[{" CASE ", \"flow\": [{\"what\": \"dance\", \"t_ns\": 0}]}]",
            "flow[0].what: expected");
    refused(ONE, "[{" CASE "},\n\n {" CASE ", \"title\": \"again\"}]", "x.json:3");
    refused(ONE, "[{" CASE ", \"timing\": []}]", "timing: expected");
    refused(ONE, "[{" CASE ", \"timing\": {\"timer_ns\": \"1\"}}]",
            "timing.timer_ns: expected");
    refused(ONE, "[{" CASE ", \"timing\": {\"steps\": [{\"step\": -1}]}}]",
            "timing.steps[0].step: expected");
    refused(ONE ", \"probe\": [{\"item\": \"psp\", \"seen\": \"odd\"}]", "[{" CASE "}]",
            "seen: expected");
    refused(ONE ", \"probe\": [{\"item\": \"psp\", \"seen\": \"does\", \"finding\": \"x\"}]",
            "[{" CASE "}]", "finding: expected");
    refused(ONE ", \"measured\": {\"timer_ns\": -1}", "[{" CASE "}]",
            "measured.timer_ns: expected");
    refused(ONE ", \"waivers\": [{\"id\": \"W\", \"kind\": \"waiver\", \"state\": \"odd\"}]",
            "[{" CASE "}]", "waivers[0].state: expected");
}
END_TEST

START_TEST(counts_that_are_not_those_of_the_cases_are_refused)
{
    refused(ONE, "[]", "counts 1 cases as pass");
    refused(HEAD "\"verdict\": \"warn\", \"status\": 0, \"counts\": {\"pass\": 1}",
            "[{" CASE "}]", "verdict is warn");
    refused(HEAD "\"verdict\": \"pass\", \"status\": 1, \"counts\": {\"pass\": 1}",
            "[{" CASE "}]", "status is 1");
}
END_TEST

START_TEST(what_this_version_does_not_know_keeps_its_name)
{
    struct fal_error err = {{0}};
    struct tl_results_file *file = read_text(
        "{" HEAD "\"verdict\": \"fail\", \"status\": 1, \"counts\": {\"fail\": 1}, \"cases\": "
        "[{\"id\": \"a\", \"title\": \"t\", \"file\": \"f\", \"verdict\": \"fail\", "
        "\"reason\": \"rule\", \"covers\": [\"NEW-1\"], \"problems\": [{\"kind\": \"rule\", "
        "\"verdict\": \"fail\", \"reason\": \"rule\", \"rule\": \"Z9\", \"subject\": \"sut\", "
        "\"requirement\": \"NEW-2\", \"requirement_text\": \"It must.\", \"t_ns\": 1}]}]}",
        &err);
    char *text;

    ck_assert_msg(file != NULL, "%s", err.text);
    text = document(tl_report_text, tl_results_of(file), NULL);
    ck_assert_ptr_nonnull(strstr(text, "rule Z9"));
    ck_assert_ptr_nonnull(strstr(text, "NEW-2"));
    ck_assert_ptr_nonnull(strstr(text, "It must."));
    free(text);
    close_text(file);
}
END_TEST

START_TEST(a_nul_in_a_text_is_no_end_of_it)
{
    struct fal_error err = {{0}};
    struct tl_results_file *file = read_text(
        "{" ONE
        ", \"cases\": [{\"id\": \"a\", \"title\": \"x\\u0000y\", \"file\": \"f\", \"verdict\": \"pass\"}]}",
        &err);
    char *text;

    ck_assert_msg(file != NULL, "%s", err.text);
    text = document(tl_report_junit, tl_results_of(file),
                    &(struct tl_report_options){.junit = TL_JUNIT_RICH});
    ck_assert_ptr_nonnull(strstr(text, "value=\"x\xef\xbf\xbdy\""));
    free(text);
    close_text(file);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("results_read");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, what_is_read_is_written_back_to_the_byte);
    tcase_add_test(tc, reports_do_not_tell_a_file_from_memory);
    tcase_add_test(tc, a_case_with_all_there_is_comes_back);
    tcase_add_test(tc, what_is_no_results_is_refused_with_its_place);
    tcase_add_test(tc, counts_that_are_not_those_of_the_cases_are_refused);
    tcase_add_test(tc, what_this_version_does_not_know_keeps_its_name);
    tcase_add_test(tc, a_nul_in_a_text_is_no_end_of_it);
    suite_add_tcase(suite, tc);
    return suite;
}
