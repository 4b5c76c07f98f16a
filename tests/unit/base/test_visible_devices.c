/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPUs an environment shows, and the text that keeps it. */
#define _GNU_SOURCE
#include "base/config/visible_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static const char *const names[] = {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                    "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                    "ZE_AFFINITY_MASK"};

static struct wtl_visible_devices environment(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unsetenv(names[i]);
    if (name)
        (void)setenv(name, value, 1);
    return wtl_visible_devices();
}

static void test_text(void)
{
    char text[WTL_VISIBLE_BYTES], large[600];
    struct wtl_visible_devices got = {.cuda = "?"}, visible = environment(NULL, NULL);
    wtl_visible_devices_write(&visible, text);
    is_str(text, "\n", "nothing is set");
    ok(wtl_visible_devices_parse(text, &got) && !got.cuda && !got.ze, "which is known");

    (void)environment("CUDA_VISIBLE_DEVICES", "");
    (void)setenv("ZE_AFFINITY_MASK", "0.1", 1);
    visible = wtl_visible_devices();
    wtl_visible_devices_write(&visible, text);
    is_str(text, "\nCUDA_VISIBLE_DEVICES=\nZE_AFFINITY_MASK=0.1\n",
           "two are, of which one is empty");
    ok(wtl_visible_devices_parse(text, &got) && got.cuda && got.ze && !got.hip, "and again");
    is_str(got.cuda, "", "empty is not unset");
    is_str(got.ze, "0.1", "its value");

    (void)snprintf(text, sizeof text,
                   "\nCUDA_VISIBLE_DEVICESX=1\nCUDA=2\n=3\nHIP_VISIBLE_DEVICES=4=5");
    ok(wtl_visible_devices_parse(text, &got) && !got.cuda, "other names are left alone");
    is_str(got.hip, "4=5", "without an end of line");
    (void)snprintf(text, sizeof text, "CUDA_VISIBLE_DEVICES=1\n");
    ok(!wtl_visible_devices_parse(text, &got), "not written by this");
    text[0] = '\0';
    ok(!wtl_visible_devices_parse(text, &got), "not known");

    memset(large, '1', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    visible = environment("CUDA_VISIBLE_DEVICES", large);
    wtl_visible_devices_write(&visible, text);
    is_str(text, "", "too long: not known");
    visible = environment("CUDA_VISIBLE_DEVICES", "1\nZE_AFFINITY_MASK=2");
    wtl_visible_devices_write(&visible, text);
    is_str(text, "", "two lines: not known");
    (void)environment(NULL, NULL);
}

static void test_vendors(void)
{
    struct wtl_visible_devices v = {.cuda = "1"};
    int shown = 0;
    ok(wtl_visible_by_speed(&v), "a number counts from the fastest");
    v.order = "PCI_BUS_ID";
    ok(!wtl_visible_by_speed(&v), "but not in the order of addresses");
    v = (struct wtl_visible_devices){.cuda = "GPU-1"};
    ok(!wtl_visible_by_speed(&v), "and an identifier is one");
    ok(wtl_visible_in_list("MIG-a", -1, "MIG-a"), "an instance has no number");

    v = (struct wtl_visible_devices){.cuda = "0", .rocr = "1,3", .hip = "1"};
    bool seen[4];
    for (int i = 0; i < 4; i++)
        seen[i] = wtl_visible_to_rocm(&v, i, "", &shown);
    ok(!seen[0] && !seen[1] && !seen[2] && seen[3], "the second of those that ROCr shows");
    v.hip = NULL;
    shown = 0;
    for (int i = 0; i < 4; i++)
        seen[i] = wtl_visible_to_rocm(&v, i, "", &shown);
    ok(!seen[0] && seen[1] && !seen[2] && !seen[3], "HIP follows CUDA's list, too");

    v = (struct wtl_visible_devices){.ze = "0.1,2"};
    ok(wtl_visible_to_levelzero(&v, 0) && !wtl_visible_to_levelzero(&v, 1) &&
           wtl_visible_to_levelzero(&v, 2),
       "a tile is of its device");
}

int main(void)
{
    test_text();
    test_vendors();
    return done_testing();
}
