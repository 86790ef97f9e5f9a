/* SPDX-License-Identifier: Apache-2.0
 * hostile_test.c - whatever arrives, in whatever order, and whatever a script claims: the
 * endpoint stays sound, its bases never go back, its memory stays in its bounds. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "oracles/rng.h"
#include "oracles/seq.h"
#include "tests/testing.h"

enum { STEPS = 3000, POSTED = 77 };

/* Mostly near what the endpoint has in its windows, now and then anything. */
static uint32_t near(struct fal_rng *rng, uint32_t seq)
{
    static const uint32_t spans[] = {4, 70, 140, 5000};

    if (fal_rng_below(rng, 30) == 0)
        return (uint32_t)fal_rng_next(rng);
    return seq - 3 + (uint32_t)fal_rng_below(rng, spans[fal_rng_below(rng, 4)]);
}

static fal_u128 bits(struct fal_rng *rng)
{
    fal_u128 v = (fal_u128)fal_rng_next(rng) << 64, mask;

    v |= fal_rng_next(rng);
    mask = (fal_u128)fal_rng_next(rng) << 64;
    mask |= fal_rng_next(rng);
    return fal_u128_shr(v & mask, (unsigned)fal_rng_below(rng, 140));
}

static enum fal_packet_type any_type(struct fal_rng *rng)
{
    static const enum fal_packet_type types[] = {FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA,
                                                 FAL_PUSH_DATA,    FAL_RESYNC,    FAL_NACK,
                                                 FAL_BACK,         FAL_EACK};

    return types[fal_rng_below(rng, 8)];
}

/* A packet: `mine`: from the endpoint's side (a script's), else from its peer. */
static struct fal_falcon any_packet(struct fal_rng *rng, const struct fal_endpoint_state *state,
                                    const struct fal_end *local, bool mine)
{
    static const uint8_t resync_types[] = {0, 3, 5, 5, 6, 9};
    enum fal_packet_type type = any_type(rng);
    struct fal_falcon p = solo_packet(type, 0, 0);
    bool request = type == FAL_PULL_REQUEST;

    p.recv_data_base_psn = near(rng, mine ? state->rx_dbpsn : state->tx_dbpsn);
    p.recv_req_base_psn = near(rng, mine ? state->rx_rbpsn : state->tx_rbpsn);
    if (fal_rng_below(rng, 2) == 0) { /* an ACK that will not be discarded */
        p.recv_data_base_psn = mine ? state->rx_dbpsn : state->tx_dbpsn;
        p.recv_req_base_psn = mine ? state->rx_rbpsn : state->tx_rbpsn;
    }
    p.ack_req = fal_falcon_is_ack(type) ? 0 : (uint8_t)fal_rng_below(rng, 2);
    if (mine)
        p.psn = near(rng, request ? state->tx_rnpsn : state->tx_dnpsn);
    else
        p.psn = near(rng, request ? state->rx_rbpsn : state->rx_dbpsn);
    p.rsn = near(rng, mine || type == FAL_PULL_DATA ? state->nrsn - 5 : local->rsn);
    p.resync_code = (uint8_t)fal_rng_below(rng, 10);
    p.resync_packet_type = resync_types[fal_rng_below(rng, 6)];
    p.nack_code = (uint8_t)fal_rng_below(rng, 10);
    p.nack_psn = near(rng, state->tx_dbpsn);
    p.window = (uint8_t)fal_rng_below(rng, 2);
    p.rnr_timeout = (uint8_t)fal_rng_below(rng, 32);
    p.own = (uint8_t)fal_rng_below(rng, 4);
    p.data_ack_bitmap = bits(rng);
    p.data_rx_bitmap = bits(rng);
    p.req_bitmap = fal_u128_lo(bits(rng));
    return p;
}

static size_t encode(struct fal_rng *rng, struct fal_falcon *p, uint8_t *out, size_t cap)
{
    static const uint8_t payload[64];
    size_t len = p->packet_type <= FAL_PUSH_DATA ? fal_rng_below(rng, 64) : 0;
    int n;

    if (p->packet_type == FAL_PUSH_DATA && fal_rng_below(rng, 20) != 0)
        p->request_length = (uint16_t)len;
    n = fal_falcon_encode(p, payload, len, out, cap, NULL);
    ck_assert_int_gt(n, 0);
    if (fal_rng_below(rng, 20) == 0) { /* or a broken one */
        uint64_t at = fal_rng_below(rng, (uint64_t)n);

        out[at] ^= (uint8_t)fal_rng_next(rng);
    }
    return fal_rng_below(rng, 20) == 0 ? fal_rng_below(rng, (uint64_t)n + 1) : (size_t)n;
}

struct play {
    struct fal_rng rng;
    struct fal_endpoint *ep;
    struct fal_endpoint_conn open;
    struct fal_endpoint_state state;
    uint32_t conn;
    uint64_t now_ns;
    uint32_t newest_request;    /* RSN last delivered */
    unsigned posted, completed; /* the ULP's own, not a script's */
    bool dead;
};

static void drain(struct play *play)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(play->ep, &out)) {
        if (out.kind == FAL_OUT_REQUEST)
            play->newest_request = out.rsn;
        if (out.kind == FAL_OUT_CM)
            play->dead = true;
        play->completed += out.kind == FAL_OUT_COMPLETE && out.tag == POSTED;
    }
}

static void step(struct play *play)
{
    static const uint8_t payload[64];
    uint8_t bytes[FAL_HEADER_MAX + 64];
    struct fal_endpoint_in in = {.conn = play->conn, .payload = payload};
    struct fal_falcon p;

    switch (fal_rng_below(&play->rng, 8)) {
    case 0:
        in.kind = FAL_IN_POST;
        in.op = fal_rng_below(&play->rng, 2) == 0 ? FAL_OP_PUSH : FAL_OP_PULL;
        in.length = (uint32_t)fal_rng_below(&play->rng, 64);
        in.tag = POSTED;
        play->posted++;
        break;
    case 1:
    case 2:
        in.kind = FAL_IN_RESPOND;
        in.rsn = play->newest_request - (uint32_t)fal_rng_below(&play->rng, 6);
        in.answer = (enum fal_answer)fal_rng_below(&play->rng, 7);
        in.rnr_ns = fal_rng_below(&play->rng, 100000);
        in.length = (uint32_t)fal_rng_below(&play->rng, 64);
        break;
    case 3:
        p = any_packet(&play->rng, &play->state, &play->open.local, true);
        ck_assert_int_eq(fal_endpoint_adopt(play->ep, play->conn, &p, payload,
                                            fal_rng_below(&play->rng, 64), play->now_ns),
                         0);
        return;
    default:
        in.kind = FAL_IN_PACKET;
        p = any_packet(&play->rng, &play->state, &play->open.peer, false);
        in.bytes = bytes;
        in.len = encode(&play->rng, &p, bytes, sizeof bytes);
        in.t1 = (uint32_t)fal_rng_next(&play->rng);
        break;
    }
    FAL_IGNORE(fal_endpoint_input(play->ep, &in, play->now_ns, NULL));
}

static void pass_time(struct play *play, uint64_t until_ns)
{
    const struct fal_endpoint_in tick = {.kind = FAL_IN_TICK};
    uint64_t at_ns;
    unsigned ticks = 0;

    while ((at_ns = fal_endpoint_deadline(play->ep)) <= until_ns && at_ns != FAL_NEVER) {
        play->now_ns = at_ns > play->now_ns ? at_ns : play->now_ns;
        if (fal_endpoint_input(play->ep, &tick, play->now_ns, NULL) != 0)
            ck_abort_msg("a tick was refused");
        drain(play);
        if (++ticks > 100000)
            ck_abort_msg("time stands still");
    }
    play->now_ns = until_ns;
}

static void check(const struct play *play, const struct fal_endpoint_state *before,
                  uint64_t seed)
{
    const struct fal_endpoint_state *now = &play->state;

    if (fal_seq_lt(now->rx_dbpsn, before->rx_dbpsn) ||
        fal_seq_lt(now->rx_rbpsn, before->rx_rbpsn) ||
        fal_seq_lt(now->tx_dbpsn, before->tx_dbpsn) ||
        fal_seq_lt(now->tx_rbpsn, before->tx_rbpsn) ||
        (!play->dead && (fal_seq_lt(now->tx_dnpsn, now->tx_dbpsn) ||
                         fal_seq_lt(now->tx_rnpsn, now->tx_rbpsn))) ||
        now->open_initiated > FAL_ENDPOINT_OPEN_MAX ||
        now->open_received > FAL_ENDPOINT_OPEN_MAX ||
        (fal_u128_lo(now->data_ack_bitmap) & 1) != 0 || (now->req_bitmap & 1) != 0 ||
        (now->data_ack_bitmap & ~now->data_rx_bitmap) != 0)
        ck_abort_msg("unsound; TALON_SEED=%llu", (unsigned long long)seed);
}

static void run(uint64_t seed)
{
    struct play play = {.rng = fal_rng_split(seed, 9)};
    struct fal_endpoint_config config = {.seed = seed};

    fal_params_default(&play.open.params, false);
    play.open.params.ordered = fal_rng_below(&play.rng, 2) != 0;
    play.open.params.max_attempts =
        (uint32_t)fal_rng_below(&play.rng, fal_rng_below(&play.rng, 4) == 0 ? 20 : 2000);
    play.open.params.transaction_timeout_ns = 1 + fal_rng_below(&play.rng, 20 * FAL_MS);
    play.open.params.fcwnd = (uint32_t)fal_rng_below(&play.rng, 300);
    play.open.auto_ack = fal_rng_below(&play.rng, 8) != 0;
    play.open.auto_retransmit = fal_rng_below(&play.rng, 8) != 0;
    play.open.local =
        (struct fal_end){SOLO_CID, 3, (uint32_t)-20, (uint32_t)-50, (uint32_t)-30};
    play.open.peer =
        (struct fal_end){SOLO_PEER_CID, 4, (uint32_t)-9, (uint32_t)-99, (uint32_t)-70};
    for (int fault = 0; fault < FAL_FAULT_ULP_FIRST; fault++)
        if (seed % 2 == 0 && fal_rng_below(&play.rng, 4) == 0)
            fal_fault_add(&config.faults, (enum fal_fault_id)fault);
    config.faults.one_in = 3;
    play.ep = fal_endpoint_new(&config);
    ck_assert_int_eq(fal_endpoint_open(play.ep, &play.open, 0, &play.conn), 0);
    play.newest_request = play.open.peer.rsn;
    for (unsigned i = 0; i < STEPS; i++) {
        struct fal_endpoint_state before = play.state;

        if (fal_endpoint_state(play.ep, play.conn, &play.state) != 0)
            ck_abort_msg("no state");
        if (i > 0)
            check(&play, &before, seed);
        step(&play);
        if (fal_rng_below(&play.rng, 4) != 0)
            drain(&play);
        if (fal_rng_below(&play.rng, 4) == 0)
            pass_time(&play, play.now_ns + fal_rng_below(&play.rng, 200000));
    }
    drain(&play);
    pass_time(&play, FAL_NEVER); /* then all comes to an end */
    if (seed % 2 != 0 && play.completed != play.posted)
        ck_abort_msg("%u of %u completed; TALON_SEED=%llu", play.completed, play.posted,
                     (unsigned long long)seed);
    fal_endpoint_free(play.ep);
}

START_TEST(nothing_that_arrives_or_is_claimed_makes_it_unsound)
{
    uint64_t first = test_seed(1);
    unsigned long rounds = getenv("TALON_SEED") != NULL ? 1 : test_rounds(200);

    for (unsigned long i = 0; i < rounds; i++)
        run(first + i);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hostile");
    TCase *tc = tcase_create("hostile");

    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, nothing_that_arrives_or_is_claimed_makes_it_unsound);
    suite_add_tcase(suite, tc);
    return suite;
}
