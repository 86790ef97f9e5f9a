/* SPDX-License-Identifier: Apache-2.0
 * seeds_events.c - first inputs of fuzz_events: a setup with lines of each point, and random
 * events. */
#include "fuzz/seeds/seeds.h"

#include "oracles/rng.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 512 };

static const char text[] =
    "\1{\"classes\":[0,1,1,2,3,0,4],\"th1\":[1,1,1,1,1,1,0],\"th2\":[4,4,4,4,4,4,0],"
    "\"round_robin\":true,\"pipeline_ns\":8,\"default_rate_bps\":800}\n"
    "{\"at_ns\":1,\"point\":\"source\",\"flow\":7,\"kind\":\"TX\",\"seq\":1,\"bytes\":9}\n"
    "{\"at_ns\":1,\"point\":\"fifo\",\"act\":\"in\",\"flow\":7,\"seq\":1,\"bytes\":9}\n"
    "{\"at_ns\":2,\"point\":\"fifo\",\"act\":\"out\",\"flow\":7,\"seq\":1,\"bytes\":9}\n"
    "{\"at_ns\":2,\"point\":\"map\",\"act\":\"write\",\"flow\":7,\"slice\":1}\n"
    "{\"at_ns\":2,\"point\":\"merge\",\"flow\":7,\"slice\":1,\"seq\":1,\"count\":1}\n"
    "{\"at_ns\":2,\"point\":\"slice\",\"slice\":1,\"from\":\"idle\",\"to\":\"arb\"}\n"
    "{\"at_ns\":3,\"point\":\"ccp\",\"act\":\"start\",\"flow\":7,\"slice\":1,\"processor\":1,"
    "\"seq\":1,\"last_seq\":1,\"bytes\":9,\"count\":1}\n"
    "{\"at_ns\":3,\"point\":\"context\",\"act\":\"new\",\"flow\":7,\"digest\":\"0x1\"}\n"
    "{\"at_ns\":4,\"point\":\"rate\",\"flow\":7,\"processor\":1,\"rate_bps\":800,"
    "\"rtt_request\":true}\n"
    "{\"at_ns\":4,\"point\":\"ccp\",\"act\":\"end\",\"processor\":1}\n"
    "{\"at_ns\":5,\"point\":\"wire\",\"flow\":7,\"bytes\":9}\n"
    "{\"at_ns\":6,\"point\":\"source\",\"flow\":7,\"kind\":\"RTT\",\"t1_ns\":1,\"t2_ns\":2,"
    "\"t3_ns\":3,\"t4_ns\":6}\n"
    "{\"at_ns\":6,\"point\":\"wred\",\"act\":\"drop\",\"flow\":7,\"kind\":\"RTT\","
    "\"queue\":\"rx\",\"occupancy\":3}\n"
    "{\"at_ns\":7,\"point\":\"table\",\"act\":\"write\",\"kind\":\"RTT\",\"class\":4}\n";

void seeds_events(struct seeds *seeds)
{
    struct fal_rng rng = {seeds->seed};

    (void)seeds_write(seeds, text, sizeof text - 1);
    for (unsigned i = 0; i < 24 && seeds_wanted(seeds); i++) {
        uint8_t bytes[ROOM];

        for (size_t n = 0; n < sizeof bytes; n++)
            bytes[n] = (uint8_t)fal_rng_next(&rng);
        bytes[0] = 0;
        (void)seeds_write(seeds, bytes, 32 + i * 20);
    }
}
