/* SPDX-License-Identifier: BSD-3-Clause */
/* See consent.h. */
#include "cli/terminal/consent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "report/table.h"

int wtl_consent(bool yes, const char *question, const char *unasked, struct wattle_error *err)
{
    char answer[16] = "";
    if (yes)
        return 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return wtl_fail(err, -ECANCELED, "%s", unasked);
    wtl_print_sentence(stdout, "%s [y/N] ", question);
    (void)fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return 0;
    return wtl_fail(err, -ECANCELED, "%.*s", (int)strcspn(unasked, ":"), unasked);
}
