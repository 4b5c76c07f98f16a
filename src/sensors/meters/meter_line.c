/* SPDX-License-Identifier: BSD-3-Clause */
#include "sensors/meters/meter_line.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { CRC_DIGITS = 4, FIELDS = WTL_METER_VALUES + 4, WATTSUP_FIELDS = 18 };

uint16_t wtl_meter_crc(const char *text, size_t n)
{
    uint16_t crc = 0xffff;
    for (size_t i = 0; i < n; i++) {
        crc = (uint16_t)(crc ^ (unsigned)(unsigned char)text[i] << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? (unsigned)crc << 1 ^ 0x1021 : (unsigned)crc << 1);
    }
    return crc;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Where the text between '$' and '*' is, if its checksum is right. */
static int check(const char *text, const char **ret_from, size_t *ret_n)
{
    size_t n = strlen(text);
    if (n > 0 && text[n - 1] == '\r')
        n--;
    if (n < 3 + CRC_DIGITS || text[0] != '$' || text[n - CRC_DIGITS - 1] != '*')
        return -EBADMSG;
    unsigned crc = 0;
    for (size_t i = n - CRC_DIGITS; i < n; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return -EBADMSG;
        crc = crc << 4 | (unsigned)digit;
    }
    *ret_from = text + 1;
    *ret_n = n - CRC_DIGITS - 2;
    return wtl_meter_crc(*ret_from, *ret_n) == crc ? 0 : -EBADMSG;
}

struct field {
    const char *text;
    size_t n;
};

/* Fields between commas; 0 = too many. */
static unsigned split(const char *text, size_t n, struct field *fields, unsigned most)
{
    unsigned count = 0;
    const char *end = text + n;
    for (const char *at = text; count < most; count++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        fields[count] = (struct field){at, (size_t)((comma ? comma : end) - at)};
        if (!comma)
            return count + 1;
        at = comma + 1;
    }
    return 0;
}

static int parse_whole(const struct field *f, uint64_t most, uint64_t *ret)
{
    uint64_t value = 0;
    if (f->n < 1 || f->n > 19)
        return -EBADMSG;
    for (size_t i = 0; i < f->n; i++) {
        if (f->text[i] < '0' || f->text[i] > '9')
            return -EBADMSG;
        value = 10 * value + (uint64_t)(f->text[i] - '0');
    }
    *ret = value;
    return value <= most ? 0 : -EBADMSG;
}

static int parse_u32(const struct field *f, uint32_t *ret)
{
    uint64_t value;
    int rc = parse_whole(f, UINT32_MAX, &value);
    *ret = rc == 0 ? (uint32_t)value : 0;
    return rc;
}

static int parse_signed(const struct field *f, int64_t *ret)
{
    bool minus = f->n > 1 && f->text[0] == '-';
    const struct field digits = {f->text + minus, f->n - minus};
    uint64_t value;
    int rc = parse_whole(&digits, INT64_MAX / 2, &value);
    *ret = rc < 0 ? 0 : minus ? -(int64_t)value : (int64_t)value;
    return rc;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static int parse_word(const struct field *f, char *ret, size_t n)
{
    for (size_t i = 0; i < f->n; i++) {
        if (!is_word(f->text[i]))
            return -EBADMSG;
    }
    if (f->n < 1 || f->n >= n)
        return -EBADMSG;
    memcpy(ret, f->text, f->n);
    ret[f->n] = '\0';
    return 0;
}

static bool is(const struct field *f, const char *text)
{
    return f->n == strlen(text) && memcmp(f->text, text, f->n) == 0;
}

/* name, boot, period, channels */
static int parse_hello(const struct field *f, unsigned count, struct wtl_meter_line *line)
{
    uint64_t channels;
    if (count != 4 || parse_word(&f[0], line->name, sizeof line->name) < 0 ||
        parse_u32(&f[1], &line->boot) < 0 || parse_u32(&f[2], &line->period_us) < 0 ||
        parse_whole(&f[3], WTL_METER_VALUES, &channels) < 0)
        return -EBADMSG;
    line->count = (unsigned)channels;
    return channels > 0 && line->period_us > 0 ? 0 : -EBADMSG;
}

/* number, unit, domain, label */
static int parse_channel(const struct field *f, unsigned count, struct wtl_meter_line *line)
{
    static const char *const units[] = {
        [WTL_METER_UJ] = "uJ", [WTL_METER_MW] = "mW", [WTL_METER_ADC] = "adc"};
    uint64_t number;
    if (count != 4 || parse_whole(&f[0], WTL_METER_VALUES - 1, &number) < 0 ||
        parse_word(&f[2], line->domain, sizeof line->domain) < 0 ||
        parse_word(&f[3], line->name, sizeof line->name) < 0)
        return -EBADMSG;
    line->count = (unsigned)number;
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        if (is(&f[1], units[i])) {
            line->unit = (enum wtl_meter_unit)i;
            return 0;
        }
    }
    return -EBADMSG;
}

/* boot, seq, time, values */
static int parse_data(const struct field *f, unsigned count, struct wtl_meter_line *line)
{
    if (count < 4 || count - 3 > WTL_METER_VALUES || parse_u32(&f[0], &line->boot) < 0 ||
        parse_u32(&f[1], &line->seq) < 0 || parse_whole(&f[2], INT64_MAX / 1000, &line->t_us) < 0)
        return -EBADMSG;
    line->count = count - 3;
    for (unsigned i = 0; i < line->count; i++) {
        if (is(&f[3 + i], "-"))
            line->unknown |= UINT32_C(1) << i;
        else if (parse_signed(&f[3 + i], &line->values[i]) < 0)
            return -EBADMSG;
    }
    return 0;
}

int wtl_meter_line_parse(const char *text, struct wtl_meter_line *ret)
{
    static const struct {
        const char *name;
        enum wtl_meter_line_kind kind;
        int (*parse)(const struct field *f, unsigned count, struct wtl_meter_line *line);
    } kinds[] = {{"WM1", WTL_METER_HELLO, parse_hello},
                 {"WC1", WTL_METER_CHANNEL, parse_channel},
                 {"WD1", WTL_METER_DATA, parse_data}};
    struct field fields[FIELDS];
    const char *from;
    size_t n;
    if (check(text, &from, &n) < 0)
        return -EBADMSG;
    unsigned count = split(from, n, fields, FIELDS);
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; count > 0 && i < sizeof kinds / sizeof *kinds; i++) {
        ret->kind = kinds[i].kind;
        if (is(&fields[0], kinds[i].name))
            return kinds[i].parse(fields + 1, count - 1, ret);
    }
    return -EBADMSG;
}

/* Does the power agree with what else the record says? The meter rounds, and measures each on its own. */
static bool agrees(double watts, double volt_amperes, double factor)
{
    double slack = 2 + 0.15 * volt_amperes;
    return watts <= volt_amperes + slack &&
           (isnan(factor) || fabs(watts - volt_amperes * factor) <= slack);
}

/* Numbers, of which those that wattle does not use may be missing. */
static bool are_numbers(const struct field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t value;
        bool needed = i < 3;
        if ((needed || !is(&fields[i], "_")) && parse_whole(&fields[i], UINT32_MAX, &value) < 0)
            return false;
    }
    return true;
}

int wtl_wattsup_parse(const char *text, uint64_t *ret_tenths)
{
    enum { W, V, A, PF = 13, BEFORE = 3 };
    struct field fields[BEFORE + WATTSUP_FIELDS + 1], *values = fields + BEFORE;
    uint64_t volts = 0, milliamperes = 0, percent = 0;
    while (*text == '\r' || *text == '\n')
        text++;
    if (strncmp(text, "#d,", 3) != 0)
        return text[0] == '#' && text[1] >= 'a' && text[1] <= 'z' && text[2] == ',' ? 0 : -EBADMSG;
    unsigned count = split(text, strlen(text), fields, sizeof fields / sizeof *fields);
    if (count != BEFORE + WATTSUP_FIELDS || !is(&fields[1], "-") || !is(&fields[2], "18") ||
        !are_numbers(values, WATTSUP_FIELDS))
        return -EBADMSG;
    (void)parse_whole(&values[W], UINT32_MAX, ret_tenths); /* they are numbers */
    (void)parse_whole(&values[V], UINT32_MAX, &volts);
    (void)parse_whole(&values[A], UINT32_MAX, &milliamperes);
    bool known = parse_whole(&values[PF], 100, &percent) == 0;
    double volt_amperes = 0.1 * (double)volts * 1e-3 * (double)milliamperes;
    double factor = known ? 0.01 * (double)percent : (double)NAN;
    return agrees(0.1 * (double)*ret_tenths, volt_amperes, factor) ? 1 : -EBADMSG;
}
