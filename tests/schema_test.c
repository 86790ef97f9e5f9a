/* SPDX-License-Identifier: Apache-2.0
 * The JSON Schemas that editors use say the same as the tables and enums of the program. Run
 * from the top of the sources. */
#include "harness/cli/schemas.h"
#include "harness/doc/doc.h"
#include "harness/profile/select.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/types.h"
#include "reports/results/diff.h"
#include "reports/results/results.h"

#include "tests/testing.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static json_t *load(const char *name)
{
    char path[100];
    json_error_t error;
    json_t *schema;

    (void)snprintf(path, sizeof path, "scenarios/schema/%s.json", name);
    schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(schema != NULL, "%s:%d: %s", path, error.line, error.text);
    ck_assert_str_eq(json_string_value(json_object_get(schema, "$schema")),
                     "http://json-schema.org/draft-07/schema#");
    return schema;
}

static json_t *definition(json_t *schema, const char *name)
{
    return json_object_get(json_object_get(schema, "definitions"), name);
}

static json_t *properties(json_t *object)
{
    json_t *found = json_object_get(object, "properties");

    ck_assert_ptr_nonnull(found);
    return found;
}

static bool enumerates(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), word) == 0)
            return true;
    return false;
}

/* Each reference leads somewhere, each object refuses what it does not know. */
static void check_tree(json_t *schema, json_t *at)
{
    const char *ref = json_string_value(json_object_get(at, "$ref")), *key;
    json_t *value;
    size_t i;

    if (ref != NULL) {
        ck_assert_int_eq(strncmp(ref, "#/definitions/", 14), 0);
        ck_assert_msg(definition(schema, ref + 14) != NULL, "%s leads nowhere", ref);
    }
    if (json_is_object(at))
        json_object_foreach(at, key, value) check_tree(schema, value);
    if (json_is_array(at))
        json_array_foreach(at, i, value) check_tree(schema, value);
}

START_TEST(references_lead_somewhere)
{
    const char *name;

    for (size_t i = 0; (name = tl_schema_name(i)) != NULL; i++) {
        json_t *schema = load(name);

        check_tree(schema, schema);
        json_decref(schema);
    }
}
END_TEST

START_TEST(parameters_are_those_of_the_table)
{
    json_t *schema = load("scenario");
    json_t *params = properties(definition(schema, "params"));
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    ck_assert_uint_eq(json_object_size(params), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *param = json_object_get(params, table[i].name);

        ck_assert_msg(param != NULL, "no %s", table[i].name);
        ck_assert_str_eq(json_string_value(json_object_get(param, "description")),
                         table[i].doc);
    }
    json_decref(schema);
}
END_TEST

/* The words of a member: alone, or beside a placeholder. */
static json_t *words_of(json_t *member)
{
    json_t *any = json_object_get(member, "anyOf");

    return json_object_get(any != NULL ? json_array_get(any, 0) : member, "enum");
}

/* `make schemas` writes the files. */
START_TEST(each_schema_is_what_its_table_prints)
{
    const char *name;
    glob_t files;

    for (size_t i = 0; (name = tl_schema_name(i)) != NULL; i++) {
        char path[100], *text = tl_schema_text(name), *kept;
        struct fal_error err = {{0}};
        size_t len;

        (void)snprintf(path, sizeof path, "scenarios/schema/%s.json", name);
        kept = tl_file_read(path, &len, &err);
        ck_assert_msg(kept != NULL, "%s: %s", path, err.text);
        ck_assert_msg(strcmp(kept, text) == 0, "%s is not what its table prints: make schemas",
                      path);
        free(text);
        free(kept);
    }
    ck_assert_int_eq(glob("scenarios/schema/*.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char kept[60];

        (void)snprintf(kept, sizeof kept, "%s", strrchr(files.gl_pathv[i], '/') + 1);
        *strrchr(kept, '.') = 0;
        json_t *schema = tl_schema(kept);
        ck_assert_msg(schema != NULL, "%s has no table", files.gl_pathv[i]);
        json_decref(schema);
    }
    globfree(&files);
    ck_assert_ptr_null(tl_schema("no-such-format"));
}
END_TEST

START_TEST(verbs_events_and_answers_are_those_of_the_program)
{
    json_t *schema = load("scenario");
    json_t *event = properties(definition(schema, "event"));
    json_t *rule = properties(definition(schema, "rule"));
    char name[40];

    for (int v = TL_SEND; v <= TL_REPEAT_END; v++) {
        (void)snprintf(name, sizeof name, "step_%s", tl_verb_name((enum tl_verb)v));
        ck_assert_msg(definition(schema, name) != NULL, "no %s", name);
    }
    for (int m = 0; m < TL_EVENT_MEMBERS; m++)
        ck_assert_ptr_nonnull(
            json_object_get(event, tl_event_member_name((enum tl_event_member)m)));
    ck_assert_uint_eq(json_object_size(event), TL_EVENT_MEMBERS + 1);
    for (int k = FAL_ULP_REQUEST; k <= FAL_ULP_COMPLETION; k++)
        ck_assert(enumerates(words_of(json_object_get(event, "event")),
                             tl_event_kind_name((enum fal_ulp_kind)k)));
    for (int a = FAL_ANSWER_ACK; a <= FAL_ANSWER_WITHHOLD; a++)
        ck_assert(enumerates(words_of(json_object_get(rule, "answer")),
                             fal_answer_name((enum fal_answer)a)));
    json_decref(schema);
}
END_TEST

START_TEST(verdicts_and_problems_are_those_of_the_program)
{
    json_t *schema = load("results");
    json_t *verdicts = json_object_get(json_object_get(properties(schema), "verdict"), "enum");
    json_t *cases =
        properties(json_object_get(json_object_get(properties(schema), "cases"), "items"));
    json_t *problem = properties(json_object_get(json_object_get(cases, "problems"), "items"));
    json_t *kinds = json_object_get(json_object_get(problem, "kind"), "enum");
    json_t *flow = properties(json_object_get(json_object_get(cases, "flow"), "items"));
    json_t *flows = json_object_get(json_object_get(flow, "what"), "enum");

    for (int k = TL_FLOW_PACKET; k <= TL_FLOW_GAP; k++)
        ck_assert(enumerates(flows, tl_flow_kind_name((enum tl_flow_kind)k)));
    for (int v = FAL_VERDICT_NONE; v <= FAL_VERDICT_ERROR; v++)
        ck_assert(enumerates(verdicts, fal_verdict_name((enum fal_verdict)v)));
    for (int k = TL_PROBLEM_STEP; k < TL_PROBLEM_KINDS; k++)
        ck_assert(enumerates(kinds, tl_problem_kind_name((enum tl_problem_kind)k)));
    json_decref(schema);
}
END_TEST

START_TEST(changes_are_those_of_the_program)
{
    json_t *schema = load("diff");
    json_t *changes = json_object_get(properties(schema), "changes");
    json_t *change = json_object_get(properties(json_object_get(changes, "items")), "change");

    for (int c = 0; c < TL_CHANGES; c++)
        ck_assert(
            enumerates(json_object_get(change, "enum"), tl_change_name((enum tl_change)c)));
    json_decref(schema);
}
END_TEST

START_TEST(documents_of_a_run_are_those_of_the_program)
{
    json_t *ics = load("ics"), *profile = load("profile"), *results = load("results"),
           *waivers = load("waivers");
    json_t *items = properties(json_object_get(properties(ics), "items"));
    json_t *claims = properties(json_object_get(properties(profile), "ics"));
    json_t *params = properties(json_object_get(properties(profile), "params"));
    json_t *select = properties(json_object_get(properties(profile), "select"));
    json_t *cases =
        properties(json_object_get(json_object_get(properties(results), "cases"), "items"));
    json_t *dispositions = json_object_get(json_object_get(cases, "disposition"), "enum");
    json_t *entry =
        properties(json_object_get(json_object_get(properties(waivers), "entries"), "items"));
    json_t *uses =
        properties(json_object_get(json_object_get(properties(results), "waivers"), "items"));
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    ck_assert_uint_eq(json_object_size(items), TL_ICS_COUNT);
    for (int i = 0; i < TL_ICS_COUNT; i++) {
        ck_assert_ptr_nonnull(json_object_get(items, tl_ics_name((enum tl_ics_item)i)));
        ck_assert_ptr_nonnull(json_object_get(claims, tl_ics_name((enum tl_ics_item)i)));
    }
    ck_assert_uint_eq(json_object_size(params), n);
    for (size_t i = 0; i < n; i++)
        ck_assert_ptr_nonnull(json_object_get(params, table[i].name));
    ck_assert_uint_eq(json_object_size(select), TL_SELECT_KINDS);
    for (int k = 0; k < TL_SELECT_KINDS; k++)
        ck_assert_ptr_nonnull(
            json_object_get(select, tl_select_kind_name((enum tl_select_kind)k)));
    ck_assert_uint_eq(json_array_size(dispositions), TL_FLAKY);
    for (int d = TL_NOT_APPLICABLE; d <= TL_FLAKY; d++)
        ck_assert(enumerates(dispositions, tl_disposition_name((enum tl_disposition)d)));
    ck_assert(json_equal(json_object_get(json_object_get(entry, "kind"), "enum"),
                         json_object_get(json_object_get(uses, "kind"), "enum")));
    json_decref(ics);
    json_decref(profile);
    json_decref(results);
    json_decref(waivers);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("schema");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, references_lead_somewhere);
    tcase_add_test(tc, parameters_are_those_of_the_table);
    tcase_add_test(tc, each_schema_is_what_its_table_prints);
    tcase_add_test(tc, verbs_events_and_answers_are_those_of_the_program);
    tcase_add_test(tc, verdicts_and_problems_are_those_of_the_program);
    tcase_add_test(tc, changes_are_those_of_the_program);
    tcase_add_test(tc, documents_of_a_run_are_those_of_the_program);
    suite_add_tcase(suite, tc);
    return suite;
}
