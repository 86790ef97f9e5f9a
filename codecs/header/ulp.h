/* SPDX-License-Identifier: Apache-2.0
 * ulp.h - what a Falcon packet carries: the headers of RDMA over Falcon and NVMe over Falcon,
 * read from the payload by protocol_type and the Falcon packet's type, and written. */
#ifndef FAL_CODECS_HEADER_ULP_H
#define FAL_CODECS_HEADER_ULP_H

#include "codecs/base/error.h"
#include "codecs/base/issue.h"
#include "codecs/header/falcon.h"
#include "codecs/header/headers.h"

enum { FAL_PROTOCOL_RDMA = 2, FAL_PROTOCOL_NVME = 3 }; /* protocol_type (7.2) */

/* ---- RDMA (RDMA 8) ---- */

/* opcode[7:5]; XRC by InfiniBand's number (AMB-R04) */
enum fal_rdma_service { FAL_RDMA_RC = 0, FAL_RDMA_UD = 3, FAL_RDMA_XRC = 5 };

/* The headers, by their layouts' names. */
enum fal_rdma_header {
    FAL_RDMA_RBTH,
    FAL_RDMA_RETH,
    FAL_RDMA_SETH,
    FAL_RDMA_OETH,
    FAL_RDMA_STETH,
    FAL_RDMA_IMMDT,
    FAL_RDMA_ATOMICETH,
    FAL_RDMA_ATOMICACKETH,
    FAL_RDMA_IETH,
    FAL_RDMA_XRCETH,
    FAL_RDMA_DETH,
    FAL_RDMA_HEADERS,
};

enum { FAL_RDMA_SEQUENCE_MAX = 5 };

/* Host form; which headers a packet has, its opcode says. */
struct fal_rdma {
    struct fal_rbth rbth;
    struct fal_reth reth;
    struct fal_seth seth;
    struct fal_oeth oeth;
    struct fal_steth steth;
    struct fal_immdt immdt;
    struct fal_atomiceth atomiceth;
    struct fal_atomicacketh atomicacketh;
    struct fal_ieth ieth;
    struct fal_xrceth xrceth;
    struct fal_deth deth;
};

/* What an opcode stands for. */
struct fal_rdma_kind {
    const char *name;        /* "send_only", "ud_send_only", "xrc_send_only" */
    const char *requirement; /* the catalogue's id for its row */
    enum fal_rdma_service service;
    enum fal_packet_type packet;                         /* the Falcon packet that carries it */
    enum fal_rdma_header headers[FAL_RDMA_SEQUENCE_MAX]; /* in wire order, the RBTH first */
    size_t num_headers;
    bool data; /* data may follow */
};

/* NULL for a reserved opcode. XRC requests have an XRCETH after the RBTH (8.3.9, AMB-R04). */
const struct fal_rdma_kind *fal_rdma_kind(unsigned opcode);
/* Bytes of all its headers. */
size_t fal_rdma_size(const struct fal_rdma_kind *kind);
/* A header's layout, whose name is its JSON key, and its place in the host form. */
const struct fal_layout *fal_rdma_layout(enum fal_rdma_header header);
void *fal_rdma_host(struct fal_rdma *rdma, enum fal_rdma_header header);

/* ---- NVMe (NVME 8) ---- */

enum fal_nvme_type { /* NVME 8.1.3 */
                     FAL_NVME_WRITE_REQUEST = 0,
                     FAL_NVME_WRITE_DATA_REQUEST = 1,
                     FAL_NVME_WRITE_DATA_RESPONSE = 2,
                     FAL_NVME_WRITE_COMPLETION = 3,
                     FAL_NVME_READ_REQUEST = 4,
                     FAL_NVME_READ_RESPONSE = 5,
};

enum {
    FAL_NVME_TYPES = 6,
    FAL_NVME_DATA_MAX = 4224
}; /* bytes of data in a packet (8.4, 8.7) */

/* The members of all packet types, as in struct fal_falcon. */
struct fal_nvme {
    fal_u128 reserved_2;
    uint64_t slba;
    uint32_t initiator_function, target_tag, initiator_tag, icmd_identifier;
    uint32_t eilbrt, ilbrt;
    uint32_t reserved_3, reserved_4, reserved_5, reserved_6;
    uint16_t initiator_nsid, target_nsid, nlb, dspec;
    uint16_t elbatm, elbat, lbatm, lbat, cqe_status;
    uint8_t version, packet_type, reserved_0, reserved_1, inv, s, ng;
    uint8_t ncnt_total, ncnt_offset;
    uint8_t dtype, prinfo, fua, lr, dsm, target_sqid;
};

/* The layout of a packet type, which begins with the NBTH, or NULL for a reserved one; its
 * name ("read_request"); the Falcon packet that carries it (8.1.3). */
const struct fal_layout *fal_nvme_layout(unsigned packet_type);
const char *fal_nvme_type_name(unsigned packet_type);
enum fal_packet_type fal_nvme_carrier(enum fal_nvme_type packet_type);

/* ---- either ---- */

enum fal_ulp_state {
    FAL_ULP_NONE,     /* a packet without payload or of a reserved protocol type */
    FAL_ULP_READ,     /* the headers below are those at the front of the payload */
    FAL_ULP_FILLER,   /* a tester's payload: zeros, or one that begins with its magic */
    FAL_ULP_UNKNOWN,  /* bytes that do not look like the protocol */
    FAL_ULP_SHORT,    /* the payload ends before the headers do */
    FAL_ULP_RESERVED, /* a reserved opcode or packet type: only the first header is read */
};

enum { FAL_ULP_BYTES_MAX = 64 };

/* The ULP headers of a payload. */
struct fal_ulp {
    enum fal_ulp_state state;
    uint8_t protocol;  /* FAL_PROTOCOL_RDMA or FAL_PROTOCOL_NVME, when READ */
    size_t size_bytes; /* of the headers, when READ; of those that are due, when SHORT */
    union {
        struct fal_rdma rdma;
        struct fal_nvme nvme;
    };
};

/* Reads the headers at the front of a Falcon packet's payload. What is wrong with them is the
 * lint's to say: a packet with one fault (version, reserved bits, or an opcode in the wrong
 * Falcon packet) is read nevertheless; with more it is not the protocol, but UNKNOWN. Unless
 * READ or RESERVED, only `state` and `size_bytes` of *out are set; when they are, members that
 * the packet has not are 0. */
void fal_ulp_decode(const struct fal_falcon *packet, const uint8_t *payload, size_t len,
                    struct fal_ulp *out);

/* The bytes of padding that the headers state. */
unsigned fal_ulp_pad(const struct fal_ulp *ulp);
/* The length of the data between headers and padding, in a payload of that length; 0 also where
 * the padding does not fit. The headers are READ or RESERVED. */
size_t fal_ulp_data_len(const struct fal_ulp *ulp, size_t payload_len);

/* Writes the headers, those of the opcode or packet type. Nothing is filled in. Returns the
 * bytes written, FAL_ERR_SHORT, FAL_ERR_TYPE (a reserved opcode or type; not READ), or
 * FAL_ERR_RANGE with the field in *bad (may be NULL). */
MUST_USE int fal_ulp_encode(const struct fal_ulp *ulp, uint8_t *out, size_t cap,
                            const struct fal_field **bad);

/* "rdma" or "nvme". */
const char *fal_ulp_name(unsigned protocol);

/* The payload of a Falcon packet, headers of the upper layer included. */
struct fal_ulp_bytes {
    const uint8_t *payload;
    size_t len;
    bool truncated;  /* the capture cut it */
    uint32_t offset; /* of the payload in the frame */
};

/* Adds the issues of what fal_ulp_decode read or could not read. */
void fal_ulp_lint(const struct fal_falcon *packet, const struct fal_ulp *ulp,
                  const struct fal_ulp_bytes *bytes, struct fal_issues *issues);

/* The headers as the notation writes them after " / ": "rdma send_only dqp=7 sn=1 seth.rmsn=1
 * ...". Reserved bits, constants and flags are named only when they are not what they mostly
 * are. As snprintf: returns the length that it would have. Not READ or RESERVED: "". */
enum { FAL_ULP_TEXT_MAX = 640 };
size_t fal_ulp_text(const struct fal_ulp *ulp, char *out, size_t cap);
/* The same with the slash before it and the data behind it, as a line continues: " / rdma
 * send_only dqp=7 ... data=64@9". `front`: the bytes of the payload that are at hand, of
 * `payload_len`. The tag is that of data which name themselves (docs/sut-protocol.md); other
 * data have none. Not READ or RESERVED: "". */
size_t fal_ulp_line(const struct fal_ulp *ulp, const struct fal_ulp_bytes *front,
                    size_t payload_len, char *out, size_t cap);

#endif
