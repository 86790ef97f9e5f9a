/* SPDX-License-Identifier: Apache-2.0
 * control_io.h - splits a byte stream into lines and queues lines for writing: the buffers of
 * the control channel, for both of its ends. They do no I/O: the owner of the socket reads into
 * the one and writes from the other.
 * A line has at most TL_LINE_MAX bytes without its newline (docs/sut-protocol.md). A longer one
 * is reported once and skipped up to its newline, so that memory stays bounded whatever the
 * peer sends. */
#ifndef TL_HARNESS_WIRE_CONTROL_IO_H
#define TL_HARNESS_WIRE_CONTROL_IO_H

#include "codecs/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { TL_LINE_MAX = 65536 };

struct tl_line_reader {
    char *buf;
    size_t start, scanned, end; /* unread bytes; those before `scanned` contain no newline */
    bool skipping;              /* skipping the rest of a line that is too long */
};

enum tl_line {
    TL_LINE_NONE, /* no complete line yet */
    TL_LINE_WHOLE,
    TL_LINE_TOO_LONG,
};

/* Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_line_reader_init(struct tl_line_reader *reader);
void tl_line_reader_free(struct tl_line_reader *reader);
/* Discards the contents, to read another stream. */
void tl_line_reader_clear(struct tl_line_reader *reader);

/* Returns where to read to, and how much (never 0 after all complete lines were taken). */
char *tl_line_reader_space(struct tl_line_reader *reader, size_t *room);
void tl_line_reader_added(struct tl_line_reader *reader, size_t len);

/* Gets the next line; a NUL replaces its newline. The line is valid until the next call of any
 * of these functions. */
enum tl_line tl_line_reader_next(struct tl_line_reader *reader, char **line, size_t *len);

/* Returns how many bytes of an unfinished line there are. */
size_t tl_line_reader_rest(const struct tl_line_reader *reader);

/* Lines that wait to be written. Zero-initialise; free with tl_outbox_free. */
struct tl_outbox {
    char *buf;
    size_t cap, start, end;
};

/* Appends `line` and a newline. Returns 0; FAL_ERR_SHORT, without appending, when more than
 * `limit` bytes would wait; FAL_ERR_MEM. */
MUST_USE int tl_outbox_line(struct tl_outbox *box, const char *line, size_t len, size_t limit);
/* Returns the bytes to write next; NULL with *len 0 when there are none. Call tl_outbox_written
 * with how many were written. */
const char *tl_outbox_peek(const struct tl_outbox *box, size_t *len);
void tl_outbox_written(struct tl_outbox *box, size_t len);
void tl_outbox_clear(struct tl_outbox *box);
void tl_outbox_free(struct tl_outbox *box);

#endif
