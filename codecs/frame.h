/* SPDX-License-Identifier: Apache-2.0
 * frame.h - the frame stack: from captured bytes to layers and back.
 *
 * Decoding never allocates (a PSP key that is used for the first time apart), never reads past
 * `caplen`, and always ends in layers plus issues. A frame ends in a `falcon` layer and its
 * `payload`; or in a `raw` layer, from where understanding ended, and no payload; or, sealed by
 * PSP without a key that opens it, in the `psp` layer, with `psp_clear` and the sealed bytes as
 * `payload`.
 *
 * Encapsulations are those of 7.1 and two for laboratories: psp_transport, udp, bare (tunnels
 * and ESP join as layers). */
#ifndef FAL_CODECS_FRAME_H
#define FAL_CODECS_FRAME_H

#include "codecs/falcon.h"
#include "codecs/headers.h"
#include "codecs/issue.h"
#include "codecs/psp.h"
#include "codecs/ulp.h"

enum fal_layer_id {
    FAL_LAYER_ETH,
    FAL_LAYER_IPV4,
    FAL_LAYER_IPV6,
    FAL_LAYER_UDP,
    FAL_LAYER_PSP,
    FAL_LAYER_FALCON,
    FAL_LAYER_RAW,
    FAL_LAYER_COUNT,
};

enum fal_encap { FAL_ENCAP_UDP, FAL_ENCAP_PSP_TRANSPORT, FAL_ENCAP_BARE };

/* pcap link types (tcpdump.org/linktypes.html) */
enum { FAL_LINKTYPE_ETHERNET = 1, FAL_LINKTYPE_RAW = 101, FAL_LINKTYPE_USER0 = 147 };

enum { FAL_UDP_PORT_FALCON = 7777, FAL_UDP_PORT_PSP = 1000, FAL_LAYERS_MAX = 12 };

struct fal_layer {
    enum fal_layer_id id;
    uint32_t offset; /* bytes into the frame; sealed layers: where they would stand */
    uint32_t len;    /* header bytes, options and extensions included */
};

/* Bytes somewhere in the caller's buffers; borrowed. */
struct fal_span {
    const uint8_t *bytes;
    size_t len;
};

struct fal_frame {
    uint64_t number; /* from 1; given by the caller */
    uint64_t ts_ns;  /* likewise */
    uint32_t caplen, len;
    unsigned linktype;
    bool truncated; /* caplen < len */

    size_t num_layers;
    struct fal_layer layers[FAL_LAYERS_MAX]; /* outermost first */
    struct fal_eth eth;
    struct fal_ipv4 ipv4;
    struct fal_span ipv4_options;
    struct fal_ipv6 ipv6;
    struct fal_udp udp;
    struct fal_psp psp;
    struct fal_psp_vc psp_vc; /* when psp.v, and it could be read */
    enum fal_psp_state psp_state;
    struct fal_span psp_icv; /* 16 bytes; fewer where the capture cut them */
    /* What stands between the PSP header (with a VC in the clear) and the crypt offset of a
     * packet that stays sealed: 4 bytes in transport mode, version and CID. */
    struct fal_span psp_clear;
    /* What follows the psp layer was read without proof by its ICV: GMAC without a key, or cut.
     */
    bool unauthenticated;
    /* Before a raw layer: version, CID and type, as far as they were there. */
    struct fal_falcon falcon;
    struct fal_span payload; /* what follows the innermost layer */
    struct fal_span raw;     /* of the raw layer */
    struct fal_span trailer; /* what follows the innermost length: Ethernet padding */
    /* A length, checksum or ICV is wrong: receivers discard the frame (9.2.2.1), and what it
     * says is no proof of what its sender sent. */
    bool damaged;

    struct fal_issues issues;

    /* What the payload begins with, read; the payload has these bytes too. */
    struct fal_ulp ulp;
};

struct fal_frame_options {
    uint16_t falcon_port;          /* plain Falcon in UDP; 0: FAL_UDP_PORT_FALCON */
    struct fal_psp_keys *psp_keys; /* borrowed; NULL: sealed packets stay sealed */
    bool no_lint;                  /* layers only: no Falcon lint, no checksums */
};

/* Decodes one frame of link type `linktype`. `frame->number` and `frame->ts_ns` keep their
 * value, the rest is overwritten. `bytes` are borrowed by the frame's spans. Opened payload
 * lies in `scratch`, which must hold `caplen` bytes (NULL: sealed packets stay sealed) and live
 * as long as the frame is read. `options` may be NULL. IP and UDP are linted in frames of
 * Falcon or PSP only. Returns 0, or FAL_ERR_TYPE for a link type that it does not know (the
 * frame is then empty). */
int fal_frame_decode(const uint8_t *bytes, size_t caplen, size_t len, unsigned linktype,
                     const struct fal_frame_options *options, uint8_t *scratch,
                     struct fal_frame *frame);

/* The layer of that id, or NULL. */
const struct fal_layer *fal_frame_layer(const struct fal_frame *frame, enum fal_layer_id id);
static inline bool fal_frame_has(const struct fal_frame *frame, enum fal_layer_id id)
{
    return fal_frame_layer(frame, id) != NULL;
}

/* "eth", "ipv4", ...: the JSON name; the layout of its header, or NULL (raw, and falcon, whose
 * layout depends on the packet type). */
const char *fal_layer_name(enum fal_layer_id id);
const struct fal_layout *fal_layer_layout(enum fal_layer_id id);

/* What fal_frame_encode computes; a bit set means "as given in the frame, do not compute". */
enum fal_keep {
    FAL_KEEP_LENGTHS = 1u,   /* ihl, total_length, payload_length, udp.length, hdr_ext_len */
    FAL_KEEP_CHECKSUMS = 2u, /* header_checksum, udp.checksum */
    FAL_KEEP_REQUEST_LENGTH = 4u,
    FAL_KEEP_ICV = 8u,
};

/* Writes the frame's layers in order, then the payload, the ICV (sealing with `psp_keys`, by
 * the frame's SPI, IV and version) and the trailer. `keep` is a set of fal_keep bits. Only what
 * the layers name is read: offsets, lengths and `caplen` are not.
 *
 * A frame that was sealed and not opened (a psp layer, no falcon layer, psp_state NO_KEY,
 * TRUNCATED or BAD) is written as it is: psp_clear, payload and psp_icv are bytes of the wire.
 * Else the payload is plain. FAL_KEEP_ICV puts psp_icv over the ICV; with GMAC no key is needed
 * then.
 *
 * Returns the bytes written, FAL_ERR_SHORT (cap), FAL_ERR_RANGE (*bad: the field), FAL_ERR_TYPE
 * (a reserved packet type or PSP version, a crypt offset beyond the packet, layers that cannot
 * stand so), FAL_ERR_KEY (no key to seal with), FAL_ERR_MEM. */
int fal_frame_encode(const struct fal_frame *frame, struct fal_psp_keys *psp_keys,
                     unsigned keep, uint8_t *out, size_t cap, const struct fal_field **bad);

/* Builds the layer list of an encapsulation around the Falcon packet that the frame has: eth,
 * IP, UDP and PSP with initial values, ports (source 49152) and addresses of a
 * laboratory: 10.0.0.1 to 10.0.0.2 or fd00::1 to fd00::2, 02:00:00:00:00:01 to ...:02.
 * `ip_version` is 4 or 6. For FAL_ENCAP_BARE the list is Falcon alone. Sets the link type;
 * packet, payload and time stay. */
void fal_frame_encapsulate(struct fal_frame *frame, enum fal_encap encap, int ip_version);

/* "udp", "psp_transport", "bare"; and back, -1 when it is none. */
const char *fal_encap_name(enum fal_encap encap);
int fal_encap_from(const char *name);

#endif
