/* SPDX-License-Identifier: Apache-2.0
 * host_check.h - what of this host would falsify a test at an interface: offloads that merge,
 * split or mend frames, time stamps that wait, a kernel that answers by itself. One table of
 * findings; each says why, and by what command it is mended. */
#ifndef TL_HARNESS_HOST_CHECK_H
#define TL_HARNESS_HOST_CHECK_H

#include "harness/site/host_iface.h"

#include <jansson.h>

#define TL_HOST_CHECK_SCHEMA "talon/host-check/1"
#define TL_HOST_STATE_SCHEMA "talon/host-state/1"

enum tl_host_weight {
    TL_HOST_FALSIFIES, /* a verdict may be wrong */
    TL_HOST_LIMITS,    /* some tests cannot be done, or times are less exact */
    TL_HOST_NOTE,      /* good to know */
};

enum { TL_HOST_FINDINGS_MAX = 64, TL_HOST_WORDS = 200 };

struct tl_host_finding {
    const char *id; /* a stable word */
    enum tl_host_weight weight;
    bool ok, fixable;                      /* fixable: by --fix */
    const struct tl_host_setting *setting; /* NULL: none alone */
    uint64_t seen, wanted;                 /* of the setting */
    char found[TL_HOST_WORDS];             /* what is the case */
    const char *why;
    char mend[TL_HOST_WORDS]; /* a command, or advice; may be empty */
};

struct tl_host_report {
    struct tl_host_iface iface;
    uint64_t mtu, queues;
    uint64_t stamp_error_ns; /* a frame may have waited so long for its stamp */
    struct tl_host_finding findings[TL_HOST_FINDINGS_MAX]; /* those that are well, too */
    size_t num_findings;
};

/* Looks at everything; changes nothing. 0, or FAL_ERR_IO with `err`. */
int tl_host_check(const char *iface, struct tl_host_report *out, struct fal_error *err);
void tl_host_report_close(struct tl_host_report *report);

/* How many findings of that weight are not well. */
size_t tl_host_count(const struct tl_host_report *report, enum tl_host_weight weight);

/* "falsifies", "limits", "note". */
const char *tl_host_weight_name(enum tl_host_weight weight);

/* talon/host-check/1. New reference; NULL: out of memory. */
json_t *tl_host_report_json(const struct tl_host_report *report);

/* Sets what may be set, having written to `state` what was set before; `told` hears of each.
 * The state of an earlier --fix is never overwritten. 0; FAL_ERR_IO with `err` when nothing or
 * not all could be set (what was, stands in the state). */
typedef void tl_host_told_fn(void *ctx, const struct tl_host_finding *finding, int code);
int tl_host_fix(struct tl_host_report *report, const char *state, tl_host_told_fn *told,
                void *ctx, struct fal_error *err);

/* Puts back what `state` says, and removes it. 0, FAL_ERR_IO or FAL_ERR_FORM with `err`;
 * *restored counts. */
int tl_host_restore(const char *iface, const char *state, size_t *restored,
                    struct fal_error *err);

/* host_findings.c */
void tl_host_findings(struct tl_host_report *report);

#endif
