/* SPDX-License-Identifier: BSD-3-Clause */
/* Units by name: see unit.h. */
#define _GNU_SOURCE
#include "exchange/import/unit.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

const struct wtl_unit wtl_units[] = {
    {"J", WATTLE_ENERGY, 1},        {"mJ", WATTLE_ENERGY, 1e-3},
    {"uJ", WATTLE_ENERGY, 1e-6},    {"nJ", WATTLE_ENERGY, 1e-9},
    {"kJ", WATTLE_ENERGY, 1e3},     {"MJ", WATTLE_ENERGY, 1e6},
    {"Wh", WATTLE_ENERGY, 3600},    {"mWh", WATTLE_ENERGY, 3.6},
    {"kWh", WATTLE_ENERGY, 3.6e6},  {"Wmin", WATTLE_ENERGY, 60},
    {"MWh", WATTLE_ENERGY, 3.6e9},  {"W", WATTLE_POWER, 1},
    {"mW", WATTLE_POWER, 1e-3},     {"uW", WATTLE_POWER, 1e-6},
    {"kW", WATTLE_POWER, 1e3},      {"MW", WATTLE_POWER, 1e6},
    {"Hz", WATTLE_FREQUENCY, 1},    {"kHz", WATTLE_FREQUENCY, 1e3},
    {"MHz", WATTLE_FREQUENCY, 1e6}, {"GHz", WATTLE_FREQUENCY, 1e9},
    {"C", WATTLE_TEMPERATURE, 1},   {"mC", WATTLE_TEMPERATURE, 1e-3},
    {"%", WATTLE_RATIO, 0.01},      {"ratio", WATTLE_RATIO, 1},
    {"s", WATTLE_CPU_TIME, 1},      {"ms", WATTLE_CPU_TIME, 1e-3},
    {"us", WATTLE_CPU_TIME, 1e-6},  {"ns", WATTLE_CPU_TIME, 1e-9},
    {"ps", WATTLE_CPU_TIME, 1e-12}, {"min", WATTLE_CPU_TIME, 60},
    {"h", WATTLE_CPU_TIME, 3600},   {"days", WATTLE_CPU_TIME, 86400},
    {"B", WATTLE_BYTES, 1},         {"KiB", WATTLE_BYTES, 1024},
    {"MiB", WATTLE_BYTES, 1048576}, {"GiB", WATTLE_BYTES, 1073741824},
    {"kB", WATTLE_BYTES, 1e3},      {"MB", WATTLE_BYTES, 1e6},
    {"GB", WATTLE_BYTES, 1e9},      {"1", WATTLE_EVENTS, 1},
    {NULL, WATTLE_EVENTS, 0}};

/* Other spellings of the names. */
static const struct {
    const char *word, *unit;
} spellings[] = {{"joule", "J"},
                 {"joules", "J"},
                 {"watt", "W"},
                 {"watts", "W"},
                 {"kilowatts", "kW"},
                 {"megawatts", "MW"},
                 {"kilojoules", "kJ"},
                 {"megajoules", "MJ"},
                 {"watt-hours", "Wh"},
                 {"watt-hour", "Wh"},
                 {"watthours", "Wh"},
                 {"minutes", "min"},
                 {"mins", "min"},
                 {"hours", "h"},
                 {"hour", "h"},
                 {"day", "days"},
                 {"milliseconds", "ms"},
                 {"microseconds", "us"},
                 {"nanoseconds", "ns"},
                 {"percent", "%"},
                 {"pct", "%"},
                 {"celsius", "C"},
                 {"degc", "C"},
                 {"\xC2\xB0"
                  "C",
                  "C"},
                 {"hertz", "Hz"},
                 {"bytes", "B"},
                 {"sec", "s"},
                 {"secs", "s"},
                 {"second", "s"},
                 {"seconds", "s"},
                 {"msec", "ms"},
                 {"usec", "us"},
                 {"nsec", "ns"},
                 {"millidegree", "mC"},
                 {"microjoules", "uJ"},
                 {"millijoules", "mJ"},
                 {"milliwatts", "mW"},
                 {"microwatts", "uW"}};

/* "MW" and "mW" differ only in case: without it, "mw" is taken as milli, as loggers write it, and "Mw" is unknown. */
static bool is_spelled(const struct wtl_unit *unit, const char *name, size_t n)
{
    if (strlen(unit->name) != n || strncasecmp(unit->name, name, n) != 0)
        return false;
    bool lower = true;
    for (size_t i = 0; i < n; i++)
        lower = lower && !isupper((unsigned char)name[i]);
    char first = (char)tolower((unsigned char)unit->name[0]);
    return first != 'm' || n < 2 || (lower && unit->name[0] == 'm');
}

size_t wtl_micro_length(const char *p, size_t n)
{
    if (n >= 2 && (memcmp(p, "\xc2\xb5", 2) == 0 || memcmp(p, "\xce\xbc", 2) == 0))
        return 2;
    return n >= 1 && *p == '\xb5' ? 1 : 0;
}

const struct wtl_unit *wtl_unit_find(const char *name, size_t n)
{
    char micro[8] = "u";
    size_t sign = wtl_micro_length(name, n);
    if (sign && n - sign < sizeof micro - 1) {
        memcpy(micro + 1, name + sign, n - sign);
        return wtl_unit_find(micro, n - sign + 1);
    }
    for (const struct wtl_unit *unit = wtl_units; unit->name; unit++) {
        if (strlen(unit->name) == n && strncmp(unit->name, name, n) == 0)
            return unit;
    }
    for (const struct wtl_unit *unit = wtl_units; unit->name; unit++) {
        if (is_spelled(unit, name, n))
            return unit;
    }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (strlen(spellings[i].word) == n && strncasecmp(spellings[i].word, name, n) == 0)
            return wtl_unit_find(spellings[i].unit, strlen(spellings[i].unit));
    }
    return NULL;
}
