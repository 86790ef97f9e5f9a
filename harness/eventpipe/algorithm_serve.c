/* SPDX-License-Identifier: Apache-2.0
 * algorithm_serve.c - the process in which a user's algorithm runs. */
#include "harness/eventpipe/algorithm_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { GUARD = 0xa5, GUARD_BYTES = 64 };

static const struct talon_event_algorithm *load(const char *path, char why[TL_EP_WHY])
{
    const struct talon_event_algorithm *(*get)(void) = NULL, *api;
    char here[4096 + 2];
    void *handle;

    /* A name without a slash would be searched in the system's library folders. */
    (void)snprintf(here, sizeof here, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        (void)snprintf(why, TL_EP_WHY, "cannot load it: %s",
                       dlerror()); /* NOLINT(concurrency-mt-unsafe) */
        return NULL;
    }
    *(void **)&get = dlsym(handle, "talon_event_algorithm_v1");
    if (get == NULL) {
        (void)snprintf(why, TL_EP_WHY,
                       "it exports no talon_event_algorithm_v1; expected a library that "
                       "implements talon_event_algorithm.h");
        return NULL;
    }
    api = get();
    if (api == NULL || api->version != TALON_EVENT_ALGORITHM_VERSION)
        (void)snprintf(why, TL_EP_WHY,
                       "it has version %d of talon_event_algorithm.h; expected %d; compile it "
                       "with the header of this Talon",
                       api != NULL ? api->version : 0, TALON_EVENT_ALGORITHM_VERSION);
    else if (api->event == NULL || api->context_bytes > TALON_EVENT_CONTEXT_MAX)
        (void)snprintf(why, TL_EP_WHY,
                       "expected a function event(), and a context of at most %d bytes; it "
                       "wants %u",
                       TALON_EVENT_CONTEXT_MAX, api->context_bytes);
    else
        return api;
    return NULL;
}

static bool read_all(int channel, void *into, size_t len)
{
    char *at = into;

    while (len > 0) {
        ssize_t n = read(channel, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static bool write_all(int channel, const void *from, size_t len)
{
    const char *at = from;

    while (len > 0) {
        ssize_t n = write(channel, at, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static void answer(const struct talon_event_algorithm *api, const struct tl_ep_ask *ask,
                   struct tl_ep_reply *reply)
{
    /* Behind the context lies a pattern, aligned for any type in the context. */
    _Alignas(16) uint8_t room[TALON_EVENT_CONTEXT_MAX + GUARD_BYTES];

    memset(reply, 0, sizeof *reply);
    memset(room, GUARD, sizeof room);
    memcpy(room, ask->context, api->context_bytes);
    api->event(room, ask->first, &ask->event, &reply->answer);
    for (size_t i = api->context_bytes; i < sizeof room; i++)
        reply->beyond |= room[i] != GUARD;
    memcpy(reply->context, room, api->context_bytes);
}

int tl_ep_serve(const char *path, int channel)
{
    struct tl_ep_hello hello = {.context_bytes = 0};
    const struct talon_event_algorithm *api = load(path, hello.why);
    struct tl_ep_ask ask;
    struct tl_ep_reply reply;

    if (api != NULL)
        hello.context_bytes = api->context_bytes;
    if (!write_all(channel, &hello, sizeof hello) || api == NULL)
        return 0;
    while (read_all(channel, &ask, sizeof ask)) {
        answer(api, &ask, &reply);
        if (!write_all(channel, &reply, sizeof reply))
            break;
    }
    return 0;
}
