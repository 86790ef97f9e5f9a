/* SPDX-License-Identifier: Apache-2.0
 * run_watch.c - directories are watched, not files: an editor may write a new file and rename
 * it, and the name is what counts. */
#include "harness/cli/author/run_watch.h"

#include "harness/cli/verb.h"
#include "harness/suite/suite.h"
#include "reports/base/status.h"

#include <errno.h>
#include <fts.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    QUIET_MS = 60,  /* no further change for so long: the editor has finished */
    AGAIN_MS = 300, /* a directory or file that is gone is looked for so often */
    OTHER_FILES = 4,
    PATH_LEN = 4096,
    CHANGES = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE |
              IN_DELETE_SELF | IN_MOVE_SELF,
};

/* A name in a directory. */
struct watched {
    int wd;           /* of the directory */
    const char *name; /* NULL: any scenario; its directories are watched, too */
    char *owned;
};

struct watch {
    const struct tl_request *request;
    const json_t *command;
    tl_watch_run *run;
    int inotify, signals;
    struct watched *list;
    size_t count;
    bool missing; /* a path does not exist now */
    pid_t child;  /* 0: none runs */
};

/* ---- what is watched ---- */

static void forget(struct watch *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->list[i].owned);
    free(w->list);
    w->list = NULL;
    w->count = 0;
}

/* Watches a name in the directory, or with NULL every scenario there. False: out of memory. */
static bool add(struct watch *w, const char *dir, const char *name)
{
    struct watched *grown = realloc(w->list, (w->count + 1) * sizeof *grown);
    int wd;

    if (grown == NULL)
        return false;
    w->list = grown;
    wd = inotify_add_watch(w->inotify, dir, CHANGES | IN_ONLYDIR);
    if (wd < 0) {
        w->missing = true;
        return true;
    }
    w->list[w->count] = (struct watched){.wd = wd, .owned = name != NULL ? strdup(name) : NULL};
    w->list[w->count].name = w->list[w->count].owned;
    return w->list[w->count++].owned != NULL || name == NULL;
}

static bool add_tree(struct watch *w, const char *path)
{
    char *root = strdup(path), *const roots[] = {root, NULL};
    FTS *walk =
        root != NULL ? fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL) : NULL;
    FTSENT *entry;
    bool ok = walk != NULL;

    while (ok && (entry = fts_read(walk)) != NULL)
        if (entry->fts_info == FTS_D)
            ok = add(w, entry->fts_path, NULL);
    if (walk != NULL)
        FAL_IGNORE(fts_close(walk));
    free(root);
    return ok;
}

/* A file by its name. */
static bool add_file(struct watch *w, const char *path)
{
    char dir[PATH_LEN];
    const char *slash = strrchr(path, '/');

    (void)snprintf(dir, sizeof dir, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1,
                   slash != NULL ? path : ".");
    return add(w, dir, slash != NULL ? slash + 1 : path);
}

/* A directory and all below it, or a file; of a symbolic link also the file that it names. */
static bool add_path(struct watch *w, const char *path)
{
    char *real = realpath(path, NULL);
    struct stat st;
    bool exists = stat(path, &st) == 0, ok;

    w->missing = w->missing || !exists;
    if (exists && S_ISDIR(st.st_mode))
        ok = add_tree(w, path);
    else
        ok = add_file(w, path) && (real == NULL || add_file(w, real));
    free(real);
    return ok;
}

/* Watches everything that the request reads. False: out of memory. */
static bool add_all(struct watch *w)
{
    const struct tl_request *r = w->request;
    const char *const others[OTHER_FILES] = {r->ics, r->ixit, r->waivers, r->connections};
    char profile[PATH_LEN];
    bool ok = true;

    forget(w);
    w->missing = false;
    for (size_t i = 0; i < r->paths.count && ok; i++)
        ok = add_path(w, r->paths.list[i]);
    for (size_t i = 0; i < OTHER_FILES && ok; i++)
        ok = others[i] == NULL || add_path(w, others[i]);
    if (ok && r->profile != NULL && tl_suite_profile(r->profile, profile, sizeof profile))
        ok = add_path(w, profile);
    return ok;
}

/* A report of the run itself, "FORMAT:FILE": writing it is no change. */
static bool is_report(const struct watch *w, const char *name)
{
    for (size_t i = 0; i < w->request->reports.count; i++) {
        const char *file = strchr(w->request->reports.list[i], ':'), *slash;

        file = file != NULL ? file + 1 : "";
        slash = strrchr(file, '/');
        if (strcmp(slash != NULL ? slash + 1 : file, name) == 0)
            return true;
    }
    return false;
}

static bool may_be_scenario(const struct watch *w, const char *name)
{
    const char *end = strrchr(name, '.');

    return end != NULL && strcmp(end, ".json") == 0 && name[0] != '.' && !is_report(w, name);
}

/* Whether the event is about a file that the run reads. */
static bool concerns(const struct watch *w, const struct inotify_event *event)
{
    const char *name = event->len > 0 ? event->name : "";

    if ((event->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)) != 0)
        return true;
    for (size_t i = 0; i < w->count; i++) {
        const struct watched *it = &w->list[i];

        if (it->wd != event->wd)
            continue;
        if (it->name != NULL ? strcmp(it->name, name) == 0
                             : may_be_scenario(w, name) || (event->mask & IN_ISDIR) != 0)
            return true;
    }
    return false;
}

/* Reads the events that have come. Returns whether one concerns the run. */
static bool changed(const struct watch *w)
{
    _Alignas(struct inotify_event) char bytes[8192];
    bool any = false;
    ssize_t n;

    while ((n = read(w->inotify, bytes, sizeof bytes)) > 0)
        for (char *at = bytes; at < bytes + n;) {
            const struct inotify_event *event = (const void *)at;

            any = concerns(w, event) || any;
            at += sizeof *event + event->len;
        }
    return any;
}

/* ---- a run ---- */

/* In the child: a group of its own, so that the terminal's Ctrl-C reaches the parent alone. */
static void run_child(const struct watch *w)
{
    struct tl_request request = *w->request;
    sigset_t none;
    int status;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)close(w->inotify);
    (void)close(w->signals);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    request.watch = false;
    status = w->run(&request, w->command);
    if (fflush(stdout) != 0 && status == TL_STATUS_PASS)
        status = TL_STATUS_ERROR;
    _exit(status);
}

/* Whether SIGINT or SIGTERM came. */
static bool asked_to_end(const struct watch *w)
{
    struct signalfd_siginfo info;
    bool end = false;

    while (read(w->signals, &info, sizeof info) == sizeof info)
        end = end || info.ssi_signo != SIGCHLD;
    return end;
}

/* Runs once. *end: a signal came, and the run was told to end; a second signal kills it.
 * Returns its exit status. */
static int run_once(struct watch *w, bool *end)
{
    struct pollfd waits = {.fd = w->signals, .events = POLLIN};
    int status = 0;

    (void)fflush(stdout);
    w->child = fork();
    if (w->child < 0) {
        fprintf(stderr, "talon run: --watch: no process: %s\n",
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return TL_STATUS_ERROR;
    }
    if (w->child == 0)
        run_child(w);
    while (waitpid(w->child, &status, WNOHANG) == 0) {
        (void)poll(&waits, 1, -1);
        if (asked_to_end(w)) {
            (void)kill(w->child, *end ? SIGKILL : SIGINT);
            *end = true;
        }
    }
    w->child = 0;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "talon run: the run was ended by signal %d\n", WTERMSIG(status));
    return TL_STATUS_ERROR;
}

/* Waits for a change, and until no more come. Returns false when a signal ended it, or memory.
 */
static bool wait_for_change(struct watch *w)
{
    struct pollfd waits[2] = {{.fd = w->inotify, .events = POLLIN},
                              {.fd = w->signals, .events = POLLIN}};
    bool change = false;

    for (;;) {
        int n = poll(waits, 2, change ? QUIET_MS : w->missing ? AGAIN_MS : -1);

        if (asked_to_end(w))
            return false;
        if (n == 0 && change)
            return true;
        if (n == 0) { /* what is gone may be back */
            if (!add_all(w))
                return false;
            change = !w->missing;
        }
        change = changed(w) || change;
    }
}

/* ---- the command ---- */

/* An option that has no meaning for it, or NULL. */
static const char *foreign(const struct tl_request *r)
{
    const struct {
        const char *option;
        bool given;
    } rows[] = {
        {"--out", r->out != NULL},
        {"--resume", r->resume != NULL},
        {"--step", r->step},
        {"--break-at", r->break_at.count > 0},
        {"--list", r->list},
        {"--dry-run", r->dry_run},
        {"--sut pcap:", r->sut != NULL && strncmp(r->sut, "pcap:", 5) == 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given)
            return rows[i].option;
    return NULL;
}

static int watch(struct watch *w)
{
    bool end = false, first = true;
    int status = TL_STATUS_ERROR;

    while (add_all(w)) {
        static const char *const words[] = {"passed", "something failed",
                                            "the command or a file is wrong",
                                            "something is inconclusive", "error"};
        int last = run_once(w, &end);

        if (!end || first)
            status = last;
        if (end)
            break;
        first = false;
        fprintf(stderr, "talon run: %s; waiting for a change (Ctrl-C ends)\n",
                words[status >= 0 && status <= TL_STATUS_ERROR ? status : TL_STATUS_ERROR]);
        if (!wait_for_change(w))
            break;
        printf("\n---- changed ----\n");
    }
    forget(w);
    return status;
}

int tl_run_watch(const struct tl_request *request, const json_t *command, tl_watch_run *run)
{
    struct watch w = {.request = request, .command = command, .run = run};
    const char *option = foreign(request);
    int status = TL_STATUS_ERROR;
    sigset_t asked;

    if (option != NULL)
        return tl_verb_wrong("run", "--watch cannot be used with %s", option);
    if (request->paths.count == 0)
        return tl_verb_wrong("run", "--watch: name the scenarios to watch");
    (void)sigemptyset(&asked);
    (void)sigaddset(&asked, SIGINT);
    (void)sigaddset(&asked, SIGTERM);
    (void)sigaddset(&asked, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &asked, NULL);
    w.inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    w.signals = signalfd(-1, &asked, SFD_NONBLOCK | SFD_CLOEXEC);
    if (w.inotify >= 0 && w.signals >= 0)
        status = watch(&w);
    else
        fprintf(stderr, "talon run: --watch: %s\n",
                strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    if (w.inotify >= 0)
        (void)close(w.inotify);
    if (w.signals >= 0)
        (void)close(w.signals);
    return status;
}
