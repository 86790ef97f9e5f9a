/* SPDX-License-Identifier: Apache-2.0
 * hosts_seen.h - the hosts of a capture, for the hint where --sut names another one. */
#ifndef TL_HARNESS_CHECK_HOSTS_SEEN_H
#define TL_HARNESS_CHECK_HOSTS_SEEN_H

#include "harness/check/check.h"

enum { TL_HOSTS_SEEN_MAX = 8, TL_HOSTS_SEEN_TEXT = 640 };

struct tl_hosts_seen {
    struct tl_host sut; /* the host that --sut names: set by the caller */
    bool sut_is_there;
    struct tl_host list[TL_HOSTS_SEEN_MAX];
    size_t count;
    bool more; /* there are others, for which there was no room */
};

/* Adds a host unless it is there, or is no address (bare Falcon, a side that was never seen).
 */
void tl_hosts_seen_add(struct tl_hosts_seen *seen, struct tl_host host);

/* A sentence for people if the capture has hosts and the SUT is none of them: it names the
 * hosts. False: there is nothing to say, and `out` is not written. */
bool tl_hosts_seen_hint(const struct tl_hosts_seen *seen, char out[TL_HOSTS_SEEN_TEXT]);

/* The hosts of the connections of a capture that has been judged. */
void tl_hosts_seen_check(struct tl_hosts_seen *seen, const struct tl_check *check);

#endif
