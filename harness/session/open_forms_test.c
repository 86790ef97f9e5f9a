/* SPDX-License-Identifier: Apache-2.0
 * `open` and `reset` as structs, where no timeline is kept, do what they do as JSON. One more
 * connection of a case is not the own one. */
#include "harness/session/session.h"

#include "tests/testing.h"

#include <string.h>

enum { CONNECTIONS = 300, SEED = 21 };

struct wished {
    struct fal_connection setup;
    struct tl_end_setup wishes;
    enum fal_encap encap;
    struct tl_pcids pcids;
};

static struct wished any_wish(struct fal_rng *rng)
{
    static const enum fal_encap encaps[] = {FAL_ENCAP_UDP, FAL_ENCAP_UDP,
                                            FAL_ENCAP_PSP_TRANSPORT, FAL_ENCAP_ESP_TUNNEL};
    struct wished w = {.setup.tester = {.cid = (uint32_t)fal_rng_below(rng, 0xffffff) + 1,
                                        .function = (uint32_t)fal_rng_below(rng, 0x1000000),
                                        .req_psn = (uint32_t)fal_rng_next(rng),
                                        .data_psn = (uint32_t)fal_rng_next(rng),
                                        .rsn = (uint32_t)fal_rng_next(rng)},
                       .wishes = {.has_cid = fal_rng_below(rng, 2) > 0,
                                  .has_function = fal_rng_below(rng, 2) > 0,
                                  .has_req_psn = fal_rng_below(rng, 2) > 0,
                                  .has_data_psn = fal_rng_below(rng, 2) > 0,
                                  .has_rsn = fal_rng_below(rng, 2) > 0,
                                  .end = {.cid = (uint32_t)fal_rng_below(rng, 0x1000000),
                                          .function = (uint32_t)fal_rng_below(rng, 0x1000000),
                                          .req_psn = (uint32_t)fal_rng_next(rng),
                                          .data_psn = (uint32_t)fal_rng_next(rng),
                                          .rsn = (uint32_t)fal_rng_next(rng)}},
                       .encap = encaps[fal_rng_below(rng, 4)],
                       .pcids = {.on = fal_rng_below(rng, 2) > 0,
                                 .match = fal_rng_below(rng, 2) > 0,
                                 .tester = fal_rng_next(rng),
                                 .sut = fal_rng_next(rng)}};
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    struct fal_params *params = &w.setup.params;

    fal_params_default(params, false);
    for (int i = 0; i < 3; i++) {
        const struct fal_param *param = &table[fal_rng_below(rng, n)];
        uint64_t value = fal_param_get(param, params);

        if (param->kind == FAL_PARAM_SWITCH)
            value = fal_rng_below(rng, 2);
        else if (param->kind == FAL_PARAM_DURATION)
            value = fal_rng_below(rng, 8) == 0 ? FAL_NEVER : value + fal_rng_below(rng, 9999);
        else /* some of these the endpoint refuses */
            value = fal_rng_below(rng, value + 2);
        FAL_IGNORE(fal_param_set(param, params, value));
    }
    return w;
}

/* What an open brought about, and the SUT's state after it. */
struct outcome {
    bool opened;
    struct fal_connection connection;
    char why[sizeof(struct fal_error)];
    char *state;
    int64_t epoch;
    struct fal_endpoint_security security; /* what the tester's endpoint was given */
};

static struct outcome open_in(const struct wished *w, uint64_t seed, bool text)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN, .twins = {.random = true}};
    struct tl_session_config config = {.title = "open", .seed = seed, .timeout_ns = FAL_S};
    struct outcome out = {.opened = false};
    struct tl_upper_line reply;
    struct tl_session *session;
    struct tl_bench bench;
    struct fal_error err;
    char *timeline = NULL;
    size_t len;

    if (text)
        config.timeline = open_memstream(&timeline, &len);
    config.bench = &bench;
    config.encap = w->encap;
    if (w->encap != FAL_ENCAP_ESP_TUNNEL)
        config.pcids = w->pcids;
    ck_assert_int_eq(tl_bench_open(&bench, &target, seed, &err), 0);
    session = tl_session_new(&config);
    ck_assert_ptr_nonnull(session);
    ck_assert(tl_session_takes_orders(session) == !text);
    out.opened = tl_session_open(session, &w->setup, &w->wishes) == 0;
    out.connection = session->connection;
    memcpy(out.why, session->broken.what.text, sizeof out.why);
    out.epoch = tl_upper_epoch(bench.upper);
    out.security = session->security;
    if (out.opened) {
        ck_assert_int_eq(tl_bench_call(&bench,
                                       json_pack("{s:s, s:s}", "do", "state", "conn",
                                                 session->connection.name),
                                       &reply, &err),
                         0);
        out.state = json_dumps(reply.object, JSON_COMPACT);
    }
    tl_session_free(session);
    tl_bench_close(&bench);
    if (config.timeline != NULL)
        (void)fclose(config.timeline);
    free(timeline);
    return out;
}

START_TEST(a_struct_opens_what_json_opens)
{
    struct fal_rng rng = {.state = SEED};
    unsigned opened = 0, refused = 0, unlike = 0, sealed = 0;

    printf("seed %d\n", SEED);
    for (int i = 0; i < CONNECTIONS; i++) {
        struct wished w = any_wish(&rng);
        uint64_t seed = fal_rng_next(&rng);
        struct outcome a = open_in(&w, seed, true), b = open_in(&w, seed, false);

        ck_assert_int_eq(a.opened, b.opened);
        ck_assert_str_eq(a.why, b.why);
        ck_assert_int_eq(a.epoch, b.epoch);
        ck_assert_int_eq(a.epoch, 2); /* a reset came before */
        ck_assert_str_eq(a.connection.name, b.connection.name);
        ck_assert_mem_eq(&a.connection.sut, &b.connection.sut, sizeof a.connection.sut);
        ck_assert_mem_eq(&a.connection.tester, &b.connection.tester,
                         sizeof a.connection.tester);
        ck_assert_mem_eq(&a.connection.params, &b.connection.params,
                         sizeof a.connection.params);
        ck_assert_int_eq(a.security.on, b.security.on);
        ck_assert_uint_eq(a.security.spi, b.security.spi);
        ck_assert_uint_eq(a.security.peer_spi, b.security.peer_spi);
        ck_assert_uint_eq(a.security.pcid, b.security.pcid);
        ck_assert_uint_eq(a.security.peer_pcid, b.security.peer_pcid);
        sealed += a.opened && a.security.on && a.security.peer_spi != 0;
        if (a.opened)
            ck_assert_str_eq(a.state, b.state);
        opened += a.opened;
        refused += !a.opened;
        unlike += a.opened && a.connection.params.rack_tlp != w.setup.params.rack_tlp;
        free(a.state);
        free(b.state);
    }
    ck_assert_uint_gt(opened, CONNECTIONS / 4);
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_gt(sealed, 0);
    ck_assert_uint_gt(unlike, 0);
}
END_TEST

/* Commands that name a connection, and those of them that belong to the session's. */
struct closes {
    unsigned all, own;
};

static void note_close(void *ctx, const struct fal_event *event)
{
    struct closes *closes = ctx;

    if (event->kind != FAL_EV_COMMAND || strcmp(event->u.command.verb, "close") != 0)
        return;
    closes->all++;
    closes->own += event->conn != 0;
}

/* One more connection is closed again, and the judge goes on with the session's own. */
START_TEST(one_more_connection_is_not_the_own_one)
{
    const struct tl_target target = {.kind = TL_TARGET_BUILTIN};
    struct fal_rng rng = {.state = SEED};
    struct wished w = any_wish(&rng);
    struct closes closes = {0, 0};
    struct tl_bench bench;
    struct tl_session_config config = {.title = "open",
                                       .seed = SEED,
                                       .timeout_ns = FAL_S,
                                       .bench = &bench,
                                       .event = note_close,
                                       .event_ctx = &closes};
    struct tl_session *session;
    struct fal_params params;
    struct fal_error err;
    char name[FAL_NAME_MAX];

    fal_params_default(&w.setup.params, false);
    ck_assert_int_eq(tl_bench_open(&bench, &target, SEED, &err), 0);
    session = tl_session_new(&config);
    ck_assert_ptr_nonnull(session);
    ck_assert_int_eq(tl_session_open(session, &w.setup, &w.wishes), 0);
    memcpy(name, session->connection.name, sizeof name);
    params = session->connection.params;
    params.mtu = 1500;
    ck_assert(tl_session_open_other(session, &params));
    ck_assert_uint_eq(params.mtu, 1500);
    params.tx_window_req = 0;
    ck_assert(!tl_session_open_other(session, &params));
    ck_assert_str_eq(session->answer_error, "unsupported");
    ck_assert_int_eq(session->broken.reason, TL_REASON_NONE);
    ck_assert_str_eq(session->connection.name, name);
    ck_assert_uint_eq(closes.all, 1);
    ck_assert_uint_eq(closes.own, 0);
    tl_session_free(session);
    tl_bench_close(&bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("open_forms");
    TCase *tc = tcase_create("forms");

    tcase_add_test(tc, a_struct_opens_what_json_opens);
    tcase_add_test(tc, one_more_connection_is_not_the_own_one);
    suite_add_tcase(suite, tc);
    return suite;
}
