/* SPDX-License-Identifier: Apache-2.0
 * hunt_words.c - what cases have in common whose upper layer has words: RDMA verbs
 * (hunt_verbs.c) and NVMe (hunt_nvme.c). */
#include "fuzz/hunt/hunt.h"

#include <string.h>

bool hunt_has_words(const json_t *doc)
{
    return hunt_is_verbs(doc) || hunt_is_nvme(doc);
}

json_t *hunt_upper_seed(enum hunt_upper upper, size_t i)
{
    if (upper == HUNT_RAW)
        return hunt_seed(i);
    return i > 0 ? NULL : upper == HUNT_VERBS ? hunt_verbs_seed() : hunt_nvme_seed();
}

json_t *hunt_upper_program(enum hunt_upper upper, struct fal_rng *rng)
{
    switch (upper) {
    case HUNT_VERBS: return hunt_verbs_program(rng);
    case HUNT_NVME: return hunt_nvme_program(rng);
    case HUNT_RAW: break;
    }
    return hunt_plain(rng);
}

void hunt_words_number(json_t *doc)
{
    static const char *const words[] = {"verbs", "nvme"};
    static const char *const numbers[] = {"wr_id", "cmd"};
    json_t *steps = json_object_get(doc, "steps");

    for (size_t i = 0; i < json_array_size(steps); i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            json_t *word = json_object_get(json_array_get(steps, i), words[k]);

            if (json_object_get(word, numbers[k]) != NULL)
                (void)json_object_set_new(word, numbers[k], json_integer((json_int_t)i + 1));
        }
}

json_t *hunt_words_end(const json_t *doc, bool bare)
{
    return hunt_is_nvme(doc) ? hunt_nvme_end() : hunt_verbs_end(doc, bare);
}

/* Whether a step sends a packet of its own making, or the network changes one. */
static bool makes_up(const json_t *doc)
{
    size_t i;
    json_t *step;

    json_array_foreach(json_object_get(doc, "steps"), i, step)
    {
        if (json_object_get(step, "send") != NULL ||
            strcmp(hunt_word(step, "do"), "rewrite") == 0)
            return true;
    }
    return false;
}

void hunt_words_excuse(const json_t *doc, struct hunt_outcome *out)
{
    /* They look for what well-formed messages and commands of the tester lead to: their data in
     * memory or at devices, their completions, errors and answers. */
    static const char *const followers[] = {"V9 ",   "V10 ",  "V11 ",  "V12 ", "V13 ", "V14 ",
                                            "V15 ",  "V16 ",  "V18 ",  "V19 ", "V20 ", "V21 ",
                                            "V22 ",  "V23 ",  "NV6 ",  "NV7 ", "NV8 ", "NV9 ",
                                            "NV12 ", "NV13 ", "NV14 ", "NV16 "};
    bool excused = makes_up(doc);
    size_t kept = 0;

    for (size_t i = 0; excused && i < out->num_problems; i++) {
        bool follows = false;

        for (size_t k = 0; k < sizeof followers / sizeof *followers; k++)
            follows |= strncmp(out->problems[i].key, followers[k], strlen(followers[k])) == 0;
        if (!follows)
            out->problems[kept++] = out->problems[i];
    }
    if (excused)
        out->num_problems = kept;
}
