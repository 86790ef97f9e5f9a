/* SPDX-License-Identifier: Apache-2.0
 * feed_testing.h - a file as a program would hand it to libtalon: frame by frame in batches, or
 * line by line. */
#ifndef TL_HARNESS_LIB_FEED_TESTING_H
#define TL_HARNESS_LIB_FEED_TESTING_H

#include "harness/capture/capture.h"
#include "harness/doc/line_file.h"
#include "harness/lib/talon.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEED_BATCH = 32 };

/* Frames of a capture that wait for their batch, with copies of their bytes. */
struct feed {
    struct talon_judge *judge;
    struct talon_frame frames[FEED_BATCH];
    uint8_t *bytes; /* FEED_BATCH times TL_FRAME_MAX */
    size_t num;
    FILE *ulp; /* lines talon/ulp/1 to hand in between the frames, or NULL */
    char *line;
    size_t cap;
    ssize_t len; /* of the line that waits; -1: none */
};

static inline int feed_flush(struct feed *feed, struct talon_error *err)
{
    int rc = talon_judge_frames(feed->judge, feed->frames, feed->num, err);

    feed->num = 0;
    return rc;
}

/* The time of the line that waits, in the clock of the lines. */
static inline uint64_t feed_line_ns(const struct feed *feed)
{
    json_t *line = json_loadb(feed->line, (size_t)feed->len, 0, NULL);
    json_int_t t_ns = json_integer_value(json_object_get(line, "t_ns"));

    json_decref(line);
    return (uint64_t)t_ns;
}

/* Hands in the lines up to a time. */
static inline int feed_lines(struct feed *feed, uint64_t until_ns, struct talon_error *err)
{
    int rc = 0;

    while (rc == 0 && feed->ulp != NULL && feed->len >= 0 && feed_line_ns(feed) <= until_ns) {
        rc = feed_flush(feed, err);
        if (rc == 0)
            rc = talon_judge_event(feed->judge, feed->line, (size_t)feed->len, err);
        feed->len = getline(&feed->line, &feed->cap, feed->ulp);
    }
    return rc;
}

static inline int feed_one(struct feed *feed, const struct tl_captured *got,
                           struct talon_error *err)
{
    int rc = feed_lines(feed, got->ts_ns, err);
    uint8_t *copy = feed->bytes + feed->num * TL_FRAME_MAX;

    memcpy(copy, got->bytes, got->caplen);
    feed->frames[feed->num++] = (struct talon_frame){
        .time_ns = got->ts_ns,
        .bytes = copy,
        .captured = got->caplen,
        .length = got->len,
        .linktype = got->linktype,
        .interface = got->marks != NULL ? got->marks->interface : 0,
        .drops = got->marks != NULL ? (uint32_t)got->marks->drops : 0,
    };
    return rc == 0 && feed->num == FEED_BATCH ? feed_flush(feed, err) : rc;
}

/* Hands in the frames of a capture, and the lines of `ulp` (NULL: none) in their time. */
static inline int feed_capture(struct talon_judge *judge, const char *path, const char *ulp,
                               struct talon_error *err)
{
    struct fal_error why = {{0}};
    struct tl_capture *capture = tl_capture_open(path, &why);
    struct feed feed = {.judge = judge,
                        .ulp = ulp != NULL ? fopen(ulp, "r") : NULL,
                        .bytes = malloc((size_t)FEED_BATCH * TL_FRAME_MAX)};
    struct tl_captured got;
    int rc = capture != NULL && (feed.ulp != NULL) == (ulp != NULL) ? 0 : TALON_ERR_IO;

    if (feed.bytes == NULL)
        rc = TALON_ERR_MEM;
    if (rc == 0 && feed.ulp != NULL) {
        feed.len = getline(&feed.line, &feed.cap, feed.ulp);
        rc = talon_judge_event(judge, feed.line, (size_t)feed.len, err);
        feed.len = getline(&feed.line, &feed.cap, feed.ulp);
    }
    while (rc == 0 && (rc = tl_capture_next(capture, &got, &why)) == 1) {
        rc = feed_one(&feed, &got, err);
        talon_judge_missed(judge, tl_capture_dropped(capture));
    }
    if (rc == 0)
        rc = feed_flush(&feed, err);
    if (rc == 0)
        rc = feed_lines(&feed, UINT64_MAX, err);
    tl_capture_close(capture);
    if (feed.ulp != NULL)
        (void)fclose(feed.ulp);
    free(feed.line);
    free(feed.bytes);
    return rc;
}

/* Hands in the lines of a timeline. */
static inline int feed_timeline(struct talon_judge *judge, const char *path,
                                struct talon_error *err)
{
    struct tl_file_lines lines = {.file = fopen(path, "r")};
    struct fal_error why = {{0}};
    int rc = lines.file != NULL ? 0 : TALON_ERR_IO;

    while (rc == 0 && tl_file_line(&lines, &why) == 1)
        rc = talon_judge_event(judge, lines.line, lines.len, err);
    if (lines.file != NULL)
        (void)fclose(lines.file);
    free(lines.line);
    return rc;
}

/* A text that grows, for talon_judge_report. */
struct feed_text {
    char *text;
    size_t len;
};
static inline int feed_write(void *ctx, const char *bytes, size_t length)
{
    struct feed_text *text = ctx;
    char *grown = realloc(text->text, text->len + length + 1);

    if (grown == NULL)
        return -1;
    memcpy(grown + text->len, bytes, length);
    text->text = grown;
    text->len += length;
    grown[text->len] = '\0';
    return 0;
}

#endif
