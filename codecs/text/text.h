/* SPDX-License-Identifier: Apache-2.0
 * text.h - the one-line notation of a packet (notation.md), printed and parsed from the tables.
 * Scenarios are written in it, decode prints it, failures show it. */
#ifndef FAL_CODECS_TEXT_TEXT_H
#define FAL_CODECS_TEXT_TEXT_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "codecs/header/falcon.h"
#include "codecs/header/ulp.h"

/* ---- printing ---- */

/* No line of fal_text_packet is longer, its NUL included; lines of fal_text_hex may be. */
enum { FAL_TEXT_MAX = 1024 };

struct fal_text_style {
    bool
        relative; /* PSNs and RSNs as "3r" against the bases below, as in struct fal_relative */
    uint32_t req_psn, data_psn, rsn;      /* of the packet's sender */
    uint32_t peer_req_psn, peer_data_psn; /* of the other side */
    uint32_t peer_rsn;
};

/* Prints type and items ("eack dbase=7 drx=0b1110 d-own") of a packet: every field that is not
 * at its initial value, and always those that identify it (cid, bases, psn, rsn, length,
 * codes). What it prints parses back to the same packet. `style` may be NULL: absolute numbers.
 * Order is that of the wire, flags last. A packet too broken for a type prints as "hex:...".
 * Returns the length as snprintf does. */
int fal_text_packet(const struct fal_falcon *packet, const struct fal_text_style *style,
                    char *out, size_t cap);
/* The bytes of a packet that has no type of its own: "hex:00ff". */
int fal_text_hex(const uint8_t *bytes, size_t len, char *out, size_t cap);
/* A duration, exact: "10us", "1.25ms", "0". */
int fal_text_duration(uint64_t ns, char *out, size_t cap);

/* ---- parsing ---- */

enum fal_term_kind {
    FAL_TERM_NUMBER,   /* number */
    FAL_TERM_RELATIVE, /* number r */
    FAL_TERM_VAR,      /* $name, with an operation; ($name)r */
    FAL_TERM_RANGE,    /* lo .. hi, each a number, relative or variable */
    FAL_TERM_SET,      /* { value, ... } */
    FAL_TERM_ANY,      /* any */
    FAL_TERM_CAPTURE,  /* @name: matches anything and binds it */
    FAL_TERM_DURATION, /* 10us; only where the field takes one (rnr) */
};

enum { FAL_VAR_MAX = 32, FAL_ITEMS_MAX = 40, FAL_TERMS_MAX = 64 };

/* One operand. Times are in nanoseconds in fal_u128_lo(value). */
struct fal_term {
    enum fal_term_kind kind;
    fal_u128 value;        /* NUMBER, RELATIVE, DURATION */
    char var[FAL_VAR_MAX]; /* VAR, CAPTURE */
    bool relative;         /* VAR: counts as a relative number does, "($name)r" */
    char op;               /* VAR: 0, '+', '-', '*' or '/' with `operand` */
    fal_u128 operand;
    uint16_t first, count; /* RANGE: 2, SET: n; indices of terms in the pattern's `terms` */
};

enum fal_match { FAL_MATCH_EQ, FAL_MATCH_NE, FAL_MATCH_MASK }; /* = , !field= , field:mask= */

struct fal_item {
    const struct fal_field *field; /* of any packet type when the type is "packet" */
    enum fal_match match;
    fal_u128 mask;  /* MATCH_MASK; and for the flags: the bits of `own` that are meant */
    uint16_t term;  /* index in `terms` */
    uint8_t header; /* 0: the Falcon header; of the upper layer, 1 + its index */
};

/* The part of a line after " / ", about the upper layer. */
struct fal_ulp_part {
    uint8_t protocol;   /* FAL_PROTOCOL_RDMA, FAL_PROTOCOL_NVME; 0: the line has no such part */
    bool any;           /* any operation; can be expected only */
    bool bare;          /* the first header alone, to send reserved opcodes and types */
    uint8_t code;       /* RDMA opcode or NVMe packet type, unless `any` */
    uint8_t num_items;  /* they follow the Falcon header's in `items` */
    bool data, has_tag; /* data=LEN, data=LEN@TAG[+OFFSET] */
    uint16_t term;      /* of LEN; TAG and OFFSET follow it */
};

enum fal_time_form {
    FAL_TIME_NONE,
    FAL_TIME_AFTER,
    FAL_TIME_AT,
    FAL_TIME_WITHIN,
    FAL_TIME_RANGE
};

/* duration = number unit | 0 | $name [op number [unit | %]]; the number may have a fraction */
struct fal_duration {
    uint64_t ns;           /* when var is empty */
    char var[FAL_VAR_MAX]; /* "rto": $rto */
    char op;               /* 0, '+', '-', '*', '/' */
    double operand;        /* of the op; with percent: of the variable's value */
    bool percent;
};

struct fal_pattern {
    enum fal_time_form time;
    struct fal_duration from, to;    /* AFTER, AT, WITHIN: from; RANGE: from..to */
    char dir;                        /* '>', '<' or 0 */
    const struct fal_layout *layout; /* NULL: "packet" (any), or hex */
    bool any_type;
    uint8_t hex[512];
    size_t hex_len;        /* > 0: hex: bytes as they are */
    bool rest;             /* "..." was said */
    long long payload_len; /* payload bytes given beside the header with payload_len=, or -1 */
    char payload_var[FAL_VAR_MAX]; /* payload_len=$name: the variable; or empty */
    struct fal_ulp_part ulp;
    size_t num_items, num_terms;
    struct fal_item items[FAL_ITEMS_MAX];
    struct fal_term terms[FAL_TERMS_MAX]; /* last: who keeps many of these keeps num_terms */
};

/* Parses one line. Returns 0, or FAL_ERR_FORM with a sentence and the column in `err`. */
MUST_USE int fal_text_parse(const char *line, struct fal_pattern *out, struct fal_error *err);
/* The same, with the column (from 1) of an error in *column instead of in the sentence, for a
 * caller that shows the place in a larger file. */
MUST_USE int fal_text_parse_at(const char *line, struct fal_pattern *out, struct fal_error *err,
                               unsigned *column);

/* Parses a duration alone ("250us", "$rto * 2", "$rnr+10%"). Same returns. */
MUST_USE int fal_text_parse_duration(const char *text, struct fal_duration *out,
                                     struct fal_error *err);

/* Prints a pattern back as a line without its time and direction; for "expected" in failures.
 */
int fal_text_pattern(const struct fal_pattern *pattern, char *out, size_t cap);

/* The value of a variable, or false when there is none. */
struct fal_vars {
    bool (*get)(const void *ctx, const char *name, fal_u128 *value);
    const void *ctx;
};

/* A duration in nanoseconds. Returns 0, or FAL_ERR_FORM (unknown variable, negative result). */
MUST_USE int fal_duration_ns(const struct fal_duration *d, const struct fal_vars *vars,
                             uint64_t *ns, struct fal_error *err);

/* What "3r" means for a field of a packet in one direction: the sequence number that 0r stands
 * for. psn counts from the sender's; recv_*_base_psn and nack_psn speak of what the other side
 * sent and count from the other side's. rsn counts from that of the transaction's initiator:
 * the sender's, but in a pull_data, and the resync of one, the other side's. */
struct fal_relative {
    uint32_t req_psn, data_psn, rsn;      /* of the packet's sender */
    uint32_t peer_req_psn, peer_data_psn; /* of the other side */
    uint32_t peer_rsn;
};

/* Writes a sent packet's given fields into `packet` (already filled with what the endpoint
 * would send; of the layout's type). Returns 0; FAL_ERR_RANGE, FAL_ERR_FORM with `err` (unknown
 * variable, any, "packet", hex, ...): the packet is then untouched. `rel` and `vars` may be
 * NULL: all zero, none. */
MUST_USE int fal_pattern_apply(const struct fal_pattern *pattern,
                               const struct fal_relative *rel, const struct fal_vars *vars,
                               struct fal_falcon *packet, struct fal_error *err);

/* The number that payload_len= states, also by a variable; -1: the line has no payload_len.
 * Returns 0; FAL_ERR_FORM (unknown variable), FAL_ERR_RANGE (no length of a payload) with
 * `err`.
 */
MUST_USE int fal_pattern_payload_now(const struct fal_pattern *pattern,
                                     const struct fal_vars *vars, long long *payload_len,
                                     struct fal_error *err);

/* How long the payload of a sent packet is by its line: payload_len= (a number), else the len=
 * of a push_data (`packet`: after fal_pattern_apply), else -1, the line does not say. */
long long fal_pattern_payload_len(const struct fal_pattern *pattern,
                                  const struct fal_falcon *packet);

/* The payload that the part for the upper layer describes. */
struct fal_ulp_payload {
    uint8_t headers[FAL_ULP_BYTES_MAX];
    uint8_t headers_len, pad_len; /* pad: zeros after the data */
    bool has_tag;                 /* the data are bytes of the pattern of that tag */
    uint32_t data_len, offset;    /* offset: of the data in that pattern */
    uint64_t tag;
};

/* Makes the payload of a packet to send. Fills in what the line leaves open: the protocol type
 * of *packet, lengths that follow from others (AMB-R07, AMB-R16), the padding, and of a request
 * the sequence number (RDMA 8.2: its RSN's distance from the first, plus 1). A pattern without
 * such a part gives no bytes. Call it after fal_pattern_apply. Returns 0, or an error as that
 * does. */
MUST_USE int fal_pattern_ulp(const struct fal_pattern *pattern, const struct fal_relative *rel,
                             const struct fal_vars *vars, struct fal_falcon *packet,
                             struct fal_ulp_payload *out, struct fal_error *err);

/* The data that the pattern expects or sends; has_tag false: it does not say which bytes. Only
 * the members about the data are set. Returns 0, or an error as fal_pattern_apply does. */
MUST_USE int fal_pattern_data(const struct fal_pattern *pattern, const struct fal_vars *vars,
                              struct fal_ulp_payload *out, struct fal_error *err);

/* A packet that was seen, the length of its payload, and the headers of the upper layer in it
 * (NULL: they were not read). */
struct fal_seen_packet {
    const struct fal_falcon *packet;
    size_t payload_len;
    const struct fal_ulp *ulp;
};

/* Receives the value of each @name of a pattern. */
struct fal_capture {
    void (*take)(void *ctx, const char *name, fal_u128 value);
    void *ctx;
};

/* Whether a seen packet matches. `capture` (may be NULL) receives for each @name the value
 * seen (only when all matched). On a mismatch `why` (may be NULL) says the first field that
 * differs: "recv_data_base_psn: due 1r, seen 0r". A field that the packet's type has not (open
 * patterns: "packet") mismatches, but with "!" it matches. 1 match, 0 no match, FAL_ERR_FORM or
 * FAL_ERR_RANGE for an unknown variable, an impossible computation, a hex line. */
MUST_USE int fal_pattern_match(const struct fal_pattern *pattern,
                               const struct fal_relative *rel, const struct fal_vars *vars,
                               const struct fal_seen_packet *seen,
                               const struct fal_capture *capture, struct fal_error *why);

/* The first field of the pattern in which the packet differs, whatever the packet's type; NULL:
 * none. */
const struct fal_field *fal_pattern_differs(const struct fal_pattern *pattern,
                                            const struct fal_relative *rel,
                                            const struct fal_vars *vars,
                                            const struct fal_falcon *packet);
/* The one value that the pattern states for the field of that name; false: it states none, or a
 * range, a set, or anything but a value. Of `packet` its type and window count: they say what
 * 0r is. */
bool fal_pattern_value(const struct fal_pattern *pattern, const struct fal_relative *rel,
                       const struct fal_vars *vars, const struct fal_falcon *packet,
                       const char *name, fal_u128 *value);

/* The grammar with every type, field and alias, from the tables: `talon help notation`. Caller
 * frees. */
char *fal_text_grammar(void);

#endif
