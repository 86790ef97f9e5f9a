/* SPDX-License-Identifier: Apache-2.0
 * cmd_check.c - `talon check`: the options. */
#include "harness/check.h"

#include "harness/capture.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "usage: talon check FILE... [option]...\n"
    "Judges captures (pcap, pcapng) and timelines (JSON Lines, as talon run keeps them).\n"
    "In a capture both ends of a connection are judged, unless --sut or --connections say who "
    "is the SUT.\n"
    "  --connections FILE        JSON list: {\"sut\": {\"cid\", \"address\", \"req_psn\", "
    "\"data_psn\", \"rsn\"},\n"
    "                            \"tester\": {...}, \"params\": {...}}; what is missing is "
    "learned\n"
    "  --sut ADDRESS             judge this host only\n"
    "  --vantage tester|middle|sut   where the capture was taken (default tester)\n"
    "  --lossless-in, --lossless-out   nothing towards, from the SUT is lost between here and "
    "there\n"
    "  --in-order                the path keeps the order of packets and doubles none\n"
    "  --only RULES, --skip RULES    comma-separated rule ids (talon list rules)\n"
    "  --psp-keys FILE           keys to open PSP packets with\n"
    "  --esp-keys FILE           keys to open ESP packets with\n"
    "  --falcon-port N           UDP port of plain Falcon (default 7777)\n"
    "  --format text|json        (default text)\n"
    "Status: 0 all held; 1 something is broken; 2 a file or an option is wrong; 3 "
    "inconclusive; 4 error.\n";

enum { RULES_MAX = 64 };

struct rule_list {
    char *text;
    const char *ids[RULES_MAX + 1];
};

struct command {
    struct tl_check_options options;
    struct rule_list only, skip;
    json_t *connections;
    const char *connections_path;
    bool json;
};

enum {
    OPT_CONNECTIONS = 1,
    OPT_SUT,
    OPT_VANTAGE,
    OPT_LOSSLESS_IN,
    OPT_LOSSLESS_OUT,
    OPT_IN_ORDER,
    OPT_ONLY,
    OPT_SKIP,
    OPT_PSP_KEYS,
    OPT_ESP_KEYS,
    OPT_PORT,
    OPT_FORMAT,
    OPT_HELP,
};

static int complain(int status, const char *what, const char *about)
{
    fprintf(stderr, "talon check: %s%s%s (see talon help check)\n", what,
            about[0] != 0 ? " " : "", about);
    return status;
}

static bool is_rule(const char *id)
{
    size_t n;
    const struct fal_rule *rules = fal_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i].id, id) == 0)
            return true;
    return false;
}

static int read_rules(struct rule_list *list, const char *text)
{
    size_t n = 0;
    char *save = NULL;

    free(list->text);
    list->text = strdup(text);
    if (list->text == NULL)
        return complain(TL_STATUS_ERROR, "out of memory", "");
    for (char *id = strtok_r(list->text, ",", &save); id != NULL;
         id = strtok_r(NULL, ",", &save)) {
        if (n == RULES_MAX || !is_rule(id))
            return complain(TL_STATUS_USAGE, "no such rule:", id);
        list->ids[n++] = id;
    }
    list->ids[n] = NULL;
    return n > 0 ? 0 : complain(TL_STATUS_USAGE, "no rules named", "");
}

static int read_connections(struct command *c, const char *path)
{
    json_error_t where;
    char text[400];

    json_decref(c->connections);
    c->connections_path = path;
    c->connections = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (c->connections == NULL)
        (void)snprintf(text, sizeof text, "%s:%d:%d: %s", path, where.line, where.column,
                       where.text);
    else if (!json_is_array(c->connections))
        (void)snprintf(text, sizeof text, "%s: a list of connections is expected", path);
    else
        return 0;
    return complain(TL_STATUS_USAGE, text, "");
}

static int read_port(struct command *c, const char *value)
{
    char *end;
    unsigned long port = strtoul(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || *end != 0 || port == 0 || port > 65535)
        return complain(TL_STATUS_USAGE, "no UDP port:", value);
    c->options.frame.falcon_port = (uint16_t)port;
    return 0;
}

static int read_keys(struct command *c, int option, const char *path)
{
    struct fal_frame_options *frame = &c->options.frame;
    struct fal_error err = {{0}};
    bool ok;

    if (option == OPT_PSP_KEYS) {
        fal_psp_keys_free(frame->psp_keys);
        frame->psp_keys = tl_psp_keys_open(path, &err);
        ok = frame->psp_keys != NULL;
    } else {
        fal_esp_keys_free(frame->esp_keys);
        frame->esp_keys = tl_esp_keys_open(path, &err);
        ok = frame->esp_keys != NULL;
    }
    return ok ? 0 : complain(TL_STATUS_USAGE, err.text, "");
}

static int read_vantage(struct command *c, const char *value)
{
    static const char *const names[] = {"tester", "middle", "sut"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) == 0) {
            c->options.run.vantage = (enum fal_vantage)i;
            return 0;
        }
    }
    return complain(TL_STATUS_USAGE, "--vantage takes tester, middle or sut, not", value);
}

static int set_option(struct command *c, int option, const char *value)
{
    struct fal_ev_run *run = &c->options.run;

    switch (option) {
    case OPT_CONNECTIONS: return read_connections(c, value);
    case OPT_SUT:
        c->options.have_sut = true;
        return tl_host_read(value, &c->options.sut)
                   ? 0
                   : complain(TL_STATUS_USAGE, "--sut: no IP address:", value);
    case OPT_VANTAGE: return read_vantage(c, value);
    case OPT_LOSSLESS_IN: run->lossless_in = true; return 0;
    case OPT_LOSSLESS_OUT: run->lossless_out = true; return 0;
    case OPT_IN_ORDER:
        run->in_order_in = run->in_order_out = true;
        run->no_duplicates_in = run->no_duplicates_out = true;
        return 0;
    case OPT_ONLY: return read_rules(&c->only, value);
    case OPT_SKIP: return read_rules(&c->skip, value);
    case OPT_PSP_KEYS:
    case OPT_ESP_KEYS: return read_keys(c, option, value);
    case OPT_PORT: return read_port(c, value);
    default:
        c->json = strcmp(value, "json") == 0;
        return c->json || strcmp(value, "text") == 0
                   ? 0
                   : complain(TL_STATUS_USAGE, "--format takes text or json, not", value);
    }
}

/* 0 with optind at the first file; a status above 0; -1: the usage was asked for. */
static int read_options(struct command *c, int argc, char **argv)
{
    static const struct option options[] = {
        {"connections", required_argument, NULL, OPT_CONNECTIONS},
        {"sut", required_argument, NULL, OPT_SUT},
        {"vantage", required_argument, NULL, OPT_VANTAGE},
        {"lossless-in", no_argument, NULL, OPT_LOSSLESS_IN},
        {"lossless-out", no_argument, NULL, OPT_LOSSLESS_OUT},
        {"in-order", no_argument, NULL, OPT_IN_ORDER},
        {"only", required_argument, NULL, OPT_ONLY},
        {"skip", required_argument, NULL, OPT_SKIP},
        {"psp-keys", required_argument, NULL, OPT_PSP_KEYS},
        {"esp-keys", required_argument, NULL, OPT_ESP_KEYS},
        {"falcon-port", required_argument, NULL, OPT_PORT},
        {"format", required_argument, NULL, OPT_FORMAT},
        {"help", no_argument, NULL, OPT_HELP},
        {NULL, 0, NULL, 0},
    };
    int option, status = 0;

    opterr = 0;
    optind = 0;
    while (status == 0 && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == OPT_HELP)
            return -1;
        if (option == ':')
            status = complain(TL_STATUS_USAGE, "a value is missing after", argv[optind - 1]);
        else if (option == '?')
            status = complain(TL_STATUS_USAGE, "no option", argv[optind - 1]);
        else
            status = set_option(c, option, optarg);
    }
    if (status == 0 && optind >= argc)
        status = complain(TL_STATUS_USAGE, "no file given", "");
    return status;
}

static int add_connections(struct tl_check *check, const struct command *c)
{
    struct fal_error err = {{0}};
    size_t i;
    json_t *entry;

    json_array_foreach(c->connections, i, entry)
    {
        if (tl_check_add(check, entry, &err) != 0) {
            fprintf(stderr, "talon check: %s: connection %zu: %s\n", c->connections_path, i + 1,
                    err.text);
            return TL_STATUS_USAGE;
        }
    }
    return 0;
}

static int status_of(enum fal_verdict verdict)
{
    switch (verdict) {
    case FAL_VERDICT_NONE:
    case FAL_VERDICT_PASS:
    case FAL_VERDICT_WARN: return TL_STATUS_PASS;
    case FAL_VERDICT_INCONC: return TL_STATUS_INCONC;
    case FAL_VERDICT_FAIL: return TL_STATUS_FAIL;
    case FAL_VERDICT_ERROR: return TL_STATUS_ERROR;
    }
    return TL_STATUS_ERROR;
}

/* Where several apply, 4 goes before 2, before 1, before 3. */
static int worse_status(int a, int b)
{
    static const int rank[] = {0, 2, 3, 1, 4};

    return rank[a] >= rank[b] ? a : b;
}

static int check_file(const struct command *c, const char *path)
{
    struct tl_check check;
    struct fal_error err = {{0}};
    int failed, status;

    if (tl_check_start(&check, &c->options) != 0) {
        tl_check_free(&check);
        return complain(TL_STATUS_ERROR, "out of memory", "");
    }
    status = add_connections(&check, c);
    if (status != 0) {
        tl_check_free(&check);
        return status;
    }
    failed = tl_check_is_timeline(path) ? tl_check_timeline(&check, path, &err)
                                        : tl_check_capture(&check, path, &err);
    tl_check_finish(&check);
    if (check.packets > 0 && tl_check_print(&check, c->json) != 0)
        status = complain(TL_STATUS_ERROR, "out of memory", "");
    status = worse_status(status, status_of(tl_check_verdict(&check)));
    (void)fflush(stdout);
    if (failed != 0)
        status = worse_status(
            status,
            complain(failed == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE, err.text, ""));
    else if (check.packets == 0)
        status = worse_status(
            status, complain(TL_STATUS_USAGE, path, "has no Falcon packet that could be read"));
    tl_check_free(&check);
    return status;
}

int tl_cmd_check(int argc, char **argv)
{
    struct command c = {.options.run = {.delay_max_ns = FAL_NEVER}};
    int status = read_options(&c, argc, argv), first = optind;

    c.options.rules.only = c.only.text != NULL ? c.only.ids : NULL;
    c.options.rules.skip = c.skip.text != NULL ? c.skip.ids : NULL;
    if (status == -1) {
        fputs(usage_text, stdout);
        status = 0;
    } else {
        for (int i = first; status != TL_STATUS_USAGE && i < argc; i++) {
            if (argc - first > 1 && !c.json)
                printf("# %s\n", argv[i]);
            status = worse_status(status, check_file(&c, argv[i]));
        }
    }
    free(c.only.text);
    free(c.skip.text);
    json_decref(c.connections);
    fal_psp_keys_free(c.options.frame.psp_keys);
    fal_esp_keys_free(c.options.frame.esp_keys);
    return status;
}
