/* SPDX-License-Identifier: Apache-2.0
 * control_io.h - lines out of a byte stream and into one: the buffers of the control channel,
 * for both of its ends. They do no I/O: who owns the socket reads into the one and writes from
 * the other.
 *
 * A line has at most TL_LINE_MAX bytes without its newline (docs/sut-protocol.md); a longer one
 * is reported once and skipped up to its newline, so that memory stays bounded whatever is
 * sent. */
#ifndef TL_HARNESS_CONTROL_IO_H
#define TL_HARNESS_CONTROL_IO_H

#include <stdbool.h>
#include <stddef.h>

enum { TL_LINE_MAX = 65536 };

struct tl_line_reader {
    char *buf;
    size_t start, scanned, end; /* unread bytes; up to `scanned` they hold no newline */
    bool skipping;              /* the rest of an overlong line */
};

enum tl_line {
    TL_LINE_NONE, /* no whole line yet */
    TL_LINE_WHOLE,
    TL_LINE_TOO_LONG,
};

/* 0, or FAL_ERR_MEM. */
int tl_line_reader_init(struct tl_line_reader *reader);
void tl_line_reader_free(struct tl_line_reader *reader);
/* Forgets what it holds, for another stream. */
void tl_line_reader_clear(struct tl_line_reader *reader);

/* Where to read to, and how much (never 0 once every whole line was taken). */
char *tl_line_reader_space(struct tl_line_reader *reader, size_t *room);
void tl_line_reader_added(struct tl_line_reader *reader, size_t len);

/* The next line; its newline is replaced by a NUL. Valid until the next call of any of these.
 */
enum tl_line tl_line_reader_next(struct tl_line_reader *reader, char **line, size_t *len);

/* Bytes of a line that has not ended. */
size_t tl_line_reader_rest(const struct tl_line_reader *reader);

/* What is to be written and could not be yet. Zero-initialised; free with tl_outbox_free. */
struct tl_outbox {
    char *buf;
    size_t cap, start, end;
};

/* Appends `line` and a newline. 0; FAL_ERR_SHORT, and nothing appended, when more than `limit`
 * bytes would wait; FAL_ERR_MEM. */
int tl_outbox_line(struct tl_outbox *box, const char *line, size_t len, size_t limit);
/* What to write next; NULL with *len 0 when there is nothing. Then say how much was written. */
const char *tl_outbox_peek(const struct tl_outbox *box, size_t *len);
void tl_outbox_written(struct tl_outbox *box, size_t len);
void tl_outbox_clear(struct tl_outbox *box);
void tl_outbox_free(struct tl_outbox *box);

#endif
