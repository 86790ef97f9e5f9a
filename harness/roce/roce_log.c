/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/roce/roce_log.h"

#include "codecs/base/time_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tl_roce_log_init(struct tl_roce_log *log, const struct tl_roce_scenario *scenario)
{
    *log = (struct tl_roce_log){.scenario = scenario};
    log->labels = calloc(scenario->num_steps, sizeof *log->labels);
    if (log->labels == NULL)
        return FAL_ERR_MEM;
    for (size_t i = 0; i < scenario->num_steps; i++)
        log->digests |= scenario->steps[i].verb == TL_ROCE_COPIES;
    for (size_t i = 0; i < scenario->num_steps; i++)
        if (scenario->steps[i].as != NULL)
            log->labels[log->num_labels++] =
                (struct tl_roce_label){.name = scenario->steps[i].as, .index = SIZE_MAX};
    return 0;
}

void tl_roce_log_free(struct tl_roce_log *log)
{
    free(log->seen);
    free(log->passed);
    free(log->events);
    free(log->labels);
    *log = (struct tl_roce_log){.scenario = NULL};
}

/* ---- connections ---- */

/* Whether PSNs of the packet are of requests that the other end sent. */
static bool answers(const struct fal_roce_packet *packet)
{
    enum fal_roce_class class = fal_roce_class_of(packet);

    return class == FAL_ROCE_RESPONSE || class == FAL_ROCE_ACK || class == FAL_ROCE_NAK ||
           class == FAL_ROCE_RNR;
}

/* The number of the connection (from 1) whose other end has that queue pair; one that is not
 * known yet is the first without a number, where connections are learned. */
static unsigned conn_of(struct tl_roce_log *log, unsigned from,
                        const struct fal_roce_packet *packet)
{
    unsigned to = 1 - from;
    struct tl_roce_conn *conn;
    unsigned i = 0;

    for (i = 0; i < log->num_conns; i++)
        if (log->conns[i].has_qpn[to] && log->conns[i].qpn[to] == packet->bth.dest_qp)
            return i + 1;
    if (!log->learns)
        return 0;
    for (i = 0; i < log->num_conns && log->conns[i].has_qpn[to]; i++)
        ;
    if (i == TL_ROCE_CONNS_MAX)
        return 0;
    if (i == log->num_conns)
        log->num_conns++;
    conn = &log->conns[i];
    conn->has_qpn[to] = true;
    conn->qpn[to] = packet->bth.dest_qp;
    return i + 1;
}

static void learn(struct tl_roce_log *log, const struct tl_roce_seen *seen)
{
    struct tl_roce_conn *conn = &log->conns[seen->conn - 1];

    if (fal_roce_class_of(&seen->packet) != FAL_ROCE_REQUEST || conn->has_psn[seen->from])
        return;
    conn->has_psn[seen->from] = true;
    conn->psn[seen->from] = seen->packet.bth.psn;
}

/* ---- entries ---- */

static struct tl_roce_seen *new_entry(struct tl_roce_log *log)
{
    if (log->num_seen == TL_ROCE_SEEN_MAX) {
        log->full = true;
        return NULL;
    }
    if (log->num_seen == log->cap_seen) {
        size_t cap = log->cap_seen == 0 ? 256 : log->cap_seen * 2;
        struct tl_roce_seen *grown = realloc(log->seen, cap * sizeof *grown);

        if (grown == NULL) {
            log->no_memory = true;
            return NULL;
        }
        log->seen = grown;
        log->cap_seen = cap;
    }
    return &log->seen[log->num_seen++];
}

struct tl_roce_seen *tl_roce_log_frame(struct tl_roce_log *log, uint64_t now_ns, unsigned from,
                                       const uint8_t *bytes, size_t len)
{
    const struct fal_captured captured = {bytes, len, len, FAL_LINKTYPE_ETHERNET};
    struct tl_roce_seen *seen, now = {.at_ns = now_ns, .from = from, .bytes = len};
    struct fal_roce_route route;

    if (!fal_roce_frame_decode(&captured, &now.packet, &route, &now.icrc))
        return NULL;
    seen = new_entry(log);
    if (seen == NULL)
        return NULL;
    now.ecn = route.ecn;
    now.src = route.src;
    now.dst = route.dst;
    now.v6 = route.v6;
    now.dscp = route.dscp;
    if (log->digests && now.packet.data_len > 0)
        now.digest = fal_roce_digest(0, now.packet.data, now.packet.data_there);
    now.packet.data = NULL; /* of the frame, which is soon gone */
    now.conn = conn_of(log, from, &now.packet);
    *seen = now;
    log->routes[from] = route;
    log->has_route[from] = true;
    if (now.conn != 0)
        learn(log, seen);
    return seen;
}

void tl_roce_log_passed(struct tl_roce_log *log, const struct tl_roce_passed *passed)
{
    if (log->num_passed == log->cap_passed) {
        size_t cap = log->cap_passed == 0 ? 256 : log->cap_passed * 2;
        struct tl_roce_passed *grown = realloc(log->passed, cap * sizeof *grown);

        if (grown == NULL) {
            log->no_memory = true;
            return;
        }
        log->passed = grown;
        log->cap_passed = cap;
    }
    log->passed[log->num_passed++] = *passed;
}

void tl_roce_log_event(struct tl_roce_log *log, unsigned end,
                       const struct fal_roce_event *event)
{
    if (log->num_events == log->cap_events) {
        size_t cap = log->cap_events == 0 ? 64 : log->cap_events * 2;
        struct tl_roce_happened *grown = realloc(log->events, cap * sizeof *grown);

        if (grown == NULL) {
            log->no_memory = true;
            return;
        }
        log->events = grown;
        log->cap_events = cap;
    }
    log->events[log->num_events++] = (struct tl_roce_happened){end, *event};
}

/* ---- labels ---- */

struct tl_roce_label *tl_roce_log_label(struct tl_roce_log *log, const char *name)
{
    for (size_t i = 0; name != NULL && i < log->num_labels; i++)
        if (strcmp(log->labels[i].name, name) == 0)
            return &log->labels[i];
    return NULL;
}

void tl_roce_log_set(struct tl_roce_log *log, const struct tl_roce_step *step, uint64_t at_ns,
                     size_t index)
{
    struct tl_roce_label *label = tl_roce_log_label(log, step->as);

    if (label == NULL || label->set)
        return;
    label->set = true;
    label->at_ns = at_ns;
    label->index = index;
    if (index < log->num_seen)
        label->psn = log->seen[index].packet.bth.psn;
}

/* ---- patterns ---- */

static bool psn_of(const void *ctx, const char *name, uint32_t *psn)
{
    const struct tl_roce_log *log = ctx;

    for (size_t i = 0; i < log->num_labels; i++)
        if (strcmp(log->labels[i].name, name) == 0 && log->labels[i].set) {
            *psn = log->labels[i].psn;
            return log->labels[i].index != SIZE_MAX;
        }
    return false;
}

bool tl_roce_log_fits(const struct tl_roce_log *log, const struct tl_roce_step *step,
                      const struct tl_roce_seen *seen)
{
    struct fal_roce_subject subject = {.packet = &seen->packet,
                                       .ecn = seen->ecn,
                                       .qp = seen->conn,
                                       .icrc = seen->icrc,
                                       .label = psn_of,
                                       .ctx = log};

    if ((step->from != TL_ROCE_EITHER && (unsigned)step->from != seen->from) ||
        (unsigned)step->at != seen->point)
        return false;
    if (seen->conn != 0) {
        const struct tl_roce_conn *conn = &log->conns[seen->conn - 1];
        unsigned requester = answers(&seen->packet) ? 1 - seen->from : seen->from;

        subject.has_base = conn->has_psn[requester];
        subject.base = conn->psn[requester];
    }
    return fal_roce_pattern_match(&step->pattern, &subject);
}

void tl_roce_log_line(const struct tl_roce_seen *seen, char *out, size_t cap)
{
    static const char *const ecns[] = {"", " ecn=ect1", " ecn=ect0", " ecn=ce"};
    char text[FAL_ROCE_TEXT_MAX];

    (void)fal_roce_text(&seen->packet, text, sizeof text);
    (void)snprintf(out, cap, "@%s %c> %.300s%s%s%s%s%s", fal_time_text(seen->at_ns).text,
                   seen->from == 0 ? 'a' : 'b', text, ecns[seen->ecn & 3],
                   seen->icrc == FAL_ICRC_BAD ? " icrc=bad" : "",
                   seen->injected  ? "    # sent by Talon"
                   : seen->dropped ? "    # dropped by Talon"
                   : seen->acted   ? "    # changed by Talon"
                                   : "",
                   seen->point == TL_ROCE_ARRIVAL ? "    # on arrival" : "",
                   seen->conn == 0 ? "    # of no known queue pair" : "");
}
