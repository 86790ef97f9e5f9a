/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/cc/reading.h"

#include "codecs/base/nearest.h"

#include <string.h>

#define ROW(id, name, of, doc) {name, of, doc},

static const struct fal_cc_reading_row table[] = {FAL_CC_READINGS(ROW)};

_Static_assert(FAL_CC_READING_COUNT <= 32, "fal_cc_reading_set has 32 bits");

const struct fal_cc_reading_row *fal_cc_readings(size_t *n)
{
    *n = FAL_CC_READING_COUNT;
    return table;
}

/* Names that are longer are cut, and then are no name that there is. */
enum { NAME_MAX_LEN = 64 };

static int add(fal_cc_reading_set *set, const char *name, struct fal_error *err)
{
    const char *names[FAL_CC_READING_COUNT], *near;

    if (strcmp(name, "swift-isekai") == 0) {
        *set |= FAL_CC_ISEKAI;
        return 0;
    }
    for (unsigned i = 0; i < FAL_CC_READING_COUNT; i++) {
        names[i] = table[i].name;
        if (strcmp(name, names[i]) == 0) {
            *set |= 1U << i;
            return 0;
        }
    }
    near = fal_nearest(name, names, FAL_CC_READING_COUNT);
    return fal_fail(err, FAL_ERR_FORM, "no reading '%s'%s%s%s (talon help swift lists them)",
                    name, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
}

int fal_cc_readings_read(fal_cc_reading_set *set, const char *text, size_t len,
                         struct fal_error *err)
{
    for (size_t at = 0;; at++) {
        const char *comma = memchr(text + at, ',', len - at);
        size_t n = comma != NULL ? (size_t)(comma - text) - at : len - at;
        size_t kept = n < NAME_MAX_LEN - 1 ? n : NAME_MAX_LEN - 1;
        char name[NAME_MAX_LEN];
        int rc;

        memcpy(name, text + at, kept);
        name[kept] = 0;
        rc = add(set, name, err);
        at += n;
        if (rc != 0 || at == len)
            return rc;
    }
}
