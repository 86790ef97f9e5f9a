/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame/frame.h"

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_VLAN = 0x8100, ETHERTYPE_IPV6 = 0x86dd };

enum { CRYPT_OFFSET_MAX = 63 };

static const char *const layer_names[FAL_LAYER_COUNT] = {
    [FAL_LAYER_ETH] = "eth",
    [FAL_LAYER_SLL] = "sll",
    [FAL_LAYER_SLL2] = "sll2",
    [FAL_LAYER_VLAN] = "vlan",
    [FAL_LAYER_INNER_VLAN] = "inner_vlan",
    [FAL_LAYER_IPV4] = "ipv4",
    [FAL_LAYER_IPV6] = "ipv6",
    [FAL_LAYER_IPV6_EXT] = "ipv6_ext",
    [FAL_LAYER_UDP] = "udp",
    [FAL_LAYER_PSP] = "psp",
    [FAL_LAYER_ESP] = "esp",
    [FAL_LAYER_INNER_IPV4] = "inner_ipv4",
    [FAL_LAYER_INNER_IPV6] = "inner_ipv6",
    [FAL_LAYER_INNER_IPV6_EXT] = "inner_ipv6_ext",
    [FAL_LAYER_FALCON] = "falcon",
    [FAL_LAYER_ROCE] = "roce",
    [FAL_LAYER_RAW] = "raw",
};

static const struct fal_layout *const layer_layouts[FAL_LAYER_COUNT] = {
    [FAL_LAYER_ETH] = &fal_eth_layout,         [FAL_LAYER_SLL] = &fal_sll_layout,
    [FAL_LAYER_SLL2] = &fal_sll2_layout,       [FAL_LAYER_VLAN] = &fal_vlan_layout,
    [FAL_LAYER_INNER_VLAN] = &fal_vlan_layout, [FAL_LAYER_IPV4] = &fal_ipv4_layout,
    [FAL_LAYER_IPV6] = &fal_ipv6_layout,       [FAL_LAYER_UDP] = &fal_udp_layout,
    [FAL_LAYER_PSP] = &fal_psp_layout,         [FAL_LAYER_ESP] = &fal_esp_layout,
    [FAL_LAYER_INNER_IPV4] = &fal_ipv4_layout, [FAL_LAYER_INNER_IPV6] = &fal_ipv6_layout,
    [FAL_LAYER_ROCE] = &fal_roce_layout,
};

const char *const fal_encap_names[FAL_ENCAP_COUNT] = {
    [FAL_ENCAP_UDP] = "udp",
    [FAL_ENCAP_PSP_TRANSPORT] = "psp_transport",
    [FAL_ENCAP_PSP_TUNNEL] = "psp_tunnel",
    [FAL_ENCAP_ESP_TRANSPORT] = "esp_transport",
    [FAL_ENCAP_ESP_TUNNEL] = "esp_tunnel",
    [FAL_ENCAP_BARE] = "bare",
};

const char *fal_layer_name(enum fal_layer_id id)
{
    return layer_names[id];
}

const struct fal_layout *fal_layer_layout(enum fal_layer_id id)
{
    return id < FAL_LAYER_COUNT ? layer_layouts[id] : NULL;
}

/* The protocol number of the content of PSP or ESP, in a tunnel that of its inner packet; -1
 * where it is not known. */
static int sealed_protocol(const struct fal_frame *frame)
{
    bool psp = fal_frame_has(frame, FAL_LAYER_PSP);

    if ((psp ? frame->psp_state : frame->esp_state) != FAL_PSP_GOOD && !frame->unauthenticated)
        return -1;
    if (fal_frame_has(frame, FAL_LAYER_INNER_IPV4))
        return frame->inner_ipv4.protocol;
    if (fal_frame_has(frame, FAL_LAYER_INNER_IPV6))
        return frame->inner_ipv6.next_header;
    if (psp)
        return frame->psp.next_header;
    return frame->esp_has_trailer ? frame->esp_trailer.next_header : -1;
}

bool fal_frame_meant_falcon(const struct fal_frame *frame, uint16_t falcon_port)
{
    uint16_t port = falcon_port > 0 ? falcon_port : FAL_UDP_PORT_FALCON;

    if (frame->num_layers == 0 || frame->layers[frame->num_layers - 1].id != FAL_LAYER_RAW)
        return false;
    if (fal_frame_has(frame, FAL_LAYER_PSP) || fal_frame_has(frame, FAL_LAYER_ESP))
        return sealed_protocol(frame) == FAL_PROTOCOL_FALCON;
    if (fal_frame_has(frame, FAL_LAYER_UDP))
        return frame->udp.dst_port == port || frame->udp.src_port == port;
    return frame->linktype == FAL_LINKTYPE_USER0;
}

const char *fal_encap_name(enum fal_encap encap)
{
    return fal_encap_names[encap];
}

int fal_encap_from(const char *name)
{
    for (size_t i = 0; i < sizeof fal_encap_names / sizeof *fal_encap_names; i++)
        if (strcmp(fal_encap_names[i], name) == 0)
            return (int)i;
    return -1;
}

void *fal_frame_host(struct fal_frame *frame, enum fal_layer_id id,
                     const struct fal_layout **layout)
{
    *layout = id == FAL_LAYER_FALCON ? fal_falcon_layout(frame->falcon.packet_type)
                                     : fal_layer_layout(id);
    switch (id) {
    case FAL_LAYER_ETH: return &frame->eth;
    case FAL_LAYER_SLL: return &frame->sll;
    case FAL_LAYER_SLL2: return &frame->sll2;
    case FAL_LAYER_VLAN: return &frame->vlan;
    case FAL_LAYER_INNER_VLAN: return &frame->inner_vlan;
    case FAL_LAYER_IPV4: return &frame->ipv4;
    case FAL_LAYER_IPV6: return &frame->ipv6;
    case FAL_LAYER_UDP: return &frame->udp;
    case FAL_LAYER_PSP: return &frame->psp;
    case FAL_LAYER_ESP: return &frame->esp;
    case FAL_LAYER_INNER_IPV4: return &frame->inner_ipv4;
    case FAL_LAYER_INNER_IPV6: return &frame->inner_ipv6;
    case FAL_LAYER_ROCE: return &frame->roce;
    case FAL_LAYER_FALCON: return *layout != NULL ? &frame->falcon : NULL;
    case FAL_LAYER_IPV6_EXT:
    case FAL_LAYER_INNER_IPV6_EXT:
    case FAL_LAYER_RAW:
    case FAL_LAYER_COUNT: break;
    }
    return NULL;
}

const struct fal_layer *fal_frame_layer(const struct fal_frame *frame, enum fal_layer_id id)
{
    for (size_t i = 0; i < frame->num_layers; i++)
        if (frame->layers[i].id == id)
            return &frame->layers[i];
    return NULL;
}

bool fal_frame_sealed_cid(const struct fal_frame *frame, uint32_t *cid)
{
    const struct fal_layer *psp = fal_frame_layer(frame, FAL_LAYER_PSP);
    struct fal_span clear = frame->psp_clear;
    size_t at = 0;

    if (psp == NULL || clear.len == 0 ||
        (frame->psp.v && psp->len < FAL_PSP_HEADER_LEN + FAL_PSP_VC_LEN))
        return false; /* the clear bytes are the start of a cookie */
    if (frame->psp.next_header == FAL_PROTOCOL_IPV4)
        at = 4u * (clear.bytes[0] & 15);
    else if (frame->psp.next_header == FAL_PROTOCOL_IPV6)
        at = fal_ipv6_layout.size_bytes;
    else if (frame->psp.next_header != FAL_PROTOCOL_FALCON)
        return false;
    if (clear.len < at + 4)
        return false;
    *cid = (uint32_t)fal_bits_get(clear.bytes + at, 8, 24);
    return true;
}

struct fal_span fal_ipv6_ext_next(struct fal_span *ext, unsigned *type)
{
    struct fal_span one = {ext->bytes, 0};
    size_t len;

    switch (*type) {
    case FAL_PROTOCOL_HOP_BY_HOP:
    case FAL_PROTOCOL_ROUTING:
    case FAL_PROTOCOL_DESTINATION:
        len = ext->len < 2 ? SIZE_MAX : 8 * ((size_t)ext->bytes[1] + 1);
        break;
    case FAL_PROTOCOL_FRAGMENT: len = fal_ipv6_fragment_layout.size_bytes; break;
    default: return one;
    }
    if (len > ext->len)
        return one;
    one.len = len;
    *type = ext->bytes[0];
    *ext = (struct fal_span){ext->bytes + len, ext->len - len};
    return one;
}

/* ---- encapsulations ---- */

/* IP protocol of a layer, -1 of those that have none. */
static int protocol_of(enum fal_layer_id id)
{
    switch (id) {
    case FAL_LAYER_INNER_IPV4: return FAL_PROTOCOL_IPV4;
    case FAL_LAYER_INNER_IPV6: return FAL_PROTOCOL_IPV6;
    case FAL_LAYER_UDP: return FAL_PROTOCOL_UDP;
    case FAL_LAYER_ESP: return FAL_PROTOCOL_ESP;
    case FAL_LAYER_FALCON: return FAL_PROTOCOL_FALCON;
    case FAL_LAYER_ETH:
    case FAL_LAYER_SLL:
    case FAL_LAYER_SLL2:
    case FAL_LAYER_VLAN:
    case FAL_LAYER_INNER_VLAN:
    case FAL_LAYER_IPV4:
    case FAL_LAYER_IPV6:
    case FAL_LAYER_IPV6_EXT: /* by its bytes */
    case FAL_LAYER_PSP:
    case FAL_LAYER_INNER_IPV6_EXT:
    case FAL_LAYER_ROCE:
    case FAL_LAYER_RAW:
    case FAL_LAYER_COUNT: break;
    }
    return -1;
}

static void chain_ethertype(uint16_t *ethertype, enum fal_layer_id next)
{
    if (next == FAL_LAYER_VLAN || next == FAL_LAYER_INNER_VLAN)
        *ethertype = ETHERTYPE_VLAN;
    else if (next == FAL_LAYER_IPV4)
        *ethertype = ETHERTYPE_IPV4;
    else if (next == FAL_LAYER_IPV6)
        *ethertype = ETHERTYPE_IPV6;
}

static void chain_protocol(uint8_t *protocol, enum fal_layer_id next)
{
    int number = protocol_of(next);

    if (number >= 0)
        *protocol = (uint8_t)number;
}

unsigned fal_frame_crypt_offset(const struct fal_frame *frame)
{
    size_t words = 1 + (frame->psp.v ? FAL_PSP_VC_LEN / 4u : 0);

    if (!fal_frame_has(frame, FAL_LAYER_PSP) || !fal_frame_has(frame, FAL_LAYER_FALCON))
        return 0;
    if (fal_frame_has(frame, FAL_LAYER_INNER_IPV4))
        words += (fal_ipv4_layout.size_bytes + frame->inner_ipv4_options.len) / 4;
    if (fal_frame_has(frame, FAL_LAYER_INNER_IPV6))
        words += (fal_ipv6_layout.size_bytes + frame->inner_ipv6_ext.len) / 4;
    return words < CRYPT_OFFSET_MAX ? (unsigned)words : CRYPT_OFFSET_MAX;
}

static void chain_psp(struct fal_frame *frame, enum fal_layer_id next)
{
    unsigned offset = fal_frame_crypt_offset(frame);

    chain_protocol(&frame->psp.next_header, next);
    if (offset != 0)
        frame->psp.crypt_offset = (uint8_t)offset;
}

static void chain_udp(struct fal_udp *udp, enum fal_layer_id next)
{
    if (next == FAL_LAYER_PSP)
        udp->dst_port = FAL_UDP_PORT_PSP;
    else if (next == FAL_LAYER_ESP)
        udp->dst_port = FAL_UDP_PORT_ESP;
    else if (next == FAL_LAYER_ROCE)
        udp->dst_port = FAL_UDP_PORT_ROCE;
}

void fal_frame_chain(struct fal_frame *frame)
{
    for (size_t i = 0; i + 1 < frame->num_layers; i++) {
        enum fal_layer_id next = frame->layers[i + 1].id;

        switch (frame->layers[i].id) {
        case FAL_LAYER_ETH: chain_ethertype(&frame->eth.ethertype, next); break;
        case FAL_LAYER_SLL: chain_ethertype(&frame->sll.protocol, next); break;
        case FAL_LAYER_SLL2: chain_ethertype(&frame->sll2.protocol, next); break;
        case FAL_LAYER_VLAN: chain_ethertype(&frame->vlan.ethertype, next); break;
        case FAL_LAYER_INNER_VLAN: chain_ethertype(&frame->inner_vlan.ethertype, next); break;
        case FAL_LAYER_IPV4: chain_protocol(&frame->ipv4.protocol, next); break;
        case FAL_LAYER_IPV6: chain_protocol(&frame->ipv6.next_header, next); break;
        case FAL_LAYER_UDP: chain_udp(&frame->udp, next); break;
        case FAL_LAYER_PSP: chain_psp(frame, next); break;
        case FAL_LAYER_ESP: chain_protocol(&frame->esp_trailer.next_header, next); break;
        case FAL_LAYER_INNER_IPV4: chain_protocol(&frame->inner_ipv4.protocol, next); break;
        case FAL_LAYER_INNER_IPV6: chain_protocol(&frame->inner_ipv6.next_header, next); break;
        case FAL_LAYER_IPV6_EXT:
        case FAL_LAYER_INNER_IPV6_EXT:
        case FAL_LAYER_FALCON:
        case FAL_LAYER_ROCE:
        case FAL_LAYER_RAW:
        case FAL_LAYER_COUNT: break;
        }
    }
}

static void push(struct fal_frame *frame, enum fal_layer_id id)
{
    const struct fal_layer *last =
        frame->num_layers > 0 ? &frame->layers[frame->num_layers - 1] : NULL;
    const struct fal_layout *layout = id == FAL_LAYER_FALCON
                                          ? fal_falcon_layout(frame->falcon.packet_type)
                                          : fal_layer_layout(id);
    size_t len = layout != NULL ? layout->size_bytes : 0;

    if (id == FAL_LAYER_ESP)
        len += FAL_ESP_IV_LEN;
    frame->layers[frame->num_layers++] = (struct fal_layer){
        .id = id,
        .offset = last != NULL ? last->offset + last->len : 0,
        .len = (uint32_t)len,
    };
}

/* Addresses of a laboratory: host 1 sends to host 2. */
static void addresses(struct fal_frame *frame)
{
    const uint64_t mac = UINT64_C(0x020000000000), fd00 = UINT64_C(0xfd00) << 48;
    const uint64_t fd01 = UINT64_C(0xfd01) << 48;
    const uint32_t ten = UINT32_C(10) << 24, ten_one = ten | 1 << 16;

    frame->eth.src = mac | 1;
    frame->eth.dst = mac | 2;
    frame->ipv4.src = ten | 1;
    frame->ipv4.dst = ten | 2;
    frame->ipv6.src = fal_u128_halves(fd00, 1);
    frame->ipv6.dst = fal_u128_halves(fd00, 2);
    frame->inner_ipv4.src = ten_one | 1;
    frame->inner_ipv4.dst = ten_one | 2;
    frame->inner_ipv6.src = fal_u128_halves(fd01, 1);
    frame->inner_ipv6.dst = fal_u128_halves(fd01, 2);
}

static void init_headers(struct fal_frame *frame)
{
    fal_layout_init(&fal_eth_layout, &frame->eth);
    fal_layout_init(&fal_sll_layout, &frame->sll);
    fal_layout_init(&fal_sll2_layout, &frame->sll2);
    fal_layout_init(&fal_vlan_layout, &frame->vlan);
    fal_layout_init(&fal_vlan_layout, &frame->inner_vlan);
    fal_layout_init(&fal_ipv4_layout, &frame->ipv4);
    fal_layout_init(&fal_ipv4_layout, &frame->inner_ipv4);
    fal_layout_init(&fal_ipv6_layout, &frame->ipv6);
    fal_layout_init(&fal_ipv6_layout, &frame->inner_ipv6);
    fal_layout_init(&fal_udp_layout, &frame->udp);
    fal_layout_init(&fal_psp_layout, &frame->psp);
    fal_layout_init(&fal_psp_vc_layout, &frame->psp_vc);
    fal_layout_init(&fal_esp_layout, &frame->esp);
    fal_layout_init(&fal_esp_iv_layout, &frame->esp_iv);
    fal_layout_init(&fal_esp_trailer_layout, &frame->esp_trailer);
    fal_layout_init(&fal_roce_layout, &frame->roce);
    addresses(frame);
}

static void push_around(struct fal_frame *frame, enum fal_encap encap, bool v6)
{
    enum fal_layer_id inner = v6 ? FAL_LAYER_INNER_IPV6 : FAL_LAYER_INNER_IPV4;
    bool psp = encap == FAL_ENCAP_PSP_TRANSPORT || encap == FAL_ENCAP_PSP_TUNNEL;
    bool esp = encap == FAL_ENCAP_ESP_TRANSPORT || encap == FAL_ENCAP_ESP_TUNNEL;

    push(frame, FAL_LAYER_ETH);
    push(frame, v6 ? FAL_LAYER_IPV6 : FAL_LAYER_IPV4);
    if (!esp)
        push(frame, FAL_LAYER_UDP);
    if (psp)
        push(frame, FAL_LAYER_PSP);
    if (esp)
        push(frame, FAL_LAYER_ESP);
    if (encap == FAL_ENCAP_PSP_TUNNEL || encap == FAL_ENCAP_ESP_TUNNEL)
        push(frame, inner);
}

void fal_frame_encapsulate(struct fal_frame *frame, enum fal_encap encap, int ip_version)
{
    const struct fal_span none = {0};

    frame->num_layers = 0;
    frame->linktype = encap == FAL_ENCAP_BARE ? FAL_LINKTYPE_USER0 : FAL_LINKTYPE_ETHERNET;
    frame->psp_state = frame->esp_state = FAL_PSP_NONE;
    frame->unauthenticated = false;
    frame->ipv4_options = frame->inner_ipv4_options = none;
    frame->ipv6_ext = frame->inner_ipv6_ext = none;
    frame->psp_icv = frame->psp_clear = frame->esp_icv = frame->esp_padding = none;
    frame->raw = frame->trailer = frame->inner_trailer = none;
    frame->esp_has_iv = frame->esp_has_trailer = true;
    frame->esp_sequence_high = 0;
    if (encap != FAL_ENCAP_BARE) {
        init_headers(frame);
        frame->udp.src_port = 49152;
        push_around(frame, encap, ip_version == 6);
    }
    push(frame, FAL_LAYER_FALCON);
    fal_frame_chain(frame);
}
