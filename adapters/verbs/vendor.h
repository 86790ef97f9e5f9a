/* SPDX-License-Identifier: Apache-2.0
 * vendor.h - the hooks that a vendor of a Falcon NIC fills in: what libibverbs has no words
 * for. vendor.c has the table for soft RoCE; docs/verbs-adapter.md says what each hook must do.
 */
#ifndef VA_VENDOR_H
#define VA_VENDOR_H

#include "adapter.h"

struct va_vendor {
    const char *vendor, *product, *firmware, *serial;
    /* Whether wc events of a QP follow the device's own order (`ordered_events`). */
    bool ordered_events;
    /* Adds the items of the ICS that the device has or has not. */
    void (*declare)(json_t *ics);
    /* Makes the Falcon connection of `open`. `conn->peer` has the tester's numbers and
     * `conn->local` the wished ones; it writes the numbers that count to `conn->local`, the
     * address of the peer to `conn->gid`, and the parameters that differ to "params" of the
     * reply. */
    enum talon_client_done (*open)(struct va_device *device, struct va_conn *conn,
                                   const json_t *command, json_t *reply, const char **why);
    /* Removes it; its QPs are gone by then. */
    void (*close)(struct va_device *device, struct va_conn *conn);
    /* Sets the ordering and the error mode of a QP that was created (qp->ordering, qp->errors),
     * or refuses them. Writes the MTU of datagrams to qp->mtu if the wished one cannot be. */
    enum talon_client_done (*mode)(struct va_device *device, struct va_qp *qp,
                                   const char **why);
    /* Ties a QP to a connection: changes the attributes for RTR or RTS (`attr->qp_state`),
     * which the adapter then applies, or refuses the connection. */
    enum talon_client_done (*connect)(struct va_device *device, struct va_qp *qp,
                                      struct va_conn *conn, struct ibv_qp_attr *attr,
                                      const char **why);
    /* Returns when the device has processed each frame that had arrived before, and its events
     * can be polled. NULL: the adapter waits until the device was quiet for --settle. */
    void (*settle)(struct va_device *device);
    /* Adds frames_received and frames_sent to the reply. NULL: unsupported. */
    enum talon_client_done (*counters)(struct va_device *device, json_t *reply,
                                       const char **why);
};

/* The table of the device that this program was built for. */
const struct va_vendor *va_vendor(void);

#endif
