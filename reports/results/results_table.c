/* SPDX-License-Identifier: Apache-2.0
 * results_table.c - the members of the results of a run.
 */
#include "reports/results/results.h"

static const struct fal_member identity_members[] = {
    {"vendor", &fal_shape_text, .flags = 0},
    {"product", &fal_shape_text, .flags = 0},
    {"firmware", &fal_shape_text, .flags = 0},
};
static const struct fal_shape identity = {.kind = FAL_SHAPE_OBJECT,
                                          FAL_MEMBERS(identity_members)};
static const struct fal_member measured_members[] = {
    {"timer_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"answer_min_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"answer_max_ns", &fal_shape_uint, .flags = FAL_MUST},
};
static const struct fal_shape measured = {.kind = FAL_SHAPE_OBJECT,
                                          FAL_MEMBERS(measured_members)};
static const struct fal_shape seed = {.kind = FAL_SHAPE_TEXT, .pattern = "^[0-9]+$"};
static const char *const verdict_words[] = {"none",         "pass", "warn",
                                            "inconclusive", "fail", "error"};
static const struct fal_shape verdict = {.kind = FAL_SHAPE_WORD, FAL_WORDS(verdict_words)};
static const struct fal_shape status = {.kind = FAL_SHAPE_UINT, .max = 4};
static const struct fal_member counts_members[] = {
    {"pass", &fal_shape_uint, .flags = FAL_MUST},
    {"warn", &fal_shape_uint, .flags = FAL_MUST},
    {"inconclusive", &fal_shape_uint, .flags = FAL_MUST},
    {"fail", &fal_shape_uint, .flags = FAL_MUST},
    {"error", &fal_shape_uint, .flags = FAL_MUST},
};
static const struct fal_shape counts = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(counts_members)};
static const struct fal_member dispositions_members[] = {
    {"not applicable", &fal_shape_uint, .flags = 0},
    {"skipped", &fal_shape_uint, .flags = 0},
    {"not run", &fal_shape_uint, .flags = 0},
    {"waived", &fal_shape_uint, .flags = 0},
    {"expected failure", &fal_shape_uint, .flags = 0},
    {"unexpected pass", &fal_shape_uint, .flags = 0},
    {"flaky", &fal_shape_uint, .flags = 0},
};
static const struct fal_shape dispositions = {.kind = FAL_SHAPE_OBJECT,
                                              FAL_MEMBERS(dispositions_members)};
static const struct fal_shape shard = {.kind = FAL_SHAPE_UINT, .min = 1};
static const char *const seen_words[] = {"unclear", "does", "partly", "does not"};
static const struct fal_shape seen = {.kind = FAL_SHAPE_WORD, FAL_WORDS(seen_words)};
static const char *const finding_words[] = {"claim not met", "claim met in part",
                                            "ability denied", "ability not declared"};
static const struct fal_shape finding = {.kind = FAL_SHAPE_WORD, FAL_WORDS(finding_words)};
static const struct fal_member probe_item_members[] = {
    {"item", &fal_shape_text, .flags = FAL_MUST},
    {"claimed", &fal_shape_flag, .flags = FAL_MUST | FAL_NULL},
    {"seen", &seen, .flags = FAL_MUST},
    {"cases", &shard, .flags = FAL_MUST},
    {"passed", &fal_shape_uint, .flags = FAL_MUST},
    {"failed", &fal_shape_uint, .flags = FAL_MUST},
    {"example", &fal_shape_text, .flags = 0, .doc = "the first case that failed"},
    {"finding", &finding, .flags = 0},
};
static const struct fal_shape probe_item = {.kind = FAL_SHAPE_OBJECT,
                                            FAL_MEMBERS(probe_item_members)};
static const struct fal_shape probe = {.kind = FAL_SHAPE_LIST, FAL_OF(&probe_item)};
static const struct fal_shape ics = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_flag)};
static const char *const kind_words[] = {"waiver", "expected-failure", "flaky"};
static const struct fal_shape kind = {.kind = FAL_SHAPE_WORD, FAL_WORDS(kind_words)};
static const char *const state_words[] = {"used",      "unused",    "expired",
                                          "not-tried", "other-sut", "unexpected-pass"};
static const struct fal_shape state = {.kind = FAL_SHAPE_WORD, FAL_WORDS(state_words)};
static const struct fal_member waiver_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST}, {"kind", &kind, .flags = FAL_MUST},
    {"state", &state, .flags = FAL_MUST},       {"cases", &fal_shape_uint, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = 0},    {"link", &fal_shape_text, .flags = 0},
};
static const struct fal_shape waiver = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(waiver_members)};
static const struct fal_shape waivers = {.kind = FAL_SHAPE_LIST, FAL_OF(&waiver)};
static const struct fal_shape id = {.kind = FAL_SHAPE_TEXT, .pattern = "^AMB-[0-9]+$"};
static const struct fal_member reading_members[] = {
    {"id", &id, .flags = FAL_MUST},
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"alternative", &fal_shape_flag, .flags = FAL_MUST},
    {"cases", &fal_shape_uint, .flags = FAL_MUST},
};
static const struct fal_shape reading = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(reading_members)};
static const struct fal_shape readings = {.kind = FAL_SHAPE_LIST, FAL_OF(&reading)};
static const char *const class_words[] = {"valid", "invalid", "inopportune"};
static const struct fal_shape class = {.kind = FAL_SHAPE_WORD, FAL_WORDS(class_words)};
static const struct fal_shape seed2 = {.kind = FAL_SHAPE_TEXT, .pattern = "^0x[0-9a-f]{16}$"};
static const char *const disposition_words[] = {
    "not applicable",   "skipped",         "not run", "waived",
    "expected failure", "unexpected pass", "flaky"};
static const struct fal_shape disposition = {.kind = FAL_SHAPE_WORD,
                                             FAL_WORDS(disposition_words)};
static const struct fal_shape copies = {.kind = FAL_SHAPE_UINT, .min = 2};
static const struct fal_member repetition_members[] = {
    {"seed", &seed2, .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = 0},
};
static const struct fal_shape repetition = {.kind = FAL_SHAPE_OBJECT,
                                            FAL_MEMBERS(repetition_members)};
static const struct fal_shape repetitions = {.kind = FAL_SHAPE_LIST, FAL_OF(&repetition)};
static const struct fal_member step_members[] = {
    {"step", &fal_shape_uint, .flags = FAL_MUST},
    {"due_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"at_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"late_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"queue_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"drops", &fal_shape_uint, .flags = FAL_MUST},
};
static const struct fal_shape step = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(step_members)};
static const struct fal_shape steps = {.kind = FAL_SHAPE_LIST, FAL_OF(&step)};
static const struct fal_member timing_members[] = {
    {"timer_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"queue_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"busy_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"throttle_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"sut_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"allowance_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"drops", &fal_shape_uint, .flags = FAL_MUST},
    {"more_steps", &fal_shape_uint, .flags = 0},
    {"steps", &steps, .flags = FAL_MUST},
};
static const struct fal_shape timing = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(timing_members)};
static const struct fal_member attempt_members[] = {
    {"verdict", &verdict, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = 0},
};
static const struct fal_shape attempt = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(attempt_members)};
static const struct fal_shape attempts = {.kind = FAL_SHAPE_LIST, FAL_OF(&attempt)};
static const char *const kind_words2[] = {"step", "rule", "exercise", "bench"};
static const struct fal_shape kind2 = {.kind = FAL_SHAPE_WORD, FAL_WORDS(kind_words2)};
static const char *const subject_words[] = {"sut", "tester"};
static const struct fal_shape subject = {.kind = FAL_SHAPE_WORD, FAL_WORDS(subject_words)};
static const struct fal_shape also = {
    .kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_text), .min = 1};
static const struct fal_shape fingerprint = {.kind = FAL_SHAPE_TEXT,
                                             .pattern = "^[0-9a-f]{16}$"};
static const struct fal_shape events = {.kind = FAL_SHAPE_LIST, FAL_OF(&fal_shape_uint)};
static const struct fal_member packet_members[] = {
    {"packet", &fal_shape_text, .flags = FAL_MUST, .doc = "a line of the notation"},
    {"evidence", &fal_shape_yes, .flags = 0, .doc = "true: this packet shows the violation"},
};
static const struct fal_shape packet = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(packet_members)};
static const struct fal_shape packets = {.kind = FAL_SHAPE_LIST, FAL_OF(&packet)};
static const struct fal_member problem_members[] = {
    {"kind", &kind2, .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = FAL_MUST, .doc = "a stable word (docs/formats.md)"},
    {"step", &fal_shape_uint, .flags = 0, .doc = "index of the step, from 0"},
    {"line", &shard, .flags = 0, .doc = "of the step in its file"},
    {"rule", &fal_shape_text, .flags = 0},
    {"subject", &subject, .flags = 0, .doc = "who violated the rule"},
    {"text", &fal_shape_text, .flags = 0, .doc = "the step, or the rule's title"},
    {"requirement", &fal_shape_text, .flags = 0},
    {"requirement_text", &fal_shape_text, .flags = 0},
    {"also", &also, .flags = 0, .doc = "other requirements that the step decides"},
    {"t_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"expected", &fal_shape_text, .flags = 0},
    {"seen", &fal_shape_text, .flags = 0},
    {"why", &fal_shape_text, .flags = 0},
    {"fingerprint", &fingerprint, .flags = 0,
     .doc = "equal when the same failure happens again"},
    {"waiver", &fal_shape_text, .flags = 0, .doc = "id of the entry that waives it"},
    {"events", &events, .flags = 0,
     .doc = "indices on the timeline of the events that show the violation"},
    {"packets", &packets, .flags = 0},
};
static const struct fal_shape problem = {.kind = FAL_SHAPE_OBJECT,
                                         FAL_MEMBERS(problem_members)};
static const struct fal_shape problems = {.kind = FAL_SHAPE_LIST, FAL_OF(&problem)};
static const struct fal_member reading_members2[] = {
    {"id", &id, .flags = FAL_MUST},
    {"text", &fal_shape_text, .flags = FAL_MUST},
    {"alternative", &fal_shape_flag, .flags = FAL_MUST},
    {"event", &fal_shape_uint, .flags = FAL_MUST,
     .doc = "index on the timeline of the event that showed it"},
    {"t_ns", &fal_shape_uint, .flags = FAL_MUST},
};
static const struct fal_shape reading2 = {.kind = FAL_SHAPE_OBJECT,
                                          FAL_MEMBERS(reading_members2)};
static const struct fal_shape readings2 = {.kind = FAL_SHAPE_LIST, FAL_OF(&reading2)};
static const struct fal_shape excused = {.kind = FAL_SHAPE_MAP, FAL_OF(&fal_shape_uint)};
static const struct fal_member rule_members[] = {
    {"rule", &fal_shape_text, .flags = FAL_MUST},
    {"subject", &subject, .flags = FAL_MUST},
    {"connection", &fal_shape_uint, .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"holds", &fal_shape_uint, .flags = FAL_MUST},
    {"broken", &fal_shape_uint, .flags = FAL_MUST},
    {"undecided", &fal_shape_uint, .flags = FAL_MUST},
    {"excused", &excused, .flags = FAL_MUST, .doc = "by excuse"},
};
static const struct fal_shape rule = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(rule_members)};
static const struct fal_shape rules = {.kind = FAL_SHAPE_LIST, FAL_OF(&rule)};
static const struct fal_member step_members2[] = {
    {"line", &shard, .flags = 0},
    {"text", &fal_shape_text, .flags = FAL_MUST},
};
static const struct fal_shape step2 = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(step_members2)};
static const struct fal_shape steps2 = {.kind = FAL_SHAPE_LIST, FAL_OF(&step2)};
static const char *const what_words[] = {"packet", "lost", "timer", "step",
                                         "ulp",    "mark", "note",  "gap"};
static const struct fal_shape what = {.kind = FAL_SHAPE_WORD, FAL_WORDS(what_words)};
static const char *const dir_words[] = {">", "<"};
static const struct fal_shape dir = {.kind = FAL_SHAPE_WORD, FAL_WORDS(dir_words)};
static const struct fal_shape header = {.kind = FAL_SHAPE_TEXT, .pattern = "^([0-9a-f]{2})*$"};
static const struct fal_member flow_item_members[] = {
    {"what", &what, .flags = FAL_MUST},
    {"t_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"event", &fal_shape_uint, .flags = 0, .doc = "index on the timeline"},
    {"left_out", &fal_shape_uint, .flags = 0, .doc = "of a gap: how many events are left out"},
    {"dir", &dir, .flags = 0, .doc = "of a packet: > to the SUT, < from it"},
    {"step", &fal_shape_uint, .flags = 0,
     .doc = "index of the step that sent it, or that began"},
    {"text", &fal_shape_text, .flags = 0,
     .doc = "of a packet: in the notation, without time and direction"},
    {"evidence", &fal_shape_yes, .flags = 0, .doc = "true: it shows a problem"},
    {"again", &fal_shape_yes, .flags = 0,
     .doc = "true: a retransmission (this PSN went in that direction before)"},
    {"dropped", &fal_shape_yes, .flags = 0,
     .doc = "true: as far as the bench knows, the packet did not arrive"},
    {"header", &header, .flags = 0, .doc = "the Falcon header, hex"},
};
static const struct fal_shape flow_item = {.kind = FAL_SHAPE_OBJECT,
                                           FAL_MEMBERS(flow_item_members)};
static const struct fal_shape flow = {.kind = FAL_SHAPE_LIST, FAL_OF(&flow_item)};
static const struct fal_member case_members[] = {
    {"id", &fal_shape_text, .flags = FAL_MUST},
    {"title", &fal_shape_text, .flags = FAL_MUST},
    {"file", &fal_shape_text, .flags = FAL_MUST},
    {"class", &class, .flags = FAL_MUST},
    {"version", &shard, .flags = FAL_MUST},
    {"covers", &fal_shape_texts, .flags = FAL_MUST},
    {"seed", &seed2, .flags = FAL_MUST},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"reason", &fal_shape_text, .flags = 0},
    {"disposition", &disposition, .flags = 0,
     .doc =
         "why the verdict alone does not describe the case; absent: the case ran and its verdict counts"},
    {"disposition_why", &fal_shape_text, .flags = 0,
     .doc = "the ICS condition, the waiver entries, or fail-fast"},
    {"copies", &copies, .flags = 0,
     .doc = "with --copies: number of connections that played the case at the same time"},
    {"copy", &shard, .flags = 0,
     .doc = "the copy that got this verdict, from 1; absent: all copies got it"},
    {"repetitions", &repetitions, .flags = 0,
     .doc = "with --repeat; the verdict is the worst of them"},
    {"duration_ns", &fal_shape_uint, .flags = FAL_MUST},
    {"timing", &timing, .flags = 0, .doc = "of a live link"},
    {"attempts", &attempts, .flags = FAL_MUST},
    {"problems", &problems, .flags = FAL_MUST, .doc = "the worst first"},
    {"readings", &readings2, .flags = 0,
     .doc =
         "the reading that the SUT took of each ambiguous sentence; an alternative reading gives a warning"},
    {"rules", &rules, .flags = FAL_MUST, .doc = "rules that had something to decide"},
    {"packets", &packets, .flags = 0},
    {"evidence", &fal_shape_text, .flags = 0,
     .doc =
         "its directory below the output directory: timeline.jsonl, packets.pcapng, scenario.json"},
    {"repeat", &fal_shape_text, .flags = 0, .doc = "the command that reproduces it"},
    {"mixed", &fal_shape_yes, .flags = 0, .doc = "repetitions failed in different ways"},
    {"steps", &steps2, .flags = 0, .doc = "of the scenario, as in its file"},
    {"flow", &flow, .flags = 0,
     .doc =
         "of a case that did not pass: the part of its timeline around the evidence, for a ladder diagram"},
    {"profile", &fal_shape_text, .flags = 0,
     .doc = "where results of several profiles were merged"},
};
static const struct fal_shape case_ = {.kind = FAL_SHAPE_OBJECT, FAL_MEMBERS(case_members)};
static const struct fal_shape cases = {.kind = FAL_SHAPE_LIST, FAL_OF(&case_)};
static const struct fal_member file_members[] = {
    {"schema", FAL_ONE_WORD(TL_RESULTS_SCHEMA), .flags = FAL_MUST},
    {"tool", &fal_shape_text, .flags = FAL_MUST, .doc = "version of talon"},
    {"sut", &fal_shape_text, .flags = FAL_MUST, .doc = "as named on the command line"},
    {"product", &fal_shape_text, .flags = 0, .doc = "what the SUT says it is"},
    {"identity", &identity, .flags = 0,
     .doc = "whom waivers are held against: of the ICS, or of the SUT's greeting"},
    {"profile", &fal_shape_text, .flags = 0, .doc = "its name"},
    {"live", &fal_shape_flag, .flags = FAL_MUST, .doc = "real time"},
    {"measured", &measured, .flags = 0, .doc = "of a live link, before the first case"},
    {"seed", &seed, .flags = FAL_MUST, .doc = "decimal"},
    {"verdict", &verdict, .flags = FAL_MUST},
    {"status", &status, .flags = FAL_MUST, .doc = "the exit status that it comes to"},
    {"counts", &counts, .flags = FAL_MUST},
    {"dispositions", &dispositions, .flags = FAL_MUST, .doc = "how many cases have each"},
    {"not_selected", &fal_shape_uint, .flags = 0,
     .doc = "cases that were read and not asked for"},
    {"shard", &shard, .flags = 0},
    {"shards", &shard, .flags = 0},
    {"of_other_shards", &fal_shape_uint, .flags = 0, .doc = "cases that are theirs"},
    {"files_not_read", &fal_shape_uint, .flags = 0},
    {"probe", &probe, .flags = 0,
     .doc =
         "of --probe: what the SUT does, held against its claims; items of which no case tells are left out"},
    {"ics", &ics, .flags = 0, .doc = "item: offered, not, or null where nobody said"},
    {"ics_denied_by_sut", &fal_shape_texts, .flags = 0,
     .doc = "items of which the SUT's own greeting says otherwise"},
    {"waivers", &waivers, .flags = 0, .doc = "what became of each entry"},
    {"readings", &readings, .flags = 0, .doc = "over all cases"},
    {"cases", &cases, .flags = FAL_MUST},
    {"strict_waivers", &fal_shape_yes, .flags = 0, .doc = "entries without use fail the run"},
    {"interrupted", &fal_shape_yes, .flags = 0, .doc = "the run was broken off"},
};
const struct fal_shape tl_results_shape = {
    .kind = FAL_SHAPE_OBJECT,
    FAL_MEMBERS(file_members),
    .doc =
        "The results of a run. They contain no wall-clock time and no host name: in virtual time the same seed gives the same bytes."};
