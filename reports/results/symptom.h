/* SPDX-License-Identifier: Apache-2.0
 * symptom.h - what the packets of a case show of a violation (symptom_list.h). */
#ifndef TL_REPORTS_RESULTS_SYMPTOM_H
#define TL_REPORTS_RESULTS_SYMPTOM_H

/* In lists of fields. */
#define TL_BASES   "recv_data_base_psn recv_req_base_psn"
#define TL_BITMAPS "data_ack_bitmap data_rx_bitmap req_bitmap"

enum tl_symptom {
    TL_SYMPTOM_NONE, /* no more than the rule or the step says */
#define SYMPTOM(id, kind, word, requirement, fields, sentence) TL_SYMPTOM_##id,
#include "reports/results/symptom_list.h"
#undef SYMPTOM
    TL_SYMPTOM_COUNT,
};

/* A broad symptom says which check failed; a step may say more exactly why. */
enum tl_symptom_kind { TL_SYMPTOM_SEEN, TL_SYMPTOM_MISSING, TL_SYMPTOM_BROAD };

struct tl_symptom_about {
    enum tl_symptom_kind kind;
    const char *word;        /* a stable code */
    const char *requirement; /* the id that it violates */
    const char *fields;      /* canonical names of those that show it, a space between two */
    const char *sentence;    /* without a full stop */
};

/* NULL for NONE. */
const struct tl_symptom_about *tl_symptom_about(enum tl_symptom symptom);
/* The symptom of that word; NONE where this version does not know it. */
enum tl_symptom tl_symptom_from(const char *word);

#endif
