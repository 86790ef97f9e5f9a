/* SPDX-License-Identifier: Apache-2.0
 * k_script_testing.h - short scripts of transport events for tests. Words, one an event:
 *   @100 the time is 100 ns; +5 five more
 *   P9 post, S3 send, A3 arrive, t3 arrive trimmed, D3 deliver; with /100 bytes and =7 a digest
 *   F3 feedback, R3 reply with cumulative 3 (F-: none); behind it :5-8 acknowledged besides,
 *   !4 a NACK for 4, w10 a window, g6 tokens, u another window or data
 *   T timeout, done, reset, lost */
#ifndef FAL_ORACLES_RULES_TRANSPORT_K_SCRIPT_TESTING_H
#define FAL_ORACLES_RULES_TRANSPORT_K_SCRIPT_TESTING_H

#include "oracles/rules/transport/transport_judge.h"
#include "tests/testing.h"

#include <stdlib.h>
#include <string.h>

static inline void script_reply(char *p, struct fal_tp_reply *r)
{
    if (*p == '-') {
        p++;
    } else {
        r->has_cum = true;
        r->cum = strtoull(p, &p, 10);
    }
    while (*p != 0) {
        const char what = *p++;
        const uint64_t n = strtoull(p, &p, 10);

        switch (what) {
        case ':':
            ck_assert_int_eq(*p, '-');
            r->got[r->num_got].first = n;
            r->got[r->num_got++].end = strtoull(p + 1, &p, 10);
            break;
        case '!':
            r->nack = true;
            r->nack_seg = n;
            break;
        case 'w': r->window = n; break;
        case 'g': r->grant = n; break;
        case 'u': r->update = true; break;
        default: ck_abort_msg("no such word: %c", what);
        }
    }
}

static inline void script_segment(char *p, struct fal_tp_event *e)
{
    e->seg = strtoull(p, &p, 10);
    e->bytes = 100;
    if (*p == '/')
        e->bytes = (uint32_t)strtoul(p + 1, &p, 10);
    if (*p == '=')
        e->digest = strtoull(p + 1, &p, 10);
    ck_assert_int_eq(*p, 0);
}

/* Reads one word. Returns whether it is an event. */
static inline bool script_word(char *word, uint64_t *now_ns, struct fal_tp_event *e)
{
    static const char segments[] = "PSAtD", kinds[] = {FAL_TP_POST, FAL_TP_SEND, FAL_TP_ARRIVE,
                                                       FAL_TP_ARRIVE, FAL_TP_DELIVER};
    const char *s;

    if (*word == '@' || *word == '+') {
        *now_ns = (*word == '+' ? *now_ns : 0) + strtoull(word + 1, NULL, 10);
        return false;
    }
    memset(e, 0, sizeof *e);
    e->flow = 1;
    if (strcmp(word, "T") == 0) {
        e->kind = FAL_TP_TIMEOUT;
    } else if (strcmp(word, "done") == 0) {
        e->kind = FAL_TP_DONE;
    } else if (strcmp(word, "reset") == 0) {
        e->kind = FAL_TP_RESET;
    } else if (strcmp(word, "lost") == 0) {
        e->kind = FAL_TP_LOST_VIEW;
    } else if (*word == 'F' || *word == 'R') {
        e->kind = *word == 'F' ? FAL_TP_FEEDBACK : FAL_TP_REPLY;
        script_reply(word + 1, &e->reply);
    } else {
        s = strchr(segments, *word);
        ck_assert_msg(s != NULL, "no such word: %s", word);
        e->kind = (enum fal_tp_kind)kinds[s - segments];
        e->trimmed = *word == 't';
        script_segment(word + 1, e);
    }
    return true;
}

struct script_result {
    struct fal_tally_row rows[FAL_K_RULES];
    struct fal_tally tally;
};

static inline void script_play(const char *script, const struct fal_tp_row *row,
                               const struct fal_tp_view *view, struct script_result *out)
{
    char *text = strdup(script), *save = NULL;
    uint64_t now_ns = 0, number = 0;
    size_t n;
    struct fal_tp_judge *judge;

    out->tally = (struct fal_tally){fal_k_rules(&n), out->rows, FAL_K_RULES};
    fal_tally_clear(&out->tally);
    judge = fal_tp_judge_new(row, view, &out->tally);
    ck_assert_ptr_nonnull(judge);
    for (char *w = strtok_r(text, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save)) {
        struct fal_tp_event e;

        if (!script_word(w, &now_ns, &e))
            continue;
        e.at_ns = now_ns;
        e.number = ++number;
        ck_assert_int_eq(fal_tp_judge_event(judge, &e), 0);
    }
    fal_tp_judge_end(judge, now_ns);
    fal_tp_judge_free(judge);
    free(text);
}

#endif
