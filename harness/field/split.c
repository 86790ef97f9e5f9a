/* SPDX-License-Identifier: Apache-2.0
 * split.c - a capture for each connection. So many files are written at once as a process may
 * surely have open; the original is read once for each such group. */
#include "harness/field/by_connection.h"

#include "harness/field/part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GROUP = 64, PATH_ROOM = 4096 };

struct piece {
    struct tl_part *part;
    uint64_t drops; /* those that packets reported, up to the last one written here */
};

static bool empty(const struct tl_indexed *row)
{
    return row->frames[0] + row->frames[1] == 0;
}

/* Creates the parts of the connections from `first` on. */
static int begin(const struct tl_index *index, size_t first, const struct tl_capture *capture,
                 const char *folder, struct piece pieces[GROUP], struct fal_error *err)
{
    for (size_t i = first; i < index->num_rows && i - first < GROUP; i++) {
        char path[PATH_ROOM];

        pieces[i - first] = (struct piece){.part = NULL};
        if (empty(&index->rows[i]))
            continue;
        if (i == 0)
            (void)snprintf(path, sizeof path, "%s/others.pcapng", folder);
        else
            (void)snprintf(path, sizeof path, "%s/connection-%zu.pcapng", folder, i);
        pieces[i - first].part = tl_part_create(path, tl_capture_linktype(capture), err);
        if (pieces[i - first].part == NULL)
            return FAL_ERR_IO;
        tl_part_keep_comments(pieces[i - first].part);
    }
    return 0;
}

/* Drops that a packet of one connection reports are drops of all: the next frame of each
 * reports them. */
static int put(struct piece *piece, const struct tl_captured *got, uint64_t drops,
               uint64_t dropped, struct fal_error *err)
{
    struct tl_captured mine = *got;
    struct fal_pcapng_packet marks;
    char comment[32];

    if (got->marks != NULL) {
        marks = *got->marks;
        marks.drops = drops - piece->drops;
        piece->drops = drops;
        mine.marks = &marks;
    }
    (void)snprintf(comment, sizeof comment, "frame %" PRIu64, got->number);
    return tl_part_write(piece->part, &mine, got->bytes, comment, dropped, err);
}

static int copy(const struct tl_index *index, struct tl_capture *capture, size_t first,
                struct piece pieces[GROUP], struct fal_error *err)
{
    struct tl_captured got;
    uint64_t at = 0, drops = 0;
    int more, status;

    while ((more = tl_capture_next(capture, &got, err)) > 0) {
        size_t number = at < index->frames ? index->conn_of[at] : 0;

        at++;
        if (got.marks != NULL)
            drops += got.marks->drops;
        if (number < first || number - first >= GROUP || pieces[number - first].part == NULL)
            continue;
        status = put(&pieces[number - first], &got, drops, tl_capture_dropped(capture), err);
        if (status != 0)
            return status;
    }
    return more;
}

static int group(const struct tl_index *index, const char *path, const char *folder,
                 size_t first, struct fal_error *err)
{
    struct piece pieces[GROUP] = {{NULL, 0}};
    struct tl_capture *capture = tl_capture_open(path, err);
    int status = FAL_ERR_FORM;

    if (capture == NULL)
        return status;
    status = begin(index, first, capture, folder, pieces, err);
    if (status == 0)
        status = copy(index, capture, first, pieces, err);
    for (size_t i = 0; i < GROUP; i++) {
        int ended = tl_part_finish(pieces[i].part, status == 0, tl_capture_dropped(capture),
                                   status == 0 ? err : NULL);

        status = status != 0 ? status : ended;
    }
    tl_capture_close(capture);
    return status;
}

int tl_split(const struct tl_index *index, const char *path, const char *folder,
             struct fal_error *err)
{
    int status = 0;

    if (strlen(folder) + sizeof "/connection-18446744073709551615.pcapng" > PATH_ROOM)
        return fal_fail(err, FAL_ERR_RANGE, "the name of the folder is too long");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fal_fail(err, FAL_ERR_IO, "%s: %s", folder, strerror(errno));
    for (size_t first = 0; first < index->num_rows && status == 0; first += GROUP)
        status = group(index, path, folder, first, err);
    return status;
}
