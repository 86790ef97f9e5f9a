/* SPDX-License-Identifier: Apache-2.0
 * path_table.c - the members of the measurements of talon path-check.
 */
#include "harness/site/path_check.h"

static const char *const method_words[] = {"echo", "falcon"};
static const struct fal_shape method = {.kind = FAL_SHAPE_WORD, FAL_WORDS(method_words)};
static const struct fal_shape ip = {
    .kind = FAL_SHAPE_UINT, .min = 4, .max = 6, .more = "{\"enum\": [4, 6]}"};
static const struct fal_shape count = {.kind = FAL_SHAPE_UINT, .name = "count"};
static const struct fal_shape source_port = {.kind = FAL_SHAPE_UINT, .max = 65535};
static const struct fal_shape flow_label = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 1048575};
static const struct fal_shape flow_label_seen = {.kind = FAL_SHAPE_UINT, .max = 1048575};
static const struct fal_member treatment_item_members[] = {
    {"sent", &count, .flags = FAL_MUST},
    {"to", &count, .flags = 0},
    {"back", &count, .flags = 0},
};
static const struct fal_shape treatment_item = {.kind = FAL_SHAPE_OBJECT,
                                                FAL_MEMBERS(treatment_item_members)};
static const struct fal_shape treatment = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&treatment_item), .name = "treatment"};
static const struct fal_member path_members[] = {
    {"source_port", &source_port, .flags = 0},
    {"flow_label", &flow_label, .flags = 0},
    {"flow_label_seen", &flow_label_seen, .flags = 0},
    {"sent", &count, .flags = FAL_MUST},
    {"received", &count, .flags = FAL_MUST},
    {"duplicates", &count, .flags = FAL_MUST},
    {"reordered_to", &count, .flags = 0},
    {"reordered_back", &count, .flags = 0},
    {"rtt_min_ns", &count, .flags = 0},
    {"rtt_median_ns", &count, .flags = 0},
    {"rtt_p99_ns", &count, .flags = 0},
    {"rtt_max_ns", &count, .flags = 0},
    {"hops_to", &count, .flags = 0},
    {"hops_back", &count, .flags = 0},
    {"mtu", &count, .flags = 0},
    {"ecn", &treatment, .flags = FAL_MUST},
    {"dscp", &treatment, .flags = FAL_MUST},
};
static const struct fal_shape path = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(path_members)};
static const struct fal_shape paths = {.kind = FAL_SHAPE_LIST, FAL_OF(&path)};
static const struct fal_member limits_members[] = {
    {"round_trip_ns", &count, .flags = FAL_MUST},
    {"delay_max_ns", &count, .flags = 0},
    {"in_order", &fal_shape_flag, .flags = FAL_MUST},
    {"no_duplicates", &fal_shape_flag, .flags = FAL_MUST},
};
static const struct fal_shape limits = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(limits_members)};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_PATH_CHECK_SCHEMA), .flags = FAL_MUST},
    {"sut", &fal_shape_text, .flags = FAL_MUST},
    {"method", &method, .flags = FAL_MUST},
    {"ip", &ip, .flags = FAL_MUST},
    {"capture_drops", &count, .flags = FAL_MUST},
    {"paths", &paths, .flags = FAL_MUST},
    {"limits", &limits, .flags = FAL_MUST},
};
const struct fal_shape tl_path_check_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members),
    .doc =
        "What talon path-check --json measures between the tester and the SUT (docs/formats.md). Unknown values are left out."};
