/* SPDX-License-Identifier: Apache-2.0
 * seeds_cc.c - first inputs of fuzz_cc: the golden vectors as lines and as entries, in both
 * formats, and random entries. */
#include "fuzz/seeds/seeds.h"

#include "codecs/header/bitloop_test.h"
#include "harness/cc/cc_check.h"
#include "oracles/cc/golden.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 1, GEN1 = 2 };

static void put(struct seeds *seeds, uint8_t first, const void *bytes, size_t len)
{
    uint8_t *input = malloc(1 + len);

    if (input == NULL)
        return;
    input[0] = first;
    memcpy(input + 1, bytes, len);
    (void)seeds_write(seeds, input, 1 + len);
    free(input);
}

static void put_vector(struct seeds *seeds, struct tl_cc_line *line)
{
    uint8_t switches = line->format == FAL_CC_GEN1_LSB ? GEN1 : 0, bytes[FAL_CC_ENTRY_LEN];
    char *text = tl_cc_line_print(line, NULL);

    if (text != NULL)
        put(seeds, LINE | switches, text, strlen(text));
    free(text);
    if (fal_cc_encode(line->format, FAL_CC_ENTRY_EVENT, &line->event, bytes, NULL) > 0)
        put(seeds, switches, bytes, sizeof bytes);
    if (fal_cc_encode(line->format, FAL_CC_ENTRY_RESULT, &line->result, bytes, NULL) > 0)
        put(seeds, switches, bytes, sizeof bytes);
}

void seeds_cc(struct seeds *seeds)
{
    uint64_t state = seeds->seed;
    struct fal_cc_vector vector;

    for (int format = FAL_CC_TABLE_MSB; format <= FAL_CC_GEN1_LSB; format++) {
        struct fal_cc_state model = {0};

        for (size_t n = 0; seeds_wanted(seeds) && fal_cc_vector(n, &vector); n++) {
            struct tl_cc_line line = {.format = (enum fal_cc_format)format,
                                      .keep = vector.keep,
                                      .now = vector.now,
                                      .event = vector.event};

            fal_swift_params_default(&line.params);
            tl_cc_expect(&line, &model, &line.result);
            if (n % 3 == 0)
                put_vector(seeds, &line);
        }
    }
    while (seeds_wanted(seeds)) {
        uint8_t bytes[FAL_CC_ENTRY_LEN];

        test_random_bytes(&state, bytes, sizeof bytes);
        put(seeds, (uint8_t)(test_random(&state) & GEN1), bytes, sizeof bytes);
    }
}
