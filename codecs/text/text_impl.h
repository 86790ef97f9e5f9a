/* SPDX-License-Identifier: Apache-2.0
 * text_impl.h - what the text_*.c and frame_*.c files share: a bounded output, a cursor over a
 * line, the flags, and the base of relative numbers. Only codecs/ includes it. */
#ifndef FAL_CODECS_TEXT_TEXT_IMPL_H
#define FAL_CODECS_TEXT_TEXT_IMPL_H

#include "codecs/base/error.h"
#include "codecs/text/text.h"

/* ---- output: as snprintf, what does not fit is cut and counted ---- */

struct fal_out {
    char *at;
    size_t cap, len;
};

struct fal_out fal_out_start(char *at, size_t cap);
void fal_out_char(struct fal_out *out, char c);
void fal_out_text(struct fal_out *out, const char *text);
void fal_out_number(struct fal_out *out, uint64_t value);
/* "0x1f"; with `bits`, binary: "0b11111". Zero is "0". */
void fal_out_radix(struct fal_out *out, fal_u128 value, bool bits);
void fal_out_format(struct fal_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Terminates the text; its whole length. */
int fal_out_end(struct fal_out *out);

/* "10us", "1.25ms", "0": exact, in the largest unit that leaves something before the point. */
void fal_out_duration(struct fal_out *out, uint64_t ns);
/* A field's value as the notation writes it: name, duration, bits, number. */
void fal_out_value(struct fal_out *out, const struct fal_field *field, fal_u128 value);
/* "3r", "-1r" of a distance mod 2^32. */
void fal_out_relative(struct fal_out *out, uint32_t distance);
/* A term of a pattern, for this field. */
void fal_out_term(struct fal_out *out, const struct fal_pattern *pattern,
                  const struct fal_term *term, const struct fal_field *field);

/* ---- a captured packet of RoCEv2 (roce_frame_text.c) ---- */

/* A line gives nothing of a frame, all bytes that UDP carries, or the fields. */
enum fal_roce_shown { FAL_ROCE_COMMENT, FAL_ROCE_BYTES, FAL_ROCE_LINE };

/* "@8us b> roce opcode=cnp ...  " from which the same packet can be encoded again; where the
 * fields do not say all of it, "@8us b> roce hex:...  ". Prints nothing for frames of another
 * kind, cut ones, sealed ones, and those with more than a line holds. */
enum fal_roce_shown fal_out_roce_line(struct fal_out *out, const struct fal_frame *frame,
                                      uint64_t first_ns);
/* ", roce opcode=cnp ...": for the comment about a frame with a RoCE layer. */
void fal_out_roce_fields(struct fal_out *out, const struct fal_frame *frame);

/* ---- input: a cursor over a NUL-terminated line ---- */

struct fal_cursor {
    const char *line, *at;
    struct fal_error *err; /* may be NULL */
    unsigned *column;      /* where the column of an error goes; NULL: into its text */
};

/* Says what is wrong at `at`, after "column N: " unless in->column takes that; returns
 * FAL_ERR_FORM. */
int fal_cursor_fail(struct fal_cursor *in, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A piece of the input fit to be printed: cut, without control characters. */
struct fal_quoted {
    char text[44];
};
struct fal_quoted fal_quote(const char *at, size_t len);

bool fal_is_blank(char c);
bool fal_is_digit(char c);
bool fal_is_word(char c); /* letters, digits, '_' */
void fal_skip_blanks(struct fal_cursor *in);
/* Length of what stands at `at` up to the next blank, for messages. */
size_t fal_item_len(const char *at);

/* "12", "0x1f", "0b101", up to 128 bits. */
MUST_USE int fal_read_number(struct fal_cursor *in, fal_u128 *out);
/* A name after '$' or '@'; the cursor stands behind that character. */
MUST_USE int fal_read_name(struct fal_cursor *in, char out[FAL_VAR_MAX]);
/* The operator of "$var + 1", blanks around it skipped, when an operand follows; else 0,
 * nothing read. */
char fal_read_operator(struct fal_cursor *in);
/* "us" and the like as a factor, or 0: nothing read. */
uint64_t fal_read_unit(struct fal_cursor *in);
/* The rest of a duration whose integer `number`, at `start`, was read: [ "." digits ] unit. */
MUST_USE int fal_read_time(struct fal_cursor *in, const char *start, fal_u128 number,
                           uint64_t *ns);
MUST_USE int fal_read_duration(struct fal_cursor *in, struct fal_duration *out);

/* A new term of the pattern; fails when there is no room. */
MUST_USE int fal_new_term(struct fal_cursor *in, struct fal_pattern *out, const char *at,
                          uint16_t *index);
/* The value of `item` (whose field and match are set) into *slot, which lies in out->terms. */
MUST_USE int fal_parse_value(struct fal_cursor *in, struct fal_pattern *out,
                             const struct fal_item *item, struct fal_term *slot);

/* ---- the terms of a pattern as numbers ---- */

/* The values from which the terms of a pattern are computed. */
struct fal_scope {
    const struct fal_pattern *pattern;
    const struct fal_relative *rel;
    const struct fal_vars *vars;
    const struct fal_falcon *packet; /* its type and window say what 0r is */
    struct fal_error *err;
};

/* `rel` may be NULL: all zero. */
struct fal_scope fal_scope_of(const struct fal_pattern *pattern, const struct fal_relative *rel,
                              const struct fal_vars *vars, const struct fal_falcon *packet,
                              struct fal_error *err);
/* The value of a plain term (no range, set, any or capture) for this field. Returns 0, or
 * FAL_ERR_FORM, FAL_ERR_RANGE with the scope's error. */
MUST_USE int fal_scope_value(const struct fal_scope *s, const struct fal_field *field,
                             const struct fal_term *term, fal_u128 *out);
/* Writes the item's value into its field of a header's host struct. Same returns. */
MUST_USE int fal_scope_apply(const struct fal_scope *s, const struct fal_item *item,
                             void *host);
/* Whether the item holds for that field of the host struct: 1; 0 with the scope's error; or an
 * error. */
MUST_USE int fal_scope_holds(const struct fal_scope *s, const struct fal_item *item,
                             const struct fal_field *field, const void *host);
/* Hands over the value of the field if the item captures it. */
void fal_scope_capture(const struct fal_scope *s, const struct fal_item *item,
                       const struct fal_field *field, const void *host,
                       const struct fal_capture *capture);

/* ---- the part for the upper layer ---- */

/* The layout of an item's header; NULL for an item of the Falcon header. */
const struct fal_layout *fal_item_layout(const struct fal_pattern *pattern,
                                         const struct fal_item *item);
/* "recv_data_base_psn", "seth.rmsn". */
void fal_out_item_name(struct fal_out *out, const struct fal_pattern *pattern,
                       const struct fal_item *item);
/* The same as the notation writes it, with its alias: "dbase", "seth.rmsn". */
void fal_out_item_word(struct fal_out *out, const struct fal_pattern *pattern,
                       const struct fal_item *item);
/* One item of a pattern as the notation writes it, a blank before it. */
void fal_out_item(struct fal_out *out, const struct fal_pattern *pattern,
                  const struct fal_item *item);
/* " / rdma send_only dqp=7 data=64@9"; nothing when the pattern has no such part. */
void fal_out_ulp_part(struct fal_out *out, const struct fal_pattern *pattern);
/* Reads what follows the '/' at the cursor, up to the end or the comment. */
MUST_USE int fal_parse_ulp_part(struct fal_cursor *in, struct fal_pattern *out);
/* Reads the rest of an item whose field is known, from its ':' or '='. */
MUST_USE int fal_parse_item_value(struct fal_cursor *in, struct fal_pattern *out,
                                  const char *name, struct fal_item *item);
/* 1: the packet fits the part, or the pattern has none; 0, or an error, as of
 * fal_pattern_match. */
MUST_USE int fal_ulp_part_match(const struct fal_scope *s, const struct fal_seen_packet *seen,
                                const struct fal_capture *capture);

/* ---- the flags "ar", "r-own", "d-own": bits of a member ---- */

struct fal_text_flag {
    const char *word;
    uint16_t member_offset;
    uint8_t bits;
    const char *field; /* its canonical name */
};
const struct fal_text_flag *fal_text_flags(size_t *n);

/* ---- fields ---- */

/* Whether it is rnr_timeout, whose values are also written as durations. */
bool fal_field_takes_time(const struct fal_field *field);
/* Whether "3r" makes sense for it. */
bool fal_field_is_sequence(const struct fal_field *field);
/* The sequence number that 0r stands for in that field of that packet; what the packet says of
 * its window (resync_packet_type, window) must be in it. */
uint32_t fal_relative_zero(const struct fal_relative *rel, const struct fal_falcon *packet,
                           const struct fal_field *field);

#endif
