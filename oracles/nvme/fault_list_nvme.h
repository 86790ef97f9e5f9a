/* SPDX-License-Identifier: Apache-2.0
 * fault_list_nvme.h - the rows of oracles/endpoint/faults/faults.h that are about NVMe above
 * Falcon. The engine of this folder has them (odd.h). */
#ifndef FAL_ORACLES_NVME_FAULT_LIST_NVME_H
#define FAL_ORACLES_NVME_FAULT_LIST_NVME_H

/* clang-format off */
/* Requests of the initiator. */
#define FAL_FAULTS_NVME_REQUESTS(X)                                                                   \
    X(NBTH_VERSION_0, "nbth-version-0", "NVME 8.2",                                                   \
      "NVME-8.2-02",                                                                                  \
      "NVMe packets have version 0.")                                                                 \
    X(NVME_TYPE_RESERVED, "nvme-type-reserved", "NVME 8.1.3",                                         \
      "NVME-8.1.3-07 NVME-8.1.3-01 NVME-8.1.3-05 NVME-8.2-03",                                        \
      "Requests leave with a reserved packet type.")                                                  \
    X(NVME_RESERVED_SET, "nvme-reserved-set", "NVME 8.2",                                             \
      "NVME-8.2-05 NVME-8.2-14 NVME-8.3-07 NVME-8.3-11 NVME-8.3-15 NVME-8.4-01 "                      \
      "NVME-8.5-05 NVME-8.5-06 NVME-8.5-08 NVME-8.5-13 NVME-8.7-01 NVME-8.8-01",                      \
      "The last reserved bit of each NVMe header is 1.")                                              \
    X(NBTH_SHORT, "nbth-short", "NVME 8.2",                                                           \
      "NVME-8.2-01",                                                                                  \
      "The NBTH has four bytes less.")                                                                \
    X(NVME_REQUEST_SHORT, "nvme-request-short", "NVME 8.3",                                           \
      "NVME-8.3-01 NVME-8.5-01",                                                                      \
      "Read and Write Requests have 60 bytes of headers.")                                            \
    X(READ_REQUEST_PULLED, "read-request-pulled", "NVME 7.1",                                         \
      "NVME-8.1.3-05 NVME-7.1-01",                                                                    \
      "A Read Request leaves in a Pull Request.")                                                     \
    X(WRITE_REQUEST_PULLED, "write-request-pulled", "NVME 7.2",                                       \
      "NVME-8.1.3-01 NVME-7.2-01",                                                                    \
      "A Write Request leaves in a Pull Request.")                                                    \
    X(WRITE_DATA_PUSHED, "write-data-pushed", "NVME 6.3",                                             \
      "NVME-6.3-03 NVME-8.1.3-03 NVME-7.2-03",                                                        \
      "Write data is pushed behind its request, and again when it is asked for.")                     \
    X(NVME_REQUEST_TWICE, "nvme-request-twice", "NVME 6.3",                                           \
      "NVME-6.3-01 NVME-6.3-02",                                                                      \
      "The request for an nCMD is sent twice.")                                                       \
    X(SLBA_HIGH_WORD_FIRST, "slba-high-word-first", "NVME 8.3",                                       \
      "NVME-8.3-04 NVME-8.5-03",                                                                      \
      "The high word of the Target SLBA comes first.")                                                \
    X(FUA_DROPPED, "fua-dropped", "NVME 8.3",                                                         \
      "NVME-8.3-09 NVME-8.5-07",                                                                      \
      "FUA of the command is not sent.")                                                              \
    X(LR_DROPPED, "lr-dropped", "NVME 8.3",                                                           \
      "NVME-8.3-10 NVME-8.5-07",                                                                      \
      "LR of the command is not sent.")                                                               \
    X(DSM_DROPPED, "dsm-dropped", "NVME 8.3",                                                         \
      "NVME-8.3-11 NVME-8.5-08",                                                                      \
      "DSM of the command is not sent.")                                                              \
    X(DTYPE_DROPPED, "dtype-dropped", "NVME 8.5",                                                     \
      "NVME-8.5-05",                                                                                  \
      "DTYPE of the command is not sent.")                                                            \
    X(DSPEC_LITTLE_ENDIAN, "dspec-little-endian", "NVME 8.5",                                         \
      "NVME-8.5-09",                                                                                  \
      "The bytes of DSPEC are exchanged.")                                                            \
    X(NSID_HIGH_BITS, "nsid-high-bits", "NVME 8.3",                                                   \
      "NVME-8.3-02 NVME-8.5-02",                                                                      \
      "Requests name the high 16 bits of the NSID.")                                                  \
    X(TARGET_NSID_OF_INITIATOR, "target-nsid-of-initiator", "NVME 8.3",                               \
      "NVME-8.3-03 NVME-8.5-02 NVME-6.6.2-12",                                                        \
      "Requests name the initiator's namespace as the target's.")                                     \
    X(SQID_OF_HOST_QUEUE, "sqid-of-host-queue", "NVME 6.4",                                           \
      "NVME-6.4-02 NVME-8.3-15 NVME-8.5-13 NVME-6.6.2-12",                                            \
      "Requests name the submission queue of the host as that of the target.")                        \
    X(NVME_FUNCTION_OF_HOST, "nvme-function-of-host", "NVME 8.2",                                     \
      "NVME-8.2-04",                                                                                  \
      "The Initiator Function lacks its low 8 bits.")                                                 \
    X(NCNT_TOTAL_N, "ncnt-total-n", "NVME 8.2",                                                       \
      "NVME-8.2-10",                                                                                  \
      "NCNT Total is the number of nCMDs, not one less.")                                             \
    X(NCNT_OFFSET_FROM_ONE, "ncnt-offset-from-one", "NVME 8.2",                                       \
      "NVME-8.2-12",                                                                                  \
      "NCNT Offset counts from 1.")                                                                   \
    X(NCMD_8K, "ncmd-8k", "NVME 6.5",                                                                 \
      "NVME-6.5-01",                                                                                  \
      "A request is sent for every 8 KB.")                                                            \
    X(NLB_OF_WHOLE_COMMAND, "nlb-of-whole-command", "NVME 8.3",                                       \
      "NVME-8.3-06 NVME-8.5-04 NVME-6.6.3-03",                                                        \
      "The requests of a split command have the length of the whole.")                                \
    X(SLBA_PER_NCMD, "slba-per-ncmd", "NVME 8.3",                                                     \
      "NVME-8.3-05 NVME-8.5-03",                                                                      \
      "The Target SLBA of a request is that of its nCMD.")                                            \
    X(ITAG_REUSED, "itag-reused", "NVME 8.2",                                                         \
      "NVME-8.2-11",                                                                                  \
      "All nCMDs of a command have the same Initiator Tag.")                                          \
    X(ICMD_ID_PER_NCMD, "icmd-id-per-ncmd", "NVME 8.2",                                               \
      "NVME-8.2-13",                                                                                  \
      "Each nCMD has an iCMD Identifier of its own.")                                                 \
    X(TARGET_TAG_ZEROED, "target-tag-zeroed", "NVME 8.2",                                             \
      "NVME-8.2-09",                                                                                  \
      "A Write Data Response has the Target Tag 0.")

/* Translation and splitting. */
#define FAL_FAULTS_NVME_MAPPING(X)                                                                    \
    X(ROW_INDEX_WITHOUT_START, "row-index-without-start", "NVME 6.6.2",                               \
      "NVME-6.6.2-06 NVME-6.6.2-11",                                                                  \
      "The Start Index is not added to the index of a row.")                                          \
    X(TRANSLATION_SKIPPED, "translation-skipped", "NVME 6.6",                                         \
      "NVME-6.6-02 NVME-6.6.2-01",                                                                    \
      "The target's block is that of the initiator.")                                                 \
    X(TRANSLATION_CACHED, "translation-cached", "NVME 6.6.2",                                         \
      "NVME-6.6.2-13 NVME-6.6.2-12",                                                                  \
      "The first row that a namespace used serves for all of its blocks.")                            \
    X(STRIPE_NOT_SHIFTED, "stripe-not-shifted", "NVME 6.6.2",                                         \
      "NVME-6.6.2-14",                                                                                \
      "The stripe number in the target LBA is not divided by the striping group.")                    \
    X(CHUNK_OF_GROUP, "chunk-of-group", "NVME 6.6.2",                                                 \
      "NVME-6.6.2-11 NVME-6.6.2-09",                                                                  \
      "The number of a chunk group is used as that of its first chunk.")                              \
    X(CHUNK_START_WITHOUT_N, "chunk-start-without-n", "NVME 6.6.2",                                   \
      "NVME-6.6.2-07",                                                                                \
      "A chunk group has the blocks of one chunk.")                                                   \
    X(STRIPE_START_ONE_MORE, "stripe-start-one-more", "NVME 6.6.2",                                   \
      "NVME-6.6.2-08 NVME-6.6.2-10 NVME-6.6.1-05",                                                    \
      "Stripes have twice their length.")                                                             \
    X(CONNECTION_OF_FIRST_ROW, "connection-of-first-row", "NVME 6.6.2",                               \
      "NVME-6.6.2-05",                                                                                \
      "All requests of a namespace take the connection of its first row.")                            \
    X(TARGET_LBA_32_BITS, "target-lba-32-bits", "NVME 6.6.2",                                         \
      "NVME-6.6.2-14 NVME-8.3-04 NVME-8.5-03",                                                        \
      "The target LBA has 32 bits.")                                                                  \
    X(TARGET_CHUNK_IGNORED, "target-chunk-ignored", "NVME 6.6.2",                                     \
      "NVME-6.6.2-14 NVME-6.6.2-04 NVME-6.6.2-12",                                                    \
      "The target chunk of a row is taken for 0.")                                                    \
    X(VALID_BIT_IGNORED, "valid-bit-ignored", "NVME 6.6.2",                                           \
      "NVME-6.6.2-13",                                                                                \
      "A row without the valid bit is used.")                                                         \
    X(SPLIT_AT_BOUNDARY_MINUS_1, "split-at-boundary-minus-1", "NVME 6.6.3",                           \
      "NVME-6.6.3-05 NVME-6.6.3-06 NVME-6.6.3-03",                                                    \
      "A split command is cut one block before the boundary.")                                        \
    X(SPLIT_CHUNK_MISSED, "split-chunk-missed", "NVME 6.6.3",                                         \
      "NVME-6.6.3-01",                                                                                \
      "A change of the chunk group alone does not split a command.")                                  \
    X(SPLIT_MISSED, "split-missed", "NVME 6.6.3",                                                     \
      "NVME-6.6.3-01 NVME-6.6.3-04",                                                                  \
      "No command is split.")                                                                         \
    X(SPLIT_IN_THE_MIDDLE, "split-in-the-middle", "NVME 6.6.3",                                       \
      "NVME-6.6.3-04 NVME-6.6.3-02",                                                                  \
      "A command inside a stripe is split, too.")                                                     \
    X(SPLIT_IN_THREE, "split-in-three", "NVME 6.6.3",                                                 \
      "NVME-6.6.3-02",                                                                                \
      "A request for a third part follows a split command.")                                          \
    X(SPLIT_BIT_MISSING, "split-bit-missing", "NVME 8.2",                                             \
      "NVME-8.2-07",                                                                                  \
      "The bit S of a split command is 0.")                                                           \
    X(NG_INVERTED, "ng-inverted", "NVME 8.2",                                                         \
      "NVME-8.2-08",                                                                                  \
      "The bit NG is 1 in the first part of a split command.")                                        \
    X(MDTS_IGNORED, "mdts-ignored", "NVME 6.5",                                                       \
      "NVME-6.5-06",                                                                                  \
      "Commands that are longer than MDTS are accepted.")

/* Protection information and encryption. */
#define FAL_FAULTS_NVME_PROTECTION(X)                                                                 \
    X(PRCHK_GUARD_OFF, "prchk-guard-off", "NVME 6.7",                                                 \
      "NVME-6.7-16 NVME-8.3-08 NVME-8.5-06",                                                          \
      "PRCHK does not ask for a check of the guard.")                                                 \
    X(PRCHK_REF_OFF, "prchk-ref-off", "NVME 6.7",                                                     \
      "NVME-6.7-17",                                                                                  \
      "PRCHK does not ask for a check of the reference tag.")                                         \
    X(PRCHK_APP_OFF, "prchk-app-off", "NVME 6.7",                                                     \
      "NVME-6.7-18",                                                                                  \
      "PRCHK does not ask for a check of the application tag.")                                       \
    X(PRACT_SET, "pract-set", "NVME 6.7",                                                             \
      "NVME-6.7-15",                                                                                  \
      "PRACT is 1.")                                                                                  \
    X(REF_OF_INITIATOR_LBA, "ref-of-initiator-lba", "NVME 6.7",                                       \
      "NVME-6.7-17 NVME-6.7-19 NVME-6.7-20 NVME-8.3-12 NVME-8.5-10",                                  \
      "Reference tags are those of the initiator's blocks.")                                          \
    X(APP_TAG_MASK_ZERO, "app-tag-mask-zero", "NVME 6.7",                                             \
      "NVME-6.7-19 NVME-6.7-20 NVME-8.3-13 NVME-8.5-11",                                              \
      "The mask of the application tag is 0.")                                                        \
    X(APP_TAG_SWAPPED, "app-tag-swapped", "NVME 6.7",                                                 \
      "NVME-6.7-18 NVME-6.7-19 NVME-6.7-20 NVME-8.3-14 NVME-8.5-12",                                  \
      "The bytes of the application tag are exchanged.")                                              \
    X(PI_OFF_TAGS_ZERO, "pi-off-tags-zero", "NVME 6.7",                                               \
      "NVME-6.7-23 NVME-6.7-24",                                                                      \
      "Without protection information the tags of requests are 0.")                                   \
    X(PI_OFF_STILL_CHECKED, "pi-off-still-checked", "NVME 6.7",                                       \
      "NVME-6.7-22",                                                                                  \
      "Without protection information PRCHK asks for checks.")                                        \
    X(PI_IGNORED, "pi-ignored", "NVME 6.7",                                                           \
      "NVME-6.7-05 NVME-6.7-08",                                                                      \
      "A namespace with protection information is used as one without it.")                           \
    X(OUTER_PI_MISSING, "outer-pi-missing", "NVME 6.7",                                               \
      "NVME-6.7-08",                                                                                  \
      "The outer protection information is zero.")                                                    \
    X(GUARD_WITHOUT_INNER_PI, "guard-without-inner-pi", "NVME 6.7",                                   \
      "NVME-6.7-14 NVME-6.7-08",                                                                      \
      "The outer guard does not cover the inner protection information.")                             \
    X(GUARD_FROM_ONES, "guard-from-ones", "NVME 6.7",                                                 \
      "NVME-6.7-02 NVME-6.7-14",                                                                      \
      "The CRC of the outer guard starts with ones.")                                                 \
    X(PI_LITTLE_ENDIAN, "pi-little-endian", "NVME 6.7",                                               \
      "NVME-6.7-01",                                                                                  \
      "The fields of the outer protection information have their low byte first.")                    \
    X(INNER_PI_PLAIN, "inner-pi-plain", "NVME 6.7",                                                   \
      "NVME-6.7-07",                                                                                  \
      "The inner protection information is not encrypted.")                                           \
    X(ENCRYPTION_OFF, "encryption-off", "NVME 6.7",                                                   \
      "NVME-6.7-04",                                                                                  \
      "Blocks of a namespace with encryption are sent in the clear.")                                 \
    X(INNER_PI_NOT_MADE, "inner-pi-not-made", "NVME 6.7",                                             \
      "NVME-6.7-06",                                                                                  \
      "The controller inserts zeros as inner protection information.")                                \
    X(INV_NOT_SET, "inv-not-set", "NVME 8.2",                                                         \
      "NVME-8.2-06",                                                                                  \
      "Data that fail the host's own check are sent as good ones.")

/* Data and completions of the initiator. */
#define FAL_FAULTS_NVME_DATA(X)                                                                       \
    X(WRITE_INTERLEAVED, "write-interleaved", "NVME 8.7",                                             \
      "NVME-8.7-02",                                                                                  \
      "Write data have the metadata behind each block.")                                              \
    X(WRITE_DATA_AFTER_NBTH, "write-data-after-nbth", "NVME 8.7",                                     \
      "NVME-8.7-01",                                                                                  \
      "Write data follow the NBTH at once.")                                                          \
    X(WRITE_METADATA_ALWAYS, "write-metadata-always", "NVME 8.7",                                     \
      "NVME-8.7-03",                                                                                  \
      "Write data have metadata without protection information, too.")                                \
    X(WRITE_DATA_TOO_LONG, "write-data-too-long", "NVME 8.7",                                         \
      "NVME-8.7-04",                                                                                  \
      "16 bytes more follow whole nCMDs of write data.")                                              \
    X(NCMD_DATA_SWAPPED, "ncmd-data-swapped", "NVME 6.5",                                             \
      "NVME-6.5-04 NVME-8.4-03 NVME-8.7-01",                                                          \
      "An nCMD carries the data of the next one of its command.")                                     \
    X(READ_DATA_BY_ARRIVAL, "read-data-by-arrival", "NVME 6.5",                                       \
      "NVME-6.5-03 NVME-8.4-03",                                                                      \
      "Read data are placed in the order in which they arrive.")                                      \
    X(CQE_FIRST_RESPONSE, "cqe-first-response", "NVME 6.5",                                           \
      "NVME-6.5-03 NVME-7.1-07 NVME-7.2-09",                                                          \
      "A command completes when its first nCMD is answered.")                                         \
    X(CQE_TWICE, "cqe-twice", "NVME 7.1",                                                             \
      "NVME-7.1-07 NVME-6.5-03",                                                                      \
      "A command completes twice.")                                                                   \
    X(CQE_LOST, "cqe-lost", "NVME 6.5",                                                               \
      "NVME-6.5-03",                                                                                  \
      "No completion of a command of several nCMDs is reported.")                                     \
    X(STATUS_LOST, "status-lost", "NVME 8.4",                                                         \
      "NVME-8.4-02 NVME-8.8-02",                                                                      \
      "Commands complete with status 0.")                                                             \
    X(READ_RESPONSE_NOT_ACKED, "read-response-not-acked", "NVME 7.1",                                 \
      "NVME-7.1-06",                                                                                  \
      "Read Responses are not acknowledged.")

/* Of the target. */
#define FAL_FAULTS_NVME_TARGET(X)                                                                     \
    X(COMPLETION_PER_COMMAND, "completion-per-command", "NVME 6.3",                                   \
      "NVME-6.3-05 NVME-6.5-05",                                                                      \
      "One Write Completion is sent for a whole command.")                                            \
    X(RESPONSE_PER_COMMAND, "response-per-command", "NVME 6.3",                                       \
      "NVME-6.3-01",                                                                                  \
      "One Read Response is sent for a whole command.")                                               \
    X(WDR_TWICE, "wdr-twice", "NVME 6.3",                                                             \
      "NVME-6.3-02",                                                                                  \
      "The data of an nCMD are asked for twice.")                                                     \
    X(ANSWER_TWICE, "answer-twice", "NVME 6.3",                                                       \
      "NVME-6.3-01 NVME-6.3-05",                                                                      \
      "A Read Response or Write Completion is sent twice.")                                           \
    X(WDR_LENGTH_WITHOUT_HEADER, "wdr-length-without-header", "NVME 8.6",                             \
      "NVME-8.6-02",                                                                                  \
      "The Request Length of a Write Data Request counts data alone.")                                \
    X(WDR_LONG, "wdr-long", "NVME 8.6",                                                               \
      "NVME-8.6-01",                                                                                  \
      "Four bytes follow the NBTH of a Write Data Request.")                                          \
    X(WDR_PUSHED, "wdr-pushed", "NVME 7.2",                                                           \
      "NVME-8.1.3-02 NVME-7.2-02 NVME-8.6-01",                                                        \
      "A Write Data Request leaves in a Push Data.")                                                  \
    X(COMPLETION_PULLED, "completion-pulled", "NVME 7.2",                                             \
      "NVME-8.1.3-04 NVME-7.2-05",                                                                    \
      "A Write Completion leaves in a Pull Request.")                                                 \
    X(READ_RESPONSE_PULLED, "read-response-pulled", "NVME 7.1",                                       \
      "NVME-8.1.3-06 NVME-7.1-05",                                                                    \
      "A Read Response leaves in a Pull Request.")                                                    \
    X(ANSWER_TYPE_EXCHANGED, "answer-type-exchanged", "NVME 8.1.3",                                   \
      "NVME-8.1.3-04 NVME-8.1.3-06 NVME-8.2-03",                                                      \
      "Read Responses have the type of Write Completions, and the reverse.")                          \
    X(ITAG_NOT_COPIED, "itag-not-copied", "NVME 8.2",                                                 \
      "NVME-8.2-11",                                                                                  \
      "The Initiator Tag of answers is one more than that of the request.")                           \
    X(ICMD_NOT_COPIED, "icmd-not-copied", "NVME 8.2",                                                 \
      "NVME-8.2-13",                                                                                  \
      "The iCMD Identifier of answers is 0.")                                                         \
    X(FUNCTION_NOT_COPIED, "function-not-copied", "NVME 8.2",                                         \
      "NVME-8.2-04",                                                                                  \
      "The Initiator Function of answers is 0.")                                                      \
    X(ACK_BEFORE_MEDIA, "ack-before-media", "NVME 7.2",                                               \
      "NVME-7.2-08 NVME-6.5-05",                                                                      \
      "Write Completions are sent before the device has completed.")                                  \
    X(COMPLETION_BEFORE_DATA, "completion-before-data", "NVME 6.3",                                   \
      "NVME-6.3-02 NVME-6.3-04",                                                                      \
      "A Write Completion is sent at once, and no data are asked for.")                               \
    X(NVME_INV_IGNORED, "nvme-inv-ignored", "NVME 8.2",                                               \
      "NVME-8.2-06",                                                                                  \
      "Write data with INV are written.")                                                             \
    X(DEVICE_WRITE_PER_NCMD, "device-write-per-ncmd", "NVME 6.5",                                     \
      "NVME-6.5-04 NVME-6.3-04",                                                                      \
      "Each nCMD of a write becomes a command of the device.")                                        \
    X(DEVICE_WRITE_EARLY, "device-write-early", "NVME 6.3",                                           \
      "NVME-6.3-04",                                                                                  \
      "The device writes when the first data of a command are there.")                                \
    X(READ_ACKED_AFTER_DEVICE, "read-acked-after-device", "NVME 7.1",                                 \
      "NVME-7.1-03",                                                                                  \
      "Read Requests are acknowledged when the device has completed.")                                \
    X(NVME_WAITS_FOR_ORDER, "nvme-waits-for-order", "NVME 7",                                         \
      "NVME-7-01 NVME-7.1-02 NVME-8-01",                                                              \
      "Requests wait for those with smaller RSNs.")                                                   \
    X(NVME_ORDERED_ACCEPTED, "nvme-ordered-accepted", "NVME 8",                                       \
      "NVME-8-01 NVME-7-01",                                                                          \
      "NVMe accepts an ordered connection.")                                                          \
    X(NVME_MTU_UNCHECKED, "nvme-mtu-unchecked", "NVME 6.5",                                           \
      "NVME-6.5-02",                                                                                  \
      "NVMe accepts a connection whose MTU is too small.")                                            \
    X(NVME_METADATA_CUT, "nvme-metadata-cut", "NVME 6.5",                                             \
      "NVME-6.5-02",                                                                                  \
      "Packets have no room for metadata: data beyond 4096 bytes are left out.")                      \
    X(READ_DIX, "read-dix", "NVME 8.4",                                                               \
      "NVME-8.4-04",                                                                                  \
      "Read data have all metadata behind all blocks.")                                               \
    X(READ_DATA_AFTER_NBTH, "read-data-after-nbth", "NVME 8.4",                                       \
      "NVME-8.4-03 NVME-8.4-01",                                                                      \
      "Read data follow the NBTH at once.")                                                           \
    X(READ_METADATA_ALWAYS, "read-metadata-always", "NVME 8.4",                                       \
      "NVME-8.4-05",                                                                                  \
      "Read data have metadata without protection information, too.")                                 \
    X(READ_DATA_TOO_LONG, "read-data-too-long", "NVME 8.4",                                           \
      "NVME-8.4-06",                                                                                  \
      "16 bytes more follow whole nCMDs of read data.")                                               \
    X(CQE_STATUS_SHIFTED, "cqe-status-shifted", "NVME 8.4",                                           \
      "NVME-8.4-01 NVME-8.8-01",                                                                      \
      "The CQE status of answers is shifted by one bit.")                                             \
    X(STATUS_OF_DEVICE_LOST, "status-of-device-lost", "NVME 8.4",                                     \
      "NVME-8.4-02 NVME-8.8-02",                                                                      \
      "Answers have status 0 when the device has failed.")

/* Of the devices behind it. */
#define FAL_FAULTS_NVME_DEVICE(X)                                                                     \
    X(WRITE_LOST, "write-lost", "NVME 6.5",                                                           \
      "NVME-6.5-04",                                                                                  \
      "A write of the device is completed, and nothing is written.")                                  \
    X(WRITE_LAST_NCMD_LOST, "write-last-ncmd-lost", "NVME 6.5",                                       \
      "NVME-6.5-04",                                                                                  \
      "The device does not write the last nCMD of a command of several.")                             \
    X(WRITE_ONE_BLOCK_ON, "write-one-block-on", "NVME 6.5",                                           \
      "NVME-6.5-04",                                                                                  \
      "The device writes one block further.")                                                         \
    X(READ_ONE_BLOCK_ON, "read-one-block-on", "NVME 6.5",                                             \
      "NVME-6.5-04 NVME-8.4-03",                                                                      \
      "The device reads one block further.")                                                          \
    X(READ_OF_LAST_WRITE, "read-of-last-write", "NVME 6.5",                                           \
      "NVME-6.5-04 NVME-8.4-03",                                                                      \
      "A read of the device gives the first block that it wrote last.")                               \
    X(PIL_FIRST, "pil-first", "NVME 6.7",                                                             \
      "NVME-6.7-10",                                                                                  \
      "Devices say that protection information comes first in the metadata.")                         \
    X(PI_TYPE_2, "pi-type-2", "NVME 6.7",                                                             \
      "NVME-6.7-11",                                                                                  \
      "Devices say that their protection type is 2.")                                                 \
    X(MSET_SET, "mset-set", "NVME 6.7",                                                               \
      "NVME-6.7-12",                                                                                  \
      "Devices say that metadata follow the data of each block.")                                     \
    X(METADATA_8, "metadata-8", "NVME 6.7",                                                           \
      "NVME-6.7-09 NVME-6.7-13",                                                                      \
      "Devices say that they have 8 bytes of metadata.")

#define FAL_FAULTS_NVME(X)                                                                            \
    FAL_FAULTS_NVME_REQUESTS(X)                                                                       \
    FAL_FAULTS_NVME_MAPPING(X)                                                                        \
    FAL_FAULTS_NVME_PROTECTION(X)                                                                     \
    FAL_FAULTS_NVME_DATA(X)                                                                           \
    FAL_FAULTS_NVME_TARGET(X)                                                                         \
    FAL_FAULTS_NVME_DEVICE(X)
/* clang-format on */

#endif
