/* SPDX-License-Identifier: Apache-2.0
 * index.c - which connection each frame of a capture belongs to. */
#include "harness/field/by_connection.h"

#include "harness/capture/capture.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define TL_INDEX_SCHEMA "talon/index/1"

/* ---- reading ---- */

static int room(struct tl_index *index, size_t number, uint64_t frames, struct fal_error *err)
{
    if ((frames & (frames - 1)) == 0) { /* doubles at powers of two */
        uint32_t *grown =
            realloc(index->conn_of, (frames == 0 ? 1 : 2 * frames) * sizeof *grown);

        if (grown == NULL)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
        index->conn_of = grown;
    }
    while (index->num_rows <= number) {
        size_t n = index->num_rows;

        if ((n & (n - 1)) == 0) {
            struct tl_indexed *grown =
                realloc(index->rows, (n == 0 ? 1 : 2 * n) * sizeof *grown);

            if (grown == NULL)
                return fal_fail(err, FAL_ERR_MEM, "out of memory");
            index->rows = grown;
        }
        index->rows[index->num_rows++] = (struct tl_indexed){.number = (uint32_t)n};
    }
    return 0;
}

static void count(struct tl_indexed *row, const struct tl_captured *got, int receiver)
{
    if (row->frames[0] + row->frames[1] == 0) {
        row->first_frame = got->number;
        row->first_ns = got->ts_ns;
    }
    row->last_ns = got->ts_ns;
    row->frames[receiver]++;
}

static int read_frames(struct tl_index *index, struct tl_capture *capture,
                       struct tl_recorder *recorder, struct fal_error *err)
{
    struct tl_captured got;
    struct tl_recorded_frame frame;
    int more, status;

    while ((more = tl_capture_next(capture, &got, err)) > 0) {
        status = tl_recorder_take(recorder, &got, &frame, err);
        if (status == 0)
            status = room(index, frame.conn, index->frames, err);
        if (status != 0)
            return status;
        index->conn_of[index->frames++] = frame.conn;
        count(&index->rows[frame.conn], &got, frame.conn == 0 ? 0 : frame.receiver);
    }
    return more;
}

/* What is known of the ends when all frames were read. */
static void name_ends(struct tl_index *index, const struct tl_check *check)
{
    for (size_t i = 1; i < index->num_rows && i <= check->num_conns; i++) {
        const struct tl_check_conn *conn = &check->conns[i - 1];

        for (int side = 0; side < 2; side++) {
            index->rows[i].host[side] = conn->host[side];
            index->rows[i].known[side] = conn->known[side];
        }
        index->rows[i].uncertain = conn->uncertain;
        index->rows[i].cid[0] = conn->setup.sut.cid;
        index->rows[i].cid[1] = conn->setup.tester.cid;
    }
}

int tl_index_read(struct tl_index *index, const struct tl_recording_config *config,
                  struct fal_error *err)
{
    struct tl_recording_config live = *config;
    struct tl_capture *capture = tl_capture_open(config->path, err);
    struct tl_recorder *recorder = NULL;
    int status = FAL_ERR_FORM;

    *index = (struct tl_index){.frames = 0};
    live.path = NULL; /* frames are handed to it, with their bytes as they are captured */
    if (capture != NULL)
        recorder = tl_recorder_open(&live, err);
    if (recorder != NULL)
        status = room(index, 0, 1, err);
    if (status == 0)
        status = read_frames(index, capture, recorder, err);
    if (status == 0)
        name_ends(index, tl_recorder_check(recorder));
    tl_recorder_close(recorder);
    tl_capture_close(capture);
    return status;
}

void tl_index_free(struct tl_index *index)
{
    free(index->conn_of);
    free(index->rows);
    *index = (struct tl_index){.frames = 0};
}

/* ---- printing ---- */

static json_t *json_ends(const struct tl_indexed *row)
{
    json_t *ends = json_array();

    for (int side = 0; side < 2 && row->number > 0; side++) {
        char host[TL_CHECK_ADDRESS_MAX];
        json_t *end;

        tl_host_print(row->host[side], host);
        end = json_pack("{s:s, s:I}", "address", host, "frames_to",
                        (json_int_t)row->frames[side]);
        if (end != NULL && row->known[side] &&
            json_object_set_new(end, "cid", json_integer((json_int_t)row->cid[side])) != 0)
            return json_decref(ends), NULL;
        if (json_array_append_new(ends, end) != 0)
            return json_decref(ends), NULL;
    }
    return ends;
}

static int print_json(const struct tl_index *index)
{
    json_t *list = json_array(), *all;
    char *text;

    for (size_t i = 0; i < index->num_rows; i++) {
        const struct tl_indexed *row = &index->rows[i];

        if (row->frames[0] + row->frames[1] == 0)
            continue;
        if (json_array_append_new(
                list, json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "connection",
                                (json_int_t)row->number, "frames",
                                (json_int_t)row->frames[0] + (json_int_t)row->frames[1],
                                "first_frame", (json_int_t)row->first_frame, "first_ns",
                                (json_int_t)row->first_ns, "last_ns", (json_int_t)row->last_ns,
                                "uncertain", row->uncertain, "ends", json_ends(row))) != 0)
            return json_decref(list), FAL_ERR_MEM;
    }
    all = json_pack("{s:s, s:I, s:o}", "schema", TL_INDEX_SCHEMA, "frames",
                    (json_int_t)index->frames, "connections", list);
    text = json_dumps(all, JSON_INDENT(1));
    json_decref(all);
    if (text == NULL)
        return FAL_ERR_MEM;
    puts(text);
    free(text);
    return 0;
}

static void print_end(const struct tl_indexed *row, int side)
{
    char host[TL_CHECK_ADDRESS_MAX], cid[16] = "-";

    tl_host_print(row->host[side], host);
    if (row->known[side])
        (void)snprintf(cid, sizeof cid, "0x%" PRIx32, row->cid[side]);
    printf("  %-16s %-9s", host, cid);
}

int tl_index_print(const struct tl_index *index, bool json)
{
    if (json)
        return print_json(index);
    printf("%10s %9s %9s %14s  %-16s %-9s  %-16s %s\n", "connection", "frames", "first",
           "seconds", "end", "CID", "end", "CID");
    for (size_t i = 1; i <= index->num_rows; i++) { /* the frames of none come last */
        const struct tl_indexed *row = &index->rows[i % index->num_rows];
        uint64_t ns = row->last_ns > row->first_ns ? row->last_ns - row->first_ns : 0;

        if (row->frames[0] + row->frames[1] == 0)
            continue;
        if (row->number > 0)
            printf("%10" PRIu32, row->number);
        else
            printf("%10s", "others");
        printf(" %9" PRIu64 " %9" PRIu64 " %4" PRIu64 ".%09" PRIu64,
               row->frames[0] + row->frames[1], row->first_frame, ns / FAL_S, ns % FAL_S);
        for (int side = 0; side < 2 && row->number > 0; side++)
            print_end(row, side);
        printf("\n");
    }
    return 0;
}
