/* SPDX-License-Identifier: Apache-2.0
 * odd.h - which faults and variants a player of RoCEv2 has (roce_list.h). */
#ifndef FAL_ORACLES_ROCE_ODD_H
#define FAL_ORACLES_ROCE_ODD_H

#include "codecs/base/error.h"
#include "oracles/roce/roce_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fal_roce_odd {
    uint64_t faults, variants; /* one bit each */
};

struct fal_roce_fault_row {
    const char *name, *who, *rule, *text;
};
struct fal_roce_variant_row {
    const char *name, *text;
};
const struct fal_roce_fault_row *fal_roce_faults(size_t *n);
const struct fal_roce_variant_row *fal_roce_variants(size_t *n);

static inline bool fal_roce_bad(const struct fal_roce_odd *odd, enum fal_roce_fault fault)
{
    return (odd->faults >> fault & 1) != 0;
}
static inline bool fal_roce_does(const struct fal_roce_odd *odd, enum fal_roce_variant variant)
{
    return (odd->variants >> variant & 1) != 0;
}

/* Adds the fault or the variant of that name, `len` bytes. Returns 0, or FAL_ERR_FORM with
 * `err`, which names the nearest. */
MUST_USE int fal_roce_odd_add(struct fal_roce_odd *odd, bool fault, const char *name,
                              size_t len, struct fal_error *err);

#endif
