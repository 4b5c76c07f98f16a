/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which GPUs the environment shows to a program: the rules of the vendors' variables. Numbers count a vendor's devices; an
 * identifier may be cut short.
 */
#ifndef WTL_BASE_VISIBLE_DEVICES_H
#define WTL_BASE_VISIBLE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

enum { WTL_VISIBLE_BYTES = 512 };

/* Values of the variables; NULL = not set. */
struct wtl_visible_devices {
    const char *cuda;  /* CUDA_VISIBLE_DEVICES */
    const char *order; /* CUDA_DEVICE_ORDER */
    const char *rocr;  /* ROCR_VISIBLE_DEVICES */
    const char *hip;   /* HIP_VISIBLE_DEVICES */
    const char *ze;    /* ZE_AFFINITY_MASK */
};

/* Of this process. */
struct wtl_visible_devices wtl_visible_devices(void);

/* As text, a line for each that is set, after an empty line: "\nCUDA_VISIBLE_DEVICES=1\n". Empty if it does not fit or a value
 * is not printable. */
void wtl_visible_devices_write(const struct wtl_visible_devices *visible,
                               char text[WTL_VISIBLE_BYTES]);
/* The text as values, which are kept in it. False, with nothing changed: empty, so that nothing is known. */
bool wtl_visible_devices_parse(char *text, struct wtl_visible_devices *ret);

/* Whether a list, such as "1,GPU-5f1a", has the device; index -1 = one without a number. NULL has all. */
bool wtl_visible_in_list(const char *list, int index, const char *uuid);

/* Whether CUDA's numbers count from the fastest device, so that they are known only if all are alike. */
bool wtl_visible_by_speed(const struct wtl_visible_devices *visible);

/* HIP counts the devices that ROCR_VISIBLE_DEVICES leaves: to be asked for one device after the other, from
 * *shown_by_rocr = 0. */
bool wtl_visible_to_rocm(const struct wtl_visible_devices *visible,
                         int index,
                         const char *uuid,
                         int *shown_by_rocr);

/* A device with one tile shown is shown. */
bool wtl_visible_to_levelzero(const struct wtl_visible_devices *visible, int index);

#endif
