/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/checksum.h"
#include "codecs/frame.h"

enum { IHL_MAX = 15, WORD = 4 };

/* What is written, and where. */
struct plan {
    const struct fal_frame *frame;
    unsigned keep;
    bool as_is; /* sealed and never opened: its bytes are those of the wire */
    bool crypt; /* the PSP packet must go through the cipher */
    size_t icv; /* bytes of ICV */
    int psp;    /* index of the PSP layer, or -1 */
    size_t
        at[FAL_LAYERS_MAX + 1]; /* where each layer begins; the last: where the payload does */
    size_t end;                 /* where the trailer begins */
};

static int out_of_range(const struct fal_layout *layout, const char *field,
                        const struct fal_field **bad)
{
    if (bad != NULL)
        *bad = fal_layout_find(layout, field);
    return FAL_ERR_RANGE;
}

/* Whether the VC is written from psp_vc: not where it is among the sealed bytes, nor where
 * decoding gave up before it and left all in a raw layer. */
static bool writes_vc(const struct plan *plan)
{
    const struct fal_frame *frame = plan->frame;
    bool gave_up = frame->psp_state == FAL_PSP_BAD ||
                   (frame->psp_state == FAL_PSP_TRUNCATED && !frame->unauthenticated);

    if (!frame->psp.v || !plan->as_is)
        return frame->psp.v;
    if (gave_up && fal_frame_has(frame, FAL_LAYER_RAW))
        return false;
    return !fal_psp_encrypts(frame->psp.version) ||
           frame->psp.crypt_offset * (size_t)WORD >= FAL_PSP_VC_LEN;
}

static size_t options_size(const struct plan *plan)
{
    size_t len = plan->frame->ipv4_options.len;

    return (plan->keep & FAL_KEEP_LENGTHS) != 0 ? len : (len + WORD - 1) / WORD * WORD;
}

/* Bytes of a layer, or FAL_ERR_TYPE, FAL_ERR_SHORT. */
static int layer_size(const struct plan *plan, enum fal_layer_id id, size_t *size)
{
    const struct fal_layout *layout = NULL;
    size_t more = 0;

    switch (id) {
    case FAL_LAYER_ETH:
    case FAL_LAYER_IPV6:
    case FAL_LAYER_UDP: layout = fal_layer_layout(id); break;
    case FAL_LAYER_IPV4:
        layout = fal_layer_layout(id);
        more = options_size(plan);
        break;
    case FAL_LAYER_PSP:
        layout = fal_layer_layout(id);
        more = (writes_vc(plan) ? FAL_PSP_VC_LEN : 0u) +
               (plan->as_is ? plan->frame->psp_clear.len : 0u);
        break;
    case FAL_LAYER_FALCON: layout = fal_falcon_layout(plan->frame->falcon.packet_type); break;
    case FAL_LAYER_RAW: *size = plan->frame->raw.len; return 0;
    case FAL_LAYER_COUNT: break;
    }
    if (layout == NULL)
        return FAL_ERR_TYPE;
    *size = layout->size_bytes + more;
    return 0;
}

static int make_plan(struct plan *plan, const struct fal_frame *frame, unsigned keep,
                     size_t cap)
{
    bool sealed = frame->psp_state == FAL_PSP_NO_KEY || frame->psp_state == FAL_PSP_TRUNCATED ||
                  frame->psp_state == FAL_PSP_BAD;
    size_t left = cap, size;

    *plan = (struct plan){.frame = frame, .keep = keep, .psp = -1};
    if (frame->num_layers > FAL_LAYERS_MAX)
        return FAL_ERR_TYPE;
    for (size_t i = 0; i < frame->num_layers; i++) {
        if (frame->layers[i].id != FAL_LAYER_PSP)
            continue;
        if (plan->psp >= 0)
            return FAL_ERR_TYPE; /* one header cannot stand for two packets */
        plan->psp = (int)i;
    }
    if (plan->psp >= 0) {
        plan->as_is = sealed && !fal_frame_has(frame, FAL_LAYER_FALCON);
        plan->crypt = !plan->as_is &&
                      ((keep & FAL_KEEP_ICV) == 0 || fal_psp_encrypts(frame->psp.version));
        plan->icv = plan->crypt ? (size_t)FAL_PSP_ICV_LEN : frame->psp_icv.len;
    }
    for (size_t i = 0; i < frame->num_layers; i++) {
        int status = layer_size(plan, frame->layers[i].id, &size);

        if (status < 0)
            return status;
        if (size > left)
            return FAL_ERR_SHORT;
        left -= size;
        plan->at[i + 1] = plan->at[i] + size;
    }
    plan->end = plan->at[frame->num_layers];
    if (frame->payload.len > left || plan->icv > left - frame->payload.len)
        return FAL_ERR_SHORT;
    left -= frame->payload.len + plan->icv;
    plan->end += frame->payload.len + plan->icv;
    return frame->trailer.len > left ? FAL_ERR_SHORT : 0;
}

static void put(uint8_t *out, size_t at, struct fal_span span)
{
    if (span.len > 0)
        memcpy(out + at, span.bytes, span.len);
}

/* ---- headers, with their lengths; checksums follow when all else is written ---- */

static int put_ipv4(const struct plan *plan, size_t i, uint8_t *out,
                    const struct fal_field **bad)
{
    struct fal_ipv4 ip = plan->frame->ipv4;
    size_t header = plan->at[i + 1] - plan->at[i], total = plan->end - plan->at[i];
    int status;

    if ((plan->keep & FAL_KEEP_LENGTHS) == 0) {
        if (header / WORD > IHL_MAX)
            return out_of_range(&fal_ipv4_layout, "ihl", bad);
        if (total > UINT16_MAX)
            return out_of_range(&fal_ipv4_layout, "total_length", bad);
        ip.ihl = (uint8_t)(header / WORD);
        ip.total_length = (uint16_t)total;
    }
    status = fal_layout_encode(&fal_ipv4_layout, &ip, out + plan->at[i], header, bad);
    if (status < 0)
        return status;
    memset(out + plan->at[i] + status, 0, header - (size_t)status); /* end of options */
    put(out, plan->at[i] + (size_t)status, plan->frame->ipv4_options);
    return 0;
}

static int put_ipv6(const struct plan *plan, size_t i, uint8_t *out,
                    const struct fal_field **bad)
{
    struct fal_ipv6 ip = plan->frame->ipv6;
    size_t header = plan->at[i + 1] - plan->at[i], payload = plan->end - plan->at[i + 1];

    if ((plan->keep & FAL_KEEP_LENGTHS) == 0) {
        if (payload > UINT16_MAX)
            return out_of_range(&fal_ipv6_layout, "payload_length", bad);
        ip.payload_length = (uint16_t)payload;
    }
    return fal_layout_encode(&fal_ipv6_layout, &ip, out + plan->at[i], header, bad);
}

static int put_udp(const struct plan *plan, size_t i, uint8_t *out,
                   const struct fal_field **bad)
{
    struct fal_udp udp = plan->frame->udp;
    size_t header = plan->at[i + 1] - plan->at[i], length = plan->end - plan->at[i];

    if ((plan->keep & FAL_KEEP_LENGTHS) == 0) {
        if (length > UINT16_MAX)
            return out_of_range(&fal_udp_layout, "length", bad);
        udp.length = (uint16_t)length;
    }
    return fal_layout_encode(&fal_udp_layout, &udp, out + plan->at[i], header, bad);
}

static int put_psp(const struct plan *plan, size_t i, uint8_t *out,
                   const struct fal_field **bad)
{
    const struct fal_frame *frame = plan->frame;
    struct fal_psp psp = frame->psp;
    size_t at = plan->at[i];
    int status;

    if ((plan->keep & FAL_KEEP_LENGTHS) == 0)
        psp.hdr_ext_len = psp.v ? 2 : 1;
    status = fal_layout_encode(&fal_psp_layout, &psp, out + at, plan->at[i + 1] - at, bad);
    if (status < 0)
        return status;
    at += (size_t)status;
    if (writes_vc(plan)) {
        fal_psp_vc_layout.encode(&frame->psp_vc, out + at);
        at += FAL_PSP_VC_LEN;
    }
    if (plan->as_is)
        put(out, at, frame->psp_clear);
    return 0;
}

static int put_falcon(const struct plan *plan, size_t i, uint8_t *out,
                      const struct fal_field **bad)
{
    struct fal_falcon packet = plan->frame->falcon;
    const struct fal_layout *layout = fal_falcon_layout(packet.packet_type);

    if (packet.packet_type == FAL_PUSH_DATA && (plan->keep & FAL_KEEP_REQUEST_LENGTH) == 0) {
        if (plan->frame->payload.len > UINT16_MAX)
            return out_of_range(layout, "request_length", bad);
        packet.request_length = (uint16_t)plan->frame->payload.len;
    }
    return fal_layout_encode(layout, &packet, out + plan->at[i], plan->at[i + 1] - plan->at[i],
                             bad);
}

static int put_layer(const struct plan *plan, size_t i, uint8_t *out,
                     const struct fal_field **bad)
{
    switch (plan->frame->layers[i].id) {
    case FAL_LAYER_ETH:
        return fal_layout_encode(&fal_eth_layout, &plan->frame->eth, out + plan->at[i],
                                 plan->at[i + 1] - plan->at[i], bad);
    case FAL_LAYER_IPV4: return put_ipv4(plan, i, out, bad);
    case FAL_LAYER_IPV6: return put_ipv6(plan, i, out, bad);
    case FAL_LAYER_UDP: return put_udp(plan, i, out, bad);
    case FAL_LAYER_PSP: return put_psp(plan, i, out, bad);
    case FAL_LAYER_FALCON: return put_falcon(plan, i, out, bad);
    case FAL_LAYER_RAW: put(out, plan->at[i], plan->frame->raw); return 0;
    case FAL_LAYER_COUNT: break;
    }
    return FAL_ERR_TYPE;
}

/* ---- what is computed over bytes ---- */

/* The nearest IP layer outside layer i, or -1. */
static int ip_around(const struct fal_frame *frame, size_t i)
{
    while (i-- > 0)
        if (frame->layers[i].id == FAL_LAYER_IPV4 || frame->layers[i].id == FAL_LAYER_IPV6)
            return (int)i;
    return -1;
}

static int seal(const struct plan *plan, struct fal_psp_keys *keys, uint8_t *out)
{
    const struct fal_frame *frame = plan->frame;
    size_t psp = plan->at[plan->psp], icv = frame->psp_icv.len;
    int ip = ip_around(frame, (size_t)plan->psp), status = 0;
    struct fal_psp_dst dst = {0};

    if (ip >= 0 && frame->layers[ip].id == FAL_LAYER_IPV4) {
        dst.len = 4;
        fal_bits_set(dst.bytes, 0, 32, frame->ipv4.dst);
    } else if (ip >= 0) {
        dst.len = 16;
        fal_bits_set_wide(dst.bytes, 0, 128, frame->ipv6.dst);
    }
    if (plan->crypt)
        status = fal_psp_seal_in_place(keys, &dst, out + psp, plan->end - psp);
    if (status < 0)
        return status;
    if (!plan->crypt || (plan->keep & FAL_KEEP_ICV) != 0) {
        if (icv > plan->icv)
            icv = plan->icv;
        put(out, plan->end - plan->icv, (struct fal_span){frame->psp_icv.bytes, icv});
    }
    return 0;
}

static void checksum(const struct plan *plan, size_t i, uint8_t *out)
{
    const struct fal_frame *frame = plan->frame;
    const struct fal_field *field;
    size_t at = plan->at[i];
    int ip = ip_around(frame, i);
    uint16_t value = 0;

    if (frame->layers[i].id == FAL_LAYER_IPV4)
        field = fal_layout_find(&fal_ipv4_layout, "header_checksum");
    else if (frame->layers[i].id == FAL_LAYER_UDP)
        field = fal_layout_find(&fal_udp_layout, "checksum");
    else
        return;
    fal_bits_set(out + at, field->offset_bits, field->width_bits, 0);
    if (frame->layers[i].id == FAL_LAYER_IPV4)
        value = fal_checksum(out + at, plan->at[i + 1] - at);
    else if (ip >= 0 && frame->layers[ip].id == FAL_LAYER_IPV4)
        value = fal_checksum_udp4(&frame->ipv4, out + at, plan->end - at);
    else if (ip >= 0)
        value = fal_checksum_udp6(&frame->ipv6, out + at, plan->end - at);
    fal_bits_set(out + at, field->offset_bits, field->width_bits, value);
}

int fal_frame_encode(const struct fal_frame *frame, struct fal_psp_keys *psp_keys,
                     unsigned keep, uint8_t *out, size_t cap, const struct fal_field **bad)
{
    struct plan plan;
    int status;

    if (cap > INT32_MAX)
        cap = INT32_MAX; /* the length is returned in an int */
    status = make_plan(&plan, frame, keep, cap);
    for (size_t i = 0; status >= 0 && i < frame->num_layers; i++)
        status = put_layer(&plan, i, out, bad);
    if (status < 0)
        return status;
    put(out, plan.at[frame->num_layers], frame->payload);
    if (plan.psp >= 0)
        status = seal(&plan, psp_keys, out);
    if (status < 0)
        return status;
    for (size_t i = frame->num_layers; (keep & FAL_KEEP_CHECKSUMS) == 0 && i-- > 0;)
        checksum(&plan, i, out);
    put(out, plan.end, frame->trailer);
    return (int)(plan.end + frame->trailer.len);
}
