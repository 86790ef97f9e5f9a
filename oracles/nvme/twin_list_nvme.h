/* SPDX-License-Identifier: Apache-2.0
 * twin_list_nvme.h - the rows of oracles/endpoint/faults/twins.h that are about NVMe above
 * Falcon. The engine of this folder has them (odd.h). */
#ifndef FAL_ORACLES_NVME_TWIN_LIST_NVME_H
#define FAL_ORACLES_NVME_TWIN_LIST_NVME_H

/* clang-format off */
#define FAL_TWINS_NVME(X)                                                                             \
    X(COMPLETIONS_EARLY_BUT_LAST, "completions-early-but-last", "NVME 7.2",                           \
      "NVME-7.2-07 NVME-7.2-08", "AMB-N10",                                                           \
      "All Write Completions but the last are sent before the device has completed.")                 \
    X(REJECT_WITHOUT_PULL, "reject-without-pull", "NVME 6.3",                                         \
      "NVME-6.3-05", "AMB-N23",                                                                       \
      "A write that the device would refuse is refused before its data are asked for.")               \
    X(APP_TAG_PER_BLOCK, "app-tag-per-block", "NVME 6.7",                                             \
      "NVME-6.7-18", "AMB-N19",                                                                       \
      "The outer application tag of a block is that of the block, not of the command.")               \
    X(TAGS_OF_NCMD, "tags-of-ncmd", "NVME 6.7",                                                       \
      "NVME-6.7-19 NVME-6.7-20", "AMB-N22",                                                           \
      "Tags of a request are those of the first block of its nCMD.")                                  \
    X(NCNT_PER_HALF, "ncnt-per-half", "NVME 8.2",                                                     \
      "NVME-8.2-10 NVME-8.2-12", "AMB-N06",                                                           \
      "NCNT Total and Offset count the nCMDs of each part of a split command.")                       \
    X(NO_SPLIT_WITHOUT_STRIPING, "no-split-without-striping", "NVME 6.6.3",                           \
      "NVME-6.6.3-01 NVME-6.6.3-04", "AMB-N21",                                                       \
      "Without striping a stripe boundary inside a chunk does not split.")                            \
    X(READ_AFTER_ALL_REQUESTS, "read-after-all-requests", "NVME 7.1",                                 \
      "NVME-7.1-04", "",                                                                              \
      "A read is given to the device when all its Read Requests are there.")                          \
    X(ANSWERS_REVERSED, "answers-reversed", "NVME 7",                                                 \
      "NVME-7-01", "",                                                                                \
      "Answers of a command are sent last first.")                                                    \
    X(REQUESTS_REVERSED, "requests-reversed", "NVME 7",                                               \
      "NVME-7-01", "",                                                                                \
      "Requests of a command are sent last first.")                                                   \
    X(INV_IN_REQUEST, "inv-in-request", "NVME 8.2",                                                   \
      "NVME-8.2-06", "AMB-N17",                                                                       \
      "INV is set in the Write Request, too.")                                                        \
    X(BAD_PI_FAILS_AT_ONCE, "bad-pi-fails-at-once", "NVME 8.2",                                       \
      "NVME-8.2-06", "AMB-N17",                                                                       \
      "A write whose protection information is wrong fails without a packet.")                        \
    X(STATUS_OF_LAST_PART, "status-of-last-part", "NVME 8.4",                                         \
      "NVME-8.4-02 NVME-8.8-02", "AMB-N20",                                                           \
      "A command completes with the last error among its answers.")                                   \
    X(TWEAK_OF_TARGET_LBA, "tweak-of-target-lba", "NVME 6.7",                                         \
      "NVME-6.7-04", "AMB-N18",                                                                       \
      "The tweak of the encryption is the block of the target.")                                      \
    X(ESCAPE_TAGS_UNCHECKED, "escape-tags-unchecked", "NVME 6.7",                                     \
      "NVME-6.7-03", "",                                                                              \
      "Blocks that the host writes with an application tag of FFFF are not checked.")                 \
    X(TARGET_CHECKS_OFF, "target-checks-off", "NVME 6.7",                                             \
      "NVME-6.7-21", "",                                                                              \
      "Devices behind the target check no protection information.")
/* clang-format on */

#endif
