/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_transport.h"

#include "harness/transport/tp_capture.h"
#include "harness/transport/tp_judges.h"
#include "oracles/rules/transport/k_rows.h"

#include <string.h>

/* The rules of an engine in hardware are not about captures. */
enum { RULES = FAL_K10 + 1 };

static int take(void *ctx, const struct fal_tp_event *event)
{
    return tl_tp_judges_event(ctx, event);
}

/* Judges at one vantage, and takes the rows of the rules about `actor`; NULL: all rows. */
static int judge_at(const char *path, const struct tl_roce_command *c,
                    enum fal_tp_vantage vantage, const char *actor,
                    struct tl_roce_transport *out, struct fal_error *err)
{
    const struct fal_rj_setup *s = &c->setup;
    struct fal_tp_row row = *fal_k_row_of("roce");
    const struct fal_tp_view view = {
        .vantage = vantage, .complete = s->complete, .pipeline_ns = s->pipeline_ns};
    struct tl_tp_judges *judges;
    struct tl_tp_capture how = {.vantage = vantage,
                                .event = take,
                                .roce = true,
                                .from_start = s->from_start,
                                .pairs = s->pairs,
                                .num_pairs = s->num_pairs};
    int rc;

    row.rto_min_ns = s->timeout_ns;
    judges = tl_tp_judges_new(&row, &view);
    if (judges == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (vantage != FAL_TP_MIDDLE)
        how.sut_host = &s->suts[0].ip;
    how.ctx = judges;
    rc = tl_tp_capture_read(path, &how, &out->left_out, err);
    if (rc == 0) {
        const struct fal_tally *tally = tl_tp_judges_end(judges);

        for (size_t i = 0; i < RULES; i++)
            if (actor == NULL || strcmp(tally->rules[i].actor, actor) == 0)
                out->rows[i] = tally->rows[i];
    }
    tl_tp_judges_free(judges);
    return rc;
}

int tl_roce_transport(const char *path, const struct tl_roce_command *c,
                      struct tl_roce_transport *out, struct fal_error *err)
{
    size_t n;
    int rc;

    memset(out, 0, sizeof *out);
    out->tally = (struct fal_tally){fal_k_rules(&n), out->rows, RULES};
    fal_tally_clear(&out->tally);
    if (c->setup.vantage != FAL_ROCE_AT_SUT)
        return judge_at(path, c, FAL_TP_MIDDLE, NULL, out, err);
    rc = judge_at(path, c, FAL_TP_SENDER, "sender", out, err);
    return rc != 0 ? rc : judge_at(path, c, FAL_TP_RECEIVER, "receiver", out, err);
}
