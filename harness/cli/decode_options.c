/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/decode_options.h"

#include "codecs/base/issue.h"
#include "harness/cli/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "usage: talon decode [FILE|-]... [option]...\n"
    "Prints the packets of captures (pcap, pcapng), one a line. Without FILE, or for -: standard input.\n"
    "  --format text|full|json   the one-line notation (default), the same with every field of every\n"
    "                            layer below it, or one JSON object a line\n"
    "  --psp-keys FILE           keys to open PSP packets with\n"
    "  --esp-keys FILE           keys to open ESP packets with\n"
    "  --falcon-port N           UDP port of plain Falcon (default 7777)\n"
    "  --filter EXPRESSION       only frames that match, in libpcap's language (man pcap-filter)\n"
    "  --issues-only             only frames with which something is wrong\n"
    "  --stats                   no packets, but how many there are of each type, and of each issue\n"
    "  --fail-on error|warning|note   end with status 1 if there is an issue that bad\n"
    "  --out FILE                write there instead of standard output\n"
    "Link types: Ethernet, raw IP, Linux cooked (v1, v2), USER0 (Falcon alone).\n"
    "Status: 0, also with issues; 1 see --fail-on; 2 a file or an option is wrong: the frames before it are printed.\n";

const char *tl_decode_usage(void)
{
    return usage_text;
}

enum {
    OPT_FORMAT = 1,
    OPT_PSP_KEYS,
    OPT_ESP_KEYS,
    OPT_PORT,
    OPT_FILTER,
    OPT_ISSUES_ONLY,
    OPT_STATS,
    OPT_FAIL_ON,
    OPT_OUT,
    OPT_HELP
};

static int complain_about(const char *option, const char *what)
{
    fprintf(stderr, "talon decode: %s %s (see talon help decode)\n", option, what);
    return TL_STATUS_USAGE;
}

static int wrong_option(const char *option, const char *value)
{
    char text[100];

    (void)snprintf(text, sizeof text, "does not take '%s'", value);
    return complain_about(option, text);
}

/* A UDP port, or 0. */
static uint16_t port_of(const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);

    return *text < '0' || *text > '9' || *end != 0 || port > 65535 ? 0 : (uint16_t)port;
}

static int set_option(struct tl_decode_options *o, int option, const char *value)
{
    switch (option) {
    case OPT_FORMAT:
        o->json = strcmp(value, "json") == 0;
        o->full = strcmp(value, "full") == 0;
        return o->json || o->full || strcmp(value, "text") == 0
                   ? 0
                   : wrong_option("--format", value);
    case OPT_PORT:
        o->falcon_port = port_of(value);
        return o->falcon_port == 0 ? wrong_option("--falcon-port", value) : 0;
    case OPT_FAIL_ON:
        o->fail_on = fal_severity_from(value);
        return o->fail_on < 0 ? wrong_option("--fail-on", value) : 0;
    case OPT_PSP_KEYS: o->psp_keys_path = value; return 0;
    case OPT_ESP_KEYS: o->esp_keys_path = value; return 0;
    case OPT_FILTER: o->filter = value; return 0;
    case OPT_ISSUES_ONLY: o->issues_only = true; return 0;
    case OPT_STATS: o->stats = true; return 0;
    default: o->out_path = value; return 0;
    }
}

/* What getopt_long has just refused: of a short option it says the letter alone. */
static const char *unknown_option(char **argv, char letter[3])
{
    if (optopt < ' ')
        return argv[optind - 1];
    letter[1] = (char)optopt;
    return letter;
}

int tl_decode_options_read(struct tl_decode_options *out, int argc, char **argv)
{
    static const struct option options[] = {
        {"format", required_argument, NULL, OPT_FORMAT},
        {"psp-keys", required_argument, NULL, OPT_PSP_KEYS},
        {"esp-keys", required_argument, NULL, OPT_ESP_KEYS},
        {"falcon-port", required_argument, NULL, OPT_PORT},
        {"filter", required_argument, NULL, OPT_FILTER},
        {"issues-only", no_argument, NULL, OPT_ISSUES_ONLY},
        {"stats", no_argument, NULL, OPT_STATS},
        {"fail-on", required_argument, NULL, OPT_FAIL_ON},
        {"out", required_argument, NULL, OPT_OUT},
        {"help", no_argument, NULL, OPT_HELP},
        {NULL, 0, NULL, 0},
    };
    char letter[3] = "-";
    int option, status = 0;

    *out = (struct tl_decode_options){.fail_on = -1};
    opterr = 0;
    optind = 0;
    while (status == 0 && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == OPT_HELP)
            return -1;
        if (option == ':')
            status = complain_about(argv[optind - 1], "needs a value");
        else if (option == '?')
            status = complain_about(unknown_option(argv, letter), "is no option");
        else
            status = set_option(out, option, optarg);
    }
    return status;
}
