/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/debug/stepper.h"

#include "codecs/base/nearest.h"
#include "harness/debug/breaks.h"
#include "harness/debug/prompt.h"
#include "harness/debug/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LAST = 20,          /* packets or events that are printed, unless a number is given */
    SINCE_MAX = 200,    /* of each that are printed by themselves at a stop */
    WORDS_MAX = 3,      /* of a command */
    BATCH = 1000000000, /* steps that `step N` plays at most */
};

/* What was printed of a session so far. */
struct shown {
    const struct tl_session *session;
    uint64_t next[2]; /* numbers of the next packet and of the next event */
};

struct tl_stepper {
    struct tl_stops stops;
    struct tl_stepper_config config;
    struct tl_prompt prompt;
    struct tl_breaks breaks;
    bool echo;       /* the input is no terminal, so commands are printed */
    bool every;      /* stop at the next step */
    uint64_t passes; /* steps that are played before that */
    bool asked;      /* the prompt was printed, and its command has not come */
    bool told_live, told_miss, quit;
    struct shown shown[TL_CONNECTIONS_MAX]; /* of each connection that plays the steps */
};

/* ---- a stop ---- */

static struct shown *shown_of(struct tl_stepper *stepper, const struct tl_session *session)
{
    for (size_t i = 0; i < TL_CONNECTIONS_MAX; i++) {
        struct shown *shown = &stepper->shown[i];

        if (shown->session == NULL)
            shown->session = session;
        if (shown->session == session)
            return shown;
    }
    return &stepper->shown[0];
}

/* What has happened since the last stop. */
static void show_news(struct tl_stepper *stepper, const struct tl_interp *interp)
{
    struct shown *shown = shown_of(stepper, interp->session);

    tl_show_news(stepper->config.out, interp, shown->next, SINCE_MAX);
    shown->next[0] = interp->session->packets.next;
    shown->next[1] = interp->session->events.next;
    if (interp->failed && !stepper->told_miss)
        tl_show_miss(stepper->config.out, interp);
    stepper->told_miss = interp->failed;
}

static void show_place(const struct tl_stepper *stepper, const struct tl_interp *interp)
{
    const struct tl_scenario *scenario = interp->scenario;
    FILE *out = stepper->config.out;
    char time[64];

    tl_session_print_time(tl_session_now(interp->session), time, sizeof time);
    fprintf(out, "@%s ", time);
    if (scenario->num_conns > 0)
        fprintf(out, "[%s] ", scenario->conn_names[scenario->self]);
    if (interp->step == scenario->num_steps)
        fprintf(out, "after the last step\n");
    else
        fprintf(out, "before ");
    if (interp->step < scenario->num_steps)
        tl_show_step(out, scenario, interp->step);
}

/* Once a case: what a stop does to time. */
static void tell_time(struct tl_stepper *stepper, const struct tl_session *session)
{
    FILE *out = stepper->config.out;

    if (stepper->told_live)
        return;
    stepper->told_live = true;
    fprintf(out, "%s: %zu steps; 'help' lists the commands\n", session->config.title,
            stepper->config.scenario->num_steps);
    if (!tl_session_live(session)) {
        fprintf(out,
                "virtual time: it stands still at a stop, and the result does not change\n");
        return;
    }
    fprintf(
        out,
        "live link: time runs on at a stop. The timers of the SUT run; the retransmission "
        "timers of the\ntester do not. The tester receives packets, and %s.\nFrom the first "
        "stop on nothing fails or passes (reason: paused). Longer timers of the SUT\nhelp: "
        "--param transaction_timeout=600s --param rto=10s\n",
        session->config.acks ? "acknowledges them" : "leaves ACKs to the steps: none is sent");
}

static bool is_due(struct tl_stepper *stepper, const struct tl_interp *interp)
{
    bool end = interp->step == interp->scenario->num_steps;
    bool hit = !end && tl_breaks_hit(&stepper->breaks, interp->step);

    if (hit || !stepper->every)
        return hit;
    if (!end && interp->scenario->steps[interp->step].verb == TL_NOTE)
        return false;
    if (stepper->passes == 0)
        return true;
    stepper->passes--;
    return false;
}

/* ---- commands ---- */

/* What a command does to the steps. */
enum go { GO_NOT, GO_ON };

struct command {
    char *words[WORDS_MAX]; /* NULL: there are no more */
};

typedef enum go obey_fn(struct tl_stepper *stepper, struct tl_interp *interp,
                        const struct command *command);

/* A number from 1 on; `otherwise` if there is no word. 0: it is none, and the person knows. */
static uint64_t number(struct tl_stepper *stepper, const char *word, uint64_t otherwise)
{
    char *end;
    unsigned long long n;

    if (word == NULL)
        return otherwise;
    errno = 0;
    n = strtoull(word, &end, 10);
    if (*word >= '0' && *word <= '9' && *end == 0 && errno == 0 && n >= 1 && n <= BATCH)
        return n;
    fprintf(stepper->config.out, "'%s': expected a number from 1 to %d\n", word, BATCH);
    return 0;
}

static enum go step(struct tl_stepper *stepper, struct tl_interp *interp,
                    const struct command *command)
{
    uint64_t n = number(stepper, command->words[1], 1);

    (void)interp;
    if (n == 0)
        return GO_NOT;
    stepper->every = true;
    stepper->passes = n - 1;
    return GO_ON;
}

static enum go go_on(struct tl_stepper *stepper, struct tl_interp *interp,
                     const struct command *command)
{
    (void)interp;
    (void)command;
    stepper->every = false;
    return GO_ON;
}

static void list_breaks(const struct tl_stepper *stepper)
{
    FILE *out = stepper->config.out;

    if (stepper->breaks.count == 0)
        fprintf(out, "no breaks: 'break STEP' sets one\n");
    for (size_t i = 0; i < stepper->breaks.count; i++) {
        fprintf(out, "   break before ");
        tl_show_step(out, stepper->config.scenario, stepper->breaks.steps[i]);
    }
}

static enum go set_break(struct tl_stepper *stepper, struct tl_interp *interp,
                         const struct command *command)
{
    struct fal_error err = {{0}};
    size_t at;

    (void)interp;
    if (command->words[1] == NULL) {
        list_breaks(stepper);
        return GO_NOT;
    }
    if (tl_break_find(stepper->config.scenario, command->words[1], &at, &err) != 0 ||
        tl_breaks_add(&stepper->breaks, at, &err) != 0) {
        fprintf(stepper->config.out, "break: %s\n", err.text);
        return GO_NOT;
    }
    fprintf(stepper->config.out, "break before ");
    tl_show_step(stepper->config.out, stepper->config.scenario, at);
    return GO_NOT;
}

static enum go delete_break(struct tl_stepper *stepper, struct tl_interp *interp,
                            const struct command *command)
{
    struct fal_error err = {{0}};
    size_t at;

    (void)interp;
    if (command->words[1] == NULL)
        fprintf(stepper->config.out, "delete: expected a step\n");
    else if (tl_break_find(stepper->config.scenario, command->words[1], &at, &err) != 0)
        fprintf(stepper->config.out, "delete: %s\n", err.text);
    else if (!tl_breaks_remove(&stepper->breaks, at))
        fprintf(stepper->config.out, "delete: there is no break before step %zu\n", at + 1);
    else
        fprintf(stepper->config.out, "no break before step %zu any more\n", at + 1);
    return GO_NOT;
}

static void show_state(FILE *out, const struct tl_interp *interp)
{
    tl_show_connection(out, interp);
    tl_show_windows(out, interp);
    tl_show_bitmaps(out, interp);
    tl_show_timers(out, interp);
}

static const struct {
    const char *name;
    void (*show)(FILE *out, const struct tl_interp *interp);
    /* Or of a list, whose last ones are printed: */
    void (*last)(FILE *out, const struct tl_interp *interp, uint64_t count);
} subjects[] = {
    {"state", show_state, NULL},
    {"windows", tl_show_windows, NULL},
    {"bitmaps", tl_show_bitmaps, NULL},
    {"timers", tl_show_timers, NULL},
    {"connection", tl_show_connection, NULL},
    {"variables", tl_show_variables, NULL},
    {"steps", tl_show_steps, NULL},
    {"packets", NULL, tl_show_packets},
    {"events", NULL, tl_show_events},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* The subject that begins with the word; SUBJECTS: none, or several. */
static size_t subject_of(const char *word)
{
    size_t found = SUBJECTS;

    for (size_t i = 0; i < SUBJECTS; i++) {
        if (strcmp(subjects[i].name, word) == 0)
            return i;
        if (strncmp(subjects[i].name, word, strlen(word)) != 0)
            continue;
        if (found < SUBJECTS)
            return SUBJECTS;
        found = i;
    }
    return found;
}

static enum go print(struct tl_stepper *stepper, struct tl_interp *interp,
                     const struct command *command)
{
    const char *word = command->words[1] != NULL ? command->words[1] : "state";
    size_t i = subject_of(word);
    uint64_t n;

    if (i == SUBJECTS) {
        fprintf(stepper->config.out, "print: nothing has the name '%s'; expected one of", word);
        for (size_t k = 0; k < SUBJECTS; k++)
            fprintf(stepper->config.out, " %s", subjects[k].name);
        fputc('\n', stepper->config.out);
    } else if (subjects[i].show != NULL) {
        subjects[i].show(stepper->config.out, interp);
    } else if ((n = number(stepper, command->words[2], LAST)) > 0) {
        fprintf(stepper->config.out, "%s: %" PRIu64 " so far\n", subjects[i].name,
                subjects[i].last == tl_show_packets ? interp->session->packets.next
                                                    : interp->session->events.next);
        subjects[i].last(stepper->config.out, interp, n);
    }
    return GO_NOT;
}

static enum go list(struct tl_stepper *stepper, struct tl_interp *interp,
                    const struct command *command)
{
    (void)command;
    tl_show_steps(stepper->config.out, interp);
    return GO_NOT;
}

static enum go quit(struct tl_stepper *stepper, struct tl_interp *interp,
                    const struct command *command)
{
    (void)interp;
    (void)command;
    stepper->quit = true;
    return GO_ON;
}

static enum go help(struct tl_stepper *stepper, struct tl_interp *interp,
                    const struct command *command);

static const struct {
    const char *name, *arguments, *help;
    obey_fn *obey;
} commands[] = {
    {"step", "[N]", "play one step, or N; an empty line does the same", step},
    {"continue", "", "play on to the next break, or to the end of the case", go_on},
    {"break", "[STEP]", "stop before STEP: a number, a name or :LINE; without STEP: list",
     set_break},
    {"delete", "STEP", "do not stop before STEP any more", delete_break},
    {"print", "[WHAT]", "state (all of the next four), connection, windows, bitmaps, timers",
     print},
    {"", "", "also variables, steps, packets [N], events [N]: the last N (default 20)", NULL},
    {"list", "", "the steps of the scenario", list},
    {"quit", "", "end the case; it is inconclusive, unless it had failed before", quit},
    {"help", "", "this list; a command may be shortened", help},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static enum go help(struct tl_stepper *stepper, struct tl_interp *interp,
                    const struct command *command)
{
    (void)interp;
    (void)command;
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stepper->config.out, "   %-8s %-7s %s\n", commands[i].name,
                commands[i].arguments, commands[i].help);
    return GO_NOT;
}

/* Cuts the line into words; false: there are too many. */
static bool cut(char *line, struct command *command)
{
    char *save = NULL, *word = strtok_r(line, " \t\r", &save);

    *command = (struct command){{NULL}};
    for (size_t i = 0; i < WORDS_MAX && word != NULL; i++) {
        command->words[i] = word;
        word = strtok_r(NULL, " \t\r", &save);
    }
    return word == NULL;
}

static enum go obey(struct tl_stepper *stepper, struct tl_interp *interp, char *line)
{
    struct fal_nearest_list nearest = {.word = NULL};
    struct command command;
    FILE *out = stepper->config.out;

    if (!cut(line, &command)) {
        fprintf(out, "a command has at most %d words; 'help' lists them\n", WORDS_MAX);
        return GO_NOT;
    }
    if (command.words[0] == NULL)
        return step(stepper, interp, &command);
    nearest.word = command.words[0];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (commands[i].obey == NULL)
            continue;
        if (strncmp(commands[i].name, command.words[0], strlen(command.words[0])) == 0)
            return commands[i].obey(stepper, interp, &command);
        fal_nearest_add(&nearest, commands[i].name);
    }
    fprintf(out, "there is no command '%s'%s\n", command.words[0],
            fal_hint(nearest.names[0], "; 'help' lists them").text);
    return GO_NOT;
}

/* ---- between the stops and the commands ---- */

/* Reads and obeys commands until the steps go on. False: there is none yet. */
static bool converse(struct tl_stepper *stepper, struct tl_interp *interp)
{
    bool waits = !tl_session_live(interp->session);
    FILE *out = stepper->config.out;
    enum go go = GO_NOT;

    while (go == GO_NOT) {
        enum tl_prompt_got got;

        if (!stepper->asked) {
            fprintf(out, "(talon) ");
            (void)fflush(out);
        }
        stepper->asked = true;
        got = tl_prompt_read(&stepper->prompt, waits);
        if (got == TL_PROMPT_NONE)
            return false;
        stepper->asked = false;
        switch (got) {
        case TL_PROMPT_LINE:
            if (stepper->echo)
                fprintf(out, "%s\n", stepper->prompt.line);
            go = obey(stepper, interp, stepper->prompt.line);
            break;
        case TL_PROMPT_LONG:
            fprintf(out, "a command has at most %d bytes\n", TL_PROMPT_MAX - 1);
            break;
        case TL_PROMPT_END:
            fprintf(out, "\nend of input: the steps go on without stops\n");
            stepper->every = false;
            stepper->breaks.count = 0;
            go = GO_ON;
            break;
        case TL_PROMPT_INTERRUPTED:
            fputc('\n', out);
            stepper->quit = true;
            go = GO_ON;
            break;
        case TL_PROMPT_NONE: break;
        }
    }
    return true;
}

static bool end_case(struct tl_interp *interp)
{
    tl_session_break(interp->session, TL_REASON_QUIT, "the case was ended with quit at a stop");
    return false;
}

/* Of struct tl_stops. */
static bool may_begin(void *ctx, struct tl_interp *interp)
{
    struct tl_stepper *stepper = ctx;

    if (stepper->quit)
        return end_case(interp);
    if (!interp->session->pauses.now) { /* in virtual time a stop is over when it returns */
        if (!is_due(stepper, interp))
            return true;
        stepper->asked = false;
        tl_interp_pause(interp);
        tell_time(stepper, interp->session);
        show_news(stepper, interp);
        show_place(stepper, interp);
    }
    if (!converse(stepper, interp))
        return false;
    tl_interp_resume(interp);
    return stepper->quit ? end_case(interp) : true;
}

/* ---- the whole ---- */

int tl_stepper_new(const struct tl_stepper_config *config, struct tl_stepper **out,
                   struct fal_error *err)
{
    struct tl_stepper *stepper = calloc(1, sizeof *stepper);

    *out = stepper;
    if (stepper == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    stepper->stops = (struct tl_stops){.may_begin = may_begin, .ctx = stepper};
    stepper->config = *config;
    stepper->every = config->every;
    stepper->prompt = (struct tl_prompt){.in = config->in, .signals = -1};
    stepper->echo = isatty(config->in) != 1;
    for (size_t i = 0; i < config->num_break_at; i++) {
        size_t at;
        int rc = tl_break_find(config->scenario, config->break_at[i], &at, err);

        if (rc == 0)
            rc = tl_breaks_add(&stepper->breaks, at, err);
        if (rc != 0) {
            tl_stepper_free(stepper);
            *out = NULL;
            return rc;
        }
    }
    return 0;
}

void tl_stepper_watch(struct tl_stepper *stepper, int signals)
{
    stepper->prompt.signals = signals;
}

const struct tl_stops *tl_stepper_stops(struct tl_stepper *stepper)
{
    return &stepper->stops;
}

void tl_stepper_ended(void *ctx, const struct tl_session *session)
{
    const struct tl_stepper *stepper = ctx;

    (void)session;
    if (stepper->asked)
        fprintf(stepper->config.out, "\nthe case ended during the stop\n");
}

void tl_stepper_report(const struct tl_stepper *stepper)
{
    for (size_t i = 0; i < stepper->breaks.count && !stepper->quit; i++) {
        if (stepper->breaks.reached[i])
            continue;
        fprintf(stepper->config.out, "not reached: ");
        tl_show_step(stepper->config.out, stepper->config.scenario, stepper->breaks.steps[i]);
    }
}

void tl_stepper_free(struct tl_stepper *stepper)
{
    free(stepper);
}
