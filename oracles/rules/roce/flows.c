/* SPDX-License-Identifier: Apache-2.0
 * flows.c - the paths and flows of a capture, by hash tables. Each table has at least twice as
 * many slots as entries. */
#include "oracles/rules/roce/state.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

bool fal_rj_same_host(const struct fal_rj_host *a, const struct fal_rj_host *b)
{
    return a->ip == b->ip && a->v6 == b->v6;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_path(const struct fal_rj_host *src, const struct fal_rj_host *dst)
{
    uint64_t hash = mix(mix(1, fal_u128_hi(src->ip)), fal_u128_lo(src->ip) ^ src->v6);

    return mix(mix(hash, fal_u128_hi(dst->ip)), fal_u128_lo(dst->ip) ^ dst->v6);
}

static uint64_t hash_flow(uint32_t path, uint32_t qp)
{
    return mix(mix(2, path), qp);
}

/* ---- paths ---- */

/* The slot of a path, or the free one where it belongs. */
static size_t path_slot(const struct fal_roce_judge *j, const struct fal_rj_host *src,
                        const struct fal_rj_host *dst)
{
    size_t mask = j->num_path_slots - 1, i = (size_t)hash_path(src, dst) & mask;

    while (j->path_slots[i] != 0) {
        const struct fal_roce_path *p = &j->paths[j->path_slots[i] - 1];

        if (fal_rj_same_host(&p->src, src) && fal_rj_same_host(&p->dst, dst))
            break;
        i = (i + 1) & mask;
    }
    return i;
}

static uint32_t path_find(const struct fal_roce_judge *j, const struct fal_rj_host *src,
                          const struct fal_rj_host *dst)
{
    uint32_t slot = j->num_path_slots > 0 ? j->path_slots[path_slot(j, src, dst)] : 0;

    return slot != 0 ? slot - 1 : FAL_ROCE_NO_FLOW;
}

static bool is_judged(const struct fal_roce_judge *j, const struct fal_rj_host *host)
{
    for (size_t i = 0; i < j->setup.num_suts; i++)
        if (fal_rj_same_host(&j->setup.suts[i], host))
            return true;
    return j->setup.num_suts == 0;
}

static bool grow_paths(struct fal_roce_judge *j)
{
    size_t cap = j->cap_paths > 0 ? 2 * j->cap_paths : FIRST_SLOTS / 2;
    struct fal_roce_path *paths = realloc(j->paths, cap * sizeof *paths);
    uint32_t *slots = calloc(2 * cap, sizeof *slots);

    if (paths != NULL)
        j->paths = paths;
    if (paths == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    j->cap_paths = cap;
    free(j->path_slots);
    j->path_slots = slots;
    j->num_path_slots = 2 * cap;
    for (uint32_t i = 0; i < j->num_paths; i++)
        slots[path_slot(j, &j->paths[i].src, &j->paths[i].dst)] = i + 1;
    return true;
}

static uint32_t path_of(struct fal_roce_judge *j, const struct fal_rj_host *src,
                        const struct fal_rj_host *dst)
{
    uint32_t found = path_find(j, src, dst);
    struct fal_roce_path *path;

    if (found != FAL_ROCE_NO_FLOW)
        return found;
    if (j->num_paths == j->cap_paths && !grow_paths(j)) {
        j->counts.out_of_memory = true;
        return FAL_ROCE_NO_FLOW;
    }
    found = (uint32_t)j->num_paths++;
    path = &j->paths[found];
    *path = (struct fal_roce_path){.src = *src,
                                   .dst = *dst,
                                   .back = path_find(j, dst, src),
                                   .flows = FAL_ROCE_NO_FLOW,
                                   .src_judged = is_judged(j, src),
                                   .dst_judged = is_judged(j, dst)};
    if (path->back != FAL_ROCE_NO_FLOW)
        j->paths[path->back].back = found;
    j->path_slots[path_slot(j, src, dst)] = found + 1;
    return found;
}

/* ---- flows ---- */

static size_t flow_slot(const struct fal_roce_judge *j, uint32_t path, uint32_t qp)
{
    size_t mask = j->num_flow_slots - 1, i = (size_t)hash_flow(path, qp) & mask;

    while (j->flow_slots[i] != 0) {
        const struct fal_roce_flow *f = &j->flows[j->flow_slots[i] - 1];

        if (f->path == path && f->qp == qp)
            break;
        i = (i + 1) & mask;
    }
    return i;
}

uint32_t fal_rj_flow_find(const struct fal_roce_judge *j, const struct fal_rj_host *src,
                          const struct fal_rj_host *dst, uint32_t qp)
{
    uint32_t path = path_find(j, src, dst), slot;

    if (path == FAL_ROCE_NO_FLOW || j->num_flow_slots == 0)
        return FAL_ROCE_NO_FLOW;
    slot = j->flow_slots[flow_slot(j, path, qp)];
    return slot != 0 ? slot - 1 : FAL_ROCE_NO_FLOW;
}

static bool grow_flows(struct fal_roce_judge *j)
{
    size_t cap = j->cap_flows > 0 ? 2 * j->cap_flows : FIRST_SLOTS / 2;
    struct fal_roce_flow *flows = realloc(j->flows, cap * sizeof *flows);
    uint32_t *slots = calloc(2 * cap, sizeof *slots);

    if (flows != NULL)
        j->flows = flows;
    if (flows == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    j->cap_flows = cap;
    free(j->flow_slots);
    j->flow_slots = slots;
    j->num_flow_slots = 2 * cap;
    for (uint32_t i = 0; i < j->num_flows; i++)
        slots[flow_slot(j, j->flows[i].path, j->flows[i].qp)] = i + 1;
    return true;
}

static uint32_t new_flow(struct fal_roce_judge *j, uint32_t path, uint32_t qp)
{
    uint32_t number = (uint32_t)j->num_flows;
    struct fal_roce_path *p = &j->paths[path];

    if (j->num_flows == FAL_ROCE_FLOWS_MAX) {
        j->counts.too_many = true;
        return FAL_ROCE_NO_FLOW;
    }
    if (j->num_flows == j->cap_flows && !grow_flows(j)) {
        j->counts.out_of_memory = true;
        return FAL_ROCE_NO_FLOW;
    }
    j->num_flows++;
    j->flows[number] = (struct fal_roce_flow){.path = path,
                                              .next = p->flows,
                                              .qp = qp,
                                              .twin = FAL_ROCE_NO_FLOW,
                                              .candidate = FAL_ROCE_NO_FLOW,
                                              .marks.next_due = FAL_ROCE_NO_FLOW};
    p->flows = number;
    p->num_flows++;
    j->flow_slots[flow_slot(j, path, qp)] = number + 1;
    fal_rj_pair_given(j, number);
    return number;
}

uint32_t fal_rj_flow_of(struct fal_roce_judge *j, const struct fal_roce_seen *seen)
{
    const struct fal_rj_host src = {seen->src, seen->v6}, dst = {seen->dst, seen->v6};
    uint32_t path, slot;

    /* A new path without a flow would have no limit. */
    if (j->num_flows == FAL_ROCE_FLOWS_MAX && path_find(j, &src, &dst) == FAL_ROCE_NO_FLOW) {
        j->counts.too_many = true;
        return FAL_ROCE_NO_FLOW;
    }
    path = path_of(j, &src, &dst);
    if (path == FAL_ROCE_NO_FLOW)
        return FAL_ROCE_NO_FLOW;
    slot = j->num_flow_slots > 0 ? j->flow_slots[flow_slot(j, path, seen->dest_qp)] : 0;
    return slot != 0 ? slot - 1 : new_flow(j, path, seen->dest_qp);
}

struct fal_roce_sends *fal_rj_sends_of(struct fal_roce_judge *j, uint32_t flow)
{
    struct fal_roce_flow *f = &j->flows[flow];

    if (f->sends == NULL) {
        f->sends = calloc(1, sizeof *f->sends);
        j->counts.out_of_memory |= f->sends == NULL;
    }
    return f->sends;
}
