/* SPDX-License-Identifier: Apache-2.0
 * sut_client.h - the SUT's side of the control protocol (docs/sut-protocol.md), for vendors to
 * use unchanged: it needs this header, sut_client.c and Jansson, nothing else.
 * The adapter supplies a table of the commands that it supports. The library does the rest:
 * lines, ids, epochs, sequence numbers, `hello`, unknown commands and invalid JSON, and lost
 * events. It does no I/O: the caller passes in bytes that were read and takes out bytes to
 * write, which suits a TCP server, a child process and a library (talon_sut.h). */
#ifndef TALON_SUT_CLIENT_H
#define TALON_SUT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TALON_CLIENT_LINE_MAX = 65536 }; /* limit of a line in bytes, without its newline */

struct talon_client;

enum talon_client_done {
    TALON_CLIENT_DONE, /* applied; members may have been added to `reply` */
    TALON_CLIENT_UNSUPPORTED,
    TALON_CLIENT_BUSY,
    TALON_CLIENT_FAILED,
    TALON_CLIENT_LATER, /* the adapter calls talon_client_answer when the command is applied */
};

/* Carries out a command. Members that it adds to `reply` are sent after "ok". If it fails, *why
 * may be set to a sentence (static, or valid until the adapter's next command). */
typedef enum talon_client_done talon_client_fn(void *ctx, const json_t *command, json_t *reply,
                                               const char **why);

struct talon_client_command {
    const char *name;
    talon_client_fn *run;
};

/* All pointers are borrowed for the life of the client. */
struct talon_client_config {
    const char *vendor, *product, *firmware, *serial;
    unsigned level;    /* 1 to 3: all levels up to this are offered */
    const json_t *ics; /* item: true or false; NULL: nothing is declared */
    const json_t *cc; /* of the reply to hello, if the adapter has commands of level Lc; NULL */
    /* List of the upper layers, such as ["verbs"]; NULL: "raw" alone. With it, levels L2v (the
     * table has post_send), L3v (also mr_fill and mr_hash), L2n (nvme_post) and L3n (also
     * dev_fill and dev_hash) are offered. */
    const json_t *upper;
    bool ordered_events;
    /* Removes what `scope` names. The answer's `survives` is that of *reply if set, else empty.
     * Called for "reset"; the library handles epochs. */
    talon_client_fn *reset;
    const struct talon_client_command *commands; /* all commands but hello and reset */
    size_t num_commands;
    void *ctx;
    size_t limit; /* limit of bytes that wait to be written before events are lost; 0: 1 MiB */
};

/* Returns NULL when out of memory. Starts with epoch 1; make one object for each control
 * connection. */
struct talon_client *talon_client_new(const struct talon_client_config *config);
void talon_client_free(struct talon_client *client);

/* Passes in bytes that were read, in pieces of any size. */
void talon_client_feed(struct talon_client *client, const char *bytes, size_t len);
/* Passes in one whole line, without its newline. */
void talon_client_line(struct talon_client *client, const char *line, size_t len);

/* Answers a command for which the table's function returned TALON_CLIENT_LATER. A `barrier`
 * usually needs it: its reply must follow all events that were caused before it. `id` is the
 * command's "id". `done` is not TALON_CLIENT_LATER; `why` is the reason of a refusal (NULL:
 * none is given). Takes the reference of `members`, which are added to the reply (NULL: none).
 * Call it once for each such command. It sends nothing if a `reset` came in between, because
 * after the reply to `reset` nothing of the old epoch may be sent. */
void talon_client_answer(struct talon_client *client, json_int_t id,
                         enum talon_client_done done, const char *why, json_t *members);

/* Sends an event and takes the reference of `members` (json_pack(...); NULL: out of memory; the
 * event is lost). */
void talon_client_event(struct talon_client *client, const char *event, json_t *members);

/* Gets the bytes to write, newlines included: NULL and 0 when there are none. Valid until the
 * next call. Then call talon_client_written with how many were written. */
const char *talon_client_peek(struct talon_client *client, size_t *len);
void talon_client_written(struct talon_client *client, size_t len);
/* Instead of these two: gets the next line without its newline, or NULL. Valid until the next
 * call. */
const char *talon_client_next(struct talon_client *client, size_t *len);

/* Reads a tag or seed, an integer or "0x...": true when it is present and valid. */
bool talon_client_wide(const json_t *object, const char *key, uint64_t *out);

#ifdef __cplusplus
}
#endif

#endif
