/* SPDX-License-Identifier: Apache-2.0
 * seen.c - see seen.h. */
#include "oracles/rules/roce/seen.h"

#include "codecs/frame/icrc.h"
#include "codecs/header/roce.h"

enum { OPERATION = 0x1f };

enum fal_rj_role fal_rj_role(unsigned opcode)
{
    if (opcode > FAL_ROCE_OP_rc_send_only_inv || fal_roce_kind(opcode) == NULL)
        return FAL_ROLE_OTHER;
    if (opcode == FAL_ROCE_OP_rc_ack)
        return FAL_ROLE_ACK;
    if (opcode == FAL_ROCE_OP_rc_read_request || opcode == FAL_ROCE_OP_rc_compare_swap ||
        opcode == FAL_ROCE_OP_rc_fetch_add)
        return FAL_ROLE_ASKING;
    return opcode > FAL_ROCE_OP_rc_read_request && opcode <= FAL_ROCE_OP_rc_atomic_ack
               ? FAL_ROLE_RESPONSE
               : FAL_ROLE_REQUEST;
}

int fal_rj_opcode_known(unsigned opcode)
{
    unsigned operation = opcode & OPERATION;

    switch (opcode & FAL_ROCE_SERVICE) {
    case 0xc0:
    case 0xe0: return -1;
    case 0x40: return operation <= FAL_ROCE_OP_rc_fetch_add; /* reliable datagrams, and */
    case 0xa0: return fal_roce_kind(operation) != NULL;      /* XRC have the operations of RC */
    default: return fal_roce_kind(opcode) != NULL;
    }
}

bool fal_rj_opcode_goes_on(unsigned opcode)
{
    switch (opcode) {
    case FAL_ROCE_OP_rc_send_first:
    case FAL_ROCE_OP_rc_send_middle:
    case FAL_ROCE_OP_rc_write_first:
    case FAL_ROCE_OP_rc_write_middle:
    case FAL_ROCE_OP_rc_read_response_first:
    case FAL_ROCE_OP_rc_read_response_middle: return true;
    default: return false;
    }
}

/* The bytes of a packet from its BTH on: as many as the capture has. */
static const uint8_t *bth_of(const struct fal_frame *frame)
{
    return frame->payload.bytes - fal_roce_layout.size_bytes;
}

static enum fal_roce_icrc read_icrc(const struct fal_frame *frame,
                                    const struct fal_roce_packet *packet)
{
    const struct fal_layer *layer = fal_frame_layer(frame, FAL_LAYER_ROCE);

    if (!packet->has_icrc)
        return frame->truncated || packet->state == FAL_ROCE_SHORT ? FAL_ROCE_ICRC_NOT_CHECKED
                                                                   : FAL_ROCE_ICRC_ABSENT;
    switch (fal_frame_icrc(frame, bth_of(frame) - layer->offset, NULL)) {
    case FAL_ICRC_GOOD: return FAL_ROCE_ICRC_RIGHT;
    case FAL_ICRC_ABSENT: return FAL_ROCE_ICRC_NOT_CHECKED;
    case FAL_ICRC_BAD: break;
    }
    return packet->icrc == 0 ? FAL_ROCE_ICRC_ABSENT : FAL_ROCE_ICRC_WRONG;
}

/* What follows the BTH. */
static void read_packet(const struct fal_frame *frame, struct fal_roce_seen *seen)
{
    struct fal_roce_packet packet;
    size_t there = fal_roce_layout.size_bytes + frame->payload.len, len = there;

    /* UDP counts its own header. */
    if (seen->cut && frame->udp.length >= fal_udp_layout.size_bytes + there)
        len = frame->udp.length - fal_udp_layout.size_bytes;
    fal_roce_decode(bth_of(frame), there, len, &packet);
    seen->icrc = read_icrc(frame, &packet);
    seen->payload = (uint32_t)packet.data_len;
    if (packet.state != FAL_ROCE_READ)
        return;
    for (size_t i = 0; i < packet.kind->num_headers; i++)
        seen->has_aeth |= packet.kind->headers[i] == FAL_ROCE_AETH;
    seen->syndrome = packet.aeth.syndrome;
    seen->msn = packet.aeth.msn;
    seen->has_reth = seen->opcode == FAL_ROCE_OP_rc_read_request;
    seen->dma_length = packet.reth.length;
    seen->cnp_zeros = seen->opcode == FAL_ROCE_OP_cnp && packet.cnp.reserved_0 == 0;
}

static bool read_ip(const struct fal_frame *frame, struct fal_roce_seen *seen)
{
    if (fal_frame_has(frame, FAL_LAYER_IPV4)) {
        seen->src = frame->ipv4.src;
        seen->dst = frame->ipv4.dst;
        seen->ecn = frame->ipv4.ecn;
        seen->dscp = frame->ipv4.dscp;
        return true;
    }
    if (!fal_frame_has(frame, FAL_LAYER_IPV6))
        return false;
    seen->src = frame->ipv6.src;
    seen->dst = frame->ipv6.dst;
    seen->v6 = true;
    seen->ecn = frame->ipv6.ecn;
    seen->dscp = frame->ipv6.dscp;
    return true;
}

bool fal_roce_seen_of(const struct fal_frame *frame, struct fal_roce_seen *seen)
{
    const struct fal_roce *bth = &frame->roce;

    *seen = (struct fal_roce_seen){
        .opcode = bth->opcode,
        .dest_qp = bth->dest_qp,
        .psn = bth->psn,
        .pad = bth->pad,
        .reserved = bth->reserved_0 != 0 || bth->reserved_1 != 0,
        .tver = bth->tver,
        .fecn = bth->fecn,
        .becn = bth->becn,
        .ack_req = bth->ack_req,
    };
    if (!fal_frame_has(frame, FAL_LAYER_ROCE) || frame->fragment || !read_ip(frame, seen))
        return false;
    seen->at_ns = frame->ts_ns;
    seen->number = frame->number;
    seen->wire = frame->len;
    seen->cut = frame->truncated;
    seen->damaged = frame->damaged;
    read_packet(frame, seen);
    return true;
}
