/* SPDX-License-Identifier: Apache-2.0
 * check_roce.c - `talon check --protocol roce`: captures of RoCEv2 in, what was found of
 * each rule out. */
#include "harness/capture/capture.h"
#include "harness/check/check.h"
#include "harness/check/hosts_seen.h"
#include "harness/cli/cmd.h"
#include "harness/cli/usage.h"
#include "harness/cli/verb.h"
#include "harness/roce/roce_command.h"
#include "harness/roce/roce_transport.h"
#include "harness/tally/tally_print.h"
#include "harness/wire/sandbox.h"
#include "oracles/rules/roce/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TL_ROCE_CHECK_SCHEMA "talon/roce-check/1"

static const char *const vantages[] = {"middle", "sut", "peer", "switch"};

/* ---- one capture ---- */

struct input {
    const struct tl_roce_command *command;
    struct tl_capture *capture;
    struct fal_roce_judge *judge;
    uint8_t *scratch;
    uint64_t frames, dropped;
    struct tl_hosts_seen hosts[FAL_ROCE_SUTS]; /* for each SUT */
    struct tl_roce_transport *transport;       /* what the K rules found; NULL: not asked for */
};

static void take_frame(struct input *in, const struct tl_captured *got)
{
    const struct fal_captured captured = {got->bytes, got->caplen, got->len, got->linktype};
    const struct fal_frame_options options = {.no_content = true};
    const struct tl_roce_command *c = in->command;
    struct fal_frame frame = {.number = got->number, .ts_ns = got->ts_ns};
    uint64_t dropped = tl_capture_dropped(in->capture);
    struct fal_roce_seen seen;

    in->frames++;
    if (dropped > in->dropped || (got->marks != NULL && got->marks->drops > 0))
        fal_roce_judge_gap(in->judge);
    in->dropped = dropped;
    if (fal_frame_decode(&captured, &options, in->scratch, &frame) != 0 ||
        !fal_roce_seen_of(&frame, &seen))
        return;
    if (c->have_before && got->marks != NULL)
        seen.point = got->marks->interface == c->before ? FAL_ROCE_BEFORE : FAL_ROCE_AFTER;
    fal_roce_judge_seen(in->judge, &seen);
    for (size_t i = 0; i < c->setup.num_suts; i++) {
        tl_hosts_seen_add(&in->hosts[i], (struct tl_host){.ip = seen.src, .v6 = seen.v6});
        tl_hosts_seen_add(&in->hosts[i], (struct tl_host){.ip = seen.dst, .v6 = seen.v6});
    }
}

static int read_capture(struct input *in, const char *path, struct fal_error *err)
{
    struct tl_captured got;
    int more;

    in->capture = tl_capture_open(path, err);
    if (in->capture == NULL)
        return FAL_ERR_FORM;
    if (in->command->filter != NULL &&
        tl_capture_filter(in->capture, in->command->filter, err) != 0)
        return FAL_ERR_FORM;
    while ((more = tl_capture_next(in->capture, &got, err)) > 0)
        take_frame(in, &got);
    if (more == 0 && fal_roce_judge_counts(in->judge).packets == 0)
        more = fal_fail(err, FAL_ERR_FORM,
                        "%.200s has no RoCEv2 packet (UDP port 4791) that could be read", path);
    fal_roce_judge_end(in->judge);
    return more;
}

/* ---- the report ---- */

static void print_text(const struct input *in, const char *path)
{
    const struct fal_roce_counts n = fal_roce_judge_counts(in->judge);
    const struct fal_rj_setup *s = &in->command->setup;

    printf("# %s: %" PRIu64 " frames, %" PRIu64 " RoCEv2 packets, %" PRIu64 " marked, %" PRIu64
           " CNPs, %zu flows, %zu of them paired\n",
           path, in->frames, n.packets, n.marked, n.cnps, n.flows, n.paired);
    printf("# vantage %s%s\n", vantages[s->vantage],
           s->complete ? ", complete capture"
                       : "; without --complete-capture, rules about packets that were not seen "
                         "never fail the SUT");
    if (n.too_many)
        printf("# more than %d flows: the others were not judged\n", FAL_ROCE_FLOWS_MAX);
    tl_tally_print(stdout, fal_roce_judge_tally(in->judge));
    if (in->transport == NULL)
        return;
    if (in->transport->left_out > 0)
        printf("# K rules: %zu flow%s left out, with RDMA READs or of queue pairs that are not "
               "known to be connected (--connections)\n",
               in->transport->left_out, in->transport->left_out == 1 ? "" : "s");
    tl_tally_print(stdout, &in->transport->tally);
}

static bool print_json(const struct input *in, const char *path)
{
    const struct fal_roce_counts n = fal_roce_judge_counts(in->judge);
    json_t *tally = tl_tally_json(fal_roce_judge_tally(in->judge)),
           *o = json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "schema",
                          TL_ROCE_CHECK_SCHEMA, "file", path, "vantage",
                          vantages[in->command->setup.vantage], "complete",
                          (int)in->command->setup.complete, "frames", (json_int_t)in->frames,
                          "packets", (json_int_t)n.packets, "marked", (json_int_t)n.marked,
                          "cnps", (json_int_t)n.cnps, "flows", (json_int_t)n.flows, "paired",
                          (json_int_t)n.paired, "too_many_flows", (int)n.too_many);
    bool ok =
        tally != NULL && o != NULL && json_object_update(o, tally) == 0 &&
        (in->transport == NULL ||
         json_object_set_new(o, "transport", tl_tally_json(&in->transport->tally)) == 0) &&
        json_dumpf(o, stdout, JSON_INDENT(1)) == 0 && putchar('\n') != EOF;

    json_decref(tally);
    json_decref(o);
    return ok;
}

static int fail(int status, const char *text)
{
    fprintf(stderr, "talon check: %s\n", text);
    return status;
}

/* Where several apply, 4 goes before 2, before 1, before 3. */
static int worse_status(int a, int b)
{
    static const int rank[] = {0, 2, 3, 1, 4};

    return rank[a] >= rank[b] ? a : b;
}

/* Prints the report. Returns the exit status. */
static int report(const struct input *in, const char *path)
{
    int status = tl_tally_exit_status(fal_roce_judge_tally(in->judge));
    int other =
        in->transport == NULL ? TL_STATUS_PASS : tl_tally_exit_status(&in->transport->tally);

    if (in->command->format == TL_ROCE_TEXT)
        print_text(in, path);
    else if (!print_json(in, path))
        return fail(TL_STATUS_ERROR, "out of memory");
    /* One kind of rules that decided nothing is no reason where the other kind decided. */
    if (other == TL_STATUS_INCONC &&
        fal_tally_verdict(&in->transport->tally) == FAL_VERDICT_NONE)
        other = TL_STATUS_PASS;
    return worse_status(status, other);
}

/* Says which hosts there are if --sut names another one. */
static void hint_at_hosts(const struct input *in, const char *path)
{
    char text[TL_HOSTS_SEEN_TEXT];

    for (size_t i = 0; i < in->command->setup.num_suts; i++)
        if (tl_hosts_seen_hint(&in->hosts[i], text))
            fprintf(stderr, "talon check: %s: %s\n", path, text);
}

static int check_file(const struct tl_roce_command *command, const char *path)
{
    struct input in = {.command = command, .judge = fal_roce_judge_new(&command->setup)};
    struct tl_roce_transport transport;
    struct fal_error err = {{0}};
    int rc, status = TL_STATUS_ERROR;

    for (size_t i = 0; i < command->setup.num_suts; i++)
        in.hosts[i].sut =
            (struct tl_host){.ip = command->setup.suts[i].ip, .v6 = command->setup.suts[i].v6};
    in.scratch = malloc(TL_FRAME_MAX);
    if (in.judge == NULL || in.scratch == NULL) {
        status = fail(status, "out of memory");
        goto done;
    }
    rc = read_capture(&in, path, &err);
    if (rc == 0 && command->transport) {
        rc = tl_roce_transport(path, command, &transport, &err);
        in.transport = rc == 0 ? &transport : NULL;
    }
    if (rc == 0 || fal_roce_judge_counts(in.judge).packets > 0)
        status = report(&in, path);
    if (rc != 0)
        status = fail(rc == FAL_ERR_MEM ? TL_STATUS_ERROR : TL_STATUS_USAGE, err.text);
    if (fal_roce_judge_counts(in.judge).out_of_memory)
        status = fail(TL_STATUS_ERROR, "out of memory; the report is not complete");
    (void)fflush(stdout);
    hint_at_hosts(&in, path);
done:
    tl_capture_close(in.capture);
    fal_roce_judge_free(in.judge);
    free(in.scratch);
    return status;
}

int tl_cmd_check_roce(int argc, char **argv)
{
    struct tl_roce_command command = {.protocol = 0};
    struct fal_error err = {{0}};
    int status = tl_verb_read(&tl_roce_options, tl_usage_check_roce, argc, argv, &command);

    if (status == TL_VERB_GO && tl_roce_command_ready(&command, &err) != 0) {
        status = tl_verb_wrong("check", "%s", err.text);
    } else if (status == TL_VERB_GO) {
        (void)tl_sandbox_enter(false);
        status = TL_STATUS_PASS;
        for (size_t i = 0; i < command.files.count; i++)
            status = worse_status(status, check_file(&command, command.files.list[i]));
    }
    tl_roce_command_free(&command);
    return status;
}
