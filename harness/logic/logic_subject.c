/* SPDX-License-Identifier: Apache-2.0
 * logic_subject.c - see logic_subject.h. */
#include "harness/logic/logic_subject.h"

#include "codecs/base/nearest.h"
#include "harness/logic/logic_child.h"

#include <string.h>

enum { NAMES_MAX = 32 };

static int no_such_logic(const char *word, struct fal_error *err)
{
    size_t n;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const char *names[NAMES_MAX];

    for (size_t i = 0; i < n; i++)
        names[i] = types[i].logic->name;
    return fal_fail(err, FAL_ERR_FORM,
                    "no logic '%.60s'%s; expected a name of talon logic list, lib:FILE.so or "
                    "exec:COMMAND",
                    word, fal_hint(fal_nearest(word, names, n), "").text);
}

int tl_logic_open(struct tl_logic_subject *subject, const char *word, unsigned answer_s,
                  struct fal_error *err)
{
    bool library = strncmp(word, "lib:", 4) == 0, program = strncmp(word, "exec:", 5) == 0;
    const char *what = strchr(word, ':');
    struct fal_error why = {{0}};
    int rc;

    *subject = (struct tl_logic_subject){.logic = fal_logic_of(word)};
    if (subject->logic != NULL)
        return 0;
    if ((!library && !program) || what == NULL)
        return no_such_logic(word, err);
    if (what[1] == '\0')
        return fal_fail(err, FAL_ERR_FORM, "expected %s, found '%s'",
                        library ? "lib:FILE.so" : "exec:COMMAND", word);
    rc = tl_logic_child_open(&subject->child, library, what + 1, answer_s, &why);
    if (rc != 0)
        return fal_fail(err, rc, "%.120s: %s", word, why.text);
    subject->logic = tl_logic_child_logic(subject->child);
    return 0;
}

void tl_logic_close(struct tl_logic_subject *subject)
{
    tl_logic_child_close(subject->child);
    *subject = (struct tl_logic_subject){0};
}

void tl_logic_bind(const struct tl_logic_subject *subject, struct fal_logic_setup *setup)
{
    setup->flow.context = subject->child;
}

const bool *tl_logic_stop(const struct tl_logic_subject *subject)
{
    return subject->child != NULL ? tl_logic_child_stop(subject->child) : NULL;
}

int tl_logic_failed(const struct tl_logic_subject *subject, struct fal_error *err)
{
    const bool *stop = tl_logic_stop(subject);

    if (stop == NULL || !*stop)
        return 0;
    return fal_fail(err, FAL_ERR_IO, "%s: %s", subject->logic->name,
                    tl_logic_child_why(subject->child));
}
