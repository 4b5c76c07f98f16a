/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of NVML's numbers represents a GPU, by a library whose answers are made up. */
#include <stdio.h>
#include <string.h>

#include "gpu/nvml_value.h"

#include "tap.h"

static unsigned long long energy_mj;
static unsigned power_mw, architecture, zeros; /* zeros: reads before the counter counts */

static int get_energy(struct wtl_nvml_handle *device, unsigned long long *ret)
{
    (void)device;
    *ret = zeros > 0 ? 0 : energy_mj;
    zeros -= zeros > 0;
    return WTL_NVML_OK;
}

static int get_power(struct wtl_nvml_handle *device, unsigned *ret)
{
    (void)device;
    *ret = power_mw;
    return WTL_NVML_OK;
}

static int get_architecture(struct wtl_nvml_handle *device, unsigned *ret)
{
    (void)device;
    *ret = architecture;
    return WTL_NVML_OK;
}

int main(void)
{
    static const struct {
        int line;
        const char *name;
        unsigned long long energy_mj;
        unsigned power_mw, architecture, zeros;
        const char *word; /* of the channel that is not spare; NULL: none */
        enum wattle_kind power;
        size_t notes;
    } rows[] = {
        {__LINE__, "NVIDIA A100-SXM4-40GB", 5, 5, WTL_NVML_AMPERE, 0, "energy", WATTLE_GAUGE, 0},
        /* The driver has just been loaded: the counter shows its first update in 100 ms. */
        {__LINE__, "NVIDIA A100-SXM4-40GB", 5, 5, WTL_NVML_AMPERE, 11, "energy", WATTLE_GAUGE, 0},
        {__LINE__, "NVIDIA A30", 5, 5, WTL_NVML_AMPERE, 0, "energy", WATTLE_GAUGE, 0},
        {__LINE__, "NVIDIA RTX A3000", 5, 5, WTL_NVML_AMPERE, 0, "energy", WATTLE_WINDOW_AVERAGE,
         0},
        {__LINE__, "NVIDIA RTX A1000", 5, 5, WTL_NVML_AMPERE, 0, "energy", WATTLE_WINDOW_AVERAGE,
         0},
        {__LINE__, "Tesla V100", 0, 5, WTL_NVML_AMPERE - 1, 0, "power", WATTLE_GAUGE, 1},
        {__LINE__, "GRID V100", 0, 0, WTL_NVML_AMPERE - 1, 0, NULL, WATTLE_GAUGE, 3},
    };
    const struct wtl_nvml_api api = {
        .energy = get_energy, .power = get_power, .architecture = get_architecture};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wtl_gpu_list list = {.library = ""};
        struct wtl_gpu_device device = wtl_gpu_device_init();
        const char *word = "none";
        tap_line = rows[i].line;
        (void)snprintf(device.name, sizeof device.name, "%s", rows[i].name);
        energy_mj = rows[i].energy_mj;
        power_mw = rows[i].power_mw;
        architecture = rows[i].architecture;
        zeros = rows[i].zeros;
        (void)wtl_gpu_add_device(&list, &device);
        wtl_nvml_add_channels(&api, NULL, 0, &list);
        for (size_t c = list.channel_count; c-- > 0;) {
            if (!list.channels[c].spare)
                word = list.channels[c].word;
            if (strcmp(list.channels[c].word, "power") == 0)
                is_int(list.channels[c].kind, rows[i].power, "%s: kind of its power", rows[i].name);
        }
        is_str(word, rows[i].word ? rows[i].word : "none", "represents it");
        is_int((long)list.note_count, (long)rows[i].notes, "notes");
        wtl_gpu_list_fini(&list);
    }
    return done_testing();
}
