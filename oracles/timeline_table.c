/* SPDX-License-Identifier: Apache-2.0
 * timeline_table.c - the members of each event of a timeline. Reader, writer and
 * scenarios/schema/timeline.json come from these tables. */
#include "oracles/timeline_names.h"

#include "codecs/base/hex.h"
#include "codecs/text/text.h"

#include <stdlib.h>
#include <string.h>

#define AT(field)  FAL_AT(struct fal_event, u.field)
#define HAS(field) FAL_HAS(struct fal_event, u.field)
#define NO_STEP    UINT64_MAX /* -1 */

/* ---- shapes ---- */

#define WORD_OF(variable, table, n)            \
    static const struct fal_shape variable = { \
        .kind = FAL_SHAPE_WORD, .words = (table), .num_words = (n)}
WORD_OF(dir, fal_dir_names, FAL_DIR_COUNT);
WORD_OF(vantage, fal_vantage_names, FAL_VANTAGE_COUNT);
WORD_OF(origin, fal_origin_names, FAL_ORIGIN_COUNT);
WORD_OF(op, fal_op_names, FAL_OP_COUNT);
WORD_OF(answer, fal_answer_names, FAL_ANSWER_COUNT);
WORD_OF(ulp_kind, fal_ulp_names, FAL_ULP_COUNT);
WORD_OF(mark, fal_mark_names, FAL_MARK_COUNT);
WORD_OF(bad, fal_bad_names, FAL_BAD_COUNT);
WORD_OF(bench, fal_bench_names, FAL_BENCH_COUNT);
WORD_OF(queue, fal_cc_queue_names, FAL_CC_QUEUE_COUNT);
WORD_OF(encap, fal_encap_names, FAL_ENCAP_COUNT);

static const struct fal_shape integer = {.kind = FAL_SHAPE_INT, .expected = "a whole number"};
static const struct fal_shape conn_number = {
    .kind = FAL_SHAPE_UINT, .min = 0, .doc = "connection number, from 1; 0: none"};
static const struct fal_shape step_index = {
    .kind = FAL_SHAPE_INT, .min = -1, .max = INT32_MAX, .expected = "a step index, or -1"};

/* Parameters of a connection, by their keys in the control protocol. */
static int read_params(const json_t *value, void *out, struct fal_misfit *wrong)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    if (!json_is_object(value))
        return fal_misfit_say(wrong, "expected an object");
    for (size_t i = 0; i < n; i++) {
        const json_t *given = json_object_get(value, table[i].key);
        struct fal_misfit in_it;
        uint64_t number = json_is_true(given);

        if (given == NULL)
            continue;
        if (!json_is_boolean(given) &&
            fal_shape_read(&fal_shape_wide, given, &number, false, &in_it) != 0)
            return fal_misfit_say_of(wrong, table[i].key, "%s", in_it.text);
        if (out != NULL && fal_param_set(&table[i], out, number) != 0)
            return fal_misfit_say_of(wrong, table[i].key, "expected a smaller number");
    }
    return 0;
}

static int write_params(const void *in, json_t **out)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    *out = json_object();
    for (size_t i = 0; *out != NULL && i < n; i++) {
        uint64_t number = fal_param_get(&table[i], in);
        json_t *value = table[i].kind == FAL_PARAM_SWITCH
                            ? json_boolean(number != 0)
                            : fal_shape_write(&fal_shape_wide, &number);

        if (json_object_set_new(*out, table[i].key, value) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape params = {
    .kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_any), .read = read_params, .write = write_params};

/* Keys of parameters as bits: `unknown_params`, `learned_params`. There are more than 32
 * parameters, so such a member is a uint64_t. */
static int read_names(const json_t *value, void *out, struct fal_misfit *wrong)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    uint64_t bits = 0;
    bool good = json_is_array(value);

    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *key = json_string_value(json_array_get(value, i));
        const struct fal_param *param = key != NULL ? fal_param_find(key) : NULL;

        good &= param != NULL;
        if (param != NULL)
            bits |= FAL_PARAM_BIT(param - table);
    }
    if (!good)
        return fal_misfit_say(wrong, "expected an array of parameters");
    if (out != NULL)
        memcpy(out, &bits, sizeof bits);
    return 0;
}

static int write_names(const void *in, json_t **out)
{
    size_t n;
    const struct fal_param *table = fal_param_table(&n);
    uint64_t bits;

    memcpy(&bits, in, sizeof bits);
    *out = NULL;
    if (bits == 0)
        return 0;
    *out = json_array();
    for (size_t i = 0; i < n && *out != NULL; i++) {
        if ((bits >> i & 1) == 0 || json_array_append_new(*out, json_string(table[i].key)) == 0)
            continue;
        json_decref(*out);
        *out = NULL;
    }
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape names = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_text), .read = read_names, .write = write_names};

/* The bytes and the text of a packet are written from the packet as a whole; the reader of
 * events puts the bytes into its storage. */
static int check_hex(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *hex = json_string_value(value);
    size_t len = hex != NULL ? strlen(hex) : 1;

    (void)out;
    if (len % 2 == 0 && strspn(hex, "0123456789abcdefABCDEF") == len)
        return 0;
    return fal_misfit_say(wrong, "expected an even number of hex digits");
}

static int write_bytes(const void *in, json_t **out)
{
    const struct fal_ev_packet *packet = in;
    char *hex = malloc(2 * (size_t)packet->len + 1);

    if (hex == NULL)
        return FAL_ERR_MEM;
    hex[0] = 0;
    if (packet->len > 0)
        fal_hex_write(packet->bytes, packet->len, hex);
    *out = json_string(hex);
    free(hex);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape bytes = {.kind = FAL_SHAPE_TEXT,
                                       .expected = "hex digits",
                                       .pattern = "^([0-9a-f]{2})*$",
                                       .read = check_hex,
                                       .write = write_bytes};

/* The 64 bytes of a queue entry. */
static int read_entry(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *hex = json_string_value(value);
    uint8_t entry[FAL_CC_ENTRY_LEN];

    if (hex == NULL || fal_hex_read(hex, entry, sizeof entry) != FAL_CC_ENTRY_LEN)
        return fal_misfit_say(wrong, "expected %d hex digits", 2 * FAL_CC_ENTRY_LEN);
    if (out != NULL)
        memcpy(out, entry, sizeof entry);
    return 0;
}

static int write_entry(const void *in, json_t **out)
{
    char hex[2 * FAL_CC_ENTRY_LEN + 1];

    fal_hex_write(in, FAL_CC_ENTRY_LEN, hex);
    *out = json_string(hex);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape entry = {.kind = FAL_SHAPE_TEXT,
                                       .name = "entry",
                                       .doc = "64 bytes of a queue entry (10.6)",
                                       .pattern = "^[0-9a-fA-F]{128}$",
                                       .read = read_entry,
                                       .write = write_entry};
static const struct fal_shape ticks = {.kind = FAL_SHAPE_UINT, .max = FAL_CC_TIME_MAX};
static const char *const format_words[] = {
    [FAL_CC_TABLE_MSB] = "table-msb", [FAL_CC_GEN1_LSB] = "gen1-lsb"};
WORD_OF(format, format_words, 2);

static int ignore(const json_t *value, void *out, struct fal_misfit *wrong)
{
    (void)value;
    (void)out;
    (void)wrong;
    return 0;
}

static int write_packet_text(const void *in, json_t **out)
{
    const struct fal_ev_packet *packet = in;
    char line[512];

    *out = NULL;
    if (packet->header_len <= 0)
        return 0;
    (void)fal_text_packet(&packet->falcon, NULL, line, sizeof line);
    *out = json_string(line);
    return *out != NULL ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape packet_text = {
    .kind = FAL_SHAPE_TEXT, .read = ignore, .write = write_packet_text};

/* A timer has no direction. */
static int write_bench_dir(const void *in, json_t **out)
{
    const struct fal_ev_bench *act =
        (const void *)((const char *)in - offsetof(struct fal_ev_bench, dir));

    *out = act->what != FAL_BENCH_TIMER ? json_string(fal_dir_names[act->dir]) : NULL;
    return *out != NULL || act->what == FAL_BENCH_TIMER ? 0 : FAL_ERR_MEM;
}

static const struct fal_shape bench_dir = {.kind = FAL_SHAPE_WORD,
                                           .words = fal_dir_names,
                                           .num_words = FAL_DIR_COUNT,
                                           .write = write_bench_dir};

/* ---- members ---- */

#define END(field) FAL_AT(struct fal_end, field)
static const struct fal_member end_members[] = {
    {"cid", &fal_shape_uint, FAL_ALWAYS, END(cid)},
    {"function", &fal_shape_uint, FAL_ALWAYS, END(function)},
    {"req_psn", &fal_shape_uint, FAL_ALWAYS, END(req_psn)},
    {"data_psn", &fal_shape_uint, FAL_ALWAYS, END(data_psn)},
    {"rsn", &fal_shape_uint, FAL_ALWAYS, END(rsn)},
};
static const struct fal_shape end = {.kind = FAL_SHAPE_OBJECT,
                                     .name = "end_of_connection",
                                     .doc = "one end of a connection and where it begins",
                                     .expected = "an object",
                                     .skips_unknown = true,
                                     FAL_MEMBERS(end_members)};

#define RUE(field) FAL_AT(struct fal_rue_facts, field)
#define POLICY     FAL_HAS(struct fal_rue_facts, has_policy)
#define QUEUES     FAL_HAS(struct fal_rue_facts, has_queues)
static const char *const empty_words[] = {"always", "p1", "p2", "either", "both"};
static const struct fal_shape when_empty = {.kind = FAL_SHAPE_WORD, FAL_WORDS(empty_words)};
static const char *const metric_words[] = {"packets", "bytes", "cells", "other"};
static const struct fal_shape metric = {.kind = FAL_SHAPE_WORD, FAL_WORDS(metric_words)};
static const struct fal_member rue_members[] = {
    {"format", &format, FAL_ALWAYS, RUE(format), .doc = "order of the bits in queue entries"},
    {"gap_tick_ps", &fal_shape_uint, FAL_ALWAYS, RUE(gap_tick_ps),
     .doc = "unit of inter_packet_gap in entries"},
    {"latency_ns", &fal_shape_wide, 0, RUE(latency_ns),
     FAL_HAS(struct fal_rue_facts, has_latency),
     .doc = "the longest time from an event to its result; absent: not declared"},
    {"swift", &fal_shape_flag, FAL_ALWAYS, RUE(swift), .doc = "its algorithm is Swift (10.3)"},
    {"moves_limits", &fal_shape_flag, FAL_ALWAYS, RUE(moves_limits),
     .doc = "it may change windows, gap, RTO and path of connections"},
    {"when_empty", &when_empty, 0, RUE(when_empty), POLICY,
     .doc = "which ACKs give an event while the queue is empty (10.6.1); absent: not declared"},
    {"p1_ns", &fal_shape_wide, 0, RUE(p1_ns), POLICY, .doc = "P1: time since the last event"},
    {"p2", &fal_shape_wide, 0, RUE(p2), POLICY, .doc = "P2: acknowledged since the last event"},
    {"p2_metric", &metric, 0, RUE(p2_metric), POLICY, .doc = "what P2 counts"},
    {"event_queues", &fal_shape_uint, 0, RUE(event_queues), QUEUES,
     .doc = "number of event queues"},
    {"event_ring", &fal_shape_uint, 0, RUE(event_ring), QUEUES,
     .doc = "entries of an event queue, after which its gen bit turns"},
};
static const struct fal_shape rue = {.kind = FAL_SHAPE_OBJECT,
                                     .name = "rue",
                                     .doc = "the Rate Update Engine of the SUT",
                                     .expected = "an object",
                                     .skips_unknown = true,
                                     FAL_MEMBERS(rue_members)};

/* Every event begins with these. */
#define EVENT(word)                                                              \
    {"event", FAL_ONE_WORD(word), .flags = FAL_MUST},                            \
        {"index", &fal_shape_wide, FAL_ALWAYS, FAL_AT(struct fal_event, index)}, \
        {"t_ns", &fal_shape_wide, FAL_MUST, FAL_AT(struct fal_event, t_ns)},     \
    {                                                                            \
        "conn", &conn_number, 0, FAL_AT(struct fal_event, conn)                  \
    }
#define TEXT(event)                                \
    {                                              \
        "text", &fal_shape_text, 0, AT(event.text) \
    }

static const struct fal_member run_members[] = {
    EVENT("run"),
    {"title", &fal_shape_name, FAL_ALWAYS, AT(run.title)},
    {"seed", &fal_shape_hex, FAL_ALWAYS, AT(run.seed)},
    {"live", &fal_shape_flag, FAL_ALWAYS, AT(run.live)},
    {"vantage", &vantage, FAL_ALWAYS, AT(run.vantage)},
    {"lossless_in", &fal_shape_flag, 0, AT(run.lossless_in)},
    {"lossless_out", &fal_shape_flag, 0, AT(run.lossless_out)},
    {"no_duplicates_in", &fal_shape_flag, 0, AT(run.no_duplicates_in)},
    {"no_duplicates_out", &fal_shape_flag, 0, AT(run.no_duplicates_out)},
    {"in_order_in", &fal_shape_flag, 0, AT(run.in_order_in)},
    {"in_order_out", &fal_shape_flag, 0, AT(run.in_order_out)},
    {"delay_min_ns", &fal_shape_wide, FAL_ALWAYS, AT(run.delay_min_ns)},
    {"delay_max_ns", &fal_shape_wide, FAL_ALWAYS, AT(run.delay_max_ns), .initial = FAL_NEVER},
    {"clock_error_ns", &fal_shape_wide, FAL_ALWAYS, AT(run.clock_error_ns)},
    {"may_miss", &fal_shape_flag, 0, AT(run.may_miss),
     .doc = "any packet may have gone unseen without a mark that says so"},
    {"complete", &fal_shape_flag, 0, AT(run.complete),
     .doc = "the user declares that no packet went unseen without such a mark"},
    {"undeclared", &fal_shape_flag, 0, AT(run.undeclared),
     .doc = "a capture that nobody declared to be complete: packets count that are there, not "
            "those that are not"},
    {"ordered_events", &fal_shape_flag, 0, AT(run.ordered_events),
     .doc = "the ULP events of a connection are read in the order in which they happened"},
    {"alone", &fal_shape_flag, 0, AT(run.alone),
     .doc = "the SUT has no connection that is not on this timeline"},
};

static const struct fal_member connection_members[] = {
    EVENT("connection"),
    {"name", &fal_shape_name, FAL_ALWAYS, AT(connection.name)},
    {"tester", &end, FAL_MUST, AT(connection.tester)},
    {"sut", &end, FAL_MUST, AT(connection.sut)},
    {"initial_known", &fal_shape_flag, FAL_ALWAYS, AT(connection.initial_known)},
    {"params", &params, 0, AT(connection.params),
     .doc = "by their keys in the control protocol"},
    {"unknown", &names, 0, AT(connection.unknown_params),
     .doc = "parameters that nobody gave: their values here are defaults and prove nothing"},
    {"learned", &names, 0, AT(connection.learned_params),
     .doc = "parameters that were learned before the first case: their values here excuse the "
            "SUT and never convict it"},
    {"learned_max_ns", &fal_shape_wide, 0, AT(connection.learned_max_ns),
     .doc =
         "of `learned`: the longest answer of the SUT that was measured then; without it none "
         "was"},
    {"tester_rack_tlp", &fal_shape_flag, 0, AT(connection.tester_rack_tlp),
     .doc = "the tester's own end retransmits early by RACK-TLP; params.rack_tlp is the SUT's"},
    {"engine", &fal_shape_flag, 0, AT(connection.engine),
     .doc = "the SUT's upper layer is RDMA verbs or NVMe, which report no transactions"},
    {"encap", &encap, 0, AT(connection.encap), HAS(connection.encap_known)},
    {"pcid", &fal_shape_hex, 0, AT(connection.pcid), HAS(connection.pcid_known),
     .doc = "hex: the PCID of packets from the SUT, as the connection manager gave it"},
    {"rue", &rue, 0, AT(connection.rue), HAS(connection.rue.known)},
};

static const struct fal_member packet_members[] = {
    EVENT("packet"),
    {"dir", &dir, FAL_MUST, AT(packet.dir), .doc = "'>' to the SUT, '<' from it"},
    {"origin", &origin, FAL_ALWAYS, AT(packet.origin)},
    {"step", &step_index, 0, AT(packet.step), .initial = NO_STEP},
    {"frame", &fal_shape_uint, 0, AT(packet.frame)},
    {"path", &fal_shape_uint, 0, AT(packet.path)},
    {"error_ns", &fal_shape_wide, 0, AT(packet.error_ns)},
    {"truncated", &fal_shape_flag, 0, AT(packet.truncated)},
    {"iv", &fal_shape_hex, 0, AT(packet.iv), HAS(packet.has_iv)},
    {"spi", &fal_shape_uint, 0, AT(packet.spi)},
    {"encap", &encap, 0, AT(packet.carrier.encap), HAS(packet.carrier.known)},
    {"next_header", &fal_shape_uint, 0, AT(packet.carrier.next_header)},
    {"inner_protocol", &fal_shape_uint, 0, AT(packet.carrier.inner_protocol)},
    {"crypt_offset", &fal_shape_uint, 0, AT(packet.carrier.crypt_offset)},
    {"vc", &fal_shape_flag, 0, AT(packet.carrier.has_vc)},
    {"cookie", &fal_shape_hex, 0, AT(packet.carrier.vc),
     .doc = "hex: the virtualization cookie of PSP"},
    {"bad", &bad, 0, AT(packet.bad), .doc = "why its receiver must drop it"},
    {"text", &packet_text, 0, AT(packet), .doc = "the packet in the notation, for people"},
    {"bytes", &bytes, FAL_MUST, AT(packet), .doc = "hex: the Falcon packet"},
};

static const struct fal_member command_members[] = {
    EVENT("command"),
    {"id", &integer, FAL_ALWAYS, AT(command.id)},
    {"do", &fal_shape_name, FAL_ALWAYS, AT(command.verb)},
    {"rsn", &fal_shape_uint, 0, AT(command.rsn)},
    {"answer", &answer, FAL_ALWAYS, AT(command.answer)},
    {"rnr_ns", &fal_shape_wide, 0, AT(command.rnr_ns)},
    {"code", &fal_shape_uint, 0, AT(command.code)},
    {"op", &op, FAL_ALWAYS, AT(command.op)},
    {"tag", &fal_shape_wide, 0, AT(command.tag)},
    {"length", &fal_shape_uint, 0, AT(command.length)},
    {"hash", &fal_shape_hex, 0, AT(command.hash), HAS(command.has_hash)},
    {"on", &fal_shape_flag, 0, AT(command.on),
     .doc = "cc_trace; cc_engine: the tester is the RUE"},
    {"entry", &entry, 0, AT(command.entry), HAS(command.has_entry),
     .doc = "cc_result, cc_feed: the queue entry"},
    {"text", &fal_shape_text, 0, AT(command.text), .doc = "the line as written"},
};

static const struct fal_member reply_members[] = {
    EVENT("reply"),
    {"id", &integer, FAL_ALWAYS, AT(reply.id)},
    {"ok", &fal_shape_flag, FAL_ALWAYS, AT(reply.ok)},
    {"rsn", &fal_shape_uint, 0, AT(reply.rsn), HAS(reply.has_rsn)},
    TEXT(reply),
};

static const struct fal_member ulp_members[] = {
    EVENT("ulp"),
    {"kind", &ulp_kind, FAL_MUST, AT(ulp.kind)},
    {"seq", &fal_shape_wide, FAL_ALWAYS, AT(ulp.seq)},
    {"rsn", &fal_shape_uint, FAL_ALWAYS, AT(ulp.rsn)},
    {"op", &op, FAL_ALWAYS, AT(ulp.op)},
    {"length", &fal_shape_uint, 0, AT(ulp.length)},
    {"tag", &fal_shape_wide, 0, AT(ulp.tag)},
    {"hash", &fal_shape_hex, 0, AT(ulp.hash), HAS(ulp.has_hash)},
    {"redelivery", &fal_shape_flag, 0, AT(ulp.redelivery)},
    {"answer", &answer, FAL_ALWAYS, AT(ulp.answer)},
    {"rnr_ns", &fal_shape_wide, 0, AT(ulp.rnr_ns)},
    {"code", &fal_shape_uint, 0, AT(ulp.code)},
    {"ulp_nack_code", &fal_shape_uint, 0, AT(ulp.ulp_nack_code)},
    {"stamp_ns", &fal_shape_wide, 0, AT(ulp.stamp_ns), HAS(ulp.has_stamp)},
    {"stamp_error_ns", &fal_shape_wide, 0, AT(ulp.stamp_error_ns)},
    {"within_ns", &fal_shape_wide, 0, AT(ulp.within_ns), HAS(ulp.has_within),
     .doc = "it happened at most so long before t_ns, and not after it"},
    TEXT(ulp),
};

static const struct fal_member cm_members[] = {
    EVENT("cm"),
    {"what", &fal_shape_name, FAL_ALWAYS, AT(cm.what)},
    {"seq", &fal_shape_wide, 0, AT(cm.seq)},
    {"count", &fal_shape_wide, 0, AT(cm.count)},
    TEXT(cm),
};

static const struct fal_member cc_members[] = {
    EVENT("cc"),
    {"kind", &queue, FAL_MUST, AT(cc.queue), .doc = "an event for the RUE, or a result of it"},
    {"seq", &fal_shape_wide, 0, AT(cc.seq)},
    {"now_ticks", &ticks, FAL_MUST, AT(cc.now_ticks),
     .doc = "the SUT's clock when it handed the entry over, in ticks of 131.072 ns"},
    {"entry", &entry, FAL_MUST, AT(cc.entry),
     .doc = "in the format that `rue` of the connection names"},
};

WORD_OF(phase, fal_verbs_phase_names, FAL_VERBS_PHASE_COUNT);
#define WORD_EVENT(layer, at)                                                                 \
    EVENT(#layer),                                                                            \
        {"phase", &phase, FAL_MUST, AT(layer.phase),                                          \
         .doc = "a command was written, its reply or an event was read"},                     \
        {"id", &integer, 0, AT(layer.id), .doc = "of the command"},                           \
        {"ok", &fal_shape_flag, 0, AT(layer.ok), .doc = "answered: the command was applied"}, \
        {"seq", &fal_shape_wide, 0, AT(layer.seq), .doc = "told: number of the event"},       \
        {"word", &fal_##layer##_word_shape, FAL_MUST, AT(layer.at)},                          \
    {                                                                                         \
        "body", &fal_##layer##_body_shape, 0, AT(layer.at),                                   \
            .doc = "the members of the word, as docs/sut-protocol.md lists them"              \
    }
static const struct fal_member verbs_members[] = {WORD_EVENT(verbs, verbs)};
static const struct fal_member nvme_members[] = {WORD_EVENT(nvme, word)};

static const struct fal_member mark_members[] = {
    EVENT("mark"),
    {"mark", &mark, FAL_MUST, AT(mark.mark)},
    {"value", &fal_shape_wide, 0, AT(mark.value)},
};

#define STEP                                                      \
    {                                                             \
        "step", &step_index, 0, AT(text.step), .initial = NO_STEP \
    }
static const struct fal_member step_members[] = {EVENT("step"), STEP, TEXT(text)};
static const struct fal_member note_members[] = {EVENT("note"), STEP, TEXT(text)};
static const struct fal_member internal_members[] = {EVENT("internal"), STEP, TEXT(text)};

static const struct fal_member timing_members[] = {
    EVENT("timing"),
    {"step", &step_index, FAL_ALWAYS, AT(timing.step), .initial = NO_STEP},
    {"due_ns", &fal_shape_wide, FAL_ALWAYS, AT(timing.due_ns)},
    {"at_ns", &fal_shape_wide, FAL_ALWAYS, AT(timing.at_ns)},
    {"late_ns", &fal_shape_wide, 0, AT(timing.late_ns)},
    {"queue_ns", &fal_shape_wide, 0, AT(timing.queue_ns)},
    {"drops", &fal_shape_wide, 0, AT(timing.drops)},
};

static const struct fal_member bench_members[] = {
    EVENT("bench"),
    {"what", &bench, FAL_MUST, AT(bench.what)},
    {"dir", &bench_dir, 0, AT(bench.dir)},
    TEXT(bench),
};

static const struct fal_member close_members[] = {EVENT("close")};
static const struct fal_member last_members[] = {EVENT("end")};

#define SHAPE(kind_, word, table) \
    [kind_] = {                   \
        .kind = FAL_SHAPE_OBJECT, .name = word, .skips_unknown = true, FAL_MEMBERS(table)}
const struct fal_shape fal_event_shapes[FAL_EV_COUNT] = {
    SHAPE(FAL_EV_RUN, "run", run_members),
    SHAPE(FAL_EV_CONNECTION, "connection", connection_members),
    SHAPE(FAL_EV_PACKET, "packet", packet_members),
    SHAPE(FAL_EV_COMMAND, "command", command_members),
    SHAPE(FAL_EV_REPLY, "reply", reply_members),
    SHAPE(FAL_EV_ULP, "ulp", ulp_members),
    SHAPE(FAL_EV_CM, "cm", cm_members),
    SHAPE(FAL_EV_MARK, "mark", mark_members),
    SHAPE(FAL_EV_STEP, "step", step_members),
    SHAPE(FAL_EV_NOTE, "note", note_members),
    SHAPE(FAL_EV_INTERNAL, "internal", internal_members),
    SHAPE(FAL_EV_TIMING, "timing", timing_members),
    SHAPE(FAL_EV_CLOSE, "close", close_members),
    SHAPE(FAL_EV_BENCH, "bench", bench_members),
    SHAPE(FAL_EV_CC, "cc", cc_members),
    SHAPE(FAL_EV_VERBS, "verbs", verbs_members),
    SHAPE(FAL_EV_NVME, "nvme", nvme_members),
    SHAPE(FAL_EV_END, "end", last_members),
};

/* ---- a line of the file ---- */

WORD_OF(event_word, fal_event_names, FAL_EV_COUNT);
static const struct fal_member kind_members[] = {
    {"event", &event_word, FAL_MUST, FAL_AT(struct fal_event, kind)}};
const struct fal_shape fal_event_kind_shape = {
    .kind = FAL_SHAPE_OBJECT, .skips_unknown = true, FAL_MEMBERS(kind_members)};

static const struct fal_member head_members[] = {
    {"schema", FAL_ONE_WORD(FAL_TIMELINE_SCHEMA), .flags = FAL_MUST}};
static const struct fal_shape head = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(head_members)};

#define E(event) &fal_event_shapes[FAL_EV_##event]
const struct fal_shape fal_timeline_shape = {
    .kind = FAL_SHAPE_ANY_OF,
    .doc = "JSON Lines: first {\"schema\": \"talon/timeline/1\"}, then one event a line, in "
           "order. Members at their initial value (0, false) may be left out. Times are "
           "nanoseconds since the run began. A reader ignores members that it does not know.",
    FAL_OF(&head, E(RUN), E(CONNECTION), E(PACKET), E(COMMAND), E(REPLY), E(ULP), E(CM),
           E(MARK), E(STEP), E(NOTE), E(INTERNAL), E(BENCH), E(CC), E(VERBS), E(NVME),
           E(TIMING), E(CLOSE), E(END))};
