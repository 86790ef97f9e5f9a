/* SPDX-License-Identifier: Apache-2.0
 * cmd_host_check.c - `talon host-check`: is this host fit to test by that interface? */
#include "harness/cli/cmd.h"

#include "harness/site/host_check.h"
#include "harness/site/host_loop.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "usage: talon host-check IFACE [options]\n"
    "\n"
    "Looks for what of this host would falsify a test by raw frames at the interface: offloads that\n"
    "merge, split or mend frames, interrupts that wait, a kernel that answers by itself. Each finding\n"
    "says why it matters, and the command that mends it. Changes nothing, unless told to.\n"
    "\n"
    "  --fix           set what may be set (as root); what was is kept in the state file\n"
    "  --restore       put back what --fix has set, by the state file\n"
    "  --state FILE    the state file (talon-host-IFACE.json in the current directory)\n"
    "  --loop IFACE2   an interface that is joined to IFACE: every deliberate malformation is sent by\n"
    "                  the one and must arrive at the other, byte for byte, and back\n"
    "  --json          the result as talon/host-check/1 (docs/formats.md)\n"
    "  --help          this text\n"
    "\n"
    "A finding falsifies (verdicts may be wrong), limits (some tests cannot be done, or times are less\n"
    "exact), or is a note. Status: 0 nothing falsifies; 1 something does; 2 the command is wrong; 4 error.\n";

enum { STATE_LEN = 512 };

struct host_options {
    const char *iface, *loop, *state;
    bool fix, restore, json;
};

static int bad(const char *what, const char *value)
{
    fprintf(stderr, "talon host-check: %s%s; see talon host-check --help\n", what, value);
    return TL_STATUS_USAGE;
}

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

    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "--loop") == 0    ? &o.loop
                             : strcmp(argv[i], "--state") == 0 ? &o.state
                                                               : NULL;

        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return TL_STATUS_PASS;
        }
        if (value != NULL) {
            if (i + 1 == argc)
                return bad("a value is missing after ", argv[i]);
            *value = argv[++i];
        } else if (strcmp(argv[i], "--fix") == 0) {
            o.fix = true;
        } else if (strcmp(argv[i], "--restore") == 0) {
            o.restore = true;
        } else if (strcmp(argv[i], "--json") == 0) {
            o.json = true;
        } else if (argv[i][0] == '-') {
            return bad("no option ", argv[i]);
        } else if (o.iface != NULL) {
            return bad("one interface at a time, not also ", argv[i]);
        } else {
            o.iface = argv[i];
        }
    }
    if (o.iface == NULL)
        return bad("which interface?", "");
    if (o.fix && o.restore)
        return bad("--fix and --restore are two commands", "");
    if (o.state == NULL) {
        (void)snprintf(state, sizeof state, "talon-host-%.40s.json", o.iface);
        o.state = state;
    }
    return o.restore ? restore(&o) : check(&o);
}
