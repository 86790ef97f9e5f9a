/* SPDX-License-Identifier: Apache-2.0
 * `talon sut` as a process of its own, over real sockets, from the tester's side of the link.
 */
#include "harness/cli/cmd.h"
#include "harness/doc/json_member.h"
#include "harness/link/link.h"
#include "harness/link/sockets.h"
#include "harness/session/upper.h"
#include "oracles/endpoint/endpoint.h"
#include "tests/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_TRIES = 1000 };

static struct {
    pid_t pid;
    char dir[32], port_file[64], frames[128], control[128];
    struct tl_link *link;
    struct tl_upper *upper;
    struct fal_endpoint *endpoint;
    struct fal_connection connection;
    uint32_t conn;
    unsigned completions, requests, ulp_acks, sut_completions;
    uint64_t lost, dropped;
    json_t *reply;
    int64_t reply_id;
    bool deaf; /* the tester does not read its lines */
} t;

static struct fal_error err;

static void sleep_ms(long ms)
{
    (void)usleep((useconds_t)ms * 1000);
}

/* Starts it, with two extra arguments, and waits for its addresses. */
static void start(const char *control, const char *option, const char *value)
{
    char verb[] = "sut", listen[] = "--listen", frames[] = "udp:127.0.0.1:0";
    char control_option[] = "--control", port_option[] = "--port-file";
    char *argv[] = {verb,        listen,      frames,         control_option, (char *)control,
                    port_option, t.port_file, (char *)option, (char *)value,  NULL};
    FILE *file = NULL;

    t.pid = fork();
    ck_assert_int_ge(t.pid, 0);
    if (t.pid == 0) {
        (void)freopen("/dev/null", "w", stderr);
        _exit(tl_cmd_sut(option != NULL ? 9 : 7, argv));
    }
    for (unsigned i = 0; i < START_TRIES && file == NULL; i++) {
        file = fopen(t.port_file, "r");
        if (file == NULL)
            sleep_ms(10);
    }
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "udp:%127s %127s", t.frames, t.control), 2);
    (void)fclose(file);
}

static void set_up(void)
{
    memset(&t, 0, sizeof t);
    (void)snprintf(t.dir, sizeof t.dir, P_tmpdir "/talon-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(t.dir));
    (void)snprintf(t.port_file, sizeof t.port_file, "%s/ports", t.dir);
}

static void hang_up(void)
{
    if (t.link != NULL)
        t.link->ops->free(t.link);
    tl_upper_free(t.upper);
    fal_endpoint_free(t.endpoint);
    json_decref(t.reply);
    t.link = NULL;
    t.upper = NULL;
    t.endpoint = NULL;
    t.reply = NULL;
}

/* Ends it by a signal; its exit status. */
static int stop(int signal)
{
    int status = -1;

    (void)kill(t.pid, signal);
    for (unsigned i = 0; i < START_TRIES && waitpid(t.pid, &status, WNOHANG) == 0; i++)
        sleep_ms(10);
    t.pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void tear_down(void)
{
    hang_up();
    if (t.pid > 0)
        (void)stop(SIGKILL);
    (void)unlink(t.port_file);
    (void)rmdir(t.dir);
}

static void call(void)
{
    t.link = tl_link_udp_open(t.frames, t.control, NULL, &err);
    ck_assert_msg(t.link != NULL, "%s", err.text);
    t.upper = tl_upper_new();
    t.endpoint = fal_endpoint_new(&(struct fal_endpoint_config){.seed = 4});
}

static void carry(void)
{
    struct fal_endpoint_out out;
    uint64_t sent_ns;

    while (fal_endpoint_next(t.endpoint, &out)) {
        if (out.kind == FAL_OUT_PACKET)
            ck_assert_int_eq(t.link->ops->send(t.link, out.bytes, out.len, &sent_ns, &err), 0);
        else if (out.kind == FAL_OUT_COMPLETE)
            t.completions += out.code == FAL_CMPL_ACK;
        else if (out.kind == FAL_OUT_REQUEST) {
            static const uint8_t data[4096];
            struct fal_endpoint_in in = {.kind = FAL_IN_RESPOND,
                                         .conn = t.conn,
                                         .rsn = out.rsn,
                                         .answer = out.op == FAL_OP_PUSH ? FAL_ANSWER_ACK
                                                                         : FAL_ANSWER_DATA,
                                         .payload = data,
                                         .length = out.length,
                                         .payload_len = out.length};

            FAL_IGNORE(fal_endpoint_input(t.endpoint, &in, t.link->ops->now_ns(t.link), NULL));
        }
    }
}

static void take_line(const struct tl_link_got *got)
{
    struct tl_upper_line line;

    switch (tl_upper_line(t.upper, (const char *)got->bytes, got->len, &line)) {
    case TL_UPPER_REPLY:
        ck_assert_msg(line.ok, "%s", line.event.u.reply.text);
        json_decref(t.reply);
        t.reply = json_incref(line.object);
        t.reply_id = line.id;
        break;
    case TL_UPPER_EVENT:
        t.lost += line.lost;
        if (line.event.kind == FAL_EV_CM)
            t.dropped += line.event.u.cm.count;
        else if (line.event.u.ulp.kind == FAL_ULP_REQUEST)
            t.requests++;
        else if (line.event.u.ulp.kind == FAL_ULP_ACK)
            t.ulp_acks++;
        else
            t.sut_completions++;
        break;
    case TL_UPPER_STALE:
    case TL_UPPER_GARBAGE: ck_abort_msg("%s", line.err.text);
    }
}

static void turn(unsigned ms)
{
    uint64_t own = fal_endpoint_deadline(t.endpoint),
             until = t.link->ops->now_ns(t.link) + ms * FAL_MS;
    struct tl_link_got got;
    struct fal_endpoint_in in = {.kind = FAL_IN_TICK};

    carry();
    switch (t.link->ops->wait(t.link, own < until ? own : until, &got)) {
    case TL_LINK_TIMEOUT: break;
    case TL_LINK_FRAME:
        in =
            (struct fal_endpoint_in){.kind = FAL_IN_PACKET, .bytes = got.bytes, .len = got.len};
        break;
    case TL_LINK_LINE: take_line(&got); break;
    case TL_LINK_OTHER:
    case TL_LINK_CLOSED:
    case TL_LINK_ERROR: ck_abort_msg("%s", got.error.text);
    }
    FAL_IGNORE(fal_endpoint_input(t.endpoint, &in, got.read_ns, NULL));
    carry();
}

/* A child process wakes the SUT when both have arrived. */
static void wake_later(void)
{
    pid_t sut = t.pid, child = fork();

    if (child == 0) {
        sleep_ms(20);
        (void)kill(sut, SIGCONT);
        _exit(0);
    }
}

static json_t *ask(json_t *command)
{
    int64_t id;
    char *line = tl_upper_command(t.upper, command, &id, NULL);

    ck_assert_int_eq(t.link->ops->send_line(t.link, line, strlen(line), &err), 0);
    for (unsigned i = 0; i < 100000 && t.reply_id != id; i++)
        turn(1000);
    ck_assert_int_eq(t.reply_id, id);
    free(line);
    json_decref(command);
    return t.reply;
}

static void open_connection(void)
{
    struct fal_endpoint_conn conn = {.auto_ack = true, .auto_retransmit = true};
    json_t *open;

    t.connection = (struct fal_connection){.tester = {1, 2, 3, 4, 5}};
    fal_params_default(&t.connection.params, true);
    t.connection.params.coalescing_ns = FAL_MS;
    /* Patience: under a checker, or on a busy machine, the SUT is slow and not dead. */
    t.connection.params.rto_ns = 5 * FAL_S;
    t.connection.params.transaction_timeout_ns = 60 * FAL_S;
    open = tl_upper_open(&t.connection);
    json_object_set_new(open, "peer_address",
                        json_string(t.link->ops->caps(t.link).local_address));
    ck_assert_msg(tl_upper_opened(ask(open), &t.connection, &err) == 0, "%s", err.text);
    conn.params = t.connection.params;
    conn.local = t.connection.tester;
    conn.peer = t.connection.sut;
    ck_assert_int_eq(fal_endpoint_open(t.endpoint, &conn, t.link->ops->now_ns(t.link), &t.conn),
                     0);
}

static void push(unsigned n)
{
    static const uint8_t payload[64] = "TALN";
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .conn = t.conn,
                                 .op = FAL_OP_PUSH,
                                 .length = 64,
                                 .payload = payload,
                                 .payload_len = 64};
    unsigned want = t.completions + n;

    for (unsigned i = 0; i < n; i++)
        ck_assert_int_eq(fal_endpoint_input(t.endpoint, &in, t.link->ops->now_ns(t.link), NULL),
                         0);
    for (unsigned i = 0; i < 100 * n + 1000 && t.completions < want; i++)
        turn(100);
    ck_assert_uint_eq(t.completions, want);
}

static void expect_traffic(void)
{
    push(20);
    for (int i = 0; i < 10; i++)
        (void)ask(json_pack("{s:s, s:s, s:s, s:i, s:i}", "do", "post", "conn",
                            t.connection.name, "op", i % 2 == 0 ? "push" : "pull", "length",
                            100 + i, "tag", i));
    for (unsigned i = 0; i < 1000 && t.sut_completions < 10; i++)
        turn(10);
    (void)ask(json_pack("{s:s}", "do", "barrier"));
    ck_assert_uint_eq(t.requests, 20);
    ck_assert_uint_eq(t.ulp_acks, 20);
    ck_assert_uint_eq(t.sut_completions, 10);
    ck_assert_uint_eq(t.lost, 0);
}

START_TEST(traffic_flows_and_sigterm_ends_it_well)
{
    const json_t *reply;

    start("tcp:127.0.0.1:0", NULL, NULL);
    call();
    reply = ask(json_pack("{s:s, s:i}", "do", "hello", "version", 1));
    ck_assert_str_eq(json_string_value(json_object_get(reply, "vendor")), "Talon");
    open_connection();
    expect_traffic();
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

START_TEST(unix_control_leaves_no_file_behind)
{
    char control[64];

    (void)snprintf(control, sizeof control, "unix:%s/sock", t.dir);
    start(control, "--seed", "77");
    ck_assert_str_eq(t.control, control);
    call();
    open_connection();
    expect_traffic();
    ck_assert_int_eq(stop(SIGINT), 0);
    ck_assert_int_ne(access(control + 5, F_OK), 0);
}
END_TEST

START_TEST(one_control_connection_after_another_each_from_the_beginning)
{
    start("tcp:127.0.0.1:0", NULL, NULL);
    for (unsigned i = 0; i < 5; i++) {
        call();
        open_connection();
        ck_assert_str_eq(t.connection.name, "c1");
        push(3);
        (void)ask(json_pack("{s:s}", "do", "barrier"));
        ck_assert_uint_eq(t.requests, 3 * (i + 1)); /* and seq began at 1: nothing is lost */
        ck_assert_uint_eq(t.lost, 0);
        hang_up();
        t.completions = 0;
        t.reply_id = 0;
    }
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

/* A second tester waits until the first is done. */
START_TEST(a_second_tester_waits_for_the_first)
{
    struct tl_link *second;
    struct tl_link_got got;
    const char line[] = "{\"id\": 1, \"epoch\": 1, \"do\": \"barrier\"}";

    start("tcp:127.0.0.1:0", NULL, NULL);
    call();
    open_connection();
    second = tl_link_udp_open(t.frames, t.control, NULL, &err);
    ck_assert_ptr_nonnull(second);
    ck_assert_int_eq(second->ops->send_line(second, line, sizeof line - 1, &err), 0);
    ck_assert_int_eq(second->ops->wait(second, second->ops->now_ns(second) + 50 * FAL_MS, &got),
                     TL_LINK_TIMEOUT);
    push(1);
    hang_up();
    ck_assert_int_eq(second->ops->wait(second, second->ops->now_ns(second) + 5 * FAL_S, &got),
                     TL_LINK_LINE);
    second->ops->free(second);
}
END_TEST

enum { PUSHES = 8000, TEXT_MAX = 8 << 20 };

/* Starts the SUT with a control channel of our own, so that it can be left unread: its socket.
 */
static int start_unread(void)
{
    struct tl_stream stream;
    char control[2048];
    int fd;

    (void)snprintf(control, sizeof control, "unix:%s/sock", t.dir);
    start(control, NULL, NULL);
    ck_assert_int_eq(tl_stream_read(t.control, &stream, &err), 0);
    fd = tl_stream_connect(&stream, FAL_S, &err);
    ck_assert_int_ge(fd, 0);
    (void)fcntl(fd, F_SETFL, 0);
    t.link = tl_link_udp_open(t.frames, NULL, NULL, &err);
    ck_assert_ptr_nonnull(t.link);
    t.upper = tl_upper_new();
    t.endpoint = fal_endpoint_new(&(struct fal_endpoint_config){.seed = 4});
    t.connection = (struct fal_connection){.tester = {1, 2, 3, 4, 5}};
    fal_params_default(&t.connection.params, true);
    t.connection.params.coalescing_ns = FAL_MS / 4;
    t.connection.params.rto_ns = t.connection.params.transaction_timeout_ns = 60 * FAL_S;
    return fd;
}

/* Opens the connection on both ends. */
static void open_both(int fd)
{
    json_t *open = tl_upper_open(&t.connection);
    struct fal_endpoint_conn conn = {.auto_ack = true, .auto_retransmit = true};
    struct tl_upper_line got;
    char text[4096], *line;
    int64_t id;
    ssize_t n;

    json_object_set_new(open, "peer_address",
                        json_string(t.link->ops->caps(t.link).local_address));
    line = tl_upper_command(t.upper, open, &id, NULL);
    json_decref(open);
    (void)snprintf(text, sizeof text, "%s\n", line);
    free(line);
    ck_assert_int_gt(send(fd, text, strlen(text), MSG_NOSIGNAL), 0);
    n = recv(fd, text, sizeof text, 0);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(tl_upper_line(t.upper, text, (size_t)n - 1, &got), TL_UPPER_REPLY);
    ck_assert_int_eq(tl_upper_opened(got.object, &t.connection, &err), 0);
    conn.params = t.connection.params;
    conn.local = t.connection.tester;
    conn.peer = t.connection.sut;
    ck_assert_int_eq(fal_endpoint_open(t.endpoint, &conn, 0, &t.conn), 0);
}

/* All that there is to read up to the reply of a barrier; the caller frees. */
static char *read_to_barrier(int fd)
{
    char *text = calloc(1, TEXT_MAX);
    size_t len = 0;

    ck_assert_ptr_nonnull(text);
    ck_assert_int_gt(send(fd, "{\"id\":2,\"epoch\":1,\"do\":\"barrier\"}\n", 35, MSG_NOSIGNAL),
                     0);
    while (strstr(len > 200 ? text + len - 200 : text, "\"id\":2") == NULL) {
        ssize_t n = recv(fd, text + len, 100000, 0);

        ck_assert_int_gt(n, 0);
        len += (size_t)n;
        ck_assert_uint_lt(len, TEXT_MAX - 100001);
        text[len] = 0;
    }
    return text;
}

/* The tester reads no lines while 8,000 requests are delivered: the wire continues, events are
 * lost, and all reports give the same number of lost events. */
START_TEST(who_does_not_read_loses_events_and_is_told)
{
    int fd = start_unread();
    uint64_t seq = 0, lost = 0, told = 0;
    unsigned events = 0, replies = 0;
    char *text;

    open_both(fd);
    for (unsigned i = 0; i < PUSHES / 50; i++)
        push(50);
    text = read_to_barrier(fd);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        json_t *object = json_loads(line, 0, NULL);

        ck_assert_msg(object != NULL, "%s", line);
        if (json_object_get(object, "id") != NULL) {
            replies++;
        } else {
            uint64_t here = (uint64_t)json_integer_value(json_object_get(object, "seq"));

            ck_assert_uint_gt(here, seq);
            lost += here - seq - 1;
            seq = here;
            told += (uint64_t)json_integer_value(json_object_get(object, "count"));
            events += json_object_get(object, "count") == NULL;
        }
        json_decref(object);
    }
    ck_assert_uint_eq(replies, 1);
    ck_assert_uint_gt(lost, 0);
    ck_assert_uint_eq(lost, told);
    ck_assert_uint_eq(events + lost, 2 * PUSHES);
    (void)close(fd);
    free(text);
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

/* The SUT is stopped while a frame and then a barrier arrive: the frame takes effect first. */
START_TEST(a_barrier_covers_the_frames_before_it)
{
    static const uint8_t payload[64] = "TALN";
    struct fal_endpoint_in in = {.kind = FAL_IN_POST,
                                 .op = FAL_OP_PUSH,
                                 .length = 64,
                                 .payload = payload,
                                 .payload_len = 64};

    start("tcp:127.0.0.1:0", NULL, NULL);
    call();
    open_connection();
    in.conn = t.conn;
    for (unsigned round = 1; round <= 20; round++) {
        (void)kill(t.pid, SIGSTOP);
        ck_assert_int_eq(fal_endpoint_input(t.endpoint, &in, t.link->ops->now_ns(t.link), NULL),
                         0);
        carry();
        wake_later();
        (void)ask(json_pack("{s:s}", "do", "barrier"));
        ck_assert_uint_eq(t.requests, round);
    }
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

START_TEST(garbage_on_the_control_channel_is_answered_and_survived)
{
    struct tl_stream stream;
    char *noise, answer[4096];
    ssize_t n;
    int fd;

    start("tcp:127.0.0.1:0", NULL, NULL);
    noise = malloc(200000);
    ck_assert_ptr_nonnull(noise);
    ck_assert_int_eq(tl_stream_read(t.control, &stream, &err), 0);
    fd = tl_stream_connect(&stream, FAL_S, &err);
    (void)fcntl(fd, F_SETFL, 0);
    memset(noise, 'x', 200000);
    noise[199999] = '\n';
    ck_assert_int_eq(send(fd, noise, 200000, MSG_NOSIGNAL), 200000);
    n = recv(fd, answer, sizeof answer - 1, 0);
    ck_assert_int_gt(n, 0);
    answer[n] = 0;
    ck_assert_msg(strstr(answer, "longer than 65536 bytes") != NULL, "%s", answer);
    ck_assert_int_eq(send(fd, "\0\n", 2, MSG_NOSIGNAL), 2);
    n = recv(fd, answer, sizeof answer - 1, 0);
    ck_assert_int_gt(n, 0);
    answer[n] = 0;
    ck_assert_msg(strstr(answer, "\"id\":0") != NULL, "%s", answer);
    (void)close(fd); /* within its service */
    call();
    open_connection();
    push(1);
    free(noise);
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

START_TEST(noise_on_the_wire_does_no_harm)
{
    uint8_t frame[200];

    start("tcp:127.0.0.1:0", "--fault", "reserved-bits-set");
    call();
    open_connection();
    for (unsigned i = 0; i < 5000; i++) {
        size_t len = i % sizeof frame;

        for (size_t k = 0; k < len; k++)
            frame[k] = (uint8_t)(i * 2654435761U >> (k % 24));
        (void)t.link->ops->send(t.link, frame, len, &(uint64_t){0}, &err);
    }
    push(5);
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

/* Nothing to do is nothing done. */
START_TEST(an_idle_sut_takes_no_time)
{
    char path[64], text[512];
    unsigned long before = 0, after = 0;
    FILE *file;

    start("tcp:127.0.0.1:0", NULL, NULL);
    call();
    open_connection();
    push(5);
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)t.pid);
    for (unsigned i = 0; i < 2; i++) {
        unsigned long user = 0, system = 0;

        sleep_ms(i == 0 ? 50 : 500);
        file = fopen(path, "r");
        ck_assert_ptr_nonnull(file);
        ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
        (void)fclose(file);
        ck_assert_int_eq(sscanf(strrchr(text, ')') + 1,
                                " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                                &system),
                         2);
        *(i == 0 ? &before : &after) = user + system;
    }
    ck_assert_uint_le(after - before, 5); /* of 50 ticks */
    ck_assert_int_eq(stop(SIGTERM), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cmd_sut");
    TCase *tc = tcase_create("process");

    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, traffic_flows_and_sigterm_ends_it_well);
    tcase_add_test(tc, unix_control_leaves_no_file_behind);
    tcase_add_test(tc, one_control_connection_after_another_each_from_the_beginning);
    tcase_add_test(tc, a_second_tester_waits_for_the_first);
    tcase_add_test(tc, who_does_not_read_loses_events_and_is_told);
    tcase_add_test(tc, a_barrier_covers_the_frames_before_it);
    tcase_add_test(tc, garbage_on_the_control_channel_is_answered_and_survived);
    tcase_add_test(tc, noise_on_the_wire_does_no_harm);
    tcase_add_test(tc, an_idle_sut_takes_no_time);
    suite_add_tcase(suite, tc);
    return suite;
}
