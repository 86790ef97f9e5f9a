/* SPDX-License-Identifier: Apache-2.0
 * roce_testing.h - for tests: packets between host A (queue pair 0xa) and host B (0xb), and a
 * judge that sees them. A sends data, B sends ACKs and CNPs. */
#ifndef FAL_ORACLES_RULES_ROCE_ROCE_TESTING_H
#define FAL_ORACLES_RULES_ROCE_ROCE_TESTING_H

#include "oracles/rules/roce/judge.h"
#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

enum { QP_A = 0xa, QP_B = 0xb, HOST_A = 0x0a000001, HOST_B = 0x0a000002, CE = 3, ECT0 = 2 };
enum { US = 1000, OP_MIDDLE = 0x07, OP_ACK = 0x11, OP_READ = 0x0c, NAK_SEQUENCE = 0x60 };

static const struct fal_rj_pair ab_pair = {{{HOST_A, false}, {HOST_B, false}}, {QP_A, QP_B}};

static struct fal_roce_judge *judge;
static uint64_t now_ns, frame_number;

/* Everything is declared, and the capture is taken at the receiver B. */
static inline struct fal_rj_setup full_setup(uint64_t sut)
{
    struct fal_rj_setup s = {.have_dcqcn = true,
                             .congestion_management = FAL_ROCE_CLAIMED,
                             .limiter = FAL_ROCE_PER_QP,
                             .vantage = FAL_ROCE_AT_SUT,
                             .suts = {{sut, false}},
                             .num_suts = 1,
                             .pairs = &ab_pair,
                             .num_pairs = 1,
                             .turnaround_ns = 2 * US,
                             .have_turnaround = true,
                             .timeout_ns = 500 * US,
                             .burst_bytes = 4096,
                             .have_burst = true,
                             .complete = true,
                             .from_start = true,
                             .icrc_captured = true};

    s.dcqcn = *fal_dcqcn_preset("paper");
    s.dcqcn.cnp_interval_ns = 50 * US;
    s.dcqcn.line_rate_bps = UINT64_C(10000000000);
    return s;
}

static inline void begin(const struct fal_rj_setup *setup)
{
    fal_roce_judge_free(judge);
    judge = fal_roce_judge_new(setup);
    ck_assert_ptr_nonnull(judge);
    now_ns = UINT64_C(1000000000);
    frame_number = 0;
}

static inline void finish(void)
{
    fal_roce_judge_end(judge);
}

static inline struct fal_roce_seen from_a(unsigned opcode, uint32_t psn)
{
    return (struct fal_roce_seen){.at_ns = now_ns,
                                  .number = ++frame_number,
                                  .src = HOST_A,
                                  .dst = HOST_B,
                                  .ecn = ECT0,
                                  .opcode = (uint8_t)opcode,
                                  .dest_qp = QP_B,
                                  .psn = psn & 0xffffff,
                                  .payload = 1024,
                                  .wire = 1082,
                                  .icrc = FAL_ROCE_ICRC_RIGHT};
}

static inline struct fal_roce_seen from_b(unsigned opcode, uint32_t psn)
{
    struct fal_roce_seen seen = from_a(opcode, psn);

    seen.src = HOST_B;
    seen.dst = HOST_A;
    seen.dest_qp = QP_A;
    seen.payload = 0;
    seen.wire = 62;
    return seen;
}

static inline void show(struct fal_roce_seen seen)
{
    fal_roce_judge_seen(judge, &seen);
}

static inline void data(uint32_t psn)
{
    show(from_a(OP_MIDDLE, psn));
}

static inline void marked(uint32_t psn)
{
    struct fal_roce_seen seen = from_a(OP_MIDDLE, psn);

    seen.ecn = CE;
    show(seen);
}

static inline void answer(unsigned syndrome, uint32_t psn)
{
    struct fal_roce_seen seen = from_b(OP_ACK, psn);

    seen.has_aeth = true;
    seen.syndrome = (uint8_t)syndrome;
    show(seen);
}

static inline void ack(uint32_t psn)
{
    answer(0x1f, psn);
}

static inline void nak(uint32_t psn)
{
    answer(NAK_SEQUENCE, psn);
}

static inline struct fal_roce_seen a_cnp(void)
{
    struct fal_roce_seen seen = from_b(FAL_ROCE_OPCODE_CNP, 0);

    seen.becn = true;
    seen.ecn = 1;
    seen.cnp_zeros = true;
    return seen;
}

static inline void cnp(void)
{
    show(a_cnp());
}

static inline void after(uint64_t ns)
{
    now_ns += ns;
}

static inline const struct fal_tally_row *row(const char *id)
{
    const struct fal_tally *tally = fal_roce_judge_tally(judge);
    size_t rule = fal_tally_rule_of(tally, id);

    ck_assert_uint_lt(rule, tally->num_rules);
    return &tally->rows[rule];
}

/* All that was found, for messages of assertions. */
static inline const char *findings(void)
{
    static char text[4000];
    const struct fal_tally *tally = fal_roce_judge_tally(judge);
    size_t len = 0;

    text[0] = 0;
    for (size_t i = 0; i < tally->num_rules; i++)
        for (unsigned k = 0; k < tally->rows[i].num_findings && len < sizeof text - 400; k++)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s frame %d: %s\n",
                                    tally->rules[i].id, (int)tally->rows[i].findings[k].number,
                                    tally->rows[i].findings[k].what);
    return text;
}

/* Exactly this rule failed; "" for none. */
static inline void only_broken(const char *id)
{
    const struct fal_tally *tally = fal_roce_judge_tally(judge);

    for (size_t i = 0; i < tally->num_rules; i++)
        ck_assert_msg((tally->rows[i].broken > 0) == (strcmp(tally->rules[i].id, id) == 0),
                      "expected %s to be broken: %s%s", id[0] ? id : "nothing",
                      tally->rules[i].id, findings());
}

#define ck_excused(id, reason)                                        \
    do {                                                              \
        ck_assert_msg(row(id)->excused > 0, "%s is not excused", id); \
        ck_assert_str_eq(row(id)->excuse, reason);                    \
    } while (0)

#endif
