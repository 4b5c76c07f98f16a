/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of hosts, see host_list.h. A pattern is matched from the left; what can match in several ways is tried in all of
 * them, which is short because host names have at most 64 characters. */
#include "base/config/host_list.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { DIGITS_MAX = 9, STARS_MAX = 4, RANGES_MAX = 4 };

struct digits {
    unsigned long value;
    size_t count;
};

static struct digits take_digits(const char *text)
{
    struct digits digits = {0, 0};
    while (digits.count <= DIGITS_MAX && isdigit((unsigned char)text[digits.count]))
        digits.value = digits.value * 10 + (unsigned long)(text[digits.count++] - '0');
    return digits;
}

/* One "N" or "N-M": its length, 0 = neither. */
static size_t take_range(const char *text, struct digits *ret_first, unsigned long *ret_last)
{
    struct digits first = take_digits(text), last = first;
    size_t n = first.count;
    if (n > 0 && text[n] == '-') {
        last = take_digits(text + n + 1);
        n += 1 + last.count;
    }
    if (first.count == 0 || first.count > DIGITS_MAX || last.count == 0 ||
        last.count > DIGITS_MAX || last.value < first.value)
        return 0;
    *ret_first = first;
    *ret_last = last.value;
    return n;
}

static size_t digits_of(unsigned long value)
{
    size_t n = 1;
    while (value >= 10) {
        value /= 10;
        n++;
    }
    return n;
}

/* The list of numbers after a "[": its length with the "]", 0 = malformed. *ret_found: it has the number. */
static size_t take_numbers(const char *text, const struct digits *number, bool *ret_found)
{
    size_t at = 0;
    *ret_found = false;
    do {
        struct digits first;
        unsigned long last;
        size_t n = take_range(text + at, &first, &last);
        if (n == 0)
            return 0;
        size_t width = digits_of(number->value);
        width = width > first.count ? width : first.count;
        if (number->value >= first.value && number->value <= last && number->count == width)
            *ret_found = true;
        at += n;
    } while (text[at++] == ',');
    return text[at - 1] == ']' ? at : 0;
}

static bool matches(const char *pattern, size_t n, const char *name);

/* The pattern starts with "[": try each number of digits. */
static bool matches_number(const char *pattern, size_t n, const char *name)
{
    struct digits number = {0, 0};
    while (number.count < DIGITS_MAX && isdigit((unsigned char)name[number.count])) {
        bool found;
        number.value = number.value * 10 + (unsigned long)(name[number.count++] - '0');
        size_t used = 1 + take_numbers(pattern + 1, &number, &found);
        if (found && matches(pattern + used, n - used, name + number.count))
            return true;
    }
    return false;
}

/* Does a valid item of n bytes match the whole name? */
static bool matches(const char *pattern, size_t n, const char *name)
{
    if (n == 0)
        return !*name;
    if (*pattern == '[')
        return matches_number(pattern, n, name);
    if (*pattern == '*') {
        while (!matches(pattern + 1, n - 1, name)) {
            if (!*name++)
                return false;
        }
        return true;
    }
    return *name && (*pattern == '?' || *pattern == *name) && matches(pattern + 1, n - 1, name + 1);
}

/* The length of the item at the start of a list; 0 = malformed. */
static size_t take_item(const char *list)
{
    unsigned stars = 0, ranges = 0;
    size_t at = 0;
    while (list[at] && list[at] != ',') {
        bool found;
        const struct digits none = {0, 0};
        size_t n = 1;
        if (list[at] == '[')
            n = ++ranges > RANGES_MAX ? 0 : take_numbers(list + at + 1, &none, &found);
        else if (list[at] == '*')
            n = ++stars > STARS_MAX ? 0 : 1;
        else if (!isalnum((unsigned char)list[at]) && !strchr("?.-_", list[at]))
            n = 0;
        if (n == 0)
            return 0;
        at += n + (list[at] == '[');
    }
    return at;
}

/* Does the list's next item match? *list moves past it, to the end or NULL if it is malformed. */
static bool next_matches(const char **list, const char *name)
{
    size_t n = take_item(*list);
    bool found = n > 0 && name && matches(*list, n, name);
    const char *end = *list + n;
    *list = n == 0 || (*end && !end[1]) ? NULL : end + (*end == ',');
    return found;
}

bool wtl_host_list_is_valid(const char *list)
{
    do
        (void)next_matches(&list, NULL);
    while (list && *list);
    return list != NULL;
}

bool wtl_host_list_has(const char *list, const char *host)
{
    char brief[256];
    size_t n = strcspn(host, ".");
    if (n >= sizeof brief)
        return false;
    memcpy(brief, host, n);
    brief[n] = '\0';
    while (list && *list) {
        const char *again = list;
        if (next_matches(&list, host) || next_matches(&again, brief))
            return true;
    }
    return false;
}
