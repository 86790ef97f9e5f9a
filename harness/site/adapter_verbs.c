/* SPDX-License-Identifier: Apache-2.0
 * adapter_verbs.c - checks of the words of RDMA verbs (levels L2v and L3v). An adapter need not
 * have them; then it must refuse them as unknown commands. */
#include "harness/site/adapter_check_impl.h"

#include "oracles/payload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REGION = 4096, FILLED = 64, TAG = 1, SEED = 0, MEMBERS_MAX = 400 };

/* What a check makes: a connection for verbs, and on it one of each. */
struct objects {
    char conn[TL_CHECK_CONN], pd[FAL_VERBS_NAME_MAX], cq[FAL_VERBS_NAME_MAX],
        mr[FAL_VERBS_NAME_MAX], qp[FAL_VERBS_NAME_MAX];
    uint64_t va;
    struct fal_verbs answer; /* of the last word that was carried out */
};

/* ---- words ---- */

/* Asks for a word and reads what its reply adds. */
static bool word(struct tl_checker *c, struct objects *o, enum fal_verbs_kind kind,
                 const char *outcome, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool word(struct tl_checker *c, struct objects *o, enum fal_verbs_kind kind,
                 const char *outcome, const char *format, ...)
{
    char members[MEMBERS_MAX];
    union tl_word answer = {.verbs = o->answer};
    va_list args;
    bool good;

    va_start(args, format);
    (void)vsnprintf(members, sizeof members, format, args);
    va_end(args);
    good = tl_check_word(c, tl_words_of(TL_UPPER_VERBS), kind, &answer, outcome, members);
    o->answer = answer.verbs;
    return good;
}

static void keep(char out[FAL_VERBS_NAME_MAX], const char *handle)
{
    (void)snprintf(out, FAL_VERBS_NAME_MAX, "%s", handle);
}

/* A domain, a queue, a region and a queue pair. */
static bool make(struct tl_checker *c, struct objects *o)
{
    if (!tl_check_upper_open(c, TL_UPPER_VERBS, "", o->conn) ||
        !word(c, o, FAL_VERBS_PD_CREATE, "ok", "%s", ""))
        return false;
    keep(o->pd, o->answer.pd);
    if (!word(c, o, FAL_VERBS_CQ_CREATE, "ok", "\"depth\": 16"))
        return false;
    keep(o->cq, o->answer.cq);
    if (!word(c, o, FAL_VERBS_MR_REG, "ok",
              "\"pd\": \"%s\", \"length\": %d, \"access\": [\"lw\", \"rw\", \"rr\"]", o->pd,
              REGION))
        return false;
    keep(o->mr, o->answer.mr);
    o->va = o->answer.va;
    if (!word(c, o, FAL_VERBS_QP_CREATE, "ok",
              "\"type\": \"rc\", \"pd\": \"%s\", \"send_cq\": \"%s\", \"recv_cq\": \"%s\", "
              "\"sq\": 8, \"rq\": 8, \"path_mtu\": 1024",
              o->pd, o->cq, o->cq))
        return false;
    keep(o->qp, o->answer.qp);
    return word(c, o, FAL_VERBS_QP_CONNECT, "ok",
                "\"qp\": \"%s\", \"conn\": \"%s\", \"dest_qpn\": 17", o->qp, o->conn);
}

/* ---- the checks ---- */

bool tl_check_verbs(struct tl_checker *c)
{
    struct objects o = {.va = 0};

    if (c->word_levels[TL_UPPER_VERBS] == 0)
        return tl_check_no_words(c, TL_UPPER_VERBS);
    return make(c, &o) && word(c, &o, FAL_VERBS_QP_QUERY, "ok", "\"qp\": \"%s\"", o.qp) &&
           word(c, &o, FAL_VERBS_SRQ_CREATE, "ok|unsupported", "\"pd\": \"%s\", \"depth\": 4",
                o.pd) &&
           word(c, &o, FAL_VERBS_AH_CREATE, "ok|unsupported",
                "\"pd\": \"%s\", \"conn\": \"%s\"", o.pd, o.conn) &&
           tl_check_upper_close(c, o.conn);
}

/* The hash of the bytes that mr_fill writes. */
static uint64_t filled(void)
{
    uint8_t bytes[FILLED];

    fal_payload_fill(TAG, SEED, bytes, sizeof bytes);
    return fal_payload_hash(bytes, sizeof bytes);
}

static bool fills(struct tl_checker *c, struct objects *o)
{
    return word(c, o, FAL_VERBS_MR_FILL, "ok",
                "\"mr\": \"%s\", \"offset\": 128, \"length\": %d, \"tag\": %d, \"seed\": %d",
                o->mr, FILLED, TAG, SEED) &&
           word(c, o, FAL_VERBS_MR_HASH, "ok",
                "\"mr\": \"%s\", \"offset\": 128, \"length\": %d", o->mr, FILLED) &&
           (o->answer.hash == filled() ||
            tl_adapter_wrong(c,
                             "mr_hash of %d bytes that mr_fill wrote with tag %d: expected "
                             "0x%016" PRIx64 ", seen 0x%016" PRIx64,
                             FILLED, TAG, filled(), o->answer.hash));
}

/* mr_word returns the value before, and sets another. */
static bool sets(struct tl_checker *c, struct objects *o)
{
    static const uint64_t values[] = {7, UINT64_C(0x8000000000000001)};

    for (size_t i = 0; i < 2; i++)
        if (!word(c, o, FAL_VERBS_MR_WORD, "ok",
                  "\"mr\": \"%s\", \"offset\": 256, \"set\": \"0x%" PRIx64 "\"", o->mr,
                  values[i]))
            return false;
    if (o->answer.value != values[0])
        return tl_adapter_wrong(
            c, "mr_word: expected the value that was set before, 0x%" PRIx64, values[0]);
    return word(c, o, FAL_VERBS_MR_WORD, "ok", "\"mr\": \"%s\", \"offset\": 256", o->mr) &&
           (o->answer.value == values[1] ||
            tl_adapter_wrong(c, "mr_word: expected 0x%" PRIx64 ", seen 0x%" PRIx64, values[1],
                             o->answer.value));
}

bool tl_check_verbs_memory(struct tl_checker *c)
{
    struct objects o = {.va = 0};

    return make(c, &o) && fills(c, &o) && sets(c, &o) &&
           word(c, &o, FAL_VERBS_MR_HASH, "failed",
                "\"mr\": \"%s\", \"offset\": %d, \"length\": 2", o.mr, REGION - 1) &&
           word(c, &o, FAL_VERBS_MR_FILL, "failed", "\"mr\": \"%s\", \"length\": %d", o.mr,
                REGION + 1) &&
           tl_check_upper_close(c, o.conn);
}

bool tl_check_verbs_posts(struct tl_checker *c)
{
    struct objects o = {.va = 0};

    return make(c, &o) &&
           word(c, &o, FAL_VERBS_CQ_ARM, "ok", "\"cq\": \"%s\", \"solicited_only\": false",
                o.cq) &&
           word(c, &o, FAL_VERBS_POST_RECV, "ok",
                "\"qp\": \"%s\", \"wr_id\": 1, \"sgl\": [{\"mr\": \"%s\", \"length\": 64}]",
                o.qp, o.mr) &&
           word(
               c, &o, FAL_VERBS_POST_SEND, "ok",
               "\"qp\": \"%s\", \"wr_id\": \"0x8000000000000001\", \"op\": \"write\", \"sgl\": "
               "[{\"mr\": \"%s\", \"offset\": 64, \"length\": 64}], \"remote\": {\"va\": 4096, "
               "\"rkey\": 7}, \"flags\": [\"signaled\"]",
               o.qp, o.mr) &&
           SAYS(c, "failed|unsupported",
                "\"post\", \"conn\": \"%s\", \"op\": \"push\", \"length\": 8, \"tag\": 1",
                o.conn) &&
           tl_check_upper_close(c, o.conn) &&
           word(c, &o, FAL_VERBS_MR_DEREG, "ok|busy", "\"mr\": \"%s\"", o.mr);
}

/* Commands that no adapter can carry out: an unknown handle, a word that there is not, or a
 * member that is missing. */
static const struct {
    enum fal_verbs_kind kind;
    const char *members;
} impossible[] = {
    {FAL_VERBS_CQ_CREATE, ""},
    {FAL_VERBS_SRQ_CREATE, "\"pd\": \"no such\", \"depth\": 4"},
    {FAL_VERBS_MR_REG, "\"pd\": \"no such\", \"length\": 64, \"access\": [\"lw\"]"},
    {FAL_VERBS_MR_REG, "\"length\": 64"},
    {FAL_VERBS_MR_DEREG, "\"mr\": \"no such\""},
    {FAL_VERBS_MR_DEREG, ""},
    {FAL_VERBS_MR_FILL, "\"mr\": \"no such\", \"length\": 8"},
    {FAL_VERBS_MR_HASH, "\"mr\": \"no such\", \"length\": 8"},
    {FAL_VERBS_MR_WORD, "\"mr\": \"no such\""},
    {FAL_VERBS_QP_CREATE, "\"pd\": \"no such\", \"send_cq\": \"a\", \"recv_cq\": \"a\""},
    {FAL_VERBS_QP_CREATE, "\"type\": \"rc\""},
    {FAL_VERBS_QP_CONNECT, "\"qp\": \"no such\", \"conn\": \"no such\", \"dest_qpn\": 1"},
    {FAL_VERBS_AH_CREATE, "\"pd\": \"no such\", \"conn\": \"no such\""},
    {FAL_VERBS_QP_QUERY, "\"qp\": \"no such\""},
    {FAL_VERBS_QP_QUERY, ""},
    {FAL_VERBS_POST_SEND, "\"qp\": \"no such\", \"wr_id\": 1, \"op\": \"send\""},
    {FAL_VERBS_POST_RECV, "\"qp\": \"no such\", \"wr_id\": 1"},
    {FAL_VERBS_CQ_ARM, "\"cq\": \"no such\""},
};

bool tl_check_verbs_wrong(struct tl_checker *c)
{
    struct objects o = {.va = 0};

    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
        if (!word(c, &o, impossible[i].kind, "failed|unsupported", "%s", impossible[i].members))
            return false;
    return make(c, &o) &&
           word(c, &o, FAL_VERBS_POST_SEND, "failed",
                "\"qp\": \"%s\", \"wr_id\": 1, \"op\": \"throw\"", o.qp) &&
           word(c, &o, FAL_VERBS_POST_SEND, "failed", "\"qp\": \"%s\", \"op\": \"send\"",
                o.qp) &&
           word(c, &o, FAL_VERBS_QP_CREATE, "failed|unsupported",
                "\"type\": \"smoke\", \"pd\": \"%s\", \"send_cq\": \"%s\", \"recv_cq\": \"%s\"",
                o.pd, o.cq, o.cq) &&
           tl_check_upper_close(c, o.conn);
}
