/* SPDX-License-Identifier: Apache-2.0
 * host_iface.h - reads and writes settings of a network interface of this host one at a time:
 * offloads, coalescing and queues by ethtool's ioctls, the others by sysctl files. */
#ifndef TL_HARNESS_SITE_HOST_IFACE_H
#define TL_HARNESS_SITE_HOST_IFACE_H

#include "codecs/base/error.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

enum tl_host_kind {
    TL_HOST_FEATURE,  /* by its name in the kernel: "rx-gro"; 0 or 1 */
    TL_HOST_COALESCE, /* "rx-usecs", "rx-frames", "adaptive-rx" */
    TL_HOST_QUEUES,   /* number of receive queues in use */
    TL_HOST_SYSCTL,   /* below /proc/sys; "%s" stands for the interface */
    TL_HOST_MTU,
};

struct tl_host_setting {
    enum tl_host_kind kind;
    const char *name;
};

enum { TL_HOST_FEATURES_MAX = 128, TL_HOST_WORD = 64 };

struct tl_host_iface {
    char name[IF_NAMESIZE];
    int socket;
    /* The names of features, with the kernel's bit numbers. */
    uint32_t num_features;
    char features[TL_HOST_FEATURES_MAX][32];
    char driver[32];
    uint8_t mac[6];
    bool ethernet, up, running;
    bool hardware_stamps; /* for every frame that arrives */
};

/* Returns 0, or FAL_ERR_IO with `err`: there is no such interface. */
MUST_USE int tl_host_iface_open(struct tl_host_iface *iface, const char *name,
                                struct fal_error *err);
void tl_host_iface_close(struct tl_host_iface *iface);

/* Returns true when the interface has that setting. *fixed (may be NULL): it cannot be changed.
 */
bool tl_host_get(const struct tl_host_iface *iface, const struct tl_host_setting *setting,
                 uint64_t *value, bool *fixed);

/* Returns 0, or an errno: EPERM without CAP_NET_ADMIN, EOPNOTSUPP when it cannot be changed. */
MUST_USE int tl_host_set(const struct tl_host_iface *iface,
                         const struct tl_host_setting *setting, uint64_t value);

#endif
