/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of columns: see code_column.h. */
#define _GNU_SOURCE
#include "exchange/import/code_column.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "exchange/import/unit.h"

enum { WORD = 64, UNIT = 16 };

static const struct word {
    const char *name;
    enum wtl_code_meaning meaning;
} words[] = {
    {"label", WTL_CODE_LABEL},       {"name", WTL_CODE_LABEL},    {"code", WTL_CODE_LABEL},
    {"application", WTL_CODE_LABEL}, {"app", WTL_CODE_LABEL},     {"benchmark", WTL_CODE_LABEL},
    {"program", WTL_CODE_LABEL},     {"model", WTL_CODE_LABEL},   {"variant", WTL_CODE_LABEL},
    {"version", WTL_CODE_LABEL},     {"group", WTL_CODE_GROUP},   {"platform", WTL_CODE_GROUP},
    {"host", WTL_CODE_GROUP},        {"node", WTL_CODE_GROUP},    {"machine", WTL_CODE_GROUP},
    {"system", WTL_CODE_GROUP},      {"time", WTL_CODE_TIME},     {"runtime", WTL_CODE_TIME},
    {"run_time", WTL_CODE_TIME},     {"walltime", WTL_CODE_TIME}, {"wall_time", WTL_CODE_TIME},
    {"elapsed", WTL_CODE_TIME},      {"duration", WTL_CODE_TIME}, {"t", WTL_CODE_TIME},
    {"energy", WTL_CODE_ENERGY},     {"e", WTL_CODE_ENERGY},      {"pmin", WTL_CODE_PMIN},
    {"p_min", WTL_CODE_PMIN},        {"pmax", WTL_CODE_PMAX},     {"p_max", WTL_CODE_PMAX},
    {"run", WTL_CODE_REPEAT},        {"repeat", WTL_CODE_REPEAT}, {"repetition", WTL_CODE_REPEAT},
    {"rep", WTL_CODE_REPEAT},        {"trial", WTL_CODE_REPEAT},  {"iteration", WTL_CODE_REPEAT},
    {"energy_half", WTL_CODE_HALF},
};

/* "m" without a prefix could be metres or milli: units that differ only in case must match exactly.
 * Units of Pmax are those of Pmin, units of the half width those of energy. */
static const struct unit {
    enum wtl_code_meaning meaning;
    const char *name;
    double factor;
    bool exact;
} units[] = {
    {WTL_CODE_TIME, "s", 1, false},         {WTL_CODE_TIME, "sec", 1, false},
    {WTL_CODE_TIME, "seconds", 1, false},   {WTL_CODE_TIME, "ms", 1e-3, false},
    {WTL_CODE_TIME, "us", 1e-6, false},     {WTL_CODE_TIME, "ns", 1e-9, false},
    {WTL_CODE_TIME, "min", 60, false},      {WTL_CODE_TIME, "h", 3600, false},
    {WTL_CODE_ENERGY, "j", 1, false},       {WTL_CODE_ENERGY, "joule", 1, false},
    {WTL_CODE_ENERGY, "joules", 1, false},  {WTL_CODE_ENERGY, "uj", 1e-6, false},
    {WTL_CODE_ENERGY, "mJ", 1e-3, true},    {WTL_CODE_ENERGY, "MJ", 1e6, true},
    {WTL_CODE_ENERGY, "kj", 1e3, false},    {WTL_CODE_ENERGY, "wh", 3600, false},
    {WTL_CODE_ENERGY, "kwh", 3.6e6, false}, {WTL_CODE_PMIN, "w", 1, false},
    {WTL_CODE_PMIN, "watt", 1, false},      {WTL_CODE_PMIN, "watts", 1, false},
    {WTL_CODE_PMIN, "mW", 1e-3, true},      {WTL_CODE_PMIN, "MW", 1e6, true},
    {WTL_CODE_PMIN, "kw", 1e3, false},
};

/* Is it a letter or a sign that may be a unit? The euro or percent sign must not be dropped. */
static bool is_kept(char c)
{
    unsigned char byte = (unsigned char)c;
    return isalnum(byte) || byte >= 0x80 || c == '%' || c == '$';
}

/* All other characters become underscores: "Energy (kWh)" becomes "Energy_kWh", "time [µs]" becomes
 * "time_us". */
static void squeeze(const char *name, char out[WORD])
{
    size_t n = 0;
    for (const char *p = name; *p && n < WORD - 4;) {
        size_t micro = wtl_micro_length(p, strlen(p));
        size_t length = wtl_utf8_length(p, strlen(p));
        if (micro)
            out[n++] = 'u';
        else if (!is_kept(*p) && n > 0 && out[n - 1] != '_')
            out[n++] = '_';
        for (size_t i = 0; !micro && is_kept(*p) && i < (length ? length : 1); i++)
            out[n++] = p[i];
        p += micro ? micro : length ? length : 1;
    }
    while (n > 0 && out[n - 1] == '_')
        n--;
    out[n] = '\0';
}

static bool find_unit(enum wtl_code_meaning meaning, const char *text, double *ret_factor)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        enum wtl_code_meaning of = meaning == WTL_CODE_PMAX   ? WTL_CODE_PMIN
                                   : meaning == WTL_CODE_HALF ? WTL_CODE_ENERGY
                                                              : meaning;
        int differs =
            units[i].exact ? strcmp(units[i].name, text) : strcasecmp(units[i].name, text);
        if (units[i].meaning == of && differs == 0) {
            *ret_factor = units[i].factor;
            return true;
        }
    }
    return false;
}

static bool has_unit(enum wtl_code_meaning meaning)
{
    return meaning == WTL_CODE_TIME || meaning == WTL_CODE_ENERGY || meaning == WTL_CODE_HALF ||
           meaning == WTL_CODE_PMIN || meaning == WTL_CODE_PMAX;
}

/* The meaning of "runtime_s": a word, optionally followed by a unit of it. */
static void find_meaning(const char *text, struct wtl_code_column *column)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].name);
        if (strncasecmp(words[i].name, text, n) != 0 || isalnum((unsigned char)text[n]))
            continue;
        const char *unit = text + n + (text[n] == '_');
        if (text[n] == '\0' || find_unit(words[i].meaning, unit, &column->factor)) {
            column->meaning = words[i].meaning;
            column->strange = WTL_CODE_OTHER;
            return;
        }
        if (has_unit(words[i].meaning))
            column->strange = words[i].meaning;
    }
}

int wtl_code_column_of(const char *name, struct wtl_code_column *ret_column)
{
    char text[WORD];
    size_t begin = strspn(name, " \t"), n = strlen(name + begin);
    while (n > 0 && (name[begin + n - 1] == ' ' || name[begin + n - 1] == '\t'))
        n--;
    struct wtl_code_column column = {.name = strndup(name + begin, n),
                                     .meaning = WTL_CODE_OTHER,
                                     .strange = WTL_CODE_OTHER,
                                     .factor = 1};
    if (!column.name)
        return -ENOMEM;
    squeeze(name, text);
    find_meaning(text, &column);
    *ret_column = column;
    return 0;
}

const char *wtl_code_meaning_name(enum wtl_code_meaning meaning)
{
    static const char *const names[] = {"rest",     "label",  "group",
                                        "run time", "energy", "half width of the energy's interval",
                                        "Pmin",     "Pmax",   "number of the run",
                                        "parameter"};
    return names[meaning];
}

const char *wtl_code_meaning_units(enum wtl_code_meaning meaning)
{
    switch (meaning) {
    case WTL_CODE_TIME:
        return "s, ms, us, ns, min and h";
    case WTL_CODE_ENERGY:
    case WTL_CODE_HALF:
        return "J, mJ, uJ, kJ, MJ, Wh and kWh";
    default:
        return "W, mW, kW and MW";
    }
}

void wtl_code_parameter_split(const char *column, char name[64], char unit[16])
{
    static const char *const known[] = {"GHz", "MHz", "kHz", "Hz",  "kW", "mW", "MW",
                                        "W",   "kV",  "mV",  "V",   "ms", "us", "ns",
                                        "s",   "KiB", "MiB", "GiB", "C",  "K"};
    char text[WORD];
    squeeze(column, text);
    char *last = strrchr(text, '_');
    unit[0] = '\0';
    for (size_t i = 0; last && i < sizeof known / sizeof *known; i++) {
        bool exact = known[i][1] == 'W' && known[i][0] != 'k'; /* milli or mega */
        int differs = exact ? strcmp(known[i], last + 1) : strcasecmp(known[i], last + 1);
        if (differs == 0) {
            (void)snprintf(unit, UNIT, "%s", known[i]);
            *last = '\0';
            break;
        }
    }
    if (!unit[0])
        (void)snprintf(text, sizeof text, "%.63s", column);
    for (char *p = text; *p; p++)
        *p = *p == '_' ? ' ' : *p;
    (void)snprintf(name, WORD, "%s", text);
}
