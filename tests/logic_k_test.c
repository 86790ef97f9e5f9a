/* SPDX-License-Identifier: Apache-2.0
 * logic_k_test.c - the logics of the kit judged by the K rules, which were written apart from
 * them: random transfers of each logic and variant violate no rule, each fault violates the
 * rule that it names, and a file of events has the verdicts of the run. TALON_TIMES=100 plays
 * 1,000 transfers of each logic. */
#include "harness/logic/logic_json.h"
#include "harness/transport/tp_judges.h"
#include "harness/transport/tp_line.h"
#include "oracles/logic/fault.h"
#include "oracles/logic/transfer.h"
#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Transfers in which a fault must show, and those of which files are compared. */
enum { FAULT_SEEDS = 40, FILES = 1 };

static const struct fal_tp_view whole = {.vantage = FAL_TP_BOTH, .complete = true};

/* Judges a transfer, as it is played and, if `file` is set, by the lines of its file. */
struct judged {
    struct fal_tp_judge *judge;
    struct fal_tally_row rows[FAL_K_RULES];
    struct fal_tally tally;
    struct tl_tp_judges *file;
    bool failed; /* an assertion for each event would take most of the time */
};

static void read_back(struct judged *j, json_t *object)
{
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    struct fal_tp_event event;
    struct fal_tp_row row = {.name = "declared"};
    struct fal_error err = {{0}};
    int rc =
        text != NULL ? tl_tp_line_read(text, strlen(text), &event, &row, &err) : FAL_ERR_MEM;

    if (rc == TL_TP_ROW)
        rc = tl_tp_judges_row(j->file, event.flow, &row);
    else if (rc == TL_TP_EVENT)
        rc = tl_tp_judges_event(j->file, &event);
    else if (rc == TL_TP_END)
        rc = tl_tp_judges_over(j->file, event.flow, event.at_ns);
    j->failed |= rc != 0;
    free(text);
    json_decref(object);
}

static void take(void *ctx, const struct fal_tp_event *event)
{
    struct judged *j = ctx;

    j->failed |= fal_tp_judge_event(j->judge, event) != 0;
    if (j->file != NULL)
        read_back(j, tl_logic_event_json(event));
}

static void play(struct judged *j, const struct fal_logic *logic,
                 const struct fal_logic_variant *variant, const struct fal_logic_fault *fault,
                 uint64_t seed)
{
    struct fal_logic_transfer t = {.seed = seed, .fault = fault, .sink = {take, j}};
    struct fal_logic_outcome out;
    struct fal_tp_row row;

    fal_logic_setup_init(&t.setup, logic);
    if (variant != NULL)
        variant->apply(&t.setup);
    fal_logic_transfer_random(&t);
    fal_logic_setup_row(&t.setup, &row);
    j->tally = (struct fal_tally){fal_k_rules(&j->tally.num_rules), j->rows, FAL_K_RULES};
    j->judge = fal_tp_judge_new(&row, &whole, &j->tally);
    ck_assert_ptr_nonnull(j->judge);
    if (j->file != NULL)
        read_back(j, json_pack("{s:i, s:o}", "flow", 0, "transport", tl_logic_row_json(&row)));
    ck_assert_int_eq(fal_logic_transfer_run(&t, &out), 0);
    if (j->file != NULL)
        read_back(j, json_pack("{s:i, s:I}", "flow", 0, "end_ns", (json_int_t)out.end_ns));
    fal_tp_judge_end(j->judge, out.end_ns);
    fal_tp_judge_free(j->judge);
    ck_assert(!j->failed);
}

/* No rule is violated. Adds what was decided. */
static void holds(const struct fal_logic *logic, const struct fal_logic_variant *variant,
                  uint64_t seed, uint64_t held[FAL_K_RULES])
{
    static struct judged j;

    memset(&j, 0, sizeof j);
    play(&j, logic, variant, NULL, seed);
    for (unsigned k = 0; k < FAL_K_RULES; k++) {
        ck_assert_msg(j.rows[k].broken == 0, "%s %s: %s: %s; %s", logic->name,
                      variant != NULL ? variant->id : "", j.tally.rules[k].id,
                      j.rows[k].findings[0].what, test_again(seed));
        held[k] += j.rows[k].held;
    }
}

START_TEST(random_transfers_hold_every_rule)
{
    size_t n;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const uint64_t seed = test_seed(1);

    for (size_t i = 0; i < n; i++) {
        uint64_t held[FAL_K_RULES] = {0};

        for (uint64_t k = 0; k < test_rounds(10); k++)
            holds(types[i].logic, NULL, seed + k, held);
        /* A part of the transfers may have no losses. */
        for (unsigned k = FAL_K1; test_stride() == 1 && k <= FAL_K10; k++)
            ck_assert_msg(held[k] > 0 || k == FAL_K9, "%s: rule %u decided nothing",
                          types[i].logic->name, k + 1);
        if (getenv("TALON_TELL") != NULL)
            printf("%s: %lu transfers, K5 held %lu times, K8 %lu times\n", types[i].logic->name,
                   test_rounds(10), (unsigned long)held[FAL_K5], (unsigned long)held[FAL_K8]);
    }
}
END_TEST

START_TEST(variants_are_spared)
{
    size_t n, num_variants;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const struct fal_logic_variant *variants = fal_logic_variants(&num_variants);
    const uint64_t seed = test_seed(1);

    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < num_variants; v++) {
            uint64_t held[FAL_K_RULES] = {0};

            for (uint64_t k = 0; k < test_rounds(2); k++)
                if (fal_logic_variant_fits(&variants[v], types[i].logic->name))
                    holds(types[i].logic, &variants[v], seed + k, held);
        }
}
END_TEST

/* Whether that rule was violated in one of the transfers. */
static bool found(const struct fal_logic *logic, const struct fal_logic_fault *fault)
{
    static struct judged j;

    for (uint64_t seed = 1; seed <= FAULT_SEEDS; seed++) {
        memset(&j, 0, sizeof j);
        play(&j, logic, NULL, fault, seed);
        for (unsigned k = 0; k < FAL_K_RULES; k++)
            if (j.rows[k].broken > 0 && strcmp(j.tally.rules[k].id, fault->rule) == 0)
                return true;
    }
    return false;
}

START_TEST(each_fault_violates_the_rule_that_it_names)
{
    size_t n, num_faults;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const struct fal_logic_fault *faults = fal_logic_faults(&num_faults);

    for (size_t i = 0; i < n; i++) {
        unsigned fitting = 0;

        for (size_t f = 0; f < num_faults; f++) {
            if (!fal_logic_fault_fits(&faults[f], types[i].logic->name))
                continue;
            fitting++;
            ck_assert_msg(found(types[i].logic, &faults[f]), "%s: %s not violated by %s",
                          types[i].logic->name, faults[f].rule, faults[f].id);
        }
        ck_assert_uint_ge(fitting, 3);
    }
}
END_TEST

static void compare(const struct fal_logic *logic, const struct fal_logic_fault *fault,
                    uint64_t seed)
{
    static struct judged j;
    const struct fal_tally *file;

    memset(&j, 0, sizeof j);
    j.file = tl_tp_judges_new(NULL, &whole);
    ck_assert_ptr_nonnull(j.file);
    play(&j, logic, NULL, fault, seed);
    file = tl_tp_judges_end(j.file);
    for (unsigned k = 0; k < FAL_K_RULES; k++) {
        const struct fal_tally_row *a = &j.rows[k], *b = &file->rows[k];

        ck_assert_msg(a->verdict == b->verdict && a->held == b->held &&
                          a->broken == b->broken && a->excused == b->excused,
                      "%s %s: %s: held %lu, violated %lu; in the file %lu, %lu; %s",
                      logic->name, fault != NULL ? fault->id : "", j.tally.rules[k].id,
                      (unsigned long)a->held, (unsigned long)a->broken, (unsigned long)b->held,
                      (unsigned long)b->broken, test_again(seed));
        for (unsigned f = 0; f < a->num_findings; f++)
            ck_assert_str_eq(a->findings[f].what, b->findings[f].what);
    }
    tl_tp_judges_free(j.file);
}

START_TEST(a_file_has_the_verdicts_of_the_run)
{
    size_t n, num_faults;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const struct fal_logic_fault *faults = fal_logic_faults(&num_faults);
    const uint64_t seed = test_seed(1);

    for (size_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < test_rounds(FILES); k++) {
            compare(types[i].logic, NULL, seed + k);
            for (size_t f = 0; f < num_faults; f++)
                if (fal_logic_fault_fits(&faults[f], types[i].logic->name))
                    compare(types[i].logic, &faults[f], seed + k);
        }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("logic_k");
    TCase *tc = tcase_create("transfers"), *files = tcase_create("files");

    tcase_set_timeout(tc, 600);
    tcase_set_timeout(files, 600);
    tcase_add_test(tc, random_transfers_hold_every_rule);
    tcase_add_test(tc, variants_are_spared);
    tcase_add_test(tc, each_fault_violates_the_rule_that_it_names);
    tcase_add_test(files, a_file_has_the_verdicts_of_the_run);
    suite_add_tcase(suite, tc);
    suite_add_tcase(suite, files);
    return suite;
}
