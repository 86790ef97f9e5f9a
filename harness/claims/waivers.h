/* SPDX-License-Identifier: Apache-2.0
 * waivers.h - waivers (schema talon/waivers/1): accepted or expected failures, and cases that
 * are known to be flaky. An entry is narrow: it names the product, the last day, and the
 * fingerprint of the failure. It does not apply to a different failure, to another product, or
 * after the last day. Nothing here reads a clock: the day is an argument. */
#ifndef TL_HARNESS_CLAIMS_WAIVERS_H
#define TL_HARNESS_CLAIMS_WAIVERS_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/claims/ics.h"
#include "harness/doc/doc.h"
#include "reports/results/results.h"

#define TL_WAIVERS_SCHEMA "talon/waivers/1"

enum tl_waiver_kind {
    TL_WAIVER_AGREED,   /* "waiver": the failure is accepted */
    TL_WAIVER_EXPECTED, /* "expected-failure": the failure is known and is being fixed */
    TL_WAIVER_FLAKY,    /* "flaky": the case passes in some of its runs, with --repeat */
};

enum { TL_WAIVER_PRINTS_MAX = 16, TL_WAIVERS_MAX = 10000 };

/* The least number of passes in so many runs of a flaky case. */
struct tl_waiver_passes {
    unsigned least, of;
};

struct tl_waiver {
    enum tl_waiver_kind kind;
    /* Borrowed from the document; NULL: not given. scenario, vendor, product are globs. */
    const char *id, *scenario, *requirement, *vendor, *product, *firmware, *reason, *link,
        *approver;
    const json_t *fingerprint;                /* as in the document */
    const char *prints[TL_WAIVER_PRINTS_MAX]; /* fingerprints */
    size_t num_prints;
    uint32_t expires; /* the last day, as tl_date_read gives it */
    bool has_passes;
    struct tl_waiver_passes passes; /* FLAKY */
};

struct tl_waivers {
    struct tl_doc doc;
    struct tl_waiver *list;
    size_t count;
};

/* "2026-12-31" as 20261231; 0 if it is not a date. */
uint32_t tl_date_read(const char *text);

/* 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_waivers_load(const char *path, struct tl_waivers *out, struct fal_error *err);
MUST_USE int tl_waivers_read(const char *name, const char *text, size_t len,
                             struct tl_waivers *out, struct fal_error *err);
void tl_waivers_free(struct tl_waivers *waivers);

/* Sets the disposition of a played case, and the entry that waives each problem. A pure
 * function of its arguments. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_waivers_apply(const struct tl_waivers *waivers,
                              const struct tl_identity *identity, uint32_t today,
                              const char *scenario_id, struct tl_case *c);

/* The result of each entry, for the report; *out is freed by the caller. 0, or FAL_ERR_MEM.
 * `scenario_ids` are those of the cases. */
MUST_USE int tl_waivers_uses(const struct tl_waivers *waivers,
                             const struct tl_identity *identity, uint32_t today,
                             const struct tl_results *results, const char *const *scenario_ids,
                             struct tl_waiver_use **out);

/* The members of a waiver file. */
extern const struct fal_shape tl_waivers_shape;

#endif
