/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/ackfaults.h"

enum { BACK = 1, EACK = 2, NACK = 4, ACK = BACK | EACK, ALL = ACK | NACK };

/* Shows the data window as it was one PSN ago, when it was; in every second ACK. */
static void base_goes_back(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (ack->recv_data_base_psn == conn->peer.data_psn || conn->odd->acks_sent % 2 == 0)
        return;
    ack->recv_data_base_psn--;
    ack->data_ack_bitmap = fal_u128_shl(ack->data_ack_bitmap, 1);
    ack->data_rx_bitmap = fal_u128_shl(ack->data_rx_bitmap, 1);
}

/* The same for the request window, in every ACK. */
static void requests_lag(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (ack->recv_req_base_psn == conn->peer.req_psn)
        return;
    ack->recv_req_base_psn--;
    ack->req_bitmap <<= 1;
}

static void requests_unsent(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (conn->odd->acks_sent % 3 == 0)
        ack->recv_req_base_psn += (uint32_t)(2 + fal_u128_top(conn->rx[FAL_WINDOW_REQ].rx));
}

static void acks_unsent(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    if (conn->odd->acks_sent % 3 == 0)
        ack->recv_data_base_psn += (uint32_t)(2 + fal_u128_top(conn->rx[FAL_WINDOW_DATA].rx));
}

static void rx_shifted(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->data_rx_bitmap = fal_u128_shl(ack->data_rx_bitmap, 1);
}

static void ack_shifted(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->data_ack_bitmap = fal_u128_shl(ack->data_ack_bitmap, 1);
}

static void req_shifted(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->req_bitmap <<= 1;
}

static void req_empty(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->req_bitmap = 0;
}

static void bit0_set(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->data_ack_bitmap |= 1;
    ack->req_bitmap |= 1;
}

/* Bit 0 where bit 127 belongs (AMB-03). */
static void mirrored(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    fal_u128 bits = ack->data_rx_bitmap;

    (void)conn;
    ack->data_rx_bitmap = 0;
    for (unsigned n = 0; n < FAL_RX_WINDOW_DATA; n++)
        if (fal_u128_test(bits, n))
            ack->data_rx_bitmap =
                fal_u128_with(ack->data_rx_bitmap, FAL_RX_WINDOW_DATA - 1 - n);
}

/* The base has moved on, the bits stand where they stood. */
static void unshifted(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    ack->data_rx_bitmap = fal_u128_shl(
        ack->data_rx_bitmap, ack->recv_data_base_psn - conn->odd->told_base[FAL_WINDOW_DATA]);
}

static void rx_is_ack(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->data_rx_bitmap = ack->data_ack_bitmap;
}

/* But never bit 0: a push at the base that waits is what this is about. */
static void ack_is_rx(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->data_ack_bitmap = ack->data_rx_bitmap;
    ack->data_ack_bitmap &= ~(fal_u128)1;
}

static void back_own(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->own = FAL_OWN_DATA;
}

static void stale_base(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    ack->recv_req_base_psn = conn->odd->told_base[FAL_WINDOW_REQ];
    ack->recv_data_base_psn = conn->odd->told_base[FAL_WINDOW_DATA];
}

static void times_frozen(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    ack->t1 = conn->odd->first_t1;
    ack->t2 = conn->odd->first_t2;
}

static void wrong_psn(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->nack_psn++;
}

static void wrong_window(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->window ^= 1;
}

static void ulp_code_lost(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    ack->ulp_nack_code = 0;
}

/* The shortest of 7.8. */
static void rnr_short(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    if (ack->nack_code == FAL_NACK_RNR)
        ack->rnr_timeout = 1;
}

static void cie_is_nre(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    (void)conn;
    if (ack->nack_code == FAL_NACK_CIE)
        ack->nack_code = FAL_NACK_NRE;
}

static const struct lie {
    enum fal_fault_id id;
    unsigned in;
    void (*tell)(const struct fal_ep_conn *conn, struct fal_falcon *ack);
} lies[] = {
    {FAL_FAULT_RX_BITMAP_SHIFTED, EACK, rx_shifted},
    {FAL_FAULT_ACK_BITMAP_SHIFTED, EACK, ack_shifted},
    {FAL_FAULT_REQ_BITMAP_SHIFTED, EACK, req_shifted},
    {FAL_FAULT_REQ_BITMAP_EMPTY, EACK, req_empty},
    {FAL_FAULT_RX_BITMAP_MIRRORED, EACK, mirrored},
    {FAL_FAULT_RX_BITMAP_UNSHIFTED, EACK, unshifted},
    {FAL_FAULT_RX_BITMAP_IS_ACK, EACK, rx_is_ack},
    {FAL_FAULT_ACK_BITMAP_IS_RX, EACK, ack_is_rx},
    {FAL_FAULT_EACK_BIT0_SET, EACK, bit0_set},
    {FAL_FAULT_BACK_CARRIES_OWN, BACK, back_own},
    {FAL_FAULT_BASE_GOES_BACK, ACK, base_goes_back},
    {FAL_FAULT_ACKS_UNSENT, ACK, acks_unsent},
    {FAL_FAULT_REQUEST_BASE_LAGS, ACK, requests_lag},
    {FAL_FAULT_REQUESTS_UNSENT, ACK, requests_unsent},
    {FAL_FAULT_ACK_TIMES_FROZEN, ALL, times_frozen},
    {FAL_FAULT_NACK_STALE_BASE, NACK, stale_base},
    {FAL_FAULT_NACK_WRONG_PSN, NACK, wrong_psn},
    {FAL_FAULT_NACK_WRONG_WINDOW, NACK, wrong_window},
    {FAL_FAULT_NACK_ULP_CODE_LOST, NACK, ulp_code_lost},
    {FAL_FAULT_NACK_RNR_TIMEOUT_SHORT, NACK, rnr_short},
    {FAL_FAULT_CIE_NACK_WRONG_CODE, NACK, cie_is_nre},
};

static unsigned kind_of(unsigned type)
{
    return type == FAL_BACK ? BACK : type == FAL_EACK ? EACK : NACK;
}

/* Whether the wire would show a difference. */
static bool differ(const struct fal_falcon *a, const struct fal_falcon *b)
{
    const struct fal_layout *layout = fal_falcon_layout(a->packet_type);
    uint8_t bytes[2][FAL_HEADER_MAX] = {{0}};

    if (a->packet_type != b->packet_type)
        return true;
    layout->encode(a, bytes[0]);
    layout->encode(b, bytes[1]);
    return memcmp(bytes[0], bytes[1], layout->size_bytes) != 0;
}

void fal_ackfaults_tell(const struct fal_ep_conn *conn, struct fal_falcon *ack)
{
    unsigned kind = kind_of(ack->packet_type);
    struct fal_falcon lied;

    if (!fal_fault_any(&conn->ep->faulty.set))
        return;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        if ((lies[i].in & kind) == 0 || !fal_fault_in(&conn->ep->faulty.set, lies[i].id))
            continue;
        lied = *ack;
        lies[i].tell(conn, &lied);
        if (differ(&lied, ack) && fal_fault(conn, lies[i].id))
            *ack = lied;
    }
}

bool fal_ackfaults_omit(const struct fal_ep_conn *conn)
{
    const struct fal_rxwin *req = &conn->rx[FAL_WINDOW_REQ], *data = &conn->rx[FAL_WINDOW_DATA];

    if (!fal_fault_any(&conn->ep->faulty.set))
        return false;
    return (fal_rxwin_holes(data) && fal_fault(conn, FAL_FAULT_EACK_OMITTED_ON_HOLE)) ||
           ((req->own || data->own) && fal_fault(conn, FAL_FAULT_EACK_OMITTED_ON_OWN)) ||
           (req->ack != 0 && fal_fault(conn, FAL_FAULT_EACK_OMITTED_ON_REQUESTS)) ||
           (data->ack != 0 && fal_fault(conn, FAL_FAULT_EACK_OMITTED_ON_ACKS));
}
