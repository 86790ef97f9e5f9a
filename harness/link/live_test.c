/* SPDX-License-Identifier: Apache-2.0
 * live_test.c - what has arrived and is not yet due is not lost: a port that has frames
 * whenever it is asked, as a capture has under load. */
#include "harness/link/live.h"

#include "tests/testing.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FRAMES = 5 };

struct full_port {
    struct tl_live live; /* first */
    uint8_t next;        /* number of the next frame */
    int fd;
};

/* Each frame's only byte is its number; it arrives a second after the one before it. */
static int full_look(struct tl_live *live)
{
    struct full_port *port = (struct full_port *)live;

    if (port->next == FRAMES)
        return 0;
    live->frame.bytes[0] = port->next++;
    live->frame.len = 1;
    live->frame.at_ns = (uint64_t)port->next * FAL_S;
    live->frame.there = true;
    return 0;
}

static uint32_t full_drops(struct tl_live *live)
{
    (void)live;
    return 0;
}

static void full_close(struct tl_live *live)
{
    (void)close(((struct full_port *)live)->fd);
}

static const struct tl_port_ops full_ops = {
    .look = full_look,
    .drops = full_drops,
    .close = full_close,
};

static struct tl_link *open_full(void)
{
    struct full_port *port = calloc(1, sizeof *port);
    struct fal_error err;

    ck_assert_ptr_nonnull(port);
    port->fd = eventfd(0, EFD_CLOEXEC);
    tl_live_init(&port->live, &full_ops, "full");
    ck_assert_int_eq(tl_live_open(&port->live, port->fd, NULL, &err), 0);
    return &port->live.link;
}

START_TEST(a_frame_after_the_deadline_waits)
{
    struct tl_link *link = open_full();
    struct tl_link_got got;

    for (unsigned i = 0; i < FRAMES; i++) {
        uint64_t due = (i + 1) * FAL_S;

        /* Deadlines in the past, before the frame that is there: as often as one likes. */
        for (int again = 0; again < 3; again++)
            ck_assert_int_eq(link->ops->wait(link, 0, &got), TL_LINK_TIMEOUT);
        ck_assert_int_eq(link->ops->wait(link, due, &got), TL_LINK_FRAME);
        ck_assert_uint_eq(got.at_ns, due);
        ck_assert_uint_eq(got.len, 1);
        ck_assert_uint_eq(got.bytes[0], i);
    }
    ck_assert_int_eq(link->ops->wait(link, 0, &got), TL_LINK_TIMEOUT);
    link->ops->free(link);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("links in real time");
    TCase *tc = tcase_create("live");

    tcase_add_test(tc, a_frame_after_the_deadline_waits);
    suite_add_tcase(suite, tc);
    return suite;
}
