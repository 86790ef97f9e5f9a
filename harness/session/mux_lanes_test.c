/* SPDX-License-Identifier: Apache-2.0
 * mux_lanes_test.c - lanes of one SUT: each resets, opens and counts for itself. The SUT is the
 * built-in one on a simulated link. */
#include "harness/session/mux_impl.h"
#include "tests/testing.h"

#include "codecs/header/headers.h"
#include "harness/session/session.h"

#include <string.h>

enum { LANES = 2 };

struct lane {
    struct tl_mux *mux;
    struct tl_bench *bench;
    unsigned number;
    void (*play)(struct lane *lane);
    char conn[FAL_NAME_MAX];
    uint32_t sut_cid;
    struct tl_upper_line reply; /* of the last command; what it points to is borrowed */
};

static struct tl_bench bench;

/* Asks the SUT; the test fails unless it answers. */
static json_t *ask(struct lane *lane, json_t *command)
{
    struct fal_error err = {{0}};

    ck_assert_msg(tl_bench_call(lane->bench, command, &lane->reply, &err) == 0, "%s", err.text);
    return lane->reply.object;
}

static int64_t number_of(const json_t *reply, const char *key)
{
    ck_assert_msg(json_is_integer(json_object_get(reply, key)), "%s", key);
    return json_integer_value(json_object_get(reply, key));
}

static void reset(struct lane *lane)
{
    int64_t epoch = tl_upper_epoch(lane->bench->upper);
    json_t *reply = ask(lane, json_pack("{s:s, s:s}", "do", "reset", "scope", "device"));

    ck_assert_int_eq(number_of(reply, "new_epoch"), epoch + 1);
    ck_assert_int_eq(tl_upper_epoch(lane->bench->upper), epoch + 1);
}

static void open_connection(struct lane *lane, unsigned cid)
{
    json_t *reply =
        ask(lane, json_pack("{s:s, s:s, s:{s:i, s:i, s:i, s:i, s:i}, s:{}}", "do", "open",
                            "encap", "udp", "peer", "cid", (int)cid, "function", 1, "req_psn",
                            0, "data_psn", 0, "rsn", 0, "params"));

    (void)snprintf(lane->conn, sizeof lane->conn, "%s",
                   json_string_value(json_object_get(reply, "conn")));
    lane->sut_cid = (uint32_t)number_of(json_object_get(reply, "local"), "cid");
}

/* Sends a frame that no connection of the SUT takes: it is counted and dropped. */
static void send_frame(struct lane *lane)
{
    const uint8_t bytes[12] = {0x10, 0, 0, 9};
    struct tl_link *link = lane->bench->link;
    struct fal_error err = {{0}};
    uint64_t at;

    ck_assert_int_eq(link->ops->send(link, bytes, sizeof bytes, &at, &err), 0);
}

static void pass_time(struct lane *lane, uint64_t ns)
{
    struct tl_link *link = lane->bench->link;
    uint64_t until = link->ops->now_ns(link) + ns;
    struct tl_link_got got;

    while (link->ops->wait(link, until, &got) != TL_LINK_TIMEOUT)
        ;
}

static void run_lane(void *ctx, unsigned number)
{
    struct lane *lane = (struct lane *)ctx + number;

    lane->play(lane);
}

static void open_bench(const struct tl_target *target)
{
    struct fal_error err = {{0}};

    ck_assert_msg(tl_bench_open(&bench, target, 1, &err) == 0, "%s", err.text);
}

/* Runs `play` on each lane; the caller frees the mux. */
static struct tl_mux *run_lanes(void (*play)(struct lane *lane))
{
    struct fal_error err = {{0}};
    struct tl_mux *mux = tl_mux_new_lanes(&bench, LANES, NULL, &err);
    struct lane lanes[LANES];

    ck_assert_msg(mux != NULL, "%s", err.text);
    for (unsigned i = 0; i < LANES; i++)
        lanes[i] =
            (struct lane){.mux = mux, .bench = tl_mux_bench(mux, i), .number = i, .play = play};
    tl_mux_play(mux, run_lane, lanes);
    return mux;
}

static void state_is_ok(struct lane *lane)
{
    ck_assert_msg(
        json_is_true(json_object_get(
            ask(lane, json_pack("{s:s, s:s}", "do", "state", "conn", lane->conn)), "ok")),
        "%s", lane->conn);
}

/* Lane 0 resets again and again; the connection of lane 1 stays. */
static void reset_beside(struct lane *lane)
{
    reset(lane);
    open_connection(lane, 20 + lane->number);
    for (int i = 0; i < 5; i++) {
        pass_time(lane, 10 * FAL_US);
        if (lane->number == 0) {
            reset(lane);
            open_connection(lane, 30 + (unsigned)i);
        }
        state_is_ok(lane);
    }
}

START_TEST(a_reset_closes_the_connection_of_its_lane_alone)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};

    open_bench(&target);
    tl_mux_free(run_lanes(reset_beside));
    tl_bench_close(&bench);
}
END_TEST

/* A reset of a lane without a connection is answered, too, and the old connection is gone. */
static void reset_closes(struct lane *lane)
{
    char first[FAL_NAME_MAX];
    struct fal_error err;

    reset(lane);
    reset(lane);
    open_connection(lane, 20 + lane->number);
    memcpy(first, lane->conn, sizeof first);
    reset(lane);
    ck_assert_int_ne(tl_bench_call(lane->bench,
                                   json_pack("{s:s, s:s}", "do", "state", "conn", first),
                                   &lane->reply, &err),
                     0);
    ck_assert_ptr_nonnull(strstr(err.text, first));
}

START_TEST(a_reset_closes_what_its_lane_had_open)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};

    open_bench(&target);
    tl_mux_free(run_lanes(reset_closes));
    tl_bench_close(&bench);
}
END_TEST

static void count_frames(struct lane *lane)
{
    json_t *reply;

    reset(lane);
    open_connection(lane, 20 + lane->number);
    for (unsigned i = 0; i <= lane->number; i++) /* 1 and 2 frames */
        send_frame(lane);
    pass_time(lane, FAL_MS);
    reply = ask(lane, json_pack("{s:s}", "do", "counters"));
    ck_assert_int_eq(number_of(reply, "frames_received"), lane->number + 1);
    ck_assert_int_eq(number_of(reply, "frames_sent"), 0);
    reset(lane);
    reply = ask(lane, json_pack("{s:s}", "do", "counters"));
    ck_assert_int_eq(number_of(reply, "frames_received"), 0);
}

START_TEST(each_lane_counts_its_own_frames)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct tl_mux *mux;

    open_bench(&target);
    mux = run_lanes(count_frames);
    ck_assert(!tl_mux_unsettled(mux));
    ck_assert(!tl_mux_strayed(mux));
    tl_mux_free(mux);
    tl_bench_close(&bench);
}
END_TEST

/* One lost frame, of whichever lane, shows in the counts of both: neither can prove that
 * nothing of its own was lost. */
static void count_with_loss(struct lane *lane)
{
    json_t *reply;

    reset(lane);
    open_connection(lane, 20 + lane->number);
    if (lane->number == 1)
        send_frame(lane);
    pass_time(lane, FAL_MS);
    reply = ask(lane, json_pack("{s:s}", "do", "counters"));
    ck_assert_int_eq(number_of(reply, "frames_received"), lane->number == 1 ? 0 : -1);
    for (int i = 0; i < 150; i++)
        (void)ask(lane, json_pack("{s:s}", "do", "counters"));
}

START_TEST(a_lost_frame_ends_the_proof_and_then_the_lanes)
{
    struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct tl_mux *mux;

    target.impair[FAL_TO_SUT].loss_ppm = 1000000;
    open_bench(&target);
    mux = run_lanes(count_with_loss);
    ck_assert(tl_mux_unsettled(mux));
    tl_mux_free(mux);
    tl_bench_close(&bench);
}
END_TEST

/* Barriers without a connection may share one of the SUT's. */
static void barriers_are_shared(struct lane *lane)
{
    reset(lane);
    for (int i = 0; i < 20; i++) {
        pass_time(lane, FAL_US);
        ck_assert(json_is_true(
            json_object_get(ask(lane, json_pack("{s:s}", "do", "barrier")), "ok")));
    }
}

START_TEST(every_lane_gets_the_reply_to_its_barrier)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};

    open_bench(&target);
    tl_mux_free(run_lanes(barriers_are_shared));
    tl_bench_close(&bench);
}
END_TEST

enum { PUSHES = 4 };

/* Lane 1 gets the packets; the SPI of lane 0 is a sequence number of ESP, and a first word of
 * PSP, of some of them. */
static void open_sealed(struct lane *lane, const char *encap, const char *const spis[LANES],
                        json_t *sa)
{
    json_t *reply;

    ck_assert_ptr_nonnull(sa);
    (void)json_object_set_new(sa, "spi", json_string(spis[lane->number]));
    reply =
        ask(lane, json_pack("{s:s, s:s, s:{s:i, s:i, s:i, s:i, s:i}, s:{}, s:{s:o, s:s}}", "do",
                            "open", "encap", encap, "peer", "cid", 20 + (int)lane->number,
                            "function", 1, "req_psn", 0, "data_psn", 0, "rsn", 0, "params",
                            "security", "sa", sa, "remote_time", "0x0000000000000000"));
    (void)snprintf(lane->conn, sizeof lane->conn, "%s",
                   json_string_value(json_object_get(reply, "conn")));
}

static void push_from_the_sut(struct lane *lane)
{
    pass_time(lane, FAL_US); /* both are open */
    for (int i = 0; i < PUSHES && lane->number == 1; i++)
        (void)ask(lane, json_pack("{s:s, s:s, s:i, s:i, s:s, s:i}", "do", "post", "conn",
                                  lane->conn, "tag", i, "seed", 1, "op", "push", "length", 64));
    pass_time(lane, 100 * FAL_US);
}

static void push_by_esp(struct lane *lane)
{
    static const char *const spis[LANES] = {"0x00000003", "0x00009726"};

    reset(lane);
    open_sealed(lane, "esp_transport", spis,
                json_pack("{s:s, s:s, s:s}", "algorithm", "aes-gcm-128", "key",
                          "18398cf10e463e2316ed99c863e5d3b9", "salt", "3b5348a3"));
    push_from_the_sut(lane);
}

static void push_by_psp(struct lane *lane)
{
    static const char *const spis[LANES] = {"0xfc010101", "0x00009726"};

    reset(lane);
    open_sealed(
        lane, "psp_transport", spis,
        json_pack("{s:i, s:s}", "version", 0, "key", "18398cf10e463e2316ed99c863e5d3b9"));
    push_from_the_sut(lane);
}

static void (*const pushes[])(struct lane *) = {push_by_esp, push_by_psp};

START_TEST(a_sealed_frame_is_of_the_lane_with_its_spi)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct tl_mux *mux;

    open_bench(&target);
    mux = run_lanes(pushes[_i]);
    ck_assert_uint_ge(mux->received, PUSHES);
    ck_assert_uint_eq(mux->copies[0].received, 0);
    ck_assert_uint_eq(mux->copies[1].received, mux->received);
    ck_assert(!tl_mux_strayed(mux));
    tl_mux_free(mux);
    tl_bench_close(&bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mux_lanes");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, a_reset_closes_the_connection_of_its_lane_alone);
    tcase_add_test(tc, a_reset_closes_what_its_lane_had_open);
    tcase_add_test(tc, each_lane_counts_its_own_frames);
    tcase_add_test(tc, a_lost_frame_ends_the_proof_and_then_the_lanes);
    tcase_add_test(tc, every_lane_gets_the_reply_to_its_barrier);
    tcase_add_loop_test(tc, a_sealed_frame_is_of_the_lane_with_its_spi, 0,
                        sizeof pushes / sizeof *pushes);
    suite_add_tcase(suite, tc);
    return suite;
}
