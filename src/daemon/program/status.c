/* SPDX-License-Identifier: BSD-3-Clause */
/* The status of wattled: see status.h. */
#define _GNU_SOURCE
#include "daemon/program/status.h"

#include <string.h>

#include <jansson.h>

#include <wattle/version.h>

#include "base/fail.h"
#include "base/parse.h"
#include "daemon/program/daemon_state.h"

enum { VALUE_MAX = 512 };
#define SCHEMA "wattle.wattled-status/1"

typedef void value_fn(struct wtl_daemon *daemon, uid_t uid, char *value, size_t n);

static void put_count(char *value, size_t n, uint64_t count)
{
    (void)snprintf(value, n, "%llu", (unsigned long long)count);
}

static const char *lacks_of(const struct wtl_daemon *daemon)
{
    return wtl_sampler_selection(daemon->sampler)->lacks;
}

static bool is_degraded(const struct wtl_daemon *daemon)
{
    return daemon->failing > 0 || daemon->missing > 0 || lacks_of(daemon)[0] ||
           daemon->ledger_error < 0 || daemon->job_error < 0 || daemon->review_due;
}

#define VALUE(name)                                                     \
    static void name(struct wtl_daemon *daemon __attribute__((unused)), \
                     uid_t uid __attribute__((unused)), char *value, size_t n)

VALUE(missing_of)
{
    put_count(value, n, daemon->missing);
}
VALUE(unread_of)
{
    (void)snprintf(value, n, "%s", lacks_of(daemon));
}
VALUE(state_of)
{
    (void)snprintf(value, n, "%s", is_degraded(daemon) ? "degraded" : "healthy");
}
VALUE(version_of)
{
    (void)snprintf(value, n, "%s", WATTLE_VERSION);
}
VALUE(policy_of)
{
    (void)snprintf(value, n, "%s", wtl_policy_text(daemon->policy));
}
VALUE(page_of)
{
    enum wtl_grant grant = wtl_policy_grant(daemon->policy, uid);
    (void)snprintf(value, n, "%s",
                   grant == WTL_GRANT_FULL     ? "full"
                   : grant == WTL_GRANT_COARSE ? "coarse"
                                               : "none");
}
VALUE(channels_of)
{
    put_count(value, n, wattle_page_count(wtl_sampler_page(daemon->sampler)));
}
VALUE(failing_of)
{
    put_count(value, n, daemon->failing);
}

/* As many names as fit. */
VALUE(names_of)
{
    const struct wattle_page *page = wtl_sampler_page(daemon->sampler);
    size_t used = 0;
    value[0] = '\0';
    for (size_t i = 0; i < wattle_page_count(page); i++) {
        int state = wtl_health_of(daemon->health, i);
        const char *name = wattle_page_channel_at(page, i)->name;
        const char *why = state == 0 ? NULL : wtl_strerror(state);
        if (!why || used + strlen(name) + strlen(why) + 8 >= n)
            continue;
        used += (size_t)snprintf(value + used, n - used, "%s%s (%s)", used ? ", " : "", name, why);
    }
}
VALUE(ledger_of)
{
    (void)snprintf(value, n, "%s",
                   daemon->ledger_error < 0 ? wtl_strerror(daemon->ledger_error) : "ok");
}
VALUE(jobs_error_of)
{
    (void)snprintf(value, n, "%s", daemon->job_error < 0 ? wtl_strerror(daemon->job_error) : "ok");
}
VALUE(jobs_of)
{
    put_count(value, n, wtl_ledger_jobs_count(daemon->jobs));
}
VALUE(restart_of)
{
    (void)snprintf(value, n, "%s", daemon->restart_for);
}
VALUE(interval_of)
{
    (void)snprintf(value, n, "%g",
                   (double)wtl_sampler_page(daemon->sampler)->header->interval_ns * 1e-9);
}
VALUE(generation_of)
{
    put_count(value, n, wtl_sampler_page(daemon->sampler)->header->generation);
}
VALUE(uptime_of)
{
    (void)snprintf(value, n, "%.3f",
                   (double)(wtl_world_monotonic(daemon->options.world) - daemon->start_ns) * 1e-9);
}
VALUE(pid_of)
{
    put_count(value, n, wtl_sampler_page(daemon->sampler)->header->pid);
}
VALUE(users_of)
{
    put_count(value, n, wtl_policy_users(daemon->policy));
}
VALUE(readers_of)
{
    put_count(value, n, daemon->full);
}
VALUE(coarse_of)
{
    put_count(value, n, daemon->coarse);
}
VALUE(sealed_of)
{
    (void)snprintf(value, n, "%s", daemon->sealed ? "yes" : "no");
}
VALUE(user_changed_of)
{
    (void)snprintf(value, n, "%s", daemon->privilege.user_changed ? "yes" : "no");
}
VALUE(dropped_of)
{
    (void)snprintf(value, n, "%s", daemon->privilege.capabilities_dropped ? "yes" : "no");
}
VALUE(filter_of)
{
    (void)snprintf(value, n, "%s", daemon->privilege.filter_on ? "yes" : "no");
}

static void put_stat(struct wtl_daemon *daemon, size_t at, char *value, size_t n)
{
    struct wtl_server_stats stats;
    wtl_server_stats(daemon->server, &stats);
    const uint64_t values[] = {stats.connections, stats.accepted, stats.refused, stats.requests,
                               stats.malformed};
    put_count(value, n, values[at]);
}
VALUE(connections_of)
{
    put_stat(daemon, 0, value, n);
}
VALUE(accepted_of)
{
    put_stat(daemon, 1, value, n);
}
VALUE(refused_of)
{
    put_stat(daemon, 2, value, n);
}
VALUE(requests_of)
{
    put_stat(daemon, 3, value, n);
}
VALUE(malformed_of)
{
    put_stat(daemon, 4, value, n);
}

/* In the order in which they are shown. docs/man/wattled.8 explains each. */
static const struct field {
    const char *key;
    value_fn *get;
    bool root; /* for root only */
    bool number;
} fields[] = {
    {"state", state_of, false, false},
    {"version", version_of, false, false},
    {"readers_allowed", policy_of, false, false},
    {"page", page_of, false, false},
    {"channels", channels_of, false, true},
    {"channels_failing", failing_of, false, true},
    {"channels_missing", missing_of, true, true},
    {"unread", unread_of, true, false},
    {"failing", names_of, true, false},
    {"ledger", ledger_of, true, false},
    {"jobs_file", jobs_error_of, true, false},
    {"jobs", jobs_of, true, true},
    {"restart_for", restart_of, true, false},
    {"interval_s", interval_of, true, true},
    {"generation", generation_of, true, true},
    {"pid", pid_of, true, true},
    {"uptime_s", uptime_of, true, true},
    {"users", users_of, true, true},
    {"readers_full", readers_of, true, true},
    {"readers_coarse", coarse_of, true, true},
    {"connections", connections_of, true, true},
    {"accepted", accepted_of, true, true},
    {"refused", refused_of, true, true},
    {"requests", requests_of, true, true},
    {"malformed", malformed_of, true, true},
    {"pages_sealed", sealed_of, true, false},
    {"user_changed", user_changed_of, true, false},
    {"capabilities_dropped", dropped_of, true, false},
    {"system_calls_filtered", filter_of, true, false},
};
enum { FIELDS = sizeof fields / sizeof *fields };

void wtl_status_print(struct wtl_daemon *daemon, uid_t uid, struct wtl_reply *reply)
{
    char value[VALUE_MAX];
    wtl_reply_add(reply, "ok");
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].root && uid != 0)
            continue;
        fields[i].get(daemon, uid, value, sizeof value);
        wtl_reply_add(reply, "\n%s = %s", fields[i].key, value);
    }
}

/* ---- the other side ---- */

static bool is_number(const char *key)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (strcmp(key, fields[i].key) == 0)
            return fields[i].number;
    }
    return false;
}

/* Unknown is null, as in every document. */
static json_t *json_of(const char *key, const char *value)
{
    double number;
    if (!value[0])
        return json_null();
    if (!is_number(key))
        return json_string(value);
    if (wtl_parse_double(value, &number) < 0)
        return json_null();
    return strchr(value, '.') ? json_real(number) : json_integer((json_int_t)number);
}

/* Each line of the reply, split: key NULL at the end. */
static char *next_pair(char **rest, char **ret_value)
{
    char *line;
    while ((line = strsep(rest, "\n"))) {
        char *equals = strstr(line, " = ");
        if (!equals)
            continue;
        *equals = '\0';
        *ret_value = equals + 3;
        return line;
    }
    return NULL;
}

static int print_json(char *text, FILE *out, struct wattle_error *err)
{
    json_t *document = json_pack("{ss}", "schema", SCHEMA);
    char *key, *value;
    while ((key = next_pair(&text, &value)))
        (void)json_object_set_new(document, key, json_of(key, value));
    int rc = document && json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0
                 ? 0
                 : -1;
    json_decref(document);
    (void)fputc('\n', out);
    return rc < 0 ? wtl_no_memory(err) : 0;
}

static int ask(const char *run_dir, char *reply, size_t n, struct wattle_error *err)
{
    char path[200];
    int fd;
    (void)snprintf(path, sizeof path, "%s/socket", run_dir);
    int socket = wattle_page_ask(path, "status", reply, n, &fd);
    if (fd >= 0)
        (void)close(fd); /* not expected with a status */
    if (socket >= 0)
        (void)close(socket);
    if (socket == -ENOENT || socket == -ECONNREFUSED)
        return wtl_fail(err, socket,
                        "wattled is not running (nothing listens on \"%s\"); start it first", path);
    if (socket < 0)
        return wtl_fail(err, socket, "wattled does not answer on \"%s\": %s", path,
                        wtl_strerror(socket));
    return strncmp(reply, "ok\n", 3) == 0
               ? 0
               : wtl_fail(err, -EPROTO, "cannot get the status of wattled: %s", reply);
}

int wtl_status_show(const char *run_dir,
                    bool json,
                    FILE *out,
                    enum wtl_status_code *ret_code,
                    struct wattle_error *err)
{
    char reply[WTL_REPLY_MAX + 1];
    *ret_code = WTL_STATUS_NOT_RUNNING;
    int rc = ask(run_dir, reply, sizeof reply, err);
    if (rc < 0)
        return rc;
    *ret_code = strstr(reply, "\nstate = healthy\n") ? WTL_STATUS_HEALTHY : WTL_STATUS_DEGRADED;
    if (json)
        return print_json(reply + 3, out, err);
    (void)fprintf(out, "%s\n", reply + 3);
    return 0;
}
