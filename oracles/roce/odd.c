/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/roce/odd.h"

#include "codecs/base/nearest.h"

#include <string.h>

#define FAULT_ROW(id, name, who, rule, text) {name, who, rule, text},
#define VARIANT_ROW(id, name, text)          {name, text},

static const struct fal_roce_fault_row faults[] = {FAL_ROCE_FAULTS(FAULT_ROW)};
static const struct fal_roce_variant_row variants[] = {FAL_ROCE_VARIANTS(VARIANT_ROW)};

const struct fal_roce_fault_row *fal_roce_faults(size_t *n)
{
    *n = FAL_ROCE_FAULT_COUNT;
    return faults;
}

const struct fal_roce_variant_row *fal_roce_variants(size_t *n)
{
    *n = FAL_ROCE_VARIANT_COUNT;
    return variants;
}

static bool same(const char *row, const char *name, size_t len)
{
    return strlen(row) == len && memcmp(row, name, len) == 0;
}

int fal_roce_odd_add(struct fal_roce_odd *odd, bool fault, const char *name, size_t len,
                     struct fal_error *err)
{
    size_t n = fault ? FAL_ROCE_FAULT_COUNT : FAL_ROCE_VARIANT_COUNT;
    const char *known[FAL_ROCE_FAULT_COUNT];
    char word[48] = "";

    for (size_t i = 0; i < n; i++) {
        known[i] = fault ? faults[i].name : variants[i].name;
        if (!same(known[i], name, len))
            continue;
        if (fault)
            odd->faults |= UINT64_C(1) << i;
        else
            odd->variants |= UINT64_C(1) << i;
        return 0;
    }
    memcpy(word, name, len < sizeof word - 1 ? len : sizeof word - 1);
    return fal_fail(err, FAL_ERR_FORM, "the RoCE player has no %s '%s'%s",
                    fault ? "fault" : "variant", word,
                    fal_hint(fal_nearest(word, known, n), "").text);
}
