/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of lines: see line.h. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "pmclient/connection.h"

_Static_assert(LINE_SETSIZE == WTL_PM_MASK, "a set of lines is a mask of the protocol");

enum { NUMBER_MOST = 999 };

int pm_line_is_set(int line, const line_t *set)
{
    return wtl_pm_mask_has((const uint8_t *)set->bits, line);
}

void pm_line_change(int line, line_t *set, int add)
{
    if (add)
        wtl_pm_mask_add((uint8_t *)set->bits, line);
    else if (pm_line_is_set(line, set))
        set->bits[line / 8] = (char)((unsigned char)set->bits[line / 8] ^ (1u << (line % 8)));
}

line_t pm_line_and(line_t a, line_t b)
{
    for (int i = 0; i < LINE_SETSIZE; i++)
        a.bits[i] = (char)(a.bits[i] & b.bits[i]);
    return a;
}

void pm_line_fill(line_t *set, int all)
{
    memset(set->bits, all ? 0xff : 0, sizeof set->bits);
}

/* A number of at most three digits: its end, or NULL. */
static const char *take_number(const char *text, int *ret)
{
    *ret = 0;
    size_t n = strspn(text, "0123456789");
    for (size_t i = 0; i < n && n <= 3; i++)
        *ret = *ret * 10 + (text[i] - '0');
    return n == 0 || n > 3 ? NULL : text + n;
}

int pm_set_lines(const char *text, line_t *lines)
{
    const char *at = text;
    pm_line_fill(lines, 0);
    while (at) {
        int first, last;
        at = take_number(at, &first);
        last = first;
        if (at && *at == '-')
            at = take_number(at + 1, &last);
        for (int i = first; at && i <= last; i++)
            LINE_SET(i, lines);
        if (at && *at == '\0')
            return 0;
        at = at && *at == ',' ? at + 1 : NULL;
    }
    return wtl_pm_complain("lines \"%s\": expected numbers and ranges, as in \"1-4,6,9-10\"", text);
}
