/* SPDX-License-Identifier: Apache-2.0
 * unseen_test.c - what went unseen (before a capture, in a gap) or was read late explains what
 * the same conversation, seen whole, would not: each row has both. */
#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* A virtual link of which only the latter part was seen, or of which anything may be missing.
 */
static const struct kind later = {
    .run = {RUN_VIRTUAL, .delay_max_ns = 0, .ordered_events = true}, .unknown = true};
static const struct kind leaky = {
    .run = {RUN_VIRTUAL, .delay_max_ns = 0, .ordered_events = true, .may_miss = true}};

/* A capture of it of which nobody said that it is complete. */
static const struct kind undeclared = {
    .run = {RUN_VIRTUAL, .delay_max_ns = 0, .ordered_events = true, .undeclared = true}};

#define PUSH    "> push_data psn=0r rsn=0r len=4"
#define PUSH_AR "> push_data psn=0r rsn=0r len=4 ar"
#define PULL    "> pull_request psn=0r rsn=0r len=4"
#define RNR     "< nack nack_psn=0r code=2 rnr=20us w=data"
#define EMPTY   "< eack dbase=0r rbase=0r"
#define COPY    "< push_data psn=0r rsn=0r len=4"
#define END     "wait 1ms", "mark barrier"
/* A block of a device has pattern 7, and pattern 8 is read from it. */
#define BLOCK_FILLED                                         \
    "nvme dev_format {\"nsid\":9,\"block_shift\":12} -> {}", \
        "nvme dev_fill {\"nsid\":9,\"slba\":100,\"nlb0\":0,\"tag\":7} -> {}"
#define BLOCK_READ \
    "> push_data psn=0r rsn=0r / nvme read_request ifn=5 itag=1 icmd=3 tnsid=9 slba=100"
#define BLOCK_OTHER \
    "< push_data psn=0r rsn=0r / nvme read_response ifn=5 itag=1 icmd=3 data=4096@8"

static const struct {
    const char *rule, *requirement;
    const struct kind *kind; /* of the one that is not seen whole */
    const char *unseen[9];   /* breaks nothing */
    const char *whole[9];    /* breaks the requirement */
} rows[] = {
    /* the gap is told when the time is over, that of the other direction first */
    {"A2",
     "FTP-9.1.6-07",
     &told,
     {PULL, "wait 1ms", "mark gap_out 1", "mark barrier"},
     {PULL, "wait 1ms", "mark gap_in 1", "mark barrier"}},
    {"A2", "FTP-9.1.6-07", &leaky, {PULL, END}, {PULL, END}},
    /* the ACK went unseen before the answer was read */
    {"A2",
     "FTP-9.1.6-07",
     &told,
     {PUSH, "mark gap_out 1", "ulp_ack 0r ack", END},
     {PUSH, "ulp_ack 0r ack", END}},
    {"A3",
     "FTP-9.1.6-03",
     &told,
     {PUSH_AR, "mark gap_out 1", "respond 0r ack", END},
     {PUSH_AR, "respond 0r ack", END}},
    {"U6",
     "FTP-8.5.3.3-09",
     &told,
     {PUSH, "mark gap_out 1", "respond 0r ack", END},
     {PUSH, "respond 0r ack", END}},
    /* a copy without AR was accepted before */
    {"A3",
     "FTP-9.1.6-02",
     &told,
     {"mark gap_in 1", "> pull_request psn=0r rsn=0r len=4 ar", END},
     {"> pull_request psn=0r rsn=0r len=4 ar", END}},
    {"A3",
     "FTP-9.1.6-03",
     &later,
     {PUSH_AR, "< back dbase=0r rbase=0r", "respond 0r ack", END},
     {PUSH_AR, "< back dbase=0r rbase=0r", "respond 0r ack", END}},
    /* the NACK was faster than the reply, or went unseen meanwhile */
    {"N3",
     "FTP-8.5.3.4-10",
     &told,
     {PUSH, "request 0r push 4", "respond> 0r rnr 20us", RNR, "wait 10us", "respond<", END},
     {PUSH, "request 0r push 4", RNR, "respond 0r rnr 20us", END}},
    {"N3",
     "FTP-8.5.3.4-10",
     &told,
     {PUSH, "request 0r push 4", "respond> 0r rnr 20us", "mark gap_out 1", "respond<", END},
     {PUSH, "request 0r push 4", "respond> 0r rnr 20us", "respond<", END}},
    /* claimed before the first observed copy showed its transaction */
    {"U6",
     "FTP-8.5.3.3-09",
     &told,
     {"mark gap_in 1", "request 0r push 4", "respond> 0r ack",
      "< eack dbase=0r rbase=0r dack=0b1 drx=0b1", PUSH, "respond<", END},
     {"request 0r push 4", "respond> 0r ack", "< eack dbase=0r rbase=0r", PUSH, "respond<",
      END}},
    /* a copy before the capture was RNRed for another while */
    {"N2",
     "FTP-9.1.7-05",
     &later,
     {PUSH, "< back dbase=0r rbase=0r", "request 0r push 4", "respond 0r rnr 1ms", RNR,
      "barrier"},
     {PUSH, "< back dbase=0r rbase=0r", "request 0r push 4", "respond 0r rnr 1ms", RNR,
      "barrier"}},
    /* it was RNRed before it was NACKed with an error, which may have taken its bit back */
    {"R4",
     "FTP-9.2.1-09",
     &told,
     {PUSH, "mark gap_out 1", "request 0r push 4", "respond 0r nre 1",
      "< nack nack_psn=0r code=7 ulp_nack_code=1 w=data", ("+1us " EMPTY)},
     {PUSH, "request 0r push 4", "respond 0r nre 1",
      "< nack nack_psn=0r code=7 ulp_nack_code=1 w=data", ("+1us " EMPTY)}},
    /* delivered before the capture */
    {"U5",
     "FTP-8.5.3.3-06",
     &later,
     {"> push_data psn=9r rsn=9r len=4", "ulp_ack 20r ack", "< back dbase=10r rbase=0r",
      "barrier"},
     {PUSH, "ulp_ack 20r ack", "< back dbase=1r rbase=0r", "barrier"}},
    /* the NACK that reported its drop was not observed */
    {"R5",
     "FTP-9-02",
     &told,
     {PUSH, "mark gap_out 1", ("+1us " EMPTY), END},
     {PUSH, ("+1us " EMPTY), END}},
    /* an RNR before it asked for less, or an EACK allowed it */
    {"RN1",
     "FTP-8.4.3.4-03",
     &told,
     {COPY, "mark gap_in 1", "wait 1us", "> nack nack_psn=0r code=2 rnr=10.24ms w=data",
      ("+5ms " COPY)},
     {COPY, "wait 1us", "> nack nack_psn=0r code=2 rnr=10.24ms w=data", ("+5ms " COPY)}},
    /* given again upon an unseen copy */
    {"RN4",
     "FTP-11-39",
     &told,
     {PUSH, "request 0r push 4", "respond 0r rnr 1280us", "mark gap_in 1", "wait 1us",
      "request 0r push 4 again"},
     {PUSH, "request 0r push 4", "respond 0r rnr 1280us", "wait 1us",
      "request 0r push 4 again"}},
    /* the overrun was before the capture */
    {"O1",
     "FTP-9.2.1-11",
     &later,
     {PUSH, "< eack dbase=0r rbase=0r d-own"},
     {PUSH, "< eack dbase=0r rbase=0r d-own"}},
    /* what a capture lost, whose other packets count (fal_rule.shown) */
    {"X1",
     "FTP-8.5.3.2-03",
     &undeclared,
     {"< pull_data psn=0r rsn=0r", END},
     {"< pull_data psn=0r rsn=0r", END}},
    {"S2",
     "FTP-9.1.8-03",
     &undeclared,
     {"< resync psn=0r rsn=0r code=1 of=push_data", END},
     {"< resync psn=0r rsn=0r code=1 of=push_data", END}},
    {"R3",
     "FTP-9.2.1-09",
     &undeclared,
     {PUSH, "< eack dbase=0r rbase=0r drx=0b1", ("+1us " EMPTY)},
     {PUSH, "< eack dbase=0r rbase=0r drx=0b1", ("+1us " EMPTY)}},
    {"R6",
     "FTP-9.1.6-13",
     &undeclared,
     {PUSH, "> push_data psn=2r rsn=2r len=4", "< eack dbase=1r rbase=0r drx=0b10",
      "< back dbase=1r rbase=0r"},
     {PUSH, "> push_data psn=2r rsn=2r len=4", "< eack dbase=1r rbase=0r drx=0b10",
      "< back dbase=1r rbase=0r"}},
    {"U1", "FTP-9.2.2-01", &undeclared, {"request 0r push 4"}, {"request 0r push 4"}},
    {"U2",
     "FTP-9.2.2.4-05",
     &undeclared,
     {PUSH, "request 0r push 4", "request 0r push 4", "barrier"},
     {PUSH, "request 0r push 4", "request 0r push 4", "barrier"}},
    {"U3",
     "FTP-8.5.2-01",
     &undeclared,
     {"> push_data psn=1r rsn=1r len=4", "request 1r push 4"},
     {"> push_data psn=1r rsn=1r len=4", "request 1r push 4"}},
    {"C1",
     "FTP-8.4.3.3-10",
     &undeclared,
     {COPY, "> back dbase=0r rbase=0r", "completion 0r"},
     {COPY, "> back dbase=0r rbase=0r", "completion 0r"}},
    {"R1",
     "FTP-9.2.1-04",
     &leaky,
     {PUSH, "< back dbase=5r rbase=0r"},
     {PUSH, "< back dbase=5r rbase=0r"}},
    /* a write to the block */
    {"NV9",
     "NVME-8.4-03",
     &told,
     {BLOCK_FILLED, "mark gap_in 1", BLOCK_READ, BLOCK_OTHER},
     {BLOCK_FILLED, BLOCK_READ, BLOCK_OTHER}},
    {"NV9",
     "NVME-8.4-03",
     &leaky,
     {BLOCK_FILLED, BLOCK_READ, BLOCK_OTHER},
     {BLOCK_FILLED, BLOCK_READ, BLOCK_OTHER}},
};
enum { ROWS = sizeof rows / sizeof *rows };

START_TEST(what_went_unseen_may_explain_it)
{
    struct outcome o = judged(rows[_i].rule, rows[_i].kind, rows[_i].unseen);

    ck_assert_msg(o.sut.broken == 0, "row %d, %s: %s / %s", _i, rows[_i].rule,
                  o.findings[0].expected, o.findings[0].seen);
    o = judged(rows[_i].rule, &told, rows[_i].whole);
    ck_assert_msg(o.sut.broken == 1, "row %d, %s: the whole is not broken", _i, rows[_i].rule);
    ck_assert_str_eq(o.findings[0].requirement, rows[_i].requirement);
}
END_TEST

/* They do count: what they show needs no packet that is not there. */
START_TEST(what_is_there_counts)
{
    static const struct {
        const char *rule, *requirement, *lines[6];
    } shown[] = {
        {"X1", "FTP-9-12", {COPY, "< push_data psn=0r rsn=0r len=8"}},
        {"S2", "FTP-9.1.8-03", {COPY, "< resync psn=0r rsn=1r code=1 of=push_data"}},
        {"R3", "FTP-9.1.6-08", {PUSH, "< back dbase=1r", "+1us < back dbase=0r"}},
        {"R6",
         "FTP-9.1.6-11",
         {PULL, "< eack dbase=0r rbase=0r req=0b10", "< back dbase=0r rbase=0r"}},
        {"U1", "FTP-8.5.3.3-06", {PUSH, "request 0r push 5"}},
        {"C1", "FTP-6.1.1.1-01", {COPY, "> back dbase=1r", "completion 0r", "completion 0r"}},
    };

    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        ck_breaks(judged(shown[i].rule, &undeclared, shown[i].lines), shown[i].requirement, 1);
}
END_TEST

/* The ACK proves that the push had arrived; in a capture an earlier copy may be missing. */
START_TEST(no_order_by_an_acknowledgement)
{
    const char *const *lines = LINES(
        "> push_data psn=1r rsn=1r len=4", "< eack dbase=0r rbase=0r dack=0b10 drx=0b10",
        "> push_data psn=2r rsn=2r len=4", "< eack dbase=0r rbase=0r dack=0b100 drx=0b100");
    struct kind part = udp;

    ck_breaks(judged("R3", &udp, lines), "FTP-9.2.1-08", 1);
    part.run.undeclared = true;
    ck_assert_uint_eq(judged("R3", &part, lines).sut.broken, 0);
}
END_TEST

/* With the bits the other way round (a reading), what is left over of one window's overruns
 * says nothing of the other's. */
START_TEST(own_bits_that_may_be_swapped)
{
    ck_assert_uint_eq(judged("O1", &told,
                             LINES("step > push_data psn=128r rsn=128r len=4",
                                   "step > pull_request psn=64r rsn=64r len=4",
                                   "< eack dbase=0r rbase=0r r-own d-own",
                                   "step > push_data psn=129r rsn=129r len=4",
                                   "< eack dbase=0r rbase=0r r-own"))
                          .sut.broken,
                      0);
    ck_breaks(
        judged("O1", &told,
               LINES("step > push_data psn=128r rsn=128r len=4",
                     "step > pull_request psn=64r rsn=64r len=4",
                     "< eack dbase=0r rbase=0r r-own d-own", "< eack dbase=0r rbase=0r r-own")),
        "FTP-9.2.1-10", 1);
}
END_TEST

START_TEST(an_own_bit_that_may_be_the_other_windows)
{
    struct outcome o =
        judged("O2", &told,
               LINES(PULL, "step > push_data psn=128r rsn=128r len=4",
                     "step > pull_request psn=64r rsn=64r len=4",
                     "+1us < eack dbase=0r rbase=1r r-own", "+1us < eack dbase=0r rbase=1r"));

    ck_assert_uint_eq(o.sut.broken, 0);
    o = judged("O2", &told,
               LINES(PULL, "step > push_data psn=128r rsn=128r len=4",
                     "step > pull_request psn=65r rsn=65r len=4",
                     "+1us < eack dbase=0r rbase=1r r-own"));
    ck_breaks(o, "FTP-9.2.2.4-03", 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("what went unseen");
    TCase *tc = tcase_create("unseen");

    tcase_add_loop_test(tc, what_went_unseen_may_explain_it, 0, ROWS);
    tcase_add_test(tc, what_is_there_counts);
    tcase_add_test(tc, no_order_by_an_acknowledgement);
    tcase_add_test(tc, own_bits_that_may_be_swapped);
    tcase_add_test(tc, an_own_bit_that_may_be_the_other_windows);
    suite_add_tcase(suite, tc);
    return suite;
}
