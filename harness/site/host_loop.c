/* SPDX-License-Identifier: Apache-2.0
 * host_loop.c - recognises a frame by its number, which stands at the end of the payload, where
 * nothing on the way has a reason to change it. */
#include "harness/site/host_loop.h"

#include "codecs/frame/frame.h"
#include "harness/link/sockets.h"

#include <errno.h>
#include <libnet.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    PAYLOAD = 96,
    MARK = 12, /* bytes at the end of the payload */
    FRAME_MAX = 9300,
    ETHERNET = 14,
    LEAST_MTU = 1280,
    SNAPLEN = 65536,
    WAIT_MS = 300,
    WAIT_AGAIN_MS = 10, /* when not even a correct frame arrives */
    NS_PER_MS = 1000000,
};

/* ---- the frames ---- */

struct work {
    struct fal_frame frame;
    uint8_t payload[FRAME_MAX], more[64];
    size_t payload_len;
    unsigned keep;
    int ip_version;
};

typedef void spoil_fn(struct work *w);

static void nothing(struct work *w)
{
    (void)w;
}

static void udp_checksum(struct work *w)
{
    w->frame.udp.checksum = 0xbad0;
    w->keep = FAL_KEEP_CHECKSUMS;
}

static void udp_no_checksum(struct work *w)
{
    w->frame.udp.checksum = 0;
    w->keep = FAL_KEEP_CHECKSUMS;
}

static void udp_length(struct work *w, int by)
{
    w->frame.udp.length = (uint16_t)((int)w->payload_len + 8 + by);
    w->frame.ipv4.ihl = 5;
    w->frame.ipv4.total_length = (uint16_t)(w->payload_len + 28);
    w->frame.ipv6.payload_length = (uint16_t)(w->payload_len + 8);
    w->keep = FAL_KEEP_LENGTHS;
}

static void udp_long(struct work *w)
{
    udp_length(w, 40);
}

static void udp_short(struct work *w)
{
    udp_length(w, -20);
}

static void ip_length(struct work *w, int by)
{
    udp_length(w, 0);
    w->frame.ipv4.total_length = (uint16_t)(w->frame.ipv4.total_length + by);
    w->frame.ipv6.payload_length = (uint16_t)(w->frame.ipv6.payload_length + by);
}

static void ip_long(struct work *w)
{
    ip_length(w, 40);
}

static void ip_short(struct work *w)
{
    ip_length(w, -24);
}

static void ip_checksum(struct work *w)
{
    w->frame.ipv4.header_checksum = 0xbad0;
    w->frame.udp.checksum = 0;
    w->keep = FAL_KEEP_CHECKSUMS;
}

static void ip_options(struct work *w)
{
    /* Router Alert, end of list (RFC 2113); pad option of a hop-by-hop header (RFC 8200) */
    static const uint8_t v4[] = {0x94, 0x04, 0, 0, 0, 0, 0, 0};
    static const uint8_t v6[] = {FAL_PROTOCOL_UDP, 0, 0x05, 0x02, 0, 0, 0x01, 0x00};
    struct fal_frame *f = &w->frame;

    f->ipv4_options = (struct fal_span){v4, sizeof v4};
    if (w->ip_version == 4)
        return;
    f->ipv6_ext = (struct fal_span){v6, sizeof v6};
    f->ipv6.next_header = FAL_PROTOCOL_HOP_BY_HOP;
    memmove(&f->layers[3], &f->layers[2], (f->num_layers - 2) * sizeof *f->layers);
    f->layers[2].id = FAL_LAYER_IPV6_EXT;
    f->num_layers++;
}

static void ip_version(struct work *w)
{
    w->frame.ipv4.version = 5;
    w->frame.ipv6.version = 5;
}

static void fragment(struct work *w)
{
    w->frame.ipv4.more_fragments = 1;
    w->frame.ipv4.dont_fragment = 0;
    w->frame.ipv4.identification = 77;
}

static void ttl_0(struct work *w)
{
    w->frame.ipv4.ttl = w->frame.ipv6.hop_limit = 0;
}

static void ttl_1(struct work *w)
{
    w->frame.ipv4.ttl = w->frame.ipv6.hop_limit = 1;
}

static void marked_ce(struct work *w)
{
    w->frame.ipv4.ecn = w->frame.ipv6.ecn = 3;
}

static void dscp(struct work *w)
{
    w->frame.ipv4.dscp = w->frame.ipv6.dscp = 46;
}

static void flow_label(struct work *w)
{
    w->frame.ipv6.flow_label = 0xabcde;
}

static void ethertype(struct work *w)
{
    w->frame.eth.ethertype = 0x88b5; /* IEEE: for local experiments */
}

static void vlan_tag(struct work *w)
{
    struct fal_frame *f = &w->frame;

    f->vlan = (struct fal_vlan){.ethertype = f->eth.ethertype};
    f->vlan.vid = 5;
    f->eth.ethertype = 0x8100;
    memmove(&f->layers[2], &f->layers[1], (f->num_layers - 1) * sizeof *f->layers);
    f->layers[1].id = FAL_LAYER_VLAN;
    f->num_layers++;
}

static void trailing(struct work *w)
{
    memset(w->more, 0xa5, 20);
    w->frame.trailer = (struct fal_span){w->more, 20};
}

static void longest(struct work *w)
{
    (void)w; /* its length is the MTU */
}

static const struct {
    const char *name;
    spoil_fn *spoil;
    bool v4, v6;
} frames[] = {
    {"plain", nothing, true, true},
    {"longest", longest, true, true},
    {"udp-checksum-wrong", udp_checksum, true, true},
    {"udp-checksum-zero", udp_no_checksum, true, true},
    {"udp-length-long", udp_long, true, true},
    {"udp-length-short", udp_short, true, true},
    {"ip-length-long", ip_long, true, true},
    {"ip-length-short", ip_short, true, true},
    {"ip-checksum-wrong", ip_checksum, true, false},
    {"ip-options", ip_options, true, true},
    {"ip-version-5", ip_version, true, true},
    {"fragment", fragment, true, false},
    {"ttl-0", ttl_0, true, true},
    {"ttl-1", ttl_1, true, true},
    {"ecn-ce", marked_ce, true, true},
    {"dscp-46", dscp, true, true},
    {"flow-label", flow_label, false, true},
    {"ethertype-other", ethertype, true, true},
    {"vlan-tag", vlan_tag, true, true},
    {"bytes-behind", trailing, true, true},
};
enum { FRAMES = sizeof frames / sizeof *frames };

static int build(struct work *w, unsigned i, int ip_version_of, size_t payload_len,
                 uint8_t *out, size_t cap)
{
    struct fal_frame *f = &w->frame;
    const struct fal_field *bad;

    *f = (struct fal_frame){.num_layers = 0};
    w->ip_version = ip_version_of;
    w->payload_len = payload_len;
    w->keep = 0;
    for (size_t k = 0; k < payload_len; k++)
        w->payload[k] = (uint8_t)(k * 7 + i);
    memcpy(w->payload + payload_len - MARK, "talon-loop", 10);
    w->payload[payload_len - 2] = (uint8_t)i;
    w->payload[payload_len - 1] = (uint8_t)ip_version_of;
    fal_frame_encapsulate(f, FAL_ENCAP_UDP, ip_version_of);
    f->num_layers--; /* the payload of UDP need not be Falcon */
    f->payload = (struct fal_span){w->payload, payload_len};
    f->ipv4.dont_fragment = 1;
    frames[i].spoil(w);
    return fal_frame_encode(f, NULL, w->keep, out, cap, &bad);
}

/* ---- the wire ---- */

static pcap_t *open_capture(const char *iface, struct fal_error *err)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    pcap_t *pcap = pcap_create(iface, why);
    int rc = PCAP_ERROR;

    if (pcap != NULL) {
        (void)pcap_set_snaplen(pcap, SNAPLEN);
        (void)pcap_set_immediate_mode(pcap, 1);
        (void)pcap_set_promisc(pcap, 1);
        rc = pcap_activate(pcap);
    }
    if (rc >= 0 && pcap_setnonblock(pcap, 1, why) == 0 && pcap_datalink(pcap) == DLT_EN10MB) {
        (void)pcap_setdirection(pcap, PCAP_D_IN);
        return pcap;
    }
    (void)fal_fail(
        err, FAL_ERR_IO,
        rc == PCAP_ERROR_PERM_DENIED
            ? "%.40s: %.160s; needs CAP_NET_RAW: sudo setcap cap_net_raw+ep build/talon"
            : "%.40s: %.160s",
        iface, rc < 0 && pcap != NULL ? pcap_statustostr(rc) : "no Ethernet");
    if (pcap != NULL)
        pcap_close(pcap);
    return NULL;
}

static bool is_marked(const uint8_t *bytes, size_t len, unsigned i, int ip_version_of)
{
    const uint8_t mark[MARK] = {'t', 'a', 'l', 'o', 'n',        '-',
                                'l', 'o', 'o', 'p', (uint8_t)i, (uint8_t)ip_version_of};

    return memmem(bytes, len, mark, sizeof mark) != NULL;
}

/* Waits for the frame. */
static void look_for(pcap_t *pcap, const uint8_t *sent, unsigned i, unsigned wait_ms,
                     struct tl_loop_result *r)
{
    uint64_t until = tl_monotonic_ns() + (uint64_t)wait_ms * NS_PER_MS, now;

    r->outcome = TL_LOOP_MISSING;
    while ((now = tl_monotonic_ns()) < until) {
        struct pollfd fd = {.fd = pcap_get_selectable_fd(pcap), .events = POLLIN};
        struct pcap_pkthdr *header;
        const uint8_t *bytes;
        size_t len;

        if (pcap_next_ex(pcap, &header, &bytes) <= 0) {
            (void)poll(&fd, 1, (int)((until - now) / NS_PER_MS) + 1);
            continue;
        }
        if (!is_marked(bytes, header->caplen, i, r->ip_version))
            continue;
        len = header->caplen < r->len ? header->caplen : r->len;
        r->at = 0;
        while (r->at < len && bytes[r->at] == sent[r->at])
            r->at++;
        r->outcome =
            r->at == r->len && header->caplen == r->len ? TL_LOOP_AS_SENT : TL_LOOP_CHANGED;
        return;
    }
}

/* The link's MTU, as seen in the payload length of the longest frame. */
static size_t payload_of(int ip_version_of, size_t mtu)
{
    size_t headers = ip_version_of == 4 ? 28 : 48, most = FRAME_MAX - ETHERNET;

    return (mtu < most ? mtu : most) - headers;
}

static size_t mtu_of(const char *iface)
{
    struct ifreq ifr = {.ifr_mtu = 0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)snprintf(ifr.ifr_name, sizeof ifr.ifr_name, "%.15s", iface);
    if (fd < 0 || ioctl(fd, SIOCGIFMTU, &ifr) != 0)
        ifr.ifr_mtu = 0;
    if (fd >= 0)
        (void)close(fd);
    return (size_t)ifr.ifr_mtu;
}

/* The interfaces of one test: frames leave by `net` and come back at `pcap`. */
struct loop {
    pcap_t *pcap;
    libnet_t *net;
    size_t mtu;
    unsigned wait_ms;
    struct work *work;
    uint8_t *bytes; /* FRAME_MAX */
};

static int open_loop(struct loop *loop, const char *from, const char *to, struct fal_error *err)
{
    char why[LIBNET_ERRBUF_SIZE] = "";
    size_t mtu = mtu_of(from), mtu_to = mtu_of(to);

    loop->mtu = mtu_to < mtu ? mtu_to : mtu;
    loop->wait_ms = WAIT_MS;
    loop->pcap = open_capture(to, err);
    loop->bytes = malloc(FRAME_MAX);
    loop->work = malloc(sizeof *loop->work);
    if (loop->bytes == NULL || loop->work == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    if (loop->pcap == NULL)
        return FAL_ERR_IO;
    loop->net = libnet_init(LIBNET_LINK_ADV, from, why);
    if (loop->net == NULL)
        return fal_fail(err, FAL_ERR_IO, "%.40s: %.160s", from, why);
    if (loop->mtu < LEAST_MTU)
        return fal_fail(err, FAL_ERR_IO, "%.40s: an MTU of %zu is too short for any test", from,
                        loop->mtu);
    return 0;
}

static void close_loop(struct loop *loop)
{
    free(loop->work);
    free(loop->bytes);
    if (loop->net != NULL)
        libnet_destroy(loop->net);
    if (loop->pcap != NULL)
        pcap_close(loop->pcap);
}

/* Sends frame `i` and looks for it. 0, or a negative code of building it. */
static int try_frame(struct loop *loop, unsigned i, struct tl_loop_result *r)
{
    size_t payload =
        frames[i].spoil == longest ? payload_of(r->ip_version, loop->mtu) : PAYLOAD;
    int len = build(loop->work, i, r->ip_version, payload, loop->bytes, FRAME_MAX);

    if (len < 0)
        return len;
    r->len = (size_t)len;
    errno = 0;
    if (libnet_write_link(loop->net, loop->bytes, (uint32_t)len) == len) {
        look_for(loop->pcap, loop->bytes, i, loop->wait_ms, r);
        if (i == 0)
            loop->wait_ms = r->outcome == TL_LOOP_MISSING ? WAIT_AGAIN_MS : WAIT_MS;
    } else {
        r->outcome = TL_LOOP_REFUSED;
        r->code = errno != 0 ? errno : EIO;
    }
    return 0;
}

int tl_host_loop(const char *from, const char *to, tl_loop_told_fn *told, void *ctx,
                 struct fal_error *err)
{
    struct loop loop = {.pcap = NULL};
    int rc = open_loop(&loop, from, to, err);

    for (unsigned k = 0; rc == 0 && k < 2 * FRAMES; k++) {
        unsigned i = k % FRAMES;
        struct tl_loop_result r = {.name = frames[i].name, .ip_version = k < FRAMES ? 4 : 6};

        if (!(r.ip_version == 4 ? frames[i].v4 : frames[i].v6))
            continue;
        rc = try_frame(&loop, i, &r);
        if (rc < 0)
            rc = fal_fail(err, FAL_ERR_IO, "%s: cannot be built (%d)", r.name, rc);
        else
            told(ctx, &r);
    }
    close_loop(&loop);
    return rc;
}

const char *tl_loop_outcome_name(enum tl_loop_outcome outcome)
{
    static const char *const names[] = {"as sent", "changed", "missing", "refused"};

    return names[outcome];
}
