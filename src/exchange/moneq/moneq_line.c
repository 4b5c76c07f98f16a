/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses lines of MonEQ's files: see moneq_line.h. */
#define _GNU_SOURCE
#include "exchange/moneq/moneq_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exchange/date.h"

enum { FIELDS_MAX = 16, GLUED = 15, WHOLE = 16, SHORT = 9, FRACTION = 6 };

/*
 * The node card measures all 32 of its nodes, so it is the total. Its network is the sum in table 3
 * of the paper: the transceivers, the optics, "optics + PCIexpress" and the link chips' core.
 */
const struct wtl_moneq_power wtl_moneq_powers[WTL_MONEQ_POWERS] = {
    {"node_card", WATTLE_DOMAIN_NODE, 0},     {"chip_core", WATTLE_DOMAIN_PACKAGE, 0},
    {"dram", WATTLE_DOMAIN_DRAM, 0},          {"network", WATTLE_DOMAIN_NETWORK, 0},
    {"sram", WATTLE_DOMAIN_BOARD, 0},         {"optics", WATTLE_DOMAIN_NETWORK, 1},
    {"pciexpress", WATTLE_DOMAIN_NETWORK, 2}, {"link_chip_core", WATTLE_DOMAIN_NETWORK, 3}};

struct field {
    const char *text;
    size_t n;
};

static bool begins(const char *text, size_t n, const char *with)
{
    size_t length = strlen(with);
    return n >= length && memcmp(text, with, length) == 0;
}

static bool take_tag(const char *text, size_t n, struct wtl_moneq_line *line)
{
    const char *with = NULL;
    if (begins(text, n, WTL_MONEQ_START)) {
        with = WTL_MONEQ_START;
        line->what = WTL_MONEQ_TAG_START;
    } else if (begins(text, n, WTL_MONEQ_END)) {
        with = WTL_MONEQ_END;
        line->what = WTL_MONEQ_TAG_END;
    }
    if (!with)
        return false;
    line->tag = text + strlen(with);
    line->tag_length = n - strlen(with);
    return true;
}

/* Headers of original.csv, of the paper's listing and of .dat. */
static bool is_nothing(const char *text, size_t n)
{
    return strspn(text, " \t\r") == n || text[0] == '#' || begins(text, n, "date_time,") ||
           begins(text, n, "timestr,") || begins(text, n, "mpi_wtime,") || begins(text, n, "time,");
}

/* Split at a separator; excess fields count as one more. */
static size_t cut(const char *text, size_t n, char separator, struct field fields[FIELDS_MAX + 1])
{
    size_t count = 0;
    for (const char *end = text + n, *p = text; count <= FIELDS_MAX; p++) {
        const char *stop = memchr(p, separator, (size_t)(end - p));
        fields[count++] = (struct field){p, (size_t)((stop ? stop : end) - p)};
        if (!stop)
            break;
        p = stop;
    }
    return count;
}

static bool take_whole(const struct field *field, int64_t most, int64_t *ret)
{
    int64_t value = 0;
    if (field->n == 0 || field->n > 18)
        return false;
    for (size_t i = 0; i < field->n; i++) {
        if (field->text[i] < '0' || field->text[i] > '9')
            return false;
        value = value * 10 + (field->text[i] - '0');
    }
    *ret = value;
    return value <= most;
}

static bool take_seconds(const struct field *field, int64_t *ret_ns)
{
    struct wtl_decimal decimal;
    return wtl_decimal_parse(field->text, field->n, '.', &decimal) == 0 &&
           wtl_decimal_whole(decimal, 9, ret_ns) == 0 && *ret_ns >= 0 && *ret_ns < INT64_MAX / 4;
}

/* "6.5600010": six digits after the point, as printed by %f, followed by the row. */
static bool unglue(struct field *field, struct field *ret_row)
{
    const char *point = memchr(field->text, '.', field->n);
    size_t seconds = point ? (size_t)(point - field->text) + 1 + FRACTION : field->n;
    if (seconds >= field->n)
        return false;
    *ret_row = (struct field){field->text + seconds, field->n - seconds};
    field->n = seconds;
    return true;
}

/* "2013-05-14 16:03:09" */
static int64_t take_date(const struct field *field)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    int64_t part[6] = {0};
    size_t at = 0;
    if (field->n != sizeof form - 1)
        return INT64_MIN;
    for (size_t i = 0; i < field->n; i++) {
        char c = field->text[i];
        if (form[i] != 'd' ? c != form[i] : c < '0' || c > '9')
            return INT64_MIN;
        if (form[i] == 'd')
            part[at] = part[at] * 10 + (c - '0');
        else
            at++;
    }
    if (part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31 || part[3] > 23 || part[4] > 59)
        return INT64_MIN;
    return ((wtl_date_days(part[0], part[1], part[2]) * 24 + part[3]) * 60 + part[4]) * 60 +
           part[5];
}

/* Parse everything before the powers. NULL, or what is wrong. */
static const char *take_front(struct field *fields, bool glued, struct wtl_moneq_line *line)
{
    struct field row;
    int64_t place[4];
    if (glued && !unglue(&fields[3], &row))
        return "no seconds with six digits followed by a row in the fourth field";
    if (!glued)
        row = fields[4];
    if (!take_whole(&fields[1], INT64_C(1) << 33, &line->epoch_s))
        return "no seconds since 1970 in the second field";
    if (!take_seconds(&fields[3], &line->elapsed_ns))
        return "no seconds in the fourth field";
    size_t at = glued ? 4 : 5;
    if (!take_whole(&row, 65535, &place[0]) || !take_whole(&fields[at], 65535, &place[1]) ||
        !take_whole(&fields[at + 1], 65535, &place[2]) ||
        !take_whole(&fields[at + 2], 65535, &place[3]))
        return "no numbers for row, column, midplane and node board";
    line->place = (struct wtl_moneq_place){(unsigned)place[0], (unsigned)place[1],
                                           (unsigned)place[2], (unsigned)place[3]};
    line->date_s = take_date(&fields[0]);
    line->has_place = true;
    return NULL;
}

static const char *take_sample(const char *text, size_t n, struct wtl_moneq_line *line)
{
    struct field fields[FIELDS_MAX + 1];
    size_t count = cut(text, n, memchr(text, ',', n) ? ',' : '\t', fields);
    const char *why = NULL;
    if (count == GLUED || count == WHOLE)
        why = take_front(fields, count == GLUED, line);
    else if (count != SHORT)
        why = "wrong number of fields (MonEQ has 15 or 16, its paper and reducer 9)";
    else if (!take_seconds(&fields[0], &line->elapsed_ns))
        why = "no seconds in the first field";
    if (why)
        return why;
    for (size_t i = 0; i < WTL_MONEQ_POWERS; i++) {
        const struct field *field = &fields[count - WTL_MONEQ_POWERS + i];
        line->power[i] = wtl_cell_read(field->text, field->n, '.');
        if (line->power[i].form == WTL_CELL_WORD)
            return "a power is not a number";
    }
    return NULL;
}

int wtl_moneq_line_parse(const char *text,
                         size_t n,
                         struct wtl_moneq_line *ret_line,
                         const char **ret_why)
{
    *ret_line = (struct wtl_moneq_line){.what = WTL_MONEQ_SAMPLE, .date_s = INT64_MIN};
    *ret_why = NULL;
    if (take_tag(text, n, ret_line))
        return 0;
    if (n == 0 || is_nothing(text, n)) {
        ret_line->what = WTL_MONEQ_NOTHING;
        return 0;
    }
    *ret_why = take_sample(text, n, ret_line);
    return *ret_why ? -EBADMSG : 0;
}

void wtl_moneq_place_print(const struct wtl_moneq_place *place, char *text)
{
    (void)snprintf(text, 48, "R%u-C%u-M%u-N%u", place->row, place->column, place->midplane,
                   place->board);
}

bool wtl_moneq_place_parse(const char *text, struct wtl_moneq_place *ret_place)
{
    static const char *const before[] = {"R", "-C", "-M", "-N"};
    int64_t number[4];
    for (size_t i = 0; i < 4; i++) {
        if (strncmp(text, before[i], strlen(before[i])) != 0)
            return false;
        text += strlen(before[i]);
        struct field digits = {text, strspn(text, "0123456789")};
        if (!take_whole(&digits, 65535, &number[i]))
            return false;
        text += digits.n;
    }
    *ret_place = (struct wtl_moneq_place){(unsigned)number[0], (unsigned)number[1],
                                          (unsigned)number[2], (unsigned)number[3]};
    return *text == '\0';
}
