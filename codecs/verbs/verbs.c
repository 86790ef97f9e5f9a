/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/verbs/verbs.h"

#include <string.h>

const char *const fal_verbs_names[FAL_VERBS_KINDS] = {
    [FAL_VERBS_PD_CREATE] = "pd_create",   [FAL_VERBS_CQ_CREATE] = "cq_create",
    [FAL_VERBS_SRQ_CREATE] = "srq_create", [FAL_VERBS_MR_REG] = "mr_reg",
    [FAL_VERBS_MR_DEREG] = "mr_dereg",     [FAL_VERBS_MR_FILL] = "mr_fill",
    [FAL_VERBS_MR_HASH] = "mr_hash",       [FAL_VERBS_MR_WORD] = "mr_word",
    [FAL_VERBS_QP_CREATE] = "qp_create",   [FAL_VERBS_QP_CONNECT] = "qp_connect",
    [FAL_VERBS_AH_CREATE] = "ah_create",   [FAL_VERBS_QP_QUERY] = "qp_query",
    [FAL_VERBS_POST_SEND] = "post_send",   [FAL_VERBS_POST_RECV] = "post_recv",
    [FAL_VERBS_CQ_ARM] = "cq_arm",         [FAL_VERBS_WC] = "wc",
    [FAL_VERBS_CQ_EVENT] = "cq_event",     [FAL_VERBS_ASYNC] = "async",
};

enum fal_verbs_kind fal_verbs_kind_of(const char *name)
{
    int kind = 0;

    while (kind < FAL_VERBS_KINDS && strcmp(name, fal_verbs_names[kind]) != 0)
        kind++;
    return (enum fal_verbs_kind)kind;
}

static const struct fal_shape *shape_of(enum fal_verbs_kind kind, bool reply)
{
    return reply ? &fal_verbs_replies[kind] : &fal_verbs_shapes[kind];
}

int fal_verbs_read(enum fal_verbs_kind kind, bool reply, const json_t *object,
                   struct fal_verbs *out, struct fal_error *err)
{
    struct fal_misfit wrong;
    int rc;

    if (kind >= FAL_VERBS_KINDS || (reply && kind >= FAL_VERBS_COMMANDS))
        return fal_fail(err, FAL_ERR_FORM, "expected a word of the verbs");
    *out = (struct fal_verbs){.kind = kind};
    rc = fal_shape_read(shape_of(kind, reply), object, out, false, &wrong);
    if (rc != 0)
        return fal_misfit_error(&wrong, rc, fal_verbs_names[kind], err);
    out->kind = kind;
    return 0;
}

json_t *fal_verbs_write(const struct fal_verbs *verbs, bool reply)
{
    return fal_shape_write(shape_of(verbs->kind, reply), verbs);
}

uint64_t fal_verbs_length(const struct fal_verbs *post)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < post->num_sge; i++)
        sum += post->sgl[i].length;
    return sum;
}
