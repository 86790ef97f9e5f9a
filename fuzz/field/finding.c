/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/field/finding.h"

#include "harness/capture/capture.h"
#include "harness/check/check_options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- which one ---- */

static int side_of(const struct tl_check_finding *f)
{
    return f->finding.end != 0 ? 1 : f->side;
}

static bool is_wished(const struct tl_check *check, const struct fld_wish *wish,
                      const struct tl_check_finding *f)
{
    const struct fal_finding *finding = &f->finding;

    if (finding->subject != FAL_SUBJECT_SUT || finding->requirement == NULL ||
        finding->conn == 0 || finding->conn > check->num_conns)
        return false;
    if (wish->requirement != NULL && strcmp(wish->requirement, finding->requirement) != 0)
        return false;
    return !check->options->have_sut ||
           tl_host_eq(check->conns[finding->conn - 1].host[side_of(f)], check->options->sut);
}

/* The connection whose end of that side is the SUT. */
static void take_conn(const struct tl_check_conn *conn, int side, struct fld_finding *out)
{
    *out =
        (struct fld_finding){.setup = conn->setup, .initial_known = conn->setup.initial_known};
    if (side == 1) {
        out->setup.sut = conn->setup.tester;
        out->setup.tester = conn->setup.sut;
    }
}

static void take(const struct tl_check *check, const struct tl_check_finding *f,
                 struct fld_finding *out)
{
    take_conn(&check->conns[f->finding.conn - 1], side_of(f), out);
    out->t_ns = f->finding.t_ns;
    (void)snprintf(out->rule, sizeof out->rule, "%s", f->finding.rule->id);
    (void)snprintf(out->requirement, sizeof out->requirement, "%s", f->finding.requirement);
}

/* The first connection of the SUT, for a violation that no rule found. Without any packet there
 * is none, and nothing to retell. */
static int choose_conn(const struct tl_check *check, const struct fld_wish *wish,
                       struct fld_finding *out)
{
    if (check->num_conns == 0) {
        *out = (struct fld_finding){.setup.unknown_params = FAL_PARAM_ALL};
        (void)snprintf(out->requirement, sizeof out->requirement, "%s", wish->requirement);
        return 1;
    }
    for (size_t i = 0; i < check->num_conns; i++) {
        const struct tl_check_conn *conn = &check->conns[i];
        int side = check->options->have_sut && !tl_host_eq(conn->host[0], check->options->sut);

        if (check->options->have_sut && !tl_host_eq(conn->host[side], check->options->sut))
            continue;
        take_conn(conn, side, out);
        out->t_ns = UINT64_MAX;
        (void)snprintf(out->requirement, sizeof out->requirement, "%s", wish->requirement);
        return 1;
    }
    return 0;
}

/* A violation of a MUST comes before one of a SHOULD. */
static int choose(const struct tl_check *check, const struct fld_wish *wish,
                  struct fld_finding *out)
{
    uint64_t n = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < check->num_findings; i++) {
            const struct tl_check_finding *f = &check->findings[i];
            bool must = fal_finding_breach(&f->finding) == FAL_VERDICT_FAIL;

            if (must != (pass == 0) || !is_wished(check, wish, f) || ++n != wish->nth)
                continue;
            take(check, f, out);
            return 1;
        }
    return n == 0 && wish->requirement != NULL ? choose_conn(check, wish, out) : 0;
}

/* ---- judging ---- */

static int open_keys(struct tl_check_command *command, const struct tl_recording_config *from,
                     struct fal_error *err)
{
    struct fal_frame_options *frame = &command->options.frame;

    if (from->falcon_port != 0)
        frame->falcon_port = (uint16_t)from->falcon_port;
    if (from->psp_keys != NULL) {
        frame->psp_keys = tl_psp_keys_open(from->psp_keys, err);
        if (frame->psp_keys == NULL)
            return FAL_ERR_FORM;
    }
    if (from->esp_keys != NULL) {
        frame->esp_keys = tl_esp_keys_open(from->esp_keys, err);
        if (frame->esp_keys == NULL)
            return FAL_ERR_FORM;
    }
    return 0;
}

static int open_connections(struct tl_check_command *command, const char *path,
                            struct fal_error *err)
{
    struct fal_error why = {{0}};
    json_error_t where;

    if (path == NULL)
        return 0;
    command->connections = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (command->connections == NULL)
        return fal_fail(err, FAL_ERR_FORM, "%.200s:%d: %s", path, where.line, where.text);
    if (tl_check_setup(command->connections, &command->options, &command->connections_list,
                       &why) != 0)
        return fal_fail(err, FAL_ERR_FORM, "%.100s: %.250s", path, why.text);
    return 0;
}

static int set_options(struct tl_check_command *command, const struct fld_wish *wish,
                       struct fal_error *err)
{
    struct tl_check_options *options = &command->options;
    const struct tl_recording_config *from = &wish->capture;
    int rc;

    options->ulp = wish->ulp;
    options->jobs = 1;
    options->have_sut = from->sut != NULL;
    if (from->sut != NULL && !tl_host_read(from->sut, &options->sut))
        return fal_fail(err, FAL_ERR_FORM, "'%.60s' is no IP address", from->sut);
    if (wish->ulp != NULL && access(wish->ulp, R_OK) != 0)
        return fal_fail(err, FAL_ERR_FORM, "--ulp: %.200s cannot be read", wish->ulp);
    rc = open_keys(command, from, err);
    if (rc == 0)
        rc = open_connections(command, from->connections, err);
    if (rc == 0 && wish->ulp != NULL && from->sut == NULL && from->connections == NULL &&
        !tl_check_is_timeline(wish->ulp))
        rc = fal_fail(err, FAL_ERR_FORM,
                      "--ulp: state who is the SUT by --sut-address or --connections");
    return rc == 0 ? tl_check_options_ok(options, err) : rc;
}

static int judge(struct tl_check *check, const struct tl_check_command *command,
                 const struct fld_wish *wish, struct fld_finding *out, struct fal_error *err)
{
    size_t i;
    json_t *entry;
    int rc;

    json_array_foreach(command->connections_list, i, entry)
    {
        rc = tl_check_add(check, entry, err);
        if (rc != 0)
            return rc;
    }
    rc = tl_check_capture(check, wish->capture.path, err);
    if (rc != 0)
        return rc;
    tl_check_finish(check);
    return choose(check, wish, out);
}

int fld_finding_read(const struct fld_wish *wish, struct fld_finding *out,
                     struct fal_error *err)
{
    struct tl_check_command command;
    struct tl_check check;
    int rc;

    tl_check_command_init(&command);
    rc = set_options(&command, wish, err);
    if (rc == 0 && tl_check_start(&check, &command.options) != 0)
        rc = fal_fail(err, FAL_ERR_MEM, "out of memory");
    else if (rc == 0) {
        rc = judge(&check, &command, wish, out, err);
        tl_check_free(&check);
    }
    tl_check_command_free(&command);
    return rc;
}
