/* SPDX-License-Identifier: Apache-2.0
 * path_check.h - measures what the network between the tester and the SUT does to packets:
 * delay, loss, duplicates, order, MTU, hops, ECN and DSCP, for each of several source ports and
 * flow labels (which a network may route differently). It uses probes that an echo beside the
 * SUT returns (echo.h) or, where there is no echo, Falcon itself, as far as that goes. */
#ifndef TL_HARNESS_SITE_PATH_CHECK_H
#define TL_HARNESS_SITE_PATH_CHECK_H

#include "codecs/base/error.h"
#include "codecs/json/shape.h"
#include "harness/session/bench_facts.h"
#include "harness/session/bench_sut.h"

#include <jansson.h>

#define TL_PATH_CHECK_SCHEMA "talon/path-check/1"

enum {
    TL_PATHS_MAX = 64,
    TL_PATH_DSCPS = 8, /* that are tried */
    TL_PATH_PROBES_MAX = 100000,
};

struct tl_path_options {
    unsigned ports;  /* number of source ports */
    unsigned labels; /* flow labels besides the default, for each port (IPv6) */
    unsigned probes; /* sent one after the other, and a quarter of that number back to back */
    uint64_t interval_ns;
    uint64_t seed;
};

/* One path. Unknown values are -1, unknown times FAL_NEVER. */
struct tl_path_one {
    uint16_t port;       /* the tester's source port */
    uint32_t flow_label; /* as sent; 0: chosen by the kernel */
    uint32_t label_seen; /* as the echo saw it */
    uint32_t sent, received, duplicates;
    uint32_t reordered_to, reordered_back; /* probes that a later one overtook */
    uint64_t rtt_min_ns, rtt_median_ns, rtt_p99_ns, rtt_max_ns;
    int hops_to, hops_back;
    int ecn_to[4], ecn_back[4]; /* what each value becomes */
    int dscp_to[TL_PATH_DSCPS], dscp_back[TL_PATH_DSCPS];
    int mtu; /* the longest IP packet that passes in both directions */
};

enum tl_path_method { TL_PATH_BY_ECHO, TL_PATH_BY_FALCON };

struct tl_path_report {
    enum tl_path_method method;
    bool ipv6;
    struct tl_path_one paths[TL_PATHS_MAX];
    size_t num_paths;
    uint64_t capture_drops; /* frames that this host dropped meanwhile, so that losses may be
                               its own */
};

extern const uint8_t tl_path_dscps[TL_PATH_DSCPS];

/* Measures the target's link. `echo`: HOST:PORT of the echo, or NULL: as the SUT reports.
 * Returns 0; FAL_ERR_IO, FAL_ERR_FORM, FAL_ERR_MEM with `err`. */
MUST_USE int tl_path_check(const struct tl_target *target, const char *echo,
                           const struct tl_path_options *options, struct tl_path_report *out,
                           struct fal_error *err);

struct tl_path_limits tl_path_limits(const struct tl_path_report *report);

/* The document talon/path-check/1. New reference; NULL: out of memory. */
json_t *tl_path_report_json(const struct tl_path_report *report, const char *sut);
/* Reads the limits from such a document. Returns 0; FAL_ERR_IO, FAL_ERR_FORM with `err`.
 * *document (may be NULL) receives a new reference to the document. */
MUST_USE int tl_path_limits_load(const char *file, struct tl_path_limits *out,
                                 json_t **document, struct fal_error *err);

/* ---- between the files ---- */

/* Measures one path over a link whose other end is an echo; out->mtu may hold a first guess. In
 * path_probe.c. */
MUST_USE int tl_path_probe(struct tl_link *link, bool ipv6,
                           const struct tl_path_options *options, struct tl_path_one *out,
                           struct fal_error *err);
/* Measures by transactions on a connection of the bench. In path_falcon.c. */
MUST_USE int tl_path_falcon(struct tl_bench *bench, const struct tl_path_options *options,
                            struct tl_path_one *out, struct fal_error *err);

/* The members of the measurements as JSON. */
extern const struct fal_shape tl_path_check_shape;

#endif
