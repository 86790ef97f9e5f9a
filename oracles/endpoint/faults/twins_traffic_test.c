/* SPDX-License-Identifier: Apache-2.0
 * twins_traffic_test.c - each twin in traffic of all kinds: something happens differently, and
 * everything goes as well as without it. */
#include "oracles/endpoint/rig/bench_storm.h"
#include "tests/testing.h"

/* Twins of which two endpoints in these storms show nothing; their own tests do. */
static const struct {
    enum fal_twin_id twin;
    const char *why;
} hidden[] = {
    {FAL_TWIN_HOPS_WRAP, "nobody sits 16 hops away"},
    {FAL_TWIN_ACK_REQUESTS_FIRST, "takes a peer that claims what cannot be"},
    {FAL_TWIN_RUE_EVENT_EACH_TIME, "the RUE answers at once: its queue stays empty"},
    {FAL_TWIN_RUE_EVENT_ONE_AT_A_TIME, "the RUE answers at once: no event is without result"},
    {FAL_TWIN_RUE_P2_COUNTS_BYTES, "the RUE answers at once: its queue stays empty"},
    {FAL_TWIN_RESERVED_BITS_REFUSED, "nobody sets one"},
    {FAL_TWIN_POOLS_OF_DEVICE, "there is one connection"},
    {FAL_TWIN_RNR_FOLLOWERS_DELIVERED, "nobody knows what the upper layers will answer"},
    {FAL_TWIN_COOKIE_UNASKED, "both ends have a PCID"},
    {FAL_TWIN_TUNNELS_REFUSED, "no connection asks for a tunnel"},
};

static bool is_hidden(int twin)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if ((int)hidden[i].twin == twin)
            return true;
    return false;
}

static const char *name_of(int twin)
{
    size_t n;

    return fal_twins(&n)[twin].name;
}

static void flow(struct traffic *t, const struct storm *storm, int twin, uint64_t seed)
{
    storm_flow(t, storm,
               &(struct storm_setup){.fault = -1, .twin = twin, .one_in = 1, .seed = seed});
}

/* Whether it went otherwise than without the twin. */
static bool differs(struct traffic *t, const struct storm *storm, int twin, uint64_t seed)
{
    uint64_t plain;

    flow(t, storm, -1, seed);
    plain = t->trace;
    flow(t, storm, twin, seed);
    return t->trace != plain;
}

static void goes_well(const struct traffic *t, int twin, uint64_t seed)
{
    for (unsigned side = 0; side < 2; side++)
        ck_assert_msg(t->completed[side] == t->posted[side],
                      "%s, %s, TALON_SEED=%llu: side %u completed %u of %u", name_of(twin),
                      t->storm->name, (unsigned long long)seed, side, t->completed[side],
                      t->posted[side]);
    ck_assert_msg(!t->runs_on, "%s, %s, TALON_SEED=%llu: runs on", name_of(twin),
                  t->storm->name, (unsigned long long)seed);
    if (t->storm == &storms[0])
        ck_assert_msg(t->good[0] == STORM_POSTS && t->good[1] == STORM_POSTS,
                      "%s: %u and %u of %d well", name_of(twin), t->good[0], t->good[1],
                      STORM_POSTS);
}

enum { LATEST = 128 }; /* so many seeds must show a twin */

START_TEST(each_twin_is_seen_and_traffic_flows)
{
    unsigned long seeds = test_rounds(1);
    uint64_t first = test_seed(1);
    static struct traffic t;
    char wrong[600] = "";

    for (int twin = 0; twin < FAL_TWIN_ULP_FIRST; twin += (int)test_stride()) {
        bool seen = false;

        for (uint64_t seed = first; seed < first + (seen ? seeds : LATEST); seed++)
            for (size_t i = 0; i < STORMS && (seed < first + seeds || !seen); i++) {
                seen |= differs(&t, &storms[i], twin, seed);
                goes_well(&t, twin, seed);
            }
        if (seen == is_hidden(twin))
            (void)snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s",
                           name_of(twin));
    }
    ck_assert_msg(wrong[0] == 0, "not seen, or not hidden:%s", wrong);
}
END_TEST

/* What one asks of the text, another may not forbid. */
START_TEST(all_twins_together_let_traffic_flow)
{
    const struct storm all = {
        .name = "all", .wire = {.latency_ns = 5000}, .burst = 3, .late_percent = 20};
    static struct traffic t;

    for (uint64_t seed = 1; seed < 4; seed++) {
        flow(&t, &all, FAL_TWIN_COUNT, seed);
        ck_assert(!t.runs_on);
        for (unsigned side = 0; side < 2; side++)
            ck_assert_uint_eq(t.completed[side], t.posted[side]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("traffic with twins");
    TCase *tc = tcase_create("twins");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, each_twin_is_seen_and_traffic_flows);
    tcase_add_test(tc, all_twins_together_let_traffic_flow);
    suite_add_tcase(suite, tc);
    return suite;
}
