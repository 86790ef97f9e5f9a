/* SPDX-License-Identifier: Apache-2.0
 * ulp_table.c - the members of a file of upper-layer events.
 */
#include "harness/check/check.h"

static const struct fal_shape offset_ns = {.kind = FAL_SHAPE_INT};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_ULP_SCHEMA), .flags = FAL_MUST},
    {"offset_ns", &offset_ns, .flags = 0,
     .doc = "added to every t_ns to get the capture's time"},
    {"error_ns", &fal_shape_uint, .flags = 0, .doc = "error of the times that remains"},
    {"ordered_events", &fal_shape_flag, .flags = 0,
     .doc = "the events of one connection are in the order in which they happened in the SUT"},
    {"complete", &fal_shape_flag, .flags = 0, .doc = "false: events may be missing"},
};
static const struct fal_shape file = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(file_members)};
static const struct fal_shape conn = {.kind = FAL_SHAPE_ANY_OF,
                                      FAL_OF(&fal_shape_text, &fal_shape_uint)};
static const struct fal_shape cid = {.kind = FAL_SHAPE_UINT, .max = 16777215};
static const char *const event_words[] = {"request", "ulp_ack", "completion", "cm_error",
                                          "dropped", "command", "reply",      "ulp",
                                          "cm",      "mark",    "close"};
static const struct fal_shape event = {.kind = FAL_SHAPE_WORD, FAL_WORDS(event_words)};
static const struct fal_member file_members2[] = {
    {"t_ns", &fal_shape_uint, .flags = FAL_MUST, .doc = "never goes back"},
    {"conn", &conn, .flags = 0, .doc = "name of --connections, or number of a connection"},
    {"cid", &cid, .flags = 0, .doc = "the SUT's, instead of conn"},
    {"seq", &fal_shape_uint, .flags = 0},
    {"event", &event, .flags = 0},
    {"do", &fal_shape_text, .flags = 0},
    {"id", &offset_ns, .flags = 0},
};
static const struct fal_shape file2 = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(file_members2), .skips_unknown = true};
const struct fal_shape tl_ulp_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    FAL_OF(&file, &file2),
    .doc =
        "JSON Lines for talon check --ulp: this head, then lines of the SUT control protocol or events of a timeline, each with its time."};
