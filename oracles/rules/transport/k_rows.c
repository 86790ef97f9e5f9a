/* SPDX-License-Identifier: Apache-2.0
 * k_rows.c - see k_rows.h. */
#include "oracles/rules/transport/k_rows.h"

#include <string.h>

/* RFC 6298 2.4: 1 s, but hosts use less (Linux 200 ms); 2.5: 60 s at least for the maximum. */
#define RTO_MIN_NS UINT64_C(1000000000)
#define RTO_MAX_NS UINT64_C(120000000000)

static const struct fal_k_row rows[] = {
    {{.name = "reno",
      .in_order = true,
      .cumulative = true,
      .dup_threshold = 3,
      .rto_min_ns = RTO_MIN_NS,
      .rto_max_ns = RTO_MAX_NS,
      .backoff = true},
     "RFC 5681"},
    {{.name = "newreno",
      .in_order = true,
      .cumulative = true,
      .dup_threshold = 3,
      .partial_acks = true,
      .rto_min_ns = RTO_MIN_NS,
      .rto_max_ns = RTO_MAX_NS,
      .backoff = true},
     "RFC 6582"},
    {{.name = "sack",
      .in_order = true,
      .cumulative = true,
      .selective = true,
      .dup_threshold = 3,
      .rto_min_ns = RTO_MIN_NS,
      .rto_max_ns = RTO_MAX_NS,
      .backoff = true},
     "RFC 6675"},
    {{.name = "rack",
      .in_order = true,
      .cumulative = true,
      .selective = true,
      .dup_threshold = 3,
      .reorder_by_time = true,
      .tail_probe = true,
      .undo = true,
      .frto = true,
      .rto_min_ns = RTO_MIN_NS,
      .rto_max_ns = RTO_MAX_NS,
      .backoff = true},
     "RFC 8985, RFC 5682"},
    {{.name = "ndp", .credit = FAL_TP_TOKENS, .selective = true, .nacks = true},
     "Handley et al., SIGCOMM 2017"},
    {{.name = "roce",
      .credit = FAL_TP_RATE,
      .repair = FAL_TP_GO_BACK_N,
      .in_order = true,
      .cumulative = true,
      .nacks = true},
     "IBTA 9.7"},
    {{.name = "irn",
      .credit = FAL_TP_RATE,
      .cumulative = true,
      .selective = true,
      .nacks = true,
      .reorder_segments = 1},
     "Mittal et al., SIGCOMM 2018"},
};

const struct fal_k_row *fal_k_rows(size_t *n)
{
    *n = sizeof rows / sizeof *rows;
    return rows;
}

const struct fal_tp_row *fal_k_row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].row.name, name) == 0)
            return &rows[i].row;
    return NULL;
}
