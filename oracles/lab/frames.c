/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/lab/frames.h"

#include "oracles/lab/fabric.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 1024 };

static bool grow(struct fal_lab_frames *frames)
{
    uint32_t cap = frames->cap > 0 ? frames->cap * 2 : FIRST;
    struct fal_lab_frame *list = realloc(frames->list, cap * sizeof *list);

    if (list == NULL)
        return false;
    frames->list = list;
    for (uint32_t i = frames->cap; i < cap; i++)
        list[i].next = i + 1 < cap ? i + 1 : FAL_LAB_NONE;
    frames->free = frames->cap;
    frames->cap = cap;
    return true;
}

uint32_t fal_lab_frame_keep(struct fal_lab_frames *frames, uint32_t flow,
                            const struct fal_endpoint_out *out)
{
    uint32_t number;
    struct fal_lab_frame *frame;

    if (out->len > FAL_LAB_FRAME ||
        ((frames->cap == 0 || frames->free == FAL_LAB_NONE) && !grow(frames)))
        return FAL_LAB_NONE;
    number = frames->free;
    frame = &frames->list[number];
    frames->free = frame->next;
    frame->flow = flow;
    frame->len = (uint32_t)out->len;
    frame->seal = out->seal;
    memcpy(frame->bytes, out->bytes, out->len);
    return number;
}

void fal_lab_frame_free(struct fal_lab_frames *frames, uint32_t number)
{
    frames->list[number].next = frames->free;
    frames->free = number;
}
