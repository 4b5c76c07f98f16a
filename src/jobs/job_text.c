/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign texts; see job_text.h. */
#include "jobs/job_text.h"

#include <string.h>

#include "base/utf8.h"

bool wtl_job_text_set(char *field, size_t size, const char *text)
{
    size_t left = text ? strlen(text) : 0, used = 0;
    while (left > 0) {
        size_t length, printable = wtl_utf8_printable(text, left, &length);
        size_t n = printable > 0 ? printable : 1;
        if (used + n >= size)
            break;
        if (printable > 0)
            memcpy(field + used, text, n);
        else
            field[used] = '?';
        used += n;
        text += length;
        left -= length;
    }
    field[used] = '\0';
    return left == 0;
}
