/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cmd_run_options.h"

#include "harness/link_raw.h"

#include "codecs/nearest.h"
#include "harness/address.h"
#include "harness/cmd.h"
#include "harness/network.h"
#include "harness/quote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 256, SHARDS_MAX = 100000 };

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

static int read_sut(const char *text, struct tl_run_options *o)
{
    struct tl_target *target = &o->run.target;
    char host[TL_HOST_TEXT];
    struct fal_error err = {{0}};
    uint16_t port;

    o->sut = text;
    if (strncmp(text, "builtin", 7) == 0) {
        struct tl_builtin builtin = {.twins = {.random = false}};

        if (tl_builtin_read(&builtin, text + 7, &err) != 0)
            return tl_run_wrong("--sut: %s", err.text);
        target->kind = TL_TARGET_BUILTIN;
        target->faults = builtin.faults;
        target->twins = builtin.twins;
        return 0;
    }
    if (strncmp(text, "udp:", 4) == 0) {
        target->kind = TL_TARGET_UDP;
        target->address = text + 4;
        return tl_address_split(text + 4, host, &port, &err) == 0
                   ? 0
                   : tl_run_wrong("--sut: %s", err.text);
    }
    if (strncmp(text, "raw:", 4) == 0) {
        struct tl_raw_address raw;

        target->kind = TL_TARGET_RAW;
        target->address = text + 4;
        return tl_raw_address_read(text + 4, &raw, &err) == 0
                   ? 0
                   : tl_run_wrong("--sut: %s", err.text);
    }
    if (strncmp(text, "lib:", 4) == 0 || strncmp(text, "exec:", 5) == 0) {
        target->kind = text[0] == 'l' ? TL_TARGET_LIB : TL_TARGET_EXEC;
        target->address = strchr(text, ':') + 1;
        return *target->address != 0 ? 0 : tl_run_wrong("--sut '%s': of what?", text);
    }
    return tl_run_wrong(
        "--sut '%s'; expected builtin, builtin:fault=NAME, builtin:twin=NAME, lib:FILE.so, "
        "exec:COMMAND, udp:HOST:PORT or raw:IFACE,HOST:PORT",
        text);
}

static int read_control(const char *text, struct tl_run_options *o)
{
    char host[TL_HOST_TEXT];
    struct fal_error err = {{0}};
    uint16_t port;

    o->run.target.control = text;
    if (strncmp(text, "unix:", 5) == 0 && text[5] != 0)
        return 0;
    if (strncmp(text, "tcp:", 4) != 0)
        return tl_run_wrong("--control '%s'; expected tcp:HOST:PORT or unix:PATH", text);
    return tl_address_split(text + 4, host, &port, &err) == 0
               ? 0
               : tl_run_wrong("--control: %s", err.text);
}

static int read_report(const char *text, struct tl_run_options *o)
{
    const char *colon = strchr(text, ':');
    char format[16];

    if (colon == NULL || colon[1] == 0)
        return tl_run_wrong("--report '%s'; expected json:FILE or junit:FILE", text);
    if (o->num_reports == TL_REPORTS_MAX)
        return tl_run_wrong("more than %d reports", TL_REPORTS_MAX);
    (void)snprintf(format, sizeof format, "%.*s", (int)(colon - text), text);
    o->reports[o->num_reports].write = tl_report_find(format);
    o->reports[o->num_reports].file = colon + 1;
    if (o->reports[o->num_reports++].write == NULL)
        return tl_run_wrong("--report: no format '%s'; expected json or junit", format);
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
        return tl_run_wrong("--encap '%s'; expected udp, psp_transport, psp_tunnel, "
                            "esp_transport or esp_tunnel",
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
    o->run.may_wedge = true;
    return strcmp(text, TL_TAG_MAY_WEDGE) == 0
               ? 0
               : tl_run_wrong("--allow '%s'; expected " TL_TAG_MAY_WEDGE, text);
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

static int read_file_name(const char *option, const char *text, const char **out)
{
    *out = text;
    return *text != 0 ? 0 : tl_run_wrong("%s: expected a file", option);
}

static int read_profile(const char *text, struct tl_run_options *o)
{
    return read_file_name("--profile", text, &o->profile);
}

static int read_ics(const char *text, struct tl_run_options *o)
{
    return read_file_name("--ics", text, &o->ics);
}

static int read_waivers(const char *text, struct tl_run_options *o)
{
    return read_file_name("--waivers", text, &o->waivers);
}

typedef int read_fn(const char *text, struct tl_run_options *o);

/* An option with a value has `read`, a switch `at`: its place in the options. */
static const struct option_row {
    const char *name;
    read_fn *read;
    size_t at;
} rows[] = {
    {"--sut", read_sut, 0},
    {"--control", read_control, 0},
    {"--twins", read_twins, 0},
    {"--network", read_network, 0},
    {"--encap", read_encap, 0},
    {"--ics", read_ics, 0},
    {"--param", read_param, 0},
    {"--id", read_id, 0},
    {"--tag", read_tag, 0},
    {"--requirement", read_requirement, 0},
    {"--chapter", read_chapter, 0},
    {"--class", read_class, 0},
    {"--profile", read_profile, 0},
    {"--shard", read_shard, 0},
    {"--allow", read_allow, 0},
    {"--seed", read_seed, 0},
    {"--case-seed", read_case_seed, 0},
    {"--jobs", read_jobs, 0},
    {"--repeat", read_repeat, 0},
    {"--retries", read_retries, 0},
    {"--timeout", read_timeout, 0},
    {"--waivers", read_waivers, 0},
    {"--date", read_date, 0},
    {"--report", read_report, 0},
    {"--out", read_out, 0},
    {"--keep", read_keep, 0},
    {"--colour", read_colour, 0},
    {"--color", read_colour, 0},
    {"--list", NULL, offsetof(struct tl_run_options, list)},
    {"--dry-run", NULL, offsetof(struct tl_run_options, dry_run)},
    {"--check-only", NULL, offsetof(struct tl_run_options, check_only)},
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

    if (tl_target_live(target->kind) && target->control == NULL && !only_told)
        return tl_run_wrong(
            "--sut udp: and raw: need --control, by which connections are opened");
    if (tl_target_live(target->kind) && o->network != NULL)
        return tl_run_wrong("--network is for a SUT in virtual time; a wire has its own");
    if (!tl_target_live(target->kind) && target->control != NULL)
        return tl_run_wrong("--control is for udp: and raw:; others need none");
    if (o->strict && o->waivers == NULL)
        return tl_run_wrong("--strict-waivers without --waivers");
    return 0;
}

/* What a command that repeats a case must say of this one. */
static int say_again(struct tl_run_options *o)
{
    const struct {
        const char *option, *value;
    } told[] = {
        {" --sut ", o->sut},
        {" --control ", o->run.target.control},
        {" --twins ", o->twins},
        {" --network ", o->network},

        {" --encap ", o->run.encap != FAL_ENCAP_UDP ? fal_encap_name(o->run.encap) : NULL},
        {" --ics ", o->ics},
        {" --profile ", o->profile},
        {"", o->params_again}};
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
    n = snprintf(o->again + len, sizeof o->again - len, " --seed %" PRIu64 "%s", o->run.seed,
                 o->run.may_wedge ? " --allow " TL_TAG_MAY_WEDGE : "");
    if (n < 0 || len + (size_t)n >= sizeof o->again)
        return tl_run_wrong("the options are too long");
    o->run.again = o->again;
    return 0;
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
