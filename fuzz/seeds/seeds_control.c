/* SPDX-License-Identifier: Apache-2.0
 * seeds_control.c - talks of the control protocol for fuzz_control (docs/sut-protocol.md): how
 * each begins, and some whole ones with every command. The peer of a fuzzed SUT is a mirror:
 * numbers and ids are the same at both ends, so that it takes what it sends. */
#include "fuzz/seeds/seeds.h"

#include <stdio.h>
#include <string.h>

#define NUMBERS "{\"cid\":1,\"function\":7,\"req_psn\":0,\"data_psn\":0,\"rsn\":0}"

static const char commands_before[] =
    "{\"id\":1,\"epoch\":1,\"do\":\"hello\",\"version\":1,\"tester\":\"talon\"}\n"
    "{\"id\":2,\"epoch\":1,\"do\":\"reset\",\"scope\":\"device\"}\n"
    "{\"id\":3,\"epoch\":2,\"do\":\"open\",\"encap\":\"udp\",\"peer_address\":\"127.0.0.1:40000\",\"peer\":" NUMBERS
    ",\"local\":" NUMBERS ",\"params\":{\"ordered\":true}}\n";

static const char answers_before[] =
    "{\"id\":1,\"epoch\":1,\"ok\":true,\"version\":1,\"vendor\":\"Acme\",\"product\":\"F1\","
    "\"firmware\":\"2.0\",\"serial\":\"17\",\"levels\":[\"L0\",\"L1\",\"L2\",\"L3\"],\"ics\":{},"
    "\"clock\":\"none\",\"ordered_events\":true}\n"
    "{\"id\":2,\"epoch\":1,\"ok\":true,\"new_epoch\":2,\"survives\":[]}\n"
    "{\"id\":3,\"epoch\":2,\"ok\":true,\"conn\":\"c1\",\"local\":" NUMBERS ",\"params\":{}}\n";

const char *seeds_control_before(bool tester)
{
    return tester ? answers_before : commands_before;
}

/* From id 4 on, of epoch 2. */
static const char *const talks[] = {
    "{\"id\":4,\"epoch\":2,\"do\":\"post\",\"conn\":\"c1\",\"tag\":2,\"seed\":3,\"op\":\"push\",\"length\":64}\n"
    "{\"id\":5,\"epoch\":2,\"do\":\"post\",\"conn\":\"c1\",\"tag\":3,\"op\":\"pull\",\"length\":9}\n"
    "{\"id\":6,\"epoch\":2,\"do\":\"barrier\"}\n",
    "{\"id\":4,\"epoch\":2,\"do\":\"policy\",\"conn\":\"c1\",\"rules\":[{\"op\":\"push\","
    "\"answer\":\"rnr\",\"rnr_ns\":1000,\"times\":1}]}\n"
    "{\"id\":5,\"epoch\":2,\"do\":\"post\",\"conn\":\"c1\",\"tag\":2,\"op\":\"push\",\"length\":1}\n"
    "{\"id\":6,\"epoch\":2,\"do\":\"barrier\",\"conn\":\"c1\"}\n"
    "{\"id\":7,\"epoch\":2,\"do\":\"state\",\"conn\":\"c1\"}\n",
    "{\"id\":4,\"epoch\":2,\"do\":\"policy\",\"conn\":\"c1\",\"rules\":[{\"answer\":\"withhold\"}]}\n"
    "{\"id\":5,\"epoch\":2,\"do\":\"post\",\"conn\":\"c1\",\"tag\":2,\"op\":\"push\",\"length\":1}\n"
    "{\"id\":6,\"epoch\":2,\"do\":\"respond\",\"conn\":\"c1\",\"rsn\":0,\"answer\":\"ack\"}\n"
    "{\"id\":7,\"epoch\":2,\"do\":\"counters\"}\n",
    "{\"id\":4,\"epoch\":2,\"do\":\"set\",\"conn\":\"c1\",\"params\":{\"fcwnd\":1,\"rto_ns\":9000}}\n"
    "{\"id\":5,\"epoch\":2,\"do\":\"clock\"}\n"
    "{\"id\":6,\"epoch\":2,\"do\":\"rotate_keys\",\"conn\":\"c1\"}\n"
    "{\"id\":7,\"epoch\":2,\"do\":\"close\",\"conn\":\"c1\"}\n",
    "{\"id\":4,\"epoch\":2,\"do\":\"cc_config\",\"params\":{\"max_fcwnd\":64}}\n"
    "{\"id\":5,\"epoch\":2,\"do\":\"cc_trace\",\"on\":true}\n"
    "{\"id\":6,\"epoch\":2,\"do\":\"cc_feed\",\"now_ticks\":100000,\"state\":\"reset\",\"entry\":\"0000010061828006d60006d88061a80000de0000000002000000080003b9c020"
    "002030958030d3e0000bf00008c0000960000000000000000000000000000000\"}\n"
    "{\"id\":7,\"epoch\":2,\"do\":\"cc_engine\",\"who\":\"tester\"}\n"
    "{\"id\":8,\"epoch\":2,\"do\":\"cc_result\",\"entry\":\"0000010000001000800000020000ee700c30500c34f80002fc00023000025800"
    "0000000000000000000000000000000000000000000000000000000000000000\"}\n"
    "{\"id\":9,\"epoch\":2,\"do\":\"post\",\"conn\":\"c1\",\"tag\":2,\"op\":\"push\",\"length\":1}\n",
    "{\"id\":4,\"epoch\":2,\"do\":\"open\",\"upper\":\"verbs\",\"encap\":\"udp\",\"peer_address\":\"127.0.0.1:40000\",\"peer\":{\"cid\":2,\"function\":7,\"req_psn\":0,\"data_psn\":0,\"rsn\":0},\"local\":{\"cid\":2,\"function\":7,\"req_psn\":0,\"data_psn\":0,\"rsn\":0}}\n"
    "{\"id\":5,\"epoch\":2,\"do\":\"pd_create\"}\n"
    "{\"id\":6,\"epoch\":2,\"do\":\"cq_create\",\"depth\":4}\n"
    "{\"id\":7,\"epoch\":2,\"do\":\"mr_reg\",\"pd\":\"pd1\",\"length\":256,\"access\":[\"lw\",\"rw\",\"rr\",\"ra\",\"inv\"]}\n"
    "{\"id\":8,\"epoch\":2,\"do\":\"mr_fill\",\"mr\":\"mr1\",\"length\":64,\"tag\":7}\n"
    "{\"id\":9,\"epoch\":2,\"do\":\"srq_create\",\"pd\":\"pd1\",\"depth\":2}\n"
    "{\"id\":10,\"epoch\":2,\"do\":\"qp_create\",\"type\":\"rc\",\"pd\":\"pd1\",\"send_cq\":\"cq1\",\"recv_cq\":\"cq1\",\"path_mtu\":256,\"qkey\":1}\n"
    "{\"id\":11,\"epoch\":2,\"do\":\"qp_connect\",\"qp\":\"qp1\",\"conn\":\"c2\",\"dest_qpn\":1}\n"
    "{\"id\":12,\"epoch\":2,\"do\":\"cq_arm\",\"cq\":\"cq1\",\"solicited_only\":true}\n"
    "{\"id\":13,\"epoch\":2,\"do\":\"post_recv\",\"qp\":\"qp1\",\"wr_id\":1,\"sgl\":[{\"mr\":\"mr1\",\"offset\":8,\"length\":64}]}\n"
    "{\"id\":14,\"epoch\":2,\"do\":\"post_send\",\"qp\":\"qp1\",\"wr_id\":\"0x2\",\"op\":\"write_imm\",\"sgl\":[{\"mr\":\"mr1\",\"length\":9}],\"remote\":{\"va\":4096,\"rkey\":7},\"imm\":1,\"flags\":[\"signaled\",\"fence\"]}\n"
    "{\"id\":15,\"epoch\":2,\"do\":\"qp_query\",\"qp\":\"qp1\"}\n"
    "{\"id\":16,\"epoch\":2,\"do\":\"mr_word\",\"mr\":\"mr1\",\"offset\":8,\"set\":5}\n"
    "{\"id\":17,\"epoch\":2,\"do\":\"mr_hash\",\"mr\":\"mr1\",\"length\":64}\n"
    "{\"id\":18,\"epoch\":2,\"do\":\"ah_create\",\"pd\":\"pd1\",\"conn\":\"c2\"}\n"
    "{\"id\":19,\"epoch\":2,\"do\":\"close\",\"conn\":\"c2\"}\n"
    "{\"id\":20,\"epoch\":2,\"do\":\"mr_dereg\",\"mr\":\"mr1\"}\n"
    "{\"id\":21,\"epoch\":2,\"do\":\"barrier\"}\n",
};

void seeds_control(struct seeds *seeds)
{
    for (unsigned i = 0; i < 3 * sizeof talks / sizeof *talks && seeds_wanted(seeds); i++) {
        char bytes[4096];
        int n;

        /* in one piece, in three pieces, a byte at a time; at the SUT's end */
        bytes[0] = 0;
        bytes[1] = (char)(i % 3 == 0 ? 255 : i % 3 == 1 ? 200 : 0);
        n = snprintf(bytes + 2, sizeof bytes - 2, "%s%s", commands_before, talks[i / 3]);
        (void)seeds_write(seeds, bytes, 2 + (size_t)n);
    }
}
