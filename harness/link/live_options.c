/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/live_options.h"

#include <stdio.h>
#include <string.h>

static bool same_host(const struct tl_address *a, const struct tl_address *b)
{
    if (tl_address_family(a) != tl_address_family(b))
        return false;
    return tl_address_family(a) == AF_INET6
               ? memcmp(&a->u.v6.sin6_addr, &b->u.v6.sin6_addr, sizeof a->u.v6.sin6_addr) == 0
               : a->u.v4.sin_addr.s_addr == b->u.v4.sin_addr.s_addr;
}

/* The address of a single host: not the wildcard address, not multicast, not broadcast. */
static bool of_one(const struct tl_address *address)
{
    const struct in6_addr *v6 = &address->u.v6.sin6_addr;
    uint32_t v4;

    if (tl_address_family(address) == AF_INET6)
        return !IN6_IS_ADDR_UNSPECIFIED(v6) && !IN6_IS_ADDR_MULTICAST(v6);
    v4 = ntohl(address->u.v4.sin_addr.s_addr);
    return v4 >> 24 != 0 && v4 >> 28 < 0xe;
}

bool tl_address_allowed(const struct tl_address *address, const struct tl_allowed *allowed)
{
    if (tl_address_private(address))
        return true;
    for (size_t i = 0; allowed != NULL && i < allowed->count; i++)
        if (same_host(address, &allowed->hosts[i]))
            return true;
    return false;
}

int tl_allowed_add(struct tl_allowed *allowed, const char *host, struct fal_error *err)
{
    bool v6 = strchr(host, ':') != NULL;
    char text[TL_HOST_TEXT];
    struct tl_address address;

    if (allowed->count == TL_ALLOWED_MAX)
        return fal_fail(err, FAL_ERR_FORM, "more than %d allowed addresses", TL_ALLOWED_MAX);
    (void)snprintf(text, sizeof text, v6 ? "[%.200s]:0" : "%.200s:0", host);
    if (tl_address_parse(text, &address, err) != 0)
        return fal_fail(err, FAL_ERR_FORM, "'%.100s' is not a numeric IPv4 or IPv6 address",
                        host);
    if (!of_one(&address))
        return fal_fail(err, FAL_ERR_FORM, "'%.100s' is not the address of a single host",
                        host);
    allowed->hosts[allowed->count++] = address;
    return 0;
}
