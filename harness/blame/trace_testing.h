/* SPDX-License-Identifier: Apache-2.0
 * trace_testing.h - traces for tests, from lines of the notation: "> push_data psn=1r",
 * "+8us < back dbase=1r". 0r is PSN 1000 of requests and 2000 of data, RSN 10, at both ends. */
#ifndef TL_HARNESS_BLAME_TRACE_TESTING_H
#define TL_HARNESS_BLAME_TRACE_TESTING_H

#include "codecs/text/text.h"
#include "harness/blame/symptoms.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

enum { TRACE_MAX = 16, REQ_0 = 1000, DATA_0 = 2000, RSN_0 = 10 };

struct told {
    struct tl_trace trace;
    struct tl_seen_packet packets[TRACE_MAX];
    struct tl_seen_event events[TRACE_MAX];
    struct fal_params params;
};

static inline struct tl_seen_packet packet_of(const char *line, uint64_t *now_ns)
{
    static const struct fal_relative rel = {REQ_0, DATA_0, RSN_0, REQ_0, DATA_0, RSN_0};
    struct tl_seen_packet packet = {.origin = FAL_ORIGIN_ENDPOINT, .header_len = 1, .step = -1};
    struct fal_pattern pattern;
    struct fal_error err = {{0}};
    uint64_t type = 0, ns = 0;

    ck_assert_msg(fal_text_parse(line, &pattern, &err) == 0, "%s: %s", line, err.text);
    ck_assert(fal_name_find(&fal_names_packet_type, pattern.layout->name, &type));
    fal_falcon_init(&packet.falcon, (enum fal_packet_type)type);
    packet.falcon.recv_data_base_psn = DATA_0;
    packet.falcon.recv_req_base_psn = REQ_0;
    ck_assert_msg(fal_pattern_apply(&pattern, &rel, NULL, &packet.falcon, &err) == 0, "%s: %s",
                  line, err.text);
    if (pattern.time == FAL_TIME_AFTER)
        ck_assert_int_eq(fal_duration_ns(&pattern.from, NULL, &ns, NULL), 0);
    *now_ns += ns;
    packet.t_ns = *now_ns;
    packet.dir = pattern.dir == '>' ? FAL_TO_SUT : FAL_FROM_SUT;
    return packet;
}

/* The trace of these lines (NULL at the end), with the parameters of virtual time. */
static inline void tell(struct told *told, const char *const *lines)
{
    uint64_t now_ns = 0;

    memset(told, 0, sizeof *told);
    fal_params_default(&told->params, false);
    told->trace = (struct tl_trace){
        .packets = told->packets,
        .cap = TRACE_MAX,
        .events = told->events,
        .event_cap = TRACE_MAX,
        .params = &told->params,
        .initial = {DATA_0, REQ_0},
        .peer_initial = {DATA_0, REQ_0},
    };
    for (; lines[told->trace.next] != NULL; told->trace.next++) {
        struct tl_seen_packet *packet = &told->packets[told->trace.next];

        *packet = packet_of(lines[told->trace.next], &now_ns);
        packet->event = told->trace.next + 100;
    }
}

static inline void tell_event(struct told *told, struct tl_seen_event event)
{
    told->events[told->trace.next_event++] = event;
}

#define LINES(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* Asserts the words of symptoms: "back-for-acks back-for-hole", or "". */
static inline void ck_symptoms(struct tl_symptoms is, const char *due)
{
    char words[200] = "";

    for (unsigned i = 0; i < is.count; i++) {
        if (i > 0)
            strcat(words, " ");
        strcat(words, tl_symptom_about(is.list[i])->word);
    }
    ck_assert_str_eq(words, due);
}

static inline void ck_symptom(enum tl_symptom is, const char *due)
{
    ck_assert_str_eq(is != TL_SYMPTOM_NONE ? tl_symptom_about(is)->word : "", due);
}

#endif
