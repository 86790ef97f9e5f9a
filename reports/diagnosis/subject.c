/* SPDX-License-Identifier: Apache-2.0
 * subject.c - what failures are about, where no known fault need fit. */
#include "oracles/catalogue.h"
#include "oracles/endpoint/faults/faults.h"
#include "reports/diagnosis/diagnosis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest section that is the given one, or above it, counts. */
static const struct {
    const char *section, *subject;
} subjects[] = {
    {"6", "ULP"},
    {"6.1.2", "window"},
    {"6.5", "security"},
    {"7", "packet format"},
    {"7.1", "security"},
    {"7.6", "retransmission"},
    {"7.7", "ACK"},
    {"7.8", "NACK"},
    {"8", "ULP"},
    {"8.4.3.4", "NACK"},
    {"8.5.3.4", "NACK"},
    {"8.5.3.5", "NACK"},
    {"9", "window"},
    {"9.1.1", "retransmission"},
    {"9.1.3", "ACK"},
    {"9.1.4", "retransmission"},
    {"9.1.5", "retransmission"},
    {"9.1.6", "ACK"},
    {"9.1.7", "NACK"},
    {"9.1.8", "retransmission"},
    {"9.2.1", "ACK"},
    {"9.2.2", "security"},
    {"9.2.2.4", "window"},
    {"9.2.3", "ACK"},
    {"9.2.4", "NACK"},
    {"9.2.5", "retransmission"},
    {"10", "congestion control"},
    {"11", "ULP"},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* Votes: the first cause has one, each later one half of the one before; so have the faults.
 * The requirements of all failures share one. A fault's section has the larger part. */
static const double fade = 0.5, of_section = 0.6, of_requirements = 0.4;
enum { CAUSES = 5, NEIGHBOURS = 3, REQUIREMENTS = 4 };

static int row_of(const char *section)
{
    size_t longest = 0;
    int row = 0;

    for (int i = 0; i < SUBJECTS; i++) {
        size_t len = strlen(subjects[i].section);

        if (len > longest && strncmp(section, subjects[i].section, len) == 0 &&
            (section[len] == 0 || section[len] == '.')) {
            longest = len;
            row = i;
        }
    }
    return row;
}

const char *tl_subject_of(const char *section)
{
    return subjects[row_of(section)].subject;
}

struct ballot {
    const char *section; /* borrowed */
    double votes;
};

struct election {
    struct ballot *sections; /* as many as there are requirements and faults at most */
    size_t num_sections;
    double subjects[SUBJECTS]; /* by the first row of the subject */
};

static void cast(struct election *e, const char *section, double votes)
{
    size_t i = 0;
    int row = 0;

    while (i < e->num_sections && strcmp(e->sections[i].section, section) != 0)
        i++;
    if (i == e->num_sections)
        e->sections[e->num_sections++] = (struct ballot){section, 0};
    e->sections[i].votes += votes;
    while (strcmp(subjects[row].subject, tl_subject_of(section)) != 0)
        row++;
    e->subjects[row] += votes;
}

static void cast_causes(struct election *e, const struct tl_causes *causes)
{
    double votes = 1;
    size_t n = 0;

    for (size_t i = 0; i < causes->count && n < CAUSES; i++) {
        if (causes->list[i].requirement == NULL)
            continue;
        cast(e, causes->list[i].requirement->section, votes);
        votes *= fade;
        n++;
    }
}

static void cast_requirements(struct election *e, const char *ids, double votes)
{
    const struct fal_requirement *found[REQUIREMENTS];
    size_t n = 0;
    char id[32];

    while (*ids != 0 && n < REQUIREMENTS) {
        size_t len = strcspn(ids, " ");

        if (len < sizeof id) {
            memcpy(id, ids, len);
            id[len] = 0;
            found[n] = fal_requirement_find(id);
            n += found[n] != NULL;
        }
        ids += len + strspn(ids + len, " ");
    }
    for (size_t i = 0; i < n; i++)
        cast(e, found[i]->section, votes / (double)n);
}

static void cast_faults(struct election *e, const struct tl_diagnosis *d)
{
    size_t num_faults, n = 0;
    const struct fal_fault *faults = fal_faults(&num_faults);
    double votes = 1;

    for (size_t i = 0; i < d->count && n < NEIGHBOURS; i++) {
        int at = d->fits[i].rest ? -1 : fal_fault_find(d->fits[i].fault->names[0]);

        if (at < 0)
            continue;
        cast(e, faults[at].section, of_section * votes);
        cast_requirements(e, faults[at].requirements, of_requirements * votes);
        votes *= fade;
        n++;
    }
}

static void cast_blamed(struct election *e, const struct tl_seen *seen)
{
    size_t n;
    const struct fal_requirement *all = fal_catalogue(&n);
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += seen->blamed[i];
    for (size_t i = 0; i < n; i++)
        if (seen->blamed[i] > 0)
            cast(e, all[i].section, seen->blamed[i] / sum);
}

static void count(const struct election *e, struct tl_diagnosis *d)
{
    double most = 0;

    for (int i = 0; i < SUBJECTS; i++) {
        if (e->subjects[i] > most) {
            most = e->subjects[i];
            d->subject = subjects[i].subject;
        }
    }
    for (d->num_sections = 0; d->num_sections < TL_SECTIONS_MAX; d->num_sections++) {
        struct ballot *best = NULL;

        for (size_t i = 0; i < e->num_sections; i++)
            if (e->sections[i].votes > 0 &&
                (best == NULL || e->sections[i].votes > best->votes))
                best = &e->sections[i];
        if (best == NULL)
            break;
        best->votes = 0;
        (void)snprintf(d->sections[d->num_sections], TL_SECTION_TEXT, "%s", best->section);
    }
}

int tl_diagnosis_vote(const struct tl_seen *seen, const struct tl_causes *causes,
                      struct tl_diagnosis *diagnosis, struct fal_error *err)
{
    struct election e = {.num_sections = 0};
    size_t n;

    (void)fal_catalogue(&n);
    e.sections = calloc(n + CAUSES + NEIGHBOURS * (1 + REQUIREMENTS), sizeof *e.sections);
    if (e.sections == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    cast_causes(&e, causes);
    cast_faults(&e, diagnosis);
    cast_blamed(&e, seen);
    count(&e, diagnosis);
    free(e.sections);
    return 0;
}
