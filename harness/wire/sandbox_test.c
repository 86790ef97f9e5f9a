/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/sandbox.h"

#include "tests/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child does behind the filter. Returns 0, or an errno. */
typedef int deed_fn(void);

static int of(long rc)
{
    return rc >= 0 ? 0 : errno;
}

static int opens_to_read(void)
{
    return of(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
}
static int opens_to_write(void)
{
    return of(open("/dev/null", O_WRONLY | O_CLOEXEC));
}
static int creates(void)
{
    return of(open("/dev/null", O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
}
static int makes_socket(void)
{
    return of(socket(AF_INET, SOCK_STREAM, 0));
}
static int removes(void)
{
    return of(unlink("/nowhere/at-all"));
}
static int makes_folder(void)
{
    return of(mkdir("/nowhere/at-all", 0700));
}
static int executes(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};

    return of(execv("/bin/true", argv));
}
static int forks(void)
{
    const pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return of(pid);
}
static int traces(void)
{
    return of(syscall(SYS_ptrace, 0, 0, 0, 0));
}
static int kills_parent(void)
{
    return of(kill(getppid(), 0));
}
static void *nothing(void *arg)
{
    return arg;
}
static int starts_thread(void)
{
    pthread_t thread;
    const int rc = pthread_create(&thread, NULL, nothing, NULL);

    return rc != 0 ? rc : pthread_join(thread, NULL);
}
static int allocates(void)
{
    void *volatile large = malloc(64 << 20);
    const int rc = large != NULL ? 0 : ENOMEM;

    free(large);
    return rc;
}
static int aborts(void)
{
    abort();
}

enum { KILLED = 1000, ABORTED = 2000 }; /* instead of an errno */

static const struct {
    deed_fn *deed;
    bool writes;
    int expected;
} deeds[] = {
    {opens_to_read, false, 0},
    {opens_to_write, false, EPERM},
    {opens_to_write, true, 0},
    {creates, false, EPERM},
    {creates, true, 0},
    {makes_socket, false, EPERM},
    {makes_socket, true, EPERM},
    {removes, false, EPERM},
    {removes, true, EPERM},
    {makes_folder, true, EPERM},
    {executes, false, KILLED},
    {executes, true, KILLED},
    {forks, false, EPERM},
    {traces, false, KILLED},
    {kills_parent, false, KILLED},
    {starts_thread, false, 0},
    {allocates, false, 0},
    {aborts, false, ABORTED},
};

static int in_child(deed_fn *deed, bool writes, bool *works)
{
    const pid_t pid = fork();
    int status = 0;

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (!tl_sandbox_enter(writes))
            _exit(255);
        _exit(deed());
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    *works = !WIFEXITED(status) || WEXITSTATUS(status) != 255;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGSYS ? KILLED : ABORTED;
    return WEXITSTATUS(status);
}

/* Under a sanitizer or Valgrind there is no filter, and nothing to test. */
START_TEST(allows_what_is_needed_and_no_more)
{
    bool works = false;
    const int got = in_child(deeds[_i].deed, deeds[_i].writes, &works);

    if (works)
        ck_assert_int_eq(got, deeds[_i].expected);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
    else
        ck_assert(getenv("LD_PRELOAD") != NULL);
#endif
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sandbox");
    TCase *tc = tcase_create("calls");

    tcase_add_loop_test(tc, allows_what_is_needed_and_no_more, 0, sizeof deeds / sizeof *deeds);
    suite_add_tcase(suite, tc);
    return suite;
}
