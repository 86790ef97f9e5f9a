/* SPDX-License-Identifier: Apache-2.0
 * fuzz_headers.c - every header's codec. The first byte chooses the header, the rest is its
 * bytes, followed by the value to which a field is set. The optimised decoder must agree with a
 * loop over bits, the encoder must reverse it, the field table must agree with both; truncated
 * headers are not read. */
#include "codecs/header/bitloop_test.h"
#include "codecs/header/ccqueue.h"
#include "fuzz/targets/reader.h"
#include "fuzz/targets/targets.h"

#include <stdlib.h>
#include <string.h>

union host {
    union test_host any;
    struct fal_cc_event event;
    struct fal_cc_result result;
    uint8_t bytes[2 * sizeof(union test_host)];
};

static const struct fal_layout *choose(uint8_t which)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);

    which = (uint8_t)(which % (n + 2));
    if (which < n)
        return layouts[which];
    return which == n ? &fal_cc_event_layout : &fal_cc_result_layout;
}

static void check_fields(const struct fal_layout *layout, const uint8_t *wire,
                         const union host *host)
{
    size_t bit = 0;

    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];
        fal_u128 value = fal_field_get(field, host);
        const char *name =
            field->names != NULL ? fal_name_of(field->names, fal_u128_lo(value)) : NULL;
        uint64_t code;

        if (field->offset_bits != bit)
            fuzz_broken("headers: %s.%s does not follow", layout->name, field->name);
        bit += field->width_bits;
        if (value != bitloop_get_field(wire, field))
            fuzz_broken("headers: %s.%s is read otherwise", layout->name, field->name);
        if (fal_u128_shr(value, field->width_bits) != 0)
            fuzz_broken("headers: %s.%s is too wide", layout->name, field->name);
        if (fal_layout_find(layout, field->name) != field)
            fuzz_broken("headers: %s.%s is not found", layout->name, field->name);
        if (field->kind == FAL_RSVD && fal_field_legal(field, value) != (value == 0))
            fuzz_broken("headers: %s.%s: reserved and legal", layout->name, field->name);
        if (name != NULL && fal_u128_hi(value) == 0 &&
            (!fal_name_find(field->names, name, &code) || code != fal_u128_lo(value)))
            fuzz_broken("headers: %s.%s: a name of another value", layout->name, field->name);
    }
    if (bit != 8 * layout->size_bytes)
        fuzz_broken("headers: %s has bits without a field", layout->name);
}

/* Sets one field: it alone changes, and only when the value fits. */
static void check_set(const struct fal_layout *layout, const uint8_t *wire, union host *host,
                      struct fuzz_reader *reader)
{
    const struct fal_field *field = &layout->fields[fuzz_u8(reader) % layout->num_fields];
    fal_u128 value = fuzz_u128(reader);
    bool fits = fal_u128_shr(value, field->width_bits) == 0;
    uint8_t due[TEST_HEADER_MAX], got[TEST_HEADER_MAX];
    int status = fal_field_set(field, host, value);

    if ((status == 0) != fits)
        fuzz_broken("headers: %s.%s: fits, or not", layout->name, field->name);
    memcpy(due, wire, layout->size_bytes);
    if (fits)
        bitloop_set_field(due, field, value);
    if (fal_layout_encode(layout, host, got, sizeof got, NULL) != (int)layout->size_bytes ||
        memcmp(got, due, layout->size_bytes) != 0)
        fuzz_broken("headers: %s.%s: setting it changes more, or less", layout->name,
                    field->name);
}

static void check_short(const struct fal_layout *layout, const uint8_t *wire, size_t len)
{
    uint8_t *cut = malloc(len > 0 ? len : 1);
    union host host, before;

    if (cut == NULL)
        return;
    memcpy(cut, wire, len);
    memset(&host, 0xa5, sizeof host);
    before = host;
    if (fal_layout_decode(layout, cut, len, &host) != FAL_ERR_SHORT ||
        memcmp(host.bytes, before.bytes, sizeof host.bytes) != 0)
        fuzz_broken("headers: %s is read from too few bytes", layout->name);
    free(cut);
}

/* The same bytes as a Falcon packet of whatever type they say. */
static void check_falcon(const uint8_t *bytes, size_t len)
{
    struct fal_falcon packet;
    uint8_t again[FAL_HEADER_MAX];
    struct fal_ulp ulp;
    uint8_t headers[256];
    int n = fal_falcon_decode(bytes, len, &packet), m;

    if (n <= 0)
        return;
    if (fal_falcon_encode(&packet, NULL, 0, again, sizeof again, NULL) != n ||
        memcmp(again, bytes, (size_t)n) != 0)
        fuzz_broken("headers: a packet's encoding does not undo decoding");
    fal_ulp_decode(&packet, bytes + n, len - (size_t)n, &ulp);
    if (ulp.state != FAL_ULP_READ)
        return;
    m = fal_ulp_encode(&ulp, headers, sizeof headers, NULL);
    if (m != (int)ulp.size_bytes || memcmp(headers, bytes + n, (size_t)m) != 0)
        fuzz_broken("headers: ULP headers do not encode to what they were");
}

void fuzz_headers(const uint8_t *data, size_t size)
{
    struct fuzz_reader reader = {data, size};
    const struct fal_layout *layout = choose(fuzz_u8(&reader));
    uint8_t wire[TEST_HEADER_MAX];
    union host host;
    size_t len;
    const uint8_t *bytes = fuzz_bytes(&reader, layout->size_bytes, &len);

    check_falcon(bytes, len + reader.left);
    if (len < layout->size_bytes) {
        check_short(layout, bytes, len);
        return;
    }
    memset(&host, 0xa5, sizeof host);
    if (fal_layout_decode(layout, bytes, len, &host) != (int)len)
        fuzz_broken("headers: %s is not read", layout->name);
    if (fal_layout_encode(layout, &host, wire, sizeof wire, NULL) != (int)len ||
        memcmp(wire, bytes, len) != 0)
        fuzz_broken("headers: %s: encoding does not undo decoding", layout->name);
    check_fields(layout, bytes, &host);
    if (reader.left > 0)
        check_set(layout, bytes, &host, &reader);
}
