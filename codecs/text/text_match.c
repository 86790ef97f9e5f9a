/* SPDX-License-Identifier: Apache-2.0
 * text_match.c - patterns against packets: written into one that is to be sent, held against
 * one that was seen. */
#include "codecs/text/text_impl.h"

/* ---- sending ---- */

int fal_pattern_apply(const struct fal_pattern *pattern, const struct fal_relative *rel,
                      const struct fal_vars *vars, struct fal_falcon *packet,
                      struct fal_error *err)
{
    struct fal_falcon made = *packet;
    struct fal_scope s = fal_scope_of(pattern, rel, vars, &made, err);

    if (pattern->hex_len > 0)
        return fal_fail(err, FAL_ERR_FORM, "hex: bytes are sent as they are");
    if (pattern->layout == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "'packet' can be expected only: to send it takes a type");
    if (fal_falcon_layout(packet->packet_type) != pattern->layout)
        return fal_fail(err, FAL_ERR_FORM, "a %s cannot be made from a packet of type %u",
                        pattern->layout->name, (unsigned)packet->packet_type);
    /* Sequence numbers last: which window they count in, other fields say (of, w). */
    for (int sequences = 0; sequences < 2; sequences++) {
        for (size_t i = 0; i < pattern->num_items; i++) {
            const struct fal_item *item = &pattern->items[i];
            int status;

            if (fal_field_is_sequence(item->field) != (sequences == 1))
                continue;
            status = fal_scope_apply(&s, item, &made);
            if (status != 0)
                return status;
        }
    }
    *packet = made;
    return 0;
}

int fal_pattern_payload_now(const struct fal_pattern *pattern, const struct fal_vars *vars,
                            long long *payload_len, struct fal_error *err)
{
    fal_u128 value = 0;

    *payload_len = pattern->payload_len;
    if (pattern->payload_var[0] == 0)
        return 0;
    if (vars == NULL || vars->get == NULL ||
        !vars->get(vars->ctx, pattern->payload_var, &value))
        return fal_fail(err, FAL_ERR_FORM, "payload_len: there is no variable $%s",
                        pattern->payload_var);
    if (value > UINT16_MAX)
        return fal_fail(err, FAL_ERR_RANGE, "payload_len: $%s is at most %d",
                        pattern->payload_var, UINT16_MAX);
    *payload_len = (long long)value;
    return 0;
}

long long fal_pattern_payload_len(const struct fal_pattern *pattern,
                                  const struct fal_falcon *packet)
{
    if (pattern->payload_len >= 0 || packet->packet_type != FAL_PUSH_DATA)
        return pattern->payload_len;
    for (size_t i = 0; i < pattern->num_items; i++)
        if (pattern->items[i].field->kind == FAL_LENGTH)
            return packet->request_length;
    return -1;
}

/* ---- expecting ---- */

/* The item's field in the packet that was seen, or NULL when its type has none. */
static const struct fal_field *field_seen(const struct fal_scope *s,
                                          const struct fal_item *item)
{
    const struct fal_layout *layout = fal_falcon_layout(s->packet->packet_type);

    if (s->pattern->layout != NULL)
        return item->field;
    if (layout != NULL && item->field >= layout->fields &&
        item->field < layout->fields + layout->num_fields)
        return item->field;
    if (layout != NULL)
        return fal_layout_find(layout, item->field->name);
    /* Of a reserved type only the first two words are known. */
    switch (item->field->member_offset) {
    case offsetof(struct fal_falcon, version):
    case offsetof(struct fal_falcon, dest_cid):
    case offsetof(struct fal_falcon, packet_type): return item->field;
    default: return NULL;
    }
}

static int item_matches(const struct fal_scope *s, const struct fal_item *item)
{
    const char *name = item->field->name;
    const struct fal_field *field = field_seen(s, item);
    const char *type = fal_falcon_type_name(s->packet->packet_type);

    if (field == NULL && item->match == FAL_MATCH_NE)
        return 1; /* what is not there is not that value */
    if (field == NULL) {
        (void)fal_fail(s->err, 0, "%s: due, but a %s has none", name,
                       type != NULL ? type : "packet of a reserved type");
        return 0;
    }
    return fal_scope_holds(s, item, field, s->packet);
}

static int type_matches(const struct fal_pattern *pattern, const struct fal_falcon *packet,
                        struct fal_error *why)
{
    const char *seen = fal_falcon_type_name(packet->packet_type);

    if (pattern->any_type || fal_falcon_layout(packet->packet_type) == pattern->layout)
        return 1;
    if (seen != NULL)
        return fal_fail(why, 0, "packet_type: due %s, seen %s", pattern->layout->name, seen);
    return fal_fail(why, 0, "packet_type: due %s, seen %u", pattern->layout->name,
                    (unsigned)packet->packet_type);
}

static void take_captures(const struct fal_scope *s, const struct fal_capture *capture)
{
    for (size_t i = 0; i < s->pattern->num_items; i++) {
        const struct fal_item *item = &s->pattern->items[i];
        const struct fal_field *field = field_seen(s, item);

        if (field != NULL)
            fal_scope_capture(s, item, field, s->packet, capture);
    }
}

int fal_pattern_match(const struct fal_pattern *pattern, const struct fal_relative *rel,
                      const struct fal_vars *vars, const struct fal_seen_packet *seen,
                      const struct fal_capture *capture, struct fal_error *why)
{
    struct fal_scope s = fal_scope_of(pattern, rel, vars, seen->packet, why);
    long long due;
    int status;

    if (why != NULL)
        why->text[0] = 0;
    if (pattern->hex_len > 0)
        return fal_fail(why, FAL_ERR_FORM, "hex: bytes can only be sent, not expected");
    if (type_matches(pattern, seen->packet, why) == 0)
        return 0;
    for (size_t i = 0; i < pattern->num_items; i++) {
        status = item_matches(&s, &pattern->items[i]);
        if (status != 1)
            return status;
    }
    if (fal_pattern_payload_now(pattern, vars, &due, why) != 0)
        return FAL_ERR_FORM;
    if (due >= 0 && (unsigned long long)due != seen->payload_len)
        return fal_fail(why, 0, "payload_len: due %lld, seen %zu", due, seen->payload_len);
    status = fal_ulp_part_match(&s, seen, capture);
    if (status == 1 && capture != NULL)
        take_captures(&s, capture);
    return status;
}

const struct fal_field *fal_pattern_differs(const struct fal_pattern *pattern,
                                            const struct fal_relative *rel,
                                            const struct fal_vars *vars,
                                            const struct fal_falcon *packet)
{
    struct fal_scope s = fal_scope_of(pattern, rel, vars, packet, NULL);

    for (size_t i = 0; i < pattern->num_items; i++)
        if (item_matches(&s, &pattern->items[i]) != 1)
            return pattern->items[i].field;
    return NULL;
}

bool fal_pattern_value(const struct fal_pattern *pattern, const struct fal_relative *rel,
                       const struct fal_vars *vars, const struct fal_falcon *packet,
                       const char *name, fal_u128 *value)
{
    struct fal_scope s = fal_scope_of(pattern, rel, vars, packet, NULL);

    for (size_t i = 0; i < pattern->num_items; i++) {
        const struct fal_item *item = &pattern->items[i];

        if (item->match != FAL_MATCH_NE && strcmp(item->field->name, name) == 0)
            return fal_scope_value(&s, item->field, &pattern->terms[item->term], value) == 0;
    }
    return false;
}
