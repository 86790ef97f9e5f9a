/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hosts ---- */

struct tl_host tl_host_of(const struct fal_frame *frame, bool sender)
{
    if (fal_frame_has(frame, FAL_LAYER_IPV4))
        return (struct tl_host){fal_u128_from(sender ? frame->ipv4.src : frame->ipv4.dst), false};
    if (fal_frame_has(frame, FAL_LAYER_IPV6))
        return (struct tl_host){sender ? frame->ipv6.src : frame->ipv6.dst, true};
    return (struct tl_host){{0, 0}, false};
}

bool tl_host_eq(struct tl_host a, struct tl_host b)
{
    return a.v6 == b.v6 && fal_u128_eq(a.ip, b.ip);
}

void tl_host_print(struct tl_host host, char out[TL_CHECK_ADDRESS_MAX])
{
    uint64_t wide[2] = {htobe64(host.ip.hi), htobe64(host.ip.lo)};
    uint32_t narrow = htobe32((uint32_t)host.ip.lo);

    if (!host.v6 && fal_u128_zero(host.ip))
        (void)snprintf(out, TL_CHECK_ADDRESS_MAX, "-");
    else
        (void)inet_ntop(host.v6 ? AF_INET6 : AF_INET, host.v6 ? (void *)wide : (void *)&narrow, out,
                        TL_CHECK_ADDRESS_MAX);
}

bool tl_host_read(const char *text, struct tl_host *out)
{
    uint64_t wide[2];
    uint32_t narrow;

    if (inet_pton(AF_INET, text, &narrow) == 1) {
        *out = (struct tl_host){fal_u128_from(be32toh(narrow)), false};
        return true;
    }
    if (inet_pton(AF_INET6, text, wide) == 1) {
        *out = (struct tl_host){{be64toh(wide[0]), be64toh(wide[1])}, true};
        return true;
    }
    return false;
}

/* ---- judging ---- */

static void keep(void *ctx, const struct fal_finding *finding)
{
    struct tl_check *check = ctx;

    if (finding->instance != FAL_BROKEN)
        return;
    if (!check->timeline && finding->subject != FAL_SUBJECT_SUT)
        return; /* the other judge's to say */
    if (check->num_findings == TL_CHECK_FINDINGS_MAX) {
        check->lost_findings++;
        return;
    }
    check->findings[check->num_findings++] =
        (struct tl_check_finding){.finding = *finding, .side = check->judging};
}

int tl_check_start(struct tl_check *check, const struct tl_check_options *options)
{
    struct fal_judge_config config = options->rules;

    *check = (struct tl_check){.options = options};
    config.finding = keep;
    config.ctx = check;
    check->findings = malloc(TL_CHECK_FINDINGS_MAX * sizeof *check->findings);
    check->judge[0] = fal_judge_new(&config);
    check->judge[1] = fal_judge_new(&config);
    return check->findings == NULL || check->judge[0] == NULL || check->judge[1] == NULL
               ? FAL_ERR_MEM
               : 0;
}

void tl_check_free(struct tl_check *check)
{
    fal_judge_free(check->judge[0]);
    fal_judge_free(check->judge[1]);
    free(check->findings);
    free(check->conns);
    free(check->slots);
}

void tl_check_event(struct tl_check *check, int side, struct fal_event *event)
{
    check->judging = side;
    fal_judge_event(check->judge[side], event);
}

void tl_check_finish(struct tl_check *check)
{
    for (int side = 0; side < 2; side++) {
        check->judging = side;
        fal_judge_finish(check->judge[side]);
    }
}

enum fal_verdict tl_check_verdict(const struct tl_check *check)
{
    enum fal_verdict verdict = FAL_VERDICT_NONE;

    if (check->out_of_memory)
        return FAL_VERDICT_ERROR;
    if (check->timeline)
        return fal_judge_verdict(check->judge[0]);
    for (int side = 0; side < 2; side++) {
        const struct fal_rule_result *r;

        for (size_t i = 0; (r = fal_judge_result(check->judge[side], i)) != NULL; i++)
            if (r->subject == FAL_SUBJECT_SUT)
                verdict = fal_verdict_worse(verdict, r->verdict);
    }
    return verdict;
}
