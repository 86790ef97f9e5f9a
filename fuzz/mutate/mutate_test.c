/* SPDX-License-Identifier: Apache-2.0
 * mutate_test.c - the mutator: most outputs are still Falcon packets, every operator occurs,
 * the same seed gives the same bytes, and nothing is written beyond the buffer. */
#include "fuzz/mutate/mutate.h"

#include "codecs/frame/sample_frames_test.h"
#include "fuzz/targets/acts.h"
#include "fuzz/targets/fuzz_frame.h"
#include "fuzz/targets/records.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000, OUT_MAX = 16384, GUARD = 16 };

static struct mutator *m;
static uint8_t out[OUT_MAX + GUARD], in[SAMPLE_MAX + FUZZ_FRAME_HEAD], other[sizeof in];

static void begin(enum fuzz_format format, uint64_t seed)
{
    m = mutator_new(format, seed);
    ck_assert_ptr_nonnull(m);
}

static void end(void)
{
    mutator_free(m);
    m = NULL;
}

/* One mutation into a buffer of `cap` bytes with a guard behind it. */
static size_t mutated(const uint8_t *bytes, size_t len, const uint8_t *more, size_t more_len,
                      size_t cap)
{
    size_t n;

    memset(out + cap, 0xa5, GUARD);
    n = mutate(m, (struct fal_span){bytes, len}, (struct fal_span){more, more_len}, out, cap);
    ck_assert_uint_ge(n, 1);
    ck_assert_uint_le(n, cap);
    for (size_t i = 0; i < GUARD; i++)
        ck_assert_uint_eq(out[cap + i], 0xa5);
    return n;
}

/* ---- values ---- */

START_TEST(edges_fit_their_field_and_reach_both_ends)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < layouts[i]->num_fields; k++) {
            const struct fal_field *f = &layouts[i]->fields[k];
            fal_u128 ones = fal_u128_ones(f->width_bits);
            bool least = false, most = false;

            for (unsigned round = 0; round < 400; round++) {
                fal_u128 v = mutate_edge(m, f, 5);

                ck_assert_msg(fal_u128_shr(v, f->width_bits) == 0, "%s.%s", layouts[i]->name,
                              f->name);
                least |= v == 0;
                most |= v == ones;
            }
            ck_assert_msg(least && most, "%s.%s", layouts[i]->name, f->name);
        }
    end();
}
END_TEST

START_TEST(sequence_numbers_reach_the_edges_of_windows_and_the_wrap)
{
    static const uint32_t due[] = {1000,       1064,        1063,       1065,       1128,
                                   936,        0,           UINT32_MAX, 1,          0x80000000,
                                   0x7fffffff, 1000 - 128u, 0x80000001, 1000 - 64u, 999};
    bool seen[sizeof due / sizeof *due] = {false};

    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t psn = mutate_psn(m, 1000);

        for (size_t i = 0; i < sizeof due / sizeof *due; i++)
            seen[i] |= psn == due[i];
    }
    for (size_t i = 0; i < sizeof due / sizeof *due; i++)
        ck_assert_msg(seen[i], "%u", due[i]);
    end();
}
END_TEST

START_TEST(a_flip_changes_bits_of_its_field_alone)
{
    const struct fal_layout *layout = fal_falcon_layout(FAL_EACK);

    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    for (unsigned round = 0; round < 5000; round++) {
        uint8_t before[FAL_HEADER_MAX] = {0}, after[FAL_HEADER_MAX] = {0};
        unsigned fields = 0;

        mutate_wire(m, layout, after);
        for (size_t k = 0; k < layout->num_fields; k++)
            fields += bitloop_get_field(before, &layout->fields[k]) !=
                      bitloop_get_field(after, &layout->fields[k]);
        ck_assert_uint_le(fields, 1);
    }
    end();
}
END_TEST

/* ---- one operator at a time ---- */

static struct fal_falcon packet;
static struct fal_span payload;
static const uint8_t some_bytes[40] = {0x80, 1, 2, 3};

static void a_packet(enum fal_packet_type type)
{
    uint64_t state = 3;

    sample_packet(&state, type, &packet);
    payload = (struct fal_span){some_bytes, type == FAL_PUSH_DATA ? sizeof some_bytes : 0};
    packet.request_length = (uint16_t)payload.len;
}

START_TEST(another_type_keeps_what_both_have)
{
    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    for (unsigned round = 0; round < 100; round++) {
        struct fal_falcon before;

        a_packet(FAL_PUSH_DATA);
        before = packet;
        ck_assert(mutate_falcon(m, MUTATE_TYPE, &packet, &payload));
        ck_assert_ptr_nonnull(fal_falcon_layout(packet.packet_type));
        packet.packet_type = before.packet_type;
        ck_assert(test_same_packet(&before, &packet));
        ck_assert_uint_eq(payload.len, sizeof some_bytes);
    }
    end();
}
END_TEST

START_TEST(lengths_break_and_are_repaired)
{
    unsigned wrong = 0;

    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    for (unsigned round = 0; round < 100; round++) {
        a_packet(FAL_PUSH_DATA);
        ck_assert(mutate_falcon(m, MUTATE_LENGTH, &packet, &payload));
        wrong += packet.request_length != payload.len;
        packet.version = 7;
        ck_assert(mutate_falcon(m, MUTATE_REPAIR, &packet, &payload));
        ck_assert_uint_eq(packet.request_length, payload.len);
        ck_assert_uint_eq(packet.version, 1);
    }
    ck_assert_uint_eq(wrong, 100);
    end();
}
END_TEST

START_TEST(a_sequence_number_moves_and_nothing_else)
{
    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    for (unsigned round = 0; round < 200; round++) {
        const struct fal_layout *layout = fal_falcon_layout(FAL_PULL_REQUEST);
        struct fal_falcon before;

        a_packet(FAL_PULL_REQUEST);
        before = packet;
        ck_assert(mutate_falcon(m, MUTATE_SEQUENCE, &packet, &payload));
        for (size_t k = 0; k < layout->num_fields; k++) {
            const struct fal_field *f = &layout->fields[k];

            if (f->kind != FAL_PSN && f->kind != FAL_RSN)
                ck_assert(fal_field_get(f, &before) == fal_field_get(f, &packet));
        }
    }
    end();
}
END_TEST

START_TEST(a_reserved_type_is_not_for_the_packet_operators)
{
    begin(FUZZ_FORMAT_PACKET, test_seed(1));
    a_packet(FAL_PUSH_DATA);
    packet.packet_type = 1;
    for (int op = 0; op < MUTATE_OPS; op++)
        ck_assert(!mutate_falcon(m, (enum mutate_op)op, &packet, &payload));
    end();
}
END_TEST

/* ---- frames ---- */

/* Whether a fuzz_frame input ends in a Falcon packet; sealed ones that do not open count as
 * carried: they look like one. */
static bool is_falcon(const uint8_t *bytes, size_t len, bool *damaged)
{
    static uint8_t scratch[OUT_MAX];
    struct fal_frame frame = {.number = 1};
    const struct fal_frame_options options = {.psp_keys = m->keys.psp, .esp_keys = m->keys.esp};

    if (len < FUZZ_FRAME_HEAD)
        return false;
    ck_assert_int_eq(
        fal_frame_decode(
            &(struct fal_captured){bytes + FUZZ_FRAME_HEAD, len - FUZZ_FRAME_HEAD,
                                   len - FUZZ_FRAME_HEAD,
                                   fuzz_frame_linktypes[bytes[0] % FUZZ_FRAME_LINKTYPES]},
            &options, scratch, &frame),
        0);
    *damaged = frame.damaged;
    return fal_frame_has(&frame, FAL_LAYER_FALCON);
}

static size_t sample_input(uint64_t *state, uint8_t *bytes)
{
    unsigned linktype;
    size_t len = 0;

    while (len == 0)
        len = sample_frame(state, &m->keys, &linktype, bytes + FUZZ_FRAME_HEAD);
    for (unsigned i = 0; i < FUZZ_FRAME_LINKTYPES; i++)
        if (fuzz_frame_linktypes[i] == linktype)
            bytes[0] = (uint8_t)i;
    bytes[1] = 0;
    return len + FUZZ_FRAME_HEAD;
}

START_TEST(a_mutated_frame_is_mostly_still_falcon_and_every_operator_is_seen)
{
    uint64_t seed = test_seed(1), state = seed;
    unsigned long rounds = test_rounds(ROUNDS), falcon = 0, broken = 0, whole = 0, same = 0;

    begin(FUZZ_FORMAT_FRAME, seed);
    for (unsigned long i = 0; i < rounds; i++) {
        size_t len = sample_input(&state, in), more = sample_input(&state, other);
        size_t n = mutated(in, len, other, more, OUT_MAX);
        bool damaged = false;

        falcon += is_falcon(out, n, &damaged);
        broken += damaged;
        whole += !damaged;
        same += n == len && memcmp(out, in, len) == 0;
    }
    /* in most cases; the rest is broken on purpose above the packet */
    ck_assert_msg(falcon > rounds * 70 / 100, "%lu of %lu: %s", falcon, rounds,
                  test_again(seed));
    ck_assert_msg(broken > rounds / 50 && whole > rounds / 2, "%lu broken, %lu whole: %s",
                  broken, whole, test_again(seed));
    ck_assert_msg(same < rounds / 100, "%lu unchanged: %s", same, test_again(seed));
    for (int op = 0; op < MUTATE_SWAP; op++)
        ck_assert_msg(rounds < 2000 || m->done[op] > 0, "%s is never seen: %s",
                      mutate_names[op], test_again(seed));
    end();
}
END_TEST

START_TEST(a_chain_of_mutations_stays_falcon)
{
    uint64_t seed = test_seed(1), state = seed;
    unsigned long falcon = 0, rounds = test_rounds(500);

    begin(FUZZ_FORMAT_FRAME, seed);
    for (unsigned long i = 0; i < rounds; i++) {
        static uint8_t work[OUT_MAX];
        size_t len = sample_input(&state, work);
        bool damaged;

        for (unsigned k = 0; k < 5; k++) {
            size_t n = mutated(work, len, NULL, 0, OUT_MAX);

            memcpy(work, out, n);
            len = n;
        }
        falcon += is_falcon(work, len, &damaged);
    }
    ck_assert_msg(falcon > rounds * 30 / 100, "%lu of %lu: %s", falcon, rounds,
                  test_again(seed));
    end();
}
END_TEST

START_TEST(any_bytes_are_mutated_within_their_room)
{
    uint64_t seed = test_seed(1), state = seed;

    for (int format = 0; format <= FUZZ_FORMAT_BYTES; format++) {
        begin((enum fuzz_format)format, seed);
        for (unsigned long i = 0; i < test_rounds(4000); i++) {
            size_t len = test_random(&state) % 200, more = test_random(&state) % 200;
            size_t cap = 1 + test_random(&state) % 300;
            uint8_t *exact = malloc(len > 0 ? len : 1), *donor = malloc(more > 0 ? more : 1);

            ck_assert_ptr_nonnull(exact);
            ck_assert_ptr_nonnull(donor);
            test_random_bytes(&state, exact, len);
            test_random_bytes(&state, donor, more);
            (void)mutated(exact, len, donor, more, cap);
            free(donor);
            free(exact);
        }
        end();
    }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_bytes)
{
    for (int format = 0; format <= FUZZ_FORMAT_BYTES; format++) {
        static uint8_t first[OUT_MAX];
        uint64_t state = 7;
        size_t len, n, again;

        begin((enum fuzz_format)format, 99);
        len = sample_input(&state, in);
        n = mutated(in, len, in, len, OUT_MAX);
        n = mutated(in, len, out, n, OUT_MAX - 1);
        memcpy(first, out, n);
        end();
        begin((enum fuzz_format)format, 99);
        again = mutated(in, len, in, len, OUT_MAX);
        again = mutated(in, len, out, again, OUT_MAX - 1);
        ck_assert_uint_eq(n, again);
        ck_assert_mem_eq(first, out, n);
        end();
    }
}
END_TEST

/* ---- packets and sequences ---- */

START_TEST(a_mutated_packet_is_mostly_still_one)
{
    uint64_t seed = test_seed(1), state = seed;
    unsigned long rounds = test_rounds(ROUNDS), good = 0;

    begin(FUZZ_FORMAT_PACKET, seed);
    for (unsigned long i = 0; i < rounds; i++) {
        uint8_t wire[FAL_HEADER_MAX + 40] = {0};
        int len;
        size_t n;

        sample_packet(&state, sample_types[i % SAMPLE_TYPES], &packet);
        len = fal_falcon_encode(&packet, some_bytes, i % 2 * 40, wire, sizeof wire, NULL);
        ck_assert_int_gt(len, 0);
        n = mutated(wire, (size_t)len, NULL, 0, OUT_MAX);
        good += fal_falcon_decode(out, n, &packet) > 0;
    }
    ck_assert_msg(good > rounds * 85 / 100, "%lu of %lu: %s", good, rounds, test_again(seed));
    end();
}
END_TEST

static size_t sequence_input(uint8_t *bytes, unsigned records)
{
    size_t len = FUZZ_HEAD_LEN;

    memset(bytes, 0, FUZZ_HEAD_LEN);
    for (unsigned i = 0; i < records; i++) {
        int n;

        a_packet(sample_types[i % SAMPLE_TYPES]);
        packet.psn = i;
        n = fal_falcon_encode(&packet, NULL, 0, bytes + len + FUZZ_RECORD_LEN, FAL_HEADER_MAX,
                              NULL);
        bytes[len] = ACT_AIMED;
        bytes[len + 1] = 1;
        bytes[len + 2] = 0;
        bytes[len + 3] = (uint8_t)n;
        len += FUZZ_RECORD_LEN + (size_t)n;
    }
    return len;
}

START_TEST(sequences_are_reordered_doubled_dropped_and_spliced)
{
    uint64_t seed = test_seed(1);
    uint8_t bytes[2048], donor[2048];
    unsigned long whole = 0, rounds = test_rounds(5000);
    size_t len, more;

    begin(FUZZ_FORMAT_RECORDS, seed);
    len = sequence_input(bytes, 8);
    more = sequence_input(donor, 3);
    for (unsigned long i = 0; i < rounds; i++) {
        size_t n = mutated(bytes, len, donor, more, OUT_MAX);
        struct fuzz_reader reader = {out + FUZZ_HEAD_LEN, n - FUZZ_HEAD_LEN};
        struct fuzz_record record;
        unsigned records = 0, falcon = 0;

        while (fuzz_record_next(&reader, &record)) {
            records++;
            falcon += fal_falcon_decode(record.bytes, record.len, &packet) > 0;
        }
        ck_assert_uint_eq(reader.left, 0);
        ck_assert_uint_ge(records, 6);
        ck_assert_uint_le(records, 10);
        whole += falcon + 1 >= records;
    }
    ck_assert_msg(whole > rounds * 90 / 100, "%lu of %lu: %s", whole, rounds, test_again(seed));
    for (int op = 0; op < MUTATE_OPS; op++)
        if (op != MUTATE_WRAP && op != MUTATE_CHECK)
            ck_assert_msg(rounds < 2000 || m->done[op] > 0, "%s is never seen: %s",
                          mutate_names[op], test_again(seed));
    end();
}
END_TEST

START_TEST(formats_have_names)
{
    for (int i = 0; i <= FUZZ_FORMAT_BYTES; i++)
        ck_assert_int_eq(mutate_format_from(mutate_format_name((enum fuzz_format)i)), i);
    ck_assert_int_eq(mutate_format_from("pcap"), -1);
    for (int op = 0; op < MUTATE_OPS; op++)
        ck_assert_ptr_nonnull(mutate_names[op]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mutator");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, edges_fit_their_field_and_reach_both_ends);
    tcase_add_test(tc, sequence_numbers_reach_the_edges_of_windows_and_the_wrap);
    tcase_add_test(tc, a_flip_changes_bits_of_its_field_alone);
    tcase_add_test(tc, another_type_keeps_what_both_have);
    tcase_add_test(tc, lengths_break_and_are_repaired);
    tcase_add_test(tc, a_sequence_number_moves_and_nothing_else);
    tcase_add_test(tc, a_reserved_type_is_not_for_the_packet_operators);
    tcase_add_test(tc, a_mutated_frame_is_mostly_still_falcon_and_every_operator_is_seen);
    tcase_add_test(tc, a_chain_of_mutations_stays_falcon);
    tcase_add_test(tc, any_bytes_are_mutated_within_their_room);
    tcase_add_test(tc, the_same_seed_gives_the_same_bytes);
    tcase_add_test(tc, a_mutated_packet_is_mostly_still_one);
    tcase_add_test(tc, sequences_are_reordered_doubled_dropped_and_spliced);
    tcase_add_test(tc, formats_have_names);
    suite_add_tcase(suite, tc);
    return suite;
}
