/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/run_options.h"

#include "codecs/base/nearest.h"
#include "harness/doc/address.h"
#include "harness/doc/quote.h"
#include "harness/link/link_raw.h"
#include "harness/run/run_sut.h"
#include "harness/session/mux.h"
#include "harness/session/network.h"
#include "harness/session/wire_only.h"
#include "reports/base/status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 256, SHARDS_MAX = 100000 };

#define RATE_MAX UINT64_C(1000000000000)

int tl_run_wrong(const char *format, ...)
{
    va_list args;

    fputs("talon run: ", stderr);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    fputs("; see talon run --help\n", stderr);
    return TL_STATUS_USAGE;
}

/* A whole number up to `max`. */
static bool number(const char *text, uint64_t max, uint64_t *out)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && *end == 0 && *out <= max;
}

static int read_connections(const char *text, struct tl_run_options *o)
{
    struct fal_error err = {{0}};

    tl_wire_free(o->run.target.wire);
    o->connections = text;
    return tl_wire_load(text, &o->run.target.wire, &err) == 0
               ? 0
               : tl_run_wrong("--connections: %s", err.text);
}

static int read_report(const char *text, struct tl_run_options *o)
{
    struct fal_error err;

    if (o->num_reports == TL_REPORTS_MAX)
        return tl_run_wrong("more than %d reports", TL_REPORTS_MAX);
    if (tl_report_spec_read(text, &o->reports[o->num_reports], &err) != 0)
        return tl_run_wrong("--report: %s", err.text);
    o->run.stories |= o->reports[o->num_reports++].stories;
    return 0;
}

static int read_flavor(const char *text, struct tl_run_options *o)
{
    int flavor = tl_junit_flavor_from(text);

    if (flavor < 0)
        return tl_run_wrong("--junit-flavor '%s'; expected jenkins, gitlab or rich", text);
    o->junit = (enum tl_junit_flavor)flavor;
    return 0;
}

static int read_twins(const char *text, struct tl_run_options *o)
{
    struct fal_error err = {{0}};

    o->twins = text;
    return tl_twins_read(&o->run.twins, text, strlen(text), &err) == 0
               ? 0
               : tl_run_wrong("--twins: %s", err.text);
}

static int read_network(const char *text, struct tl_run_options *o)
{
    struct fal_error err = {{0}};

    o->network = text;
    return tl_network_read(text, &o->run.target, &err) == 0
               ? 0
               : tl_run_wrong("--network: %s", err.text);
}

static int read_encap(const char *text, struct tl_run_options *o)
{
    int encap = fal_encap_from(text);

    if (encap < 0 || encap == FAL_ENCAP_BARE)
        return tl_run_wrong(
            "--encap '%s'; expected udp, psp_transport, psp_tunnel, esp_transport or esp_tunnel",
            text);
    o->run.encap = (enum fal_encap)encap;
    return 0;
}

static int read_out(const char *text, struct tl_run_options *o)
{
    o->out_dir = text;
    return *text != 0 ? 0 : tl_run_wrong("--out: expected a directory");
}

static int read_keep(const char *text, struct tl_run_options *o)
{
    o->run.keep_all = strcmp(text, "all") == 0;
    return o->run.keep_all || strcmp(text, "failed") == 0
               ? 0
               : tl_run_wrong("--keep '%s'; expected all or failed", text);
}

static int read_seed(const char *text, struct tl_run_options *o)
{
    return number(text, UINT64_MAX, &o->run.seed)
               ? 0
               : tl_run_wrong("--seed '%s'; expected a number", text);
}

static int read_case_seed(const char *text, struct tl_run_options *o)
{
    o->run.has_case_seed = true;
    return number(text, UINT64_MAX, &o->run.case_seed)
               ? 0
               : tl_run_wrong("--case-seed '%s'; expected a number", text);
}

static int read_jobs(const char *text, struct tl_run_options *o)
{
    uint64_t n;

    if (!number(text, JOBS_MAX, &n) || n == 0)
        return tl_run_wrong("--jobs '%s'; expected 1 to %d", text, JOBS_MAX);
    o->run.jobs = (unsigned)n;
    return 0;
}

static int read_copies(const char *text, struct tl_run_options *o)
{
    uint64_t n;

    if (!number(text, TL_COPIES_MAX, &n) || n == 0)
        return tl_run_wrong("--copies '%s'; expected 1 to %d", text, TL_COPIES_MAX);
    o->run.copies = (unsigned)n;
    o->copies_again[0] = 0;
    if (n > 1)
        (void)snprintf(o->copies_again, sizeof o->copies_again, " --copies %u", o->run.copies);
    return 0;
}

static int read_repeat(const char *text, struct tl_run_options *o)
{
    uint64_t n;

    if (!number(text, TL_REPEATS_MAX, &n) || n == 0)
        return tl_run_wrong("--repeat '%s'; expected 1 to %d", text, TL_REPEATS_MAX);
    o->run.repeat = (unsigned)n;
    return 0;
}

static int read_retries(const char *text, struct tl_run_options *o)
{
    uint64_t n;

    if (!number(text, TL_ATTEMPTS_MAX - 1, &n))
        return tl_run_wrong("--retries '%s'; expected 0 to %d", text, TL_ATTEMPTS_MAX - 1);
    o->run.retries = (unsigned)n;
    return 0;
}

static int read_timeout(const char *text, struct tl_run_options *o)
{
    uint64_t n;

    if (!number(text, 86400, &n) || n == 0)
        return tl_run_wrong("--timeout '%s'; expected seconds, 1 to 86400", text);
    o->run.timeout_ns = n * FAL_S;
    o->run.target.answer_s = (unsigned)n;
    return 0;
}

/* "2/8" */
static int read_shard(const char *text, struct tl_run_options *o)
{
    const char *slash = strchr(text, '/');
    char first[16] = "";
    uint64_t i, n;

    if (slash != NULL && (size_t)(slash - text) < sizeof first)
        (void)snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    if (slash == NULL || !number(first, SHARDS_MAX, &i) || !number(slash + 1, SHARDS_MAX, &n) ||
        i == 0 || i > n)
        return tl_run_wrong("--shard '%s'; expected I/N, I from 1 to N, N at most %d", text,
                            SHARDS_MAX);
    o->shard = (unsigned)i;
    o->shards = (unsigned)n;
    return 0;
}

static int read_param(const char *text, struct tl_run_options *o)
{
    struct fal_error err = {{0}};
    size_t len = strlen(o->params_again);

    if (tl_given_params_add(&o->params, text, &err) != 0)
        return tl_run_wrong("--param: %s", err.text);
    if (len + strlen(text) + 12 > sizeof o->params_again)
        return tl_run_wrong("--param: too many");
    (void)snprintf(o->params_again + len, sizeof o->params_again - len, " --param '%s'", text);
    return 0;
}

static int read_allow(const char *text, struct tl_run_options *o)
{
    struct fal_error err = {{0}};
    size_t len = strlen(o->allow_again);

    if (strcmp(text, TL_TAG_MAY_WEDGE) == 0) {
        o->run.may_wedge = true;
        return 0;
    }
    if (tl_allowed_add(&o->run.target.live.allowed, text, &err) != 0)
        return tl_run_wrong("--allow: expected " TL_TAG_MAY_WEDGE " or an address: %s",
                            err.text);
    (void)snprintf(o->allow_again + len, sizeof o->allow_again - len, " --allow %s", text);
    return 0;
}

static int read_rate(const char *option, const char *text, uint64_t *out)
{
    return number(text, RATE_MAX, out)
               ? 0
               : tl_run_wrong("%s '%s'; expected a number a second, 0 (no limit) to %" PRIu64,
                              option, text, RATE_MAX);
}

static int read_frame_rate(const char *text, struct tl_run_options *o)
{
    return read_rate("--rate", text, &o->run.target.live.frames_per_s);
}

static int read_byte_rate(const char *text, struct tl_run_options *o)
{
    return read_rate("--byte-rate", text, &o->run.target.live.bytes_per_s);
}

static int read_date(const char *text, struct tl_run_options *o)
{
    o->date = text;
    return tl_date_read(text) != 0
               ? 0
               : tl_run_wrong("--date '%s'; expected a day, YYYY-MM-DD", text);
}

static int read_colour(const char *text, struct tl_run_options *o)
{
    static const char *const words[] = {"auto", "always", "never"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(words[i], text) == 0) {
            o->colour = (enum tl_colour)i;
            return 0;
        }
    }
    return tl_run_wrong("--colour '%s'; expected auto, always or never", text);
}

static int selected(enum tl_select_kind kind, const char *text, struct tl_run_options *o)
{
    struct fal_error err = {{0}};

    return tl_select_add(&o->select, kind, text, &err) == 0
               ? 0
               : tl_run_wrong("--%s: %s", tl_select_kind_name(kind), err.text);
}

static int read_id(const char *text, struct tl_run_options *o)
{
    return selected(TL_SELECT_ID, text, o);
}

static int read_tag(const char *text, struct tl_run_options *o)
{
    return selected(TL_SELECT_TAG, text, o);
}

static int read_requirement(const char *text, struct tl_run_options *o)
{
    return selected(TL_SELECT_REQUIREMENT, text, o);
}

static int read_chapter(const char *text, struct tl_run_options *o)
{
    return selected(TL_SELECT_CHAPTER, text, o);
}

static int read_class(const char *text, struct tl_run_options *o)
{
    return selected(TL_SELECT_CLASS, text, o);
}

int tl_run_file_name(const char *option, const char *text, const char **out)
{
    *out = text;
    return *text != 0 ? 0 : tl_run_wrong("%s: expected a file", option);
}

static int read_sut_exec(const char *text, struct tl_run_options *o)
{
    o->run.sut_exec = text;
    return *text != 0 ? 0 : tl_run_wrong("--sut-exec: expected a command");
}

static int read_profile(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--profile", text, &o->profile);
}

static int read_ics(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--ics", text, &o->ics);
}

static int read_ixit(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--ixit", text, &o->ixit);
}

static int read_waivers(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--waivers", text, &o->waivers);
}

static int read_host_check(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--host-check", text, &o->host_check);
}

static int read_path_check(const char *text, struct tl_run_options *o)
{
    return tl_run_file_name("--path-check", text, &o->path_check);
}

typedef int read_fn(const char *text, struct tl_run_options *o);

/* An option with a value has `read`, a switch `at`: its place in the options. */
static const struct option_row {
    const char *name;
    read_fn *read;
    size_t at;
} rows[] = {
    {"--sut", tl_run_read_sut, 0},
    {"--control", tl_run_read_control, 0},
    {"--connections", read_connections, 0},
    {"--sut-exec", read_sut_exec, 0},
    {"--twins", read_twins, 0},
    {"--network", read_network, 0},
    {"--encap", read_encap, 0},
    {"--capture-connections", tl_run_read_capture_connections, 0},
    {"--capture-sut", tl_run_read_capture_sut, 0},
    {"--capture-psp-keys", tl_run_read_capture_psp_keys, 0},
    {"--capture-esp-keys", tl_run_read_capture_esp_keys, 0},
    {"--capture-speed", tl_run_read_capture_speed, 0},
    {"--psp-keys", tl_run_read_psp_keys, 0},
    {"--esp-keys", tl_run_read_esp_keys, 0},
    {"--ics", read_ics, 0},
    {"--ixit", read_ixit, 0},
    {"--param", read_param, 0},
    {"--id", read_id, 0},
    {"--tag", read_tag, 0},
    {"--requirement", read_requirement, 0},
    {"--chapter", read_chapter, 0},
    {"--class", read_class, 0},
    {"--profile", read_profile, 0},
    {"--shard", read_shard, 0},
    {"--allow", read_allow, 0},
    {"--rate", read_frame_rate, 0},
    {"--byte-rate", read_byte_rate, 0},
    {"--seed", read_seed, 0},
    {"--case-seed", read_case_seed, 0},
    {"--jobs", read_jobs, 0},
    {"--repeat", read_repeat, 0},
    {"--copies", read_copies, 0},
    {"--retries", read_retries, 0},
    {"--timeout", read_timeout, 0},
    {"--waivers", read_waivers, 0},
    {"--host-check", read_host_check, 0},
    {"--path-check", read_path_check, 0},
    {"--date", read_date, 0},
    {"--report", read_report, 0},
    {"--junit-flavor", read_flavor, 0},
    {"--out", read_out, 0},
    {"--keep", read_keep, 0},
    {"--colour", read_colour, 0},
    {"--color", read_colour, 0},
    {"--busy-poll", NULL, offsetof(struct tl_run_options, run.target.live.busy_poll)},
    {"--outlive-parent", NULL, offsetof(struct tl_run_options, run.target.live.outlive_parent)},
    {"--list", NULL, offsetof(struct tl_run_options, list)},
    {"--dry-run", NULL, offsetof(struct tl_run_options, dry_run)},
    {"--check-only", NULL, offsetof(struct tl_run_options, check_only)},
    {"--probe", NULL, offsetof(struct tl_run_options, run.probe)},
    {"--fail-fast", NULL, offsetof(struct tl_run_options, run.fail_fast)},
    {"--strict-waivers", NULL, offsetof(struct tl_run_options, strict)},
    {"--vectors", NULL, offsetof(struct tl_run_options, run.whole_packets)},
    {"--verbose", NULL, offsetof(struct tl_run_options, verbose)},
    {"--help", NULL, offsetof(struct tl_run_options, help)},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int unknown_option(const char *option)
{
    const char *names[ROWS], *near;

    for (size_t i = 0; i < ROWS; i++)
        names[i] = rows[i].name;
    near = fal_nearest(option, names, ROWS);
    return near != NULL ? tl_run_wrong("no option '%s'; did you mean '%s'?", option, near)
                        : tl_run_wrong("no option '%s'", option);
}

/* What options do not go with each other. */
static int check_options(const struct tl_run_options *o)
{
    const struct tl_target *target = &o->run.target;
    bool only_told = o->list || o->check_only || o->help || o->dry_run;
    struct tl_raw_address raw;
    struct fal_error err = {{0}};

    if (target->kind == TL_TARGET_RAW &&
        tl_raw_address_read(target->address, &target->live.allowed, &raw, &err) != 0)
        return tl_run_wrong("--sut: %s", err.text);
    if (!tl_target_live(target->kind) &&
        (target->live.busy_poll || target->live.outlive_parent))
        return tl_run_wrong("--busy-poll and --outlive-parent are for udp: and raw:");

    if (target->kind == TL_TARGET_BRIDGE &&
        (target->control != NULL || target->wire != NULL || o->run.sut_exec != NULL))
        return tl_run_wrong("--sut bridge: has no control channel: its ends drive themselves");
    if (tl_target_live(target->kind) && target->kind != TL_TARGET_BRIDGE &&
        target->control == NULL && target->wire == NULL && !only_told)
        return tl_run_wrong("--sut udp: and raw: need --control, by which connections are "
                            "opened, or --connections with those that are open");
    if (target->wire != NULL && (!tl_target_live(target->kind) || target->control != NULL))
        return tl_run_wrong("--connections is for udp: and raw: without --control");
    if (target->wire != NULL && o->run.copies > 1)
        return tl_run_wrong("--copies needs --control");
    if (tl_target_live(target->kind) && o->network != NULL)
        return tl_run_wrong("--network is for a SUT in virtual time; a wire has its own");
    if (!tl_target_live(target->kind) && target->control != NULL)
        return tl_run_wrong("--control is for udp: and raw:; others need none");
    if (!tl_target_live(target->kind) && o->run.sut_exec != NULL)
        return tl_run_wrong("--sut-exec is for udp: and raw:; others begin anew by themselves");
    if (!tl_target_live(target->kind) && (o->host_check != NULL || o->path_check != NULL))
        return tl_run_wrong("--host-check and --path-check are for udp: and raw:");
    if (o->strict && o->waivers == NULL)
        return tl_run_wrong("--strict-waivers without --waivers");
    return tl_run_check_recording(o);
}

/* What a command that repeats a case must say of this one. */
static int say_again(struct tl_run_options *o)
{
    const struct {
        const char *option, *value;
    } told[] = {
        {" --sut ", o->sut},
        {" --control ", o->run.target.control},
        {" --connections ", o->connections},
        {" --sut-exec ", o->run.sut_exec},
        {" --twins ", o->twins},
        {" --network ", o->network},

        {" --encap ", o->run.encap != FAL_ENCAP_UDP ? fal_encap_name(o->run.encap) : NULL},
        {" --capture-connections ", o->recording.connections},
        {" --capture-sut ", o->recording.sut},
        {" --capture-psp-keys ", o->recording.psp_keys},
        {" --capture-esp-keys ", o->recording.esp_keys},
        {" --capture-speed ", o->capture_speed},
        {" --psp-keys ", o->psp_keys},
        {" --esp-keys ", o->esp_keys},
        {" --ics ", o->ics},
        {" --ixit ", o->ixit},
        {" --profile ", o->profile},
        {" --host-check ", o->host_check},
        {" --path-check ", o->path_check},
        {"", o->params_again},
        {"", o->copies_again},
        {"", o->allow_again},
        {"", o->run.target.live.busy_poll ? " --busy-poll" : NULL}};
    size_t len = 0;
    int n;

    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        char *word =
            told[i].value != NULL && *told[i].option != 0 ? tl_quote(told[i].value) : NULL;

        n = snprintf(o->again + len, sizeof o->again - len, "%s%s",
                     told[i].value != NULL ? told[i].option : "",
                     word != NULL            ? word
                     : told[i].value != NULL ? told[i].value
                                             : "");
        free(word);
        len += n > 0 ? (size_t)n : 0;
        if (len >= sizeof o->again)
            return tl_run_wrong("the options are too long");
    }
    n = snprintf(o->again + len, sizeof o->again - len, "%s --seed %" PRIu64 "%s",
                 o->run.probe ? " --probe" : "", o->run.seed,
                 o->run.may_wedge ? " --allow " TL_TAG_MAY_WEDGE : "");
    if (n < 0 || len + (size_t)n >= sizeof o->again)
        return tl_run_wrong("the options are too long");
    o->run.again = o->again;
    return 0;
}

void tl_run_options_free(struct tl_run_options *o)
{
    json_decref(o->run.psp_keys);
    json_decref(o->run.esp_keys);
    o->run.psp_keys = o->run.esp_keys = NULL;
    free(o->recording_path);
    o->recording_path = NULL;
    tl_wire_free(o->run.target.wire);
    o->run.target.wire = NULL;
}

int tl_run_options_read(int argc, char **argv, struct tl_run_options *o)
{
    int rc = 0;

    for (int i = 1; rc == 0 && i < argc; i++) {
        size_t k = 0;

        if (argv[i][0] != '-') {
            o->paths[o->num_paths++] = argv[i];
            continue;
        }
        while (k < ROWS && strcmp(rows[k].name, argv[i]) != 0)
            k++;
        if (k == ROWS)
            return unknown_option(argv[i]);
        if (rows[k].read == NULL) {
            *(bool *)((char *)o + rows[k].at) = true;
        } else {
            if (i + 1 == argc)
                return tl_run_wrong("%s lacks its value", argv[i]);
            rc = rows[k].read(argv[++i], o);
        }
    }
    if (rc == 0)
        rc = check_options(o);
    o->run.target.twins.random |= o->run.twins.random;
    return rc == 0 ? say_again(o) : rc;
}
