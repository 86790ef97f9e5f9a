/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/base/field.h"

#include "codecs/base/error.h"
int fal_layout_decode(const struct fal_layout *layout, const uint8_t *wire, size_t len,
                      void *host)
{
    if (len < layout->size_bytes)
        return FAL_ERR_SHORT;
    layout->decode(wire, host);
    return (int)layout->size_bytes;
}

int fal_layout_encode(const struct fal_layout *layout, const void *host, uint8_t *wire,
                      size_t cap, const struct fal_field **bad)
{
    if (cap < layout->size_bytes)
        return FAL_ERR_SHORT;
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        fal_u128 excess = fal_u128_shr(fal_field_get(f, host), f->width_bits);

        if (excess != 0) {
            if (bad != NULL)
                *bad = f;
            return FAL_ERR_RANGE;
        }
    }
    layout->encode(host, wire);
    return (int)layout->size_bytes;
}

void fal_layout_init(const struct fal_layout *layout, void *host)
{
    for (size_t i = 0; i < layout->num_fields; i++)
        /* An initial value fits its field. */
        FAL_IGNORE(fal_field_set(&layout->fields[i], host, layout->fields[i].initial));
}

const struct fal_field *fal_layout_find(const struct fal_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];

        /* Most names differ in their first character. */
        if ((f->name[0] == name[0] && strcmp(f->name, name) == 0) ||
            (f->alias != NULL && strcmp(f->alias, name) == 0))
            return f;
    }
    return NULL;
}

size_t fal_field_segments(const struct fal_field *field,
                          struct fal_segment out[FAL_SEGMENTS_MAX])
{
    uint16_t half = field->width_bits / 2;

    if (!field->low_first) {
        out[0] = (struct fal_segment){field->offset_bits, field->width_bits};
        return 1;
    }
    out[0] = (struct fal_segment){(uint16_t)(field->offset_bits + half),
                                  (uint16_t)(field->width_bits - half)};
    out[1] = (struct fal_segment){field->offset_bits, half};
    return 2;
}

fal_u128 fal_field_get(const struct fal_field *field, const void *host)
{
    const uint8_t *at = (const uint8_t *)host + field->member_offset;
    fal_u128 wide;
    uint64_t v64;
    uint32_t v32;
    uint16_t v16;

    switch (field->member_size) {
    case 1: return *at;
    case 2: memcpy(&v16, at, sizeof v16); return v16;
    case 4: memcpy(&v32, at, sizeof v32); return v32;
    case 8: memcpy(&v64, at, sizeof v64); return v64;
    default: memcpy(&wide, at, sizeof wide); return wide;
    }
}

int fal_field_set(const struct fal_field *field, void *host, fal_u128 value)
{
    uint8_t *at = (uint8_t *)host + field->member_offset;
    uint64_t v64 = (uint64_t)value;
    uint32_t v32 = (uint32_t)value;
    uint16_t v16 = (uint16_t)value;

    if (fal_u128_shr(value, field->width_bits) != 0)
        return FAL_ERR_RANGE;
    switch (field->member_size) {
    case 1: *at = (uint8_t)value; break;
    case 2: memcpy(at, &v16, sizeof v16); break;
    case 4: memcpy(at, &v32, sizeof v32); break;
    case 8: memcpy(at, &v64, sizeof v64); break;
    default: memcpy(at, &value, sizeof value); break;
    }
    return 0;
}

bool fal_field_legal(const struct fal_field *field, fal_u128 value)
{
    switch (field->kind) {
    case FAL_CONST:
    case FAL_RSVD: return value == field->initial;
    case FAL_CODE:
        return fal_u128_hi(value) == 0 && fal_name_of(field->names, fal_u128_lo(value)) != NULL;
    case FAL_UINT:
    case FAL_FLAG:
    case FAL_PSN:
    case FAL_RSN:
    case FAL_BITMAP:
    case FAL_LENGTH:
    case FAL_CHECK:
    case FAL_MAC:
    case FAL_IPV4:
    case FAL_IPV6: return true;
    }
    return true;
}

const char *fal_name_of(const struct fal_names *names, uint64_t value)
{
    for (size_t i = 0; names != NULL && i < names->count; i++)
        if (names->entries[i].value == value)
            return names->entries[i].name;
    return NULL;
}

bool fal_name_find(const struct fal_names *names, const char *name, uint64_t *value)
{
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        if (strcmp(names->entries[i].name, name) == 0) {
            *value = names->entries[i].value;
            return true;
        }
    }
    return false;
}
