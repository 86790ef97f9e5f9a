/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/results/symptom.h"

#include <stddef.h>
#include <string.h>

static const struct tl_symptom_about about[TL_SYMPTOM_COUNT] = {
#define SYMPTOM(id, kind, word, requirement, fields, sentence) \
    [TL_SYMPTOM_##id] = {TL_SYMPTOM_##kind, word, requirement, fields, sentence},
#include "reports/results/symptom_list.h"
#undef SYMPTOM
};

const struct tl_symptom_about *tl_symptom_about(enum tl_symptom symptom)
{
    return symptom != TL_SYMPTOM_NONE ? &about[symptom] : NULL;
}

enum tl_symptom tl_symptom_from(const char *word)
{
    for (int s = TL_SYMPTOM_NONE + 1; word != NULL && s < TL_SYMPTOM_COUNT; s++)
        if (strcmp(about[s].word, word) == 0)
            return (enum tl_symptom)s;
    return TL_SYMPTOM_NONE;
}
