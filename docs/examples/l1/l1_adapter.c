/* SPDX-License-Identifier: Apache-2.0
 * l1_adapter.c - a template for an adapter of level L1. Each YOUR DEVICE marks a place for your
 * calls. cc -o l1_adapter l1_adapter.c sut_client.c -ljansson     (sut_client.[ch]:
 * harness/sut)
 *   ./l1_adapter 9000                                        talon sut-check --control
 * tcp:127.0.0.1:9000 */
#include "sut_client.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static json_int_t opened; /* handles are never used twice: "c1", "c2", ... */
static json_t *conns;     /* name: {} */

static enum talon_client_done do_reset(void *ctx, const json_t *command, json_t *reply,
                                       const char **why)
{
    const char *scope = json_string_value(json_object_get(command, "scope"));

    (void)ctx, (void)reply;
    *why = "scope: only device";
    if (scope == NULL || strcmp(scope, "device") != 0)
        return scope == NULL ? TALON_CLIENT_FAILED : TALON_CLIENT_UNSUPPORTED;
    json_object_clear(conns); /* YOUR DEVICE: remove all connections, clear the counters. */
    return TALON_CLIENT_DONE;
}

static enum talon_client_done do_open(void *ctx, const json_t *command, json_t *reply,
                                      const char **why)
{
    const char *encap = json_string_value(json_object_get(command, "encap"));
    const json_t *peer = json_object_get(command, "peer");
    char name[24];

    (void)ctx;
    *why = "encap: only udp";
    if (encap != NULL && strcmp(encap, "udp") != 0)
        return TALON_CLIENT_UNSUPPORTED;
    *why = "peer: expected an object with a cid";
    if (!json_is_integer(json_object_get(peer, "cid")))
        return TALON_CLIENT_FAILED;
    snprintf(name, sizeof name, "c%lld", (long long)++opened);
    /* YOUR DEVICE: create the connection with `peer`, "peer_address" and "params". Report in
     * "local" the numbers that it chose, and in "params" each value that is not the wished one.
     */
    json_object_set_new(conns, name, json_object());
    json_object_set_new(reply, "conn", json_string(name));
    json_object_set_new(reply, "params", json_pack("{s:I}", "rto_ns", (json_int_t)20000000));
    json_object_set_new(reply, "local",
                        json_pack("{s:I, s:i, s:i, s:i, s:i}", "cid", opened, "function", 1,
                                  "req_psn", 0, "data_psn", 0, "rsn", 0));
    return TALON_CLIENT_DONE;
}

static enum talon_client_done do_close(void *ctx, const json_t *command, json_t *reply,
                                       const char **why)
{
    const char *name = json_string_value(json_object_get(command, "conn"));

    (void)ctx, (void)reply;
    *why = "conn: no connection has this name";
    /* YOUR DEVICE: remove the connection. */
    return name != NULL && json_object_del(conns, name) == 0 ? TALON_CLIENT_DONE
                                                             : TALON_CLIENT_FAILED;
}

static void serve(int fd, const struct talon_client_config *config)
{
    struct talon_client *client = talon_client_new(config);
    char bytes[4096];
    const char *out;
    ssize_t n;
    size_t len;

    while (client != NULL && (n = read(fd, bytes, sizeof bytes)) > 0) {
        talon_client_feed(client, bytes, (size_t)n);
        while ((out = talon_client_peek(client, &len)) != NULL &&
               (n = send(fd, out, len, MSG_NOSIGNAL)) > 0)
            talon_client_written(client, (size_t)n);
    }
    json_object_clear(conns); /* YOUR DEVICE: the tester is gone, remove its connections. */
    talon_client_free(client);
    close(fd);
}

int main(int argc, char **argv)
{
    static const struct talon_client_command commands[] = {{"open", do_open},
                                                           {"close", do_close}};
    struct talon_client_config config = {.vendor = "Acme",
                                         .product = "F1",
                                         .firmware = "1",
                                         .serial = "1",
                                         .level = 1,
                                         .ordered_events = true,
                                         .reset = do_reset,
                                         .commands = commands,
                                         .num_commands = 2};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1, fd;
    socklen_t len = sizeof at;

    at.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 9000));
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &len) != 0)
        return perror("l1_adapter"), 1;
    fprintf(stderr, "control tcp:127.0.0.1:%u\n", ntohs(at.sin_port));
    conns = json_object();
    while ((fd = accept(listener, NULL, NULL)) >= 0)
        serve(fd, &config);
    return 0;
}
