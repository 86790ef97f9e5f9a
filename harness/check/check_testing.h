/* SPDX-License-Identifier: Apache-2.0
 * check_testing.h - `talon check` as its users meet it: files in, status and report out. What
 * two conforming nodes did is written as a capture, whole or with one thing changed. */
#ifndef TL_HARNESS_CHECK_CHECK_TESTING_H
#define TL_HARNESS_CHECK_CHECK_TESTING_H

#include "harness/check/check.h"

#include "harness/capture/capture.h"
#include "harness/cli/cmd.h"
#include "oracles/rules/judge/model_testing.h"
#include "tests/testing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORT_MAX = 1 << 20 };

static char dir[] = "/tmp/talon-check-XXXXXX";
static char made[sizeof dir];
static char report[REPORT_MAX], complaint[4096];

static inline void setup(void)
{
    memcpy(made, dir, sizeof dir);
    ck_assert_ptr_nonnull(mkdtemp(made));
}

static inline void teardown(void)
{
    static const char *const names[] = {"a.pcap",   "a.json",    "bad.pcap", "a.pcapng",
                                        "bad.json", "keys.json", "c.json",   "t.jsonl",
                                        "out",      "err"};
    char path[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", made, names[i]);
        (void)unlink(path);
    }
    ck_assert_int_eq(rmdir(made), 0);
}

/* A name in the test's directory; two at a time. */
static inline const char *in_dir(const char *name)
{
    static char paths[4][64];
    static unsigned next;
    char *path = paths[next++ % 4];

    (void)snprintf(path, sizeof paths[0], "%s/%s", made, name);
    return path;
}

static inline void slurp(const char *name, char *out, size_t cap)
{
    FILE *file = fopen(in_dir(name), "r");

    ck_assert_ptr_nonnull(file);
    out[fread(out, 1, cap - 1, file)] = 0;
    (void)fclose(file);
}

static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_dir(name), "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Runs `talon check` in a process of its own; its output goes to `report`, its complaints to
 * `complaint`. */
static inline int check(const char *const *arguments)
{
    char *argv[24] = {NULL}, verb[] = "check";
    int argc = 1, status;
    pid_t child;

    argv[0] = verb;
    for (; *arguments != NULL; arguments++)
        argv[argc++] = strdup(*arguments);
    (void)fflush(NULL);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        if (freopen(in_dir("out"), "w", stdout) == NULL ||
            freopen(in_dir("err"), "w", stderr) == NULL)
            _exit(99);
        status = tl_cmd_check(argc, argv);
        (void)fflush(NULL);
        _exit(status);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    while (argc > 1)
        free(argv[--argc]);
    slurp("out", report, sizeof report);
    slurp("err", complaint, sizeof complaint);
    ck_assert_msg(WIFEXITED(status), "ended by a signal");
    return WEXITSTATUS(status);
}

#define CHECK(...) check((const char *const[]){__VA_ARGS__, NULL})

/* ---- captures of the model ---- */

struct shot {
    uint64_t t_ns;
    unsigned conn;
    bool to_sut;
    uint32_t len;
    uint8_t bytes[MODEL_BYTES];
};

struct shots {
    struct shot *list;
    size_t num, cap;
    unsigned conn;
    struct fal_connection setup;
};

/* Where the ends are, and what is done to a packet. */
struct scene {
    enum fal_encap encap;
    unsigned connections;
    bool one_host;   /* both ends have one address: ports tell them apart */
    bool equal_cids; /* both ends allocated the same CID */
    struct fal_psp_keys *keys;
    uint64_t seed;
    size_t change_at; /* the n-th packet of the SUT that `change` takes; 0: none */
    bool (*change)(struct fal_falcon *f);
};

static inline void take_shot(void *ctx, const struct fal_event *event)
{
    struct shots *s = ctx;

    if (event->kind == FAL_EV_CONNECTION)
        s->setup = event->u.connection;
    if (event->kind != FAL_EV_PACKET)
        return;
    if (s->num == s->cap) {
        s->cap = s->cap == 0 ? 1024 : 2 * s->cap;
        s->list = realloc(s->list, s->cap * sizeof *s->list);
        ck_assert_ptr_nonnull(s->list);
    }
    s->list[s->num] = (struct shot){.t_ns = event->t_ns + 333 * s->conn,
                                    .conn = s->conn,
                                    .to_sut = event->u.packet.dir == FAL_TO_SUT,
                                    .len = event->u.packet.len};
    memcpy(s->list[s->num++].bytes, event->u.packet.bytes, event->u.packet.len);
}

static inline int by_time(const void *a, const void *b)
{
    const struct shot *x = a, *y = b;

    return x->t_ns != y->t_ns ? (x->t_ns < y->t_ns ? -1 : 1) : (int)x->conn - (int)y->conn;
}

static inline uint32_t sut_cid(const struct scene *scene, unsigned conn)
{
    return (scene->equal_cids ? 0x100u : 0x200u) + conn;
}

/* {"tester": ..., "sut": ...} of one connection, for --connections. */
static inline json_t *given(const struct scene *scene, unsigned conn,
                            const struct fal_connection *setup)
{
    const struct fal_end *t = &setup->tester, *s = &setup->sut;

    return json_pack("{s:{s:i, s:i, s:I, s:I, s:I}, s:{s:i, s:i, s:I, s:I, s:I}, s:{s:b, s:i}}",
                     "tester", "cid", (int)(0x100 + conn), "function", (int)t->function,
                     "req_psn", (json_int_t)t->req_psn, "data_psn", (json_int_t)t->data_psn,
                     "rsn", (json_int_t)t->rsn, "sut", "cid", (int)sut_cid(scene, conn),
                     "function", (int)s->function, "req_psn", (json_int_t)s->req_psn,
                     "data_psn", (json_int_t)s->data_psn, "rsn", (json_int_t)s->rsn, "params",
                     "ordered", 0, "pipeline_ns", 5000);
}

static inline void swap_ends(struct fal_frame *f)
{
    uint32_t ip = f->ipv4.src;
    uint16_t port = f->udp.src_port;

    f->ipv4.src = f->ipv4.dst;
    f->ipv4.dst = ip;
    if (!fal_frame_has(f, FAL_LAYER_PSP)) {
        f->udp.src_port = f->udp.dst_port;
        f->udp.dst_port = port;
    }
}

static inline void write_shot(struct tl_capture_writer *writer, const struct scene *scene,
                              const struct shot *shot, uint64_t iv, bool changed)
{
    static struct fal_frame f;
    static uint8_t wire[4096];
    struct fal_error err;
    int header, len;

    memset(&f, 0, sizeof f);
    header = fal_falcon_decode(shot->bytes, shot->len, &f.falcon);
    f.falcon.dest_cid = shot->to_sut ? sut_cid(scene, shot->conn) : 0x100 + shot->conn;
    if (changed)
        (void)scene->change(&f.falcon);
    fal_frame_encapsulate(&f, scene->encap, 4);
    f.payload = (struct fal_span){shot->bytes + header, shot->len - (size_t)header};
    if (scene->one_host)
        f.ipv4.src = f.ipv4.dst = 0x7f000001;
    if (!shot->to_sut)
        swap_ends(&f);
    f.psp.iv = iv;
    len = fal_frame_encode(&f, scene->keys, FAL_KEEP_REQUEST_LENGTH, wire, sizeof wire, NULL);
    ck_assert_int_gt(len, 0);
    ck_assert_int_eq(tl_capture_write(writer, UINT64_C(1700000000000000000) + shot->t_ns, wire,
                                      (uint32_t)len, (uint32_t)len, &err),
                     0);
}

/* Writes NAME.pcap and NAME.json (for --connections). Returns the packets in it. */
static inline size_t capture(const char *name, const struct scene *scene)
{
    struct shots s = {0};
    json_t *list = json_array();
    struct tl_capture_writer *writer;
    struct fal_error err;
    char file[32];
    size_t from_sut = 0, num;

    for (; s.conn < scene->connections; s.conn++) {
        struct model_config c = {.seed = scene->seed + s.conn,
                                 .delay_min_ns = 3000,
                                 .delay_max_ns = 20000,
                                 .pipeline_ns = 5000,
                                 .vantage = FAL_VANTAGE_MIDDLE};

        model_run(&c, take_shot, &s);
        (void)json_array_append_new(list, given(scene, s.conn, &s.setup));
    }
    qsort(s.list, s.num, sizeof *s.list, by_time);
    (void)snprintf(file, sizeof file, "%s.json", name);
    ck_assert_int_eq(json_dump_file(list, in_dir(file), 0), 0);
    (void)snprintf(file, sizeof file, "%s.pcap", name);
    writer = tl_capture_create(
        in_dir(file),
        scene->encap == FAL_ENCAP_BARE ? FAL_LINKTYPE_USER0 : FAL_LINKTYPE_ETHERNET, &err);
    ck_assert_ptr_nonnull(writer);
    for (size_t i = 0; i < s.num; i++) {
        struct fal_falcon f;

        FAL_IGNORE(fal_falcon_decode(s.list[i].bytes, s.list[i].len, &f));
        if (!s.list[i].to_sut && scene->change != NULL && scene->change(&f))
            from_sut++;
        else
            f.version = 0;
        write_shot(writer, scene, &s.list[i], s.list[i].t_ns * 1000 + i,
                   f.version != 0 && from_sut == scene->change_at && scene->change_at > 0);
    }
    ck_assert_int_eq(tl_capture_finish(writer, &err), 0);
    num = s.num;
    free(s.list);
    json_decref(list);
    return num;
}

/* What is changed: true when it applies to the packet. */
static inline bool far_bit(struct fal_falcon *f)
{
    f->data_rx_bitmap = fal_u128_with(f->data_rx_bitmap, 127);
    return f->packet_type == FAL_EACK;
}

static inline bool bad_version(struct fal_falcon *f)
{
    f->version = 7;
    return true;
}

static const struct scene plain = {.encap = FAL_ENCAP_UDP, .connections = 1, .seed = 3};

#endif
