/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the few keys of wattle.conf that the plugins need. `wattle config` checks the whole file; here the
 * rule is that no file may keep a job from running.
 */
#define _GNU_SOURCE
#include "site_settings.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024 };

static const char PATH[] = "/etc/wattle/wattle.conf";
static const double WAIT_MAX_S = 60;

static bool set_flag(void *place, const char *value)
{
    bool yes = strcmp(value, "yes") == 0;
    if (!yes && strcmp(value, "no") != 0)
        return false;
    *(bool *)place = yes;
    return true;
}

static bool set_seconds(void *place, const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    if (strcmp(end, "ms") == 0)
        seconds /= 1000;
    else if (*end != '\0' && strcmp(end, "s") != 0)
        return false;
    if (end == value || !(seconds >= 0 && seconds <= WAIT_MAX_S))
        return false;
    *(double *)place = seconds;
    return true;
}

static bool set_text(void *place, const char *value)
{
    const size_t room = sizeof((struct site_settings *)NULL)->frequency_range;
    if (strlen(value) >= room)
        return false;
    memcpy(place, value, strlen(value) + 1);
    return true;
}

static const struct row {
    const char *section, *key;
    size_t offset;
    bool (*set)(void *place, const char *value);
} rows[] = {
    {"slurm", "estimate", offsetof(struct site_settings, estimate), set_flag},
    {"slurm", "steps", offsetof(struct site_settings, steps), set_flag},
    {"slurm", "start-wait", offsetof(struct site_settings, start_wait_s), set_seconds},
    {"control", "frequency-range", offsetof(struct site_settings, frequency_range), set_text},
    {"control", "power-range", offsetof(struct site_settings, power_range), set_text},
};

/* Without the blanks at both ends. */
static char *trim(char *text)
{
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        n--;
    text[n] = '\0';
    return text;
}

static bool is_ours(const char *section)
{
    return strcmp(section, "slurm") == 0 || strcmp(section, "control") == 0;
}

/* What a line is not used for; NULL: it is used, or concerns others. */
static const char *take_line(struct site_settings *settings, char section[64], char *line)
{
    if (line[0] == '[') {
        char *end = strchr(line, ']');
        if (end)
            *end = '\0';
        (void)snprintf(section, 64, "%.63s", end ? trim(line + 1) : "");
        bool by_host = strncmp(section, "slurm ", 6) == 0 || strncmp(section, "control ", 8) == 0;
        return !end      ? "a section without \"]\""
               : by_host ? "Slurm's plugins do not read sections of hosts"
                         : NULL;
    }
    if (!is_ours(section))
        return NULL;
    char *value = strchr(line, '=');
    if (!value)
        return "not \"key = value\"";
    *value = '\0';
    const char *key = trim(line);
    value = trim(value + 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].section, section) == 0 && strcmp(rows[i].key, key) == 0)
            return rows[i].set((char *)settings + rows[i].offset, value) ? NULL : "invalid value";
    }
    return NULL; /* a key of other programs */
}

static void read_file(FILE *file, const char *path, struct site_settings *settings, char *why)
{
    char line[LINE], section[64] = "";
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char *text = trim(line);
        if (text[0] == '\0' || text[0] == '#' || text[0] == ';')
            continue;
        const char *wrong = take_line(settings, section, text);
        if (wrong && !why[0])
            (void)snprintf(why, SLURM_WHY, "%.160s:%d: %s; the line is ignored", path, number,
                           wrong);
    }
}

void site_settings_read(struct site_settings *ret_settings, char *why)
{
    const char *set = secure_getenv("WATTLE_CONF");
    const char *path = set && set[0] ? set : PATH;
    struct site_settings settings = {.steps = true, .start_wait_s = 5};
    why[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file) {
        read_file(file, path, &settings, why);
        (void)fclose(file);
    } else if (errno != ENOENT) {
        (void)snprintf(why, SLURM_WHY, "cannot read %.160s: %s", path, strerror(errno));
    }
    *ret_settings = settings;
}
