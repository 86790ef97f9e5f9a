/* SPDX-License-Identifier: Apache-2.0
 * timeline_names.h - the words and the member tables of the timeline file. Each table of words
 * is indexed by its enum. */
#ifndef FAL_ORACLES_TIMELINE_NAMES_H
#define FAL_ORACLES_TIMELINE_NAMES_H

#include "oracles/timeline.h"

#include "codecs/json/shape.h"

enum {
    FAL_EV_COUNT = FAL_EV_END + 1,
    FAL_DIR_COUNT = FAL_FROM_SUT + 1,
    FAL_VANTAGE_COUNT = FAL_VANTAGE_SUT + 1,
    FAL_ORIGIN_COUNT = FAL_ORIGIN_FOREIGN + 1,
    FAL_OP_COUNT = FAL_OP_PULL + 1,
    FAL_ANSWER_COUNT = FAL_ANSWER_WITHHOLD + 1,
    FAL_ULP_COUNT = FAL_ULP_COMPLETION + 1,
    FAL_CC_QUEUE_COUNT = FAL_CC_QUEUE_RESULT + 1,
    FAL_MARK_COUNT = FAL_MARK_BARRIER + 1,
    FAL_BAD_COUNT = FAL_BAD_REPLAY + 1,
    FAL_BENCH_COUNT = FAL_BENCH_TIMER + 1,
    FAL_VERBS_PHASE_COUNT = FAL_VERBS_TOLD + 1,
};

extern const char *const fal_event_names[FAL_EV_COUNT];
extern const char *const fal_dir_names[FAL_DIR_COUNT];
extern const char *const fal_vantage_names[FAL_VANTAGE_COUNT];
extern const char *const fal_origin_names[FAL_ORIGIN_COUNT];
extern const char *const fal_op_names[FAL_OP_COUNT];
extern const char *const fal_answer_names[FAL_ANSWER_COUNT];
extern const char *const fal_ulp_names[FAL_ULP_COUNT];
extern const char *const fal_cc_queue_names[FAL_CC_QUEUE_COUNT];
extern const char *const fal_mark_names[FAL_MARK_COUNT];
extern const char *const fal_bad_names[FAL_BAD_COUNT];
extern const char *const fal_bench_names[FAL_BENCH_COUNT];
extern const char *const fal_verbs_phase_names[FAL_VERBS_PHASE_COUNT];

/* The members of each kind of event; C keeps them in a struct fal_event. */
extern const struct fal_shape fal_event_shapes[FAL_EV_COUNT];
/* The word and its members, of events that are words of an upper layer. */
extern const struct fal_shape fal_verbs_word_shape, fal_verbs_body_shape;
extern const struct fal_shape fal_nvme_word_shape, fal_nvme_body_shape;
/* What kind of event an object is; the other members are skipped. */
extern const struct fal_shape fal_event_kind_shape;
/* A line of a timeline file. */
extern const struct fal_shape fal_timeline_shape;

/* Timelines written before the event "bench" say it in an "internal" event, as a sentence. True
 * when `text` is one of these; `out` then holds what it says, and borrows from `text`. */
bool fal_bench_from_sentence(const char *text, struct fal_ev_bench *out);
/* Timelines written before the event "cc" show a queue entry in a "cm" event, as the line of
 * the control protocol. True when `text` is such a line; `out` then holds all but `seq`. */
bool fal_cc_from_line(const char *text, struct fal_ev_cc *out);

#endif
