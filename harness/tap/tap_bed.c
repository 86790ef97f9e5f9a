/* SPDX-License-Identifier: Apache-2.0
 * tap_bed.c - see tap_bed.h. The capture is the packet socket's: it has the kernel's order and
 * times, so that neither a late scheduler nor a stopped process changes what the host saw. */
#include "harness/tap/tap_bed.h"

#include "harness/capture/capture.h"
#include "harness/tap/tap_end.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { ENDS = 2, ETHERNET = 14, LINKTYPE_ETHERNET = 1, IPV4_MIN = 20, IPV6_MIN = 40 };
enum { FRAMES_A_TURN = 256 }; /* of one end, before the other ones have their turn */

#define NS_IN_S UINT64_C(1000000000)

struct running {
    const struct tl_tap_bed *bed;
    struct tl_tap_end ends[ENDS];
    struct fal_simnet *net;
    struct tl_capture_writer *capture;
    int signals;
    sigset_t before;
    bool masked;
    uint64_t start_ns, captured_ns;
    uint8_t bytes[TL_TAP_FRAME];
};

/* ---- ECN ---- */

/* The kind of IP that the frame has: 4, 6, or 0. */
static unsigned ip_version(const uint8_t *frame, size_t len)
{
    if (len >= ETHERNET + IPV4_MIN && frame[12] == 0x08 && frame[13] == 0x00)
        return 4;
    return len >= ETHERNET + IPV6_MIN && frame[12] == 0x86 && frame[13] == 0xdd ? 6 : 0;
}

uint8_t tl_tap_ecn(const uint8_t *frame, size_t len)
{
    switch (ip_version(frame, len)) {
    case 4: return frame[ETHERNET + 1] & 3;
    case 6: return frame[ETHERNET + 1] >> 4 & 3;
    default: return FAL_ECN_NOT_ECT;
    }
}

void tl_tap_mark(uint8_t *frame, size_t len)
{
    uint8_t *ip = frame + ETHERNET;
    const unsigned version = ip_version(frame, len);
    uint32_t sum;

    if (version == 6)
        ip[1] |= FAL_ECN_CE << 4;
    if (version != 4)
        return;
    /* RFC 1624: HC' = ~(~HC + ~m + m') */
    sum = (uint32_t)(~(ip[10] << 8 | ip[11]) & 0xffff) +
          (uint32_t)(~(ip[0] << 8 | ip[1]) & 0xffff);
    ip[1] |= FAL_ECN_CE;
    sum += (uint32_t)(ip[0] << 8 | ip[1]);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    ip[10] = (uint8_t)(~sum >> 8);
    ip[11] = (uint8_t)~sum;
}

/* ---- the loop ---- */

static uint64_t now_ns(const struct running *r)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_IN_S + (uint64_t)t.tv_nsec - r->start_ns;
}

static int gone(const struct running *r, unsigned end, int code, struct fal_error *err)
{
    return fal_fail(err, FAL_ERR_IO, "%s: %s", r->bed->address[end],
                    strerror(code)); /* NOLINT(concurrency-mt-unsafe) */
}

/* Frames of one end enter the network. */
static int take(struct running *r, unsigned end, struct fal_error *err)
{
    for (unsigned i = 0; i < FRAMES_A_TURN; i++) {
        const ssize_t n = tl_tap_read(&r->ends[end], r->bytes);
        struct fal_simnet_frame frame = {
            .dir = end == 0 ? FAL_TO_SUT : FAL_FROM_SUT, .at_ns = now_ns(r), .bytes = r->bytes};

        if (n < 0)
            return gone(r, end, errno, err);
        if (n == 0)
            return 0;
        frame.len = (size_t)n;
        frame.ecn = tl_tap_ecn(r->bytes, frame.len);
        if (fal_simnet_put(r->net, &frame) != 0)
            return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    return 0;
}

/* Frames that are due leave the network. */
static int deliver(struct running *r, struct fal_error *err)
{
    struct fal_simnet_frame frame;

    while (fal_simnet_take(r->net, now_ns(r), &frame)) {
        const unsigned end = frame.dir == FAL_TO_SUT ? 1 : 0;
        int code;

        memcpy(r->bytes, frame.bytes, frame.len);
        if (frame.ecn == FAL_ECN_CE)
            tl_tap_mark(r->bytes, frame.len);
        code = tl_tap_write(&r->ends[end], r->bytes, frame.len);
        if (code != 0)
            return gone(r, end, code, err);
    }
    return 0;
}

/* Writes what the packet socket saw. Two processors may stamp frames in another order than that
 * in which the socket got them: the order counts. */
static int record(struct running *r, struct fal_error *err)
{
    const struct tl_tap_end *end = &r->ends[r->bed->at];
    uint64_t at_ns;
    ssize_t n;
    int rc = 0;

    if (r->capture == NULL)
        return 0;
    while (rc == 0 && (n = tl_tap_watched(end, r->bytes, &at_ns)) != 0) {
        if (n < 0)
            return gone(r, r->bed->at, errno, err);
        if (at_ns > r->captured_ns)
            r->captured_ns = at_ns;
        rc = tl_capture_write(r->capture, r->captured_ns, r->bytes, (uint32_t)n, (uint32_t)n,
                              err);
    }
    return rc;
}

/* Waits until a frame comes, or one is due. Returns 1: it is over. */
static int wait_for(const struct running *r, struct fal_error *err)
{
    struct pollfd polled[] = {{r->signals, POLLIN, 0},
                              {r->ends[0].tap, POLLIN, 0},
                              {r->ends[1].tap, POLLIN, 0},
                              {r->ends[r->bed->at].watch, POLLIN, 0}};
    const uint64_t now = now_ns(r), due = fal_simnet_deadline(r->net),
                   end = r->bed->time_ns > 0 ? r->bed->time_ns : FAL_NEVER,
                   next = due < end ? due : end;
    struct timespec wait;

    if (now >= end)
        return 1;
    wait.tv_sec = (time_t)((next > now ? next - now : 0) / NS_IN_S);
    wait.tv_nsec = (long)((next > now ? next - now : 0) % NS_IN_S);
    if (ppoll(polled, sizeof polled / sizeof *polled, next != FAL_NEVER ? &wait : NULL, NULL) <
            0 &&
        errno != EINTR)
        return fal_fail(err, FAL_ERR_IO, "poll: %s",
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    return polled[0].revents != 0;
}

static int loop(struct running *r, struct fal_error *err)
{
    int rc = 0;

    while (rc == 0) {
        rc = deliver(r, err);
        for (unsigned end = 0; end < ENDS && rc == 0; end++)
            rc = take(r, end, err);
        if (rc == 0)
            rc = record(r, err);
        if (rc == 0)
            rc = wait_for(r, err);
    }
    return rc == 1 ? record(r, err) : rc;
}

/* ---- beginning and end ---- */

static int make_network(struct running *r, struct fal_error *err)
{
    r->net = fal_simnet_new(r->bed->impair, r->bed->seed);
    if (r->net == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    for (size_t i = 0; i < r->bed->num_rules; i++)
        if (fal_simnet_add_rule(r->net, &r->bed->rules[i]) != 0)
            return fal_fail(err, FAL_ERR_RANGE, "too many rules of --network");
    return 0;
}

static int begin(struct running *r, struct fal_error *err)
{
    const struct tl_tap_bed *bed = r->bed;
    sigset_t stops;
    int rc = make_network(r, err);

    (void)sigemptyset(&stops);
    (void)sigaddset(&stops, SIGINT);
    (void)sigaddset(&stops, SIGTERM);
    if (rc == 0 && sigprocmask(SIG_BLOCK, &stops, &r->before) == 0) /* no thread runs */
        r->masked = true;
    if (rc == 0) {
        r->signals = signalfd(-1, &stops, SFD_NONBLOCK | SFD_CLOEXEC);
        if (r->signals < 0)
            rc = fal_fail(err, FAL_ERR_IO, "signalfd: %s",
                          strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    }
    if (rc == 0 && bed->capture != NULL) {
        r->capture = tl_capture_create(bed->capture, LINKTYPE_ETHERNET, err);
        rc = r->capture != NULL ? 0 : FAL_ERR_IO;
    }
    for (unsigned end = 0; end < ENDS && rc == 0; end++)
        rc = tl_tap_open(&r->ends[end], bed->address[end],
                         bed->capture != NULL && bed->at == end, err);
    return rc;
}

static int end_of(struct running *r, int rc, struct fal_error *err)
{
    struct fal_error again;
    const uint32_t missed = tl_tap_missed(&r->ends[r->bed->at]);

    if (tl_capture_finish(r->capture, &again) != 0 && rc == 0) {
        *err = again;
        rc = FAL_ERR_IO;
    }
    if (rc == 0 && missed > 0)
        rc = fal_fail(err, FAL_ERR_IO,
                      "%s lacks %" PRIu32
                      " frames, for which the kernel had no room; run it on a less busy host",
                      r->bed->capture, missed);
    tl_tap_close(&r->ends[0]);
    tl_tap_close(&r->ends[1]);
    fal_simnet_free(r->net);
    return rc;
}

/* Takes a signal that came, so that it does not end the process once it is allowed again. */
static void signals_back(const struct running *r)
{
    struct signalfd_siginfo got;

    if (r->signals >= 0) {
        while (read(r->signals, &got, sizeof got) > 0)
            ;
        (void)close(r->signals);
    }
    if (r->masked)
        (void)sigprocmask(SIG_SETMASK, &r->before, NULL);
}

int tl_tap_bed_run(const struct tl_tap_bed *bed, struct fal_simnet_counts *counts,
                   struct fal_error *err)
{
    struct running *r = calloc(1, sizeof *r);
    int rc;

    if (r == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    r->bed = bed;
    r->signals = -1;
    r->ends[0] = r->ends[1] = (struct tl_tap_end){-1, -1};
    rc = begin(r, err);
    if (rc == 0) {
        r->start_ns = now_ns(r);
        bed->ready(bed->ctx);
        rc = loop(r, err);
        *counts = fal_simnet_counts(r->net);
    }
    rc = end_of(r, rc, err);
    signals_back(r);
    free(r);
    return rc;
}
