/* SPDX-License-Identifier: Apache-2.0
 * connections_table.c - the members of a file of connections.
 */
#include "harness/check/check.h"

static const struct fal_shape name = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 31};
static const struct fal_shape cid = {.kind = FAL_SHAPE_UINT, .max = 16777215};
static const struct fal_shape req_psn = {.kind = FAL_SHAPE_UINT, .max = 4294967295};
static const struct fal_member end_members[] = {
    {"cid", &cid, .flags = 0,
     .doc =
         "the CID that this end allocated: packets to it carry it; absent: inferred, which needs both addresses"},
    {"address", &fal_shape_text, .flags = 0, .doc = "IPv4 or IPv6; absent: any"},
    {"function", &cid, .flags = 0},
    {"req_psn", &req_psn, .flags = 0, .doc = "of the first request packet that it sends"},
    {"data_psn", &req_psn, .flags = 0, .doc = "of its first data packet"},
    {"rsn", &req_psn, .flags = 0, .doc = "of the first transaction that it initiates"},
};
static const struct fal_shape end = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(end_members), .name = "end"};
static const struct fal_shape params2 = {.kind = FAL_SHAPE_ANY_OF,
                                         FAL_OF(&fal_shape_flag, &fal_shape_uint)};
static const struct fal_shape params = {
    .kind = FAL_SHAPE_MAP,
    FAL_OF(&params2),
    .name = "params",
    .doc = "as talon help defaults names them; times with _ns"};
static const struct fal_member connection_members[] = {
    {"name", &name, .flags = 0, .doc = "for --ulp"},
    {"sut", &end, .flags = FAL_MUST},
    {"tester", &end, .flags = FAL_MUST},
    {"params", &params, .flags = 0},
};
static const struct fal_shape connection = {
    .kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(connection_members), .name = "connection"};
static const struct fal_shape file = {.kind = FAL_SHAPE_LIST, FAL_OF(&connection)};
static const char *const vantage_words[] = {"tester", "middle", "sut"};
static const struct fal_shape vantage = {.kind = FAL_SHAPE_WORD, FAL_WORDS(vantage_words)};
static const struct fal_member path_members[] = {
    {"lossless_in", &fal_shape_flag, .flags = 0},
    {"lossless_out", &fal_shape_flag, .flags = 0},
    {"in_order_in", &fal_shape_flag, .flags = 0},
    {"in_order_out", &fal_shape_flag, .flags = 0},
    {"no_duplicates_in", &fal_shape_flag, .flags = 0},
    {"no_duplicates_out", &fal_shape_flag, .flags = 0},
    {"delay_min_ns", &fal_shape_uint, .flags = 0},
    {"delay_max_ns", &fal_shape_uint, .flags = 0},
    {"clock_error_ns", &fal_shape_uint, .flags = 0},
};
static const struct fal_shape path = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(path_members)};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_CONNECTIONS_SCHEMA), .flags = FAL_MUST},
    {"vantage", &vantage, .flags = 0},
    {"path", &path, .flags = 0, .doc = "between the capture and the SUT; in is towards it"},
    {"params", &params, .flags = 0},
    {"connections", &file, .flags = 0},
};
static const struct fal_shape file2 = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(file_members)};
const struct fal_shape tl_connections_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    FAL_OF(&file, &file2),
    .doc =
        "What the user knows of the connections and the path: talon check --connections. Talon infers what is left out from the capture; if it cannot, it never uses it to fail the SUT."};
