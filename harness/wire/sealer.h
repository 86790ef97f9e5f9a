/* SPDX-License-Identifier: Apache-2.0
 * sealer.h - the security associations of one end (6.5, 7.1): it issues SPIs with keys for
 * packets that it receives, learns those for packets that it sends, seals what it sends and
 * opens what it receives. The tester and the built-in SUT each have their own; they exchange
 * SAs over the control channel, as objects of the key files (docs/formats.md).
 * A sealed frame is the payload of UDP: the PSP or ESP packet without the IP and UDP headers
 * around it. */
#ifndef TL_HARNESS_WIRE_SEALER_H
#define TL_HARNESS_WIRE_SEALER_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/timeline.h"

struct tl_sealer;

/* The most bytes that sealing adds: outer header, VC, inner IPv6, trailer, ICV. */
enum { TL_SEAL_ROOM = 128 };

/* Returns whether that encapsulation seals packets. */
static inline bool tl_encap_seals(enum fal_encap encap)
{
    return encap != FAL_ENCAP_UDP && encap != FAL_ENCAP_BARE;
}

/* The most bytes of a packet beside its payload: the longest header of Falcon, and what sealing
 * adds. */
static inline uint32_t tl_frame_room(enum fal_encap encap)
{
    return (uint32_t)FAL_HEADER_MAX + (tl_encap_seals(encap) ? (uint32_t)TL_SEAL_ROOM : 0);
}

/* `encap` must be one that seals. `seed` determines the master keys. Returns NULL when out of
 * memory; the caller frees it. */
struct tl_sealer *tl_sealer_new(enum fal_encap encap, uint64_t seed);
void tl_sealer_free(struct tl_sealer *sealer);

/* Uses keys from a file (borrowed; key_file.h), which are not exchanged: a peer's SA may then
 * be an SPI alone. With `own` they are the keys of this end: it issues SPIs of the file's SAs,
 * or made under its master keys, without their keys. */
void tl_sealer_file(struct tl_sealer *sealer, const json_t *file, bool own);

/* The next SA has the SPI that follows `spi`, which an earlier sealer of this end has issued:
 * the peer may still know it with another key. */
void tl_sealer_issue_after(struct tl_sealer *sealer, uint32_t spi);
/* Issues a new SPI for packets to this end and returns its SA with the key, a new reference.
 * Returns 0, FAL_ERR_MEM, or FAL_ERR_KEY when the key file has none (left). */
MUST_USE int tl_sealer_issue(struct tl_sealer *sealer, uint32_t *spi, json_t **sa);

/* Starts a new master key: SPIs issued from now on have the other top bit (9.2.2.3). SPIs
 * issued under the master key before the last one stop working. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_sealer_turn(struct tl_sealer *sealer);

/* Learns a peer's SA, so that packets can be sealed with its SPI. Returns 0, FAL_ERR_FORM with
 * `err`, or FAL_ERR_MEM. */
MUST_USE int tl_sealer_learn(struct tl_sealer *sealer, const json_t *sa, uint32_t *spi,
                             struct fal_error *err);

/* Deliberate flaws of a seal, which the receiver must detect. */
enum tl_spoil {
    TL_SPOIL_NOTHING,
    TL_SPOIL_ICV,     /* one bit of the ICV is wrong */
    TL_SPOIL_PAYLOAD, /* one bit of the ciphertext is wrong */
    TL_SPOIL_HEADER,  /* one bit of the IV is wrong */
    TL_SPOIL_CUT,     /* the last bytes are missing */
    TL_SPOIL_FLAGS,   /* one bit of the header in front of the IV is wrong */
    TL_SPOIL_CLEAR, /* one bit of the first byte behind the header, which PSP leaves in clear */
};

/* Seals a Falcon packet of arbitrary bytes, `in`, into `out`. Returns the length; FAL_ERR_KEY
 * (an SPI that was never learned), FAL_ERR_SHORT (cap) or FAL_ERR_MEM. */
MUST_USE int tl_sealer_seal(struct tl_sealer *sealer, const struct fal_seal *seal,
                            enum tl_spoil spoil, struct fal_span in, uint8_t *out, size_t cap);

/* From now on tl_sealer_open also returns packets that fail the ICV check: a deliberately
 * faulty receiver needs them. */
void tl_sealer_unproven(struct tl_sealer *sealer);

/* Returns whether bytes begin as a Falcon packet does. A sealed frame begins differently: with
 * the next header, or with a small SPI. */
bool tl_seal_is_clear(const uint8_t *bytes, size_t len);

/* Returns the layer that carries the Falcon packet of a frame. */
struct fal_carrier tl_carrier_of(const struct fal_frame *frame);

/* The result of opening a frame: the packet, and what its encapsulation shows. */
struct tl_opened {
    enum fal_integrity integrity;
    struct fal_seal seal;
    struct fal_carrier carrier;
    const uint8_t *bytes; /* the Falcon packet, or the part of it that is in the clear; valid
                             until the next call */
    size_t len;
};

/* Opens a frame. FAL_ERR_TYPE: the frame is not of this encapsulation. */
MUST_USE int tl_sealer_open(struct tl_sealer *sealer, const uint8_t *frame, size_t len,
                            struct tl_opened *out);

#endif
