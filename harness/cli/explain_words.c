/* SPDX-License-Identifier: Apache-2.0
 * explain_words.c - excuses, issues and unclear sentences, as lists. */
#include "harness/cli/explain.h"

#include "codecs/header/lint.h"
#include "oracles/ambiguity.h"
#include "oracles/rules/judge/judge.h"

#include <string.h>

static const char *const excuses[FAL_EXCUSE_COUNT] = {
    [FAL_EXCUSE_IN_LOSS] =
        "A packet to the judged side may have been lost on its way: it could not act on what it "
        "never got. Gone on a path that is declared to lose nothing (--lossless-in).",
    [FAL_EXCUSE_OUT_LOSS] =
        "What the judged side had to send may have been sent, and lost before it was seen. Gone "
        "on a path that is declared to lose nothing (--lossless-out).",
    [FAL_EXCUSE_IN_DUP] =
        "The path may have doubled a packet to the judged side, which then answered both. Gone with --no-duplicates-in.",
    [FAL_EXCUSE_OUT_DUP] =
        "The path may have doubled what the judged side sent once. Gone with --no-duplicates-out.",
    [FAL_EXCUSE_IN_REORDER] =
        "Packets to the judged side may have arrived in another order than they were seen in. "
        "Gone with --in-order-in, or a declared range of delays.",
    [FAL_EXCUSE_OUT_REORDER] =
        "Packets of the judged side may have been sent in another order than they were seen in. "
        "Gone with --in-order-out, a declared range of delays, or IVs, which tell the order.",
    [FAL_EXCUSE_CAPTURE_GAP] =
        "The capture, or the tester, may not have seen a packet that explains it: before it "
        "began, where it says that frames were dropped, or anywhere. Between these, gone with "
        "--complete-capture.",
    [FAL_EXCUSE_PIPELINE] =
        "The packet may show a state that is as old as the pipeline allowance (--pipeline): "
        "what came meanwhile could not change it.",
    [FAL_EXCUSE_RESOURCE_DROP] =
        "The judged side may have dropped the packet for lack of resources, which it may.",
    [FAL_EXCUSE_STALE_NACK] =
        "An older NACK may have been under way, and explains what was sent after it.",
    [FAL_EXCUSE_CC_UNKNOWN] =
        "Congestion control may have held it back: its windows are inside the sender.",
    [FAL_EXCUSE_CONFIG] =
        "A value of the configuration is needed that nobody gave (--connections, --param): a default convicts nobody.",
    [FAL_EXCUSE_TURNAROUND] =
        "The SUT was in time only by a turnaround or a pipeline allowance that Talon learned "
        "before the first case; nobody declared it. Gone when it is declared, in the IXIT or by "
        "--param turnaround=TIME and --param pipeline=TIME.",
    [FAL_EXCUSE_CLOCK] =
        "The times are not known well enough: the clock's error (--clock-error), a step of the "
        "clock, delays that nobody declared (--delay-max).",
    [FAL_EXCUSE_TESTER_LATE] =
        "The tester itself was not in time, so that what followed proves nothing.",
    [FAL_EXCUSE_WRITE_ORDER] =
        "More than six writes overlap in memory without an order, so Talon cannot try every order.",
    [FAL_EXCUSE_READING] =
        "Another tenable reading of an unclear sentence (an AMB id) allows it. The report names "
        "the reading and the event that showed it. Of a fixed ambiguity, the SUT must keep to "
        "one reading for the whole run.",
};

/* Those that a rule has use for (tests/explain.sh holds it against the rules). */
static const struct {
    const char *rule, *excuses;
} excuses_of[] = {
    {"A1", "out-loss out-reorder capture-gap config config:turnaround clock"},
    {"A2", "out-loss capture-gap config config:turnaround reading"},
    {"A3", "out-loss capture-gap config config:turnaround"},
    {"A4", "out-loss capture-gap config config:turnaround reading"},
    {"A5", "out-reorder"},
    {"A6", ""},
    {"C1", "capture-gap config"},
    {"C2", "config"},
    {"C3", "capture-gap config clock reading"},
    {"C4", "capture-gap config reading"},
    {"C5", "config reading"},
    {"D1", "in-loss config"},
    {"D3", "capture-gap"},
    {"D4", "in-loss config"},
    {"E1", "out-dup out-reorder cc-unknown config config:turnaround clock"},
    {"E2", "out-dup out-reorder capture-gap config config:turnaround clock reading"},
    {"E3", "out-dup out-reorder config clock"},
    {"E4", "in-loss out-loss out-reorder config config:turnaround reading"},
    {"E5", "out-dup out-reorder config clock reading"},
    {"E6", "out-dup out-reorder capture-gap config clock"},
    {"E7", "in-loss out-loss out-reorder config:turnaround"},
    {"L1", "out-reorder"},
    {"N1", "out-reorder capture-gap pipeline clock reading"},
    {"N2", "capture-gap config reading"},
    {"N3", "out-loss capture-gap resource-drop config config:turnaround clock"},
    {"N4", "in-loss out-dup in-reorder out-reorder capture-gap pipeline clock reading"},
    {"N5", ""},
    {"N6", "in-dup out-dup"},
    {"O1", "in-dup out-reorder capture-gap pipeline clock reading"},
    {"O2", "out-loss out-reorder capture-gap pipeline reading"},
    {"NV10", "capture-gap"},
    {"NV11", ""},
    {"NV12", "capture-gap config"},
    {"NV13", "capture-gap config"},
    {"NV14", "capture-gap"},
    {"NV15", "capture-gap"},
    {"NV16", ""},
    {"NV17", "capture-gap"},
    {"NV18", ""},
    {"NV19", ""},
    {"NV2", "capture-gap"},
    {"NV20", ""},
    {"NV3", "capture-gap"},
    {"NV4", "capture-gap"},
    {"NV5", "capture-gap"},
    {"NV6", "capture-gap"},
    {"NV7", "capture-gap"},
    {"NV8", "capture-gap config"},
    {"NV9", "capture-gap"},
    {"Q1", "in-dup capture-gap"},
    {"Q10", ""},
    {"Q2", "capture-gap"},
    {"Q3", "capture-gap config"},
    {"Q4", "config"},
    {"Q5", "capture-gap"},
    {"Q6", "out-loss"},
    {"Q7", ""},
    {"Q8", "config"},
    {"Q9", "config"},
    {"R1", "capture-gap"},
    {"R2", ""},
    {"R3", "out-loss out-reorder capture-gap pipeline clock reading"},
    {"R4", "out-reorder reading"},
    {"R5", "capture-gap resource-drop config config:turnaround"},
    {"R6", "out-loss out-reorder capture-gap pipeline clock reading"},
    {"R7", "capture-gap config clock"},
    {"R8", "capture-gap"},
    {"R9", "capture-gap"},
    {"RN1", "in-loss out-dup out-reorder capture-gap stale-nack cc-unknown config reading"},
    {"RN2", "in-loss capture-gap cc-unknown config config:turnaround reading"},
    {"RN3", "in-loss out-loss config reading"},
    {"RN4", "in-dup capture-gap config clock"},
    {"RN5", "config reading"},
    {"S1", "out-loss capture-gap config"},
    {"S2", "out-loss out-reorder capture-gap pipeline config reading"},
    {"S3", "capture-gap cc-unknown config reading"},
    {"S4", "out-dup out-reorder pipeline clock"},
    {"S5", "in-loss capture-gap cc-unknown config config:turnaround clock reading"},
    {"S6", "in-loss"},
    {"T1", "capture-gap config"},
    {"T2", "in-dup in-reorder out-reorder pipeline clock"},
    {"T3", "out-reorder pipeline clock"},
    {"T4", "in-dup out-reorder pipeline clock"},
    {"T5", ""},
    {"T6", ""},
    {"T7", ""},
    {"T8", ""},
    {"U1", "capture-gap"},
    {"U2", "config"},
    {"U3", "config"},
    {"U4", "config config:turnaround clock"},
    {"U5", "capture-gap config"},
    {"U6", "out-loss capture-gap config config:turnaround clock"},
    {"U7", "capture-gap"},
    {"V1", "capture-gap"},
    {"V10", "config write-order"},
    {"V11", "out-loss capture-gap config"},
    {"V12", "capture-gap config"},
    {"V13", ""},
    {"V14", ""},
    {"V15", ""},
    {"V16", "out-loss"},
    {"V17", "out-loss"},
    {"V18", ""},
    {"V19", ""},
    {"V2", "capture-gap"},
    {"V20", ""},
    {"V21", ""},
    {"V22", ""},
    {"V23", "config"},
    {"V24", "out-loss"},
    {"V25", "capture-gap"},
    {"V3", "capture-gap config"},
    {"V4", ""},
    {"V5", "capture-gap"},
    {"V6", ""},
    {"V7", "capture-gap"},
    {"V8", "capture-gap"},
    {"V9", "config write-order"},
    {"V26", "capture-gap"},
    {"X1", "capture-gap"},
    {"X2", "out-loss out-reorder capture-gap pipeline"},
    {"X3", "out-loss out-reorder capture-gap pipeline clock reading"},
    {"X4", "out-loss capture-gap reading"},
    {"X5", "out-loss capture-gap"},
    {"X6", "in-loss out-dup out-reorder pipeline clock"},
    {"X7", "config clock reading"},
};

const char *tl_explain_excuses_of(const char *rule)
{
    for (size_t i = 0; i < sizeof excuses_of / sizeof *excuses_of; i++)
        if (strcmp(excuses_of[i].rule, rule) == 0)
            return excuses_of[i].excuses;
    return "";
}

const char *tl_explain_excuse(const char *name)
{
    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        if (strcmp(fal_excuse_name((enum fal_excuse)e), name) == 0)
            return excuses[e];
    return NULL;
}

json_t *tl_list_excuses(void)
{
    json_t *list = json_array();

    for (int e = 0; e < FAL_EXCUSE_COUNT; e++)
        (void)json_array_append_new(list, json_pack("{s:s, s:s}", "name",
                                                    fal_excuse_name((enum fal_excuse)e), "doc",
                                                    excuses[e]));
    return list;
}

json_t *tl_list_readings(void)
{
    json_t *list = json_array();
    size_t n;
    const struct fal_ambiguity *all = fal_ambiguities(&n);

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(
            list,
            json_pack("{s:s, s:s, s:s, s:s, s:s?}", "id", all[i].id, "where", all[i].where,
                      "question", all[i].question, "reading", all[i].reading, "tolerated",
                      all[i].others[0] != 0 ? all[i].others : NULL));
    return list;
}

json_t *tl_list_issues(void)
{
    json_t *list = json_array();
    const struct fal_lint_row *rows = fal_lint_rows();

    for (int i = 0; i < FAL_LINT_COUNT; i++)
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s?, s:s}", "code", rows[i].code, "severity",
                            fal_severity_name(rows[i].severity), "requirement",
                            rows[i].requirement, "message", rows[i].message));
    return list;
}
