/* SPDX-License-Identifier: BSD-3-Clause */
/* What a server has: pm_set_server(), pm_get_devices(), pm_get_device_info(). */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "pmclient/connection.h"

enum { REPLY_MAX = 1 << 16 };

int pm_set_server(const char *ip, int port, server_t *server)
{
    struct in_addr address;
    if (inet_pton(AF_INET, ip, &address) != 1)
        return wtl_pm_complain("\"%s\" is not an IPv4 address; names are not looked up", ip);
    (void)snprintf(server->server_ip, sizeof server->server_ip, "%s", ip);
    server->port = port;
    return 0;
}

static void free_names(char **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

int pm_get_devices(server_t server, char ***list, int *count)
{
    const struct wtl_pm_request request = {.mark = WTL_PM_LIST};
    char name[WTL_PM_TEXT], **names = NULL;
    enum wtl_pm_dialect dialect = WTL_PM_G2;
    uint8_t *bytes = malloc(REPLY_MAX);
    size_t got = 0;
    int n = 0, rc = bytes ? wtl_pm_ask(&server, &request, bytes, REPLY_MAX, &got)
                          : wtl_pm_complain("out of memory");
    struct wtl_pm_reader from = {.at = bytes, .size = got};
    int more = rc;
    while (rc == 0 && (more = wtl_pm_list_next(&from, name, &dialect)) > 0) {
        bool grown = wtl_grow(&names, (size_t)n, sizeof *names) == 0;
        char *copy = grown ? strdup(name) : NULL;
        if (copy)
            names[n++] = copy;
        else
            rc = wtl_pm_complain("out of memory");
    }
    if (rc == 0 && more < 0)
        rc = wtl_pm_complain("the server's list of devices cannot be understood");
    free(bytes);
    if (rc < 0) {
        free_names(names, n);
        return -1;
    }
    *list = names;
    *count = n;
    return 0;
}

int pm_get_device_info(server_t server, const char *device, device_t *info)
{
    struct wtl_pm_request request = {.mark = WTL_PM_INFO};
    uint8_t bytes[WTL_PM_TEXT + 16];
    struct wtl_pm_device found;
    size_t got;
    if (strlen(device) >= sizeof request.name)
        return wtl_pm_complain("the name of the device is longer than %d bytes", WTL_PM_TEXT - 1);
    (void)snprintf(request.name, sizeof request.name, "%s", device);
    if (wtl_pm_ask(&server, &request, bytes, sizeof bytes, &got) < 0)
        return -1;
    struct wtl_pm_reader from = {.at = bytes, .size = got};
    if (wtl_pm_info_read(&from, &found) < 0)
        return wtl_pm_complain("the server does not know the device \"%s\"", device);
    info->name = strdup(found.name);
    info->max_frecuency = found.max_frequency;
    info->n_lines = found.line_count;
    return info->name ? 0 : wtl_pm_complain("out of memory");
}
