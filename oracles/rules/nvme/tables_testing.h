/* SPDX-License-Identifier: Apache-2.0
 * tables_testing.h - for tests only: lines that give the SUT a namespace with its translation,
 * and submit commands to it. */
#ifndef FAL_ORACLES_RULES_NVME_TABLES_TESTING_H
#define FAL_ORACLES_RULES_NVME_TABLES_TESTING_H

#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* A timeline that begins late: commands may have been submitted before. */
static const struct kind begins_late = {.run = {RUN_VIRTUAL, .delay_max_ns = 0},
                                        .unknown = true};

/* Namespace 1 of function 5, with blocks of 4096 bytes: stripes of 64 blocks, in groups of two
 * chunks of 2^18 blocks. Blocks 0 to 63 are row 10, 64 to 127 row 11, 128 to 191 row 10 again.
 */
#define SPACE(more)                                                                         \
    "nvme nvme_ns {\"nsid\":1,\"start\":10,\"C\":0,\"S\":0,\"N\":1,\"block_shift\":12" more \
    "} -> {\"function\":5,\"mdts\":262144}"
#define ROW(index, valid, sqid, nsid, chunk)                                   \
    "nvme nvme_lba {\"index\":" #index ",\"valid\":" #valid ",\"sqid\":" #sqid \
    ",\"target_nsid\":" #nsid ",\"chunk\":" #chunk "} -> {}"
#define ROWS         ROW(10, true, 3, 9, 5), ROW(11, true, 4, 8, 70000)
#define TABLES(more) SPACE(more), ROWS
/* The first blocks of the targets: 5 << 18, and 70000 << 18. */
#define FIRST_OF_10 "slba=0x140000 tnsid=9 sqid=3"
#define FIRST_OF_11 "slba=0x445c00000 tnsid=8 sqid=4"

#define POST(cmd, op, slba, nlb0, more)                                             \
    "nvme nvme_post {\"cmd\":" #cmd ",\"op\":\"" op "\",\"nsid\":1,\"slba\":" #slba \
    ",\"nlb0\":" #nlb0 more "} -> {\"sq\":1,\"cid\":4}"
#define COMPLETES(cmd, status) "tells nvme_cqe {\"cmd\":" #cmd ",\"status\":" #status "}"

/* Request n of the SUT, without protection information: tags are all ones. */
#define READS(n, more)                                                               \
    "< push_data psn=" #n "r rsn=" #n "r / nvme read_request ifn=5 insid=1 itag=" #n \
    " eilbrt=0xffffffff elbatm=0xffff elbat=0xffff " more
#define WRITES(n, more)                                                               \
    "< push_data psn=" #n "r rsn=" #n "r / nvme write_request ifn=5 insid=1 itag=" #n \
    " ilbrt=0xffffffff lbatm=0xffff lbat=0xffff " more
/* The answer of the tester to read n, or the completion of write n. */
#define ANSWERS(n, tag, more) \
    "> push_data psn=" #n "r rsn=" #n "r / nvme read_response ifn=5 itag=" #tag " " more
#define DONE(n, tag, more) \
    "> push_data psn=" #n "r rsn=" #n "r / nvme write_completion ifn=5 itag=" #tag " " more

#endif
