/* SPDX-License-Identifier: Apache-2.0
 * report_table.c - the members of the report of talon check.
 */
#include "harness/check/check.h"

static const char *const verdict_words[] = {"none",         "pass", "warn",
                                            "inconclusive", "fail", "error"};
static const struct fal_shape verdict = {.kind = FAL_SHAPE_WORD, FAL_WORDS(verdict_words)};
static const char *const window_words[] = {"request", "data"};
static const struct fal_shape window = {.kind = FAL_SHAPE_WORD, FAL_WORDS(window_words)};
static const struct fal_member missed_members[] = {
    {"frame", &fal_shape_uint, .flags = FAL_MUST, .doc = "that shows it"},
    {"connection", &fal_shape_uint, .flags = FAL_MUST},
    {"window", &window, .flags = FAL_MUST},
    {"psn", &fal_shape_uint, .flags = FAL_MUST, .doc = "that no frame before it carries"},
};
static const struct fal_shape missed = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(missed_members)};
static const struct fal_member capture_members[] = {
    {"no_falcon", &fal_shape_uint, .flags = 0},
    {"damaged", &fal_shape_uint, .flags = 0},
    {"doubles", &fal_shape_uint, .flags = 0},
    {"dropped", &fal_shape_uint, .flags = 0},
    {"out_of_order", &fal_shape_uint, .flags = 0},
    {"ulp_events", &fal_shape_uint, .flags = 0},
    {"ulp_unplaced", &fal_shape_uint, .flags = 0},
    {"missed", &missed, .flags = 0,
     .doc = "why the capture is not complete, although it was declared to be"},
};
static const struct fal_shape capture = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(capture_members)};
static const struct fal_shape cid = {.kind = FAL_SHAPE_INT};
static const struct fal_member end_members[] = {
    {"address", &fal_shape_text, .flags = FAL_MUST},
    {"cid", &cid, .flags = FAL_MUST | FAL_NULL},
};
static const struct fal_shape end = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(end_members)};
static const struct fal_shape ends = {.kind = FAL_SHAPE_LIST, FAL_OF(&end), .min = 2, .max = 2};
static const struct fal_shape connection_params = {.kind = FAL_SHAPE_MAP,
                                                   FAL_OF(&fal_shape_any)};
static const struct fal_member connection_members[] = {
    {"name", &fal_shape_text, .flags = 0},
    {"ends", &ends, .flags = FAL_MUST},
    {"given", &fal_shape_flag, .flags = FAL_MUST},
    {"uncertain", &fal_shape_flag, .flags = 0},
    {"known", &fal_shape_text, .flags = 0},
    {"initial_known", &fal_shape_flag, .flags = 0},
    {"params", &connection_params, .flags = 0, .doc = "parameters that the user gave"},
};
static const struct fal_shape connection = {.kind = FAL_SHAPE_OBJECT,
                                            FAL_MEMBERS(connection_members)};
static const struct fal_shape connections = {.kind = FAL_SHAPE_LIST, FAL_OF(&connection)};
static const struct fal_shape excused = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_uint)};
static const struct fal_member rule_members[] = {
    {"rule", &fal_shape_text, .flags = FAL_MUST},
    {"party", &fal_shape_text, .flags = FAL_MUST},
    {"connection", &fal_shape_uint, .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"holds", &fal_shape_uint, .flags = FAL_MUST},
    {"broken", &fal_shape_uint, .flags = FAL_MUST},
    {"undecided", &fal_shape_uint, .flags = FAL_MUST},
    {"excused", &excused, .flags = FAL_MUST},
};
static const struct fal_shape rule = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(rule_members)};
static const struct fal_shape rules = {.kind = FAL_SHAPE_LIST, FAL_OF(&rule)};
static const struct fal_shape frames = {.kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_uint)};
static const struct fal_member packet_members[] = {
    {"packet", &fal_shape_text, .flags = FAL_MUST, .doc = "a line of the notation"},
    {"evidence", &fal_shape_yes, .flags = 0, .doc = "true: this packet shows the violation"},
    {"gap", &fal_shape_yes, .flags = 0, .doc = "true: packets before it are left out"},
};
static const struct fal_shape packet = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(packet_members)};
static const struct fal_shape packets = {.kind = FAL_SHAPE_LIST, FAL_OF(&packet)};
static const struct fal_member finding_members[] = {
    {"rule", &fal_shape_text, .flags = FAL_MUST},
    {"requirement", &fal_shape_text, .flags = FAL_NULL},
    {"requirement_text", &fal_shape_text, .flags = FAL_NULL},
    {"party", &fal_shape_text, .flags = FAL_MUST},
    {"connection", &fal_shape_uint, .flags = FAL_MUST},
    {"t_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"asked", &fal_shape_flag, .flags = 0},
    {"unsure", &fal_shape_flag, .flags = 0},
    {"expected", &fal_shape_text, .flags = FAL_MUST},
    {"seen", &fal_shape_text, .flags = FAL_MUST},
    {"frames", &frames, .flags = 0},
    {"events", &frames, .flags = 0},
    {"packets", &packets, .flags = FAL_MUST},
};
static const struct fal_shape finding = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(finding_members)};
static const struct fal_shape findings = {.kind = FAL_SHAPE_LIST, FAL_OF(&finding)};
static const struct fal_member reading_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"party", &fal_shape_text, .flags = FAL_MUST},
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"alternative", &fal_shape_flag, .flags = FAL_MUST},
    {"event", &fal_shape_uint, .flags = 0},
    {"t_ns", &fal_shape_uint, .flags = 0},
};
static const struct fal_shape reading = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(reading_members)};
static const struct fal_shape readings = {.kind = FAL_SHAPE_LIST, FAL_OF(&reading)};
static const struct fal_member suspect_excuse_members[] = {
    {"rule", &fal_shape_text, .flags = FAL_NULL},
    {"excuse", &fal_shape_text, .flags = FAL_MUST},
    {"party", &fal_shape_text, .flags = FAL_MUST},
    {"used", &fal_shape_uint, .flags = FAL_MUST},
    {"of", &fal_shape_uint, .flags = 0},
    {"allowed", &fal_shape_uint, .flags = FAL_MUST},
    {"unmeasured", &fal_shape_flag, .flags = 0},
};
static const struct fal_shape suspect_excuse = {.kind = FAL_SHAPE_OBJECT,
                                                FAL_MEMBERS(suspect_excuse_members)};
static const struct fal_shape suspect_excuses = {.kind = FAL_SHAPE_LIST,
                                                 FAL_OF(&suspect_excuse)};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_CHECK_SCHEMA), .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"packets", &fal_shape_uint, .flags = FAL_MUST},
    {"no_falcon", &fal_shape_uint, .flags = 0},
    {"damaged", &fal_shape_uint, .flags = 0},
    {"findings_not_listed", &fal_shape_uint, .flags = 0},
    {"capture", &capture, .flags = 0},
    {"connections", &connections, .flags = FAL_MUST},
    {"rules", &rules, .flags = FAL_MUST},
    {"findings", &findings, .flags = FAL_MUST},
    {"readings", &readings, .flags = FAL_MUST},
    {"suspect_excuses", &suspect_excuses, .flags = 0},
};
const struct fal_shape tl_check_shape = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(file_members), .doc = "One object a file."};
