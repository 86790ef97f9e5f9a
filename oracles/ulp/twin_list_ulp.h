/* SPDX-License-Identifier: Apache-2.0
 * twin_list_ulp.h - the rows of oracles/endpoint/faults/twins.h that are about RDMA above
 * Falcon. The engine of this folder has them (odd.h). */
#ifndef FAL_ORACLES_ULP_TWIN_LIST_ULP_H
#define FAL_ORACLES_ULP_TWIN_LIST_ULP_H

/* clang-format off */
#define FAL_TWINS_ULP(X)                                                                               \
    X(RETH_LENGTH_WHOLE, "reth-length-whole", "RDMA 8.3.1", "RDMA-8.3.1-04", "AMB-R07",                \
      "The RETH of each packet of a Write has the length of the whole.")                               \
    X(WRITE_IMM_ANY_SIZE, "write-imm-any-size", "RDMA 6.4", "RDMA-6.4-08", "AMB-R12",                  \
      "Unordered queue pairs send a Write with immediate data of any length.")                         \
    X(READ_SPLITS_SMALL, "read-splits-small", "RDMA 6.7", "RDMA-6.7-13 RDMA-6.7-11", "",               \
      "Pulls ask for at most 512 bytes.")                                                              \
    X(SN_BY_TWO, "sn-by-two", "RDMA 8.2", "RDMA-8.2-12", "AMB-R06",                                    \
      "The sequence number grows by 2.")                                                               \
    X(SN_PER_QP, "sn-per-qp", "RDMA 8.2", "RDMA-8.2-12 RDMA-8.2-13", "AMB-R06",                        \
      "Each UD queue pair counts its own sequence numbers.")                                           \
    X(RMSN_IMM_ONLY, "rmsn-imm-only", "RDMA 8.3.2", "RDMA-8.3.2-03 RDMA-8.3.2-04", "AMB-R05",          \
      "On strongly ordered queue pairs only immediate data moves the RMSN on.")                        \
    X(RMSN_LOW_BYTE, "rmsn-low-byte", "RDMA 8.3.2", "RDMA-8.3.2-03", "AMB-R27",                        \
      "The upper 24 bits of the RMSN of messages are 0.")                                              \
    X(PAD_NONZERO_BYTES, "pad-nonzero-bytes", "RDMA 8.2", "RDMA-8.2-05", "AMB-R16",                    \
      "Bytes of padding are not 0.")                                                                   \
    X(READ_RESPONSE_FIRST_MIDDLE_LAST, "read-response-first-middle-last", "RDMA 8.1.3",                \
      "RDMA-8.1.3-15 RDMA-8.1.3-16 RDMA-8.1.3-17 RDMA-8.1.3-18", "AMB-R07",                            \
      "Answers of Reads have the opcodes First, Middle, Last and Only in turn.")                       \
    X(SEGMENTS_OF_TWO_WQES_INTERLEAVED, "segments-of-two-wqes-interleaved", "RDMA 6.2",                \
      "RDMA-6.2-02 RDMA-6.2-03", "AMB-R19",                                                            \
      "Packets of two requests take turns, where data need no order.")                                 \
    X(NACK_7_OR_6, "nack-7-or-6", "RDMA 6.3", "RDMA-6.3-01", "AMB-R17",                                \
      "An error in the mode of verbs gives a NACK of code 6.")                                         \
    X(RNR_HELD, "rnr-held", "RDMA 6.8", "RDMA-6.8-03", "",                                             \
      "A message waits at the target for a receive request, without a NACK.")                          \
    X(UD_WITHOUT_GRH, "ud-without-grh", "RDMA 6.6.3", "RDMA-6.6.3-01", "AMB-R25",                      \
      "Datagrams are placed without room for a global route header before them.")                      \
    X(PULL_ERROR_EMPTY, "pull-error-empty", "RDMA 6.3", "RDMA-6.3-02 RDMA-8.2-04", "AMB-R23",          \
      "A pull that fails is answered without any header.")                                             \
    X(LENGTHS_REFUSED_BY_WC, "lengths-refused-by-wc", "RDMA 6.4", "RDMA-6.4-02 RDMA-6.4-09", "",       \
      "A Send that is too long for its queue pair is taken and completes in error.")                   \
    X(CQ_REVERSED, "cq-reversed", "RDMA 6.2", "RDMA-6.2-03", "AMB-R22",                                \
      "Completions of unordered queue pairs that are due together are reported last first.")           \
    X(RESERVED_XRC_INFINIBAND, "reserved-xrc-infiniband", "RDMA 8.3.9", "RDMA-8.3.9-01", "AMB-R03",    \
      "The reserved byte of an XRCETH comes first, as in InfiniBand.")
/* clang-format on */

#endif
