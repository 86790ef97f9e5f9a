/* SPDX-License-Identifier: Apache-2.0
 * roce_command.c - see roce_command.h. */
#include "harness/roce/roce_command.h"

#include "codecs/text/text.h"
#include "harness/check/check.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static int read_sut(void *into, const char *value, struct fal_error *err)
{
    struct fal_rj_setup *setup = &((struct tl_roce_command *)into)->setup;
    struct tl_host host;

    if (!tl_host_read(value, &host))
        return fal_fail(err, FAL_ERR_FORM, "'%.100s'; expected an IP address", value);
    if (setup->num_suts == FAL_ROCE_SUTS)
        return fal_fail(err, FAL_ERR_FORM, "more than %d addresses", FAL_ROCE_SUTS);
    setup->suts[setup->num_suts++] = (struct fal_rj_host){host.ip, host.v6};
    return 0;
}

static int read_rp(void *into, const char *value, struct fal_error *err)
{
    return tl_roce_read_parameters(value, &((struct tl_roce_command *)into)->setup, err);
}

static int read_connections(void *into, const char *value, struct fal_error *err)
{
    struct tl_roce_command *c = into;

    return tl_roce_read_pairs(value, &c->pairs, &c->setup.num_pairs, err);
}

/* "100Gb/s" */
static int read_line_rate(void *into, const char *value, struct fal_error *err)
{
    char *unit;
    unsigned long long number = strtoull(value, &unit, 10), factor = 0;

    if (strcmp(unit, "Gb/s") == 0)
        factor = 1000000000;
    else if (strcmp(unit, "Mb/s") == 0)
        factor = 1000000;
    if (value[0] < '0' || value[0] > '9' || factor == 0 || number == 0 ||
        number > UINT64_C(10000000000000) / factor)
        return fal_fail(err, FAL_ERR_FORM, "'%.60s'; expected a rate such as 100Gb/s", value);
    ((struct tl_roce_command *)into)->setup.dcqcn.line_rate_bps = number * factor;
    return 0;
}

/* ---- claims ---- */

#define CLAIM(word, member)                         \
    {                                               \
        word, offsetof(struct fal_rj_setup, member) \
    }

static const struct claim {
    const char *word;
    size_t at; /* of a bool */
} claims[] = {
    CLAIM("backlogged", backlogged),         CLAIM("separate-scheduler", separate_scheduler),
    CLAIM("alpha-from-cnp", alpha_from_cnp), CLAIM("cnp-becn", cnp_becn),
    CLAIM("icrc-captured", icrc_captured),   CLAIM("virtual-link", virtual_link),
};

static bool set_claim(struct fal_rj_setup *setup, const char *word)
{
    if (strcmp(word, "congestion-management") == 0) {
        setup->congestion_management = FAL_ROCE_CLAIMED;
        return true;
    }
    if (strcmp(word, "no-congestion-management") == 0) {
        setup->congestion_management = FAL_ROCE_NOT_CLAIMED;
        return true;
    }
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (strcmp(word, claims[i].word) == 0) {
            *(bool *)((char *)setup + claims[i].at) = true;
            return true;
        }
    return false;
}

static int read_claims(void *into, const char *value, struct fal_error *err)
{
    struct fal_rj_setup *setup = &((struct tl_roce_command *)into)->setup;
    char *save = NULL, *copy = strdup(value);
    int rc = 0;

    if (copy == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (char *word = strtok_r(copy, ",", &save); rc == 0 && word != NULL;
         word = strtok_r(NULL, ",", &save))
        if (!set_claim(setup, word))
            rc = fal_fail(err, FAL_ERR_FORM,
                          "no claim '%.60s'; there are congestion-management, "
                          "no-congestion-management, backlogged, separate-scheduler, "
                          "alpha-from-cnp, cnp-becn, icrc-captured and virtual-link",
                          word);
    free(copy);
    return rc;
}

/* ---- the table ---- */

#define TL_OPTIONS_OF struct tl_roce_command

static const struct tl_option option_list[] = {
    {TL_TEXTS("FILE", files, NULL)},
    {TL_CHOICE("--protocol", protocol, "roce", "roce"), .group = "The device",
     .help = "judge RoCEv2 packets instead of Falcon"},
    {TL_OWN("--sut", read_sut, "ADDRESS"),
     .help = "judge this host only; may be repeated (default: all hosts)"},
    {TL_TIME("--np", np_ns), .given_at = offsetof(struct tl_roce_command, have_np),
     .help = "N: the least time between two CNPs of a flow (NP1 to NP3)"},
    {TL_OWN("--rp", read_rp, "paper|nic|FILE"),
     .help = "parameters of DCQCN: a published set, or a JSON file (RP1 to RP4, CP1)"},
    {TL_OWN("--line-rate", read_line_rate, "RATE"),
     .help = "of the port, as 100Gb/s (RP1 to RP4)"},
    {TL_NUMBER("--burst", burst, 0, UINT32_MAX),
     .given_at = offsetof(struct tl_roce_command, have_burst),
     .help = "bytes that the rate limiter of a queue pair lets pass at once (RP1 to RP4)"},
    {TL_CHOICE("--limiter", limiter, "qp|ip|port", "unknown qp ip port"),
     .help = "what N is kept for (default: unknown, which excuses most)"},
    {TL_OWN("--claims", read_claims, "WORDS"),
     .help = "with commas: congestion-management or no-congestion-management (NP3), "
             "backlogged (RP2 to RP4), separate-scheduler (RP4), alpha-from-cnp (RP1), "
             "cnp-becn (NP4), icrc-captured (WF3), virtual-link (RP3, RP4)"},
    {TL_COUNT("--cnp-ecn", cnp_ecn, 0, 3),
     .given_at = offsetof(struct tl_roce_command, setup.have_cnp_ecn),
     .help = "the ECN field of CNPs (NP4)"},
    {TL_COUNT("--cnp-dscp", cnp_dscp, 0, 63),
     .given_at = offsetof(struct tl_roce_command, setup.have_cnp_dscp),
     .help = "the DSCP of CNPs (NP4)"},
    {TL_OWN("--connections", read_connections, "FILE"),
     .help = "which queue pairs are connected (default: learned from acknowledgements)"},
    {TL_TIME("--turnaround", setup.turnaround_ns),
     .given_at = offsetof(struct tl_roce_command, setup.have_turnaround),
     .help = "the time the SUT may take to answer (NP1, NP3, GB2, GB5, GB6)"},
    {TL_TIME("--pipeline", setup.pipeline_ns),
     .help = "the time between its port and the place where a packet counts"},
    {TL_TIME("--timeout", setup.timeout_ns),
     .help = "the least time without an ACK before packets are sent again (GB6)"},
    {TL_COUNT("--mtu", mtu, 256, 16384),
     .help = "bytes of data in a packet (for flows with RDMA READs)"},
    {TL_COUNT("--clock-ppm", ppm, 0, 100000), .help = "error of the clock of the SUT"},
    {TL_CHOICE("--vantage", vantage, "sut|peer|middle|switch", "middle sut peer switch"),
     .given_at = offsetof(struct tl_roce_command, have_vantage), .group = "The capture",
     .help = "where it was taken (default: sut with --sut, else middle)"},
    {TL_TIME("--delay-max", setup.delay_ns),
     .given_at = offsetof(struct tl_roce_command, setup.have_delay),
     .help = "the most that a packet takes between the vantage and the SUT, one way (not at "
             "vantage sut)"},
    {TL_TIME("--clock-error", setup.clock_error_ns),
     .help = "the error that a time stamp of the capture may have"},
    {TL_FLAG("--complete-capture", setup.complete),
     .help = "you declare that it holds every packet that passed its place; without it, rules "
             "that depend on packets that were not seen never fail the SUT"},
    {TL_FLAG("--from-start", setup.from_start),
     .help = "it holds the connections from their first packet on"},
    {TL_FLAG("--lossless-out", setup.lossless_out),
     .help = "no packet is lost between the SUT and the vantage"},
    {TL_FLAG("--lossless-in", setup.lossless_in), .help = "likewise, towards the SUT"},
    {TL_FLAG("--no-duplicates", setup.no_duplicates), .help = "the path duplicates nothing"},
    {TL_FLAG("--no-marking-behind", setup.no_marking_behind),
     .help = "no switch between the vantage and the SUT marks packets"},
    {TL_COUNT("--before", before, 0, 63),
     .given_at = offsetof(struct tl_roce_command, have_before),
     .help = "at vantage switch: the interface of the pcapng file on which packets come before "
             "the switch; the others are behind it (CP1)"},
    {TL_FLAG("--transport", transport), .group = "The report",
     .help =
         "also judge by rules K1 to K10 of any reliable transport (docs/transport-rules.md)"},
    {TL_TEXT("--filter", filter, "EXPR"), .help = "judge only frames that match (pcap-filter)"},
    {TL_CHOICE("--format", format, "text|json", "text json"),
     .help = "of standard output (default text)"},
};
const struct tl_options tl_roce_options = {"check", option_list,
                                           sizeof option_list / sizeof *option_list};

int tl_roce_command_ready(struct tl_roce_command *c, struct fal_error *err)
{
    struct fal_rj_setup *s = &c->setup;

    if (c->files.count == 0)
        return fal_fail(err, FAL_ERR_FORM, "no file given");
    s->pairs = c->pairs;
    if (c->have_np)
        s->dcqcn.cnp_interval_ns = c->np_ns;
    if (c->have_burst) {
        s->have_burst = true;
        s->burst_bytes = c->burst;
    }
    s->limiter = (enum fal_roce_limiter)c->limiter;
    s->vantage = c->have_vantage   ? (enum fal_roce_vantage)c->vantage
                 : s->num_suts > 0 ? FAL_ROCE_AT_SUT
                                   : FAL_ROCE_AT_MIDDLE;
    s->clock_error_ppm = c->ppm;
    s->mtu = c->mtu;
    s->cnp_ecn = (uint8_t)c->cnp_ecn;
    s->cnp_dscp = (uint8_t)c->cnp_dscp;
    if (s->vantage == FAL_ROCE_AT_SUT && s->num_suts == 0)
        return fal_fail(err, FAL_ERR_FORM, "--vantage sut: state who is the SUT by --sut");
    if (c->have_before && s->vantage != FAL_ROCE_AT_SWITCH)
        return fal_fail(err, FAL_ERR_FORM, "--before needs --vantage switch");
    if (c->transport && s->vantage == FAL_ROCE_AT_SUT && s->num_suts > 1)
        return fal_fail(err, FAL_ERR_FORM, "--transport: give one --sut, not several");
    if (c->transport && c->filter != NULL)
        return fal_fail(err, FAL_ERR_FORM, "--transport takes no --filter");
    return 0;
}

void tl_roce_command_free(struct tl_roce_command *c)
{
    tl_options_free(&tl_roce_options, c);
    free(c->pairs);
}
