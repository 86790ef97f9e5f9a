/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/reason.h"

#include <stddef.h>
#include <string.h>

/* Results, baselines and fingerprints hold these words: you may add words, but change none. */
static const char *const words[TL_REASON_COUNT] = {
    [TL_REASON_UNMET] = "unmet",
    [TL_REASON_LATE] = "late",
    [TL_REASON_TOO_EARLY] = "too-early",
    [TL_REASON_UNEXPECTED] = "unexpected",
    [TL_REASON_UNSUPPORTED] = "unsupported",
    [TL_REASON_UNOFFERED] = "unsupported",
    [TL_REASON_REFUSED] = "refused",
    [TL_REASON_SETUP] = "setup",
    [TL_REASON_PREAMBLE] = "preamble",
    [TL_REASON_POSTAMBLE] = "postamble",
    [TL_REASON_RESOURCES] = "resources",
    [TL_REASON_IN_LOSS] = "in-loss",
    [TL_REASON_OUT_LOSS] = "out-loss",
    [TL_REASON_IN_DUP] = "in-dup",
    [TL_REASON_OUT_DUP] = "out-dup",
    [TL_REASON_OUT_REORDER] = "out-reorder",
    [TL_REASON_PATH_DELAY] = "path-delay",
    [TL_REASON_TESTER_LATE] = "tester-late",
    [TL_REASON_SUT_LATE] = "sut-late",
    [TL_REASON_TURNAROUND] = "undeclared-turnaround",
    [TL_REASON_RULE] = "rule",
    [TL_REASON_TESTER_BROKE_RULE] = "tester-broke-rule",
    [TL_REASON_STEP_BROKE_RULE] = "step-broke-rule",
    [TL_REASON_NOT_EXERCISED] = "not-exercised",
    [TL_REASON_SILENT] = "silent",
    [TL_REASON_CLAIM] = "claim",
    [TL_REASON_UNDECIDED] = "undecided",
    [TL_REASON_FILE] = "file",
    [TL_REASON_RECORDED] = "recorded",
    [TL_REASON_NOT_REPEATABLE] = "not-repeatable",
    [TL_REASON_SUT_STOPPED] = "sut-stopped",
    [TL_REASON_CONTROL_LOST] = "control-lost",
    [TL_REASON_CONTROL] = "control",
    [TL_REASON_CONTROL_CLOSED] = "control-closed",
    [TL_REASON_CONTROL_FLOOD] = "control-flood",
    [TL_REASON_CONTROL_GARBAGE] = "control-garbage",
    [TL_REASON_CONTROL_SILENT] = "control-silent",
    [TL_REASON_EVENTS_LOST] = "events-lost",
    [TL_REASON_NO_PROGRESS] = "no-progress",
    [TL_REASON_TIMEOUT] = "timeout",
    [TL_REASON_LINK] = "link",
    [TL_REASON_OPEN] = "open",
    [TL_REASON_ROTATE] = "rotate",
    [TL_REASON_SEAL] = "seal",
    [TL_REASON_SEND] = "send",
    [TL_REASON_MTU] = "mtu",
    [TL_REASON_ENDPOINT] = "endpoint",
    [TL_REASON_SCENARIO] = "scenario",
    [TL_REASON_CAPTURE] = "capture",
    [TL_REASON_CONNECTION] = "connection",
    [TL_REASON_BRIDGE] = "bridge",
    [TL_REASON_EVIDENCE] = "evidence",
    [TL_REASON_MEMORY] = "memory",
};

bool tl_reason_recurs(enum tl_reason reason)
{
    static const enum tl_reason same[] = {
        TL_REASON_MTU,   TL_REASON_UNSUPPORTED, TL_REASON_UNOFFERED, TL_REASON_SETUP,
        TL_REASON_CLAIM, TL_REASON_FILE,        TL_REASON_RECORDED,  TL_REASON_SCENARIO};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i] == reason)
            return true;
    return false;
}

const char *tl_reason_word(enum tl_reason reason)
{
    return words[reason];
}

struct tl_reason_code tl_reason(enum tl_reason reason)
{
    return (struct tl_reason_code){reason, words[reason]};
}

struct tl_reason_code tl_reason_from(const char *word)
{
    if (word == NULL)
        return tl_reason(TL_REASON_NONE);
    for (int i = 0; i < TL_REASON_COUNT; i++)
        if (words[i] != NULL && strcmp(words[i], word) == 0)
            return tl_reason((enum tl_reason)i);
    return (struct tl_reason_code){TL_REASON_OTHER, word};
}
