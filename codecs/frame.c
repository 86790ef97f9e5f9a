/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/frame.h"

static const char *const layer_names[FAL_LAYER_COUNT] = {
    [FAL_LAYER_ETH] = "eth", [FAL_LAYER_IPV4] = "ipv4", [FAL_LAYER_IPV6] = "ipv6",
    [FAL_LAYER_UDP] = "udp", [FAL_LAYER_PSP] = "psp",   [FAL_LAYER_FALCON] = "falcon",
    [FAL_LAYER_RAW] = "raw",
};

static const struct fal_layout *const layer_layouts[FAL_LAYER_COUNT] = {
    [FAL_LAYER_ETH] = &fal_eth_layout,   [FAL_LAYER_IPV4] = &fal_ipv4_layout,
    [FAL_LAYER_IPV6] = &fal_ipv6_layout, [FAL_LAYER_UDP] = &fal_udp_layout,
    [FAL_LAYER_PSP] = &fal_psp_layout,
};

static const char *const encap_names[] = {
    [FAL_ENCAP_UDP] = "udp",
    [FAL_ENCAP_PSP_TRANSPORT] = "psp_transport",
    [FAL_ENCAP_BARE] = "bare",
};

const char *fal_layer_name(enum fal_layer_id id)
{
    return layer_names[id];
}

const struct fal_layout *fal_layer_layout(enum fal_layer_id id)
{
    return layer_layouts[id];
}

const char *fal_encap_name(enum fal_encap encap)
{
    return encap_names[encap];
}

int fal_encap_from(const char *name)
{
    for (size_t i = 0; i < sizeof encap_names / sizeof *encap_names; i++)
        if (strcmp(encap_names[i], name) == 0)
            return (int)i;
    return -1;
}

const struct fal_layer *fal_frame_layer(const struct fal_frame *frame, enum fal_layer_id id)
{
    for (size_t i = 0; i < frame->num_layers; i++)
        if (frame->layers[i].id == id)
            return &frame->layers[i];
    return NULL;
}

static void push(struct fal_frame *frame, enum fal_layer_id id, const struct fal_layout *layout)
{
    const struct fal_layer *last =
        frame->num_layers > 0 ? &frame->layers[frame->num_layers - 1] : NULL;

    frame->layers[frame->num_layers++] = (struct fal_layer){
        .id = id,
        .offset = last != NULL ? last->offset + last->len : 0,
        .len = layout != NULL ? (uint32_t)layout->size_bytes : 0,
    };
}

/* Addresses of a laboratory: host 1 sends to host 2. */
static void addresses(struct fal_frame *frame)
{
    const uint64_t mac = UINT64_C(0x020000000000), fd00 = UINT64_C(0xfd00) << 48;
    const uint32_t ten = UINT32_C(10) << 24;

    frame->eth.src = mac | 1;
    frame->eth.dst = mac | 2;
    frame->ipv4.src = ten | 1;
    frame->ipv4.dst = ten | 2;
    frame->ipv6.src = (fal_u128){.hi = fd00, .lo = 1};
    frame->ipv6.dst = (fal_u128){.hi = fd00, .lo = 2};
}

void fal_frame_encapsulate(struct fal_frame *frame, enum fal_encap encap, int ip_version)
{
    frame->num_layers = 0;
    frame->linktype = encap == FAL_ENCAP_BARE ? FAL_LINKTYPE_USER0 : FAL_LINKTYPE_ETHERNET;
    frame->psp_state = FAL_PSP_NONE;
    frame->unauthenticated = false;
    frame->ipv4_options = frame->psp_icv = frame->psp_clear = frame->raw = frame->trailer =
        (struct fal_span){0};
    if (encap != FAL_ENCAP_BARE) {
        fal_layout_init(&fal_eth_layout, &frame->eth);
        fal_layout_init(&fal_ipv4_layout, &frame->ipv4);
        fal_layout_init(&fal_ipv6_layout, &frame->ipv6);
        fal_layout_init(&fal_udp_layout, &frame->udp);
        fal_layout_init(&fal_psp_layout, &frame->psp);
        fal_layout_init(&fal_psp_vc_layout, &frame->psp_vc);
        addresses(frame);
        frame->eth.ethertype = ip_version == 6 ? 0x86dd : 0x0800;
        frame->udp.src_port = 49152;
        frame->udp.dst_port = encap == FAL_ENCAP_UDP ? FAL_UDP_PORT_FALCON : FAL_UDP_PORT_PSP;
        push(frame, FAL_LAYER_ETH, &fal_eth_layout);
        if (ip_version == 6)
            push(frame, FAL_LAYER_IPV6, &fal_ipv6_layout);
        else
            push(frame, FAL_LAYER_IPV4, &fal_ipv4_layout);
        push(frame, FAL_LAYER_UDP, &fal_udp_layout);
        if (encap == FAL_ENCAP_PSP_TRANSPORT)
            push(frame, FAL_LAYER_PSP, &fal_psp_layout);
    }
    push(frame, FAL_LAYER_FALCON, fal_falcon_layout(frame->falcon.packet_type));
}
