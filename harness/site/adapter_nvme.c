/* SPDX-License-Identifier: Apache-2.0
 * adapter_nvme.c - checks of the words of NVMe (levels L2n and L3n). An adapter need not have
 * them; then it must refuse them as unknown commands. */
#include "harness/site/adapter_check_impl.h"

#include "oracles/payload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { BLOCK = 4096, BLOCKS = 2, TAG = 1, SEED = 0, MEMBERS_MAX = 300 };

/* What a check makes: a connection for NVMe, and a namespace with one row. */
struct space {
    char conn[TL_CHECK_CONN];
    struct fal_nvme_word answer; /* of the last word that was carried out */
};

static bool word(struct tl_checker *c, struct space *s, enum fal_nvme_word_kind kind,
                 const char *outcome, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool word(struct tl_checker *c, struct space *s, enum fal_nvme_word_kind kind,
                 const char *outcome, const char *format, ...)
{
    union tl_word answer = {.nvme = s->answer};
    char members[MEMBERS_MAX];
    va_list args;
    bool good;

    va_start(args, format);
    (void)vsnprintf(members, sizeof members, format, args);
    va_end(args);
    good = tl_check_word(c, tl_words_of(TL_UPPER_NVME), kind, &answer, outcome, members);
    s->answer = answer.nvme;
    return good;
}

static bool make(struct tl_checker *c, struct space *s)
{
    return tl_check_upper_open(c, TL_UPPER_NVME,
                               "\"ordered\": false, \"protocol_type\": 3, \"mtu\": 4300",
                               s->conn) &&
           word(c, s, FAL_NVME_NS, "ok", "\"nsid\": 1, \"start\": 0, \"S\": 2") &&
           word(c, s, FAL_NVME_LBA, "ok",
                "\"index\": 0, \"valid\": true, \"conn\": \"%s\", \"target_nsid\": 1, "
                "\"chunk\": 3",
                s->conn);
}

bool tl_check_nvme(struct tl_checker *c)
{
    struct space s = {.conn = ""};

    if (c->word_levels[TL_UPPER_NVME] == 0)
        return tl_check_no_words(c, TL_UPPER_NVME);
    return make(c, &s) && word(c, &s, FAL_NVME_LBA, "ok", "\"index\": 0, \"valid\": false") &&
           tl_check_upper_close(c, s.conn);
}

bool tl_check_nvme_posts(struct tl_checker *c)
{
    struct space s = {.conn = ""};

    return make(c, &s) &&
           word(c, &s, FAL_NVME_POST, "ok",
                "\"cmd\": \"0x8000000000000001\", \"op\": \"write\", \"nsid\": 1, \"slba\": "
                "0, \"nlb0\": 1, \"tag\": %d, \"seed\": %d",
                TAG, SEED) &&
           SAYS(c, "failed|unsupported",
                "\"post\", \"conn\": \"%s\", \"op\": \"push\", \"length\": 8, \"tag\": 1",
                s.conn) &&
           tl_check_upper_close(c, s.conn);
}

/* The hash of the blocks that dev_fill writes. */
static uint64_t filled(void)
{
    uint8_t bytes[BLOCKS * BLOCK];

    fal_payload_fill(TAG, SEED, bytes, sizeof bytes);
    return fal_payload_hash(bytes, sizeof bytes);
}

bool tl_check_nvme_devices(struct tl_checker *c)
{
    struct space s = {.conn = ""};

    if (!make(c, &s) ||
        !word(c, &s, FAL_NVME_DEV_FORMAT, "ok",
              "\"dev\": 0, \"nsid\": 1, \"block_shift\": 12, \"metadata\": 16") ||
        !word(c, &s, FAL_NVME_DEV_FILL, "ok",
              "\"dev\": 0, \"nsid\": 1, \"slba\": 7, \"nlb0\": %d, \"tag\": %d, \"seed\": %d",
              BLOCKS - 1, TAG, SEED) ||
        !word(c, &s, FAL_NVME_DEV_HASH, "ok",
              "\"dev\": 0, \"nsid\": 1, \"slba\": 7, \"nlb0\": %d", BLOCKS - 1))
        return false;
    if (s.answer.hash != filled())
        return tl_adapter_wrong(c,
                                "dev_hash of %d blocks that dev_fill wrote with tag %d: "
                                "expected 0x%016" PRIx64 ", seen 0x%016" PRIx64,
                                BLOCKS, TAG, filled(), s.answer.hash);
    return word(c, &s, FAL_NVME_DEV_POLICY, "ok", "\"after_ns\": 1000, \"status\": 0") &&
           word(c, &s, FAL_NVME_DEV_IDENTIFY, "ok|unsupported", "\"dev\": 0, \"nsid\": 1") &&
           word(c, &s, FAL_NVME_DEV_COMPLETE, "failed", "\"dcmd\": 999999") &&
           tl_check_upper_close(c, s.conn);
}

/* Commands that no adapter can carry out: an unknown namespace or connection, a value that
 * there is not, or a member that is missing. */
static const struct {
    enum fal_nvme_word_kind kind;
    const char *members;
} impossible[] = {
    {FAL_NVME_NS, ""},
    {FAL_NVME_NS, "\"nsid\": 1, \"pi\": \"no such\""},
    {FAL_NVME_NS, "\"nsid\": 1, \"block_shift\": 10"},
    {FAL_NVME_LBA, ""},
    {FAL_NVME_LBA, "\"index\": 0, \"valid\": true, \"conn\": \"no such\""},
    {FAL_NVME_POST, ""},
    {FAL_NVME_POST, "\"cmd\": 1, \"op\": \"read\", \"nsid\": 77, \"slba\": 0"},
    {FAL_NVME_POST, "\"cmd\": 1, \"op\": \"erase\", \"nsid\": 1, \"slba\": 0"},
    {FAL_NVME_POST, "\"cmd\": 1, \"op\": \"read\", \"nsid\": 1"},
    {FAL_NVME_DEV_FILL, "\"nsid\": 1"},
    {FAL_NVME_DEV_HASH, ""},
    {FAL_NVME_DEV_COMPLETE, ""},
    {FAL_NVME_DEV_POLICY, "\"status\": 32768"},
};

bool tl_check_nvme_wrong(struct tl_checker *c)
{
    struct space s = {.conn = ""};

    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
        if (!word(c, &s, impossible[i].kind, "failed|unsupported", "%s", impossible[i].members))
            return false;
    return make(c, &s) &&
           word(c, &s, FAL_NVME_POST, "failed",
                "\"cmd\": 1, \"op\": \"read\", \"nsid\": 1, \"slba\": 0, \"nlb0\": 65535") &&
           tl_check_upper_close(c, s.conn);
}
