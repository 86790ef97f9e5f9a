/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/check/hosts_seen.h"

#include <stdio.h>
#include <string.h>

static bool has(const struct tl_hosts_seen *seen, struct tl_host host)
{
    for (size_t i = 0; i < seen->count; i++)
        if (tl_host_eq(seen->list[i], host))
            return true;
    return false;
}

void tl_hosts_seen_add(struct tl_hosts_seen *seen, struct tl_host host)
{
    seen->sut_is_there |= tl_host_eq(host, seen->sut);
    if (host.ip == 0 || seen->more || has(seen, host))
        return;
    if (seen->count == TL_HOSTS_SEEN_MAX) {
        seen->more = true;
        return;
    }
    host.port = 0; /* --sut names a host */
    seen->list[seen->count++] = host;
}

bool tl_hosts_seen_hint(const struct tl_hosts_seen *seen, char out[TL_HOSTS_SEEN_TEXT])
{
    char address[TL_CHECK_ADDRESS_MAX];
    size_t len;

    if (seen->count == 0 || seen->sut_is_there)
        return false;
    tl_host_print(seen->sut, address);
    len = (size_t)snprintf(
        out, TL_HOSTS_SEEN_TEXT,
        "no packet is from or to %s, which --sut names; the capture has packets of ", address);
    for (size_t i = 0; i < seen->count && len < TL_HOSTS_SEEN_TEXT; i++) {
        tl_host_print(seen->list[i], address);
        len += (size_t)snprintf(out + len, TL_HOSTS_SEEN_TEXT - len, "%s%s",
                                i == 0                              ? ""
                                : i + 1 < seen->count || seen->more ? ", "
                                                                    : " and ",
                                address);
    }
    if (seen->more && len < TL_HOSTS_SEEN_TEXT)
        (void)snprintf(out + len, TL_HOSTS_SEEN_TEXT - len, " and others");
    return true;
}

void tl_hosts_seen_check(struct tl_hosts_seen *seen, const struct tl_check *check)
{
    for (size_t i = 0; i < check->num_conns; i++)
        for (int side = 0; side < 2; side++)
            tl_hosts_seen_add(seen, check->conns[i].host[side]);
}
