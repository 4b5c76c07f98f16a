/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares columns: is one late by a row or two, do two count the same? For each pair of up to 32
 * series and each lag of -2 .. 2 rows the sums of a correlation are kept, over the first 65536
 * rows. An energy is two series, as a counter (growth by time) and as counted per row; the survey
 * decides which one is used.
 *
 * Late: at the best lag the correlation r leaves at most a third of the variance unexplained that
 * it leaves at lag 0, and half the logarithm of that ratio (Fisher's z of two variances) is more
 * than 3.3 of its standard deviations, sqrt((1 / v + 1 / w) / 2), from 0. v = n - 2; w the same
 * with n reduced for the autocorrelation of both series, n (1 - ab) / (1 + ab), where a and b are
 * their lag-1 autocorrelations (Bartlett): the residual at a wrong lag is not noise.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/import/import.h"

enum { SERIES = 32, LAGS = 2, WIDTH = 2 * LAGS + 1, ROWS = 65536, LEAST_ROWS = 8 };

struct sums {
    double n, x, y, xx, yy, xy, equal;
};

struct series {
    size_t column;         /* in the import's list */
    bool by_row;           /* an energy counted per row */
    double ring[LAGS + 1]; /* newest first */
    double origin;         /* subtracted, to keep sums precise */
    bool has_origin;
    double last, last_raw;
    int64_t last_ns;
    struct sums self; /* with itself one row earlier */
};

struct wtl_import_pairs {
    struct series series[SERIES];
    size_t count;
    uint64_t rows;
    struct sums sums[SERIES * (SERIES - 1) / 2][WIDTH];
};

static size_t number_of(size_t i, size_t k) /* i > k */
{
    return i * (i - 1) / 2 + k;
}

/* ---- selection ---- */

static bool is_watched(const struct wtl_import_column *column, int turn)
{
    const struct wtl_meaning *meaning = &column->meaning;
    bool energy = meaning->has_quantity &&
                  (meaning->quantity == WATTLE_ENERGY || meaning->quantity == WATTLE_POWER);
    bool ratio = meaning->has_quantity && meaning->quantity == WATTLE_RATIO;
    return column->role == WTL_ROLE_CHANNEL && (turn == 0   ? energy
                                                : turn == 1 ? ratio
                                                            : !energy && !ratio);
}

static void add_series(struct wtl_import_pairs *pairs, size_t column, bool by_row)
{
    struct series *series = &pairs->series[pairs->count++];
    *series = (struct series){.column = column, .by_row = by_row, .last = (double)NAN};
    for (int i = 0; i <= LAGS; i++)
        series->ring[i] = (double)NAN;
}

static int begin(struct wtl_import *import)
{
    struct wtl_import_pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return -ENOMEM;
    for (int turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < import->column_count && pairs->count + 1 < SERIES; i++) {
            const struct wtl_import_column *column = &import->columns[i];
            if (!is_watched(column, turn))
                continue;
            add_series(pairs, i, false);
            if (column->meaning.quantity == WATTLE_ENERGY && column->meaning.has_quantity)
                add_series(pairs, i, true);
        }
    }
    import->pairs = pairs;
    return 0;
}

/* ---- rows ---- */

static void push(struct series *series, double value)
{
    memmove(series->ring + 1, series->ring, LAGS * sizeof *series->ring);
    series->ring[0] = value;
}

static void add_sum(struct sums *sums, double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    sums->n++;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->yy += y * y;
    sums->xy += x * y;
}

/* The series' value in this row; NaN if there is none. */
static double value_of(const struct wtl_import *import,
                       struct series *series,
                       const struct wtl_import_row *row)
{
    const struct wtl_import_column *column = &import->columns[series->column];
    if (column->number >= row->count || row->cells[column->number].form != WTL_CELL_GOOD)
        return (double)NAN;
    double raw = wtl_decimal_value(row->cells[column->number].value), value = raw;
    double dt = (double)(row->time_ns - series->last_ns);
    bool energy = column->meaning.quantity == WATTLE_ENERGY && column->meaning.has_quantity;
    bool first = !isfinite(series->last);
    if (energy && series->by_row)
        value = row->cover_ns > 0 ? raw / (double)row->cover_ns : first ? (double)NAN : raw / dt;
    else if (energy)
        value = first || raw < series->last_raw ? (double)NAN : (raw - series->last_raw) / dt;
    series->last = raw;
    series->last_raw = raw;
    series->last_ns = row->time_ns;
    return value;
}

static void compare(struct wtl_import_pairs *pairs, size_t i, size_t k)
{
    const struct series *a = &pairs->series[i], *b = &pairs->series[k];
    struct sums *sums = pairs->sums[number_of(i, k)];
    for (int lag = -LAGS; lag <= LAGS; lag++) {
        /* lag > 0: a shows now what b showed earlier, so a is late. */
        double x = (lag < 0 ? a->ring[-lag] : a->ring[0]) - a->origin;
        double y = (lag > 0 ? b->ring[lag] : b->ring[0]) - b->origin;
        add_sum(&sums[lag + LAGS], x, y);
    }
    sums[LAGS].equal += a->ring[0] == b->ring[0];
}

/* The series of a file get the values of its row. */
static void take_values(const struct wtl_import *import, const struct wtl_import_file *file)
{
    struct wtl_import_pairs *pairs = import->pairs;
    for (size_t i = 0; i < pairs->count; i++) {
        struct series *series = &pairs->series[i];
        if (&import->files[import->columns[series->column].file] != file)
            continue;
        push(series, value_of(import, series, &file->row));
        if (!series->has_origin && isfinite(series->ring[0])) {
            series->origin = series->ring[0];
            series->has_origin = true;
        }
        add_sum(&series->self, series->ring[0] - series->origin, series->ring[1] - series->origin);
    }
}

/* Rows of equal times come in file order: the second of the two completes a pair. */
static bool completes(const struct wtl_import *import, size_t a, size_t b, size_t number)
{
    int64_t now_ns = import->files[number].given_ns;
    return (a == number || b == number) && a <= number && b <= number &&
           import->files[a].given_ns == now_ns && import->files[b].given_ns == now_ns;
}

int wtl_import_pairs_row(struct wtl_import *import, const struct wtl_import_file *file)
{
    if (!import->pairs && begin(import) < 0)
        return -ENOMEM;
    struct wtl_import_pairs *pairs = import->pairs;
    size_t number = (size_t)(file - import->files);
    if (pairs->rows >= ROWS)
        return 0;
    pairs->rows++;
    take_values(import, file);
    for (size_t i = 0; i < pairs->count; i++) {
        size_t file_i = import->columns[pairs->series[i].column].file;
        for (size_t k = 0; k < i; k++) {
            if (completes(import, file_i, import->columns[pairs->series[k].column].file, number))
                compare(pairs, i, k);
        }
    }
    return 0;
}

/* ---- verdicts ---- */

static double correlation(const struct sums *s)
{
    double vx = s->xx - s->x * s->x / s->n, vy = s->yy - s->y * s->y / s->n;
    if (s->n < LEAST_ROWS || !(vx > 1e-12 * s->xx) || !(vy > 1e-12 * s->yy))
        return (double)NAN;
    double r = (s->xy - s->x * s->y / s->n) / sqrt(vx * vy);
    return fmax(-1, fmin(1, r));
}

/* Is this the series that the column turned out to be? */
static bool is_chosen(const struct wtl_import *import, const struct series *series)
{
    const struct wtl_import_column *column = &import->columns[series->column];
    if (column->role != WTL_ROLE_CHANNEL)
        return false;
    if (column->meaning.quantity != WATTLE_ENERGY)
        return true;
    return series->by_row == (column->meaning.kind == WTL_IMPORT_DELTA);
}

static bool is_energy(const struct wtl_import *import, const struct series *series)
{
    enum wattle_quantity quantity = import->columns[series->column].meaning.quantity;
    return quantity == WATTLE_ENERGY || quantity == WATTLE_POWER;
}

struct late {
    int lag; /* > 0: i is late relative to k; 0 = neither, or unknown */
    double r, r0, confidence;
};

static struct late lateness_of(const struct wtl_import_pairs *pairs, size_t i, size_t k)
{
    const struct sums *sums = pairs->sums[number_of(i, k)];
    struct late late = {.r0 = correlation(&sums[LAGS]), .r = -1};
    for (int lag = -LAGS; lag <= LAGS; lag++) {
        double r = correlation(&sums[lag + LAGS]);
        if (lag != 0 && r > late.r) {
            late.r = r;
            late.lag = lag;
        }
    }
    /* Columns that share no rows, such as those of several GPUs, have no r0 and are not late. */
    double r0 = late.r0;
    double a = correlation(&pairs->series[i].self), b = correlation(&pairs->series[k].self);
    double ab = isfinite(a) && isfinite(b) ? fmax(0, fmin(0.99, a * b)) : 0;
    double v = fmax(1, sums[LAGS].n - 2), w = fmax(1, sums[LAGS].n * (1 - ab) / (1 + ab) - 2);
    double ratio = fmax(1e-9, 1 - r0 * r0) / fmax(1e-9, 1 - late.r * late.r);
    double deviations = 0.5 * log(ratio) / sqrt((1 / v + 1 / w) / 2);
    late.confidence = erf(deviations / sqrt(2));
    if (!isfinite(r0) || !(late.r > 0.7) || ratio < 3 || deviations < 3.3)
        late.lag = 0;
    return late;
}

/* The column that disagrees in time with most others, and how. */
struct vote {
    size_t series;
    int lag;
    size_t pairs, against; /* pairs that say so; all pairs compared with it */
    size_t best;           /* the other series of the clearest pair */
    struct late late;
};

static struct vote vote_for(const struct wtl_import *import,
                            const bool *done,
                            size_t series,
                            int lag)
{
    const struct wtl_import_pairs *pairs = import->pairs;
    struct vote vote = {.series = series, .lag = lag};
    for (size_t k = 0; k < pairs->count; k++) {
        if (k == series || done[k] || !is_chosen(import, &pairs->series[k]) ||
            pairs->series[k].column == pairs->series[series].column)
            continue;
        struct late late =
            series > k ? lateness_of(pairs, series, k) : lateness_of(pairs, k, series);
        int seen = series > k ? late.lag : -late.lag;
        vote.against += isfinite(late.r0) ? 1 : 0;
        if (seen != lag || !is_energy(import, &pairs->series[series]))
            continue;
        if (vote.pairs == 0 || late.r > vote.late.r) {
            vote.late = late;
            vote.best = k;
        }
        vote.pairs++;
    }
    return vote;
}

static void tell_late(struct wtl_import *import, const struct vote *vote)
{
    const struct series *series = &import->pairs->series[vote->series];
    const struct wtl_import_column *column = &import->columns[series->column];
    const struct wtl_import_column *other =
        &import->columns[import->pairs->series[vote->best].column];
    struct wtl_import_fault *fault = wtl_import_fault(
        import, vote->lag > 0 ? "late column" : "early column", column->file, (int)series->column);
    int rows = abs(vote->lag);
    fault->count = (uint64_t)rows;
    fault->confidence = fmin(vote->late.confidence, 0.999);
    (void)snprintf(fault->text, sizeof fault->text,
                   "is %s by %d row%s relative to \"%.60s\": the correlation is %.4f if shifted "
                   "and %.4f as recorded; %zu of %zu columns agree",
                   vote->lag > 0 ? "late" : "early", rows, rows == 1 ? "" : "s", other->header,
                   vote->late.r, vote->late.r0, vote->pairs, vote->against);
    (void)snprintf(fault->remedy, sizeof fault->remedy, "--shift '%.100s=%+drow%s'", column->header,
                   -vote->lag, rows == 1 ? "" : "s");
}

static void find_late(struct wtl_import *import)
{
    struct wtl_import_pairs *pairs = import->pairs;
    bool done[SERIES] = {false};
    for (size_t turn = 0; turn < pairs->count; turn++) {
        struct vote best = {.pairs = 0};
        for (size_t i = 0; i < pairs->count; i++) {
            if (done[i] || !is_chosen(import, &pairs->series[i]))
                continue;
            for (int lag = -LAGS; lag <= LAGS; lag++) {
                struct vote vote = lag ? vote_for(import, done, i, lag) : best;
                /* If only two disagree, a late power is more likely than an early energy. */
                bool more =
                    vote.pairs > best.pairs || (lag && vote.pairs == best.pairs && vote.pairs > 0 &&
                                                vote.lag > 0 && best.lag < 0);
                if (lag && more)
                    best = vote;
            }
        }
        if (best.pairs == 0)
            return;
        tell_late(import, &best);
        done[best.series] = true;
    }
}

/* ---- duplicates ---- */

static void tell_equal(struct wtl_import *import, size_t a, size_t b, double r)
{
    const struct wtl_import_column *one = &import->columns[a], *two = &import->columns[b];
    const struct wtl_import_column *later = a > b ? one : two, *earlier = a > b ? two : one;
    struct wtl_import_fault *fault =
        wtl_import_fault(import, "duplicate", later->file, (int)(a > b ? a : b));
    bool same = r >= 1;
    if (!same)
        fault->confidence = 0.99;
    (void)snprintf(
        fault->text, sizeof fault->text,
        same ? "has the same values as \"%.60s\"%s%.60s in all rows compared: the same sensor "
               "twice, so a sum would count it twice"
             : "agrees with \"%.60s\"%s%.60s within 0.1 %% (correlation %.6f): most likely the "
               "same sensor twice, so a sum would count it twice",
        earlier->header, later->file != earlier->file ? " of " : "",
        later->file != earlier->file ? wtl_import_file_name(import->files[earlier->file].path) : "",
        r);
    (void)snprintf(fault->remedy, sizeof fault->remedy, "--ignore '%.100s'", later->header);
    if (later->file != earlier->file)
        (void)snprintf(fault->remedy, sizeof fault->remedy, "--ignore '%.80s::%.60s'",
                       wtl_import_file_name(import->files[later->file].path), later->header);
}

static void find_equal(struct wtl_import *import)
{
    struct wtl_import_pairs *pairs = import->pairs;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct series *a = &pairs->series[i];
        bool told = false; /* of three equal columns, each is reported once */
        for (size_t k = 0; k < i && !told; k++) {
            const struct series *b = &pairs->series[k];
            const struct sums *s = &pairs->sums[number_of(i, k)][LAGS];
            const struct wtl_import_column *x = &import->columns[a->column];
            const struct wtl_import_column *y = &import->columns[b->column];
            double r = correlation(s);
            if (!is_chosen(import, a) || !is_chosen(import, b) || !isfinite(r) ||
                x->meaning.quantity != y->meaning.quantity || a->by_row != b->by_row)
                continue;
            double mean_x = (s->x / s->n + a->origin) * x->unit_scale;
            double mean_y = (s->y / s->n + b->origin) * y->unit_scale;
            double slope = sqrt((s->xx - s->x * s->x / s->n) / (s->yy - s->y * s->y / s->n)) *
                           x->unit_scale / y->unit_scale;
            told = s->equal == s->n;
            if (told)
                tell_equal(import, a->column, b->column, 1);
            else if (is_energy(import, a) && r > 0.99999 && fabs(slope - 1) < 1e-3 &&
                     fabs(mean_x / mean_y - 1) < 1e-3)
                tell_equal(import, a->column, b->column, fmin(r, 0.999999));
        }
    }
}

void wtl_import_pairs_judge(struct wtl_import *import)
{
    if (!import->pairs)
        return;
    find_equal(import);
    find_late(import);
}

void wtl_import_pairs_free(struct wtl_import_pairs *pairs)
{
    free(pairs);
}
