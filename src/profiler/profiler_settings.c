/* SPDX-License-Identifier: BSD-3-Clause */
/* Options, environment, defaults: see profiler_settings.h. */
#define _GNU_SOURCE
#include "profiler/profiler_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/fail.h"
#include "base/parse.h"
#include "base/sized.h"
#include "measure/trace_name.h"
#include "model/rank_groups.h"

static const uint64_t INTERVAL_DEFAULT_NS = 100000000, INTERVAL_MIN_NS = 10000;
static const uint64_t INTERVAL_MAX_NS = UINT64_C(3600000000000);

static const struct wtl_sized options_sized = {
    "struct wattle_profiler_options", sizeof(struct wattle_profiler_options),
    offsetof(struct wattle_profiler_options, err) + sizeof(struct wattle_error *)};

/* An empty variable counts as unset. */
static const char *variable(const struct wtl_world *world, const char *name)
{
    const char *text = world->ops->getenv(world, name);
    return text && text[0] ? text : NULL;
}

static int text_of(const char *option,
                   const struct wtl_world *world,
                   const char *name,
                   const char *other,
                   char **ret_text)
{
    const char *text = option && option[0] ? option : variable(world, name);
    text = text ? text : other;
    *ret_text = text ? strdup(text) : NULL;
    return text && !*ret_text ? -ENOMEM : 0;
}

static bool is_word(const char *text, const char *const words[4])
{
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

/* yes or no in the usual words; anything else is reported, and means the default. */
static bool truth_of(const struct wtl_world *world,
                     const char *name,
                     bool other,
                     wtl_profiler_tell_fn tell)
{
    static const char *const yes[] = {"1", "yes", "on", "true"};
    static const char *const no[] = {"0", "no", "off", "false"};
    const char *text = variable(world, name);
    char sentence[200];
    if (!text || is_word(text, yes))
        return text ? true : other;
    if (is_word(text, no))
        return false;
    (void)snprintf(sentence, sizeof sentence, "%s=%.60s: must be 1 or 0; using %d", name, text,
                   other);
    if (tell)
        tell(sentence);
    return other;
}

bool wtl_profiler_is_disabled(const struct wtl_world *world, wtl_profiler_tell_fn tell)
{
    return truth_of(world, "WATTLE_DISABLE", false,
                    truth_of(world, "WATTLE_QUIET", false, NULL) ? NULL : tell);
}

/* Invalid groups from the environment are dropped; invalid ones from an option are an error. */
static int check_groups(const char *option,
                        struct wtl_profiler_settings *s,
                        wtl_profiler_tell_fn tell,
                        struct wattle_error *err)
{
    struct wtl_rank_group *groups = NULL;
    struct wattle_error why = {""};
    char sentence[sizeof why.text + 40];
    size_t count;
    int rc = s->groups ? wtl_rank_groups_parse(s->groups, &groups, &count, &why) : 0;
    free(groups);
    if (rc == 0)
        return 0;
    if (option && option[0])
        return wtl_fail(err, rc, "profiler: options.groups: %s", why.text);
    (void)snprintf(sentence, sizeof sentence, "WATTLE_GROUPS: %s; ignored", why.text);
    if (tell)
        tell(sentence);
    free(s->groups);
    s->groups = NULL;
    return 0;
}

static uint64_t interval_of(const struct wtl_world *world, wtl_profiler_tell_fn tell)
{
    const char *text = variable(world, "WATTLE_INTERVAL");
    uint64_t ns = 0;
    char sentence[200];
    if (!text)
        return INTERVAL_DEFAULT_NS;
    if (wtl_parse_interval(text, &ns) == 0 && ns >= INTERVAL_MIN_NS && ns <= INTERVAL_MAX_NS)
        return ns;
    (void)snprintf(
        sentence, sizeof sentence,
        "WATTLE_INTERVAL=%.60s: must be from 10us to 1h with a unit, such as 10ms; using 100ms",
        text);
    if (tell)
        tell(sentence);
    return INTERVAL_DEFAULT_NS;
}

/* A trace that is not named goes to the folder of the setting trace-dir, or to the working directory. A
 * folder that cannot be created is reported with the trace. */
static int output_of(const struct wattle_profiler_options *given,
                     const struct wtl_world *world,
                     char **ret_output)
{
    char setting[4096] = "", folder[4096] = ".";
    bool named = (given->output && given->output[0]) || variable(world, "WATTLE_OUTPUT");
    if (!named && !given->no_trace)
        wtl_config_find(world, "run", "trace-dir", setting, sizeof setting);
    if (setting[0] && wtl_trace_folder(setting, folder, sizeof folder, NULL) == -ENAMETOOLONG)
        memcpy(folder, ".", 2);
    return text_of(given->output, world, "WATTLE_OUTPUT", folder, ret_output);
}

static int check_options(const struct wattle_profiler_options *options, struct wattle_error *err)
{
    uint64_t ns = options->interval_ns;
    if (ns && (ns < INTERVAL_MIN_NS || ns > INTERVAL_MAX_NS))
        return wtl_fail(err, -EINVAL,
                        "profiler: options.interval_ns is %llu; must be %llu (10 us) to %llu (an "
                        "hour), or 0 for WATTLE_INTERVAL or 100 ms",
                        (unsigned long long)ns, (unsigned long long)INTERVAL_MIN_NS,
                        (unsigned long long)INTERVAL_MAX_NS);
    return 0;
}

int wtl_profiler_settings_take(const struct wattle_profiler_options *options,
                               const struct wtl_world *world,
                               wtl_profiler_tell_fn tell,
                               struct wtl_profiler_settings *ret_settings,
                               struct wattle_error *err)
{
    struct wattle_profiler_options given = {.size = sizeof given};
    struct wtl_profiler_settings s = {0};
    int rc = options ? wtl_sized_take(&options_sized, options, &given, err) : 0;
    rc = rc < 0 ? rc : check_options(&given, err);
    if (rc < 0)
        return rc;
    s.quiet = given.quiet || truth_of(world, "WATTLE_QUIET", false, tell);
    if (s.quiet)
        tell = NULL;
    s.no_trace = given.no_trace != 0;
    s.output_is_option = given.output && given.output[0];
    s.sensors_is_option = given.sensors && given.sensors[0];
    s.edges = given.wait_for_edges ? given.wait_for_edges > 0
                                   : truth_of(world, "WATTLE_EDGES", true, tell);
    s.interval_ns = given.interval_ns ? given.interval_ns : interval_of(world, tell);
    rc = output_of(&given, world, &s.output);
    rc = rc < 0 ? rc : text_of(given.sensors, world, "WATTLE_SENSOR", NULL, &s.sensors);
    rc = rc < 0 ? rc : text_of(given.run_id, world, "WATTLE_RUN_ID", NULL, &s.run_id);
    rc = rc < 0 ? rc : text_of(given.groups, world, "WATTLE_GROUPS", NULL, &s.groups);
    if (rc < 0)
        (void)wtl_no_memory_for(err, "the profiler");
    else
        rc = check_groups(given.groups, &s, tell, err);
    if (rc < 0) {
        wtl_profiler_settings_fini(&s);
        return rc;
    }
    *ret_settings = s;
    return 0;
}

void wtl_profiler_settings_fini(struct wtl_profiler_settings *settings)
{
    free(settings->output);
    free(settings->sensors);
    free(settings->run_id);
    free(settings->groups);
    *settings = (struct wtl_profiler_settings){0};
}
