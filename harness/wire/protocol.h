/* SPDX-License-Identifier: Apache-2.0
 * protocol.h - the lines of the SUT control protocol (docs/sut-protocol.md) as C structs: the
 * tester writes commands and reads replies and events, the built-in SUT does the opposite. One
 * set of tables (protocol_table.c, protocol_events.c) serves both and the JSON Schema.
 *
 * Members that a table does not list belong to a newer version and are ignored. */
#ifndef TL_HARNESS_WIRE_PROTOCOL_H
#define TL_HARNESS_WIRE_PROTOCOL_H

#include "codecs/base/error.h"
#include "codecs/header/ccqueue.h"
#include "codecs/json/shape.h"
#include "oracles/cc/params.h"
#include "oracles/scripted.h"
#include "oracles/timeline.h"

#define TL_PROTOCOL_SCHEMA "talon/sut-protocol/1"

enum { TL_PROTOCOL_VERSION = 1 };

enum tl_do {
    TL_DO_HELLO,
    TL_DO_RESET,
    TL_DO_OPEN,
    TL_DO_POST,
    TL_DO_POLICY,
    TL_DO_RESPOND,
    TL_DO_SET,
    TL_DO_BARRIER,
    TL_DO_COUNTERS,
    TL_DO_STATE,
    TL_DO_CLOCK,
    TL_DO_CLOSE,
    TL_DO_ROTATE_KEYS,
    TL_DO_CC_CONFIG,
    TL_DO_CC_FEED,
    TL_DO_CC_TRACE,
    TL_DO_CC_ENGINE,
    TL_DO_CC_RESULT,
    TL_DO_RX_LEVELS,
    /* RDMA verbs (codecs/verbs/verbs.h), in the order of enum fal_verbs_kind. */
    TL_DO_PD_CREATE,
    TL_DO_CQ_CREATE,
    TL_DO_SRQ_CREATE,
    TL_DO_MR_REG,
    TL_DO_MR_DEREG,
    TL_DO_MR_FILL,
    TL_DO_MR_HASH,
    TL_DO_MR_WORD,
    TL_DO_QP_CREATE,
    TL_DO_QP_CONNECT,
    TL_DO_AH_CREATE,
    TL_DO_QP_QUERY,
    TL_DO_POST_SEND,
    TL_DO_POST_RECV,
    TL_DO_CQ_ARM,
    /* NVMe (codecs/nvme/words.h), in the order of enum fal_nvme_word_kind. */
    TL_DO_NVME_NS,
    TL_DO_NVME_LBA,
    TL_DO_NVME_POST,
    TL_DO_DEV_FORMAT,
    TL_DO_DEV_FILL,
    TL_DO_DEV_HASH,
    TL_DO_DEV_POLICY,
    TL_DO_DEV_COMPLETE,
    TL_DO_DEV_IDENTIFY,
};
enum { TL_DO_COUNT = TL_DO_DEV_IDENTIFY + 1 };

/* The upper layer of a connection. */
enum tl_upper_layer { TL_UPPER_RAW, TL_UPPER_VERBS, TL_UPPER_NVME, TL_UPPERS };

enum tl_scope_of_reset { TL_RESET_CONNECTION, TL_RESET_FUNCTION, TL_RESET_DEVICE };

/* The steps of a key rotation. */
enum tl_rotate {
    TL_ROTATE_ALL,
    TL_ROTATE_GENERATION,
    TL_ROTATE_SPI,
    TL_ROTATE_PEER,
    TL_ROTATE_DROP,
    TL_ROTATE_END,
    TL_ROTATE_MATCH_PCID,
    TL_ROTATE_ZERO,
};

/* What a fed event finds of the events before it. */
enum tl_cc_state { TL_CC_STATE_RESET, TL_CC_STATE_KEEP };
/* Who gives results of events. */
enum tl_cc_who { TL_CC_SELF, TL_CC_TESTER };
/* The pools whose occupancy ACKs report (10.2). */
enum tl_rx_pool { TL_RX_PACKETS, TL_RX_BUFFERS };
enum { TL_RX_THRESHOLDS = 31, TL_RX_ALPHA_ONE = 1024 };

/* One end of a connection; what is not given is chosen by that end. */
struct tl_end_setup {
    bool has_cid, has_function, has_req_psn, has_data_psn, has_rsn;
    struct fal_end end;
};

/* `local` and `params` of an open, with every parameter. */
struct tl_protocol_opening {
    struct tl_end_setup local;
    struct fal_params params;
};

/* `security` of an open. */
struct tl_protocol_security {
    const json_t *sa;
    uint64_t remote_time, pcid, peer_pcid;
    bool has_peer_pcid;
};

union tl_word; /* words.h */

/* Any command; which members it has depends on `verb`. Texts and JSON values are borrowed from
 * the line. */
struct tl_protocol_command {
    uint64_t id, epoch;
    enum tl_do verb;
    uint32_t version; /* HELLO */
    enum tl_scope_of_reset scope;
    const char *conn; /* the SUT's handle; NULL: absent */
    uint32_t function;
    bool has_function;
    enum fal_encap encap;
    enum tl_upper_layer upper; /* OPEN */
    const char *peer_address;
    struct fal_end peer;
    const json_t *local, *params; /* partial: tl_protocol_end, tl_protocol_params */
    const struct tl_protocol_opening
        *opening; /* OPEN: in place of both, without JSON; or NULL */
    bool has_security;
    struct tl_protocol_security security;
    enum fal_ulp_op op; /* POST */
    uint32_t length;
    bool has_length;
    uint64_t tag, seed;
    bool has_tag;
    struct fal_scripted_rule *rules; /* POLICY; allocated (tl_protocol_command_free) */
    size_t num_rules;
    uint32_t rsn; /* RESPOND */
    enum fal_answer answer;
    uint64_t rnr_ns;
    uint32_t code;
    enum tl_rotate step; /* ROTATE_KEYS */
    const json_t *sa;
    uint64_t remote_time;
    bool on, has_on;
    const json_t *swift; /* CC_CONFIG; partial: tl_protocol_swift */
    uint8_t entry[FAL_CC_ENTRY_LEN];
    uint32_t now_ticks; /* CC_FEED */
    enum tl_cc_state state;
    enum tl_cc_who who;   /* CC_ENGINE */
    enum tl_rx_pool pool; /* RX_LEVELS */
    uint32_t alpha;
    uint32_t thresholds[TL_RX_THRESHOLDS];
    size_t num_thresholds;
    bool randomize_path; /* SET */
    /* A word of an upper layer (words.h); allocated by tl_protocol_command_read
     * (tl_protocol_command_free). */
    union tl_word *word;
};

/* Whether a command is a word of an upper layer (words.h). */
static inline bool tl_protocol_is_word(enum tl_do verb)
{
    return verb >= TL_DO_PD_CREATE;
}

/* The id of a command, whatever else is wrong with it. 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_protocol_id(const json_t *object, uint64_t *out, struct fal_error *err);
/* Which command the object is: 0 with id, epoch and *verb, FAL_ERR_FORM with `err`, or
 * FAL_ERR_TYPE when there is no such command. */
MUST_USE int tl_protocol_command_head(const json_t *object, struct tl_protocol_command *out,
                                      struct fal_error *err);
/* The members of that command. 0, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_protocol_command_read(const json_t *object, struct tl_protocol_command *out,
                                      struct fal_error *err);
void tl_protocol_command_free(struct tl_protocol_command *command);
/* "post", "open", ... */
const char *tl_protocol_verb(enum tl_do verb);
/* "raw", "verbs", "nvme" */
const char *tl_protocol_upper(enum tl_upper_layer upper);

/* 64 bits as the protocol writes them: a number below 2^53, else "0x...". New reference. */
json_t *tl_protocol_wide(uint64_t value);

/* An end of a connection whose absent members keep their value. 0, or FAL_ERR_FORM. */
MUST_USE int tl_protocol_end(const json_t *object, const char *what, struct fal_end *end,
                             struct fal_error *err);
/* The parameters that the object (NULL: none) names; others keep their value. 0, or
 * FAL_ERR_FORM. */
MUST_USE int tl_protocol_params(const json_t *object, struct fal_params *params,
                                struct fal_error *err);
/* Parameters of Swift by the names of `talon help swift`, as in cc_config; C keeps the JSON. */
extern const struct fal_shape tl_proto_swift;
/* The parameters of Swift that the object (NULL: none) names; others keep their value. 0, or
 * FAL_ERR_FORM. */
MUST_USE int tl_protocol_swift(const json_t *object, struct fal_swift_params *params,
                               struct fal_error *err);
/* The bytes of a queue entry as hex digits. New reference; NULL when out of memory. */
json_t *tl_protocol_entry(const uint8_t bytes[FAL_CC_ENTRY_LEN]);
/* The rules of a policy. *rules is freed with free(). 0, FAL_ERR_FORM, FAL_ERR_MEM. */
MUST_USE int tl_protocol_rules(const json_t *list, struct fal_scripted_rule **rules, size_t *n,
                               struct fal_error *err);

/* ---- from the SUT ---- */

enum tl_protocol_error { TL_PROTOCOL_UNSUPPORTED, TL_PROTOCOL_BUSY, TL_PROTOCOL_FAILED };

/* What every reply may have. */
struct tl_protocol_reply {
    uint64_t id, epoch;
    bool ok, has_error;
    enum tl_protocol_error error;
    const char *why;
    char conn[FAL_NAME_MAX];
    uint32_t rsn;
    bool has_rsn;
    uint64_t new_epoch; /* of a reset; 0: absent */
};
MUST_USE int tl_protocol_reply_read(const json_t *object, struct tl_protocol_reply *out,
                                    struct fal_error *err);

/* The reply to an open. */
struct tl_protocol_opened {
    char conn[FAL_NAME_MAX];
    struct fal_end local;
    const json_t *params;
};
MUST_USE int tl_protocol_opened_read(const json_t *object, struct tl_protocol_opened *out,
                                     struct fal_error *err);

/* What a `cc` event shows. */
enum tl_cc_kind { TL_CC_EVENT, TL_CC_RESULT };
struct tl_protocol_cc {
    enum tl_cc_kind kind;
    uint8_t entry[FAL_CC_ENTRY_LEN];
    uint32_t now_ticks;
};

/* An event, and its place in the sequence. */
struct tl_protocol_event {
    uint64_t seq, epoch;
    char conn[FAL_NAME_MAX];
    enum fal_event_kind kind; /* ULP, CM, VERBS or NVME */
    struct fal_ev_ulp ulp;
    struct fal_ev_cm cm;
    uint64_t rnr_ns;
    bool has_tag, has_rnr, has_code, has_length; /* of ulp_ack; of a completion */
    bool has_error;                              /* of the stamp */
    bool is_cc; /* an event of kind CM that shows an entry: cm.what is "cc" */
    struct tl_protocol_cc cc;
    /* Of kind VERBS (wc, cq_event, async) or NVME (nvme_cqe, dev_cmd). Its members are borrowed
     * by the writer; the reader leaves NULL, and tl_word_read(..., word, false, ...) reads
     * them. */
    unsigned word;
    const union tl_word *members;
};
/* Its place alone, so that a broken event still counts. */
MUST_USE int tl_protocol_event_head(const json_t *object, struct tl_protocol_event *out,
                                    struct fal_error *err);
MUST_USE int tl_protocol_event_read(const json_t *object, struct tl_protocol_event *out,
                                    struct fal_error *err);

/* Writes an event. A new reference; NULL when out of memory. */
json_t *tl_protocol_event_write(const struct tl_protocol_event *event);

/* A line of a SUT in the same process, which nobody prints or parses: an event, or the reply to
 * a command that was carried out, if it has no members but these. */
struct tl_protocol_said {
    bool is_event;
    struct tl_protocol_event event;
    struct tl_protocol_reply
        reply;                 /* id, epoch, ok, rsn; conn of an open; new_epoch of a reset */
    bool has_counts, has_late; /* of a reply to `counters` */
    uint64_t frames_received, frames_sent, late_ns;
    bool survives; /* of a reply to `reset`: connections of others and counters do */
    json_t *sa;    /* of the SUT, in a reply to a sealed `open`; borrowed; or NULL */
    bool opened;   /* of a reply to `open`: */
    struct fal_end local;
    struct fal_params params;
    uint64_t
        unlike_params; /* the bits of the parameters that are not as the command has them */
};
/* Sets the parameters that a reply to `open` says to be unlike those of the command. */
void tl_protocol_said_params(const struct tl_protocol_said *said, struct fal_params *params);
/* The line as JSON. A new reference; NULL when out of memory. */
json_t *tl_protocol_said_write(const struct tl_protocol_said *said);
/* Changes an event to what a reader gets of its line: members that are not written are 0.
 * Returns false if a reader refuses the line, or if the event must be one: it shows an entry,
 * or is of the verbs. */
bool tl_protocol_event_settle(struct tl_protocol_event *event);

/* ---- lockstep ---- */

enum tl_lockstep { TL_LOCKSTEP_BEGIN, TL_LOCKSTEP_FRAME, TL_LOCKSTEP_ADVANCE };

struct tl_lockstep_message {
    uint64_t seed, at_ns; /* FRAME: when it arrives; ADVANCE: until when */
    uint8_t ecn, ttl;
    const char *bytes; /* hex digits */
};

/* Whether the object is a message of lockstep; a command has an id. */
bool tl_lockstep_is(const json_t *object, enum tl_lockstep *what);
MUST_USE int tl_lockstep_read(const json_t *object, enum tl_lockstep what,
                              struct tl_lockstep_message *out, struct fal_error *err);

/* The end of the SUT's answer to a message; next_ns FAL_NEVER: no timer runs. */
struct tl_lockstep_answer {
    const char *frame;
    enum tl_lockstep done;
    uint64_t next_ns;
};
MUST_USE int tl_lockstep_done(const json_t *object, struct tl_lockstep_answer *out,
                              struct fal_error *err);

/* ---- tables ---- */

/* Any line. */
extern const struct fal_shape tl_protocol_shape;

/* One end of a connection, all of whose members must be there; and one with wishes. */
extern const struct fal_shape tl_protocol_end_shape, tl_protocol_local_shape;

#endif
