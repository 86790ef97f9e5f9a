/* SPDX-License-Identifier: Apache-2.0
 * mutate_packet.c - changes of one Falcon packet. All seven types share one host struct, so
 * that a packet of another type keeps what both have. */
#include "codecs/frame/sample_frames_test.h"
#include "fuzz/mutate/mutate.h"

/* Where the packet type stands, in every header. */
enum { TYPE_OFFSET_BITS = 59, TYPE_BITS = 4, TYPE_END = 8, PAYLOAD_MAX = 8192 };

static enum fal_packet_type any_type(struct mutator *m)
{
    return sample_types[mutate_below(m, SAMPLE_TYPES)];
}

/* Moves a PSN, RSN or base to where windows begin and end; counted from itself or from another
 * number of the packet. */
static bool sequence(struct mutator *m, const struct fal_layout *layout,
                     struct fal_falcon *packet)
{
    enum fal_kind kind = mutate_below(m, 4) == 0 ? FAL_RSN : FAL_PSN;
    const struct fal_field *field = mutate_pick_kind(m, layout, kind);
    const struct fal_field *ref = mutate_pick_kind(m, layout, FAL_PSN);

    if (field == NULL)
        field = ref;
    if (field == NULL || field->width_bits != 32)
        return false;
    if (ref == NULL || mutate_below(m, 2) == 0)
        ref = field;
    /* The input is random: an error is as good. */
    FAL_IGNORE(
        fal_field_set(field, packet, mutate_psn(m, (uint32_t)fal_field_get(ref, packet))));
    return true;
}

/* The payload, in m->payload, with room to grow. */
static uint8_t *own_payload(struct mutator *m, struct fal_span *payload)
{
    if (payload->len > PAYLOAD_MAX)
        payload->len = PAYLOAD_MAX;
    if (payload->len > 0 && payload->bytes != m->payload)
        memmove(m->payload, payload->bytes, payload->len);
    payload->bytes = m->payload;
    return m->payload;
}

/* A field of the RDMA or NVMe headers that the payload begins with. */
static bool ulp_field(struct mutator *m, const struct fal_falcon *packet,
                      struct fal_span *payload)
{
    uint8_t *bytes = own_payload(m, payload);
    struct fal_ulp ulp;

    fal_ulp_decode(packet, bytes, payload->len, &ulp);
    if (ulp.state != FAL_ULP_READ)
        return false;
    if (ulp.protocol == FAL_PROTOCOL_RDMA) {
        const struct fal_rdma_kind *kind = fal_rdma_kind(ulp.rdma.rbth.opcode);
        enum fal_rdma_header header;

        if (kind == NULL)
            return false;
        header = kind->headers[mutate_below(m, kind->num_headers)];
        mutate_host(m, fal_rdma_layout(header), fal_rdma_host(&ulp.rdma, header));
        /* The input is random: an error is as good. */
        FAL_IGNORE(
            fal_layout_encode(&fal_rbth_layout, &ulp.rdma.rbth, bytes, payload->len, NULL));
    } else {
        const struct fal_layout *layout = fal_nvme_layout(ulp.nvme.packet_type);

        if (layout == NULL)
            return false;
        mutate_host(m, layout, &ulp.nvme);
    }
    /* The input is random: an error is as good. */
    FAL_IGNORE(fal_ulp_encode(&ulp, bytes, payload->len, NULL));
    return true;
}

static void change_payload(struct mutator *m, const struct fal_falcon *packet,
                           struct fal_span *payload)
{
    static const size_t lengths[] = {0, 1, 3, 4, 8, 63, 64, 65, 256, 1024, 4095, 4096, 4097};
    uint8_t *bytes = own_payload(m, payload);
    size_t len = payload->len;

    switch (mutate_below(m, 4)) {
    case 0: len = lengths[mutate_below(m, sizeof lengths / sizeof *lengths)]; break;
    case 1: len = (size_t)mutate_below(m, len + 16); break;
    case 2:
        if (ulp_field(m, packet, payload))
            return;
        break;
    default: break;
    }
    if (len > payload->len)
        memset(bytes + payload->len, (int)mutate_below(m, 256), len - payload->len);
    payload->len = len;
    if (len > 0)
        bytes[mutate_below(m, len)] = (uint8_t)mutate_below(m, 256);
}

/* request_length against what is there: one more, one less, none, all. */
static void wrong_length(struct mutator *m, struct fal_falcon *packet,
                         const struct fal_span *payload)
{
    static const uint16_t wrong[] = {0, 1, UINT16_MAX, UINT16_MAX - 1, 0x7fff, 0x8000};
    uint64_t dice = mutate_below(m, 8);

    if (dice == 0)
        packet->request_length = (uint16_t)(payload->len + 1);
    else if (dice == 1)
        packet->request_length = (uint16_t)(payload->len - 1);
    else
        packet->request_length = wrong[dice % (sizeof wrong / sizeof *wrong)];
}

bool mutate_falcon(struct mutator *m, enum mutate_op op, struct fal_falcon *packet,
                   struct fal_span *payload)
{
    const struct fal_layout *layout = fal_falcon_layout(packet->packet_type);
    enum fal_packet_type type = any_type(m);

    if (layout == NULL)
        return false;
    switch (op) {
    case MUTATE_EDGE:
    case MUTATE_FLIP: mutate_host(m, layout, packet); break; /* counts itself */
    case MUTATE_SEQUENCE:
        if (!sequence(m, layout, packet))
            return false;
        mutate_did(m, op);
        break;
    case MUTATE_TYPE:
        packet->packet_type = (uint8_t)type;
        packet->version = 1;
        mutate_did(m, op);
        break;
    case MUTATE_PAYLOAD:
        change_payload(m, packet, payload);
        mutate_did(m, op);
        break;
    case MUTATE_LENGTH:
        wrong_length(m, packet, payload);
        mutate_did(m, op);
        break;
    case MUTATE_REPAIR:
        packet->version = 1;
        packet->reserved_0 = 0;
        if (packet->packet_type == FAL_PUSH_DATA)
            packet->request_length = (uint16_t)payload->len;
        mutate_did(m, op);
        break;
    case MUTATE_FRESH: {
        uint32_t cid = packet->dest_cid, function = packet->dest_function;

        sample_packet(&m->rng.state, type, packet);
        if (mutate_below(m, 4) != 0) { /* to the same receiver */
            packet->dest_cid = cid;
            packet->dest_function = fal_falcon_is_ack(type) ? 0 : function;
        }
        mutate_did(m, op);
        break;
    }
    case MUTATE_SPLICE:
    case MUTATE_WRAP:
    case MUTATE_CHECK:
    case MUTATE_SWITCHES:
    case MUTATE_SWAP:
    case MUTATE_DUPLICATE:
    case MUTATE_DROP:
    case MUTATE_OPS: return false;
    }
    return true;
}

/* A type that is reserved: only its bits change. */
static size_t reserved_type(struct mutator *m, const uint8_t *in, size_t len, uint8_t *out)
{
    memcpy(out, in, len);
    fal_bits_set(out, TYPE_OFFSET_BITS, TYPE_BITS, mutate_below(m, 16));
    mutate_did(m, MUTATE_TYPE);
    return len;
}

/* Makes a packet of an input that is too short or of a reserved type. */
static size_t heal(struct mutator *m, uint8_t *out, size_t cap)
{
    struct fal_falcon packet;
    int n;

    sample_packet(&m->rng.state, any_type(m), &packet);
    packet.request_length = 0;
    n = fal_falcon_encode(&packet, NULL, 0, out, cap, NULL);
    mutate_did(m, MUTATE_FRESH);
    return n > 0 ? (size_t)n : 0;
}

size_t mutate_packet(struct mutator *m, struct fal_span in, struct fal_span other, uint8_t *out,
                     size_t cap)
{
    static const enum mutate_op ops[] = {
        MUTATE_EDGE,     MUTATE_EDGE,  MUTATE_FLIP,    MUTATE_SEQUENCE,
        MUTATE_SEQUENCE, MUTATE_TYPE,  MUTATE_PAYLOAD, MUTATE_LENGTH,
        MUTATE_REPAIR,   MUTATE_FRESH, MUTATE_SPLICE,  MUTATE_DROP,
    };
    struct fal_falcon packet, donor;
    struct fal_span payload;
    int n = fal_falcon_decode(in.bytes, in.len, &packet), k;

    if (n <= 0)
        return heal(m, out, cap);
    if (in.len <= cap && mutate_below(m, 64) == 0)
        return reserved_type(m, in.bytes, in.len, out);
    payload = (struct fal_span){in.bytes + n, in.len - (size_t)n};
    for (uint64_t times = 1 + mutate_below(m, 2); times > 0; times--) {
        enum mutate_op op = ops[mutate_below(m, sizeof ops / sizeof *ops)];

        if (op == MUTATE_SPLICE) {
            k = fal_falcon_decode(other.bytes, other.len, &donor);
            if (k <= 0)
                continue;
            if (mutate_below(m, 2) == 0)
                packet = donor;
            else
                payload = (struct fal_span){other.bytes + k, other.len - (size_t)k};
            mutate_did(m, op);
        } else if (op == MUTATE_DROP) { /* the end of the packet, not the whole packet */
            payload.len = (size_t)mutate_below(m, payload.len + 1);
            mutate_did(m, MUTATE_LENGTH);
        } else {
            (void)mutate_falcon(m, op, &packet, &payload);
        }
    }
    n = fal_falcon_encode(&packet, payload.bytes, payload.len, out, cap, NULL);
    if (n == FAL_ERR_SHORT)
        n = fal_falcon_encode(&packet, NULL, 0, out, cap, NULL);
    if (n > 0 && mutate_below(m, 32) == 0) { /* the header's end is missing */
        mutate_did(m, MUTATE_LENGTH);
        return 1 + (size_t)mutate_below(m, (uint64_t)n);
    }
    return n > 0 ? (size_t)n : 0;
}
