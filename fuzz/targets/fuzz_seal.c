/* SPDX-License-Identifier: Apache-2.0
 * fuzz_seal.c - PSP and ESP. A sealed packet opens to the original packet; with one bit changed
 * it does not open; unsealed random bytes do no harm.
 * The input: a byte of switches, two that choose a key and an algorithm, SPI (4), IV (8),
 * cookie or sequence number (8), crypt offset, where to flip a bit (2), the payload. */
#include "codecs/frame/sample_frames_test.h"
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"

#include <stdlib.h>

enum { SWITCH_ESP = 1, SWITCH_RAW = 2, SWITCH_COOKIE = 4, ROOM = 64 };

struct input {
    uint8_t switches, sa, version, crypt_offset;
    uint32_t spi;
    uint64_t iv, extra;
    uint16_t flip;
    const uint8_t *payload;
    size_t len;
};

static struct input read_input(const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data, size};
    struct input in = {.switches = fuzz_u8(&reader)};

    in.sa = fuzz_u8(&reader);
    in.version = fuzz_u8(&reader);
    in.spi = fuzz_u32(&reader);
    in.iv = fuzz_u64(&reader);
    in.extra = fuzz_u64(&reader);
    in.crypt_offset = fuzz_u8(&reader);
    in.flip = fuzz_u16(&reader);
    in.payload = fuzz_bytes(&reader, reader.left, &in.len);
    return in;
}

static void flip(const struct input *in, uint8_t *packet, size_t len)
{
    size_t bit = in->flip % (8 * len);

    packet[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
}

/* ---- PSP ---- */

static void psp_sealed(const struct input *in, struct fal_psp_keys *keys, uint8_t *packet,
                       uint8_t *out)
{
    struct fal_psp psp = {.next_header = FAL_PROTOCOL_FALCON,
                          .one = 1,
                          .version = in->version & 3,
                          .crypt_offset = in->crypt_offset & 63,
                          .v = (in->switches & SWITCH_COOKIE) != 0,
                          .spi = in->spi,
                          .iv = in->iv};
    struct fal_psp_vc vc = {.vc = in->extra};
    size_t got = 0;
    int n;

    psp.hdr_ext_len = (uint8_t)(1 + psp.v);
    n = fal_psp_seal(keys, NULL,
                     &(struct fal_seal_input){&psp, psp.v ? &vc : NULL, in->payload, in->len},
                     packet, in->len + ROOM);
    if (n == FAL_ERR_MEM || n == FAL_ERR_TYPE)
        return; /* a crypt offset beyond the payload */
    if (n < 0)
        fuzz_broken("seal: PSP does not seal: %d", n);
    if (fal_psp_open(keys, NULL, packet, (size_t)n, out, &got) != FAL_PSP_GOOD)
        fuzz_broken("seal: PSP does not open what it sealed");
    if (got != in->len || memcmp(out, in->payload, got) != 0)
        fuzz_broken("seal: PSP opens to something else");
    flip(in, packet, (size_t)n);
    if (fal_psp_open(keys, NULL, packet, (size_t)n, out, &got) == FAL_PSP_GOOD)
        fuzz_broken("seal: PSP opens what was changed");
}

/* Bytes that are no packet, or a sealed packet. Sealing the opened packet again must give the
 * same bytes. */
static void psp_raw(const struct input *in, struct fal_psp_keys *keys, uint8_t *packet,
                    uint8_t *out)
{
    struct fal_psp_dst dst = {.len = (uint8_t)(in->sa % 2 * 4), .bytes = {10, 0, 0, 2}};

    if (fal_psp_open_to(keys, &dst, in->payload, in->len, out) != FAL_PSP_GOOD)
        return;
    memcpy(packet, in->payload, FAL_PSP_HEADER_LEN);
    memcpy(packet + FAL_PSP_HEADER_LEN, out, in->len - FAL_PSP_HEADER_LEN - FAL_PSP_ICV_LEN);
    if (fal_psp_seal_in_place(keys, &dst, packet, in->len) != 0 ||
        memcmp(packet, in->payload, in->len) != 0)
        fuzz_broken("seal: PSP seals to something else");
}

/* ---- ESP ---- */

static void esp_sealed(const struct input *in, struct fal_esp_keys *keys, uint8_t *packet,
                       uint8_t *out)
{
    const struct fal_psp_dst dst = {0};
    uint32_t spi = SAMPLE_ESP_SPI + in->sa % SAMPLE_ESP_SPIS, high = 0;
    size_t pad = fal_esp_padding(in->len), body = in->len + pad + FAL_ESP_TRAILER_MIN, at, len;
    struct fal_esp_form form;

    if (!fal_esp_find(keys, &dst, spi, &form))
        fuzz_broken("seal: an SA that was given is not found");
    at = FAL_ESP_HEADER_LEN + (size_t)form.iv_len;
    len = at + body + form.icv_len;
    memset(packet, 0, len);
    fal_bits_set(packet, 0, 32, spi);
    fal_bits_set(packet, 32, 32, in->extra & UINT32_MAX);
    if (form.iv_len > 0)
        fal_bits_set(packet, 64, 64, in->iv);
    memcpy(packet + at, in->payload, in->len);
    packet[at + body - 2] = (uint8_t)pad;
    packet[at + body - 1] = FAL_PROTOCOL_FALCON;
    if (fal_esp_seal_in_place(keys, &dst, 0, packet, len) != 0)
        return; /* out of memory */
    if (form.algorithm == FAL_ESP_NULL)
        return;
    if (fal_esp_open_to(keys, &dst, packet, len, out, &high) != FAL_PSP_GOOD)
        fuzz_broken("seal: ESP does not open what it sealed");
    if (memcmp(out, in->payload, in->len) != 0 || out[body - 2] != pad)
        fuzz_broken("seal: ESP opens to something else");
    flip(in, packet, len);
    if (fal_esp_open_to(keys, &dst, packet, len, out, &high) == FAL_PSP_GOOD)
        fuzz_broken("seal: ESP opens what was changed");
}

void fuzz_seal(const uint8_t *data, size_t size)
{
    struct input in = read_input(data, size);
    struct fal_frame_keys keys = {0};
    uint8_t *packet = malloc(in.len + ROOM), *out = malloc(in.len + ROOM);

    if (packet == NULL || out == NULL)
        goto done;
    if ((in.switches & SWITCH_ESP) != 0) {
        keys.esp = sample_esp_keys();
        if (keys.esp != NULL && (in.switches & SWITCH_RAW) != 0)
            (void)fal_esp_open_to(keys.esp, &(struct fal_psp_dst){0}, in.payload, in.len, out,
                                  NULL);
        else if (keys.esp != NULL)
            esp_sealed(&in, keys.esp, packet, out);
    } else {
        keys.psp = sample_keys();
        if (keys.psp != NULL && (in.switches & SWITCH_RAW) != 0)
            psp_raw(&in, keys.psp, packet, out);
        else if (keys.psp != NULL)
            psp_sealed(&in, keys.psp, packet, out);
    }
done:
    fal_psp_keys_free(keys.psp);
    fal_esp_keys_free(keys.esp);
    free(out);
    free(packet);
}
