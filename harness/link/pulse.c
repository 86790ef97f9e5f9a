/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/link/pulse.h"

#include "harness/link/echo.h"

#include <pthread.h>
#include <stdlib.h>

enum { WAIT_MS = 500 };

struct tl_pulse {
    pthread_mutex_t lock; /* Cases that are played at the same time share it. */
    struct tl_link *link;
    uint32_t run, number; /* number: of the last probe */
    bool under_way;
    uint64_t sent_ns;
    uint64_t trials, lost; /* since they were last taken */
    uint64_t missing;      /* probes since the last answer: lost, if another answer comes */
};

struct tl_pulse *tl_pulse_new(struct tl_link *link, uint32_t run)
{
    struct tl_pulse *pulse = calloc(1, sizeof *pulse);

    if (pulse == NULL)
        return NULL;
    pulse->link = link;
    pulse->run = run;
    if (pthread_mutex_init(&pulse->lock, NULL) != 0) {
        free(pulse);
        return NULL;
    }
    return pulse;
}

void tl_pulse_free(struct tl_pulse *pulse)
{
    if (pulse == NULL)
        return;
    pulse->link->ops->free(pulse->link);
    (void)pthread_mutex_destroy(&pulse->lock);
    free(pulse);
}

static void answered(struct tl_pulse *pulse, const struct tl_link_got *got)
{
    struct tl_probe probe;

    if (!pulse->under_way || !tl_probe_read(got->bytes, got->len, &probe) ||
        probe.run != pulse->run || probe.number != pulse->number)
        return;
    pulse->under_way = false;
    pulse->trials += pulse->missing + 1;
    pulse->lost += pulse->missing;
    pulse->missing = 0;
}

/* Takes all answers that are waiting, and gives up a probe that is out too long. */
static void hear(struct tl_pulse *pulse)
{
    struct tl_link *link = pulse->link;
    uint64_t now = link->ops->now_ns(link);
    struct tl_link_got got;
    enum tl_link_event event;

    while ((event = link->ops->wait(link, now, &got)) == TL_LINK_FRAME ||
           event == TL_LINK_OTHER || event == TL_LINK_LINE)
        if (event == TL_LINK_FRAME)
            answered(pulse, &got);
    if (link->ops->drops(link) > 0 || event != TL_LINK_TIMEOUT) {
        pulse->under_way = false;
    } else if (pulse->under_way && now - pulse->sent_ns > WAIT_MS * FAL_MS) {
        pulse->under_way = false;
        pulse->missing++;
    }
}

void tl_pulse_beat(struct tl_pulse *pulse)
{
    uint8_t bytes[TL_PROBE_LEN] = {0};
    struct tl_probe probe = {.run = pulse->run};
    struct fal_error err;

    (void)pthread_mutex_lock(&pulse->lock);
    hear(pulse);
    if (!pulse->under_way) {
        probe.number = ++pulse->number;
        tl_probe_write(&probe, bytes);
        pulse->under_way = pulse->link->ops->send(pulse->link, bytes, sizeof bytes,
                                                  &pulse->sent_ns, &err) == 0;
    }
    (void)pthread_mutex_unlock(&pulse->lock);
}

void tl_pulse_take(struct tl_pulse *pulse, uint64_t *trials, uint64_t *lost)
{
    (void)pthread_mutex_lock(&pulse->lock);
    hear(pulse);
    *trials = pulse->trials;
    *lost = pulse->lost;
    pulse->trials = pulse->lost = 0;
    (void)pthread_mutex_unlock(&pulse->lock);
}
