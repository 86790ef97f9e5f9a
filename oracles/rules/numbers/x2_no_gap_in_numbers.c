/* SPDX-License-Identifier: Apache-2.0
 * x2_no_gap_in_numbers.c - rule X2: the PSNs of a window have no gap. A PSN that is missing
 * below one that was seen may be late or lost. On a path that loses nothing it was not sent,
 * once it can no longer be in flight. */
#include "oracles/rules/judge/report.h"

#include <string.h>

const struct fal_rule fal_about_x2 = {
    .id = "X2",
    .title = "the PSNs of a window have no gap",
    .requirements =
        FAL_IDS("FTP-6.1.2-01", "FTP-6.1.2-02", "FTP-6.1.2-03", "FTP-6.1.2-08", "FTP-6.1.3-01",
                "FTP-7.2-23", "FTP-7.2-24", "FTP-7.2-25", "FTP-8.4.3.1-07", "FTP-8.4.3.3-07",
                "FTP-8.5.3.2-07", "FTP-9-01", "FTP-9.1.1-04", "FTP-9.1.1-05", "FTP-9.1.1-09",
                "NVME-7.2-04", "NVME-7.2-06"),
    .role = "transmitter",
    .needs = "wire",
    .assumes = "base-not-beyond-sent",
    .doc =
        "Violated when a PSN was never seen although a higher one was, on a path that loses "
        "nothing, once it can no longer be in flight; and by a PSN below the initial one. On "
        "a path that loses packets the missing PSN counts as lost, unless the counters of "
        "both ends agree at the end. NVMe says it of write data and of Write Completions (7.2), "
        "and its requirement is named of a gap before one of them.",
};

enum { HOLES_MAX = 16 };

/* Numbers from..to-1 were not seen when `at`, to, was. */
struct hole {
    int64_t from, to;
    struct fal_at at;
};

struct window {
    bool started;
    uint64_t epoch;
    int64_t next;                 /* one past the highest seen */
    struct hole holes[HOLES_MAX]; /* oldest first */
    unsigned num;
};

struct state {
    struct window window[FAL_WINDOWS];
};

/* Which sentence a gap breaks: that of the transport, or of NVMe. */
static const char *sentence(const struct fal_ctx *c, enum fal_window w, const struct hole *hole)
{
    const struct fal_blocks *blocks = c->bench->blocks;
    unsigned type = w == FAL_WINDOW_DATA && blocks != NULL
                        ? fal_blocks_type_at(blocks, c->conn, hole->at.index)
                        : FAL_NVME_TYPES;

    if (type == FAL_NVME_WRITE_DATA_RESPONSE)
        return "NVME-7.2-04";
    if (type == FAL_NVME_WRITE_COMPLETION)
        return "NVME-7.2-06"; /* AMB-N07 */
    return w == FAL_WINDOW_REQ ? "FTP-9.1.1-04" : "FTP-9.1.1-09";
}

static void broken(struct fal_ctx *c, enum fal_window w, const struct hole *hole)
{
    const struct fal_stream *stream = fal_out_stream(c, w);
    struct fal_break b = fal_break_begin(c, sentence(c, w, hole));
    const struct fal_sent *before = fal_stream_sent(stream, hole->from - 1);
    char first[FAL_NUMBER_MAX], after[FAL_NUMBER_MAX];

    if (before != NULL)
        fal_break_cause(&b, &before->first);
    (void)fal_psn_text(stream, hole->from, first);
    (void)fal_psn_text(stream, hole->to, after);
    fal_break_expected(&b, "%s PSN %s before PSN %s", fal_window_word(w), first, after);
    fal_break_seen(&b, "PSN %s, and none of the %lld before it; nothing is lost on this path",
                   after, (long long)(hole->to - hole->from));
    fal_break_end(c, &b, &hole->at);
}

static void remove_hole(struct window *window, unsigned i)
{
    window->num--;
    memmove(&window->holes[i], &window->holes[i + 1],
            (window->num - i) * sizeof window->holes[0]);
}

/* How an unfilled hole ends when nothing more can be learned of it. */
static void give_up(struct fal_ctx *c, const struct hole *hole)
{
    struct fal_path path = fal_path_out(c);

    if (!path.lossless)
        fal_excused_at(c, FAL_EXCUSE_OUT_LOSS, hole->at.t_ns, 0);
    else
        fal_undecided(c, path.in_order ? FAL_EXCUSE_PIPELINE : FAL_EXCUSE_OUT_REORDER);
}

/* Whether a missing packet can no longer be under way. */
static bool overdue(struct fal_ctx *c, const struct hole *hole)
{
    struct fal_path path = fal_path_out(c);
    uint64_t pipeline = fal_pipeline_ns(c), margin;

    if (!path.lossless)
        return false;
    if ((path.in_order || path.at_port) && pipeline == 0)
        return true;
    margin = path.jitter_ns + pipeline + 2 * c->bench->run.clock_error_ns + hole->at.error_ns;
    return path.jitter_known && margin >= pipeline && c->now_ns > hole->at.t_ns &&
           c->now_ns - hole->at.t_ns > margin;
}

static void settle(struct fal_ctx *c, enum fal_window w, struct window *window)
{
    unsigned i = 0;

    while (i < window->num) {
        if (overdue(c, &window->holes[i])) {
            broken(c, w, &window->holes[i]);
            remove_hole(window, i);
        } else {
            i++;
        }
    }
}

static void open_hole(struct fal_ctx *c, struct window *window, const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, q->window);
    int64_t from = window->next;

    if (from < stream->doubt) { /* what may have been sent unseen is no hole */
        fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        from = stream->doubt < q->x ? stream->doubt : q->x;
    }
    if (from == q->x)
        return;
    if (window->num == HOLES_MAX) {
        give_up(c, &window->holes[0]);
        remove_hole(window, 0);
    }
    window->holes[window->num++] = (struct hole){.from = from, .to = q->x, .at = q->at};
}

/* A number below the highest: one of a hole's, or a copy. */
static void fill(struct fal_ctx *c, struct window *window, const struct fal_seen *q)
{
    struct fal_path path = fal_path_out(c);

    for (unsigned i = 0; i < window->num; i++) {
        struct hole *hole = &window->holes[i], rest = *hole;

        if (q->x < hole->from || q->x >= hole->to)
            continue;
        fal_excused(c, !path.lossless  ? FAL_EXCUSE_OUT_LOSS
                       : path.in_order ? FAL_EXCUSE_PIPELINE
                                       : FAL_EXCUSE_OUT_REORDER);
        hole->to = q->x;
        rest.from = q->x + 1;
        if (rest.from < rest.to && window->num < HOLES_MAX)
            window->holes[window->num++] = rest;
        if (hole->from == hole->to)
            remove_hole(window, i);
        return;
    }
}

static void first_number(struct fal_ctx *c, const struct fal_seen *q)
{
    const struct fal_stream *stream = fal_out_stream(c, q->window);
    struct fal_break b =
        fal_break_begin(c, q->window == FAL_WINDOW_REQ ? "FTP-9.1.1-05" : "FTP-9.1.1-09");
    char line[FAL_LINE_MAX];

    fal_break_expected(&b, "%s PSNs from %lu on, the initial one", fal_window_word(q->window),
                       (unsigned long)(uint32_t)stream->first);
    fal_break_seen(&b, "%s", fal_line(c, q->packet, line));
    fal_break_end(c, &b, &q->at);
}

static void out(struct fal_ctx *c, const struct fal_seen *q)
{
    struct state *state = c->state;
    struct window *window;
    const struct fal_stream *stream;

    if (!q->reliable)
        return;
    window = &state->window[q->window];
    stream = fal_out_stream(c, q->window);
    if (!window->started || window->epoch != stream->epoch) {
        *window = (struct window){.started = true, .epoch = stream->epoch};
        window->next = stream->known ? stream->first : q->x + 1;
    }
    if (stream->known && q->x < stream->first) {
        first_number(c, q);
        return;
    }
    if (q->x < window->next) {
        fill(c, window, q);
    } else {
        if (q->x > window->next)
            open_hole(c, window, q);
        else
            fal_holds(c);
        window->next = q->x + 1;
    }
    settle(c, q->window, window);
}

static void mark(struct fal_ctx *c, const struct fal_event *event)
{
    struct state *state = c->state;
    bool to_sut = fal_out(c) == FAL_TO_SUT;
    enum fal_mark gap = to_sut ? FAL_MARK_GAP_IN : FAL_MARK_GAP_OUT;
    enum fal_mark lossless = to_sut ? FAL_MARK_LOSSLESS_IN : FAL_MARK_LOSSLESS_OUT;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        struct window *window = &state->window[w];

        for (; window->num > 0 && event->u.mark.mark == gap; remove_hole(window, 0))
            fal_undecided(c, FAL_EXCUSE_CAPTURE_GAP);
        settle(c, w, window);
        /* All that was sent has been seen, so the holes were not sent. */
        for (; window->num > 0 && event->u.mark.mark == lossless; remove_hole(window, 0))
            broken(c, w, &window->holes[0]);
    }
}

static void finish(struct fal_ctx *c)
{
    struct state *state = c->state;

    for (enum fal_window w = FAL_WINDOW_DATA; w <= FAL_WINDOW_REQ; w++) {
        struct window *window = &state->window[w];

        settle(c, w, window);
        for (; window->num > 0; remove_hole(window, 0))
            give_up(c, &window->holes[0]);
    }
}

const struct fal_rule_impl fal_rule_x2 = {
    .about = &fal_about_x2,
    .power = 1,
    .assumes = FAL_ASSUME_BASE_SENT,
    .state_size = sizeof(struct state),
    .out = out,
    .on_out = FAL_ON_RELIABLE,
    .mark = mark,
    .finish = finish,
};
