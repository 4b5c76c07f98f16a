/* SPDX-License-Identifier: BSD-3-Clause */
/* What the machine is, and what it has that no driver here reads: a guest, graphics, a management controller. */
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>

#include "model/reading.h"

static const char group[] = "machine";

static void check_guest(struct wtl_doctor *doctor)
{
    const char *machine = doctor->where.machine;
    if (!machine[0]) {
        wtl_doctor_say(doctor, group, "guest", WTL_HEALTH_OK, "no virtual machine detected");
        return;
    }
    if (doctor->measured) {
        wtl_doctor_say(doctor, group, "guest", WTL_HEALTH_BETTER,
                       "virtual machine (%s) with energy counters: counters passed through may "
                       "cover the whole host; ask its administrator",
                       machine);
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "guest", WTL_HEALTH_BLOCKED,
        "virtual machine (%s) whose hypervisor provides no energy counters: only an estimate is "
        "possible; ask for a bare-metal machine or for readings from the host",
        machine);
    wtl_doctor_cure(f, "on the host", "wattle run --pid PID-OF-THE-HYPERVISOR");
    wtl_doctor_gain(f, "measured energy instead of an estimate");
}

/* Is there a channel of a graphics card? */
static bool sees_gpu(const struct wtl_doctor *doctor)
{
    for (size_t i = 0; i < doctor->selection->count; i++) {
        if (doctor->selection->channels[i].domain == WATTLE_DOMAIN_GPU &&
            wtl_channel_is_energy(&doctor->selection->channels[i]))
            return true;
    }
    return false;
}

/* Number of display controllers (PCI class 03; 0380 and 0302 among them) and processing accelerators
 * (class 12) of a vendor. */
static int count_cards(const struct wtl_world *world, const char *vendor)
{
    char **names;
    int cards = 0, n = world->ops->list(world, "/sys/bus/pci/devices", &names);
    for (int i = 0; i < n; i++) {
        char path[128], text[16];
        (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%.40s/vendor", names[i]);
        if (wtl_world_text(world, path, text, sizeof text) < 0 || strcmp(text, vendor) != 0)
            continue;
        (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%.40s/class", names[i]);
        if (wtl_world_text(world, path, text, sizeof text) < 0)
            continue;
        cards += strncmp(text, "0x03", 4) == 0 || strncmp(text, "0x12", 4) == 0;
    }
    if (n >= 0)
        free(names);
    return cards;
}

static void check_gpu(struct wtl_doctor *doctor)
{
    int nvidia = count_cards(doctor->world, "0x10de"), amd = count_cards(doctor->world, "0x1002");
    if (sees_gpu(doctor)) {
        wtl_doctor_say(doctor, group, "gpu", WTL_HEALTH_OK, "GPUs are measured");
        return;
    }
    if (nvidia + amd == 0) {
        wtl_doctor_say(doctor, group, "gpu", WTL_HEALTH_NONE, "no NVIDIA or AMD card found");
        return;
    }
    struct wtl_finding *f = wtl_doctor_say(
        doctor, group, "gpu", WTL_HEALTH_BETTER,
        "%d card%s of %s without a sensor for %s power: this energy is missing from every total",
        nvidia + amd, nvidia + amd == 1 ? "" : "s",
        nvidia ? (amd ? "NVIDIA and AMD" : "NVIDIA") : "AMD", nvidia + amd == 1 ? "its" : "their");
    if (amd)
        wtl_doctor_cure(f, "now", "modprobe amdgpu");
    if (nvidia)
        wtl_doctor_cure(f, "alongside", "nvidia-smi --query-gpu=power.draw --format=csv -l 1");
    wtl_doctor_gain(f,
                    amd ? "power of the cards (hwmon)"
                        : "shows the power; this version of wattle has no driver for these cards");
}

/* A management controller that could report the power of the node. */
static void check_bmc(struct wtl_doctor *doctor)
{
    const struct wtl_world *world = doctor->world;
    bool device = world->ops->exists(world, "/dev/ipmi0");
    bool firmware = world->ops->exists(world, "/sys/class/ipmi/ipmi0") ||
                    world->ops->exists(world, "/sys/firmware/dmi/entries/38-0");
    bool node = false;
    for (size_t i = 0; i < doctor->selection->count; i++)
        node |= doctor->selection->channels[i].domain == WATTLE_DOMAIN_NODE &&
                wtl_channel_is_energy(&doctor->selection->channels[i]) &&
                doctor->selection->channels[i].quality != WATTLE_ESTIMATED;
    if (!device && !firmware) {
        wtl_doctor_say(doctor, group, "bmc", WTL_HEALTH_NONE, "no management controller found");
        return;
    }
    if (node) {
        wtl_doctor_say(doctor, group, "bmc", WTL_HEALTH_OK,
                       "management controller found; the whole node is already measured");
        return;
    }
    struct wtl_finding *f =
        wtl_doctor_say(doctor, group, "bmc", WTL_HEALTH_BETTER,
                       "management controller found, but this version of wattle does not read it; "
                       "the kernel may, with acpi_power_meter");
    if (!device)
        wtl_doctor_cure(f, "now", "modprobe -a ipmi_si ipmi_devintf");
    wtl_doctor_cure(f, "now", "modprobe acpi_power_meter");
    wtl_doctor_cure(f, "alongside", "ipmitool dcmi power reading");
    wtl_doctor_gain(f, "power of the whole node, as an hwmon sensor if the board has one");
}

void wtl_doctor_machine(struct wtl_doctor *doctor)
{
    check_guest(doctor);
    check_gpu(doctor);
    check_bmc(doctor);
}
