/* SPDX-License-Identifier: Apache-2.0
 * request.h - the request of a run: the options of `talon run`, as a value. It is read from a
 * command line or from run.json, filled in by `talon certify`, kept in run.json, and printed as
 * the command that reproduces a case. run_setup.h derives from it what the runner needs. */
#ifndef TL_HARNESS_RUN_REQUEST_H
#define TL_HARNESS_RUN_REQUEST_H

#include "codecs/base/error.h"
#include "codecs/frame/frame.h"
#include "harness/doc/options.h"
#include "reports/formats/report.h"

enum tl_colour { TL_COLOUR_AUTO, TL_COLOUR_ALWAYS, TL_COLOUR_NEVER };
enum tl_capture_speed { TL_CAPTURE_OWN, TL_CAPTURE_FAST };
enum tl_keep { TL_KEEP_FAILED, TL_KEEP_ALL };

enum { TL_JOBS_MAX = 256, TL_SHARDS_MAX = 100000, TL_LIFE_MAX = 1000000 };

/* Texts are borrowed: from the command line, or from run.json. NULL: not given. */
struct tl_request {
    struct tl_texts paths;   /* scenarios; none: the suite that is installed with talon */
    const char *sut;         /* "builtin" and so on */
    const char *control;     /* "tcp:HOST:PORT" or "unix:PATH" */
    const char *connections; /* a file */
    const char *sut_exec;    /* a command */
    const char *twins;       /* of the tester's own end: names with commas */
    const char *network;     /* words of network.h */
    enum fal_encap encap;    /* of connections that do not set one */
    const char *capture_connections, *capture_sut, *capture_psp_keys, *capture_esp_keys;
    enum tl_capture_speed capture_speed;
    bool has_capture_speed;
    const char *psp_keys, *esp_keys, *ics, *ixit;               /* files */
    struct tl_texts params;                                     /* "NAME=VALUE" */
    struct tl_texts ids, tags, requirements, chapters, classes; /* patterns */
    const char *profile, *shard;                                /* "2/8", "auto" */
    const char *sut_map;            /* a file: the SUT of each shard */
    struct tl_texts allow;          /* "may-wedge", or addresses */
    uint64_t frame_rate, byte_rate; /* a second; 0: no limit */
    uint64_t seed, case_seed;       /* case_seed: of each case itself */
    bool has_case_seed;
    unsigned jobs; /* 0: as many as there are processors */
    unsigned repeat, copies, retries;
    unsigned life;            /* cases that one SUT in virtual time plays; 0: not given */
    const char *first, *last; /* cases of the plan */
    unsigned timeout;         /* seconds, of a case on a live link; 0: not given */
    const char *waivers, *host_check, *path_check, *date; /* files; a day */
    struct tl_texts reports;                              /* "FORMAT:FILE" */
    const char *stamp, *against;                          /* of reports */
    bool brief;                                           /* Markdown, of them */
    enum tl_junit_flavor junit;
    const char *out;         /* a directory */
    const char *resume;      /* the directory of an interrupted run */
    const char *failed_from; /* saved results: only cases that did not pass there */
    enum tl_keep keep;
    enum tl_colour colour;
    bool busy_poll, outlive_parent, probe, fail_fast, keep_going, strict_waivers, fresh,
        vectors, verbose, all;
    bool judge_steps;
    bool step;                /* stop before each step */
    struct tl_texts break_at; /* steps: stop before these */
    bool list, dry_run, check_only;
    bool watch; /* run again when a file changes */
};

/* The table of all options. */
extern const struct tl_options tl_request_options;

/* Fills in the defaults. tl_request_free frees what is read later. */
void tl_request_init(struct tl_request *request);
void tl_request_free(struct tl_request *request);

/* Whether --step or --break-at was given. */
static inline bool tl_request_stops(const struct tl_request *request)
{
    return request->step || request->break_at.count > 0;
}

/* Reads what run.json records: its member "request", or, where an earlier talon wrote it, the
 * words of "command". *request has its defaults; `run` must outlive it. Returns 0, FAL_ERR_FORM
 * or FAL_ERR_MEM with `err`, which names the member. */
MUST_USE MUST_USE int tl_request_from_run(const json_t *run, struct tl_request *request,
                                          struct fal_error *err);
/* Reads the words of "command", the first of which is the verb. Same returns. */
MUST_USE MUST_USE int tl_request_from_command(const json_t *command, struct tl_request *request,
                                              struct fal_error *err);

/* The request of `talon run --resume DIR`: that of the interrupted run (`saved`, which must
 * outlive it), writing to DIR. *given may add how many cases play at the same time and how the
 * console looks, nothing else. Returns 0, FAL_ERR_FORM or FAL_ERR_MEM with `err`. */
MUST_USE int tl_request_resume(const struct tl_request *given, const json_t *saved,
                               struct tl_request *out, struct fal_error *err);

/* The member "request" of run.json: the options that differ from the defaults. New reference,
 * or NULL. */
json_t *tl_request_json(const struct tl_request *request);
/* The words of the command for this request: ["run", ...]. Options that equal those of *unsaid
 * (NULL: the defaults) are left out. New reference, or NULL. */
json_t *tl_request_command(const struct tl_request *request, const struct tl_request *unsaid);

/* The options that follow the file in a command that plays one of its cases again: " --sut
 * builtin --seed 1", quoted for a shell. The caller frees it; NULL when out of memory. */
char *tl_request_again(const struct tl_request *request);
/* The words after "talon run" that select the same cases with the same options, but for what
 * concerns output. Likewise. */
char *tl_request_whole(const struct tl_request *request);

#endif
