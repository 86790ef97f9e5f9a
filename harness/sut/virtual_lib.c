/* SPDX-License-Identifier: Apache-2.0
 * virtual_lib.c - a shared library as an implementation in virtual time (talon_sut.h). It runs
 * in a child process of its own (lib_serve.c), so that a library that crashes or never returns
 * does not take the tester with it. */
#include "harness/link/child.h"
#include "harness/sut/lib_host.h"
#include "harness/sut/virtual_sut.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN_CAP = sizeof(struct tl_lib_answer) + TL_LIB_BYTES_MAX };

struct lib {
    struct tl_virtual_sut base; /* must be the first member */
    struct tl_child child;
    struct tl_lib_host *own, *host; /* own: where the caller has none */
    uint64_t next_ns;
    uint8_t message[sizeof(struct tl_lib_message) + TL_LIB_BYTES_MAX];
};

static struct lib *of(struct tl_virtual_sut *sut)
{
    return (struct lib *)sut;
}

/* Handles one answer. True when it is the last one. */
static bool take_one(struct lib *lib, const struct tl_lib_answer *answer, const char *bytes)
{
    char why[400];

    switch (answer->what) {
    case TL_LIB_SAYS_FRAME: tl_child_keep(&lib->child, false, bytes, answer->len); break;
    case TL_LIB_SAYS_LINE: tl_child_keep(&lib->child, true, bytes, answer->len); break;
    case TL_LIB_DONE: lib->next_ns = answer->next_ns; return true;
    default: /* the library itself may have written to the channel */
        (void)snprintf(why, sizeof why, "%.*s",
                       answer->what == TL_LIB_FAILED ? (int)answer->len : 0, bytes);
        tl_child_fail(&lib->child,
                      answer->what == TL_LIB_FAILED ? why : "wrote to the tester's channel");
    }
    return tl_child_stopped(&lib->child);
}

static bool take(void *ctx)
{
    struct lib *lib = ctx;
    struct tl_child *child = &lib->child;
    struct tl_lib_answer answer;

    while (child->in_end - child->in_start >= sizeof answer) {
        const char *at = child->in + child->in_start;

        memcpy(&answer, at, sizeof answer);
        if (answer.len > TL_LIB_BYTES_MAX) {
            tl_child_fail(child, "wrote to the tester's channel");
            return true;
        }
        if (child->in_end - child->in_start < sizeof answer + answer.len)
            return false;
        child->in_start += sizeof answer + answer.len;
        if (take_one(lib, &answer, at + sizeof answer))
            return true;
    }
    return false;
}

static void tell(struct lib *lib, const struct tl_lib_message *m, const void *bytes)
{
    memcpy(lib->message, m, sizeof *m);
    if (m->len > 0)
        memcpy(lib->message + sizeof *m, bytes, m->len);
    tl_child_exchange(&lib->child, lib->message, sizeof *m + m->len, take, lib);
}

static void set_at(struct lib *lib, enum tl_stop_at at)
{
    if (!tl_child_stopped(&lib->child))
        lib->child.stop.at = at;
}

static void frame(struct tl_virtual_sut *sut, const uint8_t *bytes, size_t len,
                  struct tl_sut_ip ip, uint64_t now_ns)
{
    const struct tl_lib_message m = {.what = TL_LIB_FRAME,
                                     .now_ns = now_ns,
                                     .len = (uint32_t)len,
                                     .ecn = ip.ecn,
                                     .ttl = ip.ttl};

    if (ip.damaged || len > TL_LIB_BYTES_MAX) /* the simulated link acts as its IP layer */
        return;
    tl_child_frame(&of(sut)->child, bytes, len, now_ns);
    tell(of(sut), &m, bytes);
}

static void line(struct tl_virtual_sut *sut, const char *text, size_t len, uint64_t now_ns)
{
    const struct tl_lib_message m = {
        .what = TL_LIB_LINE, .now_ns = now_ns, .len = (uint32_t)len};

    if (len > TL_LIB_BYTES_MAX)
        return;
    set_at(of(sut), TL_STOP_AT_COMMAND);
    tell(of(sut), &m, text);
}

static void tick(struct tl_virtual_sut *sut, uint64_t now_ns)
{
    const struct tl_lib_message m = {.what = TL_LIB_TICK, .now_ns = now_ns};

    set_at(of(sut), TL_STOP_AT_TIME);
    tell(of(sut), &m, NULL);
}

static uint64_t deadline(struct tl_virtual_sut *sut)
{
    return tl_child_stopped(&of(sut)->child) ? FAL_NEVER : of(sut)->next_ns;
}

static bool next(struct tl_virtual_sut *sut, struct tl_sut_out *out)
{
    const struct tl_child_output *output = tl_child_next(&of(sut)->child);

    if (output == NULL)
        return false;
    *out = (struct tl_sut_out){.kind = output->is_line ? TL_SUT_LINE : TL_SUT_FRAME,
                               .bytes = output->bytes,
                               .len = output->len};
    return true;
}

static const char *broken(struct tl_virtual_sut *sut)
{
    return tl_child_stopped(&of(sut)->child) ? of(sut)->child.why.text : NULL;
}

static const struct tl_stop *stopped(struct tl_virtual_sut *sut)
{
    return &of(sut)->child.stop;
}

/* The child may serve another SUT. What happens when the library ends this one is not judged:
 * then the child ends. */
static bool kept(struct lib *lib)
{
    const struct tl_lib_message m = {.what = TL_LIB_DESTROY};

    if (lib->host == NULL || lib->own != NULL || tl_child_stopped(&lib->child))
        return false;
    tell(lib, &m, NULL);
    while (tl_child_next(&lib->child) != NULL)
        ;
    return !tl_child_stopped(&lib->child) && tl_lib_host_keep(lib->host, &lib->child);
}

static void release(struct tl_virtual_sut *sut)
{
    if (!kept(of(sut)))
        tl_child_free(&of(sut)->child);
    tl_lib_host_end(of(sut)->own);
    free(sut);
}

static const struct tl_virtual_sut_ops ops = {TL_VIRTUAL_SUT_OPS, .stopped = stopped};

/* Starts the child. Returns 0, or an error of this side. */
static int begin(struct lib *lib, const char *path, struct tl_lib_host *host,
                 struct fal_error *err)
{
    int channel[2] = {-1, -1}, said[2] = {-1, -1}, rc = FAL_ERR_IO;
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0 ||
        pipe2(said, O_CLOEXEC) != 0)
        (void)fal_fail(err, FAL_ERR_IO, "cannot make a channel to the library: %s",
                       strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    else
        rc = tl_lib_host_fork(host, path, channel[1], said[1], &pid, err);
    lib->child.to = lib->child.from = channel[0];
    lib->child.err = said[0];
    if (rc == 0)
        tl_child_started(&lib->child, pid);
    if (channel[0] >= 0) {
        (void)fcntl(channel[0], F_SETFL, O_NONBLOCK);
        (void)close(channel[1]);
    }
    if (said[0] >= 0) {
        (void)fcntl(said[0], F_SETFL, O_NONBLOCK);
        (void)close(said[1]);
    }
    return rc;
}

/* A child that waits, or a new one. Returns 0, or an error of this side. */
static int get_child(struct lib *lib, const char *path, const struct tl_lib_config *config,
                     struct fal_error *err)
{
    int rc = FAL_ERR_MEM;

    lib->host = config->host;
    if (config->host != NULL && !config->fresh && tl_lib_host_take(config->host, &lib->child)) {
        tl_child_renew(&lib->child, &config->child);
        return 0;
    }
    (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (tl_child_init(&lib->child, IN_CAP, &config->child) == 0)
        rc = config->host == NULL ? tl_lib_host_start(&lib->own, NULL, err) : 0;
    if (config->host == NULL)
        lib->host = lib->own;
    return rc == 0 ? begin(lib, path, lib->host, err) : rc;
}

struct tl_virtual_sut *tl_virtual_lib(const char *path, const struct tl_lib_config *config,
                                      struct fal_error *err)
{
    const struct tl_lib_message m = {.what = TL_LIB_CREATE, .now_ns = config->seed};
    struct lib *lib = malloc(sizeof *lib);

    if (lib == NULL) {
        (void)fal_fail(err, FAL_ERR_MEM, "out of memory");
        return NULL;
    }
    memset(lib, 0, offsetof(struct lib, message)); /* which is written before it is read */
    lib->base.ops = &ops;
    lib->next_ns = FAL_NEVER;
    if (get_child(lib, path, config, err) == 0) {
        lib->child.name = "the process that loads it";
        tell(lib, &m, NULL);
        lib->child.name = "the library";
        if (!tl_child_stopped(&lib->child))
            return &lib->base;
        (void)fal_fail(err, FAL_ERR_IO, "%.120s: %.270s", path,
                       lib->child.stop.how == TL_STOP_ADAPTER ? lib->child.stop.what
                                                              : lib->child.why.text);
    }
    release(&lib->base);
    return NULL;
}
