/* SPDX-License-Identifier: Apache-2.0
 * lint.h - a packet held against the specification alone: what no state is needed to see.
 *
 * What one field can break (reserved bits, constants, code points) comes from the field tables;
 * what spans fields is a row of fal_lint_rows(). An issue is as severe as the worst that the
 * catalogue lets a breach of its requirement lead to: fail is an error, warn a warning, never a
 * note. */
#ifndef FAL_CODECS_HEADER_LINT_H
#define FAL_CODECS_HEADER_LINT_H

#include "codecs/base/issue.h"
#include "codecs/header/falcon.h"

/* Lints the Falcon packet of `len` bytes at `bytes`, which stands at byte `offset` of its
 * frame. Covers: too short for its type, version, reserved bits, reserved code points,
 * request_length against the payload of a push, payload after an ACK or resync, packet types in
 * a resync, rnr_timeout only with code 2, own in a BACK, bit 0 of data_ack_bitmap and
 * req_bitmap, ack bits without rx. `truncated`: the capture cut the packet, so its length says
 * nothing. */
void fal_lint_falcon(const uint8_t *bytes, size_t len, bool truncated, uint32_t offset,
                     struct fal_issues *issues);

/* The same for a packet that fal_falcon_decode has read whole, with `payload_len` bytes after
 * its header. A packet of a reserved type has nothing to lint and adds nothing. */
void fal_lint_packet(const struct fal_falcon *packet, size_t payload_len, bool truncated,
                     uint32_t offset, struct fal_issues *issues);

/* Adds an issue for each field of a header, at byte `offset` of the frame, whose value its
 * table does not allow. `layer`: the JSON name of the header. */
void fal_lint_fields(const struct fal_layout *layout, const void *host, const char *layer,
                     uint32_t offset, struct fal_issues *issues);

/* Every way for a packet to be wrong. The order is that of fal_lint_rows(). */
enum fal_lint {
    FAL_LINT_RESERVED, /* of one field, by its table */
    FAL_LINT_CONSTANT,
    FAL_LINT_CODE,
    FAL_LINT_CAPTURED_SHORT, /* of the frame stack */
    FAL_LINT_HEADER_SHORT,
    FAL_LINT_HEADER,
    FAL_LINT_IP_LENGTH,
    FAL_LINT_UDP_LENGTH,
    FAL_LINT_CHECKSUM,
    FAL_LINT_NO_CHECKSUM,
    FAL_LINT_FRAGMENT,
    FAL_LINT_NEXT_HEADER,
    FAL_LINT_CRYPT_OFFSET,
    FAL_LINT_ICV,
    FAL_LINT_INNER_TRAILER,
    FAL_LINT_PADDING,
    FAL_LINT_FALCON_SHORT, /* of the Falcon packet */
    FAL_LINT_PAYLOAD,
    FAL_LINT_REQUEST_LENGTH,
    FAL_LINT_RNR_TIMEOUT,
    FAL_LINT_OWN,
    FAL_LINT_ACK_BASE,
    FAL_LINT_ACK_WITHOUT_RX,
    FAL_LINT_RUE_BIT,
    FAL_LINT_ULP_RESERVED, /* of what Falcon carries (ulp.h) */
    FAL_LINT_ULP_UNKNOWN,
    FAL_LINT_ULP_SHORT,
    FAL_LINT_ULP_CARRIER,
    FAL_LINT_ULP_REQUEST_LENGTH,
    FAL_LINT_XRC,
    FAL_LINT_PAD,
    FAL_LINT_RETH_LENGTH,
    FAL_LINT_RETH_WHOLE,
    FAL_LINT_INV,
    FAL_LINT_NVME_DATA,
    FAL_LINT_COUNT,
};

struct fal_lint_row {
    const char *code;
    const char *requirement; /* or NULL */
    const char *message;
    enum fal_severity severity;
    bool table; /* requirement and severity are those of the field or the layout */
    bool cites; /* the requirement alone is; the code may be another row's */
};

/* All rows, FAL_LINT_COUNT of them. */
const struct fal_lint_row *fal_lint_rows(void);

/* The severity of a breach of `requirement`; of NULL, `otherwise`. */
enum fal_severity fal_lint_severity(const char *requirement, enum fal_severity otherwise);

/* Adds the issue of a row about the header of `layer` at byte `offset` of the frame, without
 * values: about `field`, or the whole header when it is NULL. `requirement` replaces that
 * of a row that has `table` or `cites`. */
void fal_lint_add(struct fal_issues *issues, enum fal_lint lint, const char *requirement,
                  const char *layer, const struct fal_field *field, uint32_t offset);

/* The same, with the value seen and the one due. */
struct fal_lint_at {
    const char *requirement, *layer;
    const struct fal_field *field;
    uint32_t offset;
};
void fal_lint_add_values(struct fal_issues *issues, enum fal_lint lint,
                         const struct fal_lint_at *at, fal_u128 seen, fal_u128 due);

#endif
