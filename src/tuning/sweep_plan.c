/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings and their order: see sweep_plan.h. */
#include "tuning/sweep_plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/random.h"

/* One value of a list. */
struct value {
    char word[24]; /* "2.1GHz", "max"; "" = not varied */
    double number; /* GHz, W, threads; NaN = a word */
};

struct values {
    struct value at[WTL_SWEEP_SETTINGS];
    size_t n;
};

/* What a list holds. */
struct kind {
    const char *option, *unit, *example;
    bool words; /* min and max */
};

static const struct kind frequencies = {"--freq", "GHz", "1.2-2.3GHz:0.1", true};
static const struct kind limits = {"--power-limit", "W", "80-140W:20", false};
static const struct kind threads = {"--threads", "", "1,2,4", false};

static int bad(const struct kind *kind, const char *text, struct wattle_error *err)
{
    return wtl_fail(err, -EINVAL, "%s %s: write a list of values and ranges, such as %s",
                    kind->option, text, kind->example);
}

/* A number at the start of text, then its unit as a factor (0 = none). Returns what follows, or NULL. */
static const char *scan(const struct kind *kind, const char *text, double *ret, double *ret_factor)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"GHz", 1}, {"MHz", 1e-3}, {"kHz", 1e-6}};
    char digits[24];
    size_t n = strspn(text, "0123456789.");
    if (n == 0 || n >= sizeof digits)
        return NULL;
    memcpy(digits, text, n);
    digits[n] = '\0';
    if (wtl_parse_double(digits, ret) < 0 || !(*ret > 0))
        return NULL;
    text += n;
    *ret_factor = 0;
    size_t length = strlen(kind->unit);
    if (kind->words) {
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            if (strncmp(text, units[i].name, 3) != 0)
                continue;
            *ret_factor = units[i].factor;
            return text + 3;
        }
    } else if (length > 0 && strncmp(text, kind->unit, length) == 0) {
        *ret_factor = 1;
        return text + length;
    }
    return text;
}

static int add(const struct kind *kind,
               struct values *values,
               const char *word,
               double number,
               struct wattle_error *err)
{
    if (values->n == WTL_SWEEP_SETTINGS)
        return wtl_fail(err, -E2BIG, "%s: more than %d values", kind->option, WTL_SWEEP_SETTINGS);
    if (kind->words && !word && !(number >= 0.01 && number <= 100))
        return wtl_fail(err, -EINVAL,
                        "%s: %.6g GHz is not a frequency of a processor; is the unit missing?",
                        kind->option, number);
    struct value *value = &values->at[values->n++];
    value->number = number;
    if (word)
        (void)snprintf(value->word, sizeof value->word, "%s", word);
    else
        (void)snprintf(value->word, sizeof value->word, "%.6g%s", number, kind->unit);
    for (size_t i = 0; i + 1 < values->n; i++) {
        if (strcmp(values->at[i].word, value->word) == 0)
            return wtl_fail(err, -EINVAL, "%s: %s is given twice", kind->option, value->word);
    }
    return 0;
}

/* A number with its unit, the factor of a unit. */
struct amount {
    double number, factor; /* factor 0 = none given */
};

static double in_unit(struct amount amount, double other)
{
    return amount.number * (amount.factor > 0 ? amount.factor : other);
}

/* Without a unit: GHz, or kHz as cpufreq and Slurm have it. */
static double bare_unit(const struct kind *kind, double number)
{
    return kind->words && number >= 100000 ? 1e-6 : 1;
}

/* The end and the step of "LOW-HIGH:STEP", at its dash; a unit at the end of the range holds for all three. */
static int parse_range(const struct kind *kind,
                       const char *text,
                       const char *at,
                       struct amount low,
                       struct values *values,
                       struct wattle_error *err)
{
    struct amount high, step;
    at = *at == '-' ? scan(kind, at + 1, &high.number, &high.factor) : NULL;
    if (at && *at == '\0')
        return wtl_fail(err, -EINVAL, "%s %s: give the step, such as %s:%s", kind->option, text,
                        text, kind->words ? "0.1" : "10");
    at = at && *at == ':' ? scan(kind, at + 1, &step.number, &step.factor) : NULL;
    if (!at || *at)
        return bad(kind, text, err);
    double unit = high.factor > 0 ? high.factor : bare_unit(kind, high.number),
           last = high.number * unit;
    double first = in_unit(low, unit), each = in_unit(step, unit);
    double steps = floor((last - first) / each + 1e-6);
    if (steps < 0)
        return bad(kind, text, err);
    if (steps >= WTL_SWEEP_SETTINGS)
        return wtl_fail(err, -E2BIG, "%s %s: more than %d values", kind->option, text,
                        WTL_SWEEP_SETTINGS);
    int rc = 0;
    for (double i = 0; rc == 0 && i <= steps; i++)
        rc = add(kind, values, NULL, round((first + i * each) * 1e6) * 1e-6, err);
    return rc;
}

/* "VALUE" or "LOW-HIGH:STEP". */
static int parse_item(const struct kind *kind,
                      const char *text,
                      struct values *values,
                      struct wattle_error *err)
{
    struct amount value;
    if (kind->words && (strcmp(text, "min") == 0 || strcmp(text, "max") == 0))
        return add(kind, values, text, NAN, err);
    const char *at = scan(kind, text, &value.number, &value.factor);
    if (!at)
        return bad(kind, text, err);
    if (*at)
        return parse_range(kind, text, at, value, values, err);
    if (value.factor == 0)
        value.factor = bare_unit(kind, value.number);
    return add(kind, values, NULL, value.number * value.factor, err);
}

static int parse(const struct kind *kind,
                 const char *text,
                 struct values *values,
                 struct wattle_error *err)
{
    char word[64];
    values->n = 0;
    if (!text) {
        values->at[values->n++] = (struct value){"", NAN};
        return 0;
    }
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        if (n == 0 || n >= sizeof word)
            return bad(kind, text, err);
        memcpy(word, at, n);
        word[n] = '\0';
        int rc = parse_item(kind, word, values, err);
        if (rc < 0)
            return rc;
        at += n;
        if (!*at)
            return 0;
    }
}

static void name(struct wtl_sweep_setting *setting, const char *limit)
{
    char *at = setting->label;
    size_t room = sizeof setting->label;
    const char *between = "";
    if (setting->turbo > 0 && strcmp(setting->frequency, "max") == 0)
        (void)snprintf(at, room, "turbo");
    else if (setting->ghz > 0)
        (void)snprintf(at, room, "%.6g GHz", setting->ghz);
    else
        (void)snprintf(at, room, "%s", setting->frequency);
    between = at[0] ? ", " : "";
    size_t used = strlen(at);
    if (setting->threads > 0)
        (void)snprintf(at + used, room - used, "%s%u thread%s", between, setting->threads,
                       setting->threads == 1 ? "" : "s");
    between = at[0] ? ", " : "";
    used = strlen(at);
    if (limit[0])
        (void)snprintf(at + used, room - used, "%s%.6g W", between, setting->limit_w);
    if (!at[0])
        (void)snprintf(at, room, setting->turbo < 0 ? "no turbo" : "as it is");
}

/* All combinations; turbo BOTH adds one more frequency. */
static size_t combine(const struct values lists[3],
                      enum wtl_sweep_turbo turbo,
                      struct wtl_sweep_setting *settings)
{
    size_t n = 0, frequency_count = lists[0].n + (turbo == WTL_SWEEP_TURBO_BOTH);
    for (size_t t = 0; t < lists[1].n; t++) {
        for (size_t l = 0; l < lists[2].n; l++) {
            for (size_t f = 0; f < frequency_count; f++) {
                bool extra = f == lists[0].n;
                struct wtl_sweep_setting *s = &settings[n++];
                *s = (struct wtl_sweep_setting){
                    .ghz = extra ? (double)NAN : lists[0].at[f].number,
                    .limit_w = lists[2].at[l].number,
                    .threads = lists[1].at[t].number > 0 ? (unsigned)lists[1].at[t].number : 0,
                    .turbo = turbo == WTL_SWEEP_TURBO_LEAVE         ? 0
                             : turbo == WTL_SWEEP_TURBO_ON || extra ? 1
                                                                    : -1,
                };
                (void)snprintf(s->frequency, sizeof s->frequency, "%s",
                               extra ? "max" : lists[0].at[f].word);
                name(s, lists[2].at[l].word);
            }
        }
    }
    return n;
}

static int parse_all(const struct wtl_sweep_wish *wish,
                     struct values lists[3],
                     size_t *ret_most,
                     struct wattle_error *err)
{
    int rc = parse(&frequencies, wish->frequencies, &lists[0], err);
    rc = rc < 0 ? rc : parse(&threads, wish->threads, &lists[1], err);
    rc = rc < 0 ? rc : parse(&limits, wish->limits, &lists[2], err);
    for (size_t i = 0; rc == 0 && wish->threads && i < lists[1].n; i++) {
        double n = lists[1].at[i].number;
        if (!(n >= 1 && n <= 65536) || n != floor(n))
            rc = bad(&threads, wish->threads, err);
    }
    if (rc < 0)
        return rc;
    *ret_most = (lists[0].n + (wish->turbo == WTL_SWEEP_TURBO_BOTH)) * lists[1].n * lists[2].n;
    if (*ret_most > WTL_SWEEP_SETTINGS)
        return wtl_fail(err, -E2BIG, "%zu settings are more than %d; vary less at a time",
                        *ret_most, WTL_SWEEP_SETTINGS);
    return 0;
}

int wtl_sweep_plan(const struct wtl_sweep_wish *wish,
                   struct wtl_sweep_setting **ret_settings,
                   size_t *ret_count,
                   struct wattle_error *err)
{
    size_t most = 0;
    struct values *lists = calloc(3, sizeof *lists);
    if (!lists)
        return wtl_no_memory(err);
    int rc = parse_all(wish, lists, &most, err);
    if (rc == 0) {
        struct wtl_sweep_setting *settings = calloc(most + 1, sizeof *settings);
        *ret_settings = settings;
        if (settings)
            *ret_count = combine(lists, wish->turbo, settings);
        else
            rc = wtl_no_memory(err);
    }
    free(lists);
    return rc;
}

void wtl_sweep_order(uint64_t seed, size_t block, size_t settings, size_t *order)
{
    uint64_t stream = wtl_random_bits(seed, block);
    for (size_t i = 0; i < settings; i++) {
        size_t k = (size_t)(wtl_random_uniform(stream, i) * (double)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
}

int wtl_sweep_request(const struct wtl_sweep_setting *setting,
                      struct wtl_hold_request *request,
                      struct wattle_error *err)
{
    int rc = 0;
    if (setting->frequency[0])
        rc = wtl_hold_set(request, WTL_ASK_FREQUENCY, setting->frequency, err);
    if (rc == 0 && setting->limit_w > 0) {
        char text[32];
        (void)snprintf(text, sizeof text, "%.6gW", setting->limit_w);
        rc = wtl_hold_set(request, WTL_ASK_POWER_LIMIT, text, err);
    }
    if (rc == 0 && setting->turbo != 0)
        rc = wtl_hold_set(request, WTL_ASK_TURBO, setting->turbo > 0 ? "on" : "off", err);
    return rc;
}
