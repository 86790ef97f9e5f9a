/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/sut/limits.h"

#include <stdio.h>
#include <string.h>

enum { ITEM_MAX = 64 };

bool tl_limits_allow(const struct tl_limits *limits, enum tl_do verb)
{
    if (limits->without >> verb & 1)
        return false;
    /* A barrier belongs to L3, and to L2v and L2n. */
    return tl_protocol_level(verb) <= tl_limits_level(limits) ||
           (verb == TL_DO_BARRIER && (tl_limits_allow(limits, TL_DO_POST_SEND) ||
                                      tl_limits_allow(limits, TL_DO_NVME_POST)));
}

bool tl_limits_report(const struct tl_limits *limits, enum fal_event_kind kind,
                      enum fal_ulp_kind ulp)
{
    return tl_protocol_event_level(kind, ulp) <= tl_limits_level(limits);
}

unsigned tl_limits_level(const struct tl_limits *limits)
{
    return limits->has_level ? limits->level : TL_LEVEL_MAX;
}

int tl_limits_offer(struct tl_limits *limits, const char *text, size_t len,
                    struct fal_error *err)
{
    char level[ITEM_MAX];

    (void)snprintf(level, sizeof level, "%.*s", (int)len, text);
    if (!tl_protocol_level_read(level, &limits->level))
        return fal_fail(err, FAL_ERR_FORM, "no level '%.40s'; expected L0, L1, L2 or L3",
                        level);
    limits->has_level = true;
    return 0;
}

typedef int add_fn(struct tl_limits *limits, const char *item, struct fal_error *err);

/* Calls `add` for each item of a list with commas. */
static int each(struct tl_limits *limits, const char *text, size_t len, add_fn *add,
                struct fal_error *err)
{
    for (;;) {
        const char *comma = memchr(text, ',', len);
        size_t n = comma != NULL ? (size_t)(comma - text) : len;
        char item[ITEM_MAX];
        int rc;

        (void)snprintf(item, sizeof item, "%.*s", (int)n, text);
        rc = add(limits, item, err);
        if (rc != 0 || comma == NULL)
            return rc;
        text += n + 1;
        len -= n + 1;
    }
}

static int add_without(struct tl_limits *limits, const char *item, struct fal_error *err)
{
    enum tl_do verb;

    if (strcmp(item, "local") == 0) {
        limits->own_numbers = true;
        return 0;
    }
    if (!tl_protocol_verb_find(item, &verb) || verb == TL_DO_HELLO)
        return fal_fail(err, FAL_ERR_FORM,
                        "'%.40s'; expected a command of docs/sut-protocol.md other than hello, "
                        "or local",
                        item);
    limits->without |= UINT64_C(1) << verb;
    return 0;
}

static int add_fixed(struct tl_limits *limits, const char *item, struct fal_error *err)
{
    return tl_given_params_add(&limits->fixed, item, err);
}

int tl_limits_without(struct tl_limits *limits, const char *text, size_t len,
                      struct fal_error *err)
{
    return each(limits, text, len, add_without, err);
}

int tl_limits_fixed(struct tl_limits *limits, const char *text, size_t len,
                    struct fal_error *err)
{
    return each(limits, text, len, add_fixed, err);
}
