/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/lab/lab_foreign.h"

#include "harness/lab/lab_sut.h"
#include "oracles/lab/experiment.h"

#include <stdlib.h>
#include <string.h>

static int read_where(const char *text, struct fal_error *err)
{
    if ((strncmp(text, "lib:", 4) == 0 && text[4] != 0) ||
        (strncmp(text, "exec:", 5) == 0 && text[5] != 0))
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "expected lib:FILE or exec:COMMAND, found '%.60s'; other SUTs have no "
                    "virtual time",
                    text);
}

int tl_lab_foreign_all(struct tl_lab_foreign *foreign, const char *text, struct fal_error *err)
{
    foreign->all = text;
    return read_where(text, err);
}

int tl_lab_foreign_add(struct tl_lab_foreign *foreign, const char *text, struct fal_error *err)
{
    char *end;
    unsigned long flow = strtoul(text, &end, 10);

    if (text[0] < '1' || text[0] > '9' || *end != '=' || flow > FAL_LAB_FLOWS_MAX)
        return fal_fail(err, FAL_ERR_FORM,
                        "expected N=lib:FILE or N=exec:COMMAND, N from 1 on, found '%.60s'",
                        text);
    if (foreign->count == TL_LAB_FOREIGN_MAX)
        return fal_fail(err, FAL_ERR_FORM, "at most %d flows can be foreign",
                        TL_LAB_FOREIGN_MAX);
    foreign->list[foreign->count].flow = (uint32_t)flow;
    foreign->list[foreign->count].where = end + 1;
    foreign->count++;
    return read_where(end + 1, err);
}

bool tl_lab_foreign_any(const struct tl_lab_foreign *foreign)
{
    return foreign->all != NULL || foreign->count > 0;
}

uint32_t tl_lab_foreign_least(const struct tl_lab_foreign *foreign)
{
    uint32_t least = 0;

    for (size_t i = 0; i < foreign->count; i++)
        if (foreign->list[i].flow > least)
            least = foreign->list[i].flow;
    return least;
}

/* Where the SUT of a flow is, which is counted from 0; NULL: the flow is built in. */
static const char *where_of(const struct tl_lab_foreign *foreign, uint32_t flow)
{
    for (size_t i = 0; i < foreign->count; i++)
        if (foreign->list[i].flow == flow + 1)
            return foreign->list[i].where;
    return foreign->all;
}

uint32_t tl_lab_foreign_count(const struct tl_lab_foreign *foreign, uint32_t flows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < flows; i++)
        n += where_of(foreign, i) != NULL;
    return n;
}

/* ---- the functions of the lab ---- */

static bool serves(void *ctx, uint32_t flow)
{
    return where_of(ctx, flow) != NULL;
}

static void *open_sut(void *ctx, uint32_t flow, const struct fal_lab_foreign_order *order,
                      struct fal_lab_foreign_opened *opened)
{
    struct tl_lab_foreign *foreign = ctx;

    return tl_lab_sut_open(&(struct tl_lab_sut_config){flow + 1, where_of(foreign, flow),
                                                       foreign->answer_s, order, &foreign->err},
                           opened);
}

static void close_sut(void *end)
{
    tl_lab_sut_close(end);
}

static int packet(void *end, const uint8_t *bytes, size_t len, const struct fal_seal *seal,
                  uint64_t now_ns)
{
    return tl_lab_sut_packet(end, bytes, len, seal, now_ns);
}

static int post(void *end, uint32_t length, uint64_t now_ns)
{
    return tl_lab_sut_post(end, length, now_ns);
}

static int tick(void *end, uint64_t now_ns)
{
    return tl_lab_sut_tick(end, now_ns);
}

static uint64_t deadline(void *end)
{
    return tl_lab_sut_deadline(end);
}

static int next(void *end, struct fal_lab_foreign_out *out)
{
    return tl_lab_sut_next(end, out);
}

const struct fal_lab_foreign *tl_lab_foreign_ops(struct tl_lab_foreign *foreign)
{
    foreign->ops = (struct fal_lab_foreign){foreign, serves, open_sut, close_sut, packet,
                                            post,    tick,   deadline, next};
    return &foreign->ops;
}
