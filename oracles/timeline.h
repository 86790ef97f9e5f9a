/* SPDX-License-Identifier: Apache-2.0
 * timeline.h - everything that happens is one event on one timeline: a packet at a vantage
 * point, a ULP or CM command written, a reply or event read, a mark of the bench, a note.
 * verdict = judge(timeline) is a pure function, so a live run, its replay and its re-judging
 * agree to the byte.
 * Times are nanoseconds since the start of the run. An event's pointers are borrowed from
 * whoever hands it over, for the duration of the call. */
#ifndef FAL_ORACLES_TIMELINE_H
#define FAL_ORACLES_TIMELINE_H

#include "codecs/base/error.h"
#include "codecs/base/issue.h"
#include "codecs/frame/frame.h"
#include "codecs/header/ccqueue.h"
#include "codecs/header/falcon.h"
#include "codecs/json/shape.h"
#include "codecs/nvme/words.h"
#include "codecs/verbs/verbs.h"
#include "oracles/params.h"

#include <jansson.h>
#include <stddef.h>
#include <string.h>

enum fal_event_kind {
    FAL_EV_RUN,        /* first: what the judge may know of the bench */
    FAL_EV_CONNECTION, /* a connection with both ends' set-up */
    FAL_EV_PACKET,
    FAL_EV_COMMAND,  /* written to the SUT's control channel */
    FAL_EV_REPLY,    /* read from it: the command with this id was applied */
    FAL_EV_ULP,      /* read from it: request, ulp_ack, completion */
    FAL_EV_CM,       /* read from it: cm_error, dropped */
    FAL_EV_MARK,     /* something about the bench from here on */
    FAL_EV_STEP,     /* a scenario step begins */
    FAL_EV_NOTE,     /* for people */
    FAL_EV_INTERNAL, /* of the tester's endpoint: its states; rules never read it */
    FAL_EV_TIMING, /* when a step was due and when it happened (live links); rules never read it
                    */
    FAL_EV_CLOSE,  /* a connection ended; nothing about it follows */
    FAL_EV_BENCH,  /* something that the bench did; rules never read it */
    FAL_EV_CC,     /* read from it: an entry of a queue of its Rate Update Engine (10.6) */
    FAL_EV_VERBS,  /* a word of the verbs, written to it or read from it (RDMA) */
    FAL_EV_NVME,   /* a word of NVMe, written to it or read from it */
    FAL_EV_END,    /* last */
};

enum fal_dir { FAL_TO_SUT, FAL_FROM_SUT }; /* `in` and `out` of judging.md */
enum fal_vantage { FAL_VANTAGE_TESTER, FAL_VANTAGE_MIDDLE, FAL_VANTAGE_SUT };

/* Who made a packet to the SUT. A break of the tester's own side is an error of ours unless a
 * step asked for it. */
enum fal_origin { FAL_ORIGIN_ENDPOINT, FAL_ORIGIN_STEP, FAL_ORIGIN_FOREIGN };

struct fal_ev_run {
    char title[96]; /* scenario id, capture name */
    uint64_t seed;
    bool live;
    enum fal_vantage vantage;
    bool lossless_in,
        lossless_out; /* nothing sent towards / by the SUT can be lost on the way */
    bool no_duplicates_in, no_duplicates_out;
    bool in_order_in, in_order_out;      /* the path does not reorder */
    uint64_t delay_min_ns, delay_max_ns; /* one way, declared; max FAL_NEVER: unknown */
    uint64_t clock_error_ns;             /* e of judging.md */
    /* Any packet may be missing without a mark: the drops of this capture were not counted. */
    bool may_miss;
    /* The user declares that a capture holds every packet that passed its place, but for those
     * that a mark counts. The path may still lose packets. */
    bool complete;
    /* A capture of which nobody declared that it is complete: a frame may be missing anywhere,
     * although nothing says so. Rules then decide only by packets that they see. */
    bool undeclared;
    /* ULP events of one connection are read in the order in which they happened in the SUT */
    bool ordered_events;
    bool alone; /* The SUT has no connection that is not on this timeline. */
};

/* One end of a connection: what it allocated and what it starts with. */
struct fal_end {
    uint32_t cid;               /* packets to this end carry it as dest_cid */
    uint32_t function;          /* packets to this end carry it as dest_function */
    uint32_t req_psn, data_psn; /* PSNs of the first request and data packet that it sends */
    uint32_t rsn;               /* RSN of the first transaction that it initiates */
};

enum { FAL_NAME_MAX = 32 };

/* What carried a packet, as far as it was seen (7.1). */
struct fal_carrier {
    bool known;
    enum fal_encap encap;
    uint8_t next_header;    /* of PSP or ESP */
    uint8_t inner_protocol; /* of the inner IP header in a tunnel */
    uint8_t crypt_offset;   /* of PSP */
    bool has_vc;
    uint64_t vc; /* the virtualization cookie of PSP; 0 without one */
};

/* Which ACKs give an event for the RUE while its queue is empty (10.6.1, AMB-43). P1: enough
 * time has passed since the last event of the connection; P2: enough was acknowledged since
 * then. */
enum fal_rue_empty {
    FAL_RUE_ALWAYS,
    FAL_RUE_P1,
    FAL_RUE_P2,
    FAL_RUE_EITHER,
    FAL_RUE_BOTH,
};

/* What P2 counts (10.6.1 allows others than bytes). */
enum fal_rue_metric { FAL_RUE_PACKETS, FAL_RUE_BYTES, FAL_RUE_CELLS, FAL_RUE_OTHER };

/* What the adapter says of the Rate Update Engine (RUE) of its SUT: `cc` of its hello. */
struct fal_rue_facts {
    bool known;        /* false: it said nothing, so entries cannot be read */
    bool moves_limits; /* the RUE may change windows, gap, RTO and path of connections */
    bool swift;        /* its algorithm is that of 10.3 and 10.4 */
    bool has_latency;  /* latency_ns was declared */
    enum fal_cc_format format; /* of queue entries */
    uint32_t gap_tick_ps;      /* unit of inter_packet_gap in entries (AMB-66) */
    uint64_t latency_ns;       /* the longest time from an event to its result */
    /* Which events are made (10.6.1); valid with has_policy. */
    bool has_policy;
    enum fal_rue_empty when_empty;
    enum fal_rue_metric p2_metric;
    uint64_t p1_ns, p2;
    /* The event queues; valid with has_queues. */
    bool has_queues;
    uint32_t event_queues; /* values of event_queue_select: from 0 to one less */
    uint32_t event_ring;   /* entries of one, after which its gen bit turns */
};

struct fal_connection {
    char name[FAL_NAME_MAX]; /* the SUT's handle, or the tester's name for it */
    struct fal_params params;
    struct fal_end tester, sut;
    bool initial_known; /* false: the initial numbers are not (a capture from the middle) */
    /* Parameters that were not given, so that their defaults prove nothing: bit n stands for
     * enum fal_param_at n. */
    uint64_t unknown_params;
    /* Parameters that were inferred before the first case, bits likewise: turnaround, pipeline.
     * Their values here may excuse the SUT; they never convict it. */
    uint64_t learned_params;
    uint64_t learned_max_ns; /* the longest answer that was seen then; 0: none was */
    /* The tester's own end retransmits early by RACK-TLP; params.rack_tlp is the SUT's word. */
    bool tester_rack_tlp;
    /* The SUT's upper layer is RDMA verbs or NVMe: it reports completions of work requests and
     * commands, and none of transactions. */
    bool engine;
    bool encap_known; /* what the ends agreed on; else it is learned */
    enum fal_encap encap;
    bool pcid_known; /* the connection manager gave the SUT the PCID of its packets */
    uint64_t pcid;
    struct fal_rue_facts rue;
};

/* Why the receiver of a packet must drop it, as stated by the code that made it so (9.2.2). */
enum fal_bad {
    FAL_BAD_NOT,
    FAL_BAD_CHECKSUM, /* IP or UDP */
    FAL_BAD_LENGTH,   /* UDP length against the bytes */
    FAL_BAD_SEAL,     /* decryption or authentication fails */
    FAL_BAD_SPI,
    FAL_BAD_PCID,
    FAL_BAD_REPLAY,
};

/* The id of the requirement by which a receiver drops such a packet; of FAL_BAD_NOT that of
 * malformed packets, FTP-9.2.2.1-01. */
const char *fal_bad_requirement(enum fal_bad bad);

struct fal_ev_packet {
    enum fal_dir dir;
    enum fal_origin origin; /* of a packet to the SUT */
    int32_t step;           /* index of the scenario step that sent or awaited it, or -1 */
    uint32_t frame;         /* number in the capture, from 1; 0: none */
    uint32_t path;          /* UDP source port or flow label; 0: unknown */
    uint64_t error_ns;      /* of the time stamp, beyond the run's clock_error_ns */
    bool truncated;         /* captured short */
    bool has_iv;
    uint64_t iv; /* departure, picoseconds, when has_iv */
    uint32_t spi;
    struct fal_carrier carrier;
    enum fal_bad bad;

    const uint8_t *bytes; /* the Falcon packet, opened */
    uint32_t len;
    /* Filled in by fal_event_packet, or by the caller that decoded the packet: */
    int header_len; /* or FAL_ERR_SHORT, FAL_ERR_TYPE: falcon then holds what could be read */
    struct fal_falcon falcon;
    /* Filled in by fal_event_packet or fal_event_decoded: */
    const uint8_t *payload;
    uint32_t payload_len;
    uint64_t payload_hash;
    struct fal_issues issues; /* the last member: long, and mostly unused */
};

enum fal_ulp_op { FAL_OP_PUSH, FAL_OP_PULL };
enum fal_answer {
    FAL_ANSWER_ACK,  /* a push taken; a pull taken (data may follow) */
    FAL_ANSWER_DATA, /* a pull's response */
    FAL_ANSWER_RNR,
    FAL_ANSWER_CIE,
    FAL_ANSWER_NRE,
    FAL_ANSWER_CID,
    FAL_ANSWER_WITHHOLD,
};

/* A command, with the fields that the judge reads; `text` is the whole line. */
struct fal_ev_command {
    int64_t id;
    char verb[16]; /* "post", "respond", "policy", ... */
    uint32_t rsn;  /* respond */
    enum fal_answer answer;
    uint64_t rnr_ns;
    uint32_t code;      /* ULP NACK code */
    enum fal_ulp_op op; /* post */
    uint64_t tag;
    uint32_t length;
    uint64_t hash; /* of the payload it makes the SUT send; with has_hash */
    bool has_hash;
    uint64_t holds_ns; /* of a policy without a text: fal_control_holds_ns of its text */
    bool on;           /* cc_trace; cc_engine: the tester is the RUE */
    bool has_entry;
    uint8_t entry[FAL_CC_ENTRY_LEN]; /* cc_result, cc_feed; with has_entry */
    const char *text;                /* NULL: the command is not text, and needs none */
};

struct fal_ev_reply {
    int64_t id;
    bool ok;
    uint32_t rsn; /* of a post, when has_rsn */
    bool has_rsn;
    const char *text;
};

enum fal_ulp_kind { FAL_ULP_REQUEST, FAL_ULP_ACK, FAL_ULP_COMPLETION };

struct fal_ev_ulp {
    enum fal_ulp_kind kind;
    uint64_t seq; /* the adapter's event number */
    uint32_t rsn;
    enum fal_ulp_op op; /* request */
    uint32_t length;    /* request, completion */
    uint64_t tag, hash; /* request (of a push), completion (of a pull) */
    bool has_hash;
    bool redelivery;        /* request */
    enum fal_answer answer; /* ulp_ack */
    uint32_t code;          /* ulp_ack: ULP code; completion: completion code (11) */
    uint64_t rnr_ns;        /* ulp_ack with rnr, as far as the adapter names it; else 0 */
    uint32_t ulp_nack_code; /* completion */
    bool has_stamp;
    uint64_t stamp_ns, stamp_error_ns; /* in the clock of the SUT's IV and t2 */
    /* When it happened is known: at most `within_ns` before the time of the event, and not
     * after it. Without it the event may have happened at any time before it was read. */
    bool has_within;
    uint64_t within_ns;
    const char *text;
};

struct fal_ev_cm {
    char what[32]; /* "fatal", "spi", "dropped", ... */
    uint64_t seq;
    uint64_t count; /* dropped: events lost */
    const char *text;
};

enum fal_cc_queue { FAL_CC_QUEUE_EVENT, FAL_CC_QUEUE_RESULT };

/* A queue entry that the SUT showed: an event that it handed to its RUE, or to the tester, or a
 * result that it took from its RUE. */
struct fal_ev_cc {
    enum fal_cc_queue queue;
    uint64_t seq;
    uint32_t now_ticks;              /* the SUT's clock then, in ticks of 131.072 ns, 24 bits */
    uint8_t entry[FAL_CC_ENTRY_LEN]; /* in the format of fal_rue.format */
};

/* Of words of the verbs, and of those of NVMe. */
enum fal_verbs_phase {
    FAL_VERBS_ASKED,    /* a command was written */
    FAL_VERBS_ANSWERED, /* its reply was read */
    FAL_VERBS_TOLD,     /* an event was read: wc, cq_event, async; nvme_cqe, dev_cmd */
};

/* A word of the verbs. `conn` of the event is the connection of its queue pair, 0 while it has
 * none; objects (domains, regions, queue pairs) belong to the SUT, not to a connection. */
struct fal_ev_verbs {
    enum fal_verbs_phase phase;
    int64_t id;   /* ASKED, ANSWERED: of the command */
    bool ok;      /* ANSWERED: it was applied; else `verbs` has only its kind */
    uint64_t seq; /* TOLD: the adapter's event number */
    const struct fal_verbs *verbs;
};

/* A word of NVMe. `conn` of the event is that of an nvme_lba, else 0: namespaces and devices
 * belong to the SUT, not to a connection. */
struct fal_ev_nvme {
    enum fal_verbs_phase phase;
    int64_t id;   /* ASKED, ANSWERED: of the command */
    bool ok;      /* ANSWERED: it was applied; else `word` has only its kind */
    uint64_t seq; /* TOLD: the adapter's event number */
    const struct fal_nvme_word *word;
};

enum fal_mark {
    FAL_MARK_TESTER_LATE, /* the tester missed its own time by `value_ns` */
    FAL_MARK_GAP_IN, /* packets towards the SUT may have gone unseen; value: how many, 0 unknown
                      */
    FAL_MARK_GAP_OUT,     /* packets from the SUT likewise */
    FAL_MARK_LOSSLESS_IN, /* counters at both ends agree: nothing was lost since the start */
    FAL_MARK_LOSSLESS_OUT,
    FAL_MARK_CLOCK_STEP,
    FAL_MARK_SUT_LATE, /* its process was not heard of for `value_ns`, by its control channel */
    FAL_MARK_BARRIER,  /* a barrier's reply was read: earlier events have all been read */
};

struct fal_ev_mark {
    enum fal_mark mark;
    uint64_t value;
};

struct fal_ev_text {
    int32_t step; /* step index, or -1 */
    const char *text;
};

enum fal_bench_act {
    FAL_BENCH_GATE_DROP,    /* a rule of the scenario or its faults took a packet away */
    FAL_BENCH_NETWORK_LOSS, /* the simulated network lost one: to the SUT the last one sent;
                               from the SUT one that was not observed */
    FAL_BENCH_TIMER,        /* a timer of the tester's endpoint expired */
};

struct fal_ev_bench {
    enum fal_bench_act what;
    enum fal_dir dir; /* GATE_DROP, NETWORK_LOSS: where the packet went */
    const char *text; /* for people: the packet, or which timer; NULL: nothing to add */
};

/* A step that is over: of the tester's own time. */
struct fal_ev_timing {
    int32_t step;
    uint64_t due_ns;   /* when it was to happen, or at the latest; as t_ns counts */
    uint64_t at_ns;    /* when it did */
    uint64_t late_ns;  /* the tester's own worst lateness since the step before */
    uint64_t queue_ns; /* the longest that a frame or line lay meanwhile before it was read */
    uint64_t drops;    /* frames that the receive path dropped meanwhile */
};

struct fal_event {
    enum fal_event_kind kind;
    uint64_t index; /* position on the timeline, from 0 */
    uint64_t t_ns;
    uint32_t conn; /* connection number, from 1; 0: none */
    union {
        struct fal_ev_run run;
        struct fal_connection connection;
        struct fal_ev_packet packet;
        struct fal_ev_command command;
        struct fal_ev_reply reply;
        struct fal_ev_ulp ulp;
        struct fal_ev_cm cm;
        struct fal_ev_cc cc;
        struct fal_ev_verbs verbs;
        struct fal_ev_nvme nvme;
        struct fal_ev_mark mark;
        struct fal_ev_timing timing;
        struct fal_ev_bench bench;
        struct fal_ev_text text; /* STEP, NOTE, INTERNAL */
    } u;
};

/* Begins an event: all members are 0 but the issues of a packet, which fal_event_packet and
 * fal_event_decoded begin. They are most of an event, and clearing them takes long. */
static inline void fal_event_begin(struct fal_event *event, enum fal_event_kind kind,
                                   uint32_t conn)
{
    memset(event, 0, offsetof(struct fal_event, u) + sizeof(struct fal_connection));
    event->kind = kind;
    event->conn = conn;
}
_Static_assert(sizeof(struct fal_connection) >= offsetof(struct fal_ev_packet, issues) &&
                   sizeof(struct fal_connection) >= sizeof(struct fal_ev_run),
               "fal_event_begin clears these, too; a connection is the longest");

/* The earliest time at which an event of an upper layer with `has_within` happened. */
static inline uint64_t fal_event_since_ns(const struct fal_event *event)
{
    uint64_t within_ns = event->u.ulp.within_ns;

    return event->u.ulp.has_within && event->t_ns > within_ns ? event->t_ns - within_ns : 0;
}

/* Decodes and lints packet->bytes into the fields that say so. */
void fal_event_packet(struct fal_ev_packet *packet);
/* The same for a packet whose `header_len` and `falcon` are filled in already, as by
 * fal_falcon_decode. */
void fal_event_decoded(struct fal_ev_packet *packet);
/* The same except payload_hash, which is the caller's to fill in. Packets that one judge gets
 * must all have the same kind of hash, that of upper-layer events if there are any. */
void fal_event_unhashed(struct fal_ev_packet *packet);

/* One event as a JSON object (a line of the file), and back. Writing: new reference, NULL when
 * out of memory. Reading: 0, or FAL_ERR_FORM with `err`; the event's bytes and text then lie in
 * `storage`, which the caller keeps and frees with fal_event_storage_free. */
json_t *fal_event_to_json(const struct fal_event *event);
/* Appends an event as one line of the file, newline included: the same bytes as its JSON
 * object, compact. Returns 0, or FAL_ERR_MEM with `out` as it was. */
MUST_USE int fal_event_print(const struct fal_event *event, struct fal_shape_text *out);

struct fal_event_storage {
    uint8_t *bytes;
    size_t cap;
    char *text;
    struct fal_verbs *verbs;
    struct fal_nvme_word *nvme;
};
MUST_USE int fal_event_from_json(const json_t *object, struct fal_event *out,
                                 struct fal_event_storage *storage, struct fal_error *err);
void fal_event_storage_free(struct fal_event_storage *storage);

/* The first line of a timeline file: {"schema": "talon/timeline/1"}. */
#define FAL_TIMELINE_SCHEMA "talon/timeline/1"

/* A recorder gets each event; the judge is one, the file writer another. */
struct fal_recorder {
    void (*event)(void *ctx, const struct fal_event *event);
    void *ctx;
};

/* "ack", "data", "rnr", "cie", "nre", "cid", "withhold"; -1 for any other text. */
const char *fal_answer_name(enum fal_answer answer);
int fal_answer_from(const char *name);

#endif
