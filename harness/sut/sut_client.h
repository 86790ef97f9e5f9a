/* SPDX-License-Identifier: Apache-2.0
 * sut_client.h - the SUT's side of the control protocol (docs/sut-protocol.md), for vendors to
 * take as it is: this header, sut_client.c and Jansson are all that it needs.
 *
 * The adapter gives a table of commands that it can do; the library does the rest: lines, ids,
 * epochs, sequence numbers, `hello`, what is unknown or no JSON at all, and what becomes of
 * events that nobody reads. It does no I/O: bytes that were read go in, bytes to be written
 * come out, as a TCP server, a child process and a library (talon_sut.h) all need it. */
#ifndef TALON_SUT_CLIENT_H
#define TALON_SUT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALON_CLIENT_LINE_MAX = 65536 }; /* bytes of a line without its newline */

struct talon_client;

enum talon_client_done {
    TALON_CLIENT_DONE, /* applied; `reply` may have got members */
    TALON_CLIENT_UNSUPPORTED,
    TALON_CLIENT_BUSY,
    TALON_CLIENT_FAILED,
};

/* Carries out a command. What it adds to `reply` is written behind "ok"; where it is not done,
 * *why may be set to a sentence (static, or the adapter's own until the next command). */
typedef enum talon_client_done talon_client_fn(void *ctx, const json_t *command, json_t *reply,
                                               const char **why);

struct talon_client_command {
    const char *name;
    talon_client_fn *run;
};

/* All borrowed for as long as the client lives. */
struct talon_client_config {
    const char *vendor, *product, *firmware, *serial;
    unsigned level;    /* 1 to 3: L0 up to this are offered */
    const json_t *ics; /* item: true or false; NULL: nothing is declared */
    bool ordered_events;
    /* Drops what `scope` names; the answer's `survives` is *reply's if set, else empty. Called
     * for "reset", whose epochs the library keeps. */
    talon_client_fn *reset;
    const struct talon_client_command *commands; /* but for hello and reset */
    size_t num_commands;
    void *ctx;
    size_t limit; /* bytes that may wait to be written before events are lost; 0: 1 MiB */
};

/* NULL when out of memory. Epoch 1, as every control connection begins: one object for each. */
struct talon_client *talon_client_new(const struct talon_client_config *config);
void talon_client_free(struct talon_client *client);

/* Bytes that were read, however they were cut. */
void talon_client_feed(struct talon_client *client, const char *bytes, size_t len);
/* One whole line, without its newline. */
void talon_client_line(struct talon_client *client, const char *line, size_t len);

/* Says an event; `members` are taken (json_pack(...); NULL: out of memory, which loses it). */
void talon_client_event(struct talon_client *client, const char *event, json_t *members);

/* What waits to be written, newlines and all: NULL and 0 when nothing does. Valid until the
 * next call; then say how much was written. */
const char *talon_client_peek(struct talon_client *client, size_t *len);
void talon_client_written(struct talon_client *client, size_t len);
/* Instead of both: the next line without its newline, or NULL. Valid until the next call. */
const char *talon_client_next(struct talon_client *client, size_t *len);

/* Where a tag or seed may be an integer or "0x...": true when it is there and is one. */
bool talon_client_wide(const json_t *object, const char *key, uint64_t *out);

#endif
