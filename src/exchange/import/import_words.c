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
#include "base/utf8.h"

/* ---- words ---- */

/* Bytes beyond ASCII belong to words: a unit must not lose its micro sign. */
static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

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

static void add_word(struct wtl_import_words *words, const char *text, size_t n, bool glued)
{
    if (words->count == WTL_WORDS_MAX || n == 0)
        return;
    n = n < WTL_WORD_SIZE - 1 ? n : WTL_WORD_SIZE - 1;
    words->glued[words->count] = glued;
    char *word = words->word[words->count++];
    for (size_t i = 0; i < n;) {
        size_t micro = wtl_micro_length(text + i, n - i);
        size_t length = wtl_utf8_length(text + i, n - i);
        if (micro) {
            *word++ = 'u';
            i += micro;
            continue;
        }
        for (size_t end = i + (length ? length : 1); i < end; i++)
            *word++ = (char)tolower((unsigned char)text[i]);
    }
    *word = '\0';
}

/* A bracket contains the unit: "power [W]"; a bracket that is no unit is kept as the unknown one. Returns the
 * length without it. */
static size_t take_bracket(const char *text, size_t n, struct wtl_import_words *words)
{
    while (n > 0 && text[n - 1] == ' ')
        n--;
    char last = n > 2 ? text[n - 1] : '\0';
    size_t open = n ? n - 1 : 0;
    if (last != ']' && last != ')')
        return n;
    while (open > 0 && text[open] != (last == ']' ? '[' : '('))
        open--;
    if (open == 0)
        return n;
    words->unit = wtl_unit_find(text + open + 1, n - open - 2);
    words->has_unit = true;
    return open;
}

/* Split n bytes of text into words; returns the beginning of the last one. */
static const char *cut_words(const char *text, size_t n, struct wtl_import_words *words)
{
    const char *end = text + n, *begin = text, *last = text;
    for (const char *p = text; p <= end; p++) {
        bool sign = p == end || !is_letter(*p);
        if (!sign && !is_border(begin, p))
            continue;
        if (p > begin)
            last = begin;
        add_word(words, begin, (size_t)(p - begin), begin > text && is_letter(begin[-1]));
        if (p < end && *p == '%')
            add_word(words, "%", 1, false);
        begin = sign ? p + 1 : p;
    }
    return last;
}

static const char *const time_words[] = {"time", "timestamp", "date",    "datetime", "epoch",
                                         "t",    "ts",        "clock",   "when",     "utc",
                                         "usec", "elapsed",   "uptime",  "duration", "interval",
                                         "zeit", "delta",     "seconds", NULL};

static bool is_in(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0)
            return true;
    }
    return false;
}

static bool has_any(const struct wtl_import_words *words, const char *const *list)
{
    for (size_t i = 0; i < words->count; i++) {
        if (is_in(words->word[i], list))
            return true;
    }
    return false;
}

/* May this unit be the last word of a name? "min" and "h" are units of times only, "c" only of temperatures. */
static bool is_suffix(const struct wtl_import_words *words, const struct wtl_unit *unit, size_t n)
{
    static const char *const temperature[] = {"temp", "temperature", "tmp", NULL};
    switch (unit->quantity) {
    case WATTLE_CPU_TIME:
        return unit->scale <= 1 || has_any(words, time_words);
    case WATTLE_TEMPERATURE:
        return n > 1 || has_any(words, temperature);
    default:
        return unit->quantity != WATTLE_EVENTS;
    }
}

/* The last word as a unit: "energy_uJ", "PkgWatt", "t_s", "busy %". */
static void take_suffix(struct wtl_import_words *words, const char *last, const char *stop)
{
    while (stop > last && !is_letter(stop[-1]) && stop[-1] != '%')
        stop--;
    if (stop == last || isdigit((unsigned char)*last)) /* a digit is not a unit */
        return;
    size_t n = stop[-1] == '%' ? 1 : (size_t)(stop - last);
    const struct wtl_unit *unit = wtl_unit_find(stop - n, n);
    if (!unit || !is_suffix(words, unit, n))
        return;
    words->unit = unit;
    words->has_unit = words->unit_is_word = true;
}

void wtl_import_words_split(const char *text, struct wtl_import_words *ret_words)
{
    *ret_words = (struct wtl_import_words){.count = 0};
    size_t n = take_bracket(text, strlen(text), ret_words);
    const char *last = cut_words(text, n, ret_words);
    if (!ret_words->has_unit)
        take_suffix(ret_words, last, text + n);
}

/* ---- time ---- */

static enum wtl_time_unit time_unit(const struct wtl_import_words *words)
{
    for (size_t i = WTL_TIME_S; words->unit && i < WTL_TIME_ISO; i++) {
        if (strcmp(wtl_time_unit_names[i], words->unit->name) == 0)
            return (enum wtl_time_unit)i;
    }
    return WTL_TIME_AUTO;
}

bool wtl_import_words_are_time(const char *header, enum wtl_time_unit *ret_unit)
{
    static const char *const other[] = {"cpu",  "delta",    "duration", "run",     "user", "sys",
                                        "busy", "interval", "seconds",  "covered", NULL};
    struct wtl_import_words words;
    wtl_import_words_split(header, &words);
    *ret_unit = time_unit(&words);
    if (words.unit && words.unit->quantity != WATTLE_CPU_TIME)
        return false;
    if (words.count > 0 && words.unit_is_word) /* "Time_Of_Day_Seconds" */
        words.count--;
    return has_any(&words, time_words) && !has_any(&words, other);
}

bool wtl_import_words_are_duration(const char *header, enum wtl_time_unit *ret_unit)
{
    static const char *const list[] = {"duration", "interval", NULL};
    struct wtl_import_words words;
    wtl_import_words_split(header, &words);
    *ret_unit = time_unit(&words);
    return has_any(&words, list) && words.count <= 3;
}

bool wtl_import_words_are_series(const char *header)
{
    static const char *const list[] = {
        "index",    "gpu",  "id",      "device", "dev",  "socket",  "target", "host",
        "sensor",   "uuid", "node",    "domain", "zone", "rail",    "pci",    "bus",
        "hostname", "card", "channel", "meter",  "plug", "machine", "outlet", NULL};
    struct wtl_import_words words;
    wtl_import_words_split(header, &words);
    bool all = words.count > 0 && !words.has_unit;
    for (size_t i = 0; i < words.count; i++)
        all = all && is_in(words.word[i], list);
    return all;
}

/* ---- meaning ---- */

static const struct {
    const char *word;
    enum wattle_domain domain;
} domain_words[] = {
    /* Parts first: "cpu core 3" is a core. */
    {"psys", WATTLE_DOMAIN_PSYS},         {"dram", WATTLE_DOMAIN_DRAM},
    {"ddr", WATTLE_DOMAIN_DRAM},          {"ram", WATTLE_DOMAIN_DRAM},
    {"mem", WATTLE_DOMAIN_DRAM},          {"memory", WATTLE_DOMAIN_DRAM},
    {"uncore", WATTLE_DOMAIN_UNCORE},     {"pp1", WATTLE_DOMAIN_UNCORE},
    {"gfx", WATTLE_DOMAIN_UNCORE},        {"igpu", WATTLE_DOMAIN_UNCORE},
    {"gpu", WATTLE_DOMAIN_GPU},           {"cuda", WATTLE_DOMAIN_GPU},
    {"cor", WATTLE_DOMAIN_CORE},          {"core", WATTLE_DOMAIN_CORE},
    {"cores", WATTLE_DOMAIN_CORE},        {"pkg", WATTLE_DOMAIN_PACKAGE},
    {"package", WATTLE_DOMAIN_PACKAGE},   {"socket", WATTLE_DOMAIN_PACKAGE},
    {"cpu", WATTLE_DOMAIN_PACKAGE},       {"proc", WATTLE_DOMAIN_PACKAGE},
    {"processor", WATTLE_DOMAIN_PACKAGE}, {"rapl", WATTLE_DOMAIN_PACKAGE},
    {"psu", WATTLE_DOMAIN_PSU},           {"nic", WATTLE_DOMAIN_NETWORK},
    {"disk", WATTLE_DOMAIN_DISK},         {"nvme", WATTLE_DOMAIN_DISK},
    {"node", WATTLE_DOMAIN_NODE},         {"system", WATTLE_DOMAIN_NODE},
    {"platform", WATTLE_DOMAIN_NODE},     {"machine", WATTLE_DOMAIN_NODE},
    {"server", WATTLE_DOMAIN_NODE},       {"chassis", WATTLE_DOMAIN_NODE},
    {"wall", WATTLE_DOMAIN_NODE},         {"plug", WATTLE_DOMAIN_NODE},
    {"tapo", WATTLE_DOMAIN_NODE},         {"board", WATTLE_DOMAIN_BOARD},
};

/* A number is an index if it is a separate word or ends the word of a domain ("gpu3", "mem.1"), but not digits inside a word
 * ("cpu3d", "e5"). */
static bool take_index(const struct wtl_import_words *words, size_t k, struct wtl_meaning *meaning)
{
    uint64_t number;
    if (k >= words->count || wtl_parse_u64(words->word[k], &number) < 0 || number > 9999 ||
        (k + 1 < words->count && words->glued[k + 1]))
        return false;
    meaning->index = (int)number;
    return meaning->has_index = true;
}

/* A word of a domain; one of two letters is none inside others. */
static bool is_domain(const struct wtl_import_words *words, size_t k, const char *word)
{
    bool inside = words->glued[k] || (k + 1 < words->count && words->glued[k + 1]);
    return strcmp(words->word[k], word) == 0 && !(inside && strlen(word) < 3);
}

/* A number after "socket", or a last one that stands alone. */
static void find_index(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    struct wtl_import_words cut = *words;
    cut.count -= words->unit_is_word && words->count > 0;
    if (meaning->has_domain && !meaning->has_index && cut.count > 0 && !words->glued[cut.count - 1])
        (void)take_index(&cut, cut.count - 1, meaning);
    for (size_t k = 0; k + 1 < cut.count && !meaning->has_index; k++) {
        if (strcmp(words->word[k], "socket") == 0)
            (void)take_index(words, k + 1, meaning);
    }
}

/* The first word of the table that occurs, and its number. */
static void guess_domain(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    for (size_t i = 0; i < sizeof domain_words / sizeof *domain_words && !meaning->has_domain;
         i++) {
        for (size_t k = 0; k < words->count; k++) {
            if (!is_domain(words, k, domain_words[i].word))
                continue;
            meaning->domain = domain_words[i].domain;
            meaning->has_domain = true;
            if (!meaning->has_index)
                (void)take_index(words, k + 1, meaning);
        }
    }
    find_index(words, meaning);
}

static const struct {
    const char *word;
    enum wattle_quantity quantity;
} quantity_words[] = {
    {"power", WATTLE_POWER},       {"watt", WATTLE_POWER},      {"watts", WATTLE_POWER},
    {"energy", WATTLE_ENERGY},     {"joule", WATTLE_ENERGY},    {"joules", WATTLE_ENERGY},
    {"consumption", WATTLE_POWER}, {"freq", WATTLE_FREQUENCY},  {"frequency", WATTLE_FREQUENCY},
    {"temp", WATTLE_TEMPERATURE},  {"tmp", WATTLE_TEMPERATURE}, {"temperature", WATTLE_TEMPERATURE},
    {"load", WATTLE_RATIO},        {"util", WATTLE_RATIO},      {"utilization", WATTLE_RATIO},
    {"utilisation", WATTLE_RATIO}, {"percent", WATTLE_RATIO},   {"pct", WATTLE_RATIO},
    {"ratio", WATTLE_RATIO},       {"busy", WATTLE_RATIO},      {"%", WATTLE_RATIO},
    {"bytes", WATTLE_BYTES},
};

static const struct {
    const char *word;
    enum wtl_import_kind kind; /* AUTO: the word says nothing */
} kind_words[] = {
    {"total", WTL_IMPORT_COUNTER},      {"counter", WTL_IMPORT_COUNTER},
    {"cumulative", WTL_IMPORT_COUNTER}, {"accumulated", WTL_IMPORT_COUNTER},
    {"delta", WTL_IMPORT_DELTA},        {"diff", WTL_IMPORT_DELTA},
    {"increment", WTL_IMPORT_DELTA},    {"average", WTL_IMPORT_AVERAGE},
    {"avg", WTL_IMPORT_AVERAGE},        {"mean", WTL_IMPORT_AVERAGE},
    {"draw", WTL_IMPORT_AUTO},          {"usage", WTL_IMPORT_AUTO},
    {"use", WTL_IMPORT_AUTO},           {"used", WTL_IMPORT_AUTO},
    {"consumed", WTL_IMPORT_AUTO},      {"now", WTL_IMPORT_AUTO},
    {"instant", WTL_IMPORT_AUTO},       {"current", WTL_IMPORT_AUTO},
    {"reading", WTL_IMPORT_AUTO},       {"input", WTL_IMPORT_AUTO},
    {"sum", WTL_IMPORT_AUTO},           {"value", WTL_IMPORT_AUTO},
};

static int kind_word(const char *word)
{
    for (size_t i = 0; i < sizeof kind_words / sizeof *kind_words; i++) {
        if (strcmp(kind_words[i].word, word) == 0)
            return (int)i;
    }
    return -1;
}

/* The quantity of a word; -1 = none. */
static int quantity_word(const char *word)
{
    for (size_t i = 0; i < sizeof quantity_words / sizeof *quantity_words; i++) {
        if (strcmp(quantity_words[i].word, word) == 0)
            return (int)quantity_words[i].quantity;
    }
    return -1;
}

static bool is_energy(int quantity)
{
    return quantity == WATTLE_ENERGY || quantity == WATTLE_POWER;
}

static bool names_energy(const char *word)
{
    const struct wtl_unit *unit = wtl_unit_find(word, strlen(word));
    return unit && is_energy((int)unit->quantity);
}

/* The last word decides: "occ_power_gpu.0.energy" is an energy, "power_from_energy" a power, and "power_state" neither. Numbers,
 * places, units and words for kinds are passed over. Returns the quantity, -1 if the last word names none. */
static int last_quantity(const struct wtl_import_words *words)
{
    size_t n = words->count;
    for (size_t i = 1; i < n; i++) {
        if (strcmp(words->word[i], "from") == 0)
            n = i;
    }
    for (; n > 0; n--) {
        const char *word = words->word[n - 1];
        int quantity = quantity_word(word);
        if (quantity >= 0)
            return quantity;
        struct wtl_meaning place = {.sub = -1};
        struct wtl_import_words one = {.count = 1};
        memcpy(one.word[0], word, sizeof one.word[0]);
        guess_domain(&one, &place);
        bool unit = words->unit_is_word && n == words->count;
        if (!unit && names_energy(word) && (n < 2 || strcmp(words->word[n - 2], "per") != 0))
            return (int)wtl_unit_find(word, strlen(word))->quantity;
        if (!isdigit((unsigned char)*word) && !unit && kind_word(word) < 0 && !place.has_domain)
            break;
    }
    return -1;
}

static void set_quantity(struct wtl_meaning *meaning, enum wattle_quantity quantity)
{
    meaning->quantity = quantity;
    meaning->has_quantity = true;
}

/* A counter or an increment of energy, a mean of power, by the words for them. */
static void guess_kind(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    for (size_t i = 0; i < words->count && meaning->kind == WTL_IMPORT_AUTO; i++) {
        int kind = kind_word(words->word[i]);
        enum wtl_import_kind of = kind < 0 ? WTL_IMPORT_AUTO : kind_words[kind].kind;
        bool mean = of == WTL_IMPORT_AVERAGE; /* a total power is a sum */
        if (of && mean == (meaning->quantity != WATTLE_ENERGY))
            meaning->kind = of;
    }
}

/* Does the name end with a word for another quantity than that of the unit, energy or power being one of them? */
static bool disagrees(const struct wtl_import_words *words, int word, const struct wtl_unit *unit)
{
    return word >= 0 && unit && word != (int)unit->quantity &&
           (is_energy(word) || is_energy((int)unit->quantity)) &&
           quantity_word(words->word[words->count - 1]) >= 0;
}

static void guess_quantity(const struct wtl_import_words *words, struct wtl_meaning *meaning)
{
    /* Bounds and statistics are no power that was drawn. */
    static const char *const limit[] = {"limit", "cap",  "tdp", "pl",     "psyspl", "max",
                                        "min",   "peak", "std", "stddev", "budget", NULL};
    const struct wtl_unit *unit = words->unit;
    int word = last_quantity(words);
    /* A time of something unknown. */
    if (unit && unit->quantity == WATTLE_CPU_TIME)
        return;
    if (disagrees(words, word, unit))
        meaning->doubt = "its name and its unit are of different quantities";
    for (size_t i = 0; i < words->count && !unit && word >= 0; i++) {
        if (names_energy(words->word[i]) && quantity_word(words->word[i]) < 0)
            meaning->doubt = "its unit is neither in brackets at its end nor its last word";
    }
    if (!unit && word < 0)
        return;
    set_quantity(meaning, unit ? unit->quantity : (enum wattle_quantity)word);
    if (unit) {
        (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", unit->name);
        meaning->has_unit = true;
    }
    if (is_energy((int)meaning->quantity) && has_any(words, limit))
        meaning->quantity = WATTLE_POWER_LIMIT;
    guess_kind(words, meaning);
}

/* The name of a file without folders and extension. */
static void stem_of(const char *path, char *stem, size_t size)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(stem, size, "%s", slash ? slash + 1 : path);
    for (char *dot; (dot = strrchr(stem, '.')) != NULL;) {
        static const char *const endings[] = {".csv", ".gz", ".zst", ".txt", ".tsv", ".log", NULL};
        if (!is_in(dot, endings))
            break;
        *dot = '\0';
    }
}

void wtl_import_words_guess(const char *header, const char *file, struct wtl_meaning *meaning)
{
    static const char *const estimate[] = {"estimated", "estimate", "model", "predicted", NULL};
    static const char *const derived[] = {"from", NULL};
    struct wtl_import_words words, of_file;
    char stem[256];
    wtl_import_words_split(header, &words);
    if (meaning->has_unit && words.unit && strcmp(words.unit->name, meaning->unit) != 0)
        meaning->doubt = "its cells have another unit than its header";
    else if (words.has_unit && !words.unit && last_quantity(&words) >= 0)
        meaning->doubt = "its unit is not known";
    if (!meaning->has_quantity)
        guess_quantity(&words, meaning);
    if (has_any(&words, estimate))
        meaning->quality = WATTLE_ESTIMATED;
    else if (has_any(&words, derived))
        meaning->quality = WATTLE_DERIVED;
    guess_domain(&words, meaning);
    if (!file || meaning->has_domain)
        return;
    stem_of(file, stem, sizeof stem);
    wtl_import_words_split(stem, &of_file);
    of_file.unit_is_word = false;
    guess_domain(&of_file, meaning);
}

void wtl_import_words_stem(const char *header, char *stem, size_t size)
{
    struct wtl_import_words words;
    size_t used = 0;
    wtl_import_words_split(header, &words);
    stem[0] = '\0';
    for (size_t i = 0; i < words.count; i++) {
        bool unit = words.unit_is_word && i + 1 == words.count;
        bool drop =
            unit || is_energy(quantity_word(words.word[i])) || kind_word(words.word[i]) >= 0;
        int n = drop ? 0 : snprintf(stem + used, size - used, "%s ", words.word[i]);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
}
