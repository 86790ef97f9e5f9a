/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/site/host_iface.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BITS = 32, BLOCKS_MAX = TL_HOST_FEATURES_MAX / BITS };

/* ---- ioctls ---- */

static int ask(const struct tl_host_iface *iface, unsigned long request, struct ifreq *ifr)
{
    (void)snprintf(ifr->ifr_name, sizeof ifr->ifr_name, "%s", iface->name);
    return ioctl(iface->socket, request, ifr) == 0 ? 0 : errno;
}

static int ethtool(const struct tl_host_iface *iface, void *command)
{
    struct ifreq ifr = {.ifr_data = command};

    return ask(iface, SIOCETHTOOL, &ifr);
}

static uint32_t count_features(const struct tl_host_iface *iface)
{
    union {
        struct ethtool_sset_info head;
        uint8_t room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
    } info = {.room = {0}};
    uint32_t count;

    info.head.cmd = ETHTOOL_GSSET_INFO;
    info.head.sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
    if (ethtool(iface, &info) != 0 || info.head.sset_mask == 0)
        return 0;
    count = info.head.data[0];
    return count < TL_HOST_FEATURES_MAX ? count : TL_HOST_FEATURES_MAX;
}

static void read_features(struct tl_host_iface *iface)
{
    uint32_t count = count_features(iface);
    size_t size = sizeof(struct ethtool_gstrings) + (size_t)count * ETH_GSTRING_LEN;
    struct ethtool_gstrings *strings = calloc(1, size);

    if (strings == NULL)
        return;
    strings->cmd = ETHTOOL_GSTRINGS;
    strings->string_set = ETH_SS_FEATURES;
    strings->len = count;
    if (count > 0 && ethtool(iface, strings) == 0) {
        iface->num_features = count;
        for (uint32_t i = 0; i < count; i++)
            memcpy(iface->features[i], strings->data + (size_t)i * ETH_GSTRING_LEN,
                   sizeof iface->features[i] - 1);
    }
    free(strings);
}

int tl_host_iface_open(struct tl_host_iface *iface, const char *name, struct fal_error *err)
{
    struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
    struct ethtool_ts_info stamps = {.cmd = ETHTOOL_GET_TS_INFO};
    const uint32_t hardware = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
    struct ifreq ifr = {.ifr_ifindex = 0};
    int code = ENODEV;

    *iface = (struct tl_host_iface){.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (iface->socket < 0)
        return fal_fail(err, FAL_ERR_IO, "socket: %s", strerror(errno));
    if (strlen(name) < sizeof iface->name) {
        memcpy(iface->name, name, strlen(name) + 1);
        code = ask(iface, SIOCGIFHWADDR, &ifr);
    }
    if (code != 0) {
        tl_host_iface_close(iface);
        return fal_fail(err, FAL_ERR_IO, "%.40s: %s", name, strerror(code));
    }
    iface->ethernet = ifr.ifr_hwaddr.sa_family == ARPHRD_ETHER;
    memcpy(iface->mac, ifr.ifr_hwaddr.sa_data, sizeof iface->mac);
    if (ask(iface, SIOCGIFFLAGS, &ifr) == 0) {
        iface->up = ((unsigned)ifr.ifr_flags & IFF_UP) != 0;
        iface->running = ((unsigned)ifr.ifr_flags & IFF_RUNNING) != 0;
    }
    if (ethtool(iface, &driver) == 0)
        (void)snprintf(iface->driver, sizeof iface->driver, "%.31s", driver.driver);
    iface->hardware_stamps = ethtool(iface, &stamps) == 0 &&
                             (stamps.so_timestamping & hardware) == hardware &&
                             (stamps.rx_filters & (UINT32_C(1) << HWTSTAMP_FILTER_ALL)) != 0;
    read_features(iface);
    return 0;
}

void tl_host_iface_close(struct tl_host_iface *iface)
{
    if (iface->socket >= 0)
        (void)close(iface->socket);
    iface->socket = -1;
}

/* ---- features ---- */

static uint32_t feature_bit(const struct tl_host_iface *iface, const char *name)
{
    uint32_t i = 0;

    while (i < iface->num_features && strcmp(iface->features[i], name) != 0)
        i++;
    return i;
}

static bool get_feature(const struct tl_host_iface *iface, const char *name, uint64_t *value,
                        bool *fixed)
{
    union {
        struct ethtool_gfeatures head;
        uint8_t room[sizeof(struct ethtool_gfeatures) +
                     BLOCKS_MAX * sizeof(struct ethtool_get_features_block)];
    } get = {.room = {0}};
    const struct ethtool_get_features_block *block;
    uint32_t bit = feature_bit(iface, name), mask = UINT32_C(1) << bit % BITS;

    get.head.cmd = ETHTOOL_GFEATURES;
    get.head.size = BLOCKS_MAX;
    if (bit == iface->num_features || ethtool(iface, &get) != 0)
        return false;
    block = &get.head.features[bit / BITS];
    *value = (block->active & mask) != 0;
    *fixed = (block->available & mask) == 0 || (block->never_changed & mask) != 0;
    return true;
}

static int set_feature(const struct tl_host_iface *iface, const char *name, uint64_t value)
{
    union {
        struct ethtool_sfeatures head;
        uint8_t room[sizeof(struct ethtool_sfeatures) +
                     BLOCKS_MAX * sizeof(struct ethtool_set_features_block)];
    } set = {.room = {0}};
    uint32_t bit = feature_bit(iface, name), mask = UINT32_C(1) << bit % BITS;
    uint64_t now;
    bool fixed;
    int code;

    if (bit == iface->num_features)
        return EOPNOTSUPP;
    set.head.cmd = ETHTOOL_SFEATURES;
    set.head.size = (iface->num_features + BITS - 1) / BITS;
    set.head.features[bit / BITS].valid = mask;
    set.head.features[bit / BITS].requested = value != 0 ? mask : 0;
    code = ethtool(iface, &set);
    if (code != 0)
        return code;
    return get_feature(iface, name, &now, &fixed) && now == value ? 0 : EOPNOTSUPP;
}

/* ---- coalescing, queues, MTU ---- */

static uint32_t *coalesce_member(struct ethtool_coalesce *c, const char *name)
{
    return strcmp(name, "rx-usecs") == 0    ? &c->rx_coalesce_usecs
           : strcmp(name, "rx-frames") == 0 ? &c->rx_max_coalesced_frames
                                            : &c->use_adaptive_rx_coalesce;
}

static bool get_coalesce(const struct tl_host_iface *iface, const char *name, uint64_t *value)
{
    struct ethtool_coalesce c = {.cmd = ETHTOOL_GCOALESCE};

    if (ethtool(iface, &c) != 0)
        return false;
    *value = *coalesce_member(&c, name);
    return true;
}

static int set_coalesce(const struct tl_host_iface *iface, const char *name, uint64_t value)
{
    struct ethtool_coalesce c = {.cmd = ETHTOOL_GCOALESCE};
    int code = ethtool(iface, &c);

    if (code != 0)
        return code;
    c.cmd = ETHTOOL_SCOALESCE;
    *coalesce_member(&c, name) = (uint32_t)value;
    return ethtool(iface, &c);
}

static bool get_queues(const struct tl_host_iface *iface, uint64_t *value, bool *fixed)
{
    struct ethtool_channels c = {.cmd = ETHTOOL_GCHANNELS};

    if (ethtool(iface, &c) != 0)
        return false;
    *value = (uint64_t)c.rx_count + c.combined_count;
    *fixed = *value <= 1;
    return *value > 0;
}

static int set_queues(const struct tl_host_iface *iface, uint64_t value)
{
    struct ethtool_channels c = {.cmd = ETHTOOL_GCHANNELS};
    int code = ethtool(iface, &c);

    if (code != 0)
        return code;
    c.cmd = ETHTOOL_SCHANNELS;
    if (c.combined_count > 0)
        c.combined_count = (uint32_t)value - c.rx_count;
    else
        c.rx_count = (uint32_t)value;
    return ethtool(iface, &c);
}

/* ---- sysctl ---- */

static int open_sysctl(const struct tl_host_iface *iface, const char *name, int flags)
{
    const char *here = strstr(name, "%s");
    char path[160];

    (void)snprintf(path, sizeof path, "/proc/sys/%.*s%s%s",
                   here != NULL ? (int)(here - name) : (int)strlen(name), name,
                   here != NULL ? iface->name : "", here != NULL ? here + 2 : "");
    return open(path, flags | O_CLOEXEC);
}

static bool get_sysctl(const struct tl_host_iface *iface, const char *name, uint64_t *value)
{
    char text[32];
    int fd = open_sysctl(iface, name, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    if (n <= 0)
        return false;
    text[n] = 0;
    *value = strtoull(text, NULL, 10);
    return true;
}

static int set_sysctl(const struct tl_host_iface *iface, const char *name, uint64_t value)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%llu\n", (unsigned long long)value);
    int fd = open_sysctl(iface, name, O_WRONLY), code = 0;

    if (fd < 0)
        return errno;
    if (write(fd, text, (size_t)len) != len)
        code = errno;
    (void)close(fd);
    return code;
}

/* ---- all ---- */

bool tl_host_get(const struct tl_host_iface *iface, const struct tl_host_setting *setting,
                 uint64_t *value, bool *fixed)
{
    struct ifreq ifr = {.ifr_ifindex = 0};
    bool none = false, *stays = fixed != NULL ? fixed : &none;

    *stays = false;
    switch (setting->kind) {
    case TL_HOST_FEATURE: return get_feature(iface, setting->name, value, stays);
    case TL_HOST_COALESCE: return get_coalesce(iface, setting->name, value);
    case TL_HOST_QUEUES: return get_queues(iface, value, stays);
    case TL_HOST_SYSCTL: return get_sysctl(iface, setting->name, value);
    case TL_HOST_MTU:
        if (ask(iface, SIOCGIFMTU, &ifr) != 0)
            return false;
        *value = (uint64_t)ifr.ifr_mtu;
        return true;
    }
    return false;
}

int tl_host_set(const struct tl_host_iface *iface, const struct tl_host_setting *setting,
                uint64_t value)
{
    struct ifreq ifr = {.ifr_mtu = (int)value};

    switch (setting->kind) {
    case TL_HOST_FEATURE: return set_feature(iface, setting->name, value);
    case TL_HOST_COALESCE: return set_coalesce(iface, setting->name, value);
    case TL_HOST_QUEUES: return set_queues(iface, value);
    case TL_HOST_SYSCTL: return set_sysctl(iface, setting->name, value);
    case TL_HOST_MTU: return ask(iface, SIOCSIFMTU, &ifr);
    }
    return EOPNOTSUPP;
}
