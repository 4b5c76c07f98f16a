/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of wattle-pm: see pm_settings.h. */
#define _GNU_SOURCE
#include "service/pm_settings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/parse.h"

#define SECTION "pm"

static int take_count(const struct wtl_config *config,
                      const char *name,
                      uint64_t least,
                      uint64_t most,
                      size_t *ret,
                      struct wattle_error *err)
{
    const char *value = wtl_config_get(config, SECTION, name);
    uint64_t count;
    if (wtl_parse_u64(value, &count) < 0 || count < least || count > most)
        return wtl_fail(err, -EINVAL, "[pm] %s: \"%s\" is not a number from %llu to %llu", name,
                        value, (unsigned long long)least, (unsigned long long)most);
    *ret = (size_t)count;
    return 0;
}

/* One address. Any address of the machine would be more than the site may want to serve: it must be named. */
static int take_address(char *text, struct wtl_pm_address *ret, struct wattle_error *err)
{
    struct in_addr ip;
    uint64_t port = WTL_PM_PORT;
    char *colon = strchr(text, ':');
    if (colon)
        *colon = '\0';
    bool parsed = inet_pton(AF_INET, text, &ip) == 1 &&
                  (!colon || (wtl_parse_u64(colon + 1, &port) == 0 && port <= UINT16_MAX));
    if (!parsed)
        return wtl_fail(err, -EINVAL,
                        "[pm] listen: \"%s%s%s\" is not an IPv4 address with an optional port, as "
                        "in 127.0.0.1:6526",
                        text, colon ? ":" : "", colon ? colon + 1 : "");
    if (ip.s_addr == htonl(INADDR_ANY))
        return wtl_fail(err, -EINVAL,
                        "[pm] listen: 0.0.0.0 would serve everybody who reaches this machine, and "
                        "pmlib's protocol has no passwords; name the addresses to serve on");
    *ret = (struct wtl_pm_address){.ip = ip.s_addr, .port = (uint16_t)port};
    return 0;
}

static int take_listen(const char *value,
                       struct wtl_pm_settings *settings,
                       struct wattle_error *err)
{
    char text[512];
    if (strlen(value) >= sizeof text)
        return wtl_fail(err, -EINVAL, "[pm] listen: longer than %zu characters", sizeof text - 1);
    (void)snprintf(text, sizeof text, "%s", value);
    char *next = text;
    for (char *word; (word = strsep(&next, ", ")) != NULL;) {
        if (!word[0])
            continue;
        if (settings->listen_count == WTL_PM_LISTENERS)
            return wtl_fail(err, -EINVAL, "[pm] listen: more than %d addresses", WTL_PM_LISTENERS);
        int rc = take_address(word, &settings->listen[settings->listen_count], err);
        if (rc < 0)
            return rc;
        settings->listen_count++;
    }
    return 0;
}

int wtl_pm_settings(const struct wtl_config *config,
                    const char *listen,
                    struct wtl_pm_settings *ret_settings,
                    struct wattle_error *err)
{
    struct wtl_pm_settings s = {.listen_count = 0};
    size_t rate = 0, mib = 0;
    int rc = take_listen(listen ? listen : wtl_config_get(config, SECTION, "listen"), &s, err);
    rc = rc < 0 ? rc : take_count(config, "max-rate", 1, WTL_PM_RATE_MAX, &rate, err);
    rc = rc < 0 ? rc : take_count(config, "clients", 1, 1024, &s.clients, err);
    rc = rc < 0 ? rc : take_count(config, "clients-per-address", 1, 1024, &s.per_client, err);
    rc = rc < 0 ? rc : take_count(config, "memory", 1, 4096, &mib, err);
    if (rc < 0)
        return rc;
    (void)wtl_pm_dialect_parse(wtl_config_get(config, SECTION, "dialect"),
                               &s.dialect); /* one of the key's words */
    s.max_rate = (int)rate;
    s.memory = mib << 20;
    *ret_settings = s;
    return 0;
}
