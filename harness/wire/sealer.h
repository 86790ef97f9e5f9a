/* SPDX-License-Identifier: Apache-2.0
 * seal.h - one end's security associations (6.5, 7.1): it gives away SPIs with their keys for
 * packets to it, learns those for packets to its peers, seals what it sends and opens what it
 * gets. Both the tester and the built-in SUT have one of their own; what they share goes over
 * the control channel, as objects of the key files (docs/formats.md).
 *
 * A sealed frame is what UDP carries: the PSP or ESP packet without the IP and UDP headers
 * around it. */
#ifndef TL_HARNESS_SEAL_H
#define TL_HARNESS_SEAL_H

#include "codecs/frame.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/timeline.h"

struct tl_sealer;

/* Bytes that sealing adds at most: outer header, VC, inner IPv6, trailer, ICV. */
enum { TL_SEAL_ROOM = 128 };

/* Whether packets of that encapsulation are sealed at all. */
static inline bool tl_encap_seals(enum fal_encap encap)
{
    return encap != FAL_ENCAP_UDP && encap != FAL_ENCAP_BARE;
}

/* `encap` seals. `seed` makes its master keys. NULL when out of memory; the caller frees. */
struct tl_sealer *tl_sealer_new(enum fal_encap encap, uint64_t seed);
void tl_sealer_free(struct tl_sealer *sealer);

/* Keys that nobody tells (borrowed file, key_file.h): a peer's SA may then be an SPI alone.
 * With `own` they are this end's: it gives away SPIs of the file's SAs, or made under its
 * master keys, and tells no key. */
void tl_sealer_file(struct tl_sealer *sealer, const json_t *file, bool own);

/* A new SPI for packets to this end, and its SA with the key, as a new reference. 0,
 * FAL_ERR_MEM; FAL_ERR_KEY: the file has none (left).
 */
int tl_sealer_issue(struct tl_sealer *sealer, uint32_t *spi, json_t **sa);

/* A new master key: SPIs that are issued from now on have the other top bit (9.2.2.3). What was
 * issued under the key before the last one opens nothing any more. 0, FAL_ERR_MEM. */
int tl_sealer_turn(struct tl_sealer *sealer);

/* Takes a peer's SA: packets with its SPI can be sealed. 0, FAL_ERR_FORM with `err`,
 * FAL_ERR_MEM. */
int tl_sealer_learn(struct tl_sealer *sealer, const json_t *sa, uint32_t *spi,
                    struct fal_error *err);

/* Ways to seal that the receiver must notice. */
enum tl_spoil {
    TL_SPOIL_NOTHING,
    TL_SPOIL_ICV,     /* one bit of it is wrong */
    TL_SPOIL_PAYLOAD, /* one bit of what is sealed */
    TL_SPOIL_HEADER,  /* one bit of the IV in the clear */
    TL_SPOIL_CUT,     /* the last bytes are missing */
};

/* Seals a Falcon packet of any bytes into `out`. The length, FAL_ERR_KEY (an SPI that was never
 * learnt), FAL_ERR_SHORT (cap), FAL_ERR_MEM. */
int tl_sealer_seal(struct tl_sealer *sealer, const struct fal_seal *seal, enum tl_spoil spoil,
                   const uint8_t *bytes, size_t len, uint8_t *out, size_t cap);

/* From here on it hands out what it cannot vouch for, too: a receiver that is to be faulty sees
 * what it must not take. */
void tl_sealer_unproven(struct tl_sealer *sealer);

/* Bytes that begin as a Falcon packet does, where a sealed frame begins otherwise: with the
 * next header, or a small SPI. */
bool tl_seal_is_clear(const uint8_t *bytes, size_t len);

/* What carries the Falcon packet of a frame. */
struct fal_carrier tl_carrier_of(const struct fal_frame *frame);

/* What a frame is to its receiver: a packet to hand on, with what its encapsulation says. */
struct tl_opened {
    enum fal_integrity integrity;
    struct fal_seal seal;
    struct fal_carrier carrier;
    const uint8_t *bytes; /* the Falcon packet, or what of it is in the clear; valid until the
                             next call */
    size_t len;
};

/* Opens a frame. FAL_ERR_TYPE: it is not of this encapsulation, and nothing is known of it. */
int tl_sealer_open(struct tl_sealer *sealer, const uint8_t *frame, size_t len,
                   struct tl_opened *out);

#endif
