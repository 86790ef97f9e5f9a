/* SPDX-License-Identifier: Apache-2.0
 * json_complete.c - {"udp": {"length": 3}, "falcon": ...} means one wrong length and all others
 * right. The frame encoder keeps all lengths or none, all checksums or none; so the others are
 * computed here. */
#include "codecs/frame/checksum.h"
#include "codecs/json/json_impl.h"

#include <stdlib.h>

/* Whether the line gives that field of a layer. */
static bool given(const json_t *object, const char *layer, const char *field)
{
    return json_object_get(json_object_get(object, layer), field) != NULL;
}

/* ESP has a length at its end, where its packet is written in the clear. */
static bool has_padding(const struct fal_frame *frame, size_t i)
{
    return frame->layers[i].id == FAL_LAYER_ESP && i + 1 < frame->num_layers;
}

/* How many fields of `kind` the headers around the Falcon packet have, and how many are given.
 */
static void count(const json_t *object, struct fal_frame *frame, enum fal_kind kind,
                  size_t *all, size_t *those_given)
{
    *all = *those_given = 0;
    for (size_t i = 0; i < frame->num_layers; i++) {
        const char *name = fal_layer_name(frame->layers[i].id);
        const struct fal_layout *layout = fal_layer_layout(frame->layers[i].id);

        for (size_t k = 0; layout != NULL && k < layout->num_fields; k++) {
            if (layout->fields[k].kind != kind)
                continue;
            ++*all;
            *those_given += given(object, name, layout->fields[k].name);
        }
        if (kind == FAL_LENGTH && has_padding(frame, i)) {
            ++*all;
            *those_given += given(object, name, "pad_length") || given(object, name, "padding");
        }
    }
}

static void fill(const json_t *object, const char *layer, const char *field, uint16_t *at,
                 size_t value)
{
    if (!given(object, layer, field))
        *at = (uint16_t)value;
}

static void fill8(const json_t *object, const char *layer, const char *field, uint8_t *at,
                  size_t value)
{
    if (!given(object, layer, field))
        *at = (uint8_t)value;
}

/* Padding, trailer, ICV, IV and header of ESP, around `n` bytes. */
static size_t fill_esp(const json_t *object, struct fal_frame *frame, size_t i, size_t n)
{
    static const uint8_t padding[] = {1, 2, 3};
    size_t icv = given(object, "esp", "icv") ? frame->esp_icv.len : FAL_ESP_ICV_MAX;

    if (has_padding(frame, i)) {
        if (!given(object, "esp", "pad_length") && !given(object, "esp", "padding")) {
            frame->esp_padding = (struct fal_span){padding, fal_esp_padding(n)};
            frame->esp_trailer.pad_length = (uint8_t)frame->esp_padding.len;
        }
        if (frame->esp_has_trailer)
            n += frame->esp_padding.len + FAL_ESP_TRAILER_MIN;
    }
    return n + icv + fal_esp_layout.size_bytes + (frame->esp_has_iv ? FAL_ESP_IV_LEN : 0u);
}

static size_t fill_psp(const json_t *object, struct fal_frame *frame, size_t n)
{
    bool sealed =
        !fal_frame_has(frame, FAL_LAYER_FALCON) && !fal_frame_has(frame, FAL_LAYER_RAW);

    fill8(object, "psp", "hdr_ext_len", &frame->psp.hdr_ext_len, frame->psp.v ? 2 : 1);
    return n + FAL_PSP_HEADER_LEN + (frame->psp.v ? (size_t)FAL_PSP_VC_LEN : 0) +
           frame->psp_clear.len + (sealed ? frame->psp_icv.len : (size_t)FAL_PSP_ICV_LEN);
}

static size_t fill_ipv4(const json_t *object, const char *layer, struct fal_ipv4 *ip,
                        size_t options, size_t n)
{
    n += fal_ipv4_layout.size_bytes + options;
    fill8(object, layer, "ihl", &ip->ihl, 5 + options / 4);
    fill(object, layer, "total_length", &ip->total_length, n);
    return n;
}

static size_t fill_ipv6(const json_t *object, const char *layer, struct fal_ipv6 *ip, size_t n)
{
    fill(object, layer, "payload_length", &ip->payload_length, n);
    return n + fal_ipv6_layout.size_bytes;
}

/* From the inside out: `n` is the number of bytes of the layers so far. */
static void fill_lengths(const json_t *object, struct fal_frame *frame)
{
    size_t n = frame->payload.len + frame->raw.len;

    for (size_t i = frame->num_layers; i-- > 0;) {
        enum fal_layer_id id = frame->layers[i].id;

        switch (id) {
        case FAL_LAYER_FALCON:
            n += fal_falcon_layout(frame->falcon.packet_type)->size_bytes;
            break;
        case FAL_LAYER_ROCE: n += fal_roce_layout.size_bytes; break;
        case FAL_LAYER_INNER_IPV6_EXT: n += frame->inner_ipv6_ext.len; break;
        case FAL_LAYER_INNER_IPV6:
            n = fill_ipv6(object, "inner_ipv6", &frame->inner_ipv6, n) +
                frame->inner_trailer.len;
            break;
        case FAL_LAYER_INNER_IPV4:
            n = fill_ipv4(object, "inner_ipv4", &frame->inner_ipv4,
                          frame->inner_ipv4_options.len, n) +
                frame->inner_trailer.len;
            break;
        case FAL_LAYER_PSP: n = fill_psp(object, frame, n); break;
        case FAL_LAYER_ESP: n = fill_esp(object, frame, i, n); break;
        case FAL_LAYER_UDP:
            n += fal_udp_layout.size_bytes;
            fill(object, "udp", "length", &frame->udp.length, n);
            break;
        case FAL_LAYER_IPV6_EXT: n += frame->ipv6_ext.len; break;
        case FAL_LAYER_IPV6: n = fill_ipv6(object, "ipv6", &frame->ipv6, n); break;
        case FAL_LAYER_IPV4:
            n = fill_ipv4(object, "ipv4", &frame->ipv4, frame->ipv4_options.len, n);
            break;
        case FAL_LAYER_ETH:
        case FAL_LAYER_SLL:
        case FAL_LAYER_SLL2:
        case FAL_LAYER_VLAN:
        case FAL_LAYER_INNER_VLAN:
        case FAL_LAYER_RAW:
        case FAL_LAYER_COUNT: break;
        }
    }
}

/* Bytes of a layer as fal_frame_encode_with writes it. */
static size_t layer_len(const struct fal_frame *frame, enum fal_layer_id id)
{
    const struct fal_layout *layout = fal_layer_layout(id);
    size_t more = 0;

    if (id == FAL_LAYER_IPV4)
        more = frame->ipv4_options.len;
    else if (id == FAL_LAYER_IPV6_EXT)
        more = frame->ipv6_ext.len;
    else if (id == FAL_LAYER_PSP && frame->psp.v)
        more = FAL_PSP_VC_LEN;
    else if (id == FAL_LAYER_ESP && frame->esp_has_iv)
        more = FAL_ESP_IV_LEN;
    return (layout != NULL ? layout->size_bytes : 0) + more;
}

/* The frame with its packet in the clear, which takes no key. */
static void unseal(struct fal_frame *frame, unsigned *keep)
{
    static const uint8_t icv[FAL_PSP_ICV_LEN];

    if (frame->psp_state == FAL_PSP_GOOD || frame->psp_state == FAL_PSP_NONE) {
        frame->psp.version = 2; /* GMAC */
        frame->psp_icv = (struct fal_span){icv, sizeof icv};
        *keep |= FAL_KEEP_ICV;
    }
    if (frame->esp_state == FAL_PSP_GOOD || frame->esp_state == FAL_PSP_NONE) {
        frame->esp_state = FAL_PSP_NO_KEY;
        frame->esp_icv = (struct fal_span){icv, sizeof icv};
    }
}

/* The checksums that are not given, out of the frame encoded with all of them computed. A
 * sealed packet would take its key for that: its UDP checksum stays 0, which PSP and ESP allow
 * (RFC 6935, RFC 3948). */
static int fill_checksums(const json_t *object, struct fal_frame *frame, unsigned keep,
                          struct fal_error *err)
{
    bool sealed = fal_frame_has(frame, FAL_LAYER_PSP) || fal_frame_has(frame, FAL_LAYER_ESP);
    struct fal_frame open = *frame;
    const struct fal_field *bad = NULL;
    uint8_t *bytes;
    size_t at = 0;
    size_t cap = 1024 + frame->payload.len + frame->raw.len + frame->trailer.len +
                 frame->ipv6_ext.len + frame->inner_ipv6_ext.len + frame->inner_trailer.len +
                 frame->psp_clear.len + frame->esp_padding.len;
    int len;

    bytes = malloc(cap);
    if (bytes == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    unseal(&open, &keep);
    len = fal_frame_encode(&open, NULL, keep & ~(unsigned)FAL_KEEP_CHECKSUMS, bytes, cap, &bad);
    for (size_t i = 0; len >= 0 && i < open.num_layers; i++) {
        enum fal_layer_id id = open.layers[i].id;

        if (id == FAL_LAYER_IPV4 && !given(object, "ipv4", "header_checksum"))
            frame->ipv4.header_checksum = (uint16_t)fal_bytes_get(bytes + at + 10, 2);
        if (id == FAL_LAYER_INNER_IPV4 && !given(object, "inner_ipv4", "header_checksum"))
            frame->inner_ipv4.header_checksum = (uint16_t)fal_bytes_get(bytes + at + 10, 2);
        if (id == FAL_LAYER_UDP && !sealed && !given(object, "udp", "checksum"))
            frame->udp.checksum = (uint16_t)fal_bytes_get(bytes + at + 6, 2);
        at += layer_len(frame, id);
    }
    free(bytes);
    if (len < 0)
        return fal_fail(err, len, "%s%scannot be encoded to compute the checksums",
                        bad != NULL ? bad->name : "", bad != NULL ? ": " : "the frame ");
    return 0;
}

int fal_json_complete(const json_t *object, struct fal_frame *frame, unsigned *keep,
                      struct fal_error *err)
{
    size_t all, some;

    count(object, frame, FAL_LENGTH, &all, &some);
    if (some > 0 && some < all)
        fill_lengths(object, frame);
    count(object, frame, FAL_CHECK, &all, &some);
    return some > 0 && some < all ? fill_checksums(object, frame, *keep, err) : 0;
}
