/* SPDX-License-Identifier: Apache-2.0
 * roce_text.h - packets of RoCEv2 in the notation, and patterns of them:
 *   roce opcode=rc_write_first dest_qp=0x12 psn=7 ack_req=1 / reth va=0x1000 rkey=0x7
 * length=2048 / data=1024 A pattern is a list of conditions in any order, all of which must
 * hold; "/" and the names of headers behind it separate them for the reader: rc_write_* the
 * opcode, * stands for any letters psn=3r                PSN of the requester's first packet +
 * 3;  psn=$lost+1  after that of a label; psn=3r..9r a range kind=nak              request,
 * response, ack, nak, rnr, cnp ecn=ce icrc=bad       also ect0, ect1, not_ect; good data=1024
 * bytes of data qp=1                  number of the connection, from 1 FIELD=VALUE any field of
 * BTH or the headers after it; !FIELD=VALUE: any other FIELD={1,2,5..7}      one of several */
#ifndef FAL_CODECS_TEXT_ROCE_TEXT_H
#define FAL_CODECS_TEXT_ROCE_TEXT_H

#include "codecs/base/error.h"
#include "codecs/frame/icrc.h"
#include "codecs/header/roce.h"

enum { FAL_ROCE_TEXT_MAX = 512, FAL_ROCE_ITEMS_MAX = 24, FAL_ROCE_VALUES_MAX = 8 };
enum { FAL_ROCE_LABEL_MAX = 24 };
/* The most data of a packet that a line makes, and the most bytes of "roce hex:". */
enum { FAL_ROCE_DATA_MAX = 4096, FAL_ROCE_HEX_MAX = 512 };

/* The line of a packet. As snprintf: returns the length that it would have. Reserved bits,
 * constants and fields with their usual value are left out. */
size_t fal_roce_text(const struct fal_roce_packet *packet, char *out, size_t cap);

/* "request", "response", "ack", "nak", "rnr", "cnp"; "other" for the rest. */
enum fal_roce_class {
    FAL_ROCE_REQUEST,
    FAL_ROCE_RESPONSE,
    FAL_ROCE_ACK,
    FAL_ROCE_NAK,
    FAL_ROCE_RNR,
    FAL_ROCE_CNP_CLASS,
    FAL_ROCE_OTHER
};
enum fal_roce_class fal_roce_class_of(const struct fal_roce_packet *packet);

/* A packet of which a line of the notation says all: "@8us b> roce opcode=cnp becn=1
 * dest_qp=17 ecn=ect1 port=49169". Time, end and what follows a "#" may be left out; fields
 * that are not given have their usual value, and the data are zeros. "roce hex:0011" gives the
 * bytes that UDP carries, for packets that are no packets: nothing of them is computed. */
struct fal_roce_line {
    uint64_t at_ns;
    bool back;                     /* from the second host to the first: "b>" */
    struct fal_roce_packet packet; /* unless hex_len is above 0 */
    uint8_t ecn;
    uint16_t port; /* UDP's source port; 0: the line does not give it */
    bool bad_icrc;
    size_t hex_len;
    uint8_t hex[FAL_ROCE_HEX_MAX];
};

/* Returns 0; FAL_ERR_TYPE: the line is not one of RoCE ("roce ..."); FAL_ERR_FORM or
 * FAL_ERR_RANGE with a clause in `err` that names the field. */
MUST_USE int fal_roce_line_parse(const char *text, struct fal_roce_line *out,
                                 struct fal_error *err);

struct fal_roce_value {
    enum { FAL_ROCE_NUMBER, FAL_ROCE_RELATIVE, FAL_ROCE_LABELLED, FAL_ROCE_GLOB } kind;
    uint64_t number;                   /* NUMBER; RELATIVE: the distance */
    int64_t offset;                    /* LABELLED */
    char word[FAL_ROCE_LABEL_MAX + 8]; /* LABELLED: the label; GLOB: the pattern */
};

enum fal_roce_by {
    FAL_ROCE_BY_FIELD,
    FAL_ROCE_BY_OPCODE,
    FAL_ROCE_BY_KIND,
    FAL_ROCE_BY_ECN,
    FAL_ROCE_BY_ICRC,
    FAL_ROCE_BY_DATA,
    FAL_ROCE_BY_QP
};

struct fal_roce_item {
    enum fal_roce_by by;
    bool negated;
    const struct fal_field *field;
    bool behind; /* the field is of a header behind the BTH: of any that has that name */
    size_t num_values;
    struct {
        struct fal_roce_value low, high; /* equal: a single value */
        bool range;
    } values[FAL_ROCE_VALUES_MAX];
};

struct fal_roce_pattern {
    size_t num_items;
    struct fal_roce_item items[FAL_ROCE_ITEMS_MAX];
};

/* Returns 0, or FAL_ERR_FORM with a clause in `err` that names the word. */
MUST_USE int fal_roce_pattern_parse(const char *text, struct fal_roce_pattern *out,
                                    struct fal_error *err);

/* The field of this packet that a condition BY_FIELD is about; *host gets its header. Several
 * headers have fields of one name, and a packet has one of these headers: the name decides, not
 * item->field. NULL: a packet of its opcode has no such field. */
const struct fal_field *fal_roce_item_field(const struct fal_roce_item *item,
                                            struct fal_roce_packet *packet, void **host);

/* The caller knows this beside the packet. */
struct fal_roce_subject {
    const struct fal_roce_packet *packet;
    unsigned ecn, qp; /* qp 0: not known */
    enum fal_icrc_state icrc;
    bool has_base; /* 0r is known: the first PSN of the requests that the packet belongs to */
    uint32_t base;
    /* The PSN of a label; false: nothing has that label yet. */
    bool (*label)(const void *ctx, const char *name, uint32_t *psn);
    const void *ctx;
};

bool fal_roce_pattern_match(const struct fal_roce_pattern *pattern,
                            const struct fal_roce_subject *subject);
/* A label that the pattern asks for and that `known` does not know, or NULL. */
const char *fal_roce_pattern_label(const struct fal_roce_pattern *pattern,
                                   bool (*known)(const void *ctx, const char *name),
                                   const void *ctx);

#endif
