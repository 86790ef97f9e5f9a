/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/site/host_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int tl_host_check(const char *iface, struct tl_host_report *out, struct fal_error *err)
{
    int rc;

    *out = (struct tl_host_report){.mtu = 0};
    rc = tl_host_iface_open(&out->iface, iface, err);
    if (rc == 0)
        tl_host_findings(out);
    return rc;
}

void tl_host_report_close(struct tl_host_report *report)
{
    tl_host_iface_close(&report->iface);
}

size_t tl_host_count(const struct tl_host_report *report, enum tl_host_weight weight)
{
    size_t n = 0;

    for (size_t i = 0; i < report->num_findings; i++)
        n += !report->findings[i].ok && report->findings[i].weight == weight;
    return n;
}

const char *tl_host_weight_name(enum tl_host_weight weight)
{
    static const char *const names[] = {"falsifies", "limits", "note"};

    return names[weight];
}

static json_t *finding_json(const struct tl_host_finding *f)
{
    json_t *object =
        json_pack("{s:s, s:b, s:s, s:s, s:s}", "id", f->id, "ok", f->ok, "weight",
                  tl_host_weight_name(f->weight), "found", f->found, "why", f->why);

    if (f->mend[0] != 0)
        (void)json_object_set_new(object, "mend", json_string(f->mend));
    if (f->setting != NULL) {
        (void)json_object_set_new(object, "seen", json_integer((json_int_t)f->seen));
        (void)json_object_set_new(object, "wanted", json_integer((json_int_t)f->wanted));
        (void)json_object_set_new(object, "fixable", json_boolean(f->fixable));
    }
    return object;
}

json_t *tl_host_report_json(const struct tl_host_report *report)
{
    const uint8_t *m = report->iface.mac;
    json_t *findings = json_array(), *object;
    char mac[18];

    (void)snprintf(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1], m[2], m[3],
                   m[4], m[5]);
    for (size_t i = 0; findings != NULL && i < report->num_findings; i++)
        if (json_array_append_new(findings, finding_json(&report->findings[i])) != 0) {
            json_decref(findings);
            findings = NULL;
        }
    if (findings == NULL)
        return NULL;
    object =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:I, s:o}", "schema",
                  TL_HOST_CHECK_SCHEMA, "interface", report->iface.name, "driver",
                  report->iface.driver, "mac", mac, "mtu", (json_int_t)report->mtu, "queues",
                  (json_int_t)report->queues, "hardware_stamps", report->iface.hardware_stamps,
                  "stamp_error_ns", (json_int_t)report->stamp_error_ns, "findings", findings);
    return object;
}

/* ---- the state ---- */

static const char *const kinds[] = {"feature", "coalesce", "queues", "sysctl", "mtu"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Restores one setting of the state file. Returns 0, or an errno. */
static int put_back(const struct tl_host_iface *iface, const json_t *item)
{
    const char *kind = json_string_value(json_object_get(item, "kind"));
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *was = json_object_get(item, "was");
    struct tl_host_setting setting = {.name = name};
    int i = 0;

    while (i < KINDS && kind != NULL && strcmp(kinds[i], kind) != 0)
        i++;
    if (kind == NULL || i == KINDS || name == NULL || !json_is_integer(was) ||
        json_integer_value(was) < 0)
        return EINVAL;
    setting.kind = (enum tl_host_kind)i;
    if (setting.kind == TL_HOST_SYSCTL &&
        (strncmp(name, "net/ipv", 7) != 0 || strstr(name, "..") != NULL))
        return EINVAL;
    return tl_host_set(iface, &setting, (uint64_t)json_integer_value(was));
}

/* The file is complete before anything is changed, and an earlier one is never overwritten. */
static int save_state(const struct tl_host_report *report, const char *state,
                      struct fal_error *err)
{
    json_t *settings = json_array(), *document;
    int fd = open(state, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), rc;

    if (fd < 0) {
        json_decref(settings);
        return fal_fail(err, FAL_ERR_IO,
                        errno == EEXIST
                            ? "%.200s: exists from an earlier --fix; run --restore first"
                            : "%.200s: cannot be written",
                        state);
    }
    for (size_t i = 0; i < report->num_findings; i++) {
        const struct tl_host_finding *f = &report->findings[i];

        if (f->fixable && !f->ok)
            (void)json_array_append_new(
                settings, json_pack("{s:s, s:s, s:I}", "kind", kinds[f->setting->kind], "name",
                                    f->setting->name, "was", (json_int_t)f->seen));
    }
    document = json_pack("{s:s, s:s, s:o}", "schema", TL_HOST_STATE_SCHEMA, "interface",
                         report->iface.name, "settings", settings);
    rc = document != NULL ? json_dumpfd(document, fd, JSON_INDENT(2)) : -1;
    json_decref(document);
    if (close(fd) != 0 || rc != 0) {
        (void)unlink(state);
        return fal_fail(err, FAL_ERR_IO, "%.200s: cannot be written", state);
    }
    return 0;
}

int tl_host_fix(struct tl_host_report *report, const char *state, tl_host_told_fn *told,
                void *ctx, struct fal_error *err)
{
    size_t wanted = 0, missed = 0;
    int rc, last = 0;

    for (size_t i = 0; i < report->num_findings; i++)
        wanted += report->findings[i].fixable && !report->findings[i].ok;
    if (wanted == 0)
        return 0;
    rc = save_state(report, state, err);
    if (rc != 0)
        return rc;
    for (size_t i = 0; i < report->num_findings; i++) {
        struct tl_host_finding *f = &report->findings[i];
        int code;

        if (!f->fixable || f->ok)
            continue;
        code = tl_host_set(&report->iface, f->setting, f->wanted);
        missed += code != 0;
        last = code != 0 ? code : last;
        told(ctx, f, code);
    }
    if (missed < wanted)
        return missed == 0
                   ? 0
                   : fal_fail(err, FAL_ERR_IO, "%zu of %zu settings could not be changed: %s",
                              missed, wanted, strerror(last));
    (void)unlink(state); /* nothing was changed */
    return fal_fail(err, FAL_ERR_IO, "nothing could be changed: %s%s", strerror(last),
                    last == EPERM || last == EACCES
                        ? "; needs CAP_NET_ADMIN, and root for sysctl: run it with sudo"
                        : "");
}

int tl_host_restore(const char *name, const char *state, size_t *restored,
                    struct fal_error *err)
{
    struct tl_host_iface iface;
    json_error_t where;
    json_t *document = json_load_file(state, JSON_REJECT_DUPLICATES, &where), *settings;
    const char *kind, *of;
    size_t missed = 0;
    int rc, last = 0;

    *restored = 0;
    if (document == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s: %.100s", state, where.text);
    kind = json_string_value(json_object_get(document, "schema"));
    of = json_string_value(json_object_get(document, "interface"));
    if (kind == NULL || strcmp(kind, TL_HOST_STATE_SCHEMA) != 0 || of == NULL ||
        strcmp(of, name) != 0) {
        json_decref(document);
        return fal_fail(err, FAL_ERR_FORM, "%.200s: not a file that --fix wrote for %.20s",
                        state, name);
    }
    rc = tl_host_iface_open(&iface, name, err);
    if (rc != 0) {
        json_decref(document);
        return rc;
    }
    /* In reverse order: some features depend on others that were switched off after them. */
    settings = json_object_get(document, "settings");
    for (size_t i = json_array_size(settings); i-- > 0;) {
        int code = put_back(&iface, json_array_get(settings, i));

        missed += code != 0;
        last = code != 0 ? code : last;
        *restored += code == 0;
    }
    tl_host_iface_close(&iface);
    json_decref(document);
    if (missed > 0)
        return fal_fail(err, FAL_ERR_IO,
                        "%zu settings could not be restored: %s; %.100s is kept", missed,
                        strerror(last), state);
    (void)unlink(state);
    return 0;
}
