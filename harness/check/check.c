/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/check.h"

#include "harness/check/check_merge.h"
#include "harness/check/check_team.h"
#include "oracles/rules/shard/shard_judge.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts ---- */

struct tl_host tl_host_of(const struct fal_frame *frame, uint32_t layers, bool sender)
{
    struct tl_host host = {0, false, 0};

    if ((layers & FAL_LAYER_BIT(FAL_LAYER_INNER_IPV4)) != 0) {
        host.ip = sender ? frame->inner_ipv4.src : frame->inner_ipv4.dst;
    } else if ((layers & FAL_LAYER_BIT(FAL_LAYER_INNER_IPV6)) != 0) {
        host.ip = sender ? frame->inner_ipv6.src : frame->inner_ipv6.dst;
        host.v6 = true;
    } else if ((layers & FAL_LAYER_BIT(FAL_LAYER_IPV4)) != 0) {
        host.ip = sender ? frame->ipv4.src : frame->ipv4.dst;
    } else if ((layers & FAL_LAYER_BIT(FAL_LAYER_IPV6)) != 0) {
        host.ip = sender ? frame->ipv6.src : frame->ipv6.dst;
        host.v6 = true;
    }
    /* The source port of PSP and ESP is entropy, their destination the same for all. */
    if ((layers & (FAL_LAYER_BIT(FAL_LAYER_UDP) | FAL_LAYER_BIT(FAL_LAYER_PSP) |
                   FAL_LAYER_BIT(FAL_LAYER_ESP))) == FAL_LAYER_BIT(FAL_LAYER_UDP))
        host.port = sender ? frame->udp.src_port : frame->udp.dst_port;
    return host;
}

/* As inet_ntop: reports have one for each rule and connection. */
static void print_ipv4(uint32_t ip, char *out)
{
    for (unsigned shift = 32; shift > 0;) {
        unsigned byte = ip >> (shift -= 8) & 0xff;

        if (byte >= 100)
            *out++ = (char)('0' + byte / 100);
        if (byte >= 10)
            *out++ = (char)('0' + byte / 10 % 10);
        *out++ = (char)('0' + byte % 10);
        *out++ = shift > 0 ? '.' : '\0';
    }
}

void tl_host_print(struct tl_host host, char out[TL_CHECK_ADDRESS_MAX])
{
    uint64_t wide[2] = {htobe64(fal_u128_hi(host.ip)), htobe64(fal_u128_lo(host.ip))};

    if (!host.v6 && host.ip == 0)
        (void)snprintf(out, TL_CHECK_ADDRESS_MAX, "-");
    else if (host.v6)
        (void)inet_ntop(AF_INET6, wide, out, TL_CHECK_ADDRESS_MAX);
    else
        print_ipv4((uint32_t)host.ip, out);
}

bool tl_host_read(const char *text, struct tl_host *out)
{
    uint64_t wide[2];
    uint32_t narrow;

    if (inet_pton(AF_INET, text, &narrow) == 1) {
        *out = (struct tl_host){be32toh(narrow), false, 0};
        return true;
    }
    if (inet_pton(AF_INET6, text, wide) == 1) {
        *out = (struct tl_host){fal_u128_halves(be64toh(wide[0]), be64toh(wide[1])), true, 0};
        return true;
    }
    return false;
}

/* ---- judging ---- */

/* So many bytes of quiet connections the judges of one side keep unpacked, in all threads. */
#define AT_HAND ((size_t)128 << 20)

static struct tl_check_conn *conn_of(struct tl_check *check, uint32_t number)
{
    return number > 0 && number <= check->num_conns ? &check->conns[number - 1] : NULL;
}

/* Where a finding belongs: one judge of both sides finds what concerns the second before what
 * concerns the first. */
static size_t place_of(const struct tl_check *check, uint64_t index, unsigned call)
{
    size_t at = check->num_findings;

    while (at > 0 && check->findings[at - 1].index == index &&
           check->findings[at - 1].call > call)
        at--;
    return at;
}

/* Makes a place among the findings; the last one goes if there is no room. */
static void make_place(struct tl_check *check, size_t at)
{
    size_t left = 0;

    if (check->num_findings == TL_CHECK_FINDINGS_MAX) {
        tl_snippet_free(&check->findings[--check->num_findings].snippet);
        check->lost_findings++;
    }
    memmove(&check->findings[at + 1], &check->findings[at],
            (check->num_findings - at) * sizeof *check->findings);
    for (size_t i = 0; i < check->num_open; i++)
        if (check->open[i] < check->num_findings)
            check->open[left++] = check->open[i] + (check->open[i] >= at);
    check->num_open = left;
    check->num_findings++;
}

static void tell_found(const struct tl_check *check, const struct tl_check_finding *found)
{
    if (check->options->found != NULL)
        check->options->found(check->options->found_ctx, check, found);
}

static void keep(void *ctx, const struct fal_finding *finding)
{
    struct tl_check *check = ctx;
    struct tl_check_finding *found;
    struct tl_check_conn *conn = conn_of(check, finding->conn);
    int side = check->both_ends ? (int)finding->end : check->judging;
    uint64_t index = check->finishing ? UINT64_MAX : check->now;
    unsigned call = check->finishing || check->both_ends ? (unsigned)side : check->call;
    size_t at = place_of(check, index, call);

    if (finding->instance != FAL_BROKEN)
        return;
    if (at == TL_CHECK_FINDINGS_MAX) {
        check->lost_findings++;
        tell_found(check, &(struct tl_check_finding){.finding = *finding, .side = side});
        return;
    }
    make_place(check, at);
    found = &check->findings[at];
    *found = (struct tl_check_finding){
        .finding = *finding,
        .side = side,
        .snippet = tl_story_around(&check->story, finding),
        .index = index,
        .call = call,
        .listed_at = conn != NULL ? conn->listed_at[side] : 0,
    };
    if (found->snippet.wanted > 0) {
        check->open[check->num_open++] = at;
        if (conn != NULL)
            conn->open++;
    }
    tell_found(check, found);
}

/* Adds an event to the snippets of its connection that are not complete yet. */
static void add_to_open(struct tl_check *check, const struct tl_scene *scene,
                        struct tl_check_conn *conn)
{
    size_t left = 0;

    for (size_t i = 0; i < check->num_open; i++) {
        struct tl_check_finding *found = &check->findings[check->open[i]];

        if (found->finding.conn == scene->conn)
            tl_snippet_add(&found->snippet, scene);
        if (found->snippet.wanted > 0)
            check->open[left++] = check->open[i];
        else if (conn != NULL)
            conn->open--;
    }
    check->num_open = left;
}

void tl_check_tell_story(struct tl_check *check, const struct fal_event *event, bool to_first)
{
    const struct tl_scene *scene = tl_story_add(&check->story, event, to_first);
    struct tl_check_conn *conn = conn_of(check, event->conn);

    if (scene != NULL && check->num_open > 0 && (conn == NULL || conn->open > 0))
        add_to_open(check, scene, conn);
}

static struct fal_judge *new_judge(struct tl_check *check, int side, bool sut_alone)
{
    struct fal_judge_config config = check->options->rules;

    config.finding = keep;
    config.ctx = check;
    config.sut_alone = sut_alone;
    config.both_ends = check->both_ends;
    config.whole = !check->timeline; /* that of a case is one of many */
    config.at_hand_bytes =
        (check->both_ends ? 2 : 1) * AT_HAND /
        (check->shared != NULL && check->options->shard.total == 0 ? check->options->jobs : 1);
    if (check->shared != NULL) {
        config.asking = check->shared->asking;
        config.common = check->shared->common[side];
        config.in_turn = check->shared->in_turn;
    }
    return fal_judge_new(&config);
}

static int start(struct tl_check *check)
{
    check->findings = malloc(TL_CHECK_FINDINGS_MAX * sizeof *check->findings);
    check->judge[0] = new_judge(check, 0, !check->both_ends);
    if (!check->both_ends)
        check->judge[1] = new_judge(check, 1, true);
    if (tl_story_start(&check->story) != 0)
        return FAL_ERR_MEM;
    return check->findings == NULL || check->judge[0] == NULL ||
                   (check->judge[1] == NULL && !check->both_ends)
               ? FAL_ERR_MEM
               : 0;
}

int tl_check_unite(struct tl_check *check)
{
    const struct tl_check_options *options = check->options;
    const struct fal_ev_run *run = &options->run;
    bool in_order = run->in_order_in && run->in_order_out;

    /* Packets of a side that may be late within its pipeline are in order only as those towards
     * the SUT. */
    if (options->have_sut || check->any_given || options->ulp != NULL ||
        options->lossy_capture || run->may_miss ||
        (in_order && options->params.pipeline_ns > 0))
        return 0;
    for (int side = 0; side < 2; side++) {
        fal_judge_free(check->judge[side]);
        check->judge[side] = NULL;
    }
    check->both_ends = true;
    check->judge[0] = new_judge(check, 0, false);
    return check->judge[0] != NULL ? 0 : FAL_ERR_MEM;
}

int tl_check_start(struct tl_check *check, const struct tl_check_options *options)
{
    *check = (struct tl_check){.options = options};
    if (options->shard.total > 0) {
        check->shared = &check->own_shared;
        for (int side = 0; side < 2; side++) {
            check->own_shared.common[side] = fal_common_new();
            if (check->own_shared.common[side] == NULL)
                return FAL_ERR_MEM;
            fal_shard_watch(check->own_shared.common[side]);
        }
    }
    return start(check);
}

int tl_check_share(struct tl_check_shared *shared, const struct tl_check *whole)
{
    struct fal_judge_config config = whole->options->rules;

    config.sut_alone = !whole->both_ends;
    config.both_ends = whole->both_ends;
    shared->asking = fal_asking_new(&config);
    for (int side = 0; side < 2; side++)
        shared->common[side] = fal_common_new();
    return shared->asking == NULL || shared->common[0] == NULL || shared->common[1] == NULL
               ? FAL_ERR_MEM
               : 0;
}

void tl_check_share_free(struct tl_check_shared *shared)
{
    fal_asking_free(shared->asking);
    for (int side = 0; side < 2; side++)
        fal_common_free(shared->common[side]);
}

int tl_check_start_part(struct tl_check *part, const struct tl_check *whole,
                        const struct tl_check_shared *shared)
{
    *part = (struct tl_check){
        .options = whole->options, .shared = shared, .both_ends = whole->both_ends};
    return start(part) != 0 ? FAL_ERR_MEM : tl_check_know(part, whole);
}

int tl_check_both_sides(struct tl_check *check)
{
    struct fal_judge *judge = new_judge(check, 0, check->options->sut_alone);

    if (judge == NULL)
        return FAL_ERR_MEM;
    fal_judge_free(check->judge[0]);
    check->judge[0] = judge;
    return 0;
}

void tl_check_free(struct tl_check *check)
{
    tl_check_unmerge(check);
    tl_check_team_free(check->team);
    fal_judge_free(check->judge[0]);
    fal_judge_free(check->judge[1]);
    tl_check_share_free(&check->own_shared);
    for (size_t i = 0; i < check->num_findings; i++)
        tl_snippet_free(&check->findings[i].snippet);
    tl_story_free(&check->story);
    for (size_t i = 0; i < TL_CHECK_SHARDS; i++)
        free(check->recent[i]);
    free(check->findings);
    free(check->conns);
    free(check->slots);
    free(check->paths);
    free(check->path_slots);
}

void tl_check_event(struct tl_check *check, int side, struct fal_event *event)
{
    check->judging = side;
    check->call = event->index == check->now ? check->call + 1 : 0;
    check->now = event->index;
    fal_judge_event(check->judge[side], event);
}

/* The time until the end of the capture passed on every connection. */
static void pass_time(struct tl_check *check, int side)
{
    struct fal_event now = {.kind = FAL_EV_NOTE, .index = check->index, .t_ns = check->last_ns};

    tl_check_event(check, side, &now);
}

static void finish(struct tl_check *check)
{
    tl_story_now(&check->story, check->index);
    for (int side = 0; side < 2 && check->judge[side] != NULL; side++) {
        if (!check->timeline && check->index > 0)
            pass_time(check, side);
        check->finishing = true;
        check->judging = side;
        fal_judge_finish(check->judge[side]);
    }
}

/* Both judges may have found a proof; the first one counts. */
static void note_missed(struct tl_check *check)
{
    for (int side = 0; side < 2 && check->judge[side] != NULL; side++) {
        const struct fal_missed *missed = fal_judge_missed(check->judge[side]);

        if (missed != NULL && (!check->missed.found || missed->index < check->missed.index))
            check->missed = *missed;
    }
}

void tl_check_finish(struct tl_check *check)
{
    if (check->team == NULL) {
        finish(check);
        note_missed(check);
        return;
    }
    tl_check_team_finish(check->team);
    if (tl_check_merge(check) != 0)
        check->out_of_memory = true;
}

/* ---- results ---- */

/* Whether a packet may explain it that the capture misses. */
static bool may_miss(const struct tl_check *check, const struct fal_rule *rule)
{
    return !rule->shown && !check->options->run.complete && !check->beside_run;
}

/* Whether a capture that was declared to be complete has packets of one direction of that
 * connection only, as from a mirror port of one direction, and the rule needs both. */
static bool one_way(const struct tl_check *check, uint32_t conn, const struct fal_rule *rule)
{
    const bool *heard = check->conns[conn - 1].heard;

    return rule->both_ways && check->options->run.complete && !check->beside_run &&
           heard[0] != heard[1];
}

bool tl_check_unsure(const struct tl_check *check, uint32_t conn, const struct fal_rule *rule)
{
    if (check->timeline || rule->alone || conn == 0 || conn > check->num_conns)
        return false;
    return check->conns[conn - 1].uncertain || check->dropped_late || check->missed.found ||
           may_miss(check, rule) || one_way(check, conn, rule);
}

/* The verdict of a result, as far as it counts for the file. */
static enum fal_verdict counted(const struct tl_check *check,
                                const struct fal_rule_result *result)
{
    return result->broken > 0 && tl_check_unsure(check, result->conn, result->rule) &&
                   result->verdict < FAL_VERDICT_ERROR
               ? FAL_VERDICT_INCONC
               : result->verdict;
}

enum fal_verdict tl_check_result(const struct tl_check *check, int side,
                                 const struct fal_rule_result *result)
{
    const struct fal_judge *judge = check->judge[check->both_ends ? 0 : side];
    enum fal_verdict verdict = counted(check, result);

    if (check->missed.found && !result->rule->alone && verdict == FAL_VERDICT_PASS)
        return FAL_VERDICT_INCONC;
    return verdict == FAL_VERDICT_PASS && result->subject == FAL_SUBJECT_SUT &&
                   fal_result_open(result) > 0 &&
                   !fal_judge_enough(judge, check->both_ends ? (unsigned)side : 0, result->rule)
               ? FAL_VERDICT_INCONC
               : verdict;
}

bool tl_check_reading(const struct tl_check *check, int side, size_t i,
                      struct fal_reading_result *out)
{
    if (check->both_ends)
        return fal_judge_reading_of(check->judge[0], (unsigned)side, i, out);
    return check->judge[side] != NULL &&
           fal_judge_reading(check->judge[side], FAL_SUBJECT_SUT, i, out);
}

bool tl_check_suspect(const struct tl_check *check, int side, size_t i, struct fal_suspect *out)
{
    if (check->both_ends)
        return fal_judge_suspect_of(check->judge[0], (unsigned)side, i, out);
    return fal_judge_suspect(check->judge[side], i, out);
}

enum fal_verdict tl_check_verdict(const struct tl_check *check)
{
    enum fal_verdict verdict = check->missed.found ? FAL_VERDICT_INCONC : FAL_VERDICT_NONE;

    if (check->out_of_memory)
        return FAL_VERDICT_ERROR;
    if (check->timeline)
        return fal_judge_verdict(check->judge[0]);
    for (int side = 0; side < 2; side++) {
        const struct fal_rule_result *r;
        struct tl_check_walk walk = {0};
        struct fal_suspect suspect;

        if (fal_judge_failed(check->judge[check->both_ends ? 0 : side]))
            return FAL_VERDICT_ERROR;
        if (tl_check_suspect(check, side, 0, &suspect))
            verdict = fal_verdict_worse(verdict, FAL_VERDICT_INCONC);
        while ((r = tl_check_next_rule(check, side, &walk)) != NULL)
            if (r->subject == FAL_SUBJECT_SUT && fal_result_counts(r))
                verdict = fal_verdict_worse(verdict, counted(check, r));
    }
    return verdict;
}
