/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/roce/state.h"

static const uint64_t a_while_ns = 1000; /* of the variants that wait */

/* The part of a message that an opcode is: where it begins and ends, and its service. */
struct part {
    bool first, last, send, write, immediate;
};

static struct part part_of(unsigned opcode)
{
    struct part part = {.send = opcode <= FAL_ROCE_OP_rc_send_only_imm ||
                                opcode >= FAL_ROCE_OP_rc_send_last_inv,
                        .write = opcode >= FAL_ROCE_OP_rc_write_first &&
                                 opcode <= FAL_ROCE_OP_rc_write_only_imm};

    switch (opcode) {
    case FAL_ROCE_OP_rc_send_first:
    case FAL_ROCE_OP_rc_write_first: part.first = true; break;
    case FAL_ROCE_OP_rc_send_middle:
    case FAL_ROCE_OP_rc_write_middle: break;
    case FAL_ROCE_OP_rc_send_last_imm:
    case FAL_ROCE_OP_rc_write_last_imm: part.immediate = true; /* fall through */
    case FAL_ROCE_OP_rc_send_last:
    case FAL_ROCE_OP_rc_send_last_inv:
    case FAL_ROCE_OP_rc_write_last: part.last = true; break;
    case FAL_ROCE_OP_rc_send_only_imm:
    case FAL_ROCE_OP_rc_write_only_imm: part.immediate = true; /* fall through */
    default: part.first = part.last = true; break;
    }
    return part;
}

static void say_ack(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    uint64_t at_ns = end->now_ns + end->setup.answer_ns;

    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_ACK_NEVER))
        return;
    if (fal_roce_end_does(end, FAL_ROCE_VARIANT_ACK_COALESCED))
        at_ns += a_while_ns;
    if (qp->resp.ack_ns == UINT64_MAX)
        qp->resp.ack_ns = at_ns;
}

static void say_nak(struct fal_roce_end *end, struct fal_roce_qp *qp, uint8_t syndrome,
                    uint32_t psn)
{
    struct fal_roce_responder *resp = &qp->resp;

    resp->nak_sent = true;
    if (resp->nak_ns != UINT64_MAX)
        return;
    resp->nak_ns = end->now_ns + end->setup.answer_ns;
    if (fal_roce_end_does(end, FAL_ROCE_VARIANT_NAK_AFTER_LATE) &&
        syndrome == fal_aeth_syndrome(FAL_AETH_NAK, FAL_AETH_SEQUENCE))
        resp->nak_ns += a_while_ns;
    resp->nak_syndrome = syndrome;
    resp->nak_psn = psn;
}

static void refuse(struct fal_roce_end *end, struct fal_roce_qp *qp, enum fal_aeth_nak code)
{
    qp->resp.failed = true;
    say_nak(end, qp, fal_aeth_syndrome(FAL_AETH_NAK, code), qp->resp.expected);
}

static void message_ended(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    const struct fal_roce_event event = {.kind = FAL_ROCE_MESSAGE,
                                         .at_ns = end->now_ns,
                                         .qp = qp->index,
                                         .id = qp->resp.messages,
                                         .length = qp->resp.length,
                                         .digest = qp->resp.digest};

    fal_roce_tell(end, &event);
}

/* Whether the responder takes the packet; otherwise it has said why not. */
static bool admits(struct fal_roce_end *end, struct fal_roce_qp *qp,
                   const struct fal_roce_packet *packet, struct part part)
{
    struct fal_roce_responder *resp = &qp->resp;
    bool consumes = part.send ? part.first : part.immediate;

    if (part.first == resp->in_message && !fal_roce_end_bad(end, FAL_ROCE_FAULT_DELIVERS_GAP)) {
        refuse(end, qp, FAL_AETH_INVALID_REQUEST);
        return false;
    }
    if (part.write && part.first && packet->reth.r_key != qp->setup.r_key) {
        refuse(end, qp, FAL_AETH_REMOTE_ACCESS);
        return false;
    }
    if (consumes && resp->receives == 0) {
        say_nak(end, qp, fal_aeth_syndrome(FAL_AETH_RNR, qp->setup.rnr_code), resp->expected);
        return false;
    }
    if (consumes && resp->receives != UINT32_MAX)
        resp->receives--;
    return true;
}

static void take_data(struct fal_roce_end *end, struct fal_roce_qp *qp,
                      const struct fal_roce_packet *packet)
{
    struct fal_roce_responder *resp = &qp->resp;
    struct part part = part_of(packet->bth.opcode);

    if (!admits(end, qp, packet, part))
        return;
    if (part.first) {
        resp->digest = 0;
        resp->length = 0;
    }
    resp->in_message = !part.last;
    resp->digest = fal_roce_digest(resp->digest, packet->data, packet->data_there);
    resp->length += (uint32_t)packet->data_len;
    resp->expected = fal_psn_add(resp->expected, 1);
    resp->nak_sent = false;
    if (part.last) {
        resp->msn = fal_psn_add(resp->msn, 1);
        if (part.send || part.immediate)
            message_ended(end, qp);
        resp->messages++;
    }
    if (packet->bth.ack_req)
        say_ack(end, qp);
}

static uint32_t packets_of(const struct fal_roce_qp *qp, uint32_t length)
{
    return length == 0 ? 1 : (length + qp->setup.mtu - 1) / qp->setup.mtu;
}

static void serve(struct fal_roce_qp *qp, const struct fal_roce_packet *packet)
{
    struct fal_roce_responder *resp = &qp->resp;
    unsigned at = (resp->reads_head + resp->reads_count) % FAL_ROCE_READS_MAX;

    if (resp->reads_count == FAL_ROCE_READS_MAX)
        return; /* the peer has asked for more than it may; its timeout repairs that */
    resp->reads_count++;
    resp->reads[at] = (struct fal_roce_serving){.address = packet->reth.virtual_address,
                                                .psn = packet->bth.psn,
                                                .first = packet->bth.psn,
                                                .num = packets_of(qp, packet->reth.length),
                                                .length = packet->reth.length};
}

static void take_read(struct fal_roce_end *end, struct fal_roce_qp *qp,
                      const struct fal_roce_packet *packet)
{
    struct fal_roce_responder *resp = &qp->resp;

    if (resp->in_message) {
        refuse(end, qp, FAL_AETH_INVALID_REQUEST);
        return;
    }
    if (packet->reth.r_key != qp->setup.r_key) {
        refuse(end, qp, FAL_AETH_REMOTE_ACCESS);
        return;
    }
    serve(qp, packet);
    resp->expected = fal_psn_add(resp->expected, packets_of(qp, packet->reth.length));
    resp->nak_sent = false;
    resp->msn = fal_psn_add(resp->msn, 1);
    resp->messages++;
}

/* A packet whose PSN was there before. */
static void take_again(struct fal_roce_end *end, struct fal_roce_qp *qp,
                       const struct fal_roce_packet *packet)
{
    struct part part = part_of(packet->bth.opcode);

    if (packet->bth.opcode == FAL_ROCE_OP_rc_read_request) {
        if (packet->reth.r_key == qp->setup.r_key)
            serve(qp, packet);
        return;
    }
    if (part.last && (part.send || part.immediate) &&
        fal_roce_end_bad(end, FAL_ROCE_FAULT_DELIVERS_TWICE)) {
        qp->resp.msn = fal_psn_add(qp->resp.msn, 1);
        message_ended(end, qp);
    }
    say_ack(end, qp);
}

static void take_ahead(struct fal_roce_end *end, struct fal_roce_qp *qp, uint32_t psn)
{
    struct fal_roce_responder *resp = &qp->resp;
    bool wrong = fal_roce_end_bad(end, FAL_ROCE_FAULT_NAK_WRONG_PSN);

    if (fal_roce_end_bad(end, FAL_ROCE_FAULT_NAK_NEVER) ||
        (resp->nak_sent && !fal_roce_end_bad(end, FAL_ROCE_FAULT_NAK_TWICE)))
        return;
    say_nak(end, qp, fal_aeth_syndrome(FAL_AETH_NAK, FAL_AETH_SEQUENCE),
            wrong ? psn : resp->expected);
}

void fal_roce_resp_take(struct fal_roce_end *end, struct fal_roce_qp *qp,
                        const struct fal_roce_packet *packet)
{
    int32_t ahead = fal_psn_diff(packet->bth.psn, qp->resp.expected);

    if (qp->resp.failed)
        return;
    if (ahead > 0 && fal_roce_end_bad(end, FAL_ROCE_FAULT_DELIVERS_GAP)) {
        qp->resp.expected = packet->bth.psn;
        ahead = 0;
    }
    if (ahead > 0)
        take_ahead(end, qp, packet->bth.psn);
    else if (ahead < 0)
        take_again(end, qp, packet);
    else if (packet->bth.opcode == FAL_ROCE_OP_rc_read_request)
        take_read(end, qp, packet);
    else if (fal_roce_kind(packet->bth.opcode)->data)
        take_data(end, qp, packet);
    else
        refuse(end, qp, FAL_AETH_INVALID_REQUEST); /* atomics are not played */
}

/* ---- what it says ---- */

static void say(struct fal_roce_end *end, struct fal_roce_qp *qp, uint8_t syndrome,
                uint32_t psn)
{
    struct fal_roce_out out = {.ecn = FAL_ECN_NOT_ECT};

    fal_roce_init(&out.packet, FAL_ROCE_OP_rc_ack);
    out.packet.bth.psn = psn & FAL_ROCE_PSN_MASK;
    out.packet.aeth.syndrome = syndrome;
    out.packet.aeth.msn = qp->resp.msn;
    fal_roce_emit(end, qp, &out);
}

void fal_roce_resp_due(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    struct fal_roce_responder *resp = &qp->resp;
    uint32_t last = fal_psn_add(resp->expected, UINT32_MAX);

    if (resp->ack_ns <= end->now_ns && resp->reads_count == 0) {
        resp->ack_ns = UINT64_MAX;
        if (fal_roce_end_bad(end, FAL_ROCE_FAULT_ACKS_BEYOND))
            last = resp->expected;
        say(end, qp, fal_aeth_syndrome(FAL_AETH_ACK, FAL_AETH_NO_CREDITS), last);
    }
    if (resp->nak_ns > end->now_ns || resp->reads_count > 0)
        return;
    resp->nak_ns = UINT64_MAX;
    if (fal_roce_end_does(end, FAL_ROCE_VARIANT_NAK_AFTER_LATE) &&
        fal_psn_diff(resp->expected, resp->nak_psn) > 0)
        return; /* the gap was filled */
    qp->state.naks_sent++;
    say(end, qp, resp->nak_syndrome, resp->nak_psn);
}

uint64_t fal_roce_resp_next_ns(const struct fal_roce_qp *qp)
{
    const struct fal_roce_responder *resp = &qp->resp;

    if (resp->reads_count > 0)
        return UINT64_MAX; /* after its responses */
    return resp->ack_ns < resp->nak_ns ? resp->ack_ns : resp->nak_ns;
}

/* ---- READ responses ---- */

bool fal_roce_resp_serves(const struct fal_roce_qp *qp)
{
    return qp->resp.reads_count > 0;
}

static unsigned response_opcode(const struct fal_roce_serving *s, uint32_t at)
{
    if (s->num == 1)
        return FAL_ROCE_OP_rc_read_response_only;
    return at == 0            ? FAL_ROCE_OP_rc_read_response_first
           : at + 1 == s->num ? FAL_ROCE_OP_rc_read_response_last
                              : FAL_ROCE_OP_rc_read_response_middle;
}

void fal_roce_resp_send(struct fal_roce_end *end, struct fal_roce_qp *qp)
{
    struct fal_roce_responder *resp = &qp->resp;
    struct fal_roce_serving *s = &resp->reads[resp->reads_head];
    uint32_t at = (uint32_t)fal_psn_diff(s->psn, s->first), offset = at * qp->setup.mtu;
    struct fal_roce_out out = {.ecn = 0};
    struct fal_roce_packet *p = &out.packet;

    fal_roce_init(p, response_opcode(s, at));
    p->bth.psn = s->psn;
    p->aeth.syndrome = fal_aeth_syndrome(FAL_AETH_ACK, FAL_AETH_NO_CREDITS);
    p->aeth.msn = resp->msn;
    p->data_len = s->length - offset < qp->setup.mtu ? s->length - offset : qp->setup.mtu;
    for (size_t i = 0; i < p->data_len; i++)
        end->data[i] = fal_roce_byte(qp->setup.qpn, 0, s->address + offset + i);
    p->data = end->data;
    s->psn = fal_psn_add(s->psn, 1);
    if (at + 1 == s->num) {
        resp->reads_head = (resp->reads_head + 1) % FAL_ROCE_READS_MAX;
        resp->reads_count--;
    }
    fal_roce_send_data(end, qp, &out);
}
