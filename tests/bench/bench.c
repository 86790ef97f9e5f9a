/* SPDX-License-Identifier: Apache-2.0
 * bench.c - what `make bench` measures inside one process; run-bench prints the ratios.
 *
 *   bench KIND COUNT     prints nanoseconds per operation, the best of five rounds
 *   bench make COUNT     writes a capture line by line: COUNT notation lines of all packet
 * types */
#include "codecs/frame/frame.h"
#include "codecs/header/lint.h"
#include "codecs/text/text.h"
#include "oracles/endpoint/endpoint.h"
#include "oracles/rng.h"
#include "oracles/rules/judge/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, FRAMES = 256, FRAME_MAX = 512 };

struct frames {
    uint8_t bytes[FRAMES][FRAME_MAX];
    size_t len[FRAMES];
};

static uint64_t sink; /* what keeps the compiler from dropping the work */

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * FAL_S + (uint64_t)t.tv_nsec;
}

/* A legal packet of each type in turn, with random numbers. */
static void make_packet(struct fal_rng *rng, unsigned i, struct fal_falcon *f,
                        size_t *payload_len)
{
    static const enum fal_packet_type types[] = {FAL_PULL_REQUEST, FAL_PULL_DATA, FAL_PUSH_DATA,
                                                 FAL_RESYNC,       FAL_BACK,      FAL_EACK,
                                                 FAL_NACK};

    fal_falcon_init(f, types[i % 7]);
    f->dest_cid = (uint32_t)fal_rng_below(rng, 1 << 24);
    f->psn = (uint32_t)fal_rng_next(rng);
    f->rsn = (uint32_t)fal_rng_next(rng);
    f->recv_data_base_psn = (uint32_t)fal_rng_next(rng);
    f->recv_req_base_psn = (uint32_t)fal_rng_next(rng);
    *payload_len = f->packet_type == FAL_PUSH_DATA || f->packet_type == FAL_PULL_DATA
                       ? (size_t)fal_rng_below(rng, 256)
                       : 0;
    if (f->packet_type == FAL_PUSH_DATA)
        f->request_length = (uint16_t)*payload_len;
    if (f->packet_type == FAL_PULL_REQUEST)
        f->request_length = 64;
}

static void make_frames(struct frames *out, enum fal_encap encap)
{
    struct fal_rng rng = {1};
    uint8_t payload[256] = {0};

    for (unsigned i = 0; i < FRAMES; i++) {
        struct fal_frame frame = {0};
        int n;

        fal_frame_encapsulate(&frame, encap, 4);
        make_packet(&rng, i, &frame.falcon, &frame.payload.len);
        frame.payload.bytes = payload;
        n = fal_frame_encode(&frame, NULL, 0, out->bytes[i], FRAME_MAX, NULL);
        if (n < 0) {
            fprintf(stderr, "bench: encode: %d\n", n);
            exit(4);
        }
        out->len[i] = (size_t)n;
    }
}

static void run_touch(const struct frames *f, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        for (size_t k = 0; k < f->len[i % FRAMES]; k += 8)
            sink += f->bytes[i % FRAMES][k];
}

static void decode_all(const struct frames *f, uint64_t count, bool lint)
{
    struct fal_frame_options options = {.no_lint = !lint};
    struct fal_frame frame;

    for (uint64_t i = 0; i < count; i++) {
        size_t at = i % FRAMES;

        FAL_IGNORE(fal_frame_decode(
            &(struct fal_captured){f->bytes[at], f->len[at], f->len[at], FAL_LINKTYPE_ETHERNET},
            &options, NULL, &frame));
        sink += frame.falcon.psn + frame.issues.count;
    }
}

static void run_decode(const struct frames *f, uint64_t count)
{
    decode_all(f, count, false);
}

static void run_lint(const struct frames *f, uint64_t count)
{
    decode_all(f, count, true);
}

/* The generic reader of one bit after the other that tests compare the straight-line code with.
 */
static void bit_loop(const struct fal_layout *layout, const uint8_t *wire, void *host)
{
    for (size_t i = 0; i < layout->num_fields; i++) {
        const struct fal_field *field = &layout->fields[i];
        fal_u128 v = 0;

        for (unsigned b = 0; b < field->width_bits; b++) {
            unsigned at = field->offset_bits + b;

            v = v << 1 | (wire[at / 8] >> (7 - at % 8) & 1);
        }
        FAL_IGNORE(fal_field_set(field, host, v));
    }
}

static void run_straight(const struct frames *f, uint64_t count)
{
    struct fal_falcon host = {0};

    for (uint64_t i = 0; i < count; i++) {
        fal_eack_layout.decode(f->bytes[i % FRAMES], &host);
        sink += host.own;
    }
}

static void run_bitloop(const struct frames *f, uint64_t count)
{
    struct fal_falcon host = {0};

    for (uint64_t i = 0; i < count; i++) {
        bit_loop(&fal_eack_layout, f->bytes[i % FRAMES], &host);
        sink += host.own;
    }
}

static void run_print(const struct frames *f, uint64_t count)
{
    struct fal_frame_options options = {.no_lint = true};
    struct fal_frame frame;
    char line[1024];

    for (uint64_t i = 0; i < count; i++) {
        size_t at = i % FRAMES;

        FAL_IGNORE(fal_frame_decode(
            &(struct fal_captured){f->bytes[at], f->len[at], f->len[at], FAL_LINKTYPE_ETHERNET},
            &options, NULL, &frame));
        sink += (uint64_t)fal_text_packet(&frame.falcon, NULL, line, sizeof line);
    }
}

/* Notation lines for a capture that decode, tcpdump and tshark are timed on. */
static int make_lines(uint64_t count)
{
    struct fal_rng rng = {1};

    for (uint64_t i = 0; i < count; i++) {
        struct fal_falcon f;
        size_t payload_len;
        char line[1024];

        make_packet(&rng, (unsigned)i, &f, &payload_len);
        (void)fal_text_packet(&f, NULL, line, sizeof line);
        printf("+1us > %s", line);
        if (f.packet_type == FAL_PULL_DATA)
            printf(" payload_len=%zu", payload_len);
        putchar('\n');
    }
    return fflush(stdout) == 0 ? 0 : 4;
}

/* Reads places of memory one after another, each known only when the one before was read: what
 * a read costs that no cache and no prefetch helps. */
static int time_random(uint64_t count)
{
    enum { PLACES = 1 << 25 }; /* 256 MB: far more than a cache holds */
    uint64_t *next = malloc(PLACES * sizeof *next), at = 0, start;
    struct fal_rng rng = {1};

    if (next == NULL)
        return 4;
    for (uint64_t i = 0; i < PLACES; i++)
        next[i] = i;
    for (uint64_t i = PLACES - 1; i > 0; i--) { /* one cycle through all of them (Sattolo) */
        uint64_t j = fal_rng_below(&rng, i), kept = next[i];

        next[i] = next[j];
        next[j] = kept;
    }
    start = now_ns();
    for (uint64_t i = 0; i < count; i++)
        at = next[at];
    printf("%.2f\n", (double)(now_ns() - start) / (double)count);
    sink += at;
    free(next);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const struct frames *f, uint64_t count);
    } kinds[] = {
        {"touch", run_touch},       {"decode", run_decode},   {"lint", run_lint},
        {"straight", run_straight}, {"bitloop", run_bitloop}, {"print", run_print},
    };
    static struct frames frames;
    uint64_t count, best = UINT64_MAX;

    if (argc != 3 || (count = strtoull(argv[2], NULL, 10)) == 0) {
        fprintf(stderr, "usage: bench KIND|make|random COUNT\n");
        return 2;
    }
    if (strcmp(argv[1], "make") == 0)
        return make_lines(count);
    if (strcmp(argv[1], "random") == 0)
        return time_random(count);
    make_frames(&frames, FAL_ENCAP_UDP);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].name, argv[1]) != 0)
            continue;
        for (int round = 0; round < ROUNDS; round++) {
            uint64_t start = now_ns(), took;

            kinds[k].run(&frames, count);
            took = now_ns() - start;
            best = took < best ? took : best;
        }
        printf("%.2f\n", (double)best / (double)count);
        return sink == 1 ? 3 : 0;
    }
    fprintf(stderr, "bench: no kind '%s'\n", argv[1]);
    return 2;
}
