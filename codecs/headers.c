/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/headers.h"
#include "codecs/falcon.h"
#include "codecs/layout_impl.h"

#define NAMES(id, ...)                                                                   \
    static const struct fal_name id##_entries[] = {__VA_ARGS__};                         \
    const struct fal_names fal_names_##id = {sizeof id##_entries / sizeof *id##_entries, \
                                             id##_entries}

NAMES(ethertype, {0x0800, "ipv4"}, {0x86dd, "ipv6"});
NAMES(ip_protocol, {4, "ipv4"}, {17, "udp"}, {41, "ipv6"}, {252, "falcon"});
NAMES(ecn, {0, "not_ect"}, {1, "ect1"}, {2, "ect0"}, {3, "ce"});
NAMES(psp_version, {0, "aes_gcm_128"}, {1, "aes_gcm_256"}, {2, "aes_gmac_128"},
      {3, "aes_gmac_256"});
NAMES(packet_type, {FAL_PULL_REQUEST, "pull_request"}, {FAL_PULL_DATA, "pull_data"},
      {FAL_PUSH_DATA, "push_data"}, {FAL_RESYNC, "resync"}, {FAL_NACK, "nack"},
      {FAL_BACK, "back"}, {FAL_EACK, "eack"});
NAMES(protocol_type, {2, "rdma"}, {3, "nvme"});
NAMES(resync_code, {FAL_RESYNC_CIE, "cie"}, {FAL_RESYNC_LOCAL_XLR, "local_xlr"},
      {FAL_RESYNC_EXHAUSTED, "exhausted"}, {FAL_RESYNC_TIMED_OUT, "timed_out"},
      {FAL_RESYNC_REMOTE_XLR, "remote_xlr"}, {FAL_RESYNC_NRE, "nre"},
      {FAL_RESYNC_CID, "invalid_cid"});
NAMES(resync_type, {FAL_PULL_REQUEST, "pull_request"}, {FAL_PULL_DATA, "pull_data"},
      {FAL_PUSH_DATA, "push_data"});
NAMES(nack_code, {FAL_NACK_RESOURCE, "resource"}, {FAL_NACK_RNR, "rnr"}, {FAL_NACK_XLR, "xlr"},
      {FAL_NACK_CIE, "cie"}, {FAL_NACK_NRE, "nre"}, {FAL_NACK_CID, "invalid_cid"});
NAMES(window, {FAL_WINDOW_DATA, "data"}, {FAL_WINDOW_REQ, "req"});

typedef struct fal_eth HOST_eth;
typedef struct fal_ipv4 HOST_ipv4;
typedef struct fal_ipv6 HOST_ipv6;
typedef struct fal_udp HOST_udp;
typedef struct fal_psp HOST_psp;
typedef struct fal_psp_vc HOST_psp_vc;
typedef struct fal_falcon HOST_pull_request, HOST_pull_data, HOST_push_data, HOST_resync,
    HOST_back, HOST_eack, HOST_nack;

FAL_LAYOUT(eth, FAL_ETH_FIELDS, "IEEE 802.3", NULL, 112);
FAL_LAYOUT(ipv4, FAL_IPV4_FIELDS, "RFC 791", NULL, 160);
FAL_LAYOUT(ipv6, FAL_IPV6_FIELDS, "RFC 8200", NULL, 320);
FAL_LAYOUT(udp, FAL_UDP_FIELDS, "RFC 768", NULL, 64);
FAL_LAYOUT(psp, FAL_PSP_FIELDS, "PSP", NULL, 128);
FAL_LAYOUT(psp_vc, FAL_PSP_VC_FIELDS, "PSP", NULL, 64);
FAL_LAYOUT(pull_request, FAL_PULL_REQUEST_FIELDS, "FTP 7.3", "FTP-7.3-01", 256);
FAL_LAYOUT(pull_data, FAL_PULL_DATA_FIELDS, "FTP 7.4", "FTP-7.4-01", 192);
FAL_LAYOUT(push_data, FAL_PUSH_DATA_FIELDS, "FTP 7.5", "FTP-7.5-01", 224);
FAL_LAYOUT(resync, FAL_RESYNC_FIELDS, "FTP 7.6", "FTP-7.6-01", 256);
FAL_LAYOUT(back, FAL_BACK_FIELDS, "FTP 7.7.1", "FTP-7.7.1-01", 256);
FAL_LAYOUT(eack, FAL_EACK_FIELDS, "FTP 7.7.2", "FTP-7.7.2-01", 576);
FAL_LAYOUT(nack, FAL_NACK_FIELDS, "FTP 7.8", "FTP-7.8-01", 320);

const struct fal_layout *const *fal_layouts(size_t *n)
{
    static const struct fal_layout *const all[] = {
        &fal_eth_layout,          &fal_ipv4_layout,      &fal_ipv6_layout,
        &fal_udp_layout,          &fal_psp_layout,       &fal_psp_vc_layout,
        &fal_pull_request_layout, &fal_pull_data_layout, &fal_push_data_layout,
        &fal_resync_layout,       &fal_back_layout,      &fal_eack_layout,
        &fal_nack_layout,
    };

    *n = sizeof all / sizeof *all;
    return all;
}
