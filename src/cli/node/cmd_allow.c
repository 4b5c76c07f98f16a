/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle allow" and "wattle deny": which users may read wattled's page while they have a job here. */
#define _GNU_SOURCE
#include <pwd.h>

#include "base/fail.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/node/wattled_link.h"

static const struct wtl_option options_table[] = {
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

/* A name, or the number of a user who need not have a name here. */
static bool find_user(const char *word, uint64_t *ret_uid)
{
    const struct passwd *user = getpwnam(word);
    if (!user)
        return wtl_parse_u64(word, ret_uid) == 0 && *ret_uid < UINT32_MAX;
    *ret_uid = user->pw_uid;
    return true;
}

static int change(const struct wtl_command *command, int argc, char **argv)
{
    char request[64], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_command_line line;
    struct wattle_error err = {""};
    uint64_t uid;
    char none;
    int status = wtl_command_read(command, argc, argv, &none, &line);
    if (status != WTL_GO_ON)
        return status;
    if (line.count != 1)
        return wtl_usage(command, "expected one USER, a name or a number");
    if (!find_user(line.words[0], &uid)) {
        wtl_complain(
            command,
            "user \"%s\" does not exist on this node; give a name or a number from 0 to 4294967294",
            line.words[0]);
        return WTL_EXIT_FAILED;
    }
    (void)snprintf(request, sizeof request, "%s %llu", command->verb, (unsigned long long)uid);
    if (wtl_wattled_ask(request, reply, &lines, &err) < 0) {
        wtl_complain(command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

static int run_allow(int argc, char **argv)
{
    return change(&wtl_allow_command, argc, argv);
}

static int run_deny(int argc, char **argv)
{
    return change(&wtl_deny_command, argc, argv);
}

const struct wtl_command wtl_allow_command = {
    .verb = "allow",
    .run = run_allow,
    .operands = "USER",
    .summary = "let a user read the energy of this node",
    .text =
        "For prologs of batch systems, as root. USER, a name or a number, may read the energy\n"
        "page of wattled(8) until \"wattle deny\". While several users have jobs on this node,\n"
        "each of them gets coarse readings, unless the site has set otherwise.\n",
    .options = options_table,
    .examples = "wattle allow alice\n"
                "wattle allow 1000\n",
    .usage_exit = WTL_EXIT_USAGE,
};

const struct wtl_command wtl_deny_command = {
    .verb = "deny",
    .run = run_deny,
    .operands = "USER",
    .summary = "undo \"wattle allow\"",
    .text =
        "For epilogs of batch systems, as root. USER loses the energy page at once, unless USER\n"
        "may read it for another reason: a process in the batch system's cgroup, or the setting\n"
        "readers of wattle.conf(5).\n",
    .options = options_table,
    .examples = "wattle deny alice\n",
    .usage_exit = WTL_EXIT_USAGE,
};
