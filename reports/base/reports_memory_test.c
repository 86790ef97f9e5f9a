/* SPDX-License-Identifier: Apache-2.0
 * Reading, writing, merging and comparing results where the n-th allocation fails, for every n:
 * an error comes back, and all memory. */
#include "reports/base/memory_file.h"
#include "reports/results/diff.h"
#include "reports/results/merge.h"
#include "reports/results/results_testing.h"

#include "tests/allocator.h"

static const char saved[] =
    "{\"schema\": \"talon/results/1\", \"tool\": \"1\", \"sut\": \"x\", \"product\": \"p\", "
    "\"identity\": {\"vendor\": \"v\", \"product\": \"p\", \"firmware\": \"1\"}, \"live\": false, "
    "\"seed\": \"1\", \"verdict\": \"fail\", \"status\": 1, \"counts\": {\"pass\": 1, \"fail\": 1}, "
    "\"dispositions\": {}, \"ics\": {\"psp\": true}, \"waivers\": [{\"id\": \"W\", \"kind\": "
    "\"waiver\", \"state\": \"unused\", \"cases\": 0}], \"readings\": [{\"id\": \"AMB-1\", \"text\": "
    "\"t\", \"alternative\": true, \"cases\": 1}], \"cases\": [{\"id\": \"a\", \"title\": \"t\", "
    "\"file\": \"c/a.json\", \"verdict\": \"pass\", \"covers\": [\"FTP-9.1.6-03\"]}, {\"id\": \"b\", "
    "\"title\": \"t\", \"file\": \"d/b.json\", \"verdict\": \"fail\", \"reason\": \"rule\", \"covers\": "
    "[\"NEW-1\"], \"attempts\": [{\"verdict\": \"fail\"}], \"problems\": [{\"kind\": \"rule\", "
    "\"verdict\": \"fail\", \"reason\": \"rule\", \"rule\": \"Z9\", \"requirement\": \"FTP-9.1.6-07\", "
    "\"expected\": \"e\", \"seen\": \"s\", \"why\": \"w\", \"t_ns\": 1, \"events\": [3], \"packets\": "
    "[{\"packet\": \"@0 > back\", \"evidence\": true}]}], \"rules\": [{\"rule\": \"R1\", \"subject\": "
    "\"sut\", \"connection\": 1, \"verdict\": \"pass\", \"holds\": 1, \"broken\": 0, \"undecided\": "
    "0, \"excused\": {}}], \"readings\": [{\"id\": \"AMB-1\", \"text\": \"t\", \"alternative\": true, "
    "\"event\": 1, \"t_ns\": 1}], \"steps\": [{\"text\": \"> back\", \"line\": 3}], \"flow\": "
    "[{\"what\": \"packet\", \"t_ns\": 0, \"event\": 3, \"dir\": \">\", \"text\": \"back\", "
    "\"header\": \"10\"}], \"repetitions\": [{\"seed\": \"0x01\", \"verdict\": \"fail\"}], \"repeat\": \"talon run\"}]}";

static bool read_it(struct tl_results_file **file, FILE **in)
{
    struct fal_error err;

    *file = NULL;
    *in = fmemopen((void *)saved, sizeof saved - 1, "r");
    return *in != NULL && tl_results_open(*in, "x", file, &err) == 0;
}

static void close_it(struct tl_results_file *file, FILE *in)
{
    tl_results_close(file);
    if (in != NULL)
        (void)fclose(in);
}

static char *last; /* the document that was written last, or NULL */

static size_t differs_at(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] == b[i] && a[i] != 0)
        i++;
    return i;
}

static bool writing_works(tl_report_fn *write)
{
    struct tl_results_file *file;
    struct tl_memory_file document;
    FILE *in;
    bool ok = read_it(&file, &in);

    ok = tl_memory_open(&document) == 0 && ok &&
         write(document.out, tl_results_of(file), NULL) == 0;
    if (tl_memory_close(&document) != 0)
        ok = false;
    free(last);
    last = document.text;
    close_it(file, in);
    return ok;
}

static bool html(void)
{
    return writing_works(tl_report_html);
}
static bool junit(void)
{
    return writing_works(tl_report_junit);
}
static bool sarif(void)
{
    return writing_works(tl_report_sarif);
}
static bool markdown(void)
{
    return writing_works(tl_report_markdown);
}
static bool json(void)
{
    return writing_works(tl_report_json);
}

static bool merging_works(void)
{
    struct tl_results_file *files[2];
    FILE *in[2];
    struct tl_memory_file text;
    size_t count[TL_CHANGES];
    struct fal_error err;
    struct tl_results merged, *all[2];
    const char *names[] = {"a", "b"};
    bool ok = read_it(&files[0], &in[0]), second = read_it(&files[1], &in[1]);

    ok = ok && second && tl_results_load(files[0], &err) == 0 &&
         tl_results_load(files[1], &err) == 0;
    for (size_t i = 0; ok && i < 2; i++)
        all[i] = tl_results_of(files[i]);
    if (ok && tl_merge(all, names, 2, false, &merged, &err) == 0) {
        ok = tl_memory_open(&text) == 0 &&
             tl_diff_write(text.out, TL_DIFF_MARKDOWN, all[0], &merged, count, &err) == 0;
        ok = tl_memory_close(&text) == 0 && ok;
        free(text.text);
        tl_merge_free(&merged);
    } else {
        ok = false;
    }
    close_it(files[0], in[0]);
    close_it(files[1], in[1]);
    return ok;
}

START_TEST(every_allocation_may_fail)
{
    static bool (*const all[])(void) = {html, junit, sarif, markdown, json, merging_works};
    const bool in_charge = allocator_in_charge();

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        long failures = 0;

        char *due;

        ck_assert(all[i]()); /* what is made once and kept is made now */
        due = last;
        last = NULL;
        for (long n = 1;; n += (long)test_stride()) {
            long before = allocator.blocks;
            bool ok;

            allocator.failed = false;
            allocator.countdown = n;
            ok = all[i]();
            allocator.countdown = 0;
            if (ok && due != NULL) /* what says that it is whole is whole */
                ck_assert_msg(strcmp(last, due) == 0, "not whole: %.60s, due %.60s",
                              last + differs_at(last, due), due + differs_at(last, due));
            free(last);
            last = NULL;
            ck_assert_msg(!in_charge || allocator.blocks == before,
                          "%zu, allocation %ld: %ld blocks left", i, n,
                          allocator.blocks - before);
            if (!allocator.failed) {
                ck_assert(ok);
                break;
            }
            failures += !ok;
        }
        ck_assert(!in_charge || failures > 3);
        free(due);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("reports_memory");
    TCase *tc = tcase_create("all");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_allocation_may_fail);
    suite_add_tcase(suite, tc);
    return suite;
}
