/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of "wattle-sim run" (sim_options.h). Domain settings are collected first and applied when
 * all are known, so that the order of options does not matter: general values before those of one
 * domain.
 */
#define _GNU_SOURCE
#include "sim/sim_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/random.h"
#include "sim/phases/phase_options.h"
#include "sim/speed.h"

/* Fixed, so that a node's behaviour does not depend on the machine it runs on. */
#define DEFAULT_CPU "skylake-sp"

enum { SETTINGS = 128 };

enum key {
    KEY_POWER,
    KEY_TICK,
    KEY_PHASE,
    KEY_JITTER,
    KEY_UNIT,
    KEY_RANGE,
    KEY_RAW0,
    KEY_WANDER,
    KEY_NODE = 1000, /* settings of the node, from here on */
    KEY_JITTER_KIND,
    KEY_GRID,
    KEY_SEED,
    KEY_SOCKETS,
    KEY_FREQUENCY,
    KEY_TURBO,
    KEY_POLICY,
    KEY_SCALING,
    KEY_SPEED,
    KEY_TDP,
    KEY_T0,
    KEY_LOAD,
    KEY_FAULT,
    KEY_VIEW,
    KEY_CPU,
    KEY_MSR,
    KEY_LOG,
    KEY_PHASES,
    KEY_TASKS,
    KEY_PROGRAMS,
    KEY_PERF,
    KEY_GPU,
    KEY_HELP
};

/* [DOMAIN=]VALUE of a domain option. */
struct setting {
    enum key key;
    int domain, index; /* -1 = all */
    const char *value;
};

struct parser {
    struct wtl_sim_options *options;
    struct setting settings[SETTINGS];
    size_t count;
    bool normal_jitter;
    char gpu_powers[WTL_SIM_GPUS][256];
    struct wattle_error *err;
};

static const struct option names[] = {
    {"power", required_argument, NULL, KEY_POWER},
    {"tick-us", required_argument, NULL, KEY_TICK},
    {"phase-us", required_argument, NULL, KEY_PHASE},
    {"jitter-us", required_argument, NULL, KEY_JITTER},
    {"unit-exp", required_argument, NULL, KEY_UNIT},
    {"range-bits", required_argument, NULL, KEY_RANGE},
    {"raw0", required_argument, NULL, KEY_RAW0},
    {"wander", required_argument, NULL, KEY_WANDER},
    {"jitter-kind", required_argument, NULL, KEY_JITTER_KIND},
    {"grid-us", required_argument, NULL, KEY_GRID},
    {"seed", required_argument, NULL, KEY_SEED},
    {"sockets", required_argument, NULL, KEY_SOCKETS},
    {"frequency", required_argument, NULL, KEY_FREQUENCY},
    {"turbo", required_argument, NULL, KEY_TURBO},
    {"cpus-per-policy", required_argument, NULL, KEY_POLICY},
    {"scaling-driver", required_argument, NULL, KEY_SCALING},
    {"speed", required_argument, NULL, KEY_SPEED},
    {"tdp", required_argument, NULL, KEY_TDP},
    {"t0", required_argument, NULL, KEY_T0},
    {"load-us", required_argument, NULL, KEY_LOAD},
    {"fault", required_argument, NULL, KEY_FAULT},
    {"view", required_argument, NULL, KEY_VIEW},
    {"cpu", required_argument, NULL, KEY_CPU},
    {"unknown-msr", required_argument, NULL, KEY_MSR},
    {"log", required_argument, NULL, KEY_LOG},
    {"phases", required_argument, NULL, KEY_PHASES},
    {"tasks", required_argument, NULL, KEY_TASKS},
    {"programs", required_argument, NULL, KEY_PROGRAMS},
    {"perf", required_argument, NULL, KEY_PERF},
    {"gpu", required_argument, NULL, KEY_GPU},
    {"help", no_argument, NULL, KEY_HELP},
    {NULL, 0, NULL, 0},
};

static const char *option_name(enum key key)
{
    size_t i = 0;
    while (names[i].name && names[i].val != (int)key)
        i++;
    return names[i].name;
}

static int bad_value(struct parser *p, enum key key, const char *value, const char *remedy)
{
    return wtl_fail(p->err, -EINVAL, "--%s %s: %s", option_name(key), value, remedy);
}

/* Split [DOMAIN=]VALUE; only --power requires a domain. An expression may contain "==" or "<=". */
static int add_setting(struct parser *p, enum key key, const char *text)
{
    struct setting *s = &p->settings[p->count];
    if (p->count == SETTINGS)
        return wtl_fail(p->err, -EINVAL, "more than %d settings of domains", SETTINGS);
    *s = (struct setting){.key = key, .domain = -1, .index = -1, .value = text};
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789-");
    if (text[n] == '=' && text[n + 1] != '=') {
        if (wtl_fault_domain(text, n, &s->domain, &s->index) < 0)
            return wtl_fail(
                p->err, -EINVAL,
                "--%s %s: unknown domain '%.*s'; domains are node, psys, package, core, "
                "uncore, dram, gpu, ..., with -N for one of them: package-1",
                option_name(key), text, (int)n, text);
        s->value = text + n + 1;
    } else if (key == KEY_POWER) {
        return bad_value(p, key, text, "write DOMAIN=EXPRESSION, such as package=60+40*load");
    }
    p->count++;
    return 0;
}

static int parse_views(struct parser *p, const char *text)
{
    static const struct {
        const char *name;
        unsigned view;
    } views[] = {{"powercap", WTL_VIEW_POWERCAP}, {"msr", WTL_VIEW_MSR},
                 {"hwmon", WTL_VIEW_HWMON},       {"cray", WTL_VIEW_CRAY},
                 {"cpufreq", WTL_VIEW_CPUFREQ},   {"all", 0x1f}};
    unsigned chosen = 0;
    for (const char *at = text; *at; at += *at == ',') {
        size_t n = strcspn(at, ","), i = 0;
        while (i < sizeof views / sizeof *views &&
               (strlen(views[i].name) != n || memcmp(views[i].name, at, n) != 0))
            i++;
        if (i == sizeof views / sizeof *views)
            return bad_value(
                p, KEY_VIEW, text,
                "views are powercap, msr, hwmon, cray, cpufreq and all, separated by commas");
        chosen |= views[i].view;
        at += n;
    }
    p->options->tree.views = chosen;
    return 0;
}

static int parse_cpu(struct parser *p, const char *text)
{
    char known[256] = "";
    p->options->tree.model = wtl_cpu_model_find(text);
    if (p->options->tree.model)
        return 0;
    for (unsigned i = 0; wtl_cpu_model_row(i); i++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "known are ",
                       wtl_cpu_model_row(i)->name); /* the table is shorter */
    }
    return bad_value(p, KEY_CPU, text, known);
}

/* Parse a number within limits. */
static int number(struct parser *p,
                  enum key key,
                  const char *text,
                  double low,
                  double high,
                  double *ret)
{
    double value;
    char remedy[80];
    if (wtl_parse_double(text, &value) < 0 || !(value >= low && value <= high)) {
        (void)snprintf(remedy, sizeof remedy, "must be a number from %g to %g", low, high);
        return bad_value(p, key, text, remedy);
    }
    *ret = value;
    return 0;
}

static int natural(struct parser *p, enum key key, const char *text, uint64_t *ret)
{
    return wtl_parse_u64(text, ret) < 0 ? bad_value(p, key, text, "must be a whole number >= 0")
                                        : 0;
}

static int parse_fault(struct parser *p, const char *text)
{
    struct wtl_node_config *node = &p->options->node;
    if (node->fault_count == WTL_NODE_FAULTS)
        return wtl_fail(p->err, -EINVAL, "more than %d faults", WTL_NODE_FAULTS);
    int rc = wtl_fault_parse(text, &node->faults[node->fault_count], p->err);
    node->fault_count += rc == 0;
    return rc;
}

/* GHZ, or LOW-GHZ[:STEP]: the nominal frequency, and how far and how finely it can be lowered. */
static int parse_frequency(struct parser *p, const char *text)
{
    struct wtl_sim_knobs_config *knobs = &p->options->node.knobs;
    double *nominal = &p->options->node.f;
    char word[64];
    char *dash, *colon;
    if ((size_t)snprintf(word, sizeof word, "%s", text) >= sizeof word)
        return bad_value(p, KEY_FREQUENCY, text, "write GHZ, or LOW-GHZ[:STEP], such as 1.2-2.3");
    dash = strchr(word, '-');
    colon = strchr(word, ':');
    if (!dash || dash == word)
        return number(p, KEY_FREQUENCY, text, 0.001, 100, nominal);
    *dash++ = '\0';
    if (colon)
        *colon++ = '\0';
    int rc = number(p, KEY_FREQUENCY, word, 0.001, 100, &knobs->low_ghz);
    rc = rc < 0 ? rc : number(p, KEY_FREQUENCY, dash, knobs->low_ghz, 100, nominal);
    if (rc == 0 && colon)
        rc = number(p, KEY_FREQUENCY, colon, 0.001, 100, &knobs->step_ghz);
    return rc;
}

static int parse_scaling(struct parser *p, const char *text)
{
    for (int i = WTL_SCALING_ACPI; i <= WTL_SCALING_AMD; i++) {
        if (strcmp(text, wtl_sim_knobs_driver_name((enum wtl_scaling_driver)i)) == 0) {
            p->options->node.knobs.driver = (enum wtl_scaling_driver)i;
            return 0;
        }
    }
    return bad_value(p, KEY_SCALING, text,
                     "drivers are acpi-cpufreq, intel_pstate, amd-pstate-epp");
}

/* Numbers that apply to the whole node. */
static int parse_node_number(struct parser *p, enum key key, const char *text)
{
    struct wtl_sim_options *o = p->options;
    double value = 0;
    int rc;
    switch (key) {
    case KEY_GRID:
        rc = number(p, key, text, 1, 1e6, &value);
        o->node.grid_ns = (uint64_t)(value * 1e3);
        return rc;
    case KEY_LOAD:
        rc = number(p, key, text, 500, 1e6, &value);
        o->load_us = (unsigned)value;
        return rc;
    case KEY_SOCKETS:
        rc = number(p, key, text, 1, o->tree.cpus, &value);
        o->tree.sockets = (int)value;
        return rc;
    case KEY_FREQUENCY:
        return parse_frequency(p, text);
    case KEY_TURBO:
        return number(p, key, text, 0.001, 100, &o->node.knobs.turbo_ghz);
    case KEY_POLICY:
        rc = number(p, key, text, 1, WTL_SIM_KNOB_CPUS, &value);
        o->node.knobs.cpus_per_policy = (int)value;
        return rc;
    case KEY_TDP:
        return number(p, key, text, 1, 1e5, &o->node.knobs.tdp_w);
    case KEY_SEED:
        return natural(p, key, text, &o->node.seed);
    default:
        return natural(p, key, text, &o->node.t0_ns);
    }
}

static int parse_choice(struct parser *p,
                        enum key key,
                        const char *text,
                        const char *no,
                        const char *yes,
                        bool *ret)
{
    char remedy[80];
    *ret = strcmp(text, yes) == 0;
    if (*ret || strcmp(text, no) == 0)
        return 0;
    (void)snprintf(remedy, sizeof remedy, "give %s or %s", no, yes);
    return bad_value(p, key, text, remedy);
}

/* How perf_event_open(2) is answered. */
static int parse_perf(struct parser *p, const char *text)
{
    struct wtl_sim_options *o = p->options;
    double value = 0;
    o->perf_given = true;
    o->perf_host = strcmp(text, "host") == 0;
    o->pmu.denied = strcmp(text, "denied") == 0;
    o->perf_none = strcmp(text, "none") == 0;
    o->pmu.counters = 0;
    if (o->perf_host || o->pmu.denied || o->perf_none || strcmp(text, "all") == 0)
        return 0;
    if (wtl_parse_double(text, &value) < 0 || !(value >= 1 && value <= 64))
        return bad_value(p, KEY_PERF, text,
                         "give a number of hardware counters (1 to 64), all, none, denied or host");
    o->pmu.counters = (unsigned)value;
    return 0;
}

/* GPUs are domains of the node like others; their settings by --tick-us and the like come later. */
static int parse_gpu(struct parser *p, const char *text)
{
    struct wtl_sim_options *o = p->options;
    size_t first = o->gpus.count, length;
    const char *power;
    char expression[256];
    int rc = wtl_sim_gpu_parse(&o->gpus, text, &power, &length, p->err);
    if (rc < 0)
        return rc;
    (void)snprintf(expression, sizeof expression, "%.*s", (int)length, power); /* it is shorter */
    for (size_t i = first; i < o->gpus.count; i++)
        (void)snprintf(p->gpu_powers[i], sizeof p->gpu_powers[i], "%s", expression);
    return 0;
}

static int parse_tasks(struct parser *p, const char *text)
{
    struct wattle_error why = {""};
    int rc = wtl_sim_follow_create(text, &p->options->follow, &why);
    return rc < 0 ? wtl_fail(p->err, rc, "--tasks: %s", why.text) : 0;
}

static int parse_programs(struct parser *p, const char *text)
{
    struct wattle_error why = {""};
    int rc = wtl_sim_programs_create(text, p->options->tree.cpus, &p->options->programs, &why);
    return rc < 0 ? wtl_fail(p->err, rc, "--programs: %s", why.text) : 0;
}

/* What the node's power follows; the last one of each kind counts. */
static int parse_followed(struct parser *p, enum key key, const char *text)
{
    struct wtl_sim_options *o = p->options;
    if (key == KEY_PHASES) {
        wtl_sim_track_destroy(o->track);
        o->track = NULL;
        return wtl_sim_phases_parse(wtl_world_real(), text, &o->track, p->err);
    }
    if (key == KEY_TASKS) {
        wtl_sim_follow_destroy(o->follow);
        o->follow = NULL;
        return parse_tasks(p, text);
    }
    wtl_sim_programs_destroy(o->programs);
    o->programs = NULL;
    return parse_programs(p, text);
}

static int parse_option(struct parser *p, enum key key, const char *text)
{
    if (key < KEY_NODE)
        return add_setting(p, key, text);
    if (key >= KEY_PHASES && key <= KEY_PROGRAMS)
        return parse_followed(p, key, text);
    switch (key) {
    case KEY_FAULT:
        return parse_fault(p, text);
    case KEY_VIEW:
        return parse_views(p, text);
    case KEY_CPU:
        return parse_cpu(p, text);
    case KEY_SCALING:
        return parse_scaling(p, text);
    case KEY_SPEED:
        wtl_expression_destroy(p->options->speed);
        p->options->speed = NULL;
        return wtl_speed_compile(text, &p->options->speed, p->err);
    case KEY_JITTER_KIND:
        return parse_choice(p, key, text, "uniform", "normal", &p->normal_jitter);
    case KEY_MSR:
        return parse_choice(p, key, text, "eio", "zero", &p->options->tree.msr_zero);
    case KEY_LOG:
        p->options->log_path = text;
        return 0;
    case KEY_PERF:
        return parse_perf(p, text);
    case KEY_GPU:
        return parse_gpu(p, text);
    case KEY_HELP:
        p->options->help = true;
        return 0;
    default:
        return parse_node_number(p, key, text);
    }
}

/* The domain of the node, created if it does not exist yet. */
static int add_domain(struct parser *p,
                      enum wattle_domain domain,
                      int index,
                      struct wtl_node_domain **ret)
{
    struct wtl_node_config *node = &p->options->node;
    size_t i = 0;
    while (i < node->domain_count &&
           (node->domains[i].domain != domain || node->domains[i].index != index))
        i++;
    if (i == WTL_NODE_DOMAINS)
        return wtl_fail(p->err, -EINVAL, "more than %d domains", WTL_NODE_DOMAINS);
    if (i == node->domain_count) {
        node->domains[i] = wtl_node_domain_init(domain, index, NULL, node->seed);
        node->domain_count++;
    }
    *ret = &node->domains[i];
    return 0;
}

/* The node of the slides on which the task model was published. */
static const char tasks_power[] = "80.15+(busy>0 ? 78.25 : 0)+tasks",
                  programs_power[] = "20+programs";

static int compile_power(struct parser *p, const struct setting *s, struct wtl_expression **ret)
{
    struct wattle_error why;
    const char *domain = wattle_domain_name((enum wattle_domain)s->domain);
    int rc = wtl_expression_compile(s->value, wtl_power_variables, WTL_POWER_VARIABLES, ret, &why);
    if (rc < 0)
        return wtl_fail(p->err, rc, "--power %s: %s", domain, why.text);
    bool phases = !p->options->track && wtl_expression_uses(*ret, WTL_POWER_PHASES);
    bool tasks = !p->options->follow && (wtl_expression_uses(*ret, WTL_POWER_TASKS) ||
                                         wtl_expression_uses(*ret, WTL_POWER_BUSY));
    bool programs = !p->options->programs && wtl_expression_uses(*ret, WTL_POWER_PROGRAMS);
    if (!phases && !tasks && !programs)
        return 0;
    wtl_expression_destroy(*ret);
    *ret = NULL;
    return phases ? wtl_fail(p->err, -EINVAL,
                             "--power %s: phases is known only with --phases NAME|FILE", domain)
           : programs
               ? wtl_fail(p->err, -EINVAL,
                          "--power %s: programs is known only with --programs NAME=WATTS", domain)
               : wtl_fail(p->err, -EINVAL,
                          "--power %s: tasks and busy are known only with --tasks NAME=WATTS",
                          domain);
}

static int apply_power(struct parser *p, const struct setting *s)
{
    struct wtl_sim_options *o = p->options;
    enum wattle_domain domain = (enum wattle_domain)s->domain;
    bool per_socket = domain == WATTLE_DOMAIN_PACKAGE || domain == WATTLE_DOMAIN_CORE ||
                      domain == WATTLE_DOMAIN_UNCORE || domain == WATTLE_DOMAIN_DRAM;
    int first = s->index < 0 ? 0 : s->index;
    int last = s->index < 0 && per_socket ? o->tree.sockets - 1 : first;
    if (per_socket && first >= o->tree.sockets)
        return wtl_fail(p->err, -EINVAL, "--power %s-%d: this node has %d socket%s; see --sockets",
                        wattle_domain_name(domain), first, o->tree.sockets,
                        o->tree.sockets > 1 ? "s" : "");
    if (o->power_count == WTL_NODE_DOMAINS)
        return wtl_fail(p->err, -EINVAL, "more than %d powers", WTL_NODE_DOMAINS);
    int rc = compile_power(p, s, &o->powers[o->power_count]);
    if (rc < 0)
        return rc;
    const struct wtl_expression *power = o->powers[o->power_count++];
    for (int index = first; rc == 0 && index <= last; index++) {
        struct wtl_node_domain *d = NULL;
        rc = add_domain(p, domain, index, &d);
        if (d)
            d->power = power;
    }
    return rc;
}

static int apply_number(struct parser *p, const struct setting *s, struct wtl_node_domain *d)
{
    double value = 0;
    int rc;
    switch (s->key) {
    case KEY_TICK:
        rc = number(p, s->key, s->value, 1, 1e9, &value);
        d->tick_ns = (uint64_t)(value * 1e3);
        return rc;
    case KEY_PHASE:
        rc = number(p, s->key, s->value, 0, 1e9, &value);
        d->phase_ns = (uint64_t)(value * 1e3);
        return rc;
    case KEY_JITTER:
        rc = number(p, s->key, s->value, 0, 1e9, &value);
        d->jitter_ns = value * 1e3;
        return rc;
    case KEY_UNIT:
        rc = number(p, s->key, s->value, 0, 30, &value);
        d->unit_exp = (unsigned)value;
        return rc;
    case KEY_RANGE:
        rc = number(p, s->key, s->value, 8, 48, &value);
        d->range_bits = (unsigned)value;
        return rc;
    default:
        return natural(p, s->key, s->value, &d->raw0);
    }
}

/* W:SECONDS */
static int apply_wander(struct parser *p, const struct setting *s, struct wtl_node_domain *d)
{
    char watts[40];
    const char *colon = strchr(s->value, ':');
    uint64_t tau_ns;
    size_t n = colon ? (size_t)(colon - s->value) : 0;
    if (!colon || n >= sizeof watts)
        return bad_value(p, KEY_WANDER, s->value, "must be W:TIME, such as 10:50ms");
    memcpy(watts, s->value, n);
    watts[n] = '\0';
    int rc = number(p, KEY_WANDER, watts, 0, 1e6, &d->wander_w);
    if (rc == 0 && (wtl_parse_duration(colon + 1, &tau_ns) < 0 || tau_ns == 0))
        rc = bad_value(p, KEY_WANDER, s->value,
                       "the correlation time must be a duration, such as 50ms");
    if (rc == 0)
        d->wander_tau_s = (double)tau_ns * 1e-9;
    return rc;
}

/* Settings for all domains in the first pass, for one kind in the second, for one domain in the
 * third. */
static int apply_settings(struct parser *p, int pass)
{
    struct wtl_node_config *node = &p->options->node;
    for (size_t i = 0; i < p->count; i++) {
        const struct setting *s = &p->settings[i];
        bool hit = false;
        if (s->key == KEY_POWER || (s->domain >= 0) + (s->index >= 0) != pass)
            continue;
        for (size_t k = 0; k < node->domain_count; k++) {
            struct wtl_node_domain *d = &node->domains[k];
            if ((s->domain >= 0 && s->domain != (int)d->domain) ||
                (s->index >= 0 && s->index != d->index))
                continue;
            hit = true;
            int rc = s->key == KEY_WANDER ? apply_wander(p, s, d) : apply_number(p, s, d);
            if (rc < 0)
                return rc;
        }
        if (!hit)
            return bad_value(p, s->key, s->value, "no such domain in this node; see --power");
    }
    return 0;
}

/* Before --power gpu-N, which may change them. */
static int apply_gpus(struct parser *p)
{
    struct wtl_sim_options *o = p->options;
    for (size_t i = 0; i < o->gpus.count; i++) {
        const struct wtl_sim_gpu *gpu = &o->gpus.list[i];
        const struct setting power = {KEY_POWER, WATTLE_DOMAIN_GPU, gpu->index, p->gpu_powers[i]};
        int rc = apply_power(p, &power);
        if (rc < 0)
            return rc;
        struct wtl_node_domain *d = &o->node.domains[o->node.domain_count - 1];
        *d = wtl_sim_gpu_domain(gpu, d->power, o->node.seed);
    }
    if (o->gpus.count > 0)
        o->tree.gpus = &o->gpus;
    return 0;
}

/* Of a node whose power follows something; NULL = it does not. */
static const char *followed_power(const struct wtl_sim_options *o)
{
    return o->follow ? tasks_power : o->programs ? programs_power : o->track ? "phases" : NULL;
}

static int apply_powers(struct parser *p)
{
    static const struct setting defaults[] = {
        {KEY_POWER, WATTLE_DOMAIN_PACKAGE, -1, "30+70*load"},
        {KEY_POWER, WATTLE_DOMAIN_CORE, -1, "10+60*load"},
        {KEY_POWER, WATTLE_DOMAIN_DRAM, -1, "4+8*load"},
    };
    bool given = false;
    int rc = apply_gpus(p);
    for (int pass = 0; pass < 2; pass++) { /* package before package-1, in whatever order they were
                                            * given */
        for (size_t i = 0; rc == 0 && i < p->count; i++) {
            if (p->settings[i].key != KEY_POWER || (p->settings[i].index >= 0) != (pass == 1))
                continue;
            rc = apply_power(p, &p->settings[i]);
            given = true;
        }
    }
    const char *followed = followed_power(p->options);
    if (!given && followed) {
        const struct setting whole = {KEY_POWER, WATTLE_DOMAIN_PACKAGE, 0, followed};
        return rc < 0 ? rc : apply_power(p, &whole);
    }
    for (size_t i = 0; rc == 0 && !given && i < sizeof defaults / sizeof *defaults; i++)
        rc = apply_power(p, &defaults[i]);
    return rc;
}

static int finish(struct parser *p)
{
    struct wtl_sim_options *o = p->options;
    int rc = apply_powers(p);
    for (size_t i = 0; i < o->node.domain_count; i++) {
        struct wtl_node_domain *d = &o->node.domains[i];
        if (d->domain == WATTLE_DOMAIN_DRAM)
            d->unit_exp = o->tree.model->dram_unit_exp;
        d->jitter_normal = p->normal_jitter;
    }
    for (int pass = 0; rc == 0 && pass < 3; pass++)
        rc = apply_settings(p, pass);
    o->node.track = o->pmu.track = o->track;
    o->pmu.programs = o->programs;
    if (o->perf_none)
        o->pmu = (struct wtl_sim_pmu_config){.cpus = 0};
    o->tree.stat = o->programs && o->tree.cpus <= WTL_TREE_STAT_CPUS;
    if (o->programs && (o->follow || o->track))
        return wtl_fail(p->err, -EINVAL, "--programs goes with neither --tasks nor --phases");
    o->pmu.cpus = o->tree.cpus;
    if (o->track)
        o->tree.views |= WTL_VIEW_COUNTERS;
    o->tree.views |= WTL_VIEW_CPUINFO; /* --view would have removed it */
    return rc;
}

int wtl_sim_options_parse(struct wtl_sim_options *options,
                          int argc,
                          char **argv,
                          int cpus,
                          struct wattle_error *err)
{
    struct parser p = {.options = options, .err = err};
    *options = (struct wtl_sim_options){
        .node = wtl_node_config_init(0), .tree = wtl_tree_config_init(), .load_us = 2000};
    options->tree.cpus = options->node.knobs.cpus = cpus;
    options->tree.model = wtl_cpu_model_find(DEFAULT_CPU);
    options->tree.views = WTL_VIEW_POWERCAP | WTL_VIEW_MSR;
    options->node.seed = 1;
    optind = 0; /* restart */
    opterr = 0;
    for (int key; (key = getopt_long(argc, argv, "+:h", names, NULL)) != -1;) {
        if (key == '?')
            return wtl_fail(err, -EINVAL, "unknown option %s; see wattle-sim run --help",
                            argv[optind - 1]);
        if (key == ':')
            return wtl_fail(err, -EINVAL, "%s requires a value; see wattle-sim run --help",
                            argv[optind - 1]);
        int rc = parse_option(&p, key == 'h' ? KEY_HELP : (enum key)key, optarg);
        if (rc < 0)
            return rc;
    }
    options->command = argv + optind;
    if (options->help)
        return 0;
    if (!*options->command)
        return wtl_fail(err, -EINVAL,
                        "no command given; use wattle-sim run [OPTIONS] -- COMMAND...");
    return finish(&p);
}

void wtl_sim_options_fini(struct wtl_sim_options *options)
{
    for (size_t i = 0; i < options->power_count; i++)
        wtl_expression_destroy(options->powers[i]);
    options->power_count = 0;
    wtl_expression_destroy(options->speed);
    options->speed = NULL;
    wtl_sim_track_destroy(options->track);
    wtl_sim_follow_destroy(options->follow);
    wtl_sim_programs_destroy(options->programs);
    options->programs = NULL;
    options->track = NULL;
    options->follow = NULL;
}
