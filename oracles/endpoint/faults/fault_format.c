/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/faults/fault_format.h"

#include "oracles/endpoint/connection.h"

#define OF(type) (1u << (type))

enum {
    RELIABLE = OF(FAL_PULL_REQUEST) | OF(FAL_PULL_DATA) | OF(FAL_PUSH_DATA) | OF(FAL_RESYNC),
    ACKS = OF(FAL_BACK) | OF(FAL_EACK) | OF(FAL_NACK),
    ALL = RELIABLE | ACKS,
    WORD = 4 /* bytes */
};

/* ---- values ---- */

static void version(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->version = 2;
}

static void cid(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->dest_cid ^= 1;
}

static void function(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->dest_function ^= 1;
}

static void protocol(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->protocol_type ^= 1;
}

static void protocol_reserved(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->protocol_type = 5;
}

static void bases(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    uint32_t data = header->recv_data_base_psn;

    (void)conn;
    header->recv_data_base_psn = header->recv_req_base_psn;
    header->recv_req_base_psn = data;
}

static void length(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->request_length ^= 1;
}

static void resync_code(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->resync_code = 8;
}

static void vendor_defined(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->vendor_defined = 0x600d;
}

static void exhausted(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    if (header->resync_code == FAL_RESYNC_EXHAUSTED)
        header->resync_code = FAL_RESYNC_TIMED_OUT;
}

static void nack_code(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->nack_code = 3;
}

static void rnr_code(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    if (header->nack_code == FAL_NACK_RNR)
        header->nack_code = FAL_NACK_RESOURCE;
}

static void resource_code(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    if (header->nack_code == FAL_NACK_RESOURCE)
        header->nack_code = FAL_NACK_CIE;
}

static void xlr_code(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    if (header->nack_code == FAL_NACK_XLR)
        header->nack_code = FAL_NACK_CIE;
}

/* The words of a bitmap in the order of their weight. */
static fal_u128 reversed(fal_u128 bits)
{
    return fal_u128_halves(fal_u128_lo(bits) << 32 | fal_u128_lo(bits) >> 32,
                           fal_u128_hi(bits) << 32 | fal_u128_hi(bits) >> 32);
}

static void ack_words(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->data_ack_bitmap = reversed(header->data_ack_bitmap);
}

static void rx_words(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->data_rx_bitmap = reversed(header->data_rx_bitmap);
}

static void req_words(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    (void)conn;
    header->req_bitmap = header->req_bitmap << 32 | header->req_bitmap >> 32;
}

/* Numbers of one window, counted from where the other one began. */
static void as_data(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    header->psn += conn->local.data_psn - conn->local.req_psn;
}

static void as_request(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    header->psn += conn->local.req_psn - conn->local.data_psn;
}

static const struct {
    enum fal_fault_id id;
    unsigned in;
    void (*tell)(const struct fal_ep_conn *conn, struct fal_falcon *header);
} values[] = {
    {FAL_FAULT_VERSION_WRONG, ALL, version},
    {FAL_FAULT_CID_WRONG, ALL, cid},
    {FAL_FAULT_FUNCTION_WRONG, RELIABLE, function},
    {FAL_FAULT_PROTOCOL_WRONG, RELIABLE, protocol},
    {FAL_FAULT_PROTOCOL_RESERVED, RELIABLE, protocol_reserved},
    {FAL_FAULT_BASES_EXCHANGED, ALL, bases},
    {FAL_FAULT_PUSH_LENGTH_WRONG, OF(FAL_PUSH_DATA), length},
    {FAL_FAULT_RESYNC_CODE_RESERVED, OF(FAL_RESYNC), resync_code},
    {FAL_FAULT_RESYNC_VENDOR_SET, OF(FAL_RESYNC), vendor_defined},
    {FAL_FAULT_EXHAUSTED_CODE_WRONG, OF(FAL_RESYNC), exhausted},
    {FAL_FAULT_NACK_CODE_RESERVED, OF(FAL_NACK), nack_code},
    {FAL_FAULT_RNR_NACK_WRONG_CODE, OF(FAL_NACK), rnr_code},
    {FAL_FAULT_RESOURCE_NACK_WRONG_CODE, OF(FAL_NACK), resource_code},
    {FAL_FAULT_XLR_NACK_WRONG_CODE, OF(FAL_NACK), xlr_code},
    {FAL_FAULT_ACK_BITMAP_WORDS_REVERSED, OF(FAL_EACK), ack_words},
    {FAL_FAULT_RX_BITMAP_WORDS_REVERSED, OF(FAL_EACK), rx_words},
    {FAL_FAULT_REQ_BITMAP_WORDS_REVERSED, OF(FAL_EACK), req_words},
    {FAL_FAULT_PULL_PSN_OF_DATA, OF(FAL_PULL_REQUEST), as_data},
    {FAL_FAULT_DATA_PSN_OF_REQUESTS, OF(FAL_PULL_DATA) | OF(FAL_PUSH_DATA), as_request},
};

/* Reserved packet types. */
static const struct {
    enum fal_fault_id id;
    uint8_t type, told;
} types[] = {
    {FAL_FAULT_PULL_REQUEST_MISTYPED, FAL_PULL_REQUEST, 1},
    {FAL_FAULT_PULL_DATA_MISTYPED, FAL_PULL_DATA, 2},
    {FAL_FAULT_PUSH_DATA_MISTYPED, FAL_PUSH_DATA, 4},
    {FAL_FAULT_RESYNC_MISTYPED, FAL_RESYNC, 7},
    {FAL_FAULT_NACK_MISTYPED, FAL_NACK, 11},
    {FAL_FAULT_BACK_MISTYPED, FAL_BACK, 12},
    {FAL_FAULT_EACK_MISTYPED, FAL_EACK, 13},
};

/* Whether the wire would show a difference. */
static bool differ(const struct fal_falcon *a, const struct fal_falcon *b)
{
    const struct fal_layout *layout = fal_falcon_layout(a->packet_type);
    uint8_t bytes[2][FAL_HEADER_MAX] = {{0}};

    layout->encode(a, bytes[0]);
    layout->encode(b, bytes[1]);
    return memcmp(bytes[0], bytes[1], layout->size_bytes) != 0;
}

void fal_format_header(const struct fal_ep_conn *conn, struct fal_falcon *header)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct fal_falcon other = *header;

        if ((values[i].in & OF(header->packet_type)) == 0 ||
            !fal_fault_in(&conn->ep->faulty.set, values[i].id))
            continue;
        values[i].tell(conn, &other);
        if (differ(header, &other) && fal_fault(conn, values[i].id))
            *header = other;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (header->packet_type == types[i].type && fal_fault(conn, types[i].id)) {
            header->packet_type = types[i].told;
            break;
        }
}

/* ---- sizes ---- */

int fal_format_change(const struct fal_ep_conn *conn, unsigned packet_type, size_t *at)
{
    static const struct {
        enum fal_fault_id id;
        uint8_t type, at;
        int8_t change;
    } sizes[] = {
        {FAL_FAULT_BASE_HEADER_LONG, FAL_PUSH_DATA, 24, WORD},
        {FAL_FAULT_PULL_REQUEST_SHORT, FAL_PULL_REQUEST, 28, -WORD},
        {FAL_FAULT_PULL_DATA_LENGTH_WORD, FAL_PULL_DATA, 24, WORD},
        {FAL_FAULT_PUSH_LENGTH_OMITTED, FAL_PUSH_DATA, 24, -WORD},
        {FAL_FAULT_RESYNC_SHORT, FAL_RESYNC, 28, -WORD},
        {FAL_FAULT_BACK_SHORT, FAL_BACK, 28, -WORD},
        {FAL_FAULT_EACK_SHORT, FAL_EACK, 64, -2 * WORD},
        {FAL_FAULT_NACK_SHORT, FAL_NACK, 36, -WORD},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (packet_type == sizes[i].type && fal_fault(conn, sizes[i].id)) {
            *at = sizes[i].at;
            return sizes[i].change;
        }
    return 0;
}

void fal_format_resize(const uint8_t *header, size_t len, size_t at, int change, uint8_t *wire)
{
    size_t skip = change < 0 ? (size_t)-change : 0, gap = change > 0 ? (size_t)change : 0;

    memcpy(wire, header, at);
    memset(wire + at, 0, gap);
    memcpy(wire + at + gap, header + at + skip, len - at - skip);
}
