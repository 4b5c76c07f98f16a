/* SPDX-License-Identifier: BSD-3-Clause */
/* Before something that the user may not want: ask, on a terminal. */
#ifndef WTL_CLI_CONSENT_H
#define WTL_CLI_CONSENT_H

#include <stdbool.h>

#include <wattle/error.h>

/*
 * Print the question, a sentence without "[y/N]", and read the answer. 0: yes, also if `yes` (the option --yes) says so without a question;
 * -ECANCELED: no, or nobody can be asked, with what that means in `unasked`, such as "nothing was removed: use --yes".
 */
int wtl_consent(bool yes, const char *question, const char *unasked, struct wattle_error *err);

#endif
