/* SPDX-License-Identifier: Apache-2.0
 * run_table.c - the members of run.json.
 */
#include "harness/run/evidence.h"

static const struct fal_shape request = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_any)};
static const struct fal_member host_members[] = {
    {"name", &fal_shape_text, .flags = 0},
    {"system", &fal_shape_text, .flags = 0},
    {"release", &fal_shape_text, .flags = 0},
    {"machine", &fal_shape_text, .flags = 0},
};
static const struct fal_shape host = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(host_members)};
static const struct fal_shape jobs = {.kind = FAL_SHAPE_UINT, .min = 1};
static const struct fal_shape day = {.kind = FAL_SHAPE_INT};
static const struct fal_shape status = {.kind = FAL_SHAPE_UINT, .max = 4};
static const struct fal_shape manifest_sha256 = {.kind = FAL_SHAPE_TEXT,
                                                 .pattern = "^[0-9a-f]{64}$"};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_RUN_SCHEMA), .flags = FAL_MUST},
    {"tool", &fal_shape_text, .flags = FAL_MUST},
    {"command", &fal_shape_texts, .flags = FAL_MUST},
    {"request", &request, .flags = 0,
     .doc =
         "the options of talon run that differ from the defaults: by name, with _ for -, and path for PATH"},
    {"learned", &tl_learned_shape, .flags = 0,
     .doc = "how long the SUT took to answer before the first case, if it declares no "
            "turnaround or no pipeline allowance: the values of all cases, also of those that "
            "are judged again"},
    {"host", &host, .flags = FAL_MUST},
    {"began", &fal_shape_text, .flags = FAL_MUST, .doc = "UTC"},
    {"ended", &fal_shape_text, .flags = FAL_MUST},
    {"seconds", &fal_shape_real, .flags = FAL_MUST},
    {"jobs", &jobs, .flags = FAL_MUST},
    {"day", &day, .flags = FAL_MUST,
     .doc = "the day that decided which waivers have expired: YYYYMMDD"},
    {"status", &status, .flags = FAL_MUST},
    {"manifest_sha256", &manifest_sha256, .flags = FAL_MUST,
     .doc = "of manifest.sha256, which lists the hashes of all other files"},
};
const struct fal_shape tl_run_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members),
    .doc =
        "Everything about a run that differs between two days or machines: run.json of talon run --out."};
