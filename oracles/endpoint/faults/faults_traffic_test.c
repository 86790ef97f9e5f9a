/* SPDX-License-Identifier: Apache-2.0
 * faults_traffic_test.c - each fault at work in traffic of all kinds, both ends being initiator
 * and target at once: it acts, the endpoint stays sound, everything comes to its end, and plain
 * traffic flows. What a fault cannot help but break is said in a table. */
#include "oracles/endpoint/rig/bench_storm.h"
#include "tests/testing.h"

/* ---- what faults cannot help ---- */

enum {
    HARMS = 1,     /* transactions of plain traffic end in error */
    MISCOUNTS = 2, /* not every transaction completes exactly once */
    RUNS_ON = 4,   /* something goes on for ever */
    ELSEWHERE = 8, /* needs more than two plain endpoints: its own test shows it */
};

static const struct {
    enum fal_fault_id fault;
    unsigned what;
    const char *why;
} exceptions[] = {
    {FAL_FAULT_PSN_SKIPPED, HARMS, "the gap is never filled, and the window stops there"},
    {FAL_FAULT_HEADER_FIELD_SHIFTED, HARMS, "any field may be hit"},
    {FAL_FAULT_HEADER_FIELD_CORRUPTED, HARMS, "any field may be hit"},
    {FAL_FAULT_ACK_BEYOND_SENT_TAKEN, ELSEWHERE, "takes a peer that lies"},
    {FAL_FAULT_SPI_ZERO_ACCEPTED, ELSEWHERE, "takes a connection without an SPI"},
    {FAL_FAULT_OLD_GENERATION_ACCEPTED, ELSEWHERE, "takes old keys and a new IV"},
    {FAL_FAULT_ERROR_NACK_FATAL, ELSEWHERE, "takes an upper layer that errs"},
    {FAL_FAULT_GENERATION_BY_TWO, ELSEWHERE, "takes a key rotation"},
    {FAL_FAULT_GENERATION_BEFORE_UNKNOWN, ELSEWHERE, "takes a key rotation"},
    {FAL_FAULT_PCID_ALWAYS_MATCHED, ELSEWHERE, "takes a tunnel of another PCID"},
    {FAL_FAULT_REPLAY_MARGIN_FIXED, ELSEWHERE, "takes another margin"},
    {FAL_FAULT_LEVEL_THRESHOLDS_SHARED, ELSEWHERE, "takes pools that fill unlike each other"},
    {FAL_FAULT_LEVEL_WITHOUT_AVERAGE, ELSEWHERE, "takes an average of receive pools"},
    {FAL_FAULT_LEVEL_OF_PACKETS_ALONE, ELSEWHERE, "takes pools that fill unlike each other"},
    {FAL_FAULT_CONNECTIONS_STARVED, ELSEWHERE, "takes another connection that waits"},
    {FAL_FAULT_REMOTE_TIME_KEPT, ELSEWHERE, "takes a key rotation"},
    {FAL_FAULT_FILTER_WITHOUT_CAUSE, HARMS, "its peer gives the push up"},
    {FAL_FAULT_ERROR_WITHOUT_CAUSE, HARMS, "its peer gives the push up"},
    {FAL_FAULT_COMPLETION_DOUBLED, MISCOUNTS, "that is what it does"},
    {FAL_FAULT_RSN_SKIPPED, HARMS, "an ordered target waits for that RSN for ever"},
    {FAL_FAULT_PULL_RSN_REPEATED, HARMS, "its response does not find it"},
    {FAL_FAULT_PULL_DATA_WRONG_RSN, HARMS, "they answer another pull"},
    {FAL_FAULT_COMPLETION_LOST, HARMS | MISCOUNTS, "that is what it does"},
    {FAL_FAULT_TRANSACTION_NEVER_TIMES_OUT, MISCOUNTS, "what never ends never completes"},
    {FAL_FAULT_DEAD_CONNECTION_SILENT, ELSEWHERE, "takes a post on a dead connection"},
    {FAL_FAULT_PULL_DATA_UNMATCHED_DELIVERED, MISCOUNTS, "that is what it does"},
    {FAL_FAULT_REMOTE_XLR_COMPLETES_AS_CIE, ELSEWHERE, "takes a drop filter"},
    {FAL_FAULT_XLR_NACK_WRONG_CODE, ELSEWHERE, "takes a drop filter"},
    {FAL_FAULT_PULL_DELIVERY_LOST, HARMS, "nobody answers what nobody saw"},
    {FAL_FAULT_DELIVERY_ENDS_AT_WRAP, ELSEWHERE, "takes RSNs that wrap round"},
    {FAL_FAULT_RNR_CODE_0_SHORT, ELSEWHERE, "takes an RNR timeout of 655 ms"},
    {FAL_FAULT_LOCAL_XLR_COMPLETES_AS_REMOTE, ELSEWHERE, "takes a drop filter"},
    {FAL_FAULT_SUCCESS_COMPLETES_AS_CIE, HARMS, "that is what it does"},
    {FAL_FAULT_DATA_PSN_OF_REQUESTS, RUNS_ON, "its peer answers what it takes for copies"},
    {FAL_FAULT_HEADER_CUT_TAKEN, ELSEWHERE, "takes packets that are cut"},
    {FAL_FAULT_TYPE_UNCHECKED, ELSEWHERE, "takes packets of reserved types"},
    {FAL_FAULT_PROTOCOL_UNCHECKED, ELSEWHERE, "takes packets of reserved protocol types"},
    {FAL_FAULT_PSN_SKIPS_ZERO, HARMS, "the gap is never filled, and the window stops there"},
    {FAL_FAULT_MTU_IGNORED, ELSEWHERE, "takes payloads that are too long"},
    {FAL_FAULT_ERROR_STALLS_OTHERS, ELSEWHERE, "takes a connection that ends by an error"},
    {FAL_FAULT_LEVEL_OUTLIVES_CONNECTION, ELSEWHERE, "takes a connection that ends"},
    {FAL_FAULT_GAP_ABOVE_ONE, ELSEWHERE, "takes a gap between packets"},
    {FAL_FAULT_PAYLOAD_WRONG_AT_LENGTH, ELSEWHERE, "takes payloads of that length"},
    {FAL_FAULT_DELIVERED_WRONG_AT_LENGTH, ELSEWHERE, "takes payloads of that length"},
    {FAL_FAULT_PULLS_ON_ANOTHER, ELSEWHERE, "takes another connection"},
    {FAL_FAULT_PUSHES_ON_ANOTHER, ELSEWHERE, "takes another connection"},
    {FAL_FAULT_ANSWERS_ON_ANOTHER, ELSEWHERE, "takes another connection"},
    {FAL_FAULT_RTO_OF_ANOTHER, ELSEWHERE, "takes connections with RTOs of their own"},
    {FAL_FAULT_UNORDERED_HEAD_REFUSED, ELSEWHERE, "takes an unordered connection with limits"},
    {FAL_FAULT_FARTHEST_PSN_OLD, ELSEWHERE, "takes a PSN that no window reaches"},
    {FAL_FAULT_DONE_RSN_BLOCKS, ELSEWHERE, "takes a peer that gives an RSN twice"},
    {FAL_FAULT_CC_SHARED_STATE, ELSEWHERE, "takes another connection"},
    {FAL_FAULT_RESULTS_CROSS_CONNECTIONS, ELSEWHERE, "takes another connection"},
    {FAL_FAULT_GEN_STUCK, ELSEWHERE, "takes more events than the queue has entries"},
    {FAL_FAULT_ENTRY_BIT_ORDER, ELSEWHERE, "takes a RUE outside the endpoint"},
    {FAL_FAULT_RESULT_MISSING, ELSEWHERE, "is a mistake of the RUE, outside the endpoint"},
    {FAL_FAULT_RESYNC_OF_NOTHING_FATAL, ELSEWHERE, "takes a Resync of no transaction"},
};

/* The peer cannot accept malformed packets, so their retransmissions may be exhausted. */
static bool may_harm(int fault)
{
    return fault == FAL_FAULT_ACK_BASE_IGNORED ||
           (fault >= FAL_FAULT_VERSION_WRONG && fault <= FAL_FAULT_XLR_NACK_WRONG_CODE);
}

static bool excused(int fault, unsigned what)
{
    if (what == HARMS && may_harm(fault))
        return true;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if ((int)exceptions[i].fault == fault)
            return (exceptions[i].what & what) != 0;
    return false;
}

static const char *name_of(int fault)
{
    size_t n;

    return fault < 0 ? "no fault" : fal_faults(&n)[fault].name;
}

static void ends_in_peace(const struct traffic *t, int fault, uint64_t seed)
{
    for (unsigned side = 0; side < 2 && !excused(fault, MISCOUNTS); side++)
        ck_assert_msg(t->completed[side] == t->posted[side],
                      "%s, %s, TALON_SEED=%llu: side %u completed %u of %u", name_of(fault),
                      t->storm->name, (unsigned long long)seed, side, t->completed[side],
                      t->posted[side]);
    ck_assert_msg(!t->runs_on || excused(fault, RUNS_ON), "%s, %s, TALON_SEED=%llu: runs on",
                  name_of(fault), t->storm->name, (unsigned long long)seed);
}

/* ---- tests ---- */

static void flow(struct traffic *t, const struct storm *storm, int fault, uint32_t one_in,
                 uint64_t seed)
{
    storm_flow(
        t, storm,
        &(struct storm_setup){.fault = fault, .twin = -1, .one_in = one_in, .seed = seed});
}

START_TEST(plain_traffic_flows_under_every_fault)
{
    static struct traffic t;

    for (int fault = -1; fault < FAL_FAULT_ULP_FIRST; fault += (int)test_stride())
        for (uint32_t one_in = 1; one_in < 10; one_in += 4) {
            flow(&t, &storms[0], fault, one_in, one_in);
            ends_in_peace(&t, fault, one_in);
            for (unsigned side = 0; side < 2 && !excused(fault, HARMS); side++)
                ck_assert_msg(t.good[side] >= STORM_POSTS, "%s, one in %u: %u of %d well",
                              name_of(fault), one_in, t.good[side], STORM_POSTS);
        }
}
END_TEST

enum { LATEST = 128 }; /* so many seeds must show it act */

START_TEST(every_fault_acts_and_ends_in_peace_in_every_storm)
{
    unsigned long seeds = test_rounds(1);
    uint64_t first = test_seed(1);
    static struct traffic t;
    char idle[1000] = "";

    for (int fault = -1; fault < FAL_FAULT_ULP_FIRST; fault += (int)test_stride()) {
        uint64_t acts = 0;
        bool enough = fault < 0 || excused(fault, ELSEWHERE);

        for (uint64_t seed = first; seed < first + (acts > 0 || enough ? seeds : LATEST);
             seed++)
            for (size_t i = 0; i < STORMS && (seed < first + seeds || acts == 0); i++) {
                flow(&t, &storms[i], fault, 1 + (uint32_t)(seed % 3), seed);
                ends_in_peace(&t, fault, seed);
                acts += t.acts;
            }
        if (fault >= 0 && acts == 0 && !excused(fault, ELSEWHERE))
            (void)snprintf(idle + strlen(idle), sizeof idle - strlen(idle), " %s",
                           name_of(fault));
    }
    ck_assert_msg(idle[0] == 0, "never act:%s", idle);
}
END_TEST

/* An exception that is no longer needed would hide the next defect. */
START_TEST(every_exception_is_needed)
{
    static struct traffic t;

    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i += test_stride()) {
        int fault = (int)exceptions[i].fault;
        unsigned what = exceptions[i].what, seen = ELSEWHERE;

        ck_assert_uint_gt(strlen(exceptions[i].why), 0);
        for (size_t s = 0; s < STORMS; s++)
            for (uint64_t seed = 1; seed < 8 && (what == seen || (what & ~seen) != 0); seed++) {
                flow(&t, &storms[s], fault, 1 + (uint32_t)(seed % 3), seed);
                if (t.acts > 0)
                    seen &= ~(unsigned)ELSEWHERE;
                if (t.runs_on)
                    seen |= RUNS_ON;
                if (s == 0 && (t.good[0] < STORM_POSTS || t.good[1] < STORM_POSTS))
                    seen |= HARMS;
                if (t.completed[0] != t.posted[0] || t.completed[1] != t.posted[1])
                    seen |= MISCOUNTS;
            }
        ck_assert_msg((what & ~seen) == 0, "%s: excused for %u, seen %u", name_of(fault), what,
                      seen);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("traffic with faults");
    TCase *tc = tcase_create("faults");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, plain_traffic_flows_under_every_fault);
    tcase_add_test(tc, every_fault_acts_and_ends_in_peace_in_every_storm);
    tcase_add_test(tc, every_exception_is_needed);
    suite_add_tcase(suite, tc);
    return suite;
}
