/* SPDX-License-Identifier: Apache-2.0
 * Faults and variants of accept.c: which packets pass the checks (9.2.2.1 to 9.2.2.3). */
#include "oracles/endpoint/connection.h"

/* A reserved field of the header is not 0. */
static bool has_reserved_bits(const struct fal_falcon *falcon)
{
    const struct fal_layout *layout = fal_falcon_layout(falcon->packet_type);

    for (size_t i = 0; i < layout->num_fields; i++)
        if (layout->fields[i].kind == FAL_RSVD &&
            !fal_u128_zero(fal_field_get(&layout->fields[i], falcon)))
            return true;
    return false;
}

bool fal_at_accepted(const struct fal_ep_conn *conn, bool accepted,
                     const struct fal_falcon *falcon)
{
    return accepted &&
           !(fal_twin(conn, FAL_TWIN_RESERVED_BITS_REFUSED) && has_reserved_bits(falcon));
}
