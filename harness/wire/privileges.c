/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/privileges.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SETS = 2 }; /* words of 32 bits each, in version 3 of the interface */

void tl_privilege_hint(enum tl_privilege which, unsigned port, char out[TL_HINT_MAX])
{
    char exe[PATH_MAX / 8];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    exe[n > 0 ? n : 0] = 0;
    if (n <= 0)
        (void)snprintf(exe, sizeof exe, "talon");
    switch (which) {
    case TL_PRIVILEGE_RAW:
        (void)snprintf(out, TL_HINT_MAX,
                       "it needs CAP_NET_RAW: sudo setcap cap_net_raw+ep %.200s", exe);
        break;
    case TL_PRIVILEGE_PORT:
        (void)snprintf(
            out, TL_HINT_MAX,
            "port %u needs CAP_NET_BIND_SERVICE: sudo setcap cap_net_bind_service+ep %.200s, or sudo sysctl "
            "net.ipv4.ip_unprivileged_port_start=%u",
            port, exe, port);
        break;
    }
}

static int get(struct __user_cap_data_struct sets[SETS])
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

    return syscall(SYS_capget, &header, sets) == 0 ? 0 : errno;
}

bool tl_privilege_has(enum tl_privilege which)
{
    struct __user_cap_data_struct sets[SETS];
    unsigned cap = which == TL_PRIVILEGE_RAW ? CAP_NET_RAW : CAP_NET_BIND_SERVICE;

    return get(sets) == 0 && (sets[cap / 32].effective & 1u << cap % 32) != 0;
}

static int set(struct __user_cap_data_struct sets[SETS])
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

    return syscall(SYS_capset, &header, sets) == 0 ? 0 : errno;
}

/* Programs that this process starts cannot get more capabilities than its bounding set. */
static void empty_bounds(void)
{
    for (unsigned long cap = 0; cap <= CAP_LAST_CAP; cap++)
        (void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int tl_privileges_drop(bool later, struct fal_error *err)
{
    struct __user_cap_data_struct sets[SETS];
    int code = get(sets);

    if (code == 0 && !later) {
        empty_bounds();
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
            code = errno;
    }
    for (int i = 0; i < SETS; i++) {
        sets[i].effective = 0;
        if (!later)
            sets[i].permitted = sets[i].inheritable = 0;
    }
    if (code == 0)
        code = set(sets);
    return code == 0 ? 0
                     : fal_fail(err, FAL_ERR_IO, "cannot drop privileges: %s", strerror(code));
}

void tl_privileges_raise(void)
{
    struct __user_cap_data_struct sets[SETS];

    if (get(sets) != 0)
        return;
    for (int i = 0; i < SETS; i++)
        sets[i].effective = sets[i].permitted;
    (void)set(sets);
}
