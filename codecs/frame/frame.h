/* SPDX-License-Identifier: Apache-2.0
 * frame.h - the frame stack: from captured bytes to layers and back.
 *
 * Decoding never allocates (a PSP key that is used for the first time apart), never reads past
 * `caplen`, and always ends in layers plus issues. A frame ends in a `falcon` layer and its
 * `payload`; or in a `roce` layer and its payload; or in a `raw` layer, from where
 * understanding ended, and no payload; or, sealed by PSP or ESP without a key that opens it, in
 * the `psp` or `esp` layer, with what is in the clear and the sealed bytes as `payload`.
 *
 * Encapsulations are those of 7.1 and two for laboratories. */
#ifndef FAL_CODECS_FRAME_FRAME_H
#define FAL_CODECS_FRAME_FRAME_H

#include "codecs/base/error.h"
#include "codecs/base/issue.h"
#include "codecs/header/falcon.h"
#include "codecs/header/headers.h"
#include "codecs/header/ulp.h"
#include "codecs/seal/esp.h"
#include "codecs/seal/psp.h"

enum fal_layer_id {
    FAL_LAYER_ETH,
    FAL_LAYER_SLL,
    FAL_LAYER_SLL2,
    FAL_LAYER_VLAN,
    FAL_LAYER_INNER_VLAN,
    FAL_LAYER_IPV4,
    FAL_LAYER_IPV6,
    FAL_LAYER_IPV6_EXT, /* all extension headers of one IPv6 header */
    FAL_LAYER_UDP,
    FAL_LAYER_PSP,
    FAL_LAYER_ESP,
    FAL_LAYER_INNER_IPV4,
    FAL_LAYER_INNER_IPV6,
    FAL_LAYER_INNER_IPV6_EXT,
    FAL_LAYER_FALCON,
    FAL_LAYER_ROCE,
    FAL_LAYER_RAW,
    FAL_LAYER_COUNT,
};

enum fal_encap {
    FAL_ENCAP_UDP,
    FAL_ENCAP_PSP_TRANSPORT,
    FAL_ENCAP_PSP_TUNNEL,
    FAL_ENCAP_ESP_TRANSPORT,
    FAL_ENCAP_ESP_TUNNEL,
    FAL_ENCAP_BARE,
    FAL_ENCAP_COUNT
};

/* The names of those that a connection can have, in this order, and of all. */
#define FAL_CONNECTION_ENCAPS "udp psp_transport psp_tunnel esp_transport esp_tunnel"
#define FAL_ENCAPS            FAL_CONNECTION_ENCAPS " bare"

/* pcap link types (tcpdump.org/linktypes.html) */
enum {
    FAL_LINKTYPE_ETHERNET = 1,
    FAL_LINKTYPE_RAW = 101,
    FAL_LINKTYPE_SLL = 113, /* Linux cooked */
    FAL_LINKTYPE_USER0 = 147,
    FAL_LINKTYPE_SLL2 = 276
};

enum {
    FAL_UDP_PORT_FALCON = 7777,
    FAL_UDP_PORT_PSP = 1000,
    FAL_UDP_PORT_ESP = 4500, /* RFC 3948 */
    FAL_UDP_PORT_ROCE = 4791,
    FAL_LAYERS_MAX = 12
};

enum { /* IP protocols, and next headers of IPv6, PSP and ESP */
       FAL_PROTOCOL_HOP_BY_HOP = 0,
       FAL_PROTOCOL_IPV4 = 4,
       FAL_PROTOCOL_UDP = 17,
       FAL_PROTOCOL_IPV6 = 41,
       FAL_PROTOCOL_ROUTING = 43,
       FAL_PROTOCOL_FRAGMENT = 44,
       FAL_PROTOCOL_ESP = 50,
       FAL_PROTOCOL_NONE = 59,
       FAL_PROTOCOL_DESTINATION = 60,
       FAL_PROTOCOL_FALCON = 252
};

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
    bool fragment;  /* of an IP packet that is more than what is here */

    size_t num_layers;
    struct fal_layer layers[FAL_LAYERS_MAX]; /* outermost first */
    struct fal_eth eth;
    struct fal_sll sll;
    struct fal_sll2 sll2;
    struct fal_vlan vlan, inner_vlan;
    struct fal_ipv4 ipv4, inner_ipv4;
    struct fal_span ipv4_options, inner_ipv4_options;
    struct fal_ipv6 ipv6, inner_ipv6;
    struct fal_span ipv6_ext, inner_ipv6_ext; /* bytes of the extension headers */
    struct fal_udp udp;
    struct fal_psp psp;
    struct fal_psp_vc psp_vc; /* when psp.v, and it could be read */
    enum fal_psp_state psp_state;
    struct fal_span psp_icv; /* 16 bytes; fewer where the capture cut them */
    /* What stands between the PSP header (with a VC in the clear) and the crypt offset of a
     * packet that stays sealed: 4 bytes in transport mode, version and CID. */
    struct fal_span psp_clear;
    struct fal_esp esp;
    enum fal_psp_state esp_state; /* null algorithm: NO_KEY and `unauthenticated` */
    bool esp_has_iv;              /* part of the layer: its SA is known, and has one */
    struct fal_esp_iv esp_iv;
    uint32_t esp_sequence_high; /* the half that is not sent, of an extended sequence number */
    bool esp_has_trailer;       /* the next two were found, or are to be written */
    struct fal_span esp_padding;
    struct fal_esp_trailer esp_trailer;
    struct fal_span esp_icv;
    /* What follows the psp or esp layer was read without proof by its ICV: GMAC without a key,
     * or cut; the null algorithm. */
    bool unauthenticated;
    /* Before a raw layer: version, CID and type, as far as they were there. */
    struct fal_falcon falcon;
    struct fal_roce roce;
    struct fal_span payload;       /* what follows the innermost layer */
    struct fal_span raw;           /* of the raw layer */
    struct fal_span inner_trailer; /* in a tunnel, what follows the inner IP packet */
    struct fal_span trailer;       /* what follows the innermost length: Ethernet padding */
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
    struct fal_esp_keys *esp_keys; /* likewise */
    bool no_lint;                  /* layers only: no Falcon lint, no checksums */
    bool no_content; /* for callers that lint Falcon packets themselves: `issues` is about what
                        carries them alone, and `ulp` stays empty */
    bool unproven;   /* goes on into what fails its ICV, as a receiver that does not look */
};

/* A frame as a capture has it. */
struct fal_captured {
    const uint8_t *bytes;
    size_t caplen; /* bytes that are there */
    size_t len;    /* bytes that were on the wire */
    unsigned linktype;
};

/* Decodes one frame. `frame->number` and `frame->ts_ns` keep their
 * value, the rest is overwritten. The bytes are borrowed by the frame's spans. Opened payload
 * lies in `scratch`, which must hold `caplen` bytes (NULL: sealed packets stay sealed) and live
 * as long as the frame is read. `options` may be NULL. IP and UDP are linted in frames of
 * Falcon or PSP only. Returns 0, or FAL_ERR_TYPE for a link type that it does not know (the
 * frame is then empty). */
MUST_USE int fal_frame_decode(const struct fal_captured *captured,
                              const struct fal_frame_options *options, uint8_t *scratch,
                              struct fal_frame *frame);

/* The usual frame: Ethernet with at most one VLAN tag, IPv4 without options or IPv6 without
 * extension headers, UDP at Falcon's port; complete, not fragmented, nothing wrong up to UDP.
 */
struct fal_usual {
    fal_u128 src, dst; /* an IPv4 address in the low 32 bits */
    bool v6;
    uint16_t src_port, dst_port;
    struct fal_span falcon; /* what UDP carries, borrowed */
};

/* Decodes the usual frame as fal_frame_decode does, for callers that need no more of it.
 * Returns false for any other frame; *out is then undefined. */
MUST_USE bool fal_frame_usual(const struct fal_captured *captured,
                              const struct fal_frame_options *options, struct fal_usual *out);

/* The layer of that id, or NULL. */
const struct fal_layer *fal_frame_layer(const struct fal_frame *frame, enum fal_layer_id id);
static inline bool fal_frame_has(const struct fal_frame *frame, enum fal_layer_id id)
{
    return fal_frame_layer(frame, id) != NULL;
}

/* The set of the frame's layers, for callers that ask about several: FAL_LAYER_BIT of each. */
#define FAL_LAYER_BIT(id) (UINT32_C(1) << (id))
static inline uint32_t fal_frame_layers(const struct fal_frame *frame)
{
    uint32_t set = 0;

    for (size_t i = 0; i < frame->num_layers; i++)
        set |= FAL_LAYER_BIT(frame->layers[i].id);
    return set;
}

/* Whether a frame that ends in a raw layer was meant to be a Falcon packet, by what stands
 * around it: a bad packet of its sender. `falcon_port` is the one it was decoded with, 0: the
 * default. */
bool fal_frame_meant_falcon(const struct fal_frame *frame, uint16_t falcon_port);

/* The CID in the clear of a packet that PSP keeps sealed; false where it is not to be seen (ESP
 * hides it). */
bool fal_frame_sealed_cid(const struct fal_frame *frame, uint32_t *cid);

/* One of the extension headers in `ext`, which stand one after the other: the first is of type
 * `type`. Steps over it: *ext is then what follows, *type the type of that. The span of its
 * bytes, empty at the end of the chain or where it is cut. */
struct fal_span fal_ipv6_ext_next(struct fal_span *ext, unsigned *type);

/* "eth", "ipv4", ...: the JSON name; the layout of its header, or NULL (raw, ipv6_ext, and
 * falcon, whose layout depends on the packet type). */
const char *fal_layer_name(enum fal_layer_id id);
const struct fal_layout *fal_layer_layout(enum fal_layer_id id);

/* The header of a layer in the frame and its layout (a falcon layer's depends on the packet),
 * or NULL: raw, extension headers, and a falcon layer of a reserved type. */
void *fal_frame_host(struct fal_frame *frame, enum fal_layer_id id,
                     const struct fal_layout **layout);

/* What fal_frame_encode computes; a bit set means "as given in the frame, do not compute". */
enum fal_keep {
    FAL_KEEP_LENGTHS = 1u,   /* ihl, total_length, payload_length, udp.length, hdr_ext_len,
                                the padding of ESP and its length */
    FAL_KEEP_CHECKSUMS = 2u, /* header_checksum, udp.checksum */
    FAL_KEEP_REQUEST_LENGTH = 4u,
    FAL_KEEP_ICV = 8u,
};

/* What sealing needs; borrowed, either may be NULL. */
struct fal_frame_keys {
    struct fal_psp_keys *psp;
    struct fal_esp_keys *esp;
};

/* Writes the frame's layers in order, then the payload, the ICV (sealing with `keys`, by the
 * frame's SPI, IV and PSP version) and the trailer. `keep` is a set of fal_keep bits. Only what
 * the layers name is read: offsets, lengths and `caplen` are not.
 *
 * A frame that was sealed and not opened (a psp layer, no falcon layer, psp_state NO_KEY,
 * TRUNCATED or BAD) is written as it is: psp_clear, payload and psp_icv are bytes of the wire.
 * So is one with an esp layer and such an esp_state, whose IV is written if esp_has_iv. Else
 * the payload is plain, and IV and ICV of ESP are as its SA has them. FAL_KEEP_ICV puts psp_icv
 * or esp_icv over the ICV; with GMAC no key is needed then.
 *
 * Returns the bytes written, FAL_ERR_SHORT (cap), FAL_ERR_RANGE (*bad: the field), FAL_ERR_TYPE
 * (a reserved packet type or PSP version, a crypt offset beyond the packet, layers that cannot
 * stand so), FAL_ERR_KEY (no key to seal with), FAL_ERR_MEM. */
MUST_USE int fal_frame_encode_with(const struct fal_frame *frame,
                                   const struct fal_frame_keys *keys, unsigned keep,
                                   uint8_t *out, size_t cap, const struct fal_field **bad);

/* The same without keys for ESP. */
MUST_USE int fal_frame_encode(const struct fal_frame *frame, struct fal_psp_keys *psp_keys,
                              unsigned keep, uint8_t *out, size_t cap,
                              const struct fal_field **bad);

/* Builds the layer list of an encapsulation around the Falcon packet that the frame has: eth,
 * IP, UDP, PSP or ESP with initial values, ports (source 49152) and addresses of a
 * laboratory: 10.0.0.1 to 10.0.0.2 or fd00::1 to fd00::2, in a tunnel 10.1.0.1 to 10.1.0.2 or
 * fd01::1 to fd01::2, 02:00:00:00:00:01 to ...:02. `ip_version` is 4 or 6, of both headers in
 * a tunnel. For FAL_ENCAP_BARE the list is Falcon alone. Sets the link type; packet, payload
 * and time stay. */
void fal_frame_encapsulate(struct fal_frame *frame, enum fal_encap encap, int ip_version);

/* Makes the fields that say what follows (ethertype, protocol, next header, destination port of
 * PSP and ESP, crypt offset) right for the layers that do follow. Where a raw layer or nothing
 * follows, they stay. */
void fal_frame_chain(struct fal_frame *frame);

/* The crypt offset that leaves version and CID in the clear (7.1), by the layers and the V bit;
 * 0 where no Falcon packet follows PSP. */
unsigned fal_frame_crypt_offset(const struct fal_frame *frame);

/* "udp", "psp_transport", ...; and back, -1 for any other text. */
extern const char *const fal_encap_names[FAL_ENCAP_COUNT];
const char *fal_encap_name(enum fal_encap encap);
int fal_encap_from(const char *name);

#endif
