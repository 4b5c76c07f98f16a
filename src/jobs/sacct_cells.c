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

/* The parts of "02:03:04.5" in base 60, beginning with `seconds`; their number, 0: not such a text. */
static unsigned take_parts(const char *text, double *seconds)
{
    char part[32];
    double value;
    unsigned parts = 0;
    for (;;) {
        size_t n = strcspn(text, ":");
        if (n >= sizeof part || !isdigit((unsigned char)text[0]) || ++parts > 3)
            return 0;
        memcpy(part, text, n);
        part[n] = '\0';
        if (wtl_parse_double(part, &value) < 0)
            return 0;
        *seconds = *seconds * 60 + value;
        if (!text[n])
            return parts;
        text += n + 1;
    }
}

double wtl_sacct_cpu_time(const char *text)
{
    double seconds = 0;
    uint64_t days = 0;
    const char *dash = strchr(text, '-');
    if (dash) {
        if (wtl_scan_u64(text, (size_t)(dash - text), &days) != (int)(dash - text) ||
            days > 1000000)
            return (double)NAN;
        text = dash + 1;
    }
    unsigned parts = take_parts(text, &seconds);
    return parts == 3 || (parts == 2 && !dash) ? seconds + (double)days * 86400 : (double)NAN;
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
