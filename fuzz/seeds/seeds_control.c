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
