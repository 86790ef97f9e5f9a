/* SPDX-License-Identifier: Apache-2.0
 * recording.c - reads from a capture who the tester is, and the initial numbers of the
 * connections, as far as their first packets show them. */
#include "harness/check/recording.h"

#include <stdlib.h>
#include <string.h>

/* So many packets that show a number may still bring a lower one, reordered or sent again. */
enum { FIRST_SHOWN = 256, ENDS = 2 };

enum number { REQ_PSN, DATA_PSN, RSN, NUMBERS };

/* What is known of a connection of the capture; its ends are numbered as in struct
 * tl_check_conn. */
struct learned {
    bool seen;
    int sut_side;                                         /* as its frames say it */
    bool marked;                                          /* by the capture's own direction */
    uint64_t frames[ENDS], first_ns[ENDS], last_ns[ENDS]; /* by receiver */
    struct {
        bool has_function;
        uint32_t shown[NUMBERS]; /* so often */
        uint32_t lowest[NUMBERS], function;
    } end[ENDS];
};

struct reading {
    struct learned *conns;
    size_t num_conns, cap_conns;
    bool has_sut; /* the end that the first frame went to */
    struct tl_host sut;
};

static void lower(struct learned *learned, int end, enum number which, uint32_t value)
{
    uint32_t *lowest = &learned->end[end].lowest[which];

    if (learned->end[end].shown[which] == FIRST_SHOWN)
        return;
    if (learned->end[end].shown[which]++ == 0 || (int32_t)(value - *lowest) < 0)
        *lowest = value;
}

/* The numbers that a packet shows: its own, and those of the other end that it acknowledges. */
static void learn_numbers(struct learned *learned, const struct tl_recorded_frame *frame)
{
    const struct fal_falcon *p = &frame->falcon;
    int to = frame->receiver, from = 1 - to;
    bool of_pull_data =
        p->packet_type == FAL_PULL_DATA ||
        (p->packet_type == FAL_RESYNC && p->resync_packet_type == FAL_PULL_DATA);

    lower(learned, to, REQ_PSN, p->recv_req_base_psn);
    lower(learned, to, DATA_PSN, p->recv_data_base_psn);
    if (!fal_falcon_reliable(p->packet_type))
        return;
    lower(learned, from, fal_falcon_window(p) == FAL_WINDOW_REQ ? REQ_PSN : DATA_PSN, p->psn);
    lower(learned, of_pull_data ? to : from, RSN, p->rsn);
    if (!learned->end[to].has_function)
        learned->end[to].function = p->dest_function;
    learned->end[to].has_function = true;
}

static struct learned *learned_of(struct reading *reading, uint32_t number)
{
    size_t cap = reading->cap_conns == 0 ? 16 : reading->cap_conns;
    struct learned *grown;

    while (cap < number)
        cap *= 2;
    if (cap > reading->cap_conns) {
        grown = realloc(reading->conns, cap * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + reading->cap_conns, 0, (cap - reading->cap_conns) * sizeof *grown);
        reading->conns = grown;
        reading->cap_conns = cap;
    }
    if (reading->num_conns < number)
        reading->num_conns = number;
    return &reading->conns[number - 1];
}

/* Without a word about it the end that speaks first is the tester, and its peer's host the
 * SUT's for all connections. */
static void learn_sides(struct reading *reading, struct learned *learned,
                        const struct tl_check_conn *conn, const struct tl_recorded_frame *frame)
{
    const struct tl_host *host = conn->host;

    if (!reading->has_sut) {
        reading->has_sut = true;
        reading->sut = host[frame->inbound ? 1 - frame->receiver : frame->receiver];
    }
    if ((frame->outbound || frame->inbound) && !learned->marked) {
        learned->marked = true;
        learned->sut_side = frame->outbound ? frame->receiver : 1 - frame->receiver;
    } else if (!learned->seen) {
        learned->sut_side = frame->receiver;
        if (!tl_host_eq(host[0], host[1]))
            for (int side = 0; side < ENDS; side++)
                if (tl_host_eq(host[side], reading->sut))
                    learned->sut_side = side;
    }
    learned->seen = true;
}

static int read_frame(struct reading *reading, const struct tl_check *check,
                      const struct tl_recorded_frame *frame)
{
    const struct tl_check_conn *conn = &check->conns[frame->conn - 1];
    struct learned *learned = learned_of(reading, frame->conn);
    int to = frame->receiver;

    if (learned == NULL)
        return FAL_ERR_MEM;
    learn_sides(reading, learned, conn, frame);
    if (frame->header_len > 0)
        learn_numbers(learned, frame);
    if (learned->frames[to]++ == 0)
        learned->first_ns[to] = frame->ts_ns;
    if (frame->ts_ns > learned->last_ns[to])
        learned->last_ns[to] = frame->ts_ns;
    return 0;
}

/* What is known of an end; given values come before observed ones. */
static struct fal_end end_of(const struct tl_check_conn *conn, const struct learned *learned,
                             int side)
{
    struct fal_end end = side == 0 ? conn->setup.sut : conn->setup.tester;

    if (learned->end[side].has_function && end.function == 0)
        end.function = learned->end[side].function;
    if (conn->given && conn->setup.initial_known)
        return end;
    if (learned->end[side].shown[REQ_PSN] > 0)
        end.req_psn = learned->end[side].lowest[REQ_PSN];
    if (learned->end[side].shown[DATA_PSN] > 0)
        end.data_psn = learned->end[side].lowest[DATA_PSN];
    if (learned->end[side].shown[RSN] > 0)
        end.rsn = learned->end[side].lowest[RSN];
    return end;
}

static void describe(struct tl_recorded_conn *out, const struct tl_check *check, size_t index,
                     const struct learned *learned)
{
    const struct tl_check_conn *conn = &check->conns[index];
    int said = tl_check_sut_side(check, conn);
    int sut = said >= 0 ? said : learned->sut_side;

    *out = (struct tl_recorded_conn){
        .number = (uint32_t)index + 1,
        .sut_side = sut,
        .setup = conn->setup,
        .has_cid = {conn->known[1 - sut], conn->known[sut]},
        .frames =
            {[FAL_TO_SUT] = learned->frames[sut], [FAL_FROM_SUT] = learned->frames[1 - sut]},
        .first_ns = learned->first_ns[sut],
        .last_ns = learned->last_ns[sut],
        .host = {conn->host[1 - sut], conn->host[sut]},
    };
    out->setup.sut = end_of(conn, learned, sut);
    out->setup.tester = end_of(conn, learned, 1 - sut);
}

/* Connections of which there is something to be played. */
static int describe_all(struct tl_recording *recording, const struct tl_check *check,
                        const struct reading *reading, struct fal_error *err)
{
    struct tl_recorded_conn one;

    recording->conns = calloc(reading->num_conns + 1, sizeof *recording->conns);
    if (recording->conns == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < reading->num_conns; i++) {
        const struct learned *learned = &reading->conns[i];

        if (!learned->seen)
            continue;
        describe(&one, check, i, learned);
        if (one.frames[FAL_TO_SUT] == 0) {
            recording->others += one.frames[FAL_FROM_SUT];
            continue;
        }
        if (recording->num_conns == TL_RECORDED_CONNS_MAX)
            return fal_fail(err, FAL_ERR_FORM,
                            "%.200s: more than %d connections; take a part of it",
                            recording->config.path, TL_RECORDED_CONNS_MAX);
        recording->conns[recording->num_conns++] = one;
    }
    return 0;
}

int tl_recording_read(struct tl_recording *recording, const struct tl_recording_config *config,
                      struct fal_error *err)
{
    struct tl_recorder *recorder;
    struct tl_recorded_frame frame;
    struct reading reading = {0};
    int rc;

    *recording = (struct tl_recording){.config = *config};
    if (strcmp(config->path, "-") == 0)
        return fal_fail(
            err, FAL_ERR_FORM,
            "a capture to be played is read twice: expected a file, not standard input");
    recorder = tl_recorder_open(config, err);
    if (recorder == NULL)
        return FAL_ERR_FORM;
    while ((rc = tl_recorder_next(recorder, &frame, err)) > 0) {
        recording->frames++;
        if (frame.conn == 0)
            recording->others++;
        else if (read_frame(&reading, tl_recorder_check(recorder), &frame) != 0)
            rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
        if (rc < 0)
            break;
    }
    if (rc == 0)
        rc = describe_all(recording, tl_recorder_check(recorder), &reading, err);
    if (rc == 0 && recording->num_conns == 0)
        rc = fal_fail(err, FAL_ERR_FORM,
                      "%.200s: no Falcon packet of a tester's side among %llu frames (sealed "
                      "ones need --capture-psp-keys or --capture-esp-keys)",
                      config->path, (unsigned long long)recording->frames);
    free(reading.conns);
    tl_recorder_close(recorder);
    return rc;
}

void tl_recording_free(struct tl_recording *recording)
{
    free(recording->conns);
    recording->conns = NULL;
    recording->num_conns = 0;
}
