/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan of a hold: see hold_plan.h. A frequency is set as the lowest and the highest one, which all cpufreq drivers have;
 * scaling_setspeed only works with the governor userspace, and is then set as well. What may change together with a knob is in the
 * journal, too: limits with turbo, preference and limits with the governor.
 */
#define _GNU_SOURCE
#include "control/hold_plan.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct plan {
    const struct wtl_knob_list *knobs;
    const struct wtl_hold_request *request;
    struct wtl_cpu_set owned;
    char (*ask)[WTL_KNOB_TEXT]; /* per knob; "" = not written */
    bool *beside;               /* per knob: may change with another one */
};

static bool same_place(const struct wtl_knob *a, const struct wtl_knob *b)
{
    return a->row->scope == b->row->scope && a->place == b->place && a->cpus == b->cpus;
}

/* Another knob of the same policy; NULL = it has none. */
static const struct wtl_knob *sibling(const struct plan *p,
                                      const struct wtl_knob *knob,
                                      enum wtl_knob_kind kind)
{
    for (size_t i = 0; i < p->knobs->count; i++) {
        if (p->knobs->items[i].row->kind == kind && same_place(&p->knobs->items[i], knob))
            return &p->knobs->items[i];
    }
    return NULL;
}

/* Whether a word is in a list separated by blanks. */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += n) {
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    }
    return false;
}

static void with_policy(struct plan *p, const struct wtl_knob *knob)
{
    for (size_t i = 0; i < p->knobs->count; i++) {
        const struct wtl_knob *other = &p->knobs->items[i];
        bool is_limit = other->row->kind == WTL_KNOB_FREQUENCY_MIN ||
                        other->row->kind == WTL_KNOB_FREQUENCY_MAX;
        bool is_turbo = knob->row->kind <= WTL_KNOB_TURBO_ON;
        if (is_turbo ? is_limit : same_place(other, knob))
            p->beside[i] = true;
    }
}

/* Whose CPUs does it affect? */
static int check_cpus(const struct plan *p, const struct wtl_knob *knob, struct wattle_error *err)
{
    char others[128];
    wtl_cpu_set_without(&p->knobs->sets[knob->cpus], &p->owned, others, sizeof others);
    if (!others[0] || p->request->alone)
        return 0;
    return wtl_fail(err, -EPERM,
                    "%s also applies to CPU%s %s, which this job does not own; ask for whole nodes "
                    "or packages, or "
                    "change it as root while no other job runs",
                    knob->id, strpbrk(others, ",-") ? "s" : "", others);
}

/* Note that it will be written. */
static int want(struct plan *p,
                const struct wtl_knob *knob,
                const char *value,
                struct wattle_error *err)
{
    char why[128];
    size_t at = (size_t)(knob - p->knobs->items);
    int rc = check_cpus(p, knob, err);
    if (rc < 0)
        return rc;
    wtl_knob_why(knob, why, sizeof why);
    if (knob->read_error || (knob->write_error && strcmp(knob->value, value) != 0))
        return wtl_fail(err, knob->write_error == -EROFS ? -EROFS : -EACCES, "cannot set %s: %s",
                        knob->id, why);
    (void)snprintf(p->ask[at], WTL_KNOB_TEXT, "%s", value);
    return 0;
}

static int no_knob(enum wtl_ask ask, const char *why, struct wattle_error *err)
{
    return wtl_fail(err, -ENODEV,
                    "--%s: this machine has no such setting%s; \"wattle knobs\" lists what it has",
                    wtl_ask_names[ask], why);
}

static int out_of_range(const struct wtl_knob *knob, double hz, struct wattle_error *err)
{
    char low[WTL_KNOB_TEXT], high[WTL_KNOB_TEXT], text[32], raw[32];
    (void)snprintf(raw, sizeof raw, "%.0f", hz / 1e3);
    wtl_knob_show(knob->row, raw, text, sizeof text);
    (void)snprintf(raw, sizeof raw, "%.0f", knob->least);
    wtl_knob_show(knob->row, raw, low, sizeof low);
    (void)snprintf(raw, sizeof raw, "%.0f", knob->most);
    wtl_knob_show(knob->row, raw, high, sizeof high);
    return wtl_fail(
        err, -EINVAL,
        "%s: %s is out of range: %s to %s; use min, max, or --cpus for CPUs of one kind", knob->id,
        text, low, high);
}

/* The nearest frequencies of the list. */
static int not_offered(const struct wtl_knob *knob, double khz, struct wattle_error *err)
{
    double below = NAN, above = NAN;
    for (const char *at = knob->choices; *at; at += strcspn(at, " "), at += *at == ' ') {
        double value =
            strtod(at, NULL); /* of a list that the kernel wrote: no locale has other digits */
        if (value <= khz && !(value <= below))
            below = value;
        if (value >= khz && !(value >= above))
            above = value;
    }
    below = isnan(below) ? above : below;
    above = isnan(above) ? below : above;
    return wtl_fail(err, -EINVAL,
                    "%s: %.10g GHz is not offered; the nearest are %.10g and %.10g GHz", knob->id,
                    khz / 1e6, below / 1e6, above / 1e6);
}

static int check_site(const struct plan *p, double hz, struct wattle_error *err)
{
    const struct wtl_hold_request *r = p->request;
    if (r->high_hz > 0 && (hz < r->low_hz || hz > r->high_hz))
        return wtl_fail(
            err, -EINVAL,
            "%.10g GHz is outside of the range that this site allows: %.10g to %.10g GHz", hz / 1e9,
            r->low_hz / 1e9, r->high_hz / 1e9);
    return 0;
}

/* The two raw values that a wish means for this knob's place. */
static int resolve(const struct plan *p,
                   const struct wtl_knob *knob,
                   const struct wtl_frequency_wish *wish,
                   double khz[2],
                   struct wattle_error *err)
{
    const struct wtl_hold_request *r = p->request;
    bool relative = wish->form == WTL_FREQUENCY_MIN || wish->form == WTL_FREQUENCY_MAX;
    if (relative) {
        double end = wish->form == WTL_FREQUENCY_MIN ? knob->least : knob->most;
        if (isnan(end))
            return wtl_fail(err, -ENODEV,
                            "%s: the machine does not report its range; give a frequency",
                            knob->id);
        if (r->high_hz > 0)
            end = fmin(fmax(end, r->low_hz / 1e3), r->high_hz / 1e3);
        khz[0] = khz[1] = end;
        return 0;
    }
    const double hz[2] = {wish->low_hz, wish->high_hz};
    for (int i = 0; i < 2; i++) {
        int rc = check_site(p, hz[i], err);
        if (rc < 0)
            return rc;
        khz[i] = round(hz[i] / 1e3);
        if (khz[i] < knob->least || khz[i] > knob->most)
            return out_of_range(knob, hz[i], err);
    }
    char raw[32];
    (void)snprintf(raw, sizeof raw, "%.0f", khz[0]);
    return wish->form == WTL_FREQUENCY_ONE && knob->choices[0] && !has_word(knob->choices, raw)
               ? not_offered(knob, khz[0], err)
               : 0;
}

/* With the governor userspace the frequency is a value of its own. */
static int want_speed(struct plan *p,
                      const struct wtl_knob *of,
                      double khz,
                      struct wattle_error *err)
{
    char raw[32];
    const struct wtl_knob *governor = sibling(p, of, WTL_KNOB_GOVERNOR),
                          *speed = sibling(p, of, WTL_KNOB_FREQUENCY);
    const char *rule = p->request->governor[0] ? p->request->governor
                       : governor              ? governor->value
                                               : "";
    if (!speed || strcmp(rule, "userspace") != 0)
        return 0;
    (void)snprintf(raw, sizeof raw, "%.0f", khz);
    return want(p, speed, raw, err);
}

/* The limit of one policy or package: the lower end of the wish, or the upper one. */
static int want_limit(struct plan *p,
                      const struct wtl_knob *knob,
                      const struct wtl_frequency_wish *wish,
                      struct wattle_error *err)
{
    double khz[2] = {(double)NAN, (double)NAN};
    char raw[32];
    bool upper =
        knob->row->kind == WTL_KNOB_FREQUENCY_MAX || knob->row->kind == WTL_KNOB_UNCORE_MAX;
    int rc = resolve(p, knob, wish, khz, err);
    if (rc < 0)
        return rc;
    (void)snprintf(raw, sizeof raw, "%.0f", khz[upper]);
    rc = want(p, knob, raw, err);
    return rc == 0 && knob->row->kind == WTL_KNOB_FREQUENCY_MAX ? want_speed(p, knob, khz[1], err)
                                                                : rc;
}

static bool is_limit_of(const struct wtl_knob *knob, enum wtl_ask ask)
{
    enum wtl_knob_kind kind = knob->row->kind;
    return ask == WTL_ASK_FREQUENCY
               ? kind == WTL_KNOB_FREQUENCY_MIN || kind == WTL_KNOB_FREQUENCY_MAX
               : kind == WTL_KNOB_UNCORE_MIN || kind == WTL_KNOB_UNCORE_MAX;
}

static int plan_frequency(struct plan *p,
                          enum wtl_ask ask,
                          const struct wtl_frequency_wish *wish,
                          struct wattle_error *err)
{
    bool any = false;
    int rc = 0;
    if (wish->form == WTL_FREQUENCY_LEAVE)
        return 0;
    for (size_t i = 0; i < p->knobs->count && rc == 0; i++) {
        const struct wtl_knob *knob = &p->knobs->items[i];
        if (!is_limit_of(knob, ask) || !wtl_cpu_set_meets(&p->knobs->sets[knob->cpus], &p->owned))
            continue;
        any = true;
        rc = want_limit(p, knob, wish, err);
    }
    if (rc == 0 && !any)
        return no_knob(
            ask,
            ask == WTL_ASK_FREQUENCY ? " (no cpufreq driver, as in most virtual machines)" : "",
            err);
    return rc;
}

static int plan_word(struct plan *p,
                     enum wtl_ask ask,
                     enum wtl_knob_kind kind,
                     const char *word,
                     struct wattle_error *err)
{
    bool any = false;
    int rc = 0;
    for (size_t i = 0; i < p->knobs->count && rc == 0 && word[0]; i++) {
        const struct wtl_knob *knob = &p->knobs->items[i];
        bool number = kind == WTL_KNOB_EPP && !isnan(wtl_knob_number(word));
        if (knob->row->kind != kind || !wtl_cpu_set_meets(&p->knobs->sets[knob->cpus], &p->owned))
            continue;
        any = true;
        if (knob->choices[0] && !number && !has_word(knob->choices, word))
            return wtl_fail(err, -EINVAL, "%s: \"%s\" is not offered; use one of: %.300s", knob->id,
                            word, knob->choices);
        rc = want(p, knob, word, err);
        if (kind == WTL_KNOB_GOVERNOR)
            with_policy(p, knob);
    }
    return rc == 0 && word[0] && !any ? no_knob(ask, "", err) : rc;
}

static int plan_turbo(struct plan *p, struct wattle_error *err)
{
    bool any = false;
    int rc = 0;
    for (size_t i = 0; i < p->knobs->count && rc == 0 && p->request->turbo; i++) {
        const struct wtl_knob *knob = &p->knobs->items[i];
        bool on = (p->request->turbo > 0) != (knob->row->kind == WTL_KNOB_TURBO_OFF);
        if (knob->row->kind > WTL_KNOB_TURBO_CPU ||
            !wtl_cpu_set_meets(&p->knobs->sets[knob->cpus], &p->owned) ||
            (any && knob->row->kind == WTL_KNOB_TURBO_CPU &&
             p->knobs->items[0].row->kind < WTL_KNOB_TURBO_CPU))
            continue;
        any = true;
        rc = want(p, knob, on ? "1" : "0", err);
        with_policy(p, knob);
    }
    return rc == 0 && p->request->turbo && !any ? no_knob(WTL_ASK_TURBO, "", err) : rc;
}

/* The long-term limit of the package; the zones over MMIO limit the same packages a second time. */
static bool is_package_limit(const struct wtl_knob *knob)
{
    static const char suffix[] = "/long_term";
    size_t n = strlen(knob->id), m = sizeof suffix - 1;
    return (knob->row->kind == WTL_KNOB_LIMIT || knob->row->kind == WTL_KNOB_WINDOW) &&
           knob->of_package && n > m && strcmp(knob->id + n - m, suffix) == 0 &&
           !strstr(knob->id, ":intel-rapl-mmio:");
}

static int check_limit(const struct plan *p, const struct wtl_knob *knob, struct wattle_error *err)
{
    const struct wtl_hold_request *r = p->request;
    if (r->high_w > 0 && (r->limit_w < r->low_w || r->limit_w > r->high_w))
        return wtl_fail(err, -EINVAL,
                        "%g W is outside of the range that this site allows: %g to %g W",
                        r->limit_w, r->low_w, r->high_w);
    if (r->limit_w * 1e6 > knob->most)
        return wtl_fail(err, -EINVAL, "%s: %g W is out of range: at most %g W", knob->id,
                        r->limit_w, knob->most * 1e-6);
    return 0;
}

/* A limit of a zone that is switched off would be shown, but not be in force. */
static int want_in_force(struct plan *p, const struct wtl_knob *limit, struct wattle_error *err)
{
    const char *end = strrchr(limit->path, '/');
    for (size_t i = 0; i < p->knobs->count; i++) {
        const struct wtl_knob *knob = &p->knobs->items[i];
        if (knob->row->kind != WTL_KNOB_ENABLED || strcmp(knob->value, "0") != 0 ||
            strncmp(knob->path, limit->path, (size_t)(end + 1 - limit->path)) != 0)
            continue;
        if (p->request->limit_on)
            return want(p, knob, "1", err);
        return wtl_fail(
            err, -EINVAL,
            "%s is switched off, so that %s would not be in force; --power-limit %gW:on "
            "switches it on as well, until the end",
            knob->id, limit->id, p->request->limit_w);
    }
    return 0;
}

static int want_package_limit(struct plan *p, const struct wtl_knob *knob, struct wattle_error *err)
{
    char raw[32];
    int rc = check_limit(p, knob, err);
    (void)snprintf(raw, sizeof raw, "%.0f", p->request->limit_w * 1e6);
    rc = rc < 0 ? rc : want(p, knob, raw, err);
    return rc < 0 ? rc : want_in_force(p, knob, err);
}

static int plan_limit(struct plan *p, struct wattle_error *err)
{
    const struct wtl_hold_request *r = p->request;
    bool any = false;
    int rc = 0;
    for (size_t i = 0; i < p->knobs->count && rc == 0 && r->limit_w > 0; i++) {
        const struct wtl_knob *knob = &p->knobs->items[i];
        char raw[32];
        if (!is_package_limit(knob) || !wtl_cpu_set_meets(&p->knobs->sets[knob->cpus], &p->owned))
            continue;
        bool window = knob->row->kind == WTL_KNOB_WINDOW;
        if (window && !(r->window_s > 0))
            continue;
        any = any || !window;
        (void)snprintf(raw, sizeof raw, "%.0f", r->window_s * 1e6);
        rc = window ? want(p, knob, raw, err) : want_package_limit(p, knob, err);
    }
    return rc == 0 && r->limit_w > 0 && !any
               ? no_knob(WTL_ASK_POWER_LIMIT, " (powercap with a long_term limit)", err)
               : rc;
}

static int plan_all(struct plan *p, struct wattle_error *err)
{
    const struct wtl_hold_request *r = p->request;
    int rc = plan_turbo(p, err);
    rc = rc < 0 ? rc : plan_word(p, WTL_ASK_GOVERNOR, WTL_KNOB_GOVERNOR, r->governor, err);
    rc = rc < 0 ? rc : plan_frequency(p, WTL_ASK_FREQUENCY, &r->frequency, err);
    rc = rc < 0 ? rc : plan_word(p, WTL_ASK_EPP, WTL_KNOB_EPP, r->epp, err);
    rc = rc < 0 ? rc : plan_frequency(p, WTL_ASK_UNCORE, &r->uncore, err);
    return rc < 0 ? rc : plan_limit(p, err);
}

static int fill(const struct plan *p, struct wtl_journal *ret_journal, struct wattle_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < p->knobs->count; i++)
        count += p->ask[i][0] || (p->beside[i] && !p->knobs->items[i].read_error);
    if (count == 0)
        return wtl_fail(err, -EINVAL, "nothing to change");
    if (wtl_journal_init(ret_journal, count) < 0)
        return wtl_no_memory_for(err, "the journal");
    struct wtl_journal_entry *e = ret_journal->entries;
    for (size_t i = 0; i < p->knobs->count; i++) {
        const struct wtl_knob *knob = &p->knobs->items[i];
        if (!p->ask[i][0] && (!p->beside[i] || knob->read_error))
            continue;
        e->kind = knob->row->kind;
        e->state = WTL_ENTRY_PLANNED;
        memcpy(e->id, knob->id, sizeof e->id);
        memcpy(e->path, knob->path, sizeof e->path);
        memcpy(e->old, knob->value, sizeof e->old);
        memcpy(e->ask, p->ask[i], sizeof e->ask);
        e++;
    }
    return 0;
}

/* CPUs that are named, but are not there. */
static int check_online(const struct plan *p, struct wattle_error *err)
{
    char absent[128];
    if (!p->request->cpus || p->knobs->set_count == 0)
        return 0;
    wtl_cpu_set_without(&p->owned, &p->knobs->sets[0], absent, sizeof absent);
    return absent[0] ? wtl_fail(err, -EINVAL, "--cpus: CPU%s %s %s not online",
                                strpbrk(absent, ",-") ? "s" : "", absent,
                                strpbrk(absent, ",-") ? "are" : "is")
                     : 0;
}

int wtl_hold_plan(const struct wtl_knob_list *knobs,
                  const struct wtl_hold_request *request,
                  struct wtl_journal *ret_journal,
                  struct wattle_error *err)
{
    struct plan p = {.knobs = knobs, .request = request};
    if (request->cpus)
        p.owned = *request->cpus;
    else if (sched_getaffinity(0, sizeof p.owned, (cpu_set_t *)(void *)&p.owned) < 0)
        return wtl_fail(err, -errno, "cannot read the CPUs that this process may use: %s",
                        wtl_strerror(errno));
    p.ask = calloc(knobs->count + 1, sizeof *p.ask);
    p.beside = calloc(knobs->count + 1, sizeof *p.beside);
    int rc = p.ask && p.beside ? check_online(&p, err)
                               : wtl_no_memory_for(err, "%zu knobs", knobs->count);
    assert(rc < 0 || (p.ask && p.beside));
    rc = rc < 0 ? rc : plan_all(&p, err);
    rc = rc < 0 ? rc : fill(&p, ret_journal, err);
    free(p.ask);
    free(p.beside);
    return rc;
}

bool wtl_hold_accepts(const struct wtl_journal_entry *e, const char *seen, bool *ret_exact)
{
    double ask = wtl_knob_number(e->ask), now = wtl_knob_number(seen), least;
    *ret_exact = strcmp(e->ask, seen) == 0;
    if (*ret_exact || isnan(ask) || isnan(now) || strcmp(seen, e->old) == 0)
        return *ret_exact;
    if (e->kind == WTL_KNOB_WINDOW) /* 2^Y * (1 + Z/4) units: in steps of up to 25 % */
        return now > ask / 1.5 && now < ask * 1.5;
    least =
        e->kind == WTL_KNOB_LIMIT ? 5e5 : 6e4; /* W in steps of 1/8; kHz in steps of up to 100000 */
    return fabs(now - ask) <= fmax(least, e->kind == WTL_KNOB_LIMIT ? 0.01 * ask : 0);
}
