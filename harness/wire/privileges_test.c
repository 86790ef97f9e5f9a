/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/privileges.h"

#include "tests/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A line of /proc/self/status, after its name; 0: all zeros. */
static unsigned long long status_of(const char *name)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    unsigned long long value = UINT64_MAX;

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            value = strtoull(line + strlen(name), NULL, 16);
    if (file != NULL)
        (void)fclose(file);
    return value;
}

/* In a child: what is given up does not come back. */
static void in_child(int (*body)(void))
{
    pid_t child = fork();
    int status = -1;

    if (child == 0)
        _exit(body());
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static int dropped_for_good(void)
{
    static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"};

    if (tl_privileges_drop(false, NULL) != 0 || status_of("NoNewPrivs:") != 1)
        return 1;
    tl_privileges_raise();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (status_of(sets[i]) != 0)
            return 2;
    return 0;
}

START_TEST(nothing_is_left_and_nothing_comes_back)
{
    in_child(dropped_for_good);
}
END_TEST

static int laid_aside(void)
{
    unsigned long long had = status_of("CapEff:"), may = status_of("CapPrm:");

    if (tl_privileges_drop(true, NULL) != 0 || status_of("CapEff:") != 0 ||
        status_of("CapPrm:") != may || status_of("NoNewPrivs:") != 0)
        return 1;
    tl_privileges_raise();
    return status_of("CapEff:") == may && (may & had) == had ? 0 : 2;
}

START_TEST(what_is_laid_aside_comes_back)
{
    in_child(laid_aside);
}
END_TEST

START_TEST(hints_name_the_command)
{
    char text[TL_HINT_MAX];

    tl_privilege_hint(TL_PRIVILEGE_RAW, 0, text);
    ck_assert_ptr_nonnull(strstr(text, "sudo setcap cap_net_raw+ep /"));
    ck_assert_ptr_nonnull(strstr(text, "privileges_test"));
    tl_privilege_hint(TL_PRIVILEGE_PORT, 1000, text);
    ck_assert_ptr_nonnull(strstr(text, "cap_net_bind_service+ep"));
    ck_assert_ptr_nonnull(strstr(text, "ip_unprivileged_port_start=1000"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("privileges");
    TCase *all = tcase_create("all");

    tcase_add_test(all, nothing_is_left_and_nothing_comes_back);
    tcase_add_test(all, what_is_laid_aside_comes_back);
    tcase_add_test(all, hints_name_the_command);
    suite_add_tcase(suite, all);
    return suite;
}
