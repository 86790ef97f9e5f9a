/* SPDX-License-Identifier: Apache-2.0
 * fuzz_tx_window.c - the transmit windows of a connection under any sequence of posts, ACKs,
 * EACKs, NACKs and pauses, beside a naive model: an array with the state of every PSN since the
 * first. New packets take the next PSN, inside the windows; nothing that was acknowledged is
 * sent again; the bases are the oldest PSNs that the array has unacknowledged (9.1, 9.2.3).
 *
 * The input: first PSNs (4, 4), fcwnd, ncwnd, then acts: what (1) and what it needs; PSNs are
 * relative to the base. */
#include "codecs/header/falcon.h"
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"
#include "oracles/endpoint/endpoint.h"

#include <stdlib.h>
#include <string.h>

enum {
    ACTS_MAX = 256,
    SPAN = 4096,
    LEN_MAX = 64,
    CID = 5,
    PEER_CID = 9,
    ATTEMPTS_NS = 5000000
};

enum psn_state { UNSENT, SENT, ACKED };

struct window {
    uint32_t first;
    size_t base, next; /* indices */
    uint8_t state[SPAN];
};

struct model {
    struct window tx[2]; /* by enum fal_window */
    struct fal_endpoint *ep;
    uint32_t conn, fcwnd, ncwnd;
    uint64_t now_ns;
    bool dead, refused; /* refused: a NACK came, so that a request may have become a resync */
};

static void slide(struct window *win)
{
    while (win->base < win->next && win->state[win->base] == ACKED)
        win->base++;
}

/* Requests that were sent and are not acknowledged: all of them count for ncwnd until one may
 * have become a resync, by a NACK or after its attempts. */
static void check_ncwnd(const struct model *model, const struct window *win)
{
    size_t outstanding = 0;

    if (model->refused || model->now_ns > ATTEMPTS_NS)
        return;
    for (size_t i = win->base; i < win->next; i++)
        outstanding += win->state[i] == SENT;
    if (outstanding >= (model->ncwnd > 0 ? model->ncwnd : 1))
        fuzz_broken("tx_window: %zu requests are outstanding, and one more leaves",
                    outstanding);
}

/* A packet leaves. */
static void sent(struct model *model, const struct fal_falcon *packet)
{
    enum fal_window which = fal_falcon_window(packet);
    struct window *win = &model->tx[which];
    size_t at = packet->psn - win->first;

    if (at >= SPAN)
        fuzz_broken("tx_window: psn %u was never due", packet->psn);
    if (at > win->next)
        fuzz_broken("tx_window: psn %u leaves one out", packet->psn);
    if (at == win->next && packet->packet_type == FAL_RESYNC)
        fuzz_broken("tx_window: a resync of psn %u, which was not sent", packet->psn);
    if (win->state[at] == ACKED)
        fuzz_broken("tx_window: psn %u is sent again, and was acknowledged", packet->psn);
    if (at - win->base >= (model->fcwnd > 0 ? model->fcwnd : 1) &&
        packet->packet_type != FAL_RESYNC)
        fuzz_broken("tx_window: psn %u is beyond fcwnd", packet->psn);
    if (at == win->next)
        check_ncwnd(model, win);
    win->state[at] = SENT;
    if (at == win->next)
        win->next++;
}

static void drain(struct model *model)
{
    struct fal_endpoint_out out;
    struct fal_falcon packet;

    while (fal_endpoint_next(model->ep, &out)) {
        if (out.kind == FAL_OUT_CM && strcmp(out.what, "fatal") == 0)
            model->dead = true;
        if (out.kind != FAL_OUT_PACKET)
            continue;
        if (fal_falcon_decode(out.bytes, out.len, &packet) <= 0)
            fuzz_broken("tx_window: a packet that cannot be read");
        if (fal_falcon_reliable(packet.packet_type))
            sent(model, &packet);
    }
}

static void check(const struct model *model)
{
    struct fal_endpoint_state state;

    if (model->dead || fal_endpoint_state(model->ep, model->conn, &state) != 0)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const struct window *win = &model->tx[i];
        uint32_t base = i == FAL_WINDOW_REQ ? state.tx_rbpsn : state.tx_dbpsn;
        uint32_t next = i == FAL_WINDOW_REQ ? state.tx_rnpsn : state.tx_dnpsn;

        if (base - win->first != win->base || next - win->first != win->next)
            fuzz_broken("tx_window: %s: base %zu and next %zu are due, and are %u and %u",
                        i == FAL_WINDOW_REQ ? "requests" : "data", win->base, win->next,
                        base - win->first, next - win->first);
    }
}

static void input(struct model *model, struct fal_endpoint_in in)
{
    in.conn = model->conn;
    /* The input is random: an error is as good. */
    FAL_IGNORE(fal_endpoint_input(model->ep, &in, model->now_ns, NULL));
    drain(model);
}

static void post(struct model *model, enum fal_ulp_op op, uint8_t len)
{
    static const uint8_t payload[LEN_MAX];

    input(model, (struct fal_endpoint_in){.kind = FAL_IN_POST,
                                          .op = op,
                                          .tag = len,
                                          .length = len % LEN_MAX,
                                          .payload = payload,
                                          .payload_len = 0});
}

static void pass(struct model *model, uint64_t ns)
{
    uint64_t until_ns = model->now_ns + ns, at_ns;

    for (unsigned i = 0; i < SPAN && (at_ns = fal_endpoint_deadline(model->ep)) <= until_ns;
         i++) {
        model->now_ns = at_ns > model->now_ns ? at_ns : model->now_ns;
        input(model, (struct fal_endpoint_in){.kind = FAL_IN_TICK});
    }
    model->now_ns = until_ns;
}

/* A NACK with a reserved code is dropped (AMB-30). */
static bool reserved(const struct fal_falcon *ack)
{
    static const bool known[16] = {
        [FAL_NACK_RESOURCE] = true, [FAL_NACK_RNR] = true, [FAL_NACK_XLR] = true,
        [FAL_NACK_CIE] = true,      [FAL_NACK_NRE] = true, [FAL_NACK_CID] = true};

    return ack->packet_type == FAL_NACK && !known[ack->nack_code & 15];
}

/* Applies an ACK to the array, unless the ACK must be discarded as a whole (AMB-23). */
static void believe(struct model *model, const struct fal_falcon *ack)
{
    const uint32_t base[2] = {
        [FAL_WINDOW_REQ] = ack->recv_req_base_psn, [FAL_WINDOW_DATA] = ack->recv_data_base_psn};

    for (unsigned i = 0; i < 2; i++) {
        const struct window *win = &model->tx[i];

        if (base[i] - (win->first + (uint32_t)win->base) > win->next - win->base)
            return;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct window *win = &model->tx[i];
        size_t at = base[i] - win->first;
        fal_u128 bits = i == FAL_WINDOW_REQ ? (fal_u128)ack->req_bitmap : ack->data_ack_bitmap;

        memset(win->state + win->base, ACKED, at - win->base);
        for (unsigned n = 0; ack->packet_type == FAL_EACK && n < 128; n++)
            if (fal_u128_test(bits, n) && at + n < win->next)
                win->state[at + n] = ACKED;
        slide(win);
    }
}

static void acknowledge(struct model *model, enum fal_packet_type type,
                        struct fuzz_reader *reader)
{
    struct fal_falcon ack;
    uint8_t wire[FAL_HEADER_MAX];
    int n;

    fal_falcon_init(&ack, type);
    ack.dest_cid = CID;
    ack.recv_req_base_psn = model->tx[FAL_WINDOW_REQ].first +
                            (uint32_t)model->tx[FAL_WINDOW_REQ].base + fuzz_near8(reader);
    ack.recv_data_base_psn = model->tx[FAL_WINDOW_DATA].first +
                             (uint32_t)model->tx[FAL_WINDOW_DATA].base + fuzz_near8(reader);
    if (type == FAL_EACK) {
        ack.own = fuzz_u8(reader) & 3;
        ack.req_bitmap = fuzz_u64(reader);
        ack.data_ack_bitmap = fuzz_u128(reader);
        ack.data_rx_bitmap = fuzz_u128(reader) | ack.data_ack_bitmap;
    } else if (type == FAL_NACK) {
        model->refused = true;
        ack.nack_code = fuzz_u8(reader) & 15;
        ack.rnr_timeout = fuzz_u8(reader) & 31;
        ack.window = fuzz_u8(reader) & 1;
        ack.nack_psn =
            (ack.window == FAL_WINDOW_REQ ? ack.recv_req_base_psn : ack.recv_data_base_psn) +
            fuzz_near8(reader);
    }
    n = fal_falcon_encode(&ack, NULL, 0, wire, sizeof wire, NULL);
    if (n <= 0)
        fuzz_broken("tx_window: an ACK that cannot be");
    if (!reserved(&ack))
        believe(model, &ack);
    input(model, (struct fal_endpoint_in){
                     .kind = FAL_IN_PACKET, .bytes = wire, .len = (size_t)n, .ttl = 64});
}

static void act(struct model *model, struct fuzz_reader *reader)
{
    uint8_t what = fuzz_u8(reader);

    switch (what % 7) {
    case 0: post(model, FAL_OP_PUSH, fuzz_u8(reader)); break;
    case 1: post(model, FAL_OP_PULL, fuzz_u8(reader)); break;
    case 2: acknowledge(model, FAL_BACK, reader); break;
    case 3: acknowledge(model, FAL_EACK, reader); break;
    case 4: acknowledge(model, FAL_NACK, reader); break;
    case 5: pass(model, fuzz_u16(reader)); break;
    default: pass(model, (uint64_t)fuzz_u16(reader) << 10); break;
    }
    check(model);
}

void fuzz_tx_window(const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data, size};
    struct model *model = calloc(1, sizeof *model);
    const struct fal_endpoint_config config = {.seed = 1};
    struct fal_endpoint_conn open = {.auto_ack = true, .auto_retransmit = true};

    if (model == NULL)
        return;
    model->tx[FAL_WINDOW_REQ].first = fuzz_u32(&reader);
    model->tx[FAL_WINDOW_DATA].first = fuzz_u32(&reader);
    fal_params_default(&open.params, false);
    open.params.fcwnd = model->fcwnd = fuzz_u8(&reader);
    open.params.ncwnd = model->ncwnd = fuzz_u8(&reader);
    open.params.rack_tlp = (open.params.ncwnd & 1) != 0;
    open.local = (struct fal_end){CID, 3, model->tx[FAL_WINDOW_REQ].first,
                                  model->tx[FAL_WINDOW_DATA].first, 7};
    open.peer = (struct fal_end){PEER_CID, 4, 100, 200, 1};
    model->ep = fal_endpoint_new(&config);
    if (model->ep != NULL &&
        fal_endpoint_open(model->ep, &open, model->now_ns, &model->conn) == 0)
        for (unsigned i = 0; i < ACTS_MAX && reader.left > 0 && !model->dead; i++)
            act(model, &reader);
    fal_endpoint_free(model->ep);
    free(model);
}
