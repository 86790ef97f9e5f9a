/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cmd_run_options.h"

#include "codecs/nearest.h"
#include "harness/address.h"
#include "harness/cmd.h"
#include "harness/network.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 256 };

const char tl_run_usage[] =
    "usage: talon run [PATH...] [--sut SUT] [options]\n"
    "\n"
    "Runs scenarios (files, or all *.json below directories; without PATH the suite that comes "
    "with\n"
    "talon) against an implementation, and judges everything it sends.\n"
    "\n"
    "  --sut SUT            builtin (default): the built-in implementation, in virtual time\n"
    "                       builtin:fault=NAME[:WHEN...][,NAME...]: with faults (talon list "
    "faults);\n"
    "                       WHEN: one-in=N, when=wrap|resync|second-window, "
    "field=HEADER.FIELD, seed=N\n"
    "                       builtin:twin=NAME[,NAME...]: with lawful freedoms (talon list "
    "twins); random\n"
    "                       draws some. Both: builtin:fault=NAME:twin=NAME\n"
    "                       udp:HOST:PORT: an implementation anywhere, over UDP\n"
    "  --control ADDR       its control channel: tcp:HOST:PORT or unix:PATH (needed with udp)\n"
    "  --twins NAMES        lawful freedoms that the tester's own end takes: "
    "NAME[,NAME...]; random: some,\n"
    "                       drawn for each case, of both ends where the implementation is "
    "the built-in one\n"
    "  --encap NAME         udp (default), psp_transport, psp_tunnel, esp_transport,\n"
    "                       esp_tunnel: what carries Falcon packets\n"
    "  --network WORDS      what the simulated network does: latency=20us,loss=1%,"
    "in:drop-frame:push_data:nth=3\n"
    "                       (docs/formats.md lists the words; with the built-in one)\n"
    "  --seed N             of all that is chosen at random (default 1)\n"
    "  --jobs N             cases side by side, with the built-in one (default: the "
    "processors)\n"
    "  --retries N          how often an inconclusive case is tried again on a live link "
    "(default 2)\n"
    "  --timeout SECONDS    of a case on a live link (default 10)\n"
    "  --report FORMAT:FILE json or junit; FILE - is standard output; may be given more than "
    "once\n"
    "  --out DIR            write results.json and the timelines of cases that did not pass "
    "there\n"
    "  --keep all|failed    whose timelines --out keeps (default failed)\n"
    "  --vectors            show the packets of each case\n"
    "  --list               only list the cases\n"
    "  --check-only         only check the files\n"
    "\n"
    "Exit status: 0 all passed, 1 something failed, 2 the command or a file is wrong, 3 "
    "nothing failed\n"
    "but something is inconclusive, 4 the implementation, the link or talon itself broke "
    "down.\n";

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
    return tl_run_wrong(
        "--sut '%s'; expected builtin, builtin:fault=NAME, builtin:twin=NAME or "
        "udp:HOST:PORT",
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

static int read_value(const char *option, const char *value, struct tl_run_options *o)
{
    uint64_t n;

    if (strcmp(option, "--sut") == 0)
        return read_sut(value, o);
    if (strcmp(option, "--control") == 0)
        return read_control(value, o);
    if (strcmp(option, "--twins") == 0) {
        struct fal_error err = {{0}};

        o->twins = value;
        return tl_twins_read(&o->run.twins, value, strlen(value), &err) == 0
                   ? 0
                   : tl_run_wrong("--twins: %s", err.text);
    }
    if (strcmp(option, "--network") == 0) {
        struct fal_error err = {{0}};

        o->network = value;
        return tl_network_read(value, &o->run.target, &err) == 0
                   ? 0
                   : tl_run_wrong("--network: %s", err.text);
    }
    if (strcmp(option, "--encap") == 0) {
        int encap = fal_encap_from(value);

        if (encap < 0 || encap == FAL_ENCAP_BARE)
            return tl_run_wrong("--encap '%s'; expected udp, psp_transport, psp_tunnel, "
                                "esp_transport or esp_tunnel",
                                value);
        o->run.encap = (enum fal_encap)encap;
        return 0;
    }
    if (strcmp(option, "--report") == 0)
        return read_report(value, o);
    if (strcmp(option, "--out") == 0) {
        o->run.out_dir = value;
        return *value != 0 ? 0 : tl_run_wrong("--out: expected a directory");
    }
    if (strcmp(option, "--keep") == 0) {
        o->run.keep_all = strcmp(value, "all") == 0;
        return o->run.keep_all || strcmp(value, "failed") == 0
                   ? 0
                   : tl_run_wrong("--keep '%s'; expected all or failed", value);
    }
    if (strcmp(option, "--seed") == 0)
        return number(value, UINT64_MAX, &o->run.seed)
                   ? 0
                   : tl_run_wrong("--seed '%s'; expected a number", value);
    if (strcmp(option, "--jobs") == 0) {
        if (!number(value, JOBS_MAX, &n) || n == 0)
            return tl_run_wrong("--jobs '%s'; expected 1 to %d", value, JOBS_MAX);
        o->run.jobs = (unsigned)n;
        return 0;
    }
    if (strcmp(option, "--retries") == 0) {
        if (!number(value, TL_ATTEMPTS_MAX - 1, &n))
            return tl_run_wrong("--retries '%s'; expected 0 to %d", value, TL_ATTEMPTS_MAX - 1);
        o->run.retries = (unsigned)n;
        return 0;
    }
    if (!number(value, 86400, &n) || n == 0)
        return tl_run_wrong("--timeout '%s'; expected seconds, 1 to 86400", value);
    o->run.timeout_ns = n * FAL_S;
    return 0;
}

static int unknown_option(const char *option)
{
    static const char *const options[] = {"--sut",     "--control", "--twins",      "--seed",
                                          "--jobs",    "--retries", "--timeout",    "--network",
                                          "--encap",   "--report",  "--out",        "--keep",
                                          "--vectors", "--list",    "--check-only", "--help"};
    const char *near = fal_nearest(option, options, sizeof options / sizeof *options);

    return near != NULL ? tl_run_wrong("no option '%s'; did you mean '%s'?", option, near)
                        : tl_run_wrong("no option '%s'", option);
}

int tl_run_options_read(int argc, char **argv, struct tl_run_options *o)
{
    static const char *const with_value[] = {"--sut",  "--control", "--twins",   "--seed",
                                             "--jobs", "--retries", "--timeout", "--report",
                                             "--out",  "--keep",    "--network", "--encap"};

    for (int i = 1; i < argc; i++) {
        size_t k = 0, n = sizeof with_value / sizeof *with_value;
        int rc;

        if (argv[i][0] != '-') {
            o->paths[o->num_paths++] = argv[i];
            continue;
        }
        while (k < n && strcmp(with_value[k], argv[i]) != 0)
            k++;
        if (k < n) {
            if (i + 1 == argc)
                return tl_run_wrong("%s lacks its value", argv[i]);
            rc = read_value(argv[i], argv[i + 1], o);
            i++;
            if (rc != 0)
                return rc;
        } else if (strcmp(argv[i], "--list") == 0) {
            o->list = true;
        } else if (strcmp(argv[i], "--check-only") == 0) {
            o->check_only = true;
        } else if (strcmp(argv[i], "--vectors") == 0) {
            o->run.whole_packets = true;
        } else if (strcmp(argv[i], "--help") == 0) {
            o->help = true;
        } else {
            return unknown_option(argv[i]);
        }
    }
    if (o->run.target.kind == TL_TARGET_UDP && o->run.target.control == NULL && !o->list &&
        !o->check_only && !o->help)
        return tl_run_wrong("--sut udp: needs --control, by which connections are opened");
    if (o->run.target.kind == TL_TARGET_UDP && o->network != NULL)
        return tl_run_wrong("--network is for the built-in SUT; a wire has its own");
    if (o->run.target.kind == TL_TARGET_BUILTIN && o->run.target.control != NULL)
        return tl_run_wrong("--control is for udp:; the built-in SUT needs none");
    o->run.target.twins.random |= o->run.twins.random;
    (void)snprintf(
        o->again, sizeof o->again, " --sut %s%s%s%s%s%s%s%s%s --seed %" PRIu64, o->sut,
        o->run.target.control != NULL ? " --control " : "",
        o->run.target.control != NULL ? o->run.target.control : "",
        o->twins != NULL ? " --twins " : "", o->twins != NULL ? o->twins : "",
        o->network != NULL ? " --network " : "", o->network != NULL ? o->network : "",
        o->run.encap != FAL_ENCAP_UDP ? " --encap " : "",
        o->run.encap != FAL_ENCAP_UDP ? fal_encap_name(o->run.encap) : "", o->run.seed);
    o->run.again = o->again;
    return 0;
}
