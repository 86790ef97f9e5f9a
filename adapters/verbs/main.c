/* SPDX-License-Identifier: Apache-2.0
 * main.c - an adapter between Talon's control protocol (docs/sut-protocol.md) and a device that
 * libibverbs knows. docs/verbs-adapter.md describes it.
 *   cc -o verbs_adapter *.c sut_client.c -I. -ljansson -libverbs      (sut_client.[ch]:
 * harness/sut)
 *   ./verbs_adapter --device rxe0 --control tcp:127.0.0.1:9000 */
#include "vendor.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct options {
    const char *device, *control;
    unsigned long gid_index, ack_timeout, settle_us;
};

static const struct talon_client_command commands[] = {
    {"open", va_open},           {"close", va_close},           {"barrier", va_barrier},
    {"counters", va_counters},   {"pd_create", va_pd_create},   {"cq_create", va_cq_create},
    {"cq_arm", va_cq_arm},       {"srq_create", va_srq_create}, {"mr_reg", va_mr_reg},
    {"mr_dereg", va_mr_dereg},   {"mr_fill", va_mr_fill},       {"mr_hash", va_mr_hash},
    {"mr_word", va_mr_word},     {"qp_create", va_qp_create},   {"qp_connect", va_qp_connect},
    {"qp_query", va_qp_query},   {"ah_create", va_ah_create},   {"post_send", va_post_send},
    {"post_recv", va_post_recv},
};

static bool write_all(struct talon_client *client, int fd)
{
    const char *bytes;
    size_t len;

    while ((bytes = talon_client_peek(client, &len)) != NULL) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            talon_client_written(client, (size_t)n);
    }
    return true;
}

/* One control connection, until its end. CQs are polled each millisecond: their notifications
 * belong to the tester (cq_arm). */
static void serve(struct va_device *device, const struct talon_client_config *config, int in,
                  int out)
{
    struct talon_client *client = talon_client_new(config);
    struct pollfd fd = {.fd = in, .events = POLLIN};
    char bytes[4096];

    device->client = client;
    while (client != NULL) {
        int ready = poll(&fd, 1, device->objects != NULL ? 1 : -1);

        (void)va_poll(device);
        if (ready > 0) {
            ssize_t n = read(in, bytes, sizeof bytes);

            if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
                break;
            if (n > 0)
                talon_client_feed(client, bytes, (size_t)n);
        }
        if (!write_all(client, out))
            break;
    }
    va_remove_all(device); /* with the control connection, all that it made ends */
    device->client = NULL;
    talon_client_free(client);
}

/* A listening socket at HOST:PORT. -1 after a message. */
static int listen_at(const char *at)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    const char *colon = strrchr(at, ':');
    char host[128] = "";
    int fd = -1, yes = 1;

    if (colon == NULL || (size_t)(colon - at) >= sizeof host) {
        (void)fprintf(stderr, "verbs_adapter: --control tcp:%s: expected tcp:HOST:PORT\n", at);
        return -1;
    }
    memcpy(host, at, (size_t)(colon - at));
    if (getaddrinfo(host, colon + 1, &hints, &found) == 0)
        fd = socket(found->ai_family, SOCK_STREAM, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 4) != 0) {
        (void)fprintf(stderr, "verbs_adapter: --control tcp:%s: cannot listen there\n", at);
        if (fd >= 0)
            (void)close(fd);
        fd = -1;
    }
    if (found != NULL)
        freeaddrinfo(found);
    return fd;
}

static int run(struct va_device *device, const struct talon_client_config *config,
               const char *control)
{
    int fd, at;

    if (strcmp(control, "stdio") == 0) {
        serve(device, config, STDIN_FILENO, STDOUT_FILENO);
        return 0;
    }
    if (strncmp(control, "tcp:", 4) != 0) {
        fd = open(control, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            (void)fprintf(stderr, "verbs_adapter: --control %s: %s\n", control,
                          strerror(errno));
            return 1;
        }
        serve(device, config, fd, fd);
        (void)close(fd);
        return 0;
    }
    fd = listen_at(control + 4);
    while (fd >= 0 && (at = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        serve(device, config, at, at);
        (void)close(at);
    }
    return 1;
}

/* Opens the device of this name, or the first. */
static bool open_device(struct va_device *device, const char *name)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);

    for (int i = 0; list != NULL && i < count && device->context == NULL; i++)
        if (name == NULL || strcmp(ibv_get_device_name(list[i]), name) == 0)
            device->context = ibv_open_device(list[i]);
    if (list != NULL)
        ibv_free_device_list(list);
    if (device->context == NULL) {
        (void)fprintf(
            stderr,
            "verbs_adapter: --device %s: not found; `ibv_devices` lists what there is\n",
            name != NULL ? name : "(the first)");
        return false;
    }
    device->name = ibv_get_device_name(device->context->device);
    device->channel = ibv_create_comp_channel(device->context);
    if (device->channel == NULL || ibv_query_port(device->context, 1, &device->port) != 0 ||
        fcntl(device->channel->fd, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(device->context->async_fd, F_SETFL, O_NONBLOCK) != 0) {
        (void)fprintf(stderr, "verbs_adapter: %s: port 1 cannot be used\n", device->name);
        return false;
    }
    return true;
}

static void close_device(struct va_device *device)
{
    if (device->channel != NULL)
        (void)ibv_destroy_comp_channel(device->channel);
    if (device->context != NULL)
        (void)ibv_close_device(device->context);
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            options->device = argv[i + 1];
        else if (strcmp(argv[i], "--control") == 0)
            options->control = argv[i + 1];
        else if (strcmp(argv[i], "--gid-index") == 0)
            options->gid_index = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--ack-timeout") == 0)
            options->ack_timeout = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--settle") == 0)
            options->settle_us = strtoul(argv[i + 1], NULL, 10);
        else
            return false;
    }
    return argc % 2 == 1 && options->gid_index < 256 && options->ack_timeout < 32;
}

int main(int argc, char **argv)
{
    struct options options = {.control = "stdio", .ack_timeout = 14, .settle_us = 5000};
    struct va_device device = {.name = NULL};
    struct talon_client_config config = {.level = 1,
                                         .reset = va_reset,
                                         .commands = commands,
                                         .num_commands = sizeof commands / sizeof *commands,
                                         .ctx = &device};
    const struct va_vendor *vendor = va_vendor();
    json_t *ics = json_object(), *upper = json_pack("[s]", "verbs");
    int status = 1;

    if (!read_options(argc, argv, &options)) {
        (void)fprintf(
            stderr,
            "usage: verbs_adapter [--device NAME] [--gid-index N] [--ack-timeout N]\n"
            "                     [--settle MICROSECONDS] [--control stdio|tcp:HOST:PORT|FILE]\n");
        goto end;
    }
    device.gid_index = (uint8_t)options.gid_index;
    device.ack_timeout = (uint8_t)options.ack_timeout; /* 14: 67 ms */
    device.settle_ns = options.settle_us * UINT64_C(1000);
    vendor->declare(ics);
    config.vendor = vendor->vendor;
    config.product = vendor->product;
    config.firmware = vendor->firmware;
    config.serial = vendor->serial;
    config.ordered_events = vendor->ordered_events;
    config.ics = ics;
    config.upper = upper;
    if (open_device(&device, options.device))
        status = run(&device, &config, options.control);
end:
    close_device(&device);
    json_decref(ics);
    json_decref(upper);
    return status;
}
