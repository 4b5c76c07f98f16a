/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "daemon/program/wattled_options.h"

#define T struct wtl_wattled_options

static const char *const formats[] = {"text", "json", NULL};

static const struct wtl_option rows[] = {
    {0, "config", "FILE", "read FILE instead of /etc/wattle/wattle.conf",
     WTL_TAKES_INPUT(T, config)},
    {0, "run-dir", "DIR", "folder of the socket and the ledger (default\n/run/wattle)",
     WTL_TAKES_FILE(T, run_dir)},
    {0, "state-dir", "DIR", "folder of the jobs (default /var/lib/wattle)",
     WTL_TAKES_FILE(T, state_dir)},
    {0, "user", "NAME", "user to become once the sensors are open (default\nwattle; empty = stay)",
     WTL_TAKES_TEXT(T, user)},
    {0, "status", NULL, "print the status of the running wattled", WTL_SETS(T, status)},
    {0, "format", "FORMAT", "format of --status: text or json (default text)",
     WTL_TAKES_CHOICE(T, format, formats)},
    {0, "test", NULL, "check the configuration and exit", WTL_SETS(T, test)},
    {0, "explain", NULL, "print the privileges, files and system calls that\nwattled uses, and why",
     WTL_SETS(T, explain)},
    WTL_OPTION_HELP,
    {0, "version", NULL, "show the version and exit", WTL_SETS(T, version)},
    WTL_OPTIONS_END,
};

const struct wtl_command wtl_wattled_command = {
    .verb = "wattled",
    .program = "wattled",
    .operands = "",
    .summary = "Read the energy sensors of this node once, for all users who may.",
    .text =
        "Opens the sensors, gives up its privileges, and publishes energies since boot in memory\n"
        "that users read without a system call. Stays in the foreground; SIGTERM ends it, SIGHUP\n"
        "reloads the settings: section [wattled] of wattle.conf(5); options override it.\n"
        "\nExit status: 0, 125 if wattled cannot start, or for a usage error. --status: 0 "
        "healthy,\n"
        "1 degraded (a sensor fails, or the ledger cannot be written), 2 not running.\n"
        "--test: 0, or 125 if something would be ignored or wattled would not start.\n",
    .options = rows,
    .examples = "wattled --test\n"
                "wattled --user wattle\n"
                "wattled --status --format json\n",
    .usage_exit = WTL_WATTLED_FAILED,
    .takes_signals = true,
};

int wtl_wattled_options_read(struct wtl_wattled_options *options, int argc, char **argv)
{
    struct wtl_command_line line;
    *options = (struct wtl_wattled_options){.config = NULL};
    int status = wtl_options_read(&wtl_wattled_command, argc, argv, options, NULL, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count > 0)
        return wtl_usage(&wtl_wattled_command, "unexpected argument \"%s\"", line.words[0]);
    if (options->status + options->test + options->explain > 1)
        return wtl_usage(&wtl_wattled_command, "use only one of --status, --test and --explain");
    if (options->format && !options->status)
        return wtl_usage(&wtl_wattled_command, "--format requires --status");
    return WTL_GO_ON;
}
