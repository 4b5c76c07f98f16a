/* SPDX-License-Identifier: BSD-3-Clause */
/* wattle-pm: the energy page of this node for clients of pmlib. This file is the command line. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <wattle/version.h>

#include "base/fail.h"
#include "base/flush.h"
#include "base/standard_streams.h"
#include "base/world/world.h"
#include "options/options.h"
#include "options/service_keys.h"
#include "service/page_meters.h"
#include "service/pm_server.h"

enum { FAILED = 125, OUTDATED = 1 };

struct options {
    const char *config, *listen;
    bool test, version;
};

#define T struct options
static const struct wtl_option rows[] = {
    {0, "config", "FILE", "read FILE instead of /etc/wattle/wattle.conf",
     WTL_TAKES_INPUT(T, config)},
    {0, "listen", "LIST", "addresses to serve on, IPV4[:PORT],...; port 0 = any\nfree one",
     WTL_TAKES_TEXT(T, listen)},
    {0, "test", NULL, "check the configuration and exit", WTL_SETS(T, test)},
    WTL_OPTION_HELP,
    {0, "version", NULL, "show the version and exit", WTL_SETS(T, version)},
    WTL_OPTIONS_END,
};

static const struct wtl_command command = {
    .verb = "wattle-pm",
    .program = "wattle-pm",
    .operands = "",
    .summary = "Serve the power of this node to clients of pmlib.",
    .text =
        "Reads the energy page of wattled(8) as any user does, and answers pmlib's requests over\n"
        "TCP. It serves only the addresses that section [pm] of wattle.conf(5) or --listen names;\n"
        "the protocol has no passwords. Stays in the foreground; SIGTERM ends it.\n"
        "\nExit status: 0; 1 if wattled was started again with other channels; 125 if it cannot "
        "start,\n"
        "or for a usage error.\n",
    .options = rows,
    .examples = "wattle-pm --listen 127.0.0.1\n"
                "wattle-pm --test\n",
    .usage_exit = FAILED,
    .takes_signals = true,
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

/* Signals arrive only while the server waits. */
static sigset_t catch_signals(void)
{
    const struct sigaction act = {.sa_handler = on_signal};
    sigset_t ends, awake;
    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &ends, &awake);
    (void)sigdelset(&awake, SIGTERM);
    (void)sigdelset(&awake, SIGINT);
    (void)sigaction(SIGTERM, &act, NULL); /* valid arguments: cannot fail */
    (void)sigaction(SIGINT, &act, NULL);
    return awake;
}

static bool need_page(void *context, bool needed, uint64_t now_ns)
{
    bool open = wtl_pm_page_need(context, needed, now_ns);
    if (wtl_pm_page_changed(context))
        stop = 1;
    return open;
}

static void say_ready(const struct wtl_pm_settings *settings,
                      const struct wtl_pm_server *server,
                      size_t devices)
{
    for (size_t i = 0; i < settings->listen_count; i++) {
        char text[INET_ADDRSTRLEN] = "";
        const struct in_addr ip = {.s_addr = settings->listen[i].ip};
        (void)inet_ntop(AF_INET, &ip, text, sizeof text);
        wtl_complain(&command, "serving %zu devices on %s:%u", devices, text,
                     wtl_pm_server_port(server, i));
    }
}

static int serve(const struct wtl_pm_settings *settings, struct wattle_error *err)
{
    struct wtl_pm_service service = {.dialect = settings->dialect,
                                     .memory = {.limit = settings->memory}};
    struct wtl_pm_page *page = NULL;
    struct wtl_pm_server *server = NULL;
    sigset_t awake = catch_signals();
    int rc = wtl_pm_page_open(settings->max_rate, &page, &service.meters, err);
    const struct wtl_pm_server_ops ops = {need_page, page};
    if (rc == 0 && service.meters.count == 0)
        rc = wtl_fail(err, -ENODEV,
                      "wattled has no channel of energy or power; see \"wattled --status\"");
    if (rc == 0)
        rc = wtl_pm_server_open(settings, &service, &ops, &server, err);
    if (rc == 0) {
        say_ready(settings, server, service.meters.count);
        wtl_pm_server_run(server, &stop, &awake);
        if (wtl_pm_page_changed(page))
            rc = wtl_fail(err, -ESTALE,
                          "wattled has other channels than when wattle-pm started; start "
                          "wattle-pm again to serve them");
    }
    wtl_pm_server_close(server);
    wtl_pm_meters_fini(&service.meters);
    wtl_pm_page_close(page);
    return rc;
}

/* Sections that others read. */
static const char *const others[] = {"run",     "jobs",     "slurm", "control",
                                     "wattled", "sensor *", NULL};

static int load(const struct options *options,
                struct wtl_config **ret_config,
                struct wtl_pm_settings *ret_settings,
                struct wattle_error *err)
{
    size_t count;
    const struct wtl_world *world = wtl_world_real();
    const struct wtl_config_key *keys = wtl_pm_keys(&count);
    if (options->config && !world->ops->exists(world, options->config))
        return wtl_fail(err, -ENOENT, "there is no file \"%s\"", options->config);
    if (wtl_config_create(keys, count, ret_config) < 0)
        return wtl_no_memory_for(err, "the configuration");
    wtl_config_others(*ret_config, others);
    int rc = wtl_config_load_system(*ret_config, world, options->config, err);
    return rc < 0 ? rc : wtl_pm_settings(*ret_config, options->listen, ret_settings, err);
}

static int run(const struct options *options)
{
    struct wtl_config *config = NULL;
    struct wtl_pm_settings settings = {0};
    struct wattle_error err = {""};
    const char *text;
    size_t ignored = 0;
    int rc = load(options, &config, &settings, &err);
    for (; rc == 0 && (text = wtl_config_warning(config, ignored)); ignored++)
        wtl_complain(&command, "%s; ignored", text);
    if (rc == 0 && settings.listen_count == 0)
        rc = wtl_fail(
            &err, -EINVAL,
            "it is off, since no address to serve on is set; set listen in section [pm] of "
            "wattle.conf, or use --listen 127.0.0.1");
    if (rc == 0 && !options->test)
        rc = serve(&settings, &err);
    if (rc < 0)
        wtl_complain(&command, "%s", err.text);
    wtl_config_destroy(config);
    if (rc == -ESTALE)
        return OUTDATED; /* which systemd starts again */
    return rc < 0 || (options->test && ignored > 0) ? FAILED : 0;
}

int main(int argc, char **argv)
{
    struct options options = {.config = NULL};
    struct wtl_command_line line;
    struct wattle_error err = {""};
    wtl_hold_standard_streams();
    int result = wtl_options_read(&command, argc, argv, &options, NULL, &line);
    if (result == WTL_GO_ON && line.count > 0)
        result = wtl_usage(&command, "unexpected argument \"%s\"", line.words[0]);
    if (result == WTL_GO_ON && options.version)
        result = printf("wattle-pm %s\n", WATTLE_VERSION) < 0 ? FAILED : 0;
    if (result == WTL_GO_ON)
        result = run(&options);
    if (wtl_flush(stdout, &err) < 0) {
        wtl_complain(&command, "%s", err.text);
        return wtl_exit_failed(FAILED);
    }
    return result;
}
