/* SPDX-License-Identifier: BSD-3-Clause */
/* "wattle jobs": jobs of this node, which root begins and ends through wattled. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/node/job_list.h"
#include "cli/node/wattled_link.h"

struct request {
    enum wtl_format format;
};

static const struct wtl_option options_table[] = {
    WTL_OPTION_FORMAT(struct request, format),
    WTL_OPTION_HELP,
    WTL_OPTIONS_END,
};

static int take_nothing(struct wtl_node_job_list *list, const char *id, char *lines)
{
    (void)id;
    (void)lines;
    *list = (struct wtl_node_job_list){.count = 0};
    return 0;
}

static int take_jobs(struct wtl_node_job_list *list, const char *id, char *lines)
{
    (void)id;
    return wtl_node_job_list_parse(list, lines);
}

/* What to do with jobs: the first word. */
static const struct action {
    const char *word, *request;
    bool has_id, prints;
    int (*parse)(struct wtl_node_job_list *list, const char *id, char *lines);
} actions[] = {
    {"list", "jobs", false, true, take_jobs},
    {"begin", "begin ", true, false, take_nothing},
    {"end", "end ", true, true, wtl_node_job_list_parse_ended},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int find_action(const struct wtl_command_line *line, const struct action **ret_action)
{
    const char *word = line->count > 0 ? line->words[0] : "list";
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strcmp(word, actions[i].word) != 0)
            continue;
        *ret_action = &actions[i];
        size_t words = actions[i].has_id ? 2 : 1;
        if (line->count > words || (actions[i].has_id && line->count < words))
            return wtl_usage(&wtl_jobs_command,
                             actions[i].has_id ? "%s takes one ID" : "%s takes no ID", word);
        return 0;
    }
    return wtl_usage(&wtl_jobs_command, "unexpected argument \"%s\"; use list, begin ID or end ID",
                     word);
}

static int do_action(const struct action *action,
                     const char *id,
                     enum wtl_format format,
                     struct wattle_error *err)
{
    char request[256], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    if ((size_t)snprintf(request, sizeof request, "%s%s", action->request, id) >= sizeof request)
        return wtl_fail(err, -EINVAL, "the ID of a job has at most 64 characters");
    int rc = wtl_wattled_ask(request, reply, &lines, err);
    if (rc < 0)
        return rc;
    rc = action->parse(&list, id, lines);
    if (rc == 0 && action->prints)
        rc = wtl_node_job_list_print(&list, format, stdout);
    wtl_node_job_list_fini(&list);
    if (rc == -EBADMSG)
        return wtl_fail(err, rc,
                        "wattled on this node has another version; install the same version of "
                        "wattle and wattled");
    return rc < 0 ? wtl_no_memory(err) : 0;
}

static int run(int argc, char **argv)
{
    struct wtl_command_line line;
    struct request request = {.format = WTL_FORMAT_TEXT};
    const struct action *action = NULL;
    struct wattle_error err = {""};
    int status = wtl_command_read(&wtl_jobs_command, argc, argv, &request, &line);
    if (status != WTL_GO_ON)
        return status;
    if ((status = find_action(&line, &action)))
        return status;
    assert(action);
    if (do_action(action, action->has_id ? line.words[1] : "", request.format, &err) < 0) {
        wtl_complain(&wtl_jobs_command, "%s", err.text);
        return WTL_EXIT_FAILED;
    }
    return WTL_EXIT_OK;
}

const struct wtl_command wtl_jobs_command = {
    .verb = "jobs",
    .run = run,
    .operands = "[list | begin ID | end ID]",
    .summary = "measure the energy of batch jobs on this node",
    .text =
        "For batch systems: \"begin\" in the prolog and \"end\" in the epilog of a job, both as\n"
        "root. \"end\" prints the energy of the whole node between the two, and the time that is\n"
        "missing from it. Without an argument, lists open jobs. An ID has 1 to 64 characters of\n"
        "A-Z a-z 0-9 . _ + -, the first a letter or digit. Requires a running wattled(8).\n",
    .options = options_table,
    .examples = "wattle jobs\n"
                "wattle jobs begin 4711\n"
                "wattle jobs end 4711 --format json\n",
    .usage_exit = WTL_EXIT_USAGE,
};
