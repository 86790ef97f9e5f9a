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
    [TL_REASON_PAUSED] = "paused",
    [TL_REASON_QUIT] = "quit",
    [TL_REASON_ENDLESS] = "endless",
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
    [TL_REASON_BENCH] = "bench",
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

/* Whole sentences, for a cause that no requirement names. */
static const char *const sentences[TL_REASON_COUNT] = {
    [TL_REASON_UNMET] = "The SUT did not send a packet or an event that a step expects.",
    [TL_REASON_LATE] = "The SUT answered after the deadline of a step.",
    [TL_REASON_TOO_EARLY] = "The SUT sent a packet before the time that a step allows.",
    [TL_REASON_UNEXPECTED] = "The SUT sent a packet or an event that a step forbids.",
    [TL_REASON_UNSUPPORTED] = "The link cannot play a step.",
    [TL_REASON_UNOFFERED] = "The SUT's adapter does not offer what a step needs.",
    [TL_REASON_REFUSED] = "The SUT's adapter refused a command.",
    [TL_REASON_SETUP] =
        "The SUT opened the connection with other values than the scenario needs.",
    [TL_REASON_PREAMBLE] = "A set-up step was not met, so the purpose was not tested.",
    [TL_REASON_POSTAMBLE] = "A clean-up step was not met.",
    [TL_REASON_RESOURCES] = "The SUT reported that it lacks resources.",
    [TL_REASON_IN_LOSS] = "The path may have lost a packet to the SUT.",
    [TL_REASON_OUT_LOSS] = "The path may have lost a packet of the SUT.",
    [TL_REASON_IN_DUP] = "The path may have duplicated a packet to the SUT.",
    [TL_REASON_OUT_DUP] = "The path may have duplicated a packet of the SUT.",
    [TL_REASON_OUT_REORDER] = "The path does not keep the order of packets.",
    [TL_REASON_PATH_DELAY] = "A round trip takes longer than the retransmission timeout.",
    [TL_REASON_TESTER_LATE] = "Talon itself was late, so its steps prove nothing.",
    [TL_REASON_SUT_LATE] = "The process of the SUT did not run for some time.",
    [TL_REASON_PAUSED] = ("The steps were stopped with --step or --break-at on a live link, so "
                          "what came after the first stop is no verdict."),
    [TL_REASON_QUIT] = "The case was ended with `quit` at a stop.",
    [TL_REASON_ENDLESS] = "The two ends exchanged more packets than any case needs.",
    [TL_REASON_TURNAROUND] = "Only the SUT's turnaround decides, and nobody declared it.",
    [TL_REASON_TESTER_BROKE_RULE] =
        "Talon's own endpoint violated a rule, which is a defect of Talon.",
    [TL_REASON_STEP_BROKE_RULE] = "The packets of the scenario violate a rule.",
    [TL_REASON_NOT_EXERCISED] = "A rule that the scenario exercises had nothing to decide.",
    [TL_REASON_SILENT] =
        ("The SUT sent no packet in this run: is the address right, and can its "
         "packets reach Talon?"),
    [TL_REASON_CLAIM] = "The SUT does not do what its ICS claims.",
    [TL_REASON_UNDECIDED] = "A value or an event is missing that a rule needs.",
    [TL_REASON_FILE] = "A file that is judged cannot be read.",
    [TL_REASON_NOT_REPEATABLE] = "Two runs with the same seed gave different results.",
    [TL_REASON_SUT_STOPPED] = "The process of the SUT stopped after it was given a packet.",
    [TL_REASON_CONTROL_LOST] = "The control channel ended after a packet was sent to the SUT.",
    [TL_REASON_BENCH] = ("The SUT could not be reached before the first case, so no case was "
                         "played."),
    [TL_REASON_CONTROL] = "The control channel of the SUT cannot be used.",
    [TL_REASON_CONTROL_CLOSED] = "The SUT closed its control channel.",
    [TL_REASON_CONTROL_FLOOD] =
        "The SUT's adapter sends events faster than Talon can store them.",
    [TL_REASON_CONTROL_GARBAGE] =
        "The SUT's adapter sent a line that is not of the control protocol.",
    [TL_REASON_CONTROL_SILENT] = "The SUT's adapter does not answer a command.",
    [TL_REASON_EVENTS_LOST] = "The SUT's adapter reports that it dropped events.",
    [TL_REASON_NO_PROGRESS] = "Very many events occurred without any progress in time.",
    [TL_REASON_TIMEOUT] = "The case took longer than --timeout allows.",
    [TL_REASON_LINK] = "The link to the SUT failed.",
    [TL_REASON_OPEN] = "The connection could not be opened.",
    [TL_REASON_ROTATE] = "The keys of the connection could not be rotated.",
    [TL_REASON_SEAL] = "A packet could not be sealed or opened with PSP or ESP.",
    [TL_REASON_SEND] = "A packet could not be sent.",
    [TL_REASON_MTU] = "A packet does not fit the MTU of the path.",
    [TL_REASON_ENDPOINT] = "Talon's own endpoint rejected an input.",
    [TL_REASON_SCENARIO] = "The scenario cannot be played with these values.",
    [TL_REASON_CAPTURE] = "The capture that is played cannot be read.",
    [TL_REASON_CONNECTION] =
        "No connection is left in the file of --connections that has the needed values.",
    [TL_REASON_BRIDGE] = "Bridge mode could not follow the two ends.",
    [TL_REASON_EVIDENCE] = "The evidence could not be written.",
    [TL_REASON_MEMORY] = "Talon ran out of memory.",
};

bool tl_reason_recurs(enum tl_reason reason)
{
    static const enum tl_reason same[] = {
        TL_REASON_MTU,    TL_REASON_UNSUPPORTED, TL_REASON_UNOFFERED, TL_REASON_SETUP,
        TL_REASON_CLAIM,  TL_REASON_FILE,        TL_REASON_RECORDED,  TL_REASON_SCENARIO,
        TL_REASON_PAUSED, TL_REASON_QUIT,        TL_REASON_ENDLESS};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i] == reason)
            return true;
    return false;
}

const char *tl_reason_sentence(enum tl_reason reason)
{
    return sentences[reason];
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
