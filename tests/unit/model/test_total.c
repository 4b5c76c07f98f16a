/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be added up, and its description. A machine is written as a list of channels: "package-0
 * dram-0 package-1", with "core-0<package-0" for one contained in another, and the prefixes "~" for
 * an estimated one, "%" for a derived one and "-" for one that is not primary. */
#include "model/total.h"

#include <errno.h>

#include "model/reading.h"
#include "tap.h"

#define CHANNELS_MAX 16

static size_t parse(const char *text, struct wattle_channel *channels)
{
    size_t n = 0;
    for (const char *p = text; *p; n++) {
        struct wattle_channel *channel = &channels[n];
        char word[64];
        size_t length = strcspn(p, " ");
        memcpy(word, p, length);
        word[length] = '\0';
        p += length + (p[length] == ' ');
        *channel = (struct wattle_channel){.sub = -1, .flags = WATTLE_CHANNEL_PRIMARY};
        char *name = word + strspn(word, "~%-");
        if (strchr("~%-", word[0]) && word[0] == '~')
            channel->quality = WATTLE_ESTIMATED;
        if (word[0] == '%')
            channel->quality = WATTLE_DERIVED;
        if (word[0] == '-')
            channel->flags = 0;
        char *within = strchr(name, '<');
        if (within) {
            *within++ = '\0';
            (void)snprintf(channel->within, sizeof channel->within, "%.40s", within);
        }
        channel->index = name[strlen(name) - 1] - '0';
        (void)snprintf(channel->name, sizeof channel->name, "%.40s", name);
        name[strlen(name) - 2] = '\0';
        for (int d = 0; d < WATTLE_DOMAIN_COUNT; d++) {
            if (strcmp(wattle_domain_name((enum wattle_domain)d), name) == 0)
                channel->domain = (enum wattle_domain)d;
        }
    }
    return n;
}

static void test_rules(void)
{
    static const struct {
        int line;
        const char *machine, *total, *contains, *excludes;
        enum wattle_quality quality;
    } rows[] = {
        {__LINE__, "package-0 dram-0 package-1 dram-1", "package-0 dram-0 package-1 dram-1",
         "package + dram of 2 sockets", "GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "package-0 core-0<package-0", "package-0", "package of 1 socket",
         "memory, GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "package-0 package-1 dram-0", "package-0 package-1 dram-0",
         "package of 2 sockets + dram of 1 socket", "GPUs, network, disks, fans, supply loss",
         WATTLE_MEASURED},
        {__LINE__, "package-0 -package-0 -dram-0", "package-0", "package of 1 socket",
         "memory, GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "node-0 package-0<node-0 gpu-0<node-0", "node-0", "node", "", WATTLE_MEASURED},
        {__LINE__, "node-1 node-0", "node-0", "node", "", WATTLE_MEASURED},
        {__LINE__, "psys-0 psys-1 package-0<psys-0 gpu-0 gpu-1", "psys-0 gpu-0 gpu-1",
         "psys (processors and memory) + 2 GPUs", "network, disks, fans, supply loss",
         WATTLE_MEASURED},
        {__LINE__, "package-0 gpu-0 gpu_memory-0<gpu-0 board-0 other-0", "package-0 gpu-0",
         "package of 1 socket + 1 GPU", "memory, network, disks, fans, supply loss",
         WATTLE_MEASURED},
        {__LINE__, "package-0 psu-0 psu-1", "package-0", "package of 1 socket",
         "memory, GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "psu-0 psu-1 board-0", "psu-0 psu-1", "2 supplies", "", WATTLE_MEASURED},
        {__LINE__, "board-0 board-1 other-0", "", "", "", WATTLE_MEASURED},
        {__LINE__, "package-0 core-0 uncore-0", "package-0", "package of 1 socket",
         "memory, GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "core-0", "core-0", "core of 1 socket",
         "processor packages, memory, GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "~node-0 package-0", "package-0", "package of 1 socket",
         "memory, GPUs, network, disks, fans, supply loss", WATTLE_MEASURED},
        {__LINE__, "~node-0", "node-0", "node", "", WATTLE_ESTIMATED},
        {__LINE__, "~package-0 board-0", "package-0", "package of 1 socket",
         "memory, GPUs, network, disks, fans, supply loss", WATTLE_ESTIMATED},
        {__LINE__, "%node-0 board-0<node-0", "node-0", "node", "", WATTLE_DERIVED},
        {__LINE__, "", "", "", "", WATTLE_MEASURED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_channel channels[CHANNELS_MAX];
        struct wtl_total total;
        char chosen[256] = "";
        size_t n = parse(rows[i].machine, channels), count = 0;
        tap_line = rows[i].line;
        wtl_total_choose(channels, n, &total);
        for (size_t k = 0; k < n; k++) {
            if (!(channels[k].flags & WATTLE_CHANNEL_IN_TOTAL))
                continue;
            size_t used = strlen(chosen);
            (void)snprintf(chosen + used, sizeof chosen - used, "%s%.20s", used ? " " : "",
                           channels[k].name);
            count++;
        }
        is_str(chosen, rows[i].total, "total of \"%s\"", rows[i].machine);
        is_int(total.count, count, "counted");
        is_str(total.contains, rows[i].contains, "contains");
        is_str(total.excludes, rows[i].excludes, "excludes");
        is_int(total.quality, rows[i].quality, "quality");
    }
    tap_line = 0;
}

/* Activity is never included. */
static void test_activity(void)
{
    struct wattle_channel channel = {.domain = WATTLE_DOMAIN_NODE,
                                     .quantity = WATTLE_CPU_TIME,
                                     .flags = WATTLE_CHANNEL_PRIMARY | WATTLE_CHANNEL_IN_TOTAL};
    struct wtl_total total;
    wtl_total_choose(&channel, 1, &total);
    ok(!(channel.flags & WATTLE_CHANNEL_IN_TOTAL) && total.count == 0, "CPU time is no energy");
}

/* A channel or a domain named by the user. */
static void test_named(void)
{
    static const struct {
        int line;
        const char *machine, *name, *total, *contains; /* total NULL: refused, contains = why */
        enum wattle_quality quality;
        int rc;
    } rows[] = {
        {__LINE__, "package-0 dram-0 package-1", "package-1", "package-1", "package-1",
         WATTLE_MEASURED, 0},
        {__LINE__, "package-0 dram-0 package-1", "package", "package-0 package-1",
         "package: sum of 2 channels", WATTLE_MEASURED, 0},
        {__LINE__, "package-0 ~dram-0", "dram", "dram-0", "dram-0", WATTLE_ESTIMATED, 0},
        {__LINE__, "package-0 -package-1", "package", "package-0", "package-0", WATTLE_MEASURED, 0},
        {__LINE__, "package-0 -package-1", "package-1", "package-1", "package-1", WATTLE_MEASURED,
         0},
        {__LINE__, "core-0 core-1<core-0", "core", "core-0", "core-0", WATTLE_MEASURED, 0},
        {__LINE__, "%gpu-0 gpu-1", "gpu", "gpu-0 gpu-1", "gpu: sum of 2 channels", WATTLE_DERIVED,
         0},
        {__LINE__, "node-1 node-0", "node", "node-0", "node-0", WATTLE_MEASURED, 0},
        {__LINE__, "board-0", "board", "board-0", "board-0", WATTLE_MEASURED, 0},
        {__LINE__, "board-0 board-1", "board", NULL, "the 2 channels of \"board\" may contain",
         WATTLE_MEASURED, -ENOTSUP},
        {__LINE__, "package-0 ~package-1", "package", NULL, "are measured and others estimated",
         WATTLE_MEASURED, -ENOTSUP},
        {__LINE__, "package-0 dram-0", "pakage-0", NULL, "did you mean \"package-0\"?",
         WATTLE_MEASURED, -ENOENT},
        {__LINE__, "package-0 dram-0", "gpu", NULL, "available: package-0, dram-0", WATTLE_MEASURED,
         -ENOENT},
        {__LINE__, "", "package", NULL, "there are no energy channels", WATTLE_MEASURED, -ENOENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wattle_channel channels[CHANNELS_MAX];
        struct wtl_total total;
        struct wattle_error err = {""};
        char got[256] = "";
        tap_line = rows[i].line;
        size_t n = parse(rows[i].machine, channels);
        int rc = wtl_total_choose_named(channels, n, rows[i].name, &total, &err);
        is_int(rc, rows[i].rc, "named %s", err.text);
        for (size_t k = 0; k < n; k++) {
            if (channels[k].flags & WATTLE_CHANNEL_IN_TOTAL)
                (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%s%.40s",
                               got[0] ? " " : "", channels[k].name);
        }
        if (rc < 0) {
            ok(strstr(err.text, rows[i].contains), "says: %s", err.text);
            is_str(got, "", "the flags are as they were");
            continue;
        }
        is_str(got, rows[i].total, "total");
        is_str(total.contains, rows[i].contains, "contains");
        is_int(total.quality, rows[i].quality, "quality");
    }
    tap_line = 0;
}

int main(void)
{
    test_rules();
    test_activity();
    test_named();
    return done_testing();
}
