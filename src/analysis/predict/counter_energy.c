/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Power from counters: see counter_energy.h. Ridge regression on standardised rates and their square roots. How strong the
 * ridge is and whether the roots are used is decided on parts that are held out in turn: whole traces if there are three or
 * more, else eighths of the time. The sums of each part are kept, so that leaving one out is a subtraction.
 */
#include "analysis/predict/counter_energy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/statistics/student.h"

enum { TERMS = 2 * WTL_ROW_COLUMNS + 1, BLOCKS = 8, PARTS_MAX = 64, ROWS_PER_TERM = 4 };

static const double ridges[] = {1e-6, 1e-4, 1e-3, 1e-2, 1e-1};
static const double outside_margin = 0.25, outside_most = 0.1;

/* Sums over the rows of one part; term 0 is 1. */
struct part {
    double rows, seconds, gram[TERMS][TERMS], power[TERMS], squares;
};

struct fit {
    const struct wtl_counter_rows *const *traces;
    size_t trace_count, columns, rows, parts;
    double mean[TERMS], sd[TERMS]; /* of each term; sd 0: constant */
    struct part *part;             /* [parts], then their sum */
};

/* ---- rows ---- */

static bool whole(const struct wtl_counter_rows *rows, size_t k)
{
    if (!isfinite(rows->power_w[k]))
        return false;
    for (size_t c = 0; c < rows->columns; c++) {
        if (!isfinite(rows->rate[k * rows->columns + c]))
            return false;
    }
    return true;
}

/* The terms of a row, before they are standardised. */
static void terms_of(const double *rate, size_t columns, double *term)
{
    term[0] = 1;
    for (size_t c = 0; c < columns; c++) {
        term[1 + c] = rate[c];
        term[1 + columns + c] = sqrt(fmax(rate[c], 0));
    }
}

/* Call visit() for each row that has everything, with the number of its part. */
typedef void visit_row(struct fit *f,
                       const double *term,
                       double power_w,
                       double seconds,
                       size_t part);

static void visit_rows(struct fit *f, visit_row *visit)
{
    size_t seen = 0;
    double term[TERMS];
    for (size_t t = 0; t < f->trace_count; t++) {
        const struct wtl_counter_rows *rows = f->traces[t];
        for (size_t k = 0; k < rows->rows; k++) {
            if (!whole(rows, k))
                continue;
            size_t part = f->trace_count >= 3 ? t % f->parts
                          : f->rows > 0       ? seen * f->parts / f->rows
                                              : 0;
            terms_of(&rows->rate[k * rows->columns], f->columns, term);
            visit(f, term, rows->power_w[k], (double)rows->step_ns / 1e9, part);
            seen++;
        }
    }
    f->rows = seen;
}

/* Welford, since rates are large and may differ little. */
static void learn_scale(struct fit *f,
                        const double *term,
                        double power_w,
                        double seconds,
                        size_t part)
{
    (void)power_w, (void)seconds, (void)part;
    f->part[0].rows++;
    for (size_t i = 1; i <= 2 * f->columns; i++) {
        double off = term[i] - f->mean[i];
        f->mean[i] += off / f->part[0].rows;
        f->sd[i] += off * (term[i] - f->mean[i]);
    }
}

static void add_row(struct fit *f, const double *term, double power_w, double seconds, size_t part)
{
    struct part *p = &f->part[part];
    double x[TERMS] = {1};
    for (size_t i = 1; i <= 2 * f->columns; i++)
        x[i] = f->sd[i] > 0 ? (term[i] - f->mean[i]) / f->sd[i] : 0;
    for (size_t i = 0; i <= 2 * f->columns; i++) {
        for (size_t k = 0; k <= i; k++)
            p->gram[i][k] += x[i] * x[k];
        p->power[i] += x[i] * power_w;
    }
    p->squares += power_w * power_w;
    p->rows++;
    p->seconds += seconds;
}

static void sum_parts(struct fit *f, size_t without, struct part *sum)
{
    memset(sum, 0, sizeof *sum);
    for (size_t i = 0; i < f->parts; i++) {
        const struct part *p = &f->part[i];
        if (i == without)
            continue;
        sum->rows += p->rows;
        sum->seconds += p->seconds;
        sum->squares += p->squares;
        for (size_t a = 0; a < TERMS; a++) {
            sum->power[a] += p->power[a];
            for (size_t b = 0; b <= a; b++)
                sum->gram[a][b] += p->gram[a][b];
        }
    }
}

/* ---- regression ---- */

/* Least squares with a ridge on all terms but the first; terms that are constant get 0. */
static void solve(const struct part *p, size_t terms, double ridge, double *w)
{
    double l[TERMS][TERMS];
    for (size_t i = 0; i < terms; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum = p->gram[i][k] + (i == k && i > 0 ? ridge * p->rows + 1e-9 : 0);
            for (size_t j = 0; j < k; j++)
                sum -= l[i][j] * l[k][j];
            l[i][k] = i == k ? sqrt(fmax(sum, 1e-12)) : sum / l[k][k];
        }
    }
    for (size_t i = 0; i < terms; i++) {
        w[i] = p->power[i];
        for (size_t k = 0; k < i; k++)
            w[i] -= l[i][k] * w[k];
        w[i] /= l[i][i];
    }
    for (size_t i = terms; i-- > 0;) {
        for (size_t k = i + 1; k < terms; k++)
            w[i] -= l[k][i] * w[k];
        w[i] /= l[i][i];
    }
}

struct held_out {
    double squares, rows;   /* of the errors of rows */
    double relative, parts; /* squares of the relative errors of the parts' sums */
};

static void test_held_out(const struct part *p, size_t terms, const double *w, struct held_out *h)
{
    double squares = p->squares, sum = -p->power[0];
    for (size_t i = 0; i < terms; i++) {
        squares -= 2 * w[i] * p->power[i];
        sum += w[i] * p->gram[i][0];
        for (size_t k = 0; k < terms; k++)
            squares += w[i] * w[k] * (k <= i ? p->gram[i][k] : p->gram[k][i]);
    }
    h->squares += fmax(squares, 0);
    h->rows += p->rows;
    if (p->rows > 0 && p->power[0] > 0) {
        h->relative += sum / p->power[0] * (sum / p->power[0]);
        h->parts++;
    }
}

static struct held_out hold_out(struct fit *f, size_t terms, double ridge)
{
    struct held_out h = {0, 0, 0, 0};
    struct part rest;
    double w[TERMS];
    for (size_t i = 0; i < f->parts; i++) {
        sum_parts(f, i, &rest);
        solve(&rest, terms, ridge, w);
        test_held_out(&f->part[i], terms, w, &h);
    }
    return h;
}

static void store(const struct fit *f, const double *w, size_t terms, struct wtl_counter_energy *m)
{
    m->base_w = w[0];
    for (size_t i = 1; i < terms; i++) {
        double slope = f->sd[i] > 0 ? w[i] / f->sd[i] : 0;
        m->base_w -= slope * f->mean[i];
        if (i <= f->columns)
            m->weight[i - 1] = slope;
        else
            m->root[i - 1 - f->columns] = slope;
    }
}

static void choose(struct fit *f, struct wtl_counter_energy *m)
{
    struct held_out best = {INFINITY, 1, 0, 0};
    size_t terms = 0;
    double ridge = 0, w[TERMS];
    struct part all;
    for (int roots = 0; roots < 2; roots++) {
        size_t wanted = 1 + (roots ? 2 : 1) * f->columns;
        for (size_t i = 0; i < sizeof ridges / sizeof *ridges; i++) {
            struct held_out h = hold_out(f, wanted, ridges[i]);
            if (h.squares >= best.squares * (roots && terms < wanted ? 0.98 : 1))
                continue;
            best = h;
            terms = wanted;
            ridge = ridges[i];
        }
    }
    sum_parts(f, f->parts, &all);
    solve(&all, terms, ridge, w);
    store(f, w, terms, m);
    m->row_w = best.rows > 0 ? sqrt(best.squares / best.rows) : 0;
    m->error = best.parts > 0 ? sqrt(best.relative / best.parts) : 0;
    m->error_df = best.parts > 1 ? best.parts - 1 : 1;
    m->learnt_s = all.seconds;
}

/* ---- learning ---- */

static int check(const struct wtl_counter_rows *const *traces,
                 size_t count,
                 struct wattle_error *err)
{
    if (count == 0)
        return wtl_fail(err, -ENODATA, "there are no traces to learn power from");
    for (size_t t = 1; t < count; t++) {
        bool same = traces[t]->columns == traces[0]->columns;
        for (size_t c = 0; same && c < traces[0]->columns; c++)
            same = strcmp(traces[t]->names[c], traces[0]->names[c]) == 0;
        if (!same)
            return wtl_fail(err, -EINVAL,
                            "the traces have different counters; learn power from traces that were "
                            "recorded with one counter set");
    }
    return 0;
}

static void see_range(const struct fit *f, struct wtl_counter_energy *m)
{
    for (size_t c = 0; c < m->columns; c++) {
        m->low[c] = INFINITY;
        m->high[c] = -INFINITY;
    }
    for (size_t t = 0; t < f->trace_count; t++) {
        const struct wtl_counter_rows *rows = f->traces[t];
        for (size_t k = 0; k < rows->rows; k++) {
            for (size_t c = 0; whole(rows, k) && c < m->columns; c++) {
                m->low[c] = fmin(m->low[c], rows->rate[k * m->columns + c]);
                m->high[c] = fmax(m->high[c], rows->rate[k * m->columns + c]);
            }
        }
    }
}

static int scale_terms(struct fit *f, struct wattle_error *err)
{
    size_t varying = 0;
    visit_rows(f, learn_scale);
    if (f->rows < ROWS_PER_TERM * (f->columns + 1) || f->rows < 2 * BLOCKS)
        return wtl_fail(
            err, -ENODATA,
            "only %zu rows have counters and power, and %zu counters need at least %zu; "
            "record longer runs",
            f->rows, f->columns, (size_t)ROWS_PER_TERM * (f->columns + 1));
    for (size_t i = 1; i <= 2 * f->columns; i++) {
        f->sd[i] = sqrt(f->sd[i] / (double)f->rows);
        if (!(f->sd[i] > 1e-9 * fabs(f->mean[i])))
            f->sd[i] = 0;
        varying += f->sd[i] > 0;
    }
    return varying > 0 ? 0
                       : wtl_fail(err, -ENODATA,
                                  "no counter changes in these traces, so power cannot be learnt "
                                  "from them");
}

int wtl_counter_energy_learn(const struct wtl_counter_rows *const *traces,
                             size_t count,
                             struct wtl_counter_energy *ret_model,
                             struct wattle_error *err)
{
    struct wtl_counter_energy m = {0};
    int rc = check(traces, count, err);
    if (rc < 0)
        return rc;
    struct fit f = {.traces = traces, .trace_count = count, .columns = traces[0]->columns};
    f.parts = count < 3 ? BLOCKS : count < PARTS_MAX ? count : PARTS_MAX;
    f.part = calloc(f.parts + 1, sizeof *f.part);
    if (!f.part)
        return wtl_no_memory(err);
    rc = scale_terms(&f, err);
    if (rc == 0) {
        memset(f.part, 0, (f.parts + 1) * sizeof *f.part);
        visit_rows(&f, add_row);
        m.columns = f.columns;
        for (size_t c = 0; c < m.columns; c++)
            memcpy(m.names[c], traces[0]->names[c], sizeof m.names[c]);
        choose(&f, &m);
        see_range(&f, &m);
        *ret_model = m;
    }
    free(f.part);
    return rc;
}

/* ---- use ---- */

static int map_columns(const struct wtl_counter_energy *m,
                       const struct wtl_counter_rows *rows,
                       size_t column[WTL_ROW_COLUMNS],
                       struct wattle_error *err)
{
    if (m->columns == 0)
        return wtl_fail(err, -ENODATA,
                        "the model has no power by counters; learn it from traces with a meter");
    for (size_t c = 0; c < m->columns; c++) {
        size_t k = 0;
        while (k < rows->columns && strcmp(rows->names[k], m->names[c]) != 0)
            k++;
        if (k == rows->columns)
            return wtl_fail(err, -EINVAL,
                            "the trace has no counter %s, which the power of the model depends on; "
                            "record it with the counter set of the model",
                            m->names[c]);
        column[c] = k;
    }
    return 0;
}

/* NaN: a counter is missing. */
static double power_of(const struct wtl_counter_energy *m,
                       const double *rate,
                       const size_t *column,
                       bool *ret_outside)
{
    double watts = m->base_w;
    *ret_outside = false;
    for (size_t c = 0; c < m->columns; c++) {
        double x = rate[column[c]], margin = outside_margin * (m->high[c] - m->low[c]);
        watts += m->weight[c] * x + m->root[c] * sqrt(fmax(x, 0));
        if (x < m->low[c] - margin || x > m->high[c] + margin)
            *ret_outside = m->weight[c] != 0 || m->root[c] != 0 || *ret_outside;
    }
    return fmax(watts, 0) + (watts - watts); /* NaN and infinity stay */
}

int wtl_counter_energy_estimate(const struct wtl_counter_energy *m,
                                const struct wtl_counter_rows *rows,
                                double *power_w,
                                struct wtl_counter_energy_sum *ret_sum,
                                struct wattle_error *err)
{
    size_t column[WTL_ROW_COLUMNS] = {0};
    struct wtl_counter_energy_sum s = {0};
    double outside_s = 0;
    int rc = map_columns(m, rows, column, err);
    if (rc < 0)
        return rc;
    for (size_t k = 0; k < rows->rows; k++) {
        bool outside;
        double watts = power_of(m, &rows->rate[k * rows->columns], column, &outside);
        double seconds =
            (double)(wtl_counter_rows_end(rows, k) - wtl_counter_rows_begin(rows, k)) / 1e9;
        if (power_w)
            power_w[k] = isfinite(watts) ? watts : NAN;
        if (!isfinite(watts)) {
            s.missing_s += seconds;
            continue;
        }
        s.energy_j += watts * seconds;
        s.known_s += seconds;
        outside_s += outside ? seconds : 0;
    }
    if (!(s.known_s > 0))
        return wtl_fail(err, -ENODATA, "no row of the trace has all the counters of the model");
    s.outside = outside_s / s.known_s;
    if (s.outside > outside_most)
        return wtl_fail(
            err, -ERANGE,
            "counters are far outside of what the model was learnt from for %.0f %% of "
            "the time, so energy cannot be derived from them; learn from runs like this "
            "one",
            100 * s.outside);
    double half = wtl_student_quantile(0.975, m->error_df) * m->error * s.energy_j +
                  1.96 * m->row_w * sqrt(s.known_s * (double)rows->step_ns / 1e9);
    if (!isfinite(s.energy_j) || !isfinite(half)) /* only numbers that nobody measured */
        return wtl_fail(err, -ERANGE,
                        "the power that the model has for its counters is too large to be true; "
                        "learn the model again");
    s.low_j = fmax(s.energy_j - half, 0);
    s.high_j = s.energy_j + half;
    *ret_sum = s;
    return 0;
}
