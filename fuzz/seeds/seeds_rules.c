/* SPDX-License-Identifier: Apache-2.0
 * seeds_rules.c - first inputs of fuzz_rules about NVMe: tables, formats, commands of the host
 * and of the tester with their packets, and completions (timeline_nvme.h). */
#include "fuzz/seeds/seeds.h"

#include "fuzz/targets/timeline_nvme.h"
#include "oracles/rng.h"

#include <string.h>

enum { RECORDS_MAX = 64, RECORD = 64, ANSWERED_OK = 64 };
_Static_assert(ANSWERED_OK % 3 == FAL_VERBS_ANSWERED, "the phase is the rest by three");

struct program {
    uint8_t bytes[FUZZ_HEAD_LEN + RECORDS_MAX * (FUZZ_RECORD_LEN + RECORD)];
    size_t len;
    uint8_t id;
    struct fal_rng rng;
};

/* A record with random bytes behind its first ones; most are small. */
static void record(struct program *p, unsigned kind, const uint8_t *first, size_t num)
{
    uint8_t *at = p->bytes + p->len;

    at[0] = (uint8_t)(FAL_EV_VERBS | kind);
    at[1] = 0x50;
    at[2] = 0;
    at[3] = RECORD;
    for (size_t i = 0; i < RECORD; i++)
        at[FUZZ_RECORD_LEN + i] =
            (uint8_t)fal_rng_below(&p->rng, fal_rng_below(&p->rng, 4) == 0 ? 256 : 4);
    memcpy(at + FUZZ_RECORD_LEN, first, num);
    p->len += FUZZ_RECORD_LEN + RECORD;
}

/* A command and its reply. */
static void ask(struct program *p, enum fal_nvme_word_kind kind)
{
    uint8_t head[] = {FAL_VERBS_ASKED, (uint8_t)kind, ++p->id};

    record(p, TIMELINE_NVME_WORD, head, sizeof head);
    head[0] = ANSWERED_OK;
    record(p, TIMELINE_NVME_WORD, head, sizeof head);
}

static void tell(struct program *p, enum fal_nvme_word_kind kind)
{
    uint8_t head[] = {FAL_VERBS_TOLD, (uint8_t)(kind - FAL_NVME_COMMANDS), ++p->id};

    record(p, TIMELINE_NVME_WORD, head, sizeof head);
}

/* The packets of a command. `out`: the SUT is the initiator. */
static void exchange(struct program *p, bool out, bool write)
{
    static const uint8_t reads[] = {FAL_NVME_READ_REQUEST, FAL_NVME_READ_RESPONSE};
    static const uint8_t writes[] = {FAL_NVME_WRITE_REQUEST, FAL_NVME_WRITE_DATA_REQUEST,
                                     FAL_NVME_WRITE_DATA_RESPONSE, FAL_NVME_WRITE_COMPLETION};
    const uint8_t *types = write ? writes : reads;

    for (size_t i = 0; i < (write ? sizeof writes : sizeof reads); i++) {
        bool from_sut =
            (types[i] == FAL_NVME_READ_REQUEST || types[i] == FAL_NVME_WRITE_REQUEST ||
             types[i] == FAL_NVME_WRITE_DATA_RESPONSE) == out;
        const uint8_t head[] = {types[i], 0, 0};

        record(p, TIMELINE_NVME_PACKET | (from_sut ? TIMELINE_FROM_SUT : 0U), head,
               sizeof head);
    }
}

void seeds_rules(struct seeds *seeds)
{
    for (unsigned i = 0; i < 24 && seeds_wanted(seeds); i++) {
        struct program p = {.len = FUZZ_HEAD_LEN, .rng = fal_rng_split(seeds->seed, i)};

        p.bytes[0] = TIMELINE_NVME | TIMELINE_ORDERED_EVENTS |
                     (i % 2 == 0 ? TIMELINE_LOSSLESS : 0) | (i % 5 == 4 ? TIMELINE_MIDDLE : 0);
        ask(&p, FAL_NVME_NS);
        for (unsigned n = 0; n < 2; n++) {
            ask(&p, FAL_NVME_LBA);
            ask(&p, FAL_NVME_DEV_FORMAT);
            ask(&p, FAL_NVME_DEV_FILL);
        }
        ask(&p, FAL_NVME_DEV_POLICY);
        for (unsigned n = 0; n < 4; n++) {
            bool out = (i + n) % 2 == 0, write = (i / 2 + n) % 3 == 0;

            if (out)
                ask(&p, FAL_NVME_POST);
            exchange(&p, out, write);
            tell(&p, out ? FAL_NVME_CQE : FAL_NVME_DEV_CMD);
        }
        ask(&p, FAL_NVME_DEV_HASH);
        ask(&p, FAL_NVME_DEV_COMPLETE);
        ask(&p, FAL_NVME_DEV_IDENTIFY);
        (void)seeds_write(seeds, p.bytes, p.len);
    }
}
