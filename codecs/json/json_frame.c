/* SPDX-License-Identifier: Apache-2.0
 * json_frame.c - a decoded frame as one JSON object: what it was captured as, its layers, what
 * no layer took, and what is wrong with it. */
#include "codecs/base/hex.h"
#include "codecs/json/json_impl.h"

#include <stdlib.h>

json_t *fal_json_bytes(struct fal_span span)
{
    char *text = malloc(2 * span.len + 1);
    json_t *json;

    if (text == NULL)
        return NULL;
    fal_hex_write(span.bytes, span.len, text);
    json = json_stringn_nocheck(text, 2 * span.len);
    free(text);
    return json;
}

void fal_json_set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

/* ---- issues ---- */

/* A value of an issue's field in that field's form; of no known field, a number where it fits.
 */
static json_t *issue_value(const struct fal_frame *frame, const struct fal_issue *issue,
                           fal_u128 value)
{
    static const struct fal_field plain = {.kind = FAL_UINT, .width_bits = 32};
    static const struct fal_field wide = {.kind = FAL_UINT, .width_bits = 128};
    struct fal_frame *f = (struct fal_frame *)frame;
    const struct fal_field *field = NULL;
    const struct fal_layout *layout;

    if (!issue->has_values)
        return json_null();
    for (int id = 0; issue->field != NULL && id < FAL_LAYER_COUNT; id++)
        if (strcmp(issue->layer, fal_layer_name((enum fal_layer_id)id)) == 0 &&
            fal_frame_host(f, (enum fal_layer_id)id, &layout) != NULL)
            field = fal_layout_find(layout, issue->field);
    if (field == NULL && issue->field != NULL &&
        strcmp(issue->layer, fal_ulp_name(frame->ulp.protocol)) == 0)
        field = fal_json_ulp_field(&frame->ulp, issue->field);
    if (field == NULL)
        field = fal_u128_shr(value, 53) == 0 ? &plain : &wide;
    return fal_json_value(field, value);
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *issue_json(const struct fal_frame *frame, const struct fal_issue *issue)
{
    json_t *object = json_object();
    bool failed = object == NULL;

    fal_json_set(object, "severity", json_string(fal_severity_name(issue->severity)), &failed);
    fal_json_set(object, "code", json_string(issue->code), &failed);
    fal_json_set(object, "layer", json_string(issue->layer), &failed);
    fal_json_set(object, "field", text_or_null(issue->field), &failed);
    fal_json_set(object, "offset", json_integer(issue->offset), &failed);
    fal_json_set(object, "seen", issue_value(frame, issue, issue->seen), &failed);
    fal_json_set(object, "due", issue_value(frame, issue, issue->due), &failed);
    fal_json_set(object, "requirement", text_or_null(issue->requirement), &failed);
    fal_json_set(object, "message", text_or_null(issue->message), &failed);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *issues_json(const struct fal_frame *frame)
{
    const struct fal_issues *issues = &frame->issues;
    const struct fal_issue more = {.severity = FAL_NOTE,
                                   .code = "issues-dropped",
                                   .layer = "frame",
                                   .seen = issues->dropped,
                                   .has_values = true,
                                   .message = "so many more were found than are listed"};
    json_t *list = json_array();
    bool failed = list == NULL;

    for (size_t i = 0; !failed && i < issues->count; i++)
        failed = json_array_append_new(list, issue_json(frame, &issues->list[i])) != 0;
    if (!failed && issues->dropped > 0)
        failed = json_array_append_new(list, issue_json(frame, &more)) != 0;
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

/* ---- layers ---- */

static json_t *layer_json(const struct fal_frame *frame, enum fal_layer_id id)
{
    const struct fal_layout *layout;
    const void *host = fal_frame_host((struct fal_frame *)frame, id, &layout);
    json_t *object;
    bool failed = false;

    if (id == FAL_LAYER_IPV6_EXT || id == FAL_LAYER_INNER_IPV6_EXT)
        return fal_json_ipv6_ext(frame, id);
    if (host == NULL)
        return fal_json_bytes(frame->raw);
    object = fal_json_header(layout, host);
    fal_json_add_extra(frame, id, object, &failed);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *layers_json(const struct fal_frame *frame)
{
    json_t *names = json_array();

    for (size_t i = 0; i < frame->num_layers; i++) {
        if (json_array_append_new(names, json_string(fal_layer_name(frame->layers[i].id))) !=
            0) {
            json_decref(names);
            return NULL;
        }
    }
    if (frame->ulp.state == FAL_ULP_READ &&
        json_array_append_new(names, json_string(fal_ulp_name(frame->ulp.protocol))) != 0) {
        json_decref(names);
        return NULL;
    }
    return names;
}

json_t *fal_json_frame(const struct fal_frame *frame)
{
    json_t *object = json_object();
    struct fal_span payload = frame->payload; /* the bytes that belong to no layer */
    bool failed = object == NULL;

    fal_json_set(object, "frame", json_integer((json_int_t)frame->number), &failed);
    fal_json_set(object, "ts_ns", json_integer((json_int_t)frame->ts_ns), &failed);
    fal_json_set(object, "caplen", json_integer(frame->caplen), &failed);
    fal_json_set(object, "len", json_integer(frame->len), &failed);
    fal_json_set(object, "layers", layers_json(frame), &failed);
    for (size_t i = 0; i < frame->num_layers; i++) {
        enum fal_layer_id id = frame->layers[i].id;

        fal_json_set(object, fal_layer_name(id), layer_json(frame, id), &failed);
    }
    if (frame->ulp.state == FAL_ULP_READ) {
        fal_json_set(object, fal_ulp_name(frame->ulp.protocol), fal_json_ulp(&frame->ulp),
                     &failed);
        payload.bytes += frame->ulp.size_bytes;
        payload.len -= frame->ulp.size_bytes;
    }
    fal_json_set(object, "payload", fal_json_bytes(payload), &failed);
    fal_json_set(object, "payload_len", json_integer((json_int_t)payload.len), &failed);
    fal_json_set(object, "trailer", fal_json_bytes(frame->trailer), &failed);
    fal_json_set(object, "issues", issues_json(frame), &failed);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}
