/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results.h"

#include <stdlib.h>
#include <string.h>

const char *tl_problem_kind_name(enum tl_problem_kind kind)
{
    static const char *const names[] = {"step", "rule", "exercise", "bench"};

    return names[kind];
}

struct tl_problem *tl_case_problem(struct tl_case *c)
{
    struct tl_problem *grown = realloc(c->problems, (c->num_problems + 1) * sizeof *grown);

    if (grown == NULL)
        return NULL;
    c->problems = grown;
    grown += c->num_problems++;
    *grown = (struct tl_problem){.step = -1};
    return grown;
}

bool tl_ladder_add(struct tl_ladder_line **lines, size_t *count, const char *text, bool marked)
{
    struct tl_ladder_line *grown;
    char *copy;

    /* Grown by doubling: a whole conversation may be long. */
    if ((*count & (*count - 1)) == 0) {
        grown = realloc(*lines, (*count == 0 ? 1 : *count * 2) * sizeof *grown);
        if (grown == NULL)
            return false;
        *lines = grown;
    }
    copy = strdup(text);
    if (copy == NULL)
        return false;
    (*lines)[(*count)++] = (struct tl_ladder_line){.text = copy, .marked = marked};
    return true;
}

static void free_ladder(struct tl_ladder_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i].text);
    free(lines);
}

void tl_case_clear(struct tl_case *c)
{
    for (size_t i = 0; i < c->num_problems; i++) {
        struct tl_problem *p = &c->problems[i];

        free(p->text);
        free(p->expected);
        free(p->seen);
        free(p->why);
        free_ladder(p->ladder, p->num_ladder);
    }
    free(c->problems);
    free(c->rules);
    free(c->readings);
    free_ladder(c->packets, c->num_packets);
    free(c->evidence);
    free(c->repeat);
    *c = (struct tl_case){0};
}

enum fal_verdict tl_results_verdict(const struct tl_results *results)
{
    enum fal_verdict worst = FAL_VERDICT_NONE;

    for (size_t i = 0; i < results->num_cases; i++)
        worst = fal_verdict_worse(worst, results->cases[i].verdict);
    return worst;
}

size_t tl_results_count(const struct tl_results *results, enum fal_verdict verdict)
{
    size_t n = 0;

    for (size_t i = 0; i < results->num_cases; i++)
        n += results->cases[i].verdict == verdict;
    return n;
}
