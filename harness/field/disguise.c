/* SPDX-License-Identifier: Apache-2.0
 * disguise.c - the map: a table of addresses, and a Feistel network over bytes whose round
 * function is SHAKE-256 of the key. */
#include "harness/field/disguise.h"

#include "codecs/base/bits.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, SLOTS_FIRST = 64, MAC_LOCAL = 0x02, MAC_GROUP = 0x01, PAGE_BITS = 12 };

struct slot {
    bool used, placed; /* placed: it has its replacement */
    struct tl_address from;
    fal_u128 to;
};

struct tl_disguise {
    uint8_t key[TL_DISGUISE_KEY];
    uint8_t single[256]; /* the permutation of one byte */
    uint64_t shift;      /* of virtual addresses */
    uint32_t next_ipv4, next_group;
    struct slot *slots;
    size_t count, cap; /* cap: a power of two */
};

/* ---- the round function ---- */

/* Where drawn bytes go. */
struct room {
    uint8_t *bytes;
    size_t len;
};

/* Fills `out` from the key, a label and some bytes. */
static int draw(const uint8_t key[TL_DISGUISE_KEY], uint32_t label, const uint8_t *in,
                size_t len, struct room out)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t head[4] = {0};
    bool good;

    fal_bits_set(head, 0, 32, label);
    good = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_shake256(), NULL) == 1 &&
           EVP_DigestUpdate(ctx, key, TL_DISGUISE_KEY) == 1 &&
           EVP_DigestUpdate(ctx, head, sizeof head) == 1 &&
           EVP_DigestUpdate(ctx, in, len) == 1 &&
           EVP_DigestFinalXOF(ctx, out.bytes, out.len) == 1;
    EVP_MD_CTX_free(ctx);
    return good ? 0 : FAL_ERR_MEM;
}

/* Labels of what is drawn; rounds of bytes use those from LABEL_ROUND on. */
enum { LABEL_SINGLE, LABEL_SHIFT, LABEL_ADDRESS, LABEL_ROUND };

/* Whether one byte alone reads as the beginning of a tester's payload, or of a header of the
 * upper layer, version 1 (codecs/header/ulp.c): what it reads as must not change. */
static unsigned class_of(unsigned byte)
{
    if (byte == 0 || byte == 'T' || byte == 0x10)
        return byte; /* stays */
    return byte >> 4 == 1 ? 1 : 2;
}

/* A random order of the 256 bytes, within each class (Fisher and Yates). */
static int shuffle(struct tl_disguise *d)
{
    uint8_t drawn[4 * 256] = {0};

    if (draw(d->key, LABEL_SINGLE, NULL, 0, (struct room){drawn, sizeof drawn}) != 0)
        return FAL_ERR_MEM;
    for (unsigned i = 0; i < 256; i++)
        d->single[i] = (uint8_t)i;
    for (unsigned i = 255; i > 0; i--) {
        unsigned n = 0, at = 0, chosen;
        uint8_t kept = d->single[i];

        for (unsigned k = 0; k <= i; k++)
            n += class_of(k) == class_of(i);
        chosen = (unsigned)(fal_bits_get(drawn + 4 * (size_t)i, 0, 32) % n);
        while (class_of(at) != class_of(i) || chosen-- > 0)
            at++;
        d->single[i] = d->single[at];
        d->single[at] = kept;
    }
    return 0;
}

struct tl_disguise *tl_disguise_new(const uint8_t key[TL_DISGUISE_KEY])
{
    struct tl_disguise *d = calloc(1, sizeof *d);
    uint8_t drawn[8] = {0};

    if (d == NULL)
        return NULL;
    memcpy(d->key, key, sizeof d->key);
    d->cap = SLOTS_FIRST;
    d->slots = calloc(d->cap, sizeof *d->slots);
    if (d->slots == NULL || shuffle(d) != 0 ||
        draw(d->key, LABEL_SHIFT, NULL, 0, (struct room){drawn, sizeof drawn}) != 0) {
        tl_disguise_free(d);
        return NULL;
    }
    d->shift = (fal_bits_get(drawn, 0, 64) | 1) << PAGE_BITS;
    return d;
}

void tl_disguise_free(struct tl_disguise *disguise)
{
    if (disguise == NULL)
        return;
    free(disguise->slots);
    OPENSSL_cleanse(disguise, sizeof *disguise);
    free(disguise);
}

/* ---- bytes ---- */

static bool all_zero(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* One round: `to` is changed by what is drawn from `from`. */
static int mix(const struct tl_disguise *d, uint32_t label, struct room from, struct room to)
{
    uint8_t few[256], *drawn = to.len <= sizeof few ? few : malloc(to.len);
    int status = FAL_ERR_MEM;

    if (drawn != NULL)
        status = draw(d->key, label, from.bytes, from.len, (struct room){drawn, to.len});
    for (size_t i = 0; status == 0 && i < to.len; i++)
        to.bytes[i] ^= drawn[i];
    if (drawn != few)
        free(drawn);
    return status;
}

static int permute(const struct tl_disguise *d, unsigned tweak, uint8_t *bytes, size_t len)
{
    struct room left = {bytes, len / 2}, right = {bytes + len / 2, len - len / 2};
    int status = 0;

    for (uint32_t i = 0; i < ROUNDS && status == 0; i++)
        status = mix(d, LABEL_ROUND + tweak * ROUNDS + i, i % 2 == 0 ? right : left,
                     i % 2 == 0 ? left : right);
    return status;
}

int tl_disguise_bytes(const struct tl_disguise *disguise, unsigned tweak, uint8_t *bytes,
                      size_t len)
{
    int status;

    if (all_zero(bytes, len))
        return 0;
    if (len == 1) {
        *bytes = disguise->single[*bytes];
        return 0;
    }
    do /* the bytes that become zeros get what the zeros would have become */
        status = permute(disguise, tweak, bytes, len);
    while (status == 0 && all_zero(bytes, len));
    return status;
}

uint64_t tl_disguise_virtual(const struct tl_disguise *disguise, uint64_t address)
{
    return address + disguise->shift;
}

/* ---- addresses ---- */

static size_t place(const struct tl_disguise *d, const struct tl_address *address)
{
    uint64_t hash = (fal_u128_lo(address->value) ^ fal_u128_hi(address->value) * 31 ^
                     (uint64_t)address->kind) *
                    UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (d->cap - 1);

    while (d->slots[at].used && (d->slots[at].from.kind != address->kind ||
                                 d->slots[at].from.value != address->value))
        at = (at + 1) & (d->cap - 1);
    return at;
}

static int grow(struct tl_disguise *d)
{
    struct slot *old = d->slots;
    size_t n = d->cap;

    d->slots = calloc(2 * n, sizeof *d->slots);
    if (d->slots == NULL) {
        d->slots = old;
        return FAL_ERR_MEM;
    }
    d->cap = 2 * n;
    for (size_t i = 0; i < n; i++)
        if (old[i].used)
            d->slots[place(d, &old[i].from)] = old[i];
    free(old);
    return 0;
}

int tl_disguise_note(struct tl_disguise *disguise, struct tl_address address)
{
    size_t at = place(disguise, &address);

    if (disguise->slots[at].used)
        return 0;
    if (disguise->count == TL_DISGUISE_ADDRESSES_MAX)
        return FAL_ERR_RANGE;
    if (2 * (disguise->count + 1) > disguise->cap) {
        if (grow(disguise) != 0)
            return FAL_ERR_MEM;
        at = place(disguise, &address);
    }
    disguise->slots[at] = (struct slot){.used = true, .from = address};
    disguise->count++;
    return 0;
}

/* Whether it names no host: every capture may show it. */
static bool stays(struct tl_address address)
{
    uint64_t low = fal_u128_lo(address.value);

    switch (address.kind) {
    case TL_ADDRESS_MAC: return low == 0 || low == 0xffffffffffff || low >> 24 == 0x0180c2;
    case TL_ADDRESS_IPV4: return low == 0 || low == UINT32_MAX;
    case TL_ADDRESS_IPV6: return address.value == 0;
    }
    return false;
}

/* The next IPv4 address that is not one of the capture. */
static uint32_t next_ipv4(struct tl_disguise *d, bool group)
{
    uint32_t *next = group ? &d->next_group : &d->next_ipv4;
    struct tl_address address = {TL_ADDRESS_IPV4, 0};

    do
        address.value = (group ? UINT32_C(0xef000000) : UINT32_C(0x0a000000)) + ++*next;
    while (d->slots[place(d, &address)].used);
    return (uint32_t)address.value;
}

/* A MAC or IPv6 address from the key. */
static fal_u128 drawn_address(const struct tl_disguise *d, struct tl_address address)
{
    uint8_t in[17] = {(uint8_t)address.kind}, out[16] = {0};
    bool mac = address.kind == TL_ADDRESS_MAC;
    bool group = mac ? (address.value >> 40 & MAC_GROUP) != 0 : address.value >> 120 == 0xff;

    fal_bits_set_wide(in + 1, 0, 128, address.value);
    /* Without memory all addresses become the same one, which gives nothing away. */
    FAL_IGNORE(draw(d->key, LABEL_ADDRESS, in, sizeof in, (struct room){out, sizeof out}));
    if (mac) {
        out[0] = MAC_LOCAL | (group ? MAC_GROUP : 0);
        return fal_bits_get(out, 0, 48);
    }
    out[0] = group ? 0xff : 0xfd;
    if (group)
        out[1] = 0x0e;
    return fal_bits_get_wide(out, 0, 128);
}

fal_u128 tl_disguise_address(struct tl_disguise *disguise, struct tl_address address)
{
    struct slot *slot = &disguise->slots[place(disguise, &address)];

    if (stays(address))
        return address.value;
    if (!slot->used || !slot->placed) {
        fal_u128 to = address.kind == TL_ADDRESS_IPV4
                          ? next_ipv4(disguise, address.value >> 28 == 0xe)
                          : drawn_address(disguise, address);

        if (!slot->used) /* a stranger: it is not kept */
            return to;
        slot->placed = true;
        slot->to = to;
    }
    return slot->to;
}
