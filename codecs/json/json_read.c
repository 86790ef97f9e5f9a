/* SPDX-License-Identifier: Apache-2.0
 * json_read.c - a frame from JSON: a line of decode's, or one written by hand that says only
 * what it is about. */
#include "codecs/json/json_impl.h"
#include "codecs/text/text_impl.h"

#include <inttypes.h>

/* jansson's iteration takes no const; it changes nothing. */
static json_t *loose(const json_t *json)
{
    return (json_t *)json;
}

/* ---- bytes and numbers ---- */

static int read_count(struct fal_json_reader *r, const char *key, uint64_t max, uint64_t *out)
{
    const json_t *json = json_object_get(r->object, key);
    json_int_t value = json_integer_value(json);

    if (json == NULL)
        return 0;
    if (!json_is_integer(json) || value < 0 || (uint64_t)value > max)
        return fal_fail(r->err, FAL_ERR_FORM, "%s: not a number from 0 to %" PRIu64, key, max);
    *out = (uint64_t)value;
    return 0;
}

/* ---- which layers ---- */

static int check_keys(const struct fal_json_reader *r)
{
    static const char *const others[] = {"frame",  "ts_ns",   "caplen",      "len",
                                         "layers", "payload", "payload_len", "trailer",
                                         "issues", "rdma",    "nvme"};
    const char *key;
    json_t *json;

    json_object_foreach(loose(r->object), key, json)
    {
        bool known = false;

        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known |= strcmp(key, others[i]) == 0;
        for (int id = 0; id < FAL_LAYER_COUNT; id++)
            known |= strcmp(key, fal_layer_name((enum fal_layer_id)id)) == 0;
        if (!known)
            return fal_fail(r->err, FAL_ERR_FORM, "%s: a packet has no such member",
                            fal_quote(key, strlen(key)).text);
    }
    return 0;
}

/* Replaces the layers of the encapsulation by those that "layers" names. */
static int name_layers(struct fal_json_reader *r, const json_t *names)
{
    struct fal_frame *frame = r->frame;
    size_t i;
    json_t *name;

    if (!json_is_array(names) || json_array_size(names) == 0)
        return fal_fail(r->err, FAL_ERR_FORM, "layers: not an array of names");
    frame->num_layers = 0;
    json_array_foreach(loose(names), i, name)
    {
        const char *text = json_string_value(name);
        int id = FAL_LAYER_COUNT;

        if (text != NULL && (strcmp(text, "rdma") == 0 || strcmp(text, "nvme") == 0)) {
            if (!fal_frame_has(frame, FAL_LAYER_FALCON))
                return fal_fail(r->err, FAL_ERR_FORM, "layers: '%s' stands in no falcon layer",
                                text);
            if (json_object_get(r->object, text) == NULL)
                return fal_fail(r->err, FAL_ERR_FORM, "%s: the layer is missing", text);
            continue;
        }
        for (int k = 0; text != NULL && k < FAL_LAYER_COUNT; k++)
            if (strcmp(text, fal_layer_name((enum fal_layer_id)k)) == 0)
                id = k;
        if (id == FAL_LAYER_COUNT)
            return fal_fail(r->err, FAL_ERR_FORM, "layers: '%s' is no layer",
                            text != NULL ? fal_quote(text, strlen(text)).text
                                         : "(not a string)");
        if (fal_frame_has(frame, (enum fal_layer_id)id))
            return fal_fail(r->err, FAL_ERR_FORM, "layers: '%s' stands twice", text);
        if (frame->num_layers == FAL_LAYERS_MAX)
            return fal_fail(r->err, FAL_ERR_FORM, "layers: more than a frame can have");
        frame->layers[frame->num_layers++].id = (enum fal_layer_id)id;
    }
    return 0;
}

static int read_layers(struct fal_json_reader *r, enum fal_encap encap)
{
    const json_t *names = json_object_get(r->object, "layers");
    struct fal_frame *frame = r->frame;
    int status;

    if (names != NULL)
        fal_json_prepare(r);
    status = names != NULL ? name_layers(r, names) : fal_json_guess_layers(r, encap);
    if (status != 0)
        return status;
    for (int id = 0; id < FAL_LAYER_COUNT; id++)
        if (fal_json_layer(r, (enum fal_layer_id)id) != NULL &&
            !fal_frame_has(frame, (enum fal_layer_id)id))
            return fal_fail(r->err, FAL_ERR_FORM, "%s: is not among the packet's layers",
                            fal_layer_name((enum fal_layer_id)id));
    if (names != NULL)
        fal_frame_chain(frame);
    switch (frame->layers[0].id) {
    case FAL_LAYER_IPV4:
    case FAL_LAYER_IPV6: frame->linktype = FAL_LINKTYPE_RAW; break;
    case FAL_LAYER_FALCON: frame->linktype = FAL_LINKTYPE_USER0; break;
    case FAL_LAYER_RAW: /* the line does not say; the caller may know better */
        frame->linktype = encap == FAL_ENCAP_BARE ? FAL_LINKTYPE_USER0 : FAL_LINKTYPE_ETHERNET;
        break;
    case FAL_LAYER_SLL: frame->linktype = FAL_LINKTYPE_SLL; break;
    case FAL_LAYER_SLL2: frame->linktype = FAL_LINKTYPE_SLL2; break;
    case FAL_LAYER_ETH:
    case FAL_LAYER_VLAN:
    case FAL_LAYER_INNER_VLAN:
    case FAL_LAYER_IPV6_EXT:
    case FAL_LAYER_UDP:
    case FAL_LAYER_PSP:
    case FAL_LAYER_ESP:
    case FAL_LAYER_INNER_IPV4:
    case FAL_LAYER_INNER_IPV6:
    case FAL_LAYER_INNER_IPV6_EXT:
    case FAL_LAYER_ROCE:
    case FAL_LAYER_COUNT: frame->linktype = FAL_LINKTYPE_ETHERNET; break;
    }
    return 0;
}

/* ---- their headers ---- */

/* The packet type decides the layout, so it is read before the other fields. */
static int read_packet_type(struct fal_json_reader *r, const json_t *object)
{
    const struct fal_field *field = fal_layout_find(&fal_back_layout, "packet_type");
    const json_t *json = json_object_get(object, field->name);
    fal_u128 type;
    int status;

    if (json == NULL)
        return fal_fail(r->err, FAL_ERR_FORM, "falcon.packet_type: is missing");
    status = fal_json_read_value(field, json, "falcon", &type, r->err);
    if (status != 0)
        return status;
    if (fal_falcon_layout((unsigned)type) == NULL)
        return fal_fail(r->err, FAL_ERR_FORM,
                        "falcon.packet_type: %" PRIu64
                        " is reserved; give such a packet's bytes as \"raw\"",
                        fal_u128_lo(type));
    fal_falcon_init(&r->frame->falcon, (enum fal_packet_type)type);
    return 0;
}

static int read_layer(struct fal_json_reader *r, enum fal_layer_id id)
{
    const char *name = fal_layer_name(id);
    const json_t *given = fal_json_layer(r, id);
    const struct fal_layout *layout;
    json_t *object;
    void *host;
    int status = 0;

    if (id == FAL_LAYER_RAW)
        return fal_json_take_bytes(r, r->object, name, name, &r->frame->raw);
    if (given == NULL && id == FAL_LAYER_FALCON)
        return fal_fail(r->err, FAL_ERR_FORM, "falcon: the packet is missing");
    if (given == NULL)
        return 0;
    if (id == FAL_LAYER_IPV6_EXT || id == FAL_LAYER_INNER_IPV6_EXT)
        return fal_json_read_ipv6_ext(r, id);
    if (!json_is_object(given))
        return fal_fail(r->err, FAL_ERR_FORM, "%s: not an object of fields", name);
    object = json_copy(loose(given));
    if (object == NULL)
        return fal_fail(r->err, FAL_ERR_MEM, "out of memory");
    status = fal_json_read_extra(r, id, object);
    if (status == 0 && id == FAL_LAYER_FALCON)
        status = read_packet_type(r, object);
    if (status == 0) {
        host = fal_frame_host(r->frame, id, &layout);
        status = fal_json_read_header(layout, object, name, host, r->keep, r->err);
    }
    json_decref(object);
    return status;
}

/* A falcon layer says itself that it was read without proof; a raw one is bytes and cannot. It
 * was, behind GMAC, unless the capture ended before the cookie did; and behind ESP without a
 * key that shows more than a sealed packet: the null algorithm. */
static void mark_raw(struct fal_json_reader *r)
{
    struct fal_frame *frame = r->frame;
    bool cookie = json_object_get(fal_json_layer(r, FAL_LAYER_PSP), "vc") != NULL;

    if (!fal_frame_has(frame, FAL_LAYER_RAW))
        return;
    if (fal_frame_has(frame, FAL_LAYER_PSP) && !fal_psp_encrypts(frame->psp.version) &&
        (!frame->psp.v || cookie))
        frame->unauthenticated =
            frame->psp_state == FAL_PSP_NO_KEY || frame->psp_state == FAL_PSP_TRUNCATED;
    if (fal_frame_has(frame, FAL_LAYER_ESP))
        frame->unauthenticated = frame->esp_state == FAL_PSP_NO_KEY;
}

/* Fills in the members of the PSP header that were not given, now that the next layers are
 * known. */
static void finish_psp(struct fal_json_reader *r)
{
    unsigned offset = fal_frame_crypt_offset(r->frame);

    if (offset != 0 &&
        json_object_get(fal_json_layer(r, FAL_LAYER_PSP), "crypt_offset") == NULL)
        r->frame->psp.crypt_offset = (uint8_t)offset;
}

/* ---- the rest ---- */

/* Whether "layers", where the line has it, names what the line gives. */
static bool names_ulp(const struct fal_json_reader *r, const char *ulp)
{
    const json_t *names = json_object_get(r->object, "layers");
    size_t i;
    json_t *name;

    if (names == NULL || json_object_get(r->object, ulp) == NULL)
        return true;
    json_array_foreach(loose(names), i, name)
    {
        if (json_is_string(name) && strcmp(json_string_value(name), ulp) == 0)
            return true;
    }
    return false;
}

/* The headers of RDMA or NVMe, which are the first bytes of the payload. */
static int read_ulp(struct fal_json_reader *r, uint64_t payload_len, struct fal_span *out)
{
    const char *hex = json_string_value(json_object_get(r->object, "payload"));
    int n;

    *out = (struct fal_span){r->storage, 0};
    for (unsigned p = FAL_PROTOCOL_RDMA; p <= FAL_PROTOCOL_NVME; p++)
        if (!names_ulp(r, fal_ulp_name(p)))
            return fal_fail(r->err, FAL_ERR_FORM, "%s: is not among the packet's layers",
                            fal_ulp_name(p));
    n = fal_json_read_ulp(r->object, hex != NULL ? strlen(hex) / 2 : (size_t)payload_len,
                          &r->frame->falcon, r->storage, r->cap, r->err);
    if (n < 0)
        return n;
    out->len = (size_t)n;
    r->storage += n;
    r->cap -= (size_t)n;
    return 0;
}

static int read_payload(struct fal_json_reader *r)
{
    struct fal_frame *frame = r->frame;
    struct fal_span ulp = {0};
    uint64_t len = 0;
    int status = read_count(r, "payload_len", UINT32_MAX, &len);

    if (status == 0)
        status = read_ulp(r, len, &ulp);
    if (status == 0)
        status = fal_json_take_bytes(r, r->object, "payload", "payload", &frame->payload);
    if (status != 0)
        return status;
    if (json_object_get(r->object, "payload_len") != NULL &&
        json_object_get(r->object, "payload") != NULL && len != frame->payload.len)
        return fal_fail(r->err, FAL_ERR_FORM,
                        "payload_len: %" PRIu64 ", but payload has %zu bytes", len,
                        frame->payload.len);
    if (len > frame->payload.len) { /* its bytes do not matter: zeros */
        if (len > r->cap)
            return fal_fail(r->err, FAL_ERR_SHORT,
                            "payload_len: more bytes than a frame can have");
        memset(r->storage, 0, (size_t)len);
        frame->payload = (struct fal_span){r->storage, (size_t)len};
        r->storage += len;
        r->cap -= (size_t)len;
    }
    if (ulp.len > 0) /* read one after the other, so they are one */
        frame->payload = (struct fal_span){ulp.bytes, ulp.len + frame->payload.len};
    if (fal_frame_has(frame, FAL_LAYER_FALCON))
        fal_ulp_decode(&frame->falcon, frame->payload.bytes, frame->payload.len, &frame->ulp);
    return fal_json_take_bytes(r, r->object, "trailer", "trailer", &frame->trailer);
}

static int read_capture(struct fal_json_reader *r)
{
    struct fal_frame *frame = r->frame;
    uint64_t caplen = 0, len = 0;
    int status = read_count(r, "frame", INT64_MAX, &frame->number);

    if (status == 0)
        status = read_count(r, "ts_ns", INT64_MAX, &frame->ts_ns);
    if (status == 0)
        status = read_count(r, "caplen", UINT32_MAX, &caplen);
    if (status == 0)
        status = read_count(r, "len", UINT32_MAX, &len);
    frame->caplen = (uint32_t)caplen;
    frame->len = (uint32_t)(len > caplen ? len : caplen);
    frame->truncated = frame->caplen < frame->len;
    return status;
}

int fal_json_read_frame(const json_t *object, enum fal_encap encap, struct fal_frame *frame,
                        struct fal_json_storage storage, unsigned *keep, struct fal_error *err)
{
    struct fal_json_reader r = {object, frame, storage.bytes, storage.cap, keep, err};
    int status;

    memset(frame, 0, sizeof *frame);
    *keep = 0;
    if (!json_is_object(object))
        return fal_fail(err, FAL_ERR_FORM, "a packet is a JSON object");
    status = check_keys(&r);
    if (status == 0)
        status = read_layers(&r, encap);
    for (size_t i = 0; status == 0 && i < frame->num_layers; i++)
        status = read_layer(&r, frame->layers[i].id);
    if (status == 0) {
        mark_raw(&r);
        finish_psp(&r);
    }
    if (status == 0)
        status = read_payload(&r);
    if (status == 0)
        status = read_capture(&r);
    return status != 0 ? status : fal_json_complete(object, frame, keep, err);
}
