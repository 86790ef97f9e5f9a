/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cc/cc_judge.h"

#include "oracles/rules/cc/cc_band.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tl_cc_judge {
    uint32_t latency;
    struct fal_band_forks forks;
    struct fal_band_widths widths;
    struct connection {
        uint32_t id;
        struct fal_band_series series;
    } * connections[TL_CC_CONNECTIONS];
    size_t count;
};

struct tl_cc_judge *tl_cc_judge_new(uint32_t latency)
{
    struct tl_cc_judge *judge = calloc(1, sizeof *judge);

    if (judge == NULL)
        return NULL;
    judge->latency = latency;
    fal_band_forks_all(&judge->forks);
    return judge;
}

void tl_cc_judge_free(struct tl_cc_judge *judge)
{
    for (size_t i = 0; judge != NULL && i < judge->count; i++)
        free(judge->connections[i]);
    free(judge);
}

/* Whole numbers are whole in the table of parameters. */
static struct fal_band_params band_params(const struct fal_swift_params *p)
{
    return (struct fal_band_params){
        .max_fcwnd = p->max_fcwnd,
        .min_fcwnd = p->min_fcwnd,
        .fabric_additive_increment = p->fabric_additive_increment,
        .fabric_multiplicative_decrease_factor = p->fabric_multiplicative_decrease_factor,
        .max_fabric_multiplicative_decrease_factor =
            p->max_fabric_multiplicative_decrease_factor,
        .max_ncwnd = p->max_ncwnd,
        .min_ncwnd = p->min_ncwnd,
        .nic_additive_increment = p->nic_additive_increment,
        .nic_multiplicative_decrease_factor = p->nic_multiplicative_decrease_factor,
        .max_nic_multiplicative_decrease_factor = p->max_nic_multiplicative_decrease_factor,
        .target_rx_buffer_level = (unsigned)p->target_rx_buffer_level,
        .plb_target_delay_multiplier = p->plb_target_delay_multiplier,
        .plb_congestion_threshold = p->plb_congestion_threshold,
        .plb_attempt_threshold = (unsigned)p->plb_attempt_threshold,
        .rtt_smoothing_alpha = p->rtt_smoothing_alpha,
        .delay_smoothing_alpha = p->delay_smoothing_alpha,
        .topology_scaling_per_hop = p->topology_scaling_per_hop,
        .retransmit_timeout_scalar = p->retransmit_timeout_scalar,
        .min_retransmission_timeout = p->min_retransmission_timeout,
        .retransmit_limit = (unsigned)p->retransmit_limit,
        .min_flow_scaling_window = p->min_flow_scaling_window,
        .max_flow_scaling_window = p->max_flow_scaling_window,
        .max_flow_scaling = p->max_flow_scaling,
    };
}

static int series_of(struct tl_cc_judge *judge, const struct tl_cc_line *line,
                     struct fal_band_series **out)
{
    struct connection *c = NULL;

    for (size_t i = 0; i < judge->count && c == NULL; i++)
        if (judge->connections[i]->id == line->event.connection_id)
            c = judge->connections[i];
    if (c == NULL) {
        if (judge->count == TL_CC_CONNECTIONS)
            return FAL_ERR_RANGE;
        c = malloc(sizeof *c);
        if (c == NULL)
            return FAL_ERR_MEM;
        c->id = line->event.connection_id;
        fal_band_series_init(&c->series);
        if (line->keep) /* it began before the first line */
            c->series.counted = FAL_BAND_UNCOUNTED;
        judge->connections[judge->count++] = c;
    } else if (!line->keep) {
        fal_band_series_init(&c->series);
    }
    *out = &c->series;
    return 0;
}

/* fcwnd is in units of 1/1024 packet. */
static const char *unit_of(enum fal_band_field field)
{
    return field == FAL_BAND_FCWND ? "/1024 packet" : "";
}

static void describe(const struct fal_band_breach *breach, struct tl_cc_finding *finding)
{
    const char *unit, *name;
    int n;

    finding->requirement = breach->requirement;
    if (breach->field == FAL_BAND_FIELDS) {
        (void)snprintf(finding->what, sizeof finding->what,
                       "each field is allowed by some reading, but no reading allows all");
        return;
    }
    name = fal_band_field_name(breach->field);
    unit = unit_of(breach->field);
    if (breach->allowed.lo == breach->allowed.hi)
        n = snprintf(finding->what, sizeof finding->what, "%s: expected %.0f%s, found %.0f%s",
                     name, breach->allowed.lo, unit, breach->seen, unit);
    else
        n = snprintf(finding->what, sizeof finding->what,
                     "%s: expected %.0f to %.0f%s, found %.0f%s", name, breach->allowed.lo,
                     breach->allowed.hi, unit, breach->seen, unit);
    if (breach->mixed && n > 0 && (size_t)n < sizeof finding->what)
        (void)snprintf(finding->what + n, sizeof finding->what - (size_t)n,
                       "; a reading that earlier results excluded would allow it");
}

/* The result belongs to the connection of its event. */
static bool same_connection(const struct tl_cc_line *line, struct tl_cc_finding *finding)
{
    if (line->result.connection_id == line->event.connection_id)
        return true;
    finding->requirement = "FTP-10.6.2.2-02";
    (void)snprintf(finding->what, sizeof finding->what,
                   "connection_id: expected %" PRIu32 ", as in the event, found %" PRIu32,
                   line->event.connection_id, line->result.connection_id);
    return false;
}

/* A delay that is not allowed may be another one than the event selects: then the definition
 * of the delay is violated, not that of the average. */
static void find_delay(const struct tl_cc_judge *judge, const struct fal_band_series *series,
                       const struct fal_band_input *input, const struct fal_cc_result *result,
                       struct tl_cc_finding *finding)
{
    static const char *const of[] = {"FTP-10.1-06", "FTP-10.1-07", "FTP-10.1-08",
                                     "FTP-10.1-09"};
    struct fal_band_series *copy = malloc(sizeof *copy);
    unsigned selected = input->event->delay_select;
    size_t len = strlen(finding->what);

    for (unsigned other = 0; copy != NULL && selected < 4 && other < 4; other++) {
        struct fal_cc_event event = *input->event;
        struct fal_band_input instead = *input;
        struct fal_band_forks forks = judge->forks;
        struct fal_band_breach breach;

        if (other == selected)
            continue;
        event.delay_select = (uint8_t)other;
        instead.event = &event;
        instead.widths = NULL;
        *copy = *series;
        if (!fal_band_holds(&forks, copy, &instead, result, &breach))
            continue;
        finding->requirement = of[selected];
        (void)snprintf(finding->what + len, sizeof finding->what - len,
                       "; allowed if the delay were %s and not %s",
                       fal_name_of(&fal_names_cc_delay_select, other),
                       fal_name_of(&fal_names_cc_delay_select, selected));
        break;
    }
    free(copy);
}

int tl_cc_judge_line(struct tl_cc_judge *judge, const struct tl_cc_line *line,
                     struct tl_cc_finding *finding)
{
    struct fal_band_params params = band_params(&line->params);
    struct fal_band_input input = {.params = &params,
                                   .event = &line->event,
                                   .now = {line->now & FAL_ARC_MASK, judge->latency},
                                   .widths = &judge->widths};
    struct fal_band_series *series;
    struct fal_band_breach breach;
    int rc = series_of(judge, line, &series);

    if (rc != 0)
        return rc;
    if (!same_connection(line, finding))
        return 0;
    if (fal_band_holds(&judge->forks, series, &input, &line->result, &breach))
        return 1;
    describe(&breach, finding);
    if (breach.field == FAL_BAND_DELAY_STATE)
        find_delay(judge, series, &input, &line->result, finding);
    return 0;
}

void tl_cc_judge_readings(const struct tl_cc_judge *judge, FILE *out)
{
    for (int axis = 0; axis < FAL_BAND_AXES; axis++) {
        const struct fal_band_axis_row *row = fal_band_axis((enum fal_band_axis)axis);
        unsigned left = fal_band_forks_left(&judge->forks, (enum fal_band_axis)axis);

        for (unsigned i = 0; i < row->n; i++)
            if (left == 1U << i)
                fprintf(out, "reading %s: %s\n", row->id, row->text[i]);
    }
}

void tl_cc_judge_widths(const struct tl_cc_judge *judge, FILE *out)
{
    fprintf(out, "%-20s %16s %8s   at most %d units and 0.1 %%\n", "width of the band",
            "widest", "results", FAL_BAND_NARROW);
    for (int field = 0; field < FAL_BAND_FIELDS; field++) {
        const struct fal_band_width *width = &judge->widths.of[field];

        if (width->results > 0)
            fprintf(out, "%-20s %7.0f%-9s %8" PRIu64 " %9.2f %%\n",
                    fal_band_field_name((enum fal_band_field)field), width->widest,
                    field == FAL_BAND_FCWND ? "/1024" : "", width->results,
                    100 * (double)width->narrow / (double)width->results);
    }
}
