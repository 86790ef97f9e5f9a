/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/control_io.h"

#include "codecs/base/error.h"

#include <stdlib.h>
#include <string.h>

/* Twice the longest line: there is room for another line behind an unfinished one, and data is
 * moved rarely. */
enum { CAP = 2 * (TL_LINE_MAX + 1) };

int tl_line_reader_init(struct tl_line_reader *reader)
{
    *reader = (struct tl_line_reader){.buf = malloc(CAP)};
    return reader->buf != NULL ? 0 : FAL_ERR_MEM;
}

void tl_line_reader_free(struct tl_line_reader *reader)
{
    free(reader->buf);
    *reader = (struct tl_line_reader){0};
}

void tl_line_reader_clear(struct tl_line_reader *reader)
{
    reader->start = reader->scanned = reader->end = 0;
    reader->skipping = false;
}

char *tl_line_reader_space(struct tl_line_reader *reader, size_t *room)
{
    if (reader->start == reader->end) {
        reader->start = reader->scanned = reader->end = 0;
    } else if (CAP - reader->end < TL_LINE_MAX / 2) {
        memmove(reader->buf, reader->buf + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->scanned -= reader->start;
        reader->start = 0;
    }
    *room = CAP - reader->end;
    return reader->buf + reader->end;
}

void tl_line_reader_added(struct tl_line_reader *reader, size_t len)
{
    reader->end += len;
}

enum tl_line tl_line_reader_next(struct tl_line_reader *reader, char **line, size_t *len)
{
    while (reader->scanned < reader->end) {
        char *from = reader->buf + reader->scanned;
        char *newline = memchr(from, '\n', reader->end - reader->scanned);
        size_t begin = reader->start;

        if (newline == NULL) {
            reader->scanned = reader->end;
            break;
        }
        reader->start = reader->scanned = (size_t)(newline - reader->buf) + 1;
        if (reader->skipping) {
            reader->skipping = false;
            continue;
        }
        *newline = 0;
        *line = reader->buf + begin;
        *len = (size_t)(newline - *line);
        return *len <= TL_LINE_MAX ? TL_LINE_WHOLE : TL_LINE_TOO_LONG;
    }
    if (reader->skipping) {
        reader->start = reader->scanned = reader->end;
    } else if (reader->end - reader->start > TL_LINE_MAX) {
        reader->skipping = true;
        reader->start = reader->scanned = reader->end;
        return TL_LINE_TOO_LONG;
    }
    return TL_LINE_NONE;
}

size_t tl_line_reader_rest(const struct tl_line_reader *reader)
{
    return reader->end - reader->start;
}

int tl_outbox_line(struct tl_outbox *box, const char *line, size_t len, size_t limit)
{
    size_t waiting = box->end - box->start;

    if (len >= limit || waiting > limit - len - 1)
        return FAL_ERR_SHORT;
    if (box->start > 0 && box->cap - box->end < len + 1) {
        memmove(box->buf, box->buf + box->start, waiting);
        box->start = 0;
        box->end = waiting;
    }
    if (box->cap - box->end < len + 1) {
        size_t cap = (waiting + len + 1) * 2;
        char *buf = realloc(box->buf, cap);

        if (buf == NULL)
            return FAL_ERR_MEM;
        box->buf = buf;
        box->cap = cap;
    }
    memcpy(box->buf + box->end, line, len);
    box->end += len;
    box->buf[box->end++] = '\n';
    return 0;
}

const char *tl_outbox_peek(const struct tl_outbox *box, size_t *len)
{
    *len = box->end - box->start;
    return *len > 0 ? box->buf + box->start : NULL;
}

void tl_outbox_written(struct tl_outbox *box, size_t len)
{
    box->start += len;
    if (box->start == box->end)
        box->start = box->end = 0;
}

void tl_outbox_clear(struct tl_outbox *box)
{
    box->start = box->end = 0;
}

void tl_outbox_free(struct tl_outbox *box)
{
    free(box->buf);
    *box = (struct tl_outbox){0};
}
