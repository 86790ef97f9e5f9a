/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/wire/ulp.h"

#include <stdlib.h>

int tl_ulp_set_rules(struct fal_scripted *ulp, const json_t *rules, struct fal_error *err)
{
    struct fal_scripted_rule *read = NULL;
    size_t n = 0;
    int rc = tl_protocol_rules(rules, &read, &n, err);

    if (rc == 0)
        tl_ulp_take_rules(ulp, read, n);
    return rc;
}

void tl_ulp_take_rules(struct fal_scripted *ulp, struct fal_scripted_rule *rules, size_t n)
{
    free(ulp->rules);
    ulp->rules = rules;
    ulp->num_rules = n;
}
