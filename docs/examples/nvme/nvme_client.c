/* SPDX-License-Identifier: Apache-2.0
 * nvme_client.c - a template for an adapter in C with NVMe: the words of levels L2n and L3n,
 * and a device of 1024 blocks in memory. Each YOUR DEVICE marks a place for your calls.
 *   cc -o nvme_client nvme_client.c sut_client.c -ljansson     (sut_client.[ch]: harness/sut)
 *   ./nvme_client 9000                    talon sut-check --control tcp:127.0.0.1:9000 */
#include "sut_client.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLOCKS = 1024, BLOCK_MAX = 4096, MDTS = 1 << 20, MTU = 4260, STATUS_MAX = 0x7fff };

static json_int_t opened, posted; /* handles are never used twice: "c1", "c2", ... */
static json_t *conns, *spaces;    /* name or number: bytes of a block */
static uint8_t disk[BLOCKS][BLOCK_MAX];
static uint32_t block_len = BLOCK_MAX;

#define WORD(name)                                                                      \
    static enum talon_client_done name(void *ctx, const json_t *command, json_t *reply, \
                                       const char **why)

/* A number, which may be "0x..."; `otherwise` where it is absent. False: it is none. */
static int number(const json_t *command, const char *key, uint64_t otherwise, uint64_t *out)
{
    const json_t *value = json_object_get(command, key);
    char *end = NULL;

    *out = otherwise;
    if (value == NULL || json_is_null(value))
        return 1;
    *out = (uint64_t)json_integer_value(value);
    if (json_is_string(value))
        *out = strtoull(json_string_value(value), &end, 16);
    return json_is_integer(value) ? json_integer_value(value) >= 0
                                  : end != NULL && *end == 0 && *json_string_value(value) != 0;
}

static int has(const json_t *command, const char *key)
{
    const json_t *value = json_object_get(command, key);

    return value != NULL && !json_is_null(value);
}

static int is_word(const json_t *command, const char *key, const char *first,
                   const char *second)
{
    const char *text = json_string_value(json_object_get(command, key));

    return text != NULL && (strcmp(text, first) == 0 || strcmp(text, second) == 0);
}

/* The payload pattern (docs/sut-protocol.md, "The ULP"), and the hash of bytes. */
static void fill(uint64_t tag, uint64_t seed, uint8_t *out, size_t len)
{
    uint8_t word[16] = {'T', 'A', 'L', 'N'};
    uint64_t state = seed ^ tag, z = 0;

    for (int i = 0; i < 8; i++)
        word[4 + i] = (uint8_t)(tag >> (56 - 8 * i));
    for (size_t at = 0; at < len && at < 16; at++)
        out[at] = word[at];
    for (size_t at = 16; at < len; at++) {
        if (at % 8 == 0) {
            z = state += 0x9E3779B97F4A7C15;
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
            z = (z ^ z >> 27) * 0x94D049BB133111EB;
            z ^= z >> 31;
        }
        out[at] = (uint8_t)(z >> 8 * (at % 8));
    }
}

static uint64_t hash_of(const uint8_t *bytes, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

WORD(do_reset)
{
    (void)ctx, (void)reply;
    *why = "scope: only device";
    if (!is_word(command, "scope", "device", "device"))
        return has(command, "scope") ? TALON_CLIENT_UNSUPPORTED : TALON_CLIENT_FAILED;
    json_object_clear(conns); /* YOUR DEVICE: remove connections, namespaces and rows. */
    json_object_clear(spaces);
    return TALON_CLIENT_DONE;
}

WORD(do_open)
{
    const json_t *params = json_object_get(command, "params");
    int nvme = is_word(command, "upper", "nvme", "nvme");
    uint64_t mtu;
    char name[24];

    (void)ctx;
    *why = "encap: only udp";
    if (has(command, "encap") && !is_word(command, "encap", "udp", "udp"))
        return TALON_CLIENT_UNSUPPORTED;
    *why = "upper: expected raw or nvme";
    if (has(command, "upper") && !is_word(command, "upper", "raw", "nvme"))
        return TALON_CLIENT_UNSUPPORTED;
    *why = "peer: expected an object with a cid";
    if (!json_is_integer(json_object_get(json_object_get(command, "peer"), "cid")))
        return TALON_CLIENT_FAILED;
    *why = "upper: nvme needs \"ordered\": false and an mtu of at least 4260";
    if (nvme && (!json_is_false(json_object_get(params, "ordered")) ||
                 !number(params, "mtu", MTU, &mtu) || mtu < MTU))
        return TALON_CLIENT_FAILED;
    snprintf(name, sizeof name, "c%lld", (long long)++opened);
    json_object_set_new(conns, name, json_object()); /* YOUR DEVICE: open the connection. */
    json_object_set_new(reply, "conn", json_string(name));
    json_object_set_new(reply, "params", json_object());
    json_object_set_new(reply, "local",
                        json_pack("{s:I, s:i, s:i, s:i, s:i}", "cid", opened, "function", 1,
                                  "req_psn", 0, "data_psn", 0, "rsn", 0));
    return TALON_CLIENT_DONE;
}

WORD(do_close)
{
    const char *name = json_string_value(json_object_get(command, "conn"));

    (void)ctx, (void)reply;
    *why = "conn: no connection has this name";
    /* YOUR DEVICE: remove the connection. */
    return name != NULL && json_object_del(conns, name) == 0 ? TALON_CLIENT_DONE
                                                             : TALON_CLIENT_FAILED;
}

WORD(do_barrier)
{
    (void)ctx, (void)command, (void)reply, (void)why;
    /* YOUR DEVICE: return when all events were said and all data are written. */
    return TALON_CLIENT_DONE;
}

/* ---- the initiator ---- */

/* 9 or 12, as a length; 0: another number. */
static uint32_t length_of(const json_t *command)
{
    uint64_t shift;

    if (!number(command, "block_shift", 12, &shift) || (shift != 9 && shift != 12))
        return 0;
    return 1U << shift;
}

WORD(do_nvme_ns)
{
    uint32_t len = length_of(command);
    uint64_t nsid;
    char name[24];

    (void)ctx;
    *why = "nsid: expected a number; block_shift: 9 or 12; pi: off, host or insert";
    if (!has(command, "nsid") || !number(command, "nsid", 0, &nsid) || len == 0 ||
        (has(command, "pi") && !is_word(command, "pi", "off", "host") &&
         !is_word(command, "pi", "insert", "insert")))
        return TALON_CLIENT_FAILED;
    snprintf(name, sizeof name, "%llu", (unsigned long long)nsid);
    json_object_set_new(spaces, name, json_integer(len)); /* YOUR DEVICE: set the row. */
    json_object_set_new(reply, "function", json_integer(7));
    json_object_set_new(reply, "mdts", json_integer(MDTS));
    return TALON_CLIENT_DONE;
}

WORD(do_nvme_lba)
{
    const char *conn = json_string_value(json_object_get(command, "conn"));
    uint64_t index;

    (void)ctx, (void)reply;
    *why = "index: expected a number; conn: the name of a connection";
    if (!has(command, "index") || !number(command, "index", 0, &index) ||
        (json_is_true(json_object_get(command, "valid")) &&
         (conn == NULL || json_object_get(conns, conn) == NULL)))
        return TALON_CLIENT_FAILED;
    return TALON_CLIENT_DONE; /* YOUR DEVICE: set the row of the LBA translation table. */
}

WORD(do_nvme_post)
{
    uint64_t nsid = 0, cmd, slba, blocks = 0, len;
    char name[24];

    (void)ctx;
    *why = "expected cmd, op (read, write), nsid and slba";
    if (!has(command, "cmd") || !number(command, "cmd", 0, &cmd) ||
        !is_word(command, "op", "read", "write") || !has(command, "nsid") ||
        !number(command, "nsid", 0, &nsid) || !has(command, "slba") ||
        !number(command, "slba", 0, &slba) || !number(command, "nlb0", 0, &blocks))
        return TALON_CLIENT_FAILED;
    snprintf(name, sizeof name, "%llu", (unsigned long long)nsid);
    len = (uint64_t)json_integer_value(json_object_get(spaces, name));
    *why = "nsid: no namespace has this number; nlb0: at most 1048576 bytes";
    if (len == 0 || blocks > 65535 || (blocks + 1) * len > MDTS)
        return TALON_CLIENT_FAILED;
    /* YOUR DEVICE: submit it. When it has completed, call
     * talon_client_event(client, "nvme_cqe", {"cmd": ..., "status": ..., "hash": ...}). */
    json_object_set_new(reply, "sq", json_integer(1));
    json_object_set_new(reply, "cid", json_integer(posted++ & 0xffff));
    return TALON_CLIENT_DONE;
}

/* ---- devices of the target ---- */

WORD(do_dev_format)
{
    uint32_t len = length_of(command);
    uint64_t nsid, metadata;

    (void)ctx, (void)reply;
    *why = "nsid: expected a number; block_shift: 9 or 12; metadata: 0 or 16";
    if (!has(command, "nsid") || !number(command, "nsid", 0, &nsid) || len == 0 ||
        !number(command, "metadata", 0, &metadata) || (metadata != 0 && metadata != 16))
        return TALON_CLIENT_FAILED;
    block_len = len; /* YOUR DEVICE: format it, and give it the requests of queue `sqid`. */
    return TALON_CLIENT_DONE;
}

/* The blocks that the command names; 0: they are not on the disk. */
static uint64_t span(const json_t *command, uint64_t *first)
{
    uint64_t nlb0, nsid;

    if (!has(command, "nsid") || !number(command, "nsid", 0, &nsid) || !has(command, "slba") ||
        !number(command, "slba", 0, first) || !number(command, "nlb0", 0, &nlb0) ||
        *first >= BLOCKS || nlb0 >= BLOCKS - *first)
        return 0;
    return nlb0 + 1;
}

WORD(do_dev_fill)
{
    static uint8_t data[BLOCKS * BLOCK_MAX];
    uint64_t first, blocks = span(command, &first), tag, seed;

    (void)ctx, (void)reply;
    *why = "expected nsid, and blocks from slba on that are on the device";
    if (blocks == 0 || !number(command, "tag", 0, &tag) || !number(command, "seed", 0, &seed))
        return TALON_CLIENT_FAILED;
    fill(tag, seed, data, blocks * block_len);
    for (uint64_t i = 0; i < blocks; i++) /* YOUR DEVICE: write them, with valid metadata. */
        memcpy(disk[first + i], data + i * block_len, block_len);
    return TALON_CLIENT_DONE;
}

WORD(do_dev_hash)
{
    static uint8_t data[BLOCKS * BLOCK_MAX];
    uint64_t first, blocks = span(command, &first);
    char text[24];

    (void)ctx;
    *why = "expected nsid, and blocks from slba on that are on the device";
    if (blocks == 0)
        return TALON_CLIENT_FAILED;
    for (uint64_t i = 0; i < blocks; i++) /* YOUR DEVICE: read them. */
        memcpy(data + i * block_len, disk[first + i], block_len);
    snprintf(text, sizeof text, "0x%016llx",
             (unsigned long long)hash_of(data, blocks * block_len));
    json_object_set_new(reply, "hash", json_string(text));
    return TALON_CLIENT_DONE;
}

WORD(do_dev_policy)
{
    uint64_t after_ns, status;

    (void)ctx, (void)reply;
    *why = "after_ns, status: expected numbers; status has 15 bits";
    /* YOUR DEVICE: complete commands in this way from now on. For each command of a device,
     * call talon_client_event(client, "dev_cmd", {"dcmd": ..., "op": ..., "nsid": ..., ...}).
     */
    return number(command, "after_ns", 0, &after_ns) && number(command, "status", 0, &status) &&
                   status <= STATUS_MAX
               ? TALON_CLIENT_DONE
               : TALON_CLIENT_FAILED;
}

WORD(do_dev_complete)
{
    (void)ctx, (void)command, (void)reply;
    *why = "dcmd: no device holds a command of that number";
    return TALON_CLIENT_FAILED; /* YOUR DEVICE: complete it with `status`. */
}

/* ---- the control connection ---- */

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
                                                           {"close", do_close},
                                                           {"barrier", do_barrier},
                                                           {"nvme_ns", do_nvme_ns},
                                                           {"nvme_lba", do_nvme_lba},
                                                           {"nvme_post", do_nvme_post},
                                                           {"dev_format", do_dev_format},
                                                           {"dev_fill", do_dev_fill},
                                                           {"dev_hash", do_dev_hash},
                                                           {"dev_policy", do_dev_policy},
                                                           {"dev_complete", do_dev_complete}};
    struct talon_client_config config = {.vendor = "Acme",
                                         .product = "N1",
                                         .firmware = "1",
                                         .serial = "1",
                                         .level = 1,
                                         .upper = json_pack("[s, s]", "raw", "nvme"),
                                         .ordered_events = true,
                                         .reset = do_reset,
                                         .commands = commands,
                                         .num_commands = sizeof commands / sizeof *commands};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0), yes = 1, fd;
    socklen_t len = sizeof at;

    at.sin_port = htons((uint16_t)(argc > 1 ? atoi(argv[1]) : 9000));
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &len) != 0)
        return perror("nvme_client"), 1;
    fprintf(stderr, "control tcp:127.0.0.1:%u\n", ntohs(at.sin_port));
    conns = json_object();
    spaces = json_object();
    while ((fd = accept(listener, NULL, NULL)) >= 0)
        serve(fd, &config);
    return 0;
}
