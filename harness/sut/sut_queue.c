/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/sut_queue.h"

#include "codecs/base/error.h"
#include "harness/wire/protocol.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT_MAX = 1024 }; /* bytes of most items */

static struct tl_sut_item *new_item(struct tl_sut_queue *queue, size_t len)
{
    struct tl_sut_item *spare = queue->spare;

    if (len > SHORT_MAX)
        return malloc(sizeof *spare + len + 1);
    if (spare == NULL)
        return malloc(sizeof *spare + SHORT_MAX + 1);
    queue->spare = spare->next;
    return spare;
}

static void free_item(struct tl_sut_item *item)
{
    if (item != NULL)
        json_decref(item->object);
    free(item);
}

/* The item may be NULL. */
static void done_with(struct tl_sut_queue *queue, struct tl_sut_item *item)
{
    if (item == NULL || item->len > SHORT_MAX) {
        free_item(item);
        return;
    }
    json_decref(item->object);
    item->object = NULL;
    item->next = queue->spare;
    queue->spare = item;
}

static void free_list(struct tl_sut_list *list)
{
    while (list->head != NULL) {
        struct tl_sut_item *item = list->head;

        list->head = item->next;
        free_item(item);
    }
    *list = (struct tl_sut_list){0};
}

void tl_sut_queue_free(struct tl_sut_queue *queue)
{
    free_list(&queue->list[TL_SUT_FRAME]);
    free_list(&queue->list[TL_SUT_LINE]);
    free_item(queue->taken);
    queue->taken = NULL;
    while (queue->spare != NULL) {
        struct tl_sut_item *next = queue->spare->next;

        free_item(queue->spare);
        queue->spare = next;
    }
}

/* What an item counts towards the limit. */
static size_t cost_of(const struct tl_sut_item *item)
{
    return sizeof *item + (item->is_said ? 0 : item->len);
}

static int add(struct tl_sut_queue *queue, enum tl_sut_out_kind kind,
               const struct tl_sut_item *head, const void *bytes)
{
    struct tl_sut_list *list = &queue->list[kind];
    struct tl_sut_item *item = new_item(queue, head->len);

    if (item == NULL)
        return FAL_ERR_MEM;
    *item = *head;
    item->order = queue->order++;
    memcpy(item->bytes, bytes, item->len);
    item->bytes[item->len] = 0;
    if (list->tail != NULL)
        list->tail->next = item;
    else
        list->head = item;
    list->tail = item;
    list->bytes += cost_of(item);
    return 0;
}

int tl_sut_queue_add(struct tl_sut_queue *queue, enum tl_sut_out_kind kind, uint32_t conn,
                     const void *bytes, size_t len)
{
    return add(queue, kind, &(struct tl_sut_item){.conn = conn, .len = len}, bytes);
}

int tl_sut_queue_frame(struct tl_sut_queue *queue, uint32_t conn, uint16_t path,
                       const void *bytes, size_t len)
{
    return add(queue, TL_SUT_FRAME,
               &(struct tl_sut_item){.conn = conn, .path = path, .len = len}, bytes);
}

int tl_sut_queue_said(struct tl_sut_queue *queue, const struct tl_protocol_said *said)
{
    return add(queue, TL_SUT_LINE, &(struct tl_sut_item){.is_said = true, .len = sizeof *said},
               said);
}

int tl_sut_queue_object(struct tl_sut_queue *queue, json_t *object)
{
    int rc = tl_sut_queue_add(queue, TL_SUT_LINE, 0, "", 0);

    if (rc == 0)
        queue->list[TL_SUT_LINE].tail->object = object;
    else
        json_decref(object);
    return rc;
}

bool tl_sut_queue_full(const struct tl_sut_queue *queue, enum tl_sut_out_kind kind)
{
    switch (kind) {
    case TL_SUT_FRAME: return queue->list[kind].bytes >= TL_SUT_FRAME_BYTES;
    case TL_SUT_LINE: return queue->list[kind].bytes >= TL_SUT_EVENT_BYTES;
    }
    return false;
}

bool tl_sut_queue_take(struct tl_sut_queue *queue, struct tl_sut_out *out)
{
    const struct tl_sut_item *frame = queue->list[TL_SUT_FRAME].head;
    const struct tl_sut_item *line = queue->hold_lines ? NULL : queue->list[TL_SUT_LINE].head;
    enum tl_sut_out_kind kind = line == NULL || (frame != NULL && frame->order < line->order)
                                    ? TL_SUT_FRAME
                                    : TL_SUT_LINE;
    struct tl_sut_list *list = &queue->list[kind];
    struct tl_sut_item *item = list->head;
    bool plain;

    done_with(queue, queue->taken);
    queue->taken = NULL;
    if (frame == NULL && line == NULL)
        return false;
    plain = item->object == NULL && !item->is_said;
    list->head = item->next;
    if (list->head == NULL)
        list->tail = NULL;
    list->bytes -= cost_of(item);
    queue->taken = item;
    *out = (struct tl_sut_out){.kind = kind,
                               .bytes = plain ? item->bytes : NULL,
                               .len = item->len,
                               .object = item->object,
                               .said = item->is_said ? (const void *)item->bytes : NULL,
                               .conn = item->conn,
                               .path = item->path};
    return true;
}

void tl_sut_queue_drop(struct tl_sut_queue *queue, uint32_t conn)
{
    struct tl_sut_list *list = &queue->list[TL_SUT_FRAME], kept = {0};

    while (list->head != NULL) {
        struct tl_sut_item *item = list->head;

        list->head = item->next;
        if (item->conn == conn) {
            free_item(item);
            continue;
        }
        item->next = NULL;
        if (kept.tail != NULL)
            kept.tail->next = item;
        else
            kept.head = item;
        kept.tail = item;
        kept.bytes += cost_of(item);
    }
    *list = kept;
}
