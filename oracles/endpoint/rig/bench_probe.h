/* SPDX-License-Identifier: Apache-2.0
 * bench_probe.h - for the tests of this folder: faults and twins in a table, each with a probe
 * that opens an endpoint, does what is needed, and says whether it saw the deviation. */
#ifndef FAL_ORACLES_ENDPOINT_RIG_BENCH_PROBE_H
#define FAL_ORACLES_ENDPOINT_RIG_BENCH_PROBE_H

#include "oracles/endpoint/rig/bench_sealed.h"

typedef bool probe(struct solo *s);

struct fault_probe {
    enum fal_fault_id fault;
    probe *seen;
};

struct twin_probe {
    enum fal_twin_id twin;
    probe *seen;
};

/* It is seen where it is on, and nowhere else. */
static inline void probe_fault(const struct fault_probe *row)
{
    size_t n;
    const char *name = fal_faults(&n)[row->fault].name;
    struct solo *s = sealed_new();

    ck_assert_msg(!row->seen(s), "%s: seen without it", name);
    ck_assert_uint_eq(fal_endpoint_fault_acts(s->ep, row->fault), 0);
    solo_free(s);
    s = sealed_new();
    solo_fault(s, row->fault);
    ck_assert_msg(row->seen(s), "%s: not seen", name);
    ck_assert_msg(fal_endpoint_fault_acts(s->ep, row->fault) > 0, "%s: no act", name);
    solo_free(s);
}

static inline void probe_twin(const struct twin_probe *row)
{
    size_t n;
    const char *name = fal_twins(&n)[row->twin].name;
    struct solo *s = sealed_new();

    ck_assert_msg(!row->seen(s), "%s: seen without it", name);
    solo_free(s);
    s = sealed_new();
    fal_twin_add(&s->open.twins, row->twin);
    ck_assert_msg(row->seen(s), "%s: not seen", name);
    solo_free(s);
}

/* Every fault from first to last has a row. */
static inline void probe_all(const struct fault_probe *rows, size_t n, int first, int last)
{
    for (int fault = first; fault <= last; fault++) {
        size_t i = 0;

        while (i < n && (int)rows[i].fault != fault)
            i++;
        ck_assert_msg(i < n, "fault %d has no probe", fault);
    }
}

#endif
