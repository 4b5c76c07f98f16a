/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares several runs: see run_study.h. */
#include "analysis/cluster/run_study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/natural.h"
#include "base/whole.h"
#include "model/meta_key.h"
#include "model/statistics/student.h"

enum { DIFFERENCES_MAX = 512, RESAMPLES = 0 };

const char *wtl_study_value_unit(enum wtl_study_value value)
{
    static const char *const units[] = {"s", "J", "W", "W"};
    return value < WTL_STUDY_VALUES ? units[value] : "";
}

static double study_value_of(const struct wtl_study_run *run, enum wtl_study_value value)
{
    const double values[] = {run->time_s, run->energy.j, run->node_w, run->network_w};
    return value < WTL_STUDY_VALUES ? values[value] : (double)NAN;
}

/* ---- a run ---- */

static void add_label(struct wtl_study_run *run, const char *key, const char *value)
{
    if (run->label_count == WTL_STUDY_KEYS)
        return;
    struct wtl_study_label *label = &run->labels[run->label_count++];
    (void)snprintf(label->key, sizeof label->key, "%.63s", key);
    (void)snprintf(label->value, sizeof label->value, "%.63s", value);
}

void wtl_study_take_labels(struct wtl_study_run *run, const struct wtl_trace_reader *reader)
{
    size_t count = wtl_trace_reader_meta_count(reader);
    run->label_count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *key, *value, *label;
        if (wtl_trace_reader_meta_at(reader, i, &key, &value) == 0 &&
            (label = wtl_meta_after(key, WTL_META_LABELS)) != NULL && label[0])
            add_label(run, label, value);
    }
    if (run->label_count == 0)
        add_label(run, "run", run->name);
}

static bool is_network(const struct wtl_profile_part *part)
{
    return part->domain == WATTLE_DOMAIN_NETWORK && !part->within[0];
}

void wtl_study_take_profile(struct wtl_study_run *run, const struct wtl_run_profile *profile)
{
    const struct wtl_profile_part *total = &profile->parts[0];
    double network_j = NAN;
    run->nodes = total->sum.nodes;
    run->time_s = profile->length_s;
    run->energy = total->sum.energy;
    run->quality = total->sum.energy.quality;
    run->simulated = total->sum.energy.simulated;
    run->moments = profile->moments;
    run->node_mean_w = profile->power;
    for (size_t k = 1; k < profile->part_count; k++)
        if (is_network(&profile->parts[k]) && profile->parts[k].sum.nodes > 0)
            network_j = (isnan(network_j) ? 0 : network_j) +
                        profile->parts[k].sum.full_j / (double)profile->parts[k].sum.nodes;
    double whole_s = profile->time.mean; /* the node's own window */
    run->node_w = total->sum.full_j / (whole_s * (double)total->sum.nodes);
    run->network_w = network_j / whole_s;
}

/* ---- keys and cases ---- */

static bool is_repeat(const char *key)
{
    static const char *const words[] = {"repeat", "rep", "repetition", "run_number"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(key, words[i]) == 0)
            return true;
    return false;
}

static const char *value_of(const struct wtl_study_run *run, const char *key)
{
    for (size_t i = 0; i < run->label_count; i++)
        if (strcmp(run->labels[i].key, key) == 0)
            return run->labels[i].value;
    return "";
}

static void find_keys(struct wtl_study *study)
{
    for (size_t r = 0; r < study->run_count; r++) {
        const struct wtl_study_run *run = &study->runs[r];
        for (size_t i = 0; i < run->label_count; i++) {
            size_t k = 0;
            while (k < study->key_count && strcmp(study->keys[k], run->labels[i].key) != 0)
                k++;
            if (k == study->key_count && k < WTL_STUDY_KEYS && !is_repeat(run->labels[i].key))
                memcpy(study->keys[study->key_count++], run->labels[i].key, WTL_STUDY_TEXT);
        }
    }
}

static bool same_case(const struct wtl_study *study,
                      const struct wtl_study_case *one,
                      const struct wtl_study_run *run)
{
    for (size_t k = 0; k < study->key_count; k++)
        if (strcmp(one->values[k], value_of(run, study->keys[k])) != 0)
            return false;
    return true;
}

static void name_case(const struct wtl_study *study, struct wtl_study_case *one)
{
    size_t n = 0;
    for (size_t k = 0; k < study->key_count && n < sizeof one->name; k++)
        if (one->values[k][0])
            n += (size_t)snprintf(one->name + n, sizeof one->name - n, "%s%s", n ? ", " : "",
                                  one->values[k]);
    if (!one->name[0])
        (void)snprintf(one->name, sizeof one->name, "no labels");
}

static int compare_cases(const void *a, const void *b)
{
    const struct wtl_study_case *x = (const struct wtl_study_case *)a;
    const struct wtl_study_case *y = (const struct wtl_study_case *)b;
    for (size_t k = 0; k < WTL_STUDY_KEYS; k++) {
        int order = wtl_natural_compare(x->values[k], y->values[k]);
        if (order)
            return order;
    }
    return 0;
}

static int make_cases(struct wtl_study *study)
{
    study->cases = calloc(study->run_count + 1, sizeof *study->cases);
    if (!study->cases)
        return -ENOMEM;
    for (size_t r = 0; r < study->run_count; r++) {
        size_t c = 0;
        while (c < study->case_count && !same_case(study, &study->cases[c], &study->runs[r]))
            c++;
        if (c < study->case_count)
            continue;
        struct wtl_study_case *one = &study->cases[study->case_count++];
        for (size_t k = 0; k < WTL_STUDY_KEYS; k++)
            one->values[k] = k < study->key_count ? value_of(&study->runs[r], study->keys[k]) : "";
        name_case(study, one);
    }
    wtl_sort(study->cases, study->case_count, sizeof *study->cases, compare_cases);
    return 0;
}

/* The mean of one member over several descriptions. */
static double mean_of(const struct wtl_study *study,
                      const struct wtl_study_case *one,
                      size_t offset)
{
    double sum = 0;
    for (size_t i = 0; i < one->run_count; i++) {
        double value;
        memcpy(&value, (const char *)&study->runs[one->runs[i]].moments + offset, sizeof value);
        sum += value;
    }
    return sum / (double)one->run_count;
}

static void describe_case(const struct wtl_study *study, struct wtl_study_case *one, double *values)
{
    if (one->run_count == 0)
        return;
    for (int v = 0; v < WTL_STUDY_VALUES; v++) {
        for (size_t i = 0; i < one->run_count; i++)
            values[i] = study_value_of(&study->runs[one->runs[i]], (enum wtl_study_value)v);
        one->spread[v] = wtl_spread_of(values, one->run_count);
    }
    one->nodes = study->runs[one->runs[0]].nodes;
    for (size_t i = 0; i < one->run_count; i++)
        one->moments.n += study->runs[one->runs[i]].moments.n;
#define MEAN(member) mean_of(study, one, offsetof(struct wtl_description, member))
    one->moments.mean = MEAN(mean);
    one->moments.sd = MEAN(sd);
    one->moments.min = MEAN(min);
    one->moments.p5 = MEAN(p5);
    one->moments.q1 = MEAN(q1);
    one->moments.median = MEAN(median);
    one->moments.q3 = MEAN(q3);
    one->moments.p95 = MEAN(p95);
    one->moments.max = MEAN(max);
#undef MEAN
}

static int fill_cases(struct wtl_study *study)
{
    double *values = malloc((study->run_count + 1) * sizeof *values);
    int rc = values ? 0 : -ENOMEM;
    for (size_t c = 0; c < study->case_count && rc == 0; c++) {
        struct wtl_study_case *one = &study->cases[c];
        one->runs = calloc(study->run_count + 1, sizeof *one->runs);
        rc = one->runs ? 0 : -ENOMEM;
        for (size_t r = 0; r < study->run_count && rc == 0; r++) {
            if (!same_case(study, one, &study->runs[r]))
                continue;
            study->runs[r].case_index = c;
            one->runs[one->run_count++] = r;
        }
        if (rc == 0)
            describe_case(study, one, values);
    }
    free(values);
    return rc;
}

/* ---- differences ---- */

/* The only key in which they differ; key_count if there is none, or more than one. */
static size_t only_key(const struct wtl_study *study,
                       const struct wtl_study_case *a,
                       const struct wtl_study_case *b)
{
    size_t found = study->key_count, differ = 0;
    for (size_t k = 0; k < study->key_count; k++) {
        if (strcmp(a->values[k], b->values[k]) == 0)
            continue;
        found = k;
        differ++;
    }
    return differ == 1 ? found : study->key_count;
}

struct sides {
    double *a, *b;
};

/* The known values of a case: their number, 0 if one is unknown. */
static size_t collect(const struct wtl_study *study,
                      const struct wtl_study_case *one,
                      enum wtl_study_value value,
                      double *ret_values)
{
    for (size_t i = 0; i < one->run_count; i++) {
        ret_values[i] = study_value_of(&study->runs[one->runs[i]], value);
        if (!isfinite(ret_values[i]))
            return 0;
    }
    return one->run_count;
}

static const char *forbidden(const struct wtl_study *study, const struct wtl_study_difference *d)
{
    const struct wtl_study_case *both[] = {&study->cases[d->a], &study->cases[d->b]};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < both[s]->run_count; i++)
            if (study->runs[both[s]->runs[i]].quality == WATTLE_ESTIMATED)
                return "some are estimated";
    const struct wtl_study_run *first = &study->runs[both[0]->runs[0]];
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < both[s]->run_count; i++)
            if (study->runs[both[s]->runs[i]].simulated != first->simulated)
                return "some are simulated and others are not";
    return NULL;
}

static int compare_pair(const struct wtl_study *study,
                        struct wtl_study_difference *d,
                        struct sides *sides,
                        double resolve)
{
    static const struct wtl_verdict_words words[WTL_STUDY_VALUES] = {
        [WTL_STUDY_TIME] = {"takes", "time"},
        [WTL_STUDY_ENERGY] = {"uses", "energy"},
        [WTL_STUDY_POWER] = {"draws", "power per node"},
        [WTL_STUDY_NETWORK] = {"draws", "network power"}};
    double p[WTL_STUDY_VALUES], alpha[WTL_STUDY_VALUES];
    for (int v = 0; v < WTL_STUDY_VALUES; v++) {
        enum wtl_study_value value = (enum wtl_study_value)v;
        struct wtl_groups groups = {
            .a = sides->a,
            .b = sides->b,
            .a_n = collect(study, &study->cases[d->a], value, sides->a),
            .b_n = collect(study, &study->cases[d->b], value, sides->b),
            .noise = {.log_sd = NAN, .df = NAN},
        };
        d->known[v] = groups.a_n > 0 && groups.b_n > 0;
        p[v] = NAN;
        int rc = d->known[v] ? wtl_compare(&groups, 1, RESAMPLES, &d->comparison[v]) : 0;
        if (rc < 0)
            return rc;
        if (d->known[v])
            p[v] = d->comparison[v].p;
    }
    wtl_verdict_alphas(p, WTL_STUDY_VALUES, alpha);
    for (int v = 0; v < WTL_STUDY_VALUES; v++) {
        const struct wtl_verdict_question question = {
            .words = words[v],
            .resolve = resolve,
            .alpha = isfinite(alpha[v]) ? alpha[v] : 0.05,
            .forbidden = v == WTL_STUDY_TIME ? NULL : forbidden(study, d)};
        if (d->known[v])
            d->verdict[v] = wtl_verdict_of(&d->comparison[v], &question);
    }
    return 0;
}

/* Is a the first case that differs from b in this key only? Then b is compared with a. */
static bool is_first(const struct wtl_study *study, size_t a, size_t b, size_t key)
{
    for (size_t c = 0; c < a; c++)
        if (only_key(study, &study->cases[c], &study->cases[b]) == key)
            return false;
    return true;
}

static int find_differences(struct wtl_study *study, double resolve)
{
    struct sides sides = {malloc((study->run_count + 1) * sizeof(double)),
                          malloc((study->run_count + 1) * sizeof(double))};
    study->differences = calloc(DIFFERENCES_MAX, sizeof *study->differences);
    int rc = sides.a && sides.b && study->differences ? 0 : -ENOMEM;
    for (size_t a = 0; a < study->case_count && rc == 0; a++) {
        for (size_t b = a + 1; b < study->case_count && rc == 0; b++) {
            size_t key = only_key(study, &study->cases[a], &study->cases[b]);
            if (key == study->key_count || !is_first(study, a, b, key) ||
                study->difference_count == DIFFERENCES_MAX)
                continue;
            struct wtl_study_difference *d = &study->differences[study->difference_count++];
            d->a = a;
            d->b = b;
            d->key = key;
            rc = compare_pair(study, d, &sides, resolve);
        }
    }
    free(sides.a);
    free(sides.b);
    return rc;
}

/* ---- energy and time ---- */

static struct wtl_study_slope slope_of(const struct wtl_study *study)
{
    struct wtl_study_slope slope = {.exponent = NAN, .half = NAN, .correlation = NAN};
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < study->case_count; c++) {
            double t = study->cases[c].spread[WTL_STUDY_TIME].mean;
            double e = study->cases[c].spread[WTL_STUDY_ENERGY].mean;
            if (!(t > 0) || !(e > 0))
                continue;
            if (pass == 0) {
                x += log(t);
                y += log(e);
                slope.n++;
            } else {
                xx += (log(t) - x) * (log(t) - x);
                yy += (log(e) - y) * (log(e) - y);
                xy += (log(t) - x) * (log(e) - y);
            }
        }
        x /= pass == 0 && slope.n ? (double)slope.n : 1;
        y /= pass == 0 && slope.n ? (double)slope.n : 1;
    }
    if (slope.n < 2 || !(xx > 0))
        return slope;
    slope.exponent = xy / xx;
    slope.correlation = yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
    if (slope.n > 2) {
        double df = (double)slope.n - 2, rest = fmax(0, yy - xy * xy / xx);
        slope.half = wtl_student_quantile(0.975, df) * sqrt(rest / df / xx);
    }
    return slope;
}

/* ---- the study ---- */

int wtl_study_make(struct wtl_study_run *runs,
                   size_t count,
                   double resolve,
                   struct wtl_study *ret_study,
                   struct wattle_error *err)
{
    struct wtl_study study = {.runs = runs, .run_count = count};
    find_keys(&study);
    int rc = make_cases(&study);
    rc = rc < 0 ? rc : fill_cases(&study);
    rc = rc < 0 ? rc : find_differences(&study, resolve);
    if (rc < 0) {
        wtl_study_fini(&study);
        return wtl_no_memory_for(err, "a comparison of %zu runs", count);
    }
    study.slope = slope_of(&study);
    *ret_study = study;
    return 0;
}

void wtl_study_fini(struct wtl_study *study)
{
    for (size_t c = 0; study->cases && c < study->case_count; c++)
        free(study->cases[c].runs);
    free(study->cases);
    free(study->differences);
    *study = (struct wtl_study){0};
}
