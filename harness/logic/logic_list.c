/* SPDX-License-Identifier: Apache-2.0
 * logic_list.c - `talon logic list`, and the words of a command that name what is listed. */
#include "codecs/base/nearest.h"
#include "harness/logic/logic_run.h"
#include "oracles/logic/engine.h"
#include "reports/base/status.h"

#include <stdio.h>

enum { NAMES_MAX = 64 };

int tl_logic_list(void)
{
    size_t n;
    const struct fal_logic_type *types = fal_logic_types(&n);
    const struct fal_logic_fault *faults;
    const struct fal_logic_variant *variants;
    const struct fal_logic_engine_fault_row *engine;

    printf("Logics:\n");
    for (size_t i = 0; i < n; i++)
        printf("  %-15s %s (%s)\n", types[i].logic->name, types[i].text, types[i].source);
    printf("\nFaults, and the rule that each violates (--fault):\n");
    faults = fal_logic_faults(&n);
    for (size_t i = 0; i < n; i++)
        printf("  %-16s %-4s %s%s%s%s\n", faults[i].id, faults[i].rule, faults[i].text,
               faults[i].logics != NULL ? " (" : "",
               faults[i].logics != NULL ? faults[i].logics : "",
               faults[i].logics != NULL ? ")" : "");
    printf("\nFaults of the engine (talon logic engine --fault):\n");
    engine = fal_logic_engine_faults(&n);
    for (size_t i = 0; i < n; i++)
        printf("  %-16s %-4s %s\n", engine[i].id, engine[i].rule, engine[i].text);
    printf("\nConforming variants (--variant):\n");
    variants = fal_logic_variants(&n);
    for (size_t i = 0; i < n; i++)
        printf("  %-18s %s%s%s%s\n", variants[i].id, variants[i].text,
               variants[i].logics != NULL ? " (" : "",
               variants[i].logics != NULL ? variants[i].logics : "",
               variants[i].logics != NULL ? ")" : "");
    return TL_STATUS_PASS;
}

/* ---- words ---- */

static int plant(struct tl_logic_plan *plan, const char *id, struct fal_error *err)
{
    size_t n;
    const struct fal_logic_fault *faults = fal_logic_faults(&n);
    const char *names[NAMES_MAX];

    for (size_t i = 0; i < n && i < NAMES_MAX; i++)
        names[i] = faults[i].id;
    plan->fault = fal_logic_fault_of(id);
    if (plan->fault == NULL)
        return fal_fail(err, FAL_ERR_FORM, "--fault: no fault '%.60s'%s; see talon logic list",
                        id, fal_hint(fal_nearest(id, names, n), "").text);
    if (!fal_logic_fault_fits(plan->fault, plan->subject.logic->name))
        return fal_fail(err, FAL_ERR_FORM,
                        "--fault: '%s' cannot be planted into %s, only into %s", id,
                        plan->subject.logic->name, plan->fault->logics);
    return 0;
}

static int vary(struct tl_logic_plan *plan, const char *id, struct fal_error *err)
{
    size_t n;
    const struct fal_logic_variant *variants = fal_logic_variants(&n), *variant;
    const char *names[NAMES_MAX];

    for (size_t i = 0; i < n && i < NAMES_MAX; i++)
        names[i] = variants[i].id;
    variant = fal_logic_variant_of(id);
    if (variant == NULL)
        return fal_fail(err, FAL_ERR_FORM,
                        "--variant: no variant '%.60s'%s; see talon logic list", id,
                        fal_hint(fal_nearest(id, names, n), "").text);
    if (!fal_logic_variant_fits(variant, plan->subject.logic->name))
        return fal_fail(err, FAL_ERR_FORM, "--variant: '%s' is no variant of %s, only of %s",
                        id, plan->subject.logic->name, variant->logics);
    variant->apply(&plan->setup);
    return 0;
}

int tl_logic_plan_open(struct tl_logic_plan *plan, const struct tl_logic_command *c,
                       struct fal_error *err)
{
    int rc;

    *plan = (struct tl_logic_plan){0};
    if (c->words.count != 2)
        return fal_fail(err, FAL_ERR_FORM,
                        "%s: expected one logic: a name of talon logic list, lib:FILE.so or "
                        "exec:COMMAND",
                        c->words.list[0]);
    rc = tl_logic_open(&plan->subject, c->words.list[1], (unsigned)c->timeout, err);
    if (rc != 0)
        return rc;
    fal_logic_setup_init(&plan->setup, plan->subject.logic);
    tl_logic_bind(&plan->subject, &plan->setup);
    if (c->variant != NULL)
        rc = vary(plan, c->variant, err);
    if (rc == 0 && c->fault != NULL)
        rc = plant(plan, c->fault, err);
    if (rc != 0)
        tl_logic_plan_close(plan);
    return rc;
}

void tl_logic_plan_close(struct tl_logic_plan *plan)
{
    tl_logic_close(&plan->subject);
}
