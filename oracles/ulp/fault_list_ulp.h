/* SPDX-License-Identifier: Apache-2.0
 * fault_list_ulp.h - the rows of oracles/endpoint/faults/faults.h that are about RDMA above
 * Falcon. The engine of this folder has them (odd.h). */
#ifndef FAL_ORACLES_ULP_FAULT_LIST_ULP_H
#define FAL_ORACLES_ULP_FAULT_LIST_ULP_H

/* clang-format off */
/* Of the initiator. */
#define FAL_FAULTS_ULP_SENT(X)                                                                         \
    X(RBTH_VERSION_0, "rbth-version-0", "RDMA 8.2", "RDMA-8.2-02",                                     \
      "RDMA packets have version 0.")                                                                  \
    X(WRITE_MIDDLE_WITHOUT_RETH, "write-middle-without-reth", "RDMA 6.7",                              \
      "RDMA-6.7-09 RDMA-8.1.3-09",                                                                     \
      "A WRITE Middle has no RETH.")                                                                   \
    X(OPCODE_RESERVED, "opcode-reserved", "RDMA 8.1.3", "RDMA-8.1.3-26 RDMA-8.2-09",                   \
      "A SEND Only leaves with a reserved opcode.")                                                    \
    X(SEND_IN_PULL, "send-in-pull", "RDMA 8.1.3", "RDMA-8.1.3-06 RDMA-8-02",                           \
      "A SEND Only leaves in a Pull Request.")                                                         \
    X(RKEY_SWAPPED_WORDS, "rkey-swapped-words", "RDMA 8.3.1",                                          \
      "RDMA-8.3.1-02 RDMA-8.3.6-03 RDMA-8.3.8-01",                                                     \
      "The two halves of an R-Key are exchanged.")                                                     \
    X(VA_OF_FIRST_IN_ALL, "va-of-first-in-all", "RDMA 8.3.1", "RDMA-8.3.1-01 RDMA-6.7-09",             \
      "All packets of a Write have the virtual address of the first.")                                 \
    X(IMM_LITTLE_ENDIAN, "imm-little-endian", "RDMA 8.3.5", "RDMA-8.3.5-01",                           \
      "The bytes of immediate data are reversed.")                                                     \
    X(SWAP_COMPARE_EXCHANGED, "swap-compare-exchanged", "RDMA 8.3.6", "RDMA-8.3.6-04 RDMA-8.3.6-05",   \
      "The two operands of a CmpSwap are exchanged.")                                                  \
    X(MIDDLE_SHORT, "middle-short", "RDMA 6.7", "RDMA-6.7-04 RDMA-6.7-07",                             \
      "Middle packets have four bytes less than an MTU.")                                              \
    X(LAST_OVER_MTU, "last-over-mtu", "RDMA 6.7", "RDMA-6.7-05 RDMA-6.7-08 RDMA-6.7-01",               \
      "Up to 64 bytes that would need a packet of their own leave in the one before.")                 \
    X(ONLY_AS_FIRST_LAST, "only-as-first-last", "RDMA 6.7", "RDMA-6.7-04 RDMA-6.7-07",                 \
      "A message of one packet leaves as First and Last.")                                             \
    X(READ_CROSSES_FRAGMENT, "read-crosses-fragment", "RDMA 6.7", "RDMA-6.7-12 RDMA-6.7-10",           \
      "Pulls are cut at an MTU, not at the fragments of their list.")                                  \
    X(LKEY_OF_FIRST_FRAGMENT, "lkey-of-first-fragment", "RDMA 8.3.4", "RDMA-8.3.4-02",                 \
      "All pulls of a Read have the L-Key of the first fragment.")                                     \
    X(SN_FROM_ZERO, "sn-from-zero", "RDMA 8.2", "RDMA-8.2-13",                                         \
      "The sequence number of a connection starts at 0.")                                              \
    X(SN_STUCK_AT_WRAP, "sn-stuck-at-wrap", "RDMA 8.2", "RDMA-8.2-12",                                 \
      "The sequence number has one byte, and stays at 255.")                                           \
    X(RMSN_SHARED_COUNTER, "rmsn-shared-counter", "RDMA 8.3.2", "RDMA-8.3.2-07",                       \
      "Messages and pulls have one counter for RMSN.")                                                 \
    X(RMSN_PER_PACKET, "rmsn-per-packet", "RDMA 8.3.2", "RDMA-8.3.2-03 RDMA-8.3.2-04",                 \
      "Each packet of a Send has an RMSN of its own.")                                                 \
    X(OETH_IN_PACKETS, "oeth-in-packets", "RDMA 8.3.3", "RDMA-8.3.3-01",                               \
      "The message offset counts packets, not bytes.")                                                 \
    X(SE_IN_FIRST, "se-in-first", "RDMA 8.2", "RDMA-8.2-08",                                           \
      "A solicited message has the bit in its First packet too.")                                      \
    X(CE_IN_MIDDLE, "ce-in-middle", "RDMA 8.2", "RDMA-8.2-04",                                         \
      "First and Middle packets have the bit Complete-in-Error.")                                      \
    X(PAD_NOT_COUNTED, "pad-not-counted", "RDMA 8.2", "RDMA-8.2-05",                                   \
      "Padding is sent, but Pad is 0.")                                                                \
    X(SOURCE_QP_ZERO, "source-qp-zero", "RDMA 8.3.10", "RDMA-8.3.10-03 RDMA-8.3.10-04",                \
      "The Source QP of datagrams is 0.")                                                              \
    X(CID_OF_FIRST_AH, "cid-of-first-ah", "RDMA 6.6.3", "RDMA-6.6.3-01",                               \
      "All datagrams of a queue pair take the connection of its first one.")                           \
    X(ICRC_APPENDED, "icrc-appended", "RDMA 6.8", "RDMA-6.8-06",                                       \
      "Four bytes of a checksum follow the data of pushes.")                                           \
    X(RBTH_SHORT, "rbth-short", "RDMA 8.2",                                                            \
      "RDMA-8.2-01",                                                                                   \
      "The RBTH of a push has no sequence number.")                                                    \
    X(RBTH_RESERVED_SET, "rbth-reserved-set", "RDMA 8.2",                                              \
      "RDMA-8.2-03 RDMA-8.2-11",                                                                       \
      "The reserved bits of the RBTH are 1.")                                                          \
    X(RBTH_ACK_REQUEST, "rbth-ack-request", "RDMA 8.2",                                                \
      "RDMA-8.2-06 RDMA-8.2-07",                                                                       \
      "The RBTH has the AckReq bit of InfiniBand.")                                                    \
    X(OPCODE_OF_NEIGHBOUR, "opcode-of-neighbour", "RDMA 8.1.3",                                        \
      "RDMA-8.1.3-02 RDMA-8.1.3-03 RDMA-8.1.3-04 RDMA-8.1.3-05 RDMA-8.1.3-06 "                         \
      "RDMA-8.1.3-07 RDMA-8.1.3-08 RDMA-8.1.3-09 RDMA-8.1.3-10 RDMA-8.1.3-11 "                         \
      "RDMA-8.1.3-12 RDMA-8.1.3-13 RDMA-8.1.3-14 RDMA-8.1.3-20 RDMA-8.1.3-21 "                         \
      "RDMA-8.1.3-22 RDMA-8.1.3-23 RDMA-8.1.3-24 RDMA-8.1.3-25 RDMA-8.2-09",                           \
      "The last bit of the opcode of a request is wrong.")                                             \
    X(OPCODE_OF_REST, "opcode-of-rest", "RDMA 8.1.3",                                                  \
      "RDMA-8.1.3-03 RDMA-8.1.3-04 RDMA-8.1.3-05 RDMA-8.1.3-09 RDMA-8.1.3-10 "                         \
      "RDMA-8.1.3-11 RDMA-8.1.3-22",                                                                   \
      "The last bit of the opcode is wrong in packets behind the first of their message.")             \
    X(OPCODE_WITHOUT_SERVICE, "opcode-without-service", "RDMA 8.1.3",                                  \
      "RDMA-8.1.3-01 RDMA-8.1.3-24 RDMA-8.1.3-25",                                                     \
      "Datagrams have the service bits of RC.")                                                        \
    X(UD_OPCODE_RESERVED, "ud-opcode-reserved", "RDMA 8.1.3",                                          \
      "RDMA-8.1.3-27",                                                                                 \
      "A UD SEND Only leaves with a reserved opcode.")                                                 \
    X(DEST_QP_OWN, "dest-qp-own", "RDMA 8.2",                                                          \
      "RDMA-8.2-10",                                                                                   \
      "The destination queue pair of a request is its sender.")                                        \
    X(HEADERS_ROTATED, "headers-rotated", "RDMA 8.3",                                                  \
      "RDMA-8.3-01 RDMA-6.7-06 RDMA-6.7-14 RDMA-8.3.6-01",                                             \
      "The last word of the extended headers comes first.")                                            \
    X(DATA_BEFORE_HEADERS, "data-before-headers", "RDMA 8.1",                                          \
      "RDMA-8.1-01",                                                                                   \
      "The data of a push come before its extended headers.")                                          \
    X(RETH_LENGTH_OF_PACKET, "reth-length-of-packet", "RDMA 8.3.1",                                    \
      "RDMA-8.3.1-04",                                                                                 \
      "The length of a RETH counts the RBTH too.")                                                     \
    X(VA_SWAPPED_WORDS, "va-swapped-words", "RDMA 8.3.1",                                              \
      "RDMA-8.3.1-01 RDMA-8.3.6-02",                                                                   \
      "The two words of a remote address are exchanged.")                                              \
    X(RMSN_FROM_ZERO, "rmsn-from-zero", "RDMA 8.3.2",                                                  \
      "RDMA-8.3.2-01 RDMA-8.3.2-02",                                                                   \
      "The message sequence numbers start at 0.")                                                      \
    X(RMSN_OF_FIRST_PULL, "rmsn-of-first-pull", "RDMA 8.3.2",                                          \
      "RDMA-8.3.2-05",                                                                                 \
      "All pulls of a Read have the RMSN of the first.")                                               \
    X(STETH_OF_FIRST_PULL, "steth-of-first-pull", "RDMA 8.3.4",                                        \
      "RDMA-8.3.4-01",                                                                                 \
      "All pulls of a Read have the sink address of the first.")                                       \
    X(QKEY_LITTLE_ENDIAN, "qkey-little-endian", "RDMA 8.3.10",                                         \
      "RDMA-8.3.10-01",                                                                                \
      "The bytes of a Queue Key are reversed.")                                                        \
    X(READ_IN_PUSH, "read-in-push", "RDMA 8",                                                          \
      "RDMA-8-01 RDMA-8.1.3-14",                                                                       \
      "A READ Request leaves in Push Data.")                                                           \
    X(READ_OVER_MTU, "read-over-mtu", "RDMA 6.7",                                                      \
      "RDMA-6.7-11",                                                                                   \
      "A pull asks for up to 64 bytes more than an MTU.")                                              \
    X(DATAGRAMS_SEGMENTED, "datagrams-segmented", "RDMA 6.7",                                          \
      "RDMA-6.7-03 RDMA-6.4-02 RDMA-6.4-06 RDMA-6.4-10",                                               \
      "Datagrams longer than an MTU are cut.")                                                         \
    X(ONE_PACKET_AT_A_TIME, "one-packet-at-a-time", "RDMA 6.8",                                        \
      "RDMA-6.8-07",                                                                                   \
      "Sends a request when all packets before are acknowledged.")                                     \
    X(CREDITS_IGNORED, "credits-ignored", "RDMA 6.5",                                                  \
      "RDMA-6.5-01",                                                                                   \
      "Hands requests to Falcon without credits for them.")                                            \
    X(UNORDERED_ONE_MTU, "unordered-one-mtu", "RDMA 6.4",                                              \
      "RDMA-6.4-08",                                                                                   \
      "Writes longer than an MTU fail on unordered queue pairs.")                                      \
    X(MODE_UNCHECKED, "mode-unchecked", "RDMA 6.4",                                                    \
      "RDMA-6.4-07 RDMA-6.4-09 RDMA-6.2-04 RDMA-6.2-05 RDMA-6.2-06 RDMA-6.6.1-01",                     \
      "Takes queue pairs whose modes, connections and lengths do not go together.")                    \
    X(XRC_SRQ_WRONG, "xrc-srq-wrong", "RDMA 8.3.9",                                                    \
      "RDMA-8.3.9-01",                                                                                 \
      "XRC requests name the shared receive queue after the one that was posted.")                     \
    X(XRC_WITHOUT_HEADER, "xrc-without-header", "RDMA 8.3.9",                                          \
      "RDMA-8.3.9-02",                                                                                 \
      "XRC requests have no XRCETH.")                                                                  \
    X(XRC_CONNECTION_SHARED, "xrc-connection-shared", "RDMA 6.6.2",                                    \
      "RDMA-6.6.2-01",                                                                                 \
      "A connection takes several XRC initiator queue pairs.")

/* Of completions and states. */
#define FAL_FAULTS_ULP_ENDED(X)                                                                        \
    X(STETH_IGNORED, "steth-ignored", "RDMA 6.7", "RDMA-6.7-15",                                       \
      "Places each answer of a Read at the beginning of the sink.")                                    \
    X(READS_PLACED_BY_ARRIVAL, "reads-placed-by-arrival", "RDMA 6.7", "RDMA-6.7-15",                   \
      "Places the answers of a Read one behind the other, as they come.")                              \
    X(WC_AFTER_FIRST_SEGMENT, "wc-after-first-segment", "RDMA 6.7",                                    \
      "RDMA-6.7-02 RDMA-7.1-01 RDMA-7.2-01",                                                           \
      "A request completes with its first transaction.")                                               \
    X(WC_DROPPED, "wc-dropped", "RDMA 6.7", "RDMA-6.7-02 RDMA-7.1-01 RDMA-7.2-01",                     \
      "A send request that is done is not reported.")                                                  \
    X(WC_OUT_OF_ORDER_WEAK, "wc-out-of-order-weak", "RDMA 6.2", "RDMA-6.2-02 RDMA-6.4-05",             \
      "Requests of weakly ordered queue pairs complete as they end.")                                  \
    X(CIE_KILLS_QP, "cie-kills-qp", "RDMA 6.3", "RDMA-6.3-02",                                         \
      "An error ends the queue pair in the mode complete-in-error too.")                               \
    X(CIE_WC_SUCCESS, "cie-wc-success", "RDMA 6.3", "RDMA-6.3-02",                                     \
      "A request that failed is reported as a success in the mode complete-in-error.")                 \
    X(QP_ERROR_STILL_SENDS, "qp-error-still-sends", "RDMA 6.3", "RDMA-6.3-01",                         \
      "A queue pair in the error state sends what is posted.")                                         \
    X(FLUSH_MISSING, "flush-missing", "RDMA 6.3", "RDMA-6.3-01",                                       \
      "Requests of a queue pair that goes to the error state are not reported.")                       \
    X(WC_OUT_OF_ORDER_STRONG, "wc-out-of-order-strong", "RDMA 6.2",                                    \
      "RDMA-6.2-01 RDMA-6.4-03 RDMA-6.8-05",                                                           \
      "Completions of strongly ordered queue pairs exchange places in pairs.")                        \
    X(WC_TWICE, "wc-twice", "RDMA 6.8",                                                                \
      "RDMA-6.8-04",                                                                                   \
      "A send request that is done is reported twice.")                                                \
    X(LATE_IS_LOST, "late-is-lost", "RDMA 6.8",                                                        \
      "RDMA-6.8-02",                                                                                   \
      "A transaction that takes longer than 10 ms has failed.")                                        \
    X(RESPONSE_QP_UNCHECKED, "response-qp-unchecked", "RDMA 6.9",                                      \
      "RDMA-6.9-04",                                                                                   \
      "Takes answers for other queue pairs.")                                                          \
    X(IMM_LOST, "imm-lost", "RDMA 8.3.5", "RDMA-8.3.5-02",                                             \
      "Completions do not have the immediate data.")                                                   \
    X(RESPONSE_CID_NACKED, "response-cid-nacked", "RDMA 6.9",                                          \
      "RDMA-6.9-05",                                                                                   \
      "Refuses an answer for another queue pair by a NACK of code 8.")

/* Of the target. */
#define FAL_FAULTS_ULP_TAKEN(X)                                                                        \
    X(STETH_NOT_RETURNED, "steth-not-returned", "RDMA 8.3.4", "RDMA-8.3.4-03",                         \
      "The STETH of answers is 0.")                                                                    \
    X(SN_OF_RESPONSE_OWN, "sn-of-response-own", "RDMA 8.2", "RDMA-8.2-14",                             \
      "Answers have sequence numbers of their own.")                                                   \
    X(READ_OFFSET_IGNORED, "read-offset-ignored", "RDMA 8.3.1", "RDMA-8.3.1-01",                       \
      "Reads are answered from the beginning of the region.")                                          \
    X(OETH_IGNORED, "oeth-ignored", "RDMA 8.3.3", "RDMA-8.3.3-02",                                     \
      "Places the packets of a Send one behind the other, as they come.")                              \
    X(PLACED_TWICE_AFTER_RESEND, "placed-twice-after-resend", "RDMA 6.8",                              \
      "RDMA-6.8-01 RDMA-6.2-01 RDMA-6.4-03",                                                           \
      "Places the data of a Write once more when the next request comes.")                             \
    X(SGL_SECOND_ENTRY_SKIPPED, "sgl-second-entry-skipped", "RDMA 8.3.3", "RDMA-8.3.3-02",             \
      "Nothing is placed in the second entry of a receive request.")                                   \
    X(RECV_CONSUMED_TWICE, "recv-consumed-twice", "RDMA 8.3.2", "RDMA-8.3.2-03 RDMA-6.8-01",           \
      "A message takes two receive requests, one of them in silence.")                                 \
    X(WQE_BY_ARRIVAL, "wqe-by-arrival", "RDMA 8.3.2", "RDMA-8.3.2-03 RDMA-8.3.3-02",                   \
      "Messages of one packet take receive requests as they come, whatever their RMSN.")               \
    X(RNR_CONSUMES_MESSAGE, "rnr-consumes-message", "RDMA 6.8", "RDMA-6.8-03",                         \
      "Acknowledges a message for which no receive request is posted, and loses it.")                  \
    X(CID_NOT_CHECKED, "cid-not-checked", "RDMA 6.9", "RDMA-6.9-01 RDMA-6.9-02",                       \
      "Takes requests for queue pairs of other connections.")                                          \
    X(CID_NACK_STOPS_QP, "cid-nack-stops-qp", "RDMA 6.9", "RDMA-6.9-03",                               \
      "A request for a queue pair of another connection ends both.")                                   \
    X(BOUNDS_OFF_BY_ONE, "bounds-off-by-one", "RDMA 8.3.1", "RDMA-8.3.1-03",                           \
      "A region ends one byte later.")                                                                 \
    X(PD_IGNORED, "pd-ignored", "RDMA 8.3.1", "RDMA-8.3.1-03",                                         \
      "Regions of other protection domains are open.")                                                 \
    X(RKEY_LOW_BYTE_ONLY, "rkey-low-byte-only", "RDMA 8.3.1", "RDMA-8.3.1-03",                         \
      "Compares the low byte of an R-Key alone.")                                                      \
    X(QKEY_IGNORED, "qkey-ignored", "RDMA 8.3.10", "RDMA-8.3.10-02",                                   \
      "Takes datagrams of any Queue Key.")                                                             \
    X(XOFF_STOPS_RESPONSES, "xoff-stops-responses", "RDMA 6.5", "RDMA-6.5-04",                         \
      "Answers no pull while its own send queue is full.")                                             \
    X(CAS_ALWAYS_SWAPS, "cas-always-swaps", "RDMA 8.3.6", "RDMA-8.3.6-06",                             \
      "A CmpSwap swaps whatever the memory has.")                                                      \
    X(FAA_AGAIN_ON_DUPLICATE, "faa-again-on-duplicate", "RDMA 6.8", "RDMA-6.8-01 RDMA-8.3.6-07",       \
      "Adds once more when the request after a FetchAdd comes.")                                       \
    X(ATOMIC_RETURNS_NEW, "atomic-returns-new", "RDMA 8.3.7", "RDMA-8.3.7-01",                         \
      "An atomic operation returns the value that it left.")                                           \
    X(INV_IGNORED, "inv-ignored", "RDMA 8.3.8", "RDMA-8.3.8-02",                                       \
      "A Send with Invalidate invalidates nothing.")                                                   \
    X(DATAGRAMS_DROPPED, "datagrams-dropped", "RDMA 5",                                                \
      "RDMA-5-01 RDMA-6.4-04 RDMA-6.4-06 RDMA-6.4-10",                                                 \
      "A datagram is acknowledged, and not received.")                                                 \
    X(FAA_REFUSED, "faa-refused", "RDMA 6.4",                                                          \
      "RDMA-6.4-01",                                                                                   \
      "A FetchAdd is refused like an unknown opcode.")                                                 \
    X(SHORT_PULLS_REFUSED, "short-pulls-refused", "RDMA 6.7",                                          \
      "RDMA-6.7-13",                                                                                   \
      "Refuses pulls for less than 64 bytes.")                                                         \
    X(ANSWERS_WITHOUT_STETH, "answers-without-steth", "RDMA 8.1.3",                                    \
      "RDMA-8.1.3-15 RDMA-8.1.3-16 RDMA-8.1.3-17",                                                     \
      "Answers of Reads are First, Middle or Last by their address, and have no STETH.")               \
    X(ANSWER_OPCODE_OF_NEIGHBOUR, "answer-opcode-of-neighbour", "RDMA 8.1.3",                          \
      "RDMA-8.1.3-18 RDMA-8.1.3-19",                                                                   \
      "The last bit of the opcode of an answer is wrong.")                                             \
    X(INV_BEFORE_SEND_DONE, "inv-before-send-done", "RDMA 8.3.8", "RDMA-8.3.8-02",                     \
      "A key is invalid as soon as a packet names it, before its message is received.")                \
    X(SN_GAP_UNNOTICED, "sn-gap-unnoticed", "RDMA 8.2",                                                \
      "RDMA-8.2-15 RDMA-8.2-16",                                                                       \
      "Takes requests whose sequence number leaves others out.")

#define FAL_FAULTS_ULP(X)                                                                              \
    FAL_FAULTS_ULP_SENT(X)                                                                             \
    FAL_FAULTS_ULP_ENDED(X)                                                                            \
    FAL_FAULTS_ULP_TAKEN(X)
/* clang-format on */

#endif
