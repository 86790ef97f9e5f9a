/* SPDX-License-Identifier: Apache-2.0
 * cmd_host_check.c - `talon host-check`: is this host fit to test by that interface? */
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"

#include "harness/site/host_check.h"
#include "harness/site/host_loop.h"

#include <stdio.h>
#include <string.h>

enum { STATE_LEN = 512 };

struct host_options {
    const char *iface, *loop, *state;
    bool fix, restore, json;
};

#define TL_OPTIONS_OF struct host_options

static const struct tl_option option_list[] = {
    {TL_TEXT("IFACE", iface, NULL)},
    {TL_FLAG("--fix", fix),
     .help = "correct the settings that can be corrected (as root); the state file keeps the "
             "old values"},
    {TL_FLAG("--restore", restore),
     .help = "set the values of the state file again: undo --fix"},
    {TL_TEXT("--state", state, "FILE"),
     .help = "the state file (default: talon-host-IFACE.json in the current directory)"},
    {TL_TEXT("--loop", loop, "IFACE2"),
     .help = "an interface that is connected to IFACE: send every kind of malformed frame from "
             "each to the other, and verify that it arrives unchanged"},
    {TL_FLAG("--json", json),
     .help = "print the result as talon/host-check/1 (docs/formats.md)"},
};
static const struct tl_options options = {"host-check", option_list,
                                          sizeof option_list / sizeof *option_list};

static int broken(const struct fal_error *err)
{
    fprintf(stderr, "talon host-check: %s\n", err->text);
    return TL_STATUS_ERROR;
}

/* ---- telling ---- */

static void tell_fixed(void *ctx, const struct tl_host_finding *f, int code)
{
    (void)ctx;
    if (code == 0)
        fprintf(stderr, "set      %s: %s\n", f->id, f->mend);
    else
        fprintf(stderr, "not set  %s: %s\n", f->id, strerror(code));
}

static void tell_finding(const struct tl_host_finding *f)
{
    if (f->ok) {
        printf("%-10s %-22s %s\n", "ok", f->id, f->found);
        return;
    }
    printf("%-10s %-22s %s\n", tl_host_weight_name(f->weight), f->id, f->found);
    printf("           because %s\n", f->why);
    if (f->mend[0] != 0)
        printf("           mend: %s\n", f->mend);
}

struct loop_told {
    const char *from, *to;
    json_t *list; /* NULL: as text */
    size_t good, all;
};

static void tell_loop(void *ctx, const struct tl_loop_result *r)
{
    struct loop_told *told = ctx;

    told->all++;
    told->good += r->outcome == TL_LOOP_AS_SENT;
    if (told->list != NULL) {
        json_t *object =
            json_pack("{s:s, s:s, s:s, s:i, s:s, s:I}", "from", told->from, "to", told->to,
                      "frame", r->name, "ip", r->ip_version, "outcome",
                      tl_loop_outcome_name(r->outcome), "length", (json_int_t)r->len);

        if (r->outcome == TL_LOOP_CHANGED)
            (void)json_object_set_new(object, "at", json_integer((json_int_t)r->at));
        (void)json_array_append_new(told->list, object);
        return;
    }
    if (r->outcome == TL_LOOP_AS_SENT)
        return;
    printf("falsifies  loop %s to %s: %s over IPv%d is %s", told->from, told->to, r->name,
           r->ip_version, tl_loop_outcome_name(r->outcome));
    if (r->outcome == TL_LOOP_CHANGED)
        printf(" from byte %zu on", r->at);
    if (r->outcome == TL_LOOP_REFUSED)
        printf(" (%s)", strerror(r->code));
    printf("\n");
}

/* Both ways. 0, or the status to end with. */
static int loop(const struct host_options *o, json_t *list, bool *all_good)
{
    struct loop_told there = {o->iface, o->loop, list, 0, 0},
                     back = {o->loop, o->iface, list, 0, 0};
    struct fal_error err = {{0}};

    if (tl_host_loop(o->iface, o->loop, tell_loop, &there, &err) != 0 ||
        tl_host_loop(o->loop, o->iface, tell_loop, &back, &err) != 0)
        return broken(&err);
    *all_good = there.good == there.all && back.good == back.all;
    if (list == NULL)
        printf("%-10s %-22s %zu of %zu frames arrived byte for byte\n",
               *all_good ? "ok" : "falsifies", "loop", there.good + back.good,
               there.all + back.all);
    return 0;
}

static int print_json(struct tl_host_report *report, json_t *looped)
{
    json_t *object = tl_host_report_json(report);
    int rc = -1;

    if (object != NULL && (looped == NULL || json_object_set(object, "loop", looped) == 0))
        rc = json_dumpf(object, stdout, JSON_INDENT(2));
    json_decref(object);
    if (rc != 0) {
        fprintf(stderr, "talon host-check: out of memory\n");
        return TL_STATUS_ERROR;
    }
    printf("\n");
    return 0;
}

static int report_all(const struct host_options *o, struct tl_host_report *report)
{
    json_t *looped = o->json && o->loop != NULL ? json_array() : NULL;
    bool good = true;
    size_t wrong = tl_host_count(report, TL_HOST_FALSIFIES);
    int status = 0;

    for (size_t i = 0; !o->json && i < report->num_findings; i++)
        tell_finding(&report->findings[i]);
    if (o->loop != NULL)
        status = loop(o, looped, &good);
    if (status == 0 && o->json)
        status = print_json(report, looped);
    json_decref(looped);
    if (status != 0)
        return status;
    if (!o->json)
        printf("%s: %zu findings falsify tests, %zu limit them\n", o->iface,
               wrong + (size_t)!good, tl_host_count(report, TL_HOST_LIMITS));
    return wrong > 0 || !good ? TL_STATUS_FAIL : TL_STATUS_PASS;
}

/* ---- acts ---- */

static int restore(const struct host_options *o)
{
    struct fal_error err = {{0}};
    size_t n;

    if (tl_host_restore(o->iface, o->state, &n, &err) != 0)
        return broken(&err);
    fprintf(stderr, "talon host-check: %zu settings of %s are as they were\n", n, o->iface);
    return TL_STATUS_PASS;
}

static int check(const struct host_options *o)
{
    struct tl_host_report report;
    struct fal_error err = {{0}};
    int status;

    if (tl_host_check(o->iface, &report, &err) != 0)
        return broken(&err);
    if (o->fix) {
        if (tl_host_fix(&report, o->state, tell_fixed, NULL, &err) != 0) {
            tl_host_report_close(&report);
            return broken(&err);
        }
        tl_host_report_close(&report);
        if (tl_host_check(o->iface, &report, &err) != 0) /* as it is now */
            return broken(&err);
    }
    status = report_all(o, &report);
    tl_host_report_close(&report);
    return status;
}

int tl_cmd_host_check(int argc, char **argv)
{
    struct host_options o = {.iface = NULL};
    char state[STATE_LEN];
    int status = tl_verb_read(&options, tl_usage_host_check, argc, argv, &o);

    if (status != TL_VERB_GO)
        return status;
    if (o.iface == NULL)
        return tl_verb_wrong(options.verb, "no interface given");
    if (o.fix && o.restore)
        return tl_verb_wrong(options.verb, "--fix and --restore exclude each other");
    if (o.state == NULL) {
        (void)snprintf(state, sizeof state, "talon-host-%.40s.json", o.iface);
        o.state = state;
    }
    return o.restore ? restore(&o) : check(&o);
}
