/* SPDX-License-Identifier: Apache-2.0
 * lite_wire.h - the packets of the example in lite_sut.c, by hand: what chapter 7 of the
 * specification draws, as words of 32 bits. */
#ifndef LITE_WIRE_H
#define LITE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lite_type {
    LITE_PULL_REQUEST = 0,
    LITE_PULL_DATA = 3,
    LITE_PUSH_DATA = 5,
    LITE_RESYNC = 6,
    LITE_NACK = 8,
    LITE_BACK = 9,
    LITE_EACK = 10
};

enum { LITE_HEADER_MAX = 72, LITE_MTU = 4096, LITE_PACKET_MAX = LITE_HEADER_MAX + LITE_MTU };

struct lite_packet {
    enum lite_type type;
    uint32_t cid, function, psn, rsn, dbase, rbase;
    uint8_t protocol;
    bool ar;
    uint16_t length;   /* request_length */
    enum lite_type of; /* RESYNC: the type of the packet that it replaces */
    const uint8_t *payload;
    size_t payload_len;
    /* of BACK and EACK */
    uint32_t t2, ecn_count;
    uint8_t hops, own;
    uint64_t data_ack[2], data_rx[2], req; /* [0] the high half */
};

static inline uint32_t lite_get(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void lite_put(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline uint64_t lite_get64(const uint8_t *at)
{
    return (uint64_t)lite_get(at) << 32 | lite_get(at + 4);
}

static inline void lite_put64(uint8_t *at, uint64_t value)
{
    lite_put(at, (uint32_t)(value >> 32));
    lite_put(at + 4, (uint32_t)value);
}

/* False: not a packet that an endpoint may take. */
static inline bool lite_decode(const uint8_t *bytes, size_t len, struct lite_packet *p)
{
    size_t header;

    *p = (struct lite_packet){0};
    if (len < 24 || bytes[0] >> 4 != 1)
        return false;
    p->cid = lite_get(bytes) & 0xffffff;
    p->type = (enum lite_type)(bytes[7] >> 1 & 15);
    p->dbase = lite_get(bytes + 8);
    p->rbase = lite_get(bytes + 12);
    switch (p->type) {
    case LITE_PULL_REQUEST: header = 32; break;
    case LITE_PULL_DATA: header = 24; break;
    case LITE_PUSH_DATA: header = 28; break;
    case LITE_RESYNC: header = 32; break;
    case LITE_BACK: header = 32; break;
    case LITE_NACK: header = 40; break;
    case LITE_EACK: header = 72; break;
    default: return false;
    }
    if (len < header)
        return false;
    if (p->type == LITE_BACK || p->type == LITE_EACK || p->type == LITE_NACK) {
        p->own = p->type == LITE_NACK ? 0 : bytes[31] & 3;
        if (p->type == LITE_EACK) {
            for (unsigned i = 0; i < 2; i++) {
                p->data_ack[i] = lite_get64(bytes + 32 + 8 * i);
                p->data_rx[i] = lite_get64(bytes + 48 + 8 * i);
            }
            p->req = lite_get64(bytes + 64);
        }
        return len == header;
    }
    p->function = lite_get(bytes + 4) >> 8;
    p->protocol = bytes[7] >> 5;
    p->ar = bytes[7] & 1;
    p->psn = lite_get(bytes + 16);
    p->rsn = lite_get(bytes + 20);
    p->payload = bytes + header;
    p->payload_len = len - header;
    if (p->type == LITE_PULL_REQUEST)
        p->length = (uint16_t)lite_get(bytes + 24);
    if (p->type == LITE_RESYNC)
        p->of = (enum lite_type)(bytes[25] >> 4);
    if (p->type == LITE_PUSH_DATA)
        p->length = (uint16_t)lite_get(bytes + 24);
    if (p->type == LITE_PULL_REQUEST || p->type == LITE_RESYNC)
        return p->payload_len == 0;
    return p->payload_len <= LITE_MTU &&
           (p->type != LITE_PUSH_DATA || p->payload_len == p->length);
}

/* Bytes written to `out` (LITE_PACKET_MAX), but for the payload, which is behind them. */
static inline size_t lite_encode(const struct lite_packet *p, uint8_t *out)
{
    bool ack = p->type == LITE_BACK || p->type == LITE_EACK;

    lite_put(out, UINT32_C(1) << 28 | p->cid);
    lite_put(out + 4, ack ? (uint32_t)p->type << 1
                          : p->function << 8 | (uint32_t)p->protocol << 5 |
                                (uint32_t)p->type << 1 | p->ar);
    lite_put(out + 8, p->dbase);
    lite_put(out + 12, p->rbase);
    if (ack) {
        lite_put(out + 16, 0); /* t1: packets in the clear carry no time of departure */
        lite_put(out + 20, p->t2);
        lite_put(out + 24, (uint32_t)p->hops << 28 | (p->ecn_count & 0x3fff) << 9);
        lite_put(out + 28, p->own);
        if (p->type == LITE_BACK)
            return 32;
        for (unsigned i = 0; i < 2; i++) {
            lite_put64(out + 32 + 8 * i, p->data_ack[i]);
            lite_put64(out + 48 + 8 * i, p->data_rx[i]);
        }
        lite_put64(out + 64, p->req);
        return 72;
    }
    lite_put(out + 16, p->psn);
    lite_put(out + 20, p->rsn);
    if (p->type == LITE_PULL_DATA)
        return 24;
    lite_put(out + 24, p->length);
    if (p->type == LITE_PUSH_DATA)
        return 28;
    lite_put(out + 28, 0);
    return 32;
}

#endif
