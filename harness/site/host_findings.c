/* SPDX-License-Identifier: Apache-2.0
 * host_findings.c - the table of settings that are examined. */
#include "harness/site/host_check.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

enum {
    SNAPLEN = 65536,        /* of the raw link's capture */
    HEADERS = 14 + 4,       /* Ethernet, VLAN */
    MTU_WHOLE = 4096 + 256, /* the longest packet (6.2) with the headers of any encapsulation */
    NS_PER_US = 1000,
};

/* Settings and the values that they must have: `wanted`, or more where `least` is set. In
 * `mend`, %s stands for the interface. */
static const struct row {
    const char *id;
    struct tl_host_setting setting;
    uint64_t wanted;
    bool least;
    enum tl_host_weight weight;
    const char *why, *mend;
} rows[] = {
    {"gro",
     {TL_HOST_FEATURE, "rx-gro"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "merges consecutive frames into one",
     "ethtool -K %s gro off"},
    {"gro-hw",
     {TL_HOST_FEATURE, "rx-gro-hw"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the device merges consecutive frames",
     "ethtool -K %s rx-gro-hw off"},
    {"gro-list",
     {TL_HOST_FEATURE, "rx-gro-list"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "chains frames of one flow",
     "ethtool -K %s rx-gro-list off"},
    {"gro-udp",
     {TL_HOST_FEATURE, "rx-udp-gro-forwarding"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "merges UDP datagrams of one flow",
     "ethtool -K %s rx-udp-gro-forwarding off"},
    {"lro",
     {TL_HOST_FEATURE, "rx-lro"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the device merges frames and loses their headers",
     "ethtool -K %s lro off"},
    {"gso",
     {TL_HOST_FEATURE, "tx-generic-segmentation"},
     0,
     false,
     TL_HOST_NOTE,
     "data that a process sends in one piece may leave in several frames",
     "ethtool -K %s gso off"},
    {"tso",
     {TL_HOST_FEATURE, "tx-tcp-segmentation"},
     0,
     false,
     TL_HOST_NOTE,
     "the device splits data that a process sends in one piece",
     "ethtool -K %s tso off"},
    {"uso",
     {TL_HOST_FEATURE, "tx-udp-segmentation"},
     0,
     false,
     TL_HOST_NOTE,
     "the device splits long datagrams",
     "ethtool -K %s tx-udp-segmentation off"},
    {"rx-checksum",
     {TL_HOST_FEATURE, "rx-checksum"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the device may drop, or mark as correct, frames whose checksums are wrong on purpose",
     "ethtool -K %s rx off"},
    {"tx-checksum-ip-generic",
     {TL_HOST_FEATURE, "tx-checksum-ip-generic"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "checksums of this host's own packets are not computed yet when they are captured",
     "ethtool -K %s tx off"},
    {"tx-checksum-ipv4",
     {TL_HOST_FEATURE, "tx-checksum-ipv4"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "checksums of this host's own packets are not computed yet when they are captured",
     "ethtool -K %s tx off"},
    {"tx-checksum-ipv6",
     {TL_HOST_FEATURE, "tx-checksum-ipv6"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "checksums of this host's own packets are not computed yet when they are captured",
     "ethtool -K %s tx off"},
    {"rx-vlan",
     {TL_HOST_FEATURE, "rx-vlan-hw-parse"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "VLAN tags are removed from frames before they are captured",
     "ethtool -K %s rxvlan off"},
    {"tx-vlan",
     {TL_HOST_FEATURE, "tx-vlan-hw-insert"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the device inserts VLAN tags after the capture",
     "ethtool -K %s txvlan off"},
    {"rss",
     {TL_HOST_QUEUES, "queues"},
     1,
     false,
     TL_HOST_LIMITS,
     "frames of several flows are captured queue by queue, not in order of arrival",
     "ethtool -L %s combined 1"},
    {"coalescing-adaptive",
     {TL_HOST_COALESCE, "adaptive-rx"},
     0,
     false,
     TL_HOST_LIMITS,
     "the device decides how long frames wait for their interrupt, and so for the kernel's time stamp",
     "ethtool -C %s adaptive-rx off"},
    {"coalescing",
     {TL_HOST_COALESCE, "rx-usecs"},
     0,
     false,
     TL_HOST_LIMITS,
     "frames wait this many microseconds for their interrupt, and so for the kernel's time stamp",
     "ethtool -C %s rx-usecs 0"},
    {"forwarding-ipv4",
     {TL_HOST_SYSCTL, "net/ipv4/conf/%s/forwarding"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the kernel forwards or redirects packets sent to an address that Talon owns",
     "sysctl -w net.ipv4.conf.%s.forwarding=0"},
    {"forwarding-ipv6",
     {TL_HOST_SYSCTL, "net/ipv6/conf/%s/forwarding"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the kernel forwards or redirects packets sent to an address that Talon owns",
     "sysctl -w net.ipv6.conf.%s.forwarding=0"},
    {"proxy-arp",
     {TL_HOST_SYSCTL, "net/ipv4/conf/%s/proxy_arp"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the kernel answers ARP for addresses that are not its own",
     "sysctl -w net.ipv4.conf.%s.proxy_arp=0"},
    {"proxy-ndp",
     {TL_HOST_SYSCTL, "net/ipv6/conf/%s/proxy_ndp"},
     0,
     false,
     TL_HOST_FALSIFIES,
     "the kernel answers neighbour discovery for addresses that are not its own",
     "sysctl -w net.ipv6.conf.%s.proxy_ndp=0"},
    {"arp",
     {TL_HOST_SYSCTL, "net/ipv4/conf/%s/arp_ignore"},
     1,
     true,
     TL_HOST_LIMITS,
     "the kernel answers ARP at this interface for the addresses of its other interfaces",
     "sysctl -w net.ipv4.conf.%s.arp_ignore=1"},
    {"mtu",
     {TL_HOST_MTU, "mtu"},
     MTU_WHOLE,
     true,
     TL_HOST_LIMITS,
     "packets with a payload of up to 4096 bytes and their headers do not fit",
     "ip link set dev %s mtu 9000"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static struct tl_host_finding *add(struct tl_host_report *report, const char *id,
                                   enum tl_host_weight weight, bool ok, const char *why)
{
    struct tl_host_finding *f = &report->findings[report->num_findings++];

    *f = (struct tl_host_finding){.id = id, .weight = weight, .ok = ok, .why = why};
    return f;
}

/* "%s" in it stands for the interface. */
static void say_mend(struct tl_host_report *report, struct tl_host_finding *f, const char *mend)
{
    const char *here = strstr(mend, "%s");
    char name[IF_NAMESIZE];

    memcpy(name, report->iface.name, sizeof name);
    (void)snprintf(f->mend, sizeof f->mend, "%.*s%.15s%s", (int)(here - mend), mend, name,
                   here + 2);
}

static void look_at(struct tl_host_report *report, const struct row *row)
{
    struct tl_host_finding *f;
    uint64_t seen;
    bool fixed, is_switch = row->setting.kind == TL_HOST_FEATURE;

    if (!tl_host_get(&report->iface, &row->setting, &seen, &fixed))
        return;
    f = add(report, row->id, row->weight,
            row->least ? seen >= row->wanted : seen <= row->wanted, row->why);
    f->setting = &row->setting;
    f->seen = seen;
    f->wanted = row->wanted;
    /* The MTU must match the other end's: Talon does not change it. */
    f->fixable = !f->ok && !fixed && row->setting.kind != TL_HOST_MTU;
    if (is_switch)
        (void)snprintf(f->found, sizeof f->found, "%s is %s%s", row->setting.name,
                       seen != 0 ? "on" : "off", fixed ? ", and cannot be changed" : "");
    else
        (void)snprintf(f->found, sizeof f->found, "%s is %" PRIu64,
                       strrchr(row->setting.name, '/') != NULL
                           ? strrchr(row->setting.name, '/') + 1
                           : row->setting.name,
                       seen);
    if (!f->ok)
        say_mend(report, f, row->mend);
}

/* The link itself. */
static void look_at_link(struct tl_host_report *report)
{
    const struct tl_host_iface *iface = &report->iface;
    struct tl_host_finding *f =
        add(report, "link", TL_HOST_FALSIFIES, iface->ethernet && iface->up && iface->running,
            "no frame can leave or arrive");

    (void)snprintf(f->found, sizeof f->found, "%s",
                   !iface->ethernet ? "it is not an Ethernet interface"
                   : !iface->up     ? "it is down"
                   : iface->running ? "it is up"
                                    : "there is no carrier");
    if (iface->ethernet && !iface->up)
        say_mend(report, f, "ip link set dev %s up");
}

/* The kernel answers for its own addresses: by ICMP (port unreachable) and by ARP. */
static void look_at_addresses(struct tl_host_report *report)
{
    struct tl_host_finding *f = add(
        report, "kernel-answers", TL_HOST_NOTE, true,
        "for its own addresses the kernel answers UDP to closed ports by ICMP, and answers ARP");
    struct ifaddrs *all = NULL;
    size_t len = 0;

    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
        char text[INET6_ADDRSTRLEN];
        bool v4 = a->ifa_addr != NULL && a->ifa_addr->sa_family == AF_INET;
        const void *ip;

        if (a->ifa_addr == NULL || strcmp(a->ifa_name, report->iface.name) != 0 ||
            (!v4 && a->ifa_addr->sa_family != AF_INET6))
            continue;
        ip = v4 ? (const void *)&((const struct sockaddr_in *)(const void *)a->ifa_addr)
                      ->sin_addr
                : (const void *)&((const struct sockaddr_in6 *)(const void *)a->ifa_addr)
                      ->sin6_addr;
        if (inet_ntop(a->ifa_addr->sa_family, ip, text, sizeof text) == NULL ||
            len + strlen(text) + 2 >= sizeof f->found)
            continue;
        len += (size_t)snprintf(f->found + len, sizeof f->found - len, "%s%s",
                                len > 0 ? " " : "", text);
        f->ok = false;
    }
    freeifaddrs(all);
    if (f->ok)
        (void)snprintf(f->found, sizeof f->found, "the kernel has no address here");
    else
        say_mend(report, f, "--sut raw:%s,...,from=HOST with an address that no host has");
}

/* Whether the capture can hold whole frames. */
static void look_at_capture(struct tl_host_report *report)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(report->iface.name, why);
    struct tl_host_finding *f = add(report, "capture", TL_HOST_LIMITS, false,
                                    "frames are captured completely, or not at all");
    int rc = PCAP_ERROR;

    if (pcap != NULL) {
        (void)pcap_set_snaplen(pcap, SNAPLEN);
        (void)pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
        rc = pcap_activate(pcap);
    }
    if (rc < 0) {
        (void)snprintf(f->found, sizeof f->found, "cannot be opened: %.120s",
                       pcap != NULL ? pcap_statustostr(rc) : why);
        if (rc == PCAP_ERROR_PERM_DENIED)
            (void)snprintf(f->mend, sizeof f->mend, "sudo setcap cap_net_raw+ep build/talon");
    } else {
        bool nano = pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO;

        f->ok = pcap_snapshot(pcap) >= (int)report->mtu + HEADERS && nano;
        (void)snprintf(f->found, sizeof f->found,
                       "up to %d bytes of a frame, time stamps in %s", pcap_snapshot(pcap),
                       nano ? "nanoseconds" : "microseconds");
    }
    if (pcap != NULL)
        pcap_close(pcap);
}

static void look_at_stamps(struct tl_host_report *report)
{
    struct tl_host_finding *f = add(report, "stamps", TL_HOST_NOTE, true,
                                    "the source of time stamps of arriving frames");

    (void)snprintf(f->found, sizeof f->found, "by the kernel%s",
                   report->iface.hardware_stamps ? "; the device can stamp every frame as well"
                                                 : "");
    if (report->iface.hardware_stamps)
        say_mend(report, f, "--sut raw:%s,...,stamps=hardware");
}

void tl_host_findings(struct tl_host_report *report)
{
    static const struct tl_host_setting mtu = {TL_HOST_MTU, "mtu"},
                                        queues = {TL_HOST_QUEUES, "queues"},
                                        usecs = {TL_HOST_COALESCE, "rx-usecs"};
    uint64_t value;

    (void)tl_host_get(&report->iface, &mtu, &report->mtu, NULL);
    if (!tl_host_get(&report->iface, &queues, &report->queues, NULL))
        report->queues = 1;
    if (tl_host_get(&report->iface, &usecs, &value, NULL))
        report->stamp_error_ns = value * NS_PER_US;
    look_at_link(report);
    for (size_t i = 0; i < ROWS; i++)
        look_at(report, &rows[i]);
    look_at_addresses(report);
    look_at_capture(report);
    look_at_stamps(report);
}
