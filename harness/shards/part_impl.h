/* SPDX-License-Identifier: Apache-2.0
 * part_impl.h - the lines of a part, between the files that write and read them. */
#ifndef TL_HARNESS_SHARDS_PART_IMPL_H
#define TL_HARNESS_SHARDS_PART_IMPL_H

#include "harness/shards/part.h"

#include "oracles/rules/shard/shard_judge.h"

/* The first line: the check of the whole, and what the shard counted. */
struct tl_parts_head {
    const char *tool;
    unsigned shard, shards;
    struct tl_parts_about about;
    uint64_t form; /* fal_shard_form */
    bool both_ends;
    struct tl_check counts; /* numbers and marks alone */
};

/* A finding, with its packets. */
struct tl_parts_finding {
    struct tl_check_finding found;
    size_t num_frames, num_scenes, wanted;
    struct tl_scene *scenes;
};

/* Counters of a connection: pairs of fal_shard_count. */
struct tl_parts_counts {
    unsigned judge;
    uint32_t conn;
    uint64_t *list;
    size_t num;
};

/* What a judge measured of the paths: fal_measured, one after the other. */
enum { TL_PARTS_MEASURED = FAL_DIRS * sizeof(struct fal_measured) / sizeof(uint64_t) };
struct tl_parts_measured {
    unsigned judge;
    uint64_t list[TL_PARTS_MEASURED];
    size_t num;
};

struct tl_parts_reading {
    unsigned judge;
    struct fal_shard_reading reading;
};

/* The last line: so many lines stand before it. */
struct tl_parts_end {
    uint64_t lines;
};

/* A line of any kind. */
enum tl_parts_kind {
    TL_PARTS_HEAD,
    TL_PARTS_CONN,
    TL_PARTS_COUNTS,
    TL_PARTS_MEASURES,
    TL_PARTS_READING,
    TL_PARTS_FINDING,
    TL_PARTS_END,
    TL_PARTS_KINDS
};
extern const struct fal_shape *const tl_parts_shapes[TL_PARTS_KINDS];
extern const char *const tl_parts_words[TL_PARTS_KINDS];

/* A file of readings: the first line, then lines TL_PARTS_READING. */
struct tl_parts_readings_head {
    unsigned shards;
    uint64_t form;
};
extern const struct fal_shape tl_parts_readings_head_shape;

/* Reads the line `kind` from JSON into `out`, its struct. FAL_ERR_FORM, FAL_ERR_MEM with `err`.
 */
MUST_USE int tl_parts_read_line(const struct fal_shape *shape, const json_t *line, void *out,
                                const char *path, uint64_t number, struct fal_error *err);
/* Writes a line. Returns 0, FAL_ERR_IO or FAL_ERR_MEM. */
MUST_USE int tl_parts_print_line(const struct fal_shape *shape, const void *in, FILE *out);

#endif
