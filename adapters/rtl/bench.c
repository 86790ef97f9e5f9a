/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

struct ep_bench {
    struct ep_network *network;
    struct ep_processors *processors;
    struct ep_firmware *firmware;
};

uint64_t ep_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dU;
}

uint32_t ep_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)((ep_random(state) >> 32) * limit >> 32);
}

struct ep_bench *ep_bench_new(const struct fal_ep_setup *setup,
                              const struct ep_options *options)
{
    struct ep_bench *bench = calloc(1, sizeof *bench);
    uint64_t seeds = options->seed * 2 + 1;

    if (bench == NULL)
        return NULL;
    bench->network = ep_network_new(setup, options->flows, ep_random(&seeds));
    bench->processors = ep_processors_new(setup, options->flows, ep_random(&seeds));
    bench->firmware = ep_firmware_new(options->flows, ep_random(&seeds));
    if (bench->network == NULL || bench->processors == NULL || bench->firmware == NULL) {
        ep_bench_free(bench);
        return NULL;
    }
    return bench;
}

void ep_bench_free(struct ep_bench *bench)
{
    if (bench == NULL)
        return;
    ep_network_free(bench->network);
    ep_processors_free(bench->processors);
    ep_firmware_free(bench->firmware);
    free(bench);
}

void ep_bench_inputs(struct ep_bench *bench, uint64_t now_ns, bool quiet, struct ep_in *in)
{
    memset(in, 0, sizeof *in);
    ep_network_inputs(bench->network, now_ns, quiet, in);
    ep_processors_inputs(bench->processors, now_ns, in);
    ep_firmware_inputs(bench->firmware, quiet, in);
}

bool ep_bench_waits(const struct ep_bench *bench)
{
    return ep_network_waits(bench->network) || ep_firmware_waits(bench->firmware);
}

void ep_bench_outputs(struct ep_bench *bench, const struct ep_in *in, const struct ep_out *out)
{
    ep_network_outputs(bench->network, in, out);
    ep_processors_outputs(bench->processors, in, out);
    ep_firmware_outputs(bench->firmware, in, out);
}
