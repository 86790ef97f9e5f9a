/* SPDX-License-Identifier: Apache-2.0
 * upper.h - the tester's side of the SUT control protocol: builds commands, matches replies by
 * id and epoch, checks the event sequence, and refuses garbage. It does no I/O: lines go in and
 * out. */
#ifndef TL_HARNESS_SESSION_UPPER_H
#define TL_HARNESS_SESSION_UPPER_H

#include "codecs/base/error.h"
#include "oracles/timeline.h"

struct tl_upper;
struct fal_payload_hashes;
struct tl_protocol_said; /* protocol.h */
struct tl_protocol_command;
struct tl_end_setup;

/* NULL when out of memory. Epoch 1, as every control connection begins. */
struct tl_upper *tl_upper_new(void);
void tl_upper_free(struct tl_upper *upper);

/* Adds "id" and "epoch" to `command` ({"do": ..., ...}; borrowed) and returns the line to write
 * (caller frees) with its id in *id; fills `event` (may be NULL) as FAL_EV_COMMAND, its text
 * pointing into the line. A word of an upper layer is FAL_EV_VERBS or FAL_EV_NVME, and valid
 * until the next command. NULL when out of memory. */
char *tl_upper_command(struct tl_upper *upper, const json_t *command, int64_t *id,
                       struct fal_event *event);

/* The same as an object (new reference), for a SUT in this process. The text of `event` is
 * valid until the next command. */
json_t *tl_upper_command_object(struct tl_upper *upper, const json_t *command, int64_t *id,
                                struct fal_event *event);
/* Numbers a command that goes to such a SUT as a struct: sets its id and epoch, and fills
 * `event` (may be NULL), which has no text. False when out of memory. */
bool tl_upper_order(struct tl_upper *upper, struct tl_protocol_command *command,
                    struct fal_event *event);
/* Whether commands may be structs: nobody wants texts. */
bool tl_upper_takes_orders(const struct tl_upper *upper);
/* Whether events of lines that are objects have a text (default: yes). A run that keeps no
 * timeline needs only that of a few commands, which the judge reads (oracles/rules/judge,
 * control.c); printing it costs much of the time of a case. */
void tl_upper_texts(struct tl_upper *upper, bool wanted);

/* The SUT's handle of the connection that the last command belongs to, or "". */
const char *tl_upper_asked_conn(const struct tl_upper *upper);

/* Hashes of payloads that commands make come from there; borrowed. */
void tl_upper_hashes(struct tl_upper *upper, struct fal_payload_hashes *hashes);

enum tl_upper_got {
    TL_UPPER_REPLY,   /* of the command *id; `ok`, object */
    TL_UPPER_EVENT,   /* request, ulp_ack, completion, cm_error, dropped, wc, ... */
    TL_UPPER_STALE,   /* of an old epoch: to be ignored */
    TL_UPPER_GARBAGE, /* not of this protocol: `err` says why; the adapter is broken */
};

struct tl_upper_line {
    int64_t id;
    bool ok;
    uint64_t lost;                       /* events missing before this one, by seq */
    json_t *object;                      /* valid until the next call; NULL: see `said` */
    const struct tl_protocol_said *said; /* the line as it was given, without JSON; or NULL */
    /* REPLY, EVENT: ready for the timeline but for index, time and conn; its text is valid
     * until the next call. */
    struct fal_event event;
    /* The SUT's handle in it; of a reply that has none, that of its command; of a word of the
     * verbs, the connection of its queue pair; or "". */
    char conn_name[FAL_NAME_MAX];
    struct fal_error err;
};

/* Takes one line from the SUT. The reply to a `reset` begins its new epoch. */
enum tl_upper_got tl_upper_line(struct tl_upper *upper, const char *line, size_t len,
                                struct tl_upper_line *out);

/* The same of a line that the SUT gave as an object (borrowed). */
enum tl_upper_got tl_upper_object(struct tl_upper *upper, json_t *object,
                                  struct tl_upper_line *out);

/* The same of a line that the SUT gave as a struct (borrowed until the next call). If texts are
 * wanted, it is made an object first. */
enum tl_upper_got tl_upper_said(struct tl_upper *upper, const struct tl_protocol_said *said,
                                struct tl_upper_line *out);

/* Counts a command that another bench gave (the greeting), so that the next one has its number.
 */
void tl_upper_skip(struct tl_upper *upper);

int64_t tl_upper_epoch(const struct tl_upper *upper);
/* Begins an epoch. Epochs only rise: a lower one changes nothing. */
void tl_upper_set_epoch(struct tl_upper *upper, int64_t epoch);

/* Builds the "open" command for a connection: the tester's end, the parameters, and wishes for
 * the SUT's end: with initial_known all its values (except a CID of 0), else those that are not
 * 0. If the link has addresses, the caller adds peer_address (tl_link_caps.local_address). New
 * reference, NULL when out of memory. */
json_t *tl_upper_open(const struct fal_connection *connection);
/* The wishes alone, as JSON and the parameters as the command has them: no time is above 2^63 -
 * 1 ns. */
json_t *tl_upper_wishes(const struct tl_end_setup *wishes);
struct fal_params tl_upper_params(const struct fal_params *params);
/* Reads its reply into connection->sut, ->name and the parameters that the SUT reports to
 * differ. Returns 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_upper_opened(const json_t *reply, struct fal_connection *connection,
                             struct fal_error *err);
/* The same of a line, which may be a struct. */
MUST_USE int tl_upper_opened_line(const struct tl_upper_line *reply,
                                  struct fal_connection *connection, struct fal_error *err);

#endif
