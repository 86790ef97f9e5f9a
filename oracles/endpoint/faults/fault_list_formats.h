/* SPDX-License-Identifier: Apache-2.0
 * fault_list_formats.h - the rows of faults.h that are about what a packet looks like (7): a
 * value, a type, a size, a place. */
#ifndef FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_FORMATS_H
#define FAL_ORACLES_ENDPOINT_FAULTS_FAULT_LIST_FORMATS_H

/* clang-format off */
#define FAL_FAULTS_FORMATS(X)                                                                          \
    X(VERSION_WRONG, "version-wrong", "7.2", "FTP-7.2-02 FTP-7.7.1-02 FTP-7.8-03",                     \
      "Packets leave with version 2.")                                                                 \
    X(CID_WRONG, "cid-wrong", "7.2", "FTP-7.2-04 FTP-6.2-01 FTP-6.2-02 FTP-7.7.1-04 FTP-7.8-04",       \
      "Packets carry a CID that is not the one their receiver allocated.")                             \
    X(FUNCTION_WRONG, "function-wrong", "7.2", "FTP-7.2-05",                                           \
      "Packets name a function that is not the receiver's.")                                           \
    X(PROTOCOL_WRONG, "protocol-wrong", "7.2", "FTP-7.2-06 FTP-7.2-07 FTP-7.2-08",                     \
      "Packets name NVMe for RDMA, and RDMA for NVMe.")                                                \
    X(PROTOCOL_RESERVED, "protocol-reserved", "7.2", "FTP-7.2-06 FTP-7.2-09",                          \
      "Packets name protocol type 5, which is reserved.")                                              \
    X(PULL_REQUEST_MISTYPED, "pull-request-mistyped", "7.2",                                           \
      "FTP-7.2-10 FTP-7.2-11 FTP-7.2-18 FTP-6.1.1-01",                                                 \
      "Pull requests leave as packet type 1.")                                                         \
    X(PULL_DATA_MISTYPED, "pull-data-mistyped", "7.2", "FTP-7.2-10 FTP-7.2-12 FTP-7.2-18",             \
      "Pull data leave as packet type 2.")                                                             \
    X(PUSH_DATA_MISTYPED, "push-data-mistyped", "7.2",                                                 \
      "FTP-7.2-10 FTP-7.2-13 FTP-7.2-18 FTP-6.1.1-01",                                                 \
      "Pushes leave as packet type 4.")                                                                \
    X(RESYNC_MISTYPED, "resync-mistyped", "7.2", "FTP-7.2-10 FTP-7.2-14 FTP-7.2-18",                   \
      "Resyncs leave as packet type 7.")                                                               \
    X(NACK_MISTYPED, "nack-mistyped", "7.2", "FTP-7.2-10 FTP-7.2-15 FTP-7.2-18 FTP-7.8-05",            \
      "NACKs leave as packet type 11.")                                                                \
    X(BACK_MISTYPED, "back-mistyped", "7.2",                                                           \
      "FTP-7.2-10 FTP-7.2-16 FTP-7.2-18 FTP-7.7-01 FTP-7.7.1-06",                                      \
      "BACKs leave as packet type 12.")                                                                \
    X(EACK_MISTYPED, "eack-mistyped", "7.2",                                                           \
      "FTP-7.2-10 FTP-7.2-17 FTP-7.2-18 FTP-7.7-01 FTP-7.7.2-02",                                      \
      "EACKs leave as packet type 13.")                                                                \
    X(BASES_EXCHANGED, "bases-exchanged", "7.2",                                                       \
      "FTP-7.2-20 FTP-7.2-21 FTP-7.2-22 FTP-7.7.1-07 FTP-7.7.1-08 FTP-7.8-06 FTP-7.8-07 "              \
      "FTP-9.1.6-04",                                                                                  \
      "The two bases are swapped.")                                                                    \
    X(PUSH_LENGTH_WRONG, "push-length-wrong", "7.5", "FTP-7.5-03 FTP-7.5-04",                          \
      "Pushes name a length that is not that of their payload.")                                       \
    X(RESYNC_CODE_RESERVED, "resync-code-reserved", "7.6", "FTP-7.6-02 FTP-7.6-10 FTP-9.1.8-05",       \
      "Resyncs leave with code 8, which is reserved.")                                                 \
    X(RESYNC_VENDOR_SET, "resync-vendor-set", "7.6", "FTP-7.6-13",                                     \
      "Resyncs leave with a Vendor Defined word that is not 0 and that nothing documents.")            \
    X(NACK_CODE_RESERVED, "nack-code-reserved", "7.8", "FTP-7.8-16 FTP-7.8-23",                        \
      "NACKs leave with code 3, which is reserved.")                                                   \
    X(BASE_HEADER_LONG, "base-header-long", "7.2", "FTP-7.2-01 FTP-7.1-05",                            \
      "Pushes have one additional word between base header and length.")                               \
    X(PULL_REQUEST_SHORT, "pull-request-short", "7.3", "FTP-7.3-01",                                   \
      "Pull requests end after their length field.")                                                   \
    X(PULL_DATA_LENGTH_WORD, "pull-data-length-word", "7.4", "FTP-7.4-01 FTP-7.1-05",                  \
      "Pull data have a length word before their payload, as pushes have.")                            \
    X(PUSH_LENGTH_OMITTED, "push-length-omitted", "7.5", "FTP-7.5-01",                                 \
      "The payload of pushes follows the base header directly, without a length.")                     \
    X(RESYNC_SHORT, "resync-short", "7.6", "FTP-7.6-01",                                               \
      "Resyncs lack their last word.")                                                                 \
    X(BACK_SHORT, "back-short", "7.7.1", "FTP-7.7.1-01",                                               \
      "BACKs lack their last word.")                                                                   \
    X(EACK_SHORT, "eack-short", "7.7.2", "FTP-7.7.2-01 FTP-7.7.2-05",                                  \
      "EACKs end before the req_bitmap.")                                                              \
    X(NACK_SHORT, "nack-short", "7.8", "FTP-7.8-01",                                                   \
      "NACKs lack their last word.")                                                                   \
    X(ACK_BITMAP_WORDS_REVERSED, "ack-bitmap-words-reversed", "7.7.2", "FTP-7.7.2-03",                 \
      "The data_ack_bitmap begins with its least significant word.")                                   \
    X(RX_BITMAP_WORDS_REVERSED, "rx-bitmap-words-reversed", "7.7.2", "FTP-7.7.2-04 FTP-7.7.2-06",      \
      "The data_rx_bitmap begins with its least significant word.")                                    \
    X(REQ_BITMAP_WORDS_REVERSED, "req-bitmap-words-reversed", "7.7.2", "FTP-7.7.2-05",                 \
      "The req_bitmap begins with its least significant word.")                                        \
    X(PULL_PSN_OF_DATA, "pull-psn-of-data", "7.2",                                                     \
      "FTP-7.2-24 FTP-6.1.2-01 FTP-8.2.1.2-03 FTP-8.4.3.1-07 FTP-9-01",                                \
      "Pull requests are numbered as if they were in the data window.")                                \
    X(DATA_PSN_OF_REQUESTS, "data-psn-of-requests", "7.2",                                             \
      "FTP-7.2-25 FTP-6.1.2-01 FTP-8.2.1.2-03 FTP-8.4.3.3-07 FTP-8.5.3.2-07 FTP-9-01 "                 \
      "NVME-7.2-04 NVME-7.2-06",                                                                       \
      "Pushes and pull data are numbered as if they were in the request window.")                      \
    X(EXHAUSTED_CODE_WRONG, "exhausted-code-wrong", "7.6", "FTP-7.6-05 FTP-7.6-06 FTP-11-07",          \
      "A resync after the last attempt carries the code for a transaction timeout.")                   \
    X(RNR_NACK_WRONG_CODE, "rnr-nack-wrong-code", "7.8", "FTP-7.8-18 FTP-8.5.3.4-10",                  \
      "Refuses a push that its ULP is not ready for by a NACK of code 1.")                             \
    X(RESOURCE_NACK_WRONG_CODE, "resource-nack-wrong-code", "7.8",                                     \
      "FTP-7.8-17 FTP-11-19 FTP-8.5.3.1-03 FTP-8.5.3.3-03",                                            \
      "Answers a packet for which it has no resources with a NACK of code 6.")                         \
    X(XLR_NACK_WRONG_CODE, "xlr-nack-wrong-code", "7.8", "FTP-7.8-19 FTP-11-21",                       \
      "Answers a packet that its filter drops with a NACK of code 6.")
/* clang-format on */

#endif
