/* SPDX-License-Identifier: Apache-2.0
 * field.h - a header is declared once, as a list of fields (headers.h). From that list come the
 * host struct, the straight-line decoder and encoder, and the table described here, which
 * names, prints, parses, lints, mutates and documents the header.
 *
 * A list is a macro of rows, in wire order; its arguments are the row macros:
 *   F(H, type, name, bits, kind, initial, names, alias, requirement, doc)   1..64 bits
 *   W(H, type, name, bits, kind, initial, names, alias, requirement, doc)   65..128 bits
 *   S(H, type, name, bits, kind, initial, names, alias, requirement, doc)   two segments of
 *                                           bits / 2, the less significant one first
 * `type` is the host member's; `initial` what a packet has when nobody says otherwise; `names`
 * a table of code points or NULL; `alias` the short name of the one-line notation or NULL;
 * `requirement` the catalogue's id for the field or NULL. Offsets are computed, never typed. */
#ifndef FAL_CODECS_BASE_FIELD_H
#define FAL_CODECS_BASE_FIELD_H

#include "codecs/base/bits.h"
#include "codecs/base/error.h"

#include <stddef.h>

enum fal_kind {
    FAL_UINT,   /* a number */
    FAL_CONST,  /* a number whose one legal value is `initial` */
    FAL_RSVD,   /* reserved: sent as 0 */
    FAL_CODE,   /* a code point; those not in `names` are reserved */
    FAL_FLAG,   /* one bit */
    FAL_PSN,    /* a sequence number mod 2^32 of the request or data window */
    FAL_RSN,    /* a request sequence number mod 2^32 */
    FAL_BITMAP, /* bit n stands for base + n */
    FAL_LENGTH, /* a length that an encoder fills in when it is not given */
    FAL_CHECK,  /* a checksum that an encoder fills in when it is not given */
    FAL_MAC,    /* 48 bits */
    FAL_IPV4,   /* 32 bits */
    FAL_IPV6,   /* 128 bits */
};

struct fal_name {
    uint64_t value;
    const char *name;
};

struct fal_names {
    size_t count;
    const struct fal_name *entries;
};

struct fal_field {
    const char *name;  /* canonical: JSON key, scenario word, report word */
    const char *alias; /* short name of the notation, or NULL */
    uint16_t offset_bits;
    uint16_t width_bits;    /* 1..128 */
    uint16_t member_offset; /* bytes, in the host struct */
    uint8_t member_size;    /* 1, 2, 4, 8, or 16 for fal_u128 */
    enum fal_kind kind;
    uint64_t initial;
    const struct fal_names *names; /* or NULL */
    const char *requirement;       /* or NULL */
    const char *doc;
    bool low_first; /* two segments, the less significant half first */
};

/* Where a part of a field's value stands. */
struct fal_segment {
    uint16_t offset_bits, width_bits;
};

enum { FAL_SEGMENTS_MAX = 2 };

/* The segments of a field, the most significant first; returns how many. */
size_t fal_field_segments(const struct fal_field *field,
                          struct fal_segment out[FAL_SEGMENTS_MAX]);

struct fal_layout {
    const char *name;        /* "back"; the JSON name of the layer for non-Falcon headers */
    const char *section;     /* where the layout is defined: "FTP 7.7.1", "RFC 768" */
    const char *requirement; /* the catalogue's id for its length, or NULL */
    size_t size_bytes;
    size_t num_fields;
    const struct fal_field *fields;                  /* in wire order */
    void (*decode)(const uint8_t *wire, void *host); /* size_bytes are there */
    void (*encode)(const void *host, uint8_t *wire); /* size_bytes fit; excess bits are cut */
    bool (*legal)(const void *host); /* whether fal_field_legal is true for every field */
    bool (*reserved_zero)(const void *host); /* whether every reserved field is 0 */
};

/* Reads the header at `wire` into the host struct. Reserved bits are kept, so that encoding
 * gives back the same bytes. Returns the bytes consumed or FAL_ERR_SHORT; the host is then
 * untouched. */
MUST_USE int fal_layout_decode(const struct fal_layout *layout, const uint8_t *wire, size_t len,
                               void *host);

/* Writes the host struct. Returns the bytes written, FAL_ERR_SHORT, or FAL_ERR_RANGE with the
 * offending field in `*bad` (may be NULL); nothing is then written. */
MUST_USE int fal_layout_encode(const struct fal_layout *layout, const void *host, uint8_t *wire,
                               size_t cap, const struct fal_field **bad);

/* Sets every field of the host struct to its initial value. */
void fal_layout_init(const struct fal_layout *layout, void *host);

/* The field of that canonical name or alias, or NULL. */
const struct fal_field *fal_layout_find(const struct fal_layout *layout, const char *name);

/* A field's value in a host struct. fal_field_set returns 0, or FAL_ERR_RANGE and sets nothing.
 */
fal_u128 fal_field_get(const struct fal_field *field, const void *host);
MUST_USE int fal_field_set(const struct fal_field *field, void *host, fal_u128 value);

/* Whether the value is one that the table allows (constant, reserved, known code point). */
bool fal_field_legal(const struct fal_field *field, fal_u128 value);

/* Whether the value is one of the code points. */
static inline bool fal_names_have(const struct fal_names *names, uint64_t value)
{
    for (size_t i = 0; names != NULL && i < names->count; i++)
        if (names->entries[i].value == value)
            return true;
    return false;
}

/* Code point to name, or NULL; name to code point, or false. */
const char *fal_name_of(const struct fal_names *names, uint64_t value);
bool fal_name_find(const struct fal_names *names, const char *name, uint64_t *value);

#endif
