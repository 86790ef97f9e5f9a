/* SPDX-License-Identifier: Apache-2.0
 * audit_test.c - the audit sees whatever a callback changed. */
#ifndef FAL_AUDIT
#define FAL_AUDIT 1
#endif
#include "oracles/rules/judge/audit.c"
#include "tests/testing.h"

enum { WAYS = 7 };

struct state {
    struct fal_bag bag;
    uint64_t value;
};

/* Everything that a callback can change. */
struct scene {
    struct fal_rule about;
    struct fal_rule_impl impl;
    struct state state;
    struct fal_track track;
    struct fal_tallies tallies;
    struct fal_readings readings;
    uint64_t wake_ns;
    struct fal_ctx c;
};

static void set(struct scene *s)
{
    *s = (struct scene){.about = {.id = "X"}};
    s->impl =
        (struct fal_rule_impl){.about = &s->about, .state_size = sizeof s->state, .bags = 1};
    ck_assert(fal_tallies_init(&s->tallies, 2));
    (void)fal_tallies_count(&s->tallies, 0, FAL_ENDED_UNDECIDED);
    ck_assert_ptr_nonnull(fal_bag_add(&s->state.bag, sizeof(uint64_t), 8));
    s->c = (struct fal_ctx){.impl = &s->impl,
                            .track = &s->track,
                            .tallies = &s->tallies,
                            .readings = &s->readings,
                            .state = &s->state,
                            .wake_ns = &s->wake_ns};
}

static void change(struct scene *s, int way)
{
    switch (way) {
    case 0: s->state.value++; break;
    case 1: ++*FAL_BAG(&s->state.bag, uint64_t, 0); break;
    case 2: fal_bag_remove(&s->state.bag, sizeof(uint64_t), 0); break;
    case 3: fal_tallies_hold(&s->tallies, 0); break;
    case 4: (void)fal_tallies_count(&s->tallies, 0, FAL_ENDED_UNDECIDED); break;
    case 5: s->track.dead = true; break;
    case 6: s->wake_ns++; break;
    default: break;
    }
}

static bool unchanged(int way)
{
    struct scene s;
    struct fal_audit *audit = NULL;
    bool as_it_was;

    set(&s);
    fal_audit_begin(&audit, &s.c);
    ck_assert_ptr_nonnull(audit);
    change(&s, way);
    as_it_was = same(audit);
    free(audit);
    fal_bag_free(&s.state.bag);
    fal_tallies_free(&s.tallies);
    return as_it_was;
}

START_TEST(nothing_changed)
{
    ck_assert(unchanged(WAYS));
}
END_TEST

START_TEST(each_change_is_seen)
{
    for (int way = 0; way < WAYS; way++)
        ck_assert_msg(!unchanged(way), "way %d", way);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("audit");
    TCase *tc = tcase_create("audit");

    tcase_add_test(tc, nothing_changed);
    tcase_add_test(tc, each_change_is_seen);
    suite_add_tcase(suite, tc);
    return suite;
}
