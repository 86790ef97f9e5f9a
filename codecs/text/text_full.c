/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/text/text_full.h"
#include "codecs/text/text_impl.h"

#include <arpa/inet.h>
#include <inttypes.h>

enum { WORD = 32, PLACE_WIDTH = 16, NAME_WIDTH = 20 };

static void pad_to(struct fal_out *out, size_t column)
{
    do
        fal_out_char(out, ' ');
    while (out->len < column);
}

/* "w6[16..31]", "w6[3]", "w8..w11", "w6[23]..w7[8]" */
static void put_place(struct fal_out *out, unsigned offset, unsigned width)
{
    unsigned last = offset + width - 1, from = offset / WORD, to = last / WORD;

    if (from == to && width == 1)
        fal_out_format(out, "w%u[%u]", from, offset % WORD);
    else if (from == to && width == WORD)
        fal_out_format(out, "w%u", from);
    else if (from == to)
        fal_out_format(out, "w%u[%u..%u]", from, offset % WORD, last % WORD);
    else if (offset % WORD == 0 && last % WORD == WORD - 1)
        fal_out_format(out, "w%u..w%u", from, to);
    else
        fal_out_format(out, "w%u[%u]..w%u[%u]", from, offset % WORD, to, last % WORD);
}

static void put_address(struct fal_out *out, const struct fal_field *field, fal_u128 value)
{
    uint8_t bytes[16] = {0};
    char text[INET6_ADDRSTRLEN] = "";

    fal_bits_set_wide(bytes, 0, 128, value);
    if (field->kind == FAL_MAC)
        fal_out_format(out, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[10], bytes[11], bytes[12],
                       bytes[13], bytes[14], bytes[15]);
    else if (field->kind == FAL_IPV4)
        fal_out_text(out, inet_ntop(AF_INET, bytes + 12, text, sizeof text));
    else
        fal_out_text(out, inet_ntop(AF_INET6, bytes, text, sizeof text));
}

static void put_value(struct fal_out *out, const struct fal_field *field, fal_u128 value)
{
    const char *name =
        fal_u128_hi(value) == 0 ? fal_name_of(field->names, fal_u128_lo(value)) : NULL;

    if (field->kind == FAL_MAC || field->kind == FAL_IPV4 || field->kind == FAL_IPV6)
        put_address(out, field, value);
    else if (field->width_bits > 64)
        fal_out_format(out, "0x%016" PRIx64 "%016" PRIx64, fal_u128_hi(value),
                       fal_u128_lo(value));
    else if (field->width_bits > WORD)
        fal_out_format(out, "0x%016" PRIx64, fal_u128_lo(value));
    else
        fal_out_number(out, fal_u128_lo(value));
    if (name != NULL)
        fal_out_format(out, " %s", name);
    if (!fal_field_legal(field, value))
        fal_out_text(out, field->kind == FAL_CODE ? " (reserved)" : " (not legal)");
}

size_t fal_text_full(const struct fal_layout *layout, const void *host, char *text, size_t cap)
{
    struct fal_out out = fal_out_start(text, cap);

    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *f = &layout->fields[i];
        struct fal_segment segments[FAL_SEGMENTS_MAX];
        size_t n = fal_field_segments(f, segments), start = out.len;

        fal_out_text(&out, "    ");
        for (size_t s = 0; s < n; s++) {
            if (s > 0)
                fal_out_char(&out, ',');
            put_place(&out, segments[s].offset_bits, segments[s].width_bits);
        }
        pad_to(&out, start + 4 + PLACE_WIDTH);
        fal_out_text(&out, f->name);
        pad_to(&out, start + 4 + PLACE_WIDTH + NAME_WIDTH);
        put_value(&out, f, fal_field_get(f, host));
        if (f->doc[0] != 0)
            fal_out_format(&out, "  # %s", f->doc);
        fal_out_char(&out, '\n');
    }
    return (size_t)fal_out_end(&out);
}
