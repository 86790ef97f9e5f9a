/* SPDX-License-Identifier: Apache-2.0
 * engine_judge_test.c - each of K11 to K14: events of an engine that break it, and near misses.
 */
#include "oracles/rules/transport/engine_judge.h"

#include "oracles/rng.h"
#include "tests/testing.h"

#include <string.h>

static const struct fal_en_setup declared = {.cycle_ns = 10,
                                             .ring = 4,
                                             .flows = 8,
                                             .latency_cycles = 10,
                                             .rate_error_ppm = 10000,
                                             .burst_bytes = 128};

static struct fal_tally_row rows[FAL_K_RULES];
static struct fal_tally tally;
static struct fal_en_judge *judge;
static uint64_t number;

static void begin(const struct fal_en_setup *setup)
{
    size_t n;

    tally = (struct fal_tally){fal_k_rules(&n), rows, FAL_K_RULES};
    fal_tally_clear(&tally);
    judge = fal_en_judge_new(setup, &tally);
    ck_assert_ptr_nonnull(judge);
    number = 0;
}

static void event(struct fal_en_event e)
{
    e.number = ++number;
    ck_assert_int_eq(fal_en_judge_event(judge, &e), 0);
}

/* The rule that is broken must be this one alone; FAL_K_RULES: none. */
static void end(enum fal_k_rule rule)
{
    fal_en_judge_end(judge);
    fal_en_judge_free(judge);
    for (unsigned k = 0; k < FAL_K_RULES; k++)
        ck_assert_msg((rows[k].broken > 0) == (k == rule), "%s: %s", tally.rules[k].id,
                      rows[k].broken > 0 ? rows[k].findings[0].what : "not broken");
}

static void generate(uint64_t cycle, uint32_t flow, uint64_t seg)
{
    event((struct fal_en_event){
        .cycle = cycle, .kind = FAL_EN_GENERATE, .flow = flow, .seg = seg, .bytes = 128});
}

static void transmit(uint64_t cycle, uint32_t flow, uint64_t seg)
{
    event((struct fal_en_event){
        .cycle = cycle, .kind = FAL_EN_TRANSMIT, .flow = flow, .seg = seg, .bytes = 128});
}

static void set(uint64_t cycle, enum fal_en_kind kind, enum fal_en_set which, uint32_t flow)
{
    event((struct fal_en_event){.cycle = cycle, .kind = kind, .flow = flow, .set = which});
}

START_TEST(k11_the_ring_holds_n_addresses_in_order)
{
    for (unsigned n = 4; n <= 5; n++) {
        begin(&declared);
        for (unsigned i = 0; i < n; i++)
            generate(i, 1, i);
        end(n == 4 ? FAL_K_RULES : FAL_K11);
    }
    begin(&declared); /* one leaves before the fifth enters */
    for (unsigned i = 0; i < 4; i++)
        generate(i, 1, i);
    transmit(5, 1, 0);
    generate(6, 1, 4);
    end(FAL_K_RULES);
    begin(&declared);
    generate(1, 1, 0);
    generate(2, 1, 1);
    transmit(3, 1, 1);
    end(FAL_K11);
    begin(&declared);
    transmit(3, 1, 0);
    end(FAL_K11);
}
END_TEST

START_TEST(k11_a_flow_is_in_a_set_once)
{
    begin(&declared);
    set(1, FAL_EN_PUSH, FAL_EN_ACTIVE, 1);
    set(1, FAL_EN_PUSH, FAL_EN_READY, 1);
    set(2, FAL_EN_POP, FAL_EN_ACTIVE, 1);
    set(2, FAL_EN_PUSH, FAL_EN_ACTIVE, 1);
    end(FAL_K_RULES);
    begin(&declared);
    set(1, FAL_EN_PUSH, FAL_EN_READY, 1);
    set(2, FAL_EN_PUSH, FAL_EN_READY, 1);
    end(FAL_K11);
    begin(&declared);
    set(2, FAL_EN_POP, FAL_EN_ACTIVE, 1);
    end(FAL_K11);
}
END_TEST

static void state(uint64_t cycle, bool work, bool credit, uint32_t outstanding, uint64_t wake)
{
    event((struct fal_en_event){.cycle = cycle,
                                .kind = FAL_EN_STATE,
                                .flow = 1,
                                .work = work,
                                .credit = credit,
                                .outstanding = outstanding,
                                .wake_cycle = wake});
}

START_TEST(k11_a_flow_with_work_and_credit_is_in_a_set)
{
    begin(&declared);
    state(1, true, false, 0, 0);
    end(FAL_K11);
    begin(&declared);
    generate(1, 1, 0);
    state(1, false, true, 1, 0);
    end(FAL_K11);
    begin(&declared); /* it waits for credit, without and with a timer */
    generate(1, 1, 0);
    state(1, false, false, 1, 0);
    state(2, false, false, 1, 5);
    set(5, FAL_EN_PUSH, FAL_EN_READY, 1);
    end(FAL_K_RULES);
    begin(&declared); /* the timer never brings it back */
    generate(1, 1, 0);
    state(2, false, false, 1, 5);
    state(60, false, false, 1, 5);
    end(FAL_K11);
    begin(&declared); /* a flow that counts wrong */
    generate(1, 1, 0);
    state(1, false, false, 2, 0);
    end(FAL_K11);
}
END_TEST

static void merged(struct fal_en_var a, struct fal_en_var b, bool dropped)
{
    static struct fal_en_merge m;

    m = (struct fal_en_merge){.num_vars = 2, .timeout_dropped = dropped};
    m.vars[0] = a;
    m.vars[1] = b;
    event((struct fal_en_event){.kind = FAL_EN_MERGE, .flow = 1, .merge = &m});
}

START_TEST(k12_a_merge_is_a_serial_order)
{
    enum {
        IN = 1 << FAL_EN_BY_INCOMING,
        PER = 1 << FAL_EN_BY_PERIODIC,
        GEN = 1 << FAL_EN_BY_GENERATE,
        TX = 1 << FAL_EN_BY_TRANSMIT
    };
    const struct fal_en_var sum = {"outstanding", FAL_EN_SUM, GEN | TX, 3, {0, 0, 4, 2}, 3};
    const struct fal_en_var bits = {"acked[0]", FAL_EN_BITS, IN | GEN, 1, {3, 0, 5, 0}, 7};
    const struct fal_en_var first = {"wnd", FAL_EN_VALUE, IN | GEN, 1, {8, 0, 9, 0}, 8};
    struct fal_en_var other = {"rate", FAL_EN_VALUE, IN | GEN, 1, {8, 0, 9, 0}, 8};
    struct fal_en_var wrong = sum;

    begin(&declared);
    merged(sum, bits, false);
    merged(first, other, false);
    end(FAL_K_RULES);
    wrong.after = 4; /* one of the two was lost */
    begin(&declared);
    merged(wrong, bits, false);
    end(FAL_K12);
    wrong = bits;
    wrong.after = 3;
    begin(&declared);
    merged(sum, wrong, false);
    end(FAL_K12);
    wrong = first;
    wrong.after = 7;
    begin(&declared);
    merged(sum, wrong, false);
    end(FAL_K12);
    other.after = 9; /* incoming after generate, and generate after incoming */
    begin(&declared);
    merged(first, other, false);
    end(FAL_K12);
    wrong = sum;
    wrong.wrote |= PER;
    wrong.value[FAL_EN_BY_PERIODIC] = 3;
    begin(&declared);
    merged(wrong, bits, true);
    end(FAL_K12);
    begin(&declared);
    merged(wrong, bits, false);
    end(FAL_K_RULES);
}
END_TEST

START_TEST(k12_the_program_may_name_a_winner)
{
    struct fal_en_setup setup = declared;
    struct fal_en_var a = {"user[1]", FAL_EN_VALUE, 5, 1, {8, 0, 9, 0}, 8};
    struct fal_en_var b = {"user[2]", FAL_EN_VALUE, 5, 1, {8, 0, 9, 0}, 9};

    setup.user_priority = true;
    begin(&setup);
    merged(a, b, false);
    end(FAL_K_RULES);
    a.after = 7;
    begin(&setup);
    merged(a, b, false);
    end(FAL_K12);
}
END_TEST

/* Two ready flows; in each cycle one of them transmits, unless it is left out. */
static void busy(unsigned left_out, uint32_t bytes)
{
    uint64_t seg[2] = {0, 0}, made[2] = {0, 0};

    begin(&declared);
    for (uint32_t flow = 0; flow < 2; flow++)
        set(1, FAL_EN_PUSH, FAL_EN_READY, flow);
    for (uint64_t cycle = 2; cycle < 202; cycle++) {
        const uint32_t flow = cycle % 2;

        if (left_out > 0 && cycle % left_out == 0)
            continue;
        generate(cycle, flow, made[flow]++);
        event((struct fal_en_event){.cycle = cycle,
                                    .kind = FAL_EN_TRANSMIT,
                                    .flow = flow,
                                    .seg = seg[flow]++,
                                    .bytes = bytes});
    }
}

START_TEST(k13_one_address_in_each_cycle)
{
    busy(0, 128);
    end(FAL_K_RULES);
    ck_assert_uint_gt(rows[FAL_K13].held, 0);
    busy(9, 128);
    end(FAL_K13);
    busy(9, 1500);
    end(FAL_K_RULES);
    begin(&declared);
    generate(1, 1, 0);
    generate(1, 2, 0);
    transmit(2, 1, 0);
    transmit(2, 2, 0);
    end(FAL_K13);
}
END_TEST

START_TEST(k13_through_in_time)
{
    for (uint64_t late = 0; late < 2; late++) {
        begin(&declared);
        event((struct fal_en_event){.kind = FAL_EN_ADD, .flow = 1});
        generate(5, 1, 0);
        transmit(15 + late, 1, 0);
        end(late ? FAL_K13 : FAL_K_RULES);
    }
    begin(&declared); /* another flow may go first */
    event((struct fal_en_event){.kind = FAL_EN_ADD, .flow = 2});
    generate(5, 1, 0);
    transmit(99, 1, 0);
    end(FAL_K_RULES);
    begin(&declared); /* without credit it waits */
    generate(5, 1, 0);
    state(6, false, false, 1, 0);
    transmit(99, 1, 0);
    end(FAL_K_RULES);
}
END_TEST

/* A flow of 1 Gb/s has an address all the time, and transmits each `gap` cycles. */
static void paced(uint64_t gap, unsigned segments)
{
    begin(&declared);
    event(
        (struct fal_en_event){.kind = FAL_EN_ADD, .flow = 1, .rate_bps = UINT64_C(1000000000)});
    generate(0, 1, 0);
    for (unsigned i = 0; i < segments; i++) {
        generate(i * gap, 1, i + 1);
        transmit(i * gap, 1, i);
    }
}

START_TEST(k14_the_rate_is_within_its_error)
{
    /* 128 bytes at 1 Gb/s take 102.4 cycles of 10 ns. */
    paced(102, 400);
    end(FAL_K_RULES);
    ck_assert_uint_gt(rows[FAL_K14].held, 0);
    paced(96, 400);
    end(FAL_K14);
    paced(110, 400);
    end(FAL_K14);
    paced(110, 4);
    end(FAL_K_RULES);
}
END_TEST

/* Segments of 8 bytes, one in each cycle: the engine cannot send more of them. */
START_TEST(k14_short_segments_fill_the_engine)
{
    for (unsigned idle = 0; idle < 2; idle++) {
        begin(&declared);
        event((struct fal_en_event){
            .cycle = 1, .kind = FAL_EN_ADD, .flow = 1, .rate_bps = UINT64_C(20000000000)});
        for (uint64_t i = 0; i < 4000; i++) {
            struct fal_en_event e = {
                .cycle = 1 + i * (1 + idle), .kind = FAL_EN_GENERATE, .flow = 1, .bytes = 8};

            e.seg = i;
            event(e);
            e.kind = FAL_EN_TRANSMIT;
            event(e);
        }
        end(idle ? FAL_K14 : FAL_K_RULES);
    }
}
END_TEST

static uint64_t odd(struct fal_rng *rng)
{
    switch (fal_rng_below(rng, 3)) {
    case 0: return fal_rng_next(rng);
    default: return fal_rng_below(rng, 6);
    }
}

START_TEST(no_event_harms_the_judge)
{
    struct fal_rng rng = {test_seed(3)};
    static struct fal_en_merge merge;

    for (unsigned long round = 0; round < test_rounds(20); round++) {
        struct fal_en_setup setup = declared;

        setup.ring = (uint32_t)odd(&rng);
        setup.latency_cycles = (uint32_t)odd(&rng);
        setup.cycle_ns = (uint32_t)odd(&rng);
        begin(&setup);
        for (unsigned i = 0; i < 2000; i++) {
            struct fal_en_event e = {.cycle = odd(&rng),
                                     .kind = (enum fal_en_kind)fal_rng_below(&rng, 13),
                                     .flow = (uint32_t)odd(&rng),
                                     .set = (enum fal_en_set)fal_rng_below(&rng, 3)};

            e.seg = odd(&rng);
            e.bytes = (uint32_t)odd(&rng);
            e.copy = (uint32_t)odd(&rng);
            e.rate_bps = odd(&rng);
            e.work = fal_rng_below(&rng, 2);
            e.credit = fal_rng_below(&rng, 2);
            e.outstanding = (uint32_t)odd(&rng);
            e.wake_cycle = odd(&rng);
            merge.num_vars = (unsigned)odd(&rng);
            merge.vars[0].wrote = (uint8_t)odd(&rng);
            merge.vars[0].join = (enum fal_en_join)fal_rng_below(&rng, 4);
            e.merge = fal_rng_below(&rng, 4) == 0 ? NULL : &merge;
            ck_assert_int_eq(fal_en_judge_event(judge, &e), 0);
        }
        fal_en_judge_end(judge);
        fal_en_judge_free(judge);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_judge");
    TCase *tc = tcase_create("engine_judge");

    tcase_set_timeout(tc, 60);

    tcase_add_test(tc, k11_the_ring_holds_n_addresses_in_order);
    tcase_add_test(tc, k11_a_flow_is_in_a_set_once);
    tcase_add_test(tc, k11_a_flow_with_work_and_credit_is_in_a_set);
    tcase_add_test(tc, k12_a_merge_is_a_serial_order);
    tcase_add_test(tc, k12_the_program_may_name_a_winner);
    tcase_add_test(tc, k13_one_address_in_each_cycle);
    tcase_add_test(tc, k13_through_in_time);
    tcase_add_test(tc, k14_the_rate_is_within_its_error);
    tcase_add_test(tc, k14_short_segments_fill_the_engine);
    tcase_add_test(tc, no_event_harms_the_judge);
    suite_add_tcase(suite, tc);
    return suite;
}
