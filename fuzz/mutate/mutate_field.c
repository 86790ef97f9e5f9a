/* SPDX-License-Identifier: Apache-2.0
 * mutate_field.c - values for fields, by what the tables say of them. */
#include "codecs/header/bitloop_test.h"
#include "fuzz/mutate/mutate.h"

/* One of a bitmap's telling values: nothing, all, one bit, the first so many, all but one,
 * every second. */
static fal_u128 bitmap(struct mutator *m, unsigned width)
{
    unsigned n = (unsigned)mutate_below(m, width);
    fal_u128 bit = fal_u128_with(0, n), ones = fal_u128_ones(width);

    switch (mutate_below(m, 6)) {
    case 0: return 0;
    case 1: return ones;
    case 2: return bit;
    case 3: return fal_u128_ones(n + 1);
    case 4: return ones & ~bit;
    default:
        return ones & fal_u128_halves(UINT64_C(0xaaaaaaaaaaaaaaaa) >> (n & 1),
                                      UINT64_C(0xaaaaaaaaaaaaaaaa) >> (n & 1));
    }
}

fal_u128 mutate_edge(struct mutator *m, const struct fal_field *field, fal_u128 value)
{
    fal_u128 ones = fal_u128_ones(field->width_bits);
    fal_u128 top = fal_u128_with(0, field->width_bits - 1u);
    uint64_t step = mutate_below(m, 2) == 0 ? 1 : UINT64_MAX;
    fal_u128 out;

    if (field->kind == FAL_BITMAP)
        return bitmap(m, field->width_bits);
    switch (mutate_below(m, 8)) {
    case 0: out = 0; break;
    case 1: out = ones; break;
    case 2: out = top; break;
    case 3: out = fal_u128_ones(field->width_bits - 1u); break; /* one below it */
    case 4: out = field->initial; break;
    case 5: out = field->initial + step; break;
    case 6: out = fal_u128_halves(fal_u128_hi(value), fal_u128_lo(value) + step); break;
    default:
        out = UINT64_C(1) << mutate_below(m, 64);
        if (field->names != NULL && field->names->count > 0)
            out = field->names->entries[mutate_below(m, field->names->count)].value;
        break;
    }
    return out & ones;
}

fal_u128 mutate_flip(struct mutator *m, const struct fal_field *field, fal_u128 value)
{
    for (uint64_t n = 1 + mutate_below(m, 3); n > 0; n--)
        value ^= fal_u128_with(0, (unsigned)mutate_below(m, field->width_bits));
    return value;
}

uint32_t mutate_psn(struct mutator *m, uint32_t ref)
{
    /* sizes of windows, half the circle, and one more or less */
    static const uint32_t edges[] = {0, 1, 2, 3, 64, 128, 256, UINT32_C(1) << 31};
    uint32_t edge = edges[mutate_below(m, sizeof edges / sizeof *edges)];
    uint32_t near = (uint32_t)mutate_below(m, 3) - 1;

    if (mutate_below(m, 4) == 0)
        ref = mutate_below(m, 2) == 0 ? 0 : UINT32_C(1) << 31;
    return mutate_below(m, 2) == 0 ? ref + edge + near : ref - edge + near;
}

const struct fal_field *mutate_pick(struct mutator *m, const struct fal_layout *layout)
{
    return &layout->fields[mutate_below(m, layout->num_fields)];
}

const struct fal_field *mutate_pick_kind(struct mutator *m, const struct fal_layout *layout,
                                         enum fal_kind kind)
{
    const struct fal_field *found = NULL;
    uint64_t seen = 0;

    for (size_t i = 0; i < layout->num_fields; i++)
        if (layout->fields[i].kind == kind && mutate_below(m, ++seen) == 0)
            found = &layout->fields[i];
    return found;
}

void mutate_host(struct mutator *m, const struct fal_layout *layout, void *host)
{
    const struct fal_field *field = mutate_pick(m, layout);
    fal_u128 value = fal_field_get(field, host);
    bool edge = mutate_below(m, 2) == 0;

    mutate_did(m, edge ? MUTATE_EDGE : MUTATE_FLIP);
    /* The input is random: an error is as good. */
    FAL_IGNORE(fal_field_set(
        field, host, edge ? mutate_edge(m, field, value) : mutate_flip(m, field, value)));
}

void mutate_wire(struct mutator *m, const struct fal_layout *layout, uint8_t *wire)
{
    const struct fal_field *field = mutate_pick(m, layout);
    fal_u128 value = bitloop_get_field(wire, field);
    bool edge = mutate_below(m, 2) == 0;

    mutate_did(m, edge ? MUTATE_EDGE : MUTATE_FLIP);
    bitloop_set_field(wire, field,
                      edge ? mutate_edge(m, field, value) : mutate_flip(m, field, value));
}
