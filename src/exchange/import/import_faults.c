/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults in the data that the survey can detect. They are reported, not corrected. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/figures.h"
#include "exchange/import/import.h"
#include "exchange/import/import_words.h"
#include "model/bound.h"

/* ---- single columns ---- */

static void find_bad_cells(struct wtl_import *import, size_t number)
{
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_stats *stats = &column->stats;
    if (stats->nan + stats->word == 0)
        return;
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "cells without a value", column->file, (int)number);
    fault->count = stats->nan + stats->word;
    fault->line = stats->first_bad_line;
    (void)snprintf(
        fault->text, sizeof fault->text,
        "has %llu cell%s without a number (%llu NaN or similar, %llu other text), recorded as gaps",
        (unsigned long long)fault->count, fault->count == 1 ? "" : "s",
        (unsigned long long)stats->nan, (unsigned long long)stats->word);
}

/* The highest power that the values of a column stand for; NaN if unknown. */
static double greatest_power(const struct wtl_import_column *column)
{
    const struct wtl_import_stats *stats = &column->stats;
    double every_s = stats->good > 1 ? stats->time_s / (double)(stats->good - 1) : 0;
    if (column->meaning.quantity == WATTLE_POWER)
        return stats->most * column->unit_scale;
    if (column->meaning.kind == WTL_IMPORT_COUNTER)
        return stats->time_s > 0 ? stats->rise_sum * column->unit_scale / stats->time_s
                                 : (double)NAN;
    return every_s > 0 ? stats->most * column->unit_scale / every_s : (double)NAN;
}

/* Below 0, or more or less power than any component of its kind draws: the column is something else, or its
 * unit is. */
static void find_impossible(struct wtl_import *import, size_t number)
{
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_stats *stats = &column->stats;
    const struct wattle_channel channel = {.domain = column->meaning.domain};
    enum wattle_quantity quantity = column->meaning.quantity;
    const char *domain = wattle_domain_name(column->meaning.domain);
    if (stats->good == 0 || (quantity != WATTLE_ENERGY && quantity != WATTLE_POWER))
        return;
    double greatest_w = greatest_power(column), limit_w = wtl_greatest_power_w(&channel);
    double mean_w = quantity == WATTLE_POWER && stats->time_s > 0
                        ? stats->integral / stats->time_s * column->unit_scale
                        : greatest_w;
    double least_w = wtl_import_least_w(column);
    char text[320] = "";
    if (stats->least < 0)
        (void)snprintf(text, sizeof text,
                       "has values down to %.6g: energy and power are never negative, so this is "
                       "another quantity, or some values are wrong",
                       stats->least);
    else if (greatest_w > limit_w)
        (void)snprintf(text, sizeof text,
                       "corresponds to up to %s W, but no %s draws more than %.0f W: the unit or "
                       "meaning of the column is different, or some values are wrong",
                       WTL_IN_FIGURES(greatest_w, 3), domain, limit_w);
    else if (stats->most > 0 && mean_w < least_w)
        (void)snprintf(
            text, sizeof text,
            "corresponds to %s W in the mean, but no %s draws less than %s W: the unit or "
            "meaning of the column is different",
            WTL_IN_FIGURES(mean_w, 3), domain, WTL_IN_FIGURES(least_w, 3));
    if (!*text)
        return;
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "impossible values", column->file, (int)number);
    memcpy(fault->text, text, sizeof fault->text);
    (void)snprintf(fault->remedy, sizeof fault->remedy, "--column '%.100s=NAME:QUANTITY:UNIT:KIND'",
                   column->header);
}

double wtl_import_least_w(const struct wtl_import_column *column)
{
    return !wtl_domain_is_awake(column->meaning.domain)   ? 0
           : column->meaning.domain == WATTLE_DOMAIN_NODE ? 0.2
                                                          : 0.02;
}

/* Temperatures, in whole degrees, and frequencies such as that of the TSC may stand still. */
static bool is_sensor(const struct wtl_import_column *column)
{
    enum wattle_quantity quantity = column->meaning.quantity;
    return quantity == WATTLE_ENERGY || quantity == WATTLE_POWER ||
           (quantity == WATTLE_TEMPERATURE && column->stats.least == 0 && column->stats.most == 0);
}

static void find_stuck(struct wtl_import *import, size_t number)
{
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_stats *stats = &column->stats;
    if (!is_sensor(column) || stats->good < 10)
        return;
    if (stats->least == stats->most) {
        struct wtl_import_fault *fault =
            wtl_import_fault(import, "constant column", column->file, (int)number);
        fault->count = stats->good;
        if (stats->least == 0)
            (void)snprintf(fault->text, sizeof fault->text,
                           "is 0 in all %llu rows: most likely this machine has no such sensor, so "
                           "the value is unknown, not 0",
                           (unsigned long long)stats->good);
        else
            (void)snprintf(fault->text, sizeof fault->text,
                           "is %.10g in all %llu rows: no sensor is constant for so long",
                           stats->least, (unsigned long long)stats->good);
        (void)snprintf(fault->remedy, sizeof fault->remedy, "--ignore '%.100s'", column->header);
        return;
    }
    bool moves = stats->equals < (stats->rises + stats->falls) / 4;
    if (column->meaning.kind != WTL_IMPORT_COUNTER || stats->longest_equal < 10 || !moves)
        return;
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "counter stands still", column->file, (int)number);
    fault->count = stats->longest_equal;
    fault->line = stats->equal_line;
    (void)snprintf(fault->text, sizeof fault->text,
                   "has the same value in %llu consecutive rows, though it changes in most others",
                   (unsigned long long)stats->longest_equal);
}

/* The power of one sensor does not change by 10^3 from one row to the next. A column with such a
 * range by nature has many odd values; one with a mistaken unit has few, or a block of them. */
static void find_mixed_units(struct wtl_import *import, size_t number)
{
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_stats *stats = &column->stats;
    if (column->meaning.quantity != WATTLE_POWER || stats->odd == 0 || stats->least <= 0 ||
        stats->odd * 2 > stats->good)
        return;
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "mixed units", column->file, (int)number);
    fault->count = stats->odd;
    fault->line = stats->odd_line;
    (void)snprintf(
        fault->text, sizeof fault->text,
        "has %llu value%s about 10^%d times as large as the others: the unit seems to be different",
        (unsigned long long)stats->odd, stats->odd == 1 ? "" : "s", stats->odd_power);
}

/* ---- counters that fall ---- */

/* How far the step is from the usual one if it is a wrap of this range, as the logarithm of a factor. */
static double off_by(double range, const struct wtl_import_fall *fall, double rate)
{
    double step = fall->to + range - fall->from, expected = rate * fall->dt_s;
    if (fall->from > range || fall->to < 0 || !(step > 0) || !(expected > 0))
        return INFINITY;
    return fabs(log(step / expected));
}

bool wtl_import_explains(double range, const struct wtl_import_fall *fall, double rate)
{
    return off_by(range, fall, rate) < log(4);
}

double wtl_import_range(const struct wtl_import_column *column,
                        const struct wtl_import_fall *fall,
                        double rate)
{
    /* Known ranges of energy counters, in joules: 32 bits of RAPL's units, the kernel's values for
     * these, 32 bits of uJ and mJ. */
    static const double joules[] = {262144,        65536,        131072,      65712.999613,
                                    262143.328850, 65532.610987, 4294.967296, 4294967.296};
    double best = 0, best_off = log(4);
    double scale = column->meaning.quantity == WATTLE_ENERGY ? column->unit_scale : 1;
    for (size_t i = 0; i < sizeof joules / sizeof *joules + 4; i++) {
        size_t raw = i - sizeof joules / sizeof *joules;
        static const double counts[] = {4294967296.0, 65536.0, 281474976710656.0, 16777216.0};
        double range = i < sizeof joules / sizeof *joules ? joules[i] / scale : counts[raw];
        double off = off_by(range, fall, rate);
        if (off < best_off) {
            best_off = off;
            best = range;
        }
    }
    return best;
}

static void find_falls(struct wtl_import *import, size_t number)
{
    const struct wtl_import_column *column = &import->columns[number];
    const struct wtl_import_stats *stats = &column->stats;
    if (column->meaning.kind != WTL_IMPORT_COUNTER || stats->falls == 0)
        return;
    double rate = stats->time_s > 0 ? stats->rise_sum / stats->time_s : 0;
    uint64_t kept = stats->falls < WTL_IMPORT_FALLS ? stats->falls : WTL_IMPORT_FALLS, wraps = 0;
    double range = column->modulus ? (double)column->modulus * pow(10, -column->places) : 0;
    for (uint64_t i = 0; i < kept; i++)
        wraps += range > 0 && wtl_import_explains(range, &stats->fall[i], rate);
    const struct wtl_import_fall *first = &stats->fall[0];
    bool glitches = !wraps && stats->glitches == stats->falls;
    struct wtl_import_fault *fault = wtl_import_fault(import,
                                                      wraps      ? "counter wraps"
                                                      : glitches ? "counter glitch"
                                                                 : "counter reset",
                                                      column->file, (int)number);
    fault->count = stats->falls;
    fault->line = first->line;
    if (wraps)
        (void)snprintf(fault->text, sizeof fault->text,
                       "decreases %llu times, first from %.12g to %.12g; assuming a counter range "
                       "of %.12g, which explains it, so energy is counted across matching wraps",
                       (unsigned long long)stats->falls, first->from, first->to, range);
    else if (glitches)
        (void)snprintf(
            fault->text, sizeof fault->text,
            "has %llu single value%s off its curve, such as %.12g after %.12g: recorded as gaps",
            (unsigned long long)stats->glitches, stats->glitches == 1 ? "" : "s", first->to,
            first->from);
    else
        (void)snprintf(fault->text, sizeof fault->text,
                       "decreases %llu time%s, first from %.12g to %.12g, and no known counter "
                       "range explains it: the energy there is unknown and recorded as a gap",
                       (unsigned long long)stats->falls, stats->falls == 1 ? "" : "s", first->from,
                       first->to);
}

/* ---- energy against power ---- */

static bool is_late(const struct wtl_import *import, const struct wtl_import_column *column)
{
    for (size_t i = 0; i < import->fault_count; i++) {
        const struct wtl_import_fault *fault = &import->faults[i];
        if (fault->column >= 0 && &import->columns[fault->column] == column &&
            (strcmp(fault->kind, "late column") == 0 || strcmp(fault->kind, "early column") == 0))
            return true;
    }
    return false;
}

static const struct wtl_import_column *power_of(const struct wtl_import *import,
                                                const struct wtl_import_column *energy)
{
    const struct wtl_import_file *file = &import->files[energy->file];
    char stem[128], other[128];
    wtl_import_words_stem(energy->header, stem, sizeof stem);
    for (size_t i = 0; i < file->column_count && i < 4096; i++) {
        const struct wtl_import_column *column = &import->columns[file->first_column + i];
        if (column->role != WTL_ROLE_CHANNEL || column->meaning.quantity != WATTLE_POWER)
            continue;
        wtl_import_words_stem(column->header, other, sizeof other);
        if (strcmp(stem, other) == 0)
            return column;
    }
    return NULL;
}

static void find_disagreement(struct wtl_import *import, size_t number)
{
    const struct wtl_import_column *energy = &import->columns[number];
    const struct wtl_import_column *power =
        energy->meaning.quantity == WATTLE_ENERGY ? power_of(import, energy) : NULL;
    if (!power || energy->stats.good < 4)
        return;
    bool by_row = energy->meaning.kind == WTL_IMPORT_DELTA;
    double counted = (by_row ? energy->stats.sum - energy->stats.first : energy->stats.rise_sum) *
                     energy->unit_scale;
    double joules = power->stats.integral * power->unit_scale;
    double ratio = joules / counted;
    /* The effect of a late column on the sum is reported with it. */
    double most = is_late(import, power) || is_late(import, energy) ? 1.5 : 1.1;
    if (!(counted > 0) || !(joules > 0) || fabs(log(ratio)) < log(most))
        return;
    static const struct {
        double ratio;
        const char *why;
    } units[] = {{1e3, "kilo"}, {1e6, "mega"}, {3600, "Wh for J"}, {3.6e6, "kWh for J"}};
    const char *why = NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (fabs(fabs(log(ratio)) - log(units[i].ratio)) < 0.1)
            why = units[i].why;
    }
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "energy and power disagree", energy->file, (int)number);
    (void)snprintf(fault->text, sizeof fault->text,
                   "counts %.6g J but \"%.60s\" x time is %.6g J, %s times as much%s%s%s", counted,
                   power->header, joules, WTL_IN_FIGURES(ratio, 4),
                   why ? " (a mistaken unit: " : "", why ? why : "", why ? ")" : "");
}

/* ---- files ---- */

static void tell_losses(struct wtl_import *import, size_t number)
{
    const struct wtl_import_file *file = &import->files[number];
    const struct wtl_table_losses *losses = &file->losses;
    uint64_t rows = losses->short_rows + losses->long_rows + losses->bad_times;
    if (rows > 0) {
        struct wtl_import_fault *fault = wtl_import_fault(import, "rows left out", number, -1);
        fault->count = rows;
        fault->line = losses->first_line;
        (void)snprintf(fault->text, sizeof fault->text,
                       "skipped %llu rows: %llu too short, %llu too long, %llu without a time",
                       (unsigned long long)rows, (unsigned long long)losses->short_rows,
                       (unsigned long long)losses->long_rows,
                       (unsigned long long)losses->bad_times);
    }
    if (file->back + file->repeated == 0)
        return;
    struct wtl_import_fault *fault = wtl_import_fault(import, "time goes back", number, -1);
    fault->count = file->back + file->repeated;
    fault->line = file->first_disorder_line;
    (void)snprintf(fault->text, sizeof fault->text,
                   "skipped %llu rows: the time decreases in %llu and is repeated in %llu",
                   (unsigned long long)fault->count, (unsigned long long)file->back,
                   (unsigned long long)file->repeated);
}

/* Faults found by the format's reader. */
static void tell_notes(struct wtl_import *import, size_t number)
{
    const struct wtl_import_table *table = import->files[number].table;
    for (size_t i = 0; table && i < table->note_count; i++) {
        const struct wtl_import_note *note = &table->notes[i];
        struct wtl_import_fault *fault = wtl_import_fault(import, note->kind, number, -1);
        fault->line = note->line;
        fault->count = note->count;
        (void)snprintf(fault->text, sizeof fault->text, "%s", note->text);
    }
}

static int too_much(const struct wtl_import *import,
                    const struct wtl_import_file *file,
                    const char *what,
                    uint64_t lost,
                    uint64_t all,
                    double most,
                    struct wattle_error *err)
{
    (void)import;
    return wtl_fail(err, -EBADMSG,
                    "%s: --lenient would leave out %llu of %llu %s, more than %s %%; allow it "
                    "with --most-lost",
                    file->path, (unsigned long long)lost, (unsigned long long)all, what,
                    WTL_IN_FIGURES(100 * most, 3));
}

/* --lenient leaves out a few rows, not a file. */
static int check_losses(struct wtl_import *import, struct wattle_error *err)
{
    double most = import->options->most_lost > 0 ? import->options->most_lost : 0.05;
    for (size_t i = 0; i < import->file_count; i++) {
        const struct wtl_import_file *file = &import->files[i];
        const struct wtl_table_losses *losses = &file->losses;
        uint64_t lost = losses->short_rows + losses->long_rows + losses->bad_times + file->back +
                        file->repeated;
        if ((double)lost > most * (double)(lost + file->rows) && lost > 1)
            return too_much(import, file, "rows", lost, lost + file->rows, most, err);
    }
    for (size_t i = 0; i < import->column_count; i++) {
        const struct wtl_import_column *column = &import->columns[i];
        uint64_t all = column->stats.word + column->stats.good;
        if (column->role == WTL_ROLE_CHANNEL && (double)column->stats.word > most * (double)all &&
            column->stats.word > 1)
            return too_much(import, &import->files[column->file], "cells of a column",
                            column->stats.word, all, most, err);
    }
    return 0;
}

int wtl_import_find_faults(struct wtl_import *import, struct wattle_error *err)
{
    int rc = check_losses(import, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < import->file_count; i++)
        tell_losses(import, i);
    for (size_t i = 0; i < import->file_count; i++)
        tell_notes(import, i);
    for (size_t i = 0; i < import->column_count; i++) {
        if (import->columns[i].role != WTL_ROLE_CHANNEL)
            continue;
        find_bad_cells(import, i);
        find_impossible(import, i);
        find_stuck(import, i);
        find_mixed_units(import, i);
        find_falls(import, i);
    }
    wtl_import_pairs_judge(import);
    for (size_t i = 0; i < import->column_count; i++) {
        if (import->columns[i].role == WTL_ROLE_CHANNEL)
            find_disagreement(import, i);
    }
    return 0;
}
