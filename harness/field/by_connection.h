/* SPDX-License-Identifier: Apache-2.0
 * by_connection.h - `talon capture index` and `split`: the frames of a capture by connection,
 * which has the number that talon check gives it. */
#ifndef TL_HARNESS_FIELD_BY_CONNECTION_H
#define TL_HARNESS_FIELD_BY_CONNECTION_H

#include "harness/check/recording.h"

/* A connection of the capture; number 0: all frames that belong to none. */
struct tl_indexed {
    uint32_t number;
    struct tl_host host[2];                  /* by side of struct tl_check_conn */
    uint32_t cid[2];                         /* that this side allocated */
    bool known[2];                           /* the CID was seen */
    bool uncertain;                          /* whether its two directions belong together */
    uint64_t frames[2];                      /* to that side */
    uint64_t first_frame, first_ns, last_ns; /* since 1970 */
};

struct tl_index {
    uint32_t *conn_of; /* of each frame, in order */
    uint64_t frames;
    struct tl_indexed *rows; /* by number, 0 first */
    size_t num_rows;
};

/* Reads the capture config->path. Returns 0; FAL_ERR_FORM, FAL_ERR_MEM with `err`.
 * tl_index_free is due in any case. */
MUST_USE int tl_index_read(struct tl_index *index, const struct tl_recording_config *config,
                           struct fal_error *err);
void tl_index_free(struct tl_index *index);

/* Prints the connections as a table, or as one JSON object. Returns 0, or FAL_ERR_MEM. */
MUST_USE int tl_index_print(const struct tl_index *index, bool json);

/* Writes each connection to `folder`/connection-N.pcapng, and the other frames to
 * `folder`/others.pcapng. The folder is made; files of the same name are replaced. Each frame
 * has its number in the original as a comment ("frame 17"). Returns 0, or an error with `err`.
 */
MUST_USE int tl_split(const struct tl_index *index, const char *path, const char *folder,
                      struct fal_error *err);

#endif
