/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/debug/prompt.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Takes the next line of what was read. */
static bool take(struct tl_prompt *prompt, enum tl_prompt_got *got)
{
    char *begin = prompt->bytes + prompt->begin;
    size_t left = prompt->len - prompt->begin, n;
    char *end = memchr(begin, '\n', left);

    if (end == NULL && !(prompt->ended && left > 0))
        return false;
    n = end != NULL ? (size_t)(end - begin) : left;
    prompt->begin += end != NULL ? n + 1 : n;
    *got = prompt->skips ? TL_PROMPT_LONG : TL_PROMPT_LINE;
    prompt->skips = false;
    memcpy(prompt->line, begin, n < TL_PROMPT_MAX ? n : TL_PROMPT_MAX - 1);
    prompt->line[n < TL_PROMPT_MAX ? n : TL_PROMPT_MAX - 1] = 0;
    return true;
}

/* Reads what is there, behind what is left. A line that does not fit is skipped to its end. */
static void fill(struct tl_prompt *prompt)
{
    ssize_t n;

    prompt->len -= prompt->begin;
    memmove(prompt->bytes, prompt->bytes + prompt->begin, prompt->len);
    prompt->begin = 0;
    if (prompt->len == sizeof prompt->bytes) {
        prompt->skips = true;
        prompt->len = 0;
    }
    n = read(prompt->in, prompt->bytes + prompt->len, sizeof prompt->bytes - prompt->len);
    if (n > 0)
        prompt->len += (size_t)n;
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        prompt->ended = true;
}

static bool was_interrupted(const struct tl_prompt *prompt)
{
    struct signalfd_siginfo info;

    return prompt->signals >= 0 && read(prompt->signals, &info, sizeof info) == sizeof info;
}

enum tl_prompt_got tl_prompt_read(struct tl_prompt *prompt, bool waits)
{
    enum tl_prompt_got got;

    for (;;) {
        struct pollfd fds[2] = {{.fd = prompt->in, .events = POLLIN},
                                {.fd = prompt->signals, .events = POLLIN}};

        if (was_interrupted(prompt))
            return TL_PROMPT_INTERRUPTED;
        if (take(prompt, &got))
            return got;
        if (prompt->ended)
            return TL_PROMPT_END;
        if (poll(fds, 2, waits ? -1 : 0) < 0 && errno != EINTR)
            prompt->ended = true;
        else if (fds[0].revents != 0)
            fill(prompt);
        else if (!waits)
            return was_interrupted(prompt) ? TL_PROMPT_INTERRUPTED : TL_PROMPT_NONE;
    }
}
