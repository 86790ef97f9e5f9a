/* SPDX-License-Identifier: Apache-2.0
 * experiment.h - the experiments of `talon lab`: what is set up, what is measured, and the band
 * in which each value lies when Swift and PLB have the parameters of a public simulator. A
 * value outside its band is a warning: quality is no requirement of the specification. */
#ifndef FAL_ORACLES_LAB_EXPERIMENT_H
#define FAL_ORACLES_LAB_EXPERIMENT_H

#include "oracles/cc/swift.h"
#include "oracles/lab/lab.h"

enum {
    FAL_LAB_VALUES_MAX = 20,
    FAL_LAB_CASES_MAX = 8,
    FAL_LAB_FLOWS_MAX = 512,
    FAL_LAB_SETTINGS_OWN = 4, /* settings of one experiment; those of all come behind them */
    FAL_LAB_ECN_KB = FAL_LAB_SETTINGS_OWN,
    FAL_LAB_SETTINGS_MAX,
};

struct fal_lab_foreign; /* foreign.h */
struct fal_lab_pacer;   /* pacer.h */

/* A whole number; its unit is in its name. */
struct fal_lab_setting {
    const char *name; /* NULL: there is none */
    uint32_t value;   /* default */
    uint32_t least, most;
    const char *about;
};

/* Values are whole numbers of thousandths, so that they are printed without rounding. */
struct fal_lab_value {
    const char *name, *unit; /* unit "": a number */
    int64_t milli, least, most;
    bool banded; /* least and most hold; most INT64_MAX: no upper limit */
    bool whole;  /* it counts something */
};

struct fal_lab_outcome {
    struct fal_lab_value values[FAL_LAB_VALUES_MAX];
    unsigned n_values;
    uint64_t trace;  /* fal_lab.trace */
    uint64_t events; /* of the fabric */
};

struct fal_lab_ask {
    uint32_t flows;                          /* of the case */
    uint32_t settings[FAL_LAB_SETTINGS_MAX]; /* by the number of fal_lab_setting_at */
    uint64_t seed;
    uint64_t time_ps; /* simulated */
    uint64_t rate_bps;
    const struct fal_swift *swift;
    enum fal_lab_fault fault;
    bool endpoints;                    /* endpoints play in place of model flows */
    const struct fal_lab_pacer *pacer; /* paces the model flows in place of Swift; or NULL */
    const struct fal_lab_foreign *foreign; /* plays some flows, endpoints the others; or NULL */
    void (*record)(void *ctx, const struct fal_lab_record *record); /* may be NULL */
    void *record_ctx;
};

struct fal_lab_experiment {
    const char *name, *number;
    const char *about;                 /* one sentence */
    uint32_t cases[FAL_LAB_CASES_MAX]; /* numbers of flows, in turn; 0 ends them */
    bool flows_given;                  /* another number of flows may be asked for */
    /* The simulated time, of an ask whose flows and settings are filled in. */
    uint64_t (*time_ps)(const struct fal_lab_ask *ask);
    int (*run)(const struct fal_lab_ask *ask,
               struct fal_lab_outcome *out); /* 0 or FAL_ERR_MEM */
    struct fal_lab_setting settings[FAL_LAB_SETTINGS_OWN];
    bool own_paths;  /* it is about paths that senders choose, which foreign ones cannot */
    bool own_flows;  /* its flows are neither model flows nor endpoints, nor foreign */
    uint32_t ecn_kb; /* a queue that holds so much marks a packet; the default */
};

/* The bytes of a packet and the hops of every experiment, for plots. */
enum { FAL_LAB_PACKET = 4160, FAL_LAB_HOPS = 3 };

const struct fal_lab_experiment *fal_lab_experiments(size_t *n);
const struct fal_lab_experiment *fal_lab_experiment_find(const char *name);

/* A setting of the experiment, by its number below FAL_LAB_SETTINGS_MAX; name NULL: it has none
 * of that number. */
struct fal_lab_setting fal_lab_setting_at(const struct fal_lab_experiment *experiment,
                                          unsigned number);
/* The ask of a case with the defaults of the experiment. rate, seed and swift are the caller's.
 */
struct fal_lab_ask fal_lab_ask_of(const struct fal_lab_experiment *experiment, uint32_t flows);

bool fal_lab_outside(const struct fal_lab_value *value);
/* The value of that name, or NULL. */
const struct fal_lab_value *fal_lab_value_find(const struct fal_lab_outcome *out,
                                               const char *name);

#endif
