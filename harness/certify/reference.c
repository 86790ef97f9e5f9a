/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/certify/reference.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAITS = 500, WAIT_MS = 20, ELSEWHERE_MS = 500, ADDRESS_LEN = 300 };

extern char **environ;

struct tl_reference {
    const struct tl_certify *o;
    char ports[64]; /* the file that it writes its addresses to */
    char frames[ADDRESS_LEN], control[ADDRESS_LEN];
    pid_t pid;
};

int tl_reference_open(const struct tl_certify *o, struct tl_reference **out,
                      struct fal_error *err)
{
    struct tl_reference *reference = calloc(1, sizeof *reference);
    int fd;

    *out = reference;
    if (reference == NULL)
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    reference->o = o;
    (void)snprintf(reference->ports, sizeof reference->ports, "/tmp/talon-ports-XXXXXX");
    fd = mkstemp(reference->ports);
    if (fd < 0)
        return fal_fail(err, FAL_ERR_IO, "%s: cannot be created", reference->ports);
    (void)close(fd);
    return 0;
}

void tl_reference_close(struct tl_reference *reference)
{
    if (reference == NULL)
        return;
    tl_reference_stop(reference);
    (void)unlink(reference->ports);
    free(reference);
}

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
}

/* "udp:127.0.0.1:4711 tcp:127.0.0.1:4712" */
static bool read_ports(struct tl_reference *reference)
{
    FILE *in = fopen(reference->ports, "re");
    char frames[ADDRESS_LEN] = "";
    bool ok = in != NULL && fscanf(in, "%299s %299s", frames, reference->control) == 2 &&
              strncmp(frames, "udp:", 4) == 0;

    if (in != NULL)
        (void)fclose(in);
    if (ok)
        (void)snprintf(reference->frames, sizeof reference->frames, "%s", frames + 4);
    return ok;
}

static bool ended(struct tl_reference *reference)
{
    int status;

    if (waitpid(reference->pid, &status, WNOHANG) != reference->pid)
        return false;
    reference->pid = 0;
    return true;
}

/* On this machine, on ports of its own choosing. */
static int start_here(struct tl_reference *reference, const char *fault, struct fal_error *err)
{
    const char *argv[] = {"talon",
                          "sut",
                          "--listen",
                          "udp:127.0.0.1:0",
                          "--control",
                          "tcp:127.0.0.1:0",
                          "--port-file",
                          reference->ports,
                          fault != NULL ? "--fault" : NULL,
                          fault,
                          NULL};
    posix_spawn_file_actions_t files;
    int rc;

    if (truncate(reference->ports, 0) != 0 || posix_spawn_file_actions_init(&files) != 0)
        return fal_fail(err, FAL_ERR_IO, "the reference cannot be started");
    (void)posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1 /* O_WRONLY */,
                                           0);
    rc = posix_spawn(&reference->pid, "/proc/self/exe", &files, NULL, (char *const *)argv,
                     environ);
    (void)posix_spawn_file_actions_destroy(&files);
    if (rc != 0) {
        reference->pid = 0;
        return fal_fail(err, FAL_ERR_IO, "the reference cannot be started");
    }
    for (int i = 0; i < WAITS; i++) {
        if (read_ports(reference))
            return 0;
        if (ended(reference))
            break;
        pause_ms(WAIT_MS);
    }
    return fal_fail(err, FAL_ERR_IO, "the reference (talon sut) does not listen on its port");
}

/* By a command of the laboratory's, which has the fault's name in TALON_FAULT. */
static int start_elsewhere(struct tl_reference *reference, const char *fault,
                           struct fal_error *err)
{
    const struct tl_certify *o = reference->o;
    const char *argv[] = {"sh", "-c", o->reference, NULL};

    (void)snprintf(reference->frames, sizeof reference->frames, "%s", o->reference_sut + 4);
    (void)snprintf(reference->control, sizeof reference->control, "%s", o->reference_control);
    if (setenv("TALON_FAULT", fault != NULL ? fault : "", 1) != 0 || /* NOLINT */
        posix_spawn(&reference->pid, "/bin/sh", NULL, NULL, (char *const *)argv, environ) !=
            0) {
        reference->pid = 0;
        return fal_fail(err, FAL_ERR_IO, "--reference cannot be started");
    }
    pause_ms(ELSEWHERE_MS);
    return 0;
}

int tl_reference_start(struct tl_reference *reference, const char *fault, struct fal_error *err)
{
    int rc = reference->o->reference != NULL ? start_elsewhere(reference, fault, err)
                                             : start_here(reference, fault, err);

    if (rc != 0)
        tl_reference_stop(reference);
    return rc;
}

void tl_reference_stop(struct tl_reference *reference)
{
    int status;

    if (reference->pid <= 0)
        return;
    (void)kill(reference->pid, SIGTERM);
    while (waitpid(reference->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    reference->pid = 0;
}

const char *tl_reference_frames(const struct tl_reference *reference)
{
    return reference->frames;
}

const char *tl_reference_control(const struct tl_reference *reference)
{
    return reference->control;
}

const char *tl_reference_link(const struct tl_reference *reference)
{
    return reference->o->reference != NULL ? reference->o->reference_sut : "udp over loopback";
}
