/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all settings: [run] has the same effect as options, and drivers get theirs. */
#include "cli/settings.h"

#include <errno.h>
#include <sys/utsname.h>

#include "base/world/world.h"
#include "cli/run/run_options.h"
#include "source/registry.h"
#include "tap.h"

/* A world without files, with these variables. */
static const char *const *variables;

static int no_file(const struct wtl_world *world, const char *path, int flags)
{
    (void)world, (void)path, (void)flags;
    return -ENOENT;
}

static const char *variable(const struct wtl_world *world, const char *name)
{
    (void)world;
    for (size_t i = 0; variables && variables[i]; i += 2) {
        if (strcmp(variables[i], name) == 0)
            return variables[i + 1];
    }
    return NULL;
}

static int no_name(const struct wtl_world *world, struct utsname *ret)
{
    (void)world, (void)ret;
    return -ENOSYS;
}

static const struct wtl_world_ops ops = {.open = no_file, .getenv = variable, .uname = no_name};
static const struct wtl_world world = {.ops = &ops};

/* The defaults that "wattle config" shows are those of a run. */
static void test_defaults(void)
{
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    struct wtl_run_options bare, set;
    variables = NULL;
    if (!ok(wtl_cli_settings_load(&settings, &world, &err) == 0, "no files: %s", err.text))
        return;
    is_int(settings.drivers.count, 0, "nothing is set for drivers");
    memset(&bare, 0, sizeof bare);
    wtl_run_options_init(&bare);
    for (size_t i = 0; i < wtl_config_count(settings.config); i++) {
        struct wtl_config_entry entry = wtl_config_entry(settings.config, i);
        const char *name = entry.key->name;
        ok(entry.is_default && entry.key->help[0], "[%s] %s: default, with a help",
           entry.key->section, name);
        bool is_word = strcmp(name, "sync") == 0 || strcmp(name, "edges") == 0;
        if (strcmp(entry.key->section, "run") != 0 || is_word || !entry.value[0])
            continue;
        memcpy(&set, &bare, sizeof set);
        is_int(wtl_run_options_set(&set, name, entry.value), 0, "[run] %s is an option", name);
        ok(memcmp(&set, &bare, sizeof set) == 0, "and %s is its default", entry.value);
    }
    wtl_cli_settings_fini(&settings);
}

static void test_drivers(void)
{
    static const char *const set[] = {"WATTLE_ESTIMATE_IDLE_W", "55", NULL};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    variables = set;
    if (!ok(wtl_cli_settings_load(&settings, &world, &err) == 0, "one is set: %s", err.text))
        return;
    is_int(settings.drivers.count, 1, "one arrives");
    if (settings.drivers.count == 1) {
        is_str(settings.drivers.list[0].driver, "estimate", "at its driver");
        is_str(settings.drivers.list[0].key, "idle_w", "by its name");
        is_str(settings.drivers.list[0].value, "55", "with its value");
    }
    for (size_t i = 0; wtl_drivers[i]; i++) {
        char section[64];
        (void)snprintf(section, sizeof section, "sensor %s", wtl_drivers[i]->name);
        for (const struct wtl_param *p = wtl_drivers[i]->params; p && p->name; p++)
            ok(wtl_config_get(settings.config, section, p->name) != NULL, "[%s] %s is there",
               section, p->name);
    }
    wtl_cli_settings_fini(&settings);
}

static void test_wrong(void)
{
    static const char *const wrong[] = {"WATTLE_RUN_FORMAT", "xml", NULL};
    struct wtl_cli_settings settings;
    struct wattle_error err = {""};
    variables = wrong;
    ok(wtl_cli_settings_load(&settings, &world, &err) < 0, "a wrong one is refused");
    ok(strstr(err.text, "WATTLE_RUN_FORMAT") && strstr(err.text, "text json csv"), "says: %s",
       err.text);
    ok(!settings.config && !settings.keys.keys && !settings.keys.names, "and nothing is left");
}

int main(void)
{
    test_defaults();
    test_drivers();
    test_wrong();
    return done_testing();
}
