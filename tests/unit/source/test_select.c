/* SPDX-License-Identifier: BSD-3-Clause */
/* The selection with the real drivers on recorded hosts, with substitutes for the estimate and for
 * activity: primaries, tree, total, what is recorded, what is reported. */
#define _GNU_SOURCE
#include "source/select.h"

#include "../sensors/host.h"
#include "../sensors/made_host.h"

extern const struct wtl_driver wtl_driver_perf, wtl_driver_powercap, wtl_driver_msr,
    wtl_driver_hwmon;

static int standin_open(struct wtl_source *source, struct wattle_error *err)
{
    bool activity = source->driver->flags & WTL_DRIVER_ACTIVITY;
    struct wattle_channel channel =
        wtl_channel_init(WATTLE_DOMAIN_NODE, 0, activity ? WATTLE_CPU_TIME : WATTLE_POWER,
                         activity ? WATTLE_COUNTER : WATTLE_GAUGE);
    (void)err;
    channel.quality = activity ? WATTLE_MEASURED : WATTLE_ESTIMATED;
    return wtl_source_add(source, &channel) < 0 ? -ENOMEM : 0;
}

static void standin_read(struct wtl_source *source,
                         size_t first,
                         size_t n,
                         struct wattle_reading *out)
{
    (void)source, (void)first;
    memset(out, 0, n * sizeof *out);
}

static void standin_close(struct wtl_source *source)
{
    (void)source;
}

static const struct wtl_driver guess = {.name = "guess",
                                        .summary = "stands for the estimate",
                                        .flags = WTL_DRIVER_FALLBACK,
                                        .open = standin_open,
                                        .read = standin_read,
                                        .close = standin_close};
static const struct wtl_driver busy = {.name = "busy",
                                       .summary = "stands for activity",
                                       .flags = WTL_DRIVER_ACTIVITY,
                                       .open = standin_open,
                                       .read = standin_read,
                                       .close = standin_close};
static const struct wtl_driver meter = {.name = "meter",
                                        .summary = "opened only by name",
                                        .flags = WTL_DRIVER_MANUAL,
                                        .open = standin_open,
                                        .read = standin_read,
                                        .close = standin_close};

/* Two dies in a package, with the cores and one core of the second. */
static int dies_open(struct wtl_source *source, struct wattle_error *err)
{
    static const struct {
        enum wattle_domain domain;
        int sub;
    } places[] = {{WATTLE_DOMAIN_PACKAGE, 0},
                  {WATTLE_DOMAIN_PACKAGE, 1},
                  {WATTLE_DOMAIN_CORE, 1},
                  {WATTLE_DOMAIN_UNCORE, -1}};
    (void)err;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct wattle_channel channel =
            wtl_channel_init(places[i].domain, 0, WATTLE_ENERGY, WATTLE_COUNTER);
        channel.sub = places[i].sub;
        if (wtl_source_add(source, &channel) < 0)
            return -ENOMEM;
    }
    return 0;
}

static const struct wtl_driver dies = {.name = "dies",
                                       .summary = "a package of two dies",
                                       .flags = WTL_DRIVER_MANUAL,
                                       .open = dies_open,
                                       .read = standin_read,
                                       .close = standin_close};

/* Another driver of one of the cards of workstation-gpu, and of one that hwmon does not show. */
static int cards_open(struct wtl_source *source, struct wattle_error *err)
{
    static const char *const locations[] = {"pci 0000:07:00.0, GPU-1, call",
                                            "pci 0000:99:00.0, GPU-2, call"};
    (void)err;
    for (int i = 0; i < 2; i++) {
        struct wattle_channel channel =
            wtl_channel_init(WATTLE_DOMAIN_GPU, i, WATTLE_ENERGY, WATTLE_COUNTER);
        (void)snprintf(channel.location, sizeof channel.location, "%s", locations[i]);
        if (wtl_source_add(source, &channel) < 0)
            return -ENOMEM;
    }
    return 0;
}

static const struct wtl_driver cards = {.name = "cards",
                                        .summary = "two graphics cards",
                                        .flags = WTL_DRIVER_MANUAL,
                                        .open = cards_open,
                                        .read = standin_read,
                                        .close = standin_close};

/* Two sockets of MI300A, whose energy has that of their packages. */
static int apus_open(struct wtl_source *source, struct wattle_error *err)
{
    (void)err;
    for (int i = 0; i < 4; i++) {
        struct wattle_channel channel =
            wtl_channel_init(i < 2 ? WATTLE_DOMAIN_GPU : WATTLE_DOMAIN_PACKAGE, i % 2,
                             WATTLE_ENERGY, WATTLE_COUNTER);
        if (i < 2)
            (void)snprintf(channel.label, sizeof channel.label, "AMD Instinct MI300A");
        if (wtl_source_add(source, &channel) < 0)
            return -ENOMEM;
    }
    return 0;
}

static const struct wtl_driver apus = {.name = "apus",
                                       .summary = "sockets with CPU and GPU",
                                       .flags = WTL_DRIVER_MANUAL,
                                       .open = apus_open,
                                       .read = standin_read,
                                       .close = standin_close};

/* Two modules of Grace and Hopper, with their processors and GPUs. */
static int modules_open(struct wtl_source *source, struct wattle_error *err)
{
    static const enum wattle_domain domains[] = {WATTLE_DOMAIN_NODE, WATTLE_DOMAIN_PACKAGE,
                                                 WATTLE_DOMAIN_GPU};
    (void)err;
    for (int i = 0; i < 6; i++) {
        struct wattle_channel channel =
            wtl_channel_init(domains[i % 3], i / 3, WATTLE_POWER, WATTLE_WINDOW_AVERAGE);
        if (i % 3 == 0)
            (void)snprintf(channel.label, sizeof channel.label, "Module Power Socket %d", i / 3);
        if (wtl_source_add(source, &channel) < 0)
            return -ENOMEM;
    }
    return 0;
}

static const struct wtl_driver modules = {.name = "modules",
                                          .summary = "sockets with all that belongs to them",
                                          .flags = WTL_DRIVER_MANUAL,
                                          .open = modules_open,
                                          .read = standin_read,
                                          .close = standin_close};

static const struct wtl_driver *const drivers[] = {&wtl_driver_perf, &wtl_driver_powercap,
                                                   &wtl_driver_msr,  &wtl_driver_hwmon,
                                                   &guess,           &busy,
                                                   &meter,           &dies,
                                                   &cards,           &apus,
                                                   &modules,         NULL};

/* Names of the recorded channels, those of the total marked with '*', with " < container". */
static void describe(const struct wtl_selection *selection, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < selection->recorded_count; i++) {
        const struct wattle_channel *channel = &selection->channels[i];
        int n = snprintf(
            text + used, size - used, "%s%s%s%s%s%s", used ? ", " : "", channel->name,
            channel->flags & WATTLE_CHANNEL_IN_TOTAL ? "*" : "",
            channel->flags & WATTLE_CHANNEL_PRIMARY || !wtl_channel_is_energy(channel) ? "" : "?",
            channel->within[0] ? " < " : "", channel->within);
        used += n > 0 ? (size_t)n : 0;
    }
}

static void test_hosts(void)
{
    static const struct {
        int line;
        const char *host, *which;
        bool activity;
        const char *recorded, *contains, *excludes;
    } rows[] = {
        {__LINE__, "clx-ap", NULL, false,
         "perf:package-0-0*, perf:package-0-1*, perf:package-1-0*, perf:package-1-1*, "
         "powercap:dram-0-0*, powercap:dram-0-1*, powercap:dram-1-0*, powercap:dram-1-1*",
         "package + dram of 2 sockets", "GPUs, network, disks, fans, supply loss"},
        {__LINE__, "skx-2s", NULL, false,
         "perf:package-0 < hwmon:node-0, perf:dram-0 < hwmon:node-0, "
         "perf:package-1 < hwmon:node-0, perf:dram-1 < hwmon:node-0, hwmon:node-0*",
         "node", ""},
        {__LINE__, "skx-2s", "powercap", false,
         "powercap:package-0*, powercap:dram-0*, powercap:package-1*, powercap:dram-1*",
         "package + dram of 2 sockets", "GPUs, network, disks, fans, supply loss"},
        {__LINE__, "skx-2s", "msr,perf", true,
         "perf:package-0*, perf:dram-0*, perf:package-1*, perf:dram-1*, msr:package-0?, "
         "msr:dram-0?, msr:package-1?, msr:dram-1?, busy:node-0",
         "package + dram of 2 sockets", "GPUs, network, disks, fans, supply loss"},
        {__LINE__, "laptop-tgl", NULL, false,
         "powercap:package-0 < powercap:psys-0, powercap:core-0 < powercap:package-0, "
         "powercap:uncore-0 < powercap:package-0, powercap:psys-0*, hwmon:other-0",
         "psys (processors and memory)", "GPUs, network, disks, fans, supply loss"},
        {__LINE__, "zen5-core-pmu", NULL, false,
         "perf:package-0*, perf:core-0-0 < perf:package-0, perf:core-0-1 < perf:package-0, "
         "perf:core-0-2 < perf:package-0, perf:core-0-3 < perf:package-0",
         "package of 1 socket", "memory, GPUs, network, disks, fans, supply loss"},
        {__LINE__, "workstation-gpu", NULL, false,
         "hwmon:gpu-0*, hwmon:package-0*, hwmon:gpu-1*, hwmon:other-0, hwmon:psu-0, "
         "hwmon:other-1",
         "package of 1 socket + 2 GPUs", "memory, network, disks, fans, supply loss"},
        {__LINE__, "workstation-gpu", "cards,hwmon", false, /* one card is shown by both */
         "hwmon:gpu-0*, hwmon:package-0*, hwmon:gpu-1*, hwmon:other-0, hwmon:psu-0, "
         "hwmon:other-1, cards:gpu-0?, cards:gpu-1*",
         "package of 1 socket + 3 GPUs", "memory, network, disks, fans, supply loss"},
        {__LINE__, "jetson-orin", NULL, false,
         "hwmon:board-0 < hwmon:node-0, hwmon:board-1 < hwmon:node-0, "
         "hwmon:board-2 < hwmon:node-0, hwmon:node-0*",
         "node", ""},
        {__LINE__, "container", NULL, false, "guess:node-0*", "node", ""},
        {__LINE__, "container", NULL, true, "guess:node-0*, busy:node-0", "node", ""},
        {__LINE__, "container", "powercap", false, "", "", ""},
        {__LINE__, "clx-ap", "powercap,guess", false,
         "powercap:package-0-0*, powercap:dram-0-0*, powercap:package-0-1*, powercap:dram-0-1*, "
         "powercap:package-1-0*, powercap:dram-1-0*, powercap:package-1-1*, powercap:dram-1-1*, "
         "guess:node-0",
         "package + dram of 2 sockets", "GPUs, network, disks, fans, supply loss"},
        {__LINE__, "container", "all", false, "guess:node-0*", "node", ""},
        {__LINE__, "container", "apus", false,
         "apus:gpu-0*, apus:gpu-1*, apus:package-0 < apus:gpu-0, apus:package-1 < apus:gpu-1",
         "2 GPUs", "network, disks, fans, supply loss"},
        {__LINE__, "container", "modules", false,
         "modules:node-0*, modules:package-0 < modules:node-0, modules:gpu-0 < modules:node-0, "
         "modules:node-1*, modules:package-1 < modules:node-1, modules:gpu-1 < modules:node-1",
         "2 modules", "network, disks, fans, supply loss"},
        {__LINE__, "container", "meter", false, "meter:node-0*", "node", ""},
        {__LINE__, "container", "dies", false,
         "dies:package-0-0*, dies:package-0-1*, dies:core-0-1 < dies:package-0-1, dies:uncore-0",
         "package of 1 socket", "memory, GPUs, network, disks, fans, supply loss"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_world *world = host_world(rows[i].host);
        struct wtl_request request = {
            .drivers = drivers, .which = rows[i].which, .activity = rows[i].activity};
        struct wtl_selection *selection;
        struct wattle_error err;
        char text[1024];
        tap_line = rows[i].line;
        if (ok(wtl_selection_open(&request, world, &selection, &err) == 0, "%s selects",
               rows[i].host)) {
            describe(selection, text, sizeof text);
            is_str(text, rows[i].recorded, "recorded");
            is_str(selection->total.contains, rows[i].contains, "total contains");
            is_str(selection->total.excludes, rows[i].excludes, "total excludes");
            wtl_selection_close(selection);
        }
        is_int(wtl_world_recorded_open_fds(world), 0, "nothing stays open");
        wtl_world_close(world);
    }
    tap_line = 0;
}

/* Channels that are not recorded are still listed; runs follow the sources. */
static void test_shown(void)
{
    struct wtl_world *world = host_world("clx-ap");
    struct wtl_request request = {.drivers = drivers};
    struct wtl_selection *selection;
    is_int(wtl_selection_open(&request, world, &selection, NULL), 0, "selects");
    is_int(selection->count, 20, "4 of perf, 8 of powercap, 8 of msr");
    is_int(selection->recorded_count, 8, "8 of them recorded");
    is_int(wtl_selection_run(selection, 0), 4, "perf in one read");
    is_int(wtl_selection_run(selection, 1), 3, "or what is left of it");
    is_int(wtl_selection_run(selection, 4), 1, "every second channel of powercap");
    for (size_t i = 0; i < selection->count; i++) {
        const struct wtl_pick *pick = &selection->picks[i];
        ok(strcmp(pick->source->channels[pick->at].name, selection->channels[i].name) == 0,
           "%s stands beside its source", selection->channels[i].name);
    }
    for (size_t i = 0; i < selection->offer_count; i++)
        is_int(selection->offers[i].status,
               i == 3  ? -ENODEV
               : i < 3 ? 0
                       : -ECANCELED,
               "%s: %s", selection->offers[i].driver->name, selection->offers[i].why.text);
    wtl_selection_close(selection);
    wtl_world_close(world);
}

/* A run ends where slow channels begin, and has a single channel if each has its own time. */
static void test_runs(void)
{
    struct wtl_world *world = host_world("workstation-gpu");
    for (int timed = 0; timed < 2; timed++) {
        struct wtl_driver driver = wtl_driver_hwmon;
        const struct wtl_driver *const list[] = {&driver, NULL};
        struct wtl_request request = {.drivers = list, .which = "hwmon"};
        struct wtl_selection *selection;
        size_t slow_in_fast = 0, longest = 0;
        driver.flags |= timed ? WTL_DRIVER_TIMED : 0;
        is_int(wtl_selection_open(&request, world, &selection, NULL), 0, "selects");
        for (size_t i = 0, n; i < selection->recorded_count; i += n) {
            n = wtl_selection_run(selection, i);
            longest = n > longest ? n : longest;
            for (size_t k = i; k < i + n; k++)
                slow_in_fast += (selection->channels[k].flags & WATTLE_CHANNEL_SLOW) !=
                                (selection->channels[i].flags & WATTLE_CHANNEL_SLOW);
        }
        is_int(slow_in_fast, 0, "no run of %s has both", driver.name);
        ok(timed ? longest == 1 : longest > 1, "the longest has %d", (int)longest);
        wtl_selection_close(selection);
    }
    wtl_world_close(world);
}

/* A machine with sockets, and with zones of powercap that count as stated; "dram@2:0" is a zone within zone 2. */
struct made_zone {
    const char *name, *value;
};

static void put_machine(struct made_host *made, int sockets, const struct made_zone *zones)
{
    char script[1024] = "", path[128], text[64], number[16];
    size_t used = 0;
    made_host_put(made, "root/sys/devices/system/cpu/online", "0-3\n");
    for (int cpu = 0; cpu < 4; cpu++) {
        (void)snprintf(path, sizeof path,
                       "root/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
        (void)snprintf(text, sizeof text, "%d\n", cpu % sockets);
        made_host_put(made, path, text);
    }
    for (int i = 0; zones[i].name; i++) {
        (void)snprintf(number, sizeof number, "%d", i);
        const char *part = strchr(zones[i].name, '@'), *place = part ? part + 1 : number;
        (void)snprintf(path, sizeof path, "root/sys/class/powercap/intel-rapl:%s/name", place);
        (void)snprintf(text, sizeof text, "%.*s\n", (int)strcspn(zones[i].name, "@"),
                       zones[i].name);
        made_host_put(made, path, text);
        (void)snprintf(path, sizeof path, "root/sys/class/powercap/intel-rapl:%s/energy_uj", place);
        made_host_put(made, path, "1\n");
        used += (size_t)snprintf(script + used, sizeof script - used,
                                 "0\t/sys/class/powercap/intel-rapl:%s/energy_uj\t%s\n", place,
                                 zones[i].value);
    }
    made_host_put(made, "script.tsv", script);
}

/* What contradicts itself is not the total, and what is missing from it is named. */
static void test_cover(void)
{
#define AT_W(watts, start) start "000000+" watts "000000/s~976562ns"
    static const struct {
        int line, sockets;
        struct made_zone zones[4];
        const char *recorded, *lacks;
    } rows[] = {
        {__LINE__,
         1,
         {{"package-0", AT_W("15", "9000")}, {"psys", AT_W("6", "800")}},
         "powercap:package-0*, powercap:psys-0?",
         ""},
        {__LINE__,
         1,
         {{"psys", AT_W("70", "800")}, {"package-0", AT_W("100", "9000")}},
         "powercap:psys-0?, powercap:package-0*",
         ""},
        {__LINE__,
         1,
         {{"package-0", AT_W("15", "9000")}, {"psys", AT_W("16", "800")}},
         "powercap:package-0 < powercap:psys-0, powercap:psys-0*",
         ""},
        {__LINE__,
         2,
         {{"package-0", AT_W("50", "9000")},
          {"package-1", AT_W("60", "70")},
          {"psys", AT_W("80", "800")}},
         "powercap:package-0*, powercap:package-1*, powercap:psys-0?",
         ""},
        /* Ticks of 1 J every 100 ms: too few to say anything. */
        {__LINE__,
         1,
         {{"package-0", AT_W("15", "9000")}, {"psys", "800000000+10000000/s~100ms"}},
         "powercap:package-0 < powercap:psys-0, powercap:psys-0*",
         ""},
        {__LINE__,
         2,
         {{"package-0", "!EINVAL"}, {"package-1", AT_W("100", "9000")}},
         "powercap:package-1*",
         "package-0"},
        {__LINE__,
         2,
         {{"package-0", AT_W("100", "9000")}, {"package-1", "!EACCES"}},
         "powercap:package-0*",
         "package-1"},
        {__LINE__,
         2,
         {{"package-0", AT_W("100", "9000")}},
         "powercap:package-0*",
         "the packages of 1 of 2 sockets"},
        {__LINE__,
         4,
         {{"package-0", AT_W("100", "9000")}, {"package-2", AT_W("90", "10")}},
         "powercap:package-0*, powercap:package-2*",
         "the packages of 2 of 4 sockets"},
        {__LINE__,
         2,
         {{"package-0", AT_W("100", "9000")}, {"package-1", "!EIO"}, {"psys", AT_W("300", "800")}},
         "powercap:package-0 < powercap:psys-0, powercap:psys-0*",
         ""},
        /* The memory of a socket shows that there is one, whatever the topology says. */
        {__LINE__,
         1,
         {{"package-1", AT_W("50", "9000")}, {"dram@9:0", AT_W("8", "70")}},
         "powercap:package-1*, powercap:dram-0*",
         "package-0"},
        {__LINE__,
         1,
         {{"package-0", AT_W("50", "9000")}, {"dram@0:0", AT_W("8", "70")}},
         "powercap:package-0*, powercap:dram-0*",
         ""},
        {__LINE__,
         1,
         {{"package-0-die-0", AT_W("50", "9000")}, {"package-0-die-1", "!EIO"}},
         "powercap:package-0-0*",
         "package-0-1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct made_host made = {0};
        struct wtl_request request = {.drivers = drivers, .which = "powercap"};
        struct wtl_selection *selection;
        char text[1024];
        tap_line = rows[i].line;
        put_machine(&made, rows[i].sockets, rows[i].zones);
        if (is_int(wtl_selection_open(&request, made_host_open(&made), &selection, NULL), 0,
                   "selects")) {
            describe(selection, text, sizeof text);
            is_str(text, rows[i].recorded, "recorded");
            is_str(selection->lacks, rows[i].lacks, "what the total lacks");
            wtl_selection_close(selection);
        }
        made_host_close(&made);
    }
    tap_line = 0;
}

static void test_check(void)
{
    static const struct {
        int line;
        const char *host, *which;
        int rc;
        const char *says;
    } rows[] = {
        {__LINE__, "skx-2s", NULL, 0, ""},
        {__LINE__, "container", NULL, 0, ""},
        {__LINE__, "container", "powercap,busy", -ENODEV, "powercap: no zone"},
        {__LINE__, "container", "busy", -ENODEV, "see \"wattle sensors\""},
        {__LINE__, "denied", "powercap", -EACCES, "as root run: chmod a+r"},
        {__LINE__, "denied", "hwmon,perf,msr", -EACCES, "sysctl kernel.perf_event_paranoid=0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_world *world = host_world(rows[i].host);
        struct wtl_request request = {.drivers = drivers, .which = rows[i].which};
        struct wtl_selection *selection = NULL;
        struct wattle_error err = {{0}};
        tap_line = rows[i].line;
        is_int(wtl_selection_open(&request, world, &selection, &err), 0, "selects");
        is_int(wtl_selection_check(selection, &err), rows[i].rc, "%s: %s", rows[i].host, err.text);
        ok(strstr(err.text, rows[i].says) != NULL, "it says so");
        wtl_selection_close(selection);
        wtl_world_close(world);
    }
    tap_line = 0;
}

static void test_refused(void)
{
    static const struct {
        int line;
        const char *which, *says;
    } rows[] = {
        {__LINE__, "rapl", "unknown sensor \"rapl\"; available: perf, powercap, msr, hwmon"},
        {__LINE__, "", "unknown sensor \"\""},
        {__LINE__, "powercap,", "unknown sensor \"\""},
        {__LINE__, "all:x=1", "unknown sensor \"all\""},
        {__LINE__, "hwmon:colour=red", "sensor hwmon: no setting 'colour=red'; it has: exclude"},
        {__LINE__, "hwmon:exclude", "no setting 'exclude'"},
        {__LINE__, "powercap:a=b", "it has: none"},
        {__LINE__, "perf:pmu=msr:event", NULL}, /* a value may hold a colon */
        {__LINE__, "perf:pmu=msr:event=tsc,hwmon:exclude=x", NULL},
    };
    struct wtl_world *world = host_world("container");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_request request = {.drivers = drivers, .which = rows[i].which};
        struct wtl_selection *selection = NULL;
        struct wattle_error err = {{0}};
        tap_line = rows[i].line;
        int rc = wtl_selection_open(&request, world, &selection, &err);
        is_int(rc, rows[i].says ? -EINVAL : 0, "\"%s\": %s", rows[i].which, err.text);
        ok(!rows[i].says || strstr(err.text, rows[i].says), "it says so");
        ok(!rows[i].says || !selection, "nothing was made");
        wtl_selection_close(selection);
    }
    tap_line = 0;
    wtl_world_close(world);
}

/* Settings: `which` takes precedence over the configuration, which takes precedence over the
 * environment. */
static void test_settings(void)
{
    static const struct wtl_setting list[] = {{"hwmon", "exclude", "xe"}};
    static const struct wtl_settings settings = {1, list};
    static const struct {
        int line;
        const char *which;
        const struct wtl_settings *settings;
        size_t count;
    } rows[] = {
        {__LINE__, "hwmon", NULL, 6},
        {__LINE__, "hwmon", &settings, 4},
        {__LINE__, "hwmon:exclude=amdgpu+xe", &settings, 2},
        {__LINE__, "hwmon:exclude=", &settings, 6},
    };
    struct wtl_world *world = host_world("workstation-gpu");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_request request = {
            .drivers = drivers, .which = rows[i].which, .settings = rows[i].settings};
        struct wtl_selection *selection = NULL;
        tap_line = rows[i].line;
        is_int(wtl_selection_open(&request, world, &selection, NULL), 0, "selects");
        is_int(selection->count, rows[i].count, "channels with %s", rows[i].which);
        wtl_selection_close(selection);
    }
    tap_line = 0;
    wtl_world_close(world);
}

int main(void)
{
    test_hosts();
    test_shown();
    test_runs();
    test_cover();
    test_check();
    test_refused();
    test_settings();
    wtl_selection_close(NULL);
    return done_testing();
}
