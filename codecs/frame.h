/* SPDX-License-Identifier: Apache-2.0
 * frame.h - the frame stack: from captured bytes to layers and back.
 *
 * Decoding never allocates, never reads past `caplen`, and always ends in layers plus issues:
 * bytes that no layer took are `payload`, a frame that is no Falcon has a `raw` layer. Encapsulations
 * are those of wire-format.md (7.1): psp_transport, udp, bare (psp_tunnel and ESP join as layers). */
#ifndef FAL_CODECS_FRAME_H
#define FAL_CODECS_FRAME_H

#include "codecs/falcon.h"
#include "codecs/headers.h"
#include "codecs/issue.h"
#include "codecs/psp.h"

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
    uint32_t offset; /* bytes into the frame; of a layer that was sealed, where it would stand */
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
    struct fal_psp_vc psp_vc; /* when psp.v */
    enum fal_psp_state psp_state;
    struct fal_span psp_icv;   /* 16 bytes when they were captured */
    struct fal_span psp_clear; /* what stands before the crypt offset, when there was no key */
    struct fal_falcon falcon;
    struct fal_span payload; /* of the innermost layer */
    struct fal_span trailer; /* bytes after the innermost length ended: Ethernet padding */

    struct fal_issues issues;
};

struct fal_frame_options {
    uint16_t falcon_port; /* plain Falcon in UDP; 0: FAL_UDP_PORT_FALCON */
    struct fal_psp_keys *psp_keys; /* borrowed; NULL: sealed packets stay sealed */
    bool no_lint;         /* layers only: no Falcon lint, no checksums */
};

/* Decodes one frame of link type `linktype`. `frame->number` and `frame->ts_ns` keep their value, the
 * rest is overwritten. Opened payload lies in `scratch`, which must hold `caplen` bytes (NULL: sealed
 * packets stay sealed) and live as long as the frame is read. Returns 0, or FAL_ERR_TYPE for a
 * link type that it does not know. */
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

/* Writes the frame's layers in order, then the payload, the ICV (sealing with `psp_keys`, by the
 * frame's SPI, IV and version) and the trailer. `keep` is a set of fal_keep bits. Returns the
 * bytes written, FAL_ERR_SHORT, FAL_ERR_RANGE (*bad: the field), FAL_ERR_TYPE (a reserved packet
 * type), FAL_ERR_KEY (no key to seal with). */
int fal_frame_encode(const struct fal_frame *frame, struct fal_psp_keys *psp_keys,
                     unsigned keep, uint8_t *out, size_t cap, const struct fal_field **bad);

/* Builds the layer list of an encapsulation around a Falcon packet: fills eth, IP, UDP and PSP with
 * initial values and ports; `ip_version` 4 or 6. For FAL_ENCAP_BARE the list is Falcon alone. */
void fal_frame_encapsulate(struct fal_frame *frame, enum fal_encap encap, int ip_version);

/* "udp", "psp_transport", "bare"; and back, -1 when it is none. */
const char *fal_encap_name(enum fal_encap encap);
int fal_encap_from(const char *name);

#endif
