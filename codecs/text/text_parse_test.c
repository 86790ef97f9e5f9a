/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/random_packet_test.h"
#include "codecs/text/text.h"
#include "tests/testing.h"

#include <stdlib.h>

static struct fal_pattern parsed(const char *line)
{
    struct fal_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s", line, err.text);
    return pattern;
}

/* ---- lines that say the same as another, in the printer's words ---- */

static const struct {
    const char *line, *printed;
} same[] = {
    {"push_data", "push_data"},
    {"  push_data\tpsn=0x10  rsn=0b11 \n", "push_data psn=16 rsn=3"},
    {"push_data psn=0r rsn=0r len=64 ar", "push_data psn=0r rsn=0r len=64 ar"},
    {"push_data psn=-1r rsn=4294967295r", "push_data psn=-1r rsn=-1r"},
    {"push_data request_length=64 payload_len=63 # short", "push_data len=64 payload_len=63"},
    {"pull_data payload_len=$size rsn=1", "pull_data rsn=1 payload_len=$size"},
    {"push_data ack_req=1", "push_data ar"},
    {"push_data ack_req=0", "push_data ack_req=0"},
    {"push_data !ack_req=1", "push_data !ack_req=1"},
    {"eack !own=2", "eack !own=2"},
    {"back dbase=-2r", "back dbase=-2r"},
    {"back dbase=2147483648r", "back dbase=-2147483648r"},
    {"back dbase=2147483647r", "back dbase=2147483647r"},
    {"eack dbase=1r own=2 drx=0 ...", "eack dbase=1r own=2 drx=0 ..."},
    {"eack own:2=2", "eack d-own"},
    {"eack r-own d-own", "eack r-own d-own"},
    {"eack own:2=0", "eack own:0x2=0"},
    {"eack drx=0x0000000e", "eack drx=0b1110"},
    {"eack drx=340282366920938463463374607431768211455",
     "eack drx=0xffffffffffffffffffffffffffffffff"},
    {"eack dack=18446744073709551616", "eack dack=0x10000000000000000"},
    {"nack code=cie w=req", "nack code=cie w=req"},
    {"nack nack_code=6 window=1", "nack code=cie w=req"},
    {"nack code=99", "nack code=99"},
    {"nack rnr=10us", "nack rnr=10us"},
    {"nack rnr=1", "nack rnr=10us"},
    {"nack rnr=0", "nack rnr=655.36ms"},
    {"nack rnr=655.36ms", "nack rnr=655.36ms"},
    {"nack rnr=655360us", "nack rnr=655.36ms"},
    {"nack rnr=0.01ms..0.65536s", "nack rnr=10us..655.36ms"},
    {"nack rnr=10us..80us", "nack rnr=10us..80us"},
    {"resync of=push_data code=cie", "resync of=push_data code=cie"},
    {"push_data proto=rdma", "push_data proto=rdma"},
    {"back dbase=$base", "back dbase=$base"},
    {"back dbase=$base + 129", "back dbase=$base+129"},
    {"back dbase=$base+129 rbase=$b-0x10", "back dbase=$base+129 rbase=$b-16"},
    {"back t1=$x*2 t2=$x/2", "back t1=$x*2 t2=$x/2"},
    {"back dbase=1r..3r", "back dbase=1r..3r"},
    {"back dbase=$a..$a+3", "back dbase=$a..$a+3"},
    {"back dbase=4294967295..1", "back dbase=4294967295..1"},
    {"back dbase={1r,3r..5r,$x+1}", "back dbase={1r,3r..5r,$x+1}"},
    {"back dbase={ 1r , 2r }", "back dbase={1r,2r}"},
    {"back dbase=any rbase=@seen", "back dbase=any rbase=@seen"},
    {"back !dbase=1r !rbase={1,2}", "back !dbase=1r !rbase={1,2}"},
    {"back !dbase=1r !dbase=2r", "back !dbase=1r !dbase=2r"},
    {"push_data reserved_1:0xf0=0x30", "push_data reserved_1:0xf0=0x30"},
    {"push_data psn:0xff=@low", "push_data psn:0xff=@low"},
    {"packet dbase=2r", "packet recv_data_base_psn=2r"},
    {"packet packet_type={back,eack} d-own ar", "packet packet_type={back,eack} d-own ar"},
    {"packet rue_info=0xffffff", "packet rue_info=16777215"},
    {"hex:00ffAB", "hex:00ffab"},
    {"hex:00 # zero", "hex:00"},
    {"> push_data", "push_data"},
    {">push_data", "push_data"},
    {"@0 < back", "back"},
};

START_TEST(line_parses)
{
    struct fal_pattern pattern = parsed(same[_i].line);
    char text[FAL_TEXT_MAX], again[FAL_TEXT_MAX];

    (void)fal_text_pattern(&pattern, text, sizeof text);
    ck_assert_str_eq(text, same[_i].printed);
    pattern = parsed(text);
    (void)fal_text_pattern(&pattern, again, sizeof again);
    ck_assert_str_eq(again, text);
}
END_TEST

/* ---- lines that are wrong, and where ---- */

static const struct {
    const char *line, *error;
} wrong[] = {
    {"", "column 1: a packet type is missing"},
    {"   # nothing", "column 4: a packet type is missing"},
    {"> ", "column 3: a packet type is missing"},
    {"push psn=1", "column 1: no packet type 'push'; did you mean 'push_data'?"},
    {"blub psn=1", "column 1: no packet type 'blub'; there are pull_request"},
    {"push_datapush_datapush_datapush_datapush_data",
     "column 1: no packet type 'push_datapush_datapush_datapush_datapush...'"},
    {"back psn=1", "column 6: back has no field 'psn'; other packet types have"},
    {"back spn=1", "column 6: back has no field 'spn'"},
    {"packet spn=1", "column 8: no packet type has a field 'spn'"},
    {"packet code=cie", "column 8: 'code' may be "},
    {"back ar", "column 6: back has no field 'ack_req'; other packet types have"},
    {"back packet_type=9", "column 6: the first word of the line says the packet type"},
    {"push_data psn", "column 11: 'psn' is neither field=value nor a flag (ar, r-own, d-own)"},
    {"push_data psn=", "column 15: a value of psn is missing"},
    {"push_data psn= 1", "column 15: a value of psn is missing"},
    {"push_data psn=x", "column 15: 'x' is no value of psn: a number is due"},
    {"push_data proto=tcp",
     "column 17: 'tcp' is no value of protocol_type: a number is due, or one of rdma, nvme"},
    {"push_data psn=4294967296", "column 15: 4294967296 does not fit in the 32 bits of psn"},
    {"push_data psn=4294967296r", "column 15: 4294967296r does not fit"},
    {"push_data psn=-1", "column 15: a negative number must be a relative one: -1r"},
    {"push_data psn=1x", "column 15: '1x' is no value of psn"},
    {"push_data psn=1.5", "column 15: '1.5' is no value of psn"},
    {"push_data psn=1,5", "column 16: ',5' after the value is not understood"},
    {"nack rnr=1.5", "column 13: a unit is due here"},
    {"nack rnr=1.0000000001s", "column 10: more than 9 digits after the point"},
    {"nack rnr=0x1.5us", "column 13: only decimal numbers have a fraction"},
    {"+1.0005us back", "column 2: not a whole number of nanoseconds"},
    {"+18446744073.709551616s back", "column 2: the duration does not fit"},
    {"+0.5 back", "column 5: a unit is due here"},
    {"push_data psn=0x", "column 17: a digit is missing in '0x'"},
    {"push_data psn=0b2", "column 17: a digit is missing in '0b2'"},
    {"push_data psn=0x100000000000000000000000000000000",
     "column 15: the number does not fit in 128 bits"},
    {"push_data psn=340282366920938463463374607431768211456",
     "column 15: the number does not fit in 128 bits"},
    {"push_data len=3r", "column 15: request_length is no sequence number: it takes no '3r'"},
    {"push_data len=10us", "column 15: '10us' is no value of request_length"},
    {"push_data psn=1 psn=2", "column 17: psn is given twice"},
    {"push_data ar ack_req=0", "column 14: ack_req is given twice"},
    {"push_data len=1 request_length=1", "column 17: request_length is given twice"},
    {"push_data =1", "column 11: '=1' is not understood"},
    {"push_data psn==1", "column 15: '=1' is no value of psn"},
    {"push_data !ar", "column 11: '!' stands before field=value only"},
    {"push_data !psn=any", "column 16: '!' takes a number, a range or a set"},
    {"push_data !psn=@x", "column 16: '!' takes a number, a range or a set"},
    {"push_data !psn:1=1", "column 11: '!' and a mask do not go together"},
    {"push_data psn:=1", "column 15: a digit is missing in '=1'"},
    {"push_data psn:0=1", "column 15: a mask of 0 looks at nothing"},
    {"push_data len:0x10000=1", "column 15: the mask does not fit in the 16 bits of len"},
    {"push_data psn:1", "column 16: '=' is due after the mask"},
    {"push_data psn:1=2", "column 17: the value has bits outside of the mask"},
    {"push_data psn=$", "column 16: a name is missing after '$'"},
    {"push_data psn=$1", "column 16: a name is missing after '$'"},
    {"push_data psn=@", "column 16: a name is missing after '@'"},
    {"push_data psn=$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "column 16: the name 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is longer than 31"},
    {"push_data psn=$a/0", "column 18: division by 0"},
    {"push_data psn=$a+99999999999999999999",
     "column 18: the number after '+' does not fit in 64 bits"},
    {"push_data psn=$a+", "column 17: '+' after the value is not understood"},
    {"push_data len=3..1", "column 15: the range ends before it begins"},
    {"nack rnr=80us..10us", "column 10: the range ends before it begins"},
    {"push_data psn=any..3", "column 15: a range goes from one number to another"},
    {"push_data psn=1..@x", "column 15: a range goes from one number to another"},
    {"push_data psn=1..", "column 18: a value of psn is missing"},
    {"push_data psn=1..2..3", "column 19: '..3' after the value is not understood"},
    {"push_data psn={1,2", "column 15: '}' is missing"},
    {"push_data psn={1,2 # }", "column 15: '}' is missing"},
    {"push_data psn={}", "column 16: '}' is no value of psn"},
    {"push_data psn={1,}", "column 18: '}' is no value of psn"},
    {"push_data psn={1;2}", "column 17: ',' or '}' is due here"},
    {"push_data psn={1,{2}}", "column 18: '{2}}' is no value of psn"},
    {"push_data psn={1,any}", "column 18: a set holds numbers and ranges only"},
    {"push_data psn={1,@x}", "column 18: a set holds numbers and ranges only"},
    {"nack rnr=15us",
     "column 10: no RNR timeout code stands for this delay; the next are 10us and 20us"},
    {"nack rnr=500ms",
     "column 10: no RNR timeout code stands for this delay; the next are 491.52ms and 655.36ms"},
    {"nack rnr=1us", "column 10: no RNR timeout code stands for this delay; the next are 10us"},
    {"nack rnr=1s",
     "column 10: no RNR timeout code stands for this delay; the longest is 655.36ms"},
    {"nack rnr=99999999999999999999s", "column 10: the duration does not fit"},
    {"nack rnr=32", "column 10: 32 does not fit in the 5 bits of rnr_timeout"},
    {"push_data payload_len=x", "column 23: payload_len takes a number or a variable"},
    {"push_data payload_len=$", "column 24: '$' must be followed by a name"},
    {"push_data payload_len=$a payload_len=1", "column 26: payload_len is given twice"},
    {"push_data payload_len=65536", "column 23: payload_len is at most 65535"},
    {"push_data payload_len=1 payload_len=1", "column 25: payload_len is given twice"},
    {"push_data !payload_len=1", "column 11: payload_len takes one number"},
    {"hex:", "column 5: hex digits are missing"},
    {"hex:0", "column 5: an odd number of hex digits"},
    {"hex:0g", "column 5: '0g' is not all hex digits"},
    {"hex:00 psn=1", "column 8: nothing may follow the bytes of hex:"},
    {"5us push_data", "column 1: a time alone says too little"},
    {"+5 push_data", "column 3: a unit is due here: ns, us, ms or s"},
    {"+ push_data", "column 2: a duration is due here"},
    {"+5usec push_data", "column 3: a unit is due here"},
    {"+5us,push_data", "column 5: ',push_data' after the time is not understood"},
    {"2us..1us < back", "column 1: the range ends before it begins"},
    {"+18446744073709551616ns back", "column 2: the duration does not fit"},
    {"+18446744074s back", "column 2: the duration does not fit"},
    {"+$x*2us back", "column 8: '*' takes a number without a unit"},
    {"push_data \x1b[31m=1", "column 11: '?[31m=1' is not understood"},
    {"push_data psn=1#comment", "column 16: '#comment' after the value is not understood"},
    {"push_data ....", "column 11: '....' is not understood"},
};

START_TEST(wrong_line_names_its_column)
{
    struct fal_pattern pattern;
    struct fal_error err = {{0}};

    ck_assert_msg(fal_text_parse(wrong[_i].line, &pattern, &err) == FAL_ERR_FORM, "%s: taken",
                  wrong[_i].line);
    ck_assert_msg(strncmp(err.text, wrong[_i].error, strlen(wrong[_i].error)) == 0,
                  "%s: %s; due: %s", wrong[_i].line, err.text, wrong[_i].error);
    ck_assert_ptr_null(strchr(err.text, '\n'));
    ck_assert_int_eq(fal_text_parse(wrong[_i].line, &pattern, NULL), FAL_ERR_FORM);
}
END_TEST

/* ---- times ---- */

START_TEST(time_and_direction)
{
    struct fal_pattern p = parsed("<=$turnaround < back dbase=1r");

    ck_assert_int_eq(p.time, FAL_TIME_WITHIN);
    ck_assert_str_eq(p.from.var, "turnaround");
    ck_assert_int_eq(p.dir, '<');
    p = parsed("+20us > push_data");
    ck_assert_int_eq(p.time, FAL_TIME_AFTER);
    ck_assert_uint_eq(p.from.ns, 20000);
    ck_assert_int_eq(p.dir, '>');
    p = parsed("@1s push_data");
    ck_assert_int_eq(p.time, FAL_TIME_AT);
    ck_assert_uint_eq(p.from.ns, 1000000000);
    ck_assert_int_eq(p.dir, 0);
    p = parsed("0..$rto*1.5 < back");
    ck_assert_int_eq(p.time, FAL_TIME_RANGE);
    ck_assert_uint_eq(p.from.ns, 0);
    ck_assert_str_eq(p.to.var, "rto");
    ck_assert_int_eq(p.to.op, '*');
    ck_assert(p.to.operand == 1.5);
    p = parsed("$a..$b-2us < back");
    ck_assert_str_eq(p.from.var, "a");
    ck_assert_int_eq(p.to.op, '-');
    ck_assert(p.to.operand == 2000);
    p = parsed("<=$coalescing+20% < eack");
    ck_assert(p.from.percent && p.from.operand == 20);
    p = parsed("<=$rto + 5us < eack");
    ck_assert(p.from.operand == 5000);
    p = parsed("push_data");
    ck_assert_int_eq(p.time, FAL_TIME_NONE);
    ck_assert_int_eq(p.payload_len, -1);
}
END_TEST

static bool get_var(const void *ctx, const char *name, fal_u128 *value)
{
    (void)ctx;
    if (strcmp(name, "rto") == 0)
        *value = 1000000;
    else if (strcmp(name, "huge") == 0)
        *value = UINT64_MAX;
    else if (strcmp(name, "wide") == 0)
        *value = fal_u128_halves(1, 0);
    else
        return false;
    return true;
}

static const struct {
    const char *text;
    uint64_t ns; /* when error is NULL */
    const char *error;
} durations[] = {
    {"0", 0, NULL},
    {" 250us ", 250000, NULL},
    {"0x10ms", 16000000, NULL},
    {"1.5us", 1500, NULL},
    {"0.000000001s", 1, NULL},
    {"$rto", 1000000, NULL},
    {"$rto * 2", 2000000, NULL},
    {"$rto+10%", 1100000, NULL},
    {"$rto-10%", 900000, NULL},
    {"$rto*10%", 100000, NULL},
    {"$rto/4", 250000, NULL},
    {"$rto/3", 333333, NULL},
    {"$rto*1.5", 1500000, NULL},
    {"$rto+7", 1000007, NULL},
    {"$rto+7us", 1007000, NULL},
    {"$rto-1ms", 0, NULL},
    {"$huge-1", UINT64_MAX - 1, NULL},
    {"$huge*1", UINT64_MAX, NULL},
    {"$rto-1000001", 0, "$rto is 1 ms; the duration computed from it is negative"},
    {"$rto-200%", 0, "$rto is 1 ms; the duration computed from it is negative"},
    {"$huge+1", 0,
     "$huge is 18446744073.709551615 s; the duration computed from it is too long"},
    {"$rto/0", 0, "$rto/0 has no value"},
    {"$rtt", 0, "there is no variable $rtt"},
    {"$wide", 0, "$wide is too large for a duration"},
};

START_TEST(duration_is_computed)
{
    const struct fal_vars vars = {get_var, NULL};
    struct fal_duration d;
    struct fal_error err = {{0}};
    uint64_t ns = 0;

    ck_assert_int_eq(fal_text_parse_duration(durations[_i].text, &d, NULL), 0);
    if (durations[_i].error == NULL) {
        ck_assert_int_eq(fal_duration_ns(&d, &vars, &ns, &err), 0);
        ck_assert_uint_eq(ns, durations[_i].ns);
    } else {
        ck_assert_int_eq(fal_duration_ns(&d, &vars, &ns, &err), FAL_ERR_FORM);
        ck_assert_str_eq(err.text, durations[_i].error);
        ck_assert_int_eq(fal_duration_ns(&d, NULL, &ns, NULL), FAL_ERR_FORM);
    }
}
END_TEST

START_TEST(wrong_durations)
{
    static const char *const cases[] = {"",    "5",      "us",   "-5us",  "5us 6us", "$",
                                        "$x+", "$x+1%%", "0 us", "$x+1.", "5 us"};
    struct fal_duration d;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(fal_text_parse_duration(cases[i], &d, NULL) == FAL_ERR_FORM, "'%s' taken",
                      cases[i]);
}
END_TEST

/* ---- limits and noise ---- */

static void append(char *line, size_t cap, const char *more)
{
    size_t len = strlen(line);

    ck_assert_uint_lt(len + strlen(more), cap);
    memcpy(line + len, more, strlen(more) + 1);
}

START_TEST(too_many_items_and_values_are_refused)
{
    char line[4000] = "back";
    struct fal_pattern pattern;
    struct fal_error err = {{0}};

    for (int i = 0; i < FAL_ITEMS_MAX; i++)
        append(line, sizeof line, " !dbase=1");
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), 0);
    append(line, sizeof line, " !dbase=1");
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "more than 40 items"));

    line[0] = 0;
    append(line, sizeof line, "back dbase={1");
    for (int i = 2; i < FAL_TERMS_MAX; i++)
        append(line, sizeof line, ",1");
    append(line, sizeof line, "}");
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), 0); /* the set and its 63 */
    ck_assert_uint_eq(pattern.terms[0].count, FAL_TERMS_MAX - 1);
    append(line, sizeof line, " rbase=1");
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), FAL_ERR_FORM);
    ck_assert_ptr_nonnull(strstr(err.text, "more than 64 values"));

    memset(line, '0', sizeof line);
    memcpy(line, "hex:", 4);
    line[4 + 2 * 512] = 0;
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), 0);
    line[4 + 2 * 512] = '0';
    line[4 + 2 * 513] = 0;
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), FAL_ERR_FORM);
    ck_assert_str_eq(err.text, "column 5: more than 512 bytes");

    memset(line, ',', sizeof line);
    memcpy(line, "back dbase={", 12);
    line[sizeof line - 2] = '}';
    line[sizeof line - 1] = 0;
    ck_assert_int_eq(fal_text_parse(line, &pattern, &err), FAL_ERR_FORM);
}
END_TEST

/* Lines made of random pieces of the notation: parsing never crashes and always gives a value
 * or the column of an error. A line that is accepted prints, and parses back. */
START_TEST(torn_lines_end_in_a_value_or_an_error)
{
    static const char *const pieces[] = {
        "push_data", "eack", "nack", "packet", "hex:", " ",    "psn",         "=",
        "dbase",     "own",  "code", "rnr",    "1",    "0x",   "ff",          "r",
        "us",        "..",   "{",    "}",      ",",    "$x",   "@y",          "any",
        "!",         ":",    "+",    "-",      "*",    "<=",   "<",           ">",
        "#",         "...",  "ar",   "cie",    "3r",   "10us", "payload_len", "drx",
    };
    uint64_t state = test_seed(UINT64_C(0x70a4));
    unsigned long rounds = test_rounds(200000), taken = 0;

    for (unsigned long n = 0; n < rounds; n++) {
        char line[400] = "", text[2 * FAL_TEXT_MAX];
        uint64_t seed = state;
        struct fal_pattern pattern;
        struct fal_error err = {{0}};

        if (random_next(&state) % 2 == 0)
            append(line, sizeof line, "eack dbase=");
        for (uint64_t k = random_next(&state) % 12; k > 0; k--)
            append(line, sizeof line,
                   pieces[random_next(&state) % (sizeof pieces / sizeof *pieces)]);
        if (fal_text_parse(line, &pattern, &err) != 0) {
            ck_assert_msg(strncmp(err.text, "column ", 7) == 0, "%s: %s", line, err.text);
            ck_assert_uint_le(strtoul(err.text + 7, NULL, 10), strlen(line) + 1);
            continue;
        }
        taken++;
        ck_assert_int_lt(fal_text_pattern(&pattern, text, sizeof text), (int)sizeof text);
        ck_assert_msg(fal_text_parse(text, &pattern, &err) == 0,
                      "%s -> %s: %s (TALON_SEED=%#llx)", line, text, err.text,
                      (unsigned long long)seed);
    }
    ck_assert_uint_gt(taken, rounds / 1000);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text_parse");
    TCase *tc = tcase_create("text_parse");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, line_parses, 0, (int)(sizeof same / sizeof *same));
    tcase_add_loop_test(tc, wrong_line_names_its_column, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    tcase_add_test(tc, time_and_direction);
    tcase_add_loop_test(tc, duration_is_computed, 0,
                        (int)(sizeof durations / sizeof *durations));
    tcase_add_test(tc, wrong_durations);
    tcase_add_test(tc, too_many_items_and_values_are_refused);
    tcase_add_test(tc, torn_lines_end_in_a_value_or_an_error);
    suite_add_tcase(suite, tc);
    return suite;
}
