/* SPDX-License-Identifier: Apache-2.0
 * hostile_sut.c - a SUT that misbehaves at a chosen command, to test the runner:
 *
 *   hostile_sut --listen udp:ADDR:PORT --control tcp:ADDR:PORT --mode MODE[=N] [--port-file
 * FILE]
 *
 * It answers as the built-in SUT does up to the N-th command of a control connection (default
 * 3), and from there on, by mode:
 *
 *   hang            says nothing more
 *   die-after       ends without a word
 *   close           closes the control connection, and every later one
 *   garbage-line    answers with what is no JSON
 *   wrong-id        answers a command that nobody gave
 *   half-line       begins an answer and does not end it
 *   long-line       answers with a line that has no end
 *   flood           sends events without end, answers among them
 *   flood-frames    sends its last request or data packet without end
 *   garbage-frames  (from the beginning) sends noise in place of its frames, and more of it
 *   none            behaves
 *
 * It ends by a signal. */
#include "codecs/header/falcon.h"
#include "harness/link/sockets.h"
#include "harness/sut/sut.h"
#include "harness/wire/control_io.h"
#include "oracles/rng.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOISE_MAX = 300, FLOOD_A_TURN = 200, FRAME_MAX = 4096, LONG_LINE_PIECES = 1000 };

enum mode {
    NONE,
    HANG,
    DIE_AFTER,
    CLOSE,
    GARBAGE_LINE,
    WRONG_ID,
    HALF_LINE,
    LONG_LINE,
    FLOOD,
    FLOOD_FRAMES,
    GARBAGE_FRAMES,
};

static const char *const mode_names[] = {
    "none",      "hang",      "die-after", "close",        "garbage-line",   "wrong-id",
    "half-line", "long-line", "flood",     "flood-frames", "garbage-frames",
};

struct hostile {
    enum mode mode;
    unsigned long after; /* commands that are answered well */
    int frames, listener, control;
    unsigned long commands;
    bool begun; /* half a line was said */
    struct tl_address last_peer;
    size_t last_len; /* of the last request or data packet */
    uint8_t last[FRAME_MAX];
    uint64_t start_ns, seq;
    struct fal_rng rng;
    struct tl_sut *sut;
    struct tl_line_reader reader;
};

static uint64_t now_of(const struct hostile *h)
{
    return tl_monotonic_ns() - h->start_ns;
}

/* Waits for a slow reader as long as the connection is open. */
static void say(const struct hostile *h, const char *bytes, size_t len)
{
    struct pollfd out = {.fd = h->control, .events = POLLOUT};

    while (len > 0 && h->control >= 0) {
        ssize_t n = send(h->control, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        } else if ((errno != EAGAIN && errno != EINTR) || poll(&out, 1, -1) < 0 ||
                   (out.revents & (POLLERR | POLLHUP)) != 0) {
            return; /* reading will find the end */
        }
    }
}

static void say_line(const struct hostile *h, const char *line, size_t len)
{
    say(h, line, len);
    say(h, "\n", 1);
}

static void send_noise(struct hostile *h, const struct tl_address *peer, size_t like)
{
    uint8_t noise[NOISE_MAX];
    size_t len = like != 0 ? like : fal_rng_below(&h->rng, sizeof noise);

    len = len < sizeof noise ? len : sizeof noise;
    for (size_t i = 0; i < len; i++)
        noise[i] = (uint8_t)fal_rng_next(&h->rng);
    (void)sendto(h->frames, noise, len, MSG_NOSIGNAL, &peer->u.sa, tl_address_len(peer));
}

/* An acknowledgement may come any number of times; to repeat another packet is a violation. */
static void keep_last(struct hostile *h, const uint8_t *frame, size_t len)
{
    struct fal_falcon falcon;

    if (fal_falcon_decode(frame, len, &falcon) < 0 || falcon.packet_type >= FAL_NACK)
        return;
    h->last_len = len < sizeof h->last ? len : sizeof h->last;
    memcpy(h->last, frame, h->last_len);
}

static bool turned(const struct hostile *h)
{
    return h->commands > h->after && h->mode != NONE && h->mode != GARBAGE_FRAMES;
}

/* One answer or event of the good SUT, as this one gives it. */
static void twist_line(struct hostile *h, const char *line, size_t len)
{
    switch (turned(h) ? h->mode : NONE) {
    case NONE:
    case FLOOD_FRAMES:
    case GARBAGE_FRAMES: say_line(h, line, len); break;
    case HANG:
    case DIE_AFTER:
    case CLOSE: break;
    case GARBAGE_LINE:
        say_line(h,
                 "\x7f"
                 "ELF\x02 segmentation fault {]",
                 28);
        break;
    case WRONG_ID: say_line(h, "{\"id\":987654321,\"epoch\":1,\"ok\":true}", 36); break;
    case HALF_LINE:
        if (!h->begun)
            say(h, line, len / 2);
        h->begun = true;
        break;
    case LONG_LINE:
        for (unsigned i = 0; i < LONG_LINE_PIECES; i++)
            say(h, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 69);
        break;
    case FLOOD: /* answers go on; events would fall behind the flood's sequence */
        if (strstr(line, "\"event\":") == NULL)
            say_line(h, line, len);
        break;
    }
}

static void collect(struct hostile *h)
{
    struct tl_sut_out out;

    while (h->sut != NULL && tl_sut_next(h->sut, &out)) {
        const struct tl_address *peer;

        if (out.kind == TL_SUT_LINE) {
            twist_line(h, (const char *)out.bytes, out.len);
            continue;
        }
        peer = tl_sut_peer(h->sut, out.conn);
        if (peer == NULL)
            continue;
        if (h->mode != GARBAGE_FRAMES) {
            h->last_peer = *peer;
            keep_last(h, out.bytes, out.len);
            (void)sendto(h->frames, out.bytes, out.len, MSG_NOSIGNAL, &peer->u.sa,
                         tl_address_len(peer));
            continue;
        }
        send_noise(h, peer, out.len);
        send_noise(h, peer, 0);
    }
}

static void hang_up(struct hostile *h)
{
    (void)close(h->control);
    h->control = -1;
    tl_sut_free(h->sut);
    h->sut = NULL;
}

static void take_call(struct hostile *h)
{
    const struct tl_sut_config config = {.seed = 1, .live = true, .peer_family = AF_INET};

    h->control = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (h->control < 0)
        return;
    if (h->mode == CLOSE && turned(h)) {
        hang_up(h);
        return;
    }
    h->commands = h->seq = 0;
    tl_line_reader_clear(&h->reader);
    h->sut = tl_sut_new(&config);
    if (h->sut == NULL)
        hang_up(h);
}

static void take_commands(struct hostile *h)
{
    size_t room, len;
    char *space = tl_line_reader_space(&h->reader, &room), *line;
    ssize_t n = recv(h->control, space, room, MSG_DONTWAIT);

    if (n <= 0) {
        hang_up(h);
        return;
    }
    tl_line_reader_added(&h->reader, (size_t)n);
    while (h->sut != NULL && tl_line_reader_next(&h->reader, &line, &len) == TL_LINE_WHOLE) {
        h->commands++;
        if (turned(h) && h->mode == DIE_AFTER)
            exit(EXIT_SUCCESS);
        if (turned(h) && h->mode == CLOSE) {
            hang_up(h);
            return;
        }
        tl_sut_line(h->sut, line, len, now_of(h));
        collect(h);
    }
}

static void take_frames(struct hostile *h)
{
    uint8_t frame[65536];
    ssize_t n = recv(h->frames, frame, sizeof frame, MSG_DONTWAIT);

    if (n >= 0 && h->sut != NULL) {
        tl_sut_frame(h->sut, frame, (size_t)n, now_of(h));
        collect(h);
    }
}

static void flood(struct hostile *h)
{
    char line[200];

    for (unsigned i = 0; i < FLOOD_A_TURN && h->mode == FLOOD_FRAMES && h->last_len > 0; i++)
        (void)sendto(h->frames, h->last, h->last_len, MSG_NOSIGNAL | MSG_DONTWAIT,
                     &h->last_peer.u.sa, tl_address_len(&h->last_peer));
    if (h->mode == FLOOD_FRAMES)
        return;
    for (unsigned i = 0; i < FLOOD_A_TURN && h->control >= 0; i++) {
        int len = snprintf(line, sizeof line,
                           "{\"seq\":%llu,\"epoch\":1,\"event\":\"dropped\",\"count\":1}",
                           1000000ULL + ++h->seq);

        say_line(h, line, (size_t)len);
    }
}

static void serve(struct hostile *h)
{
    for (;;) {
        uint64_t deadline = h->sut != NULL ? tl_sut_deadline(h->sut) : FAL_NEVER,
                 now = now_of(h);
        bool flooding =
            (h->mode == FLOOD || h->mode == FLOOD_FRAMES) && h->sut != NULL && turned(h);
        struct pollfd fds[2] = {
            {.fd = h->frames, .events = POLLIN},
            {.fd = h->control >= 0 ? h->control : h->listener, .events = POLLIN}};
        uint64_t ms = deadline <= now ? 0 : (deadline - now) / FAL_MS + 1;

        (void)poll(fds, 2, flooding ? 0 : ms > 1000 ? 1000 : (int)ms);
        if (flooding)
            flood(h);
        if ((fds[0].revents & POLLIN) != 0)
            take_frames(h);
        if (fds[1].revents != 0 && h->control >= 0)
            take_commands(h);
        else if (fds[1].revents != 0)
            take_call(h);
        if (h->sut != NULL && tl_sut_deadline(h->sut) <= now_of(h)) {
            tl_sut_tick(h->sut, now_of(h));
            collect(h);
        }
    }
}

static int wrong(const char *what)
{
    fprintf(stderr, "hostile_sut: %s\n", what);
    return 2;
}

static bool read_mode(struct hostile *h, const char *text)
{
    size_t len = strcspn(text, "=:");

    if (text[len] != 0)
        h->after = strtoul(text + len + 1, NULL, 10);
    for (size_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++) {
        if (strlen(mode_names[i]) == len && strncmp(mode_names[i], text, len) == 0) {
            h->mode = (enum mode)i;
            return true;
        }
    }
    return false;
}

static int say_where(const struct hostile *h, const char *port_file)
{
    char frames[TL_ADDRESS_TEXT], control[TL_ADDRESS_TEXT], temporary[4096];
    struct tl_address at;
    FILE *file;

    if (tl_socket_address(h->frames, &at, NULL) != 0)
        return wrong("no address");
    tl_address_text(&at, frames);
    if (tl_socket_address(h->listener, &at, NULL) != 0)
        return wrong("no address");
    tl_address_text(&at, control);
    fprintf(stderr, "hostile_sut: %s, frames udp:%s, control tcp:%s\n", mode_names[h->mode],
            frames, control);
    if (port_file == NULL)
        return 0;
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", port_file);
    file = fopen(temporary, "w");
    if (file == NULL || fprintf(file, "udp:%s tcp:%s\n", frames, control) < 0 ||
        fclose(file) != 0 || rename(temporary, port_file) != 0)
        return wrong("cannot write the port file");
    return 0;
}

int main(int argc, char **argv)
{
    struct hostile h = {.after = 3, .control = -1, .start_ns = tl_monotonic_ns(), .rng = {1}};
    struct tl_address frames = {0};
    struct tl_stream control = {0};
    const char *port_file = NULL;
    struct fal_error err = {"--listen and --control are needed"};

    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];

        if (strcmp(argv[i], "--listen") == 0 && strncmp(value, "udp:", 4) == 0) {
            if (tl_resolve(value + 4, &frames, &err) != 0)
                return wrong(err.text);
        } else if (strcmp(argv[i], "--control") == 0) {
            if (tl_stream_read(value, &control, &err) != 0)
                return wrong(err.text);
        } else if (strcmp(argv[i], "--mode") == 0) {
            if (!read_mode(&h, value))
                return wrong("unknown mode");
        } else if (strcmp(argv[i], "--after") == 0) {
            h.after = strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--port-file") == 0) {
            port_file = value;
        } else {
            return wrong("unknown option");
        }
    }
    if (argc % 2 == 0 || tl_address_family(&frames) != AF_INET ||
        control.ip.u.sa.sa_family == 0)
        return wrong(err.text);
    h.frames = tl_udp_bind(&frames, &err);
    h.listener = h.frames >= 0 ? tl_stream_listen(&control, &err) : -1;
    if (h.listener < 0 || tl_line_reader_init(&h.reader) != 0)
        return wrong(err.text);
    if (say_where(&h, port_file) != 0)
        return 2;
    serve(&h);
}
