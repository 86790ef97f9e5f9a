/* SPDX-License-Identifier: Apache-2.0
 * json_extra.c - the members of a layer's object that are no fields of its header: options,
 * cookies, ICVs, what was authentic; and the chain of IPv6 extension headers. */
#include "codecs/json/json_impl.h"

static json_t *authenticated(enum fal_psp_state state)
{
    switch (state) {
    case FAL_PSP_GOOD: return json_true();
    case FAL_PSP_BAD: return json_false();
    case FAL_PSP_NONE:
    case FAL_PSP_NO_KEY:
    case FAL_PSP_TRUNCATED: break;
    }
    return json_null();
}

static void add_psp(const struct fal_frame *frame, json_t *object, bool *failed)
{
    const struct fal_layer *layer = fal_frame_layer(frame, FAL_LAYER_PSP);

    if (layer->len >= FAL_PSP_HEADER_LEN + FAL_PSP_VC_LEN)
        fal_json_set(object, "vc",
                     fal_json_value(&fal_psp_vc_layout.fields[0], frame->psp_vc.vc), failed);
    fal_json_set(object, "authenticated", authenticated(frame->psp_state), failed);
    if (frame->psp_state == FAL_PSP_TRUNCATED)
        fal_json_set(object, "truncated", json_true(), failed);
    if (frame->psp_clear.len > 0)
        fal_json_set(object, "clear", fal_json_bytes(frame->psp_clear), failed);
    fal_json_set(object, "icv", fal_json_bytes(frame->psp_icv), failed);
}

/* Padding, its length and the next header are known where the packet could be read. A pad
 * length of null: there is no room for it. */
static void add_esp_trailer(const struct fal_frame *frame, json_t *object, bool *failed)
{
    const struct fal_layer *last = &frame->layers[frame->num_layers - 1];
    bool read = frame->esp_state == FAL_PSP_GOOD || frame->unauthenticated;
    json_t *trailer;

    if (last->id == FAL_LAYER_ESP || !read)
        return;
    if (!frame->esp_has_trailer) {
        fal_json_set(object, "pad_length", json_null(), failed);
        return;
    }
    fal_json_set(object, "padding", fal_json_bytes(frame->esp_padding), failed);
    trailer = fal_json_header(&fal_esp_trailer_layout, &frame->esp_trailer);
    if (trailer == NULL || json_object_update(object, trailer) != 0)
        *failed = true;
    json_decref(trailer);
}

static void add_esp(const struct fal_frame *frame, json_t *object, bool *failed)
{
    if (frame->esp_has_iv)
        fal_json_set(object, "iv",
                     fal_json_value(&fal_esp_iv_layout.fields[0], frame->esp_iv.iv), failed);
    if (frame->esp_sequence_high != 0)
        fal_json_set(object, "sequence_high", json_integer(frame->esp_sequence_high), failed);
    fal_json_set(object, "authenticated", authenticated(frame->esp_state), failed);
    if (frame->esp_state == FAL_PSP_TRUNCATED)
        fal_json_set(object, "truncated", json_true(), failed);
    add_esp_trailer(frame, object, failed);
    fal_json_set(object, "icv", fal_json_bytes(frame->esp_icv), failed);
}

static void add_bytes(json_t *object, const char *key, struct fal_span span, bool *failed)
{
    if (span.len > 0)
        fal_json_set(object, key, fal_json_bytes(span), failed);
}

void fal_json_add_extra(const struct fal_frame *frame, enum fal_layer_id id, json_t *object,
                        bool *failed)
{
    switch (id) {
    case FAL_LAYER_IPV4: add_bytes(object, "options", frame->ipv4_options, failed); return;
    case FAL_LAYER_INNER_IPV4:
        add_bytes(object, "options", frame->inner_ipv4_options, failed);
        add_bytes(object, "trailer", frame->inner_trailer, failed);
        return;
    case FAL_LAYER_INNER_IPV6:
        add_bytes(object, "trailer", frame->inner_trailer, failed);
        return;
    case FAL_LAYER_PSP: add_psp(frame, object, failed); return;
    case FAL_LAYER_ESP: add_esp(frame, object, failed); return;
    case FAL_LAYER_FALCON:
        if (frame->unauthenticated)
            fal_json_set(object, "unauthenticated", json_true(), failed);
        return;
    case FAL_LAYER_ETH:
    case FAL_LAYER_SLL:
    case FAL_LAYER_SLL2:
    case FAL_LAYER_VLAN:
    case FAL_LAYER_INNER_VLAN:
    case FAL_LAYER_IPV6:
    case FAL_LAYER_IPV6_EXT:
    case FAL_LAYER_UDP:
    case FAL_LAYER_INNER_IPV6_EXT:
    case FAL_LAYER_ROCE:
    case FAL_LAYER_RAW:
    case FAL_LAYER_COUNT: return;
    }
}

/* ---- the chain of IPv6 ---- */

static json_t *ext_json(struct fal_span one, unsigned type)
{
    const char *name = fal_name_of(&fal_names_ip_protocol, type);
    bool is_fragment = type == FAL_PROTOCOL_FRAGMENT;
    json_t *object = json_object(), *header;
    struct fal_ipv6_fragment fragment;
    struct fal_ipv6_ext ext;
    bool failed = object == NULL;

    fal_json_set(object, "type", json_integer(type), &failed);
    if (name != NULL)
        fal_json_set(object, "type_text", json_string(name), &failed);
    if (is_fragment) {
        fal_ipv6_fragment_layout.decode(one.bytes, &fragment);
        header = fal_json_header(&fal_ipv6_fragment_layout, &fragment);
    } else {
        fal_ipv6_ext_layout.decode(one.bytes, &ext);
        header = fal_json_header(&fal_ipv6_ext_layout, &ext);
    }
    if (header == NULL || json_object_update(object, header) != 0)
        failed = true;
    json_decref(header);
    if (!is_fragment)
        fal_json_set(object, "options",
                     fal_json_bytes((struct fal_span){one.bytes + 2, one.len - 2}), &failed);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

json_t *fal_json_ipv6_ext(const struct fal_frame *frame, enum fal_layer_id id)
{
    bool inner = id == FAL_LAYER_INNER_IPV6_EXT;
    struct fal_span ext = inner ? frame->inner_ipv6_ext : frame->ipv6_ext;
    unsigned type = inner ? frame->inner_ipv6.next_header : frame->ipv6.next_header;
    json_t *list = json_array();

    while (list != NULL && ext.len > 0) {
        unsigned this = type;
        struct fal_span one = fal_ipv6_ext_next(&ext, &type);

        if (one.len == 0)
            break;
        if (json_array_append_new(list, ext_json(one, this)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
