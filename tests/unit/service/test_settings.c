/* SPDX-License-Identifier: BSD-3-Clause */
/* Section [pm] of wattle.conf. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <string.h>

#include "options/service_keys.h"
#include "service/pm_settings.h"

#include "tap.h"

static int settings_of(const char *text,
                       const char *listen,
                       struct wtl_pm_settings *settings,
                       struct wattle_error *err)
{
    struct wtl_config *config;
    size_t count;
    const struct wtl_config_key *keys = wtl_pm_keys(&count);
    if (wtl_config_create(keys, count, &config) < 0 ||
        wtl_config_text(config, "wattle.conf", text, strlen(text), err) < 0)
        return -1;
    int rc = wtl_pm_settings(config, listen, settings, err);
    wtl_config_destroy(config);
    return rc;
}

int main(void)
{
    static const struct {
        int line;
        const char *text, *says;
    } bad[] = {
        {__LINE__, "listen = 0.0.0.0", "would serve everybody"},
        {__LINE__, "listen = example.org", "is not an IPv4 address"},
        {__LINE__, "listen = 127.0.0.1:70000", "is not an IPv4 address"},
        {__LINE__, "listen = 127.0.0.1:", "is not an IPv4 address"},
        {__LINE__, "listen = ::1", "is not an IPv4 address"},
        {__LINE__, "max-rate = 0", "from 1 to 1000"},
        {__LINE__, "clients = 100000", "from 1 to 1024"},
        {__LINE__, "memory = 0", "from 1 to 4096"},
    };
    struct wtl_pm_settings settings;
    struct wattle_error err;
    char text[200];
    is_int(settings_of("", NULL, &settings, &err), 0, "without a file");
    is_int(settings.listen_count, 0, "the server is off");
    ok(settings.max_rate == 100 && settings.clients == 64 && settings.memory == 64u << 20,
       "defaults");
    is_int(settings_of("[pm]\nlisten = 127.0.0.1, 10.1.2.3:7000\ndialect = cpp\n", NULL, &settings,
                       &err),
           0, "two addresses");
    ok(settings.listen_count == 2 && settings.listen[0].port == 6526 &&
           settings.listen[1].ip == htonl(0x0a010203) && settings.listen[1].port == 7000 &&
           settings.dialect == WTL_PM_CPP,
       "are taken");
    is_int(settings_of("[pm]\nlisten = 10.1.2.3\n", "127.0.0.1:0", &settings, &err), 0,
           "an option");
    ok(settings.listen_count == 1 && settings.listen[0].ip == htonl(INADDR_LOOPBACK),
       "replaces them");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tap_line = bad[i].line;
        (void)snprintf(text, sizeof text, "[pm]\n%s\n", bad[i].text);
        ok(settings_of(text, NULL, &settings, &err) < 0 && strstr(err.text, bad[i].says), "%s: %s",
           bad[i].text, err.text);
    }
    return done_testing();
}
