/* SPDX-License-Identifier: Apache-2.0
 * ulp_table.c - the members of a file of upper-layer events. */
#include "harness/check/check_ulp.h"

static const struct fal_shape offset_ns = {.kind = FAL_SHAPE_INT};
static const struct fal_member head_members[] = {
    {"schema", FAL_ONE_WORD(TL_ULP_SCHEMA), .flags = FAL_MUST},
    {"offset_ns", &offset_ns, 0, FAL_AT(struct tl_ulp_head, offset_ns),
     .doc = "added to every t_ns to get the capture's time"},
    {"error_ns", &fal_shape_uint, 0, FAL_AT(struct tl_ulp_head, error_ns),
     FAL_HAS(struct tl_ulp_head, has_error),
     .doc = "error of the times that remains; with it, rules use the times of answers that the "
            "upper layer gave by itself"},
    {"ordered_events", &fal_shape_flag, 0, FAL_AT(struct tl_ulp_head, ordered),
     .doc = "the events of one connection are in the order in which they happened in the SUT"},
    {"complete", &fal_shape_flag, 0, FAL_AT(struct tl_ulp_head, complete),
     FAL_HAS(struct tl_ulp_head, has_complete), .initial = 1,
     .doc = "false: events may be missing; true: every event up to the last line is there, so "
            "that rules use the absence of one"},
};
const struct fal_shape tl_ulp_head_shape = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(head_members), .null_is_absent = true};
static const struct fal_shape conn = {.kind = FAL_SHAPE_ANY_OF,
                                      FAL_OF(&fal_shape_text, &fal_shape_uint)};
static const struct fal_shape cid = {.kind = FAL_SHAPE_UINT, .max = 0xffffff};
static const char *const event_words[] = {
    "request",  "ulp_ack", "completion", "cm_error", "dropped",  "command",
    "reply",    "ulp",     "cm",         "mark",     "close",    "wc",
    "cq_event", "async",   "verbs",      "nvme",     "nvme_cqe", "dev_cmd"};
static const struct fal_shape event = {.kind = FAL_SHAPE_WORD, FAL_WORDS(event_words)};
static const struct fal_member line_members[] = {
    {"t_ns", &fal_shape_uint, .flags = FAL_MUST, .doc = "never goes back"},
    {"conn", &conn, .flags = 0, .doc = "name of --connections, or number of a connection"},
    {"cid", &cid, .flags = 0, .doc = "the SUT's, instead of conn"},
    {"seq", &fal_shape_uint, .flags = 0},
    {"event", &event, .flags = 0},
    {"do", &fal_shape_text, .flags = 0},
    {"id", &offset_ns, .flags = 0},
};
static const struct fal_shape line = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(line_members), .skips_unknown = true};
const struct fal_shape tl_ulp_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    FAL_OF(&tl_ulp_head_shape, &line),
    .doc =
        "JSON Lines for talon check --ulp: this head, then lines of the SUT control protocol or events of a timeline, each with its time."};
