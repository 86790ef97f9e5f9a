/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/mutate/mutate.h"

#include "fuzz/targets/fuzz_frame.h"

#include <stdlib.h>
#include <string.h>

const char *const mutate_names[MUTATE_OPS] = {
    [MUTATE_EDGE] = "edge",         [MUTATE_FLIP] = "flip",
    [MUTATE_SEQUENCE] = "sequence", [MUTATE_TYPE] = "type",
    [MUTATE_SPLICE] = "splice",     [MUTATE_WRAP] = "wrap",
    [MUTATE_PAYLOAD] = "payload",   [MUTATE_LENGTH] = "length",
    [MUTATE_CHECK] = "check",       [MUTATE_REPAIR] = "repair",
    [MUTATE_FRESH] = "fresh",       [MUTATE_SWITCHES] = "switches",
    [MUTATE_SWAP] = "swap",         [MUTATE_DUPLICATE] = "duplicate",
    [MUTATE_DROP] = "drop",
};

static const char *const format_names[] = {
    [FUZZ_FORMAT_FRAME] = "frame",     [FUZZ_FORMAT_ETHER] = "ether",
    [FUZZ_FORMAT_PACKET] = "packet",   [FUZZ_FORMAT_HEADERS] = "headers",
    [FUZZ_FORMAT_RECORDS] = "records", [FUZZ_FORMAT_BYTES] = "bytes",
};

enum { FORMATS = sizeof format_names / sizeof *format_names };

const char *mutate_format_name(enum fuzz_format format)
{
    return format_names[format];
}

int mutate_format_from(const char *name)
{
    for (int i = 0; i < (int)FORMATS; i++)
        if (strcmp(format_names[i], name) == 0)
            return i;
    return -1;
}

struct mutator *mutator_new(enum fuzz_format format, uint64_t seed)
{
    struct mutator *m = calloc(1, sizeof *m);

    if (m == NULL)
        return NULL;
    m->format = format;
    m->rng.state = seed;
    m->keys = fuzz_frame_keys();
    m->scratch = malloc(MUTATE_ROOM);
    m->other_scratch = malloc(MUTATE_ROOM);
    m->payload = malloc(MUTATE_ROOM);
    m->half = malloc(MUTATE_ROOM);
    if (m->keys.psp != NULL && m->keys.esp != NULL && m->scratch != NULL &&
        m->other_scratch != NULL && m->payload != NULL && m->half != NULL)
        return m;
    mutator_free(m);
    return NULL;
}

void mutator_free(struct mutator *m)
{
    if (m == NULL)
        return;
    fal_psp_keys_free(m->keys.psp);
    fal_esp_keys_free(m->keys.esp);
    free(m->scratch);
    free(m->other_scratch);
    free(m->payload);
    free(m->half);
    free(m);
}

static struct fal_span behind(struct fal_span input, size_t head)
{
    return (struct fal_span){input.bytes + head, input.len - head};
}

/* Two bytes of switches, the frame. */
static size_t with_switches(struct mutator *m, struct fal_span in, struct fal_span other,
                            uint8_t *out, size_t cap)
{
    unsigned linktype;
    size_t n;

    if (in.len <= FUZZ_FRAME_HEAD || cap <= FUZZ_FRAME_HEAD)
        return 0;
    if (other.len >= FUZZ_FRAME_HEAD)
        other = behind(other, FUZZ_FRAME_HEAD);
    linktype = fuzz_frame_linktypes[in.bytes[0] % FUZZ_FRAME_LINKTYPES];
    memcpy(out, in.bytes, FUZZ_FRAME_HEAD);
    n = mutate_frame(m, linktype, behind(in, FUZZ_FRAME_HEAD), other, out + FUZZ_FRAME_HEAD,
                     cap - FUZZ_FRAME_HEAD);
    if (m->wrapped) /* Ethernet again, and with the keys that seal it */
        out[0] = FUZZ_FRAME_KEYS | 3;
    if (mutate_below(m, 64) == 0) {
        out[mutate_below(m, FUZZ_FRAME_HEAD)] ^= (uint8_t)(1u << mutate_below(m, 8));
        mutate_did(m, MUTATE_SWITCHES);
    }
    return n > 0 ? FUZZ_FRAME_HEAD + n : 0;
}

/* The byte that chooses a header, the header. */
static size_t header(struct mutator *m, const uint8_t *in, size_t len, uint8_t *out, size_t cap)
{
    size_t n;
    const struct fal_layout *const *layouts = fal_layouts(&n);
    size_t which;

    if (len < 2 || len > cap)
        return 0;
    memcpy(out, in, len);
    which = in[0] % (n + 2); /* the last two are not in the list */
    if (which < n && layouts[which]->size_bytes < len) {
        mutate_wire(m, layouts[which], out + 1);
        return len;
    }
    out[0] = (uint8_t)mutate_below(m, n + 2);
    mutate_did(m, MUTATE_SWITCHES);
    return len;
}

static size_t by_format(struct mutator *m, struct fal_span in, struct fal_span other,
                        uint8_t *out, size_t cap)
{
    size_t n = 0;

    switch (m->format) {
    case FUZZ_FORMAT_FRAME: n = with_switches(m, in, other, out, cap); break;
    case FUZZ_FORMAT_ETHER:
        n = mutate_frame(m, FAL_LINKTYPE_ETHERNET, in, other, out, cap);
        break;
    case FUZZ_FORMAT_PACKET: n = mutate_packet(m, in, other, out, cap); break;
    case FUZZ_FORMAT_HEADERS: n = header(m, in.bytes, in.len, out, cap); break;
    case FUZZ_FORMAT_RECORDS: n = mutate_records(m, in, other, out, cap); break;
    case FUZZ_FORMAT_BYTES: break;
    }
    return n;
}

size_t mutate(struct mutator *m, struct fal_span in, struct fal_span other, uint8_t *out,
              size_t cap)
{
    size_t n = 0;

    m->given_up = false;
    for (unsigned tries = 0; tries < 4; tries++) { /* some changes change nothing */
        n = by_format(m, in, other, out, cap);
        if (n == 0)
            break;
        if (n != in.len || memcmp(in.bytes, out, n) != 0)
            return n;
    }
    m->given_up = true;
    n = in.len < cap ? in.len : cap; /* as bytes */
    if (n == 0) {
        out[0] = (uint8_t)mutate_below(m, 256);
        return 1;
    }
    memcpy(out, in.bytes, n);
    out[mutate_below(m, n)] ^= (uint8_t)(1u << mutate_below(m, 8));
    return n;
}
