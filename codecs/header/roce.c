/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/roce.h"

#include <string.h>

enum { OPCODES = 256, WORD = 4 };

#define KIND(code, name, data, first, second)                           \
    [code] = {#name,                                                    \
              data,                                                     \
              ((first) != FAL_ROCE_NONE) + ((second) != FAL_ROCE_NONE), \
              {first, second}},

const struct fal_roce_kind *fal_roce_kind(unsigned opcode)
{
    static const struct fal_roce_kind kinds[OPCODES] = {FAL_ROCE_OPCODES(KIND)};

    return opcode < OPCODES && kinds[opcode].name != NULL ? &kinds[opcode] : NULL;
}

#define HEADER(H, layout, member) \
    [FAL_ROCE_##H] = {&fal_##layout##_layout, offsetof(struct fal_roce_packet, member)}
static const struct {
    const struct fal_layout *layout;
    size_t member;
} headers[FAL_ROCE_HEADERS] = {
    HEADER(RETH, reth, reth),
    HEADER(AETH, aeth, aeth),
    HEADER(ATOMICETH, atomiceth, atomiceth),
    HEADER(ATOMICACKETH, atomicacketh, atomicacketh),
    HEADER(IMMDT, immdt, immdt),
    HEADER(IETH, ieth, ieth),
    HEADER(DETH, roce_deth, deth),
    HEADER(CNP, cnp, cnp),
};

const struct fal_layout *fal_roce_header_layout(enum fal_roce_header header)
{
    return headers[header].layout;
}

void *fal_roce_host(struct fal_roce_packet *packet, enum fal_roce_header header)
{
    return (uint8_t *)packet + headers[header].member;
}

size_t fal_roce_size(const struct fal_roce_kind *kind)
{
    size_t size = fal_roce_layout.size_bytes;

    for (size_t i = 0; i < kind->num_headers; i++)
        size += headers[kind->headers[i]].layout->size_bytes;
    return size;
}

/* InfiniBand, volume 1, 9.7.5.2.8: in units of 10 us. */
uint64_t fal_roce_rnr_ns(unsigned code)
{
    static const uint32_t units[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                       16,    24,   32,   48,    64,    96,    128,   192,
                                       256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                       4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};

    return units[code & 31] * UINT64_C(10000);
}

void fal_roce_decode_rest(const struct fal_roce *bth, const uint8_t *rest, size_t there,
                          size_t len, struct fal_roce_packet *out)
{
    size_t bth_len = fal_roce_layout.size_bytes, at = 0, used;

    memset(out, 0, sizeof *out);
    out->bth = *bth;
    out->kind = fal_roce_kind(out->bth.opcode);
    out->state = out->kind == NULL ? FAL_ROCE_RESERVED : FAL_ROCE_READ;
    if (out->kind != NULL && there + bth_len < fal_roce_size(out->kind))
        out->state = FAL_ROCE_SHORT;
    if (out->state == FAL_ROCE_SHORT)
        return;
    for (size_t i = 0; out->kind != NULL && i < out->kind->num_headers; i++) {
        const struct fal_layout *layout = headers[out->kind->headers[i]].layout;

        layout->decode(rest + at, fal_roce_host(out, out->kind->headers[i]));
        at += layout->size_bytes;
    }
    used = at + out->bth.pad + FAL_ROCE_ICRC_LEN;
    out->data = rest + at;
    out->data_len = len > used ? len - used : 0;
    out->data_there = out->data_len < there - at ? out->data_len : there - at;
    out->has_icrc = there >= len && len >= at + FAL_ROCE_ICRC_LEN;
    if (out->has_icrc)
        out->icrc = (uint32_t)fal_bits_get(rest + len - FAL_ROCE_ICRC_LEN, 0, 32);
}

void fal_roce_decode(const uint8_t *bytes, size_t there, size_t len,
                     struct fal_roce_packet *out)
{
    size_t bth_len = fal_roce_layout.size_bytes;
    struct fal_roce bth;

    if (there < bth_len) {
        memset(out, 0, sizeof *out);
        out->state = FAL_ROCE_NO_BTH;
        return;
    }
    fal_roce_layout.decode(bytes, &bth);
    fal_roce_decode_rest(&bth, bytes + bth_len, there - bth_len,
                         len > bth_len ? len - bth_len : 0, out);
}

void fal_roce_init(struct fal_roce_packet *packet, unsigned opcode)
{
    memset(packet, 0, sizeof *packet);
    packet->kind = fal_roce_kind(opcode);
    packet->state = packet->kind == NULL ? FAL_ROCE_RESERVED : FAL_ROCE_READ;
    fal_layout_init(&fal_roce_layout, &packet->bth);
    packet->bth.opcode = (uint8_t)opcode;
    for (size_t i = 0; packet->kind != NULL && i < packet->kind->num_headers; i++)
        fal_layout_init(headers[packet->kind->headers[i]].layout,
                        fal_roce_host(packet, packet->kind->headers[i]));
}

int fal_roce_encode(const struct fal_roce_packet *packet, uint8_t *out, size_t cap,
                    const struct fal_field **bad)
{
    struct fal_roce_packet p = *packet;
    const struct fal_roce_kind *kind = fal_roce_kind(p.bth.opcode);
    size_t at, pad = (WORD - p.data_len % WORD) % WORD;
    int n;

    if (kind == NULL)
        return FAL_ERR_TYPE;
    at = fal_roce_size(kind);
    if (cap < at + pad + FAL_ROCE_ICRC_LEN || p.data_len > cap - at - pad - FAL_ROCE_ICRC_LEN)
        return FAL_ERR_SHORT;
    p.bth.pad = (uint8_t)pad;
    n = fal_layout_encode(&fal_roce_layout, &p.bth, out, cap, bad);
    at = (size_t)n;
    for (size_t i = 0; n >= 0 && i < kind->num_headers; i++) {
        n = fal_layout_encode(headers[kind->headers[i]].layout,
                              fal_roce_host(&p, kind->headers[i]), out + at, cap - at, bad);
        at += (size_t)n;
    }
    if (n < 0)
        return n;
    if (p.data != NULL && p.data_len > 0)
        memcpy(out + at, p.data, p.data_len);
    else
        memset(out + at, 0, p.data_len);
    memset(out + at + p.data_len, 0, pad);
    at += p.data_len + pad;
    fal_bits_set(out + at, 0, 32, p.icrc);
    return (int)(at + FAL_ROCE_ICRC_LEN);
}
