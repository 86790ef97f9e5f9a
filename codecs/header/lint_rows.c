/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/lint.h"

#define BY_TABLE .table = true
#define CITED    .cites = true

static const struct fal_lint_row rows[FAL_LINT_COUNT] = {
    [FAL_LINT_RESERVED] = {"reserved-not-zero", BY_TABLE, .severity = FAL_WARNING,
                           .message = "reserved bits are sent as 0"},
    [FAL_LINT_CONSTANT] = {"wrong-constant", BY_TABLE, .severity = FAL_ERROR,
                           .message = "the field has one legal value"},
    [FAL_LINT_CODE] = {"reserved-code", BY_TABLE, .severity = FAL_ERROR,
                       .message = "the code point is reserved"},
    [FAL_LINT_CAPTURED_SHORT] = {"captured-short", .severity = FAL_NOTE,
                                 .message = "the capture ends before the header does"},
    [FAL_LINT_HEADER_SHORT] = {"header-too-short", .requirement = "FTP-9.2.2.1-01",
                               .severity = FAL_ERROR,
                               .message = "the frame ends before the header does"},
    [FAL_LINT_HEADER] = {"bad-header", .requirement = "FTP-9.2.2.1-01", .severity = FAL_ERROR,
                         .message =
                             "the header contradicts itself or the bytes that are there"},
    [FAL_LINT_IP_LENGTH] = {"bad-ip-length", .requirement = "FTP-9.2.2.1-01",
                            .severity = FAL_ERROR,
                            .message = "the IP length is more than the frame has"},
    [FAL_LINT_UDP_LENGTH] = {"bad-udp-length", .requirement = "FTP-9.2.2.1-04",
                             .severity = FAL_ERROR,
                             .message = "the UDP length is not what IP carries"},
    [FAL_LINT_CHECKSUM] = {"bad-checksum", .requirement = "FTP-9.2.2.1-03",
                           .severity = FAL_ERROR, .message = "the checksum is wrong"},
    [FAL_LINT_NO_CHECKSUM] = {"no-checksum", .requirement = "FTP-9.2.2.1-03",
                              .severity = FAL_ERROR,
                              .message = "over IPv6 only PSP may go without a UDP checksum"},
    [FAL_LINT_FRAGMENT] = {"fragment", .severity = FAL_NOTE,
                           .message = "IP fragments are not reassembled"},
    [FAL_LINT_NEXT_HEADER] = {"not-falcon", .severity = FAL_NOTE,
                              .message = "what is sealed is neither Falcon nor IP"},
    [FAL_LINT_CRYPT_OFFSET] =
        {"wrong-crypt-offset", .requirement = "FTP-7.1-03", .severity = FAL_ERROR,
         .message = "exactly the first 4 bytes of the Falcon header stay in the clear"},
    [FAL_LINT_ICV] = {"bad-icv", .requirement = "FTP-9.2.2.1-05", .severity = FAL_ERROR,
                      .message = "the packet is not authentic"},
    [FAL_LINT_INNER_TRAILER] = {"inner-trailer", .severity = FAL_NOTE,
                                .message = "bytes follow the inner IP packet"},
    [FAL_LINT_PADDING] = {"bad-padding", .severity = FAL_WARNING,
                          .message = "the padding of ESP counts 1, 2, 3 (RFC 4303, 2.4)"},
    [FAL_LINT_FALCON_SHORT] = {"packet-too-short", BY_TABLE, .severity = FAL_ERROR,
                               .message = "the packet ends before its header does"},
    [FAL_LINT_PAYLOAD] = {"unexpected-payload", BY_TABLE, .severity = FAL_ERROR,
                          .message = "bytes follow a packet that has no payload"},
    [FAL_LINT_REQUEST_LENGTH] = {"request-length-mismatch", .requirement = "FTP-7.5-04",
                                 .severity = FAL_ERROR,
                                 .message = "request_length is not the length of the payload"},
    [FAL_LINT_RNR_TIMEOUT] = {"rnr-timeout-without-rnr", .severity = FAL_WARNING,
                              .message = "an RNR timeout means something in an RNR NACK only"},
    [FAL_LINT_OWN] = {"own-in-back", .requirement = "FTP-9.1.6-14", .severity = FAL_ERROR,
                      .message = "an out-of-window drop is told by an EACK, never by a BACK"},
    [FAL_LINT_ACK_BASE] = {"base-acknowledged", .requirement = "FTP-7.7.2-07",
                           .severity = FAL_ERROR,
                           .message =
                               "bit 0 stands for the base, which is not yet acknowledged"},
    [FAL_LINT_ACK_WITHOUT_RX] =
        {"ack-without-rx", .severity = FAL_WARNING,
         .message =
             "a PSN is acknowledged but not received; only a Resync explains it (9.2.5)"},
    [FAL_LINT_RUE_BIT] =
        {"disputed-rue-bit", .severity = FAL_NOTE,
         .message =
             "the highest bit of rue_info is reserved in the figure, not in the table (AMB-04, AMB-05)"},
    [FAL_LINT_ULP_RESERVED] = {"reserved-not-zero", CITED, .severity = FAL_WARNING,
                               .message = "reserved bits are sent as 0"},
    [FAL_LINT_ULP_UNKNOWN] = {"unknown-payload", .severity = FAL_NOTE,
                              .message =
                                  "the payload does not read as what protocol_type says"},
    [FAL_LINT_ULP_SHORT] = {"ulp-too-short", CITED, .severity = FAL_ERROR,
                            .message = "the payload ends before the headers of its kind do"},
    [FAL_LINT_ULP_CARRIER] = {"wrong-falcon-packet", CITED, .severity = FAL_ERROR,
                              .message =
                                  "another type of Falcon packet carries this operation"},
    [FAL_LINT_ULP_REQUEST_LENGTH] = {"request-length-mismatch", CITED, .severity = FAL_ERROR,
                                     .message =
                                         "request_length is not the length of the response"},
    [FAL_LINT_XRC] = {"xrc-opcode", .severity = FAL_NOTE,
                      .message =
                          "XRC opcodes are InfiniBand's; the table lists none (AMB-R04)"},
    [FAL_LINT_PAD] = {"bad-pad", .requirement = "RDMA-8.2-05", .severity = FAL_ERROR,
                      .message = "data and pad bytes make whole 4-byte words"},
    [FAL_LINT_RETH_LENGTH] = {"length-mismatch", .requirement = "RDMA-8.3.1-04",
                              .severity = FAL_ERROR,
                              .message = "length is not that of the data"},
    [FAL_LINT_RETH_WHOLE] =
        {"whole-length", CITED, .severity = FAL_WARNING,
         .message = "length is more than the packet's data: of the whole operation? (AMB-R07)"},
    [FAL_LINT_INV] = {"misplaced-inv", CITED, .severity = FAL_WARNING,
                      .message = "inv belongs in a write_data_response (AMB-N17)"},
    [FAL_LINT_NVME_DATA] = {"too-much-data", CITED, .severity = FAL_ERROR,
                            .message = "more data than a packet may carry"},
};

const struct fal_lint_row *fal_lint_rows(void)
{
    return rows;
}

/* Requirements whose breach is less than a failure: bits that only the figures reserve
 * (AMB-27). */
static const char *const warnings[] = {
    "FTP-7.2-03",   "FTP-7.3-02",  "FTP-7.5-02",  "FTP-7.6-12",  "FTP-7.7.1-03",
    "FTP-7.7.1-05", "FTP-7.8-24",  "RDMA-8.2-03", "RDMA-8.2-06", "RDMA-8.2-07",
    "RDMA-8.2-11",  "NVME-8.2-05", "NVME-8.2-14", "NVME-8.3-07",
};

enum fal_severity fal_lint_severity(const char *requirement, enum fal_severity otherwise)
{
    if (requirement == NULL)
        return otherwise;
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        if (strcmp(warnings[i], requirement) == 0)
            return FAL_WARNING;
    return FAL_ERROR;
}

static struct fal_issue issue_of(enum fal_lint lint, const char *requirement, const char *layer,
                                 const struct fal_field *field, uint32_t offset)
{
    const struct fal_lint_row *row = &rows[lint];
    const char *cited = row->table || row->cites ? requirement : row->requirement;

    return (struct fal_issue){
        .severity = row->table ? fal_lint_severity(cited, row->severity) : row->severity,
        .code = row->code,
        .layer = layer,
        .field = field != NULL ? field->name : NULL,
        .offset = offset + (field != NULL ? field->offset_bits / 8u : 0),
        .requirement = cited,
        .message = row->message,
    };
}

void fal_lint_add(struct fal_issues *issues, enum fal_lint lint, const char *requirement,
                  const char *layer, const struct fal_field *field, uint32_t offset)
{
    fal_issue_add(issues, issue_of(lint, requirement, layer, field, offset));
}

void fal_lint_add_values(struct fal_issues *issues, enum fal_lint lint,
                         const struct fal_lint_at *at, fal_u128 seen, fal_u128 due)
{
    struct fal_issue issue = issue_of(lint, at->requirement, at->layer, at->field, at->offset);

    issue.seen = seen;
    issue.due = due;
    issue.has_values = true;
    fal_issue_add(issues, issue);
}
