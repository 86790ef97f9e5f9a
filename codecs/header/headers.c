/* SPDX-License-Identifier: Apache-2.0 */
#include "codecs/header/headers.h"

#include "codecs/header/layout_impl.h"
#include "codecs/header/ulp.h"

#define NAMES(id, ...)                                                                   \
    static const struct fal_name id##_entries[] = {__VA_ARGS__};                         \
    const struct fal_names fal_names_##id = {sizeof id##_entries / sizeof *id##_entries, \
                                             id##_entries}

NAMES(ethertype, {0x0800, "ipv4"}, {0x86dd, "ipv6"}, {0x8100, "vlan"}, {0x88a8, "qinq"});
NAMES(ip_protocol, {0, "hop_by_hop"}, {4, "ipv4"}, {6, "tcp"}, {17, "udp"}, {41, "ipv6"},
      {43, "routing"}, {44, "fragment"}, {50, "esp"}, {59, "none"}, {60, "destination"},
      {252, "falcon"});
NAMES(sll_type, {0, "to_us"}, {1, "broadcast"}, {2, "multicast"}, {3, "to_other"},
      {4, "from_us"});
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
NAMES(nvme_type, {FAL_NVME_WRITE_REQUEST, "write_request"},
      {FAL_NVME_WRITE_DATA_REQUEST, "write_data_request"},
      {FAL_NVME_WRITE_DATA_RESPONSE, "write_data_response"},
      {FAL_NVME_WRITE_COMPLETION, "write_completion"}, {FAL_NVME_READ_REQUEST, "read_request"},
      {FAL_NVME_READ_RESPONSE, "read_response"});
#define ROCE_NAME(code, name, ...) {code, #name},
NAMES(roce_opcode, FAL_ROCE_OPCODES(ROCE_NAME));

#define RC_NAME(code, name, ...)  {FAL_RDMA_RC << 5 | (code), #name},
#define UD_NAME(code, name, ...)  {FAL_RDMA_UD << 5 | (code), "ud_" #name},
#define XRC_NAME(code, name, ...) {FAL_RDMA_XRC << 5 | (code), "xrc_" #name},
NAMES(rdma_opcode,
      FAL_RDMA_REQUESTS(RC_NAME) FAL_RDMA_RESPONSES(RC_NAME) FAL_RDMA_UD_REQUESTS(UD_NAME)
          FAL_RDMA_REQUESTS(XRC_NAME) FAL_RDMA_RESPONSES(XRC_NAME));

typedef struct fal_eth HOST_eth;
typedef struct fal_ipv4 HOST_ipv4;
typedef struct fal_ipv6 HOST_ipv6;
typedef struct fal_udp HOST_udp;
typedef struct fal_psp HOST_psp;
typedef struct fal_psp_vc HOST_psp_vc;
typedef struct fal_vlan HOST_vlan;
typedef struct fal_sll HOST_sll;
typedef struct fal_sll2 HOST_sll2;
typedef struct fal_ipv6_ext HOST_ipv6_ext;
typedef struct fal_ipv6_fragment HOST_ipv6_fragment;
typedef struct fal_esp HOST_esp;
typedef struct fal_esp_iv HOST_esp_iv;
typedef struct fal_esp_trailer HOST_esp_trailer;
typedef struct fal_rbth HOST_rbth;
typedef struct fal_reth HOST_reth;
typedef struct fal_seth HOST_seth;
typedef struct fal_oeth HOST_oeth;
typedef struct fal_steth HOST_steth;
typedef struct fal_immdt HOST_immdt;
typedef struct fal_atomiceth HOST_atomiceth;
typedef struct fal_atomicacketh HOST_atomicacketh;
typedef struct fal_ieth HOST_ieth;
typedef struct fal_xrceth HOST_xrceth;
typedef struct fal_deth HOST_deth;
typedef struct fal_roce HOST_roce;
typedef struct fal_aeth HOST_aeth;
typedef struct fal_roce_deth HOST_roce_deth;
typedef struct fal_cnp HOST_cnp;
typedef struct fal_nvme HOST_nbth, HOST_nvme_write_request, HOST_nvme_write_data_request,
    HOST_nvme_write_data_response, HOST_nvme_write_completion, HOST_nvme_read_request,
    HOST_nvme_read_response;
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
FAL_LAYOUT(vlan, FAL_VLAN_FIELDS, "IEEE 802.1Q", NULL, 32);
FAL_LAYOUT(sll, FAL_SLL_FIELDS, "LINKTYPE_LINUX_SLL", NULL, 128);
FAL_LAYOUT(sll2, FAL_SLL2_FIELDS, "LINKTYPE_LINUX_SLL2", NULL, 160);
FAL_LAYOUT(ipv6_ext, FAL_IPV6_EXT_FIELDS, "RFC 8200", NULL, 16);
FAL_LAYOUT(ipv6_fragment, FAL_IPV6_FRAGMENT_FIELDS, "RFC 8200", NULL, 64);
FAL_LAYOUT(esp, FAL_ESP_FIELDS, "RFC 4303", NULL, 64);
FAL_LAYOUT(esp_iv, FAL_ESP_IV_FIELDS, "RFC 4106", NULL, 64);
FAL_LAYOUT(esp_trailer, FAL_ESP_TRAILER_FIELDS, "RFC 4303", NULL, 16);
FAL_LAYOUT(rbth, FAL_RBTH_FIELDS, "RDMA 8.2", "RDMA-8.2-01", 96);
FAL_LAYOUT(reth, FAL_RETH_FIELDS, "RDMA 8.3.1", "RDMA-8.3-01", 128);
FAL_LAYOUT(seth, FAL_SETH_FIELDS, "RDMA 8.3.2", "RDMA-8.3-01", 32);
FAL_LAYOUT(oeth, FAL_OETH_FIELDS, "RDMA 8.3.3", "RDMA-8.3-01", 32);
FAL_LAYOUT(steth, FAL_STETH_FIELDS, "RDMA 8.3.4", "RDMA-8.3-01", 96);
FAL_LAYOUT(immdt, FAL_IMMDT_FIELDS, "RDMA 8.3.5", "RDMA-8.3-01", 32);
FAL_LAYOUT(atomiceth, FAL_ATOMICETH_FIELDS, "RDMA 8.3.6", "RDMA-8.3.6-01", 224);
FAL_LAYOUT(atomicacketh, FAL_ATOMICACKETH_FIELDS, "RDMA 8.3.7", "RDMA-8.3.7-01", 64);
FAL_LAYOUT(ieth, FAL_IETH_FIELDS, "RDMA 8.3.8", "RDMA-8.3-01", 32);
FAL_LAYOUT(xrceth, FAL_XRCETH_FIELDS, "RDMA 8.3.9", "RDMA-8.3-01", 32);
FAL_LAYOUT(deth, FAL_DETH_FIELDS, "RDMA 8.3.10", "RDMA-8.3-01", 64);
FAL_LAYOUT(nbth, FAL_NBTH_FIELDS, "NVME 8.2", "NVME-8.2-01", 256);
FAL_LAYOUT(nvme_write_request, FAL_NVME_WRITE_REQUEST_FIELDS, "NVME 8.5", "NVME-8.5-01", 512);
FAL_LAYOUT(nvme_write_data_request, FAL_NVME_WRITE_DATA_REQUEST_FIELDS, "NVME 8.6",
           "NVME-8.6-01", 256);
FAL_LAYOUT(nvme_write_data_response, FAL_NVME_WRITE_DATA_RESPONSE_FIELDS, "NVME 8.7",
           "NVME-8.7-01", 288);
FAL_LAYOUT(nvme_write_completion, FAL_NVME_WRITE_COMPLETION_FIELDS, "NVME 8.8", "NVME-8.8-01",
           288);
FAL_LAYOUT(nvme_read_request, FAL_NVME_READ_REQUEST_FIELDS, "NVME 8.3", "NVME-8.3-01", 512);
FAL_LAYOUT(nvme_read_response, FAL_NVME_READ_RESPONSE_FIELDS, "NVME 8.4", "NVME-8.4-03", 288);
FAL_LAYOUT(roce, FAL_ROCE_FIELDS, "RoCEv2", NULL, 96);
FAL_LAYOUT(aeth, FAL_AETH_FIELDS, "InfiniBand", NULL, 32);
FAL_LAYOUT(roce_deth, FAL_ROCE_DETH_FIELDS, "InfiniBand", NULL, 64);
FAL_LAYOUT(cnp, FAL_CNP_FIELDS, "RoCEv2", NULL, 128);

const struct fal_layout *const *fal_layouts(size_t *n)
{
    static const struct fal_layout *const all[] = {
        &fal_eth_layout,
        &fal_ipv4_layout,
        &fal_ipv6_layout,
        &fal_udp_layout,
        &fal_psp_layout,
        &fal_psp_vc_layout,
        &fal_pull_request_layout,
        &fal_pull_data_layout,
        &fal_push_data_layout,
        &fal_resync_layout,
        &fal_back_layout,
        &fal_eack_layout,
        &fal_nack_layout,
        &fal_vlan_layout,
        &fal_sll_layout,
        &fal_sll2_layout,
        &fal_ipv6_ext_layout,
        &fal_ipv6_fragment_layout,
        &fal_esp_layout,
        &fal_esp_iv_layout,
        &fal_esp_trailer_layout,
        &fal_rbth_layout,
        &fal_reth_layout,
        &fal_seth_layout,
        &fal_oeth_layout,
        &fal_steth_layout,
        &fal_immdt_layout,
        &fal_atomiceth_layout,
        &fal_atomicacketh_layout,
        &fal_ieth_layout,
        &fal_xrceth_layout,
        &fal_deth_layout,
        &fal_nbth_layout,
        &fal_nvme_write_request_layout,
        &fal_nvme_write_data_request_layout,
        &fal_nvme_write_data_response_layout,
        &fal_nvme_write_completion_layout,
        &fal_nvme_read_request_layout,
        &fal_nvme_read_response_layout,
        &fal_roce_layout,
        &fal_aeth_layout,
        &fal_roce_deth_layout,
        &fal_cnp_layout,
    };

    *n = sizeof all / sizeof *all;
    return all;
}
