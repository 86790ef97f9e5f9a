/* SPDX-License-Identifier: Apache-2.0
 * console_impl.h - between the files that write the console. */
#ifndef TL_REPORTS_FORMATS_CONSOLE_IMPL_H
#define TL_REPORTS_FORMATS_CONSOLE_IMPL_H

#include "reports/formats/report.h"

/* How a problem is written: each text in a line of its own, however long; or wrapped, with or
 * without its packets. */
enum tl_console_detail { TL_CONSOLE_PLAIN, TL_CONSOLE_WRAPPED, TL_CONSOLE_SHORT };

void tl_console_problem(FILE *out, const struct tl_case *c, const struct tl_problem *p,
                        enum tl_console_detail detail);
/* What stands below the problems of a case: readings, its packets, what its SUT played before.
 */
void tl_console_notes(FILE *out, const struct tl_case *c);

#endif
