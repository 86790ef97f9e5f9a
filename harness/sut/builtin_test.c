/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/builtin.h"
#include "harness/sut/link_sim.h"
#include "tests/testing.h"

#include <string.h>

START_TEST(faults_and_twins_are_told_apart)
{
    struct tl_builtin b = {.twins = {.random = false}};
    struct fal_error err;

    ck_assert_int_eq(tl_builtin_read(&b,
                                     ":fault=own-never-set:one-in=3:when=wrap,acks-unsent"
                                     ":twin=eack-always:lanes=2us:cc=swift,gen1-lsb"
                                     ":fault=base-goes-back",
                                     &err),
                     0);
    ck_assert(fal_fault_in(&b.faults, FAL_FAULT_OWN_NEVER_SET));
    ck_assert_int_eq(fal_fault_how(&b.faults, FAL_FAULT_OWN_NEVER_SET)->when, FAL_WHEN_WRAP);
    ck_assert(fal_fault_in(&b.faults, FAL_FAULT_ACKS_UNSENT));
    ck_assert(fal_fault_in(&b.faults, FAL_FAULT_BASE_GOES_BACK));
    ck_assert(fal_twin_in(&b.twins.set, FAL_TWIN_EACK_ALWAYS));
    ck_assert(!b.twins.random);
    ck_assert_uint_eq(b.twins.set.lanes_ns, 2000);
    ck_assert(b.engine.swift);
    ck_assert_int_eq(b.engine.format, FAL_CC_GEN1_LSB);
}
END_TEST

START_TEST(an_engine_has_faults_readings_and_a_latency)
{
    struct tl_builtin b = {.twins = {.random = false}};
    struct fal_error err;

    ck_assert_int_eq(
        tl_builtin_read(
            &b, ":cc=swift,fault=guard-ignored,reading=gap-grows,latency=20us,batch", &err),
        0);
    ck_assert_str_eq(b.engine.fault->name, "guard-ignored");
    ck_assert_uint_eq(b.engine.readings, 1U << FAL_CC_READING_GAP_GROWS);
    ck_assert_uint_eq(b.engine.latency_ns, 20000);
    ck_assert(b.engine.batch && !b.engine.other);
    b = (struct tl_builtin){.twins = {.random = false}};
    ck_assert_int_eq(tl_builtin_read(&b, ":cc=swift-isekai", &err), 0);
    ck_assert_uint_eq(b.engine.readings, FAL_CC_ISEKAI);
    ck_assert_int_eq(b.engine.format, FAL_CC_GEN1_LSB);
    ck_assert(fal_twin_in(&b.twins.set, FAL_TWIN_RUE_EVENT_ONE_AT_A_TIME));
    b = (struct tl_builtin){.twins = {.random = false}};
    ck_assert_int_eq(tl_builtin_read(&b, ":cc=other", &err), 0);
    ck_assert(b.engine.other && !b.engine.swift);
}
END_TEST

START_TEST(without_anything_it_is_whole_and_takes_the_default_readings)
{
    struct tl_builtin b = {.twins = {.random = false}}, none = b;
    struct fal_error err;

    ck_assert_int_eq(tl_builtin_read(&b, "", &err), 0);
    ck_assert_mem_eq(&b, &none, sizeof b);
}
END_TEST

START_TEST(slips_are_told)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {":", "':': expected builtin[:fault=NAME,...][:twin=NAME,...]"
              "[:offer=LEVEL][:without=COMMAND,...][:fixed=PARAM=VALUE,...][:delay=TIME,...]"
              "[:lanes=TIME][:cc=WORD,...]"},
        {"x", "'x': expected builtin[:fault=NAME,...][:twin=NAME,...]"
              "[:offer=LEVEL][:without=COMMAND,...][:fixed=PARAM=VALUE,...][:delay=TIME,...]"
              "[:lanes=TIME][:cc=WORD,...]"},
        {":fault=", "no fault '' (talon list faults)"},
        {":twin=", "no twin '' (talon list twins)"},
        {":twin=:fault=acks-unsent", "no twin '' (talon list twins)"},
        {":fault=acks-unsent:twins=x",
         "no parameter 'twins' (there are: one-in, from, when, field, seed)"},
        {":twin=eack-alwasy",
         "no twin 'eack-alwasy'; did you mean 'eack-always'? (talon list twins)"},
        {":twin=random,", "no twin '' (talon list twins)"},
        {":delay=", "''; expected a time such as 10us"},
        {":delay=soon", "'soon'; expected a time such as 10us"},
        {":delay=$rto", "'$rto'; expected a time such as 10us"},
        {":delay=2us..1us", "'2us..1us'; the first time is the shorter one"},
        {":delay=nak=1us", "no packet type 'nak'"},
        {":lanes=", "''; expected a time such as 10us"},
        {":lanes=1us,2us", "'1us,2us'; expected a time such as 10us"},
        {":delay=1/0=1us", "'1/0'; expected 1/N, N a number of packets"},
        {":cc=",
         "''; expected swift, swift-isekai, other, table-msb, gen1-lsb, batch, "
         "fault=NAME, reading=NAME, event-wrong=FIELD, result-ignored=FIELD or latency=TIME"},
        {":cc=swift,dcqcn",
         "'dcqcn'; expected swift, swift-isekai, other, table-msb, gen1-lsb, batch, "
         "fault=NAME, reading=NAME, event-wrong=FIELD, result-ignored=FIELD or latency=TIME"},
        {":cc=swift,fault=guard-ignore",
         "no fault 'guard-ignore' of Swift; did you mean 'guard-ignored'? (talon help swift)"},
        {":cc=swift,reading=", "no reading '' (talon help swift lists them)"},
        {":cc=reading=gap-grow",
         "no reading 'gap-grow'; did you mean 'gap-grows'? (talon help swift lists them)"},
        {":cc=swift,event-wrong=t5",
         "no field 't5' in the queue's entries; did you mean t1, t2 or t3?"},
        {":cc=result-ignored=gap",
         "no field 'gap' in the queue's entries; did you mean inter_packet_gap?"},
        {":cc=latency=soon", "'soon'; expected a time such as 10us"},
        {":cc=depth=3",
         "'depth=3'; expected fault=NAME, reading=NAME, event-wrong=FIELD, result-ignored=FIELD or latency=TIME"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tl_builtin b = {.twins = {.random = false}};
        struct fal_error err = {{0}};

        ck_assert_int_eq(tl_builtin_read(&b, rows[i].text, &err), FAL_ERR_FORM);
        ck_assert_str_eq(err.text, rows[i].error);
    }
}
END_TEST

START_TEST(random_twins_come_beside_those_named)
{
    struct tl_twins twins = {.random = false};
    struct fal_error err;
    struct fal_rng rng = fal_rng_split(1, 1), same = rng;
    struct fal_twin_set first = {.bits = {0}};
    bool differ = false;

    ck_assert_int_eq(tl_twins_read(&twins, "eack-always", 11, &err), 0);
    first = tl_twins_take(&twins, &rng);
    ck_assert_uint_eq(rng.state, same.state); /* nothing drawn */
    ck_assert_mem_eq(&first, &twins.set, sizeof first);
    twins = (struct tl_twins){.random = false};
    ck_assert_int_eq(tl_twins_read(&twins, "random", 6, &err), 0);
    ck_assert(twins.random);
    for (unsigned i = 0; i < 100; i++) {
        struct fal_twin_set set = tl_twins_take(&twins, &rng), again;

        again = tl_twins_take(&twins, &same);
        ck_assert_mem_eq(&set, &again, sizeof set);
        differ |= memcmp(&set, &first, sizeof set) != 0;
    }
    ck_assert(differ);
    ck_assert_int_eq(tl_twins_read(&twins, "eack-always,random", 18, &err), 0);
    for (unsigned i = 0; i < 20; i++)
        ck_assert(fal_twin_in(&(struct fal_twin_set[]){tl_twins_take(&twins, &rng)}[0],
                              FAL_TWIN_EACK_ALWAYS));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("builtin");
    TCase *tc = tcase_create("builtin");

    tcase_add_test(tc, faults_and_twins_are_told_apart);
    tcase_add_test(tc, an_engine_has_faults_readings_and_a_latency);
    tcase_add_test(tc, without_anything_it_is_whole_and_takes_the_default_readings);
    tcase_add_test(tc, slips_are_told);
    tcase_add_test(tc, random_twins_come_beside_those_named);
    suite_add_tcase(suite, tc);
    return suite;
}
