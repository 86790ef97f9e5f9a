/* SPDX-License-Identifier: Apache-2.0
 * json_read_extra.c - reads back the members that json_extra.c writes. */
#include "codecs/base/hex.h"

#include "codecs/base/error.h"
#include "codecs/json/json_impl.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>
#include <stdio.h>

int fal_json_take_bytes(struct fal_json_reader *r, const json_t *object, const char *key,
                        const char *where, struct fal_span *out)
{
    const json_t *json = json_object_get(object, key);
    int len;

    *out = (struct fal_span){r->storage, 0};
    if (json == NULL)
        return 0;
    if (!json_is_string(json))
        return fal_fail(r->err, FAL_ERR_FORM, "%s: bytes are a string of hex digits", where);
    len = fal_hex_read(json_string_value(json), r->storage, r->cap);
    if (len == FAL_ERR_SHORT)
        return fal_fail(r->err, FAL_ERR_SHORT, "%s: more bytes than a frame can have", where);
    if (len < 0)
        return fal_fail(r->err, FAL_ERR_FORM, "%s: not an even number of hex digits", where);
    out->len = (size_t)len;
    r->storage += len;
    r->cap -= (size_t)len;
    return 0;
}

static int take_options(struct fal_json_reader *r, json_t *object, const char *where,
                        struct fal_span *out)
{
    int status = fal_json_take_bytes(r, object, "options", where, out);

    (void)json_object_del(object, "options");
    if (status == 0 && (out->len > 40 || out->len % 4 != 0))
        return fal_fail(r->err, FAL_ERR_FORM, "%s: not 4, 8, ... 40 bytes", where);
    return status;
}

/* The protocol that follows the inner IP packet. */
static int take_inner_trailer(struct fal_json_reader *r, json_t *object, const char *where)
{
    int status = fal_json_take_bytes(r, object, "trailer", where, &r->frame->inner_trailer);

    (void)json_object_del(object, "trailer");
    return status;
}

/* Whether the packet of `layer` was opened, by its members. */
static int read_state(struct fal_json_reader *r, const json_t *object, const char *layer,
                      enum fal_psp_state *state)
{
    const json_t *truncated = json_object_get(object, "truncated");
    const json_t *authenticated = json_object_get(object, "authenticated");

    if (truncated != NULL && !json_is_boolean(truncated))
        return fal_fail(r->err, FAL_ERR_FORM, "%s.truncated: not true or false", layer);
    if (authenticated == NULL || json_is_true(authenticated))
        *state = FAL_PSP_GOOD;
    else if (json_is_false(authenticated))
        *state = FAL_PSP_BAD;
    else if (json_is_null(authenticated))
        *state = json_is_true(truncated) ? FAL_PSP_TRUNCATED : FAL_PSP_NO_KEY;
    else
        return fal_fail(r->err, FAL_ERR_FORM, "%s.authenticated: not true, false or null",
                        layer);
    return 0;
}

static int take_icv(struct fal_json_reader *r, const json_t *object, const char *where,
                    struct fal_span *out)
{
    int status = fal_json_take_bytes(r, object, "icv", where, out);

    if (status == 0 && out->len > FAL_PSP_ICV_LEN)
        return fal_fail(r->err, FAL_ERR_FORM, "%s: more than 16 bytes", where);
    if (status == 0 && json_object_get(object, "icv") != NULL)
        *r->keep |= FAL_KEEP_ICV;
    return status;
}

/* One field that stands in another layer's object. */
static int take_field(struct fal_json_reader *r, json_t *object, const char *layer,
                      const struct fal_field *field, void *host)
{
    const json_t *json = json_object_get(object, field->name);
    fal_u128 value;
    int status;

    if (json == NULL)
        return 0;
    status = fal_json_read_value(field, json, layer, &value, r->err);
    if (status == 0)
        /* fal_json_read_value has checked that it fits. */
        FAL_IGNORE(fal_field_set(field, host, value));
    return status;
}

static void forget(json_t *object, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)json_object_del(object, keys[i]);
}

static int read_psp(struct fal_json_reader *r, json_t *object)
{
    static const char *const extra[] = {"vc", "authenticated", "truncated", "clear", "icv"};
    struct fal_frame *frame = r->frame;
    int status = read_state(r, object, "psp", &frame->psp_state);

    if (status == 0)
        status = take_field(r, object, "psp", &fal_psp_vc_layout.fields[0], &frame->psp_vc);
    if (status == 0 && json_object_get(object, "vc") != NULL) {
        frame->psp.v = 1; /* a cookie that is given is there, and in the clear */
        frame->psp.crypt_offset = 3;
    }
    if (status == 0)
        status = fal_json_take_bytes(r, object, "clear", "psp.clear", &frame->psp_clear);
    if (status == 0)
        status = take_icv(r, object, "psp.icv", &frame->psp_icv);
    forget(object, extra, sizeof extra / sizeof *extra);
    return status;
}

/* ---- ESP ---- */

/* The half of the sequence number that is not sent. */
static int read_sequence_high(struct fal_json_reader *r, const json_t *object)
{
    static const struct fal_field field = {.name = "sequence_high",
                                           .width_bits = 32,
                                           .member_size = sizeof r->frame->esp_sequence_high};
    const json_t *json = json_object_get(object, "sequence_high");
    fal_u128 value;
    int status;

    if (json == NULL)
        return 0;
    status = fal_json_read_value(&field, json, "esp", &value, r->err);
    if (status == 0)
        r->frame->esp_sequence_high = (uint32_t)value;
    return status;
}

/* If either padding or its length is missing, it is derived from the other. */
static int read_padding(struct fal_json_reader *r, json_t *object)
{
    const json_t *length = json_object_get(object, "pad_length");
    bool padding = json_object_get(object, "padding") != NULL;
    struct fal_frame *frame = r->frame;
    int status;

    if (json_is_null(length)) {
        frame->esp_has_trailer = false;
        *r->keep |= FAL_KEEP_LENGTHS;
        return 0;
    }
    if (length == NULL && !padding)
        return 0;
    *r->keep |= FAL_KEEP_LENGTHS;
    status = fal_json_take_bytes(r, object, "padding", "esp.padding", &frame->esp_padding);
    if (status == 0 && frame->esp_padding.len > UINT8_MAX)
        return fal_fail(r->err, FAL_ERR_FORM, "esp.padding: more than 255 bytes");
    frame->esp_trailer.pad_length = (uint8_t)frame->esp_padding.len;
    if (status == 0)
        status = take_field(r, object, "esp", &fal_esp_trailer_layout.fields[0],
                            &frame->esp_trailer);
    if (status != 0 || padding)
        return status;
    if (frame->esp_trailer.pad_length > r->cap)
        return fal_fail(r->err, FAL_ERR_SHORT,
                        "esp.pad_length: more bytes than a frame can have");
    frame->esp_padding = (struct fal_span){r->storage, frame->esp_trailer.pad_length};
    for (size_t i = 0; i < frame->esp_padding.len; i++)
        r->storage[i] = (uint8_t)(i + 1);
    r->storage += frame->esp_padding.len;
    r->cap -= frame->esp_padding.len;
    return 0;
}

static int read_esp(struct fal_json_reader *r, json_t *object)
{
    static const char *const extra[] = {"iv",          "sequence_high",    "authenticated",
                                        "truncated",   "padding",          "pad_length",
                                        "next_header", "next_header_text", "icv"};
    struct fal_frame *frame = r->frame;
    int status = read_state(r, object, "esp", &frame->esp_state);

    /* A line that was decoded has an IV only where one was seen. */
    frame->esp_has_iv =
        frame->esp_state == FAL_PSP_GOOD || json_object_get(object, "iv") != NULL;
    if (status == 0)
        status = take_field(r, object, "esp", &fal_esp_iv_layout.fields[0], &frame->esp_iv);
    if (status == 0)
        status = read_sequence_high(r, object);
    if (status == 0)
        status = read_padding(r, object);
    if (status == 0)
        status = take_field(r, object, "esp", &fal_esp_trailer_layout.fields[1],
                            &frame->esp_trailer);
    if (status == 0)
        status = take_icv(r, object, "esp.icv", &frame->esp_icv);
    forget(object, extra, sizeof extra / sizeof *extra);
    return status;
}

static int read_falcon(struct fal_json_reader *r, json_t *object)
{
    const json_t *unauthenticated = json_object_get(object, "unauthenticated");

    if (unauthenticated != NULL && !json_is_boolean(unauthenticated))
        return fal_fail(r->err, FAL_ERR_FORM, "falcon.unauthenticated: not true or false");
    r->frame->unauthenticated = json_is_true(unauthenticated);
    (void)json_object_del(object, "unauthenticated");
    return 0;
}

int fal_json_read_extra(struct fal_json_reader *r, enum fal_layer_id id, json_t *object)
{
    struct fal_frame *frame = r->frame;
    int status;

    switch (id) {
    case FAL_LAYER_IPV4: return take_options(r, object, "ipv4.options", &frame->ipv4_options);
    case FAL_LAYER_INNER_IPV4:
        status = take_options(r, object, "inner_ipv4.options", &frame->inner_ipv4_options);
        return status == 0 ? take_inner_trailer(r, object, "inner_ipv4.trailer") : status;
    case FAL_LAYER_INNER_IPV6: return take_inner_trailer(r, object, "inner_ipv6.trailer");
    case FAL_LAYER_PSP: return read_psp(r, object);
    case FAL_LAYER_ESP: return read_esp(r, object);
    case FAL_LAYER_FALCON: return read_falcon(r, object);
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
    case FAL_LAYER_COUNT: return 0;
    }
    return 0;
}

/* ---- the chain of IPv6 ---- */

static const struct fal_field type_field = {
    .name = "type", .width_bits = 8, .member_size = 1, .names = &fal_names_ip_protocol};

/* The type of an extension header: one that can stand in a chain. */
static int read_type(struct fal_json_reader *r, const json_t *object, const char *where,
                     unsigned *type)
{
    const json_t *json = json_object_get(object, "type");
    fal_u128 value;
    int status;

    if (!json_is_object(object))
        return fal_fail(r->err, FAL_ERR_FORM, "%s: not an object of fields", where);
    if (json == NULL)
        return fal_fail(r->err, FAL_ERR_FORM, "%s.type: is missing", where);
    status = fal_json_read_value(&type_field, json, where, &value, r->err);
    *type = status == 0 ? (unsigned)value : 0;
    if (status == 0 && *type != FAL_PROTOCOL_HOP_BY_HOP && *type != FAL_PROTOCOL_ROUTING &&
        *type != FAL_PROTOCOL_DESTINATION && *type != FAL_PROTOCOL_FRAGMENT)
        return fal_fail(r->err, FAL_ERR_FORM, "%s.type: %u is no extension header", where,
                        *type);
    return status;
}

static int read_fragment(struct fal_json_reader *r, json_t *object, const char *where,
                         unsigned next)
{
    struct fal_ipv6_fragment fragment = {0};
    int status;

    fragment.next_header = (uint8_t)next;
    status =
        fal_json_read_header(&fal_ipv6_fragment_layout, object, where, &fragment, NULL, r->err);
    if (status == 0)
        fal_ipv6_fragment_layout.encode(&fragment, r->storage);
    return status == 0 ? (int)fal_ipv6_fragment_layout.size_bytes : status;
}

/* Options are padded to what their length can say, unless that is given. */
static int read_options(struct fal_json_reader *r, json_t *object, const char *where,
                        unsigned next)
{
    struct fal_json_reader rest = *r;
    struct fal_span options = {0};
    struct fal_ipv6_ext ext = {.next_header = (uint8_t)next};
    char name[60];
    int status;

    (void)snprintf(name, sizeof name, "%s.options", where);
    rest.storage += fal_ipv6_ext_layout.size_bytes;
    rest.cap -= fal_ipv6_ext_layout.size_bytes;
    status = fal_json_take_bytes(&rest, object, "options", name, &options);
    (void)json_object_del(object, "options");
    if (status == 0 && json_object_get(object, "hdr_ext_len") == NULL) {
        size_t padded = options.len <= 6 ? 6 : 6 + (options.len - 6 + 7) / 8 * 8;

        if (padded > options.len + rest.cap || padded > 6 + 8 * 255)
            return fal_fail(r->err, FAL_ERR_SHORT, "%s: more bytes than it can have", name);
        memset(r->storage + 2 + options.len, 0, padded - options.len);
        options.len = padded;
        ext.hdr_ext_len = (uint8_t)((padded - 6) / 8);
    }
    if (status == 0)
        status = fal_json_read_header(&fal_ipv6_ext_layout, object, where, &ext, NULL, r->err);
    if (status == 0 && options.len + 2 != 8 * ((size_t)ext.hdr_ext_len + 1))
        return fal_fail(r->err, FAL_ERR_FORM, "%s.hdr_ext_len: %u, but options has %zu bytes",
                        where, (unsigned)ext.hdr_ext_len, options.len);
    if (status == 0)
        fal_ipv6_ext_layout.encode(&ext, r->storage);
    return status == 0 ? (int)(options.len + 2) : status;
}

/* IP protocol of the layer behind the chain; none: no next header. */
static unsigned next_after(const struct fal_json_reader *r, enum fal_layer_id id)
{
    const struct fal_frame *frame = r->frame;
    enum fal_layer_id next = FAL_LAYER_COUNT;

    for (size_t i = 0; i + 1 < frame->num_layers; i++)
        if (frame->layers[i].id == id)
            next = frame->layers[i + 1].id;
    if (next == FAL_LAYER_UDP)
        return FAL_PROTOCOL_UDP;
    if (next == FAL_LAYER_ESP)
        return FAL_PROTOCOL_ESP;
    return next == FAL_LAYER_FALCON ? FAL_PROTOCOL_FALCON : FAL_PROTOCOL_NONE;
}

static int read_one_ext(struct fal_json_reader *r, const json_t *given, const char *where,
                        unsigned type, unsigned next)
{
    json_t *object = json_copy((json_t *)given);
    int len;

    if (object == NULL)
        return fal_fail(r->err, FAL_ERR_MEM, "out of memory");
    (void)json_object_del(object, "type");
    (void)json_object_del(object, "type_text");
    if (r->cap < 8)
        len = fal_fail(r->err, FAL_ERR_SHORT, "%s: more bytes than a frame can have", where);
    else if (type == FAL_PROTOCOL_FRAGMENT)
        len = read_fragment(r, object, where, next);
    else
        len = read_options(r, object, where, next);
    json_decref(object);
    return len;
}

int fal_json_read_ipv6_ext(struct fal_json_reader *r, enum fal_layer_id id)
{
    bool inner = id == FAL_LAYER_INNER_IPV6_EXT;
    const char *name = fal_layer_name(id), *ip_name = inner ? "inner_ipv6" : "ipv6";
    const json_t *list = json_object_get(r->object, name);
    struct fal_ipv6 *ip = inner ? &r->frame->inner_ipv6 : &r->frame->ipv6;
    struct fal_span *ext = inner ? &r->frame->inner_ipv6_ext : &r->frame->ipv6_ext;
    unsigned type = 0, next = 0;
    char where[40];
    int status = 0;

    if (!json_is_array(list))
        return fal_fail(r->err, FAL_ERR_FORM, "%s: not an array of headers", name);
    *ext = (struct fal_span){r->storage, 0};
    for (size_t i = 0; status >= 0 && i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        bool last = i + 1 == json_array_size(list);

        (void)snprintf(where, sizeof where, "%s[%zu]", name, i);
        status = read_type(r, object, where, &type);
        if (status == 0 && i == 0 &&
            json_object_get(json_object_get(r->object, ip_name), "next_header") == NULL)
            ip->next_header = (uint8_t)type;
        next = next_after(r, id);
        if (status == 0 && !last) {
            (void)snprintf(where, sizeof where, "%s[%zu]", name, i + 1);
            status = read_type(r, json_array_get(list, i + 1), where, &next);
            (void)snprintf(where, sizeof where, "%s[%zu]", name, i);
        }
        if (status == 0)
            status = read_one_ext(r, object, where, type, next);
        if (status > 0) {
            r->storage += status;
            r->cap -= (size_t)status;
            ext->len += (size_t)status;
        }
    }
    return status < 0 ? status : 0;
}
