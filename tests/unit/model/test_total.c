/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be added up, and the words for it. A machine is written as a list of channels:
 * "package-0 dram-0 package-1", with "core-0<package-0" for one that lies within another, "~" in
 * front for an estimated one, "%" for a derived one and "-" for one that is not primary. */
#include "model/total.h"

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

/* Activity never enters. */
static void test_activity(void)
{
    struct wattle_channel channel = {.domain = WATTLE_DOMAIN_NODE,
                                     .quantity = WATTLE_CPU_TIME,
                                     .flags = WATTLE_CHANNEL_PRIMARY | WATTLE_CHANNEL_IN_TOTAL};
    struct wtl_total total;
    wtl_total_choose(&channel, 1, &total);
    ok(!(channel.flags & WATTLE_CHANNEL_IN_TOTAL) && total.count == 0, "CPU time is no energy");
}

int main(void)
{
    test_rules();
    test_activity();
    return done_testing();
}
