/* SPDX-License-Identifier: Apache-2.0
 * json_complete.c - {"udp": {"length": 3}, "falcon": ...} means one wrong length and all others
 * right. The frame encoder keeps all lengths or none, all checksums or none; so the others are
 * computed here. */
#include "codecs/checksum.h"
#include "codecs/json_impl.h"

#include <stdlib.h>

/* Whether the line gives that field of a layer. */
static bool given(const json_t *object, const char *layer, const char *field)
{
    return json_object_get(json_object_get(object, layer), field) != NULL;
}

/* How many fields of `kind` the headers around the Falcon packet have, and how many are given.
 */
static void count(const json_t *object, struct fal_frame *frame, enum fal_kind kind,
                  size_t *all, size_t *those_given)
{
    *all = *those_given = 0;
    for (size_t i = 0; i < frame->num_layers; i++) {
        const struct fal_layout *layout = fal_layer_layout(frame->layers[i].id);

        for (size_t k = 0; layout != NULL && k < layout->num_fields; k++) {
            if (layout->fields[k].kind != kind)
                continue;
            ++*all;
            *those_given += given(object, layout->name, layout->fields[k].name);
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

/* From the inside out: `n` is what the layers so far take. */
static void fill_lengths(const json_t *object, struct fal_frame *frame)
{
    bool sealed =
        !fal_frame_has(frame, FAL_LAYER_FALCON) && !fal_frame_has(frame, FAL_LAYER_RAW);
    size_t n = frame->payload.len + frame->raw.len, options = frame->ipv4_options.len;

    for (size_t i = frame->num_layers; i-- > 0;) {
        switch (frame->layers[i].id) {
        case FAL_LAYER_FALCON:
            n += fal_falcon_layout(frame->falcon.packet_type)->size_bytes;
            break;
        case FAL_LAYER_PSP:
            fill8(object, "psp", "hdr_ext_len", &frame->psp.hdr_ext_len, frame->psp.v ? 2 : 1);
            n += FAL_PSP_HEADER_LEN + (frame->psp.v ? (size_t)FAL_PSP_VC_LEN : 0) +
                 frame->psp_clear.len + (sealed ? frame->psp_icv.len : (size_t)FAL_PSP_ICV_LEN);
            break;
        case FAL_LAYER_UDP:
            n += fal_udp_layout.size_bytes;
            fill(object, "udp", "length", &frame->udp.length, n);
            break;
        case FAL_LAYER_IPV6:
            fill(object, "ipv6", "payload_length", &frame->ipv6.payload_length, n);
            n += fal_ipv6_layout.size_bytes;
            break;
        case FAL_LAYER_IPV4:
            n += fal_ipv4_layout.size_bytes + options;
            fill8(object, "ipv4", "ihl", &frame->ipv4.ihl, 5 + options / 4);
            fill(object, "ipv4", "total_length", &frame->ipv4.total_length, n);
            break;
        case FAL_LAYER_ETH:
        case FAL_LAYER_RAW:
        case FAL_LAYER_COUNT: break;
        }
    }
}

/* The checksums that are not given, out of the frame encoded with all of them computed. A
 * sealed packet would take its key for that: its UDP checksum stays 0, which PSP allows (RFC
 * 6935). */
static int fill_checksums(const json_t *object, struct fal_frame *frame, unsigned keep,
                          struct fal_error *err)
{
    bool psp = fal_frame_has(frame, FAL_LAYER_PSP);
    struct fal_frame outer = *frame;
    const struct fal_field *bad = NULL;
    uint8_t *bytes;
    size_t at = 0, cap = 512 + frame->payload.len + frame->raw.len + frame->trailer.len;
    int len;

    for (size_t i = 0; psp && i < outer.num_layers; i++)
        if (outer.layers[i].id == FAL_LAYER_PSP)
            outer.num_layers = i; /* the IP header's checksum does not look further */
    bytes = malloc(cap);
    if (bytes == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    len =
        fal_frame_encode(&outer, NULL, keep & ~(unsigned)FAL_KEEP_CHECKSUMS, bytes, cap, &bad);
    for (size_t i = 0; len >= 0 && i < outer.num_layers; i++) {
        enum fal_layer_id id = outer.layers[i].id;

        if (id == FAL_LAYER_IPV4 && !given(object, "ipv4", "header_checksum"))
            frame->ipv4.header_checksum = (uint16_t)fal_bytes_get(bytes + at + 10, 2);
        if (id == FAL_LAYER_UDP && !psp && !given(object, "udp", "checksum"))
            frame->udp.checksum = (uint16_t)fal_bytes_get(bytes + at + 6, 2);
        if (id != FAL_LAYER_FALCON && id != FAL_LAYER_RAW)
            at += fal_layer_layout(id)->size_bytes +
                  (id == FAL_LAYER_IPV4 ? frame->ipv4_options.len : 0);
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
