/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/timeline.h"

#include "codecs/header/lint.h"
#include "oracles/payload.h"
#include "oracles/timeline_names.h"

#include <stdlib.h>
#include <string.h>

const char *const fal_event_names[FAL_EV_COUNT] = {
    [FAL_EV_RUN] = "run",       [FAL_EV_CONNECTION] = "connection",
    [FAL_EV_PACKET] = "packet", [FAL_EV_COMMAND] = "command",
    [FAL_EV_REPLY] = "reply",   [FAL_EV_ULP] = "ulp",
    [FAL_EV_CM] = "cm",         [FAL_EV_MARK] = "mark",
    [FAL_EV_STEP] = "step",     [FAL_EV_NOTE] = "note",
    [FAL_EV_TIMING] = "timing", [FAL_EV_INTERNAL] = "internal",
    [FAL_EV_CLOSE] = "close",   [FAL_EV_BENCH] = "bench",
    [FAL_EV_CC] = "cc",         [FAL_EV_VERBS] = "verbs",
    [FAL_EV_NVME] = "nvme",     [FAL_EV_END] = "end",
};
const char *const fal_dir_names[FAL_DIR_COUNT] = {[FAL_TO_SUT] = ">", [FAL_FROM_SUT] = "<"};
const char *const fal_vantage_names[FAL_VANTAGE_COUNT] = {[FAL_VANTAGE_TESTER] = "tester",
                                                          [FAL_VANTAGE_MIDDLE] = "middle",
                                                          [FAL_VANTAGE_SUT] = "sut"};
const char *const fal_origin_names[FAL_ORIGIN_COUNT] = {[FAL_ORIGIN_ENDPOINT] = "endpoint",
                                                        [FAL_ORIGIN_STEP] = "step",
                                                        [FAL_ORIGIN_FOREIGN] = "foreign"};
const char *const fal_op_names[FAL_OP_COUNT] = {[FAL_OP_PUSH] = "push", [FAL_OP_PULL] = "pull"};
const char *const fal_answer_names[FAL_ANSWER_COUNT] = {
    [FAL_ANSWER_ACK] = "ack",           [FAL_ANSWER_DATA] = "data", [FAL_ANSWER_RNR] = "rnr",
    [FAL_ANSWER_CIE] = "cie",           [FAL_ANSWER_NRE] = "nre",   [FAL_ANSWER_CID] = "cid",
    [FAL_ANSWER_WITHHOLD] = "withhold",
};
const char *const fal_ulp_names[FAL_ULP_COUNT] = {[FAL_ULP_REQUEST] = "request",
                                                  [FAL_ULP_ACK] = "ulp_ack",
                                                  [FAL_ULP_COMPLETION] = "completion"};
const char *const fal_bad_names[FAL_BAD_COUNT] = {
    [FAL_BAD_NOT] = "no",        [FAL_BAD_CHECKSUM] = "checksum", [FAL_BAD_LENGTH] = "length",
    [FAL_BAD_SEAL] = "seal",     [FAL_BAD_SPI] = "spi",           [FAL_BAD_PCID] = "pcid",
    [FAL_BAD_REPLAY] = "replay",
};

const char *const fal_cc_queue_names[FAL_CC_QUEUE_COUNT] = {
    [FAL_CC_QUEUE_EVENT] = "event",
    [FAL_CC_QUEUE_RESULT] = "result",
};

const char *const fal_verbs_phase_names[FAL_VERBS_PHASE_COUNT] = {
    [FAL_VERBS_ASKED] = "asked",
    [FAL_VERBS_ANSWERED] = "answered",
    [FAL_VERBS_TOLD] = "told",
};

const char *const fal_bench_names[FAL_BENCH_COUNT] = {
    [FAL_BENCH_GATE_DROP] = "gate_drop",
    [FAL_BENCH_NETWORK_LOSS] = "network_loss",
    [FAL_BENCH_TIMER] = "timer",
};

const char *const fal_mark_names[FAL_MARK_COUNT] = {
    [FAL_MARK_TESTER_LATE] = "tester_late",   [FAL_MARK_GAP_IN] = "gap_in",
    [FAL_MARK_GAP_OUT] = "gap_out",           [FAL_MARK_LOSSLESS_IN] = "lossless_in",
    [FAL_MARK_LOSSLESS_OUT] = "lossless_out", [FAL_MARK_CLOCK_STEP] = "clock_step",
    [FAL_MARK_BARRIER] = "barrier",           [FAL_MARK_SUT_LATE] = "sut_late",
};

void fal_event_packet(struct fal_ev_packet *packet)
{
    packet->header_len = fal_falcon_decode(packet->bytes, packet->len, &packet->falcon);
    fal_event_decoded(packet);
}

void fal_event_decoded(struct fal_ev_packet *packet)
{
    fal_event_unhashed(packet);
    packet->payload_hash = fal_payload_hash(packet->payload, packet->payload_len);
}

void fal_event_unhashed(struct fal_ev_packet *packet)
{
    packet->issues.count = 0;
    packet->issues.dropped = 0;
    packet->payload = NULL;
    packet->payload_len = 0;
    if (packet->header_len > 0) {
        packet->payload = packet->bytes + packet->header_len;
        packet->payload_len = packet->len - (uint32_t)packet->header_len;
    }
    if (packet->header_len > 0)
        fal_lint_packet(&packet->falcon, packet->payload_len, packet->truncated, 0,
                        &packet->issues);
    else
        fal_lint_falcon(packet->bytes, packet->len, packet->truncated, 0, &packet->issues);
}

bool fal_bench_from_sentence(const char *text, struct fal_ev_bench *out)
{
    /* As the program of commit e30394d wrote them. A packet's line may follow. */
    static const struct {
        const char *begin;
        enum fal_bench_act what;
        enum fal_dir dir;
    } sentences[] = {
        {"bench: lost on its way to the SUT:", FAL_BENCH_GATE_DROP, FAL_TO_SUT},
        {"bench: lost on its way from the SUT:", FAL_BENCH_GATE_DROP, FAL_FROM_SUT},
        {"network: lost on its way to the SUT", FAL_BENCH_NETWORK_LOSS, FAL_TO_SUT},
        {"network: lost on its way from the SUT", FAL_BENCH_NETWORK_LOSS, FAL_FROM_SUT},
    };
    static const char endpoint[] = "tester's endpoint: ";

    if (strncmp(text, endpoint, sizeof endpoint - 1) == 0 && strstr(text, " timer") != NULL) {
        *out = (struct fal_ev_bench){FAL_BENCH_TIMER, FAL_TO_SUT, text + sizeof endpoint - 1};
        return true;
    }
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        size_t len = strlen(sentences[i].begin);

        if (strncmp(text, sentences[i].begin, len) != 0)
            continue;
        text += len;
        text += text[0] == ' ';
        *out = (struct fal_ev_bench){sentences[i].what, sentences[i].dir,
                                     text[0] != 0 ? text : NULL};
        return true;
    }
    return false;
}

const char *fal_answer_name(enum fal_answer answer)
{
    return fal_answer_names[answer];
}

int fal_answer_from(const char *name)
{
    for (int i = 0; i < FAL_ANSWER_COUNT; i++)
        if (strcmp(fal_answer_names[i], name) == 0)
            return i;
    return -1;
}

void fal_event_storage_free(struct fal_event_storage *storage)
{
    free(storage->bytes);
    free(storage->text);
    free(storage->verbs);
    free(storage->nvme);
    *storage = (struct fal_event_storage){0};
}

const char *fal_bad_requirement(enum fal_bad bad)
{
    switch (bad) {
    case FAL_BAD_NOT: break;
    case FAL_BAD_CHECKSUM: return "FTP-9.2.2.1-03";
    case FAL_BAD_LENGTH: return "FTP-9.2.2.1-04";
    case FAL_BAD_SEAL: return "FTP-9.2.2.1-05";
    case FAL_BAD_SPI: return "FTP-9.2.2.3-03";
    case FAL_BAD_PCID: return "FTP-9.2.2.3-15";
    case FAL_BAD_REPLAY: return "FTP-9.2.2.2-03";
    }
    return "FTP-9.2.2.1-01";
}
