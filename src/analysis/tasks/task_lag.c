/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lag of a sensor (task_lag.h): least squares of its power on the numbers of active tasks, for many lags: a coarse search, then
 * steps that halve, of the lag at the ends of the recording.
 */
#include "analysis/tasks/task_lag.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/task_cover.h"
#include "analysis/tasks/task_fit.h"
#include "model/statistics/quantile.h"

static const double NS = 1e-9;

/* The logarithm of the residuals must fall by this, times the number of rows: chance does so with 1 in 3000. */
static const double gain_least = 16;
/* What it explains in the parts of the recording is this many standard errors above 0. */
static const double parts_least = 2.5;
/* Student's t for 95 % and the parts. */
static const double parts_t = 2.13;

enum {
    TERMS = 2 + WTL_TASK_CURVES,
    BINS_MOST = 1 << 19,
    PER_ROW = 32,
    ROWS_MOST = 16384,
    REACH = 8,
    HALVINGS = 9,
    PARTS = 16
};

/* ---- the curve ---- */

static void take_busy(void *context, uint64_t begin_ns, uint64_t end_ns, bool late);

int wtl_task_curve_begin(struct wtl_task_curve *curve, const struct wtl_task_rows *rows)
{
    *curve = (struct wtl_task_curve){.count = 0};
    if (rows->count == 0)
        return 0;
    double begin = (double)rows->intervals[0].begin_ns;
    double end = (double)rows->intervals[rows->count - 1].end_ns;
    curve->count = PER_ROW * rows->count;
    curve->count = curve->count < BINS_MOST ? curve->count : BINS_MOST;
    curve->begin_ns = begin;
    curve->bin_ns = fmax(1, (end - begin) / (double)curve->count);
    curve->busy = calloc(curve->count + 1, sizeof *curve->busy);
    curve->cover = wtl_task_cover_create(take_busy, curve);
    return curve->busy && curve->cover ? 0 : -ENOMEM;
}

/* Seconds into the bins from begin to end. */
static void spread(const struct wtl_task_curve *curve,
                   double *bins,
                   uint64_t begin_ns,
                   uint64_t end_ns,
                   double share)
{
    double begin = ((double)begin_ns - curve->begin_ns) / curve->bin_ns;
    double end = ((double)end_ns - curve->begin_ns) / curve->bin_ns, bin_s = NS * curve->bin_ns;
    begin = fmax(begin, 0);
    end = fmin(end, (double)curve->count);
    if (!(begin < end))
        return;
    for (size_t i = (size_t)begin; i < curve->count && (double)i < end; i++)
        bins[i] += share * bin_s * (fmin(end, (double)i + 1) - fmax(begin, (double)i));
}

static void take_busy(void *context, uint64_t begin_ns, uint64_t end_ns, bool late)
{
    struct wtl_task_curve *curve = context;
    if (!late)
        spread(curve, curve->busy, begin_ns, end_ns, 1);
}

int wtl_task_curve_add(struct wtl_task_curve *curve,
                       size_t type,
                       uint64_t begin_ns,
                       uint64_t end_ns,
                       double share,
                       bool asleep)
{
    if (curve->count == 0 || end_ns <= begin_ns)
        return 0;
    double **active = &curve->active[type < WTL_TASK_CURVES ? type : WTL_TASK_CURVES - 1];
    if (!*active)
        *active = calloc(curve->count + 1, sizeof **active);
    if (!*active)
        return -ENOMEM;
    spread(curve, *active, begin_ns, end_ns, share);
    uint64_t covered_ns = (uint64_t)(fmin(share, 1) * (double)(end_ns - begin_ns));
    if (!asleep)
        wtl_task_cover_add(curve->cover, end_ns - covered_ns, end_ns);
    return 0;
}

static void accumulate(double *bins, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i <= count; i++) {
        double own = bins[i];
        bins[i] = sum;
        sum += own;
    }
}

void wtl_task_curve_end(struct wtl_task_curve *curve)
{
    wtl_task_cover_finish(curve->cover);
    curve->cover = NULL;
    if (curve->count == 0)
        return;
    for (size_t t = 0; t < WTL_TASK_CURVES; t++)
        if (curve->active[t])
            accumulate(curve->active[t], curve->count);
    accumulate(curve->busy, curve->count);
}

void wtl_task_curve_fini(struct wtl_task_curve *curve)
{
    wtl_task_cover_finish(curve->cover);
    for (size_t t = 0; t < WTL_TASK_CURVES; t++)
        free(curve->active[t]);
    free(curve->busy);
    *curve = (struct wtl_task_curve){.count = 0};
}

static double up_to(const struct wtl_task_curve *curve, const double *sums, double time_ns)
{
    double at = (time_ns - curve->begin_ns) / curve->bin_ns;
    if (!(at > 0))
        return 0;
    size_t i = at < (double)curve->count ? (size_t)at : curve->count;
    return i < curve->count ? sums[i] + (at - (double)i) * (sums[i + 1] - sums[i]) : sums[i];
}

static double between(const struct wtl_task_curve *curve,
                      const double *sums,
                      double begin_ns,
                      double end_ns)
{
    return (up_to(curve, sums, end_ns) - up_to(curve, sums, begin_ns)) / (NS * (end_ns - begin_ns));
}

/* ---- the search ---- */

struct search {
    const struct wtl_task_curve *curve;
    const struct wtl_task_rows *rows;
    size_t step;              /* every so many rows are used */
    double row_ns, length_ns; /* of a row, of all */
    double first_ns, last_ns; /* lag at the begin and the end */
    double window_ns;         /* NaN = that of the rows */
    double centre_ns, rss;
};

static double lag_at(const struct search *s, double time_ns)
{
    double part = (time_ns - s->centre_ns) / s->length_ns + 0.5;
    return s->first_ns + part * (s->last_ns - s->first_ns);
}

/* Sum over the channels: a sensor reads them together. */
static double power_of(const struct wtl_task_rows *rows, size_t i)
{
    double sum = 0;
    for (size_t c = 0; c < rows->channels; c++)
        sum += rows->power_w[i * rows->channels + c];
    return sum;
}

/* The terms of a row; false: it is not known. */
static bool terms_of(const struct search *s, size_t i, double *a, double *ret_power)
{
    const struct wtl_task_interval *in = &s->rows->intervals[i];
    double end = (double)in->end_ns, lag = lag_at(s, end);
    double begin = isnan(s->window_ns) ? (double)in->begin_ns : end - s->window_ns;
    *ret_power = power_of(s->rows, i);
    if (isnan(*ret_power) || !(end > begin))
        return false;
    a[0] = 1;
    a[1] = between(s->curve, s->curve->busy, begin - lag, end - lag);
    for (size_t t = 0; t < WTL_TASK_CURVES; t++)
        a[2 + t] = s->curve->active[t]
                       ? between(s->curve, s->curve->active[t], begin - lag, end - lag)
                       : 0;
    return true;
}

static int fit_lag(const struct search *s, struct wtl_fit *ret_fit)
{
    double room[TERMS * TERMS + TERMS] = {0}, a[TERMS], power;
    struct wtl_fit_sums sums = {.terms = TERMS, .products = room};
    for (size_t i = 0; i < s->rows->count; i += s->step)
        if (terms_of(s, i, a, &power))
            wtl_fit_add(&sums, a, power, s->rows->intervals[i].seconds);
    return wtl_fit_solve(&sums, NULL, WTL_FIT_OLS, NULL, true, ret_fit);
}

static double rss_of(const struct search *s)
{
    struct wtl_fit fit;
    return fit_lag(s, &fit) == 0 ? fit.rss : (double)INFINITY;
}

/* Adds the squares of what is left, by parts of the rows. */
static void add_rest(const struct search *s, const struct wtl_fit *fit, double sign, double *parts)
{
    double a[TERMS], power;
    for (size_t i = 0; i < s->rows->count; i += s->step) {
        if (!terms_of(s, i, a, &power))
            continue;
        for (size_t k = 0; k < TERMS; k++)
            power -= fit->x[k] * a[k];
        parts[i * PARTS / s->rows->count] += sign * power * power * s->rows->intervals[i].seconds;
    }
}

/* A lag is there all the time: what it explains must not come from a few moments, as when other programs come and go. */
static bool holds(const struct search *none, const struct search *found)
{
    double parts[PARTS] = {0}, sd;
    struct wtl_fit before, after;
    if (fit_lag(none, &before) < 0 || fit_lag(found, &after) < 0)
        return false;
    add_rest(none, &before, 1, parts);
    add_rest(found, &after, -1, parts);
    double mean = wtl_mean_sd(parts, PARTS, &sd);
    return mean > parts_least * sd / sqrt(PARTS);
}

static bool try_lag(struct search *s, double first_ns, double last_ns)
{
    struct search other = *s;
    other.first_ns = first_ns;
    other.last_ns = last_ns;
    other.rss = rss_of(&other);
    if (!(other.rss < s->rss))
        return false;
    *s = other;
    return true;
}

static void refine(struct search *s)
{
    double step = s->row_ns / 2;
    for (int i = 0; i < HALVINGS; step /= 2, i++)
        for (int again = 0; again < 4; again++) {
            bool better = try_lag(s, s->first_ns + step, s->last_ns + step) ||
                          try_lag(s, s->first_ns - step, s->last_ns - step);
            better |= try_lag(s, s->first_ns + step, s->last_ns - step) ||
                      try_lag(s, s->first_ns - step, s->last_ns + step);
            if (!better)
                break;
        }
}

static void search_lag(struct search *s)
{
    s->rss = rss_of(s);
    for (int i = -2 * REACH; i <= 2 * REACH; i++)
        (void)try_lag(s, i * s->row_ns / 2, i * s->row_ns / 2);
    refine(s);
}

/* The windows that a gauge may have: the instant, a part of a row, more than one. */
static void search_window(struct search *s)
{
    static const double windows[] = {0.02, 0.25, 0.5, 1, 2, 4};
    struct search best = *s;
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct search other = {.curve = s->curve,
                               .rows = s->rows,
                               .step = s->step,
                               .row_ns = s->row_ns,
                               .length_ns = s->length_ns,
                               .centre_ns = s->centre_ns,
                               .window_ns = windows[i] * s->row_ns};
        search_lag(&other);
        if (other.rss < best.rss)
            best = other;
    }
    *s = best;
}

/* ---- how well it is known ---- */

static struct search moved(const struct search *s, double by_ns, bool drifts)
{
    struct search other = *s;
    other.first_ns += drifts ? -by_ns : by_ns;
    other.last_ns += by_ns;
    return other;
}

/*
 * Standard error of the lag, or of what it drifts by over half of the recording: from the curvature of the residuals at their minimum, and
 * from how differently the parts of the recording lean, which holds for residuals of any kind. At least what the search resolves.
 */
static double error_ns(const struct search *s, bool drifts)
{
    double finest_ns = s->row_ns / (1 << HALVINGS), step_ns = 2 * finest_ns, error = INFINITY;
    struct wtl_fit fit;
    if (fit_lag(s, &fit) < 0)
        return finest_ns;
    for (int i = 1; i <= HALVINGS; i++, step_ns *= 2) {
        double parts[PARTS] = {0}, sd;
        struct search up = moved(s, step_ns, drifts), down = moved(s, -step_ns, drifts);
        double curvature = (rss_of(&up) + rss_of(&down) - 2 * fit.rss) / (step_ns * step_ns);
        add_rest(&up, &fit, 0.5 / step_ns, parts);
        add_rest(&down, &fit, -0.5 / step_ns, parts);
        (void)wtl_mean_sd(parts, PARTS, &sd);
        error = curvature > 0 ? sqrt(PARTS) * sd / curvature : (double)INFINITY;
        if (error <= step_ns)
            break;
    }
    return fmin(fmax(error, finest_ns), s->row_ns);
}

/* The energy of each term with this lag, P_Y and P_S being known or not. */
static int energies_of(const struct search *s, const struct wtl_fit_known *known, double *joules)
{
    double room[TERMS * TERMS + TERMS] = {0}, a[TERMS], amount[TERMS] = {0}, power;
    struct wtl_fit_sums sums = {.terms = TERMS, .products = room};
    struct wtl_fit fit;
    for (size_t i = 0; i < s->rows->count; i += s->step) {
        if (!terms_of(s, i, a, &power))
            continue;
        wtl_fit_add(&sums, a, power, s->rows->intervals[i].seconds);
        for (size_t k = 0; k < TERMS; k++)
            amount[k] += (double)s->step * a[k] * s->rows->intervals[i].seconds;
    }
    if (wtl_fit_solve(&sums, known, WTL_FIT_OLS, NULL, true, &fit) < 0)
        return -ENOMEM;
    for (size_t k = 0; k < TERMS; k++)
        joules[k] = fit.x[k] * amount[k];
    return 0;
}

static void doubt_term(double *doubt_j, double up_j, double down_j, double middle_j)
{
    *doubt_j = hypot(*doubt_j, fmax(fabs(up_j - middle_j), fabs(down_j - middle_j)));
}

static double sum_of_types(const double *joules)
{
    double sum = 0;
    for (size_t t = 0; t < WTL_TASK_CURVES; t++)
        sum += joules[2 + t];
    return sum;
}

/* What energies change by if the lag is as wrong as it may be. */
static int add_doubt(const struct search *s,
                     double half_ns,
                     bool drifts,
                     const struct wtl_fit_known *known,
                     struct wtl_task_lag_doubt *doubt)
{
    double up_j[TERMS], down_j[TERMS], middle_j[TERMS];
    struct search up = moved(s, half_ns, drifts), down = moved(s, -half_ns, drifts);
    if (energies_of(s, known, middle_j) < 0 || energies_of(&up, known, up_j) < 0 ||
        energies_of(&down, known, down_j) < 0)
        return -ENOMEM;
    doubt_term(&doubt->idle_j, up_j[0], down_j[0], middle_j[0]);
    doubt_term(&doubt->static_j, up_j[1], down_j[1], middle_j[1]);
    for (size_t t = 0; t < WTL_TASK_CURVES; t++)
        doubt_term(&doubt->type_j[t], up_j[2 + t], down_j[2 + t], middle_j[2 + t]);
    doubt_term(&doubt->tasks_j, sum_of_types(up_j), sum_of_types(down_j), sum_of_types(middle_j));
    return 0;
}

static int find_doubt(const struct search *s,
                      double idle_w,
                      double static_w,
                      struct wtl_task_lag *lag)
{
    int rc = 0;
    double offset_ns = parts_t * error_ns(s, false), drift_ns = parts_t * error_ns(s, true);
    lag->offset_half_s = NS * offset_ns;
    lag->drift_half = 2 * drift_ns / s->length_ns;
    for (int in_tasks = 0; in_tasks < 2 && rc == 0; in_tasks++) {
        struct wtl_fit_known known;
        for (size_t k = 0; k < WTL_FIT_TERMS; k++)
            known.value[k] = NAN;
        known.value[0] = idle_w;
        known.value[1] = in_tasks ? 0 : static_w;
        rc = add_doubt(s, offset_ns, false, &known, &lag->doubt[in_tasks]);
        rc = rc < 0 ? rc : add_doubt(s, drift_ns, true, &known, &lag->doubt[in_tasks]);
    }
    return rc;
}

int wtl_task_lag_find(const struct wtl_task_curve *curve,
                      const struct wtl_task_rows *rows,
                      bool gauge,
                      double idle_w,
                      double static_w,
                      struct wtl_task_lag *ret_lag)
{
    *ret_lag = (struct wtl_task_lag){.window_s = NAN};
    if (rows->count < 4 * TERMS || curve->count == 0)
        return 0;
    double begin = (double)rows->intervals[0].begin_ns;
    double end = (double)rows->intervals[rows->count - 1].end_ns;
    struct search s = {.curve = curve,
                       .rows = rows,
                       .step = rows->count / ROWS_MOST + 1,
                       .row_ns = (end - begin) / (double)rows->count,
                       .length_ns = end - begin,
                       .centre_ns = begin + (end - begin) / 2,
                       .window_ns = NAN};
    const struct search as_it_says = s;
    double none = rss_of(&s), used = (double)rows->count / (double)s.step;
    if (gauge)
        search_window(&s);
    if (!gauge || !isfinite(s.window_ns))
        search_lag(&s);
    if (!(none > 0) || !(used * log(none / fmax(s.rss, 1e-12 * none)) > gain_least) ||
        !holds(&as_it_says, &s))
        return 0;
    ret_lag->found = true;
    ret_lag->offset_s = NS * (s.first_ns + s.last_ns) / 2;
    ret_lag->drift = (s.last_ns - s.first_ns) / s.length_ns;
    ret_lag->window_s = NS * s.window_ns;
    ret_lag->centre_ns = s.centre_ns;
    return find_doubt(&s, idle_w, static_w, ret_lag);
}

static uint64_t earlier(uint64_t time_ns, double by_ns)
{
    double time = (double)time_ns - by_ns;
    return time > 0 ? time_ns - (uint64_t)(int64_t)by_ns : 0;
}

void wtl_task_lag_apply(const struct wtl_task_lag *lag, struct wtl_task_rows *rows)
{
    if (!lag->found)
        return;
    for (size_t i = 0; i < rows->count; i++) {
        struct wtl_task_interval *in = &rows->intervals[i];
        double end = (double)in->end_ns;
        double by_ns = 1e9 * lag->offset_s + lag->drift * (end - lag->centre_ns);
        if (!isnan(lag->window_s))
            in->begin_ns = earlier(in->end_ns, 1e9 * lag->window_s);
        in->begin_ns = earlier(in->begin_ns, by_ns);
        in->end_ns = earlier(in->end_ns, by_ns);
    }
}
