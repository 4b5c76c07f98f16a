/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sim/phases/phase_options.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/ini.h"
#include "base/fail.h"
#include "base/parse.h"

enum { WORD = 512, PROGRAM = WTL_INI_LINE_MAX };

struct reader {
    struct wtl_phase_world_config config;
    char program[PROGRAM];
    bool own_letters, in_letter, in_joules;
};

/* As the live node starts from: steps of 20 ms, and fluctuations that last about a second. */
static int start_from(struct reader *r, const char *name)
{
    int rc = wtl_phase_world_program(name, &r->config);
    r->config.step_s = 0.02;
    r->config.noise.ar = 0.98;
    return rc;
}

static int unknown_program(const char *name, struct wattle_error *err)
{
    char known[256] = "";
    for (size_t i = 0; wtl_phase_world_program_name(i); i++) {
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                       wtl_phase_world_program_name(i));
    }
    return wtl_fail(err, -EINVAL,
                    "--phases %s: no such program; programs are %s; a file is written with a slash",
                    name, known);
}

static int bad_number(const char *key, const char *value, struct wattle_error *err)
{
    return wtl_fail(err, -EINVAL, "%s = %s: must be a number that is not negative", key, value);
}

static int set_rate(struct reader *r, const char *key, double value, struct wattle_error *err)
{
    struct wtl_phase_world_config *c = &r->config;
    for (size_t i = 0; i < c->columns; i++) {
        if (strcmp(c->names[i], key) != 0)
            continue;
        if (r->in_joules) {
            c->platform.scale[i] = 1;
            c->platform.coef_w[i] = value;
        } else {
            c->letters[c->letter_count - 1].rate[i] = value;
        }
        return 0;
    }
    return wtl_fail(err, -EINVAL, "unknown counter %s; counters are those of the set paper", key);
}

static int set_whole(struct wtl_phase_world_config *c,
                     const char *key,
                     const char *value,
                     struct wattle_error *err)
{
    uint64_t whole;
    assert(c);
    uint64_t *plain = strcmp(key, "run") == 0    ? &c->run
                      : strcmp(key, "node") == 0 ? &c->node
                      : strcmp(key, "seed") == 0 ? &c->seed
                                                 : NULL;
    if (!plain && strcmp(key, "platform") != 0)
        return wtl_fail(err, -EINVAL,
                        "unknown key %s; keys are program, step, length, noise, data, run, seed, "
                        "node, platform, run_cv, power_snr, static_w",
                        key);
    if (wtl_parse_u64(value, &whole) < 0)
        return bad_number(key, value, err);
    if (plain)
        *plain = whole;
    else
        c->platform = whole > 0 ? wtl_phase_world_platform(whole) : wtl_phase_world_reference();
    return 0;
}

static int set_world(struct reader *r, const char *key, const char *value, struct wattle_error *err)
{
    struct wtl_phase_world_config *c = &r->config;
    uint64_t step_ns;
    if (strcmp(key, "program") == 0) {
        (void)snprintf(r->program, sizeof r->program, "%s", value); /* a line is no longer */
        c->program = r->program;
        return 0;
    }
    if (strcmp(key, "step") == 0) {
        if (wtl_parse_duration(value, &step_ns) < 0 || step_ns < 1000000)
            return wtl_fail(err, -EINVAL, "step = %s: must be a duration of 1ms or more", value);
        c->step_s = (double)step_ns * 1e-9;
        return 0;
    }
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"static_w", &c->platform.static_w},
                   {"length", &c->length},
                   {"noise", &c->noise.relative},
                   {"data", &c->noise.data_cv},
                   {"run_cv", &c->run_cv},
                   {"power_snr", &c->noise.power_snr}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(key, numbers[i].key) != 0)
            continue;
        if (wtl_parse_double(value, numbers[i].value) < 0 || !(*numbers[i].value >= 0))
            return bad_number(key, value, err);
        return numbers[i].value == &c->length && c->length <= 0 /* which stands for the default */
                   ? wtl_fail(err, -EINVAL, "length must be more than 0")
                   : 0;
    }
    return set_whole(c, key, value, err);
}

static int new_letter(struct reader *r, const char *name, struct wattle_error *err)
{
    struct wtl_phase_world_config *c = &r->config;
    if (!r->own_letters)
        c->letter_count = 0;
    r->own_letters = true;
    if (c->letter_count == WTL_SIM_LETTERS)
        return wtl_fail(err, -EINVAL, "more than %d letters", WTL_SIM_LETTERS);
    struct wtl_sim_letter *letter = &c->letters[c->letter_count++];
    *letter = (struct wtl_sim_letter){.share = {1}, .duration_s = 1};
    if (snprintf(letter->name, sizeof letter->name, "%s", name) >= (int)sizeof letter->name)
        return wtl_fail(err, -EINVAL, "the letter %s has a name of more than %zu bytes", name,
                        sizeof letter->name - 1);
    letter->idle = strcmp(name, "idle") == 0;
    return 0;
}

static int take_line(struct reader *r, const struct wtl_ini_line *line, struct wattle_error *err)
{
    double value;
    if (line->kind == WTL_INI_SECTION) {
        r->in_letter = strncmp(line->name, "letter ", 7) == 0;
        r->in_joules = strcmp(line->name, "joules") == 0;
        if (r->in_letter)
            return new_letter(r, line->name + 7 + strspn(line->name + 7, " "), err);
        return r->in_joules || strcmp(line->name, "world") == 0
                   ? 0
                   : wtl_fail(err, -EINVAL,
                              "unknown section [%s]; sections are [world], [letter NAME], [joules]",
                              line->name);
    }
    if (line->kind != WTL_INI_PAIR)
        return 0;
    if (!r->in_letter && !r->in_joules)
        return set_world(r, line->name, line->value, err);
    if (wtl_parse_double(line->value, &value) < 0 || !(value >= 0))
        return bad_number(line->name, line->value, err);
    return set_rate(r, line->name, value, err);
}

static int read_file(struct reader *r,
                     const struct wtl_world *world,
                     const char *path,
                     struct wattle_error *err)
{
    char *text = NULL;
    size_t size = 0;
    struct wtl_ini_line line;
    struct wattle_error why = {""};
    int rc = wtl_ini_load(world, path, &text, &size, err);
    if (rc < 0)
        return rc == -ENOENT ? wtl_fail(err, rc, "--phases %s: no such file", path) : rc;
    (void)start_from(r, wtl_phase_world_program_name(0)); /* it exists */
    r->config.program = NULL;
    struct wtl_ini ini = wtl_ini_of(path, text, size);
    while ((rc = wtl_ini_next(&ini, &line, err)) > 0) {
        rc = take_line(r, &line, &why);
        if (rc < 0) {
            rc = wtl_fail(err, rc, "%.120s:%u: %s", path, ini.number, why.text);
            break;
        }
    }
    free(text);
    if (rc == 0 && !r->config.program)
        rc = wtl_fail(err, -EINVAL, "--phases %s: the file has no program in [world]", path);
    return rc;
}

static int read_keys(struct reader *r, char *keys, struct wattle_error *err)
{
    struct wattle_error why = {""};
    int rc = 0;
    for (char *word; rc == 0 && (word = strsep(&keys, ","));) {
        char *value = strchr(word, '=');
        if (!value)
            return wtl_fail(err, -EINVAL, "--phases: '%s' is not KEY=VALUE, such as length=0.1",
                            word);
        *value++ = '\0';
        rc = set_world(r, word, value, &why);
        if (rc < 0)
            rc = wtl_fail(err, rc, "--phases: %s", why.text);
    }
    return rc;
}

int wtl_sim_phases_parse(const struct wtl_world *world,
                         const char *text,
                         struct wtl_sim_track **ret_track,
                         struct wattle_error *err)
{
    char word[WORD];
    if ((size_t)snprintf(word, sizeof word, "%s", text) >= sizeof word)
        return wtl_fail(err, -EINVAL, "--phases: longer than %d bytes", WORD - 1);
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return wtl_fail(err, -ENOMEM, "out of memory");
    char *keys = strchr(word, ',');
    if (keys)
        *keys++ = '\0';
    int rc;
    if (strpbrk(word, "./"))
        rc = read_file(r, world, word, err);
    else if ((rc = start_from(r, word)) < 0)
        rc = unknown_program(word, err);
    if (rc == 0 && keys)
        rc = read_keys(r, keys, err);
    struct wattle_error why = {""};
    if (rc == 0 && (rc = wtl_sim_track_create(&r->config, ret_track, &why)) < 0)
        rc = wtl_fail(err, rc, "--phases %s: %s", word, why.text);
    free(r);
    return rc;
}
