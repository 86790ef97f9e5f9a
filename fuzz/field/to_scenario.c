/* SPDX-License-Identifier: Apache-2.0
 * to_scenario.c - `talon capture to-scenario`. */
#include "fuzz/field/cmd_capture.h"

#include "fuzz/field/search.h"
#include "harness/cli/verb.h"
#include "harness/field/whole_file.h"
#include "harness/session/sut_process.h"
#include "oracles/catalogue.h"
#include "reports/base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int put(const char *out, const json_t *doc, struct fal_error *err)
{
    char *text = json_dumps(doc, JSON_INDENT(2)), *line;
    int rc = 0;

    if (text == NULL || asprintf(&line, "%s\n", text) < 0) {
        free(text);
        return fal_fail(err, FAL_ERR_MEM, "out of memory");
    }
    if (out != NULL)
        rc = tl_whole_text(out, line, false, err);
    else if (fputs(line, stdout) < 0 || fflush(stdout) != 0)
        rc = fal_fail(err, FAL_ERR_IO, "standard output cannot be written");
    free(line);
    free(text);
    return rc;
}

/* ---- SUTs ---- */

struct benches {
    struct hunt_target good, sut[FLD_SUTS_MAX];
    struct hunt_bench good_bench, sut_bench[FLD_SUTS_MAX];
    char names[FLD_SUTS_MAX][96]; /* of stand-ins */
};

static void open_bench(struct hunt_bench *bench, struct hunt_target *target)
{
    hunt_target_ready(target);
    *bench = (struct hunt_bench){.run = target->run, .warnings = true, .steps = true};
}

/* ---- the result ---- */

static size_t count_steps(const json_t *steps)
{
    size_t n = 0, i;
    json_t *step;

    json_array_foreach(steps, i, step)
    {
        n += 1 + count_steps(json_object_get(step, "steps"));
    }
    return n;
}

/* "FTP-9.2.1-09 (rule R1)" */
static const char *name_of(const struct fld_finding *finding, char out[64])
{
    (void)snprintf(out, 64, finding->rule[0] != 0 ? "%s (rule %s)" : "%s", finding->requirement,
                   finding->rule);
    return out;
}

/* `stand_ins`: what stood for the SUT; NULL: the SUT itself was there. */
static void tell(const struct fld_search *search, const struct benches *stand_ins,
                 const json_t *doc)
{
    char name[64];

    fprintf(stderr, "talon capture: %s: %zu steps, ", name_of(&search->story->finding, name),
            count_steps(json_object_get(doc, "preamble")) +
                count_steps(json_object_get(doc, "steps")));
    switch (search->source) {
    case FLD_FROM_CAPTURE: fputs("retold from the capture", stderr); break;
    case FLD_FROM_SUITE: fprintf(stderr, "reduced from %s", search->from); break;
    case FLD_FROM_MUTATION: fputs("found by mutation of the capture", stderr); break;
    }
    if (search->num_suts == 0)
        fputs("; not reduced, because no SUT is known that shows the violation (--sut)",
              stderr);
    else if (stand_ins == NULL)
        fputs("; fails on this SUT", stderr);
    for (unsigned i = 0; stand_ins != NULL && i < search->num_suts; i++)
        fprintf(stderr, "%s%s", i == 0 ? "; fails on " : ", ", stand_ins->names[i]);
    fputs("; passes on the built-in implementation\n", stderr);
}

static void tell_none(const struct fld_search *search)
{
    char name[64];

    (void)name_of(&search->story->finding, name);
    if (search->num_suts == 0)
        fprintf(stderr,
                "talon capture: %s: the connection, retold as a scenario, does not pass on the "
                "built-in implementation; state its parameters by --connections, or name a SUT "
                "that shows the violation by --sut\n",
                name);
    else
        fprintf(stderr,
                "talon capture: %s: none of %u cases violates it on this SUT and passes on the "
                "built-in implementation; try more by --execs\n",
                name, search->tried);
}

/* ---- the command ---- */

/* Without a SUT that differs from the built-in implementation nothing can fail. */
static bool has_sut(const struct hunt_target *target)
{
    return strcmp(target->sut, "builtin") != 0;
}

/* Whether the capture, retold in some way, shows the violation. */
static bool any_telling_shows(struct fld_search *s)
{
    bool found = false;

    for (int style = 0; style < FLD_STYLES && !found; style++) {
        json_t *doc = fld_retell(s->story, (enum fld_style)style, true);

        found = doc != NULL && fld_shows(s, doc);
        json_decref(doc);
    }
    return found;
}

/* Planted bugs of the built-in implementation that violate the requirement when the capture is
 * retold stand for the SUT, so that there is something to reduce the case with. The case must
 * show all of them. */
static void add_stand_ins(struct benches *b, struct fld_search *s)
{
    const struct fld_finding *finding = &s->story->finding;
    const char *tried = "";
    struct fal_error err;
    size_t n;
    const struct fal_kill *kills = fal_kills(&n);

    s->same_rule = finding->rule[0] != 0;
    for (size_t i = 0; i < n && s->num_suts < FLD_SUTS_MAX; i++) {
        unsigned k = s->num_suts;

        if (strcmp(kills[i].requirement, finding->requirement) != 0 ||
            (s->same_rule && strcmp(kills[i].rule, finding->rule) != 0) ||
            strcmp(kills[i].fault, tried) == 0)
            continue;
        tried = kills[i].fault;
        (void)snprintf(b->names[k], sizeof b->names[k], "builtin:fault=%s", tried);
        hunt_target_init(&b->sut[k]);
        if (hunt_target_sut(&b->sut[k], b->names[k], &err) != 0)
            continue;
        open_bench(&b->sut_bench[k], &b->sut[k]);
        s->sut[s->num_suts++] = &b->sut_bench[k];
        if (!any_telling_shows(s))
            hunt_bench_close(&b->sut_bench[--s->num_suts]);
    }
}

static int search(struct fld_command *c, const struct fld_story *story)
{
    struct benches *b = calloc(1, sizeof *b);
    struct fld_search s = {.story = story, .most = (unsigned)c->execs};
    struct fal_error err = {{0}};
    json_t *found;
    int status = TL_STATUS_PASS;

    if (b == NULL)
        return TL_STATUS_ERROR;
    hunt_target_init(&b->good);
    open_bench(&b->good_bench, &b->good);
    s.good = &b->good_bench;
    if (has_sut(&c->target)) {
        open_bench(&b->sut_bench[0], &c->target);
        s.sut[s.num_suts++] = &b->sut_bench[0];
        found = fld_search(&s);
    } else {
        add_stand_ins(b, &s);
        found = fld_search_capture(&s);
    }
    if (found == NULL) {
        tell_none(&s);
        status = TL_STATUS_INCONC;
    } else if (put(c->out, found, &err) != 0) {
        status = tl_verb_failed("capture", FAL_ERR_IO, &err);
    } else {
        tell(&s, has_sut(&c->target) ? NULL : b, found);
    }
    for (unsigned i = 0; i < s.num_suts; i++)
        hunt_bench_close(&b->sut_bench[i]);
    hunt_bench_close(&b->good_bench);
    json_decref(found);
    free(b);
    return status;
}

static int on_sut(struct fld_command *c, const struct fld_story *story)
{
    struct tl_sut_process process;
    struct fal_error err = {{0}};
    int status;

    if (tl_sut_process_start(&process, &c->target.run.target, &err) != 0)
        return tl_verb_failed("capture", FAL_ERR_IO, &err);
    status = search(c, story);
    tl_sut_process_end(&process);
    return status;
}

static int no_finding(const struct fld_command *c)
{
    fprintf(stderr,
            "talon capture: %s: talon check finds no %sviolation in it; tell it more by "
            "--connections and --ulp, or name the requirement by --requirement\n",
            c->capture, c->finding > 1 || c->requirement != NULL ? "such " : "");
    return TL_STATUS_USAGE;
}

/* A requirement that is given must exist. */
static int check_requirement(const char *id, struct fal_error *err)
{
    if (id == NULL || fal_requirement_find(id) != NULL)
        return 0;
    return fal_fail(err, FAL_ERR_FORM,
                    "--requirement: there is no '%.40s' (talon list requirements)", id);
}

int fld_to_scenario(struct fld_command *c)
{
    const struct fld_wish wish = {.capture = {.path = c->capture,
                                              .connections = c->connections,
                                              .sut = c->sut_address,
                                              .psp_keys = c->psp_keys,
                                              .esp_keys = c->esp_keys,
                                              .falcon_port = c->falcon_port},
                                  .ulp = c->ulp,
                                  .requirement = c->requirement,
                                  .nth = c->finding};
    struct fld_finding finding;
    struct fld_story story;
    struct fal_error err = {{0}};
    int status = hunt_target_check(&c->target, &err);

    tl_verb_keep_heap();
    if (status == 0)
        status = check_requirement(c->requirement, &err);
    if (status == 0)
        status = fld_finding_read(&wish, &finding, &err);
    if (status < 0)
        return tl_verb_failed("capture", status, &err);
    if (status == 0)
        return no_finding(c);
    status = fld_story_read(&wish, &finding, &story, &err);
    status = status != 0 ? tl_verb_failed("capture", status, &err) : on_sut(c, &story);
    fld_story_free(&story);
    return status;
}
