/* SPDX-License-Identifier: Apache-2.0
 * make_corpus.c DIRECTORY COUNT SEED: the first inputs of fuzz_frame. Frames of every
 * encapsulation and packet type as a lawful sender makes them, with keys and without; every
 * fourth is then spoilt: cut, or with flipped bits, so that the complaints are reached too. */
#include "fuzz/fuzz_frame.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned linktype_index(unsigned linktype)
{
    for (unsigned i = 0; i < FUZZ_FRAME_LINKTYPES; i++)
        if (fuzz_frame_linktypes[i] == linktype)
            return i;
    return 0;
}

/* The length after it. */
static size_t spoil(uint64_t *state, uint8_t *bytes, size_t len)
{
    if (test_random(state) % 2 == 0)
        return (size_t)(test_random(state) % (len + 1));
    for (uint64_t n = 1 + test_random(state) % 3; n > 0 && len > 0; n--)
        bytes[test_random(state) % len] ^= (uint8_t)(1u << test_random(state) % 8);
    return len;
}

/* The first byte for that link type with switches: both are read from it. */
static uint8_t first_byte(unsigned linktype, unsigned switches)
{
    for (unsigned low = 0; low < 16; low++)
        if ((switches | low) % FUZZ_FRAME_LINKTYPES == linktype_index(linktype))
            return (uint8_t)(switches | low);
    return (uint8_t)switches;
}

static int write_input(const char *directory, unsigned long number, const uint8_t *bytes,
                       size_t len)
{
    char path[4096];
    FILE *file;
    size_t written;

    (void)snprintf(path, sizeof path, "%s/frame-%04lu", directory, number);
    file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    written = fwrite(bytes, 1, len, file);
    return fclose(file) != 0 || written != len;
}

int main(int argc, char **argv)
{
    unsigned long count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    uint64_t state = argc == 4 ? strtoull(argv[3], NULL, 0) : 0;
    struct fal_frame_keys keys;
    int status = 0;

    if (count == 0) {
        fputs("usage: make_corpus DIRECTORY COUNT SEED\n", stderr);
        return 2;
    }
    keys = fuzz_frame_keys();
    for (unsigned long i = 0; status == 0 && i < count; i++) {
        uint8_t bytes[FUZZ_FRAME_HEAD + SAMPLE_MAX] = {0};
        unsigned linktype, switches = i % 3 != 0 ? FUZZ_FRAME_KEYS : 0;
        size_t len = sample_frame(&state, &keys, &linktype, bytes + FUZZ_FRAME_HEAD);

        if (len == 0)
            continue;
        if (i % 4 == 3)
            len = spoil(&state, bytes + FUZZ_FRAME_HEAD, len);
        if (i % 8 == 7)
            switches |= FUZZ_FRAME_CUT;
        bytes[0] = first_byte(linktype, switches);
        bytes[1] = (uint8_t)test_random(&state);
        status = write_input(argv[1], i, bytes, FUZZ_FRAME_HEAD + len);
    }
    fal_psp_keys_free(keys.psp);
    fal_esp_keys_free(keys.esp);
    return status;
}
