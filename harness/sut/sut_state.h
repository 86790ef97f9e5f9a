/* SPDX-License-Identifier: Apache-2.0
 * sut_state.h - the state of the built-in SUT, shared by sut.c (inputs, outputs, the ULP),
 * sut_command.c (the commands), sut_cm.c (its connection manager) and sut_keys.c (its keys). */
#ifndef TL_HARNESS_SUT_SUT_STATE_H
#define TL_HARNESS_SUT_SUT_STATE_H

#include "codecs/base/error.h"
#include "harness/sut/sut.h"
#include "harness/sut/sut_queue.h"
#include "harness/sut/sut_timer.h"
#include "harness/wire/protocol.h"
#include "harness/wire/sealer.h"
#include "harness/wire/ulp.h"
#include "oracles/cc/swift.h"
#include "oracles/rng.h"

#include <jansson.h>

enum { TL_SUT_CONNS_MAX = 1024, TL_SUT_PAYLOAD_MAX = 65535 };

struct tl_sut_conn {
    uint32_t id;             /* its handle is "c" and this number, which is never used again */
    char name[FAL_NAME_MAX]; /* the handle */
    uint32_t number;         /* the endpoint's number */
    struct fal_endpoint_conn config;
    struct tl_address peer;
    bool has_peer;
    uint64_t frames_before;  /* frames that the SUT had received when it was opened */
    bool turned;             /* its keys have been rotated */
    struct fal_swift *swift; /* of this connection alone; NULL: that of all */
    struct fal_cc_state cc;  /* of an engine that needs time */
    struct fal_scripted ulp;
    enum tl_upper_layer upper; /* RAW: `ulp`; else an engine */
};

/* The Rate Update Engine keeps this state of a connection whose events the tester feeds to it.
 */
struct tl_sut_fed {
    uint32_t cid;
    struct fal_cc_state state;
};

/* Events that wait for the Rate Update Engine, oldest first (sut_engine.h). */
struct tl_sut_waiting {
    struct tl_sut_waiting_event *events;
    size_t first, count, cap;
};

/* Congestion control (sut_cc.c). */
struct tl_sut_cc {
    struct fal_swift swift; /* of each connection that has none of its own, and of cc_feed */
    bool on;                /* Swift changes the windows of all connections */
    bool some;              /* ... or of some; or the tester has changed them */
    bool paths;             /* the tester asked for a new path: packets show theirs */
    bool trace, tester;     /* entries are reported; the tester gives the results */
    uint64_t results;       /* that the engine gave so far */
    struct tl_sut_fed *fed;
    size_t num_fed;
    struct tl_sut_waiting waiting;
};

struct tl_sut {
    struct tl_sut_config config;
    struct fal_endpoint *endpoint;
    struct fal_rng rng, twin_rng;
    uint32_t function; /* of every connection, unless the tester asks for another */

    struct tl_sut_conn **conns; /* sorted by id */
    size_t num_conns;
    struct tl_sut_conn **by_number;
    size_t num_numbers;
    uint32_t last_id;

    int64_t epoch;
    uint64_t seq;     /* sequence number of the last event */
    uint64_t dropped; /* events lost since the last `dropped` event */
    uint64_t frames_received, frames_sent;
    uint64_t late_ns;     /* the worst lateness that the caller reported since the last reset */
    enum fal_encap encap; /* of all connections; set by the first, while there is one */
    struct tl_sealer *sealer; /* NULL: nothing is sealed */
    struct tl_sut_queue queue;
    struct tl_sut_timers timers;
    struct tl_sut_cc cc;
    void *engines[TL_UPPERS];      /* words/sut_words.h; NULL before the first use */
    struct tl_protocol_said reply; /* to the command at hand, if it is a plain one */
    json_t *told_sa;               /* the SA of the last such reply */
    uint8_t payload[TL_SUT_PAYLOAD_MAX];
    uint8_t sealed[TL_SUT_PAYLOAD_MAX + FAL_HEADER_MAX + TL_SEAL_ROOM];
};

/* The result of a command; all but DONE come with a sentence. */
enum tl_sut_done { TL_SUT_DONE, TL_SUT_FAILED, TL_SUT_BUSY, TL_SUT_UNSUPPORTED };

/* Applies a command: adds the answer's members to `reply` (NULL for plain commands: to
 * sut->reply), or says in `err` why it cannot. */
typedef enum tl_sut_done tl_sut_command(struct tl_sut *sut, struct tl_protocol_command *command,
                                        json_t *reply, uint64_t now_ns, struct fal_error *err);

/* Takes all outputs of the endpoint, and lets the ULP answer them. */
void tl_sut_pump(struct tl_sut *sut, uint64_t now_ns);

/* sut.c */
struct tl_sut_conn *tl_sut_conn_numbered(const struct tl_sut *sut, uint32_t number);
struct tl_sut_conn *tl_sut_conn_with_id(const struct tl_sut *sut, uint32_t id);
/* Passes an answer to the endpoint. Returns 0, FAL_ERR_RANGE, or FAL_ERR_MEM. */
MUST_USE int tl_sut_answer(struct tl_sut *sut, const struct tl_sut_conn *conn,
                           const struct fal_scripted_request *request,
                           const struct fal_scripted_answer *plan, uint64_t now_ns);
/* Sends an event of a connection (NULL: of none), with its place in the sequence. */
void tl_sut_tell(struct tl_sut *sut, const struct tl_sut_conn *conn,
                 struct tl_protocol_event *event);
/* Sends an event that says how many events were lost, if any were. */
void tl_sut_tell_dropped(struct tl_sut *sut);
/* Queues a reply; takes the reference. NULL: sut->reply. */
void tl_sut_reply(struct tl_sut *sut, json_t *reply);

/* sut_command.c */
void tl_sut_apply(struct tl_sut *sut, const char *line, size_t len, uint64_t now_ns);
void tl_sut_apply_command(struct tl_sut *sut, struct tl_protocol_command *command,
                          uint64_t now_ns);
void tl_sut_apply_object(struct tl_sut *sut, json_t *command, uint64_t now_ns);
/* Returns the connection that `conn` names, or NULL with `err`. */
struct tl_sut_conn *tl_sut_conn_of(const struct tl_sut *sut,
                                   const struct tl_protocol_command *command,
                                   struct fal_error *err);
/* The same for a command that is about requests of the upper layer: a connection that is
 * not raw is refused, too. */
struct tl_sut_conn *tl_sut_raw_conn_of(const struct tl_sut *sut,
                                       const struct tl_protocol_command *command,
                                       struct fal_error *err);
/* Translates an error code of the endpoint. */
enum tl_sut_done tl_sut_refused(int code, const char *what, struct fal_error *err);

/* In sut_keys.c. Makes the SUT ready for packets of that encapsulation. Returns 0, FAL_ERR_MEM,
 * or FAL_ERR_FORM with `err` while connections have another. */
MUST_USE int tl_sut_encap(struct tl_sut *sut, enum fal_encap encap, struct fal_error *err);
/* Reads `security` of an `open`, and adds the members that answer it. Returns 0, FAL_ERR_FORM,
 * or FAL_ERR_MEM. */
MUST_USE int tl_sut_secure(struct tl_sut *sut, const struct tl_protocol_command *command,
                           struct fal_endpoint_security *security, json_t *reply,
                           struct fal_error *err);
tl_sut_command tl_sut_rotate;

/* sut_cm.c */
tl_sut_command tl_sut_open, tl_sut_set, tl_sut_reset, tl_sut_close;
void tl_sut_conn_free(struct tl_sut_conn *conn);

#endif
