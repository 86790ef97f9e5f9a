/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/builtin.h"
#include "harness/sut/link_sim.h"

#include <string.h>

static const char fault_key[] = ":fault=", twin_key[] = ":twin=", random_name[] = "random";

int tl_twins_read(struct tl_twins *twins, const char *text, size_t len, struct fal_error *err)
{
    for (size_t at = 0;; at++) {
        const char *comma = memchr(text + at, ',', len - at);
        size_t n = comma != NULL ? (size_t)(comma - text) - at : len - at;
        int rc = 0;

        if (n == sizeof random_name - 1 && memcmp(text + at, random_name, n) == 0)
            twins->random = true;
        else
            rc = fal_twins_read(&twins->set, text + at, n, err);
        at += n;
        if (rc != 0 || at == len)
            return rc;
    }
}

struct fal_twin_set tl_twins_take(const struct tl_twins *twins, struct fal_rng *rng)
{
    struct fal_twin_set set = twins->set;

    if (twins->random)
        fal_twins_draw(&set, rng);
    return set;
}

static bool begins(const char *text, const char *key)
{
    return strncmp(text, key, strlen(key)) == 0;
}

/* Reads up to the next key, or to the end. */
static size_t list_len(const char *text)
{
    size_t len = 0;

    while (text[len] != 0 && !begins(text + len, fault_key) && !begins(text + len, twin_key))
        len++;
    return len;
}

int tl_builtin_read(struct tl_builtin *builtin, const char *text, struct fal_error *err)
{
    while (*text != 0) {
        bool fault = begins(text, fault_key);
        size_t len;
        int rc;

        if (!fault && !begins(text, twin_key))
            return fal_fail(err, FAL_ERR_FORM,
                            "'%.60s': expected builtin[:fault=NAME,...][:twin=NAME,...]", text);
        text += strlen(fault ? fault_key : twin_key);
        len = list_len(text);
        rc = fault ? fal_faults_read(&builtin->faults, text, len, err)
                   : tl_twins_read(&builtin->twins, text, len, err);
        if (rc != 0)
            return rc;
        text += len;
    }
    return 0;
}
