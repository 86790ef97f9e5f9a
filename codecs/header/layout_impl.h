/* SPDX-License-Identifier: Apache-2.0
 * layout_impl.h - how a list of fields (field.h) becomes its table, its straight-line decoder
 * and its encoder. For the files that hold layouts: each names its host struct HOST_h and calls
 * FAL_LAYOUT once for every header. */
#ifndef FAL_CODECS_HEADER_LAYOUT_IMPL_H
#define FAL_CODECS_HEADER_LAYOUT_IMPL_H

#include "codecs/base/field.h"

#define ROW_IN(order, H, type, name, bits, kind, initial, names, alias, requirement, doc) \
    {#name,                                                                               \
     alias,                                                                               \
     offsetof(struct fal_##H##_wire, name),                                               \
     bits,                                                                                \
     offsetof(HOST_##H, name),                                                            \
     sizeof(type),                                                                        \
     kind,                                                                                \
     initial,                                                                             \
     names,                                                                               \
     requirement,                                                                         \
     doc,                                                                                 \
     order},
#define ROW(...)         ROW_IN(false, __VA_ARGS__)
#define ROW_SWAPPED(...) ROW_IN(true, __VA_ARGS__)
#define CHECK(H, type, name, bits, ...)                             \
    _Static_assert(sizeof(((HOST_##H *)0)->name) == sizeof(type) && \
                       (bits) <= 8 * sizeof(type),                  \
                   #H "." #name " does not fit its member");
#define GET(H, type, name, bits, ...) \
    out->name = (type)fal_bits_get(wire, offsetof(struct fal_##H##_wire, name), bits);
#define GET_WIDE(H, type, name, bits, ...) \
    out->name = fal_bits_get_wide(wire, offsetof(struct fal_##H##_wire, name), bits);
#define GET_SWAPPED(H, type, name, bits, ...) \
    out->name = fal_bits_get_swapped(wire, offsetof(struct fal_##H##_wire, name), bits);
#define SET(H, type, name, bits, ...) \
    fal_bits_set(wire, offsetof(struct fal_##H##_wire, name), bits, in->name);
#define SET_WIDE(H, type, name, bits, ...) \
    fal_bits_set_wide(wire, offsetof(struct fal_##H##_wire, name), bits, in->name);
#define SET_SWAPPED(H, type, name, bits, ...) \
    fal_bits_set_swapped(wire, offsetof(struct fal_##H##_wire, name), bits, in->name);

/* fal_field_legal, for a field of the host struct that `in` points to. */
#define LEGAL(H, type, name, bits, kind, initial, names, ...)                                \
    &&((kind) == FAL_RSVD || (kind) == FAL_CONST ? (fal_u128)in->name == (uint64_t)(initial) \
       : (kind) == FAL_CODE                                                                  \
           ? fal_u128_hi(in->name) == 0 && fal_names_have(names, (uint64_t)in->name)         \
           : true)

/* Whether a field is 0 if it is reserved. */
#define ZERO(H, type, name, bits, kind, ...) &&((kind) != FAL_RSVD || in->name == 0)

/* One line a header: list, host struct (HOST_h), section, requirement for its length, size in
 * bits as the figure has it. */
#define FAL_LAYOUT(h, FIELDS, section, requirement, size_bits)                              \
    FIELDS(CHECK, CHECK, CHECK, h)                                                          \
    _Static_assert(sizeof(struct fal_##h##_wire) == (size_bits), #h " has the wrong size"); \
    static const struct fal_field h##_fields[] = {FIELDS(ROW, ROW, ROW_SWAPPED, h)};        \
    static void h##_decode(const uint8_t *wire, void *host)                                 \
    {                                                                                       \
        HOST_##h *out = host;                                                               \
        FIELDS(GET, GET_WIDE, GET_SWAPPED, h)                                               \
    }                                                                                       \
    static void h##_encode(const void *host, uint8_t *wire)                                 \
    {                                                                                       \
        const HOST_##h *in = host;                                                          \
        memset(wire, 0, (size_bits) / 8); /* whose bits the fields fill in, one by one */   \
        FIELDS(SET, SET_WIDE, SET_SWAPPED, h)                                               \
    }                                                                                       \
    static bool h##_legal(const void *host)                                                 \
    {                                                                                       \
        const HOST_##h *in = host;                                                          \
        return in != NULL FIELDS(LEGAL, LEGAL, LEGAL, h);                                   \
    }                                                                                       \
    static bool h##_reserved_zero(const void *host)                                         \
    {                                                                                       \
        const HOST_##h *in = host;                                                          \
        return in != NULL FIELDS(ZERO, ZERO, ZERO, h);                                      \
    }                                                                                       \
    const struct fal_layout fal_##h##_layout = {#h,                                         \
                                                section,                                    \
                                                requirement,                                \
                                                (size_bits) / 8,                            \
                                                sizeof h##_fields / sizeof *h##_fields,     \
                                                h##_fields,                                 \
                                                h##_decode,                                 \
                                                h##_encode,                                 \
                                                h##_legal,                                  \
                                                h##_reserved_zero}

#endif
