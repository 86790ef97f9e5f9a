/* SPDX-License-Identifier: Apache-2.0
 * vendor.c - the hooks for soft RoCE (rdma_rxe), and for any RoCE NIC: there is no Falcon
 * below, so that `open` only notes the peer's address. A vendor of a Falcon NIC replaces this
 * file. */
#include "vendor.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static void declare(json_t *ics)
{
    static const char *const none[] = {"unordered-connections",
                                       "tunnel-mode",
                                       "psp",
                                       "esp",
                                       "rdma-weakly-ordered",
                                       "rdma-unordered",
                                       "rdma-complete-in-error",
                                       "rdma-xrc"};

    (void)json_object_set_new(ics, "ordered-connections", json_true());
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        (void)json_object_set_new(ics, none[i], json_false());
}

/* "HOST:PORT", with "[HOST]:PORT" for IPv6, as a GID: that of an IPv4 address is
 * ::ffff:a.b.c.d. */
static bool read_address(const char *text, union ibv_gid *gid)
{
    char host[64];
    size_t len =
        text != NULL && strrchr(text, ':') != NULL ? (size_t)(strrchr(text, ':') - text) : 0;

    memset(gid, 0, sizeof *gid);
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    }
    if (len == 0 || len >= sizeof host)
        return false;
    memcpy(host, text, len);
    host[len] = 0;
    if (inet_pton(AF_INET6, host, gid->raw) == 1)
        return true;
    gid->raw[10] = gid->raw[11] = 0xff;
    return inet_pton(AF_INET, host, gid->raw + 12) == 1;
}

static enum talon_client_done open_conn(struct va_device *device, struct va_conn *conn,
                                        const json_t *command, json_t *reply, const char **why)
{
    const char *encap = json_string_value(json_object_get(command, "encap"));
    const json_t *ordered = json_object_get(json_object_get(command, "params"), "ordered");
    const char *address = json_string_value(json_object_get(command, "peer_address"));

    (void)reply;
    if (encap != NULL && strcmp(encap, "udp") != 0) {
        *why = "encap: soft RoCE speaks in the clear";
        return TALON_CLIENT_UNSUPPORTED;
    }
    if (json_is_false(ordered)) {
        *why = "params.ordered: soft RoCE has ordered connections only";
        return TALON_CLIENT_UNSUPPORTED;
    }
    if (!read_address(address, &conn->gid))
        return va_fail(device, why, "peer_address: \"%.60s\" is no address; expected HOST:PORT",
                       address != NULL ? address : "");
    if (conn->local.cid == 0)
        conn->local.cid = (uint32_t)(device->made + 1) & 0xffffff;
    return TALON_CLIENT_DONE;
}

static void close_conn(struct va_device *device, struct va_conn *conn)
{
    (void)device, (void)conn;
}

static enum talon_client_done mode(struct va_device *device, struct va_qp *qp, const char **why)
{
    if (qp->ud)
        qp->mtu = device->port.active_mtu; /* datagrams have the MTU of the port */
    if (qp->ordering != VA_STRONG && !qp->ud) {
        *why = "ordering: soft RoCE is strong only";
        return TALON_CLIENT_UNSUPPORTED;
    }
    if (qp->errors != VA_ERRORS_VERBS) {
        *why = "errors: soft RoCE has no complete-in-error mode";
        return TALON_CLIENT_UNSUPPORTED;
    }
    return TALON_CLIENT_DONE;
}

/* A Falcon NIC would be given conn->local.cid here, for example by a vendor's call on qp->qp.
 * rdma_rxe takes seven retries for retries without an end, so that a dead peer never shows. */
static enum talon_client_done connect_qp(struct va_device *device, struct va_qp *qp,
                                         struct va_conn *conn, struct ibv_qp_attr *attr,
                                         const char **why)
{
    (void)device, (void)qp, (void)conn, (void)why;
    attr->retry_cnt = 6;
    return TALON_CLIENT_DONE;
}

const struct va_vendor *va_vendor(void)
{
    static const struct va_vendor soft_roce = {.vendor = "Linux",
                                               .product = "libibverbs",
                                               .firmware = "0",
                                               .serial = "0",
                                               .ordered_events = true,
                                               .declare = declare,
                                               .open = open_conn,
                                               .close = close_conn,
                                               .mode = mode,
                                               .connect = connect_qp};

    return &soft_roce;
}
