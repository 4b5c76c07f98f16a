/* SPDX-License-Identifier: BSD-3-Clause */
/* Settles kinds, units, names and row groups of columns once all values have been read. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/whole.h"
#include "exchange/import/import.h"
#include "exchange/import/import_words.h"
#include "model/reading.h"
#include "model/statistics/quantile.h"

enum { DIGITS = 18, RANKS = 16 };

static bool is_channel(const struct wtl_import_column *column)
{
    return column->role == WTL_ROLE_CHANNEL;
}

static const char *place_of(const struct wtl_import_column *column)
{
    return column->meaning.place[0] ? column->meaning.place
                                    : wattle_domain_name(column->meaning.domain);
}

/* ---- what nobody has stated ---- */

/* May it be assumed? 0: yes, and it was noted; else -EBADMSG, which names the column and the option. */
static int may_assume(struct wtl_import *import,
                      struct wtl_import_column *column,
                      const char *lacks,
                      struct wattle_error *err)
{
    const struct wtl_import_options *options = import->options;
    const char *path = wtl_import_file_name(import->files[column->file].path);
    char target[160], text[600];
    if (!column->name[0])
        (void)snprintf(column->name, sizeof column->name, "x:%.31s-%d", place_of(column),
                       column->meaning.index);
    wtl_import_target(column, target, sizeof target);
    column->name[0] = '\0';
    (void)snprintf(text, sizeof text, "%.120s: column \"%.80s\": %s; is it '%s'?", path,
                   column->header, lacks, target);
    if (!options->table.assume && (!options->ask || !options->ask(options->ask_context, text)))
        return wtl_fail(err, -EBADMSG,
                        "%.120s: column \"%.80s\": %s; state it, such as --column '%.80s=%s', "
                        "accept this with --yes, or skip the column with --ignore",
                        path, column->header, lacks, column->header, target);
    size_t used = strlen(import->assumed);
    (void)snprintf(import->assumed + used, sizeof import->assumed - used, "%s\"%.60s\" is %.80s",
                   used ? ", " : "", column->header, target);
    return 0;
}

static int contradiction(const struct wtl_import *import,
                         const struct wtl_import_column *column,
                         const char *what,
                         struct wattle_error *err)
{
    return wtl_fail(err, -EBADMSG,
                    "%.120s: column \"%.80s\": %s; state what it is with --column "
                    "'%.80s=PLACE:QUANTITY:UNIT:KIND', or skip it with --ignore",
                    wtl_import_file_name(import->files[column->file].path), column->header, what,
                    column->header);
}

static double scale_of(const struct wtl_import_column *column)
{
    const struct wtl_unit *unit = wtl_unit_find(column->meaning.unit, strlen(column->meaning.unit));
    return unit ? unit->scale : 1;
}

/* The unit is in the header, in the cells, in the format or in an option. Other quantities than energy and power without one are
 * numbers of no known quantity. */
static int settle_unit(struct wtl_import *import,
                       struct wtl_import_column *column,
                       struct wattle_error *err)
{
    static const char *const base[WATTLE_QUANTITY_COUNT] = {
        [WATTLE_ENERGY] = "J",    [WATTLE_POWER] = "W",       [WATTLE_POWER_LIMIT] = "W",
        [WATTLE_CPU_TIME] = "s",  [WATTLE_FREQUENCY] = "MHz", [WATTLE_TEMPERATURE] = "C",
        [WATTLE_RATIO] = "ratio", [WATTLE_BYTES] = "B"};
    struct wtl_meaning *meaning = &column->meaning;
    bool energy = meaning->has_quantity &&
                  (meaning->quantity == WATTLE_ENERGY || meaning->quantity == WATTLE_POWER);
    if (meaning->doubt)
        return contradiction(import, column, meaning->doubt, err);
    if (!meaning->has_quantity || (!meaning->has_unit && !energy && !column->asked)) {
        meaning->quantity = WATTLE_EVENTS;
        meaning->has_quantity = true;
        meaning->unit[0] = '\0';
    }
    if (!meaning->has_unit && base[meaning->quantity]) {
        (void)snprintf(meaning->unit, sizeof meaning->unit, "%s", base[meaning->quantity]);
        int rc = may_assume(import, column, "it has no unit", err);
        if (rc < 0)
            return rc;
        column->unit_from = "assumed";
    }
    meaning->has_unit = true;
    column->unit_scale = scale_of(column);
    return 0;
}

/* ---- counter, increment or gauge ---- */

/* A counter falls rarely, when it wraps or restarts. */
static bool grows(const struct wtl_import_stats *stats, uint64_t tolerance)
{
    return stats->rises > 0 && stats->falls * tolerance <= stats->rises;
}

/* Too few values, or too even ones, to tell a counter from increments. */
static bool is_open(const struct wtl_import_stats *stats)
{
    return stats->good > 1 && (stats->rises < 8 || stats->rise_sum < stats->first / 100);
}

/* Values only check what is stated: a contradiction is an error. */
static int check_kind(struct wtl_import *import,
                      struct wtl_import_column *column,
                      bool stated,
                      struct wattle_error *err)
{
    const struct wtl_import_stats *stats = &column->stats;
    bool still = stats->rises == 0 && stats->falls == 0;
    char text[200];
    if (column->meaning.kind == WTL_IMPORT_COUNTER && !grows(stats, stated ? 2 : 20) && !still) {
        (void)snprintf(text, sizeof text,
                       "it would be a counter, but it decreases in %llu rows and increases in %llu",
                       (unsigned long long)stats->falls, (unsigned long long)stats->rises);
        return contradiction(import, column, text, err);
    }
    if (column->meaning.kind == WTL_IMPORT_DELTA && stats->falls == 0 && stats->rises > 20 &&
        stats->rises > stats->equals)
        return contradiction(import, column,
                             "it would be an increment, but it only increases, as a counter does",
                             err);
    return 0;
}

static int settle_kind(struct wtl_import *import,
                       struct wtl_import_column *column,
                       struct wattle_error *err)
{
    struct wtl_meaning *meaning = &column->meaning;
    struct wtl_import_words words;
    bool stated = meaning->kind != WTL_IMPORT_AUTO;
    if (meaning->quantity != WATTLE_ENERGY) {
        meaning->kind = stated ? meaning->kind : WTL_IMPORT_GAUGE;
        if (stated || (meaning->quantity != WATTLE_EVENTS && meaning->quantity != WATTLE_BYTES))
            return 0;
        wtl_import_words_split(column->header, &words);
        for (size_t i = 0; i < words.count; i++) {
            if ((strcmp(words.word[i], "total") == 0 || strcmp(words.word[i], "counter") == 0) &&
                grows(&column->stats, 20))
                meaning->kind = WTL_IMPORT_COUNTER;
        }
        return 0;
    }
    if (!stated) {
        bool covered = import->files[column->file].has_cover;
        meaning->kind = covered ? WTL_IMPORT_DELTA : WTL_IMPORT_COUNTER;
        column->kind_from = "unit";
        if (covered || is_open(&column->stats)) {
            column->kind_from = "assumed";
            int rc =
                may_assume(import, column,
                           "it may count since the start (counter) or in each row (delta)", err);
            if (rc < 0)
                return rc;
        }
    }
    return check_kind(import, column, stated, err);
}

/* Integers for the trace: with all decimals, up to 18 digits. */
static void settle_places(struct wtl_import_column *column)
{
    const struct wtl_import_stats *stats = &column->stats;
    int magnitude = stats->magnitude > -400 ? stats->magnitude : 0;
    if (column->meaning.kind == WTL_IMPORT_DELTA && stats->sum > 0)
        magnitude = wtl_whole_int(fmax(magnitude, ceil(log10(stats->sum + 1))));
    column->places = stats->places > -400 ? stats->places : 0;
    if (column->places < 0)
        column->places = 0;
    if (column->places > DIGITS - magnitude)
        column->places = DIGITS - magnitude;
}

/* A counter that fell: find the range that explains most of its falls. */
static void settle_range(struct wtl_import_column *column)
{
    const struct wtl_import_stats *stats = &column->stats;
    uint64_t kept = stats->falls < WTL_IMPORT_FALLS ? stats->falls : WTL_IMPORT_FALLS;
    double rate = stats->time_s > 0 ? stats->rise_sum / stats->time_s : 0;
    double range = 0;
    uint64_t most = 0;
    if (column->meaning.kind != WTL_IMPORT_COUNTER)
        return;
    for (uint64_t i = 0; i < kept; i++) {
        double r = wtl_import_range(column, &stats->fall[i], rate);
        uint64_t explained = 0;
        for (uint64_t k = 0; k < kept && r > 0; k++)
            explained += wtl_import_explains(r, &stats->fall[k], rate);
        if (explained > most) {
            most = explained;
            range = r;
        }
    }
    double ticks = range * pow(10, column->places);
    column->modulus = ticks >= 1 && ticks < 9e18 ? (uint64_t)llround(ticks) : 0;
}

/* ---- names ---- */

static void make_name(const struct wtl_import *import,
                      struct wtl_import_column *column,
                      const char *place)
{
    const char *sensor = column->meaning.sensor[0] ? column->meaning.sensor
                                                   : import->files[column->file].table->sensor;
    char name[96];
    int n = column->meaning.sub < 0 ? snprintf(name, sizeof name, "%.15s:%.31s-%d", sensor, place,
                                               column->meaning.index)
                                    : snprintf(name, sizeof name, "%.15s:%.31s-%d-%d", sensor,
                                               place, column->meaning.index, column->meaning.sub);
    if (n > WATTLE_NAME_MAX - 1)
        name[WATTLE_NAME_MAX - 1] = '\0';
    memcpy(column->name, name, sizeof column->name);
}

/* Names in use: an open-addressing table of column numbers + 1. */
struct names {
    uint32_t *slots;
    size_t mask;
};

static bool take_name(const struct wtl_import *import, struct names *names, size_t number)
{
    const char *name = import->columns[number].name;
    for (size_t at = (size_t)wtl_hash_text(name) & names->mask;; at = (at + 1) & names->mask) {
        if (names->slots[at] == 0) {
            names->slots[at] = (uint32_t)number + 1;
            return true;
        }
        if (strcmp(import->columns[names->slots[at] - 1].name, name) == 0)
            return false;
    }
}

/* A header converted to a name: a-z 0-9 _, without the unit in brackets. */
static void word_from(const struct wtl_import_column *column, char *word, size_t size)
{
    struct wtl_import_words words;
    size_t used = 0;
    wtl_import_words_split(column->header, &words);
    word[0] = '\0';
    for (size_t i = 0; i < words.count; i++) {
        uint64_t number;
        bool index = column->meaning.has_index && wtl_parse_u64(words.word[i], &number) == 0 &&
                     number == (uint64_t)column->meaning.index;
        bool sign = words.word[i][0] == '%';
        int n = index || sign
                    ? 0
                    : snprintf(word + used, size - used, "%s%s", used ? "_" : "", words.word[i]);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
    if (used == 0)
        (void)snprintf(word, size, "column");
}

/* May it use the plain name of its domain? Only energy and power with a known domain. */
static bool is_plain(const struct wtl_import_column *column)
{
    return column->meaning.has_domain && !column->meaning.place[0] &&
           column->meaning.domain != WATTLE_DOMAIN_OTHER &&
           (column->meaning.quantity == WATTLE_ENERGY || column->meaning.quantity == WATTLE_POWER);
}

/* The smaller, the stronger its claim to the name of its domain and index. */
static int rank(const struct wtl_import_column *column)
{
    int rank = column->meaning.quantity == WATTLE_ENERGY ? 0 : 4;
    if (column->meaning.quality == WATTLE_ESTIMATED)
        rank += 8;
    if (column->stats.least == column->stats.most)
        rank += 2; /* constant: probably no sensor */
    return rank + !column->asked;
}

/* A name from the words of the header, with the domain or a number added if it is in use. */
static void name_by_words(struct wtl_import *import, struct names *names, size_t number)
{
    struct wtl_import_column *column = &import->columns[number];
    char word[40], numbered[32];
    word_from(column, word, 32);
    make_name(import, column, word);
    for (unsigned n = 2; !take_name(import, names, number); n++) {
        bool domain =
            n == 2 && column->meaning.has_domain && column->meaning.domain != WATTLE_DOMAIN_OTHER;
        if (domain)
            (void)snprintf(numbered, sizeof numbered, "%.10s_%.20s",
                           wattle_domain_name(column->meaning.domain), word);
        else
            (void)snprintf(numbered, sizeof numbered, "%.20s_%u", word, n);
        make_name(import, column, numbered);
    }
}

/* The name of the column's place, if it is free. */
static void name_by_place(struct wtl_import *import, struct names *names, size_t number)
{
    struct wtl_import_column *column = &import->columns[number];
    make_name(import, column, place_of(column));
    if (take_name(import, names, number))
        column->primary = is_plain(column);
    else
        column->name[0] = '\0';
}

/* Names from options, formats and wattle's own files first, then domains, then words. */
static void name_columns(struct wtl_import *import, struct names *names)
{
    for (size_t i = 0; i < import->column_count; i++) {
        struct wtl_import_column *column = &import->columns[i];
        if (is_channel(column) &&
            (column->asked || column->meaning.sensor[0] || column->meaning.by_format))
            name_by_place(import, names, i);
    }
    for (int level = 0; level < RANKS; level++) {
        for (size_t i = 0; i < import->column_count; i++) {
            struct wtl_import_column *column = &import->columns[i];
            if (is_channel(column) && !column->name[0] && is_plain(column) && rank(column) == level)
                name_by_place(import, names, i);
        }
    }
    for (size_t i = 0; i < import->column_count; i++) {
        if (is_channel(&import->columns[i]) && !import->columns[i].name[0])
            name_by_words(import, names, i);
    }
}

/* wattle's own files and archives have the channels that were read; other tables also have columns of what a machine does not have. */
static bool has_what_was_read(const struct wtl_import *import,
                              const struct wtl_import_column *column)
{
    const struct wtl_import_file *file = &import->files[column->file];
    return file->reader == WTL_IMPORT_OTF2 || strncmp(file->program, "wattle ", 7) == 0;
}

/* Two columns of one place are the same quantity of the same part of the machine: one of them is
 * primary. */
static void choose_primaries(struct wtl_import *import)
{
    for (size_t i = 0; i < import->column_count; i++) {
        struct wtl_import_column *a = &import->columns[i];
        if (a->stats.least == 0 && a->stats.most == 0 && !has_what_was_read(import, a))
            a->primary = false; /* probably no sensor; the total must not become 0 because of it */
        for (size_t k = 0; k < i && a->primary; k++) {
            struct wtl_import_column *b = &import->columns[k];
            if (!b->primary || a->meaning.domain != b->meaning.domain ||
                a->meaning.index != b->meaning.index || a->meaning.sub != b->meaning.sub)
                continue;
            if (rank(a) < rank(b))
                b->primary = false;
            else
                a->primary = false;
        }
    }
}

static int settle_names(struct wtl_import *import, struct wattle_error *err)
{
    struct names names = {.mask = 15};
    while (names.mask < 2 * import->column_count)
        names.mask = names.mask * 2 + 1;
    names.slots = calloc(names.mask + 1, sizeof *names.slots);
    if (!names.slots)
        return wtl_no_memory_for(err, "names");
    name_columns(import, &names);
    choose_primaries(import);
    free(names.slots);
    return 0;
}

/* ---- groups ---- */

static int add_group(struct wtl_import *import,
                     size_t file,
                     bool covered,
                     size_t *ret_group,
                     struct wattle_error *err)
{
    size_t *columns = malloc((import->files[file].column_count + 1) * sizeof *columns);
    if (wtl_grow(&import->groups, import->group_count, sizeof *import->groups) < 0) {
        free(columns);
        columns = NULL;
    }
    if (!columns)
        return wtl_no_memory_for(err, "groups");
    import->groups[import->group_count] =
        (struct wtl_import_group){.file = file, .covered = covered, .columns = columns};
    *ret_group = import->group_count++;
    return 0;
}

/* The usual step of a pattern's rows; 0 if irregular: four of five must be within 20 %. */
static int64_t step_of(const struct wtl_import_pattern *pattern)
{
    double steps[WTL_IMPORT_STEPS];
    size_t n = pattern->step_count, near = 0;
    if (n < 4)
        return 0;
    for (size_t i = 0; i < n; i++)
        steps[i] = (double)pattern->steps[i];
    double middle = wtl_median(steps, n);
    for (size_t i = 0; i < n; i++)
        near += fabs(steps[i] - middle) <= middle / 5;
    return near * 5 >= n * 4 ? llrint(middle) : 0;
}

static int by_rows(const void *a, const void *b)
{
    const struct wtl_import_pattern *x = a, *y = b;
    return (x->rows < y->rows) - (x->rows > y->rows);
}

/* The columns of a file that are in no group yet. */
struct grouping {
    size_t file;
    uint8_t *grouped;      /* by column of the file */
    size_t plain, covered; /* groups of this pass; SIZE_MAX = none yet */
};

/* Put a column into the group of its pass. */
static int group_column(struct wtl_import *import,
                        struct grouping *grouping,
                        size_t i,
                        int64_t step_ns,
                        struct wattle_error *err)
{
    struct wtl_import_file *file = &import->files[grouping->file];
    struct wtl_import_column *column = &import->columns[file->first_column + i];
    bool cover = file->has_cover && column->meaning.kind == WTL_IMPORT_DELTA;
    size_t *group = cover ? &grouping->covered : &grouping->plain;
    int rc = *group == SIZE_MAX ? add_group(import, grouping->file, cover, group, err) : 0;
    if (rc < 0)
        return rc;
    struct wtl_import_group *to = &import->groups[*group];
    to->step_ns = step_ns;
    to->columns[to->count++] = file->first_column + i;
    column->group = *group;
    grouping->grouped[i] = 1;
    return 0;
}

/* Columns that are filled in other rows than the rest get their own group. */
static int group_file(struct wtl_import *import, size_t number, struct wattle_error *err)
{
    struct wtl_import_file *file = &import->files[number];
    struct grouping grouping = {.file = number, .grouped = calloc(file->column_count + 1, 1)};
    if (!grouping.grouped)
        return wtl_no_memory_for(err, "groups");
    wtl_sort(file->patterns, file->pattern_count, sizeof *file->patterns, by_rows);
    int rc = 0;
    for (size_t p = 0; p <= file->pattern_count && rc == 0; p++) {
        /* The last pass takes what is in none of the patterns kept. */
        const struct wtl_import_pattern *pattern =
            p < file->pattern_count ? &file->patterns[p] : NULL;
        grouping.plain = grouping.covered = SIZE_MAX;
        for (size_t i = 0; i < file->column_count && rc == 0; i++) {
            bool here = !pattern || pattern->bits[i / 8] >> (i % 8) & 1;
            if (here && !grouping.grouped[i] &&
                is_channel(&import->columns[file->first_column + i]))
                rc = group_column(import, &grouping, i, pattern ? step_of(pattern) : 0, err);
        }
    }
    free(grouping.grouped);
    return rc;
}

/* Cores by number are parts of their package, not packages: core 3 of the only one is core-0-3. */
static void settle_cores(struct wtl_import *import)
{
    size_t packages = 0, cores = 0;
    for (size_t i = 0; i < import->column_count; i++) {
        const struct wtl_import_column *column = &import->columns[i];
        if (is_channel(column) && is_plain(column)) {
            packages += column->meaning.domain == WATTLE_DOMAIN_PACKAGE;
            cores += column->meaning.domain == WATTLE_DOMAIN_CORE;
        }
    }
    for (size_t i = 0; i < import->column_count && packages > 0; i++) {
        struct wtl_import_column *column = &import->columns[i];
        struct wtl_meaning *meaning = &column->meaning;
        if (!is_channel(column) || column->asked || meaning->by_format || meaning->sensor[0] ||
            meaning->domain != WATTLE_DOMAIN_CORE || !meaning->has_index || meaning->sub >= 0 ||
            cores <= packages)
            continue;
        meaning->sub = meaning->index;
        meaning->index = 0;
    }
}

/* Rows that come in bursts are most likely about several things, such as the GPUs of a node in turns. */
static int check_bursts(struct wtl_import *import,
                        const struct wtl_import_file *file,
                        struct wattle_error *err)
{
    for (size_t p = 0; p < file->pattern_count && !file->format && file->reader == WTL_IMPORT_CSV;
         p++) {
        const struct wtl_import_pattern *pattern = &file->patterns[p];
        size_t n = pattern->step_count, small = 0;
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (double)pattern->steps[i];
        for (size_t i = 0; i < n; i++)
            small += (double)pattern->steps[i] * 20 * (double)n < sum;
        if (n < 8 || small * 4 < n)
            continue;
        if (!import->options->table.assume)
            return wtl_fail(err, -EBADMSG,
                            "%s: the rows come in bursts, so they may be about several things in "
                            "turns; make channels of them with "
                            "--split COLUMN, or say that they are not with --yes",
                            file->path);
        size_t used = strlen(import->assumed);
        (void)snprintf(import->assumed + used, sizeof import->assumed - used,
                       "%sall rows of %.60s are about one thing", used ? ", " : "",
                       wtl_import_file_name(file->path));
    }
    return 0;
}

/* A column without any value of which the file says that it was read: its energy is unknown, and part of the total. */
static bool was_read_in_vain(const struct wtl_import *import,
                             const struct wtl_import_column *column)
{
    const struct wtl_meaning *meaning = &column->meaning;
    return has_what_was_read(import, column) && column->stats.nan + column->stats.empty > 0 &&
           meaning->has_quantity &&
           (meaning->quantity == WATTLE_POWER || meaning->quantity == WATTLE_ENERGY);
}

int wtl_import_settle(struct wtl_import *import, struct wattle_error *err)
{
    size_t channels = 0;
    for (size_t i = 0; i < import->column_count; i++) {
        struct wtl_import_column *column = &import->columns[i];
        if (!is_channel(column))
            continue;
        if (column->stats.good == 0 && !was_read_in_vain(import, column)) {
            column->role = WTL_ROLE_IGNORED;
            column->why =
                column->stats.nan ? "not counted or not supported: no values" : "no values";
            continue;
        }
        channels++;
        int rc = settle_unit(import, column, err);
        rc = rc < 0 ? rc : settle_kind(import, column, err);
        if (rc < 0)
            return rc;
        settle_places(column);
        settle_range(column);
    }
    if (channels == 0)
        return wtl_fail(err, -ENODATA,
                        "%s: no numeric column to import; see the columns with --dry-run --format "
                        "text, and map them with --column",
                        import->files[0].path);
    if (channels > WTL_TRACE_CHANNELS_MAX)
        return wtl_fail(err, -E2BIG,
                        "%zu columns would become channels, but a trace can hold %d; choose "
                        "columns with --only, or skip some with --ignore",
                        channels, WTL_TRACE_CHANNELS_MAX);
    settle_cores(import);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < import->file_count; i++)
        rc = check_bursts(import, &import->files[i], err);
    rc = rc < 0 ? rc : settle_names(import, err);
    for (size_t i = 0; rc == 0 && i < import->file_count; i++)
        rc = group_file(import, i, err);
    return rc;
}
