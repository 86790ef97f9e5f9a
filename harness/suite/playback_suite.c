/* SPDX-License-Identifier: Apache-2.0
 * playback_suite.c - the connections of a recording as cases of a suite. */
#include "harness/play/playback.h"
#include "harness/suite/suite.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 400 };

static const char *text(struct fal_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *text(struct fal_arena *arena, const char *format, ...)
{
    char words[TEXT_MAX];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return fal_arena_strdup(arena, words);
}

static const char *title_of(struct fal_arena *arena, const struct tl_recorded_conn *conn)
{
    char host[2][TL_CHECK_ADDRESS_MAX];

    tl_host_print(conn->host[0], host[0]);
    tl_host_print(conn->host[1], host[1]);
    return text(arena, "%" PRIu64 " recorded packets, %s to %s, CID %" PRIu32,
                conn->frames[FAL_TO_SUT], host[0], host[1], conn->setup.sut.cid);
}

static struct tl_scenario *scenario_of(const struct tl_recording *recording, size_t index,
                                       bool fast)
{
    struct tl_scenario *s = calloc(1, sizeof *s);
    struct tl_playback *playback = NULL;

    if (s == NULL)
        return NULL;
    playback = fal_arena_alloc(&s->arena, 1, sizeof *playback);
    s->path = text(&s->arena, "%s", recording->config.path);
    s->id = s->file_id = text(&s->arena, "replay-%" PRIu32, recording->conns[index].number);
    s->title = title_of(&s->arena, &recording->conns[index]);
    s->purpose = "The SUT conforms when a recorded conversation is played to it again.";
    if (playback == NULL || s->path == NULL || s->id == NULL || s->title == NULL) {
        tl_scenario_free(s);
        return NULL;
    }
    *playback = (struct tl_playback){recording, index, fast};
    s->playback = playback;
    s->version = 1;
    return s;
}

int tl_playback_suite(const struct tl_recording *recording, bool fast, struct tl_suite *suite)
{
    *suite = (struct tl_suite){.files = 1};
    suite->list = calloc(recording->num_conns + 1, sizeof(void *));
    if (suite->list == NULL)
        return FAL_ERR_MEM;
    suite->cap = recording->num_conns + 1;
    for (size_t i = 0; i < recording->num_conns; i++) {
        struct tl_scenario *scenario = scenario_of(recording, i, fast);

        if (scenario == NULL)
            return FAL_ERR_MEM;
        suite->list[suite->count++] = scenario;
        suite->checked++;
    }
    return 0;
}
