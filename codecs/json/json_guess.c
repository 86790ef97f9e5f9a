/* SPDX-License-Identifier: Apache-2.0
 * json_guess.c - the layers of a line that does not name them, by the members that it has. */
#include "codecs/json/json_impl.h"

const json_t *fal_json_layer(const struct fal_json_reader *r, enum fal_layer_id id)
{
    return json_object_get(r->object, fal_layer_name(id));
}

static bool has(const struct fal_json_reader *r, enum fal_layer_id id)
{
    return fal_json_layer(r, id) != NULL;
}

/* The encapsulation that the members which are there take; `encap` where they leave it open. */
static enum fal_encap guess_encap(const struct fal_json_reader *r, enum fal_encap encap)
{
    bool tunnel = has(r, FAL_LAYER_INNER_IPV4) || has(r, FAL_LAYER_INNER_IPV6) ||
                  has(r, FAL_LAYER_INNER_IPV6_EXT);
    bool outer = has(r, FAL_LAYER_ETH) || has(r, FAL_LAYER_SLL) || has(r, FAL_LAYER_SLL2) ||
                 has(r, FAL_LAYER_VLAN) || has(r, FAL_LAYER_INNER_VLAN) ||
                 has(r, FAL_LAYER_IPV4) || has(r, FAL_LAYER_IPV6) ||
                 has(r, FAL_LAYER_IPV6_EXT) || has(r, FAL_LAYER_UDP);
    bool esp = encap == FAL_ENCAP_ESP_TRANSPORT || encap == FAL_ENCAP_ESP_TUNNEL;

    if (has(r, FAL_LAYER_ESP) || (esp && !has(r, FAL_LAYER_PSP)))
        return tunnel || encap == FAL_ENCAP_ESP_TUNNEL ? FAL_ENCAP_ESP_TUNNEL
                                                       : FAL_ENCAP_ESP_TRANSPORT;
    if (tunnel)
        return FAL_ENCAP_PSP_TUNNEL;
    if (has(r, FAL_LAYER_PSP))
        return encap == FAL_ENCAP_PSP_TUNNEL ? encap : FAL_ENCAP_PSP_TRANSPORT;
    return outer && encap == FAL_ENCAP_BARE ? FAL_ENCAP_UDP : encap;
}

static void insert(struct fal_frame *frame, size_t at, enum fal_layer_id id)
{
    for (size_t i = frame->num_layers++; i > at; i--)
        frame->layers[i] = frame->layers[i - 1];
    frame->layers[at].id = id;
}

/* Layers that no encapsulation contains by default, when the line names them. */
static void insert_layers(struct fal_json_reader *r)
{
    struct fal_frame *frame = r->frame;
    size_t at = 1;

    if (has(r, FAL_LAYER_SLL) || has(r, FAL_LAYER_SLL2))
        frame->layers[0].id = has(r, FAL_LAYER_SLL) ? FAL_LAYER_SLL : FAL_LAYER_SLL2;
    if (has(r, FAL_LAYER_VLAN) || has(r, FAL_LAYER_INNER_VLAN))
        insert(frame, at++, FAL_LAYER_VLAN);
    if (has(r, FAL_LAYER_INNER_VLAN))
        insert(frame, at++, FAL_LAYER_INNER_VLAN);
    at++; /* IP */
    if (has(r, FAL_LAYER_IPV6_EXT))
        insert(frame, at++, FAL_LAYER_IPV6_EXT);
    if (has(r, FAL_LAYER_UDP) && !fal_frame_has(frame, FAL_LAYER_UDP))
        insert(frame, at, FAL_LAYER_UDP); /* around ESP */
    if (has(r, FAL_LAYER_INNER_IPV6_EXT))
        insert(frame, frame->num_layers - 1, FAL_LAYER_INNER_IPV6_EXT);
}

static bool is_v6(const struct fal_json_reader *r)
{
    return has(r, FAL_LAYER_IPV6) || has(r, FAL_LAYER_IPV6_EXT);
}

int fal_json_guess_layers(struct fal_json_reader *r, enum fal_encap encap)
{
    struct fal_frame *frame = r->frame;
    bool raw = has(r, FAL_LAYER_RAW), v6 = is_v6(r);
    bool inner_v6 = has(r, FAL_LAYER_INNER_IPV6) || has(r, FAL_LAYER_INNER_IPV6_EXT);

    if (!raw && !has(r, FAL_LAYER_FALCON) && !has(r, FAL_LAYER_ROCE))
        return fal_fail(r->err, FAL_ERR_FORM, "falcon: the packet is missing");
    encap = guess_encap(r, encap);
    fal_frame_encapsulate(frame, encap, v6 ? 6 : 4);
    for (size_t i = 0; i < frame->num_layers; i++) {
        if (frame->layers[i].id == FAL_LAYER_INNER_IPV6 && has(r, FAL_LAYER_INNER_IPV4))
            frame->layers[i].id = FAL_LAYER_INNER_IPV4;
        else if (frame->layers[i].id == FAL_LAYER_INNER_IPV4 && inner_v6)
            frame->layers[i].id = FAL_LAYER_INNER_IPV6;
    }
    if (encap != FAL_ENCAP_BARE)
        insert_layers(r);
    if (raw)
        frame->layers[frame->num_layers - 1].id = FAL_LAYER_RAW;
    else if (!has(r, FAL_LAYER_FALCON))
        frame->layers[frame->num_layers - 1].id = FAL_LAYER_ROCE;
    fal_frame_chain(frame);
    return 0;
}

void fal_json_prepare(struct fal_json_reader *r)
{
    fal_frame_encapsulate(r->frame, guess_encap(r, FAL_ENCAP_UDP), is_v6(r) ? 6 : 4);
}
