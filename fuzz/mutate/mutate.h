/* SPDX-License-Identifier: Apache-2.0
 * mutate.h - mutations that know Falcon, from the field tables: an input is taken apart as far
 * as it can be, changed in a place that means something, and put together again, with lengths,
 * checksums and seals either right or wrong on purpose. What cannot be taken apart is changed
 * as bytes.
 *
 *   mutate_field.c    a value for a field; fields of a host struct, fields of wire bytes
 *   mutate_packet.c   one Falcon packet
 *   mutate_frame.c    a frame around one
 *   mutate_records.c  sequences
 *   mutate.c          choosing among these
 *
 * All randomness comes from the seed: the same seed and inputs give the same bytes. */
#ifndef FAL_FUZZ_MUTATE_MUTATE_H
#define FAL_FUZZ_MUTATE_MUTATE_H

#include "codecs/frame/frame.h"
#include "fuzz/targets/targets.h"
#include "oracles/rng.h"

/* The mutations; their names are in mutate_names. */
enum mutate_op {
    MUTATE_EDGE,      /* a field gets a value at the edge of its range or meaning */
    MUTATE_FLIP,      /* bits of one field flip */
    MUTATE_SEQUENCE,  /* a PSN or RSN moves to a window's edge, or to where numbers wrap */
    MUTATE_TYPE,      /* another packet type, all else kept */
    MUTATE_SPLICE,    /* packet, encapsulation or records of another input */
    MUTATE_WRAP,      /* another encapsulation around the same packet */
    MUTATE_PAYLOAD,   /* longer, shorter, other bytes, or a field of the ULP's headers */
    MUTATE_LENGTH,    /* a length is made wrong */
    MUTATE_CHECK,     /* a checksum or ICV is made wrong */
    MUTATE_REPAIR,    /* lengths, checksums, seals and what says what follows are made right */
    MUTATE_FRESH,     /* a packet as a correct sender makes it, in place of this one */
    MUTATE_SWITCHES,  /* what stands in front of the packet: head, kind of a record, time */
    MUTATE_SWAP,      /* two records of a sequence change places */
    MUTATE_DUPLICATE, /* a record comes again, here or later */
    MUTATE_DROP,      /* a record is left out */
    MUTATE_OPS,
};
extern const char *const mutate_names[MUTATE_OPS];

enum { MUTATE_ROOM = 1 << 16 };

struct mutator {
    enum fuzz_format format;
    struct fal_rng rng;
    struct fal_frame_keys keys; /* of sample_frames_test.h: seeds are sealed with them */
    uint64_t done[MUTATE_OPS];  /* how often, since the beginning */
    enum mutate_op last;
    bool given_up; /* the last input could not be taken apart */
    bool wrapped;  /* the last frame got another encapsulation: it is of Ethernet now */
    /* Working memory, MUTATE_ROOM bytes each. */
    uint8_t *scratch, *other_scratch, *payload, *half;
};

/* NULL when out of memory; the caller frees. */
struct mutator *mutator_new(enum fuzz_format format, uint64_t seed);
void mutator_free(struct mutator *mutator);

/* Changes `in` and writes the result to `out`, which must not overlap it; `other` is another
 * input of the corpus (may be {NULL, 0}). Returns its length, at most `cap`, and at least 1. */
size_t mutate(struct mutator *mutator, struct fal_span in, struct fal_span other, uint8_t *out,
              size_t cap);

/* "frame", "ether", "packet", "headers", "records", "bytes"; and back, -1 for any other text.
 */
const char *mutate_format_name(enum fuzz_format format);
int mutate_format_from(const char *name);

/* ---- between the files ---- */

static inline uint64_t mutate_below(struct mutator *m, uint64_t n)
{
    return fal_rng_below(&m->rng, n);
}

static inline void mutate_did(struct mutator *m, enum mutate_op op)
{
    m->done[op]++;
    m->last = op;
}

/* A value for a field: at an edge; or its own with some bits flipped. */
fal_u128 mutate_edge(struct mutator *m, const struct fal_field *field, fal_u128 value);
fal_u128 mutate_flip(struct mutator *m, const struct fal_field *field, fal_u128 value);
/* A sequence number near an edge of a window that begins at `ref`, or near a wrap. */
uint32_t mutate_psn(struct mutator *m, uint32_t ref);

/* A field of the layout, of any kind, or of that one when there is one. */
const struct fal_field *mutate_pick(struct mutator *m, const struct fal_layout *layout);
const struct fal_field *mutate_pick_kind(struct mutator *m, const struct fal_layout *layout,
                                         enum fal_kind kind);

/* Edge or flip of a field, in a host struct, on the wire (size_bytes are there). */
void mutate_host(struct mutator *m, const struct fal_layout *layout, void *host);
void mutate_wire(struct mutator *m, const struct fal_layout *layout, uint8_t *wire);

/* One change of a packet in host form and of its payload, which lies in m->payload then. False
 * when the operator says nothing for it. */
bool mutate_falcon(struct mutator *m, enum mutate_op op, struct fal_falcon *packet,
                   struct fal_span *payload);

/* Each writes to `out` (cap bytes) and returns the length, 0 when it gives up. */
size_t mutate_packet(struct mutator *m, struct fal_span in, struct fal_span other, uint8_t *out,
                     size_t cap);
size_t mutate_frame(struct mutator *m, unsigned linktype, struct fal_span in,
                    struct fal_span other, uint8_t *out, size_t cap);
size_t mutate_records(struct mutator *m, struct fal_span in, struct fal_span other,
                      uint8_t *out, size_t cap);

#endif
