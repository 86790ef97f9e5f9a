/* SPDX-License-Identifier: Apache-2.0
 * roce_table.c - the members of a scenario of RoCEv2. */
#include "codecs/text/text.h"
#include "harness/roce/roce_scenario.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 2000, NAME_MAX_LEN = 60, STEPS_MAX = 200 };

const char *const tl_roce_verbs[TL_ROCE_VERBS] = {
    "post",   "receives",    "drop",  "mark",    "delay", "duplicate", "corrupt", "inject",
    "expect", "expect_none", "count", "spacing", "rate",  "copies",    "ended",   "messages"};

/* ---- values with rules of their own ---- */

static int read_time(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    const struct fal_vars none = {NULL, NULL};
    struct fal_duration duration;
    struct fal_error err = {{0}};
    uint64_t ns = 0;

    if (text == NULL || strchr(text, '$') != NULL ||
        fal_text_parse_duration(text, &duration, &err) != 0 ||
        fal_duration_ns(&duration, &none, &ns, &err) != 0)
        return fal_misfit_say(wrong, "expected a time such as \"250us\"");
    if (out != NULL)
        memcpy(out, &ns, sizeof ns);
    return 0;
}

static int read_rate(const json_t *value, void *out, struct fal_misfit *wrong)
{
    const char *text = json_string_value(value);
    struct fal_error err = {{0}};
    uint64_t bps = 0;

    if (text == NULL || tl_roce_rate(text, 0, &bps, &err) != 0)
        return fal_misfit_say(wrong, "expected a rate such as \"100Gb/s\"");
    if (out != NULL)
        memcpy(out, &bps, sizeof bps);
    return 0;
}

static int read_receives(const json_t *value, void *out, struct fal_misfit *wrong)
{
    uint64_t n = json_is_integer(value) && json_integer_value(value) >= 0
                     ? (uint64_t)json_integer_value(value)
                     : UINT64_MAX;

    if (n == UINT64_MAX &&
        (!json_is_string(value) || strcmp(json_string_value(value), "any") != 0))
        return fal_misfit_say(wrong, "expected a number, or \"any\"");
    if (out != NULL)
        memcpy(out, &n, sizeof n);
    return 0;
}

/* ---- the table ---- */

static const struct fal_shape text = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = TEXT_MAX};
static const struct fal_shape name = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = NAME_MAX_LEN};
static const struct fal_shape label = {
    .kind = FAL_SHAPE_TEXT, .min = 1, .max = FAL_ROCE_LABEL_MAX};
static const struct fal_shape time_shape = {
    .kind = FAL_SHAPE_TEXT, .read = read_time, .doc = "a time such as 250us"};
static const struct fal_shape rate = {
    .kind = FAL_SHAPE_TEXT, .read = read_rate, .doc = "a rate such as 100Gb/s"};
static const struct fal_shape receives = {
    .kind = FAL_SHAPE_ANY, .read = read_receives, .doc = "a number, or any"};
static const struct fal_shape number = {.kind = FAL_SHAPE_UINT, .max = UINT32_MAX};
static const struct fal_shape mtu = {.kind = FAL_SHAPE_UINT, .min = 256, .max = 4096};
static const struct fal_shape psn = {.kind = FAL_SHAPE_UINT, .max = FAL_ROCE_PSN_MASK};
static const struct fal_shape few = {.kind = FAL_SHAPE_UINT, .max = 31};
static const struct fal_shape count = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 1000000};
static const struct fal_shape qps = {.kind = FAL_SHAPE_UINT, .min = 1, .max = 16};
static const struct fal_shape names = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&name), .keeps_json = true};
static const char *const claim_words[] = {"backlogged", "separate-scheduler"};
static const struct fal_shape claim = {.kind = FAL_SHAPE_WORD, FAL_WORDS(claim_words)};
static const struct fal_shape claims = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&claim), .keeps_json = true};
static const char *const side_words[] = {"a", "b"};
static const struct fal_shape side = {.kind = FAL_SHAPE_WORD, FAL_WORDS(side_words)};
static const char *const point_words[] = {"bridge", "arrival"};
static const struct fal_shape point = {.kind = FAL_SHAPE_WORD, FAL_WORDS(point_words)};
static const char *const ecn_words[] = {"not_ect", "ect1", "ect0", "ce"};
static const struct fal_shape ecn = {.kind = FAL_SHAPE_WORD, FAL_WORDS(ecn_words)};
static const char *const status_words[] = {"ok", "error"};
static const struct fal_shape status = {.kind = FAL_SHAPE_WORD, FAL_WORDS(status_words)};
static const char *const class_words[] = {"valid", "invalid", "inopportune"};
static const struct fal_shape klass = {.kind = FAL_SHAPE_WORD, FAL_WORDS(class_words)};
static const struct fal_shape preset = {.kind = FAL_SHAPE_TEXT, .min = 1, .max = 20};

#define S(field) FAL_AT(struct tl_roce_step, field)
#define VERB(v)  S(word[v])
static const struct fal_member step_members[] = {
    {"post", &text, 0, VERB(TL_ROCE_POST),
     .doc = "send, write, write_imm or read, at time `at`"},
    {"receives", &text, 0, VERB(TL_ROCE_RECEIVES),
     .doc = "the number of SENDs that end b can take from the time `at` on"},
    {"drop", &text, 0, VERB(TL_ROCE_DROP), .doc = "packets of this pattern are lost"},
    {"mark", &text, 0, VERB(TL_ROCE_MARK), .doc = "packets get the ECN bits of `ecn` (ce)"},
    {"delay", &text, 0, VERB(TL_ROCE_DELAY), .doc = "packets are held for the time `by`"},
    {"duplicate", &text, 0, VERB(TL_ROCE_DUPLICATE),
     .doc = "packets pass, and once more after the time `by`"},
    {"corrupt", &text, 0, VERB(TL_ROCE_CORRUPT), .doc = "the last bit of the ICRC is turned"},
    {"inject", &text, 0, VERB(TL_ROCE_INJECT),
     .doc = "a packet of Talon's own, in the notation, to the end `to`"},
    {"expect", &text, 0, VERB(TL_ROCE_EXPECT), .doc = "such a packet must come"},
    {"expect_none", &text, 0, VERB(TL_ROCE_EXPECT_NONE), .doc = "no such packet may come"},
    {"count", &text, 0, VERB(TL_ROCE_COUNT), .doc = "least to most such packets come"},
    {"spacing", &text, 0, VERB(TL_ROCE_SPACING),
     .doc = "such packets are at least the time `least` apart"},
    {"rate", &text, 0, VERB(TL_ROCE_RATE),
     .doc = "the rate of such packets is between least and most: 5Gb/s, 60%"},
    {"copies", &text, 0, VERB(TL_ROCE_COPIES),
     .doc = "such packets of a queue pair that have one PSN have the same data"},
    {"ended", &label, 0, VERB(TL_ROCE_ENDED), .doc = "the post of that label ends"},
    {"messages", &text, 0, VERB(TL_ROCE_MESSAGES),
     .doc = "so many messages are delivered at the end `to`, each whole and once"},
    {"as", &label, 0, S(as), .doc = "a label for the packet, or the post"},
    {"after", &label, 0, S(after), .doc = "only packets after that label count"},
    {"until", &label, 0, S(until), .doc = "only packets before that label count"},
    {"rule", &name, 0, S(rule), .doc = "the rule that is violated where the step is not met"},
    {"from", &side, 0, S(from), .initial = TL_ROCE_EITHER, .doc = "the end that sends: a or b"},
    {"to", &side, 0, S(to), .initial = TL_ROCE_A},
    {"seen", &point, 0, S(at), .doc = "where: at the bridge, or on arrival behind the switch"},
    {"length", &number, 0, S(length), .doc = "bytes of a post"},
    {"address", &number, 0, S(address)},
    {"r_key", &number, 0, S(r_key), .initial = 0x77, .doc = "of a post (0x77, the right one)"},
    {"qp", &qps, 0, S(qp), .initial = 1, .doc = "the queue pair of a post or CNP, from 1"},
    {"nth", &count, 0, S(nth), .initial = 1, .doc = "the first such packet that it acts on"},
    {"times", &count, 0, S(times), .initial = 1, .doc = "on how many"},
    {"at", &time_shape, 0, S(time_ns), .doc = "when it is posted"},
    {"by", &time_shape, 0, S(by_ns)},
    {"every", &time_shape, 0, S(every_ns), .doc = "of several injected packets"},
    {"within", &time_shape, 0, S(within_ns), FAL_HAS(struct tl_roce_step, has_within)},
    {"not_before", &time_shape, 0, S(not_before_ns),
     FAL_HAS(struct tl_roce_step, has_not_before)},
    {"for", &time_shape, 0, S(for_ns), FAL_HAS(struct tl_roce_step, has_for)},
    {"start", &time_shape, 0, S(start_ns), .doc = "how long after the label it begins"},
    {"least", &text, 0, S(least)},
    {"most", &text, 0, S(most)},
    {"ecn", &ecn, 0, S(ecn), .initial = TL_ROCE_CE},
    {"status", &status, 0, S(status)},
};
static const struct fal_shape step = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(step_members)};
static const struct fal_shape steps = {.kind = FAL_SHAPE_LIST,
                                       FAL_OF(&step),
                                       .min = 1,
                                       .max = STEPS_MAX,
                                       .item_size = sizeof(struct tl_roce_step)};

#define N(field) FAL_AT(struct tl_roce_network, field)
static const struct fal_member network_members[] = {
    {"delay", &time_shape, 0, N(delay_ns),
     .doc = "from an end to the bridge, and from there to the other end (1us)"},
    {"switch", &rate, 0, N(switch_bps), .doc = "a switch behind the bridge, of that rate"},
    {"kmin", &number, 0, N(kmin_bytes)},
    {"kmax", &number, 0, N(kmax_bytes)},
    {"pmax_ppm", &number, 0, N(pmax_ppm)},
};
static const struct fal_shape network = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(network_members)};

#define C(field) FAL_AT(struct tl_roce_scenario, field)
static const struct fal_member file_members[] = {
    {"$schema", &fal_shape_text, .flags = 0},
    {"schema", FAL_ONE_WORD(TL_ROCE_SCHEMA), .flags = FAL_MUST},
    {"protocol", FAL_ONE_WORD("roce"), .flags = FAL_MUST},
    {"id", &name, FAL_MUST, C(id)},
    {"title", &text, FAL_MUST, C(title)},
    {"purpose", &text, FAL_MUST, C(purpose)},
    {"class", &klass, FAL_MUST, C(klass)},
    {"version", &count, FAL_MUST, C(version)},
    {"rules", &names, FAL_MUST, C(rules), .doc = "the rules that the case exercises"},
    {"needs", &names, 0, C(needs),
     .doc = "rcm: congestion management is claimed; posts: the ends are told what to post; "
            "switch: a switch that marks; rnr: an end that is not ready"},
    {"tags", &names, 0, C(tags)},
    {"claims", &claims, 0, C(claims),
     .doc = "of the ends, for the rules: backlogged (data to send all the time), "
            "separate-scheduler (queue pairs share no limiter)"},
    {"dcqcn", &preset, 0, C(preset), .doc = "nic (default) or paper"},
    {"no_rcm", &fal_shape_yes, 0, C(no_rcm)},
    {"line_rate", &rate, 0, C(rate_bps), .doc = "(100Gb/s)"},
    {"min_rate", &rate, 0, C(min_rate_bps), .doc = "the least rate of a sender (of `dcqcn`)"},
    {"cnp_interval", &time_shape, 0, C(cnp_interval_ns), .doc = "N (50us)"},
    {"answer", &time_shape, 0, C(answer_ns), .doc = "from a packet to its answer (500ns)"},
    {"qps", &qps, 0, C(qps), .initial = 1},
    {"mtu", &mtu, 0, C(mtu), .initial = 1024},
    {"psn", &psn, 0, C(psn), .initial = 0xfffff0, .doc = "of the first packet of end a"},
    {"timeout", &time_shape, 0, C(timeout_ns), .doc = "(400us)"},
    {"retries", &number, 0, C(retries), .initial = 7},
    {"rnr_retries", &few, 0, C(rnr_retries), .initial = 7},
    {"rnr_code", &few, 0, C(rnr_code), .initial = 12},
    {"ack_every", &number, 0, C(ack_every)},
    {"window", &number, 0, C(window)},
    {"receives", &receives, 0, C(receives), FAL_HAS(struct tl_roce_scenario, has_receives),
     .doc = "SENDs that end b can take at the start (any)"},
    {"network", &network, 0, C(network)},
    {"for", &time_shape, 0, C(for_ns), .doc = "it plays so long (20ms)"},
    {"steps", &steps, FAL_MUST, C(steps), FAL_COUNT(struct tl_roce_scenario, num_steps)},
};
const struct fal_shape tl_roce_shape = {.kind = FAL_SHAPE_OBJECT,
                                        .doc =
                                            "A scenario of RoCEv2: talon run --profile roce.",
                                        FAL_MEMBERS(file_members)};
