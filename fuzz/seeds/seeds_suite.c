/* SPDX-License-Identifier: Apache-2.0
 * seeds_suite.c - first inputs from a run of the suite. DIRECTORY/CASE has the case's timeline,
 * its packets and its scenario; of each target's kind as many cases are taken as inputs are
 * wanted, spread over all of them. */
#include "fuzz/seeds/seeds.h"
#include "fuzz/targets/acts.h"
#include "fuzz/targets/fuzz_frame.h"
#include "fuzz/targets/timeline_input.h"
#include "harness/capture/capture.h"
#include "harness/doc/line_file.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, PATH_ROOM = 4096, SMALL_TIMELINE = 6000, SMALL_FILE = 4096 };

/* An input that grows. */
struct draft {
    uint8_t bytes[ROOM];
    size_t len;
    bool full;
};

static void add(struct draft *draft, const void *bytes, size_t len)
{
    if (len > ROOM - draft->len) {
        draft->full = true;
        return;
    }
    memcpy(draft->bytes + draft->len, bytes, len);
    draft->len += len;
}

/* The greatest `when` whose delay is not longer. */
static uint8_t when(uint64_t ns)
{
    unsigned best = 0;

    for (unsigned w = 0; w < 256; w++)
        if (fuzz_delay((uint8_t)w) <= ns && fuzz_delay((uint8_t)w) > fuzz_delay((uint8_t)best))
            best = w;
    return (uint8_t)best;
}

static void add_record(struct draft *draft, unsigned kind, uint64_t delay_ns, const void *bytes,
                       size_t len)
{
    const uint8_t head[FUZZ_RECORD_LEN] = {(uint8_t)kind, when(delay_ns), (uint8_t)(len >> 8),
                                           (uint8_t)len};

    if (len > UINT16_MAX)
        return;
    add(draft, head, sizeof head);
    add(draft, bytes, len);
}

static void add_number(uint8_t **at, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        *(*at)++ = (uint8_t)(value >> (8 * bytes));
}

/* ---- timelines ---- */

/* The parts of an input that is made while its timeline is read. */
struct telling {
    struct draft *draft;
    struct fal_connection connection;
    uint64_t last_ns;
};

/* Numbers of a timeline as fuzz_rules' connections count. */
static size_t rebase(const struct telling *telling, const struct fal_ev_packet *from,
                     uint32_t psn_first, uint32_t rsn_first, uint8_t *out, size_t cap)
{
    bool to_sut = from->dir == FAL_TO_SUT;
    const struct fal_end *sender =
        to_sut ? &telling->connection.tester : &telling->connection.sut;
    const struct fal_end *receiver =
        to_sut ? &telling->connection.sut : &telling->connection.tester;
    struct fal_falcon p = from->falcon;
    int n;

    if (from->header_len <= 0)
        return 0;
    p.dest_cid = TIMELINE_CID + (to_sut ? 1 : 0);
    p.dest_function = fal_falcon_is_ack(p.packet_type) ? 0 : TIMELINE_FUNCTION + to_sut;
    p.psn += psn_first -
             (fal_falcon_window(&p) == FAL_WINDOW_REQ ? sender->req_psn : sender->data_psn);
    if (fal_falcon_is_ack(p.packet_type))
        p.psn = p.rsn = 0;
    else
        p.rsn += rsn_first - (p.packet_type == FAL_PULL_DATA ? receiver->rsn : sender->rsn);
    p.recv_req_base_psn += psn_first - receiver->req_psn;
    p.recv_data_base_psn += psn_first - receiver->data_psn;
    if (p.packet_type == FAL_NACK)
        p.nack_psn +=
            psn_first - (p.window == FAL_WINDOW_REQ ? receiver->req_psn : receiver->data_psn);
    n = fal_falcon_encode(&p, from->payload, from->payload_len, out, cap, NULL);
    return n > 0 ? (size_t)n : 0;
}

/* For fuzz_endpoint: what steps send is hostile, the rest are transactions. */
static void tell_act(struct telling *telling, const struct fal_event *event)
{
    static uint8_t wire[ROOM];
    const struct fal_ev_packet *packet = &event->u.packet;
    unsigned side = packet->dir == FAL_FROM_SUT ? ACT_SIDE : 0;
    uint64_t delay_ns = event->t_ns - telling->last_ns;
    uint8_t length[2] = {(uint8_t)(packet->falcon.request_length >> 8),
                         (uint8_t)packet->falcon.request_length};
    size_t len;

    if (event->kind != FAL_EV_PACKET)
        return;
    if (packet->dir == FAL_TO_SUT && packet->origin == FAL_ORIGIN_STEP) {
        len = rebase(telling, packet, 0, 0, wire, sizeof wire);
        add_record(telling->draft, ACT_AIMED | ACT_SIDE, delay_ns, wire, len);
    } else if (packet->falcon.packet_type == FAL_PUSH_DATA) {
        add_record(telling->draft, ACT_PUSH | side, delay_ns, length, sizeof length);
    } else if (packet->falcon.packet_type == FAL_PULL_REQUEST) {
        add_record(telling->draft, ACT_PULL | side, delay_ns, length, sizeof length);
    } else {
        return;
    }
    telling->last_ns = event->t_ns;
}

static size_t tell_ulp(const struct fal_ev_ulp *ulp, uint32_t rsn, uint8_t *out)
{
    uint8_t *at = out;

    add_number(&at,
               ulp->kind | (ulp->op == FAL_OP_PULL ? 8u : 0u) | (ulp->redelivery ? 16u : 0u) |
                   (ulp->has_hash ? 32u : 0u),
               1);
    add_number(&at, ulp->answer, 1);
    add_number(&at, ulp->seq, 1);
    add_number(&at, rsn, 4);
    add_number(&at, ulp->length, 2);
    add_number(&at, ulp->tag, 1);
    add_number(&at, ulp->code, 1);
    add_number(&at, ulp->hash, 8);
    return (size_t)(at - out);
}

/* For fuzz_rules. */
static void tell_event(struct telling *telling, const struct fal_event *event)
{
    static uint8_t wire[ROOM];
    uint64_t delay_ns = event->t_ns - telling->last_ns;
    unsigned kind = event->kind;
    size_t len = 0;

    switch (event->kind) {
    case FAL_EV_PACKET:
        len = rebase(telling, &event->u.packet, TIMELINE_PSN, TIMELINE_RSN, wire, sizeof wire);
        kind |= (event->u.packet.dir == FAL_FROM_SUT ? TIMELINE_FROM_SUT : 0u) |
                (event->u.packet.origin == FAL_ORIGIN_STEP ? TIMELINE_STEP : 0u);
        break;
    case FAL_EV_ULP: {
        uint32_t first = event->u.ulp.kind == FAL_ULP_COMPLETION
                             ? telling->connection.sut.rsn
                             : telling->connection.tester.rsn;

        len = tell_ulp(&event->u.ulp, event->u.ulp.rsn - first + TIMELINE_RSN, wire);
        break;
    }
    case FAL_EV_MARK:
        wire[0] = (uint8_t)event->u.mark.mark;
        len = 1;
        break;
    case FAL_EV_CM:
    case FAL_EV_CLOSE: break;
    case FAL_EV_RUN:
    case FAL_EV_CONNECTION:
    case FAL_EV_COMMAND:
    case FAL_EV_REPLY:
    case FAL_EV_STEP:
    case FAL_EV_NOTE:
    case FAL_EV_TIMING:
    case FAL_EV_BENCH:
    case FAL_EV_CC:
    case FAL_EV_VERBS:
    case FAL_EV_NVME:
    case FAL_EV_INTERNAL:
    case FAL_EV_END: return;
    }
    telling->last_ns = event->t_ns;
    add_record(telling->draft, kind, delay_ns, wire, len);
}

/* For fuzz_control: what the tester wrote, or what it read. */
static void tell_line(struct telling *telling, const struct fal_event *event)
{
    bool tester = (telling->draft->bytes[0] & 1) != 0;
    const char *text = NULL;

    if (event->kind == FAL_EV_COMMAND && !tester)
        text = event->u.command.text;
    else if (event->kind == FAL_EV_REPLY && tester)
        text = event->u.reply.text;
    else if (event->kind == FAL_EV_ULP && tester)
        text = event->u.ulp.text;
    else if (event->kind == FAL_EV_CM && tester)
        text = event->u.cm.text;
    if (text == NULL)
        return;
    add(telling->draft, text, strlen(text));
    add(telling->draft, "\n", 1);
}

typedef void tell(struct telling *telling, const struct fal_event *event);

static void read_timeline(const char *path, struct draft *draft, tell *tell_one)
{
    struct telling telling = {.draft = draft};
    struct tl_file_lines lines = {.file = fopen(path, "rb")};
    struct fal_event_storage storage = {0};
    struct fal_error err;

    while (lines.file != NULL && tl_file_line(&lines, &err) == 1) {
        json_t *json = json_loadb(lines.line, lines.len, 0, NULL);
        struct fal_event event;

        if (json != NULL && fal_event_from_json(json, &event, &storage, &err) == 0) {
            if (event.kind == FAL_EV_PACKET)
                fal_event_packet(&event.u.packet);
            if (event.kind == FAL_EV_CONNECTION)
                telling.connection = event.u.connection;
            tell_one(&telling, &event);
        }
        json_decref(json);
    }
    if (lines.file != NULL)
        (void)fclose(lines.file);
    fal_event_storage_free(&storage);
    free(lines.line);
}

/* ---- one case, by target; each fills the draft ---- */

static void add_file(struct draft *draft, const char *path, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t len;

    if (file == NULL)
        return;
    len = fread(draft->bytes + draft->len, 1, ROOM - draft->len, file);
    draft->full |= draft->len + len > most;
    draft->len += len;
    (void)fclose(file);
}

static void from_packets(struct draft *draft, const char *path, size_t number)
{
    struct fal_error err;
    struct tl_capture *capture = tl_capture_open(path, &err);
    struct tl_captured frame;
    size_t want = number % 7;

    while (capture != NULL && tl_capture_next(capture, &frame, &err) == 1)
        if (want-- == 0) {
            add(draft,
                (uint8_t[FUZZ_FRAME_HEAD]){frame.linktype == FAL_LINKTYPE_ETHERNET
                                               ? FUZZ_FRAME_KEYS | 3u
                                               : FUZZ_FRAME_KEYS | 4u},
                FUZZ_FRAME_HEAD);
            add(draft, frame.bytes, frame.caplen);
            break;
        }
    tl_capture_close(capture);
}

static void from_scenario(struct draft *draft, const char *path)
{
    json_t *json = json_load_file(path, 0, NULL);
    char *text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;

    if (text != NULL)
        add(draft, text, strlen(text));
    free(text);
    json_decref(json);
}

static bool take_case(const char *target, const char *evidence, const char *name, size_t number,
                      struct draft *draft)
{
    char timeline[PATH_ROOM], packets[PATH_ROOM], scenario[PATH_ROOM];

    (void)snprintf(timeline, sizeof timeline, "%s/%s/timeline.jsonl", evidence, name);
    (void)snprintf(packets, sizeof packets, "%s/%s/packets.pcapng", evidence, name);
    (void)snprintf(scenario, sizeof scenario, "%s/%s/scenario.json", evidence, name);
    memset(draft->bytes, 0, FUZZ_HEAD_LEN);
    draft->len = 0;
    draft->full = false;
    if (strcmp(target, "frame") == 0) {
        from_packets(draft, packets, number);
    } else if (strcmp(target, "endpoint") == 0) {
        memcpy(draft->bytes, (uint8_t[]){1, 0, 0, 0, 64, 64}, 6);
        draft->len = FUZZ_HEAD_LEN;
        read_timeline(timeline, draft, tell_act);
    } else if (strcmp(target, "rules") == 0 && number % 8 == 7) {
        add_file(draft, timeline, SMALL_TIMELINE);
    } else if (strcmp(target, "rules") == 0) {
        draft->bytes[0] = TIMELINE_LOSSLESS | TIMELINE_ORDERED | TIMELINE_ORDERED_EVENTS;
        draft->len = FUZZ_HEAD_LEN;
        read_timeline(timeline, draft, tell_event);
    } else if (strcmp(target, "scenario") == 0) {
        from_scenario(draft, scenario);
    } else if (strcmp(target, "capture") == 0) {
        add_file(draft, packets, SMALL_FILE);
    } else if (strcmp(target, "control") == 0) {
        draft->bytes[0] = number & 1;
        draft->bytes[1] = number % 3 == 0 ? 200 : 0;
        draft->len = 2;
        /* a timeline begins when the connection is there */
        add(draft, seeds_control_before(number & 1), strlen(seeds_control_before(number & 1)));
        read_timeline(timeline, draft, tell_line);
    } else {
        return false;
    }
    return true;
}

bool seeds_suite(struct seeds *seeds, const char *evidence)
{
    struct dirent **names = NULL;
    struct draft *draft = malloc(sizeof *draft);
    int n = scandir(evidence, &names, NULL, alphasort);
    bool any = draft != NULL && n > 0;
    size_t wanted = seeds->count - seeds->written;

    if (n < 0)
        perror(evidence);
    for (int i = 0; any && i < n && seeds_wanted(seeds); i++) {
        /* spread over all: the i-th is taken when the count of those taken grows there */
        size_t before = (size_t)i * wanted * 2 / (size_t)n;
        size_t after = ((size_t)i + 1) * wanted * 2 / (size_t)n;

        if (names[i]->d_name[0] == '.' || before == after)
            continue;
        if (!take_case(seeds->target, evidence, names[i]->d_name, after, draft))
            any = false;
        else if (draft->len > FUZZ_HEAD_LEN && !draft->full)
            (void)seeds_write(seeds, draft->bytes, draft->len);
    }
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
    free(draft);
    return any;
}
