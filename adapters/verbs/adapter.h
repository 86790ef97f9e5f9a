/* SPDX-License-Identifier: Apache-2.0
 * adapter.h - what the files of the verbs adapter share: the device, the objects that handles
 * name, and how arguments of commands are read. docs/verbs-adapter.md describes the program. */
#ifndef VA_ADAPTER_H
#define VA_ADAPTER_H

#include "sut_client.h"

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VA_NAME = 24,
    VA_WHY = 240,
    VA_SGE_MAX = 32,                   /* entries of a scatter list */
    VA_REGION_MAX = 256 * 1024 * 1024, /* bytes of a region */
    VA_QKEY = 0x11111111,              /* Q_Key of a UD QP that is given none */
};

enum va_kind {
    VA_AH,
    VA_QP,
    VA_SRQ,
    VA_MR,
    VA_CQ,
    VA_PD,
    VA_CONN,
    VA_KINDS
}; /* to be removed
      in this order */

/* Each object that has a handle begins with this. */
struct va_head {
    struct va_head *next;
    enum va_kind kind;
    char name[VA_NAME];
};

/* Bytes that one or more regions show (`within`). */
struct va_memory {
    uint8_t *bytes;
    size_t size;
    unsigned users;
};

/* A work request that was posted and has not completed. */
struct va_work {
    struct va_work *next;
    uint64_t id;        /* what the device is given as wr_id */
    uint64_t wr_id;     /* what the tester gave */
    const char *opcode; /* of the wc, if the device tells none */
    bool signaled;
    bool own; /* of the adapter: its end is no event */
};

struct va_works {
    struct va_work *first;
};

struct va_pd {
    struct va_head head;
    struct ibv_pd *pd;
};

struct va_cq {
    struct va_head head;
    struct ibv_cq *cq;
};

struct va_srq {
    struct va_head head;
    struct ibv_srq *srq;
    uint32_t max_sge;
    struct va_works received;
};

struct va_mr {
    struct va_head head;
    struct va_memory *memory;
    uint8_t *bytes; /* of the first byte of the region */
    uint64_t va, length;
    struct ibv_mr *mr; /* NULL after mr_dereg */
    struct ibv_mw *mw; /* of a region with `inv` */
    uint32_t lkey, rkey;
};

/* An end of a Falcon connection, with the names of docs/sut-protocol.md. */
struct va_end {
    uint32_t cid, function, req_psn, data_psn, rsn;
};

struct va_conn {
    struct va_head head;
    struct va_end local, peer;
    union ibv_gid gid; /* of the peer */
    void *own;         /* of the vendor's hooks */
};

enum va_ordering { VA_STRONG, VA_WEAK, VA_UNORDERED };
enum va_errors { VA_ERRORS_VERBS, VA_ERRORS_CIE };

struct va_qp {
    struct va_head head;
    struct ibv_qp *qp;
    struct va_srq *srq;   /* or NULL */
    struct va_conn *conn; /* or NULL: not connected */
    bool ud;
    enum va_ordering ordering;
    enum va_errors errors;
    enum ibv_mtu mtu;
    struct ibv_qp_cap cap;
    uint8_t rd_atomic, rnr_code;
    struct va_works sent, received;
    int bound; /* status of the last bind of a window; -1: it has not ended */
    void *own; /* of the vendor's hooks */
};

struct va_ah {
    struct va_head head;
    struct ibv_ah *ah;
};

struct va_device {
    const char *name;
    struct ibv_context *context;
    struct ibv_comp_channel *channel;
    struct ibv_port_attr port;
    uint8_t gid_index,
        ack_timeout;    /* ack_timeout: 4.096 us * 2^it, before packets are repeated */
    uint64_t settle_ns; /* how long no event may come before a barrier is answered */
    struct talon_client *client;
    struct va_head *objects;
    uint64_t made, posted; /* numbers for handles and works: none is used twice */
    char why[VA_WHY];
};

/* ---- objects.c ---- */

/* Takes `object` into the table under a new name. The device frees it from now on. */
void va_add(struct va_device *device, struct va_head *object, enum va_kind kind);
/* Frees an object and what it has of the device. 0, or an errno: it is still in use. */
int va_remove(struct va_device *device, struct va_head *object);
/* Frees all objects. */
void va_remove_all(struct va_device *device);
struct va_qp *va_qp_of_number(const struct va_device *device, uint32_t qpn);

struct va_work *va_work_add(struct va_device *device, struct va_works *works, uint64_t wr_id);
/* Takes a work out of the list; the caller frees it. NULL: there is none of this id. */
struct va_work *va_work_take(struct va_works *works, uint64_t id);
void va_works_clear(struct va_works *works);

/* ---- arguments.c: each reads a member of a command, or sets *why and returns false ---- */

struct va_args {
    struct va_device *device;
    const json_t *object;
    const char *where; /* prefix of names in errors, such as "remote."; "" for a command */
    const char **why;
};

struct va_range {
    uint64_t min, max;
    bool optional;
    uint64_t otherwise; /* the value if it is absent */
};

struct va_choice {
    const char *const *names;
    size_t count;
    bool optional; /* absent: the first */
};

/* NULL where the member is absent or null. */
const json_t *va_member(const struct va_args *args, const char *key);
bool va_number(const struct va_args *args, const char *key, struct va_range range,
               uint64_t *out);
bool va_flag(const struct va_args *args, const char *key, bool *out); /* absent: false */
bool va_choose(const struct va_args *args, const char *key, struct va_choice choice,
               unsigned *out);
/* The object of a handle. NULL with *why, or without it if the handle may be absent. */
void *va_object(const struct va_args *args, const char *key, enum va_kind kind, bool optional);
/* Sets *why as printf does, cut at VA_WHY bytes; returns TALON_CLIENT_FAILED. */
enum talon_client_done va_fail(struct va_device *device, const char **why, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));
json_t *va_wide(uint64_t value); /* a number, beyond 2^53 as "0x..." */
json_t *va_hex(uint64_t value);  /* "0x" and 16 digits */

/* ---- events.c ---- */

/* Sends the events of all that the device has to tell. Returns whether it had anything. */
bool va_poll(struct va_device *device);
/* Polls until nothing was told for settle_ns. */
void va_settle(struct va_device *device);
uint64_t va_now_ns(void);

/* ---- pairs.c ---- */

/* The wait of va_qp.rnr_code in nanoseconds [InfiniBand]. */
uint64_t va_rnr_ns(uint8_t code);

/* ---- the commands, in the form of sut_client.h ---- */

talon_client_fn va_reset, va_open, va_close, va_barrier, va_counters;
talon_client_fn va_pd_create, va_cq_create, va_cq_arm, va_srq_create;
talon_client_fn va_mr_reg, va_mr_dereg, va_mr_fill, va_mr_hash, va_mr_word;
talon_client_fn va_qp_create, va_qp_connect, va_qp_query, va_ah_create;
talon_client_fn va_post_send, va_post_recv;

#endif
