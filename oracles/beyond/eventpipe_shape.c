/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/beyond/eventpipe_shape.h"

const char *const fal_ep_point_words[FAL_EP_WIRE + 1] = {
    "source", "wred", "fifo",    "table", "map",  "slice",
    "merge",  "ccp",  "context", "rate",  "wire",
};
const char *const fal_ep_kind_words[FAL_EP_KINDS] = {
    "TX", "CNP", "NACK", "ACK", "RTT", "RTT_SENT", "FW",
};
const char *const fal_ep_state_words[FAL_EP_MORE_B + 1] = {
    "idle", "arb", "busy", "more_a", "override", "more_b",
};
const char *const fal_ep_cause_words[FAL_EP_BY_FW_RELEASE + 1] = {
    "event", "done", "grant", "fw", "fw_release",
};
/* From FAL_EP_IN on: FAL_EP_NOT is an act that is left out. */
static const char *const act_words[FAL_EP_MOVE] = {
    "in",    "out", "drop", "write", "hit", "miss", "release",
    "start", "end", "read", "evict", "new", "move",
};
static const char *const queue_words[] = {"tx", "rx", "fw"};

#define WORD(name, table)                                         \
    static const struct fal_shape name = {.kind = FAL_SHAPE_WORD, \
                                          .words = (table),       \
                                          .num_words = sizeof(table) / sizeof *(table)}
WORD(point_shape, fal_ep_point_words);
WORD(kind_shape, fal_ep_kind_words);
WORD(queue_shape, queue_words);
WORD(state_shape, fal_ep_state_words);
WORD(cause_shape, fal_ep_cause_words);
static const struct fal_shape act_shape = {
    .kind = FAL_SHAPE_WORD, FAL_WORDS(act_words), .min = FAL_EP_IN};

#define AT(field) FAL_AT(struct fal_ep_event, field)

static const struct fal_member event_members[] = {
    {"at_ns", &fal_shape_uint, FAL_MUST, AT(at_ns), .doc = "time"},
    {"point", &point_shape, FAL_MUST, AT(point), .doc = "where in the pipeline"},
    {"act", &act_shape, 0, AT(act), .doc = "what happens there"},
    {"flow", &fal_shape_uint, 0, AT(flow), .doc = "flow"},
    {"kind", &kind_shape, 0, AT(kind), .doc = "kind of the event"},
    {"queue", &queue_shape, 0, AT(queue), .doc = "TX FIFO, RX FIFO or register of firmware"},
    {"slice", &fal_shape_uint, 0, AT(slice), .doc = "slice"},
    {"processor", &fal_shape_uint, 0, AT(processor), .doc = "processor"},
    {"class", &fal_shape_uint, 0, AT(klass), .doc = "class"},
    {"occupancy", &fal_shape_uint, 0, AT(occupancy), .doc = "of the FIFO, before this event"},
    {"from", &state_shape, 0, AT(from), .doc = "state of the slice before"},
    {"to", &state_shape, 0, AT(to), .doc = "state of the slice after"},
    {"cause", &cause_shape, 0, AT(cause), .doc = "what moved the slice"},
    {"seq", &fal_shape_wide, 0, AT(seq), .doc = "sequence number, of merged events the first"},
    {"last_seq", &fal_shape_wide, 0, AT(last_seq), .doc = "sequence number of the last"},
    {"bytes", &fal_shape_wide, 0, AT(bytes), .doc = "bytes, of merged events the sum"},
    {"count", &fal_shape_uint, 0, AT(count), .doc = "number of events"},
    {"first_ns", &fal_shape_wide, 0, AT(first_ns), .doc = "time of the first event"},
    {"last_ns", &fal_shape_wide, 0, AT(last_ns), .doc = "time of the last event"},
    {"t1_ns", &fal_shape_wide, 0, AT(t1_ns), .doc = "the RTT packet left"},
    {"t2_ns", &fal_shape_wide, 0, AT(t2_ns), .doc = "the RTT packet reached the responder"},
    {"t3_ns", &fal_shape_wide, 0, AT(t3_ns),
     .doc = "the response left; with rtt_by_difference: T3 - T2"},
    {"t4_ns", &fal_shape_wide, 0, AT(t4_ns), .doc = "the response arrived"},
    {"rate_bps", &fal_shape_wide, 0, AT(rate_bps), .doc = "rate; 0: unchanged"},
    {"rtt_request", &fal_shape_flag, 0, AT(rtt_request), .doc = "an RTT packet is wanted"},
    {"digest", &fal_shape_hex, 0, AT(digest), .doc = "hash of a context"},
};
const struct fal_shape fal_ep_event_shape = {.kind = FAL_SHAPE_OBJECT,
                                             FAL_MEMBERS(event_members)};

#undef AT
#define AT(field) FAL_AT(struct fal_ep_setup, field)

/* ---- lists of a fixed number of numbers ---- */

static int read_numbers(const json_t *value, uint32_t *out, size_t n, struct fal_misfit *wrong)
{
    if (!json_is_array(value) || json_array_size(value) != n)
        return fal_misfit_say(wrong, "expected a list of %zu numbers", n);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(value, i);
        json_int_t number = json_integer_value(item);

        if (!json_is_integer(item) || number < 0 || number > UINT32_MAX)
            return fal_misfit_say(wrong, "expected a list of %zu numbers below 2^32", n);
        if (out != NULL)
            out[i] = (uint32_t)number;
    }
    return 0;
}

static int write_numbers(const uint32_t *in, size_t n, json_t **out)
{
    *out = json_array();
    for (size_t i = 0; *out != NULL && i < n; i++)
        if (json_array_append_new(*out, json_integer(in[i])) != 0) {
            json_decref(*out);
            *out = NULL;
        }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static int read_per_kind(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_numbers(value, out, FAL_EP_KINDS, wrong);
}

static int write_per_kind(const void *in, json_t **out)
{
    return write_numbers(in, FAL_EP_KINDS, out);
}

static int read_per_fifo(const json_t *value, void *out, struct fal_misfit *wrong)
{
    return read_numbers(value, out, 2, wrong);
}

static int write_per_fifo(const void *in, json_t **out)
{
    return write_numbers(in, 2, out);
}

/* One number for each kind, in the order of the kinds; one for the TX and the RX FIFO. */
static const struct fal_shape per_kind = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&fal_shape_uint),
                                          .min = FAL_EP_KINDS,
                                          .max = FAL_EP_KINDS,
                                          .read = read_per_kind,
                                          .write = write_per_kind};
static const struct fal_shape per_fifo = {.kind = FAL_SHAPE_LIST,
                                          FAL_OF(&fal_shape_uint),
                                          .min = 2,
                                          .max = 2,
                                          .read = read_per_fifo,
                                          .write = write_per_fifo};

static const struct fal_member setup_members[] = {
    {"slices", &fal_shape_uint, FAL_ALWAYS, AT(slices), .doc = "number of slices"},
    {"processors", &fal_shape_uint, FAL_ALWAYS, AT(processors), .doc = "number of processors"},
    {"classes", &per_kind, FAL_ALWAYS, AT(classes), .doc = "class of each kind at the start"},
    {"th1", &per_kind, FAL_ALWAYS, AT(th1), .doc = "WRED: no drop below this occupancy"},
    {"th2", &per_kind, FAL_ALWAYS, AT(th2), .doc = "WRED: all dropped from this occupancy on"},
    {"fifo_depth", &per_fifo, FAL_ALWAYS, AT(fifo_depth), .doc = "of the TX and RX FIFO"},
    {"contexts", &fal_shape_uint, FAL_ALWAYS, AT(contexts), .doc = "entries of the store"},
    {"default_rate_bps", &fal_shape_wide, FAL_ALWAYS, AT(default_rate_bps),
     .doc = "rate of a new flow"},
    {"burst_bytes", &fal_shape_wide, FAL_ALWAYS, AT(burst_bytes), .doc = "bytes of a burst"},
    {"responder_ns", &fal_shape_wide, FAL_ALWAYS, AT(responder_ns), .doc = "T3 - T2 at most"},
    {"clocks_synchronised", &fal_shape_flag, FAL_ALWAYS, AT(clocks_synchronised),
     .doc = "T2 and T3 are of the clock of T1 and T4"},
    {"round_robin", &fal_shape_flag, FAL_ALWAYS, AT(round_robin),
     .doc = "TX, RX and firmware are served in turn"},
    {"rtt_by_difference", &fal_shape_flag, FAL_ALWAYS, AT(rtt_by_difference),
     .doc = "the responder writes T3 - T2 in place of T2 and T3"},
    {"all_points", &fal_shape_flag, FAL_ALWAYS, AT(all_points),
     .doc = "the trace has every point; false: sources, drops and answers only"},
    {"no_drops", &fal_shape_flag, FAL_ALWAYS, AT(no_drops), .doc = "WRED drops nothing"},
    {"other_drop_curve", &fal_shape_flag, FAL_ALWAYS, AT(other_drop_curve),
     .doc = "the share of drops between TH1 and TH2 is not the line"},
    {"rates_without_events", &fal_shape_flag, FAL_ALWAYS, AT(rates_without_events),
     .doc = "rates also come by a timer or in steps"},
    {"rate_per_event", &fal_shape_flag, FAL_ALWAYS, AT(rate_per_event),
     .doc = "each start of a flow on a processor gives one rate at most"},
    {"ends_at_rest", &fal_shape_flag, FAL_ALWAYS, AT(ends_at_rest),
     .doc = "at the end of the trace no event waits anywhere"},
    {"pipeline_ns", &fal_shape_wide, FAL_ALWAYS, AT(pipeline_ns),
     .doc = "longest time of an event from its queue to its slice; 0: not declared"},
    {"rate_error_ppm", &fal_shape_uint, FAL_ALWAYS, AT(rate_error_ppm),
     .doc = "error of rates on the wire; 0: not declared"},
};
const struct fal_shape fal_ep_setup_shape = {.kind = FAL_SHAPE_OBJECT,
                                             FAL_MEMBERS(setup_members)};
