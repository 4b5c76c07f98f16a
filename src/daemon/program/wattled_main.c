/* SPDX-License-Identifier: BSD-3-Clause */
/* wattled: joules for all users of a node, from one small privileged reader. This file is the command line. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wattle/version.h>

#include "base/environment.h"
#include "base/fail.h"
#include "base/flush.h"
#include "base/standard_streams.h"
#include "daemon/folder.h"
#include "daemon/log.h"
#include "daemon/privilege.h"
#include "daemon/program/configuration.h"
#include "daemon/program/daemon.h"
#include "daemon/program/renewal.h"
#include "daemon/program/status.h"
#include "daemon/program/wattled_options.h"

/* What is wrong in the file stops nothing: the number of such places. */
static size_t log_warnings(const struct wtl_config *config)
{
    const char *text;
    size_t count = 0;
    for (; (text = wtl_config_warning(config, count)); count++)
        wtl_log(WTL_LOG_WARNING, "%s; ignored", text);
    return count;
}

static int apply(void *context, struct wtl_daemon *daemon, struct wattle_error *err)
{
    struct wtl_configuration fresh;
    int rc = wtl_configuration_read(&fresh, wtl_world_real(), context, err);
    if (rc == 0) {
        (void)log_warnings(fresh.config);
        rc = wtl_daemon_use(daemon, &fresh.settings, err);
    }
    wtl_configuration_fini(&fresh);
    return rc;
}

static int serve(struct wtl_wattled_options *options,
                 const struct wtl_daemon_settings *settings,
                 char **argv)
{
    struct wtl_daemon *daemon;
    struct wattle_error err = {""};
    char lacks[128] = "";
    const struct wtl_daemon_options given = {.world = wtl_world_real(),
                                             .settings = settings,
                                             .reload = apply,
                                             .context = options,
                                             .ret_lacks = &lacks};
    int rc = wtl_daemon_open(&given, &daemon, &err);
    if (rc < 0 && lacks[0])
        return wtl_renewal_serve(&given, lacks, argv);
    if (rc < 0) {
        wtl_log(WTL_LOG_ERROR, "%s", err.text);
        return WTL_WATTLED_FAILED;
    }
    wtl_daemon_serve(daemon);
    wtl_daemon_close(daemon);
    return 0;
}

static int show_status(const struct wtl_wattled_options *options, const char *run_dir)
{
    enum wtl_status_code code;
    struct wattle_error err = {""};
    if (wtl_status_show(run_dir, options->format == 1, stdout, &code, &err) < 0)
        wtl_complain(&wtl_wattled_command, "%s", err.text);
    return (int)code;
}

/* What serve() would refuse, and what it would ignore. */
static int test(const struct wtl_daemon_settings *settings, size_t warnings)
{
    uid_t uid;
    gid_t gid;
    struct wattle_error err = {""};
    if (wtl_folder_owner(settings->user, &uid, &gid, &err) == 0)
        return warnings ? WTL_WATTLED_FAILED : 0;
    wtl_complain(&wtl_wattled_command, "%s", err.text);
    return WTL_WATTLED_FAILED;
}

/* What needs the configuration. */
static int run(struct wtl_wattled_options *options, char **argv)
{
    struct wtl_configuration configuration;
    struct wattle_error err = {""};
    int result = WTL_WATTLED_FAILED;
    if (wtl_configuration_read(&configuration, wtl_world_real(), options, &err) < 0) {
        wtl_complain(&wtl_wattled_command, "%s", err.text);
    } else if (options->status) {
        result = show_status(options, configuration.settings.run_dir);
    } else {
        size_t warnings = log_warnings(configuration.config);
        result = options->test ? test(&configuration.settings, warnings)
                               : serve(options, &configuration.settings, argv);
    }
    wtl_configuration_fini(&configuration);
    return result;
}

/* With file capabilities, wattled may read more than the user who starts it: nothing of that user chooses what it
 * reads or where it writes. */
static bool may_start(const struct wtl_wattled_options *options)
{
    if (!wtl_is_privileged())
        return true;
    if (clearenv() == 0 && !options->config && !options->run_dir && !options->state_dir &&
        !options->user)
        return true;
    wtl_complain(
        &wtl_wattled_command,
        "with file capabilities, --config, --run-dir, --state-dir and --user are not allowed; "
        "use /etc/wattle/wattle.conf");
    return false;
}

int main(int argc, char **argv)
{
    static struct wtl_wattled_options options;
    struct wattle_error err = {""};
    wtl_hold_standard_streams();
    int result = wtl_wattled_options_read(&options, argc, argv);
    if (result == WTL_GO_ON) {
        result = 0;
        if (options.version)
            (void)printf("wattled %s\n", WATTLE_VERSION);
        else if (options.explain)
            wtl_privilege_explain(stdout);
        else
            result = may_start(&options) ? run(&options, argv) : WTL_WATTLED_FAILED;
    }
    if (wtl_flush(stdout, &err) < 0) {
        wtl_complain(&wtl_wattled_command, "%s", err.text);
        return wtl_exit_failed(WTL_WATTLED_FAILED);
    }
    return result;
}
