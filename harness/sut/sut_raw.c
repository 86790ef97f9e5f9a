/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/sut_raw.h"

#include "codecs/base/error.h"
#include "harness/link/neighbour.h"
#include "harness/link/sockets.h"
#include "harness/wire/sealer.h"

#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 64 };

#define ASK_EVERY_NS UINT64_C(100000000)

struct neighbour {
    struct tl_address host;
    uint8_t mac[6];
};

struct tl_sut_raw {
    const struct tl_raw_address *at; /* borrowed */
    struct tl_raw_wire wire;
    struct neighbour known[NEIGHBOURS]; /* a ring buffer: a new entry replaces the oldest */
    size_t count, next;
    uint64_t asked_ns; /* when it last asked for a MAC */
};

static bool same_host(const struct tl_address *a, const struct tl_address *b)
{
    if (tl_address_family(a) != tl_address_family(b))
        return false;
    return tl_address_family(a) == AF_INET
               ? a->u.v4.sin_addr.s_addr == b->u.v4.sin_addr.s_addr
               : memcmp(&a->u.v6.sin6_addr, &b->u.v6.sin6_addr, 16) == 0;
}

static struct neighbour *find(struct tl_sut_raw *raw, const struct tl_address *host)
{
    for (size_t i = 0; i < raw->count; i++)
        if (same_host(&raw->known[i].host, host))
            return &raw->known[i];
    return NULL;
}

static void learn(struct tl_sut_raw *raw, const struct tl_address *host, const uint8_t mac[6])
{
    struct neighbour *n = find(raw, host);

    if (n == NULL) {
        n = &raw->known[raw->next];
        raw->next = (raw->next + 1) % NEIGHBOURS;
        if (raw->count < NEIGHBOURS)
            raw->count++;
        n->host = *host;
    }
    memcpy(n->mac, mac, sizeof n->mac);
}

static void overheard(void *context, const uint8_t *bytes, size_t len)
{
    struct tl_address host;
    uint8_t mac[6];

    if (tl_neighbour_says(bytes, len, &host, mac))
        learn(context, &host, mac);
}

struct tl_sut_raw *tl_sut_raw_open(const struct tl_raw_address *at, struct fal_error *err)
{
    struct tl_sut_raw *raw = calloc(1, sizeof *raw);

    if (raw == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    raw->at = at;
    tl_raw_wire_init(&raw->wire);
    raw->wire.strict = true;
    if (tl_raw_wire_open(&raw->wire, at, &at->sut, NULL, err) == 0)
        return raw;
    tl_sut_raw_free(raw);
    return NULL;
}

void tl_sut_raw_free(struct tl_sut_raw *raw)
{
    if (raw == NULL)
        return;
    tl_raw_wire_close(&raw->wire);
    free(raw);
}

int tl_sut_raw_fd(const struct tl_sut_raw *raw)
{
    return pcap_get_selectable_fd(raw->wire.pcap);
}

bool tl_sut_raw_look(struct tl_sut_raw *raw, struct tl_raw_got *got)
{
    if (tl_raw_wire_look(&raw->wire, got, overheard, raw) <= 0)
        return false;
    learn(raw, &got->from, got->mac);
    return true;
}

void tl_sut_raw_send(struct tl_sut_raw *raw, const struct tl_address *peer, bool esp,
                     const struct tl_sut_out *frame)
{
    const struct neighbour *known = find(raw, peer);
    const struct tl_raw_head head = {.to = peer,
                                     .mac = raw->at->has_mac ? raw->at->mac
                                            : known != NULL  ? known->mac
                                                             : NULL,
                                     .tos = TL_RAW_ECN,
                                     .ttl = TL_RAW_TTL,
                                     .port = (uint16_t)frame->path,
                                     .esp = esp && !raw->at->esp_in_udp &&
                                            !tl_seal_is_clear(frame->bytes, frame->len)};
    uint64_t now_ns = tl_monotonic_ns();

    if (head.mac != NULL) {
        /* A frame that cannot be sent is lost. */
        FAL_IGNORE(tl_raw_wire_send(&raw->wire, &head, frame->bytes, frame->len));
    } else if (raw->asked_ns == 0 || now_ns - raw->asked_ns >= ASK_EVERY_NS) {
        raw->asked_ns = now_ns;
        (void)tl_neighbour_ask(raw->wire.net, raw->wire.mac, &raw->wire.own, peer);
    }
}
