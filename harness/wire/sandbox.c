/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* The runtime of a sanitizer starts processes and traces this one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef ARCH
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#undef ARCH
#endif
#endif

#ifdef ARCH

enum {
    CALLS_MAX = 120,
    PER_CALL = 8, /* instructions of a row, at most */
};

/* What a call may have as an argument. */
enum check {
    ANY,
    BITS_CLEAR, /* none of the bits of `value` */
    BITS_SET,   /* all of them */
    EQUAL,
    SELF, /* this process */
};

/* What becomes of a call that the row allows, or of one with another argument. */
struct row {
    int number;
    enum check check;
    unsigned argument; /* from 0; its lower 32 bits count */
    uint32_t value;
    bool writes; /* only if files may be written */
};

#define CALL(name) .number = SYS_##name

/* Flags of open that change, create or empty a file. */
#define WRITE_FLAGS ((uint32_t)(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND))

static const struct row allowed[] = {
    /* files that are open */
    {CALL(read)},
    {CALL(readv)},
    {CALL(pread64)},
    {CALL(write)},
    {CALL(writev)},
    {CALL(lseek)},
    {CALL(close)},
    {CALL(fstat)},
    {CALL(fadvise64)},
    {CALL(dup)},
    {CALL(fcntl), EQUAL, 1, F_GETFL},
    {CALL(fcntl), EQUAL, 1, F_SETFL},
    {CALL(fcntl), EQUAL, 1, F_GETFD},
    {CALL(fcntl), EQUAL, 1, F_SETFD},
    {CALL(fcntl), EQUAL, 1, F_DUPFD_CLOEXEC},
    {CALL(ioctl), EQUAL, 1, TCGETS},
    {CALL(ioctl), EQUAL, 1, TIOCGWINSZ},
    {CALL(ioctl), EQUAL, 1, FIONREAD},
    {CALL(ppoll)},
    /* files and folders to be read */
    {CALL(openat), BITS_CLEAR, 2, WRITE_FLAGS},
    {CALL(newfstatat)},
    {CALL(statx)},
    {CALL(statfs)},
    {CALL(getdents64)},
    {CALL(readlinkat)},
    {CALL(faccessat)},
    {CALL(faccessat2)},
    {CALL(getcwd)},
#ifdef SYS_open
    {CALL(open), BITS_CLEAR, 1, WRITE_FLAGS},
    {CALL(stat)},
    {CALL(lstat)},
    {CALL(access)},
    {CALL(readlink)},
    {CALL(poll)},
    {CALL(time)},
#endif
    /* files to be written */
    {CALL(openat), ANY, 0, 0, true},
    {CALL(ftruncate), ANY, 0, 0, true},
    {CALL(fsync), ANY, 0, 0, true},
    /* memory */
    {CALL(brk)},
    {CALL(mmap)},
    {CALL(munmap)},
    {CALL(mremap)},
    {CALL(mprotect)},
    {CALL(madvise)},
    /* threads of this process; glibc takes clone where clone3 is unknown */
    {CALL(clone), BITS_SET, 0, CLONE_THREAD | CLONE_VM},
    {CALL(futex)},
    {CALL(set_robust_list)},
    {CALL(rseq)},
    {CALL(sched_yield)},
    {CALL(sched_getaffinity)},
    {CALL(membarrier)},
    {CALL(prlimit64)},
    {CALL(gettid)},
    {CALL(getpid)},
    {CALL(exit)},
    {CALL(exit_group)},
    /* signals */
    {CALL(rt_sigaction)},
    {CALL(rt_sigprocmask)},
    {CALL(rt_sigreturn)},
    {CALL(sigaltstack)},
    {CALL(restart_syscall)},
    {CALL(tgkill), SELF, 0, 0},
    /* time, chance, and what qsort asks */
    {CALL(clock_gettime)},
    {CALL(clock_nanosleep)},
    {CALL(gettimeofday)},
    {CALL(nanosleep)},
    {CALL(getrandom)},
    {CALL(sysinfo)},
    {CALL(uname)},
};

/* No part of Talon makes such a call after the filter. */
static const int fatal[] = {
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_kill,   SYS_tkill,
#ifdef SYS_fork
    SYS_fork,   SYS_vfork,
#endif
};

enum { ROWS = sizeof allowed / sizeof *allowed, FATAL = sizeof fatal / sizeof *fatal };

struct program {
    struct sock_filter code[CALLS_MAX * PER_CALL];
    unsigned short len;
};

static void put(struct program *p, struct sock_filter instruction)
{
    p->code[p->len++] = instruction;
}

static void load(struct program *p, size_t offset)
{
    put(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void decide(struct program *p, uint32_t what)
{
    put(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

/* If the call has this number, and its argument passes: allowed. Else the rows go on; the
 * number is loaded again at the end, for the argument was. */
static void put_row(struct program *p, const struct row *row)
{
    const bool looks = row->check != ANY;
    const uint32_t value = row->check == SELF ? (uint32_t)getpid() : row->value;

    if (!looks) {
        put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->number, 0,
                                            1));
        decide(p, SECCOMP_RET_ALLOW);
        return;
    }
    put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->number, 0,
                                        row->check == BITS_SET ? 5 : 4));
    load(p, offsetof(struct seccomp_data, args) + row->argument * sizeof(uint64_t));
    if (row->check == BITS_CLEAR) {
        put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, 1, 0));
    } else {
        if (row->check == BITS_SET)
            put(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, value));
        put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    }
    decide(p, SECCOMP_RET_ALLOW);
    load(p, offsetof(struct seccomp_data, nr));
}

static void build(struct program *p, bool writes)
{
    p->len = 0;
    load(p, offsetof(struct seccomp_data, arch));
    put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
    decide(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ROWS; i++)
        if (!allowed[i].writes || writes)
            put_row(p, &allowed[i]);
    for (size_t i = 0; i < FATAL; i++) {
        put(p,
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)fatal[i], 0, 1));
        decide(p, SECCOMP_RET_KILL_PROCESS);
    }
    put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1));
    decide(p, SECCOMP_RET_ERRNO | ENOSYS);
    decide(p, SECCOMP_RET_ERRNO | EPERM);
}

/* Valgrind's own calls are those of this process. */
static bool under_valgrind(void)
{
    const char *preload =
        getenv("LD_PRELOAD"); /* NOLINT(concurrency-mt-unsafe) before any thread */

    return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

bool tl_sandbox_enter(bool writes)
{
    struct program p;
    struct sock_fprog prog = {.filter = p.code};

    if (under_valgrind())
        return false;
    build(&p, writes);
    prog.len = p.len;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

#else

bool tl_sandbox_enter(bool writes)
{
    (void)writes;
    return false;
}

#endif
