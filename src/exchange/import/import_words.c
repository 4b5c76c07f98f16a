/* SPDX-License-Identifier: BSD-3-Clause */
/* Interprets column headers: see import_words.h. Words are looked up in tables; the first match
 * decides. */
#define _GNU_SOURCE
#include "exchange/import/import_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"

const struct wtl_unit wtl_units[] = {{"J", WATTLE_ENERGY, 1},
                                     {"mJ", WATTLE_ENERGY, 1e-3},
                                     {"uJ", WATTLE_ENERGY, 1e-6},
                                     {"nJ", WATTLE_ENERGY, 1e-9},
                                     {"kJ", WATTLE_ENERGY, 1e3},
                                     {"MJ", WATTLE_ENERGY, 1e6},
                                     {"Wh", WATTLE_ENERGY, 3600},
                                     {"mWh", WATTLE_ENERGY, 3.6},
                                     {"kWh", WATTLE_ENERGY, 3.6e6},
                                     {"MWh", WATTLE_ENERGY, 3.6e9},
                                     {"W", WATTLE_POWER, 1},
                                     {"mW", WATTLE_POWER, 1e-3},
                                     {"uW", WATTLE_POWER, 1e-6},
                                     {"kW", WATTLE_POWER, 1e3},
                                     {"MW", WATTLE_POWER, 1e6},
                                     {"Hz", WATTLE_FREQUENCY, 1},
                                     {"kHz", WATTLE_FREQUENCY, 1e3},
                                     {"MHz", WATTLE_FREQUENCY, 1e6},
                                     {"GHz", WATTLE_FREQUENCY, 1e9},
                                     {"C", WATTLE_TEMPERATURE, 1},
                                     {"mC", WATTLE_TEMPERATURE, 1e-3},
                                     {"%", WATTLE_RATIO, 0.01},
                                     {"ratio", WATTLE_RATIO, 1},
                                     {"s", WATTLE_CPU_TIME, 1},
                                     {"ms", WATTLE_CPU_TIME, 1e-3},
                                     {"us", WATTLE_CPU_TIME, 1e-6},
                                     {"ns", WATTLE_CPU_TIME, 1e-9},
                                     {"B", WATTLE_BYTES, 1},
                                     {"KiB", WATTLE_BYTES, 1024},
                                     {"MiB", WATTLE_BYTES, 1048576},
                                     {"GiB", WATTLE_BYTES, 1073741824},
                                     {"kB", WATTLE_BYTES, 1e3},
                                     {"MB", WATTLE_BYTES, 1e6},
                                     {"GB", WATTLE_BYTES, 1e9},
                                     {"1", WATTLE_EVENTS, 1},
                                     {NULL, WATTLE_EVENTS, 0}};

/* Other spellings of the names. */
static const struct {
    const char *word, *unit;
} spellings[] = {{"joule", "J"},
                 {"joules", "J"},
                 {"watt", "W"},
                 {"watts", "W"},
                 {"kwh", "kWh"},
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
                 {"\xC2\xB5"
                  "J",
                  "uJ"},
                 {"\xC2\xB5"
                  "W",
                  "uW"},
                 {"\xC2\xB5"
                  "s",
                  "us"},
                 {"millidegree", "mC"},
                 {"microjoules", "uJ"},
                 {"millijoules", "mJ"},
                 {"milliwatts", "mW"},
                 {"microwatts", "uW"}};

const struct wtl_unit *wtl_unit_find(const char *name, size_t n)
{
    for (int exact = 1; exact >= 0; exact--) {
        int (*compare)(const char *, const char *, size_t) = exact ? strncmp : strncasecmp;
        for (const struct wtl_unit *unit = wtl_units; unit->name; unit++) {
            if (strlen(unit->name) == n && compare(unit->name, name, n) == 0)
                return exact || strcmp(unit->name, "MJ") != 0 ? unit : NULL;
        }
    }
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        if (strlen(spellings[i].word) == n && strncasecmp(spellings[i].word, name, n) == 0)
            return wtl_unit_find(spellings[i].unit, strlen(spellings[i].unit));
    }
    return NULL;
}

/* ---- words ---- */

/* Does a new word begin at p? */
static bool is_border(const char *begin, const char *p)
{
    if (p == begin)
        return false;
    unsigned char before = (unsigned char)p[-1], here = (unsigned char)*p;
    if (isdigit(before) != isdigit(here))
        return true;
    if (!isupper(here))
        return false;
    /* "PkgWatt", and the last capital of "RAMWatt"; but not "kWh", "mJ", "MHz". */
    return islower(before) ? p - begin >= 2
                           : isupper(before) && p - begin >= 3 && islower((unsigned char)p[1]);
}

static void add_word(struct wtl_import_words *words, const char *text, size_t n)
{
    if (words->count == WTL_WORDS_MAX || n == 0)
        return;
    n = n < WTL_WORD_SIZE - 1 ? n : WTL_WORD_SIZE - 1;
    char *word = words->word[words->count++];
    for (size_t i = 0; i < n; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    word[n] = '\0';
}

/* A bracket at the end contains the unit: "power [W]", "energy (uJ)". Returns the length without
 * it. */
static size_t take_bracket(const char *text, size_t n, struct wtl_import_words *words)
{
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (n < 3 || (text[n - 1] != ']' && text[n - 1] != ')'))
        return n;
    size_t open = n - 1;
    while (open > 0 && text[open] != '[' && text[open] != '(')
        open--;
    if (open == 0)
        return n;
    words->unit = wtl_unit_find(text + open + 1, n - open - 2);
    return words->unit ? open : n;
}

/* Split n bytes of text into words; returns the beginning of the last one. */
static const char *cut_words(const char *text, size_t n, struct wtl_import_words *words)
{
    const char *end = text + n, *begin = text, *last = text;
    for (const char *p = text; p <= end; p++) {
        bool sign = p == end || !isalnum((unsigned char)*p);
        if (!sign && !is_border(begin, p))
            continue;
        if (p > begin)
            last = begin;
        add_word(words, begin, (size_t)(p - begin));
        if (p < end && *p == '%')
            add_word(words, "%", 1);
        begin = sign ? p + 1 : p;
    }
    return last;
}

void wtl_import_words_split(const char *text, struct wtl_import_words *ret_words)
{
    *ret_words = (struct wtl_import_words){.count = 0};
    size_t n = take_bracket(text, strlen(text), ret_words);
    const char *last = cut_words(text, n, ret_words), *stop = text + n;
    if (ret_words->unit)
        return;
    /* The last word, as written, may be a unit: "energy_uJ", "PkgWatt", "t_s", "busy %". */
    while (stop > last && !isalnum((unsigned char)stop[-1]) && stop[-1] != '%')
        stop--;
    if (stop > last && stop[-1] == '%')
        ret_words->unit = wtl_unit_find("%", 1);
    else if (stop > last && !isdigit((unsigned char)*last)) /* a digit is not a unit */
        ret_words->unit = wtl_unit_find(last, (size_t)(stop - last));
}

static bool has(const struct wtl_import_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->word[i], word) == 0)
            return true;
    }
    return false;
}

static bool has_any(const struct wtl_import_words *words, const char *const *list)
{
    for (; *list; list++) {
        if (has(words, *list))
            return true;
    }
    return false;
}

/* ---- time ---- */

static enum wtl_time_unit time_unit(const struct wtl_import_words *words)
{
    if (!words->unit || words->unit->quantity != WATTLE_CPU_TIME)
        return WTL_TIME_AUTO;
    for (size_t i = WTL_TIME_S; i <= WTL_TIME_NS; i++) {
        if (strcmp(wtl_time_unit_names[i], words->unit->name) == 0)
            return (enum wtl_time_unit)i;
    }
    return WTL_TIME_AUTO;
}

bool wtl_import_words_are_time(const char *header, enum wtl_time_unit *ret_unit)
{
    static const char *const list[] = {"time",    "timestamp", "date",  "datetime", "epoch",
                                       "t",       "ts",        "clock", "when",     "utc",
                                       "elapsed", "uptime",    "usec",  NULL};
    static const char *const other[] = {"cpu",  "delta", "duration", "run",
                                        "user", "sys",   "busy",     NULL};
    struct wtl_import_words words;
    wtl_import_words_split(header, &words);
    *ret_unit = time_unit(&words);
    if (words.unit && words.unit->quantity != WATTLE_CPU_TIME)
        return false;
    return has_any(&words, list) && !has_any(&words, other);
}

bool wtl_import_words_are_duration(const char *header, enum wtl_time_unit *ret_unit)
{
    static const char *const list[] = {"duration", "interval", NULL};
    struct wtl_import_words words;
    wtl_import_words_split(header, &words);
    *ret_unit = time_unit(&words);
    return has_any(&words, list) && words.count <= 3;
}

/* ---- meaning ---- */

static const struct {
    const char *word;
    enum wattle_domain domain;
} domain_words[] = {
    /* Parts first: "cpu core 3" is a core. */
    {"psys", WATTLE_DOMAIN_PSYS},      {"dram", WATTLE_DOMAIN_DRAM},
    {"ddr", WATTLE_DOMAIN_DRAM},       {"ram", WATTLE_DOMAIN_DRAM},
    {"mem", WATTLE_DOMAIN_DRAM},       {"memory", WATTLE_DOMAIN_DRAM},
    {"uncore", WATTLE_DOMAIN_UNCORE},  {"pp1", WATTLE_DOMAIN_UNCORE},
    {"gfx", WATTLE_DOMAIN_UNCORE},     {"igpu", WATTLE_DOMAIN_UNCORE},
    {"gpu", WATTLE_DOMAIN_GPU},        {"cuda", WATTLE_DOMAIN_GPU},
    {"cor", WATTLE_DOMAIN_CORE},       {"core", WATTLE_DOMAIN_CORE},
    {"pkg", WATTLE_DOMAIN_PACKAGE},    {"package", WATTLE_DOMAIN_PACKAGE},
    {"socket", WATTLE_DOMAIN_PACKAGE}, {"cpu", WATTLE_DOMAIN_PACKAGE},
    {"proc", WATTLE_DOMAIN_PACKAGE},   {"processor", WATTLE_DOMAIN_PACKAGE},
    {"rapl", WATTLE_DOMAIN_PACKAGE},   {"psu", WATTLE_DOMAIN_PSU},
    {"nic", WATTLE_DOMAIN_NETWORK},    {"disk", WATTLE_DOMAIN_DISK},
    {"nvme", WATTLE_DOMAIN_DISK},      {"node", WATTLE_DOMAIN_NODE},
    {"system", WATTLE_DOMAIN_NODE},    {"platform", WATTLE_DOMAIN_NODE},
    {"machine", WATTLE_DOMAIN_NODE},   {"server", WATTLE_DOMAIN_NODE},
    {"chassis", WATTLE_DOMAIN_NODE},   {"wall", WATTLE_DOMAIN_NODE},
    {"plug", WATTLE_DOMAIN_NODE},      {"tapo", WATTLE_DOMAIN_NODE},
    {"board", WATTLE_DOMAIN_BOARD},
};

/* The first word of the table that occurs, and the number after it. */
static void guess_domain(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    for (size_t i = 0; i < sizeof domain_words / sizeof *domain_words && !meaning->has_domain;
         i++) {
        for (size_t k = 0; k < words->count; k++) {
            if (strcmp(words->word[k], domain_words[i].word) != 0)
                continue;
            meaning->domain = domain_words[i].domain;
            meaning->has_domain = true;
        }
    }
    if (!meaning->has_domain)
        return;
    for (size_t k = words->count; k > 0 && !meaning->has_index; k--) {
        /* The last number: "cpu0", "occ_power_mem.1"; not "cpu_e5_2620". */
        uint64_t number;
        if (wtl_parse_u64(words->word[k - 1], &number) == 0 && number < 100) {
            meaning->index = (int)number;
            meaning->has_index = true;
        }
    }
}

static void set_quantity(struct wtl_meaning *meaning, enum wattle_quantity quantity)
{
    meaning->quantity = quantity;
    meaning->has_quantity = true;
}

/* Quantities by words, if there is no unit. The first match counts. */
static const struct {
    const char *word;
    enum wattle_quantity quantity;
} quantity_words[] = {
    {"power", WATTLE_POWER},
    {"watt", WATTLE_POWER},
    {"watts", WATTLE_POWER}, /* "power_from_energy" is power */
    {"energy", WATTLE_ENERGY},
    {"joule", WATTLE_ENERGY},
    {"joules", WATTLE_ENERGY},
    {"freq", WATTLE_FREQUENCY},
    {"frequency", WATTLE_FREQUENCY},
    {"temp", WATTLE_TEMPERATURE},
    {"tmp", WATTLE_TEMPERATURE},
    {"temperature", WATTLE_TEMPERATURE},
    {"load", WATTLE_RATIO},
    {"util", WATTLE_RATIO},
    {"utilization", WATTLE_RATIO},
    {"utilisation", WATTLE_RATIO},
    {"percent", WATTLE_RATIO},
    {"pct", WATTLE_RATIO},
    {"ratio", WATTLE_RATIO},
    {"busy", WATTLE_RATIO},
    {"%", WATTLE_RATIO},
    {"bytes", WATTLE_BYTES},
};

static void quantity_by_words(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    for (size_t i = 0; i < sizeof quantity_words / sizeof *quantity_words; i++) {
        if (has(words, quantity_words[i].word)) {
            set_quantity(meaning, quantity_words[i].quantity);
            return;
        }
    }
}

static void guess_quantity(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    static const char *const limit[] = {"limit", "cap", "tdp", NULL};
    static const char *const temperature[] = {"temp", "temperature", "tmp", "celsius", NULL};
    const struct wtl_unit *unit = words->unit;
    /* A time of something unknown; and "c" may be anything. */
    if (unit && (unit->quantity == WATTLE_CPU_TIME ||
                 (unit->quantity == WATTLE_TEMPERATURE && !has_any(words, temperature))))
        return;
    if (unit)
        set_quantity(meaning, unit->quantity);
    else
        quantity_by_words(words, meaning);
    if (!meaning->has_quantity)
        return;
    if (unit) {
        (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", unit->name);
        meaning->has_unit = true;
    }
    if (meaning->quantity == WATTLE_POWER && has_any(words, limit))
        meaning->quantity = WATTLE_POWER_LIMIT;
}

/* A header that only says that this is a number. */
static bool is_plain(const struct wtl_import_words *words)
{
    static const char *const plain[] = {"value", "val",    "sample", "reading", "data",
                                        "mean",  "direct", "column", NULL};
    bool all = true;
    for (size_t i = 0; i < words->count; i++) {
        bool any = isdigit((unsigned char)words->word[i][0]);
        for (const char *const *p = plain; *p && !any; p++)
            any = strcmp(*p, words->word[i]) == 0;
        all = all && any;
    }
    return all;
}

/* The name of a file without folders and extension. */
static void stem_of(const char *path, char *stem, size_t size)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(stem, size, "%s", slash ? slash + 1 : path);
    for (char *dot; (dot = strrchr(stem, '.')) != NULL;) {
        static const char *const endings[] = {".csv", ".gz", ".zst", ".txt", ".tsv", ".log", NULL};
        bool known = false;
        for (const char *const *p = endings; *p; p++)
            known = known || strcmp(dot, *p) == 0;
        if (!known)
            break;
        *dot = '\0';
    }
}

void wtl_import_words_guess(const char *header, const char *file, struct wtl_meaning *meaning)
{
    static const char *const estimate[] = {"estimated", "estimate", "model", "predicted", NULL};
    struct wtl_import_words words, of_file;
    char stem[256];
    wtl_import_words_split(header, &words);
    if (!meaning->has_quantity)
        guess_quantity(&words, meaning);
    if (has_any(&words, estimate))
        meaning->quality = WATTLE_ESTIMATED;
    else if (has(&words, "from"))
        meaning->quality = WATTLE_DERIVED;
    guess_domain(&words, meaning);
    if (!file)
        return;
    stem_of(file, stem, sizeof stem);
    wtl_import_words_split(stem, &of_file);
    of_file.unit = NULL;
    if (!meaning->has_quantity && is_plain(&words))
        guess_quantity(&of_file, meaning);
    if (!meaning->has_domain)
        guess_domain(&of_file, meaning);
}

void wtl_import_words_stem(const char *header, char *stem, size_t size)
{
    static const char *const out[] = {"power", "energy", "watt", "watts", "joule", "joules",
                                      "w",     "j",      "uj",   "mj",    "kj",    "kwh",
                                      "wh",    "mw",     "uw",   "kw",    NULL};
    struct wtl_import_words words;
    size_t used = 0;
    wtl_import_words_split(header, &words);
    stem[0] = '\0';
    for (size_t i = 0; i < words.count; i++) {
        bool drop = false;
        for (const char *const *p = out; *p && !drop; p++)
            drop = strcmp(*p, words.word[i]) == 0;
        int n = drop ? 0 : snprintf(stem + used, size - used, "%s ", words.word[i]);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
}
