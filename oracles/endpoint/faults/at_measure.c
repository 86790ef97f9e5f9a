/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of measure.c: times, hops, marks (10.1, 10.2). */
#include "oracles/endpoint/connection.h"

void fal_at_measured(const struct fal_ep_conn *conn, uint32_t t1, uint32_t t2)
{
    struct fal_odd *odd = conn->odd;

    if (odd->timed)
        return;
    odd->timed = true;
    odd->first_t1 = t1;
    odd->first_t2 = t2;
}
