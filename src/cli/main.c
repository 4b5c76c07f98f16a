/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wattle: the list of verbs and the dispatch. Each verb is a file cmd_<verb>.c that parses its options, calls
 * the layers below and prints.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/flush.h"
#include "base/nearest.h"
#include "base/standard_streams.h"
#include "base/text/wrap.h"
#include "cli/commands.h"
#include "cli/run/leftover.h"

static const struct wtl_command *const verbs[] = {
    &wtl_run_command,     &wtl_start_command,    &wtl_mark_command,    &wtl_stop_command,
    &wtl_sensors_command, &wtl_counters_command, &wtl_doctor_command,  &wtl_gather_command,
    &wtl_top_command,     &wtl_stats_command,    &wtl_report_command,  &wtl_phases_command,
    &wtl_predict_command, &wtl_tasks_command,    &wtl_cite_command,    &wtl_compare_command,
    &wtl_ab_command,      &wtl_check_command,    &wtl_sweep_command,   &wtl_pose_command,
    &wtl_reduce_command,  &wtl_export_command,   &wtl_import_command,  &wtl_repair_command,
    &wtl_knobs_command,   &wtl_hold_command,     &wtl_restore_command, &wtl_jobs_command,
    &wtl_allow_command,   &wtl_deny_command,     &wtl_config_command,  &wtl_characterize_command};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const struct wtl_command *find(const char *name)
{
    for (size_t i = 0; i < VERBS; i++) {
        if (strcmp(verbs[i]->verb, name) == 0)
            return verbs[i];
    }
    return NULL;
}

static void print_overview(FILE *out)
{
    (void)fputs("Usage: wattle VERB [OPTION]... [ARGUMENT]...\n"
                "Measures the energy of commands on Linux.\n\nVerbs:\n",
                out);
    for (size_t i = 0; i < VERBS; i++) {
        (void)fprintf(out, "  %-12s ", verbs[i]->verb);
        wtl_wrap(out, verbs[i]->summary, 15, 15, wtl_page_width(out));
        (void)fputc('\n', out);
    }
    (void)fputs("\nTo measure a command: wattle run -- COMMAND\n", out);
    wtl_wrap_laid_out(
        out,
        "See \"wattle VERB --help\" for options and examples, and \"man wattle\" for the "
        "manual.\n",
        wtl_page_width(out));
}

static int unknown_verb(const char *name)
{
    const char *names[VERBS + 1] = {"help"};
    for (size_t i = 0; i < VERBS; i++)
        names[i + 1] = verbs[i]->verb;
    const char *near = wtl_nearest(name, names, VERBS + 1);
    if (near)
        wtl_complain(NULL, "unknown verb \"%s\"; did you mean \"%s\"?", name, near);
    else
        wtl_complain(NULL,
                     "unknown verb \"%s\"; see \"wattle help\", or measure a command with \"wattle "
                     "run -- %s\"",
                     name, name);
    return WTL_EXIT_USAGE;
}

static int flush_stdout(void)
{
    struct wattle_error err = {""};
    if (wtl_flush(stdout, &err) == 0)
        return WTL_EXIT_OK;
    wtl_complain(NULL, "standard output: %s", err.text);
    return wtl_exit_failed(WTL_EXIT_FAILED);
}

static int help(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return flush_stdout();
    }
    const struct wtl_command *verb = find(argv[1]);
    if (!verb)
        return unknown_verb(argv[1]);
    wtl_command_help(verb);
    return flush_stdout();
}

static int run(const struct wtl_command *verb, int argc, char **argv)
{
    /* A closed pipe is a failed write, so that incomplete files are removed. */
    if (!verb->runs_command)
        (void)signal(SIGPIPE, SIG_IGN);
    if (!verb->runs_command && !verb->takes_signals)
        wtl_leftovers_guard();
    int status = verb->run(argc, argv);
    if (status == WTL_EXIT_OK)
        status = flush_stdout();
    /* The signal is not raised: incomplete files were removed, and a shell shows the same status. */
    bool failed = status != WTL_EXIT_OK && !verb->runs_command;
    return failed ? wtl_exit_failed(status) : status;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    wtl_hold_standard_streams();
    if (!name) {
        print_overview(stderr);
        return WTL_EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        (void)puts("wattle " WATTLE_VERSION);
        return flush_stdout();
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 1, argv + 1);
    const struct wtl_command *verb = find(name);
    if (!verb && name[0] == '-') {
        wtl_complain(
            NULL, "unknown option \"%s\"; options before the verb are --help and --version", name);
        return WTL_EXIT_USAGE;
    }
    if (!verb)
        return unknown_verb(name);
    return run(verb, argc - 1, argv + 1);
}
