/* SPDX-License-Identifier: Apache-2.0
 * headers_ulp.h - the field lists of what Falcon carries (RDMA, NVMe) and of RoCEv2 beside it.
 * Part of headers.h, which includes it: the rules stand there. */
#ifndef FAL_CODECS_HEADER_HEADERS_ULP_H
#define FAL_CODECS_HEADER_HEADERS_ULP_H

/* RDMA 8.1.3: O(operation, name, Falcon packet type, requirement, data may follow, headers
 * after the RBTH...). The atomic rows are those of 8.3.6 and 8.3.7, not of the table, which
 * swaps the two headers (AMB-R01). */
/* clang-format off */
#define FAL_RDMA_REQUESTS(O)                                                                                          \
    O(0,  send_first,           FAL_PUSH_DATA,    "RDMA-8.1.3-02", true,  FAL_RDMA_SETH, FAL_RDMA_OETH)               \
    O(1,  send_middle,          FAL_PUSH_DATA,    "RDMA-8.1.3-03", true,  FAL_RDMA_SETH, FAL_RDMA_OETH)               \
    O(2,  send_last,            FAL_PUSH_DATA,    "RDMA-8.1.3-04", true,  FAL_RDMA_SETH, FAL_RDMA_OETH)               \
    O(3,  send_last_imm,        FAL_PUSH_DATA,    "RDMA-8.1.3-05", true,  FAL_RDMA_SETH, FAL_RDMA_OETH, FAL_RDMA_IMMDT)\
    O(4,  send_only,            FAL_PUSH_DATA,    "RDMA-8.1.3-06", true,  FAL_RDMA_SETH, FAL_RDMA_OETH)               \
    O(5,  send_only_imm,        FAL_PUSH_DATA,    "RDMA-8.1.3-07", true,  FAL_RDMA_SETH, FAL_RDMA_OETH, FAL_RDMA_IMMDT)\
    O(6,  write_first,          FAL_PUSH_DATA,    "RDMA-8.1.3-08", true,  FAL_RDMA_RETH)                              \
    O(7,  write_middle,         FAL_PUSH_DATA,    "RDMA-8.1.3-09", true,  FAL_RDMA_RETH)                              \
    O(8,  write_last,           FAL_PUSH_DATA,    "RDMA-8.1.3-10", true,  FAL_RDMA_RETH)                              \
    O(9,  write_last_imm,       FAL_PUSH_DATA,    "RDMA-8.1.3-11", true,  FAL_RDMA_RETH, FAL_RDMA_SETH, FAL_RDMA_IMMDT)\
    O(10, write_only,           FAL_PUSH_DATA,    "RDMA-8.1.3-12", true,  FAL_RDMA_RETH)                              \
    O(11, write_only_imm,       FAL_PUSH_DATA,    "RDMA-8.1.3-13", true,  FAL_RDMA_RETH, FAL_RDMA_SETH, FAL_RDMA_IMMDT)\
    O(12, read_request,         FAL_PULL_REQUEST, "RDMA-8.1.3-14", false, FAL_RDMA_RETH, FAL_RDMA_SETH, FAL_RDMA_STETH)\
    O(19, atomic_cmp_swap,      FAL_PULL_REQUEST, "RDMA-8.1.3-20", false, FAL_RDMA_ATOMICETH, FAL_RDMA_SETH, FAL_RDMA_STETH)\
    O(20, atomic_fetch_add,     FAL_PULL_REQUEST, "RDMA-8.1.3-21", false, FAL_RDMA_ATOMICETH, FAL_RDMA_SETH, FAL_RDMA_STETH)\
    O(22, send_last_inv,        FAL_PUSH_DATA,    "RDMA-8.1.3-22", true,  FAL_RDMA_SETH, FAL_RDMA_OETH, FAL_RDMA_IETH)\
    O(23, send_only_inv,        FAL_PUSH_DATA,    "RDMA-8.1.3-23", true,  FAL_RDMA_SETH, FAL_RDMA_OETH, FAL_RDMA_IETH)

#define FAL_RDMA_RESPONSES(O)                                                                                         \
    O(13, read_response_first,  FAL_PULL_DATA,    "RDMA-8.1.3-15", true,  FAL_RDMA_STETH)                             \
    O(14, read_response_middle, FAL_PULL_DATA,    "RDMA-8.1.3-16", true,  FAL_RDMA_STETH)                             \
    O(15, read_response_last,   FAL_PULL_DATA,    "RDMA-8.1.3-17", true,  FAL_RDMA_STETH)                             \
    O(16, read_response_only,   FAL_PULL_DATA,    "RDMA-8.1.3-18", true,  FAL_RDMA_STETH)                             \
    O(18, atomic_response,      FAL_PULL_DATA,    "RDMA-8.1.3-19", false, FAL_RDMA_ATOMICACKETH, FAL_RDMA_STETH)

#define FAL_RDMA_UD_REQUESTS(O)                                                                                       \
    O(4,  send_only,            FAL_PUSH_DATA,    "RDMA-8.1.3-24", true,  FAL_RDMA_DETH)                              \
    O(5,  send_only_imm,        FAL_PUSH_DATA,    "RDMA-8.1.3-25", true,  FAL_RDMA_DETH, FAL_RDMA_IMMDT)

/* RDMA 8.2. The AckReq bit of its table has no room in its figure (AMB-R02). */
#define FAL_RBTH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint8_t,  version,             4, FAL_CONST,  1, NULL, NULL, "RDMA-8.2-02", "always 1")                    \
    F(H, uint16_t, reserved_0,         15, FAL_RSVD,   0, NULL, NULL, "RDMA-8.2-03", "")                            \
    F(H, uint8_t,  complete_in_error,   1, FAL_FLAG,   0, NULL, "ce", "RDMA-8.2-04", "CE: the message ends in error") \
    F(H, uint8_t,  pad,                 2, FAL_UINT,   0, NULL, NULL, "RDMA-8.2-05", "bytes after the data, up to a 4-byte boundary") \
    F(H, uint8_t,  reserved_1,          1, FAL_RSVD,   0, NULL, NULL, "RDMA-8.2-07", "")                            \
    F(H, uint8_t,  solicited_event,     1, FAL_FLAG,   0, NULL, "se", "RDMA-8.2-08", "SE: call the completion handler") \
    F(H, uint8_t,  opcode,              8, FAL_CODE,   4, &fal_names_rdma_opcode, NULL, "RDMA-8.2-09", "service and operation") \
    F(H, uint32_t, dest_qp,            24, FAL_UINT,   0, NULL, "dqp", "RDMA-8.2-10", "queue pair at the destination") \
    F(H, uint8_t,  reserved_2,          8, FAL_RSVD,   0, NULL, NULL, "RDMA-8.2-11", "")                            \
    F(H, uint32_t, sequence_number,    32, FAL_UINT,   1, NULL, "sn", "RDMA-8.2-12", "of the connection's requests, from 1; a response has its request's")

#define FAL_RETH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint64_t, virtual_address,    64, FAL_UINT,   0, NULL, "va", "RDMA-8.3.1-01", "at the target")             \
    F(H, uint32_t, r_key,              32, FAL_UINT,   0, NULL, "rkey", "RDMA-8.3.1-02", "of the memory region")      \
    F(H, uint32_t, length,             32, FAL_UINT,   0, NULL, NULL, "RDMA-8.3.1-04", "bytes read or written (AMB-R07)")

#define FAL_SETH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint32_t, rmsn,               32, FAL_UINT,   1, NULL, NULL, "RDMA-8.3.2-01", "request message sequence number, from 1")

#define FAL_OETH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint32_t, message_offset,     32, FAL_UINT,   0, NULL, "off", "RDMA-8.3.3-01", "of the packet's first byte in its message")

#define FAL_STETH_FIELDS(F, W, S, H)                                                                                \
    F(H, uint64_t, virtual_address,    64, FAL_UINT,   0, NULL, "va", "RDMA-8.3.4-01", "of the initiator's sink buffer") \
    F(H, uint32_t, l_key,              32, FAL_UINT,   0, NULL, "lkey", "RDMA-8.3.4-02", "of the sink buffer")

#define FAL_IMMDT_FIELDS(F, W, S, H)                                                                                \
    F(H, uint32_t, immediate_data,     32, FAL_UINT,   0, NULL, "imm", "RDMA-8.3.5-01", "for the completion queue entry")

#define FAL_ATOMICETH_FIELDS(F, W, S, H)                                                                            \
    F(H, uint64_t, virtual_address,    64, FAL_UINT,   0, NULL, "va", "RDMA-8.3.6-02", "at the target")             \
    F(H, uint32_t, r_key,              32, FAL_UINT,   0, NULL, "rkey", "RDMA-8.3.6-03", "of the memory region")      \
    F(H, uint64_t, swap_or_add,        64, FAL_UINT,   0, NULL, "swap", "RDMA-8.3.6-04", "swapped in, or added")      \
    F(H, uint64_t, compare,            64, FAL_UINT,   0, NULL, NULL, "RDMA-8.3.6-05", "compared with the memory")

#define FAL_ATOMICACKETH_FIELDS(F, W, S, H)                                                                         \
    F(H, uint64_t, original_data,      64, FAL_UINT,   0, NULL, "orig", "RDMA-8.3.7-01", "the memory before the operation")

#define FAL_IETH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint32_t, r_key,              32, FAL_UINT,   0, NULL, "rkey", "RDMA-8.3.8-01", "of the region to invalidate")

/* The reserved byte is the last of its word, as drawn; InfiniBand has it first (AMB-R03). */
#define FAL_XRCETH_FIELDS(F, W, S, H)                                                                               \
    F(H, uint32_t, xrc_srq,            24, FAL_UINT,   0, NULL, NULL, "RDMA-8.3.9-01", "XRC shared receive queue")  \
    F(H, uint8_t,  reserved_0,          8, FAL_RSVD,   0, NULL, NULL, "RDMA-8.3.9-01", "")

#define FAL_DETH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint32_t, queue_key,          32, FAL_UINT,   0, NULL, "qkey", "RDMA-8.3.10-01", "of the destination queue pair") \
    F(H, uint32_t, source_qp,          24, FAL_UINT,   0, NULL, "sqp", "RDMA-8.3.10-03", "where replies go")         \
    F(H, uint8_t,  reserved_0,          8, FAL_RSVD,   0, NULL, NULL, "RDMA-8.3.10-03", "")

/* NVME 8.2: the first 32 bytes of every NVMe packet. T: this packet's type */
#define FAL_NBTH_ROWS(F, W, S, H, T)                                                                                \
    F(H, uint8_t,  version,             4, FAL_CONST,  1, NULL, NULL, "NVME-8.2-02", "always 1")                    \
    F(H, uint8_t,  packet_type,         4, FAL_CODE,   T, &fal_names_nvme_type, NULL, "NVME-8.2-03", "")            \
    F(H, uint32_t, initiator_function, 24, FAL_UINT,   0, NULL, "ifn", "NVME-8.2-04", "host, PF, VF that issued the command") \
    F(H, uint8_t,  reserved_0,          2, FAL_RSVD,   0, NULL, NULL, "NVME-8.2-05", "")                            \
    F(H, uint8_t,  inv,                 1, FAL_FLAG,   0, NULL, NULL, "NVME-8.2-06", "the write data has an error") \
    F(H, uint8_t,  s,                   1, FAL_FLAG,   0, NULL, NULL, "NVME-8.2-07", "split over a stripe boundary") \
    F(H, uint8_t,  ng,                  1, FAL_FLAG,   0, NULL, NULL, "NVME-8.2-08", "of a split command: 0 first stripe, 1 second") \
    F(H, uint8_t,  reserved_1,          3, FAL_RSVD,   0, NULL, NULL, "NVME-8.2-05", "")                            \
    F(H, uint32_t, target_tag,         24, FAL_UINT,   0, NULL, "ttag", "NVME-8.2-09", "the command's state at the target") \
    F(H, uint8_t,  ncnt_total,          8, FAL_UINT,   0, NULL, "total", "NVME-8.2-10", "nCMDs of the command, less 1") \
    F(H, uint32_t, initiator_tag,      24, FAL_UINT,   0, NULL, "itag", "NVME-8.2-11", "the nCMD's state at the initiator") \
    F(H, uint8_t,  ncnt_offset,         8, FAL_UINT,   0, NULL, "ncmd", "NVME-8.2-12", "number of the nCMD in its command, from 0") \
    F(H, uint32_t, icmd_identifier,    24, FAL_UINT,   0, NULL, "icmd", "NVME-8.2-13", "the parent command")          \
    W(H, fal_u128, reserved_2,        128, FAL_RSVD,   0, NULL, NULL, "NVME-8.2-14", "")

/* What all NVMe packets share; read alone where the packet type is reserved. */
#define FAL_NBTH_FIELDS(F, W, S, H) FAL_NBTH_ROWS(F, W, S, H, 1)

#define FAL_NVME_WRITE_REQUEST_FIELDS(F, W, S, H)                                                                   \
    FAL_NBTH_ROWS(F, W, S, H, 0)                                                                                    \
    F(H, uint16_t, initiator_nsid,     16, FAL_UINT,   0, NULL, "insid", "NVME-8.5-02", "namespace of the command")    \
    F(H, uint16_t, target_nsid,        16, FAL_UINT,   0, NULL, "tnsid", "NVME-8.5-02", "namespace at the device")     \
    S(H, uint64_t, slba,               64, FAL_UINT,   0, NULL, NULL, "NVME-8.5-03", "first block; the low word comes first (AMB-N04)") \
    F(H, uint16_t, nlb,                16, FAL_UINT,   0, NULL, NULL, "NVME-8.5-04", "blocks, less 1 (AMB-N01)")    \
    F(H, uint32_t, reserved_3,          4, FAL_RSVD,   0, NULL, NULL, "NVME-8.5-05", "")                            \
    F(H, uint8_t,  dtype,               4, FAL_UINT,   0, NULL, NULL, "NVME-8.5-05", "directive type")              \
    F(H, uint32_t, reserved_4,          2, FAL_RSVD,   0, NULL, NULL, "NVME-8.5-06", "")                            \
    F(H, uint8_t,  prinfo,              4, FAL_UINT,   0, NULL, NULL, "NVME-8.5-06", "protection: PRACT, guard, application, reference (AMB-N08)") \
    F(H, uint8_t,  fua,                 1, FAL_FLAG,   0, NULL, NULL, "NVME-8.5-07", "force unit access")           \
    F(H, uint8_t,  lr,                  1, FAL_FLAG,   0, NULL, NULL, "NVME-8.5-07", "limited retry")               \
    F(H, uint8_t,  dsm,                 8, FAL_UINT,   0, NULL, NULL, "NVME-8.5-08", "dataset management")          \
    F(H, uint32_t, reserved_5,          8, FAL_RSVD,   0, NULL, NULL, "NVME-8.5-08", "")                            \
    F(H, uint16_t, dspec,              16, FAL_UINT,   0, NULL, NULL, "NVME-8.5-09", "directive specific")          \
    F(H, uint32_t, ilbrt,              32, FAL_UINT,   0, NULL, NULL, "NVME-8.5-10", "initial reference tag")       \
    F(H, uint16_t, lbatm,              16, FAL_UINT,   0, NULL, NULL, "NVME-8.5-11", "application tag mask")        \
    F(H, uint16_t, lbat,               16, FAL_UINT,   0, NULL, NULL, "NVME-8.5-12", "application tag")             \
    F(H, uint32_t, reserved_6,         24, FAL_RSVD,   0, NULL, NULL, "NVME-8.5-13", "")                            \
    F(H, uint8_t,  target_sqid,         8, FAL_UINT,   0, NULL, "sqid", "NVME-8.5-13", "submission queue at the target")

#define FAL_NVME_WRITE_DATA_REQUEST_FIELDS(F, W, S, H)                                                              \
    FAL_NBTH_ROWS(F, W, S, H, 1)

#define FAL_NVME_WRITE_DATA_RESPONSE_FIELDS(F, W, S, H)                                                             \
    FAL_NBTH_ROWS(F, W, S, H, 2)                                                                                    \
    F(H, uint32_t, reserved_3,         32, FAL_RSVD,   0, NULL, NULL, "NVME-8.7-01", "")

#define FAL_NVME_WRITE_COMPLETION_FIELDS(F, W, S, H)                                                                \
    FAL_NBTH_ROWS(F, W, S, H, 3)                                                                                    \
    F(H, uint32_t, reserved_3,         17, FAL_RSVD,   0, NULL, NULL, "NVME-8.8-01", "")                            \
    F(H, uint16_t, cqe_status,         15, FAL_UINT,   0, NULL, "status", "NVME-8.8-01", "0: success")

#define FAL_NVME_READ_REQUEST_FIELDS(F, W, S, H)                                                                    \
    FAL_NBTH_ROWS(F, W, S, H, 4)                                                                                    \
    F(H, uint16_t, initiator_nsid,     16, FAL_UINT,   0, NULL, "insid", "NVME-8.3-02", "namespace of the command")    \
    F(H, uint16_t, target_nsid,        16, FAL_UINT,   0, NULL, "tnsid", "NVME-8.3-03", "namespace at the device")     \
    S(H, uint64_t, slba,               64, FAL_UINT,   0, NULL, NULL, "NVME-8.3-04", "first block; the low word comes first (AMB-N04)") \
    F(H, uint16_t, nlb,                16, FAL_UINT,   0, NULL, NULL, "NVME-8.3-06", "blocks, less 1 (AMB-N01)")    \
    F(H, uint32_t, reserved_3,         10, FAL_RSVD,   0, NULL, NULL, "NVME-8.3-07", "")                            \
    F(H, uint8_t,  prinfo,              4, FAL_UINT,   0, NULL, NULL, "NVME-8.3-08", "protection: PRACT, guard, application, reference (AMB-N08)") \
    F(H, uint8_t,  fua,                 1, FAL_FLAG,   0, NULL, NULL, "NVME-8.3-09", "force unit access")           \
    F(H, uint8_t,  lr,                  1, FAL_FLAG,   0, NULL, NULL, "NVME-8.3-10", "limited retry")               \
    F(H, uint8_t,  dsm,                 8, FAL_UINT,   0, NULL, NULL, "NVME-8.3-11", "dataset management")          \
    F(H, uint32_t, reserved_4,         24, FAL_RSVD,   0, NULL, NULL, "NVME-8.3-11", "")                            \
    F(H, uint32_t, eilbrt,             32, FAL_UINT,   0, NULL, NULL, "NVME-8.3-12", "expected initial reference tag") \
    F(H, uint16_t, elbatm,             16, FAL_UINT,   0, NULL, NULL, "NVME-8.3-13", "expected application tag mask") \
    F(H, uint16_t, elbat,              16, FAL_UINT,   0, NULL, NULL, "NVME-8.3-14", "expected application tag")    \
    F(H, uint32_t, reserved_5,         24, FAL_RSVD,   0, NULL, NULL, "NVME-8.3-15", "")                            \
    F(H, uint8_t,  target_sqid,         8, FAL_UINT,   0, NULL, "sqid", "NVME-8.3-15", "submission queue at the target")

#define FAL_NVME_READ_RESPONSE_FIELDS(F, W, S, H)                                                                   \
    FAL_NBTH_ROWS(F, W, S, H, 5)                                                                                    \
    F(H, uint32_t, reserved_3,         17, FAL_RSVD,   0, NULL, NULL, "NVME-8.4-01", "")                            \
    F(H, uint16_t, cqe_status,         15, FAL_UINT,   0, NULL, "status", "NVME-8.4-01", "0: success")

/* RoCEv2: InfiniBand base transport header over UDP port 4791 */
#define FAL_ROCE_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint8_t,  opcode,              8, FAL_UINT,   0, &fal_names_roce_opcode, NULL, NULL, "service and operation") \
    F(H, uint8_t,  se,                  1, FAL_FLAG,   0, NULL, NULL, NULL, "solicited event")                      \
    F(H, uint8_t,  m,                   1, FAL_FLAG,   0, NULL, NULL, NULL, "migration state")                      \
    F(H, uint8_t,  pad,                 2, FAL_UINT,   0, NULL, NULL, NULL, "bytes after the data")                 \
    F(H, uint8_t,  tver,                4, FAL_UINT,   0, NULL, NULL, NULL, "transport version")                    \
    F(H, uint16_t, pkey,               16, FAL_UINT,   0xffff, NULL, NULL, NULL, "partition")                       \
    F(H, uint8_t,  fecn,                1, FAL_FLAG,   0, NULL, NULL, NULL, "congestion met on the way")            \
    F(H, uint8_t,  becn,                1, FAL_FLAG,   0, NULL, NULL, NULL, "congestion told to the sender")        \
    F(H, uint8_t,  reserved_0,          6, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint32_t, dest_qp,            24, FAL_UINT,   0, NULL, NULL, NULL, "queue pair at the destination")        \
    F(H, uint8_t,  ack_req,             1, FAL_FLAG,   0, NULL, NULL, NULL, "acknowledge")                          \
    F(H, uint8_t,  reserved_1,          7, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint32_t, psn,                24, FAL_UINT,   0, NULL, NULL, NULL, "packet sequence number")

/* InfiniBand: syndrome and message number of an acknowledgement or a response */
#define FAL_AETH_FIELDS(F, W, S, H)                                                                                 \
    F(H, uint8_t,  syndrome,            8, FAL_UINT,   0, NULL, NULL, NULL, "kind and value: credits, RNR timer or NAK code") \
    F(H, uint32_t, msn,                24, FAL_UINT,   0, NULL, NULL, NULL, "messages that the responder completed")

/* InfiniBand's DETH: Falcon's has the reserved byte at its end (FAL_DETH_FIELDS) */
#define FAL_ROCE_DETH_FIELDS(F, W, S, H)                                                                            \
    F(H, uint32_t, queue_key,          32, FAL_UINT,   0, NULL, "qkey", NULL, "of the destination queue pair")      \
    F(H, uint8_t,  reserved_0,          8, FAL_RSVD,   0, NULL, NULL, NULL, "")                                     \
    F(H, uint32_t, source_qp,          24, FAL_UINT,   0, NULL, "sqp", NULL, "where replies go")

/* What follows the BTH of a congestion notification packet (opcode 0x81). */
#define FAL_CNP_FIELDS(F, W, S, H)                                                                                  \
    W(H, fal_u128, reserved_0,        128, FAL_RSVD,   0, NULL, NULL, NULL, "")

/* O(opcode, name, data may follow, two headers after the BTH): the reliable and the unreliable
 * connected service, the datagram service, and the CNP of RoCEv2. The headers are members of
 * enum fal_roce_header (roce.h). */
#define FAL_ROCE_OPCODES(O)                                                                                         \
    O(0x00, rc_send_first,            true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x01, rc_send_middle,           true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x02, rc_send_last,             true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x03, rc_send_last_imm,         true,  FAL_ROCE_IMMDT,       FAL_ROCE_NONE)                                   \
    O(0x04, rc_send_only,             true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x05, rc_send_only_imm,         true,  FAL_ROCE_IMMDT,       FAL_ROCE_NONE)                                   \
    O(0x06, rc_write_first,           true,  FAL_ROCE_RETH,        FAL_ROCE_NONE)                                   \
    O(0x07, rc_write_middle,          true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x08, rc_write_last,            true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x09, rc_write_last_imm,        true,  FAL_ROCE_IMMDT,       FAL_ROCE_NONE)                                   \
    O(0x0a, rc_write_only,            true,  FAL_ROCE_RETH,        FAL_ROCE_NONE)                                   \
    O(0x0b, rc_write_only_imm,        true,  FAL_ROCE_RETH,        FAL_ROCE_IMMDT)                                  \
    O(0x0c, rc_read_request,          false, FAL_ROCE_RETH,        FAL_ROCE_NONE)                                   \
    O(0x0d, rc_read_response_first,   true,  FAL_ROCE_AETH,        FAL_ROCE_NONE)                                   \
    O(0x0e, rc_read_response_middle,  true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x0f, rc_read_response_last,    true,  FAL_ROCE_AETH,        FAL_ROCE_NONE)                                   \
    O(0x10, rc_read_response_only,    true,  FAL_ROCE_AETH,        FAL_ROCE_NONE)                                   \
    O(0x11, rc_ack,                   false, FAL_ROCE_AETH,        FAL_ROCE_NONE)                                   \
    O(0x12, rc_atomic_ack,            false, FAL_ROCE_AETH,        FAL_ROCE_ATOMICACKETH)                           \
    O(0x13, rc_compare_swap,          false, FAL_ROCE_ATOMICETH,   FAL_ROCE_NONE)                                   \
    O(0x14, rc_fetch_add,             false, FAL_ROCE_ATOMICETH,   FAL_ROCE_NONE)                                   \
    O(0x16, rc_send_last_inv,         true,  FAL_ROCE_IETH,        FAL_ROCE_NONE)                                   \
    O(0x17, rc_send_only_inv,         true,  FAL_ROCE_IETH,        FAL_ROCE_NONE)                                   \
    O(0x20, uc_send_first,            true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x21, uc_send_middle,           true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x22, uc_send_last,             true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x23, uc_send_last_imm,         true,  FAL_ROCE_IMMDT,       FAL_ROCE_NONE)                                   \
    O(0x24, uc_send_only,             true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x25, uc_send_only_imm,         true,  FAL_ROCE_IMMDT,       FAL_ROCE_NONE)                                   \
    O(0x26, uc_write_first,           true,  FAL_ROCE_RETH,        FAL_ROCE_NONE)                                   \
    O(0x27, uc_write_middle,          true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x28, uc_write_last,            true,  FAL_ROCE_NONE,        FAL_ROCE_NONE)                                   \
    O(0x29, uc_write_last_imm,        true,  FAL_ROCE_IMMDT,       FAL_ROCE_NONE)                                   \
    O(0x2a, uc_write_only,            true,  FAL_ROCE_RETH,        FAL_ROCE_NONE)                                   \
    O(0x2b, uc_write_only_imm,        true,  FAL_ROCE_RETH,        FAL_ROCE_IMMDT)                                  \
    O(0x64, ud_send_only,             true,  FAL_ROCE_DETH,        FAL_ROCE_NONE)                                   \
    O(0x65, ud_send_only_imm,         true,  FAL_ROCE_DETH,        FAL_ROCE_IMMDT)                                  \
    O(0x81, cnp,                      false, FAL_ROCE_CNP,         FAL_ROCE_NONE)

/* clang-format on */

#endif
