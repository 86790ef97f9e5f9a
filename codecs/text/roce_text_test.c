/* SPDX-License-Identifier: Apache-2.0
 * roce_text_test.c - packets of RoCEv2 as lines, and patterns that fit them or not. */
#include "codecs/text/roce_text.h"

#include "tests/testing.h"

#include <string.h>

static struct fal_roce_packet packet;
static struct fal_roce_subject subject;

static bool label(const void *ctx, const char *name, uint32_t *psn)
{
    (void)ctx;
    *psn = 0xffffff;
    return strcmp(name, "lost") == 0;
}

static bool known(const void *ctx, const char *name)
{
    uint32_t psn;

    return label(ctx, name, &psn);
}

/* A first packet of a WRITE, PSN 2, of requests that began at 0xfffffe. */
static void write_first(void)
{
    fal_roce_init(&packet, FAL_ROCE_OP_rc_write_first);
    packet.bth.dest_qp = 0x12;
    packet.bth.psn = 2;
    packet.bth.ack_req = 1;
    packet.reth.virtual_address = 0x1000;
    packet.reth.r_key = 7;
    packet.reth.length = 2048;
    packet.data_len = 1024;
    subject = (struct fal_roce_subject){.packet = &packet,
                                        .ecn = 2,
                                        .qp = 1,
                                        .icrc = FAL_ICRC_GOOD,
                                        .has_base = true,
                                        .base = 0xfffffe,
                                        .label = label};
}

static void line_is(const char *due)
{
    char text[FAL_ROCE_TEXT_MAX];

    ck_assert_uint_eq(fal_roce_text(&packet, text, sizeof text), strlen(due));
    ck_assert_str_eq(text, due);
}

START_TEST(lines)
{
    write_first();
    line_is("roce opcode=rc_write_first dest_qp=18 ack_req=1 psn=2 / reth va=0x1000 rkey=0x7 "
            "length=0x800 / data=1024");
    fal_roce_init(&packet, FAL_ROCE_OP_cnp);
    packet.bth.becn = 1;
    line_is("roce opcode=cnp becn=1 dest_qp=0 psn=0 / cnp");
    fal_roce_init(&packet, FAL_ROCE_OP_rc_ack);
    packet.aeth.syndrome = 0x60;
    line_is("roce opcode=rc_ack dest_qp=0 psn=0 / aeth syndrome=0x60 msn=0");
    fal_roce_init(&packet, 0xfe);
    line_is("roce opcode=254 dest_qp=0 psn=0");
}
END_TEST

static bool fits(const char *text)
{
    struct fal_roce_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_msg(fal_roce_pattern_parse(text, &pattern, &err) == 0, "%s: %s", text, err.text);
    return fal_roce_pattern_match(&pattern, &subject);
}

START_TEST(patterns_that_fit)
{
    static const char *const texts[] = {
        "roce opcode=rc_write_first",
        "rc_write_*",
        "*first",
        "kind=request",
        "psn=4r",
        "psn=$lost+3",
        "psn={1,2}",
        "ack_req",
        "!se",
        "qp=1",
        "data=1024",
        "data=1..4096",
        "ecn=ect0 icrc=good",
        "roce psn=2 / reth rkey=7 length=2048 / data=1024",
        "!kind=ack !rc_send_*",
        "!syndrome=0x60",
        "reth.length=2048",
        "opcode={rc_send_*,rc_write_first}",
    };

    write_first();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(fits(texts[i]), "%s", texts[i]);
    ck_assert(fits("psn=0r..9r"));
}
END_TEST

START_TEST(patterns_that_do_not_fit)
{
    static const char *const texts[] = {
        "rc_write_middle", "kind=ack", "psn=3r",     "psn=5r..9r", "psn=$other",
        "psn=$lost",       "se",       "!ack_req",   "qp=2",       "data=0",
        "ecn=ce",          "icrc=bad", "syndrome=0", "rkey=8",     "psn=2 dest_qp=1",
    };

    write_first();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!fits(texts[i]), "%s", texts[i]);
    subject.has_base = false;
    subject.qp = 0;
    ck_assert(!fits("psn=4r"));
    ck_assert(!fits("qp=1"));
    packet.kind = NULL;
    ck_assert(!fits("rc_write_first"));
    ck_assert(fits("kind=other"));
}
END_TEST

START_TEST(labels_that_are_asked_for)
{
    struct fal_roce_pattern pattern;

    ck_assert_int_eq(fal_roce_pattern_parse("psn=$lost..$end", &pattern, NULL), 0);
    ck_assert_str_eq(fal_roce_pattern_label(&pattern, known, NULL), "end");
    ck_assert_int_eq(fal_roce_pattern_parse("psn=$lost", &pattern, NULL), 0);
    ck_assert_ptr_null(fal_roce_pattern_label(&pattern, known, NULL));
}
END_TEST

START_TEST(patterns_that_are_refused)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"", "at least one"},
        {" / ", "at least one"},
        {"pns=3", "no field 'pns'; did you mean 'psn'?"},
        {"psn=", "a value is missing after 'psn='"},
        {"aeth.length=3", "no header and field 'aeth.length'"},
        {"psn=3x", "'3x' is no number"},
        {"psn=$", "is no label"},
        {"psn=$a+", "expected $LABEL+N"},
        {"kind=nack", "'nack' is no value here"},
        {"psn={1,2", "'}' is missing"},
        {"psn={1,2,3,4,5,6,7,8,9}", "more than 8 values"},
        {"se se se se se se se se se se se se se se se se se se se se se se se se se",
         "more than 24 conditions"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fal_roce_pattern pattern;
        struct fal_error err = {{0}};

        ck_assert_int_eq(fal_roce_pattern_parse(rows[i].text, &pattern, &err), FAL_ERR_FORM);
        ck_assert_msg(strstr(err.text, rows[i].part) != NULL, "%s: %s", rows[i].text, err.text);
    }
}
END_TEST

/* ---- lines that make packets ---- */

/* Each field of each opcode, with its largest value: what is printed is read back. */
START_TEST(lines_are_read_back)
{
    unsigned opcodes = 0;

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        struct fal_roce_line line;
        struct fal_error err;
        char text[FAL_ROCE_TEXT_MAX], again[FAL_ROCE_TEXT_MAX];

        if (fal_roce_kind(opcode) == NULL)
            continue;
        opcodes++;
        fal_roce_init(&packet, opcode);
        packet.state = FAL_ROCE_READ;
        packet.bth.m = 1;
        packet.bth.ack_req = packet.bth.becn = packet.bth.fecn = 1;
        packet.bth.dest_qp = packet.bth.psn = 0xffffff;
        packet.data_len = 1000;
        for (size_t i = 0; i < packet.kind->num_headers; i++) {
            const struct fal_layout *layout = fal_roce_header_layout(packet.kind->headers[i]);

            for (size_t k = 0; k < layout->num_fields; k++)
                if (layout->fields[k].kind != FAL_RSVD && layout->fields[k].width_bits <= 64)
                    FAL_IGNORE(fal_field_set(
                        &layout->fields[k], fal_roce_host(&packet, packet.kind->headers[i]),
                        UINT64_MAX >> (64 - layout->fields[k].width_bits)));
        }
        (void)fal_roce_text(&packet, text, sizeof text);
        ck_assert_msg(fal_roce_line_parse(text, &line, &err) == 0, "%s: %s", text, err.text);
        line.packet.state = FAL_ROCE_READ;
        (void)fal_roce_text(&line.packet, again, sizeof again);
        ck_assert_str_eq(again, text);
    }
    ck_assert_uint_gt(opcodes, 20);
}
END_TEST

START_TEST(a_line_has_time_end_and_marks)
{
    struct fal_roce_line line;
    struct fal_error err;

    ck_assert_int_eq(fal_roce_line_parse(
                         "@8us b> roce cnp becn dest_qp=17 ecn=ect1 icrc=bad # x", &line, &err),
                     0);
    ck_assert_uint_eq(line.at_ns, 8000);
    ck_assert(line.back && line.bad_icrc && line.packet.bth.becn);
    ck_assert_uint_eq(line.ecn, 1);
    ck_assert_uint_eq(line.packet.bth.dest_qp, 17);
    ck_assert_int_eq(fal_roce_line_parse("> push_data", &line, &err), FAL_ERR_TYPE);
    ck_assert_int_eq(fal_roce_line_parse("", &line, &err), FAL_ERR_TYPE);
    ck_assert_int_eq(fal_roce_line_parse("@ roce cnp", &line, &err), FAL_ERR_TYPE);
    ck_assert_int_eq(fal_roce_line_parse("rocenante", &line, &err), FAL_ERR_TYPE);
}
END_TEST

static const struct {
    const char *line, *names;
} wrong_lines[] = {
    {"roce dest_qp=3", "opcode: missing"},
    {"roce opcode=cnq", "opcode: 'cnq'"},
    {"roce opcode=rc_*", "opcode: 'rc_*'"},
    {"roce opcode=cnp syndrome=3", "syndrome: a packet of this opcode"},
    {"roce opcode=rc_ack dest_qp=16777216", "dest_qp: the value does not fit in 24 bits"},
    {"roce opcode=rc_ack psn=3r", "psn: expected a number"},
    {"roce opcode=rc_ack psn={1,2}", "one value for each field"},
    {"roce opcode=rc_ack !psn=1", "one value for each field"},
    {"roce kind=nak opcode=rc_ack", "kind: it selects"},
    {"roce opcode=rc_write_only / data=5000", "data: at most"},
    {"roce opcode=rc_ack pns=1", "no field 'pns'"},
    {"roce opcode=rc_ack port=0", "port: expected a number from 1 to 65535"},
    {"roce opcode=rc_ack port=x", "port: expected a number from 1 to 65535"},
    {"roce opcode=rc_ack port=65536", "port: expected a number from 1 to 65535"},
    {"roce hex:", "hex: expected 1 to 512 bytes"},
    {"roce hex:0", "hex: '0' is no list of hex digits"},
    {"roce hex:0x", "hex: '0x' is no list of hex digits"},
    {"roce hex:00 psn=1", "hex: only ecn= may follow the bytes"},
    {"roce hex:00 ecn=ce ecn=ce", "hex: only ecn= may follow the bytes"},
};

START_TEST(errors_of_lines_name_the_field)
{
    struct fal_roce_line line;
    struct fal_error err;

    ck_assert_int_lt(fal_roce_line_parse(wrong_lines[_i].line, &line, &err), 0);
    ck_assert_msg(strstr(err.text, wrong_lines[_i].names) != NULL, "%s", err.text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("roce_text");
    TCase *tc = tcase_create("roce_text");

    tcase_add_test(tc, lines);
    tcase_add_test(tc, patterns_that_fit);
    tcase_add_test(tc, patterns_that_do_not_fit);
    tcase_add_test(tc, labels_that_are_asked_for);
    tcase_add_test(tc, patterns_that_are_refused);
    tcase_add_test(tc, lines_are_read_back);
    tcase_add_test(tc, a_line_has_time_end_and_marks);
    tcase_add_loop_test(tc, errors_of_lines_name_the_field, 0,
                        sizeof wrong_lines / sizeof *wrong_lines);
    suite_add_tcase(suite, tc);
    return suite;
}
