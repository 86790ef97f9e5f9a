/* SPDX-License-Identifier: Apache-2.0
 * memory.c - regions: mr_reg, mr_dereg, mr_fill, mr_hash, mr_word. */
#include "adapter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the payload of docs/sut-protocol.md ---- */

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void fill(uint8_t *bytes, uint64_t length, uint64_t tag, uint64_t seed)
{
    uint8_t head[16] = "TALN";
    uint64_t state = seed ^ tag, word = 0;

    for (int i = 0; i < 8; i++)
        head[4 + i] = (uint8_t)(tag >> (56 - 8 * i));
    for (uint64_t i = 0; i < length; i++) {
        if (i >= sizeof head && i % 8 == 0)
            word = splitmix64(&state);
        bytes[i] = (uint8_t)(i < sizeof head ? head[i] : word >> (8 * (i % 8)));
    }
}

static uint64_t fnv1a(const uint8_t *bytes, uint64_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint64_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- mr_reg ---- */

struct wish {
    struct va_pd *pd;
    struct va_mr *within; /* or NULL */
    struct va_qp *qp;     /* that binds the window of `inv`, or NULL */
    uint64_t length, offset, va;
    bool has_va;
    unsigned access; /* IBV_ACCESS_* */
    bool window;
};

static bool read_access(const struct va_args *args, struct wish *wish)
{
    static const char *const names[] = {"lw", "rw", "rr", "ra", "inv"};
    static const unsigned flags[] = {IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE,
                                     IBV_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_ATOMIC, 0};
    const json_t *list = va_member(args, "access");
    size_t count = json_array_size(list);

    if (list != NULL && !json_is_array(list)) {
        (void)va_fail(args->device, args->why,
                      "access: expected a list of lw, rw, rr, ra, inv");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        size_t k = 0;

        while (k < 5 && (name == NULL || strcmp(name, names[k]) != 0))
            k++;
        if (k == 5) {
            (void)va_fail(args->device, args->why,
                          "access: \"%.20s\" is unknown; expected lw, rw, rr, ra, inv",
                          name != NULL ? name : "");
            return false;
        }
        wish->access |= flags[k];
        wish->window |= k == 4;
    }
    /* libibverbs: remote write and atomic need local write. */
    if (wish->access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))
        wish->access |= IBV_ACCESS_LOCAL_WRITE;
    return true;
}

static bool read_wish(const struct va_args *args, struct wish *wish)
{
    struct va_range all = {.min = 0, .max = UINT64_MAX, .optional = true};

    wish->pd = va_object(args, "pd", VA_PD, false);
    if (wish->pd == NULL ||
        !va_number(args, "length", (struct va_range){.min = 1, .max = VA_REGION_MAX},
                   &wish->length) ||
        !va_number(args, "offset", all, &wish->offset) ||
        !va_number(args, "va", all, &wish->va) || !read_access(args, wish))
        return false;
    wish->has_va = va_member(args, "va") != NULL;
    *args->why = NULL;
    wish->within = va_object(args, "within", VA_MR, true);
    if (*args->why != NULL)
        return false;
    if (wish->within != NULL && (wish->offset > wish->within->length ||
                                 wish->length > wish->within->length - wish->offset)) {
        (void)va_fail(args->device, args->why,
                      "length: %" PRIu64 " bytes at offset %" PRIu64
                      " end outside of %s; expected at most %" PRIu64 " bytes in all",
                      wish->length, wish->offset, wish->within->head.name,
                      wish->within->length);
        return false;
    }
    if (!wish->window)
        return true;
    wish->qp = va_object(args, "qp", VA_QP, true); /* the QP whose peer may invalidate it */
    wish->window = wish->qp != NULL;               /* without it nothing can bind a window */
    if (*args->why != NULL || !wish->window)
        return *args->why == NULL;
    if (wish->qp->conn != NULL && !wish->qp->ud)
        return true;
    (void)va_fail(args->device, args->why,
                  "qp: %s is not connected; expected a connected rc QP, which binds the window",
                  wish->qp->head.name);
    return false;
}

/* The memory of a region, whose place in a page is that of the wished VA. */
static bool take_memory(struct va_mr *mr, const struct wish *wish)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t in_page = wish->has_va ? (size_t)(wish->va % page) : 0;

    if (wish->within != NULL) {
        mr->memory = wish->within->memory;
        mr->memory->users++;
        mr->bytes = wish->within->bytes + wish->offset;
        return true;
    }
    mr->memory = calloc(1, sizeof *mr->memory);
    if (mr->memory == NULL)
        return false;
    mr->memory->users = 1;
    mr->memory->size = (size_t)((wish->length + in_page + page - 1) / page * page);
    mr->memory->bytes = mmap(NULL, mr->memory->size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mr->memory->bytes == MAP_FAILED) {
        free(mr->memory);
        mr->memory = NULL;
        return false;
    }
    mr->bytes = mr->memory->bytes + in_page;
    return true;
}

/* Registers it at the wished VA if the device can; `within` keeps the VA of its larger region.
 */
static int register_region(struct va_mr *mr, const struct wish *wish)
{
    unsigned access = wish->window ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND : wish->access;
    uint64_t va = wish->within != NULL ? wish->within->va + wish->offset : wish->va;

    mr->length = wish->length;
    if (wish->has_va || wish->within != NULL) {
        mr->va = va;
        mr->mr = ibv_reg_mr_iova2(wish->pd->pd, mr->bytes, (size_t)wish->length, va, access);
    }
    if (mr->mr == NULL) {
        mr->va = (uint64_t)(uintptr_t)mr->bytes;
        errno = 0;
        mr->mr =
            ibv_reg_mr_iova2(wish->pd->pd, mr->bytes, (size_t)wish->length, mr->va, access);
    }
    if (mr->mr == NULL)
        return errno != 0 ? errno : ENOMEM;
    mr->lkey = mr->mr->lkey;
    mr->rkey = mr->mr->rkey;
    return 0;
}

/* Only a window of type 2 can be invalidated by a peer: allocates one and binds it. */
static int bind_window(struct va_device *device, struct va_mr *mr, const struct wish *wish)
{
    struct ibv_send_wr wr = {.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED}, *bad;
    struct va_qp *qp = wish->qp;
    struct va_work *work;
    uint64_t until = va_now_ns() + UINT64_C(2000000000);
    int error;

    mr->mw = ibv_alloc_mw(wish->pd->pd, IBV_MW_TYPE_2);
    if (mr->mw == NULL)
        return errno != 0 ? errno : EOPNOTSUPP;
    work = va_work_add(device, &qp->sent, 0);
    if (work == NULL)
        return ENOMEM;
    work->own = work->signaled = true;
    qp->bound = -1;
    wr.wr_id = work->id;
    wr.bind_mw.mw = mr->mw;
    wr.bind_mw.rkey = ibv_inc_rkey(mr->mw->rkey);
    wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
        .mr = mr->mr,
        .addr = mr->va,
        .length = mr->length,
        .mw_access_flags = wish->access & ~(unsigned)IBV_ACCESS_LOCAL_WRITE};
    error = ibv_post_send(qp->qp, &wr, &bad);
    if (error != 0) {
        free(va_work_take(&qp->sent, work->id));
        return error;
    }
    while (qp->bound < 0 && va_now_ns() < until)
        if (!va_poll(device))
            (void)usleep(100);
    mr->rkey = wr.bind_mw.rkey;
    return qp->bound == 0 ? 0 : qp->bound < 0 ? ETIMEDOUT : EIO;
}

enum talon_client_done va_mr_reg(void *ctx, const json_t *command, json_t *reply,
                                 const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct wish wish = {.pd = NULL};
    struct va_mr *mr;
    int error = ENOMEM;

    if (!read_wish(&args, &wish))
        return TALON_CLIENT_FAILED;
    mr = calloc(1, sizeof *mr);
    if (mr == NULL || !take_memory(mr, &wish))
        goto fail;
    error = register_region(mr, &wish);
    if (error == 0 && wish.window)
        error = bind_window(device, mr, &wish);
    va_add(device, &mr->head, VA_MR);
    if (error != 0) {
        (void)va_remove(device, &mr->head);
        mr = NULL;
        goto fail;
    }
    (void)json_object_set_new(reply, "mr", json_string(mr->head.name));
    (void)json_object_set_new(reply, "va", va_hex(mr->va));
    (void)json_object_set_new(reply, "lkey", json_integer((json_int_t)mr->lkey));
    (void)json_object_set_new(reply, "rkey", json_integer((json_int_t)mr->rkey));
    return TALON_CLIENT_DONE;
fail:
    free(mr);
    return va_fail(device, why, "mr_reg: the device refuses the region: %s", strerror(error));
}

enum talon_client_done va_mr_dereg(void *ctx, const json_t *command, json_t *reply,
                                   const char **why)
{
    struct va_device *device = ctx;
    struct va_args args = {device, command, "", why};
    struct va_mr *mr = va_object(&args, "mr", VA_MR, false);
    int error;

    (void)reply;
    if (mr == NULL)
        return TALON_CLIENT_FAILED;
    if (mr->mr == NULL)
        return va_fail(device, why, "mr: %s is deregistered already", mr->head.name);
    error = mr->mw != NULL ? ibv_dealloc_mw(mr->mw) : 0;
    if (error == 0) {
        mr->mw = NULL;
        error = ibv_dereg_mr(mr->mr);
    }
    if (error != 0)
        return va_fail(device, why, "mr: %s cannot be deregistered: %s", mr->head.name,
                       strerror(error));
    mr->mr = NULL; /* its memory and its dead keys stay: both can be asked about */
    return TALON_CLIENT_DONE;
}

/* The range of mr_fill, mr_hash and mr_word. */
struct range {
    struct va_mr *mr;
    uint64_t offset, length;
};

static bool read_range(const struct va_args *args, struct range *range, uint64_t fixed)
{
    struct va_range any = {.min = 0, .max = VA_REGION_MAX, .optional = true};

    range->mr = va_object(args, "mr", VA_MR, false);
    if (range->mr == NULL || !va_number(args, "offset", any, &range->offset))
        return false;
    any.otherwise = range->offset < range->mr->length ? range->mr->length - range->offset : 0;
    range->length = fixed;
    if (fixed == 0 && !va_number(args, "length", any, &range->length))
        return false;
    if (range->offset <= range->mr->length &&
        range->length <= range->mr->length - range->offset)
        return true;
    (void)va_fail(args->device, args->why,
                  "%s: %" PRIu64 " bytes at offset %" PRIu64
                  " end outside of %s; expected at most %" PRIu64 " bytes in all",
                  fixed != 0 ? "offset" : "length", range->length, range->offset,
                  range->mr->head.name, range->mr->length);
    return false;
}

enum talon_client_done va_mr_fill(void *ctx, const json_t *command, json_t *reply,
                                  const char **why)
{
    struct va_args args = {ctx, command, "", why};
    struct va_range all = {.min = 0, .max = UINT64_MAX, .optional = true};
    struct range range;
    uint64_t tag, seed;

    (void)reply;
    if (!read_range(&args, &range, 0) || !va_number(&args, "tag", all, &tag) ||
        !va_number(&args, "seed", all, &seed))
        return TALON_CLIENT_FAILED;
    fill(range.mr->bytes + range.offset, range.length, tag, seed);
    return TALON_CLIENT_DONE;
}

enum talon_client_done va_mr_hash(void *ctx, const json_t *command, json_t *reply,
                                  const char **why)
{
    struct va_args args = {ctx, command, "", why};
    struct range range;

    if (!read_range(&args, &range, 0))
        return TALON_CLIENT_FAILED;
    (void)json_object_set_new(reply, "hash",
                              va_hex(fnv1a(range.mr->bytes + range.offset, range.length)));
    return TALON_CLIENT_DONE;
}

enum talon_client_done va_mr_word(void *ctx, const json_t *command, json_t *reply,
                                  const char **why)
{
    struct va_args args = {ctx, command, "", why};
    struct va_range all = {.min = 0, .max = UINT64_MAX, .optional = true};
    struct range range;
    uint64_t before, value;

    if (!read_range(&args, &range, sizeof value) || !va_number(&args, "set", all, &value))
        return TALON_CLIENT_FAILED;
    memcpy(&before, range.mr->bytes + range.offset, sizeof before);
    if (va_member(&args, "set") != NULL)
        memcpy(range.mr->bytes + range.offset, &value, sizeof value);
    (void)json_object_set_new(reply, "value", va_hex(before));
    return TALON_CLIENT_DONE;
}
