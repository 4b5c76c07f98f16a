/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests about jobs to this node's wattled: see jobs_node.h. */
#define _GNU_SOURCE
#include "cli/jobs/jobs_node.h"

#include <errno.h>

#include "base/fail.h"
#include "cli/commands.h"
#include "cli/node/wattled_link.h"

static int ask(const char *request,
               const char *id,
               wtl_jobs_parse *parse,
               enum wtl_format format,
               struct wattle_error *err)
{
    char message[256], reply[WTL_WATTLED_REPLY], *lines;
    struct wtl_node_job_list list = {.count = 0};
    if ((size_t)snprintf(message, sizeof message, "%s%s", request, id) >= sizeof message)
        return wtl_fail(err, -EINVAL, "the ID of a job has at most 64 characters");
    int rc = wtl_wattled_ask(message, reply, &lines, err);
    if (rc < 0 || !parse)
        return rc;
    rc = parse(&list, id, lines);
    if (rc == 0)
        rc = wtl_node_job_list_print(&list, format, stdout);
    wtl_node_job_list_fini(&list);
    if (rc == -EBADMSG)
        return wtl_fail(err, rc,
                        "wattled on this node has another version; install the same version of "
                        "wattle and wattled");
    return rc < 0 ? wtl_no_memory(err) : 0;
}

int wtl_jobs_node_ask(const struct wtl_command *command,
                      const char *request,
                      const char *id,
                      wtl_jobs_parse *parse,
                      enum wtl_format format)
{
    struct wattle_error err = {""};
    if (ask(request, id, parse, format, &err) == 0)
        return WTL_EXIT_OK;
    wtl_complain(command, "%s", err.text);
    return WTL_EXIT_FAILED;
}

int wtl_jobs_node_id(const struct wtl_command *command,
                     const struct wtl_command_line *line,
                     const char **ret_id)
{
    if (line->count != 1)
        return wtl_usage(command, "expected one ID");
    *ret_id = line->words[0];
    return 0;
}
