/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/ulp/memory.h"

#include "oracles/payload.h"
#include "oracles/ulp/objects.h"
#include "oracles/ulp/odd.h"

#include <stdlib.h>

#define MEMORY_MAX (UINT64_C(256) << 20)
#define PAGE       UINT64_C(4096)

enum { KEY_SHIFT = 8, LKEY_MARK = 0x35, RKEY_MARK = 0xca };

/* ---- keys ---- */

/* Half the key is the region's number, so that no two have the same; the mask makes it look
 * like any other 32 bits. */
static uint32_t key_of(const struct fal_verbs_engine *engine, uint32_t number, uint32_t mark)
{
    return (number << KEY_SHIFT | mark) ^ engine->key_mask;
}

static struct fal_vb_mr *by_key(const struct fal_verbs_engine *engine, uint32_t key)
{
    return fal_vb_mr_get(engine, (key ^ engine->key_mask) >> KEY_SHIFT);
}

/* ---- words ---- */

static uint64_t most_memory(const struct fal_verbs_engine *engine)
{
    return engine->config.limits.memory > 0 ? engine->config.limits.memory : MEMORY_MAX;
}

/* Memory of its own, or the part of `within` that the word names. */
static int get_memory(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                      struct fal_vb_mr *mr, struct fal_error *err)
{
    const struct fal_vb_mr *whole;
    uint32_t within = 0;
    int rc = fal_vb_find_if(engine, FAL_VB_MR, ask->within, "within", &within, err);

    if (rc != 0)
        return rc;
    if (within > 0) {
        whole = fal_vb_mr_get(engine, within);
        if (fal_vb_bytes(whole, ask->offset, ask->length) == NULL)
            return fal_fail(err, FAL_ERR_RANGE,
                            "within '%s': offset and length are not inside it", ask->within);
        mr->memory = whole->memory;
        mr->offset = whole->offset + ask->offset;
        mr->va = whole->va + ask->offset;
        mr->memory->users++;
        return 0;
    }
    if (ask->length > most_memory(engine) - engine->memory)
        return fal_fail(err, FAL_ERR_RANGE, "length %llu: at most %llu bytes are left",
                        (unsigned long long)ask->length,
                        (unsigned long long)(most_memory(engine) - engine->memory));
    mr->memory = calloc(1, sizeof *mr->memory);
    if (mr->memory != NULL)
        mr->memory->bytes = calloc(1, ask->length);
    if (mr->memory == NULL || mr->memory->bytes == NULL) {
        free(mr->memory);
        mr->memory = NULL;
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    mr->memory->users = 1;
    mr->memory->length = ask->length;
    engine->memory += ask->length;
    mr->va = engine->next_va;
    engine->next_va += (ask->length + 2 * PAGE - 1) / PAGE * PAGE;
    return 0;
}

int fal_vb_mr_reg(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                  struct fal_verbs *answer, struct fal_error *err)
{
    struct fal_vb_mr *mr, made = {.length = ask->length, .access = ask->access};
    uint32_t number = 0;
    void *row = NULL;
    int rc = fal_vb_find(engine, FAL_VB_PD, ask->pd, "pd", &made.pd, err);

    if (rc == 0)
        rc = fal_vb_find_if(engine, FAL_VB_QP, ask->qp, "qp", &made.qp, err);
    if (rc != 0)
        return rc;
    if (ask->length == 0)
        return fal_fail(err, FAL_ERR_RANGE, "length 0: expected at least 1 byte");
    if (ask->has_va && ask->va + (ask->length - 1) < ask->va)
        return fal_fail(err, FAL_ERR_RANGE, "va: the region would end beyond 2^64");
    rc = get_memory(engine, ask, &made, err);
    if (rc != 0)
        return rc;
    rc = fal_vb_add(engine, FAL_VB_MR, &row, &number, err);
    if (rc != 0) {
        fal_vb_mr_end(engine, &made);
        return rc;
    }
    if (ask->has_va)
        made.va = ask->va;
    made.lkey = key_of(engine, number, LKEY_MARK);
    made.rkey = key_of(engine, number, RKEY_MARK);
    mr = row;
    *mr = made;
    fal_vb_name(FAL_VB_MR, number, answer->mr);
    answer->va = mr->va;
    answer->lkey = mr->lkey;
    answer->rkey = mr->rkey;
    return 0;
}

void fal_vb_mr_end(struct fal_verbs_engine *engine, struct fal_vb_mr *mr)
{
    struct fal_vb_memory *memory = mr->memory;

    mr->memory = NULL;
    if (memory == NULL || --memory->users > 0)
        return;
    engine->memory -= memory->length;
    free(memory->bytes);
    free(memory);
}

static int find_live(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     struct fal_vb_mr **mr, struct fal_error *err)
{
    uint32_t number = 0;
    int rc = fal_vb_find(engine, FAL_VB_MR, ask->mr, "mr", &number, err);

    if (rc != 0)
        return rc;
    *mr = fal_vb_mr_get(engine, number);
    return (*mr)->memory != NULL
               ? 0
               : fal_fail(err, FAL_ERR_RANGE, "mr '%s': the region has ended", ask->mr);
}

/* The bytes that a word names; NULL with a sentence in `err`. */
static uint8_t *range_of(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                         uint64_t length, int *rc, struct fal_error *err)
{
    struct fal_vb_mr *mr = NULL;
    uint8_t *bytes = NULL;

    *rc = find_live(engine, ask, &mr, err);
    if (*rc == 0)
        bytes = fal_vb_bytes(mr, ask->offset, length);
    if (*rc == 0 && bytes == NULL)
        *rc = fal_fail(err, FAL_ERR_RANGE,
                       "offset %llu and length %llu: the region has %llu bytes",
                       (unsigned long long)ask->offset, (unsigned long long)length,
                       (unsigned long long)mr->length);
    return bytes;
}

int fal_vb_mr_dereg(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                    struct fal_error *err)
{
    struct fal_vb_mr *mr = NULL;
    int rc = find_live(engine, ask, &mr, err);

    if (rc == 0)
        fal_vb_mr_end(engine, mr);
    return rc;
}

int fal_vb_mr_fill(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                   struct fal_error *err)
{
    int rc;
    uint8_t *bytes = range_of(engine, ask, ask->length, &rc, err);

    if (bytes != NULL)
        fal_payload_fill(ask->tag, ask->seed, bytes, ask->length);
    return rc;
}

int fal_vb_mr_hash(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                   struct fal_verbs *answer, struct fal_error *err)
{
    int rc;
    const uint8_t *bytes = range_of(engine, ask, ask->length, &rc, err);

    if (bytes != NULL)
        answer->hash = fal_payload_hash(bytes, ask->length);
    return rc;
}

int fal_vb_mr_word(struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                   struct fal_verbs *answer, struct fal_error *err)
{
    int rc;
    uint8_t *bytes = range_of(engine, ask, sizeof ask->set, &rc, err);

    if (bytes == NULL)
        return rc;
    answer->value = fal_vb_word_read(bytes);
    if (ask->has_set)
        fal_vb_word_write(bytes, ask->set);
    return 0;
}

/* ---- bytes ---- */

uint64_t fal_vb_word_read(const uint8_t *bytes)
{
    uint64_t value = 0;

    for (unsigned i = 8; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

void fal_vb_word_write(uint8_t *bytes, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

uint8_t *fal_vb_bytes(const struct fal_vb_mr *mr, uint64_t offset, uint64_t length)
{
    if (mr == NULL || mr->memory == NULL || offset > mr->length || length > mr->length - offset)
        return NULL;
    return mr->memory->bytes + mr->offset + offset;
}

uint8_t *fal_vb_remote(const struct fal_verbs_engine *engine, const struct fal_vb_touch *touch)
{
    uint8_t *bytes = fal_vb_remote_plain(engine, touch);

    return fal_vb_either(engine, bytes, fal_vb_at_touch(engine, touch, bytes));
}

uint8_t *fal_vb_remote_plain(const struct fal_verbs_engine *engine,
                             const struct fal_vb_touch *touch)
{
    const struct fal_vb_mr *mr = by_key(engine, touch->rkey);

    if (mr == NULL || mr->memory == NULL || mr->rkey != touch->rkey || mr->invalid)
        return NULL;
    if (mr->pd != touch->pd || (mr->access & touch->access) != touch->access ||
        touch->va < mr->va)
        return NULL;
    return fal_vb_bytes(mr, touch->va - mr->va, touch->length);
}

struct fal_vb_mr *fal_vb_invalidable(const struct fal_verbs_engine *engine,
                                     const struct fal_vb_qp *qp, uint32_t rkey)
{
    struct fal_vb_mr *mr = by_key(engine, rkey);

    if (mr == NULL || mr->memory == NULL || mr->rkey != rkey || mr->invalid ||
        mr->pd != qp->pd || (mr->access & FAL_VERBS_INVALIDATE) == 0)
        return NULL;
    return mr->qp == 0 || mr->qp == qp->self ? mr : NULL;
}

/* ---- scatter-gather lists ---- */

int fal_vb_list_read(const struct fal_verbs_engine *engine, const struct fal_verbs *ask,
                     uint32_t most, struct fal_vb_sge *out, struct fal_error *err)
{
    if (ask->num_sge > most)
        return fal_fail(err, FAL_ERR_RANGE, "sgl: %zu entries; the queue pair takes %u",
                        ask->num_sge, most);
    for (size_t i = 0; i < ask->num_sge; i++) {
        const struct fal_verbs_sge *sge = &ask->sgl[i];
        int rc = fal_vb_find(engine, FAL_VB_MR, sge->mr, "sgl: mr", &out[i].mr, err);

        if (rc != 0)
            return rc;
        out[i].offset = sge->offset;
        out[i].length = sge->length;
    }
    return 0;
}

const struct fal_vb_sge *fal_vb_entry(struct fal_vb_list list, uint64_t offset, uint32_t *at)
{
    const struct fal_vb_sge *sge = list.sge;

    for (size_t i = 0; i < list.num; i++, sge++) {
        if (offset < sge->length) {
            *at = (uint32_t)offset;
            return sge;
        }
        offset -= sge->length;
    }
    return NULL;
}

/* The bytes of an entry from `at` on, and how many of `length` these are. NULL if they may not
 * be touched. */
static uint8_t *piece_of(const struct fal_verbs_engine *engine, const struct fal_vb_sge *sge,
                         uint32_t pd, uint32_t at, uint32_t length)
{
    const struct fal_vb_mr *mr = fal_vb_mr_get(engine, sge->mr);

    if (mr == NULL || mr->pd != pd || sge->offset > UINT64_MAX - at)
        return NULL;
    return fal_vb_bytes(mr, sge->offset + at, length);
}

static uint32_t piece_length(const struct fal_vb_sge *sge, uint32_t at, uint32_t length)
{
    return sge->length - at < length ? sge->length - at : length;
}

bool fal_vb_gather(const struct fal_verbs_engine *engine, struct fal_vb_list list, uint32_t pd,
                   uint64_t offset, uint8_t *out, uint32_t length)
{
    const struct fal_vb_sge *sge;
    uint32_t at = 0, n;
    bool all = true;

    for (uint32_t done = 0; done < length; done += n) {
        const uint8_t *bytes;

        sge = fal_vb_entry(list, offset + done, &at);
        if (sge == NULL) {
            memset(out + done, 0, length - done);
            return false;
        }
        n = piece_length(sge, at, length - done);
        bytes = piece_of(engine, sge, pd, at, n);
        if (bytes != NULL)
            memcpy(out + done, bytes, n);
        else
            memset(out + done, 0, n);
        all = all && bytes != NULL;
    }
    return all;
}

static bool writable(const struct fal_verbs_engine *engine, const struct fal_vb_sge *sge)
{
    return (fal_vb_mr_get(engine, sge->mr)->access & FAL_VERBS_LOCAL_WRITE) != 0;
}

bool fal_vb_scatter(const struct fal_verbs_engine *engine, struct fal_vb_list list, uint32_t pd,
                    uint64_t offset, const uint8_t *bytes, uint32_t length)
{
    /* First whether it may be done, then doing it. */
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t done = 0, n; done < length; done += n) {
            uint32_t at = 0;
            const struct fal_vb_sge *sge = fal_vb_entry(list, offset + done, &at);
            uint8_t *to;

            if (sge == NULL)
                return false;
            n = piece_length(sge, at, length - done);
            to = piece_of(engine, sge, pd, at, n);
            if (to == NULL || !writable(engine, sge))
                return false;
            if (pass == 1)
                memcpy(to, bytes + done, n);
        }
    return true;
}
