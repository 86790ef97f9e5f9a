/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/logic/transfer.h"

#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

enum { SEGMENTS = 1024 };

/* The parts of a transfer that a test sees. */
struct seen {
    uint64_t next;   /* the segment to be delivered next */
    uint64_t posted; /* segments */
    uint64_t hash;   /* of all events */
    uint64_t sends, last_ns;
    bool done, odd; /* odd: times go back, a segment is sent before it is posted, or delivered
                       twice, out of order or with another payload */
    uint64_t key_of_sent[SEGMENTS];
};

static void look(void *ctx, const struct fal_tp_event *event)
{
    struct seen *seen = ctx;

    seen->done |= event->kind == FAL_TP_DONE;
    /* An assertion for each event would be most of the time. */
    seen->odd |= event->at_ns < seen->last_ns || event->seg >= SEGMENTS;
    if (seen->odd)
        return;
    seen->last_ns = event->at_ns;
    seen->hash = (seen->hash ^ event->at_ns ^ event->seg ^ ((uint64_t)event->kind << 40) ^
                  (event->digest << 8) ^ ((uint64_t)event->bytes << 20) ^
                  (event->reply.cum << 50) ^ ((uint64_t)event->reply.window << 30)) *
                 UINT64_C(1099511628211);
    if (event->kind == FAL_TP_POST)
        seen->posted = event->seg;
    if (event->kind == FAL_TP_SEND) {
        seen->odd |= event->seg >= seen->posted;
        seen->key_of_sent[event->seg] = event->digest;
        seen->sends++;
    }
    if (event->kind == FAL_TP_DELIVER) {
        seen->odd |= event->seg != seen->next || event->digest != seen->key_of_sent[event->seg];
        seen->next = event->seg + 1;
    }
}

static struct seen play(const struct fal_logic *logic, const struct fal_logic_variant *variant,
                        const struct fal_logic_fault *fault, uint64_t seed)
{
    struct seen seen = {0};
    struct fal_logic_transfer t = {.seed = seed, .fault = fault, .sink = {look, &seen}};
    struct fal_logic_outcome out;

    fal_logic_setup_init(&t.setup, logic);
    if (variant != NULL)
        variant->apply(&t.setup);
    fal_logic_transfer_random(&t);
    ck_assert_int_eq(fal_logic_transfer_run(&t, &out), 0);
    ck_assert(out.count.done == seen.done);
    return seen;
}

/* A transfer is whole: every segment was delivered once, in order, as it was sent. */
static void whole(const struct fal_logic *logic, const struct fal_logic_variant *variant,
                  uint64_t seed)
{
    struct seen seen = play(logic, variant, NULL, seed);

    ck_assert_msg(seen.done && !seen.odd && seen.next == seen.posted,
                  "%s %s: done %d, odd %d, %lu of %lu delivered; %s", logic->name,
                  variant != NULL ? variant->id : "", seen.done, seen.odd,
                  (unsigned long)seen.next, (unsigned long)seen.posted, test_again(seed));
}

START_TEST(random_transfers_complete)
{
    size_t n;
    const struct fal_logic_type *types = fal_logic_types(&n);
    uint64_t seed = test_seed(1);

    for (size_t i = 0; i < n; i++)
        for (unsigned long k = 0; k < test_rounds(30); k++)
            whole(types[i].logic, NULL, seed + k);
}
END_TEST

START_TEST(variants_complete_and_do_something_else)
{
    size_t n, num_variants;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const struct fal_logic_variant *variants = fal_logic_variants(&num_variants);

    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < num_variants; v++) {
            unsigned others = 0;

            if (!fal_logic_variant_fits(&variants[v], types[i].logic->name))
                continue;
            for (uint64_t seed = 1; seed <= 24 && (others == 0 || seed <= 3); seed++) {
                whole(types[i].logic, &variants[v], seed);
                others += play(types[i].logic, &variants[v], NULL, seed).hash !=
                          play(types[i].logic, NULL, NULL, seed).hash;
            }
            ck_assert_msg(others > 0, "%s: the variant %s changes nothing",
                          types[i].logic->name, variants[v].id);
        }
}
END_TEST

START_TEST(each_fault_shows_in_the_events)
{
    size_t n, num_faults;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const struct fal_logic_fault *faults = fal_logic_faults(&num_faults);

    for (size_t i = 0; i < n; i++) {
        unsigned fitting = 0;

        for (size_t f = 0; f < num_faults; f++) {
            unsigned others = 0;

            if (!fal_logic_fault_fits(&faults[f], types[i].logic->name))
                continue;
            fitting++;
            for (uint64_t seed = 1; seed <= 24 && others == 0; seed++)
                others += play(types[i].logic, NULL, &faults[f], seed).hash !=
                          play(types[i].logic, NULL, NULL, seed).hash;
            ck_assert_msg(others > 0, "%s: the fault %s changes nothing", types[i].logic->name,
                          faults[f].id);
        }
        ck_assert_uint_ge(fitting, 3);
    }
}
END_TEST

START_TEST(each_logic_is_below_200_lines)
{
    size_t n;
    const struct fal_logic_type *types = fal_logic_types(&n);

    for (size_t i = 0; i < n; i++) {
        char path[80];
        unsigned lines = 0;
        FILE *file;
        int c;

        (void)snprintf(path, sizeof path, "oracles/logic/%s.c", types[i].logic->name);
        for (char *at = path; (at = strchr(at, '-')) != NULL;)
            *at = '_';
        file = fopen(path, "re");
        ck_assert_msg(file != NULL, "%s: not found", path);
        while ((c = fgetc(file)) != EOF)
            lines += c == '\n';
        (void)fclose(file);
        ck_assert_msg(lines > 0 && lines < 200, "%s has %u lines", path, lines);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("transfer");
    TCase *tc = tcase_create("transfer");

    tcase_add_test(tc, random_transfers_complete);
    tcase_add_test(tc, variants_complete_and_do_something_else);
    tcase_add_test(tc, each_fault_shows_in_the_events);
    tcase_add_test(tc, each_logic_is_below_200_lines);
    suite_add_tcase(suite, tc);
    return suite;
}
