/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/checksum.h"
#include "codecs/frame/frame_plan.h"

enum { IHL_MAX = 15, WORD = 4 };

/* Where the packet of layer i ends: the content of a seal, with the payload. */
static size_t end_of(const struct fal_plan *plan, size_t i)
{
    return plan->seal >= 0 && i > (size_t)plan->seal ? plan->inner_end : plan->end;
}

static int out_of_range(const struct fal_layout *layout, const char *field,
                        const struct fal_field **bad)
{
    if (bad != NULL)
        *bad = fal_layout_find(layout, field);
    return FAL_ERR_RANGE;
}

static void put(uint8_t *out, size_t at, struct fal_span span)
{
    if (span.len > 0)
        memcpy(out + at, span.bytes, span.len);
}

/* ---- headers, with their lengths; checksums follow when all else is written ---- */

static int put_ipv4(const struct fal_plan *plan, size_t i, const struct fal_ipv4 *given,
                    struct fal_span options, uint8_t *out, const struct fal_field **bad)
{
    struct fal_ipv4 ip = *given;
    size_t header = plan->at[i + 1] - plan->at[i], total = end_of(plan, i) - plan->at[i];
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
    put(out, plan->at[i] + (size_t)status, options);
    return 0;
}

static int put_ipv6(const struct fal_plan *plan, size_t i, const struct fal_ipv6 *given,
                    uint8_t *out, const struct fal_field **bad)
{
    struct fal_ipv6 ip = *given;
    size_t header = plan->at[i + 1] - plan->at[i];
    size_t payload = end_of(plan, i) - plan->at[i + 1];

    if ((plan->keep & FAL_KEEP_LENGTHS) == 0) {
        if (payload > UINT16_MAX)
            return out_of_range(&fal_ipv6_layout, "payload_length", bad);
        ip.payload_length = (uint16_t)payload;
    }
    return fal_layout_encode(&fal_ipv6_layout, &ip, out + plan->at[i], header, bad);
}

static int put_udp(const struct fal_plan *plan, size_t i, uint8_t *out,
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

static int put_psp(const struct fal_plan *plan, size_t i, uint8_t *out,
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
    if (fal_plan_writes_vc(plan)) {
        fal_psp_vc_layout.encode(&frame->psp_vc, out + at);
        at += FAL_PSP_VC_LEN;
    }
    if (plan->as_is)
        put(out, at, frame->psp_clear);
    return 0;
}

static int put_esp(const struct fal_plan *plan, size_t i, uint8_t *out,
                   const struct fal_field **bad)
{
    const struct fal_frame *frame = plan->frame;
    size_t header = plan->at[i + 1] - plan->at[i];
    int status =
        fal_layout_encode(&fal_esp_layout, &frame->esp, out + plan->at[i], header, bad);

    if (status >= 0 && plan->iv > 0)
        fal_esp_iv_layout.encode(&frame->esp_iv, out + plan->at[i] + status);
    return status;
}

/* Padding as RFC 4303 has it, or as it was given. */
static void put_esp_trailer(const struct fal_plan *plan, uint8_t *out)
{
    const struct fal_frame *frame = plan->frame;
    struct fal_esp_trailer trailer = frame->esp_trailer;
    size_t at = plan->inner_end + frame->inner_trailer.len;

    if (!plan->trailer)
        return;
    if ((plan->keep & FAL_KEEP_LENGTHS) == 0) {
        trailer.pad_length = (uint8_t)plan->padding;
        for (size_t i = 0; i < plan->padding; i++)
            out[at + i] = (uint8_t)(i + 1);
    } else {
        put(out, at, frame->esp_padding);
    }
    fal_esp_trailer_layout.encode(&trailer, out + at + plan->padding);
}

static int put_falcon(const struct fal_plan *plan, size_t i, uint8_t *out,
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

static int put_plain(const struct fal_plan *plan, size_t i, const void *host, uint8_t *out,
                     const struct fal_field **bad)
{
    return fal_layout_encode(fal_layer_layout(plan->frame->layers[i].id), host,
                             out + plan->at[i], plan->at[i + 1] - plan->at[i], bad);
}

static int put_layer(const struct fal_plan *plan, size_t i, uint8_t *out,
                     const struct fal_field **bad)
{
    const struct fal_frame *f = plan->frame;

    switch (f->layers[i].id) {
    case FAL_LAYER_ETH: return put_plain(plan, i, &f->eth, out, bad);
    case FAL_LAYER_SLL: return put_plain(plan, i, &f->sll, out, bad);
    case FAL_LAYER_SLL2: return put_plain(plan, i, &f->sll2, out, bad);
    case FAL_LAYER_VLAN: return put_plain(plan, i, &f->vlan, out, bad);
    case FAL_LAYER_INNER_VLAN: return put_plain(plan, i, &f->inner_vlan, out, bad);
    case FAL_LAYER_ROCE: return put_plain(plan, i, &f->roce, out, bad);
    case FAL_LAYER_IPV4: return put_ipv4(plan, i, &f->ipv4, f->ipv4_options, out, bad);
    case FAL_LAYER_INNER_IPV4:
        return put_ipv4(plan, i, &f->inner_ipv4, f->inner_ipv4_options, out, bad);
    case FAL_LAYER_IPV6: return put_ipv6(plan, i, &f->ipv6, out, bad);
    case FAL_LAYER_INNER_IPV6: return put_ipv6(plan, i, &f->inner_ipv6, out, bad);
    case FAL_LAYER_IPV6_EXT: put(out, plan->at[i], f->ipv6_ext); return 0;
    case FAL_LAYER_INNER_IPV6_EXT: put(out, plan->at[i], f->inner_ipv6_ext); return 0;
    case FAL_LAYER_UDP: return put_udp(plan, i, out, bad);
    case FAL_LAYER_PSP: return put_psp(plan, i, out, bad);
    case FAL_LAYER_ESP: return put_esp(plan, i, out, bad);
    case FAL_LAYER_FALCON: return put_falcon(plan, i, out, bad);
    case FAL_LAYER_RAW: put(out, plan->at[i], f->raw); return 0;
    case FAL_LAYER_COUNT: break;
    }
    return FAL_ERR_TYPE;
}

/* ---- what is computed over bytes ---- */

static int seal(const struct fal_plan *plan, const struct fal_frame_keys *keys, uint8_t *out)
{
    const struct fal_frame *frame = plan->frame;
    size_t at = plan->at[plan->seal];
    struct fal_span icv = fal_plan_is_esp(plan) ? frame->esp_icv : frame->psp_icv;
    struct fal_psp_dst dst = fal_plan_receiver(plan);
    int status = 0;

    if (plan->crypt && fal_plan_is_esp(plan))
        status = fal_esp_seal_in_place(keys->esp, &dst, frame->esp_sequence_high, out + at,
                                       plan->end - at);
    else if (plan->crypt)
        status = fal_psp_seal_in_place(keys->psp, &dst, out + at, plan->end - at);
    if (status < 0)
        return status;
    if (!plan->crypt || (plan->keep & FAL_KEEP_ICV) != 0) {
        if (icv.len > plan->icv)
            icv.len = plan->icv;
        put(out, plan->end - plan->icv, icv);
    }
    return 0;
}

static void checksum_ipv4(const struct fal_plan *plan, size_t i, uint8_t *out)
{
    const struct fal_field *field = fal_layout_find(&fal_ipv4_layout, "header_checksum");
    size_t at = plan->at[i];

    fal_bits_set(out + at, field->offset_bits, field->width_bits, 0);
    fal_bits_set(out + at, field->offset_bits, field->width_bits,
                 fal_checksum(out + at, plan->at[i + 1] - at));
}

/* ESP in UDP has none: RFC 3948, section 2.1. */
static void checksum_udp(const struct fal_plan *plan, size_t i, uint8_t *out)
{
    const struct fal_frame *frame = plan->frame;
    const struct fal_field *field = fal_layout_find(&fal_udp_layout, "checksum");
    bool esp = i + 1 < frame->num_layers && frame->layers[i + 1].id == FAL_LAYER_ESP;
    size_t at = plan->at[i], ip = i;
    uint16_t value = 0;

    fal_bits_set(out + at, field->offset_bits, field->width_bits, 0);
    while (ip-- > 0 && !esp) {
        if (frame->layers[ip].id == FAL_LAYER_IPV4)
            value = fal_checksum_udp4(&frame->ipv4, out + at, plan->end - at);
        else if (frame->layers[ip].id == FAL_LAYER_IPV6)
            value = fal_checksum_udp6(&frame->ipv6, out + at, plan->end - at);
        else
            continue;
        break;
    }
    fal_bits_set(out + at, field->offset_bits, field->width_bits, value);
}

/* From the inside out: a seal covers the checksums inside it, and is covered by those around
 * it. */
static int finish(const struct fal_plan *plan, const struct fal_frame_keys *keys, uint8_t *out)
{
    const struct fal_frame *frame = plan->frame;
    bool checksums = (plan->keep & FAL_KEEP_CHECKSUMS) == 0;

    for (size_t i = frame->num_layers; i-- > 0;) {
        enum fal_layer_id id = frame->layers[i].id;

        if ((int)i == plan->seal) {
            int status = seal(plan, keys, out);

            if (status < 0)
                return status;
        } else if (checksums && (id == FAL_LAYER_IPV4 || id == FAL_LAYER_INNER_IPV4)) {
            checksum_ipv4(plan, i, out);
        } else if (checksums && id == FAL_LAYER_UDP) {
            checksum_udp(plan, i, out);
        }
    }
    return 0;
}

int fal_frame_encode_with(const struct fal_frame *frame, const struct fal_frame_keys *keys,
                          unsigned keep, uint8_t *out, size_t cap, const struct fal_field **bad)
{
    static const struct fal_frame_keys none;
    struct fal_plan plan;
    int status;

    if (keys == NULL)
        keys = &none;
    if (cap > INT32_MAX)
        cap = INT32_MAX; /* the length is returned in an int */
    status = fal_plan_make(&plan, frame, keys, keep, cap);
    for (size_t i = 0; status >= 0 && i < frame->num_layers; i++)
        status = put_layer(&plan, i, out, bad);
    if (status < 0)
        return status;
    put(out, plan.at[frame->num_layers], frame->payload);
    put(out, plan.inner_end, frame->inner_trailer);
    put_esp_trailer(&plan, out);
    status = finish(&plan, keys, out);
    if (status < 0)
        return status;
    put(out, plan.end, frame->trailer);
    return (int)(plan.end + frame->trailer.len);
}

int fal_frame_encode(const struct fal_frame *frame, struct fal_psp_keys *psp_keys,
                     unsigned keep, uint8_t *out, size_t cap, const struct fal_field **bad)
{
    const struct fal_frame_keys keys = {.psp = psp_keys};

    return fal_frame_encode_with(frame, &keys, keep, out, cap, bad);
}
