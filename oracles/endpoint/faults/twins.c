/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/twins.h"

#include "codecs/base/nearest.h"

#include <string.h>

#define ROW(id, name, section, requirements, reading, doc) \
    {name, section, requirements, reading, doc},

static const struct fal_twin table[] = {FAL_TWINS(ROW)};

enum { WORD_MAX = 64, UPPER_PART = 21 };

_Static_assert(FAL_TWIN_COUNT <= 128, "fal_twin_set has 128 bits");

const struct fal_twin *fal_twins(size_t *n)
{
    *n = FAL_TWIN_COUNT;
    return table;
}

int fal_twin_find(const char *name)
{
    for (int i = 0; i < FAL_TWIN_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

void fal_twin_add(struct fal_twin_set *set, enum fal_twin_id id)
{
    set->bits[id / 64] |= UINT64_C(1) << (id % 64);
}

void fal_twins_draw(struct fal_twin_set *set, struct fal_rng *rng)
{
    /* Few and many at once, so that each meets its like and its opposite. */
    static const uint8_t percents[] = {0, 10, 25, 60};
    uint64_t percent = percents[fal_rng_below(rng, sizeof percents)];
    struct fal_rng upper;

    for (int i = 0; i < FAL_TWIN_ULP_FIRST; i++)
        if (fal_rng_below(rng, 100) < percent)
            fal_twin_add(set, (enum fal_twin_id)i);
    /* Those of the upper layer have dice of their own, so that the others stay as they were. */
    upper = fal_rng_split(rng->state, UPPER_PART);
    for (int i = FAL_TWIN_ULP_FIRST; i < FAL_TWIN_COUNT; i++)
        if (fal_rng_below(&upper, 100) < percent)
            fal_twin_add(set, (enum fal_twin_id)i);
}

static int read_one(struct fal_twin_set *set, const char *name, struct fal_error *err)
{
    const char *names[FAL_TWIN_COUNT], *near;
    int id = fal_twin_find(name);

    if (id >= 0) {
        fal_twin_add(set, (enum fal_twin_id)id);
        return 0;
    }
    for (size_t i = 0; i < FAL_TWIN_COUNT; i++)
        names[i] = table[i].name;
    near = fal_nearest(name, names, FAL_TWIN_COUNT);
    if (near != NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "no twin '%s'; did you mean '%s'? (talon list twins)", name, near);
    return fal_fail(err, FAL_ERR_FORM, "no twin '%s' (talon list twins)", name);
}

int fal_twins_read(struct fal_twin_set *set, const char *text, size_t len,
                   struct fal_error *err)
{
    for (size_t at = 0;; at++) {
        const char *comma = memchr(text + at, ',', len - at);
        size_t n = comma != NULL ? (size_t)(comma - text) - at : len - at;
        char name[WORD_MAX];
        int rc;

        memcpy(name, text + at, n < WORD_MAX ? n : WORD_MAX - 1);
        name[n < WORD_MAX ? n : WORD_MAX - 1] =
            0; /* one that is cut is no name that there is */
        rc = read_one(set, name, err);
        at += n;
        if (rc != 0 || at == len)
            return rc;
    }
}
