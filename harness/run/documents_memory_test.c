/* SPDX-License-Identifier: Apache-2.0
 * Memory that runs out at any moment, while statements, waivers and profiles are read, waivers
 * are applied, and evidence and reports are written: an error or a result, never a crash, and
 * nothing is left behind. */
#include "harness/claims/waivers.h"
#include "harness/profile/profile.h"
#include "harness/run/evidence.h"
#include "reports/formats/report.h"

#include "tests/allocator.h"
#include "tests/testing.h"

#include <stdio.h>

static const char statement[] =
    "{\"schema\": \"talon/ics/1\", \"vendor\": \"Acme\", \"items\": {\"psp\": true}}";
static const char agreed[] =
    "{\"schema\": \"talon/waivers/1\", \"entries\": [{\"id\": \"W-1\", \"kind\": \"waiver\", "
    "\"scenario\": \"s\", \"fingerprint\": \"0123456789abcdef\", \"reason\": \"r\", "
    "\"approver\": \"a\", \"expires\": \"2026-12-31\"}]}";
static const char timeline[] =
    "{\"schema\":\"talon/timeline/1\"}\n"
    "{\"event\":\"packet\",\"index\":0,\"t_ns\":5,\"conn\":1,\"dir\":\"<\",\"bytes\":"
    "\"1000000000000000000000000000000000000000000000000000000000000000\"}\n";
static char dir[] = "/tmp/talon-memory-XXXXXX";

static void make_case(struct tl_case *c)
{
    struct tl_problem *p;

    *c = (struct tl_case){.id = "s", .title = "t", .file = "none/s.json", .kind = "valid"};
    c->verdict = FAL_VERDICT_FAIL;
    p = tl_case_problem(c);
    if (p == NULL)
        return;
    p->verdict = FAL_VERDICT_FAIL;
    p->reason = tl_reason_from("unmet");
    p->num_evidence = 1;
    strcpy(p->fingerprint, "0123456789abcdef");
}

static bool waivers_work(void)
{
    const struct tl_identity identity = {"Acme", "F1", "1"};
    const char *ids[] = {"s"};
    struct tl_waivers waivers;
    struct tl_waiver_use *uses = NULL;
    struct fal_error err;
    struct tl_case c;
    struct tl_results results = {.cases = &c, .num_cases = 1};
    bool ok = false;

    make_case(&c);
    if (tl_waivers_read("w", agreed, sizeof agreed - 1, &waivers, &err) == 0) {
        ok = tl_waivers_apply(&waivers, &identity, 20261121, "s", &c) == 0 &&
             tl_waivers_uses(&waivers, &identity, 20261121, &results, ids, &uses) == 0;
        ok &= c.disposition == TL_WAIVED;
        free(uses);
        tl_waivers_free(&waivers);
    }
    tl_case_clear(&c);
    return ok;
}

static bool statements_work(void)
{
    struct tl_ics ics;
    struct fal_error err;
    json_t *document;
    bool ok = tl_ics_read("i", statement, sizeof statement - 1, &ics, &err) == 0;

    document = tl_ics_document(&ics);
    ok &= document != NULL;
    json_decref(document);
    return ok;
}

static bool evidence_works(void)
{
    struct tl_evidence *evidence = NULL;
    uint8_t *packets = NULL;
    size_t len = 0;
    struct fal_error err;
    struct tl_case c;
    bool ok;

    make_case(&c);
    ok = tl_evidence_open(dir, false, &evidence, &err) == 0;
    ok =
        tl_evidence_packets(timeline, sizeof timeline - 1, &c, &packets, &len, &err) == 0 && ok;
    ok = ok && tl_evidence_case(
                   evidence, 0, &c,
                   &(struct tl_evidence_of_case){timeline, sizeof timeline - 1, packets, len},
                   &err) == 0;
    ok = ok && tl_evidence_close(evidence, json_object(), &err) == 0;
    tl_evidence_free(evidence);
    free(packets);
    tl_case_clear(&c);
    return ok;
}

static bool reports_work(void)
{
    struct tl_case c;
    struct tl_results results = {.version = "1", .sut = "x", .cases = &c, .num_cases = 1};
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    bool ok = out != NULL;

    make_case(&c);
    ok = ok && tl_report_json(out, &results, NULL) == 0;
    ok = ok && tl_report_junit(out, &results, NULL) == 0;
    ok = ok && tl_report_summary(out, &results) == 0;
    if (out != NULL && fclose(out) != 0)
        ok = false;
    free(text);
    tl_case_clear(&c);
    return ok;
}

static void with_any_failure(bool (*work)(void))
{
    const bool in_charge = allocator_in_charge();
    long failures = 0;

    ck_assert(work()); /* data that is made once and kept is made now */
    for (long n = 1;; n++) {
        long before = allocator.blocks;
        bool ok;

        allocator.failed = false;
        allocator.countdown = n;
        ok = work();
        allocator.countdown = 0;
        ck_assert_msg(!in_charge || allocator.blocks == before,
                      "allocation %ld: %ld blocks left", n, allocator.blocks - before);
        if (!allocator.failed) {
            ck_assert(ok);
            break;
        }
        failures += !ok;
    }
    ck_assert(!in_charge || failures > 3);
}

START_TEST(waivers)
{
    with_any_failure(waivers_work);
}
END_TEST

START_TEST(statements)
{
    with_any_failure(statements_work);
}
END_TEST

START_TEST(evidence)
{
    ck_assert_ptr_nonnull(mkdtemp(dir));
    with_any_failure(evidence_works);
}
END_TEST

START_TEST(reports)
{
    with_any_failure(reports_work);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("documents_memory");
    TCase *tc = tcase_create("all");

    tcase_add_test(tc, waivers);
    tcase_add_test(tc, statements);
    tcase_add_test(tc, evidence);
    tcase_add_test(tc, reports);
    suite_add_tcase(suite, tc);
    return suite;
}
