/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/check/check_progress.h"

#include "oracles/params.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * FAL_S + (uint64_t)ts.tv_nsec;
}

void tl_check_progress_begin(struct tl_check_progress *progress)
{
    *progress =
        (struct tl_check_progress){.on = isatty(STDERR_FILENO) == 1, .begun_ns = now_ns()};
}

void tl_check_progress_line(uint64_t frames, uint64_t done, uint64_t size, uint64_t spent_ns,
                            char out[TL_CHECK_PROGRESS_LINE])
{
    double spent = (double)spent_ns / 1e9, share;

    if (size == 0 || done == 0 || done > size) {
        (void)snprintf(out, TL_CHECK_PROGRESS_LINE, "%" PRIu64 " frames, %.2f million a second",
                       frames, (double)frames / spent / 1e6);
        return;
    }
    share = (double)done / (double)size;
    (void)snprintf(
        out, TL_CHECK_PROGRESS_LINE,
        "%.0f %% of the file, %" PRIu64 " frames, %.2f million a second, %.0f s left",
        share * 100, frames, (double)frames / spent / 1e6, spent / share * (1 - share));
}

void tl_check_progress_show(void *ctx, uint64_t frames, uint64_t done, uint64_t size)
{
    struct tl_check_progress *progress = ctx;
    char line[TL_CHECK_PROGRESS_LINE];
    uint64_t now;

    if (!progress->on)
        return;
    now = now_ns();
    if (now - progress->begun_ns < FAL_S || now - progress->shown_ns < FAL_S / 5)
        return;
    tl_check_progress_line(frames, done, size, now - progress->begun_ns, line);
    fprintf(stderr, "\r\033[K%s", line);
    (void)fflush(stderr);
    progress->shown = true;
    progress->shown_ns = now;
}

void tl_check_progress_end(void *ctx)
{
    struct tl_check_progress *progress = ctx;

    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
