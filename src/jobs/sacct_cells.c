/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of sacct: see sacct_cells.h. */
#define _GNU_SOURCE
#include "jobs/sacct_cells.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/whole.h"

double wtl_sacct_cpu_time(const char *text)
{
    char part[32];
    double seconds = 0, value;
    unsigned colons = 0;
    const char *dash = strchr(text, '-');
    if (dash) {
        uint64_t days;
        if (wtl_scan_u64(text, (size_t)(dash - text), &days) != (int)(dash - text) ||
            days > 1000000)
            return (double)NAN;
        seconds = (double)days * 24;
        text = dash + 1;
    }
    for (;; colons++) {
        size_t n = strcspn(text, ":");
        if (n == 0 || n >= sizeof part || colons > 2 || !isdigit((unsigned char)text[0]))
            return (double)NAN;
        memcpy(part, text, n);
        part[n] = '\0';
        if (wtl_parse_double(part, &value) < 0)
            return (double)NAN;
        if (!(colons == 0 && !dash))
            seconds = colons == 0 ? seconds + value : seconds * 60 + value;
        else
            seconds = value;
        if (!text[n])
            break;
        text += n + 1;
    }
    return colons == 2 || (colons == 1 && !dash) ? seconds : (double)NAN;
}

int64_t wtl_sacct_bytes(const char *text)
{
    static const char units[] = "KMGTP";
    char number[32];
    double value, factor = 1;
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof number || !isdigit((unsigned char)text[0]))
        return -1;
    memcpy(number, text, n + 1);
    const char *unit = strchr(units, number[n - 1]);
    if (unit) {
        factor = pow(1024, (double)(unit - units + 1));
        number[n - 1] = '\0';
    }
    if (wtl_parse_double(number, &value) < 0 || value * factor >= 0x1p53)
        return -1;
    return wtl_whole_i64(value * factor);
}
