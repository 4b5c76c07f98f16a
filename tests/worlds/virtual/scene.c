/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the directives of a situation: see scene.h. */
#define _GNU_SOURCE
#include "scene.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"
#include "base/whole.h"

/* One directive at work. */
struct reader {
    struct scene *scene;
    const char *key;
    struct wattle_error *err;
};

static int wrong(const struct reader *r, const char *value, const char *remedy)
{
    return wtl_fail(r->err, -EINVAL, "%s %s: %s", r->key, value, remedy);
}

/* Seconds, or a duration with a unit; may be negative. */
static int take_time(const struct reader *r, const char *text, int64_t *ret_ns)
{
    bool negative = *text == '-';
    uint64_t ns;
    if (wtl_parse_duration(text + negative, &ns) < 0 || ns > INT64_MAX)
        return wrong(r, text, "give seconds after the start of the window, or a unit: 0.5, 20ms");
    *ret_ns = negative ? -(int64_t)ns : (int64_t)ns;
    return 0;
}

static int take_after(const struct reader *r, const char *text, uint64_t *ret_ns)
{
    int64_t ns = 0;
    int rc = take_time(r, text, &ns);
    if (rc == 0 && ns < 0)
        return wrong(r, text, "must not be negative");
    *ret_ns = (uint64_t)ns;
    return rc;
}

static int take_seed(struct reader *r, char *rest)
{
    return wtl_parse_u64(rest, &r->scene->seed) < 0 ? wrong(r, rest, "give a whole number") : 0;
}

static int take_start(struct reader *r, char *rest)
{
    return take_after(r, rest, &r->scene->start_ns);
}

static int take_length(struct reader *r, char *rest)
{
    return take_after(r, rest, &r->scene->length_ns);
}

static int take_interval(struct reader *r, char *rest)
{
    r->scene->interval_ns = 0;
    if (strcmp(rest, "default") == 0)
        return 0;
    int rc = wtl_parse_interval(rest, &r->scene->interval_ns);
    return rc < 0 || r->scene->interval_ns == 0 ? wrong(r, rest, "give a duration, such as 10ms")
                                                : 0;
}

static int take_repeat(struct reader *r, char *rest)
{
    uint64_t n = 0;
    if (wtl_parse_u64(rest, &n) < 0 || n < 1 || n > 1000)
        return wrong(r, rest, "give a number of windows, 1 to 1000");
    r->scene->repeat = (unsigned)n;
    return 0;
}

/* A table of what can be given as NAME=VALUE. */
struct choice {
    const char *name, *option;
    size_t place; /* in struct wtl_memory_config */
    bool fraction;
};

static const struct choice *choose(const struct choice *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    return NULL;
}

/* Cut NAME=VALUE; NULL if it has no "=". */
static char *cut_value(char *word)
{
    char *equals = strchr(word, '=');
    if (!equals)
        return NULL;
    *equals = '\0';
    return equals + 1;
}

static int take_machine(struct reader *r, char *rest)
{
    static const struct choice table[] = {{.name = "sockets", .option = "sockets"},
                                          {.name = "view", .option = "view"},
                                          {.name = "cpu", .option = "cpu"},
                                          {.name = "f", .option = "frequency"},
                                          {.name = "turbo", .option = "turbo"},
                                          {.name = "tdp", .option = "tdp"},
                                          {.name = "unknown_msr", .option = "unknown-msr"},
                                          {.name = "grid_us", .option = "grid-us"}};
    int rc = 0;
    while (rc == 0 && *rest) {
        char *word = scene_next_word(&rest), *value = cut_value(word);
        const struct choice *c = choose(table, sizeof table / sizeof *table, word);
        if (!c || !value)
            return wrong(r, word,
                         "give sockets=, view=, cpu=, f=, turbo=, tdp=, unknown_msr=, grid_us=");
        rc = scene_words_add(&r->scene->options, "--%s=%s", c->option, value);
    }
    return rc;
}

static int take_power(struct reader *r, char *rest)
{
    char *domain = scene_next_word(&rest);
    if (!*domain || !*rest)
        return wrong(r, domain, "write DOMAIN EXPRESSION, such as package-0 60+20*load");
    char *shifted = scene_shift_t(rest, SCENE_BEFORE_S);
    int rc =
        shifted ? scene_words_add(&r->scene->options, "--power=%s=%s", domain, shifted) : -ENOMEM;
    free(shifted);
    return rc;
}

static int take_wander(struct reader *r, char *rest)
{
    char *domain = scene_next_word(&rest);
    if (!*domain || !*rest)
        return wrong(r, domain, "write DOMAIN W:TIME, such as package 10:50ms");
    return scene_words_add(&r->scene->options, "--wander=%s=%s", domain, rest);
}

static int take_counter(struct reader *r, char *rest)
{
    static const struct choice table[] = {
        {.name = "tick_us", .option = "tick-us"},     {.name = "phase_us", .option = "phase-us"},
        {.name = "jitter_us", .option = "jitter-us"}, {.name = "unit_exp", .option = "unit-exp"},
        {.name = "bits", .option = "range-bits"},     {.name = "raw0", .option = "raw0"}};
    const char *domain = scene_next_word(&rest);
    int rc = 0;
    while (rc == 0 && *rest) {
        char *word = scene_next_word(&rest), *value = cut_value(word);
        const struct choice *c = choose(table, sizeof table / sizeof *table, word);
        if (!c || !value)
            return wrong(r, word, "give tick_us=, phase_us=, jitter_us=, unit_exp=, bits=, raw0=");
        rc = scene_words_add(&r->scene->options, "--%s=%s=%s", c->option, domain, value);
    }
    return rc;
}

/* KIND[:DOMAIN][@TIME][,SETTING...], with a time that may be before the window. */
static int take_fault(struct reader *r, char *rest)
{
    size_t kind = strcspn(rest, "@,");
    const char *settings = rest + kind;
    int64_t at_ns = 0;
    if (rest[kind] == '@') {
        char time[40];
        size_t n = strcspn(rest + kind + 1, ",");
        (void)snprintf(time, sizeof time, "%.*s", (int)n, rest + kind + 1); /* a longer one fails */
        int rc = take_time(r, time, &at_ns);
        if (rc < 0)
            return rc;
        settings = rest + kind + 1 + n;
    }
    at_ns += SCENE_BEFORE_S * INT64_C(1000000000);
    if (at_ns < 0)
        return wrong(r, rest, "it cannot begin more than 100 s before the window");
    return scene_words_add(&r->scene->options, "--fault=%.*s@%" PRIi64 "ns%s", (int)kind, rest,
                           at_ns, settings);
}

static int take_costs(struct reader *r, char *rest)
{
#define COST(member, field, is_fraction)                                    \
    {                                                                       \
        .name = member, .place = offsetof(struct wtl_memory_config, field), \
        .fraction = (is_fraction)                                           \
    }
    static const struct choice table[] = {
        COST("clock_ns", clock_cost_ns, false), COST("pread_ns", pread_cost_ns, false),
        COST("open_ns", open_cost_ns, false),   COST("late_ns", late_ns, false),
        COST("tail_ns", late_tail_ns, false),   COST("wait_p", wait_probability, true),
        COST("wait_ns", wait_ns, false),        COST("preempt_p", preempt_probability, true),
        COST("preempt_ns", preempt_ns, false)};
#undef COST
    while (*rest) {
        char *word = scene_next_word(&rest), *value = cut_value(word);
        const struct choice *c = choose(table, sizeof table / sizeof *table, word);
        double number;
        if (!c || !value)
            return wrong(r, word,
                         "give clock_ns=, pread_ns=, open_ns=, late_ns=, tail_ns=, wait_p=, "
                         "wait_ns=, preempt_p=, preempt_ns=");
        if (wtl_parse_double(value, &number) < 0 || number < 0 || number > (c->fraction ? 1 : 1e12))
            return wrong(r, value, c->fraction ? "give a probability, 0 to 1" : "give nanoseconds");
        char *place = (char *)&r->scene->costs + c->place;
        if (c->fraction)
            memcpy(place, &number, sizeof number);
        else
            memcpy(place, &(uint64_t){(uint64_t)number}, sizeof(uint64_t));
    }
    return 0;
}

static int take_step(struct reader *r, char *rest)
{
    struct scene *scene = r->scene;
    struct scene_step *step = &scene->steps[scene->step_count];
    const char *time = scene_next_word(&rest);
    if (scene->step_count == SCENE_STEPS)
        return wrong(r, time, "at most 256 steps; leave some out");
    int rc = take_time(r, time, &step->at_ns);
    char *value = rc == 0 ? cut_value(rest) : NULL;
    if (rc == 0 && (!value || !*rest || !*value))
        return wrong(r, rest, "write TIME load=L or TIME DOMAIN=WATTS");
    if (rc < 0)
        return rc;
    step->what = strdup(rest);
    step->value = scene_shift_t(value, SCENE_BEFORE_S);
    scene->step_count++;
    return step->what && step->value ? 0 : -ENOMEM;
}

static int find_name(struct scene *scene, const char *name, unsigned *ret)
{
    size_t i = 0;
    while (i < scene->name_count && strcmp(scene->names[i], name) != 0)
        i++;
    if (i == SCENE_NAMES)
        return -ENOSPC;
    if (i == scene->name_count && (scene->names[scene->name_count++] = strdup(name)) == NULL)
        return -ENOMEM;
    *ret = (unsigned)i;
    return 0;
}

static int take_region(struct reader *r, char *rest)
{
    struct scene *scene = r->scene;
    struct scene_region *region = &scene->regions[scene->region_count];
    const char *name = scene_next_word(&rest), *begin = scene_next_word(&rest),
               *end = scene_next_word(&rest);
    if (scene->region_count == SCENE_REGIONS)
        return wrong(r, name, "at most 1000 regions; leave some out");
    if (strlen(name) > 200)
        return wrong(r, name, "a name has at most 200 bytes");
    int rc = find_name(scene, name, &region->name);
    if (rc == -ENOSPC)
        return wrong(r, name, "at most 64 different names");
    rc = rc < 0 ? rc : take_after(r, begin, &region->begin_ns);
    rc = rc < 0 ? rc : take_after(r, end, &region->end_ns);
    if (rc == 0 && region->end_ns < region->begin_ns)
        return wrong(r, name, "it ends before it begins");
    scene->region_count += rc == 0;
    return rc;
}

static int ignore(struct reader *r, char *rest)
{
    (void)r, (void)rest;
    return 0;
}

static const struct {
    const char *key;
    int (*take)(struct reader *r, char *rest);
} directives[] = {{"seed", take_seed},       {"start", take_start},
                  {"length", take_length},   {"interval", take_interval},
                  {"repeat", take_repeat},   {"machine", take_machine},
                  {"power", take_power},     {"wander", take_wander},
                  {"counter", take_counter}, {"fault", take_fault},
                  {"costs", take_costs},     {"step", take_step},
                  {"region", take_region},   {"attach", ignore},
                  {"family", ignore},        {"engine", ignore},
                  {"program", ignore},       {"law", ignore},
                  {"verb", ignore},          {"note", ignore},
                  {"seed-of", ignore}};

static int read_line(struct scene *scene, char *line, struct wattle_error *err)
{
    line[strcspn(line, "\r\n")] = '\0';
    for (size_t n = strlen(line); n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t');)
        line[--n] = '\0';
    char *key = scene_next_word(&line);
    struct reader reader = {scene, key, err};
    if (!*key || *key == '#')
        return 0;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (strcmp(directives[i].key, key) == 0)
            return directives[i].take(&reader, line);
    }
    return wtl_fail(err, -EINVAL, "unknown directive \"%s\"; worlds-virtual --help lists them",
                    key);
}

static int order_of_steps(const void *a, const void *b)
{
    const struct scene_step *left = a, *right = b;
    return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

int scene_read(const char *path, struct scene *scene, struct wattle_error *err)
{
    struct wattle_error why = {""};
    char *line = NULL;
    size_t size = 0;
    unsigned number = 0;
    *scene = (struct scene){.seed = 1,
                            .start_ns = 1000000000,
                            .length_ns = 1000000000,
                            .repeat = 1,
                            .costs = wtl_memory_config_init(0, 0)};
    FILE *in = fopen(path, "r");
    if (!in)
        return wtl_fail(err, -errno, "cannot read it: %s", strerror(errno));
    int rc = 0;
    while (rc == 0 && getline(&line, &size, in) >= 0) {
        number++;
        rc = read_line(scene, line, &why);
    }
    free(line);
    (void)fclose(in); /* only read */
    if (rc == -ENOMEM)
        return wtl_fail(err, rc, "out of memory");
    if (rc < 0)
        return wtl_fail(err, rc, "line %u: %s", number, why.text);
    wtl_sort(scene->steps, scene->step_count, sizeof *scene->steps, order_of_steps);
    return 0;
}

void scene_fini(struct scene *scene)
{
    for (size_t i = 0; i < scene->step_count; i++) {
        free(scene->steps[i].what);
        free(scene->steps[i].value);
    }
    for (size_t i = 0; i < scene->name_count; i++)
        free(scene->names[i]);
    scene_words_fini(&scene->options);
    *scene = (struct scene){0};
}
