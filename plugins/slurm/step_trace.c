/* SPDX-License-Identifier: BSD-3-Clause */
/* See step_trace.h. */
#define _GNU_SOURCE
#include "step_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "errand.h"

enum { SAID = 8192, ENV_EXTRA = 8, STOP_MS = 20000 };

/* Variables of an outer measurement (of the batch script), which this step must not take for its own. */
static const char *const dropped[] = {
    "WATTLE_SPOOL",    "WATTLE_SPOOL_NODE", "WATTLE_JOB", "WATTLE_BRACKET_RUN_ID",
    "WATTLE_MEASURED", "LD_PRELOAD",        "LD_AUDIT"};

/* The environment of the program: the user's, with ours in place of the same names. */
struct environment {
    char **vars; /* owned; strings of the user's are borrowed */
    size_t count;
    char own[ENV_EXTRA][160];
    size_t own_count;
};

static bool has_name(const char *variable, const char *name, size_t n)
{
    return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

static bool is_replaced(const struct environment *environment, const char *variable)
{
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        if (has_name(variable, dropped[i], strlen(dropped[i])))
            return true;
    }
    for (size_t i = 0; i < environment->own_count; i++) {
        const char *own = environment->own[i];
        if (has_name(variable, own, strcspn(own, "=")))
            return true;
    }
    return false;
}

static void add_own(struct environment *environment, const char *name, const char *value)
{
    if (environment->own_count < ENV_EXTRA)
        (void)snprintf(environment->own[environment->own_count++], sizeof environment->own[0],
                       "%s=%s", name, value);
}

static const char *value_of(char **env, const char *name)
{
    for (size_t i = 0; env && env[i]; i++) {
        if (has_name(env[i], name, strlen(name)))
            return env[i] + strlen(name) + 1;
    }
    return "";
}

/* A run.id that the user has set stays; one of an outer measurement does not. */
static bool has_run_id(char **env)
{
    const char *run = value_of(env, "WATTLE_RUN_ID");
    return run[0] && strcmp(run, value_of(env, "WATTLE_BRACKET_RUN_ID")) != 0;
}

static bool fill(struct environment *environment, char **env, const struct step_trace *trace)
{
    const char *name = trace->name;
    char text[96];
    size_t count = 0;
    if (trace->without_wattled)
        add_own(environment, "WATTLE_SOCKET", "/nonexistent/wattled-does-not-answer");
    (void)snprintf(text, sizeof text, "slurm-%s", name);
    add_own(environment, "WATTLE_SESSION", text);
    if (!has_run_id(env))
        add_own(environment, "WATTLE_RUN_ID", text);
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(name, "."), name);
    add_own(environment, "SLURM_JOB_ID", text);
    (void)snprintf(text, sizeof text, "%s", name + strcspn(name, "."));
    add_own(environment, "SLURM_STEP_ID", text[0] ? text + 1 : "");
    while (env && env[count])
        count++;
    environment->vars = calloc(count + ENV_EXTRA + 1, sizeof *environment->vars);
    if (!environment->vars)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_replaced(environment, env[i]))
            environment->vars[environment->count++] = env[i];
    }
    for (size_t i = 0; i < environment->own_count; i++)
        environment->vars[environment->count++] = environment->own[i];
    return true;
}

/* ---- running wattle as the user ---- */

static int run_wattle(spank_t spank,
                      const struct step_trace *trace,
                      const char *const *argv,
                      const char *made,
                      int limit_ms,
                      char *said,
                      size_t n)
{
    struct slurm_errand errand = {.argv = argv, .made = made, .become = true, .limit_ms = limit_ms};
    struct environment *environment = calloc(1, sizeof *environment);
    gid_t *groups = NULL;
    int group_count = 0, rc = -1;
    char **env = NULL;
    said[0] = '\0';
    if (environment && spank_get_item(spank, S_JOB_ENV, &env) == ESPANK_SUCCESS &&
        spank_get_item(spank, S_JOB_UID, &errand.uid) == ESPANK_SUCCESS &&
        spank_get_item(spank, S_JOB_GID, &errand.gid) == ESPANK_SUCCESS &&
        spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &group_count) == ESPANK_SUCCESS &&
        fill(environment, env, trace)) {
        errand.groups = groups;
        errand.group_count = group_count > 0 ? (size_t)group_count : 0;
        errand.envp = environment->vars;
        rc = slurm_errand_run(&errand, said, n);
    }
    if (environment)
        free(environment->vars);
    free(environment);
    return rc;
}

bool step_trace_folder(const struct step_options *options, const char *name, char *ret, size_t n)
{
    size_t length = strlen(options->output);
    const char *slash = length && options->output[length - 1] != '/' ? "/" : "";
    int used = snprintf(ret, n, "%s%swattle-%s/", options->output, slash, name);
    return used > 0 && (size_t)used < n;
}

/* ---- the variables of the tasks ---- */

/* A value of sh in single quotes, in place. Returns its end, or NULL. */
static char *unquote(char *text)
{
    char *to = text, *from = text + 1;
    if (*text != '\'')
        return NULL;
    for (; *from && *from != '\n'; from++) {
        if (strncmp(from, "'\\''", 4) == 0)
            from += 3;
        else if (*from == '\'')
            break;
        *to++ = *from;
    }
    if (*from != '\'')
        return NULL;
    *to = '\0';
    return from + 1;
}

/* The message goes to a terminal and to root's log. */
static void hide_controls(char *text)
{
    for (; *text; text++)
        *text = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
}

/* Lines "export NAME='VALUE'" to the tasks; the first other line is a message. Number of variables. */
static int set_variables(spank_t spank, char *said, const char **ret_message)
{
    static const char word[] = "export ";
    int count = 0;
    *ret_message = "";
    for (char *line = said, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        char *equals = strchr(line, '=');
        bool is_export =
            strncmp(line, word, sizeof word - 1) == 0 && equals && (!next || equals < next);
        if (!is_export && next)
            *next = '\0';
        next = next ? next + 1 : NULL;
        if (!is_export) {
            hide_controls(line);
            *ret_message = (*ret_message)[0] ? *ret_message : line;
            continue;
        }
        *equals = '\0';
        char *end = unquote(equals + 1);
        if (!end)
            break;
        next = *end == '\n' ? end + 1 : next;
        count += spank_setenv(spank, line + sizeof word - 1, equals + 1, 1) == ESPANK_SUCCESS;
    }
    return count;
}

/* A run.id of ours is not one that the user has set: see wattle-start(1). */
static void mark_run_id(spank_t spank, const char *name)
{
    char text[96], run[96];
    (void)snprintf(text, sizeof text, "slurm-%s", name);
    if (spank_getenv(spank, "WATTLE_RUN_ID", run, sizeof run) == ESPANK_SUCCESS &&
        strcmp(run, text) == 0)
        (void)spank_setenv(spank, "WATTLE_BRACKET_RUN_ID", text, 1);
}

/* libwattle-mpi first, then what the user preloads. */
static void preload(spank_t spank, const char *library)
{
    static char before[16384], list[sizeof before + SLURM_PATH];
    spank_err_t rc = spank_getenv(spank, "LD_PRELOAD", before, sizeof before);
    if (access(library, R_OK) < 0 || rc == ESPANK_NOSPACE)
        return;
    if (rc != ESPANK_SUCCESS)
        before[0] = '\0';
    if (strstr(before, "libwattle-mpi.so"))
        return;
    (void)snprintf(list, sizeof list, "%s%s%s", library, before[0] ? ":" : "", before);
    (void)spank_setenv(spank, "LD_PRELOAD", list, 1);
}

void step_trace_start(spank_t spank,
                      const struct step_options *options,
                      const struct site_paths *paths,
                      int limit_ms,
                      struct step_trace *trace)
{
    char folder[SLURM_PATH + 80], watch[24], said[SAID];
    const char *argv[16] = {paths->wattle, "start", "--export", "-q",
                            "--watch",     watch,   "-o",       folder};
    const char *message = "";
    size_t n = 8;
    (void)snprintf(watch, sizeof watch, "%d", (int)getpid());
    if (!step_trace_folder(options, trace->name, folder, sizeof folder))
        return;
    if (options->interval[0]) {
        argv[n++] = "-i";
        argv[n++] = options->interval;
    }
    if (options->sensor[0]) {
        argv[n++] = "-s";
        argv[n++] = options->sensor;
    }
    int rc = run_wattle(spank, trace, argv, options->output[0] ? options->output : NULL, limit_ms,
                        said, sizeof said);
    bool started = set_variables(spank, said, &message) > 0;
    trace->asked = started || rc == -ETIMEDOUT; /* it may still start */
    if (started) {
        mark_run_id(spank, trace->name);
        if (options->mpi)
            preload(spank, paths->mpi);
    } else {
        slurm_error("wattle: step %s is not measured on this node: %s", trace->name,
                    message[0] ? message
                    : rc == -ETIMEDOUT
                        ? "wattle has not started in time; the step does not wait for it"
                        : "cannot run wattle; is it installed on this node?");
    }
}

void step_trace_stop(spank_t spank,
                     const struct site_paths *paths,
                     struct step_trace *trace,
                     char *ret_said,
                     size_t n)
{
    const char *const argv[] = {paths->wattle, "stop", NULL};
    ret_said[0] = '\0';
    if (trace->asked)
        (void)run_wattle(spank, trace, argv, NULL, STOP_MS, ret_said, n);
    trace->asked = false;
}
