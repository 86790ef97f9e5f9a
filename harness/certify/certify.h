/* SPDX-License-Identifier: Apache-2.0
 * certify.h - `talon certify`: runs a profile, checks the results against the conditions of the
 * profile, and signs a certificate. A certificate states only what the evidence beside it
 * shows: tl_certify_body derives it from the evidence, and verification derives it again. */
#ifndef TL_HARNESS_CERTIFY_CERTIFY_H
#define TL_HARNESS_CERTIFY_CERTIFY_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/claims/ics.h"
#include "harness/profile/profile.h"
#include "harness/run/run.h"

#include <jansson.h>

#define TL_CERTIFICATE_SCHEMA "talon/certificate/1"
#define TL_ATTEMPTS_SCHEMA    "talon/attempts/1"
#define TL_SPECIFICATION      "OCP Falcon Transport Protocol, Rev 0.9"

enum { TL_CERTIFY_PATH = 4096 };

/* The options of the command line. */
struct tl_certify {
    const char *profile, *sut, *control, *ics, *ixit, *waivers, *key, *out, *suite;
    const char *challenge, *signer, *network, *reference, *reference_sut, *reference_control;
    const char *verify;
    enum fal_encap encap;
    unsigned jobs; /* 0: not given */
    bool may_wedge;
};

/* Derives the seed of a run from its challenge. */
bool tl_certify_seed(const char *profile, const char *challenge, uint64_t *out);

/* ---- what the statement alone shows (ISO 9646: static conformance review) ---- */

/* Adds a line to `refusals` for each item that the profile requires and the statement does not
 * claim, for each open item on which a required requirement depends, and if vendor, product or
 * firmware is missing. */
void tl_certify_review(const struct tl_certify_rules *rules, const struct tl_ics *stated,
                       json_t *refusals);
/* The same for the declared values of the SUT's timers and delays: refuses where a rule that
 * the profile demands could not decide with them (rule_ratios.h), and an RTO that varies by
 * more than a factor of 8. */
void tl_certify_review_values(const struct tl_certify_rules *rules,
                              const struct fal_params *params, json_t *refusals);

/* Adds a line, printf-like. */
void tl_certify_refuse(json_t *refusals, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- what the evidence shows ---- */

/* Derives the part of a certificate that follows from the evidence in `dir`/evidence: identity,
 * counts, the state of each requirement, waivers, readings, attempts, the hash of the suite.
 * Adds each reason against a certificate to `refusals`. NULL with `err`. */
json_t *tl_certify_body(const char *dir, const struct tl_profile *profile, json_t *refusals,
                        struct fal_error *err);

/* ---- the bench ---- */

/* Qualifies the bench: plays scenarios of the profile against planted faults of its
 * requirements over links of the same kind, and records which ones the bench detects. NULL with
 * `err`; `refusals` as above. */
json_t *tl_certify_qualify(const struct tl_certify *o, const struct tl_profile *profile,
                           uint64_t seed, json_t *refusals, struct fal_error *err);

/* ---- files ---- */

/* Adds to DIR/attempts.jsonl; each line holds the hash of the one before. */
MUST_USE int tl_certify_log(const char *dir, json_t *attempt, struct fal_error *err);
/* Adds one line to `wrong` for each error of the log. Returns the number of attempts. */
size_t tl_certify_log_check(const char *dir, json_t *wrong);

/* [{"name", "sha256"}] of all files in `dir` except the certificate itself and the files that
 * the manifest of the evidence lists. NULL with `err`. */
json_t *tl_certify_files(const char *dir, struct fal_error *err);

/* The text of a certificate as in its file, or (`of_signature`) without its signature, as it
 * was signed. The caller frees it; NULL when out of memory. */
char *tl_certify_text(const json_t *certificate, bool of_signature);

/* Reads the whole file DIR/NAME. */
char *tl_certify_read(const char *dir, const char *name, size_t *len, struct fal_error *err);
/* Writes it. 0, or FAL_ERR_IO. */
MUST_USE int tl_certify_write(const char *dir, const char *name, const char *text,
                              struct fal_error *err);

/* Verifies a certificate and prints the result. Returns the exit status. */
MUST_USE int tl_certify_verify(const struct tl_certify *o);

/* "" when absent. */
const char *tl_json_text(const json_t *object, const char *key);

/* What is read of a certificate; borrowed from its JSON. */
struct tl_certificate {
    const char *issued, *tool, *seed;
    struct {
        const char *kind, *name, *key;
    } signer;
    struct {
        const char *text;
        bool given;
    } challenge;
    struct {
        const json_t *command;
    } frozen;
    struct {
        const char *vendor, *product, *firmware; /* NULL: not stated */
    } sut;
    const json_t *files, *qualification;
    const char *signature;
};

/* The members of a certificate; C keeps some of them in a struct tl_certificate. */
extern const struct fal_shape tl_certificate_shape;
/* Checks a certificate against its table and reads it. 0, or FAL_ERR_FORM with `err`. */
MUST_USE int tl_certificate_read(const json_t *certificate, struct tl_certificate *out,
                                 struct fal_error *err);

#endif
