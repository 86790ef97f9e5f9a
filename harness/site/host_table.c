/* SPDX-License-Identifier: Apache-2.0
 * host_table.c - the members of the findings of talon host-check.
 */
#include "harness/site/host_check.h"

static const char *const weight_words[] = {"falsifies", "limits", "note"};
static const struct fal_shape weight = {.kind = FAL_SHAPE_WORD, FAL_WORDS(weight_words)};
static const struct fal_shape seen = {.kind = FAL_SHAPE_INT};
static const struct fal_member finding_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"ok", &fal_shape_flag, .flags = FAL_MUST},
    {"weight", &weight, .flags = FAL_MUST},
    {"found", &fal_shape_text, .flags = FAL_MUST},
    {"why", &fal_shape_text, .flags = FAL_MUST},
    {"mend", &fal_shape_text, .flags = 0},
    {"seen", &seen, .flags = 0},
    {"wanted", &seen, .flags = 0},
    {"fixable", &fal_shape_flag, .flags = 0},
};
static const struct fal_shape finding = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(finding_members)};
static const struct fal_shape findings = {.kind = FAL_SHAPE_LIST, FAL_OF(&finding)};
static const struct fal_shape ip = {
    .kind = FAL_SHAPE_UINT, .min = 4, .max = 6, .more = "{\"enum\": [4, 6]}"};
static const char *const outcome_words[] = {"as sent", "changed", "missing", "refused"};
static const struct fal_shape outcome = {.kind = FAL_SHAPE_WORD, FAL_WORDS(outcome_words)};
static const struct fal_member loop_item_members[] = {
    {"from", &fal_shape_text, .flags = FAL_MUST},
    {"to", &fal_shape_text, .flags = FAL_MUST},
    {"frame", &fal_shape_text, .flags = FAL_MUST},
    {"ip", &ip, .flags = FAL_MUST},
    {"outcome", &outcome, .flags = FAL_MUST},
    {"length", &fal_shape_uint, .flags = FAL_MUST},
    {"at", &fal_shape_uint, .flags = 0},
};
static const struct fal_shape loop_item = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(loop_item_members)};
static const struct fal_shape loop = {.kind = FAL_SHAPE_LIST, FAL_OF(&loop_item)};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_HOST_CHECK_SCHEMA), .flags = FAL_MUST},
    {"interface", &fal_shape_text, .flags = FAL_MUST},
    {"driver", &fal_shape_text, .flags = FAL_MUST},
    {"mac", &fal_shape_text, .flags = FAL_MUST},
    {"mtu", &fal_shape_uint, .flags = FAL_MUST},
    {"queues", &fal_shape_uint, .flags = FAL_MUST},
    {"hardware_stamps", &fal_shape_flag, .flags = FAL_MUST},
    {"stamp_error_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"findings", &findings, .flags = FAL_MUST},
    {"loop", &loop, .flags = 0},
};
const struct fal_shape tl_host_check_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members),
    .doc = "What talon host-check --json finds on the tester's host (docs/formats.md)."};
