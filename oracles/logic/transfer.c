/* SPDX-License-Identifier: Apache-2.0
 * transfer.c - see transfer.h. */
#include "oracles/logic/transfer.h"

#include "codecs/base/error.h"
#include "oracles/rng.h"

static const uint64_t end_ns = UINT64_C(100000000000), wait_ns = 5000, most = 2000000;

enum { PART = 77, WORST_PPM = 50001, SEGMENTS = 400 };

/* Half of the transfers have none of it. */
static uint32_t some(struct fal_rng *rng)
{
    return fal_rng_below(rng, 2) == 0 ? 0 : (uint32_t)fal_rng_below(rng, WORST_PPM);
}

void fal_logic_transfer_random(struct fal_logic_transfer *t)
{
    struct fal_rng rng = fal_rng_split(t->seed, PART);
    uint32_t size = t->setup.flow.segment_bytes;

    /* One after another: in an initialiser each compiler would choose its own order. */
    t->net = (struct fal_logic_net){0};
    t->net.loss_ppm = some(&rng);
    t->net.dup_ppm = some(&rng);
    t->net.reorder_ppm = some(&rng);
    t->net.mark_ppm = some(&rng);
    t->net.trim_ppm = some(&rng);
    t->net.reply_loss_ppm = some(&rng);
    t->net.delay_ns = 500 + fal_rng_below(&rng, 10000);
    t->net.jitter_ns = fal_rng_below(&rng, 20000);
    if (!t->setup.trims)
        t->net.trim_ppm = 0;
    t->bytes = 1 + fal_rng_below(&rng, (uint64_t)SEGMENTS * size);
    t->stream = fal_rng_below(&rng, 2) == 0;
}

int fal_logic_transfer_run(const struct fal_logic_transfer *t, struct fal_logic_outcome *out)
{
    const struct fal_logic_bench_config config = {.logic = t->setup.logic,
                                                  .flow = t->setup.flow,
                                                  .receiver = t->setup.receiver,
                                                  .net = t->net,
                                                  .fault = t->fault,
                                                  .flows = 1,
                                                  .bytes = t->bytes,
                                                  .stream = t->stream,
                                                  .wait_ns = wait_ns,
                                                  .seed = t->seed,
                                                  .end_ns = end_ns,
                                                  .most = most,
                                                  .sink = t->sink,
                                                  .stop = t->stop};
    struct fal_logic_bench *bench = fal_logic_bench_new(&config);
    int rc;

    if (bench == NULL)
        return FAL_ERR_MEM;
    rc = fal_logic_bench_run(bench);
    out->count = *fal_logic_bench_count(bench, 0);
    out->end_ns = fal_logic_bench_now(bench);
    fal_logic_bench_free(bench);
    return rc;
}
