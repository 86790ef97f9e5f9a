/* SPDX-License-Identifier: Apache-2.0
 * roce_inject_test.c - packets that a step with `inject` makes: each field of each opcode gets
 * the value that the step gives, and what no packet can have is refused. */
#include "harness/roce/roce_inject.h"

#include "tests/testing.h"

#include <stdio.h>
#include <string.h>

static struct tl_roce_label label = {
    .name = "lost", .set = true, .index = SIZE_MAX, .psn = 0xffffff};
static struct tl_roce_log log_ = {.labels = &label, .num_labels = 1};
static const struct tl_roce_conn conn = {.qpn = {17, 257}, .psn = {100, 0xfffffe}};
static struct tl_roce_injected made;

static void inject(const char *pattern, int to)
{
    struct tl_roce_step step = {.verb = TL_ROCE_INJECT, .to = to};
    struct fal_error err = {{0}};

    ck_assert_msg(fal_roce_pattern_parse(pattern, &step.pattern, &err) == 0 &&
                      tl_roce_inject_check(&step.pattern, &err) == 0,
                  "%s: %s", pattern, err.text);
    tl_roce_inject_packet(&log_, &step, &conn, &made);
}

/* The bytes of two packets are the same. */
static bool same(const struct fal_roce_packet *a, const struct fal_roce_packet *b)
{
    uint8_t bytes[2][256];
    int n[2] = {fal_roce_encode(a, bytes[0], sizeof bytes[0], NULL),
                fal_roce_encode(b, bytes[1], sizeof bytes[1], NULL)};

    return n[0] > 0 && n[0] == n[1] && memcmp(bytes[0], bytes[1], (size_t)n[0]) == 0;
}

/* Each field behind the BTH by its name and by its alias, where the opcode has it. */
START_TEST(each_field_is_set)
{
    unsigned fields = 0;

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const struct fal_roce_kind *kind = fal_roce_kind(opcode);

        for (size_t h = 0; kind != NULL && h < kind->num_headers; h++) {
            const struct fal_layout *layout = fal_roce_header_layout(kind->headers[h]);

            for (size_t k = 0; k < 2 * layout->num_fields; k++) {
                const struct fal_field *f = &layout->fields[k / 2];
                struct fal_roce_packet due;
                char pattern[120];

                if (f->kind == FAL_RSVD || (k % 2 == 1 && f->alias == NULL))
                    continue;
                (void)snprintf(pattern, sizeof pattern, "%s %s=5", kind->name,
                               k % 2 == 1 ? f->alias : f->name);
                inject(pattern, TL_ROCE_A);
                fal_roce_init(&due, opcode);
                due.bth.m = 1;
                due.bth.dest_qp = 17;
                FAL_IGNORE(fal_field_set(f, fal_roce_host(&due, kind->headers[h]), 5));
                ck_assert_msg(same(&due, &made.packet), "%s", pattern);
                fields++;
            }
        }
    }
    ck_assert_uint_gt(fields, 60);
}
END_TEST

START_TEST(psns_ecn_data_and_icrc)
{
    inject("rc_ack psn=3r / aeth syndrome=0x60", TL_ROCE_B);
    ck_assert_uint_eq(made.packet.bth.psn, 1);
    ck_assert_uint_eq(made.packet.bth.dest_qp, 257);
    ck_assert_uint_eq(made.packet.aeth.syndrome, 0x60);
    inject("rc_ack psn=$lost+2", TL_ROCE_A);
    ck_assert_uint_eq(made.packet.bth.psn, 1);
    ck_assert(!made.has_ecn && !made.bad_icrc && !made.packet.bth.becn);
    inject("opcode=10 dest_qp=3 ecn=ce icrc=bad data=64 se", TL_ROCE_A);
    ck_assert_uint_eq(made.packet.bth.opcode, FAL_ROCE_OP_rc_write_only);
    ck_assert_uint_eq(made.packet.bth.dest_qp, 3);
    ck_assert_uint_eq(made.packet.data_len, 64);
    ck_assert(made.has_ecn && made.ecn == 3 && made.bad_icrc && made.packet.bth.se);
    inject("psn=7", TL_ROCE_A);
    ck_assert(made.packet.bth.opcode == FAL_ROCE_OP_cnp && made.packet.bth.becn);
}
END_TEST

static const struct {
    const char *pattern, *part;
} wrong[] = {
    {"rc_*", "the name of one opcode"},
    {"opcode=254", "the name of one opcode"},
    {"rc_ack va=3", "virtual_address: a packet of this opcode has no such field"},
    {"rc_ack psn=1..2", "one value for each field"},
    {"rc_ack !psn=1", "one value for each field"},
    {"opcode={cnp,rc_ack}", "one value for each field"},
    {"kind=ack", "kind: it selects packets"},
    {"cnp qp=2", "the member \"qp\" of the step"},
    {"rc_write_only data=257", "data: expected 0 to 256 bytes"},
    {"rc_ack msn=0x1000000", "msn: the value does not fit in 24 bits"},
};

START_TEST(wrong_packets_are_refused)
{
    struct fal_roce_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_int_eq(fal_roce_pattern_parse(wrong[_i].pattern, &pattern, &err), 0);
    ck_assert_int_eq(tl_roce_inject_check(&pattern, &err), FAL_ERR_FORM);
    ck_assert_msg(strstr(err.text, wrong[_i].part) != NULL, "%s", err.text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce_inject");
    TCase *tc = tcase_create("roce_inject");

    tcase_add_test(tc, each_field_is_set);
    tcase_add_test(tc, psns_ecn_data_and_icrc);
    tcase_add_loop_test(tc, wrong_packets_are_refused, 0, sizeof wrong / sizeof *wrong);
    suite_add_tcase(suite, tc);
    return suite;
}
