/* SPDX-License-Identifier: Apache-2.0
 * kill_matrix.c - which rule sees which fault in worlds of random traffic (world_kills.h).
 *
 *   kills FAULT RULE REQUIREMENT WORLD   the first world that shows it to the tester
 *   views FAULT RULE W1 .. W12            a column for each way to look: from the tester, the
 *       middle, the SUT; with the upper layer's events, without; lossy, lossless: a world that
 *       shows it so, or "-"
 *   forms FAULT FORM RULE WORLD           the first rule that sees the fault in that form
 *       (faults.h); where none does "-" instead, and "idle": the condition never came true
 *       where the fault could act, or "unseen": it acted
 *
 * kill_matrix [PART] FAULT: its lines. kill_matrix --check PART FILE: the lines of a file,
 * without their first word, that are no longer so. tests/matrix/kills makes the files.
 *
 * Exit status: 0, 1 lines were lost, 2 usage, out of memory or no such file. */
#include "tests/world/world_kills.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEN = 64, VIEWS = 12, OTHERS = 24, WORLDS_MAX = 512, LINE_LEN = 512 };

static const char KILLS[] = "oracles/catalogue/kills.txt";
static const struct world_view by_tester = {FAL_VANTAGE_TESTER, false};

/* The columns of views. */
static const struct {
    struct world_view view;
    bool lossless;
} views[VIEWS] = {
#define BOTH(vantage, wire)   \
    {{vantage, wire}, false}, \
    {                         \
        {vantage, wire}, true \
    }
    BOTH(FAL_VANTAGE_TESTER, false), BOTH(FAL_VANTAGE_TESTER, true),
    BOTH(FAL_VANTAGE_MIDDLE, false), BOTH(FAL_VANTAGE_MIDDLE, true),
    BOTH(FAL_VANTAGE_SUT, false),    BOTH(FAL_VANTAGE_SUT, true),
};
static const struct {
    const char *name;
    enum fal_fault_when when;
    uint32_t one_in;
} forms[] = {
    {"one-in=3", FAL_WHEN_ALWAYS, 3},
    {"when=wrap", FAL_WHEN_WRAP, 0},
    {"when=resync", FAL_WHEN_RESYNC, 0},
    {"when=second-window", FAL_WHEN_SECOND_WINDOW, 0},
};
enum { FORMS = sizeof forms / sizeof *forms };

static struct fal_fault_set always(enum fal_fault_id fault)
{
    struct fal_fault_set set = {0};

    fal_fault_add(&set, fault);
    return set;
}

static struct fal_fault_set in_form(enum fal_fault_id fault, int form)
{
    struct fal_fault_set set = {0};

    FAL_IGNORE(fal_fault_add_how(&set, &(struct fal_fault_how){.id = fault,
                                                               .when = forms[form].when,
                                                               .one_in = forms[form].one_in}));
    return set;
}

/* ---- making ---- */

/* The rule's own id, which stays; or NULL. */
static const char *rule_named(const char *id)
{
    const struct fal_rule *rule = fal_rule_find(id);

    return rule != NULL ? rule->id : NULL;
}

/* What the tester sees of a fault: each kill with its first world, and all worlds with any. */
struct seen {
    size_t num_kills, num_worlds;
    struct world_kill kills[WORLD_KILLS_MAX];
    uint64_t first[WORLD_KILLS_MAX], worlds[WORLDS_MAX];
};

static int look(enum fal_fault_id fault, struct seen *seen)
{
    struct fal_fault_set set = always(fault);
    struct world_outcome outcome;
    uint64_t number;

    seen->num_kills = seen->num_worlds = 0;
    for (size_t n = 0; (number = world_number(n)) != 0; n++) {
        if (world_kills(number, &set, &by_tester, &outcome) != 0)
            return -1;
        for (size_t i = 0; i < outcome.num_kills; i++) {
            if (world_killed(seen->kills, seen->num_kills, &outcome.kills[i]) ||
                seen->num_kills == WORLD_KILLS_MAX)
                continue;
            seen->first[seen->num_kills] = number;
            seen->kills[seen->num_kills++] = outcome.kills[i];
        }
    }
    return 0;
}

static void add_world(struct seen *seen, uint64_t number)
{
    for (size_t i = 0; i < seen->num_worlds; i++)
        if (seen->worlds[i] == number)
            return;
    if (seen->num_worlds < WORLDS_MAX)
        seen->worlds[seen->num_worlds++] = number;
}

/* What the file of kills says of a fault; its worlds, and some of their kind, good and bad. */
static int recall(const char *name, struct seen *seen)
{
    static const unsigned seeds[] = {1, 2, 4, 8, 12, 16};
    FILE *file = fopen(KILLS, "r");
    char fault[NAME_LEN], rule[NAME_LEN], requirement[NAME_LEN];
    uint64_t number;
    size_t firsts;

    seen->num_kills = seen->num_worlds = 0;
    while (file != NULL && seen->num_kills < WORLD_KILLS_MAX &&
           fscanf(file, "%63s %63s %63s %" SCNu64, fault, rule, requirement, &number) == 4) {
        const char *id = rule_named(rule);

        if (strcmp(fault, name) != 0 || id == NULL)
            continue;
        seen->kills[seen->num_kills] = (struct world_kill){id, ""};
        seen->first[seen->num_kills++] = number;
        add_world(seen, number);
    }
    firsts = seen->num_worlds;
    for (size_t i = 0; i < firsts; i++)
        for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++)
            add_world(seen, seen->worlds[i] / 1000 * 1000 + seeds[k]);
    if (file != NULL)
        (void)fclose(file);
    return file != NULL ? 0 : -1;
}

static int make_kills(enum fal_fault_id fault, const char *name, struct seen *seen)
{
    if (look(fault, seen) != 0)
        return -1;
    for (size_t i = 0; i < seen->num_kills; i++)
        printf("%s %s %s %" PRIu64 "\n", name, seen->kills[i].rule, seen->kills[i].requirement,
               seen->first[i]);
    return 0;
}

/* Whether a rule is among the kills. */
static bool told_by(const struct world_outcome *outcome, const char *rule)
{
    for (size_t i = 0; i < outcome->num_kills; i++)
        if (strcmp(outcome->kills[i].rule, rule) == 0)
            return true;
    return false;
}

/* The rules of the kills, each once. */
static size_t rules_of(const struct seen *seen, const char *rules[WORLD_KILLS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < seen->num_kills; i++) {
        size_t k = 0;

        while (k < n && strcmp(rules[k], seen->kills[i].rule) != 0)
            k++;
        if (k == n)
            rules[n++] = seen->kills[i].rule;
    }
    return n;
}

static int make_views(enum fal_fault_id fault, const char *name, struct seen *seen)
{
    struct fal_fault_set set = always(fault);
    const char *rules[WORLD_KILLS_MAX];
    uint64_t at[WORLD_KILLS_MAX][VIEWS] = {{0}};
    struct world_outcome outcome;
    size_t num_rules;

    if (recall(name, seen) != 0)
        return -1;
    num_rules = rules_of(seen, rules);
    for (int v = 0; v < VIEWS; v++) {
        size_t missing = num_rules;

        for (size_t i = 0; i < seen->num_worlds && missing > 0; i++) {
            uint64_t number = seen->worlds[i];

            if (world_lossless(number) != views[v].lossless)
                continue;
            if (world_kills(number, &set, &views[v].view, &outcome) != 0)
                return -1;
            for (size_t r = 0; r < num_rules; r++)
                if (at[r][v] == 0 && told_by(&outcome, rules[r])) {
                    at[r][v] = number;
                    missing--;
                }
        }
    }
    for (size_t r = 0; r < num_rules; r++) {
        printf("%s %s", name, rules[r]);
        for (int v = 0; v < VIEWS; v++)
            at[r][v] == 0 ? (void)printf(" -") : (void)printf(" %" PRIu64, at[r][v]);
        putchar('\n');
    }
    return 0;
}

/* A rule that sees the form in that world, or NULL. */
static const char *form_seen(enum fal_fault_id fault, int form, uint64_t number, uint64_t *acts,
                             int *rc)
{
    struct fal_fault_set set = in_form(fault, form);
    static struct world_outcome outcome; /* of the last world: `rule` points into constants */

    if (world_kills(number, &set, &by_tester, &outcome) != 0) {
        *rc = -1;
        return NULL;
    }
    *acts += outcome.acts[fault];
    return outcome.num_kills > 0 ? outcome.kills[0].rule : NULL;
}

static int make_forms(enum fal_fault_id fault, const char *name, struct seen *seen)
{
    int rc = recall(name, seen);

    for (int form = 0; form < FORMS && rc == 0 && seen->num_worlds > 0; form++) {
        const char *rule = NULL;
        uint64_t acts = 0, number = 0;

        /* where it is seen when it acts always, and in some others */
        for (size_t i = 0; i < seen->num_worlds && rule == NULL && rc == 0; i++) {
            number = seen->worlds[i];
            rule = form_seen(fault, form, number, &acts, &rc);
        }
        for (size_t n = 0; rule == NULL && rc == 0 && n < OTHERS; n++) {
            number = world_number(n);
            rule = form_seen(fault, form, number, &acts, &rc);
        }
        if (rule != NULL)
            printf("%s %s %s %" PRIu64 "\n", name, forms[form].name, rule, number);
        else
            printf("%s %s - %s\n", name, forms[form].name, acts > 0 ? "unseen" : "idle");
    }
    return rc;
}

/* ---- checking ---- */

/* The last world that was run, since the lines of one often follow each other. */
struct memory {
    char name[NAME_LEN];
    uint64_t number;
    int view;
    struct world_outcome outcome;
};

static int remember(struct memory *memory, int fault, const char *name, int view,
                    uint64_t number)
{
    struct fal_fault_set set;

    if (strcmp(memory->name, name) == 0 && memory->number == number && memory->view == view)
        return 0;
    (void)snprintf(memory->name, sizeof memory->name, "%s", name);
    memory->number = number;
    memory->view = view;
    set = always((enum fal_fault_id)fault);
    return world_kills(number, &set, &views[view].view, &memory->outcome);
}

/* Each returns how many cells of a line are lost, or -1. */
static int check_kill(struct memory *memory, const char *line)
{
    char name[NAME_LEN], rule[NAME_LEN], requirement[NAME_LEN];
    struct world_kill kill = {rule, requirement};
    uint64_t number;
    int fault;

    if (sscanf(line, "%63s %63s %63s %" SCNu64, name, rule, requirement, &number) != 4 ||
        (fault = fal_fault_find(name)) < 0 || remember(memory, fault, name, 0, number) != 0)
        return -1;
    return !world_killed(memory->outcome.kills, memory->outcome.num_kills, &kill);
}

static int check_view(struct memory *memory, const char *line)
{
    char name[NAME_LEN], rule[NAME_LEN], cell[NAME_LEN];
    int at = 0, n = 0, fault, lost = 0;

    if (sscanf(line, "%63s %63s%n", name, rule, &at) != 2 || (fault = fal_fault_find(name)) < 0)
        return -1;
    for (int v = 0; v < VIEWS; v++, at += n) {
        if (sscanf(line + at, "%63s%n", cell, &n) != 1)
            return -1;
        if (strcmp(cell, "-") == 0)
            continue;
        if (remember(memory, fault, name, v, strtoull(cell, NULL, 10)) != 0)
            return -1;
        lost += !told_by(&memory->outcome, rule);
    }
    return lost;
}

static int check_form(struct memory *memory, const char *line)
{
    char name[NAME_LEN], form[NAME_LEN], rule[NAME_LEN], world[NAME_LEN];
    int at = 0, fault, rc = 0;
    uint64_t acts = 0;

    (void)memory;
    if (sscanf(line, "%63s %63s %63s %63s", name, form, rule, world) != 4 ||
        (fault = fal_fault_find(name)) < 0)
        return -1;
    while (at < FORMS && strcmp(forms[at].name, form) != 0)
        at++;
    if (at == FORMS)
        return -1;
    if (strcmp(rule, "-") == 0)
        return 0;
    if (form_seen((enum fal_fault_id)fault, at, strtoull(world, NULL, 10), &acts, &rc) == NULL)
        return rc != 0 ? -1 : 1;
    return 0;
}

static const struct part {
    const char *name;
    int (*make)(enum fal_fault_id fault, const char *name, struct seen *seen);
    int (*check)(struct memory *memory, const char *line);
} parts[] = {
    {"kills", make_kills, check_kill},
    {"views", make_views, check_view},
    {"forms", make_forms, check_form},
};
enum { PARTS = sizeof parts / sizeof *parts };

static int check(const struct part *part, const char *path)
{
    struct memory *memory = calloc(1, sizeof *memory);
    FILE *file = fopen(path, "r");
    char line[LINE_LEN];
    int lost = 0, n = 0;

    while (memory != NULL && file != NULL && n >= 0 && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        n = part->check(memory, line);
        if (n != 0)
            fputs(line, stdout);
        lost += n;
    }
    if (file == NULL || memory == NULL || n < 0)
        lost = -1;
    if (file != NULL)
        (void)fclose(file);
    free(memory);
    return lost;
}

int main(int argc, char **argv)
{
    const struct part *part = NULL;
    int fault = argc == 3 ? fal_fault_find(argv[2]) : -1, rc;

    for (int i = 0; i < PARTS && argc > 2; i++)
        if (strcmp(argv[argc - 2], parts[i].name) == 0)
            part = &parts[i];
    if (part != NULL && fault >= 0) {
        struct seen *seen = malloc(sizeof *seen);

        rc = seen != NULL ? part->make((enum fal_fault_id)fault, argv[2], seen) : -1;
        free(seen);
        return rc != 0 ? 2 : 0;
    }
    if (argc != 4 || part == NULL || strcmp(argv[1], "--check") != 0) {
        fprintf(stderr, "usage: kill_matrix PART FAULT | --check PART FILE\n"
                        "PART: kills, views, forms\n");
        return 2;
    }
    rc = check(part, argv[3]);
    return rc > 0 ? 1 : rc < 0 ? 2 : 0;
}
