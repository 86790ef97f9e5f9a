/* SPDX-License-Identifier: Apache-2.0
 * host_check.h - finds settings of this host that would distort a test at an interface:
 * offloads that merge, split or repair frames, delayed time stamps, a kernel that answers by
 * itself. One table of findings; each says why it matters and which command corrects it. */
#ifndef TL_HARNESS_SITE_HOST_CHECK_H
#define TL_HARNESS_SITE_HOST_CHECK_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/site/host_iface.h"

#include <jansson.h>

#define TL_HOST_CHECK_SCHEMA "talon/host-check/1"
#define TL_HOST_STATE_SCHEMA "talon/host-state/1"

enum tl_host_weight {
    TL_HOST_FALSIFIES, /* a verdict may be wrong */
    TL_HOST_LIMITS,    /* some tests cannot be run, or times are less exact */
    TL_HOST_NOTE,      /* for information */
};

enum { TL_HOST_FINDINGS_MAX = 64, TL_HOST_WORDS = 200 };

struct tl_host_finding {
    const char *id; /* a stable name */
    enum tl_host_weight weight;
    bool ok, fixable;                      /* fixable: by --fix */
    const struct tl_host_setting *setting; /* NULL: it has no single setting */
    uint64_t seen, wanted;                 /* value of the setting */
    char found[TL_HOST_WORDS];             /* the present state, in words */
    const char *why;
    char mend[TL_HOST_WORDS]; /* a command or advice; may be empty */
};

struct tl_host_report {
    struct tl_host_iface iface;
    uint64_t mtu, queues;
    uint64_t stamp_error_ns; /* the longest time that a frame may wait for its time stamp */
    struct tl_host_finding
        findings[TL_HOST_FINDINGS_MAX]; /* including the findings without a problem */
    size_t num_findings;
};

/* Examines everything and changes nothing. Returns 0, or FAL_ERR_IO with `err`. */
MUST_USE int tl_host_check(const char *iface, struct tl_host_report *out,
                           struct fal_error *err);
void tl_host_report_close(struct tl_host_report *report);

/* Returns how many findings of that weight are problems. */
size_t tl_host_count(const struct tl_host_report *report, enum tl_host_weight weight);

/* Returns "falsifies", "limits" or "note". */
const char *tl_host_weight_name(enum tl_host_weight weight);

/* The document talon/host-check/1. New reference; NULL: out of memory. */
json_t *tl_host_report_json(const struct tl_host_report *report);

/* Changes the settings that can be changed, after writing their old values to `state`; calls
 * `told` for each. The state file of an earlier --fix is never overwritten. Returns 0;
 * FAL_ERR_IO with `err` when some could not be changed (the old values are in the state file).
 */
typedef void tl_host_told_fn(void *ctx, const struct tl_host_finding *finding, int code);
MUST_USE int tl_host_fix(struct tl_host_report *report, const char *state,
                         tl_host_told_fn *told, void *ctx, struct fal_error *err);

/* Restores the values in `state` and removes the file. Returns 0, FAL_ERR_IO or FAL_ERR_FORM
 * with `err`; *restored is their number. */
MUST_USE int tl_host_restore(const char *iface, const char *state, size_t *restored,
                             struct fal_error *err);

/* host_findings.c */
void tl_host_findings(struct tl_host_report *report);

/* The members of the findings as JSON. */
extern const struct fal_shape tl_host_check_shape;

#endif
