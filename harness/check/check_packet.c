/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/check_packet.h"

#include "harness/capture/capture.h"
#include "harness/wire/sealer.h"

#include <stdlib.h>

/* Two interfaces see one packet within this time. */
#define DOUBLES_NS FAL_MS

struct fal_span tl_check_packet_bytes(const struct fal_frame *frame)
{
    const struct fal_layer *layer = fal_frame_layer(frame, FAL_LAYER_FALCON);

    if (layer != NULL)
        return (struct fal_span){frame->payload.bytes - layer->len,
                                 frame->payload.len + layer->len};
    return frame->raw; /* a reserved type, or too short for its type */
}

bool tl_check_is_falcon(const struct fal_frame_options *options, const struct fal_frame *frame)
{
    /* A packet under ESP's null algorithm proves as much as plain UDP; an unverified GMAC
     * proves less. */
    return (fal_frame_has(frame, FAL_LAYER_FALCON) ||
            fal_frame_meant_falcon(frame, options->falcon_port)) &&
           !(frame->unauthenticated && fal_frame_has(frame, FAL_LAYER_PSP));
}

static uint64_t fold(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t fold_host(uint64_t h, struct tl_host host)
{
    return fold(fold(h, fal_u128_hi(host.ip)), fal_u128_lo(host.ip));
}

/* Compares only fields that no hop changes: a copy made by the sender has another
 * identification, or IV. */
static uint64_t hash_of(const struct fal_frame *frame, const struct tl_check_packet *packet)
{
    uint64_t h = fold_host(fold_host(1, packet->from), packet->to);

    h = fold(fold(h, packet->from.port), packet->to.port);
    if (fal_frame_has(frame, FAL_LAYER_IPV4))
        h = fold(h, frame->ipv4.identification);
    if (fal_frame_has(frame, FAL_LAYER_UDP))
        h = fold(h, frame->udp.src_port);
    if (fal_frame_has(frame, FAL_LAYER_PSP))
        h = fold(h, frame->psp.iv);
    if (fal_frame_has(frame, FAL_LAYER_ESP))
        h = fold(h, frame->esp.sequence_number);
    for (uint32_t i = 0; i < packet->len; i++)
        h = fold(h, packet->bytes[i]);
    return h | 1;
}

/* PSP's and ESP's IV is the packet's departure (7.1). */
static void take_iv(const struct fal_frame *frame, uint32_t layers, struct tl_check_packet *out)
{
    out->has_iv = false;
    out->iv = 0;
    out->spi = 0;
    if ((layers & FAL_LAYER_BIT(FAL_LAYER_PSP)) != 0) {
        out->has_iv = true;
        out->iv = frame->psp.iv;
        out->spi = frame->psp.spi;
    } else if ((layers & FAL_LAYER_BIT(FAL_LAYER_ESP)) != 0) {
        out->has_iv = frame->esp_has_iv;
        out->iv = frame->esp_has_iv ? frame->esp_iv.iv : 0;
        out->spi = frame->esp.spi;
    }
}

void tl_check_packet_of(const struct fal_frame_options *options, const struct fal_frame *frame,
                        bool hash, struct tl_check_packet *out)
{
    struct fal_span bytes = tl_check_packet_bytes(frame);
    uint32_t layers = fal_frame_layers(frame);
    bool falcon = (layers & FAL_LAYER_BIT(FAL_LAYER_FALCON)) != 0;

    out->number = frame->number;
    out->ts_ns = frame->ts_ns;
    out->from = tl_host_of(frame, layers, true);
    out->to = tl_host_of(frame, layers, false);
    out->readable = (falcon && (layers & FAL_LAYER_BIT(FAL_LAYER_PSP)) == 0) ||
                    tl_check_is_falcon(options, frame);
    out->damaged = frame->damaged;
    out->truncated = frame->truncated || frame->fragment;
    out->path = (layers & FAL_LAYER_BIT(FAL_LAYER_UDP)) != 0 ? frame->udp.src_port : 0;
    out->carrier = tl_carrier_of(frame);
    out->bytes = bytes.bytes;
    out->len = (uint32_t)bytes.len;
    take_iv(frame, layers, out);
    out->hash = hash ? hash_of(frame, out) : 0;
}

bool tl_check_packet_usual(const struct fal_frame_options *options,
                           const struct tl_captured *got, uint64_t number,
                           struct tl_check_packet *out)
{
    struct fal_usual usual;

    if (!fal_frame_usual(
            &(struct fal_captured){got->bytes, got->caplen, got->len, got->linktype}, options,
            &usual))
        return false;
    *out = (struct tl_check_packet){
        .number = number,
        .ts_ns = got->ts_ns,
        .from = {usual.src, usual.v6, usual.src_port},
        .to = {usual.dst, usual.v6, usual.dst_port},
        .readable = true,
        .path = usual.src_port,
        .carrier = {.known = true, .encap = FAL_ENCAP_UDP},
        .bytes = usual.falcon.bytes,
        .len = (uint32_t)usual.falcon.len,
    };
    return true;
}

/* ---- shards ---- */

unsigned tl_check_shard(struct tl_host a, struct tl_host b)
{
    return (unsigned)(fold(fold_host(1, a) + fold_host(1, b), 1) >> 32) % TL_CHECK_SHARDS;
}

static unsigned be16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static fal_u128 be128(const uint8_t *at)
{
    uint64_t half[2] = {0, 0};

    for (unsigned i = 0; i < 16; i++)
        half[i / 8] = half[i / 8] << 8 | at[i];
    return fal_u128_halves(half[0], half[1]);
}

static struct tl_host ipv4_at(const uint8_t *at)
{
    return (struct tl_host){(fal_u128)be16(at) << 16 | be16(at + 2), false, 0};
}

static struct tl_host ipv6_at(const uint8_t *at)
{
    return (struct tl_host){be128(at), true, 0};
}

bool tl_check_shard_of(const struct fal_frame_options *options, const struct tl_captured *got,
                       unsigned *shard)
{
    enum {
        ETH = 14,
        IPV4 = 20,
        IPV6 = 40,
        UDP = 8,
        ETHERTYPE_V4 = 0x800,
        ETHERTYPE_V6 = 0x86dd
    };
    unsigned port = options->falcon_port != 0 ? options->falcon_port : FAL_UDP_PORT_FALCON;
    const uint8_t *ip = got->bytes + ETH;
    unsigned type;

    if (got->linktype != FAL_LINKTYPE_ETHERNET || got->caplen < ETH + IPV6 + UDP)
        return false; /* the shortest Falcon packet is longer than what IPv4 lacks to this */
    type = be16(got->bytes + ETH - 2);
    if (type == ETHERTYPE_V4 && ip[0] == 0x45 && ip[9] == FAL_PROTOCOL_UDP &&
        be16(ip + IPV4 + 2) == port)
        *shard = tl_check_shard(ipv4_at(ip + 12), ipv4_at(ip + 16));
    else if (type == ETHERTYPE_V6 && ip[6] == FAL_PROTOCOL_UDP && be16(ip + IPV6 + 2) == port)
        *shard = tl_check_shard(ipv6_at(ip + 8), ipv6_at(ip + 24));
    else
        return false;
    return true;
}

/* ---- doubles ---- */

bool tl_check_seen_before(struct tl_check *check, const struct tl_check_packet *packet,
                          unsigned shard, uint32_t interface)
{
    struct tl_check_double *seen;
    uint64_t within = check->options->doubles_ns, apart;

    if (check->recent[shard] == NULL)
        check->recent[shard] = calloc(TL_CHECK_DOUBLES, sizeof *check->recent[shard]);
    if (check->recent[shard] == NULL)
        return false;
    seen = &check->recent[shard][packet->hash / 2 % TL_CHECK_DOUBLES];
    apart =
        packet->ts_ns > seen->t_ns ? packet->ts_ns - seen->t_ns : seen->t_ns - packet->ts_ns;
    if (seen->hash == packet->hash && seen->interface != interface && within < DOUBLES_NS)
        within = DOUBLES_NS;
    if (seen->hash == packet->hash && within > 0 && apart <= within) {
        check->doubles++;
        return true;
    }
    *seen = (struct tl_check_double){packet->hash, packet->ts_ns, interface};
    return false;
}
