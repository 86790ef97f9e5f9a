/* SPDX-License-Identifier: Apache-2.0
 * posts_testing.h - for tests only: the lines that make a queue pair of the SUT with a filled
 * memory region, and post to it. */
#ifndef FAL_ORACLES_RULES_RDMA_POSTS_TESTING_H
#define FAL_ORACLES_RULES_RDMA_POSTS_TESTING_H

#include "oracles/rules/judge/script_testing.h"
#include "tests/testing.h"

/* A region "m" of 4096 bytes at 0x10000, lkey 0x5a, filled with tag 7; a second one "n" at
 * 0x20000, lkey 0x5b. */
#define MEMORY                                                                             \
    "verbs mr_reg {\"pd\":\"p\",\"length\":4096,\"access\":[\"lw\",\"rw\",\"rr\",\"ra\"]}" \
    " -> {\"mr\":\"m\",\"va\":65536,\"lkey\":90,\"rkey\":91}",                             \
        "verbs mr_reg {\"pd\":\"p\",\"length\":4096,\"access\":[\"lw\"]}"                  \
        " -> {\"mr\":\"n\",\"va\":131072,\"lkey\":91,\"rkey\":92}",                        \
        "verbs mr_fill {\"mr\":\"m\",\"length\":4096,\"tag\":7}"

/* Queue pair "q", number 17, of the connection; its peer is number 5. */
#define CREATE(type, ordering, errors)                                            \
    "verbs qp_create {\"type\":\"" type                                           \
    "\",\"pd\":\"p\",\"send_cq\":\"c\",\"recv_cq\":\"c\"} -> "                    \
    "{\"qp\":\"q\",\"qpn\":17,\"ordering\":\"" ordering "\",\"errors\":\"" errors \
    "\",\"path_mtu\":256}"
#define PAIR_CREATE(ordering)           CREATE("rc", ordering, "verbs")
#define PAIR_CONNECT                    "verbs qp_connect {\"qp\":\"q\",\"conn\":\"c1\",\"dest_qpn\":5}"
#define PAIR_OF(type, ordering, errors) CREATE(type, ordering, errors), PAIR_CONNECT
#define PAIR                            PAIR_OF("rc", "strong", "verbs")

/* A post without its braces' other members; the list is one entry of region m from 0 on. */
#define POST_LIST(id, op, sgl, more)                                                           \
    "verbs post_send {\"qp\":\"q\",\"wr_id\":" #id ",\"op\":\"" op "\",\"sgl\":[" sgl "]" more \
    "}"
#define SGE(mr, offset, length) \
    "{\"mr\":\"" mr "\",\"offset\":" #offset ",\"length\":" #length "}"
#define POST(id, op, length, more) POST_LIST(id, op, SGE("m", 0, length), more)
#define REMOTE                     ",\"remote\":{\"va\":4096,\"rkey\":9}"

/* Request n of the SUT. */
#define PUSH(n, text) "< push_data psn=" #n "r rsn=" #n "r / rdma " text
#define PULL(n, text) "< pull_request psn=" #n "r rsn=" #n "r len=32 / rdma " text

static inline struct outcome posted_judged(const char *rule, bool ordered,
                                           const char *const *lines)
{
    struct fal_connection c = script_connection(&clean);

    c.params.ordered = ordered;
    return script_run(rule, &clean, &c, lines);
}

#endif
