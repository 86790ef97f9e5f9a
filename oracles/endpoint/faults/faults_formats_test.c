/* SPDX-License-Identifier: Apache-2.0
 * faults_formats_test.c - each fault of fault_list_formats.h and fault_list_packets.h acts in a
 * conversation in which every packet type leaves, and what leaves then, or what the ULP is
 * told, is something else than without it. Those of formats change packets of their types
 * alone. */
#include "oracles/endpoint/rig/bench_solo.h"
#include "tests/testing.h"

#define OF(type)  (1u << (type))
#define ANY_TYPE  (~0u)
#define RELIABLE  (OF(FAL_PULL_REQUEST) | OF(FAL_PULL_DATA) | OF(FAL_PUSH_DATA) | OF(FAL_RESYNC))
#define EVERY_ACK (OF(FAL_BACK) | OF(FAL_EACK) | OF(FAL_NACK))

enum { OUTS_MAX = 256, BYTES_MAX = 160, LENGTH = 8 };

/* What comes out, byte by byte. */
struct trace {
    size_t n;
    struct trace_out {
        enum fal_out_kind kind;
        size_t len;
        uint8_t bytes[BYTES_MAX];
        uint64_t at_ns;
        uint32_t rsn;
    } outs[OUTS_MAX];
};

static bool same_out(const struct trace_out *a, const struct trace_out *b)
{
    return a->kind == b->kind && a->at_ns == b->at_ns && a->rsn == b->rsn && a->len == b->len &&
           memcmp(a->bytes, b->bytes, a->len) == 0;
}

static void drain(struct solo *s, struct trace *t)
{
    struct fal_endpoint_out out;

    while (fal_endpoint_next(s->ep, &out)) {
        if (out.kind == FAL_OUT_NOTE)
            continue;
        ck_assert_uint_lt(t->n, OUTS_MAX);
        ck_assert_uint_le(out.len, BYTES_MAX);
        t->outs[t->n].kind = out.kind;
        t->outs[t->n].rsn = out.rsn;
        t->outs[t->n].at_ns = s->now_ns;
        t->outs[t->n].len = out.kind == FAL_OUT_PACKET ? out.len : 0;
        if (out.kind == FAL_OUT_PACKET)
            memcpy(t->outs[t->n].bytes, out.bytes, out.len);
        t->n++;
    }
}

static void input(struct solo *s, struct trace *t, struct fal_endpoint_in in)
{
    in.conn = s->conn;
    FAL_IGNORE(fal_endpoint_input(s->ep, &in, s->now_ns, NULL));
    drain(s, t);
}

static void feed(struct solo *s, struct trace *t, struct fal_falcon packet, size_t payload_len)
{
    uint8_t bytes[FAL_HEADER_MAX + LENGTH] = {0};
    const struct fal_layout *layout = fal_falcon_layout(packet.packet_type);

    if (packet.packet_type == FAL_PUSH_DATA)
        packet.request_length = (uint16_t)payload_len;
    layout->encode(&packet, bytes);
    input(s, t,
          (struct fal_endpoint_in){
              .kind = FAL_IN_PACKET, .bytes = bytes, .len = layout->size_bytes + payload_len});
}

static void wait(struct solo *s, struct trace *t, uint64_t ns)
{
    uint64_t until_ns = s->now_ns + ns, at_ns;

    while ((at_ns = fal_endpoint_deadline(s->ep)) <= until_ns) {
        s->now_ns = at_ns;
        input(s, t, (struct fal_endpoint_in){.kind = FAL_IN_TICK});
    }
    s->now_ns = until_ns;
}

static void post(struct solo *s, struct trace *t, enum fal_ulp_op op)
{
    static const uint8_t payload[LENGTH] = "payload";

    input(s, t,
          (struct fal_endpoint_in){
              .kind = FAL_IN_POST, .op = op, .length = LENGTH, .payload = payload});
}

static void respond(struct solo *s, struct trace *t, uint32_t rsn, enum fal_answer answer)
{
    static const uint8_t payload[LENGTH] = "payload";

    input(s, t,
          (struct fal_endpoint_in){.kind = FAL_IN_RESPOND,
                                   .rsn = PEER_RSN + rsn,
                                   .answer = answer,
                                   .rnr_ns = 100000,
                                   .code = 7,
                                   .length = LENGTH,
                                   .payload = payload});
}

/* A packet of the peer, in the numbers of the connection. */
static struct fal_falcon from_peer(enum fal_packet_type type, uint32_t psn, uint32_t rsn)
{
    struct fal_falcon p = solo_packet(type, psn, PEER_RSN + rsn);

    p.psn = (type == FAL_PULL_REQUEST ? PEER_REQ : PEER_DATA) + psn;
    p.request_length = LENGTH;
    return p;
}

/* A push to be, but for its type or for the bytes that its header lacks. */
static void broken(struct solo *s, struct trace *t, unsigned type, size_t len)
{
    struct fal_falcon push = from_peer(FAL_PUSH_DATA, 1, 4);
    const struct fal_layout *layout = fal_falcon_layout(FAL_PUSH_DATA);
    uint8_t bytes[FAL_HEADER_MAX] = {0};

    push.request_length = 0;
    layout->encode(&push, bytes);
    bytes[7] = (uint8_t)((bytes[7] & 0xe1u) | type << 1);
    if (len > layout->size_bytes)
        len = layout->size_bytes;
    input(s, t, (struct fal_endpoint_in){.kind = FAL_IN_PACKET, .bytes = bytes, .len = len});
}

/* The SUT as target: every packet type of a receiver leaves, and pull data. */
static void as_target(struct solo *s, struct trace *t)
{
    struct fal_falcon odd;

    feed(s, t, from_peer(FAL_PULL_REQUEST, 0, 0), 0);
    respond(s, t, 0, FAL_ANSWER_DATA); /* which tells all, while the timer runs */
    feed(s, t, from_peer(FAL_PULL_REQUEST, 1, 1), 0);
    feed(s, t, from_peer(FAL_PULL_REQUEST, 2, 2), 0);
    wait(s, t, 50000);
    respond(s, t, 1, FAL_ANSWER_DATA);
    feed(s, t, from_peer(FAL_PUSH_DATA, 0, 3), LENGTH);
    wait(s, t, 50000);
    respond(s, t, 3, FAL_ANSWER_ACK);
    wait(s, t, 50000);
    odd = from_peer(FAL_PUSH_DATA, 0, 3); /* a duplicate that asks for an ACK */
    odd.ack_req = 1;
    feed(s, t, odd, LENGTH);
    wait(s, t, 50000);
    odd = from_peer(FAL_PUSH_DATA, 1, 4);
    odd.version = 2;
    feed(s, t, odd, LENGTH);
    odd = from_peer(FAL_PUSH_DATA, 1, 4);
    odd.dest_cid ^= 1;
    feed(s, t, odd, LENGTH);
    odd = from_peer(FAL_PUSH_DATA, 1, 4);
    odd.protocol_type = 5;
    feed(s, t, odd, LENGTH);
    broken(s, t, 15, FAL_HEADER_MAX);
    broken(s, t, FAL_PUSH_DATA, 26);
    wait(s, t, 50000);
    feed(s, t, from_peer(FAL_PULL_REQUEST, 4, 9), 0); /* holes in both windows */
    feed(s, t, from_peer(FAL_RESYNC, 3, 8), 0);
    feed(s, t, from_peer(FAL_PUSH_DATA, 2, 7), LENGTH);
    wait(s, t, 50000);
    feed(s, t, from_peer(FAL_PUSH_DATA, 1, 4), LENGTH);
    respond(s, t, 4, FAL_ANSWER_RNR);
    feed(s, t, from_peer(FAL_PUSH_DATA, 1, 4), LENGTH);
    respond(s, t, 4, FAL_ANSWER_CIE);
    wait(s, t, 50000);
}

/* The SUT as initiator. */
static void as_initiator(struct solo *s, struct trace *t)
{
    struct fal_falcon p;

    post(s, t, FAL_OP_PULL);
    for (unsigned i = 0; i < 6; i++)
        post(s, t, FAL_OP_PUSH);
    p = solo_packet(FAL_PULL_DATA, PEER_DATA + 40, SOLO_RSN);
    feed(s, t, p, LENGTH);
    wait(s, t, 50000);
    p = solo_packet(FAL_EACK, 0, 0);
    feed(s, t, p, 0);     /* tells nothing */
    p.data_rx_bitmap = 8; /* the first two are pull data */
    feed(s, t, p, 0);
    p.data_ack_bitmap = 16;
    feed(s, t, p, 0);
    p = solo_packet(FAL_BACK, 0, 0);
    p.recv_data_base_psn += 3;
    feed(s, t, p, 0);
    wait(s, t, 1000);
    p = solo_nack(SOLO_DATA + 3, FAL_NACK_RNR);
    p.recv_data_base_psn += 3;
    feed(s, t, p, 0);
    p = solo_nack(SOLO_DATA + 5, FAL_NACK_CIE);
    p.recv_data_base_psn += 3;
    feed(s, t, p, 0);
    wait(s, t, 20000000);
}

static void play(enum fal_fault_id fault, bool with, struct trace *t, uint64_t *acts)
{
    struct solo *s = solo_new();

    memset(t, 0, sizeof *t);
    s->open.params.max_attempts = 2;
    s->open.params.transaction_timeout_ns = UINT64_C(10000000000);
    if (fault == FAL_FAULT_RACK_EACK_OMITTED)
        fal_twin_add(&s->open.twins, FAL_TWIN_RACK_TLP);
    if (fault == FAL_FAULT_XLR_NACK_WRONG_CODE)
        s->open.params.xlr_target = 2;
    if (fault == FAL_FAULT_RESOURCE_NACK_WRONG_CODE)
        s->open.params.net_pkt_rx = 2;
    if (fault == FAL_FAULT_PSN_SKIPS_ZERO)
        s->open.local.data_psn = UINT32_MAX;
    if (fault == FAL_FAULT_MTU_IGNORED)
        s->open.params.mtu = LENGTH - 1;
    if (with)
        solo_fault(s, fault);
    solo_open(s);
    as_target(s, t);
    as_initiator(s, t);
    *acts = fal_endpoint_fault_acts(s->ep, fault);
    solo_free(s);
}

/* The packet type in the bytes of a header. */
static unsigned type_of(const uint8_t *bytes)
{
    return bytes[7] >> 1 & 15;
}

static void differs(enum fal_fault_id fault, unsigned in)
{
    static struct trace right, wrong;
    size_t n, first = 0;
    const char *name = fal_faults(&n)[fault].name;
    uint64_t acts;

    play(fault, false, &right, &acts);
    play(fault, true, &wrong, &acts);
    ck_assert_msg(acts > 0, "%s: never acts", name);
    while (first < right.n && first < wrong.n &&
           same_out(&right.outs[first], &wrong.outs[first]))
        first++;
    ck_assert_msg(first < right.n || first < wrong.n, "%s: nothing is different", name);
    if (in != ANY_TYPE)
        ck_assert_msg(first < right.n && right.outs[first].kind == FAL_OUT_PACKET &&
                          (in & OF(type_of(right.outs[first].bytes))) != 0,
                      "%s: something else is different", name);
}

START_TEST(formats_change_what_they_say)
{
    static const struct {
        enum fal_fault_id id;
        unsigned in;
    } rows[] = {
        {FAL_FAULT_VERSION_WRONG, RELIABLE | EVERY_ACK},
        {FAL_FAULT_CID_WRONG, RELIABLE | EVERY_ACK},
        {FAL_FAULT_FUNCTION_WRONG, RELIABLE},
        {FAL_FAULT_PROTOCOL_WRONG, RELIABLE},
        {FAL_FAULT_PROTOCOL_RESERVED, RELIABLE},
        {FAL_FAULT_PULL_REQUEST_MISTYPED, OF(FAL_PULL_REQUEST)},
        {FAL_FAULT_PULL_DATA_MISTYPED, OF(FAL_PULL_DATA)},
        {FAL_FAULT_PUSH_DATA_MISTYPED, OF(FAL_PUSH_DATA)},
        {FAL_FAULT_RESYNC_MISTYPED, OF(FAL_RESYNC)},
        {FAL_FAULT_NACK_MISTYPED, OF(FAL_NACK)},
        {FAL_FAULT_BACK_MISTYPED, OF(FAL_BACK)},
        {FAL_FAULT_EACK_MISTYPED, OF(FAL_EACK)},
        {FAL_FAULT_BASES_EXCHANGED, RELIABLE | EVERY_ACK},
        {FAL_FAULT_PUSH_LENGTH_WRONG, OF(FAL_PUSH_DATA)},
        {FAL_FAULT_RESYNC_CODE_RESERVED, OF(FAL_RESYNC)},
        {FAL_FAULT_RESYNC_VENDOR_SET, OF(FAL_RESYNC)},
        {FAL_FAULT_NACK_CODE_RESERVED, OF(FAL_NACK)},
        {FAL_FAULT_BASE_HEADER_LONG, OF(FAL_PUSH_DATA)},
        {FAL_FAULT_PULL_REQUEST_SHORT, OF(FAL_PULL_REQUEST)},
        {FAL_FAULT_PULL_DATA_LENGTH_WORD, OF(FAL_PULL_DATA)},
        {FAL_FAULT_PUSH_LENGTH_OMITTED, OF(FAL_PUSH_DATA)},
        {FAL_FAULT_RESYNC_SHORT, OF(FAL_RESYNC)},
        {FAL_FAULT_BACK_SHORT, OF(FAL_BACK)},
        {FAL_FAULT_EACK_SHORT, OF(FAL_EACK)},
        {FAL_FAULT_NACK_SHORT, OF(FAL_NACK)},
        {FAL_FAULT_ACK_BITMAP_WORDS_REVERSED, OF(FAL_EACK)},
        {FAL_FAULT_RX_BITMAP_WORDS_REVERSED, OF(FAL_EACK)},
        {FAL_FAULT_REQ_BITMAP_WORDS_REVERSED, OF(FAL_EACK)},
        {FAL_FAULT_PULL_PSN_OF_DATA, OF(FAL_PULL_REQUEST)},
        {FAL_FAULT_DATA_PSN_OF_REQUESTS, OF(FAL_PULL_DATA) | OF(FAL_PUSH_DATA)},
        {FAL_FAULT_EXHAUSTED_CODE_WRONG, OF(FAL_RESYNC)},
        {FAL_FAULT_RNR_NACK_WRONG_CODE, OF(FAL_NACK)},
        {FAL_FAULT_RESOURCE_NACK_WRONG_CODE, OF(FAL_NACK)},
        {FAL_FAULT_XLR_NACK_WRONG_CODE, OF(FAL_NACK)},
    };
#define ID(id, ...) FAL_FAULT_##id,
    static const enum fal_fault_id all[] = {FAL_FAULTS_FORMATS(ID)};

    ck_assert_uint_eq(sizeof rows / sizeof *rows, sizeof all / sizeof *all);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        differs(rows[i].id, rows[i].in);
}
END_TEST

/* These take other packets than the ones here. */
static bool shown_elsewhere(enum fal_fault_id fault)
{
    return fault == FAL_FAULT_EARLY_ONE_WINDOW ||     /* faults_transmitter_test.c */
           fault == FAL_FAULT_OWN_WITHIN_BITMAP ||    /* there, too */
           fault == FAL_FAULT_COPY_OF_PULL_DELIVERED; /* faults_test.c */
}

START_TEST(packets_change_what_leaves_or_is_told)
{
    static const enum fal_fault_id all[] = {FAL_FAULTS_PACKETS(ID)};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!shown_elsewhere(all[i]))
            differs(all[i], ANY_TYPE);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("faults of formats");
    TCase *tc = tcase_create("faults");

    tcase_add_test(tc, formats_change_what_they_say);
    tcase_add_test(tc, packets_change_what_leaves_or_is_told);
    suite_add_tcase(suite, tc);
    return suite;
}
