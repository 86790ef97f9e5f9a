/* SPDX-License-Identifier: Apache-2.0
 * fuzz_scenario.c - the reader of scenarios. It accepts a text, or prints errors, each on a
 * line of its own that names the place. Reading the text again gives the same result. */
#include "fuzz/targets/targets.h"
#include "harness/scenario/scenario.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = "f.json";

/* Whether `line` is the mark below a source line: blanks, then a caret. */
static bool is_caret(const char *line, size_t len)
{
    return len > 0 && line[len - 1] == '^' && strspn(line, " ") == len - 1;
}

/* Whether the line after this one is a caret. */
static bool has_caret_below(const char *at, size_t len)
{
    const char *below = at + len + 1;

    return at[len] == '\n' && is_caret(below, strcspn(below, "\n"));
}

/* Each error is a line that begins with the file's name. The source line and a caret below it
 * may follow. */
static void check_errors(const char *errors)
{
    enum { MESSAGE, SOURCE, CARET } last = CARET;

    if (*errors == '\0')
        fuzz_broken("scenario: refused, and nobody says why");
    for (const char *at = errors; *at != '\0';) {
        size_t len = strcspn(at, "\n");

        if (last == SOURCE && !is_caret(at, len))
            fuzz_broken("scenario: a source line without a caret: %.*s", (int)len, at);
        if (last == SOURCE)
            last = CARET;
        else if (strncmp(at, path, sizeof path - 1) == 0 &&
                 !(last == MESSAGE && has_caret_below(at, len)))
            last = MESSAGE; /* A source line may begin like the path, too. */
        else if (last == MESSAGE)
            last = SOURCE;
        else
            fuzz_broken("scenario: an error that names no file: %.*s", (int)len, at);
        for (size_t i = 0; i < len; i++)
            if ((unsigned char)at[i] < 0x20)
                fuzz_broken("scenario: an error with control characters");
        at += at[len] == '\n' ? len + 1 : len;
    }
    if (last == SOURCE)
        fuzz_broken("scenario: the errors end with a source line");
}

/* Reads every case of the file, as far as other code uses it. */
static size_t walk(const struct tl_scenario *scenario)
{
    size_t steps = 0;

    for (; scenario != NULL; scenario = scenario->next) {
        if (scenario->id == NULL || scenario->title == NULL)
            fuzz_broken("scenario: a case without a name");
        if (scenario->body > scenario->num_steps || scenario->postamble > scenario->num_steps ||
            scenario->body > scenario->postamble)
            fuzz_broken("scenario: parts that do not follow each other");
        for (size_t i = 0; i < scenario->num_steps; i++) {
            const struct tl_step *step = &scenario->steps[i];

            if (step->text == NULL || step->where == NULL)
                fuzz_broken("scenario: a step without words");
            if (step->verb == TL_JUMP && step->u.jump > scenario->num_steps)
                fuzz_broken("scenario: a jump out of it");
            if (step->verb == TL_REPEAT && step->u.repeat.end > scenario->num_steps)
                fuzz_broken("scenario: a loop out of it");
            steps++;
        }
    }
    return steps;
}

static void free_all(struct tl_scenario *scenario)
{
    while (scenario != NULL) {
        struct tl_scenario *next = scenario->next;

        tl_scenario_free(scenario);
        scenario = next;
    }
}

void fuzz_scenario(const uint8_t *data, size_t size)
{
    char *errors = NULL, *errors_again = NULL;
    struct tl_scenario *first = tl_scenario_read(path, (const char *)data, size, &errors);
    struct tl_scenario *again;

    if (first == NULL && errors != NULL)
        check_errors(errors);
    if (first != NULL && errors != NULL)
        fuzz_broken("scenario: read, and refused");
    again = tl_scenario_read(path, (const char *)data, size, &errors_again);
    if (walk(first) != walk(again) || (errors == NULL) != (errors_again == NULL) ||
        (errors != NULL && strcmp(errors, errors_again) != 0))
        fuzz_broken("scenario: the same text is read otherwise");
    free_all(first);
    free_all(again);
    free(errors);
    free(errors_again);
}
