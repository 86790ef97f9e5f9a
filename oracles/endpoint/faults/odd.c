/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/endpoint/connection.h"
#include "oracles/endpoint/variants/lanes.h"

#include <stdlib.h>

int fal_odd_new(struct fal_ep_conn *conn)
{
    if (!fal_faulty(conn) && conn->twins.bits[0] == 0 && conn->twins.bits[1] == 0)
        return 0;
    conn->odd = calloc(1, sizeof *conn->odd);
    if (conn->odd == NULL)
        return FAL_ERR_MEM;
    conn->odd->told_base[FAL_WINDOW_REQ] = conn->peer.req_psn;
    conn->odd->told_base[FAL_WINDOW_DATA] = conn->peer.data_psn;
    return 0;
}

void fal_odd_free(struct fal_ep_conn *conn)
{
    if (conn->odd != NULL) {
        free(conn->odd->frame);
        fal_lanes_free(conn);
    }
    free(conn->odd);
    conn->odd = NULL;
}
