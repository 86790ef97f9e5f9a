/* SPDX-License-Identifier: Apache-2.0
 * memory.c - the engine's regions show the memory of the application, as a device reads and
 * writes it. The engine allocates regions of its own, so its rows are changed here. */
#include "tests/verbs_mock/mock.h"

#include "harness/sut/sut_state.h"
#include "oracles/ulp/memory.h"
#include "oracles/ulp/objects.h"

#include <errno.h>
#include <stdlib.h>

static struct fal_verbs_engine *engine_of(const struct mock *mock)
{
    return mock->sut->engines[TL_UPPER_VERBS];
}

static struct fal_vb_mr *row_of(const struct mock *mock, const char *region)
{
    uint32_t number = 0;

    if (fal_vb_find(engine_of(mock), FAL_VB_MR, region, "mr", &number, NULL) != 0)
        return NULL;
    return fal_vb_mr_get(engine_of(mock), number);
}

/* `within` has its bytes already. */
void mock_memory_share(struct mock *mock, const char *region, uint8_t *bytes)
{
    struct fal_vb_mr *mr = row_of(mock, region);

    if (mr->memory->users > 1)
        return;
    free(mr->memory->bytes);
    mr->memory->bytes = bytes;
}

void mock_memory_end(struct mock *mock, const char *region)
{
    struct fal_vb_mr *mr = row_of(mock, region);

    if (mr != NULL && mr->memory != NULL && mr->memory->users == 1)
        mr->memory->bytes = NULL;
}

int mock_memory_bind(struct mock *mock, const char *window, const struct mock_mr *mr,
                     const struct ibv_send_wr *wr)
{
    struct fal_vb_mr *to = row_of(mock, window), *of = row_of(mock, mr->name);
    const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
    uint64_t at = info->addr - of->va;

    if (fal_vb_bytes(of, at, info->length) == NULL)
        return EINVAL;
    fal_vb_mr_end(engine_of(mock), to);
    to->memory = of->memory;
    to->memory->users++;
    to->offset = of->offset + at;
    to->length = info->length;
    to->va = info->addr;
    to->rkey =
        wr->bind_mw.rkey; /* its low byte alone differs, which is no part of the number */
    to->access = FAL_VERBS_INVALIDATE;
    if (info->mw_access_flags & IBV_ACCESS_REMOTE_WRITE)
        to->access |= FAL_VERBS_REMOTE_WRITE;
    if (info->mw_access_flags & IBV_ACCESS_REMOTE_READ)
        to->access |= FAL_VERBS_REMOTE_READ;
    if (info->mw_access_flags & IBV_ACCESS_REMOTE_ATOMIC)
        to->access |= FAL_VERBS_REMOTE_ATOMIC;
    return 0;
}
