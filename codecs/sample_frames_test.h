/* SPDX-License-Identifier: Apache-2.0
 * sample_frames_test.h - for tests: frames as a lawful sender makes them, of every
 * encapsulation, by seed; and what every decoded frame must be, whatever the bytes were. */
#ifndef FAL_CODECS_SAMPLE_FRAMES_TEST_H
#define FAL_CODECS_SAMPLE_FRAMES_TEST_H

#include "codecs/bitloop_test.h"
#include "codecs/frame.h"
#include "codecs/sample_ulp_test.h"

enum { SAMPLE_MAX = 512, SAMPLE_PAYLOAD_MAX = 160 };

enum {
    KEEP_ALL = FAL_KEEP_LENGTHS | FAL_KEEP_CHECKSUMS | FAL_KEEP_REQUEST_LENGTH | FAL_KEEP_ICV
};

static const enum fal_packet_type sample_types[] = {
    FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA, FAL_RESYNC, FAL_NACK, FAL_BACK, FAL_EACK};

enum { SAMPLE_TYPES = sizeof sample_types / sizeof *sample_types };

/* Keys for which every SPI has one. */
static inline struct fal_psp_keys *sample_keys(void)
{
    json_t *json =
        json_pack("{s:[s,s]}", "master_keys",
                  "598fb22aac25025c52b9b35754bac9b3b03b7dd127f028a74c2f766bbd01b3dc",
                  "0c6f64594386bdbfc4deebdd870a707ceff1caf6ec3bffb926c83cecaf9f315c");
    struct fal_psp_keys *keys = fal_psp_keys_new(json, NULL);

    json_decref(json);
    return keys;
}

/* A lawful packet with random values where they are free. */
static inline void sample_packet(uint64_t *state, enum fal_packet_type type,
                                 struct fal_falcon *packet)
{
    const struct fal_layout *layout = fal_falcon_layout(type);

    fal_falcon_init(packet, type);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 v = {.hi = test_random(state), .lo = test_random(state)};

        if (f->kind != FAL_RSVD && f->kind != FAL_CONST && f->kind != FAL_CODE)
            (void)fal_field_set(f, packet, fal_u128_and(v, fal_u128_ones(f->width_bits)));
    }
    packet->rue_info &= 0x1fffff; /* AMB-04 */
    if (type == FAL_NACK)
        packet->rnr_timeout = 0;
    if (type == FAL_BACK)
        packet->own = 0;
    packet->req_bitmap &= ~UINT64_C(1);
    packet->data_ack_bitmap.lo &= ~UINT64_C(1);
    packet->data_rx_bitmap = fal_u128_or(packet->data_rx_bitmap, packet->data_ack_bitmap);
}

/* Draws a lawful frame: its layers, headers and packet in `frame`, payload in `storage`
 * (SAMPLE_PAYLOAD_MAX bytes). fal_frame_encode with a `keep` of 0 writes it. */
static inline void sample_draw(uint64_t *state, struct fal_frame *frame, uint8_t *storage)
{
    enum fal_encap encap = (enum fal_encap)(test_random(state) % 3);
    enum fal_packet_type type = sample_types[test_random(state) % SAMPLE_TYPES];
    uint64_t dice = test_random(state);

    memset(frame, 0, sizeof *frame);
    sample_packet(state, type, &frame->falcon);
    if (type == FAL_PULL_REQUEST || type == FAL_PULL_DATA || type == FAL_PUSH_DATA) {
        struct fal_ulp ulp;

        test_random_bytes(state, storage, SAMPLE_PAYLOAD_MAX);
        storage[0] |= 0x80; /* neither RDMA nor NVMe, which have a 1 there */
        frame->payload.bytes = storage;
        frame->payload.len = test_random(state) % (SAMPLE_PAYLOAD_MAX - 47);
        if (dice >> 40 & 1)
            frame->payload.len = sample_ulp(state, type, 10, &frame->falcon, &ulp, storage);
    }
    fal_frame_encapsulate(frame, encap, dice & 1 ? 4 : 6);
    frame->udp.src_port = (uint16_t)(0xc000 | dice >> 8);
    frame->psp.version = dice >> 1 & 3;
    frame->psp.v = dice >> 3 & 1;
    frame->psp.crypt_offset = frame->psp.v ? 3 : 1;
    frame->psp.spi =
        (uint32_t)(dice >> 32 & 0x8000000f); /* a few, so that keys are met again */
    frame->psp.iv = test_random(state);
    frame->psp_vc.vc = test_random(state);
    if (encap == FAL_ENCAP_BARE)
        return;
    if ((dice >> 4 & 7) == 0) { /* options of IPv4 */
        frame->ipv4_options.bytes = storage + SAMPLE_PAYLOAD_MAX - 40;
        frame->ipv4_options.len = 4 * (dice >> 20 & 7);
    }
    if ((dice >> 7 & 3) == 0) { /* padding of Ethernet */
        frame->trailer.bytes = storage + SAMPLE_PAYLOAD_MAX - 46;
        frame->trailer.len = dice >> 24 & 15;
    }
    if ((dice >> 9 & 7) == 0) { /* no Ethernet: link type raw IP */
        frame->num_layers--;
        memmove(frame->layers, frame->layers + 1, frame->num_layers * sizeof *frame->layers);
        frame->linktype = FAL_LINKTYPE_RAW;
    }
}

/* The same, written: returns its length. */
static inline size_t sample_frame(uint64_t *state, struct fal_psp_keys *keys,
                                  unsigned *linktype, uint8_t out[SAMPLE_MAX])
{
    uint8_t storage[SAMPLE_PAYLOAD_MAX];
    struct fal_frame frame;
    int n;

    memset(storage, 0, sizeof storage);
    sample_draw(state, &frame, storage);
    *linktype = frame.linktype;
    n = fal_frame_encode(&frame, keys, 0, out, SAMPLE_MAX, NULL);
    return n < 0 ? 0 : (size_t)n;
}

static inline bool span_inside(struct fal_span span, const uint8_t *bytes, size_t len)
{
    return span.len == 0 ||
           (span.bytes >= bytes && span.len <= len && span.bytes + span.len <= bytes + len);
}

/* What holds of every decoded frame: NULL, or what does not. */
static inline const char *frame_fault(const struct fal_frame *f, const uint8_t *bytes,
                                      size_t caplen, const uint8_t *scratch)
{
    uint32_t at = 0;
    bool falcon = fal_frame_has(f, FAL_LAYER_FALCON), raw = fal_frame_has(f, FAL_LAYER_RAW);
    const struct fal_span spans[] = {f->payload, f->raw};

    if (f->num_layers == 0 || f->num_layers > FAL_LAYERS_MAX)
        return "no layers, or too many";
    for (size_t i = 0; i < f->num_layers; i++) {
        if (f->layers[i].offset != at)
            return "layers do not follow each other";
        at += f->layers[i].len;
    }
    if (at + f->payload.len + f->psp_clear.len + f->psp_icv.len + f->trailer.len != caplen)
        return "bytes are lost or counted twice";
    if (falcon && raw)
        return "both Falcon and raw";
    if (!falcon && !raw && !fal_frame_has(f, FAL_LAYER_PSP))
        return "ends in nothing";
    if (raw && f->payload.len != 0)
        return "payload of a raw layer";
    if (!falcon && !raw && f->psp_state == FAL_PSP_GOOD)
        return "opened, and nothing in it";
    if ((f->psp_state == FAL_PSP_BAD && falcon) || (f->psp_state == FAL_PSP_BAD && !f->damaged))
        return "read on after a bad ICV";
    if (f->truncated != (f->caplen < f->len))
        return "truncated is wrong";
    for (size_t i = 0; i < 2; i++)
        if (!span_inside(spans[i], bytes, caplen) &&
            !(f->psp_state == FAL_PSP_GOOD && span_inside(spans[i], scratch, caplen)))
            return "payload outside of the frame";
    if (!span_inside(f->psp_clear, bytes, caplen) || !span_inside(f->psp_icv, bytes, caplen) ||
        !span_inside(f->trailer, bytes, caplen) || !span_inside(f->ipv4_options, bytes, caplen))
        return "a span outside of the frame";
    for (size_t i = 0; i < f->issues.count; i++)
        if (f->issues.list[i].code == NULL || f->issues.list[i].layer == NULL ||
            f->issues.list[i].offset > caplen)
            return "a broken issue";
    return NULL;
}

#endif
