/* SPDX-License-Identifier: Apache-2.0
 * acme.c - see acme.h. Written as such code often is: by hand, offset by offset. */
#include "fuzz/example/acme.h"

#include <string.h>

#ifndef ACME_BUG
#define ACME_BUG 0
#endif

static uint16_t get16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t get24(const uint8_t *p)
{
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | get24(p + 1);
}

static uint64_t get64(const uint8_t *p)
{
    return (uint64_t)get32(p) << 32 | get32(p + 4);
}

/* ---- the way to the packet ---- */

static uint32_t add16(uint32_t sum, const uint8_t *p, size_t n)
{
    for (; n > 1; p += 2, n -= 2)
        sum += get16(p);
    return n > 0 ? sum + ((uint32_t)*p << 8) : sum;
}

static int sums_up(uint32_t sum)
{
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

/* The UDP payload; its checksum is right or absent. */
static enum acme_status find_udp(const uint8_t *udp, size_t len, const uint8_t *addresses,
                                 size_t addresses_len, const uint8_t **body, size_t *body_len)
{
    size_t n;

    if (len < 8)
        return ACME_SHORT;
    if (get16(udp + 2) != 7777)
        return ACME_NOT_FALCON;
    n = get16(udp + 4);
    if (n < 8 || n > len)
        return ACME_BAD;
    if (get16(udp + 6) != 0 &&
        !sums_up(add16(add16((uint32_t)(17 + n), addresses, addresses_len), udp, n)))
        return ACME_BAD;
    *body = udp + 8;
    *body_len = n - 8;
    return ACME_OK;
}

static enum acme_status find_packet(const uint8_t *frame, size_t len, const uint8_t **body,
                                    size_t *body_len)
{
    size_t at = 14, header, total;
    uint16_t ethertype;

    if (len < 14)
        return ACME_SHORT;
    ethertype = get16(frame + 12);
    for (int tags = 0; ethertype == 0x8100 && tags < 2; tags++, at += 4) {
        if (len < at + 4)
            return ACME_SHORT;
        ethertype = get16(frame + at + 2);
    }
    if (ethertype == 0x0800) {
        const uint8_t *ip = frame + at;

        if (len < at + 20)
            return ACME_SHORT;
        header = (size_t)(ip[0] & 15) * 4;
        total = get16(ip + 2);
        if (ip[0] >> 4 != 4 || header < 20 || total < header || total > len - at)
            return ACME_BAD;
        if (!sums_up(add16(0, ip, header)))
            return ACME_BAD;
        if (ip[9] != 17 || (get16(ip + 6) & 0x3fff) != 0)
            return ACME_NOT_FALCON;
        return find_udp(ip + header, total - header, ip + 12, 8, body, body_len);
    }
    if (ethertype == 0x86dd) {
        const uint8_t *ip = frame + at;

        if (len < at + 40)
            return ACME_SHORT;
        total = get16(ip + 4);
        if (ip[0] >> 4 != 6 || total > len - at - 40)
            return ACME_BAD;
        if (ip[6] != 17)
            return ACME_NOT_FALCON; /* extension headers are not for us */
        return find_udp(ip + 40, total, ip + 8, 32, body, body_len);
    }
    return ACME_NOT_FALCON;
}

/* ---- the packet ---- */

static size_t header_len(uint8_t type)
{
    switch (type) {
    case 0: return 32;
    case 3: return 24;
    case 5: return 28;
    case 6: return 32;
    case 8: return 40;
    case 9: return 32;
    case 10: return 72;
    default: return 0;
    }
}

/* BACK, EACK and NACK. */
static void parse_ack(const uint8_t *p, struct acme_pkt *out)
{
    out->dbase = get32(p + 8);
    out->rbase = get32(p + 12);
    out->t1 = get32(p + 16);
    out->t2 = get32(p + 20);
    out->hops = p[24] >> 4;
    out->occupancy = (uint8_t)((p[24] & 15) << 1 | p[25] >> 7);
#if ACME_BUG == 4
    out->ecn = (uint16_t)(get16(p + 25) >> 2 & 0x1fff); /* one bit is missing */
#else
    out->ecn = (uint16_t)(get24(p + 25) >> 9 & 0x3fff);
#endif
    if (out->type != 8)
        out->own = p[31] & 3;
    if (out->type == 10) {
        out->ack_bits[1] = get64(p + 32);
        out->ack_bits[0] = get64(p + 40);
        out->rx_bits[1] = get64(p + 48);
        out->rx_bits[0] = get64(p + 56);
        out->req_bits = get64(p + 64);
    }
    if (out->type == 8) {
        out->nack_psn = get32(p + 32);
        out->nack_code = p[36];
        out->rnr = p[37] & 31;
        out->window = p[38] >> 7;
    }
}

static void parse_reliable(const uint8_t *p, struct acme_pkt *out)
{
    out->fn = get24(p + 4);
    out->proto = p[7] >> 5;
    out->ar = p[7] & 1;
    out->dbase = get32(p + 8);
    out->rbase = get32(p + 12);
    out->psn = get32(p + 16);
    out->rsn = get32(p + 20);
    if (out->type == 0 || out->type == 5)
        out->len = get16(p + 26);
}

enum acme_status acme_parse(const uint8_t *frame, size_t len, struct acme_pkt *out)
{
    const uint8_t *p = NULL;
    size_t n = 0, header;
    enum acme_status status = find_packet(frame, len, &p, &n);

    memset(out, 0, sizeof *out);
    if (status != ACME_OK)
        return status;
    if (n < 8)
        return ACME_SHORT;
    if (p[0] >> 4 != 1)
        return ACME_BAD;
    out->cid = get24(p + 1);
    out->type = p[7] >> 1 & 15;
    header = header_len(out->type);
    if (header == 0)
        return ACME_BAD;
    if (n < header)
        return ACME_SHORT;
    if (out->type >= 8)
        parse_ack(p, out);
    else
        parse_reliable(p, out);
    out->payload = p + header;
    out->payload_len = n - header;
#if ACME_BUG == 1
    if (out->type == 5)
        out->payload_len = out->len; /* says the packet, and who would lie? */
#endif
    return ACME_OK;
}

/* ---- what is done with it ---- */

static uint32_t sum_payload(const struct acme_pkt *pkt)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < pkt->payload_len; i++)
        sum = sum * 31 + pkt->payload[i];
    return sum;
}

/* Where in the window a packet stands. */
static uint32_t place(const struct acme_pkt *pkt)
{
    uint8_t weight[128] = {1, 2, 3, 5, 7};
#if ACME_BUG == 2
    int32_t ahead = (int32_t)pkt->psn;

    if (ahead < -32) /* far behind the window: ignored; slightly behind is allowed */
        return 0;
#else
    uint32_t ahead = pkt->psn;
#endif

    return ahead >= 128 ? 0 : weight[ahead];
}

/* The first request that was not received. */
static uint32_t first_gap(const struct acme_pkt *pkt)
{
    uint32_t n = 0;

#if ACME_BUG == 3
    while ((pkt->req_bits >> n % 64 & 1) != 0)
        n++;
#else
    while (n < 64 && (pkt->req_bits >> n & 1) != 0)
        n++;
#endif
    return n;
}

uint32_t acme_receive(const struct acme_pkt *pkt)
{
    if (pkt->type == 10)
        return first_gap(pkt);
    if (pkt->type >= 8)
        return pkt->own;
    return place(pkt) + sum_payload(pkt);
}
