/* SPDX-License-Identifier: Apache-2.0
 * evidence_check.h - `talon check DIR`: what talon run --out left behind, judged again from it
 * alone. Hashes are held against the manifest; each timeline that was kept is judged again; in
 * virtual time the case is played again from its scenario and seed, and must give the same
 * bytes; waivers are applied again; and the verdicts, dispositions and status must be those of
 * results.json. Of a live run what a step met or missed is taken as recorded. */
#ifndef TL_HARNESS_RUN_EVIDENCE_CHECK_H
#define TL_HARNESS_RUN_EVIDENCE_CHECK_H

#include "codecs/base/error.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether the path is a directory of evidence. */
bool tl_check_is_evidence(const char *path);

/* Checks the directory and prints the result on standard output. Returns the exit status: that
 * of the verdicts; 2 if something differs from what is recorded or cannot be read; 4 if memory
 * runs out. `err` is empty, or says why the directory could not be checked. */
MUST_USE int tl_check_evidence(const char *path, bool json, struct fal_error *err);

/* The same without output: adds a text to `wrong` for each thing that differs from what is
 * recorded. */
MUST_USE int tl_check_evidence_brief(const char *path, json_t *wrong);

#endif
