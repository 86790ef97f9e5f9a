/* SPDX-License-Identifier: Apache-2.0
 * random_packet_test.h - packets at random for property tests, by the tables. */
#ifndef FAL_CODECS_HEADER_RANDOM_PACKET_TEST_H
#define FAL_CODECS_HEADER_RANDOM_PACKET_TEST_H

#include "codecs/header/falcon.h"

/* splitmix64 */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A value of `width` bits; small, all ones, or with a half empty more often than chance has it.
 */
static inline fal_u128 random_bits(uint64_t *state, unsigned width)
{
    fal_u128 v = (fal_u128)random_next(state) << 64;

    v |= random_next(state);

    switch (random_next(state) % 6) {
    case 0: v = 0; break;
    case 1: v = fal_u128_ones(128); break;
    case 2: v = fal_u128_lo(v) % 8; break;
    case 3: v = v >> 64 << 64; break;
    default: break;
    }
    return v & fal_u128_ones(width);
}

/* A packet of one of the seven types. `legal`: only values that the tables allow. */
static inline struct fal_falcon random_packet(uint64_t *state, bool legal)
{
    static const enum fal_packet_type types[] = {
        FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA, FAL_RESYNC,
        FAL_NACK,         FAL_BACK,      FAL_EACK,
    };
    enum fal_packet_type type = types[random_next(state) % 7];
    const struct fal_layout *layout = fal_falcon_layout(type);
    struct fal_falcon packet;

    fal_falcon_init(&packet, type);
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];
        fal_u128 value = random_bits(state, field->width_bits);

        if (field->member_offset == offsetof(struct fal_falcon, packet_type) ||
            random_next(state) % 4 == 0)
            continue;
        if (legal && field->names != NULL)
            value = field->names->entries[random_next(state) % field->names->count].value;
        if (!legal || fal_field_legal(field, value))
            FAL_IGNORE(fal_field_set(field, &packet, value));
    }
    return packet;
}

/* Whether two packets are one, field by field (padding of the struct may differ). */
static inline bool same_packet(const struct fal_falcon *a, const struct fal_falcon *b)
{
    const struct fal_layout *layout = fal_falcon_layout(a->packet_type);

    if (layout == NULL || a->packet_type != b->packet_type)
        return false;
    for (size_t i = 0; i < layout->num_fields; i++)
        if (fal_field_get(&layout->fields[i], a) != fal_field_get(&layout->fields[i], b))
            return false;
    return true;
}

#endif
