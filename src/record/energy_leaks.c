/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What readings can reveal: see energy_leaks.h. Known attacks: instructions, their operands and keys from a
 * package's or core's counter at 1 kHz (Lipp and others, PLATYPUS, IEEE S&P 2021); programs and web pages from
 * a GPU or memory; what runs on a machine from its power at the outlet (Clark and others, ESORICS 2013).
 */
#include "record/energy_leaks.h"

static const char processor[] =
    "which instructions and data other users' programs process, down to keys of a cipher";
static const char memory[] = "how other users' programs access memory, and which programs they are";
static const char device[] = "which programs, models and pages other users run on the device";
static const char machine[] = "when other users are active, and which programs they run";
static const char traffic[] = "when other users read, write or communicate";

static const char *const leaks[WATTLE_DOMAIN_COUNT] = {
    [WATTLE_DOMAIN_NODE] = machine,      [WATTLE_DOMAIN_PSYS] = machine,
    [WATTLE_DOMAIN_PACKAGE] = processor, [WATTLE_DOMAIN_CORE] = processor,
    [WATTLE_DOMAIN_UNCORE] = device,     [WATTLE_DOMAIN_DRAM] = memory,
    [WATTLE_DOMAIN_GPU] = device,        [WATTLE_DOMAIN_GPU_MEMORY] = device,
    [WATTLE_DOMAIN_BOARD] = machine,     [WATTLE_DOMAIN_PSU] = machine,
    [WATTLE_DOMAIN_NETWORK] = traffic,   [WATTLE_DOMAIN_DISK] = traffic,
    [WATTLE_DOMAIN_OTHER] = machine,
};

const char *wtl_energy_leaks(enum wattle_domain domain)
{
    return leaks[(unsigned)domain < WATTLE_DOMAIN_COUNT ? domain : WATTLE_DOMAIN_OTHER];
}
