/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/run/run_setup.h"

#include "harness/link/link_raw.h"
#include "harness/run/run_sut.h"
#include "harness/session/network.h"
#include "harness/session/wire_only.h"
#include "harness/wire/key_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIFE = 512 }; /* cases that a model plays, unless --life says otherwise */

/* Puts the name of the option before the reader's message, and returns `rc`. */
static int about(const char *option, int rc, struct fal_error *err)
{
    struct fal_error why = *err;

    return rc == 0 ? 0
                   : fal_fail(err, rc, "%s%s %.350s", option, why.text[0] == '\'' ? "" : ":",
                              why.text);
}

/* Reads each text of a list. */
typedef int add_fn(struct tl_run_setup *s, const char *text, struct fal_error *err);

static int each(struct tl_run_setup *s, const char *option, const struct tl_texts *texts,
                add_fn *add, struct fal_error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < texts->count; i++)
        rc = about(option, add(s, texts->list[i], err), err);
    return rc;
}

/* ---- the shard ---- */

/* An option that a row of the map gives. */
struct mapped {
    const char *option, **text, *value;
    bool alone; /* of one device: an option for all shards would be wrong */
};

/* Takes a value of the map. An option that was given as well must say the same: a run that is
 * resumed has both. */
static int take(const struct mapped *m, struct fal_error *err)
{
    struct tl_request initial;
    const char *given = *m->text;

    tl_request_init(&initial);
    if (m->value == NULL && !m->alone)
        return 0;
    *m->text = m->value;
    if (given == NULL || (m->value != NULL && strcmp(given, m->value) == 0) ||
        strcmp(given, initial.sut) == 0)
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "%s '%.100s': with --sut-map, the map gives it for each shard; leave the "
                    "option out",
                    m->option, given);
}

static int take_all(struct tl_request *r, const struct tl_sut_map_row *row,
                    struct fal_error *err)
{
    const struct mapped list[] = {
        {"--sut", &r->sut, row->sut, true},
        {"--control", &r->control, row->control, true},
        {"--connections", &r->connections, row->connections, true},
        {"--sut-exec", &r->sut_exec, row->sut_exec, true},
        {"--psp-keys", &r->psp_keys, row->psp_keys, false},
        {"--esp-keys", &r->esp_keys, row->esp_keys, false},
        {"--host-check", &r->host_check, row->host_check, false},
        {"--path-check", &r->path_check, row->path_check, false},
    };
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < sizeof list / sizeof *list; i++)
        rc = take(&list[i], err);
    return rc;
}

/* --sut-map: the SUT of this shard. */
static int set_device(struct tl_run_setup *s, struct tl_shard shard, struct fal_error *err)
{
    struct tl_request *r = &s->share->request;
    const struct tl_sut_map_row *row = NULL;
    int rc = about("--sut-map", tl_sut_map_load(r->sut_map, &s->share->map, err), err);

    if (rc != 0)
        return rc;
    row = tl_sut_map_find(&s->share->map, shard, err);
    if (row == NULL)
        return about("--sut-map", FAL_ERR_FORM, err);
    s->sut = s->share->map.name;
    return take_all(r, row, err);
}

/* Reads --shard, and completes the request with what it means here. One shard of one is the
 * whole run. */
static int set_shard(struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *given = s->request;
    struct tl_shard shard;
    int rc;

    if (given->shard == NULL)
        return given->sut_map == NULL
                   ? 0
                   : fal_fail(err, FAL_ERR_FORM, "--sut-map needs --shard I/N or --shard auto");
    rc = about("--shard",
               tl_shard_read(given->shard, TL_SHARDS_MAX, tl_shard_environment, &shard, err),
               err);
    if (rc != 0)
        return rc;
    if (shard.total > 1)
        s->shard = shard;
    s->share = calloc(1, sizeof *s->share);
    if (s->share == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    s->share->request = *given;
    (void)snprintf(s->share->shard, sizeof s->share->shard, "%u/%u", shard.number, shard.total);
    s->share->request.shard = s->share->shard;
    s->request = &s->share->request;
    return given->sut_map != NULL ? set_device(s, shard, err) : 0;
}

/* ---- the SUT ---- */

/* "pcap:FILE[@SUT]" */
static int set_capture(struct tl_run_setup *s, const char *sut, const char *file, size_t len,
                       struct fal_error *err)
{
    const struct tl_request *r = s->request;

    if (len == 0)
        return fal_fail(err, FAL_ERR_FORM, "pcap: expected pcap:FILE[@SUT]");
    if (strncmp(sut, "pcap:", 5) == 0)
        return fal_fail(err, FAL_ERR_FORM, "pcap: a capture cannot be played to a capture");
    s->recording_path = strndup(file, len);
    if (s->recording_path == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    s->recording.path = s->recording_path;
    if (r->paths.count > 0)
        return fal_fail(err, FAL_ERR_FORM,
                        "pcap: plays its capture and takes no scenario "
                        "('%.100s')",
                        r->paths.list[0]);
    return tl_run_sut_read(sut, &s->run.target, err);
}

static int set_sut(struct tl_run_setup *s, struct fal_error *err)
{
    const char *file = NULL, *text = s->request->sut;
    size_t len = 0;
    const char *sut = tl_run_capture_of(text, &file, &len);

    return about("--sut",
                 sut != NULL ? set_capture(s, sut, file, len, err)
                             : tl_run_sut_read(text, &s->run.target, err),
                 err);
}

static int set_keys(const char *option, const char *path, bool esp, json_t **out,
                    struct fal_error *err)
{
    if (path == NULL)
        return 0;
    *out = tl_key_file_load(path, esp, err);
    return *out != NULL ? 0 : about(option, FAL_ERR_FORM, err);
}

static int add_allowed(struct tl_run_setup *s, const char *text, struct fal_error *err)
{
    struct fal_error why = {{0}};

    if (strcmp(text, TL_TAG_MAY_WEDGE) == 0) {
        s->run.may_wedge = true;
        return 0;
    }
    return tl_allowed_add(&s->run.target.live.allowed, text, &why) == 0
               ? 0
               : fal_fail(err, FAL_ERR_FORM,
                          "expected " TL_TAG_MAY_WEDGE " or an address: %.300s", why.text);
}

/* Reads the options that describe the SUT and the link to it. */
static int set_target(struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    struct tl_target *target = &s->run.target;
    struct tl_raw_address raw;
    int rc = set_sut(s, err);

    target->control = r->control;
    target->live.busy_poll = r->busy_poll;
    target->live.outlive_parent = r->outlive_parent;
    target->live.frames_per_s = r->frame_rate;
    target->live.bytes_per_s = r->byte_rate;
    target->answer_s = r->timeout;
    if (rc == 0)
        rc = each(s, "--allow", &r->allow, add_allowed, err);
    if (rc == 0 && target->kind == TL_TARGET_RAW)
        rc = about("--sut",
                   tl_raw_address_read(target->address, &target->live.allowed, &raw, err), err);
    if (rc == 0 && r->control != NULL)
        rc = about("--control", tl_run_control_check(r->control, err), err);
    if (rc == 0 && r->connections != NULL)
        rc = about("--connections", tl_wire_load(r->connections, &target->wire, err), err);
    if (rc == 0 && r->network != NULL)
        rc = about("--network", tl_network_read(r->network, target, err), err);
    if (rc == 0 && r->twins != NULL)
        rc = about("--twins", tl_twins_read(&s->run.twins, r->twins, strlen(r->twins), err),
                   err);
    if (rc == 0)
        rc = set_keys("--psp-keys", r->psp_keys, false, &s->run.psp_keys, err);
    if (rc == 0)
        rc = set_keys("--esp-keys", r->esp_keys, true, &s->run.esp_keys, err);
    target->twins.random |= s->run.twins.random;
    return rc;
}

static int set_recording(struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    struct tl_host host;

    s->recording.connections = r->capture_connections;
    s->recording.sut = r->capture_sut;
    s->recording.psp_keys = r->capture_psp_keys;
    s->recording.esp_keys = r->capture_esp_keys;
    if (r->capture_sut != NULL && !tl_host_read(r->capture_sut, &host))
        return fal_fail(err, FAL_ERR_FORM, "--capture-sut '%.100s'; expected an IP address",
                        r->capture_sut);
    return 0;
}

/* ---- which cases, how, and what comes of it ---- */

static int set_selection(struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    const struct {
        const char *option;
        enum tl_select_kind kind;
        const struct tl_texts *texts;
    } rows[] = {{"--id", TL_SELECT_ID, &r->ids},
                {"--tag", TL_SELECT_TAG, &r->tags},
                {"--requirement", TL_SELECT_REQUIREMENT, &r->requirements},
                {"--chapter", TL_SELECT_CHAPTER, &r->chapters},
                {"--class", TL_SELECT_CLASS, &r->classes}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < rows[i].texts->count; k++) {
            int rc = tl_select_add(&s->select, rows[i].kind, rows[i].texts->list[k], err);

            if (rc != 0)
                return about(rows[i].option, rc, err);
        }
    }
    return 0;
}

static int add_param(struct tl_run_setup *s, const char *text, struct fal_error *err)
{
    return tl_given_params_add(&s->params, text, err);
}

static int add_report(struct tl_run_setup *s, const char *text, struct fal_error *err)
{
    int rc = s->num_reports < TL_REPORTS_MAX
                 ? tl_report_spec_read(text, &s->reports[s->num_reports], err)
                 : fal_fail(err, FAL_ERR_FORM, "more than %d reports", TL_REPORTS_MAX);

    if (rc == 0)
        s->run.stories |= s->reports[s->num_reports++].stories;
    return rc;
}

/* --stamp and --against go to reports that show them. */
static int check_reports(const struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    bool stamp = false, changes = false, markdown = false;

    for (size_t i = 0; i < s->num_reports; i++) {
        stamp |= tl_report_shows_stamp(s->reports[i].write);
        changes |= tl_report_shows_changes(s->reports[i].write);
        markdown |= s->reports[i].write == tl_report_markdown;
    }
    if (r->brief && !markdown)
        return fal_fail(
            err, FAL_ERR_FORM,
            "--brief needs --report markdown:FILE; no other format has a brief form");
    if (r->stamp != NULL && !stamp)
        return fal_fail(
            err, FAL_ERR_FORM,
            "--stamp needs --report html:FILE, markdown:FILE or junit:FILE; no other "
            "format shows it");
    if (r->against != NULL && !changes)
        return fal_fail(err, FAL_ERR_FORM,
                        "--against needs --report html:FILE or markdown:FILE; no other format "
                        "shows it");
    return 0;
}

/* How many cases one SUT plays. A model is like a device, which plays all of them. */
static unsigned life_of(const struct tl_run_setup *s)
{
    enum tl_target_kind kind = s->run.target.kind;

    if (tl_request_stops(s->request))
        return 1;
    if (s->request->fresh || s->request->life > 0)
        return s->request->fresh ? 1 : s->request->life;
    return kind == TL_TARGET_LIB || kind == TL_TARGET_EXEC ? LIFE : 1;
}

static void set_run(struct tl_run_setup *s)
{
    const struct tl_request *r = s->request;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    s->run.seed = r->seed;
    s->run.has_case_seed = r->has_case_seed;
    s->run.case_seed = r->case_seed;
    s->run.encap = r->encap;
    s->run.jobs = r->jobs > 0                                  ? r->jobs
                  : processors > 0 && processors < TL_JOBS_MAX ? (unsigned)processors
                                                               : 1;
    s->run.lanes = r->jobs;
    s->run.retries = r->retries;
    s->run.copies = r->copies;
    s->run.repeat = r->repeat;
    s->run.timeout_ns = (r->timeout > 0 ? r->timeout : 10) * FAL_S;
    s->run.sut_exec = r->sut_exec;
    s->run.fail_fast = r->fail_fast;
    s->run.keep_going = r->keep_going;
    s->run.probe = r->probe;
    s->run.judge_steps = r->judge_steps;
    s->run.whole_packets = r->vectors;
    s->run.keep_all = r->keep == TL_KEEP_ALL;
    if (tl_request_stops(r)) { /* one case, once */
        s->run.jobs = s->run.lanes = 1;
        s->run.retries = 0;
    }
}

/* ---- options that exclude or need each other ---- */

static int wrong(struct fal_error *err, const char *text)
{
    return fal_fail(err, FAL_ERR_FORM, "%s", text);
}

static int check_live(const struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    bool plays = !r->list && !r->check_only && !r->dry_run;

    if (s->run.target.kind == TL_TARGET_BRIDGE) {
        if (r->control != NULL || r->connections != NULL || r->sut_exec != NULL)
            return wrong(err, "--sut bridge: takes no --control: its two ends act by "
                              "themselves");
    } else if (r->control == NULL && r->connections == NULL && plays) {
        return wrong(err, "--sut udp: and raw: need --control, to open connections, or "
                          "--connections with those that are open");
    }
    if (r->connections != NULL && r->control != NULL)
        return wrong(err, "--connections is for udp: and raw: without --control");
    if (r->connections != NULL && r->copies > 1)
        return wrong(err, "--copies needs --control");
    if (r->network != NULL)
        return wrong(err, "--network is for a SUT in virtual time, not for a live link");
    return 0;
}

static int check_virtual(const struct tl_request *r, struct fal_error *err)
{
    if (r->busy_poll || r->outlive_parent)
        return wrong(err, "--busy-poll and --outlive-parent are for udp: and raw:");
    if (r->connections != NULL)
        return wrong(err, "--connections is for udp: and raw: without --control");
    if (r->control != NULL)
        return wrong(err, "--control is for udp: and raw:; other SUTs need none");
    if (r->sut_exec != NULL)
        return wrong(err, "--sut-exec is for udp: and raw:; other SUTs restart by themselves");
    if (r->host_check != NULL || r->path_check != NULL)
        return wrong(err, "--host-check and --path-check are for udp: and raw:");
    return 0;
}

static int check_capture(const struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    bool bridge = s->run.target.kind == TL_TARGET_BRIDGE;
    bool any = r->capture_connections != NULL || r->capture_sut != NULL ||
               r->capture_psp_keys != NULL || r->capture_esp_keys != NULL ||
               r->has_capture_speed;

    if (s->recording.path != NULL && bridge)
        return wrong(err, "--sut pcap: a capture cannot be played to a bridge");
    if (s->recording.path == NULL && any &&
        (!bridge || r->capture_sut != NULL || r->has_capture_speed))
        return wrong(err, "the options --capture-... are for --sut pcap:FILE; bridge: takes "
                          "connections and keys");
    return 0;
}

/* A person stops the steps of one case. */
static int check_stops(const struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    const struct {
        const char *option;
        bool given;
    } rows[] = {
        {"--repeat", r->repeat > 1},
        {"--copies", r->copies > 1},
        {"--probe", r->probe},
        {"--sut bridge:", s->run.target.kind == TL_TARGET_BRIDGE},
        {"--sut pcap:, which plays packets and no steps", s->recording.path != NULL},
        {"--against -, which reads standard input, as the commands do",
         r->against != NULL && strcmp(r->against, "-") == 0},
    };

    for (size_t i = 0; tl_request_stops(r) && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return fal_fail(err, FAL_ERR_FORM, "--step and --break-at cannot be used with %s",
                            rows[i].option);
    return 0;
}

static int check_together(const struct tl_run_setup *s, struct fal_error *err)
{
    const struct tl_request *r = s->request;
    int rc = tl_target_live(s->run.target.kind) ? check_live(s, err) : check_virtual(r, err);

    if (rc == 0)
        rc = check_reports(s, err);
    if (rc == 0)
        rc = check_stops(s, err);
    if (rc == 0 && r->strict_waivers && r->waivers == NULL)
        rc = wrong(err, "--strict-waivers needs --waivers");
    if (rc == 0 && r->date != NULL && tl_date_read(r->date) == 0)
        rc = fal_fail(err, FAL_ERR_FORM, "--date '%.60s'; expected a day, YYYY-MM-DD", r->date);
    return rc == 0 ? check_capture(s, err) : rc;
}

int tl_run_setup(struct tl_run_setup *setup, const struct tl_request *request,
                 struct fal_error *err)
{
    int rc;

    *setup = (struct tl_run_setup){.request = request, .sut = request->sut};
    rc = set_shard(setup, err);
    request = setup->request;
    set_run(setup);
    if (rc == 0)
        rc = set_target(setup, err);
    setup->run.life = life_of(setup);
    if (rc == 0)
        rc = set_recording(setup, err);
    if (rc == 0)
        rc = set_selection(setup, err);
    if (rc == 0)
        rc = each(setup, "--param", &request->params, add_param, err);
    if (rc == 0)
        rc = each(setup, "--report", &request->reports, add_report, err);
    if (rc == 0)
        rc = check_together(setup, err);
    if (rc == 0)
        setup->again = tl_request_again(request);
    setup->run.again = setup->again;
    if (rc == 0)
        setup->again_whole = tl_request_whole(request);
    setup->run.again_whole = setup->again_whole;
    return rc == 0 && (setup->again == NULL || setup->again_whole == NULL)
               ? fal_fail(err, FAL_ERR_MEM, "out of memory")
               : rc;
}

void tl_run_setup_free(struct tl_run_setup *setup)
{
    json_decref(setup->run.psp_keys);
    json_decref(setup->run.esp_keys);
    setup->run.psp_keys = setup->run.esp_keys = NULL;
    free(setup->recording_path);
    setup->recording_path = NULL;
    tl_wire_free(setup->run.target.wire);
    setup->run.target.wire = NULL;
    free(setup->again);
    free(setup->again_whole);
    setup->again = setup->again_whole = NULL;
    if (setup->share != NULL)
        tl_sut_map_free(&setup->share->map);
    free(setup->share);
    setup->share = NULL;
}
