/* SPDX-License-Identifier: Apache-2.0
 * frame_soak COUNT SEED: a flood of hostile frames through the frame stack. Frames of every
 * encapsulation, as a conforming sender makes them, are cut, flipped, overwritten and replaced
 * by noise; each is decoded, with keys and without, checked against what must be true of every
 * decoded frame, and encoded again, which must give the same bytes. Built with sanitizers (make
 * SANITIZE=address,undefined): each frame lies in memory of exactly its length, so that reading
 * beyond it is seen. Prints one line and ends 0, or the frame that broke something and ends 1.
 */
#include "codecs/frame/sample_frames_test.h"
#include "codecs/frame/two_ways_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { POOL = 512, RENEW = 64 /* rounds after which one frame of the pool is made anew */ };

struct sample {
    unsigned linktype;
    size_t len;
    uint8_t bytes[SAMPLE_MAX];
};

struct totals {
    uint64_t falcon, usual, raw, opened, bad, unauthenticated, truncated, damaged, issues;
};

struct soak {
    uint64_t state;
    struct fal_frame_keys keys;
    struct sample pool[POOL];
    struct totals totals;
    struct fal_frame frame;
};

static uint64_t below(struct soak *soak, uint64_t n)
{
    return test_random(&soak->state) % n;
}

/* ---- what is done to a frame ---- */

static void flip_bits(struct soak *soak, struct sample *s, size_t within)
{
    if (within > s->len)
        within = s->len;
    for (uint64_t n = 1 + below(soak, 8); n > 0 && within > 0; n--)
        s->bytes[below(soak, within)] ^= (uint8_t)(1u << below(soak, 8));
}

/* Two bytes become a length that likes to break things. */
static void spoil_length(struct soak *soak, struct sample *s)
{
    static const uint16_t values[] = {0,  1,  7,  8,  15, 16,     19,
                                      20, 27, 28, 31, 32, 0x7fff, 0xffff};
    size_t at = below(soak, s->len < 64 ? s->len : 64);
    uint16_t value = values[below(soak, sizeof values / sizeof *values)];

    s->bytes[at] = (uint8_t)(value >> 8);
    if (at + 1 < s->len)
        s->bytes[at + 1] = (uint8_t)value;
}

/* Noise, behind a front that is right so that it gets deep. */
static void noise(struct soak *soak, struct sample *s)
{
    size_t front = below(soak, s->len + 1);

    s->len = front + below(soak, SAMPLE_MAX - front);
    test_random_bytes(&soak->state, s->bytes + front, s->len - front);
}

static void draw(struct soak *soak, struct sample *s)
{
    *s = soak->pool[below(soak, POOL)];
    switch (below(soak, 8)) {
    case 0: break; /* as it is; perhaps cut */
    case 1:
    case 2: flip_bits(soak, s, s->len); break;
    case 3: flip_bits(soak, s, 48); break;
    case 4: spoil_length(soak, s); break;
    case 5: noise(soak, s); break;
    case 6:
        s->len = below(soak, SAMPLE_MAX);
        test_random_bytes(&soak->state, s->bytes, s->len);
        break;
    default: s->len = below(soak, s->len + 1); break;
    }
}

/* ---- one round ---- */

static void count(struct soak *soak)
{
    const struct fal_frame *f = &soak->frame;
    struct totals *t = &soak->totals;

    t->falcon += fal_frame_has(f, FAL_LAYER_FALCON);
    t->raw += fal_frame_has(f, FAL_LAYER_RAW);
    t->opened += f->psp_state == FAL_PSP_GOOD || f->esp_state == FAL_PSP_GOOD;
    t->bad += f->psp_state == FAL_PSP_BAD || f->esp_state == FAL_PSP_BAD;
    t->unauthenticated += f->unauthenticated;
    t->truncated += f->truncated;
    t->damaged += f->damaged;
    t->issues += f->issues.count + f->issues.dropped;
}

static const char *judge(struct soak *soak, const uint8_t *bytes, size_t caplen,
                         const uint8_t *scratch)
{
    uint8_t again[SAMPLE_MAX + 64];
    const char *fault = frame_fault(&soak->frame, bytes, caplen, scratch);
    int n;

    if (fault != NULL)
        return fault;
    n = fal_frame_encode_with(&soak->frame, &soak->keys, KEEP_ALL, again, caplen, NULL);
    if (n != (int)caplen || memcmp(again, bytes, caplen) != 0)
        return "encoding does not undo decoding";
    n = fal_frame_encode_with(&soak->frame, &soak->keys, 0, again, sizeof again, NULL);
    if (n > (int)sizeof again)
        return "encoded more than there is room for";
    return NULL;
}

/* True when nothing broke. */
static bool try_frame(struct soak *soak, const struct sample *s, uint64_t dice)
{
    size_t caplen = s->len;
    size_t len = (dice & 3) == 0 ? caplen + (dice >> 8 & 255) : caplen;
    uint8_t *bytes = malloc(caplen > 0 ? caplen : 1),
            *scratch = malloc(caplen > 0 ? caplen : 1);
    const struct fal_frame_options options = {
        .falcon_port = (dice >> 2 & 15) == 0 ? (uint16_t)(dice >> 16) : 0,
        .psp_keys = (dice >> 6 & 1) != 0 ? soak->keys.psp : NULL,
        .esp_keys = (dice >> 7 & 1) != 0 ? soak->keys.esp : NULL,
        .no_lint = (dice >> 2 & 7) == 7,
    };
    const struct fal_captured captured = {bytes, caplen, len, s->linktype};
    const char *fault = "out of memory";
    bool usual;

    if (bytes == NULL || scratch == NULL)
        goto done;
    memcpy(bytes, s->bytes, caplen);
    fault = two_ways_differ(&captured, &options, &usual);
    if (fault != NULL)
        goto done;
    soak->totals.usual += usual;
    fault = "an unknown link type";
    if (fal_frame_decode(&captured, &options, (dice >> 32 & 15) == 0 ? NULL : scratch,
                         &soak->frame) != 0)
        goto done;
    fault = judge(soak, bytes, caplen, scratch);
    count(soak);
done:
    if (fault != NULL) {
        fprintf(stderr, "frame_soak: %s: link type %u, len %zu, options 0x%" PRIx64 ", bytes ",
                fault, s->linktype, len, dice);
        for (size_t i = 0; i < caplen; i++)
            fprintf(stderr, "%02x", s->bytes[i]);
        fputc('\n', stderr);
    }
    free(bytes);
    free(scratch);
    return fault == NULL;
}

static bool renew(struct soak *soak, size_t i)
{
    struct sample *s = &soak->pool[i];

    s->len = sample_frame(&soak->state, &soak->keys, &s->linktype, s->bytes);
    return s->len > 0;
}

static bool run(struct soak *soak, uint64_t rounds)
{
    for (size_t i = 0; i < POOL; i++)
        if (!renew(soak, i))
            return false;
    for (uint64_t round = 0; round < rounds; round++) {
        struct sample s;

        if (round % RENEW == 0 && !renew(soak, below(soak, POOL)))
            return false;
        draw(soak, &s);
        if (!try_frame(soak, &s, test_random(&soak->state))) {
            fprintf(stderr, "frame_soak: in round %" PRIu64 "\n", round);
            return false;
        }
    }
    return true;
}

static bool number(const char *text, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    *out = strtoull(text, &end, 0);
    return *end == 0;
}

int main(int argc, char **argv)
{
    uint64_t rounds, seed;
    struct soak *soak;
    const struct totals *t;
    int status = 1;

    if (argc != 3 || !number(argv[1], &rounds) || !number(argv[2], &seed)) {
        fputs("usage: frame_soak COUNT SEED\n", stderr);
        return 2;
    }
    soak = calloc(1, sizeof *soak);
    if (soak == NULL)
        return 1;
    t = &soak->totals;
    soak->state = seed;
    soak->keys = (struct fal_frame_keys){sample_keys(), sample_esp_keys()};
    if (soak->keys.psp != NULL && soak->keys.esp != NULL && run(soak, rounds))
        status = 0;
    printf("%" PRIu64 " frames, seed %" PRIu64 ": %s; %" PRIu64 " falcon, %" PRIu64
           " usual, %" PRIu64 " raw, %" PRIu64 " opened, %" PRIu64 " bad ICV, %" PRIu64
           " unauthenticated, %" PRIu64 " cut, %" PRIu64 " damaged, %" PRIu64 " issues\n",
           rounds, seed, status == 0 ? "ok" : "FAILED", t->falcon, t->usual, t->raw, t->opened,
           t->bad, t->unauthenticated, t->truncated, t->damaged, t->issues);
    fal_psp_keys_free(soak->keys.psp);
    fal_esp_keys_free(soak->keys.esp);
    free(soak);
    return status;
}
