/* SPDX-License-Identifier: Apache-2.0
 * sealed_traffic_test.c - traffic between two sealed endpoints, over a rough network and with
 * an attacker beside the wire, while keys rotate and the RUE changes its mind: nothing but the
 * peer's packets counts, and everything comes to its end; also under each fault of security and
 * measuring, all of which act here, and under each twin. */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/rig/bench_pair.h"
#include "oracles/rekey.h"
#include "tests/testing.h"

enum { POSTS = 60, KEPT = 16, STEPS_MAX = 200000, FAULTY = 1, LENGTH = 32 };

#define ROTATE_NS (700 * FAL_US)

/* Faults that need what two established endpoints do not have: a connection without an SPI, a
 * packet of two generations ago, a margin of replays that is changed, pools that fill unlike
 * each other or have an average, a connection that ends. */
static const enum fal_fault_id elsewhere[] = {
    FAL_FAULT_SPI_ZERO_ACCEPTED,         FAL_FAULT_GENERATION_BY_TWO,
    FAL_FAULT_REPLAY_MARGIN_FIXED,       FAL_FAULT_LEVEL_THRESHOLDS_SHARED,
    FAL_FAULT_LEVEL_OUTLIVES_CONNECTION, FAL_FAULT_LEVEL_WITHOUT_AVERAGE,
    FAL_FAULT_LEVEL_OF_PACKETS_ALONE};

struct kept {
    uint8_t bytes[256];
    size_t len;
    struct fal_seal seal;
};

struct traffic {
    struct pair pair;
    struct fal_rng rng;
    struct fal_rekey rekey[2]; /* of the packets to that side */
    struct fal_rekey_conn keys[2];
    uint64_t rotate_ns;
    struct kept kept[2][KEPT]; /* what went to that side */
    uint32_t first_spi[2];
    unsigned num_kept[2];
    unsigned posted[2], completed[2], good[2], corrupt;
    unsigned wrong_spis, told_spis; /* to and by the faulty side */
    bool runs_on, believes_all;     /* the latter: a fault lets in what the network broke */
};

/* ---- the ULPs ---- */

static void on_event(struct pair *pair, unsigned side, const struct fal_endpoint_out *out)
{
    struct traffic *t = pair->ctx;
    uint8_t due[LENGTH], data[LENGTH];
    struct fal_endpoint_in in = {
        .rsn = out->rsn, .payload = data, .payload_len = LENGTH, .length = LENGTH};

    switch (out->kind) {
    case FAL_OUT_COMPLETE:
        t->completed[side]++;
        t->good[side] += out->code == FAL_CMPL_ACK;
        fal_payload_fill(out->rsn, 1 - side, due, LENGTH);
        if (out->op == FAL_OP_PULL && out->code == FAL_CMPL_ACK)
            t->corrupt += out->payload_len != LENGTH || memcmp(due, out->payload, LENGTH) != 0;
        break;
    case FAL_OUT_REQUEST:
        in.answer = out->op == FAL_OP_PUSH ? FAL_ANSWER_ACK : FAL_ANSWER_DATA;
        fal_payload_fill(out->rsn, side, data, LENGTH);
        fal_payload_fill(out->rsn, 1 - side, due, LENGTH);
        if (out->op == FAL_OP_PUSH)
            t->corrupt += out->payload_len != LENGTH || memcmp(due, out->payload, LENGTH) != 0;
        if (fal_rng_below(&t->rng, 8) == 0) {
            in.answer = FAL_ANSWER_RNR;
            in.rnr_ns = 20000;
        }
        (void)pair_respond(pair, side, in);
        break;
    case FAL_OUT_CM: t->told_spis += side == FAULTY && strcmp(out->what, "spi") == 0; break;
    case FAL_OUT_PACKET:
    case FAL_OUT_RUE:
    case FAL_OUT_CREDITS:
    case FAL_OUT_NOTE: break;
    }
}

/* ---- the attacker ---- */

static void keep(struct traffic *t, unsigned side, const struct fal_endpoint_in *in)
{
    struct kept *kept = &t->kept[side][t->num_kept[side]++ % KEPT];

    if (in->len > sizeof kept->bytes)
        return;
    memcpy(kept->bytes, in->bytes, in->len);
    kept->len = in->len;
    kept->seal = in->seal;
}

/* Makes of a packet that went by one that must not count. */
static bool forge(struct traffic *t, unsigned side, struct fal_endpoint_in *in)
{
    const struct fal_security *security =
        &fal_ep_conn_find(t->pair.ep[side], t->pair.conn[side])->security;
    uint64_t edge = security->remote_time - 100 * FAL_US * 1000;

    switch (fal_rng_below(&t->rng, 10)) {
    case 0: in->seal.iv = edge; return true;
    case 1: in->seal.iv = edge - fal_rng_below(&t->rng, UINT64_C(1) << 50); return true;
    case 2: in->seal.spi = 0x777; break;
    case 3: in->seal.spi = 0; break;
    case 4: in->seal.vc++; break;
    case 5: in->seal.has_vc = false; break;
    case 6: /* the key before: over, as soon as the CM has said so */
        in->seal.spi = security->prev_spi;
        if (security->prev_spi == security->spi || t->pair.ep[side]->security.allow_previous)
            return false;
        break;
    case 7: in->seal.present = false; return true;
    case 8:
        in->integrity = FAL_NOT_OPENED;
        in->seal.iv = security->remote_time + (UINT64_C(1) << 40);
        return true;
    case 9: in->integrity = FAL_DAMAGED; return true;
    }
    t->wrong_spis += side == FAULTY;
    return true;
}

static void attack(struct pair *pair, unsigned side, const struct fal_endpoint_in *in)
{
    struct traffic *t = pair->ctx;
    const struct kept *kept;
    struct fal_endpoint_in forged = {.kind = FAL_IN_PACKET, .ecn = 3, .ttl = 50};

    if (in->integrity == FAL_INTACT)
        keep(t, side, in);
    if (t->num_kept[side] == 0 || fal_rng_below(&t->rng, 2) == 0)
        return;
    kept = &t->kept[side][fal_rng_below(&t->rng,
                                        t->num_kept[side] < KEPT ? t->num_kept[side] : KEPT)];
    forged.bytes = kept->bytes;
    forged.len = kept->len;
    forged.seal = kept->seal;
    if (kept->len > 0 && forge(t, side, &forged))
        (void)pair_input(pair, side, forged, NULL);
}

static const struct pair_ops traffic_ops = {.event = on_event, .handed = attack};

/* ---- the RUE ---- */

static void waver(void *ctx, struct fal_cc_state *state, uint32_t now_ticks,
                  const struct fal_cc_event *event, struct fal_cc_result *result)
{
    struct fal_rng *rng = ctx;

    (void)state, (void)now_ticks, (void)event;
    if (fal_rng_below(rng, 4) != 0)
        return;
    result->fcwnd_integer = (uint16_t)fal_rng_below(rng, 16);
    result->inter_packet_gap = (uint32_t)fal_rng_below(rng, 100);
    result->ncwnd = (uint16_t)(1 + fal_rng_below(rng, 16));
    result->retransmit_timeout = (uint32_t)(500 + fal_rng_below(rng, 4000));
    result->randomize_path = fal_rng_below(rng, 2) != 0;
    result->cc_metadata = (uint32_t)fal_rng_below(rng, 1 << 24);
}

/* ---- the world ---- */

static void set_up(struct traffic *t, int fault, int twin, uint64_t seed)
{
    const struct fal_impairment wire = {.latency_ns = 5000,
                                        .jitter_ns = 3000,
                                        .loss_ppm = 20000,
                                        .duplicate_ppm = 20000,
                                        .reorder_ppm = 20000,
                                        .reorder_ns = 40000,
                                        .corrupt_ppm = 10000,
                                        .ce_ppm = 50000,
                                        .hops = (uint8_t)(seed % 20)};
    const struct fal_impairment both[2] = {wire, wire};
    const struct fal_end ends[2] = {{1, 1, 0, 1000, 7}, {2, 2, 5000, 0, 70}};
    struct pair *pair = &t->pair;

    *t = (struct traffic){.rng = fal_rng_split(seed, 3), .rotate_ns = ROTATE_NS};
    pair_init(pair, &traffic_ops, t);
    pair->sealed = true;
    for (unsigned side = 0; side < 2; side++) {
        struct fal_endpoint_config *config = &pair->config[side];

        /* Half of the clocks wrap round on the way. */
        config->clock_ps =
            fal_rng_below(&t->rng, 2) == 0 ? fal_rng_next(&t->rng) : 0 - FAL_MS * 1000;
        config->rue.policy = (struct fal_rue_policy){.process = waver, .ctx = &t->rng};
        config->host_limits =
            (struct fal_limits){.units = {[FAL_RES_NET_PKT_RX] = 4, [FAL_RES_NET_BUF_RX] = 100},
                                .red_pkt = 1,
                                .red_buf = 16};
        pair->open[side].params.transaction_timeout_ns = 100 * FAL_MS;
        pair->open[side].params.max_attempts = 200; /* timeouts are short here */
        if (twin >= 0)
            fal_twin_add(&pair->open[side].twins, (enum fal_twin_id)twin);
    }
    t->believes_all = fault == FAL_FAULT_INTEGRITY_UNCHECKED;
    if (fault >= 0)
        fal_fault_add(&pair->config[FAULTY].faults, (enum fal_fault_id)fault);
    pair_open(pair, ends, both, seed);
    for (unsigned side = 0; side < 2; side++) {
        t->keys[side] = (struct fal_rekey_conn){.conn = pair->conn[side],
                                                .peer_conn = pair->conn[1 - side]};
        fal_rekey_init(&t->rekey[side], pair->ep[side], pair->ep[1 - side], 0x2000);
        t->rekey[side].conns = &t->keys[side];
        t->rekey[side].num_conns = 1;
        t->rekey[side].linger_ns = seed % 3 == 0 ? FAL_NEVER : 300 * FAL_US;
        (void)pair_input(
            pair, side, (struct fal_endpoint_in){.kind = FAL_IN_CM, .order = FAL_CM_MATCH_PCID},
            NULL);
    }
}

/* Ends the last rotation a while before the next. */
static void rotate(struct traffic *t)
{
    struct pair *pair = &t->pair;

    pair->now_ns = t->rotate_ns;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t peer_clock = pair->config[1 - side].clock_ps + pair->now_ns * 1000;

        if (t->rekey[side].step != FAL_REKEY_IDLE)
            continue;
        if (t->rekey[side].open)
            ck_assert_int_eq(fal_rekey_prepare(&t->rekey[side], pair->now_ns), 0);
        else
            ck_assert_int_eq(fal_rekey_start(&t->rekey[side], pair->now_ns,
                                             peer_clock - 200 * FAL_US * 1000),
                             0);
        pair_drain(pair, side);
    }
    t->rotate_ns += ROTATE_NS;
}

static void run(struct traffic *t, uint64_t until_ns)
{
    for (unsigned steps = 0; steps < STEPS_MAX; steps++) {
        uint64_t at_ns = pair_deadline(&t->pair), key_ns = FAL_NEVER;

        if (at_ns == FAL_NEVER)
            return;
        for (unsigned side = 0; side < 2; side++)
            if (t->rekey[side].deadline_ns < key_ns)
                key_ns = t->rekey[side].deadline_ns;
        if (at_ns > until_ns)
            return;
        if (t->rotate_ns <= at_ns && t->rotate_ns <= key_ns) {
            rotate(t);
        } else if (key_ns <= at_ns) {
            t->pair.now_ns = key_ns;
            for (unsigned side = 0; side < 2; side++)
                ck_assert_int_eq(fal_rekey_tick(&t->rekey[side], key_ns), 0);
        } else {
            pair_at(&t->pair, at_ns);
        }
    }
    t->runs_on = true;
}

static void flow(struct traffic *t, int fault, int twin, uint64_t seed)
{
    uint8_t payload[LENGTH];
    struct fal_endpoint_in in = {.kind = FAL_IN_POST, .length = LENGTH, .payload = payload};

    set_up(t, fault, twin, seed);
    for (unsigned i = 0; i < POSTS; i++) {
        for (unsigned side = 0; side < 2; side++) {
            in.op = fal_rng_below(&t->rng, 2) == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
            fal_payload_fill((side == 0 ? 7 : 70) + i, side, payload, LENGTH);
            t->posted[side] += pair_input(&t->pair, side, in, NULL) == 0;
        }
        run(t, t->pair.now_ns + 50000);
    }
    run(t, 10 * FAL_S);
    t->runs_on |= pair_deadline(&t->pair) != FAL_NEVER;
}

static void ends_in_peace(const struct traffic *t, const char *name, uint64_t seed)
{
    for (unsigned side = 0; side < 2; side++)
        ck_assert_msg(t->completed[side] == t->posted[side],
                      "%s, TALON_SEED=%llu: side %u completed %u of %u", name,
                      (unsigned long long)seed, side, t->completed[side], t->posted[side]);
    ck_assert_msg(!t->runs_on, "%s, TALON_SEED=%llu: runs on", name, (unsigned long long)seed);
    ck_assert_msg(t->corrupt == 0 || t->believes_all, "%s, TALON_SEED=%llu: %u corrupt", name,
                  (unsigned long long)seed, t->corrupt);
}

/* ---- tests ---- */

static void all_is_well(struct traffic *t, int twin, const char *name, uint64_t seed)
{
    flow(t, -1, twin, seed);
    ends_in_peace(t, name, seed);
    for (unsigned side = 0; side < 2; side++) {
        ck_assert_msg(t->good[side] == POSTS, "%s, TALON_SEED=%llu: side %u: %u of %d well",
                      name, (unsigned long long)seed, side, t->good[side], POSTS);
        ck_assert(fal_endpoint_quiet(t->pair.ep[side], t->pair.conn[side]));
        ck_assert_uint_eq(t->pair.ep[side]->occupancy[FAL_RX_PACKETS].average, 0);
    }
    pair_free(&t->pair);
}

START_TEST(only_the_peers_packets_count)
{
    static struct traffic t;
    uint64_t first = test_seed(1), rounds = test_rounds(200), wrong = 0, told = 0;

    for (uint64_t seed = first; seed < first + rounds; seed++) {
        all_is_well(&t, -1, "no fault", seed);
        /* A late packet under a key that has gone is told too. */
        ck_assert_uint_ge(t.told_spis, t.wrong_spis);
        wrong += t.wrong_spis;
        told += t.told_spis;
    }
    ck_assert_uint_gt(wrong, 5 * rounds);
    ck_assert_uint_lt(told - wrong, wrong / 10);
}
END_TEST

START_TEST(twins_change_nothing_that_matters)
{
    static struct traffic t;
    size_t n;
    const struct fal_twin *rows = fal_twins(&n);

    for (int twin = FAL_TWIN_INTEGRITY_SILENT; twin <= FAL_TWIN_RESERVED_BITS_REFUSED; twin++)
        for (uint64_t seed = test_seed(1); seed < test_seed(1) + test_rounds(10); seed++)
            all_is_well(&t, twin, rows[twin].name, seed);
}
END_TEST

static bool acts_elsewhere(int fault)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if ((int)elsewhere[i] == fault)
            return true;
    return false;
}

START_TEST(each_fault_acts_and_all_ends_in_peace)
{
    static struct traffic t;
    size_t n;
    const struct fal_fault *rows = fal_faults(&n);
    uint64_t first = test_seed(1);

    for (int fault = FAL_FAULT_INTEGRITY_UNCHECKED; fault <= FAL_FAULT_PATH_NEVER_CHANGED;
         fault++) {
        uint64_t acts = 0;

        /* Not fewer: some act in one of six. */
        for (uint64_t seed = first; seed < first + 6; seed++) {
            flow(&t, fault, -1, seed);
            acts += fal_endpoint_fault_acts(t.pair.ep[FAULTY], (enum fal_fault_id)fault);
            ends_in_peace(&t, rows[fault].name, seed);
            pair_free(&t.pair);
        }
        ck_assert_msg((acts == 0) == acts_elsewhere(fault), "%s: %llu acts", rows[fault].name,
                      (unsigned long long)acts);
    }
}
END_TEST

START_TEST(one_seed_gives_one_trace)
{
    static struct traffic t;
    uint64_t trace;

    flow(&t, -1, -1, 5);
    trace = t.pair.trace;
    pair_free(&t.pair);
    flow(&t, -1, -1, 5);
    ck_assert_uint_eq(t.pair.trace, trace);
    pair_free(&t.pair);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sealed traffic");
    TCase *tc = tcase_create("sealed");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, only_the_peers_packets_count);
    tcase_add_test(tc, twins_change_nothing_that_matters);
    tcase_add_test(tc, each_fault_acts_and_all_ends_in_peace);
    tcase_add_test(tc, one_seed_gives_one_trace);
    suite_add_tcase(suite, tc);
    return suite;
}
