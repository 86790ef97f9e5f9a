/* SPDX-License-Identifier: Apache-2.0
 * stops_lib.c - the example of docs/examples as a library that stops as the environment
 * variable STOPS says: "HOW@WHEN". HOW: signal, exit, hang. WHEN: a number (while it processes
 * that frame, from 1), malformed (the first frame of another version), time (a timer, after a
 * frame), a verb (that command), create, destroy. For tests/live/run_stops.sh. */
#include "harness/sut/talon_sut.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The example's talon_sut_api_v1, renamed when it is compiled. */
const struct talon_sut_api *lite_api_v1(void);

static unsigned frames;

static void stop(const char *how)
{
    fprintf(stderr, "the example stops now: %.24s\n", how);
    if (strncmp(how, "signal", 6) == 0)
        (void)raise(SIGSEGV);
    if (strncmp(how, "exit", 4) == 0)
        _exit(3);
    for (;;)
        (void)pause();
}

static void stop_at(const char *when)
{
    const char *how = getenv("STOPS"), *at; /* NOLINT(concurrency-mt-unsafe) */

    at = how != NULL ? strchr(how, '@') : NULL;
    if (at != NULL && strcmp(at + 1, when) == 0)
        stop(how);
}

static void *create(uint64_t seed)
{
    frames = 0;
    stop_at("create");
    return lite_api_v1()->create(seed);
}

static void destroy(void *sut)
{
    stop_at("destroy");
    lite_api_v1()->destroy(sut);
}

static void frame(void *sut, const uint8_t *bytes, size_t len, struct talon_sut_ip ip,
                  uint64_t now_ns)
{
    char number[16];

    (void)snprintf(number, sizeof number, "%u", ++frames);
    stop_at(number);
    if (len > 0 && bytes[0] >> 4 != 1)
        stop_at("malformed");
    lite_api_v1()->frame(sut, bytes, len, ip, now_ns);
}

static void line(void *sut, const char *text, size_t len, uint64_t now_ns)
{
    static const char *const verbs[] = {"hello", "reset", "open", "barrier"};
    char verb[24];

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        (void)snprintf(verb, sizeof verb, "\"%s\"", verbs[i]);
        if (memmem(text, len, verb, strlen(verb)) != NULL)
            stop_at(verbs[i]);
    }
    lite_api_v1()->line(sut, text, len, now_ns);
}

static void tick(void *sut, uint64_t now_ns)
{
    if (frames > 0)
        stop_at("time");
    lite_api_v1()->tick(sut, now_ns);
}

const struct talon_sut_api *talon_sut_api_v1(void)
{
    static struct talon_sut_api api;

    api = *lite_api_v1();
    api.create = create;
    api.destroy = destroy;
    api.frame = frame;
    api.line = line;
    api.tick = tick;
    return &api;
}
