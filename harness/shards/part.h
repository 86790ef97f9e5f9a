/* SPDX-License-Identifier: Apache-2.0
 * part.h - captures judged by shards: N processes read the same captures, and each judges the
 * connections between some of the hosts (tl_check_options.shard). Each writes a part: a file
 * talon/check-part/1. The parts merged are the check of one process, byte for byte. */
#ifndef TL_HARNESS_SHARDS_PART_H
#define TL_HARNESS_SHARDS_PART_H

#include "codecs/json/shape.h"
#include "harness/check/check.h"

#include <stdio.h>

#define TL_PARTS_SCHEMA          "talon/check-part/1"
#define TL_PARTS_READINGS_SCHEMA "talon/shard-readings/1"

/* How the check was asked for. */
struct tl_parts_about {
    const char *name;   /* of the first capture */
    bool heading;       /* the report begins with it */
    const char **words; /* the options about judging: "--sut=10.0.0.1" */
    size_t num_words;
};

/* Writes the part of a finished check to a file. Merging notices if it is not whole. Returns 0,
 * FAL_ERR_IO or FAL_ERR_MEM with `err`. */
MUST_USE int tl_parts_write(const struct tl_check *check, const struct tl_parts_about *about,
                            const char *path, struct fal_error *err);

/* Parts that are to be merged. */
struct tl_parts;

/* Opens the parts, and reads what they are about. FAL_ERR_FORM with `err`: a file is no part,
 * or they are not of one check of the same captures, or shards are missing or there twice; the
 * error names them. Returns NULL with `err`. */
struct tl_parts *tl_parts_open(const char *const *paths, size_t num, struct fal_error *err);
void tl_parts_close(struct tl_parts *parts); /* NULL is fine */
/* How the check was asked for; of the parts. */
const struct tl_parts_about *tl_parts_about(const struct tl_parts *parts);

/* Makes a check that was started with the options that the parts are about, and has no frame,
 * that of all parts, finished. FAL_ERR_FORM with `err`: a part is not whole, or does not fit
 * the options, or shards must be judged again because they did not know which readings others
 * had shown; the error names these, and if `readings` is not NULL, that file is written for
 * them (tl_parts_readings). FAL_ERR_MEM, FAL_ERR_IO. */
MUST_USE int tl_parts_merge(struct tl_parts *parts, struct tl_check *whole,
                            const char *readings, struct fal_error *err);

/* Reads what all shards showed of readings, for a check of one shard that has no frame yet.
 * FAL_ERR_FORM, FAL_ERR_MEM, FAL_ERR_IO with `err`. */
MUST_USE int tl_parts_readings(struct tl_check *check, const char *path, struct fal_error *err);

/* A line of a part; of a file of readings. */
extern const struct fal_shape tl_parts_shape, tl_parts_readings_shape;

#endif
