/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/capture/packet_line.h"

#include <string.h>

struct fal_relative tl_packet_relative(const struct fal_connection *connection,
                                       enum fal_dir dir)
{
    const struct fal_end *from = dir == FAL_TO_SUT ? &connection->tester : &connection->sut;
    const struct fal_end *to = dir == FAL_TO_SUT ? &connection->sut : &connection->tester;

    return (struct fal_relative){
        .req_psn = from->req_psn,
        .data_psn = from->data_psn,
        .rsn = from->rsn,
        .peer_req_psn = to->req_psn,
        .peer_data_psn = to->data_psn,
        .peer_rsn = to->rsn,
    };
}

/* Removes an item (" cid=17") from a line. */
static void leave_out(char *line, const char *item)
{
    char *at = strstr(line, item), *end;

    if (at == NULL)
        return;
    end = at + strlen(item);
    end += strcspn(end, " ");
    memmove(at, end, strlen(end) + 1);
}

void tl_packet_line(const struct fal_connection *connection, enum fal_dir dir,
                    const struct fal_falcon *falcon, char *out, size_t cap)
{
    const struct fal_end *to = connection == NULL  ? NULL
                               : dir == FAL_TO_SUT ? &connection->sut
                                                   : &connection->tester;
    /* Numbers of another connection begin elsewhere. */
    bool own = to != NULL && falcon->dest_cid == to->cid;
    struct fal_relative rel =
        own ? tl_packet_relative(connection, dir) : (struct fal_relative){0};
    const struct fal_text_style style = {
        .relative = own,
        .req_psn = rel.req_psn,
        .data_psn = rel.data_psn,
        .rsn = rel.rsn,
        .peer_req_psn = rel.peer_req_psn,
        .peer_data_psn = rel.peer_data_psn,
        .peer_rsn = rel.peer_rsn,
    };

    (void)fal_text_packet(falcon, &style, out, cap);
    /* Removes values that are as expected on this connection, and a t2 without a t1, because
     * they distract the reader. */
    if (own)
        leave_out(out, " cid=");
    if (to != NULL && falcon->dest_function == to->function)
        leave_out(out, " fn=");
    if (falcon->t1 == 0)
        leave_out(out, " t2=");
}
