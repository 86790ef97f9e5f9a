/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/check_options.h"

#include "codecs/base/nearest.h"
#include "codecs/text/text.h"
#include "harness/capture/capture.h"

#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tl_check_usage[] =
    "usage: talon check FILE... [option]...\n"
    "\n"
    "Judges captures (pcap, pcapng; - is standard input), timelines (JSON Lines, as talon run keeps\n"
    "them) and folders of them. In a capture both ends of each connection are judged, unless --sut or\n"
    "--connections says who is the SUT. Times have a unit: 250us, 3ms. What talon run --out left in a\n"
    "directory is judged and played again as a whole, and must come to the same.\n"
    "\n"
    "What is known of the connections\n"
    "  --connections FILE     CIDs, addresses, initial numbers, parameters, path (docs/formats.md);\n"
    "                         what it leaves out is learned where that is possible, and said\n"
    "  --sut ADDRESS          judge this host only\n"
    "  --param NAME=VALUE     a parameter of every connection, as talon help defaults names them:\n"
    "                         rto=1ms, ordered=true; what nobody gives convicts nobody\n"
    "  --turnaround TIME      the time that the SUT may take to answer\n"
    "  --pipeline TIME        how old the state may be that a packet of the SUT shows\n"
    "  --ulp FILE             what the SUT's upper layer was told and asked: talon/ulp/1, or the\n"
    "                         timeline of the same run; needs --sut or --connections, or a timeline\n"
    "  --ulp-offset TIME      added to its times to have those of the capture; may be negative\n"
    "  --ulp-error TIME       what they may then still be off by (default 0)\n"
    "  --psp-keys FILE, --esp-keys FILE   keys to open packets with\n"
    "  --falcon-port N        UDP port of plain Falcon (default 7777)\n"
    "\n"
    "What is known of the path (\"in\" is towards the SUT)\n"
    "  --vantage tester|middle|sut      where the capture was taken (default tester)\n"
    "  --lossless-in, --lossless-out    nothing is lost between here and the SUT\n"
    "  --in-order-in, --in-order-out    packets keep their order\n"
    "  --no-duplicates-in, --no-duplicates-out    no packet is doubled\n"
    "  --in-order             the last four together\n"
    "  --delay-min TIME, --delay-max TIME    of one way between here and the SUT\n"
    "  --round-trip-max TIME  of both ways; a longest delay that is less holds too\n"
    "  --clock-error TIME     what a time stamp of the capture may be off by\n"
    "\n"
    "What is known of the capture\n"
    "  --lossy-capture        it may have missed frames anywhere (pcapng says so itself)\n"
    "  --doubles TIME         the same frame again within TIME is a mirror's; of two interfaces it\n"
    "                         always is within 1ms\n"
    "  --join                 the files are parts of one capture, in this order\n"
    "\n"
    "What is judged, and how it is told\n"
    "  --only RULES, --skip RULES    ids with commas, or patterns: 'R*' (talon list rules)\n"
    "  --report FORMAT:FILE   html, json (talon/results/1), junit, markdown, sarif, tap or text, besides;\n"
    "                         FILE may be -\n"
    "  --junit-flavor NAME    whose reader it is for: jenkins (default), gitlab, rich\n"
    "  --format text|json     of standard output (default text; none with --report to -)\n"
    "\n"
    "Status: 0 all held; 1 something is broken; 2 a file or an option is wrong; 3 inconclusive; 4 error.\n";

int tl_check_complain(int status, const char *what, const char *about)
{
    fprintf(stderr, "talon check: %s%s%s (see talon help check)\n", what,
            about[0] != 0 ? " " : "", about);
    return status;
}

static int usage_error(const char *what, const char *about)
{
    return tl_check_complain(TL_STATUS_USAGE, what, about);
}

/* ---- rules ---- */

static int no_such_rule(const char *id)
{
    struct fal_nearest_list nearest = {.word = id};
    char names[100], text[260];
    size_t n;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        fal_nearest_add(&nearest, rules[i]->id);
    fal_nearest_print(&nearest, names, sizeof names);
    (void)snprintf(text, sizeof text, "%.60s%s%s%s", id,
                   nearest.num > 0 ? "; did you mean " : "", names,
                   nearest.num > 0 ? "?" : "; there are those of talon list rules");
    return usage_error("no such rule:", text);
}

/* Adds the rules that an id, or a pattern, names. */
static int add_rules(struct tl_rule_list *list, const char *pattern)
{
    size_t n, before = list->num;
    const struct fal_rule *const *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (fnmatch(pattern, rules[i]->id, 0) == 0 && list->num < FAL_RULES_MAX)
            list->ids[list->num++] = rules[i]->id;
    list->ids[list->num] = NULL;
    return list->num > before ? 0 : no_such_rule(pattern);
}

static int read_rules(struct tl_rule_list *list, const char *text)
{
    char *save = NULL, *copy = strdup(text);
    int status = 0;
    bool any = false;

    if (copy == NULL)
        return tl_check_complain(TL_STATUS_ERROR, "out of memory", "");
    for (char *id = strtok_r(copy, ",", &save); status == 0 && id != NULL;
         id = strtok_r(NULL, ",", &save)) {
        any = true;
        status = add_rules(list, id);
    }
    free(copy);
    return any || status != 0 ? status : usage_error("no rules named", "");
}

/* ---- times and parameters ---- */

static bool to_duration(const char *text, uint64_t *ns)
{
    struct fal_duration d;

    return fal_text_parse_duration(text, &d, NULL) == 0 && d.var[0] == 0 &&
           fal_duration_ns(&d, NULL, ns, NULL) == 0 && *ns <= INT64_MAX;
}

static int read_time(const char *name, const char *value, uint64_t *ns)
{
    char text[120];

    if (to_duration(value, ns))
        return 0;
    (void)snprintf(text, sizeof text, "%s takes a time such as 250us, not", name);
    return usage_error(text, value);
}

static int read_offset(struct tl_check_options *options, const char *value)
{
    uint64_t ns = 0;
    int status = read_time("--ulp-offset", value + (value[0] == '-'), &ns);

    options->have_ulp_offset = true;
    options->ulp_offset_ns = value[0] == '-' ? -(int64_t)ns : (int64_t)ns;
    return status;
}

static void give(struct tl_check_options *options, const struct fal_param *param)
{
    size_t n;

    options->given_params |= UINT32_C(1) << (param - fal_param_table(&n));
}

static bool to_value(const struct fal_param *param, const char *text, uint64_t *out)
{
    char *end;

    switch (param->kind) {
    case FAL_PARAM_SWITCH:
        *out = strcmp(text, "true") == 0;
        return *out == 1 || strcmp(text, "false") == 0;
    case FAL_PARAM_NUMBER:
        *out = strtoull(text, &end, 10);
        return text[0] >= '0' && text[0] <= '9' && *end == 0;
    case FAL_PARAM_DURATION: return to_duration(text, out);
    }
    return false;
}

static int no_such_param(const char *name)
{
    struct fal_nearest_list nearest = {.word = name};
    char names[100], text[260];
    size_t n;
    const struct fal_param *table = fal_param_table(&n);

    for (size_t i = 0; i < n; i++)
        fal_nearest_add(&nearest, table[i].name);
    fal_nearest_print(&nearest, names, sizeof names);
    (void)snprintf(text, sizeof text, "%.40s%s%s%s", name,
                   nearest.num > 0 ? "; did you mean " : "", names,
                   nearest.num > 0 ? "?" : "; there are those of talon help defaults");
    return usage_error("--param: no such parameter:", text);
}

static int read_param(struct tl_check_options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    char name[40];
    const struct fal_param *param;
    uint64_t value = 0;

    if (equals == NULL || (size_t)(equals - text) >= sizeof name)
        return usage_error("--param takes NAME=VALUE, not", text);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = 0;
    param = fal_param_find(name);
    if (param == NULL)
        return no_such_param(name);
    if (!to_value(param, equals + 1, &value) ||
        fal_param_set(param, &options->params, value) != 0)
        return usage_error("--param: not a value of its kind:", text);
    give(options, param);
    return 0;
}

static int read_param_time(struct tl_check_options *options, const char *name,
                           const char *param_name, const char *value)
{
    const struct fal_param *param = fal_param_find(param_name);
    uint64_t ns = 0;
    int status = read_time(name, value, &ns);

    if (status == 0 && fal_param_set(param, &options->params, ns) != 0)
        return usage_error("a time too long:", value);
    give(options, param);
    return status;
}

/* ---- files ---- */

static int read_connections(struct tl_check_command *c, const char *path)
{
    struct fal_error err = {{0}};
    json_error_t where;
    char text[700];

    json_decref(c->connections);
    c->connections_path = path;
    c->connections = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (c->connections == NULL)
        (void)snprintf(text, sizeof text, "%s:%d:%d: %s", path, where.line, where.column,
                       where.text);
    else if (tl_check_setup(c->connections, &c->options, &c->connections_list, &err) != 0)
        (void)snprintf(text, sizeof text, "%s: %s", path, err.text);
    else
        return 0;
    return usage_error(text, "");
}

static int read_port(struct tl_check_command *c, const char *value)
{
    char *end;
    unsigned long port = strtoul(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || *end != 0 || port == 0 || port > 65535)
        return usage_error("no UDP port:", value);
    c->options.frame.falcon_port = (uint16_t)port;
    return 0;
}

static int read_psp_keys(struct tl_check_command *c, const char *path)
{
    struct fal_error err = {{0}};

    fal_psp_keys_free(c->options.frame.psp_keys);
    c->options.frame.psp_keys = tl_psp_keys_open(path, &err);
    return c->options.frame.psp_keys != NULL ? 0 : usage_error(err.text, "");
}

static int read_esp_keys(struct tl_check_command *c, const char *path)
{
    struct fal_error err = {{0}};

    fal_esp_keys_free(c->options.frame.esp_keys);
    c->options.frame.esp_keys = tl_esp_keys_open(path, &err);
    return c->options.frame.esp_keys != NULL ? 0 : usage_error(err.text, "");
}

static int read_report(struct tl_check_command *c, const char *value)
{
    struct fal_error err;

    if (c->num_reports == TL_CHECK_REPORTS_MAX)
        return usage_error("too many reports:", value);
    if (tl_report_spec_read(value, &c->reports[c->num_reports], &err) != 0)
        return usage_error("--report", err.text);
    c->num_reports++;
    return 0;
}

static int read_flavor(struct tl_check_command *c, const char *value)
{
    int flavor = tl_junit_flavor_from(value);

    if (flavor < 0)
        return usage_error("--junit-flavor takes jenkins, gitlab or rich, not", value);
    c->junit = (enum tl_junit_flavor)flavor;
    return 0;
}

/* ---- the options ---- */

enum {
    OPT_CONNECTIONS = 1,
    OPT_SUT,
    OPT_PARAM,
    OPT_TURNAROUND,
    OPT_PIPELINE,
    OPT_ULP,
    OPT_ULP_OFFSET,
    OPT_ULP_ERROR,
    OPT_PSP_KEYS,
    OPT_ESP_KEYS,
    OPT_PORT,
    OPT_VANTAGE,
    OPT_LOSSLESS_IN,
    OPT_LOSSLESS_OUT,
    OPT_IN_ORDER_IN,
    OPT_IN_ORDER_OUT,
    OPT_NO_DUPLICATES_IN,
    OPT_NO_DUPLICATES_OUT,
    OPT_IN_ORDER,
    OPT_DELAY_MIN,
    OPT_DELAY_MAX,
    OPT_ROUND_TRIP,
    OPT_CLOCK_ERROR,
    OPT_LOSSY,
    OPT_DOUBLES,
    OPT_JOIN,
    OPT_ONLY,
    OPT_SKIP,
    OPT_REPORT,
    OPT_JUNIT_FLAVOR,
    OPT_FORMAT,
    OPT_HELP,
};

/* "now" is a name of a file or of a clock: no time. */
static int set_path(struct tl_check_options *options, int option, const char *value)
{
    struct fal_ev_run *run = &options->run;
    uint64_t ns = 0;
    int status;

    switch (option) {
    case OPT_VANTAGE:
        return tl_check_vantage(value, &run->vantage)
                   ? 0
                   : usage_error("--vantage takes tester, middle or sut, not", value);
    case OPT_LOSSLESS_IN: run->lossless_in = true; return 0;
    case OPT_LOSSLESS_OUT: run->lossless_out = true; return 0;
    case OPT_IN_ORDER_IN: run->in_order_in = true; return 0;
    case OPT_IN_ORDER_OUT: run->in_order_out = true; return 0;
    case OPT_NO_DUPLICATES_IN: run->no_duplicates_in = true; return 0;
    case OPT_NO_DUPLICATES_OUT: run->no_duplicates_out = true; return 0;
    case OPT_IN_ORDER:
        run->in_order_in = run->in_order_out = true;
        run->no_duplicates_in = run->no_duplicates_out = true;
        return 0;
    case OPT_DELAY_MIN: return read_time("--delay-min", value, &run->delay_min_ns);
    case OPT_DELAY_MAX: return read_time("--delay-max", value, &run->delay_max_ns);
    case OPT_ROUND_TRIP: /* neither way can take longer than both */
        status = read_time("--round-trip-max", value, &ns);
        if (status == 0 && ns < run->delay_max_ns)
            run->delay_max_ns = ns;
        return status;
    default: return read_time("--clock-error", value, &run->clock_error_ns);
    }
}

static int set_option(struct tl_check_command *c, int option, const char *value)
{
    struct tl_check_options *options = &c->options;

    switch (option) {
    case OPT_CONNECTIONS: return read_connections(c, value);
    case OPT_SUT:
        options->have_sut = true;
        return tl_host_read(value, &options->sut) ? 0
                                                  : usage_error("--sut: no IP address:", value);
    case OPT_PARAM: return read_param(options, value);
    case OPT_TURNAROUND: return read_param_time(options, "--turnaround", "turnaround", value);
    case OPT_PIPELINE: return read_param_time(options, "--pipeline", "pipeline", value);
    case OPT_ULP: options->ulp = value; return 0;
    case OPT_ULP_OFFSET: return read_offset(options, value);
    case OPT_ULP_ERROR:
        options->have_ulp_error = true;
        return read_time("--ulp-error", value, &options->ulp_error_ns);
    case OPT_PSP_KEYS: return read_psp_keys(c, value);
    case OPT_ESP_KEYS: return read_esp_keys(c, value);
    case OPT_PORT: return read_port(c, value);
    case OPT_LOSSY: options->lossy_capture = true; return 0;
    case OPT_DOUBLES: return read_time("--doubles", value, &options->doubles_ns);
    case OPT_JOIN: c->join = true; return 0;
    case OPT_ONLY: return read_rules(&c->only, value);
    case OPT_SKIP: return read_rules(&c->skip, value);
    case OPT_REPORT: return read_report(c, value);
    case OPT_JUNIT_FLAVOR: return read_flavor(c, value);
    case OPT_FORMAT:
        c->json = strcmp(value, "json") == 0;
        return c->json || strcmp(value, "text") == 0
                   ? 0
                   : usage_error("--format takes text or json, not", value);
    default: return set_path(options, option, value);
    }
}

static int check_all(const struct tl_check_command *c, int files)
{
    struct fal_error err = {{0}};

    if (files == 0)
        return usage_error("no file given", "");
    if (tl_check_options_ok(&c->options, &err) != 0)
        return usage_error(err.text, "");
    if (c->options.ulp != NULL && files > 1 && !c->join)
        return usage_error("--ulp goes with one capture", "");
    if (c->options.ulp != NULL && !c->options.have_sut && c->connections == NULL &&
        !tl_check_is_timeline(c->options.ulp))
        return usage_error("--ulp: who is the SUT is to be said by --sut or --connections", "");
    if (c->join && c->options.ulp != NULL && files > 1)
        return usage_error("--ulp does not go with --join", "");
    return 0;
}

int tl_check_options_read(struct tl_check_command *c, int argc, char **argv)
{
    static const struct option options[] = {
        {"connections", required_argument, NULL, OPT_CONNECTIONS},
        {"sut", required_argument, NULL, OPT_SUT},
        {"param", required_argument, NULL, OPT_PARAM},
        {"turnaround", required_argument, NULL, OPT_TURNAROUND},
        {"pipeline", required_argument, NULL, OPT_PIPELINE},
        {"ulp", required_argument, NULL, OPT_ULP},
        {"ulp-offset", required_argument, NULL, OPT_ULP_OFFSET},
        {"ulp-error", required_argument, NULL, OPT_ULP_ERROR},
        {"psp-keys", required_argument, NULL, OPT_PSP_KEYS},
        {"esp-keys", required_argument, NULL, OPT_ESP_KEYS},
        {"falcon-port", required_argument, NULL, OPT_PORT},
        {"vantage", required_argument, NULL, OPT_VANTAGE},
        {"lossless-in", no_argument, NULL, OPT_LOSSLESS_IN},
        {"lossless-out", no_argument, NULL, OPT_LOSSLESS_OUT},
        {"in-order-in", no_argument, NULL, OPT_IN_ORDER_IN},
        {"in-order-out", no_argument, NULL, OPT_IN_ORDER_OUT},
        {"no-duplicates-in", no_argument, NULL, OPT_NO_DUPLICATES_IN},
        {"no-duplicates-out", no_argument, NULL, OPT_NO_DUPLICATES_OUT},
        {"in-order", no_argument, NULL, OPT_IN_ORDER},
        {"delay-min", required_argument, NULL, OPT_DELAY_MIN},
        {"delay-max", required_argument, NULL, OPT_DELAY_MAX},
        {"round-trip-max", required_argument, NULL, OPT_ROUND_TRIP},
        {"clock-error", required_argument, NULL, OPT_CLOCK_ERROR},
        {"lossy-capture", no_argument, NULL, OPT_LOSSY},
        {"doubles", required_argument, NULL, OPT_DOUBLES},
        {"join", no_argument, NULL, OPT_JOIN},
        {"only", required_argument, NULL, OPT_ONLY},
        {"skip", required_argument, NULL, OPT_SKIP},
        {"report", required_argument, NULL, OPT_REPORT},
        {"junit-flavor", required_argument, NULL, OPT_JUNIT_FLAVOR},
        {"format", required_argument, NULL, OPT_FORMAT},
        {"help", no_argument, NULL, OPT_HELP},
        {NULL, 0, NULL, 0},
    };
    int option, status = 0;

    c->options.run.delay_max_ns = FAL_NEVER;
    fal_params_default(&c->options.params, true);
    opterr = 0;
    optind = 0;
    while (status == 0 && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == OPT_HELP)
            return -1;
        if (option == ':')
            status = usage_error("a value is missing after", argv[optind - 1]);
        else if (option == '?')
            status = usage_error("no option", argv[optind - 1]);
        else
            status = set_option(c, option, optarg);
    }
    c->options.rules.only = c->only.num > 0 ? c->only.ids : NULL;
    c->options.rules.skip = c->skip.num > 0 ? c->skip.ids : NULL;
    return status == 0 ? check_all(c, argc - optind) : status;
}

void tl_check_options_free(struct tl_check_command *c)
{
    json_decref(c->connections);
    fal_psp_keys_free(c->options.frame.psp_keys);
    fal_esp_keys_free(c->options.frame.esp_keys);
}
