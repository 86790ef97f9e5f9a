/* SPDX-License-Identifier: Apache-2.0
 * sample_frames_test.h - for tests: frames as a conforming sender makes them, of every
 * encapsulation, by seed; and what every decoded frame must be, whatever the bytes were. */
#ifndef FAL_CODECS_FRAME_SAMPLE_FRAMES_TEST_H
#define FAL_CODECS_FRAME_SAMPLE_FRAMES_TEST_H

#include "codecs/frame/frame.h"
#include "codecs/header/bitloop_test.h"
#include "codecs/header/sample_ulp_test.h"

enum { SAMPLE_MAX = 640, SAMPLE_PAYLOAD_MAX = 160 };

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

/* SPIs 0x100 to 0x107: both key lengths, all ICVs, with ESN and without, null. */
enum { SAMPLE_ESP_SPI = 0x100, SAMPLE_ESP_SPIS = 8 };

static inline struct fal_esp_keys *sample_esp_keys(void)
{
    static const char key[] =
        "00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f";
    static const int icv_len[] = {16, 12, 8};
    json_t *sas = json_array(), *json;
    struct fal_esp_keys *keys;

    for (int i = 0; i < SAMPLE_ESP_SPIS; i++) {
        json_t *sa = json_pack("{s:i}", "spi", SAMPLE_ESP_SPI + i);

        if (i < 6) {
            json_object_set_new(sa, "algorithm",
                                json_string(i % 2 ? "aes-gcm-256" : "aes-gcm-128"));
            json_object_set_new(sa, "key", json_stringn(key, i % 2 ? 64 : 32));
            json_object_set_new(sa, "salt", json_string("a0a1a2a3"));
            json_object_set_new(sa, "icv_len", json_integer(icv_len[i / 2]));
            json_object_set_new(sa, "esn", json_boolean(i > 3));
        } else {
            json_object_set_new(sa, "algorithm", json_string("null"));
            json_object_set_new(sa, "icv_len", json_integer(i == 6 ? 0 : 12));
        }
        json_array_append_new(sas, sa);
    }
    json = json_pack("{s:o}", "sas", sas);
    keys = fal_esp_keys_new(json, NULL);
    json_decref(json);
    return keys;
}

/* A valid packet with random values where they are free. */
static inline void sample_packet(uint64_t *state, enum fal_packet_type type,
                                 struct fal_falcon *packet)
{
    const struct fal_layout *layout = fal_falcon_layout(type);

    fal_falcon_init(packet, type);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 v = (fal_u128)test_random(state) << 64;

        v |= test_random(state);

        if (f->kind != FAL_RSVD && f->kind != FAL_CONST && f->kind != FAL_CODE)
            FAL_IGNORE(fal_field_set(f, packet, v & fal_u128_ones(f->width_bits)));
    }
    packet->rue_info &= 0x1fffff; /* AMB-04 */
    if (type == FAL_NACK)
        packet->rnr_timeout = 0;
    if (type == FAL_BACK)
        packet->own = 0;
    packet->req_bitmap &= ~UINT64_C(1);
    packet->data_ack_bitmap &= ~(fal_u128)1;
    packet->data_rx_bitmap |= packet->data_ack_bitmap;
}

static inline void sample_insert(struct fal_frame *frame, size_t at, enum fal_layer_id id)
{
    for (size_t i = frame->num_layers++; i > at; i--)
        frame->layers[i] = frame->layers[i - 1];
    frame->layers[at].id = id;
}

/* One or two tags, cooked, or no link layer at all: link type raw IP. */
static inline void sample_link(uint64_t dice, struct fal_frame *frame)
{
    switch (dice % 10) {
    case 0:
        frame->num_layers--;
        memmove(frame->layers, frame->layers + 1, frame->num_layers * sizeof *frame->layers);
        frame->linktype = FAL_LINKTYPE_RAW;
        return;
    case 1:
        frame->layers[0].id = FAL_LAYER_SLL;
        frame->linktype = FAL_LINKTYPE_SLL;
        frame->sll.address = dice * 77;
        break;
    case 2:
        frame->layers[0].id = FAL_LAYER_SLL2;
        frame->linktype = FAL_LINKTYPE_SLL2;
        frame->sll2.interface_index = (uint32_t)dice;
        break;
    default: break;
    }
    if (dice >> 8 & 1)
        return;
    sample_insert(frame, 1, FAL_LAYER_VLAN);
    frame->vlan.pcp = dice >> 10 & 7;
    frame->vlan.vid = dice >> 13 & 0xfff;
    if (dice >> 9 & 1)
        sample_insert(frame, 2, FAL_LAYER_INNER_VLAN);
    frame->inner_vlan.vid = dice >> 25 & 0xfff;
}

/* Options of IPv4 and extension headers of IPv6 for the IP layer at `i`. */
static inline void sample_ip(uint64_t dice, struct fal_frame *frame, size_t i,
                             const uint8_t *noise)
{
    /* hop-by-hop, an atomic fragment, routing with no segments left, destination; the last byte
     * of the chain's types is the payload's protocol */
    static const uint8_t udp[] = {44, 0, 1,  4, 0, 0, 0, 0, 43, 0, 0,  0, 1, 2,
                                  3,  4, 60, 0, 2, 0, 9, 9, 9,  9, 17, 1, 1, 12,
                                  0,  0, 0,  0, 0, 0, 0, 0, 0,  0, 0,  0};
    static uint8_t esp[sizeof udp], falcon[sizeof udp];
    enum fal_layer_id id = frame->layers[i].id, next = frame->layers[i + 1].id;
    bool inner = id == FAL_LAYER_INNER_IPV4 || id == FAL_LAYER_INNER_IPV6;
    struct fal_span options = {noise, 4 * (dice >> 3 & 7)};
    struct fal_span ext = {udp, sizeof udp};

    if ((dice & 7) != 0 || (!inner && id != FAL_LAYER_IPV4 && id != FAL_LAYER_IPV6))
        return;
    memcpy(esp, udp, sizeof udp);
    memcpy(falcon, udp, sizeof udp);
    esp[24] = FAL_PROTOCOL_ESP;
    falcon[24] = FAL_PROTOCOL_FALCON;
    if (next == FAL_LAYER_ESP)
        ext.bytes = esp;
    else if (next == FAL_LAYER_FALCON)
        ext.bytes = falcon;
    if (id == FAL_LAYER_IPV4) {
        frame->ipv4_options = options;
    } else if (id == FAL_LAYER_INNER_IPV4) {
        frame->inner_ipv4_options = options;
    } else if (inner) {
        frame->inner_ipv6_ext = ext;
        sample_insert(frame, i + 1, FAL_LAYER_INNER_IPV6_EXT);
        frame->inner_ipv6.next_header = FAL_PROTOCOL_HOP_BY_HOP;
    } else {
        frame->ipv6_ext = ext;
        sample_insert(frame, i + 1, FAL_LAYER_IPV6_EXT);
        frame->ipv6.next_header = FAL_PROTOCOL_HOP_BY_HOP;
    }
}

static inline void sample_seal(uint64_t *state, struct fal_frame *frame)
{
    uint64_t dice = test_random(state);

    frame->psp.version = dice & 3;
    frame->psp.v = dice >> 2 & 1;
    frame->psp.spi =
        (uint32_t)(dice >> 32 & 0x8000000f); /* a few, so that keys are met again */
    frame->psp.iv = test_random(state);
    frame->psp_vc.vc = test_random(state);
    frame->esp.spi = SAMPLE_ESP_SPI + (dice >> 3) % SAMPLE_ESP_SPIS;
    frame->esp.sequence_number = (uint32_t)(dice >> 8 & 0xffff);
    if (frame->esp.spi == SAMPLE_ESP_SPI + 4 || frame->esp.spi == SAMPLE_ESP_SPI + 5)
        frame->esp_sequence_high = dice >> 24 & 1; /* extended */
    frame->esp_iv.iv = test_random(state);
}

/* Draws a valid frame: its layers, headers and packet in `frame`, payload in `storage`
 * (SAMPLE_PAYLOAD_MAX bytes). fal_frame_encode_with and a `keep` of 0 writes it. */
static inline void sample_draw(uint64_t *state, struct fal_frame *frame, uint8_t *storage)
{
    enum fal_encap encap = (enum fal_encap)(test_random(state) % FAL_ENCAP_COUNT);
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
    if (encap == FAL_ENCAP_BARE)
        return;
    frame->udp.src_port = (uint16_t)(0xc000 | dice >> 8);
    sample_seal(state, frame);
    if (encap >= FAL_ENCAP_ESP_TRANSPORT && (dice >> 1 & 1) != 0) /* through a NAT */
        sample_insert(frame, 2, FAL_LAYER_UDP);
    for (size_t i = frame->num_layers - 1; i-- > 1;)
        sample_ip(test_random(state), frame, i, storage + SAMPLE_PAYLOAD_MAX - 40);
    if ((dice >> 7 & 3) == 0) { /* padding of Ethernet */
        frame->trailer.bytes = storage + SAMPLE_PAYLOAD_MAX - 46;
        frame->trailer.len = dice >> 24 & 15;
    }
    if ((dice >> 9 & 3) == 0)
        sample_link(test_random(state), frame);
    fal_frame_chain(frame);
}

/* The same, written: returns its length. */
static inline size_t sample_frame(uint64_t *state, const struct fal_frame_keys *keys,
                                  unsigned *linktype, uint8_t out[SAMPLE_MAX])
{
    uint8_t storage[SAMPLE_PAYLOAD_MAX];
    struct fal_frame frame;
    int n;

    memset(storage, 0, sizeof storage);
    sample_draw(state, &frame, storage);
    *linktype = frame.linktype;
    n = fal_frame_encode_with(&frame, keys, 0, out, SAMPLE_MAX, NULL);
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
    bool good = f->psp_state == FAL_PSP_GOOD || f->esp_state == FAL_PSP_GOOD;
    bool bad = f->psp_state == FAL_PSP_BAD || f->esp_state == FAL_PSP_BAD;
    const struct fal_span opened[] = {
        f->payload,        f->raw,           f->inner_ipv4_options,
        f->inner_ipv6_ext, f->inner_trailer, f->esp_padding};
    const struct fal_span spans[] = {f->psp_clear, f->psp_icv,      f->esp_icv,
                                     f->trailer,   f->ipv4_options, f->ipv6_ext};
    enum fal_layer_id last;

    if (f->num_layers == 0 || f->num_layers > FAL_LAYERS_MAX)
        return "no layers, or too many";
    last = f->layers[f->num_layers - 1].id;
    for (size_t i = 0; i < f->num_layers; i++) {
        if (f->layers[i].offset != at)
            return "layers do not follow each other";
        at += f->layers[i].len;
    }
    if (f->esp_has_trailer)
        at += (uint32_t)f->esp_padding.len + FAL_ESP_TRAILER_MIN;
    if (at + f->payload.len + f->psp_clear.len + f->psp_icv.len + f->esp_icv.len +
            f->inner_trailer.len + f->trailer.len !=
        caplen)
        return "bytes are lost or counted twice";
    if (falcon + raw + fal_frame_has(f, FAL_LAYER_ROCE) > 1)
        return "more than one end";
    if (last != FAL_LAYER_FALCON && last != FAL_LAYER_RAW && last != FAL_LAYER_ROCE &&
        last != FAL_LAYER_PSP && last != FAL_LAYER_ESP)
        return "ends in nothing";
    if (raw && f->payload.len != 0)
        return "payload of a raw layer";
    if ((last == FAL_LAYER_PSP && f->psp_state == FAL_PSP_GOOD) ||
        (last == FAL_LAYER_ESP && f->esp_state == FAL_PSP_GOOD))
        return "opened, and nothing in it";
    if (bad && (falcon || !f->damaged))
        return "read on after a bad ICV";
    if (fal_frame_has(f, FAL_LAYER_ESP) != (f->esp_state != FAL_PSP_NONE))
        return "a state of ESP without ESP";
    if (f->unauthenticated && good)
        return "both authentic and not";
    if (f->truncated != (f->caplen < f->len))
        return "truncated is wrong";
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
        if (!span_inside(opened[i], bytes, caplen) &&
            !(good && span_inside(opened[i], scratch, caplen)))
            return "payload outside of the frame";
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (!span_inside(spans[i], bytes, caplen))
            return "a span outside of the frame";
    for (size_t i = 0; i < f->issues.count; i++)
        if (f->issues.list[i].code == NULL || f->issues.list[i].layer == NULL ||
            f->issues.list[i].offset > caplen)
            return "a broken issue";
    return NULL;
}

#endif
