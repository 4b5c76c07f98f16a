/* SPDX-License-Identifier: BSD-3-Clause */
/* See step_options.h. The text comes from a user and is read by root: nothing but these letters. */
#define _GNU_SOURCE
#include "step_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifndef WATTLE_SLURM_WATTLE
#    define WATTLE_SLURM_WATTLE "/usr/bin/wattle"
#endif
#ifndef WATTLE_SLURM_MPI
#    define WATTLE_SLURM_MPI "/usr/lib/libwattle-mpi.so"
#endif

static const char LETTERS[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:=/";

struct word {
    const char *at;
    size_t n;
};

static bool copy(char *to, size_t room, struct word value)
{
    if (value.n == 0 || value.n >= room || value.at[0] == '-')
        return false;
    memcpy(to, value.at, value.n);
    to[value.n] = '\0';
    return true;
}

static bool is(struct word word, const char *text)
{
    return word.n == strlen(text) && memcmp(word.at, text, word.n) == 0;
}

static bool take_flag(bool *flag, struct word value)
{
    *flag = is(value, "on");
    return *flag || is(value, "off");
}

/* A list of sensors is separated by "+" here, since "," separates options. */
static bool take_sensors(char *to, size_t room, struct word value)
{
    if (!copy(to, room, value))
        return false;
    for (char *c = to; *c; c++)
        *c = *c == '+' ? ',' : *c;
    return true;
}

static bool parse_option(struct step_options *options, struct word key, struct word value)
{
    if (is(key, "interval"))
        return copy(options->interval, sizeof options->interval, value);
    if (is(key, "output"))
        return copy(options->output, sizeof options->output, value);
    if (is(key, "sensor"))
        return take_sensors(options->sensor, sizeof options->sensor, value);
    if (is(key, "mpi"))
        return take_flag(&options->mpi, value);
    if (is(key, "summary"))
        return take_flag(&options->summary, value);
    return false;
}

int step_options_parse(const char *text, struct step_options *ret_options, char *why)
{
    struct step_options options = {.on = true, .mpi = true, .summary = true};
    const char *at = !text || strcmp(text, "(null)") == 0 ? "" : text;
    why[0] = '\0';
    for (size_t n; *at; at += n + (at[n] == ',')) {
        n = strcspn(at, ",");
        const char *equals = memchr(at, '=', n);
        size_t key = equals ? (size_t)(equals - at) : n;
        bool ok =
            equals && strspn(at, LETTERS) >= n &&
            parse_option(&options, (struct word){at, key}, (struct word){equals + 1, n - key - 1});
        if (!ok) {
            char shown[64];
            (void)snprintf(shown, sizeof shown, "%.*s", n < 60 ? (int)n : 60, at);
            (void)snprintf(
                why, SLURM_WHY,
                "--wattle: invalid \"%s\"; the options are interval=10ms, output=FOLDER, "
                "sensor=NAME+NAME, mpi=off and summary=off, separated by commas",
                shown);
            return -EINVAL;
        }
    }
    *ret_options = options;
    return 0;
}

void site_paths_read(int argc, char **argv, struct site_paths *ret_paths, char *why)
{
    struct site_paths paths = {WATTLE_SLURM_WATTLE, WATTLE_SLURM_MPI};
    const struct {
        const char *key;
        char *to;
    } rows[] = {{"wattle=", paths.wattle}, {"mpi=", paths.mpi}};
    why[0] = '\0';
    for (int i = 0; i < argc; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            size_t n = strlen(rows[k].key);
            if (strncmp(argv[i], rows[k].key, n) == 0 && argv[i][n] == '/' &&
                strlen(argv[i] + n) < SLURM_PATH) {
                memcpy(rows[k].to, argv[i] + n, strlen(argv[i] + n) + 1);
                known = true;
            }
        }
        if (!known)
            (void)snprintf(why, SLURM_WHY,
                           "plugstack.conf: \"%.100s\" is ignored; arguments are wattle=/PATH and "
                           "mpi=/PATH",
                           argv[i]);
    }
    *ret_paths = paths;
}
