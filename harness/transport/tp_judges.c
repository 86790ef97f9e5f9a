/* SPDX-License-Identifier: Apache-2.0
 * tp_judges.c - see tp_judges.h. */
#include "harness/transport/tp_judges.h"

#include <stdlib.h>
#include <string.h>

/* A flow with a transport of its own. */
struct own {
    uint32_t flow;
    struct fal_tp_judge *judge;
};

struct tl_tp_judges {
    struct fal_tp_view view;
    struct fal_tp_judge *common; /* NULL: nothing is declared */
    struct own *own;
    size_t num_own, room;
    size_t last; /* the one found last: events of a flow come together */
    struct fal_tally_row rows[FAL_K_RULES];
    struct fal_tally tally;
};

struct tl_tp_judges *tl_tp_judges_new(const struct fal_tp_row *row,
                                      const struct fal_tp_view *view)
{
    struct tl_tp_judges *j = calloc(1, sizeof *j);

    if (j == NULL)
        return NULL;
    j->view = *view;
    j->tally.rules = fal_k_rules(&j->tally.num_rules);
    j->tally.rows = j->rows;
    if (row != NULL) {
        j->common = fal_tp_judge_new(row, view, &j->tally);
        if (j->common == NULL) {
            free(j);
            return NULL;
        }
    }
    return j;
}

void tl_tp_judges_free(struct tl_tp_judges *j)
{
    if (j == NULL)
        return;
    for (size_t i = 0; i < j->num_own; i++)
        fal_tp_judge_free(j->own[i].judge);
    free(j->own);
    fal_tp_judge_free(j->common);
    free(j);
}

static struct own *find(struct tl_tp_judges *j, uint32_t flow)
{
    if (j->last < j->num_own && j->own[j->last].flow == flow)
        return &j->own[j->last];
    for (size_t i = 0; i < j->num_own; i++)
        if (j->own[i].flow == flow) {
            j->last = i;
            return &j->own[i];
        }
    return NULL;
}

static void over(struct tl_tp_judges *j, struct own *own, uint64_t at_ns)
{
    fal_tp_judge_end(own->judge, at_ns);
    fal_tp_judge_free(own->judge);
    *own = j->own[--j->num_own];
}

int tl_tp_judges_over(struct tl_tp_judges *j, uint32_t flow, uint64_t at_ns)
{
    struct own *own = find(j, flow);

    if (own != NULL)
        over(j, own, at_ns);
    else if (j->common != NULL)
        fal_tp_judge_end_flow(j->common, flow, at_ns);
    return own != NULL || j->common != NULL ? 0 : FAL_ERR_FORM;
}

int tl_tp_judges_row(struct tl_tp_judges *j, uint32_t flow, const struct fal_tp_row *row)
{
    struct own *more, *before = find(j, flow);

    if (before != NULL)
        over(j, before, 0);
    if (j->num_own == j->room) {
        const size_t room = j->room > 0 ? j->room * 2 : 16;

        more = realloc(j->own, room * sizeof *more);
        if (more == NULL)
            return FAL_ERR_MEM;
        j->own = more;
        j->room = room;
    }
    j->own[j->num_own].flow = flow;
    j->own[j->num_own].judge = fal_tp_judge_new(row, &j->view, &j->tally);
    if (j->own[j->num_own].judge == NULL)
        return FAL_ERR_MEM;
    j->last = j->num_own++;
    return 0;
}

int tl_tp_judges_event(struct tl_tp_judges *j, const struct fal_tp_event *event)
{
    const struct own *own = find(j, event->flow);

    if (own != NULL)
        return fal_tp_judge_event(own->judge, event);
    return j->common != NULL ? fal_tp_judge_event(j->common, event) : FAL_ERR_FORM;
}

const struct fal_tally *tl_tp_judges_end(struct tl_tp_judges *j)
{
    while (j->num_own > 0)
        over(j, &j->own[j->num_own - 1], 0);
    if (j->common != NULL)
        fal_tp_judge_end(j->common, 0);
    return &j->tally;
}
