/* SPDX-License-Identifier: Apache-2.0
 * mutator_afl.c - the mutator as a library for AFL++ (custom mutator API,
 * docs/custom_mutators.md of AFL++): AFL_CUSTOM_MUTATOR_LIBRARY=build/fuzz/mutator.so
 * TALON_FUZZ_FORMAT=frame. AFL++'s own stages run besides, unless AFL_CUSTOM_MUTATOR_ONLY is
 * set. */
#include "fuzz/mutate/mutate.h"

#include <stdio.h>
#include <stdlib.h>

enum { HAVOC_PERCENT = 20, A_TURN = 4096, A_TURN_OF_SEQUENCES = 512, OUT_ROOM = 1 << 16 };

struct state {
    struct mutator *mutator;
    uint8_t out[OUT_ROOM];
};

void *afl_custom_init(void *afl, unsigned int seed);
void afl_custom_deinit(struct state *state);
size_t afl_custom_fuzz(struct state *state, uint8_t *in, size_t len, uint8_t **out,
                       uint8_t *other, size_t other_len, size_t max);
unsigned afl_custom_fuzz_count(struct state *state, const uint8_t *in, size_t len);
size_t afl_custom_havoc_mutation(struct state *state, uint8_t *in, size_t len, uint8_t **out,
                                 size_t max);
uint8_t afl_custom_havoc_mutation_probability(struct state *state);
const char *afl_custom_describe(struct state *state, size_t max);

void *afl_custom_init(void *afl, unsigned int seed)
{
    const char *name = getenv("TALON_FUZZ_FORMAT");
    int format = mutate_format_from(name != NULL ? name : "frame");
    struct state *state = calloc(1, sizeof *state);

    (void)afl;
    if (format < 0) {
        fprintf(
            stderr,
            "mutator: TALON_FUZZ_FORMAT=%s: frame, ether, packet, headers, records or bytes is expected\n",
            name);
        exit(2);
    }
    if (state != NULL)
        state->mutator = mutator_new((enum fuzz_format)format, seed);
    if (state == NULL || state->mutator == NULL) {
        free(state);
        return NULL;
    }
    return state;
}

void afl_custom_deinit(struct state *state)
{
    if (getenv("TALON_FUZZ_COUNTS") != NULL)
        for (int i = 0; i < MUTATE_OPS; i++)
            fprintf(stderr, "mutator: %s %llu\n", mutate_names[i],
                    (unsigned long long)state->mutator->done[i]);
    mutator_free(state->mutator);
    free(state);
}

size_t afl_custom_fuzz(struct state *state, uint8_t *in, size_t len, uint8_t **out,
                       uint8_t *other, size_t other_len, size_t max)
{
    *out = state->out;
    return mutate(state->mutator, (struct fal_span){in, len},
                  (struct fal_span){other, other_len}, state->out,
                  max < OUT_ROOM ? max : OUT_ROOM);
}

/* So many changes an input and turn, about as many as havoc makes. Left to itself AFL++ doubles
 * their number with each find: it may stay a minute with one input while what it found there
 * waits. Targets that take sequences are slow. */
unsigned afl_custom_fuzz_count(struct state *state, const uint8_t *in, size_t len)
{
    (void)in;
    (void)len;
    return state->mutator->format == FUZZ_FORMAT_RECORDS ? A_TURN_OF_SEQUENCES : A_TURN;
}

/* One of the changes that havoc stacks. */
size_t afl_custom_havoc_mutation(struct state *state, uint8_t *in, size_t len, uint8_t **out,
                                 size_t max)
{
    return afl_custom_fuzz(state, in, len, out, NULL, 0, max);
}

uint8_t afl_custom_havoc_mutation_probability(struct state *state)
{
    (void)state;
    return HAVOC_PERCENT;
}

const char *afl_custom_describe(struct state *state, size_t max)
{
    (void)max;
    return mutate_names[state->mutator->last];
}
