/* SPDX-License-Identifier: BSD-3-Clause */
/* Natural order: see natural.h. */
#include "base/natural.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole.h"

int wtl_natural_compare(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            while (*a == '0')
                a++;
            while (*b == '0')
                b++;
            size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");
            if (na != nb)
                return na < nb ? -1 : 1;
            int order = strncmp(a, b, na);
            if (order)
                return order;
            a += na;
            b += nb;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int compare_names(const void *a, const void *b)
{
    return wtl_natural_compare(*(char *const *)a, *(char *const *)b);
}

char **wtl_natural_sorted(char *const *names, int count)
{
    size_t n = count > 0 ? (size_t)count : 0, text = 0;
    for (size_t i = 0; i < n; i++)
        text += strlen(names[i]) + 1;
    char **sorted = malloc(n * sizeof *sorted + text + 1);
    if (!sorted)
        return NULL;
    char *p = (char *)(sorted + n);
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(names[i]) + 1;
        memcpy(p, names[i], length);
        sorted[i] = p;
        p += length;
    }
    if (n > 1)
        wtl_sort(sorted, n, sizeof *sorted, compare_names);
    return sorted;
}
