/* SPDX-License-Identifier: Apache-2.0
 * fault_act_test.c - parameters of faults: how they are read, and when a fault acts under them;
 * and the faults of header fields, which take the field as one. */
#include "codecs/base/bits.h"
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

/* ---- reading ---- */

START_TEST(parameters_are_read)
{
    struct fal_fault_set set = {.one_in = 0};
    const char *text =
        "own-never-set,acks-unsent:one-in=3:from=7:when=wrap,header-field-corrupted:field=push_data.psn:seed=0x11";
    const struct fal_fault_how *how;
    struct fal_error err;

    ck_assert_int_eq(fal_faults_read(&set, text, strlen(text), &err), 0);
    ck_assert(fal_fault_in(&set, FAL_FAULT_OWN_NEVER_SET));
    ck_assert_ptr_null(fal_fault_how(&set, FAL_FAULT_OWN_NEVER_SET));
    how = fal_fault_how(&set, FAL_FAULT_ACKS_UNSENT);
    ck_assert(fal_fault_in(&set, FAL_FAULT_ACKS_UNSENT));
    ck_assert_uint_eq(how->one_in, 3);
    ck_assert_uint_eq(how->from, 7);
    ck_assert_int_eq(how->when, FAL_WHEN_WRAP);
    ck_assert(!how->has_seed);
    how = fal_fault_how(&set, FAL_FAULT_HEADER_FIELD_CORRUPTED);
    ck_assert_str_eq(how->header->name, "push_data");
    ck_assert_str_eq(how->field->name, "psn");
    ck_assert(how->has_seed);
    ck_assert_uint_eq(how->seed, 0x11);
    ck_assert_uint_eq(set.num_hows, 2);
    ck_assert_int_eq(fal_fault_read(&set, "acks-unsent:when=resync", 23, &err), 0);
    how = fal_fault_how(&set, FAL_FAULT_ACKS_UNSENT);
    ck_assert_int_eq(how->when, FAL_WHEN_RESYNC);
    ck_assert_uint_eq(how->one_in, 0);
    ck_assert_uint_eq(set.num_hows, 2);
    ck_assert_int_eq(fal_fault_read(&set, "acks-unsent:when=second-window", 30, &err), 0);
    ck_assert_int_eq(fal_fault_how(&set, FAL_FAULT_ACKS_UNSENT)->when, FAL_WHEN_SECOND_WINDOW);
}
END_TEST

START_TEST(slips_are_told_with_what_was_meant)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"acks-unset",
         "no fault 'acks-unset'; did you mean 'acks-unsent'? (talon list faults)"},
        {"", "no fault '' (talon list faults)"},
        {"acks-unsent,", "no fault '' (talon list faults)"},
        {",acks-unsent", "no fault '' (talon list faults)"},
        {"acks-unsent:", "'': expected one-in=, from=, when=, field= or seed="},
        {"acks-unsent:wrap", "'wrap': expected one-in=, from=, when=, field= or seed="},
        {"acks-unsent:whem=wrap",
         "no parameter 'whem'; did you mean 'when'? (there are: one-in, from, when, field, seed)"},
        {"acks-unsent:x=wrap", "no parameter 'x' (there are: one-in, from, when, field, seed)"},
        {"acks-unsent:when=warp",
         "no condition 'warp'; did you mean 'wrap'? (there are: always, wrap, resync, second-window)"},
        {"acks-unsent:when=now",
         "no condition 'now' (there are: always, wrap, resync, second-window)"},
        {"acks-unsent:one-in=0", "one-in=0: expected a number from 1"},
        {"acks-unsent:one-in=-1", "one-in=-1: expected a number from 1"},
        {"acks-unsent:one-in=4294967296", "one-in=4294967296: expected a number from 1"},
        {"acks-unsent:one-in=3x", "one-in=3x: expected a number from 1"},
        {"acks-unsent:from=0", "from=0: expected a number from 1"},
        {"acks-unsent:from=x", "from=x: expected a number from 1"},
        {"acks-unsent:form=3",
         "no parameter 'form'; did you mean 'from'? (there are: one-in, from, when, field, seed)"},
        {"acks-unsent:seed=", "seed=: expected a number"},
        {"acks-unsent:field=push_data.psn", "fault acks-unsent takes no field"},
        {"header-field-shifted:field=psn", "field=psn: expected HEADER.FIELD"},
        {"header-field-shifted:field=push_dat.psn",
         "no Falcon header 'push_dat'; did you mean 'push_data'? (talon list fields)"},
        {"header-field-shifted:field=udp.length", "no Falcon header 'udp' (talon list fields)"},
        {"header-field-shifted:field=back.rns", "no field 'rns' (talon list fields)"},
        {"header-field-shifted:field=eack.req_bitmab",
         "no field 'req_bitmab'; did you mean 'req_bitmap'? (talon list fields)"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_fault_set set = {.one_in = 0};
        struct fal_error err = {{0}};

        ck_assert_int_eq(fal_faults_read(&set, rows[i].text, strlen(rows[i].text), &err),
                         FAL_ERR_FORM);
        ck_assert_str_eq(err.text, rows[i].error);
    }
}
END_TEST

START_TEST(so_many_faults_with_parameters_and_no_more)
{
    struct fal_fault_set set = {.one_in = 0};
    struct fal_error err;

    for (int i = 0; i < FAL_FAULT_HOWS_MAX + 1; i++) {
        size_t n;
        char text[80];
        int len = snprintf(text, sizeof text, "%s:one-in=2", fal_faults(&n)[i].name);

        ck_assert_int_eq(fal_fault_read(&set, text, (size_t)len, &err),
                         i < FAL_FAULT_HOWS_MAX ? 0 : FAL_ERR_FORM);
    }
    ck_assert_str_eq(err.text, "more than 8 faults with parameters");
}
END_TEST

/* ---- when ---- */

/* A SUT that sets a reserved bit in the ACK of the n-th pull: whether it did. */
static struct solo *faulty(const char *text)
{
    struct solo *s = solo_new();
    struct fal_error err = {{0}};

    ck_assert_msg(fal_faults_read(&s->config.faults, text, strlen(text), &err) == 0, "%s",
                  err.text);
    s->config.seed = 5;
    return s;
}

static bool acts_on_pull(struct solo *s, uint32_t n)
{
    struct fal_falcon p =
        solo_packet(FAL_PULL_REQUEST, s->open.peer.req_psn + n, s->open.peer.rsn + n);
    bool acted;

    p.request_length = 8;
    p.ack_req = 1;
    p.recv_data_base_psn = s->open.local.data_psn;
    p.recv_req_base_psn = s->open.local.req_psn;
    solo_feed(s, &p, NULL, 0);
    acted = solo_sent(s, FAL_BACK, 0)->packet.reserved_0 != 0;
    solo_forget(s);
    return acted;
}

START_TEST(one_in_n_is_each_faults_own)
{
    struct solo *s = faulty("reserved-bits-set:one-in=4");
    unsigned acted = 0;

    s->config.faults.one_in = 1000; /* of the others */
    solo_open(s);
    for (uint32_t i = 0; i < 1000; i++)
        acted += acts_on_pull(s, i);
    ck_assert_uint_ge(acted, 200);
    ck_assert_uint_le(acted, 300);
    ck_assert_uint_eq(fal_endpoint_fault_acts(s->ep, FAL_FAULT_RESERVED_BITS_SET), acted);
    ck_assert_uint_eq(fal_endpoint_fault_acts(s->ep, FAL_FAULT_ACKS_UNSENT), 0);
    solo_free(s);
}
END_TEST

START_TEST(from_n_on_it_acts_always)
{
    for (uint32_t from = 1; from < 6; from += 2) {
        uint64_t chances, acts;
        char text[60];
        struct solo *s;

        (void)snprintf(text, sizeof text, "reserved-bits-set:from=%u", from);
        s = faulty(text);
        solo_open(s);
        for (uint32_t n = 1; n < 10; n++)
            ck_assert_msg(acts_on_pull(s, n - 1) == (n >= from), "from %u, pull %u", from, n);
        ck_assert_uint_eq(fal_endpoint_fault_acts(s->ep, FAL_FAULT_RESERVED_BITS_SET),
                          10 - from);
        ck_assert_uint_eq(fal_endpoint_fault_chances(s->ep, FAL_FAULT_RESERVED_BITS_SET), 9);
        fal_endpoint_faults(s->ep, &chances, &acts);
        ck_assert_uint_eq(chances, 9);
        ck_assert_uint_eq(acts, 10 - from);
        solo_free(s);
    }
}
END_TEST

START_TEST(from_counts_only_when_its_condition_holds)
{
    struct solo *s = faulty("reserved-bits-set:when=wrap:from=3");

    s->open.peer.req_psn = UINT32_MAX - 299;
    solo_open(s);
    for (uint32_t n = 0; n < 300; n++)
        ck_assert_msg(acts_on_pull(s, n) == (n >= 172), "pull %u", n);
    solo_free(s);
}
END_TEST

START_TEST(one_in_n_after_from)
{
    struct solo *s = faulty("reserved-bits-set:from=500:one-in=4");
    unsigned acted = 0;

    solo_open(s);
    for (uint32_t i = 0; i < 499; i++)
        ck_assert(!acts_on_pull(s, i));
    for (uint32_t i = 499; i < 999; i++)
        acted += acts_on_pull(s, i);
    ck_assert_uint_ge(acted, 90);
    ck_assert_uint_le(acted, 160);
    solo_free(s);
}
END_TEST

START_TEST(dice_of_its_own_do_not_hear_the_endpoints_seed)
{
    bool acted[2][64];

    for (unsigned i = 0; i < 2; i++) {
        struct solo *s = faulty("reserved-bits-set:one-in=2:seed=9");

        s->config.seed = 100 + i;
        solo_open(s);
        for (uint32_t n = 0; n < 64; n++)
            acted[i][n] = acts_on_pull(s, n);
        solo_free(s);
    }
    ck_assert_mem_eq(acted[0], acted[1], sizeof acted[0]);
}
END_TEST

START_TEST(at_wrap_only_near_it)
{
    struct solo *s = faulty("reserved-bits-set:when=wrap");

    s->open.peer.req_psn = UINT32_MAX - 299;
    solo_open(s);
    for (uint32_t n = 0; n < 600; n++)
        ck_assert_msg(acts_on_pull(s, n) == (n >= 170 && n < 427), "pull %u", n);
    solo_free(s);
}
END_TEST

START_TEST(a_connection_that_begins_at_zero_does_not_wrap)
{
    struct solo *s = faulty("reserved-bits-set:when=wrap");

    s->open.peer = (struct fal_end){SOLO_PEER_CID, 4, 0, 0, 0};
    s->open.local = (struct fal_end){SOLO_CID, 3, 0, 0, 0};
    solo_open(s);
    for (uint32_t n = 0; n < 200; n++)
        ck_assert(!acts_on_pull(s, n));
    solo_free(s);
}
END_TEST

START_TEST(every_sequence_number_can_wrap)
{
    for (unsigned i = 0; i < 6; i++) {
        struct solo *s = faulty("reserved-bits-set:when=wrap");
        uint32_t *first[] = {&s->open.local.req_psn, &s->open.local.data_psn,
                             &s->open.local.rsn,     &s->open.peer.req_psn,
                             &s->open.peer.data_psn, &s->open.peer.rsn};

        *first[i] = UINT32_MAX - 3;
        solo_open(s);
        ck_assert_msg(acts_on_pull(s, 0), "number %u", i);
        solo_free(s);
    }
}
END_TEST

START_TEST(after_a_resync_either_way)
{
    struct solo *s = faulty("reserved-bits-set:when=resync");
    struct fal_falcon p;

    solo_open(s);
    ck_assert(!acts_on_pull(s, 0));
    solo_feed_resync(s, FAL_PULL_REQUEST, PEER_REQ + 1, 1, false);
    ck_assert(acts_on_pull(s, 2));
    solo_free(s);

    s = faulty("reserved-bits-set:when=resync");
    solo_open(s);
    ck_assert(!acts_on_pull(s, 0));
    solo_post(s, FAL_OP_PUSH, 4, 1);
    p = solo_nack(SOLO_DATA, FAL_NACK_CIE);
    solo_feed(s, &p, NULL, 0);
    ck_assert_uint_eq(solo_packets(s, FAL_RESYNC), 1);
    ck_assert(acts_on_pull(s, 1));
    solo_free(s);
}
END_TEST

START_TEST(in_the_second_window_not_the_first)
{
    struct solo *s = faulty("reserved-bits-set:when=second-window");

    solo_open(s);
    for (uint32_t n = 0; n < 130; n++)
        ck_assert_msg(acts_on_pull(s, n) == (n >= 63), "pull %u", n);
    solo_free(s);
}
END_TEST

/* Posts many pulls into a wide window that stays open: the base does not move. */
static struct solo *wide(const char *text, uint32_t first, enum fal_ulp_op op, uint32_t n)
{
    struct solo *s = faulty(text);

    s->open.params.fcwnd = s->open.params.ncwnd = 2000;
    s->open.params.tx_window_req = s->open.params.tx_window_data = 1024;
    s->open.local.req_psn = s->open.local.data_psn = first;
    solo_open(s);
    solo_post_many(s, op, n);
    solo_forget(s);
    return s;
}

START_TEST(a_window_that_spans_the_wrap_is_at_it)
{
    struct solo *s = wide("reserved-bits-set:when=wrap", UINT32_MAX - 299, FAL_OP_PULL, 600);

    ck_assert(acts_on_pull(s, 0)); /* base 300 before, next 300 behind */
    solo_free(s);
}
END_TEST

START_TEST(what_is_sent_fills_a_window_too)
{
    static const struct {
        enum fal_ulp_op op;
        uint32_t window;
    } rows[] = {{FAL_OP_PULL, FAL_RX_WINDOW_REQ}, {FAL_OP_PUSH, FAL_RX_WINDOW_DATA}};

    for (size_t i = 0; i < 2; i++)
        for (uint32_t n = rows[i].window - 1; n <= rows[i].window; n++) {
            struct solo *s = wide("reserved-bits-set:when=second-window", 1000, rows[i].op, n);

            ck_assert(acts_on_pull(s, 0) == (n == rows[i].window));
            solo_free(s);
        }
}
END_TEST

/* ---- header fields ---- */

/* What the bytes of a push are under a fault, against those without it. */
static void push_bytes(const char *fault, uint8_t out[FAL_HEADER_MAX])
{
    struct solo *s = fault != NULL ? faulty(fault) : solo_new();
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .op = FAL_OP_PUSH};
    struct fal_endpoint_out got = {0};

    s->open.local.data_psn = 0x81234567;
    s->open.local.rsn = 0xfedcba98;
    solo_open(s);
    in.conn = s->conn;
    ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
    ck_assert(fal_endpoint_next(s->ep, &got));
    ck_assert_int_eq(got.kind, FAL_OUT_PACKET);
    memset(out, 0, FAL_HEADER_MAX);
    memcpy(out, got.bytes, got.len);
    solo_free(s);
}

START_TEST(any_field_can_be_shifted)
{
    const struct fal_layout *layout = fal_falcon_layout(FAL_PUSH_DATA);
    uint8_t good[FAL_HEADER_MAX], bad[FAL_HEADER_MAX];

    push_bytes(NULL, good);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        bool last = f->offset_bits + f->width_bits == layout->size_bytes * 8;
        unsigned from = last ? f->offset_bits - 1u : f->offset_bits;
        char text[120];

        (void)snprintf(text, sizeof text, "header-field-shifted:field=push_data.%s", f->name);
        push_bytes(text, bad);
        for (unsigned at = 0; at < layout->size_bytes * 8; at++) {
            uint64_t due = fal_bits_get(good, at, 1);

            if (at == (last ? from + f->width_bits : from))
                due = 0; /* where the field has moved away from */
            else if (at >= from && at <= from + f->width_bits)
                due = fal_bits_get(good, last ? at + 1 : at - 1, 1);
            ck_assert_msg(fal_bits_get(bad, at, 1) == due, "%s: bit %u", f->name, at);
        }
    }
}
END_TEST

START_TEST(any_field_can_be_corrupted_and_nothing_else_is)
{
    const struct fal_layout *layout = fal_falcon_layout(FAL_PUSH_DATA);
    uint8_t good[FAL_HEADER_MAX], bad[FAL_HEADER_MAX];

    push_bytes(NULL, good);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        char text[120];
        unsigned wrong = 0;

        (void)snprintf(text, sizeof text, "header-field-corrupted:field=push_data.%s", f->name);
        push_bytes(text, bad);
        for (unsigned at = 0; at < layout->size_bytes * 8; at++)
            if (fal_bits_get(bad, at, 1) != fal_bits_get(good, at, 1)) {
                wrong++;
                ck_assert_msg(at >= f->offset_bits && at < f->offset_bits + f->width_bits,
                              "%s: bit %u", f->name, at);
            }
        ck_assert_msg(wrong == 1, "%s: %u bits", f->name, wrong);
    }
}
END_TEST

START_TEST(a_field_of_another_header_is_left_alone)
{
    uint8_t good[FAL_HEADER_MAX], bad[FAL_HEADER_MAX];

    push_bytes(NULL, good);
    push_bytes(
        "header-field-corrupted:field=back.own,header-field-shifted:field=pull_request.psn",
        bad);
    ck_assert_mem_eq(good, bad, sizeof good);
}
END_TEST

START_TEST(without_a_field_one_is_drawn_for_each_packet)
{
    struct solo *s = faulty("header-field-corrupted");
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .op = FAL_OP_PULL};
    const struct fal_layout *layout = fal_falcon_layout(FAL_PULL_REQUEST);
    bool hit[32] = {false};
    size_t hits = 0;

    s->open.params.fcwnd = s->open.params.ncwnd = s->open.params.tx_window_req = 1024;
    s->open.params.ar_threshold = 2000;
    solo_open(s);
    in.conn = s->conn;
    for (uint32_t n = 0; n < 500; n++) {
        struct fal_endpoint_out out = {0};
        struct fal_falcon good = {.version = 1,
                                  .dest_cid = SOLO_PEER_CID,
                                  .dest_function = 4,
                                  .protocol_type = 2,
                                  .ack_req = 1,
                                  .recv_data_base_psn = PEER_DATA,
                                  .recv_req_base_psn = PEER_REQ,
                                  .psn = SOLO_REQ + n,
                                  .rsn = SOLO_RSN + n};
        uint8_t due[FAL_HEADER_MAX];

        ck_assert_int_eq(fal_endpoint_input(s->ep, &in, s->now_ns, NULL), 0);
        ck_assert(fal_endpoint_next(s->ep, &out));
        layout->encode(&good, due);
        for (size_t i = 0; i < layout->num_fields; i++) {
            const struct fal_field *f = &layout->fields[i];

            for (unsigned b = 0; b < f->width_bits; b++)
                hit[i] |= fal_bits_get(due, f->offset_bits + b, 1) !=
                          fal_bits_get(out.bytes, f->offset_bits + b, 1);
        }
    }
    for (size_t i = 0; i < layout->num_fields; i++)
        hits += hit[i];
    ck_assert_uint_eq(hits, layout->num_fields);
    ck_assert_uint_eq(fal_endpoint_fault_acts(s->ep, FAL_FAULT_HEADER_FIELD_CORRUPTED), 500);
    solo_free(s);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fault parameters");
    TCase *tc = tcase_create("fault parameters");

    tcase_add_test(tc, parameters_are_read);
    tcase_add_test(tc, slips_are_told_with_what_was_meant);
    tcase_add_test(tc, so_many_faults_with_parameters_and_no_more);
    tcase_add_test(tc, one_in_n_is_each_faults_own);
    tcase_add_test(tc, from_n_on_it_acts_always);
    tcase_add_test(tc, from_counts_only_when_its_condition_holds);
    tcase_add_test(tc, one_in_n_after_from);
    tcase_add_test(tc, dice_of_its_own_do_not_hear_the_endpoints_seed);
    tcase_add_test(tc, at_wrap_only_near_it);
    tcase_add_test(tc, a_connection_that_begins_at_zero_does_not_wrap);
    tcase_add_test(tc, every_sequence_number_can_wrap);
    tcase_add_test(tc, after_a_resync_either_way);
    tcase_add_test(tc, in_the_second_window_not_the_first);
    tcase_add_test(tc, a_window_that_spans_the_wrap_is_at_it);
    tcase_add_test(tc, what_is_sent_fills_a_window_too);
    tcase_add_test(tc, any_field_can_be_shifted);
    tcase_add_test(tc, any_field_can_be_corrupted_and_nothing_else_is);
    tcase_add_test(tc, a_field_of_another_header_is_left_alone);
    tcase_add_test(tc, without_a_field_one_is_drawn_for_each_packet);
    suite_add_tcase(suite, tc);
    return suite;
}
