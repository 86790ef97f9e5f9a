/* SPDX-License-Identifier: Apache-2.0
 * ulp.h - what a Falcon packet carries: the headers of RDMA over Falcon and NVMe over Falcon,
 * read from the payload by protocol_type and the Falcon packet's type, and written. */
#ifndef FAL_CODECS_ULP_H
#define FAL_CODECS_ULP_H

#include "codecs/falcon.h"
#include "codecs/headers.h"
#include "codecs/issue.h"

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

enum { FAL_RDMA_SEQUENCE_MAX = 5, FAL_RDMA_BYTES_MAX = 60 };

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
    const char *name; /* "send_only", "ud_send_only", "xrc_send_only" */
    enum fal_rdma_service service;
    enum fal_packet_type packet;                         /* the Falcon packet that carries it */
    enum fal_rdma_header headers[FAL_RDMA_SEQUENCE_MAX]; /* in wire order, from the RBTH on */
    size_t num_headers;
    size_t size_bytes; /* of them all */
    bool data;         /* data may follow */
};

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

#endif
